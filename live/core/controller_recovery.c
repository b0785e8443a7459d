/* live/core/controller_recovery.c — the state from the disk: newest good snapshot, then journal.
 *
 * The journal is read through the same sink as when it was written, so that runs, payloads and
 * sessions come out as they were.  Each event's decisions are compared with those recorded. */
#include <string.h>

#include "engine/assert.h"
#include "live/core/controller_private.h"
#include "live/core/standby.h"

/* ---------------------------------------------------------------- requests */

/* Notes of one batch: they come with its first event. */
typedef struct {
  GArray *notes; /* of LkMessage, borrowed from the reader */
  guint next;
  LkMessage_reply reply; /* to the request of the last event */
  guint64 payload_seq;   /* of the request whose payload this is: its components share it */
  LkPayload *payload;
} Notes;

/* Of a run that has ended since it says nothing. */
static void
take_begun (const LkController *self, const LkMessage_kept_begun *begun)
{
  const LkRun *run = lk_run_find (self, begun->run_id);
  LkRunNode *on = run != NULL ? lk_run_node (run, begun->node) : NULL;
  if (on != NULL)
    on->is_begun = TRUE;
}

static gboolean
take_notes (LkController *self, LkJournalReader *reader, Notes *notes)
{
  const guint8 *bytes;
  gsize length_bytes;
  while (lk_journal_reader_note (reader, &bytes, &length_bytes)) {
    LkMessage note;
    if (!lk_message_decode (bytes, length_bytes, &note))
      return FALSE;
    if (note.kind == LK_MESSAGE_KEPT_START && note.kept_start.term > self->journal_term
        && note.kept_start.term <= LK_CONTROLLER_TERM_MAX)
      lk_controller_take_term (self, note.kept_start.term);
    else if (note.kind == LK_MESSAGE_KEPT_REQUEST)
      g_array_append_val (notes->notes, note);
    else if (note.kind == LK_MESSAGE_KEPT_BEGUN)
      take_begun (self, &note.kept_begun);
    else if (!lk_controller_take_step_note (self, &note) && note.kind != LK_MESSAGE_KEPT_USAGE
             && note.kind != LK_MESSAGE_KEPT_GPU_USAGE)
      return FALSE;
  }
  return TRUE;
}

/* The request that an event is of; NULL: none. */
static const LkMessage_kept_request *
note_of (Notes *notes, guint64 seq)
{
  while (notes->next < notes->notes->len) {
    const LkMessage_kept_request *kept =
        &g_array_index (notes->notes, LkMessage, notes->next).kept_request;
    if (seq <= kept->seq)
      return seq + kept->event_count > kept->seq ? kept : NULL;
    notes->next++;
  }
  return NULL;
}

static void
forget_notes (Notes *notes)
{
  g_array_set_size (notes->notes, 0);
  notes->next = 0;
}

/* Borrowed. `note` NULL: the event is of no request. */
static LkPayload *
payload_of_note (const LkController *self, Notes *notes, const LkMessage_kept_request *note)
{
  if (notes->payload == NULL || note == NULL || notes->payload_seq != note->seq) {
    lk_payload_unref (notes->payload);
    LkBytes bytes = note != NULL ? note->payload : (LkBytes){ 0 };
    notes->payload = lk_payload_new (self->payload_parts, bytes.bytes, bytes.length_bytes);
    notes->payload_seq = note != NULL ? note->seq : 0;
  }
  return notes->payload;
}

/* ---------------------------------------------------------------- events */

