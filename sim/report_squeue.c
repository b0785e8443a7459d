/* sim/report_squeue.c — the jobs in the system, as squeue prints them.
 *
 * Pending and running jobs only: a job that has ended has left the engine.  Sources: squeue(1), the
 * recordings in tests/fixtures/slurm-prio. */
#include <math.h>
#include <string.h>

#include "engine/job_shown.h"
#include "sim/error.h"
#include "sim/report_private.h"
#include "traces/table.h"

#define DEFAULT_FORMAT "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R"
#define LONG_FORMAT "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R"
#define START_FORMAT "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R"
#define DEFAULT_SORT "P,t,-p"
#define START_SORT "S"
#define PRIORITY_MAX 4294967295.0
#define NORMALIZED_DIGITS 14u
#define MIB_BYTES (1024 * 1024)

typedef struct {
  LkJobIndex job;
  LkJobInfo info;
  gboolean has_started;
  gboolean has_priority;
  guint32 priority;
  guint32 nodes;
  guint32 cpus;
  GString *node_list; /* of a running one */
  LkJobRequest asked; /* all empty on a counted pool */
} Row;

static const LkReportState *
state_of (gconstpointer report)
{
  return ((const LkReportOut *)report)->state;
}

/* It runs, or is suspended. */
static gboolean
is_running (const Row *row)
{
  return row->has_started;
}

static LkJobState
state_shown (const Row *row)
{
  return lk_job_state_shown (row->info.state, row->info.is_sigstopped);
}

static gint64
used_us (const LkReportState *state, const Row *row)
{
  return is_running (row) ? lk_job_ran_us (&row->info, state->at_us) : 0;
}

/* ---------------------------------------------------------------- cells */

/* "7", "7_4", or of tasks that wait "7_[5-9%2]"; of a component "7+1". */
static void
own_label (const LkReportState *state, const Row *row, GString *out)
{
  if (row->info.het_leader != 0) {
    g_string_append_printf (out, "%u+%u", row->info.het_leader, row->info.het_offset);
    return;
  }
  lk_report_array_label (state, row->job, out);
  if (row->info.array_job_id == 0)
    return;
  if (row->info.array_task != LK_TASK_NONE) {
    g_string_append_printf (out, "_%u", row->info.array_task);
    return;
  }
  const LkArray *array = lk_engine_array (state->engine, row->info.array_job_id);
  g_string_append (out, "_[");
  lk_task_set_text (&array->waiting, out);
  if (array->throttle > 0)
    g_string_append_printf (out, "%%%u", array->throttle);
  g_string_append_c (out, ']');
}

/* JSON has the log's number as a member. */
static void
append_log_id (const LkReportOut *report, const Row *row, GString *out)
{
  const char *log_id = lk_report_log_id (report->state, &row->info);
  if (log_id != NULL && report->json == NULL)
    g_string_append_printf (out, "(log:%s)", log_id);
}

static void
job_cell (gconstpointer report, gconstpointer user, GString *out)
{
  own_label (state_of (report), user, out);
  append_log_id (report, user, out);
}

static void
own_job_cell (gconstpointer report, gconstpointer user, GString *out)
{
  lk_report_job_label (state_of (report), ((const Row *)user)->job, out);
  append_log_id (report, user, out);
}

static void
array_job_cell (gconstpointer report, gconstpointer user, GString *out)
{
  lk_report_array_label (state_of (report), ((const Row *)user)->job, out);
  append_log_id (report, user, out);
}

static void
array_task_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const Row *row = user;
  const LkReportState *state = state_of (report);
  if (row->info.array_job_id == 0)
    g_string_append (out, "N/A");
  else if (row->info.array_task != LK_TASK_NONE)
    g_string_append_printf (out, "%u", row->info.array_task);
  else
    lk_task_set_text (&lk_engine_array (state->engine, row->info.array_job_id)->waiting, out);
}

/* A log without names has jobs called as their numbers. */
static void
job_name_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const Row *row = user;
  const LkReportState *state = state_of (report);
  const char *name = state->job_name != NULL ? state->job_name (state->user, row->info.id) : NULL;
  if (name == NULL && row->info.name[0] != '\0')
    name = row->info.name;
  if (name == NULL)
    name = lk_report_log_id (state, &row->info);
  if (name != NULL)
    g_string_append (out, name);
  else
    lk_report_job_label (state, row->job, out);
}

