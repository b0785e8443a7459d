/* tests/engine/preempt_test.c — whom a job displaces, and what becomes of those.
 *
 * The examples and rules of the semantics of Slurm's preemption, and recorded situations of a real
 * Slurm: three jobs of a QOS that may be preempted, one that may not. */
#include "tests/engine/limits_site.h"
#include "tests/engine/reservation_fixture.h"

/* ---------------------------------------------------------------- the site */

/* QOS high may preempt mid and low, mid may preempt low, top may preempt mid only. */
static const char qos_script[] =
    "add account phys;add user alice,bob,carol,dave account=phys;"
    "add qos low priority=10;add qos mid priority=20;add qos high priority=100;add qos top;"
    "modify qos mid set preempt=low;modify qos high set preempt=low,mid;"
    "modify qos top set preempt=mid;"
    "modify account phys set qos+=low,mid,high,top;";

/* So many nodes of four cores; `more`: commands of sacctmgr. */
static void
qos_prepare (Site *self, guint nodes, const char *more)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *names = g_strdup_printf ("n[1-%u]", nodes);
  *self = (Site){ .order = "fifo", .texts = g_string_chunk_new (1024), .woken_s = -1 };
  self->cluster = lk_cluster_new ("preempt");
  node_fixture_add (self->cluster, names, 4, 8000);
  add_partition (self->cluster, "main", "");
  g_autofree char *script = g_strconcat (qos_script, more, "\n", NULL);
  g_strdelimit (script, ";", '\n');
  g_autoptr (GBytes) bytes = g_bytes_new (script, strlen (script));
  self->accounts = lk_accounts_script_read ("script", bytes, NULL, &error);
  g_assert_no_error (error);
  self->accounts->enforce = LK_ENFORCE_LIMITS | LK_ENFORCE_QOS;
}

static void
preempt_start (Site *self, const char *preempt, const char *backfill)
{
  LkAccountsError error;
  LkSetupOptions options = { .origin_us = LK_TIME_NEVER,
                             .order = self->order,
                             .backfill = backfill,
                             .select = "cons_tres",
                             .cluster = self->cluster,
                             .accounts = self->accounts,
                             .preempt = preempt,
                             .requeues_at_end = self->requeues_at_end };
  node_fixture_check (self->cluster);
  if (self->accounts != NULL && !lk_accounts_check (self->accounts, &error))
    g_error ("%s: %s", error.member, error.text);
  fixture_init_with (&self->fixture, &options);
  self->fixture.tells_places = TRUE;
}

static void
tier_clear (Site *self)
{
  fixture_clear (&self->fixture);
  lk_cluster_free (self->cluster);
  g_string_chunk_free (self->texts);
}

static void
tier_partition (LkCluster *cluster, const char *name, guint32 tier, const char *mode)
{
  add_partition (cluster, name, "");
  LkPartitionSpec *partition =
      g_ptr_array_index (cluster->partitions, cluster->partitions->len - 1);
  partition->is_default = FALSE;
  partition->priority_tier = tier;
  g_free (partition->preempt_mode);
  partition->preempt_mode = g_strdup (mode);
}

/* Four nodes with partitions low of tier 1 and high of tier 2. */
static void
tier_prepare (Site *self, const char *low_mode)
{
  *self = (Site){ .order = "fifo", .texts = g_string_chunk_new (1024), .woken_s = -1 };
  self->cluster = lk_cluster_new ("tiers");
  node_fixture_add (self->cluster, "n[1-4]", 4, 8000);
  tier_partition (self->cluster, "low", 1, low_mode);
  tier_partition (self->cluster, "high", 2, "");
  ((LkPartitionSpec *)g_ptr_array_index (self->cluster->partitions, 0))->is_default = TRUE;
}

/* Submits and runs a pass where one is wanted. */
static void
come (Site *self, gint64 time_s, guint32 id, const char *line)
{
  go_to (self, time_s);
  submit (self, id, line);
  pass_if_wanted (self);
}

static void
skip (Site *self)
{
  g_string_truncate (self->fixture.log, 0);
}

/* Was it told at all? */
static gboolean
told (const Site *self, const char *what)
{
  return strstr (self->fixture.log->str, what) != NULL;
}

