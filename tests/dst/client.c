/* tests/dst/client.c — see the header. */
#include "tests/dst/client.h"

#include "engine/assert.h"
#include "live/core/record.h"

/* A request with all that its messages have in common. */
typedef struct {
  LkMessageKind kind;
  guint64 request;
  GByteArray *message;
  GByteArray *events;
  gint64 asked_us;
} Asked;

typedef struct {
  DstClient *client;
  guint64 id;
  guint64 request_last;
  GQueue waiting; /* of Asked; the head has been sent */
  guint64 try_count;
  gboolean is_alone;
} Session;

struct _DstClient {
  DstClientOptions options;
  guint user;
  LkNetSimEnd end;
  GHashTable *sessions; /* of Session, by id; never iterated where order can be seen */
  Session *main;
  guint host; /* asked now */
  guint64 query_last;
  LkMessage_state_query state_query; /* the last one */
  guint open_count;
};

/* ---------------------------------------------------------------- sessions */

static void
asked_free (gpointer data)
{
  Asked *asked = data;
  g_byte_array_unref (asked->message);
  g_byte_array_unref (asked->events);
  g_free (asked);
}

static void
session_free (gpointer data)
{
  Session *session = data;
  session->client->open_count -= session->waiting.length;
  g_queue_clear_full (&session->waiting, asked_free);
  g_free (session);
}

static Session *
session_new (DstClient *self, gboolean is_alone)
{
  Session *session = g_new0 (Session, 1);
  session->client = self;
  session->is_alone = is_alone;
  do
    session->id = lk_world_random (self->options.world);
  while (session->id == 0 || g_hash_table_contains (self->sessions, &session->id));
  g_queue_init (&session->waiting);
  g_hash_table_insert (self->sessions, &session->id, session);
  return session;
}

/* ---------------------------------------------------------------- asking */

typedef struct {
  DstClient *client;
  guint64 session;
  guint64 try_count;
} Patience;

static void send_head (DstClient *self, Session *session);

/* No answer has come for long enough; perhaps another controller gives one. */
static void
lose_patience (gpointer user, gpointer data)
{
  g_autofree Patience *patience = data;
  DstClient *self = user;
  Session *session = g_hash_table_lookup (self->sessions, &patience->session);
  if (session == NULL || session->try_count != patience->try_count)
    return;
  self->host = (self->host + 1) % self->options.host_count;
  send_head (self, session);
}

static void
send_head (DstClient *self, Session *session)
{
  LkWorld *world = self->options.world;
  const Asked *asked = g_queue_peek_head (&session->waiting);
  session->try_count++;
  if (asked == NULL)
    return;
  lk_net_sim_send (self->options.net, self->end, self->options.hosts[self->host],
                   asked->message->data, asked->message->len);
  Patience *patience = g_new (Patience, 1);
  *patience = (Patience){ self, session->id, session->try_count };
  lk_world_at (world, lk_world_now_us (world) + self->options.retry_us, lose_patience, self,
               patience, g_free);
}

/* The members that all requests begin with. */
static LkRequestHead *
head_of (LkMessage *message)
{
  return (LkRequestHead *)(gpointer)lk_message_request (message);
}

static void
ask_in (Session *session, const DstRequest *wanted)
{
  DstClient *self = session->client;
  LkMessage message = { .kind = wanted->kind };
  Asked *asked = g_new0 (Asked, 1);
  asked->kind = wanted->kind;
  asked->request = ++session->request_last;
  asked->asked_us = lk_world_now_us (self->options.world);
  asked->events = g_byte_array_new ();
  asked->message = g_byte_array_new ();
  for (guint i = 0; i < wanted->event_count; i++)
    lk_event_encode (&wanted->events[i], asked->events);
  LkRequestHead *head = head_of (&message);
  LK_ASSERT (head != NULL);
  head->session = session->id;
  head->request = asked->request;
  head->event = (LkBytes){ asked->events->data, asked->events->len };
  if (wanted->kind == LK_MESSAGE_SUBMIT)
    message.submit.payload = (LkBytes){ wanted->payload, (guint32)wanted->payload_bytes };
  lk_message_encode (&message, asked->message);
  g_queue_push_tail (&session->waiting, asked);
  self->open_count++;
  if (session->waiting.length == 1)
    send_head (self, session);
}

void
dst_client_ask (DstClient *self, const DstRequest *request)
{
  ask_in (self->main, request);
}

void
dst_client_ask_alone (DstClient *self, const DstRequest *request)
{
  ask_in (session_new (self, TRUE), request);
}

