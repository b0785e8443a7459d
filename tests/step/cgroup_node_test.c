/* tests/step/cgroup_node_test.c — what is left frozen in the groups of a node's runs dies when
 * they are cleared, and no group remains; only where groups of the freezer of version 1 can be
 * made; else skipped. */
#include "live/port/cgroup_node.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/port/cgroup.h"

#define ROUNDS 6000u
#define ROUND_US 10000

static LkCgroup *
group_of (const char *below)
{
  static const LkCgroupChoice choice = { .version = 1 };
  g_autofree char *path = g_strdup_printf ("lockstep-test-%d%s", getpid (), below);
  return lk_cgroup_new (&choice, path);
}

/* Made, with the freezer alone. NULL: that cannot be. */
static LkCgroup *
make_group (const char *below)
{
  g_autoptr (LkCgroup) group = group_of (below);
  if (group == NULL || !lk_cgroup_has (group, "freezer"))
    return NULL;
  lk_cgroup_keep_freezer (group);
  return lk_cgroup_make (group) && lk_cgroup_has (group, "freezer") ? g_steal_pointer (&group)
                                                                    : NULL;
}

static void
remove_group (const char *below)
{
  g_autoptr (LkCgroup) group = group_of (below);
  lk_cgroup_keep_freezer (group);
  for (guint i = 0; i < ROUNDS && !lk_cgroup_remove (group); i++)
    g_usleep (ROUND_US);
}

/* Returns: a process in the group that sleeps. */
static pid_t
sleep_within (LkCgroup *group)
{
  int told[2];
  char word = 0;
  g_assert_cmpint (pipe (told), ==, 0);
  pid_t pid = fork ();
  if (pid == 0) {
    if (!lk_cgroup_enter (group) || write (told[1], "+", 1) != 1)
      _exit (1);
    for (;;)
      pause ();
  }
  close (told[1]);
  g_assert_cmpint (read (told[0], &word, 1), ==, 1);
  close (told[0]);
  return pid;
}

static gboolean
has_died (pid_t pid, guint rounds)
{
  for (guint i = 0; i < rounds; i++) {
    if (waitpid (pid, NULL, WNOHANG) == pid)
      return TRUE;
    g_usleep (ROUND_US);
  }
  return FALSE;
}

/* Whoever is frozen sleeps so that no signal wakes it: "D" to the kernel. */
static void
wait_until_frozen (pid_t pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/status", (int)pid);
  for (guint i = 0; i < ROUNDS; i++) {
    g_autofree char *text = NULL;
    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    if (strstr (text, "State:\tD") != NULL)
      return;
    g_usleep (ROUND_US);
  }
  g_assert_not_reached ();
}

static gboolean
exists (const char *below)
{
  g_autoptr (LkCgroup) group = group_of (below);
  return lk_cgroup_freeze (group, FALSE);
}

/* The node of the group at `below` is cleared. */
static void
clear_until_gone (const char *below)
{
  g_autofree char *path = g_strdup_printf ("lockstep-test-%d%s", getpid (), below);
  guint round = 0;
  while (!lk_cgroup_node_clear (path) && round++ < ROUNDS)
    g_usleep (ROUND_US);
  g_assert_cmpuint (round, <, ROUNDS);
}

/* Frozen at `frozen`, the process is in `within`. */
static void
freeze_and_clear (const char *frozen, const char *within)
{
  g_autoptr (LkCgroup) above = make_group (frozen);
  g_autoptr (LkCgroup) group = make_group (within);
  g_assert_nonnull (above);
  g_assert_nonnull (group);
  pid_t pid = sleep_within (group);
  g_assert_true (lk_cgroup_freeze (above, TRUE));
  wait_until_frozen (pid);
  kill (pid, SIGKILL);
  clear_until_gone ("/node");
  g_assert_true (has_died (pid, ROUNDS));
  g_assert_false (exists (within));
  g_assert_false (exists ("/node"));
}

static void
test_clear (void)
{
  g_autoptr (LkCgroup) group = make_group ("");
  if (group == NULL) {
    g_test_skip ("no group of the freezer of version 1 can be made here");
    return;
  }
  freeze_and_clear ("/node/run_7", "/node/run_7");
  freeze_and_clear ("/node/run_7", "/node/run_7/step_0");
  freeze_and_clear ("/node/run_7/step_0", "/node/run_7/step_0");
  g_assert_false (exists (""));
}

/* The group above all nodes stays as long as another node has one in it. */
static void
test_other_node (void)
{
  g_autoptr (LkCgroup) group = make_group ("");
  if (group == NULL) {
    g_test_skip ("no group of the freezer of version 1 can be made here");
    return;
  }
  g_autoptr (LkCgroup) other = make_group ("/other/run_1");
  g_autoptr (LkCgroup) node = make_group ("/node");
  g_assert_nonnull (other);
  pid_t pid = sleep_within (other);
  clear_until_gone ("/node");
  g_assert_false (exists ("/node"));
  g_assert_false (has_died (pid, 1));
  clear_until_gone ("/other");
  g_assert_true (has_died (pid, ROUNDS));
  g_assert_false (exists (""));
}

/* Whoever felled a step has died with its part of the group frozen: who fells the run, or lets it
 * go on, thaws the part. */
static void
test_part (void)
{
  static const gboolean is_killed[] = { TRUE, FALSE };
  g_autoptr (LkCgroup) group = make_group ("");
  if (group == NULL) {
    g_test_skip ("no group of the freezer of version 1 can be made here");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (is_killed); i++) {
    g_autoptr (LkCgroup) run = make_group ("/run_7");
    g_autoptr (LkCgroup) step = make_group ("/run_7/step_0");
    pid_t pid = sleep_within (step);
    g_assert_true (lk_cgroup_freeze (step, TRUE));
    wait_until_frozen (pid);
    if (is_killed[i]) {
      lk_cgroup_kill (run);
    } else {
      kill (pid, SIGKILL);
      g_assert_true (lk_cgroup_freeze (run, FALSE));
    }
    g_assert_true (has_died (pid, ROUNDS));
    remove_group ("/run_7/step_0");
    remove_group ("/run_7");
  }
  remove_group ("");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cgroup node/what is frozen in runs dies and no group is left", test_clear);
  g_test_add_func ("/cgroup node/another node keeps its runs", test_other_node);
  g_test_add_func ("/cgroup node/a step that was left frozen ends with its run", test_part);
  return g_test_run ();
}
