/* tests/traces/preempt_conf_test.c — the preempt policy that a slurm.conf asks for: the words of
 * its keys, those of older versions, and what is refused.  The two recorded clusters are those of
 * the recordings of preemption. */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "traces/preempt_conf.h"

/* The policy, or the message behind the folder. Returns: (transfer full). */
static char *
preempt_with (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("preempt-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "slurm.conf", NULL);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  char *spec = lk_slurm_conf_preempt (path, &error);
  char *result = spec != NULL ? spec : g_strdup (error->message + strlen (folder) + 1);
  g_remove (path);
  g_rmdir (folder);
  return result;
}

static const struct {
  const char *text;
  const char *spec;
} rows[] = {
  { "", "none" },
  { "PreemptType=preempt/none\n", "none" },
  /* A type without a mode is off. */
  { "PreemptType=preempt/qos\n", "none" },
  { "PreemptType=preempt/qos\nPreemptMode=OFF\n", "none" },
  /* A mode without a type displaces nobody. */
  { "PreemptMode=CANCEL\n", "none" },
  /* But takes turns. */
  { "PreemptMode=GANG\n", "gang" },
  { "PreemptType=preempt/none\nPreemptMode=GANG\nSchedulerTimeSlice=10\n", "gang:slice_s=10" },
  { "PreemptMode=GANG\nSchedulerTimeSlice=4\n", "gang" },
  { "PreemptType=preempt/qos\nPreemptMode=cancel\n", "qos:mode=cancel" },
  { "PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE,WITHIN,PRIORITY\n",
    "partition_prio:mode=requeue,within=1,priority=1" },
  { "PreemptType=preempt/qos\nPreemptMode=CANCEL\nPreemptExemptTime=00:10:00\n",
    "qos:mode=cancel,exempt_s=600" },
  { "PreemptType=preempt/qos\nPreemptMode=CANCEL\nPreemptExemptTime=-1\n", "qos:mode=cancel" },
  { "PreemptType=preempt/qos\nPreemptMode=CANCEL\nKillWait=60\n", "qos:mode=cancel,hold_s=70" },
  { "PreemptType=preempt/qos\nPreemptMode=CANCEL\n"
    "PreemptParameters=youngest_first,reorder_count=4,strict_order,min_exempt_priority=9,"
    "reclaim_licenses,send_user_signal\n",
    "qos:mode=cancel,youngest_first=1,reorder_count=4,strict_order=1,min_exempt_priority=9,"
    "reclaim_licenses=1,send_user_signal=1" },
  { "PreemptType=preempt/partition_prio\nPreemptMode=SUSPEND,GANG\n",
    "partition_prio:mode=suspend,gang=1" },
  { "PreemptType=preempt/qos\nPreemptMode=GANG,REQUEUE\nSchedulerTimeSlice=60\n",
    "qos:mode=requeue,gang=1,slice_s=60" },
  /* Slurm takes the standard one instead of a slice that is too short. */
  { "PreemptType=preempt/qos\nPreemptMode=GANG,CANCEL\nSchedulerTimeSlice=4\n",
    "qos:mode=cancel,gang=1" },
  { "PreemptType=preempt/partition_prio\nPreemptMode=SUSPEND\n",
    "slurm.conf:2: PreemptMode is 'SUSPEND'; expected GANG beside SUSPEND, as Slurm does" },
  /* The recorded cluster 08; its other words are not of preemption. */
  { "KillWait=1\nMessageTimeout=60\n"
    "SchedulerParameters=bf_interval=1,preempt_youngest_first,preempt_reorder_count=3,"
    "requeue_delay=1\n"
    "PreemptType=preempt/qos\nPreemptMode=REQUEUE\nPreemptExemptTime=0\n",
    "qos:mode=requeue,exempt_s=0,youngest_first=1,reorder_count=3,hold_s=61" },
  { "PreemptType=preempt/lottery\n",
    "slurm.conf:1: PreemptType: there is no 'preempt/lottery'; did you mean "
    "'preempt/none'?" },
  { "PreemptType=preempt/qos\nPreemptMode=kill\n",
    "slurm.conf:2: PreemptMode: there is no 'kill'; there are: off, cancel, requeue, suspend, "
    "gang, "
    "within, priority" },
  { "PreemptType=preempt/qos\nPreemptMode=CANCEL\nPreemptExemptTime=soon\n",
    "slurm.conf:3: PreemptExemptTime is 'soon'; expected minutes or "
    "[days-]hours:minutes:seconds, or -1 for none" },
  { "PreemptType=preempt/qos\nPreemptMode=CANCEL\nPreemptParameters=reorder_count=x\n",
    "slurm.conf:3: PreemptParameters: reorder_count is 'x'; expected a number, at most 1000" },
  { "PreemptType=preempt/qos\nPreemptMode=CANCEL\nPreemptParameters=oldest_first\n",
    "slurm.conf:3: PreemptParameters: there is no 'oldest_first'; expected youngest_first, "
    "reorder_count=N, strict_order, min_exempt_priority=N, reclaim_licenses, send_user_signal or "
    "suspend_grace_time=N" },
  { "PreemptType=preempt/qos\nPreemptMode=CANCEL\n"
    "SchedulerParameters=defer,preempt_reorder_count=1001\n",
    "slurm.conf:3: SchedulerParameters: preempt_reorder_count is '1001'; expected a number, at "
    "most 1000" },
  { "PreemptType=preempt/qos\nPreemptMode=CANCEL\nSchedulerParameters=preempt_x\n",
    "slurm.conf:3: SchedulerParameters: there is no 'preempt_x'; expected preempt_youngest_first, "
    "preempt_reorder_count=N or preempt_strict_order" },
};

static void
test_conf (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *spec = preempt_with (rows[i].text);
    g_assert_cmpstr (spec, ==, rows[i].spec);
  }
}

static void
test_no_file (void)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (lk_slurm_conf_preempt ("nowhere/slurm.conf", &error));
  g_assert_nonnull (error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/preempt conf/what slurm.conf asks for", test_conf);
  g_test_add_func ("/preempt conf/no file", test_no_file);
  return g_test_run ();
}
