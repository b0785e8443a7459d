/* engine/window.c — see the header. */
#include "engine/window.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/reservation.h"
#include "engine/timeline.h"

/* What is held at one moment of things that are counted. */
typedef struct {
  gint64 memory_bytes;
  guint32 counts[LK_LIMIT_GRES_NAMES];
  guint32 shares[LK_LIMIT_NODE_DEVICES];
} Held;

typedef struct {
  const LkWindow *window;
  const LkNodeKind *kind;
  LkNodeFree *free;
  guint64 held_devices;
  guint64 shared_devices;
  guint32 visited; /* pieces of reservations */
  /* Cores on which at least i + 1 sharing jobs are; only where cores are shared. */
  guint64 (*at_least)[LK_NODE_CORE_WORDS_MAX];
} Sweep;

static gboolean
running_overlaps (const LkWindow *window, const LkPiece *piece)
{
  return lk_held_until_us (window->now_us, piece->to_us) > window->from_us
         && lk_window_gone (window, piece->job) != LK_GONE_ALL;
}

/* Does the job of a piece keep its cores? */
static gboolean
keeps_cores (const LkWindow *window, const LkPiece *piece)
{
  return lk_window_gone (window, piece->job) == LK_GONE_NOT
         && (window->over == LK_OVER_NONE
             || (window->over == LK_OVER_STOPPED && (piece->flags & LK_PIECE_STOPPED) == 0
                 && piece->cpus > 0 && window->nodes->tiers[piece->partition] == window->tier));
}

static gboolean
planned_overlaps (const LkWindow *window, const LkPiece *piece)
{
  return piece->from_us < window->to_us && piece->to_us > window->from_us
         && piece->job != window->except;
}

/* Can the new job be on a node beside this one? */
static gboolean
gets_along (const LkWindow *window, const LkPiece *piece)
{
  gboolean shares = (piece->flags & LK_PIECE_SHARING) != 0;
  gboolean one_user = (piece->flags & LK_PIECE_USER) != 0 || window->whole_user;
  return (piece->flags & LK_PIECE_WHOLE) == 0 && shares == (window->shares != FALSE)
         && (!one_user || window->any_user || piece->user_id == window->user_id);
}

/* Where jobs take turns those of two partitions of one tier have nothing to do with each other
 * (Slurm's cons_tres looks for room in the rows of the job's own partition at last). */
static gboolean
is_of_other_rows (const LkWindow *window, const LkPiece *piece)
{
  return window->own_rows && (piece->flags & LK_PIECE_SHARING) != 0
         && piece->partition != window->partition
         && window->nodes->tiers[piece->partition] == window->tier;
}

static void
take_cores (Sweep *self, const LkPiece *piece)
{
  const LkWindow *window = self->window;
  guint32 word_count = window->nodes->core_words;
  const guint32 *tiers = window->nodes->tiers;
  if (is_of_other_rows (window, piece))
    return;
  if (window->sharing_jobs == 1 || (tiers != NULL && tiers[piece->partition] > window->tier)) {
    for (guint32 word = 0; word < word_count; word++)
      self->free->cores[word] &= ~piece->cores[word];
    return;
  }
  for (guint32 word = 0; word < word_count; word++) {
    for (guint32 level = window->sharing_jobs - 1; level > 0; level--)
      self->at_least[level][word] |= self->at_least[level - 1][word] & piece->cores[word];
    self->at_least[0][word] |= piece->cores[word];
    self->free->cores[word] &= ~self->at_least[window->sharing_jobs - 1][word];
  }
}

/* What is held by name: cores and devices. */
static void
take_named (Sweep *self, const LkPiece *piece, gboolean has_cores)
{
  if (has_cores) {
    if (!gets_along (self->window, piece))
      self->free->open = FALSE;
    self->free->is_idle = FALSE;
    take_cores (self, piece);
  }
  self->held_devices |= piece->devices;
  if (piece->shares > 0)
    self->shared_devices |= G_GUINT64_CONSTANT (1) << piece->share_device;
}

static void
hold (const Sweep *self, Held *held, const LkPiece *piece)
{
  held->memory_bytes += piece->memory_bytes;
  for (guint32 name = 0; name < self->window->nodes->gres_count; name++)
    held->counts[name] += piece->counts[name];
  if (piece->shares > 0)
    held->shares[piece->share_device] += piece->shares;
}

static void
held_clear (const Sweep *self, Held *held)
{
  held->memory_bytes = 0;
  memset (held->counts, 0, self->window->nodes->gres_count * sizeof held->counts[0]);
  if (self->kind->shares_per_device > 0)
    memset (held->shares, 0, self->kind->device_count * sizeof held->shares[0]);
}

/* Lowers what is free to what this moment leaves. */
static void
leave (const Sweep *self, const Held *held)
{
  LkNodeFree *free = self->free;
  const LkNodeKind *kind = self->kind;
  free->memory_bytes = MIN (free->memory_bytes, kind->memory_bytes - held->memory_bytes);
  for (guint32 name = 0; name < self->window->nodes->gres_count; name++)
    if (!kind->no_consume[name])
      free->counts[name] = MIN (free->counts[name], kind->counts[name] - held->counts[name]);
  if (kind->shares_per_device == 0)
    return;
  for (guint32 device = 0; device < kind->device_count; device++)
    free->shares[device] =
        MIN (free->shares[device], kind->shares_per_device - held->shares[device]);
}

