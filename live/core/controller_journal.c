/* live/core/controller_journal.c — durability: group commit, and what waits for it.
 *
 * At most one append is under way.  All events that come meanwhile go into the next one, as one
 * batch of the journal: so what a crash leaves of an append is the tail of the file. */
#include "engine/assert.h"
#include "live/core/controller_private.h"

static void
take_records (gpointer user, const guint8 *bytes, gsize length_bytes)
{
  LkController *self = user;
  g_byte_array_append (self->unwritten, bytes, (guint)length_bytes);
}

static guint64
next_token (LkController *self)
{
  return ++self->token_last;
}

static void
write_start (LkController *self)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkMessage start = { .kind = LK_MESSAGE_KEPT_START };
  const LkPortDisk *disk = &self->ports.disk;
  start.kept_start =
      (LkMessage_kept_start){ .term = self->term, .incarnation = ++self->incarnation };
  lk_message_encode (&start, bytes);
  self->start_token = next_token (self);
  disk->ops->replace (disk->self, LK_CONTROLLER_START, bytes->data, bytes->len, self->start_token);
}

/* What was read may not be durable: it was found, but perhaps only written, and a failure of the
 * disk, or a death before the end of the request, came in between. */
static void
sync_journal (LkController *self)
{
  const LkPortDisk *disk = &self->ports.disk;
  static const guint8 nothing[1] = { 0 };
  disk->ops->append (disk->self, LK_CONTROLLER_JOURNAL, nothing, 0, next_token (self));
}

void
lk_controller_take_term (LkController *self, guint64 term)
{
  self->journal_term = term;
  /* What a controller of a lower term has begun that is not in this journal has other numbers. */
  self->run_id_last = MAX (self->run_id_last, lk_controller_run_id_base (term));
}

/* So that whoever reads the journal numbers the runs alike. */
static void
note_term (LkController *self)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkMessage note = { .kind = LK_MESSAGE_KEPT_START };
  note.kept_start = (LkMessage_kept_start){ .term = self->term, .incarnation = self->incarnation };
  lk_message_encode (&note, bytes);
  lk_journal_writer_note (self->writer, bytes->data, bytes->len);
  lk_controller_take_term (self, self->term);
}

void
lk_controller_open (LkController *self)
{
  gboolean is_new = self->journal_bytes == 0;
  self->durable_seq = self->begun_seq = self->seq;
  self->durable_bytes = self->journal_bytes;
  self->snapshot_seq = self->seq;
  self->writer = lk_journal_writer_new (is_new ? self->config.header : NULL, self->seq + 1,
                                        take_records, self);
  if (!is_new)
    sync_journal (self);
  /* Behind it: when the start is durable, so is all that was read. */
  write_start (self);
  if (self->term > self->journal_term)
    note_term (self);
}

void
lk_controller_note_request (LkController *self, const LkInboxEntry *entry,
                            const LkMessage_reply *reply)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint event_bytes = entry->bytes->len - entry->payload_bytes;
  LkMessage note = { .kind = LK_MESSAGE_KEPT_REQUEST };
  note.kept_request =
      (LkMessage_kept_request){ .seq = self->seq,
                                .event_count = entry->event_count,
                                .user_id = entry->user_id,
                                .session = entry->session,
                                .request = entry->request,
                                .payload = { entry->bytes->data + event_bytes,
                                             reply->job_id != 0 ? entry->payload_bytes : 0 } };
  lk_message_encode (&note, bytes);
  lk_journal_writer_note (self->writer, bytes->data, bytes->len);
}

static void
note_gpu_usage (LkController *self, guint32 node, const LkRunReport *how)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkMessage note = { .kind = LK_MESSAGE_KEPT_GPU_USAGE };
  note.kept_gpu_usage =
      (LkMessage_kept_gpu_usage){ .run_id = how->run_id,
                                  .job_id = how->job_id,
                                  .node = node,
                                  .max_gpu_memory_bytes = how->max_gpu_memory_bytes,
                                  .max_gpu_percent = how->max_gpu_percent };
  lk_message_encode (&note, bytes);
  lk_journal_writer_note (self->writer, bytes->data, bytes->len);
}

void
lk_controller_note_usage (LkController *self, guint32 node, const LkRunReport *how)
{
  if (how->user_cpu_us == 0 && how->system_cpu_us == 0 && how->max_rss_bytes == 0)
    return;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkMessage note = { .kind = LK_MESSAGE_KEPT_USAGE };
  note.kept_usage = (LkMessage_kept_usage){ .run_id = how->run_id,
                                            .job_id = how->job_id,
                                            .node = node,
                                            .user_cpu_us = how->user_cpu_us,
                                            .system_cpu_us = how->system_cpu_us,
                                            .max_rss_bytes = how->max_rss_bytes };
  lk_message_encode (&note, bytes);
  lk_journal_writer_note (self->writer, bytes->data, bytes->len);
  if (how->max_gpu_memory_bytes > 0 || how->max_gpu_percent > 0)
    note_gpu_usage (self, node, how);
}

