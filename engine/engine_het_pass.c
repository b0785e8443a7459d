/* engine/engine_het_pass.c — heterogeneous jobs start: all components, or none.
 *
 * Components are placed one behind the other in a plan, each beside those before it, and counted
 * with the limits as if they ran; when the last one has its place all are started out of the plan,
 * else everything is undone. */
#include "engine/assert.h"
#include "engine/engine_het.h"
#include "engine/plan.h"

typedef struct {
  LkEngine *engine;
  LkPlan *plan; /* where components are placed; NULL: units are counted */
  GArray *jobs; /* LkJobIndex of the components, by offset */
  guint placed_count;
  guint64 units; /* of those */
} Attempt;

/* ---------------------------------------------------------------- which one, when? */

/* A policy that hears of every job that leaves the queue goes on with its plan; others make a new
 * one in each pass, which says nothing behind it. */
static LkPlan *
plan_of (const LkEngine *self)
{
  for (guint i = 0; self->config.backfill->job_dequeued != NULL && i < self->plans->len; i++)
    if (g_ptr_array_index (self->plans, i) != self->bare)
      return g_ptr_array_index (self->plans, i);
  return self->bare;
}

/* Its components, when nothing keeps them from starting but room and limits. */
static gboolean
collect (LkEngine *self, const LkHet *het, GArray *out_jobs)
{
  g_array_set_size (out_jobs, 0);
  if (het->submitted < het->count || het->is_left || het->is_requeued)
    return FALSE;
  for (guint32 i = 0; i < het->count; i++) {
    LkJobIndex job = lk_engine_het_member (self, het, i);
    if (job == LK_JOB_NONE)
      continue;
    if (self->jobs.phase[job] != LK_PHASE_HELD
        || lk_engine_kept_by (self, job) != LK_REASON_RESOURCES)
      return FALSE;
    g_array_append_val (out_jobs, job);
  }
  return TRUE;
}

/* They all stand where the first one does. */
static void
give_keys (LkEngine *self, const GArray *jobs)
{
  void *order = self->instances[LK_INSTANCE_ORDER].self;
  LkJobIndex first = g_array_index (jobs, LkJobIndex, 0);
  gint64 key = ~self->config.order->key (order, &self->view, first);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    self->jobs.rank_key[job] = key;
    if (self->preemption != NULL)
      lk_engine_set_level (self, job);
  }
}

/* Does a job of the queue come before it? */
static gboolean
is_behind (const LkEngine *self, LkJobIndex job)
{
  LkJobIndex first = lk_rank_first (self->queue);
  return first != LK_JOB_NONE && lk_rank_before (self->queue, first, job);
}

/* ---------------------------------------------------------------- limits */

/* It stays where it is, and does not go onto the list of a limit. */
static gboolean
unnote (LkEngine *self, LkJobIndex job)
{
  LkJobCount *count = &self->book->job_counts[job];
  count->is_there = 0;
  count->is_timed = 0;
  count->parked_holder = LK_INDEX_NONE;
  return TRUE;
}

static guint32
first_piece_of (const Attempt *attempt, LkJobIndex job)
{
  return attempt->plan != NULL ? attempt->plan->reservations[job].first_piece : LK_PIECE_NONE;
}

static gboolean
is_over_limit (const Attempt *attempt, LkJobIndex job)
{
  LkEngine *self = attempt->engine;
  if (self->book == NULL)
    return FALSE;
  if (lk_engine_is_blocked (self, job))
    return unnote (self, job);
  return self->machine != NULL
         && lk_engine_is_blocked_there (self, job, first_piece_of (attempt, job))
         && unnote (self, job);
}

static void
count_in (const Attempt *attempt, LkJobIndex job)
{
  LkEngine *self = attempt->engine;
  if (self->book == NULL)
    return;
  if (self->machine != NULL)
    lk_book_tres_given (self->book, self->machine,
                        lk_machine_request (self->machine, self->jobs.request[job]),
                        first_piece_of (attempt, job), lk_book_job_tres (self->book, job));
  lk_engine_account_take (self, job, TRUE);
}

static void
count_out (const Attempt *attempt, LkJobIndex job)
{
  LkEngine *self = attempt->engine;
  if (self->book == NULL)
    return;
  lk_engine_account_take (self, job, FALSE);
  lk_engine_account_asked (self, job);
}

