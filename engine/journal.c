/* engine/journal.c — see the header.
 *
 * The reader walks a batch twice: once to see that every event and decision in it decodes and that
 * nothing is left over, and once to give them out.  So a caller never acts on half of a bad
 * batch. */
#include "engine/journal.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/bytes.h"
#include "engine/crc32c.h"
#include "engine/limits.h"

#define RECORD_HEADER 1u
#define RECORD_BATCH 2u
#define RECORD_END 3u
#define RECORD_NOTE 4u
#define FRAME_BYTES 8u
#define BATCH_HEAD_BYTES (1u + 8u + 4u)
#define CHECKPOINT_BYTES 24u
#define BATCH_FULL_BYTES (32u * 1024)

/* ---------------------------------------------------------------- writer */

struct _LkJournalWriter {
  LkJournalFlush flush;
  gpointer user;
  LkCrc32c crc;
  guint8 *buffer; /* frame and body of the open record */
  gsize length_bytes;
  gsize capacity_bytes;
  guint64 seq_first; /* of the open batch */
  guint32 event_count;
  GByteArray *notes; /* whole records, to go before the open batch */
};

static guint8 *
room (LkJournalWriter *self, gsize size_bytes)
{
  if (self->capacity_bytes - self->length_bytes < size_bytes) {
    self->capacity_bytes = MAX (self->capacity_bytes * 2, self->length_bytes + size_bytes);
    self->buffer = g_realloc (self->buffer, self->capacity_bytes);
  }
  guint8 *at = self->buffer + self->length_bytes;
  self->length_bytes += size_bytes;
  return at;
}

static void
record_begin (LkJournalWriter *self, guint8 type)
{
  self->length_bytes = 0;
  room (self, FRAME_BYTES);
  lk_put_u8 (room (self, 1), type);
}

/* Fills in the frame of a record: `record` has room for it in front of the body. */
static void
frame_put (LkJournalWriter *self, guint8 *record, gsize body_bytes)
{
  LK_ASSERT (body_bytes <= LK_LIMIT_RECORD_BYTES);
  guint32 crc = lk_crc32c (&self->crc, record + FRAME_BYTES, body_bytes);
  lk_put_u32 (lk_put_u32 (record, (guint32)body_bytes), crc);
}

static void
record_flush (LkJournalWriter *self)
{
  frame_put (self, self->buffer, self->length_bytes - FRAME_BYTES);
  self->flush (self->user, self->buffer, self->length_bytes);
  self->length_bytes = 0;
}

static void
batch_begin (LkJournalWriter *self)
{
  record_begin (self, RECORD_BATCH);
  lk_put_u64 (room (self, 8), self->seq_first);
  lk_put_u32 (room (self, 4), 0);
  self->event_count = 0;
}

static void
put_checkpoint (LkJournalWriter *self, guint64 decision_count, LkDigestValue digest)
{
  guint8 *at = room (self, CHECKPOINT_BYTES);
  at = lk_put_u64 (at, decision_count);
  at = lk_put_u64 (at, digest.low);
  lk_put_u64 (at, digest.high);
}

LkJournalWriter *
lk_journal_writer_new (const LkJournalHeader *header, guint64 event_first, LkJournalFlush flush,
                       gpointer user)
{
  LkJournalWriter *self = g_new0 (LkJournalWriter, 1);
  g_autoptr (GByteArray) body = g_byte_array_new ();
  self->flush = flush;
  self->user = user;
  self->seq_first = event_first;
  self->notes = g_byte_array_new ();
  lk_crc32c_init (&self->crc);
  if (header == NULL) {
    batch_begin (self);
    return self;
  }
  lk_journal_header_encode (header, body);
  flush (user, (const guint8 *)LK_JOURNAL_MAGIC, LK_JOURNAL_MAGIC_BYTES);
  record_begin (self, RECORD_HEADER);
  memcpy (room (self, body->len), body->data, body->len);
  record_flush (self);
  batch_begin (self);
  return self;
}

void
lk_journal_writer_free (LkJournalWriter *self)
{
  if (self == NULL)
    return;
  g_byte_array_unref (self->notes);
  g_free (self->buffer);
  g_free (self);
}

