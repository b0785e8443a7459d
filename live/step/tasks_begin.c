/* live/step/tasks_begin.c — a task of a step becomes a process: its files and pipes, where it is,
 * what it finds, where it may run (tasks_private.h). */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "live/step/child.h"
#include "live/step/enter.h"
#include "live/step/output.h"
#include "live/step/pattern.h"
#include "live/step/task_gpus.h"
#include "live/step/task_memory.h"
#include "live/step/task_program.h"
#include "live/step/tasks_private.h"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

/* The ends of a task that are the task's. */
typedef struct {
  int input;
  int output;
  int error;
} Files;

static void
close_file (int *file)
{
  if (*file >= 0)
    close (*file);
  *file = -1;
}

static void
files_close (Files *files)
{
  if (files->error == files->output)
    files->error = -1;
  close_file (&files->input);
  close_file (&files->output);
  close_file (&files->error);
}

/* ---------------------------------------------------------------- files */

static char *
string_of (LkBytes bytes)
{
  return g_strndup (bytes.length_bytes > 0 ? (const char *)bytes.bytes : "", bytes.length_bytes);
}

/* Returns: (transfer full), "": none is given. */
static char *
path_of (const LkTasks *self, const LkTask *task, LkPath pattern)
{
  const LkMessage_launch *launch = &self->step->launch.launch;
  g_autofree char *text = string_of (pattern);
  g_autofree char *job_name = g_strndup (launch->job_name.bytes, launch->job_name.length_bytes);
  LkPatternValues values = { .job_id = launch->job_id,
                             .array_job_id = launch->array_job_id,
                             .array_task = launch->array_task,
                             .job_name = job_name,
                             .user = self->step->user,
                             .node = self->step->node,
                             .node_index = self->launch->place,
                             .is_step = TRUE,
                             .step_id = self->launch->step_id,
                             .task = task->number };
  if (text[0] == '\0')
    return g_strdup ("");
  g_autofree char *path = lk_pattern_expand (text, &values);
  return path[0] == '/' ? g_steal_pointer (&path) : g_build_filename (self->work_dir, path, NULL);
}

static int
open_output (const LkTasks *self, const char *path)
{
  gboolean appends = self->needs.open_mode == LK_BATCH_OPEN_DEFAULT
                         ? self->step->appends_output
                         : self->needs.open_mode == LK_BATCH_OPEN_APPEND;
  int flags = O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC | (appends ? O_APPEND : O_TRUNC);
  return lk_output_open (path, flags, 0666);
}

/* ---------------------------------------------------------------- pipes */

/* FALSE: see errno. */
static gboolean
make_pipe (int *out_read, int *out_write)
{
  int ends[2];
  if (pipe2 (ends, O_CLOEXEC) != 0)
    return FALSE;
  *out_read = ends[0];
  *out_write = ends[1];
  return TRUE;
}

/* One of its outputs: a file, or a pipe, which leads to a file when that is labelled. */
static gboolean
open_one_output (LkTasks *self, const char *path, int *out_own, int *out_ours, int *out_file)
{
  if (path[0] == '\0')
    return make_pipe (out_ours, out_own);
  int file = open_output (self, path);
  if (file < 0)
    return FALSE;
  if (!self->needs.is_labelled) {
    *out_own = file;
    return TRUE;
  }
  *out_file = file;
  return make_pipe (out_ours, out_own);
}

static gboolean
reads_srun (const LkTasks *self, const LkTask *task)
{
  return self->needs.input == LK_STEP_INPUT_ALL
         || (self->needs.input == LK_STEP_INPUT_ONE && self->needs.input_task == task->number);
}

static gboolean
open_input (LkTasks *self, const LkTask *task, const char *path, Files *files, LkTaskEnds *ends)
{
  if (path[0] == '\0' && reads_srun (self, task))
    return make_pipe (&files->input, &ends->input);
  files->input = open (path[0] != '\0' ? path : "/dev/null", O_RDONLY | O_NOCTTY | O_CLOEXEC);
  return files->input >= 0;
}

static void
label_of (const LkTasks *self, const LkTask *task, LkTaskEnds *ends)
{
  g_autofree char *last = g_strdup_printf ("%u", MAX (self->launch->tasks, 1) - 1);
  g_snprintf (ends->label, sizeof ends->label, "%*u: ", (int)strlen (last), task->number);
}

