/* tests/engine/window_test.c — what is free on a node over a time, against counting by hand, and
 * with the steps of engine/timeline.h as without.
 *
 * Items that hold something for a time are put on a node at random, each within what is free there;
 * what is free over random windows must then be what is left when all moments of the window are
 * looked at one by one. */
#include "engine/window.h"

#include <string.h>

#include "engine/timeline.h"
#include "tests/engine/seed.h"

#define ROUNDS 300u
#define ITEMS_MAX 14u
#define WINDOWS_EACH 40u
#define HORIZON 40
#define CORES 8u
#define GPUS 4u
#define SHARES 3u
#define NICS 5u
#define MEMORY 16

typedef struct {
  gboolean is_running;
  gint64 from_us;
  gint64 to_us; /* as it is held: an overdue one longer than expected */
  guint32 job;
  guint32 piece;
} Item;

typedef struct {
  LkCluster *cluster;
  LkMachine *machine;
  guint32 planned_first[1];
  LkTimelines *timelines;
  Seed seed;
  gint64 now_us;
  gboolean shares_cores;
  Item items[ITEMS_MAX];
  guint item_count;
  guint hidden_count; /* windows that were answered while a reservation was hidden */
} Bench;

/* ---------------------------------------------------------------- a node */

static void
bench_init (Bench *self, guint64 seed)
{
  LkClusterError error;
  *self = (Bench){ .cluster = lk_cluster_new ("test"), .seed = { seed } };
  LkNodeSpec *node = lk_cluster_add_nodes (self->cluster, "n0");
  node->sockets = 2;
  node->cores_per_socket = CORES / 2;
  node->cpus = CORES;
  node->memory_bytes = MEMORY;
  lk_node_spec_add_gres (node, "nic", "", NICS);
  lk_node_spec_add_gres (node, "log", "", 1)->no_consume = TRUE;
  if (seed % 3 > 0)
    lk_node_spec_add_gres (node, "shard", "", GPUS * SHARES);
  lk_node_spec_add_gres (node, "gpu", "", GPUS);
  g_assert_true (lk_cluster_check (self->cluster, &error));
  self->machine = lk_machine_new (self->cluster, /* whole_nodes= */ FALSE);
  self->planned_first[0] = LK_PIECE_NONE;
  self->timelines = lk_timelines_new (self->machine, self->planned_first);
  self->now_us = seed_between (&self->seed, 0, 5);
  self->shares_cores = seed % 4 == 0;
}

static void
bench_clear (Bench *self)
{
  lk_timelines_free (self->timelines);
  lk_machine_free (self->machine);
  lk_cluster_free (self->cluster);
}

static guint32
name_of (const Bench *self, const char *name)
{
  return lk_node_table_gres (&self->machine->nodes, name, strlen (name));
}

static const LkPiece *
piece_of (const Bench *self, const Item *item)
{
  return lk_piece (&self->machine->nodes, item->piece);
}

/* ---------------------------------------------------------------- by hand */

static gboolean
overlaps (const Item *item, const LkWindow *window)
{
  return item->from_us < window->to_us && item->to_us > window->from_us
         && (item->is_running || item->job != window->except);
}

static gboolean
bears (const Bench *self, const Item *item, const LkWindow *window)
{
  const LkPiece *piece = piece_of (self, item);
  gboolean one_user = window->whole_user || (piece->flags & LK_PIECE_USER) != 0;
  return (piece->flags & LK_PIECE_WHOLE) == 0
         && ((piece->flags & LK_PIECE_SHARING) != 0) == (window->shares != FALSE)
         && (!one_user || window->any_user || piece->user_id == window->user_id);
}

/* Lowers what is free by what is held at a moment. */
static void
look_at (const Bench *self, const LkWindow *window, gint64 at_us, LkNodeFree *free)
{
  gint64 memory_bytes = MEMORY;
  guint32 nics = NICS;
  const LkNodeKind *kind = lk_node_kind (&self->machine->nodes, 0);
  guint32 shares[GPUS];
  for (guint device = 0; device < GPUS; device++)
    shares[device] = MAX (1, kind->shares_per_device);
  for (guint i = 0; i < self->item_count; i++) {
    const Item *item = &self->items[i];
    const LkPiece *piece = piece_of (self, item);
    if (!overlaps (item, window) || item->from_us > at_us || item->to_us <= at_us)
      continue;
    memory_bytes -= piece->memory_bytes;
    nics -= piece->counts[name_of (self, "nic")];
    shares[piece->share_device] -= piece->shares;
  }
  free->memory_bytes = MIN (free->memory_bytes, memory_bytes);
  free->counts[name_of (self, "nic")] = MIN (free->counts[name_of (self, "nic")], nics);
  for (guint device = 0; device < GPUS; device++)
    free->shares[device] = MIN (free->shares[device], shares[device]);
}

