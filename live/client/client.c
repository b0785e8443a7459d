/* live/client/client.c — see the header. */
#include "live/client/client.h"

#include <string.h>

#include "live/client/refusal.h"
#include "traces/trace_error.h"

void
lk_client_error (const LkClient *self, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  fprintf (self->err, "%s: error: %s\n", self->command, text);
}

const char *
lk_client_variable (const LkClient *self, const char *name)
{
  gsize name_bytes = strlen (name);
  for (char **at = self->environment; at != NULL && *at != NULL; at++)
    if (strncmp (*at, name, name_bytes) == 0 && (*at)[name_bytes] == '=')
      return *at + name_bytes + 1;
  return NULL;
}

gboolean
lk_client_is_root (const LkClient *self)
{
  return self->user_id == 0;
}

/* ---------------------------------------------------------------- requests */

/* The message that carries events of this kind. */
static LkMessageKind
kind_of_event (guint event_kind)
{
  for (guint kind = 1; kind < 256; kind++)
    if (lk_message_event_kind (kind) == event_kind)
      return (LkMessageKind)kind;
  return 0;
}

static void
count_take (gpointer user, const LkRecord *record)
{
  (void)record;
  ++*(guint *)user;
}

/* Whose a job is that is not there nobody can say: the controller refuses it as somebody else's. */
static gboolean
name_unknown (const LkClient *self, const LkEvent *event, LkMessage_reply *reply, GError **error)
{
  guint count = 0;
  LkClientQuery query = { .kind = LK_RECORD_JOB,
                          .job_id = lk_event_job_id (event),
                          .with_ended = event->kind == LK_EVENT_REQUEUE };
  if (reply->error != LK_REJECT_PERMISSION || query.job_id == 0)
    return TRUE;
  if (!lk_client_query (self, &query, count_take, &count, error))
    return FALSE;
  if (count == 0)
    reply->error = LK_REJECT_JOB_UNKNOWN;
  return TRUE;
}

/* Appends the bytes of an event. FALSE: its texts are none, and the controller would say only that
 * it cannot read it. */
static gboolean
event_encode (const LkEvent *event, GByteArray *out, GError **error)
{
  LkEvent same;
  guint begin = out->len;
  lk_event_encode (event, out);
  if (lk_event_decode (out->data + begin, out->len - begin, &same) > 0)
    return TRUE;
  g_set_error_literal (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                       "a word is no text: expected valid UTF-8 of at most 65535 bytes");
  return FALSE;
}

/* A command whose user asks too often waits, each time a second longer, as Slurm's do; here not for
 * ever. */
#define BACKOFF_RETRIES 15u

static gboolean
backs_off (const LkClient *self, guint error, guint *retries)
{
  if ((error != LK_REJECT_RATE_LIMITED && error != LK_REJECT_BUSY) || *retries == BACKOFF_RETRIES)
    return FALSE;
  ++*retries;
  if (self->is_verbose)
    fprintf (self->err, "%s: RPC rate limited %u time(s). Sleeping then trying again.\n",
             self->command, *retries);
  g_usleep (*retries * (gulong)G_USEC_PER_SEC);
  return TRUE;
}

static gboolean
request (const LkClient *self, LkMessage *message, LkMessage_reply *out_reply, GError **error)
{
  guint retries = 0;
  do
    if (!self->wire->request (self->wire_self, message, out_reply, error))
      return FALSE;
  while (backs_off (self, out_reply->error, &retries));
  return TRUE;
}

gboolean
lk_client_event (const LkClient *self, const LkEvent *event, LkMessage_reply *out_reply,
                 GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  if (!event_encode (event, bytes, error))
    return FALSE;
  LkMessage message = { .kind = kind_of_event (event->kind) };
  /* All requests begin alike (LK_REQUEST_FIELDS). */
  message.hold.event = (LkBytes){ bytes->data, bytes->len };
  return request (self, &message, out_reply, error) && name_unknown (self, event, out_reply, error);
}

/* As sbatch, salloc and srun of Slurm: two minutes in all, as each pause is a second longer. */
#define QUEUE_RETRIES 15u

