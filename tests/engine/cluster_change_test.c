/* tests/engine/cluster_change_test.c — what a change makes of a description. */
#include "engine/cluster_change.h"

#include <string.h>

#define BIT(member) (G_GUINT64_CONSTANT (1) << LK_PARTITION_CHANGE_##member)

static LkCluster *
cluster_new (void)
{
  LkClusterError error;
  LkCluster *self = lk_cluster_new ("site");
  lk_cluster_add_nodes (self, "n[1-4]");
  lk_cluster_add_nodes (self, "m[1-2]");
  lk_cluster_add_partition (self, "batch");
  g_assert_true (lk_cluster_check (self, &error));
  return self;
}

static LkPartitionSpec *
partition (const LkCluster *self, guint at)
{
  return g_ptr_array_index (self->partitions, at);
}

/* A partition with these members, of which only those named count. */
static LkReject
change_partition (LkCluster *self, LkClusterOperation operation, const char *name, guint64 changes,
                  const LkPartitionSpec *spec)
{
  LkClusterError error;
  g_autoptr (GString) record = g_string_new (NULL);
  if (spec != NULL)
    lk_partition_spec_text (spec, record);
  const LkClusterChange change = { .operation = (guint8)operation,
                                   .name = lk_text (name),
                                   .changes = changes,
                                   .record = { record->str, (guint32)record->len } };
  return lk_cluster_change (self, &change, &error);
}

static LkReject
change_nodes (LkCluster *self, const char *names, guint32 weight)
{
  LkClusterError error;
  g_autoptr (LkCluster) scratch = lk_cluster_new ("");
  g_autoptr (GString) record = g_string_new (NULL);
  LkNodeSpec *spec = lk_cluster_add_nodes (scratch, "any");
  spec->weight = weight;
  lk_node_spec_text (spec, record);
  const LkClusterChange change = { .operation = LK_CLUSTER_CHANGE_NODES,
                                   .name = lk_text (names),
                                   .changes = 1u << LK_NODE_CHANGE_weight,
                                   .record = { record->str, (guint32)record->len } };
  return lk_cluster_change (self, &change, &error);
}

/* "names=weight" of each group. */
static void
assert_groups (const LkCluster *self, const char *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < self->nodes->len; i++) {
    const LkNodeSpec *spec = g_ptr_array_index (self->nodes, i);
    g_string_append_printf (text, "%s%s=%u", i > 0 ? " " : "", spec->names, spec->weight);
  }
  g_assert_cmpstr (text->str, ==, expected);
}

static void
test_partitions (void)
{
  g_autoptr (LkCluster) self = cluster_new ();
  g_autoptr (LkCluster) scratch = lk_cluster_new ("");
  LkPartitionSpec *spec = lk_cluster_add_partition (scratch, "any");
  spec->is_default = TRUE;
  spec->priority_tier = 9;
  spec->nodes_max = 3;
  g_assert_cmpint (change_partition (self, LK_CLUSTER_CHANGE_PARTITION_ADD, "debug",
                                     BIT (nodes_max) | BIT (is_default), spec),
                   ==, 0);
  g_assert_cmpuint (partition (self, 1)->nodes_max, ==, 3);
  g_assert_cmpuint (partition (self, 1)->priority_tier, ==, 1);
  g_assert_true (partition (self, 1)->is_default);
  g_assert_false (partition (self, 0)->is_default);
  g_assert_cmpint (change_partition (self, LK_CLUSTER_CHANGE_PARTITION_ADD, "debug", 0, spec), ==,
                   LK_REJECT_PARTITION_UNKNOWN);
  g_assert_cmpint (
      change_partition (self, LK_CLUSTER_CHANGE_PARTITION, "batch", BIT (priority_tier), spec), ==,
      0);
  g_assert_cmpuint (partition (self, 0)->priority_tier, ==, 9);
  g_assert_cmpint (change_partition (self, LK_CLUSTER_CHANGE_PARTITION_DELETE, "debug", 0, NULL),
                   ==, 0);
  g_assert_cmpuint (self->partitions->len, ==, 1);
  g_assert_true (partition (self, 0)->is_default);
  g_assert_cmpint (change_partition (self, LK_CLUSTER_CHANGE_PARTITION_DELETE, "batch", 0, NULL),
                   ==, LK_REJECT_REQUEST_INVALID);
}

