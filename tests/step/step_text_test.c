/* tests/step/step_text_test.c — what a supervisor makes of texts: file names with %, the share of a
 * node, the environment; and the lines in which a run's folder says things. */
#include <string.h>

#include "live/port/run_folder.h"
#include "live/step/environment.h"
#include "live/step/pattern.h"

/* ---------------------------------------------------------------- file names */

static const LkPatternValues task = { .job_id = 1237,
                                      .array_job_id = 1234,
                                      .array_task = 23,
                                      .job_name = "my/job",
                                      .user = "ann",
                                      .node = "n7.example.org",
                                      .node_index = 2 };
static const LkPatternValues alone = { .job_id = 99, .job_name = "", .user = "bob", .node = "n1" };

static const LkPatternValues step = { .job_id = 99,
                                      .job_name = "x",
                                      .user = "ann",
                                      .node = "n1.site",
                                      .is_step = TRUE,
                                      .step_id = 7,
                                      .task = 12 };

typedef struct {
  const LkPatternValues *values;
  const char *pattern;
  const char *expected;
} PatternCase;

static void
test_patterns (void)
{
  static const PatternCase cases[] = {
    { &task, "slurm-%A_%a.out", "slurm-1234_23.out" },
    { &task, "%j", "1237" },
    { &task, "%J", "1237" },
    { &task, "%5j", "01237" },
    { &task, "%2j", "1237" },
    { &task, "%99a", "0000000023" },
    { &task, "%b-%x-%u", "3-my/job-ann" },
    { &task, "%N.%n.%t.%s", "n7.2.0.batch" },
    { &task, "%3n", "002" },
    { &task, "100%%", "100%" },
    { &task, "%q %", "%q %" },
    { &task, "%5", "%5" },
    { &task, "%5q", "%5q" },
    { &task, "a\\%j", "a%j" },
    { &task, "", "" },
    { &step, "%j.%s.%t-%N", "99.7.12-n1" },
    { &step, "%J_%3t", "99.7_012" },
    { &alone, "%A_%a", "99_4294967294" },
    { &alone, "slurm-%j.out", "slurm-99.out" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = lk_pattern_expand (cases[i].pattern, cases[i].values);
    g_assert_cmpstr (path, ==, cases[i].expected);
  }
  g_assert_true (lk_pattern_is_of_node ("a%%-%3t"));
  g_assert_true (lk_pattern_is_of_node ("%j%N"));
  g_assert_true (lk_pattern_is_of_node ("%n"));
  g_assert_false (lk_pattern_is_of_node ("%j%%t"));
  g_assert_false (lk_pattern_is_of_node ("a\\%t"));
  g_assert_cmpstr (lk_pattern_default (&task), ==, "slurm-%A_%a.out");
  g_assert_cmpstr (lk_pattern_default (&alone), ==, "slurm-%j.out");
}

/* ---------------------------------------------------------------- shares */

static LkLongText
text_of (const char *text)
{
  return (LkLongText){ text, (guint32)strlen (text) };
}

static LkMessage_launch
launch_of (const char *nodes, const char *cores, const char *gres, const char *cpus)
{
  return (LkMessage_launch){ .run_id = 1,
                             .job_id = 7,
                             .nodes = text_of (nodes),
                             .cores = text_of (cores),
                             .gres = text_of (gres),
                             .cpus = text_of (cpus),
                             .memory = text_of ("1024(x3),2048") };
}

static void
assert_numbers (const GArray *numbers, const char *expected)
{
  g_autofree char *list = lk_number_list (numbers);
  g_assert_cmpstr (list, ==, expected);
}

static void
test_ranges (void)
{
  static const char *const rows[][2] = {
    { "0-3,8", "0,1,2,3,8" },
    { "1+2*3,9", "1,3,5,9" },
    { "0-1+8*3", "0,1,8,9,16,17" },
    { "4+0*2", "4,4" },
    { "5-3+1*4000000000", "" },
    { "7+2", "" },
    { "3,4294967295+1*2", "3,4294967295" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GArray) numbers = lk_number_ranges (rows[i][0]);
    assert_numbers (numbers, rows[i][1]);
  }
  /* More than any node has is not made. */
  g_autoptr (GArray) many = lk_number_ranges ("0-9+10*4000000000");
  g_assert_cmpuint (many->len, ==, 65536);
}

static void
test_share (void)
{
  LkMessage_launch launch = launch_of ("n[1-3,7]", "n[1-3]=0-3,8;n7=5",
                                       "n[1,3]=gpu:0-1,3|nic*2;n7=shard*460@3", "8(x3),2");
  LkRunShare share;
  lk_run_share_init (&share, &launch, "n3");
  g_assert_cmpuint (share.node_index, ==, 2);
  g_assert_cmpuint (share.node_count, ==, 4);
  g_assert_cmpuint (share.cpus, ==, 8);
  g_assert_cmpuint (share.memory_bytes, ==, 1024);
  assert_numbers (share.cores, "0,1,2,3,8");
  assert_numbers (share.gpus, "0,1,3");
  g_assert_cmpuint (share.shares, ==, 0);
  lk_run_share_clear (&share);
  lk_run_share_init (&share, &launch, "n7");
  g_assert_cmpuint (share.cpus, ==, 2);
  g_assert_cmpuint (share.memory_bytes, ==, 2048);
  assert_numbers (share.cores, "5");
  assert_numbers (share.gpus, "");
  g_assert_cmpuint (share.shares, ==, 460);
  g_assert_cmpuint (share.share_gpu, ==, 3);
  g_assert_cmpstr (share.share_name, ==, "shard");
  lk_run_share_clear (&share);
  lk_run_share_init (&share, &launch, "n2");
  assert_numbers (share.gpus, "");
  lk_run_share_clear (&share);
}

/* Nothing that comes can do more than say nothing. */
static void
test_share_of_nonsense (void)
{
  static const char *const texts[] = {
    "",
    "n1",
    "=",
    ";;;",
    "n1=",
    "n1=-",
    "n1=3-",
    "n1=9-1",
    "n1=0-4294967295",
    "n1=99999999999999999999",
    "n1=gpu:|*@",
    "n1=x*@",
    "n1=x*1@",
    "n1=shard*18446744073709551616@2",
    "n1=1(x",
    "[",
    "n[1-",
    "n1=gpu:0-",
    "8(x",
    "8(x2",
    "8(x2)4",
    "18446744073709551615(x18446744073709551615),1",
  };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    for (guint j = 0; j < G_N_ELEMENTS (texts); j++) {
      LkMessage_launch launch = launch_of (texts[j], texts[i], texts[i], texts[i]);
      LkRunShare share;
      lk_run_share_init (&share, &launch, "n1");
      g_assert_cmpuint (share.cores->len, <=, 65536);
      g_assert_cmpuint (share.node_index, <, share.node_count);
      g_autofree char *tasks = lk_run_share_tasks (&share, j, i, 0);
      g_assert_nonnull (tasks);
      lk_run_share_clear (&share);
    }
}

typedef struct {
  const char *nodes;
  const char *cpus;
  guint tasks;
  guint cpus_per_task;
  guint tasks_per_node;
  const char *expected;
} TaskCase;

static void
test_tasks (void)
{
  static const TaskCase cases[] = {
    { "n1", "4", 0, 0, 0, "4" },
    { "n1", "4", 0, 2, 0, "2" },
    { "n[1-3]", "8(x2),4", 0, 0, 0, "8(x2),4" },
    { "n[1-4]", "2(x4)", 7, 1, 0, "2(x3),1" },
    { "n[1-2]", "4(x2)", 3, 1, 0, "2,1" },
    { "n[1-2]", "4(x2)", 6, 1, 0, "4,2" },
    { "n[1-2]", "4(x2)", 6, 1, 3, "3(x2)" },
    { "n[1-2]", "4(x2)", 20, 1, 0, "4,16" },
    { "n[1-2]", "1(x2)", 0, 4, 0, "1(x2)" },
    { "n1", "", 0, 0, 0, "" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkMessage_launch launch = launch_of (cases[i].nodes, "", "", cases[i].cpus);
    LkRunShare share;
    lk_run_share_init (&share, &launch, "n1");
    g_autofree char *tasks = lk_run_share_tasks (&share, cases[i].tasks, cases[i].cpus_per_task,
                                                 cases[i].tasks_per_node);
    g_assert_cmpstr (tasks, ==, cases[i].expected);
    lk_run_share_clear (&share);
  }
}

/* ---------------------------------------------------------------- environment */

typedef struct {
  LkMessage_launch launch;
  LkBatch batch;
  LkRunShare share;
  LkRunScene scene;
  GPtrArray *variables;
} Scene;

static const char *
value_of (const Scene *self, const char *name)
{
  const char *value = NULL;
  for (guint i = 0; self->variables->pdata[i] != NULL; i++) {
    const char *variable = self->variables->pdata[i];
    if (!g_str_has_prefix (variable, name) || variable[strlen (name)] != '=')
      continue;
    /* Never twice. */
    g_assert_null (value);
    value = variable + strlen (name) + 1;
  }
  return value;
}

static void
scene_init (Scene *self, const char *const *sent, GByteArray *bytes)
{
  self->launch = launch_of ("n[1-3]", "n[1-3]=0-3", "n[1-3]=gpu:1,3", "8(x3)");
  for (guint i = 0; sent[i] != NULL; i++)
    lk_strings_append (bytes, sent[i]);
  self->batch = (LkBatch){ .environment = { bytes->data, bytes->len },
                           .submit_dir = lk_bytes ("/users/ann/x"),
                           .submit_host = lk_text ("login1") };
  self->launch.user_id = 1001;
  self->launch.group_id = 77;
  self->launch.job_name = lk_text ("a job");
  self->launch.partition = lk_text ("main");
  self->launch.cluster = lk_text ("c1");
  self->launch.start_us = 1000000 * (gint64)1700000000 + 7;
  self->launch.tasks = 6;
  self->launch.cpus_per_task = 2;
}

static void
scene_make (Scene *self, gboolean is_confined)
{
  lk_run_share_init (&self->share, &self->launch, "n2");
  self->scene = (LkRunScene){ .launch = &self->launch,
                              .batch = &self->batch,
                              .share = &self->share,
                              .node = "n2",
                              .configuration = "/etc/slurm.conf",
                              .folder = "/run/7",
                              .user = "ann",
                              .group = "people",
                              .home = "/home/ann",
                              .shell = "/bin/zsh",
                              .devices_are_confined = is_confined };
  self->variables = lk_environment_script (&self->scene);
}

static void
scene_clear (Scene *self)
{
  g_ptr_array_unref (self->variables);
  lk_run_share_clear (&self->share);
}

static const char *const sent_by_user[] = { "HOME=/elsewhere",
                                            "MINE=1",
                                            "SLURM_JOB_ID=1",
                                            "SLURM_ARRAY_TASK_ID=8",
                                            "SLURM_STEP_ID=0",
                                            "SLURM_NTASKS=99",
                                            "CUDA_VISIBLE_DEVICES=9",
                                            "SLURM_MEM_PER_CPU=1",
                                            "no variable",
                                            "=x",
                                            "SLURM_TIME_FORMAT=%c",
                                            "SLURM_EXPORT_ENV=MINE",
                                            NULL };

/* NULL: it is not there. */
static const char *const in_script[][2] = {
  { "HOME", "/elsewhere" },
  { "MINE", "1" },
  { "USER", "ann" },
  { "SHELL", "/bin/zsh" },
  { "TMPDIR", "/tmp" },
  { "ENVIRONMENT", "BATCH" },
  { "SLURM_JOB_ID", "7" },
  { "SLURM_JOBID", "7" },
  { "SLURM_JOB_NAME", "a job" },
  { "SLURM_JOB_NODELIST", "n[1-3]" },
  { "SLURM_NODELIST", "n[1-3]" },
  { "SLURM_JOB_NUM_NODES", "3" },
  { "SLURM_NNODES", "3" },
  { "SLURM_NTASKS", "6" },
  { "SLURM_NPROCS", "6" },
  { "SLURM_CPUS_PER_TASK", "2" },
  { "SLURM_TASKS_PER_NODE", "4,1(x2)" },
  { "SLURM_JOB_CPUS_PER_NODE", "8(x3)" },
  { "SLURM_CPUS_ON_NODE", "8" },
  { "SLURM_PROCID", "0" },
  { "SLURM_NODEID", "1" },
  { "SLURMD_NODENAME", "n2" },
  { "SLURM_SUBMIT_DIR", "/users/ann/x" },
  { "SLURM_SUBMIT_HOST", "login1" },
  { "SLURM_CLUSTER_NAME", "c1" },
  { "SLURM_JOB_PARTITION", "main" },
  { "SLURM_JOB_USER", "ann" },
  { "SLURM_JOB_UID", "1001" },
  { "SLURM_JOB_GID", "77" },
  { "SLURM_JOB_GROUP", "people" },
  { "SLURM_JOB_START_TIME", "1700000000" },
  { "SLURM_JOB_GPUS", "1,3" },
  { "SLURM_GPUS_ON_NODE", "2" },
  { "CUDA_VISIBLE_DEVICES", "1,3" },
  { "ROCR_VISIBLE_DEVICES", "1,3" },
  { "SLURM_CONF", "/etc/slurm.conf" },
  { "SLURM_TIME_FORMAT", "%c" },
  { "LOCKSTEP_RUN", "/run/7" },
  { "SLURM_JOB_ACCOUNT", NULL },
  { "SLURM_JOB_END_TIME", NULL },
  { "SLURM_RESTART_COUNT", NULL },
  { "SLURM_ARRAY_TASK_ID", NULL },
  { "SLURM_STEP_ID", NULL },
  { "SLURM_MEM_PER_CPU", NULL },
  { "SLURM_HET_SIZE", NULL },
  { "SLURM_EXPORT_ENV", "MINE" },
};

static void
test_environment (void)
{
  Scene scene;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  scene_init (&scene, sent_by_user, bytes);
  scene_make (&scene, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (in_script); i++)
    g_assert_cmpstr (value_of (&scene, in_script[i][0]), ==, in_script[i][1]);
  for (guint i = 0; scene.variables->pdata[i] != NULL; i++)
    g_assert_nonnull (strchr (scene.variables->pdata[i], '='));
  scene_clear (&scene);
}

static void
test_environment_more (void)
{
  static const char *const sent[] = { NULL };
  Scene scene;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  scene_init (&scene, sent, bytes);
  scene.launch.restarts = 2;
  scene.launch.array_job_id = 5;
  scene.launch.array_task = 9;
  scene.launch.array_count = 4;
  scene.launch.array_min = 1;
  scene.launch.array_max = 9;
  scene.launch.array_step = 3;
  scene.launch.memory_per_cpu_bytes = 2048ll << 20;
  scene.launch.end_us = 1000000 * (gint64)1700003600;
  scene.launch.account = lk_text ("chem");
  scene.launch.qos = lk_text ("high");
  scene.launch.reservation = lk_text ("maint");
  scene.batch.export_mode = LK_BATCH_EXPORT_NONE;
  scene_make (&scene, TRUE);
  static const char *const expected[][2] = {
    { "SLURM_RESTART_COUNT", "2" },
    { "SLURM_ARRAY_JOB_ID", "5" },
    { "SLURM_ARRAY_TASK_ID", "9" },
    { "SLURM_ARRAY_TASK_COUNT", "4" },
    { "SLURM_ARRAY_TASK_MIN", "1" },
    { "SLURM_ARRAY_TASK_MAX", "9" },
    { "SLURM_ARRAY_TASK_STEP", "3" },
    { "SLURM_MEM_PER_CPU", "2048" },
    { "SLURM_JOB_END_TIME", "1700003600" },
    { "SLURM_JOB_ACCOUNT", "chem" },
    { "SLURM_JOB_QOS", "high" },
    { "SLURM_JOB_RESERVATION", "maint" },
    { "SLURM_EXPORT_ENV", "NONE" },
    { "HOME", "/home/ann" },
    { "SLURM_JOB_GPUS", "1,3" },
    { "CUDA_VISIBLE_DEVICES", "0,1" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmpstr (value_of (&scene, expected[i][0]), ==, expected[i][1]);
  scene_clear (&scene);
}

/* --export=NIL: nothing but SLURM_*. */
/* The script hears of all components, and of those of no other job. */
static void
test_environment_het (void)
{
  static const char *const sent[] = { "SLURM_MEM_PER_NODE_HET_GROUP_2=1", "MY_HET_GROUP_0=a",
                                      "SLURM_TIME=_HET_GROUP_", NULL };
  static const char *const expected[][2] = {
    { "SLURM_HET_SIZE", "2" },
    { "SLURM_JOB_ID", "7" },
    { "SLURM_JOB_ID_HET_GROUP_0", "7" },
    { "SLURM_JOB_ID_HET_GROUP_1", "8" },
    { "SLURM_JOB_NAME_HET_GROUP_1", "other" },
    { "SLURM_JOB_PARTITION_HET_GROUP_1", "big" },
    { "SLURM_JOB_ACCOUNT_HET_GROUP_1", "chem" },
    { "SLURM_JOB_QOS_HET_GROUP_1", "high" },
    { "SLURM_JOB_RESERVATION_HET_GROUP_1", "maint" },
    { "SLURM_JOB_RESERVATION_HET_GROUP_0", NULL },
    { "SLURM_JOB_NODELIST_HET_GROUP_0", "n[1-3]" },
    { "SLURM_JOB_NODELIST_HET_GROUP_1", "m[4-5]" },
    { "SLURM_JOB_NUM_NODES_HET_GROUP_0", "3" },
    { "SLURM_JOB_NUM_NODES_HET_GROUP_1", "2" },
    { "SLURM_JOB_CPUS_PER_NODE_HET_GROUP_1", "4(x2)" },
    { "SLURM_TASKS_PER_NODE_HET_GROUP_1", "2,1" },
    { "SLURM_MEM_PER_NODE_HET_GROUP_0", "512" },
    { "SLURM_MEM_PER_CPU_HET_GROUP_1", "256" },
    { "SLURM_MEM_PER_CPU_HET_GROUP_0", NULL },
    { "SLURM_MEM_PER_NODE_HET_GROUP_2", NULL },
    { "MY_HET_GROUP_0", "a" },
    { "SLURM_TIME", "_HET_GROUP_" },
  };
  const LkRunComponent components[] = {
    { .offset = 0,
      .job_id = 7,
      .memory_per_node_bytes = 512ll << 20,
      .nodes = { "n[1-3]", 6 },
      .cpus = { "8(x3)", 5 } },
    { .offset = 1,
      .job_id = 8,
      .job_name = lk_text ("other"),
      .partition = lk_text ("big"),
      .account = lk_text ("chem"),
      .qos = lk_text ("high"),
      .reservation = lk_text ("maint"),
      .tasks = 3,
      .cpus_per_task = 2,
      .memory_per_cpu_bytes = 256ll << 20,
      .nodes = { "m[4-5]", 6 },
      .cpus = { "4(x2)", 5 } },
  };
  Scene scene;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GByteArray) list = g_byte_array_new ();
  scene_init (&scene, sent, bytes);
  for (guint i = 0; i < G_N_ELEMENTS (components); i++)
    lk_run_component_append (&components[i], list);
  scene.launch.het_leader = 7;
  scene.launch.het_count = 2;
  scene.launch.components = (LkComponents){ list->data, list->len };
  scene_make (&scene, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmpstr (value_of (&scene, expected[i][0]), ==, expected[i][1]);
  scene_clear (&scene);
}

static void
test_environment_nil (void)
{
  static const char *const sent[] = { "SLURM_EXPORT_ENV=ALL", NULL };
  Scene scene;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  scene_init (&scene, sent, bytes);
  scene.batch.export_mode = LK_BATCH_EXPORT_NIL;
  scene_make (&scene, FALSE);
  g_assert_null (value_of (&scene, "HOME"));
  g_assert_null (value_of (&scene, "PATH"));
  g_assert_cmpstr (value_of (&scene, "SLURM_EXPORT_ENV"), ==, "NIL");
  scene_clear (&scene);
}

/* ---------------------------------------------------------------- lines */

static void
test_lines (void)
{
  static const char *const bad[] = {
    "",
    "end",
    "end 1 4 0 0 0 0 0 0 0",
    "end 1 0 0 0 0 0 0 0 0",
    "end 1 2 256 0 0 0 0 0 0",
    "run 1 2 3",
    "end 1 2 x",
    "end 1 2 -1 0 0 0 0 0 0",
    "end  1 2",
  };
  LkExit how = { .exit_code = 255,
                 .signal = 9,
                 .cancelled = 1,
                 .trouble = 2,
                 .user_cpu_us = G_MAXINT64,
                 .system_cpu_us = 3,
                 .max_rss_bytes = 1ull << 50,
                 .max_gpu_memory_bytes = 1ull << 40,
                 .max_gpu_percent = 350 };
  char line[LK_STEP_LINE_BYTES];
  LkStage stage;
  LkExit read;
  lk_run_end_print (LK_STAGE_SCRIPT, &how, line);
  g_assert_true (lk_run_end_scan (line, &stage, &read));
  g_assert_cmpint (stage, ==, LK_STAGE_SCRIPT);
  g_assert_cmpuint (read.exit_code, ==, 255);
  g_assert_cmpuint (read.signal, ==, 9);
  g_assert_cmpuint (read.cancelled, ==, 1);
  g_assert_cmpuint (read.trouble, ==, 2);
  g_assert_cmpint (read.user_cpu_us, ==, G_MAXINT64);
  g_assert_cmpint (read.system_cpu_us, ==, 3);
  g_assert_cmpuint (read.max_rss_bytes, ==, 1ull << 50);
  g_assert_cmpuint (read.max_gpu_memory_bytes, ==, 1ull << 40);
  g_assert_cmpuint (read.max_gpu_percent, ==, 350);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    g_assert_false (lk_run_end_scan (bad[i], &stage, &read));
  /* What a later version says beside. */
  g_assert_true (lk_run_end_scan ("end 2 1 3 0 0 0 1 2 3 4 5 6 7 8", &stage, &read));
  g_assert_cmpuint (read.exit_code, ==, 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step/file names as sbatch writes them", test_patterns);
  g_test_add_func ("/step/ranges are read", test_ranges);
  g_test_add_func ("/step/a node finds its share", test_share);
  g_test_add_func ("/step/nonsense is nobody's share", test_share_of_nonsense);
  g_test_add_func ("/step/tasks lie on nodes by blocks", test_tasks);
  g_test_add_func ("/step/the environment is what the node knows", test_environment);
  g_test_add_func ("/step/arrays and limits are told", test_environment_more);
  g_test_add_func ("/step/all components of a job are told", test_environment_het);
  g_test_add_func ("/step/nothing is exported where nothing is wanted", test_environment_nil);
  g_test_add_func ("/step/ends are lines", test_lines);
  return g_test_run ();
}
