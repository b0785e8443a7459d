/* tests/fuzz/array_fuzz.c — any bytes as a list of tasks: as users write it, and as a snapshot
 * holds it.
 *
 * Beyond memory errors it checks that what was read is written such that it means the same, that
 * members and their count agree, and that the set survives as bytes. */
#include <string.h>

#include "engine/assert.h"
#include "engine/task_set.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

static void
assert_same (const LkTaskSet *a, const LkTaskSet *b)
{
  LK_ASSERT (a->count == b->count);
  LK_ASSERT (lk_task_set_count_common (a, b) == a->count);
}

static void
check_members (LkTaskSet *set, guint32 limit)
{
  guint32 count = 0;
  for (guint32 task = lk_task_set_first (set); task != LK_TASK_NONE;
       task = lk_task_set_next (set, task)) {
    LK_ASSERT (task < limit);
    count++;
  }
  LK_ASSERT (count == set->count);
}

static void
check_bytes (const LkTaskSet *set)
{
  g_autoptr (GByteArray) saved = g_byte_array_new ();
  LkTaskSet loaded;
  lk_task_set_save (set, saved);
  LkBytesReader reader = { saved->data, saved->len, FALSE };
  gboolean is_good = lk_task_set_load (&reader, &loaded);
  LK_ASSERT (is_good);
  LK_ASSERT (reader.left_bytes == 0);
  assert_same (set, &loaded);
  lk_task_set_clear (&loaded);
}

/* Long lists do not fit an event; they are not read again. */
static void
check_text (const LkTaskSet *set, guint32 limit)
{
  g_autoptr (GString) written = g_string_new (NULL);
  LkTaskSet again;
  lk_task_set_text (set, written);
  if (written->len > G_MAXUINT16)
    return;
  gboolean is_good =
      lk_task_set_parse ((LkText){ written->str, (guint16)written->len }, limit, &again);
  LK_ASSERT (is_good);
  assert_same (set, &again);
  lk_task_set_clear (&again);
}

static void
check (LkTaskSet *set, guint32 limit)
{
  check_members (set, limit);
  check_bytes (set);
  if (set->count > 0)
    check_text (set, limit);
  lk_task_set_clear (set);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  static const guint32 limits[] = { 1001, LK_LIMIT_TASKS };
  LkText text = { (const char *)bytes, (guint16)MIN (length_bytes, G_MAXUINT16) };
  LkBytesReader reader = { bytes, length_bytes, FALSE };
  LkTaskSet set;
  guint32 throttle;
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++) {
    if (lk_task_set_parse_array (text, limits[i], &set, &throttle)) {
      LK_ASSERT (set.count > 0);
      check (&set, limits[i]);
    }
    if (lk_task_set_parse (text, limits[i], &set))
      check (&set, limits[i]);
  }
  if (lk_task_set_load (&reader, &set))
    check (&set, LK_LIMIT_TASKS);
  return 0;
}
