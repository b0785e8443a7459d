/* sim/tune/bench.c — see bench.h. */
#include "sim/tune/bench.h"

#include <math.h>
#include <stdlib.h>

#include "engine/assert.h"
#include "sim/arguments.h"
#include "sim/error.h"
#include "sim/metrics.h"

#define DAY_US (G_GINT64_CONSTANT (86400) * G_USEC_PER_SEC)
#define WEEK_US (7 * DAY_US)
#define WEEKS_FOR_WEEKS 20

/* One job of a run, as little as is needed of it. */
typedef struct {
  guint64 key; /* of its number and its name */
  gint64 submit_us;
  gint64 wait_us;
  gint64 run_us;
  guint32 order; /* of completion */
  guint32 classes;
} Job;

typedef struct {
  const LkStudyChoice *choice;
  LkStudyResult *result;
  GArray *jobs; /* of Job, by key, then submit, then order */
} CaseOutcome;

struct _LkTuneOutcome {
  GArray *cases; /* of CaseOutcome */
};

struct _LkTuneBench {
  const LkStudyPlan *plan;
  const LkTuneGoals *goals;
  LkStudyRunner *runner;
  guint thread_count;
  GArray *training; /* of LkStudyChoice */
  GArray *held_out;
  LkFactorSets factors; /* of all runs so far */
  gboolean has_accounts;
};

/* ---------------------------------------------------------------- cases */

static gboolean
add_case (LkTuneBench *self, LkStudyChoice *choice, GError **error)
{
  if (!lk_study_runner_first_submit (self->runner, self->plan, choice, error))
    return FALSE;
  g_array_append_val (lk_tune_window_is_training (choice->window) ? self->training : self->held_out,
                      *choice);
  return TRUE;
}