static void
user_cell (gconstpointer report, gconstpointer user, GString *out)
{
  lk_report_user_name (state_of (report), ((const Row *)user)->job, out);
}

static void
user_id_cell (gconstpointer report, gconstpointer user, GString *out)
{
  (void)report;
  g_string_append_printf (out, "%u", ((const Row *)user)->info.user_id);
}

static void
account_cell (gconstpointer report, gconstpointer user, GString *out)
{
  g_string_append (out, lk_report_account_name (state_of (report), ((const Row *)user)->job));
}

static void
qos_cell (gconstpointer report, gconstpointer user, GString *out)
{
  g_string_append (out, lk_report_qos_name (state_of (report), ((const Row *)user)->job));
}

static void
partition_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const Row *row = user;
  const LkReportState *state = state_of (report);
  guint32 partition = lk_engine_view (state->engine)->jobs->partition[row->job];
  if (is_running (row))
    g_string_append (out, lk_partition_name (state->engine, partition));
  else
    lk_job_partitions (state->engine, row->job, out);
}

static void
priority_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const Row *row = user;
  (void)report;
  if (row->has_priority)
    g_string_append_printf (out, "%u", row->priority);
  else
    g_string_append (out, "N/A");
}

static void
normalized_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const Row *row = user;
  (void)report;
  if (row->has_priority)
    lk_table_real (out, row->priority / PRIORITY_MAX, NORMALIZED_DIGITS);
  else
    g_string_append (out, "N/A");
}

static void
comment_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const char *comment = ((const Row *)user)->info.comment;
  (void)report;
  g_string_append (out, comment[0] != '\0' ? comment : "(null)");
}

static void
nice_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const LkJobColumns *jobs = lk_engine_view (state_of (report)->engine)->jobs;
  g_string_append_printf (out, "%" G_GINT64_FORMAT, jobs->nice[((const Row *)user)->job]);
}

static void
state_cell (gconstpointer report, gconstpointer user, GString *out)
{
  (void)report;
  g_string_append (out, lk_job_state_name (state_shown (user)));
}

static void
short_state_cell (gconstpointer report, gconstpointer user, GString *out)
{
  (void)report;
  g_string_append (out, lk_job_state_short (state_shown (user)));
}

static void
used_cell (gconstpointer report, gconstpointer user, GString *out)
{
  lk_table_duration (used_us (state_of (report), user), out);
}

static void
limit_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const Row *row = user;
  (void)report;
  if (row->info.estimate_us == LK_TIME_NEVER)
    g_string_append (out, "UNLIMITED");
  else
    lk_table_duration (row->info.estimate_us, out);
}

static void
left_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const Row *row = user;
  if (row->info.estimate_us == LK_TIME_NEVER)
    g_string_append (out, "UNLIMITED");
  else
    lk_table_duration (row->info.estimate_us - used_us (state_of (report), row), out);
}

static void
nodes_cell (gconstpointer report, gconstpointer user, GString *out)
{
  (void)report;
  g_string_append_printf (out, "%u", ((const Row *)user)->nodes);
}

static void
cpus_cell (gconstpointer report, gconstpointer user, GString *out)
{
  (void)report;
  g_string_append_printf (out, "%u", ((const Row *)user)->cpus);
}

static void
node_list_cell (gconstpointer report, gconstpointer user, GString *out)
{
  (void)report;
  g_string_append (out, ((const Row *)user)->node_list->str);
}

static void
reason_cell (gconstpointer report, gconstpointer user, GString *out)
{
  (void)report;
  g_string_append (out, lk_reason_text (((const Row *)user)->info.reason_shown));
}

static void
nodes_or_reason_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const Row *row = user;
  if (is_running (row))
    node_list_cell (report, user, out);
  else
    g_string_append_printf (out, "(%s)", lk_reason_text (row->info.reason_shown));
}

static void
submit_cell (gconstpointer report, gconstpointer user, GString *out)
{
  lk_report_time (state_of (report), ((const Row *)user)->info.submit_us, out);
}

static void
start_cell (gconstpointer report, gconstpointer user, GString *out)
{
  lk_report_time (state_of (report), ((const Row *)user)->info.start_us, out);
}

