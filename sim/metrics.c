/* sim/metrics.c — see metrics.h.
 *
 * Selection: a value is a 64-bit key whose unsigned order is the order of the values (a wait is one already; the bits of
 * a double >= 1 less the bits of 1.0 are one).  Each pass counts one digit of the keys that share the digits found so
 * far with the one sought; the digit in which the rank falls is the next one found. */
#include "sim/metrics.h"

#include <math.h>
#include <string.h>

#include "engine/assert.h"
#include "sim/error.h"

#define DIGIT_BITS 14u
#define DIGIT_COUNT (1u << DIGIT_BITS)
#define KEY_DIGITS 5u /* of DIGIT_BITS each, cover 64 bits */
#define SLOWDOWN_ONE_BITS G_GUINT64_CONSTANT (0x3FF0000000000000)
/* Slowdowns are summed in units of 2^-40, exactly for those below 4096 and to 1e-12 of themselves above. */
#define SLOWDOWN_SCALE 1099511627776.0

/* Room for a sum of any number of microseconds. */
__extension__ typedef __int128 Wide;

typedef enum { MEASURE_WAIT, MEASURE_SLOWDOWN, MEASURE_COUNT } Measure;

/* A rank sought among the keys of one measure. */
typedef struct {
  Measure measure;
  guint64 rank;       /* 0-based */
  guint64 prefix;     /* the digits found so far, in place */
  guint64 *histogram; /* DIGIT_COUNT counts */
} Target;

typedef struct {
  const LkMetricsOptions *options;
  gint64 first_submit_us;
  gint64 last_end_us;
  gint64 window_begin_us;
  gint64 window_end_us;
  guint64 measured_count;
  Wide wait_sum_us;
  Wide slowdown_sum; /* units of 1 / SLOWDOWN_SCALE */
  Wide busy_us;      /* processors times microseconds */
  guint64 key_max[MEASURE_COUNT];
} Tally;

static guint64
slowdown_key (double slowdown)
{
  guint64 bits;
  memcpy (&bits, &slowdown, sizeof bits);
  return bits - SLOWDOWN_ONE_BITS;
}

static double
slowdown_of_key (guint64 key)
{
  guint64 bits = key + SLOWDOWN_ONE_BITS;
  double slowdown;
  memcpy (&slowdown, &bits, sizeof slowdown);
  return slowdown;
}

static guint64
record_key (const LkSpoolRecord *record, Measure measure)
{
  if (measure == MEASURE_WAIT)
    return (guint64)record->wait_us;
  return slowdown_key (lk_bounded_slowdown (record->wait_us, record->run_us, LK_METRICS_TAU_US));
}

static gboolean
is_measured (const Tally *tally, const LkSpoolRecord *record)
{
  return record->start_us >= tally->window_begin_us && record->start_us < tally->window_end_us;
}

static void
tally_span (Tally *tally, const LkSpoolRecord *records, gsize count)
{
  for (gsize i = 0; i < count; i++) {
    const LkSpoolRecord *record = &records[i];
    LK_ASSERT (record->wait_us >= 0);
    LK_ASSERT (record->run_us >= 0);
    tally->first_submit_us = MIN (tally->first_submit_us, record->start_us - record->wait_us);
    tally->last_end_us = MAX (tally->last_end_us, record->start_us + record->run_us);
  }
}

static void
tally_sums (Tally *tally, const LkSpoolRecord *records, gsize count)
{
  for (gsize i = 0; i < count; i++) {
    const LkSpoolRecord *record = &records[i];
    gint64 from_us = MAX (record->start_us, tally->window_begin_us);
    gint64 to_us = MIN (record->start_us + record->run_us, tally->window_end_us);
    if (to_us > from_us)
      tally->busy_us += (Wide)(to_us - from_us) * record->procs;
    if (!is_measured (tally, record))
      continue;
    double slowdown = lk_bounded_slowdown (record->wait_us, record->run_us, LK_METRICS_TAU_US);
    tally->measured_count++;
    tally->wait_sum_us += record->wait_us;
    tally->slowdown_sum += (Wide)(slowdown * SLOWDOWN_SCALE);
    guint64 key = slowdown_key (slowdown);
    tally->key_max[MEASURE_SLOWDOWN] = MAX (tally->key_max[MEASURE_SLOWDOWN], key);
    tally->key_max[MEASURE_WAIT] = MAX (tally->key_max[MEASURE_WAIT], (guint64)record->wait_us);
  }
}

typedef void (*TallyFunc) (Tally *tally, const LkSpoolRecord *records, gsize count);

static gboolean
for_all (LkSpool *spool, Tally *tally, TallyFunc function, GError **error)
{
  guint64 record_count = lk_spool_count (spool);
  for (guint64 index = 0; index < record_count;) {
    const LkSpoolRecord *records;
    gsize count;
    if (!lk_spool_read (spool, index, &records, &count, error))
      return FALSE;
    function (tally, records, count);
    index += count;
  }
  return TRUE;
}

static void
count_digit (const Tally *tally, const LkSpoolRecord *record, const Target *target, guint shift)
{
  guint64 key = record_key (record, target->measure);
  /* Digits above this one; a shift by 64 would be undefined. */
  guint above = shift + DIGIT_BITS;
  if (above < 64 && (key >> above) != (target->prefix >> above))
    return;
  if (is_measured (tally, record))
    target->histogram[(key >> shift) & (DIGIT_COUNT - 1)]++;
}

