/* tests/step/process_node.c — see the header. */
#include "tests/step/process_node.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/port/cgroup_node.h"
#include "live/port/process_tree.h"
#include "live/port/run_folder.h"

/* Longer than anything takes on a machine that is busy. */
#define PATIENCE_US (180 * (gint64)G_USEC_PER_SEC)

static void
ended (gpointer user, guint64 run_id, LkStage stage, const LkExit *how)
{
  Node *self = user;
  NodeEnd end = { run_id, stage, *how };
  g_array_append_val (self->ends, end);
  g_test_message ("run %" G_GUINT64_FORMAT ", stage %d: %u:%u, trouble %u", run_id, (int)stage,
                  how->exit_code, how->signal, how->trouble);
  if (!self->goes_on || stage == LK_STAGE_EPILOG)
    return;
  gboolean is_bad = how->exit_code != 0 || how->signal != 0 || how->trouble != 0;
  node_begin (self, run_id,
              stage == LK_STAGE_PROLOG && !is_bad ? LK_STAGE_SCRIPT : LK_STAGE_EPILOG);
}

static void
log_line (gpointer user, const char *line)
{
  g_string_append_printf (((Node *)user)->log, "%s\n", line);
  g_test_message ("%s", line);
}

gboolean
node_unshare_mounts (void)
{
  return unshare (CLONE_NEWNS) == 0 && mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

gboolean
node_has_mounts (void)
{
  int status = 0;
  pid_t child = fork ();
  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    _exit (node_unshare_mounts () ? 0 : errno);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  if (WIFEXITED (status) && WEXITSTATUS (status) == 0)
    return TRUE;
  g_autofree char *why =
      g_strdup_printf ("mounts of its own cannot be made: %s",
                       WEXITSTATUS (status) == EINVAL
                           ? "the root directory is not a mount point, as in a plain chroot"
                           : g_strerror (WEXITSTATUS (status)));
  g_test_skip (why);
  return FALSE;
}

Node *
node_new (void)
{
  Node *self = g_new0 (Node, 1);
  g_autoptr (GError) error = NULL;
  self->folder = g_dir_make_tmp ("lk-node-XXXXXX", &error);
  g_assert_no_error (error);
  /* Users pass through it, as through the state directory of a node. */
  g_assert_cmpint (chmod (self->folder, 0711), ==, 0);
  self->work = g_build_filename (self->folder, "work", NULL);
  g_assert_cmpint (mkdir (self->work, 0777), ==, 0);
  g_assert_cmpint (chmod (self->work, 0777), ==, 0);
  self->ends = g_array_new (FALSE, FALSE, sizeof (NodeEnd));
  self->log = g_string_new (NULL);
  self->loop = lk_loop_new (&error);
  g_assert_no_error (error);
  self->goes_on = TRUE;
  self->config = (LkProcessOsConfig){ .directory = self->folder,
                                      .step_program = NODE_STEP_PROGRAM,
                                      .node = "n1",
                                      .log = log_line,
                                      .log_user = self };
  return self;
}

void
node_start (Node *self)
{
  g_autoptr (GError) error = NULL;
  self->port = lk_process_os_new (&self->config, self->loop, ended, self, &error);
  g_assert_no_error (error);
}

void
node_stop (Node *self)
{
  g_clear_pointer (&self->port, lk_process_os_free);
}

static void
remove_all (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;
  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL) {
    g_autofree char *below = g_build_filename (path, name, NULL);
    if (unlink (below) != 0)
      remove_all (below);
  }
  rmdir (path);
}

/* What is left of a test that has failed half-way. */
static void
end_supervisors (const Node *self)
{
  g_autofree char *runs = g_build_filename (self->folder, "runs", NULL);
  g_autoptr (GDir) folder = g_dir_open (runs, 0, NULL);
  const char *name;
  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL) {
    int pid = node_supervisor (self, g_ascii_strtoull (name, NULL, 10));
    if (pid > 0)
      kill (pid, SIGKILL);
  }
}

