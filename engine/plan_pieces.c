/* engine/plan_pieces.c — the pieces of reservations on the lists of their nodes.
 *
 * Who looks for whole nodes asks the slots (engine/plan_slots.c), and never sees the lists.  So
 * while there are slots a piece is put on its list, or taken off, only when somebody comes to look
 * at one: until then the reservation is a stray.  One of nodes that are alike has a single piece
 * until then, that of its first node: a bundle.  No decision depends on either. */
#include <string.h>

#include "engine/assert.h"
#include "engine/engine_private.h"
#include "engine/plan.h"

static gboolean
counts (const LkReservation *reservation)
{
  return reservation->start_us != LK_TIME_NEVER && reservation->place != LK_PLAN_ASIDE;
}

/* ---------------------------------------------------------------- bundles */

void
lk_plan_unbundle (LkPlan *self, LkJobIndex job)
{
  LkReservation *reservation = &self->reservations[job];
  if (!reservation->is_bundle)
    return;
  g_autofree guint64 *set = g_new0 (guint64, self->placer->machine->nodes.node_words);
  for (guint i = 0; i < reservation->nodes.count; i++)
    set[reservation->nodes.words[i].word] = reservation->nodes.words[i].mask;
  lk_placer_unbundle (self->placer, reservation->first_piece, set);
  reservation->is_bundle = FALSE;
}

guint32
lk_plan_place (LkPlan *self, LkJobIndex job)
{
  if (self->placer == NULL || job >= self->limit
      || self->reservations[job].start_us == LK_TIME_NEVER)
    return LK_PIECE_NONE;
  lk_plan_unbundle (self, job);
  return self->reservations[job].first_piece;
}

void
lk_plan_unbundle_found (LkPlan *self)
{
  if (self->found_bundle)
    lk_placer_unbundle (self->placer, self->found_piece, self->found_nodes);
  self->found_bundle = FALSE;
}

/* ---------------------------------------------------------------- nodes of a job */

const guint64 *
lk_plan_own_nodes (LkPlan *self, LkJobIndex job)
{
  if (job >= self->limit || self->reservations[job].start_us == LK_TIME_NEVER)
    return NULL;
  guint64 made = self->reservations[job].made;
  if (self->own_job != job || self->own_made != made) {
    memset (self->own_nodes, 0, self->placer->machine->nodes.node_words * sizeof (guint64));
    lk_plan_add_nodes (self, job, self->own_nodes);
    self->own_job = job;
    self->own_made = made;
  }
  return self->own_nodes;
}

/* ---------------------------------------------------------------- lists */

static void
link_pieces (LkPlan *self, LkJobIndex job)
{
  LkReservation *reservation = &self->reservations[job];
  lk_plan_unbundle (self, job);
  LkNodeTable *nodes = &self->placer->machine->nodes;
  for (guint32 i = reservation->first_piece; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job) {
    LkPiece *piece = lk_piece (nodes, i);
    guint32 next = self->planned_first[piece->node];
    piece->next_on_node = next;
    piece->previous_on_node = LK_PIECE_NONE;
    if (next != LK_PIECE_NONE)
      lk_piece (nodes, next)->previous_on_node = i;
    self->planned_first[piece->node] = i;
    self->user_piece_count += (piece->flags & LK_PIECE_USER) != 0;
    lk_timelines_add (self->timelines, piece);
  }
  reservation->is_listed = TRUE;
}

static void
unlink_pieces (LkPlan *self, LkReservation *reservation)
{
  const LkNodeTable *nodes = &self->placer->machine->nodes;
  for (guint32 i = reservation->first_piece; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job) {
    const LkPiece *piece = lk_piece (nodes, i);
    guint32 next = piece->next_on_node;
    if (piece->previous_on_node != LK_PIECE_NONE) {
      lk_piece (nodes, piece->previous_on_node)->next_on_node = next;
    } else {
      LK_ASSERT (self->planned_first[piece->node] == i);
      self->planned_first[piece->node] = next;
    }
    if (next != LK_PIECE_NONE)
      lk_piece (nodes, next)->previous_on_node = piece->previous_on_node;
    self->user_piece_count -= (piece->flags & LK_PIECE_USER) != 0;
    lk_timelines_remove (self->timelines, piece);
    lk_ready_note (self->ready, piece->node);
  }
  reservation->is_listed = FALSE;
}

/* ---------------------------------------------------------------- strays */

static void
add_stray (LkPlan *self, LkJobIndex job)
{
  LkReservation *reservation = &self->reservations[job];
  self->hidden_count += reservation->is_listed ? 1 : 0;
  reservation->is_stray = TRUE;
  reservation->stray_at = self->strays->len;
  g_array_append_val (self->strays, job);
}

static void
remove_stray (LkPlan *self, LkJobIndex job)
{
  LkReservation *reservation = &self->reservations[job];
  if (!reservation->is_stray)
    return;
  LkJobIndex *strays = (LkJobIndex *)(gpointer)self->strays->data;
  LkJobIndex last = strays[self->strays->len - 1];
  LK_ASSERT (strays[reservation->stray_at] == job);
  strays[reservation->stray_at] = last;
  self->reservations[last].stray_at = reservation->stray_at;
  g_array_set_size (self->strays, self->strays->len - 1);
  self->hidden_count -= reservation->is_listed ? 1 : 0;
  reservation->is_stray = FALSE;
}

void
lk_plan_pieces_settle (LkPlan *self)
{
  for (guint i = 0; i < self->strays->len; i++) {
    LkJobIndex job = g_array_index (self->strays, LkJobIndex, i);
    LkReservation *reservation = &self->reservations[job];
    reservation->is_stray = FALSE;
    if (reservation->is_listed)
      unlink_pieces (self, reservation);
    else
      link_pieces (self, job);
  }
  g_array_set_size (self->strays, 0);
  self->hidden_count = 0;
}

/* ---------------------------------------------------------------- what counts */

/* May the lists follow later? */
static gboolean
may_stray (const LkPlan *self, const LkReservation *reservation)
{
  const LkPiece *piece = lk_piece (&self->placer->machine->nodes, reservation->first_piece);
  return self->slots != NULL && (piece->flags & LK_PIECE_USER) == 0;
}

void
lk_plan_pieces_count (LkPlan *self, LkJobIndex job)
{
  LkReservation *reservation = &self->reservations[job];
  LK_ASSERT (counts (reservation));
  remove_stray (self, job);
  if (!reservation->is_listed && may_stray (self, reservation))
    add_stray (self, job);
  else if (!reservation->is_listed)
    link_pieces (self, job);
  lk_plan_taken (self, reservation->first_piece);
}

void
lk_plan_pieces_ignore (LkPlan *self, LkJobIndex job)
{
  LkReservation *reservation = &self->reservations[job];
  LK_ASSERT (!counts (reservation));
  remove_stray (self, job);
  if (reservation->is_listed && may_stray (self, reservation))
    add_stray (self, job);
  else if (reservation->is_listed)
    unlink_pieces (self, reservation);
  lk_plan_given (self, reservation->first_piece);
}

void
lk_plan_pieces_drop (LkPlan *self, LkJobIndex job)
{
  LkReservation *reservation = &self->reservations[job];
  remove_stray (self, job);
  if (reservation->is_listed)
    unlink_pieces (self, reservation);
  if (counts (reservation))
    lk_plan_given (self, reservation->first_piece);
}
