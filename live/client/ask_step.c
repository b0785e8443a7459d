/* live/client/ask_step.c — see the header. */
#include "live/client/ask_step.h"

#include <string.h>

typedef struct {
  guint64 session;
  guint64 request;
  LkStepAnswer *answer;
  guint16 error;
} Asked;

void
lk_step_answer_clear (LkStepAnswer *self)
{
  g_clear_pointer (&self->bytes, g_byte_array_unref);
  self->places = (LkPlaces){ NULL, 0 };
}

static void
take_created (Asked *asked, const LkMessage_step_created *created)
{
  LkStepAnswer *out = asked->answer;
  *out = (LkStepAnswer){ .error = (LkStepError)created->error,
                         .job_id = created->job_id,
                         .step_id = created->step_id,
                         .run_id = created->run_id,
                         .tasks = created->tasks,
                         .cpus_per_task = created->cpus_per_task,
                         .bytes = g_byte_array_new () };
  if (created->places.length_bytes > 0)
    g_byte_array_append (out->bytes, created->places.bytes, created->places.length_bytes);
  out->places = (LkPlaces){ out->bytes->data, out->bytes->len };
}

static LkAnswer
take (gpointer user, const LkMessage *message)
{
  Asked *asked = user;
  if (message == NULL)
    return LK_ANSWER_OTHER;
  if (message->kind == LK_MESSAGE_STEP_CREATED && asked->answer != NULL
      && message->step_created.session == asked->session
      && message->step_created.request == asked->request) {
    take_created (asked, &message->step_created);
    return LK_ANSWER_LAST;
  }
  if (message->kind == LK_MESSAGE_STEP_REPLY && asked->answer == NULL
      && message->step_reply.session == asked->session
      && message->step_reply.request == asked->request) {
    asked->error = message->step_reply.error;
    return LK_ANSWER_LAST;
  }
  return LK_ANSWER_OTHER;
}

static gboolean
ask (LkConnection *connection, const LkMessage *message, Asked *asked, GError **error)
{
  return lk_connection_ask (connection, message, take, asked, error);
}

gboolean
lk_ask_step_create (LkConnection *connection, const LkMessage_step_create *wanted,
                    LkStepAnswer *out_answer, GError **error)
{
  Asked asked = { .answer = out_answer };
  LkMessage message = { .kind = LK_MESSAGE_STEP_CREATE, .step_create = *wanted };
  lk_connection_number (connection, &asked.session, &asked.request);
  message.step_create.session = asked.session;
  message.step_create.request = asked.request;
  return ask (connection, &message, &asked, error);
}

gboolean
lk_ask_step_attach (LkConnection *connection, const LkMessage_step_attach *wanted,
                    LkStepAnswer *out_answer, GError **error)
{
  Asked asked = { .answer = out_answer };
  LkMessage message = { .kind = LK_MESSAGE_STEP_ATTACH, .step_attach = *wanted };
  lk_connection_number (connection, &asked.session, &asked.request);
  message.step_attach.session = asked.session;
  message.step_attach.request = asked.request;
  return ask (connection, &message, &asked, error);
}

gboolean
lk_ask_step_signal (LkConnection *connection, const LkMessage_step_signal *wanted,
                    LkStepError *out_error, GError **error)
{
  Asked asked = { .answer = NULL };
  LkMessage message = { .kind = LK_MESSAGE_STEP_SIGNAL, .step_signal = *wanted };
  lk_connection_number (connection, &asked.session, &asked.request);
  message.step_signal.session = asked.session;
  message.step_signal.request = asked.request;
  if (!ask (connection, &message, &asked, error))
    return FALSE;
  *out_error = (LkStepError)asked.error;
  return TRUE;
}

gboolean
lk_ask_job_complete (LkConnection *connection, const LkMessage_job_complete *wanted,
                     LkStepError *out_error, GError **error)
{
  Asked asked = { .answer = NULL };
  LkMessage message = { .kind = LK_MESSAGE_JOB_COMPLETE, .job_complete = *wanted };
  lk_connection_number (connection, &asked.session, &asked.request);
  message.job_complete.session = asked.session;
  message.job_complete.request = asked.request;
  if (!ask (connection, &message, &asked, error))
    return FALSE;
  *out_error = (LkStepError)asked.error;
  return TRUE;
}
