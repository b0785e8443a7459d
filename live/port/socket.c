/* live/port/socket.c — see the header. */
#include "live/port/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/assert.h"
#include "live/port/error.h"

/* A host that has not answered for so long is gone. */
#define GONE_MS 30000
#define KEEPALIVE_S 30
#define BACKLOG 4096

/* ---------------------------------------------------------------- addresses */

/* Parts of HOST:PORT; the host may be empty only in brackets' absence, and means any. */
static gboolean
split (const char *text, char **out_host, char **out_port)
{
  const char *colon = strrchr (text, ':');
  guint64 port;
  if (colon == NULL || !g_ascii_string_to_unsigned (colon + 1, 10, 0, G_MAXUINT16, &port, NULL))
    return FALSE;
  gsize host_bytes = (gsize)(colon - text);
  const char *host = text;
  if (host_bytes >= 2 && host[0] == '[' && host[host_bytes - 1] == ']') {
    host++;
    host_bytes -= 2;
  } else if (memchr (host, ':', host_bytes) != NULL) {
    return FALSE;
  }
  if (host_bytes == 0)
    return FALSE;
  *out_host = g_strndup (host, host_bytes);
  *out_port = g_strdup (colon + 1);
  return TRUE;
}

gboolean
lk_address_check (const char *text, GError **error)
{
  g_autofree char *host = NULL;
  g_autofree char *port = NULL;
  if (text[0] == '/' || split (text, &host, &port))
    return TRUE;
  g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_USAGE,
               "'%s' is no address; expected /PATH, HOST:PORT or [HOST]:PORT", text);
  return FALSE;
}

gboolean
lk_address_is_name (const char *text)
{
  g_autofree char *host = NULL;
  g_autofree char *port = NULL;
  return text[0] != '/' && split (text, &host, &port) && !g_hostname_is_ip_address (host);
}

static void
address_clear (gpointer data)
{
  LkSocketAddress *address = data;
  g_free (address->path);
}

GArray *
lk_address_resolve (const char *text, GError **error)
{
  g_autofree char *host = NULL;
  g_autofree char *port = NULL;
  const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
  struct addrinfo *list = NULL;
  GArray *all = NULL;
  if (!lk_address_check (text, error))
    return NULL;
  if (text[0] == '/') {
    LkSocketAddress local = { .path = g_strdup (text) };
    all = g_array_new (FALSE, FALSE, sizeof (LkSocketAddress));
    g_array_set_clear_func (all, address_clear);
    g_array_append_val (all, local);
    return all;
  }
  gboolean is_split = split (text, &host, &port);
  LK_ASSERT (is_split);
  int fault = getaddrinfo (host, port, &hints, &list);
  if (fault != 0) {
    g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_SYSTEM, "host '%s': %s", host,
                 gai_strerror (fault));
    return NULL;
  }
  all = g_array_new (FALSE, FALSE, sizeof (LkSocketAddress));
  g_array_set_clear_func (all, address_clear);
  for (const struct addrinfo *one = list; one != NULL; one = one->ai_next) {
    LkSocketAddress address = { .length_bytes = one->ai_addrlen };
    memcpy (&address.address, one->ai_addr, one->ai_addrlen);
    g_array_append_val (all, address);
  }
  freeaddrinfo (list);
  return all;
}

/* ---------------------------------------------------------------- local sockets */

/* A path in sockaddr_un has room for 107 bytes.  Through a descriptor of its folder, any path does.
 * Returns: that descriptor, to be closed behind; -1: there is no such folder. */
static int
local_address (const char *path, struct sockaddr_un *out_address)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (path);
  int file = open (folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (file < 0)
    return -1;
  *out_address = (struct sockaddr_un){ .sun_family = AF_UNIX };
  int need = g_snprintf (out_address->sun_path, sizeof out_address->sun_path, "/proc/self/fd/%d/%s",
                         file, name);
  if (need < 0 || (gsize)need >= sizeof out_address->sun_path) {
    close (file);
    errno = ENAMETOOLONG;
    return -1;
  }
  return file;
}

/* Removes a socket at which nobody listens. */
static void
remove_stale (int folder, const char *name, const struct sockaddr_un *address)
{
  struct stat status;
  if (fstatat (folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISSOCK (status.st_mode))
    return;
  int probe = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0)
    return;
  if (connect (probe, (const struct sockaddr *)address, sizeof *address) != 0
      && errno == ECONNREFUSED)
    unlinkat (folder, name, 0);
  close (probe);
}

