/* tests/step/step_private_test.c — folders that a run has to itself, and how they go with all that
 * is in them. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/port/folder_tree.h"
#include "tests/step/process_node.h"

/* ---------------------------------------------------------------- trees */

static void
put (const Node *node, const char *name)
{
  g_autofree char *path = g_build_filename (node->work, name, NULL);
  g_autofree char *folder = g_path_get_dirname (path);
  g_assert_cmpint (g_mkdir_with_parents (folder, 0755), ==, 0);
  g_assert_true (g_file_set_contents (path, "x", 1, NULL));
}

static void
put_link (const Node *node, const char *name, const char *target)
{
  g_autofree char *path = g_build_filename (node->work, name, NULL);
  g_assert_cmpint (symlink (target, path), ==, 0);
}

static void
test_tree (void)
{
  g_autoptr (Node) node = node_new ();
  int work = open (node->work, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  put (node, "kept/file");
  put (node, "tree/a/b/c/file");
  put (node, "tree/a/b2/file");
  put (node, "tree/moved-0/moved-0/file");
  put (node, "tree/moved-1");
  put_link (node, "tree/link", "../kept");
  put_link (node, "tree/a/b/up", "../../../kept");
  put_link (node, "tree/a/away", "/etc/passwd");
  g_assert_true (lk_folder_tree_remove (work, "tree"));
  g_assert_cmpint (faccessat (work, "tree", F_OK, AT_SYMLINK_NOFOLLOW), ==, -1);
  g_assert_cmpint (faccessat (work, "kept/file", F_OK, 0), ==, 0);
  g_assert_true (lk_folder_tree_remove (work, "tree"));
  /* Not through a link, and no file. */
  put_link (node, "to_kept", "kept");
  g_assert_false (lk_folder_tree_remove (work, "to_kept"));
  g_assert_cmpint (faccessat (work, "kept/file", F_OK, 0), ==, 0);
  g_assert_false (lk_folder_tree_remove (work, "kept/file"));
  close (work);
}

/* Deeper than a path can be said. */
static void
test_deep_tree (void)
{
  g_autoptr (Node) node = node_new ();
  int work = open (node->work, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int folder = fcntl (work, F_DUPFD_CLOEXEC, 0);
  for (guint i = 0; i < 3000; i++) {
    g_assert_cmpint (mkdirat (folder, i == 0 ? "tree" : "deeper", 0755), ==, 0);
    int next = openat (folder, i == 0 ? "tree" : "deeper", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    close (folder);
    folder = next;
  }
  close (folder);
  g_assert_true (lk_folder_tree_remove (work, "tree"));
  g_assert_cmpint (faccessat (work, "tree", F_OK, AT_SYMLINK_NOFOLLOW), ==, -1);
  close (work);
}

#define BUSY_COUNT 4

/* A user's process that puts files into a folder until it may not. */
static pid_t
begin_busy (int folder, guint number)
{
  int ready[2];
  g_assert_cmpint (pipe (ready), ==, 0);
  pid_t pid = fork ();
  if (pid == 0) {
    char name[32];
    if (setgid (65534) != 0 || setuid (65534) != 0 || prctl (PR_SET_PDEATHSIG, SIGKILL) != 0)
      _exit (1);
    for (guint i = 0;; i++) {
      g_snprintf (name, sizeof name, "%u-%u", number, i);
      int file = openat (folder, name, O_CREAT | O_WRONLY | O_EXCL | O_CLOEXEC, 0600);
      if (file < 0)
        _exit (errno == EACCES || errno == ENOENT ? 0 : 1);
      close (file);
      if (i == 0 && write (ready[1], "x", 1) != 1)
        _exit (1);
    }
  }
  char first;
  g_assert_cmpint (read (ready[0], &first, 1), ==, 1);
  close (ready[0]);
  close (ready[1]);
  return pid;
}

/* Another job of the same user has a folder of it open, and adds to it all the time. */
static void
test_busy_tree (void)
{
  g_autoptr (Node) node = node_new ();
  pid_t busy[BUSY_COUNT];
  int status;
  if (geteuid () != 0) {
    g_test_skip ("needs root");
    return;
  }
  int work = open (node->work, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  put (node, "tree/sub/file");
  int folder = openat (work, "tree/sub", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  g_assert_cmpint (fchown (folder, 65534, 65534), ==, 0);
  for (guint i = 0; i < BUSY_COUNT; i++)
    busy[i] = begin_busy (folder, i);
  g_assert_true (lk_folder_tree_remove (work, "tree"));
  for (guint i = 0; i < BUSY_COUNT; i++) {
    g_assert_cmpint (waitpid (busy[i], &status, 0), ==, busy[i]);
    g_assert_cmpint (status, ==, 0);
  }
  g_assert_cmpint (faccessat (work, "tree", F_OK, AT_SYMLINK_NOFOLLOW), ==, -1);
  close (folder);
  close (work);
}

/* ---------------------------------------------------------------- runs */

static const char *const paths[] = { "/tmp", "/dev/shm", NULL };

/* NULL: only root can have it. Its folder is not below /tmp, which jobs do not see. */
static Node *
node_with_privates (char **out_base)
{
  if (!node_has_mounts ())
    return NULL;
  Node *node = node_new ();
  *out_base = g_build_filename (node->folder, "base", NULL);
  g_assert_cmpint (mkdir (*out_base, 0755), ==, 0);
  node->config.private_base = *out_base;
  node->config.privates = paths;
  node_start (node);
  return node;
}

static gboolean
is_empty (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  return folder != NULL && g_dir_read_name (folder) == NULL;
}

static NodeJob
job_in (const Node *node, guint64 run_id, const char *script)
{
  NodeJob job = node_job (node, run_id, script);
  job.batch.std_out = lk_bytes ("/dev/shm/out");
  return job;
}

static void
test_private (void)
{
  g_autofree char *base = NULL;
  g_autoptr (Node) node = node_with_privates (&base);
  static const char mark[] = "/tmp/lockstep-private-mark";
  if (node == NULL)
    return;
  unlink (mark);
  for (guint run = 1; run <= 2; run++) {
    NodeJob job = job_in (node, run,
                          "#!/bin/sh\n"
                          "test -e /tmp/lockstep-private-mark && exit 3\n"
                          "test -e /dev/shm/lockstep-private-mark && exit 4\n"
                          "test $(ls -A /tmp | wc -l) = 0 || exit 5\n"
                          "echo x > /tmp/lockstep-private-mark || exit 6\n"
                          "echo x > /dev/shm/lockstep-private-mark || exit 7\n"
                          "mkdir -p /tmp/a/b/c && ln -s /etc /tmp/a/b/etc || exit 8\n"
                          "chmod 0 /tmp/a/b\n");
    job.launch.user_id = job.launch.group_id = 1;
    LkExit how = node_play (node, &job);
    g_assert_cmpuint (how.trouble, ==, 0);
    g_assert_cmpuint (how.exit_code, ==, 0);
    g_assert_cmpint (access (mark, F_OK), ==, -1);
    g_assert_cmpint (access ("/dev/shm/lockstep-private-mark", F_OK), ==, -1);
    g_assert_true (is_empty (base));
  }
  g_assert_cmpint (access ("/etc/passwd", F_OK), ==, 0);
}

/* Whoever else is on the node does not get in, not even the same user from outside. */
static void
test_closed (void)
{
  g_autofree char *base = NULL;
  g_autoptr (Node) node = node_with_privates (&base);
  struct stat about;
  if (node == NULL)
    return;
  NodeJob job = job_in (node, 1, "#!/bin/sh\nsleep 1000\n");
  node->goes_on = TRUE;
  g_assert_true (node_launch (node, &job));
  g_autofree char *run = g_build_filename (base, "1", NULL);
  gint64 until_us = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
  while (stat (run, &about) != 0) {
    g_assert_cmpint (g_get_monotonic_time (), <, until_us);
    node_turn (node, 5000);
  }
  g_assert_cmpuint (about.st_mode & 07777, ==, 0700);
  g_assert_cmpuint (about.st_uid, ==, 0);
  node_signal (node, 1, SIGKILL, FALSE);
  g_assert_cmpuint (node_wait_end (node, 1, LK_STAGE_SCRIPT).signal, ==, SIGKILL);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
  g_assert_true (is_empty (base));
}

/* Without a keeper and a supervisor the agent sees to it. */
static void
test_supervisor_dies (void)
{
  g_autofree char *base = NULL;
  g_autoptr (Node) node = node_with_privates (&base);
  if (node == NULL)
    return;
  g_autofree char *script =
      g_strdup_printf ("#!/bin/sh\necho x > /tmp/x\necho $$ > %s/pid\nsleep 1000\n", node->work);
  NodeJob job = job_in (node, 1, script);
  g_assert_true (node_launch (node, &job));
  node_wait_file (node, "pid");
  kill (node_supervisor (node, 1), SIGKILL);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
  g_assert_true (is_empty (base));
}

/* A job that should have them, and cannot, does not run without. */
static void
test_no_base (void)
{
  g_autofree char *base = NULL;
  g_autoptr (Node) node = node_with_privates (&base);
  if (node == NULL)
    return;
  g_assert_cmpint (rmdir (base), ==, 0);
  g_autofree char *script = g_strdup_printf ("#!/bin/sh\necho x > %s/ran\n", node->work);
  NodeJob job = job_in (node, 1, script);
  g_assert_cmpuint (node_play (node, &job).trouble, ==, LK_TROUBLE_LAUNCH_FAILURE);
  g_assert_null (node_read (node, "ran"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  /* What jobs see of it must not be below what they have to themselves. */
  if (geteuid () == 0)
    g_setenv ("TMPDIR", "/var/tmp", TRUE);
  g_test_add_func ("/folder tree/goes, and nothing else does", test_tree);
  g_test_add_func ("/folder tree/goes while others add to it", test_busy_tree);
  g_test_add_func ("/folder tree/goes however deep it is", test_deep_tree);
  g_test_add_func ("/step private/a run has folders of its own", test_private);
  g_test_add_func ("/step private/nobody else gets in", test_closed);
  g_test_add_func ("/step private/they go with their run", test_supervisor_dies);
  g_test_add_func ("/step private/no run without them", test_no_base);
  return g_test_run ();
}
