/* live/port/port_clock_os.c — see the header. */
#include "live/port/port_clock_os.h"

#include "engine/checked.h"

static gint64
monotonic_us (void *user)
{
  const LkClockOs *self = user;
  return lk_loop_now_us (self->loop);
}

static gint64
realtime_us (void *user)
{
  (void)user;
  return g_get_real_time ();
}

static void
wake_at_us (void *user, gint64 at_us)
{
  LkClockOs *self = user;
  lk_loop_set_timer (self->loop, &self->timer, at_us);
}

static const LkPortClockOps clock_ops = {
  .size = sizeof (LkPortClockOps),
  .monotonic_us = monotonic_us,
  .realtime_us = realtime_us,
  .wake_at_us = wake_at_us,
};

void
lk_clock_os_init (LkClockOs *self, LkLoop *loop, void (*woken) (gpointer user), gpointer user)
{
  *self = (LkClockOs){ .loop = loop, .timer = { .due = woken, .user = user } };
}

void
lk_clock_os_clear (LkClockOs *self)
{
  lk_loop_set_timer (self->loop, &self->timer, LK_TIME_NEVER);
}

LkPortClock
lk_clock_os_port (LkClockOs *self)
{
  return (LkPortClock){ &clock_ops, self };
}
