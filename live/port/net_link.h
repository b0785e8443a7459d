/* live/port/net_link.h — the network port of an agent or a standby: one connection to the
 * controller, made again whenever it is lost.
 *
 * Controllers are tried one after the other; when none is there, again after a wait that doubles up
 * to retry_max_us and is drawn by chance from its upper half, so that ten thousand agents do not
 * come back at once.  The controller, which is peer 0, has proved that it is it: by the key, by
 * reading a credential of MUNGE that only its user can read, or by owning the local socket.
 *
 * What is sent while there is no connection is lost, as any message may be. */
#ifndef LK_LIVE_PORT_NET_LINK_H
#define LK_LIVE_PORT_NET_LINK_H

#include <glib.h>

#include "live/core/port_net.h"
#include "live/port/auth_key.h"
#include "live/port/handshake.h"
#include "live/port/loop.h"

/* Copied, but for the loop, which outlives it. */
typedef struct {
  LkLoop *loop;
  const char *const *controllers; /* /PATH, HOST:PORT or [HOST]:PORT; the last one NULL */
  LkPeerKind kind;                /* agent or standby */
  const char *node;               /* of an agent */
  LkAuthMethod method;            /* by TCP: key or MUNGE */
  LkKeyring *keyring;             /* by key */
  const char *munge_socket;       /* by MUNGE; NULL: the usual one */
  guint32 controller_user_id;     /* who runs the controller; LK_MUNGE_ANYONE: not known */
  gint64 retry_min_us;            /* 0: 100 ms */
  gint64 retry_max_us;            /* 0: 10 s */
  gint64 connect_max_us;          /* 0: 10 s, to be connected and attested */
  gsize queue_max_bytes;          /* 0: 64 MiB; more than that unsent, and the connection is lost */
  /* A message of the controller, both borrowed for the call. */
  void (*message) (gpointer user, const LkPeer *peer, const guint8 *bytes, gsize length_bytes);
  /* The controller was reached (`why` NULL), or not, or lost, and why; once as long as it stays so.
   * NULL: nobody wants to know. */
  void (*changed) (gpointer user, gboolean is_connected, const char *why);
  gpointer user;
} LkNetLinkOptions;

typedef struct _LkNetLink LkNetLink;

/* Begins to connect. NULL: an address is none, or no key speaks for it.
 * Returns: (transfer full). */
LkNetLink *lk_net_link_new (const LkNetLinkOptions *options, GError **error);
void lk_net_link_free (LkNetLink *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkNetLink, lk_net_link_free)

LkPortNet lk_net_link_port (LkNetLink *self);
gboolean lk_net_link_is_connected (const LkNetLink *self);
/* Other keys, from the next connection on. */
void lk_net_link_set_keyring (LkNetLink *self, LkKeyring *keyring);

#endif
