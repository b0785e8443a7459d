/* live/core/controller_turn.c — which questions wait, and whose turn it is.
 *
 * One thread answers everybody.  Of each user one question is answered at once in a turn; the
 * others wait, and in each turn the next user in the round gets one answer.  Trials, each of which
 * runs a copy of the engine, always wait: one of them is answered in a turn, and no other for three
 * times as long as it took, so that three quarters of the time are for everything else.
 *
 * What waits is in no journal and no snapshot: a client whose controller dies asks again. */
#include "engine/assert.h"
#include "engine/checked.h"
#include "live/core/controller_private.h"
#include "live/core/record.h"

/* Questions of one user, and of all, that wait; more are refused, and their clients wait. */
#define USER_WAITING_MAX 64u
#define ALL_WAITING_MAX 4096u
/* A question that waits is not longer: a trial with all that a job can ask for has less. */
#define QUESTION_MAX_BYTES (1024u * 1024)
/* Bytes of all that wait, and of one user's. All nameless users together count as one, as a user
 * namespace has thousands of them. */
#define ALL_WAITING_MAX_BYTES (64u * 1024 * 1024)
#define USER_WAITING_MAX_BYTES (4u * 1024 * 1024)
/* What costs much gets one part of the time, and everything else so many. */
#define OTHER_PARTS 3
/* The most that a trial counts as: far above its limit and the copy of an engine, so that a jump of
 * the clock does not postpone the next one for days. */
#define COSTLY_MAX_US (10 * G_USEC_PER_SEC)

typedef struct {
  LkPeer peer; /* its texts are owned */
  guint32 roles;
  gboolean is_costly;
  GByteArray *bytes; /* the message */
} Question;

/* What waits already when a user's query comes. */
typedef struct {
  guint user_count;
  gsize user_bytes;
  gsize all_bytes;
} Waiting;

static void
question_clear (gpointer data)
{
  Question *self = data;
  g_free ((char *)self->peer.name);
  g_free ((char *)self->peer.groups);
  g_free ((char *)self->peer.node);
  g_byte_array_unref (self->bytes);
}

void
lk_turn_init (LkController *self)
{
  self->turn.waiting = g_array_new (FALSE, FALSE, sizeof (Question));
  g_array_set_clear_func (self->turn.waiting, question_clear);
  self->turn.answered = g_array_new (FALSE, FALSE, sizeof (guint32));
}

void
lk_turn_clear (LkController *self)
{
  g_array_unref (self->turn.waiting);
  g_array_unref (self->turn.answered);
}

/* ---------------------------------------------------------------- asking */

static gboolean
is_costly (const LkMessage_state_query *query)
{
  return query->record == LK_RECORD_TRIAL;
}

static gboolean
was_answered (const LkController *self, guint32 user_id)
{
  for (guint i = 0; i < self->turn.answered->len; i++)
    if (g_array_index (self->turn.answered, guint32, i) == user_id)
      return TRUE;
  return FALSE;
}

static Waiting
waiting_of (const LkController *self, const LkPeer *peer, guint32 roles)
{
  Waiting waiting = { 0 };
  gboolean is_nameless = lk_controller_is_nameless (peer, roles);
  for (guint i = 0; i < self->turn.waiting->len; i++) {
    const Question *question = &g_array_index (self->turn.waiting, Question, i);
    waiting.all_bytes += question->bytes->len;
    if (question->peer.user_id != peer->user_id
        && !(is_nameless && lk_controller_is_nameless (&question->peer, question->roles)))
      continue;
    waiting.user_count++;
    waiting.user_bytes += question->bytes->len;
  }
  return waiting;
}

static gboolean
has_room (const LkController *self, const Waiting *waiting, gsize query_bytes)
{
  return waiting->user_count < USER_WAITING_MAX && self->turn.waiting->len < ALL_WAITING_MAX
         && waiting->user_bytes + query_bytes <= USER_WAITING_MAX_BYTES
         && waiting->all_bytes + query_bytes <= ALL_WAITING_MAX_BYTES;
}

