/* live/client/queue/squeue_more.c — see the header.
 *
 * What a cluster of ours never has is told as Slurm tells it of a job that has none: "(null)",
 * "N/A", "NA" or 0, which of them Slurm has per column (src/squeue/print.c). */
#include "live/client/queue/squeue_more.h"

#include "live/client/queue/squeue.h"
#include "live/client/words.h"

static const LkJobRow *
row_of (gconstpointer user)
{
  return user;
}

static const LkSqueueReport *
report_of (gconstpointer report)
{
  return report;
}

#define CELL(NAME, ...)                                                                            \
  void NAME (gconstpointer report, gconstpointer row, GString *out)                                \
  {                                                                                                \
    const LkRecord_job *job = &row_of (row)->job;                                                  \
    const LkClient *client = report_of (report)->client;                                           \
    (void)job;                                                                                     \
    (void)client;                                                                                  \
    __VA_ARGS__;                                                                                   \
  }

/* ---------------------------------------------------------------- what there is not */

CELL (lk_squeue_null_cell, g_string_append (out, "(null)"))
CELL (lk_squeue_not_cell, g_string_append (out, "N/A"))
CELL (lk_squeue_na_cell, g_string_append (out, "NA"))
CELL (lk_squeue_no_cell, g_string_append (out, "No"))
CELL (lk_squeue_zero_cell, g_string_append_c (out, '0'))

/* ---------------------------------------------------------------- counts */

static void
append_count (guint32 count, GString *out)
{
  if (count != 0)
    lk_word_number (count, out);
  else
    g_string_append (out, "N/A");
}

CELL (lk_squeue_cpus_per_task_cell, append_count (job->cpus_per_task, out))
CELL (lk_squeue_segment_cell, append_count (job->segment_nodes, out))
CELL (lk_squeue_tasks_per_socket_cell, append_count (job->tasks_per_socket, out))
CELL (lk_squeue_tasks_per_node_cell, lk_word_number (job->tasks_per_node, out))
CELL (lk_squeue_tasks_cell, lk_word_number (MAX (MAX (1, job->nodes_min), job->tasks), out))
CELL (lk_squeue_switches_cell, lk_word_number (job->switches, out))
CELL (lk_squeue_cpus_max_cell, lk_word_number (job->cpus, out))
CELL (lk_squeue_nodes_max_cell,
      lk_word_number (job->nodes_max != 0 ? job->nodes_max : job->nodes, out))
CELL (lk_squeue_batch_flag_cell, g_string_append_c (out, '1'))
CELL (lk_squeue_het_id_cell, append_count (job->het_leader, out))

void
lk_squeue_het_offset_cell (gconstpointer report, gconstpointer row, GString *out)
{
  const LkRecord_job *job = &row_of (row)->job;
  (void)report;
  if (job->het_leader == 0)
    g_string_append (out, "N/A");
  else
    lk_word_number (job->het_offset, out);
}

CELL (lk_squeue_association_cell, lk_word_number (job->association_id, out))
CELL (lk_squeue_requeue_cell,
      g_string_append_c (out, lk_job_row_may_requeue (row_of (row)) ? '1' : '0'))

/* Slurm's words: "12-14" are all the components. */
void
lk_squeue_het_set_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const LkJobRow *row = row_of (user);
  (void)report;
  if (row->job.het_leader == 0)
    g_string_append (out, "N/A");
  else
    lk_job_row_components (row, out);
}

/* ---------------------------------------------------------------- moments */

CELL (lk_squeue_no_time_cell, g_string_append (out, "0:00"))
CELL (lk_squeue_looked_cell,
      lk_word_time (client, lk_job_row_looked_us (row_of (row), client->now_us), "N/A", out))

CELL (lk_squeue_eligible_cell, lk_word_time (client, job->eligible_us, "N/A", out))
CELL (lk_squeue_deadline_cell, lk_word_time (client, job->deadline_us, "N/A", out))
CELL (lk_squeue_time_min_cell, lk_table_duration (job->time_min_us, out))
CELL (lk_squeue_switches_wait_cell, lk_table_duration (job->switches_wait_us, out))

/* Seconds from its submission to its start, or until now. */
void
lk_squeue_pending_cell (gconstpointer report, gconstpointer row, GString *out)
{
  const LkRecord_job *job = &row_of (row)->job;
  gint64 end_us = report_of (report)->now_us;
  if (job->start_us != 0 && job->start_us < end_us)
    end_us = job->start_us;
  lk_word_number (end_us / G_USEC_PER_SEC - job->submit_us / G_USEC_PER_SEC, out);
}

/* ---------------------------------------------------------------- TRES */

/* "gpu:2" as "gres/gpu:2", "2" as "gres/gpu:2". */
static void
append_gpus (LkText gpus, GString *out)
{
  if (gpus.length_bytes == 0) {
    g_string_append (out, "N/A");
    return;
  }
  for (guint i = 0; i < gpus.length_bytes; i++) {
    if (i == 0 || gpus.bytes[i - 1] == ',')
      g_string_append (out, "gres/gpu:");
    g_string_append_c (out, gpus.bytes[i]);
  }
}

CELL (lk_squeue_tres_per_job_cell, append_gpus (job->gpus, out))
CELL (lk_squeue_tres_per_socket_cell, append_gpus (job->gpus_per_socket, out))
CELL (lk_squeue_tres_per_task_cell, append_gpus (job->gpus_per_task, out))

void
lk_squeue_cpus_per_tres_cell (gconstpointer report, gconstpointer row, GString *out)
{
  guint32 count = row_of (row)->job.cpus_per_gpu;
  (void)report;
  if (count != 0)
    g_string_append (out, "gres/gpu:");
  append_count (count, out);
}

void
lk_squeue_memory_per_tres_cell (gconstpointer report, gconstpointer row, GString *out)
{
  gint64 bytes = row_of (row)->job.memory_per_gpu_bytes;
  (void)report;
  if (bytes != 0)
    g_string_append_printf (out, "gres/gpu:%" G_GINT64_FORMAT, bytes / (1024 * 1024));
  else
    g_string_append (out, "N/A");
}

/* ---------------------------------------------------------------- the rest */

CELL (lk_squeue_profile_cell, g_string_append (out, "NotSet"))
CELL (lk_squeue_admin_comment_cell, lk_word_text (job->admin_comment, "(null)", out))
CELL (lk_squeue_derived_cell,
      g_string_append_printf (out, "%u:%u", job->derived_exit_code, job->derived_signal))
CELL (lk_squeue_submit_host_cell, lk_word_text (row_of (row)->batch->submit_host, "(null)", out))
CELL (lk_squeue_cluster_cell, g_string_append (out, report_of (report)->cluster))
CELL (lk_squeue_licenses_held_cell,
      lk_word_text (lk_job_row_has_started (row_of (row)) ? job->licenses : (LkText){ 0 }, "(null)",
                    out))

void
lk_squeue_exclusive_cell (gconstpointer report, gconstpointer row, GString *out)
{
  guint32 flags = row_of (row)->job.flags;
  (void)report;
  g_string_append (out, (flags & LK_REQUEST_EXCLUSIVE_USER) != 0 ? "USER"
                        : (flags & LK_REQUEST_EXCLUSIVE) != 0    ? "NODE"
                                                                 : "NO");
}

CELL (lk_squeue_sluid_cell, lk_word_sluid (job->submit_us, job->job_id, out))
