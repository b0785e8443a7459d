/* tests/fuzz/journal_fuzz.c — any bytes as a journal, and what it says to an engine.
 *
 * The bytes are read as they are, and again with the length and CRC of each record set right, so
 * that the decoder behind them is reached.  Reading must end, must give numbers that follow each
 * other, and must count as good only what is there.  Whatever the events are, an engine takes them
 * and its invariants hold.  The last byte chooses the engine's configuration. */
#include <string.h>

#include "engine/bytes.h"
#include "engine/crc32c.h"
#include "engine/journal.h"
#include "tests/fuzz/engine_feed.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

#define FRAME_BYTES 8u

/* Gives the record at `begin` a length inside the bytes, and its CRC. Returns its end. */
static gsize
record_fix (const LkCrc32c *crc, guint8 *bytes, gsize length_bytes, gsize begin)
{
  guint32 body_bytes;
  gsize left_bytes = length_bytes - begin - FRAME_BYTES;
  memcpy (&body_bytes, bytes + begin, sizeof body_bytes);
  body_bytes = (guint32)MIN (GUINT32_FROM_LE (body_bytes), left_bytes);
  guint8 *body = bytes + begin + FRAME_BYTES;
  lk_put_u32 (lk_put_u32 (bytes + begin, body_bytes), lk_crc32c (crc, body, body_bytes));
  return begin + FRAME_BYTES + body_bytes;
}

static void
records_fix (guint8 *bytes, gsize length_bytes)
{
  LkCrc32c crc;
  lk_crc32c_init (&crc);
  gsize begin = LK_JOURNAL_MAGIC_BYTES;
  while (begin + FRAME_BYTES <= length_bytes)
    begin = record_fix (&crc, bytes, length_bytes, begin);
}

static void
decisions_check (LkJournalReader *reader)
{
  LkDecision decision;
  while (lk_journal_reader_decision (reader, &decision))
    LK_ASSERT (lk_decision_size_bytes (&decision) > 0);
}

static void
journal_read (const guint8 *bytes, gsize length_bytes, LkEngine *engine)
{
  LkJournalHeader header;
  LkJournalCheckpoint checkpoint;
  LkEvent event;
  const char *fault = NULL;
  guint64 seq = 0;
  g_autoptr (LkJournalReader) reader = lk_journal_reader_new (bytes, length_bytes, &header, &fault);
  if (reader == NULL) {
    LK_ASSERT (fault != NULL);
    return;
  }
  LkJournalState state = lk_journal_reader_next (reader, &event);
  for (; state == LK_JOURNAL_EVENT; state = lk_journal_reader_next (reader, &event)) {
    LK_ASSERT (event.seq > seq);
    LK_ASSERT (seq == 0 || event.seq == seq + 1);
    seq = event.seq;
    feed_event (engine, &event);
    if (seq % 2 == 0)
      decisions_check (reader);
    if (lk_journal_reader_checkpoint (reader, &checkpoint))
      LK_ASSERT (checkpoint.seq == seq);
  }
  LK_ASSERT (lk_journal_reader_next (reader, &event) == state); /* final is final */
  gsize good_bytes = lk_journal_reader_good_bytes (reader);
  LK_ASSERT (good_bytes <= length_bytes);
  LK_ASSERT ((state == LK_JOURNAL_CUT) <= (good_bytes == length_bytes));
  if (state == LK_JOURNAL_TORN || state == LK_JOURNAL_CORRUPT)
    LK_ASSERT (lk_journal_reader_fault (reader) != NULL);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  LkPolicyError error;
  guint choice = length_bytes > 0 ? bytes[length_bytes - 1] : 0;
  g_autoptr (LkEngine) engine = lk_engine_new (feed_config (choice), &error);
  g_autofree guint8 *fixed = g_malloc (MAX (length_bytes, 1));
  if (length_bytes > 0)
    memcpy (fixed, bytes, length_bytes);
  journal_read (bytes, length_bytes, engine);
  records_fix (fixed, length_bytes);
  journal_read (fixed, length_bytes, engine);
  lk_engine_check (engine);
  return 0;
}
