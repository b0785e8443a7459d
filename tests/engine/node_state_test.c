/* tests/engine/node_state_test.c — the words for what a node is like.
 *
 * First from its flags alone, in all their sets, then as jobs come and go through an engine.  The
 * words and which goes first are Slurm's: semantics of scontrol show node. */
#include "tests/engine/node_fixture.h"

/* ---------------------------------------------------------------- flags */

/* n1 is idle, n2 has one of its two cores in use. */
static LkCluster *
two_nodes (LkNodeTable *out_nodes)
{
  LkCluster *cluster = lk_cluster_new ("two");
  node_fixture_add (cluster, "n[1-2]", 2, 100);
  node_fixture_check (cluster);
  lk_node_table_init (out_nodes, cluster);
  guint32 piece = lk_piece_new (out_nodes);
  lk_piece (out_nodes, piece)->node = 1;
  lk_bits_add (lk_piece (out_nodes, piece)->cores, 0);
  lk_node_table_attach (out_nodes, piece);
  return cluster;
}

/* Down hides all, drained all but that, and so on: a row stands for all sets whose highest flag in
 * this order is its own. */
static const struct {
  guint32 flag;
  const char *idle;
  const char *used;
} words[] = {
  { LK_NODE_DOWN, "DOWN", "DOWN" },
  { LK_NODE_DRAIN, "DRAINED", "DRAINING" },
  { LK_NODE_FAIL, "FAIL", "FAILING" },
  { LK_NODE_MAINT, "MAINT", "MAINT" },
};

static void
test_flags (void)
{
  LkNodeTable nodes;
  LkCluster *cluster = two_nodes (&nodes);
  for (guint32 flags = 1; flags < 16; flags++) {
    guint row = 0;
    while ((flags & words[row].flag) == 0)
      row++;
    for (guint32 node = 0; node < 2; node++) {
      const char *word = node == 0 ? words[row].idle : words[row].used;
      lk_node_table_set_flags (&nodes, node, flags, "why", 3);
      g_assert_cmpstr (lk_node_state_text (&nodes, node, /* is_planned= */ FALSE), ==, word);
      g_assert_cmpstr (lk_node_state_text (&nodes, node, /* is_planned= */ TRUE), ==, word);
      g_assert_cmpstr (nodes.reasons[node], ==, "why");
    }
    lk_node_table_check (&nodes);
  }
  lk_node_table_clear (&nodes);
  lk_cluster_free (cluster);
}

static void
test_no_flags (void)
{
  LkNodeTable nodes;
  LkCluster *cluster = two_nodes (&nodes);
  lk_node_table_set_flags (&nodes, 0, LK_NODE_DRAIN, "why", 3);
  lk_node_table_set_flags (&nodes, 0, 0, "", 0);
  g_assert_cmpstr (nodes.reasons[0], ==, "");
  g_assert_cmpstr (lk_node_state_text (&nodes, 0, /* is_planned= */ FALSE), ==, "IDLE");
  g_assert_cmpstr (lk_node_state_text (&nodes, 0, /* is_planned= */ TRUE), ==, "PLANNED");
  g_assert_cmpstr (lk_node_state_text (&nodes, 1, /* is_planned= */ FALSE), ==, "MIXED");
  g_assert_cmpstr (lk_node_state_text (&nodes, 1, /* is_planned= */ TRUE), ==, "MIXED");
  lk_node_table_clear (&nodes);
  lk_cluster_free (cluster);
}

/* Nodes begin with the flags of their description. */
static void
test_description (void)
{
  LkNodeTable nodes;
  g_autoptr (LkCluster) cluster = lk_cluster_new ("begin");
  LkNodeSpec *spec = node_fixture_add (cluster, "n1", 1, 100);
  node_fixture_add (cluster, "n2", 1, 100);
  spec->flags = LK_NODE_DRAIN | LK_NODE_MAINT;
  g_free (spec->reason);
  spec->reason = g_strdup ("new disk");
  node_fixture_check (cluster);
  lk_node_table_init (&nodes, cluster);
  g_assert_cmpstr (lk_node_state_text (&nodes, 0, /* is_planned= */ FALSE), ==, "DRAINED");
  g_assert_cmpstr (nodes.reasons[0], ==, "new disk");
  g_assert_cmpstr (lk_node_state_text (&nodes, 1, /* is_planned= */ FALSE), ==, "IDLE");
  lk_node_table_clear (&nodes);
}

