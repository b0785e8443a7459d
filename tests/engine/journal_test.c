/* tests/engine/journal_test.c — journals written and read back, cut at every length, damaged at
 * every byte, and forged record by record. */
#include "engine/journal.h"

#include <string.h>

#include "engine/bytes.h"
#include "engine/crc32c.h"
#include "engine/limits.h"
#include "tests/engine/random_values.h"

/* ---------------------------------------------------------------- a journal in memory */

typedef struct {
  GByteArray *bytes;
  GArray *ends; /* gsize: end of the magic, then of every record */
} Sheet;

static void
sheet_init (Sheet *self)
{
  self->bytes = g_byte_array_new ();
  self->ends = g_array_new (FALSE, FALSE, sizeof (gsize));
}

static void
sheet_clear (Sheet *self)
{
  g_byte_array_unref (self->bytes);
  g_array_unref (self->ends);
}

static void
sheet_flush (gpointer user, const guint8 *bytes, gsize length_bytes)
{
  Sheet *self = user;
  g_byte_array_append (self->bytes, bytes, (guint)length_bytes);
  gsize end = self->bytes->len;
  g_array_append_val (self->ends, end);
}

static gsize
sheet_end (const Sheet *self, guint record)
{
  return g_array_index (self->ends, gsize, record);
}

static LkJournalHeader
header_of_test (void)
{
  LkJournalHeader header = { .format = LK_JOURNAL_FORMAT, .units_total = 8 };
  header.engine_version = (LkText){ "0.1.0", 5 };
  header.order = (LkText){ "fifo", 4 };
  header.backfill = (LkText){ "easy", 4 };
  header.select = (LkText){ "pool", 4 };
  header.source = (LkText){ "a test", 6 };
  return header;
}

/* ---------------------------------------------------------------- what is written */

/* One event with its decisions, as bytes. */
typedef struct {
  LkEvent event;
  GByteArray *decisions;
  guint32 decision_count;
} Entry;

static void
entry_clear (gpointer data)
{
  g_byte_array_unref (((Entry *)data)->decisions);
}

static GArray *
entries_new (Seed *seed, guint count, guint64 seq_first, gboolean short_ones)
{
  static const LkEventKind short_kinds[] = { LK_EVENT_SUBMIT, LK_EVENT_PASS, LK_EVENT_JOB_ENDED,
                                             LK_EVENT_HOLD };
  static const LkDecisionKind short_decisions[] = { LK_DECISION_ACCEPT, LK_DECISION_KILL,
                                                    LK_DECISION_NOTICE, LK_DECISION_WAKE };
  GArray *entries = g_array_new (FALSE, TRUE, sizeof (Entry));
  g_array_set_clear_func (entries, entry_clear);
  for (guint i = 0; i < count; i++) {
    Entry entry = { .decision_count = seed_below (seed, 4) };
    LkEventKind kind = short_ones ? short_kinds[seed_below (seed, G_N_ELEMENTS (short_kinds))]
                                  : event_kinds[seed_below (seed, G_N_ELEMENTS (event_kinds))];
    entry.event = random_event (seed, kind);
    if (short_ones && kind == LK_EVENT_SUBMIT)
      lk_submit_set_request (&entry.event.submit, &(LkJobRequest){ 0 });
    entry.event.seq = seq_first + i;
    entry.decisions = g_byte_array_new ();
    for (guint32 j = 0; j < entry.decision_count; j++) {
      LkDecision decision = random_decision (
          seed, short_ones ? short_decisions[seed_below (seed, G_N_ELEMENTS (short_decisions))]
                           : decision_kinds[seed_below (seed, G_N_ELEMENTS (decision_kinds))]);
      lk_decision_encode (&decision, entry.decisions);
    }
    g_array_append_val (entries, entry);
  }
  return entries;
}

/* The checkpoint written behind an event: any numbers that depend on it will do. */
static LkDigestValue
digest_behind (guint64 seq)
{
  return (LkDigestValue){ .low = seq * 1000003, .high = ~seq };
}

static guint64
decisions_behind (guint64 seq)
{
  return 3 * seq;
}

static void
write_entry (LkJournalWriter *writer, const Entry *entry)
{
  LkDecided decided = { entry->decisions->data, entry->decisions->len, entry->decision_count };
  lk_journal_writer_event (writer, &entry->event, &decided);
}