/* As lk_controller_apply_request does it. */
static void
replay_event (LkController *self, LkEvent *event, const LkMessage_kept_request *note, Notes *notes,
              LkMessage_reply *reply)
{
  gboolean is_submit = event->kind == LK_EVENT_SUBMIT;
  guint32 last_before = self->job_id_last;
  if (note != NULL && event->seq + note->event_count == note->seq + 1)
    *reply = (LkMessage_reply){ .session = note->session, .request = note->request };
  if (is_submit) {
    self->job_id_last = MAX (self->job_id_last, event->submit.job_id);
    LkPayload *payload = payload_of_note (self, notes, note);
    lk_payload_charge (payload, note != NULL ? note->user_id : event->submit.user_id);
    g_hash_table_replace (self->payloads, GUINT_TO_POINTER (event->submit.job_id),
                          lk_payload_ref (payload));
  }
  LkMessage_reply own = { 0 };
  self->answering = &own;
  self->seq = event->seq;
  LkStatus status = lk_engine_apply (self->engine, event, &self->sink);
  self->answering = NULL;
  LK_ASSERT (status == LK_STATUS_OK); /* replay_next has checked number and time */
  if (event->kind == LK_EVENT_RECONFIGURE)
    lk_controller_match_nodes (self);
  self->asker_user_id = note != NULL ? note->user_id : self->config.administrator_user_id;
  lk_controller_node_events (self, event);
  self->asker_user_id = self->config.administrator_user_id;
  lk_payloads_expire (self, event->time_us);
  lk_done_expire (self, event->time_us);
  if (is_submit && own.error != 0)
    lk_controller_forget_submit (self, &event->submit, last_before,
                                 note != NULL ? note->user_id : 0, own.error);
  reply->limit = reply->error != 0 ? reply->limit : own.limit;
  reply->error = reply->error != 0 ? reply->error : own.error;
  reply->job_id = reply->job_id != 0 ? reply->job_id : own.job_id;
}

static void
note_session (LkController *self, const LkMessage_kept_request *note, const LkMessage_reply *reply)
{
  LkSession session = { .key = { note->user_id, note->session },
                        .request = note->request,
                        .seq = note->seq,
                        .job_id = reply->job_id,
                        .error = reply->error,
                        .limit = reply->limit };
  lk_session_note (self, &session);
}

/* Runs that are over and gone leave the table here, as nothing is sent for them. */
static void
prune (LkController *self)
{
  for (guint i = 0; i < self->stirred->len; i++) {
    LkRun *run = g_ptr_array_index (self->stirred, i);
    run->is_stirred = FALSE;
    if (run->end_seq != 0 && lk_run_is_gone (run))
      lk_run_remove (self, run);
  }
  g_ptr_array_set_size (self->stirred, 0);
}

/* ---------------------------------------------------------------- comparing */

static guint32
first_difference (const LkDecided *a, const LkDecided *b)
{
  gsize at = 0;
  guint32 same = 0;
  while (at < a->length_bytes && at < b->length_bytes) {
    LkDecision decision;
    gsize used = lk_decision_decode (a->bytes + at, a->length_bytes - at, &decision);
    if (used == 0 || used > b->length_bytes - at
        || memcmp (a->bytes + at, b->bytes + at, used) != 0)
      break;
    at += used;
    same++;
  }
  return same;
}

static gboolean
decides_as (const LkController *self, LkJournalReader *reader, guint64 seq,
            LkReplayFault *out_fault)
{
  LkDecided recorded = lk_journal_reader_decided (reader);
  LkDecided decided = lk_engine_decided (self->engine);
  if (recorded.length_bytes == decided.length_bytes
      && (decided.length_bytes == 0
          || memcmp (recorded.bytes, decided.bytes, decided.length_bytes) == 0))
    return TRUE;
  *out_fault = (LkReplayFault){ .seq = seq, .decision = first_difference (&recorded, &decided) };
  return FALSE;
}

static gboolean
digest_fits (const LkController *self, const LkJournalReader *reader, LkReplayFault *out_fault)
{
  LkJournalCheckpoint checkpoint;
  if (!lk_journal_reader_checkpoint (reader, &checkpoint) || checkpoint.seq != self->seq
      || lk_digest_value_equal (checkpoint.digest, lk_engine_digest (self->engine)))
    return TRUE;
  *out_fault = (LkReplayFault){ .seq = self->seq };
  return FALSE;
}