void
lk_controller_note_begun (LkController *self, const LkRun *run, LkRunNode *on)
{
  if (on->is_begun)
    return;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkMessage note = { .kind = LK_MESSAGE_KEPT_BEGUN };
  on->is_begun = TRUE;
  note.kept_begun = (LkMessage_kept_begun){ .run_id = run->run_id, .node = on->node };
  lk_message_encode (&note, bytes);
  lk_journal_writer_note (self->writer, bytes->data, bytes->len);
}

void
lk_controller_write_event (LkController *self, const LkEvent *event)
{
  LkDecided decided = lk_engine_decided (self->engine);
  lk_journal_writer_event (self->writer, event, &decided);
  self->is_carry_wanted = FALSE;
}

/* ---------------------------------------------------------------- out */

void
lk_controller_write_snapshot (LkController *self)
{
  const LkPortDisk *disk = &self->ports.disk;
  if (self->snapshot_token != 0 || self->seq - self->snapshot_seq < self->config.snapshot_events)
    return;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_controller_save (self, bytes);
  lk_log_snapshot (self, bytes->len);
  self->snapshot_seq = self->seq;
  self->snapshot_token = next_token (self);
  disk->ops->replace (disk->self, lk_controller_snapshot_names[self->snapshot_next], bytes->data,
                      bytes->len, self->snapshot_token);
  self->snapshot_next = (self->snapshot_next + 1) % LK_CONTROLLER_SNAPSHOTS;
}

void
lk_controller_commit (LkController *self)
{
  const LkPortDisk *disk = &self->ports.disk;
  LkEngineCounts counts;
  if (self->append_token != 0 || self->failure != LK_CONTROLLER_OK)
    return;
  lk_engine_counts (self->engine, &counts);
  lk_journal_writer_commit (self->writer, counts.decision_count, lk_engine_digest (self->engine));
  if (self->unwritten->len == 0)
    return;
  GByteArray *bytes = self->unwritten;
  self->unwritten = g_byte_array_new ();
  self->append_token = next_token (self);
  self->appending_seq = self->seq;
  self->journal_bytes += bytes->len;
  disk->ops->append (disk->self, LK_CONTROLLER_JOURNAL, bytes->data, bytes->len,
                     self->append_token);
  g_byte_array_unref (bytes);
  /* Behind the append, whose events it holds: the disk keeps the order. */
  lk_controller_write_snapshot (self);
}

/* ---------------------------------------------------------------- done */

guint64
lk_controller_settled_seq (const LkController *self)
{
  if (self->config.waits_for_standby)
    return MIN (self->durable_seq, self->standby_seq);
  return self->durable_seq;
}

static void
send_outbox (LkController *self)
{
  guint64 settled = lk_controller_settled_seq (self);
  while (self->outbox_begin < self->outbox->len) {
    LkOutboxEntry *entry = &g_array_index (self->outbox, LkOutboxEntry, self->outbox_begin);
    if (entry->seq > settled)
      break;
    self->outbox_begin++;
    self->ports.net.ops->send (self->ports.net.self, entry->peer, entry->bytes->data,
                               entry->bytes->len);
    g_byte_array_unref (entry->bytes);
  }
  if (self->outbox_begin == self->outbox->len || self->outbox_begin > 4096) {
    g_array_remove_range (self->outbox, 0, self->outbox_begin);
    self->outbox_begin = 0;
  }
}

void
lk_controller_release (LkController *self)
{
  if (self->failure != LK_CONTROLLER_OK)
    return;
  send_outbox (self);
  lk_reload_look (self);
  lk_runs_stir (self);
  lk_runs_act (self);
}

void
lk_controller_wait_for_standby (LkController *self, gboolean waits)
{
  self->config.waits_for_standby = waits;
  if (self->is_open && self->failure == LK_CONTROLLER_OK)
    lk_controller_release (self);
}

static void
appended (LkController *self)
{
  self->append_token = 0;
  self->durable_seq = self->appending_seq;
  self->durable_bytes = self->journal_bytes;
  lk_controller_feed_standby (self);
  lk_controller_release (self);
  lk_controller_commit (self);
}

void
lk_controller_disk_done (LkController *self, guint64 token, gboolean has_succeeded)
{
  if (self->failure != LK_CONTROLLER_OK)
    return;
  lk_controller_now_us (self);
  if (!has_succeeded) {
    lk_controller_fail (self, LK_CONTROLLER_DISK_FAILED);
  } else if (token == self->append_token) {
    appended (self);
  } else if (token == self->snapshot_token) {
    self->snapshot_token = 0;
  } else if (token == self->start_token) {
    self->is_open = TRUE;
    lk_controller_commit (self);
  }
}
