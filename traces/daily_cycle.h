/* traces/daily_cycle.h — a clock for arrivals that runs fast by day and slow by night.
 *
 * The day has 48 half-hour buckets, each with a weight; the mean of the weights is 1.  Gaps between
 * arrivals are given in seconds of an even day and pass through the buckets at a speed that is the
 * weight, so that the number of arrivals over whole days does not change and equal gaps (or those
 * of a Poisson process) spread over each day as the weights say.
 *
 * Source: the arrival process of Lublin & Feitelson, JPDC 63(11), 2003, whose weights are pieces of
 * a gamma distribution over the hours from five in the morning on. */
#ifndef LK_TRACES_DAILY_CYCLE_H
#define LK_TRACES_DAILY_CYCLE_H

#include <glib.h>

#define LK_DAILY_CYCLE_BUCKET_COUNT 48u

/* The paper's ANUM and BNUM for jobs without types. */
#define LK_DAILY_CYCLE_SHAPE 8.1737
#define LK_DAILY_CYCLE_SCALE 3.9631

typedef struct {
  double weights[LK_DAILY_CYCLE_BUCKET_COUNT];
  guint bucket; /* where the clock is */
  double bucket_begin_s;
  double points; /* of the bucket's weight, used up */
} LkDailyCycle;

/* Weights from a gamma distribution in buckets; the clock at midnight of the first day. */
void lk_daily_cycle_init (LkDailyCycle *self, double shape, double scale);

/* Lets `even_gap_s` >= 0 pass. Returns: the time then, in seconds since the first midnight. */
double lk_daily_cycle_advance (LkDailyCycle *self, double even_gap_s);

#endif
