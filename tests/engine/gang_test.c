/* tests/engine/gang_test.c — jobs are suspended by the scheduler: to make room for a higher tier,
 * or because it is the turn of others.
 *
 * The rules of Slurm's gang scheduler (src/slurmctld/gang.c; semantics of suspended victims), and a
 * recorded situation.  The engine is replaced by a copy from its snapshot after each event. */
#include "engine/job_shown.h"
#include "tests/engine/limits_site.h"

/* ---------------------------------------------------------------- the site */

static LkPartitionSpec *
tier (LkCluster *cluster, const char *name, guint32 priority_tier, const char *mode)
{
  LkPartitionSpec *partition = lk_cluster_add_partition (cluster, name);
  partition->is_default = cluster->partitions->len == 1;
  partition->priority_tier = priority_tier;
  g_free (partition->preempt_mode);
  partition->preempt_mode = g_strdup (mode);
  return partition;
}

/* Nodes of four cores and 8000 MiB with two GPUs; partitions low, mid and high on all. */
static void
prepare (Site *self, guint nodes)
{
  g_autofree char *names = nodes > 1 ? g_strdup_printf ("n[1-%u]", nodes) : g_strdup ("n1");
  *self = (Site){ .order = "fifo", .texts = g_string_chunk_new (1024), .woken_s = -1 };
  self->cluster = lk_cluster_new ("gang");
  LkNodeSpec *spec = node_fixture_add (self->cluster, names, 4, 8000);
  lk_node_spec_add_gres (spec, "gpu", "", 2);
  lk_cluster_add_license (self->cluster, "lic", 1);
  tier (self->cluster, "low", 1, "suspend");
  tier (self->cluster, "mid", 2, "suspend");
  tier (self->cluster, "high", 3, "off");
}

static void
begin_with (Site *self, const char *preempt, const char *backfill)
{
  LkSetupOptions options = { .origin_us = LK_TIME_NEVER,
                             .order = self->order,
                             .backfill = backfill,
                             .select = "cons_tres",
                             .cluster = self->cluster,
                             .preempt = preempt };
  node_fixture_check (self->cluster);
  fixture_init_with (&self->fixture, &options);
  self->fixture.tells_places = TRUE;
  self->fixture.reloads = TRUE;
}

static void
begin (Site *self, guint nodes, const char *backfill)
{
  prepare (self, nodes);
  begin_with (self, "partition_prio:mode=suspend,gang=1,slice_s=10", backfill);
}

static void
finish (Site *self)
{
  fixture_clear (&self->fixture);
  lk_cluster_free (self->cluster);
  g_string_chunk_free (self->texts);
}

static void
come (Site *self, gint64 time_s, guint32 id, const char *line)
{
  go_to (self, time_s);
  submit (self, id, line);
  pass_if_wanted (self);
}

static LkJobInfo
info_of (const Site *self, guint32 id)
{
  LkJobInfo info;
  g_assert_true (lk_engine_job (self->fixture.engine, id, &info));
  return info;
}

/* One letter for each job from 1 on: of its state, - where it is not there. */
static void
assert_states (const Site *self, const char *states)
{
  GString *is = g_string_new (NULL);
  for (guint32 id = 1; id <= strlen (states); id++) {
    LkJobInfo info;
    char letter = '-';
    if (lk_engine_job (self->fixture.engine, id, &info))
      letter = info.state == LK_JOB_RUNNING     ? 'R'
               : info.state == LK_JOB_SUSPENDED ? 'S'
               : info.state == LK_JOB_PENDING   ? 'P'
                                                : 'C';
    g_string_append_c (is, letter);
  }
  g_assert_cmpstr (is->str, ==, states);
  g_string_free (is, TRUE);
}

static void
assert_ends (const Site *self, guint32 id, gint64 end_s)
{
  g_assert_cmpint (info_of (self, id).expected_end_us, ==, end_s * G_USEC_PER_SEC);
}

/* ---------------------------------------------------------------- room for a higher tier */