static gboolean
replay_next (LkController *self, LkJournalReader *reader, LkEvent *event, Notes *notes,
             LkReplayFault *out_fault)
{
  LkMessage_reply reply = notes->reply;
  const LkMessage_kept_request *note = note_of (notes, event->seq);
  LkEngineCounts counts;
  lk_engine_counts (self->engine, &counts);
  *out_fault = (LkReplayFault){ .seq = event->seq };
  if (event->seq != self->seq + 1 || event->time_us < counts.now_us)
    return FALSE;
  replay_event (self, event, note, notes, &reply);
  notes->reply = reply;
  if (note != NULL && note->seq == event->seq)
    note_session (self, note, &reply);
  prune (self);
  return decides_as (self, reader, event->seq, out_fault) && digest_fits (self, reader, out_fault);
}

gboolean
lk_controller_replay (LkController *self, LkJournalReader *reader, LkJournalState *out_state,
                      LkReplayFault *out_fault)
{
  Notes notes = { .notes = g_array_new (FALSE, FALSE, sizeof (LkMessage)) };
  LkEvent event;
  gboolean is_same = TRUE;
  self->is_recovering = TRUE;
  while (is_same && (*out_state = lk_journal_reader_next (reader, &event)) == LK_JOURNAL_EVENT) {
    *out_fault = (LkReplayFault){ .seq = event.seq };
    is_same =
        take_notes (self, reader, &notes) && replay_next (self, reader, &event, &notes, out_fault);
    LkJournalCheckpoint checkpoint;
    if (!lk_journal_reader_checkpoint (reader, &checkpoint))
      continue;
    forget_notes (&notes);
    self->batch_count++;
  }
  self->is_recovering = FALSE;
  g_array_unref (notes.notes);
  lk_payload_unref (notes.payload);
  return is_same;
}

/* ---------------------------------------------------------------- the disk */

static gboolean
long_text_equal (LkLongText a, LkLongText b)
{
  return a.length_bytes == b.length_bytes
         && (a.length_bytes == 0 || memcmp (a.bytes, b.bytes, a.length_bytes) == 0);
}

gboolean
lk_controller_header_fits (const LkController *self, const LkJournalHeader *header)
{
  const LkJournalHeader *ours = self->config.header;
  return header->config_digest_low == ours->config_digest_low
         && header->config_digest_high == ours->config_digest_high
         && long_text_equal (header->cluster, ours->cluster)
         && long_text_equal (header->accounts, ours->accounts);
}

static GByteArray *
read_file (const LkController *self, const char *name, gboolean *out_failed)
{
  const LkPortDisk *disk = &self->ports.disk;
  return disk->ops->read (disk->self, name, out_failed);
}

static void
bytes_unref (GByteArray *bytes)
{
  if (bytes != NULL)
    g_byte_array_unref (bytes);
}

/* A file of one message, which is replaced as a whole. When there is none, `out_message` is all 0.
 * The message has no texts, so that it does not borrow from the bytes. */
static LkControllerFailure
read_kept (const LkController *self, const char *name, LkMessageKind kind, LkMessage *out_message)
{
  gboolean has_failed = FALSE;
  GByteArray *bytes = read_file (self, name, &has_failed);
  *out_message = (LkMessage){ .kind = kind };
  if (has_failed)
    return LK_CONTROLLER_DISK_FAILED;
  if (bytes == NULL)
    return LK_CONTROLLER_OK;
  gboolean is_good =
      lk_message_decode (bytes->data, bytes->len, out_message) && out_message->kind == kind;
  g_byte_array_unref (bytes);
  return is_good ? LK_CONTROLLER_OK : LK_CONTROLLER_JOURNAL_CORRUPT;
}

static LkControllerFailure
read_terms (LkController *self)
{
  LkMessage start;
  LkMessage standby;
  LkControllerFailure failure =
      read_kept (self, LK_CONTROLLER_START, LK_MESSAGE_KEPT_START, &start);
  if (failure == LK_CONTROLLER_OK)
    failure = read_kept (self, LK_STANDBY_FILE, LK_MESSAGE_KEPT_STANDBY, &standby);
  if (failure != LK_CONTROLLER_OK)
    return failure;
  self->term = start.kept_start.term;
  self->incarnation = start.kept_start.incarnation;
  self->follow = standby.kept_standby;
  return LK_CONTROLLER_OK;
}

