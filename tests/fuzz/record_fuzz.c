/* tests/fuzz/record_fuzz.c — any bytes as a page of records: the first byte is their kind.
 *
 * What is read must be written as the same bytes, and its JSON must be UTF-8 on one line. */
#include <string.h>

#include "engine/assert.h"
#include "live/core/record.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  LkRecord record;
  if (length_bytes == 0)
    return 0;
  LkBytes left = { bytes + 1, (guint32)length_bytes - 1 };
  g_autoptr (GByteArray) written = g_byte_array_new ();
  while (lk_record_next (&left, bytes[0], &record)) {
    g_autoptr (GString) json = g_string_new (NULL);
    lk_record_append (&record, written);
    lk_record_json (&record, json);
    LK_ASSERT (g_utf8_validate (json->str, (gssize)json->len, NULL));
    LK_ASSERT (strchr (json->str, '\n') == NULL);
  }
  LK_ASSERT (written->len + left.length_bytes == length_bytes - 1);
  LK_ASSERT (written->len == 0 || memcmp (written->data, bytes + 1, written->len) == 0);
  return 0;
}
