/* tests/property/brute.c — a naive scheduler that is meant to be obviously right.
 *
 * At every instant: ends, submits, cancellations, then one pass.  A plan is a list of half-open
 * intervals in which processors are taken; how many are free at a moment is found by adding up the
 * list.  The earliest start of a job is the first of all moments at which anything ends, or now,
 * where it fits to its end.  Nothing is kept between passes but what the policy itself defines:
 * conservative's reservations. */
#include "tests/property/brute.h"

/* The checks are the point: they stay in every build. */
#undef NDEBUG
#include <assert.h>
#include <math.h>
#include <stddef.h>

/* Scores that differ by less, relative to the larger, may be a tie in exact arithmetic. */
#define NEAR_RATIO 1e-12

typedef enum { AWAY, PENDING, RUNNING, GONE } Phase;

typedef struct {
  const LkBruteOptions *options;
  const LkBruteJob *jobs;
  int job_count;
  LkBruteResult *results;
  Phase phase[LK_BRUTE_JOBS_MAX];
  int64_t reserved_s[LK_BRUTE_JOBS_MAX]; /* conservative; LK_BRUTE_NEVER_S: none yet */
  int given_back;    /* conservative: the plan has got holes since the last pass */
  int64_t planned_s; /* the pass that the plan asks for */
  int64_t now_s;
  int ambiguous;
} Brute;

typedef struct {
  int64_t from_s;
  int64_t to_s;
  int procs;
} Interval;

typedef struct {
  int capacity;
  int count;
  Interval items[2 * LK_BRUTE_JOBS_MAX];
} Plan;

/* ---------------------------------------------------------------- orders */

const char *
lk_brute_order_name (LkBruteOrder order)
{
  static const char *const names[] = { "fifo",    "lifo", "sjf",  "ljf",     "smallest",
                                       "largest", "saf",  "sexp", "xfactor", "wfp3",
                                       "unicef",  "f1",   "f2",   "f3",      "f4" };
  return names[order];
}

static int
uses_logarithm (LkBruteOrder order)
{
  return order == LK_BRUTE_UNICEF || order >= LK_BRUTE_F1;
}

static double
score_trained (LkBruteOrder order, double p, double q, double s)
{
  switch (order) {
  case LK_BRUTE_F1:
    return log10 (p) * q + 870.0 * log10 (s);
  case LK_BRUTE_F2:
    return sqrt (p) * q + 25600.0 * log10 (s);
  case LK_BRUTE_F3:
    return p * q + 6860000.0 * log10 (s);
  default:
    return p * sqrt (q) + 530000.0 * log10 (s);
  }
}

double
lk_brute_score (LkBruteOrder order, const LkBruteJob *job, int64_t now_s, int64_t first_submit_s)
{
  double p = (double)job->estimate_s;
  double q = (double)job->procs;
  double w = (double)(now_s - job->submit_s);
  double s = fmax ((double)(job->submit_s - first_submit_s), 1.0);
  double ratio = w / p;
  switch (order) {
  case LK_BRUTE_FIFO:
    return (double)job->submit_s;
  case LK_BRUTE_LIFO:
    return -(double)job->submit_s;
  case LK_BRUTE_SJF:
    return p;
  case LK_BRUTE_LJF:
    return -p;
  case LK_BRUTE_SMALLEST:
    return q;
  case LK_BRUTE_LARGEST:
    return -q;
  case LK_BRUTE_SAF:
    return p * q;
  case LK_BRUTE_SEXP:
    return p / q;
  case LK_BRUTE_XFACTOR:
    return -((w + p) / p);
  case LK_BRUTE_WFP3:
    return -(ratio * ratio * ratio * q);
  case LK_BRUTE_UNICEF:
    if (w <= 0.0)
      return 0.0;
    return job->procs == 1 ? -INFINITY : -(w / (log2 (q) * p));
  default:
    return score_trained (order, p, q, s);
  }
}

