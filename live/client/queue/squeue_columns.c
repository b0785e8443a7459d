/* live/client/queue/squeue_columns.c — what squeue can print of a job, by letter and by name.
 *
 * Source: squeue(1), --format and --Format; headings as recorded in oracle/text. */
#include <string.h>

#include "engine/job_shown.h"
#include "live/client/queue/squeue.h"
#include "live/client/words.h"
#include "live/step/pattern.h"

#define PRIORITY_MAX 4294967295.0
#define NORMALIZED_DIGITS 14u
#define LABEL_MAX_BYTES 31
#define MIB_BYTES (1024 * 1024)

static const LkJobRow *
row_of (gconstpointer user)
{
  return user;
}

static const LkRecord_job *
job_of (gconstpointer user)
{
  return &row_of (user)->job;
}

static const LkSqueueReport *
report_of (gconstpointer report)
{
  return report;
}

/* A cell that looks at the job alone. */
#define CELL(NAME, ...)                                                                            \
  static void NAME (gconstpointer report, gconstpointer row, GString *out)                         \
  {                                                                                                \
    const LkRecord_job *job = job_of (row);                                                        \
    (void)report;                                                                                  \
    (void)job;                                                                                     \
    __VA_ARGS__;                                                                                   \
  }

/* ---------------------------------------------------------------- who and what */

/* Tasks that wait together are cut short, and so is all of it unless SLURM_BITSTR_LEN is there:
 * Slurm's squeue has so many bytes for it. */
static void
label_cell (gconstpointer report, gconstpointer row, GString *out)
{
  const LkClient *client = report_of (report)->client;
  const LkRecord_job *job = job_of (row);
  gsize begin = out->len;
  if (job->array_job_id == 0 || job->array_task != G_MAXUINT32) {
    lk_job_row_label (row_of (row), out);
    return;
  }
  g_string_append_printf (out, "%u_[", job->array_job_id);
  lk_word_tasks (client, job->array_tasks, out);
  g_string_append_c (out, ']');
  if (lk_client_variable (client, "SLURM_BITSTR_LEN") == NULL)
    g_string_truncate (out, MIN (out->len, begin + LABEL_MAX_BYTES));
}

CELL (id_cell, lk_word_number (job->job_id, out))
CELL (array_cell, lk_word_number (job->array_job_id != 0 ? job->array_job_id : job->job_id, out))
CELL (name_cell, lk_word_text (job->name, "(null)", out))
CELL (user_cell, g_string_append (out, row_of (row)->user))
CELL (user_id_cell, lk_word_number (job->user_id, out))
CELL (group_cell, g_string_append (out, row_of (row)->group))
CELL (group_id_cell, lk_word_number (job->group_id, out))
CELL (account_cell, lk_word_text (job->account_name, "(null)", out))
CELL (qos_cell, lk_word_text (job->qos_name, "(null)", out))
CELL (partition_cell, lk_word_long_text (job->partitions, "(null)", out))
CELL (comment_cell, lk_word_text (job->comment, "(null)", out))
CELL (reservation_cell, lk_word_text (job->reservations, "(null)", out))
CELL (dependency_cell, lk_word_long_text (job->dependency_left, "(null)", out))
CELL (feature_cell, lk_word_text (job->constraint, "(null)", out))
CELL (license_cell, lk_word_text (job->licenses, "(null)", out))
CELL (command_cell, lk_word_bytes (row_of (row)->batch->command, "(null)", out))
CELL (wckey_cell, lk_word_text (row_of (row)->batch->wckey, "(null)", out))
CELL (work_dir_cell, lk_word_bytes (row_of (row)->batch->work_dir, "(null)", out))

static void
task_cell (gconstpointer report, gconstpointer row, GString *out)
{
  const LkRecord_job *job = job_of (row);
  if (job->array_job_id == 0)
    g_string_append (out, "N/A");
  else if (job->array_task != G_MAXUINT32)
    lk_word_number (job->array_task, out);
  else
    lk_word_tasks (report_of (report)->client, job->array_tasks, out);
}

