/* policies/backfill_full_bytes.c — the state of `full` as bytes, and back.
 *
 * Saved are the flags, what was given back and on which nodes, the horizon, the credit, the
 * arrivals and the reservations, each by rising id: in which order they lie in memory is of no
 * account, and depends on when they were last sorted.  What waits and is neither has no place
 * within the window.  While the plan is untrue only the starts are saved: it will be made again
 * before it is used. */
#include <string.h>

#include "policies/backfill_full.h"
#include "policies/state_bytes.h"

#define FLAG_COMPRESS 1u
#define FLAG_REBUILD 2u
#define FLAG_ORDER_CHANGED 4u
#define FLAG_HAS_LOST 8u

static gint
compare_ids (gconstpointer a, gconstpointer b)
{
  uint32_t x = *(const uint32_t *)a;
  uint32_t y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Returns: (transfer full), of uint32_t, rising. */
static GArray *
ids_of (const GArray *jobs, const LkView *view)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  for (guint i = 0; i < jobs->len; i++)
    g_array_append_val (ids, view->jobs->id[g_array_index (jobs, LkJobIndex, i)]);
  g_array_sort (ids, compare_ids);
  return ids;
}

static void
save_arrivals (const LkFull *self, const LkView *view, const LkStateSink *out)
{
  g_autoptr (GArray) ids = ids_of (self->arrivals, view);
  lk_state_put_u32 (out, ids->len);
  for (guint i = 0; i < ids->len; i++)
    lk_state_put_u32 (out, g_array_index (ids, uint32_t, i));
}

static void
save_reservations (const LkFull *self, const LkView *view, const LkStateSink *out)
{
  g_autoptr (GArray) ids = ids_of (self->planned, view);
  lk_state_put_u32 (out, ids->len);
  for (guint i = 0; i < ids->len; i++) {
    uint32_t id = g_array_index (ids, uint32_t, i);
    LkJobIndex job = view->host->job_by_id (view, id);
    lk_state_put_u32 (out, id);
    lk_state_put_i64 (out, self->start_us[job]);
    if (!self->rebuild)
      self->plan_ops->save (self->plan, view, job, out->put, out->sink);
  }
}

/* Words behind the last that says anything are left out.  Before the first pass there need not be
 * a plan that notes anything, and nobody to whom it would be offered. */
static void
save_given (const LkFull *self, const LkStateSink *out)
{
  uint64_t *nodes = NULL;
  uint32_t words = self->made_us != INT64_MIN ? self->plan_ops->given (self->plan, &nodes) : 0;
  while (words > 0 && nodes[words - 1] == 0)
    words--;
  lk_state_put_u32 (out, words);
  for (uint32_t i = 0; i < words; i++)
    lk_state_put_i64 (out, (int64_t)nodes[i]);
}

static void
load_given (const LkFull *self, LkStateSource *source)
{
  uint64_t *nodes;
  uint32_t words = self->plan_ops->given (self->plan, &nodes);
  uint32_t saved_words = lk_state_take_u32 (source);
  if (saved_words > words)
    source->is_broken = 1;
  for (uint32_t i = 0; i < saved_words && !source->is_broken; i++)
    nodes[i] = lk_state_take (source, 8);
}

void
lk_full_save (void *user, const LkView *view, LkPut put, void *sink)
{
  const LkFull *self = user;
  LkStateSink out = { put, sink };
  lk_state_put_u32 (&out, (self->compress ? FLAG_COMPRESS : 0) | (self->rebuild ? FLAG_REBUILD : 0)
                              | (self->order_changed ? FLAG_ORDER_CHANGED : 0)
                              | (self->has_lost ? FLAG_HAS_LOST : 0));
  lk_state_put_i64 (&out, self->given_from_us);
  lk_state_put_i64 (&out, self->given_to_us);
  lk_state_put_i64 (&out, self->horizon_us);
  lk_state_put_i64 (&out, self->made_us);
  lk_state_put_i64 (&out, self->credit);
  save_given (self, &out);
  save_arrivals (self, view, &out);
  save_reservations (self, view, &out);
}

/* A plan of all jobs there may be costs that many. */
static void
load_credit (LkFull *self, LkStateSource *source)
{
  self->credit = (int64_t)lk_state_take (source, 8);
  if (self->credit > self->credit_max || self->credit < -(int64_t)UINT32_MAX)
    source->is_broken = 1;
}

/* A job in the queue that was not named before. */
static LkJobIndex
take_job (const LkFull *self, const LkView *view, LkStateSource *source)
{
  LkJobIndex job = view->host->job_by_id (view, lk_state_take_u32 (source));
  if (job == LK_JOB_NONE || view->jobs->phase[job] != LK_PHASE_QUEUED
      || self->stand[job] != LK_FULL_NONE)
    source->is_broken = 1;
  return job;
}

static void
load_arrivals (LkFull *self, const LkView *view, LkStateSource *source)
{
  uint32_t count = lk_state_take_u32 (source);
  for (uint32_t i = 0; i < count && !source->is_broken; i++) {
    LkJobIndex job = take_job (self, view, source);
    if (source->is_broken)
      return;
    self->stand[job] = LK_FULL_ARRIVED;
    g_array_append_val (self->arrivals, job);
  }
}

static void
load_reservation (LkFull *self, const LkView *view, LkStateSource *source)
{
  LkJobIndex job = take_job (self, view, source);
  int64_t start_us = (int64_t)lk_state_take (source, 8);
  if (source->is_broken || start_us == LK_TIME_NEVER) {
    source->is_broken = 1;
    return;
  }
  if (!self->rebuild) {
    int64_t used =
        self->plan_ops->load (self->plan, view, job, start_us, source->at, source->left_bytes);
    if (used < 0) {
      source->is_broken = 1;
      return;
    }
    source->at += used;
    source->left_bytes -= (uint32_t)used;
  }
  lk_full_note_reserved (self, view, job, start_us);
  g_array_append_val (self->planned, job);
}

int32_t
lk_full_load (void *user, const LkView *view, const uint8_t *bytes, uint32_t byte_count)
{
  LkFull *self = user;
  LkStateSource source = { bytes, byte_count, 0 };
  lk_full_ready (self, view);
  self->plan_ops->resume (self->plan, view);
  uint32_t flags = lk_state_take_u32 (&source);
  self->compress = (flags & FLAG_COMPRESS) != 0;
  self->rebuild = (flags & FLAG_REBUILD) != 0;
  self->order_changed = (flags & FLAG_ORDER_CHANGED) != 0;
  self->has_lost = (flags & FLAG_HAS_LOST) != 0;
  self->given_from_us = (int64_t)lk_state_take (&source, 8);
  self->given_to_us = (int64_t)lk_state_take (&source, 8);
  self->horizon_us = (int64_t)lk_state_take (&source, 8);
  self->made_us = (int64_t)lk_state_take (&source, 8);
  load_credit (self, &source);
  load_given (self, &source);
  load_arrivals (self, view, &source);
  uint32_t count = lk_state_take_u32 (&source);
  for (uint32_t i = 0; i < count && !source.is_broken; i++)
    load_reservation (self, view, &source);
  self->is_sorted = self->is_unplaced_sorted = FALSE;
  for (LkJobIndex job = 0; job < view->job_index_limit && !source.is_broken; job++)
    if (view->jobs->phase[job] == LK_PHASE_QUEUED && self->stand[job] == LK_FULL_NONE) {
      self->stand[job] = LK_FULL_UNPLACED;
      self->unplaced_count++;
    }
  return !source.is_broken && source.left_bytes == 0;
}
