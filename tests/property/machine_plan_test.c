/* tests/property/machine_plan_test.c — plans on nodes, GPUs and memory are those of a naive
 * scheduler (machine_plan.h): every start, its moment, nodes, cores and devices, and every planned
 * start of conservative backfilling and of full.
 *
 * LK_PROPERTY_ROUNDS=N runs more workloads for each pair of policies, LK_PROPERTY_SEED=N only that
 * one. What fails is made smaller and printed. */
#include <glib.h>

#include "tests/property/machine_plan.h"
#include "tests/property/workload.h"

#define ROUNDS_DEFAULT 120u

typedef struct {
  const char *name;
  const char *order;
  const char *backfill;
  LkNaiveOptions naive;
  guint without; /* set of LkMachineWithout */
} Backfill;

/* Conservative backfilling and full ask a job to move only where something was given back since it
 * was asked last.  That is the whole truth where less that is free never makes a placement
 * succeed. */
#define CERTAIN (LK_MACHINE_NO_PUZZLES | LK_MACHINE_NO_TOPOLOGY)

static const Backfill backfills[] = {
  { "no backfill", "fifo", "none", { .backfill = LK_NAIVE_NONE }, 0 },
  { "easy", "fifo", "easy", { .backfill = LK_NAIVE_EASY, .reservation_count = 1 }, 0 },
  { "easy with three reservations",
    "fifo",
    "easy:reservations=3",
    { .backfill = LK_NAIVE_EASY, .reservation_count = 3 },
    0 },
  { "easy with shortest first",
    "smallest",
    "easy:order=sjf,reservations=2",
    { .backfill = LK_NAIVE_EASY, .reservation_count = 2, .is_shortest_first = TRUE },
    0 },
  { "conservative", "fifo", "conservative", { .backfill = LK_NAIVE_CONSERVATIVE }, CERTAIN },
  { "conservative by area", "saf", "conservative", { .backfill = LK_NAIVE_CONSERVATIVE }, CERTAIN },
  { "full", "fifo", "full", { .backfill = LK_NAIVE_FULL }, CERTAIN },
  { "full by area", "saf", "full", { .backfill = LK_NAIVE_FULL }, CERTAIN },
  { "full with a window",
    "fifo",
    "full:window=3",
    { .backfill = LK_NAIVE_FULL, .window_us = G_GINT64_CONSTANT (180) * G_USEC_PER_SEC },
    CERTAIN },
  { "full by area with a window",
    "saf",
    "full:window=1",
    { .backfill = LK_NAIVE_FULL, .window_us = G_GINT64_CONSTANT (60) * G_USEC_PER_SEC },
    CERTAIN },
  { "full with one offer a pass",
    "fifo",
    "full:offers=1,credit=0",
    { .backfill = LK_NAIVE_FULL, .offers = 1 },
    CERTAIN },
  { "full by area with one offer a pass and a window",
    "saf",
    "full:window=2,offers=1,credit=3",
    { .backfill = LK_NAIVE_FULL,
      .window_us = G_GINT64_CONSTANT (120) * G_USEC_PER_SEC,
      .offers = 1,
      .credit_max = 3 },
    CERTAIN },
  { "replan", "fifo", "replan", { .backfill = LK_NAIVE_REPLAN }, 0 },
};

static const char *const selects[] = { "linear", "cons_tres", "bestfit_gpu", "topology",
                                       "fgd:workload=1:0:0:1;2:1:0:1" };

typedef struct {
  const Backfill *backfill;
  const char *select;
} Case;

/* What is different; empty: nothing. Returns: (transfer full). */
static char *
difference (const Case *one, const LkMachineWorkload *workload, gint64 unit_us)
{
  LkMachineOptions options = { .order = one->backfill->order,
                               .backfill = one->backfill->backfill,
                               .select = one->select,
                               .unit_us = unit_us };
  g_autoptr (LkNaive) naive = lk_naive_new (workload, &options, &one->backfill->naive);
  LkMachineWatch watch = lk_naive_watch (naive);
  options.watches = &watch;
  options.watch_count = 1;
  lk_machine_run_free (lk_machine_run_new (workload, &options));
  return g_strdup (lk_naive_report (naive));
}

static gboolean
is_different (const Case *one, const LkMachineWorkload *workload, gint64 unit_us)
{
  g_autofree char *text = difference (one, workload, unit_us);
  return text[0] != '\0';
}

/* Leaves out what is not needed for a difference. */
static void
shrink (const Case *one, LkMachineWorkload *workload, gint64 unit_us)
{
  for (guint i = workload->change_count; i-- > 0;) {
    LkMachineChange change = workload->changes[i];
    lk_machine_workload_drop_change (workload, i);
    if (!is_different (one, workload, unit_us))
      workload->changes[workload->change_count++] = change;
  }
  for (guint i = workload->job_count; i-- > 0;) {
    g_autofree LkMachineWorkload *before = g_memdup2 (workload, sizeof *workload);
    lk_machine_workload_drop_job (workload, i);
    if (workload->job_count == 0 || !is_different (one, workload, unit_us))
      *workload = *before;
  }
}

static void
report (const Case *one, guint64 seed, LkMachineWorkload *workload, gint64 unit_us)
{
  g_autoptr (GString) out = g_string_new (NULL);
  shrink (one, workload, unit_us);
  g_autofree char *text = difference (one, workload, unit_us);
  g_string_append_printf (out, "seed=%" G_GUINT64_FORMAT " backfill=%s select=%s\n", seed,
                          one->backfill->backfill, one->select);
  lk_machine_workload_print (workload, out);
  g_printerr ("%s%s\n", out->str, text);
}

static guint64
from_environment (const char *name, guint64 otherwise)
{
  const char *text = g_getenv (name);
  return text == NULL ? otherwise : g_ascii_strtoull (text, NULL, 10);
}

static void
agrees (gconstpointer data)
{
  guint64 only_seed = from_environment ("LK_PROPERTY_SEED", 0);
  guint64 rounds = from_environment ("LK_PROPERTY_ROUNDS", ROUNDS_DEFAULT);
  const Backfill *backfill = data;
  for (guint s = 0; s < G_N_ELEMENTS (selects); s++) {
    Case one = { backfill, selects[s] };
    guint64 base = 1 + (guint64)(backfill - backfills) * 1000000;
    for (guint64 round = 0; round < (only_seed != 0 ? 1 : rounds); round++) {
      guint64 seed = only_seed != 0 ? only_seed : base + round;
      /* Where a second is a microsecond, moments that touch are told from those that do not. */
      gint64 unit_us = seed % 4 == 0 ? 1 : G_USEC_PER_SEC;
      g_autoptr (LkMachineWorkload) workload = lk_machine_workload_new (seed, backfill->without);
      if (is_different (&one, workload, unit_us)) {
        report (&one, seed, workload, unit_us);
        g_test_fail ();
        break;
      }
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (backfills); i++) {
    g_autofree char *path =
        g_strdup_printf ("/property/plans of %s are the naive ones", backfills[i].name);
    g_test_add_data_func (path, &backfills[i], agrees);
  }
  return g_test_run ();
}
