/* tests/policies/fair_tree_test.c — Fair Tree against the worked trees of semantics/02 section 3,
 * and what holds for every tree. */
#include <math.h>

#include "policies/fair_tree.h"
#include "policies/orders.h"
#include "tests/policies/priority_fixture.h"

/* A child of a tree that is written down: name, parent by place in the list (-1: the root), shares,
 * and for users (usage >= 0) the use. */
typedef struct {
  int parent;
  guint32 shares;
  double usage; /* -1: an account */
  double slurm; /* factor expected */
  double documented;
} Row;

static void
check_ties (const Row *rows, guint count, const char *ties)
{
  g_autoptr (PriorityFixture) tree = priority_fixture_new (1, 1);
  void *instance = priority_new ("fair_tree_ties", ties, NULL);
  for (guint i = 0; i < count; i++) {
    guint32 parent = (guint32)(rows[i].parent + 1);
    guint32 index = rows[i].usage < 0.0
                        ? priority_fixture_account (tree, parent, rows[i].shares)
                        : priority_fixture_user (tree, parent, rows[i].shares, rows[i].usage);
    g_assert_cmpuint (index, ==, i + 1);
  }
  priority_fixture_cycle (tree, instance);
  for (guint i = 0; i < count; i++) {
    double expected = g_str_equal (ties, "slurm") ? rows[i].slurm : rows[i].documented;
    double factor = priority_fixture_fairshare (tree, instance, i + 1);
    g_test_message ("%s: association %u", ties, i + 1);
    g_assert_cmpfloat (fabs (factor - expected), <=, 1e-15);
  }
  lk_order_multifactor.base.destroy (instance);
}

static void
check (const Row *rows, guint count)
{
  check_ties (rows, count, "slurm");
  check_ties (rows, count, "documented");
}

#define ACCOUNT -1.0, -1.0, -1.0

static void
test_worked (void)
{
  static const Row rows[] = {
    { -1, 60, ACCOUNT },   { 0, 1, 300, 0.4, 0.4 }, { 0, 3, 100, 0.6, 0.6 },
    { -1, 40, ACCOUNT },   { 3, 1, 600, 0.2, 0.2 }, { -1, 20, ACCOUNT },
    { 5, 1, 0, 1.0, 1.0 }, { 5, 1, 0, 1.0, 1.0 },
  };
  check (rows, G_N_ELEMENTS (rows));
}

static void
test_worked_levels (void)
{
  g_autoptr (PriorityFixture) tree = priority_fixture_new (1, 1);
  void *instance = priority_new (NULL);
  guint32 a = priority_fixture_account (tree, 0, 60);
  guint32 u1 = priority_fixture_user (tree, a, 1, 300);
  guint32 u2 = priority_fixture_user (tree, a, 3, 100);
  guint32 b = priority_fixture_account (tree, 0, 40);
  guint32 u3 = priority_fixture_user (tree, b, 1, 600);
  guint32 c = priority_fixture_account (tree, 0, 20);
  priority_fixture_user (tree, c, 1, 0);
  const struct {
    guint32 index;
    double level;
  } worked[] = { { a, 1.25 },       { b, 5.0 / 9.0 }, { c, INFINITY },
                 { u1, 1.0 / 3.0 }, { u2, 3.0 },      { u3, 1.0 } };
  for (guint i = 0; i < G_N_ELEMENTS (worked); i++) {
    double level = priority_fixture_share (tree, instance, worked[i].index).level_fairshare;
    g_assert_true (level == worked[i].level || fabs (level - worked[i].level) < 1e-15);
  }
  lk_order_multifactor.base.destroy (instance);
}

static void
test_tied_accounts (void)
{
  static const Row rows[] = {
    { -1, 10, ACCOUNT }, { 0, 1, 100, 1.0, 0.75 }, { 0, 1, 300, 0.75, 0.5 },
    { -1, 10, ACCOUNT }, { 3, 1, 0, 0.75, 1.0 },   { 3, 1, 400, 0.25, 0.25 },
  };
  check (rows, G_N_ELEMENTS (rows));
}

static void
test_user_ties_account (void)
{
  static const Row rows[] = {
    { -1, 10, 400, 1.0, 1.0 },
    { -1, 10, ACCOUNT },
    { 1, 1, 100, 1.0, 1.0 },
    { 1, 1, 300, 1.0 / 3.0, 1.0 / 3.0 },
  };
  check (rows, G_N_ELEMENTS (rows));
}