static void
free_by_hand (const Bench *self, const LkWindow *window, LkNodeFree *out_free)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  const LkNodeKind *kind = lk_node_kind (nodes, 0);
  LkNodeFree free = { .open = TRUE, .is_idle = TRUE, .memory_bytes = MEMORY };
  guint32 on_core[CORES] = { 0 };
  for (guint32 name = 0; name < nodes->gres_count; name++)
    free.counts[name] = kind->counts[name];
  for (guint device = 0; device < GPUS; device++)
    free.shares[device] = MAX (1, kind->shares_per_device);
  free.devices = (1u << GPUS) - 1;
  for (gint64 at_us = window->from_us; at_us < window->to_us; at_us++)
    look_at (self, window, at_us, &free);
  for (guint i = 0; i < self->item_count; i++) {
    const LkPiece *piece = piece_of (self, &self->items[i]);
    if (!overlaps (&self->items[i], window))
      continue;
    free.is_idle = FALSE;
    free.open = free.open && bears (self, &self->items[i], window);
    free.devices &= ~piece->devices;
    if (piece->shares > 0)
      free.devices &= ~(G_GUINT64_CONSTANT (1) << piece->share_device);
    for (guint core = 0; core < CORES; core++)
      on_core[core] += lk_bits_has (piece->cores, core) != FALSE;
    for (guint device = 0; device < GPUS; device++)
      if (((piece->devices >> device) & 1) != 0)
        free.shares[device] = 0;
  }
  for (guint core = 0; core < CORES; core++)
    if (on_core[core] < window->sharing_jobs)
      lk_bits_add (free.cores, core);
  *out_free = free;
}

static void
assert_same (const Bench *self, const LkNodeFree *a, const LkNodeFree *b)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  g_assert_cmpint (a->open, ==, b->open);
  g_assert_cmpint (a->is_idle, ==, b->is_idle);
  g_assert_cmpuint (a->cores[0], ==, b->cores[0]);
  g_assert_cmpuint (a->devices, ==, b->devices);
  g_assert_cmpint (a->memory_bytes, ==, b->memory_bytes);
  /* GPUs are told by devices, shares by device. */
  for (guint32 name = 0; name < nodes->gres_count; name++)
    if (nodes->gres[name].kind == LK_GRES_COUNT)
      g_assert_cmpuint (a->counts[name], ==, b->counts[name]);
  for (guint device = 0; device < GPUS; device++)
    g_assert_cmpuint (a->shares[device], ==, b->shares[device]);
}

/* ---------------------------------------------------------------- random windows and items */

static LkWindow
random_window (Bench *self)
{
  Seed *seed = &self->seed;
  LkWindow window = { .nodes = &self->machine->nodes,
                      .planned_first = self->planned_first,
                      .now_us = self->now_us,
                      .except = LK_JOB_NONE,
                      .user_id = seed_below (seed, 2),
                      .sharing_jobs = 1,
                      .whole_user = seed_below (seed, 6) == 0,
                      .any_user = seed_below (seed, 4) == 0 };
  window.from_us = self->now_us + seed_below (seed, 3) * seed_below (seed, HORIZON / 2);
  window.to_us = window.from_us + 1 + seed_below (seed, HORIZON);
  if (self->item_count > 0 && seed_below (seed, 3) == 0)
    window.except = self->items[seed_below (seed, self->item_count)].job;
  if (self->shares_cores) {
    window.shares = TRUE;
    window.sharing_jobs = 1 + seed_below (seed, 3);
  }
  return window;
}

/* Some of what is free. */
static void
fill_piece (Bench *self, const LkNodeFree *free, LkPiece *piece)
{
  Seed *seed = &self->seed;
  piece->cores[0] = free->cores[0] & seed_next (seed) & seed_next (seed);
  piece->memory_bytes = seed_between (seed, 0, free->memory_bytes);
  piece->devices = free->devices & seed_next (seed) & seed_next (seed);
  piece->user_id = seed_below (seed, 2);
  piece->counts[name_of (self, "nic")] = seed_below (seed, free->counts[name_of (self, "nic")] + 1);
  guint32 device = seed_below (seed, GPUS);
  if (lk_node_kind (&self->machine->nodes, 0)->shares_per_device > 0
      && ((piece->devices >> device) & 1) == 0 && free->shares[device] > 0) {
    piece->share_device = device;
    piece->shares = 1 + seed_below (seed, free->shares[device]);
  }
  if (self->shares_cores)
    piece->flags |= LK_PIECE_SHARING;
  if (seed_below (seed, 8) == 0)
    piece->flags |= LK_PIECE_USER;
  if (seed_below (seed, 12) == 0)
    piece->flags |= LK_PIECE_WHOLE;
}