/* Of any length, borrowed. */
typedef struct {
  const guint8 *bytes;
  gsize length_bytes;
} JournalBytes;

/* Is the journal whole up to there, and the checkpoint there this one?  A snapshot may have been
 * written though the append before it has failed, and what lies before it may be damaged. */
static gboolean
has_checkpoint (JournalBytes journal, guint64 offset, const LkJournalCheckpoint *wanted)
{
  LkJournalHeader header;
  LkJournalCheckpoint found;
  LkEvent event;
  const char *why;
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (journal.bytes, journal.length_bytes, &header, &why);
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT)
    if (lk_journal_reader_checkpoint (reader, &found)
        && lk_journal_reader_good_bytes (reader) >= offset)
      return lk_journal_reader_good_bytes (reader) == offset && found.seq == wanted->seq
             && found.decision_count == wanted->decision_count
             && lk_digest_value_equal (found.digest, wanted->digest);
  return FALSE;
}

/* The newest snapshot below event `*seq_below` that is whole, of events that the journal has; NULL:
 * there is none.  `*seq_below` becomes its last event, or 0. */
static GByteArray *
newest_snapshot (LkController *self, JournalBytes journal, guint64 *seq_below, guint64 *out_offset,
                 LkJournalCheckpoint *out_checkpoint)
{
  GByteArray *newest = NULL;
  guint64 newest_seq = 0;
  for (guint i = 0; i < LK_CONTROLLER_SNAPSHOTS; i++) {
    gboolean has_failed = FALSE;
    guint64 offset = 0;
    LkJournalCheckpoint checkpoint;
    GByteArray *bytes = read_file (self, lk_controller_snapshot_names[i], &has_failed);
    if (bytes == NULL)
      continue;
    guint64 seq = lk_controller_snapshot_seq (bytes->data, bytes->len, &offset, &checkpoint);
    if (seq <= newest_seq || seq >= *seq_below || !has_checkpoint (journal, offset, &checkpoint)) {
      g_byte_array_unref (bytes);
      continue;
    }
    bytes_unref (newest);
    newest = bytes;
    newest_seq = seq;
    *out_offset = offset;
    *out_checkpoint = checkpoint;
    self->snapshot_next = (i + 1) % LK_CONTROLLER_SNAPSHOTS;
  }
  *seq_below = newest_seq;
  return newest;
}

/* Forgets what was loaded and applied. */
static void
begin_anew (LkController **self, guint64 batch_count)
{
  LkController *fresh = lk_controller_make (&(*self)->config, &(*self)->ports);
  LK_ASSERT (fresh != NULL);
  fresh->term = (*self)->term;
  fresh->incarnation = (*self)->incarnation;
  fresh->follow = (*self)->follow;
  fresh->batch_count = batch_count;
  lk_controller_free (*self);
  *self = fresh;
}

/* A snapshot is only a short cut: without it the journal is read from its beginning. */
static void
load_snapshot (LkController **self, LkJournalReader *reader, JournalBytes journal,
               guint64 *seq_below)
{
  guint64 offset = 0;
  LkJournalCheckpoint checkpoint = { 0 };
  guint64 batch_count = (*self)->batch_count;
  GByteArray *bytes;
  while ((bytes = newest_snapshot (*self, journal, seq_below, &offset, &checkpoint)) != NULL) {
    gboolean is_good = lk_controller_load (*self, bytes->data, bytes->len)
                       && lk_journal_reader_go_on (reader, (gsize)offset, &checkpoint);
    g_byte_array_unref (bytes);
    if (is_good)
      return;
    begin_anew (self, batch_count);
  }
}

static void
cut_journal (LkController *self, gsize good_bytes, gsize length_bytes)
{
  const LkPortDisk *disk = &self->ports.disk;
  self->journal_bytes = good_bytes;
  if (good_bytes < length_bytes)
    disk->ops->cut (disk->self, LK_CONTROLLER_JOURNAL, good_bytes, ++self->token_last);
}

/* A torn tail is all that is behind the last good batch.  A controller appends one batch at a time,
 * so that no whole batch is behind a torn one; a standby tells where it appends several. */