/* Commits behind every `batch_count` events, when the batch is full, and ends. */
static void
write_sheet (Sheet *sheet, const GArray *entries, guint batch_count)
{
  LkJournalHeader header = header_of_test ();
  guint64 seq = g_array_index (entries, Entry, 0).event.seq;
  g_autoptr (LkJournalWriter) writer = lk_journal_writer_new (&header, seq, sheet_flush, sheet);
  for (guint i = 0; i < entries->len; i++) {
    const Entry *entry = &g_array_index (entries, Entry, i);
    seq = entry->event.seq;
    write_entry (writer, entry);
    if ((i + 1) % batch_count == 0 || lk_journal_writer_is_full (writer))
      lk_journal_writer_commit (writer, decisions_behind (seq), digest_behind (seq));
  }
  lk_journal_writer_end (writer, decisions_behind (seq), digest_behind (seq));
}

/* ---------------------------------------------------------------- reading */

static void
assert_entry (LkJournalReader *reader, const LkEvent *event, const Entry *wanted)
{
  g_autoptr (GByteArray) got = g_byte_array_new ();
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkDecision decision;
  g_assert_cmpuint (event->seq, ==, wanted->event.seq);
  lk_event_encode (event, got);
  lk_event_encode (&wanted->event, bytes);
  assert_same_bytes (got->data, got->len, bytes->data, bytes->len);
  g_byte_array_set_size (got, 0);
  while (lk_journal_reader_decision (reader, &decision))
    lk_decision_encode (&decision, got);
  assert_same_bytes (got->data, got->len, wanted->decisions->data, wanted->decisions->len);
}

typedef struct {
  LkJournalState state;
  guint event_count;
  gsize good_bytes;
  gboolean has_fault;
} Outcome;

/* Reads to the end; every event must be the one written. */
static Outcome
read_all (LkJournalReader *reader, const GArray *entries)
{
  Outcome outcome = { .state = LK_JOURNAL_EVENT };
  LkEvent event;
  for (;;) {
    outcome.state = lk_journal_reader_next (reader, &event);
    if (outcome.state != LK_JOURNAL_EVENT)
      break;
    g_assert_cmpuint (outcome.event_count, <, entries->len);
    assert_entry (reader, &event, &g_array_index (entries, Entry, outcome.event_count));
    outcome.event_count++;
  }
  outcome.good_bytes = lk_journal_reader_good_bytes (reader);
  outcome.has_fault = lk_journal_reader_fault (reader) != NULL;
  return outcome;
}

/* From a copy of just these bytes. FALSE: they did not pass the header. */
static gboolean
read_bytes (const guint8 *bytes, gsize length_bytes, const GArray *entries, Outcome *out_outcome)
{
  g_autofree guint8 *copy = g_malloc (MAX (length_bytes, 1));
  LkJournalHeader header;
  const char *fault = NULL;
  if (length_bytes > 0)
    memcpy (copy, bytes, length_bytes);
  g_autoptr (LkJournalReader) reader = lk_journal_reader_new (copy, length_bytes, &header, &fault);
  if (reader == NULL) {
    g_assert_nonnull (fault);
    return FALSE;
  }
  *out_outcome = read_all (reader, entries);
  return TRUE;
}

static void
test_there_and_back (void)
{
  Seed seed = { 1 };
  Sheet sheet;
  Outcome outcome;
  sheet_init (&sheet);
  g_autoptr (GArray) entries = entries_new (&seed, 4000, 1, FALSE);
  write_sheet (&sheet, entries, G_MAXUINT);
  g_assert_cmpuint (sheet.ends->len, >, 5); /* it was full now and then */
  g_assert_true (read_bytes (sheet.bytes->data, sheet.bytes->len, entries, &outcome));
  g_assert_cmpint (outcome.state, ==, LK_JOURNAL_END);
  g_assert_cmpuint (outcome.event_count, ==, entries->len);
  g_assert_cmpuint (outcome.good_bytes, ==, sheet.bytes->len);
  g_assert_false (outcome.has_fault);
  sheet_clear (&sheet);
}

