/* sim/whatif/calibration.h — how much wider an interval of start times must be than it is drawn, so
 * that it holds as often as it says.
 *
 * Waits differ by orders of magnitude, so an interval is widened around its median in x = log (1 +
 * wait / 60 s): each half of it, which is at least 0.05 long, becomes `scale` times as long.  The
 * file that lockstep calibrate writes is JSON (docs/calibrate.md). */
#ifndef LK_SIM_WHATIF_CALIBRATION_H
#define LK_SIM_WHATIF_CALIBRATION_H

#include <glib.h>

#include "sim/whatif/effect.h"

/* Of seconds from now; scale 1 leaves it as it is. */
LkInterval lk_calibration_widen (const LkInterval *interval, double scale);
/* The least scale with which the interval holds this start. */
double lk_calibration_needed (const LkInterval *interval, double start_s);

/* `path` NULL: 1. */
gboolean lk_calibration_read (const char *path, double *out_scale, GError **error);

#endif
