/* live/daemon/journal_beginning.c — see the header.
 *
 * Magic, then the first record: its length, its checksum, its body (docs/formats.md). */
#include "live/daemon/journal_beginning.h"

#include "engine/bytes.h"
#include "engine/limits.h"
#include "live/core/controller.h"

#define MAGIC_BYTES 8u
#define RECORD_HEAD_BYTES 8u

/* NULL: there are not so many. */
static GByteArray *
read_front (LkPortDisk disk, gsize length_bytes)
{
  gboolean has_failed = FALSE;
  g_autoptr (GByteArray) bytes =
      disk.ops->read_part (disk.self, LK_CONTROLLER_JOURNAL, 0, length_bytes, &has_failed);
  if (bytes == NULL || bytes->len != length_bytes)
    return NULL;
  return g_steal_pointer (&bytes);
}

GByteArray *
lk_journal_beginning_read (LkPortDisk disk, LkJournalHeader *out_header)
{
  const char *fault = NULL;
  g_autoptr (GByteArray) head = read_front (disk, MAGIC_BYTES + RECORD_HEAD_BYTES);
  if (head == NULL)
    return NULL;
  LkBytesReader length = { head->data + MAGIC_BYTES, RECORD_HEAD_BYTES, FALSE };
  guint32 body_bytes = lk_take_u32 (&length);
  if (body_bytes == 0 || body_bytes > LK_LIMIT_RECORD_BYTES)
    return NULL;
  GByteArray *bytes = read_front (disk, (gsize)head->len + body_bytes);
  g_autoptr (LkJournalReader) reader =
      bytes != NULL ? lk_journal_reader_new (bytes->data, bytes->len, out_header, &fault) : NULL;
  if (reader != NULL)
    return bytes;
  g_clear_pointer (&bytes, g_byte_array_unref);
  return NULL;
}
