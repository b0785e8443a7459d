/* tests/property/preempt_test.c — random machines, accounts and jobs, with preemption.
 *
 * QOS that may preempt each other, tiers, modes, notices and exempt times are drawn from the seed;
 * in some sites the scheduler suspends, and jobs take turns.
 * The same events give the same decisions again, restarts from snapshots change nothing, no
 * invariant breaks, the checker of journals finds nothing; and what is displaced makes room: when
 * all that were told to go in a pass have ended, somebody starts at once who could not before.
 *
 * LK_PROPERTY_ROUNDS=N runs more workloads for each backfill policy, LK_PROPERTY_SEED=N only that
 * one. */
#include <glib.h>
#include <string.h>

#include "tests/property/accounts_workload.h"
#include "tests/property/engine_run.h"
#include "tests/property/machine_audit.h"
#include "tests/property/workload.h"

#define ROUNDS_DEFAULT 60u

static const char *const backfills[] = {
  "none", "easy", "conservative", "replan", "full", "slurm"
};

static guint64
from_environment (const char *name, guint64 otherwise)
{
  const char *text = g_getenv (name);
  return text == NULL ? otherwise : g_ascii_strtoull (text, NULL, 10);
}

/* ---------------------------------------------------------------- what is drawn */

static const char *const modes[] = {
  "", "", "cancel", "requeue", "requeue", "cancel,within", "off"
};
/* Where the scheduler suspends. */
static const char *const gang_modes[] = { "",        "",        "suspend", "suspend",
                                          "suspend", "requeue", "cancel" };
G_STATIC_ASSERT (G_N_ELEMENTS (modes) == G_N_ELEMENTS (gang_modes));

static const char *
draw_mode (LkSeed *seed, gboolean is_gang)
{
  guint mode = lk_seed_below (seed, G_N_ELEMENTS (modes));
  return is_gang ? gang_modes[mode] : modes[mode];
}

static void
set_text (char **member, const char *text)
{
  g_free (*member);
  *member = g_strdup (text);
}

/* Nobody names one that comes behind it: two that requeue each other would do so for ever. */
static void
draw_qos (LkSeed *seed, LkAccounts *accounts, gboolean is_gang)
{
  for (guint i = 0; i < accounts->qos->len; i++) {
    LkQosSpec *qos = g_ptr_array_index (accounts->qos, i);
    g_autoptr (GString) list = g_string_new (NULL);
    for (guint other = 0; other < i; other++)
      if (lk_seed_chance (seed, 80))
        g_string_append_printf (list, "%s%s", list->len > 0 ? "," : "",
                                ((LkQosSpec *)g_ptr_array_index (accounts->qos, other))->name);
    set_text (&qos->preempt, list->str);
    set_text (&qos->preempt_mode, draw_mode (seed, is_gang));
    if (lk_seed_chance (seed, 30))
      qos->grace_us = (1 + lk_seed_below (seed, 60)) * G_USEC_PER_SEC;
    if (lk_seed_chance (seed, 30))
      qos->preempt_exempt_us = lk_seed_below (seed, 60) * G_USEC_PER_SEC;
  }
}

static void
draw_partitions (LkSeed *seed, LkCluster *cluster, gboolean is_gang)
{
  for (guint i = 0; i < cluster->partitions->len; i++) {
    LkPartitionSpec *partition = g_ptr_array_index (cluster->partitions, i);
    partition->priority_tier = 1 + lk_seed_below (seed, 3);
    set_text (&partition->preempt_mode, (is_gang ? gang_modes : modes)[lk_seed_below (seed, 5)]);
    if (lk_seed_chance (seed, 30))
      partition->grace_us = (1 + lk_seed_below (seed, 60)) * G_USEC_PER_SEC;
  }
}

static void
ask_plainly (LkSeed *seed, const LkCluster *cluster, LkMachineJob *job, guint index)
{
  const LkPartitionSpec *partition =
      g_ptr_array_index (cluster->partitions, lk_seed_below (seed, cluster->partitions->len));
  LkJobRequest plain = { .user = job->request.user,
                         .account = job->request.account,
                         .qos = job->request.qos,
                         .partition = lk_text (partition->name) };
  job->submit_s += 2 * (gint64)index;
  job->run_s += 20;
  job->estimate_s += 20;
  if (lk_seed_chance (seed, 20))
    return;
  job->request = plain;
  job->procs = 1 + lk_seed_below (seed, (guint32)lk_cluster_cpu_count (cluster));
}