static void
put_off (LkController *self, const LkPeer *peer, const LkMessage *message, guint32 roles,
         const Waiting *waiting)
{
  Question question = { .peer = *peer,
                        .roles = roles,
                        .is_costly = is_costly (&message->state_query),
                        .bytes = g_byte_array_new () };
  lk_message_encode (message, question.bytes);
  if (!has_room (self, waiting, question.bytes->len)) {
    g_byte_array_unref (question.bytes);
    lk_controller_refuse_state (self, peer, &message->state_query, LK_REJECT_BUSY);
    return;
  }
  question.peer.name = g_strdup (peer->name);
  question.peer.groups = g_strdup (peer->groups);
  question.peer.node = g_strdup (peer->node);
  g_array_append_val (self->turn.waiting, question);
  /* cppcheck-suppress memleak ; the array owns its members */
}

void
lk_turn_ask (LkController *self, const LkPeer *peer, const LkMessage *message, guint32 roles)
{
  const LkMessage_state_query *query = &message->state_query;
  Waiting waiting = waiting_of (self, peer, roles);
  if (!is_costly (query) && waiting.user_count == 0 && !was_answered (self, peer->user_id)) {
    g_array_append_val (self->turn.answered, peer->user_id);
    lk_controller_state_query (self, peer, message, roles);
    return;
  }
  if (query->event.length_bytes > QUESTION_MAX_BYTES)
    lk_controller_refuse_state (self, peer, query, LK_REJECT_REQUEST_INVALID);
  else if (is_costly (query) && lk_controller_is_nameless (peer, roles))
    lk_controller_refuse_state (self, peer, query, LK_REJECT_USER_UNKNOWN);
  else
    put_off (self, peer, message, roles, &waiting);
}

/* ---------------------------------------------------------------- answering */

/* Of users in a round by their ids the next one after `user_id`, of his questions the oldest;
 * G_MAXUINT: nobody waits for such an answer. */
static guint
next_of (const LkController *self, gboolean is_costly, guint32 user_id)
{
  guint found = G_MAXUINT;
  guint32 found_distance = G_MAXUINT32;
  for (guint i = 0; i < self->turn.waiting->len; i++) {
    const Question *question = &g_array_index (self->turn.waiting, Question, i);
    guint32 distance = question->peer.user_id - user_id - 1;
    if (question->is_costly != is_costly || (found != G_MAXUINT && distance >= found_distance))
      continue;
    found = i;
    found_distance = distance;
  }
  return found;
}

static void
answer (LkController *self, guint index)
{
  LkMessage message;
  Question question = g_array_index (self->turn.waiting, Question, index);
  g_array_set_clear_func (self->turn.waiting, NULL);
  g_array_remove_index (self->turn.waiting, index);
  g_array_set_clear_func (self->turn.waiting, question_clear);
  gboolean is_whole = lk_message_decode (question.bytes->data, question.bytes->len, &message);
  LK_ASSERT (is_whole); /* put_off has encoded it */
  lk_controller_state_query (self, &question.peer, &message, question.roles);
  question_clear (&question);
}

void
lk_turn_end (LkController *self)
{
  LkControllerTurn *turn = &self->turn;
  guint cheap = next_of (self, /* is_costly= */ FALSE, turn->cheap_user_id);
  if (cheap != G_MAXUINT) {
    turn->cheap_user_id = g_array_index (turn->waiting, Question, cheap).peer.user_id;
    answer (self, cheap);
  }
  guint costly = next_of (self, /* is_costly= */ TRUE, turn->costly_user_id);
  if (costly != G_MAXUINT && turn->costly_from_us <= self->clock_us) {
    gint64 from_us = lk_controller_work_clock_us (self);
    turn->costly_user_id = g_array_index (turn->waiting, Question, costly).peer.user_id;
    answer (self, costly);
    gint64 took_us = CLAMP (lk_controller_work_clock_us (self) - from_us, 0, COSTLY_MAX_US);
    turn->costly_from_us = lk_time_add_us (self->clock_us, (OTHER_PARTS + 1) * took_us);
  }
  g_array_set_size (turn->answered, 0);
}

gint64
lk_turn_next_us (const LkController *self)
{
  gboolean is_costly_only = TRUE;
  for (guint i = 0; i < self->turn.waiting->len && is_costly_only; i++)
    is_costly_only = g_array_index (self->turn.waiting, Question, i).is_costly;
  if (self->turn.waiting->len == 0)
    return LK_TIME_NEVER;
  return is_costly_only ? MAX (self->turn.costly_from_us, self->clock_us + 1) : self->clock_us + 1;
}