static guint32
planned_of (const LkWindow *window, guint32 node)
{
  return window->planned_first != NULL ? window->planned_first[node] : LK_PIECE_NONE;
}

/* What is held at a moment of the window. */
static void
hold_at (const Sweep *self, guint32 node, gint64 at_us, Held *held)
{
  const LkWindow *window = self->window;
  held_clear (self, held);
  for (guint32 i = window->nodes->piece_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (window->nodes, i)->next_on_node) {
    const LkPiece *piece = lk_piece (window->nodes, i);
    if (lk_held_until_us (window->now_us, piece->to_us) > at_us
        && lk_window_gone (window, piece->job) != LK_GONE_ALL)
      hold (self, held, piece);
  }
  for (guint32 i = planned_of (window, node); i != LK_PIECE_NONE;
       i = lk_piece (window->nodes, i)->next_on_node) {
    const LkPiece *piece = lk_piece (window->nodes, i);
    if (piece->job != window->except && piece->from_us <= at_us && piece->to_us > at_us)
      hold (self, held, piece);
  }
}

static void
take_running (Sweep *self, guint32 node, Held *held)
{
  const LkWindow *window = self->window;
  for (guint32 i = window->nodes->piece_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (window->nodes, i)->next_on_node) {
    const LkPiece *piece = lk_piece (window->nodes, i);
    if (!running_overlaps (window, piece))
      continue;
    take_named (self, piece, keeps_cores (window, piece));
    hold (self, held, piece);
  }
  leave (self, held);
}

/* The most that is held is held when a reservation begins, or at the beginning. */
static void
take_planned (Sweep *self, guint32 node, Held *held)
{
  const LkWindow *window = self->window;
  gboolean any = FALSE;
  for (guint32 i = planned_of (window, node); i != LK_PIECE_NONE;
       i = lk_piece (window->nodes, i)->next_on_node) {
    const LkPiece *piece = lk_piece (window->nodes, i);
    if (!planned_overlaps (window, piece))
      continue;
    any = TRUE;
    self->visited++;
    take_named (self, piece, /* has_cores= */ TRUE);
    if (piece->from_us > window->from_us) {
      hold_at (self, node, piece->from_us, held);
      leave (self, held);
    }
  }
  if (any) {
    hold_at (self, node, window->from_us, held);
    leave (self, held);
  }
}

static void
fill_all (const LkWindow *window, const LkNodeKind *kind, LkNodeFree *free)
{
  free->open = TRUE;
  free->is_idle = TRUE;
  for (guint32 word = 0; word < window->nodes->core_words; word++)
    free->cores[word] = kind->cores_usable[word];
  free->devices = lk_bits_range (0, kind->device_count);
  free->memory_bytes = kind->memory_bytes;
  for (guint32 name = 0; name < window->nodes->gres_count; name++)
    free->counts[name] = kind->counts[name];
  for (guint32 device = 0; device < kind->device_count; device++)
    free->shares[device] = MAX (1, kind->shares_per_device);
}

static void
finish_devices (Sweep *self)
{
  LkNodeFree *free = self->free;
  free->devices &= ~(self->held_devices | self->shared_devices);
  for (guint64 rest = self->held_devices; rest != 0; rest &= rest - 1)
    free->shares[__builtin_ctzll (rest)] = 0;
}

static void
sweep (Sweep *self, guint32 node)
{
  Held held = { 0 };
  take_running (self, node, &held);
  take_planned (self, node, &held);
  finish_devices (self);
}

static void
sweep_shared (Sweep *self, guint32 node)
{
  guint64 at_least[LK_LIMIT_OVERSUBSCRIBE_JOBS][LK_NODE_CORE_WORDS_MAX] = { { 0 } };
  self->at_least = at_least;
  sweep (self, node);
  self->at_least = NULL;
}

/* What jobs and plans leave free. */
static void
free_beside_jobs (const LkWindow *window, guint32 node, LkNodeFree *out_free)
{
  Sweep self = { .window = window, .kind = lk_node_kind (window->nodes, node), .free = out_free };
  LK_ASSERT (window->sharing_jobs >= 1);
  LK_ASSERT (window->sharing_jobs <= LK_LIMIT_OVERSUBSCRIBE_JOBS);
  if (!window->idle && window->timelines != NULL
      && lk_timelines_window (window->timelines, window, node, out_free))
    return;
  fill_all (window, self.kind, out_free);
  if (window->idle)
    return;
  if (window->sharing_jobs == 1)
    sweep (&self, node);
  else
    sweep_shared (&self, node);
  if (window->timelines != NULL)
    lk_timelines_add_work (window->timelines, self.visited);
}

void
lk_window_node (const LkWindow *window, guint32 node, LkNodeFree *out_free)
{
  free_beside_jobs (window, node, out_free);
  if (window->reservations != NULL && !window->idle)
    lk_reservations_narrow (window, node, out_free);
}