/* Finds in the counts the digit that holds the rank. */
static void
take_digit (Target *target, guint shift)
{
  guint digit = 0;
  while (target->rank >= target->histogram[digit]) {
    target->rank -= target->histogram[digit];
    digit++;
    LK_ASSERT (digit < DIGIT_COUNT);
  }
  target->prefix |= (guint64)digit << shift;
}

/* Replaces every target's rank by its key, left in `prefix`. */
static gboolean
select_ranks (LkSpool *spool, const Tally *tally, Target *targets, guint target_count,
              GError **error)
{
  guint64 record_count = lk_spool_count (spool);
  for (guint digit = KEY_DIGITS; digit-- > 0;) {
    guint shift = digit * DIGIT_BITS;
    guint64 key_max = MAX (tally->key_max[MEASURE_WAIT], tally->key_max[MEASURE_SLOWDOWN]);
    if ((key_max >> shift) == 0)
      continue; /* every key has 0 here */
    for (guint t = 0; t < target_count; t++)
      memset (targets[t].histogram, 0, DIGIT_COUNT * sizeof (guint64));
    for (guint64 index = 0; index < record_count;) {
      const LkSpoolRecord *records;
      gsize count;
      if (!lk_spool_read (spool, index, &records, &count, error))
        return FALSE;
      for (guint t = 0; t < target_count; t++)
        for (gsize i = 0; i < count; i++)
          count_digit (tally, &records[i], &targets[t], shift);
      index += count;
    }
    for (guint t = 0; t < target_count; t++)
      take_digit (&targets[t], shift);
  }
  return TRUE;
}

static guint64
nearest_rank (guint64 count, guint percent)
{
  Wide scaled = (Wide)count * percent;
  return (guint64)((scaled + 99) / 100) - 1;
}

static gboolean
fill_measured (LkSpool *spool, const Tally *tally, LkMetrics *metrics, GError **error)
{
  guint64 count = tally->measured_count;
  Target targets[] = {
    { .measure = MEASURE_WAIT, .rank = nearest_rank (count, 50) },
    { .measure = MEASURE_WAIT, .rank = nearest_rank (count, 95) },
    { .measure = MEASURE_SLOWDOWN, .rank = nearest_rank (count, 50) },
    { .measure = MEASURE_SLOWDOWN, .rank = nearest_rank (count, 95) },
  };
  g_autofree guint64 *histograms = g_new (guint64, G_N_ELEMENTS (targets) * DIGIT_COUNT);
  for (guint t = 0; t < G_N_ELEMENTS (targets); t++)
    targets[t].histogram = histograms + t * DIGIT_COUNT;
  if (!select_ranks (spool, tally, targets, G_N_ELEMENTS (targets), error))
    return FALSE;
  metrics->mean_wait_s = (double)tally->wait_sum_us / (double)count / 1e6;
  metrics->median_wait_s = (double)targets[0].prefix / 1e6;
  metrics->p95_wait_s = (double)targets[1].prefix / 1e6;
  metrics->max_wait_s = (double)tally->key_max[MEASURE_WAIT] / 1e6;
  metrics->mean_bounded_slowdown = (double)tally->slowdown_sum / (double)count / SLOWDOWN_SCALE;
  metrics->median_bounded_slowdown = slowdown_of_key (targets[2].prefix);
  metrics->p95_bounded_slowdown = slowdown_of_key (targets[3].prefix);
  return TRUE;
}

static gboolean
set_window (Tally *tally, GError **error)
{
  gint64 makespan_us = tally->last_end_us - tally->first_submit_us;
  gint64 cut_us;
  if (__builtin_add_overflow (tally->options->warmup_us, tally->options->cooldown_us, &cut_us)
      || (cut_us > 0 && cut_us >= makespan_us)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "warm-up and cool-down leave nothing to measure: the run is only "
                 "%" G_GINT64_FORMAT " s long",
                 makespan_us / G_USEC_PER_SEC);
    return FALSE;
  }
  tally->window_begin_us = tally->first_submit_us + tally->options->warmup_us;
  tally->window_end_us = tally->last_end_us - tally->options->cooldown_us;
  return TRUE;
}

gboolean
lk_metrics_compute (LkSpool *spool, const LkMetricsOptions *options, LkMetrics *out_metrics,
                    GError **error)
{
  LK_ASSERT (options->warmup_us >= 0);
  LK_ASSERT (options->cooldown_us >= 0);
  LkMetrics metrics = { .jobs = lk_spool_count (spool),
                        .mean_wait_s = NAN,
                        .median_wait_s = NAN,
                        .p95_wait_s = NAN,
                        .max_wait_s = NAN,
                        .mean_bounded_slowdown = NAN,
                        .median_bounded_slowdown = NAN,
                        .p95_bounded_slowdown = NAN,
                        .utilization = NAN };
  Tally tally = { .options = options, .first_submit_us = G_MAXINT64, .last_end_us = G_MININT64 };
  if (metrics.jobs > 0) {
    if (!for_all (spool, &tally, tally_span, error) || !set_window (&tally, error)
        || !for_all (spool, &tally, tally_sums, error))
      return FALSE;
    metrics.jobs_measured = tally.measured_count;
    metrics.makespan_us = tally.last_end_us - tally.first_submit_us;
    metrics.window_begin_us = tally.window_begin_us;
    metrics.window_end_us = tally.window_end_us;
    double window_us = (double)(tally.window_end_us - tally.window_begin_us);
    if (window_us > 0 && options->procs > 0)
      metrics.utilization = (double)tally.busy_us / ((double)options->procs * window_us);
  }
  if (tally.measured_count > 0 && !fill_measured (spool, &tally, &metrics, error))
    return FALSE;
  *out_metrics = metrics;
  return TRUE;
}
