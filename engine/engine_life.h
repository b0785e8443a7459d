/* engine/engine_life.h — the course of a job between submission and end, for the engine_*.c files
 * only: suspension, time limits, what is due at a moment of a job's life, requeue. */
#ifndef LK_ENGINE_ENGINE_LIFE_H
#define LK_ENGINE_ENGINE_LIFE_H

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
/* Since when the job runs without a break: its start, or when it was last resumed. */
gint64 lk_engine_runs_since_us (const LkEngine *self, LkJobIndex job);
/* When the job, which runs or would be resumed now, reaches its time limit. */
gint64 lk_engine_limit_end_us (const LkEngine *self, LkJobIndex job);

/* Stops a running job: it gives its CPUs (on a counted pool its units) to others and keeps memory,
 * generic resources and licences; its time limit and what it is charged for stand still.  Tells the
 * driver (SUSPEND_JOB) and everybody (NOTICE). */
void lk_engine_suspend (LkEngine *self, LkJobIndex job);
/* Are the very CPUs that a suspended job has given away free now? O(its pieces and what runs on
 * their nodes). */
gboolean lk_engine_can_resume (LkEngine *self, LkJobIndex job);
/* Takes them back; can_resume must have been true.  Tells RESUME_JOB and NOTICE.  Reservations in
 * plans of policies may not hold any more: they are told so (machine_changed). */
void lk_engine_resume (LkEngine *self, LkJobIndex job);
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
  return self->jobs.phase[job] == LK_PHASE_SUSPENDED ? lk_engine_life (self, job)->stopped_piece
                                                     : self->jobs.first_piece[job];
}

/* ---------------------------------------------------------------- engine_nodes.c */

/* Tells the plans that something on a node was taken or given back. */
void lk_engine_tell_plans (const LkEngine *self, guint32 node, gboolean given_back);
/* What policies have reserved may not be had as they planned. */
void lk_engine_machine_changed (LkEngine *self);

#endif
