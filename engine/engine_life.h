/* engine/engine_life.h — the course of a job between submission and end, for the engine_*.c files
 * only: suspension, time limits, what is due at a moment of a job's life, requeue. */
#ifndef LK_ENGINE_ENGINE_LIFE_H
#define LK_ENGINE_ENGINE_LIFE_H

#include "engine/ended.h"
#include "engine/engine_private.h"

/* What has happened to a job; borrowed, to be read only. */
static inline const LkLife *
lk_engine_life (const LkEngine *self, LkJobIndex job)
{
  return self->jobs.lives[job] != NULL ? self->jobs.lives[job] : &lk_no_life;
}
/* The same to be written. */
LkLife *lk_engine_own_life (LkEngine *self, LkJobIndex job);

/* ---------------------------------------------------------------- engine_suspend.c */

/* Started and not yet reported ended: running or suspended. */
static inline gboolean
lk_engine_has_started (const LkEngine *self, LkJobIndex job)
{
  return self->jobs.phase[job] == LK_PHASE_RUNNING || self->jobs.phase[job] == LK_PHASE_SUSPENDED;
}
/* Suspended by the scheduler, which resumes it: it keeps its place (engine_gang.h). */
static inline gboolean
lk_engine_is_stopped (const LkEngine *self, LkJobIndex job)
{
  return self->jobs.phase[job] == LK_PHASE_SUSPENDED && lk_engine_life (self, job)->in_turn != 0;
}
/* Since when the job runs without a break: its start, or when it was last resumed. */
gint64 lk_engine_runs_since_us (const LkEngine *self, LkJobIndex job);
/* When the job, which runs or would be resumed now, reaches its time limit. */
gint64 lk_engine_limit_end_us (const LkEngine *self, LkJobIndex job);
/* The same if its limit were this. */
gint64 lk_engine_end_with_us (const LkEngine *self, LkJobIndex job, gint64 limit_us);

/* Stops a running job: it gives its CPUs (on a counted pool its units) to others and keeps memory,
 * generic resources and licences; its time limit and what it is charged for stand still.  Tells the
 * driver (SUSPEND_JOB) and everybody (NOTICE). */
void lk_engine_suspend (LkEngine *self, LkJobIndex job);
/* The same by the scheduler: the job keeps its place, and its expected end is to be set. */
void lk_engine_stop (LkEngine *self, LkJobIndex job);
/* Are the very CPUs that a suspended job has given away free now? O(its pieces and what runs on
 * their nodes). */
gboolean lk_engine_can_resume (LkEngine *self, LkJobIndex job);
/* Takes them back; can_resume must have been true.  Tells RESUME_JOB and NOTICE.  Reservations in
 * plans of policies may not hold any more: they are told so (machine_changed). */
void lk_engine_resume (LkEngine *self, LkJobIndex job);
/* A job that the scheduler has stopped goes on. */
void lk_engine_go_on (LkEngine *self, LkJobIndex job);
/* A suspended job leaves: what it still holds is given back. For lk_engine_end. */
void lk_engine_end_suspended (LkEngine *self, LkJobIndex job);
/* A suspended job has lost a node. Returns the CPUs that it had there. */
guint32 lk_engine_forget_stopped (LkEngine *self, LkJobIndex job, guint32 node);
/* Takes the cores out of pieces on no node's list. Returns the first of their full copies. */
guint32 lk_engine_stop_pieces (LkEngine *self, LkJobIndex job, guint32 first_piece);
LkReject lk_engine_suspend_event (LkEngine *self, const LkEvent_suspend *suspend);
LkReject lk_engine_resume_event (LkEngine *self, const LkEvent_resume *resume);

/* What the job was given, cores included; LK_PIECE_NONE on a counted pool, and while it waits. */
static inline guint32
lk_engine_all_pieces (const LkEngine *self, LkJobIndex job)
{
  return self->jobs.phase[job] == LK_PHASE_SUSPENDED && !lk_engine_is_stopped (self, job)
             ? lk_engine_life (self, job)->stopped_piece
             : self->jobs.first_piece[job];
}

