/* tests/policies/classic_fairshare_test.c — classic fairshare against the worked tree of
 * semantics/02 section 4. */
#include <math.h>

#include "policies/orders.h"
#include "tests/policies/priority_fixture.h"

typedef struct {
  PriorityFixture *fixture;
  guint32 a, b, u1, u2, u3;
} Tree;

static Tree
worked_tree (void)
{
  Tree tree = { .fixture = priority_fixture_new (1, 1) };
  tree.a = priority_fixture_account (tree.fixture, 0, 60);
  tree.b = priority_fixture_account (tree.fixture, 0, 40);
  tree.u1 = priority_fixture_user (tree.fixture, tree.a, 1, 300);
  tree.u2 = priority_fixture_user (tree.fixture, tree.a, 3, 100);
  tree.u3 = priority_fixture_user (tree.fixture, tree.b, 1, 600);
  const guint32 users[] = { tree.u1, tree.u2, tree.u3 };
  for (guint i = 0; i < G_N_ELEMENTS (users); i++)
    priority_fixture_job (tree.fixture, &(PriorityJob){ .association = users[i], .procs = 1 });
  return tree;
}

static void
assert_near (double value, double expected)
{
  g_assert_cmpfloat (fabs (value - expected), <=, 5e-9);
}

static void
check_share (const Tree *tree, void *instance, guint32 index, const LkShareParts *worked)
{
  LkShareParts parts = priority_fixture_share (tree->fixture, instance, index);
  assert_near (parts.shares_norm, worked->shares_norm);
  assert_near (parts.usage_effective, worked->usage_effective);
  assert_near (parts.fairshare, worked->fairshare);
  g_assert_cmpuint (parts.is_fair_tree, ==, 0);
  g_assert_true (parts.level_fairshare < 0.0);
}

static void
finish (Tree *tree, void *instance)
{
  lk_order_multifactor.base.destroy (instance);
  priority_fixture_free (tree->fixture);
}

static void
test_worked (void)
{
  Tree tree = worked_tree ();
  void *instance = priority_new ("flags", "NO_FAIR_TREE", "weight_fairshare", "1000", NULL);
  priority_fixture_cycle (tree.fixture, instance);
  const struct {
    guint32 index;
    LkShareParts parts;
  } worked[] = {
    { tree.a, { .shares_norm = 0.6, .usage_effective = 0.4, .fairshare = -1 } },
    { tree.b, { .shares_norm = 0.4, .usage_effective = 0.6, .fairshare = -1 } },
    { tree.u1, { .shares_norm = 0.15, .usage_effective = 0.325, .fairshare = 0.22272468 } },
    { tree.u2, { .shares_norm = 0.45, .usage_effective = 0.325, .fairshare = 0.60616303 } },
    { tree.u3, { .shares_norm = 0.4, .usage_effective = 0.6, .fairshare = 0.35355339 } },
  };
  for (guint i = 0; i < G_N_ELEMENTS (worked); i++)
    check_share (&tree, instance, worked[i].index, &worked[i].parts);
  g_assert_cmpuint (priority_fixture_priority (tree.fixture, instance, 0), ==, 222);
  finish (&tree, instance);
}

static void
test_dampening (void)
{
  Tree tree = worked_tree ();
  void *instance = priority_new ("flags", "NO_FAIR_TREE", "fairshare_dampening", "3", NULL);
  priority_fixture_cycle (tree.fixture, instance);
  assert_near (priority_fixture_fairshare (tree.fixture, instance, tree.u1), 0.60616303);
  finish (&tree, instance);
}

/* The numbers of the page come when the use of all siblings is known: from the second cycle on. */
static void
test_depth_oblivious (void)
{
  Tree tree = worked_tree ();
  void *instance = priority_new ("flags", "DEPTH_OBLIVIOUS", "weight_fairshare", "1", NULL);
  priority_fixture_cycle (tree.fixture, instance);
  /* u1 was first, beside u2 whose use nobody had looked at. */
  LkShareParts first = priority_fixture_share (tree.fixture, instance, tree.u1);
  g_assert_cmpfloat (first.usage_effective, <, 1e-4);
  priority_fixture_cycle (tree.fixture, instance);
  const struct {
    guint32 index;
    LkShareParts parts;
  } worked[] = {
    { tree.u1, { .shares_norm = 0.15, .usage_effective = 0.12398502, .fairshare = 0.56386949 } },
    { tree.u2, { .shares_norm = 0.45, .usage_effective = 0.1, .fairshare = 0.85724398 } },
    { tree.u3, { .shares_norm = 0.4, .usage_effective = 0.6, .fairshare = 0.35355339 } },
  };
  for (guint i = 0; i < G_N_ELEMENTS (worked); i++)
    check_share (&tree, instance, worked[i].index, &worked[i].parts);
  finish (&tree, instance);
}