/* Does job `a` go before job `b`? */
static int
goes_before (Brute *self, LkBruteOrder order, int a, int b)
{
  const LkBruteJob *job_a = &self->jobs[a];
  const LkBruteJob *job_b = &self->jobs[b];
  int64_t first_submit_s = self->jobs[0].submit_s;
  double score_a = lk_brute_score (order, job_a, self->now_s, first_submit_s);
  double score_b = lk_brute_score (order, job_b, self->now_s, first_submit_s);
  if (score_a != score_b) {
    double larger = fmax (fabs (score_a), fabs (score_b));
    if (uses_logarithm (order) && fabs (score_a - score_b) <= NEAR_RATIO * larger
        && !isinf (larger))
      self->ambiguous = 1;
    return score_a < score_b;
  }
  if (job_a->submit_s != job_b->submit_s)
    return job_a->submit_s < job_b->submit_s;
  return job_a->id < job_b->id;
}

/* Writes the pending jobs in an order; returns how many. */
static int
queue_in_order (Brute *self, LkBruteOrder order, int *out_queue)
{
  int count = 0;
  for (int job = 0; job < self->job_count; job++) {
    if (self->phase[job] != PENDING)
      continue;
    int place = count++;
    while (place > 0 && goes_before (self, order, job, out_queue[place - 1])) {
      out_queue[place] = out_queue[place - 1];
      place--;
    }
    out_queue[place] = job;
  }
  return count;
}

/* ---------------------------------------------------------------- plans */

static void
plan_add (Plan *plan, int64_t from_s, int64_t duration_s, int procs)
{
  plan->items[plan->count] = (Interval){ from_s, from_s + duration_s, procs };
  plan->count++;
}

static int
plan_free_at (const Plan *plan, int64_t at_s)
{
  int free = plan->capacity;
  for (int i = 0; i < plan->count; i++)
    if (plan->items[i].from_s <= at_s && at_s < plan->items[i].to_s)
      free -= plan->items[i].procs;
  assert (free >= 0);
  return free;
}

/* Capacity only shrinks where an interval begins, so those moments are all that need a look. */
static int
plan_fits (const Plan *plan, const LkBruteJob *job, int64_t from_s)
{
  if (plan_free_at (plan, from_s) < job->procs)
    return 0;
  for (int i = 0; i < plan->count; i++) {
    int64_t at_s = plan->items[i].from_s;
    if (at_s > from_s && at_s < from_s + job->estimate_s && plan_free_at (plan, at_s) < job->procs)
      return 0;
  }
  return 1;
}

static int64_t
plan_earliest_s (const Plan *plan, const LkBruteJob *job, int64_t now_s)
{
  if (plan_fits (plan, job, now_s))
    return now_s;
  int64_t earliest_s = LK_BRUTE_NEVER_S;
  for (int i = 0; i < plan->count; i++) {
    int64_t at_s = plan->items[i].to_s;
    if (at_s > now_s && at_s < earliest_s && plan_fits (plan, job, at_s))
      earliest_s = at_s;
  }
  return earliest_s;
}

static int64_t
expected_end_s (const Brute *self, int job)
{
  int64_t end_s = self->results[job].start_s + self->jobs[job].estimate_s;
  return end_s < self->now_s ? self->now_s : end_s;
}

/* The running jobs until their expected ends. */
static void
plan_from_running (const Brute *self, Plan *out_plan)
{
  out_plan->capacity = self->options->procs;
  out_plan->count = 0;
  for (int job = 0; job < self->job_count; job++)
    if (self->phase[job] == RUNNING)
      plan_add (out_plan, self->now_s, expected_end_s (self, job) - self->now_s,
                self->jobs[job].procs);
}

/* The running jobs and all reservations but that of `without`. */
static void
plan_with_reservations (const Brute *self, int without, Plan *out_plan)
{
  plan_from_running (self, out_plan);
  for (int job = 0; job < self->job_count; job++)
    if (job != without && self->phase[job] == PENDING && self->reserved_s[job] != LK_BRUTE_NEVER_S)
      plan_add (out_plan, self->reserved_s[job], self->jobs[job].estimate_s, self->jobs[job].procs);
}

