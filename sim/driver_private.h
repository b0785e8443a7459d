/* sim/driver_private.h — the driver's state, shared by sim/driver*.c only. */
#ifndef LK_SIM_DRIVER_PRIVATE_H
#define LK_SIM_DRIVER_PRIVATE_H

#include "sim/driver.h"
#include "engine/event_heap.h"

/* A job in the system. */
#define SIGNAL_KILL 9

typedef struct {
  LkSimJob job;
  guint32 id;       /* 0: not running */
  guint64 end_rank; /* of its entry in the heap that counts */
  gint64 start_us;
  gint64 end_us;
  gint64 left_us; /* suspended: how long it would still run */
  gboolean backfilled;
  gboolean started;      /* it runs, or has just ended */
  gboolean requeued;     /* its run has just ended with a requeue */
  gboolean is_signalled; /* this run ends at a signal, as the job says */
  gboolean is_killed;    /* this run ends by SIGKILL, which nobody can catch */
  guint32 restarts;
  char *nodes; /* on a machine of nodes, while it runs */
  char *cores;
  char *gres;
  LkHolding holding;
  double billing;
  const char *account; /* of its last run; "": none; so is the next one */
  const char *qos;
} LkSimSlot;

typedef struct {
  const LkSimOptions *options;
  const LkSimClient *client;
  LkEngine *engine;
  LkSink sink;
  LkEventHeap ends;
  LkSimSlot *slots;
  guint32 slot_count;
  guint32 job_id_last;
  guint64 seq;
  gint64 now_us;
  gint64 moved_us; /* the last start, or moment with more ahead than timers that recur */
  gint64 wake_us;  /* LK_TIME_NEVER: the engine asked for none */
  guint64 rejected_count;
  guint64 rejected[LK_REJECT_LIMIT];
  guint64 start_count;
  guint64 requeued_count;
  guint32 vain_count; /* runs that ended with a requeue since a job last ended for good */
  guint64 preempted_count;
  guint64 node_event_count;
  guint64 unstarted_count;
  LkSimRenumbered renumbered;
  LkFactorWatch factors;
  gboolean giving_up;        /* what is left is being cancelled */
  LkClusterSeries *series;   /* NULL: none */
  gint64 moment_us;          /* the next one to tell of; LK_TIME_NEVER: none */
  LkSimNodeEvent node_event; /* valid when has_node_event */
  gboolean has_node_event;

  LkSimJob next; /* valid when next_state is 1 */
  int next_state;
  const LkSimJob *submitting;
  LkReject refused; /* the last event was, and why; 0: it was not */
  gboolean failed;  /* a client function failed, `error` is set */
  GError **error;
} LkSimDriver;

/* sim/driver_decisions.c: carries out a decision in virtual time; `user` is the driver. */
void lk_sim_decide (void *user, const LkEvent *cause, const LkDecision *decision);

/* sim/driver_left.c: the jobs that are left when nothing is going to happen, the first of them by
 * name, and what holds each. Returns: (transfer full). */
char *lk_sim_left_text (const LkSimDriver *self);

#endif