static void
said (const Site *self, const char *what)
{
  if (!told (self, what))
    g_error ("no '%s' in '%s'", what, self->fixture.log->str);
}

static void
not_said (const Site *self, const char *what)
{
  if (told (self, what))
    g_error ("'%s' in '%s'", what, self->fixture.log->str);
}

/* ---------------------------------------------------------------- which victims */

/* Eight nodes: V1 2, V2 4, V3 2 nodes, as they started. The smallest make room. */
static void
test_eight_nodes (void)
{
  Site site;
  qos_prepare (&site, 8, "");
  preempt_start (&site, "qos", "easy");
  come (&site, 0, 1, "alice --qos=low -N2 --exclusive");
  come (&site, 1, 2, "alice --qos=low -N4 --exclusive");
  come (&site, 2, 3, "alice --qos=low -N2 --exclusive");
  skip (&site);
  come (&site, 3, 4, "bob --qos=high -N4 --exclusive");
  /* Put in a better order twice, the last one to be taken away is the first again. */
  said (&site, "preempt 1 1; kill 1 5; preempt 3 1; kill 3 5");
  not_said (&site, "kill 2");
  g_assert_false (runs (&site, 4));
  end (&site, 4, 3);
  g_assert_false (runs (&site, 4));
  assert_told (&site, "PREEMPTED", 3, "");
  end (&site, 5, 1);
  assert_told (&site, "start", 4, "n[1-2,7-8]");
  site_clear (&site);
}

/* Fourteen nodes with jobs of 2, 4 and 8: the one that is as large as what is wanted goes alone. */
static void
test_fourteen_nodes (void)
{
  Site site;
  qos_prepare (&site, 14, "");
  preempt_start (&site, "qos", "easy");
  come (&site, 0, 1, "alice --qos=low -N2 --exclusive");
  come (&site, 1, 2, "alice --qos=low -N4 --exclusive");
  come (&site, 2, 3, "alice --qos=low -N8 --exclusive");
  skip (&site);
  come (&site, 3, 4, "bob --qos=high -N8 --exclusive");
  said (&site, "preempt 3 1; kill 3 5");
  not_said (&site, "kill 1");
  not_said (&site, "kill 2");
  site_clear (&site);
}

/* The same with no better order: the first pass takes all three, the second those that share
 * nodes, which is one more pass than none. */
