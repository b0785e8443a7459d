/* tests/property/machine_plan_full.c — the backfill policy full, as docs/policy-backfill-full.md
 * has it, without anything that makes it fast: every job is looked for at every moment. */
#include "engine/checked.h"
#include "tests/property/machine_plan_private.h"

#define MINUTE_US (G_GINT64_CONSTANT (60) * G_USEC_PER_SEC)

static gint64
horizon_at (const LkNaive *self)
{
  if (self->options.window_us == 0)
    return LK_TIME_NEVER;
  gint64 end_us = self->now_us + self->options.window_us;
  return end_us > self->horizon_us ? end_us + MINUTE_US : self->horizon_us;
}

static gboolean
reserve_before (LkNaive *self, guint place, gint64 before_us)
{
  guint32 piece;
  gint64 at_us = lk_naive_earliest_us (self, place, G_MININT64, before_us, &piece);
  if (at_us != LK_TIME_NEVER)
    lk_naive_reserve (self, place, at_us, piece);
  return at_us != LK_TIME_NEVER;
}

/* A reservation out of the plan that may come back. */
typedef struct {
  guint place;
  gint64 start_us;
  guint32 piece;
  guint number; /* of the last reservation made before */
} Aside;

static gboolean
is_taken_since (const LkNaive *self, const Aside *aside)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  for (guint i = 0; i < self->workload->job_count; i++) {
    const LkNaiveJob *other = &self->jobs[i];
    if (other->reserved_us == LK_TIME_NEVER || other->reserved_number <= aside->number)
      continue;
    for (guint32 a = aside->piece; a != LK_PIECE_NONE; a = lk_piece (nodes, a)->next_of_job)
      for (guint32 b = other->reserved_piece; b != LK_PIECE_NONE;
           b = lk_piece (nodes, b)->next_of_job)
        if (lk_piece (nodes, a)->node == lk_piece (nodes, b)->node
            && lk_piece (nodes, a)->from_us < lk_piece (nodes, b)->to_us
            && lk_piece (nodes, a)->to_us > lk_piece (nodes, b)->from_us)
          return TRUE;
  }
  return !lk_naive_has_licenses (self, aside->place, aside->start_us);
}

static guint
place_in_queue (const LkNaive *self, guint place)
{
  guint at = 0;
  while (g_array_index (self->queue, guint, at) != place)
    at++;
  return at;
}

/* Adds the reservations of jobs behind `at` in the queue that hold anything in [from, to). */
static void
set_aside (LkNaive *self, GArray *asides, guint at, gint64 from_us, gint64 to_us)
{
  while (++at < self->queue->len) {
    guint place = g_array_index (self->queue, guint, at);
    const LkNaiveJob *job = &self->jobs[place];
    if (job->reserved_us == LK_TIME_NEVER || job->reserved_us >= to_us
        || lk_time_add_us (job->reserved_us, job->estimate_us) <= from_us)
      continue;
    Aside aside = { place, job->reserved_us, 0, self->reserved_number };
    aside.piece = lk_naive_take_reserved (self, place);
    g_array_append_val (asides, aside);
  }
}

static gint
compare_asides (gconstpointer a, gconstpointer b, gpointer user)
{
  guint x = place_in_queue (user, ((const Aside *)a)->place);
  guint y = place_in_queue (user, ((const Aside *)b)->place);
  return (x > y) - (x < y);
}

/* The place of one that has lost its own: those behind it that are in its way lose theirs too. */
static void
reserve_anew (LkNaive *self, guint place, GArray *asides, gint64 asides_to_us)
{
  guint32 piece = LK_PIECE_NONE;
  gint64 at_us = lk_naive_earliest_us (self, place, G_MININT64, self->horizon_us, &piece);
  gint64 to_us = lk_time_add_us (MIN (at_us, self->horizon_us), self->jobs[place].estimate_us);
  lk_placer_discard (&self->placer, at_us != LK_TIME_NEVER ? piece : LK_PIECE_NONE);
  if (at_us != self->now_us && asides_to_us != LK_TIME_NEVER) {
    set_aside (self, asides, place_in_queue (self, place), self->now_us, to_us);
    g_array_sort_with_data (asides, compare_asides, self);
  }
  reserve_before (self, place, self->horizon_us);
}

