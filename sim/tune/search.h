/* sim/tune/search.h — three ways to look for a good point of the unit cube.
 *
 * What a point is worth is up to the caller; all coordinates are in [0, 1], all objectives are to
 * be low, and a violation above 0 says by how much constraints are missed.  A point is asked for
 * again without a limit (the caller remembers it); the search ends when the caller says that its
 * budget is spent, or when it has asked LK_SEARCH_CALLS_PER_POINT times as often.
 *
 * One seed gives one search, however many threads the caller evaluates with: random numbers are
 * drawn only between evaluations.
 *
 *   lk_search_nelder_mead  one objective; GSL's nmsimplex2 (Nelder and Mead 1965), from the best
 *                          start, then from the next ones
 *   lk_search_annealing    one objective; GSL's siman (Kirkpatrick, Gelatt and Vecchi 1983), from
 *                          the best start
 *   lk_search_nsga2        one or several; NSGA-II with simulated binary crossover and polynomial
 *                          mutation (Deb, Pratap, Agarwal and Meyarivan, IEEE Transactions on
 *                          Evolutionary Computation 6(2), 2002), from all starts */
#ifndef LK_SIM_TUNE_SEARCH_H
#define LK_SIM_TUNE_SEARCH_H

#include <glib.h>

#define LK_SEARCH_DIMENSION_MAX 16u
#define LK_SEARCH_OBJECTIVES_MAX 6u
#define LK_SEARCH_CALLS_PER_POINT 20u

typedef struct {
  double at[LK_SEARCH_DIMENSION_MAX]; /* behind the problem's dimension: 0 */
} LkSearchPoint;

typedef struct {
  double objectives[LK_SEARCH_OBJECTIVES_MAX]; /* finite; lower is better */
  double violation;                            /* 0: all constraints hold */
} LkScore;

typedef struct {
  guint dimension;
  guint objective_count;
  guint budget; /* points that may be evaluated, those of the starts included */
  guint64 seed;
  guint population; /* of NSGA-II; even, >= 4 */
  /* Of `count` points. FALSE: the budget is spent, or something is wrong; scores that could not be
   * had are untouched, and the search ends. */
  gboolean (*evaluate) (gpointer user, const LkSearchPoint *points, guint count,
                        LkScore *out_scores);
  gpointer user;
} LkSearch;

/* `starts` of LkSearchPoint, at least one. */
void lk_search_nelder_mead (const LkSearch *self, const GArray *starts);
void lk_search_annealing (const LkSearch *self, const GArray *starts);
void lk_search_nsga2 (const LkSearch *self, const GArray *starts);

/* ---------------------------------------------------------------- who is better */

/* Deb's constrained domination: less violation, or none and no objective worse and one better. */
gboolean lk_score_dominates (const LkScore *a, const LkScore *b, guint objective_count);

/* The front (from 0 on) that each of the scores is in, and its crowding distance there
 * (G_MAXDOUBLE at the edges). Cost: count^2. */
void lk_score_fronts (const LkScore *scores, guint count, guint objective_count, guint *out_fronts,
                      double *out_crowding);

/* One number for methods of one objective: any point with a violation is behind all without. */
double lk_score_single (const LkScore *score);

#endif
