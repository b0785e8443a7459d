/* live/core/controller_snapshot.c — the state of the controller as bytes.
 *
 * A snapshot is 8 magic bytes, u32 CRC-32C of what follows, and records: u32 length, then one of
 * the kinds that message_schema.h calls kept.  The first is the state, with the engine in it.  Two
 * files take turns, so that a whole one is always there. */
#include <string.h>

#include "engine/assert.h"
#include "engine/bytes.h"
#include "engine/crc32c.h"
#include "live/core/controller_private.h"

#define MAGIC "LKCSNAP3"
#define MAGIC_BYTES 8u
#define HEAD_BYTES (MAGIC_BYTES + 4u)

const char *const lk_controller_snapshot_names[LK_CONTROLLER_SNAPSHOTS] = { "snapshot-0",
                                                                            "snapshot-1" };

/* ---------------------------------------------------------------- out */

static void
append (GByteArray *out, const LkMessage *record)
{
  guint begin = out->len;
  lk_append_u32 (out, 0);
  lk_message_encode (record, out);
  lk_put_u32 (out->data + begin, out->len - begin - 4);
}

static void
save_state (const LkController *self, GByteArray *out)
{
  LkEngineCounts counts;
  LkDigestValue digest = lk_engine_digest (self->engine);
  LkMessage record = { .kind = LK_MESSAGE_KEPT_STATE };
  g_autoptr (GByteArray) engine = g_byte_array_new ();
  lk_engine_counts (self->engine, &counts);
  lk_engine_save (self->engine, engine);
  record.kept_state = (LkMessage_kept_state){ .offset_bytes = self->journal_bytes,
                                              .seq = self->seq,
                                              .decision_count = counts.decision_count,
                                              .digest_low = digest.low,
                                              .digest_high = digest.high,
                                              .run_id_last = self->run_id_last,
                                              .term = self->journal_term,
                                              .job_id_last = self->job_id_last,
                                              .engine = { engine->data, engine->len } };
  append (out, &record);
}

static void
save_nodes (const LkController *self, GByteArray *out)
{
  for (guint32 i = 0; i < self->node_count; i++) {
    LkMessage record = { .kind = LK_MESSAGE_KEPT_NODE };
    const LkControllerNode *node = &self->nodes[i];
    if (!node->down_by_us && node->reason_us == 0)
      continue;
    guint8 awaited = node->is_awaited ? 2 : 1;
    record.kept_node = (LkMessage_kept_node){ .node = i,
                                              .down_by_us = node->down_by_us ? awaited : 0,
                                              .reason_user_id = node->reason_user_id,
                                              .reason_us = node->reason_us };
    append (out, &record);
  }
}

/* The first job that has had this, or 0, and then it is this one. */
static guint32
first_with (GHashTable *first, gconstpointer what, guint32 job_id)
{
  guint32 found = what != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (first, what)) : 0;
  if (what != NULL && found == 0)
    g_hash_table_insert (first, (gpointer)what, GUINT_TO_POINTER (job_id));
  return found;
}

/* `first`: the first jobs that have them, by payload and by its parts. */
static void
save_payload (const LkController *self, guint32 job_id, gint64 end_us, GHashTable *first,
              GByteArray *out)
{
  LkPayload *payload = g_hash_table_lookup (self->payloads, GUINT_TO_POINTER (job_id));
  LkMessage record = { .kind = LK_MESSAGE_KEPT_PAYLOAD };
  if (payload == NULL)
    return;
  LkMessage_kept_payload *kept = &record.kept_payload;
  kept->job_id = job_id;
  kept->end_us = end_us;
  kept->shared_with = first_with (first, payload, job_id);
  if (kept->shared_with == 0) {
    gconstpointer script = lk_payload_part (payload, LK_PAYLOAD_SCRIPT);
    gconstpointer environment = lk_payload_part (payload, LK_PAYLOAD_ENVIRONMENT);
    kept->script_of = first_with (first, script, job_id);
    kept->environment_of = first_with (first, environment, job_id);
    kept->payload = lk_payload_without (
        payload, (kept->script_of != 0 ? LK_PAYLOAD_SCRIPT : 0)
                     | (kept->environment_of != 0 ? LK_PAYLOAD_ENVIRONMENT : 0));
  }
  append (out, &record);
  const char *comment = g_hash_table_lookup (self->admin_comments, GUINT_TO_POINTER (job_id));
  LkMessage said = { .kind = LK_MESSAGE_KEPT_ADMIN_COMMENT };
  if (comment == NULL)
    return;
  said.kept_admin_comment =
      (LkMessage_kept_admin_comment){ .job_id = job_id,
                                      .comment = { comment, (guint32)strlen (comment) } };
  append (out, &said);
}

