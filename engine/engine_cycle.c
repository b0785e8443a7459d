/* engine/engine_cycle.c — what happens once in each calculation period: use decays, running jobs
 * are charged, shares and priorities follow.
 *
 * Cycles come at the first event and then every period; the engine catches up with those that are
 * due before it looks at an event, so that a cycle needs no event of its own.  Where a cycle can
 * make a difference to who starts, the engine asks to be woken for it.  Source: semantics of
 * PriorityCalcPeriod, PriorityDecayHalfLife and PriorityUsageResetPeriod; the order of the steps is
 * Slurm's. */
#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_private.h"
#include "engine/limits.h"

/* Limits on what is used are of whole minutes. */
#define SHORTEST_LIMIT_S 30.0
/* PriorityCalcPeriod's default. */
#define PERIOD_DEFAULT_US (G_GINT64_CONSTANT (300) * 1000000)

/* ---------------------------------------------------------------- resets */

/* Year and month of a day since 1970-01-01.  Source: the civil calendar in 400-year eras, counted
 * from March. */
static void
civil_of_day (gint64 day, gint64 *out_year, gint64 *out_month)
{
  gint64 shifted = day + 719468;
  gint64 era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  gint64 day_of_era = shifted - era * 146097;
  gint64 year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  gint64 day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  gint64 month = (5 * day_of_year + 2) / 153;
  *out_month = month < 10 ? month + 3 : month - 9;
  *out_year = year_of_era + era * 400 + (*out_month <= 2);
}

static gint64
floor_divide (gint64 value, gint64 by)
{
  return value / by - (value % by < 0);
}

/* Number of the period in which a moment lies. */
static gint64
period_of (const LkAccounts *spec, gint64 time_us)
{
  gint64 day = floor_divide (floor_divide (time_us, 1000000) + spec->utc_offset_s, 86400);
  gint64 year;
  gint64 month;
  civil_of_day (day, &year, &month);
  switch (spec->reset) {
  case LK_RESET_DAILY:
    return day;
  case LK_RESET_WEEKLY: /* day 0 was a Thursday */
    return floor_divide (day + 4, 7);
  case LK_RESET_MONTHLY:
    return year * 12 + month - 1;
  case LK_RESET_QUARTERLY:
    return year * 4 + (month - 1) / 3;
  case LK_RESET_YEARLY:
    return year;
  default:
    return 0;
  }
}

static void
reset_use (LkEngine *self)
{
  const LkBook *book = self->book;
  gboolean is_first = self->cycle_us == G_MININT64;
  if (book == NULL)
    return;
  if (is_first
          ? book->spec->reset != LK_RESET_NOW
          : period_of (book->spec, self->cycle_us) == period_of (book->spec, self->view.now_us))
    return;
  for (guint i = 0; i < book->holders->len; i++) {
    LkHolder *holder = g_ptr_array_index (book->holders, i);
    holder->use->usage = 0;
    holder->use->wall_s = 0;
    memset (holder->tres_s, 0, book->tres_count * sizeof (double));
  }
}

/* ---------------------------------------------------------------- decay and charges */

static void
decay (LkEngine *self)
{
  const LkBook *book = self->book;
  if (book == NULL || self->cycle_us == G_MININT64)
    return;
  double factor = lk_book_decay (book, lk_time_since_us (self->view.now_us, self->cycle_us));
  for (guint i = 0; factor != 1.0 && i < book->holders->len; i++) {
    LkHolder *holder = g_ptr_array_index (book->holders, i);
    if (holder->no_decay)
      continue;
    holder->use->usage *= factor;
    holder->use->wall_s *= factor;
    for (guint32 t = 0; t < book->tres_count; t++)
      holder->tres_s[t] *= factor;
  }
}

static void
charge_running (LkEngine *self)
{
  if (self->book == NULL)
    return;
  for (LkJobIndex job = lk_rank_first (self->running); job != LK_JOB_NONE;
       job = lk_rank_next (self->running, job, NULL))
    lk_engine_charge (self, job);
}

/* Job by job in the order of their ids, for orders that look between the charges. */
static void
charge_in_order (LkEngine *self)
{
  const LkOrderPolicy *order = self->config.order;
  g_autoptr (GArray) jobs = lk_job_table_sorted (&self->jobs);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (self->book != NULL && self->jobs.phase[job] == LK_PHASE_RUNNING)
      lk_engine_charge (self, job);
    order->cycle_job (self->instances[LK_INSTANCE_ORDER].self, &self->view, job);
  }
}

/* ---------------------------------------------------------------- what follows */

void
lk_engine_note_fairshare (LkEngine *self)
{
  const LkOrderPolicy *order = self->config.order;
  LkShareParts parts;
  for (guint32 i = 0; order->explain_share != NULL && i < self->book->view.association_count; i++)
    if (order->explain_share (self->instances[LK_INSTANCE_ORDER].self, &self->view, i, &parts))
      self->book->associations[i].fairshare = parts.fairshare;
}

static void
recalculate (LkEngine *self)
{
  if (self->config.order->cycle_end == NULL)
    return;
  lk_engine_refresh_order (self);
  if (self->view.pending_count > 0)
    self->changed = TRUE;
}

