/* tests/engine/slots_test.c — sets of idle nodes over time against a table of nodes and moments.
 *
 * One cell for each node and microsecond; the last column stands for all time from it on. */
#include "engine/slots.h"

#include "engine/checked.h"
#include "tests/engine/seed.h"

#define NODES 130u
#define WORDS 3u
#define CELLS 400

typedef struct {
  LkSlots *slots;
  gboolean is_idle[CELLS][NODES];
  gint64 now_us;
  Seed seed;
  GArray *words; /* of LkSlotWord */
} Fixture;

static void
fixture_init (Fixture *self, guint64 seed)
{
  self->slots = lk_slots_new (NODES, 0);
  self->now_us = 0;
  self->seed.state = seed;
  self->words = g_array_new (FALSE, FALSE, sizeof (LkSlotWord));
  for (guint at = 0; at < CELLS; at++)
    for (guint node = 0; node < NODES; node++)
      self->is_idle[at][node] = TRUE;
}

static void
fixture_clear (Fixture *self)
{
  lk_slots_check (self->slots);
  lk_slots_free (self->slots);
  g_array_unref (self->words);
}

/* Nodes [first, end) as words. */
static LkSlotsWords
range (Fixture *self, guint first, guint end)
{
  g_array_set_size (self->words, 0);
  for (guint word = 0; word < WORDS; word++) {
    guint from = MAX (first, word * 64) - word * 64;
    guint to = MIN (end, (word + 1) * 64);
    LkSlotWord item = { word, 0 };
    for (guint bit = from; bit < 64 && word * 64 + bit < to; bit++)
      item.mask |= G_GUINT64_CONSTANT (1) << bit;
    if (item.mask != 0)
      g_array_append_val (self->words, item);
  }
  return (LkSlotsWords){ (const LkSlotWord *)(gconstpointer)self->words->data, self->words->len };
}

static gint64
cell_end (gint64 to_us)
{
  return MIN (to_us, CELLS);
}

static gboolean
are_idle (const Fixture *self, guint first, guint end, gint64 from_us, gint64 to_us)
{
  for (gint64 at = MAX (from_us, self->now_us); at < cell_end (to_us); at++)
    for (guint node = first; node < end; node++)
      if (!self->is_idle[at][node])
        return FALSE;
  return TRUE;
}

/* Somebody takes, or gives back, some nodes for some time. */
static void
change (Fixture *self)
{
  guint first = seed_below (&self->seed, NODES);
  guint end = first + 1 + seed_below (&self->seed, NODES - first);
  gint64 from_us = self->now_us + seed_below (&self->seed, CELLS / 2);
  gint64 to_us = from_us + 1 + seed_below (&self->seed, 60);
  gboolean gives = seed_below (&self->seed, 3) == 0;
  if (seed_below (&self->seed, 40) == 0)
    to_us = LK_TIME_NEVER;
  LkSlotsWords words = range (self, first, end);
  gboolean were_idle = are_idle (self, first, end, from_us, to_us);
  g_assert_cmpint (lk_slots_are_idle (self->slots, &words, from_us, to_us), ==, were_idle);
  if (gives)
    lk_slots_give (self->slots, &words, from_us, to_us);
  else
    g_assert_cmpint (lk_slots_take (self->slots, &words, from_us, to_us), ==, were_idle);
  for (gint64 at = from_us; at < cell_end (to_us); at++)
    for (guint node = first; node < end; node++)
      self->is_idle[at][node] = gives;
}

static guint
idle_count (const Fixture *self, gint64 at_us)
{
  guint count = 0;
  for (guint node = 0; node < NODES; node++)
    count += self->is_idle[MIN (at_us, CELLS - 1)][node] ? 1 : 0;
  return count;
}

/* How many nodes are idle for all of [at, at + duration). */
static guint
idle_together (const Fixture *self, gint64 at_us, gint64 duration_us)
{
  guint count = 0;
  for (guint node = 0; node < NODES; node++)
    count += are_idle (self, node, node + 1, at_us, at_us + duration_us) ? 1 : 0;
  return count;
}

