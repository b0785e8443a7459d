/* engine/engine_het_plan.c — the components of a heterogeneous job in a plan: one moment for all.
 *
 * Components are placed one behind the other, each beside those before it, from one moment on.  One
 * that finds its place only later gives the next moment to try for all.  On a counted pool no
 * moment before that can serve, so what is found is the earliest one; on nodes a place that was
 * chosen for one may hide an earlier one.  Tries are counted, and who has used them up has no start
 * for now.  Limits look at all of them: each is counted as if those before it ran. */
#include <string.h>

#include "engine/assert.h"
#include "engine/bytes.h"
#include "engine/checked.h"
#include "engine/engine_het.h"
#include "engine/engine_reservation.h"
#include "engine/limits.h"
#include "engine/pass_nodes.h"
#include "engine/reservation.h"

/* Moments that are tried. */
#define TRIES_MAX 64u

/* Those that stand first in an order. */
static void
release_first (const LkTogether *self, const guint *order, guint count)
{
  for (guint i = 0; i < count; i++)
    lk_plan_ops.release (self->plan, &self->engine->view, self->jobs[order[i]]);
}

/* How many have their place from the moment on; `out_next_us`, when the next one has it. */
static guint
reserve_in_order (const LkTogether *self, const guint *order, gint64 at_us, gint64 before_us,
                  gint64 *out_next_us)
{
  const LkView *view = &self->engine->view;
  for (guint i = 0; i < self->count; i++) {
    LkJobIndex job = self->jobs[order[i]];
    *out_next_us = lk_plan_ops.earliest (self->plan, view, job, at_us, before_us);
    if (*out_next_us != at_us)
      return i;
    lk_plan_ops.reserve (self->plan, view, job, at_us);
  }
  return self->count;
}

static void
put_first (guint *order, guint at)
{
  guint moved = order[at];
  for (; at > 0; at--)
    order[at] = order[at - 1];
  order[0] = moved;
}

/* One that finds no place beside the others has the first choice the next time; on nodes that may
 * do, as the others may have taken what only it can use.  Returns the moment if all have their
 * place, else the next one to try. */
static gint64
reserve_at (const LkTogether *self, guint *order, gint64 at_us, gint64 before_us)
{
  guint orders_max = self->engine->machine != NULL ? self->count : 1;
  gint64 least_us = LK_TIME_NEVER;
  for (guint tries = 0; tries < orders_max; tries++) {
    gint64 next_us = at_us;
    guint placed_count = reserve_in_order (self, order, at_us, before_us, &next_us);
    if (placed_count == self->count)
      return at_us;
    release_first (self, order, placed_count);
    least_us = MIN (least_us, next_us);
    /* Alone it has no place either. */
    if (placed_count == 0)
      break;
    put_first (order, placed_count);
  }
  return least_us;
}

/* When the last advance reservation ends; LK_TIME_NEVER: one comes again. */
static gint64
last_set_aside_us (const LkEngine *engine)
{
  const GPtrArray *items = lk_engine_has_reservations (engine) ? engine->reservations->items : NULL;
  gint64 last_us = G_MININT64;
  for (guint i = 0; items != NULL && i < items->len; i++) {
    const LkAdvanceReservation *item = g_ptr_array_index (items, i);
    gint64 start_us;
    gint64 end_us;
    if ((item->flags & LK_RESERVATION_RECURS) != 0)
      return LK_TIME_NEVER;
    lk_reservation_span (item, engine->view.now_us, &start_us, &end_us);
    last_us = MAX (last_us, end_us);
  }
  return last_us;
}

/* From when on all moments are alike on nodes: nothing runs or is set aside any more. */
static gint64
alike_from_us (const LkTogether *self)
{
  const LkEngine *engine = self->engine;
  const LkJobTable *jobs = &engine->jobs;
  const LkNodeTable *nodes = &engine->machine->nodes;
  gint64 last_us = last_set_aside_us (engine);
  for (guint32 node = 0; node < nodes->node_count; node++)
    for (guint32 i = nodes->piece_first[node]; i != LK_PIECE_NONE;
         i = lk_piece (nodes, i)->next_on_node)
      last_us = MAX (last_us, lk_held_until_us (engine->view.now_us, lk_piece (nodes, i)->to_us));
  for (guint i = 0; i < self->plan->reserved->len; i++) {
    LkJobIndex job = g_array_index (self->plan->reserved, LkJobIndex, i);
    last_us = MAX (last_us,
                   lk_time_add_us (self->plan->reservations[job].start_us, jobs->estimate_us[job]));
  }
  for (guint i = 0; i < self->count; i++) {
    LkJobIndex job = self->jobs[i];
    const LkRequest *request = lk_machine_request (engine->machine, jobs->request[job]);
    if (request->demand.switches_max > 0)
      last_us = MAX (last_us, lk_time_add_us (jobs->submit_us[job], request->switches_wait_us));
  }
  return last_us;
}

