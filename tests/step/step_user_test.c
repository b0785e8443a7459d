/* tests/step/step_user_test.c — jobs of users, by an agent that is root: rights, files, limits, and
 * what control groups confine.  Skipped by whoever is not root; what the machine lacks is skipped
 * by name. */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "live/port/cgroup.h"
#include "tests/step/process_node.h"

/* Users that every system has. */
#define NOBODY 65534u
#define DAEMON 1u

static gboolean
is_root (void)
{
  if (geteuid () == 0)
    return TRUE;
  g_test_skip ("only root can run jobs of others");
  return FALSE;
}

static NodeJob
job_of_nobody (const Node *node, const char *script)
{
  NodeJob job = node_job (node, 1, script);
  job.launch.user_id = job.launch.group_id = NOBODY;
  return job;
}

static Node *
node_started (void)
{
  Node *node = node_new ();
  node_start (node);
  return node;
}

/* ---------------------------------------------------------------- rights */

static void
test_user (void)
{
  if (!is_root ())
    return;
  g_autoptr (Node) node = node_started ();
  NodeJob job = job_of_nobody (
      node, "#!/bin/bash\nid -u; id -g; id -G; umask; grep -E '^(Uid|Gid|Groups|CapEff)' "
            "/proc/self/status; echo $0\ntouch made; cat \"$0\" | head -1; echo >> \"$0\"\n");
  job.batch.umask = 027;
  g_assert_cmpuint (node_play (node, &job).exit_code, ==, 0);
  g_autofree char *output = node_read (node, "slurm-101.out");
  g_autofree char *script = g_build_filename (node->folder, "spool", "1", "slurm_script", NULL);
  g_assert_true (g_str_has_prefix (output, "65534\n65534\n65534\n0027\n"));
  g_assert_nonnull (strstr (output, "Uid:\t65534\t65534\t65534\t65534\n"));
  g_assert_nonnull (strstr (output, "CapEff:\t0000000000000000\n"));
  g_assert_nonnull (strstr (output, script));
  struct stat about;
  g_autofree char *made = g_build_filename (node->work, "made", NULL);
  g_assert_cmpint (stat (made, &about), ==, 0);
  g_assert_cmpuint (about.st_uid, ==, NOBODY);
  g_assert_cmpuint (about.st_mode & 0777, ==, 0640);
}

/* He sees neither the folders of runs nor the script of another. */
static void
test_others (void)
{
  if (!is_root ())
    return;
  g_autoptr (Node) node = node_started ();
  NodeJob other = node_job (node, 2, "#!/bin/sh\n# secret\necho > ready; sleep 300\n");
  other.launch.user_id = other.launch.group_id = DAEMON;
  g_assert_true (node_launch (node, &other));
  node_wait_file (node, "ready");
  g_autofree char *text = g_strdup_printf (
      "#!/bin/sh\nls %s/runs; ls %s/spool; cat %s/spool/2/slurm_script; touch %s/spool/1/x; "
      "ln -s /etc/passwd %s/spool/1/y; kill -0 $(pgrep -f spool/2/slurm_script) && echo reached\n",
      node->folder, node->folder, node->folder, node->folder, node->folder);
  NodeJob job = job_of_nobody (node, text);
  node_play (node, &job);
  g_autofree char *output = node_read (node, "slurm-101.out");
  g_assert_null (strstr (output, "secret"));
  g_assert_null (strstr (output, "slurm_script\n2"));
  g_assert_null (strstr (output, "reached"));
  node_signal (node, 2, SIGKILL, FALSE);
  node_wait_end (node, 2, LK_STAGE_EPILOG);
  node_forget (node, 2);
}

static void
test_unknown_user (void)
{
  if (!is_root ())
    return;
  g_autoptr (Node) node = node_started ();
  NodeJob job = node_job (node, 1, "#!/bin/sh\ntouch ran\n");
  job.launch.user_id = 3999999;
  g_assert_cmpuint (node_play (node, &job).trouble, ==, LK_TROUBLE_LAUNCH_FAILURE);
  g_assert_nonnull (strstr (node->log->str, "run 1: this node does not know the user"));
  g_autofree char *ran = node_read (node, "ran");
  g_assert_null (ran);
}