/* ---------------------------------------------------------------- engine_time.c */

/* No partition lets jobs pass their limits, and limits are not looked at in scans. */
gboolean lk_engine_limits_are_exact (const LkEngine *self);
/* When the scan of time limits sees what is due at a moment. */
gint64 lk_engine_scanned_us (const LkEngine *self, gint64 at_us);
/* Has a running job passed its limit, and not been told to end? */
gboolean lk_engine_is_overdue (const LkEngine *self, LkJobIndex job);
/* What will come due for a running job that was not told to end, from its columns, terms and life;
 * disarm before, and arm after, one of them changes. */
void lk_engine_arm (LkEngine *self, LkJobIndex job);
void lk_engine_disarm (LkEngine *self, LkJobIndex job);
/* Acts on what is due. */
void lk_engine_ring_alarms (LkEngine *self);
/* The same of a pending job's deadline. */
void lk_engine_watch_deadline (LkEngine *self, LkJobIndex job);
void lk_engine_unwatch_deadline (LkEngine *self, LkJobIndex job);
/* Ends the pending jobs that cannot meet their deadlines any more. */
void lk_engine_end_hopeless (LkEngine *self);
/* When the next of all that comes due; LK_TIME_NEVER: nothing. */
gint64 lk_engine_next_alarm_us (const LkEngine *self);
/* Before when a job with these terms may not start, if it comes now. */
gint64 lk_engine_begin_us (const LkEngine *self, const LkJobTerms *terms);
/* No time is negative, and the signal is one. */
gboolean lk_engine_terms_are_valid (const LkJobTerms *terms);
/* Times and signal of terms, for a job with its time limit. */
LkReject lk_engine_check_terms (const LkEngine *self, LkJobIndex job, const LkJobTerms *terms);
/* Another time limit for a job that has started: its end, its nodes, the books, plans follow. */
void lk_engine_change_limit (LkEngine *self, LkJobIndex job, gint64 estimate_us);
/* The same of one that the policy's pass has started, which knows. */
void lk_engine_extend_limit (LkEngine *self, LkJobIndex job, gint64 estimate_us);
/* A job that runs is to end at another moment than its limit says: it is being displaced. */
void lk_engine_set_end (LkEngine *self, LkJobIndex job, gint64 end_us);
/* One that the scheduler has stopped is expected to end then. */
void lk_engine_set_stopped_end (LkEngine *self, LkJobIndex job, gint64 end_us);
/* A job that has just started has no longer than until its deadline. */
void lk_engine_limit_to_deadline (LkEngine *self, LkJobIndex job);
LkReject lk_engine_signal_event (LkEngine *self, const LkEvent_signal *event);

/* ---------------------------------------------------------------- engine_ending.c, _requeue.c */

LkReject lk_engine_job_ended_event (LkEngine *self, const LkEvent_job_ended *ended);

/* How a job goes back to the queue. */
typedef struct {
  LkJobState state;    /* of the run that ends so, */
  LkReason reason;     /* and why */
  guint8 held_by;      /* LK_HELD_*: it is held from now on; nobody: unless it was held before */
  gboolean is_special; /* SPECIAL_EXIT */
} LkRequeueHow;
/* May it be requeued other than by force? Not interactive jobs, and who asked not to be. */
gboolean lk_engine_may_requeue (const LkEngine *self, LkJobIndex job);
/* A job that has started goes back: REQUEUE_JOB, a notice of how the run ended, one of why it
 * waits. */
void lk_engine_requeue (LkEngine *self, LkJobIndex job, const LkRequeueHow *how);
/* The same at once, or where LkEngineConfig.requeues_at_end is on when the end of the job is
 * reported: until then it is killed, and keeps its place.  `why`: LK_KILL_REQUEUED, _NODE_FAILED,
 * or _PREEMPTED of a victim whose mode is REQUEUE. */