/* Accounts are looked at before use decays and running jobs are charged, users afterwards. */
static void
test_order_in_cycle (void)
{
  Tree tree = worked_tree ();
  const LkOrderPolicy *policy = &lk_order_multifactor;
  const LkView *view = &tree.fixture->view;
  void *instance = priority_new ("flags", "NO_FAIR_TREE", "weight_fairshare", "1", NULL);
  policy->cycle_begin (instance, view);
  priority_fixture_use (tree.fixture, tree.u1, 1000);
  policy->cycle_job (instance, view, 0);
  priority_fixture_use (tree.fixture, tree.u3, 2000);
  policy->cycle_job (instance, view, 1);
  policy->cycle_end (instance, view);
  LkShareParts a = priority_fixture_share (tree.fixture, instance, tree.a);
  LkShareParts u1 = priority_fixture_share (tree.fixture, instance, tree.u1);
  LkShareParts u2 = priority_fixture_share (tree.fixture, instance, tree.u2);
  LkShareParts u3 = priority_fixture_share (tree.fixture, instance, tree.u3);
  assert_near (a.usage_effective, 0.4);
  assert_near (u1.usage_effective, 0.65 + (0.4 - 0.65) / 4);
  assert_near (u2.usage_effective, 0.025 + (0.4 - 0.025) * 3 / 4);
  /* Not met yet: as it stands now. */
  assert_near (u3.usage_effective, 0.6);
  priority_fixture_use (tree.fixture, tree.u1, 1000);
  g_assert_true (priority_fixture_fairshare (tree.fixture, instance, tree.u1) == u1.fairshare);
  finish (&tree, instance);
}

static void
test_parent_shares (void)
{
  Tree tree = worked_tree ();
  void *instance = priority_new ("flags", "NO_FAIR_TREE", NULL);
  guint32 group = priority_fixture_account (tree.fixture, tree.b, LK_SHARES_PARENT);
  guint32 u4 = priority_fixture_user (tree.fixture, group, 3, 0);
  guint32 u5 = priority_fixture_user (tree.fixture, group, LK_SHARES_PARENT, 0);
  priority_fixture_cycle (tree.fixture, instance);
  const struct {
    guint32 index;
    LkShareParts parts;
  } worked[] = {
    { tree.u3, { .shares_norm = 0.1, .usage_effective = 0.6, .fairshare = 0.015625 } },
    { u4, { .shares_norm = 0.3, .usage_effective = 0.45, .fairshare = 0.35355339 } },
    { u5, { .shares_norm = 0.4, .usage_effective = 0.6, .fairshare = 0.35355339 } },
  };
  for (guint i = 0; i < G_N_ELEMENTS (worked); i++)
    check_share (&tree, instance, worked[i].index, &worked[i].parts);
  finish (&tree, instance);
}

static void
test_nothing (void)
{
  Tree tree = worked_tree ();
  void *instance = priority_new ("flags", "NO_FAIR_TREE", NULL);
  for (guint32 i = 0; i < tree.fixture->accounts.association_count; i++)
    tree.fixture->associations[i].use.usage = 0.0;
  tree.fixture->associations[tree.u3].shares = 0;
  priority_fixture_cycle (tree.fixture, instance);
  g_assert_true (priority_fixture_fairshare (tree.fixture, instance, tree.u1) == 1.0);
  g_assert_true (priority_fixture_fairshare (tree.fixture, instance, tree.u3) == 0.0);
  finish (&tree, instance);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/classic fairshare/the worked tree has the worked numbers", test_worked);
  g_test_add_func ("/classic fairshare/dampening", test_dampening);
  g_test_add_func ("/classic fairshare/DEPTH_OBLIVIOUS has the worked numbers",
                   test_depth_oblivious);
  g_test_add_func ("/classic fairshare/accounts come before decay, users after",
                   test_order_in_cycle);
  g_test_add_func ("/classic fairshare/FairShare=parent takes over the account's",
                   test_parent_shares);
  g_test_add_func ("/classic fairshare/no use at all, and no shares", test_nothing);
  return g_test_run ();
}
