/* live/daemon/accounting_child.c — see the header. */
#include "live/daemon/accounting_child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/checked.h"
#include "live/core/controller.h"
#include "live/daemon/daemon_site.h"
#include "live/daemon/log.h"

#define WAIT_MIN_US ((gint64)G_USEC_PER_SEC)
#define WAIT_MAX_US (60 * (gint64)G_USEC_PER_SEC)
#define END_MAX_MS 5000

static void start (LkAccountingChild *self);

static void
start_later (LkAccountingChild *self)
{
  lk_loop_set_timer (self->loop, &self->timer,
                     lk_time_add_us (lk_loop_now_us (self->loop), self->wait_us));
  self->wait_us = MIN (self->wait_us * 2, WAIT_MAX_US);
}

static void
reap (LkAccountingChild *self, int flags)
{
  int status = 0;
  if (waitpid (self->pid, &status, flags) != self->pid)
    return;
  lk_loop_remove_fd (self->loop, &self->fd);
  close (self->fd.fd);
  self->fd.fd = -1;
  if (!WIFEXITED (status) || WEXITSTATUS (status) != 0)
    lk_log (LK_LOG_ERROR,
            "accounting has ended, status %d; jobs run on, and it goes on where it was",
            WIFEXITED (status) ? WEXITSTATUS (status) : WTERMSIG (status));
}

static void
on_ended (gpointer user, guint events)
{
  LkAccountingChild *self = user;
  (void)events;
  reap (self, WNOHANG);
  if (self->fd.fd < 0)
    start_later (self);
}

/* 0, or the number of the error. */
static int
spawn (LkAccountingChild *self)
{
  g_autofree char *program = lk_daemon_program ("lockstep-accounting");
  g_autofree char *journal = g_build_filename (self->directory, LK_CONTROLLER_JOURNAL, NULL);
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_autofree char *parent = g_strdup_printf ("%d", (int)getpid ());
  const char *const fixed[] = { program,     "follow", "--with-parent", parent,
                                "--journal", journal,  "--database",    self->database };
  g_auto (GStrv) environment = g_environ_unsetenv (g_get_environ (), "NOTIFY_SOCKET");
  posix_spawnattr_t how;
  sigset_t none;
  sigset_t all;
  for (guint i = 0; i < G_N_ELEMENTS (fixed); i++)
    g_ptr_array_add (arguments, (gpointer)fixed[i]);
  for (guint i = 0; self->plugins != NULL && self->plugins[i] != NULL; i++) {
    g_ptr_array_add (arguments, (gpointer) "--plugin");
    g_ptr_array_add (arguments, (gpointer)self->plugins[i]);
  }
  if (self->mail_program != NULL) {
    g_ptr_array_add (arguments, (gpointer) "--mail-program");
    g_ptr_array_add (arguments, (gpointer)self->mail_program);
    g_ptr_array_add (arguments, (gpointer) "--mail-domain");
    g_ptr_array_add (arguments, (gpointer)self->mail_domain);
  }
  g_ptr_array_add (arguments, NULL);
  sigemptyset (&none);
  sigfillset (&all);
  posix_spawnattr_init (&how);
  posix_spawnattr_setflags (&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask (&how, &none);
  posix_spawnattr_setsigdefault (&how, &all);
  int result =
      posix_spawn (&self->pid, program, NULL, &how, (char **)arguments->pdata, environment);
  posix_spawnattr_destroy (&how);
  return result;
}

static void
start (LkAccountingChild *self)
{
  g_autoptr (GError) error = NULL;
  int result = spawn (self);
  if (result != 0) {
    lk_log (LK_LOG_ERROR, "accounting does not start: %s", g_strerror (result));
    start_later (self);
    return;
  }
  int fd = (int)syscall (SYS_pidfd_open, self->pid, 0);
  if (fd >= 0 && lk_loop_add_fd (self->loop, &self->fd, fd, LK_LOOP_READ, &error))
    return;
  /* Without it nobody would be told of its end. */
  lk_log (LK_LOG_ERROR, "accounting cannot be watched: %s",
          error != NULL ? error->message : g_strerror (errno));
  kill (self->pid, SIGTERM);
  waitpid (self->pid, NULL, 0);
  if (fd >= 0)
    close (fd);
  self->fd.fd = -1;
  start_later (self);
}

static void
on_due (gpointer user)
{
  start (user);
}

void
lk_accounting_child_init (LkAccountingChild *self, LkLoop *loop, const LkAccountingChild *given)
{
  *self = *given;
  self->loop = loop;
  self->fd = (LkLoopFd){ .ready = on_ended, .user = self, .fd = -1 };
  self->timer = (LkLoopTimer){ .due = on_due, .user = self };
  self->wait_us = WAIT_MIN_US;
  start (self);
}

void
lk_accounting_child_clear (LkAccountingChild *self)
{
  if (self->loop == NULL)
    return;
  lk_loop_set_timer (self->loop, &self->timer, LK_TIME_NEVER);
  if (self->fd.fd < 0)
    return;
  struct pollfd ended = { .fd = self->fd.fd, .events = POLLIN };
  kill (self->pid, SIGTERM);
  if (poll (&ended, 1, END_MAX_MS) <= 0)
    kill (self->pid, SIGKILL);
  reap (self, 0);
}
