/* live/daemon/daemon.h — what the daemons have in common: their loop, and the signals that end them
 * or let them read anew. */
#ifndef LK_LIVE_DAEMON_DAEMON_H
#define LK_LIVE_DAEMON_DAEMON_H

#include <glib.h>

#include "live/daemon/lock_file.h"
#include "live/port/auth_key.h"
#include "live/port/loop.h"

/* How a daemon ends. */
#define LK_DAEMON_EXIT_OK 0
#define LK_DAEMON_EXIT_FAILURE 1 /* another one may do better: start it again */
#define LK_DAEMON_EXIT_USAGE 2   /* the command line, or the configuration */
#define LK_DAEMON_EXIT_REFUSED 3 /* as long as somebody does not look, there is no use in another */

typedef struct {
  LkLoop *loop;
  int exit_code;
  gboolean is_ending;
  void (*reload) (gpointer user); /* behind SIGHUP and the log's reopening; NULL: nothing */
  gpointer user;
  void (*reconfigure) (gpointer user); /* behind SIGUSR1; NULL: nothing */
  LkLoopTimer watchdog;
  gint64 watchdog_us;
  LkLoopTimer guard;
  char *directory; /* that is looked at now and then; NULL: none */
  LkLockFile lock; /* of that */
} LkDaemon;

/* Before the process has a thread. `self` stays where it is. */
gboolean lk_daemon_init (LkDaemon *self, void (*reload) (gpointer user), gpointer user,
                         GError **error);
/* SIGUSR1: the configuration is to be read anew. */
void lk_daemon_hear_reconfigure (LkDaemon *self, void (*reconfigure) (gpointer user));
/* Tells that it is ready, and turns the loop until it ends. Returns: how it ends. */
int lk_daemon_run (LkDaemon *self);
/* How one ends that does not start: what was refused is refused again. */
int lk_daemon_exit_code (const GError *error);
/* Ends the loop, from within it. */
void lk_daemon_end (LkDaemon *self, int exit_code);
void lk_daemon_clear (LkDaemon *self);

/* Makes a directory (mode 0700), and those above it that are not there (also 0700; as root 0711).
 * FALSE: that cannot be done, or it belongs to somebody else, or others may write into it. */
gboolean lk_daemon_make_directory (const char *path, GError **error);

/* Makes a directory, if need be, and takes its lock. The first of them is looked at now and then:
 * when somebody has removed it, the daemon ends, for nobody could find it any more. */
gboolean lk_daemon_take_directory (LkDaemon *self, const char *path, GError **error);

/* For others, who want to know its number: a file with it; "" for none. That it cannot be written
 * is told in the log, and no reason to end. */
void lk_daemon_write_pid_file (const char *path);

/* -V: "lockstepd 0.1.0".  A program that is called by Slurm's name for it (a link slurmctld or
 * slurmd) prints the version of Slurm that it resembles, for scripts that compare versions. */
void lk_daemon_print_version (const char *called, const char *name);

/* The keys of a file; of no file (NULL) none. FALSE: there is one, and it cannot be read. */
gboolean lk_daemon_load_keys (const char *path, LkKeyring **out_keyring, GError **error);

#endif