/* ---------------------------------------------------------------- how it stands */

CELL (state_cell, g_string_append (out, lk_job_row_state (row_of (row))))
CELL (short_state_cell, g_string_append (out, lk_job_row_state_short (row_of (row))))
CELL (reason_cell, g_string_append (out, lk_reason_text (job->reason)))
CELL (nice_cell, g_string_append_printf (out, "%" G_GINT64_FORMAT, job->nice))
CELL (exit_cell, g_string_append_printf (out, "%u:%u", job->exit_code, job->signal))
CELL (restarts_cell, lk_word_number (job->restarts, out))

/* Of such a job Slurm tells why, not where. */
static gboolean
ended_badly (const LkRecord_job *job)
{
  return job->state == LK_JOB_FAILED || job->state == LK_JOB_TIMEOUT
         || job->state == LK_JOB_OUT_OF_MEMORY || job->state == LK_JOB_DEADLINE;
}

static void
nodes_or_reason_cell (gconstpointer report, gconstpointer row, GString *out)
{
  const LkRecord_job *job = job_of (row);
  (void)report;
  if (job->state == LK_JOB_PENDING || ended_badly (job))
    g_string_append_printf (out, "(%s)", lk_reason_text (job->reason));
  else
    lk_word_long_text (job->node_names, "", out);
}

static void
priority_cell (gconstpointer report, gconstpointer row, GString *out)
{
  (void)report;
  lk_word_number (job_of (row)->priority_now, out);
}

static void
normalized_cell (gconstpointer report, gconstpointer row, GString *out)
{
  (void)report;
  lk_table_real (out, job_of (row)->priority_now / PRIORITY_MAX, NORMALIZED_DIGITS);
}

/* ---------------------------------------------------------------- when */

static void
used_cell (gconstpointer report, gconstpointer row, GString *out)
{
  lk_table_duration (lk_job_row_used_us (row, report_of (report)->now_us), out);
}

static void
limit_cell (gconstpointer report, gconstpointer row, GString *out)
{
  (void)report;
  if (job_of (row)->limit_us == G_MAXINT64)
    g_string_append (out, "UNLIMITED");
  else
    lk_table_duration (job_of (row)->limit_us, out);
}

static void
left_cell (gconstpointer report, gconstpointer row, GString *out)
{
  gint64 used_us = lk_job_row_used_us (row, report_of (report)->now_us);
  if (job_of (row)->limit_us == G_MAXINT64)
    g_string_append (out, "UNLIMITED");
  else
    lk_table_duration (job_of (row)->limit_us - used_us, out);
}

static void
submit_cell (gconstpointer report, gconstpointer row, GString *out)
{
  lk_word_time (report_of (report)->client, job_of (row)->submit_us, "N/A", out);
}

static void
start_cell (gconstpointer report, gconstpointer row, GString *out)
{
  lk_word_time (report_of (report)->client, job_of (row)->start_us, "N/A", out);
}

/* Of one that waits, of its planned start. */
static void
end_cell (gconstpointer report, gconstpointer row, GString *out)
{
  const LkRecord_job *job = job_of (row);
  gint64 end_us = job->end_us;
  if (job->state == LK_JOB_PENDING && end_us == G_MAXINT64 && job->start_us != G_MAXINT64
      && job->limit_us != G_MAXINT64)
    end_us = job->start_us + job->limit_us;
  lk_word_time (report_of (report)->client, end_us, "N/A", out);
}

/* ---------------------------------------------------------------- files */

/* With what stands for its % letters; of a job that has no node yet there is none. */
static char *
expanded (const LkJobRow *row, LkBytes name)
{
  const LkRecord_job *job = &row->job;
  g_autofree char *pattern = g_strndup ((const char *)name.bytes, name.length_bytes);
  g_autofree char *job_name = g_strndup (job->name.bytes, job->name.length_bytes);
  g_autoptr (GString) host = g_string_new (NULL);
  lk_job_row_batch_host (row, host);
  const LkPatternValues values = { .job_id = job->job_id,
                                   .array_job_id = job->array_job_id,
                                   .array_task = job->array_task,
                                   .job_name = job_name,
                                   .user = row->user,
                                   .node = host->str };
  return lk_pattern_expand (pattern, &values);
}

