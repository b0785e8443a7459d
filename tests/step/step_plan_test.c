/* tests/step/step_plan_test.c — which CPUs, GPUs and program each task of a step gets. */
#include <string.h>

#include "live/step/multi_prog.h"
#include "live/step/task_bind.h"
#include "live/step/task_usage.h"

/* ---------------------------------------------------------------- CPUs */

/* Cores of two hardware threads each: core i has CPUs i and i + 8. */
static GPtrArray *
cores_of (guint count)
{
  GPtrArray *cores = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
  for (guint32 i = 0; i < count; i++) {
    const guint32 cpus[] = { i, i + 8 };
    GArray *core = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_array_append_vals (core, cpus, G_N_ELEMENTS (cpus));
    g_ptr_array_add (cores, core);
  }
  return cores;
}

static void
test_cpus (void)
{
  static const struct {
    const char *how;
    guint cores;
    guint tasks;
    guint each;
    const char *type;
    const char *list;
    gboolean is_verbose;
    gboolean is_fault;
  } cases[] = {
    /* As many cores as are needed, or as many CPUs: that is plain. */
    { "", 2, 2, 1, "mask_cpu:", "0x101,0x202", FALSE, FALSE },
    { "", 2, 2, 2, "mask_cpu:", "0x101,0x202", FALSE, FALSE },
    { "", 4, 2, 1, "none", "", FALSE, FALSE },
    { "quiet", 2, 2, 1, "mask_cpu:", "0x101,0x202", FALSE, FALSE },
    { "none", 2, 2, 1, "none", "", FALSE, FALSE },
    { "verbose,none", 2, 2, 1, "none", "", TRUE, FALSE },
    { "cores", 4, 2, 1, "mask_cpu:", "0x101,0x202", FALSE, FALSE },
    { "q,cores", 4, 2, 3, "mask_cpu:", "0x303,0xC0C", FALSE, FALSE },
    { "cores", 2, 3, 1, "mask_cpu:", "0x101,0x202,0x101", FALSE, FALSE },
    { "threads", 2, 4, 1, "mask_cpu:", "0x1,0x100,0x2,0x200", FALSE, FALSE },
    { "rank", 2, 2, 2, "mask_cpu:", "0x1,0x100", FALSE, FALSE },
    { "v,map_cpu:3,0x4", 2, 3, 1, "mask_cpu:", "0x8,0x10,0x8", TRUE, FALSE },
    { "map_cpu:1*2,0", 0, 3, 1, "mask_cpu:", "0x2,0x2,0x1", FALSE, FALSE },
    { "mask_cpu:0xf0,3", 2, 2, 1, "mask_cpu:", "0xF0,0x3", FALSE, FALSE },
    { "cores", 0, 2, 1, "none", "", FALSE, FALSE },
    { "map_cpu:", 2, 2, 1, "none", "", FALSE, TRUE },
    { "mask_cpu:0x0", 2, 2, 1, "none", "", FALSE, TRUE },
    { "mask_cpu:0xg", 2, 2, 1, "none", "", FALSE, TRUE },
    { "sockets", 2, 2, 1, "none", "", FALSE, TRUE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GPtrArray) cores = cores_of (cases[i].cores);
    const LkBindRoom room = { cores, cases[i].tasks, cases[i].each };
    LkBind bind;
    g_test_message ("%s", cases[i].how);
    g_autofree char *fault = lk_bind_cpus (cases[i].how, &room, &bind);
    g_assert_cmpint (fault != NULL, ==, cases[i].is_fault);
    g_assert_cmpstr (bind.type, ==, cases[i].type);
    g_assert_cmpstr (bind.list, ==, cases[i].list);
    g_assert_cmpint (bind.is_verbose, ==, cases[i].is_verbose);
    g_assert_cmpint (bind.cpus != NULL, ==, strcmp (cases[i].type, "none") != 0);
    lk_bind_clear (&bind);
  }
}

/* ---------------------------------------------------------------- GPUs */

