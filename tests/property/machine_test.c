/* tests/property/machine_test.c — random machines of nodes under random jobs and random events:
 * cancels, holds, requeues, nodes that go down, are drained and come back, ends that are early and
 * late.
 *
 * Never is a core, a GPU, a byte, a share or a licence held twice, or lost, or had by somebody who
 * did not ask for it (machine_ledger.h).  The same events give the same decisions again, and
 * restarts from snapshots change nothing.  On one node of whole cores the machine is a counted
 * pool.
 *
 * LK_PROPERTY_ROUNDS=N runs more workloads for each pair of policies, LK_PROPERTY_SEED=N only that
 * one. */
#include <glib.h>
#include <string.h>

#include "engine/crc32c.h"
#include "tests/property/machine_audit.h"
#include "tests/property/engine_run.h"
#include "tests/property/machine_ledger.h"

#define ROUNDS_DEFAULT 25u
#define FORGED_EACH 40u

static const char *const orders[] = { "fifo", "lifo", "sjf", "saf", "wfp3", "unicef", "largest" };
static const char *const backfills[] = { "none",
                                         "easy",
                                         "easy:reservations=3",
                                         "conservative",
                                         "replan",
                                         "slurm",
                                         "full",
                                         "full:window=5,offers=1,credit=2" };
static const char *const selects[] = { "linear", "cons_tres", "bestfit_gpu", "fgd", "topology" };

static guint64
from_environment (const char *name, guint64 otherwise)
{
  const char *text = g_getenv (name);
  return text == NULL ? otherwise : g_ascii_strtoull (text, NULL, 10);
}

static LkMachineOptions
options_of (guint64 seed, const char *backfill, const char *select)
{
  LkMachineOptions options = { .backfill = backfill, .select = select };
  options.order = orders[seed % G_N_ELEMENTS (orders)];
  /* Where a second is a microsecond, moments that touch are told from those that do not. */
  options.unit_us = seed % 4 == 0 ? 1 : G_USEC_PER_SEC;
  return options;
}

static guint
run_one (guint64 seed, const char *backfill, const char *select)
{
  g_autoptr (LkMachineWorkload) workload = lk_machine_workload_new (seed, 0);
  g_autoptr (LkMachineLedger) ledger =
      lk_machine_ledger_new (workload, strcmp (select, "linear") == 0);
  LkMachineWatch watch = lk_machine_ledger_watch (ledger);
  LkMachineOptions options = options_of (seed, backfill, select);
  options.watches = &watch;
  options.watch_count = 1;
  g_autoptr (LkMachineRun) run = lk_machine_run_new (workload, &options);
  g_assert_cmpuint (lk_machine_ledger_count (ledger), ==, 0);
  lk_machine_run_assert_replays (run);
  lk_machine_run_assert_audited (workload, &options, run);
  options.watch_count = 0;
  options.snapshot_seed = seed;
  g_autoptr (LkMachineRun) restarted = lk_machine_run_new (workload, &options);
  lk_machine_run_assert_same (run, restarted);
  return run->start_count;
}

static void
nothing_is_held_twice (gconstpointer backfill)
{
  guint64 only_seed = from_environment ("LK_PROPERTY_SEED", 0);
  guint64 rounds = from_environment ("LK_PROPERTY_ROUNDS", ROUNDS_DEFAULT);
  guint start_count = 0;
  guint64 base = 1;
  for (guint i = 0; strcmp (backfills[i], backfill) != 0; i++)
    base += 10000000;
  for (guint s = 0; s < G_N_ELEMENTS (selects); s++)
    for (guint64 round = 0; round < (only_seed != 0 ? 1 : rounds); round++) {
      guint64 seed = only_seed != 0 ? only_seed : base + s * 1000000 + round;
      /* The last line of what a failed test prints. */
      g_test_message ("seed=%" G_GUINT64_FORMAT " select=%s", seed, selects[s]);
      start_count += run_one (seed, backfill, selects[s]);
    }
  g_assert_cmpuint (start_count, >, only_seed != 0 ? 0 : (guint)rounds);
}

