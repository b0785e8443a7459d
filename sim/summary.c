/* sim/summary.c — see summary.h. */
#include "sim/summary.h"

#include <math.h>
#include <string.h>

#include "sim/decimal.h"
#include "sim/duration.h"
#include "sim/text_wrap.h"

#define ACCOUNT_ROWS_MAX 20u /* printed; --json has all */
/* A log whose times are this large counts from 1970: it is dated. */
#define DATED_MIN_US (20 * 365 * 86400 * (gint64)G_USEC_PER_SEC)
#define FIELD(type, group, key, column, member)                                                    \
  {                                                                                                \
    group, key, column, LK_FIELD_##type, offsetof (LkSummary, member)                              \
  }
#define PLAIN(type, key, member) FIELD (type, NULL, key, key, member)

/* Members of one group stand together. */
static const LkSummaryField fields[] = {
  PLAIN (CHARS, "run_id", run_id),
  PLAIN (TEXT, "lockstep_version", lockstep_version),
  PLAIN (TEXT, "trace", info.trace),
  PLAIN (TEXT, "cluster", info.cluster),
  PLAIN (COUNT, "procs", info.procs),
  PLAIN (COUNT, "unix_start_s", info.unix_start_s),
  FIELD (TEXT, NULL, "order", "order_policy", info.order),
  FIELD (TEXT, NULL, "backfill", "backfill_policy", info.backfill),
  FIELD (TEXT, NULL, "select", "select_policy", info.select),
  PLAIN (TEXT, "accounts", info.accounts),
  PLAIN (TEXT, "limits", info.limits),
  PLAIN (TEXT, "preempt", info.preempt),
  FIELD (TEXT, NULL, "limit", "limit_rule", info.limit),
  PLAIN (TEXT, "tie_rule", info.tie_rule),
  PLAIN (TEXT, "estimates", info.estimates),
  PLAIN (TEXT, "users", info.users),
  PLAIN (TEXT, "launch_latency", info.launch_latency),
  PLAIN (TEXT, "limit_check", info.limit_check),
  PLAIN (TEXT, "kill_wait", info.kill_wait),
  PLAIN (SECONDS, "lead_s", info.lead_us),
  PLAIN (COUNT, "seed", info.seed),
  PLAIN (COUNT, "jobs", metrics.jobs),
  FIELD (COUNT, "dropped", "no_run", "dropped_no_run", totals.dropped_no_run),
  FIELD (COUNT, "dropped", "no_procs", "dropped_no_procs", totals.dropped_no_procs),
  FIELD (COUNT, "dropped", "too_large", "dropped_too_large", totals.dropped_too_large),
  FIELD (COUNT, "dropped", "negative_submit", "dropped_negative_submit",
         totals.dropped_negative_submit),
  FIELD (COUNT, "dropped", "not_selected", "dropped_not_selected", totals.dropped_not_selected),
  FIELD (COUNT, "dropped", "not_started", "dropped_not_started", totals.dropped_not_started),
  FIELD (COUNT, "dropped", "not_ended", "dropped_not_ended", totals.dropped_not_ended),
  FIELD (COUNT, "dropped", "cancelled", "dropped_cancelled", totals.dropped_cancelled),
  FIELD (COUNT, "dropped", "refused", "dropped_refused", totals.dropped_refused),
  FIELD (COUNT, "lenient", "extra_fields", "lenient_extra_fields", totals.lenient_extra_fields),
  FIELD (COUNT, "lenient", "negative_times", "lenient_negative_times",
         totals.lenient_negative_times),
  PLAIN (SECONDS, "warmup_s", info.warmup_us),
  PLAIN (SECONDS, "cooldown_s", info.cooldown_us),
  PLAIN (SECONDS, "window_begin_s", metrics.window_begin_us),
  PLAIN (SECONDS, "window_end_s", metrics.window_end_us),
  PLAIN (COUNT, "jobs_measured", metrics.jobs_measured),
  PLAIN (REAL, "mean_wait_s", metrics.mean_wait_s),
  PLAIN (REAL, "median_wait_s", metrics.median_wait_s),
  PLAIN (REAL, "p95_wait_s", metrics.p95_wait_s),
  PLAIN (REAL, "max_wait_s", metrics.max_wait_s),
  PLAIN (REAL, "mean_bounded_slowdown", metrics.mean_bounded_slowdown),
  PLAIN (REAL, "median_bounded_slowdown", metrics.median_bounded_slowdown),
  PLAIN (REAL, "p95_bounded_slowdown", metrics.p95_bounded_slowdown),
  PLAIN (SECONDS, "makespan_s", metrics.makespan_us),
  PLAIN (REAL, "utilization", metrics.utilization),
  PLAIN (REAL, "offered_load", totals.offered_load_ratio),
  PLAIN (REAL, "gini_users", fairness.users_gini),
  PLAIN (REAL, "jain_users", fairness.users_jain),
  PLAIN (REAL, "gini_accounts", fairness.accounts_gini),
  PLAIN (REAL, "jain_accounts", fairness.accounts_jain),
  PLAIN (COUNT, "backfilled_jobs", backfilled_jobs),
  PLAIN (COUNT, "killed_jobs", killed_jobs),
  PLAIN (COUNT, "unstarted_jobs", totals.unstarted),
  PLAIN (COUNT, "abandoned_jobs", totals.abandoned),
  PLAIN (COUNT, "absent_jobs", totals.absent),
  PLAIN (COUNT, "requeued_jobs", totals.requeued),
  PLAIN (COUNT, "preempted_jobs", totals.preempted),
  PLAIN (COUNT, "node_events", totals.node_events),
  PLAIN (COUNT, "gpus", totals.cluster.gpus),
  PLAIN (REAL, "cpu_allocation", totals.cluster.cpu_allocation_ratio),
  PLAIN (REAL, "memory_allocation", totals.cluster.memory_allocation_ratio),
  PLAIN (REAL, "gpu_allocation", totals.cluster.gpu_allocation_ratio),
  PLAIN (REAL, "gpu_allocation_peak", totals.cluster.gpu_allocation_peak_ratio),
  PLAIN (REAL, "gpu_fragmentation", totals.cluster.fragmentation_ratio),
  PLAIN (COUNT, "events", totals.events),
  PLAIN (COUNT, "decisions", totals.decisions),
  PLAIN (CHARS, "decision_digest", totals.decision_digest),
  PLAIN (REAL, "wall_s", wall_s),
  PLAIN (REAL, "jobs_per_s", jobs_per_s),
  PLAIN (COUNT, "peak_rss_bytes", peak_rss_bytes),
};