/* As seen on a running Slurm 26.05.3, without any use. */
static void
test_tied_by_no_use (void)
{
  static const Row rows[] = {
    { -1, 1, 0, 1.0, 1.0 }, { -1, 10, ACCOUNT },   { 1, 1, 0, 1.0, 1.0 }, { 1, 0, 0, 0.6, 0.4 },
    { -1, 10, ACCOUNT },    { 4, 1, 0, 0.6, 1.0 }, { 4, 0, 0, 0.2, 0.4 },
  };
  check (rows, G_N_ELEMENTS (rows));
}

static void
test_only_user (void)
{
  static const Row rows[] = { { -1, 1, 12345, 1.0, 1.0 } };
  check (rows, G_N_ELEMENTS (rows));
}

/* An account without shares of its own puts its users on the level above; a user without is the
 * first of its account. */
static void
test_parent_shares (void)
{
  static const Row rows[] = {
    { -1, 10, ACCOUNT },
    { 0, LK_SHARES_PARENT, ACCOUNT },
    { 1, 3, 30, 2.0 / 4.0, 2.0 / 4.0 },
    { 0, 1, 1, 3.0 / 4.0, 3.0 / 4.0 },
    { 0, LK_SHARES_PARENT, 500, 4.0 / 4.0, 4.0 / 4.0 },
    { 1, 1, 100, 1.0 / 4.0, 1.0 / 4.0 },
  };
  check (rows, G_N_ELEMENTS (rows));
}

/* An account that comes has its shares at once, and those beside it theirs of the new level;
 * factors stay as they were until the next cycle. */
static void
test_new_account (void)
{
  static const guint32 from[] = { 0, 1, LK_INDEX_NONE };
  g_autoptr (PriorityFixture) tree = priority_fixture_new (1, 1);
  void *instance = priority_new (NULL);
  guint32 user = priority_fixture_user (tree, 0, 1, 100);
  priority_fixture_cycle (tree, instance);
  guint32 account = priority_fixture_account (tree, 0, 3);
  lk_order_multifactor.accounts_changed (instance, &tree->view, from);
  g_assert_cmpfloat (priority_fixture_share (tree, instance, account).shares_norm, ==, 0.75);
  g_assert_cmpfloat (priority_fixture_share (tree, instance, user).shares_norm, ==, 0.25);
  g_assert_cmpfloat (priority_fixture_share (tree, instance, user).fairshare, ==, 1.0);
  lk_order_multifactor.base.destroy (instance);
}

/* ---------------------------------------------------------------- what holds for every tree */

/* A random tree; `draw` gives the use of a user. With `is_reversed` each account's children are
 * linked the other way round, under the same indices. */
static PriorityFixture *
random_tree (guint32 seed, gint use_max)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  PriorityFixture *tree = priority_fixture_new (1, 1);
  guint32 accounts[PRIORITY_ASSOCIATIONS_MAX] = { 0 };
  guint account_count = 1;
  gint size = g_rand_int_range (rand, 1, 200);
  for (gint i = 0; i < size; i++) {
    guint32 parent = accounts[g_rand_int_range (rand, 0, (gint)account_count)];
    guint32 shares = g_rand_int_range (rand, 0, 20) == 0
                         ? LK_SHARES_PARENT
                         : (guint32)g_rand_int_range (rand, 1, 100000);
    if (g_rand_int_range (rand, 0, 4) == 0)
      accounts[account_count++] = priority_fixture_account (tree, parent, shares);
    else
      priority_fixture_user (tree, parent, shares, g_rand_int_range (rand, 0, use_max));
  }
  return tree;
}

static void
reverse_children (PriorityFixture *tree)
{
  for (guint32 account = 0; account < tree->accounts.association_count; account++) {
    guint32 reversed = LK_INDEX_NONE;
    guint32 child = tree->associations[account].first_child;
    while (child != LK_INDEX_NONE) {
      guint32 next = tree->associations[child].next_sibling;
      tree->associations[child].next_sibling = reversed;
      reversed = child;
      child = next;
    }
    tree->associations[account].first_child = reversed;
  }
}

static guint
user_count (const PriorityFixture *tree)
{
  guint count = 0;
  for (guint32 i = 0; i < tree->accounts.association_count; i++)
    count += tree->associations[i].is_user;
  return count;
}

static gint
compare_reals (gconstpointer a, gconstpointer b)
{
  double real_a = *(const double *)a;
  double real_b = *(const double *)b;
  return (real_a > real_b) - (real_a < real_b);
}