static void
check_earliest (Fixture *self)
{
  guint64 all[WORDS] = { ~G_GUINT64_CONSTANT (0), ~G_GUINT64_CONSTANT (0), 3 };
  guint64 found[WORDS];
  LkSlotsDemand demand = { 1 + seed_below (&self->seed, NODES / 2),
                           1 + seed_below (&self->seed, 50), all };
  gint64 from_us = self->now_us + seed_below (&self->seed, CELLS / 2);
  gint64 before_us = from_us + 1 + seed_below (&self->seed, CELLS / 4);
  gint64 expected_us = from_us;
  while (expected_us < before_us
         && idle_together (self, expected_us, demand.duration_us) < demand.node_count)
    expected_us++;
  if (expected_us == before_us)
    expected_us = LK_TIME_NEVER;
  g_assert_cmpint (lk_slots_earliest_us (self->slots, &demand, from_us, before_us, found), ==,
                   expected_us);
}

/* The longest run of so many idle nodes that lies in one that was told of. */
static void
check_runs (Fixture *self)
{
  g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (LkSlotsRun));
  gint64 from_us = self->now_us + seed_below (&self->seed, CELLS / 2);
  gint64 to_us = from_us + 1 + seed_below (&self->seed, CELLS / 4);
  guint wanted = 1 + seed_below (&self->seed, NODES);
  gint64 longest_us = 0;
  gint64 run_us = 0;
  gint64 told_us = 0;
  for (gint64 at = from_us; at < to_us; at++) {
    run_us = idle_count (self, at) >= wanted ? run_us + 1 : 0;
    longest_us = MAX (longest_us, run_us);
  }
  lk_slots_runs (self->slots, from_us, to_us, runs);
  for (guint i = 0; i < runs->len; i++) {
    const LkSlotsRun *run = &g_array_index (runs, LkSlotsRun, i);
    if (run->node_count >= wanted)
      told_us = MAX (told_us, run->duration_us);
  }
  g_assert_cmpint (told_us, ==, longest_us);
}

/* Around an interval, as far as any node stays idle. */
static void
check_extent (Fixture *self)
{
  guint first = seed_below (&self->seed, NODES);
  guint end = first + 1 + seed_below (&self->seed, MIN (20, NODES - first));
  gint64 from_us = self->now_us + seed_below (&self->seed, CELLS / 2);
  gint64 to_us = from_us + 1 + seed_below (&self->seed, 40);
  gint64 expected_from_us = from_us;
  gint64 expected_to_us = to_us;
  gint64 found_from_us;
  gint64 found_to_us;
  LkSlotsWords words = range (self, first, end);
  for (guint node = first; node < end; node++) {
    gint64 at = from_us;
    while (at > self->now_us && self->is_idle[at - 1][node])
      at--;
    expected_from_us = MIN (expected_from_us, at);
    for (at = to_us; at < CELLS && self->is_idle[at][node];)
      at++;
    expected_to_us = MAX (expected_to_us, at == CELLS ? LK_TIME_NEVER : at);
  }
  lk_slots_extent (self->slots, &words, from_us, to_us, &found_from_us, &found_to_us);
  g_assert_cmpint (found_from_us, ==, expected_from_us);
  g_assert_cmpint (found_to_us, ==, expected_to_us);
}

static void
test_random (void)
{
  Fixture *self = g_new0 (Fixture, 1);
  for (guint64 seed = 1; seed <= 6; seed++) {
    fixture_init (self, seed);
    for (guint round = 0; round < 300; round++) {
      change (self);
      check_earliest (self);
      check_runs (self);
      check_extent (self);
      if (round % 20 == 19 && self->now_us < CELLS / 8) {
        self->now_us += seed_below (&self->seed, 8);
        lk_slots_advance (self->slots, self->now_us);
        lk_slots_check (self->slots);
      }
    }
    fixture_clear (self);
  }
  g_free (self);
}

static void
test_empty (void)
{
  guint64 all[WORDS] = { ~G_GUINT64_CONSTANT (0), ~G_GUINT64_CONSTANT (0), 3 };
  guint64 found[WORDS];
  LkSlots *slots = lk_slots_new (NODES, 7);
  LkSlotsDemand demand = { NODES, LK_TIME_NEVER, all };
  g_assert_cmpint (lk_slots_earliest_us (slots, &demand, 0, 100, found), ==, 7);
  demand.node_count = NODES + 1;
  g_assert_cmpint (lk_slots_earliest_us (slots, &demand, 0, 100, found), ==, LK_TIME_NEVER);
  g_assert_cmpuint (lk_slots_step_count (slots), ==, 1);
  lk_slots_free (slots);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/slots/an empty machine is idle from its first moment on", test_empty);
  g_test_add_func ("/slots/agree with a table of nodes and moments", test_random);
  return g_test_run ();
}