const LkSummaryField *
lk_summary_fields (guint *out_count)
{
  *out_count = G_N_ELEMENTS (fields);
  return fields;
}

/* The name of a policy without its parameters. */
static int
name_length (const char *spec)
{
  return (int)MIN (strcspn (spec, ":("), 32);
}

void
lk_summary_name (LkSummary *summary)
{
  const LkRunInfo *info = &summary->info;
  g_snprintf (summary->run_id, sizeof summary->run_id, "%.*s+%.*s@%.8s", name_length (info->order),
              info->order, name_length (info->backfill), info->backfill,
              summary->totals.decision_digest);
}

static void
field_json (const LkSummary *summary, const LkSummaryField *field, LkJsonOut *json)
{
  const char *place = (const char *)summary + field->offset;
  switch (field->type) {
  case LK_FIELD_TEXT:
    lk_json_out_text (json, field->key, *(const char *const *)(const void *)place);
    break;
  case LK_FIELD_CHARS:
    lk_json_out_text (json, field->key, place);
    break;
  case LK_FIELD_COUNT:
    lk_json_out_count (json, field->key, *(const guint64 *)(const void *)place);
    break;
  case LK_FIELD_REAL:
    lk_json_out_real (json, field->key, *(const double *)(const void *)place);
    break;
  case LK_FIELD_SECONDS:
    lk_json_out_seconds (json, field->key, *(const gint64 *)(const void *)place);
    break;
  default:
    g_assert_not_reached ();
  }
}

