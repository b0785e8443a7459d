/* engine/timeline.c — see the header. */
#include "engine/timeline_private.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/offer.h"

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
  self->lines = g_new0 (LkTimelineLine, nodes->node_count);
  self->counts_at = sizeof (LkTimelineStep) + nodes->core_words * sizeof (guint64);
  self->shares_at = self->counts_at + nodes->gres_count * sizeof (guint32);
  /* Steps lie at multiples of eight bytes. */
  self->step_bytes = (self->shares_at + device_max * sizeof (guint32) + 7) / 8 * 8;
  self->times = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->stale = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->counted = g_array_new (FALSE, FALSE, sizeof (LkTimelineSpan));
  self->hidden_job = LK_JOB_NONE;
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
  g_array_unref (self->stale);
  g_array_unref (self->counted);
  lk_profile_free (self->sum);
  g_free (self);
}

void
lk_timelines_change (LkTimelines *self, guint32 node)
{
  LkTimelineLine *line = &self->lines[node];
  line->is_made = FALSE;
  if (self->sum == NULL || line->is_listed)
    return;
  line->is_listed = TRUE;
  g_array_append_val (self->stale, node);
}

guint64
lk_timelines_work (const LkTimelines *self)
{
  return self->work_count;
}

void
lk_timelines_add_work (LkTimelines *self, guint64 count)
{
  self->work_count += count;
}

/* ---------------------------------------------------------------- the buffer of a node */

/* Forgets the steps, and makes room for so many. */
static void
empty_line (const LkTimelines *self, LkTimelineLine *line, guint32 count)
{
  if (count > line->capacity) {
    line->capacity = MAX (8, 2 * count);
    line->steps = g_realloc (line->steps, line->capacity * self->step_bytes);
  }
  line->count = line->gap_at = count;
}

static void
move_gap (const LkTimelines *self, LkTimelineLine *line, guint32 index)
{
  gsize gap_bytes = (line->capacity - line->count) * self->step_bytes;
  guint8 *from = line->steps + MIN (index, line->gap_at) * self->step_bytes;
  gsize moved_bytes = (MAX (index, line->gap_at) - MIN (index, line->gap_at)) * self->step_bytes;
  if (index < line->gap_at)
    memmove (from + gap_bytes, from, moved_bytes);
  else
    memmove (from, from + gap_bytes, moved_bytes);
  line->gap_at = index;
}

/* Puts a step in before that of this index; its content is undefined. */
static void
insert_step (const LkTimelines *self, LkTimelineLine *line, guint32 index)
{
  if (line->count == line->capacity) {
    line->capacity *= 2;
    line->steps = g_realloc (line->steps, line->capacity * self->step_bytes);
    line->gap_at = line->count;
  }
  move_gap (self, line, index);
  line->count++;
  line->gap_at++;
}

static void
remove_step (const LkTimelines *self, LkTimelineLine *line, guint32 index)
{
  move_gap (self, line, index + 1);
  line->count--;
  line->gap_at--;
}

/* ---------------------------------------------------------------- making steps */

static guint32 *
step_counts (const LkTimelines *self, const LkTimelineStep *step)
{
  return (guint32 *)((gintptr)step + (gintptr)self->counts_at);
}

static guint32 *
step_shares (const LkTimelines *self, const LkTimelineStep *step)
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

/* Until when the steps are true, by what runs on the node: of one that is overdue, at the moment at
 * which they were made. */
static gint64
true_until_us (const LkTimelines *self, const LkTimelineLine *line, guint32 node)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  gint64 until_us = LK_TIME_NEVER;
  for (guint32 i = nodes->piece_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node)
    until_us = MIN (until_us, MAX (lk_piece (nodes, i)->to_us, line->made_us + 1));
  return until_us;
}

