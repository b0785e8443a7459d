/* tests/fuzz/study/gate_baseline_fuzz.c — any bytes as a baseline of a gate, and as its list of
 * decisions.
 *
 * Beyond memory errors it checks that an error is one line that begins with the name, and that a
 * baseline that is good is written so that it reads back to the same text. */
#include <string.h>

#include "engine/assert.h"
#include "sim/gate/baseline.h"
#include "sim/gate/starts.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

static void
error_check (const GError *error)
{
  LK_ASSERT (error != NULL);
  LK_ASSERT (g_str_has_prefix (error->message, "fuzz:"));
  LK_ASSERT (strchr (error->message, '\n') == NULL);
}

static void
round_trip_check (const LkGateBaseline *baseline)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) text_again = g_string_new (NULL);
  lk_gate_baseline_append (baseline, text);
  g_autoptr (LkGateBaseline) again = lk_gate_baseline_read ("again", text->str, text->len, NULL);
  if (again == NULL)
    return; /* a speed that is written as 0.00 */
  lk_gate_baseline_append (again, text_again);
  LK_ASSERT (g_string_equal (text, text_again));
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) starts_error = NULL;
  const char *text = (const char *)bytes;
  g_autoptr (LkGateBaseline) baseline = lk_gate_baseline_read ("fuzz", text, length_bytes, &error);
  if (baseline == NULL)
    error_check (error);
  else
    round_trip_check (baseline);
  g_autoptr (GHashTable) starts = lk_gate_starts_read ("fuzz", text, length_bytes, &starts_error);
  if (starts == NULL)
    error_check (starts_error);
  return 0;
}