/* Factors of users, lowest first. */
static GArray *
factors_of (const PriorityFixture *tree, const char *ties)
{
  GArray *factors = g_array_new (FALSE, FALSE, sizeof (double));
  void *instance = priority_new ("fair_tree_ties", ties, NULL);
  priority_fixture_cycle (tree, instance);
  for (guint32 i = 0; i < tree->accounts.association_count; i++) {
    double factor = priority_fixture_fairshare (tree, instance, i);
    if (tree->associations[i].is_user)
      g_array_append_val (factors, factor);
    else
      g_assert_true (factor < 0.0);
  }
  lk_order_multifactor.base.destroy (instance);
  g_array_sort (factors, compare_reals);
  return factors;
}

/* Ranks are at least 1, 2, ... n: sharing one only lifts. */
static void
test_random_ranks (void)
{
  static const char *const ties[] = { "slurm", "documented" };
  for (guint32 seed = 0; seed < 200; seed++)
    for (guint t = 0; t < 2; t++) {
      g_autoptr (PriorityFixture) tree = random_tree (seed, seed % 2 == 0 ? 3 : 1000000);
      double count = user_count (tree);
      g_autoptr (GArray) factors = factors_of (tree, ties[t]);
      for (guint i = 0; i < factors->len; i++) {
        double factor = g_array_index (factors, double, i);
        g_assert_cmpfloat (factor, >, 0.0);
        g_assert_cmpfloat (factor, <=, 1.0);
        g_assert_cmpfloat (factor * count, >=, i + 1 - 1e-9);
      }
      if (factors->len > 0)
        g_assert_cmpfloat (g_array_index (factors, double, factors->len - 1), ==, 1.0);
    }
}

/* All level fairshares differ where every user has shares and use of its own: then the ranks are
 * 1 to n. */
static PriorityFixture *
tree_without_ties (guint32 seed)
{
  PriorityFixture *tree = random_tree (seed, 2);
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed + 1);
  for (guint32 i = 1; i < tree->accounts.association_count; i++) {
    if (tree->associations[i].shares == LK_SHARES_PARENT)
      tree->associations[i].shares = 7;
    priority_fixture_use (tree, i, g_rand_double_range (rand, 1.0, 1e6));
  }
  return tree;
}

static void
test_random_sum (void)
{
  for (guint32 seed = 0; seed < 200; seed++) {
    g_autoptr (PriorityFixture) tree = tree_without_ties (seed);
    double count = user_count (tree);
    double sum = 0.0;
    g_autoptr (GArray) factors = factors_of (tree, "slurm");
    for (guint i = 0; i < factors->len; i++)
      sum += g_array_index (factors, double, i);
    g_assert_cmpfloat (fabs (sum * count - count * (count + 1) / 2), <, 1e-6);
  }
}

static void
test_random_permutation (void)
{
  for (guint32 seed = 0; seed < 200; seed++) {
    g_autoptr (PriorityFixture) tree = tree_without_ties (seed);
    void *instance = priority_new (NULL);
    void *reversed = priority_new (NULL);
    priority_fixture_cycle (tree, instance);
    g_autoptr (GArray) factors = g_array_new (FALSE, FALSE, sizeof (double));
    for (guint32 i = 0; i < tree->accounts.association_count; i++) {
      double factor = priority_fixture_fairshare (tree, instance, i);
      g_array_append_val (factors, factor);
    }
    reverse_children (tree);
    priority_fixture_cycle (tree, reversed);
    for (guint32 i = 0; i < tree->accounts.association_count; i++)
      g_assert_true (priority_fixture_fairshare (tree, reversed, i)
                     == g_array_index (factors, double, i));
    lk_order_multifactor.base.destroy (instance);
    lk_order_multifactor.base.destroy (reversed);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fair_tree/a new account has its shares at once", test_new_account);
  g_test_add_func ("/fair tree/the worked tree has the worked factors", test_worked);
  g_test_add_func ("/fair tree/the worked tree has the worked levels", test_worked_levels);
  g_test_add_func ("/fair tree/sibling accounts that tie", test_tied_accounts);
  g_test_add_func ("/fair tree/a user that ties an account", test_user_ties_account);
  g_test_add_func ("/fair tree/a tree without use, as observed", test_tied_by_no_use);
  g_test_add_func ("/fair tree/the only user has it all", test_only_user);
  g_test_add_func ("/fair tree/FairShare=parent is no level of its own", test_parent_shares);
  g_test_add_func ("/fair tree/factors are ranks in (0, 1]", test_random_ranks);
  g_test_add_func ("/fair tree/without ties ranks are 1 to n", test_random_sum);
  g_test_add_func ("/fair tree/the order of siblings does not matter", test_random_permutation);
  return g_test_run ();
}