static void
end_cell (gconstpointer report, gconstpointer user, GString *out)
{
  lk_report_time (state_of (report), lk_job_end_us (&((const Row *)user)->info), out);
}

/* Where a job that waits is planned to start. */
static void
planned_nodes_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const Row *row = user;
  gsize before = out->len;
  if (!is_running (row))
    lk_job_planned_list (state_of (report)->engine, row->job, out);
  if (out->len == before)
    g_string_append (out, "(null)");
}

/* "8000M", "4G": in the largest unit that is exact. */
static void
memory_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const LkJobRequest *asked = &((const Row *)user)->asked;
  gint64 bytes = asked->present & LK_REQUEST_HAS_MEMORY_PER_CPU ? asked->memory_per_cpu_bytes
                                                                : asked->memory_per_node_bytes;
  static const char units[] = "MGTP";
  gint64 value = bytes / MIB_BYTES;
  guint unit = 0;
  (void)report;
  for (; value != 0 && value % 1024 == 0 && units[unit + 1] != '\0'; unit++)
    value /= 1024;
  if (value == 0)
    g_string_append_c (out, '0');
  else
    g_string_append_printf (out, "%" G_GINT64_FORMAT "%c", value, units[unit]);
}

/* "gres/gpu:2". */
static void
gres_cell (gconstpointer report, gconstpointer user, GString *out)
{
  LkText gres = ((const Row *)user)->asked.gres;
  gsize begin = out->len;
  (void)report;
  for (guint i = 0; i < gres.length_bytes; i++) {
    if (i == 0 || gres.bytes[i - 1] == ',')
      g_string_append (out, "gres/");
    g_string_append_c (out, gres.bytes[i]);
  }
  if (out->len == begin)
    g_string_append (out, "N/A");
}

static const LkTableColumn columns[] = {
  { 'A', "JOBID", own_job_cell },
  { 'a', "ACCOUNT", account_cell },
  { 'b', "TRES_PER_NODE", gres_cell },
  { 'C', "CPUS", cpus_cell },
  { 'D', "NODES", nodes_cell },
  { 'e', "END_TIME", end_cell },
  { 'F', "ARRAY_JOB_ID", array_job_cell },
  { 'i', "JOBID", job_cell },
  { 'j', "NAME", job_name_cell },
  { 'k', "COMMENT", comment_cell },
  { 'K', "ARRAY_TASK_ID", array_task_cell },
  { 'l', "TIME_LIMIT", limit_cell },
  { 'L', "TIME_LEFT", left_cell },
  { 'm', "MIN_MEMORY", memory_cell },
  { 'M', "TIME", used_cell },
  { 'N', "NODELIST", node_list_cell },
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
  { 'V', "SUBMIT_TIME", submit_cell },
  { 'y', "NICE", nice_cell },
  { 'Y', "SCHEDNODES", planned_nodes_cell },
  { 0 },
};

/* ---------------------------------------------------------------- rows */

static Row *
row_of (const LkReportState *state, LkJobIndex job)
{
  LkJobShown shown;
  Row *row = g_new0 (Row, 1);
  row->job = job;
  row->node_list = g_string_new (NULL);
  lk_job_shown (state->engine, job, state->at_us, &shown, row->node_list);
  row->info = shown.info;
  row->has_started = shown.has_started;
  row->has_priority = shown.has_priority;
  row->priority = shown.priority;
  row->nodes = shown.nodes;
  row->cpus = shown.cpus;
  row->asked = shown.asked;
  return row;
}

static void
row_free (gpointer user)
{
  Row *self = user;
  g_string_free (self->node_list, TRUE);
  g_free (self);
}

static gboolean
wants_state (const LkReportOut *out, LkJobIndex job)
{
  const LkEngine *engine = out->state->engine;
  char **states = out->options->states;
  LkJobInfo info;
  if (states == NULL)
    return !out->options->by_start || lk_engine_state (engine, job) == LK_JOB_PENDING;
  lk_engine_job (engine, lk_engine_view (engine)->jobs->id[job], &info);
  LkJobState state = lk_job_state_shown (info.state, info.is_sigstopped);
  return lk_report_wants (states, lk_job_state_short (state))
         || lk_report_wants (states, lk_job_state_name (state)) || lk_report_wants (states, "all");
}

