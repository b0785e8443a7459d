/* live/step/enter.c — see the header. */
#include "live/step/enter.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "live/step/private_folders.h"

void
lk_enter_default_signals (void)
{
  sigset_t none;
  for (int number = 1; number < NSIG; number++)
    if (number != SIGKILL && number != SIGSTOP)
      signal (number, SIG_DFL);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
}

void
lk_enter_limit (__rlimit_resource_t which, guint64 wanted)
{
  struct rlimit limit;
  if (getrlimit (which, &limit) != 0)
    return;
  rlim_t soft = wanted == G_MAXUINT64 ? RLIM_INFINITY : (rlim_t)wanted;
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? soft : MIN (soft, limit.rlim_max);
  setrlimit (which, &limit);
}

void
lk_enter_cpus (const LkStep *step, const char *list)
{
  cpu_set_t cpus;
  if (list == NULL)
    return;
  CPU_ZERO (&cpus);
  g_autoptr (GArray) numbers = lk_number_ranges (list);
  for (guint i = 0; i < numbers->len; i++)
    if (g_array_index (numbers, guint32, i) < CPU_SETSIZE)
      CPU_SET (g_array_index (numbers, guint32, i), &cpus);
  if (sched_setaffinity (0, sizeof cpus, &cpus) != 0)
    lk_step_log (step, "cannot run on CPUs %s: %s", list, g_strerror (errno));
}

void
lk_enter_reset_oom_score (void)
{
  int file = open ("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return;
  gssize written = write (file, "0", 1);
  (void)written;
  close (file);
}

/* FALSE: we are not he, or could come back. */
static gboolean
is_user (uid_t user, gid_t group)
{
  uid_t users[3];
  gid_t groups[3];
  if (getresuid (&users[0], &users[1], &users[2]) != 0
      || getresgid (&groups[0], &groups[1], &groups[2]) != 0)
    return FALSE;
  for (guint i = 0; i < 3; i++)
    if (users[i] != user || groups[i] != group)
      return FALSE;
  return user == 0 || (setuid (0) != 0 && seteuid (0) != 0);
}

const char *
lk_enter_user (const LkStep *step)
{
  uid_t user = step->launch.launch.user_id;
  gid_t group = step->launch.launch.group_id;
  errno = ENOENT;
  if (!step->has_user)
    return "this node does not know the user";
  if (geteuid () != 0) {
    errno = EPERM;
    return geteuid () != user ? "cannot run jobs of others" : NULL;
  }
  if (initgroups (step->user, group) != 0 || setresgid (group, group, group) != 0
      || setresuid (user, user, user) != 0)
    return "cannot become the user";
  errno = EPERM;
  return is_user (user, group) ? NULL : "did not become the user";
}

/* ---------------------------------------------------------------- for now */

static gboolean
may_come_back (void)
{
  uid_t users[3];
  return getresuid (&users[0], &users[1], &users[2]) == 0 && users[2] == 0;
}

const char *
lk_enter_user_for_now (const LkStep *step)
{
  uid_t user = step->launch.launch.user_id;
  gid_t group = step->launch.launch.group_id;
  if (geteuid () != 0)
    return lk_enter_user (step);
  errno = ENOENT;
  if (!step->has_user)
    return "this node does not know the user";
  if (initgroups (step->user, group) != 0 || setresgid (group, group, 0) != 0
      || setresuid (user, user, 0) != 0)
    return "cannot become the user";
  errno = EPERM;
  return geteuid () == user && getegid () == group ? NULL : "did not become the user";
}

void
lk_enter_root_again (void)
{
  if (may_come_back () && (seteuid (0) != 0 || setegid (0) != 0))
    _exit (1);
}

/* Whoever switches users is no longer killed with who began him, until he says so again. */
void
lk_enter_user_again (const LkStep *step)
{
  const LkMessage_launch *launch = &step->launch.launch;
  if (!may_come_back ())
    return;
  if (setegid (launch->group_id) != 0 || seteuid (launch->user_id) != 0)
    _exit (1);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
}

gboolean
lk_enter_run (LkStep *step)
{
  LkCgroup *group = lk_step_group (step);
  setsid ();
  lk_enter_default_signals ();
  lk_enter_reset_oom_score ();
  if (group != NULL && !lk_cgroup_enter (group))
    lk_step_log (step, "cannot enter the control group: %s", g_strerror (errno));
  return lk_private_enter (step);
}
