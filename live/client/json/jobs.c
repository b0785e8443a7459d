/* live/client/json/jobs.c — jobs with the members of Slurm's data_parser. */
#include "live/client/json/jobs.h"

#include "engine/hostlist.h"
#include "engine/job_shown.h"
#include "live/client/json/job_place.h"
#include "live/client/json/own_jobs.h"
#include "live/client/json/put.h"
#include "live/client/json/shapes.h"
#include "live/client/words.h"

#define MIB(bytes) ((bytes) >> 20)
#define MINUTE_US (60 * (gint64)G_USEC_PER_SEC)
#define FEW_BYTES 32

/* ---------------------------------------------------------------- parts of more than a line */

static void
put_states (GString *out, const LkRecord_job *job)
{
  g_string_append_c (out, '[');
  lk_put_string (out, lk_job_state_name (job->state));
  if (job->is_completing != 0)
    g_string_append (out, ",\"COMPLETING\"");
  if (lk_job_state_shown (job->state, job->is_sigstopped != 0) == LK_JOB_STOPPED)
    g_string_append (out, ",\"STOPPED\"");
  g_string_append_c (out, ']');
}

/* A string for each node on which the job holds GRES. */
static void
put_gres_detail (GString *out, const LkJobRow *row)
{
  g_autoptr (GHashTable) held = lk_job_row_gres (row);
  g_autoptr (GPtrArray) nodes = g_ptr_array_new_with_free_func (g_free);
  const char *separator = "";
  lk_hostlist_expand (row->job.node_names.bytes, row->job.node_names.length_bytes, nodes, NULL);
  g_string_append_c (out, '[');
  for (guint i = 0; i < nodes->len; i++) {
    const char *gres = g_hash_table_lookup (held, g_ptr_array_index (nodes, i));
    if (gres == NULL)
      continue;
    g_string_append (out, separator);
    lk_put_string (out, gres);
    separator = ",";
  }
  g_string_append_c (out, ']');
}

static void
put_exit_code (GString *out, guint8 exit_code, guint8 signal)
{
  const char *word = signal != 0 ? "SIGNALED" : exit_code != 0 ? "ERROR" : "SUCCESS";
  lk_put_literal (out, "{\"status\":[");
  lk_put_string (out, word);
  lk_put_literal (out, "],\"return_code\":");
  lk_put_number (out, TRUE, exit_code);
  lk_put_literal (out, ",\"signal\":{\"id\":");
  lk_put_number (out, signal != 0, signal);
  lk_put_literal (out, ",\"name\":\"\"}}");
}

static void
put_limit (GString *out, gint64 limit_us)
{
  if (limit_us == G_MAXINT64)
    lk_put_endless (out);
  else
    lk_put_number (out, TRUE, limit_us / MINUTE_US);
}

static guint32
task_count (const LkRecord_job *job)
{
  return MAX (MAX (1, job->nodes_min), job->tasks);
}

/* Slurm gives a pending job without a maximum as many nodes as tasks, and tells it of pending jobs
 * only. */
static guint32
nodes_max (const LkRecord_job *job)
{
  if (job->state != LK_JOB_PENDING)
    return 0;
  return job->nodes_max != 0 ? job->nodes_max : task_count (job);
}

/* Of a count that is not given Slurm has "endless". */
static void
put_count_or_endless (GString *out, guint32 count)
{
  if (count == 0)
    lk_put_endless (out);
  else
    lk_put_number (out, TRUE, count);
}

