/* live/core/controller.c — see the header: the way in, the order of an instant, and the clock.
 *
 * The engine's clock follows the monotonic one.  Where the wall clock says otherwise, it is
 * approached by a tenth of the time that passes: a wall clock that jumps ends no job. */
#include "live/core/controller.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "live/core/controller_private.h"

/* The wall clock is approached by this part of the time that passes. */
#define SLEW_PART 10
/* Later than that a moment is not made good for: what it was asked for has been left out. */
#define LATE_MAX_US (60 * G_USEC_PER_SEC)
/* A batch of the journal is one record, and no event with what it brings is longer than its half:
 * behind so many bytes a batch is closed. */
#define BATCH_BYTES (32u * 1024 * 1024)

/* An epoch is made up of the term, the start in it, and a count, so that one word of an agent says
 * all three.  More than a million terms ago nothing is on its way any more. */
#define EPOCH_TERM_BITS 20u
#define EPOCH_START_BITS 16u
#define EPOCH_COUNT_BITS 28u

static const char *const failure_texts[] = {
  [LK_CONTROLLER_OK] = "none",
  [LK_CONTROLLER_DISK_FAILED] = "a write to the disk has failed: what it holds is not known",
  [LK_CONTROLLER_JOURNAL_CORRUPT] = "the journal is damaged before its end",
  [LK_CONTROLLER_JOURNAL_OTHER] = "the journal is of another configuration or version",
  [LK_CONTROLLER_DIVERGED] = "the engine decides otherwise than the journal says",
  [LK_CONTROLLER_FENCED] = "another controller has a higher term",
  [LK_CONTROLLER_POLICY] = "a policy refuses its parameters",
  [LK_CONTROLLER_FORMER] = "the disk is that of a controller: a standby has to be made anew",
  [LK_CONTROLLER_EMPTY] = "the standby has nothing of the journal yet",
};

const char *
lk_controller_failure_text (LkControllerFailure failure)
{
  return failure_texts[failure];
}

void
lk_controller_fail (LkController *self, LkControllerFailure failure)
{
  if (self->failure == LK_CONTROLLER_OK)
    self->failure = failure;
}

guint64
lk_controller_next_epoch (LkController *self)
{
  guint64 term = self->term & ((G_GUINT64_CONSTANT (1) << EPOCH_TERM_BITS) - 1);
  guint64 incarnation = self->incarnation & ((G_GUINT64_CONSTANT (1) << EPOCH_START_BITS) - 1);
  return ((term << EPOCH_START_BITS | incarnation) << EPOCH_COUNT_BITS) + ++self->epoch_last;
}

LkControllerFailure
lk_controller_failure (const LkController *self)
{
  return self->failure;
}

/* ---------------------------------------------------------------- clock */

static gint64
monotonic_us (const LkController *self)
{
  return self->ports.clock.ops->monotonic_us (self->ports.clock.self);
}

gint64
lk_controller_now_us (LkController *self)
{
  gint64 now_us = monotonic_us (self);
  gint64 passed_us = now_us - self->clock_us;
  LK_ASSERT (passed_us >= 0);
  gint64 engine_us = lk_time_add_us (self->engine_us, passed_us);
  gint64 real_us = self->ports.clock.ops->realtime_us (self->ports.clock.self);
  gint64 most_us = passed_us / SLEW_PART;
  gint64 ahead_us;
  if (__builtin_sub_overflow (real_us, engine_us, &ahead_us))
    ahead_us = real_us > engine_us ? most_us : -most_us;
  self->engine_us = lk_time_add_us (engine_us, CLAMP (ahead_us, -most_us, most_us));
  self->clock_us = now_us;
  return self->engine_us;
}

/* The monotonic time at which the engine's clock will show `engine_us`, or a little before. */
static gint64
clock_at_us (const LkController *self, gint64 engine_us)
{
  if (engine_us == LK_TIME_NEVER)
    return LK_TIME_NEVER;
  gint64 left_us;
  if (__builtin_sub_overflow (engine_us, self->engine_us, &left_us))
    return LK_TIME_NEVER;
  return lk_time_add_us (self->clock_us, MAX (left_us, 1));
}

/* The earliest moment at which a pass may be made.  Agents have a while to say that they are there
 * before anything is started. */
