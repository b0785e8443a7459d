/* live/step/tasks_setup.c — see the header. */
#include "live/step/tasks_setup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/hostlist.h"
#include "live/port/folder_tree.h"
#include "live/step/cpu_domains.h"
#include "live/step/enter.h"
#include "live/step/multi_prog.h"
#include "live/step/task_gpus.h"

#define TASKS_MAX 65536u

static char *
text_of (LkText text)
{
  return g_strndup (text.length_bytes > 0 ? text.bytes : "", text.length_bytes);
}

static char *
long_text_of (LkLongText text)
{
  return g_strndup (text.length_bytes > 0 ? text.bytes : "", text.length_bytes);
}

/* ---------------------------------------------------------------- places */

static void
append_count (GString *out, guint32 tasks, guint count)
{
  if (count > 0)
    g_string_append_printf (out, count > 1 ? "%s%u(x%u)" : "%s%u", out->len > 0 ? "," : "", tasks,
                            count);
}

/* All nodes of the step as texts; FALSE: this one is none of them. */
static gboolean
read_places (LkTasks *self)
{
  LkPlaces left = self->launch->places;
  LkStepPlace place;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) nodes = g_string_new (NULL);
  g_autoptr (GString) tasks = g_string_new (NULL);
  guint32 last = 0;
  guint same_count = 0;
  gboolean is_found = FALSE;
  for (guint32 i = 0; lk_step_place_next (&left, &place); i++) {
    if (i == self->launch->place) {
      self->place = place;
      is_found = TRUE;
    }
    if (place.task_count != last)
      append_count (tasks, last, same_count);
    same_count = place.task_count != last ? 1 : same_count + 1;
    last = place.task_count;
    g_ptr_array_add (names, text_of (place.node));
  }
  append_count (tasks, last, same_count);
  lk_hostlist_compress ((const char *const *)names->pdata, names->len, nodes);
  self->node_count = names->len;
  self->nodes = g_string_free (g_steal_pointer (&nodes), FALSE);
  self->node_tasks = g_string_free (g_steal_pointer (&tasks), FALSE);
  return is_found;
}

/* ---------------------------------------------------------------- tasks */

static char **
own_arguments (const LkTasks *self, const LkTask *task, char **out_fault)
{
  LkStrings left = self->needs.arguments;
  const char *argument;
  GPtrArray *all = g_ptr_array_new ();
  if (self->needs.multi_prog.length_bytes > 0) {
    g_autofree char **listed =
        lk_multi_prog_arguments ((const char *)self->needs.multi_prog.bytes,
                                 self->needs.multi_prog.length_bytes, task->number, out_fault);
    for (guint i = 0; listed != NULL && listed[i] != NULL; i++)
      g_ptr_array_add (all, listed[i]);
    if (listed == NULL) {
      g_ptr_array_unref (all);
      return NULL;
    }
  }
  while ((argument = lk_strings_next (&left)) != NULL)
    g_ptr_array_add (all, g_strdup (argument));
  g_ptr_array_add (all, NULL);
  return (char **)g_ptr_array_free (all, FALSE);
}

static gboolean
read_tasks (LkTasks *self)
{
  g_autofree char *list = long_text_of (self->place.tasks);
  g_autoptr (GArray) numbers = lk_number_ranges (list);
  if (numbers->len == 0 || numbers->len > TASKS_MAX || numbers->len != self->place.task_count)
    return FALSE;
  self->here = lk_number_list (numbers);
  self->count = numbers->len;
  self->tasks = g_new0 (LkTask, numbers->len);
  for (guint i = 0; i < numbers->len; i++)
    self->tasks[i] = (LkTask){
      .number = g_array_index (numbers, guint32, i), .index = i, .terminal = -1, .pmi = -1
    };
  return TRUE;
}

/* ---------------------------------------------------------------- what they may use */

/* 0,4;1,5 */
static void
read_cores (LkTasks *self, const char *text)
{
  g_auto (GStrv) each = g_strsplit (text, ";", -1);
  self->cores = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
  for (guint i = 0; each[i] != NULL; i++)
    if (each[i][0] != '\0')
      g_ptr_array_add (self->cores, lk_number_ranges (each[i]));
}