static void
add_item (Bench *self)
{
  LkNodeTable *nodes = &self->machine->nodes;
  LkNodeFree free;
  Item item = { .is_running = seed_below (&self->seed, 2) == 0, .job = self->item_count };
  LkWindow window = random_window (self);
  window.except = LK_JOB_NONE;
  window.sharing_jobs = self->shares_cores ? 3 : 1;
  if (item.is_running)
    window.from_us = self->now_us;
  free_by_hand (self, &window, &free);
  item.piece = lk_piece_new (nodes);
  LkPiece *piece = lk_piece (nodes, item.piece);
  fill_piece (self, &free, piece);
  piece->job = item.job;
  piece->from_us = window.from_us;
  piece->to_us = window.to_us;
  item.from_us = window.from_us;
  item.to_us = window.to_us;
  if (!item.is_running) {
    piece->next_on_node = self->planned_first[0];
    self->planned_first[0] = item.piece;
  } else {
    /* Some began before now; some of those were expected to end by now. */
    piece->from_us = self->now_us - seed_below (&self->seed, 3);
    if (self->item_count == 0 && seed_below (&self->seed, 3) == 0) {
      piece->to_us = self->now_us;
      item.to_us = self->now_us + LK_OVERDUE_US;
    }
    lk_node_table_attach (nodes, item.piece);
  }
  self->items[self->item_count++] = item;
  if (item.is_running || seed_below (&self->seed, 2) == 0)
    lk_timelines_change (self->timelines, 0);
  else
    lk_timelines_add (self->timelines, piece);
}

/* The item that was added last goes, if it is a reservation. */
static void
remove_last (Bench *self)
{
  if (self->item_count == 0 || self->items[self->item_count - 1].is_running)
    return;
  const Item *item = &self->items[self->item_count - 1];
  guint32 *link = &self->planned_first[0];
  while (*link != item->piece)
    link = &lk_piece (&self->machine->nodes, *link)->next_on_node;
  *link = piece_of (self, item)->next_on_node;
  lk_timelines_remove (self->timelines, piece_of (self, item));
  self->item_count--;
}

/* Whose reservation does not count is hidden, sometimes. */
static gboolean
answer (Bench *self, const LkWindow *window, LkNodeFree *out_free)
{
  if (window->except == LK_JOB_NONE || self->items[window->except].is_running
      || seed_below (&self->seed, 4) == 0)
    return lk_timelines_window (self->timelines, window, 0, out_free);
  const Item *item = &self->items[window->except];
  lk_timelines_hide (self->timelines, item->piece, self->now_us);
  gboolean is_hidden = lk_timelines_hides (self->timelines, window->except, 0);
  gboolean is_answered = lk_timelines_window (self->timelines, window, 0, out_free);
  lk_timelines_show (self->timelines, item->piece);
  self->hidden_count += is_hidden && is_answered;
  return is_answered;
}

static guint
free_cores_at (const Bench *self, gint64 at_us)
{
  guint64 held = 0;
  for (guint i = 0; i < self->item_count; i++)
    if (self->items[i].from_us <= at_us && self->items[i].to_us > at_us)
      held |= piece_of (self, &self->items[i])->cores[0];
  return CORES - (guint)__builtin_popcountll (held);
}

/* The first moment from which so many cores are free, whichever, moment by moment. */
static gint64
enough_by_hand (const Bench *self, const LkTimelineNeed *need)
{
  for (gint64 from_us = need->from_us; from_us < need->before_us; from_us++) {
    gint64 at_us = from_us;
    while (at_us < from_us + need->duration_us && free_cores_at (self, at_us) >= need->core_count)
      at_us++;
    if (at_us == from_us + need->duration_us)
      return from_us;
  }
  return LK_TIME_NEVER;
}

static void
assert_enough (Bench *self)
{
  Seed *seed = &self->seed;
  LkTimelineNeed need = { .core_count = 1 + seed_below (seed, CORES),
                          .now_us = self->now_us,
                          .from_us = self->now_us + seed_below (seed, HORIZON),
                          .duration_us = 1 + seed_below (seed, HORIZON),
                          .stop_us = LK_TIME_NEVER };
  need.before_us = need.from_us + 1 + seed_below (seed, 2 * HORIZON);
  g_assert_cmpint (lk_timelines_enough_us (self->timelines, &need), ==,
                   enough_by_hand (self, &need));
}