static void
put_flags (GString *out, const LkRecord_job *job)
{
  const struct {
    gboolean is_set;
    const char *word;
  } words[] = {
    { (job->flags & LK_REQUEST_ENFORCE_BINDING) != 0, "GRES_BINDING_ENFORCED" },
    { (job->flags & LK_REQUEST_DISABLE_BINDING) != 0, "GRES_BINDING_DISABLED" },
    { (job->flags & LK_REQUEST_SPREAD_JOB) != 0, "SPREAD_JOB" },
    { (job->flags & LK_REQUEST_USE_MIN_NODES) != 0, "PREFER_MINIMUM_NODE_COUNT" },
    { job->het_leader != 0, "HETEROGENEOUS_JOB" },
    { job->tasks != 0, "EXACT_TASK_COUNT_REQUESTED" },
    { job->run_id != 0, "JOB_WAS_RUNNING" },
    { job->dependency_left.length_bytes > 0, "DEPENDENT" },
  };
  gsize before = out->len;
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (words[i].is_set)
      g_string_append_printf (out, "%s\"%s\"", out->len > before ? "," : "[", words[i].word);
  g_string_append (out, out->len > before ? "]" : "[]");
}

static void
put_shared (GString *out, const LkRecord_job *job)
{
  if (job->is_whole_user != 0)
    lk_put_word (out, "user");
  else if (job->is_whole_nodes != 0)
    lk_put_word (out, "none");
  else
    lk_put_word (out, job->may_share != 0 ? "oversubscribe" : "");
}

static void
put_mail (GString *out, const LkBatch *batch)
{
  static const char *const names[] = {
    "BEGIN",     "END",      "FAIL",     "REQUEUE",  "INVALID_DEPENDENCY", "STAGE_OUT",
    "TIME=100%", "TIME=90%", "TIME=80%", "TIME=50%", "ARRAY_TASKS"
  };
  gsize before = out->len;
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if ((batch->mail_types & 1u << i) != 0)
      g_string_append_printf (out, "%s\"%s\"", out->len > before ? "," : "[", names[i]);
  g_string_append (out, out->len > before ? "]" : "[]");
}

static void
put_batch_host (GString *out, const LkJobRow *row)
{
  if (row->job.node_names.length_bytes == 0) {
    lk_put_literal (out, "\"\"");
    return;
  }
  g_autoptr (GString) host = g_string_new (NULL);
  lk_job_row_batch_host (row, host);
  lk_put_bytes (out, host->str, host->len);
}

static void
put_components (GString *out, const LkJobRow *row)
{
  g_autoptr (GString) text = g_string_new (NULL);
  if (row->job.het_leader != 0)
    lk_job_row_components (row, text);
  lk_put_bytes (out, text->str, text->len);
}

/* "gpu:2,fpga:1" with `before` before each. */
static void
put_prefixed (GString *out, const char *before, LkText list)
{
  if (list.length_bytes == 0) {
    lk_put_literal (out, "\"\"");
    return;
  }
  g_autofree char *text = g_strndup (list.bytes, list.length_bytes);
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  g_autofree char *between = g_strconcat (",", before, NULL);
  g_autofree char *joined = g_strjoinv (between, parts);
  g_autofree char *whole = g_strconcat (before, joined, NULL);
  lk_put_string (out, whole);
}

/* billing= of what it holds. */
static void
put_billing (GString *out, const LkRecord_job *job)
{
  const LkText list = job->held_tres;
  const char *at = list.length_bytes > 0
                       ? g_strstr_len (list.bytes, (gssize)list.length_bytes, "billing=")
                       : NULL;
  char digits[FEW_BYTES] = "";
  if (at != NULL)
    memcpy (digits, at + 8,
            MIN (sizeof digits - 1, list.length_bytes - (gsize)(at + 8 - list.bytes)));
  lk_put_real_number (out, at != NULL, at != NULL ? g_ascii_strtod (digits, NULL) : 0);
}

static void
put_mail_user (GString *out, const LkJobRow *row)
{
  const LkBatch *batch = row->batch;
  if (batch->mail_user.length_bytes > 0)
    lk_put_bytes (out, batch->mail_user.bytes, batch->mail_user.length_bytes);
  else
    lk_put_string (out, row->user);
}

static void
put_step_id (GString *out, const LkRecord_job *job)
{
  lk_put_literal (out, "{\"sluid\":\"");
  lk_word_sluid (job->submit_us, job->job_id, out);
  lk_put_literal (out, "\",\"job_id\":");
  lk_put_number (out, TRUE, job->job_id);
  lk_put_literal (out, ",\"step_het_component\":");
  lk_put_number (out, FALSE, 0);
  lk_put_literal (out, ",\"step_id\":\"entire\"}");
}