/* Only where there are accounts. */
static void
account_waits_json (const GArray *rows, LkJsonOut *json)
{
  if (rows == NULL || rows->len == 0)
    return;
  lk_json_out_array_begin (json, "account_waits");
  for (guint i = 0; i < rows->len; i++) {
    const LkAccountWait *row = &g_array_index (rows, LkAccountWait, i);
    lk_json_out_object_begin (json, NULL);
    lk_json_out_text (json, "account", row->account);
    lk_json_out_text (json, "qos", row->qos);
    lk_json_out_count (json, "jobs", row->jobs);
    lk_json_out_real (json, "mean_wait_s", row->mean_wait_s);
    lk_json_out_real (json, "cpu_hours", row->cpu_hours);
    lk_json_out_object_end (json);
  }
  lk_json_out_array_end (json);
}

void
lk_summary_json_members (const LkSummary *summary, LkJsonOut *json)
{
  const char *group = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    if (g_strcmp0 (fields[i].group, group) != 0) {
      if (group != NULL)
        lk_json_out_object_end (json);
      group = fields[i].group;
      if (group != NULL)
        lk_json_out_object_begin (json, group);
    }
    field_json (summary, &fields[i], json);
  }
  account_waits_json (summary->account_waits, json);
}

void
lk_summary_json (const LkSummary *summary, GString *out)
{
  LkJsonOut json;
  lk_json_out_init (&json, out);
  lk_json_out_object_begin (&json, NULL);
  lk_summary_json_members (summary, &json);
  lk_json_out_object_end (&json);
}

/* ---------------------------------------------------------------- for people */

static void
print_dropped (const LkRunTotals *totals, FILE *stream)
{
  const struct {
    guint64 count;
    const char *text;
  } causes[] = {
    { totals->dropped_no_run, "no run time" },
    { totals->dropped_no_procs, "no processors" },
    { totals->dropped_too_large, "larger than the machine" },
    { totals->dropped_negative_submit, "negative submit time" },
    { totals->dropped_not_selected, "not selected" },
    { totals->dropped_not_started, "not started when the log was written" },
    { totals->dropped_not_ended, "not ended when the log was written" },
    { totals->dropped_cancelled, "cancelled before they started" },
  };
  const char *separator = "dropped";
  for (guint i = 0; i < G_N_ELEMENTS (causes); i++) {
    if (causes[i].count == 0)
      continue;
    fprintf (stream, "%-18s %" G_GUINT64_FORMAT " %s\n", separator, causes[i].count,
             causes[i].text);
    separator = "";
  }
  for (guint reject = 0; reject < LK_REJECT_LIMIT; reject++)
    if (reject != LK_REJECT_TOO_LARGE && totals->refused[reject] > 0) {
      fprintf (stream, "%-18s %" G_GUINT64_FORMAT " refused: %s\n", separator,
               totals->refused[reject], lk_reject_text (reject));
      separator = "";
    }
  if (totals->lenient_extra_fields + totals->lenient_negative_times > 0)
    fprintf (stream,
             "%-18s %" G_GUINT64_FORMAT " lines with extra fields, %" G_GUINT64_FORMAT
             " with negative times\n",
             "lenient", totals->lenient_extra_fields, totals->lenient_negative_times);
}

static void
print_real (FILE *stream, double value, int decimals, const char *unit)
{
  char format[8];
  char text[G_ASCII_DTOSTR_BUF_SIZE] = "-";
  g_snprintf (format, sizeof format, "%%.%df", decimals);
  if (isfinite (value))
    g_ascii_formatd (text, sizeof text, format, value);
  fprintf (stream, " %14s%s", text, unit);
}

static void
print_duration (FILE *stream, double duration_s, const char *unit)
{
  g_autofree char *text = lk_duration_cell (duration_s, 1);
  fprintf (stream, " %14s%s", text, unit);
}

/* A label in the first column, with its unit where numbers are seconds. */
static void
print_duration_label (FILE *stream, const char *label)
{
  g_autofree char *text = lk_duration_label (label);
  fprintf (stream, "%-18s", text);
}

static void
print_measures (const LkMetrics *metrics, FILE *stream)
{
  fprintf (stream, "%-18s %14s %14s %14s %14s\n", "", "mean", "median", "95th", "max");
  print_duration_label (stream, "wait");
  print_duration (stream, metrics->mean_wait_s, "");
  print_duration (stream, metrics->median_wait_s, "");
  print_duration (stream, metrics->p95_wait_s, "");
  print_duration (stream, metrics->max_wait_s, "\n");
  fprintf (stream, "%-18s", "bounded slowdown");
  print_real (stream, metrics->mean_bounded_slowdown, 3, "");
  print_real (stream, metrics->median_bounded_slowdown, 3, "");
  print_real (stream, metrics->p95_bounded_slowdown, 3, "\n");
}

