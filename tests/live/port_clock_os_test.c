/* tests/live/port_clock_os_test.c — the real clock wakes once, in the loop, and not too early. */
#include "engine/checked.h"
#include "live/port/port_clock_os.h"

typedef struct {
  LkLoop *loop;
  LkClockOs clock;
  LkPortClock port;
  guint woken_count;
} Clock;

static void
woken (gpointer user)
{
  ((Clock *)user)->woken_count++;
}

static void
test_clock (void)
{
  Clock self = { .loop = lk_loop_new (NULL) };
  g_assert_nonnull (self.loop);
  lk_clock_os_init (&self.clock, self.loop, woken, &self);
  self.port = lk_clock_os_port (&self.clock);
  gint64 begin_us = self.port.ops->monotonic_us (self.port.self);
  gint64 before_us = g_get_real_time ();
  gint64 realtime_us = self.port.ops->realtime_us (self.port.self);
  g_assert_cmpint (realtime_us, >=, before_us);
  g_assert_cmpint (realtime_us, <=, g_get_real_time ());
  self.port.ops->wake_at_us (self.port.self, begin_us - 1);
  g_assert_cmpuint (self.woken_count, ==, 0); /* never within the call */
  lk_loop_turn (self.loop, 0);
  g_assert_cmpuint (self.woken_count, ==, 1);
  self.port.ops->wake_at_us (self.port.self, begin_us + (gint64)3600 * G_USEC_PER_SEC);
  self.port.ops->wake_at_us (self.port.self, begin_us + 20000);
  while (self.woken_count == 1)
    lk_loop_turn (self.loop, LK_TIME_NEVER);
  g_assert_cmpint (self.port.ops->monotonic_us (self.port.self), >=, begin_us + 20000);
  lk_loop_turn (self.loop, 0);
  g_assert_cmpuint (self.woken_count, ==, 2); /* once */
  self.port.ops->wake_at_us (self.port.self, begin_us);
  self.port.ops->wake_at_us (self.port.self, LK_TIME_NEVER);
  lk_loop_turn (self.loop, 0);
  self.port.ops->wake_at_us (self.port.self, begin_us);
  lk_clock_os_clear (&self.clock);
  lk_loop_turn (self.loop, 0);
  g_assert_cmpuint (self.woken_count, ==, 2);
  lk_loop_free (self.loop);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/clock/os wakes once at the moment that was asked for last", test_clock);
  return g_test_run ();
}
