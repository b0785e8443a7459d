/* sim/whatif/measure.h — how often start times that are foretold hold, on the past of a journal.
 *
 * Jobs that waited are asked about at the moment of their submit, as lockstep plan would: with what
 * was known then, which is what the journal has up to that event and no more.  What was foretold is
 * held against when the job started.
 *
 * The journal is cut into blocks of moments that follow each other; those with even numbers are one
 * part, those with odd numbers the other.  A scale (sim/whatif/calibration.h) that is fitted on one
 * part is measured on the other. */
#ifndef LK_SIM_WHATIF_MEASURE_H
#define LK_SIM_WHATIF_MEASURE_H

#include <glib.h>

#include "sim/progress.h"
#include "sim/whatif/effect.h"

#define LK_MEASURE_PERCENT 90u

typedef struct {
  LkFutureOptions future;
  guint moment_count; /* at most, of each journal */
  guint future_count; /* of each moment */
  guint block_count;
  guint thread_count;
  LkProgressMode progress;
  char **plugins;
} LkMeasureOptions;

/* A job, and what was foretold of it. */
typedef struct {
  guint32 job_id;
  guint64 seq; /* of its submit */
  gint64 submit_us;
  double wait_s; /* how long it really waited */
  LkInterval told_s;
  guint part; /* 0 or 1 */
} LkMeasured;

/* Appends the moments of a journal to `out` (of LkMeasured). */
gboolean lk_measure_journal (const LkMeasureOptions *options, const char *path, GArray *out,
                             GError **error);

/* Did it hold, with this scale, to the second? */
gboolean lk_measured_holds (const LkMeasured *self, double scale);
/* The least scale with which LK_MEASURE_PERCENT of the moments of a part hold, one more than there
 * are being counted, as for a moment to come; `part` 2: of both. */
double lk_measure_fit (const GArray *moments, guint part);

#endif