/* Jobs of the system, by index, then those that have ended: what is shared is told once. */
static void
save_payloads (const LkController *self, GByteArray *out)
{
  const LkView *view = lk_engine_view (self->engine);
  g_autoptr (GHashTable) first = g_hash_table_new (g_direct_hash, g_direct_equal);
  for (LkJobIndex job = 0; job < view->job_index_limit; job++)
    if (lk_engine_job_index (self->engine, view->jobs->id[job]) == job)
      save_payload (self, view->jobs->id[job], 0, first, out);
  for (const GList *link = self->ended.head; link != NULL; link = link->next) {
    const LkEndedPayload *ended = link->data;
    save_payload (self, ended->job_id, ended->end_us, first, out);
  }
}

static LkLongText
text_of (const char *string)
{
  return (LkLongText){ string, (guint32)strlen (string) };
}

/* How a run has ended on a node is known only from its agent until the engine has heard of it, and
 * the agent will say it again: till then it is not taken for gone. */
static guint8
is_told_gone (const LkRun *run, const LkRunNode *on)
{
  gboolean is_told = run->end_seq != 0 || (on->is_dropped && !lk_run_is_script_on (run, on));
  return on->stage == LK_ON_NODE_GONE && is_told;
}

#define FACT_OF_RUN(type, name, help) .name = run->facts.name,

/* Else how the run ends is known only from its agents. */
static void
save_leader (const LkRun *run, LkMessage_kept_run *kept)
{
  kept->leader_seq = run->leader_seq;
  kept->exit_code = run->how.exit_code;
  kept->signal = run->how.signal;
  kept->cancelled = run->how.cancelled;
  kept->trouble = run->how.trouble;
}

static void
save_run (const LkController *self, const LkRun *run, GByteArray *out)
{
  guint order_count = run->orders != NULL ? run->orders->len : 0;
  LkMessage record = { .kind = LK_MESSAGE_KEPT_RUN };
  record.kept_run = (LkMessage_kept_run){ .run_id = run->run_id,
                                          .start_seq = run->start_seq,
                                          .end_seq = run->end_seq,
                                          .kill_seq = run->kill_seq,
                                          .job_id = run->job_id,
                                          .user_id = run->user_id,
                                          .group_id = run->group_id,
                                          .array_job_id = run->array_job_id,
                                          .array_task = run->array_task,
                                          .restarts = run->restarts,
                                          .kill_why = run->kill_why,
                                          .memory_bytes = run->memory_bytes,
                                          .nodes = text_of (run->node_list),
                                          .cores = text_of (run->cores),
                                          .gres = text_of (run->gres),
                                          .derived_exit_code = run->derived_exit_code,
                                          .derived_signal = run->derived_signal,
                                          LK_RUN_FACTS_FIELDS (FACT_OF_RUN).payload =
                                              lk_payload_bytes (run->payload),
                                          .node_count = run->node_count,
                                          .order_count = order_count,
                                          .step_next = lk_run_steps_kept_next (self, run),
                                          .step_count = lk_run_steps_kept_count (self, run) };
  if (run->components != NULL)
    record.kept_run.components = (LkComponents){ run->components->data, run->components->len };
  if (run->leader_seq != 0 && run->leader_seq <= self->seq)
    save_leader (run, &record.kept_run);
  append (out, &record);
  for (guint32 i = 0; i < run->node_count; i++) {
    LkMessage part = { .kind = LK_MESSAGE_KEPT_RUN_NODE };
    part.kept_run_node = (LkMessage_kept_run_node){ .node = run->nodes[i].node,
                                                    .is_gone = is_told_gone (run, &run->nodes[i]),
                                                    .is_dropped = run->nodes[i].is_dropped != 0,
                                                    .is_begun = run->nodes[i].is_begun != 0 };
    append (out, &part);
  }
  for (guint i = 0; i < order_count; i++) {
    const LkRunOrder *order = &g_array_index (run->orders, LkRunOrder, i);
    LkMessage part = { .kind = LK_MESSAGE_KEPT_ORDER };
    part.kept_order = (LkMessage_kept_order){ .number = order->number,
                                              .seq = order->seq,
                                              .signal = order->signal,
                                              .batch_only = order->batch_only,
                                              .suspended = order->suspended };
    append (out, &part);
  }
  lk_run_steps_save (self, run, out, append);
}

