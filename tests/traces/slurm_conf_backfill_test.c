/* tests/traces/slurm_conf_backfill_test.c — SchedulerType and SchedulerParameters become the policy
 * slurm. */
#include "traces/slurm_conf_backfill.h"

#include <glib/gstdio.h>
#include <string.h>

#include "policies/registry.h"
#include "traces/slurm_conf_scheduler.h"
#include "traces/trace_error.h"

/* Returns: (transfer full), the path. */
static char *
file_of (const char *lines)
{
  char *path = NULL;
  int fd = g_file_open_tmp ("lk-slurm-XXXXXX.conf", &path, NULL);
  g_assert_cmpint (fd, >=, 0);
  g_assert_true (g_close (fd, NULL));
  g_assert_true (g_file_set_contents (path, lines, -1, NULL));
  return path;
}

static char *
checked_backfill_of (const char *lines, const LkSlurmOptionCheck *check, GError **error)
{
  g_autofree char *path = file_of (lines);
  char *spec = lk_slurm_conf_backfill (path, check, error);
  g_remove (path);
  return spec;
}

/* What a file with these lines asks for; NULL with an error. */
static char *
backfill_of (const char *lines, GError **error)
{
  return checked_backfill_of (lines, NULL, error);
}

static void
test_rows (void)
{
  static const struct {
    const char *lines;
    const char *spec;
  } rows[] = {
    { "ClusterName=a\n", "slurm" },
    { "SchedulerType=sched/backfill\n", "slurm" },
    { "SchedulerType=lockstep/full\n", "full" }, /* as `scontrol show config` prints it */
    { "SchedulerType=sched/builtin\n", "slurm:builtin=1,bf_interval=30,bf_max_job_test=50" },
    { "SchedulerType=sched/builtin\nSchedulerParameters=bf_interval=60,default_queue_depth=5\n",
      "slurm:builtin=1,bf_interval=60,bf_max_job_test=50,default_queue_depth=5" },
    { "SchedulerType=sched/builtin\nSchedulerParameters=Sched_interval=2,max_job_bf=7\n",
      "slurm:builtin=1,bf_interval=2,bf_max_job_test=7,sched_interval=2" },
    { "SchedulerType=sched/builtin\nSchedulerParameters=bf_interval=0,bf_max_job_test=9\n",
      "slurm:builtin=1,bf_interval=30,bf_max_job_test=9" },
    { "schedulerparameters=BF_Window=2880,defer,bf_continue,max_rpc_cnt=100\n",
      "slurm:bf_window=2880,defer=1" },
    { "SchedulerParameters=sched_interval=-1,bf_running_job_reserve,assoc_limit_stop\n",
      "slurm:sched_interval=-1,bf_running_job_reserve=1,assoc_limit_stop=1" },
    { "SchedulerParameters=bf_hetjob_immediate,bf_hetjob_prio=AVG\n",
      "slurm:bf_hetjob_immediate=1,bf_hetjob_prio=2" },
    { "SchedulerParameters=bf_licenses,max_job_bf=50\n", "slurm:bf_licenses=1,bf_max_job_test=50" },
    { "SchedulerParameters=bf_window=1\nSchedulerParameters=bf_window=2\n", "slurm:bf_window=2" },
    { "SchedulerParameters=bf_window=1,bf_window=2,bf_licenses,bf_licenses\n",
      "slurm:bf_window=1,bf_licenses=1" },
    { "SchedulerParameters=max_job_bf=5,bf_max_job_test=6\n", "slurm:bf_max_job_test=6" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *spec = backfill_of (rows[i].lines, &error);
    g_assert_no_error (error);
    g_assert_cmpstr (spec, ==, rows[i].spec);
  }
}

/* Every option is a parameter of the policy. */
static void
test_all_known (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *spec = backfill_of (
      "SchedulerParameters=bf_interval=40,bf_window=10,bf_resolution=120,bf_max_job_test=9,"
      "bf_node_space_size=8,bf_max_job_start=7,bf_max_job_user=6,bf_max_job_assoc=5,"
      "bf_max_job_part=4,bf_max_job_user_part=3,bf_job_part_count_reserve=2,"
      "bf_max_job_array_resv=18,bf_licenses,"
      "bf_min_age_reserve=1,bf_min_prio_reserve=11,bf_window_linear=30,bf_running_job_reserve,"
      "bf_one_resv_per_job,assoc_limit_stop,default_queue_depth=12,partition_job_depth=13,"
      "sched_max_job_start=14,sched_interval=15,sched_min_interval=16,batch_sched_delay=17,defer\n",
      &error);
  g_assert_no_error (error);
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  LkSetupOptions options = { .units_total = 4,
                             .origin_us = LK_TIME_NEVER,
                             .order = "fifo",
                             .backfill = spec,
                             .select = "pool" };
  g_autoptr (LkSetup) setup = lk_setup_new (registry, &options, &error);
  g_assert_no_error (error);
  const char *canonical = lk_setup_spec (setup, LK_SEAM_BACKFILL);
  for (guint value = 1; value <= 18; value++) {
    g_autofree char *part = g_strdup_printf ("=%u,", value);
    g_assert_nonnull (strstr (canonical, part));
  }
}

static void
test_wrong (void)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (backfill_of ("\nSchedulerParameters=bf_window=soon\n", &error));
  g_assert_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX);
  g_assert_nonnull (strstr (error->message, "conf:2: "));
  g_assert_nonnull (strstr (error->message, "bf_window is 'soon'; expected a number"));
  g_clear_error (&error);
  g_assert_null (
      backfill_of ("SchedulerType=sched/builtin\nSchedulerParameters=bf_interval=soon\n", &error));
  g_assert_nonnull (strstr (error->message, "conf:2: SchedulerParameters: bf_interval is 'soon'; "
                                            "expected a number"));
  g_clear_error (&error);
  g_assert_null (backfill_of ("SchedulerParameters=bf_hetjob_prio=2\n", &error));
  g_assert_nonnull (strstr (error->message, "bf_hetjob_prio is '2'; expected min, avg or max"));
}

