/* live/client/show_jobs.c — `scontrol show job`.
 *
 * Source: scontrol(1), what a real Slurm printed (oracle/text). */
#include <string.h>

#include "engine/job_shown.h"
#include "live/client/job_row.h"
#include "live/client/json/jobs.h"
#include "live/client/show.h"
#include "live/client/words.h"

#define MIB_BYTES (1024 * 1024)

/* ---------------------------------------------------------------- values */

static void
text_value (LkShow *show, const char *key, LkText text)
{
  lk_show_value (show, key, "%.*s", text.length_bytes > 0 ? (int)text.length_bytes : 6,
                 text.length_bytes > 0 ? text.bytes : "(null)");
}

static void
long_value (LkShow *show, const char *key, LkLongText text, const char *none)
{
  if (text.length_bytes == 0)
    lk_show_value (show, key, "%s", none);
  else
    lk_show_value (show, key, "%.*s", (int)text.length_bytes, text.bytes);
}

static void
bytes_value (LkShow *show, const char *key, LkBytes bytes, const char *none)
{
  if (bytes.length_bytes == 0)
    lk_show_value (show, key, "%s", none);
  else
    lk_show_value (show, key, "%.*s", (int)bytes.length_bytes, (const char *)bytes.bytes);
}

static void
time_value (LkShow *show, const LkClient *client, const char *key, gint64 time_us,
            const char *never)
{
  lk_show_value (show, key, "%s", "");
  lk_word_time (client, time_us, never, show->text);
}

static void
duration_value (LkShow *show, const char *key, gint64 duration_us)
{
  lk_show_value (show, key, "%s", "");
  lk_word_long_duration (duration_us, show->text);
}

static void
memory_value (LkShow *show, const char *key, gint64 bytes)
{
  lk_show_value (show, key, "%s", "");
  lk_word_memory (bytes, show->text);
}

/* ---------------------------------------------------------------- lines */

static void
add_who (LkShow *show, const LkJobRow *row)
{
  const LkRecord_job *job = &row->job;
  lk_show_value (show, "JobId", "%u", job->job_id);
  if (job->array_job_id != 0) {
    lk_show_value (show, "ArrayJobId", "%u", job->array_job_id);
    if (job->array_task != G_MAXUINT32)
      lk_show_value (show, "ArrayTaskId", "%u", job->array_task);
    else
      long_value (show, "ArrayTaskId", job->array_tasks, "");
  }
  if (job->het_leader != 0) {
    lk_show_value (show, "HetJobId", "%u", job->het_leader);
    lk_show_value (show, "HetJobOffset", "%u", job->het_offset);
  }
  text_value (show, "JobName", job->name);
  lk_show_line (show);
  lk_show_value (show, "UserId", "%s(%u)", row->user, job->user_id);
  lk_show_value (show, "GroupId", "%s(%u)", row->group, job->group_id);
  lk_show_value (show, "MCS_label", "N/A");
  lk_show_line (show);
  lk_show_value (show, "Priority", "%u", job->priority_now);
  lk_show_value (show, "Nice", "%" G_GINT64_FORMAT, job->nice);
  text_value (show, "Account", job->account_name);
  text_value (show, "QOS", job->qos_name);
}

static void
add_state (LkShow *show, const LkClient *client, const LkJobRow *row)
{
  const LkRecord_job *job = &row->job;
  lk_show_line (show);
  lk_show_value (show, "JobState", "%s", lk_job_row_state (row));
  g_autofree char *reason = g_strdelimit (g_strdup (lk_reason_text (job->reason)), " ", '_');
  lk_show_value (show, "Reason", "%s", reason);
  long_value (show, "Dependency", job->dependency_left, "(null)");
  lk_show_line (show);
  lk_show_value (show, "Requeue", "%d", (job->flags & LK_REQUEST_NO_REQUEUE) != 0 ? 0 : 1);
  lk_show_value (show, "Restarts", "%u", job->restarts);
  lk_show_value (show, "BatchFlag", "1");
  lk_show_value (show, "Reboot", "0");
  lk_show_value (show, "ExitCode", "%u:%u", job->exit_code, job->signal);
  lk_show_line (show);
  duration_value (show, "RunTime", lk_job_row_used_us (row, client->now_us));
  duration_value (show, "TimeLimit", job->limit_us);
  lk_show_value (show, "TimeMin", "%s", job->time_min_us == 0 ? "N/A" : "");
  if (job->time_min_us != 0)
    lk_word_long_duration (job->time_min_us, show->text);
}