/* ---------------------------------------------------------------- order */

/* What a letter sorts by: a number, else the text of its column. */
static gboolean
number_of (const LkReportState *state, char letter, const Row *row, double *out_number)
{
  switch (letter) {
  case 'C':
    *out_number = row->cpus;
    return TRUE;
  case 'D':
    *out_number = row->nodes;
    return TRUE;
  case 'A':
    *out_number = row->info.id;
    return TRUE;
  case 'l':
    *out_number = (double)row->info.estimate_us;
    return TRUE;
  case 'M':
    *out_number = (double)used_us (state, row);
    return TRUE;
  case 'p':
  case 'Q':
    *out_number = row->priority;
    return TRUE;
  case 'S':
    *out_number = (double)row->info.start_us;
    return TRUE;
  case 't':
  case 'T':
    *out_number = row->info.state;
    return TRUE;
  case 'V':
    *out_number = (double)row->info.submit_us;
    return TRUE;
  default:
    return FALSE;
  }
}

/* Tasks by index, where their array stands; behind them those that wait together. */
static gint
compare_ids (const Row *a, const Row *b)
{
  guint32 id_a = a->info.array_job_id != 0 ? a->info.array_job_id : a->info.id;
  guint32 id_b = b->info.array_job_id != 0 ? b->info.array_job_id : b->info.id;
  if (id_a != id_b)
    return id_a < id_b ? -1 : 1;
  return (a->info.array_task > b->info.array_task) - (a->info.array_task < b->info.array_task);
}

static gint
compare_by (const LkReportOut *out, char letter, const Row *a, const Row *b)
{
  double number_a;
  double number_b;
  if (letter == 'i')
    return compare_ids (a, b);
  if (number_of (out->state, letter, a, &number_a) && number_of (out->state, letter, b, &number_b))
    return (number_a > number_b) - (number_a < number_b);
  const LkTableColumn *column = lk_table_column (columns, letter);
  g_autoptr (GString) text_a = g_string_new (NULL);
  g_autoptr (GString) text_b = g_string_new (NULL);
  column->cell (out, a, text_a);
  column->cell (out, b, text_b);
  return strcmp (text_a->str, text_b->str);
}

/* The keys, "P,t,-p", one after the other; then the id. */
static gint
compare_rows (gconstpointer a, gconstpointer b, gpointer user)
{
  const LkReportOut *out = user;
  const Row *row_a = *(Row *const *)a;
  const Row *row_b = *(Row *const *)b;
  const char *at = out->options->sort != NULL ? out->options->sort
                   : out->options->by_start   ? START_SORT
                                              : DEFAULT_SORT;
  for (; *at != '\0'; at++) {
    gboolean falling = *at == '-';
    if (*at == ',' || *at == '+')
      continue;
    at += falling ? 1 : 0;
    gint order = compare_by (out, *at, row_a, row_b);
    if (order != 0)
      return falling ? -order : order;
  }
  return compare_ids (row_a, row_b);
}

static gboolean
check_sort (const char *sort, GError **error)
{
  for (const char *at = sort; *at != '\0'; at++)
    if (*at != ',' && *at != '+' && !(*at == '-' && at[1] != '\0' && at[1] != ',')
        && lk_table_column (columns, *at) == NULL) {
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                   "'%s' is no order of rows; expected letters of columns, such as P,t,-p", sort);
      return FALSE;
    }
  return TRUE;
}

/* Of tasks that wait together each as a row of its own. */
static void
add_tasks (const LkReportOut *out, LkJobIndex job, const LkArray *array, GPtrArray *rows)
{
  for (guint32 task = lk_task_set_has (&array->waiting, 0) ? 0
                                                           : lk_task_set_next (&array->waiting, 0);
       task != LK_TASK_NONE; task = lk_task_set_next (&array->waiting, task)) {
    Row *row = row_of (out->state, job);
    row->info.array_task = task;
    g_ptr_array_add (rows, row);
  }
}

