/* live/client/sacct_json.c — jobs as JSON, with the members that Slurm's data_parser has. */
#include <string.h>

#include "engine/codec.h"
#include "engine/job_shown.h"
#include "live/client/sacct.h"
#include "live/client/words.h"

#define NEXT(out) ((out)->str[(out)->len - 1] != '{' && (out)->str[(out)->len - 1] != '[')

static void
key (GString *out, const char *name)
{
  g_string_append_printf (out, "%s\"%s\":", NEXT (out) ? "," : "", name);
}

static void
text (GString *out, const char *name, const char *value)
{
  key (out, name);
  lk_word_json (value, strlen (value), out);
}

static void
count (GString *out, const char *name, gint64 value)
{
  key (out, name);
  g_string_append_printf (out, "%" G_GINT64_FORMAT, value);
}

/* Slurm's numbers that may be missing or endless. */
static void
number (GString *out, const char *name, gboolean is_set, gboolean is_infinite, gint64 value)
{
  key (out, name);
  g_string_append_printf (out, "{\"set\":%s,\"infinite\":%s,\"number\":%" G_GINT64_FORMAT "}",
                          is_set ? "true" : "false", is_infinite ? "true" : "false",
                          is_set && !is_infinite ? value : 0);
}

static void
open_object (GString *out, const char *name)
{
  key (out, name);
  g_string_append_c (out, '{');
}

static void
seconds (GString *out, const char *name, gint64 time_us)
{
  count (out, name, time_us / G_USEC_PER_SEC);
}

/* "cpu=2,gres/gpu=1" as Slurm's list. */
static void
tres (GString *out, const char *name, const char *list)
{
  g_auto (GStrv) parts = g_strsplit (list, ",", -1);
  key (out, name);
  g_string_append_c (out, '[');
  for (guint i = 0; parts[i] != NULL; i++) {
    char *equals = strchr (parts[i], '=');
    if (equals == NULL)
      continue;
    *equals = '\0';
    char *slash = strchr (parts[i], '/');
    if (slash != NULL)
      *slash = '\0';
    g_string_append (out, NEXT (out) ? ",{" : "{");
    text (out, "type", parts[i]);
    text (out, "name", slash != NULL ? slash + 1 : "");
    count (out, "count", g_ascii_strtoll (equals + 1, NULL, 10));
    g_string_append_c (out, '}');
  }
  g_string_append_c (out, ']');
}

static void
exit_code (GString *out, const char *name, const LkAccountingJob *job)
{
  open_object (out, name);
  key (out, "status");
  g_string_append_printf (out, "[\"%s\"]",
                          job->end_us == 0     ? "PENDING"
                          : job->signal != 0   ? "SIGNALED"
                          : job->exit_code > 0 ? "ERROR"
                                               : "SUCCESS");
  number (out, "return_code", job->end_us != 0, FALSE, job->exit_code);
  open_object (out, "signal");
  number (out, "id", job->signal != 0, FALSE, job->signal);
  g_string_append (out, "}}");
}

static void
who (GString *out, const LkSacctReport *report, const LkSacctJob *row)
{
  const LkAccountingJob *job = &row->job;
  text (out, "account", job->account);
  text (out, "user", row->user);
  text (out, "group", row->group);
  count (out, "user_id", job->user_id);
  text (out, "cluster", report->cluster);
  text (out, "partition", job->partition);
  text (out, "qos", job->qos);
  open_object (out, "wckey");
  text (out, "wckey", job->wckey);
  g_string_append_c (out, '}');
  open_object (out, "association");
  text (out, "account", job->account);
  text (out, "cluster", report->cluster);
  text (out, "user", row->user);
  g_string_append_c (out, '}');
}

static void
array (GString *out, const LkAccountingJob *job)
{
  open_object (out, "array");
  count (out, "job_id", job->array_job_id);
  number (out, "task_id", job->array_task >= 0, FALSE, job->array_task);
  text (out, "task", job->array_tasks);
  g_string_append_c (out, '}');
  open_object (out, "het");
  count (out, "job_id", job->het_leader);
  number (out, "job_offset", job->het_leader != 0, FALSE, job->het_offset);
  g_string_append_c (out, '}');
}

