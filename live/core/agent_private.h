/* live/core/agent_private.h — the state of the agent core, shared by live/core/agent*.c only.
 *
 * Whatever comes in changes this state at once.  What is to be sent for it has a moment at which it
 * is due; lk_agent_look sends all that is due and asks the clock for the next moment.  So nothing
 * depends on whether a message, an answer or a wake-up was lost: what is still true comes again. */
#ifndef LK_LIVE_CORE_AGENT_PRIVATE_H
#define LK_LIVE_CORE_AGENT_PRIVATE_H

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/limits.h"
#include "live/core/agent.h"
#include "live/core/number_set.h"

/* Runs at once; a launch above that is dropped, and comes again. */
#define LK_AGENT_RUNS_MAX 65536u
/* Runs of this registration that are over and forgotten, of which each is remembered. */
#define LK_AGENT_PAST_MAX 65536u

/* Steps of a run at once; likewise. */
#define LK_AGENT_STEPS_MAX 65536u

/* Signal numbers of Linux; the core sees no header of the system. */
#define LK_SIGNAL_KILL 9u
#define LK_SIGNAL_TERM 15u

/* Why a node should take no new job; the first two as Slurm writes them. */
#define LK_DRAIN_PROLOG "Prolog error"
#define LK_DRAIN_EPILOG "Epilog error"
#define LK_DRAIN_SUPERVISOR "Supervisor lost"
#define LK_DRAIN_NO_SUPERVISOR "Supervisor cannot start"

/* A step that is not forgotten. */
typedef struct {
  LkStepReport how;  /* which, whether it lives, and how it has ended */
  guint64 order_seq; /* of the last signal; 0: none has come */
  gint64 kill_us;    /* when to send SIGKILL, the first time or again */
  gint64 tell_us;    /* when to tell that it has ended, the first time or again */
} LkAgentStep;

/* A run that is not forgotten. */
typedef struct {
  guint64 run_id;
  guint32 job_id;
  LkRunState state;
  gboolean runs_script;   /* the batch script runs on this node */
  gboolean is_alone;      /* no other node is known to have a part in it */
  gboolean is_supervised; /* there is a supervisor, to be told to forget */
  gboolean has_begun;     /* its script was begun */
  gboolean is_terminated; /* a terminate has come */
  LkStuck stuck;          /* why the present stage is not over, though it should be */
  gboolean is_suspended;  /* so says the last order that was about that */
  guint64 order_seq;      /* of the last signal, stop or continue; 0: none has come */
  LkExit how;             /* of the script, or why there was none */
  const char *drain;      /* why the node should take no new job; "": it is well. Constant. */
  gint64 kill_us;         /* when to send SIGKILL, the first time or again */
  gint64 tell_us;         /* when to tell that script or run have ended, the first time or again */
  GPtrArray *steps;       /* of LkAgentStep, by rising step_id */
  LkNumberSet past_steps; /* steps, from 1, that must not begin (again) */
} LkAgentRun;

/* Nothing of it is left; only its end is to be told. */
static inline gboolean
lk_agent_run_is_over (const LkAgentRun *run)
{
  return run->state >= LK_RUN_ENDED;
}

struct _LkAgent {
  LkAgentConfig config;
  LkAgentPorts ports;
  gboolean has_failed; /* the disk has: nothing is done any more */
  gint64 now_us;       /* monotonic, of the present call */
  gint64 wake_us;      /* what the clock was asked for last, and has not come */
  GByteArray *scratch; /* the message that is being sent */

  /* agent_term.c */
  guint64 term;         /* durable */
  guint64 term_seen;    /* the highest one that has come */
  guint64 term_writing; /* 0: none is being written */
  guint64 token_last;
  guint64 proven_term; /* that `proof` is of; written with it */
  LkTermProof proof;
  GPtrArray *held; /* of GByteArray: messages of `term_seen` that wait until it is durable */
  gsize held_bytes;

  /* agent_register.c */
  guint64 epoch; /* of this term; 0: none */
  gboolean is_reload_asked;
  guint64 reload_number; /* that it has heeded */
  gboolean is_registered;
  gint64 heartbeat_us;      /* how often */
  gint64 heartbeat_next_us; /* when */
  gint64 register_us;       /* when to send REGISTER or REPORT, the first time or again */

  /* agent_run.c */
  GPtrArray *runs;  /* of LkAgentRun, by rising run_id */
  LkNumberSet past; /* runs of this epoch that must not begin (again) */
};

/* agent.c */
/* Does what a message says whose term is durable. */
void lk_agent_act (LkAgent *self, const LkMessage *message);
void lk_agent_send (LkAgent *self, const LkMessage *message);

/* For the operator; nothing is decided by it. */
#define lk_agent_log(self, level, format, ...)                                                     \
  lk_port_log (&(self)->ports.log, LK_LOG_TOPIC_JOBS, level, "%s: " format, (self)->config.node,   \
               __VA_ARGS__)

