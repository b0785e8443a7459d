/* tests/fuzz/storm_fuzz.c — sequences of well-formed events, drawn from a fuzzer's bytes: the first
 * says under which configuration. */
#include "tests/property/storm.h"

#define EVENTS 200u

typedef struct {
  const guint8 *at;
  gsize left_bytes;
} Bytes;

static guint32
draw (gpointer user, guint32 limit, gboolean *out_is_over)
{
  Bytes *bytes = user;
  if (bytes->left_bytes == 0) {
    *out_is_over = TRUE;
    return 0;
  }
  bytes->left_bytes--;
  return *bytes->at++ % limit;
}

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  if (length_bytes == 0)
    return 0;
  Bytes rest = { bytes + 1, length_bytes - 1 };
  LkStormOptions options = { .draw = draw, .user = &rest, .event_max = EVENTS };
  g_free (lk_storm_run (bytes[0] % lk_storm_site_count (), &options));
  return 0;
}
