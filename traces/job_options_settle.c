/* traces/job_options_settle.c — see job_options_private.h; the rules are in job_options.c. */
#include "traces/job_options_private.h"

#include <string.h>

#include "engine/hostlist.h"
#include "traces/job_values.h"

#define GPU "gpu"

static gboolean
fail (GError **error, const char *message)
{
  g_set_error_literal (error, LK_TRACE_ERROR, LK_TRACE_ERROR_CONFLICT, message);
  return FALSE;
}

/* ---------------------------------------------------------------- generic resources */

static gboolean
bytes_equal (const char *a, gsize a_bytes, const char *b, gsize b_bytes)
{
  return a_bytes == b_bytes && (a_bytes == 0 || memcmp (a, b, a_bytes) == 0);
}

/* Adds to a list in which a name and type stand once. FALSE: the name is there with a type and
 * without one. */
static gboolean
gres_add (GArray *list, const LkJobGres *gres)
{
  for (guint i = 0; i < list->len; i++) {
    LkJobGres *known = &g_array_index (list, LkJobGres, i);
    if (!bytes_equal (known->name, known->name_bytes, gres->name, gres->name_bytes))
      continue;
    if (bytes_equal (known->type, known->type_bytes, gres->type, gres->type_bytes)) {
      known->count = gres->count;
      return TRUE;
    }
    if (known->type_bytes == 0 || gres->type_bytes == 0)
      return FALSE;
  }
  g_array_append_val (list, *gres);
  return TRUE;
}

/* Adds `from` to `list`; `option` is where it came from. */
static gboolean
gres_join (GArray *list, const GArray *from, const char *option, GError **error)
{
  for (guint i = 0; i < from->len; i++) {
    const LkJobGres *gres = &g_array_index (from, LkJobGres, i);
    if (gres_add (list, gres))
      continue;
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_CONFLICT,
                 "option --%s asks for %.*s with a type and without one; expected one of the two",
                 option, (int)gres->name_bytes, gres->name);
    return FALSE;
  }
  return TRUE;
}

/* Puts the list into the request as text; what stood there twice stands there once. */
static gboolean
gres_settle (LkJobParse *self, GArray **list, const char *option, LkText *out_text, GError **error)
{
  g_autoptr (GArray) joined = g_array_new (FALSE, FALSE, sizeof (LkJobGres));
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean is_gres = *list == self->gres;
  if (is_gres && !gres_join (joined, self->gpus_per_node, "gpus-per-node", error))
    return FALSE;
  if (!gres_join (joined, *list, option, error))
    return FALSE;
  lk_job_gres_format (joined, is_gres, text);
  if (text->len > G_MAXUINT16) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_CONFLICT,
                 "option --%s is %" G_GSIZE_FORMAT " bytes long; expected at most %u", option,
                 text->len, G_MAXUINT16);
    return FALSE;
  }
  if (text->len > 0)
    *out_text = lk_text (g_string_chunk_insert_const (self->texts, text->str));
  g_array_unref (*list);
  *list = g_steal_pointer (&joined);
  return TRUE;
}

static gboolean
all_gres_settle (LkJobParse *self, GError **error)
{
  LkJobRequest *request = &self->options.request;
  return gres_settle (self, &self->gres, "gres", &request->gres, error)
         && gres_settle (self, &self->gpus, "gpus", &request->gpus, error)
         && gres_settle (self, &self->gpus_per_task, "gpus-per-task", &request->gpus_per_task,
                         error)
         && gres_settle (self, &self->gpus_per_socket, "gpus-per-socket", &request->gpus_per_socket,
                         error);
}

/* ---------------------------------------------------------------- what excludes what */

static gboolean
exclusions_check (const LkJobParse *self, GError **error)
{
  const LkJobRequest *request = &self->options.request;
  const guint32 memory = request->present;
  gboolean has_gpus = lk_job_gres_count (self->gres, GPU) > 0 || self->gpus->len > 0
                      || self->gpus_per_task->len > 0 || self->gpus_per_socket->len > 0;
  if (self->is_exclusive && self->is_oversubscribe)
    return fail (error, "options --exclusive and --oversubscribe exclude each other; expected one "
                        "of them");
  if ((memory & (memory - 1)) != 0)
    return fail (error, "options --mem, --mem-per-cpu and --mem-per-gpu exclude each other; "
                        "expected one of them");
  if ((memory & LK_REQUEST_HAS_MEMORY_PER_GPU) != 0 && !has_gpus)
    return fail (error, "option --mem-per-gpu is given for a job without GPUs; expected --gpus, "
                        "--gres=gpu or --gpus-per-task too");
  if (request->cpus_per_gpu > 0 && request->cpus_per_task > 0)
    return fail (error, "options --cpus-per-gpu and --cpus-per-task exclude each other; expected "
                        "one of them");
  if (self->gpus_per_socket->len > 0 && request->sockets_per_node_min == 0)
    return fail (error, "option --gpus-per-socket is given without --sockets-per-node; expected "
                        "both");
  if (request->tasks_per_gpu > 0
      && (request->tasks_per_node > 0 || self->gpus_per_task->len > 0
          || self->gpus_per_socket->len > 0))
    return fail (error, "option --ntasks-per-gpu excludes --ntasks-per-node, --gpus-per-task and "
                        "--gpus-per-socket; expected one of them");
  return TRUE;
}