static void
test_reorder_count (void)
{
  static const struct {
    const char *policy;
    const char *victims;
  } rows[] = {
    { "qos:reorder_count=0", "preempt 3 1" },
    { "qos:strict_order=1", "preempt 3 1" },
    { "qos:youngest_first=1", "preempt 3 1" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Site site;
    qos_prepare (&site, 14, "");
    preempt_start (&site, rows[i].policy, "easy");
    come (&site, 0, 1, "alice --qos=low -N2 --exclusive");
    come (&site, 1, 2, "alice --qos=low -N4 --exclusive");
    come (&site, 2, 3, "alice --qos=low -N8 --exclusive");
    skip (&site);
    come (&site, 3, 4, "bob --qos=high -N8 --exclusive");
    said (&site, rows[i].victims);
    not_said (&site, "kill 1");
    site_clear (&site);
  }
}

/* Both may be preempted: the one of the lower class goes, though it is the larger. */
static void
test_class_before_size (void)
{
  Site site;
  qos_prepare (&site, 3, "");
  preempt_start (&site, "qos", "easy");
  come (&site, 0, 1, "alice --qos=low -N2 --exclusive");
  come (&site, 1, 2, "alice --qos=mid -N1 --exclusive");
  skip (&site);
  come (&site, 2, 3, "bob --qos=high -N1 --exclusive");
  said (&site, "preempt 1 1; kill 1 5");
  not_said (&site, "kill 2");
  site_clear (&site);
}

/* Lists are not transitive: top may preempt mid, mid low, but top not low. */
static void
test_chain (void)
{
  Site site;
  qos_prepare (&site, 2, "");
  preempt_start (&site, "qos", "easy");
  come (&site, 0, 1, "alice --qos=low -N1 --exclusive");
  come (&site, 1, 2, "alice --qos=low -N1 --exclusive");
  skip (&site);
  come (&site, 2, 3, "bob --qos=top -N1 --exclusive");
  not_said (&site, "preempt");
  assert_waits (&site, 3, "Resources");
  /* Nor does anybody behind it, as long as it waits in vain. */
  come (&site, 3, 4, "bob --qos=mid -N1 --exclusive");
  not_said (&site, "preempt");
  happens (&site, 4, LK_EVENT_CANCEL, 3);
  said (&site, "preempt 1 1");
  site_clear (&site);
}

/* If it would not fit even then, nobody goes. */
static void
test_all_or_nothing (void)
{
  Site site;
  qos_prepare (&site, 4, "");
  preempt_start (&site, "qos", "easy");
  come (&site, 0, 1, "alice --qos=low -N2 --exclusive");
  come (&site, 1, 2, "alice --qos=high -N2 --exclusive");
  skip (&site);
  come (&site, 2, 3, "bob --qos=high -N3 --exclusive");
  not_said (&site, "preempt");
  site_clear (&site);
}

static void
test_within (void)
{
  Site site;
  qos_prepare (&site, 1, "modify qos low set preemptmode=within");
  site.order = "basic";
  preempt_start (&site, "qos", "easy");
  come (&site, 0, 1, "alice --qos=low -N1 --exclusive");
  come (&site, 1, 2, "bob --qos=low -N1 --exclusive");
  not_said (&site, "preempt");
  come (&site, 2, 3, "carol --qos=low -N1 --exclusive --priority=4294901999");
  said (&site, "preempt 1 1");
  site_clear (&site);
}

static void
test_exempt_priority (void)
{
  static const struct {
    const char *priority;
    gboolean goes;
  } rows[] = { { "999", TRUE }, { "1000", FALSE } };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Site site;
    qos_prepare (&site, 1, "");
    site.order = "basic";
    preempt_start (&site, "qos:min_exempt_priority=1000", "easy");
    g_autofree char *line =
        g_strdup_printf ("alice --qos=low -N1 --exclusive --priority=%s", rows[i].priority);
    come (&site, 0, 1, line);
    come (&site, 1, 2, "bob --qos=high -N1 --exclusive");
    g_assert_cmpint (told (&site, "preempt 1"), ==, rows[i].goes);
    site_clear (&site);
  }
}

/* ---------------------------------------------------------------- tiers */

/* The low job on all four nodes goes as a whole for one node. */
static void
test_tiers (void)
{
  Site site;
  tier_prepare (&site, "");
  preempt_start (&site, "partition_prio", "easy");
  come (&site, 0, 1, "alice -p low -N4 --exclusive");
  skip (&site);
  come (&site, 1, 2, "bob -p high -N1 --exclusive");
  said (&site, "preempt 1 1; kill 1 5");
  end (&site, 2, 1);
  assert_told (&site, "PREEMPTED", 1, "");
  assert_told (&site, "start", 2, "n1");
  tier_clear (&site);
}

static void
test_tiers_off (void)
{
  Site site;
  tier_prepare (&site, "off");
  preempt_start (&site, "partition_prio", "easy");
  come (&site, 0, 1, "alice -p low -N4 --exclusive");
  come (&site, 1, 2, "bob -p high -N1 --exclusive");
  not_said (&site, "preempt");
  tier_clear (&site);
}

/* The partition says how its jobs go, whatever the cluster says. */
static void
test_tier_mode (void)
{
  Site site;
  tier_prepare (&site, "requeue");
  preempt_start (&site, "partition_prio:mode=cancel", "easy");
  come (&site, 0, 1, "alice -p low -N4 --exclusive");
  skip (&site);
  come (&site, 1, 2, "bob -p high -N1 --exclusive");
  said (&site, "preempt 1 2; requeue 1; PREEMPTED 1; PENDING 1 BeginTime");
  tier_clear (&site);
}

