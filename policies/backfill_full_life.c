/* policies/backfill_full_life.c — the backfill policy `full` is made and let go. */
#include "policies/backfill_full.h"

void *
lk_full_create (const LkParamValues *values, LkPolicyError *error)
{
  LkFull *self = g_new0 (LkFull, 1);
  (void)error;
  int64_t window_min = values->values[LK_FULL_AT_WINDOW].integer;
  self->plan_ops = values->host->plan;
  self->window_us = window_min > 0 ? window_min * LK_FULL_MINUTE_US : LK_TIME_NEVER;
  self->reorder_us = values->values[LK_FULL_AT_REORDER].integer * LK_FULL_MINUTE_US;
  self->offers = (uint32_t)values->values[LK_FULL_AT_OFFERS].integer;
  self->credit = self->credit_max = values->values[LK_FULL_AT_CREDIT].integer;
  self->arrivals = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  self->planned = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  self->near = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  self->aside = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  self->unplaced = lk_wait_list_new ();
  self->is_sorted = self->is_unplaced_sorted = TRUE;
  self->horizon_us = self->made_us = INT64_MIN;
  self->bounds = lk_start_bounds_new ();
  lk_due_heap_init (&self->due);
  return self;
}

void
lk_full_destroy (void *user)
{
  LkFull *self = user;
  if (self == NULL)
    return;
  if (self->plan != NULL)
    self->plan_ops->destroy (self->plan);
  g_free (self->start_us);
  g_free (self->stand);
  g_free (self->given);
  g_array_unref (self->arrivals);
  g_array_unref (self->planned);
  g_array_unref (self->near);
  g_array_unref (self->aside);
  lk_wait_list_free (self->unplaced);
  lk_start_bounds_free (self->bounds);
  lk_due_heap_clear (&self->due);
  g_free (self);
}
