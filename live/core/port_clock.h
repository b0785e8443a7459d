/* live/core/port_clock.h — where time comes from.  Two implementations: _os and _sim. */
#ifndef LK_LIVE_CORE_PORT_CLOCK_H
#define LK_LIVE_CORE_PORT_CLOCK_H

#include <glib.h>

typedef struct {
  guint32 size;                        /* sizeof this struct, set by the implementer */
  gint64 (*monotonic_us) (void *self); /* never goes back */
  gint64 (*realtime_us) (void *self);  /* since 1970; may jump either way */
  /* The core wants to be woken then (monotonic); a later call replaces the one before.
   * LK_TIME_NEVER: not at all. */
  void (*wake_at_us) (void *self, gint64 at_us);
} LkPortClockOps;

typedef struct {
  const LkPortClockOps *ops;
  void *self;
} LkPortClock;

#endif