static void
add_rows (const LkReportOut *out, LkJobIndex job, GPtrArray *rows)
{
  Row *row = row_of (out->state, job);
  const LkArray *array = row->info.array_job_id != 0
                             ? lk_engine_array (out->state->engine, row->info.array_job_id)
                             : NULL;
  if (!out->options->by_task || array == NULL || row->info.array_task != LK_TASK_NONE) {
    g_ptr_array_add (rows, row);
    return;
  }
  row_free (row);
  add_tasks (out, job, array, rows);
}

static GPtrArray *
rows_of (const LkReportOut *out)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func (row_free);
  g_autoptr (GArray) jobs = lk_jobs_by_id (out->state->engine);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (lk_report_wants_job (out, job) && wants_state (out, job))
      add_rows (out, job, rows);
  }
  g_ptr_array_sort_with_data (rows, compare_rows, (gpointer)out);
  return rows;
}

/* ---------------------------------------------------------------- writing */

static void
write_text (const LkReportOut *out, const GPtrArray *rows)
{
  const LkReportOptions *options = out->options;
  const char *format = options->format != NULL ? options->format
                       : options->by_start     ? START_FORMAT
                       : options->is_long      ? LONG_FORMAT
                                               : DEFAULT_FORMAT;
  g_autoptr (LkTableLayout) layout = lk_table_layout_new (columns, format, NULL);
  if (options->is_long && options->format == NULL) {
    lk_report_time (out->state, out->state->at_us, out->text);
    g_string_append_c (out->text, '\n');
  }
  if (!options->no_heading)
    lk_table_layout_heading (layout, out->text);
  for (guint i = 0; i < rows->len; i++)
    lk_table_layout_row (layout, out, g_ptr_array_index (rows, i), out->text);
}

/* The columns that JSON has as text, by the name of the member. */
static const struct {
  const char *member;
  char letter;
} texts[] = {
  { "job", 'i' },       { "name", 'j' },  { "user", 'u' },   { "account", 'a' },   { "qos", 'q' },
  { "partition", 'P' }, { "state", 'T' }, { "reason", 'r' }, { "node_list", 'N' },
};

static void
write_json_time (LkJsonOut *json, const char *key, gint64 time_us)
{
  if (time_us == LK_TIME_NEVER)
    lk_json_out_text (json, key, NULL);
  else
    lk_json_out_seconds (json, key, time_us);
}

static void
write_json_row (const LkReportOut *out, const Row *row)
{
  LkJsonOut *json = out->json;
  g_autoptr (GString) text = g_string_new (NULL);
  lk_json_out_object_begin (json, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_string_truncate (text, 0);
    lk_table_column (columns, texts[i].letter)->cell (out, row, text);
    lk_json_out_text (json, texts[i].member, text->str);
  }
  const char *log_id = lk_report_log_id (out->state, &row->info);
  if (log_id != NULL)
    lk_json_out_text (json, "log_id", log_id);
  lk_json_out_real (json, "priority", row->has_priority ? (double)row->priority : NAN);
  lk_json_out_count (json, "nodes", row->nodes);
  lk_json_out_count (json, "cpus", row->cpus);
  lk_json_out_seconds (json, "submit_s", row->info.submit_us);
  write_json_time (json, "time_limit_s", row->info.estimate_us);
  write_json_time (json, "start_s", row->info.start_us);
  write_json_time (json, "expected_end_s", lk_job_end_us (&row->info));
  g_string_truncate (text, 0);
  planned_nodes_cell (out, row, text);
  lk_json_out_text (json, "planned_nodes", strcmp (text->str, "(null)") != 0 ? text->str : NULL);
  lk_json_out_object_end (json);
}

gboolean
lk_report_squeue_check (const LkReportOptions *options, GError **error)
{
  const char *format = options->format != NULL ? options->format : DEFAULT_FORMAT;
  g_autoptr (LkTableLayout) layout = lk_table_layout_new (columns, format, error);
  return layout != NULL && check_sort (options->sort != NULL ? options->sort : "", error);
}

void
lk_report_squeue (const LkReportOut *out)
{
  g_autoptr (GPtrArray) rows = rows_of (out);
  if (out->text != NULL) {
    write_text (out, rows);
    return;
  }
  lk_json_out_array_begin (out->json, "jobs");
  for (guint i = 0; i < rows->len; i++)
    write_json_row (out, g_ptr_array_index (rows, i));
  lk_json_out_array_end (out->json);
}
