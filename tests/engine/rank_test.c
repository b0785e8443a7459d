/* tests/engine/rank_test.c — the rank against a plain sorted array of the same jobs.
 *
 * Thousands of jobs, so that blocks split and join; few different keys and submit times, so that
 * every level of the tie-break is used. */
#include "engine/rank.h"

#include "tests/engine/seed.h"

#define JOBS 4000u

typedef struct {
  LkJobTable table;
  LkRank *rank;
  GArray *model;   /* LkJobIndex in order */
  GArray *outside; /* LkJobIndex: in the table, not in the rank */
  gint64 *new_keys;
  Seed seed;
} Fixture;

static gint
compare (gconstpointer a, gconstpointer b, gpointer user)
{
  const LkJobTable *table = user;
  LkJobIndex x = *(const LkJobIndex *)a;
  LkJobIndex y = *(const LkJobIndex *)b;
  if (table->rank_key[x] != table->rank_key[y])
    return table->rank_key[x] < table->rank_key[y] ? -1 : 1;
  if (table->submit_us[x] != table->submit_us[y])
    return table->submit_us[x] < table->submit_us[y] ? -1 : 1;
  return (table->id[x] > table->id[y]) - (table->id[x] < table->id[y]);
}

static LkJobIndex
model_at (const Fixture *self, guint at)
{
  return g_array_index (self->model, LkJobIndex, at);
}

/* Place of the first job of the model that does not come before `job`. */
static guint
model_place (Fixture *self, LkJobIndex job)
{
  guint at = 0;
  guint end = self->model->len;
  while (at < end) {
    guint middle = (at + end) / 2;
    LkJobIndex other = model_at (self, middle);
    if (compare (&other, &job, &self->table) < 0)
      at = middle + 1;
    else
      end = middle;
  }
  return at;
}

static void
fixture_init (Fixture *self, guint64 seed)
{
  lk_job_table_init (&self->table);
  self->rank = lk_rank_new (&self->table, &self->table.rank_key);
  self->model = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  self->outside = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  self->new_keys = g_new0 (gint64, JOBS);
  self->seed.state = seed;
  for (guint32 i = 0; i < JOBS; i++) {
    LkJobIndex job = lk_job_table_add (&self->table, i + 1);
    self->table.phase[job] = LK_PHASE_QUEUED;
    self->table.rank_key[job] = seed_between (&self->seed, -40, 40);
    self->table.submit_us[job] = seed_between (&self->seed, 0, 9);
    self->table.estimate_us[job] = seed_between (&self->seed, 1, 1000000);
    self->table.units[job] = 1 + seed_below (&self->seed, 500);
    g_array_append_val (self->outside, job);
  }
}

static void
fixture_clear (Fixture *self)
{
  lk_rank_check (self->rank);
  lk_rank_free (self->rank);
  lk_job_table_clear (&self->table);
  g_array_unref (self->model);
  g_array_unref (self->outside);
  g_free (self->new_keys);
}

static void
insert_one (Fixture *self)
{
  guint from = seed_below (&self->seed, self->outside->len);
  LkJobIndex job = g_array_index (self->outside, LkJobIndex, from);
  g_array_remove_index_fast (self->outside, from);
  g_array_insert_val (self->model, model_place (self, job), job);
  lk_rank_insert (self->rank, job);
  lk_rank_check (self->rank);
}

static void
remove_at (Fixture *self, guint at)
{
  LkJobIndex job = model_at (self, at);
  g_array_remove_index (self->model, at);
  g_array_append_val (self->outside, job);
  lk_rank_remove (self->rank, job);
  lk_rank_check (self->rank);
}

static gboolean
passes (const Fixture *self, LkJobIndex job, const LkQueueFilter *filter)
{
  return self->table.units[job] <= filter->units_max
         && (self->table.estimate_us[job] <= filter->short_us
             || self->table.units[job] <= filter->units_long_max);
}

static LkJobIndex
model_next (Fixture *self, LkJobIndex after, const LkQueueFilter *filter)
{
  guint at = after == LK_JOB_NONE ? 0 : model_place (self, after);
  if (after != LK_JOB_NONE && at < self->model->len && model_at (self, at) == after)
    at++;
  for (; at < self->model->len; at++)
    if (filter == NULL || passes (self, model_at (self, at), filter))
      return model_at (self, at);
  return LK_JOB_NONE;
}

/* ---------------------------------------------------------------- comparisons */

