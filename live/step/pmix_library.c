/* live/step/pmix_library.c — see the header. */
#include "live/step/pmix_library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/port/run_share.h"

#define LIBRARY "libpmix.so.2"
/* Keys that a task is told of itself. */
#define PROCESS_INFOS_MAX 12u
#define JOB_INFOS_MAX 24u

gboolean
lk_pmix_library_open (LkPmixLibrary *self, char **out_fault)
{
  /* Its plugins want its symbols. */
  self->handle = dlopen (LIBRARY, RTLD_NOW | RTLD_GLOBAL);
  if (self->handle == NULL) {
    *out_fault = g_strdup_printf ("MPI plugin pmix is not available on this node: %s", dlerror ());
    return FALSE;
  }
  void *found;
#define X(function, member)                                                                        \
  found = dlsym (self->handle, #function);                                                         \
  if (found == NULL) {                                                                             \
    *out_fault = g_strdup_printf ("MPI plugin pmix: " LIBRARY " has no " #function);               \
    return FALSE;                                                                                  \
  }                                                                                                \
  memcpy (&self->member, &found, sizeof found);
  LK_PMIX_FUNCTIONS (X)
#undef X
  return TRUE;
}

/* ---------------------------------------------------------------- lists of facts */

/* With room for so many; what is in it stays: a server lives as long as its process. */
typedef struct {
  pmix_info_t *infos;
  gsize count;
  gsize most;
} Facts;

static Facts
facts_new (gsize most)
{
  return (Facts){ g_new0 (pmix_info_t, most), 0, most };
}

static pmix_value_t *
add (Facts *self, const char *key, pmix_data_type_t type)
{
  g_assert (self->count < self->most);
  pmix_info_t *info = &self->infos[self->count++];
  g_strlcpy (info->key, key, sizeof info->key);
  info->value.type = type;
  return &info->value;
}

static void
add_text (Facts *self, const char *key, const char *text)
{
  add (self, key, PMIX_STRING)->data.string = strdup (text);
}

static void
add_u32 (Facts *self, const char *key, guint32 number)
{
  add (self, key, PMIX_UINT32)->data.uint32 = number;
}

static void
add_u16 (Facts *self, const char *key, guint number)
{
  add (self, key, PMIX_UINT16)->data.uint16 = (uint16_t)number;
}

static void
add_rank (Facts *self, const char *key, guint32 number)
{
  add (self, key, PMIX_PROC_RANK)->data.rank = number;
}

static void
add_flag (Facts *self, const char *key, bool is_set)
{
  add (self, key, PMIX_BOOL)->data.flag = is_set;
}

/* What the library has packed: text, or bytes, of which it says the length by what it begins with.
 */
static void
add_packed (Facts *self, const char *key, char *packed)
{
  pmix_value_t *value = add (self, key, PMIX_REGEX);
  gsize length_bytes = strlen (packed) + 1;
  if (strcmp (packed, "blob") == 0) {
    /* blob NUL component= NUL size= LENGTH NUL NUL? bytes: the length stands in the third word. */
    const char *component = packed + length_bytes;
    const char *size_text = component + strlen (component) + 1;
    gsize blob_bytes = 0;
    if (g_str_has_prefix (size_text, "size="))
      blob_bytes = (gsize)g_ascii_strtoull (size_text + strlen ("size="), NULL, 10);
    length_bytes = (gsize)(size_text - packed) + strlen (size_text) + 1 + blob_bytes;
  }
  value->data.bo.bytes = packed;
  value->data.bo.size = length_bytes;
}

static void
add_list (Facts *self, const char *key, const Facts *list)
{
  pmix_data_array_t *array = calloc (1, sizeof *array);
  array->type = PMIX_INFO;
  array->size = list->count;
  array->array = list->infos;
  add (self, key, PMIX_DATA_ARRAY)->data.darray = array;
}

/* ---------------------------------------------------------------- the step */

static const GArray *
tasks_of (const LkStepPmixConfig *config, guint node)
{
  return g_ptr_array_index (config->node_tasks, node);
}

static void
add_task (Facts *job, const LkStepPmixConfig *config, guint node, guint index)
{
  guint32 task = g_array_index (tasks_of (config, node), guint32, index);
  Facts facts = facts_new (PROCESS_INFOS_MAX);
  add_rank (&facts, PMIX_RANK, task);
  add_u32 (&facts, PMIX_APPNUM, 0);
  add_rank (&facts, PMIX_GLOBAL_RANK, task);
  add_rank (&facts, PMIX_APP_RANK, task);
  add_u16 (&facts, PMIX_LOCAL_RANK, index);
  add_u16 (&facts, PMIX_NODE_RANK, index);
  add_u32 (&facts, PMIX_NODEID, node);
  add_text (&facts, PMIX_HOSTNAME, g_ptr_array_index (config->nodes, node));
  add_list (job, PMIX_PROC_DATA, &facts);
}

/* Names with commas between, and which tasks each has, with semicolons between. */
static void
add_maps (const LkPmixLibrary *self, Facts *job, const LkStepPmixConfig *config)
{
  g_autoptr (GString) nodes = g_string_new (NULL);
  g_autoptr (GString) tasks = g_string_new (NULL);
  char *packed = NULL;
  for (guint i = 0; i < config->nodes->len; i++) {
    g_autofree char *here = lk_number_list (tasks_of (config, i));
    g_string_append_printf (nodes, "%s%s", i > 0 ? "," : "",
                            (const char *)g_ptr_array_index (config->nodes, i));
    g_string_append_printf (tasks, "%s%s", i > 0 ? ";" : "", here);
  }
  if (self->generate_regex (nodes->str, &packed) == PMIX_SUCCESS)
    add_packed (job, PMIX_NODE_MAP, packed);
  packed = NULL;
  if (self->generate_ppn (tasks->str, &packed) == PMIX_SUCCESS)
    add_packed (job, PMIX_PROC_MAP, packed);
}

static Facts
facts_of (const LkPmixLibrary *self, const LkStepPmixConfig *config, const char *space)
{
  const GArray *here = tasks_of (config, config->node_index);
  Facts job = facts_new (JOB_INFOS_MAX + config->task_count);
  g_autofree char *peers = lk_number_list (here);
  add_text (&job, PMIX_JOBID, space);
  add_u32 (&job, PMIX_UNIV_SIZE, config->task_count);
  add_u32 (&job, PMIX_JOB_SIZE, config->task_count);
  add_u32 (&job, PMIX_MAX_PROCS, config->task_count);
  add_u32 (&job, PMIX_JOB_NUM_APPS, 1);
  add_u32 (&job, PMIX_NUM_NODES, config->nodes->len);
  add_u32 (&job, PMIX_LOCAL_SIZE, here->len);
  add_u32 (&job, PMIX_NODE_SIZE, here->len);
  add_u32 (&job, PMIX_NODEID, config->node_index);
  add_text (&job, PMIX_LOCAL_PEERS, peers);
  add_rank (&job, PMIX_LOCALLDR, g_array_index (here, guint32, 0));
  add_flag (&job, PMIX_SPAWNED, false);
  add_text (&job, PMIX_TMPDIR, config->folder);
  add_text (&job, PMIX_NSDIR, config->folder);
  add_flag (&job, PMIX_TDIR_RMCLEAN, true);
  add_maps (self, &job, config);
  for (guint i = 0; i < config->nodes->len; i++)
    for (guint j = 0; j < tasks_of (config, i)->len; j++)
      add_task (&job, config, i, j);
  return job;
}

/* ---------------------------------------------------------------- calls that answer later */

typedef struct {
  GMutex lock;
  GCond said;
  gboolean is_said;
  pmix_status_t status;
} Answer;

static void
answered (pmix_status_t status, void *user)
{
  Answer *self = user;
  g_mutex_lock (&self->lock);
  self->status = status;
  self->is_said = TRUE;
  g_cond_signal (&self->said);
  g_mutex_unlock (&self->lock);
}

static pmix_status_t
wait_for (Answer *self, pmix_status_t begun)
{
  if (begun == PMIX_OPERATION_SUCCEEDED)
    return PMIX_SUCCESS;
  if (begun != PMIX_SUCCESS)
    return begun;
  g_mutex_lock (&self->lock);
  while (!self->is_said)
    g_cond_wait (&self->said, &self->lock);
  g_mutex_unlock (&self->lock);
  return self->status;
}

static pmix_status_t
register_step (const LkPmixLibrary *self, const LkStepPmixConfig *config, const char *space)
{
  const GArray *here = tasks_of (config, config->node_index);
  Facts job = facts_of (self, config, space);
  Answer answer = { .is_said = FALSE };
  return wait_for (&answer, self->register_nspace (space, (int)here->len, job.infos, job.count,
                                                   answered, &answer));
}

static pmix_status_t
register_task (const LkPmixLibrary *self, const LkStepPmixConfig *config, const char *space,
               guint32 task)
{
  Answer answer = { .is_said = FALSE };
  pmix_proc_t process = { .rank = task };
  g_strlcpy (process.nspace, space, sizeof process.nspace);
  return wait_for (&answer, self->register_client (&process, config->user_id, config->group_id,
                                                   NULL, answered, &answer));
}

static pmix_status_t
init (const LkPmixLibrary *self, pmix_server_module_t *module, const LkStepPmixConfig *config)
{
  Facts facts = facts_new (4);
  add_text (&facts, PMIX_SERVER_TMPDIR, config->folder);
  add_text (&facts, PMIX_SYSTEM_TMPDIR, config->folder);
  add_text (&facts, PMIX_HOSTNAME, g_ptr_array_index (config->nodes, config->node_index));
  return self->server_init (module, facts.infos, facts.count);
}

char *
lk_pmix_library_begin (const LkPmixLibrary *self, pmix_server_module_t *module,
                       const LkStepPmixConfig *config, const char *space)
{
  const GArray *here = tasks_of (config, config->node_index);
  const char *what = "PMIx_server_init";
  pmix_status_t status = init (self, module, config);
  if (status == PMIX_SUCCESS) {
    what = "PMIx_server_register_nspace";
    status = register_step (self, config, space);
  }
  for (guint i = 0; i < here->len && status == PMIX_SUCCESS; i++) {
    what = "PMIx_server_register_client";
    status = register_task (self, config, space, g_array_index (here, guint32, i));
  }
  return status == PMIX_SUCCESS
             ? NULL
             : g_strdup_printf ("MPI plugin pmix: %s: %s", what, self->error_string (status));
}

GPtrArray *
lk_pmix_library_environment (const LkPmixLibrary *self, const char *space, guint32 task)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (g_free);
  pmix_proc_t process = { .rank = task };
  char **variables = calloc (1, sizeof *variables);
  g_strlcpy (process.nspace, space, sizeof process.nspace);
  if (self->setup_fork (&process, &variables) == PMIX_SUCCESS)
    for (guint i = 0; variables[i] != NULL; i++)
      g_ptr_array_add (list, g_strdup (variables[i]));
  for (guint i = 0; variables != NULL && variables[i] != NULL; i++)
    free (variables[i]);
  free (variables);
  return list;
}
