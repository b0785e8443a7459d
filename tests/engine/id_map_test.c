/* tests/engine/id_map_test.c — the id map against GLib's hash table.
 *
 * Ids that share a home slot make long runs of neighbours, so that removal has to shift; some of
 * those runs wrap around the end of the table. */
#include "engine/id_map.h"

#include "tests/engine/seed.h"

#define OPERATIONS 60000u

typedef struct {
  LkIdMap map;
  GHashTable *model; /* id to job */
  GArray *ids;       /* guint32: the keys of the model */
} Fixture;

static void
fixture_init (Fixture *self)
{
  lk_id_map_init (&self->map);
  self->model = g_hash_table_new (NULL, NULL);
  self->ids = g_array_new (FALSE, FALSE, sizeof (guint32));
}

static void
fixture_clear (Fixture *self)
{
  lk_id_map_clear (&self->map);
  g_hash_table_unref (self->model);
  g_array_unref (self->ids);
}

static void
insert (Fixture *self, guint32 id, LkJobIndex job)
{
  if (!g_hash_table_insert (self->model, GUINT_TO_POINTER (id), GUINT_TO_POINTER (job)))
    g_error ("id %u twice", id);
  g_array_append_val (self->ids, id);
  lk_id_map_insert (&self->map, id, job);
}

static void
remove_at (Fixture *self, guint at)
{
  guint32 id = g_array_index (self->ids, guint32, at);
  g_array_remove_index_fast (self->ids, at);
  g_hash_table_remove (self->model, GUINT_TO_POINTER (id));
  lk_id_map_remove (&self->map, id);
  g_assert_cmpuint (lk_id_map_find (&self->map, id), ==, LK_JOB_NONE);
}

static void
assert_agrees (const Fixture *self)
{
  g_assert_cmpuint (self->map.count, ==, self->ids->len);
  g_assert_cmpuint (2 * self->map.count, <=, 1u << self->map.bits);
  for (guint i = 0; i < self->ids->len; i++) {
    guint32 id = g_array_index (self->ids, guint32, i);
    LkJobIndex job = GPOINTER_TO_UINT (g_hash_table_lookup (self->model, GUINT_TO_POINTER (id)));
    g_assert_cmpuint (lk_id_map_find (&self->map, id), ==, job);
  }
}

static void
test_random (void)
{
  Fixture self;
  Seed seed = { 1 };
  fixture_init (&self);
  for (guint i = 0; i < OPERATIONS; i++) {
    /* Now mostly more, now mostly fewer. */
    gboolean grows = seed_below (&seed, 100) < ((i / 5000) % 2 == 0 ? 70u : 35u);
    guint32 id = 1 + seed_below (&seed, 20000);
    gboolean known = g_hash_table_contains (self.model, GUINT_TO_POINTER (id));
    if (grows && !known)
      insert (&self, id, i);
    else if (!grows && self.ids->len > 0)
      remove_at (&self, seed_below (&seed, self.ids->len));
    if (!known && !grows)
      g_assert_cmpuint (lk_id_map_find (&self.map, id), ==, LK_JOB_NONE);
    if (i % 500 == 0)
      assert_agrees (&self);
  }
  assert_agrees (&self);
  fixture_clear (&self);
}

/* The slot in a table of the least size that the id would have to itself. */
static guint
home_slot (guint32 id)
{
  LkIdMap map;
  guint slot = 0;
  lk_id_map_init (&map);
  lk_id_map_insert (&map, id, 1);
  while (map.slots[slot].id != id)
    slot++;
  lk_id_map_clear (&map);
  return slot;
}

/* Many ids for few neighbouring home slots, the last and the first of the table among them. */
static void
test_shifting (void)
{
  Fixture self;
  Seed seed = { 2 };
  fixture_init (&self);
  guint slot_count = 1u << self.map.bits;
  g_autoptr (GArray) crowded = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 id = 1; crowded->len < 60; id++) {
    guint slot = home_slot (id);
    if (slot >= slot_count - 3 || slot <= 1)
      g_array_append_val (crowded, id);
  }
  for (guint i = 0; i < 20000; i++) {
    guint32 id = g_array_index (crowded, guint32, seed_below (&seed, crowded->len));
    if (!g_hash_table_contains (self.model, GUINT_TO_POINTER (id)))
      insert (&self, id, i);
    else
      remove_at (&self, seed_below (&seed, self.ids->len));
    assert_agrees (&self);
  }
  fixture_clear (&self);
}

static void
test_growth (void)
{
  Fixture self;
  fixture_init (&self);
  guint bits_before = self.map.bits;
  for (guint32 id = 1; id <= 50000; id++)
    insert (&self, id, 3 * id);
  g_assert_cmpuint (self.map.bits, >, bits_before);
  assert_agrees (&self);
  while (self.ids->len > 0)
    remove_at (&self, self.ids->len - 1);
  assert_agrees (&self);
  fixture_clear (&self);
}

static void
test_corners (void)
{
  Fixture self;
  fixture_init (&self);
  g_assert_cmpuint (lk_id_map_find (&self.map, 0), ==, LK_JOB_NONE);
  g_assert_cmpuint (lk_id_map_find (&self.map, 1), ==, LK_JOB_NONE);
  insert (&self, G_MAXUINT32, 0);
  insert (&self, 1, LK_JOB_NONE - 1);
  g_assert_cmpuint (lk_id_map_find (&self.map, 0), ==, LK_JOB_NONE);
  assert_agrees (&self);
  fixture_clear (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/id_map/agrees with a hash table through random changes", test_random);
  g_test_add_func ("/id_map/removal shifts what had to make way", test_shifting);
  g_test_add_func ("/id_map/grows and empties", test_growth);
  g_test_add_func ("/id_map/knows the least and the largest id but not 0", test_corners);
  return g_test_run ();
}
