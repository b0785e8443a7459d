/* live/daemon/health.c — see the header. */
#include "live/daemon/health.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "live/daemon/log.h"

struct _LkHealth {
  LkLoop *loop;
  LkHealthOptions options;
  LkLoopTimer next;
  LkLoopTimer late;
  LkLoopFd end; /* a pidfd */
  pid_t pid;    /* leader of a session; 0: it does not run */
};

/* ---------------------------------------------------------------- its end */

static void
tell_end (const LkHealth *self, int status)
{
  const char *program = self->options.program;
  if (WIFSIGNALED (status))
    lk_log (LK_LOG_ERROR, "HealthCheckProgram %s was ended by signal %d", program,
            WTERMSIG (status));
  else if (WEXITSTATUS (status) != 0)
    lk_log (LK_LOG_ERROR, "HealthCheckProgram %s ended with exit status %d", program,
            WEXITSTATUS (status));
  else
    lk_log (LK_LOG_DEBUG, "HealthCheckProgram %s has ended", program);
}

static void
reap (LkHealth *self)
{
  int status = 0;
  pid_t reaped;
  do
    reaped = waitpid (self->pid, &status, 0);
  while (reaped < 0 && errno == EINTR);
  self->pid = 0;
  lk_loop_set_timer (self->loop, &self->late, LK_TIME_NEVER);
  lk_loop_remove_fd (self->loop, &self->end);
  close (self->end.fd);
  tell_end (self, status);
}

static void
end_ready (gpointer user, guint events)
{
  (void)events;
  reap (user);
}

/* What it has started is of its session, and most likely of its process group. */
static void
late_due (gpointer user)
{
  const LkHealth *self = user;
  lk_log (LK_LOG_ERROR, "HealthCheckProgram %s takes too long", self->options.program);
  kill (-self->pid, SIGKILL);
}

/* ---------------------------------------------------------------- its beginning */

/* Its environment is made of nothing; what it says goes to the log. Returns: an error number. */
static int
spawn (LkHealth *self)
{
  const LkHealthOptions *options = &self->options;
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t none;
  sigset_t all;
  g_autofree char *node = g_strconcat ("SLURMD_NODENAME=", options->node, NULL);
  g_autofree char *conf = g_strconcat ("SLURM_CONF=", options->configuration, NULL);
  const char *const arguments[] = { options->program, NULL };
  const char *const environment[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", node, conf, NULL };
  sigemptyset (&none);
  sigfillset (&all);
  posix_spawn_file_actions_init (&files);
  posix_spawn_file_actions_addopen (&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2 (&files, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_init (&how);
  posix_spawnattr_setflags (&how,
                            POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask (&how, &none);
  posix_spawnattr_setsigdefault (&how, &all);
  int result = posix_spawn (&self->pid, options->program, &files, &how, (char **)arguments,
                            (char **)environment);
  posix_spawn_file_actions_destroy (&files);
  posix_spawnattr_destroy (&how);
  return result;
}

static void
begin (LkHealth *self)
{
  int result = spawn (self);
  if (result != 0) {
    self->pid = 0;
    lk_log (LK_LOG_ERROR, "HealthCheckProgram %s cannot be run: %s", self->options.program,
            g_strerror (result));
    return;
  }
  int pidfd = (int)syscall (SYS_pidfd_open, self->pid, 0);
  LK_ASSERT (pidfd >= 0);
  fcntl (pidfd, F_SETFD, FD_CLOEXEC);
  gboolean is_in = lk_loop_add_fd (self->loop, &self->end, pidfd, LK_LOOP_READ, NULL);
  LK_ASSERT (is_in);
  lk_loop_set_timer (self->loop, &self->late,
                     lk_time_add_us (lk_loop_now_us (self->loop), self->options.time_max_us));
}

static gboolean
is_wanted (const LkHealth *self)
{
  const LkHealthOptions *options = &self->options;
  if (options->when == LK_HEALTH_IDLE || options->when == LK_HEALTH_BUSY)
    return options->is_busy (options->user) == (options->when == LK_HEALTH_BUSY);
  return TRUE;
}

static void
next_due (gpointer user)
{
  LkHealth *self = user;
  if (self->pid == 0 && is_wanted (self))
    begin (self);
  if (self->options.when != LK_HEALTH_ONCE)
    lk_loop_set_timer (self->loop, &self->next,
                       lk_time_add_us (lk_loop_now_us (self->loop), self->options.interval_us));
}

LkHealth *
lk_health_new (LkLoop *loop, const LkHealthOptions *options)
{
  LkHealth *self = g_new0 (LkHealth, 1);
  LK_ASSERT (options->interval_us > 0);
  LK_ASSERT (options->time_max_us > 0);
  self->loop = loop;
  self->options = *options;
  self->next = (LkLoopTimer){ .due = next_due, .user = self };
  self->late = (LkLoopTimer){ .due = late_due, .user = self };
  self->end = (LkLoopFd){ .ready = end_ready, .user = self };
  next_due (self);
  return self;
}

void
lk_health_free (LkHealth *self)
{
  if (self == NULL)
    return;
  lk_loop_set_timer (self->loop, &self->next, LK_TIME_NEVER);
  if (self->pid != 0) {
    kill (-self->pid, SIGKILL);
    reap (self);
  }
  g_free (self);
}
