/* live/client/json/accounting.c — runs of jobs, in the shapes of data_parser and in our own. */
#include "live/client/json/accounting.h"

#include "engine/codec.h"
#include "engine/hostlist.h"
#include "engine/job_shown.h"
#include "live/client/json/put.h"
#include "live/client/json/shapes.h"
#include "live/client/names.h"

#define MINUTE_US (60 * (gint64)G_USEC_PER_SEC)
#define STRING(text) lk_put_string (out, text)
#define COUNT(value) lk_put_count (out, value)
#define NUMBER(is_set, value) lk_put_number (out, is_set, value)
#define SECONDS(time_us) COUNT ((time_us) / G_USEC_PER_SEC)

/* ---------------------------------------------------------------- use */

gint64
lk_sacct_tres_amount (const char *list, const char *name)
{
  static const char units[] = "KMGTPE";
  gsize length = strlen (name);
  for (const char *at = list; at != NULL; at = strchr (at, ',')) {
    at += *at == ',' ? 1 : 0;
    if (strncmp (at, name, length) != 0 || at[length] != '=')
      continue;
    char *end;
    double value = g_ascii_strtod (at + length + 1, &end);
    const char *unit = *end != '\0' ? strchr (units, *end) : NULL;
    for (long i = unit != NULL ? unit - units + 1 : 0; i > 0; i--)
      value *= 1024;
    return (gint64)value;
  }
  return 0;
}

double
lk_sacct_cpu_percent (const LkSacctJob *row, gint64 now_us)
{
  double held_us = (double)lk_sacct_elapsed_us (row, now_us) * (double)row->job.cpus;
  if (row->usage.node_count == 0 || held_us <= 0)
    return -1;
  return 100.0 * (double)(row->usage.user_cpu_us + row->usage.system_cpu_us) / held_us;
}

double
lk_sacct_memory_percent (const LkSacctJob *row)
{
  gint64 held_bytes = lk_sacct_tres_amount (row->job.allocated_tres, "mem");
  if (row->usage.node_count == 0 || held_bytes <= 0)
    return -1;
  return 100.0 * (double)row->usage.sum_rss_bytes / (double)held_bytes;
}

/* ---------------------------------------------------------------- parts of more than a line */

static void
put_exit_code (GString *out, const LkAccountingJob *job)
{
  g_string_append_printf (out, "{\"status\":[\"%s\"],\"return_code\":",
                          job->end_us == 0     ? "PENDING"
                          : job->signal != 0   ? "SIGNALED"
                          : job->exit_code > 0 ? "ERROR"
                                               : "SUCCESS");
  NUMBER (job->end_us != 0, job->exit_code);
  g_string_append (out, ",\"signal\":{\"id\":");
  NUMBER (job->signal != 0, job->signal);
  g_string_append (out, ",\"name\":\"\"}}");
}

/* Of its steps, as far as they have ended. */
static void
put_derived (GString *out, const LkSacctJob *row)
{
  LkAccountingJob job = row->job;
  lk_sacct_derived (row, &job.exit_code, &job.signal);
  put_exit_code (out, &job);
}

static void
put_file (GString *out, const LkSacctJob *row, LkSacctFile which, gboolean is_expanded)
{
  g_autofree char *name = lk_sacct_file (row, which, is_expanded);
  STRING (name);
}

static void
put_cpu_time (GString *out, gint64 time_us)
{
  g_string_append_printf (
      out, "{\"seconds\":%" G_GINT64_FORMAT ",\"microseconds\":%" G_GINT64_FORMAT "}",
      time_us / G_USEC_PER_SEC, time_us % G_USEC_PER_SEC);
}

static void
put_limit (GString *out, gint64 limit_us)
{
  if (limit_us == G_MAXINT64)
    lk_put_endless (out);
  else
    NUMBER (TRUE, limit_us / MINUTE_US);
}

static void
put_ender (GString *out, const LkAccountingJob *job)
{
  LkNames names;
  lk_names_init (&names);
  STRING (job->is_user_ended != 0 ? lk_names_user (&names, (guint32)job->ender_id) : "");
  lk_names_clear (&names);
}

static void
put_flags (GString *out, const LkAccountingJob *job)
{
  lk_put_word (out, job->run_id == 0          ? "NONE"
                    : job->is_backfilled != 0 ? "STARTED_ON_BACKFILL"
                                              : "STARTED_ON_SCHEDULE");
}

