/* tests/policies/select_test.c — which nodes the select policies choose on a flat network: one
 * worked example for each rule of docs/policy-select.md, those of Slurm's behaviour first. */
#include <glib.h>

#include "policies/selects.h"
#include "tests/policies/select_fixture.h"

typedef struct {
  const char *name;
  const LkSelectPolicy *policy;
  const char *parameters;
  const char *nodes;
  const char *demand;
  const char *chosen;
} SelectCase;

#define CONS &lk_select_cons_tres, NULL
#define BUSY &lk_select_cons_tres, "busy=1"
#define SERIAL &lk_select_cons_tres, "pack_serial_at_end=1"
#define OLD &lk_select_cons_tres, "release=2205"
#define LINEAR &lk_select_linear, NULL
#define BESTFIT &lk_select_bestfit_gpu, NULL

static const SelectCase cases[] = {
  /* Consecutive best fit. */
  { "the tightest set comes before the tightest node", CONS, "4 4 - 2 4 4", "cpus=2", "n0:2" },
  { "the smallest node of a set that holds the job", CONS, "4 2 3", "cpus=2", "n1:2" },
  { "of equally small nodes the first", CONS, "4 3 3", "cpus=2", "n1:2" },
  { "the largest set first when none holds the job", CONS, "4 4 - 2 4 4", "nodes=3 cpus=12",
    "n0:2 n3:2 n4:4 n5:4" },
  { "the smallest node is left out when nodes are limited", CONS, "4 4 - 2 4 4",
    "nodes=3-3 cpus=12", "n0:4 n1:4 n4:4" },
  { "the lowest weight first", CONS, "4w10 4w10 4w10 4w10 4w1", "cpus=1", "n4:1" },
  { "a heavier set only for what the lighter one lacks", CONS, "4w10 4w10 4w1", "cpus=6",
    "n0:2 n2:4" },
  { "nodes of another weight are another set", CONS, "4 4 4w2 2 4", "nodes=2 cpus=6", "n3:2 n4:4" },
  { "each node leaves a CPU to the others", CONS, "8 8 8", "nodes=3 cpus=6", "n0:4 n1:1 n2:1" },
  { "each node leaves the least to the others", CONS, "8 8", "nodes=2 cpus=10 least=4",
    "n0:6 n1:4" },
  { "whole tasks are left to the others", CONS, "8 8", "nodes=2 tasks=3 per_task=4 cpus=12",
    "n0:8 n1:4" },
  { "no part of a task is given", CONS, "7 8", "nodes=2 tasks=3 per_task=3 cpus=9", "n0:6 n1:3" },
  { "not enough CPUs", CONS, "4 4", "cpus=9", "none" },
  { "not enough nodes", CONS, "4 4", "nodes=3 cpus=3", "none" },
  { "not enough on as many nodes as may be", CONS, "4 4 4", "nodes=1-2 cpus=9", "none" },
  { "whole nodes give all", CONS, "4 8", "nodes=2 cpus=2 whole", "n0:4 n1:8" },
  { "a task needs a node that takes tasks", CONS, "8t2 8t2", "tasks=4 cpus=4 least=2",
    "n0:2 n1:2" },
  { "more CPUs than the tasks have", CONS, "8 8", "nodes=2 tasks=2 cpus=10", "n0:8 n1:2" },
  { "more tasks than CPUs are not counted", CONS, "2 2", "tasks=9 cpus=1", "n0:1" },
  { "tasks of several CPUs are not counted either", CONS, "8 8",
    "nodes=2 tasks=3 per_task=4 cpus=8", "n0:4 n1:4" },
  { "a task limit leaves CPUs to others", CONS, "8t1 8", "nodes=2 tasks=4 cpus=4", "n0:1 n1:3" },
  { "whole tasks first when more CPUs are needed", CONS, "7 8", "nodes=2 tasks=2 per_task=3 cpus=8",
    "n0:3 n1:5" },
  { "a node that holds the tasks exactly", CONS, "4 2", "tasks=2 cpus=2", "n1:2" },
  { "the last node that may be taken must hold the rest", CONS, "4 4 8", "nodes=2-2 cpus=10",
    "n0:4 n2:6" },
  { "of equally small nodes the first is left out", CONS, "3 3 5 5", "nodes=3-3 cpus=13",
    "n1:3 n2:5 n3:5" },
  /* Numbers of nodes. */
  { "as many nodes as wanted", CONS, "4 4 4 4", "nodes=2-4 wanted=4 tasks=4 cpus=4",
    "n0:1 n1:1 n2:1 n3:1" },
  { "as many as there are, when more were wanted", CONS, "4 4 4",
    "nodes=2-4 wanted=4 tasks=4 cpus=4", "n0:2 n1:1 n2:1" },
  { "as many nodes as wanted, whatever the tasks", CONS, "4 4 4",
    "nodes=1-3 wanted=3 tasks=2 cpus=2", "n0:1 n1:1 n2:1" },
  { "more nodes than tasks, when they must be", CONS, "4 4 4", "tasks=2 cpus=10",
    "n0:4 n1:4 n2:2" },
  /* Nodes that the job names. */
  { "a named node, then upward", CONS, "4 4 4! 4 4", "nodes=3 cpus=3", "n2:1 n3:1 n4:1" },
  { "downward when there is nothing above", CONS, "4 4 4!", "nodes=3 cpus=3", "n0:1 n1:1 n2:1" },
  { "named nodes are enough", CONS, "4 4! 4 4!", "nodes=2 cpus=5", "n1:4 n3:1" },
  { "named nodes give the least though nothing is needed", CONS, "4! 4!", "cpus=2 least=2",
    "n0:2 n1:2" },
  { "a set with a named node before a tighter one", CONS, "4 - 4 4! 4", "nodes=2 cpus=2",
    "n3:1 n4:1" },
  { "a named node alone is in no set", CONS, "4! - 4 - 2", "nodes=2 cpus=2", "n0:1 n4:1" },
  { "a named node of another weight is near to nothing", CONS, "3 4w2! 4", "nodes=2 cpus=2",
    "n0:1 n1:1" },
  { "a named node before the first set of another weight", CONS, "2 - 4w2! 4", "nodes=2 cpus=2",
    "n2:1 n3:1" },
  { "more named nodes than may be", CONS, "4! 4! 4!", "nodes=1-2 cpus=2", "none" },
  { "more named nodes than tasks", CONS, "4! 4! 4!", "nodes=1-4 tasks=2 cpus=2", "n0:1 n1:1 n2:1" },
  { "named nodes use up the limit", CONS, "2! 2! 8", "nodes=1-2 cpus=5", "none" },
  { "named nodes are as many as wanted", CONS, "4! 4! 4", "nodes=1-2 wanted=2 cpus=2",
    "n0:2 n1:1" },
  /* GPUs. */
  { "more GPUs near to free cores first", CONS, "4g1 4g2 4g2n1", "cpus=1 gpus_node=1", "n1:1" },
  { "GPUs are no matter to a job without", CONS, "4g1 4g2", "cpus=1", "n0:1" },
  { "GPUs in all fill the first node", CONS, "8g2 8g2", "tasks=1 gpus=3", "n0:1/2 n1:1/1" },
  { "every node gets a GPU", CONS, "8g4 8g4 8g4", "nodes=3 cpus=3 gpus=4", "n0:1/2 n1:1/1 n2:1/1" },
  { "fewer GPUs than nodes", CONS, "8 8g1", "nodes=2 cpus=2 gpus=1", "n0:1 n1:1/1" },
  { "a GPU for every task", CONS, "8g2t2 8g2t2", "tasks=3 cpus=3 gpus=3", "n0:2/2 n1:1/1" },
  { "no more nodes than must be for GPUs in all", CONS, "8g4 8g4", "nodes=1-2 wanted=2 gpus=4",
    "n0:1/4" },
  { "one node with all GPUs before two", CONS, "8g1 8g2n1 8g1", "gpus=2", "n1:1/2" },
  { "nodes without GPUs take no part", CONS, "8 8 8g1", "gpus=1", "n2:1/1" },
  { "not enough GPUs on as many nodes as may be", CONS, "8g1 8g1 8g2", "nodes=1-2 gpus=4", "none" },
  { "the node with the least CPUs times GPUs is left out", CONS, "8g1n1 8g2n1 8g3n1",
    "nodes=2-2 cpus=2 gpus=5", "n1:1/2 n2:1/3" },
  { "few CPUs with many GPUs are left out too early, as in Slurm", CONS, "8g1n1 8g2n1 2g3n1",
    "nodes=2-2 cpus=2 gpus=5", "none" },
  { "free GPUs count where they are asked for on each node", CONS, "3g1n1 4g2n1 6g2n1",
    "nodes=2-2 cpus=10 gpus_node=1", "n1:4 n2:6" },
  { "few CPUs with many free GPUs stay too long, as in Slurm", CONS, "3g4n1 4g1n1 6g1n1",
    "nodes=2-2 cpus=10 gpus_node=1", "none" },
  /* Contiguous. */
  { "contiguous nodes", CONS, "4 - 4 4", "nodes=2 cpus=2 contiguous", "n2:1 n3:1" },
  { "contiguous nodes of several weights", CONS, "4w1 4w2 - 4w3", "nodes=2 cpus=2 contiguous",
    "n0:1 n1:1" },
  { "a window inside the set", CONS, "2 2 8", "nodes=1-2 cpus=10 contiguous", "n1:2 n2:8" },
  { "the window at the end of a set", CONS, "2 8", "nodes=1-1 cpus=8 contiguous", "n1:8" },
  { "the set of a named node", CONS, "4 - 4! 4", "nodes=2 cpus=2 contiguous", "n2:1 n3:1" },
  { "the next set when no window will do", CONS, "4 1 4 - 4 4 1 1", "nodes=1-2 cpus=8 contiguous",
    "n4:4 n5:4" },
  { "no contiguous nodes", CONS, "4 - 4", "nodes=2 cpus=2 contiguous", "none" },
  { "all between named nodes", CONS, "4 4! 4 4! 4", "nodes=2 cpus=2 contiguous", "n1:1 n2:1 n3:1" },
  { "around a named node, upward first", CONS, "4 4 4! 4", "nodes=4 cpus=4 contiguous",
    "n0:1 n1:1 n2:1 n3:1" },
  { "named nodes with a gap between", CONS, "4! - 4!", "nodes=2 cpus=2 contiguous", "none" },
  { "too many between named nodes", CONS, "4! 4 4!", "nodes=1-2 cpus=2 contiguous", "none" },
  { "not enough around a named node", CONS, "4 - 4! - 8 8", "nodes=2 cpus=2 contiguous", "none" },
  { "as many contiguous nodes as there are", CONS, "4 4 -", "nodes=2 wanted=3 cpus=2 contiguous",
    "n0:1 n1:1" },
  /* Other orders. */
  { "the greatest share of free CPUs", CONS, "4/16 3/4 6/8", "cpus=1 least_loaded", "n1:1" },
  { "of equal shares the first, weight before share", CONS, "8w2 3/4 6/8",
    "nodes=2 cpus=2 least_loaded", "n1:1 n2:1" },
  { "nodes in use first", BUSY, "4i 4 4i", "nodes=2 cpus=2", "n0:1 n1:1" },
  { "weight before use", BUSY, "4iw1 4w2", "cpus=1", "n0:1" },
  { "the last node for one CPU", SERIAL, "4 4 4", "cpus=1", "n2:1" },
  { "the last node of the lowest weight for one CPU", SERIAL, "4 4 4w2", "cpus=1", "n1:1" },
  { "not for two CPUs", SERIAL, "4 4 4", "cpus=2", "n0:2" },
  /* Jobs of one node. */
  { "one node: the first that holds the job", CONS, "4 4 - 2 4", "nodes=1-1 cpus=2", "n0:2" },
  { "one node: the best fit of 22.05", OLD, "4 4 - 2 4", "nodes=1-1 cpus=2", "n3:2" },
  { "one node: not one that is too small", CONS, "1 4 2", "nodes=1-1 cpus=2", "n1:2" },
  { "one node: the lowest weight", CONS, "4w3 1w1 4w2 2w2", "nodes=1-1 cpus=2", "n2:2" },
  { "one node: more GPUs near do not count", CONS, "4g1n1 4g2n2", "nodes=1-1 cpus=1 gpus=1",
    "n0:1/1" },
  { "one node: more GPUs near counted in 22.05", OLD, "4g1n1 4g2n2", "nodes=1-1 cpus=1 gpus=1",
    "n1:1/1" },
  { "one node: with all GPUs", CONS, "4 4g1 4g3", "nodes=1-1 cpus=1 gpus=2", "n2:1/2" },
  { "one node: named", CONS, "4 4!", "nodes=1-1 cpus=1", "n1:1" },
  { "one node: none holds the job", CONS, "4 4", "nodes=1-1 cpus=5", "none" },
  { "one node: pack_serial_at_end does not apply", SERIAL, "4 4 4", "nodes=1-1 cpus=1", "n0:1" },
  { "one node: busy does not apply", BUSY, "4 4i", "nodes=1-1 cpus=1", "n0:1" },
  { "an order that hits small nodes first tries without them", BUSY, "1 1 4i 4i",
    "nodes=1-2 cpus=8", "n2:4 n3:4" },
  { "named nodes before any order", BUSY, "4 4i!", "cpus=1", "n1:1" },
  { "spread over as many nodes as tasks", CONS, "4 4 4 4", "tasks=3 cpus=3 spread",
    "n0:1 n1:1 n2:1" },
  { "spread evenly", CONS, "4 4 4 4", "tasks=6 cpus=6 spread", "n0:2 n1:2 n2:1 n3:1" },
  { "spread within what each node gives", CONS, "4 4 4 4", "tasks=10 cpus=10 spread",
    "n0:4 n1:3 n2:2 n3:1" },
  { "spread, and more CPUs than the tasks have", CONS, "4 4 4", "tasks=3 cpus=5 spread",
    "n0:3 n1:1 n2:1" },
  { "spread over the lightest", CONS, "4w2 4 4", "tasks=2 cpus=2 spread", "n1:1 n2:1" },
  { "spread without tasks", CONS, "4 1", "cpus=4 spread", "n0:3 n1:1" },
  { "spread, but packed", CONS, "4 4 4 4", "tasks=6 cpus=6 spread pack", "n0:3 n1:1 n2:1 n3:1" },
  /* Whole nodes. */
  { "linear gives all of each node", LINEAR, "4 4", "cpus=6", "n0:4 n1:4" },
  { "linear takes nodes in their order", LINEAR, "8 4", "cpus=3", "n0:8" },
  { "linear gives the smallest back that is not needed", LINEAR, "4 2 4 8", "cpus=12",
    "n2:4 n3:8" },
  { "linear replaces the smallest where no more nodes may be", LINEAR, "4 4 2 8",
    "nodes=2-2 cpus=12", "n1:4 n3:8" },
  { "linear begins with the lowest weight", LINEAR, "4 4w2 4", "cpus=8", "n0:4 n2:4" },
  { "linear adds the next weight", LINEAR, "4w7 4w2 4w5", "cpus=8", "n1:4 n2:4" },
  { "linear forgets weights among those it tries", LINEAR, "4w2 4w1 - 4w1 8w2", "nodes=2 cpus=12",
    "n0:4 n1:4 n3:4" },
  { "linear with a heavy named node", LINEAR, "4 4w9!", "cpus=1", "n1:4" },
  { "linear, contiguous", LINEAR, "4 - 4 4w2", "nodes=2 cpus=2 contiguous", "n2:4 n3:4" },
  { "linear without enough", LINEAR, "4 4", "cpus=9", "none" },
  { "linear without nodes", LINEAR, "-", "cpus=1", "none" },
  /* Least left over. */
  { "the node with the least left", BESTFIT, "8 4 6", "cpus=2", "n1:2" },
  { "a node that holds the job exactly", BESTFIT, "4 16", "cpus=4", "n0:4" },
  { "shares of the machine, not numbers", BESTFIT, "8/8 6/12", "cpus=2", "n1:2" },
  { "GPUs are left too", BESTFIT, "8g4 8g2 8", "cpus=2", "n2:2" },
  { "a GPU job where GPUs are rare", BESTFIT, "8g4 8g1", "cpus=2 gpus_node=1", "n1:2" },
  { "the GPU with the least left that holds the share", BESTFIT, "8s10.4.6.4", "shares=4",
    "n0:1@1" },
  { "the best nodes of a job of several", BESTFIT, "8 4 6 4", "nodes=2 cpus=2", "n1:1 n3:1" },
  { "nodes that hold their part before those that do not", BESTFIT, "2 8 8 2", "nodes=2-2 cpus=8",
    "n1:7 n2:1" },
  { "parts of GPUs in all", BESTFIT, "8g1 8g2 8g2", "nodes=2 gpus=4", "n1:1/2 n2:1/2" },
  { "contiguous before least left", BESTFIT, "8 - 8 8", "nodes=2 cpus=2 contiguous", "n2:1 n3:1" },
};

