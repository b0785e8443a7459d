/* live/port/socket.h — addresses as they are written in a configuration, and sockets for them.
 *
 * An address is /PATH (a local socket; of any length), HOST:PORT or [HOST]:PORT.  All sockets are
 * closed on exec and do not block. */
#ifndef LK_LIVE_PORT_SOCKET_H
#define LK_LIVE_PORT_SOCKET_H

#include <glib.h>
#include <sys/socket.h>

typedef struct {
  char *path; /* of a local socket; else NULL */
  struct sockaddr_storage address;
  socklen_t length_bytes;
} LkSocketAddress;

/* Is the text an address? Looks nothing up. */
gboolean lk_address_check (const char *text, GError **error);
/* Is there a name in it that has to be asked for? */
gboolean lk_address_is_name (const char *text);
/* All that it stands for, at least one. To ask for a name may take long. Returns: (transfer full),
 * of LkSocketAddress. */
GArray *lk_address_resolve (const char *text, GError **error);

/* Listens. A local socket gets this mode; one of before, at which nobody listens, is removed. -1:
 * it cannot. */
int lk_socket_listen (const LkSocketAddress *address, guint32 mode, GError **error);
/* A socket that is being connected: when it is writable, lk_socket_fault says how that went. -1: it
 * cannot. */
int lk_socket_connect (const LkSocketAddress *address, GError **error);
/* What has happened to it; 0: nothing. */
int lk_socket_fault (int socket);
/* Sets what a connection by TCP needs: no delay, and an end when the other host is gone. */
void lk_socket_tune (int socket);

/* Who is at the other end of a local socket; of one that was connected, who listens. FALSE: the
 * system does not say. */
gboolean lk_socket_peer (int socket, guint32 *out_user_id, guint32 *out_group_id);
/* May who listens at a local socket be the controller? Root, we ourselves, and this one may. */
gboolean lk_socket_is_controller (int socket, guint32 controller_user_id);

#endif
