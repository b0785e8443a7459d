/* tests/dst/cluster.h — a whole cluster in one thread: a controller with its disk, the agents of
 * all nodes, users, and a second machine on which a controller may be started.
 *
 * Each part may be crashed and started again at any point between calls of the world (never from
 * within a core: a script or a hook asks the world for a call at this instant).  Time goes on only
 * in dst_run: all that happens at one instant is carried out, then the controllers settle until
 * they have nothing to do, then comes the next instant.
 *
 * A host whose core has failed is dead at once, as is its agent's node process; both come back by
 * themselves after `restart_us`, but not a controller that says that its journal is of no use or
 * that another has taken over (DstHost.failure tells). */
#ifndef LK_TESTS_DST_CLUSTER_H
#define LK_TESTS_DST_CLUSTER_H

#include "live/core/agent.h"
#include "live/core/controller.h"
#include "live/core/standby.h"
#include "live/port/port_clock_sim.h"
#include "live/port/port_disk_sim.h"
#include "live/port/port_net_sim.h"
#include "live/port/port_process_sim.h"
#include "policies/registry.h"
#include "tests/dst/client.h"

#define DST_HOSTS 2u

/* Who watches what really happens; each may be NULL. */
typedef struct {
  void (*answered) (gpointer user, const DstAnswer *answer);
  void (*informed) (gpointer user, guint client, const DstJobInfo *info);
  void (*run_begun) (gpointer user, const LkProcessSimRun *run);
  void (*run_over) (gpointer user, const LkProcessSimRun *run);
  void (*run_signalled) (gpointer user, const LkProcessSimRun *run, guint8 signal);
  /* With `step_user`. */
  void (*step_begun) (gpointer user, const LkProcessSimStep *step);
  void (*step_over) (gpointer user, const LkProcessSimStep *step);
  gpointer step_user;
  /* A host is about to be freed, for whatever reason, or has just been started. */
  void (*host_ends) (gpointer user, guint host);
  void (*host_begins) (gpointer user, guint host);
  /* All that happens at an instant has happened. */
  void (*instant) (gpointer user);
  gpointer user;
} DstWatch;

typedef struct {
  guint64 seed;
  gint64 start_us;      /* realtime, and the world's time, at the beginning */
  const LkSetup *setup; /* of the engine; outlives the cluster */
  const char *source;   /* for the header of the journal */
  /* Its members `engine` and `header` are filled in. */
  LkControllerConfig controller;
  gint64 agent_retry_us;
  gint64 client_retry_us;
  gint64 restart_us; /* before what has failed by itself is started again; 0: never */
  guint client_count;
  const DstIdentity *identities; /* client i is identity i % identity_count */
  guint identity_count;
  DstWatch watch;
  /* How the processes of a run behave, beyond what its payload says; NULL: as that says. */
  void (*plan) (gpointer user, const LkMessage_launch *launch, LkProcessSimPlan *plan);
  gpointer planner; /* its `user` */
} DstOptions;

/* How processes on nodes behave, besides what their payload says. Rates in a million runs. */
typedef struct {
  gint64 prolog_max_us;
  gint64 epilog_max_us;
  guint32 prolog_fail_ppm;
  guint32 epilog_fail_ppm;
  guint32 stubborn_ppm; /* that ignore SIGTERM */
  guint32 undying_ppm;  /* that live up to undying_max_us after SIGKILL */
  gint64 undying_max_us;
  guint32 create_fail_ppm;
} DstHabits;

/* All that may go wrong by chance; all 0: nothing. */
typedef struct {
  LkNetSimFaults net;
  LkDiskSimFaults controller_disk;
  LkDiskSimFaults agent_disk;
  gint64 lag_max_us; /* of wake-ups */
  DstHabits habits;
} DstFaults;

/* A machine on which a controller may run. Read only. */
typedef struct {
  struct _DstCluster *cluster;
  guint number;
  LkClockSim *clock;
  LkDiskSim *disk;
  LkNetSimEnd end;
  LkController *core;          /* NULL: it is down, or a standby */
  LkStandby *standby;          /* NULL: it is down, or a controller */
  gboolean is_to_follow;       /* it comes back as a standby */
  gboolean is_withheld;        /* nobody starts it again */
  guint64 promoted_term;       /* until that is on its disk, 0: it was not promoted */
  guint64 term;                /* that it was started with */
  LkControllerFailure failure; /* of the last core: why it has stopped, or did not start */
  guint64 start_count;
  guint64 crash_at_write; /* 0: not */
  gboolean crash_when_done;
  gboolean crash_loses_power;
  guint64 life;               /* changes whenever a core comes or goes */
  guint64 journal_told_bytes; /* of the journal, in the log */
  LkJournalCheckpoint journal_told;
} DstHost;

