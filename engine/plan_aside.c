/* engine/plan_aside.c — reservations that do not count for a while, and what jobs have in common.
 *
 * A job that goes before others is placed as if these had no reservations: they are set aside, and
 * put back one after the other where nothing has been reserved on their nodes since.  That test is
 * on purpose coarse: a node and a time in common are enough to lose a reservation, though there may
 * be room for both; the policy then looks for a place anew, which may be the same. */
#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_reservation.h"
#include "engine/plan.h"

/* ---------------------------------------------------------------- set aside, and back */

/* Has something been reserved for the time of this piece, on its node, behind number `made`? */
static gboolean
is_taken_since (const LkPlan *self, const LkPiece *piece, guint64 made)
{
  const LkNodeTable *nodes = &self->placer->machine->nodes;
  for (guint32 i = self->planned_first[piece->node]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node) {
    const LkPiece *other = lk_piece (nodes, i);
    if (other->from_us < piece->to_us && other->to_us > piece->from_us
        && self->reservations[other->job].made > made)
      return TRUE;
  }
  return FALSE;
}

/* The time of a job's reservation, and in which advance reservation it is. */
static LkWindow
window_of (const LkView *view, LkJobIndex job, const LkReservation *reservation)
{
  const LkEngine *engine = view->engine;
  const LkNodeTable *nodes = &engine->machine->nodes;
  LkWindow window = { .nodes = nodes,
                      .now_us = view->now_us,
                      .from_us = reservation->start_us,
                      .to_us = lk_time_add_us (reservation->start_us, view->jobs->estimate_us[job]),
                      .except = job };
  if (!lk_engine_has_reservations (engine))
    return window;
  guint32 number = lk_piece (nodes, reservation->first_piece)->reservation;
  window.reservations = engine->reservations;
  window.inside = number != 0 ? lk_reservations_numbered (engine->reservations, number) : NULL;
  return window;
}

static gboolean
is_whole (LkPlan *self, const LkView *view, LkJobIndex job)
{
  const LkReservation *reservation = &self->reservations[job];
  if (self->profile != NULL) {
    gint64 from_us = MAX (reservation->start_us, view->now_us);
    gint64 to_us = lk_time_add_us (reservation->start_us, view->jobs->estimate_us[job]);
    return from_us >= to_us
           || lk_profile_units_min (self->profile, from_us, to_us) >= view->jobs->units[job];
  }
  const LkNodeTable *nodes = &self->placer->machine->nodes;
  gboolean is_idle = TRUE;
  if (!lk_plan_slots_idle (self, reservation->first_piece, &is_idle)) {
    lk_plan_pieces_settle (self);
    lk_plan_unbundle (self, job);
    for (guint32 i = reservation->first_piece; i != LK_PIECE_NONE && is_idle;
         i = lk_piece (nodes, i)->next_of_job)
      is_idle = !is_taken_since (self, lk_piece (nodes, i), reservation->made);
  }
  if (!is_idle)
    return FALSE;
  LkWindow window = window_of (view, job, reservation);
  return lk_plan_has_licenses (self, view, job, &window);
}

void
lk_plan_set_aside (void *plan, const LkView *view, LkJobIndex job)
{
  LkPlan *self = plan;
  LkReservation *reservation = &self->reservations[job];
  LK_ASSERT (reservation->start_us != LK_TIME_NEVER);
  lk_plan_hide (self, view, job);
  reservation->made = self->made_count;
}

int32_t
lk_plan_put_back (void *plan, const LkView *view, LkJobIndex job)
{
  LkPlan *self = plan;
  LK_ASSERT (self->reservations[job].place == LK_PLAN_ASIDE);
  if (!is_whole (self, view, job)) {
    lk_plan_note_given (self, view, job);
    lk_plan_drop_aside (self, job);
    return 0;
  }
  lk_plan_show (self, view, job);
  return 1;
}

/* ---------------------------------------------------------------- likeness */

