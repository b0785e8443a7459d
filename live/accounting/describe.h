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
/* A job in the system, at a moment: the groups ASKED, WANTED and STATE; of one that has started
 * STARTED too, but for its run and what its start decision has told. Texts are valid until the next
 * call. */
void lk_accounting_describe (const LkEngine *engine, LkJobIndex job, gint64 at_us,
                             LkAccountingTexts *texts, LkAccountingJob *out);

#endif