void
lk_journal_writer_note (LkJournalWriter *self, const guint8 *bytes, gsize length_bytes)
{
  LK_ASSERT (length_bytes < LK_LIMIT_RECORD_BYTES);
  guint begin = self->notes->len;
  g_byte_array_set_size (self->notes, begin + (guint)(FRAME_BYTES + 1 + length_bytes));
  guint8 *record = self->notes->data + begin;
  lk_put_u8 (record + FRAME_BYTES, RECORD_NOTE);
  if (length_bytes > 0)
    memcpy (record + FRAME_BYTES + 1, bytes, length_bytes);
  frame_put (self, record, 1 + length_bytes);
}

void
lk_journal_writer_event (LkJournalWriter *self, const LkEvent *event, const LkDecided *decided)
{
  LK_ASSERT (event->seq == self->seq_first + self->event_count);
  gsize event_bytes = lk_event_size_bytes (event);
  guint8 *at = room (self, event_bytes + 4 + decided->length_bytes);
  at = lk_event_put (event, at);
  at = lk_put_u32 (at, decided->count);
  if (decided->length_bytes > 0)
    memcpy (at, decided->bytes, decided->length_bytes);
  self->event_count++;
}

gboolean
lk_journal_writer_is_full (const LkJournalWriter *self)
{
  return self->length_bytes >= BATCH_FULL_BYTES;
}

gsize
lk_journal_writer_open_bytes (const LkJournalWriter *self)
{
  return self->length_bytes + self->notes->len;
}

void
lk_journal_writer_commit (LkJournalWriter *self, guint64 decision_count, LkDigestValue digest)
{
  if (self->event_count == 0)
    return;
  if (self->notes->len > 0)
    self->flush (self->user, self->notes->data, self->notes->len);
  g_byte_array_set_size (self->notes, 0);
  lk_put_u32 (self->buffer + FRAME_BYTES + 1 + 8, self->event_count);
  put_checkpoint (self, decision_count, digest);
  record_flush (self);
  self->seq_first += self->event_count;
  batch_begin (self);
}

void
lk_journal_writer_end (LkJournalWriter *self, guint64 decision_count, LkDigestValue digest)
{
  lk_journal_writer_commit (self, decision_count, digest);
  record_begin (self, RECORD_END);
  lk_put_u64 (room (self, 8), self->seq_first - 1);
  put_checkpoint (self, decision_count, digest);
  record_flush (self);
}

/* ---------------------------------------------------------------- reader */

struct _LkJournalReader {
  const guint8 *bytes;
  gsize length_bytes;
  gsize good_bytes;
  gsize note_at; /* the next note of the batch, up to `notes_end` */
  gsize notes_end;
  LkBytesReader batch; /* what is left of the batch's events */
  guint32 events_left;
  guint32 decisions_left;
  guint64 seq; /* of the event last read */
  LkJournalCheckpoint checkpoint;
  gboolean has_checkpoint; /* a batch or the end record was read */
  gboolean ended;
  const char *fault;
  LkCrc32c crc;
};

static LkJournalState
fail (LkJournalReader *self, LkJournalState state, const char *fault)
{
  self->fault = fault;
  return state;
}

/* Frames the record at `offset`. LK_JOURNAL_EVENT: `out_body` is whole and its CRC holds. */
static LkJournalState
next_record (LkJournalReader *self, gsize offset, LkBytesReader *out_body)
{
  LkBytesReader frame = { self->bytes + offset, self->length_bytes - offset, FALSE };
  if (frame.left_bytes == 0)
    return LK_JOURNAL_CUT;
  guint32 body_bytes = lk_take_u32 (&frame);
  guint32 crc = lk_take_u32 (&frame);
  if (frame.failed)
    return fail (self, LK_JOURNAL_TORN, "the file ends inside a record's length and CRC");
  if (body_bytes < 1 || body_bytes > LK_LIMIT_RECORD_BYTES)
    return fail (self, LK_JOURNAL_CORRUPT, "a record's length is out of range");
  const guint8 *body = lk_take (&frame, body_bytes);
  if (body == NULL)
    return fail (self, LK_JOURNAL_TORN, "the file ends inside a record");
  if (lk_crc32c (&self->crc, body, body_bytes) != crc)
    return fail (self, LK_JOURNAL_CORRUPT, "a record's CRC does not match its content");
  *out_body = (LkBytesReader){ body, body_bytes, FALSE };
  return LK_JOURNAL_EVENT;
}

