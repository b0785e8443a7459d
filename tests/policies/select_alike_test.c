/* tests/policies/select_alike_test.c — choosing among nodes that all offer the same, as sets: on
 * random machines with holes it is what is chosen node by node. */
#include <glib.h>
#include <string.h>

#include "engine/bits.h"
#include "policies/selects.h"
#include "tests/policies/select_fixture.h"

#define ROUNDS 4000u
#define WORDS ((SELECT_NODES_MAX + 63) / 64)

static guint32
below (GRand *random, gint32 limit)
{
  return (guint32)g_rand_int_range (random, 0, limit);
}

/* Nodes of so many CPUs and tasks, in runs, with holes between them. */
static SelectFixture *
random_machine (GRand *random, const char *node)
{
  SelectFixture *fixture = select_fixture_new ("");
  guint32 node_count = 1 + below (random, below (random, 4) == 0 ? 400 : 40);
  guint32 run_max = 1 + below (random, 20);
  gboolean is_hole = FALSE;
  for (guint32 i = 0; i < node_count; is_hole = !is_hole)
    for (guint32 run = 1 + below (random, (gint32)run_max); run > 0 && i < node_count; run--, i++)
      select_fixture_add (fixture, is_hole ? "-" : node);
  return fixture;
}

static void
ask (SelectFixture *fixture, GRand *random, guint32 cpus)
{
  select_fixture_ask (fixture, "nodes=1 cpus=1 whole");
  LkDemand *demand = &fixture->demand;
  demand->nodes_min = 1 + below (random, (gint32)MAX (1, fixture->offer_count));
  demand->nodes_max = demand->nodes_min + below (random, 4);
  if (below (random, 3) == 0)
    demand->nodes_max = G_MAXUINT32;
  demand->nodes_wanted = demand->nodes_min + below (random, 3);
  demand->nodes_wanted = MIN (demand->nodes_wanted, demand->nodes_max);
  demand->cpus_per_task = 1 + below (random, 2);
  demand->tasks =
      below (random, 4) == 0 ? 0 : 1 + below (random, (gint32)(cpus * demand->nodes_min));
  demand->cpus_min = MAX (demand->nodes_min, demand->tasks * demand->cpus_per_task);
  if (below (random, 2) == 0)
    demand->cpus_min = demand->nodes_min + below (random, (gint32)(2 * cpus));
}

/* TRUE: it tells. */
static gboolean
check_alike (SelectFixture *fixture, void *instance)
{
  guint64 among[WORDS] = { 0 };
  guint64 chosen[WORDS] = { 0 };
  guint64 picked[WORDS] = { 0 };
  for (guint i = 0; i < fixture->offer_count; i++)
    lk_bits_add (among, fixture->offers[i].node);
  LkAlikeNodes nodes = { sizeof nodes, lk_bits_words (MAX (1, fixture->node_count)),
                         &fixture->offers[0], among, chosen };
  gboolean found = select_fixture_choose (fixture, &lk_select_cons_tres, instance);
  gint32 told =
      lk_select_cons_tres.choose_alike (instance, &fixture->view, &fixture->demand, &nodes);
  if (told == 0)
    return FALSE;
  g_assert_true (found);
  for (guint k = 0; k < fixture->pick_count; k++) {
    const LkOffer *offer = &fixture->offers[fixture->picks[k].offer];
    g_assert_cmpuint (fixture->picks[k].cpus, ==, offer->cpus);
    lk_bits_add (picked, offer->node);
  }
  g_assert_cmpint (memcmp (chosen, picked, sizeof chosen), ==, 0);
  return TRUE;
}

static void
test_same_choice (void)
{
  static const struct {
    const char *node;
    guint32 cpus;
  } kinds[] = { { "4i", 4 }, { "1i", 1 }, { "16t3i", 16 }, { "8t8i", 8 }, { "8t20i", 8 } };
  g_autoptr (GRand) random = g_rand_new_with_seed (13);
  void *instance = select_new (&lk_select_cons_tres, NULL);
  guint told_count = 0;
  for (guint round = 0; round < ROUNDS; round++) {
    guint kind = below (random, G_N_ELEMENTS (kinds));
    g_autoptr (SelectFixture) fixture = random_machine (random, kinds[kind].node);
    ask (fixture, random, kinds[kind].cpus);
    told_count += check_alike (fixture, instance) ? 1 : 0;
  }
  lk_select_cons_tres.base.destroy (instance);
  g_assert_cmpuint (told_count, >, ROUNDS / 4);
}

/* What is asked for may rule out the best fit, or whole nodes. */
static void
test_not_told (void)
{
  static const char *const asked[] = { "nodes=2 cpus=2", "nodes=2 cpus=2 whole contiguous",
                                       "nodes=2 cpus=2 whole spread",
                                       "nodes=2 cpus=2 whole least_loaded" };
  void *instance = select_new (&lk_select_cons_tres, NULL);
  void *busy = select_new (&lk_select_cons_tres, "busy=1");
  g_autoptr (SelectFixture) fixture = select_fixture_new ("4i 4i - 4i");
  for (guint i = 0; i < G_N_ELEMENTS (asked); i++) {
    select_fixture_ask (fixture, asked[i]);
    g_assert_false (check_alike (fixture, instance));
  }
  select_fixture_ask (fixture, "nodes=2 cpus=2 whole");
  g_assert_true (check_alike (fixture, instance));
  g_assert_false (check_alike (fixture, busy));
  lk_select_cons_tres.base.destroy (instance);
  lk_select_cons_tres.base.destroy (busy);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/select_alike/sets of nodes are chosen as nodes are", test_same_choice);
  g_test_add_func ("/select_alike/who wants another way is not told", test_not_told);
  return g_test_run ();
}
