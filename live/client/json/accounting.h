/* live/client/json/accounting.h — runs of jobs as sacct tells of them. */
#ifndef LK_LIVE_CLIENT_JSON_ACCOUNTING_H
#define LK_LIVE_CLIENT_JSON_ACCOUNTING_H

#include "live/client/json/json.h"
#include "live/client/accounting/sacct.h"

/* The answer with these runs, of LkSacctJob*. */
void lk_json_accounting (const LkSacctReport *report, const LkJsonChoice *choice,
                         const GPtrArray *jobs);

/* How much of what it held a run has used; below 0: nothing is known. */
double lk_sacct_cpu_percent (const LkSacctJob *row, gint64 now_us);
double lk_sacct_memory_percent (const LkSacctJob *row);
/* An amount of "cpu=2,mem=500M,gres/gpu=1", memory in bytes; 0: none. */
gint64 lk_sacct_tres_amount (const char *list, const char *name);

#endif