static gint64
pass_from_us (const LkController *self)
{
  if (self->ready_count == self->node_count)
    return self->pass_next_us;
  gint64 waited_us = lk_time_add_us (self->started_us, self->config.registration_wait_us);
  return MAX (self->pass_next_us, waited_us);
}

/* A pass follows something that has happened, not another pass. */
static gboolean
is_pass_wanted (const LkController *self)
{
  return lk_engine_pass_wanted (self->engine) && self->seq != self->pass_seq;
}

static void
ask_wake (LkController *self)
{
  gint64 at_us = clock_at_us (self, lk_engine_wake_us (self->engine));
  if (is_pass_wanted (self))
    at_us = MIN (at_us, pass_from_us (self));
  at_us = MIN (at_us, lk_nodes_look_us (self));
  at_us = MIN (at_us, lk_turn_next_us (self));
  if (self->restless->len > 0 || self->stray_count > 0 || self->has_unheard_reload)
    at_us = MIN (at_us, self->retry_next_us);
  self->ports.clock.ops->wake_at_us (self->ports.clock.self, at_us);
}

/* ---------------------------------------------------------------- events */

void
lk_controller_apply (LkController *self, LkEvent *event)
{
  event->seq = ++self->seq;
  self->work.submit_count += event->kind == LK_EVENT_SUBMIT ? 1 : 0;
  self->work.pass_count += event->kind == LK_EVENT_PASS ? 1 : 0;
  LkStatus status = lk_engine_apply (self->engine, event, &self->sink);
  LK_ASSERT (status == LK_STATUS_OK); /* number and time are ours, the kind was decoded */
  if (event->kind == LK_EVENT_RECONFIGURE)
    lk_controller_match_nodes (self);
  lk_controller_node_events (self, event);
  lk_payloads_expire (self, event->time_us);
  lk_done_expire (self, event->time_us);
  lk_controller_write_event (self, event);
}

void
lk_controller_post (LkController *self, const LkEvent *event)
{
  LkInboxEntry entry = { .rank = lk_event_rank (event->kind),
                         .arrival = self->inbox->len,
                         .event_count = 1,
                         .bytes = g_byte_array_new () };
  if (event->kind == LK_EVENT_JOB_ENDED)
    entry.job_id = event->job_ended.job_id;
  lk_event_encode (event, entry.bytes);
  g_array_append_val (self->inbox, entry);
}

static gint
entry_compare (gconstpointer a, gconstpointer b)
{
  const LkInboxEntry *x = a;
  const LkInboxEntry *y = b;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  if (x->job_id != y->job_id)
    return x->job_id < y->job_id ? -1 : 1;
  return x->arrival < y->arrival ? -1 : x->arrival > y->arrival;
}

static void
apply_entry (LkController *self, const LkInboxEntry *entry)
{
  LkEvent event;
  if (entry->is_reconfigure) {
    lk_controller_apply_reconfigure (self, entry);
    return;
  }
  if (entry->is_request) {
    lk_controller_apply_request (self, entry);
    return;
  }
  gsize used = lk_event_decode (entry->bytes->data, entry->bytes->len, &event);
  LK_ASSERT (used == entry->bytes->len); /* lk_controller_post has encoded decoded texts */
  event.time_us = self->engine_us;
  lk_log_own_event (self, &event, self->seq + 1);
  lk_controller_apply (self, &event);
}

/* The open batch takes no more: it has to be appended first. */
static gboolean
is_full (const LkController *self)
{
  return lk_journal_writer_open_bytes (self->writer) >= BATCH_BYTES;
}

/* What comes of an event may ask for another: that one waits for the next round, behind what the
 * batch has no room for. */
static void
apply_inbox (LkController *self)
{
  guint count;
  GArray *inbox = self->inbox;
  self->inbox = g_array_new (FALSE, FALSE, sizeof (LkInboxEntry));
  g_array_sort (inbox, entry_compare);
  for (count = 0; count < inbox->len && !is_full (self); count++) {
    LkInboxEntry *entry = &g_array_index (inbox, LkInboxEntry, count);
    apply_entry (self, entry);
    g_byte_array_unref (entry->bytes);
  }
  if (count < inbox->len)
    g_array_prepend_vals (self->inbox, &g_array_index (inbox, LkInboxEntry, count),
                          inbox->len - count);
  for (guint i = 0; i < self->inbox->len; i++)
    g_array_index (self->inbox, LkInboxEntry, i).arrival = i;
  g_array_unref (inbox);
}