static void
test_header (void)
{
  Seed seed = { 2 };
  Sheet sheet;
  LkJournalHeader wanted = header_of_test ();
  LkJournalHeader header;
  const char *fault = NULL;
  g_autoptr (GByteArray) a = g_byte_array_new ();
  g_autoptr (GByteArray) b = g_byte_array_new ();
  sheet_init (&sheet);
  g_autoptr (GArray) entries = entries_new (&seed, 1, 1, TRUE);
  write_sheet (&sheet, entries, 1);
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (sheet.bytes->data, sheet.bytes->len, &header, &fault);
  g_assert_nonnull (reader);
  lk_journal_header_encode (&wanted, a);
  lk_journal_header_encode (&header, b);
  assert_same_bytes (a->data, a->len, b->data, b->len);
  sheet_clear (&sheet);
}

/* A follower begins where a snapshot ends. */
static void
test_later_part (void)
{
  Seed seed = { 3 };
  Sheet sheet;
  Outcome outcome;
  sheet_init (&sheet);
  g_autoptr (GArray) entries = entries_new (&seed, 20, 1000001, TRUE);
  write_sheet (&sheet, entries, 7);
  g_assert_true (read_bytes (sheet.bytes->data, sheet.bytes->len, entries, &outcome));
  g_assert_cmpint (outcome.state, ==, LK_JOURNAL_END);
  g_assert_cmpuint (outcome.event_count, ==, entries->len);
  sheet_clear (&sheet);
}

static void
test_checkpoints (void)
{
  Seed seed = { 4 };
  Sheet sheet;
  LkJournalHeader header;
  LkJournalCheckpoint checkpoint;
  LkEvent event;
  const char *fault = NULL;
  sheet_init (&sheet);
  g_autoptr (GArray) entries = entries_new (&seed, 20, 1, TRUE);
  write_sheet (&sheet, entries, 7);
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (sheet.bytes->data, sheet.bytes->len, &header, &fault);
  g_assert_false (lk_journal_reader_checkpoint (reader, &checkpoint));
  for (guint64 seq = 1; seq <= entries->len; seq++) {
    g_assert_cmpint (lk_journal_reader_next (reader, &event), ==, LK_JOURNAL_EVENT);
    gboolean closes = seq % 7 == 0 || seq == entries->len;
    g_assert_cmpint (lk_journal_reader_checkpoint (reader, &checkpoint), ==, closes);
    if (!closes)
      continue;
    g_assert_cmpuint (checkpoint.seq, ==, seq);
    g_assert_cmpuint (checkpoint.decision_count, ==, decisions_behind (seq));
    g_assert_true (lk_digest_value_equal (checkpoint.digest, digest_behind (seq)));
  }
  g_assert_cmpint (lk_journal_reader_next (reader, &event), ==, LK_JOURNAL_END);
  g_assert_true (lk_journal_reader_checkpoint (reader, &checkpoint));
  g_assert_cmpuint (checkpoint.seq, ==, entries->len);
  sheet_clear (&sheet);
}

/* Decisions that nobody takes are passed over. */
static void
test_passed_over (void)
{
  Seed seed = { 5 };
  Sheet sheet;
  LkJournalHeader header;
  LkEvent event;
  LkDecision decision;
  const char *fault = NULL;
  sheet_init (&sheet);
  g_autoptr (GArray) entries = entries_new (&seed, 50, 1, TRUE);
  write_sheet (&sheet, entries, 9);
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (sheet.bytes->data, sheet.bytes->len, &header, &fault);
  for (guint i = 0; i < entries->len; i++) {
    const Entry *entry = &g_array_index (entries, Entry, i);
    g_assert_cmpint (lk_journal_reader_next (reader, &event), ==, LK_JOURNAL_EVENT);
    g_assert_cmpuint (event.seq, ==, i + 1);
    if (i % 3 == 0 && entry->decision_count > 0)
      g_assert_true (lk_journal_reader_decision (reader, &decision));
  }
  g_assert_cmpint (lk_journal_reader_next (reader, &event), ==, LK_JOURNAL_END);
  g_assert_false (lk_journal_reader_decision (reader, &decision));
  sheet_clear (&sheet);
}

/* ---------------------------------------------------------------- cut and damaged */

#define SHORT_BATCH 4u

