/* sim/trace_info.c — see trace_info.h. */
#include "sim/trace_info.h"

#include <math.h>

#include "sim/duration.h"
#include "sim/json_out.h"

#define US_PER_S 1e6
#define LABEL_WIDTH 18

static const char *const status_names[LK_CENSUS_STATUS_COUNT] = { "failed",         "completed",
                                                                  "partial",        "partial last",
                                                                  "partial failed", "cancelled" };

/* ---------------------------------------------------------------- text */

G_GNUC_PRINTF (3, 4)
static void
row (GString *out, const char *label, const char *format, ...)
{
  va_list arguments;
  g_string_append_printf (out, "%-*s", LABEL_WIDTH, label);
  va_start (arguments, format);
  g_string_append_vprintf (out, format, arguments);
  va_end (arguments);
  g_string_append_c (out, '\n');
}

static double
share_percent (guint64 part, guint64 whole)
{
  return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void
duration_spread_row (GString *out, const char *label, const LkCensusSpread *spread)
{
  if (spread->count == 0) {
    row (out, label, "unknown");
    return;
  }
  g_autofree char *min = lk_duration_cell ((double)spread->min / US_PER_S, 0);
  g_autofree char *median = lk_duration_cell ((double)spread->median / US_PER_S, 0);
  g_autofree char *mean = lk_duration_cell (spread->mean / US_PER_S, 1);
  g_autofree char *p95 = lk_duration_cell ((double)spread->p95 / US_PER_S, 0);
  g_autofree char *max = lk_duration_cell ((double)spread->max / US_PER_S, 0);
  row (out, label, "min %s, median %s, mean %s, 95%% %s, max %s", min, median, mean, p95, max);
}

static void
machine_rows (const LkTraceCensus *census, GString *out)
{
  const LkSwfHeader *header = &census->header;
  if (header->computer)
    row (out, "computer", "%s", header->computer);
  if (header->installation)
    row (out, "installation", "%s", header->installation);
  if (header->acknowledge)
    row (out, "acknowledge", "%s", header->acknowledge);
  if (header->max_procs > 0 && header->max_nodes > 0)
    row (out, "machine", "%" G_GINT64_FORMAT " processors, %" G_GINT64_FORMAT " nodes",
         header->max_procs, header->max_nodes);
  else if (census->machine_procs > 0)
    row (out, "machine", "%" G_GINT64_FORMAT " %s", census->machine_procs,
         header->max_procs > 0 ? "processors" : "nodes");
  else
    row (out, "machine", "unknown (a replay without --procs guesses it)");
}

static void
span_rows (const LkTraceCensus *census, GString *out)
{
  if (census->submit_min_us < 0) {
    row (out, "submits", "unknown");
    return;
  }
  double begin_s = (double)census->submit_min_us / US_PER_S;
  double end_s = (double)census->submit_max_us / US_PER_S;
  g_autofree char *span = lk_duration_cell (end_s - begin_s, 0);
  row (out, "submits", "%.15g to %.15g s, %s", begin_s, end_s, span);
  if (census->unix_start_s < 0)
    return;
  g_autofree char *begin =
      lk_trace_date_text (census->unix_start_s + census->submit_min_us / 1000000);
  g_autofree char *end =
      lk_trace_date_text (census->unix_start_s + census->submit_max_us / 1000000);
  if (begin && end)
    row (out, "dates", "%s to %s UTC", begin, end);
}

/* "3 users, 1 group, ..." */
static void
names_row (const LkTraceCensus *census, GString *out)
{
  const struct {
    const char *what;
    guint64 count;
  } names[] = {
    { "user", census->users },
    { "group", census->groups },
    { "application", census->applications },
    { "queue", census->queues },
    { "partition", census->partitions },
  };
  g_autoptr (GString) text = g_string_new (NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT " %s%s", i > 0 ? ", " : "", names[i].count,
                            names[i].what, names[i].count == 1 ? "" : "s");
  row (out, "names", "%s", text->str);
}

static void
jobs_rows (const LkTraceCensus *census, GString *out)
{
  if (census->log.line_count > 0)
    row (out, "jobs", "%" G_GUINT64_FORMAT " on %" G_GUINT64_FORMAT " line%s", census->job_count,
         census->log.line_count, census->log.line_count == 1 ? "" : "s");
  else
    row (out, "jobs", "%" G_GUINT64_FORMAT, census->job_count);
  names_row (census, out);
  span_rows (census, out);
  if (!isnan (census->offered_load_ratio))
    row (out, "offered load", "%.3f (processors x run time / machine x span of submits)",
         census->offered_load_ratio);
  if (census->procs.count == 0)
    row (out, "processors", "unknown");
  else
    row (out, "processors",
         "min %" G_GINT64_FORMAT ", median %" G_GINT64_FORMAT ", mean %.1f, 95%% %" G_GINT64_FORMAT
         ", max %" G_GINT64_FORMAT "; %.1f%% powers of two",
         census->procs.min, census->procs.median, census->procs.mean, census->procs.p95,
         census->procs.max, 100 * census->power_of_two_ratio);
  duration_spread_row (out, "run time", &census->run_us);
  duration_spread_row (out, "requested time", &census->estimate_us);
  if (census->estimate_us.count > 0)
    row (out, "run / requested", "mean %.3f; %.2f%% run past the request",
         census->accuracy_mean_ratio, share_percent (census->overruns, census->job_count));
}

static void
status_row (const LkTraceCensus *census, GString *out)
{
  const char *separator = "";
  guint64 known = 0;
  g_string_append_printf (out, "%-*s", LABEL_WIDTH, "status");
  for (guint i = 0; i < LK_CENSUS_STATUS_COUNT; i++) {
    known += census->statuses[i];
    if (census->statuses[i] > 0) {
      g_string_append_printf (out, "%s%" G_GUINT64_FORMAT " %s", separator, census->statuses[i],
                              status_names[i]);
      separator = ", ";
    }
  }
  if (known < census->job_count)
    g_string_append_printf (out, "%s%" G_GUINT64_FORMAT " unknown", separator,
                            census->job_count - known);
  g_string_append_c (out, '\n');
}

static void
odd_row (GString *out, guint64 count, const char *text)
{
  if (count > 0)
    g_string_append_printf (out, "  %8" G_GUINT64_FORMAT "  %s\n", count, text);
}

static void
odd_rows (const LkTraceCensus *census, GString *out)
{
  gsize before_bytes = out->len;
  g_string_append (out, "\nmissing or odd\n");
  gsize title_bytes = out->len;
  for (guint i = 0; i < LK_CENSUS_FIELD_COUNT; i++) {
    g_autofree char *text =
        g_strdup_printf ("without field %u (%s)%s", i + 1, lk_swf_field_name (i + 1),
                         census->unknown[i] == census->job_count ? ", all of them" : "");
    odd_row (out, census->unknown[i], text);
  }
  g_autofree char *unsorted = g_strdup_printf (
      "submitted before the job on the line before, first on line %" G_GUINT64_FORMAT "%s",
      census->unsorted_line_number,
      census->format == LK_FORMAT_SWF ? " (a replay needs --sort)" : "");
  odd_row (out, census->unsorted_submits, unsorted);
  odd_row (out, census->duplicate_numbers, "with a job number that an earlier job has");
  odd_row (out, census->zero_runs, "with a run time of 0 (dropped in a replay)");
  odd_row (out, census->overruns, "run past the requested time");
  odd_row (out, census->too_large, "larger than the machine (dropped in a replay)");
  odd_row (out, census->log.negative_time_count, "with a time or processors below -1 (--lenient)");
  odd_row (out, census->log.extra_field_count, "with more than 18 fields (--lenient)");
  if (out->len == title_bytes)
    g_string_truncate (out, before_bytes);
}

void
lk_trace_info_text (const char *name, const LkTraceCensus *census, GString *out)
{
  row (out, "trace", "%s", name);
  if (census->format != LK_FORMAT_SWF)
    row (out, "format", "%s", lk_trace_format_name (census->format));
  machine_rows (census, out);
  jobs_rows (census, out);
  status_row (census, out);
  odd_rows (census, out);
}

/* ---------------------------------------------------------------- JSON */

/* A number that is unknown below 0. */
static void
json_known (LkJsonOut *json, const char *key, gint64 value)
{
  if (value < 0)
    lk_json_out_text (json, key, NULL);
  else
    lk_json_out_integer (json, key, value);
}

static void
json_count_spread (LkJsonOut *json, const char *key, const LkCensusSpread *spread)
{
  lk_json_out_object_begin (json, key);
  lk_json_out_count (json, "count", spread->count);
  if (spread->count > 0) {
    lk_json_out_integer (json, "min", spread->min);
    lk_json_out_integer (json, "median", spread->median);
    lk_json_out_real (json, "mean", spread->mean);
    lk_json_out_integer (json, "p95", spread->p95);
    lk_json_out_integer (json, "max", spread->max);
  }
  lk_json_out_object_end (json);
}

static void
json_time_spread (LkJsonOut *json, const char *key, const LkCensusSpread *spread)
{
  lk_json_out_object_begin (json, key);
  lk_json_out_count (json, "count", spread->count);
  if (spread->count > 0) {
    lk_json_out_seconds (json, "min", spread->min);
    lk_json_out_seconds (json, "median", spread->median);
    lk_json_out_real (json, "mean", spread->mean / US_PER_S);
    lk_json_out_seconds (json, "p95", spread->p95);
    lk_json_out_seconds (json, "max", spread->max);
  }
  lk_json_out_object_end (json);
}

static void
json_jobs (LkJsonOut *json, const LkTraceCensus *census)
{
  lk_json_out_count (json, "jobs", census->job_count);
  lk_json_out_count (json, "lines", census->log.line_count);
  lk_json_out_count (json, "users", census->users);
  lk_json_out_count (json, "groups", census->groups);
  lk_json_out_count (json, "applications", census->applications);
  lk_json_out_count (json, "queues", census->queues);
  lk_json_out_count (json, "partitions", census->partitions);
  if (census->submit_min_us >= 0) {
    lk_json_out_seconds (json, "submit_min_s", census->submit_min_us);
    lk_json_out_seconds (json, "submit_max_s", census->submit_max_us);
  }
  json_known (json, "unix_start_s", census->unix_start_s);
  lk_json_out_real (json, "offered_load_ratio", census->offered_load_ratio);
  lk_json_out_real (json, "work_processor_s", census->work_s);
  json_count_spread (json, "procs", &census->procs);
  lk_json_out_real (json, "power_of_two_ratio", census->power_of_two_ratio);
  json_time_spread (json, "run_s", &census->run_us);
  json_time_spread (json, "requested_s", &census->estimate_us);
  lk_json_out_real (json, "run_per_requested_mean_ratio", census->accuracy_mean_ratio);
}

static void
json_odd (LkJsonOut *json, const LkTraceCensus *census)
{
  lk_json_out_array_begin (json, "status");
  for (guint i = 0; i < LK_CENSUS_STATUS_COUNT; i++)
    lk_json_out_count (json, NULL, census->statuses[i]);
  lk_json_out_array_end (json);
  lk_json_out_array_begin (json, "unknown_by_field");
  for (guint i = 0; i < LK_CENSUS_FIELD_COUNT; i++)
    lk_json_out_count (json, NULL, census->unknown[i]);
  lk_json_out_array_end (json);
  lk_json_out_count (json, "unsorted_submits", census->unsorted_submits);
  lk_json_out_count (json, "duplicate_numbers", census->duplicate_numbers);
  lk_json_out_count (json, "zero_runs", census->zero_runs);
  lk_json_out_count (json, "overruns", census->overruns);
  lk_json_out_count (json, "too_large", census->too_large);
  lk_json_out_count (json, "below_minus_one", census->log.negative_time_count);
  lk_json_out_count (json, "extra_fields", census->log.extra_field_count);
}

void
lk_trace_info_json (const char *name, const LkTraceCensus *census, GString *out)
{
  LkJsonOut json;
  lk_json_out_init (&json, out);
  lk_json_out_object_begin (&json, NULL);
  lk_json_out_text (&json, "trace", name);
  lk_json_out_text (&json, "format", lk_trace_format_name (census->format));
  lk_json_out_text (&json, "computer", census->header.computer);
  lk_json_out_text (&json, "installation", census->header.installation);
  lk_json_out_text (&json, "acknowledge", census->header.acknowledge);
  json_known (&json, "procs_machine", census->machine_procs);
  json_known (&json, "nodes_machine", census->header.max_nodes);
  json_jobs (&json, census);
  json_odd (&json, census);
  lk_json_out_object_end (&json);
  if (out->len == 0 || out->str[out->len - 1] != '\n')
    g_string_append_c (out, '\n');
}
