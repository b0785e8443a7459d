/* tests/fuzz/sacct_json_fuzz.c — any bytes as the output of sacct --json, plain or compressed. */
#include "tests/fuzz/record_feed.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  feed_format (bytes, length_bytes, LK_FORMAT_SACCT_JSON, /* with_source= */ TRUE);
  return 0;
}
