/* sim/estimates.h — where the time limits of a run come from: the log, the run times, or a model
 * of what users ask for.
 *
 *   trace     what the log says
 *   exact     the run time itself: a user who knows
 *   factor:F  run * U(1, F + 1), the f-model (Mu'alem & Feitelson 2001), rounded up to whole
 *             seconds; F >= 0
 *   tsafrir   one of twenty round values, after Tsafrir, Etsion & Feitelson, "Modeling user
 *             runtime estimates", JSSPP 2005: few values make up nearly all requests, the longest
 *             is the most popular, and none is below the run time.  The paper fits the sizes of
 *             these modes from logs; here their weights are fixed (traces/user_estimate.c), and a
 *             job draws among the values that are not below its run time.  A job longer than the
 *             longest value asks for its run time rounded up to a multiple of twelve hours.
 *
 * The models draw once for each job, from a stream of their own (traces/random.h): the same seed
 * and the same sequence of jobs give the same estimates whatever the policy. */
#ifndef LK_SIM_ESTIMATES_H
#define LK_SIM_ESTIMATES_H

#include <glib.h>

typedef struct _LkEstimates LkEstimates;

/* LK_SIM_ERROR_USAGE when `text` is none of the above. `out_estimates` is (transfer full). */
gboolean lk_estimates_parse (const char *text, guint64 seed, LkEstimates **out_estimates,
                             GError **error);
void lk_estimates_free (LkEstimates *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkEstimates, lk_estimates_free)

/* The estimate of the next job, whose run time is >= 0 and whose estimate in the log is
 * `estimate_us`. Call once for each job, in the order of the log. */
gint64 lk_estimates_apply (LkEstimates *self, gint64 run_us, gint64 estimate_us);

#endif
