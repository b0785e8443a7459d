/* tests/property/accounts_test.c — random accounts, QOS and limits over random machines and jobs.
 *
 * A naive model (accounts_model.h) looks on: no start breaks a limit, nobody is kept from starting
 * whom no limit holds, use is what it should be.  The same events give the same decisions again,
 * restarts from snapshots change nothing, names are but names, and without limits accounts make no
 * difference.
 *
 * LK_PROPERTY_ROUNDS=N runs more workloads for each backfill policy, LK_PROPERTY_SEED=N only that
 * one. */
#include <glib.h>
#include <string.h>

#include "tests/property/machine_audit.h"
#include "tests/property/accounts_model.h"
#include "tests/property/engine_run.h"

#define ROUNDS_DEFAULT 60u

static const char *const backfills[] = { "none",  "easy", "conservative", "replan",
                                         "slurm", "full", "full:window=5" };

static guint64
from_environment (const char *name, guint64 otherwise)
{
  const char *text = g_getenv (name);
  return text == NULL ? otherwise : g_ascii_strtoull (text, NULL, 10);
}

/* Calls `one` for each seed of the test. */
static void
each_seed (const char *backfill, void (*one) (guint64 seed, const char *backfill))
{
  guint64 only_seed = from_environment ("LK_PROPERTY_SEED", 0);
  guint64 rounds = from_environment ("LK_PROPERTY_ROUNDS", ROUNDS_DEFAULT);
  guint64 base = 1;
  for (guint i = 0; strcmp (backfills[i], backfill) != 0; i++)
    base += 10000000;
  for (guint64 round = 0; round < (only_seed != 0 ? 1 : rounds); round++) {
    guint64 seed = only_seed != 0 ? only_seed : base + round;
    /* The last line of what a failed test prints. */
    g_test_message ("seed=%" G_GUINT64_FORMAT, seed);
    one (seed, backfill);
  }
}

/* ---------------------------------------------------------------- limits hold, and nothing else */

typedef struct {
  guint start;
  guint blocked;
  guint killed;
} Tally;

static Tally tally;

static void
hold_one (guint64 seed, const char *backfill)
{
  g_autoptr (LkAccountsWorkload) workload = lk_accounts_workload_new (seed, 0);
  gboolean head_starts = strcmp (backfill, "none") == 0 || strcmp (backfill, "easy") == 0;
  g_autoptr (LkAccountsModel) model = lk_accounts_model_new (workload, head_starts);
  LkMachineWatch watch = lk_accounts_model_watch (model);
  LkMachineOptions options = lk_accounts_workload_options (workload);
  options.backfill = backfill;
  options.watches = &watch;
  options.watch_count = 1;
  if (g_getenv ("LK_PROPERTY_SEED") != NULL) {
    g_autoptr (GString) text = g_string_new (NULL);
    lk_accounts_workload_print (workload, text);
    g_printerr ("%s", text->str);
  }
  g_autoptr (LkMachineRun) run = lk_machine_run_new (workload->machine, &options);
  lk_machine_run_assert_replays (run);
  lk_machine_run_assert_audited (workload->machine, &options, run);
  options.watch_count = 0;
  options.snapshot_seed = seed;
  g_autoptr (LkMachineRun) restarted = lk_machine_run_new (workload->machine, &options);
  lk_machine_run_assert_same (run, restarted);
  tally.start += run->start_count;
  tally.blocked += lk_accounts_model_blocked_count (model);
  tally.killed += lk_accounts_model_killed_count (model);
}

static void
limits_hold (gconstpointer backfill)
{
  tally = (Tally){ 0 };
  each_seed (backfill, hold_one);
  g_test_message ("%u starts, %u held, %u ended", tally.start, tally.blocked, tally.killed);
}

/* ---------------------------------------------------------------- names */

static void
rename_one (guint64 seed, const char *backfill)
{
  g_autoptr (LkAccountsWorkload) workload = lk_accounts_workload_new (seed, 0);
  g_autoptr (LkAccountsWorkload) renamed = lk_accounts_workload_new (seed, 0);
  lk_accounts_workload_rename (renamed);
  LkMachineOptions options = lk_accounts_workload_options (workload);
  LkMachineOptions other_options = lk_accounts_workload_options (renamed);
  options.backfill = other_options.backfill = backfill;
  g_autoptr (LkMachineRun) run = lk_machine_run_new (workload->machine, &options);
  g_autoptr (LkMachineRun) other = lk_machine_run_new (renamed->machine, &other_options);
  lk_run_assert_bytes (run->log, other->log);
  g_assert_true (lk_digest_value_equal (run->digest, other->digest));
}

static void
names_do_not_matter (gconstpointer backfill)
{
  each_seed (backfill, rename_one);
}

/* ---------------------------------------------------------------- no limits */

static void
free_one (guint64 seed, const char *backfill)
{
  static const char *const orders[] = { "fifo", "sjf", "multifactor", "basic" };
  g_autoptr (LkAccountsWorkload) workload = lk_accounts_workload_new (seed, LK_ACCOUNTS_NO_LIMITS);
  LkMachineOptions options = lk_accounts_workload_options (workload);
  options.backfill = backfill;
  options.order = orders[seed % G_N_ELEMENTS (orders)];
  g_autoptr (LkMachineRun) run = lk_machine_run_new (workload->machine, &options);
  options.accounts = NULL;
  g_autoptr (LkMachineRun) plain = lk_machine_run_new (workload->machine, &options);
  for (guint i = 0; i < workload->machine->job_count; i++)
    g_assert_cmpint (run->start_us[i], ==, plain->start_us[i]);
}

static void
accounts_alone_change_nothing (gconstpointer backfill)
{
  each_seed (backfill, free_one);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (backfills); i++) {
    g_autofree char *hold =
        g_strdup_printf ("/property/limits hold, and hold nobody else, under %s", backfills[i]);
    g_autofree char *names =
        g_strdup_printf ("/property/names of accounts do not matter under %s", backfills[i]);
    g_autofree char *alone = g_strdup_printf (
        "/property/accounts without limits change no start under %s", backfills[i]);
    g_test_add_data_func (hold, backfills[i], limits_hold);
    g_test_add_data_func (names, backfills[i], names_do_not_matter);
    g_test_add_data_func (alone, backfills[i], accounts_alone_change_nothing);
  }
  return g_test_run ();
}