static void
add_times (LkShow *show, const LkClient *client, const LkRecord_job *job)
{
  lk_show_line (show);
  time_value (show, client, "SubmitTime", job->submit_us, "Unknown");
  time_value (show, client, "EligibleTime", job->eligible_us, "Unknown");
  lk_show_line (show);
  time_value (show, client, "AccrueTime", job->eligible_us, "Unknown");
  lk_show_line (show);
  time_value (show, client, "StartTime", job->start_us, "Unknown");
  time_value (show, client, "EndTime", job->end_us, "Unknown");
  time_value (show, client, "Deadline", job->deadline_us, "N/A");
}

static void
add_place (LkShow *show, const LkJobRow *row)
{
  const LkRecord_job *job = &row->job;
  lk_show_line (show);
  long_value (show, "Partition", job->partitions, "(null)");
  lk_show_value (show, "AllocNode:Sid", "%s:0", "");
  g_string_truncate (show->text, show->text->len - 2);
  lk_word_text (row->batch->submit_host, "N/A", show->text);
  g_string_append (show->text, ":N/A");
  lk_show_line (show);
  text_value (show, "ReqNodeList", job->node_list);
  text_value (show, "ExcNodeList", job->exclude);
  lk_show_line (show);
  long_value (show, "NodeList", job->node_names, "");
  if (job->planned_nodes.length_bytes > 0)
    long_value (show, "SchedNodeList", job->planned_nodes, "");
  if (job->node_names.length_bytes > 0) {
    lk_show_line (show);
    lk_show_value (show, "BatchHost", "%s", "");
    lk_job_row_batch_host (row, show->text);
  }
}

/* Of one that waits from least to most nodes. */
static void
add_counts (LkShow *show, const LkRecord_job *job)
{
  guint32 most = job->nodes_max != 0 ? job->nodes_max : job->tasks;
  lk_show_line (show);
  if (job->run_id == 0 && job->state == LK_JOB_PENDING && most != 0 && most != LK_COUNT_UNLIMITED)
    lk_show_value (show, "NumNodes", "%u-%u", MIN (job->nodes, most), most);
  else
    lk_show_value (show, "NumNodes", "%u", job->nodes);
  lk_show_value (show, "NumCPUs", "%u", job->cpus);
  lk_show_value (show, "NumTasks", "%u", MAX (MAX (1, job->nodes_min), job->tasks));
  lk_show_value (show, "CPUs/Task", "%u", MAX (1, job->cpus_per_task_now));
  lk_show_value (show, "ReqB:S:C:T", "0:0:*:*");
  lk_show_line (show);
  text_value (show, "ReqTRES", job->asked_tres);
  lk_show_line (show);
  text_value (show, "AllocTRES", job->held_tres);
}

static const char *
exclusive_word (const LkRecord_job *job)
{
  if (job->is_whole_nodes != 0)
    return "NODE";
  return job->is_whole_user != 0 ? "USER" : "NO";
}

/* "NO" is alone on its cores, "OK" has not begun and might share them. */
static const char *
sharing_word (const LkRecord_job *job)
{
  if (job->is_whole_nodes != 0 || job->is_whole_user != 0)
    return "NO";
  if (job->may_share != 0)
    return job->run_id != 0 ? "YES" : "OK";
  return "NO";
}