static void
assert_order (const Fixture *self)
{
  LkJobIndex job = LK_JOB_NONE;
  guint32 units_min = G_MAXUINT32;
  for (guint i = 0; i < self->model->len; i++) {
    job = lk_rank_next (self->rank, job, NULL);
    g_assert_cmpuint (job, ==, model_at (self, i));
    units_min = MIN (units_min, self->table.units[job]);
  }
  g_assert_cmpuint (lk_rank_next (self->rank, job, NULL), ==, LK_JOB_NONE);
  g_assert_cmpuint (lk_rank_first (self->rank), ==,
                    self->model->len > 0 ? model_at (self, 0) : LK_JOB_NONE);
  g_assert_cmpuint (lk_rank_count (self->rank), ==, self->model->len);
  g_assert_cmpuint (lk_rank_units_min (self->rank), ==, units_min);
}

/* Sometimes nothing passes, sometimes nearly all do, sometimes a handful. */
static LkQueueFilter
any_filter (Fixture *self)
{
  LkQueueFilter filter = { .units_max = seed_below (&self->seed, 520),
                           .units_long_max = seed_below (&self->seed, 520),
                           .short_us = seed_between (&self->seed, -10, 1000000) };
  if (seed_below (&self->seed, 3) == 0)
    filter.units_max = seed_below (&self->seed, 5);
  if (seed_below (&self->seed, 3) == 0)
    filter.units_long_max = seed_below (&self->seed, 3);
  if (seed_below (&self->seed, 3) == 0)
    filter.short_us = seed_between (&self->seed, 0, 3000);
  return filter;
}

static void
assert_next (Fixture *self, LkJobIndex after)
{
  LkQueueFilter filter = any_filter (self);
  g_assert_cmpuint (lk_rank_next (self->rank, after, NULL), ==, model_next (self, after, NULL));
  g_assert_cmpuint (lk_rank_next (self->rank, after, &filter), ==,
                    model_next (self, after, &filter));
}

static void
assert_reach (const Fixture *self, guint64 units)
{
  guint64 sum = 0;
  guint64 reached = 0;
  LkJobIndex wanted = LK_JOB_NONE;
  for (guint i = 0; i < self->model->len; i++) {
    LkJobIndex job = model_at (self, i);
    sum += self->table.units[job];
    if (wanted == LK_JOB_NONE && sum >= units)
      wanted = job;
    if (wanted == LK_JOB_NONE || self->table.rank_key[job] <= self->table.rank_key[wanted])
      reached = sum;
  }
  guint64 got = 0;
  g_assert_cmpuint (lk_rank_reach (self->rank, units, &got), ==, wanted);
  g_assert_cmpuint (got, ==, reached);
}

static guint64
units_sum (const Fixture *self)
{
  guint64 sum = 0;
  for (guint i = 0; i < self->model->len; i++)
    sum += self->table.units[model_at (self, i)];
  return sum;
}

static void
assert_reaches (Fixture *self)
{
  guint64 sum = units_sum (self);
  assert_reach (self, 1);
  assert_reach (self, sum + 1);
  assert_reach (self, G_MAXUINT64 / 2);
  if (sum == 0)
    return;
  assert_reach (self, sum);
  for (guint i = 0; i < 10; i++)
    assert_reach (self, 1 + seed_next (&self->seed) % sum);
}

/* ---------------------------------------------------------------- tests */

static void
test_random (void)
{
  Fixture self;
  fixture_init (&self, 1);
  assert_order (&self);
  for (guint i = 0; i < 12000; i++) {
    gboolean grows = seed_below (&self.seed, 100) < ((i / 4000) % 2 == 0 ? 90u : 15u);
    if (grows && self.outside->len > 0)
      insert_one (&self);
    else if (!grows && self.model->len > 0)
      remove_at (&self, seed_below (&self.seed, self.model->len));
    if (self.model->len > 0)
      assert_next (&self, model_at (&self, seed_below (&self.seed, self.model->len)));
    assert_next (&self, LK_JOB_NONE);
    if (i % 200 == 0) {
      assert_order (&self);
      assert_reaches (&self);
    }
  }
  while (self.model->len > 0)
    remove_at (&self, self.model->len / 3);
  assert_order (&self);
  assert_reaches (&self);
  fixture_clear (&self);
}

/* The pass starts a job and goes on behind it. */
static void
test_removed (void)
{
  Fixture self;
  fixture_init (&self, 2);
  while (self.outside->len > 0)
    insert_one (&self);
  while (self.model->len > 1) {
    guint at = seed_below (&self.seed, self.model->len);
    LkJobIndex job = model_at (&self, at);
    remove_at (&self, at);
    assert_next (&self, job);
  }
  LkJobIndex last = model_at (&self, 0);
  remove_at (&self, 0);
  g_assert_cmpuint (lk_rank_next (self.rank, last, NULL), ==, LK_JOB_NONE);
  fixture_clear (&self);
}

