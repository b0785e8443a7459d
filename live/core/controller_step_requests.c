/* live/core/controller_step_requests.c — what clients ask about steps of jobs. */
#include "engine/assert.h"
#include "live/core/controller_private.h"

static void
refuse (LkController *self, LkPeerId peer, const LkMessage *message, LkStepError error)
{
  LkMessage answer = { .kind = LK_MESSAGE_STEP_REPLY };
  /* All of them begin with the same fields; only a STEP_CREATE is answered by a step. */
  const LkMessage_step_create *head = &message->step_create;
  if (message->kind == LK_MESSAGE_STEP_CREATE || message->kind == LK_MESSAGE_STEP_ATTACH) {
    answer.kind = LK_MESSAGE_STEP_CREATED;
    answer.step_created = (LkMessage_step_created){ .session = head->session,
                                                    .request = head->request,
                                                    .error = (guint16)error,
                                                    .job_id = lk_controller_step_job (message) };
  } else {
    answer.step_reply = (LkMessage_step_reply){ .session = head->session,
                                                .request = head->request,
                                                .error = (guint16)error };
  }
  lk_controller_send (self, peer, &answer);
}

void
lk_controller_refuse_step (LkController *self, const LkPeer *peer, const LkMessage *message)
{
  LkJobInfo info;
  gboolean is_known = lk_engine_job (self->engine, lk_controller_step_job (message), &info);
  refuse (self, peer->id, message,
          is_known ? LK_STEP_ERROR_ACCESS_DENIED : LK_STEP_ERROR_INVALID_JOB_ID);
}

void
lk_controller_step_request (LkController *self, const LkPeer *peer, const LkMessage *message)
{
  refuse (self, peer->id, message, LK_STEP_ERROR_INVALID_REQUEST);
}