/* ---------------------------------------------------------------- starting */

static int
free_now (const Brute *self)
{
  int free = self->options->procs;
  for (int job = 0; job < self->job_count; job++)
    if (self->phase[job] == RUNNING)
      free -= self->jobs[job].procs;
  assert (free >= 0);
  return free;
}

static void
start (Brute *self, int job)
{
  int backfilled = 0;
  for (int other = 0; other < self->job_count; other++)
    if (other != job && self->phase[other] == PENDING
        && goes_before (self, self->options->order, other, job))
      backfilled = 1;
  assert (self->phase[job] == PENDING);
  assert (self->jobs[job].procs <= free_now (self));
  self->phase[job] = RUNNING;
  self->results[job].start_s = self->now_s;
  self->results[job].backfilled = backfilled;
}

/* ---------------------------------------------------------------- passes */

/* Returns how many jobs of the queue were started from its head. */
static int
start_from_head (Brute *self, const int *queue, int count)
{
  int place = 0;
  while (place < count && self->jobs[queue[place]].procs <= free_now (self))
    start (self, queue[place++]);
  return place;
}

static void
pass_none (Brute *self)
{
  int queue[LK_BRUTE_JOBS_MAX];
  int count = queue_in_order (self, self->options->order, queue);
  start_from_head (self, queue, count);
}

/* Processors free at `at_s` when every running job ends as expected. */
static int
free_after_ends (const Brute *self, int64_t at_s)
{
  int free = free_now (self);
  for (int job = 0; job < self->job_count; job++)
    if (self->phase[job] == RUNNING && expected_end_s (self, job) <= at_s)
      free += self->jobs[job].procs;
  return free;
}

static int64_t
shadow_s (const Brute *self, int head)
{
  int64_t earliest_s = LK_BRUTE_NEVER_S;
  for (int job = 0; job < self->job_count; job++) {
    if (self->phase[job] != RUNNING)
      continue;
    int64_t end_s = expected_end_s (self, job);
    if (end_s < earliest_s && free_after_ends (self, end_s) >= self->jobs[head].procs)
      earliest_s = end_s;
  }
  return earliest_s;
}

static void
pass_easy (Brute *self)
{
  int queue[LK_BRUTE_JOBS_MAX];
  int count = queue_in_order (self, self->options->order, queue);
  int started = start_from_head (self, queue, count);
  if (started == count)
    return;
  int head = queue[started];
  int64_t head_s = shadow_s (self, head);
  int extra = free_after_ends (self, head_s) - self->jobs[head].procs;
  count = queue_in_order (self, self->options->backfill_order, queue);
  for (int place = 0; place < count; place++) {
    const LkBruteJob *job = &self->jobs[queue[place]];
    if (queue[place] == head || job->procs > free_now (self))
      continue;
    int is_short = self->now_s + job->estimate_s <= head_s;
    if (!is_short && job->procs > extra)
      continue;
    start (self, queue[place]);
    if (!is_short)
      extra -= job->procs;
  }
}

/* Starts a job if the plan lets it, and writes it into the plan. */
static int
start_if_planned_now (Brute *self, Plan *plan, int job)
{
  if (plan_earliest_s (plan, &self->jobs[job], self->now_s) != self->now_s)
    return 0;
  start (self, job);
  plan_add (plan, self->now_s, self->jobs[job].estimate_s, self->jobs[job].procs);
  return 1;
}