static gboolean
is_torn_tail (const LkController *self, JournalBytes journal, gsize good_bytes, guint64 seq)
{
  if (self->follow.append_from_bytes <= good_bytes
      && journal.length_bytes <= self->follow.append_to_bytes)
    return TRUE;
  return !lk_journal_has_batch_behind (journal.bytes, journal.length_bytes, good_bytes, seq);
}

/* Goes on from the newest snapshot below event `*seq_below`, which becomes that of the one that was
 * taken; 0: from the beginning of the journal. */
static LkControllerFailure
replay_from (LkController **self, JournalBytes journal, guint64 *seq_below)
{
  LkJournalHeader header;
  LkJournalState state = LK_JOURNAL_CUT;
  LkReplayFault fault;
  const char *why;
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (journal.bytes, journal.length_bytes, &header, &why);
  LK_ASSERT (reader != NULL);
  load_snapshot (self, reader, journal, seq_below);
  if (!lk_controller_replay (*self, reader, &state, &fault))
    return LK_CONTROLLER_DIVERGED;
  gsize good_bytes = lk_journal_reader_good_bytes (reader);
  if ((state == LK_JOURNAL_TORN || state == LK_JOURNAL_CORRUPT)
      && !is_torn_tail (*self, journal, good_bytes, (*self)->seq + 1))
    return LK_CONTROLLER_JOURNAL_CORRUPT;
  cut_journal (*self, good_bytes, journal.length_bytes);
  return LK_CONTROLLER_OK;
}

static LkControllerFailure
replay_file (LkController **self, JournalBytes journal)
{
  LkJournalHeader header;
  const char *why;
  guint64 seq_below = G_MAXUINT64;
  guint64 batch_count = (*self)->batch_count;
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (journal.bytes, journal.length_bytes, &header, &why);
  if (reader == NULL) {
    /* What a crash leaves of the very first append. */
    if (!is_torn_tail (*self, journal, 0, 0))
      return LK_CONTROLLER_JOURNAL_OTHER;
    cut_journal (*self, 0, journal.length_bytes);
    return LK_CONTROLLER_OK;
  }
  if (!lk_controller_header_fits (*self, &header))
    return LK_CONTROLLER_JOURNAL_OTHER;
  LkControllerFailure failure = replay_from (self, journal, &seq_below);
  /* What a snapshot leads to otherwise says nothing of the journal. */
  while (failure == LK_CONTROLLER_DIVERGED && seq_below > 0) {
    begin_anew (self, batch_count);
    failure = replay_from (self, journal, &seq_below);
  }
  return failure;
}

LkControllerFailure
lk_controller_recover (LkController **self)
{
  gboolean has_failed = FALSE;
  LkControllerFailure failure = read_terms (*self);
  if (failure != LK_CONTROLLER_OK)
    return failure;
  const LkPortDisk *disk = &(*self)->ports.disk;
  g_autoptr (GBytes) bytes = disk->ops->view (disk->self, LK_CONTROLLER_JOURNAL, &has_failed);
  if (has_failed)
    return LK_CONTROLLER_DISK_FAILED;
  if (bytes == NULL)
    return LK_CONTROLLER_OK;
  JournalBytes journal = { .length_bytes = 0 };
  journal.bytes = g_bytes_get_data (bytes, &journal.length_bytes);
  return journal.length_bytes > 0 ? replay_file (self, journal) : LK_CONTROLLER_OK;
}

/* What a run's launch has left is not in the journal, if the agent had not answered: a report will
 * tell.  What was begun is there, and where a report does not name it, it is lost. */
void
lk_controller_recovered (LkController *self)
{
  self->work = (LkControllerWork){ 0 };
  for (LkRun *run = self->run_first; run != NULL; run = run->next) {
    for (guint32 i = 0; i < run->node_count; i++)
      if (run->nodes[i].stage != LK_ON_NODE_GONE)
        run->nodes[i].stage = run->nodes[i].is_begun ? LK_ON_NODE_LIVES : LK_ON_NODE_LAUNCHED;
    lk_run_steps_recovered (run);
    lk_run_stir (self, run);
  }
}
