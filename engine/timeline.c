/* engine/timeline.c — see the header. */
#include "engine/timeline.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/offer.h"

/* Who is on the node in a step. */
#define STEP_WHOLE (1u << 0)   /* one that wants it alone */
#define STEP_SHARING (1u << 1) /* one that shares cores */
#define STEP_PLAIN (1u << 2)   /* one that does not */
#define STEP_USER (1u << 3)    /* one that wants no other user */

/* Followed by the words of the cores, the counts, and the shares of each device. */
typedef struct {
  gint64 from_us;  /* until the next step's */
  guint64 devices; /* that nobody has, nor a share of it */
  gint64 memory_bytes;
  guint32 flags;
  guint32 piece_count;
  guint32 core_count; /* set when the step is complete */
  guint32 device_count;
  guint64 cores[];
} Step;

/* The steps of one node. */
typedef struct {
  guint8 *steps;
  guint32 count; /* 0: to be made */
  guint32 capacity;
  gint64 made_us;  /* true from here */
  gint64 until_us; /* to here: then a job is overdue */
} Line;

struct _LkTimelines {
  const LkMachine *machine;
  const guint32 *planned_first;
  Line *lines; /* by node */
  gsize step_bytes;
  gsize counts_at; /* in a step */
  gsize shares_at;
  GArray *times; /* of gint64, scratch */
};

/* ---------------------------------------------------------------- life */

LkTimelines *
lk_timelines_new (const LkMachine *machine, const guint32 *planned_first)
{
  const LkNodeTable *nodes = &machine->nodes;
  LkTimelines *self = g_new0 (LkTimelines, 1);
  guint32 device_max = 0;
  for (guint32 i = 0; i < nodes->kind_count; i++)
    device_max = MAX (device_max, nodes->kinds[i].device_count);
  self->machine = machine;
  self->planned_first = planned_first;
  self->lines = g_new0 (Line, nodes->node_count);
  self->counts_at = sizeof (Step) + nodes->core_words * sizeof (guint64);
  self->shares_at = self->counts_at + nodes->gres_count * sizeof (guint32);
  /* Steps lie at multiples of eight bytes. */
  self->step_bytes = (self->shares_at + device_max * sizeof (guint32) + 7) / 8 * 8;
  self->times = g_array_new (FALSE, FALSE, sizeof (gint64));
  return self;
}

void
lk_timelines_free (LkTimelines *self)
{
  if (self == NULL)
    return;
  for (guint32 node = 0; node < self->machine->nodes.node_count; node++)
    g_free (self->lines[node].steps);
  g_free (self->lines);
  g_array_unref (self->times);
  g_free (self);
}

void
lk_timelines_change (LkTimelines *self, guint32 node)
{
  self->lines[node].count = 0;
}

/* ---------------------------------------------------------------- making steps */

static Step *
step_at (const LkTimelines *self, const Line *line, guint32 index)
{
  return (Step *)(gpointer)(line->steps + index * self->step_bytes);
}

static guint32 *
step_counts (const LkTimelines *self, const Step *step)
{
  return (guint32 *)((gintptr)step + (gintptr)self->counts_at);
}

static guint32 *
step_shares (const LkTimelines *self, const Step *step)
{
  return (guint32 *)((gintptr)step + (gintptr)self->shares_at);
}

static gint
compare_times (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *)a;
  gint64 y = *(const gint64 *)b;
  return (x > y) - (x < y);
}

/* In order, each once. */
static void
sort_times (GArray *times)
{
  gint64 *all = (gint64 *)(gpointer)times->data;
  guint count = 1;
  g_array_sort (times, compare_times);
  for (guint i = 1; i < times->len; i++)
    if (all[i] != all[count - 1])
      all[count++] = all[i];
  g_array_set_size (times, count);
}

static void
add_time (GArray *times, gint64 time_us)
{
  if (time_us < LK_TIME_NEVER)
    g_array_append_val (times, time_us);
}

static guint32
planned_of (const LkTimelines *self, guint32 node)
{
  return self->planned_first != NULL ? self->planned_first[node] : LK_PIECE_NONE;
}