void
dst_client_say (DstClient *self, const LkMessage *message)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_message_encode (message, bytes);
  lk_net_sim_send (self->options.net, self->end, self->options.hosts[self->host], bytes->data,
                   bytes->len);
}

void
dst_client_query (DstClient *self, guint32 job_id)
{
  LkMessage message = { .kind = LK_MESSAGE_JOB_QUERY };
  message.job_query.request = ++self->query_last;
  message.job_query.job_id = job_id;
  dst_client_say (self, &message);
}

static void
send_state_query (DstClient *self)
{
  LkMessage message = { .kind = LK_MESSAGE_STATE_QUERY, .state_query = self->state_query };
  dst_client_say (self, &message);
}

void
dst_client_state_query (DstClient *self, const LkMessage_state_query *query)
{
  self->state_query = *query;
  self->state_query.request = ++self->query_last;
  send_state_query (self);
}

/* ---------------------------------------------------------------- answers */

static void
on_reply (DstClient *self, const LkMessage_reply *reply)
{
  Session *session = g_hash_table_lookup (self->sessions, &reply->session);
  const Asked *head = session != NULL ? g_queue_peek_head (&session->waiting) : NULL;
  if (head == NULL || head->request != reply->request)
    return; /* again, or of a life before */
  Asked *asked = g_queue_pop_head (&session->waiting);
  LkBytes events = { asked->events->data, asked->events->len };
  DstAnswer answer = { .user = self->user,
                       .kind = asked->kind,
                       .session = reply->session,
                       .request = reply->request,
                       .error = reply->error,
                       .job_id = reply->job_id,
                       .seq = reply->seq,
                       .asked_us = asked->asked_us,
                       .answered_us = lk_world_now_us (self->options.world),
                       .events = &events };
  self->open_count--;
  send_head (self, session);
  if (session->is_alone)
    g_hash_table_remove (self->sessions, &answer.session);
  if (self->options.answered != NULL)
    self->options.answered (self->options.watcher, &answer);
  asked_free (asked);
}

static void
on_page (DstClient *self, const LkMessage_state_page *page)
{
  LkBytes left = page->records;
  LkRecord record;
  if (page->request != self->state_query.request)
    return; /* of an earlier one */
  LK_ASSERT (page->record == self->state_query.record);
  LK_ASSERT (
      page->next == 0 || page->next > self->state_query.from
      || (page->next == self->state_query.from && page->next_step > self->state_query.from_step)
      || page->error != 0);
  while (lk_record_next (&left, (LkRecordKind)page->record, &record))
    continue;
  LK_ASSERT (left.length_bytes == 0);
  if (page->next == 0 || page->error != 0)
    return;
  self->state_query.from = page->next;
  self->state_query.from_step = page->next_step;
  self->state_query.request = ++self->query_last;
  send_state_query (self);
}

static void
deliver (gpointer user, const LkPeer *from, const guint8 *bytes, gsize length_bytes)
{
  DstClient *self = user;
  LkMessage message;
  if (from->kind != LK_PEER_CONTROLLER || !lk_message_decode (bytes, length_bytes, &message))
    return;
  if (message.kind == LK_MESSAGE_REPLY)
    on_reply (self, &message.reply);
  else if (message.kind == LK_MESSAGE_STATE_PAGE)
    on_page (self, &message.state_page);
  else if (message.kind == LK_MESSAGE_JOB_INFO && self->options.informed != NULL)
    self->options.informed (self->options.watcher, self->user, &message.job_info);
}

/* ---------------------------------------------------------------- life */

DstClient *
dst_client_new (const DstClientOptions *options, guint user, const DstIdentity *who)
{
  DstClient *self = g_new0 (DstClient, 1);
  LkPeer peer = {
    .kind = LK_PEER_USER, .user_id = who->user_id, .group_id = who->group_id, .name = who->name
  };
  self->options = *options;
  self->user = user;
  self->sessions = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, session_free);
  self->end = lk_net_sim_add (options->net, &peer, deliver, self);
  lk_net_sim_open (options->net, self->end, LK_PEER_USER);
  self->main = session_new (self, FALSE);
  return self;
}

void
dst_client_free (DstClient *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->sessions);
  g_free (self);
}

void
dst_client_crash (DstClient *self)
{
  g_hash_table_remove_all (self->sessions);
  lk_net_sim_close (self->options.net, self->end);
  lk_net_sim_open (self->options.net, self->end, LK_PEER_USER);
  self->main = session_new (self, FALSE);
  LK_ASSERT (self->open_count == 0);
}

guint
dst_client_open_count (const DstClient *self)
{
  return self->open_count;
}

LkNetSimEnd
dst_client_end (const DstClient *self)
{
  return self->end;
}