static void
save_sessions (const LkController *self, GByteArray *out)
{
  for (const LkSession *session = self->session_oldest; session != NULL; session = session->newer) {
    LkMessage record = { .kind = LK_MESSAGE_KEPT_SESSION };
    record.kept_session = (LkMessage_kept_session){ .user_id = session->key.user_id,
                                                    .session = session->key.session,
                                                    .request = session->request,
                                                    .seq = session->seq,
                                                    .job_id = session->job_id,
                                                    .error = session->error,
                                                    .limit = session->limit };
    append (out, &record);
  }
}

void
lk_controller_save (const LkController *self, GByteArray *out)
{
  LkCrc32c crc;
  guint begin = out->len;
  g_byte_array_append (out, (const guint8 *)MAGIC, MAGIC_BYTES);
  lk_append_u32 (out, 0);
  save_state (self, out);
  save_nodes (self, out);
  save_payloads (self, out);
  for (const LkRun *run = self->run_first; run != NULL; run = run->next)
    save_run (self, run, out);
  save_sessions (self, out);
  lk_crc32c_init (&crc);
  guint at = begin + HEAD_BYTES;
  lk_put_u32 (out->data + begin + MAGIC_BYTES, lk_crc32c (&crc, out->data + at, out->len - at));
}

/* ---------------------------------------------------------------- in */

static gboolean
next_record (LkBytesReader *from, LkMessage *out_record)
{
  guint32 length_bytes = lk_take_u32 (from);
  const guint8 *bytes = lk_take (from, length_bytes);
  return bytes != NULL && lk_message_decode_kept (bytes, length_bytes, out_record);
}

static gboolean
open_bytes (const guint8 *bytes, gsize length_bytes, LkBytesReader *out_records,
            LkMessage *out_state)
{
  LkCrc32c crc;
  if (length_bytes < HEAD_BYTES || memcmp (bytes, MAGIC, MAGIC_BYTES) != 0)
    return FALSE;
  LkBytesReader head = { bytes + MAGIC_BYTES, length_bytes - MAGIC_BYTES, FALSE };
  guint32 wanted = lk_take_u32 (&head);
  lk_crc32c_init (&crc);
  if (lk_crc32c (&crc, head.at, head.left_bytes) != wanted)
    return FALSE;
  *out_records = head;
  return next_record (out_records, out_state) && out_state->kind == LK_MESSAGE_KEPT_STATE;
}

guint64
lk_controller_snapshot_seq (const guint8 *bytes, gsize length_bytes, guint64 *out_offset_bytes,
                            LkJournalCheckpoint *out_checkpoint)
{
  LkBytesReader records;
  LkMessage state;
  if (!open_bytes (bytes, length_bytes, &records, &state))
    return 0;
  const LkMessage_kept_state *kept = &state.kept_state;
  *out_offset_bytes = kept->offset_bytes;
  *out_checkpoint = (LkJournalCheckpoint){ .seq = kept->seq,
                                           .decision_count = kept->decision_count,
                                           .digest = { kept->digest_low, kept->digest_high } };
  return kept->seq;
}

