/* tests/step/step_group_test.c — the control group of a step: a part of its run's, confined to what
 * the step has, and gone with it.  Where there are none, nothing is tried. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "live/port/cgroup.h"
#include "tests/step/step_site.h"

#define JOB_MEMORY "268435456"
#define STEP_MEMORY_BYTES 33554432
#define JOB_GPUS "n1=gpu:1-2"

/* In place of GPUs. */
static const LkProcessOsDevice devices[] = { { "/dev/full" },
                                             { "/dev/urandom" },
                                             { "/dev/random" } };

typedef struct {
  Node *node;
  StepSite site;
} Case;

/* A run with a script that waits for a file. FALSE: skipped. */
static gboolean
case_begin (Case *self)
{
  const LkCgroupChoice any = { NULL, 0 };
  g_autoptr (LkCgroup) group = geteuid () == 0 ? lk_cgroup_new (&any, "lockstep/test-step") : NULL;
  if (group == NULL || !lk_cgroup_make (group) || !lk_cgroup_has (group, "memory")
      || !lk_cgroup_has (group, "cpuset")) {
    g_test_skip ("no such control group here");
    return FALSE;
  }
  lk_cgroup_remove (group);
  self->node = node_new ();
  self->node->config.memory = (LkMemoryRules){ TRUE, TRUE, 100, 0, 0, 100, 100 };
  self->node->config.constrains_cores = self->node->config.binds_cores = TRUE;
  self->node->config.constrains_devices = TRUE;
  self->node->config.devices = devices;
  self->node->config.device_count = G_N_ELEMENTS (devices);
  step_site_init (&self->site, self->node);
  node_start (self->node);
  NodeJob run = node_job (self->node, 1, "#!/bin/sh\nwhile [ ! -e go ]; do sleep 0.02; done\n");
  run.launch.memory = (LkLongText){ JOB_MEMORY, strlen (JOB_MEMORY) };
  run.launch.gres = (LkLongText){ JOB_GPUS, strlen (JOB_GPUS) };
  g_assert_true (node_launch (self->node, &run));
  node_wait_end (self->node, 1, LK_STAGE_PROLOG);
  return TRUE;
}

static LkExit
run_end (Case *self)
{
  node_write (self->node, "go", "", 0644);
  return node_wait_end (self->node, 1, LK_STAGE_SCRIPT);
}

static void
case_end (Case *self)
{
  step_site_clear (&self->site);
  node_free (self->node);
}

static LkStepFound
play (Case *self, gint64 memory_bytes, const char *script)
{
  StepJob job;
  step_job_init (&job, &self->site, 1, script);
  job.memory_bytes = memory_bytes;
  job.cores = "0";
  g_assert_true (step_site_launch (&self->site, 1, &job));
  step_job_clear (&job);
  LkStepFound how = step_site_wait_end (&self->site, 0);
  g_test_message ("step 0: %u:%u, trouble %u; it wrote: %s%s", how.exit_code, how.signal,
                  how.trouble, self->site.out[0]->str, self->site.err[0]->str);
  return how;
}

/* The job has room enough, and its script goes on. */
static void
test_memory (void)
{
  Case one;
  if (!case_begin (&one))
    return;
  LkStepFound how =
      play (&one, STEP_MEMORY_BYTES, "head -c 100000000 /dev/zero | tail > /dev/null");
  g_assert_cmpuint (how.trouble, ==, LK_TROUBLE_OUT_OF_MEMORY);
  g_assert_cmpuint (how.signal, ==, 125);
  LkExit run = run_end (&one);
  g_assert_cmpuint (run.trouble, ==, LK_TROUBLE_NONE);
  g_assert_cmpuint (run.signal, ==, 0);
  case_end (&one);
}

/* Without memory of its own it has the job's. */
static void
test_no_memory (void)
{
  Case one;
  if (!case_begin (&one))
    return;
  LkStepFound how = play (&one, 0, "head -c 100000000 /dev/zero | tail > /dev/null");
  g_assert_cmpuint (how.trouble, ==, LK_TROUBLE_NONE);
  g_assert_cmpuint (how.exit_code, ==, 0);
  run_end (&one);
  case_end (&one);
}

