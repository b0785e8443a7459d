/* traces/lublin.h — the workload model of Lublin & Feitelson, "The workload on parallel
 * supercomputers: modeling the characteristics of rigid jobs", JPDC 63(11), 2003, for jobs without
 * types.
 *
 * Sizes are serial, powers of two or two-stage uniform in log2; run times are hyper-gamma in their
 * natural logarithm, with a mixture that depends on the size; arrivals are gamma in the logarithm
 * of the gap, spread over a daily cycle of 48 half-hour buckets.  The constants are the authors'
 * own.  Random numbers come from GSL's mt19937, so the jobs equal the authors' program in
 * distribution only.
 *
 * Not here: estimates (traces/user_estimate.h) and users, which the model does not have. */
#ifndef LK_TRACES_LUBLIN_H
#define LK_TRACES_LUBLIN_H

#include <glib.h>

#define LK_LUBLIN_BUCKET_COUNT 48u

typedef struct {
  gint64 submit_s;
  gint64 run_s; /* >= 1 */
  guint32 procs;
} LkLublinJob;

typedef struct _LkLublin LkLublin;

/* `procs` >= 2 is the machine: jobs are at most as large. Returns: (transfer full). */
LkLublin *lk_lublin_new (guint32 procs, guint64 seed);
void lk_lublin_free (LkLublin *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkLublin, lk_lublin_free)

/* The next job; submit times do not fall. */
void lk_lublin_next (LkLublin *self, LkLublinJob *out_job);

/* Another draw from [0, 1), from a stream of its own: the jobs do not depend on it. */
double lk_lublin_uniform (LkLublin *self);

/* Relative arrival rate of the half-hour that starts at bucket / 2 o'clock; the mean of all is 1.
   */
double lk_lublin_bucket_weight (const LkLublin *self, guint bucket);

#endif
