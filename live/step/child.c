/* live/step/child.c — see the header. */
#include "live/step/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/port/folder_tree.h"
#include "live/step/child_word.h"
#include "live/step/enter.h"
#include "live/step/login.h"
#include "live/step/output.h"
#include "live/step/pattern.h"
#include "live/step/script_holder.h"
#include "live/step/step_plugins.h"
#include "live/step/task_program.h"

#define SCRIPT_NAME "slurm_script"

/* ---------------------------------------------------------------- failing */

G_NORETURN static void
fail (int fault, LkExit how)
{
  _exit (lk_child_word_fail (fault, &how) ? 1 : 2);
}

G_NORETURN static void
fail_launch (const LkStep *step, int fault, const char *what)
{
  lk_step_log (step, "%s: %s", what, g_strerror (errno));
  fail (fault, (LkExit){ .trouble = LK_TROUBLE_LAUNCH_FAILURE });
}

/* ---------------------------------------------------------------- becoming the user's */

/* Whatever it starts from now on is of the run. */
static void
join_run (LkStep *step, int fault)
{
  if (!lk_enter_run (step))
    fail_launch (step, fault, "cannot have folders of its own");
}

static void
set_limits (const LkBatch *batch)
{
#define X(NAME, lower, unused)                                                                     \
  if ((batch->limits & 1u << LK_BATCH_LIMIT_##NAME) != 0)                                          \
    lk_enter_limit (RLIMIT_##NAME, batch->limit_##lower);
  LK_BATCH_LIMITS (X, )
#undef X
}

/* All that is left to be done with our own rights, then those are given up; for now, where plugins
 * need them. */
static void
enter (LkStep *step, gboolean is_for_now, int fault)
{
  lk_enter_cpus (step, step->cpus);
  set_limits (&step->batch);
  const char *lack = is_for_now ? lk_enter_user_for_now (step) : lk_enter_user (step);
  if (lack != NULL)
    fail_launch (step, fault, lack);
  /* Whoever switches users loses this: behind that. */
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  umask (step->batch.umask);
}

/* ---------------------------------------------------------------- the script's file */

static char *
script_folder (const LkStep *step)
{
  return g_strdup_printf ("%s/%" G_GUINT64_FORMAT, step->spool, step->run_id);
}

static gboolean
write_script (const LkStep *step, int file)
{
  const LkMessage_launch *launch = &step->launch.launch;
  gsize done = 0;
  while (done < step->batch.script.length_bytes) {
    gssize count =
        write (file, step->batch.script.bytes + done, step->batch.script.length_bytes - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return FALSE;
    done += (gsize)count;
  }
  if (geteuid () == 0 && fchown (file, launch->user_id, launch->group_id) != 0)
    return FALSE;
  return fchmod (file, 0700) == 0;
}

/* The folder is ours, so that nobody can put anything in our way. Returns: (transfer full), NULL:
 * see errno. */
static char *
make_script (const LkStep *step)
{
  g_autofree char *folder_path = script_folder (step);
  if (mkdir (folder_path, 0755) != 0 && errno != EEXIST)
    return NULL;
  int folder = open (folder_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return NULL;
  unlinkat (folder, SCRIPT_NAME, 0);
  int file =
      fchmod (folder, 0755) == 0
          ? openat (folder, SCRIPT_NAME, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0700)
          : -1;
  gboolean is_good = file >= 0 && write_script (step, file);
  if (file >= 0)
    is_good = close (file) == 0 && is_good;
  close (folder);
  return is_good ? g_build_filename (folder_path, SCRIPT_NAME, NULL) : NULL;
}

void
lk_child_clean (const LkStep *step)
{
  g_autofree char *name = g_strdup_printf ("%" G_GUINT64_FORMAT, step->run_id);
  int spool = open (step->spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (spool < 0)
    return;
  lk_folder_tree_remove (spool, name);
  close (spool);
}

/* ---------------------------------------------------------------- its files */

static char *
string_of (LkBytes bytes)
{
  return g_strndup (bytes.length_bytes > 0 ? (const char *)bytes.bytes : "", bytes.length_bytes);
}

static char *
text_of (LkText text)
{
  return g_strndup (text.length_bytes > 0 ? text.bytes : "", text.length_bytes);
}

/* A pattern of the user's as a path. Returns: (transfer full). */
static char *
path_of (const LkStep *step, LkPath pattern, const char *instead)
{
  const LkMessage_launch *launch = &step->launch.launch;
  g_autofree char *job_name = text_of (launch->job_name);
  g_autofree char *given = string_of (pattern);
  g_autofree char *work_dir = string_of (step->batch.work_dir);
  LkPatternValues values = { .job_id = launch->job_id,
                             .array_job_id = launch->array_job_id,
                             .array_task = launch->array_task,
                             .job_name = job_name,
                             .user = step->user,
                             .node = step->node,
                             .node_index = step->share.node_index };
  if (given[0] == '\0' && instead == NULL)
    instead = lk_pattern_default (&values);
  g_autofree char *path = lk_pattern_expand (given[0] != '\0' ? given : instead, &values);
  if (path[0] == '/')
    return g_steal_pointer (&path);
  return g_build_filename (work_dir, path, NULL);
}

static int
open_output (const LkStep *step, const char *path)
{
  gboolean appends = step->batch.open_mode == LK_BATCH_OPEN_DEFAULT
                         ? step->appends_output
                         : step->batch.open_mode == LK_BATCH_OPEN_APPEND;
  return lk_output_open (path, O_WRONLY | O_CREAT | O_NOCTTY | (appends ? O_APPEND : O_TRUNC),
                         0666);
}

/* What has become one of the first three is not left to the job twice. */
static void
close_beyond (int file)
{
  if (file > STDERR_FILENO)
    close (file);
}

static void
open_files (const LkStep *step, int fault)
{
  g_autofree char *in = path_of (step, step->batch.std_in, "/dev/null");
  g_autofree char *out = path_of (step, step->batch.std_out, NULL);
  g_autofree char *err =
      step->batch.std_err.length_bytes > 0 ? path_of (step, step->batch.std_err, NULL) : NULL;
  LkExit refused = { .signal = LK_SIGNAL_NO_OUTPUT };
  int input = open (in, O_RDONLY | O_NOCTTY);
  int output = open_output (step, out);
  int error = err == NULL || strcmp (err, out) == 0 ? output : open_output (step, err);
  if (input < 0 || output < 0 || error < 0) {
    lk_step_log (step, "could not open %s: %s",
                 input < 0    ? in
                 : output < 0 ? out
                              : err,
                 g_strerror (errno));
    fail (fault, refused);
  }
  if (dup2 (input, 0) < 0 || dup2 (output, 1) < 0 || dup2 (error, 2) < 0)
    fail (fault, refused);
  close_beyond (input);
  close_beyond (output);
  if (error != output)
    close_beyond (error);
  lk_child_word_error_file (fault, STDERR_FILENO);
}

static void
take_no_files (void)
{
  int nothing = open ("/dev/null", O_RDWR);
  if (nothing < 0 || dup2 (nothing, 0) < 0 || dup2 (nothing, 1) < 0 || dup2 (nothing, 2) < 0)
    _exit (1);
  close_beyond (nothing);
}

/* 0, or why he is not where he wanted to be. */
static int
go_to_work_dir (const LkStep *step, const char *work_dir)
{
  (void)step;
  if (work_dir[0] == '/' && chdir (work_dir) == 0)
    return 0;
  int why = work_dir[0] == '/' ? errno : ENOENT;
  if (chdir ("/tmp") != 0 && chdir ("/") != 0)
    return why;
  return why;
}

/* ---------------------------------------------------------------- becoming it */

static char **
arguments_of (const LkStep *step, char *script)
{
  GPtrArray *arguments = g_ptr_array_new ();
  LkStrings left = step->batch.arguments;
  const char *argument;
  g_ptr_array_add (arguments, script);
  while ((argument = lk_strings_next (&left)) != NULL)
    g_ptr_array_add (arguments, (char *)argument);
  g_ptr_array_add (arguments, NULL);
  return (char **)g_ptr_array_free (arguments, FALSE);
}

/* Returns: (transfer full), NULL: none is wanted, or to be had. */
static GPtrArray *
login_of (const LkStep *step)
{
  guint mode = step->batch.export_mode;
  gboolean is_wanted = mode == LK_BATCH_EXPORT_NONE || mode == LK_BATCH_EXPORT_LOGIN;
  return is_wanted && step->login_timeout_us > 0 ? lk_login_environment (step) : NULL;
}

/* NULL: the site has none. */
static LkStepPlugins *
load_plugins (LkStep *step, int fault)
{
  gboolean is_good;
  LkStepPlugins *plugins =
      lk_step_plugins_new (step, LK_STEP_PLUGINS_BATCH, step->batch.environment, &is_good);
  if (!is_good)
    fail (fault, (LkExit){ .trouble = LK_TROUBLE_LAUNCH_FAILURE });
  return plugins;
}

/* What a script finds, the files that it has, and where it is. */
static GPtrArray *
prepare (LkStep *step, LkStepPlugins **out_plugins, int fault)
{
  join_run (step, fault);
  LkRunScene scene = lk_step_scene (step);
  scene.login = login_of (step);
  *out_plugins = load_plugins (step, fault);
  enter (step, *out_plugins != NULL, fault);
  char *work_dir = string_of (step->batch.work_dir);
  int why = go_to_work_dir (step, work_dir);
  open_files (step, fault);
  if (why != 0)
    dprintf (2, "lockstep: error: couldn't chdir to `%s': %s: going to /tmp instead\n", work_dir,
             g_strerror (why));
  return lk_environment_script (&scene);
}

void
lk_child_script (LkStep *step, int fault)
{
  errno = EINVAL;
  if (!step->is_whole)
    fail_launch (step, fault, "the job cannot be read");
  char *script = make_script (step);
  if (script == NULL)
    fail_launch (step, fault, "cannot write the script");
  LkStepPlugins *plugins;
  GPtrArray *environment = prepare (step, &plugins, fault);
  char **arguments = arguments_of (step, script);
  if (plugins != NULL)
    lk_script_hold (plugins, arguments, environment, fault);
  int code = step->task_prolog != NULL ? lk_task_prolog (step, step->task_prolog, environment) : 0;
  if (code != 0)
    _exit (code);
  execve (script, arguments, (char **)environment->pdata);
  int why = errno;
  dprintf (2, "lockstep: error: execve(): %s: %s\n", script, g_strerror (why));
  _exit (why);
}

void
lk_child_task_epilog (LkStep *step, int fault)
{
  join_run (step, fault);
  enter (step, /* is_for_now= */ FALSE, fault);
  g_autofree char *work_dir = string_of (step->batch.work_dir);
  go_to_work_dir (step, work_dir);
  take_no_files ();
  LkRunScene scene = lk_step_scene (step);
  GPtrArray *environment = lk_environment_script (&scene);
  g_ptr_array_insert (environment, 0, (gpointer) "SLURM_SCRIPT_CONTEXT=epilog_task");
  char *arguments[] = { step->task_epilog, NULL };
  execve (step->task_epilog, arguments, (char **)environment->pdata);
  _exit (127);
}

/* Signals that a script may want change nothing here. */
void
lk_child_wait (LkStep *step, int fault)
{
  join_run (step, fault);
  enter (step, /* is_for_now= */ FALSE, fault);
  for (int number = 1; number < NSIG; number++)
    if (number != SIGKILL && number != SIGSTOP && number != SIGTERM && number != SIGCONT)
      signal (number, SIG_IGN);
  if (chdir ("/") != 0)
    _exit (1);
  close (fault);
  for (;;)
    pause ();
}

/* Apart, with signals as they are by default, and in no folder of a user. */
static void
be_program (void)
{
  setsid ();
  lk_enter_default_signals ();
  lk_enter_reset_oom_score ();
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  umask (022);
  if (chdir ("/") != 0)
    _exit (1);
}

void
lk_child_plugins (LkStep *step, gboolean is_prolog, const LkExit *how)
{
  LkRunScene scene = lk_step_scene (step);
  GPtrArray *environment =
      lk_environment_program (&scene, is_prolog ? "prolog_slurmd" : "epilog_slurmd", how);
  be_program ();
  take_no_files ();
  clearenv ();
  for (guint i = 0; i + 1 < environment->len; i++)
    putenv (g_ptr_array_index (environment, i));
  _exit (lk_step_plugins_job (step, is_prolog) ? 0 : 1);
}

void
lk_child_program (LkStep *step, const char *program, const char *context, const LkExit *how)
{
  LkRunScene scene = lk_step_scene (step);
  GPtrArray *environment = lk_environment_program (&scene, context, how);
  char *arguments[] = { (char *)program, NULL };
  be_program ();
  take_no_files ();
  execve (program, arguments, (char **)environment->pdata);
  lk_step_log (step, "%s: %s", program, g_strerror (errno));
  _exit (127);
}
