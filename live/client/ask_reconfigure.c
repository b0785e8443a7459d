/* live/client/ask_reconfigure.c — see the header. */
#include "live/client/ask_reconfigure.h"

typedef struct {
  guint64 question;
  void (*take) (gpointer, const LkMessage_reconfigured *);
  gpointer user;
} Ask;

static LkAnswer
on_answer (gpointer user, const LkMessage *message)
{
  const Ask *self = user;
  if (message == NULL || message->kind != LK_MESSAGE_RECONFIGURED
      || message->reconfigured.request != self->question)
    return LK_ANSWER_OTHER;
  self->take (self->user, &message->reconfigured);
  return LK_ANSWER_LAST;
}

gboolean
lk_ask_reconfigure (LkConnection *connection, const LkMessage_reconfigure *question,
                    void (*take) (gpointer, const LkMessage_reconfigured *), gpointer user,
                    GError **error)
{
  Ask ask = { question->request, take, user };
  LkMessage message = { .kind = LK_MESSAGE_RECONFIGURE, .reconfigure = *question };
  return lk_connection_ask (connection, &message, on_answer, &ask, error);
}
