/* tests/fuzz/cluster_yaml_fuzz.c — any bytes as the page of a machine.
 *
 * Beyond memory errors it checks that an error is one line of UTF-8 that begins with the name of
 * the page, and that a page that is good is written so that it reads back to the same machine. */
#include <string.h>

#include "engine/assert.h"
#include "traces/cluster_yaml.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);
const char *__lsan_default_suppressions (void);

/* hwloc 2.9 forgets the memory nodes of a synthetic string that it refuses. */
const char *
__lsan_default_suppressions (void)
{
  return "leak:libhwloc";
}

static void
error_check (const GError *error)
{
  LK_ASSERT (error != NULL);
  LK_ASSERT (error->domain == LK_TRACE_ERROR);
  LK_ASSERT (g_str_has_prefix (error->message, "fuzz:"));
  LK_ASSERT (g_utf8_validate (error->message, -1, NULL));
  LK_ASSERT (strchr (error->message, '\n') == NULL);
}

static void
round_trip_check (const LkCluster *cluster)
{
  g_autoptr (GString) page = g_string_new (NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) text_again = g_string_new (NULL);
  gboolean is_written = lk_cluster_yaml_write (cluster, "again", page);
  LK_ASSERT (is_written);
  g_autoptr (LkCluster) again =
      lk_cluster_yaml_read_bytes ("again", (const guint8 *)page->str, page->len, NULL);
  LK_ASSERT (again != NULL);
  lk_cluster_text (cluster, text);
  lk_cluster_text (again, text_again);
  LK_ASSERT (g_string_equal (text, text_again));
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkCluster) cluster = lk_cluster_yaml_read_bytes ("fuzz", bytes, length_bytes, &error);
  if (cluster == NULL)
    error_check (error);
  else
    round_trip_check (cluster);
  return 0;
}
