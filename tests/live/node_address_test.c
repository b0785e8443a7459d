/* tests/live/node_address_test.c — where nodes are in the network, of trees, blocks and neither. */
#include "live/core/node_address.h"

typedef struct {
  const char *name;
  const char *nodes;
  const char *switches;
} Switch;

static LkNodeAddresses *
addresses_of (LkTopologyKind kind, const Switch *switches, guint count)
{
  g_autoptr (LkCluster) cluster = lk_cluster_new ("c");
  cluster->topology = kind;
  for (guint i = 0; i < count; i++)
    lk_cluster_add_switch (cluster, switches[i].name, switches[i].nodes, switches[i].switches);
  return lk_node_addresses_new (cluster);
}

static void
assert_address (const LkNodeAddresses *addresses, const char *node, const char *address,
                const char *pattern)
{
  g_autoptr (GString) told = g_string_new (NULL);
  g_autoptr (GString) parts = g_string_new (NULL);
  lk_node_address (addresses, node, told, parts);
  g_assert_cmpstr (told->str, ==, address);
  g_assert_cmpstr (parts->str, ==, pattern);
}

/* A switch may stand before those below it, or behind; n9 is on none. */
static void
test_tree (void)
{
  static const Switch switches[] = {
    { "leaf1", "n[1-2]", "" }, { "root", "", "mid[1-2]" }, { "mid1", "", "leaf1" },
    { "mid2", "", "leaf2" },   { "leaf2", "n3", "" },
  };
  LkNodeAddresses *addresses = addresses_of (LK_TOPOLOGY_TREE, switches, G_N_ELEMENTS (switches));
  assert_address (addresses, "n2", "root.mid1.leaf1.n2", "switch.switch.switch.node");
  assert_address (addresses, "n3", "root.mid2.leaf2.n3", "switch.switch.switch.node");
  assert_address (addresses, "n9", "n9", "node");
  lk_node_addresses_free (addresses);
}

static void
test_blocks (void)
{
  static const Switch blocks[] = { { "b1", "n[1-2]", "" }, { "b2", "n[3-4]", "" } };
  LkNodeAddresses *addresses = addresses_of (LK_TOPOLOGY_BLOCK, blocks, G_N_ELEMENTS (blocks));
  assert_address (addresses, "n3", "b2.n3", "block.node");
  lk_node_addresses_free (addresses);
}

static void
test_flat (void)
{
  LkNodeAddresses *addresses = addresses_of (LK_TOPOLOGY_FLAT, NULL, 0);
  assert_address (addresses, "n1", "n1", "node");
  lk_node_addresses_free (addresses);
  g_assert_null (lk_node_addresses_new (NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/node address/of a tree begins at its top", test_tree);
  g_test_add_func ("/node address/of blocks is the block and the node", test_blocks);
  g_test_add_func ("/node address/without a topology is the node", test_flat);
  return g_test_run ();
}
