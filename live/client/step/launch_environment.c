/* live/client/step/launch_environment.c — what a program within an allocation is told of it.
 *
 * Source: salloc(1), OUTPUT ENVIRONMENT VARIABLES; Slurm's src/common/env.c, env_array_for_job. */
#include <string.h>

#include "engine/hostlist.h"
#include "live/client/step/launch.h"
#include "live/client/rounds.h"
#include "live/port/run_share.h"

#define MIB_BYTES (1024 * 1024)

/* ---------------------------------------------------------------- nodes */

static void
run_append (GString *out, guint64 value, guint count)
{
  if (count == 0)
    return;
  g_string_append_printf (out, "%s%" G_GUINT64_FORMAT, out->len > 0 ? "," : "", value);
  if (count > 1)
    g_string_append_printf (out, "(x%u)", count);
}

/* The cores of each node, of "n[1-2]=0-3;n3=0", in the order of the nodes. Returns: (transfer
 * full) of guint. */
static GArray *
cores_of_nodes (const LkRecord_job *job)
{
  GArray *counts = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree char *text = g_strndup (job->cores.bytes, job->cores.length_bytes);
  g_auto (GStrv) pieces = g_strsplit (text, ";", -1);
  for (guint i = 0; pieces[i] != NULL && *pieces[i] != '\0'; i++) {
    const char *ids = strchr (pieces[i], '=');
    if (ids == NULL)
      continue;
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GArray) cores = lk_number_ranges (ids + 1);
    lk_hostlist_expand (pieces[i], (gsize)(ids - pieces[i]), names, NULL);
    for (guint j = 0; j < names->len; j++)
      g_array_append_val (counts, cores->len);
  }
  return counts;
}

void
lk_launch_cpus (const LkRecord_job *job, GString *out)
{
  g_autoptr (GArray) cores = cores_of_nodes (job);
  guint64 all = 0;
  guint64 last = 0;
  guint count = 0;
  for (guint i = 0; i < cores->len; i++)
    all += g_array_index (cores, guint, i);
  for (guint i = 0; i < cores->len; i++) {
    /* A core may be several CPUs. */
    guint64 here = (guint64)g_array_index (cores, guint, i) * MAX (job->cpus, 1) / MAX (all, 1);
    if (here != last) {
      run_append (out, last, count);
      count = 0;
    }
    last = here;
    count++;
  }
  run_append (out, last, count);
  if (cores->len == 0 && job->nodes > 0)
    run_append (out, job->cpus / job->nodes, job->nodes);
}

void
lk_launch_tasks (const LkRecord_job *job, GString *out)
{
  g_autoptr (GString) cpus = g_string_new (NULL);
  lk_launch_cpus (job, cpus);
  LkRunComponent component = { .nodes = job->node_names,
                               .cpus = { cpus->str, (guint32)cpus->len },
                               .tasks = job->tasks,
                               .cpus_per_task = job->cpus_per_task_now,
                               .tasks_per_node = job->tasks_per_node };
  g_autofree char *tasks = lk_run_component_tasks (&component);
  g_string_append (out, tasks);
}

/* ---------------------------------------------------------------- variables */

