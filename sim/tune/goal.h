/* sim/tune/goal.h — what a plan wants to be better: its key `tune`.
 *
 * Objectives and constraints are measures: of the jobs of a class (of all by default), or of whole
 * runs.  Docs: docs/tune.md. */
#ifndef LK_SIM_TUNE_GOAL_H
#define LK_SIM_TUNE_GOAL_H

#include <glib.h>

#include "sim/results.h"
#include "sim/study/plan.h"
#include "sim/tune/search.h"

#define LK_TUNE_CLASSES_MAX 31u
#define LK_TUNE_CONSTRAINTS_MAX 16u
#define LK_TUNE_BUDGET_MAX 100000u

typedef enum {
  LK_TUNE_NSGA2,
  LK_TUNE_NELDER_MEAD,
  LK_TUNE_ANNEALING,
} LkTuneMethod;

/* How a measure comes about. */
typedef enum {
  LK_MEASURE_OF_RUN, /* a number of the summary, its mean over the windows */
  LK_MEASURE_WAIT_MEAN,
  LK_MEASURE_WAIT_P95,
  LK_MEASURE_WAIT_MAX,
  LK_MEASURE_SLOWDOWN_MEAN,
  LK_MEASURE_SLOWDOWN_P95,
} LkMeasureKind;

typedef struct {
  const char *name; /* as in summary.json */
  LkMeasureKind kind;
  gboolean is_high_better;
} LkMeasure;

/* Jobs that are looked at by themselves. What is not asked for is NULL, or the whole range. */
typedef struct {
  char *name;
  gint64 procs_first;
  gint64 procs_last;
  gint64 run_begin_us; /* of the run time in the log, the end excluded */
  gint64 run_end_us;
  char *account;
  char *qos;
  gint64 user; /* -1: any; so is the next one */
  gint64 partition;
} LkTuneClass;

typedef enum {
  LK_BOUND_NONE, /* an objective */
  LK_BOUND_AT_LEAST,
  LK_BOUND_AT_MOST,
  LK_BOUND_AT_MOST_PRESENT,  /* times what the present settings have */
  LK_BOUND_AT_LEAST_PRESENT, /* likewise */
} LkBoundKind;

/* An objective, or a constraint. */
typedef struct {
  const LkMeasure *measure;
  char *label;      /* "p95_wait_s of small" */
  char *class_name; /* NULL: all jobs */
  guint job_class;  /* in `classes`, when there is a name */
  LkBoundKind bound;
  double limit;
  LkYamlPlace place;
} LkTuneGoal;

typedef struct {
  LkTuneMethod method;
  guint evaluations;
  guint population;
  guint64 seed;
  double level_ratio;
  gint64 block_us;        /* 0: as `lockstep compare` chooses it */
  GPtrArray *classes;     /* of LkTuneClass */
  GPtrArray *objectives;  /* of LkTuneGoal, at least one */
  GPtrArray *constraints; /* of LkTuneGoal */
} LkTuneGoals;

LkTuneGoals *lk_tune_goals_new (void);
void lk_tune_goals_free (LkTuneGoals *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkTuneGoals, lk_tune_goals_free)

/* Reads a plan and its key `tune`; fills `self`. Checks what only a plan to tune needs: one policy,
 * something to vary, windows for training and held-out ones. Errors begin with FILE:LINE:COLUMN.
 * Returns: (transfer full). */
LkStudyPlan *lk_tune_plan_read (const char *path, LkTuneGoals *self, GError **error);
/* The same of bytes under a name. */
LkStudyPlan *lk_tune_plan_read_bytes (const char *path, const guint8 *bytes, gsize length_bytes,
                                      LkTuneGoals *self, GError **error);

const char *lk_tune_method_name (LkTuneMethod method);
/* Is this a window to search in (else it is held out)? */
gboolean lk_tune_window_is_training (const LkStudyWindow *window);
/* Bit 0: every job; bit n: the class n - 1. */
guint32 lk_tune_classes_of (const LkTuneGoals *self, const LkJobRecord *record);

#endif