static void
add_amounts (LkShow *show, const LkRecord_job *job)
{
  lk_show_line (show);
  lk_show_value (show, "MinCPUsNode", "%u", MAX (1, job->cpus_per_node_now));
  memory_value (show, job->is_memory_per_cpu != 0 ? "MinMemoryCPU" : "MinMemoryNode",
                job->memory_now_bytes);
  memory_value (show, "MinTmpDiskNode", job->tmp_per_node_bytes);
  lk_show_line (show);
  text_value (show, "Features", job->constraint);
  if (job->reservations.length_bytes > 0)
    text_value (show, "Reservation", job->reservations);
  lk_show_line (show);
  lk_show_value (show, "OverSubscribe", "%s", sharing_word (job));
  lk_show_value (show, "Exclusive", "%s", exclusive_word (job));
  lk_show_value (show, "Contiguous", "%d", (job->flags & LK_REQUEST_CONTIGUOUS) != 0 ? 1 : 0);
  text_value (show, "Licenses", job->licenses);
  lk_show_value (show, "LicensesAlloc", "(null)");
  lk_show_value (show, "Network", "(null)");
}

/* Of "0-3,6". */
static guint32
count_ids (const char *list)
{
  guint32 count = 0;
  for (char *at = (char *)(gpointer)list; *at != '\0'; at += *at == ',' ? 1 : 0) {
    guint64 low = g_ascii_strtoull (at, &at, 10);
    guint64 high = *at == '-' ? g_ascii_strtoull (at + 1, &at, 10) : low;
    if (*at != ',' && *at != '\0')
      break;
    count += (guint32)(high - low + 1);
  }
  return count;
}

/* "n[1-2]=0-3;n3=0" as a line for each that are alike. */
static void
add_pieces (LkShow *show, const LkRecord_job *job)
{
  g_autofree char *cores = g_strndup (job->cores.bytes, job->cores.length_bytes);
  g_auto (GStrv) pieces = g_strsplit (cores, ";", -1);
  for (guint i = 0; pieces[i] != NULL && *pieces[i] != '\0'; i++) {
    const char *ids = strchr (pieces[i], '=');
    gint64 memory_bytes = job->held_memory_bytes / MAX (1, job->nodes);
    if (ids == NULL)
      continue;
    if (job->is_memory_per_cpu != 0)
      memory_bytes = job->held_memory_bytes / MAX (1, job->cpus) * count_ids (ids + 1);
    g_string_append (show->text, show->one_line ? " " : "\n  ");
    lk_show_value (show, "  Nodes", "%.*s", (int)(ids - pieces[i]), pieces[i]);
    lk_show_value (show, "CPU_IDs", "%s", ids + 1);
    lk_show_value (show, "Mem", "%" G_GINT64_FORMAT, memory_bytes / MIB_BYTES);
    long_value (show, "GRES", job->devices, "");
  }
}

/* Who has given no name has one all the same; who may not see what was submitted is told none. */
static void
output_value (LkShow *show, const LkJobRow *row)
{
  const LkBatch *batch = row->batch;
  g_autofree char *file = NULL;
  if (batch->std_out.length_bytes > 0 || batch->work_dir.length_bytes == 0) {
    bytes_value (show, "StdOut", batch->std_out, "");
    return;
  }
  /* Tasks that wait together have no task yet: Slurm tells its NO_VAL. */
  guint32 task = row->job.array_task != G_MAXUINT32 ? row->job.array_task : G_MAXUINT32 - 1;
  if (row->job.array_job_id != 0)
    file = g_strdup_printf ("slurm-%u_%u.out", row->job.array_job_id, task);
  else
    file = g_strdup_printf ("slurm-%u.out", row->job.job_id);
  lk_show_value (show, "StdOut", "%.*s/%s", (int)batch->work_dir.length_bytes,
                 (const char *)batch->work_dir.bytes, file);
}

/* "gpu:2,fpga:1" with `before` before each, on a line of its own; nothing of nothing. */
static void
tres_line (LkShow *show, const char *key, const char *before, LkText list)
{
  g_autofree char *text = g_strndup (list.bytes, list.length_bytes);
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  g_autofree char *between = g_strconcat (",", before, NULL);
  g_autofree char *joined = g_strjoinv (between, parts);
  if (list.length_bytes == 0)
    return;
  lk_show_line (show);
  lk_show_value (show, key, "%s%s", before, joined);
}

