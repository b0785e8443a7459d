/* live/client/json/steps.c — see the header. */
#include "live/client/json/steps.h"

#include "live/client/json/put.h"
#include "live/client/json/shapes.h"
#include "live/client/json/things.h"
#include "live/client/names.h"

#define SCRIPT_STEP G_MAXUINT32
#define TEXT(text) lk_put_bytes (out, (text).bytes, (text).length_bytes)
#define TEXT_OR_NULL(text) lk_put_bytes_or_null (out, (text).bytes, (text).length_bytes)
#define COUNT(value) lk_put_count (out, (gint64)(value))
#define COUNT_IF(is_there, value) lk_put_count_or_null (out, is_there, (gint64)(value))
#define NUMBER(is_set, value) lk_put_number (out, is_set, value)

typedef struct {
  const LkClient *client;
  const char *cluster;
  LkNames names;
} Report;

/* ---------------------------------------------------------------- parts of more than a line */

static void
put_id (GString *out, const LkRecord_step *step)
{
  g_autoptr (GString) id = g_string_new (NULL);
  if (step->array_job_id != 0)
    g_string_append_printf (id, "%u_%u", step->array_job_id, step->array_task);
  else if (step->het_leader != 0)
    g_string_append_printf (id, "%u+%u", step->het_leader, step->het_offset);
  else
    g_string_append_printf (id, "%u", step->job_id);
  if (step->step_id == SCRIPT_STEP)
    g_string_append (id, ".batch");
  else
    g_string_append_printf (id, ".%u", step->step_id);
  lk_put_bytes (out, id->str, id->len);
}

static void
put_name (GString *out, const LkRecord_step *step)
{
  if (step->name.length_bytes == 0 && step->step_id == SCRIPT_STEP)
    lk_put_string (out, "batch");
  else
    TEXT (step->name);
}

gint64
lk_step_run_us (const LkRecord_step *step, gint64 now_us)
{
  gint64 until_us = MIN (MIN (step->end_us, step->suspend_us), now_us);
  return MAX (until_us - step->start_us - step->suspended_us, 0);
}

static gboolean
has_limit (const LkRecord_step *step)
{
  return step->limit_us > 0 && step->limit_us != G_MAXINT64;
}

static void
put_limit (GString *out, const LkRecord_step *step)
{
  if (has_limit (step))
    NUMBER (TRUE, step->limit_us / G_USEC_PER_SEC / 60);
  else
    lk_put_endless (out);
}

static void
put_states (GString *out, const LkRecord_step *step)
{
  g_string_append_c (out, '[');
  lk_put_string (out, lk_job_state_name (step->state));
  g_string_append (out, step->is_completing != 0 ? ",\"COMPLETING\"]" : "]");
}

static const char *
distribution_of (const LkRecord_step *step)
{
  static const char *const words[] = { "Block", "Block", "Cyclic", "Plane", "Arbitrary", "Block" };
  return words[MIN (step->distribution, G_N_ELEMENTS (words) - 1)];
}

static void
put_cpu_s (GString *out, gint64 time_us, gboolean is_known)
{
  if (is_known)
    lk_put_real (out, (double)time_us / G_USEC_PER_SEC);
  else
    g_string_append (out, "null");
}

/* ---------------------------------------------------------------- the tables */

