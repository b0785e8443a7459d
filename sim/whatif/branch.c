/* sim/whatif/branch.c — see the header. */
#include "sim/whatif/branch.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/event_heap.h"
#include "engine/id_map.h"
#include "engine/job_shown.h"

#define LOOK_US (G_GINT64_CONSTANT (3600) * G_USEC_PER_SEC)

/* A job in the system; entries of the heap that are not those of `serial` are of earlier plans. */
typedef struct {
  guint32 outcome;
  guint32 serial;
  gint64 end_us;    /* LK_TIME_NEVER: it does not run, or not till it is told to end */
  gint64 left_us;   /* suspended: how long it would still run */
  gint64 run_us;    /* told by its arrival; -1: the future says */
  guint32 given_id; /* that its submit had in the journal */
} Job;

struct _LkBranch {
  LkEngine *engine;
  const LkFuture *future;
  LkSink sink;
  GArray *outcomes;       /* of LkOutcome */
  GHashTable *by_key;     /* key -> place + 1 among them */
  GArray *jobs;           /* of Job */
  LkIdMap by_id;          /* of those */
  GHashTable *id_of;      /* id in the journal -> id here, where they differ */
  LkEventHeap ends;       /* the slot is the place in `jobs`, the rank id and serial */
  const LkArrival *comes; /* while it is submitted */
  LkReject refused;
  guint32 job_id_last;
  guint arrival; /* the next one */
  gint64 fork_us;
  gint64 now_us;
  gint64 pass_next_us;
  gint64 pass_delay_us;
  gint64 look_us; /* when those who wait are looked at next */
  gboolean is_news;
  double used; /* capacity times microseconds */
  gint64 used_until_us;
};

/* ---------------------------------------------------------------- jobs */

static Job *
job_of (const LkBranch *self, guint32 job_id)
{
  guint32 place = job_id != 0 ? lk_id_map_find (&self->by_id, job_id) : LK_JOB_NONE;
  return place != LK_JOB_NONE ? &g_array_index (self->jobs, Job, place) : NULL;
}

static LkOutcome *
outcome_of (const LkBranch *self, const Job *job)
{
  return &g_array_index (self->outcomes, LkOutcome, job->outcome);
}

static guint32
outcome_add (LkBranch *self, const LkOutcome *outcome)
{
  guint64 *key = g_new (guint64, 1);
  *key = outcome->key;
  g_array_append_vals (self->outcomes, outcome, 1);
  g_hash_table_replace (self->by_key, key, GUINT_TO_POINTER (self->outcomes->len));
  return self->outcomes->len - 1;
}

/* The id may have been that of another job: the last task of an array has the array's. */
static Job *
job_add (LkBranch *self, guint32 job_id, const LkOutcome *outcome)
{
  Job job = { .outcome = outcome_add (self, outcome), .end_us = LK_TIME_NEVER, .run_us = -1 };
  if (lk_id_map_find (&self->by_id, job_id) != LK_JOB_NONE)
    lk_id_map_remove (&self->by_id, job_id);
  lk_id_map_insert (&self->by_id, job_id, self->jobs->len);
  g_array_append_val (self->jobs, job);
  return &g_array_index (self->jobs, Job, self->jobs->len - 1);
}

static LkOutcome
outcome_at (const LkBranch *self, LkJobIndex index, guint64 key)
{
  const LkJobColumns *jobs = lk_engine_view (self->engine)->jobs;
  return (LkOutcome){ .key = key,
                      .job_id = jobs->id[index],
                      .user_id = jobs->user_id[index],
                      .units = jobs->units[index],
                      .submit_us = jobs->submit_us[index],
                      .limit_us = jobs->estimate_us[index],
                      .start_us = LK_TIME_NEVER,
                      .end_us = LK_TIME_NEVER };
}

static void
ends_at (LkBranch *self, Job *job, gint64 end_us)
{
  const LkOutcome *outcome = outcome_of (self, job);
  job->serial++;
  job->end_us = MAX (end_us, self->now_us);
  if (job->end_us == LK_TIME_NEVER)
    return;
  LkHeapEvent end = { .time_us = job->end_us,
                      .rank = (guint64)outcome->job_id << 32 | job->serial,
                      .slot = (guint32)(job - (Job *)(gpointer)self->jobs->data) };
  lk_event_heap_push (&self->ends, end);
}