static void put (GPtrArray *list, const char *name, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* The last of a name counts. */
static void
put (GPtrArray *list, const char *name, const char *format, ...)
{
  va_list arguments;
  gsize name_bytes = strlen (name);
  va_start (arguments, format);
  g_autofree char *value = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  for (guint i = list->len; i-- > 0;) {
    const char *known = g_ptr_array_index (list, i);
    if (strncmp (known, name, name_bytes) == 0 && known[name_bytes] == '=')
      g_ptr_array_remove_index (list, i);
  }
  g_ptr_array_add (list, g_strdup_printf ("%s=%s", name, value));
}

static void
put_text (GPtrArray *list, const char *name, const char *bytes, gsize length_bytes)
{
  if (length_bytes > 0)
    put (list, name, "%.*s", (int)length_bytes, bytes);
}

static void
put_moment (GPtrArray *list, const char *name, gint64 moment_us)
{
  if (moment_us > 0 && moment_us != G_MAXINT64)
    put (list, name, "%" G_GINT64_FORMAT, moment_us / G_USEC_PER_SEC);
}

static void
put_nodes (GPtrArray *list, const LkRecord_job *job)
{
  g_autoptr (GString) cpus = g_string_new (NULL);
  g_autoptr (GString) tasks = g_string_new (NULL);
  lk_launch_cpus (job, cpus);
  lk_launch_tasks (job, tasks);
  put_text (list, "SLURM_JOB_NODELIST", job->node_names.bytes, job->node_names.length_bytes);
  put_text (list, "SLURM_NODELIST", job->node_names.bytes, job->node_names.length_bytes);
  put (list, "SLURM_JOB_NUM_NODES", "%u", job->nodes);
  put (list, "SLURM_NNODES", "%u", job->nodes);
  put (list, "SLURM_TASKS_PER_NODE", "%s", tasks->str);
  put (list, "SLURM_JOB_CPUS_PER_NODE", "%s", cpus->str);
}

static gboolean
has_node (const char *list, gsize list_bytes, const char *node)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  lk_hostlist_expand (list, list_bytes, names, NULL);
  for (guint i = 0; i < names->len; i++)
    if (strcmp (g_ptr_array_index (names, i), node) == 0)
      return TRUE;
  return FALSE;
}

/* GPUs of the first node, of "n[1-2]=gpu:0-1|nic*2;n3=gpu:0": what a script there is told. */
static void
put_gpus (GPtrArray *list, const LkRecord_job *job)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = g_strndup (job->devices.bytes, job->devices.length_bytes);
  g_auto (GStrv) pieces = g_strsplit (text, ";", -1);
  lk_hostlist_expand (job->node_names.bytes, job->node_names.length_bytes, nodes, NULL);
  for (guint i = 0; nodes->len > 0 && pieces[i] != NULL; i++) {
    const char *given = strchr (pieces[i], '=');
    if (given == NULL
        || !has_node (pieces[i], (gsize)(given - pieces[i]), g_ptr_array_index (nodes, 0)))
      continue;
    g_auto (GStrv) parts = g_strsplit (given + 1, "|", -1);
    for (guint j = 0; parts[j] != NULL; j++) {
      if (!g_str_has_prefix (parts[j], "gpu:"))
        continue;
      g_autoptr (GArray) numbers = lk_number_ranges (parts[j] + strlen ("gpu:"));
      g_autofree char *gpus = lk_number_list (numbers);
      put (list, "SLURM_JOB_GPUS", "%s", gpus);
    }
  }
}

static void
put_job (GPtrArray *list, const LkRecord_job *job)
{
  put (list, "SLURM_JOB_ID", "%u", job->job_id);
  put (list, "SLURM_JOBID", "%u", job->job_id);
  put_text (list, "SLURM_JOB_NAME", job->name.bytes, job->name.length_bytes);
  put_text (list, "SLURM_JOB_PARTITION", job->partitions.bytes, job->partitions.length_bytes);
  put_text (list, "SLURM_JOB_ACCOUNT", job->account_name.bytes, job->account_name.length_bytes);
  put_text (list, "SLURM_JOB_QOS", job->qos_name.bytes, job->qos_name.length_bytes);
  put_text (list, "SLURM_JOB_RESERVATION", job->reservations.bytes, job->reservations.length_bytes);
  put_text (list, "SLURM_JOB_LICENSES", job->licenses.bytes, job->licenses.length_bytes);
  put_moment (list, "SLURM_JOB_START_TIME", job->start_us);
  put_moment (list, "SLURM_JOB_END_TIME", job->end_us);
}

/* ---------------------------------------------------------------- heterogeneous jobs */

/* Returns: (transfer full). */
static char *
group_name (const char *name, guint32 group)
{
  return g_strdup_printf ("%s_HET_GROUP_%u", name, group);
}

