/* engine/journal.h — the record of a run: its configuration, its events, and the decisions that
 * each event brought.
 *
 * A journal is 8 magic bytes and then records: u32 length of the body, u32 CRC-32C of the body,
 * body.  The first body is the header; then come batches of events; a run that ended as it should
 * closes with an end record.
 *   header: u8 1, fields of LK_JOURNAL_HEADER_FIELDS
 *   batch:  u8 2, u64 number of the first event, u32 events, per event { event, u32 decisions,
 *           decisions }, then u64 decisions so far, u64 digest low, u64 digest high
 *   end:    u8 3, u64 number of the last event, u64 decisions, u64 digest low, u64 digest high
 *   note:   u8 4, bytes that the driver understands (a live controller: who asked for an event).
 *           Notes stand before the batch to which they belong, and count only with it.
 * Each batch thus carries a checkpoint of the digest.  A batch is written when it is full, or when
 * the writer is asked (a live controller commits one per group of requests).  A torn or corrupt
 * tail is found by length and CRC; everything before it is good.
 *
 * Both sides are pure: the writer hands whole records to a callback, the reader reads memory. */
#ifndef LK_ENGINE_JOURNAL_H
#define LK_ENGINE_JOURNAL_H

#include <glib.h>

#include "engine/codec.h"
#include "engine/digest.h"

#define LK_JOURNAL_FORMAT 4u
#define LK_JOURNAL_MAGIC "LKJOURN1"
#define LK_JOURNAL_MAGIC_BYTES 8u

/* ---------------------------------------------------------------- writer */

typedef struct _LkJournalWriter LkJournalWriter;

/* Takes over bytes in order; borrowed for the call. */
typedef void (*LkJournalFlush) (gpointer user, const guint8 *bytes, gsize length_bytes);

/* Flushes magic and header at once; with `header` NULL nothing, for who goes on with a journal.
 * `event_first` is the number of the first event to come, 1 for a new run. Returns: (transfer
 * full). */
LkJournalWriter *lk_journal_writer_new (const LkJournalHeader *header, guint64 event_first,
                                        LkJournalFlush flush, gpointer user);
void lk_journal_writer_free (LkJournalWriter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkJournalWriter, lk_journal_writer_free)

/* One event with the decisions it brought (see lk_engine_decided). Cost O(bytes). */
void lk_journal_writer_event (LkJournalWriter *self, const LkEvent *event,
                              const LkDecided *decided);

/* A note to the batch that is open. */
void lk_journal_writer_note (LkJournalWriter *self, const guint8 *bytes, gsize length_bytes);

/* TRUE when the batch has reached its size: the caller commits after the event's last decision. */
gboolean lk_journal_writer_is_full (const LkJournalWriter *self);
/* Length of the open batch, notes and all. */
gsize lk_journal_writer_open_bytes (const LkJournalWriter *self);
/* Closes the batch with a checkpoint and flushes it. Nothing happens when it is empty. */
void lk_journal_writer_commit (LkJournalWriter *self, guint64 decision_count, LkDigestValue digest);
/* Commits and writes the end record. */
void lk_journal_writer_end (LkJournalWriter *self, guint64 decision_count, LkDigestValue digest);

/* ---------------------------------------------------------------- reader */

typedef enum {
  LK_JOURNAL_EVENT,   /* an event was read; its decisions can be taken */
  LK_JOURNAL_END,     /* the end record: the run ended as it should */
  LK_JOURNAL_CUT,     /* the bytes end after a whole record, but there is no end record */
  LK_JOURNAL_TORN,    /* the last record is not whole */
  LK_JOURNAL_CORRUPT, /* a record's CRC or content is wrong */
} LkJournalState;

/* Digest and number of decisions after an event. */
typedef struct {
  guint64 seq;
  guint64 decision_count;
  LkDigestValue digest;
} LkJournalCheckpoint;

typedef struct _LkJournalReader LkJournalReader;

/* A reader over borrowed bytes that have passed the header; `out_header` points into them. NULL
 * when they do not begin as a journal does; `out_fault` then says why. */
LkJournalReader *lk_journal_reader_new (const guint8 *bytes, gsize length_bytes,
                                        LkJournalHeader *out_header, const char **out_fault);
/* A reader over borrowed bytes that are whole records from within a journal, behind `checkpoint`
 * (`seq` 0: from the beginning). Returns: (transfer full). */
LkJournalReader *lk_journal_reader_new_inside (const guint8 *bytes, gsize length_bytes,
                                               const LkJournalCheckpoint *checkpoint);
void lk_journal_reader_free (LkJournalReader *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkJournalReader, lk_journal_reader_free)

/* The next event; decisions of the one before that were not taken are passed over. A batch is
 * checked whole before its first event is given out. Anything but LK_JOURNAL_EVENT is final. */
LkJournalState lk_journal_reader_next (LkJournalReader *self, LkEvent *out_event);
/* The next decision of the event; FALSE when there is none left. */
gboolean lk_journal_reader_decision (LkJournalReader *self, LkDecision *out_decision);

/* All decisions of the event that are left, at once. */
LkDecided lk_journal_reader_decided (LkJournalReader *self);
/* The next note of the batch from which an event was last read; FALSE when there is none left.
 * Borrowed. */
gboolean lk_journal_reader_note (LkJournalReader *self, const guint8 **out_bytes,
                                 gsize *out_length_bytes);

/* TRUE when the event last read closes its batch (call after its decisions), or after
 * LK_JOURNAL_END. */
gboolean lk_journal_reader_checkpoint (const LkJournalReader *self,
                                       LkJournalCheckpoint *out_checkpoint);

/* Is there a whole batch behind `offset_bytes` that begins with an event above `seq`?  Then what is
 * wrong there is no torn tail: the batch was written behind something that was good. */
gboolean lk_journal_has_batch_behind (const guint8 *bytes, gsize length_bytes, gsize offset_bytes,
                                      guint64 seq);

/* Appends to `out` the whole records of bytes that begin with one, or with the magic of a journal
 * (`has_magic`), but for notes that `keeps` does not want. Returns: the end of the last whole
 * record, also where what follows is damaged. */
gsize lk_journal_without_notes (const guint8 *bytes, gsize length_bytes, gboolean has_magic,
                                gboolean (*keeps) (const guint8 *note, gsize length_bytes),
                                GByteArray *out);

/* How long the record is that begins there, with its frame; 0: its length is not there, or none
 * that a record may have. */
gsize lk_journal_record_bytes (const guint8 *bytes, gsize length_bytes);

/* Before anything was read: goes on at an offset that lk_journal_reader_good_bytes once gave, with
 * the checkpoint that was read there (`seq` 0: none yet). FALSE: the bytes do not reach so far. */
gboolean lk_journal_reader_go_on (LkJournalReader *self, gsize offset_bytes,
                                  const LkJournalCheckpoint *checkpoint);

/* End of the last whole record: where a torn tail is cut off. */
gsize lk_journal_reader_good_bytes (const LkJournalReader *self);
/* Why LK_JOURNAL_TORN or LK_JOURNAL_CORRUPT. */
const char *lk_journal_reader_fault (const LkJournalReader *self);

#endif
