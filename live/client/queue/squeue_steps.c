/* live/client/queue/squeue_steps.c — see the header.
 *
 * Source: src/squeue/opts.c, print.c and sort.c of Slurm. */
#include "live/client/queue/squeue_steps.h"

#include <string.h>

#include "engine/hostlist.h"
#include "live/client/json/steps.h"
#include "live/client/names.h"
#include "live/client/rounds.h"
#include "live/client/words.h"

#define DEFAULT_FORMAT "%.15i %.8j %.9P %.8u %.9M %N"
#define DEFAULT_SORT "P,i"
#define MIB_BYTES (1024 * 1024)
#define BATCH_STEP G_MAXUINT32

/* A step, its texts in a chunk. */
typedef struct {
  LkRecord_step step;
  const char *id; /* "7.0", "8_3.batch" */
  const char *name;
  const char *partition;
  const char *user;
  const char *node_names;
  guint32 user_id;
} Row;

typedef struct {
  const LkClient *client;
  const LkSqueueSteps *asked;
  GPtrArray *rows;
  GStringChunk *texts;
  LkNames names;
  char *cluster;
} Steps;

/* ---------------------------------------------------------------- cells */

#define CELL(NAME, ...)                                                                            \
  static void NAME (gconstpointer report, gconstpointer user, GString *out)                        \
  {                                                                                                \
    const Steps *steps = report;                                                                   \
    const Row *row = user;                                                                         \
    const LkRecord_step *step = &row->step;                                                        \
    (void)steps;                                                                                   \
    (void)step;                                                                                    \
    __VA_ARGS__;                                                                                   \
  }

static void
append_limit (gint64 limit_us, GString *out)
{
  if (limit_us <= 0 || limit_us == G_MAXINT64)
    g_string_append (out, "UNLIMITED");
  else
    lk_table_duration (limit_us, out);
}

static void
append_task (const LkRecord_step *step, GString *out)
{
  if (step->array_job_id != 0)
    lk_word_number (step->array_task, out);
  else
    g_string_append (out, "N/A");
}

static void
append_gpus (guint32 count, GString *out)
{
  if (count > 0)
    g_string_append_printf (out, "gres/gpu:%u", count);
  else
    g_string_append (out, "(null)");
}

static void
append_gpu_memory (gint64 bytes, GString *out)
{
  if (bytes > 0)
    g_string_append_printf (out, "gres/gpu:%" G_GINT64_FORMAT, bytes / MIB_BYTES);
  else
    g_string_append (out, "(null)");
}

CELL (id_cell, g_string_append (out, row->id))
CELL (name_cell, g_string_append (out, row->name))
CELL (partition_cell, g_string_append (out, row->partition))
CELL (user_cell, g_string_append (out, row->user))
CELL (user_id_cell, lk_word_number (row->user_id, out))
CELL (nodes_cell, g_string_append (out, row->node_names))
CELL (tasks_cell, lk_word_number (step->task_count, out))
CELL (cpus_cell, lk_word_number (step->cpus_given, out))
CELL (job_cell, lk_word_number (step->job_id, out))
CELL (array_cell, lk_word_number (step->array_job_id != 0 ? step->array_job_id : step->job_id, out))
CELL (task_cell, append_task (step, out))
CELL (limit_cell, append_limit (step->limit_us, out))
CELL (start_cell, lk_word_time (steps->client, step->start_us, "N/A", out))
CELL (used_cell, lk_table_duration (lk_step_run_us (step, steps->client->now_us), out))
CELL (state_cell, g_string_append (out, lk_job_state_name ((LkJobState)step->state)))
CELL (cluster_cell, g_string_append (out, steps->cluster))
CELL (gpus_cell, append_gpus (step->gpus, out))
CELL (node_gpus_cell, append_gpus (step->gpus_per_node, out))
CELL (task_gpus_cell, append_gpus (step->gpus_per_task, out))
CELL (gpu_memory_cell, append_gpu_memory (step->memory_per_gpu_bytes, out))
CELL (not_cell, g_string_append (out, "N/A"))
CELL (null_cell, g_string_append (out, "(null)"))