static char *
expect_nine (gpointer user, const char *parameter, const char *value)
{
  g_assert_cmpstr (parameter, ==, user);
  return strcmp (value, "9") == 0 ? NULL : g_strdup ("nine");
}

/* Who knows the bounds of the policy's parameters is asked about each, by its name there. */
static void
test_checked (void)
{
  g_autoptr (GError) error = NULL;
  LkSlurmOptionCheck check = { .expectation = expect_nine, .user = "bf_max_job_test" };
  g_assert_null (checked_backfill_of ("\n\nSchedulerParameters=max_job_bf=8\n", &check, &error));
  g_assert_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX);
  g_assert_nonnull (
      strstr (error->message, "conf:3: SchedulerParameters: max_job_bf is '8'; expected nine"));
  g_clear_error (&error);
  g_autofree char *spec =
      checked_backfill_of ("SchedulerParameters=max_job_bf=9\n", &check, &error);
  g_assert_cmpstr (spec, ==, "slurm:bf_max_job_test=9");
}

/* What a run does not heed is told in one line. */
static void
test_unheeded (void)
{
  static const struct {
    const char *options;
    gboolean is_slurm;
    const char *told; /* NULL: nothing */
  } rows[] = {
    { "bf_window=9,requeue_delay=3,preempt_strict_order", TRUE, NULL },
    { "max_script_size=70000", TRUE, NULL },
    { "", TRUE, NULL },
    { "bf_window=9", FALSE, " only of --backfill slurm: bf_window (" },
    { "bf_windw=9", TRUE, " unknown: bf_windw (did you mean bf_window?) (" },
    { "bf_window,qqqqq=1", TRUE, " unknown: bf_window (needs a value), qqqqq (" },
    { "max_rpc_cnt=9,bf_yield_sleep=1,xyzzy,defer", FALSE,
      " unknown: xyzzy; without effect here: max_rpc_cnt, bf_yield_sleep; only of --backfill "
      "slurm: defer (" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *lines = g_strdup_printf ("\nSchedulerParameters=%s\n", rows[i].options);
    g_autofree char *path = file_of (lines);
    g_autofree char *told = lk_slurm_scheduler_unheeded (path, rows[i].is_slurm);
    g_autofree char *expected =
        g_strdup_printf ("%s:2: SchedulerParameters:%slockstep import slurm tells why)", path,
                         rows[i].told != NULL ? rows[i].told : "");
    g_remove (path);
    g_assert_cmpstr (told, ==, rows[i].told != NULL ? expected : NULL);
  }
  g_assert_null (lk_slurm_scheduler_unheeded ("/nowhere/slurm.conf", TRUE));
}

static void
test_no_such_type (void)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (backfill_of ("\nSchedulerType=sched/backfil\n", &error));
  g_assert_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX);
  g_assert_nonnull (strstr (error->message, "conf:2: "));
  g_assert_nonnull (strstr (error->message, "SchedulerType: there is no 'sched/backfil'"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/slurm-conf-backfill/options become parameters", test_rows);
  g_test_add_func ("/slurm-conf-backfill/the policy knows them all", test_all_known);
  g_test_add_func ("/slurm-conf-backfill/a wrong number is told with its line", test_wrong);
  g_test_add_func ("/slurm-conf-backfill/bounds are those of who knows them", test_checked);
  g_test_add_func ("/slurm-conf-backfill/what a run does not heed is told", test_unheeded);
  g_test_add_func ("/slurm-conf-backfill/a scheduler that there is not", test_no_such_type);
  return g_test_run ();
}
