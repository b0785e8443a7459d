/* sim/whatif/effect.c — see the header. */
#include "sim/whatif/effect.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_statistics_double.h>

#define LOW 0.05
#define HIGH 0.95

/* Sums of one side of one future. */
typedef struct {
  double wait_sum_s;
  guint started;
  guint waiting;
  guint refused;
} Sums;

/* ---------------------------------------------------------------- intervals */

static int
compare_reals (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

LkInterval
lk_interval_of (GArray *values)
{
  double *sorted = (double *)(gpointer)values->data;
  if (values->len == 0)
    return (LkInterval){ NAN, NAN, NAN };
  qsort (sorted, values->len, sizeof (double), compare_reals);
  return (LkInterval){ gsl_stats_quantile_from_sorted_data (sorted, 1, values->len, LOW),
                       gsl_stats_quantile_from_sorted_data (sorted, 1, values->len, 0.5),
                       gsl_stats_quantile_from_sorted_data (sorted, 1, values->len, HIGH) };
}

/* ---------------------------------------------------------------- jobs */

static GArray *
reals_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (double));
}

static void
job_free (gpointer data)
{
  LkEffectJob *self = data;
  for (guint side = 0; side < LK_SIDES; side++)
    g_array_unref (self->starts[side]);
  g_array_unref (self->changes);
  g_free (self);
}

static LkEffectJob *
job_of (LkEffect *self, GHashTable *by_key, const LkOutcome *outcome)
{
  LkEffectJob *job = g_hash_table_lookup (by_key, &outcome->key);
  if (job != NULL)
    return job;
  job = g_new0 (LkEffectJob, 1);
  job->key = outcome->key;
  job->user_id = outcome->user_id;
  job->submit_us = outcome->submit_us;
  job->is_fork = outcome->is_fork;
  job->starts[LK_BEFORE] = reals_new ();
  job->starts[LK_AFTER] = reals_new ();
  job->changes = reals_new ();
  g_ptr_array_add (self->jobs, job);
  g_hash_table_insert (by_key, &job->key, job);
  return job;
}

static void
take_outcome (LkEffect *self, GHashTable *by_key, guint side, const LkOutcome *outcome,
              gint64 fork_us)
{
  if (outcome->is_drawn || outcome->runs)
    return;
  LkEffectJob *job = job_of (self, by_key, outcome);
  job->units = MAX (job->units, outcome->units);
  if (outcome->start_us != LK_TIME_NEVER) {
    double start_s = (double)(outcome->start_us - fork_us) / 1e6;
    g_array_append_val (job->starts[side], start_s);
    job->started[side]++;
  } else if (outcome->reject != 0) {
    job->reject[side] = outcome->reject;
  } else if (outcome->waits) {
    job->waited[side]++;
    job->never[side] += outcome->never ? 1 : 0;
    job->reason[side] = outcome->reason;
  }
}

/* Starts of the same future stand side by side as long as it started in both. */
static void
take_change (GHashTable *by_key, const LkOutcome *before, GHashTable *after)
{
  const LkOutcome *other = g_hash_table_lookup (after, &before->key);
  LkEffectJob *job = g_hash_table_lookup (by_key, &before->key);
  if (job == NULL || other == NULL || before->start_us == LK_TIME_NEVER
      || other->start_us == LK_TIME_NEVER)
    return;
  double change_s = (double)(other->start_us - before->start_us) / 1e6;
  g_array_append_val (job->changes, change_s);
}

static void
take_reasons (LkEffect *self, guint side, const LkOutcome *outcome, guint future_count)
{
  for (guint i = 0; i < 256; i++)
    if ((outcome->reasons[i / 64] >> i % 64 & 1) != 0)
      self->reasons[side][i] += 1.0 / future_count;
}

static void
take_sums (Sums *sums, const LkOutcome *outcome)
{
  if (outcome->runs)
    return;
  if (outcome->start_us != LK_TIME_NEVER) {
    sums->started++;
    sums->wait_sum_s += (double)(outcome->start_us - outcome->submit_us) / 1e6;
  }
  sums->refused += outcome->reject != 0 ? 1 : 0;
  sums->waiting += outcome->waits ? 1 : 0;
}

/* ---------------------------------------------------------------- numbers of the whole */

typedef struct {
  GArray *side[LK_SIDES];
  GArray *change;
} Numbers;

static Numbers
numbers_new (void)
{
  return (Numbers){ { reals_new (), reals_new () }, reals_new () };
}

static void
numbers_add (Numbers *self, double before, double after)
{
  double change = after - before;
  g_array_append_val (self->side[LK_BEFORE], before);
  g_array_append_val (self->side[LK_AFTER], after);
  if (!isnan (change))
    g_array_append_val (self->change, change);
}

static LkEffectNumber
numbers_end (Numbers *self)
{
  LkEffectNumber number = { .change = lk_interval_of (self->change) };
  for (guint side = 0; side < LK_SIDES; side++) {
    number.side[side] = lk_interval_of (self->side[side]);
    g_array_unref (self->side[side]);
  }
  g_array_unref (self->change);
  return number;
}

typedef struct {
  Numbers use, wait, started, waiting, refused;
} AllNumbers;