static const LkPayload *
payload_by_job (const LkController *self, guint32 job_id)
{
  return job_id != 0 ? g_hash_table_lookup (self->payloads, GUINT_TO_POINTER (job_id)) : NULL;
}

static gboolean
user_of_job (LkController *self, guint32 job_id, guint32 *out_user_id)
{
  LkJobInfo info;
  if (!lk_engine_job (self->engine, job_id, &info))
    return lk_engine_ended_user (self->engine, job_id, out_user_id);
  *out_user_id = info.user_id;
  return TRUE;
}

/* FALSE: it leans on what is not there. */
static gboolean
load_payload (LkController *self, const LkMessage_kept_payload *kept)
{
  guint32 user_id;
  LkPayload *payload = (LkPayload *)payload_by_job (self, kept->shared_with);
  const LkPayload *script_of = payload_by_job (self, kept->script_of);
  const LkPayload *environment_of = payload_by_job (self, kept->environment_of);
  if ((kept->shared_with != 0 && payload == NULL) || (kept->script_of != 0 && script_of == NULL)
      || (kept->environment_of != 0 && environment_of == NULL))
    return FALSE;
  if (payload != NULL)
    lk_payload_ref (payload);
  else if (script_of == NULL && environment_of == NULL)
    payload = lk_payload_new (self->payload_parts, kept->payload.bytes, kept->payload.length_bytes);
  else if (!lk_payload_join (self->payload_parts, kept->payload, script_of, environment_of,
                             &payload))
    return FALSE;
  if (user_of_job (self, kept->job_id, &user_id))
    lk_payload_charge (payload, user_id);
  g_hash_table_replace (self->payloads, GUINT_TO_POINTER (kept->job_id), payload);
  if (kept->end_us != 0)
    lk_payload_keep_ended (self, kept->job_id, kept->end_us);
  return TRUE;
}

static char *
string_of (LkLongText text)
{
  return text.length_bytes > 0 ? g_strndup (text.bytes, text.length_bytes) : g_strdup ("");
}

#define FACT_OF_KEPT(type, name, help) .name = kept->name,

static LkRun *
run_of (const LkController *self, const LkMessage_kept_run *kept)
{
  LkRun *run = lk_run_new (kept->run_id, kept->job_id, kept->node_count);
  run->start_seq = kept->start_seq;
  run->end_seq = kept->end_seq;
  run->kill_seq = kept->kill_seq;
  run->user_id = kept->user_id;
  run->group_id = kept->group_id;
  run->array_job_id = kept->array_job_id;
  run->array_task = kept->array_task;
  run->restarts = kept->restarts;
  run->kill_why = kept->kill_why;
  run->memory_bytes = kept->memory_bytes;
  run->node_list = string_of (kept->nodes);
  run->cores = string_of (kept->cores);
  run->gres = string_of (kept->gres);
  run->leader_seq = kept->leader_seq;
  run->how.exit_code = kept->exit_code;
  run->how.signal = kept->signal;
  run->how.cancelled = kept->cancelled;
  run->how.trouble = kept->trouble;
  run->derived_exit_code = kept->derived_exit_code;
  run->derived_signal = kept->derived_signal;
  if (kept->components.length_bytes > 0) {
    run->components = g_byte_array_new ();
    g_byte_array_append (run->components, kept->components.bytes, kept->components.length_bytes);
  }
  LkRunFacts facts = { LK_RUN_FACTS_FIELDS (FACT_OF_KEPT) };
  lk_run_take_facts (run, &facts);
  run->payload =
      lk_payload_new (self->payload_parts, kept->payload.bytes, kept->payload.length_bytes);
  return run;
}

