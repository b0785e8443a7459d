/* sim/driver.h — the discrete-event driver: a trace and a virtual cluster around one engine.
 *
 * It takes jobs from a source, hands the engine its events in the documented order, carries out
 * start and kill decisions in virtual time, and tells the caller of each job that has ended.
 * Memory depends on the jobs in the system, not on the length of the trace.
 *
 * At one instant (LK_TIE_INSTANT): ends by job id, submits in the order of the source, the timer if
 * it is due, ends that a kill brought, and then one pass if the engine wants it. LK_TIE_SEQUENTIAL
 * is the convention of simulators that handle one event at a time and look for room in their plan,
 * such as pyss: jobs that end just when they are expected to have freed their processors before
 * anything else happens; then come the submits, with a pass behind each whose job is small enough
 * for what is free; then the ends that came early, in the order in which the jobs were started,
 * with a pass behind each end of either sort. */
#ifndef LK_SIM_DRIVER_H
#define LK_SIM_DRIVER_H

#include <glib.h>

#include "engine/engine.h"
#include "engine/journal.h"
#include "sim/cluster_series.h"
#include "sim/factor_watch.h"
#include "sim/latency.h"

/* What happens among events of one instant. */
typedef enum {
  LK_TIE_INSTANT,    /* ends, submits, timer; one pass behind all of them */
  LK_TIE_SEQUENTIAL, /* one by one, a pass behind each: see above */
} LkTieRule;

/* The largest number in a log that becomes an id: as many ids are left for tasks of arrays and for
 * jobs whose number cannot be theirs. */
#define LK_SIM_LOG_ID_MAX G_MAXINT32

/* A job as the driver wants it. Times in microseconds. */
typedef struct {
  gint64 number; /* in the log; also its id, where it is above those of the jobs before it */
  guint32 place; /* the client's own, which nobody else looks at */
  gint64 submit_us;
  gint64 run_us;      /* > 0: how long it would run if nobody stopped it */
  gint64 estimate_us; /* > 0: its time limit; 0, on a machine of nodes: what the machine says */
  guint32 procs;
  guint32 user_id;
  guint32 group_id;
  guint32 partition_id;
  guint8 exit_code;
  guint8 exit_signal;          /* that ends it; 0: none */
  guint8 on_signal;            /* its script ends at this signal, 0: at none, */
  guint8 on_signal_exit_code;  /* and so */
  gboolean cancelled;          /* it was cancelled while it ran, in the trace */
  const LkJobRequest *request; /* what it asks for by name; NULL: nothing; lives until the run is
                                  over, and so do the next ones */
  const LkJobTerms *terms;     /* when and under which conditions it may run; NULL: none. Components
                                  of one job follow each other, and `het_leader` is not looked at */
  const char *name;            /* as the log writes it, where that is not the number; else NULL */
  const char *job_name;        /* that its user gave it; NULL: unknown */
} LkSimJob;

/* A job that has ended. */
typedef struct {
  LkSimJob job;
  gint64 start_us;
  gint64 end_us;
  LkJobState state;
  gboolean backfilled;
  gboolean requeued; /* the run has ended so that the job goes back to the queue */
  guint32 restarts;  /* earlier runs that ended with a requeue */
  /* On a machine of nodes, as a start decision has them; else NULL. Borrowed for the call. */
  const char *nodes;
  const char *cores;
  const char *gres;
  LkHolding holding;
  double billing;      /* what it was charged, each second (engine/billing.h) */
  const char *account; /* "": none; so is the next one */
  const char *qos;
} LkSimResult;

/* Something happens to nodes. */
typedef struct {
  gint64 time_us;
  LkEventKind kind;   /* LK_EVENT_NODE_UP, _DOWN, _DRAIN or _RESUME */
  const char *node;   /* borrowed until the next call */
  const char *reason; /* "" for none */
} LkSimNodeEvent;

/* A moment of the run that the caller wants to see. */
typedef struct {
  const LkEngine *engine; /* behind the last event up to then; to be read only */
  gint64 at_us;
  /* A job in the system; NULL: there is none of this id. Borrowed for the call. */
  const LkSimJob *(*job) (gconstpointer driver, guint32 job_id);
  gconstpointer driver;
} LkSimMoment;