/* Between its submission and its start, or its end, or now. */
static gint64
wait_us (const LkAccountingJob *job, gint64 now_us)
{
  gint64 until_us = job->start_us != 0 ? job->start_us : job->end_us != 0 ? job->end_us : now_us;
  return MAX (until_us - job->submit_us, 0);
}

static gint64
asked_memory_mib (const LkAccountingJob *job)
{
  return lk_sacct_tres_amount (job->asked_tres, "mem") / MAX (1, job->asked_nodes) >> 20;
}

/* ---------------------------------------------------------------- steps */

/* Of the script's its first node. */
static void
put_nodes (GString *out, const LkSacctRow *line, gboolean is_list)
{
  const char *list = line->step != NULL ? line->step->node_list : line->job->job.node_list;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  lk_hostlist_expand (list, strlen (list), names, NULL);
  if (line->step != NULL && !is_list) {
    STRING (list);
    return;
  }
  guint count = line->step != NULL ? names->len : MIN (names->len, 1);
  if (!is_list) {
    STRING (count > 0 ? g_ptr_array_index (names, 0) : "");
    return;
  }
  g_string_append_c (out, '[');
  for (guint i = 0; i < count; i++) {
    g_string_append (out, i > 0 ? "," : "");
    STRING (g_ptr_array_index (names, i));
  }
  g_string_append_c (out, ']');
}

static void
put_used (GString *out, gint64 cpu_us, gint64 memory_bytes)
{
  g_string_append_printf (out,
                          "[{\"type\":\"cpu\",\"name\":\"\",\"id\":1,\"count\":%" G_GINT64_FORMAT
                          "},{\"type\":\"mem\",\"name\":\"\",\"id\":2,\"count\":%" G_GINT64_FORMAT
                          "}]",
                          cpu_us / 1000, memory_bytes);
}

static void
put_step_state (GString *out, const LkSacctRow *line)
{
  g_autoptr (GString) word = g_string_new (NULL);
  lk_sacct_state (line, word);
  lk_put_list (out, word->str, strcspn (word->str, " "), '\0');
}

static void
put_step_id (GString *out, const LkSacctRow *line)
{
  if (line->step != NULL)
    g_string_append_printf (out, "\"%" G_GINT64_FORMAT ".%" G_GINT64_FORMAT "\"",
                            line->job->job.job_id, line->step->step_id);
  else
    g_string_append_printf (out, "\"%" G_GINT64_FORMAT ".batch\"", line->job->job.job_id);
}

static const char *
distribution_of (const LkSacctRow *line)
{
  static const char *const words[] = { "Block", "Block", "Cyclic", "Plane", "Arbitrary", "Block" };
  if (line->step == NULL)
    return "Unknown";
  return words[MIN ((guint64)line->step->distribution, G_N_ELEMENTS (words) - 1)];
}

static void
put_step_tres (GString *out, const LkSacctRow *line)
{
  const LkAccountingJob *job = &line->job->job;
  g_autoptr (GString) list = g_string_new (line->step != NULL ? line->step->allocated_tres : "");
  if (line->step == NULL)
    g_string_printf (
        list, "cpu=%" G_GINT64_FORMAT ",mem=%" G_GINT64_FORMAT "M,node=1", job->batch_cpus,
        (lk_sacct_tres_amount (job->allocated_tres, "mem") >> 20) / MAX (1, job->nodes));
  lk_put_tres (out, list->str);
}

/* In the mean of its tasks, of which the one node's are the one that is known of a script. */
static gint64
mean_of (const LkSacctRow *line, gint64 sum)
{
  return line->step != NULL ? sum / MAX (1, line->step->counted_tasks) : sum;
}

