/* tests/property/invariance_test.c — what must not matter does not matter.
 *
 * Names, the size of the unit, the origin of time, being told of starts: none changes a schedule.
 * Requests at random moments leave the invariants whole and replay to the same digest. */
#include <glib.h>
#include <string.h>

#include "tests/property/engine_run.h"

#define ROUNDS 25u
/* Not a whole number of seconds, nor of milliseconds. */
#define SHIFT_US G_GINT64_CONSTANT (86400123457)
#define MINUTE_US G_GINT64_CONSTANT (60000000)

static const char *const backfills[] = {
  "none",   "easy",  "easy:order=sjf", "easy:reservations=3",     "conservative",
  "replan", "slurm", "full",           "full:window=5,reorder=1", "full:offers=1,credit=0"
};
/* Those whose scores stay in step when all sizes double. */
static const char *const orders_without_size[] = { "fifo",    "lifo", "sjf",  "ljf",     "smallest",
                                                   "largest", "saf",  "sexp", "xfactor", "wfp3" };

static void
assert_same_times (const LkWorkload *workload, const LkRun *a, const LkRun *b, gint64 shift_us)
{
  for (guint i = 0; i < workload->job_count; i++) {
    const LkRunJob *left = &a->jobs[i];
    const LkRunJob *right = &b->jobs[i];
    g_assert_cmpint (left->state, ==, right->state);
    g_assert_cmpint (left->backfilled, ==, right->backfilled);
    g_assert_cmpint (left->start_us == LK_TIME_NEVER, ==, right->start_us == LK_TIME_NEVER);
    if (left->start_us == LK_TIME_NEVER)
      continue;
    g_assert_cmpint (left->start_us + shift_us, ==, right->start_us);
    g_assert_cmpint (left->end_us + shift_us, ==, right->end_us);
  }
}

static void
names_do_not_matter (gconstpointer backfill)
{
  for (guint64 seed = 1; seed <= ROUNDS * LK_BRUTE_ORDER_COUNT; seed++) {
    LkWorkload workload;
    LkRunOptions options = { .backfill = backfill };
    options.order = lk_brute_order_name ((LkBruteOrder)(seed % LK_BRUTE_ORDER_COUNT));
    lk_workload_generate (seed, &workload);
    g_autoptr (LkRun) named = lk_run_new (&workload, &options);
    options.label_factor = 0x9e3779b1;
    g_autoptr (LkRun) renamed = lk_run_new (&workload, &options);
    lk_run_assert_same (named, renamed);
  }
}

static void
origin_of_time_does_not_matter (gconstpointer backfill)
{
  for (guint64 seed = 1; seed <= ROUNDS * LK_BRUTE_ORDER_COUNT; seed++) {
    LkWorkload workload;
    LkRunOptions options = { .backfill = backfill };
    options.order = lk_brute_order_name ((LkBruteOrder)(seed % LK_BRUTE_ORDER_COUNT));
    lk_workload_generate (seed, &workload);
    g_autoptr (LkRun) early = lk_run_new (&workload, &options);
    /* Slurm's slots are whole minutes of the clock. */
    gint64 shift_us = strcmp (backfill, "slurm") == 0 ? SHIFT_US / MINUTE_US * MINUTE_US : SHIFT_US;
    options.shift_us = shift_us;
    g_autoptr (LkRun) late = lk_run_new (&workload, &options);
    assert_same_times (&workload, early, late, shift_us);
  }
}

static void
unit_does_not_matter (gconstpointer backfill)
{
  for (guint64 seed = 1; seed <= ROUNDS * G_N_ELEMENTS (orders_without_size); seed++) {
    LkWorkload workload;
    LkRunOptions options = { .backfill = backfill };
    options.order = orders_without_size[seed % G_N_ELEMENTS (orders_without_size)];
    lk_workload_generate (seed, &workload);
    g_autoptr (LkRun) single = lk_run_new (&workload, &options);
    options.size_factor = 2;
    g_autoptr (LkRun) doubled = lk_run_new (&workload, &options);
    assert_same_times (&workload, single, doubled, 0);
  }
}

static void
being_told_of_starts_does_not_matter (gconstpointer backfill)
{
  for (guint64 seed = 1; seed <= ROUNDS * LK_BRUTE_ORDER_COUNT; seed++) {
    LkWorkload workload;
    LkRunOptions options = { .backfill = backfill };
    options.order = lk_brute_order_name ((LkBruteOrder)(seed % LK_BRUTE_ORDER_COUNT));
    lk_workload_generate (seed, &workload);
    g_autoptr (LkRun) silent = lk_run_new (&workload, &options);
    options.confirms_starts = TRUE;
    g_autoptr (LkRun) told = lk_run_new (&workload, &options);
    g_assert_cmpuint (told->reject_count, ==, silent->reject_count);
    assert_same_times (&workload, silent, told, 0);
  }
}

static void
disturbed_runs_replay (gconstpointer backfill)
{
  guint reject_count = 0;
  for (guint64 seed = 1; seed <= ROUNDS * LK_BRUTE_ORDER_COUNT; seed++) {
    LkWorkload workload;
    LkRunOptions options = { .backfill = backfill };
    options.order = lk_brute_order_name ((LkBruteOrder)(seed % LK_BRUTE_ORDER_COUNT));
    options.confirms_starts = seed % 2 == 0;
    lk_workload_generate (seed, &workload);
    lk_workload_disturb (seed, &workload);
    g_autoptr (LkRun) run = lk_run_new (&workload, &options);
    lk_run_assert_replays (run);
    reject_count += run->reject_count;
  }
  g_assert_cmpuint (reject_count, >, 0);
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *name;
    GTestDataFunc run;
  } table[] = {
    { "names of users, groups and partitions do not matter", names_do_not_matter },
    { "the origin of time does not matter", origin_of_time_does_not_matter },
    { "a machine and jobs twice as large give the same schedule", unit_does_not_matter },
    { "being told of starts does not matter", being_told_of_starts_does_not_matter },
    { "runs with random requests replay to the same digest", disturbed_runs_replay },
  };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    for (guint j = 0; j < G_N_ELEMENTS (backfills); j++) {
      g_autofree char *path =
          g_strdup_printf ("/property/%s under %s", table[i].name, backfills[j]);
      g_test_add_data_func (path, backfills[j], table[i].run);
    }
  return g_test_run ();
}