/* Batches of SHORT_BATCH short events. */
static GArray *
short_sheet (Sheet *sheet)
{
  Seed seed = { 6 };
  GArray *entries = entries_new (&seed, 5 * SHORT_BATCH, 1, TRUE);
  sheet_init (sheet);
  write_sheet (sheet, entries, SHORT_BATCH);
  g_assert_cmpuint (sheet->ends->len, ==, 2 + 5 + 1); /* magic, header, batches, end */
  return entries;
}

/* Number of whole records in the first `length_bytes`; the magic counts as one. */
static guint
whole_records (const Sheet *sheet, gsize length_bytes)
{
  guint record_count = 0;
  while (record_count < sheet->ends->len && sheet_end (sheet, record_count) <= length_bytes)
    record_count++;
  return record_count;
}

static void
test_cut (void)
{
  Sheet sheet;
  Outcome outcome;
  g_autoptr (GArray) entries = short_sheet (&sheet);
  for (gsize length_bytes = 0; length_bytes < sheet.bytes->len; length_bytes++) {
    guint record_count = whole_records (&sheet, length_bytes);
    gboolean opened = read_bytes (sheet.bytes->data, length_bytes, entries, &outcome);
    g_assert_cmpint (opened, ==, record_count >= 2);
    if (!opened)
      continue;
    gsize good_bytes = sheet_end (&sheet, record_count - 1);
    g_assert_cmpint (outcome.state, ==,
                     good_bytes == length_bytes ? LK_JOURNAL_CUT : LK_JOURNAL_TORN);
    g_assert_cmpint (outcome.has_fault, ==, outcome.state == LK_JOURNAL_TORN);
    g_assert_cmpuint (outcome.good_bytes, ==, good_bytes);
    g_assert_cmpuint (outcome.event_count, ==, (record_count - 2) * SHORT_BATCH);
  }
  sheet_clear (&sheet);
}

static void
test_damaged (void)
{
  Sheet sheet;
  Outcome outcome;
  Seed seed = { 7 };
  g_autoptr (GArray) entries = short_sheet (&sheet);
  for (gsize at = 0; at < sheet.bytes->len; at++) {
    guint8 before = sheet.bytes->data[at];
    sheet.bytes->data[at] ^= (guint8)(1u << seed_below (&seed, 8));
    guint record_count = whole_records (&sheet, at);
    gboolean opened = read_bytes (sheet.bytes->data, sheet.bytes->len, entries, &outcome);
    g_assert_cmpint (opened, ==, record_count >= 2);
    if (opened) {
      g_assert_true (outcome.state == LK_JOURNAL_CORRUPT || outcome.state == LK_JOURNAL_TORN);
      g_assert_true (outcome.has_fault);
      g_assert_cmpuint (outcome.good_bytes, ==, sheet_end (&sheet, record_count - 1));
      g_assert_cmpuint (outcome.event_count, ==, (record_count - 2) * SHORT_BATCH);
    }
    sheet.bytes->data[at] = before;
  }
  sheet_clear (&sheet);
}

/* ---------------------------------------------------------------- forged */

/* Appends a record whose CRC is right, whatever is in it. */
static void
append_record (GByteArray *bytes, const guint8 *body, gsize body_bytes)
{
  static LkCrc32c crc;
  guint8 frame[8];
  lk_crc32c_init (&crc);
  lk_put_u32 (lk_put_u32 (frame, (guint32)body_bytes), lk_crc32c (&crc, body, body_bytes));
  g_byte_array_append (bytes, frame, sizeof frame);
  g_byte_array_append (bytes, body, (guint)body_bytes);
}

/* The body of a record of a sheet. */
static GByteArray *
body_of (const Sheet *sheet, guint record)
{
  GByteArray *body = g_byte_array_new ();
  gsize begin = sheet_end (sheet, record - 1) + 8;
  g_byte_array_append (body, sheet->bytes->data + begin,
                       (guint)(sheet_end (sheet, record) - begin));
  return body;
}

/* Magic, header and the first batch, then one record more. */
static Outcome
outcome_with_record (const Sheet *sheet, const GArray *entries, const GByteArray *body)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  Outcome outcome;
  g_byte_array_append (bytes, sheet->bytes->data, (guint)sheet_end (sheet, 2));
  append_record (bytes, body->data, body->len);
  g_assert_true (read_bytes (bytes->data, bytes->len, entries, &outcome));
  return outcome;
}