/* A supervisor that was killed removes no groups. */
static void
clear_groups (const Node *self)
{
  g_autofree char *path = lk_cgroup_node_path (self->folder, self->config.node);
  gint64 until_us = g_get_monotonic_time () + PATIENCE_US;
  while (geteuid () == 0 && !lk_cgroup_node_clear (path)) {
    g_assert_cmpint (g_get_monotonic_time (), <, until_us);
    g_usleep (10000);
  }
}

void
node_free (Node *self)
{
  node_stop (self);
  end_supervisors (self);
  clear_groups (self);
  remove_all (self->folder);
  lk_loop_free (self->loop);
  g_array_unref (self->ends);
  g_string_free (self->log, TRUE);
  g_free (self->work);
  g_free (self->folder);
  g_free (self);
}

/* ---------------------------------------------------------------- jobs */

NodeJob
node_job (const Node *self, guint64 run_id, const char *script)
{
  NodeJob job = { .batch = { .script = lk_bytes (script),
                             .work_dir = lk_bytes (self->work),
                             .submit_dir = lk_bytes (self->work),
                             .umask = 022 } };
  job.launch = (LkMessage_launch){ .run_id = run_id,
                                   .job_id = (guint32)run_id + 100,
                                   .user_id = geteuid (),
                                   .group_id = getegid (),
                                   .runs_script = 1,
                                   .nodes = { "n1", 2 },
                                   .cores = { "n1=0", 4 },
                                   .cpus = { "1", 1 },
                                   .job_name = lk_text ("test") };
  return job;
}

gboolean
node_launch (Node *self, const NodeJob *job)
{
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  LkMessage_launch launch = job->launch;
  LkPortProcess port = lk_process_os_port (self->port);
  lk_batch_encode (&job->batch, payload);
  launch.payload = (LkBytes){ payload->data, payload->len };
  return port.ops->create (port.self, &launch);
}

void
node_begin (Node *self, guint64 run_id, LkStage stage)
{
  LkPortProcess port = lk_process_os_port (self->port);
  g_assert_true (port.ops->begin (port.self, run_id, stage));
}

void
node_signal (Node *self, guint64 run_id, guint8 signal, gboolean batch_only)
{
  LkPortProcess port = lk_process_os_port (self->port);
  port.ops->signal (port.self, run_id, signal, batch_only, self->why);
}

void
node_forget (Node *self, guint64 run_id)
{
  LkPortProcess port = lk_process_os_port (self->port);
  port.ops->forget (port.self, run_id);
}

typedef struct {
  guint64 run_id;
  LkSupervised *known;
  gboolean is_found;
} Wanted;

static void
look_at (void *user, const LkSupervised *run)
{
  Wanted *wanted = user;
  if (run->run_id != wanted->run_id)
    return;
  *wanted->known = *run;
  wanted->is_found = TRUE;
}

gboolean
node_find (Node *self, guint64 run_id, LkSupervised *out_known)
{
  Wanted wanted = { run_id, out_known, FALSE };
  LkPortProcess port = lk_process_os_port (self->port);
  port.ops->list (port.self, look_at, &wanted);
  return wanted.is_found;
}

/* ---------------------------------------------------------------- waiting */

static const NodeEnd *
find_end (const Node *self, guint64 run_id, LkStage stage)
{
  for (guint i = 0; i < self->ends->len; i++) {
    const NodeEnd *end = &g_array_index (self->ends, NodeEnd, i);
    if (end->run_id == run_id && end->stage == stage)
      return end;
  }
  return NULL;
}

static void
turn_until (Node *self, gint64 until_us, const char *what)
{
  if (g_get_monotonic_time () > until_us)
    g_error ("waited too long for %s; the log: %s", what, self->log->str);
  lk_loop_turn (self->loop, 10000);
}

void
node_wait_log (Node *self, const char *words)
{
  gint64 until_us = g_get_monotonic_time () + PATIENCE_US;
  while (strstr (self->log->str, words) == NULL)
    turn_until (self, until_us, words);
}

LkExit
node_wait_end (Node *self, guint64 run_id, LkStage stage)
{
  gint64 until_us = g_get_monotonic_time () + PATIENCE_US;
  while (find_end (self, run_id, stage) == NULL)
    turn_until (self, until_us, "the end of a stage");
  return find_end (self, run_id, stage)->how;
}