/* As it was given, in the directory of the job. */
static void
append_file (const LkSqueueReport *report, const LkJobRow *row, LkBytes name, GString *out)
{
  const LkBatch *batch = row->batch;
  g_autofree char *plain = NULL;
  if (report->expands) {
    plain = expanded (row, name);
    name = lk_bytes (plain);
  }
  if (batch->work_dir.length_bytes == 0) { /* nobody has told what was submitted */
    g_string_append (out, "(null)");
    return;
  }
  if (name.length_bytes > 0 && name.bytes[0] != '/') {
    lk_word_bytes (batch->work_dir, "", out);
    g_string_append_c (out, '/');
  }
  lk_word_bytes (name, "", out);
}

static void
std_out_cell (gconstpointer report, gconstpointer row, GString *out)
{
  const LkBatch *batch = row_of (row)->batch;
  gboolean is_task = job_of (row)->array_job_id != 0;
  append_file (report, row,
               batch->std_out.length_bytes > 0
                   ? batch->std_out
                   : lk_bytes (is_task ? "slurm-%A_%a.out" : "slurm-%j.out"),
               out);
}

static void
std_err_cell (gconstpointer report, gconstpointer row, GString *out)
{
  const LkBatch *batch = row_of (row)->batch;
  if (batch->std_err.length_bytes > 0)
    append_file (report, row, batch->std_err, out);
  else
    std_out_cell (report, row, out);
}

CELL (std_in_cell,
      append_file (report, row,
                   row_of (row)->batch->std_in.length_bytes > 0 ? row_of (row)->batch->std_in
                                                                : lk_bytes ("/dev/null"),
                   out))

/* ---------------------------------------------------------------- how much, where */

CELL (nodes_cell, lk_word_number (job->nodes, out))
CELL (cpus_cell, lk_word_number (job->cpus, out))
CELL (cpus_min_cell, lk_word_number (MAX (1, job->cpus_per_node_min), out))
CELL (node_list_cell, lk_word_long_text (job->node_names, "", out))
CELL (planned_cell, lk_word_long_text (job->planned_nodes, "(null)", out))
CELL (required_cell, lk_word_text (job->node_list, "", out))
CELL (excluded_cell, lk_word_text (job->exclude, "", out))
CELL (asked_or_held_cell,
      lk_word_text (lk_job_row_has_started (row_of (row)) ? job->held_tres : job->asked_tres, "N/A",
                    out))
CELL (contiguous_cell, lk_word_number ((job->flags & LK_REQUEST_CONTIGUOUS) != 0 ? 1 : 0, out))
/* Reserved cores cannot be asked for. */
CELL (core_spec_cell, g_string_append (out, "N/A"))

static void
append_least (guint32 count, GString *out)
{
  if (count > 0)
    lk_word_number (count, out);
  else
    g_string_append_c (out, '*');
}

CELL (sockets_cell, append_least (job->sockets_per_node_min, out))
CELL (cores_cell, append_least (job->cores_per_socket_min, out))
CELL (threads_cell, append_least (job->threads_per_core, out))
CELL (shape_cell, append_least (job->sockets_per_node_min, out); g_string_append_c (out, ':');
      append_least (job->cores_per_socket_min, out); g_string_append_c (out, ':');
      append_least (job->threads_per_core, out))

static void
append_memory (gconstpointer report, gint64 bytes, GString *out)
{
  if (report_of (report)->no_convert)
    g_string_append_printf (out, "%" G_GINT64_FORMAT "M", bytes / MIB_BYTES);
  else
    lk_word_memory (bytes, out);
}

CELL (tmp_cell, append_memory (report, job->tmp_per_node_bytes, out))

