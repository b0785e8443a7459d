/* tests/policies/select_random_test.c — random machines and demands: what is chosen always
 * satisfies the demand, and where CPUs on so many nodes are all that is asked for, nodes are found
 * if and only if there are some.
 *
 * Where GPUs are counted in all, Slurm's way misses some: the offers that are left out are those
 * with the smallest product of CPUs and GPUs, and one that has what the job lacks may be among
 * them.  How few they are is checked too. */
#include <glib.h>
#include <stdlib.h>

#include "policies/selects.h"
#include "tests/policies/select_fixture.h"

#define ROUNDS 20000u
#define OFFERS_MAX 8

static guint32
below (GRand *random, gint32 limit)
{
  return (guint32)g_rand_int_range (random, 0, limit);
}

/* TRUE once in so many. */
static gboolean
once_in (GRand *random, gint32 times)
{
  return below (random, times) == 0;
}

/* ---------------------------------------------------------------- random machines */

static void
add_random_node (SelectFixture *fixture, GRand *random, guint32 cpus_total)
{
  if (once_in (random, 6)) {
    select_fixture_add (fixture, "-");
    return;
  }
  guint32 cpus = 1 + below (random, (gint32)cpus_total);
  guint32 gpus = once_in (random, 3) ? 0 : below (random, 4);
  g_autofree char *node = g_strdup_printf (
      "%u/%ug%un%uw%u%s", cpus, cpus_total, gpus, below (random, (gint32)gpus + 1),
      1 + (once_in (random, 3) ? below (random, 3) : 0), cpus == cpus_total ? "i" : "");
  select_fixture_add (fixture, node);
}

static SelectFixture *
random_machine (GRand *random, guint node_count)
{
  SelectFixture *fixture = select_fixture_new ("");
  guint32 cpus_total = once_in (random, 2) ? 4 : 16;
  for (guint i = 0; i < node_count; i++)
    add_random_node (fixture, random, cpus_total);
  return fixture;
}

/* CPUs on so many nodes, or CPUs of tasks, which nodes offer as whole tasks. */
static void
ask_for_cpus (SelectFixture *fixture, GRand *random)
{
  guint32 nodes_min = 1 + below (random, 4);
  guint32 nodes_max = nodes_min + below (random, 3);
  g_autofree char *asked =
      g_strdup_printf ("nodes=%u-%u cpus=%u", nodes_min, nodes_max, nodes_min + below (random, 30));
  select_fixture_ask (fixture, asked);
  LkDemand *demand = &fixture->demand;
  if (once_in (random, 3))
    demand->nodes_max = G_MAXUINT32;
  if (once_in (random, 3))
    demand->nodes_wanted = nodes_max;
  if (!once_in (random, 3))
    return;
  demand->cpus_per_task = demand->cpus_per_node_min = 1 + below (random, 3);
  demand->tasks = MAX (demand->cpus_min / demand->cpus_per_task, nodes_min);
  demand->cpus_min = demand->tasks * demand->cpus_per_task;
  demand->nodes_max = MAX (MIN (demand->nodes_max, demand->tasks), nodes_min);
}

/* The host offers no node with less than the least, and CPUs for whole tasks. */
static void
offer_tasks (SelectFixture *fixture)
{
  guint kept = 0;
  for (guint i = 0; i < fixture->offer_count; i++) {
    LkOffer offer = fixture->offers[i];
    offer.tasks = offer.cpus / fixture->demand.cpus_per_task;
    offer.cpus = offer.tasks * fixture->demand.cpus_per_task;
    if (offer.tasks > 0)
      fixture->offers[kept++] = offer;
  }
  fixture->offer_count = kept;
}

/* ---------------------------------------------------------------- all subsets */

static gboolean
subset_would_do (const SelectFixture *fixture, guint subset)
{
  const LkDemand *demand = &fixture->demand;
  guint32 nodes = 0, cpus = 0, gpus = 0;
  for (guint i = 0; i < fixture->offer_count; i++) {
    gboolean is_in = (subset >> i & 1) != 0;
    if (!is_in && fixture->offers[i].is_required != 0)
      return FALSE;
    /* A node without a GPU has no part in a job with one for each. */
    if (is_in && demand->gpus_total >= demand->nodes_min && fixture->offers[i].gpus == 0)
      return FALSE;
    nodes += is_in ? 1 : 0;
    cpus += is_in ? fixture->offers[i].cpus : 0;
    gpus += is_in ? fixture->offers[i].gpus : 0;
  }
  return nodes >= demand->nodes_min && nodes <= demand->nodes_max && cpus >= demand->cpus_min
         && gpus >= demand->gpus_total;
}

static gboolean
any_subset_would_do (const SelectFixture *fixture)
{
  for (guint subset = 1; subset < 1u << fixture->offer_count; subset++)
    if (subset_would_do (fixture, subset))
      return TRUE;
  return FALSE;
}