/* n1 is set aside from 1800 s on: nobody goes for an hour there, and who is there may stay. */
static void
test_set_aside (void)
{
  Site site;
  Reservation r = { .name = "R",
                    .start_s = 1800,
                    .duration_s = 3600,
                    .nodes = "n1",
                    .users = "carol",
                    .flags = "IGNORE_JOBS" };
  tier_prepare (&site, "requeue");
  preempt_start (&site, "partition_prio", "easy");
  for (guint32 id = 1; id <= 4; id++)
    come (&site, 0, id, "alice -p low -N1 --exclusive");
  reservation_create (&site.fixture, 0, &r);
  skip (&site);
  come (&site, 1, 5, "bob -p high -N4 --exclusive");
  not_said (&site, "preempt");
  fixture_event (&site.fixture, 1, LK_EVENT_CANCEL, 5);
  come (&site, 1, 6, "bob -p high -N3 --exclusive");
  assert_told (&site, "start", 6, "n[2-4]");
  not_said (&site, "preempt 1 ");
  come (&site, 1, 7, "bob -p high -N1 --exclusive -t 20");
  said (&site, "preempt 1 ");
  assert_told (&site, "start", 7, "n1");
  tier_clear (&site);
}

/* ---------------------------------------------------------------- exempt, grace, requeue */

/* Five minutes after its start nothing happens; at ten it goes. */
static void
test_exempt_time (void)
{
  Site site;
  qos_prepare (&site, 1, "");
  preempt_start (&site, "qos:exempt_s=600", "easy");
  come (&site, 0, 1, "alice --qos=low -N1 --exclusive");
  come (&site, 300, 2, "bob --qos=high -N1 --exclusive");
  not_said (&site, "preempt");
  assert_waits (&site, 2, "Resources");
  go_to (&site, 599);
  not_said (&site, "preempt");
  go_to (&site, 600);
  said (&site, "preempt 1 1");
  site_clear (&site);
}

/* The QOS says more than the cluster does. */
static void
test_exempt_time_of_qos (void)
{
  Site site;
  qos_prepare (&site, 1, "modify qos low set preemptexempttime=00:01:00");
  preempt_start (&site, "qos:exempt_s=600", "easy");
  come (&site, 0, 1, "alice --qos=low -N1 --exclusive");
  come (&site, 10, 2, "bob --qos=high -N1 --exclusive");
  go_to (&site, 59);
  not_said (&site, "preempt");
  go_to (&site, 60);
  said (&site, "preempt 1 1");
  site_clear (&site);
}

/* A minute's notice: the preemptor starts no earlier. */
static void
test_grace (void)
{
  Site site;
  LkJobInfo info;
  qos_prepare (&site, 1, "modify qos low set gracetime=60");
  preempt_start (&site, "qos", "easy");
  come (&site, 0, 1, "alice --qos=low -N1 --exclusive");
  skip (&site);
  come (&site, 100, 2, "bob --qos=high -N1 --exclusive");
  said (&site, "preempt 1 1; signal 1 18; signal 1 15");
  not_said (&site, "kill");
  g_assert_true (lk_engine_job (site.fixture.engine, 1, &info));
  g_assert_cmpint (info.expected_end_us, ==, 160 * G_USEC_PER_SEC);
  go_to (&site, 159);
  not_said (&site, "kill");
  go_to (&site, 160);
  assert_told (&site, "kill", 1, "5");
  end (&site, 160, 1);
  assert_told (&site, "PREEMPTED", 1, "");
  g_assert_true (runs (&site, 2));
  site_clear (&site);
}

/* Where the time limits are scanned, as Slurm's each 30 s, it goes with the first scan behind its
 * notice. */
static void
test_grace_and_scans (void)
{
  static const struct {
    const char *grace;
    gint64 end_s; /* of the notice */
    gint64 kill_s;
  } rows[] = { { "50", 150, 150 }, { "51", 151, 180 }, { "79", 179, 180 }, { "1", 101, 120 } };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Site site;
    LkJobInfo info;
    g_autofree char *more = g_strdup_printf ("modify qos low set gracetime=%s", rows[i].grace);
    qos_prepare (&site, 1, more);
    site.cluster->time_scan_us = 30 * G_USEC_PER_SEC;
    preempt_start (&site, "qos", "easy");
    come (&site, 0, 1, "alice --qos=low -N1 --exclusive");
    come (&site, 100, 2, "bob --qos=high -N1 --exclusive");
    g_assert_true (lk_engine_job (site.fixture.engine, 1, &info));
    g_assert_cmpint (info.expected_end_us, ==, rows[i].end_s * G_USEC_PER_SEC);
    go_to (&site, rows[i].kill_s - 1);
    not_said (&site, "kill");
    go_to (&site, rows[i].kill_s);
    assert_told (&site, "kill", 1, "5");
    site_clear (&site);
  }
}