#define CPU_US (used->user_cpu_us + used->system_cpu_us)
#define STEP_MEMBERS(X)                                                                            \
  X (elapsed, "time.elapsed", SECONDS (lk_sacct_elapsed_us (row, now_us)))                         \
  X (end, "time.end", NUMBER (job->end_us != 0, job->end_us / G_USEC_PER_SEC))                     \
  X (start, "time.start", NUMBER (TRUE, job->start_us / G_USEC_PER_SEC))                           \
  X (suspended, "time.suspended", SECONDS (lk_sacct_suspended_us (row, now_us)))                   \
  X (system, "time.system", put_cpu_time (out, used->system_cpu_us))                               \
  X (total, "time.total", put_cpu_time (out, used->user_cpu_us + used->system_cpu_us))             \
  X (user, "time.user", put_cpu_time (out, used->user_cpu_us))                                     \
  X (exit_code, "exit_code", put_exit_code (out, job))                                             \
  X (count, "nodes.count", COUNT (line->step != NULL ? line->step->nodes : 1))                     \
  X (range, "nodes.range", put_nodes (out, line, FALSE))                                           \
  X (list, "nodes.list", put_nodes (out, line, TRUE))                                              \
  X (tasks, "tasks.count", COUNT (line->step != NULL ? line->step->tasks : 1))                     \
  X (ender, "kill_request_user", put_ender (out, job))                                             \
  X (state, "state", put_step_state (out, line))                                                   \
  X (id, "step.id", put_step_id (out, line))                                                       \
  X (name, "step.name", STRING (line->step != NULL ? line->step->name : "batch"))                  \
  X (layout, "task.distribution", STRING (distribution_of (line)))                                 \
  X (most, "tres.requested.max", put_used (out, CPU_US, used->max_rss_bytes))                      \
  X (least, "tres.requested.min",                                                                  \
     put_used (out, line->step != NULL ? line->step->cpu_min_us : CPU_US, used->max_rss_bytes))    \
  X (average, "tres.requested.average",                                                            \
     put_used (out, mean_of (line, CPU_US),                                                        \
               line->step != NULL ? mean_of (line, used->sum_rss_bytes) : used->max_rss_bytes))    \
  X (sum, "tres.requested.total", put_used (out, CPU_US, used->sum_rss_bytes))                     \
  X (line, "submit_line", STRING (line->step != NULL ? line->step->submit_line : ""))              \
  X (allocated, "tres.allocated", put_step_tres (out, line))

/* ---------------------------------------------------------------- the job */

static void put_steps (GString *out, const LkSacctReport *report, const LkSacctJob *row);

