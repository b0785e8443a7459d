/* sim/arguments.h — values on a command line: numbers, durations with units, ranges.
 *
 * Each function names the option in its error, which is LK_SIM_ERROR_USAGE.  Outputs are untouched
 * on failure.  Numbers do not depend on the locale. */
#ifndef LK_SIM_ARGUMENTS_H
#define LK_SIM_ARGUMENTS_H

#include <glib.h>

/* A whole number in [minimum, maximum]. */
gboolean lk_argument_number (const char *option, const char *text, gint64 minimum, gint64 maximum,
                             gint64 *out_number, GError **error);

/* A real number > 0. */
gboolean lk_argument_ratio (const char *option, const char *text, double *out_ratio,
                            GError **error);

/* The same from `min` to `max`, both included. */
gboolean lk_argument_ratio_range (const char *option, const char *text, double min, double max,
                                  double *out_ratio, GError **error);

/* Seconds, or a number with a unit: 90, 1.5h, 30m, 7d, 2w, 45s. At least 0; exact to the
 * microsecond. */
gboolean lk_argument_duration_us (const char *option, const char *text, gint64 *out_duration_us,
                                  GError **error);

/* A:B with whole numbers >= 0, both included; A: has no end, :B no beginning, A alone is A:A. An
 * open end is G_MAXINT64, an open beginning 0. */
gboolean lk_argument_range (const char *option, const char *text, gint64 *out_first,
                            gint64 *out_last, GError **error);

/* A:B with durations, the end excluded; A: and :B as above. An open end is G_MAXINT64, an open
 * beginning G_MININT64. */
gboolean lk_argument_duration_range_us (const char *option, const char *text, gint64 *out_begin_us,
                                        gint64 *out_end_us, GError **error);

#endif
