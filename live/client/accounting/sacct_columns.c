/* live/client/accounting/sacct_columns.c — what sacct can print of a job and of the step of its
 * script.
 *
 * Source: sacct(1), --format; headings, widths and texts as recorded in oracle/text.  What is not
 * measured is an empty cell, as where Slurm gathers nothing. */
#include <string.h>

#include "engine/engine.h"
#include "engine/hostlist.h"
#include "engine/job_shown.h"
#include "live/client/accounting/sacct.h"
#include "live/client/words.h"
#include "live/core/message.h"
#include "traces/table.h"

#define KIB_BYTES 1024
#define SECOND_US ((gint64)G_USEC_PER_SEC)

/* A cell of rows for which IS_SHOWN holds, and else empty. */
#define CELL_IF(NAME, IS_SHOWN, ...)                                                               \
  static void NAME (gconstpointer data, gconstpointer user, GString *out)                          \
  {                                                                                                \
    const LkSacctReport *report = data;                                                            \
    const LkSacctRow *row = user;                                                                  \
    const LkAccountingJob *job = &row->job->job;                                                   \
    (void)report;                                                                                  \
    (void)job;                                                                                     \
    (void)out;                                                                                     \
    if (IS_SHOWN) {                                                                                \
      __VA_ARGS__;                                                                                 \
    }                                                                                              \
  }
#define CELL(NAME, ...) CELL_IF (NAME, TRUE, __VA_ARGS__)
#define JOB_CELL(NAME, ...) CELL_IF (NAME, !row->is_batch, __VA_ARGS__)
#define STEP_CELL(NAME, ...)                                                                       \
  CELL_IF (NAME, row->is_batch && row->job->usage.node_count > 0, __VA_ARGS__)

static void
number (gint64 value, GString *out)
{
  g_string_append_printf (out, "%" G_GINT64_FORMAT, value);
}

/* ---------------------------------------------------------------- who and what */

void
lk_sacct_label (const LkClient *client, const LkAccountingJob *job, GString *out)
{
  if (job->het_leader != 0) {
    g_string_append_printf (out, "%" G_GINT64_FORMAT "+%" G_GINT64_FORMAT, job->het_leader,
                            job->het_offset);
    return;
  }
  number (job->array_job_id != 0 ? job->array_job_id : job->job_id, out);
  if (job->array_task >= 0)
    g_string_append_printf (out, "_%" G_GINT64_FORMAT, job->array_task);
  else if (job->array_job_id != 0) {
    LkLongText tasks = { job->array_tasks, (guint32)strlen (job->array_tasks) };
    g_string_append (out, "_[");
    lk_word_tasks (client, tasks, out);
    g_string_append_c (out, ']');
  }
}

static void
step_label (const LkSacctRow *row, GString *out)
{
  if (row->step != NULL)
    g_string_append_printf (out, ".%" G_GINT64_FORMAT, row->step->step_id);
  else if (row->is_batch)
    g_string_append (out, ".batch");
}

CELL (label_cell, lk_sacct_label (report->client, job, out); step_label (row, out))
CELL (raw_cell, number (job->job_id, out); step_label (row, out))
CELL (name_cell, g_string_append (out, row->step != NULL ? row->step->name
                                       : row->is_batch   ? "batch"
                                                         : job->name))
CELL (account_cell, g_string_append (out, job->account))
CELL (cluster_cell, g_string_append (out, report->cluster))
JOB_CELL (user_cell, g_string_append (out, row->job->user))
JOB_CELL (user_id_cell, number (job->user_id, out))
JOB_CELL (group_cell, g_string_append (out, row->job->group))
JOB_CELL (group_id_cell, number (job->group_id, out))
JOB_CELL (qos_cell, g_string_append (out, job->qos))
JOB_CELL (partition_cell, g_string_append (out, job->partition))
JOB_CELL (admin_comment_cell, g_string_append (out, job->admin_comment))
JOB_CELL (comment_cell, g_string_append (out, job->comment))
JOB_CELL (reservation_cell, g_string_append (out, job->reservation))
JOB_CELL (constraints_cell, g_string_append (out, job->constraints))
JOB_CELL (licenses_cell, g_string_append (out, job->licenses))
JOB_CELL (wckey_cell, g_string_append (out, job->wckey))
JOB_CELL (work_dir_cell, g_string_append (out, job->work_dir))
CELL (submit_line_cell, g_string_append (out, row->step != NULL ? row->step->submit_line
                                              : row->is_batch   ? ""
                                                                : job->submit_line))