static void
put_text_of_group (GPtrArray *list, const char *name, guint32 group, LkLongText text)
{
  g_autofree char *whole = group_name (name, group);
  put_text (list, whole, text.bytes, text.length_bytes);
}

static LkLongText
long_text_of (LkText text)
{
  return (LkLongText){ text.bytes, text.length_bytes };
}

static void
put_number_of_group (GPtrArray *list, const char *name, guint32 group, gint64 number)
{
  g_autofree char *whole = group_name (name, group);
  if (number > 0)
    put (list, whole, "%" G_GINT64_FORMAT, number);
}

/* The same that the script of a heterogeneous job is told (live/step/environment.c). */
static void
put_component (GPtrArray *list, const LkRecord_job *job)
{
  guint32 group = job->het_offset;
  g_autoptr (GString) cpus = g_string_new (NULL);
  g_autoptr (GString) tasks = g_string_new (NULL);
  lk_launch_cpus (job, cpus);
  lk_launch_tasks (job, tasks);
  const struct {
    const char *name;
    LkLongText text;
  } texts[] = { { "SLURM_JOB_ACCOUNT", long_text_of (job->account_name) },
                { "SLURM_JOB_CPUS_PER_NODE", { cpus->str, (guint32)cpus->len } },
                { "SLURM_JOB_NAME", long_text_of (job->name) },
                { "SLURM_JOB_NODELIST", job->node_names },
                { "SLURM_JOB_PARTITION", job->partitions },
                { "SLURM_JOB_QOS", long_text_of (job->qos_name) },
                { "SLURM_JOB_RESERVATION", long_text_of (job->reservations) },
                { "SLURM_TASKS_PER_NODE", { tasks->str, (guint32)tasks->len } } };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    put_text_of_group (list, texts[i].name, group, texts[i].text);
  put_number_of_group (list, "SLURM_JOB_ID", group, job->job_id);
  put_number_of_group (list, "SLURM_JOB_NUM_NODES", group, job->nodes);
  put_number_of_group (list, "SLURM_MEM_PER_CPU", group, job->memory_per_cpu_bytes / MIB_BYTES);
  put_number_of_group (list, "SLURM_MEM_PER_NODE", group, job->memory_per_node_bytes / MIB_BYTES);
}

static void
put_components (GPtrArray *list, const GPtrArray *rows)
{
  if (rows == NULL)
    return;
  put (list, "SLURM_HET_SIZE", "%u", rows->len);
  for (guint i = 0; i < rows->len; i++)
    put_component (list, &((const LkJobRow *)g_ptr_array_index (rows, i))->job);
}

char **
lk_launch_environment (const LkLaunch *self, const LkAllocation *allocation)
{
  const LkClient *client = self->submission.client;
  const LkJobRow *row = allocation->row;
  LkBatchExport mode;
  const char *variable;
  GPtrArray *list = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  if (lk_sbatch_environment (&self->submission, &mode, bytes)) {
    LkStrings strings = { bytes->data, bytes->len };
    while ((variable = lk_strings_next (&strings)) != NULL)
      g_ptr_array_add (list, g_strdup (variable));
  }
  put_job (list, &row->job);
  put_nodes (list, &row->job);
  put (list, "SLURM_JOB_USER", "%s", row->user);
  put (list, "SLURM_JOB_UID", "%u", row->job.user_id);
  put (list, "SLURM_JOB_GID", "%u", row->job.group_id);
  put (list, "SLURM_JOB_GROUP", "%s", row->group);
  put_gpus (list, &row->job);
  g_autofree char *cluster = lk_client_cluster_name (client);
  put (list, "SLURM_CLUSTER_NAME", "%s", cluster);
  put_components (list, allocation->components);
  g_ptr_array_add (list, NULL);
  g_ptr_array_set_free_func (list, NULL);
  return (char **)g_ptr_array_free (list, FALSE);
}