static void
put_description (GString *out, const LkRecord_job *job)
{
  const char *word = lk_reason_word (job->reason);
  const char *text = lk_reason_text (job->reason);
  lk_put_string (out, strcmp (word, text) != 0 ? text : "");
}

/* ---------------------------------------------------------------- the table */

#define TEXT(text) lk_put_bytes (out, (text).bytes, (text).length_bytes)
#define NUMBER(is_set, value) lk_put_number (out, is_set, value)
#define MOMENT(time_us) lk_put_moment (out, time_us)
#define COUNT(value) lk_put_count (out, value)

/* X (name, path of the member, what puts it). */
#define JOB_MEMBERS(X)                                                                             \
  X (account, "account", TEXT (job->account_name))                                                 \
  X (accrue, "accrue_time", MOMENT (job->eligible_us))                                             \
  X (allocating_node, "allocating_node", TEXT (batch->submit_host))                                \
  X (array_job, "array_job_id", NUMBER (TRUE, job->array_job_id))                                  \
  X (array_task, "array_task_id",                                                                  \
     NUMBER (job->array_job_id != 0 && job->array_task != G_MAXUINT32, job->array_task))           \
  X (array_most, "array_max_tasks", NUMBER (TRUE, row->array_limit))                               \
  X (array_tasks, "array_task_string", TEXT (job->array_tasks))                                    \
  X (association, "association_id", COUNT (job->association_id))                                   \
  X (batch, "batch_flag", lk_put_flag (out, job->het_offset == 0))                                 \
  X (batch_host, "batch_host", put_batch_host (out, row))                                          \
  X (flags, "flags", put_flags (out, job))                                                         \
  X (cluster, "cluster", lk_put_string (out, lk_job_places_cluster (places)))                      \
  X (command, "command", TEXT (batch->command))                                                    \
  X (admin_comment, "admin_comment", TEXT (job->admin_comment))                                    \
  X (comment, "comment", TEXT (job->comment))                                                      \
  X (contiguous, "contiguous", lk_put_flag (out, (job->flags & LK_REQUEST_CONTIGUOUS) != 0))       \
  X (thread_spec, "thread_spec", COUNT (32766))                                                    \
  X (cores_per_socket, "cores_per_socket",                                                         \
     NUMBER (job->cores_per_socket_min != 0, job->cores_per_socket_min))                           \
  X (billing, "billable_tres", put_billing (out, job))                                             \
  X (cpus_per_task, "cpus_per_task", NUMBER (TRUE, MAX (1, job->cpus_per_task_now)))               \
  X (deadline, "deadline", MOMENT (job->deadline_us))                                              \
  X (delay_boot, "delay_boot", NUMBER (TRUE, 0))                                                   \
  X (dependency, "dependency", TEXT (job->dependency_left))                                        \
  X (derived, "derived_exit_code",                                                                 \
     put_exit_code (out, job->derived_exit_code, job->derived_signal))                             \
  X (eligible, "eligible_time", MOMENT (job->eligible_us))                                         \
  X (end, "end_time", MOMENT (job->end_us))                                                        \
  X (excluded, "excluded_nodes", TEXT (job->exclude))                                              \
  X (exit_code, "exit_code", put_exit_code (out, job->exit_code, job->signal))                     \
  X (features, "features", TEXT (job->constraint))                                                 \
  X (gres_detail, "gres_detail", put_gres_detail (out, row))                                       \
  X (group_id, "group_id", COUNT (job->group_id))                                                  \
  X (group, "group_name", lk_put_string (out, row->group))                                         \
  X (het_id, "het_job_id", NUMBER (TRUE, job->het_leader))                                         \
  X (het_set, "het_job_id_set", put_components (out, row))                                         \
  X (het_offset, "het_job_offset", NUMBER (TRUE, job->het_offset))                                 \
  X (job_id, "job_id", COUNT (job->job_id))                                                        \
  X (resources, "job_resources", lk_job_places_put (places, row, out))                             \
  X (state, "job_state", put_states (out, job))                                                    \
  X (evaluated, "last_sched_evaluation",                                                           \
     MOMENT (lk_job_row_looked_us (row, lk_job_places_now_us (places))))                           \
  X (licenses, "licenses", TEXT (job->licenses))                                                   \
  X (mail_type, "mail_type", put_mail (out, batch))                                                \
  X (mail_user, "mail_user", put_mail_user (out, row))                                             \
  X (max_cpus, "max_cpus", NUMBER (TRUE, 0))                                                       \
  X (max_nodes, "max_nodes", NUMBER (TRUE, nodes_max (job)))                                       \
  X (name, "name", TEXT (job->name))                                                               \
  X (nodes, "nodes", TEXT (job->node_names))                                                       \
  X (nice, "nice", COUNT (job->nice))                                                              \
  X (per_core, "tasks_per_core", lk_put_endless (out))                                             \
  X (per_tres, "tasks_per_tres", NUMBER (TRUE, job->tasks_per_gpu))                                \
  X (per_node, "tasks_per_node", NUMBER (TRUE, job->tasks_per_node))                               \
  X (per_socket, "tasks_per_socket", put_count_or_endless (out, job->tasks_per_socket))            \
  X (per_board, "tasks_per_board", NUMBER (TRUE, 0))                                               \
  X (cpus, "cpus", NUMBER (TRUE, job->cpus))                                                       \
  X (node_count, "node_count", NUMBER (TRUE, job->nodes))                                          \
  X (tasks, "tasks", NUMBER (TRUE, task_count (job)))                                              \
  X (partition, "partition", TEXT (job->partitions))                                               \
  X (memory_cpu, "memory_per_cpu",                                                                 \
     NUMBER (job->is_memory_per_cpu != 0, MIB (job->memory_now_bytes)))                            \
  X (memory_node, "memory_per_node",                                                               \
     NUMBER (job->is_memory_per_cpu == 0, MIB (job->memory_now_bytes)))                            \
  X (least_cpus, "minimum_cpus_per_node", NUMBER (TRUE, MAX (1, job->cpus_per_node_now)))          \
  X (least_tmp, "minimum_tmp_disk_per_node", NUMBER (TRUE, MIB (job->tmp_per_node_bytes)))         \
  X (preempt, "preempt_time", MOMENT (0))                                                          \
  X (preemptable, "preemptable_time", MOMENT (0))                                                  \
  X (pre_suspend, "pre_sus_time", MOMENT (lk_job_row_ran_before_suspend_us (row)))                 \
  X (hold, "hold",                                                                                 \
     lk_put_flag (out, job->state == LK_JOB_PENDING && job->has_priority != 0                      \
                           && job->priority_now == 0))                                             \
  X (priority, "priority", NUMBER (TRUE, job->priority_now))                                       \
  X (profile, "profile", lk_put_word (out, "NOT_SET"))                                             \
  X (qos, "qos", TEXT (job->qos_name))                                                             \
  X (required, "required_nodes", TEXT (job->node_list))                                            \
  X (switches, "required_switches", COUNT (job->switches))                                         \
  X (requeue, "requeue", lk_put_flag (out, (job->flags & LK_REQUEST_NO_REQUEUE) == 0))             \
  X (resize, "resize_time", MOMENT (0))                                                            \
  X (restarts, "restart_cnt", COUNT (job->restarts))                                               \
  X (reservation, "resv_name", TEXT (job->reservations))                                           \
  X (planned, "scheduled_nodes", TEXT (job->planned_nodes))                                        \
  X (segment, "segment_size", COUNT (job->segment_nodes))                                          \
  X (shared, "shared", put_shared (out, job))                                                      \
  X (step_id, "step_id", put_step_id (out, job))                                                   \
  X (sockets, "sockets_per_node",                                                                  \
     NUMBER (job->sockets_per_node_min != 0, job->sockets_per_node_min))                           \
  X (start, "start_time", MOMENT (job->start_us))                                                  \
  X (description, "state_description", put_description (out, job))                                 \
  X (reason, "state_reason", lk_put_string (out, lk_reason_word (job->reason)))                    \
  X (std_err, "standard_error", lk_job_file_put (out, row, LK_JOB_STDERR, FALSE))                  \
  X (err_file, "stderr_expanded", lk_job_file_put (out, row, LK_JOB_STDERR, TRUE))                 \
  X (out_file, "stdout_expanded", lk_job_file_put (out, row, LK_JOB_STDOUT, TRUE))                 \
  X (in_file, "stdin_expanded", lk_job_file_put (out, row, LK_JOB_STDIN, TRUE))                    \
  X (std_in, "standard_input", lk_job_file_put (out, row, LK_JOB_STDIN, FALSE))                    \
  X (std_out, "standard_output", lk_job_file_put (out, row, LK_JOB_STDOUT, FALSE))                 \
  X (submit, "submit_time", MOMENT (job->submit_us))                                               \
  X (submit_line, "submit_line", TEXT (batch->submit_line))                                        \
  X (suspend, "suspend_time", MOMENT (job->suspend_us))                                            \
  X (limit, "time_limit", put_limit (out, job->limit_us))                                          \
  X (least_time, "time_minimum", NUMBER (TRUE, job->time_min_us / MINUTE_US))                      \
  X (threads, "threads_per_core", NUMBER (job->threads_per_core != 0, job->threads_per_core))      \
  X (tres_job, "tres_per_job", put_prefixed (out, "gres/gpu:", job->gpus))                         \
  X (tres_node, "tres_per_node", put_prefixed (out, "gres/", job->gres))                           \
  X (tres_socket, "tres_per_socket", put_prefixed (out, "gres/gpu:", job->gpus_per_socket))        \
  X (tres_task, "tres_per_task", put_prefixed (out, "gres/gpu:", job->gpus_per_task))              \
  X (tres_asked, "tres_req_str", TEXT (job->asked_tres))                                           \
  X (tres_held, "tres_alloc_str", TEXT (job->held_tres))                                           \
  X (user_id, "user_id", COUNT (job->user_id))                                                     \
  X (user, "user_name", lk_put_string (out, row->user))                                            \
  X (switch_wait, "maximum_switch_wait_time", COUNT (job->switches_wait_us / G_USEC_PER_SEC))      \
  X (wckey, "wckey", TEXT (batch->wckey))                                                          \
  X (work_dir, "current_working_directory", TEXT (batch->work_dir))

