/* sim/report.c — what the reports have in common; see report.h. */
#include "sim/report.h"

#include <string.h>

#include "engine/job_shown.h"
#include "engine/assert.h"
#include "sim/report_private.h"
#include "traces/table.h"

#define SECOND_US G_GINT64_CONSTANT (1000000)

const char *
lk_report_kind_name (LkReportKind kind)
{
  static const char *const names[LK_REPORT_KIND_COUNT] = { "sprio", "sshare", "squeue",
                                                           "reservations" };
  return names[kind];
}

/* ---------------------------------------------------------------- the moment */

LkEngine *
lk_report_engine_at (const LkEngine *engine, const LkEngineConfig *config, gint64 at_us)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkEngineCounts counts;
  LkStatus status;
  lk_engine_save (engine, bytes);
  LkEngine *copy = lk_engine_load (config, bytes->data, bytes->len, &status);
  LK_ASSERT (copy != NULL); /* what an engine saves, it loads */
  lk_engine_counts (copy, &counts);
  if (counts.now_us >= at_us)
    return copy;
  LkEvent event = { .seq = counts.event_count + 1, .time_us = at_us, .kind = LK_EVENT_TIMER };
  status = lk_engine_apply (copy, &event, NULL);
  LK_ASSERT (status == LK_STATUS_OK);
  return copy;
}

/* ---------------------------------------------------------------- jobs */

static const char *
or_null (const char *name)
{
  return name[0] != '\0' ? name : "(null)";
}

const char *
lk_report_account_name (const LkReportState *state, LkJobIndex job)
{
  return or_null (lk_job_account (state->engine, job));
}

const char *
lk_report_qos_name (const LkReportState *state, LkJobIndex job)
{
  return or_null (lk_job_qos (state->engine, job));
}

void
lk_report_user_name (const LkReportState *state, LkJobIndex job, GString *out)
{
  const LkJobColumns *jobs = lk_engine_view (state->engine)->jobs;
  const char *name = lk_job_user (state->engine, job);
  if (name[0] == '\0' && state->user_name != NULL)
    name = state->user_name (state->user, jobs->id[job]);
  if (name != NULL && name[0] != '\0')
    g_string_append (out, name);
  else
    g_string_append_printf (out, "%u", jobs->user_id[job]);
}

void
lk_report_job_label (const LkReportState *state, LkJobIndex job, GString *out)
{
  guint32 id = lk_engine_view (state->engine)->jobs->id[job];
  const char *label = state->job_label != NULL ? state->job_label (state->user, id) : NULL;
  if (label != NULL)
    g_string_append (out, label);
  else
    g_string_append_printf (out, "%u", id);
}

const char *
lk_report_log_id (const LkReportState *state, const LkJobInfo *info)
{
  return lk_journal_names_log_id (state->names,
                                  info->array_job_id != 0 ? info->array_job_id : info->id);
}

void
lk_report_array_label (const LkReportState *state, LkJobIndex job, GString *out)
{
  const LkJobColumns *jobs = lk_engine_view (state->engine)->jobs;
  LkJobInfo info;
  lk_engine_job (state->engine, jobs->id[job], &info);
  if (info.array_job_id == 0 || state->job_label != NULL)
    lk_report_job_label (state, job, out);
  else
    g_string_append_printf (out, "%u", info.array_job_id);
}

/* ---------------------------------------------------------------- who was asked for */

/* A task of an array, "7_3", or a component, "7+1". */
static gboolean
is_part (char **numbers, const LkJobInfo *info)
{
  char label[24] = "";
  if (info->array_job_id != 0 && info->array_task != LK_TASK_NONE)
    g_snprintf (label, sizeof label, "%u_%u", info->array_job_id, info->array_task);
  else if (info->het_leader != 0)
    g_snprintf (label, sizeof label, "%u+%u", info->het_leader, info->het_offset);
  return label[0] != '\0' && lk_report_wants (numbers, label);
}

static gboolean
wants_number (const LkReportOut *out, LkJobIndex job)
{
  LkJobInfo info;
  const LkReportState *state = out->state;
  char **numbers = out->options->jobs;
  g_autoptr (GString) label = g_string_new (NULL);
  if (numbers == NULL)
    return TRUE;
  lk_report_job_label (state, job, label);
  if (state->job_label != NULL)
    return lk_report_wants (numbers, label->str);
  lk_engine_job (state->engine, lk_engine_view (state->engine)->jobs->id[job], &info);
  if (is_part (numbers, &info))
    return TRUE;
  for (guint i = 0; numbers[i] != NULL; i++)
    if (lk_journal_names_is_same (state->names, info.id, numbers[i])
        || (info.array_job_id != 0
            && lk_journal_names_is_same (state->names, info.array_job_id, numbers[i])))
      return TRUE;
  return FALSE;
}

