/* tests/engine/profile_test.c — the profile against an array with one cell for each microsecond.
 *
 * The last cell stands for all time from it on. Intervals are short, so that there are thousands
 * of steps in many blocks. */
#include "engine/profile.h"

#include "tests/engine/seed.h"

#define CELLS 6000
#define CAPACITY 60u

typedef struct {
  gint64 from_us;
  gint64 to_us;
  guint32 units;
} Taken;

typedef struct {
  LkProfile *profile;
  guint32 cells[CELLS];
  gint64 now_us;
  GArray *taken; /* of Taken */
  Seed seed;
} Fixture;

static void
fixture_init (Fixture *self, guint64 seed)
{
  self->profile = lk_profile_new (CAPACITY);
  self->taken = g_array_new (FALSE, FALSE, sizeof (Taken));
  self->now_us = 0;
  self->seed.state = seed;
  for (guint i = 0; i < CELLS; i++)
    self->cells[i] = CAPACITY;
}

static void
fixture_clear (Fixture *self)
{
  lk_profile_check (self->profile);
  lk_profile_free (self->profile);
  g_array_unref (self->taken);
}

/* ---------------------------------------------------------------- the array */

/* First cell behind an interval. */
static gint64
cell_end (gint64 to_us)
{
  return to_us == LK_TIME_NEVER ? CELLS : MIN (to_us, CELLS);
}

static guint32
cells_min (const Fixture *self, gint64 from_us, gint64 to_us)
{
  guint32 units = CAPACITY;
  for (gint64 at = from_us; at < cell_end (to_us); at++)
    units = MIN (units, self->cells[at]);
  return units;
}

static guint32
cells_max (const Fixture *self, gint64 from_us, gint64 to_us)
{
  guint32 units = 0;
  for (gint64 at = from_us; at < cell_end (to_us); at++)
    units = MAX (units, self->cells[at]);
  return units;
}

typedef struct {
  guint32 units;
  gint64 duration_us;
  gint64 from_us;
  gint64 before_us;
  gint64 stop_us;
} Question;

static gboolean
is_gap (const Fixture *self, const Question *question, gint64 at_us)
{
  gint64 end_us =
      question->duration_us > LK_TIME_NEVER - at_us ? LK_TIME_NEVER : at_us + question->duration_us;
  end_us = cell_end (MIN (end_us, question->stop_us));
  for (gint64 at = at_us; at < end_us; at++)
    if (self->cells[at] < question->units)
      return FALSE;
  return TRUE;
}

static gint64
cells_earliest (const Fixture *self, const Question *question)
{
  for (gint64 at = question->from_us; at < cell_end (question->before_us); at++)
    if (is_gap (self, question, at))
      return at;
  return LK_TIME_NEVER;
}

/* ---------------------------------------------------------------- changes */

static gint64
any_end (Fixture *self, gint64 from_us)
{
  gint64 near_us = from_us + 1 + seed_below (&self->seed, 25);
  switch (seed_below (&self->seed, 12)) {
  case 0:
    return LK_TIME_NEVER;
  case 1:
    return seed_between (&self->seed, from_us + 1, CELLS - 1);
  default:
    return MIN (near_us, CELLS - 1);
  }
}

static void
change (Fixture *self, const Taken *taken, gboolean reserves)
{
  for (gint64 at = taken->from_us; at < cell_end (taken->to_us); at++)
    self->cells[at] += reserves ? -taken->units : taken->units;
  if (reserves)
    lk_profile_reserve (self->profile, taken->from_us, taken->to_us, taken->units);
  else
    lk_profile_release (self->profile, taken->from_us, taken->to_us, taken->units);
  lk_profile_check (self->profile);
}

static void
reserve_some (Fixture *self)
{
  Taken taken = { .from_us = seed_between (&self->seed, self->now_us, CELLS - 2) };
  taken.to_us = any_end (self, taken.from_us);
  guint32 units_free = cells_min (self, taken.from_us, taken.to_us);
  taken.units = seed_below (&self->seed, MIN (units_free, 8) + 1);
  change (self, &taken, TRUE);
  g_array_append_val (self->taken, taken);
}

/* Gives back one reservation, or the part of it before or behind some moment. */
static void
release_some (Fixture *self)
{
  guint at = seed_below (&self->seed, self->taken->len);
  Taken taken = g_array_index (self->taken, Taken, at);
  g_array_remove_index_fast (self->taken, at);
  taken.from_us = MAX (taken.from_us, self->now_us);
  if (taken.from_us >= taken.to_us)
    return;
  if (cell_end (taken.to_us) - taken.from_us > 1 && seed_below (&self->seed, 3) == 0) {
    Taken rest = taken;
    rest.from_us = taken.to_us =
        seed_between (&self->seed, taken.from_us + 1, cell_end (taken.to_us) - 1);
    g_array_append_val (self->taken, rest);
  }
  change (self, &taken, FALSE);
}

