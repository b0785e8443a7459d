/* engine/engine_het.h — heterogeneous jobs: several requests that start together or not at all.
 *
 * Each component is a job with an id, nodes and limits of its own; the ids follow each other, and
 * the first one names the whole.  Components that wait are never in the queue: the job as a whole
 * stands where its first component would, and the engine finds one moment for all components in
 * the plan of the backfill policy, when that comes to it.
 *
 * Source: semantics of het jobs (sbatch(1), Slurm's backfill). */
#ifndef LK_ENGINE_ENGINE_HET_H
#define LK_ENGINE_ENGINE_HET_H

#include "engine/engine_private.h"
#include "engine/plan.h"

static inline gboolean
lk_engine_is_het (const LkEngine *self, LkJobIndex job)
{
  const LkTerms *terms = self->jobs.terms[job];
  return terms != NULL && lk_terms_asked (terms)->het_leader != 0;
}

/* What the component is one of. */
LkHet *lk_engine_het_find (const LkEngine *self, LkJobIndex job);
/* LK_JOB_NONE: it has left the system, or has not come. */
LkJobIndex lk_engine_het_member (const LkEngine *self, const LkHet *het, guint32 offset);

/* May this component come in? 0, or why not. */
LkReject lk_engine_het_check_submit (const LkEngine *self, const LkEvent_submit *submit);
/* Before each event: a job that is not whole by now, and of which this is no component, is to go.
 * Returns whether there is one. */
gboolean lk_engine_het_expire (LkEngine *self, const LkEvent *event);
/* A component is refused: those that have come go. */
void lk_engine_het_refused (LkEngine *self, const LkEvent_submit *submit);
/* A component has been taken in. */
void lk_engine_het_submitted (LkEngine *self, LkJobIndex job);
/* Components that had ended come in once more: there is a job of `count`, of which none has come;
 * one has come; none is there any more. */
void lk_engine_het_open (LkEngine *self, guint32 leader_id, guint32 count);
void lk_engine_het_count (LkEngine *self, guint32 leader_id);
void lk_engine_het_close (LkEngine *self, guint32 leader_id);
/* What keeps a component out of the queue that nothing else keeps. */
LkReason lk_engine_het_reason (const LkEngine *self, LkJobIndex job);
/* A component is about to leave the system; has been requeued. */
void lk_engine_het_left (LkEngine *self, LkJobIndex job);
void lk_engine_het_requeued (LkEngine *self, LkJobIndex job);
/* What keeps a component has changed, or what it asks for. */
void lk_engine_het_changed (LkEngine *self, LkJobIndex job);

/* Is the event for all components of a job? Then it is carried out for each. */
gboolean lk_engine_het_is_meant (const LkEngine *self, const LkEvent *event);
LkReject lk_engine_het_event (LkEngine *self, const LkEvent *event);
/* Behind each event: what became of one becomes of all. Returns whether anything did. */
gboolean lk_engine_het_settle_all (LkEngine *self);

/* What keeps or will keep a component changes: its job gives up the place that it has in a plan. */
void lk_engine_het_leave_plan (LkEngine *self, LkJobIndex job);
/* A job has come into the queue. */
void lk_engine_het_queued (LkEngine *self, LkJobIndex job);
/* When the job of a component that waits is to start; LK_TIME_NEVER: that is not known. */
gint64 lk_engine_het_planned_us (const LkEngine *self, LkJobIndex job);

/* engine_het_pass.c. Around what the policy does in a pass; the end returns whether something was
 * given back that the policy could use. */
void lk_engine_het_pass_begin (LkEngine *self);
gboolean lk_engine_het_pass_end (LkEngine *self);
/* The policy begins once more. */
void lk_engine_het_pass_again (LkEngine *self);
/* See LkPassOps. */
guint32 lk_engine_plan_hets (LkEngine *self, void *plan, LkJobIndex before, guint32 most);
guint32 lk_engine_het_components (LkEngine *self, guint32 place, const LkJobIndex **out_jobs);
/* The same, also if a limit keeps it by now from a start that was planned in this pass. */
guint32 lk_engine_het_holding_up (LkEngine *self, guint32 place, const LkJobIndex **out_jobs);
/* The first component, if nothing but room and limits keeps all from starting; else LK_JOB_NONE. */
LkJobIndex lk_engine_het_stands_as (LkEngine *self, LkJobIndex job);
gboolean lk_engine_het_start (LkEngine *self, guint32 place, const uint64_t *const *nodes,
                              const uint32_t *partitions);
void lk_engine_het_set_planned (LkEngine *self, guint32 place, gint64 start_us);
/* When the first of those is due that have a place in a plan that is kept; LK_TIME_NEVER: none. */
gint64 lk_engine_next_het_us (const LkEngine *self);
void lk_engine_het_give_up (LkEngine *self, LkHet *het);

/* ---------------------------------------------------------------- engine_het_plan.c */

/* Components that are to start at one moment. */
typedef struct {
  LkEngine *engine;
  LkPlan *plan; /* NULL: there is none, and no place */
  const LkJobIndex *jobs;
  guint count;
} LkTogether;

/* Reserves all of them from the first moment in [from, before) that serves all, and returns it;
 * LK_TIME_NEVER: there is none, or it was not found in so many tries. */
gint64 lk_together_reserve (const LkTogether *self, gint64 from_us, gint64 before_us);
/* Reserves each of them from now on, on nodes out of its set. FALSE: none is reserved. */
gboolean lk_together_reserve_on (const LkTogether *self, const uint64_t *const *nodes);
void lk_together_release (const LkTogether *self);
gboolean lk_together_is_reserved (const LkTogether *self);
/* Is what they have reserved free now? */
gboolean lk_together_is_free (const LkTogether *self);
/* Would a limit be broken if they ran, where they are reserved if they are? */
gboolean lk_together_is_limited (const LkTogether *self);
void lk_together_start (const LkTogether *self);
/* Moves what is reserved from `start_us` on to an earlier moment, if there is one.  Returns when it
 * begins now. */
gint64 lk_together_move_earlier (const LkTogether *self, gint64 start_us);
gint64 lk_together_end_us (const LkTogether *self, gint64 start_us);
/* Their places in the plan as bytes, and back; FALSE: nothing is reserved. */
void lk_together_save (const LkTogether *self, GByteArray *out);
gboolean lk_together_load (const LkTogether *self, gint64 start_us, const guint8 *bytes,
                           guint byte_count);

void lk_engine_save_hets (const LkEngine *self, GByteArray *out);
gboolean lk_engine_load_hets (LkEngine *self, LkBytesReader *reader);
/* Behind the state of the policies. */
void lk_engine_save_het_places (LkEngine *self, GByteArray *out);
gboolean lk_engine_load_het_places (LkEngine *self, LkBytesReader *reader);
void lk_engine_check_hets (const LkEngine *self);

#endif