static gboolean
add_loads (LkTuneBench *self, LkStudyChoice *choice, GError **error)
{
  const GPtrArray *loads = self->plan->loads;
  const GPtrArray *seeds = self->plan->seeds;
  for (guint load = 0; load < MAX (loads->len, 1); load++)
    for (guint seed = 0; seed < MAX (seeds->len, 1); seed++) {
      choice->load = load < loads->len ? g_ptr_array_index (loads, load) : NULL;
      choice->seed = seed < seeds->len ? g_ptr_array_index (seeds, seed) : NULL;
      if (!add_case (self, choice, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
add_cases (LkTuneBench *self, GError **error)
{
  for (guint trace = 0; trace < self->plan->traces->len; trace++)
    for (guint window = 0; window < self->plan->windows->len; window++) {
      LkStudyChoice choice = { .trace = g_ptr_array_index (self->plan->traces, trace),
                               .window = g_ptr_array_index (self->plan->windows, window),
                               .policy = g_ptr_array_index (self->plan->policies, 0) };
      if (!add_loads (self, &choice, error))
        return FALSE;
    }
  return TRUE;
}

/* The part of its log that a case is about. */
static gboolean
range_of (const LkStudyChoice *choice, gint64 *out_begin_us, gint64 *out_end_us, GError **error)
{
  const LkStudyWindow *window = choice->window;
  if (window->time != NULL)
    return lk_argument_duration_range_us (window->name, window->time, out_begin_us, out_end_us,
                                          error);
  *out_begin_us = G_MININT64;
  *out_end_us = G_MAXINT64;
  if (window->week_first > 0) {
    *out_begin_us = choice->first_submit_us + (window->week_first - 1) * WEEK_US;
    *out_end_us = choice->first_submit_us + window->week_last * WEEK_US;
  }
  return TRUE;
}

/* What is held out must not have been seen by the search, and no week counts twice. */
static gboolean
check_apart (const LkTuneBench *self, const LkStudyChoice *one, const LkStudyChoice *other,
             GError **error)
{
  gint64 begin_us[2];
  gint64 end_us[2];
  if (one->trace != other->trace || one->window == other->window)
    return TRUE;
  if (!range_of (one, &begin_us[0], &end_us[0], error)
      || !range_of (other, &begin_us[1], &end_us[1], error))
    return FALSE;
  if (begin_us[0] >= end_us[1] || begin_us[1] >= end_us[0])
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
               "%s: windows '%s' (%s) and '%s' (%s) overlap in log '%s'; expected each week of it "
               "in one window at most",
               self->plan->path, one->window->name, one->window->role, other->window->name,
               other->window->role, one->trace->name);
  return FALSE;
}

static gboolean
check_cases (const LkTuneBench *self, GError **error)
{
  g_autoptr (GArray) all = g_array_copy (self->training);
  g_array_append_vals (all, self->held_out->data, self->held_out->len);
  for (guint i = 0; i < all->len; i++)
    for (guint j = 0; j < i; j++)
      if (!check_apart (self, &g_array_index (all, LkStudyChoice, j),
                        &g_array_index (all, LkStudyChoice, i), error))
        return FALSE;
  return TRUE;
}

LkTuneBench *
lk_tune_bench_new (const LkStudyPlan *plan, const LkTuneGoals *goals, guint thread_count,
                   GError **error)
{
  g_autoptr (LkTuneBench) self = g_new0 (LkTuneBench, 1);
  self->plan = plan;
  self->goals = goals;
  self->thread_count = thread_count;
  self->runner = lk_study_runner_new ();
  self->training = g_array_new (FALSE, FALSE, sizeof (LkStudyChoice));
  self->held_out = g_array_new (FALSE, FALSE, sizeof (LkStudyChoice));
  return add_cases (self, error) && check_cases (self, error) ? g_steal_pointer (&self) : NULL;
}

void
lk_tune_bench_free (LkTuneBench *self)
{
  if (self == NULL)
    return;
  lk_study_runner_free (self->runner);
  g_array_unref (self->training);
  g_array_unref (self->held_out);
  g_free (self);
}

guint
lk_tune_bench_case_count (const LkTuneBench *self, gboolean is_training)
{
  return is_training ? self->training->len : self->held_out->len;
}

static char **
arguments_of (const LkTuneBench *self, const LkStudyChoice *of_case, const GPtrArray *point,
              GError **error)
{
  LkStudyChoice choice = *of_case;
  choice.point = point;
  return lk_study_arguments (self->plan, &choice, error);
}

char **
lk_tune_bench_arguments (const LkTuneBench *self, const GPtrArray *point, gboolean is_training,
                         GError **error)
{
  const GArray *cases = is_training ? self->training : self->held_out;
  return arguments_of (self, &g_array_index (cases, LkStudyChoice, 0), point, error);
}

/* ---------------------------------------------------------------- one run */

typedef struct {
  const LkTuneBench *bench;
  const LkStudyChoice *choice;
  const GPtrArray *point;
  gint *is_failed; /* of all runs that were asked for together; atomic */
  CaseOutcome outcome;
  GError *error;
} Task;

static void
job_ended (gpointer user, const LkJobRecord *record, const LkSimResult *result)
{
  Task *self = user;
  (void)result;
  if (record->requeued)
    return;
  guint64 key = (guint64)record->job_id;
  if (record->name != NULL)
    key ^= (guint64)g_str_hash (record->name) << 32;
  Job job = { .key = key,
              .submit_us = record->submit_us,
              .wait_us = record->start_us - record->submit_us,
              .run_us = record->end_us - record->start_us,
              .order = self->outcome.jobs->len,
              .classes = lk_tune_classes_of (self->bench->goals, record) };
  g_array_append_val (self->outcome.jobs, job);
}

static gint
compare_jobs (gconstpointer a, gconstpointer b)
{
  const Job *x = a;
  const Job *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  if (x->submit_us != y->submit_us)
    return x->submit_us < y->submit_us ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static gboolean
is_stopped (gpointer user)
{
  const Task *self = user;
  return g_atomic_int_get (self->is_failed) != 0;
}

static void
run_task (gpointer data, gpointer user)
{
  Task *self = data;
  const LkTuneBench *bench = self->bench;
  const LkStudyJobs jobs = { .job_ended = job_ended, .is_stopped = is_stopped, .user = self };
  (void)user;
  self->outcome.jobs = g_array_new (FALSE, FALSE, sizeof (Job));
  if (is_stopped (self))
    return;
  g_auto (GStrv) arguments = arguments_of (bench, self->choice, self->point, &self->error);
  if (arguments != NULL)
    self->outcome.result = lk_study_runner_run (bench->runner, arguments, &jobs, &self->error);
  if (self->outcome.result == NULL)
    g_atomic_int_set (self->is_failed, 1);
  g_array_sort (self->outcome.jobs, compare_jobs);
}

/* ---------------------------------------------------------------- many runs */

static void
case_clear (gpointer data)
{
  CaseOutcome *self = data;
  lk_study_result_free (self->result);
  if (self->jobs != NULL)
    g_array_unref (self->jobs);
}

void
lk_tune_outcome_free (LkTuneOutcome *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->cases);
  g_free (self);
}

static void
run_tasks (const LkTuneBench *self, Task *tasks, guint count)
{
  GThreadPool *pool = g_thread_pool_new (run_task, NULL, (gint)self->thread_count, FALSE, NULL);
  for (guint i = 0; i < count; i++)
    g_thread_pool_push (pool, &tasks[i], NULL);
  g_thread_pool_free (pool, FALSE, TRUE);
}

/* The error of the first run that failed by itself, not because another one had. */
static gboolean
take_error (const LkTuneBench *self, Task *tasks, guint count, GError **error)
{
  gboolean is_told = FALSE;
  for (guint i = 0; i < count; i++) {
    GError *cause = tasks[i].error;
    LkStudyChoice choice = *tasks[i].choice;
    choice.point = tasks[i].point;
    if (cause != NULL && !is_told && g_strcmp0 (cause->message, "stopped") != 0) {
      lk_study_prefix_place (self->plan, &choice, &cause);
      g_propagate_error (error, cause);
      is_told = TRUE;
      continue;
    }
    g_clear_error (&cause);
  }
  return !is_told;
}

static void
note_factors (LkTuneBench *self, const LkStudyResult *result)
{
  const LkSummary *summary = lk_study_result_summary (result);
  self->factors.constant |= summary->totals.factors.constant;
  self->factors.varied |= summary->totals.factors.varied;
  self->has_accounts = self->has_accounts || summary->info.accounts[0] != '\0';
}

guint32
lk_tune_bench_constant_factors (const LkTuneBench *self)
{
  return self->factors.constant & ~self->factors.varied;
}

gboolean
lk_tune_bench_has_accounts (const LkTuneBench *self)
{
  return self->has_accounts;
}

gboolean
lk_tune_bench_run (LkTuneBench *self, const GPtrArray *const *points, guint count,
                   gboolean is_training, LkTuneOutcome **out_outcomes, GError **error)
{
  const GArray *cases = is_training ? self->training : self->held_out;
  guint task_count = count * cases->len;
  gint is_failed = 0;
  g_autofree Task *tasks = g_new0 (Task, task_count);
  for (guint i = 0; i < task_count; i++)
    tasks[i] =
        (Task){ .bench = self,
                .choice = &g_array_index (cases, LkStudyChoice, i % cases->len),
                .point = points[i / cases->len],
                .is_failed = &is_failed,
                .outcome = { .choice = &g_array_index (cases, LkStudyChoice, i % cases->len) } };
  run_tasks (self, tasks, task_count);
  gboolean good = take_error (self, tasks, task_count, error);
  for (guint i = 0; good && i < task_count; i++)
    note_factors (self, tasks[i].outcome.result);
  for (guint p = 0; p < count; p++) {
    LkTuneOutcome *outcome = g_new0 (LkTuneOutcome, 1);
    outcome->cases = g_array_new (FALSE, FALSE, sizeof (CaseOutcome));
    g_array_set_clear_func (outcome->cases, case_clear);
    for (guint c = 0; c < cases->len; c++)
      g_array_append_val (outcome->cases, tasks[p * cases->len + c].outcome);
    if (good)
      out_outcomes[p] = outcome;
    else
      lk_tune_outcome_free (outcome);
  }
  return good;
}

/* ---------------------------------------------------------------- measures */

static guint32
class_bit (const LkTuneGoal *goal)
{
  return goal->class_name == NULL ? 1u : 2u << goal->job_class;
}

static gboolean
is_wait (const LkTuneGoal *goal)
{
  return goal->measure->kind == LK_MEASURE_WAIT_MEAN || goal->measure->kind == LK_MEASURE_WAIT_P95
         || goal->measure->kind == LK_MEASURE_WAIT_MAX;
}

static double
job_value (const Job *job, const LkTuneGoal *goal)
{
  return is_wait (goal) ? (double)job->wait_us / 1e6
                        : lk_bounded_slowdown (job->wait_us, job->run_us, LK_METRICS_TAU_US);
}

/* As the summary counts: jobs that started in the window of their run. */
static GArray *
values_of (const LkTuneOutcome *self, const LkTuneGoal *goal)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint c = 0; c < self->cases->len; c++) {
    const CaseOutcome *of_case = &g_array_index (self->cases, CaseOutcome, c);
    const LkMetrics *metrics = &lk_study_result_summary (of_case->result)->metrics;
    for (guint i = 0; i < of_case->jobs->len; i++) {
      const Job *job = &g_array_index (of_case->jobs, Job, i);
      gint64 start_us = job->submit_us + job->wait_us;
      double value = job_value (job, goal);
      if ((job->classes & class_bit (goal)) != 0 && start_us >= metrics->window_begin_us
          && start_us < metrics->window_end_us)
        g_array_append_val (values, value);
    }
  }
  return values;
}

static gint
compare_values (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a;
  double y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double
mean_of (const GArray *values)
{
  double sum = 0;
  for (guint i = 0; i < values->len; i++)
    sum += g_array_index (values, double, i);
  return sum / values->len;
}

static double
of_runs (const LkTuneOutcome *self, const LkTuneGoal *goal)
{
  double sum = 0;
  for (guint c = 0; c < self->cases->len; c++)
    sum += lk_study_result_number (g_array_index (self->cases, CaseOutcome, c).result,
                                   goal->measure->name);
  return sum / self->cases->len;
}

double
lk_tune_outcome_value (const LkTuneOutcome *self, const LkTuneGoal *goal)
{
  LkMeasureKind kind = goal->measure->kind;
  if (kind == LK_MEASURE_OF_RUN)
    return of_runs (self, goal);
  g_autoptr (GArray) values = values_of (self, goal);
  if (values->len == 0)
    return NAN;
  if (kind == LK_MEASURE_WAIT_MEAN || kind == LK_MEASURE_SLOWDOWN_MEAN)
    return mean_of (values);
  g_array_sort (values, compare_values);
  guint rank =
      kind == LK_MEASURE_WAIT_MAX ? values->len : (guint)((95 * (guint64)values->len + 99) / 100);
  return g_array_index (values, double, rank - 1);
}

/* ---------------------------------------------------------------- differences */

typedef struct {
  const LkTuneGoal *goal;
  gint64 block_us;
  GArray *pairs;     /* of LkPair */
  guint block_first; /* of this log and window */
  guint block_count;
} Pairing;

/* Do both have the same jobs, at another load or with another seed?  Such runs are no weeks more:
 * they are drawn together, or a longer list of seeds would make any interval as narrow as one
 * likes. */
static gboolean
is_same_input (const CaseOutcome *self, const CaseOutcome *other)
{
  return self->choice->trace == other->choice->trace
         && self->choice->window == other->choice->window;
}

/* A time of a case, as long as it is without its load: one block has the same jobs at each. */
static gint64
unscaled_us (const CaseOutcome *self, gint64 time_us)
{
  const char *load = self->choice->load;
  return load != NULL ? (gint64)llround ((double)time_us * g_ascii_strtod (load, NULL)) : time_us;
}

/* The span of submits in the present run's window. */
static gint64
span_of (const CaseOutcome *self)
{
  const LkMetrics *metrics = &lk_study_result_summary (self->result)->metrics;
  gint64 last_us = metrics->window_begin_us;
  for (guint i = 0; i < self->jobs->len; i++) {
    const Job *job = &g_array_index (self->jobs, Job, i);
    if (job->submit_us < metrics->window_end_us)
      last_us = MAX (last_us, job->submit_us);
  }
  return last_us - metrics->window_begin_us;
}

static void
pair_case (Pairing *self, const CaseOutcome *present, const CaseOutcome *here)
{
  const LkMetrics *metrics = &lk_study_result_summary (present->result)->metrics;
  guint at = 0;
  for (guint i = 0; i < present->jobs->len; i++) {
    const Job *job = &g_array_index (present->jobs, Job, i);
    while (at < here->jobs->len && g_array_index (here->jobs, Job, at).key < job->key)
      at++;
    if (at == here->jobs->len || g_array_index (here->jobs, Job, at).key > job->key)
      continue;
    const Job *other = &g_array_index (here->jobs, Job, at++);
    if ((job->classes & class_bit (self->goal)) == 0 || job->submit_us < metrics->window_begin_us
        || job->submit_us >= metrics->window_end_us)
      continue;
    gint64 offset_us = job->submit_us - metrics->window_begin_us;
    gint64 block = unscaled_us (present, offset_us) / self->block_us;
    LkPair pair = { .block = self->block_first + (guint32)block,
                    .first = job_value (job, self->goal),
                    .here = job_value (other, self->goal) };
    g_array_append_val (self->pairs, pair);
  }
  gint64 last_block = unscaled_us (present, span_of (present)) / self->block_us;
  self->block_count = MAX (self->block_count, self->block_first + (guint)last_block + 1);
}

static gint64
block_of (const LkTuneBench *self, const LkTuneOutcome *present)
{
  gint64 span_us = 0;
  if (self->goals->block_us > 0)
    return self->goals->block_us;
  for (guint c = 0; c < present->cases->len; c++) {
    const CaseOutcome *of_case = &g_array_index (present->cases, CaseOutcome, c);
    if (c == 0 || !is_same_input (of_case, of_case - 1))
      span_us += unscaled_us (of_case, span_of (of_case));
  }
  return span_us >= WEEKS_FOR_WEEKS * WEEK_US ? WEEK_US : DAY_US;
}

static void
pair_runs (Pairing *self, const CaseOutcome *present, const CaseOutcome *here)
{
  const char *name = self->goal->measure->name;
  self->block_count = self->block_first + 1;
  LkPair pair = { .block = self->block_first,
                  .first = lk_study_result_number (present->result, name),
                  .here = lk_study_result_number (here->result, name) };
  g_array_append_val (self->pairs, pair);
}

void
lk_tune_outcome_compare (const LkTuneBench *self, const LkTuneOutcome *present,
                         const LkTuneOutcome *here, const LkTuneGoal *goal,
                         const LkIntervalOptions *options, LkTuneDifference *out_difference)
{
  g_autoptr (GArray) pairs = g_array_new (FALSE, TRUE, sizeof (LkPair));
  Pairing pairing = { .goal = goal, .block_us = block_of (self, present), .pairs = pairs };
  LkMeasureKind kind = goal->measure->kind;
  gboolean is_same = TRUE;
  LK_ASSERT (kind != LK_MEASURE_WAIT_MAX);
  LK_ASSERT (present->cases->len == here->cases->len);
  for (guint c = 0; c < present->cases->len; c++) {
    const CaseOutcome *a = &g_array_index (present->cases, CaseOutcome, c);
    const CaseOutcome *b = &g_array_index (here->cases, CaseOutcome, c);
    if (c > 0 && !is_same_input (a, a - 1))
      pairing.block_first = pairing.block_count;
    if (kind == LK_MEASURE_OF_RUN)
      pair_runs (&pairing, a, b);
    else
      pair_case (&pairing, a, b);
  }
  const LkPair *all = &g_array_index (pairs, LkPair, 0);
  for (guint i = 0; i < pairs->len; i++)
    is_same = is_same && all[i].first <= all[i].here && all[i].first >= all[i].here;
  gboolean is_p95 = kind == LK_MEASURE_WAIT_P95 || kind == LK_MEASURE_SLOWDOWN_P95;
  lk_interval_bootstrap (options, is_p95 ? LK_STATISTIC_P95 : LK_STATISTIC_MEAN, all, pairs->len,
                         pairing.block_count, &out_difference->interval);
  out_difference->verdict = lk_interval_verdict (&out_difference->interval, is_same);
}
