/* live/port/port_clock_sim.h — the clock of a simulated machine.
 *
 * The monotonic clock goes as the world does, from when the machine has booted.  The realtime clock
 * may be set, which is a jump, and may go too fast or too slow.  A wake-up may come late. */
#ifndef LK_LIVE_PORT_CLOCK_SIM_H
#define LK_LIVE_PORT_CLOCK_SIM_H

#include "live/core/port_clock.h"
#include "live/port/world_sim.h"

typedef struct _LkClockSim LkClockSim;

/* `world` outlives it. Until it is set, realtime is the world's time. */
LkClockSim *lk_clock_sim_new (LkWorld *world, void (*woken) (gpointer user), gpointer user);
/* Once the world makes no calls any more. */
void lk_clock_sim_free (LkClockSim *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkClockSim, lk_clock_sim_free)

LkPortClock lk_clock_sim_port (LkClockSim *self);
gint64 lk_clock_sim_realtime_us (const LkClockSim *self);

/* From now on realtime is this, and gains so many microseconds a second (less than 0: loses). */
void lk_clock_sim_set (LkClockSim *self, gint64 realtime_us, gint32 drift_ppm);
/* Wake-ups come up to so much late; 0: never. */
void lk_clock_sim_set_lag (LkClockSim *self, gint64 lag_max_us);
/* The process that asked for a wake-up is no more. */
void lk_clock_sim_stop (LkClockSim *self);
/* The machine boots: stop, and the monotonic clock begins again. */
void lk_clock_sim_boot (LkClockSim *self);

#endif