/* Memory and devices stay with who is suspended, and who displaces comes from another partition,
 * and later: without this hardly anybody is. */
static void
ease_suspension (LkSeed *seed, LkMachineWorkload *machine)
{
  LkCluster *cluster = machine->cluster;
  if (lk_seed_chance (seed, 80))
    cluster->memory = FALSE;
  if (cluster->partitions->len == 1) {
    LkPartitionSpec *partition = lk_cluster_add_partition (cluster, "above");
    set_text (&partition->nodes, "ALL");
    partition->priority_tier = 4;
  }
  for (guint i = 0; i < cluster->partitions->len && lk_seed_chance (seed, 80); i++) {
    LkPartitionSpec *partition = g_ptr_array_index (cluster->partitions, i);
    partition->oversubscribe = LK_OVERSUBSCRIBE_NO;
    partition->exclusive_user = FALSE;
  }
  for (guint i = 0; i < machine->job_count; i++)
    ask_plainly (seed, cluster, &machine->jobs[i], i);
}

/* Returns: (transfer full). */
static char *
draw_policy (LkSeed *seed, gboolean is_gang)
{
  GString *spec =
      g_string_new (lk_seed_chance (seed, is_gang ? 25 : 60) ? "qos" : "partition_prio");
  gboolean is_first = lk_seed_chance (seed, 50);
  if (is_gang)
    g_string_append_printf (spec, ":mode=suspend,gang=1,slice_s=%u", is_first ? 5 : 30);
  else
    g_string_append_printf (spec, ":mode=%s", is_first ? "cancel" : "requeue");
  g_string_append_printf (spec, ",reorder_count=%u", lk_seed_below (seed, 3));
  if (lk_seed_chance (seed, 30))
    g_string_append (spec, ",youngest_first=1");
  if (lk_seed_chance (seed, 20))
    g_string_append (spec, ",strict_order=1");
  if (lk_seed_chance (seed, 30))
    g_string_append (spec, ",within=1");
  if (lk_seed_chance (seed, 20))
    g_string_append (spec, ",priority=1");
  if (lk_seed_chance (seed, 30))
    g_string_append_printf (spec, ",exempt_s=%u", lk_seed_below (seed, 100));
  if (lk_seed_chance (seed, 20))
    g_string_append (spec, ",reclaim_licenses=1");
  return g_string_free (spec, FALSE);
}

/* ---------------------------------------------------------------- room is made */

/* Whoever was told to go, in this event. */
typedef struct {
  const LkEngineConfig *config;
  GArray *victims;  /* of guint32 ids that still run */
  guint displaced;  /* in this event */
  gboolean is_late; /* limits may keep others by what a victim has used, clocks by the time; who is
                       suspended stays */
  guint preempt_count;
  guint suspend_count;
} Room;

static void
room_decided (void *user, const LkEngine *engine, const LkEvent *cause, const LkDecision *decision)
{
  Room *self = user;
  (void)engine;
  (void)cause;
  /* What was killed for another reason counts as room as well. */
  if (decision->kind == LK_DECISION_KILL)
    g_array_append_val (self->victims, decision->kill.job_id);
  self->suspend_count += decision->kind == LK_DECISION_SUSPEND_JOB;
  if (decision->kind != LK_DECISION_PREEMPT)
    return;
  self->displaced++;
  self->preempt_count++;
  g_array_append_val (self->victims, decision->preempt.job_id);
}

static void
count_starts (void *user, const LkEvent *cause, const LkDecision *decision)
{
  guint *count = user;
  (void)cause;
  *count += decision->kind == LK_DECISION_START;
}

static void
apply_now (LkEngine *engine, LkEvent *event, guint *start_count)
{
  LkSink sink = { count_starts, start_count };
  LkEngineCounts counts;
  lk_engine_counts (engine, &counts);
  event->seq = counts.event_count + 1;
  event->time_us = counts.now_us;
  g_assert_cmpint (lk_engine_apply (engine, event, &sink), ==, LK_STATUS_OK);
}

