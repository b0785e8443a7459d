/* tests/step/supervisor_socket_test.c — what may come to the socket of a supervisor: garbage, and
 * who has no business there. */
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/port/run_folder.h"
#include "tests/step/process_node.h"

static Node *
node_started (void)
{
  Node *node = node_new ();
  node_start (node);
  return node;
}

/* A supervisor listens when it sees that its agent is gone. */
static int
connect_to_supervisor (int folder)
{
  for (guint i = 0; i < 6000; i++) {
    int stream = lk_run_folder_connect (folder);
    if (stream >= 0)
      return stream;
    g_usleep (10000);
  }
  g_assert_not_reached ();
}

/* Packets of any length and content, also from streams that come and go: the run is as it was. */
static void
test_garbage (void)
{
  g_autoptr (Node) node = node_started ();
  g_autofree char *runs = g_build_filename (node->folder, "runs", NULL);
  g_autoptr (GRand) chance = g_rand_new_with_seed (1);
  NodeJob job =
      node_job (node, 1, "#!/bin/sh\necho on > on\nuntil test -e off; do sleep 0.02; done\n");
  g_assert_true (node_launch (node, &job));
  node_wait_file (node, "on");
  /* It listens when its agent is gone. */
  node_stop (node);
  int all = open (runs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int folder = lk_run_folder_open (all, 1);
  for (guint i = 0; i < 200; i++) {
    guint8 bytes[512];
    guint length = (guint)g_rand_int_range (chance, 0, sizeof bytes);
    for (guint j = 0; j < sizeof bytes; j++)
      bytes[j] = (guint8)g_rand_int (chance);
    /* What is an order may be carried out: this is none. */
    bytes[0] |= 0x80;
    int stream = connect_to_supervisor (folder);
    send (stream, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    close (stream);
  }
  close (folder);
  close (all);
  node_start (node);
  node_write (node, "off", "x", 0644);
  LkExit how = node_wait_end (node, 1, LK_STAGE_SCRIPT);
  g_assert_cmpuint (how.exit_code, ==, 0);
  g_assert_cmpuint (how.signal, ==, 0);
  g_assert_cmpuint (how.trouble, ==, 0);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
}

/* Who connects to the socket of the first run in a folder, as a user who is nobody here: TRUE, he
 * was heard. */
static gboolean
is_heard_as_nobody (int folder, guint tries)
{
  LkStepOrder kill_it = { .what = LK_STEP_SIGNAL, .signal = SIGKILL };
  int status;
  pid_t pid = fork ();
  if (pid == 0) {
    char byte;
    if (setgroups (0, NULL) != 0 || setresgid (1, 1, 1) != 0 || setresuid (1, 1, 1) != 0)
      _exit (2);
    int stream = -1;
    while (tries-- > 0 && (stream = lk_run_folder_connect (folder)) < 0)
      g_usleep (10000);
    if (stream < 0)
      _exit (3);
    send (stream, &kill_it, sizeof kill_it, MSG_NOSIGNAL);
    /* The other end closes it. */
    while (lk_step_receive (stream, &byte, 1, TRUE) > 0)
      continue;
    _exit (0);
  }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), !=, 2);
  return WEXITSTATUS (status) == 0;
}

/* Others do not get to it, and would not be heard if they did. */
static void
test_stranger (void)
{
  if (geteuid () != 0) {
    g_test_skip ("needs root, to be another user");
    return;
  }
  g_autoptr (Node) node = node_started ();
  g_autofree char *runs = g_build_filename (node->folder, "runs", NULL);
  g_autofree char *own = g_build_filename (runs, "1", NULL);
  g_autofree char *socket = g_build_filename (own, "socket", NULL);
  NodeJob job =
      node_job (node, 1, "#!/bin/sh\necho on > on\nuntil test -e off; do sleep 0.02; done\n");
  g_assert_true (node_launch (node, &job));
  node_wait_file (node, "on");
  /* It listens when its agent is gone. */
  node_stop (node);
  int all = open (runs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int folder = lk_run_folder_open (all, 1);
  close (connect_to_supervisor (folder));
  g_assert_false (is_heard_as_nobody (folder, 20));
  g_assert_cmpint (chmod (own, 0755) | chmod (socket, 0777), ==, 0);
  g_assert_true (is_heard_as_nobody (folder, 6000));
  close (folder);
  close (all);
  node_start (node);
  node_write (node, "off", "x", 0644);
  g_assert_cmpuint (node_wait_end (node, 1, LK_STAGE_SCRIPT).signal, ==, 0);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
}

/* A process that ends, or has ended. */
static int
process_of (int stream)
{
  struct ucred who;
  socklen_t size = sizeof who;
  g_assert_cmpint (getsockopt (stream, SOL_SOCKET, SO_PEERCRED, &who, &size), ==, 0);
  int process = (int)syscall (SYS_pidfd_open, who.pid, 0);
  g_assert_cmpint (process, >=, 0);
  return process;
}

/* It listens, and its folder is gone: forgotten, or removed, and nobody has told it. */
static void
test_forgotten_by_nobody (void)
{
  for (guint is_removed = 0; is_removed < 2; is_removed++) {
    g_autoptr (Node) node = node_started ();
    g_autofree char *runs = g_build_filename (node->folder, "runs", NULL);
    NodeJob job =
        node_job (node, 1, "#!/bin/sh\necho on > on\nuntil test -e off; do sleep 0.02; done\n");
    g_assert_true (node_launch (node, &job));
    node_wait_file (node, "on");
    node_stop (node);
    int all = open (runs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int folder = lk_run_folder_open (all, 1);
    int stream = connect_to_supervisor (folder);
    struct pollfd ended = { .fd = process_of (stream), .events = POLLIN };
    close (stream);
    close (folder);
    g_assert_cmpint (renameat (all, "1", all, "old-1"), ==, 0);
    if (is_removed)
      lk_run_folder_remove (all, "old-1");
    /* What it keeps is not left alone for that. */
    g_assert_cmpint (poll (&ended, 1, is_removed ? 3000 : 0), ==, 0);
    node_write (node, "off", "x", 0644);
    g_assert_cmpint (poll (&ended, 1, 60 * 1000), ==, 1);
    close (ended.fd);
    close (all);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/supervisor socket/garbage changes nothing", test_garbage);
  g_test_add_func ("/supervisor socket/who is forgotten goes, though nobody says so",
                   test_forgotten_by_nobody);
  g_test_add_func ("/supervisor socket/a stranger is not heard", test_stranger);
  return g_test_run ();
}