/* A queue in order of submission: only ever longer at its end and shorter at its front. */
static void
test_fifo (void)
{
  Fixture self;
  fixture_init (&self, 3);
  for (LkJobIndex job = 0; job < JOBS; job++)
    self.table.rank_key[job] = (gint64)job;
  for (LkJobIndex job = 0; job < JOBS; job++) {
    g_array_append_val (self.model, job);
    lk_rank_insert (self.rank, job);
    lk_rank_check (self.rank);
    if (job % 3 == 2)
      remove_at (&self, 0);
  }
  g_array_set_size (self.outside, 0);
  assert_order (&self);
  while (self.model->len > 0)
    remove_at (&self, 0);
  assert_order (&self);
  fixture_clear (&self);
}

static void
test_before (void)
{
  Fixture self;
  fixture_init (&self, 4);
  while (self.outside->len > JOBS / 2)
    insert_one (&self);
  for (guint i = 0; i < 20000; i++) {
    guint a = seed_below (&self.seed, self.model->len);
    guint b = seed_below (&self.seed, self.model->len);
    g_assert_cmpint (lk_rank_before (self.rank, model_at (&self, a), model_at (&self, b)), ==,
                     a < b);
  }
  fixture_clear (&self);
}

static gint64
new_key (gpointer user, LkJobIndex job)
{
  const Fixture *self = user;
  return self->new_keys[job];
}

static void
assert_rekeyed (Fixture *self)
{
  lk_rank_rekey (self->rank, new_key, self);
  lk_rank_check (self->rank);
  for (guint i = 0; i < self->model->len; i++)
    g_assert_cmpint (self->table.rank_key[model_at (self, i)], ==,
                     self->new_keys[model_at (self, i)]);
  g_array_sort_with_data (self->model, compare, &self->table);
  assert_order (self);
  assert_reaches (self);
  assert_next (self, LK_JOB_NONE);
}

typedef enum { KEYS_SAME, KEYS_RANDOM, KEYS_NEARLY, KEYS_REVERSED, KEYS_EQUAL, KEYS_FAR } Keys;

static gint64
draw_key (Fixture *self, Keys keys, guint at)
{
  gint64 before = self->table.rank_key[model_at (self, at)];
  switch (keys) {
  case KEYS_RANDOM:
    return seed_between (&self->seed, -100, 100);
  case KEYS_NEARLY:
    return seed_below (&self->seed, 50) == 0 ? seed_between (&self->seed, -100, 100) : before;
  case KEYS_REVERSED:
    return -(gint64)at;
  case KEYS_EQUAL:
    return 7;
  case KEYS_FAR:
    return seed_below (&self->seed, 2) == 0 ? G_MININT64 : G_MAXINT64;
  default:
    return before;
  }
}

static void
test_rekey (void)
{
  static const Keys rounds[] = { KEYS_SAME,   KEYS_RANDOM, KEYS_NEARLY,   KEYS_REVERSED,
                                 KEYS_EQUAL,  KEYS_SAME,   KEYS_REVERSED, KEYS_FAR,
                                 KEYS_NEARLY, KEYS_RANDOM, KEYS_NEARLY };
  Fixture self;
  fixture_init (&self, 5);
  lk_rank_rekey (self.rank, new_key, &self);
  assert_order (&self);
  for (guint round = 0; round < G_N_ELEMENTS (rounds); round++) {
    for (guint i = 0; i < 300; i++)
      insert_one (&self);
    for (guint i = 0; i < 40; i++)
      remove_at (&self, seed_below (&self.seed, self.model->len));
    for (guint i = 0; i < self.model->len; i++)
      self.new_keys[model_at (&self, i)] = draw_key (&self, rounds[round], i);
    assert_rekeyed (&self);
  }
  fixture_clear (&self);
}

/* The column is reached through a pointer to it, since the table moves it when it grows. */
static void
test_column_moves (void)
{
  LkJobTable table;
  lk_job_table_init (&table);
  g_autoptr (LkRank) rank = lk_rank_new (&table, &table.rank_key);
  for (guint32 id = 1; id <= 3000; id++) {
    LkJobIndex job = lk_job_table_add (&table, id);
    table.phase[job] = LK_PHASE_QUEUED;
    table.units[job] = 1;
    table.rank_key[job] = -(gint64)id;
    lk_rank_insert (rank, job);
  }
  lk_rank_check (rank);
  g_assert_cmpuint (table.id[lk_rank_first (rank)], ==, 3000);
  lk_job_table_clear (&table);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rank/agrees with a sorted array through random changes", test_random);
  g_test_add_func ("/rank/goes on behind a job that was removed", test_removed);
  g_test_add_func ("/rank/grows at its end and shrinks at its front", test_fifo);
  g_test_add_func ("/rank/says which of two comes first", test_before);
  g_test_add_func ("/rank/takes new keys in any order", test_rekey);
  g_test_add_func ("/rank/follows a column that moves", test_column_moves);
  return g_test_run ();
}