/* Number `i` of them. */
static void
settle (LkNaive *self, GArray *asides, guint i, gint64 asides_to_us)
{
  const Aside copy = g_array_index (asides, Aside, i);
  const Aside *aside = &copy;
  if (!is_taken_since (self, aside)) {
    lk_naive_reserve (self, aside->place, aside->start_us, aside->piece);
    self->jobs[aside->place].reserved_number = aside->number;
    return;
  }
  lk_placer_discard (&self->placer, aside->piece);
  guint32 piece = lk_naive_place_at (self, aside->place, aside->start_us);
  if (piece != LK_PIECE_NONE)
    lk_naive_reserve (self, aside->place, aside->start_us, piece);
  else {
    reserve_anew (self, aside->place, asides, asides_to_us);
    self->compress = TRUE;
  }
}

static void
place_arrival (LkNaive *self, guint place)
{
  guint32 piece = LK_PIECE_NONE;
  gint64 at_us = lk_naive_earliest_us (self, place, G_MININT64, self->horizon_us, &piece);
  gint64 before_us = MIN (at_us, self->horizon_us);
  lk_placer_discard (&self->placer, at_us != LK_TIME_NEVER ? piece : LK_PIECE_NONE);
  g_autoptr (GArray) asides = g_array_new (FALSE, FALSE, sizeof (Aside));
  gint64 to_us = lk_time_add_us (before_us, self->jobs[place].estimate_us);
  set_aside (self, asides, place_in_queue (self, place), self->now_us, to_us);
  gboolean is_before = asides->len > 0 && reserve_before (self, place, before_us);
  for (guint i = 0; i < asides->len; i++)
    settle (self, asides, i, to_us);
  if (is_before || at_us == LK_TIME_NEVER)
    return;
  /* What others gave up before that is offered to all later. */
  at_us = lk_naive_earliest_us (self, place, at_us, self->horizon_us, &piece);
  if (at_us != LK_TIME_NEVER)
    lk_naive_reserve (self, place, at_us, piece);
}

/* Those who have come and all behind the first of them, each as if those behind it had none. */
static void
place_lost (LkNaive *self)
{
  guint first = 0;
  guint next = 0;
  g_autoptr (GArray) asides = g_array_new (FALSE, FALSE, sizeof (Aside));
  while (first < self->queue->len
         && !self->jobs[g_array_index (self->queue, guint, first)].has_arrived)
    first++;
  set_aside (self, asides, first, self->now_us, LK_TIME_NEVER);
  for (guint at = first; at < self->queue->len; at++) {
    guint place = g_array_index (self->queue, guint, at);
    if (next < asides->len && g_array_index (asides, Aside, next).place == place)
      settle (self, asides, next++, LK_TIME_NEVER);
    else if (self->jobs[place].has_arrived)
      reserve_before (self, place, self->horizon_us);
  }
}

/* Who has no place looks behind the old horizon, as if those behind it had none either. */
static void
extend (LkNaive *self, gint64 from_us)
{
  guint first = 0;
  while (first < self->queue->len
         && self->jobs[g_array_index (self->queue, guint, first)].reserved_us != LK_TIME_NEVER)
    first++;
  if (first == self->queue->len)
    return;
  g_autoptr (GArray) asides = g_array_new (FALSE, FALSE, sizeof (Aside));
  set_aside (self, asides, first, MAX (from_us, self->now_us), LK_TIME_NEVER);
  guint next = 0;
  for (guint at = first; at < self->queue->len; at++) {
    guint place = g_array_index (self->queue, guint, at);
    if (next < asides->len && g_array_index (asides, Aside, next).place == place) {
      settle (self, asides, next++, LK_TIME_NEVER);
      continue;
    }
    if (self->jobs[place].reserved_us != LK_TIME_NEVER)
      continue;
    guint32 piece = LK_PIECE_NONE;
    gint64 at_us = lk_naive_earliest_us (self, place, from_us, self->horizon_us, &piece);
    if (at_us != LK_TIME_NEVER)
      lk_naive_reserve (self, place, at_us, piece);
  }
}

static void
move_to (LkNaive *self, guint place, gint64 at_us, guint32 piece)
{
  lk_naive_release (self, place);
  lk_naive_reserve (self, place, at_us, piece);
}

static guint
planned_count (const LkNaive *self)
{
  guint count = 0;
  for (guint i = 0; i < self->queue->len; i++)
    count += self->jobs[g_array_index (self->queue, guint, i)].reserved_us != LK_TIME_NEVER;
  return count;
}