static void
collect_times (LkTimelines *self, LkTimelineLine *line, guint32 node, gint64 now_us)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  gint64 first_us = G_MININT64;
  line->made_us = now_us;
  line->until_us = true_until_us (self, line, node);
  g_array_set_size (self->times, 0);
  g_array_append_val (self->times, first_us);
  for (guint32 i = nodes->piece_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node) {
    add_time (self->times, lk_held_until_us (now_us, lk_piece (nodes, i)->to_us));
  }
  for (guint32 i = planned_of (self, node); i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node) {
    add_time (self->times, lk_piece (nodes, i)->from_us);
    add_time (self->times, lk_piece (nodes, i)->to_us);
  }
  sort_times (self->times);
}

static void
fill_step (const LkTimelines *self, const LkNodeKind *kind, LkTimelineStep *step, gint64 from_us)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  guint32 *shares = step_shares (self, step);
  step->from_us = from_us;
  step->devices = lk_bits_range (0, kind->device_count);
  step->memory_bytes = kind->memory_bytes;
  step->flags = 0;
  step->piece_count = 0;
  step->begin_count = step->end_count = 0;
  memcpy (step->cores, kind->cores_usable, nodes->core_words * sizeof (guint64));
  memcpy (step_counts (self, step), kind->counts, nodes->gres_count * sizeof (guint32));
  for (guint32 device = 0; device < kind->device_count; device++)
    shares[device] = MAX (1, kind->shares_per_device);
}

/* Does somebody else hold in the step what the piece is to hold? */
static gboolean
is_double (const LkTimelines *self, const LkTimelineStep *step, const LkPiece *piece)
{
  guint64 missing = piece->devices & ~step->devices;
  for (guint32 word = 0; word < self->machine->nodes.core_words; word++)
    missing |= piece->cores[word] & ~step->cores[word];
  return missing != 0
         || (piece->shares > 0 && step_shares (self, step)[piece->share_device] < piece->shares);
}

static void
take (const LkTimelines *self, const LkNodeKind *kind, LkTimelineStep *step, const LkPiece *piece)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  guint32 *counts = step_counts (self, step);
  guint32 *shares = step_shares (self, step);
  step->flags |= ((piece->flags & LK_PIECE_WHOLE) != 0 ? STEP_WHOLE : 0)
                 | ((piece->flags & LK_PIECE_SHARING) != 0 ? STEP_SHARING : STEP_PLAIN)
                 | ((piece->flags & LK_PIECE_USER) != 0 ? STEP_USER : 0)
                 | (is_double (self, step, piece) ? STEP_DOUBLE : 0);
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

/* Can the piece be taken out of the step?  Who wants what of others on the node is not kept by
 * piece. */
static gboolean
may_put_back (const LkTimelineStep *step, const LkPiece *piece)
{
  guint32 special = LK_PIECE_WHOLE | LK_PIECE_SHARING | LK_PIECE_USER;
  return (step->flags & STEP_DOUBLE) == 0
         && (step->piece_count == 1 || (piece->flags & special) == 0);
}

static void
put_back (const LkTimelines *self, const LkNodeKind *kind, LkTimelineStep *step,
          const LkPiece *piece)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  guint32 *counts = step_counts (self, step);
  guint32 *shares = step_shares (self, step);
  step->piece_count--;
  if (step->piece_count == 0)
    step->flags = 0;
  step->memory_bytes += piece->memory_bytes;
  for (guint32 word = 0; word < nodes->core_words; word++)
    step->cores[word] |= piece->cores[word];
  for (guint32 name = 0; name < nodes->gres_count; name++)
    if (!kind->no_consume[name])
      counts[name] += piece->counts[name];
  step->devices |= piece->devices;
  for (guint64 rest = piece->devices; rest != 0; rest &= rest - 1)
    shares[__builtin_ctzll (rest)] = MAX (1, kind->shares_per_device);
  if (piece->shares > 0) {
    shares[piece->share_device] += piece->shares;
    if (shares[piece->share_device] == MAX (1, kind->shares_per_device))
      step->devices |= G_GUINT64_CONSTANT (1) << piece->share_device;
  }
}