static void
times (GString *out, const LkSacctReport *report, const LkSacctJob *row)
{
  const LkAccountingJob *job = &row->job;
  const LkSacctUsage *used = &row->usage;
  gboolean is_endless = job->limit_us == G_MAXINT64;
  open_object (out, "time");
  seconds (out, "elapsed", lk_sacct_elapsed_us (row, report->client->now_us));
  seconds (out, "submission", job->submit_us);
  seconds (out, "eligible", job->eligible_us);
  seconds (out, "start", job->start_us);
  seconds (out, "end", job->end_us);
  seconds (out, "suspended", job->suspended_us);
  number (out, "limit", TRUE, is_endless, job->limit_us / G_USEC_PER_SEC / 60);
  const struct {
    const char *name;
    gint64 time_us;
  } parts[] = { { "user", used->user_cpu_us },
                { "system", used->system_cpu_us },
                { "total", used->user_cpu_us + used->system_cpu_us } };
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++) {
    open_object (out, parts[i].name);
    seconds (out, "seconds", parts[i].time_us);
    count (out, "microseconds", parts[i].time_us % (gint64)G_USEC_PER_SEC);
    g_string_append_c (out, '}');
  }
  g_string_append_c (out, '}');
}

static void
state (GString *out, const LkSacctRow *row)
{
  const LkAccountingJob *job = &row->job->job;
  open_object (out, "state");
  key (out, "current");
  g_string_append_printf (out, "[\"%s\"]", lk_job_state_name ((guint)job->state));
  text (out, "reason", lk_reason_word ((guint)job->reason));
  g_string_append_c (out, '}');
}

static void
step (GString *out, const LkSacctJob *row)
{
  const LkAccountingJob *job = &row->job;
  LkSacctRow batch = { row, TRUE };
  g_autoptr (GString) word = g_string_new (NULL);
  key (out, "steps");
  g_string_append_c (out, '[');
  if (lk_sacct_has_batch (job)) {
    lk_sacct_state (&batch, word);
    g_string_append_c (out, '{');
    open_object (out, "step");
    g_autofree char *id = g_strdup_printf ("%" G_GINT64_FORMAT ".batch", job->job_id);
    text (out, "id", id);
    text (out, "name", "batch");
    g_string_append_c (out, '}');
    key (out, "state");
    g_string_append_printf (out, "[\"%s\"]", word->str);
    exit_code (out, "exit_code", job);
    count (out, "max_rss_bytes", row->usage.max_rss_bytes);
    count (out, "max_gpu_memory_bytes", row->usage.max_gpu_memory_bytes);
    count (out, "max_gpu_percent", row->usage.max_gpu_percent);
    g_string_append_c (out, '}');
  }
  g_string_append_c (out, ']');
}

static void
job_object (GString *out, const LkSacctReport *report, const LkSacctJob *row)
{
  const LkAccountingJob *job = &row->job;
  LkSacctRow line = { row, FALSE };
  g_string_append (out, NEXT (out) ? ",\n{" : "\n{");
  count (out, "job_id", job->job_id);
  text (out, "name", job->name);
  who (out, report, row);
  array (out, job);
  times (out, report, row);
  state (out, &line);
  exit_code (out, "exit_code", job);
  exit_code (out, "derived_exit_code", job);
  text (out, "nodes", job->node_list[0] != '\0' ? job->node_list : "None assigned");
  count (out, "allocation_nodes", job->nodes);
  open_object (out, "required");
  count (out, "CPUs", job->asked_cpus);
  g_string_append_c (out, '}');
  open_object (out, "tres");
  tres (out, "allocated", job->allocated_tres);
  tres (out, "requested", job->asked_tres);
  g_string_append_c (out, '}');
  number (out, "priority", TRUE, FALSE, job->priority);
  count (out, "restart_cnt", job->restarts);
  text (out, "constraints", job->constraints);
  text (out, "licenses", job->licenses);
  open_object (out, "reservation");
  text (out, "name", job->reservation);
  g_string_append_c (out, '}');
  open_object (out, "comment");
  text (out, "job", job->comment);
  g_string_append_c (out, '}');
  text (out, "working_directory", job->work_dir);
  text (out, "submit_line", job->submit_line);
  step (out, row);
  g_string_append_c (out, '}');
}

void
lk_sacct_json (const LkSacctReport *report, const GPtrArray *jobs, GString *out)
{
  g_string_append (out, "{\"jobs\":[");
  for (guint i = 0; i < jobs->len; i++)
    job_object (out, report, g_ptr_array_index (jobs, i));
  g_string_append (out, "],\"meta\":{\"plugin\":{\"type\":\"\",\"name\":\"\","
                        "\"data_parser\":\"data_parser/v0.0.42\"},"
                        "\"slurm\":{\"release\":\"26.05.3\"}},"
                        "\"errors\":[],\"warnings\":[]}\n");
}