static int
listen_local (const char *path, guint32 mode, GError **error)
{
  struct sockaddr_un address;
  g_autofree char *name = g_path_get_basename (path);
  int folder = local_address (path, &address);
  int listener = folder >= 0 ? socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
  gboolean is_done = FALSE;
  if (listener >= 0) {
    remove_stale (folder, name, &address);
    is_done = bind (listener, (const struct sockaddr *)&address, sizeof address) == 0
              && fchmodat (folder, name, mode, 0) == 0 && listen (listener, BACKLOG) == 0;
  }
  if (!is_done) {
    lk_port_error_set (error, errno, "cannot listen at '%s'", path);
    if (listener >= 0)
      close (listener);
    listener = -1;
  }
  if (folder >= 0)
    close (folder);
  return listener;
}

static int
connect_local (const char *path, GError **error)
{
  struct sockaddr_un address;
  int folder = local_address (path, &address);
  int made = folder >= 0 ? socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
  gboolean is_done =
      made >= 0 && connect (made, (const struct sockaddr *)&address, sizeof address) == 0;
  if (!is_done) {
    lk_port_error_set (error, errno, "connect");
    if (made >= 0)
      close (made);
    made = -1;
  }
  if (folder >= 0)
    close (folder);
  return made;
}

gboolean
lk_socket_peer (int socket, guint32 *out_user_id, guint32 *out_group_id)
{
  struct ucred peer;
  socklen_t length_bytes = sizeof peer;
  if (getsockopt (socket, SOL_SOCKET, SO_PEERCRED, &peer, &length_bytes) != 0
      || length_bytes != sizeof peer || peer.uid == (uid_t)-1)
    return FALSE;
  *out_user_id = (guint32)peer.uid;
  *out_group_id = (guint32)peer.gid;
  return TRUE;
}

gboolean
lk_socket_is_controller (int socket, guint32 controller_user_id)
{
  guint32 user_id;
  guint32 group_id;
  return lk_socket_peer (socket, &user_id, &group_id)
         && (user_id == 0 || user_id == (guint32)geteuid () || user_id == controller_user_id);
}

/* ---------------------------------------------------------------- TCP */

void
lk_socket_tune (int socket)
{
  const int on = 1;
  const int keepalive_s = KEEPALIVE_S;
  const unsigned gone_ms = GONE_MS;
  /* None of these is needed for what is right; a socket that is not of TCP has them not. */
  (void)setsockopt (socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  (void)setsockopt (socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  (void)setsockopt (socket, IPPROTO_TCP, TCP_KEEPIDLE, &keepalive_s, sizeof keepalive_s);
  (void)setsockopt (socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &gone_ms, sizeof gone_ms);
}

static int
tcp_socket (const LkSocketAddress *address)
{
  return socket (address->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int
lk_socket_listen (const LkSocketAddress *address, guint32 mode, GError **error)
{
  const int on = 1;
  if (address->path != NULL)
    return listen_local (address->path, mode, error);
  int listener = tcp_socket (address);
  if (listener >= 0
      && setsockopt (listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0
      /* IPv4 has a socket of its own. */
      && (address->address.ss_family != AF_INET6
          || setsockopt (listener, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) == 0)
      && bind (listener, (const struct sockaddr *)&address->address, address->length_bytes) == 0
      && listen (listener, BACKLOG) == 0)
    return listener;
  lk_port_error_set (error, errno, "cannot listen");
  if (listener >= 0)
    close (listener);
  return -1;
}

int
lk_socket_connect (const LkSocketAddress *address, GError **error)
{
  if (address->path != NULL)
    return connect_local (address->path, error);
  int made = tcp_socket (address);
  if (made >= 0
      && (connect (made, (const struct sockaddr *)&address->address, address->length_bytes) == 0
          || errno == EINPROGRESS)) {
    lk_socket_tune (made);
    return made;
  }
  lk_port_error_set (error, errno, "connect");
  if (made >= 0)
    close (made);
  return -1;
}

int
lk_socket_fault (int socket)
{
  int fault = 0;
  socklen_t length_bytes = sizeof fault;
  return getsockopt (socket, SOL_SOCKET, SO_ERROR, &fault, &length_bytes) == 0 ? fault : errno;
}
