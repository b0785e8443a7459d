/* sim/report_sprio.c — what the priority of each pending job is made of, as sprio prints it.
 *
 * A job that named several partitions has a row for each.  The sum is added up as sprio does it,
 * from the terms, so that its fraction shows in the normalised priority.  Sources: sprio(1), the
 * recordings in tests/fixtures/slurm-prio. */
#include <math.h>
#include <string.h>

#include "engine/job_shown.h"
#include "sim/error.h"
#include "sim/report_private.h"
#include "traces/table.h"

#define PRIORITY_MAX 4294967295.0
#define NORMALIZED_DIGITS 14u
#define FACTOR_DIGITS 7u

/* One job in one partition; or, with job LK_JOB_NONE, the weights. */
typedef struct {
  LkJobIndex job;
  guint32 partition;
  LkPriorityParts parts;
  gboolean is_direct;
  double tres_factors[LK_TRES_MAX]; /* parts.tres_factors do not last */
} Row;

/* ---------------------------------------------------------------- numbers */

static double
sum_of (const Row *row)
{
  const LkPriorityParts *parts = &row->parts;
  double sum = parts->age_term + parts->association_term + parts->fairshare_term
               + parts->job_size_term + parts->partition_term + parts->qos_term
               + (double)parts->site_factor - (double)parts->nice + parts->tres_term;
  if (row->is_direct)
    return (double)parts->priority;
  return CLAMP (sum, 1.0, PRIORITY_MAX); /* 0 is for jobs that are held */
}

static double
weight_of (const LkEngineConfig *config, const char *name)
{
  const LkParamValue *value = lk_report_order_value (config, name);
  return value != NULL ? (double)value->integer : 0.0;
}

static const char *
tres_weights_of (const LkEngineConfig *config)
{
  const LkParamValue *value = lk_report_order_value (config, "weight_tres");
  return value != NULL && value->text != NULL ? value->text : "";
}

/* ---------------------------------------------------------------- cells */

static const LkEngineConfig *
config_of (gconstpointer report)
{
  return ((const LkReportOut *)report)->state->config;
}

#define FACTOR_CELLS(name, weight_name)                                                            \
  static void name##_term_cell (gconstpointer report, gconstpointer user, GString *out)            \
  {                                                                                                \
    const Row *row = user;                                                                         \
    lk_table_real (out,                                                                            \
                   row->job == LK_JOB_NONE ? weight_of (config_of (report), weight_name)           \
                                           : row->parts.name##_term,                               \
                   0);                                                                             \
  }                                                                                                \
  static void name##_factor_cell (gconstpointer report, gconstpointer user, GString *out)          \
  {                                                                                                \
    const Row *row = user;                                                                         \
    double weight = weight_of (config_of (report), weight_name);                                   \
    if (row->job == LK_JOB_NONE)                                                                   \
      lk_table_real (out, weight, 0);                                                              \
    else if (row->is_direct)                                                                       \
      g_string_append_c (out, '0');                                                                \
    else /* sprio divides the term by its weight */                                                \
      lk_table_real (out, weight > 0 ? row->parts.name##_term / weight : 0.0, FACTOR_DIGITS);      \
  }

FACTOR_CELLS (age, "weight_age")
FACTOR_CELLS (association, "weight_assoc")
FACTOR_CELLS (fairshare, "weight_fairshare")
FACTOR_CELLS (job_size, "weight_job_size")
FACTOR_CELLS (partition, "weight_partition")
FACTOR_CELLS (qos, "weight_qos")

static void
job_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const Row *row = user;
  if (row->job == LK_JOB_NONE)
    g_string_append (out, "Weights");
  else
    lk_report_job_label (((const LkReportOut *)report)->state, row->job, out);
}

static void
name_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const Row *row = user;
  if (row->job != LK_JOB_NONE)
    lk_report_user_name (((const LkReportOut *)report)->state, row->job, out);
}

static void
account_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const Row *row = user;
  if (row->job != LK_JOB_NONE)
    g_string_append (out, lk_report_account_name (((const LkReportOut *)report)->state, row->job));
}

