/* sim/tune/tune.c — the search and its verdict. See tune.h. */
#include "sim/tune/tune.h"

#include <math.h>
#include <string.h>

#include "engine/assert.h"
#include "sim/error.h"

/* Of a point whose jobs leave an objective without a value. */
#define VIOLATION_NO_VALUE 1e6

typedef struct {
  LkTune *tune;
  GHashTable *known; /* key to place in points + 1; looked up only */
  guint run_count;
  guint run_max;
  LkTuneTold told;
  gpointer user;
  GError *error;
} Work;

/* ---------------------------------------------------------------- parts */

static void
point_free (gpointer data)
{
  LkTunePoint *self = data;
  g_clear_pointer (&self->point, g_ptr_array_unref);
  g_free (self->key);
  g_free (self->values);
  g_free (self);
}

static void
candidate_clear (gpointer data)
{
  LkTuneCandidate *self = data;
  g_free (self->training);
  g_free (self->held_out);
  g_free (self->held_out_values);
}

void
lk_tune_free (LkTune *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->points);
  g_array_unref (self->front);
  g_free (self->present_held_out);
  g_free (self);
}

static guint
goal_count (const LkTune *self)
{
  return self->goals->objectives->len + self->goals->constraints->len;
}

const LkTuneGoal *
lk_tune_goal (const LkTune *self, guint index)
{
  guint objective_count = self->goals->objectives->len;
  return index < objective_count
             ? g_ptr_array_index (self->goals->objectives, index)
             : g_ptr_array_index (self->goals->constraints, index - objective_count);
}

static const LkTunePoint *
point_at (const LkTune *self, guint index)
{
  return g_ptr_array_index (self->points, index);
}

double
lk_tune_bound (const LkTuneGoal *goal, double present)
{
  gboolean is_of_present =
      goal->bound == LK_BOUND_AT_MOST_PRESENT || goal->bound == LK_BOUND_AT_LEAST_PRESENT;
  return is_of_present ? goal->limit * present : goal->limit;
}

/* By how much of the bound a value is beyond it; 0: it is not. */
static double
excess_of (const LkTuneGoal *goal, double value, double present)
{
  double bound = lk_tune_bound (goal, present);
  gboolean is_floor = goal->bound == LK_BOUND_AT_LEAST || goal->bound == LK_BOUND_AT_LEAST_PRESENT;
  double excess = is_floor ? bound - value : value - bound;
  if (isnan (excess))
    return VIOLATION_NO_VALUE;
  return excess > 0 ? excess / MAX (fabs (bound), 1e-9) : 0;
}

static double *
values_of (const LkTune *self, const LkTuneOutcome *outcome)
{
  double *values = g_new0 (double, goal_count (self));
  for (guint i = 0; i < goal_count (self); i++)
    values[i] = lk_tune_outcome_value (outcome, lk_tune_goal (self, i));
  return values;
}

/* `present` are the values of the present settings in the same windows. */
static LkScore
score_of (const LkTune *self, const double *values, const double *present)
{
  LkScore score = { .violation = 0 };
  guint objective_count = self->goals->objectives->len;
  for (guint i = 0; i < objective_count; i++) {
    gboolean is_high_better = lk_tune_goal (self, i)->measure->is_high_better;
    if (isnan (values[i]))
      score.violation += VIOLATION_NO_VALUE;
    else
      score.objectives[i] = is_high_better ? -values[i] : values[i];
  }
  for (guint i = objective_count; i < goal_count (self); i++)
    score.violation += excess_of (lk_tune_goal (self, i), values[i], present[i]);
  return score;
}

/* ---------------------------------------------------------------- points */