static void
pass_reservations (Brute *self)
{
  int queue[LK_BRUTE_JOBS_MAX];
  int is_reserved[LK_BRUTE_JOBS_MAX] = { 0 };
  int reserved_count = 0;
  Plan plan;
  plan_from_running (self, &plan);
  int count = queue_in_order (self, self->options->order, queue);
  for (int place = 0; place < count && reserved_count < self->options->reservations; place++) {
    int job = queue[place];
    if (start_if_planned_now (self, &plan, job))
      continue;
    int64_t at_s = plan_earliest_s (&plan, &self->jobs[job], self->now_s);
    plan_add (&plan, at_s, self->jobs[job].estimate_s, self->jobs[job].procs);
    is_reserved[job] = 1;
    reserved_count++;
  }
  count = queue_in_order (self, self->options->backfill_order, queue);
  for (int place = 0; place < count; place++)
    if (!is_reserved[queue[place]])
      start_if_planned_now (self, &plan, queue[place]);
}

/* In queue order, each job as early as the holes allow; never later than it was promised. */
static void
compress (Brute *self, const int *queue, int count)
{
  for (int place = 0; place < count; place++) {
    int job = queue[place];
    if (self->reserved_s[job] == LK_BRUTE_NEVER_S)
      continue;
    Plan plan;
    plan_with_reservations (self, job, &plan);
    int64_t at_s = plan_earliest_s (&plan, &self->jobs[job], self->now_s);
    assert (plan_fits (&plan, &self->jobs[job], self->reserved_s[job]));
    if (at_s < self->reserved_s[job])
      self->reserved_s[job] = at_s;
  }
}

static void
pass_conservative (Brute *self)
{
  int queue[LK_BRUTE_JOBS_MAX];
  int count = queue_in_order (self, self->options->order, queue);
  if (self->given_back)
    compress (self, queue, count);
  self->given_back = 0;
  for (int job = 0; job < self->job_count; job++) {
    if (self->phase[job] != PENDING || self->reserved_s[job] != LK_BRUTE_NEVER_S)
      continue;
    Plan plan;
    plan_with_reservations (self, job, &plan);
    self->reserved_s[job] = plan_earliest_s (&plan, &self->jobs[job], self->now_s);
  }
  self->planned_s = LK_BRUTE_NEVER_S;
  for (int place = 0; place < count; place++) {
    int64_t at_s = self->reserved_s[queue[place]];
    assert (at_s >= self->now_s);
    if (at_s == self->now_s)
      start (self, queue[place]);
    else if (at_s < self->planned_s)
      self->planned_s = at_s;
  }
}

static void
pass_replan (Brute *self)
{
  int queue[LK_BRUTE_JOBS_MAX];
  int count = queue_in_order (self, self->options->order, queue);
  Plan plan;
  plan_from_running (self, &plan);
  self->planned_s = LK_BRUTE_NEVER_S;
  for (int place = 0; place < count; place++) {
    int job = queue[place];
    if (start_if_planned_now (self, &plan, job))
      continue;
    int64_t at_s = plan_earliest_s (&plan, &self->jobs[job], self->now_s);
    plan_add (&plan, at_s, self->jobs[job].estimate_s, self->jobs[job].procs);
    if (at_s < self->planned_s)
      self->planned_s = at_s;
  }
}

static void
pass (Brute *self)
{
  switch (self->options->backfill) {
  case LK_BRUTE_NONE:
    pass_none (self);
    return;
  case LK_BRUTE_EASY:
    pass_easy (self);
    return;
  case LK_BRUTE_RESERVATIONS:
    pass_reservations (self);
    return;
  case LK_BRUTE_CONSERVATIVE:
    pass_conservative (self);
    return;
  case LK_BRUTE_REPLAN:
    pass_replan (self);
    return;
  }
}

/* ---------------------------------------------------------------- the instants */

/* When a running job ends by itself or is ended at its estimate. */
static int64_t
natural_end_s (const Brute *self, int job)
{
  const LkBruteJob *one = &self->jobs[job];
  int64_t length_s = one->run_s > one->estimate_s ? one->estimate_s : one->run_s;
  return self->results[job].start_s + length_s;
}