/* ---------------------------------------------------------------- tasks and nodes */

static gboolean
tasks_set (LkJobRequest *request, guint64 tasks, GError **error)
{
  if (tasks > G_MAXINT32)
    return fail (error, "the options ask for more than 2147483647 tasks; expected fewer");
  request->tasks = (guint32)tasks;
  return TRUE;
}

static gboolean
nodes_are_exact (const LkJobRequest *request)
{
  return request->nodes_min > 0
         && (request->nodes_max == 0 || request->nodes_max == request->nodes_min);
}

/* Blocks of plane= tasks must reach every node; it is the nodes and tasks as given that count.
 * Source: sbatch's own check, with its message. */
static gboolean
plane_check (const LkJobParse *self, GError **error)
{
  const LkJobRequest *request = &self->options.request;
  guint64 nodes = MAX (1, request->nodes_min);
  guint64 tasks = request->tasks;
  if (tasks == 0 && request->nodes_min > 0)
    tasks = nodes * request->tasks_per_node;
  tasks = MAX (1, tasks);
  if (self->plane == 0 || tasks / self->plane >= nodes || (nodes - 1) * self->plane < tasks)
    return TRUE;
  return fail (error, "Too few processes for the requested {plane,node} distribution");
}

/* A job that is spread may have a node for each of its tasks.  Source: slurmctld's job record. */
static void
spread_settle (LkJobRequest *request)
{
  if ((request->flags & LK_REQUEST_SPREAD_JOB) == 0 || request->nodes_max > 0
      || request->nodes_min > 0 || request->tasks == 0)
    return;
  request->nodes_min = 1;
  request->nodes_max = request->tasks;
}

static guint32
named_count (LkText list)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) distinct = g_hash_table_new (g_str_hash, g_str_equal);
  if (list.length_bytes == 0 || !lk_hostlist_expand (list.bytes, list.length_bytes, names, NULL))
    return 0;
  for (guint i = 0; i < names->len; i++)
    g_hash_table_add (distinct, g_ptr_array_index (names, i));
  return g_hash_table_size (distinct);
}

/* sbatch: "can't run 2 processes on 4 nodes, setting nnodes to 2". */
static void
nodes_cut (LkJobOptions *options, guint32 nodes)
{
  LkJobRequest *request = &options->request;
  options->nodes_cut_from = nodes;
  request->nodes_min = request->nodes_max = request->tasks;
}

/* What -n, -N, -w, --ntasks-per-node and -B say together. */
static gboolean
tasks_settle (LkJobParse *self, GError **error)
{
  LkJobRequest *request = &self->options.request;
  guint64 nodes = MAX (1, request->nodes_min);
  if (request->tasks > 0 && request->nodes_min > 0) {
    if (request->tasks < request->nodes_max)
      request->nodes_max = request->tasks;
    if (request->tasks < request->nodes_min)
      nodes_cut (&self->options, request->nodes_min);
    return TRUE;
  }
  if (request->tasks > 0) {
    guint32 named = named_count (request->node_list);
    if (named > request->tasks)
      nodes_cut (&self->options, named);
    return TRUE;
  }
  if (request->tasks_per_node > 0)
    return tasks_set (request, nodes * request->tasks_per_node, error);
  if (self->tasks_per_b > 0 && (request->nodes_min == 0 || nodes_are_exact (request)))
    return tasks_set (request, nodes * self->tasks_per_b, error);
  return TRUE;
}

