/* tests/live/daemon_test.c — the log, what is told to systemd, directories, and the signals. */
#include "live/daemon/daemon.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "live/core/log_limit.h"
#include "live/daemon/log.h"
#include "live/daemon/notify.h"

static int own_stderr = -1;

/* ---------------------------------------------------------------- log */

static void
log_begin (const char *path, guint level)
{
  own_stderr = dup (STDERR_FILENO);
  g_assert_true (lk_log_open (path, level, NULL));
}

static char *
log_end (const char *path)
{
  char *text = NULL;
  dup2 (own_stderr, STDERR_FILENO);
  close (own_stderr);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

static void
test_log (void)
{
  g_autofree char *directory = g_dir_make_tmp ("lk-log-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "log", NULL);
  g_autofree char *old_path = g_build_filename (directory, "old", NULL);
  log_begin (path, LK_LOG_INFO);
  lk_log (LK_LOG_INFO, "node %u", 7);
  lk_log (LK_LOG_VERBOSE, "unheard");
  lk_log (LK_LOG_ERROR, "a name\n[2026-01-01T00:00:00.000] fatal: with lines");
  fputs ("a library\n", stderr);
  g_assert_cmpint (rename (path, old_path), ==, 0);
  lk_log_reopen ();
  lk_log (LK_LOG_FATAL, "anew");
  g_autofree char *text = log_end (path);
  g_autofree char *old_text = NULL;
  g_assert_true (g_file_get_contents (old_path, &old_text, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (old_text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 4);
  g_assert_true (g_regex_match_simple (
      "^\\[\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}\\] node 7$", lines[0], 0, 0));
  g_assert_true (g_str_has_suffix (
      lines[1], "] error: a name\\x0a[2026-01-01T00:00:00.000] fatal: with lines"));
  g_assert_cmpstr (lines[2], ==, "a library");
  g_assert_true (g_str_has_suffix (text, "] fatal: anew\n"));
  unlink (path);
  unlink (old_path);
  rmdir (directory);
}

static void
test_log_refused (void)
{
  g_autoptr (GError) error = NULL;
  g_assert_false (lk_log_open ("/nowhere/log", LK_LOG_INFO, &error));
  g_assert_nonnull (error);
  g_assert_cmpstr (error->message, ==,
                   "cannot open the log '/nowhere/log': No such file or directory");
  g_assert_true (lk_log_open (NULL, LK_LOG_INFO, NULL));
  g_assert_true (lk_log_open ("", LK_LOG_INFO, NULL));
}

/* Why a daemon does not start is seen where it was started; what it says later is in the file. */
static void
test_log_fatal (void)
{
  g_autofree char *directory = g_dir_make_tmp ("lk-log-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "log", NULL);
  g_autofree char *terminal = g_build_filename (directory, "terminal", NULL);
  g_autofree char *seen = NULL;
  int kept = dup (STDERR_FILENO);
  int fd = open (terminal, O_WRONLY | O_CREAT | O_APPEND, 0600);
  g_assert_cmpint (dup2 (fd, STDERR_FILENO), ==, STDERR_FILENO);
  g_assert_true (lk_log_open (path, LK_LOG_INFO, NULL));
  lk_log (LK_LOG_INFO, "begins");
  lk_log (LK_LOG_FATAL, "no key");
  lk_log_started ();
  lk_log (LK_LOG_FATAL, "disk full");
  own_stderr = kept;
  g_autofree char *text = log_end (path);
  g_assert_true (g_file_get_contents (terminal, &seen, NULL, NULL));
  g_assert_true (g_str_has_suffix (seen, "] fatal: no key\n"));
  g_assert_null (strstr (seen, "begins"));
  g_assert_nonnull (strstr (text, "] fatal: no key\n"));
  g_assert_nonnull (strstr (text, "] fatal: disk full\n"));
  close (fd);
  unlink (path);
  unlink (terminal);
  rmdir (directory);
}

/* ---------------------------------------------------------------- notify */

typedef struct {
  int socket;
  char *directory;
  char *path;
} Ear;

static void
ear_init (Ear *self)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  self->directory = g_dir_make_tmp ("lk-ear-XXXXXX", NULL);
  self->path = g_build_filename (self->directory, "s", NULL);
  g_strlcpy (address.sun_path, self->path, sizeof address.sun_path);
  self->socket = socket (AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  g_assert_cmpint (bind (self->socket, (struct sockaddr *)&address, sizeof address), ==, 0);
  g_setenv ("NOTIFY_SOCKET", self->path, TRUE);
}

static void
ear_clear (Ear *self)
{
  g_unsetenv ("NOTIFY_SOCKET");
  close (self->socket);
  unlink (self->path);
  rmdir (self->directory);
  g_free (self->path);
  g_free (self->directory);
}

static void
assert_heard (const Ear *self, const char *expected)
{
  char text[256] = "";
  ssize_t got = recv (self->socket, text, sizeof text - 1, 0);
  g_assert_cmpstr (got > 0 ? text : "(nothing)", ==, expected);
}

static void
test_notify (void)
{
  Ear ear;
  lk_notify ("READY=1"); /* to nobody */
  ear_init (&ear);
  lk_notify ("STATUS=node %s", "n1");
  assert_heard (&ear, "STATUS=node n1");
  g_setenv ("NOTIFY_SOCKET", "relative", TRUE);
  lk_notify ("READY=1");
  assert_heard (&ear, "(nothing)");
  ear_clear (&ear);
}

static void
test_watchdog (void)
{
  g_autofree char *pid = g_strdup_printf ("%d", (int)getpid ());
  g_assert_cmpint (lk_notify_watchdog_us (), ==, 0);
  g_setenv ("WATCHDOG_USEC", "2000000", TRUE);
  g_assert_cmpint (lk_notify_watchdog_us (), ==, 2000000);
  g_setenv ("WATCHDOG_PID", pid, TRUE);
  g_assert_cmpint (lk_notify_watchdog_us (), ==, 2000000);
  g_setenv ("WATCHDOG_PID", "1", TRUE);
  g_assert_cmpint (lk_notify_watchdog_us (), ==, 0);
  g_unsetenv ("WATCHDOG_USEC");
  g_unsetenv ("WATCHDOG_PID");
}

/* ---------------------------------------------------------------- the loop and its signals */

static guint reload_count;

static void
reloaded (gpointer user)
{
  (void)user;
  reload_count++;
  kill (getpid (), SIGTERM);
}

static void
test_signals (void)
{
  LkDaemon daemon;
  Ear ear;
  ear_init (&ear);
  g_setenv ("WATCHDOG_USEC", "1000000", TRUE);
  g_assert_true (lk_log_open (NULL, LK_LOG_QUIET, NULL));
  g_assert_true (lk_daemon_init (&daemon, reloaded, NULL, NULL));
  kill (getpid (), SIGHUP);
  g_assert_cmpint (lk_daemon_run (&daemon), ==, LK_DAEMON_EXIT_OK);
  g_assert_cmpuint (reload_count, ==, 1);
  lk_daemon_clear (&daemon);
  assert_heard (&ear, "READY=1");
  assert_heard (&ear, "WATCHDOG=1");
  char text[256] = "";
  g_assert_cmpint (recv (ear.socket, text, sizeof text - 1, 0), >, 0);
  g_assert_true (g_str_has_prefix (text, "RELOADING=1\nMONOTONIC_USEC="));
  assert_heard (&ear, "READY=1");
  assert_heard (&ear, "STOPPING=1");
  g_unsetenv ("WATCHDOG_USEC");
  ear_clear (&ear);
}

/* ---------------------------------------------------------------- directories */

static void
test_directory (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *top = g_dir_make_tmp ("lk-dir-XXXXXX", NULL);
  g_autofree char *middle = g_build_filename (top, "a", NULL);
  g_autofree char *path = g_build_filename (middle, "b", NULL);
  struct stat status;
  g_assert_true (lk_daemon_make_directory (path, &error));
  g_assert_true (lk_daemon_make_directory (path, &error));
  g_assert_cmpint (stat (path, &status), ==, 0);
  g_assert_cmphex (status.st_mode, ==, S_IFDIR | 0700);
  g_assert_cmpint (chmod (path, 0770), ==, 0);
  g_assert_false (lk_daemon_make_directory (path, &error));
  g_assert_true (g_str_has_prefix (error->message, "others may write into the directory '"));
  g_clear_error (&error);
  g_assert_false (lk_daemon_make_directory ("/proc/nowhere", &error));
  g_assert_true (g_str_has_prefix (error->message, "cannot make the directory '/proc/nowhere': "));
  rmdir (path);
  rmdir (middle);
  rmdir (top);
}

/* Escapes of terminals, bytes that are not UTF-8; letters stay. */
static void
test_log_escapes (void)
{
  g_autofree char *directory = g_dir_make_tmp ("lk-log-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "log", NULL);
  log_begin (path, LK_LOG_INFO);
  const LkPortLog port = lk_log_port ();
  port.ops->write (port.self, LK_LOG_TOPIC_REQUESTS, LK_LOG_ERROR,
                   "red \x1b[31m \xc2\x9b \xff na\xc3\xafve");
  g_autofree char *text = log_end (path);
  g_assert_true (g_str_has_suffix (text, "] error: red \\x1b[31m \\xc2\\x9b \\xff na\xc3\xafve\n"));
  g_assert_cmpint (unlink (path), ==, 0);
  g_assert_cmpint (rmdir (directory), ==, 0);
}

/* A user who asks without end fills neither the disk nor hides what others do. */
static void
test_log_limit (void)
{
  g_autofree char *directory = g_dir_make_tmp ("lk-log-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "log", NULL);
  const guint count = 100 * LK_LOG_LINES_PER_S_MAX;
  log_begin (path, LK_LOG_INFO);
  const LkPortLog port = lk_log_port ();
  for (guint i = 0; i < count; i++)
    port.ops->write (port.self, LK_LOG_TOPIC_REQUESTS, LK_LOG_ERROR, "a request");
  port.ops->write (port.self, LK_LOG_TOPIC_NODES, LK_LOG_ERROR, "a node");
  lk_log_end ();
  g_autofree char *text = log_end (path);
  guint64 written = 0;
  guint64 suppressed = 0;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    const char *counted = strstr (*line, "] error: log: ");
    written += g_str_has_suffix (*line, "] error: a request") ? 1 : 0;
    if (counted != NULL)
      suppressed += g_ascii_strtoull (counted + strlen ("] error: log: "), NULL, 10);
  }
  g_assert_cmpuint (written, >, 0);
  g_assert_cmpuint (written + suppressed, ==, count);
  g_assert_nonnull (strstr (text, "] error: a node\n"));
  g_assert_cmpint (unlink (path), ==, 0);
  g_assert_cmpint (rmdir (directory), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/daemon/fatal errors of the start are on standard error", test_log_fatal);
  g_test_add_func ("/daemon/a line of the log is one line, and begins anew when told", test_log);
  g_test_add_func ("/daemon/the log escapes control characters", test_log_escapes);
  g_test_add_func ("/daemon/the log counts lines above the limit", test_log_limit);
  g_test_add_func ("/daemon/a log that cannot be opened is an error", test_log_refused);
  g_test_add_func ("/daemon/whoever has started it hears how it is", test_notify);
  g_test_add_func ("/daemon/the watchdog is of one process", test_watchdog);
  g_test_add_func ("/daemon/SIGHUP reads anew and SIGTERM ends", test_signals);
  g_test_add_func ("/daemon/its directories belong to it alone", test_directory);
  return g_test_run ();
}