static void
apply_bare (LkController *self, LkEventKind kind, gint64 time_us)
{
  LkEvent event = { .kind = kind, .time_us = time_us };
  lk_controller_apply (self, &event);
}

static gboolean
may_pass (const LkController *self)
{
  return is_pass_wanted (self) && self->clock_us >= pass_from_us (self);
}

static void
apply_pass (LkController *self, gint64 time_us)
{
  LkEngineCounts counts;
  LkControllerWork *work = &self->work;
  gint64 from_us = lk_controller_work_clock_us (self);
  lk_engine_counts (self->engine, &counts);
  work->queue_last = counts.pending_count;
  self->pass_next_us = lk_time_add_us (self->clock_us, self->config.pass_delay_us);
  apply_bare (self, LK_EVENT_PASS, time_us);
  self->pass_seq = self->seq;
  work->pass_last_us = MAX (lk_controller_work_clock_us (self) - from_us, 0);
  work->pass_max_us = MAX (work->pass_max_us, work->pass_last_us);
  work->pass_sum_us = lk_time_add_us (work->pass_sum_us, work->pass_last_us);
  lk_log_pass (self, work->pass_last_us);
}

/* No clock wakes anybody at the very moment that was asked for.  What policies do at a moment they
 * do only then; so timer and pass come as of that moment, before what has come since. FALSE: there
 * is no such moment, or all of it is done. */
static gboolean
step_late (LkController *self, gint64 now_us)
{
  gint64 wake_us = lk_engine_wake_us (self->engine);
  LkEngineCounts counts;
  if (self->late_us == LK_TIME_NEVER && wake_us < now_us
      && lk_time_since_us (now_us, wake_us) <= LATE_MAX_US) {
    lk_engine_counts (self->engine, &counts);
    self->late_us = MAX (wake_us, counts.now_us);
  }
  if (self->late_us == LK_TIME_NEVER)
    return FALSE;
  if (wake_us <= self->late_us) {
    apply_bare (self, LK_EVENT_TIMER, self->late_us);
    return TRUE;
  }
  gint64 late_us = self->late_us;
  self->late_us = LK_TIME_NEVER;
  if (!may_pass (self))
    return FALSE;
  apply_pass (self, late_us);
  return TRUE;
}

/* A timer for which nothing is due brings nothing that a pass could act on. */
static void
carry_notes (LkController *self)
{
  gboolean has_passed = self->pass_seq == self->seq;
  apply_bare (self, LK_EVENT_TIMER, self->engine_us);
  if (has_passed)
    self->pass_seq = self->seq;
}

/* One step of the order of an instant. FALSE: there is nothing to be done. */
static gboolean
step (LkController *self)
{
  gint64 now_us = lk_controller_now_us (self);
  if (is_full (self))
    return FALSE;
  if (step_late (self, now_us))
    return TRUE;
  if (self->inbox->len > 0) {
    apply_inbox (self);
    return TRUE;
  }
  if (lk_engine_wake_us (self->engine) <= now_us) {
    apply_bare (self, LK_EVENT_TIMER, self->engine_us);
    return TRUE;
  }
  if (self->is_carry_wanted) {
    carry_notes (self);
    return TRUE;
  }
  if (!may_pass (self))
    return FALSE;
  apply_pass (self, self->engine_us);
  return TRUE;
}

gboolean
lk_controller_settle (LkController *self)
{
  if (self->failure != LK_CONTROLLER_OK || !self->is_open)
    return FALSE;
  gboolean has_stepped = step (self);
  lk_controller_commit (self);
  lk_runs_act (self);
  if (self->is_carry_wanted && !is_full (self))
    return TRUE;
  if (!has_stepped && self->failure == LK_CONTROLLER_OK)
    lk_turn_end (self);
  if (!has_stepped)
    ask_wake (self);
  return has_stepped;
}

void
lk_controller_woken (LkController *self)
{
  if (self->failure != LK_CONTROLLER_OK || !self->is_open)
    return;
  lk_controller_now_us (self);
  if (lk_nodes_look_us (self) <= self->clock_us)
    lk_nodes_look (self);
  if (self->retry_next_us <= self->clock_us) {
    self->retry_next_us = lk_time_add_us (self->clock_us, self->config.retry_us);
    lk_runs_retry (self);
    lk_reload_look (self);
  }
}