/* One that ends by itself in that time has its own state, and does not come back, as observed with
 * Slurm 22.05; behind its notice, and before the scan that would end it, it has reached a limit. */
static void
test_grace_ends_early (void)
{
  static const struct {
    const char *policy;
    gint64 end_s;
    guint8 exit_code;
    const char *told;
  } rows[] = { { "qos:mode=cancel", 130, 0, "COMPLETED 1" },
               { "qos:mode=cancel", 130, 3, "FAILED 1 NonZeroExitCode" },
               { "qos:mode=requeue", 130, 0, "COMPLETED 1" },
               { "qos:mode=requeue", 130, 3, "FAILED 1 NonZeroExitCode" },
               { "qos:mode=requeue", 170, 0, "TIMEOUT 1 TimeLimit" } };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Site site;
    qos_prepare (&site, 1, "modify qos low set gracetime=60");
    site.cluster->time_scan_us = 30 * G_USEC_PER_SEC;
    preempt_start (&site, rows[i].policy, "easy");
    come (&site, 0, 1, "alice --qos=low -N1 --exclusive");
    come (&site, 100, 2, "bob --qos=high -N1 --exclusive");
    LkEvent ended = { .kind = LK_EVENT_JOB_ENDED };
    ended.job_ended = (LkEvent_job_ended){ .job_id = 1, .exit_code = rows[i].exit_code };
    go_to (&site, rows[i].end_s);
    g_assert_cmpint (fixture_apply (&site.fixture, rows[i].end_s, &ended), ==, LK_STATUS_OK);
    pass_if_wanted (&site);
    said (&site, rows[i].told);
    g_assert_false (lk_engine_job (site.fixture.engine, 1, &(LkJobInfo){ 0 }));
    g_assert_true (runs (&site, 2));
    site_clear (&site);
  }
}

/* A job that asked not to be requeued ends. */
static void
test_no_requeue (void)
{
  Site site;
  qos_prepare (&site, 1, "");
  preempt_start (&site, "qos:mode=requeue", "easy");
  come (&site, 0, 1, "alice --qos=low -N1 --exclusive --no-requeue");
  skip (&site);
  come (&site, 1, 2, "bob --qos=high -N1 --exclusive");
  said (&site, "preempt 1 2; kill 1 5");
  end (&site, 2, 1);
  assert_told (&site, "PREEMPTED", 1, "");
  site_clear (&site);
}

/* Where runs take time to end the preemptor waits until the victim's has. */
static void
test_requeue_at_end (void)
{
  Site site;
  qos_prepare (&site, 1, "");
  site.requeues_at_end = TRUE;
  preempt_start (&site, "qos:mode=requeue", "easy");
  come (&site, 0, 1, "alice --qos=low -N1 --exclusive");
  skip (&site);
  come (&site, 1, 2, "bob --qos=high -N1 --exclusive");
  said (&site, "preempt 1 2; kill 1 5");
  go_to (&site, 30);
  g_assert_false (runs (&site, 2));
  end (&site, 31, 1);
  said (&site, "requeue 1; PREEMPTED 1; PENDING 1 BeginTime");
  g_assert_true (runs (&site, 2));
  site_clear (&site);
}

/* It waits 121 seconds, and begins anew. */
static void
test_requeue (void)
{
  Site site;
  qos_prepare (&site, 1, "");
  preempt_start (&site, "qos:mode=requeue", "easy");
  come (&site, 0, 1, "alice --qos=low -N1 --exclusive");
  come (&site, 10, 2, "bob --qos=high -N1 --exclusive");
  wait_for (&site, 2, 10);
  g_assert_true (runs (&site, 2));
  assert_waits (&site, 1, "BeginTime");
  end (&site, 20, 2);
  wait_for (&site, 1, 200);
  g_assert_true (runs (&site, 1));
  g_assert_cmpint (site.now_s, ==, 131);
  site_clear (&site);
}

/* ---------------------------------------------------------------- one after the other */