/* FALSE: one cannot be opened, which was told. */
static gboolean
open_pipes (LkTasks *self, LkTask *task, Files *files, LkTaskEnds *ends)
{
  g_autofree char *in = path_of (self, task, self->needs.std_in);
  g_autofree char *out = path_of (self, task, self->needs.std_out);
  g_autofree char *err = path_of (self, task, self->needs.std_err);
  gboolean is_one = out[0] != '\0' && (err[0] == '\0' || strcmp (err, out) == 0);
  label_of (self, task, ends);
  const char *bad = NULL;
  if (!open_input (self, task, in, files, ends))
    bad = in;
  else if (!open_one_output (self, out, &files->output, &ends->output, &ends->output_file))
    bad = out;
  else if (is_one)
    files->error = files->output;
  else if (!open_one_output (self, err, &files->error, &ends->error, &ends->error_file))
    bad = err;
  if (bad != NULL)
    lk_tasks_say (self, /* is_error= */ TRUE, "Could not open %s file %s: %s",
                  bad == in    ? "stdin"
                  : bad == out ? "stdout"
                               : "stderr",
                  bad, g_strerror (errno));
  return bad == NULL;
}

/* ---------------------------------------------------------------- terminals */

static gboolean
has_terminal (const LkTasks *self, const LkTask *task)
{
  return self->needs.has_terminal != 0 && self->needs.input_task == task->number;
}

static gboolean
open_terminal (LkTasks *self, LkTask *task, Files *files, LkTaskEnds *ends)
{
  const struct winsize size = { .ws_row = self->needs.rows, .ws_col = self->needs.columns };
  char name[64];
  int terminal = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || grantpt (terminal) != 0 || unlockpt (terminal) != 0
      || ptsname_r (terminal, name, sizeof name) != 0
      || (files->input = open (name, O_RDWR | O_NOCTTY | O_CLOEXEC)) < 0) {
    lk_tasks_say (self, /* is_error= */ TRUE, "no terminal can be had: %s", g_strerror (errno));
    close_file (&terminal);
    return FALSE;
  }
  ioctl (terminal, TIOCSWINSZ, &size);
  files->output = fcntl (files->input, F_DUPFD_CLOEXEC, 0);
  files->error = files->output;
  ends->output = ends->input = terminal;
  task->terminal = terminal;
  return files->output >= 0;
}

static gboolean
open_nothing (Files *files)
{
  files->input = open ("/dev/null", O_RDWR | O_CLOEXEC);
  files->output = files->input >= 0 ? fcntl (files->input, F_DUPFD_CLOEXEC, 0) : -1;
  files->error = files->output;
  return files->output >= 0;
}

static gboolean
open_all (LkTasks *self, LkTask *task, Files *files, LkTaskEnds *ends)
{
  if (has_terminal (self, task))
    return open_terminal (self, task, files, ends);
  if (self->needs.has_terminal != 0)
    return open_nothing (files);
  return open_pipes (self, task, files, ends);
}

/* ---------------------------------------------------------------- what it finds */

static const char *
value_of (const GPtrArray *environment, const char *name)
{
  gsize length = strlen (name);
  for (guint i = 0; i + 1 < environment->len; i++) {
    const char *variable = g_ptr_array_index (environment, i);
    if (strncmp (variable, name, length) == 0 && variable[length] == '=')
      return variable + length + 1;
  }
  return NULL;
}

/* Several nodes on one machine: what Open MPI shares within a node is named by machine and place on
 * the node, and would be taken for that of another node.  So it is with ranks of an mpirun, whose
 * daemons are tasks of a step. */
static void
add_apart (const LkTasks *self, GPtrArray *environment)
{
  static const char name[] = "OMPI_MCA_btl_vader_backing_directory";
  if (self->step->confines_nothing && value_of (environment, name) == NULL)
    g_ptr_array_insert (environment, (gint)environment->len - 1,
                        g_strdup_printf ("%s=%s", name, self->folder));
}