/* ---------------------------------------------------------------- messages */

/* The bytes of a message; NULL: no port would send so many. Returns: (transfer full). */
static GByteArray *
encode (LkController *self, const LkMessage *message)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_message_encode (message, bytes);
  if (bytes->len <= lk_message_max_bytes (message->kind))
    return g_steal_pointer (&bytes);
  lk_log_overlong (self, message->kind, bytes->len);
  return NULL;
}

gboolean
lk_controller_send (LkController *self, LkPeerId peer, const LkMessage *message)
{
  g_autoptr (GByteArray) bytes = encode (self, message);
  return bytes != NULL
         && self->ports.net.ops->send (self->ports.net.self, peer, bytes->data, bytes->len);
}

gboolean
lk_controller_send_after (LkController *self, LkPeerId peer, guint64 seq, const LkMessage *message)
{
  if (seq <= lk_controller_settled_seq (self))
    return lk_controller_send (self, peer, message);
  LkOutboxEntry entry = { .seq = seq, .peer = peer, .bytes = encode (self, message) };
  if (entry.bytes == NULL)
    return FALSE;
  g_array_append_val (self->outbox, entry);
  return TRUE;
}

/* What waits for an answer, and has no session. */
static void
refuse_command (LkController *self, const LkPeer *peer, const LkMessage *message, LkReject error)
{
  if (message->kind == LK_MESSAGE_RECONFIGURE)
    lk_controller_refuse_reconfigure (self, peer, &message->reconfigure);
  if (message->kind == LK_MESSAGE_STATISTICS_RESET)
    lk_controller_statistics_answer (self, peer, message->statistics_reset.request,
                                     LK_REJECT_PERMISSION);
  if (message->kind == LK_MESSAGE_LOG_LEVEL)
    lk_controller_answer_log_level (self, peer, message->log_level.request, LK_REJECT_PERMISSION);
  if (message->kind == LK_MESSAGE_TOKEN_SIGN)
    lk_controller_token_answer (self, peer, message->token_sign.request, error, NULL);
  if (message->kind == LK_MESSAGE_STATE_QUERY)
    lk_controller_refuse_state (self, peer, &message->state_query, error);
  if (lk_controller_is_step_request (message))
    lk_controller_refuse_step (self, peer, message);
}

static void
refuse (LkController *self, const LkPeer *peer, const LkMessage *message, LkReject error)
{
  const LkRequestHead *head = lk_message_request (message);
  self->counts.refused_count++;
  lk_log_refused (self, peer, message);
  if (peer->kind == LK_PEER_USER || peer->kind == LK_PEER_JOB)
    refuse_command (self, peer, message, error);
  if (head == NULL || peer->kind == LK_PEER_ANONYMOUS)
    return;
  LkMessage_reply reply = { .session = head->session,
                            .request = head->request,
                            .error = (guint16)error };
  lk_controller_reply (self, peer->id, &reply);
}

static void
dispatch (LkController *self, const LkPeer *peer, const LkMessage *message, guint32 roles)
{
  if (lk_message_event_kind (message->kind) != 0)
    lk_controller_take_request (self, peer, message, roles);
  else if (message->kind == LK_MESSAGE_JOB_QUERY)
    lk_controller_query (self, peer, message);
  else if (message->kind == LK_MESSAGE_STATE_QUERY)
    lk_turn_ask (self, peer, message, roles);
  else if (message->kind == LK_MESSAGE_RECONFIGURE)
    lk_controller_take_reconfigure (self, peer, &message->reconfigure);
  else if (message->kind == LK_MESSAGE_STATISTICS_RESET)
    lk_controller_statistics_reset (self, peer, message->statistics_reset.request);
  else if (message->kind == LK_MESSAGE_LOG_LEVEL)
    lk_controller_set_log_level (self, peer, &message->log_level);
  else if (message->kind == LK_MESSAGE_TOKEN_SIGN)
    lk_controller_token (self, peer, &message->token_sign);
  else if (lk_controller_is_step_request (message))
    lk_controller_step_request (self, peer, message);
  else if (peer->kind == LK_PEER_AGENT)
    lk_controller_agent_message (self, peer, message);
  else if (peer->kind == LK_PEER_STANDBY)
    lk_controller_standby_message (self, peer, message);
}

