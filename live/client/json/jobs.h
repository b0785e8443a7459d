/* live/client/json/jobs.h — jobs as squeue and scontrol tell of them. */
#ifndef LK_LIVE_CLIENT_JSON_JOBS_H
#define LK_LIVE_CLIENT_JSON_JOBS_H

#include "live/client/job_row.h"
#include "live/client/json/json.h"

/* The answer with these jobs, of LkJobRow*, to the client's output. */
void lk_json_jobs (const LkClient *client, const LkJsonChoice *choice, const GPtrArray *rows);

#endif
