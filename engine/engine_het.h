/* engine/engine_het.h — heterogeneous jobs: several requests that start together or not at all.
 *
 * Each component is a job with an id, nodes and limits of its own; the ids follow each other, and
 * the first one names the whole.  Components that wait are never in the queue: behind what the
 * backfill policy does, the engine itself tries each heterogeneous job as a whole.  It starts when
 * all components fit now, beside what runs and beside what a policy that keeps a plan has
 * reserved; under a policy that keeps none, only when no job of the queue comes before it.
 *
 * Source: semantics of het jobs (sbatch(1), Slurm's backfill). */
#ifndef LK_ENGINE_ENGINE_HET_H
#define LK_ENGINE_ENGINE_HET_H

#include "engine/engine_private.h"

static inline gboolean
lk_engine_is_het (const LkEngine *self, LkJobIndex job)
{
  const LkTerms *terms = self->jobs.terms[job];
  return terms != NULL && lk_terms_asked (terms)->het_leader != 0;
}

/* What the component is one of. */
const LkHet *lk_engine_het_find (const LkEngine *self, LkJobIndex job);
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

/* In a pass, `before` what the policy does and behind it. */
void lk_engine_het_pass (LkEngine *self, gboolean before);

void lk_engine_save_hets (const LkEngine *self, GByteArray *out);
gboolean lk_engine_load_hets (LkEngine *self, LkBytesReader *reader);
void lk_engine_check_hets (const LkEngine *self);

#endif