/* What is no job of ours runs nothing. */
static void
test_unreadable_job (void)
{
  g_autoptr (Node) node = node_started ();
  NodeJob job = node_job (node, 1, "#!/bin/sh\n");
  LkPortProcess port = lk_process_os_port (node->port);
  job.launch.payload = lk_bytes ("nonsense");
  g_assert_true (port.ops->create (port.self, &job.launch));
  g_assert_cmpuint (node_wait_end (node, 1, LK_STAGE_SCRIPT).trouble, ==,
                    LK_TROUBLE_LAUNCH_FAILURE);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
}

/* ---------------------------------------------------------------- files */

/* Output goes where its user may write, and nowhere else: not through his link to another's file,
 * not through that in a folder of all. */
static void
test_links (void)
{
  if (!is_root ())
    return;
  g_autoptr (Node) node = node_started ();
  g_autofree char *secret = g_build_filename (node->folder, "secret", NULL);
  g_autofree char *link = g_build_filename (node->work, "link", NULL);
  g_assert_true (g_file_set_contents (secret, "root's", -1, NULL));
  g_assert_cmpint (chmod (secret, 0644), ==, 0);
  g_assert_cmpint (symlink (secret, link), ==, 0);
  NodeJob job = job_of_nobody (node, "#!/bin/sh\necho overwritten; touch ran\n");
  job.batch.std_out = lk_bytes ("link");
  LkExit how = node_play (node, &job);
  /* As Slurm has it: 0:53. */
  g_assert_cmpuint (how.signal, ==, 53);
  g_assert_cmpuint (how.exit_code, ==, 0);
  g_autofree char *kept = NULL;
  g_autofree char *ran = node_read (node, "ran");
  g_assert_true (g_file_get_contents (secret, &kept, NULL, NULL));
  g_assert_cmpstr (kept, ==, "root's");
  g_assert_null (ran);
}

static void
test_input_of_another (void)
{
  if (!is_root ())
    return;
  g_autoptr (Node) node = node_started ();
  g_autofree char *secret = g_build_filename (node->work, "secret", NULL);
  g_assert_true (g_file_set_contents (secret, "root's", -1, NULL));
  g_assert_cmpint (chmod (secret, 0600), ==, 0);
  NodeJob job = job_of_nobody (node, "#!/bin/sh\ncat\n");
  job.batch.std_in = lk_bytes ("secret");
  g_assert_cmpuint (node_play (node, &job).signal, ==, 53);
}

static void
test_files (void)
{
  g_autoptr (Node) node = node_started ();
  NodeJob job = node_job (node, 1, "#!/bin/sh\ncat; echo error >&2\n");
  node_write (node, "in-101", "input\n", 0644);
  node_write (node, "out-test", "old\n", 0644);
  job.batch.std_in = lk_bytes ("in-%j");
  job.batch.std_out = lk_bytes ("out-%x");
  job.batch.std_err = lk_bytes ("err-%5j");
  job.batch.open_mode = LK_BATCH_OPEN_APPEND;
  g_assert_cmpuint (node_play (node, &job).exit_code, ==, 0);
  g_autofree char *out = node_read (node, "out-test");
  g_autofree char *err = node_read (node, "err-00101");
  g_assert_cmpstr (out, ==, "old\ninput\n");
  g_assert_cmpstr (err, ==, "error\n");
  job.launch.run_id = 2;
  job.batch.open_mode = LK_BATCH_OPEN_DEFAULT;
  job.batch.std_err = lk_bytes ("out-test");
  g_assert_cmpuint (node_play (node, &job).exit_code, ==, 0);
  g_autofree char *both = node_read (node, "out-test");
  g_assert_cmpstr (both, ==, "input\nerror\n");
}

static void
test_work_dir (void)
{
  g_autoptr (Node) node = node_started ();
  NodeJob job = node_job (node, 1, "#!/bin/sh\npwd\n");
  g_autofree char *out = g_build_filename (node->work, "out", NULL);
  job.batch.work_dir = lk_bytes ("/proc/nowhere/at/all");
  job.batch.std_out = lk_bytes (out);
  g_assert_cmpuint (node_play (node, &job).exit_code, ==, 0);
  g_autofree char *output = node_read (node, "out");
  g_assert_cmpstr (output, ==,
                   "lockstep: error: couldn't chdir to `/proc/nowhere/at/all': No such file or "
                   "directory: going to /tmp instead\n/tmp\n");
  /* Relative to where it wanted to be. */
  job.launch.run_id = 2;
  job.batch.std_out = lk_bytes ("");
  g_assert_cmpuint (node_play (node, &job).signal, ==, 53);
}