static void
assert_corrupt (const Sheet *sheet, const GArray *entries, const GByteArray *body)
{
  Outcome outcome = outcome_with_record (sheet, entries, body);
  g_assert_cmpint (outcome.state, ==, LK_JOURNAL_CORRUPT);
  g_assert_true (outcome.has_fault);
  g_assert_cmpuint (outcome.good_bytes, ==, sheet_end (sheet, 2));
  g_assert_cmpuint (outcome.event_count, ==, SHORT_BATCH);
}

static void
test_forged_control (void)
{
  Sheet sheet;
  g_autoptr (GArray) entries = short_sheet (&sheet);
  g_autoptr (GByteArray) body = body_of (&sheet, 3);
  Outcome outcome = outcome_with_record (&sheet, entries, body);
  g_assert_cmpint (outcome.state, ==, LK_JOURNAL_CUT);
  g_assert_cmpuint (outcome.event_count, ==, 2 * SHORT_BATCH);
  sheet_clear (&sheet);
}

static void
test_gap (void)
{
  Sheet sheet;
  g_autoptr (GArray) entries = short_sheet (&sheet);
  /* The third batch behind the first, and the first behind itself. */
  g_autoptr (GByteArray) later = body_of (&sheet, 4);
  g_autoptr (GByteArray) again = body_of (&sheet, 2);
  assert_corrupt (&sheet, entries, later);
  assert_corrupt (&sheet, entries, again);
  sheet_clear (&sheet);
}

static void
test_bad_batches (void)
{
  Sheet sheet;
  g_autoptr (GArray) entries = short_sheet (&sheet);
  static const struct {
    guint offset; /* of the byte to change; in a batch: 1 number, 9 events, 13 kind */
    guint8 value;
  } changes[] = { { 0, 5 }, { 0, 0 }, { 0, 1 },    { 1, 0 },  { 9, 0 },
                  { 9, 3 }, { 9, 5 }, { 12, 255 }, { 13, 0 }, { 13, 255 } };
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    g_autoptr (GByteArray) body = body_of (&sheet, 3);
    g_assert_cmpuint (body->data[changes[i].offset], !=, changes[i].value);
    body->data[changes[i].offset] = changes[i].value;
    assert_corrupt (&sheet, entries, body);
  }
  g_autoptr (GByteArray) shorter = body_of (&sheet, 3);
  while (shorter->len > 1) {
    g_byte_array_set_size (shorter, shorter->len - 1);
    assert_corrupt (&sheet, entries, shorter);
  }
  g_autoptr (GByteArray) longer = body_of (&sheet, 3);
  g_byte_array_append (longer, (const guint8 *)"", 1);
  assert_corrupt (&sheet, entries, longer);
  sheet_clear (&sheet);
}

static void
test_bad_end (void)
{
  Sheet sheet;
  g_autoptr (GArray) entries = short_sheet (&sheet);
  /* The end record of five batches behind the first one. */
  g_autoptr (GByteArray) whole = body_of (&sheet, 7);
  assert_corrupt (&sheet, entries, whole);
  LkDigestValue digest = digest_behind (SHORT_BATCH);
  guint8 good[1 + 8 + 24] = { 3 };
  lk_put_u64 (
      lk_put_u64 (lk_put_u64 (lk_put_u64 (good + 1, SHORT_BATCH), decisions_behind (SHORT_BATCH)),
                  digest.low),
      digest.high);
  g_autoptr (GByteArray) body = g_byte_array_new ();
  g_byte_array_append (body, good, sizeof good);
  Outcome outcome = outcome_with_record (&sheet, entries, body);
  g_assert_cmpint (outcome.state, ==, LK_JOURNAL_END);
  for (guint at = 1; at < sizeof good; at++) {
    body->data[at] ^= 0x10;
    assert_corrupt (&sheet, entries, body);
    body->data[at] ^= 0x10;
  }
  g_byte_array_set_size (body, sizeof good - 1);
  assert_corrupt (&sheet, entries, body);
  sheet_clear (&sheet);
}