static LkJournalCheckpoint
take_checkpoint (guint64 seq, LkBytesReader *body)
{
  LkJournalCheckpoint checkpoint = { .seq = seq };
  checkpoint.decision_count = lk_take_u64 (body);
  checkpoint.digest.low = lk_take_u64 (body);
  checkpoint.digest.high = lk_take_u64 (body);
  return checkpoint;
}

static gboolean
take_event (LkBytesReader *batch, LkEvent *out_event, guint32 *out_decision_count)
{
  gsize used = lk_event_decode (batch->at, batch->left_bytes, out_event);
  if (used == 0)
    return FALSE;
  lk_take (batch, used);
  *out_decision_count = lk_take_u32 (batch);
  return !batch->failed;
}

static gboolean
take_decision (LkBytesReader *batch, LkDecision *out_decision)
{
  gsize used = lk_decision_decode (batch->at, batch->left_bytes, out_decision);
  lk_take (batch, used);
  return used != 0;
}

/* Does the batch hold exactly `event_count` events, their decisions and a checkpoint? */
static gboolean
batch_is_whole (LkBytesReader batch, guint32 event_count)
{
  LkEvent event;
  LkDecision decision;
  guint32 decision_count;
  for (guint32 i = 0; i < event_count; i++) {
    if (!take_event (&batch, &event, &decision_count))
      return FALSE;
    for (guint32 j = 0; j < decision_count; j++)
      if (!take_decision (&batch, &decision))
        return FALSE;
  }
  return batch.left_bytes == CHECKPOINT_BYTES;
}

static LkJournalState
open_batch (LkJournalReader *self, LkBytesReader body)
{
  guint64 seq_first = lk_take_u64 (&body);
  guint32 event_count = lk_take_u32 (&body);
  if (body.failed || seq_first == 0 || event_count == 0 || seq_first > G_MAXUINT64 - event_count
      || !batch_is_whole (body, event_count))
    return fail (self, LK_JOURNAL_CORRUPT, "a batch's content does not decode");
  if (self->has_checkpoint && seq_first != self->seq + 1)
    return fail (self, LK_JOURNAL_CORRUPT, "a batch's first event does not follow the last one");
  self->seq = seq_first - 1;
  self->batch = body;
  self->events_left = event_count;
  LkBytesReader tail = { body.at + body.left_bytes - CHECKPOINT_BYTES, CHECKPOINT_BYTES, FALSE };
  self->checkpoint = take_checkpoint (seq_first + event_count - 1, &tail);
  self->has_checkpoint = TRUE;
  return LK_JOURNAL_EVENT;
}

static LkJournalState
take_end (LkJournalReader *self, LkBytesReader body)
{
  const LkJournalCheckpoint *last = &self->checkpoint;
  guint64 seq = lk_take_u64 (&body);
  LkJournalCheckpoint end = take_checkpoint (seq, &body);
  if (body.failed || body.left_bytes != 0)
    return fail (self, LK_JOURNAL_CORRUPT, "the end record's content does not decode");
  if (self->has_checkpoint
      && (last->seq != end.seq || last->decision_count != end.decision_count
          || !lk_digest_value_equal (last->digest, end.digest)))
    return fail (self, LK_JOURNAL_CORRUPT, "the end record does not agree with the last batch");
  self->checkpoint = end;
  self->has_checkpoint = TRUE;
  self->ended = TRUE;
  return LK_JOURNAL_END;
}

/* Passes over the notes at the end of what is good: they count only with the batch behind them.
 * LK_JOURNAL_EVENT: `out_body` is the record behind them. */
static LkJournalState
pass_over_notes (LkJournalReader *self, LkBytesReader *out_body)
{
  LkJournalState state;
  gsize offset = self->good_bytes;
  self->note_at = offset;
  for (;;) {
    state = next_record (self, offset, out_body);
    if (state != LK_JOURNAL_EVENT || out_body->at[0] != RECORD_NOTE)
      break;
    offset = (gsize)(out_body->at + out_body->left_bytes - self->bytes);
  }
  self->notes_end = offset;
  if (state == LK_JOURNAL_CUT && offset != self->good_bytes)
    return fail (self, LK_JOURNAL_TORN, "the file ends behind a note that belongs to a batch");
  return state;
}