static gboolean
load_run_nodes (const LkController *self, LkBytesReader *records, LkRun *run)
{
  LkMessage record;
  for (guint32 i = 0; i < run->node_count; i++) {
    if (!next_record (records, &record) || record.kind != LK_MESSAGE_KEPT_RUN_NODE
        || record.kept_run_node.node >= self->node_count)
      return FALSE;
    LkRunNode *on = &run->nodes[i];
    on->node = record.kept_run_node.node;
    on->is_dropped = record.kept_run_node.is_dropped != 0;
    on->is_begun = record.kept_run_node.is_begun != 0;
    on->stage = record.kept_run_node.is_gone != 0 ? LK_ON_NODE_GONE : LK_ON_NODE_WAITING;
    /* Behind the first, which runs the script, they rise; none comes twice. */
    if ((i > 0 && on->node == run->nodes[0].node) || (i > 1 && on->node <= run->nodes[i - 1].node))
      return FALSE;
  }
  return TRUE;
}

static gboolean
load_orders (const LkController *self, LkBytesReader *records, const LkMessage_kept_run *kept,
             LkRun *run)
{
  LkMessage record;
  guint64 last = 0;
  for (guint32 i = 0; i < kept->order_count; i++) {
    if (!next_record (records, &record) || record.kind != LK_MESSAGE_KEPT_ORDER
        || record.kept_order.seq > self->seq || record.kept_order.number <= last)
      return FALSE;
    last = record.kept_order.number;
    if (run->orders == NULL)
      run->orders = g_array_new (FALSE, FALSE, sizeof (LkRunOrder));
    LkRunOrder order = { .number = record.kept_order.number,
                         .seq = record.kept_order.seq,
                         .signal = record.kept_order.signal,
                         .batch_only = record.kept_order.batch_only,
                         .suspended = record.kept_order.suspended };
    g_array_append_val (run->orders, order);
  }
  return TRUE;
}

static gboolean
load_steps (LkController *self, LkBytesReader *records, const LkMessage_kept_run *kept, LkRun *run)
{
  LkMessage record;
  LkJobStep *step = NULL;
  for (guint32 i = 0; i < kept->step_count; i++) {
    if (!next_record (records, &record))
      return FALSE;
    if (record.kind == LK_MESSAGE_KEPT_STEP_ORDER && step != NULL) {
      if (!lk_step_load_order (self, step, &record.kept_step_order))
        return FALSE;
      continue;
    }
    if (record.kind != LK_MESSAGE_KEPT_STEP || record.kept_step.run_id != run->run_id)
      return FALSE;
    step = lk_run_step_add (self, run, &record.kept_step);
    if (step == NULL || step->place_count == 0)
      return FALSE;
    step->create_seq = self->seq;
  }
  gboolean is_good = kept->step_next >= run->step_next;
  run->step_next = kept->step_next;
  return is_good;
}

/* Run ids rise, and of a job only the newest run is one that the engine has. */
static gboolean
is_run_possible (const LkController *self, const LkMessage_kept_run *kept)
{
  const LkRun *older = lk_run_of_job (self, kept->job_id);
  LkJobInfo info;
  if (kept->node_count == 0 || kept->node_count > self->node_count
      || kept->run_id > self->run_id_last || kept->start_seq > self->seq
      || kept->end_seq > self->seq || kept->kill_seq > self->seq || kept->leader_seq > self->seq)
    return FALSE;
  if ((self->run_last != NULL && kept->run_id <= self->run_last->run_id)
      || (older != NULL && older->end_seq == 0))
    return FALSE;
  return kept->end_seq != 0
         || (lk_engine_job (self->engine, kept->job_id, &info) && info.state != LK_JOB_PENDING
             && info.state != LK_JOB_SPECIAL_EXIT);
}

static gboolean
load_run (LkController *self, LkBytesReader *records, const LkMessage_kept_run *kept)
{
  if (!is_run_possible (self, kept))
    return FALSE;
  LkRun *run = run_of (self, kept);
  if (!load_run_nodes (self, records, run) || !load_orders (self, records, kept, run)
      || !load_steps (self, records, kept, run)) {
    lk_run_free (run);
    return FALSE;
  }
  lk_run_add (self, run);
  if (run->nodes[0].is_dropped && lk_run_has_script (run))
    lk_run_lose_script (run);
  for (guint32 i = 0; i < run->node_count; i++)
    if (run->nodes[i].stage != LK_ON_NODE_GONE && (run->end_seq != 0 || run->nodes[i].is_dropped))
      self->nodes[run->nodes[i].node].over_count++;
  return TRUE;
}

