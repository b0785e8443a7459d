/* policies/backfill_slurm_pool.c — the backfill cycle's plan on a counted pool.
 *
 * Slurm knows no such machine: its slots hold nodes.  Here units take the place of nodes, and as
 * they have no names, what runs and what is reserved are counted together: a job fits where at no
 * moment of its time more than all units would be in use.  Reservations are rounded as on nodes,
 * running jobs end when they end. */
#include "policies/backfill_slurm.h"

static LkSlurmStep *
step_at (const GArray *steps, guint i)
{
  return &g_array_index (steps, LkSlurmStep, i);
}

GArray *
lk_slurm_pool_new (const LkSlurmCall *call)
{
  const LkView *view = call->view;
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (LkSlurmStep));
  LkSlurmStep step = { view->now_us, view->units_free };
  g_array_append_val (steps, step);
  for (LkJobIndex job = call->ops->running_next (call->pass, LK_JOB_NONE); job != LK_JOB_NONE;
       job = call->ops->running_next (call->pass, job)) {
    /* One that is overdue is about to end. */
    step.at_us = MAX (view->jobs->expected_end_us[job], lk_slurm_add_us (view->now_us, 1000000));
    step.units_free += view->jobs->units[job];
    if (step.at_us == step_at (steps, steps->len - 1)->at_us)
      step_at (steps, steps->len - 1)->units_free = step.units_free;
    else
      g_array_append_val (steps, step);
  }
  return steps;
}

/* Does a job that starts with step `first` fit? Else the first step that it does not fit into. */
static guint
first_conflict (const GArray *steps, guint first, int64_t end_us, int64_t units)
{
  guint i = first;
  while (i < steps->len && step_at (steps, i)->at_us <= end_us
         && step_at (steps, i)->units_free >= units)
    i++;
  return i < steps->len && step_at (steps, i)->at_us <= end_us ? i : G_MAXUINT;
}

int64_t
lk_slurm_pool_earliest_us (const GArray *steps, int64_t units, int64_t duration_us)
{
  for (guint first = 0; first < steps->len;) {
    int64_t start_us = step_at (steps, first)->at_us;
    guint conflict = first_conflict (steps, first, lk_slurm_add_us (start_us, duration_us), units);
    if (conflict == G_MAXUINT)
      return start_us;
    first = conflict + 1;
  }
  return LK_TIME_NEVER;
}

int64_t
lk_slurm_pool_free_us (const GArray *steps, int64_t now_us, int64_t units)
{
  guint conflict = first_conflict (steps, 0, LK_TIME_NEVER, units);
  return conflict == G_MAXUINT ? LK_TIME_NEVER
                               : lk_slurm_since_us (step_at (steps, conflict)->at_us, now_us);
}

/* The step that begins at the moment, made if there is none; the first one where it is earlier. */
static guint
step_from (GArray *steps, int64_t at_us)
{
  guint i = 0;
  while (i < steps->len && step_at (steps, i)->at_us < at_us)
    i++;
  if (i < steps->len && (i == 0 || step_at (steps, i)->at_us == at_us))
    return i;
  LkSlurmStep step = { at_us, step_at (steps, i - 1)->units_free };
  g_array_insert_val (steps, i, step);
  return i;
}

void
lk_slurm_pool_reserve (GArray *steps, int64_t from_us, int64_t to_us, int64_t units)
{
  guint from = step_from (steps, from_us);
  guint to = to_us != LK_TIME_NEVER ? step_from (steps, to_us) : steps->len;
  for (guint i = from; i < to; i++)
    step_at (steps, i)->units_free -= units;
}
