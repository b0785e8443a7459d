/* tests/policies/select_topology_test.c — which nodes `topology` chooses on a tree and in blocks:
 * one worked example for each rule of docs/policy-select.md. */
#include <glib.h>

#include "policies/selects.h"
#include "tests/policies/select_fixture.h"

typedef struct {
  const char *name;
  const char *nodes;
  const char *parents; /* of switches; NULL: blocks */
  const char *sizes;   /* of blocks */
  const char *switches;
  const char *demand;
  const char *chosen;
} TopologyCase;

/* Three leafs of four nodes below one top, with 3, 2 and 4 nodes free. */
#define THREE_LEAFS "4 4 4 - 4 4 - - 4 4 4 4", "3 3 3 -", NULL, "0 0 0 0 1 1 1 1 2 2 2 2"
/* Two pairs of leafs: 0 and 1 below 4, 2 and 3 below 5, all below 6. */
#define PAIRS "4 4 5 5 6 6 -", NULL
/* Four base blocks of four nodes with 3, 4, 2 and 4 free. */
#define FOUR_BLOCKS "4 4 4 - 4 4 4 4 4 4 - - 4 4 4 4", NULL
#define IN_BLOCKS "0 0 0 0 1 1 1 1 2 2 2 2 3 3 3 3"

static const TopologyCase topology_cases[] = {
  { "tree: the leaf with the fewest nodes that hold the job", THREE_LEAFS, "nodes=2 cpus=2",
    "n4:1 n5:1" },
  { "tree: the only leaf that holds the job", THREE_LEAFS, "nodes=4 cpus=4",
    "n8:1 n9:1 n10:1 n11:1" },
  { "tree: the largest leaf, then the tightest", THREE_LEAFS, "nodes=5 cpus=5",
    "n4:1 n8:1 n9:1 n10:1 n11:1" },
  { "tree: all leafs", THREE_LEAFS, "nodes=9 cpus=9",
    "n0:1 n1:1 n2:1 n4:1 n5:1 n8:1 n9:1 n10:1 n11:1" },
  { "tree: more leafs than the job may be on", THREE_LEAFS, "nodes=5 cpus=5 switches=1", "none" },
  { "tree: fewer nodes than wanted on as many leafs as may be", THREE_LEAFS,
    "nodes=3-9 wanted=9 cpus=3 switches=1", "n8:1 n9:1 n10:1 n11:1" },
  { "tree: as many leafs as the job may be on", THREE_LEAFS, "nodes=5 cpus=5 switches=2",
    "n4:1 n8:1 n9:1 n10:1 n11:1" },
  { "tree: CPUs that a leaf lacks", "4 4 2 8", "2 2 -", NULL, "0 0 1 1", "cpus=9", "n2:2 n3:7" },
  { "tree: a named node's leaf is filled first", "4 4 4! 4 4 4", "2 2 -", NULL, "0 0 1 1 1 1",
    "nodes=3 cpus=3", "n2:1 n3:1 n4:1" },
  { "tree: then the nearest leaf", "4! 4 4 4 4 4 4", PAIRS, "0 1 1 1 2 2 3", "nodes=3 cpus=3",
    "n0:1 n1:1 n2:1" },
  { "tree: a nearer leaf that comes first need not hold the rest", "4! 4 4 4 4 4 4", PAIRS,
    "0 1 2 2 2 3 3", "nodes=3 cpus=3", "n0:1 n1:1 n5:1" },
  { "tree: a nearer leaf that comes later must hold the rest", "4 4 4 4 4 4! 4", PAIRS,
    "0 0 1 1 1 2 3", "nodes=3 cpus=3", "n0:1 n1:1 n5:1" },
  { "tree: what holds the job above its leafs", "4 4 4 4 4 4 4 4 4", PAIRS, "0 0 1 1 2 2 2 3 3",
    "nodes=4 cpus=4", "n0:1 n1:1 n2:1 n3:1" },
  { "tree: what is used up does not count above its leaf", "4! 4 4 4 4 4 4! 4 4 4", PAIRS,
    "0 0 0 0 1 1 2 3 3 3", "nodes=9 cpus=9", "n0:1 n1:1 n2:1 n3:1 n4:1 n6:1 n7:1 n8:1 n9:1" },
  { "tree: the CPUs of a leaf exactly", "4 4 4 4 4", "2 2 -", NULL, "0 0 1 1 1", "nodes=2 cpus=8",
    "n0:4 n1:4" },
  { "tree: the CPUs of all leafs exactly", "4 4", "-", NULL, "0 0", "cpus=8", "n0:4 n1:4" },
  { "tree: named nodes are enough", "4! 4 4!", "2 2 -", NULL, "0 0 1", "nodes=2 cpus=2",
    "n0:1 n2:1" },
  { "tree: named nodes without a common switch", "4! 4 4!", "- -", NULL, "0 0 1", "nodes=2 cpus=2",
    "none" },
  { "tree: a named node on no switch", "4! 4", "-", NULL, "- 0", "cpus=1", "none" },
  { "tree: nodes on no switch are not used", "4 4", "-", NULL, "- 0", "cpus=1", "n1:1" },
  { "tree: trees are not spanned", "4 4 4 4", "- -", NULL, "0 0 1 1", "nodes=3 cpus=3", "none" },
  { "tree: one of two trees", "4 2 2 2", "- -", NULL, "0 1 1 1", "nodes=2 cpus=2", "n1:1 n2:1" },
  { "tree: the tree of the lightest node", "4w2 4 4w2 4", "- -", NULL, "0 0 1 1", "cpus=1",
    "n3:1" },
  { "tree: the lightest node of a tree counts", "4w3 4w1 4w2 4w2", "- -", NULL, "0 0 1 1", "cpus=1",
    "n1:1" },
  { "tree: of equally high trees the lighter one", "4w1 4w2", "- -", NULL, "0 1", "cpus=1",
    "n0:1" },
  { "tree: lighter nodes of another tree do not count", "4w1 4w2 4w2", "- -", NULL, "0 1 1",
    "nodes=2 cpus=2", "n1:1 n2:1" },
  { "tree: weight goes before nearness", "4w2 4w2 4 4 4w2", "3 3 3 -", NULL, "0 0 1 2 2",
    "nodes=3 cpus=3", "n2:1 n3:1 n4:1" },
  { "tree: GPUs that the first tree lacks", "4g1 4g1 4g2n1 4g2n1", "- -", NULL, "0 0 1 1",
    "cpus=1 gpus=4", "n2:1/2 n3:1/2" },
  { "tree: light nodes that use up the limit are left out", "1 8w2 8w2", "-", NULL, "0 0 0",
    "nodes=1-2 cpus=12", "n1:8 n2:4" },
  { "tree: small nodes that use up the limit are left out", "1 8 8", "-", NULL, "0 0 0",
    "nodes=1-2 cpus=12", "n1:8 n2:4" },
  { "tree: contiguous nodes are as without a tree", "4 4 - 4 4", "2 2 -", NULL, "0 1 1 1 1",
    "nodes=2 cpus=2 contiguous", "n0:1 n1:1" },
  { "blocks: the fewest nodes that hold the job", FOUR_BLOCKS, "4 8", IN_BLOCKS, "nodes=2 cpus=2",
    "n8:1 n9:1" },
  { "blocks: of equal ones the last", FOUR_BLOCKS, "4 8", IN_BLOCKS, "nodes=4 cpus=4",
    "n12:1 n13:1 n14:1 n15:1" },
  { "blocks: the smallest size that holds the job", "4 4 - - 4 4 4 4", NULL, "2 4",
    "0 0 1 1 2 2 3 3", "nodes=2 cpus=2", "n6:1 n7:1" },
  { "blocks: the CPUs of a block exactly", "4 4 - -", NULL, "2", "0 0 1 1", "nodes=2 cpus=8",
    "n0:4 n1:4" },
  { "blocks: a block of the next size", FOUR_BLOCKS, "4 8", IN_BLOCKS, "nodes=6 cpus=6",
    "n8:1 n9:1 n12:1 n13:1 n14:1 n15:1" },
  { "blocks: never two blocks", FOUR_BLOCKS, "4 8", IN_BLOCKS, "nodes=8 cpus=8", "none" },
  { "blocks: all of them for more than the largest size", FOUR_BLOCKS, "4 8", IN_BLOCKS,
    "nodes=9 cpus=9", "n4:1 n5:1 n6:1 n7:1 n8:1 n12:1 n13:1 n14:1 n15:1" },
  { "blocks: no more inner blocks than must be", FOUR_BLOCKS, "4 16", IN_BLOCKS, "nodes=6 cpus=6",
    "n8:1 n9:1 n12:1 n13:1 n14:1 n15:1" },
  { "blocks: too few nodes in so many inner blocks", "4 4 4 - 4 4 - - 4 4 - - 4 4 - -", NULL,
    "4 16", IN_BLOCKS, "nodes=6 cpus=6", "none" },
  { "blocks: base blocks of an inner block in use first", "4 4 4 4 4 4 4 4", NULL, "1 2 8",
    "0 1 2 3 4 5 6 7", "nodes=3 cpus=3", "n5:1 n6:1 n7:1" },
  { "blocks: inner blocks of the next planned size below", "4 4 4 4 4 4 4 4 4 4", NULL, "1 8 16",
    "0 1 2 3 4 5 6 7 8 9", "nodes=9 cpus=9", "n1:1 n2:1 n3:1 n4:1 n5:1 n6:1 n7:1 n8:1 n9:1" },
  { "blocks: inner blocks of a size that is not the next", "4 4 4 4 4", NULL, "1 8", "0 1 2 3 4",
    "nodes=3 cpus=3", "n2:1 n3:1 n4:1" },
  { "blocks: the fullest inner block first, then the rest of it", "4 4 - 4 - 4 - 4", NULL, "1 2 8",
    "0 1 2 3 4 5 6 7", "nodes=3 cpus=3", "n0:1 n1:1 n7:1" },
  { "blocks: without inner blocks the last ones", "4 4 - 4 - 4 - 4", NULL, "1 8", "0 1 2 3 4 5 6 7",
    "nodes=3 cpus=3", "n3:1 n5:1 n7:1" },
  { "blocks: nodes in too many inner blocks", "- 4 - 4 - 4 - 4", NULL, "1 2 8", "0 1 2 3 4 5 6 7",
    "nodes=3 cpus=3", "none" },
  { "blocks: the least number of nodes", FOUR_BLOCKS, "4 8", IN_BLOCKS, "nodes=2-4 wanted=4 cpus=2",
    "n8:1 n9:1" },
  { "blocks: the lightest block", "4 4 4 4 4w0 4", NULL, "2", "0 0 1 1 2 2", "cpus=1", "n4:1" },
  { "blocks: the lightest node of a block counts", "4w3 4w1 4w2 4w2", NULL, "2", "0 0 1 1",
    "cpus=1", "n1:1" },
  { "blocks: light nodes, then the rest of their base block", "4w2 4w2 4 4w2", NULL, "2 4",
    "0 0 1 1", "nodes=3 cpus=3", "n0:1 n2:1 n3:1" },
  { "blocks: CPUs that a block lacks", "2 2 4 4 2 2", NULL, "2", "0 0 1 1 2 2", "nodes=2 cpus=7",
    "n2:4 n3:3" },
  { "blocks: nodes in no block are not used", "4 4 4", NULL, "2", "- 0 0", "nodes=2 cpus=2",
    "n1:1 n2:1" },
  { "blocks: named nodes", "4 4 4! 4 4 4", NULL, "2", "0 0 1 1 2 2", "nodes=2 cpus=2",
    "n2:1 n3:1" },
  { "blocks: named nodes of two blocks", "4 4 4! 4! 4 4", NULL, "3", "0 0 0 1 1 1",
    "nodes=2 cpus=2", "none" },
  { "blocks: a named node in no block", "4! 4 4", NULL, "2", "- 0 0", "cpus=1", "none" },
  { "blocks: named nodes in too many inner blocks", "4! 4 4! 4 4! 4 4 4", NULL, "2 8",
    "0 0 1 1 2 2 3 3", "nodes=4 cpus=4", "none" },
  { "blocks: small nodes that use up the limit are left out", "1 8 8 -", NULL, "4", "0 0 0 0",
    "nodes=1-2 cpus=12", "n1:8 n2:4" },
  { "blocks: GPUs that the block lacks", "4g1 4g1 4g2n1 4g2n1", NULL, "2", "0 0 1 1",
    "cpus=1 gpus=3", "n2:1/2 n3:1/1" },
  { "segments: each in a block", FOUR_BLOCKS, "4 8", IN_BLOCKS, "nodes=4 cpus=4 segment=2",
    "n0:1 n1:1 n8:1 n9:1" },
  { "segments: even parts of the CPUs", "4 4 4 4", NULL, "2", "0 0 1 1", "nodes=4 cpus=9 segment=2",
    "n0:3 n1:1 n2:4 n3:1" },
  { "segments: tasks and GPUs in even parts", "4g2 4g2 4g2 4g2", NULL, "2", "0 0 1 1",
    "nodes=4 tasks=8 cpus=8 gpus=6 segment=2", "n0:3/2 n1:1/2 n2:3/1 n3:1/1" },
  { "segments: not a multiple", FOUR_BLOCKS, "4 8", IN_BLOCKS, "nodes=3 cpus=3 segment=2", "none" },
  { "segments: larger than the job is no segment", FOUR_BLOCKS, "4 8", IN_BLOCKS,
    "nodes=2 cpus=2 segment=4", "n8:1 n9:1" },
  { "segments: one does not fit", "4 4 4 - 4 4", NULL, "2", "0 0 1 1 2 2",
    "nodes=6 cpus=6 segment=2", "none" },
  { "segments: of named nodes only", "4! 4! 4 4 4! 4!", NULL, "2", "0 0 1 1 2 2",
    "nodes=4 cpus=4 segment=2", "n0:1 n1:1 n4:1 n5:1" },
  { "segments: too few named nodes", "4! 4! 4 4", NULL, "2", "0 0 1 1", "nodes=4 cpus=4 segment=2",
    "none" },
};

