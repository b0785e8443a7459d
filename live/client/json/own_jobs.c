/* live/client/json/own_jobs.c — see the header. */
#include "live/client/json/own_jobs.h"

#include "engine/job_shown.h"
#include "live/client/job_row.h"
#include "live/client/json/job_place.h"
#include "live/client/json/put.h"
#include "live/client/json/shapes.h"

/* Since it was submitted, until it started or now. */
static gint64
wait_us (const LkJobRow *row, gint64 now_us)
{
  const LkRecord_job *job = &row->job;
  gint64 until_us = lk_job_row_has_started (row)       ? job->start_us
                    : lk_job_state_is_end (job->state) ? job->end_us
                                                       : now_us;
  return until_us == G_MAXINT64 ? 0 : MAX (until_us - job->submit_us, 0);
}

static void
put_file (GString *out, const LkJobRow *row, LkJobFile file)
{
  gsize before = out->len;
  lk_job_file_put (out, row, file, TRUE);
  if (out->len == before + strlen ("\"\"")) {
    g_string_truncate (out, before);
    g_string_append (out, "null");
  }
}

#define TEXT(text) lk_put_bytes (out, (text).bytes, (text).length_bytes)
#define TEXT_OR_NULL(text) lk_put_bytes_or_null (out, (text).bytes, (text).length_bytes)
#define LIST(text) lk_put_list (out, (text).bytes, (text).length_bytes, ',')
#define COUNT(value) lk_put_count (out, value)
#define COUNT_IF(is_there, value) lk_put_count_or_null (out, is_there, value)
#define MOMENT(time_us) COUNT_IF ((time_us) != G_MAXINT64 && (time_us) != 0, time_us)
#define SECONDS(duration_us) COUNT ((duration_us) / G_USEC_PER_SEC)
#define IS_TASK (job->array_job_id != 0 && job->array_task != G_MAXUINT32)
#define IS_OVER lk_job_state_is_end (job->state)
#define NOW_US lk_job_places_now_us (places)