/* What was refused is refused when it is asked for again, and its checkpoint is not believed. */
static void
test_final (void)
{
  Sheet sheet;
  LkJournalHeader header;
  LkJournalCheckpoint checkpoint;
  LkEvent event;
  const char *fault = NULL;
  g_autoptr (GArray) entries G_GNUC_UNUSED = short_sheet (&sheet);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GByteArray) end = body_of (&sheet, 7);
  g_byte_array_append (bytes, sheet.bytes->data, (guint)sheet_end (&sheet, 2));
  append_record (bytes, end->data, end->len);
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (bytes->data, bytes->len, &header, &fault);
  for (guint i = 0; i < SHORT_BATCH; i++)
    g_assert_cmpint (lk_journal_reader_next (reader, &event), ==, LK_JOURNAL_EVENT);
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpint (lk_journal_reader_next (reader, &event), ==, LK_JOURNAL_CORRUPT);
    g_assert_cmpuint (lk_journal_reader_good_bytes (reader), ==, sheet_end (&sheet, 2));
    g_assert_true (lk_journal_reader_checkpoint (reader, &checkpoint));
    g_assert_cmpuint (checkpoint.seq, ==, SHORT_BATCH);
  }
  sheet_clear (&sheet);
}

/* Numbers rise, whatever the first batch says that its number is. */
static void
test_last_number (void)
{
  Sheet sheet;
  LkJournalHeader header;
  LkEvent event;
  const char *fault = NULL;
  guint64 seq = 0;
  g_autoptr (GArray) entries G_GNUC_UNUSED = short_sheet (&sheet);
  g_autoptr (GByteArray) body = body_of (&sheet, 2);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  for (guint i = 1; i <= 8; i++)
    body->data[i] = 0xff;
  g_byte_array_append (bytes, sheet.bytes->data, (guint)sheet_end (&sheet, 1));
  append_record (bytes, body->data, body->len);
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (bytes->data, bytes->len, &header, &fault);
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT) {
    g_assert_cmpuint (event.seq, >, seq);
    seq = event.seq;
  }
  sheet_clear (&sheet);
}

static void
test_bad_length (void)
{
  Sheet sheet;
  Outcome outcome;
  g_autoptr (GArray) entries = short_sheet (&sheet);
  static const guint32 lengths[] = { 0, LK_LIMIT_RECORD_BYTES + 1, G_MAXUINT32 };
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++) {
    lk_put_u32 (sheet.bytes->data + sheet_end (&sheet, 2), lengths[i]);
    g_assert_true (read_bytes (sheet.bytes->data, sheet.bytes->len, entries, &outcome));
    g_assert_cmpint (outcome.state, ==, LK_JOURNAL_CORRUPT);
    g_assert_cmpuint (outcome.good_bytes, ==, sheet_end (&sheet, 2));
  }
  lk_put_u32 (sheet.bytes->data + sheet_end (&sheet, 2), LK_LIMIT_RECORD_BYTES);
  g_assert_true (read_bytes (sheet.bytes->data, sheet.bytes->len, entries, &outcome));
  g_assert_cmpint (outcome.state, ==, LK_JOURNAL_TORN);
  sheet_clear (&sheet);
}

/* A run in which nothing happened. */
static void
test_no_events (void)
{
  Sheet sheet;
  Outcome outcome;
  LkJournalHeader header = header_of_test ();
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  sheet_init (&sheet);
  g_autoptr (LkJournalWriter) writer = lk_journal_writer_new (&header, 1, sheet_flush, &sheet);
  lk_journal_writer_commit (writer, 0, digest_behind (0));
  g_assert_cmpuint (sheet.ends->len, ==, 2);
  lk_journal_writer_end (writer, 0, digest_behind (0));
  g_assert_true (read_bytes (sheet.bytes->data, sheet.bytes->len, entries, &outcome));
  g_assert_cmpint (outcome.state, ==, LK_JOURNAL_END);
  sheet_clear (&sheet);
}

/* ---------------------------------------------------------------- what is no journal */

static void
assert_no_journal (const guint8 *bytes, gsize length_bytes, const char *wanted)
{
  LkJournalHeader header;
  const char *fault = NULL;
  g_assert_null (lk_journal_reader_new (bytes, length_bytes, &header, &fault));
  g_assert_cmpstr (fault, ==, wanted);
}

