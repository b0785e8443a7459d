/* live/client/squeue_json.c — jobs as JSON, with the members that Slurm's data_parser has.
 *
 * A job is written straight into the text: a queue of 100,000 must not become a tree of objects. */
#include <string.h>

#include "engine/job_shown.h"
#include "live/client/squeue.h"
#include "live/client/words.h"

#define WRITE_BYTES 65536u

static void
key (GString *out, const char *name)
{
  if (out->str[out->len - 1] != '{')
    g_string_append_c (out, ',');
  g_string_append_c (out, '"');
  g_string_append (out, name);
  g_string_append (out, "\":");
}

static void
text (GString *out, const char *name, const char *bytes, gsize length_bytes)
{
  key (out, name);
  lk_word_json (bytes, length_bytes, out);
}

static void
string (GString *out, const char *name, const char *value)
{
  text (out, name, value, strlen (value));
}

static void
count (GString *out, const char *name, gint64 value)
{
  key (out, name);
  lk_word_number (value, out);
}

/* Slurm's numbers that may be missing or endless. */
static void
number (GString *out, const char *name, gboolean is_set, gboolean is_infinite, gint64 value)
{
  key (out, name);
  g_string_append (out, is_set ? "{\"set\":true,\"infinite\":" : "{\"set\":false,\"infinite\":");
  g_string_append (out, is_infinite ? "true,\"number\":" : "false,\"number\":");
  lk_word_number (is_set && !is_infinite ? value : 0, out);
  g_string_append_c (out, '}');
}

static void
moment (GString *out, const char *name, gint64 time_us)
{
  gboolean is_set = time_us != G_MAXINT64;
  number (out, name, TRUE, FALSE, is_set ? time_us / G_USEC_PER_SEC : 0);
}

static void
who (GString *out, const LkJobRow *row)
{
  const LkRecord_job *job = &row->job;
  text (out, "account", job->account_name.bytes, job->account_name.length_bytes);
  string (out, "user_name", row->user);
  count (out, "user_id", job->user_id);
  string (out, "group_name", row->group);
  count (out, "group_id", job->group_id);
  text (out, "qos", job->qos_name.bytes, job->qos_name.length_bytes);
  text (out, "name", job->name.bytes, job->name.length_bytes);
  text (out, "comment", job->comment.bytes, job->comment.length_bytes);
  text (out, "partition", job->partitions.bytes, job->partitions.length_bytes);
  text (out, "resv_name", job->reservations.bytes, job->reservations.length_bytes);
  text (out, "dependency", job->dependency_left.bytes, job->dependency_left.length_bytes);
}

static void
array_and_het (GString *out, const LkRecord_job *job)
{
  gboolean is_task = job->array_job_id != 0 && job->array_task != G_MAXUINT32;
  number (out, "array_job_id", TRUE, FALSE, job->array_job_id);
  number (out, "array_task_id", is_task, FALSE, is_task ? job->array_task : 0);
  text (out, "array_task_string", job->array_tasks.bytes, job->array_tasks.length_bytes);
  number (out, "het_job_id", TRUE, FALSE, job->het_leader);
  number (out, "het_job_offset", job->het_leader != 0, FALSE, job->het_offset);
}

static void
state (GString *out, const LkJobRow *row)
{
  const LkRecord_job *job = &row->job;
  const char *word = lk_reason_word (job->reason);
  const char *text = lk_reason_text (job->reason);
  key (out, "job_state");
  g_string_append (out, "[");
  lk_word_json (lk_job_state_name (job->state), strlen (lk_job_state_name (job->state)), out);
  if (job->is_completing != 0)
    g_string_append (out, ",\"COMPLETING\"");
  g_string_append (out, "]");
  string (out, "state_reason", word);
  string (out, "state_description", strcmp (word, text) != 0 ? text : "");
  key (out, "exit_code");
  g_string_append (out, "{\"status\":[");
  if (lk_job_state_is_end (job->state))
    g_string_append (out, job->signal != 0      ? "\"SIGNALED\""
                          : job->exit_code != 0 ? "\"ERROR\""
                                                : "\"SUCCESS\"");
  g_string_append (out, "]");
  number (out, "return_code", lk_job_state_is_end (job->state), FALSE, job->exit_code);
  g_string_append (out, ",\"signal\":{");
  number (out, "id", job->signal != 0, FALSE, job->signal);
  g_string_append (out, ",\"name\":\"\"}}");
  number (out, "priority", TRUE, FALSE, job->priority_now);
  count (out, "nice", job->nice);
  count (out, "restart_cnt", job->restarts);
}

