/* bench/live_load.h — many clients or agents of a living controller, in one process; see
 * bench/live, which starts the controller and this.
 *
 * A part has a connection for each of its clients, opened a few at a time, as a controller lets
 * only so many wait for being attested.  All of it runs in one thread, and ends after limit_us in
 * any case.  What was measured is one line of JSON. */
#ifndef LK_BENCH_LIVE_LOAD_H
#define LK_BENCH_LIVE_LOAD_H

#include "live/core/message.h"
#include "live/port/loop.h"
#include "live/port/net_link.h"

typedef struct {
  const char *controller; /* /PATH or HOST:PORT */
  const char *key;        /* file, by TCP */
  const char *prefix;     /* agents: of the nodes' names, before five digits */
  guint count;            /* clients or agents */
  guint job_count;
  guint environment_bytes; /* of each job */
  gboolean has_own_script; /* each job has another one */
  gint64 limit_us;
  char **job_options; /* as for sbatch; NULL: none */
} LiveOptions;

typedef struct _LiveCrowd LiveCrowd;
typedef struct _LiveClient LiveClient;

/* One connection. A part puts it first in its own struct. */
struct _LiveClient {
  LiveCrowd *crowd;
  LkNetLink *link;
  guint index;
  gboolean is_connected;
};

/* All connections of a part. */
struct _LiveCrowd {
  LkLoop *loop;
  const LiveOptions *options;
  LkPeerKind kind;
  LkKeyring *keyring;
  guint8 *clients; /* of client_bytes each */
  gsize client_bytes;
  guint opened_count;
  guint connected_count;
  guint lost_count;
  gboolean is_late;
  LkLoopTimer limit;
  /* It is there, or there again. */
  void (*connected) (LiveClient *client);
  void (*message) (LiveClient *client, const LkMessage *message);
};

/* `self` has kind, client_bytes and functions. FALSE: no connection can be made. */
gboolean live_crowd_open (LiveCrowd *self, const LiveOptions *options, GError **error);
void live_crowd_close (LiveCrowd *self);
LiveClient *live_crowd_client (const LiveCrowd *self, guint index);
void live_client_send (LiveClient *client, const LkMessage *message);
/* Returns: (transfer full). */
char *live_node_name (const LiveOptions *options, guint index);
/* Processor time of this process, in seconds. */
double live_cpu_s (void);

/* Jobs as fast as the controller acknowledges them, one at a time for each client. FALSE: not all
 * were taken in time. */
gboolean live_submit (const LiveOptions *options, GError **error);
/* Agents that register and send heartbeats until standard input ends: a line when all are there,
 * and one at the end. FALSE: not all could register. */
gboolean live_agents (const LiveOptions *options, GError **error);

#endif
