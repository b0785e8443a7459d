/* engine/checked.h — integer arithmetic on time and counts that cannot wrap.
 *
 * Times saturate at LK_TIME_NEVER, which is also what "no end" plus anything is. */
#ifndef LK_ENGINE_CHECKED_H
#define LK_ENGINE_CHECKED_H

#include <glib.h>

#include "engine/assert.h"
#include "engine/policy.h"

/* A moment plus a duration >= 0; LK_TIME_NEVER when it would pass it. */
static inline gint64
lk_time_add_us (gint64 time_us, gint64 duration_us)
{
  gint64 sum_us;
  if (__builtin_add_overflow (time_us, duration_us, &sum_us))
    return LK_TIME_NEVER;
  return sum_us;
}

/* From one moment to another; LK_TIME_NEVER to the moment that never comes, and where the duration
 * is longer than fits. */
static inline gint64
lk_time_since_us (gint64 later_us, gint64 earlier_us)
{
  gint64 duration_us;
  if (later_us == LK_TIME_NEVER)
    return LK_TIME_NEVER;
  if (__builtin_sub_overflow (later_us, earlier_us, &duration_us))
    return later_us > earlier_us ? LK_TIME_NEVER : G_MININT64;
  return duration_us;
}

static inline guint32
lk_units_subtract (guint32 from, guint32 units)
{
  LK_ASSERT (units <= from);
  return from - units;
}

#endif
