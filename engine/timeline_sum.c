/* engine/timeline_sum.c — how many cores are free on all nodes together, as steps in time.
 *
 * The sum follows the steps of each node: what has changed in these is added to it, and the changes
 * of several nodes for one time are made as one.  It counts the cores of nodes that cannot be used,
 * too, and does not see a job become overdue: there may be fewer cores than it says, never more. */
#include "engine/timeline_private.h"

/* ---------------------------------------------------------------- what changes on nodes */

static void
apply_pending (LkTimelines *self)
{
  LkTimelineSpan *span = &self->pending;
  gint64 from_us = MAX (span->from_us, self->sum_from_us);
  if (from_us < span->to_us && span->cores > 0)
    lk_profile_release (self->sum, from_us, span->to_us, (guint32)span->cores);
  if (from_us < span->to_us && span->cores < 0)
    lk_profile_reserve (self->sum, from_us, span->to_us, (guint32)-span->cores);
  span->cores = 0;
}

/* Ends the changes on one node: those of several nodes for the same time are made as one. */
void
lk_timeline_sum_end_node (LkTimelines *self)
{
  const LkTimelineSpan *run = &self->run;
  if (run->cores != 0 && run->from_us == self->pending.from_us
      && run->to_us == self->pending.to_us) {
    self->pending.cores += run->cores;
  } else if (run->cores != 0) {
    apply_pending (self);
    self->pending = *run;
  }
  self->run.cores = 0;
}

/* On one node so many cores have come or gone; in the order of time. */
void
lk_timeline_sum_add (LkTimelines *self, const LkTimelineSpan *span)
{
  LkTimelineSpan *run = &self->run;
  if (span->cores == 0)
    return;
  if (run->cores == span->cores && run->to_us == span->from_us) {
    run->to_us = span->to_us;
    return;
  }
  lk_timeline_sum_end_node (self);
  *run = *span;
}

/* What the sum has of a node. */
void
lk_timeline_sum_begin_node (LkTimelines *self, const LkTimelineLine *line, const LkNodeKind *kind)
{
  guint32 words = self->machine->nodes.core_words;
  g_array_set_size (self->counted, 0);
  if (!line->is_counted) {
    LkTimelineSpan all = { G_MININT64, LK_TIME_NEVER,
                           (gint32)lk_bits_count (kind->cores_usable, words) };
    g_array_append_val (self->counted, all);
    return;
  }
  for (guint32 i = 0; i < line->count; i++) {
    const LkTimelineStep *step = lk_timeline_step (self, line, i);
    LkTimelineSpan span = { step->from_us, lk_timeline_step_end_us (self, line, i),
                            (gint32)step->core_count };
    g_array_append_val (self->counted, span);
  }
}

/* The node has other steps now than those listed. */
void
lk_timeline_sum_count_node (LkTimelines *self, LkTimelineLine *line)
{
  guint at = 0;
  for (guint32 i = 0; i < line->count;) {
    const LkTimelineSpan *old = &g_array_index (self->counted, LkTimelineSpan, at);
    const LkTimelineStep *step = lk_timeline_step (self, line, i);
    gint64 end_us = lk_timeline_step_end_us (self, line, i);
    LkTimelineSpan span = { MAX (old->from_us, step->from_us), MIN (old->to_us, end_us),
                            (gint32)step->core_count - old->cores };
    lk_timeline_sum_add (self, &span);
    at += span.to_us == old->to_us && at + 1 < self->counted->len;
    i += span.to_us == end_us;
  }
  lk_timeline_sum_end_node (self);
  line->is_counted = TRUE;
}

/* ---------------------------------------------------------------- all nodes together */

/* Makes the sum true, but for jobs that are overdue by now: those may hold more. */
static void
settle_sum (LkTimelines *self, gint64 now_us)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  guint32 core_count = 0;
  if (self->sum != NULL) {
    for (guint i = 0; i < self->stale->len; i++) {
      guint32 node = g_array_index (self->stale, guint32, i);
      self->lines[node].is_listed = FALSE;
      lk_timeline_line (self, node, now_us);
    }
    g_array_set_size (self->stale, 0);
  } else {
    for (guint32 node = 0; node < nodes->node_count; node++)
      core_count += lk_bits_count (lk_node_kind (nodes, node)->cores_usable, nodes->core_words);
    self->sum = lk_profile_new (core_count);
    lk_profile_reset (self->sum, now_us);
    self->sum_from_us = now_us;
    for (guint32 node = 0; node < nodes->node_count; node++) {
      self->lines[node].is_made = FALSE;
      lk_timeline_line (self, node, now_us);
    }
  }
  apply_pending (self);
  if (now_us > self->sum_from_us)
    lk_profile_advance (self->sum, now_us);
  self->sum_from_us = MAX (self->sum_from_us, now_us);
}

gint64
lk_timelines_enough_us (LkTimelines *self, const LkTimelineNeed *need)
{
  settle_sum (self, need->now_us);
  return lk_profile_earliest_us (self->sum, need->core_count, need->duration_us, need->from_us,
                                 need->before_us, need->stop_us);
}

gint64
lk_timelines_full_us (LkTimelines *self, gint64 now_us)
{
  settle_sum (self, now_us);
  return lk_profile_full_us (self->sum, now_us);
}