static void
qos_name_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const Row *row = user;
  if (row->job != LK_JOB_NONE)
    g_string_append (out, lk_report_qos_name (((const LkReportOut *)report)->state, row->job));
}

static void
partition_name_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const Row *row = user;
  if (row->job != LK_JOB_NONE)
    g_string_append (
        out, lk_partition_name (((const LkReportOut *)report)->state->engine, row->partition));
}

static void
priority_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const Row *row = user;
  (void)report;
  if (row->job != LK_JOB_NONE)
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, (guint64)sum_of (row));
}

static void
normalized_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const Row *row = user;
  (void)report;
  if (row->job != LK_JOB_NONE)
    lk_table_real (out, row->is_direct ? 1.0 : sum_of (row) / PRIORITY_MAX, NORMALIZED_DIGITS);
}

static void
site_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const Row *row = user;
  (void)report;
  g_string_append_printf (out, "%" G_GINT64_FORMAT,
                          row->job == LK_JOB_NONE ? 1
                          : row->is_direct        ? 0
                                                  : (gint64)row->parts.site_factor);
}

static void
nice_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const Row *row = user;
  (void)report;
  if (row->job != LK_JOB_NONE)
    g_string_append_printf (out, "%" G_GINT64_FORMAT, row->is_direct ? 0 : (gint64)row->parts.nice);
}

/* "cpu=125,mem=20": what is not 0. */
static void
append_tres (const LkReportOut *report, const Row *row, gboolean weighted, GString *out)
{
  const LkBook *book = lk_engine_book (report->state->engine);
  gsize begin = out->len;
  for (guint32 t = 0; book != NULL && row->parts.tres_weights != NULL && t < book->tres_count;
       t++) {
    double factor = row->tres_factors[t];
    double term = factor * row->parts.tres_weights[t];
    if (term == 0.0)
      continue;
    g_string_append_printf (out, "%s%s=", out->len > begin ? "," : "", book->tres_names[t]);
    lk_table_real (out, weighted ? term : factor, weighted ? 0 : 2);
  }
}

static void
tres_term_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const Row *row = user;
  if (row->job == LK_JOB_NONE)
    g_string_append (out, tres_weights_of (config_of (report)));
  else if (!row->is_direct)
    append_tres (report, row, /* weighted= */ TRUE, out);
}

static void
tres_factor_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const Row *row = user;
  if (row->job != LK_JOB_NONE && !row->is_direct)
    append_tres (report, row, /* weighted= */ FALSE, out);
}

static const LkTableColumn columns[] = {
  { 'a', "AGE", age_factor_cell },
  { 'A', "AGE", age_term_cell },
  { 'b', "ASSOC", association_factor_cell },
  { 'B', "ASSOC", association_term_cell },
  { 'f', "FAIRSHARE", fairshare_factor_cell },
  { 'F', "FAIRSHARE", fairshare_term_cell },
  { 'i', "JOBID", job_cell },
  { 'j', "JOBSIZE", job_size_factor_cell },
  { 'J', "JOBSIZE", job_size_term_cell },
  { 'n', "QOSNAME", qos_name_cell },
  { 'N', "NICE", nice_cell },
  { 'o', "ACCOUNT", account_cell },
  { 'p', "PARTITION", partition_factor_cell },
  { 'P', "PARTITION", partition_term_cell },
  { 'q', "QOS", qos_factor_cell },
  { 'Q', "QOS", qos_term_cell },
  { 'r', "PARTITION", partition_name_cell },
  { 'S', "SITE", site_cell },
  { 't', "TRES", tres_factor_cell },
  { 'T', "TRES", tres_term_cell },
  { 'u', "USER", name_cell },
  { 'y', "PRIORITY", normalized_cell },
  { 'Y', "PRIORITY", priority_cell },
  { 0 },
};

/* ---------------------------------------------------------------- formats */

