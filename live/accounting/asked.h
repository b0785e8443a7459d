/* live/accounting/asked.h — how much a job asked for; and lists of TRES as accounting writes them. */
#ifndef LK_LIVE_ACCOUNTING_ASKED_H
#define LK_LIVE_ACCOUNTING_ASKED_H

#include "engine/job_shown.h"
#include "live/accounting/job_schema.h"

typedef struct {
  GPtrArray *parts; /* of char *: "cpu=2" */
} LkTresList;

/* Nothing, of nothing. */
void lk_tres_list_add (LkTresList *self, const char *name, guint64 count);

/* The group WANTED of a job, but for its text: that is what `tres` has. */
void lk_accounting_asked (const LkEngine *engine, LkJobIndex job, const LkJobShown *shown,
                          LkTresList *tres, LkAccountingJob *out);

#endif