static void
collect_times (LkTimelines *self, Line *line, guint32 node, gint64 now_us)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  gint64 first_us = G_MININT64;
  line->made_us = now_us;
  line->until_us = LK_TIME_NEVER;
  g_array_set_size (self->times, 0);
  g_array_append_val (self->times, first_us);
  for (guint32 i = nodes->piece_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node) {
    gint64 end_us = lk_piece (nodes, i)->to_us;
    /* Overdue: true at this moment only. */
    line->until_us = MIN (line->until_us, MAX (end_us, now_us + 1));
    add_time (self->times, lk_held_until_us (now_us, end_us));
  }
  for (guint32 i = planned_of (self, node); i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node) {
    add_time (self->times, lk_piece (nodes, i)->from_us);
    add_time (self->times, lk_piece (nodes, i)->to_us);
  }
  sort_times (self->times);
}

static void
fill_step (const LkTimelines *self, const LkNodeKind *kind, Step *step, gint64 from_us)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  guint32 *shares = step_shares (self, step);
  step->from_us = from_us;
  step->devices = lk_bits_range (0, kind->device_count);
  step->memory_bytes = kind->memory_bytes;
  step->flags = 0;
  step->piece_count = 0;
  memcpy (step->cores, kind->cores_usable, nodes->core_words * sizeof (guint64));
  memcpy (step_counts (self, step), kind->counts, nodes->gres_count * sizeof (guint32));
  for (guint32 device = 0; device < kind->device_count; device++)
    shares[device] = MAX (1, kind->shares_per_device);
}

static void
take (const LkTimelines *self, const LkNodeKind *kind, Step *step, const LkPiece *piece)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  guint32 *counts = step_counts (self, step);
  guint32 *shares = step_shares (self, step);
  step->flags |= ((piece->flags & LK_PIECE_WHOLE) != 0 ? STEP_WHOLE : 0)
                 | ((piece->flags & LK_PIECE_SHARING) != 0 ? STEP_SHARING : STEP_PLAIN)
                 | ((piece->flags & LK_PIECE_USER) != 0 ? STEP_USER : 0);
  step->piece_count++;
  step->memory_bytes -= piece->memory_bytes;
  for (guint32 word = 0; word < nodes->core_words; word++)
    step->cores[word] &= ~piece->cores[word];
  for (guint32 name = 0; name < nodes->gres_count; name++)
    if (!kind->no_consume[name])
      counts[name] -= piece->counts[name];
  step->devices &= ~piece->devices;
  for (guint64 rest = piece->devices; rest != 0; rest &= rest - 1)
    shares[__builtin_ctzll (rest)] = 0;
  if (piece->shares > 0) {
    step->devices &= ~(G_GUINT64_CONSTANT (1) << piece->share_device);
    shares[piece->share_device] -= MIN (shares[piece->share_device], piece->shares);
  }
}

