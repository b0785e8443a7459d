/* sim/metrics.c — see metrics.h.
 *
 * Selection: a value is a 64-bit key whose unsigned order is the order of the values: the bits of
 * a double >= 1 less the bits of 1.0, where the double is the slowdown, or the wait in
 * microseconds plus 1.  The pass that adds up also counts the keys' first digit, in which a bucket
 * is 1/256 of its values wide.  Each further pass looks only at the keys in the bucket where a
 * rank falls: few ones are collected and sorted, many are counted by their next digit. */
#include "sim/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/assert.h"
#include "sim/error.h"

#define DIGIT_BITS 14u
#define DIGIT_COUNT (1u << DIGIT_BITS)
#define FIRST_SHIFT 44u /* of the first digit; the later ones are DIGIT_BITS apart */
#define COLLECT_MAX 32768u
#define ONE_BITS G_GUINT64_CONSTANT (0x3FF0000000000000)
/* Slowdowns are summed in units of 2^-40, exactly for those below 4096 and to 1e-12 of themselves
 * above. */
#define SLOWDOWN_SCALE 1099511627776.0

/* Room for a sum of any number of microseconds. */
__extension__ typedef __int128 Wide;

typedef enum { MEASURE_WAIT, MEASURE_SLOWDOWN, MEASURE_COUNT } Measure;

/* A rank sought among the keys of one measure. */
typedef struct {
  Measure measure;
  gboolean is_found;
  guint64 key;          /* valid when it is found */
  guint64 rank;         /* 0-based, among the keys that share the digits found so far */
  guint64 prefix;       /* those digits */
  guint shift;          /* where the last of them ends */
  guint64 bucket_count; /* keys that share them */
  GArray *collected;    /* of guint64: all those keys; NULL: they are counted instead */
  guint64 *histogram;   /* DIGIT_COUNT counts by the next digit */
  guint64 key_min;      /* of those keys */
  guint64 key_max;
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
  gint64 wait_max_us;
  guint64 *histograms[MEASURE_COUNT]; /* DIGIT_COUNT counts by the first digit */
} Tally;

static guint64
key_of (double value)
{
  guint64 bits;
  memcpy (&bits, &value, sizeof bits);
  return bits - ONE_BITS;
}

static double
value_of_key (guint64 key)
{
  guint64 bits = key + ONE_BITS;
  double value;
  memcpy (&value, &bits, sizeof value);
  return value;
}

static double
record_slowdown (const LkSpoolRecord *record)
{
  return lk_bounded_slowdown (record->wait_us, record->run_us, LK_METRICS_TAU_US);
}

static guint64
record_key (const LkSpoolRecord *record, Measure measure)
{
  return key_of (measure == MEASURE_WAIT ? (double)record->wait_us + 1.0
                                         : record_slowdown (record));
}