gint64
lk_together_reserve (const LkTogether *self, gint64 from_us, gint64 before_us)
{
  guint order[LK_LIMIT_HET_COMPONENTS];
  guint before[LK_LIMIT_HET_COMPONENTS];
  gint64 at_us = from_us;
  gint64 alike_us = LK_TIME_NEVER;
  for (guint i = 0; i < self->count; i++)
    order[i] = i;
  for (guint tries = 0; tries < TRIES_MAX && at_us < before_us; tries++) {
    memcpy (before, order, self->count * sizeof *order);
    gint64 next_us = reserve_at (self, order, at_us, before_us);
    if (next_us == at_us)
      return at_us;
    if (tries == 1 && self->engine->machine != NULL)
      alike_us = alike_from_us (self);
    /* They are in each other's way, and will be. */
    if (at_us >= alike_us && memcmp (before, order, self->count * sizeof *order) == 0)
      return LK_TIME_NEVER;
    at_us = next_us;
  }
  return LK_TIME_NEVER;
}

gboolean
lk_together_reserve_on (const LkTogether *self, const uint64_t *const *nodes)
{
  LkEngine *engine = self->engine;
  for (guint i = 0; i < self->count; i++) {
    if (lk_pass_find_now (engine, self->jobs[i], nodes[i]) == LK_TRY_STARTED) {
      lk_plan_ops.reserve (self->plan, &engine->view, self->jobs[i], engine->view.now_us);
      continue;
    }
    for (; i > 0; i--)
      lk_plan_ops.release (self->plan, &engine->view, self->jobs[i - 1]);
    return FALSE;
  }
  return TRUE;
}

void
lk_together_release (const LkTogether *self)
{
  for (guint i = 0; i < self->count; i++)
    lk_plan_ops.release (self->plan, &self->engine->view, self->jobs[i]);
}

gboolean
lk_together_is_reserved (const LkTogether *self)
{
  return self->plan != NULL && self->jobs[0] < self->plan->limit
         && self->plan->reservations[self->jobs[0]].start_us != LK_TIME_NEVER;
}

gboolean
lk_together_is_free (const LkTogether *self)
{
  const LkView *view = &self->engine->view;
  guint64 units = 0;
  for (guint i = 0; i < self->count; i++) {
    units += view->jobs->units[self->jobs[i]];
    if (self->engine->machine != NULL && !lk_plan_ops.is_free (self->plan, view, self->jobs[i]))
      return FALSE;
  }
  return self->engine->machine != NULL || units <= view->units_free;
}

/* ---------------------------------------------------------------- limits */

/* It stays where it is, and does not go onto the list of a limit. */
static gboolean
unnote (LkEngine *self, LkJobIndex job)
{
  LkJobCount *count = &self->book->job_counts[job];
  count->is_there = 0;
  count->is_timed = 0;
  count->parked_holder = LK_INDEX_NONE;
  return TRUE;
}

/* Where it is reserved. */
static guint32
first_piece_of (const LkTogether *self, LkJobIndex job)
{
  gboolean is_there = self->engine->machine != NULL && lk_together_is_reserved (self);
  if (!is_there)
    return LK_PIECE_NONE;
  lk_plan_unbundle (self->plan, job);
  return self->plan->reservations[job].first_piece;
}

static gboolean
is_over_limit (const LkTogether *self, LkJobIndex job)
{
  LkEngine *engine = self->engine;
  guint32 first_piece = first_piece_of (self, job);
  if (lk_engine_is_blocked (engine, job))
    return unnote (engine, job);
  return first_piece != LK_PIECE_NONE && lk_engine_is_blocked_there (engine, job, first_piece)
         && unnote (engine, job);
}