static const LkTableColumn columns[] = {
  { 'A', "TASKS", tasks_cell },
  { 'b', "TRES_PER_JOB", gpus_cell },
  { 'i', "STEPID", id_cell },
  { 'j', "NAME", name_cell },
  { 'l', "TIME_LIMIT", limit_cell },
  { 'M', "TIME", used_cell },
  { 'N', "NODELIST", nodes_cell },
  { 'P', "PARTITION", partition_cell },
  { 'S', "START_TIME", start_cell },
  { 'u', "USER", user_cell },
  { 'U', "UID", user_id_cell },
  /* By name only. */
  { 1, "ARRAY_JOB_ID", array_cell },
  { 2, "ARRAY_TASK_ID", task_cell },
  { 5, "CLUSTER", cluster_cell },
  { 6, "JOB_ID", job_cell },
  { 7, "NUM_CPUS", cpus_cell },
  { 8, "STATE", state_cell },
  { 9, "CPU_FREQ", not_cell },
  { 10, "RESERVED_PORTS", null_cell },
  { 11, "CPUS_PER_TRES", null_cell },
  { 12, "MEM_PER_TRES", gpu_memory_cell },
  { 13, "TRES_BIND", null_cell },
  { 14, "TRES_FREQ", null_cell },
  { 15, "TRES_PER_STEP", gpus_cell },
  { 16, "TRES_PER_JOB", node_gpus_cell },
  { 17, "TRES_PER_SOCKET", null_cell },
  { 18, "TRES_PER_TASK", task_gpus_cell },
  { LK_FORMAT_PERCENT, "%", lk_format_percent_cell },
  { LK_FORMAT_NOTHING, "", lk_format_nothing_cell },
  { 0, NULL, NULL },
};

static const LkFormatName names[] = {
  { "ArrayJobId", 1 },     { "ArrayTaskId", 2 },    { "Cluster", 5 },
  { "JobId", 6 },          { "Nodes", 'N' },        { "NumCPUs", 7 },
  { "NumTasks", 'A' },     { "Partition", 'P' },    { "StartTime", 'S' },
  { "StepId", 'i' },       { "StepName", 'j' },     { "StepState", 8 },
  { "TimeLimit", 'l' },    { "TimeUsed", 'M' },     { "UserId", 'U' },
  { "UserName", 'u' },     { "CPUFreq", 9 },        { "ResvPorts", 10 },
  { "ResvPort", 10 },      { "cpus-per-tres", 11 }, { "mem-per-tres", 12 },
  { "tres-bind", 13 },     { "tres-freq", 14 },     { "tres-per-job", 15 },
  { "tres-per-step", 15 }, { "tres-per-node", 16 }, { "tres-per-socket", 17 },
  { "tres-per-task", 18 }, { NULL, '\0' },
};

const LkFormatSet lk_squeue_step_formats = { columns, names, FALSE, "job step" };

/* ---------------------------------------------------------------- which */

/* Is it this step, or where `step_too` is not set any of this job? "7", "8_3", and ".0" behind. */
static gboolean
is_meant (const char *word, const LkRecord_step *step, gboolean step_too)
{
  char *end;
  guint64 id = g_ascii_strtoull (word, &end, 10);
  gboolean is_job = id == step->job_id || (id != 0 && id == step->array_job_id);
  if (*end == '_')
    is_job = id == step->array_job_id && g_ascii_strtoull (end + 1, &end, 10) == step->array_task;
  if (!step_too || !is_job)
    return is_job;
  if (*end != '.')
    return FALSE;
  return strcmp (end + 1, "batch") == 0
             ? step->step_id == BATCH_STEP
             : g_ascii_isdigit (end[1]) && g_ascii_strtoull (end + 1, NULL, 10) == step->step_id;
}

static gboolean
is_any_meant (const char *list, const LkRecord_step *step, gboolean step_too)
{
  g_auto (GStrv) words = list != NULL ? g_strsplit (list, ",", -1) : NULL;
  for (guint i = 0; words != NULL && words[i] != NULL; i++)
    if (is_meant (words[i], step, step_too))
      return TRUE;
  return list == NULL;
}

static gboolean
is_on (GHashTable *nodes, const char *list)
{
  g_autoptr (GPtrArray) hosts = g_ptr_array_new_with_free_func (g_free);
  if (nodes == NULL)
    return TRUE;
  lk_hostlist_expand (list, strlen (list), hosts, NULL);
  for (guint i = 0; i < hosts->len; i++)
    if (g_hash_table_contains (nodes, g_ptr_array_index (hosts, i)))
      return TRUE;
  return FALSE;
}

static gboolean
wants (const LkSqueueSteps *asked, const Row *row)
{
  g_autofree char *number = g_strdup_printf ("%u", row->user_id);
  return row->step.state == LK_JOB_RUNNING && is_any_meant (asked->jobs, &row->step, FALSE)
         && is_any_meant (asked->steps, &row->step, TRUE)
         && (asked->partitions == NULL || lk_word_is_listed (asked->partitions, row->partition))
         && (asked->users == NULL || lk_word_is_listed (asked->users, row->user)
             || lk_word_is_listed (asked->users, number))
         && is_on (asked->nodes, row->node_names);
}

static const char *
id_of (Steps *self, const LkRecord_step *step)
{
  g_autoptr (GString) id = g_string_new (NULL);
  if (step->array_job_id != 0)
    g_string_append_printf (id, "%u_%u.", step->array_job_id, step->array_task);
  else if (step->het_leader != 0)
    g_string_append_printf (id, "%u+%u.", step->het_leader, step->het_offset);
  else
    g_string_append_printf (id, "%u.", step->job_id);
  if (step->step_id == BATCH_STEP)
    g_string_append (id, "batch");
  else
    lk_word_number (step->step_id, id);
  return g_string_chunk_insert (self->texts, id->str);
}

