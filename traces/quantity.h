/* traces/quantity.h — sizes, times and counts as people write them: 512GiB, 7-00:00:00, unlimited.
 *
 * Sizes: a number and B, KiB, MiB, GiB, TiB or PiB, or Slurm's single letters K M G T P, which are
 * the same powers of 1024; in either case of letters. A fraction is taken when it comes out at
 * whole bytes: 1.5TiB. A size other than 0 has a unit: without one Slurm would read MiB and
 * everyone else bytes.
 *
 * Times: Slurm's forms, which are minutes, minutes:seconds, hours:minutes:seconds, days-hours,
 * days-hours:minutes and days-hours:minutes:seconds; and a number with s, m, h, d or w (1.5h).
 * Kept to the microsecond: nothing is rounded up to minutes as Slurm does.
 *
 * `unlimited` and `infinite` are LK_TIME_NEVER and LK_COUNT_UNLIMITED.
 *
 * What a format function writes, its parser reads back to the same value. Outputs are untouched on
 * failure. Nothing depends on the locale.  Source: slurm.conf(5), parse_time.c. */
#ifndef LK_TRACES_QUANTITY_H
#define LK_TRACES_QUANTITY_H

#include <glib.h>

/* The ends of error messages: "expected " followed by one of these. */
#define LK_QUANTITY_BYTES_EXPECTED "a size with its unit, such as 512GiB"
#define LK_QUANTITY_TIME_EXPECTED "a time such as 7-00:00:00, 12h, 90 (minutes) or unlimited"
#define LK_QUANTITY_SPAN_EXPECTED "a time with its unit, such as 30s, 5m or 0:30"

/* At least 0. */
gboolean lk_quantity_bytes_parse (const char *text, gint64 *out_bytes);
void lk_quantity_bytes_format (gint64 bytes, GString *out);

/* At least 0. */
gboolean lk_quantity_time_parse (const char *text, gint64 *out_time_us);
/* The same, but a number without a unit is refused unless it is 0: for what Slurm counts in seconds
 * and a reader of the page might take for minutes. */
gboolean lk_quantity_span_parse (const char *text, gint64 *out_span_us);
void lk_quantity_time_format (gint64 time_us, GString *out);

/* A whole number without a sign; `unlimited` with `may_be_unlimited`. */
gboolean lk_quantity_count_parse (const char *text, gboolean may_be_unlimited, guint32 *out_count);
void lk_quantity_count_format (guint32 count, GString *out);

#endif
