/* live/step/script_holder.c — see the header. */
#include "live/step/script_holder.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/step/enter.h"

/* Tells a signal that is to be handed on from all others. */
#define FOR_SCRIPT 0x4c4b

void
lk_script_signal (pid_t pid, int signal)
{
  const union sigval mark = { .sival_int = FOR_SCRIPT };
  sigqueue (pid, signal, mark);
}

/* Returns: its status, as of wait(2). */
static int
wait_for (pid_t pid)
{
  sigset_t all;
  siginfo_t info;
  int status;
  sigfillset (&all);
  for (;;) {
    pid_t ended = waitpid (pid, &status, WNOHANG);
    if (ended == pid || (ended < 0 && errno != EINTR))
      return ended == pid ? status : 1 << 8;
    if (sigwaitinfo (&all, &info) > 0 && info.si_code == SI_QUEUE
        && info.si_value.sival_int == FOR_SCRIPT)
      kill (pid, info.si_signo);
  }
}

/* As it has ended, and without a core of its own. */
G_NORETURN static void
end_so (int status)
{
  const struct rlimit none = { 0, 0 };
  if (WIFSIGNALED (status)) {
    setrlimit (RLIMIT_CORE, &none);
    lk_enter_default_signals ();
    raise (WTERMSIG (status));
  }
  _exit (WIFEXITED (status) ? WEXITSTATUS (status) : 1);
}

G_NORETURN static void
hold (LkStepPlugins *plugins, pid_t pid)
{
  LkSpankScene *scene = lk_step_plugins_scene (plugins);
  lk_step_plugins_scene_task (plugins, 0)->pid = pid;
  scene->task = 0;
  if (!lk_step_plugins_call_as_root (plugins, LK_SPANK_TASK_POST_FORK)) {
    lk_step_plugins_write (NULL, LK_SPANK_LOG_ERROR, "spank task 0 post-fork failed");
    kill (pid, SIGKILL);
  }
  scene->status = wait_for (pid);
  scene->has_status = TRUE;
  if (!lk_step_plugins_call_as_root (plugins, LK_SPANK_TASK_EXIT))
    lk_step_plugins_write (NULL, LK_SPANK_LOG_ERROR, "Unable to spank task 0 at exit");
  scene->task = -1;
  lk_step_plugins_call_as_root (plugins, LK_SPANK_EXIT);
  end_so (scene->status);
}

static void
become_script (LkStepPlugins *plugins)
{
  setsid ();
  lk_step_plugins_scene (plugins)->task = 0;
  if (!lk_step_plugins_enter_task (plugins))
    _exit (1);
  lk_enter_default_signals ();
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (lk_step_plugins_call (plugins, LK_SPANK_TASK_INIT))
    return;
  lk_step_plugins_write (NULL, LK_SPANK_LOG_ERROR, "Failed to invoke spank plugin stack");
  _exit (1);
}

void
lk_script_hold (LkStepPlugins *plugins, char **arguments, GPtrArray *environment, int fault)
{
  sigset_t all;
  LkSpankScene *scene = lk_step_plugins_scene (plugins);
  lk_step_plugins_listen (plugins, lk_step_plugins_write, NULL);
  lk_step_plugins_set_tasks (plugins, 1);
  scene->arguments = arguments;
  scene->environment = environment;

  if (!lk_step_plugins_call (plugins, LK_SPANK_USER_INIT)) {
    lk_step_plugins_write (NULL, LK_SPANK_LOG_ERROR, "spank_user failed.");
    _exit (1);
  }
  sigfillset (&all);
  sigprocmask (SIG_SETMASK, &all, NULL);
  pid_t pid = fork ();
  if (pid == 0) {
    become_script (plugins);
    return;
  }
  close (fault);
  if (pid < 0)
    _exit (1);
  hold (plugins, pid);
}
