/* live/client/scontrol/step_limit.h — scontrol update StepId=JOB[.STEP] TimeLimit=TIME. */
#ifndef LK_LIVE_CLIENT_SCONTROL_STEP_LIMIT_H
#define LK_LIVE_CLIENT_SCONTROL_STEP_LIMIT_H

#include "live/client/client.h"

/* Do the words behind "update" name a step? */
gboolean lk_scontrol_is_step_update (char **words);
/* Returns: the exit code. */
int lk_scontrol_step_update (LkClient *client, char **words);

#endif