/* A likeness is the number of a class with this, or the serial number of a request. */
#define CLASS_BIT (G_GUINT64_CONSTANT (1) << 63)

/* Do advance reservations stand in the way of all jobs alike, of some nodes as a whole? */
static gboolean
is_open_to_all (const LkEngine *engine, LkJobIndex job)
{
  const LkReservationTable *table = engine->reservations;
  return !lk_engine_has_reservations (engine)
         || (engine->jobs.in_reservation[job] == 0 && table->magnetic_count == 0
             && lk_bits_count (table->partial, engine->machine->nodes.node_words) == 0);
}

/* Is whether a place is found a matter of numbers, whoever's job it is and whenever it came? */
static gboolean
is_plain (const LkPlan *self, const LkRequest *request)
{
  return request->demand.switches_max == 0 && !request->whole_user && self->user_piece_count == 0
         && self->placer->machine->nodes.user_piece_count == 0;
}

uint64_t
lk_plan_likeness (void *plan, const LkView *view, LkJobIndex job, uint32_t *out_size_count)
{
  LkPlan *self = plan;
  if (self->profile != NULL) {
    *out_size_count = view->jobs->units[job];
    return 1;
  }
  const LkEngine *engine = view->engine;
  guint32 index = engine->jobs.request[job];
  const LkRequest *request = lk_machine_request (self->placer->machine, index);
  *out_size_count = 0;
  if (!is_plain (self, request) || !is_open_to_all (engine, job))
    return 0;
  guint32 class = lk_plan_slots_class (self, request, index);
  if (class == 0)
    return request->serial;
  *out_size_count = request->demand.nodes_min;
  return class | CLASS_BIT;
}

gboolean
lk_plan_is_class (guint64 likeness)
{
  return (likeness & CLASS_BIT) != 0;
}

uint32_t
lk_plan_size_max (void *plan, const LkView *view, int64_t from_us, int64_t to_us)
{
  const LkPlan *self = plan;
  if (from_us >= to_us)
    return 0;
  if (self->profile != NULL)
    return lk_profile_units_max (self->profile, MAX (from_us, view->now_us), to_us);
  return self->slots != NULL ? lk_slots_idle_max (self->slots, from_us, to_us) : G_MAXUINT32;
}

/* ---------------------------------------------------------------- where something was given */

int32_t
lk_plan_is_lost (void *plan, const LkView *view, LkJobIndex job)
{
  const LkPlan *self = plan;
  (void)view;
  if (self->placer == NULL)
    return 0;
  const LkNodeTable *nodes = &self->placer->machine->nodes;
  const LkReservation *reservation = &self->reservations[job];
  const LkSlotsWords *known = &reservation->nodes;
  for (guint i = 0; i < known->count; i++)
    if ((known->words[i].mask & ~nodes->usable[known->words[i].word]) != 0)
      return 1;
  if (known->count > 0)
    return 0;
  for (guint32 i = reservation->first_piece; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job)
    if (!lk_bits_has (nodes->usable, lk_piece (nodes, i)->node))
      return 1;
  return 0;
}

uint32_t
lk_plan_nodes_given (void *plan, uint64_t **out_nodes)
{
  const LkPlan *self = plan;
  *out_nodes = self->given;
  return self->given != NULL ? self->placer->machine->nodes.node_words : 0;
}

void
lk_plan_note_given (void *plan, const LkView *view, LkJobIndex job)
{
  LkPlan *self = plan;
  (void)view;
  if (self->given == NULL)
    return;
  const LkNodeTable *nodes = &self->placer->machine->nodes;
  guint32 first_piece = self->reservations[job].first_piece;
  const LkSlotsWords *known = &self->reservations[job].nodes;
  for (guint i = 0; i < known->count; i++)
    self->given[known->words[i].word] |= known->words[i].mask;
  if (known->count == 0)
    for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job)
      lk_bits_add (self->given, lk_piece (nodes, i)->node);
  lk_plan_gain_note (self, first_piece);
}