static void
test_limits (void)
{
  g_autoptr (Node) node = node_started ();
  NodeJob job = node_job (node, 1, "#!/bin/bash\nulimit -S -n; ulimit -S -c; ulimit -S -s\n");
  job.batch.limits = 1u << LK_BATCH_LIMIT_NOFILE | 1u << LK_BATCH_LIMIT_CORE;
  job.batch.limit_nofile = 77;
  job.batch.limit_core = 0;
  g_assert_cmpuint (node_play (node, &job).exit_code, ==, 0);
  g_autofree char *output = node_read (node, "slurm-101.out");
  g_assert_true (g_str_has_prefix (output, "77\n0\n"));
}

/* A directory of the ordinary user with a copy of the supervisor's program: he may not be able to
 * reach that of the build. Returns: (transfer full). */
static char *
lent_folder (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("lk-step-XXXXXX", &error);
  g_assert_no_error (error);
  g_autofree char *program = g_build_filename (folder, "lockstep-step", NULL);
  g_autofree char *bytes = NULL;
  gsize length_bytes = 0;
  g_file_get_contents (NODE_STEP_PROGRAM, &bytes, &length_bytes, &error);
  g_assert_no_error (error);
  g_file_set_contents_full (program, bytes, (gssize)length_bytes, G_FILE_SET_CONTENTS_NONE, 0755,
                            &error);
  g_assert_no_error (error);
  g_assert_cmpint (chown (folder, NOBODY, NOBODY), ==, 0);
  return folder;
}

static void
test_only_own (void)
{
  if (!is_root ())
    return;
  if (!g_test_subprocess ()) {
    g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
    g_test_trap_assert_passed ();
    return;
  }
  g_autofree char *lent = lent_folder ();
  g_autofree char *program = g_build_filename (lent, "lockstep-step", NULL);
  /* From here on an ordinary user. */
  g_assert_cmpint (setgid (NOBODY), ==, 0);
  g_assert_cmpint (setuid (NOBODY), ==, 0);
  g_autoptr (Node) node = node_new ();
  node->config.step_program = program;
  node_start (node);
  NodeJob own = node_job (node, 1, "#!/bin/sh\nid -u\n");
  g_assert_cmpuint (node_play (node, &own).exit_code, ==, 0);
  g_autofree char *output = node_read (node, "slurm-101.out");
  g_assert_cmpstr (output, ==, "65534\n");
  NodeJob other = node_job (node, 2, "#!/bin/sh\n");
  other.launch.user_id = 0;
  g_assert_false (node_launch (node, &other));
  g_assert_cmpint (unlink (program), ==, 0);
  g_assert_cmpint (rmdir (lent), ==, 0);
}

/* ---------------------------------------------------------------- control groups */

static const LkCgroupChoice any = { NULL, 0 };

/* NULL: this machine has not got it, and the test is skipped. */
static Node *
node_with (const char *controller)
{
  g_autoptr (LkCgroup) group = geteuid () == 0 ? lk_cgroup_new (&any, "lockstep/test") : NULL;
  if (group == NULL || !lk_cgroup_make (group) || !lk_cgroup_has (group, controller)) {
    g_test_skip ("no such control group here");
    return NULL;
  }
  lk_cgroup_remove (group);
  Node *node = node_new ();
  node->config.memory = (LkMemoryRules){ TRUE, TRUE, 100, 0, 0, 100, 100 };
  node->config.constrains_cores = TRUE;
  node->config.constrains_devices = node->config.binds_cores = TRUE;
  return node;
}

static void
test_out_of_memory (void)
{
  g_autoptr (Node) node = node_with ("memory");
  if (node == NULL)
    return;
  node_start (node);
  NodeJob job =
      node_job (node, 1, "#!/bin/bash\nhead -c 200M /dev/zero | tail >/dev/null; echo on\n");
  job.launch.memory = (LkLongText){ "33554432", 8 };
  LkExit how = node_play (node, &job);
  g_assert_cmpuint (how.trouble, ==, LK_TROUBLE_OUT_OF_MEMORY);
  g_assert_cmpuint (how.exit_code, ==, 0);
  g_assert_cmpuint (how.signal, ==, 125);
  g_assert_cmpuint (how.max_rss_bytes, <, 2 * 33554432);
  g_assert_cmpuint (how.max_rss_bytes, >, 16000000);
}