/* The recorded situation: h1 takes a node of l1, which goes on when h1 has ended. */
static void
test_recorded (gconstpointer backfill)
{
  Site site;
  begin (&site, 2, backfill);
  come (&site, 0, 1, "alice -p low -n4 -N1 -t 5");
  come (&site, 1, 2, "alice -p low -n4 -N1 -t 5");
  fixture_assert_log (&site.fixture, "accept 1; start 1 n1; wake 300; accept 2; start 2 n2");
  come (&site, 3, 3, "carol -p high -n4 -N1 -t 2");
  fixture_assert_log (&site.fixture, "accept 3; suspend 1; SUSPENDED 1; start 3 n1; wake 123");
  assert_states (&site, "SRR");
  /* It has 297 s left, from the expected end of h1 on. */
  assert_ends (&site, 1, 123 + 297);
  /* Its run time stays at 3 s, and its end at the limit, until it is resumed. */
  LkJobInfo stopped = info_of (&site, 1);
  g_assert_cmpint (lk_job_ran_us (&stopped, 60 * G_USEC_PER_SEC), ==, 3 * G_USEC_PER_SEC);
  g_assert_cmpint (lk_job_suspended_us (&stopped, 60 * G_USEC_PER_SEC), ==, 57 * G_USEC_PER_SEC);
  g_assert_cmpint (lk_job_end_us (&stopped), ==, 300 * G_USEC_PER_SEC);
  end (&site, 8, 3);
  fixture_assert_log (&site.fixture, "COMPLETED 3; resume 1; RUNNING 1");
  assert_states (&site, "RR-");
  assert_ends (&site, 1, 305);
  g_assert_cmpint (info_of (&site, 1).suspended_us, ==, 5 * G_USEC_PER_SEC);
  finish (&site);
}

/* Where jobs have to share, --exclusive takes all cores of a node, and lies over others. */
static void
test_exclusive (void)
{
  Site site;
  prepare (&site, 2);
  for (guint i = 0; i < site.cluster->partitions->len; i++) {
    LkPartitionSpec *partition = g_ptr_array_index (site.cluster->partitions, i);
    partition->oversubscribe = LK_OVERSUBSCRIBE_FORCE;
    partition->oversubscribe_jobs = 1;
  }
  begin_with (&site, "partition_prio:mode=suspend,gang=1,slice_s=10", "easy");
  come (&site, 0, 1, "alice -p low -N2 --exclusive -t 5");
  come (&site, 5, 2, "bob -p high -N2 --exclusive -t 5");
  assert_states (&site, "SR");
  end (&site, 25, 2);
  assert_states (&site, "R-");
  finish (&site);
}

/* Memory, GPUs and licences stay with who is suspended: GPUs cannot be gained so. */
static void
test_keeps (void)
{
  Site site;
  begin (&site, 1, "easy");
  come (&site, 0, 1, "alice -p low -n4 --mem=5000 --gpus=1 -L lic -t 10");
  static const char *const lacking[] = { "bob -p high -n1 --gpus=2 -t 10",
                                         "bob -p high -n1 --mem=4000 -t 10",
                                         "bob -p high -n1 -L lic -t 10" };
  for (guint i = 0; i < G_N_ELEMENTS (lacking); i++) {
    come (&site, 1 + i, 2 + i, lacking[i]);
    assert_states (&site, "R");
    assert_waits (&site, 2 + i, i == 2 ? "Licenses" : "Resources");
    happens (&site, 1 + i, LK_EVENT_CANCEL, 2 + i);
  }
  come (&site, 4, 5, "bob -p high -n1 --mem=3000 --gpus=1 -t 10");
  assert_states (&site, "S---R");
  finish (&site);
}

/* Nobody of its own tier or below gets the cores of who is suspended. */
static void
test_place_is_kept (void)
{
  Site site;
  begin (&site, 2, "easy");
  come (&site, 0, 1, "alice -p low -n8 -N2 -t 10");
  come (&site, 1, 2, "bob -p high -n4 -N1 -t 10");
  assert_states (&site, "SR");
  come (&site, 2, 3, "carol -p low -n1 -t 1");
  assert_states (&site, "SRP");
  /* A higher tier gets them, and who is suspended waits for both. */
  come (&site, 3, 4, "dave -p mid -n4 -N1 -t 20");
  assert_states (&site, "SRPR");
  assert_ends (&site, 1, 3 + 1200 + 599);
  end (&site, 10, 2);
  assert_states (&site, "S-PR");
  end (&site, 11, 4);
  assert_states (&site, "R-P-");
  finish (&site);
}