void
node_wait_file (Node *self, const char *name)
{
  gint64 until_us = g_get_monotonic_time () + PATIENCE_US;
  for (;;) {
    g_autofree char *text = node_read (self, name);
    if (text != NULL && text[0] != '\0')
      return;
    turn_until (self, until_us, name);
  }
}

void
node_wait_death (int pid)
{
  gint64 until_us = g_get_monotonic_time () + PATIENCE_US;
  while (node_lives (pid)) {
    g_assert_cmpint (g_get_monotonic_time (), <, until_us);
    g_usleep (10000);
  }
}

void
node_wait_record (Node *self, guint64 run_id, LkStage stage)
{
  gint64 until_us = g_get_monotonic_time () + PATIENCE_US;
  g_autofree char *path = g_build_filename (self->folder, "runs", NULL);
  int runs = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int folder = lk_run_folder_open (runs, run_id);
  LkExit how;
  g_assert_cmpint (folder, >=, 0);
  while (!lk_run_folder_end (folder, stage, &how)) {
    g_assert_cmpint (g_get_monotonic_time (), <, until_us);
    g_usleep (10000);
  }
  close (folder);
  close (runs);
}

void
node_turn (Node *self, gint64 while_us)
{
  gint64 until_us = g_get_monotonic_time () + while_us;
  while (g_get_monotonic_time () < until_us)
    lk_loop_turn (self->loop, 5000);
}

LkExit
node_play (Node *self, const NodeJob *job)
{
  g_assert_true (node_launch (self, job));
  node_wait_end (self, job->launch.run_id, LK_STAGE_EPILOG);
  const NodeEnd *script = find_end (self, job->launch.run_id, LK_STAGE_SCRIPT);
  LkExit how = script != NULL ? script->how : (LkExit){ .trouble = LK_TROUBLE_PROLOG_FAILURE };
  node_forget (self, job->launch.run_id);
  return how;
}

/* ---------------------------------------------------------------- files and processes */

char *
node_read (const Node *self, const char *name)
{
  g_autofree char *path = g_build_filename (self->work, name, NULL);
  char *text = NULL;
  return g_file_get_contents (path, &text, NULL, NULL) ? text : NULL;
}

void
node_write (const Node *self, const char *name, const char *text, int mode)
{
  g_autofree char *path = g_build_filename (self->work, name, NULL);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_cmpint (chmod (path, (mode_t)mode), ==, 0);
}

int
node_pid (const Node *self, const char *name)
{
  g_autofree char *text = node_read (self, name);
  g_assert_nonnull (text);
  int pid = (int)g_ascii_strtoll (text, NULL, 10);
  g_assert_cmpint (pid, >, 1);
  return pid;
}

gboolean
node_lives (int pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/stat", pid);
  char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return FALSE;
  const char *state = strrchr (text, ')');
  gboolean lives = state != NULL && state[1] == ' ' && state[2] != 'Z' && state[2] != 'X';
  g_free (text);
  return lives;
}

/* Who holds the lock is not told by its file: it is found by its command line. */
int
node_supervisor (const Node *self, guint64 run_id)
{
  g_autofree char *folder = g_strdup_printf ("%s/runs/%" G_GUINT64_FORMAT, self->folder, run_id);
  g_autoptr (GDir) all = g_dir_open ("/proc", 0, NULL);
  const char *name;
  int found = 0;
  while ((name = g_dir_read_name (all)) != NULL) {
    g_autofree char *path = g_strdup_printf ("/proc/%s/cmdline", name);
    char *text = NULL;
    gsize length = 0;
    if (!g_ascii_isdigit (name[0]) || !g_file_get_contents (path, &text, &length, NULL))
      continue;
    gsize head = length > 0 ? strlen (text) + 1 : 0;
    gboolean is_it = head > 0 && head + 10 < length && strcmp (text, NODE_STEP_PROGRAM) == 0
                     && strcmp (text + head, "--folder") == 0
                     && strcmp (text + head + strlen ("--folder") + 1, folder) == 0;
    int pid = (int)g_ascii_strtoll (name, NULL, 10);
    /* The keeper is a child of it, with the same command line and a higher number. */
    if (is_it && (found == 0 || pid < found))
      found = pid;
    g_free (text);
  }
  return found;
}