static void
batch_host_cell (gconstpointer report, gconstpointer row, GString *out)
{
  gsize before = out->len;
  (void)report;
  lk_job_row_batch_host (row, out);
  if (out->len == before)
    g_string_append (out, "n/a");
}

/* With what the defaults make of it, where that is known. */
static void
memory_cell (gconstpointer report, gconstpointer row, GString *out)
{
  const LkRecord_job *job = job_of (row);
  gint64 asked_bytes =
      job->memory_per_cpu_bytes != 0 ? job->memory_per_cpu_bytes : job->memory_per_node_bytes;
  append_memory (report, job->memory_now_bytes != 0 ? job->memory_now_bytes : asked_bytes, out);
}

/* "gres/gpu:2". */
static void
gres_cell (gconstpointer report, gconstpointer row, GString *out)
{
  LkText gres = job_of (row)->gres;
  (void)report;
  if (gres.length_bytes == 0)
    g_string_append (out, "N/A");
  for (guint i = 0; i < gres.length_bytes; i++) {
    if (i == 0 || gres.bytes[i - 1] == ',')
      g_string_append (out, "gres/");
    g_string_append_c (out, gres.bytes[i]);
  }
}

/* "OK" has not begun and might share its cores. */
static void
share_cell (gconstpointer report, gconstpointer row, GString *out)
{
  const LkRecord_job *job = job_of (row);
  (void)report;
  if (job->is_whole_nodes != 0 || job->is_whole_user != 0 || job->may_share == 0)
    g_string_append (out, "NO");
  else
    g_string_append (out, lk_job_row_has_started (row_of (row)) ? "YES" : "OK");
}

const LkTableColumn lk_squeue_columns[] = {
  { 'A', "JOBID", id_cell },
  { 'a', "ACCOUNT", account_cell },
  { 'b', "TRES_PER_NODE", gres_cell },
  { 'B', "EXEC_HOST", batch_host_cell },
  { 'c', "MIN_CPUS", cpus_min_cell },
  { 'C', "CPUS", cpus_cell },
  { 'd', "MIN_TMP_DISK", tmp_cell },
  { 'D', "NODES", nodes_cell },
  { 'e', "END_TIME", end_cell },
  { 'E', "DEPENDENCY", dependency_cell },
  { 'f', "FEATURES", feature_cell },
  { 'F', "ARRAY_JOB_ID", array_cell },
  { 'g', "GROUP", group_cell },
  { 'G', "GROUP", group_id_cell },
  { 'h', "OVER_SUBSCRIBE", share_cell },
  { 'H', "SOCKETS_PER_NODE", sockets_cell },
  { 'i', "JOBID", label_cell },
  { 'I', "CORES_PER_SOCKET", cores_cell },
  { 'j', "NAME", name_cell },
  { 'J', "THREADS_PER_CORE", threads_cell },
  { 'k', "COMMENT", comment_cell },
  { 'K', "ARRAY_TASK_ID", task_cell },
  { 'l', "TIME_LIMIT", limit_cell },
  { 'L', "TIME_LEFT", left_cell },
  { 'm', "MIN_MEMORY", memory_cell },
  { 'M', "TIME", used_cell },
  { 'n', "REQ_NODES", required_cell },
  { 'N', "NODELIST", node_list_cell },
  { 'o', "COMMAND", command_cell },
  { 'O', "CONTIGUOUS", contiguous_cell },
  { 'p', "PRIORITY", normalized_cell },
  { 'P', "PARTITION", partition_cell },
  { 'q', "QOS", qos_cell },
  { 'Q', "PRIORITY", priority_cell },
  { 'r', "REASON", reason_cell },
  { 'R', "NODELIST(REASON)", nodes_or_reason_cell },
  { 'S', "START_TIME", start_cell },
  { 't', "ST", short_state_cell },
  { 'T', "STATE", state_cell },
  { 'u', "USER", user_cell },
  { 'U', "UID", user_id_cell },
  { 'v', "RESERVATION", reservation_cell },
  { 'V', "SUBMIT_TIME", submit_cell },
  { 'w', "WCKEY", wckey_cell },
  { 'W', "LICENSES", license_cell },
  { 'x', "EXC_NODES", excluded_cell },
  { 'X', "CORE_SPEC", core_spec_cell },
  { 'y', "NICE", nice_cell },
  { 'Y', "SCHEDNODES", planned_cell },
  { 'z', "S:C:T", shape_cell },
  { 'Z', "WORK_DIR", work_dir_cell },
  /* By name only. */
  { 1, "EXIT_CODE", exit_cell },
  { 2, "RESTART_COUNT", restarts_cell },
  { LK_SQUEUE_TRES, "TRES_ALLOC", asked_or_held_cell },
  { LK_SQUEUE_STDIN, "STDIN", std_in_cell },
  { LK_SQUEUE_STDOUT, "STDOUT", std_out_cell },
  { LK_SQUEUE_STDERR, "STDERR", std_err_cell },
#define COLUMN(code, name, heading, cell) { (char)(code), heading, cell },
  LK_SQUEUE_MORE (COLUMN)
#undef COLUMN
      { LK_FORMAT_PERCENT, "%", lk_format_percent_cell },
  { LK_FORMAT_NOTHING, "", lk_format_nothing_cell },
  { 0, NULL, NULL },
};