/* The step in which a moment lies. */
static guint32
find_step (const LkTimelines *self, const LkTimelineLine *line, gint64 at_us)
{
  guint32 low = 0;
  guint32 high = line->count;
  /* Mostly the last, or where the steps were changed last. */
  if (lk_timeline_step (self, line, high - 1)->from_us <= at_us)
    return high - 1;
  if (line->gap_at > 1 && line->gap_at < high) {
    guint32 near = line->gap_at - 1;
    if (lk_timeline_step (self, line, near)->from_us > at_us)
      high = near;
    else if (lk_timeline_step (self, line, near + 1)->from_us > at_us)
      return near;
    else
      low = near + 1;
  }
  while (low + 1 < high) {
    guint32 middle = low + (high - low) / 2;
    if (lk_timeline_step (self, line, middle)->from_us <= at_us)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Both ends are steps', or beyond all. */
static void
take_over (const LkTimelines *self, const LkTimelineLine *line, const LkNodeKind *kind,
           const LkPiece *piece, gint64 from_us, gint64 to_us)
{
  for (guint32 i = find_step (self, line, from_us); i < line->count; i++) {
    LkTimelineStep *step = lk_timeline_step (self, line, i);
    if (step->from_us >= to_us)
      return;
    take (self, kind, step, piece);
  }
}

static void
mark_end (const LkTimelines *self, const LkTimelineLine *line, gint64 end_us)
{
  if (end_us != LK_TIME_NEVER)
    lk_timeline_step (self, line, find_step (self, line, end_us))->end_count++;
}

static void
complete_step (const LkTimelines *self, LkTimelineStep *step)
{
  step->core_count = lk_bits_count (step->cores, self->machine->nodes.core_words);
  step->device_count = lk_bits_count_word (step->devices);
}

static void
make (LkTimelines *self, guint32 node, gint64 now_us)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  const LkNodeKind *kind = lk_node_kind (nodes, node);
  LkTimelineLine *line = &self->lines[node];
  if (self->sum != NULL)
    lk_timeline_sum_begin_node (self, line, kind);
  collect_times (self, line, node, now_us);
  empty_line (self, line, self->times->len);
  self->work_count += line->count;
  for (guint32 i = 0; i < line->count; i++)
    fill_step (self, kind, lk_timeline_step (self, line, i),
               g_array_index (self->times, gint64, i));
  for (guint32 i = nodes->piece_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node) {
    gint64 end_us = lk_held_until_us (now_us, lk_piece (nodes, i)->to_us);
    take_over (self, line, kind, lk_piece (nodes, i), G_MININT64, end_us);
    mark_end (self, line, end_us);
  }
  for (guint32 i = planned_of (self, node); i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node) {
    const LkPiece *piece = lk_piece (nodes, i);
    take_over (self, line, kind, piece, piece->from_us, piece->to_us);
    lk_timeline_step (self, line, find_step (self, line, piece->from_us))->begin_count++;
    mark_end (self, line, piece->to_us);
  }
  for (guint32 i = 0; i < line->count; i++)
    complete_step (self, lk_timeline_step (self, line, i));
  line->is_made = TRUE;
  line->is_hiding = FALSE;
  if (self->sum != NULL)
    lk_timeline_sum_count_node (self, line);
}

/* Lets a step begin at this moment, too. */
static void
split_at (const LkTimelines *self, LkTimelineLine *line, gint64 at_us)
{
  guint32 index = find_step (self, line, at_us);
  if (at_us == LK_TIME_NEVER || lk_timeline_step (self, line, index)->from_us == at_us)
    return;
  insert_step (self, line, index + 1);
  LkTimelineStep *step = lk_timeline_step (self, line, index + 1);
  memcpy (step, lk_timeline_step (self, line, index), self->step_bytes);
  step->from_us = at_us;
  step->begin_count = step->end_count = 0;
}

/* Joins the step that begins at this moment with the one before it if nothing begins or ends there
 * any more.  What holds is that of the later one: where they differ, the earlier one is over. */
static void
join_at (LkTimelines *self, LkTimelineLine *line, gint64 at_us)
{
  guint32 index = find_step (self, line, at_us);
  LkTimelineStep *step = lk_timeline_step (self, line, index);
  if (index == 0 || step->from_us != at_us || step->begin_count > 0 || step->end_count > 0)
    return;
  const LkTimelineStep *before = lk_timeline_step (self, line, index - 1);
  LkTimelineSpan span = { before->from_us, step->from_us,
                          (gint32)step->core_count - (gint32)before->core_count };
  if (line->is_counted)
    lk_timeline_sum_add (self, &span);
  lk_timeline_sum_end_node (self);
  step->from_us = before->from_us;
  step->begin_count = before->begin_count;
  step->end_count = before->end_count;
  remove_step (self, line, index - 1);
}

/* Takes a piece out of the steps from `from_us` on, or (`is_added`) puts it in. */
static void
change_steps (LkTimelines *self, LkTimelineLine *line, const LkPiece *piece, gint64 from_us,
              gboolean is_added)
{
  const LkNodeKind *kind = lk_node_kind (&self->machine->nodes, piece->node);
  for (guint32 i = find_step (self, line, from_us); i < line->count; i++) {
    LkTimelineStep *step = lk_timeline_step (self, line, i);
    gint32 core_count = (gint32)step->core_count;
    if (step->from_us >= piece->to_us)
      return;
    if (is_added)
      take (self, kind, step, piece);
    else
      put_back (self, kind, step, piece);
    complete_step (self, step);
    self->work_count++;
    LkTimelineSpan span = { step->from_us, lk_timeline_step_end_us (self, line, i),
                            (gint32)step->core_count - core_count };
    if (line->is_counted && self->hidden_job != piece->job)
      lk_timeline_sum_add (self, &span);
  }
}

void
lk_timelines_add (LkTimelines *self, const LkPiece *piece)
{
  LkTimelineLine *line = &self->lines[piece->node];
  if (!line->is_made)
    return;
  split_at (self, line, piece->from_us);
  split_at (self, line, piece->to_us);
  change_steps (self, line, piece, piece->from_us, /* is_added= */ TRUE);
  lk_timeline_sum_end_node (self);
  lk_timeline_step (self, line, find_step (self, line, piece->from_us))->begin_count++;
  mark_end (self, line, piece->to_us);
}

/* Do the steps from this one on have the piece in a way that it can be taken out? */
static gboolean
may_remove_from (const LkTimelines *self, const LkTimelineLine *line, guint32 index,
                 const LkPiece *piece)
{
  for (; index < line->count && lk_timeline_step (self, line, index)->from_us < piece->to_us;
       index++)
    if (!may_put_back (lk_timeline_step (self, line, index), piece))
      return FALSE;
  return TRUE;
}

/* Does a piece end at this moment? */
static gboolean
has_end (const LkTimelines *self, const LkTimelineLine *line, gint64 end_us)
{
  const LkTimelineStep *step = lk_timeline_step (self, line, find_step (self, line, end_us));
  return end_us == LK_TIME_NEVER || (step->from_us == end_us && step->end_count > 0);
}

static void
remove_end (LkTimelines *self, LkTimelineLine *line, gint64 end_us)
{
  if (end_us != LK_TIME_NEVER)
    lk_timeline_step (self, line, find_step (self, line, end_us))->end_count--;
  join_at (self, line, end_us);
}

static gboolean
may_remove (const LkTimelines *self, const LkTimelineLine *line, const LkPiece *piece)
{
  guint32 index = find_step (self, line, piece->from_us);
  const LkTimelineStep *step = lk_timeline_step (self, line, index);
  return step->from_us == piece->from_us && step->begin_count > 0
         && may_remove_from (self, line, index, piece) && has_end (self, line, piece->to_us);
}

void
lk_timelines_remove (LkTimelines *self, const LkPiece *piece)
{
  LkTimelineLine *line = &self->lines[piece->node];
  if (!line->is_made)
    return;
  if (!may_remove (self, line, piece)) {
    lk_timelines_change (self, piece->node);
    return;
  }
  change_steps (self, line, piece, piece->from_us, /* is_added= */ FALSE);
  lk_timeline_sum_end_node (self);
  lk_timeline_step (self, line, find_step (self, line, piece->from_us))->begin_count--;
  join_at (self, line, piece->from_us);
  remove_end (self, line, piece->to_us);
}

/* ---------------------------------------------------------------- what runs */

void
lk_timelines_start (LkTimelines *self, const LkPiece *piece, gint64 now_us)
{
  LkTimelineLine *line = &self->lines[piece->node];
  if (!line->is_made || now_us < line->made_us || now_us >= MIN (line->until_us, piece->to_us)) {
    lk_timelines_change (self, piece->node);
    return;
  }
  split_at (self, line, piece->to_us);
  change_steps (self, line, piece, now_us, /* is_added= */ TRUE);
  lk_timeline_sum_end_node (self);
  mark_end (self, line, piece->to_us);
  line->until_us = MIN (line->until_us, piece->to_us);
}

void
lk_timelines_end (LkTimelines *self, const LkPiece *piece, gint64 now_us)
{
  LkTimelineLine *line = &self->lines[piece->node];
  /* Of one that was overdue when the steps were made they do not have the end. */
  if (!line->is_made || now_us < line->made_us || piece->to_us <= line->made_us
      || !may_remove_from (self, line, find_step (self, line, now_us), piece)
      || !has_end (self, line, piece->to_us)) {
    lk_timelines_change (self, piece->node);
    return;
  }
  change_steps (self, line, piece, now_us, /* is_added= */ FALSE);
  lk_timeline_sum_end_node (self);
  remove_end (self, line, piece->to_us);
  line->until_us = true_until_us (self, line, piece->node);
}

LkTimelineLine *
lk_timeline_line (LkTimelines *self, guint32 node, gint64 now_us)
{
  LkTimelineLine *line = &self->lines[node];
  if (!line->is_made || now_us < line->made_us || now_us >= line->until_us)
    make (self, node, now_us);
  return line;
}

/* ---------------------------------------------------------------- a job's own reservation */

void
lk_timelines_hide (LkTimelines *self, guint32 first_piece, gint64 now_us)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  LK_ASSERT (self->hidden_job == LK_JOB_NONE);
  self->hidden_job = lk_piece (nodes, first_piece)->job;
  for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job) {
    const LkPiece *piece = lk_piece (nodes, i);
    LkTimelineLine *line = &self->lines[piece->node];
    lk_timeline_line (self, piece->node, now_us);
    if (line->is_hiding || !may_remove (self, line, piece))
      continue;
    change_steps (self, line, piece, piece->from_us, /* is_added= */ FALSE);
    line->is_hiding = TRUE;
  }
}