static GPtrArray *
environment_of (const LkTasks *self, const LkTask *task)
{
  g_autoptr (GArray) gpus = lk_task_gpus (self, task);
  LkRunScene run = lk_step_scene (self->step);
  LkTaskScene scene = { .launch = self->launch,
                        .needs = &self->needs,
                        .nodes = self->nodes,
                        .node_count = self->node_count,
                        .node_tasks = self->node_tasks,
                        .here = self->here,
                        .launcher = self->launcher,
                        .port = self->port,
                        .bind_type = self->bind.type,
                        .bind_list = self->bind.list,
                        .bind_verbose = self->bind.is_verbose,
                        .mem_bind = &self->mem_bind,
                        .step_gpus = self->gpus,
                        .gpus = gpus,
                        .cpus = self->place.cpus,
                        .task = task->number,
                        .index = task->index };
  GPtrArray *environment = lk_environment_task (&run, &scene);
  if (self->pmix != NULL)
    lk_step_pmix_environment (self->pmix, task->number, environment);
  if (self->pmi != NULL)
    lk_step_pmi_environment (self->pmi, task->number, task->pmi, environment);
  add_apart (self, environment);
  return environment;
}

/* ---------------------------------------------------------------- in the child */

static void
take_files (const Files *files)
{
  /* None of the three is in the way of another. */
  int own[3] = { files->input, files->output, files->error };
  for (int i = 0; i < 3; i++)
    if (own[i] < 3)
      own[i] = fcntl (own[i], F_DUPFD, 3);
  for (int i = 0; i < 3; i++)
    if (own[i] < 0 || dup2 (own[i], i) < 0)
      _exit (1);
}

static void
bind_cpus (const LkTasks *self, const LkTask *task)
{
  cpu_set_t cpus;
  if (self->bind.cpus == NULL)
    return;
  const GArray *list = g_ptr_array_index (self->bind.cpus, task->index);
  CPU_ZERO (&cpus);
  for (guint i = 0; i < list->len; i++)
    if (g_array_index (list, guint32, i) < CPU_SETSIZE)
      CPU_SET (g_array_index (list, guint32, i), &cpus);
  gboolean is_set = sched_setaffinity (0, sizeof cpus, &cpus) == 0;
  if (!is_set)
    dprintf (2, "slurmstepd: error: task %u cannot be bound to its CPUs: %s\n", task->number,
             g_strerror (errno));
  g_auto (GStrv) masks = g_strsplit (self->bind.list, ",", -1);
  if (self->bind.is_verbose && g_strv_length (masks) > task->index)
    dprintf (2, "cpu-bind=MASK - %s, task %2u %2u [%d]: mask %s%s\n", self->step->node,
             task->number, task->index, (int)getpid (), masks[task->index],
             is_set ? " set" : " failed");
}