/* Low is stopped by mid, both by high; they go on from the top. */
static void
test_chain (void)
{
  Site site;
  begin (&site, 1, "easy");
  come (&site, 0, 1, "alice -p low -n4 -t 10");
  come (&site, 10, 2, "bob -p mid -n4 -t 10");
  assert_states (&site, "SR");
  assert_ends (&site, 1, 610 + 590);
  come (&site, 20, 3, "carol -p high -n4 -t 10");
  assert_states (&site, "SSR");
  assert_ends (&site, 2, 620 + 590);
  assert_ends (&site, 1, 1210 + 590);
  end (&site, 30, 3);
  assert_states (&site, "SR-");
  assert_ends (&site, 2, 620);
  end (&site, 40, 2);
  assert_states (&site, "R--");
  assert_ends (&site, 1, 630);
  finish (&site);
}

/* Who is suspended is not charged time: its limit comes when it has run for so long. */
static void
test_limit (void)
{
  Site site;
  begin (&site, 1, "easy");
  come (&site, 0, 1, "alice -p low -n4 -t 1");
  come (&site, 50, 2, "bob -p high -n4 -t 5");
  go_to (&site, 200);
  assert_states (&site, "SR");
  end (&site, 250, 2);
  assert_states (&site, "R-");
  go_to (&site, 259);
  assert_states (&site, "R-");
  go_to (&site, 260);
  assert_told (&site, "kill", 1, "1");
  finish (&site);
}

/* Jobs are spared by partition, the higher tier first: the low one stops though n1 comes first. */
static void
test_spares_higher (void)
{
  Site site;
  begin (&site, 2, "easy");
  come (&site, 0, 1, "alice -p mid -n4 -N1 -t 10");
  come (&site, 0, 2, "bob -p low -n4 -N1 -t 10");
  come (&site, 1, 3, "carol -p high -n4 -N1 -t 10");
  assert_states (&site, "RSR");
  finish (&site);
}

/* A partition with PreemptMode=OFF, or a job that is exempt, keeps its cores. */
static void
test_protected (void)
{
  Site site;
  prepare (&site, 1);
  tier (site.cluster, "still", 1, "off");
  begin_with (&site, "partition_prio:mode=suspend,gang=1,exempt_s=100", "easy");
  come (&site, 0, 1, "alice -p low -n2 -t 10");
  come (&site, 0, 2, "bob -p still -n2 -t 10");
  come (&site, 10, 3, "carol -p high -n1 -t 10");
  assert_states (&site, "RRP");
  go_to (&site, 99);
  assert_states (&site, "RRP");
  go_to (&site, 100);
  assert_states (&site, "SRR");
  finish (&site);
}

/* Without gang=1 those whose mode is SUSPEND are left alone. */
static void
test_without_gang (void)
{
  Site site;
  prepare (&site, 1);
  begin_with (&site, "partition_prio:mode=cancel", "easy");
  come (&site, 0, 1, "alice -p low -n4 -t 10");
  come (&site, 1, 2, "bob -p high -n4 -t 10");
  assert_states (&site, "RP");
  finish (&site);
}

/* ---------------------------------------------------------------- what else befalls them */

static void
test_ends_suspended (void)
{
  Site site;
  begin (&site, 2, "easy");
  come (&site, 0, 1, "alice -p low -n4 -N1 -t 10");
  come (&site, 0, 2, "alice -p low -n4 -N1 -t 10");
  come (&site, 1, 3, "bob -p high -n8 -N2 -t 10");
  assert_states (&site, "SSR");
  /* Cancelled. */
  happens (&site, 2, LK_EVENT_CANCEL, 1);
  assert_states (&site, "CSR");
  end (&site, 3, 1);
  assert_states (&site, "-SR");
  /* Requeued: the scheduler had stopped it, so nobody holds it. */
  happens (&site, 4, LK_EVENT_REQUEUE, 2);
  assert_states (&site, "-PR");
  assert_waits (&site, 2, "BeginTime");
  finish (&site);
}