static LkTunePoint *
point_new (const LkStudyPlan *plan, const LkSearchPoint *at)
{
  LkTunePoint *self = g_new0 (LkTunePoint, 1);
  g_autoptr (GString) key = g_string_new (NULL);
  self->at = *at;
  self->point = g_ptr_array_new_with_free_func ((GDestroyNotify)lk_study_setting_free);
  for (guint i = 0; i < plan->parameters->len; i++) {
    const LkStudyParameter *parameter = g_ptr_array_index (plan->parameters, i);
    g_autofree char *text = lk_study_parameter_text (parameter, at->at[i]);
    g_ptr_array_add (self->point, lk_study_setting_new (parameter->name, text, parameter->place));
    g_string_append_printf (key, "%s\n", text);
  }
  self->key = g_string_free (g_steal_pointer (&key), FALSE);
  return self;
}

/* Where a text of the plan lies in its parameter's range. */
static double
unit_of (const LkStudyParameter *parameter, const char *text)
{
  if (parameter->values != NULL) {
    for (guint i = 0; i < parameter->values->len; i++)
      if (strcmp (g_ptr_array_index (parameter->values, i), text) == 0)
        return (i + 0.5) / parameter->values->len;
    g_assert_not_reached ();
  }
  double value = g_ascii_strtod (text, NULL);
  double from = parameter->from;
  double unit = (value - from) / (parameter->to - from);
  if (parameter->is_log)
    unit = log (value / from) / log (parameter->to / from);
  else if (parameter->is_integer) /* the middle of what is written as this number */
    unit = (value - from + 0.5) / (parameter->to - from + 1);
  return CLAMP (unit, 0, 1);
}

/* The points of the plan's own sampling are where the search begins. */
static GArray *
starts_of (const LkStudyPlan *plan)
{
  GArray *starts = g_array_new (FALSE, TRUE, sizeof (LkSearchPoint));
  for (guint p = 0; p < plan->points->len; p++) {
    const GPtrArray *point = g_ptr_array_index (plan->points, p);
    LkSearchPoint start = { { 0 } };
    LK_ASSERT (point->len == plan->parameters->len);
    for (guint i = 0; i < point->len; i++) {
      const LkStudySetting *setting = g_ptr_array_index (point, i);
      start.at[i] = unit_of (g_ptr_array_index (plan->parameters, i), setting->value);
    }
    g_array_append_val (starts, start);
  }
  return starts;
}

/* ---------------------------------------------------------------- training */

static void
tell (Work *self, guint count)
{
  self->run_count += count;
  if (self->told != NULL)
    self->told (self->user, self->run_count, self->run_max);
}

/* Runs points of the archive from `first` on. */
static gboolean
run_new (Work *self, guint first)
{
  LkTune *tune = self->tune;
  guint count = tune->points->len - first;
  g_autofree const GPtrArray **points = g_new (const GPtrArray *, count + 1);
  g_autofree LkTuneOutcome **outcomes = g_new0 (LkTuneOutcome *, count + 1);
  for (guint i = 0; i < count; i++)
    points[i] = point_at (tune, first + i)->point;
  if (!lk_tune_bench_run (tune->bench, points, count, TRUE, outcomes, &self->error))
    return FALSE;
  for (guint i = 0; i < count; i++) {
    LkTunePoint *point = g_ptr_array_index (tune->points, first + i);
    point->values = values_of (tune, outcomes[i]);
    point->score = score_of (tune, point->values, point_at (tune, 0)->values);
    lk_tune_outcome_free (outcomes[i]);
  }
  tell (self, count);
  return TRUE;
}

/* The place of a point in the archive, where it is put if it is new and the budget allows; -1: it
 * does not. */
static gint
place_of (Work *self, const LkSearchPoint *at)
{
  LkTune *tune = self->tune;
  LkTunePoint *point = point_new (tune->plan, at);
  guint place = GPOINTER_TO_UINT (g_hash_table_lookup (self->known, point->key));
  if (place > 0 || tune->points->len > tune->goals->evaluations) {
    point_free (point);
    return (gint)place - 1;
  }
  g_ptr_array_add (tune->points, point);
  g_hash_table_insert (self->known, point->key, GUINT_TO_POINTER (tune->points->len));
  return (gint)tune->points->len - 1;
}

