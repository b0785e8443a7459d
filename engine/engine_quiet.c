/* engine/engine_quiet.c — can it still come to something if nobody does
 * anything?
 *
 * Some of what the engine wakes for comes only once: a time limit, a deadline,
 * a begin time, the end of a reservation.  The rest comes again and again for
 * as long as there are jobs: occurrences of reservations that recur, cycles of
 * the order while something runs, turns of gangs, what a policy asks for.  A
 * job that never ends, or one that no occurrence leaves room for, would keep
 * that going for ever.  What recurs has been round within a week; by the end of
 * a second one what could start has started. */
#include "engine/checked.h"
#include "engine/engine_dependency.h"
#include "engine/engine_gang.h"
#include "engine/engine_life.h"
#include "engine/engine_reservation.h"
#include "engine/reservation.h"

#define DAY_US (G_GINT64_CONSTANT (86400) * 1000000)
#define QUIET_US (14 * DAY_US)
/* What a job uses comes to its limit late, or, as it decays, never. */
#define QUIET_WITH_USE_US (400 * DAY_US)

static gboolean
recurs (const LkAdvanceReservation *item)
{
  return (item->flags & LK_RESERVATION_RECURS) != 0;
}

/* One that floats stays ahead of the clock: what it leaves no room for is planned anew again and
 * again. */
static gboolean
floats (const LkAdvanceReservation *item)
{
  return (item->flags & LK_RESERVATION_TIME_FLOAT) != 0;
}

static gboolean
reservation_stays (const LkEngine *self)
{
  const GPtrArray *items = lk_engine_has_reservations (self) ? self->reservations->items : NULL;
  for (guint i = 0; items != NULL && i < items->len; i++)
    if (recurs (g_ptr_array_index (items, i)) || floats (g_ptr_array_index (items, i)))
      return TRUE;
  return FALSE;
}

/* One that does not recur, and does not float, is still to begin or to end. */
static gboolean
reservation_is_ahead (const LkEngine *self)
{
  const GPtrArray *items = lk_engine_has_reservations (self) ? self->reservations->items : NULL;
  for (guint i = 0; items != NULL && i < items->len; i++) {
    const LkAdvanceReservation *item = g_ptr_array_index (items, i);
    gint64 now_us = self->view.now_us;
    if (!recurs (item) && !floats (item)
        && (item->start_us > now_us || (item->end_us > now_us && item->end_us != LK_TIME_NEVER)))
      return TRUE;
  }
  return FALSE;
}

gboolean
lk_engine_has_once_ahead (const LkEngine *self)
{
  gint64 once_us = MIN (lk_engine_next_limit_us (self), lk_engine_next_begin_us (self));
  once_us = MIN (once_us, lk_engine_next_dependency_us (self));
  once_us = MIN (once_us, lk_engine_next_alarm_us (self));
  /* While nothing runs use falls until no job waits for that. */
  if (self->view.running_count == 0)
    once_us = MIN (once_us, lk_engine_next_cycle_us (self));
  if (once_us != LK_TIME_NEVER || self->deadlines->len > 0)
    return TRUE;
  gint64 preempt_us = lk_engine_next_preempt_us (self);
  return (preempt_us != LK_TIME_NEVER
          && preempt_us > lk_time_add_us (self->view.now_us, QUIET_US / 2))
         || reservation_is_ahead (self);
}

gint64
lk_engine_quiet_us (const LkEngine *self)
{
  if ((self->view.running_count == 0 && !reservation_stays (self))
      || lk_engine_has_once_ahead (self))
    return LK_TIME_NEVER;
  return self->view.running_count > 0 && lk_engine_use_ends_jobs (self) ? QUIET_WITH_USE_US
                                                                        : QUIET_US;
}
