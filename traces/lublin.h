/* traces/lublin.h — the workload model of Lublin & Feitelson, "The workload on parallel
 * supercomputers: modeling the characteristics of rigid jobs", JPDC 63(11), 2003.
 *
 * Sizes are serial, powers of two or two-stage uniform in log2; run times are hyper-gamma in their
 * natural logarithm, with a mixture that depends on the size; arrivals are gamma in the logarithm
 * of the gap, spread over a daily cycle of 48 half-hour buckets.  Jobs have no types, or are batch
 * and interactive ones: then each type has constants and arrivals of its own, and the two streams
 * are merged by time.  The constants are the authors' own.  Random numbers are ours
 * (traces/random.h), so the jobs equal the authors' program in distribution only.
 *
 * The authors' constants of sizes are for 128 processors; for another machine they advise the
 * largest size to be its log2 (UHi) and the middle to be 1.5 to 3.5 below (UMed).  Here all keep
 * the distances that they have for 128: interactive jobs end 1.5 below the machine's log2, the
 * middles are 2.5, 2 and 2.5 below the largest for jobs without types, batch and interactive ones.
 *
 * Not here: estimates (traces/user_estimate.h) and users, which the model does not have. */
#ifndef LK_TRACES_LUBLIN_H
#define LK_TRACES_LUBLIN_H

#include <glib.h>

#define LK_LUBLIN_BUCKET_COUNT 48u

typedef enum { LK_LUBLIN_TYPELESS, LK_LUBLIN_BATCH, LK_LUBLIN_INTERACTIVE } LkLublinType;

typedef struct {
  gint64 submit_s;
  gint64 run_s; /* >= 1 */
  guint32 procs;
  LkLublinType type;
} LkLublinJob;

typedef struct _LkLublin LkLublin;

/* Jobs without types. `procs` >= 2 is the machine: jobs are at most as large. Returns: (transfer
 * full). */
LkLublin *lk_lublin_new (guint32 procs, guint64 seed);
/* Batch and interactive jobs. */
LkLublin *lk_lublin_new_typed (guint32 procs, guint64 seed);
void lk_lublin_free (LkLublin *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkLublin, lk_lublin_free)

/* Stretches the gaps between arrivals (> 0; 1 leaves them), before they are spread over the day:
 * the load changes, the daily cycle and the jobs do not. Before the first job only. */
void lk_lublin_set_gap_scale (LkLublin *self, double gap_scale_ratio);

/* The next job; submit times do not fall. */
void lk_lublin_next (LkLublin *self, LkLublinJob *out_job);

/* Another draw from [0, 1), from a stream of its own: the jobs do not depend on it. */
double lk_lublin_uniform (LkLublin *self);

/* Relative arrival rate, of the first of the types, of the half-hour that starts at bucket / 2
 * o'clock; the mean of all is 1. */
double lk_lublin_bucket_weight (const LkLublin *self, guint bucket);

#endif
