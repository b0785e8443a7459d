/* live/daemon/daemon.c — see the header. */
#include "live/daemon/daemon.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/checked.h"
#include "engine/engine.h"
#include "live/client/commands.h"
#include "live/daemon/log.h"
#include "live/daemon/notify.h"
#include "live/port/error.h"

/* How often the directory is looked at. */
#define GUARD_US (5 * (gint64)G_USEC_PER_SEC)

static void
end_came (gpointer user, int signal)
{
  LkDaemon *self = user;
  lk_log (LK_LOG_INFO, "Terminate signal (%s) received", signal == SIGINT ? "SIGINT" : "SIGTERM");
  lk_daemon_end (self, LK_DAEMON_EXIT_OK);
}

static void
reload_came (gpointer user, int signal)
{
  const LkDaemon *self = user;
  (void)signal;
  lk_notify ("RELOADING=1\nMONOTONIC_USEC=%" G_GINT64_FORMAT, g_get_monotonic_time ());
  lk_log_reopen ();
  lk_log (LK_LOG_INFO, "SIGHUP: the log begins anew");
  if (self->reload != NULL)
    self->reload (self->user);
  lk_notify ("READY=1");
}

static void
reconfigure_came (gpointer user, int signal)
{
  const LkDaemon *self = user;
  (void)signal;
  lk_log (LK_LOG_INFO, "SIGUSR1: the configuration is read anew");
  self->reconfigure (self->user);
}

void
lk_daemon_hear_reconfigure (LkDaemon *self, void (*reconfigure) (gpointer user))
{
  self->reconfigure = reconfigure;
  lk_loop_add_signal (self->loop, SIGUSR1, reconfigure_came, self);
}

static void
watchdog_due (gpointer user)
{
  LkDaemon *self = user;
  lk_notify ("WATCHDOG=1");
  lk_loop_set_timer (self->loop, &self->watchdog,
                     lk_time_add_us (lk_loop_now_us (self->loop), self->watchdog_us / 2));
}

static void
guard_due (gpointer user)
{
  LkDaemon *self = user;
  if (lk_lock_file_is_there (&self->lock, self->directory)) {
    lk_loop_set_timer (self->loop, &self->guard,
                       lk_time_add_us (lk_loop_now_us (self->loop), GUARD_US));
    return;
  }
  lk_log (LK_LOG_FATAL, "the directory '%s' is gone", self->directory);
  lk_daemon_end (self, LK_DAEMON_EXIT_REFUSED);
}

/* Ten thousand agents are ten thousand descriptors. */
static void
raise_limits (void)
{
  struct rlimit limit;
  if (getrlimit (RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max)
    return;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit (RLIMIT_NOFILE, &limit) != 0)
    lk_log (LK_LOG_INFO, "the limit of open files stays as it is: %s", g_strerror (errno));
}

gboolean
lk_daemon_init (LkDaemon *self, void (*reload) (gpointer user), gpointer user, GError **error)
{
  *self = (LkDaemon){ .loop = lk_loop_new (error), .reload = reload, .user = user };
  if (self->loop == NULL)
    return FALSE;
  self->watchdog = (LkLoopTimer){ .due = watchdog_due, .user = self };
  self->guard = (LkLoopTimer){ .due = guard_due, .user = self };
  self->watchdog_us = lk_notify_watchdog_us ();
  umask (S_IRWXG | S_IRWXO);
  signal (SIGPIPE, SIG_IGN);
  raise_limits ();
  lk_loop_add_signal (self->loop, SIGTERM, end_came, self);
  lk_loop_add_signal (self->loop, SIGINT, end_came, self);
  lk_loop_add_signal (self->loop, SIGHUP, reload_came, self);
  return TRUE;
}

int
lk_daemon_run (LkDaemon *self)
{
  if (!self->is_ending)
    lk_notify ("READY=1");
  if (self->watchdog_us > 0)
    watchdog_due (self);
  lk_loop_run (self->loop);
  lk_notify ("STOPPING=1");
  return self->exit_code;
}

int
lk_daemon_exit_code (const GError *error)
{
  return g_error_matches (error, LK_PORT_ERROR, LK_PORT_ERROR_SYSTEM) ? LK_DAEMON_EXIT_FAILURE
                                                                      : LK_DAEMON_EXIT_REFUSED;
}

void
lk_daemon_end (LkDaemon *self, int exit_code)
{
  self->exit_code = MAX (self->exit_code, exit_code);
  self->is_ending = TRUE;
  lk_loop_quit (self->loop);
}

void
lk_daemon_clear (LkDaemon *self)
{
  lk_loop_set_timer (self->loop, &self->watchdog, LK_TIME_NEVER);
  lk_loop_set_timer (self->loop, &self->guard, LK_TIME_NEVER);
  g_free (self->directory);
  lk_loop_free (self->loop);
}

/* Those above a directory of root's are passed through by users, whose jobs have their scripts in
 * an agent's. */
static gboolean
make_parents (const char *path)
{
  g_autofree char *parent = g_path_get_dirname (path);
  mode_t before = umask (0);
  gboolean is_made = g_mkdir_with_parents (parent, geteuid () == 0 ? 0711 : 0700) == 0;
  umask (before);
  return is_made;
}

gboolean
lk_daemon_make_directory (const char *path, GError **error)
{
  struct stat status;
  if (!make_parents (path) || g_mkdir_with_parents (path, 0700) != 0 || stat (path, &status) != 0) {
    lk_port_error_set (error, errno, "cannot make the directory '%s'", path);
    return FALSE;
  }
  if (status.st_uid == geteuid () && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0)
    return TRUE;
  g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED,
               status.st_uid != geteuid ()
                   ? "the directory '%s' belongs to another user"
                   : "others may write into the directory '%s': chmod go-w it",
               path);
  return FALSE;
}

gboolean
lk_daemon_take_directory (LkDaemon *self, const char *path, GError **error)
{
  LkLockFile lock;
  if (!lk_daemon_make_directory (path, error) || !lk_lock_file_take (path, &lock, error))
    return FALSE;
  if (self->directory != NULL)
    return TRUE;
  self->directory = g_strdup (path);
  self->lock = lock;
  guard_due (self);
  return TRUE;
}

void
lk_daemon_write_pid_file (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strdup_printf ("%d\n", (int)getpid ());
  if (path[0] != '\0'
      && !g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0644, &error))
    lk_log (LK_LOG_ERROR, "no pid file: %s", error->message);
}

gboolean
lk_daemon_load_keys (const char *path, LkKeyring **out_keyring, GError **error)
{
  GError *fault = NULL;
  *out_keyring = path != NULL ? lk_keyring_load (path, &fault) : NULL;
  if (fault == NULL)
    return TRUE;
  /* To try again does not help: somebody has to look. */
  fault->code = LK_PORT_ERROR_REFUSED;
  g_propagate_error (error, fault);
  return FALSE;
}

void
lk_daemon_print_version (const char *called, const char *name)
{
  g_autofree char *own = g_path_get_basename (called != NULL ? called : name);
  if (g_str_has_prefix (own, "slurm"))
    puts ("slurm " LK_CLIENT_SLURM_VERSION);
  else
    printf ("%s " LK_ENGINE_VERSION "\n", name);
}