JOB_CELL (priority_cell, number (MAX (job->priority, 0), out))
JOB_CELL (restarts_cell, number (job->restarts, out))
JOB_CELL (asked_qos_cell, g_string_append (out, job->asked_qos))
JOB_CELL (qos_id_cell, if (job->qos_id != 0) number (job->qos_id, out))
CELL_IF (association_cell, row->job->association_id != 0, number (row->job->association_id, out))
CELL_IF (empty_cell, FALSE, )

static void
file_name (const LkSacctReport *report, const LkSacctRow *row, LkSacctFile which, GString *out)
{
  g_autofree char *name = lk_sacct_file (row->job, which, report->expands);
  g_string_append (out, name);
}

JOB_CELL (std_in_cell, file_name (report, row, LK_SACCT_FILE_IN, out))
JOB_CELL (std_out_cell, file_name (report, row, LK_SACCT_FILE_OUT, out))
JOB_CELL (std_err_cell, file_name (report, row, LK_SACCT_FILE_ERR, out))

/* Source: slurm_step_layout_type_name. */
static const char *
layout_name (const LkAccountingStep *step)
{
  if (step == NULL)
    return "Unknown";
  switch (step->distribution) {
  case LK_STEP_DISTRIBUTION_CYCLIC:
    return "Cyclic";
  case LK_STEP_DISTRIBUTION_PLANE:
    return "Plane";
  case LK_STEP_DISTRIBUTION_ARBITRARY:
    return "Arbitrary";
  default:
    return "Block";
  }
}

static void
layout_cell (gconstpointer data, gconstpointer user, GString *out)
{
  const LkSacctReport *report = data;
  const LkSacctRow *row = user;
  (void)report;
  if (row->is_batch)
    g_string_append (out, layout_name (row->step));
}

/* ---------------------------------------------------------------- how it stands */

/* The script of a job that was ended was cancelled. */
static LkJobState
state_of (const LkSacctRow *row)
{
  LkJobState state = (LkJobState)row->job->job.state;
  if (state == LK_JOB_REQUEUE_HOLD || state == LK_JOB_SPECIAL_EXIT)
    return LK_JOB_PENDING;
  if (!row->is_batch || row->step != NULL)
    return state;
  switch (state) {
  case LK_JOB_TIMEOUT:
  case LK_JOB_PREEMPTED:
  case LK_JOB_REQUEUED:
  case LK_JOB_NODE_FAIL:
  case LK_JOB_DEADLINE:
    return LK_JOB_CANCELLED;
  case LK_JOB_FAILED: /* who is killed has not failed */
    return row->job->job.signal != 0 ? LK_JOB_CANCELLED : state;
  default:
    return state;
  }
}

void
lk_sacct_state (const LkSacctRow *row, GString *out)
{
  const LkAccountingJob *job = &row->job->job;
  LkJobState state = state_of (row);
  g_string_append (out, lk_job_state_name (state));
  if (!row->is_batch && state == LK_JOB_CANCELLED && job->is_user_ended != 0)
    g_string_append_printf (out, " by %" G_GINT64_FORMAT, job->ender_id);
}

CELL (state_cell, lk_sacct_state (row, out))
/* Slurm writes it down with the start. */
JOB_CELL (reason_cell, g_string_append (out, lk_reason_word (job->run_id != 0 ? (guint)job->reason
                                                                              : LK_REASON_NONE)))

/* How its script ended tells nothing of a job that was ended; what a node lost has failed. */
static void
exit_cell (gconstpointer data, gconstpointer user, GString *out)
{
  const LkSacctReport *report = data;
  const LkSacctRow *row = user;
  const LkAccountingJob *job = &row->job->job;
  LkJobState state = (LkJobState)job->state;
  gboolean is_told = row->is_batch || state == LK_JOB_COMPLETED || state == LK_JOB_FAILED
                     || state == LK_JOB_OUT_OF_MEMORY;
  int other = state == LK_JOB_NODE_FAIL ? 1 : 0;
  (void)report;
  g_string_append_printf (out, "%d:%d", is_told ? (int)job->exit_code : other,
                          is_told ? (int)job->signal : 0);
}