static gboolean
load_session (LkController *self, const LkMessage_kept_session *kept)
{
  if (kept->seq > self->seq)
    return FALSE;
  LkSession session = { .key = { kept->user_id, kept->session },
                        .request = kept->request,
                        .seq = kept->seq,
                        .job_id = kept->job_id,
                        .error = kept->error,
                        .limit = kept->limit };
  lk_session_note (self, &session);
  return TRUE;
}

static void
load_node (LkControllerNode *node, const LkMessage_kept_node *kept)
{
  node->down_by_us = kept->down_by_us != 0;
  node->is_awaited = kept->down_by_us == 2;
  node->reason_user_id = kept->reason_user_id;
  node->reason_us = kept->reason_us;
}

static gboolean
load_record (LkController *self, LkBytesReader *records, const LkMessage *record)
{
  switch (record->kind) {
  case LK_MESSAGE_KEPT_NODE:
    if (record->kept_node.node >= self->node_count)
      return FALSE;
    load_node (&self->nodes[record->kept_node.node], &record->kept_node);
    return TRUE;
  case LK_MESSAGE_KEPT_PAYLOAD:
    return load_payload (self, &record->kept_payload);
  case LK_MESSAGE_KEPT_ADMIN_COMMENT:
    lk_controller_keep_admin_comment (self, record->kept_admin_comment.job_id,
                                      record->kept_admin_comment.comment);
    return TRUE;
  case LK_MESSAGE_KEPT_RUN:
    return load_run (self, records, &record->kept_run);
  case LK_MESSAGE_KEPT_SESSION:
    return load_session (self, &record->kept_session);
  default:
    return FALSE;
  }
}

/* The engine is as far as the snapshot says, and each start of it was a decision. */
static gboolean
load_engine (LkController *self, const LkMessage_kept_state *kept)
{
  LkStatus status;
  LkEngineCounts counts;
  LkEngine *engine =
      lk_engine_load (self->config.engine, kept->engine.bytes, kept->engine.length_bytes, &status);
  if (engine == NULL)
    return FALSE;
  lk_engine_free (self->engine);
  self->engine = engine;
  lk_controller_match_nodes (self);
  self->seq = kept->seq;
  self->run_id_last = kept->run_id_last;
  self->journal_term = kept->term;
  self->job_id_last = kept->job_id_last;
  lk_engine_counts (engine, &counts);
  LkDigestValue digest = { kept->digest_low, kept->digest_high };
  return counts.event_count == kept->seq && counts.decision_count == kept->decision_count
         && kept->run_id_last - lk_controller_run_id_base (kept->term) <= counts.decision_count
         && lk_digest_value_equal (digest, lk_engine_digest (engine));
}

/* Each job that the engine runs has a run: so many as there are, each of another job that runs. */
static gboolean
has_all_runs (const LkController *self)
{
  LkEngineCounts counts;
  guint32 present_count = 0;
  lk_engine_counts (self->engine, &counts);
  for (const LkRun *run = self->run_first; run != NULL; run = run->next)
    present_count += run->end_seq == 0 ? 1 : 0;
  return present_count == counts.running_count;
}

gboolean
lk_controller_load (LkController *self, const guint8 *bytes, gsize length_bytes)
{
  LkBytesReader records;
  LkMessage record;
  if (!open_bytes (bytes, length_bytes, &records, &record))
    return FALSE;
  if (!load_engine (self, &record.kept_state))
    return FALSE;
  while (records.left_bytes > 0)
    if (!next_record (&records, &record) || !load_record (self, &records, &record))
      return FALSE;
  return has_all_runs (self);
}