static void
test_random (void)
{
  guint answered_count = 0;
  guint hidden_count = 0;
  for (guint64 seed = 1; seed <= ROUNDS; seed++) {
    Bench self;
    bench_init (&self, seed);
    guint item_count = seed_below (&self.seed, ITEMS_MAX + 1);
    for (guint i = 0; i < item_count; i++)
      add_item (&self);
    for (guint i = 0; i < WINDOWS_EACH; i++) {
      LkNodeFree expected, found, answered;
      if (seed_below (&self.seed, 4) == 0)
        remove_last (&self);
      else if (seed_below (&self.seed, 4) == 0 && self.item_count < ITEMS_MAX)
        add_item (&self);
      LkWindow window = random_window (&self);
      free_by_hand (&self, &window, &expected);
      lk_window_node (&window, 0, &found);
      assert_same (&self, &found, &expected);
      assert_enough (&self);
      if (!answer (&self, &window, &answered))
        continue;
      assert_same (&self, &answered, &expected);
      answered_count++;
    }
    hidden_count += self.hidden_count;
    bench_clear (&self);
  }
  g_assert_cmpuint (hidden_count, >, ROUNDS);
  g_assert_cmpuint (answered_count, >, ROUNDS * WINDOWS_EACH / 4);
}

/* ---------------------------------------------------------------- one by one */

static LkWindow
window_of (const Bench *self, gint64 from_us, gint64 to_us)
{
  return (LkWindow){ .nodes = &self->machine->nodes,
                     .planned_first = self->planned_first,
                     .from_us = from_us,
                     .to_us = to_us,
                     .except = LK_JOB_NONE,
                     .sharing_jobs = 1 };
}

static LkPiece *
reserve (Bench *self, gint64 from_us, gint64 to_us)
{
  guint32 index = lk_piece_new (&self->machine->nodes);
  LkPiece *piece = lk_piece (&self->machine->nodes, index);
  piece->from_us = from_us;
  piece->to_us = to_us;
  piece->job = index;
  piece->next_on_node = self->planned_first[0];
  self->planned_first[0] = index;
  return piece;
}

/* Of memory counts the most that is held at one moment; a core is held for all of the window. */
static void
test_moments (void)
{
  Bench self;
  LkNodeFree free;
  bench_init (&self, 1);
  LkPiece *early = reserve (&self, 10, 20);
  early->memory_bytes = 10;
  early->cores[0] = 1;
  LkPiece *late = reserve (&self, 20, 30);
  late->memory_bytes = 12;
  late->cores[0] = 2;
  LkWindow both = window_of (&self, 15, 25);
  lk_window_node (&both, 0, &free);
  g_assert_cmpint (free.memory_bytes, ==, MEMORY - 12);
  g_assert_cmpuint (free.cores[0], ==, 0xfc);
  LkWindow before = window_of (&self, 0, 10);
  lk_window_node (&before, 0, &free);
  g_assert_true (free.is_idle);
  g_assert_cmpint (free.memory_bytes, ==, MEMORY);
  LkWindow first = window_of (&self, 0, 11);
  lk_window_node (&first, 0, &free);
  g_assert_false (free.is_idle);
  g_assert_cmpint (free.memory_bytes, ==, MEMORY - 10);
  first.except = early->job;
  lk_window_node (&first, 0, &free);
  g_assert_true (free.is_idle);
  first.except = LK_JOB_NONE;
  first.idle = TRUE;
  lk_window_node (&first, 0, &free);
  g_assert_true (free.is_idle);
  g_assert_cmpuint (free.cores[0], ==, 0xff);
  bench_clear (&self);
}

static void
test_overdue (void)
{
  g_assert_cmpint (lk_held_until_us (5, 6), ==, 6);
  g_assert_cmpint (lk_held_until_us (6, 6), ==, 6 + LK_OVERDUE_US);
  g_assert_cmpint (lk_held_until_us (7, 6), ==, 7 + LK_OVERDUE_US);
  g_assert_cmpint (lk_held_until_us (LK_TIME_NEVER - 1, 6), ==, LK_TIME_NEVER);
  g_assert_cmpint (lk_held_until_us (7, LK_TIME_NEVER), ==, LK_TIME_NEVER);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/window/sees what is left at every moment", test_random);
  g_test_add_func ("/window/counts memory by the moment and cores by name", test_moments);
  g_test_add_func ("/window/an overdue job holds on a little longer", test_overdue);
  return g_test_run ();
}