#define JOB_MEMBERS(X)                                                                             \
  X (account, "account", STRING (job->account))                                                    \
  X (admin_comment, "comment.administrator", STRING (job->admin_comment))                          \
  X (comment, "comment.job", STRING (job->comment))                                                \
  X (nodes_held, "allocation_nodes", COUNT (job->nodes))                                           \
  X (array_job, "array.job_id", COUNT (job->array_job_id))                                         \
  X (array_task, "array.task_id", NUMBER (job->array_task >= 0, job->array_task))                  \
  X (array_tasks, "array.task", STRING (job->array_tasks))                                         \
  X (owner_account, "association.account", STRING (job->account))                                  \
  X (owner_cluster, "association.cluster", STRING (sacct->cluster))                                \
  X (owner, "association.user", STRING (row->user))                                                \
  X (owner_id, "association.id", COUNT (row->association_id))                                      \
  X (std_in, "stdin", put_file (out, row, LK_SACCT_FILE_IN, FALSE))                                \
  X (std_out, "stdout", put_file (out, row, LK_SACCT_FILE_OUT, FALSE))                             \
  X (std_err, "stderr", put_file (out, row, LK_SACCT_FILE_ERR, FALSE))                             \
  X (in_expanded, "stdin_expanded", put_file (out, row, LK_SACCT_FILE_IN, TRUE))                   \
  X (out_expanded, "stdout_expanded", put_file (out, row, LK_SACCT_FILE_OUT, TRUE))                \
  X (err_expanded, "stderr_expanded", put_file (out, row, LK_SACCT_FILE_ERR, TRUE))                \
  X (cluster, "cluster", STRING (sacct->cluster))                                                  \
  X (constraints, "constraints", STRING (job->constraints))                                        \
  X (derived, "derived_exit_code", put_derived (out, row))                                         \
  X (elapsed, "time.elapsed", SECONDS (lk_sacct_elapsed_us (row, now_us)))                         \
  X (eligible, "time.eligible", SECONDS (job->eligible_us))                                        \
  X (end, "time.end", SECONDS (job->end_us))                                                       \
  X (planned, "time.planned", NUMBER (job->start_us != 0, wait_us (job, now_us) / G_USEC_PER_SEC)) \
  X (start, "time.start", SECONDS (job->start_us))                                                 \
  X (submission, "time.submission", SECONDS (job->submit_us))                                      \
  X (suspended, "time.suspended", SECONDS (lk_sacct_suspended_us (row, now_us)))                   \
  X (system, "time.system", put_cpu_time (out, used->system_cpu_us))                               \
  X (limit, "time.limit", put_limit (out, job->limit_us))                                          \
  X (total, "time.total", put_cpu_time (out, used->user_cpu_us + used->system_cpu_us))             \
  X (user_time, "time.user", put_cpu_time (out, used->user_cpu_us))                                \
  X (exit_code, "exit_code", put_exit_code (out, job))                                             \
  X (flags, "flags", put_flags (out, job))                                                         \
  X (group, "group", STRING (row->group))                                                          \
  X (het_id, "het.job_id", COUNT (job->het_leader))                                                \
  X (het_offset, "het.job_offset", NUMBER (job->het_leader != 0, job->het_offset))                 \
  X (job_id, "job_id", COUNT (job->job_id))                                                        \
  X (name, "name", STRING (job->name))                                                             \
  X (licenses, "licenses", STRING (job->licenses))                                                 \
  X (nodes, "nodes", STRING (job->node_list[0] != '\0' ? job->node_list : "None assigned"))        \
  X (partition, "partition", STRING (job->partition))                                              \
  X (hold, "hold", lk_put_flag (out, job->state == LK_JOB_PENDING && job->priority < 0))           \
  X (priority, "priority", NUMBER (TRUE, MAX (job->priority, 0)))                                  \
  X (qos, "qos", STRING (job->qos))                                                                \
  X (asked_qos, "qosreq", STRING (job->asked_qos))                                                 \
  X (asked_cpus, "required.CPUs", COUNT (job->asked_cpus))                                         \
  X (per_node, "required.memory_per_node", NUMBER (TRUE, asked_memory_mib (job)))                  \
  X (ender, "kill_request_user", put_ender (out, job))                                             \
  X (restarts, "restart_cnt", COUNT (job->restarts))                                               \
  X (reservation, "reservation.name", STRING (job->run_id != 0 ? job->reservation : ""))           \
  X (wanted, "reservation.requested", STRING (job->reservation))                                   \
  X (state, "state.current", lk_put_word (out, lk_job_state_name ((guint)job->state)))             \
  X (reason, "state.reason", STRING (lk_reason_word ((guint)job->reason)))                         \
  X (steps, "steps", put_steps (out, sacct, row))                                                  \
  X (submit_line, "submit_line", STRING (job->submit_line))                                        \
  X (held, "tres.allocated", lk_put_tres (out, job->allocated_tres))                               \
  X (asked, "tres.requested", lk_put_tres (out, job->asked_tres))                                  \
  X (user, "user", STRING (row->user))                                                             \
  X (wckey, "wckey.wckey", STRING (job->wckey))                                                    \
  X (work_dir, "working_directory", STRING (job->work_dir))

/* ---------------------------------------------------------------- our own */

#define STRING_OR_NULL(text) lk_put_bytes_or_null (out, text, strlen (text))
#define COUNT_IF(is_there, value) lk_put_count_or_null (out, is_there, value)
#define HAS_USAGE (used->node_count != 0)
#define HAS_RUN (job->run_id != 0)

static void
put_real_if (GString *out, gboolean is_there, double value)
{
  if (is_there)
    lk_put_real (out, value);
  else
    g_string_append (out, "null");
}

static void
put_own_reason (GString *out, const LkAccountingJob *job)
{
  const char *word = lk_reason_word ((guint)job->reason);
  lk_put_bytes_or_null (out, word, strcmp (word, "None") == 0 ? 0 : strlen (word));
}

/* In hundredths: more is noise. */
static double
rounded (double percent)
{
  return (double)(gint64)(percent * 100 + 0.5) / 100;
}