static LkJournalState
open_record (LkJournalReader *self)
{
  LkBytesReader body;
  LkJournalState state = pass_over_notes (self, &body);
  if (state != LK_JOURNAL_EVENT)
    return state;
  gsize end = (gsize)(body.at + body.left_bytes - self->bytes);
  guint8 type = lk_take_u8 (&body);
  if (type == RECORD_BATCH)
    state = open_batch (self, body);
  else if (type == RECORD_END && self->note_at == self->notes_end)
    state = take_end (self, body);
  else
    state = fail (self, LK_JOURNAL_CORRUPT, "a record is of an unknown type");
  if (state == LK_JOURNAL_EVENT || state == LK_JOURNAL_END)
    self->good_bytes = end;
  return state;
}

static gboolean
read_header (LkJournalReader *self, LkJournalHeader *out_header)
{
  LkBytesReader body;
  if (self->length_bytes < LK_JOURNAL_MAGIC_BYTES
      || memcmp (self->bytes, LK_JOURNAL_MAGIC, LK_JOURNAL_MAGIC_BYTES) != 0) {
    self->fault = "it does not begin as a journal does";
    return FALSE;
  }
  self->good_bytes = LK_JOURNAL_MAGIC_BYTES;
  LkJournalState state = next_record (self, self->good_bytes, &body);
  if (state == LK_JOURNAL_CUT)
    self->fault = "the file ends before the header";
  if (state != LK_JOURNAL_EVENT)
    return FALSE;
  gsize end = (gsize)(body.at + body.left_bytes - self->bytes);
  self->fault = "the header does not decode";
  if (lk_take_u8 (&body) != RECORD_HEADER)
    return FALSE;
  /* The format stands first, so that it can be told whatever it is. */
  LkBytesReader first = body;
  if (lk_take_u32 (&first) != LK_JOURNAL_FORMAT && !first.failed) {
    self->fault = "the journal is of another format version";
    return FALSE;
  }
  if (lk_journal_header_decode (body.at, body.left_bytes, out_header) != body.left_bytes)
    return FALSE;
  self->fault = NULL;
  self->good_bytes = end;
  return TRUE;
}

LkJournalReader *
lk_journal_reader_new (const guint8 *bytes, gsize length_bytes, LkJournalHeader *out_header,
                       const char **out_fault)
{
  LkJournalReader *self = g_new0 (LkJournalReader, 1);
  self->bytes = bytes;
  self->length_bytes = length_bytes;
  lk_crc32c_init (&self->crc);
  if (read_header (self, out_header))
    return self;
  *out_fault = self->fault;
  lk_journal_reader_free (self);
  return NULL;
}

static void
stand_behind (LkJournalReader *self, const LkJournalCheckpoint *checkpoint)
{
  self->checkpoint = *checkpoint;
  self->has_checkpoint = checkpoint->seq > 0;
  self->seq = checkpoint->seq;
}

LkJournalReader *
lk_journal_reader_new_inside (const guint8 *bytes, gsize length_bytes,
                              const LkJournalCheckpoint *checkpoint)
{
  LkJournalReader *self = g_new0 (LkJournalReader, 1);
  self->bytes = bytes;
  self->length_bytes = length_bytes;
  lk_crc32c_init (&self->crc);
  stand_behind (self, checkpoint);
  return self;
}

void
lk_journal_reader_free (LkJournalReader *self)
{
  g_free (self);
}

LkJournalState
lk_journal_reader_next (LkJournalReader *self, LkEvent *out_event)
{
  LkDecision passed_over;
  while (lk_journal_reader_decision (self, &passed_over))
    continue;
  if (self->ended)
    return LK_JOURNAL_END;
  if (self->events_left == 0) {
    LkJournalState state = open_record (self);
    if (state != LK_JOURNAL_EVENT)
      return state;
  }
  LK_ASSERT (take_event (&self->batch, out_event, &self->decisions_left));
  out_event->seq = ++self->seq;
  self->events_left--;
  return LK_JOURNAL_EVENT;
}

gboolean
lk_journal_reader_decision (LkJournalReader *self, LkDecision *out_decision)
{
  if (self->decisions_left == 0)
    return FALSE;
  self->decisions_left--;
  LK_ASSERT (take_decision (&self->batch, out_decision));
  return TRUE;
}

