/* live/port/port_clock_sim.c — see the header. */
#include "live/port/port_clock_sim.h"

#include "engine/checked.h"

struct _LkClockSim {
  LkWorld *world;
  void (*woken) (gpointer user);
  gpointer user;
  gint64 boot_us; /* of the world, when the monotonic clock began */
  gint64 set_us;  /* of the world, when realtime was set */
  gint64 realtime_us;
  gint64 drift_ppm;
  gint64 lag_max_us;
  gint64 wake_us; /* of the world; LK_TIME_NEVER: none */
  gint64 call_us; /* earliest call that was asked of the world */
};

static void
come (gpointer user, gpointer data)
{
  LkClockSim *self = user;
  gint64 now_us = lk_world_now_us (self->world);
  (void)data;
  if (self->call_us <= now_us)
    self->call_us = LK_TIME_NEVER;
  if (self->wake_us <= now_us) {
    self->wake_us = LK_TIME_NEVER;
    self->woken (self->user);
  } else if (self->wake_us < self->call_us) {
    self->call_us = self->wake_us;
    lk_world_at (self->world, self->call_us, come, self, NULL, NULL);
  }
}

static gint64
monotonic_us (void *user)
{
  const LkClockSim *self = user;
  return lk_world_now_us (self->world) - self->boot_us;
}

static gint64
realtime_us (void *user)
{
  return lk_clock_sim_realtime_us (user);
}

/* A call of the world is kept until its moment, though an earlier one or none may be wanted: a
 * heartbeat that is put off again and again must not fill the world with calls. */
static void
wake_at_us (void *user, gint64 at_us)
{
  LkClockSim *self = user;
  self->wake_us = LK_TIME_NEVER;
  if (at_us == LK_TIME_NEVER)
    return;
  at_us = MAX (lk_time_add_us (at_us, self->boot_us), lk_world_now_us (self->world));
  self->wake_us = lk_time_add_us (at_us, lk_world_between_us (self->world, 0, self->lag_max_us));
  if (self->wake_us >= self->call_us)
    return;
  self->call_us = self->wake_us;
  lk_world_at (self->world, self->call_us, come, self, NULL, NULL);
}

static const LkPortClockOps clock_ops = {
  .size = sizeof (LkPortClockOps),
  .monotonic_us = monotonic_us,
  .realtime_us = realtime_us,
  .wake_at_us = wake_at_us,
};

LkClockSim *
lk_clock_sim_new (LkWorld *world, void (*woken) (gpointer user), gpointer user)
{
  LkClockSim *self = g_new0 (LkClockSim, 1);
  self->world = world;
  self->woken = woken;
  self->user = user;
  self->call_us = self->wake_us = LK_TIME_NEVER;
  return self;
}

void
lk_clock_sim_free (LkClockSim *self)
{
  g_free (self);
}

LkPortClock
lk_clock_sim_port (LkClockSim *self)
{
  return (LkPortClock){ &clock_ops, self };
}

gint64
lk_clock_sim_realtime_us (const LkClockSim *self)
{
  gint64 since_us = lk_world_now_us (self->world) - self->set_us;
  gint64 gain_us = since_us / G_USEC_PER_SEC * self->drift_ppm
                   + since_us % G_USEC_PER_SEC * self->drift_ppm / G_USEC_PER_SEC;
  return self->realtime_us + since_us + gain_us;
}

void
lk_clock_sim_set (LkClockSim *self, gint64 realtime, gint32 drift_ppm)
{
  self->set_us = lk_world_now_us (self->world);
  self->realtime_us = realtime;
  self->drift_ppm = drift_ppm;
}

void
lk_clock_sim_set_lag (LkClockSim *self, gint64 lag_max_us)
{
  self->lag_max_us = lag_max_us;
}

void
lk_clock_sim_stop (LkClockSim *self)
{
  self->wake_us = LK_TIME_NEVER;
}

void
lk_clock_sim_boot (LkClockSim *self)
{
  lk_clock_sim_stop (self);
  self->boot_us = lk_world_now_us (self->world);
}