static void
test_node_down (void)
{
  Site site;
  begin (&site, 2, "easy");
  come (&site, 0, 1, "alice -p low -n8 -N2 --no-kill -t 10");
  come (&site, 1, 2, "bob -p high -n4 -N1 --no-requeue -t 10");
  assert_states (&site, "SR");
  go_to (&site, 2);
  LkEvent event = { .kind = LK_EVENT_NODE_DOWN };
  event.node_down.node = lk_text ("n1");
  g_assert_cmpint (fixture_apply (&site.fixture, 2, &event), ==, LK_STATUS_OK);
  /* High has gone with its node; low goes on without it. */
  assert_states (&site, "R-");
  g_assert_cmpuint (info_of (&site, 1).units, ==, 4);
  finish (&site);
}

/* By hand neither is suspended again nor resumed; and what is suspended by hand gives its cores
 * away, as ever. */
static void
test_by_hand (void)
{
  Site site;
  begin (&site, 1, "easy");
  come (&site, 0, 1, "alice -p low -n4 -t 10");
  come (&site, 1, 2, "bob -p high -n4 -t 10");
  fixture_assert_log (&site.fixture, "accept 1; start 1 n1; wake 600; accept 2; suspend 1; "
                                     "SUSPENDED 1; start 2 n1");
  happens (&site, 2, LK_EVENT_RESUME, 1);
  happens (&site, 3, LK_EVENT_SUSPEND, 1);
  fixture_assert_log (&site.fixture, "reject 1 30; reject 1 40");
  happens (&site, 4, LK_EVENT_SUSPEND, 2);
  fixture_assert_log (&site.fixture, "accept 2; suspend 2; SUSPENDED 2; resume 1; RUNNING 1");
  assert_states (&site, "RS");
  /* The one above is not resumed while it would lie over another. */
  happens (&site, 5, LK_EVENT_RESUME, 2);
  fixture_assert_log (&site.fixture, "reject 2 30");
  finish (&site);
}

/* ---------------------------------------------------------------- plans */

/* A job that waits for the node of one that is suspended is planned behind it. */
static void
test_planned (gconstpointer backfill)
{
  Site site;
  begin (&site, 1, backfill);
  come (&site, 0, 1, "alice -p low -n4 -t 10");
  come (&site, 60, 2, "bob -p high -n4 -t 10");
  come (&site, 61, 3, "carol -p low -n4 -t 10");
  g_assert_cmpint (info_of (&site, 3).start_us, ==, (660 + 540) * G_USEC_PER_SEC);
  finish (&site);
}

/* ---------------------------------------------------------------- turns */

/* As begin, with two jobs of low, and one of high, on a core. */
static void
begin_sharing (Site *self)
{
  prepare (self, 1);
  LkPartitionSpec *low = g_ptr_array_index (self->cluster->partitions, 0);
  LkPartitionSpec *high = g_ptr_array_index (self->cluster->partitions, 2);
  low->oversubscribe = high->oversubscribe = LK_OVERSUBSCRIBE_FORCE;
  low->oversubscribe_jobs = 2;
  high->oversubscribe_jobs = 1;
  begin_with (self, "partition_prio:mode=suspend,gang=1,slice_s=10", "easy");
}

/* The first one is a filler at 10, and has its turn from there; at 20 it is the other's. */
static void
test_turns (void)
{
  Site site;
  begin_sharing (&site);
  come (&site, 0, 1, "alice -p low -n4 -t 10");
  come (&site, 3, 2, "bob -p low -n4 -t 10");
  assert_states (&site, "RS");
  come (&site, 4, 3, "carol -p low -n4 -t 10");
  assert_states (&site, "RSP");
  go_to (&site, 19);
  assert_states (&site, "RSP");
  go_to (&site, 20);
  assert_states (&site, "SRP");
  assert_ends (&site, 1, 603 + 580 + 17);
  go_to (&site, 30);
  assert_states (&site, "RSP");
  assert_ends (&site, 1, 610);
  end (&site, 35, 1);
  /* It goes on at once; who comes waits for its turn. */
  assert_states (&site, "-RS");
  go_to (&site, 49);
  assert_states (&site, "-RS");
  go_to (&site, 50);
  assert_states (&site, "-SR");
  finish (&site);
}

/* Both low ones stop for high, and none of low gets its cores; then it is again the turn of who
 * comes first. */
