/* sim/page/page_clock.h — the time axis of a page: dates in a time zone, or time since the
 * beginning; and round numbers on axes.
 *
 * Times of the page are microseconds since 1970 where all runs have dates that lie near each other;
 * else since each run's first submission, so that runs of different logs can be seen side by
 * side. */
#ifndef LK_SIM_PAGE_CLOCK_H
#define LK_SIM_PAGE_CLOCK_H

#include <glib.h>

typedef struct {
  GTimeZone *zone; /* owned; NULL: times are since the beginning */
  char *zone_name; /* owned; as it was asked for */
  gint64 begin_us; /* of all runs */
  gint64 end_us;   /* above begin_us */
} LkPageClock;

/* A zone of the tz database, "UTC", or "local". Fails when there is none of this name. */
gboolean lk_page_clock_set_zone (LkPageClock *self, const char *name, GError **error);
void lk_page_clock_clear (LkPageClock *self);

/* "1996-09-24 07:14:03", or "day 3, 07:14:03". Returns: (transfer full). */
char *lk_page_clock_moment (const LkPageClock *self, gint64 time_us);
/* What stands below a time axis. Returns: (transfer full). */
char *lk_page_clock_title (const LkPageClock *self);

/* A mark on an axis. */
typedef struct {
  double at;
  char text[24];
} LkPageTick;

/* Round times within [begin_us, end_us], at most `count_max` (>= 2) of them. Returns: (transfer
 * full) of LkPageTick, `at` in microseconds. */
GArray *lk_page_clock_ticks (const LkPageClock *self, gint64 begin_us, gint64 end_us,
                             guint count_max);
/* 0 and round numbers up to the first at or above `most` (> 0), the last one. Returns: (transfer
 * full). */
GArray *lk_page_value_ticks (double most, guint count_max);
/* Of waits, where length goes by lk_page_wait_place. */
GArray *lk_page_wait_ticks (gint64 most_us);
/* Where a wait lies on such an axis: log (1 + seconds). */
double lk_page_wait_place (gint64 wait_us);

/* Changes of the zone's offset from UTC within the page's time: pairs of a time and the offset from
 * it on, in seconds; the first is at the beginning. Returns: (transfer full) of gint64. */
GArray *lk_page_clock_offsets (const LkPageClock *self);

/* Digits that do not depend on the locale: at most `decimals` behind the point, without zeros at
 * the end. */
#define LK_PAGE_NUMBER_BYTES 40u
void lk_page_number (double value, int decimals, char out_text[LK_PAGE_NUMBER_BYTES]);

#endif