static void
end_job (Brute *self, int job, LkBruteState state)
{
  if (self->now_s < self->results[job].start_s + self->jobs[job].estimate_s)
    self->given_back = 1;
  self->phase[job] = GONE;
  self->results[job].end_s = self->now_s;
  self->results[job].state = state;
}

static void
cancel_job (Brute *self, int job)
{
  if (self->phase[job] == RUNNING) {
    end_job (self, job, LK_BRUTE_CANCELLED);
    return;
  }
  if (self->reserved_s[job] != LK_BRUTE_NEVER_S)
    self->given_back = 1;
  self->phase[job] = GONE;
  self->results[job].state = LK_BRUTE_CANCELLED;
}

/* The next moment at which anything happens, or LK_BRUTE_NEVER_S. */
static int64_t
next_s (const Brute *self)
{
  int64_t earliest_s = self->planned_s;
  for (int job = 0; job < self->job_count; job++) {
    const LkBruteJob *one = &self->jobs[job];
    int64_t at_s = LK_BRUTE_NEVER_S;
    if (self->phase[job] == AWAY)
      at_s = one->submit_s;
    else if (self->phase[job] == RUNNING)
      at_s = natural_end_s (self, job);
    if ((self->phase[job] == PENDING || self->phase[job] == RUNNING) && one->cancel_s < at_s)
      at_s = one->cancel_s;
    if (at_s < earliest_s)
      earliest_s = at_s;
  }
  return earliest_s;
}

static int
overruns (const Brute *self, int job)
{
  return self->jobs[job].run_s > self->jobs[job].estimate_s;
}

/* Ends the running jobs whose moment has come: those that end by themselves, or those that are
 * over their limit. */
static void
end_jobs (Brute *self, int over_limit)
{
  for (int job = 0; job < self->job_count; job++)
    if (self->phase[job] == RUNNING && natural_end_s (self, job) == self->now_s
        && overruns (self, job) == over_limit)
      end_job (self, job, over_limit ? LK_BRUTE_TIMEOUT : LK_BRUTE_COMPLETED);
}

/* A limit is enforced by a timer, and timers come last before the pass: a job cancelled at the
 * very moment of its limit counts as cancelled. */
static void
do_instant (Brute *self)
{
  end_jobs (self, /* over_limit= */ 0);
  for (int job = 0; job < self->job_count; job++)
    if (self->phase[job] == AWAY && self->jobs[job].submit_s == self->now_s)
      self->phase[job] = PENDING;
  for (int job = 0; job < self->job_count; job++)
    if ((self->phase[job] == PENDING || self->phase[job] == RUNNING)
        && self->jobs[job].cancel_s == self->now_s)
      cancel_job (self, job);
  end_jobs (self, /* over_limit= */ 1);
  pass (self);
}

int
lk_brute_schedule (const LkBruteOptions *options, const LkBruteJob *jobs, int job_count,
                   LkBruteResult *out_results)
{
  Brute self = { .options = options, .jobs = jobs, .job_count = job_count, .results = out_results };
  assert (job_count <= LK_BRUTE_JOBS_MAX);
  self.planned_s = LK_BRUTE_NEVER_S;
  for (int job = 0; job < job_count; job++) {
    assert (jobs[job].procs >= 1 && jobs[job].procs <= options->procs);
    assert (jobs[job].run_s >= 1 && jobs[job].estimate_s >= 1);
    assert (jobs[job].cancel_s >= jobs[job].submit_s);
    assert (job == 0 || jobs[job - 1].submit_s <= jobs[job].submit_s);
    self.phase[job] = AWAY;
    self.reserved_s[job] = LK_BRUTE_NEVER_S;
    out_results[job] = (LkBruteResult){ .start_s = -1, .end_s = -1 };
  }
  for (self.now_s = next_s (&self); self.now_s != LK_BRUTE_NEVER_S; self.now_s = next_s (&self))
    do_instant (&self);
  for (int job = 0; job < job_count; job++)
    assert (self.phase[job] == GONE);
  return !self.ambiguous;
}