/* ---------------------------------------------------------------- jobs */

/* The words of all nodes, with spaces between. */
#define ASSERT_STATES(self, expected)                                                              \
  do {                                                                                             \
    g_autofree char *found = states (self);                                                        \
    g_assert_cmpstr (found, ==, expected);                                                         \
  } while (0)

static char *
states (const LkFixture *self)
{
  const LkNodeTable *nodes = lk_engine_nodes (self->engine);
  GString *out = g_string_new (NULL);
  for (guint32 node = 0; node < nodes->node_count; node++)
    g_string_append_printf (out, "%s%s", node > 0 ? " " : "",
                            lk_node_state_text (nodes, node, /* is_planned= */ FALSE));
  return g_string_free (out, FALSE);
}

static void
start (LkFixture *self, gint64 time_s, guint32 id, const char *line)
{
  LkJobInfo info;
  node_fixture_submit (self, time_s, id, 1000, line);
  node_fixture_pass (self, time_s);
  g_assert_true (lk_engine_job (self->engine, id, &info));
  g_assert_cmpstr (lk_job_state_name (info.state), ==, "RUNNING");
}

static void
plain_init (LkFixture *self)
{
  LkCluster *cluster = lk_cluster_new ("plain");
  node_fixture_add (cluster, "n[1-2]", 4, 1000);
  node_fixture_init (self, cluster, "easy", "cons_tres");
  lk_cluster_free (cluster);
}

static void
test_jobs (void)
{
  LkFixture self;
  plain_init (&self);
  ASSERT_STATES (&self, "IDLE IDLE");
  start (&self, 1, 1, "-n1 --mem=100");
  ASSERT_STATES (&self, "MIXED IDLE");
  start (&self, 2, 2, "-n2 --mem=100 -w n1");
  ASSERT_STATES (&self, "MIXED IDLE");
  start (&self, 3, 3, "-n2 -N2 --mem=100");
  ASSERT_STATES (&self, "ALLOCATED MIXED");
  fixture_ended (&self, 4, 2);
  ASSERT_STATES (&self, "MIXED MIXED");
  fixture_ended (&self, 5, 3);
  ASSERT_STATES (&self, "MIXED IDLE");
  fixture_ended (&self, 6, 1);
  ASSERT_STATES (&self, "IDLE IDLE");
  fixture_clear (&self);
}

/* Cores say whether a node is full: memory that is gone does not. */
static void
test_memory (void)
{
  LkFixture self;
  plain_init (&self);
  start (&self, 1, 1, "-n3 --mem=0");
  ASSERT_STATES (&self, "MIXED IDLE");
  start (&self, 2, 2, "-n1 --exclusive --mem=10");
  ASSERT_STATES (&self, "MIXED ALLOCATED");
  fixture_clear (&self);
}

/* Cores that are no job's do not keep a node from being full; a thread takes its core. */
static void
test_cores (void)
{
  LkCluster *cluster = lk_cluster_new ("cores");
  LkFixture self;
  node_fixture_add (cluster, "n1", 4, 1000)->cores_reserved = 2;
  node_fixture_add_sockets (cluster, "n2", 1, 2, 2);
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  lk_cluster_free (cluster);
  start (&self, 1, 1, "-n1 --mem=10 -w n1");
  start (&self, 1, 2, "-n1 --mem=10 -w n2");
  ASSERT_STATES (&self, "MIXED MIXED");
  start (&self, 2, 3, "-n1 --mem=10 -w n1");
  start (&self, 2, 4, "-n1 --mem=10 -w n2");
  ASSERT_STATES (&self, "ALLOCATED ALLOCATED");
  fixture_clear (&self);
}

