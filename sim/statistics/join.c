/* sim/statistics/join.c — see join.h. Both readers give jobs in the same order: a merge join. */
#include "sim/statistics/join.h"

#include <string.h>

static int
compare_jobs (const LkResultsStart *a, const LkResultsStart *b)
{
  gboolean a_has_name = a->name[0] != '\0';
  gboolean b_has_name = b->name[0] != '\0';
  if (a_has_name || b_has_name)
    return a_has_name && b_has_name ? strcmp (a->name, b->name) : a_has_name - b_has_name;
  if (a->job_id != b->job_id)
    return a->job_id < b->job_id ? -1 : 1;
  return 0;
}

gboolean
lk_results_join (LkResultsReader *first, LkResultsReader *here, LkJoinFunc function, gpointer user,
                 GError **error)
{
  LkResultsStart a;
  LkResultsStart b;
  lk_results_reader_rewind (first);
  lk_results_reader_rewind (here);
  int more_a = lk_results_reader_next (first, &a, error);
  int more_b = more_a < 0 ? -1 : lk_results_reader_next (here, &b, error);
  while (more_a > 0 || more_b > 0) {
    if (more_a < 0 || more_b < 0)
      return FALSE;
    int order = more_a == 0 ? 1 : more_b == 0 ? -1 : compare_jobs (&a, &b);
    function (user, order <= 0 ? &a : NULL, order >= 0 ? &b : NULL);
    if (order <= 0)
      more_a = lk_results_reader_next (first, &a, error);
    if (order >= 0 && more_a >= 0)
      more_b = lk_results_reader_next (here, &b, error);
  }
  return more_a == 0 && more_b == 0;
}