LkDecided
lk_journal_reader_decided (LkJournalReader *self)
{
  LkDecision decision;
  LkDecided decided = { .bytes = self->batch.at, .count = self->decisions_left };
  while (lk_journal_reader_decision (self, &decision))
    continue;
  decided.length_bytes = (gsize)(self->batch.at - decided.bytes);
  return decided;
}

gboolean
lk_journal_reader_note (LkJournalReader *self, const guint8 **out_bytes, gsize *out_length_bytes)
{
  LkBytesReader body;
  if (self->note_at >= self->notes_end)
    return FALSE;
  LK_ASSERT (next_record (self, self->note_at, &body) == LK_JOURNAL_EVENT);
  self->note_at = (gsize)(body.at + body.left_bytes - self->bytes);
  *out_bytes = body.at + 1;
  *out_length_bytes = body.left_bytes - 1;
  return TRUE;
}

gboolean
lk_journal_reader_go_on (LkJournalReader *self, gsize offset_bytes,
                         const LkJournalCheckpoint *checkpoint)
{
  if (offset_bytes < self->good_bytes || offset_bytes > self->length_bytes)
    return FALSE;
  LK_ASSERT (self->events_left == 0);
  self->good_bytes = offset_bytes;
  stand_behind (self, checkpoint);
  return TRUE;
}

gboolean
lk_journal_has_batch_behind (const guint8 *bytes, gsize length_bytes, gsize offset_bytes,
                             guint64 seq)
{
  LkJournalReader reader = { .bytes = bytes, .length_bytes = length_bytes };
  lk_crc32c_init (&reader.crc);
  for (gsize at = offset_bytes; at + FRAME_BYTES + BATCH_HEAD_BYTES <= length_bytes; at++) {
    LkBytesReader body;
    LkBytesReader head = { bytes + at + FRAME_BYTES, BATCH_HEAD_BYTES, FALSE };
    /* Cheap to look at, and almost never so in anything else: only then the CRC. */
    if (lk_take_u8 (&head) == RECORD_BATCH && lk_take_u64 (&head) > seq
        && next_record (&reader, at, &body) == LK_JOURNAL_EVENT)
      return TRUE;
  }
  return FALSE;
}

gboolean
lk_journal_reader_checkpoint (const LkJournalReader *self, LkJournalCheckpoint *out_checkpoint)
{
  if (!self->has_checkpoint || self->events_left > 0)
    return FALSE;
  *out_checkpoint = self->checkpoint;
  return TRUE;
}

gsize
lk_journal_reader_good_bytes (const LkJournalReader *self)
{
  return self->good_bytes;
}

const char *
lk_journal_reader_fault (const LkJournalReader *self)
{
  return self->fault;
}

gsize
lk_journal_without_notes (const guint8 *bytes, gsize length_bytes, gboolean has_magic,
                          gboolean (*keeps) (const guint8 *note, gsize length_bytes),
                          GByteArray *out)
{
  LkJournalReader reader = { .bytes = bytes, .length_bytes = length_bytes };
  LkBytesReader body;
  gsize at_bytes = has_magic ? LK_JOURNAL_MAGIC_BYTES : 0;
  if (length_bytes < at_bytes)
    return 0;
  lk_crc32c_init (&reader.crc);
  g_byte_array_append (out, bytes, (guint)at_bytes);
  while (next_record (&reader, at_bytes, &body) == LK_JOURNAL_EVENT) {
    gsize record_bytes = FRAME_BYTES + body.left_bytes;
    gboolean is_note = body.at[0] == RECORD_NOTE;
    if (!is_note || keeps (body.at + 1, body.left_bytes - 1))
      g_byte_array_append (out, bytes + at_bytes, (guint)record_bytes);
    at_bytes += record_bytes;
  }
  return at_bytes;
}

gsize
lk_journal_record_bytes (const guint8 *bytes, gsize length_bytes)
{
  LkBytesReader frame = { bytes, length_bytes, FALSE };
  guint32 body_bytes = lk_take_u32 (&frame);
  gboolean is_good = !frame.failed && body_bytes >= 1 && body_bytes <= LK_LIMIT_RECORD_BYTES;
  return is_good ? FRAME_BYTES + (gsize)body_bytes : 0;
}