/* The factors that have a weight, with how sprio shows them as terms and as factors. */
static const struct {
  const char *weight;
  const char *term;
  const char *factor;
} weighted[] = {
  { "weight_age", " %.10A", " %10a" },       { "weight_assoc", " %.10B", " %10b" },
  { "weight_fairshare", " %.10F", " %10f" }, { "weight_job_size", " %.10J", " %10j" },
  { "weight_partition", " %.10P", " %10p" }, { "weight_qos", " %.10Q", " %10q" },
};

static char *
default_format (const LkReportOut *out)
{
  const LkReportOptions *options = out->options;
  if (options->is_long)
    return g_strdup (options->normalized
                         ? "%.15i %9r %.8u %.8o %10y %10a %10b %10f %10j %10p %10n %10q %20t"
                         : "%.15i %9r %.8u %.8o %.10Y %.10S %.10A %.10B %.10F %.10J %.10P %.10n "
                           "%.10Q %.11N %.20T");
  GString *format = g_string_new ("%.15i %9r");
  if (options->users != NULL)
    g_string_append (format, " %.8u");
  g_string_append (format, options->normalized ? " %10y" : " %.10Y %.10S");
  for (gsize i = 0; i < G_N_ELEMENTS (weighted); i++)
    if (weight_of (out->state->config, weighted[i].weight) > 0)
      g_string_append (format, options->normalized ? weighted[i].factor : weighted[i].term);
  if (tres_weights_of (out->state->config)[0] != '\0')
    g_string_append (format, options->normalized ? " %20t" : " %.20T");
  return g_string_free (format, FALSE);
}

/* ---------------------------------------------------------------- rows */

static gboolean
calculates_running (const LkEngineConfig *config)
{
  const LkParamValue *value = lk_report_order_value (config, "flags");
  return value != NULL && strstr (value->text, "CALCULATE_RUNNING") != NULL;
}

static void
add_row (const LkReportOut *out, LkJobIndex job, guint32 partition, GPtrArray *rows)
{
  const LkEngine *engine = out->state->engine;
  const LkJobColumns *jobs = lk_engine_view (engine)->jobs;
  const LkBook *book = lk_engine_book (engine);
  LkPriorityParts parts = { .size = sizeof parts };
  if (!lk_report_wants (out->options->partitions, lk_partition_name (out->state->engine, partition))
      || !lk_engine_priority_parts (engine, job, partition, &parts) || parts.priority == 0)
    return;
  Row *row = g_new0 (Row, 1);
  row->job = job;
  row->partition = partition;
  row->parts = parts;
  row->is_direct = jobs->direct_priority[job] != 0;
  if (parts.tres_factors != NULL && book != NULL)
    memcpy (row->tres_factors, parts.tres_factors, book->tres_count * sizeof (double));
  g_ptr_array_add (rows, row);
}

static void
add_job (const LkReportOut *out, LkJobIndex job, GPtrArray *rows)
{
  const LkJobColumns *jobs = lk_engine_view (out->state->engine)->jobs;
  const LkRequest *request = lk_engine_job_request (out->state->engine, jobs->id[job]);
  gboolean is_running = jobs->phase[job] == LK_PHASE_RUNNING;
  if (is_running ? !calculates_running (out->state->config) : jobs->phase[job] == LK_PHASE_HELD)
    return;
  if (is_running || request == NULL || request->partitions == NULL
      || request->partitions->len == 0) {
    add_row (out, job, jobs->partition[job], rows);
    return;
  }
  for (guint i = 0; i < request->partitions->len; i++)
    add_row (out, job, g_array_index (request->partitions, guint32, i), rows);
}

static GPtrArray *
rows_of (const LkReportOut *out)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) jobs = lk_jobs_by_id (out->state->engine);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (lk_report_wants_job (out, job))
      add_job (out, job, rows);
  }
  return rows;
}

/* ---------------------------------------------------------------- writing */

