/* live/step/environment.c — see the header. */
#include "live/step/environment.h"

#include <string.h>
#include <unistd.h>

#include "live/port/process_tree.h"

/* What users may say to prolog and epilog by way of plugins. */
#define PLUGIN_VARIABLES_MAX 256u
#define PLUGIN_VALUE_MAX_BYTES 65535u
#define PLUGIN_NAME_BYTES "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
#define PATH_DEFAULT "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
#define SECOND_US G_GINT64_CONSTANT (1000000)
#define MIB (G_GINT64_CONSTANT (1) << 20)
/* Behind the names of what belongs to a component of a heterogeneous job. */
#define GROUP_MARK "_HET_GROUP_"

/* Names that say what a node knows. What an outer job has left of them is not true here. Those with
 * a * are all that begin so. */
static const char *const ours[] = {
  "SLURM_JOB_*",         "SLURM_JOBID",          "SLURM_NODELIST",
  "SLURM_NNODES",        "SLURM_TASKS_PER_NODE", "SLURM_CPUS_ON_NODE",
  "SLURM_PROCID",        "SLURM_LOCALID",        "SLURM_NODEID",
  "SLURMD_NODENAME",     "SLURM_GTIDS",          "SLURM_TASK_PID",
  "SLURM_STEP*",         "SLURM_SUBMIT_*",       "SLURM_CLUSTER_NAME",
  "SLURM_RESTART_COUNT", "SLURM_ARRAY_*",        "SLURM_HET_*",
  "SLURM_GPUS_ON_NODE",  "SLURM_SHARDS_ON_NODE", "SLURM_TOPOLOGY_*",
  "SLURM_CONF",          "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
  "ZE_AFFINITY_MASK",    "GPU_DEVICE_ORDINAL",   LK_RUN_MARK,
  LK_STEP_MARK,          "LOCKSTEP_JOB_KEY",
};

/* Likewise, of a script; a task has these as its srun had them. */
static const char *const ours_of_script[] = { "ENVIRONMENT", "HOSTNAME" };

/* Likewise, of a task: its step says these. */
static const char *const ours_of_task[] = {
  "SLURM_NTASKS",
  "SLURM_NPROCS",
  "SLURM_CPUS_PER_TASK",
  "SLURM_LAUNCH_NODE_IPADDR",
  "SLURM_MEM_BIND*",
  "SLURM_SRUN_COMM_*",
  "SLURM_CPU_BIND*",
  "SLURM_MPI_TYPE",
  "SLURM_UMASK",
  "SLURM_PRIO_PROCESS",
  "PMIX_*",
  "SLURM_PMIX*",
};

typedef struct {
  const char *const *names;
  guint count;
} Names;
static const Names names_of_script = { ours_of_script, G_N_ELEMENTS (ours_of_script) };
static const Names names_of_task = { ours_of_task, G_N_ELEMENTS (ours_of_task) };

/* ---------------------------------------------------------------- lists of variables */

static void
set_n (GPtrArray *list, const char *name, const char *value, gsize length_bytes)
{
  g_ptr_array_add (
      list, g_strdup_printf ("%s=%.*s", name, (int)length_bytes, length_bytes > 0 ? value : ""));
}

static void
set (GPtrArray *list, const char *name, const char *value)
{
  set_n (list, name, value, strlen (value));
}

static void
set_text (GPtrArray *list, const char *name, LkText value)
{
  set_n (list, name, value.bytes, value.length_bytes);
}

/* Where it was given. */
static void
set_given (GPtrArray *list, const char *name, LkText value)
{
  if (value.length_bytes > 0)
    set_text (list, name, value);
}

static void
set_number (GPtrArray *list, const char *name, gint64 value)
{
  g_ptr_array_add (list, g_strdup_printf ("%s=%" G_GINT64_FORMAT, name, value));
}

static void
set_above_0 (GPtrArray *list, const char *name, gint64 value)
{
  if (value > 0)
    set_number (list, name, value);
}

static gboolean
is_named (const char *variable, const char *name)
{
  gsize length = strlen (name);
  return strncmp (variable, name, length) == 0 && variable[length] == '=';
}

static gboolean
has (const GPtrArray *list, const char *name)
{
  for (guint i = 0; i < list->len; i++)
    if (is_named (g_ptr_array_index (list, i), name))
      return TRUE;
  return FALSE;
}

