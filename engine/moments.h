/* engine/moments.h — the least of many moments: a heap with the latest of them on top.
 *
 * While it has fewer than `count` entries it takes every moment; from then on the top is the latest
 * of the `count` least seen. */
#ifndef LK_ENGINE_MOMENTS_H
#define LK_ENGINE_MOMENTS_H

#include <glib.h>

/* Into an array of gint64 that began empty and has always been given the same `count`, at least 1.
 * Cost: O(log count). */
static inline void
lk_moments_add (GArray *heap, guint32 count, gint64 at_us)
{
  gint64 *entries = (gint64 *)(gpointer)heap->data;
  guint i;
  if (heap->len == count) {
    if (at_us >= entries[0])
      return;
    for (i = 0; 2 * i + 1 < count;) {
      guint child = 2 * i + 1;
      if (child + 1 < count && entries[child + 1] > entries[child])
        child++;
      if (entries[child] <= at_us)
        break;
      entries[i] = entries[child];
      i = child;
    }
    entries[i] = at_us;
    return;
  }
  g_array_append_val (heap, at_us);
  entries = (gint64 *)(gpointer)heap->data;
  for (i = heap->len - 1; i > 0 && entries[(i - 1) / 2] < at_us; i = (i - 1) / 2)
    entries[i] = entries[(i - 1) / 2];
  entries[i] = at_us;
}

#endif
