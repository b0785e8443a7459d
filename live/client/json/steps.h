/* live/client/json/steps.h — steps of jobs that run, as JSON. */
#ifndef LK_LIVE_CLIENT_JSON_STEPS_H
#define LK_LIVE_CLIENT_JSON_STEPS_H

#include "live/client/json/json.h"

/* How long a step has run at a moment, or ran: not while it was suspended. */
gint64 lk_step_run_us (const LkRecord_step *step, gint64 now_us);
/* The answer with those that `word` names: "7", "7_3", "7.0", "7_3.batch"; NULL: all. FALSE: there
 * are none, or the controller cannot be asked; told. */
gboolean lk_json_steps (const LkClient *client, const LkJsonChoice *choice, const char *word);
/* The same with those that `is_wanted` says of. */
gboolean lk_json_steps_if (const LkClient *client, const LkJsonChoice *choice,
                           gboolean (*is_wanted) (gpointer user, const LkRecord_step *step),
                           gpointer user);

#endif
