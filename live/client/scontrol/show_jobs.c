/* live/client/scontrol/show_jobs.c — `scontrol show job`.
 *
 * Source: scontrol(1), what a real Slurm printed (oracle/text).  Of which loop of the scheduler has
 * looked at a job, and when, no record is kept: what has started, or has a plan, it owes to the
 * backfill, whose plan is always new; all else was last looked at when it came. */
#include <string.h>

#include "engine/hostlist.h"
#include "engine/job_shown.h"
#include "engine/task_set.h"
#include "live/client/job_row.h"
#include "live/client/json/jobs.h"
#include "live/client/scontrol/show.h"
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
add_who (LkShow *show, const LkClient *client, const LkJobRow *row)
{
  const LkRecord_job *job = &row->job;
  lk_show_value (show, "JobId", "%u", job->job_id);
  if (job->array_job_id != 0) {
    lk_show_value (show, "ArrayJobId", "%u", job->array_job_id);
    if (job->array_task != G_MAXUINT32)
      lk_show_value (show, "ArrayTaskId", "%u", job->array_task);
    else {
      g_autoptr (GString) tasks = g_string_new (NULL);
      lk_word_tasks (client, job->array_tasks, tasks);
      lk_show_value (show, "ArrayTaskId", "%s", tasks->str);
    }
    if (row->array_limit > 0)
      lk_show_value (show, "ArrayTaskThrottle", "%u", row->array_limit);
  }
  if (job->het_leader != 0) {
    lk_show_value (show, "HetJobId", "%u", job->het_leader);
    lk_show_value (show, "HetJobOffset", "%u", job->het_offset);
  }
  text_value (show, "JobName", job->name);
  lk_show_line (show);
  if (job->het_leader != 0) {
    lk_show_value (show, "HetJobIdSet", "%s", "");
    lk_job_row_components (row, show->text);
    lk_show_line (show);
  }
  lk_show_value (show, "UserId", "%s(%u)", row->user, job->user_id);
  lk_show_value (show, "GroupId", "%s(%u)", row->group, job->group_id);
  lk_show_value (show, "MCS_label", "N/A");
  lk_show_line (show);
  lk_show_value (show, "Priority", "%u", job->priority_now);
  lk_show_value (show, "Nice", "%" G_GINT64_FORMAT, job->nice);
  text_value (show, "Account", job->account_name);
  text_value (show, "QOS", job->qos_name);
  if (row->batch->wckey.length_bytes > 0)
    text_value (show, "WCKey", row->batch->wckey);
}

/* One that was cancelled while it was held keeps that as its reason. */
static LkReason
reason_of (const LkRecord_job *job)
{
  gboolean was_held = job->state == LK_JOB_CANCELLED && job->node_names.length_bytes == 0
                      && job->has_priority != 0 && job->priority_now == 0;
  return was_held && job->reason == LK_REASON_NONE ? LK_REASON_HELD_USER : job->reason;
}

static void
add_state (LkShow *show, const LkClient *client, const LkJobRow *row, guint details)
{
  const LkRecord_job *job = &row->job;
  lk_show_line (show);
  lk_show_value (show, "JobState", "%s", lk_job_row_state (row));
  g_autofree char *reason = g_strdelimit (g_strdup (lk_reason_text (reason_of (job))), " ", '_');
  lk_show_value (show, "Reason", "%s", reason);
  long_value (show, "Dependency", job->dependency_left, "(null)");
  lk_show_line (show);
  lk_show_value (show, "Requeue", "%d", lk_job_row_may_requeue (row) ? 1 : 0);
  lk_show_value (show, "Restarts", "%u", job->restarts);
  lk_show_value (show, "BatchFlag", "1");
  lk_show_value (show, "Reboot", "0");
  lk_show_value (show, "ExitCode", "%u:%u", job->exit_code, job->signal);
  if (details > 0) {
    lk_show_line (show);
    lk_show_value (show, "DerivedExitCode", "%u:%u", job->derived_exit_code, job->derived_signal);
  }
  lk_show_line (show);
  duration_value (show, "RunTime", lk_job_row_used_us (row, client->now_us));
  duration_value (show, "TimeLimit", job->limit_us);
  lk_show_value (show, "TimeMin", "%s", job->time_min_us == 0 ? "N/A" : "");
  if (job->time_min_us != 0)
    lk_word_long_duration (job->time_min_us, show->text);
}