static gint64
run_us_of (const LkBranch *self, const Job *job, gint64 elapsed_us)
{
  const LkOutcome *outcome = outcome_of (self, job);
  LkFutureRun run = { .key = outcome->key,
                      .user_id = outcome->user_id,
                      .limit_us = outcome->limit_us,
                      .elapsed_us = elapsed_us };
  return job->run_us >= 0 ? job->run_us : lk_future_run_us (self->future, &run);
}

/* ---------------------------------------------------------------- decisions */

static void
on_start (LkBranch *self, const LkDecision *decision)
{
  Job *job = job_of (self, decision->start.job_id);
  LK_ASSERT (job != NULL);
  LkOutcome *outcome = outcome_of (self, job);
  outcome->limit_us = lk_engine_view (self->engine)->jobs->estimate_us[decision->job];
  outcome->units = decision->start.units;
  if (outcome->start_us == LK_TIME_NEVER && !outcome->runs)
    outcome->start_us = self->now_us;
  outcome->end_us = LK_TIME_NEVER;
  ends_at (self, job, lk_time_add_us (self->now_us, run_us_of (self, job, 0)));
}

static void
on_accept (LkBranch *self, const LkEvent *cause, const LkDecision *decision)
{
  if (cause->kind != LK_EVENT_SUBMIT || decision->job == LK_JOB_NONE)
    return;
  LkOutcome outcome = outcome_at (self, decision->job, self->comes->key);
  outcome.is_drawn = self->comes->is_drawn;
  Job *job = job_add (self, decision->accept.job_id, &outcome);
  job->run_us = self->comes->run_us;
}

static void
on_reject (LkBranch *self, const LkEvent *cause, const LkDecision *decision)
{
  self->refused = (LkReject)decision->reject.error;
  if (cause->kind != LK_EVENT_SUBMIT)
    return;
  LkOutcome outcome = { .key = self->comes->key,
                        .job_id = cause->submit.job_id,
                        .user_id = cause->submit.user_id,
                        .units = cause->submit.procs,
                        .submit_us = self->now_us,
                        .limit_us = cause->submit.estimate_us,
                        .start_us = LK_TIME_NEVER,
                        .end_us = LK_TIME_NEVER,
                        .reject = self->refused,
                        .is_drawn = self->comes->is_drawn };
  outcome_add (self, &outcome);
}

static void
on_task (LkBranch *self, const LkDecision *decision)
{
  const LkDecision_task *task = &decision->task;
  const Job *array = job_of (self, task->array_job_id);
  const LkOutcome *whole = array != NULL ? outcome_of (self, array) : NULL;
  guint32 array_id = whole != NULL ? (guint32)(whole->key >> 32) : task->array_job_id;
  LkOutcome outcome = outcome_at (self, decision->job, lk_past_key_of (array_id, task->task));
  gint64 run_us = array != NULL ? array->run_us : -1;
  if (whole != NULL) {
    outcome.is_fork = whole->is_fork;
    outcome.is_drawn = whole->is_drawn;
  }
  job_add (self, task->job_id, &outcome)->run_us = run_us;
}

static void
on_stop (LkBranch *self, guint32 job_id, gboolean goes_on)
{
  Job *job = job_of (self, job_id);
  if (job == NULL)
    return;
  if (goes_on) {
    ends_at (self, job, lk_time_add_us (self->now_us, job->left_us));
    return;
  }
  job->left_us = job->end_us == LK_TIME_NEVER ? LK_TIME_NEVER : job->end_us - self->now_us;
  ends_at (self, job, LK_TIME_NEVER);
}

/* How long it takes to end when it was told to. */
static gint64
kill_lag_us (const LkBranch *self, const Job *job)
{
  const LkPastRun *told = lk_future_told (self->future, outcome_of (self, job)->key);
  return told != NULL ? MAX (told->lag_us, 0) : 0;
}

static void
on_kill (LkBranch *self, guint32 job_id)
{
  Job *job = job_of (self, job_id);
  if (job != NULL)
    ends_at (self, job, MIN (job->end_us, lk_time_add_us (self->now_us, kill_lag_us (self, job))));
}

