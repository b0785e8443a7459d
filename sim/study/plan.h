/* sim/study/plan.h — a plan: which simulations a study consists of.
 *
 * A page of YAML (docs/sweep.md describes it) with logs, windows of time, policies, parameters to
 * vary, load levels and seeds.  Everything that is set has the name that it has as an option of
 * `lockstep sim`, and what a run consists of is a command line of that verb: nothing is possible in
 * a plan that the verb cannot do, and a run can be repeated by hand.
 *
 * Three ways to use it:
 *   all runs of the plan           lk_study_plan_read, lk_study_runs_new, then for each run
 *                                  lk_study_runner_run (sim/study/run.h)
 *   runs of one's own choosing     lk_study_plan_read, then for each an LkStudyChoice with texts
 *                                  for what is varied, lk_study_arguments, lk_study_runner_run
 *   more keys at the top           LkStudyReader: called for those that a plan does not know
 *
 * Errors are LK_SIM_ERROR_USAGE and begin with FILE:LINE:COLUMN. */
#ifndef LK_SIM_STUDY_PLAN_H
#define LK_SIM_STUDY_PLAN_H

#include <glib.h>

#include "traces/yaml_cursor.h"

#define LK_STUDY_PLAN_MAX_BYTES (1u << 20)
#define LK_STUDY_RUNS_MAX 1000000u
#define LK_STUDY_NAME_MAX_BYTES 63u

/* A setting: an option of `lockstep sim` without its dashes, or SEAM.PARAMETER, which is one
 * parameter of the policy that stands at order, backfill, select, limits or preempt. */
typedef struct {
  char *name;
  char *value;
  LkYamlPlace place;
} LkStudySetting;

/* A log with settings of its own, or a policy with its settings. */
typedef struct {
  char *name;          /* unique among its like */
  GPtrArray *settings; /* of LkStudySetting */
  GPtrArray *points;   /* of a policy: parameters of its own; NULL: those of the plan */
  LkYamlPlace place;
} LkStudyGroup;

/* A piece of each log. */
typedef struct {
  char *name;
  char *role;       /* free text, such as "training"; NULL: none */
  char *time;       /* as --time; NULL: weeks */
  guint week_first; /* from 1, counted from the first submit of the log; 0: all of the log */
  guint week_last;  /* included */
} LkStudyWindow;

typedef enum {
  LK_STUDY_GRID,   /* all combinations */
  LK_STUDY_RANDOM, /* each drawn for itself */
  LK_STUDY_LATIN,  /* latin hypercube: each of the pieces of each range is drawn from once */
  LK_STUDY_LIST,   /* the points are given */
} LkStudyHow;

/* One setting that is varied. */
typedef struct {
  char *name;
  GPtrArray *values; /* of text; NULL: a range */
  double from;       /* of a range, both ends included */
  double to;
  double step;         /* of a grid; 0: none */
  gboolean is_log;     /* drawn evenly in its logarithm */
  gboolean is_integer; /* both ends are written as whole numbers */
  LkYamlPlace place;
} LkStudyParameter;

typedef struct {
  char *path;
  GPtrArray *settings; /* of LkStudySetting, of every run */
  GPtrArray *traces;   /* of LkStudyGroup, at least one */
  GPtrArray *windows;  /* of LkStudyWindow, at least one: by default the whole log, named "all" */
  GPtrArray *policies; /* of LkStudyGroup, at least one: by default one named "default" */
  LkStudyHow how;
  guint sample_count; /* of LK_STUDY_RANDOM and _LATIN */
  guint64 point_seed;
  GPtrArray *parameters; /* of LkStudyParameter, may be empty; without those of single policies */
  GPtrArray *points;     /* of GPtrArray of LkStudySetting: what follows from them, at least one */
  GPtrArray *loads;      /* of text, as --scale-load; empty: as the settings say; so is the next */
  GPtrArray *seeds;      /* of text, as --seed */
} LkStudyPlan;

/* Reads the value of a key that the plan does not know: finds the cursor on the first event of the
 * value and leaves it on the last. */
typedef struct {
  const char *const *keys; /* ends with NULL */
  gboolean (*read) (gpointer user, const char *key, LkYamlCursor *cursor, GError **error);
  gpointer user;
} LkStudyReader;

/* Also checks names and numbers of all parameters. `reader` may be NULL. Returns: (transfer full).
 */
LkStudyPlan *lk_study_plan_read (const char *path, const LkStudyReader *reader, GError **error);
LkStudyPlan *lk_study_plan_read_bytes (const char *path, const guint8 *bytes, gsize length_bytes,
                                       const LkStudyReader *reader, GError **error);
void lk_study_plan_free (LkStudyPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkStudyPlan, lk_study_plan_free)

/* Window, group ... by name; NULL with an error that suggests the nearest. (transfer none). */
const LkStudyWindow *lk_study_plan_window (const LkStudyPlan *self, const char *name,
                                           GError **error);

/* One run that is wanted: a row of the plan's lists. */
typedef struct {
  const LkStudyGroup *trace;
  const LkStudyWindow *window;
  const LkStudyGroup *policy;
  const GPtrArray *point; /* of LkStudySetting; NULL: nothing is varied */
  const char *load;       /* NULL: as the settings say; so is the next one */
  const char *seed;
  gint64 first_submit_us; /* of the log: read only where the window is in weeks */
} LkStudyChoice;

/* The command line of `lockstep sim` for it, from "sim" on; NULL-terminated, (transfer full). Fails
 * where a parameter is one of a policy that is not there. */
char **lk_study_arguments (const LkStudyPlan *self, const LkStudyChoice *choice, GError **error);
/* Puts FILE:LINE:COLUMN before an error of a run of this choice that names an option, or else the
 * names of log, window and policy. */
void lk_study_prefix_place (const LkStudyPlan *self, const LkStudyChoice *choice, GError **error);

/* The text that a point of a range is written as, for LkStudySetting.value: `unit` in [0, 1].
 * Returns: (transfer full). */
char *lk_study_parameter_text (const LkStudyParameter *self, double unit);

LkStudySetting *lk_study_setting_new (const char *name, const char *value, LkYamlPlace place);
void lk_study_setting_free (LkStudySetting *self);

#endif
