/* traces/user_estimate.h — the time limit that a user asks for, as a function of the run time and
 * one random number.
 *
 * In the spirit of Tsafrir, Etsion & Feitelson, "Modeling user runtime estimates", JSSPP 2005:
 * twenty round values make up all requests, the longest is the most popular, and none is below the
 * run time.  The values are 5, 10, 15, 20, 30, 45 minutes and 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18,
 * 20, 24, 36 hours; their weights are in user_estimate.c.  The draw is among the values that are
 * not below the run time, by weight.  Above 36 hours: the run time rounded up to a multiple of
 * twelve hours. */
#ifndef LK_TRACES_USER_ESTIMATE_H
#define LK_TRACES_USER_ESTIMATE_H

#include <glib.h>

/* `uniform` in [0, 1), `run_us` > 0. Never below `run_us`, except that it saturates near the
 * largest time. */
gint64 lk_user_estimate_us (double uniform, gint64 run_us);

/* The values and their weights, in rising order of value; the weights add up to 1000. */
typedef struct {
  gint64 value_s;
  guint weight;
} LkUserEstimateMode;
const LkUserEstimateMode *lk_user_estimate_modes (guint *out_count);

#endif