static void
amounts (GString *out, const LkRecord_job *job)
{
  gboolean is_per_cpu = job->memory_per_cpu_bytes != 0;
  number (out, "cpus", TRUE, FALSE, job->cpus);
  number (out, "node_count", TRUE, FALSE, job->nodes);
  number (out, "tasks", job->tasks != 0, FALSE, job->tasks);
  number (out, "cpus_per_task", job->cpus_per_task != 0, FALSE, job->cpus_per_task);
  number (out, "memory_per_cpu", is_per_cpu, FALSE, job->memory_per_cpu_bytes >> 20);
  number (out, "memory_per_node", !is_per_cpu, FALSE, job->memory_per_node_bytes >> 20);
  text (out, "nodes", job->node_names.bytes, job->node_names.length_bytes);
  text (out, "scheduled_nodes", job->planned_nodes.bytes, job->planned_nodes.length_bytes);
  text (out, "required_nodes", job->node_list.bytes, job->node_list.length_bytes);
  text (out, "excluded_nodes", job->exclude.bytes, job->exclude.length_bytes);
  text (out, "features", job->constraint.bytes, job->constraint.length_bytes);
  text (out, "licenses", job->licenses.bytes, job->licenses.length_bytes);
  text (out, "tres_per_node", job->gres.bytes, job->gres.length_bytes);
}

static void
times (GString *out, const LkRecord_job *job)
{
  gboolean is_endless = job->limit_us == G_MAXINT64;
  moment (out, "submit_time", job->submit_us);
  moment (out, "eligible_time", job->eligible_us);
  moment (out, "start_time", job->start_us);
  moment (out, "end_time", job->end_us);
  moment (out, "deadline", job->deadline_us);
  number (out, "time_limit", TRUE, is_endless,
          is_endless ? 0 : job->limit_us / (60 * G_USEC_PER_SEC));
}

static void
submitted (GString *out, const LkBatch *batch)
{
  static const char *const names[] = { "command", "current_working_directory", "standard_input",
                                       "standard_output", "standard_error" };
  const LkBytes values[] = { batch->command, batch->work_dir, batch->std_in, batch->std_out,
                             batch->std_err };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    text (out, names[i], (const char *)values[i].bytes, values[i].length_bytes);
}

static void
append_job (GString *out, const LkJobRow *row)
{
  g_string_append_c (out, '{');
  count (out, "job_id", row->job.job_id);
  who (out, row);
  array_and_het (out, &row->job);
  state (out, row);
  amounts (out, &row->job);
  times (out, &row->job);
  submitted (out, row->batch);
  g_string_append_c (out, '}');
}

/* It is not kept as a whole: of a long queue it would be hundreds of MiB. */
static void
write_out (const LkClient *client, GString *out)
{
  fwrite (out->str, 1, out->len, client->out);
  g_string_truncate (out, 0);
}

void
lk_squeue_json (const LkClient *client, const GPtrArray *rows)
{
  g_autoptr (GString) out = g_string_sized_new (2 * WRITE_BYTES);
  g_string_append (out, "{\"jobs\":[");
  for (guint i = 0; i < rows->len; i++) {
    g_string_append (out, i > 0 ? ",\n" : "\n");
    append_job (out, g_ptr_array_index (rows, i));
    if (out->len >= WRITE_BYTES)
      write_out (client, out);
  }
  g_string_append_printf (
      out,
      "\n],\"last_update\":{\"set\":true,\"infinite\":false,\"number\":%" G_GINT64_FORMAT
      "},\"meta\":{\"plugin\":{\"type\":\"\",\"name\":\"\","
      "\"data_parser\":\"data_parser/v0.0.42\"},\"slurm\":{\"release\":\"26.05.0\"}},"
      "\"errors\":[],\"warnings\":[]}\n",
      client->now_us / G_USEC_PER_SEC);
  write_out (client, out);
}