/* What a client may do to the engine when its moment has come. */
typedef struct {
  const LkEngine *engine; /* to be read only */
  gint64 now_us;
  guint32 *job_id_last; /* the next submit has a number above this and the engine's, and sets it */
  /* Applies an event, whose number and time are filled in. 0, or why it is refused; a submit is
   * refused when its job is, not when a limit or a partition makes it wait. */
  LkReject (*apply) (gpointer driver, LkEvent *event);
  /* The same of a submit, for a job that behaves as `job` says. */
  LkReject (*submit) (gpointer driver, LkEvent *event, const LkSimJob *job);
  gpointer driver;
} LkSimControl;

/* The caller's side. Any function may set `error` and fail; the run then stops with it. */
typedef struct {
  /* Next job by rising submit time. 1: filled, 0: no more, -1: failed. */
  int (*next_job) (gpointer user, LkSimJob *out_job, GError **error);
  /* TRUE: the job that next_job has last given, and that has not been submitted, is no longer the
   * next one, or there is one again: it is asked for anew.  For jobs that come as others end. NULL:
   * never. */
  gboolean (*jobs_moved) (gpointer user);
  /* Also of a run that ended with a requeue. */
  gboolean (*job_ended) (gpointer user, const LkSimResult *result, GError **error);
  /* Next thing that happens to nodes, by rising time. FALSE: no other. May be NULL. Asked for only
   * as long as there are jobs. */
  gboolean (*next_node_event) (gpointer user, LkSimNodeEvent *out_event);
  /* The next moment to be told of, LK_TIME_NEVER: none; rising. Asked when the first job is known,
   * and behind each moment. NULL: none. */
  gint64 (*next_moment_us) (gpointer user);
  /* Called at each moment, when all events up to then have been applied; may be NULL. */
  void (*moment) (gpointer user, const LkSimMoment *moment);
  /* When the client wants to act next, LK_TIME_NEVER: never again; rising. NULL: never. */
  gint64 (*next_action_us) (gpointer user);
  /* Acts, behind the ends and submits of the instant; called until the next action is later. */
  gboolean (*act) (gpointer user, const LkSimControl *control, GError **error);
  /* How the task of an array behaves that is a job of its own from here: changes what is set as
   * its array behaves. NULL: as its array. */
  void (*task) (gpointer user, const LkDecision_task *task, LkSimJob *job);
  /* How a job behaves that had ended and goes back to the queue: fills `out_job`. NULL where the
   * configuration lets none. */
  void (*returned) (gpointer user, guint32 job_id, LkSimJob *out_job);
  /* Called for each decision, before it is carried out; may be NULL. */
  void (*decided) (gpointer user, const LkEvent *cause, const LkDecision *decision);
  /* Called every eight events, which may take microseconds or seconds; may be NULL. */
  gboolean (*tick) (gpointer user, gint64 now_us, guint64 event_count, GError **error);
  gpointer user;
} LkSimClient;

typedef struct {
  const LkEngineConfig *config;
  LkTieRule tie_rule;
  LkJournalWriter *journal;   /* NULL: none is written */
  LkSimLatency latency;       /* all 0: jobs end when they end */
  gint64 lead_us;             /* so long before the first submit the machine begins */
  gint64 node_round_us;       /* node events come for ever, and in so long without a start have done
                                 what they can; 0: they end */
  gint64 sample_us;           /* of a machine of nodes: how often it is looked at; 0: never */
  const char *series_path;    /* where the samples go; NULL: nowhere */
  gboolean wants_last_submit; /* the client is told of the moment behind the last submit */
} LkSimOptions;

/* Jobs whose id is not their number in the log. */
typedef struct {
  guint64 count;
  gint64 first_number; /* of the first of them, and its id */
  guint32 first_id;
} LkSimRenumbered;

typedef struct {
  guint64 event_count;
  guint64 decision_count;
  guint64 rejected_count;            /* submits that the engine refused, */
  guint64 rejected[LK_REJECT_LIMIT]; /* and why, by LkReject */
  guint64 unstarted_count; /* jobs that were left at the end, when nothing could start them */
  guint64 requeued_count;  /* runs that ended with a requeue */
  guint64 preempted_count; /* times that a running job was displaced */
  guint64 node_event_count;
  LkSimRenumbered renumbered;
  LkFactorSets factors;    /* of priorities */
  LkClusterTotals cluster; /* of a machine of nodes */
  LkDigestValue digest;
} LkSimTotals;

/* Runs until every job has ended. FALSE with `error` set (LK_SIM_ERROR_RUN, or the client's own)
 * leaves `out_totals` untouched. */
gboolean lk_sim_run (const LkSimOptions *options, const LkSimClient *client,
                     LkSimTotals *out_totals, GError **error);

#endif