static void
test_topology_case (gconstpointer data)
{
  const TopologyCase *test = data;
  g_autoptr (SelectFixture) fixture = select_fixture_new (test->nodes);
  select_fixture_ask (fixture, test->demand);
  if (test->parents != NULL)
    select_fixture_set_tree (fixture, test->parents, test->switches);
  else
    select_fixture_set_blocks (fixture, test->sizes, test->switches);
  g_autofree char *chosen = select_fixture_chosen (fixture, &lk_select_topology, NULL);
  g_assert_cmpstr (chosen, ==, test->chosen);
}

static void
test_no_topology (void)
{
  g_autoptr (SelectFixture) fixture = select_fixture_new ("4 4 - 2 4 4");
  select_fixture_ask (fixture, "cpus=2");
  g_autofree char *flat = select_fixture_chosen (fixture, &lk_select_topology, NULL);
  g_assert_cmpstr (flat, ==, "n0:2");
  fixture->view.cluster = NULL;
  g_autofree char *without = select_fixture_chosen (fixture, &lk_select_topology, NULL);
  g_assert_cmpstr (without, ==, "n0:2");
}

/* What goes before the network. */
static void
test_habits_first (void)
{
  g_autoptr (SelectFixture) fixture = select_fixture_new ("4i 4i 4");
  select_fixture_set_tree (fixture, "2 2 -", "0 0 1");
  g_autofree char *tree = select_fixture_chosen (fixture, &lk_select_topology, NULL);
  g_assert_cmpstr (tree, ==, "n2:1");
  select_fixture_ask (fixture, "nodes=2 cpus=2");
  g_autofree char *pair = select_fixture_chosen (fixture, &lk_select_topology, NULL);
  g_assert_cmpstr (pair, ==, "n0:1 n1:1");
  g_autofree char *busy = select_fixture_chosen (fixture, &lk_select_topology, "busy=1");
  g_assert_cmpstr (busy, ==, "n0:1 n2:1");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (topology_cases); i++) {
    g_autofree char *path = g_strconcat ("/select_topology/", topology_cases[i].name, NULL);
    g_test_add_data_func (path, &topology_cases[i], test_topology_case);
  }
  g_test_add_func ("/select_topology/without a topology as cons_tres", test_no_topology);
  g_test_add_func ("/select_topology/an order asked for goes before it", test_habits_first);
  return g_test_run ();
}
