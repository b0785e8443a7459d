/* sim/trace_census.c — see trace_census.h. */
#include "sim/trace_census.h"

#include <math.h>

#include "sim/trace_input.h"
#include "traces/clean.h"

#define US_PER_S G_GINT64_CONSTANT (1000000)
/* Submits above this (in 1985) are seconds since 1970: no log spans fifteen years. */
#define ABSOLUTE_SUBMIT_US (G_GINT64_CONSTANT (500000000) * US_PER_S)

typedef struct {
  LkTraceCensus *out;
  GArray *procs; /* of gint64, as the next three */
  GArray *runs_us;
  GArray *estimates_us;
  GArray *numbers;
  gboolean is_numbers_rising;
  GHashTable *users; /* sets of gint64; only their sizes are used */
  GHashTable *groups;
  GHashTable *applications;
  GHashTable *queues;
  GHashTable *partitions;
  gint64 submit_last_us;
  guint64 power_of_two_count;
  guint64 accuracy_count;
  double accuracy_sum;
} Tally;

static GHashTable *
set_new (void)
{
  return g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
}

static void
set_add (GHashTable *set, gint64 value)
{
  if (value >= 0 && !g_hash_table_contains (set, &value))
    g_hash_table_add (set, g_memdup2 (&value, sizeof value));
}

static void
tally_init (Tally *self, LkTraceCensus *out)
{
  *self = (Tally){ .out = out, .is_numbers_rising = TRUE, .submit_last_us = G_MININT64 };
  self->procs = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->runs_us = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->estimates_us = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->numbers = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->users = set_new ();
  self->groups = set_new ();
  self->applications = set_new ();
  self->queues = set_new ();
  self->partitions = set_new ();
}

static void
tally_clear (Tally *self)
{
  g_array_unref (self->procs);
  g_array_unref (self->runs_us);
  g_array_unref (self->estimates_us);
  g_array_unref (self->numbers);
  g_hash_table_unref (self->users);
  g_hash_table_unref (self->groups);
  g_hash_table_unref (self->applications);
  g_hash_table_unref (self->queues);
  g_hash_table_unref (self->partitions);
}

/* ---------------------------------------------------------------- one job */

static void
unknown_tally (Tally *self, const LkSwfJob *job)
{
  const gint64 values[LK_CENSUS_FIELD_COUNT] = { job->number,           job->submit_us,
                                                 job->wait_us,          job->run_us,
                                                 job->procs_used,       job->cpu_us,
                                                 job->memory_kib,       job->procs,
                                                 job->estimate_us,      job->memory_requested_kib,
                                                 job->status,           job->user_id,
                                                 job->group_id,         job->application_id,
                                                 job->queue_id,         job->partition_id,
                                                 job->preceding_number, job->think_us };
  const guint32 time_fields = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 5 | 1u << 8 | 1u << 17;
  for (guint i = 0; i < LK_CENSUS_FIELD_COUNT; i++)
    if (values[i] == (time_fields >> i & 1 ? -US_PER_S : -1))
      self->out->unknown[i]++;
}

static void
submit_tally (Tally *self, const LkSwfJob *job, guint64 line_number)
{
  LkTraceCensus *out = self->out;
  if (job->submit_us < self->submit_last_us && out->unsorted_submits++ == 0)
    out->unsorted_line_number = line_number;
  self->submit_last_us = job->submit_us;
  if (job->submit_us < 0)
    return;
  gboolean is_first = out->submit_min_us < 0;
  out->submit_min_us = is_first ? job->submit_us : MIN (out->submit_min_us, job->submit_us);
  out->submit_max_us = MAX (out->submit_max_us, job->submit_us);
}

static void
times_tally (Tally *self, const LkSwfJob *job, gint64 procs)
{
  LkTraceCensus *out = self->out;
  if (job->run_us >= 0)
    g_array_append_val (self->runs_us, job->run_us);
  out->zero_runs += job->run_us == 0 ? 1 : 0;
  if (job->run_us > 0 && procs > 0)
    out->work_s += (double)procs * ((double)job->run_us / (double)US_PER_S);
  if (job->estimate_us <= 0)
    return;
  g_array_append_val (self->estimates_us, job->estimate_us);
  out->overruns += job->run_us > job->estimate_us ? 1 : 0;
  if (job->run_us > 0) {
    self->accuracy_sum += (double)job->run_us / (double)job->estimate_us;
    self->accuracy_count++;
  }
}

static void
job_tally (Tally *self, const LkSwfJob *job, guint64 line_number)
{
  LkTraceCensus *out = self->out;
  gint64 procs = lk_swf_job_procs (job);
  out->job_count++;
  unknown_tally (self, job);
  submit_tally (self, job, line_number);
  times_tally (self, job, procs);
  if (procs > 0) {
    g_array_append_val (self->procs, procs);
    self->power_of_two_count += (procs & (procs - 1)) == 0 ? 1 : 0;
  }
  if (self->numbers->len > 0
      && job->number <= g_array_index (self->numbers, gint64, self->numbers->len - 1))
    self->is_numbers_rising = FALSE;
  g_array_append_val (self->numbers, job->number);
  set_add (self->users, job->user_id);
  set_add (self->groups, job->group_id);
  set_add (self->applications, job->application_id);
  set_add (self->queues, job->queue_id);
  set_add (self->partitions, job->partition_id);
  if (job->status >= 0 && job->status < (gint64)LK_CENSUS_STATUS_COUNT)
    out->statuses[job->status]++;
}