static void
take_message (LkController *self, const LkPeer *peer, const LkMessage *message)
{
  /* What was carried out once stays so, whatever its sender may do now. */
  const LkRequestHead *head = lk_message_request (message);
  if (head != NULL && peer->kind == LK_PEER_USER
      && lk_controller_is_repeated (self, peer->id, peer->user_id, head))
    return;
  guint32 roles = lk_controller_roles (self, peer, message);
  if ((roles & lk_message_senders (message->kind)) == 0)
    refuse (self, peer, message, LK_REJECT_PERMISSION);
  else if (!lk_bounds_take_token (self, peer, message, roles))
    refuse (self, peer, message, LK_REJECT_RATE_LIMITED);
  else
    dispatch (self, peer, message, roles);
}

void
lk_controller_message (LkController *self, const LkPeer *peer, const guint8 *bytes,
                       gsize length_bytes)
{
  LkMessage message;
  if (self->failure != LK_CONTROLLER_OK || !self->is_open)
    return;
  lk_controller_now_us (self);
  if (!lk_message_decode (bytes, length_bytes, &message)) {
    self->counts.malformed_count++;
    lk_log_refused (self, peer, NULL);
    return;
  }
  lk_log_message (self, peer, &message);
  gint64 from_us = lk_controller_work_clock_us (self);
  take_message (self, peer, &message);
  if (peer->kind != LK_PEER_ANONYMOUS)
    lk_rpc_book_note (self->rpcs, peer, &message,
                      MAX (lk_controller_work_clock_us (self) - from_us, 0));
}

/* ---------------------------------------------------------------- beginning and end */

static void
make_tables (LkController *self)
{
  self->inbox = g_array_new (FALSE, FALSE, sizeof (LkInboxEntry));
  self->outbox = g_array_new (FALSE, FALSE, sizeof (LkOutboxEntry));
  self->unwritten = g_byte_array_new ();
  self->runs = g_hash_table_new (g_int64_hash, g_int64_equal);
  self->of_jobs = g_hash_table_new (g_direct_hash, g_direct_equal);
  /* Where we lie in memory nobody can choose; nothing else depends on it. */
  self->payload_parts = lk_payloads_new ((guint64)(guintptr)self);
  self->payloads = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL, lk_payload_unref);
  self->admin_comments = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL, g_free);
  lk_done_init (self);
  g_queue_init (&self->ended);
  self->journal_parts = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->restless = g_ptr_array_new ();
  self->stirred = g_ptr_array_new ();
  self->spans = g_new0 (LkArraySpan, LK_ARRAY_SPANS);
  lk_sessions_init (self);
  lk_bounds_init (self);
  lk_turn_init (self);
}

static gboolean
make_engine (LkController *self)
{
  LkPolicyError error;
  self->engine = lk_engine_new (self->config.engine, &error);
  if (self->engine == NULL)
    return FALSE;
  lk_controller_match_nodes (self);
  self->sink = (LkSink){ .decide = lk_controller_decide, .user = self };
  return TRUE;
}

static void
start_clock (LkController *self)
{
  LkEngineCounts counts;
  lk_engine_counts (self->engine, &counts);
  gint64 real_us = self->ports.clock.ops->realtime_us (self->ports.clock.self);
  self->clock_us = self->started_us = self->counted_from_us = monotonic_us (self);
  self->engine_us = MAX (real_us, counts.now_us);
  self->late_us = LK_TIME_NEVER;
  self->pass_next_us = self->started_us;
  self->retry_next_us = lk_time_add_us (self->started_us, self->config.retry_us);
  self->look_next_us = lk_time_add_us (self->started_us, self->config.registration_wait_us);
  for (guint32 i = 0; i < self->node_count; i++)
    self->nodes[i].heard_us = self->started_us;
}

LkController *
lk_controller_make (const LkControllerConfig *config, const LkControllerPorts *ports)
{
  g_autoptr (LkController) self = g_new0 (LkController, 1);
  self->config = *config;
  self->ports = *ports;
  self->journal_term = 1;
  self->asker_user_id = config->administrator_user_id;
  make_tables (self);
  self->rpcs = lk_rpc_book_new ();
  return make_engine (self) ? g_steal_pointer (&self) : NULL;
}

