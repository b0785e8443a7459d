/* live/client/json/own_jobs.h — jobs of --json=lockstep. */
#ifndef LK_LIVE_CLIENT_JSON_OWN_JOBS_H
#define LK_LIVE_CLIENT_JSON_OWN_JOBS_H

#include "live/client/json/json.h"

/* Its rows are LkJobRow, its report is an LkJobPlaces. */
extern const LkJsonKind lk_json_own_jobs;

#endif
