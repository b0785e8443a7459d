/* tests/property/machine_test.c — random machines of nodes under random jobs and random events. */
#include <glib.h>

#include "tests/property/machine_ledger.h"
#include <string.h>

int
main (int argc, char **argv)
{
  static const char *const backfills[] = { "none", "easy", "easy:reservations=3", "conservative",
                                           "replan" };
  static const char *const selects[] = { "linear", "cons_tres", "bestfit_gpu", "fgd", "topology" };
  guint64 first = argc > 1 ? g_ascii_strtoull (argv[1], NULL, 10) : 1;
  guint64 count = argc > 2 ? g_ascii_strtoull (argv[2], NULL, 10) : 100;
  guint starts = 0, rejects = 0, requeues = 0, jobs = 0, snaps = 0;
  for (guint64 seed = first; seed < first + count; seed++) {
    g_autoptr (LkMachineWorkload) w = lk_machine_workload_new (seed, 0);
    if (count == 1) {
      g_autoptr (GString) s = g_string_new (NULL);
      lk_machine_workload_print (w, s);
      g_print ("%s", s->str);
    }
    for (guint b = 0; b < 5; b++)
      for (guint k = 0; k < 5; k++) {
        LkMachineOptions o = { "fifo", backfills[b], selects[k], .unit_us = seed % 4 == 0 ? 1 : 0 };
        if (argc > 3)
          g_printerr ("seed %lu %s %s\n", (gulong)seed, backfills[b], selects[k]);
        g_autoptr (LkMachineLedger) ledger =
            lk_machine_ledger_new (w, strcmp (selects[k], "linear") == 0);
        LkMachineWatch watch = lk_machine_ledger_watch (ledger);
        o.watches = &watch;
        o.watch_count = 1;
        g_autoptr (LkMachineRun) run = lk_machine_run_new (w, &o);
        lk_machine_run_assert_replays (run);
        g_assert_cmpuint (lk_machine_ledger_count (ledger), ==, 0);
        o.watch_count = 0;
        o.snapshot_seed = seed;
        g_autoptr (LkMachineRun) again = lk_machine_run_new (w, &o);
        lk_machine_run_assert_same (run, again);
        starts += run->start_count;
        rejects += run->reject_count;
        requeues += run->requeue_count;
        jobs += w->job_count;
        snaps += again->snapshot_count;
      }
  }
  g_print ("jobs %u starts %u rejects %u requeues %u snaps %u\n", jobs, starts, rejects, requeues,
           snaps);
  return 0;
}
