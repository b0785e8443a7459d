/* live/port/port_clock_os.h — the real clock: that of the loop for what has to be waited for, and
 * CLOCK_REALTIME for what people read. */
#ifndef LK_LIVE_PORT_CLOCK_OS_H
#define LK_LIVE_PORT_CLOCK_OS_H

#include "live/core/port_clock.h"
#include "live/port/loop.h"

typedef struct {
  LkLoop *loop;
  LkLoopTimer timer;
} LkClockOs;

/* `woken` is called in the loop, never within a call of the port. It stays where it is, as `loop`
 * does, until it is cleared. */
void lk_clock_os_init (LkClockOs *self, LkLoop *loop, void (*woken) (gpointer user), gpointer user);
void lk_clock_os_clear (LkClockOs *self);
LkPortClock lk_clock_os_port (LkClockOs *self);

#endif
