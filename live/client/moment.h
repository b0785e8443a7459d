/* live/client/moment.h — moments as people write them to Slurm's commands, by the clock and the
 * calendar of where they are.
 *
 *   now[+N[seconds|minutes|hours|days|weeks]], today, tomorrow, midnight, noon, elevenses, fika,
 *   teatime; HH:MM[:SS] [AM|PM]; MMDD[YY], MM/DD[/YY], MM.DD[.YY], YYYY-MM-DD, each with a time of
 *   day behind a blank, a T or a dash; utsSECONDS
 *
 * A time of day that is over is that of tomorrow, and a date without a year that is over is that of
 * next year, where that is asked for (`is_ahead`).
 *
 * Source: sbatch(1), --begin; src/common/parse_time.c. */
#ifndef LK_LIVE_CLIENT_MOMENT_H
#define LK_LIVE_CLIENT_MOMENT_H

#include <glib.h>

/* us since 1970. FALSE: it is no moment; then `out_us` is untouched. */
gboolean lk_client_moment_parse (const char *text, gint64 now_us, gboolean is_ahead,
                                 gint64 *out_us);

#endif