static Row
row_of (Steps *self, const LkRecord_step *step)
{
  Row row = { .step = *step, .user_id = step->user_id, .id = id_of (self, step) };
#define KEEP(field)                                                                                \
  g_string_chunk_insert_len (self->texts, step->field.bytes, step->field.length_bytes)
  row.name = step->step_id == BATCH_STEP && step->name.length_bytes == 0 ? "batch" : KEEP (name);
  row.partition = KEEP (partition);
  row.node_names = KEEP (node_names);
  row.user = lk_names_user (&self->names, step->user_id);
#undef KEEP
  return row;
}

static void
step_take (gpointer user, const LkRecord *record)
{
  Steps *self = user;
  const Row row = row_of (self, &record->step);
  if (wants (self->asked, &row))
    g_ptr_array_add (self->rows, g_memdup2 (&row, sizeof row));
}

static gboolean
wants_step (gpointer user, const LkRecord_step *step)
{
  Steps *self = user;
  const Row row = row_of (self, step);
  return wants (self->asked, &row);
}

/* ---------------------------------------------------------------- order */

static gint
compare_numbers (guint64 a, guint64 b)
{
  return (a > b) - (a < b);
}

static gint
compare_by (char key, const Row *a, const Row *b)
{
  switch (key) {
  case 'i':
    return a->step.job_id != b->step.job_id ? compare_numbers (a->step.job_id, b->step.job_id)
                                            : compare_numbers (a->step.step_id, b->step.step_id);
  case 'N':
    return strcmp (a->node_names, b->node_names);
  case 'P':
    return strcmp (a->partition, b->partition);
  case 'l':
    return compare_numbers ((guint64)a->step.limit_us, (guint64)b->step.limit_us);
  case 'S':
    return compare_numbers ((guint64)a->step.start_us, (guint64)b->step.start_us);
  case 'M':
    return compare_numbers ((guint64)b->step.start_us, (guint64)a->step.start_us);
  case 'u':
    return strcmp (a->user, b->user);
  case 'U':
    return compare_numbers (a->user_id, b->user_id);
  default: /* others have no order, and are no error */
    return 0;
  }
}

static gint
compare_rows (gconstpointer a, gconstpointer b, gpointer user)
{
  const Row *row_a = *(Row *const *)a;
  const Row *row_b = *(Row *const *)b;
  gboolean is_falling = FALSE;
  for (const char *at = user; *at != '\0'; at++) {
    if (*at == '-' || *at == '+' || *at == ',') {
      is_falling = *at == '-';
      continue;
    }
    gint order = compare_by (*at, row_a, row_b);
    if (order != 0)
      return is_falling ? -order : order;
    is_falling = FALSE;
  }
  return compare_by ('i', row_a, row_b);
}

/* ---------------------------------------------------------------- the table */

static int
print (const Steps *self)
{
  const LkSqueueSteps *asked = self->asked;
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (LkTableLayout) layout =
      lk_table_layout_new (columns, asked->format != NULL ? asked->format : DEFAULT_FORMAT, &error);
  if (layout == NULL) {
    lk_client_error (self->client, "%s", error->message);
    return 1;
  }
  g_ptr_array_sort_with_data (self->rows, compare_rows,
                              (gpointer)(asked->sort != NULL ? asked->sort : DEFAULT_SORT));
  if (!asked->no_heading)
    lk_table_layout_heading (layout, out);
  for (guint i = 0; i < self->rows->len; i++)
    lk_table_layout_row (layout, self, g_ptr_array_index (self->rows, i), out);
  fwrite (out->str, 1, out->len, self->client->out);
  return 0;
}

int
lk_squeue_steps (const LkClient *client, const LkSqueueSteps *asked)
{
  LkClientQuery query = { .kind = LK_RECORD_STEP };
  g_autoptr (GError) error = NULL;
  Steps self = { .client = client, .asked = asked };
  int code = 1;
  self.rows = g_ptr_array_new_with_free_func (g_free);
  self.texts = g_string_chunk_new (4096);
  self.cluster = lk_client_cluster_name (client);
  lk_names_init (&self.names);
  if (asked->json->is_wanted)
    code = lk_json_steps_if (client, asked->json, wants_step, &self) ? 0 : 1;
  else if (lk_client_query (client, &query, step_take, &self, &error))
    code = print (&self);
  else
    lk_client_error (client, "%s", error->message);
  lk_names_clear (&self.names);
  g_ptr_array_unref (self.rows);
  g_string_chunk_free (self.texts);
  g_free (self.cluster);
  return code;
}