/* Of the job's devices it can open its own, and counts them from 0. */
static void
test_devices (void)
{
  static const struct {
    const char *gres;
    const char *output;
  } cases[] = { { "gpu:1-2", "urandom\nrandom\n0,1 1,2 2\n" },
                { "gpu:2", "random\n0 2 1\n" },
                { "", "- - -\n" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Case one;
    StepJob job;
    if (!case_begin (&one))
      return;
    step_job_init (&job, &one.site, 1,
                   "for f in full urandom random; do\n"
                   "head -c 1 /dev/$f > /dev/null 2>&1 && echo $f; done\n"
                   "echo ${CUDA_VISIBLE_DEVICES:--} ${SLURM_STEP_GPUS:--}"
                   " ${SLURM_GPUS_ON_NODE:--}");
    job.gres = cases[i].gres;
    g_assert_true (step_site_launch (&one.site, 1, &job));
    step_job_clear (&job);
    step_site_wait_end (&one.site, 0);
    g_assert_cmpstr (one.site.out[0]->str, ==, cases[i].output);
    run_end (&one);
    case_end (&one);
  }
}

static void
test_part (void)
{
  Case one;
  if (!case_begin (&one))
    return;
  LkStepFound how = play (&one, STEP_MEMORY_BYTES,
                          "under () { grep \"$1\" /proc/self/cgroup | cut -d: -f3; }\n"
                          "one=$(under :memory:); two=$(under ^0::); three=$(under :cpuset:)\n"
                          "basename ${one:-$two}\n"
                          "cat /sys/fs/cgroup/memory$one/memory.limit_in_bytes"
                          " /sys/fs/cgroup$two/memory.max 2> /dev/null\n"
                          "cat /sys/fs/cgroup/cpuset$three/cpuset.cpus"
                          " /sys/fs/cgroup$two/cpuset.cpus 2> /dev/null; echo ${one:-$two}");
  g_assert_cmpuint (how.trouble, ==, 0);
  g_auto (GStrv) lines = g_strsplit (one.site.out[0]->str, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), >=, 4);
  g_assert_cmpstr (lines[0], ==, "step_0");
  g_assert_cmpstr (lines[1], ==, "33554432");
  /* A core: one CPU of the system, or those that are one core. */
  g_assert_true (g_ascii_isdigit (lines[2][0]));
  const LkCgroupChoice any = { NULL, 0 };
  g_autoptr (LkCgroup) part = lk_cgroup_new (&any, lines[3] + 1);
  run_end (&one);
  /* Nothing is left of it: a group in which it could be made anew was not there. */
  g_autoptr (GArray) pids = lk_cgroup_pids (part);
  g_assert_cmpuint (pids->len, ==, 0);
  g_assert_false (lk_cgroup_enter (part));
  case_end (&one);
}

/* Its part of the freezer, by its path there; NULL: of version 1 there is none. */
static LkCgroup *
freezer_of (const char *path)
{
  static const LkCgroupChoice choice = { .version = 1 };
  LkCgroup *part = path[0] == '/' ? lk_cgroup_new (&choice, path + 1) : NULL;
  if (part != NULL)
    lk_cgroup_keep_freezer (part);
  return part;
}

/* Whoever froze it, to fell it, has died in between, and so has the supervisor: what ends the run
 * then ends the step. */
static void
test_left_frozen (void)
{
  Case one;
  StepJob job;
  if (!case_begin (&one))
    return;
  step_job_init (&job, &one.site, 1,
                 "echo $$ > pid; echo $(grep :freezer: /proc/self/cgroup | cut -d: -f3) ready\n"
                 "while :; do sleep 1; done");
  g_assert_true (step_site_launch (&one.site, 1, &job));
  step_job_clear (&job);
  step_site_wait_out (&one.site, 0, "ready");
  g_auto (GStrv) words = g_strsplit (one.site.out[0]->str, " ", 2);
  g_autoptr (LkCgroup) part = freezer_of (words[0]);
  if (part == NULL || !lk_cgroup_freeze (part, TRUE)) {
    g_test_skip ("no freezer of version 1 here");
    run_end (&one);
  } else {
    int pid = node_pid (one.node, "pid");
    g_assert_cmpint (kill (node_supervisor (one.node, 1), SIGKILL), ==, 0);
    node_wait_death (pid);
    g_assert_cmpuint (node_wait_end (one.node, 1, LK_STAGE_SCRIPT).signal, ==, SIGKILL);
  }
  case_end (&one);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step_group/a step that takes too much memory ends alone", test_memory);
  g_test_add_func ("/step_group/without memory of its own it has that of the job", test_no_memory);
  g_test_add_func ("/step_group/it opens devices of its own alone", test_devices);
  g_test_add_func ("/step_group/it is a part of the group of its run, and goes", test_part);
  g_test_add_func ("/step_group/it ends with its run where somebody has left it frozen",
                   test_left_frozen);
  return g_test_run ();
}