/* With + nodes come to those that a partition has, and with - they go. */
static void
test_partition_nodes (void)
{
  static const struct {
    const char *said;
    LkReject reject;
    const char *has;
  } steps[] = { { "-m1", 0, "n[1-4],m2" },
                { "-n[1-3]", 0, "n4,m2" },
                { "+n[3-4],m1", 0, "n4,m2,n3,m1" },
                { "-n9", LK_REJECT_NODE_UNKNOWN, NULL },
                { "-n1", LK_REJECT_NODE_UNKNOWN, NULL },
                { "+n9", LK_REJECT_NODE_UNKNOWN, NULL },
                { "+n[", LK_REJECT_NODE_UNKNOWN, NULL } };
  g_autoptr (GString) has = g_string_new ("ALL");
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    g_autoptr (LkCluster) self = cluster_new ();
    g_autoptr (LkCluster) scratch = lk_cluster_new ("");
    LkPartitionSpec *spec = lk_cluster_add_partition (scratch, "any");
    g_free (spec->nodes);
    spec->nodes = g_strdup (steps[i].said);
    g_free (partition (self, 0)->nodes);
    partition (self, 0)->nodes = g_strdup (has->str);
    g_assert_cmpint (
        change_partition (self, LK_CLUSTER_CHANGE_PARTITION, "batch", BIT (nodes), spec), ==,
        steps[i].reject);
    if (steps[i].reject != 0)
      continue;
    g_assert_cmpstr (partition (self, 0)->nodes, ==, steps[i].has);
    g_string_assign (has, steps[i].has);
  }
}

/* Bytes that come from anywhere. */
static void
test_refused (void)
{
  g_autoptr (LkCluster) self = cluster_new ();
  LkClusterError error;
  static const char text[] = "partition \"unended";
  const LkClusterChange changes[] = {
    { .operation = LK_CLUSTER_CHANGE_PARTITION, .name = lk_text ("batch") },
    { LK_CLUSTER_CHANGE_PARTITION, lk_text ("batch"), 0, { text, sizeof text - 1 } },
    { LK_CLUSTER_CHANGE_PARTITION, lk_text ("batch"), G_MAXUINT64, { text, sizeof text - 1 } },
    { LK_CLUSTER_CHANGE_NODES, lk_text ("n1"), 1, { text, sizeof text - 1 } },
    { LK_CLUSTER_CHANGE_NODES, lk_text ("n1"), 1u << LK_NODE_CHANGE_weight, { text, 3 } },
    { .operation = 77 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    g_assert_cmpint (lk_cluster_change (self, &changes[i], &error), ==, LK_REJECT_REQUEST_INVALID);
}

static void
test_nodes (void)
{
  g_autoptr (LkCluster) self = cluster_new ();
  g_assert_cmpint (change_nodes (self, "n2,m[1-2]", 5), ==, 0);
  assert_groups (self, "n1=1 n2=5 n[3-4]=1 m[1-2]=5");
  g_assert_cmpint (change_nodes (self, "all", 7), ==, 0);
  assert_groups (self, "n1=7 n2=7 n[3-4]=7 m[1-2]=7");
  g_assert_cmpint (change_nodes (self, "n9", 5), ==, LK_REJECT_NODE_UNKNOWN);
  g_assert_cmpint (change_nodes (self, "", 5), ==, LK_REJECT_NODE_UNKNOWN);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cluster change/partitions, of which one is the default", test_partitions);
  g_test_add_func ("/cluster change/nodes come to a partition and go", test_partition_nodes);
  g_test_add_func ("/cluster change/what is none is refused", test_refused);
  g_test_add_func ("/cluster change/groups of nodes are divided, and keep their order", test_nodes);
  return g_test_run ();
}
