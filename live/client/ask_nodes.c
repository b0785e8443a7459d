/* live/client/ask_nodes.c — see the header. */
#include "live/client/ask_nodes.h"

#include "live/core/record.h"

#define QUESTION 1u

typedef struct {
  guint32 next; /* page; 0: there is none */
  guint count;
  char *first;
} Ask;

static void
take_page (Ask *self, const LkMessage_state_page *page)
{
  LkBytes left = page->records;
  LkRecord record;
  self->next = page->next;
  while (lk_record_next (&left, LK_RECORD_NODE, &record)) {
    if (record.node.is_responding != 0)
      continue;
    if (self->count++ == 0)
      self->first = g_strndup (record.node.name.bytes, record.node.name.length_bytes);
  }
}

static LkAnswer
on_answer (gpointer user, const LkMessage *message)
{
  if (message == NULL || message->kind != LK_MESSAGE_STATE_PAGE
      || message->state_page.request != QUESTION)
    return LK_ANSWER_OTHER;
  take_page (user, &message->state_page);
  return LK_ANSWER_LAST;
}

gboolean
lk_ask_missing_nodes (LkConnection *connection, guint *out_count, char **out_first, GError **error)
{
  Ask ask = { 0 };
  do {
    LkMessage message = { .kind = LK_MESSAGE_STATE_QUERY };
    message.state_query =
        (LkMessage_state_query){ .request = QUESTION, .record = LK_RECORD_NODE, .from = ask.next };
    ask.next = 0;
    if (!lk_connection_ask (connection, &message, on_answer, &ask, error)) {
      g_free (ask.first);
      return FALSE;
    }
  } while (ask.next != 0);
  *out_count = ask.count;
  *out_first = ask.first;
  return TRUE;
}
