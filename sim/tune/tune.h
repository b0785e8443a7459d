/* sim/tune/tune.h — looks for better settings, and believes only what held-out weeks show.
 *
 * 1. The search runs settings in the training windows, `evaluations` different ones.
 * 2. Those of the Pareto front (at most LK_TUNE_FRONT_MAX, the ones farthest apart) are run in the
 *    held-out windows, which the search has not seen, and so are the present settings.
 * 3. A setting claims what is better in training beyond doubt: its interval there excludes 0.  It
 *    holds when it claims something, each claim is shown by the held-out weeks too, no objective is
 *    shown to be worse there, and all constraints hold there.  As several settings are tried on the
 *    held-out weeks, the level of their intervals is raised so that all of them together are right
 *    as often as one was to be (Bonferroni).
 * 4. Recommended is, of those that hold, the one that gains most in training.  Else nothing is. */
#ifndef LK_SIM_TUNE_TUNE_H
#define LK_SIM_TUNE_TUNE_H

#include "sim/tune/bench.h"

#define LK_TUNE_FRONT_MAX 12u
#define LK_TUNE_REPLICATES 4000u

/* A setting that was run in the training windows. */
typedef struct {
  GPtrArray *point; /* of LkStudySetting; NULL: the present settings */
  LkSearchPoint at;
  char *key; /* all texts, to know it again */
  LkScore score;
  double *values; /* of objectives, then constraints */
} LkTunePoint;

typedef enum {
  LK_TUNE_HOLDS,
  LK_TUNE_CLAIMS_NOTHING, /* nothing is shown to be better in training */
  LK_TUNE_NOT_SHOWN,      /* a claim is not shown by the held-out weeks */
  LK_TUNE_WORSE,          /* an objective is shown to be worse there */
  LK_TUNE_CONSTRAINT,     /* a constraint does not hold there */
} LkTuneVerdict;

/* One of the front. */
typedef struct {
  guint index;                /* in the points */
  LkTuneDifference *training; /* by objective */
  LkTuneDifference *held_out;
  double *held_out_values; /* of objectives, then constraints */
  LkTuneVerdict verdict;
  guint reason; /* the objective or constraint that decided, unless it holds or claims nothing */
  double gain;  /* sum over the objectives of what is gained in training, in parts of the present */
} LkTuneCandidate;

typedef struct {
  const LkStudyPlan *plan; /* borrowed, and so are the next two */
  const LkTuneGoals *goals;
  LkTuneBench *bench;
  GPtrArray *points; /* of LkTunePoint; the first one is the present settings */
  double *present_held_out;
  GArray *front;     /* of LkTuneCandidate, by their first objective in training */
  guint front_count; /* with those that are not in `front` */
  double held_out_level_ratio;
  gint recommended; /* in `front`; -1: nothing */
} LkTune;

/* Told behind each piece of work: what was run so far, of how much at most. */
typedef void (*LkTuneTold) (gpointer user, guint run_count, guint run_max);

/* The whole of it. `told` may be NULL. Returns: (transfer full). */
LkTune *lk_tune_run (const LkStudyPlan *plan, const LkTuneGoals *goals, LkTuneBench *bench,
                     LkTuneTold told, gpointer user, GError **error);
void lk_tune_free (LkTune *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkTune, lk_tune_free)

/* ---------------------------------------------------------------- showing it */

/* For people. */
void lk_tune_print (const LkTune *self, GString *out);
/* One object. */
void lk_tune_json (const LkTune *self, GString *out);
/* Every point that was run in training: a line each. */
void lk_tune_points_csv (const LkTune *self, GString *out);
/* The front: a line for each of its settings and objectives. */
void lk_tune_front_csv (const LkTune *self, GString *out);

/* "order.weight_age=1000 lead=1d"; "present" without a point. Returns: (transfer full). */
char *lk_tune_point_text (const GPtrArray *point);
const LkTuneGoal *lk_tune_goal (const LkTune *self, guint index);
/* What a constraint has to reach, from the present settings' values. */
double lk_tune_bound (const LkTuneGoal *goal, double present);

#endif