/* In the order of what wait(2) tells, of which Slurm keeps the highest. */
void
lk_sacct_derived (const LkSacctJob *job, gint64 *out_exit_code, gint64 *out_signal)
{
  *out_exit_code = *out_signal = 0;
  for (guint i = 0; job->steps != NULL && i < job->steps->len; i++) {
    const LkAccountingStep *step = &g_array_index (job->steps, LkAccountingStep, i);
    if (step->exit_code > *out_exit_code
        || (step->exit_code == *out_exit_code && step->signal > *out_signal)) {
      *out_exit_code = step->exit_code;
      *out_signal = step->signal;
    }
  }
}

static void
derived_cell (gconstpointer data, gconstpointer user, GString *out)
{
  const LkSacctReport *report = data;
  const LkSacctRow *row = user;
  gint64 exit_code;
  gint64 signal;
  (void)report;
  if (row->is_batch)
    return;
  lk_sacct_derived (row->job, &exit_code, &signal);
  g_string_append_printf (out, "%d:%d", (int)exit_code, (int)signal);
}

static void
flags_cell (gconstpointer data, gconstpointer user, GString *out)
{
  const LkSacctReport *report = data;
  const LkSacctRow *row = user;
  const LkAccountingJob *job = &row->job->job;
  (void)report;
  if (row->is_batch)
    return;
  if (job->run_id != 0)
    g_string_append (out, job->is_backfilled != 0 ? "SchedBackfill," : "SchedMain,");
  g_string_append (out, "StartReceived");
}

/* ---------------------------------------------------------------- when */

/* Until when its run time counts: not while it is suspended. */
static gint64
run_until_us (const LkAccountingJob *job, gint64 now_us)
{
  if (job->suspend_us != 0)
    return job->suspend_us;
  return job->end_us != 0 ? job->end_us : now_us;
}

gint64
lk_sacct_suspended_us (const LkSacctJob *self, gint64 now_us)
{
  const LkAccountingJob *job = &self->job;
  return job->suspended_us + (job->suspend_us != 0 ? MAX (now_us - job->suspend_us, 0) : 0);
}

gint64
lk_sacct_elapsed_us (const LkSacctJob *self, gint64 now_us)
{
  const LkAccountingJob *job = &self->job;
  if (job->start_us == 0)
    return 0;
  return MAX (run_until_us (job, now_us) - job->start_us - job->suspended_us, 0);
}

static gint64
elapsed_s (const LkSacctReport *report, const LkSacctRow *row)
{
  /* Both are cut to seconds before, as Slurm keeps no more. */
  const LkAccountingJob *job = &row->job->job;
  gint64 end_us = run_until_us (job, report->client->now_us);
  if (job->start_us == 0)
    return 0;
  return MAX (end_us / SECOND_US - job->start_us / SECOND_US - job->suspended_us / SECOND_US, 0);
}

CELL (elapsed_cell, lk_word_long_duration (elapsed_s (report, row) * SECOND_US, out))
CELL (elapsed_raw_cell, number (elapsed_s (report, row), out))
CELL (submit_cell,
      lk_word_time (report->client, row->is_batch ? job->start_us : job->submit_us, "Unknown", out))
JOB_CELL (eligible_cell, lk_word_time (report->client, job->eligible_us, "Unknown", out))
CELL (start_cell,
      lk_word_time (report->client, job->start_us, job->end_us != 0 ? "None" : "Unknown", out))
CELL (end_cell, lk_word_time (report->client, job->end_us, "Unknown", out))
CELL (suspended_cell,
      lk_word_long_duration (lk_sacct_suspended_us (row->job, report->client->now_us), out))

static void
planned_cell (gconstpointer data, gconstpointer user, GString *out)
{
  const LkSacctReport *report = data;
  const LkSacctRow *row = user;
  const LkAccountingJob *job = &row->job->job;
  gint64 until_us = job->start_us != 0 ? job->start_us
                    : job->end_us != 0 ? job->end_us
                                       : report->client->now_us;
  if (row->is_batch)
    return;
  lk_word_long_duration (job->eligible_us != 0 ? MAX (until_us - job->eligible_us, 0) : 0, out);
}