static void
test_turns_below (void)
{
  Site site;
  begin_sharing (&site);
  come (&site, 0, 1, "alice -p low -n2 -t 10");
  come (&site, 1, 2, "bob -p low -n4 -t 10");
  come (&site, 2, 3, "carol -p high -n4 -t 10");
  assert_states (&site, "SSR");
  come (&site, 3, 4, "dave -p low -n2 -t 10");
  go_to (&site, 60);
  assert_states (&site, "SSRP");
  end (&site, 61, 3);
  assert_states (&site, "RS-R");
  finish (&site);
}

static void
force (LkPartitionSpec *partition, guint32 jobs)
{
  partition->oversubscribe = LK_OVERSUBSCRIBE_FORCE;
  partition->oversubscribe_jobs = jobs;
}

/* ---------------------------------------------------------------- heterogeneous jobs */

static void
submit_component (Site *self, guint32 id, guint32 offset, const char *line)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkJobRequest request = node_fixture_request (line);
  event.submit.job_id = id + offset;
  event.submit.user_id = 1;
  event.submit.procs = lk_job_request_cpus (&request);
  event.submit.estimate_us = 300 * G_USEC_PER_SEC;
  event.submit.het_leader = id;
  event.submit.het_offset = offset;
  event.submit.het_count = 2;
  request.user = lk_text ("alice");
  lk_submit_set_request (&event.submit, &request);
  g_assert_cmpint (fixture_apply (&self->fixture, self->now_s, &event), ==, LK_STATUS_OK);
}

/* They stop nobody, and run over those of lower tiers, whoever came first. */
static void
test_het (void)
{
  static const char *const lines[] = { "-p high -N1 --exclusive --mem=100",
                                       "-p low -N1 --exclusive --mem=100" };
  Site site;
  prepare (&site, 1);
  for (guint i = 0; i < site.cluster->partitions->len; i++)
    force (g_ptr_array_index (site.cluster->partitions, i), 2);
  begin_with (&site, "partition_prio:mode=suspend,gang=1,slice_s=10", "easy");
  for (guint32 i = 0; i < 2; i++)
    submit_component (&site, 1, i, lines[i]);
  pass_if_wanted (&site);
  assert_states (&site, "RR");
  finish (&site);
}

/* ---------------------------------------------------------------- partitions of one tier */

/* One node; left and right of tier 4 beside the three, all of them FORCE. */
static void
begin_two (Site *self, guint32 jobs, const char *preempt)
{
  prepare (self, 1);
  tier (self->cluster, "left", 4, "suspend");
  tier (self->cluster, "right", 4, "suspend");
  for (guint i = 0; i < self->cluster->partitions->len; i++)
    force (g_ptr_array_index (self->cluster->partitions, i), jobs);
  begin_with (self, preempt, "easy");
}

/* Recorded 101: each partition has turns of its own, and its jobs run beside those of the other. */
static void
test_partitions (gconstpointer preempt)
{
  Site site;
  begin_two (&site, 2, preempt);
  come (&site, 0, 1, "alice -p left -n4 -t 10");
  come (&site, 1, 2, "bob -p right -n4 -t 10");
  assert_states (&site, "RR");
  come (&site, 2, 3, "bob -p right -n4 -t 10");
  assert_states (&site, "RRS");
  come (&site, 3, 4, "bob -p right -n4 -t 10");
  assert_states (&site, "RRSP");
  go_to (&site, 20);
  assert_states (&site, "RSRP");
  /* Whoever waits for its turn waits for those of its own partition only. */
  assert_ends (&site, 2, 620 + 581);
  come (&site, 21, 5, "alice -p left -n2 -t 10");
  assert_states (&site, "RSRPS");
  go_to (&site, 30);
  assert_states (&site, "RRSPS");
  end (&site, 31, 1);
  assert_states (&site, "-RSPR");
  finish (&site);
}

/* With FORCE:1 a core is of one job of each. */
static void
test_one_of_each (void)
{
  Site site;
  begin_two (&site, 1, "gang:slice_s=10");
  come (&site, 0, 1, "alice -p left -n4 -t 10");
  come (&site, 1, 2, "bob -p right -n3 -t 10");
  come (&site, 2, 3, "bob -p right -n2 -t 10");
  assert_states (&site, "RRP");
  /* A job of the tier below waits: it does not get cores of those above. */
  come (&site, 3, 4, "carol -p high -n1 -t 10");
  assert_states (&site, "RRPP");
  finish (&site);
}