/* It goes back to the queue, or is no more: its end does not come. */
static void
on_gone (LkBranch *self, guint32 job_id)
{
  Job *job = job_of (self, job_id);
  if (job != NULL)
    ends_at (self, job, LK_TIME_NEVER);
}

static void
on_notice (LkBranch *self, const LkDecision_notice *notice)
{
  Job *job = job_of (self, notice->job_id);
  if (job == NULL || !lk_job_state_is_end (notice->state))
    return;
  outcome_of (self, job)->end_us = self->now_us;
  on_gone (self, notice->job_id);
}

static void
on_decision (void *user, const LkEvent *cause, const LkDecision *decision)
{
  LkBranch *self = user;
  switch (decision->kind) {
  case LK_DECISION_ACCEPT:
    on_accept (self, cause, decision);
    break;
  case LK_DECISION_REJECT:
    on_reject (self, cause, decision);
    break;
  case LK_DECISION_START:
    on_start (self, decision);
    break;
  case LK_DECISION_TASK:
    on_task (self, decision);
    break;
  case LK_DECISION_KILL:
    on_kill (self, decision->kill.job_id);
    break;
  case LK_DECISION_REQUEUE_JOB:
    on_gone (self, decision->requeue_job.job_id);
    break;
  case LK_DECISION_SUSPEND_JOB:
    on_stop (self, decision->suspend_job.job_id, FALSE);
    break;
  case LK_DECISION_RESUME_JOB:
    on_stop (self, decision->resume_job.job_id, TRUE);
    break;
  case LK_DECISION_NOTICE:
    on_notice (self, &decision->notice);
    break;
  default:
    break;
  }
}

/* ---------------------------------------------------------------- events */

static void
deliver (LkBranch *self, LkEvent *event)
{
  LkEngineCounts counts;
  lk_engine_counts (self->engine, &counts);
  event->seq = counts.event_count + 1;
  event->time_us = self->now_us;
  self->refused = (LkReject)0;
  LkStatus status = lk_engine_apply (self->engine, event, &self->sink);
  LK_ASSERT (status == LK_STATUS_OK);
  self->is_news = event->kind != LK_EVENT_PASS;
}

static void
account_use (LkBranch *self, gint64 until_us)
{
  LkEngineCounts counts;
  lk_engine_counts (self->engine, &counts);
  gint64 since_us = MAX (self->used_until_us, self->fork_us);
  if (until_us > since_us) {
    double units = (double)lk_engine_view (self->engine)->units_total - (double)counts.units_free;
    self->used += units * (double)(until_us - since_us);
  }
  self->used_until_us = MAX (until_us, self->used_until_us);
}

/* The next end that will really come, or NULL. */
static const LkHeapEvent *
next_end (LkBranch *self)
{
  const LkHeapEvent *end = lk_event_heap_first (&self->ends);
  while (end != NULL) {
    const Job *job = &g_array_index (self->jobs, Job, end->slot);
    if (job->end_us == end->time_us && (guint32)end->rank == job->serial)
      return end;
    lk_event_heap_pop (&self->ends);
    end = lk_event_heap_first (&self->ends);
  }
  return NULL;
}

static void
deliver_ends (LkBranch *self)
{
  for (const LkHeapEvent *end = next_end (self); end != NULL && end->time_us == self->now_us;
       end = next_end (self)) {
    LkEvent event = { .kind = LK_EVENT_JOB_ENDED };
    Job *job = &g_array_index (self->jobs, Job, end->slot);
    const LkPastRun *told = lk_future_told (self->future, outcome_of (self, job)->key);
    if (told != NULL)
      event.job_ended = told->ended;
    event.job_ended.job_id = outcome_of (self, job)->job_id;
    job->end_us = LK_TIME_NEVER;
    lk_event_heap_pop (&self->ends);
    deliver (self, &event);
  }
}

/* ---------------------------------------------------------------- who comes */

static guint32
id_here (const LkBranch *self, guint32 job_id)
{
  gpointer found = g_hash_table_lookup (self->id_of, GUINT_TO_POINTER (job_id));
  return found != NULL ? GPOINTER_TO_UINT (found) : job_id;
}

