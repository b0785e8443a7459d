/* tests/step/gpu_use_test.c — what runs make of GPUs, by a library that tells of some that are not
 * there (tests/live/daemon/fake_nvml.c). */
#include "live/step/gpu_use.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/step/process_node.h"

#define LIBRARY LK_BUILD_DIR "/tests/live/daemon/fake_nvml/libnvidia-ml.so.1"
#define GIB (G_GUINT64_CONSTANT (1) << 30)

/* Two devices at 40 % each, memory of one of them. */
#define MEMORY_BYTES (GIB + GIB / 4)
#define PERCENT 80

static pid_t
user_begin (void)
{
  int pipes[2];
  char byte;
  g_assert_cmpint (pipe (pipes), ==, 0);
  pid_t pid = fork ();
  if (pid == 0) {
    prctl (PR_SET_NAME, "lkgpu");
    if (chdir ("/proc") == 0 && write (pipes[1], "x", 1) == 1)
      pause ();
    _exit (1);
  }
  g_assert_cmpint (read (pipes[0], &byte, 1), ==, 1);
  close (pipes[0]);
  close (pipes[1]);
  return pid;
}

static void
test_look (void)
{
  g_autoptr (GArray) pids = g_array_new (FALSE, FALSE, sizeof (pid_t));
  g_autoptr (GArray) none = g_array_new (FALSE, FALSE, sizeof (pid_t));
  LkGpuLibrary *library = lk_gpu_library_open (LIBRARY);
  g_assert_nonnull (library);
  pid_t pid = user_begin ();
  g_array_append_val (pids, pid);
  LkGpuUse use = lk_gpu_library_look (library, none);
  g_assert_cmpuint (use.memory_bytes, ==, 0);
  g_assert_cmpuint (use.percent, ==, 0);
  lk_gpu_library_close (library);
  library = lk_gpu_library_open (LIBRARY);
  use = lk_gpu_library_look (library, pids);
  g_assert_cmpuint (use.memory_bytes, ==, MEMORY_BYTES);
  g_assert_cmpuint (use.percent, ==, PERCENT);
  /* What has been seen is not counted again. */
  use = lk_gpu_library_look (library, pids);
  g_assert_cmpuint (use.memory_bytes, ==, MEMORY_BYTES);
  g_assert_cmpuint (use.percent, ==, 0);
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
  lk_gpu_library_close (library);
}

static void
test_no_library (void)
{
  g_assert_null (lk_gpu_library_open ("/nowhere/libnvidia-ml.so.1"));
  g_assert_null (lk_gpu_library_open ("libc.so.6"));
}

static LkExit
play (const char *library, const char *gres, const char *wait)
{
  g_autoptr (Node) node = node_new ();
  g_autofree char *script =
      g_strdup_printf ("#!/bin/sh\ncp \"$(command -v sleep)\" lkgpu\n./lkgpu 1000 &\n%s\n", wait);
  node->config.gpu_library = library;
  node_start (node);
  NodeJob job = node_job (node, 1, script);
  job.launch.gres = (LkLongText){ gres, (guint32)strlen (gres) };
  return node_play (node, &job);
}

/* Our parent is the keeper, and its parent the supervisor, of which who looks is a child, too. */
#define UNTIL_SEEN                                                                                 \
  "read -r a b c supervisor d < /proc/$PPID/stat\n"                                                \
  "until test -s seen.$supervisor; do sleep 0.02; done"

static void
test_run (void)
{
  LkExit how = play (LIBRARY, "n1=gpu:0-1", UNTIL_SEEN "; exit 3");
  g_assert_cmpuint (how.exit_code, ==, 3);
  /* It may have come to be between two questions of the only look that is over for sure. */
  g_assert_cmpuint (how.max_gpu_memory_bytes, >=, GIB / 4);
  g_assert_cmpuint (how.max_gpu_memory_bytes, <=, MEMORY_BYTES);
  g_assert_cmpuint (how.max_gpu_percent, >=, PERCENT / 2);
  g_assert_cmpuint (how.max_gpu_percent, <=, PERCENT);
}

/* Nothing looks at GPUs for a supervisor that is gone. */
static void
test_supervisor_dies (void)
{
  g_autoptr (Node) node = node_new ();
  node->config.gpu_library = LIBRARY;
  node_start (node);
  NodeJob job = node_job (node, 1,
                          "#!/bin/sh\ncp \"$(command -v sleep)\" lkgpu\n./lkgpu 1000 &\n"
                          "echo $! > pid\nwait\n");
  job.launch.gres = (LkLongText){ "n1=gpu:0", 8 };
  g_assert_true (node_launch (node, &job));
  node_wait_file (node, "pid");
  int supervisor = node_supervisor (node, 1);
  g_autofree char *seen = g_strdup_printf ("seen.%d", supervisor);
  node_wait_file (node, seen);
  g_autofree char *path = g_strdup_printf ("/proc/%d/task/%d/children", supervisor, supervisor);
  g_autofree char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, NULL)) {
    g_test_skip ("the kernel does not tell of children");
    return;
  }
  g_auto (GStrv) children = g_strsplit (g_strstrip (text), " ", -1);
  /* The keeper, and who looks. */
  g_assert_cmpuint (g_strv_length (children), ==, 2);
  kill (supervisor, SIGKILL);
  node_wait_end (node, 1, LK_STAGE_SCRIPT);
  for (guint i = 0; children[i] != NULL; i++)
    node_wait_death ((int)g_ascii_strtoll (children[i], NULL, 10));
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
}

static void
test_run_without (void)
{
  static const char *const cases[][2] = { { LIBRARY, "n1=nic*2" },
                                          { NULL, "n1=gpu:0" },
                                          { "/nowhere/lib.so", "n1=gpu:0" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkExit how = play (cases[i][0], cases[i][1], "sleep 0.3");
    g_assert_cmpuint (how.exit_code, ==, 0);
    g_assert_cmpuint (how.max_gpu_memory_bytes, ==, 0);
    g_assert_cmpuint (how.max_gpu_percent, ==, 0);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gpu use/is that of the processes that are meant", test_look);
  g_test_add_func ("/gpu use/is none where there is no library", test_no_library);
  g_test_add_func ("/gpu use/the most of a run is told with its end", test_run);
  g_test_add_func ("/gpu use/nobody looks for a supervisor that is gone", test_supervisor_dies);
  g_test_add_func ("/gpu use/a run without GPUs uses none", test_run_without);
  return g_test_run ();
}
