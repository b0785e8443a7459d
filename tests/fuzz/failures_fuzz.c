/* tests/fuzz/failures_fuzz.c — any bytes as a list of node failures, and as a model of them.
 *
 * Beyond memory errors it checks that an error always has a text of one line, and that events come
 * by time, of nodes and kinds that there are. */
#include <string.h>

#include "engine/assert.h"
#include "sim/error.h"
#include "sim/failures.h"
#include "traces/trace_error.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

#define NODE_COUNT 40u
#define EVENT_MAX_COUNT 1000u

static void
error_check (const GError *error)
{
  LK_ASSERT (error != NULL);
  LK_ASSERT (error->domain == LK_SIM_ERROR || error->domain == LK_TRACE_ERROR);
  LK_ASSERT (g_utf8_validate (error->message, -1, NULL));
  LK_ASSERT (strchr (error->message, '\n') == NULL);
}

static void
events_check (LkFailures *failures)
{
  LkNodeEvent event;
  gint64 last_us = 0;
  for (guint i = 0; i < EVENT_MAX_COUNT && lk_failures_next (failures, &event); i++) {
    LK_ASSERT (event.time_us >= last_us);
    LK_ASSERT (event.node_index < NODE_COUNT);
    LK_ASSERT (event.kind >= LK_EVENT_NODE_UP);
    LK_ASSERT (event.kind <= LK_EVENT_NODE_RESUME);
    LK_ASSERT (g_utf8_validate (event.reason, -1, NULL));
    last_us = event.time_us;
  }
}

static void
list_run (const guint8 *bytes, gsize length_bytes, const LkFailureNodes *nodes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkFailures) failures =
      lk_failures_new_from_bytes ("fuzz", bytes, length_bytes, nodes, &error);
  if (failures == NULL)
    error_check (error);
  else
    events_check (failures);
}

static void
model_run (const guint8 *bytes, gsize length_bytes, const LkFailureNodes *nodes)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *spec = g_strndup ((const char *)bytes, length_bytes);
  /* What is no model is the path of a file, which is not looked for here. */
  if (strchr (spec, '=') == NULL || g_str_has_prefix (spec, "file:")
      || !g_utf8_validate (spec, -1, NULL) || strchr (spec, '\n') != NULL)
    return;
  g_autoptr (LkFailures) failures = lk_failures_new (spec, nodes, &error);
  if (failures == NULL)
    error_check (error);
  else
    events_check (failures);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < NODE_COUNT; i++)
    g_ptr_array_add (names, g_strdup_printf ("n%u", i + 1));
  LkFailureNodes nodes = { names, length_bytes % 2 == 0 ? 0 : -1 };
  list_run (bytes, length_bytes, &nodes);
  model_run (bytes, length_bytes, &nodes);
  return 0;
}