/* Which job the event means; NULL: none. */
static guint32 *
target_of (LkEvent *event)
{
  switch (event->kind) {
  case LK_EVENT_UPDATE:
    return &event->update.job_id;
  case LK_EVENT_CANCEL:
    return &event->cancel.job_id;
  case LK_EVENT_HOLD:
    return &event->hold.job_id;
  case LK_EVENT_RELEASE:
    return &event->release.job_id;
  case LK_EVENT_REQUEUE:
    return &event->requeue.job_id;
  case LK_EVENT_SIGNAL:
    return &event->signal.job_id;
  case LK_EVENT_SUSPEND:
    return &event->suspend.job_id;
  case LK_EVENT_RESUME:
    return &event->resume.job_id;
  default:
    return NULL;
  }
}

/* A dependency with the ids that jobs have here. Returns: (transfer full). */
static char *
dependency_here (const LkBranch *self, LkText asked)
{
  GString *out = g_string_new (NULL);
  const char *end = asked.bytes + asked.length_bytes;
  for (const char *at = asked.bytes; at < end;) {
    guint64 number = 0;
    const char *digits = at;
    for (; at < end && g_ascii_isdigit (*at); at++)
      number = MIN (number * 10 + (guint64)(*at - '0'), G_MAXUINT32);
    /* Behind a colon stand ids, but behind a plus minutes. */
    if (at > digits && digits > asked.bytes && digits[-1] == ':')
      g_string_append_printf (out, "%u", id_here (self, (guint32)number));
    else if (at > digits)
      g_string_append_len (out, digits, at - digits);
    else
      g_string_append_c (out, *at++);
  }
  return g_string_free (out, FALSE);
}

static void
submit (LkBranch *self, LkEvent *event, const LkArrival *arrival)
{
  guint32 given_id = event->submit.job_id;
  guint32 next_id = MAX (self->job_id_last + 1, lk_engine_job_id_next (self->engine));
  guint32 id = arrival->is_new ? next_id : MAX (given_id, next_id);
  if (event->submit.het_count > 0)
    event->submit.het_leader =
        event->submit.het_offset == 0 ? id : id_here (self, event->submit.het_leader);
  if (id != given_id && given_id != 0)
    g_hash_table_replace (self->id_of, GUINT_TO_POINTER (given_id), GUINT_TO_POINTER (id));
  event->submit.job_id = self->job_id_last = id;
  self->comes = arrival;
  deliver (self, event);
  self->comes = NULL;
}

/* A day that was drawn brings jobs that depend on no other, as those of then are gone. */
static void
settle_terms (LkBranch *self, LkEvent_submit *asked, const LkArrival *arrival, char **out_text)
{
  if (arrival->is_drawn) {
    asked->dependency = lk_text ("");
    asked->begin_us = asked->begin_us > 0 ? asked->begin_us + arrival->shift_us : 0;
    asked->deadline_us = asked->deadline_us > 0 ? asked->deadline_us + arrival->shift_us : 0;
  } else if (asked->dependency.length_bytes > 0 && g_hash_table_size (self->id_of) > 0) {
    *out_text = dependency_here (self, asked->dependency);
    asked->dependency = lk_text (*out_text);
  }
}

static void
deliver_arrival (LkBranch *self, const LkArrival *arrival)
{
  LkEvent event;
  g_autofree char *text = NULL;
  gsize used = lk_event_decode (arrival->bytes, arrival->length_bytes, &event);
  LK_ASSERT (used == arrival->length_bytes); /* it was encoded here */
  if (event.kind == LK_EVENT_SUBMIT) {
    settle_terms (self, &event.submit, arrival, &text);
    submit (self, &event, arrival);
    return;
  }
  guint32 *target = target_of (&event);
  if (target != NULL)
    *target = id_here (self, *target);
  deliver (self, &event);
}

static const LkArrival *
next_arrival (const LkBranch *self)
{
  const GArray *arrivals = lk_future_arrivals (self->future);
  return self->arrival < arrivals->len ? &g_array_index (arrivals, LkArrival, self->arrival) : NULL;
}

/* ---------------------------------------------------------------- instants */

static gboolean
is_pass_wanted (const LkBranch *self)
{
  return self->is_news && lk_engine_pass_wanted (self->engine);
}