static void
count_in (const LkTogether *self, LkJobIndex job)
{
  LkEngine *engine = self->engine;
  guint32 first_piece = first_piece_of (self, job);
  if (first_piece != LK_PIECE_NONE)
    lk_book_tres_given (engine->book, engine->machine,
                        lk_machine_request (engine->machine, engine->jobs.request[job]),
                        first_piece, lk_book_job_tres (engine->book, job));
  lk_engine_account_take (engine, job, TRUE);
}

static void
count_out (const LkTogether *self, LkJobIndex job)
{
  lk_engine_account_take (self->engine, job, FALSE);
  lk_engine_account_asked (self->engine, job);
}

gboolean
lk_together_is_limited (const LkTogether *self)
{
  guint counted = 0;
  if (self->engine->book == NULL)
    return FALSE;
  for (; counted < self->count && !is_over_limit (self, self->jobs[counted]); counted++)
    count_in (self, self->jobs[counted]);
  for (guint i = counted; i > 0; i--)
    count_out (self, self->jobs[i - 1]);
  return counted < self->count;
}

/* ---------------------------------------------------------------- start */

/* Does a job of the queue come before it? */
static gboolean
is_behind (const LkEngine *self, LkJobIndex job)
{
  LkJobIndex first = lk_rank_first (self->queue);
  return first != LK_JOB_NONE && lk_rank_before (self->queue, first, job);
}

void
lk_together_start (const LkTogether *self)
{
  LkEngine *engine = self->engine;
  for (guint i = 0; i < self->count; i++) {
    LkJobIndex job = self->jobs[i];
    guint32 first_piece = LK_PIECE_NONE;
    gboolean backfilled = is_behind (engine, job);
    if (self->plan != NULL)
      first_piece = lk_plan_take (self->plan, &engine->view, job);
    lk_engine_let_go (engine, job);
    lk_engine_tell_start (engine, job);
    lk_engine_start (engine, job, first_piece);
    LkDecision decision = { .kind = LK_DECISION_START, .job = job };
    decision.start.job_id = engine->jobs.id[job];
    decision.start.units = engine->jobs.units[job];
    decision.start.backfilled = (guint8)backfilled;
    if (engine->machine != NULL)
      lk_engine_place_text (engine, job, &decision.start);
    lk_engine_emit (engine, &decision);
  }
}

/* ---------------------------------------------------------------- earlier */

typedef struct {
  GByteArray *bytes;
} Sink;

static void
put (void *user, const void *bytes, uint32_t byte_count)
{
  const Sink *sink = user;
  g_byte_array_append (sink->bytes, bytes, byte_count);
}

void
lk_together_save (const LkTogether *self, GByteArray *out)
{
  Sink sink = { out };
  for (guint i = 0; i < self->count; i++)
    lk_plan_ops.save (self->plan, &self->engine->view, self->jobs[i], put, &sink);
}

gboolean
lk_together_load (const LkTogether *self, gint64 start_us, const guint8 *bytes, guint byte_count)
{
  for (guint i = 0; i < self->count; i++) {
    gint64 used = lk_plan_ops.load (self->plan, &self->engine->view, self->jobs[i], start_us, bytes,
                                    byte_count);
    if (used < 0) {
      for (; i > 0; i--)
        lk_plan_ops.release (self->plan, &self->engine->view, self->jobs[i - 1]);
      return FALSE;
    }
    bytes += used;
    byte_count -= (guint)used;
  }
  return byte_count == 0;
}

gint64
lk_together_move_earlier (const LkTogether *self, gint64 start_us)
{
  g_autoptr (GByteArray) place = g_byte_array_new ();
  const LkView *view = &self->engine->view;
  lk_together_save (self, place);
  for (guint i = 0; i < self->count; i++)
    lk_plan_ops.note_given (self->plan, view, self->jobs[i]);
  lk_together_release (self);
  gint64 earlier_us = lk_together_reserve (self, view->now_us, start_us);
  if (earlier_us != LK_TIME_NEVER)
    return earlier_us;
  return lk_together_load (self, start_us, place->data, place->len) ? start_us : LK_TIME_NEVER;
}

gint64
lk_together_end_us (const LkTogether *self, gint64 start_us)
{
  gint64 end_us = start_us;
  for (guint i = 0; i < self->count; i++)
    end_us = MAX (end_us, lk_time_add_us (start_us, self->engine->jobs.estimate_us[self->jobs[i]]));
  return end_us;
}