static void
compress_full (LkNaive *self)
{
  self->is_deferred = self->options.offers > 0 && self->credit < 0;
  if (self->is_deferred)
    return;
  self->credit -= planned_count (self);
  for (guint i = 0; i < self->queue->len; i++) {
    guint place = g_array_index (self->queue, guint, i);
    guint32 piece;
    gint64 current_us = self->jobs[place].reserved_us;
    if (self->jobs[place].has_arrived)
      continue;
    gint64 at_us =
        lk_naive_earliest_us (self, place, G_MININT64, MIN (current_us, self->horizon_us), &piece);
    if (at_us == LK_TIME_NEVER)
      continue;
    move_to (self, place, at_us, piece);
  }
}

/* What was given back is not offered to all: those who can start in it now do. */
static void
start_others (LkNaive *self)
{
  for (guint i = 0; i < self->queue->len; i++) {
    guint place = g_array_index (self->queue, guint, i);
    guint32 piece;
    if (self->jobs[place].is_running || self->jobs[place].reserved_us <= self->now_us)
      continue;
    gint64 at_us = lk_naive_earliest_us (self, place, G_MININT64, self->now_us + 1, &piece);
    if (at_us != LK_TIME_NEVER)
      move_to (self, place, at_us, piece);
  }
  lk_naive_start_due (self);
}

static void
make_anew (LkNaive *self)
{
  lk_naive_release_all (self);
  self->horizon_us = horizon_at (self);
  for (guint i = 0; i < self->queue->len; i++)
    reserve_before (self, g_array_index (self->queue, guint, i), self->horizon_us);
}

static void
repair (LkNaive *self)
{
  gint64 from_us = self->horizon_us;
  if (self->compress && !self->has_lost) {
    compress_full (self);
    self->compress = self->is_deferred;
  }
  gboolean had_unplaced = lk_naive_has_unplaced (self);
  self->horizon_us = horizon_at (self);
  if (self->has_lost)
    place_lost (self);
  for (guint i = 0; i < self->queue->len && !self->has_lost; i++) {
    guint place = g_array_index (self->queue, guint, i);
    if (self->jobs[place].has_arrived)
      place_arrival (self, place);
  }
  for (guint i = 0; i < self->arrivals->len; i++)
    self->jobs[g_array_index (self->arrivals, guint, i)].has_arrived = FALSE;
  if (had_unplaced && from_us < self->horizon_us)
    extend (self, from_us);
}

static gboolean
is_lost (const LkNaive *self, guint place)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  for (guint32 i = self->jobs[place].reserved_piece; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job)
    if (nodes->flags[lk_piece (nodes, i)->node] != 0)
      return TRUE;
  return FALSE;
}

void
lk_naive_nodes_full (LkNaive *self, gboolean came_back)
{
  self->compress = (self->compress || came_back) && !self->rebuild;
  for (guint place = 0; place < self->workload->job_count && !self->rebuild; place++)
    if (is_lost (self, place)) {
      lk_naive_release (self, place);
      lk_naive_add_arrival (self, place);
      self->compress = self->has_lost = TRUE;
    }
}

void
lk_naive_pass_full (LkNaive *self)
{
  gboolean is_overdue = lk_naive_has_overdue (self);
  self->credit = MIN (self->credit + self->options.offers, self->options.credit_max);
  self->is_deferred = FALSE;
  if (self->rebuild || is_overdue) {
    make_anew (self);
    self->compress = FALSE;
  } else {
    repair (self);
  }
  for (guint i = 0; i < self->arrivals->len; i++)
    self->jobs[g_array_index (self->arrivals, guint, i)].has_arrived = FALSE;
  g_array_set_size (self->arrivals, 0);
  self->rebuild = is_overdue;
  self->has_lost = FALSE;
  /* Who has lost a place has given something back. */
  if (self->compress)
    compress_full (self);
  self->compress = self->is_deferred;
  lk_naive_start_due (self);
  if (self->is_deferred && self->rebuild) {
    make_anew (self);
    self->is_deferred = self->compress = FALSE;
    self->rebuild = lk_naive_has_overdue (self);
    lk_naive_start_due (self);
  }
  if (self->is_deferred)
    start_others (self);
}