static void
deliver_instant (LkBranch *self)
{
  LkEvent timer = { .kind = LK_EVENT_TIMER };
  LkEvent pass = { .kind = LK_EVENT_PASS };
  deliver_ends (self);
  for (const LkArrival *arrival = next_arrival (self);
       arrival != NULL && arrival->time_us <= self->now_us; arrival = next_arrival (self)) {
    self->arrival++;
    deliver_arrival (self, arrival);
  }
  if (lk_engine_wake_us (self->engine) <= self->now_us)
    deliver (self, &timer);
  deliver_ends (self);
  if (!is_pass_wanted (self) || self->pass_next_us > self->now_us)
    return;
  self->pass_next_us = lk_time_add_us (self->now_us, self->pass_delay_us);
  deliver (self, &pass);
}

/* What happens next; LK_TIME_NEVER: nothing does. */
static gint64
next_us (LkBranch *self)
{
  const LkHeapEvent *end = next_end (self);
  const LkArrival *arrival = next_arrival (self);
  gint64 at_us = lk_engine_wake_us (self->engine);
  if (end != NULL)
    at_us = MIN (at_us, end->time_us);
  if (arrival != NULL)
    at_us = MIN (at_us, arrival->time_us);
  if (is_pass_wanted (self))
    at_us = MIN (at_us, self->pass_next_us);
  return at_us == LK_TIME_NEVER ? at_us : MAX (at_us, self->now_us);
}

/* ---------------------------------------------------------------- who waits, and why */

static void
look (LkBranch *self, gboolean is_last)
{
  const LkView *view = lk_engine_view (self->engine);
  for (LkJobIndex index = 0; index < view->job_index_limit; index++) {
    LkJobInfo info;
    guint8 phase = view->jobs->phase[index];
    if (phase == LK_PHASE_FREE || phase == LK_PHASE_RUNNING || phase == LK_PHASE_SUSPENDED
        || !lk_engine_job (self->engine, view->jobs->id[index], &info))
      continue;
    Job *job = job_of (self, info.id);
    if (job == NULL)
      continue;
    LkOutcome *outcome = outcome_of (self, job);
    outcome->reasons[info.reason / 64 % 4] |= G_GUINT64_CONSTANT (1) << info.reason % 64;
    outcome->waits = is_last;
    outcome->reason = info.reason;
    outcome->units = info.units;
  }
}

/* Nothing is ahead, or nothing that could ever help it. */
static void
tell_never (LkBranch *self, gboolean is_quiet)
{
  for (guint i = 0; i < self->outcomes->len; i++) {
    LkOutcome *outcome = &g_array_index (self->outcomes, LkOutcome, i);
    LkReason reason = outcome->reason;
    gboolean is_hopeless =
        reason == LK_REASON_DEPENDENCY_NEVER_SATISFIED || reason == LK_REASON_BAD_CONSTRAINTS
        || reason == LK_REASON_PARTITION_NODE_LIMIT || reason == LK_REASON_PARTITION_TIME_LIMIT
        || reason == LK_REASON_RESERVATION_DELETED || reason == LK_REASON_RESERVATION_INVALID;
    outcome->never = outcome->waits && (is_quiet || is_hopeless);
  }
}

/* ---------------------------------------------------------------- the whole */

static void
take_running (LkBranch *self, Job *job, const LkJobInfo *info, const LkWhatifPast *past)
{
  gint64 killed_us = lk_past_killed_us (past, info->id);
  gint64 elapsed_us = lk_job_ran_us (info, self->fork_us);
  gint64 run_us = run_us_of (self, job, elapsed_us);
  gint64 left_us = run_us == LK_TIME_NEVER ? run_us : MAX (run_us - elapsed_us, 0);
  outcome_of (self, job)->runs = TRUE;
  if (killed_us != LK_TIME_NEVER)
    ends_at (self, job, lk_time_add_us (killed_us, kill_lag_us (self, job)));
  else if (info->state == LK_JOB_SUSPENDED)
    job->left_us = left_us;
  else
    ends_at (self, job, lk_time_add_us (self->fork_us, left_us));
}