void
lk_engine_accrue_again (LkEngine *self)
{
  g_autoptr (GArray) jobs = lk_job_table_sorted (&self->jobs);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (lk_engine_is_in_line (self, job))
      lk_engine_accrue (self, job);
  }
}

gboolean
lk_engine_use_ends_jobs (const LkEngine *self)
{
  if (self->book == NULL)
    return FALSE;
  guint32 enforce = self->book->spec->enforce;
  return (enforce & LK_ENFORCE_LIMITS) != 0 && (enforce & LK_ENFORCE_SAFE) == 0
         && self->book->any_run_limit;
}

void
lk_engine_end_over_limit (LkEngine *self)
{
  if (!self->run_check_due)
    return;
  self->run_check_due = FALSE;
  for (LkJobIndex job = lk_rank_first (self->running); job != LK_JOB_NONE;
       job = lk_rank_next (self->running, job, NULL))
    if (self->jobs.kill_why[job] == 0 && lk_engine_has_finding (self, job, LK_CHECK_RUN))
      lk_engine_kill (self, job, LK_KILL_USAGE_LIMIT);
}

void
lk_engine_cycle (LkEngine *self)
{
  const LkOrderPolicy *order = self->config.order;
  void *order_self = self->instances[LK_INSTANCE_ORDER].self;
  reset_use (self);
  if (order->cycle_begin != NULL)
    order->cycle_begin (order_self, &self->view);
  decay (self);
  if (order->cycle_job != NULL && (order->wants_jobs == NULL || order->wants_jobs (order_self)))
    charge_in_order (self);
  else
    charge_running (self);
  if (order->cycle_end != NULL)
    order->cycle_end (order_self, &self->view);
  self->cycle_us = self->view.now_us;
  if (self->book != NULL)
    lk_engine_note_fairshare (self);
  if (self->book != NULL && self->book->any_accrue_limit)
    lk_engine_accrue_again (self);
  recalculate (self);
  if (self->book == NULL)
    return;
  self->run_check_due = self->view.running_count > 0 && lk_engine_use_ends_jobs (self);
  lk_engine_release_timed (self);
}

/* Without accounts only orders that look at ages have something to do. */
static gint64
period_us (const LkEngine *self)
{
  if (self->book != NULL)
    return self->book->spec->calc_period_us;
  return self->config.order->cycle_end != NULL ? PERIOD_DEFAULT_US : LK_TIME_NEVER;
}

void
lk_engine_catch_up (LkEngine *self, gint64 now_us)
{
  gint64 length_us = period_us (self);
  if (length_us == LK_TIME_NEVER)
    return;
  if (self->cycle_us == G_MININT64) {
    self->view.now_us = now_us;
    lk_engine_cycle (self);
    return;
  }
  guint64 due_count = ((guint64)now_us - (guint64)self->cycle_us) / (guint64)length_us;
  while (due_count > 0) {
    guint64 step_count =
        due_count > LK_LIMIT_CYCLES_BEHIND ? due_count - LK_LIMIT_CYCLES_BEHIND : 1;
    /* The moment is not behind now, so that the sum, which may wrap on its way, is right. */
    self->view.now_us = (gint64)((guint64)self->cycle_us + step_count * (guint64)length_us);
    lk_engine_cycle (self);
    due_count -= step_count;
  }
}

static gboolean
is_in_use (const LkBook *book, const LkHolder *holder, double least_s)
{
  if (holder->use->usage > least_s || holder->use->wall_s > least_s)
    return TRUE;
  for (guint32 t = 0; t < book->tres_count; t++)
    if (holder->tres_s[t] > least_s)
      return TRUE;
  return FALSE;
}

/* Can use fall, or shares change, in a cycle to come?  While nothing runs use only decays, by the
 * same part everywhere, until no limit is left that it could be below; or it is reset. */
static gboolean
use_moves (const LkEngine *self)
{
  const LkBook *book = self->book;
  if (book == NULL)
    return FALSE;
  gboolean resets = book->spec->reset > LK_RESET_NOW;
  if (self->view.running_count > 0)
    return TRUE;
  if (!resets && book->decay_factor == 1.0)
    return FALSE;
  /* What associations have used is in that of the root. */
  double least_s = resets ? 0.0 : SHORTEST_LIMIT_S;
  if (is_in_use (book, lk_book_holder (book, 0), least_s))
    return TRUE;
  for (guint32 i = 0; i < book->view.qos_count; i++)
    if (is_in_use (book, lk_book_holder (book, lk_book_qos_holder (book, i)), least_s)
        && (resets || (book->qos[i].flags & LK_QOS_NO_DECAY) == 0))
      return TRUE;
  return FALSE;
}

gint64
lk_engine_next_cycle_us (const LkEngine *self)
{
  if (self->cycle_us == G_MININT64)
    return LK_TIME_NEVER;
  /* On an idle machine a job waits for something else than its turn, maybe for ever. */
  gboolean queue_moves = self->config.order->cycle_end != NULL && self->view.pending_count > 0
                         && self->view.running_count > 0;
  gboolean ends = self->view.running_count > 0 && lk_engine_use_ends_jobs (self);
  if (ends && self->run_check_due)
    return self->view.now_us;
  gboolean frees = self->parked_timed->len > 0 && use_moves (self);
  if (!queue_moves && !ends && !frees)
    return LK_TIME_NEVER;
  return lk_time_add_us (self->cycle_us, period_us (self));
}