/* Whatever jobs ask for, what is held exists, and is held once. */
static void
any_request_does_no_harm (gconstpointer backfill)
{
  guint64 rounds = from_environment ("LK_PROPERTY_ROUNDS", ROUNDS_DEFAULT);
  guint start_count = 0;
  for (guint64 seed = 1; seed <= 4 * rounds; seed++) {
    const char *select = selects[seed % G_N_ELEMENTS (selects)];
    LkMachineOptions options = options_of (seed, backfill, select);
    g_autoptr (LkMachineWorkload) workload = lk_machine_workload_new (seed, 0);
    lk_machine_workload_garble (seed, workload);
    g_autoptr (LkMachineRun) run = lk_machine_run_new (workload, &options);
    options.snapshot_seed = seed;
    g_autoptr (LkMachineRun) restarted = lk_machine_run_new (workload, &options);
    lk_machine_run_assert_same (run, restarted);
    start_count += run->start_count;
  }
  g_assert_cmpuint (start_count, >, rounds);
}

/* ---------------------------------------------------------------- forged snapshots */

static LkEngine *
engine_after (const LkMachineRun *run, guint event_count)
{
  LkPolicyError error;
  LkEngine *engine = lk_engine_new (lk_setup_config (run->setup), &error);
  for (guint i = 0; i < event_count; i++)
    g_assert_cmpint (lk_engine_apply (engine, &g_array_index (run->events, LkEvent, i), NULL), ==,
                     LK_STATUS_OK);
  return engine;
}

/* Snapshots end with the CRC-32C of all before it. */
static void
seal (GByteArray *bytes)
{
  static LkCrc32c crc;
  lk_crc32c_init (&crc);
  guint length_bytes = bytes->len - (guint)sizeof (guint32);
  guint32 value = GUINT32_TO_LE (lk_crc32c (&crc, bytes->data, length_bytes));
  memcpy (bytes->data + length_bytes, &value, sizeof value);
}

/* The events that would have come, whatever they mean now, with passes between. */
static void
go_on (LkEngine *engine, const LkMachineRun *run, guint from)
{
  for (guint i = from; i < run->events->len; i++) {
    LkEngineCounts counts;
    LkEvent event = g_array_index (run->events, LkEvent, i);
    lk_engine_counts (engine, &counts);
    if (counts.event_count == G_MAXUINT64)
      return;
    event.seq = counts.event_count + 1;
    event.time_us = MAX (event.time_us, counts.now_us);
    g_assert_cmpint (lk_engine_apply (engine, &event, NULL), ==, LK_STATUS_OK);
    lk_engine_check (engine);
  }
}

static guint
forge (const LkMachineRun *run, LkSeed *seed)
{
  LkStatus status;
  guint event_count = lk_seed_below (seed, run->events->len);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (LkEngine) engine = engine_after (run, event_count);
  lk_engine_save (engine, bytes);
  for (guint i = 0; i <= lk_seed_below (seed, 2); i++) {
    guint place = lk_seed_below (seed, bytes->len - (guint)sizeof (guint32));
    guint8 bit = (guint8)(1u << lk_seed_below (seed, 8));
    bytes->data[place] = lk_seed_chance (seed, 30) ? 0xff : bytes->data[place] ^ bit;
  }
  seal (bytes);
  g_autoptr (LkEngine) forged =
      lk_engine_load (lk_setup_config (run->setup), bytes->data, bytes->len, &status);
  if (forged == NULL)
    return 0;
  lk_engine_check (forged);
  go_on (forged, run, event_count);
  return 1;
}

/* Behind the checksum the reader believes nothing that the machine could not hold. */
static void
forged_does_no_harm (gconstpointer backfill)
{
  guint64 rounds = from_environment ("LK_PROPERTY_ROUNDS", ROUNDS_DEFAULT);
  guint accepted_count = 0;
  for (guint64 round = 1; round <= rounds; round++) {
    LkSeed seed = { .state = round };
    const char *select = selects[round % G_N_ELEMENTS (selects)];
    LkMachineOptions options = options_of (round, backfill, select);
    g_autoptr (LkMachineWorkload) workload = lk_machine_workload_new (round, 0);
    g_autoptr (LkMachineRun) run = lk_machine_run_new (workload, &options);
    for (guint i = 0; i < FORGED_EACH; i++)
      accepted_count += forge (run, &seed);
  }
  g_assert_cmpuint (accepted_count, >, rounds);
  g_assert_cmpuint (accepted_count, <, rounds * FORGED_EACH);
}