#define STEP_MEMBERS(X)                                                                            \
  X (array_job, "array.job_id", COUNT (step->array_job_id))                                        \
  X (array_task, "array.task_id", COUNT (step->array_job_id != 0 ? step->array_task : 0))          \
  X (cluster, "cluster", lk_put_string (out, self->cluster))                                       \
  X (allocated, "tres.allocation", TEXT (step->tres))                                              \
  X (name, "name", put_name (out, step))                                                           \
  X (nodes, "nodes", TEXT (step->node_names))                                                      \
  X (cpus, "number_cpus", COUNT (step->cpus_given))                                                \
  X (tasks, "number_tasks", COUNT (step->task_count))                                              \
  X (partition, "partition", TEXT (step->partition))                                               \
  X (running, "time.running",                                                                      \
     NUMBER (TRUE, lk_step_run_us (step, self->client->now_us) / G_USEC_PER_SEC))                  \
  X (start, "time.start", lk_put_moment (out, step->start_us))                                     \
  X (limit, "time.limit", put_limit (out, step))                                                   \
  X (host, "srun.host", TEXT (step->source_host))                                                  \
  X (process, "srun.pid", COUNT (step->source_pid))                                                \
  X (state, "state", put_states (out, step))                                                       \
  X (id, "id", put_id (out, step))                                                                 \
  X (submit_line, "submit_line", TEXT (step->submit_line))                                         \
  X (distribution, "task.distribution", lk_put_string (out, distribution_of (step)))               \
  X (user, "user", lk_put_string (out, lk_names_user (&self->names, step->user_id)))

#define IS_COUNTED (step->counted_tasks != 0)
#define OWN_MEMBERS(X)                                                                             \
  X (own_id, "id", put_id (out, step))                                                             \
  X (own_job, "job_id", COUNT (step->job_id))                                                      \
  X (own_step, "step_id", COUNT_IF (step->step_id != SCRIPT_STEP, step->step_id))                  \
  X (own_run, "run_id", COUNT (step->run_id))                                                      \
  X (own_name, "name", put_name (out, step))                                                       \
  X (own_user, "user", lk_put_string (out, lk_names_user (&self->names, step->user_id)))           \
  X (own_user_id, "user_id", COUNT (step->user_id))                                                \
  X (own_partition, "partition", TEXT (step->partition))                                           \
  X (own_state, "state", lk_put_string (out, lk_job_state_name (step->state)))                     \
  X (own_completing, "is_completing", lk_put_flag (out, step->is_completing != 0))                 \
  X (own_start, "start_us", COUNT (step->start_us))                                                \
  X (own_run_s, "run_s", COUNT (lk_step_run_us (step, self->client->now_us) / G_USEC_PER_SEC))     \
  X (own_limit, "time_limit_s", COUNT_IF (has_limit (step), step->limit_us / G_USEC_PER_SEC))      \
  X (own_tasks, "task_count", COUNT (step->task_count))                                            \
  X (own_cpus, "cpu_count", COUNT (step->cpus_given))                                              \
  X (own_nodes, "node_count", COUNT (step->node_count))                                            \
  X (own_list, "node_list", TEXT (step->node_names))                                               \
  X (own_tres, "tres", TEXT_OR_NULL (step->tres))                                                  \
  X (own_distribution, "distribution", lk_put_string (out, distribution_of (step)))                \
  X (own_user_cpu, "user_cpu_s", put_cpu_s (out, step->user_cpu_us, IS_COUNTED))                   \
  X (own_system_cpu, "system_cpu_s", put_cpu_s (out, step->system_cpu_us, IS_COUNTED))             \
  X (own_rss_max, "rss_max_bytes", COUNT_IF (IS_COUNTED, step->rss_max_bytes))                     \
  X (own_rss_sum, "rss_sum_bytes", COUNT_IF (IS_COUNTED, step->rss_sum_bytes))                     \
  X (own_host, "srun_host", TEXT_OR_NULL (step->source_host))                                      \
  X (own_process, "srun_process", COUNT_IF (step->source_pid != 0, step->source_pid))              \
  X (own_line, "submit_line", TEXT_OR_NULL (step->submit_line))

#define X(name, path, what)                                                                        \
  static void step_##name (GString *out, gconstpointer report, gconstpointer row)                  \
  {                                                                                                \
    Report *self = (gpointer)report;                                                               \
    const LkRecord_step *step = row;                                                               \
    (void)self;                                                                                    \
    (void)step;                                                                                    \
    what;                                                                                          \
  }
STEP_MEMBERS (X)
OWN_MEMBERS (X)
#undef X

/* ---------------------------------------------------------------- which */

typedef struct {
  LkJson json;
  Report report;
  guint32 task; /* G_MAXUINT32: any */
  gboolean is_one;
  guint32 step_id;                                                  /* then: this */
  gboolean (*is_wanted) (gpointer user, const LkRecord_step *step); /* NULL: each is */
  gpointer user;
  guint count;
} Listing;

