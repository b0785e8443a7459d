/* tests/policies/start_bounds_test.c — what is learned of moments before which no job starts. */
#include "policies/start_bounds.h"

#define LIKE 7u

typedef struct {
  uint64_t likeness;
  uint32_t size;
  int64_t duration_us;
  int64_t bound_us; /* INT64_MIN: nothing is known */
} Row;

static LkStartBounds *
with_one (void)
{
  LkStartBounds *bounds = lk_start_bounds_new ();
  lk_start_bounds_learn (bounds, &(LkStartKind){ LIKE, 4, 100 }, 1000);
  return bounds;
}

static void
assert_rows (LkStartBounds *bounds, const Row *rows, guint count)
{
  for (guint i = 0; i < count; i++) {
    LkStartKind kind = { rows[i].likeness, rows[i].size, rows[i].duration_us };
    g_test_message ("row %u", i);
    g_assert_cmpint (lk_start_bounds_us (bounds, &kind), ==, rows[i].bound_us);
  }
}

static void
test_covers (void)
{
  static const Row rows[] = {
    { LIKE, 4, 100, 1000 },
    { LIKE, 5, 100, 1000 },
    { LIKE, 4, 101, 1000 },
    { LIKE, 3, 100, INT64_MIN },
    { LIKE, 4, 99, INT64_MIN },
    { LIKE + 1, 4, 100, INT64_MIN },
    { 0 /* none */, 9, 999, INT64_MIN },
  };
  LkStartBounds *bounds = with_one ();
  lk_start_bounds_learn (bounds, &(LkStartKind){ 0, 1, 1 }, 5000); /* like no other */
  assert_rows (bounds, rows, G_N_ELEMENTS (rows));
  lk_start_bounds_reset (bounds);
  g_assert_cmpint (lk_start_bounds_us (bounds, &(LkStartKind){ LIKE, 4, 100 }), ==, INT64_MIN);
  lk_start_bounds_free (bounds);
}

static void
test_latest (void)
{
  static const Row rows[] = {
    { LIKE, 4, 100, 1000 }, { LIKE, 8, 100, 2000 }, { LIKE, 4, 300, 1500 }, { LIKE, 8, 300, 2000 }
  };
  LkStartBounds *bounds = with_one ();
  lk_start_bounds_learn (bounds, &(LkStartKind){ LIKE, 8, 100 }, 2000);
  lk_start_bounds_learn (bounds, &(LkStartKind){ LIKE, 4, 300 }, 1500);
  assert_rows (bounds, rows, G_N_ELEMENTS (rows));
  lk_start_bounds_free (bounds);
}

/* Given back from 600 on: who would end before that does not see it, who is larger than what is
 * free cannot use it. */
static void
test_given (void)
{
  static const Row rows[] = {
    { LIKE, 4, 100, 500 }, { LIKE, 4, 200, 400 }, { LIKE, 9, 100, 1000 }, { LIKE, 9, 200, 1000 }
  };
  LkStartBounds *bounds = with_one ();
  lk_start_bounds_learn (bounds, &(LkStartKind){ LIKE, 9, 100 }, 1000);
  lk_start_bounds_give (bounds, 600, 8);
  assert_rows (bounds, rows, G_N_ELEMENTS (rows));
  /* What is learned behind it holds. */
  lk_start_bounds_learn (bounds, &(LkStartKind){ LIKE, 4, 100 }, 900);
  g_assert_cmpint (lk_start_bounds_us (bounds, &(LkStartKind){ LIKE, 4, 100 }), ==, 900);
  lk_start_bounds_give (bounds, INT64_MIN, G_MAXUINT32);
  g_assert_cmpint (lk_start_bounds_us (bounds, &(LkStartKind){ LIKE, 9, 100 }), ==, INT64_MIN);
  lk_start_bounds_free (bounds);
}

/* Of jobs up to so long: the longest sees most of what was given back. */
static void
test_among (void)
{
  LkStartBounds *bounds = with_one ();
  LkStartKind kind = { LIKE, 4, 100 };
  g_assert_cmpint (lk_start_bounds_among_us (bounds, &kind, 400), ==, 1000);
  lk_start_bounds_give (bounds, 600, 8);
  g_assert_cmpint (lk_start_bounds_among_us (bounds, &kind, 400), ==, 200);
  lk_start_bounds_free (bounds);
}

/* More likenesses than there are places at first, more bounds than are kept of one: what is told is
 * never later than what was learned. */
static void
test_many (void)
{
  LkStartBounds *bounds = lk_start_bounds_new ();
  for (uint32_t like = 1; like <= 500; like++)
    lk_start_bounds_learn (bounds, &(LkStartKind){ like, 1, 10 }, (int64_t)like);
  for (uint32_t like = 1; like <= 500; like++)
    g_assert_cmpint (lk_start_bounds_us (bounds, &(LkStartKind){ like, 1, 10 }), ==, like);
  /* Each is smaller, longer and known for longer than the one before: none covers another. */
  for (uint32_t i = 0; i < 100; i++)
    lk_start_bounds_learn (bounds, &(LkStartKind){ 1000, 200 - i, 10 + i }, 100 + (int64_t)i);
  for (uint32_t i = 0; i < 100; i++) {
    int64_t told_us = lk_start_bounds_us (bounds, &(LkStartKind){ 1000, 200 - i, 10 + i });
    g_assert_true (told_us == INT64_MIN || told_us == 100 + (int64_t)i);
  }
  lk_start_bounds_free (bounds);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/start-bounds/hold for who is as large and runs as long", test_covers);
  g_test_add_func ("/start-bounds/the latest of several counts", test_latest);
  g_test_add_func ("/start-bounds/what was given back is seen by who would run then", test_given);
  g_test_add_func ("/start-bounds/the longest of a block decides", test_among);
  g_test_add_func ("/start-bounds/never later than what was learned", test_many);
  return g_test_run ();
}