/* ---------------------------------------------------------------- all or none */

static gboolean
find_room (Attempt *attempt, LkJobIndex job)
{
  const LkView *view = &attempt->engine->view;
  guint64 units = attempt->units + view->jobs->units[job];
  if (attempt->engine->machine == NULL && units > view->units_free)
    return FALSE;
  attempt->units = units;
  if (attempt->plan == NULL)
    return TRUE;
  if (lk_plan_ops.earliest (attempt->plan, view, job, view->now_us, view->now_us + 1)
      != view->now_us)
    return FALSE;
  lk_plan_ops.reserve (attempt->plan, view, job, view->now_us);
  return TRUE;
}

static gboolean
place (Attempt *attempt, LkJobIndex job)
{
  if (!find_room (attempt, job))
    return FALSE;
  if (is_over_limit (attempt, job)) {
    if (attempt->plan != NULL)
      lk_plan_ops.release (attempt->plan, &attempt->engine->view, job);
    return FALSE;
  }
  count_in (attempt, job);
  attempt->placed_count++;
  return TRUE;
}

static void
start (Attempt *attempt, LkJobIndex job)
{
  LkEngine *self = attempt->engine;
  guint32 first_piece = LK_PIECE_NONE;
  gboolean backfilled = is_behind (self, job);
  if (attempt->plan != NULL)
    first_piece = lk_plan_take (attempt->plan, &self->view, job);
  lk_engine_let_go (self, job);
  lk_engine_tell_start (self, job);
  lk_engine_start (self, job, first_piece);
  LkDecision decision = { .kind = LK_DECISION_START, .job = job };
  decision.start.job_id = self->jobs.id[job];
  decision.start.units = self->jobs.units[job];
  decision.start.backfilled = (guint8)backfilled;
  if (self->machine != NULL)
    lk_engine_place_text (self, job, &decision.start);
  lk_engine_emit (self, &decision);
}

static void
try_all (Attempt *attempt)
{
  LkEngine *self = attempt->engine;
  const LkJobIndex *jobs = (const LkJobIndex *)(gconstpointer)attempt->jobs->data;
  guint count = attempt->jobs->len;
  while (attempt->placed_count < count && place (attempt, jobs[attempt->placed_count]))
    continue;
  gboolean fits = attempt->placed_count == count;
  for (guint i = attempt->placed_count; i > 0; i--)
    count_out (attempt, jobs[i - 1]);
  for (guint i = 0; i < attempt->placed_count; i++) {
    if (fits)
      start (attempt, jobs[i]);
    else if (attempt->plan != NULL)
      lk_plan_ops.release (attempt->plan, &self->view, jobs[i]);
  }
}

/* ---------------------------------------------------------------- in a pass */

static gint
compare (gconstpointer a, gconstpointer b, gpointer user)
{
  const LkEngine *self = user;
  LkJobIndex job_a = *(const LkJobIndex *)a;
  LkJobIndex job_b = *(const LkJobIndex *)b;
  return job_a == job_b ? 0 : lk_rank_before (self->queue, job_a, job_b) ? -1 : 1;
}

void
lk_engine_het_pass (LkEngine *self, gboolean before)
{
  gboolean keeps_plan = self->config.backfill->job_dequeued != NULL;
  if (self->hets->len == 0 || (before && keeps_plan))
    return;
  g_autoptr (GArray) firsts = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  g_autoptr (GArray) jobs = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  for (guint i = 0; i < self->hets->len; i++) {
    if (!collect (self, &g_array_index (self->hets, LkHet, i), jobs) || jobs->len == 0)
      continue;
    LkJobIndex first = g_array_index (jobs, LkJobIndex, 0);
    give_keys (self, jobs);
    g_array_append_val (firsts, first);
  }
  g_array_sort_with_data (firsts, compare, self);
  for (guint i = 0; i < firsts->len; i++) {
    LkJobIndex first = g_array_index (firsts, LkJobIndex, i);
    if (!keeps_plan && is_behind (self, first))
      return;
    const LkHet *het = lk_engine_het_find (self, first);
    Attempt attempt = { .engine = self, .plan = plan_of (self), .jobs = jobs };
    if (collect (self, het, jobs))
      try_all (&attempt);
  }
}
