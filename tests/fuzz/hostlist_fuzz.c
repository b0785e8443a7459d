/* tests/fuzz/hostlist_fuzz.c — any bytes as a list of names.
 *
 * Beyond memory errors it checks that the limits hold, that a list that is refused leaves nothing
 * behind, and that the names survive being written as a list. */
#include <string.h>

#include "engine/assert.h"
#include "engine/hostlist.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

/* Longer lists are not written again: that takes time and tells nothing new. */
#define NAMES_MAX 5000u

static void
names_check (const GPtrArray *names)
{
  LK_ASSERT (names->len <= LK_HOSTLIST_NAMES_MAX);
  for (guint i = 0; i < names->len; i++) {
    gsize length_bytes = strlen (g_ptr_array_index (names, i));
    LK_ASSERT (length_bytes > 0);
    LK_ASSERT (length_bytes <= LK_HOSTLIST_NAME_BYTES_MAX);
  }
}

static void
round_trip_check (const GPtrArray *names)
{
  g_autoptr (GString) list = g_string_new (NULL);
  g_autoptr (GPtrArray) again = g_ptr_array_new_with_free_func (g_free);
  lk_hostlist_compress ((const char *const *)names->pdata, names->len, list);
  LK_ASSERT (lk_hostlist_expand (list->str, list->len, again, NULL));
  LK_ASSERT (again->len == names->len);
  for (guint i = 0; i < names->len; i++)
    LK_ASSERT (strcmp (g_ptr_array_index (names, i), g_ptr_array_index (again, i)) == 0);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  const char *error = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  gboolean is_list = lk_hostlist_expand ((const char *)bytes, length_bytes, names, &error);
  LK_ASSERT (is_list == (error == NULL));
  LK_ASSERT (is_list || names->len == 0);
  names_check (names);
  if (names->len <= NAMES_MAX)
    round_trip_check (names);
  return 0;
}