/* agent_term.c */
/* FALSE: the file cannot be read, or is not one. */
gboolean lk_agent_term_read (LkAgent *self);
/* The disk has written it, or has failed at it. */
void lk_agent_term_done (LkAgent *self, guint64 token, gboolean has_succeeded);
/* A controller has sent the proof of its term. */
void lk_agent_term_prove (LkAgent *self, const LkMessage_registered *message);
/* Of `term`, or none. */
LkTermProof lk_agent_term_proof (const LkAgent *self);
/* Keeps a message until its term, which is above the durable one, is durable. */
void lk_agent_hold (LkAgent *self, guint64 term, const guint8 *bytes, gsize length_bytes);

/* agent_register.c */
/* There is no registration any more, and another one is asked for. */
void lk_agent_unregister (LkAgent *self);
/* The controller has our report. */
void lk_agent_confirm (LkAgent *self);
void lk_agent_registered (LkAgent *self, const LkMessage_registered *message);
void lk_agent_reported (LkAgent *self, const LkMessage_reported *message);
void lk_agent_registration_look (LkAgent *self);
/* The next heartbeat is sent now, if there is to be one. */
void lk_agent_heartbeat_now (LkAgent *self);
/* What would be repeated, or is due sometime, is due now. */
void lk_agent_registration_hurry (LkAgent *self);
/* When there is something to look at. */
gint64 lk_agent_registration_next_us (const LkAgent *self);

/* agent_run.c: the life of a run. */
void lk_agent_run_free (gpointer run);
LkAgentRun *lk_agent_run_find (const LkAgent *self, guint64 run_id);
/* Goes on with the runs that there are. */
void lk_agent_take_over (LkAgent *self);
void lk_agent_run_stage_ended (LkAgent *self, guint64 run_id, LkStage stage, const LkExit *how);
void lk_agent_run_stuck (LkAgent *self, guint64 run_id, LkStuck why);
/* Why the first of those that are; LK_STUCK_NOT: none is. */
LkStuck lk_agent_is_stuck (const LkAgent *self);
void lk_agent_launch (LkAgent *self, const LkMessage_launch *message);
void lk_agent_run_forget (LkAgent *self, const LkMessage_run_forget *message);
LkRunReport lk_agent_run_report (const LkAgentRun *run);

/* agent_signal.c: what happens to a run's processes from outside. */
void lk_agent_terminate (LkAgent *self, const LkMessage_terminate *message);
void lk_agent_run_signal (LkAgent *self, const LkMessage_run_signal *message);
void lk_agent_run_suspend (LkAgent *self, const LkMessage_run_suspend *message);
/* Its script has just begun: a stop that has come before is carried out now. */
void lk_agent_run_suspend_begun (LkAgent *self, LkAgentRun *run);

/* agent_step.c: steps of runs. */
void lk_agent_run_steps_init (LkAgentRun *run);
void lk_agent_run_steps_clear (LkAgentRun *run);
LkAgentStep *lk_agent_step_find (const LkAgentRun *run, guint32 step_id);
/* Goes on with the steps that there are; the runs are known. */
void lk_agent_take_over_steps (LkAgent *self);
void lk_agent_run_step_ended (LkAgent *self, const LkStepFound *found);
void lk_agent_run_step_usage (LkAgent *self, guint64 run_id, guint32 step_id,
                              const LkStepUsage *usage);
/* The script stage of the run is over: so are its steps. */
void lk_agent_run_steps_over (LkAgent *self, LkAgentRun *run);
void lk_agent_step_launch (LkAgent *self, const LkMessage_step_launch *message);
void lk_agent_step_kill (LkAgent *self, const LkMessage_step_kill *message);
/* A signal for the tasks of all that live. */
void lk_agent_step_signal_all (LkAgent *self, const LkAgentRun *run, guint8 number);
void lk_agent_step_listen (LkAgent *self, const LkMessage_step_listen *message);
void lk_agent_run_notify (LkAgent *self, const LkMessage_run_notify *message);
void lk_agent_step_forget (LkAgent *self, const LkMessage_step_forget *message);
/* Appends a report of each step. */
void lk_agent_append_steps (const LkAgent *self, GByteArray *reports);
void lk_agent_run_steps_look (LkAgent *self, LkAgentRun *run);
gint64 lk_agent_run_steps_next_us (const LkAgent *self, const LkAgentRun *run);
void lk_agent_run_steps_check (const LkAgentRun *run);

/* agent_tell.c: what is said of a run, if there is a registration. */
void lk_agent_tell_started (LkAgent *self, guint64 run_id);
void lk_agent_tell_heard (LkAgent *self, guint64 run_id, guint64 seq);
/* Nothing of this run lives here, and nothing will. */
void lk_agent_tell_gone (LkAgent *self, guint64 run_id);
/* SIGKILL, SCRIPT_ENDED and RUN_ENDED, if they are due. */
void lk_agent_run_look (LkAgent *self, LkAgentRun *run);
gint64 lk_agent_run_next_us (const LkAgent *self, const LkAgentRun *run);

#endif