/* A copy of the engine, in which they all end now. */
static void
room_after (void *user, const LkEngine *engine, const LkEvent *event)
{
  Room *self = user;
  LkStatus status;
  guint start_count = 0;
  if (self->displaced == 0)
    return;
  self->displaced = 0;
  g_assert_cmpint (event->kind, ==, LK_EVENT_PASS);
  if (self->is_late)
    return;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_engine_save (engine, bytes);
  g_autoptr (LkEngine) copy = lk_engine_load (self->config, bytes->data, bytes->len, &status);
  g_assert_nonnull (copy);
  for (guint i = 0; i < self->victims->len; i++) {
    LkJobInfo info;
    LkEvent ended = { .kind = LK_EVENT_JOB_ENDED };
    ended.job_ended.job_id = g_array_index (self->victims, guint32, i);
    if (lk_engine_job (copy, ended.job_ended.job_id, &info)
        && (info.state == LK_JOB_RUNNING || info.state == LK_JOB_COMPLETING))
      apply_now (copy, &ended, &start_count);
  }
  LkEvent pass = { .kind = LK_EVENT_PASS };
  apply_now (copy, &pass, &start_count);
  g_assert_cmpuint (start_count, >, 0);
}

/* ---------------------------------------------------------------- rounds */

static guint preempt_count;
static guint suspend_count;

static void
one (guint64 seed_value, const char *backfill)
{
  LkSeed seed = { .state = seed_value };
  gboolean has_limits = lk_seed_chance (&seed, 40);
  g_autoptr (LkAccountsWorkload) workload =
      lk_accounts_workload_new (seed_value, has_limits ? 0 : LK_ACCOUNTS_NO_LIMITS);
  gboolean is_gang = workload->machine->cluster != NULL && lk_seed_chance (&seed, 30);
  draw_qos (&seed, workload->accounts, is_gang);
  if (g_getenv ("LK_PROPERTY_SEED") != NULL) {
    g_autoptr (GString) text = g_string_new (NULL);
    lk_accounts_workload_print (workload, text);
    g_printerr ("%s", text->str);
  }
  if (workload->machine->cluster != NULL)
    draw_partitions (&seed, workload->machine->cluster, is_gang);
  if (is_gang) {
    workload->units_total = 0; /* cores are needed, not a pool */
    ease_suspension (&seed, workload->machine);
  }
  g_autofree char *policy = draw_policy (&seed, is_gang);
  LkMachineOptions options = lk_accounts_workload_options (workload);
  options.backfill = backfill;
  options.preempt = policy;
  g_autoptr (LkSetup) setup = lk_machine_setup (workload->machine->cluster, &options);
  Room room = { .config = lk_setup_config (setup),
                .is_late = has_limits || is_gang || strcmp (backfill, "slurm") == 0,
                .victims = g_array_new (FALSE, FALSE, sizeof (guint32)) };
  LkMachineWatch watch = { .user = &room, .decided = room_decided, .after = room_after };
  options.watches = &watch;
  options.watch_count = 1;
  g_autoptr (LkMachineRun) run = lk_machine_run_new (workload->machine, &options);
  lk_machine_run_assert_replays (run);
  lk_machine_run_assert_audited (workload->machine, &options, run);
  options.watch_count = 0;
  options.snapshot_seed = seed_value;
  g_autoptr (LkMachineRun) restarted = lk_machine_run_new (workload->machine, &options);
  lk_machine_run_assert_same (run, restarted);
  preempt_count += room.preempt_count;
  suspend_count += room.suspend_count;
  g_array_unref (room.victims);
}

static void
test_backfill (gconstpointer backfill)
{
  guint64 only_seed = from_environment ("LK_PROPERTY_SEED", 0);
  guint64 rounds = from_environment ("LK_PROPERTY_ROUNDS", ROUNDS_DEFAULT);
  guint64 base = 1;
  preempt_count = suspend_count = 0;
  for (guint i = 0; strcmp (backfills[i], backfill) != 0; i++)
    base += 10000000;
  for (guint64 round = 0; round < (only_seed != 0 ? 1 : rounds); round++) {
    guint64 seed = only_seed != 0 ? only_seed : base + round;
    g_test_message ("seed=%" G_GUINT64_FORMAT, seed);
    one (seed, backfill);
  }
  if (only_seed != 0)
    return;
  g_assert_cmpuint (preempt_count, >, 0);
  g_assert_cmpuint (suspend_count, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (backfills); i++) {
    g_autofree char *name =
        g_strdup_printf ("/preempt/room is made, and restarts change nothing: %s", backfills[i]);
    g_test_add_data_func (name, backfills[i], test_backfill);
  }
  return g_test_run ();
}