/* Nodes with more cores than a word has bits. */
static void
test_many_cores (void)
{
  LkCluster *cluster = lk_cluster_new ("many cores");
  LkFixture self;
  node_fixture_add (cluster, "n1", 200, 1000);
  node_fixture_add (cluster, "n2", 3, 1000);
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  lk_cluster_free (cluster);
  start (&self, 1, 1, "-n199 --mem=10 -w n1");
  start (&self, 1, 2, "-n3 --mem=10 -w n2");
  ASSERT_STATES (&self, "MIXED ALLOCATED");
  start (&self, 2, 3, "-n1 --mem=10 -w n1");
  ASSERT_STATES (&self, "ALLOCATED ALLOCATED");
  fixture_clear (&self);
}

/* Jobs that share a core count once. */
static void
test_sharing (void)
{
  LkCluster *cluster = lk_cluster_new ("sharing");
  LkFixture self;
  node_fixture_add (cluster, "n1", 2, 1000);
  LkPartitionSpec *partition = lk_cluster_add_partition (cluster, "p");
  partition->oversubscribe = LK_OVERSUBSCRIBE_FORCE;
  partition->oversubscribe_jobs = 3;
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  lk_cluster_free (cluster);
  start (&self, 1, 1, "-n1 --mem=10");
  ASSERT_STATES (&self, "MIXED");
  start (&self, 2, 2, "-n2 --mem=10");
  ASSERT_STATES (&self, "ALLOCATED");
  fixture_ended (&self, 3, 1);
  ASSERT_STATES (&self, "ALLOCATED");
  fixture_ended (&self, 4, 2);
  ASSERT_STATES (&self, "IDLE");
  fixture_clear (&self);
}

/* A drained node waits for its jobs; a node that is down has none. */
static void
test_events (void)
{
  LkFixture self;
  plain_init (&self);
  start (&self, 1, 1, "-n1 --mem=10 -w n1");
  node_fixture_node (&self, 2, LK_EVENT_NODE_DRAIN, "n[1-2]");
  ASSERT_STATES (&self, "DRAINING DRAINED");
  g_assert_cmpstr (lk_engine_nodes (self.engine)->reasons[0], ==, "disk");
  fixture_ended (&self, 3, 1);
  ASSERT_STATES (&self, "DRAINED DRAINED");
  node_fixture_node (&self, 4, LK_EVENT_NODE_RESUME, "n[1-2]");
  ASSERT_STATES (&self, "IDLE IDLE");
  g_assert_cmpstr (lk_engine_nodes (self.engine)->reasons[0], ==, "");
  start (&self, 5, 2, "-n4 --mem=10 -w n2");
  node_fixture_node (&self, 6, LK_EVENT_NODE_DOWN, "n2");
  ASSERT_STATES (&self, "IDLE DOWN");
  g_assert_cmpuint (lk_engine_nodes (self.engine)->piece_count[1], ==, 0);
  node_fixture_node (&self, 7, LK_EVENT_NODE_DRAIN, "n2");
  ASSERT_STATES (&self, "IDLE DOWN");
  node_fixture_node (&self, 8, LK_EVENT_NODE_UP, "n2");
  ASSERT_STATES (&self, "IDLE DRAINED");
  node_fixture_node (&self, 9, LK_EVENT_NODE_RESUME, "n2");
  ASSERT_STATES (&self, "IDLE IDLE");
  fixture_clear (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/node_state/flags hide what runs, each those behind it", test_flags);
  g_test_add_func ("/node_state/without flags it is told what runs", test_no_flags);
  g_test_add_func ("/node_state/nodes begin as they are described", test_description);
  g_test_add_func ("/node_state/idle, mixed, allocated and back", test_jobs);
  g_test_add_func ("/node_state/only cores make a node full", test_memory);
  g_test_add_func ("/node_state/cores that jobs cannot have do not count", test_cores);
  g_test_add_func ("/node_state/nodes of many cores are full with the last", test_many_cores);
  g_test_add_func ("/node_state/cores that are shared count once", test_sharing);
  g_test_add_func ("/node_state/nodes drain, fall and come back", test_events);
  return g_test_run ();
}
