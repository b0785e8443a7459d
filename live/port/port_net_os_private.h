/* live/port/port_net_os_private.h — what the files of the controller's network port share. */
#ifndef LK_LIVE_PORT_NET_OS_PRIVATE_H
#define LK_LIVE_PORT_NET_OS_PRIVATE_H

#include "live/port/handshake.h"
#include "live/port/port_net_os.h"
#include "live/port/stream.h"
#include "live/port/user_names.h"
#include "live/port/worker.h"

/* A connection, from accept to its end. */
typedef struct {
  LkNetOs *net;
  LkPeer who;   /* `id` from the beginning; the rest when it is attested */
  char *name;   /* that of `who` */
  char *groups; /* likewise */
  LkStream stream;
  LkHandshake *handshake; /* until it is attested */
  LkAttested attested;    /* behind that, without the keys */
  gboolean is_attested;
  gboolean is_named; /* and so heard by the core */
  gboolean is_local;
  gboolean is_counted; /* among the connections of `user_id` */
  guint32 user_id;     /* of a local socket; of others when they are attested */
  guint32 group_id;
  LkLoopTimer deadline; /* to be attested, or of the session */
  LkLoopTimer stall;
  guint64 stall_written_bytes;
  gsize memory_bytes; /* as counted in the whole */
  GList anonymous;    /* among those that are not attested, oldest first */
  guint64 source;     /* where it comes from, as far as those are counted by it */
  guint index;        /* among all */
} LkNetPeer;

typedef struct {
  LkNetOs *net;
  LkLoopFd fd;
  gboolean is_local;
} LkNetListener;

struct _LkNetOs {
  LkLoop *loop;
  guint32 trusted_user_id;
  LkKeyring *keyring;
  gboolean accepts_munge;
  GBytes *token_key;
  LkTokenReader token_read;
  char *munge_socket;
  LkNetLimits limits; /* none is 0 */
  void (*message) (gpointer user, const LkPeer *peer, const guint8 *bytes, gsize length_bytes);
  void (*note) (gpointer user, const char *text);
  gpointer user;
  gint64 noted_us;
  guint64 unnoted_count; /* since */

  char *socket;
  GPtrArray *listeners;      /* of LkNetListener */
  LkLoopTimer accepts_again; /* when descriptors had run out */
  GPtrArray *peers;          /* of LkNetPeer: all */
  GHashTable *by_id;         /* of them */
  GHashTable *agents;        /* of those that are agents, by node */
  GHashTable *user_counts;   /* of connections, by user id */
  GQueue anonymous;
  GPtrArray *closed; /* of LkNetPeer: freed when nobody is in them */
  LkLoopCall reap;
  LkPeerId id_last;
  LkWorker *worker;
  LkUserNames *names;
  LkNetCounts counts;
};

G_GNUC_INTERNAL void lk_net_note (LkNetOs *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* A socket that was accepted; it is taken over. */
G_GNUC_INTERNAL void lk_net_peer_begin (LkNetOs *self, int socket, gboolean is_local);
/* Says why, as far as that goes out at once, and closes it. */
G_GNUC_INTERNAL void lk_net_peer_dismiss (LkNetPeer *peer, LkFarewell why);
G_GNUC_INTERNAL void lk_net_peer_close (LkNetPeer *peer);
/* FALSE: it is longer than a message may be. */
G_GNUC_INTERNAL gboolean lk_net_peer_send (LkNetPeer *peer, const guint8 *bytes,
                                           gsize length_bytes);
/* The memory that it takes has changed; whoever has too much is cut off. */
G_GNUC_INTERNAL void lk_net_peer_moved (gpointer user);
/* Makes the connection one of a user. FALSE: he has too many. */
G_GNUC_INTERNAL gboolean lk_net_peer_count_user (LkNetPeer *peer, guint32 user_id);

/* port_net_attest.c: the handshake of a connection, and what follows from it. */
G_GNUC_INTERNAL void lk_net_attest_begin (LkNetPeer *peer);
G_GNUC_INTERNAL void lk_net_attest_take (LkNetPeer *peer, LkBytes message);

#endif