static void
add_submitted (LkShow *show, const LkJobRow *row)
{
  const LkBatch *batch = row->batch;
  lk_show_line (show);
  bytes_value (show, "Command", batch->command, "(null)");
  lk_show_line (show);
  bytes_value (show, "SubmitLine", batch->submit_line, "(null)");
  lk_show_line (show);
  bytes_value (show, "WorkDir", batch->work_dir, "(null)");
  if (row->job.comment.length_bytes > 0) {
    lk_show_line (show);
    text_value (show, "Comment", row->job.comment);
  }
  lk_show_line (show);
  bytes_value (show, "StdErr", batch->std_err, "");
  lk_show_line (show);
  bytes_value (show, "StdIn", batch->std_in, "/dev/null");
  lk_show_line (show);
  output_value (show, row);
  tres_line (show, "TresPerJob", "gres/gpu:", row->job.gpus);
  tres_line (show, "TresPerNode", "gres/", row->job.gres);
}

static void
add_job (LkShow *show, const LkClient *client, const LkJobRow *row, guint details)
{
  add_who (show, row);
  add_state (show, client, row);
  add_times (show, client, &row->job);
  add_place (show, row);
  add_counts (show, &row->job);
  if (details > 0 && row->job.cores.length_bytes > 0)
    add_pieces (show, &row->job);
  add_amounts (show, &row->job);
  add_submitted (show, row);
  lk_show_end (show);
}

/* ---------------------------------------------------------------- which */

/* "7", "7_3", "7+1". FALSE: it is none. */
static gboolean
parse_job (const char *word, guint32 *out_id, char *out_sign, guint32 *out_part)
{
  char *end;
  guint64 id = g_ascii_strtoull (word, &end, 10);
  *out_sign = *end;
  *out_part = 0;
  if (end == word || id == 0 || id >= G_MAXUINT32)
    return FALSE;
  *out_id = (guint32)id;
  if (*end == '\0')
    return TRUE;
  const char *part = end + 1;
  *out_part = (guint32)g_ascii_strtoull (part, &end, 10);
  return (*out_sign == '_' || *out_sign == '+') && end != part && *end == '\0';
}

static gboolean
is_part (const LkRecord_job *job, char sign, guint32 part)
{
  if (sign == '_')
    return job->array_task == part;
  return sign != '+' || job->het_offset == part;
}

/* Returns: how many; -1: told. */
static int
show_some (LkClient *client, const LkScontrolOptions *options, const char *word, LkShow *show)
{
  g_autoptr (GPtrArray) shown = g_ptr_array_new ();
  LkClientQuery query = { .kind = LK_RECORD_JOB, .with_ended = TRUE, .with_payload = TRUE };
  g_autoptr (GError) error = NULL;
  char sign = '\0';
  guint32 part = 0;
  if (word != NULL && !parse_job (word, &query.job_id, &sign, &part)) {
    fprintf (client->err, "Invalid job id specified\n");
    return -1;
  }
  g_autoptr (GPtrArray) rows = lk_job_rows (client, &query, &error);
  if (rows == NULL) {
    fprintf (client->err, "slurm_load_jobs error: %s\n", error->message);
    return -1;
  }
  for (guint i = 0; i < rows->len; i++) {
    const LkJobRow *row = g_ptr_array_index (rows, i);
    if (!is_part (&row->job, sign, part))
      continue;
    g_ptr_array_add (shown, (gpointer)row);
    if (!options->json.is_wanted)
      add_job (show, client, row, options->details);
  }
  if (options->json.is_wanted && (shown->len > 0 || word == NULL))
    lk_json_jobs (client, &options->json, shown);
  return (int)shown->len;
}

int
lk_show_jobs (LkClient *client, const LkScontrolOptions *options, char **words)
{
  g_autoptr (GString) text = g_string_new (NULL);
  LkShow show = { text, options->one_line };
  const char *word = words[0] != NULL && *words[0] != '\0' ? words[0] : NULL;
  int count = show_some (client, options, word, &show);
  if (count < 0)
    return LK_SCONTROL_FAILURE;
  if (count == 0 && word != NULL) {
    fprintf (client->err, "slurm_load_jobs error: Invalid job id specified\n");
    return LK_SCONTROL_FAILURE;
  }
  if (count == 0 && !options->json.is_wanted)
    fprintf (client->out, "No jobs in the system\n");
  fwrite (text->str, 1, text->len, client->out);
  return 0;
}
