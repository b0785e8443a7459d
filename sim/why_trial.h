/* sim/why_trial.h — tries something on copies of an engine: would the job start?
 *
 * Each trial loads a fresh copy from one snapshot, changes it, lets a scheduling pass run at the
 * same moment, and looks whether the job was started. */
#ifndef LK_SIM_WHY_TRIAL_H
#define LK_SIM_WHY_TRIAL_H

#include <glib.h>

#include "engine/engine.h"

typedef struct {
  const LkEngineConfig *config;
  GByteArray *snapshot;
  LkEvent_submit asked; /* the job as it stands */
  guint32 count;        /* trials so far */
  LkEngine *scratch;    /* a copy on which no pass runs; NULL: none yet */
} LkWhyTrial;

/* `asked` as the job's submit said; what was updated since is taken from the engine. */
void lk_why_trial_init (LkWhyTrial *self, const LkEngineConfig *config, const LkEngine *engine,
                        const LkEvent_submit *asked);
void lk_why_trial_clear (LkWhyTrial *self);

/* Returns: (transfer full). */
LkEngine *lk_why_trial_copy (const LkWhyTrial *self);

/* Does the job fit beside what runs now, whatever waits? What does not, no pass starts. Changes
 * nothing of the engine but what it remembers of searches. */
gboolean lk_why_trial_fits (LkEngine *copy, guint32 job_id);

/* Does it start ... */
gboolean lk_why_trial_as_it_is (LkWhyTrial *self);
gboolean lk_why_trial_released (LkWhyTrial *self);
gboolean lk_why_trial_asking (LkWhyTrial *self, const LkEvent_submit *asked);
/* ... when these jobs of the queue, from the `first` on up to itself, do not go before it? */
gboolean lk_why_trial_before (LkWhyTrial *self, const GArray *queue_ids, guint first);

/* Runs a copy on, with every job ending at its time limit and no other coming, until the job
 * starts. LK_TIME_NEVER: it does not; `out_is_known` FALSE: not within the work spent on it. */
gint64 lk_why_trial_start_us (LkWhyTrial *self, gboolean *out_is_known);

#endif