static void
test_no_journal (void)
{
  static const char text[] = "; SWF header, not a journal";
  Sheet sheet;
  g_autoptr (GArray) entries G_GNUC_UNUSED = short_sheet (&sheet);
  assert_no_journal (NULL, 0, "it does not begin as a journal does");
  assert_no_journal ((const guint8 *)text, sizeof text, "it does not begin as a journal does");
  assert_no_journal (sheet.bytes->data, 8, "the file ends before the header");
  assert_no_journal (sheet.bytes->data, 9, "the file ends inside a record's length and CRC");
  assert_no_journal (sheet.bytes->data, 17, "the file ends inside a record");
  sheet.bytes->data[20] ^= 1;
  assert_no_journal (sheet.bytes->data, sheet.bytes->len,
                     "a record's CRC does not match its content");
  sheet_clear (&sheet);
}

static void
test_other_header (void)
{
  Sheet sheet;
  LkJournalHeader header = header_of_test ();
  header.format = LK_JOURNAL_FORMAT + 1;
  sheet_init (&sheet);
  g_autoptr (LkJournalWriter) writer G_GNUC_UNUSED =
      lk_journal_writer_new (&header, 1, sheet_flush, &sheet);
  assert_no_journal (sheet.bytes->data, sheet.bytes->len,
                     "the journal is of another format version");
  g_autoptr (GByteArray) body = body_of (&sheet, 1);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_byte_array_append (bytes, (const guint8 *)LK_JOURNAL_MAGIC, LK_JOURNAL_MAGIC_BYTES);
  g_byte_array_append (body, (const guint8 *)"", 1);
  body->data[1] = LK_JOURNAL_FORMAT;
  append_record (bytes, body->data, body->len);
  assert_no_journal (bytes->data, bytes->len, "the header does not decode");
  g_byte_array_set_size (bytes, LK_JOURNAL_MAGIC_BYTES);
  body->data[0] = 2;
  append_record (bytes, body->data, body->len - 1);
  assert_no_journal (bytes->data, bytes->len, "the header does not decode");
  sheet_clear (&sheet);
}

/* ---------------------------------------------------------------- notes */

static void
write_event (LkJournalWriter *writer, guint64 seq)
{
  LkEvent event = { .seq = seq, .kind = LK_EVENT_PASS };
  lk_journal_writer_event (writer, &event, &(LkDecided){ 0 });
}

/* Three events; the second and third make a batch, with two notes. */
static void
write_notes (Sheet *sheet)
{
  LkJournalHeader header = header_of_test ();
  sheet_init (sheet);
  g_autoptr (LkJournalWriter) writer = lk_journal_writer_new (&header, 1, sheet_flush, sheet);
  write_event (writer, 1);
  lk_journal_writer_commit (writer, 0, digest_behind (1));
  lk_journal_writer_note (writer, (const guint8 *)"ab", 2);
  write_event (writer, 2);
  lk_journal_writer_note (writer, NULL, 0);
  write_event (writer, 3);
  lk_journal_writer_commit (writer, 0, digest_behind (3));
}

static void
test_notes (void)
{
  Sheet sheet;
  LkJournalHeader header;
  LkEvent event;
  const char *fault;
  const guint8 *bytes;
  gsize length_bytes;
  write_notes (&sheet);
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (sheet.bytes->data, sheet.bytes->len, &header, &fault);
  g_assert_cmpint (lk_journal_reader_next (reader, &event), ==, LK_JOURNAL_EVENT);
  g_assert_false (lk_journal_reader_note (reader, &bytes, &length_bytes));
  g_assert_cmpint (lk_journal_reader_next (reader, &event), ==, LK_JOURNAL_EVENT);
  g_assert_true (lk_journal_reader_note (reader, &bytes, &length_bytes));
  g_assert_cmpuint (length_bytes, ==, 2);
  g_assert_true (memcmp (bytes, "ab", 2) == 0);
  g_assert_cmpint (lk_journal_reader_next (reader, &event), ==, LK_JOURNAL_EVENT);
  g_assert_true (lk_journal_reader_note (reader, &bytes, &length_bytes));
  g_assert_cmpuint (length_bytes, ==, 0);
  g_assert_false (lk_journal_reader_note (reader, &bytes, &length_bytes));
  g_assert_cmpint (lk_journal_reader_next (reader, &event), ==, LK_JOURNAL_CUT);
  g_assert_cmpuint (lk_journal_reader_good_bytes (reader), ==, sheet.bytes->len);
  sheet_clear (&sheet);
}