/* Tasks of an array that wait for others of it grow older. */
static gint64
accrue_us (const LkClient *client, const LkRecord_job *job)
{
  if (job->reason == LK_REASON_ARRAY_TASK_LIMIT)
    return job->submit_us;
  return job->eligible_us > client->now_us ? LK_TIME_NEVER : job->eligible_us;
}

static void
add_times (LkShow *show, const LkClient *client, const LkJobRow *row)
{
  const LkRecord_job *job = &row->job;
  gboolean has_run = job->run_id != 0 || job->node_names.length_bytes > 0;
  gboolean is_planned = !has_run && job->planned_nodes.length_bytes > 0;
  gint64 eligible_us = job->reason == LK_REASON_BEGIN_TIME ? job->start_us : job->eligible_us;
  gint64 end_us = job->end_us;
  if (end_us == LK_TIME_NEVER && job->start_us != LK_TIME_NEVER && job->limit_us != LK_TIME_NEVER)
    end_us = job->start_us + job->suspended_us + job->limit_us;
  lk_show_line (show);
  time_value (show, client, "SubmitTime", job->submit_us, "Unknown");
  time_value (show, client, "EligibleTime", eligible_us, "Unknown");
  lk_show_line (show);
  time_value (show, client, "AccrueTime", accrue_us (client, job), "Unknown");
  lk_show_line (show);
  time_value (show, client, "StartTime", job->start_us, "Unknown");
  time_value (show, client, "EndTime", end_us, "Unknown");
  time_value (show, client, "Deadline", job->deadline_us, "N/A");
  lk_show_line (show);
  time_value (show, client, "SuspendTime", job->suspend_us, "None");
  lk_show_value (show, "SecsPreSuspend", "%" G_GINT64_FORMAT,
                 lk_job_row_ran_before_suspend_us (row) / G_USEC_PER_SEC);
  time_value (show, client, "LastSchedEval", lk_job_row_looked_us (row, client->now_us), "Unknown");
  lk_show_value (show, "Scheduler", is_planned ? "Backfill:*" : has_run ? "Backfill" : "Main");
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
  g_string_append (show->text, ":0"); /* which session of his it was is not kept */
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

/* What is not asked for is "*". */
static void
append_asked (GString *out, guint32 count)
{
  if (count > 0)
    g_string_append_printf (out, "%u", count);
  else
    g_string_append_c (out, '*');
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
  lk_show_value (show, "ReqB:S:C:T", "0:0:");
  append_asked (show->text, job->cores_per_socket_min);
  g_string_append_c (show->text, ':');
  append_asked (show->text, job->threads_per_core);
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
add_tasks (LkShow *show, const LkRecord_job *job)
{
  lk_show_line (show);
  lk_show_value (show, "Socks/Node", "%s", "");
  append_asked (show->text, job->sockets_per_node_min);
  lk_show_value (show, "NtasksPerN:B:S:C", "%u:0:", job->tasks_per_node);
  if (job->tasks_per_socket > 0)
    g_string_append_printf (show->text, "%u:*", job->tasks_per_socket);
  else
    g_string_append (show->text, "*:*");
  lk_show_value (show, "CoreSpec", "*");
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
  lk_show_value (show, "DelayBoot", "00:00:00");
  if (job->reservations.length_bytes > 0) {
    lk_show_line (show);
    text_value (show, "Reservation", job->reservations);
  }
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

/* Nodes of which the same is printed. */
typedef struct {
  GPtrArray *names; /* of char* */
  const char *ids;  /* of cores */
  const char *gres;
} Alike;

static void
alike_end (LkShow *show, const LkRecord_job *job, Alike *alike)
{
  gint64 memory_bytes = job->held_memory_bytes / MAX (1, job->nodes);
  g_autoptr (GString) list = g_string_new (NULL);
  if (alike->names->len == 0)
    return;
  if (job->is_memory_per_cpu != 0)
    memory_bytes = job->held_memory_bytes / MAX (1, job->cpus) * count_ids (alike->ids);
  lk_hostlist_compress ((const char *const *)alike->names->pdata, alike->names->len, list);
  g_string_append (show->text, show->one_line ? " " : "\n  ");
  lk_show_value (show, "  Nodes", "%s", list->str);
  lk_show_value (show, "CPU_IDs", "%s", alike->ids);
  lk_show_value (show, "Mem", "%" G_GINT64_FORMAT, memory_bytes / MIB_BYTES);
  lk_show_value (show, "GRES", "%s", alike->gres);
  g_ptr_array_set_size (alike->names, 0);
}

/* "n[1-2]=0-3;n3=0" as a line for each that are alike. */
static void
add_pieces (LkShow *show, const LkJobRow *row)
{
  const LkRecord_job *job = &row->job;
  g_autofree char *cores = g_strndup (job->cores.bytes, job->cores.length_bytes);
  g_auto (GStrv) pieces = g_strsplit (cores, ";", -1);
  g_autoptr (GHashTable) held = lk_job_row_gres (row);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  Alike alike = { names, "", "" };
  lk_show_line (show);
  text_value (show, "JOB_GRES", job->held_gres);
  for (guint i = 0; pieces[i] != NULL && *pieces[i] != '\0'; i++) {
    const char *ids = strchr (pieces[i], '=');
    g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
    if (ids == NULL || !lk_hostlist_expand (pieces[i], (gsize)(ids - pieces[i]), nodes, NULL))
      continue;
    for (guint j = 0; j < nodes->len; j++) {
      const char *gres = g_hash_table_lookup (held, g_ptr_array_index (nodes, j));
      gres = gres != NULL ? gres : "";
      if (strcmp (alike.ids, ids + 1) != 0 || strcmp (alike.gres, gres) != 0)
        alike_end (show, job, &alike);
      alike.ids = ids + 1;
      alike.gres = gres;
      g_ptr_array_add (names, g_ptr_array_index (nodes, j));
    }
  }
  alike_end (show, job, &alike);
}

/* Who has given no name has one all the same; of what was not told as it is too long, none. */
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

/* What was asked of switches and for each GPU. */
static void
add_asked (LkShow *show, const LkRecord_job *job)
{
  if (job->switches > 0) {
    lk_show_line (show);
    lk_show_value (show, "Switches", "%u@", job->switches);
    lk_word_long_duration (job->switches_wait_us, show->text);
  }
  if (job->cpus_per_gpu > 0) {
    lk_show_line (show);
    lk_show_value (show, "CpusPerTres", "gres/gpu:%u", job->cpus_per_gpu);
  }
  if (job->memory_per_gpu_bytes > 0) {
    lk_show_line (show);
    lk_show_value (show, "MemPerTres", "gres/gpu:%" G_GINT64_FORMAT,
                   job->memory_per_gpu_bytes / MIB_BYTES);
  }
}

/* To whom mail is sent, and of what. */
static void
add_mail (LkShow *show, const LkJobRow *row)
{
  static const struct {
    guint bit;
    const char *word;
  } words[] = {
#define X(NAME, number, word) { number, word },
    LK_BATCH_MAILS (X)
#undef X
  };
  const LkBatch *batch = row->batch;
  gsize begin;
  if (batch->mail_types == 0)
    return;
  lk_show_line (show);
  if (batch->mail_user.length_bytes > 0)
    text_value (show, "MailUser", batch->mail_user);
  else
    lk_show_value (show, "MailUser", "%s", row->user);
  lk_show_value (show, "MailType", "%s", "");
  begin = show->text->len;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if ((batch->mail_types & (1u << words[i].bit)) != 0)
      g_string_append_printf (show->text, "%s%s", show->text->len > begin ? "," : "",
                              words[i].word);
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
  if (row->job.admin_comment.length_bytes > 0) {
    lk_show_line (show);
    text_value (show, "AdminComment", row->job.admin_comment);
  }
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
  add_asked (show, &row->job);
  tres_line (show, "TresPerJob", "gres/gpu:", row->job.gpus);
  tres_line (show, "TresPerNode", "gres/", row->job.gres);
  tres_line (show, "TresPerTask", "gres/gpu:", row->job.gpus_per_task);
  add_mail (show, row);
}

static void
add_job (LkShow *show, const LkClient *client, const LkJobRow *row, guint details)
{
  add_who (show, client, row);
  add_state (show, client, row, details);
  add_times (show, client, row);
  add_place (show, row);
  add_counts (show, &row->job);
  add_tasks (show, &row->job);
  if (details > 0 && row->job.cores.length_bytes > 0)
    add_pieces (show, row);
  add_amounts (show, &row->job);
  add_submitted (show, row);
  lk_show_end (show);
}

/* ---------------------------------------------------------------- which */

/* "7", "7_3", "7+1"; 0 is any job. FALSE: it is none. */
static gboolean
parse_job (const char *word, guint32 *out_id, char *out_sign, guint32 *out_part)
{
  char *end;
  guint64 id = g_ascii_strtoull (word, &end, 10);
  *out_sign = *end;
  *out_part = 0;
  if (end == word || id >= G_MAXUINT32)
    return FALSE;
  *out_id = (guint32)id;
  if (*end == '\0')
    return TRUE;
  const char *part = end + 1;
  *out_part = (guint32)g_ascii_strtoull (part, &end, 10);
  return (*out_sign == '_' || *out_sign == '+') && end != part && *end == '\0';
}

/* Is it one of the tasks that wait together? */
static gboolean
waits_with (const LkRecord_job *job, guint32 task)
{
  LkLongText list = job->array_tasks;
  gsize length = 0;
  LkTaskSet tasks = { 0 };
  while (length < list.length_bytes && list.bytes[length] != '%')
    length++;
  LkText text = { list.bytes, (guint16)MIN (length, G_MAXUINT16) };
  if (length > G_MAXUINT16 || !lk_task_set_parse (text, LK_LIMIT_TASKS, &tasks))
    return FALSE;
  gboolean is_there = lk_task_set_has (&tasks, task);
  lk_task_set_clear (&tasks);
  return is_there;
}

static gboolean
is_part (const LkRecord_job *job, char sign, guint32 part)
{
  if (sign == '_' && job->array_task == G_MAXUINT32)
    return job->array_job_id != 0 && waits_with (job, part);
  if (sign == '_')
    return job->array_task == part;
  return sign != '+' || job->het_offset == part;
}

/* ---------------------------------------------------------------- in which order */

/* Of one array: those that wait together, then the newest first. */
static gint
by_newness (gconstpointer a, gconstpointer b)
{
  const LkRecord_job *x = &(*(LkJobRow *const *)a)->job;
  const LkRecord_job *y = &(*(LkJobRow *const *)b)->job;
  gboolean is_x_base = x->job_id == x->array_job_id;
  gboolean is_y_base = y->job_id == y->array_job_id;
  if (is_x_base != is_y_base)
    return is_x_base ? -1 : 1;
  return (x->job_id < y->job_id) - (x->job_id > y->job_id);
}

static void
sort_rows (GPtrArray *rows, const char *word)
{
  if (word == NULL)
    lk_job_rows_sort_as_created (rows);
  else if (rows->len > 0 && ((const LkJobRow *)g_ptr_array_index (rows, 0))->job.array_job_id != 0)
    g_ptr_array_sort (rows, by_newness);
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
  sort_rows (rows, word);
  for (guint i = 0; i < rows->len; i++) {
    const LkJobRow *row = g_ptr_array_index (rows, i);
    gboolean is_shown = word != NULL || options->all || client->user_id == 0;
    if (!is_part (&row->job, sign, part) || (row->job.is_hidden != 0 && !is_shown))
      continue;
    g_ptr_array_add (shown, (gpointer)row);
    /* Who asks for a task that waits with others is shown that one. */
    LkJobRow one = *row;
    if (sign == '_')
      one.job.array_task = part;
    if (!options->json.is_wanted)
      add_job (show, client, &one, options->details);
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
  if (count > 0 && !options->json.is_wanted)
    lk_show_records (client, options, (guint)count);
  fwrite (text->str, 1, text->len, client->out);
  return 0;
}