/* ---------------------------------------------------------------- all jobs */

static gint
value_compare (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *)a;
  gint64 y = *(const gint64 *)b;
  return x < y ? -1 : x > y;
}

/* Sorts `values`. */
static LkCensusSpread
spread_of (GArray *values)
{
  LkCensusSpread spread = { .count = values->len };
  if (values->len == 0)
    return spread;
  g_array_sort (values, value_compare);
  double sum = 0;
  for (guint i = 0; i < values->len; i++)
    sum += (double)g_array_index (values, gint64, i);
  guint p95_rank = (guint)(((guint64)values->len * 95 + 99) / 100);
  spread.min = g_array_index (values, gint64, 0);
  spread.median = g_array_index (values, gint64, (values->len - 1) / 2);
  spread.p95 = g_array_index (values, gint64, p95_rank - 1);
  spread.max = g_array_index (values, gint64, values->len - 1);
  spread.mean = sum / (double)values->len;
  return spread;
}

static guint64
duplicates_count (Tally *self)
{
  guint64 count = 0;
  if (self->is_numbers_rising)
    return 0;
  g_array_sort (self->numbers, value_compare);
  for (guint i = 1; i < self->numbers->len; i++)
    if (g_array_index (self->numbers, gint64, i) == g_array_index (self->numbers, gint64, i - 1))
      count++;
  return count;
}

static void
machine_finish (Tally *self)
{
  LkTraceCensus *out = self->out;
  out->machine_procs = out->header.max_procs > 0 ? out->header.max_procs : out->header.max_nodes;
  if (out->machine_procs <= 0)
    return;
  for (guint i = 0; i < self->procs->len; i++)
    if (g_array_index (self->procs, gint64, i) > out->machine_procs)
      out->too_large++;
  double span_s = (double)(out->submit_max_us - out->submit_min_us) / (double)US_PER_S;
  if (out->submit_min_us >= 0 && span_s > 0)
    out->offered_load_ratio = out->work_s / ((double)out->machine_procs * span_s);
}

static void
tally_finish (Tally *self, LkTraceReader *reader)
{
  LkTraceCensus *out = self->out;
  LkSwfReader *swf = lk_trace_input_swf (reader);
  LkReaderCounts counts;
  lk_trace_reader_counts (reader, &counts);
  out->format = lk_trace_reader_format (reader);
  if (swf != NULL)
    lk_swf_reader_counts (swf, &out->log);
  else
    out->log = (LkSwfCounts){ .line_count = counts.line_count, .job_count = counts.record_count };
  out->header = lk_trace_input_header (reader);
  out->unix_start_s = lk_trace_unix_start_s (&out->header, out->submit_min_us);
  out->users = g_hash_table_size (self->users);
  out->groups = g_hash_table_size (self->groups);
  out->applications = g_hash_table_size (self->applications);
  out->queues = g_hash_table_size (self->queues);
  out->partitions = g_hash_table_size (self->partitions);
  if (self->procs->len > 0)
    out->power_of_two_ratio = (double)self->power_of_two_count / (double)self->procs->len;
  if (self->accuracy_count > 0)
    out->accuracy_mean_ratio = self->accuracy_sum / (double)self->accuracy_count;
  machine_finish (self);
  out->procs = spread_of (self->procs);
  out->run_us = spread_of (self->runs_us);
  out->estimate_us = spread_of (self->estimates_us);
  out->duplicate_numbers = duplicates_count (self);
}

static guint64
line_number (LkTraceReader *reader)
{
  LkSwfReader *swf = lk_trace_input_swf (reader);
  return swf != NULL ? lk_swf_reader_line_number (swf) : lk_trace_reader_line_number (reader);
}

gboolean
lk_trace_census_take (LkTraceReader *reader, LkTraceCensus *out_census, GError **error)
{
  Tally tally;
  LkTraceCensus census = { .submit_min_us = -1, .submit_max_us = -1, .offered_load_ratio = NAN };
  LkSwfJob job;
  int got;
  tally_init (&tally, &census);
  while ((got = lk_trace_input_next (reader, &job, error)) == 1)
    job_tally (&tally, &job, line_number (reader));
  if (got == 0)
    tally_finish (&tally, reader);
  tally_clear (&tally);
  if (got < 0)
    return FALSE;
  *out_census = census;
  return TRUE;
}

gint64
lk_trace_unix_start_s (const LkSwfHeader *header, gint64 submit_us)
{
  if (header->unix_start_s > 0)
    return header->unix_start_s;
  return submit_us >= ABSOLUTE_SUBMIT_US ? 0 : -1;
}

char *
lk_trace_date_text (gint64 unix_s)
{
  g_autoptr (GDateTime) date = g_date_time_new_from_unix_utc (unix_s);
  return date ? g_date_time_format (date, "%Y-%m-%d %H:%M:%S") : NULL;
}