/* The step in which a moment lies. */
static guint32
find_step (const LkTimelines *self, const Line *line, gint64 at_us)
{
  guint32 low = 0;
  guint32 high = line->count;
  /* Mostly the first or the last. */
  if (step_at (self, line, high - 1)->from_us <= at_us)
    return high - 1;
  while (low + 1 < high) {
    guint32 middle = low + (high - low) / 2;
    if (step_at (self, line, middle)->from_us <= at_us)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Both ends are steps', or beyond all. */
static void
take_over (const LkTimelines *self, const Line *line, const LkNodeKind *kind, const LkPiece *piece,
           gint64 from_us, gint64 to_us)
{
  for (guint32 i = find_step (self, line, from_us); i < line->count; i++) {
    Step *step = step_at (self, line, i);
    if (step->from_us >= to_us)
      return;
    take (self, kind, step, piece);
  }
}

static void
complete_step (const LkTimelines *self, Step *step)
{
  step->core_count = lk_bits_count (step->cores, self->machine->nodes.core_words);
  step->device_count = lk_bits_count_word (step->devices);
}

static void
make (LkTimelines *self, guint32 node, gint64 now_us)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  const LkNodeKind *kind = lk_node_kind (nodes, node);
  Line *line = &self->lines[node];
  collect_times (self, line, node, now_us);
  if (self->times->len > line->capacity) {
    line->capacity = MAX (8, 2 * self->times->len);
    line->steps = g_realloc (line->steps, line->capacity * self->step_bytes);
  }
  line->count = self->times->len;
  for (guint32 i = 0; i < line->count; i++)
    fill_step (self, kind, step_at (self, line, i), g_array_index (self->times, gint64, i));
  for (guint32 i = nodes->piece_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node)
    take_over (self, line, kind, lk_piece (nodes, i), G_MININT64,
               lk_held_until_us (now_us, lk_piece (nodes, i)->to_us));
  for (guint32 i = planned_of (self, node); i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node)
    take_over (self, line, kind, lk_piece (nodes, i), lk_piece (nodes, i)->from_us,
               lk_piece (nodes, i)->to_us);
  for (guint32 i = 0; i < line->count; i++)
    complete_step (self, step_at (self, line, i));
}

/* Lets a step begin at this moment, too. */
static void
split_at (const LkTimelines *self, Line *line, gint64 at_us)
{
  guint32 index = find_step (self, line, at_us);
  if (at_us == LK_TIME_NEVER || step_at (self, line, index)->from_us == at_us)
    return;
  if (line->count == line->capacity) {
    line->capacity *= 2;
    line->steps = g_realloc (line->steps, line->capacity * self->step_bytes);
  }
  memmove (step_at (self, line, index + 1), step_at (self, line, index),
           (line->count - index) * self->step_bytes);
  line->count++;
  step_at (self, line, index + 1)->from_us = at_us;
}

void
lk_timelines_add (LkTimelines *self, const LkPiece *piece)
{
  const LkNodeKind *kind = lk_node_kind (&self->machine->nodes, piece->node);
  Line *line = &self->lines[piece->node];
  if (line->count == 0)
    return;
  split_at (self, line, piece->from_us);
  split_at (self, line, piece->to_us);
  take_over (self, line, kind, piece, piece->from_us, piece->to_us);
  for (guint32 i = find_step (self, line, piece->from_us);
       i < line->count && step_at (self, line, i)->from_us < piece->to_us; i++)
    complete_step (self, step_at (self, line, i));
}

static const Line *
line_of (LkTimelines *self, guint32 node, gint64 now_us)
{
  const Line *line = &self->lines[node];
  if (line->count == 0 || now_us < line->made_us || now_us >= line->until_us)
    make (self, node, now_us);
  return line;
}

/* ---------------------------------------------------------------- windows */

static void
begin_free (const LkTimelines *self, const LkNodeKind *kind, const Step *step, LkNodeFree *free)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  free->open = TRUE;
  free->is_idle = step->piece_count == 0;
  free->devices = step->devices;
  free->memory_bytes = step->memory_bytes;
  memcpy (free->cores, step->cores, nodes->core_words * sizeof (guint64));
  memcpy (free->counts, step_counts (self, step), nodes->gres_count * sizeof (guint32));
  memcpy (free->shares, step_shares (self, step), kind->device_count * sizeof (guint32));
}

static void
narrow_free (const LkTimelines *self, const LkNodeKind *kind, const Step *step, LkNodeFree *free)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  const guint32 *counts = step_counts (self, step);
  const guint32 *shares = step_shares (self, step);
  free->is_idle = free->is_idle && step->piece_count == 0;
  free->devices &= step->devices;
  free->memory_bytes = MIN (free->memory_bytes, step->memory_bytes);
  for (guint32 word = 0; word < nodes->core_words; word++)
    free->cores[word] &= step->cores[word];
  for (guint32 name = 0; name < nodes->gres_count; name++)
    free->counts[name] = MIN (free->counts[name], counts[name]);
  for (guint32 device = 0; device < kind->device_count; device++)
    free->shares[device] = MIN (free->shares[device], shares[device]);
}

/* Has the job a reservation on the node, which does not count for itself? */
static gboolean
has_planned (const LkTimelines *self, const LkWindow *window, guint32 node)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  LkJobIndex job = window->except;
  if (job == LK_JOB_NONE)
    return FALSE;
  if (window->except_nodes != NULL)
    return lk_bits_has (window->except_nodes, node);
  for (guint32 i = planned_of (self, node); i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node)
    if (lk_piece (nodes, i)->job == job)
      return TRUE;
  return FALSE;
}

