/* sim/statistics/interval.c — see interval.h. */
#include "sim/statistics/interval.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/assert.h"

#define SHAKEN_PAIRS_MIN 3u
#define PERCENT 95u

static const LkInterval nothing = {
  .first = NAN,
  .here = NAN,
  .difference = NAN,
  .low = NAN,
  .high = NAN,
  .ratio_low = NAN,
  .ratio_high = NAN,
};

/* A value of one side, with the block that it is drawn with. */
typedef struct {
  double value;
  guint32 block;
} Placed;

/* What a side of the pairs needs to be summed up for any drawn set of blocks. */
typedef struct {
  double *sums;   /* by block */
  Placed *sorted; /* from the largest down; NULL for a mean */
} Side;

typedef struct {
  const LkIntervalOptions *options;
  LkStatistic statistic;
  guint pair_count;
  guint block_count;
  guint64 *counts; /* pairs by block */
  Side first;
  Side here;
} Sample;

/* ---------------------------------------------------------------- statistics of drawn blocks */

static gint
compare_placed (gconstpointer a, gconstpointer b)
{
  const Placed *x = a;
  const Placed *y = b;
  if (x->value < y->value || x->value > y->value)
    return x->value > y->value ? -1 : 1;
  return x->block < y->block ? -1 : x->block > y->block;
}

/* `draws` says how often each block is in the set, which holds `total` pairs, at least one. */
static double
mean_of (const Sample *sample, const Side *side, const guint32 *draws, guint64 total)
{
  double sum = 0;
  for (guint block = 0; block < sample->block_count; block++)
    sum += (double)draws[block] * side->sums[block];
  return sum / (double)total;
}

/* The value at place ceil (95 n / 100) from below is reached from above behind n less that. */
static double
percentile_of (const Sample *sample, const Side *side, const guint32 *draws, guint64 total)
{
  guint64 rank = (PERCENT * total + 99) / 100;
  guint64 above = total - rank;
  guint64 passed = 0;
  for (guint i = 0; i < sample->pair_count; i++) {
    passed += draws[side->sorted[i].block];
    if (passed > above)
      return side->sorted[i].value;
  }
  return NAN;
}

static double
statistic_of (const Sample *sample, const Side *side, const guint32 *draws, guint64 total)
{
  return sample->statistic == LK_STATISTIC_MEAN ? mean_of (sample, side, draws, total)
                                                : percentile_of (sample, side, draws, total);
}

/* ---------------------------------------------------------------- preparing */

static void
side_fill (Sample *sample, Side *side, const LkPair *pairs, gboolean is_here)
{
  side->sums = g_new0 (double, sample->block_count);
  if (sample->statistic != LK_STATISTIC_MEAN)
    side->sorted = g_new (Placed, sample->pair_count);
  for (guint i = 0; i < sample->pair_count; i++) {
    double value = is_here ? pairs[i].here : pairs[i].first;
    side->sums[pairs[i].block] += value;
    if (side->sorted != NULL)
      side->sorted[i] = (Placed){ .value = value, .block = pairs[i].block };
  }
  if (side->sorted != NULL)
    qsort (side->sorted, sample->pair_count, sizeof (Placed), compare_placed);
}

static void
sample_fill (Sample *sample, const LkPair *pairs)
{
  sample->counts = g_new0 (guint64, sample->block_count);
  for (guint i = 0; i < sample->pair_count; i++) {
    LK_ASSERT (pairs[i].block < sample->block_count);
    sample->counts[pairs[i].block]++;
  }
  side_fill (sample, &sample->first, pairs, FALSE);
  side_fill (sample, &sample->here, pairs, TRUE);
}

static void
sample_clear (Sample *sample)
{
  g_free (sample->counts);
  g_free (sample->first.sums);
  g_free (sample->first.sorted);
  g_free (sample->here.sums);
  g_free (sample->here.sorted);
}

/* ---------------------------------------------------------------- drawing */

static void
tell (const Sample *sample, LkInterval *out)
{
  g_autofree guint32 *once = g_new (guint32, sample->block_count);
  for (guint block = 0; block < sample->block_count; block++) {
    once[block] = 1;
    out->block_count += sample->counts[block] > 0;
  }
  out->first = statistic_of (sample, &sample->first, once, sample->pair_count);
  out->here = statistic_of (sample, &sample->here, once, sample->pair_count);
  out->difference = out->here - out->first;
}

