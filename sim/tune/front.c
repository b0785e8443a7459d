/* sim/tune/front.c — fronts of scores, by Deb et al. 2002. See search.h. */
#include <stdlib.h>

#include "engine/assert.h"
#include "sim/tune/search.h"

/* Above any objective that a simulation can have. */
#define PENALTY 1e30

gboolean
lk_score_dominates (const LkScore *a, const LkScore *b, guint objective_count)
{
  gboolean is_better = FALSE;
  if (a->violation > 0 || b->violation > 0)
    return a->violation < b->violation;
  for (guint i = 0; i < objective_count; i++) {
    if (a->objectives[i] > b->objectives[i])
      return FALSE;
    is_better = is_better || a->objectives[i] < b->objectives[i];
  }
  return is_better;
}

double
lk_score_single (const LkScore *score)
{
  return score->violation > 0 ? PENALTY * (1 + score->violation) : score->objectives[0];
}

typedef struct {
  double value;
  guint index;
} Placed;

static gint
compare_placed (gconstpointer a, gconstpointer b)
{
  const Placed *x = a;
  const Placed *y = b;
  if (x->value < y->value || x->value > y->value)
    return x->value < y->value ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* Adds, for one objective, how far the neighbours of each member are apart. */
static void
crowd (Placed *members, guint count, double *crowding)
{
  qsort (members, count, sizeof *members, compare_placed);
  double span = members[count - 1].value - members[0].value;
  crowding[members[0].index] = G_MAXDOUBLE;
  crowding[members[count - 1].index] = G_MAXDOUBLE;
  for (guint i = 1; i + 1 < count && span > 0; i++) {
    double *here = &crowding[members[i].index];
    if (*here < G_MAXDOUBLE)
      *here += (members[i + 1].value - members[i - 1].value) / span;
  }
}

static void
crowd_front (const LkScore *scores, guint count, guint objective_count, const guint *fronts,
             guint front, double *crowding)
{
  g_autofree Placed *members = g_new (Placed, count);
  for (guint objective = 0; objective < objective_count; objective++) {
    guint member_count = 0;
    for (guint i = 0; i < count; i++)
      if (fronts[i] == front)
        members[member_count++] = (Placed){ .value = scores[i].objectives[objective], .index = i };
    if (member_count > 0)
      crowd (members, member_count, crowding);
  }
}

void
lk_score_fronts (const LkScore *scores, guint count, guint objective_count, guint *out_fronts,
                 double *out_crowding)
{
  guint placed = 0;
  for (guint i = 0; i < count; i++) {
    out_fronts[i] = G_MAXUINT;
    out_crowding[i] = 0;
  }
  for (guint front = 0; placed < count; front++) {
    guint before = placed;
    for (guint i = 0; i < count; i++) {
      gboolean is_dominated = out_fronts[i] < front;
      for (guint j = 0; j < count && !is_dominated; j++)
        is_dominated =
            out_fronts[j] >= front && lk_score_dominates (&scores[j], &scores[i], objective_count);
      if (is_dominated)
        continue;
      out_fronts[i] = front;
      placed++;
    }
    LK_ASSERT (placed > before);
    crowd_front (scores, count, objective_count, out_fronts, front, out_crowding);
  }
}
