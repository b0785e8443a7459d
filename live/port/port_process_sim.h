/* live/port/port_process_sim.h — the processes of a simulated node.
 *
 * Each run has a supervisor that outlives the agent; how long its stages take, how they end, and
 * how the processes take signals, is said by a plan that is asked for when it is made.  SIGSTOP and
 * SIGCONT stop and continue the clock of the stage that runs.  On nodes without the script that
 * stage lasts until a signal ends it.  When the node boots all is gone.
 *
 * Whoever wants to know what really ran, and when, watches. */
#ifndef LK_LIVE_PORT_PROCESS_SIM_H
#define LK_LIVE_PORT_PROCESS_SIM_H

#include "live/core/port_process.h"
#include "live/port/world_sim.h"

/* How a run will behave; all 0: every stage ends well at once, and signals are obeyed at once. */
typedef struct {
  gint64 prolog_us; /* how long each stage takes */
  gint64 script_us;
  gint64 epilog_us;
  LkExit prolog; /* how each ends by itself */
  LkExit script;
  LkExit epilog;
  gboolean ignores_term; /* the script does */
  gint64 term_us;        /* from SIGTERM to the end */
  gint64 kill_us;        /* from SIGKILL to the end */
} LkProcessSimPlan;

/* How a step will behave; all 0: it ends well at once, and obeys at once. */
typedef struct {
  gint64 step_us; /* how long it takes; LK_TIME_NEVER: until it is ended */
  LkStepFound how;
  gboolean fails; /* it cannot be begun */
  gboolean ignores_term;
} LkProcessSimStepPlan;

/* What really ran of a step. */
typedef struct {
  const char *node;
  guint64 run_id;
  guint32 job_id;
  guint32 step_id;
  guint32 flags;            /* set of LkStepFlag */
  const LkStepPlace *place; /* what it was given here; borrowed for the call */
  gint64 begin_us;
  gint64 end_us; /* nothing of it is left; LK_TIME_NEVER as long as something may be */
} LkProcessSimStep;

/* What really ran. */
typedef struct {
  const char *node;
  guint64 run_id;
  guint32 job_id;
  gboolean runs_script;
  const char *nodes; /* as it was launched; so are the next two */
  const char *cores;
  const char *gres;
  gint64 begin_us;  /* its supervisor was made */
  gint64 end_us;    /* nothing of it is left; LK_TIME_NEVER as long as something may be */
  gboolean is_lost; /* the node has booted before that */
  LkExit prolog;    /* valid once it has ended, else all zero */
  gboolean has_script_ended;
  LkExit script; /* valid once it has ended, else all zero */
} LkProcessSimRun;

typedef struct {
  void (*plan) (gpointer user, const char *node, const LkMessage_launch *launch,
                LkProcessSimPlan *plan); /* NULL: all 0 */
  void (*ended) (gpointer user, guint64 run_id, LkStage stage, const LkExit *how);
  void (*plan_step) (gpointer user, const char *node, const LkMessage_step_launch *launch,
                     LkProcessSimStepPlan *plan);              /* NULL: all 0 */
  void (*step_ended) (gpointer user, const LkStepFound *step); /* NULL: no steps are begun */
  void (*step_begun) (gpointer watcher,
                      const LkProcessSimStep *step); /* NULL; so may be the next */
  void (*step_over) (gpointer watcher, const LkProcessSimStep *step);
  void (*begun) (gpointer watcher, const LkProcessSimRun *run); /* NULL; so may be the next two */
  void (*over) (gpointer watcher, const LkProcessSimRun *run);
  void (*signalled) (gpointer watcher, const LkProcessSimRun *run, guint8 signal);
} LkProcessSimHooks;

typedef struct _LkProcessSim LkProcessSim;

/* `world` outlives it. `user` gets plans and ends, `watcher` the rest. */
LkProcessSim *lk_process_sim_new (LkWorld *world, const char *node, const LkProcessSimHooks *hooks,
                                  gpointer user, gpointer watcher);
/* Once the world makes no calls any more. */
void lk_process_sim_free (LkProcessSim *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkProcessSim, lk_process_sim_free)

LkPortProcess lk_process_sim_port (LkProcessSim *self);
/* So many of a million supervisors cannot be made. */
void lk_process_sim_set_faults (LkProcessSim *self, guint32 create_fail_ppm);

/* An agent begins: from now on it is told of ends. */
void lk_process_sim_open (LkProcessSim *self);
/* It is no more; the runs go on. */
void lk_process_sim_close (LkProcessSim *self);
/* The node boots; its agent is closed. */
void lk_process_sim_boot (LkProcessSim *self);

/* Runs that are not forgotten, lost ones too. */
guint lk_process_sim_count (const LkProcessSim *self);
gboolean lk_process_sim_knows (const LkProcessSim *self, guint64 run_id);
/* Supervisors that were asked for though there was one for the run. */
guint64 lk_process_sim_double_count (const LkProcessSim *self);

#endif
