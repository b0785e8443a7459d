/* tests/fuzz/message_fuzz.c — any bytes as a message of the live system.
 *
 * What decodes must encode to the same bytes: one value has one encoding.  Its JSON must be UTF-8
 * on one line, and a list of runs or components in it must come apart completely. */
#include <string.h>

#include "engine/assert.h"
#include "live/core/message.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

static void
check_runs (LkRuns runs)
{
  guint32 before_bytes = runs.length_bytes;
  LkRunReport report;
  while (lk_run_report_next (&runs, &report)) {
    LK_ASSERT (runs.length_bytes < before_bytes);
    before_bytes = runs.length_bytes;
  }
  LK_ASSERT (runs.length_bytes == 0);
}

static void
check_components (LkComponents components)
{
  guint32 before_bytes = components.length_bytes;
  LkRunComponent component;
  while (lk_run_component_next (&components, &component)) {
    LK_ASSERT (components.length_bytes < before_bytes);
    before_bytes = components.length_bytes;
  }
  LK_ASSERT (components.length_bytes == 0);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GByteArray) encoded = g_byte_array_new ();
  g_autoptr (GString) json = g_string_new (NULL);
  LkMessage message;
  if (!lk_message_decode (bytes, length_bytes, &message))
    return 0;
  lk_message_encode (&message, encoded);
  LK_ASSERT (encoded->len == length_bytes);
  LK_ASSERT (memcmp (encoded->data, bytes, length_bytes) == 0);
  lk_message_json (&message, json);
  LK_ASSERT (g_utf8_validate (json->str, (gssize)json->len, NULL));
  LK_ASSERT (strchr (json->str, '\n') == NULL);
  LK_ASSERT (json->str[0] == '{');
  LK_ASSERT (json->str[json->len - 1] == '}');
  if (message.kind == LK_MESSAGE_REPORT)
    check_runs (message.report.runs);
  if (message.kind == LK_MESSAGE_LAUNCH)
    check_components (message.launch.components);
  return 0;
}