static gboolean
evaluate (gpointer user, const LkSearchPoint *points, guint count, LkScore *out_scores)
{
  Work *self = user;
  guint first = self->tune->points->len;
  gboolean is_all = TRUE;
  g_autofree gint *places = g_new (gint, count);
  for (guint i = 0; i < count; i++) {
    places[i] = place_of (self, &points[i]);
    is_all = is_all && places[i] >= 0;
  }
  if (self->error != NULL || (self->tune->points->len > first && !run_new (self, first)))
    return FALSE;
  for (guint i = 0; i < count && is_all; i++)
    out_scores[i] = point_at (self->tune, (guint)places[i])->score;
  return is_all;
}

static gboolean
run_present (Work *self, GError **error)
{
  LkTune *tune = self->tune;
  const GPtrArray *none = NULL;
  LkTuneOutcome *outcome = NULL;
  LkTunePoint *present = g_new0 (LkTunePoint, 1);
  g_ptr_array_add (tune->points, present);
  if (!lk_tune_bench_run (tune->bench, &none, 1, TRUE, &outcome, error))
    return FALSE;
  present->values = values_of (tune, outcome);
  present->score = score_of (tune, present->values, present->values);
  lk_tune_outcome_free (outcome);
  for (guint i = 0; i < goal_count (tune); i++) {
    const LkTuneGoal *goal = lk_tune_goal (tune, i);
    if (!isnan (present->values[i]))
      continue;
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "%s:%u:%u: %s has no value in the training windows: no job, user, account or GPU "
                 "to measure",
                 tune->plan->path, goal->place.line, goal->place.column, goal->label);
    return FALSE;
  }
  return TRUE;
}

static gboolean
train (Work *self, GError **error)
{
  LkTune *tune = self->tune;
  const LkTuneGoals *goals = tune->goals;
  LkSearch search = { .dimension = tune->plan->parameters->len,
                      .objective_count = goals->objectives->len,
                      .budget = goals->evaluations,
                      .seed = goals->seed,
                      .population = goals->population,
                      .evaluate = evaluate,
                      .user = self };
  g_autoptr (GArray) starts = starts_of (tune->plan);
  if (!run_present (self, error))
    return FALSE;
  tell (self, 1);
  if (goals->method == LK_TUNE_NSGA2)
    lk_search_nsga2 (&search, starts);
  else if (goals->method == LK_TUNE_NELDER_MEAD)
    lk_search_nelder_mead (&search, starts);
  else
    lk_search_annealing (&search, starts);
  if (self->error != NULL)
    g_propagate_error (error, g_steal_pointer (&self->error));
  else
    return TRUE;
  return FALSE;
}

/* ---------------------------------------------------------------- the front */

typedef struct {
  guint index;
  double crowding;
  double first;
} Member;

