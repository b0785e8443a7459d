/* tests/sim/verb_import_test.c — `lockstep import slurm`: the page it writes, its report, its exit
 * codes. */
#include "sim/verb_import.h"

#include <glib/gstdio.h>
#include <stdlib.h>

#include "sim/verb.h"
#include "traces/cluster_yaml.h"
#include "traces/slurm_conf.h"

#define MICRO LK_SOURCE_DIR "/tests/fixtures/slurm-conf/micro/slurm.conf"

/* Runs with words parted by spaces. */
static int
verb_run (const char *words)
{
  g_auto (GStrv) argv = g_strsplit (words, " ", -1);
  /* The parser moves the pointers about; the strings stay ours. */
  g_autofree char **borrowed = g_new0 (char *, g_strv_length (argv) + 1);
  for (guint i = 0; argv[i]; i++)
    borrowed[i] = argv[i];
  return lk_verb_import ((int)g_strv_length (argv), borrowed);
}

/* Runs in a child, so that what is printed can be looked at. */
static void
expect_run (int code, const char *words)
{
  if (g_test_subprocess ())
    exit (verb_run (words));
  g_test_trap_subprocess (NULL, 0, 0);
  if (code == 0)
    g_test_trap_assert_passed ();
  else
    g_test_trap_assert_failed ();
}

static void
page_check (void)
{
  g_autofree char *folder = g_dir_make_tmp ("lk-import-XXXXXX", NULL);
  g_autofree char *output = g_build_filename (folder, "cluster.yaml", NULL);
  g_autofree char *words = g_strdup_printf ("import slurm " MICRO " --json --output %s", output);
  g_assert_cmpint (verb_run (words), ==, 0);
  g_autoptr (GError) error = NULL;
  g_autoptr (LkCluster) page = lk_cluster_yaml_read (output, &error);
  g_assert_no_error (error);
  g_autoptr (LkSlurmImport) import =
      lk_slurm_import_new (&(LkSlurmImportOptions){ .conf_path = MICRO }, &error);
  g_assert_no_error (error);
  g_autoptr (GString) expected = g_string_new (NULL);
  g_autoptr (GString) found = g_string_new (NULL);
  lk_cluster_text (lk_slurm_import_cluster (import), expected);
  lk_cluster_text (page, found);
  g_assert_cmpstr (found->str, ==, expected->str);
  g_assert_cmpint (g_unlink (output), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_page (void)
{
  if (g_test_subprocess ()) {
    page_check ();
    return;
  }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
}

static void
test_report (void)
{
  expect_run (0, "import slurm " MICRO);
  g_test_trap_assert_stdout (
      "micro: 10 nodes, 120 CPUs, 2 GPUs, 2 partitions\n"
      "114 keys and lines: 73 understood, 3 approximated, 38 ignored\n"
      "scheduled as by --backfill slurm:bf_max_job_user=200,*\n"
      "\n"
      "approximated\n"
      "  part of hold_s of the preempt policy\n"
      "      slurm.conf:13  MessageTimeout=60\n"
      "  bf_max_job_user: of --backfill slurm; bf_window: of --backfill slurm;*"
      "bf_max_time ignored: no loop is cut off by the wall clock;*\n"
      "      slurm.conf:50  SchedulerParameters=bf_max_job_user=200,*...\n"
      "  gres.conf gives g1 1 of 'gpu'; the 2 of slurm.conf count\n"
      "      slurm.conf:108  NodeName=g1: Gres=gpu:2\n"
      "\n"
      "ignored\n*");
}

static void
test_full_report (void)
{
  expect_run (0, "import slurm --report " MICRO);
  g_test_trap_assert_stdout ("*\nunderstood\n  the name of the machine, in lower case\n"
                             "      slurm.conf:1  ClusterName=micro\n*");
}

static void
test_json (void)
{
  expect_run (0, "import slurm --json " MICRO);
  g_test_trap_assert_stdout ("{\n  \"name\": \"micro\",\n  \"nodes\": 10,*\"keys\": [*"
                             "\"line\": 108,*\"verdict\": \"approximated\",*");
}

static void
test_standard_output (void)
{
  expect_run (0, "import slurm -o - " MICRO);
  g_test_trap_assert_stdout ("# From slurm.conf by lockstep import slurm: 73 keys and lines "
                             "understood, 3 approximated, 38 ignored.\nname: micro\n*");
  g_test_trap_assert_stderr ("micro: 10 nodes,*");
}

static void
test_no_file (void)
{
  expect_run (1, "import slurm none.conf");
  g_test_trap_assert_stderr ("lockstep import: cannot read 'none.conf': *");
}

static void
test_no_option (void)
{
  expect_run (2, "import slurm");
  g_test_trap_assert_stderr ("lockstep import: expected 1 argument, found 0; see --help\n");
}

static void
test_no_subverb (void)
{
  expect_run (2, "import slrm");
  g_test_trap_assert_stderr ("lockstep import: unknown sub-verb 'slrm'; did you mean 'slurm'?\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/verb-import/the page reads back to the same cluster", test_page);
  g_test_add_func ("/verb-import/the report counts, and says what is not understood", test_report);
  g_test_add_func ("/verb-import/the full report has every key", test_full_report);
  g_test_add_func ("/verb-import/the report as JSON has every key", test_json);
  g_test_add_func ("/verb-import/the page on standard output leaves the report to standard error",
                   test_standard_output);
  g_test_add_func ("/verb-import/a file that is not there", test_no_file);
  g_test_add_func ("/verb-import/no file given", test_no_option);
  g_test_add_func ("/verb-import/a mistyped sub-verb", test_no_subverb);
  return g_test_run ();
}