static void
take_jobs (LkBranch *self, const LkWhatifPast *past)
{
  const LkView *view = lk_engine_view (self->engine);
  for (LkJobIndex index = 0; index < view->job_index_limit; index++) {
    LkJobInfo info;
    if (view->jobs->phase[index] == LK_PHASE_FREE
        || !lk_engine_job (self->engine, view->jobs->id[index], &info))
      continue;
    LkOutcome outcome = outcome_at (self, index, lk_past_key (self->engine, index));
    outcome.is_fork = TRUE;
    Job *job = job_add (self, info.id, &outcome);
    if (view->jobs->phase[index] == LK_PHASE_RUNNING
        || view->jobs->phase[index] == LK_PHASE_SUSPENDED)
      take_running (self, job, &info, past);
  }
}

LkBranch *
lk_branch_new (LkEngine *engine, const LkWhatifState *state, const LkFuture *future)
{
  LkBranch *self = g_new0 (LkBranch, 1);
  self->engine = engine;
  self->future = future;
  self->sink = (LkSink){ on_decision, self };
  self->outcomes = g_array_new (FALSE, FALSE, sizeof (LkOutcome));
  self->by_key = g_hash_table_new_full (lk_past_key_hash, g_int64_equal, g_free, NULL);
  self->jobs = g_array_new (FALSE, FALSE, sizeof (Job));
  lk_id_map_init (&self->by_id);
  self->id_of = g_hash_table_new (NULL, NULL);
  lk_event_heap_init (&self->ends);
  self->job_id_last = state->past.job_id_last;
  self->now_us = self->fork_us = state->moment_us;
  self->pass_delay_us = lk_whatif_pass_delay_us (state);
  self->pass_next_us = state->past.pass_last_us == G_MININT64
                           ? self->fork_us
                           : lk_time_add_us (state->past.pass_last_us, self->pass_delay_us);
  self->is_news = state->past.is_news;
  self->used_until_us = self->fork_us;
  self->look_us = self->fork_us;
  take_jobs (self, &state->past);
  return self;
}

void
lk_branch_free (LkBranch *self)
{
  if (self == NULL)
    return;
  lk_engine_free (self->engine);
  g_array_unref (self->outcomes);
  g_hash_table_unref (self->by_key);
  g_array_unref (self->jobs);
  lk_id_map_clear (&self->by_id);
  g_hash_table_unref (self->id_of);
  lk_event_heap_clear (&self->ends);
  g_free (self);
}

LkReject
lk_branch_apply (LkBranch *self, LkEvent *event)
{
  deliver (self, event);
  return self->refused;
}

LkReject
lk_branch_submit (LkBranch *self, LkEvent *event, guint64 key)
{
  LkArrival arrival = { .key = key, .run_us = -1, .is_new = TRUE };
  submit (self, event, &arrival);
  return self->refused;
}

void
lk_branch_run (LkBranch *self, gint64 end_us, guint64 until_key)
{
  const LkOutcome *until = lk_branch_find (self, until_key);
  guint place = until != NULL ? (guint)(until - (LkOutcome *)(gpointer)self->outcomes->data) : 0;
  gint64 at_us = next_us (self);
  while (at_us <= end_us && at_us != LK_TIME_NEVER) {
    if (at_us >= self->look_us && until == NULL) {
      look (self, FALSE);
      self->look_us = lk_time_add_us (at_us, LOOK_US);
    }
    account_use (self, at_us);
    self->now_us = at_us;
    deliver_instant (self);
    if (until != NULL && g_array_index (self->outcomes, LkOutcome, place).start_us != LK_TIME_NEVER)
      return;
    at_us = next_us (self);
  }
  account_use (self, end_us);
  look (self, TRUE);
  tell_never (self, at_us == LK_TIME_NEVER);
}

const GArray *
lk_branch_outcomes (const LkBranch *self)
{
  return self->outcomes;
}

const LkOutcome *
lk_branch_find (const LkBranch *self, guint64 key)
{
  gpointer place = key != 0 ? g_hash_table_lookup (self->by_key, &key) : NULL;
  return place != NULL ? &g_array_index (self->outcomes, LkOutcome, GPOINTER_TO_UINT (place) - 1)
                       : NULL;
}

const LkEngine *
lk_branch_engine (const LkBranch *self)
{
  return self->engine;
}

double
lk_branch_use_ratio (const LkBranch *self)
{
  double span = (double)(self->used_until_us - self->fork_us)
                * (double)lk_engine_view (self->engine)->units_total;
  return span > 0.0 ? self->used / span : 0.0;
}