/* Several processes together use more than each of them, and what they have read does not count. */
static void
test_memory_of_all (void)
{
  g_autoptr (Node) node = node_with ("memory");
  if (node == NULL)
    return;
  node_start (node);
  NodeJob job = node_job (node, 1,
                          "#!/bin/bash\nhead -c 100M /dev/zero > file; cat file > /dev/null\n"
                          "hold () { x=$(head -c 20M /dev/zero | tr '\\0' x); touch r$1\n"
                          "until test -e r1 -a -e r2 -a -e r3; do sleep 0.1; done\n"
                          /* Looks come ever more seldom: the next one within the time so far. */
                          "sleep $((SECONDS + 2)); }\n"
                          "hold 1 & hold 2 & hold 3 & wait; rm file\n");
  LkExit how = node_play (node, &job);
  g_assert_cmpuint (how.exit_code, ==, 0);
  g_assert_cmpuint (how.max_rss_bytes, >, 50u << 20);
  g_assert_cmpuint (how.max_rss_bytes, <, 140u << 20);
}

/* As cgroup.conf says, not as the job was given. */
static void
test_memory_rules (void)
{
  g_autoptr (Node) node = node_with ("memory");
  if (node == NULL)
    return;
  node->config.memory.ram_percent = 150;
  node->config.memory.swap_percent = 25;
  node_start (node);
  NodeJob job = node_job (
      node, 1,
      "#!/bin/bash\nunder () { grep \"$1\" /proc/self/cgroup | cut -d: -f3; }\n"
      "one=/sys/fs/cgroup/memory$(under :memory:)\n"
      "two=/sys/fs/cgroup$(under ^0::)\n"
      "cat $one/memory.limit_in_bytes $two/memory.max 2>/dev/null\n"
      "cat $one/memory.memsw.limit_in_bytes $two/memory.swap.max 2>/dev/null || echo none\n");
  job.launch.memory = (LkLongText){ "67108864", 8 };
  g_assert_cmpuint (node_play (node, &job).exit_code, ==, 0);
  g_autofree char *output = node_read (node, "slurm-101.out");
  g_auto (GStrv) lines = g_strsplit (output, "\n", -1);
  g_assert_cmpstr (lines[0], ==, "100663296");
  /* With memory in version 1, alone in version 2. */
  g_assert_true (strcmp (lines[1], "117440512") == 0 || strcmp (lines[1], "16777216") == 0
                 || strcmp (lines[1], "none") == 0);
}

/* The hierarchy of version 2, also beside those of version 1; and none where there is none. */
static void
test_choice (void)
{
  const LkCgroupChoice nowhere = { "/nowhere", 0 };
  const LkCgroupChoice second = { "/sys/fs/cgroup/", 2 };
  g_assert_null (lk_cgroup_new (&nowhere, "lockstep/test"));
  g_autoptr (LkCgroup) group = geteuid () == 0 ? lk_cgroup_new (&second, "lockstep/test") : NULL;
  if (group == NULL || !lk_cgroup_make (group)) {
    g_test_skip ("no control group of version 2 can be made here");
    return;
  }
  lk_cgroup_remove (group);
  g_assert_cmpuint (lk_cgroup_version (group), ==, 2);
  g_autoptr (Node) node = node_new ();
  node->config.cgroups = second;
  node_start (node);
  NodeJob job = node_job (node, 1,
                          "#!/bin/bash\ngrep ^0:: /proc/self/cgroup\n"
                          "setsid sleep 1000 & echo $! > pid\n");
  g_assert_cmpuint (node_play (node, &job).exit_code, ==, 0);
  g_autofree char *output = node_read (node, "slurm-101.out");
  g_assert_nonnull (strstr (output, "/run_1/script\n"));
  g_assert_false (node_lives (node_pid (node, "pid")));
}

/* A script that starts one process after the other comes so far, and its node goes on. */
static void
test_fork_bomb (void)
{
  g_autoptr (Node) node = node_with ("pids");
  if (node == NULL)
    return;
  node->config.tasks_max = 20;
  node_start (node);
  NodeJob job = node_job (node, 1,
                          "#!/bin/sh\ni=0\n"
                          "while [ $i -lt 100 ]; do\n"
                          "  sleep 1000 &\n  i=$((i + 1)); echo $i > count\ndone\n"
                          "echo all > count\n");
  LkExit how = node_play (node, &job);
  g_autofree char *count = node_read (node, "count");
  g_assert_cmpuint (how.exit_code, !=, 0);
  g_assert_cmpuint (g_ascii_strtoull (count, NULL, 10), >=, 10);
  g_assert_cmpuint (g_ascii_strtoull (count, NULL, 10), <, 20);
  /* Nothing of it is left, and the next one is not bound by what this one had. */
  NodeJob next = node_job (node, 2, "#!/bin/sh\nsleep 0 & sleep 0 & wait\n");
  g_assert_cmpuint (node_play (node, &next).exit_code, ==, 0);
}