/* Returns how often nodes were there and not found. */
static guint
compare_with_all_subsets (const LkSelectPolicy *policy, const char *parameters, guint32 flags,
                          gboolean counts_gpus)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  void *instance = select_new (policy, parameters);
  guint missed_count = 0, found_count = 0;
  for (guint round = 0; round < ROUNDS; round++) {
    g_autoptr (SelectFixture) fixture = random_machine (random, 1 + below (random, OFFERS_MAX));
    ask_for_cpus (fixture, random);
    offer_tasks (fixture);
    fixture->demand.flags |= flags;
    if (counts_gpus)
      fixture->demand.gpus_total = below (random, 6);
    for (guint i = 0; i < fixture->offer_count; i++)
      fixture->offers[i].is_required = once_in (random, 20) ? 1 : 0;
    gboolean found = select_fixture_choose (fixture, policy, instance);
    gboolean exists = any_subset_would_do (fixture);
    if (found)
      g_assert_true (exists);
    missed_count += exists && !found ? 1 : 0;
    found_count += found ? 1 : 0;
  }
  policy->base.destroy (instance);
  g_assert_cmpuint (found_count, >, ROUNDS / 5);
  return missed_count;
}

typedef struct {
  const char *name;
  const LkSelectPolicy *policy;
  const char *parameters;
  guint32 flags;
} SubsetCase;

static const SubsetCase subset_cases[] = {
  { "cons_tres", &lk_select_cons_tres, NULL, 0 },
  { "cons_tres of 22.05", &lk_select_cons_tres, "release=2205", 0 },
  { "whole nodes", &lk_select_cons_tres, NULL, LK_DEMAND_WHOLE_NODES },
  { "busy", &lk_select_cons_tres, "busy=1", 0 },
  { "least loaded", &lk_select_cons_tres, NULL, LK_DEMAND_LEAST_LOADED },
  { "serial at end", &lk_select_cons_tres, "pack_serial_at_end=1", 0 },
  { "spread", &lk_select_cons_tres, NULL, LK_DEMAND_SPREAD },
  { "linear", &lk_select_linear, NULL, 0 },
  { "bestfit_gpu", &lk_select_bestfit_gpu, NULL, 0 },
  { "fgd", &lk_select_fgd, "workload=1:0:0:1;1:1:0:2;4:2:0:1", 0 },
  { "topology", &lk_select_topology, NULL, 0 },
};

static void
test_cpus_are_found (gconstpointer data)
{
  const SubsetCase *test = data;
  g_assert_cmpuint (compare_with_all_subsets (test->policy, test->parameters, test->flags, FALSE),
                    ==, 0);
}

static void
test_gpus_are_mostly_found (void)
{
  guint missed_count = compare_with_all_subsets (&lk_select_cons_tres, NULL, 0, TRUE);
  g_test_message ("missed %u of %u", missed_count, ROUNDS);
  g_assert_cmpuint (missed_count, <, ROUNDS / 100);
}

/* ---------------------------------------------------------------- large machines */

#define LARGE_NODES 1100u
#define LARGE_ROUNDS 40u

static gint
compare_falling (gconstpointer a, gconstpointer b)
{
  guint32 cpus_a = *(const guint32 *)a, cpus_b = *(const guint32 *)b;
  return (cpus_a < cpus_b) - (cpus_a > cpus_b);
}

/* CPUs of so many nodes, the largest. */
static guint32
cpus_of_largest (const SelectFixture *fixture, guint32 nodes)
{
  guint32 cpus[SELECT_NODES_MAX], sum = 0;
  for (guint i = 0; i < fixture->offer_count; i++)
    cpus[i] = fixture->offers[i].cpus;
  qsort (cpus, fixture->offer_count, sizeof *cpus, compare_falling);
  for (guint i = 0; i < MIN (nodes, fixture->offer_count); i++)
    sum += cpus[i];
  return sum;
}

/* Here offers are left out together; still nodes are found whenever there are some, up to the very
 * last CPU. */
static void
test_large_machines (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  void *instance = select_new (&lk_select_cons_tres, NULL);
  for (guint round = 0; round < LARGE_ROUNDS; round++) {
    g_autoptr (SelectFixture) fixture = random_machine (random, LARGE_NODES);
    guint32 nodes = 1 + below (random, 300);
    guint32 cpus = cpus_of_largest (fixture, nodes);
    g_autofree char *asked =
        g_strdup_printf ("nodes=%u-%u cpus=%u", 1 + below (random, (gint32)nodes), nodes,
                         MAX (nodes, cpus - below (random, 20)));
    select_fixture_ask (fixture, asked);
    g_assert_true (select_fixture_choose (fixture, &lk_select_cons_tres, instance));
    fixture->demand.cpus_min = cpus + 1;
    g_assert_false (select_fixture_choose (fixture, &lk_select_cons_tres, instance));
  }
  lk_select_cons_tres.base.destroy (instance);
}