static gint
compare_crowding (gconstpointer a, gconstpointer b)
{
  const Member *x = a;
  const Member *y = b;
  if (x->crowding < y->crowding || x->crowding > y->crowding)
    return x->crowding > y->crowding ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

static gint
compare_first (gconstpointer a, gconstpointer b)
{
  const Member *x = a;
  const Member *y = b;
  if (x->first < y->first || x->first > y->first)
    return x->first < y->first ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* Was a setting with the very same objectives run before? Then both are the same to who chooses. */
static gboolean
is_twin (const LkTune *self, guint index)
{
  gsize bytes = self->goals->objectives->len * sizeof (double);
  for (guint i = 0; i < index; i++)
    if (memcmp (point_at (self, i)->values, point_at (self, index)->values, bytes) == 0)
      return TRUE;
  return FALSE;
}

/* Settings that no other one beats, the present ones among the others. Of Member. */
static GArray *
front_members (const LkTune *self)
{
  guint count = self->points->len;
  GArray *members = g_array_new (FALSE, FALSE, sizeof (Member));
  g_autofree LkScore *scores = g_new (LkScore, count);
  g_autofree guint *fronts = g_new (guint, count);
  g_autofree double *crowding = g_new (double, count);
  for (guint i = 0; i < count; i++)
    scores[i] = point_at (self, i)->score;
  lk_score_fronts (scores, count, self->goals->objectives->len, fronts, crowding);
  for (guint i = 1; i < count; i++) {
    Member member = { .index = i, .crowding = crowding[i], .first = scores[i].objectives[0] };
    if (fronts[i] == 0 && scores[i].violation <= 0 && !is_twin (self, i))
      g_array_append_val (members, member);
  }
  return members;
}

static void
choose_front (LkTune *self)
{
  g_autoptr (GArray) members = front_members (self);
  self->front_count = members->len;
  g_array_sort (members, compare_crowding);
  if (members->len > LK_TUNE_FRONT_MAX)
    g_array_set_size (members, LK_TUNE_FRONT_MAX);
  g_array_sort (members, compare_first);
  for (guint i = 0; i < members->len; i++) {
    LkTuneCandidate candidate = { .index = g_array_index (members, Member, i).index };
    g_array_append_val (self->front, candidate);
  }
}

/* ---------------------------------------------------------------- the verdict */

static gboolean
is_better (const LkTuneGoal *goal, LkVerdict verdict)
{
  return verdict == (goal->measure->is_high_better ? LK_VERDICT_HIGHER : LK_VERDICT_LOWER);
}

static gboolean
is_worse (const LkTuneGoal *goal, LkVerdict verdict)
{
  return verdict == (goal->measure->is_high_better ? LK_VERDICT_LOWER : LK_VERDICT_HIGHER);
}

/* The gravest reason counts. */
static void
judge (const LkTune *self, LkTuneCandidate *candidate)
{
  guint objective_count = self->goals->objectives->len;
  candidate->verdict = LK_TUNE_CLAIMS_NOTHING;
  for (guint i = 0; i < objective_count; i++) {
    const LkTuneGoal *goal = lk_tune_goal (self, i);
    if (!is_better (goal, candidate->training[i].verdict))
      continue;
    if (candidate->verdict == LK_TUNE_CLAIMS_NOTHING)
      candidate->verdict = LK_TUNE_HOLDS;
    if (is_better (goal, candidate->held_out[i].verdict))
      continue;
    candidate->verdict = LK_TUNE_NOT_SHOWN;
    candidate->reason = i;
  }
  for (guint i = 0; i < objective_count; i++)
    if (is_worse (lk_tune_goal (self, i), candidate->held_out[i].verdict)) {
      candidate->verdict = LK_TUNE_WORSE;
      candidate->reason = i;
    }
  for (guint i = objective_count; i < goal_count (self); i++)
    if (excess_of (lk_tune_goal (self, i), candidate->held_out_values[i], self->present_held_out[i])
        > 0) {
      candidate->verdict = LK_TUNE_CONSTRAINT;
      candidate->reason = i;
    }
}

/* Outcomes of the present settings and of one candidate, in training or held out. */
typedef struct {
  const LkTuneOutcome *present;
  const LkTuneOutcome *here;
  double level_ratio;
} Trial;

static LkTuneDifference *
differences_of (const LkTune *self, const Trial *trial)
{
  guint objective_count = self->goals->objectives->len;
  LkTuneDifference *differences = g_new0 (LkTuneDifference, objective_count);
  const LkIntervalOptions options = { .replicate_count = LK_TUNE_REPLICATES,
                                      .level_ratio = trial->level_ratio,
                                      .seed = self->goals->seed };
  for (guint i = 0; i < objective_count; i++)
    lk_tune_outcome_compare (self->bench, trial->present, trial->here, lk_tune_goal (self, i),
                             &options, &differences[i]);
  return differences;
}

static double
gain_of (const LkTune *self, const LkTuneCandidate *candidate)
{
  double gain = 0;
  for (guint i = 0; i < self->goals->objectives->len; i++) {
    const LkTuneGoal *goal = lk_tune_goal (self, i);
    double present = point_at (self, 0)->values[i];
    double here = point_at (self, candidate->index)->values[i];
    double lower_by = (present - here) / MAX (fabs (present), 1e-9);
    gain += goal->measure->is_high_better ? -lower_by : lower_by;
  }
  return gain;
}

/* All of the front and the present settings, in one kind of windows. */
static gboolean
try_front (Work *self, gboolean is_training, GError **error)
{
  LkTune *tune = self->tune;
  guint count = tune->front->len + 1;
  g_autofree const GPtrArray **points = g_new0 (const GPtrArray *, count);
  g_autoptr (GPtrArray) outcomes =
      g_ptr_array_new_with_free_func ((GDestroyNotify)lk_tune_outcome_free);
  for (guint i = 1; i < count; i++)
    points[i] = point_at (tune, g_array_index (tune->front, LkTuneCandidate, i - 1).index)->point;
  g_ptr_array_set_size (outcomes, (gint)count);
  if (!lk_tune_bench_run (tune->bench, points, count, is_training,
                          (LkTuneOutcome **)outcomes->pdata, error))
    return FALSE;
  Trial trial = { .present = g_ptr_array_index (outcomes, 0),
                  .level_ratio =
                      is_training ? tune->goals->level_ratio : tune->held_out_level_ratio };
  if (!is_training)
    tune->present_held_out = values_of (tune, trial.present);
  for (guint i = 1; i < count; i++) {
    LkTuneCandidate *candidate = &g_array_index (tune->front, LkTuneCandidate, i - 1);
    trial.here = g_ptr_array_index (outcomes, i);
    if (is_training) {
      candidate->training = differences_of (tune, &trial);
      continue;
    }
    candidate->held_out = differences_of (tune, &trial);
    candidate->held_out_values = values_of (tune, trial.here);
  }
  tell (self, count);
  return TRUE;
}

static gboolean
decide (Work *self, GError **error)
{
  LkTune *tune = self->tune;
  guint tried_count = MAX (tune->front->len, 1);
  tune->held_out_level_ratio = 1 - (1 - tune->goals->level_ratio) / tried_count;
  if (!try_front (self, TRUE, error) || !try_front (self, FALSE, error))
    return FALSE;
  for (guint i = 0; i < tune->front->len; i++) {
    LkTuneCandidate *candidate = &g_array_index (tune->front, LkTuneCandidate, i);
    judge (tune, candidate);
    candidate->gain = gain_of (tune, candidate);
    if (candidate->verdict == LK_TUNE_HOLDS
        && (tune->recommended < 0
            || candidate->gain
                   > g_array_index (tune->front, LkTuneCandidate, (guint)tune->recommended).gain))
      tune->recommended = (gint)i;
  }
  return TRUE;
}

LkTune *
lk_tune_run (const LkStudyPlan *plan, const LkTuneGoals *goals, LkTuneBench *bench, LkTuneTold told,
             gpointer user, GError **error)
{
  g_autoptr (LkTune) self = g_new0 (LkTune, 1);
  self->plan = plan;
  self->goals = goals;
  self->bench = bench;
  self->recommended = -1;
  self->points = g_ptr_array_new_with_free_func (point_free);
  self->front = g_array_new (FALSE, TRUE, sizeof (LkTuneCandidate));
  g_array_set_clear_func (self->front, candidate_clear);
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  Work work = { .tune = self,
                .known = known,
                .run_max = goals->evaluations + 1 + 2 * (LK_TUNE_FRONT_MAX + 1),
                .told = told,
                .user = user };
  if (!train (&work, error))
    return NULL;
  choose_front (self);
  return decide (&work, error) ? g_steal_pointer (&self) : NULL;
}