gboolean
lk_timelines_window (LkTimelines *self, const LkWindow *window, guint32 node, LkNodeFree *out_free)
{
  const LkNodeKind *kind = lk_node_kind (&self->machine->nodes, node);
  if (window->sharing_jobs > 1 || window->shares || has_planned (self, window, node))
    return FALSE;
  const Line *line = line_of (self, node, window->now_us);
  guint32 index = find_step (self, line, window->from_us);
  guint32 flags = step_at (self, line, index)->flags;
  begin_free (self, kind, step_at (self, line, index), out_free);
  while (++index < line->count && step_at (self, line, index)->from_us < window->to_us) {
    narrow_free (self, kind, step_at (self, line, index), out_free);
    flags |= step_at (self, line, index)->flags;
  }
  /* Whose jobs are there is not kept. */
  if (!window->any_user && ((flags & STEP_USER) != 0 || window->whole_user) && flags != 0)
    return FALSE;
  out_free->open = (flags & (STEP_WHOLE | STEP_SHARING)) == 0;
  return TRUE;
}

gboolean
lk_timelines_is_idle (LkTimelines *self, const LkWindow *window, guint32 node)
{
  const Line *line = line_of (self, node, window->now_us);
  guint32 index = find_step (self, line, window->from_us);
  do {
    if (step_at (self, line, index)->piece_count > 0)
      return FALSE;
  } while (++index < line->count && step_at (self, line, index)->from_us < window->to_us);
  return TRUE;
}

/* ---------------------------------------------------------------- search */

/* What one step must have, as far as it can be told quickly. */
typedef struct {
  guint32 cores;
  guint32 devices;
  gint64 memory_bytes;
  gboolean whole;
} Need;

static Need
need_of (const LkTimelines *self, const LkRequest *request, const LkNodeKind *kind)
{
  const LkDemand *demand = &request->demand;
  return (Need){ .cores = (MAX (demand->cpus_per_node_min, request->cpus_node_floor)
                           + kind->cpus_per_core - 1)
                          / kind->cpus_per_core,
                 .devices = demand->gpus_per_node
                            + (demand->gpus_total > 0 ? MAX (1, request->gpus_node_floor) : 0),
                 .memory_bytes = self->machine->cluster->memory ? demand->memory_per_node_bytes : 0,
                 .whole = request->whole_nodes };
}

/* FALSE: no window that has this step can serve. */
static gboolean
step_may_serve (const Need *need, const Step *step)
{
  return (step->flags & (STEP_WHOLE | STEP_SHARING)) == 0
         && (!need->whole || step->piece_count == 0) && step->memory_bytes >= need->memory_bytes
         && step->device_count >= need->devices && step->core_count >= need->cores;
}

/* A walk along one node's steps. */
typedef struct {
  const LkTimelines *timelines;
  const LkTimelineSearch *search;
  guint32 node;
  const Line *line;
  Need need;
} Walk;

/* Does the window that begins at `from_us` in the step `index` serve?  If not, the next step at
 * which it could begin. */
static gboolean
try_from (const Walk *walk, guint32 *index, gint64 from_us)
{
  const LkTimelines *self = walk->timelines;
  const Line *line = walk->line;
  const LkNodeKind *kind = lk_node_kind (&self->machine->nodes, walk->node);
  gint64 to_us = lk_time_add_us (from_us, walk->search->duration_us);
  guint32 end = *index;
  LkNodeFree free;
  LkOffer offer;
  for (; end < line->count && (end == *index || step_at (self, line, end)->from_us < to_us); end++)
    if (!step_may_serve (&walk->need, step_at (self, line, end))) {
      *index = end + 1;
      return FALSE;
    }
  begin_free (self, kind, step_at (self, line, *index), &free);
  for (guint32 i = *index + 1; i < end; i++)
    narrow_free (self, kind, step_at (self, line, i), &free);
  if (lk_offer_make (self->machine, walk->search->request, walk->node, &free, &offer)
      && lk_request_has_floor (walk->search->request, &offer))
    return TRUE;
  (*index)++;
  return FALSE;
}

gint64
lk_timelines_ready_us (LkTimelines *self, const LkTimelineSearch *search, guint32 node)
{
  const LkNodeKind *kind = lk_node_kind (&self->machine->nodes, node);
  Walk walk = { .timelines = self,
                .search = search,
                .node = node,
                .line = line_of (self, node, search->now_us),
                .need = need_of (self, search->request, kind) };
  guint32 index = find_step (self, walk.line, search->from_us);
  gint64 from_us = search->from_us;
  while (from_us < search->before_us) {
    if (try_from (&walk, &index, from_us))
      return from_us;
    if (index >= walk.line->count)
      return LK_TIME_NEVER;
    from_us = step_at (self, walk.line, index)->from_us;
  }
  return from_us;
}