/* Notes without their batch are cut off with it. */
static void
test_notes_cut (void)
{
  Sheet sheet;
  LkJournalHeader header;
  LkEvent event;
  const char *fault;
  write_notes (&sheet);
  gsize first = sheet_end (&sheet, 2);
  for (gsize length = first + 1; length < sheet.bytes->len; length++) {
    g_autoptr (LkJournalReader) reader =
        lk_journal_reader_new (sheet.bytes->data, length, &header, &fault);
    g_assert_cmpint (lk_journal_reader_next (reader, &event), ==, LK_JOURNAL_EVENT);
    g_assert_cmpint (lk_journal_reader_next (reader, &event), ==, LK_JOURNAL_TORN);
    g_assert_cmpuint (lk_journal_reader_good_bytes (reader), ==, first);
  }
  sheet_clear (&sheet);
}

/* A reader that goes on where another has stopped, and a writer that goes on with a journal. */
static void
test_go_on (void)
{
  Sheet sheet;
  LkJournalHeader header;
  LkEvent event;
  LkJournalCheckpoint checkpoint;
  const char *fault;
  write_notes (&sheet);
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (sheet.bytes->data, sheet.bytes->len, &header, &fault);
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT)
    continue;
  g_assert_true (lk_journal_reader_checkpoint (reader, &checkpoint));
  gsize offset = lk_journal_reader_good_bytes (reader);
  g_autoptr (LkJournalWriter) writer = lk_journal_writer_new (NULL, 4, sheet_flush, &sheet);
  write_event (writer, 4);
  lk_journal_writer_commit (writer, 0, digest_behind (4));
  g_autoptr (LkJournalReader) again =
      lk_journal_reader_new (sheet.bytes->data, sheet.bytes->len, &header, &fault);
  g_assert_false (lk_journal_reader_go_on (again, sheet.bytes->len + 1, &checkpoint));
  g_assert_true (lk_journal_reader_go_on (again, offset, &checkpoint));
  g_assert_cmpint (lk_journal_reader_next (again, &event), ==, LK_JOURNAL_EVENT);
  g_assert_cmpuint (event.seq, ==, 4);
  g_assert_cmpint (lk_journal_reader_next (again, &event), ==, LK_JOURNAL_CUT);
  sheet_clear (&sheet);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/journal/reads back what was written", test_there_and_back);
  g_test_add_func ("/journal/reads back its header", test_header);
  g_test_add_func ("/journal/may begin at any event", test_later_part);
  g_test_add_func ("/journal/has a checkpoint behind each batch", test_checkpoints);
  g_test_add_func ("/journal/passes over decisions that nobody takes", test_passed_over);
  g_test_add_func ("/journal/cut at any length keeps every whole batch", test_cut);
  g_test_add_func ("/journal/damaged at any byte keeps every batch before", test_damaged);
  g_test_add_func ("/journal/takes a record that follows", test_forged_control);
  g_test_add_func ("/journal/refuses a batch that does not follow", test_gap);
  g_test_add_func ("/journal/refuses a batch that is not what it says", test_bad_batches);
  g_test_add_func ("/journal/refuses an end that disagrees", test_bad_end);
  g_test_add_func ("/journal/refuses a length out of range", test_bad_length);
  g_test_add_func ("/journal/may hold no event", test_no_events);
  g_test_add_func ("/journal/knows what is no journal", test_no_journal);
  g_test_add_func ("/journal/refuses another format", test_other_header);
  g_test_add_func ("/journal/stays refused once it was", test_final);
  g_test_add_func ("/journal/gives numbers that rise", test_last_number);
  g_test_add_func ("/journal/gives notes with their batch", test_notes);
  g_test_add_func ("/journal/cuts notes off with their batch", test_notes_cut);
  g_test_add_func ("/journal/goes on where it was left", test_go_on);
  return g_test_run ();
}