static double
mean_of (const Sums *sums)
{
  return sums->started > 0 ? sums->wait_sum_s / sums->started : 0.0;
}

static void
take_pair (LkEffect *self, GHashTable *by_key, const LkWhatifPair *pair, gint64 fork_us,
           AllNumbers *numbers)
{
  Sums sums[LK_SIDES] = { { 0 } };
  g_autoptr (GHashTable) after = g_hash_table_new (lk_past_key_hash, g_int64_equal);
  for (guint side = 0; side < LK_SIDES; side++)
    for (guint i = 0; i < pair->outcomes[side]->len; i++) {
      LkOutcome *outcome = &g_array_index (pair->outcomes[side], LkOutcome, i);
      take_outcome (self, by_key, side, outcome, fork_us);
      take_reasons (self, side, outcome, self->future_count);
      take_sums (&sums[side], outcome);
      if (side == LK_AFTER)
        g_hash_table_replace (after, &outcome->key, outcome);
    }
  for (guint i = 0; i < pair->outcomes[LK_BEFORE]->len; i++)
    take_change (by_key, &g_array_index (pair->outcomes[LK_BEFORE], LkOutcome, i), after);
  numbers_add (&numbers->use, pair->use_ratio[LK_BEFORE], pair->use_ratio[LK_AFTER]);
  numbers_add (&numbers->wait, mean_of (&sums[LK_BEFORE]), mean_of (&sums[LK_AFTER]));
  numbers_add (&numbers->started, sums[LK_BEFORE].started, sums[LK_AFTER].started);
  numbers_add (&numbers->waiting, sums[LK_BEFORE].waiting, sums[LK_AFTER].waiting);
  numbers_add (&numbers->refused, sums[LK_BEFORE].refused, sums[LK_AFTER].refused);
  self->is_same =
      self->is_same && lk_digest_value_equal (pair->digest[LK_BEFORE], pair->digest[LK_AFTER]);
}

/* ---------------------------------------------------------------- users */

static gint
compare_jobs (gconstpointer a, gconstpointer b)
{
  guint64 x = (*(LkEffectJob *const *)a)->key, y = (*(LkEffectJob *const *)b)->key;
  return (x > y) - (x < y);
}

static gint
compare_users (gconstpointer a, gconstpointer b)
{
  guint32 x = (*(LkEffectUser *const *)a)->user_id, y = (*(LkEffectUser *const *)b)->user_id;
  return (x > y) - (x < y);
}

static void
settle_job (LkEffect *self, LkEffectJob *job, GHashTable *users)
{
  for (guint side = 0; side < LK_SIDES; side++)
    job->start_s[side] = lk_interval_of (job->starts[side]);
  job->change_s = lk_interval_of (job->changes);
  if (isnan (job->change_s.middle))
    return;
  LkEffectUser *user = g_hash_table_lookup (users, GUINT_TO_POINTER (job->user_id));
  if (user == NULL) {
    user = g_new0 (LkEffectUser, 1);
    user->user_id = job->user_id;
    g_hash_table_insert (users, GUINT_TO_POINTER (job->user_id), user);
    g_ptr_array_add (self->users, user);
  }
  user->change_sum_s += job->change_s.middle;
  if (fabs (job->change_s.middle) <= LK_EFFECT_SAME_S)
    user->same_count++;
  else if (job->change_s.middle < 0.0)
    user->earlier_count++;
  else
    user->later_count++;
}

static void
settle (LkEffect *self)
{
  g_autoptr (GHashTable) users = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < self->jobs->len; i++)
    settle_job (self, g_ptr_array_index (self->jobs, i), users);
  g_ptr_array_sort (self->jobs, compare_jobs);
  g_ptr_array_sort (self->users, compare_users);
  for (guint i = 0; i < self->users->len; i++) {
    const LkEffectUser *user = g_ptr_array_index (self->users, i);
    self->earlier_count += user->earlier_count;
    self->later_count += user->later_count;
    self->same_count += user->same_count;
  }
}

LkEffect *
lk_effect_new (const GPtrArray *pairs, gint64 fork_us)
{
  LkEffect *self = g_new0 (LkEffect, 1);
  AllNumbers numbers = { numbers_new (), numbers_new (), numbers_new (), numbers_new (),
                         numbers_new () };
  g_autoptr (GHashTable) by_key = g_hash_table_new (lk_past_key_hash, g_int64_equal);
  self->future_count = pairs->len;
  self->is_same = TRUE;
  self->jobs = g_ptr_array_new_with_free_func (job_free);
  self->users = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < pairs->len; i++)
    take_pair (self, by_key, g_ptr_array_index (pairs, i), fork_us, &numbers);
  self->use_ratio = numbers_end (&numbers.use);
  self->wait_mean_s = numbers_end (&numbers.wait);
  self->started = numbers_end (&numbers.started);
  self->waiting = numbers_end (&numbers.waiting);
  self->refused = numbers_end (&numbers.refused);
  settle (self);
  return self;
}

void
lk_effect_free (LkEffect *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->jobs);
  g_ptr_array_unref (self->users);
  g_free (self);
}