void lk_engine_send_back (LkEngine *self, LkJobIndex job, const LkRequeueHow *how, LkKillWhy why);
/* Does a job that has started go back when its end is reported?  And how; NULL: does not matter. */
gboolean lk_engine_goes_back (const LkEngine *self, LkJobIndex job, LkRequeueHow *out_how);

/* ---------------------------------------------------------------- engine_return.c */

/* What it takes to requeue a job that is about to leave; NULL: it cannot be. Returns: (transfer
 * full). */
LkEndedAsk *lk_engine_ask_of (const LkEngine *self, LkJobIndex job);
/* Of a job that is not in the system: of an array all tasks that have ended. */
LkReject lk_engine_return_event (LkEngine *self, const LkEvent_requeue *event);
/* The tasks of an array that have ended and are remembered, all (NULL) or those in `tasks`. */
LkReject lk_engine_return_tasks (LkEngine *self, const LkEvent_requeue *event,
                                 const LkTaskSet *tasks);
/* engine_submit.c: the job comes into the table under its id, as if it were submitted now, and
 * counts; it is on no list yet. */
LkReject lk_engine_take_in (LkEngine *self, const LkEvent_submit *submit, LkJobIndex *out_job);
/* The policies hear of a job that was taken in. */
void lk_engine_tell_submitted (LkEngine *self, LkJobIndex job);

/* ---------------------------------------------------------------- engine_cancel.c */

/* A pending job leaves in this state. */
void lk_engine_end_pending (LkEngine *self, LkJobIndex job, LkJobState state, LkReason reason);
/* Pending: it leaves; else it is told to end, once, or not to go back to the queue. */
void lk_engine_cancel_job (LkEngine *self, LkJobIndex job);
LkReject lk_engine_cancel_event (LkEngine *self, const LkEvent_cancel *cancel);

/* ---------------------------------------------------------------- engine_update.c, _submit.c */

LkReject lk_engine_update_event (LkEngine *self, const LkEvent_update *update);
/* What says nothing of nodes is left out, so that it does not keep requests apart. */
void lk_engine_strip_request (LkJobRequest *asked);
/* How a job asks again. */
#define LK_ASK_ANEW 1u
#define LK_ASK_QOS 2u
#define LK_ASK_BY_ADMIN 4u
/* A job in the table, which does not count among the submitted ones, asks for this: as at
 * submission.  Without LK_ASK_ANEW only its terms are looked at; without LK_ASK_QOS a job that has
 * no QOS gets none; with LK_ASK_BY_ADMIN it may move to a RootOnly partition.  0: its columns are
 * those of the new request, to which it has a reference of its own; else they are undefined. */
LkReject lk_engine_ask_again (LkEngine *self, LkJobIndex job, const LkEvent_submit *submit,
                              guint how, LkReason *out_stuck_reason);

/* ---------------------------------------------------------------- engine_partition.c */

void lk_engine_init_partitions (LkEngine *self);
/* Why the partition keeps its jobs from starting; LK_REASON_NONE: it does not. */
LkReason lk_engine_partition_keeps (const LkEngine *self, LkJobIndex job);
LkReject lk_engine_partition_event (LkEngine *self, const LkEvent_partition *event);
void lk_engine_save_partitions (const LkEngine *self, GByteArray *out);
gboolean lk_engine_load_partitions (LkEngine *self, LkBytesReader *reader);

/* ---------------------------------------------------------------- engine_nodes.c */

/* Tells the plans that something on a node was taken or given back. */
void lk_engine_tell_plans (LkEngine *self, guint32 node, gboolean given_back);
/* The times of pieces on nodes have changed: plans look at all of them anew. */
void lk_engine_plans_forget (const LkEngine *self);
/* What policies have reserved may not be had as they planned. */
void lk_engine_machine_changed (LkEngine *self);

#endif