static gboolean
gpus_per_task_settle (LkJobParse *self, GError **error)
{
  LkJobRequest *request = &self->options.request;
  guint32 per_task = lk_job_gres_count (self->gpus_per_task, GPU);
  guint32 gpus = lk_job_gres_count (self->gpus, GPU);
  guint32 per_node = lk_job_gres_count (self->gres, GPU);
  if (per_task == 0)
    return TRUE;
  if (gpus > 0 && gpus % per_task != 0)
    return fail (error, "option --gpus is not a multiple of --gpus-per-task; expected one");
  if (gpus > 0 && request->tasks > 0 && request->tasks != gpus / per_task)
    return fail (error, "option --gpus divided by --gpus-per-task is another number of tasks than "
                        "the options give; expected the same");
  if (gpus > 0)
    request->tasks = gpus / per_task;
  if (request->tasks == 0 && !nodes_are_exact (request))
    return fail (error, "option --gpus-per-task is given without --ntasks or --gpus; expected one "
                        "of them too");
  if (request->tasks == 0)
    request->tasks = request->nodes_min;
  if (per_node > 0 && per_node % per_task != 0)
    return fail (error, "the GPUs of a node are not a multiple of --gpus-per-task; expected one");
  if (per_node > 0 && request->tasks_per_node == 0)
    request->tasks_per_node = per_node / per_task;
  return TRUE;
}

static gboolean
tasks_per_gpu_settle (LkJobParse *self, GError **error)
{
  LkJobRequest *request = &self->options.request;
  guint64 gpus = lk_job_gres_count (self->gpus, GPU);
  if (request->tasks_per_gpu == 0)
    return TRUE;
  if (gpus == 0)
    gpus = (guint64)lk_job_gres_count (self->gres, GPU) * MAX (1, request->nodes_min);
  if (gpus > 0)
    return tasks_set (request, MIN (gpus, G_MAXUINT32) * request->tasks_per_gpu, error);
  guint32 tasks = request->tasks;
  if (tasks == 0 && nodes_are_exact (request))
    tasks = request->nodes_min;
  if (tasks == 0)
    return fail (error, "option --ntasks-per-gpu is given without GPUs, tasks or nodes; expected "
                        "--gpus, --gres=gpu or --ntasks too");
  LkJobGres wanted = { .name = GPU, .name_bytes = strlen (GPU) };
  wanted.count = (tasks - 1) / request->tasks_per_gpu + 1;
  g_autoptr (GString) text = g_string_new (NULL);
  g_array_append_val (self->gpus, wanted);
  lk_job_gres_format (self->gpus, FALSE, text);
  request->gpus = lk_text (g_string_chunk_insert_const (self->texts, text->str));
  return TRUE;
}

/* What --gpus says about the number of nodes. */
static gboolean
gpu_nodes_settle (LkJobParse *self, GError **error)
{
  LkJobRequest *request = &self->options.request;
  guint32 gpus = lk_job_gres_count (self->gpus, GPU);
  guint32 per_node = lk_job_gres_count (self->gres, GPU);
  if (gpus == 0)
    return TRUE;
  if (per_node == 0) {
    if (request->nodes_min > gpus)
      return fail (error,
                   "option --gpus is less than the nodes of --nodes; expected a GPU for each");
    request->nodes_max = MIN (request->nodes_max, gpus);
    return TRUE;
  }
  guint32 nodes = gpus / per_node;
  if (gpus % per_node != 0)
    return fail (error, "option --gpus is not a multiple of the GPUs of a node; expected one");
  if (nodes < request->nodes_min || (request->nodes_max > 0 && nodes > request->nodes_max))
    return fail (error, "option --gpus divided by the GPUs of a node is outside of --nodes; "
                        "expected a number of nodes in it");
  request->nodes_min = request->nodes_max = nodes;
  return TRUE;
}

/* Nodes are requested as if each had one task, and as many as --ntasks-per-node needs.  The numbers
 * of tasks are for the steps.  Source: sbatch(1), --overcommit; the nodes: select/cons_tres. */
static gboolean
overcommit_settle (LkJobOptions *options, GError **error)
{
  LkJobRequest *request = &options->request;
  guint32 nodes = 0;
  options->tasks = request->tasks;
  options->tasks_per_node = request->tasks_per_node;
  if (!options->is_overcommitted)
    return TRUE;
  if (request->tasks > 0 && request->tasks_per_node > 0)
    nodes = (request->tasks - 1) / request->tasks_per_node + 1;
  if (request->nodes_max > 0 && nodes > request->nodes_max)
    return fail (error, "options --overcommit and --ntasks-per-node need more nodes than --nodes "
                        "allows; expected more nodes, or more tasks on each");
  request->nodes_min = MAX (request->nodes_min, nodes);
  if (request->tasks > 0)
    request->tasks = MAX (request->nodes_min, 1);
  request->tasks_per_node = request->tasks_per_socket = 0;
  return TRUE;
}

gboolean
lk_job_parse_settle (LkJobParse *self, GError **error)
{
  if (!all_gres_settle (self, error) || !exclusions_check (self, error)
      || !plane_check (self, error) || !tasks_settle (self, error)
      || !gpus_per_task_settle (self, error) || !tasks_per_gpu_settle (self, error)
      || !gpu_nodes_settle (self, error))
    return FALSE;
  spread_settle (&self->options.request);
  return overcommit_settle (&self->options, error);
}