static void
write_text (const LkReportOut *out)
{
  g_autofree char *format =
      out->options->format != NULL ? g_strdup (out->options->format) : default_format (out);
  g_autoptr (LkTableLayout) layout = lk_table_layout_new (columns, format, NULL);
  if (!out->options->no_heading)
    lk_table_layout_heading (layout, out->text);
  if (out->options->weights) {
    const Row weights = { .job = LK_JOB_NONE };
    lk_table_layout_row (layout, out, &weights, out->text);
    return;
  }
  g_autoptr (GPtrArray) rows = rows_of (out);
  for (guint i = 0; i < rows->len; i++)
    lk_table_layout_row (layout, out, g_ptr_array_index (rows, i), out->text);
}

static void
write_json_weights (const LkReportOut *out)
{
  const LkEngineConfig *config = out->state->config;
  lk_json_out_object_begin (out->json, "weights");
  for (gsize i = 0; i < G_N_ELEMENTS (weighted); i++)
    lk_json_out_real (out->json, weighted[i].weight + strlen ("weight_"),
                      weight_of (config, weighted[i].weight));
  lk_json_out_text (out->json, "tres", tres_weights_of (config));
  lk_json_out_object_end (out->json);
}

static void
write_json_factor (const LkReportOut *out, const char *name, double factor, double term)
{
  lk_json_out_object_begin (out->json, name);
  lk_json_out_real (out->json, "factor", factor);
  lk_json_out_real (out->json, "term", term);
  lk_json_out_object_end (out->json);
}

static void
write_json_row (const LkReportOut *out, const Row *row)
{
  const LkReportState *state = out->state;
  const LkPriorityParts *parts = &row->parts;
  g_autoptr (GString) text = g_string_new (NULL);
  lk_json_out_object_begin (out->json, NULL);
  lk_report_job_label (state, row->job, text);
  lk_json_out_text (out->json, "job", text->str);
  g_string_truncate (text, 0);
  lk_report_user_name (state, row->job, text);
  lk_json_out_text (out->json, "user", text->str);
  lk_json_out_text (out->json, "account", lk_report_account_name (state, row->job));
  lk_json_out_text (out->json, "qos_name", lk_report_qos_name (state, row->job));
  lk_json_out_text (out->json, "partition_name", lk_partition_name (state->engine, row->partition));
  lk_json_out_real (out->json, "priority", sum_of (row));
  write_json_factor (out, "age", parts->age_factor, parts->age_term);
  write_json_factor (out, "assoc", parts->association_factor, parts->association_term);
  write_json_factor (out, "fairshare", parts->fairshare_factor, parts->fairshare_term);
  write_json_factor (out, "job_size", parts->job_size_factor, parts->job_size_term);
  write_json_factor (out, "partition", parts->partition_factor, parts->partition_term);
  write_json_factor (out, "qos", parts->qos_factor, parts->qos_term);
  lk_json_out_real (out->json, "tres", parts->tres_term);
  lk_json_out_integer (out->json, "site", parts->site_factor);
  lk_json_out_integer (out->json, "nice", parts->nice);
  lk_json_out_object_end (out->json);
}

static void
write_json (const LkReportOut *out)
{
  g_autoptr (GPtrArray) rows = rows_of (out);
  write_json_weights (out);
  lk_json_out_array_begin (out->json, "jobs");
  for (guint i = 0; i < rows->len; i++)
    write_json_row (out, g_ptr_array_index (rows, i));
  lk_json_out_array_end (out->json);
}

gboolean
lk_report_sprio_check (const LkEngineConfig *config, const LkReportOptions *options, GError **error)
{
  if (config->order->explain == NULL || strcmp (config->order->base.name, "basic") == 0) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN,
                 "You are not running a supported priority plugin\n(priority/%s).\nOnly "
                 "'priority/multifactor' is supported.",
                 config->order->base.name);
    return FALSE;
  }
  g_autoptr (LkTableLayout) layout =
      lk_table_layout_new (columns, options->format != NULL ? options->format : "", error);
  return layout != NULL;
}

void
lk_report_sprio (const LkReportOut *out)
{
  if (out->text != NULL)
    write_text (out);
  else
    write_json (out);
}