/* Nobody else goes for a job while it waits for its victims, even if another takes the place. */
static void
test_hold (void)
{
  Site site;
  qos_prepare (&site, 2, "modify qos low set gracetime=10");
  preempt_start (&site, "qos", "none");
  come (&site, 0, 1, "alice --qos=low -N1 --exclusive");
  come (&site, 1, 2, "alice --qos=low -N1 --exclusive");
  come (&site, 2, 3, "bob --qos=mid -N1 --exclusive");
  said (&site, "preempt 1 1");
  /* One that comes before it takes what was freed. */
  come (&site, 5, 4, "bob --qos=high -N1 --exclusive");
  go_to (&site, 12);
  end (&site, 12, 1);
  g_assert_true (runs (&site, 4));
  go_to (&site, 41);
  not_said (&site, "preempt 2 1");
  go_to (&site, 42);
  said (&site, "preempt 2 1");
  site_clear (&site);
}

/* Two jobs at once get victims of their own. */
static void
test_two_at_once (void)
{
  Site site;
  qos_prepare (&site, 4, "");
  preempt_start (&site, "qos", "easy");
  for (guint32 id = 1; id <= 4; id++)
    come (&site, id, id, "alice --qos=low -N1 --exclusive");
  skip (&site);
  submit (&site, 5, "bob --qos=high -N1 --exclusive");
  submit (&site, 6, "bob --qos=high -N2 --exclusive");
  pass (&site);
  said (&site, "preempt 1 1");
  said (&site, "preempt 2 1");
  said (&site, "preempt 3 1");
  not_said (&site, "preempt 4 1");
  site_clear (&site);
}

/* A job that can preempt comes before one that came before it. */
static void
test_queue_order (void)
{
  Site site;
  qos_prepare (&site, 1, "");
  preempt_start (&site, "qos", "easy");
  come (&site, 0, 1, "alice --qos=high -N1 --exclusive");
  come (&site, 1, 2, "alice --qos=low -N1 --exclusive");
  come (&site, 2, 3, "bob --qos=high -N1 --exclusive");
  end (&site, 3, 1);
  g_assert_true (runs (&site, 3));
  site_clear (&site);
}

/* The same without nodes. */
static void
test_pool (void)
{
  Site site;
  LkAccountsError error;
  qos_prepare (&site, 1, "");
  g_assert_true (lk_accounts_check (site.accounts, &error));
  LkSetupOptions options = { .units_total = 14,
                             .origin_us = LK_TIME_NEVER,
                             .order = "fifo",
                             .backfill = "easy",
                             .select = "pool",
                             .accounts = site.accounts,
                             .preempt = "qos" };
  fixture_init_with (&site.fixture, &options);
  come (&site, 0, 1, "alice --qos=low -n2");
  come (&site, 1, 2, "alice --qos=low -n4");
  come (&site, 2, 3, "alice --qos=low -n8");
  skip (&site);
  come (&site, 3, 4, "bob --qos=high -n8");
  said (&site, "preempt 3 1; kill 3 5");
  not_said (&site, "kill 1");
  not_said (&site, "kill 2");
  end (&site, 4, 3);
  g_assert_true (runs (&site, 4));
  site_clear (&site);
}

/* All backfill policies have their jobs preempt. */
static void
test_backfills (void)
{
  static const char *const backfills[] = { "none", "easy", "easy:reservations=3", "conservative",
                                           "replan" };
  for (guint i = 0; i < G_N_ELEMENTS (backfills); i++) {
    Site site;
    qos_prepare (&site, 2, "modify qos low set gracetime=30");
    preempt_start (&site, "qos", backfills[i]);
    come (&site, 0, 1, "alice --qos=low -N2 --exclusive");
    come (&site, 1, 2, "alice --qos=low -N1 --exclusive");
    come (&site, 10, 3, "bob --qos=high -N1 --exclusive");
    said (&site, "preempt 1 1");
    go_to (&site, 40);
    end (&site, 40, 1);
    wait_for (&site, 3, 40);
    g_assert_true (runs (&site, 3));
    site_clear (&site);
  }
}

/* ---------------------------------------------------------------- a recorded situation */