/* The keys of values up to 2^64 have first digits below DIGIT_COUNT. */
static guint
first_digit (guint64 key)
{
  return (guint)MIN (key >> FIRST_SHIFT, DIGIT_COUNT - 1);
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

/* The conversion to a wide integer is a call; hardly any slowdown needs it. */
static Wide
scaled (double slowdown)
{
  double product = slowdown * SLOWDOWN_SCALE;
  return product < 9e18 ? (Wide)(gint64)product : (Wide)product;
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
    double slowdown = record_slowdown (record);
    tally->measured_count++;
    tally->wait_sum_us += record->wait_us;
    tally->slowdown_sum += scaled (slowdown);
    tally->wait_max_us = MAX (tally->wait_max_us, record->wait_us);
    tally->histograms[MEASURE_WAIT][first_digit (record_key (record, MEASURE_WAIT))]++;
    tally->histograms[MEASURE_SLOWDOWN][first_digit (key_of (slowdown))]++;
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

/* ---------------------------------------------------------------- selection */

/* Goes down into the bucket of a histogram that holds the rank. */
static void
take_digit (Target *target, const guint64 *histogram, guint shift)
{
  guint digit = 0;
  while (target->rank >= histogram[digit]) {
    target->rank -= histogram[digit];
    digit++;
    LK_ASSERT (digit < DIGIT_COUNT);
  }
  target->prefix |= (guint64)digit << shift;
  target->shift = shift;
  target->bucket_count = histogram[digit];
  if (shift == 0) {
    target->is_found = TRUE;
    target->key = target->prefix;
  }
}

static guint
next_shift (const Target *target)
{
  return target->shift > DIGIT_BITS ? target->shift - DIGIT_BITS : 0;
}

static void
begin_pass (Target *target)
{
  target->key_min = G_MAXUINT64;
  target->key_max = 0;
  if (target->bucket_count <= COLLECT_MAX)
    target->collected =
        g_array_sized_new (FALSE, FALSE, sizeof (guint64), (guint)target->bucket_count);
  else
    memset (target->histogram, 0, DIGIT_COUNT * sizeof (guint64));
}

static void
take_records (const Tally *tally, Target *target, const LkSpoolRecord *records, gsize count)
{
  guint shift = next_shift (target);
  guint64 prefix = target->prefix >> target->shift;
  for (gsize i = 0; i < count; i++) {
    guint64 key = record_key (&records[i], target->measure);
    if ((key >> target->shift) != prefix || !is_measured (tally, &records[i]))
      continue;
    target->key_min = MIN (target->key_min, key);
    target->key_max = MAX (target->key_max, key);
    if (target->collected != NULL)
      g_array_append_val (target->collected, key);
    else
      target->histogram[(key >> shift) & (DIGIT_COUNT - 1)]++;
  }
}

static int
compare_keys (const void *a, const void *b)
{
  guint64 x = *(const guint64 *)a;
  guint64 y = *(const guint64 *)b;
  return (x > y) - (x < y);
}

static void
end_pass (Target *target)
{
  if (target->key_min == target->key_max) {
    /* Half of all jobs do not wait at all: no need to go through the digits of one value. */
    target->is_found = TRUE;
    target->key = target->key_min;
  } else if (target->collected != NULL) {
    LK_ASSERT (target->collected->len == target->bucket_count);
    qsort (target->collected->data, target->collected->len, sizeof (guint64), compare_keys);
    target->is_found = TRUE;
    target->key = g_array_index (target->collected, guint64, target->rank);
  } else
    take_digit (target, target->histogram, next_shift (target));
  g_clear_pointer (&target->collected, g_array_unref);
}

static gboolean
all_found (const Target *targets, guint target_count)
{
  for (guint t = 0; t < target_count; t++)
    if (!targets[t].is_found)
      return FALSE;
  return TRUE;
}

/* Finds the keys at the ranks. Only a spool that cannot be read makes it fail. */
static gboolean
select_ranks (LkSpool *spool, const Tally *tally, Target *targets, guint target_count,
              GError **error)
{
  guint64 record_count = lk_spool_count (spool);
  gboolean is_read = TRUE;
  while (is_read && !all_found (targets, target_count)) {
    for (guint t = 0; t < target_count; t++)
      if (!targets[t].is_found)
        begin_pass (&targets[t]);
    for (guint64 index = 0; is_read && index < record_count;) {
      const LkSpoolRecord *records;
      gsize count = 0;
      is_read = lk_spool_read (spool, index, &records, &count, error);
      for (guint t = 0; is_read && t < target_count; t++)
        if (!targets[t].is_found)
          take_records (tally, &targets[t], records, count);
      index += count;
    }
    for (guint t = 0; is_read && t < target_count; t++)
      if (!targets[t].is_found)
        end_pass (&targets[t]);
  }
  for (guint t = 0; t < target_count; t++)
    g_clear_pointer (&targets[t].collected, g_array_unref);
  return is_read;
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
  for (guint t = 0; t < G_N_ELEMENTS (targets); t++) {
    targets[t].histogram = histograms + t * DIGIT_COUNT;
    take_digit (&targets[t], tally->histograms[targets[t].measure], FIRST_SHIFT);
  }
  if (!select_ranks (spool, tally, targets, G_N_ELEMENTS (targets), error))
    return FALSE;
  metrics->mean_wait_s = (double)tally->wait_sum_us / (double)count / 1e6;
  metrics->median_wait_s = (value_of_key (targets[0].key) - 1.0) / 1e6;
  metrics->p95_wait_s = (value_of_key (targets[1].key) - 1.0) / 1e6;
  metrics->max_wait_s = (double)tally->wait_max_us / 1e6;
  metrics->mean_bounded_slowdown = (double)tally->slowdown_sum / (double)count / SLOWDOWN_SCALE;
  metrics->median_bounded_slowdown = value_of_key (targets[2].key);
  metrics->p95_bounded_slowdown = value_of_key (targets[3].key);
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
  g_autofree guint64 *histograms = g_new0 (guint64, MEASURE_COUNT * DIGIT_COUNT);
  for (guint m = 0; m < MEASURE_COUNT; m++)
    tally.histograms[m] = histograms + m * DIGIT_COUNT;
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
