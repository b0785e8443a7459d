/* sim/study/plan_private.h — what the files of a plan share. See plan.h. */
#ifndef LK_SIM_STUDY_PLAN_PRIVATE_H
#define LK_SIM_STUDY_PLAN_PRIVATE_H

#include "sim/study/plan.h"

/* Values of all points of a plan. */
#define LK_STUDY_VALUES_MAX 4000000u

/* With empty lists. */
LkStudyPlan *lk_study_plan_new (const char *path);
/* Puts defaults where the page said nothing. */
void lk_study_plan_complete (LkStudyPlan *self);

GPtrArray *lk_study_settings_new (void);
LkStudyGroup *lk_study_group_new (LkYamlPlace place);
void lk_study_window_free (gpointer window);
void lk_study_parameter_free (gpointer parameter);

/* Why a plan may not set this; NULL: it may. Whether there is such an option the verb knows.
 * Returns: (transfer full). */
char *lk_study_setting_problem (const char *name);
/* Adds to what was given before instead of taking its place. */
gboolean lk_study_setting_repeats (const char *name);

typedef struct {
  LkStudyHow how; /* not LK_STUDY_LIST */
  guint sample_count;
  guint64 seed;
  const GPtrArray *parameters;
  guint64 values_max; /* of all points together */
} LkStudySampling;

/* The points, of GPtrArray of LkStudySetting. NULL with a problem (transfer full) when there are
 * too many, or a range of a grid has no step. Returns: (transfer full). */
GPtrArray *lk_study_points_new (const LkStudySampling *sampling, char **out_problem);

#endif