gboolean
lk_client_submit (const LkClient *self, const GArray *events, LkBytes payload,
                  LkMessage_reply *out_reply, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  for (guint i = 0; i < events->len; i++)
    if (!event_encode (&g_array_index (events, LkEvent, i), bytes, error))
      return FALSE;
  LkMessage message = { .kind = LK_MESSAGE_SUBMIT };
  message.submit.event = (LkBytes){ bytes->data, bytes->len };
  message.submit.payload = payload;
  message.submit.host = lk_text (self->host != NULL ? self->host : "");
  for (guint retries = 0;;) {
    if (!request (self, &message, out_reply, error))
      return FALSE;
    if (out_reply->error != LK_REJECT_QUEUE_FULL || retries == QUEUE_RETRIES)
      return TRUE;
    if (retries == 0)
      lk_client_error (self, "Slurm temporarily unable to accept job, sleeping and retrying");
    g_usleep (++retries * (gulong)G_USEC_PER_SEC);
  }
}

/* ---------------------------------------------------------------- records */

typedef struct {
  const LkClient *client;
  LkMessage_state_query asked;
  LkRecordKind kind;
  LkClientTake take;
  gpointer user;
  guint32 next;
  guint32 next_step;
  LkReject error;
  gboolean is_unreadable;
} Page;

/* The next page is made while this one is read. */
static void
ask_ahead (const Page *self)
{
  const LkClientWire *wire = self->client->wire;
  LkMessage message = { .kind = LK_MESSAGE_STATE_QUERY, .state_query = self->asked };
  message.state_query.from = self->next;
  message.state_query.from_step = self->next_step;
  if (self->next != 0 && self->error == 0 && wire->ahead != NULL)
    wire->ahead (self->client->wire_self, &message);
}

static void
page_take (gpointer user, const LkMessage *message)
{
  Page *self = user;
  LkRecord record;
  LkBytes left = message->state_page.records;
  self->next = message->state_page.next;
  self->next_step = message->state_page.next_step;
  self->error = message->state_page.error;
  ask_ahead (self);
  while (self->error == 0 && lk_record_next (&left, self->kind, &record))
    self->take (self->user, &record);
  self->is_unreadable = self->error == 0 && left.length_bytes > 0;
}

/* An answer that was not taken whole is told, and not passed off as one with fewer records. */
static gboolean
page_check (const Page *self, GError **error)
{
  if (self->error != 0)
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX, "%s", lk_refusal_text (self->error));
  else if (self->is_unreadable)
    g_set_error_literal (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                         "the answer of the controller cannot be read: are both of one version?");
  return self->error == 0 && !self->is_unreadable;
}

static guint8
payload_of (const LkClientQuery *query)
{
  if (!query->with_payload)
    return 0;
  return query->is_brief ? 2 : 1;
}

/* One page, from `page->next` on. */
static gboolean
page_ask (const LkClient *self, Page *page, GError **error)
{
  LkMessage message = { .kind = LK_MESSAGE_STATE_QUERY, .state_query = page->asked };
  guint retries = 0;
  message.state_query.from = page->next;
  message.state_query.from_step = page->next_step;
  do {
    page->next = page->next_step = 0;
    if (!self->wire->page (self->wire_self, &message, page_take, page, error))
      return FALSE;
  } while (backs_off (self, page->error, &retries));
  return page_check (page, error);
}

gboolean
lk_client_query (const LkClient *self, const LkClientQuery *query, LkClientTake take, gpointer user,
                 GError **error)
{
  Page page = { .client = self, .kind = query->kind, .take = take, .user = user };
  g_autoptr (GByteArray) event = g_byte_array_new ();
  for (guint i = 0; query->trial != NULL && i < query->trial->len; i++)
    if (!event_encode (&g_array_index (query->trial, LkEvent, i), event, error))
      return FALSE;
  page.asked = (LkMessage_state_query){ .record = (guint8)query->kind,
                                        .job_id = query->job_id,
                                        .by_user = query->by_user ? 1 : 0,
                                        .user_id = query->user_id,
                                        .with_ended = query->with_ended ? 1 : 0,
                                        .with_payload = payload_of (query),
                                        .event = { event->data, event->len } };
  do
    if (!page_ask (self, &page, error))
      return FALSE;
  while (page.next != 0);
  return TRUE;
}
