/* sim/whatif/calibration.c — see the header. */
#include "sim/whatif/calibration.h"

#include <math.h>
#include <string.h>

#include "sim/error.h"

#define UNIT_S 60.0
#define HALF_MIN 0.05

static double
to_log (double seconds)
{
  return log1p (fmax (seconds, 0.0) / UNIT_S);
}

static double
from_log (double x)
{
  return expm1 (fmax (x, 0.0)) * UNIT_S;
}

LkInterval
lk_calibration_widen (const LkInterval *interval, double scale)
{
  LkInterval wide = *interval;
  double middle = to_log (interval->middle);
  if (scale == 1.0 || isnan (interval->middle))
    return wide;
  wide.low = from_log (middle - scale * fmax (middle - to_log (interval->low), HALF_MIN));
  wide.high = from_log (middle + scale * fmax (to_log (interval->high) - middle, HALF_MIN));
  return wide;
}

double
lk_calibration_needed (const LkInterval *interval, double start_s)
{
  double middle = to_log (interval->middle);
  double away = to_log (start_s) - middle;
  if (away < 0.0)
    return -away / fmax (middle - to_log (interval->low), HALF_MIN);
  return away / fmax (to_log (interval->high) - middle, HALF_MIN);
}

gboolean
lk_calibration_read (const char *path, double *out_scale, GError **error)
{
  static const char key[] = "\"scale\":";
  g_autofree char *text = NULL;
  *out_scale = 1.0;
  if (path == NULL)
    return TRUE;
  g_autoptr (GError) own = NULL;
  if (!g_file_get_contents (path, &text, NULL, &own)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "--calibration: %s", own->message);
    return FALSE;
  }
  const char *at = strstr (text, key);
  char *end = NULL;
  double scale = at != NULL ? g_ascii_strtod (at + sizeof key - 1, &end) : 0.0;
  if (end == NULL || end == at + sizeof key - 1 || !(scale > 0.0) || scale > 1e6) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT,
                 "--calibration: '%s' has no \"scale\" above 0; expected a file that lockstep "
                 "calibrate --write has made",
                 path);
    return FALSE;
  }
  *out_scale = scale;
  return TRUE;
}
