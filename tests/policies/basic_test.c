/* tests/policies/basic_test.c — the numbers of priority/basic (semantics/02 section 1.5). */
#include "policies/orders.h"
#include "tests/policies/priority_fixture.h"

#define LAST_OF_FIRST 4294901759u

static void *
basic_new (const PriorityFixture *fixture)
{
  LkPolicyError error = { "" };
  LkParamValues values = { .size = sizeof values, .host = fixture->view.host };
  return lk_order_basic.base.create (&values, &error);
}

static guint32
priority_of (const PriorityFixture *fixture, void *instance, LkJobIndex job)
{
  return (guint32)lk_order_basic.key (instance, &fixture->view, job);
}

static LkJobIndex
submit (PriorityFixture *fixture, gint64 nice, guint32 direct)
{
  return priority_fixture_job (fixture,
                               &(PriorityJob){ .procs = 1, .nice = nice, .direct = direct });
}

static void
test_fall (void)
{
  g_autoptr (PriorityFixture) fixture = priority_fixture_new (1, 1);
  void *instance = basic_new (fixture);
  for (guint i = 0; i < 5; i++) {
    LkJobIndex job = submit (fixture, 0, 0);
    g_assert_cmpuint (priority_of (fixture, instance, job), ==, LAST_OF_FIRST - i);
  }
  /* Asked again, a job keeps its number; in another tier it goes first all the same. */
  g_assert_cmpuint (priority_of (fixture, instance, 0), ==, LAST_OF_FIRST);
  fixture->partition[4] = priority_fixture_partition (fixture, 7, 1);
  g_assert_cmpint (lk_order_basic.key (instance, &fixture->view, 4), ==,
                   (G_GINT64_CONSTANT (7) << 32) | (LAST_OF_FIRST - 4));
  lk_order_basic.base.destroy (instance);
}

static void
test_nice (void)
{
  g_autoptr (PriorityFixture) fixture = priority_fixture_new (1, 1);
  void *instance = basic_new (fixture);
  g_assert_cmpuint (priority_of (fixture, instance, submit (fixture, 100, 0)), ==,
                    LAST_OF_FIRST - 100);
  /* The nice value of one counts for no other. */
  g_assert_cmpuint (priority_of (fixture, instance, submit (fixture, 0, 0)), ==, LAST_OF_FIRST - 1);
  g_assert_cmpuint (priority_of (fixture, instance, submit (fixture, -50, 0)), ==,
                    LAST_OF_FIRST - 2 + 50);
  g_assert_cmpuint (priority_of (fixture, instance, submit (fixture, 20, 0)), ==,
                    LAST_OF_FIRST - 3 - 20);
  g_assert_cmpuint (priority_of (fixture, instance, submit (fixture, -100000, 0)), ==, G_MAXUINT32);
  /* Of too much nice nothing is taken. */
  g_assert_cmpuint (priority_of (fixture, instance, submit (fixture, LAST_OF_FIRST, 0)), ==,
                    LAST_OF_FIRST - 5);
  lk_order_basic.base.destroy (instance);
}

static void
test_direct (void)
{
  g_autoptr (PriorityFixture) fixture = priority_fixture_new (1, 1);
  void *instance = basic_new (fixture);
  g_assert_cmpuint (priority_of (fixture, instance, submit (fixture, 5, 1000)), ==, 1000);
  g_assert_cmpuint (priority_of (fixture, instance, submit (fixture, 0, 0)), ==, LAST_OF_FIRST);
  g_assert_cmpuint (priority_of (fixture, instance, submit (fixture, 0, 1)), ==, LAST_OF_FIRST - 1);
  lk_order_basic.base.destroy (instance);
}

/* Who asks for it waits behind all others. */
static void
test_bottom (void)
{
  g_autoptr (PriorityFixture) fixture = priority_fixture_new (1, 1);
  void *instance = basic_new (fixture);
  LkJobIndex job = submit (fixture, LAST_OF_FIRST - 2, 0);
  g_assert_cmpuint (priority_of (fixture, instance, job), ==, 2);
  g_assert_cmpuint (priority_of (fixture, instance, submit (fixture, LAST_OF_FIRST - 2, 0)), ==, 1);
  lk_order_basic.base.destroy (instance);
}

static void
test_state (void)
{
  g_autoptr (PriorityFixture) fixture = priority_fixture_new (1, 1);
  void *instance = basic_new (fixture);
  for (guint i = 0; i < 4; i++)
    priority_of (fixture, instance, submit (fixture, 10 * i, 0));
  fixture->phase[1] = LK_PHASE_FREE;
  g_autoptr (GByteArray) bytes = priority_fixture_save (fixture, &lk_order_basic, instance);
  void *restored = basic_new (fixture);
  g_assert_cmpint (lk_order_basic.base.load (restored, &fixture->view, bytes->data, bytes->len), ==,
                   1);
  g_autoptr (GByteArray) again = priority_fixture_save (fixture, &lk_order_basic, restored);
  g_assert_cmpuint (bytes->len, ==, again->len);
  g_assert_cmpint (memcmp (bytes->data, again->data, bytes->len), ==, 0);
  LkJobIndex job = submit (fixture, 0, 0);
  for (LkJobIndex i = 0; i <= job; i++)
    if (fixture->phase[i] != LK_PHASE_FREE)
      g_assert_cmpuint (priority_of (fixture, restored, i), ==, priority_of (fixture, instance, i));
  for (guint32 length = 0; length < bytes->len; length++) {
    void *broken = basic_new (fixture);
    g_assert_cmpint (lk_order_basic.base.load (broken, &fixture->view, bytes->data, length), ==, 0);
    lk_order_basic.base.destroy (broken);
  }
  lk_order_basic.base.destroy (instance);
  lk_order_basic.base.destroy (restored);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/basic/numbers fall from 4294901759", test_fall);
  g_test_add_func ("/basic/nice is subtracted while 1 is left", test_nice);
  g_test_add_func ("/basic/a priority that was set is kept and counts for nobody else",
                   test_direct);
  g_test_add_func ("/basic/nobody gets less than 1", test_bottom);
  g_test_add_func ("/basic/numbers survive save and load", test_state);
  return g_test_run ();
}