static void
print_time (FILE *stream, const char *label, gint64 time_us)
{
  char text[LK_DECIMAL_MAX_BYTES + 1];
  *lk_decimal_seconds (text, time_us) = '\0';
  g_autofree char *words = lk_duration_text (time_us);
  fprintf (stream, "%s%s", label, *lk_duration_flag () ? text : words);
}

/* A moment of the log: a date where the log counts from 1970, as sacct does. */
static void
print_moment (const LkSummary *summary, FILE *stream, const char *label, gint64 time_us)
{
  g_autoptr (GDateTime) moment = g_date_time_new_from_unix_utc (time_us / G_USEC_PER_SEC);
  if (*lk_duration_flag () || summary->info.unix_start_s != 0 || time_us < DATED_MIN_US
      || moment == NULL) {
    print_time (stream, label, time_us);
    return;
  }
  g_autofree char *date = g_date_time_format (moment, "%Y-%m-%d %H:%M:%S UTC");
  fprintf (stream, "%s%s", label, date);
}

static void
print_outcome (const LkSummary *summary, FILE *stream)
{
  const LkMetrics *metrics = &summary->metrics;
  print_duration_label (stream, "window");
  print_moment (summary, stream, " ", metrics->window_begin_us);
  print_moment (summary, stream, " to ", metrics->window_end_us);
  fprintf (stream, ": %" G_GUINT64_FORMAT " job%s started in it\n", metrics->jobs_measured,
           metrics->jobs_measured == 1 ? "" : "s");
  print_measures (metrics, stream);
  print_duration_label (stream, "makespan");
  print_time (stream, " ", metrics->makespan_us);
  fprintf (stream, "\n%-18s", "utilization, %");
  print_real (stream, metrics->utilization * 100, 2, "\n");
  fprintf (stream, "%-18s %" G_GUINT64_FORMAT "\n", "backfilled", summary->backfilled_jobs);
  fprintf (stream, "%-18s %" G_GUINT64_FORMAT "\n", "killed at limit", summary->killed_jobs);
}

static void
print_fairness (const LkFairnessIndices *fairness, FILE *stream)
{
  if (isfinite (fairness->users_gini)) {
    fprintf (stream, "%-18s", "fairness");
    print_real (stream, fairness->users_gini, 3, " Gini,");
    print_real (stream, fairness->users_jain, 3, " Jain over users\n");
  }
  if (isfinite (fairness->accounts_gini)) {
    fprintf (stream, "%-18s", isfinite (fairness->users_gini) ? "" : "fairness");
    print_real (stream, fairness->accounts_gini, 3, " Gini,");
    print_real (stream, fairness->accounts_jain, 3, " Jain over accounts\n");
  }
}

static void
print_cluster (const LkRunTotals *totals, FILE *stream)
{
  const LkClusterTotals *cluster = &totals->cluster;
  fprintf (stream, "%-18s", "allocated, %");
  print_real (stream, cluster->cpu_allocation_ratio * 100, 2, " of CPUs\n");
  fprintf (stream, "%-18s", "");
  print_real (stream, cluster->memory_allocation_ratio * 100, 2, " of memory\n");
  if (cluster->gpus > 0) {
    fprintf (stream, "%-18s", "");
    print_real (stream, cluster->gpu_allocation_ratio * 100, 2, " of GPUs,");
    print_real (stream, cluster->gpu_allocation_peak_ratio * 100, 2, " at most\n");
    fprintf (stream, "%-18s", "fragmentation, %");
    print_real (stream, cluster->fragmentation_ratio * 100, 2, " of GPUs\n");
  }
  if (totals->node_events > 0)
    fprintf (stream, "%-18s %" G_GUINT64_FORMAT " events, %" G_GUINT64_FORMAT " jobs requeued\n",
             "nodes", totals->node_events, totals->requeued);
}