gboolean
lk_report_wants (char **words, const char *word)
{
  if (words == NULL)
    return TRUE;
  for (guint i = 0; words[i] != NULL; i++)
    if (g_ascii_strcasecmp (words[i], word) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
wants_partition (const LkReportOut *out, LkJobIndex job)
{
  g_autoptr (GString) names = g_string_new (NULL);
  if (out->options->partitions == NULL)
    return TRUE;
  lk_job_partitions (out->state->engine, job, names);
  g_auto (GStrv) all = g_strsplit (names->str, ",", -1);
  for (guint i = 0; all[i] != NULL; i++)
    if (lk_report_wants (out->options->partitions, all[i]))
      return TRUE;
  return FALSE;
}

gboolean
lk_report_wants_job (const LkReportOut *out, LkJobIndex job)
{
  const LkReportOptions *options = out->options;
  g_autoptr (GString) user_name = g_string_new (NULL);
  lk_report_user_name (out->state, job, user_name);
  return wants_number (out, job) && lk_report_wants (options->users, user_name->str)
         && lk_report_wants (options->accounts, lk_report_account_name (out->state, job))
         && wants_partition (out, job);
}

/* ---------------------------------------------------------------- values */

const LkParamValue *
lk_report_order_value (const LkEngineConfig *config, const char *name)
{
  const LkParam *params = config->order->base.params;
  for (guint i = 0; i < config->order_values.count && params[i].name != NULL; i++)
    if (strcmp (params[i].name, name) == 0)
      return &config->order_values.values[i];
  return NULL;
}

void
lk_report_time (const LkReportState *state, gint64 time_us, GString *out)
{
  if (time_us == LK_TIME_NEVER) {
    g_string_append (out, "N/A");
    return;
  }
  gint64 whole_s = time_us / SECOND_US;
  g_autoptr (GDateTime) date = state->unix_start_s >= 0
                                   ? g_date_time_new_from_unix_utc (state->unix_start_s + whole_s)
                                   : NULL;
  if (date == NULL) {
    lk_table_duration (time_us, out);
    return;
  }
  g_string_append_printf (out, "%04d-%02d-%02dT%02d:%02d:%02d", g_date_time_get_year (date),
                          g_date_time_get_month (date), g_date_time_get_day_of_month (date),
                          g_date_time_get_hour (date), g_date_time_get_minute (date),
                          g_date_time_get_second (date));
}

/* ---------------------------------------------------------------- writing */

gboolean
lk_report_check (const LkEngineConfig *config, const LkReportOptions *options, GError **error)
{
  switch (options->kind) {
  case LK_REPORT_SPRIO:
    return lk_report_sprio_check (config, options, error);
  case LK_REPORT_SSHARE:
    return lk_report_sshare_check (config, options, error);
  case LK_REPORT_RESERVATIONS:
    return lk_report_reservations_check (config, error);
  default:
    return lk_report_squeue_check (options, error);
  }
}

static void
write_report (const LkReportOut *out)
{
  switch (out->options->kind) {
  case LK_REPORT_SPRIO:
    lk_report_sprio (out);
    return;
  case LK_REPORT_SSHARE:
    lk_report_sshare (out);
    return;
  case LK_REPORT_RESERVATIONS:
    lk_report_reservations (out);
    return;
  default:
    lk_report_squeue (out);
    return;
  }
}

void
lk_report_write (const LkReportState *state, const LkReportOptions *options, GString *out)
{
  LkReportOut report = { .state = state, .options = options, .text = out };
  write_report (&report);
}

void
lk_report_json (const LkReportState *state, const LkReportOptions *options, const char *key,
                LkJsonOut *json)
{
  LkReportOut report = { .state = state, .options = options, .json = json };
  lk_json_out_object_begin (json, key);
  lk_json_out_text (json, "report", lk_report_kind_name (options->kind));
  lk_json_out_seconds (json, "at_s", state->at_us);
  write_report (&report);
  lk_json_out_object_end (json);
}