static void
test_gpus (void)
{
  static const guint32 all[] = { 2, 3, 6, 7 };
  static const struct {
    const char *how;
    guint per_task;
    guint task;
    const char *seen;
  } cases[] = {
    { "", 0, 1, "2,3,6,7" },
    { "", 1, 0, "2" },
    { "", 2, 1, "6,7" },
    /* More than there is. */
    { "", 2, 2, "2,3,6,7" },
    { "none", 2, 1, "2,3,6,7" },
    { "closest", 0, 1, "2,3,6,7" },
    { "single:1", 0, 2, "6" },
    { "verbose,single:2", 0, 3, "3" },
    { "single:1", 0, 5, "3" },
    { "per_task:2", 0, 1, "6,7" },
    { "map_gpu:3,0", 0, 0, "7" },
    { "map_gpu:3,0", 0, 3, "2" },
    { "mask_gpu:0x3,0xc", 0, 1, "6,7" },
    { "mask_gpu:0", 0, 1, "2,3,6,7" },
    { "map_gpu:9", 0, 0, "2,3,6,7" },
  };
  g_autoptr (GArray) gpus = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_vals (gpus, all, G_N_ELEMENTS (all));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GArray) seen = lk_bind_gpus (cases[i].how, gpus, cases[i].per_task, cases[i].task);
    g_autoptr (GString) text = g_string_new (NULL);
    for (guint j = 0; j < seen->len; j++)
      g_string_append_printf (text, "%s%u", j > 0 ? "," : "", g_array_index (seen, guint32, j));
    g_test_message ("%s, %u, %u", cases[i].how, cases[i].per_task, cases[i].task);
    g_assert_cmpstr (text->str, ==, cases[i].seen);
  }
}

/* ---------------------------------------------------------------- programs */

static void
test_programs (void)
{
  static const char file[] = "# which runs what\n"
                             "\n"
                             "4-6,9    hostname\n"
                             "1,7      echo task:%t \"in quotes %o\"\n"
                             "0        echo a\\ b \\\n"
                             "         on 'x y'\n"
                             "*        echo other:%o # not this\n";
  static const struct {
    guint32 task;
    const char *words;
  } cases[] = {
    { 5, "hostname" },
    { 9, "hostname" },
    { 1, "echo|task:1|in quotes 0" },
    { 7, "echo|task:7|in quotes 1" },
    { 0, "echo|a b|on|x y" },
    { 2, "echo|other:2" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *fault = NULL;
    g_auto (GStrv) words = lk_multi_prog_arguments (file, strlen (file), cases[i].task, &fault);
    g_assert_nonnull (words);
    g_autofree char *text = g_strjoinv ("|", words);
    g_assert_cmpstr (text, ==, cases[i].words);
  }
}

static void
test_bad_programs (void)
{
  static const struct {
    const char *file;
    const char *fault;
  } cases[] = {
    { "1 echo\n", "no program is named for task 0" },
    { "0\n", "line 1 of the configuration file is invalid: 0" },
    { "1 x\n0 echo 'a\n", "line 2" },
    { "0-x echo\n", "line 1" },
    { "3-1 echo\n", "line 1" },
    { "", "no program" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *fault = NULL;
    g_assert_null (lk_multi_prog_arguments (cases[i].file, strlen (cases[i].file), 0, &fault));
    g_assert_nonnull (strstr (fault, cases[i].fault));
  }
}

/* ---------------------------------------------------------------- use */

/* Sums of all tasks, and which of them had most and least. */
static void
test_use (void)
{
  const LkTaskUse uses[] = {
    { .user_cpu_us = 5, .system_cpu_us = 1, .rss_bytes = 10, .page_count = 0 },
    { .user_cpu_us = 2, .system_cpu_us = 2, .rss_bytes = 30, .vm_bytes = 7 },
    { .user_cpu_us = 9, .system_cpu_us = 0, .rss_bytes = 20, .vm_bytes = 7 },
  };
  LkStepReport report = { 0 };
  for (guint i = 0; i < G_N_ELEMENTS (uses); i++)
    lk_task_use_add (&report, &uses[i], 4 + i);
  g_assert_cmpuint (report.counted_tasks, ==, 3);
  g_assert_cmpint (report.user_cpu_us, ==, 16);
  g_assert_cmpint (report.cpu_min_us, ==, 4);
  g_assert_cmpuint (report.cpu_min_task, ==, 5);
  g_assert_cmpuint (report.rss_sum_bytes, ==, 60);
  g_assert_cmpuint (report.rss_max_bytes, ==, 30);
  g_assert_cmpuint (report.rss_max_task, ==, 5);
  g_assert_cmpuint (report.vm_max_task, ==, 5);
  g_assert_cmpuint (report.page_max_task, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step_plan/tasks are bound to CPUs as they are told", test_cpus);
  g_test_add_func ("/step_plan/tasks see the GPUs that they are told", test_gpus);
  g_test_add_func ("/step_plan/each task runs the program of its line", test_programs);
  g_test_add_func ("/step_plan/a line that cannot be read is told of", test_bad_programs);
  g_test_add_func ("/step_plan/what tasks use is counted together", test_use);
  return g_test_run ();
}