static void
test_case (gconstpointer data)
{
  const SelectCase *test = data;
  g_autoptr (SelectFixture) fixture = select_fixture_new (test->nodes);
  select_fixture_ask (fixture, test->demand);
  g_autofree char *chosen = select_fixture_chosen (fixture, test->policy, test->parameters);
  g_assert_cmpstr (chosen, ==, test->chosen);
}

/* Many small nodes are in the way of two large ones: they are left out one by one, then together.
 * */
static void
test_many_small_nodes (void)
{
  g_autoptr (SelectFixture) fixture = select_fixture_new ("");
  for (guint i = 0; i < 300; i++)
    select_fixture_add (fixture, i % 2 == 0 ? "1" : "2");
  select_fixture_add (fixture, "8");
  select_fixture_add (fixture, "8");
  select_fixture_ask (fixture, "nodes=2-2 cpus=16");
  g_autofree char *chosen = select_fixture_chosen (fixture, &lk_select_cons_tres, NULL);
  g_assert_cmpstr (chosen, ==, "n300:8 n301:8");
  /* As many as may be taken are kept when all of one size go together. */
  select_fixture_ask (fixture, "nodes=2-150 cpus=312");
  void *instance = select_new (&lk_select_cons_tres, NULL);
  g_assert_true (select_fixture_choose (fixture, &lk_select_cons_tres, instance));
  g_assert_cmpuint (fixture->pick_count, ==, 150);
  lk_select_cons_tres.base.destroy (instance);
}

/* Instances are ended as the host does it. */
static void
test_destroy_nothing (void)
{
  const LkSelectPolicy *const policies[] = { &lk_select_bestfit_gpu, &lk_select_cons_tres,
                                             &lk_select_fgd, &lk_select_linear,
                                             &lk_select_topology };
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++)
    policies[i]->base.destroy (NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_strconcat ("/select/", cases[i].name, NULL);
    g_test_add_data_func (path, &cases[i], test_case);
  }
  g_test_add_func ("/select/many small nodes are left out together", test_many_small_nodes);
  g_test_add_func ("/select/no instance is ended without harm", test_destroy_nothing);
  return g_test_run ();
}
