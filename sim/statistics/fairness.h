/* sim/statistics/fairness.h — how evenly users and accounts are served: Gini and Jain.
 *
 * What is shared out is the mean bounded slowdown of a user's (an account's) jobs, x_1 .. x_n: 1 is
 * a user whose jobs never wait, and every user counts once, however many jobs are theirs.
 *
 *   Jain  (sum x)^2 / (n sum x^2): 1 is even, 1/n is all on one (Jain, Chiu and Hawe, DEC research
 *         report TR-301, 1984)
 *   Gini  the sum over all i, j of |x_i - x_j|, over 2 n sum x: 0 is even, (n-1)/n is all on one
 *         (Gini 1912; in this form Sen, "On economic inequality", 1973)
 *
 * Over all jobs of a run, whatever its window, as waits by account (sim/account_waits.h). Sums are
 * integers, so that nothing depends on the order of the jobs. */
#ifndef LK_SIM_STATISTICS_FAIRNESS_H
#define LK_SIM_STATISTICS_FAIRNESS_H

#include <glib.h>

/* Of values >= 0. NaN when there are none, or all are 0. */
double lk_jain (const double *values, gsize count);
/* Sorts the values. */
double lk_gini (double *values, gsize count);

/* NaN where no job tells its user, or its account. */
typedef struct {
  double users_gini;
  double users_jain;
  double accounts_gini;
  double accounts_jain;
} LkFairnessIndices;

typedef struct _LkFairness LkFairness;

LkFairness *lk_fairness_new (void);
void lk_fairness_free (LkFairness *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkFairness, lk_fairness_free)

/* `user` below 1: unknown; `account` NULL or "": none. Times >= 0. */
void lk_fairness_add (LkFairness *self, gint64 user, const char *account, gint64 wait_us,
                      gint64 run_us);
void lk_fairness_indices (const LkFairness *self, LkFairnessIndices *out_indices);

#endif
