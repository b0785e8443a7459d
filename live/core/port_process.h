/* live/core/port_process.h — processes on a node.  Two implementations: _os and _sim.
 *
 * Each run has a supervisor of its own, which outlives the agent: it runs prolog, script and
 * epilog, and keeps how they ended until it is told to forget.  So after a restart the agent asks
 * which runs there are (`list`), and goes on with them.  That a run was begun here is durable, and
 * forgotten only when that is asked for: after a boot of the node `list` still names it, as lost.
 * So what is not named was never begun. */
#ifndef LK_LIVE_CORE_PORT_PROCESS_H
#define LK_LIVE_CORE_PORT_PROCESS_H

#include <glib.h>

#include "live/core/message.h"

/* What a supervisor does on behalf of the agent. */
typedef enum {
  LK_STAGE_PROLOG = 1,
  LK_STAGE_SCRIPT, /* on nodes without the script: what waits for steps */
  LK_STAGE_EPILOG,
} LkStage;

/* Why a stage that should be over is not told to be: X (NAME, number, why the node should take no
 * new job). */
#define LK_STUCKS(X)                                                                               \
  X (NOT, 0, "")                                                                                   \
  X (UNKILLABLE, 1, "Kill task failed")                                                            \
  X (DISK, 2, "Run state cannot be written")
#define X(NAME, number, text) LK_STUCK_##NAME = number,
typedef enum { LK_STUCKS (X) LK_STUCK_COUNT } LkStuck;
#undef X

/* How a stage has ended. */
typedef struct {
  guint8 exit_code;
  guint8 signal;    /* that ended it; 0: none */
  guint8 cancelled; /* 1: its user had it ended on the node */
  guint8 trouble;   /* number of LkTrouble; 0: none */
  /* Of the script: what its processes have used; 0: nobody knows. */
  gint64 user_cpu_us;
  gint64 system_cpu_us;
  guint64 max_rss_bytes;
  guint64 max_gpu_memory_bytes;
  guint32 max_gpu_percent;
} LkExit;

/* A run as its supervisor knows it. */
typedef struct {
  guint64 run_id;
  guint32 job_id;
  LkStage stage;       /* the one that runs, or the last that ran */
  gboolean is_lost;    /* the node has booted since: all of it is over */
  gboolean has_ended;  /* that stage */
  gboolean is_unbegun; /* the epilog came behind the prolog: there was no script */
  gboolean runs_script;
  LkExit prolog; /* valid once the prolog has ended, else all zero; a bad one: no script ran */
  LkExit script; /* valid once the script has ended, else all zero */
  LkExit last;   /* of `stage`, valid when has_ended */
} LkSupervised;

/* How a step has ended on a node, or stands there: nothing of it is left, or its tasks run. */
typedef struct {
  guint64 run_id;
  guint32 step_id;
  gboolean has_ended;
  guint8 exit_code; /* the highest of its tasks; so are those that follow valid once it has ended */
  guint8 signal;    /* that ended a task; 0: none */
  guint8 trouble;   /* number of LkTrouble; 0: none */
  LkStepUsage usage;
} LkStepFound;

/* What the machine measures of itself. */
typedef struct {
  guint32 load_hundredths; /* processes that run or want to, on average over a minute */
  guint64 free_memory_bytes;
  char architecture[32];
  char host[64];    /* its name, without a domain */
  char system[128]; /* what runs it, and which of it */
  gint64 boot_us;   /* when it has booted; 0: not known */
  gint64 start_us;  /* when the agent's process has begun; likewise */
} LkMachineNow;

typedef struct {
  guint32 size; /* sizeof this struct, set by the implementer */
  /* Makes the supervisor of a run, which begins with the prolog. FALSE: it cannot be made. `launch`
   * is borrowed. The end of each stage comes by the core's lk_agent_stage_ended, at once or later;
   * of a stage whose supervisor has died too. */
  gboolean (*create) (void *self, const LkMessage_launch *launch);
  /* Lets the supervisor begin a stage. FALSE: it is not there, and nothing of the run is left. */
  gboolean (*begin) (void *self, guint64 run_id, LkStage stage);
  /* A signal for the processes of the stage that runs. `why`: number of LkEndWhy, with a signal
   * that ends the run; else 0. */
  void (*signal) (void *self, guint64 run_id, guint8 signal, gboolean batch_only, guint8 why);
  /* All that the supervisors know. Calls back at once, in rising order of run_id. */
  void (*list) (void *self, void (*found) (void *user, const LkSupervised *run), void *user);
  /* The run is over and told: the supervisor ends. */
  void (*forget) (void *self, guint64 run_id);
  /* Begins a step of a run whose script stage runs, once. FALSE: it cannot be. Its end comes by
   * lk_agent_step_ended, at once or later, and behind a restart by step_list; it is durable before.
   * A step is over before the end of the script stage of its run is told. All is borrowed. */
  gboolean (*step_launch) (void *self, const LkMessage_step_launch *launch);
  /* A signal for its tasks; `why` as above. */
  void (*step_signal) (void *self, guint64 run_id, guint32 step_id, guint8 signal, guint8 why);
  /* Somebody else listens to it. */
  void (*step_listen) (void *self, const LkMessage_step_listen *listen);
  /* Words for the standard error of the script, or the srun of a step. */
  void (*notify) (void *self, const LkMessage_run_notify *words);
  /* All steps that are not forgotten. Calls back at once, in rising order of run and step. */
  void (*step_list) (void *self, void (*found) (void *user, const LkStepFound *step), void *user);
  /* Its end is told. */
  void (*step_forget) (void *self, guint64 run_id, guint32 step_id);
  /* Optional. */
  void (*machine) (void *self, LkMachineNow *out_now);
} LkPortProcessOps;

typedef struct {
  const LkPortProcessOps *ops;
  void *self;
} LkPortProcess;

#endif