static void
set_if_missing (GPtrArray *list, const char *name, const char *value)
{
  if (!has (list, name))
    set (list, name, value);
}

static void
unset (GPtrArray *list, const char *name)
{
  for (guint i = list->len; i-- > 0;)
    if (is_named (g_ptr_array_index (list, i), name))
      g_ptr_array_remove_index (list, i);
}

/* SLURM_MEM_PER_NODE_HET_GROUP_1 */
static gboolean
is_of_group (const char *variable)
{
  const char *mark = strstr (variable, GROUP_MARK);
  return g_str_has_prefix (variable, "SLURM_") && mark != NULL && mark < strchrnul (variable, '=');
}

static gboolean
is_one_of (const char *variable, Names list)
{
  for (guint i = 0; i < list.count; i++) {
    gsize length = strlen (list.names[i]);
    if (list.names[i][length - 1] == '*' ? strncmp (variable, list.names[i], length - 1) == 0
                                         : is_named (variable, list.names[i]))
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_ours (const char *variable, Names more)
{
  const Names all = { ours, G_N_ELEMENTS (ours) };
  /* What was asked for, as the submission says: the engine keeps only what is left of it. */
  if (is_named (variable, "SLURM_JOB_DEPENDENCY"))
    return FALSE;
  return is_of_group (variable) || is_one_of (variable, all) || is_one_of (variable, more);
}

static void
take_sent (GPtrArray *list, LkStrings sent, Names ours_too)
{
  const char *variable;
  while ((variable = lk_strings_next (&sent)) != NULL)
    if (strchr (variable, '=') != NULL && variable[0] != '=' && !is_ours (variable, ours_too))
      g_ptr_array_add (list, g_strdup (variable));
}

/* ---------------------------------------------------------------- the job */

static void
add_array (GPtrArray *list, const LkMessage_launch *launch)
{
  if (launch->array_job_id == 0)
    return;
  set_number (list, "SLURM_ARRAY_JOB_ID", launch->array_job_id);
  set_number (list, "SLURM_ARRAY_TASK_ID", launch->array_task);
  set_number (list, "SLURM_ARRAY_TASK_COUNT", launch->array_count);
  set_number (list, "SLURM_ARRAY_TASK_MIN", launch->array_min);
  set_number (list, "SLURM_ARRAY_TASK_MAX", launch->array_max);
  set_number (list, "SLURM_ARRAY_TASK_STEP", launch->array_step);
}

/* Programs count the devices that they may open from 0. */
static char *
visible_devices (const LkRunScene *scene, const GArray *gpus)
{
  g_autoptr (GArray) seen = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 i = 0; i < gpus->len; i++) {
    guint32 number = scene->devices_are_confined ? i : g_array_index (gpus, guint32, i);
    g_array_append_val (seen, number);
  }
  return lk_number_list (seen);
}

static void
add_visible (GPtrArray *list, const LkRunScene *scene, const GArray *gpus)
{
  static const char *const names[] = { "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                       "ZE_AFFINITY_MASK", "GPU_DEVICE_ORDINAL" };
  g_autofree char *visible = visible_devices (scene, gpus);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    set (list, names[i], visible);
}

static void
add_devices (GPtrArray *list, const LkRunScene *scene, gboolean is_script)
{
  const LkRunShare *share = scene->share;
  g_autoptr (GArray) gpus = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_vals (gpus, share->gpus->data, share->gpus->len);
  if (share->shares > 0) {
    guint32 gpu = share->share_gpu;
    g_array_append_val (gpus, gpu);
  }
  if (gpus->len == 0)
    return;
  g_autofree char *all = lk_number_list (gpus);
  set (list, "SLURM_JOB_GPUS", all);
  if (is_script && share->gpus->len > 0)
    set_number (list, "SLURM_GPUS_ON_NODE", share->gpus->len);
  if (is_script && share->shares > 0 && strcmp (share->share_name, "shard") == 0)
    set_number (list, "SLURM_SHARDS_ON_NODE", share->shares);
  if (is_script && share->shares > 0 && strcmp (share->share_name, "mps") == 0)
    set_number (list, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", MIN (share->shares, 100));
  add_visible (list, scene, gpus);
}

/* What prolog, script and epilog all hear. */
static void
add_job (GPtrArray *list, const LkRunScene *scene, gboolean is_script)
{
  const LkMessage_launch *launch = scene->launch;
  set_number (list, "SLURM_JOB_ID", launch->job_id);
  set_number (list, "SLURM_JOBID", launch->job_id);
  set_text (list, "SLURM_JOB_NAME", launch->job_name);
  set_n (list, "SLURM_JOB_NODELIST", launch->nodes.bytes, launch->nodes.length_bytes);
  set_n (list, "SLURM_NODELIST", launch->nodes.bytes, launch->nodes.length_bytes);
  set_number (list, "SLURM_JOB_NUM_NODES", scene->share->node_count);
  set_number (list, "SLURM_NNODES", scene->share->node_count);
  set_number (list, "SLURM_JOB_UID", launch->user_id);
  set_number (list, "SLURM_JOB_GID", launch->group_id);
  set (list, "SLURM_JOB_USER", scene->user);
  set (list, "SLURM_JOB_GROUP", scene->group);
  set_given (list, "SLURM_JOB_PARTITION", launch->partition);
  set_given (list, "SLURM_JOB_ACCOUNT", launch->account);
  set_given (list, "SLURM_JOB_QOS", launch->qos);
  set_given (list, "SLURM_JOB_RESERVATION", launch->reservation);
  set_given (list, "SLURM_JOB_LICENSES", launch->licenses);
  if (is_script) {
    set_given (list, "SLURM_TOPOLOGY_ADDR", launch->address);
    set_given (list, "SLURM_TOPOLOGY_ADDR_PATTERN", launch->address_pattern);
  }
  set_given (list, "SLURM_CLUSTER_NAME", launch->cluster);
  set_above_0 (list, "SLURM_JOB_START_TIME", launch->start_us / SECOND_US);
  set_above_0 (list, "SLURM_JOB_END_TIME", launch->end_us / SECOND_US);
  set_above_0 (list, "SLURM_RESTART_COUNT", launch->restarts);
  set (list, "SLURMD_NODENAME", scene->node);
  if (scene->configuration != NULL)
    set (list, "SLURM_CONF", scene->configuration);
  if (is_script && scene->job_key != NULL)
    set (list, "LOCKSTEP_JOB_KEY", scene->job_key);
  add_array (list, launch);
  add_devices (list, scene, is_script);
}

static void
add_size (GPtrArray *list, const LkRunScene *scene)
{
  const LkMessage_launch *launch = scene->launch;
  g_autofree char *tasks = lk_run_share_tasks (scene->share, launch->tasks, launch->cpus_per_task,
                                               launch->tasks_per_node);
  set (list, "SLURM_TASKS_PER_NODE", tasks);
  set_n (list, "SLURM_JOB_CPUS_PER_NODE", launch->cpus.bytes, launch->cpus.length_bytes);
  set_number (list, "SLURM_CPUS_ON_NODE", scene->share->cpus);
  /* An overcommitted job asks for fewer tasks than its steps are to have. */
  if (launch->tasks > 0 && !(has (list, "SLURM_OVERCOMMIT") && has (list, "SLURM_NTASKS"))) {
    unset (list, "SLURM_NTASKS");
    unset (list, "SLURM_NPROCS");
    set_number (list, "SLURM_NTASKS", launch->tasks);
    set_number (list, "SLURM_NPROCS", launch->tasks);
  }
  static const char *const asked[] = { "SLURM_CPUS_PER_TASK", "SLURM_NTASKS_PER_NODE",
                                       "SLURM_MEM_PER_NODE", "SLURM_MEM_PER_CPU",
                                       "SLURM_MEM_PER_GPU" };
  for (guint i = 0; i < G_N_ELEMENTS (asked); i++)
    unset (list, asked[i]);
  set_above_0 (list, asked[0], launch->cpus_per_task);
  set_above_0 (list, asked[1], launch->tasks_per_node);
  set_above_0 (list, asked[2], launch->memory_per_node_bytes / MIB);
  set_above_0 (list, asked[3], launch->memory_per_cpu_bytes / MIB);
  set_above_0 (list, asked[4], launch->memory_per_gpu_bytes / MIB);
}

/* ---------------------------------------------------------------- heterogeneous jobs */

static char *
group_name (const char *name, const LkRunComponent *component)
{
  return g_strdup_printf ("%s" GROUP_MARK "%u", name, component->offset);
}

static void
set_of_group (GPtrArray *list, const char *name, const LkRunComponent *component, LkText value)
{
  g_autofree char *whole = group_name (name, component);
  set_given (list, whole, value);
}

static void
set_number_of_group (GPtrArray *list, const char *name, const LkRunComponent *component,
                     gint64 value)
{
  g_autofree char *whole = group_name (name, component);
  set_above_0 (list, whole, value);
}

static void
set_long_of_group (GPtrArray *list, const char *name, const LkRunComponent *component,
                   LkLongText value)
{
  g_autofree char *whole = group_name (name, component);
  set_n (list, whole, value.bytes, value.length_bytes);
}

/* The names are those of Slurm's _set_het_job_env. */
static void
add_component (GPtrArray *list, const LkRunComponent *component)
{
  g_autofree char *tasks = lk_run_component_tasks (component);
  LkLongText tasks_text = { tasks, (guint32)strlen (tasks) };
  set_of_group (list, "SLURM_JOB_ACCOUNT", component, component->account);
  set_long_of_group (list, "SLURM_JOB_CPUS_PER_NODE", component, component->cpus);
  set_number_of_group (list, "SLURM_JOB_ID", component, component->job_id);
  set_of_group (list, "SLURM_JOB_NAME", component, component->job_name);
  set_long_of_group (list, "SLURM_JOB_NODELIST", component, component->nodes);
  set_number_of_group (list, "SLURM_JOB_NUM_NODES", component, lk_run_component_nodes (component));
  set_of_group (list, "SLURM_JOB_PARTITION", component, component->partition);
  set_of_group (list, "SLURM_JOB_QOS", component, component->qos);
  set_of_group (list, "SLURM_JOB_RESERVATION", component, component->reservation);
  set_number_of_group (list, "SLURM_MEM_PER_CPU", component, component->memory_per_cpu_bytes / MIB);
  set_number_of_group (list, "SLURM_MEM_PER_NODE", component,
                       component->memory_per_node_bytes / MIB);
  set_long_of_group (list, "SLURM_TASKS_PER_NODE", component, tasks_text);
}

static void
add_het (GPtrArray *list, const LkMessage_launch *launch)
{
  LkComponents left = launch->components;
  LkRunComponent component;
  if (launch->het_leader == 0)
    return;
  set_number (list, "SLURM_HET_SIZE", launch->het_count);
  while (lk_run_component_next (&left, &component))
    add_component (list, &component);
}

static void
add_login (GPtrArray *list, const LkRunScene *scene)
{
  set_if_missing (list, "HOME", scene->home);
  set_if_missing (list, "USER", scene->user);
  set_if_missing (list, "LOGNAME", scene->user);
  set_if_missing (list, "SHELL", scene->shell);
  set_if_missing (list, "PATH", PATH_DEFAULT);
  set_if_missing (list, "TMPDIR", "/tmp");
}

/* What was sent goes before it. */
static void
add_profile (GPtrArray *list, const GPtrArray *login)
{
  for (guint i = 0; login != NULL && i < login->len; i++) {
    const char *variable = g_ptr_array_index (login, i);
    g_autofree char *name = g_strndup (variable, strcspn (variable, "="));
    if (!is_ours (variable, names_of_script) && !has (list, name))
      g_ptr_array_add (list, g_strdup (variable));
  }
}

static void
add_host (GPtrArray *list)
{
  char host[256] = "";
  gethostname (host, sizeof host - 1);
  set (list, "HOSTNAME", host);
  set (list, "ENVIRONMENT", "BATCH");
}

static void
add_submission (GPtrArray *list, const LkBatch *batch)
{
  set_n (list, "SLURM_SUBMIT_DIR", (const char *)batch->submit_dir.bytes,
         batch->submit_dir.length_bytes);
  set_given (list, "SLURM_SUBMIT_HOST", batch->submit_host);
  /* What else was given with --export came with what was sent. */
  if (batch->export_mode == LK_BATCH_EXPORT_NONE || batch->export_mode == LK_BATCH_EXPORT_NIL) {
    unset (list, "SLURM_EXPORT_ENV");
    set (list, "SLURM_EXPORT_ENV", batch->export_mode == LK_BATCH_EXPORT_NIL ? "NIL" : "NONE");
  }
}

GPtrArray *
lk_environment_script (const LkRunScene *scene)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (g_free);
  take_sent (list, scene->batch->environment, names_of_script);
  add_profile (list, scene->login);
  if (scene->batch->export_mode != LK_BATCH_EXPORT_NIL)
    add_login (list, scene);
  add_job (list, scene, /* is_script= */ TRUE);
  add_size (list, scene);
  add_het (list, scene->launch);
  add_submission (list, scene->batch);
  add_host (list);
  set_number (list, "SLURM_PROCID", 0);
  set_number (list, "SLURM_LOCALID", 0);
  set_number (list, "SLURM_NODEID", scene->share->node_index);
  set_number (list, "SLURM_GTIDS", 0);
  set (list, LK_RUN_MARK, scene->folder);
  /* Filled in by the process itself. */
  set_number (list, "SLURM_TASK_PID", getpid ());
  g_ptr_array_add (list, NULL);
  return list;
}

/* ---------------------------------------------------------------- tasks of steps */

static void
add_step (GPtrArray *list, const LkTaskScene *task)
{
  const LkMessage_step_launch *launch = task->launch;
  set_number (list, "SLURM_STEP_ID", launch->step_id);
  set_number (list, "SLURM_STEPID", launch->step_id);
  set (list, "SLURM_STEP_NODELIST", task->nodes);
  set_number (list, "SLURM_STEP_NUM_NODES", task->node_count);
  set_number (list, "SLURM_STEP_NUM_TASKS", launch->tasks);
  set (list, "SLURM_STEP_TASKS_PER_NODE", task->node_tasks);
  set (list, "SLURM_TASKS_PER_NODE", task->node_tasks);
  set_number (list, "SLURM_NTASKS", launch->tasks);
  set_number (list, "SLURM_NPROCS", launch->tasks);
  set_above_0 (list, "SLURM_CPUS_PER_TASK", launch->cpus_per_task);
  set_number (list, "SLURM_CPUS_ON_NODE", task->cpus);
  if (task->launcher != NULL) {
    set (list, "SLURM_LAUNCH_NODE_IPADDR", task->launcher);
    set (list, "SLURM_SRUN_COMM_HOST", task->launcher);
    set (list, "SLURM_SRUN_COMM_PORT", task->port);
    set (list, "SLURM_STEP_LAUNCHER_PORT", task->port);
  }
}

/* Names as srun has them, where nothing was asked for. */
static void
add_distribution (GPtrArray *list, const LkMessage_step_launch *launch)
{
  static const char *const names[] = { "block", "block", "cyclic", "plane", "arbitrary", "block" };
  if (launch->distribution < G_N_ELEMENTS (names))
    set_if_missing (list, "SLURM_DISTRIBUTION", names[launch->distribution]);
}

static void
add_binding (GPtrArray *list, const LkTaskScene *task)
{
  const char *loud = task->bind_verbose ? "verbose" : "quiet";
  g_autofree char *all = g_strdup_printf ("%s,%s%s", loud, task->bind_type, task->bind_list);
  set (list, "SLURM_CPU_BIND", all);
  set (list, "SLURM_CPU_BIND_TYPE", task->bind_type);
  set (list, "SLURM_CPU_BIND_LIST", task->bind_list);
  set (list, "SLURM_CPU_BIND_VERBOSE", loud);
  lk_mem_bind_variables (task->mem_bind, /* is_task= */ TRUE, list);
}

/* In place of those of the job, which the task does not see. */
static void
add_task_gpus (GPtrArray *list, const LkRunScene *scene, const LkTaskScene *task)
{
  static const char *const names[] = { "SLURM_GPUS_ON_NODE", "CUDA_VISIBLE_DEVICES",
                                       "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK",
                                       "GPU_DEVICE_ORDINAL" };
  if (scene->share->shares > 0)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    unset (list, names[i]);
  if (task->step_gpus->len == 0)
    return;
  g_autofree char *all = lk_number_list (task->step_gpus);
  g_autoptr (GArray) seen = g_array_new (FALSE, FALSE, sizeof (guint32));
  set (list, "SLURM_STEP_GPUS", all);
  set_number (list, "SLURM_GPUS_ON_NODE", task->step_gpus->len);
  for (guint i = 0; i < task->gpus->len; i++) {
    guint32 gpu = g_array_index (task->gpus, guint32, i);
    /* Devices of the step can be opened: among these they are counted. */
    for (guint32 j = 0; scene->devices_are_confined && j < task->step_gpus->len; j++)
      if (g_array_index (task->step_gpus, guint32, j) == g_array_index (task->gpus, guint32, i))
        gpu = j;
    g_array_append_val (seen, gpu);
  }
  g_autofree char *visible = lk_number_list (seen);
  for (guint i = 1; i < G_N_ELEMENTS (names); i++)
    set (list, names[i], visible);
}

GPtrArray *
lk_environment_task (const LkRunScene *scene, const LkTaskScene *task)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *mask = g_strdup_printf ("0%03o", task->needs->umask);
  take_sent (list, task->needs->environment, names_of_task);
  add_job (list, scene, /* is_script= */ TRUE);
  set_n (list, "SLURM_JOB_CPUS_PER_NODE", scene->launch->cpus.bytes,
         scene->launch->cpus.length_bytes);
  add_het (list, scene->launch);
  set_n (list, "SLURM_SUBMIT_DIR", (const char *)scene->batch->submit_dir.bytes,
         scene->batch->submit_dir.length_bytes);
  set_given (list, "SLURM_SUBMIT_HOST", scene->batch->submit_host);
  add_step (list, task);
  add_distribution (list, task->launch);
  add_binding (list, task);
  add_task_gpus (list, scene, task);
  static const char *const mpis[LK_STEP_MPI_COUNT] = { "none", "pmix", "pmi2" };
  set (list, "SLURM_MPI_TYPE", mpis[task->needs->mpi]);
  set (list, "SLURM_UMASK", mask);
  set_number (list, "SLURM_PRIO_PROCESS", 0);
  set_number (list, "SLURM_PROCID", task->task);
  set_number (list, "SLURM_LOCALID", task->index);
  set_number (list, "SLURM_NODEID", task->launch->place); /* of the step, as in Slurm */
  set (list, "SLURM_GTIDS", task->here);
  g_ptr_array_add (list,
                   g_strdup_printf (LK_STEP_MARK "=%s/%u", scene->folder, task->launch->step_id));
  set (list, LK_RUN_MARK, scene->folder);
  set_number (list, "SLURM_TASK_PID", getpid ());
  g_ptr_array_add (list, NULL);
  return list;
}

/* ---------------------------------------------------------------- programs of the site */

/* SLURM_SPANK_NAME of the job is SPANK_NAME here: the user chooses the name behind the prefix,
 * which only plugins look at. */
static void
add_plugins (GPtrArray *list, const LkRunScene *scene)
{
  static const char prefix[] = "SLURM_SPANK_";
  LkStrings left = scene->batch->environment;
  const char *variable;
  guint count = 0;
  while ((variable = lk_strings_next (&left)) != NULL && count < PLUGIN_VARIABLES_MAX) {
    gsize name = strcspn (variable, "=");
    if (!g_str_has_prefix (variable, prefix) || variable[name] != '='
        || strspn (variable, PLUGIN_NAME_BYTES) != name
        || strlen (variable + name) > PLUGIN_VALUE_MAX_BYTES)
      continue;
    g_ptr_array_add (list, g_strdup (variable + strlen ("SLURM_")));
    count++;
  }
}

GPtrArray *
lk_environment_program (const LkRunScene *scene, const char *context, const LkExit *how)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (g_free);
  set (list, "PATH", PATH_DEFAULT);
  add_job (list, scene, /* is_script= */ FALSE);
  set_n (list, "SLURM_JOB_WORK_DIR", (const char *)scene->batch->work_dir.bytes,
         scene->batch->work_dir.length_bytes);
  set_given (list, "SLURM_JOB_COMMENT", scene->launch->comment);
  set_given (list, "SLURM_JOB_CONSTRAINTS", scene->launch->constraint);
  set (list, "SLURM_SCRIPT_CONTEXT", context);
  set (list, LK_RUN_MARK, scene->folder);
  if (scene->has_plugins)
    add_plugins (list, scene);
  if (how != NULL) {
    /* As wait(2) has it, and as two numbers. */
    set_number (list, "SLURM_JOB_EXIT_CODE", how->exit_code * 256 + how->signal);
    g_ptr_array_add (list,
                     g_strdup_printf ("SLURM_JOB_EXIT_CODE2=%u:%u", how->exit_code, how->signal));
    set_number (list, "SLURM_JOB_DERIVED_EC", scene->derived_exit_code * 256);
  }
  g_ptr_array_add (list, NULL);
  return list;
}