static void
advance (Fixture *self, gint64 now_us)
{
  self->now_us = now_us;
  lk_profile_advance (self->profile, now_us);
  lk_profile_check (self->profile);
}

/* ---------------------------------------------------------------- comparisons */

static void
assert_same (const Fixture *self)
{
  guint32 step_count = 1;
  for (gint64 at = self->now_us; at < CELLS; at++) {
    g_assert_cmpuint (lk_profile_units_free (self->profile, at), ==, self->cells[at]);
    if (at > self->now_us)
      step_count += self->cells[at] != self->cells[at - 1];
  }
  g_assert_cmpuint (lk_profile_units_free (self->profile, LK_TIME_NEVER - 1), ==,
                    self->cells[CELLS - 1]);
  /* A step that was under way at `now_us` and then changed leaves a piece from before it. */
  g_assert_cmpuint (lk_profile_step_count (self->profile), >=, step_count);
  g_assert_cmpuint (lk_profile_step_count (self->profile), <=, step_count + (self->now_us > 0));
}

static void
assert_bounds (Fixture *self)
{
  gint64 from_us = seed_between (&self->seed, self->now_us, CELLS - 2);
  gint64 to_us = any_end (self, from_us);
  g_assert_cmpuint (lk_profile_units_min (self->profile, from_us, to_us), ==,
                    cells_min (self, from_us, to_us));
  g_assert_cmpuint (lk_profile_units_max (self->profile, from_us, to_us), ==,
                    cells_max (self, from_us, to_us));
  Question one_free = { .units = 1, .duration_us = 1, .stop_us = LK_TIME_NEVER };
  gint64 full_us = from_us;
  while (full_us < CELLS && is_gap (self, &one_free, full_us))
    full_us++;
  g_assert_cmpint (lk_profile_full_us (self->profile, from_us), ==,
                   full_us < CELLS ? full_us : LK_TIME_NEVER);
}

static gint64
any_duration (Fixture *self)
{
  switch (seed_below (&self->seed, 8)) {
  case 0:
    return LK_TIME_NEVER;
  case 1:
    return LK_TIME_NEVER - CELLS;
  case 2:
    return 1 + seed_below (&self->seed, CELLS);
  default:
    return 1 + seed_below (&self->seed, 60);
  }
}

static void
assert_earliest (Fixture *self)
{
  Question question = { .units = seed_below (&self->seed, CAPACITY + 2) };
  question.duration_us = any_duration (self);
  question.from_us = seed_between (&self->seed, self->now_us, CELLS - 1);
  question.before_us = LK_TIME_NEVER;
  question.stop_us = LK_TIME_NEVER;
  if (seed_below (&self->seed, 2) == 0)
    question.before_us = question.from_us + seed_below (&self->seed, 300);
  if (seed_below (&self->seed, 2) == 0 && question.before_us != LK_TIME_NEVER)
    question.stop_us = question.before_us + seed_below (&self->seed, 40);
  gint64 got = lk_profile_earliest_us (self->profile, question.units, question.duration_us,
                                       question.from_us, question.before_us, question.stop_us);
  g_assert_cmpint (got, ==, cells_earliest (self, &question));
}

/* ---------------------------------------------------------------- tests */

static void
test_random (void)
{
  static Fixture self;
  guint32 step_count_max = 0;
  fixture_init (&self, 1);
  for (guint i = 0; i < 9000; i++) {
    gboolean grows = seed_below (&self.seed, 100) < ((i / 3000) % 2 == 0 ? 90u : 25u);
    if (grows)
      reserve_some (&self);
    else if (self.taken->len > 0)
      release_some (&self);
    assert_bounds (&self);
    assert_earliest (&self);
    if (i % 100 == 0)
      assert_same (&self);
    step_count_max = MAX (step_count_max, lk_profile_step_count (self.profile));
  }
  g_assert_cmpuint (step_count_max, >, 1000);
  while (self.taken->len > 0)
    release_some (&self);
  assert_same (&self);
  g_assert_cmpuint (lk_profile_step_count (self.profile), ==, 1);
  fixture_clear (&self);
}

static void
test_advance (void)
{
  static Fixture self;
  fixture_init (&self, 2);
  for (guint i = 0; i < 1500; i++)
    reserve_some (&self);
  while (self.now_us < CELLS - 100) {
    advance (&self, self.now_us + seed_below (&self.seed, 40));
    for (guint i = 0; i < 3; i++) {
      reserve_some (&self);
      release_some (&self);
      assert_earliest (&self);
      assert_bounds (&self);
    }
    if (self.now_us % 50 == 0)
      assert_same (&self);
  }
  assert_same (&self);
  fixture_clear (&self);
}