/* What waited, of it as many CPUs as were asked for. */
static gint64
planned_cpu_s (const LkSacctReport *report, const LkAccountingJob *job)
{
  gint64 until_us = job->start_us != 0 ? job->start_us : report->client->now_us;
  if (job->eligible_us == 0)
    return 0;
  return MAX (until_us / SECOND_US - job->eligible_us / SECOND_US, 0) * job->asked_cpus;
}

JOB_CELL (planned_cpu_cell, lk_word_long_duration (planned_cpu_s (report, job) * SECOND_US, out))
JOB_CELL (planned_cpu_raw_cell, number (planned_cpu_s (report, job), out))
JOB_CELL (sluid_cell, lk_word_sluid (job->submit_us, (guint32)job->job_id, out))

static void
limit_cell (gconstpointer data, gconstpointer user, GString *out)
{
  const LkSacctReport *report = data;
  const LkSacctRow *row = user;
  (void)report;
  if (!row->is_batch)
    lk_word_long_duration (row->job->job.limit_us, out);
}

static void
limit_raw_cell (gconstpointer data, gconstpointer user, GString *out)
{
  const LkSacctReport *report = data;
  const LkSacctRow *row = user;
  gint64 limit_us = row->job->job.limit_us;
  (void)report;
  if (row->is_batch)
    return;
  if (limit_us == G_MAXINT64)
    g_string_append (out, "UNLIMITED");
  else
    number (limit_us / (60 * SECOND_US), out);
}

/* ---------------------------------------------------------------- where, how much */

static void
nodes_cell (gconstpointer data, gconstpointer user, GString *out)
{
  const LkSacctReport *report = data;
  const LkSacctRow *row = user;
  const LkAccountingJob *job = &row->job->job;
  (void)report;
  gint64 job_nodes = job->run_id != 0 ? job->nodes : job->asked_nodes;
  number (row->is_batch && row->step == NULL ? 1 : job_nodes, out);
}

CELL (held_nodes_cell, number (row->is_batch && row->step == NULL ? 1 : job->nodes, out))
CELL (cpus_cell, number (row->is_batch ? job->batch_cpus : job->cpus, out))
CELL (asked_cpus_cell, number (row->is_batch ? job->batch_cpus : job->asked_cpus, out))
JOB_CELL (asked_nodes_cell, number (job->asked_nodes, out))

static void
tasks_cell (gconstpointer data, gconstpointer user, GString *out)
{
  const LkSacctReport *report = data;
  const LkSacctRow *row = user;
  (void)report;
  if (row->is_batch)
    number (row->step != NULL ? row->step->tasks : 1, out);
}

static void
batch_host (const char *list, GString *out)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (lk_hostlist_expand (list, strlen (list), names, NULL) && names->len > 0)
    g_string_append (out, g_ptr_array_index (names, 0));
}

static void
node_list_cell (gconstpointer data, gconstpointer user, GString *out)
{
  const LkSacctReport *report = data;
  const LkSacctRow *row = user;
  const char *list = row->job->job.node_list;
  (void)report;
  if (row->step != NULL)
    g_string_append (out, row->step->node_list);
  else if (row->is_batch)
    batch_host (list, out);
  else
    g_string_append (out, list[0] != '\0' ? list : "None assigned");
}

/* ---------------------------------------------------------------- memory */

/* So many KiB in a unit, or in the largest that loses nothing. */
static void
amount (gint64 kib, char unit, char least, GString *out)
{
  static const char units[] = "KMGTP";
  const char *at = units;
  double value = (double)kib;
  if (kib == 0) {
    g_string_append_c (out, '0');
    return;
  }
  if (unit != 0) {
    for (; *at != unit; at++)
      value /= KIB_BYTES;
    if (value == (double)(gint64)value)
      number ((gint64)value, out);
    else
      lk_table_real (out, value, 2);
    g_string_append_c (out, *at);
    return;
  }
  for (; at[1] != '\0' && *at != least; at++)
    kib /= KIB_BYTES;
  for (; at[1] != '\0' && kib % KIB_BYTES == 0; at++)
    kib /= KIB_BYTES;
  g_string_append_printf (out, "%" G_GINT64_FORMAT "%c", kib, *at);
}

/* So many MiB of TRES. */
static void
memory (const LkSacctReport *report, const char *mib, GString *out)
{
  amount (g_ascii_strtoll (mib, NULL, 10) * KIB_BYTES, report->no_convert ? 'M' : report->unit, 'M',
          out);
}

