/* live/port/port_net_os.h — the network port of a controller: listeners, and connections of users,
 * agents and standbys.
 *
 * A local socket, whose clients the system attests, and TCP, where they prove who they are by a key
 * or by MUNGE (handshake.h).  A peer has a number from when it is attested until its connection
 * ends; it is given out again when 4 billion others have been.
 *
 * - Who is not attested yet may send 4 KiB, and is cut off after login_grace_us.  When too many are
 *   not, the source with the most of them makes room with its oldest one: a user of the local
 *   socket, an IPv4 address, or the /64 network of an IPv6 address.
 * - A user is a user, whatever he says.  Agent and standby are, on the local socket and by MUNGE,
 *   root and who runs the controller; by key, whoever has one that speaks for it.
 * - A node has one agent: whoever was attested last.  The connection before is closed.
 * - What a peer does not read is kept up to queue_max_bytes; then, or when it has read nothing for
 *   stall_us, it is cut off.  All queues and parts of messages together stay below
 *   memory_max_bytes: of the user whose connections have the most together, the largest one is cut
 *   off; agents and standbys only when no user has any.
 * - A token makes a user, on the local socket as by TCP, for as long as the token is good.
 * - Names of users are asked for in a thread, as is MUNGE: neither can stop the loop. */
#ifndef LK_LIVE_PORT_NET_OS_H
#define LK_LIVE_PORT_NET_OS_H

#include <glib.h>

#include "live/core/port_net.h"
#include "live/port/auth_key.h"
#include "live/port/auth_token.h"
#include "live/port/loop.h"

/* 0 is the usual value of each. */
typedef struct {
  guint connection_count_max;      /* 65,536; less where the process may have fewer descriptors */
  guint anonymous_count_max;       /* 256 */
  guint user_connection_count_max; /* of one user: 1,024 */
  gint64 login_grace_us;           /* 10 s */
  gint64 stall_us;                 /* 60 s */
  gint64 session_max_us;           /* of a connection by key or MUNGE: 24 h */
  gsize queue_max_bytes;           /* of one peer: 64 MiB */
  gsize memory_max_bytes;          /* 1 GiB */
} LkNetLimits;

/* Borrowed but for the keys. */
typedef struct {
  LkLoop *loop;                 /* outlives it */
  guint32 trusted_user_id;      /* who runs the cluster; root is trusted always */
  const char *socket;           /* path of the local socket; NULL: none */
  guint32 socket_mode;          /* 0: 0666, anybody on the machine may ask */
  const char *const *addresses; /* HOST:PORT or [HOST]:PORT, the last one NULL; NULL: none */
  LkKeyring *keyring;           /* keys that are accepted; NULL: none */
  gboolean accepts_munge;
  GBytes *token_key;        /* of JSON Web Tokens; NULL: none are accepted */
  LkTokenReader token_read; /* what one says */
  const char *munge_socket; /* of munged; NULL: the usual one */
  LkNetLimits limits;
  /* A message of a peer, both borrowed for the call. */
  void (*message) (gpointer user, const LkPeer *peer, const guint8 *bytes, gsize length_bytes);
  /* What an operator might want to know, at most one a second; NULL: nobody does. */
  void (*note) (gpointer user, const char *text);
  gpointer user;
} LkNetOsOptions;

typedef struct _LkNetOs LkNetOs;

/* Listens. A socket that nobody listens at any more is replaced. Returns: (transfer full). */
LkNetOs *lk_net_os_new (const LkNetOsOptions *options, GError **error);
/* Closes all, and removes the local socket. */
void lk_net_os_free (LkNetOs *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkNetOs, lk_net_os_free)

LkPortNet lk_net_os_port (LkNetOs *self);
/* Other keys from now on. Connections by a key that is not among them are closed. */
void lk_net_os_set_keyring (LkNetOs *self, LkKeyring *keyring);
/* Another key of tokens; NULL: none are accepted any more. Connections by another are closed. */
void lk_net_os_set_token_key (LkNetOs *self, GBytes *key);
/* What is under way goes out as far as it can at once; before the process ends. */
void lk_net_os_flush (LkNetOs *self);
/* The port of a TCP listener, by its place in `addresses`, when 0 was asked for. */
guint16 lk_net_os_tcp_port (const LkNetOs *self, guint index);

typedef struct {
  guint connection_count; /* those that are not attested included */
  guint anonymous_count;
  guint agent_count;
  guint64 accepted_count; /* since the start, like all that follow */
  guint64 attested_count;
  guint64 denied_count;   /* who could not prove who he is, or may not be what he wants to be */
  guint64 garbage_count;  /* frames that are none, too long, or forged */
  guint64 late_count;     /* not attested in time */
  guint64 crowded_count;  /* had to make room, or found none */
  guint64 slow_count;     /* did not read what was sent */
  guint64 replaced_count; /* agents, by a newer one of the same node */
  guint64 expired_count;  /* sessions */
  guint64 lost_count;     /* messages for peers that were gone */
  gsize memory_bytes;     /* queues and parts of messages, now */
} LkNetCounts;
void lk_net_os_counts (const LkNetOs *self, LkNetCounts *out_counts);

#endif
