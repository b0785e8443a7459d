/* tests/step/cgroup_test.c — who goes into a control group is in it with all of its threads, be
 * they one or more, and a child may begin in it; where no group of a version can be made:
 * skipped. */
#include "live/port/cgroup.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 6000u
#define ROUND_US 10000

static char *
path_of (guint version)
{
  return g_strdup_printf ("lockstep-test-enter-%u-%d", version, getpid ());
}

/* Made. NULL: skipped. */
static LkCgroup *
make_group (guint version)
{
  const LkCgroupChoice choice = { .version = version };
  g_autofree char *path = path_of (version);
  g_autoptr (LkCgroup) group = geteuid () == 0 ? lk_cgroup_new (&choice, path) : NULL;
  if (group != NULL)
    lk_cgroup_keep_freezer (group);
  if (group != NULL && lk_cgroup_make (group))
    return g_steal_pointer (&group);
  g_test_skip ("no control group of this version can be made here");
  return NULL;
}

static void
remove_group (LkCgroup *group)
{
  guint round = 0;
  while (!lk_cgroup_remove (group) && round++ < ROUNDS)
    g_usleep (ROUND_US);
  g_assert_cmpuint (round, <, ROUNDS);
}

/* Threads of this process that are not in the group. */
static guint
threads_beyond (const char *path)
{
  g_autoptr (GDir) threads = g_dir_open ("/proc/self/task", 0, NULL);
  const char *name;
  guint count = 0;
  while ((name = g_dir_read_name (threads)) != NULL) {
    g_autofree char *file = g_build_filename ("/proc/self/task", name, "cgroup", NULL);
    g_autofree char *text = NULL;
    if (!g_file_get_contents (file, &text, NULL, NULL) || strstr (text, path) == NULL)
      count++;
  }
  return count;
}

static gpointer
wait_for_end (gpointer unused)
{
  for (;;)
    pause ();
  return unused;
}

/* Its exit code: threads that were left outside. */
G_NORETURN static void
go_in (LkCgroup *group, guint thread_count, const char *path)
{
  for (guint i = 1; i < thread_count; i++)
    g_thread_unref (g_thread_new ("idle", wait_for_end, NULL));
  if (!lk_cgroup_enter (group))
    _exit (100);
  _exit ((int)threads_beyond (path));
}

static int
exit_of (pid_t pid)
{
  int status = -1;
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFEXITED (status));
  return WEXITSTATUS (status);
}

typedef struct {
  guint version;
  guint threads;
} Entering;

static void
test_enter (gconstpointer data)
{
  const Entering *how = data;
  g_autoptr (LkCgroup) group = make_group (how->version);
  g_autofree char *path = path_of (how->version);
  if (group == NULL)
    return;
  pid_t pid = fork ();
  if (pid == 0)
    go_in (group, how->threads, path);
  g_assert_cmpint (exit_of (pid), ==, 0);
  remove_group (group);
}

/* Its exit code: whether the child begins in the group, which is so with version 2 only. */
static void
test_fork (gconstpointer data)
{
  const Entering *how = data;
  g_autoptr (LkCgroup) group = make_group (how->version);
  g_autofree char *path = path_of (how->version);
  if (group == NULL)
    return;
  pid_t pid = lk_cgroup_fork (group);
  if (pid == 0) {
    guint beyond = threads_beyond (path);
    _exit (lk_cgroup_enter (group) && threads_beyond (path) == 0 ? (int)beyond : 100);
  }
  g_assert_cmpint (exit_of (pid), ==, how->version == 2 ? 0 : 1);
  pid = fork ();
  if (pid == 0)
    _exit ((int)threads_beyond (path));
  g_assert_cmpint (exit_of (pid), ==, 1);
  remove_group (group);
}

static void
test_fork_nowhere (void)
{
  pid_t pid = lk_cgroup_fork (NULL);
  if (pid == 0)
    _exit (7);
  g_assert_cmpint (exit_of (pid), ==, 7);
}

int
main (int argc, char **argv)
{
  static const Entering cases[] = { { 1, 1 }, { 1, 3 }, { 2, 1 }, { 2, 3 } };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *name =
        g_strdup_printf ("/cgroup/a process of %u threads goes into a group of version %u",
                         cases[i].threads, cases[i].version);
    g_test_add_data_func (name, &cases[i], test_enter);
  }
  g_test_add_data_func ("/cgroup/a child is to go into its group of version 1", &cases[0],
                        test_fork);
  g_test_add_data_func ("/cgroup/a child begins in its group of version 2", &cases[2], test_fork);
  g_test_add_func ("/cgroup/a child of no group begins as its parent", test_fork_nowhere);
  return g_test_run ();
}