/* "cpu=2,mem=500M": its memory in the unit that is wanted. `without` names one that is left out. */
static void
tres (const LkSacctReport *report, const char *text, const char *without, GString *out)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  gsize before = out->len;
  for (guint i = 0; parts[i] != NULL; i++) {
    if (parts[i][0] == '\0' || (without != NULL && g_str_has_prefix (parts[i], without)))
      continue;
    if (out->len > before)
      g_string_append_c (out, ',');
    if (g_str_has_prefix (parts[i], "mem=")) {
      g_string_append (out, "mem=");
      memory (report, parts[i] + 4, out);
    } else {
      g_string_append (out, parts[i]);
    }
  }
}

JOB_CELL (asked_tres_cell, tres (report, job->asked_tres, NULL, out))

static void
tres_cell (gconstpointer data, gconstpointer user, GString *out)
{
  const LkSacctReport *report = data;
  const LkSacctRow *row = user;
  const LkAccountingJob *job = &row->job->job;
  if (!row->is_batch)
    tres (report, job->allocated_tres, NULL, out);
  else if (row->step != NULL || job->nodes == 1)
    tres (report, job->allocated_tres, "billing=", out);
  else
    g_string_append_printf (out, "cpu=%" G_GINT64_FORMAT ",node=1", job->batch_cpus);
}

static void
asked_memory_cell (gconstpointer data, gconstpointer user, GString *out)
{
  const LkSacctReport *report = data;
  const LkSacctRow *row = user;
  const char *text = row->job->job.asked_tres;
  const char *at = g_str_has_prefix (text, "mem=") ? text : strstr (text, ",mem=");
  if (row->is_batch)
    return;
  if (at == NULL)
    g_string_append_c (out, '0');
  else
    memory (report, strchr (at, '=') + 1, out);
}

static void
rss (const LkSacctReport *report, gint64 bytes, GString *out)
{
  amount (bytes / KIB_BYTES, report->unit != 0 ? report->unit : 'K', 'K', out);
}

STEP_CELL (max_rss_cell, rss (report, row->job->usage.max_rss_bytes, out))
STEP_CELL (mean_rss_cell,
           rss (report, row->job->usage.sum_rss_bytes / row->job->usage.node_count, out))

/* ---------------------------------------------------------------- of which task, and where */

/* A cell of steps that are not scripts, of which something is known. */
#define TASK_CELL(NAME, ...)                                                                       \
  CELL_IF (NAME, row->step != NULL && row->step->counted_tasks > 0, __VA_ARGS__)

static void
node_name (const LkAccountingStep *step, gint64 place, GString *out)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *list = step->node_list;
  if (lk_hostlist_expand (list, strlen (list), names, NULL) && place >= 0 && place < names->len)
    g_string_append (out, g_ptr_array_index (names, (guint)place));
}