#define X(name, path, what)                                                                        \
  static void member_##name (GString *out, gconstpointer report, gconstpointer given)              \
  {                                                                                                \
    LkJobPlaces *places = (gpointer)report;                                                        \
    const LkJobRow *row = given;                                                                   \
    const LkRecord_job *job = &row->job;                                                           \
    const LkBatch *batch = row->batch;                                                             \
    (void)places;                                                                                  \
    (void)job;                                                                                     \
    (void)batch;                                                                                   \
    what;                                                                                          \
  }
JOB_MEMBERS (X)
#undef X

#define X(name, path, what) { path, member_##name },
static const LkShapeMember members[] = { JOB_MEMBERS (X){ NULL, NULL } };
#undef X

void
lk_json_jobs (const LkClient *client, const LkJsonChoice *choice, const GPtrArray *rows)
{
  static const LkJsonKind kind = { "jobs", lk_shape_job, members };
  g_autoptr (LkJobPlaces) places = lk_job_places_new (client, choice->version);
  LkJson json;
  lk_json_begin (&json, client, choice, lk_job_places_cluster (places));
  lk_json_open (&json, choice->is_own ? &lk_json_own_jobs : &kind);
  for (guint i = 0; i < rows->len; i++)
    lk_json_row (&json, places, g_ptr_array_index (rows, i));
  lk_json_close (&json);
  if (!choice->is_own) {
    lk_json_moment (&json, "last_backfill", 0);
    lk_json_moment (&json, "last_update", client->now_us);
  }
  lk_json_end (&json);
}
