/* tests/fuzz/batch_fuzz.c — any bytes as a batch job.
 *
 * What decodes must encode to the same bytes, its JSON must be UTF-8 on one line, and its lists
 * must come apart completely. */
#include <string.h>

#include "engine/assert.h"
#include "live/core/batch.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GByteArray) encoded = g_byte_array_new ();
  g_autoptr (GString) json = g_string_new (NULL);
  LkBatch batch;
  if (!lk_batch_decode (bytes, length_bytes, &batch))
    return 0;
  lk_batch_encode (&batch, encoded);
  LK_ASSERT (encoded->len == length_bytes);
  LK_ASSERT (memcmp (encoded->data, bytes, length_bytes) == 0);
  lk_batch_json (&batch, json);
  LK_ASSERT (g_utf8_validate (json->str, (gssize)json->len, NULL));
  LK_ASSERT (strchr (json->str, '\n') == NULL);
  gsize list_bytes = 0;
  for (const char *string; (string = lk_strings_next (&batch.environment)) != NULL;)
    list_bytes += strlen (string) + 1;
  LK_ASSERT (batch.environment.length_bytes == 0);
  LK_ASSERT (list_bytes <= length_bytes);
  return 0;
}