/* Those of the user, who could lift them up to the hard ones again. */
static void
set_limits (const LkStepTask *needs)
{
#define X(NAME, lower, unused)                                                                     \
  if ((needs->limits & 1u << LK_BATCH_LIMIT_##NAME) != 0)                                          \
    lk_enter_limit (RLIMIT_##NAME, needs->limit_##lower);
  LK_BATCH_LIMITS (X, )
#undef X
}

static void
run_prologs (const LkTasks *self, GPtrArray *environment)
{
  g_autofree char *own = string_of (self->needs.task_prolog);
  int code = self->step->task_prolog != NULL
                 ? lk_task_prolog (self->step, self->step->task_prolog, environment)
                 : 0;
  if (code == 0 && own[0] != '\0')
    code = lk_task_prolog (self->step, own, environment);
  if (code != 0)
    _exit (code);
}

G_NORETURN static void
execute (char **arguments, const GPtrArray *environment)
{
  const char *path = value_of (environment, "PATH");
  int why = ENOENT;
  if (strchr (arguments[0], '/') != NULL) {
    execve (arguments[0], arguments, (char **)environment->pdata);
    why = errno;
  } else if (arguments[0][0] != '\0') {
    g_auto (GStrv) folders = g_strsplit (path != NULL ? path : "/usr/bin:/bin", ":", -1);
    for (guint i = 0; folders[i] != NULL; i++) {
      g_autofree char *whole =
          g_build_filename (folders[i][0] != '\0' ? folders[i] : ".", arguments[0], NULL);
      execve (whole, arguments, (char **)environment->pdata);
      why = errno != ENOENT && errno != ENOTDIR ? errno : why;
    }
  }
  dprintf (2, "slurmstepd: error: execve(): %s: %s\n", arguments[0], g_strerror (why));
  _exit (why);
}

/* A group of processes of its own; with a terminal a session of its own. */
static void
be_apart (const LkTasks *self, const LkTask *task, const Files *files)
{
  if (!has_terminal (self, task)) {
    setpgid (0, 0);
    return;
  }
  setsid ();
  ioctl (files->input, TIOCSCTTY, 0);
}

/* It can be looked at again, and so its own files in /proc are its own. */
static void
be_ordinary (void)
{
  lk_enter_default_signals ();
  prctl (PR_SET_DUMPABLE, 1);
  lk_enter_reset_oom_score ();
}

/* A plugin is to see that a task is there before it goes on. */
typedef struct {
  int wait; /* -1: none is to see it */
  int go;
} Gate;

/* ---------------------------------------------------------------- plugins */

/* Ours still, and the user's behind it. */
static void
enter_plugins (const LkTasks *self, const LkTask *task, const Gate *gate)
{
  char byte;
  if (self->plugins == NULL)
    return;
  LkSpankScene *scene = lk_step_plugins_scene (self->plugins);
  lk_step_plugins_listen (self->plugins, lk_step_plugins_write, NULL);
  scene->task = (gint)task->index;
  scene->arguments = task->arguments;
  if (!lk_step_plugins_enter_task (self->plugins))
    _exit (1);
  if (gate == NULL || gate->wait < 0)
    return;
  close (gate->go);
  if (read (gate->wait, &byte, 1) != 1)
    _exit (1);
}

/* As the task, which has its environment. */
static void
init_plugins (const LkTasks *self, GPtrArray *environment)
{
  if (self->plugins == NULL)
    return;
  lk_step_plugins_scene (self->plugins)->environment = environment;
  if (lk_step_plugins_call (self->plugins, LK_SPANK_TASK_INIT))
    return;
  lk_step_plugins_write (NULL, LK_SPANK_LOG_ERROR, "Failed to invoke spank plugin stack");
  _exit (1);
}

/* FALSE: told. */
static gboolean
open_gate (LkTasks *self, Gate *gate)
{
  *gate = (Gate){ -1, -1 };
  return self->plugins == NULL || !lk_step_plugins_has (self->plugins, LK_SPANK_TASK_POST_FORK)
         || make_pipe (&gate->wait, &gate->go);
}

/* A task whose gate is closed before it was let through ends. */
static void
pass_gate (LkTasks *self, const LkTask *task, Gate *gate)
{
  gboolean is_good = TRUE;
  if (gate->go >= 0) {
    LkSpankScene *scene = lk_step_plugins_scene (self->plugins);
    scene->task = (gint)task->index;
    is_good = lk_step_plugins_call_as_root (self->plugins, LK_SPANK_TASK_POST_FORK);
    scene->task = -1;
    is_good = is_good && write (gate->go, "", 1) == 1;
  }
  if (!is_good)
    lk_tasks_say (self, /* is_error= */ TRUE, "spank task %u post-fork failed", task->index);
  close_file (&gate->wait);
  close_file (&gate->go);
}

void
lk_tasks_tell_exit (LkTasks *self, const LkTask *task)
{
  if (self->plugins == NULL || self->plugins_failed)
    return;
  LkSpankScene *scene = lk_step_plugins_scene (self->plugins);
  scene->task = (gint)task->index;
  scene->has_status = TRUE;
  scene->status = task->status;
  if (!lk_step_plugins_call_as_root (self->plugins, LK_SPANK_TASK_EXIT))
    lk_tasks_say (self, /* is_error= */ TRUE, "Unable to spank task %u at exit", task->index);
  scene->has_status = FALSE;
  scene->task = -1;
}

void
lk_tasks_end_plugins (LkTasks *self)
{
  if (self->plugins != NULL && !self->plugins_failed)
    lk_step_plugins_call_as_root (self->plugins, LK_SPANK_EXIT);
}

/* ---------------------------------------------------------------- becoming it */

G_NORETURN static void
become_task (const LkTasks *self, const LkTask *task, const Files *files, const Gate *gate)
{
  be_apart (self, task, files);
  take_files (files);
  enter_plugins (self, task, gate);
  be_ordinary ();
  syscall (SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC);
  umask (self->needs.umask);
  bind_cpus (self, task);
  lk_task_memory_bind (self, task);
  lk_task_gpus_tell (self, task);
  GPtrArray *environment = environment_of (self, task);
  init_plugins (self, environment);
  run_prologs (self, environment);
  /* Behind what is the site's. */
  set_limits (&self->needs);
  if (task->pmi >= 0)
    fcntl (task->pmi, F_SETFD, 0);
  execute (task->arguments, environment);
}

/* ---------------------------------------------------------------- begun */

/* What is sent to a child before it takes signals by default waits until it does: ignored, as they
 * are here, it would be lost, and a task that was asked to end be killed much later. */
static pid_t
fork_deaf (void)
{
  sigset_t all;
  sigset_t before;
  sigfillset (&all);
  sigprocmask (SIG_BLOCK, &all, &before);
  pid_t pid = fork ();
  if (pid != 0)
    sigprocmask (SIG_SETMASK, &before, NULL);
  return pid;
}

/* FALSE: it cannot speak with the PMI server, which was told. */
static gboolean
connect_pmi (LkTasks *self, LkTask *task)
{
  if (self->pmi == NULL)
    return TRUE;
  task->pmi = lk_step_pmi_connect (self->pmi, task->number);
  if (task->pmi < 0)
    lk_tasks_say (self, /* is_error= */ TRUE, "no PMI for task %u: %s", task->number,
                  g_strerror (errno));
  return task->pmi >= 0;
}

static gboolean
fork_task (LkTasks *self, LkTask *task, Files *files, LkTaskEnds *ends)
{
  Gate gate;
  pid_t pid = open_gate (self, &gate) ? fork_deaf () : -1;
  if (pid == 0)
    become_task (self, task, files, &gate);
  close_file (&task->pmi);
  if (pid < 0) {
    lk_tasks_say (self, /* is_error= */ TRUE, "fork: %s", g_strerror (errno));
    return FALSE;
  }
  /* Both do it, so that neither signals before it is so. */
  if (!has_terminal (self, task))
    setpgid (pid, pid);
  task->pid = pid;
  task->was_begun = TRUE;
  if (self->plugins != NULL)
    lk_step_plugins_scene_task (self->plugins, task->index)->pid = pid;
  pass_gate (self, task, &gate);
  if (!lk_task_io_add (self->io, task->index, ends))
    lk_tasks_say (self, /* is_error= */ TRUE, "what task %u writes cannot be read", task->number);
  return TRUE;
}

gboolean
lk_tasks_begin_task (LkTasks *self, LkTask *task)
{
  Files files = { -1, -1, -1 };
  LkTaskEnds ends = { .output = -1, .error = -1, .input = -1, .output_file = -1, .error_file = -1 };
  gboolean is_good = task->arguments != NULL && open_all (self, task, &files, &ends)
                     && connect_pmi (self, task) && fork_task (self, task, &files, &ends);
  if (!is_good) {
    task->terminal = -1;
    if (ends.input != ends.output)
      close_file (&ends.input);
    close_file (&ends.output);
    close_file (&ends.error);
    close_file (&ends.output_file);
    close_file (&ends.error_file);
  }
  files_close (&files);
  return is_good;
}

/* ---------------------------------------------------------------- behind it */

G_NORETURN static void
become_epilog (const LkTasks *self, const LkTask *task, const char *path)
{
  char *arguments[] = { (char *)path, NULL };
  int nothing = open ("/dev/null", O_RDWR | O_CLOEXEC);
  const Files files = { nothing, nothing, nothing };
  if (self->plugins != NULL) {
    lk_enter_root_again ();
    if (lk_enter_user (self->step) != NULL)
      _exit (1);
  }
  be_ordinary ();
  setpgid (0, 0);
  take_files (&files);
  syscall (SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC);
  GPtrArray *environment = environment_of (self, task);
  g_ptr_array_insert (environment, 0, (gpointer) "SLURM_SCRIPT_CONTEXT=epilog_task");
  execve (path, arguments, (char **)environment->pdata);
  _exit (127);
}

gboolean
lk_tasks_begin_epilog (LkTasks *self, LkTask *task)
{
  g_autofree char *own = string_of (self->needs.task_epilog);
  const char *programs[] = { own, self->step->task_epilog };
  while (task->epilogs < G_N_ELEMENTS (programs)) {
    const char *path = programs[task->epilogs++];
    if (path == NULL || path[0] == '\0')
      continue;
    pid_t pid = fork ();
    if (pid == 0)
      become_epilog (self, task, path);
    if (pid > 0) {
      setpgid (pid, pid);
      task->epilog = pid;
      return TRUE;
    }
  }
  return FALSE;
}
