/* tests/engine/preempt_turn_test.c — room that is made for a job is for it: nobody goes for one
 * whose turn does not come, and nobody behind it takes what was freed.
 *
 * Situations that random scripts have found, each with the backfill policies whose plans say whose
 * turn it is.  The engine is replaced by a copy from its snapshot after each event. */
#include "tests/engine/het_fixture.h"

static void
tier (LkCluster *cluster, const char *name, guint32 priority_tier, const char *mode)
{
  LkPartitionSpec *partition = lk_cluster_add_partition (cluster, name);
  partition->is_default = cluster->partitions->len == 1;
  partition->priority_tier = priority_tier;
  g_free (partition->preempt_mode);
  partition->preempt_mode = g_strdup (mode);
}

/* Nodes of four cores; jobs of low are suspended, of mid requeued, of high left alone. */
static void
begin (Site *self, const char *nodes, const char *backfill)
{
  LkSetupOptions options = { .origin_us = LK_TIME_NEVER,
                             .order = "fifo",
                             .backfill = backfill,
                             .select = "cons_tres",
                             .preempt = "partition_prio:mode=suspend,gang=1,slice_s=10" };
  *self = (Site){ .order = "fifo", .texts = g_string_chunk_new (1024), .woken_s = -1 };
  options.cluster = self->cluster = lk_cluster_new ("turns");
  node_fixture_add (self->cluster, nodes, 4, 8000);
  tier (self->cluster, "low", 1, "suspend");
  tier (self->cluster, "mid", 2, "requeue");
  tier (self->cluster, "high", 3, "off");
  node_fixture_check (self->cluster);
  fixture_init_with (&self->fixture, &options);
  self->fixture.tells_places = TRUE;
  self->fixture.reloads = TRUE;
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

static void
assert_state (const Site *self, guint32 id, LkJobState state)
{
  LkJobInfo info;
  g_assert_true (lk_engine_job (self->fixture.engine, id, &info));
  g_assert_cmpint (info.state, ==, state);
}

static void
assert_not_told (const Site *self, const char *what)
{
  g_assert_null (strstr (self->fixture.log->str, what));
}

/* What comes free would be the heterogeneous job's, which waits for all nodes: job 2 stays. */
static void
test_behind_het (gconstpointer backfill)
{
  Site site;
  begin (&site, "n[1-4]", backfill);
  come (&site, 0, 1, "alice -p high -N3 -n12 -t 5");
  come (&site, 0, 2, "alice -p mid -n4 -N1 -t 20");
  go_to (&site, 1);
  submit_as (&site, 1, 3, 0, "-p high -N2 --exclusive");
  submit_as (&site, 1, 3, 1, "-p high -N2 --exclusive");
  pass_if_wanted (&site);
  come (&site, 2, 5, "alice -p high -n4 -N1 -t 30");
  assert_not_told (&site, "preempt 2");
  assert_state (&site, 2, LK_JOB_RUNNING);
  assert_state (&site, 5, LK_JOB_PENDING);
  finish (&site);
}

/* Job 5 lies over job 1 in the pass in which job 2 goes for job 4, and leaves that its place. */
static void
test_same_pass (gconstpointer backfill)
{
  Site site;
  begin (&site, "n[1-3]", backfill);
  come (&site, 0, 1, "alice -p low -n3 -N1 -t 10");
  come (&site, 0, 2, "alice -p mid -n4 -N1 -t 10");
  come (&site, 0, 3, "alice -p high -n4 -N1 -t 9");
  come (&site, 10, 4, "alice -p high -n3 -N3 -t 4");
  come (&site, 11, 5, "alice -p high -n6 -N2 -t 5");
  end (&site, 20, 3);
  g_assert_nonnull (strstr (site.fixture.log->str, "preempt 2"));
  assert_state (&site, 4, LK_JOB_RUNNING);
  assert_state (&site, 5, LK_JOB_RUNNING);
  finish (&site);
}

/* Job 3 lies over job 1 as soon as job 2 has ended: job 4 is not let in, only to go again. */
static void
test_before_policy (gconstpointer backfill)
{
  Site site;
  begin (&site, "n[1-2]", backfill);
  come (&site, 0, 1, "alice -p low -n4 -N1 -t 10");
  come (&site, 0, 2, "alice -p high -n4 -N1 -t 9");
  come (&site, 10, 3, "alice -p high -n8 -N2 -t 10");
  come (&site, 11, 4, "alice -p mid -n4 -N1 -t 5");
  end (&site, 20, 2);
  assert_not_told (&site, "start 4");
  assert_state (&site, 1, LK_JOB_SUSPENDED);
  assert_state (&site, 3, LK_JOB_RUNNING);
  assert_state (&site, 4, LK_JOB_PENDING);
  finish (&site);
}

static void
add (const char *title, const char *backfill, GTestDataFunc test)
{
  g_autofree char *path = g_strdup_printf ("/preempt turn/%s: %s", title, backfill);
  g_test_add_data_func (path, backfill, test);
}

int
main (int argc, char **argv)
{
  static const char *const backfills[] = { "none", "easy", "conservative", "replan", "full" };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (backfills); i++) {
    add ("nobody goes for who waits behind a heterogeneous job", backfills[i], test_behind_het);
    add ("room is kept in the pass in which it is made", backfills[i], test_same_pass);
    add ("who can have cores of others starts first", backfills[i], test_before_policy);
  }
  return g_test_run ();
}
