/* live/core/controller_query_journal.c — the journal as users may read it, part by part.
 *
 * `lockstep why`, `plan` and `whatif` replay a journal; on an installed cluster its file is for the
 * controller's user alone.  What is sent are its header and its batches: what users did and what
 * was decided, which the commands show everybody.  Notes stay here, as scripts and environments are
 * among them, but for those of starts of the controller, which hold a number.
 *
 * A part is known by its number, and its offset by the controller alone: who could name an offset
 * could have bytes of another user's script taken for records. */
#include "live/core/controller_query.h"

#define PART_BYTES (1024u * 1024u)
/* With what surrounds it a part fits into a message. */
#define PART_BYTES_MAX (LK_MESSAGE_MAX_BYTES - 4096u)

static gboolean
keeps (const guint8 *note, gsize length_bytes)
{
  return length_bytes > 0 && note[0] == LK_MESSAGE_KEPT_START;
}

/* Where a part begins; FALSE: the parts before it were not asked for since the controller began. */
static gboolean
offset_of (LkController *self, guint32 part, guint64 *out_offset_bytes)
{
  *out_offset_bytes = part == 0 || part > self->journal_parts->len
                          ? 0
                          : g_array_index (self->journal_parts, guint64, part - 1);
  return part <= self->journal_parts->len;
}

/* So many bytes, or all that are durable. NULL: there are none, or they cannot be read. */
static GByteArray *
read_bytes (const LkController *self, guint64 offset_bytes, gsize most_bytes)
{
  gboolean has_failed = FALSE;
  const LkPortDisk *disk = &self->ports.disk;
  guint64 left_bytes = self->durable_bytes - offset_bytes;
  gsize length_bytes = (gsize)MIN (left_bytes, most_bytes);
  return length_bytes == 0 ? NULL
                           : disk->ops->read_part (disk->self, LK_CONTROLLER_JOURNAL, offset_bytes,
                                                   length_bytes, &has_failed);
}

/* Whole records, without notes: as many as fit into a part, or one that is longer. Returns: where
 * the next part begins; `offset_bytes` itself: nothing whole is there. */
static guint64
read_part (const LkController *self, guint64 offset_bytes, GByteArray *out)
{
  gboolean is_first = offset_bytes == 0;
  g_autoptr (GByteArray) bytes = read_bytes (self, offset_bytes, PART_BYTES);
  if (bytes == NULL)
    return offset_bytes;
  gsize used_bytes = lk_journal_without_notes (bytes->data, bytes->len, is_first, keeps, out);
  gsize record_bytes = used_bytes == 0 ? lk_journal_record_bytes (bytes->data, bytes->len) : 0;
  if (record_bytes <= bytes->len)
    return offset_bytes + used_bytes;
  g_autoptr (GByteArray) record = read_bytes (self, offset_bytes, record_bytes);
  if (record == NULL)
    return offset_bytes;
  return offset_bytes + lk_journal_without_notes (record->data, record->len, is_first, keeps, out);
}

gboolean
lk_query_journal (LkController *self, guint32 *next, GByteArray *out)
{
  g_autoptr (GByteArray) content = g_byte_array_new ();
  LkRecord record = { .kind = LK_RECORD_JOURNAL };
  guint32 part = *next;
  guint64 from_bytes;
  if (!offset_of (self, part, &from_bytes) || from_bytes > self->durable_bytes)
    return FALSE;
  guint64 next_bytes = read_part (self, from_bytes, content);
  gboolean is_last = next_bytes == self->durable_bytes;
  if (content->len > PART_BYTES_MAX || (!is_last && next_bytes == from_bytes))
    return FALSE;
  if (!is_last && part == self->journal_parts->len)
    g_array_append_val (self->journal_parts, next_bytes);
  record.journal.content = (LkBytes){ content->data, content->len };
  lk_record_append (&record, out);
  *next = is_last ? 0 : part + 1;
  return TRUE;
}