#define TASK_CELLS(KIND)                                                                           \
  TASK_CELL (KIND##_node_cell, node_name (row->step, row->step->KIND##_max_node, out))             \
  TASK_CELL (KIND##_task_cell, number (row->step->KIND##_max_task, out))
TASK_CELLS (rss)
TASK_CELLS (vm)
TASK_CELLS (read)
TASK_CELLS (write)
TASK_CELLS (page)
TASK_CELL (min_cpu_cell, lk_word_long_duration (row->step->cpu_min_us, out))
TASK_CELL (min_cpu_node_cell, node_name (row->step, row->step->cpu_min_node, out))
TASK_CELL (min_cpu_task_cell, number (row->step->cpu_min_task, out))
TASK_CELL (max_vm_cell, rss (report, row->step->vm_max_bytes, out))
TASK_CELL (mean_vm_cell, rss (report, row->step->vm_sum_bytes / row->step->counted_tasks, out))
TASK_CELL (max_pages_cell, number (row->step->page_max_count, out))
TASK_CELL (mean_pages_cell, number (row->step->page_sum_count / row->step->counted_tasks, out))

/* MiB with two digits, as Slurm tells what went to files. */
static void
traffic (gint64 bytes, GString *out)
{
  lk_table_real (out, (double)bytes / (KIB_BYTES * KIB_BYTES), 2);
  g_string_append_c (out, 'M');
}

TASK_CELL (max_read_cell, traffic (row->step->read_max_bytes, out))
TASK_CELL (mean_read_cell, traffic (row->step->read_sum_bytes / row->step->counted_tasks, out))
TASK_CELL (max_write_cell, traffic (row->step->write_max_bytes, out))
TASK_CELL (mean_write_cell, traffic (row->step->write_sum_bytes / row->step->counted_tasks, out))

/* ---------------------------------------------------------------- CPU time */

/* "00:01.500", "01:00:00", "1-00:00:00": with thousandths as long as it is short. */
static void
cpu_time (gint64 time_us, GString *out)
{
  gint64 whole_s = time_us / SECOND_US;
  if (whole_s >= 3600)
    lk_word_long_duration (time_us, out);
  else
    g_string_append_printf (out, "%02d:%02d.%03d", (int)(whole_s / 60), (int)(whole_s % 60),
                            (int)(time_us % SECOND_US / 1000));
}

CELL (user_cpu_cell, cpu_time (row->job->usage.user_cpu_us, out))
CELL (system_cpu_cell, cpu_time (row->job->usage.system_cpu_us, out))
CELL (total_cpu_cell, cpu_time (row->job->usage.user_cpu_us + row->job->usage.system_cpu_us, out))
STEP_CELL (mean_cpu_cell,
           lk_word_long_duration ((row->job->usage.user_cpu_us + row->job->usage.system_cpu_us)
                                      / (row->step != NULL ? row->job->usage.node_count : 1),
                                  out))

static gint64
cpu_s (const LkSacctReport *report, const LkSacctRow *row)
{
  const LkAccountingJob *job = &row->job->job;
  return elapsed_s (report, row) * (row->is_batch ? job->batch_cpus : job->cpus);
}

CELL (cpu_time_cell, lk_word_long_duration (cpu_s (report, row) * SECOND_US, out))
CELL (cpu_raw_cell, number (cpu_s (report, row), out))

/* Of all nodes, or of the one with the most. */
static void
usage (const LkSacctReport *report, const LkSacctRow *row, gboolean is_max, GString *out)
{
  const LkSacctUsage *used = &row->job->usage;
  gint64 gpu_bytes = is_max ? used->max_gpu_memory_bytes : used->sum_gpu_memory_bytes;
  gint64 gpu_percent = is_max ? used->max_gpu_percent : used->sum_gpu_percent;
  if (!row->is_batch || used->node_count == 0)
    return;
  g_string_append (out, "cpu=");
  lk_word_long_duration (used->user_cpu_us + used->system_cpu_us, out);
  if (used->max_gpu_memory_bytes > 0 || used->max_gpu_percent > 0) {
    g_string_append (out, ",gres/gpumem=");
    rss (report, gpu_bytes, out);
    g_string_append_printf (out, ",gres/gpuutil=%" G_GINT64_FORMAT, gpu_percent);
  }
  g_string_append (out, ",mem=");
  rss (report, is_max ? used->max_rss_bytes : used->sum_rss_bytes, out);
}

/* Of a script that of its nodes, of which it has one. */
static void
any_usage (const LkSacctReport *report, const LkSacctRow *row, LkSacctUse which, GString *out)
{
  if (row->step != NULL)
    lk_sacct_step_use (row->step, which, out);
  else
    usage (report, row, which == LK_SACCT_USE_MAX, out);
}

CELL (usage_total_cell, any_usage (report, row, LK_SACCT_USE_TOTAL, out))
CELL (usage_mean_cell, any_usage (report, row, LK_SACCT_USE_MEAN, out))
CELL (usage_max_cell, any_usage (report, row, LK_SACCT_USE_MAX, out))
TASK_CELL (usage_tasks_cell, lk_sacct_step_tasks (row->step, out))
TASK_CELL (usage_nodes_cell, lk_sacct_step_nodes (row->step, out))
TASK_CELL (usage_min_cell, g_string_append (out, "cpu=");
           lk_word_long_duration (row->step->cpu_min_us, out))
TASK_CELL (usage_min_task_cell, g_string_append (out, "cpu=");
           number (row->step->cpu_min_task, out))
TASK_CELL (usage_min_node_cell, g_string_append (out, "cpu=");
           node_name (row->step, row->step->cpu_min_node, out))
TASK_CELL (written_total_cell, lk_sacct_step_written (row->step, LK_SACCT_USE_TOTAL, out))
TASK_CELL (written_mean_cell, lk_sacct_step_written (row->step, LK_SACCT_USE_MEAN, out))
TASK_CELL (written_max_cell, lk_sacct_step_written (row->step, LK_SACCT_USE_MAX, out))
TASK_CELL (written_task_cell, g_string_append (out, "fs/disk=");
           number (row->step->write_max_task, out))
TASK_CELL (written_node_cell, g_string_append (out, "fs/disk=");
           node_name (row->step, row->step->write_max_node, out))

/* ---------------------------------------------------------------- the table */

const LkField lk_sacct_fields[] = {
  { "Account", NULL, 10, account_cell },
  { "AdminComment", NULL, 15, admin_comment_cell },
  { "AllocCPUS", NULL, 10, cpus_cell },
  { "AllocNodes", NULL, 10, held_nodes_cell },
  { "AllocTRES", NULL, 10, tres_cell },
  { "AssocID", NULL, 7, association_cell },
  { "AveCPU", NULL, 10, mean_cpu_cell },
  { "AveCPUFreq", NULL, 10, empty_cell },
  { "AveDiskRead", NULL, 14, mean_read_cell },
  { "AveDiskWrite", NULL, 14, mean_write_cell },
  { "AvePages", NULL, 10, mean_pages_cell },
  { "AveRSS", NULL, 10, mean_rss_cell },
  { "AveVMSize", NULL, 10, mean_vm_cell },
  { "BlockID", NULL, 16, empty_cell },
  { "Cluster", NULL, 10, cluster_cell },
  { "Comment", NULL, 14, comment_cell },
  { "Constraints", NULL, 19, constraints_cell },
  { "ConsumedEnergy", NULL, 14, empty_cell },
  { "ConsumedEnergyRaw", NULL, 17, empty_cell },
  { "Container", NULL, 19, empty_cell },
  { "CPUTime", NULL, 10, cpu_time_cell },
  { "CPUTimeRAW", NULL, 10, cpu_raw_cell },
  { "DBIndex", NULL, -21, empty_cell },
  { "DerivedExitCode", NULL, 15, derived_cell },
  { "Elapsed", NULL, 10, elapsed_cell },
  { "ElapsedRaw", NULL, 10, elapsed_raw_cell },
  { "Eligible", NULL, 19, eligible_cell },
  { "End", NULL, 19, end_cell },
  { "Exclusive", NULL, 14, empty_cell },
  { "ExitCode", NULL, 8, exit_cell },
  { "Extra", NULL, 14, empty_cell },
  { "FailedNode", NULL, 8, empty_cell },
  { "Flags", NULL, 19, flags_cell },
  { "GID", NULL, 6, group_id_cell },
  { "Group", NULL, 9, group_cell },
  { "JobID", NULL, -12, label_cell },
  { "JobIDRaw", NULL, -12, raw_cell },
  { "JobName", NULL, 10, name_cell },
  { "Layout", NULL, 9, layout_cell },
  { "Licenses", NULL, 10, licenses_cell },
  { "MaxDiskRead", NULL, 12, max_read_cell },
  { "MaxDiskReadNode", NULL, 15, read_node_cell },
  { "MaxDiskReadTask", NULL, 15, read_task_cell },
  { "MaxDiskWrite", NULL, 12, max_write_cell },
  { "MaxDiskWriteNode", NULL, 16, write_node_cell },
  { "MaxDiskWriteTask", NULL, 16, write_task_cell },
  { "MaxPages", NULL, 8, max_pages_cell },
  { "MaxPagesNode", NULL, 12, page_node_cell },
  { "MaxPagesTask", NULL, 14, page_task_cell },
  { "MaxRSS", NULL, 10, max_rss_cell },
  { "MaxRSSNode", NULL, 10, rss_node_cell },
  { "MaxRSSTask", NULL, 10, rss_task_cell },
  { "MaxVMSize", NULL, 10, max_vm_cell },
  { "MaxVMSizeNode", NULL, 14, vm_node_cell },
  { "MaxVMSizeTask", NULL, 14, vm_task_cell },
  { "McsLabel", NULL, 12, empty_cell },
  { "MinCPU", NULL, 10, min_cpu_cell },
  { "MinCPUNode", NULL, 10, min_cpu_node_cell },
  { "MinCPUTask", NULL, 10, min_cpu_task_cell },
  { "NCPUS", NULL, 10, cpus_cell },
  { "NNodes", NULL, 8, nodes_cell },
  { "NodeList", NULL, 15, node_list_cell },
  { "NTasks", NULL, 8, tasks_cell },
  { "OriginalSLUID", NULL, 14, empty_cell },
  { "OverSubscribe", NULL, 14, empty_cell },
  { "Partition", NULL, 10, partition_cell },
  { "Planned", NULL, 10, planned_cell },
  { "PlannedCPU", NULL, 10, planned_cpu_cell },
  { "PlannedCPURAW", NULL, 13, planned_cpu_raw_cell },
  { "Priority", NULL, 10, priority_cell },
  { "QOS", NULL, 10, qos_cell },
  { "QOSRAW", NULL, 6, qos_id_cell },
  { "QOSREQ", NULL, 10, asked_qos_cell },
  { "Reason", NULL, 22, reason_cell },
  { "ReqCPUFreq", NULL, 10, empty_cell },
  { "ReqCPUFreqGov", NULL, 13, empty_cell },
  { "ReqCPUFreqMax", NULL, 13, empty_cell },
  { "ReqCPUFreqMin", NULL, 13, empty_cell },
  { "ReqCPUS", NULL, 8, asked_cpus_cell },
  { "ReqMem", NULL, 10, asked_memory_cell },
  { "ReqNodes", NULL, 8, asked_nodes_cell },
  { "ReqTRES", NULL, 10, asked_tres_cell },
  { "Reservation", NULL, 20, reservation_cell },
  { "ReservationId", NULL, 8, empty_cell },
  { "ReqReservation", NULL, 20, reservation_cell },
  { "Restarts", NULL, 8, restarts_cell },
  { "SegmentSize", NULL, 11, empty_cell },
  { "SLUID", NULL, 14, sluid_cell },
  { "Start", NULL, 19, start_cell },
  { "State", NULL, 10, state_cell },
  { "StdErr", NULL, 20, std_err_cell },
  { "StdIn", NULL, 20, std_in_cell },
  { "StdOut", NULL, 20, std_out_cell },
  { "Submit", NULL, 19, submit_cell },
  { "SubmitLine", NULL, 20, submit_line_cell },
  { "Suspended", NULL, 10, suspended_cell },
  { "SystemComment", NULL, 15, empty_cell },
  { "SystemCPU", NULL, 10, system_cpu_cell },
  { "Timelimit", NULL, 10, limit_cell },
  { "TimelimitRaw", NULL, 10, limit_raw_cell },
  { "TotalCPU", NULL, 10, total_cpu_cell },
  { "TRESUsageInAve", NULL, 14, usage_mean_cell },
  { "TRESUsageInMax", NULL, 14, usage_max_cell },
  { "TRESUsageInMaxNode", NULL, 18, usage_nodes_cell },
  { "TRESUsageInMaxTask", NULL, 18, usage_tasks_cell },
  { "TRESUsageInMin", NULL, 14, usage_min_cell },
  { "TRESUsageInMinNode", NULL, 18, usage_min_node_cell },
  { "TRESUsageInMinTask", NULL, 18, usage_min_task_cell },
  { "TRESUsageInTot", NULL, 14, usage_total_cell },
  { "TRESUsageOutAve", NULL, 15, written_mean_cell },
  { "TRESUsageOutMax", NULL, 15, written_max_cell },
  { "TRESUsageOutMaxNode", NULL, 19, written_node_cell },
  { "TRESUsageOutMaxTask", NULL, 19, written_task_cell },
  { "TRESUsageOutMin", NULL, 15, empty_cell },
  { "TRESUsageOutMinNode", NULL, 19, empty_cell },
  { "TRESUsageOutMinTask", NULL, 19, empty_cell },
  { "TRESUsageOutTot", NULL, 15, written_total_cell },
  { "UID", NULL, 6, user_id_cell },
  { "User", NULL, 9, user_cell },
  { "UserCPU", NULL, 10, user_cpu_cell },
  { "WCKey", NULL, 10, wckey_cell },
  { "WCKeyID", NULL, 10, empty_cell },
  { "WorkDir", NULL, 20, work_dir_cell },
  { NULL, NULL, 0, NULL },
};