void
lk_timelines_show (LkTimelines *self, guint32 first_piece)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job) {
    const LkPiece *piece = lk_piece (nodes, i);
    LkTimelineLine *line = &self->lines[piece->node];
    if (line->is_hiding)
      change_steps (self, line, piece, piece->from_us, /* is_added= */ TRUE);
    line->is_hiding = FALSE;
  }
  self->hidden_job = LK_JOB_NONE;
}

gboolean
lk_timelines_hides (const LkTimelines *self, LkJobIndex job, guint32 node)
{
  return self->hidden_job == job && self->lines[node].is_hiding;
}

/* ---------------------------------------------------------------- windows */

static void
begin_free (const LkTimelines *self, const LkNodeKind *kind, const LkTimelineStep *step,
            LkNodeFree *free)
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
narrow_free (const LkTimelines *self, const LkNodeKind *kind, const LkTimelineStep *step,
             LkNodeFree *free)
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
  if (job == LK_JOB_NONE || lk_timelines_hides (self, job, node))
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
  const LkTimelineLine *line = lk_timeline_line (self, node, window->now_us);
  guint32 index = find_step (self, line, window->from_us);
  guint32 flags = lk_timeline_step (self, line, index)->flags;
  begin_free (self, kind, lk_timeline_step (self, line, index), out_free);
  while (++index < line->count && lk_timeline_step (self, line, index)->from_us < window->to_us) {
    narrow_free (self, kind, lk_timeline_step (self, line, index), out_free);
    flags |= lk_timeline_step (self, line, index)->flags;
    self->work_count++;
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
  const LkTimelineLine *line = lk_timeline_line (self, node, window->now_us);
  guint32 index = find_step (self, line, window->from_us);
  do {
    if (lk_timeline_step (self, line, index)->piece_count > 0)
      return FALSE;
  } while (++index < line->count && lk_timeline_step (self, line, index)->from_us < window->to_us);
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
step_may_serve (const Need *need, const LkTimelineStep *step)
{
  return (step->flags & (STEP_WHOLE | STEP_SHARING)) == 0
         && (!need->whole || step->piece_count == 0) && step->memory_bytes >= need->memory_bytes
         && step->device_count >= need->devices && step->core_count >= need->cores;
}

/* A walk along one node's steps. */
typedef struct {
  LkTimelines *timelines;
  const LkTimelineSearch *search;
  guint32 node;
  const LkTimelineLine *line;
  Need need;
} Walk;

/* Does the window that begins at `from_us` in the step `index` serve?  If not, the next step at
 * which it could begin. */
static gboolean
try_from (const Walk *walk, guint32 *index, gint64 from_us)
{
  LkTimelines *self = walk->timelines;
  const LkTimelineLine *line = walk->line;
  const LkNodeKind *kind = lk_node_kind (&self->machine->nodes, walk->node);
  gint64 to_us = lk_time_add_us (from_us, walk->search->duration_us);
  guint32 end = *index;
  LkNodeFree free;
  LkOffer offer;
  self->work_count++;
  for (;
       end < line->count && (end == *index || lk_timeline_step (self, line, end)->from_us < to_us);
       end++)
    if (!step_may_serve (&walk->need, lk_timeline_step (self, line, end))) {
      *index = end + 1;
      return FALSE;
    }
  self->work_count += end - *index;
  begin_free (self, kind, lk_timeline_step (self, line, *index), &free);
  for (guint32 i = *index + 1; i < end; i++)
    narrow_free (self, kind, lk_timeline_step (self, line, i), &free);
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
                .line = lk_timeline_line (self, node, search->now_us),
                .need = need_of (self, search->request, kind) };
  guint32 index = find_step (self, walk.line, search->from_us);
  gint64 from_us = search->from_us;
  while (from_us < search->before_us) {
    if (try_from (&walk, &index, from_us))
      return from_us;
    if (index >= walk.line->count)
      return LK_TIME_NEVER;
    from_us = lk_timeline_step (self, walk.line, index)->from_us;
  }
  return from_us;
}

gint64
lk_timelines_end_us (LkTimelines *self, guint32 node, gint64 now_us, gint64 from_us)
{
  const LkTimelineLine *line = lk_timeline_line (self, node, now_us);
  guint32 index = find_step (self, line, from_us);
  if (lk_timeline_step (self, line, index)->from_us < from_us)
    index++;
  while (index < line->count && lk_timeline_step (self, line, index)->end_count == 0)
    index++;
  return index < line->count ? lk_timeline_step (self, line, index)->from_us : LK_TIME_NEVER;
}