/* A node with its agent; a counted pool has one, of the name "pool". Read only. */
typedef struct {
  struct _DstCluster *cluster;
  guint number;
  char *name;
  char *gres;
  guint32 cpus;
  guint64 memory_bytes;
  LkClockSim *clock;
  LkDiskSim *disk;
  LkProcessSim *process;
  LkNetSimEnd end;
  LkAgent *core; /* NULL: it is down */
  guint64 boot_id;
  gboolean is_withheld; /* dst_agent_start does nothing */
  guint64 life;
} DstNode;

typedef struct _DstCluster {
  DstOptions options;
  LkJournalHeader header;
  LkControllerConfig controller;
  LkWorld *world;
  LkNetSim *net;
  DstHost hosts[DST_HOSTS];
  LkNetSimEnd host_ends[DST_HOSTS];
  guint chief;        /* the host that is the controller, or has been, with the highest term */
  GPtrArray *nodes;   /* of DstNode */
  GPtrArray *clients; /* of DstClient */
  DstFaults faults;
  gboolean is_checked;
} DstCluster;

/* Everything is up but the second host. `options` is copied, what it points to borrowed. */
DstCluster *dst_cluster_new (const DstOptions *options);
void dst_cluster_free (DstCluster *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DstCluster, dst_cluster_free)

/* ---------------------------------------------------------------- time */

/* Runs up to and with a moment; sooner if `stop`, which may be NULL, says so at the end of an
 * instant. TRUE: it did. Aborts when an instant does not end. */
gboolean dst_run (DstCluster *self, gint64 until_us, gboolean (*stop) (gpointer user),
                  gpointer user);
void dst_run_for (DstCluster *self, gint64 duration_us);
gint64 dst_now_us (const DstCluster *self);
/* Walk the invariants of all cores at the end of every instant? (No.) */
void dst_set_checked (DstCluster *self, gboolean is_checked);
/* A line for each message, decision, fault; NULL: none. */
void dst_tell_to (DstCluster *self, LkWorldTell tell, gpointer user);

/* ---------------------------------------------------------------- users */

DstClient *dst_client (const DstCluster *self, guint client);
/* A submit of a job, or of all components of one, that behaves so. */
void dst_submit (DstCluster *self, guint client, const LkEvent *events, guint event_count,
                 const LkProcessSimPlan *plan);
/* All other requests; the kind of message follows from that of the event. */
void dst_ask (DstCluster *self, guint client, const LkEvent *event);
/* Requests of all clients that have no answer. */
guint dst_open_count (const DstCluster *self);

/* ---------------------------------------------------------------- faults */

void dst_set_faults (DstCluster *self, const DstFaults *faults);
/* All rates 0, all cuts healed, realtime goes as the world does. What is down stays so. */
void dst_calm (DstCluster *self);

/* The controller on a host dies; when it is down, nothing happens. */
void dst_host_crash (DstCluster *self, guint host, gboolean has_lost_power);
/* A controller begins on a host; above term 0 it is promoted. FALSE: it did not start, and
 * `failure` tells why. When it is up already, nothing happens. */
gboolean dst_host_start (DstCluster *self, guint host, guint64 term);
/* Whatever was there last comes back: a controller, with the term that it was promoted with if its
 * disk does not know of that, or a standby.  Not where it is withheld. */
void dst_host_return (DstCluster *self, guint host);
/* As long as it is withheld it does not come back by itself either. */
void dst_host_withhold (DstCluster *self, guint host, gboolean is_withheld);
/* A standby begins on a host. FALSE: it did not start, and `failure` tells why. When something is
 * up there already, nothing happens. */
gboolean dst_host_follow (DstCluster *self, guint host);
/* The standby on a host becomes a controller, which waits for no standby of its own. FALSE: it did
 * not, and `failure` tells why; it is a standby still. When there is none, nothing happens. */
gboolean dst_host_promote (DstCluster *self, guint host, guint64 term);
/* It dies at the `write_index`-th request to its disk from its first use: while that is carried
 * out, or (`when_done`) when it has been and the controller has not heard of it. 0: not. */
void dst_host_crash_at (DstCluster *self, guint host, guint64 write_index, gboolean when_done,
                        gboolean has_lost_power);
/* The first controller that is up; NULL: none is. */
LkController *dst_controller (const DstCluster *self);

DstNode *dst_node (const DstCluster *self, guint node);
void dst_agent_crash (DstCluster *self, guint node);
void dst_agent_start (DstCluster *self, guint node);
/* The node loses its power, and all that runs there. It comes back with dst_agent_start. */
void dst_node_crash (DstCluster *self, guint node);
/* As long as it is withheld, nobody starts its agent: somebody has said that nothing runs there. */
void dst_node_withhold (DstCluster *self, guint node, gboolean is_withheld);

/* Parts of the cluster, for cuts. */
typedef struct {
  guint32 hosts;   /* set of hosts */
  GArray *nodes;   /* of guint; NULL: none */
  GArray *clients; /* of guint; NULL: none */
} DstParts;
/* Nothing comes from these to those; `both_ways`: nor back. */
void dst_cut (DstCluster *self, const DstParts *from, const DstParts *to, gboolean both_ways);
void dst_heal (DstCluster *self);

#endif
