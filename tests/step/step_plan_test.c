/* tests/step/step_plan_test.c — which CPUs and program each task of a step gets. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "live/port/folder_tree.h"
#include "live/step/cpu_domains.h"
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
    const LkBindRoom room = { .cores = cores,
                              .task_count = cases[i].tasks,
                              .cpus_per_task = cases[i].each };
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

/* Two sockets, or NUMA nodes, of two of these cores each, and a node that has memory only. */
static GPtrArray *
domains_of (void)
{
  GPtrArray *domains = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
  for (guint32 i = 0; i < 2; i++) {
    const guint32 cpus[] = { 2 * i, 2 * i + 1, 2 * i + 8, 2 * i + 9 };
    GArray *domain = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_array_append_vals (domain, cpus, G_N_ELEMENTS (cpus));
    g_ptr_array_add (domains, domain);
  }
  g_ptr_array_add (domains, g_array_new (FALSE, FALSE, sizeof (guint32)));
  return domains;
}

static void
test_domains (void)
{
  static const struct {
    const char *how;
    guint cores;
    guint tasks;
    guint each;
    const char *list; /* "": not bound */
    gboolean is_fault;
  } cases[] = {
    { "sockets", 4, 2, 1, "0x303,0xC0C", FALSE },
    { "v,sockets", 4, 3, 1, "0x303,0xC0C,0x303", FALSE },
    /* Of the second one the step has a core. */
    { "ldoms", 3, 2, 1, "0x303,0x404", FALSE },
    { "ldoms", 2, 2, 1, "0x303,0x303", FALSE },
    { "sockets", 4, 1, 5, "0xF0F", FALSE },
    { "rank_ldom", 4, 2, 1, "0x303,0xC0C", FALSE },
    { "map_ldom:1,0", 4, 3, 1, "0xC0C,0x303,0xC0C", FALSE },
    { "mask_ldom:0x3,2", 4, 2, 1, "0xF0F,0xC0C", FALSE },
    { "map_ldom:2", 4, 2, 1, "", TRUE },
    { "map_ldom:0,3", 4, 2, 1, "", TRUE },
    { "mask_ldom:", 4, 2, 1, "", TRUE },
    { "boards", 4, 2, 1, "", TRUE },
    /* Cores of the node are not known. */
    { "ldoms", 0, 2, 1, "", FALSE },
  };
  g_autoptr (GPtrArray) domains = domains_of ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GPtrArray) cores = cores_of (cases[i].cores);
    const LkBindRoom room = { .cores = cores,
                              .task_count = cases[i].tasks,
                              .cpus_per_task = cases[i].each,
                              .sockets = domains,
                              .ldoms = domains };
    LkBind bind;
    g_test_message ("%s", cases[i].how);
    g_autofree char *fault = lk_bind_cpus (cases[i].how, &room, &bind);
    g_assert_cmpint (fault != NULL, ==, cases[i].is_fault);
    g_assert_cmpstr (bind.list, ==, cases[i].list);
    lk_bind_clear (&bind);
  }
  g_assert_true (lk_bind_needs_sockets ("q,sockets") && !lk_bind_needs_sockets ("cores"));
  g_assert_true (lk_bind_needs_ldoms ("v,mask_ldom:1") && !lk_bind_needs_ldoms ("sockets"));
}

static void
put_file (const char *root, const char *path, const char *text)
{
  g_autofree char *whole = g_build_filename (root, path, NULL);
  g_autofree char *folder = g_path_get_dirname (whole);
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (whole, text, -1, NULL));
}

static void
expect_domains (const char *root, LkCpuDomain kind, const char *expected)
{
  g_autoptr (GPtrArray) domains = lk_cpu_domains (root, kind);
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < domains->len; i++) {
    const GArray *cpus = g_ptr_array_index (domains, i);
    for (guint j = 0; j < cpus->len; j++)
      g_string_append_printf (text, "%u ", g_array_index (cpus, guint32, j));
    g_string_append (text, "| ");
  }
  g_assert_cmpstr (text->str, ==, expected);
}

static void
test_machine (void)
{
  static const char *const lists[] = { "0,2\n", "1,3\n", "0,2\n", "1,3\n" };
  g_autofree char *root = g_dir_make_tmp ("sysfs-XXXXXX", NULL);
  expect_domains (root, LK_CPU_DOMAIN_SOCKET, "");
  put_file (root, "devices/system/cpu/online", "0-3\n");
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    g_autofree char *path =
        g_strdup_printf ("devices/system/cpu/cpu%u/topology/package_cpus_list", i);
    put_file (root, path, lists[i]);
  }
  put_file (root, "devices/system/node/online", "0,2,4\n");
  put_file (root, "devices/system/node/node0/cpulist", "0-3\n");
  put_file (root, "devices/system/node/node2/cpulist", "\n");
  put_file (root, "devices/system/node/node4/cpulist", "4\n");
  expect_domains (root, LK_CPU_DOMAIN_SOCKET, "0 2 | 1 3 | ");
  expect_domains (root, LK_CPU_DOMAIN_NUMA, "0 1 2 3 | | | | 4 | ");
  int folder = open (root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  lk_folder_tree_remove (folder, "devices");
  close (folder);
  g_rmdir (root);
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

static void
test_lacking_programs (void)
{
  static const struct {
    const char *file;
    guint32 tasks;
    guint32 first;
  } cases[] = {
    { "0 a\n1-2 b\n", 3, 3 },
    { "0 a\n1-2 b\n", 4, 3 },
    { "# 0\n1,3 a\n", 4, 0 },
    { "0,3 a\n", 4, 1 },
    { "3 a\n* b\n", 4, 4 },
    { "0-x a\n", 2, 2 },
    { "", 1, 0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpuint (
        lk_multi_prog_first_lacking (cases[i].file, strlen (cases[i].file), cases[i].tasks), ==,
        cases[i].first);
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
  g_test_add_func ("/step_plan/tasks are bound to sockets and NUMA nodes", test_domains);
  g_test_add_func ("/step_plan/sockets and NUMA nodes are read from sysfs", test_machine);
  g_test_add_func ("/step_plan/each task runs the program of its line", test_programs);
  g_test_add_func ("/step_plan/a line that cannot be read is told of", test_bad_programs);
  g_test_add_func ("/plan/tasks that no line of a file names", test_lacking_programs);
  g_test_add_func ("/step_plan/what tasks use is counted together", test_use);
  return g_test_run ();
}