LkControllerFailure
lk_controller_begin (LkController *self, guint64 term)
{
  guint64 own = MAX (self->term, 1);
  if (self->follow.diverged_seq > 0)
    return LK_CONTROLLER_DIVERGED;
  /* The last term that the disk knows of is that of a controller elsewhere. */
  if (term == 0 && self->follow.term >= own)
    return LK_CONTROLLER_FENCED;
  if (term != 0 && (term <= MAX (self->term, self->follow.term) || term > LK_CONTROLLER_TERM_MAX))
    return LK_CONTROLLER_FENCED;
  if (term != 0)
    self->incarnation = 0;
  self->term = MAX (term, own);
  lk_controller_recovered (self);
  start_clock (self);
  lk_log_recovered (self);
  lk_controller_open (self);
  return LK_CONTROLLER_OK;
}

LkController *
lk_controller_new (const LkControllerConfig *config, const LkControllerPorts *ports, guint64 term,
                   LkControllerFailure *out_failure)
{
  LkControllerFailure failure = LK_CONTROLLER_POLICY;
  g_autoptr (LkController) self = lk_controller_make (config, ports);
  if (self != NULL)
    failure = lk_controller_recover (&self);
  if (failure == LK_CONTROLLER_OK)
    failure = lk_controller_begin (self, term);
  *out_failure = failure;
  return failure == LK_CONTROLLER_OK ? g_steal_pointer (&self) : NULL;
}

static void
free_runs (LkController *self)
{
  LkRun *next;
  for (LkRun *run = self->run_first; run != NULL; run = next) {
    next = run->next;
    lk_run_free (run);
  }
}

void
lk_controller_free (LkController *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->inbox->len; i++)
    g_byte_array_unref (g_array_index (self->inbox, LkInboxEntry, i).bytes);
  g_array_unref (self->inbox);
  for (guint i = self->outbox_begin; i < self->outbox->len; i++)
    g_byte_array_unref (g_array_index (self->outbox, LkOutboxEntry, i).bytes);
  g_array_unref (self->outbox);
  g_clear_pointer (&self->rpcs, lk_rpc_book_free);
  g_byte_array_unref (self->unwritten);
  free_runs (self);
  for (guint32 i = 0; i < self->node_count; i++)
    lk_controller_node_clear (&self->nodes[i]);
  g_hash_table_destroy (self->runs);
  g_hash_table_destroy (self->of_jobs);
  g_hash_table_destroy (self->payloads);
  g_hash_table_destroy (self->admin_comments);
  lk_payloads_free (self->payload_parts);
  lk_done_clear (self);
  g_array_unref (self->journal_parts);
  g_clear_pointer (&self->query_ids, g_array_unref);
  g_clear_pointer (&self->query_marks, g_free);
  g_queue_clear_full (&self->ended, g_free);
  g_ptr_array_unref (self->restless);
  g_ptr_array_unref (self->stirred);
  lk_sessions_clear (self);
  lk_bounds_clear (self);
  lk_turn_clear (self);
  g_free (self->spans);
  g_clear_pointer (&self->addresses, lk_node_addresses_free);
  lk_journal_writer_free (self->writer);
  lk_engine_free (self->engine);
  g_free (self->nodes);
  g_free (self);
}

/* ---------------------------------------------------------------- looking in */

const LkEngine *
lk_controller_engine (const LkController *self)
{
  return self->engine;
}

gboolean
lk_controller_is_open (const LkController *self)
{
  return self->is_open;
}

guint64
lk_controller_term (const LkController *self)
{
  return self->term;
}

guint64
lk_controller_durable_seq (const LkController *self)
{
  return self->durable_seq;
}

void
lk_controller_counts (const LkController *self, LkControllerCounts *out_counts)
{
  *out_counts = self->counts;
  out_counts->run_count = g_hash_table_size (self->runs);
  out_counts->session_count = g_hash_table_size (self->sessions);
  out_counts->standby_seq = self->standby_seq;
  out_counts->standby_left_bytes =
      self->durable_bytes - (self->has_standby ? self->standby_has_bytes : 0);
}
