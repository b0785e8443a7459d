/* live/client/ask_step.h — asks the controller for steps of jobs, and for what becomes of them.
 *
 * What the controller refuses is an LkStepError, whose text lk_step_error_text gives, and no GError
 * here: that is for a controller that cannot be asked. */
#ifndef LK_LIVE_CLIENT_ASK_STEP_H
#define LK_LIVE_CLIENT_ASK_STEP_H

#include "live/client/connection.h"

/* A step, or why there is none. `places` borrow from it. */
typedef struct {
  LkStepError error;
  guint32 job_id;
  guint32 step_id;
  guint64 run_id;
  guint32 tasks;
  guint32 cpus_per_task;
  LkPlaces places;   /* see lk_step_place_next */
  GByteArray *bytes; /* owned */
} LkStepAnswer;
void lk_step_answer_clear (LkStepAnswer *self);

/* Asks for a step: job, wants and payload are filled in; session and number come from here. When it
 * is answered it is durable. LK_STEP_ERROR_NODES_BUSY: it may be asked for again. */
gboolean lk_ask_step_create (LkConnection *connection, const LkMessage_step_create *wanted,
                             LkStepAnswer *out_answer, GError **error);
/* Lets somebody else listen to a step; tells where that is. */
gboolean lk_ask_step_attach (LkConnection *connection, const LkMessage_step_attach *wanted,
                             LkStepAnswer *out_answer, GError **error);
/* A signal for a step; 0: it is ended. `step_id` G_MAXUINT32: for all steps of the job. */
gboolean lk_ask_step_signal (LkConnection *connection, const LkMessage_step_signal *wanted,
                             LkStepError *out_error, GError **error);
/* An allocation is needed no more; when it is answered that is durable. */
gboolean lk_ask_job_complete (LkConnection *connection, const LkMessage_job_complete *wanted,
                              LkStepError *out_error, GError **error);

#endif
