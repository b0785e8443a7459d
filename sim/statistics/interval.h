/* sim/statistics/interval.h — how sure a difference between two runs of the same jobs is.
 *
 * Two ways, for two kinds of doubt:
 *
 * Block bootstrap: would other weeks of the same kind of load have shown the difference, too?  Jobs
 * are paired, and pairs belong to blocks of time (a day, a week), because waits of jobs that are
 * near in time are not independent.  All blocks from the first to the last are drawn anew, with
 * replacement, as many as there are; the interval holds the middle part of what the drawn sets say
 * (Carlstein, "The use of subseries values for estimating the variance of a general statistic from
 * a stationary sequence", Annals of Statistics 14, 1986; percentile interval: Efron and
 * Tibshirani, "An introduction to the bootstrap", 1993, chapter 13).  Both sides of a pair are
 * drawn together.
 *
 * Shaken input: would the same load, submitted some seconds earlier or later, have shown it?  Both
 * runs are repeated with the same shaken inputs; the interval is Student's, of the mean of the
 * paired differences (Tsafrir and Feitelson, "Instability in parallel job scheduling simulation:
 * the role of workload flurries", IPDPS 2006; Tsafrir, Ouaknine and Feitelson, "Reducing
 * performance evaluation sensitivity and variability by input shaking", MASCOTS 2007).
 *
 * Random numbers are GSL's Mersenne twister with a fixed seed: same input, same interval. */
#ifndef LK_SIM_STATISTICS_INTERVAL_H
#define LK_SIM_STATISTICS_INTERVAL_H

#include <glib.h>

/* With fewer blocks than this in which there are jobs an interval would pretend to know. */
#define LK_INTERVAL_BLOCKS_MIN 8u

/* A job in both runs. */
typedef struct {
  guint32 block; /* of time, from 0 on */
  double first;  /* its value in the first run */
  double here;   /* in the other one */
} LkPair;

/* What is told of the values of a run. */
typedef enum {
  LK_STATISTIC_MEAN,
  LK_STATISTIC_P95, /* nearest rank, as in sim/metrics.h */
} LkStatistic;

typedef struct {
  guint replicate_count; /* drawn sets; >= 1 */
  double level_ratio;    /* of the interval: 0.95; in (0, 1) */
  guint64 seed;
} LkIntervalOptions;

typedef struct {
  double first;      /* the statistic of the first run; NaN without pairs, as the next two */
  double here;       /* of the other one */
  double difference; /* here - first */
  gboolean has_interval;
  double low; /* of the difference; NaN without an interval */
  double high;
  /* Of here / first, as first varies between the drawn sets, too; NaN without an interval, where a
   * drawn set has 0 as its first, and of shaken input. */
  double ratio_low;
  double ratio_high;
  guint block_count; /* blocks in which there are pairs; shaken: pairs of runs */
} LkInterval;

typedef enum {
  LK_VERDICT_SAME,    /* no pair differs */
  LK_VERDICT_TOO_FEW, /* there is no interval */
  LK_VERDICT_NOTHING, /* it holds 0: no difference shown */
  LK_VERDICT_LOWER,   /* this run is below the first one */
  LK_VERDICT_HIGHER,  /* above */
} LkVerdict;

/* By bootstrap over the blocks 0 to `block_count` - 1, those without pairs included. Cost:
 * replicates * blocks, for LK_STATISTIC_P95 and pairs * log (pairs). */
void lk_interval_bootstrap (const LkIntervalOptions *options, LkStatistic statistic,
                            const LkPair *pairs, guint pair_count, guint block_count,
                            LkInterval *out_interval);

/* Of the mean difference of `pair_count` pairs of runs; `block` is not looked at. At least 3 pairs
 * for an interval. */
void lk_interval_student (double level_ratio, const LkPair *pairs, guint pair_count,
                          LkInterval *out_interval);

/* `is_same`: no pair differs at all. */
LkVerdict lk_interval_verdict (const LkInterval *interval, gboolean is_same);

#endif