/* ---------------------------------------------------------------- everything at once */

static void
ask_for_anything (SelectFixture *fixture, GRand *random)
{
  static const guint32 flags[] = { 0,
                                   0,
                                   0,
                                   LK_DEMAND_CONTIGUOUS,
                                   LK_DEMAND_SPREAD,
                                   LK_DEMAND_SPREAD | LK_DEMAND_PACK,
                                   LK_DEMAND_LEAST_LOADED,
                                   LK_DEMAND_PACK,
                                   LK_DEMAND_WHOLE_NODES };
  LkDemand *demand = &fixture->demand;
  ask_for_cpus (fixture, random);
  offer_tasks (fixture);
  demand->flags = flags[below (random, G_N_ELEMENTS (flags))];
  demand->gpus_total = once_in (random, 3) ? below (random, 9) : 0;
  demand->gpus_per_node = once_in (random, 5) ? 1 : 0;
  demand->switches_max = once_in (random, 3) ? 1 + below (random, 2) : 0;
  demand->segment_nodes = once_in (random, 3) ? 1 + below (random, 3) : 0;
  for (guint i = 0; i < fixture->offer_count; i++)
    fixture->offers[i].is_required = once_in (random, 12) ? 1 : 0;
}

/* Leafs in a tree of three levels, or base blocks of four nodes. */
static void
set_random_topology (SelectFixture *fixture, GRand *random)
{
  GString *switches = g_string_new (NULL);
  guint kind = below (random, 3);
  for (guint i = 0; i < fixture->node_count; i++)
    g_string_append_printf (switches, "%s%u", i == 0 ? "" : " ",
                            kind == 1 ? below (random, 5) : i / 4);
  if (kind == 1)
    select_fixture_set_tree (fixture, once_in (random, 4) ? "5 5 6 6 6 - -" : "5 5 6 6 7 7 7 -",
                             switches->str);
  if (kind == 2)
    select_fixture_set_blocks (fixture, once_in (random, 2) ? "4 8" : "2 4 16", switches->str);
  g_string_free (switches, TRUE);
}

static guint
leafs_of_picks (const SelectFixture *fixture)
{
  guint64 leafs = 0;
  for (guint k = 0; k < fixture->pick_count; k++)
    leafs |= G_GUINT64_CONSTANT (1)
             << fixture->node_switch[fixture->offers[fixture->picks[k].offer].node];
  guint count = 0;
  for (; leafs != 0; leafs &= leafs - 1)
    count++;
  return count;
}

static void
test_choices_satisfy (gconstpointer data)
{
  const LkSelectPolicy *policy = data;
  g_autoptr (GRand) random = g_rand_new_with_seed (11);
  void *instance = select_new (policy, NULL);
  guint found_count = 0;
  for (guint round = 0; round < ROUNDS; round++) {
    g_autoptr (SelectFixture) fixture = random_machine (random, 1 + below (random, 20));
    set_random_topology (fixture, random);
    ask_for_anything (fixture, random);
    /* FGD knows nothing of a job that has not been submitted: all nodes are the same to it. */
    gboolean found = select_fixture_choose (fixture, policy, instance);
    found_count += found ? 1 : 0;
    gboolean is_on_tree = policy == &lk_select_topology
                          && fixture->cluster.topology == LK_TOPOLOGY_TREE_VIEW
                          && (fixture->demand.flags & ~LK_DEMAND_PACK) == 0;
    if (found && is_on_tree && fixture->demand.switches_max > 0)
      g_assert_cmpuint (leafs_of_picks (fixture), <=, fixture->demand.switches_max);
  }
  policy->base.destroy (instance);
  g_assert_cmpuint (found_count, >, ROUNDS / 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (subset_cases); i++) {
    g_autofree char *path = g_strconcat ("/select_random/CPUs are found when there are some, by ",
                                         subset_cases[i].name, NULL);
    g_test_add_data_func (path, &subset_cases[i], test_cpus_are_found);
  }
  g_test_add_func ("/select_random/GPUs in all are found but rarely missed",
                   test_gpus_are_mostly_found);
  g_test_add_func ("/select_random/CPUs are found on large machines", test_large_machines);
  static const LkSelectPolicy *const policies[] = { &lk_select_bestfit_gpu, &lk_select_cons_tres,
                                                    &lk_select_fgd, &lk_select_linear,
                                                    &lk_select_topology };
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    g_autofree char *path = g_strconcat ("/select_random/choices satisfy the demand, by ",
                                         policies[i]->base.name, NULL);
    g_test_add_data_func (path, policies[i], test_choices_satisfy);
  }
  return g_test_run ();
}