static void
read_gpus (LkTasks *self)
{
  g_autofree char *all = text_of (self->place.gres);
  g_auto (GStrv) each = g_strsplit (all, "|", -1);
  self->gpus = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; each[i] != NULL; i++)
    if (g_str_has_prefix (each[i], "gpu:")) {
      g_array_unref (self->gpus);
      self->gpus = lk_number_ranges (each[i] + strlen ("gpu:"));
    }
}

/* NULL: unknown. Returns: (transfer full). */
static char *
all_cpus (const LkTasks *self)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < self->cores->len; i++) {
    const GArray *core = g_ptr_array_index (self->cores, i);
    g_array_append_vals (all, core->data, core->len);
  }
  return all->len > 0 ? lk_number_list (all) : NULL;
}

void
lk_tasks_enter_cpus (LkTasks *self)
{
  g_autofree char *list = all_cpus (self);
  lk_enter_cpus (self->step, list != NULL ? list : self->step->cpus);
}

static void
confine (LkTasks *self)
{
  LkStep *step = self->step;
  g_autofree char *list = all_cpus (self);
  if ((self->memory.ram_bytes > 0 || self->memory.total_bytes > 0)
      && !lk_cgroup_set_memory (step->part, &self->memory))
    lk_step_log (step, "step %u: memory is not confined", self->launch->step_id);
  if (step->confines_cores && list != NULL && !lk_cgroup_set_cpus (step->part, list))
    lk_step_log (step, "step %u: cores are not confined", self->launch->step_id);
  gboolean has_shares = step->share.shares > 0 && self->place.gres.length_bytes > 0;
  if (!lk_step_confine_devices (step, step->part, self->gpus, has_shares))
    lk_step_log (step, "step %u: devices are not confined", self->launch->step_id);
}

void
lk_tasks_take_group (LkTasks *self, LkCgroup *group)
{
  if (group != NULL) {
    lk_cgroup_free (self->step->part);
    self->step->part = group;
    confine (self);
  }
  if (self->step->cgroup != NULL)
    self->oom_kills = lk_cgroup_oom_kills (lk_step_group (self->step));
}

/* ---------------------------------------------------------------- signals */

void
lk_tasks_ignore_signals (void)
{
  static const int spared[] = { SIGKILL, SIGSTOP, SIGCHLD, SIGSEGV, SIGBUS,
                                SIGFPE,  SIGILL,  SIGABRT, SIGSYS,  SIGTRAP };
  for (int number = 1; number < NSIG; number++) {
    gboolean is_spared = FALSE;
    for (guint i = 0; i < G_N_ELEMENTS (spared); i++)
      is_spared = is_spared || number == spared[i];
    if (!is_spared)
      signal (number, SIG_IGN);
  }
}

/* ---------------------------------------------------------------- the srun */

char **
lk_tasks_addresses (LkPath socket, LkText list)
{
  GPtrArray *all = g_ptr_array_new ();
  g_autofree char *path =
      g_strndup (socket.length_bytes > 0 ? (const char *)socket.bytes : "", socket.length_bytes);
  g_autofree char *text = text_of (list);
  g_auto (GStrv) each = g_strsplit (text, ",", -1);
  struct stat status;
  if (path[0] == '/' && stat (path, &status) == 0 && S_ISSOCK (status.st_mode))
    g_ptr_array_add (all, g_strdup (path));
  for (guint i = 0; each[i] != NULL; i++)
    if (each[i][0] != '\0')
      g_ptr_array_add (all, g_strdup (each[i]));
  g_ptr_array_add (all, NULL);
  return (char **)g_ptr_array_free (all, FALSE);
}

/* Of the first address. */
static void
read_launcher (LkTasks *self)
{
  g_autofree char *text = text_of (self->needs.addresses);
  text[strcspn (text, ",")] = '\0';
  char *colon = strrchr (text, ':');
  if (colon == NULL)
    return;
  *colon = '\0';
  char *host = text;
  if (host[0] == '[' && colon > host + 1 && colon[-1] == ']') {
    colon[-1] = '\0';
    host++;
  }
  self->launcher = g_strdup (host);
  self->port = g_strdup (colon + 1);
}