/* PreemptMode=GANG alone: who is above stops those below, whatever mode these have, but OFF. */
static void
test_gang_alone (void)
{
  Site site;
  prepare (&site, 2);
  LkPartitionSpec *low = tier (site.cluster, "again", 1, "requeue");
  for (guint i = 0; i < site.cluster->partitions->len; i++)
    force (g_ptr_array_index (site.cluster->partitions, i), 1);
  g_assert_nonnull (low);
  begin_with (&site, "gang", "easy");
  come (&site, 0, 1, "alice -p again -n4 -N1 -t 10");
  come (&site, 1, 2, "bob -p high -n4 -N1 -t 10");
  assert_states (&site, "RR");
  come (&site, 2, 3, "carol -p mid -n4 -N1 -t 10");
  assert_states (&site, "SRR");
  end (&site, 12, 3);
  assert_states (&site, "RR-");
  finish (&site);
}

/* Recorded 103: a place over all below, where the highest are spared; who is not suspended there
 * goes first. */
static void
test_mixed (void)
{
  Site site;
  prepare (&site, 3);
  tier (site.cluster, "again", 2, "cancel");
  tier (site.cluster, "gone", 2, "cancel");
  begin_with (&site, "partition_prio:mode=suspend,gang=1", "easy");
  come (&site, 0, 1, "alice -p low -n4 -N1 -t 10");
  come (&site, 0, 2, "alice -p again -n4 -N1 -t 10");
  come (&site, 0, 3, "bob -p gone -n4 -N1 -t 10");
  come (&site, 10, 4, "carol -p high -n8 -N2 -t 10");
  assert_states (&site, "RRCP");
  end (&site, 11, 3);
  assert_states (&site, "SR-R");
  finish (&site);
}

int
main (int argc, char **argv)
{
  static const char *const backfills[] = { "none", "easy", "conservative", "replan", "full" };
  static const char *const planners[] = { "conservative", "full" };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (backfills); i++) {
    g_autofree char *path =
        g_strdup_printf ("/gang/recorded: the low one is suspended: %s", backfills[i]);
    g_test_add_data_func (path, backfills[i], test_recorded);
  }
  for (guint i = 0; i < G_N_ELEMENTS (planners); i++) {
    g_autofree char *path =
        g_strdup_printf ("/gang/plans count on who is suspended: %s", planners[i]);
    g_test_add_data_func (path, planners[i], test_planned);
  }
  g_test_add_func ("/gang/who wants nodes alone lies over others, too", test_exclusive);
  g_test_add_func ("/gang/memory, GPUs and licences stay", test_keeps);
  g_test_add_func ("/gang/its own tier does not get the cores", test_place_is_kept);
  g_test_add_func ("/gang/low waits for mid, mid for high", test_chain);
  g_test_add_func ("/gang/the limit counts time that it ran", test_limit);
  g_test_add_func ("/gang/higher partitions are spared", test_spares_higher);
  g_test_add_func ("/gang/OFF and exempt time protect", test_protected);
  g_test_add_func ("/gang/nobody is suspended without gang", test_without_gang);
  g_test_add_func ("/gang/cancelled and requeued while suspended", test_ends_suspended);
  g_test_add_func ("/gang/a node goes down", test_node_down);
  g_test_add_func ("/gang/suspended by hand and by the scheduler", test_by_hand);
  g_test_add_func ("/gang/jobs of one tier take turns", test_turns);
  g_test_add_func ("/gang/nobody takes turns with a higher tier", test_turns_below);
  g_test_add_data_func ("/gang/partitions of one tier have turns of their own: tiers",
                        "partition_prio:mode=suspend,gang=1,slice_s=10", test_partitions);
  g_test_add_data_func ("/gang/partitions of one tier have turns of their own: gang alone",
                        "gang:slice_s=10", test_partitions);
  g_test_add_func ("/gang/one job of each partition on a core", test_one_of_each);
  g_test_add_func ("/gang/heterogeneous jobs", test_het);
  g_test_add_func ("/gang/turns without preemption", test_gang_alone);
  g_test_add_func ("/gang/over those who stop and those who go", test_mixed);
  return g_test_run ();
}
