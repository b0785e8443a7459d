/* tests/fuzz/dependency_fuzz.c — any bytes as a dependency: as users write it, and as a snapshot
 * holds it.
 *
 * Beyond memory errors it checks that what was read survives as bytes, and that what bytes hold is
 * written as it was. */
#include <string.h>

#include "engine/assert.h"
#include "engine/dependency.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

static void
round_trip_check (const LkDependency *dependency)
{
  g_autoptr (GByteArray) saved = g_byte_array_new ();
  g_autoptr (GByteArray) again = g_byte_array_new ();
  g_autoptr (GString) text = g_string_new (NULL);
  lk_dependency_save (dependency, saved);
  LkBytesReader reader = { saved->data, saved->len, FALSE };
  g_autoptr (LkDependency) loaded = lk_dependency_load (&reader);
  LK_ASSERT (loaded != NULL);
  LK_ASSERT (reader.left_bytes == 0);
  lk_dependency_save (loaded, again);
  LK_ASSERT (again->len == saved->len);
  LK_ASSERT (memcmp (again->data, saved->data, saved->len) == 0);
  lk_dependency_text (loaded, text);
  LK_ASSERT (text->len > 0);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  LkDependency *dependency = NULL;
  LkText text = { (const char *)bytes, (guint16)MIN (length_bytes, G_MAXUINT16) };
  LkBytesReader reader = { bytes, length_bytes, FALSE };
  if (lk_dependency_parse (text, &dependency) && dependency != NULL) {
    LK_ASSERT (dependency->items->len > 0);
    round_trip_check (dependency);
  }
  LK_ASSERT (dependency == NULL || dependency->failed_count == 0);
  lk_dependency_free (dependency);
  dependency = lk_dependency_load (&reader);
  if (dependency != NULL)
    round_trip_check (dependency);
  lk_dependency_free (dependency);
  return 0;
}
