/* sim/report_sprio.c — what the priority of each pending job is made of, as sprio prints it: the
 * rows; how they are laid out stands in traces/sprio_table.c. */
#include <string.h>

#include "engine/job_shown.h"
#include "sim/error.h"
#include "sim/report_private.h"
#include "traces/sprio_table.h"

/* One job in one partition; the texts of `shown` are owned. */
typedef struct {
  LkSprioRow shown;
  LkPriorityParts parts; /* without the arrays, which do not last */
  const char *log_id;    /* NULL: as lk_report_log_id */
} Row;

static void
row_free (gpointer user)
{
  Row *self = user;
  g_free ((char *)self->shown.job);
  g_free ((char *)self->shown.user);
  g_free ((char *)self->shown.tres_terms);
  g_free ((char *)self->shown.tres_factors);
  g_free (self);
}

/* ---------------------------------------------------------------- weights */

static void
weights_of (const LkEngineConfig *config, LkSprioWeights *out)
{
  const LkParamValue *tres = lk_report_order_value (config, "weight_tres");
  for (guint i = 0; i < LK_SPRIO_FACTOR_COUNT; i++) {
    const LkParamValue *value = lk_report_order_value (config, lk_sprio_weight_name (i));
    out->weights[i] = value != NULL ? (double)value->integer : 0.0;
  }
  out->tres = tres != NULL && tres->text != NULL ? tres->text : "";
}

/* ---------------------------------------------------------------- rows */

static gboolean
calculates_running (const LkEngineConfig *config)
{
  const LkParamValue *value = lk_report_order_value (config, "flags");
  return value != NULL && strstr (value->text, "CALCULATE_RUNNING") != NULL;
}

static void
append_tres (const LkEngine *engine, const LkPriorityParts *parts, gboolean weighted, GString *out)
{
  const LkBook *book = lk_engine_book (engine);
  gboolean has_parts = parts->tres_factors != NULL && parts->tres_weights != NULL;
  for (guint32 t = 0; book != NULL && has_parts && t < book->tres_count; t++)
    lk_sprio_append_tres (out, book->tres_names[t], parts->tres_factors[t], parts->tres_weights[t],
                          weighted);
}

/* Names that the engine owns are borrowed. */
static void
show_row (const LkReportOut *out, LkJobIndex job, guint32 partition, Row *row)
{
  LkJobInfo info;
  const LkReportState *state = out->state;
  const LkJobColumns *jobs = lk_engine_view (state->engine)->jobs;
  const LkPriorityParts *parts = &row->parts;
  GString *label = g_string_new (NULL);
  GString *user = g_string_new (NULL);
  GString *terms = g_string_new (NULL);
  GString *factors = g_string_new (NULL);
  lk_report_job_label (state, job, label);
  lk_engine_job (state->engine, jobs->id[job], &info);
  row->log_id = lk_report_log_id (state, &info);
  if (row->log_id != NULL && out->json == NULL)
    g_string_append_printf (label, "(log:%s)", row->log_id);
  lk_report_user_name (state, job, user);
  append_tres (state->engine, parts, /* weighted= */ TRUE, terms);
  append_tres (state->engine, parts, /* weighted= */ FALSE, factors);
  row->shown = (LkSprioRow){
    .is_direct = jobs->direct_priority[job] != 0,
    .job = g_string_free (label, FALSE),
    .user = g_string_free (user, FALSE),
    .account = lk_report_account_name (state, job),
    .qos = lk_report_qos_name (state, job),
    .partition = lk_partition_name (state->engine, partition),
    .priority = parts->priority,
    .terms = { parts->age_term, parts->association_term, parts->fairshare_term,
               parts->job_size_term, parts->partition_term, parts->qos_term },
    .tres_term = parts->tres_term,
    .tres_terms = g_string_free (terms, FALSE),
    .tres_factors = g_string_free (factors, FALSE),
    .nice = parts->nice,
    .site_factor = parts->site_factor,
  };
}

static void
add_row (const LkReportOut *out, LkJobIndex job, guint32 partition, GPtrArray *rows)
{
  const LkEngine *engine = out->state->engine;
  LkPriorityParts parts = { .size = sizeof parts };
  if (!lk_report_wants (out->options->partitions, lk_partition_name (engine, partition))
      || !lk_engine_priority_parts (engine, job, partition, &parts) || parts.priority == 0)
    return;
  Row *row = g_new0 (Row, 1);
  row->parts = parts;
  show_row (out, job, partition, row);
  g_ptr_array_add (rows, row);
}

static void
add_job (const LkReportOut *out, LkJobIndex job, GPtrArray *rows)
{
  const LkJobColumns *jobs = lk_engine_view (out->state->engine)->jobs;
  const LkRequest *request = lk_engine_job_request (out->state->engine, jobs->id[job]);
  gboolean is_running = jobs->phase[job] == LK_PHASE_RUNNING;
  if (is_running ? !calculates_running (lk_engine_config (out->state->engine))
                 : jobs->phase[job] == LK_PHASE_HELD)
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
  GPtrArray *rows = g_ptr_array_new_with_free_func (row_free);
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
  const LkReportOptions *options = out->options;
  const LkSprioFormat wanted = { .is_long = options->is_long,
                                 .normalized = options->normalized,
                                 .with_user = options->users != NULL };
  LkSprioWeights weights;
  weights_of (lk_engine_config (out->state->engine), &weights);
  g_autofree char *format =
      options->format != NULL ? g_strdup (options->format) : lk_sprio_format (&weights, &wanted);
  g_autoptr (LkTableLayout) layout = lk_table_layout_new (lk_sprio_columns, format, NULL);
  if (!options->no_heading)
    lk_table_layout_heading (layout, out->text);
  if (options->weights) {
    const LkSprioRow row = { .is_weights = TRUE };
    lk_table_layout_row (layout, &weights, &row, out->text);
    return;
  }
  g_autoptr (GPtrArray) rows = rows_of (out);
  for (guint i = 0; i < rows->len; i++)
    lk_table_layout_row (layout, &weights, &((const Row *)g_ptr_array_index (rows, i))->shown,
                         out->text);
}

static void
write_json_weights (const LkReportOut *out)
{
  LkSprioWeights weights;
  weights_of (lk_engine_config (out->state->engine), &weights);
  lk_json_out_object_begin (out->json, "weights");
  for (guint i = 0; i < LK_SPRIO_FACTOR_COUNT; i++)
    lk_json_out_real (out->json, lk_sprio_weight_name (i) + strlen ("weight_"), weights.weights[i]);
  lk_json_out_text (out->json, "tres", weights.tres);
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
  const LkSprioRow *shown = &row->shown;
  const LkPriorityParts *parts = &row->parts;
  lk_json_out_object_begin (out->json, NULL);
  lk_json_out_text (out->json, "job", shown->job);
  if (row->log_id != NULL)
    lk_json_out_text (out->json, "log_id", row->log_id);
  lk_json_out_text (out->json, "user", shown->user);
  lk_json_out_text (out->json, "account", shown->account);
  lk_json_out_text (out->json, "qos_name", shown->qos);
  lk_json_out_text (out->json, "partition_name", shown->partition);
  lk_json_out_real (out->json, "priority", lk_sprio_sum (shown));
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
      lk_table_layout_new (lk_sprio_columns, options->format != NULL ? options->format : "", error);
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
