/* live/accounting/describe.h — a job in the engine as accounting keeps it. */
#ifndef LK_LIVE_ACCOUNTING_DESCRIBE_H
#define LK_LIVE_ACCOUNTING_DESCRIBE_H

#include "engine/engine.h"
#include "live/accounting/job_schema.h"

/* What the texts of a row are borrowed from. */
typedef struct {
  GStringChunk *chunk;
} LkAccountingTexts;
void lk_accounting_texts_init (LkAccountingTexts *self);
void lk_accounting_texts_clear (LkAccountingTexts *self);

/* All texts empty, all numbers 0. */
void lk_accounting_job_init (LkAccountingJob *job);
/* Since when a job counts as one that may start, as the group ELIGIBLE takes it: 0, as it is kept
 * for its own sake; from now on, if not before; or its begin time, negated. */
gint64 lk_accounting_eligible_us (guint8 reason, gint64 at_us, gint64 begin_us);
/* A job in the system, at a moment: the groups FIRST, ASKED, ELIGIBLE, WANTED and STATE; of one
 * that has started STARTED too, but for its run and what its start decision has told. Texts are
 * valid until the next call. */
void lk_accounting_describe (const LkEngine *engine, LkJobIndex job, gint64 at_us,
                             LkAccountingTexts *texts, LkAccountingJob *out);
/* A described job, or the run of one that goes back to the queue, ends: a suspension ends with it.
 * One that was killed to go back has no exit code, as Slurm closes its record at the request. */
void lk_accounting_end (LkAccountingJob *job, const LkEvent *cause, const LkDecision_notice *notice,
                        gboolean is_requeued);

#endif