static guint64
draw (const Sample *sample, gsl_rng *random, guint32 *draws)
{
  guint64 total = 0;
  memset (draws, 0, sample->block_count * sizeof *draws);
  for (guint i = 0; i < sample->block_count; i++) {
    gulong block = gsl_rng_uniform_int (random, sample->block_count);
    draws[block]++;
    total += sample->counts[block];
  }
  return total;
}

static double
quantile (double *values, gsize count, double at_ratio)
{
  return gsl_stats_quantile_from_sorted_data (values, 1, count, at_ratio);
}

static void
draw_all (const Sample *sample, LkInterval *out)
{
  const LkIntervalOptions *options = sample->options;
  g_autofree guint32 *draws = g_new (guint32, sample->block_count);
  g_autofree double *differences = g_new (double, options->replicate_count);
  g_autofree double *ratios = g_new (double, options->replicate_count);
  gsize count = 0;
  gboolean has_ratios = TRUE;
  gsl_rng *random = gsl_rng_alloc (gsl_rng_mt19937);
  gsl_rng_set (random, (gulong)options->seed);
  for (guint i = 0; i < options->replicate_count; i++) {
    guint64 total = draw (sample, random, draws);
    if (total == 0) /* a set of blocks without a job says nothing */
      continue;
    double here = statistic_of (sample, &sample->here, draws, total);
    double first = statistic_of (sample, &sample->first, draws, total);
    has_ratios = has_ratios && first > 0;
    ratios[count] = first > 0 ? here / first : 0;
    differences[count++] = here - first;
  }
  gsl_rng_free (random);
  if (count == 0)
    return;
  double tail_ratio = (1 - options->level_ratio) / 2;
  gsl_sort (differences, 1, count);
  gsl_sort (ratios, 1, count);
  out->has_interval = TRUE;
  out->low = quantile (differences, count, tail_ratio);
  out->high = quantile (differences, count, 1 - tail_ratio);
  out->ratio_low = has_ratios ? quantile (ratios, count, tail_ratio) : NAN;
  out->ratio_high = has_ratios ? quantile (ratios, count, 1 - tail_ratio) : NAN;
}

void
lk_interval_bootstrap (const LkIntervalOptions *options, LkStatistic statistic, const LkPair *pairs,
                       guint pair_count, guint block_count, LkInterval *out_interval)
{
  LkInterval out = nothing;
  LK_ASSERT (options->replicate_count > 0);
  LK_ASSERT (options->level_ratio > 0 && options->level_ratio < 1);
  Sample sample = {
    .options = options, .statistic = statistic, .pair_count = pair_count, .block_count = block_count
  };
  if (pair_count > 0) {
    sample_fill (&sample, pairs);
    tell (&sample, &out);
    if (out.block_count >= LK_INTERVAL_BLOCKS_MIN)
      draw_all (&sample, &out);
  }
  sample_clear (&sample);
  *out_interval = out;
}

/* ---------------------------------------------------------------- shaken inputs */

void
lk_interval_student (double level_ratio, const LkPair *pairs, guint pair_count,
                     LkInterval *out_interval)
{
  LkInterval out = nothing;
  gsize stride = sizeof (LkPair) / sizeof (double);
  LK_ASSERT (level_ratio > 0 && level_ratio < 1);
  G_STATIC_ASSERT (sizeof (LkPair) % sizeof (double) == 0);
  out.block_count = pair_count;
  if (pair_count > 0) {
    out.first = gsl_stats_mean (&pairs[0].first, stride, pair_count);
    out.here = gsl_stats_mean (&pairs[0].here, stride, pair_count);
    out.difference = out.here - out.first;
  }
  if (pair_count >= SHAKEN_PAIRS_MIN) {
    g_autofree double *differences = g_new (double, pair_count);
    for (guint i = 0; i < pair_count; i++)
      differences[i] = pairs[i].here - pairs[i].first;
    double spread = gsl_stats_sd (differences, 1, pair_count) / sqrt (pair_count);
    double reach = spread * gsl_cdf_tdist_Qinv ((1 - level_ratio) / 2, pair_count - 1);
    out.has_interval = isfinite (reach);
    out.low = out.difference - reach;
    out.high = out.difference + reach;
  }
  *out_interval = out;
}

LkVerdict
lk_interval_verdict (const LkInterval *interval, gboolean is_same)
{
  if (is_same)
    return LK_VERDICT_SAME;
  if (!interval->has_interval)
    return LK_VERDICT_TOO_FEW;
  if (interval->low > 0)
    return LK_VERDICT_HIGHER;
  return interval->high < 0 ? LK_VERDICT_LOWER : LK_VERDICT_NOTHING;
}