/* X (path of the member and name of what puts it, what does). */
#define JOB_MEMBERS(X)                                                                             \
  X (job_id, COUNT (job->job_id))                                                                  \
  X (array_job_id, COUNT_IF (job->array_job_id != 0, job->array_job_id))                           \
  X (array_task, COUNT_IF (IS_TASK, job->array_task))                                              \
  X (array_tasks, TEXT_OR_NULL (job->array_tasks))                                                 \
  X (het_leader_id, COUNT_IF (job->het_leader != 0, job->het_leader))                              \
  X (het_offset, COUNT_IF (job->het_leader != 0, job->het_offset))                                 \
  X (name, TEXT (job->name))                                                                       \
  X (user, lk_put_string (out, row->user))                                                         \
  X (user_id, COUNT (job->user_id))                                                                \
  X (group, lk_put_string (out, row->group))                                                       \
  X (group_id, COUNT (job->group_id))                                                              \
  X (account, TEXT (job->account_name))                                                            \
  X (qos, TEXT (job->qos_name))                                                                    \
  X (partitions, LIST (job->partitions))                                                           \
  X (reservations, LIST (job->reservations))                                                       \
  X (comment, TEXT_OR_NULL (job->comment))                                                         \
  X (state, lk_put_string (out, lk_job_state_name (job->state)))                                   \
  X (is_completing, lk_put_flag (out, job->is_completing != 0))                                    \
  X (is_stopped, lk_put_flag (out, lk_job_state_shown (job->state, job->is_sigstopped != 0)        \
                                       == LK_JOB_STOPPED))                                         \
  X (reason, put_reason (out, job, lk_reason_word (job->reason)))                                  \
  X (why, put_reason (out, job, lk_reason_text (job->reason)))                                     \
  X (dependency_left, TEXT_OR_NULL (job->dependency_left))                                         \
  X (priority, COUNT_IF (job->has_priority != 0, job->priority_now))                               \
  X (nice, COUNT (job->nice))                                                                      \
  X (restart_count, COUNT (job->restarts))                                                         \
  X (submit_us, COUNT (job->submit_us))                                                            \
  X (eligible_us, MOMENT (job->eligible_us))                                                       \
  X (start_us, MOMENT (job->start_us))                                                             \
  X (end_us, MOMENT (job->end_us))                                                                 \
  X (is_start_planned,                                                                             \
     lk_put_flag (out, !lk_job_row_has_started (row) && !IS_OVER && job->start_us != G_MAXINT64    \
                           && job->start_us != 0))                                                 \
  X (deadline_us, MOMENT (job->deadline_us))                                                       \
  X (time_limit_s, COUNT_IF (job->limit_us != G_MAXINT64, job->limit_us / G_USEC_PER_SEC))         \
  X (time_min_s, COUNT_IF (job->time_min_us != 0, job->time_min_us / G_USEC_PER_SEC))              \
  X (wait_s, SECONDS (wait_us (row, NOW_US)))                                                      \
  X (run_s, SECONDS (lk_job_row_used_us (row, NOW_US)))                                            \
  X (suspended_s, SECONDS (lk_job_row_suspended_us (row, NOW_US)))                                 \
  X (exit_code, COUNT_IF (IS_OVER, job->exit_code))                                                \
  X (signal, COUNT_IF (IS_OVER && job->signal != 0, job->signal))                                  \
  X (node_count, COUNT (job->nodes))                                                               \
  X (cpu_count, COUNT (job->cpus))                                                                 \
  X (task_count, COUNT_IF (job->tasks != 0, job->tasks))                                           \
  X (cpus_per_task, COUNT_IF (job->cpus_per_task != 0, job->cpus_per_task))                        \
  X (memory_per_node_bytes, COUNT_IF (job->is_memory_per_cpu == 0, job->memory_now_bytes))         \
  X (memory_per_cpu_bytes, COUNT_IF (job->is_memory_per_cpu != 0, job->memory_now_bytes))          \
  X (asked_tres, TEXT_OR_NULL (job->asked_tres))                                                   \
  X (held_tres, TEXT_OR_NULL (job->held_tres))                                                     \
  X (gres_per_node, TEXT_OR_NULL (job->gres))                                                      \
  X (gpus, TEXT_OR_NULL (job->gpus))                                                               \
  X (licenses, TEXT_OR_NULL (job->licenses))                                                       \
  X (constraint, TEXT_OR_NULL (job->constraint))                                                   \
  X (node_list, TEXT_OR_NULL (job->node_names))                                                    \
  X (planned_node_list, TEXT_OR_NULL (job->planned_nodes))                                         \
  X (wanted_node_list, TEXT_OR_NULL (job->node_list))                                              \
  X (excluded_node_list, TEXT_OR_NULL (job->exclude))                                              \
  X (run_id, COUNT_IF (job->run_id != 0, (gint64)job->run_id))                                     \
  X (cores, TEXT_OR_NULL (job->cores))                                                             \
  X (devices, TEXT_OR_NULL (job->devices))                                                         \
  X (command, TEXT_OR_NULL (batch->command))                                                       \
  X (submit_line, TEXT_OR_NULL (batch->submit_line))                                               \
  X (work_dir, TEXT_OR_NULL (batch->work_dir))                                                     \
  X (stdin_file, put_file (out, row, LK_JOB_STDIN))                                                \
  X (stdout_file, put_file (out, row, LK_JOB_STDOUT))                                              \
  X (stderr_file, put_file (out, row, LK_JOB_STDERR))                                              \
  X (submit_host, TEXT_OR_NULL (batch->submit_host))

/* Of one that does not wait there is none. */
static void
put_reason (GString *out, const LkRecord_job *job, const char *text)
{
  if (strcmp (text, "None") == 0 || job->state == LK_JOB_RUNNING)
    g_string_append (out, "null");
  else
    lk_put_string (out, text);
}

#define X(name, what)                                                                              \
  static void member_##name (GString *out, gconstpointer report, gconstpointer given)              \
  {                                                                                                \
    const LkJobPlaces *places = report;                                                            \
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

#define X(name, what) { #name, member_##name },
static const LkShapeMember members[] = { JOB_MEMBERS (X){ NULL, NULL } };
#undef X

const LkJsonKind lk_json_own_jobs = { "jobs", lk_shape_own_job, members };