gboolean
lk_tasks_read (LkTasks *self, const LkTasksPlan *plan)
{
  LkBytes payload = plan->launch->payload;
  errno = EINVAL;
  if (!self->step->is_whole
      || !lk_step_task_decode (payload.bytes, payload.length_bytes, &self->needs)
      || !read_places (self) || !read_tasks (self))
    return FALSE;
  self->memory = plan->room->memory;
  read_cores (self, plan->room->cores);
  read_gpus (self);
  read_launcher (self);
  return TRUE;
}

/* ---------------------------------------------------------------- a folder */

/* Nobody but us writes in the folder above it. */
gboolean
lk_tasks_make_folder (LkTasks *self)
{
  const LkMessage_launch *launch = &self->step->launch.launch;
  if (self->needs.mpi != LK_STEP_MPI_PMIX && !self->step->confines_nothing)
    return TRUE;
  g_autofree char *above =
      g_strdup_printf ("%s/%" G_GUINT64_FORMAT, self->step->spool, self->step->run_id);
  g_autofree char *name = g_strdup_printf ("step_%u", self->launch->step_id);
  if (mkdir (above, 0711) != 0 && errno != EEXIST)
    return FALSE;
  int folder = open (above, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return FALSE;
  lk_folder_tree_remove (folder, name);
  gboolean is_good =
      fchmod (folder, 0711) == 0 && mkdirat (folder, name, 0700) == 0
      && (geteuid () != 0
          || fchownat (folder, name, launch->user_id, launch->group_id, AT_SYMLINK_NOFOLLOW) == 0);
  int error_number = errno;
  close (folder);
  errno = error_number;
  self->folder = g_build_filename (above, name, NULL);
  return is_good;
}

/* ---------------------------------------------------------------- before the first task */

static void
go_to_work_dir (LkTasks *self)
{
  self->work_dir =
      g_strndup ((const char *)self->needs.work_dir.bytes, self->needs.work_dir.length_bytes);
  if (chdir (self->work_dir) == 0)
    return;
  lk_tasks_say (self, /* is_error= */ TRUE, "couldn't chdir to `%s': %s: going to /tmp instead",
                self->work_dir, g_strerror (errno));
  if (chdir ("/tmp") != 0 && chdir ("/") != 0)
    lk_tasks_say (self, /* is_error= */ TRUE, "couldn't chdir to `/'");
}

static void
bind_cpus (LkTasks *self)
{
  g_autofree char *how = text_of (self->needs.cpu_bind);
  g_autoptr (GPtrArray) sockets =
      lk_bind_needs_sockets (how) ? lk_cpu_domains ("/sys", LK_CPU_DOMAIN_SOCKET) : NULL;
  g_autoptr (GPtrArray) ldoms =
      lk_bind_needs_ldoms (how) ? lk_cpu_domains ("/sys", LK_CPU_DOMAIN_NUMA) : NULL;
  const LkBindRoom room = { .cores = self->cores,
                            .task_count = self->count,
                            .cpus_per_task = self->launch->cpus_per_task,
                            .sockets = sockets,
                            .ldoms = ldoms };
  g_autofree char *fault = lk_bind_cpus (how, &room, &self->bind);
  if (fault != NULL)
    lk_tasks_say (self, /* is_error= */ TRUE, "%s", fault);
}

/* What the commands would have refused is told, too. */
static void
read_mem_bind (LkTasks *self)
{
  g_autofree char *how = text_of (self->needs.mem_bind);
  g_autofree char *fault = how[0] != '\0' ? lk_mem_bind_read (how, &self->mem_bind) : NULL;
  if (fault != NULL)
    lk_tasks_say (self, /* is_error= */ TRUE, "%s: memory is not bound", fault);
  if (self->mem_bind.kind > LK_MEM_BIND_NONE)
    self->ldoms = lk_cpu_domains ("/sys", LK_CPU_DOMAIN_NUMA);
}

static void
read_arguments (LkTasks *self)
{
  for (guint i = 0; i < self->count; i++) {
    LkTask *task = &self->tasks[i];
    g_autofree char *fault = NULL;
    task->arguments = own_arguments (self, task, &fault);
    if (task->arguments == NULL)
      lk_tasks_say (self, /* is_error= */ TRUE, "%s", fault);
    else if (task->arguments[0] == NULL)
      g_clear_pointer (&task->arguments, g_strfreev);
  }
}

/* NULL, or why there is none. */
static char *
begin_mpi (LkTasks *self)
{
  if (self->needs.mpi == LK_STEP_MPI_NONE)
    return NULL;
  g_autoptr (GPtrArray) nodes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) tasks = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
  LkPlaces left = self->launch->places;
  LkStepPlace place;
  char *fault = NULL;
  while (lk_step_place_next (&left, &place)) {
    g_autofree char *list = long_text_of (place.tasks);
    g_ptr_array_add (nodes, text_of (place.node));
    g_ptr_array_add (tasks, lk_number_ranges (list));
  }
  const LkStepPmixConfig config = { .job_id = self->launch->job_id,
                                    .step_id = self->launch->step_id,
                                    .user_id = geteuid (),
                                    .group_id = getegid (),
                                    .node_index = self->launch->place,
                                    .nodes = nodes,
                                    .node_tasks = tasks,
                                    .task_count = self->launch->tasks,
                                    .folder = self->folder,
                                    .send = self->send_pmix,
                                    .abort = self->abort_pmix,
                                    .user = self };
  if (self->needs.mpi == LK_STEP_MPI_PMIX)
    self->pmix = lk_step_pmix_new (self->loop, &config, &fault);
  else
    self->pmi = lk_step_pmi_new (self->loop, &config);
  return fault;
}

