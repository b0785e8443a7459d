/* sim/tune/search.c — what the methods of a search share. See search_private.h. */
#include <math.h>

#include "engine/assert.h"
#include "sim/tune/search_private.h"

double
lk_search_mirror (double value)
{
  double folded = fabs (fmod (value, 2));
  return folded > 1 ? 2 - folded : folded;
}

guint
lk_search_calls_max (const LkSearch *self)
{
  return (guint)MIN ((guint64)self->budget * LK_SEARCH_CALLS_PER_POINT, G_MAXUINT);
}

typedef struct {
  LkSearchPoint point;
  double value;
  guint index;
} Start;

static gint
compare_starts (gconstpointer a, gconstpointer b)
{
  const Start *x = a;
  const Start *y = b;
  if (x->value < y->value || x->value > y->value)
    return x->value < y->value ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

GArray *
lk_search_starts (const LkSearch *self, const GArray *starts)
{
  const LkSearchPoint *points = &g_array_index (starts, LkSearchPoint, 0);
  GArray *order = g_array_new (FALSE, FALSE, sizeof (LkSearchPoint));
  g_autofree LkScore *scores = g_new0 (LkScore, starts->len);
  g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (Start));
  LK_ASSERT (starts->len > 0);
  if (!self->evaluate (self->user, points, starts->len, scores))
    return order;
  for (guint i = 0; i < starts->len; i++) {
    Start start = { .point = points[i], .value = lk_score_single (&scores[i]), .index = i };
    g_array_append_val (sorted, start);
  }
  g_array_sort (sorted, compare_starts);
  for (guint i = 0; i < sorted->len; i++)
    g_array_append_val (order, g_array_index (sorted, Start, i).point);
  return order;
}