#define OWN_MEMBERS(X)                                                                             \
  X (own_job_id, "job_id", COUNT (job->job_id))                                                    \
  X (own_life, "life", COUNT (job->life))                                                          \
  X (own_array, "array_job_id", COUNT_IF (job->array_job_id != 0, job->array_job_id))              \
  X (own_task, "array_task", COUNT_IF (job->array_task >= 0, job->array_task))                     \
  X (own_tasks, "array_tasks", STRING_OR_NULL (job->array_tasks))                                  \
  X (own_het, "het_leader_id", COUNT_IF (job->het_leader != 0, job->het_leader))                   \
  X (own_offset, "het_offset", COUNT_IF (job->het_leader != 0, job->het_offset))                   \
  X (own_name, "name", STRING (job->name))                                                         \
  X (own_user, "user", STRING (row->user))                                                         \
  X (own_user_id, "user_id", COUNT (job->user_id))                                                 \
  X (own_group, "group", STRING (row->group))                                                      \
  X (own_group_id, "group_id", COUNT (job->group_id))                                              \
  X (own_account, "account", STRING (job->account))                                                \
  X (own_qos, "qos", STRING (job->qos))                                                            \
  X (own_partition, "partition", STRING (job->partition))                                          \
  X (own_reservation, "reservation", STRING_OR_NULL (job->reservation))                            \
  X (own_wckey, "wckey", STRING_OR_NULL (job->wckey))                                              \
  X (own_comment, "comment", STRING_OR_NULL (job->comment))                                        \
  X (own_state, "state", STRING (lk_job_state_name ((guint)job->state)))                           \
  X (own_reason, "reason", put_own_reason (out, job))                                              \
  X (own_exit, "exit_code", COUNT_IF (job->end_us != 0, job->exit_code))                           \
  X (own_signal, "signal", COUNT_IF (job->signal != 0, job->signal))                               \
  X (own_priority, "priority", COUNT_IF (job->priority >= 0, job->priority))                       \
  X (own_restarts, "restart_count", COUNT (job->restarts))                                         \
  X (own_submit, "submit_us", COUNT (job->submit_us))                                              \
  X (own_eligible, "eligible_us", COUNT_IF (job->eligible_us != 0, job->eligible_us))              \
  X (own_start, "start_us", COUNT_IF (job->start_us != 0, job->start_us))                          \
  X (own_end, "end_us", COUNT_IF (job->end_us != 0, job->end_us))                                  \
  X (own_limit, "time_limit_s",                                                                    \
     COUNT_IF (job->limit_us != G_MAXINT64, job->limit_us / G_USEC_PER_SEC))                       \
  X (own_wait, "wait_s", SECONDS (wait_us (job, now_us)))                                          \
  X (own_run, "run_s", SECONDS (lk_sacct_elapsed_us (row, now_us)))                                \
  X (own_suspended, "suspended_s", SECONDS (lk_sacct_suspended_us (row, now_us)))                  \
  X (own_backfilled, "is_backfilled", lk_put_flag (out, job->is_backfilled != 0))                  \
  X (own_ender, "ended_by_user_id", COUNT_IF (job->is_user_ended != 0, job->ender_id))             \
  X (own_asked_nodes, "asked_node_count", COUNT (job->asked_nodes))                                \
  X (own_asked_cpus, "asked_cpu_count", COUNT (job->asked_cpus))                                   \
  X (own_asked, "asked_tres", STRING (job->asked_tres))                                            \
  X (own_nodes, "node_count", COUNT_IF (HAS_RUN, job->nodes))                                      \
  X (own_cpus, "cpu_count", COUNT_IF (HAS_RUN, job->cpus))                                         \
  X (own_held, "allocated_tres", STRING_OR_NULL (job->allocated_tres))                             \
  X (own_list, "node_list", STRING_OR_NULL (job->node_list))                                       \
  X (own_run_id, "run_id", COUNT_IF (HAS_RUN, job->run_id))                                        \
  X (own_cores, "cores", STRING_OR_NULL (job->cores))                                              \
  X (own_devices, "devices", STRING_OR_NULL (job->devices))                                        \
  X (own_constraint, "constraint", STRING_OR_NULL (job->constraints))                              \
  X (own_licenses, "licenses", STRING_OR_NULL (job->licenses))                                     \
  X (own_user_cpu, "user_cpu_s",                                                                   \
     put_real_if (out, HAS_USAGE, (double)used->user_cpu_us / G_USEC_PER_SEC))                     \
  X (own_system_cpu, "system_cpu_s",                                                               \
     put_real_if (out, HAS_USAGE, (double)used->system_cpu_us / G_USEC_PER_SEC))                   \
  X (own_rss, "max_rss_bytes", COUNT_IF (HAS_USAGE, used->max_rss_bytes))                          \
  X (own_rss_sum, "sum_rss_bytes", COUNT_IF (HAS_USAGE, used->sum_rss_bytes))                      \
  X (own_gpu_memory, "max_gpu_memory_bytes", COUNT_IF (HAS_USAGE, used->max_gpu_memory_bytes))     \
  X (own_gpu, "max_gpu_percent", COUNT_IF (HAS_USAGE, used->max_gpu_percent))                      \
  X (own_cpu_percent, "cpu_efficiency_percent",                                                    \
     put_real_if (out, lk_sacct_cpu_percent (row, now_us) >= 0,                                    \
                  rounded (lk_sacct_cpu_percent (row, now_us))))                                   \
  X (own_memory_percent, "memory_efficiency_percent",                                              \
     put_real_if (out, lk_sacct_memory_percent (row) >= 0,                                         \
                  rounded (lk_sacct_memory_percent (row))))                                        \
  X (own_work_dir, "work_dir", STRING_OR_NULL (job->work_dir))                                     \
  X (own_line, "submit_line", STRING_OR_NULL (job->submit_line))                                   \
  X (own_host, "submit_host", STRING_OR_NULL (job->submit_host))