/* ---------------------------------------------------------------- plugins */

static void
say_of_plugins (gpointer user, LkSpankLevel level, const char *line)
{
  lk_tasks_say (user, level == LK_SPANK_LOG_ERROR, "%s", line);
}

static void
tell_plugins_tasks (LkTasks *self)
{
  LkSpankScene *scene = lk_step_plugins_scene (self->plugins);
  LkSpankTask *tasks = lk_step_plugins_set_tasks (self->plugins, self->count);
  for (guint i = 0; i < self->count; i++)
    tasks[i].number = self->tasks[i].number;
  scene->node_count = self->node_count;
  scene->node_index = self->launch->place;
  scene->task_count = self->launch->tasks;
  scene->cpus = self->place.cpus;
  scene->cpus_per_task = MAX (self->launch->cpus_per_task, 1);
  scene->step_cores = long_text_of (self->place.cores);
  if (self->place.memory_bytes > 0)
    scene->step_memory_mib = (guint64)self->place.memory_bytes >> 20;
}

const char *
lk_tasks_enter_user (LkTasks *self)
{
  gboolean is_good;
  self->plugins =
      lk_step_plugins_new (self->step, self->launch->step_id, self->needs.environment, &is_good);
  self->plugins_failed = !is_good;
  return self->plugins != NULL ? lk_enter_user_for_now (self->step) : lk_enter_user (self->step);
}

/* As the user, where he works. NULL, or why not. */
static char *
begin_plugins (LkTasks *self)
{
  if (self->plugins == NULL)
    return NULL;
  lk_step_plugins_listen (self->plugins, say_of_plugins, self);
  if (self->plugins_failed)
    return g_strdup ("the step does not begin without its plugins");
  LkSpankScene *scene = lk_step_plugins_scene (self->plugins);
  tell_plugins_tasks (self);
  scene->arguments = self->tasks[0].arguments;
  if (!lk_step_plugins_call (self->plugins, LK_SPANK_USER_INIT))
    return g_strdup ("spank_user failed.");
  GByteArray *environment = lk_step_plugins_environment (self->plugins);
  self->needs.environment = (LkStrings){ environment->data, environment->len };
  return NULL;
}

char *
lk_tasks_set_up (LkTasks *self)
{
  go_to_work_dir (self);
  bind_cpus (self);
  read_mem_bind (self);
  lk_task_gpus_read (self);
  read_arguments (self);
  char *fault = begin_plugins (self);
  return fault != NULL ? fault : begin_mpi (self);
}