static void
test_reset (void)
{
  static Fixture self;
  fixture_init (&self, 3);
  for (guint round = 0; round < 4; round++) {
    for (guint i = 0; i < 1000; i++)
      reserve_some (&self);
    self.now_us = 100 * (gint64)round;
    lk_profile_reset (self.profile, self.now_us);
    for (guint i = 0; i < CELLS; i++)
      self.cells[i] = CAPACITY;
    g_array_set_size (self.taken, 0);
    lk_profile_check (self.profile);
    assert_same (&self);
  }
  fixture_clear (&self);
}

static void
test_for_ever (void)
{
  g_autoptr (LkProfile) profile = lk_profile_new (4);
  lk_profile_reserve (profile, 10, LK_TIME_NEVER, 3);
  g_assert_cmpint (lk_profile_earliest_us (profile, 2, 10, 0, LK_TIME_NEVER, LK_TIME_NEVER), ==, 0);
  g_assert_cmpint (lk_profile_earliest_us (profile, 2, 11, 0, LK_TIME_NEVER, LK_TIME_NEVER), ==,
                   LK_TIME_NEVER);
  g_assert_cmpint (
      lk_profile_earliest_us (profile, 1, LK_TIME_NEVER, 0, LK_TIME_NEVER, LK_TIME_NEVER), ==, 0);
  g_assert_cmpint (lk_profile_earliest_us (profile, 5, 1, 0, LK_TIME_NEVER, LK_TIME_NEVER), ==,
                   LK_TIME_NEVER);
  g_assert_cmpuint (lk_profile_units_free (profile, LK_TIME_NEVER - 1), ==, 1);
  lk_profile_release (profile, 20, LK_TIME_NEVER, 3);
  g_assert_cmpint (lk_profile_earliest_us (profile, 2, 11, 0, LK_TIME_NEVER, LK_TIME_NEVER), ==,
                   20);
  lk_profile_check (profile);
}

/* Half-open intervals: one may begin where another ends. */
static void
test_back_to_back (void)
{
  g_autoptr (LkProfile) profile = lk_profile_new (4);
  lk_profile_reserve (profile, 0, 10, 4);
  lk_profile_reserve (profile, 10, 20, 4);
  g_assert_cmpuint (lk_profile_step_count (profile), ==, 2);
  lk_profile_reserve (profile, 25, 30, 4);
  g_assert_cmpint (lk_profile_earliest_us (profile, 4, 5, 0, LK_TIME_NEVER, LK_TIME_NEVER), ==, 20);
  g_assert_cmpint (lk_profile_earliest_us (profile, 4, 6, 0, LK_TIME_NEVER, LK_TIME_NEVER), ==, 30);
  g_assert_cmpint (lk_profile_earliest_us (profile, 4, 5, 0, 20, LK_TIME_NEVER), ==, LK_TIME_NEVER);
  g_assert_cmpint (lk_profile_earliest_us (profile, 4, 5, 0, 21, LK_TIME_NEVER), ==, 20);
  /* Behind `stop_us` nothing has to be free. */
  g_assert_cmpint (lk_profile_earliest_us (profile, 4, 9, 0, 25, 25), ==, 20);
  g_assert_cmpint (lk_profile_earliest_us (profile, 4, 9, 23, 25, 25), ==, 23);
  lk_profile_check (profile);
}

static void
test_nothing (void)
{
  g_autoptr (LkProfile) profile = lk_profile_new (4);
  lk_profile_reserve (profile, 10, 10, 4);
  lk_profile_reserve (profile, 10, 5, 4);
  lk_profile_reserve (profile, 10, 20, 0);
  g_assert_cmpuint (lk_profile_step_count (profile), ==, 1);
  lk_profile_check (profile);
}

/* Conservative backfilling in a trace whose clock begins below zero. */
static void
test_negative (void)
{
  g_autoptr (LkProfile) profile = lk_profile_new (4);
  lk_profile_reset (profile, G_MININT64);
  lk_profile_reserve (profile, G_MININT64, -5, 4);
  lk_profile_reserve (profile, -5, 5, 2);
  g_assert_cmpint (lk_profile_earliest_us (profile, 3, 1, G_MININT64, LK_TIME_NEVER, LK_TIME_NEVER),
                   ==, 5);
  g_assert_cmpint (
      lk_profile_earliest_us (profile, 2, 20, G_MININT64, LK_TIME_NEVER, LK_TIME_NEVER), ==, -5);
  lk_profile_check (profile);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profile/agrees with an array through random changes", test_random);
  g_test_add_func ("/profile/forgets what is over", test_advance);
  g_test_add_func ("/profile/is all free again after a reset", test_reset);
  g_test_add_func ("/profile/takes reservations that never end", test_for_ever);
  g_test_add_func ("/profile/lets one reservation begin where another ends", test_back_to_back);
  g_test_add_func ("/profile/is not changed by an empty interval", test_nothing);
  g_test_add_func ("/profile/reaches below zero", test_negative);
  return g_test_run ();
}