/* ---------------------------------------------------------------- one node as a pool */

/* One node with a core for each processor. */
static LkCluster *
pool_cluster (guint32 procs)
{
  LkClusterError error;
  LkCluster *cluster = lk_cluster_new ("pool");
  LkNodeSpec *node = lk_cluster_add_nodes (cluster, "n0");
  node->cores_per_socket = node->cpus = procs;
  node->memory_bytes = 1;
  cluster->memory = FALSE;
  g_assert_true (lk_cluster_check (cluster, &error));
  return cluster;
}

static gboolean
is_same_schedule (const LkWorkload *workload, const LkRun *a, const LkRun *b)
{
  for (guint i = 0; i < workload->job_count; i++)
    if (a->jobs[i].start_us != b->jobs[i].start_us || a->jobs[i].end_us != b->jobs[i].end_us
        || a->jobs[i].state != b->jobs[i].state || a->jobs[i].backfilled != b->jobs[i].backfilled)
      return FALSE;
  return TRUE;
}

/* Is the schedule of the pool that of a node with as many cores? */
static gboolean
node_is_pool (guint64 seed, const LkWorkload *workload, const char *backfill)
{
  g_autoptr (LkCluster) cluster = pool_cluster (workload->procs);
  LkRunOptions options = { .backfill = backfill, .confirms_starts = seed % 2 == 0 };
  options.order = lk_brute_order_name ((LkBruteOrder)(seed % LK_BRUTE_ORDER_COUNT));
  g_autoptr (LkRun) pool = lk_run_new (workload, &options);
  options.cluster = cluster;
  options.select = "cons_tres";
  g_autoptr (LkRun) node = lk_run_new (workload, &options);
  return is_same_schedule (workload, pool, node);
}

/* Units of a pool have no names, but a core is held as that core: what is free for long enough may
 * lie on one core now and on another later, and then only the pool can give it.  Without
 * reservations, or where every job takes all cores, that cannot be; else it is rare. */
static void
one_node_is_a_pool (gconstpointer backfill)
{
  guint64 rounds = 4 * from_environment ("LK_PROPERTY_ROUNDS", ROUNDS_DEFAULT);
  guint64 different_count = 0;
  for (guint64 seed = 1; seed <= rounds; seed++) {
    LkWorkload workload;
    lk_workload_generate (seed, &workload);
    different_count += !node_is_pool (seed, &workload, backfill);
    for (guint i = 0; i < workload.job_count; i++)
      workload.jobs[i].procs = workload.procs;
    g_assert_true (node_is_pool (seed, &workload, backfill));
  }
  g_assert_cmpuint (different_count, <=, strcmp (backfill, "none") == 0 ? 0 : rounds / 8);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (backfills); i++) {
    g_autofree char *twice = g_strdup_printf (
        "/property/random events on nodes hold nothing twice under %s", backfills[i]);
    g_autofree char *pool =
        g_strdup_printf ("/property/one node of whole cores is a pool under %s", backfills[i]);
    g_autofree char *forged = g_strdup_printf (
        "/property/a forged snapshot of nodes does no harm under %s", backfills[i]);
    g_autofree char *any =
        g_strdup_printf ("/property/any request does no harm under %s", backfills[i]);
    g_test_add_data_func (twice, backfills[i], nothing_is_held_twice);
    g_test_add_data_func (any, backfills[i], any_request_does_no_harm);
    g_test_add_data_func (forged, backfills[i], forged_does_no_harm);
    g_test_add_data_func (pool, backfills[i], one_node_is_a_pool);
  }
  return g_test_run ();
}