/* Four nodes, preempt/qos, REQUEUE, youngest first: l1 to l3 may be preempted, norm may not. hi1
 * takes the youngest's node at once; "no" of the same QOS as norm waits. */
static void
test_recorded_requeue (void)
{
  Site site;
  qos_prepare (&site, 4, "");
  site.cluster->requeue_delay_us = 2 * G_USEC_PER_SEC;
  preempt_start (&site, "qos:mode=requeue,youngest_first=1,reorder_count=3", "easy");
  come (&site, 1, 1, "alice --qos=low -N1 --exclusive -t5");
  come (&site, 2, 2, "alice --qos=low -N1 --exclusive -t5");
  come (&site, 3, 3, "bob --qos=low -N1 --exclusive -t5");
  come (&site, 4, 4, "bob --qos=normal -N1 --exclusive -t5");
  skip (&site);
  come (&site, 6, 5, "carol --qos=high -N1 --exclusive -t2");
  come (&site, 6, 6, "dave --qos=normal -N1 --exclusive -t2");
  wait_for (&site, 5, 6);
  said (&site, "preempt 3 2; requeue 3; PREEMPTED 3");
  not_said (&site, "preempt 1");
  not_said (&site, "preempt 2");
  assert_told (&site, "start", 5, "n3");
  go_to (&site, 10);
  assert_waits (&site, 3, "Resources");
  assert_waits (&site, 6, "Priority");
  skip (&site);
  /* hi2 wants two nodes: beside those of hi1 and norm there are only those of l1 and l2. */
  come (&site, 11, 7, "carol --qos=high -N2 --exclusive -t2");
  said (&site, "preempt 2 2");
  said (&site, "preempt 1 2");
  wait_for (&site, 7, 11);
  assert_told (&site, "start", 7, "n[1-2]");
  end (&site, 12, 5);
  wait_for (&site, 1, 100);
  site_clear (&site);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/preempt/eight nodes: the two smallest jobs make room", test_eight_nodes);
  g_test_add_func ("/preempt/fourteen nodes: the largest job goes alone", test_fourteen_nodes);
  g_test_add_func ("/preempt/victims are put in a better order", test_reorder_count);
  g_test_add_func ("/preempt/the lower class goes before the smaller job", test_class_before_size);
  g_test_add_func ("/preempt/lists of QOS are not transitive", test_chain);
  g_test_add_func ("/preempt/nobody goes where that does not help", test_all_or_nothing);
  g_test_add_func ("/preempt/jobs of one QOS only with WITHIN and a higher priority", test_within);
  g_test_add_func ("/preempt/jobs of a high priority are left alone", test_exempt_priority);
  g_test_add_func ("/preempt/a job of a higher tier displaces a whole job", test_tiers);
  g_test_add_func ("/preempt/OFF protects the jobs of a partition", test_tiers_off);
  g_test_add_func ("/preempt/the victim's partition says how it goes", test_tier_mode);
  g_test_add_func ("/preempt/nobody goes for a place that is set aside", test_set_aside);
  g_test_add_func ("/preempt/a job is exempt for a while", test_exempt_time);
  g_test_add_func ("/preempt/the QOS says for how long", test_exempt_time_of_qos);
  g_test_add_func ("/preempt/notice is given and kept", test_grace);
  g_test_add_func ("/preempt/it ends with a scan of the time limits", test_grace_and_scans);
  g_test_add_func ("/preempt/by requeue when the run has ended", test_requeue_at_end);
  g_test_add_func ("/preempt/one that ends in that time has its own state", test_grace_ends_early);
  g_test_add_func ("/preempt/what may not be requeued ends", test_no_requeue);
  g_test_add_func ("/preempt/what is requeued waits and begins anew", test_requeue);
  g_test_add_func ("/preempt/jobs that wait for victims get no others", test_hold);
  g_test_add_func ("/preempt/two jobs get victims of their own", test_two_at_once);
  g_test_add_func ("/preempt/who can preempt comes first in the queue", test_queue_order);
  g_test_add_func ("/preempt/on a counted pool", test_pool);
  g_test_add_func ("/preempt/behind every backfill policy", test_backfills);
  g_test_add_func ("/preempt/recorded: the youngest are requeued", test_recorded_requeue);
  return g_test_run ();
}
