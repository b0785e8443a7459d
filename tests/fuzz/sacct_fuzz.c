/* tests/fuzz/sacct_fuzz.c — any bytes as the output of sacct -P, plain or compressed. */
#include "tests/fuzz/record_feed.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  feed_format (bytes, length_bytes, LK_FORMAT_SACCT, /* with_source= */ TRUE);
  return 0;
}