static void
test_cores (void)
{
  g_autoptr (Node) node = node_with ("cpuset");
  if (node == NULL)
    return;
  node_start (node);
  NodeJob job = node_job (node, 1,
                          "#!/bin/bash\ngrep Cpus_allowed_list /proc/self/status\n"
                          "taskset -p 3 $$ >/dev/null 2>&1\n"
                          "grep Cpus_allowed_list /proc/self/status\n");
  g_assert_cmpuint (node_play (node, &job).exit_code, ==, 0);
  g_autofree char *output = node_read (node, "slurm-101.out");
  g_auto (GStrv) lines = g_strsplit (output, "\n", -1);
  /* Core 0 and no other, also for who asks for more. */
  g_assert_cmpstr (lines[0], ==, lines[1]);
  g_assert_null (strstr (lines[0], "-"));
}

static void
test_devices (void)
{
  g_autoptr (Node) node = node_with ("devices");
  static const LkProcessOsDevice devices[] = { { "/dev/full" }, { "/dev/null" }, { "/dev/zero" } };
  if (node == NULL)
    return;
  node->config.devices = devices;
  node->config.device_count = G_N_ELEMENTS (devices);
  node_start (node);
  NodeJob job = node_job (node, 1,
                          "#!/bin/bash\nhead -c 1 /dev/full >/dev/null 2>&1 && echo full\n"
                          "head -c 1 /dev/zero >/dev/null 2>&1 && echo zero\n"
                          "echo $CUDA_VISIBLE_DEVICES $SLURM_JOB_GPUS\n");
  job.launch.gres = (LkLongText){ "n1=gpu:1-2", 10 };
  node_play (node, &job);
  g_autofree char *output = node_read (node, "slurm-101.out");
  g_assert_cmpstr (output, ==, "zero\n0,1 1,2\n");
}

/* A group is gone with its run. */
static void
test_group_is_gone (void)
{
  g_autoptr (Node) node = node_with ("freezer");
  if (node == NULL)
    return;
  node_start (node);
  NodeJob job = node_job (node, 1, "#!/bin/bash\ncat /proc/self/cgroup\n");
  node_play (node, &job);
  g_autofree char *output = node_read (node, "slurm-101.out");
  char *path = strstr (output, "/lockstep/n1-");
  g_assert_nonnull (path);
  *strchr (path, '\n') = '\0';
  /* With version 2 a script has a part of it. */
  if (g_str_has_suffix (path, "/script"))
    *strrchr (path, '/') = '\0';
  g_assert_true (g_str_has_suffix (path, "/run_1"));
  g_autoptr (LkCgroup) group = lk_cgroup_new (&any, path + 1);
  g_autoptr (GArray) pids = lk_cgroup_pids (group);
  g_assert_cmpuint (pids->len, ==, 0);
  g_assert_false (lk_cgroup_freeze (group, FALSE));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step user/a job has its user's rights", test_user);
  g_test_add_func ("/step user/and not those of another", test_others);
  g_test_add_func ("/step user/an unknown user runs nothing", test_unknown_user);
  g_test_add_func ("/step user/a job that cannot be read runs nothing", test_unreadable_job);
  g_test_add_func ("/step user/output follows no link to what is not his", test_links);
  g_test_add_func ("/step user/input is none that he may not read", test_input_of_another);
  g_test_add_func ("/step user/files are those of the patterns", test_files);
  g_test_add_func ("/step user/without its folder a job goes to tmp", test_work_dir);
  g_test_add_func ("/step user/limits are those of the submission", test_limits);
  g_test_add_func ("/step user/an ordinary user runs his own jobs", test_only_own);
  g_test_add_func ("/step user/too much memory is told", test_out_of_memory);
  g_test_add_func ("/step user/memory is that of all processes", test_memory_of_all);
  g_test_add_func ("/step user/memory is confined as the site says", test_memory_rules);
  g_test_add_func ("/step user/a fork bomb stays within its job", test_fork_bomb);
  g_test_add_func ("/step user/a site chooses its control groups", test_choice);
  g_test_add_func ("/step user/cores are those that were given", test_cores);
  g_test_add_func ("/step user/devices are those that were given", test_devices);
  g_test_add_func ("/step user/its group is gone with the run", test_group_is_gone);
  return g_test_run ();
}