/* ---------------------------------------------------------------- the tables */

#define PUT(name, type, of_row, what)                                                              \
  static void name (GString *out, gconstpointer report, gconstpointer given)                       \
  {                                                                                                \
    const LkSacctReport *sacct = report;                                                           \
    const type *line = given;                                                                      \
    const LkSacctJob *row = of_row;                                                                \
    const LkAccountingJob *job = &row->job;                                                        \
    const LkSacctUsage *used = &row->usage;                                                        \
    gint64 now_us = sacct->client->now_us;                                                         \
    (void)job;                                                                                     \
    (void)used;                                                                                    \
    (void)now_us;                                                                                  \
    what;                                                                                          \
  }
#define X(name, path, what) PUT (step_##name, LkSacctRow, line->job, what)
STEP_MEMBERS (X)
#undef X
#define X(name, path, what) PUT (job_##name, LkSacctJob, line, what)
JOB_MEMBERS (X)
OWN_MEMBERS (X)
#undef X

#define X(name, path, what) { path, step_##name },
static const LkShapeMember step_members[] = { STEP_MEMBERS (X){ NULL, NULL } };
#undef X
#define X(name, path, what) { path, job_##name },
static const LkShapeMember job_members[] = { JOB_MEMBERS (X){ NULL, NULL } };
static const LkShapeMember own_members[] = { OWN_MEMBERS (X){ NULL, NULL } };
#undef X

static void
put_steps (GString *out, const LkSacctReport *report, const LkSacctJob *row)
{
  LkSacctJob batch = lk_sacct_batch_job (row);
  LkSacctRow line = { .job = &batch, .is_batch = TRUE };
  g_string_append_c (out, '[');
  if (lk_sacct_has_batch (&row->job))
    lk_shape_write (report->step_shape, report, &line, out);
  for (guint i = 0; row->steps != NULL && i < row->steps->len; i++) {
    const LkAccountingStep *step = &g_array_index (row->steps, LkAccountingStep, i);
    LkSacctJob as = lk_sacct_step_job (row, step);
    line = (LkSacctRow){ .job = &as, .is_batch = TRUE, .step = step };
    g_string_append (out, out->str[out->len - 1] != '[' ? "," : "");
    lk_shape_write (report->step_shape, report, &line, out);
  }
  g_string_append_c (out, ']');
}

void
lk_json_accounting (const LkSacctReport *given, const LkJsonChoice *choice, const GPtrArray *jobs)
{
  static const LkJsonKind kind = { "jobs", lk_shape_accounting_job, job_members };
  static const LkJsonKind own_kind = { "jobs", lk_shape_own_accounting_job, own_members };
  g_autoptr (LkShape) step = lk_shape_new (lk_shape_accounting_step, choice->version, step_members);
  LkSacctReport report = *given;
  LkJson json;
  report.step_shape = step;
  lk_json_begin (&json, report.client, choice, report.cluster);
  lk_json_open (&json, choice->is_own ? &own_kind : &kind);
  for (guint i = 0; i < jobs->len; i++)
    lk_json_row (&json, &report, g_ptr_array_index (jobs, i));
  lk_json_close (&json);
  lk_json_end (&json);
}