/* ---------------------------------------------------------------- names of -O */

static const LkFormatName names[] = {
  { "Account", 'a' },
  { "ArrayJobID", 'F' },
  { "ArrayTaskID", 'K' },
  { "BatchHost", 'B' },
  { "Command", 'o' },
  { "Comment", 'k' },
  { "Dependency", 'E' },
  { "EndTime", 'e' },
  { "exit_code", 1 },
  { "Feature", 'f' },
  { "GroupID", 'G' },
  { "GroupName", 'g' },
  { "JobArrayID", 'i' },
  { "JobID", 'A' },
  { "Licenses", 'W' },
  { "MinCpus", 'c' },
  { "MinMemory", 'm' },
  { "MinTmpDisk", 'd' },
  { "Name", 'j' },
  { "Nice", 'y' },
  { "NodeList", 'N' },
  { "NumCPUs", 'C' },
  { "NumNodes", 'D' },
  { "OverSubscribe", 'h' },
  { "Partition", 'P' },
  { "Priority", 'p' },
  { "PriorityLong", 'Q' },
  { "QOS", 'q' },
  { "Reason", 'r' },
  { "ReasonList", 'R' },
  { "ReqNodes", 'n' },
  { "Reservation", 'v' },
  { "RestartCnt", 2 },
  { "SchedNodes", 'Y' },
  { "StartTime", 'S' },
  { "State", 'T' },
  { "StateCompact", 't' },
  { "SubmitTime", 'V' },
  { "TimeLeft", 'L' },
  { "TimeLimit", 'l' },
  { "TimeUsed", 'M' },
  { "tres-per-node", 'b' },
  { "UserID", 'U' },
  { "UserName", 'u' },
  { "WorkDir", 'Z' },
  { "ExcNodes", 'x' },
  { "Contiguous", 'O' },
  { "Cores", 'I' },
  { "CoreSpec", 'X' },
  { "SCT", 'z' },
  { "Sockets", 'H' },
  { "STDIN", LK_SQUEUE_STDIN },
  { "STDOUT", LK_SQUEUE_STDOUT },
  { "STDERR", LK_SQUEUE_STDERR },
  { "Threads", 'J' },
  { "tres-alloc", LK_SQUEUE_TRES },
  { "WCKey", 'w' },
  { "Gres", 'b' },
  { "Shared", 'h' },
  { "Tres", LK_SQUEUE_TRES },
#define NAME(code, name, heading, cell) { name, (char)(code) },
  LK_SQUEUE_MORE (NAME)
#undef NAME
      { NULL, '\0' },
};

const LkFormatSet lk_squeue_formats = { lk_squeue_columns, names, FALSE, "job" };