static void
print_account_waits (const GArray *rows, FILE *stream)
{
  if (rows == NULL || rows->len == 0)
    return;
  g_autofree char *heading = lk_duration_label ("mean wait");
  fprintf (stream, "%-18s %-20s %-14s %12s %14s %14s\n", "waits", "account", "QOS", "jobs", heading,
           "CPU-hours");
  for (guint i = 0; i < rows->len; i++) {
    const LkAccountWait *row = &g_array_index (rows, LkAccountWait, i);
    if (i == ACCOUNT_ROWS_MAX) {
      fprintf (stream, "%-18s and %u more; --json has all\n", "", rows->len - i);
      break;
    }
    fprintf (stream, "%-18s %-20s %-14s %12" G_GUINT64_FORMAT, "", row->account, row->qos,
             row->jobs);
    print_duration (stream, row->mean_wait_s, "");
    print_real (stream, row->cpu_hours, 1, "\n");
  }
}

/* Only where jobs come as others end. */
static void
print_users (const LkSummary *summary, FILE *stream)
{
  if (summary->info.users == NULL || !g_str_has_prefix (summary->info.users, "closed"))
    return;
  fprintf (stream,
           "%-18s %s: %" G_GUINT64_FORMAT " jobs abandoned, %" G_GUINT64_FORMAT " never came\n",
           "users", summary->info.users, summary->totals.abandoned, summary->totals.absent);
}

static void
print_policies (const LkRunInfo *info, FILE *stream)
{
  g_autofree char *text = g_strdup_printf ("order %s, backfill %s, select %s", info->order,
                                           info->backfill, info->select);
  g_autoptr (GString) out = g_string_new (NULL);
  g_string_append_printf (out, "%-18s ", "policies");
  lk_text_wrap (out, text, (guint)out->len);
  fputs (out->str, stream);
}

void
lk_summary_print (const LkSummary *summary, FILE *stream)
{
  const LkRunInfo *info = &summary->info;
  fprintf (stream, "%-18s %s\n", "trace", info->trace);
  if (info->cluster[0] == '\0')
    fprintf (stream, "%-18s %" G_GUINT64_FORMAT " processors\n", "machine", info->procs);
  else
    fprintf (stream, "%-18s %s, %" G_GUINT64_FORMAT " CPUs, %" G_GUINT64_FORMAT " GPUs\n",
             "machine", info->cluster, info->procs, summary->totals.cluster.gpus);
  print_policies (info, stream);
  if (info->accounts[0] != '\0')
    fprintf (stream, "%-18s %s, limits %s\n", "accounts", info->accounts, info->limits);
  if (strcmp (info->preempt, "none") != 0)
    fprintf (stream, "%-18s %s, %" G_GUINT64_FORMAT " times\n", "preemption", info->preempt,
             summary->totals.preempted);
  fprintf (stream, "%-18s estimates %s, limit %s, tie rule %s, seed %" G_GUINT64_FORMAT "\n",
           "rules", info->estimates, info->limit, info->tie_rule, info->seed);
  print_users (summary, stream);
  fprintf (stream, "%-18s %" G_GUINT64_FORMAT "\n", "jobs", summary->metrics.jobs);
  print_dropped (&summary->totals, stream);
  if (summary->totals.unstarted > 0)
    fprintf (stream, "%-18s %" G_GUINT64_FORMAT " jobs, left when nothing could start them\n",
             "never started", summary->totals.unstarted);
  print_outcome (summary, stream);
  print_fairness (&summary->fairness, stream);
  if (info->cluster[0] != '\0')
    print_cluster (&summary->totals, stream);
  print_account_waits (summary->account_waits, stream);
  fprintf (stream, "%-18s %" G_GUINT64_FORMAT " events, %" G_GUINT64_FORMAT " decisions\n",
           "engine", summary->totals.events, summary->totals.decisions);
  fprintf (stream, "%-18s %s\n", "decision digest", summary->totals.decision_digest);
  char wall[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd (wall, sizeof wall, "%.3f", summary->wall_s);
  fprintf (stream, "%-18s %s s, %.0f jobs/s, %" G_GUINT64_FORMAT " MiB at most\n", "cost", wall,
           summary->jobs_per_s, summary->peak_rss_bytes >> 20);
  if (summary->metrics.jobs_measured > 0 && summary->metrics.max_wait_s <= 0)
    fprintf (stream, "%s\n", LK_NOBODY_WAITS);
}