/* "7", "7_3", "7.0", "7_3.batch". FALSE: it is none. */
static gboolean
word_parse (const char *word, guint32 *out_job_id, Listing *out)
{
  char *end;
  guint64 id = g_ascii_strtoull (word, &end, 10);
  if (end == word || id == 0 || id >= G_MAXUINT32)
    return FALSE;
  *out_job_id = (guint32)id;
  if (*end == '_' && g_ascii_isdigit (end[1]))
    out->task = (guint32)g_ascii_strtoull (end + 1, &end, 10);
  out->is_one = *end == '.';
  if (!out->is_one)
    return *end == '\0';
  out->step_id = SCRIPT_STEP;
  if (strcmp (end, ".batch") == 0)
    return TRUE;
  out->step_id = (guint32)g_ascii_strtoull (end + 1, &end, 10);
  return g_ascii_isdigit (end[-1]) && *end == '\0';
}

static void
step_take (gpointer user, const LkRecord *record)
{
  Listing *self = user;
  const LkRecord_step *step = &record->step;
  if (lk_job_state_is_end (step->state) || (self->is_one && step->step_id != self->step_id)
      || (self->task != G_MAXUINT32 && (step->array_job_id == 0 || step->array_task != self->task))
      || (self->is_wanted != NULL && !self->is_wanted (self->user, step)))
    return;
  self->count++;
  lk_json_row (&self->json, &self->report, step);
}

static gboolean
is_told (const LkClient *client, const LkClientQuery *query, Listing *self, const char *word)
{
  g_autoptr (GError) error = NULL;
  if (!lk_client_query (client, query, step_take, self, &error)) {
    fprintf (client->err, "slurm_get_job_steps error: %s\n", error->message);
    return FALSE;
  }
  if (word == NULL || self->count > 0)
    return TRUE;
  fprintf (client->err, "Job step %s not found\n", word);
  return FALSE;
}

static gboolean
print (const LkClient *client, const LkJsonChoice *choice, const LkClientQuery *query,
       Listing *self, const char *word)
{
#define X(name, path, what) { path, step_##name },
  static const LkShapeMember members[] = { STEP_MEMBERS (X){ NULL, NULL } };
  static const LkShapeMember own[] = { OWN_MEMBERS (X){ NULL, NULL } };
#undef X
  static const LkJsonKind kind = { "steps", lk_shape_step, members };
  static const LkJsonKind own_kind = { "steps", lk_shape_own_step, own };
  g_autofree char *cluster = lk_json_cluster (client);
  self->report = (Report){ .client = client, .cluster = cluster };
  lk_names_init (&self->report.names);
  lk_json_begin (&self->json, client, choice, cluster);
  lk_json_open (&self->json, choice->is_own ? &own_kind : &kind);
  gboolean is_good = is_told (client, query, self, word);
  lk_json_close (&self->json);
  if (is_good)
    lk_json_end (&self->json);
  else
    lk_json_drop (&self->json);
  lk_names_clear (&self->report.names);
  return is_good;
}

gboolean
lk_json_steps (const LkClient *client, const LkJsonChoice *choice, const char *word)
{
  LkClientQuery query = { .kind = LK_RECORD_STEP };
  Listing self = { .task = G_MAXUINT32 };
  if (word != NULL && !word_parse (word, &query.job_id, &self)) {
    fprintf (client->err, "Invalid job step id specified: %s\n", word);
    return FALSE;
  }
  return print (client, choice, &query, &self, word);
}

gboolean
lk_json_steps_if (const LkClient *client, const LkJsonChoice *choice,
                  gboolean (*is_wanted) (gpointer user, const LkRecord_step *step), gpointer user)
{
  const LkClientQuery query = { .kind = LK_RECORD_STEP };
  Listing self = { .task = G_MAXUINT32, .is_wanted = is_wanted, .user = user };
  return print (client, choice, &query, &self, NULL);
}
