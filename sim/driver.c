/* sim/driver.c — see the header.
 *
 * The virtual cluster is an array of slots, one for each job in the system, indexed as the engine
 * indexes its jobs, and a heap of ends.  A killed job gets a second entry in the heap at the moment
 * of the kill; the first one is then stale and is dropped when it comes up. */
#include "sim/driver.h"

#include <math.h>
#include <string.h>

#include "engine/assert.h"
#include "engine/billing.h"
#include "sim/error.h"
#include "sim/event_heap.h"

#define TICK_EVENTS 65536u

typedef struct {
  LkSimJob job;
  guint32 id;       /* 0: not running */
  guint64 end_rank; /* of its entry in the heap that counts */
  gint64 start_us;
  gint64 end_us;
  gint64 left_us; /* suspended: how long it would still run */
  gboolean backfilled;
  gboolean started;  /* it runs, or has just ended */
  gboolean requeued; /* its run has just ended with a requeue */
  guint32 restarts;
  char *nodes; /* on a machine of nodes, while it runs */
  char *cores;
  char *gres;
  LkHolding holding;
  double billing;
  guint32 association; /* LK_INDEX_NONE: none; so is the next one */
  guint32 qos;
} Slot;

typedef struct {
  const LkSimOptions *options;
  const LkSimClient *client;
  LkEngine *engine;
  LkSink sink;
  LkEventHeap ends;
  Slot *slots;
  guint32 slot_count;
  guint32 job_id_last;
  guint64 seq;
  gint64 now_us;
  gint64 wake_us; /* LK_TIME_NEVER: the engine asked for none */
  guint64 rejected_count;
  guint64 rejected[LK_REJECT_LIMIT];
  guint64 start_count;
  guint64 requeued_count;
  guint64 preempted_count;
  guint64 node_event_count;
  guint64 unstarted_count;
  gboolean giving_up;        /* what is left is being cancelled */
  LkClusterSeries *series;   /* NULL: none */
  gint64 moment_us;          /* the next one to tell of; LK_TIME_NEVER: none */
  LkSimNodeEvent node_event; /* valid when has_node_event */
  gboolean has_node_event;

  LkSimJob next; /* valid when next_state is 1 */
  int next_state;
  const LkSimJob *submitting;
  LkReject refused; /* the last event was, and why; 0: it was not */
  gboolean failed;  /* a client function failed, `error` is set */
  GError **error;
} Driver;

/* ---------------------------------------------------------------- decisions */

static Slot *
slot_of (Driver *self, LkJobIndex job)
{
  if (job >= self->slot_count) {
    guint32 count = MAX (job + 1, MAX (256, 2 * self->slot_count));
    self->slots = g_renew (Slot, self->slots, count);
    memset (self->slots + self->slot_count, 0, (count - self->slot_count) * sizeof (Slot));
    self->slot_count = count;
  }
  return &self->slots[job];
}

static void
ends_at (Driver *self, Slot *slot, LkJobIndex job, gint64 end_us)
{
  slot->end_us = end_us;
  slot->end_rank = self->options->tie_rule == LK_TIE_INSTANT ? slot->id : self->start_count;
  lk_event_heap_push (&self->ends, (LkHeapEvent){ end_us, slot->end_rank, job });
}

static gint64
run_end_us (gint64 start_us, gint64 run_us)
{
  gint64 end_us;
  return __builtin_add_overflow (start_us, run_us, &end_us) ? G_MAXINT64 : end_us;
}

/* When a job that starts now ends, unless it is told to before. One that reaches its time limit
 * ends when the limit is looked at. */
static gint64
planned_end_us (const Driver *self, const Slot *slot)
{
  const LkSimLatency *latency = &self->options->latency;
  const LkSimJob *job = &slot->job;
  if (latency->check_us > 0 && job->run_us >= job->estimate_us)
    return lk_sim_latency_check_us (latency, lk_engine_view (self->engine)->origin_us,
                                    run_end_us (self->now_us, job->estimate_us));
  return run_end_us (run_end_us (self->now_us, job->run_us),
                     lk_sim_latency_us (latency, self->start_count));
}

/* A job is told to end: at once, or, for its time limit, when that is looked at, if it has not
 * ended by itself by then. */
static void
on_kill (Driver *self, const LkDecision *decision)
{
  const LkSimLatency *latency = &self->options->latency;
  Slot *slot = slot_of (self, decision->job);
  gint64 end_us = self->now_us;
  if (decision->kill.why == LK_KILL_TIME_LIMIT)
    end_us =
        lk_sim_latency_check_us (latency, lk_engine_view (self->engine)->origin_us, self->now_us);
  end_us = run_end_us (end_us, latency->kill_wait_us);
  ends_at (self, slot, decision->job, MIN (end_us, slot->end_us));
}

static char *
long_text (LkLongText text)
{
  return g_strndup (text.bytes, text.length_bytes);
}

static void
on_placed (Driver *self, Slot *slot, const LkDecision_start *start)
{
  const LkNodeTable *nodes = lk_engine_nodes (self->engine);
  if (nodes == NULL)
    return;
  slot->nodes = long_text (start->nodes);
  slot->cores = long_text (start->cores);
  slot->gres = long_text (start->gres);
  guint32 first_piece = lk_engine_job_pieces (self->engine, start->job_id);
  slot->holding = lk_holding_of (nodes, first_piece);
  slot->billing = lk_billing_of (lk_engine_machine (self->engine),
                                 lk_engine_job_request (self->engine, start->job_id), first_piece);
  if (self->series != NULL)
    lk_cluster_series_started (self->series, &slot->holding);
}

static void
slot_leave_nodes (Driver *self, Slot *slot)
{
  if (slot->nodes != NULL && self->series != NULL)
    lk_cluster_series_ended (self->series, &slot->holding);
  g_clear_pointer (&slot->nodes, g_free);
  g_clear_pointer (&slot->cores, g_free);
  g_clear_pointer (&slot->gres, g_free);
}

static void
on_requeue (Driver *self, const LkDecision *decision)
{
  Slot *slot = slot_of (self, decision->job);
  slot->id = 0; /* its end does not come */
  slot->requeued = TRUE;
  slot->started = FALSE;
  slot->restarts++;
  self->requeued_count++;
  slot_leave_nodes (self, slot);
}

static void
on_accept (Driver *self, const LkDecision *decision)
{
  LkDemand demand;
  if (self->submitting == NULL || decision->job == LK_JOB_NONE)
    return;
  Slot *slot = slot_of (self, decision->job);
  *slot = (Slot){ .job = *self->submitting };
  if (self->series != NULL
      && lk_host ()->job_demand (lk_engine_view (self->engine), decision->job, &demand))
    lk_cluster_series_submitted (self->series, &demand);
}

/* Counted are submits only: a request of ours that comes too late is no job. */
static void
on_reject (Driver *self, const LkDecision *decision)
{
  self->refused = (LkReject)decision->reject.error;
  if (self->submitting == NULL)
    return;
  self->rejected_count++;
  if (decision->reject.error < LK_REJECT_LIMIT)
    self->rejected[decision->reject.error]++;
}

static void
on_start (Driver *self, const LkDecision *decision)
{
  Slot *slot = slot_of (self, decision->job);
  on_placed (self, slot, &decision->start);
  slot->id = decision->start.job_id;
  if (slot->job.estimate_us == 0)
    slot->job.estimate_us = lk_engine_view (self->engine)->jobs->estimate_us[decision->job];
  slot->start_us = self->now_us;
  slot->started = TRUE;
  self->start_count++;
  slot->backfilled = decision->start.backfilled != 0;
  slot->association = lk_engine_view (self->engine)->jobs->association[decision->job];
  slot->qos = lk_engine_view (self->engine)->jobs->qos[decision->job];
  ends_at (self, slot, decision->job, planned_end_us (self, slot));
}

/* Its end is as far away when it goes on as it was when it was stopped. */
static void
on_suspend (Driver *self, const LkDecision *decision)
{
  Slot *slot = slot_of (self, decision->job);
  slot->left_us = slot->end_us - self->now_us;
  slot->end_us = LK_TIME_NEVER;
}

static void
on_resume (Driver *self, const LkDecision *decision)
{
  Slot *slot = slot_of (self, decision->job);
  ends_at (self, slot, decision->job, run_end_us (self->now_us, slot->left_us));
}

static const char *
account_name (const Driver *self, const Slot *slot)
{
  if (slot->association == LK_INDEX_NONE)
    return "";
  const LkAccounts *accounts = self->options->config->accounts;
  const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, slot->association);
  return spec->account;
}

static const char *
qos_name (const Driver *self, const Slot *slot)
{
  if (slot->qos == LK_INDEX_NONE)
    return "";
  const LkQosSpec *spec = g_ptr_array_index (self->options->config->accounts->qos, slot->qos);
  return spec->name;
}

static void
on_notice (Driver *self, const LkDecision *decision)
{
  if (!lk_job_state_is_end (decision->notice.state) || self->failed)
    return;
  Slot *slot = slot_of (self, decision->job);
  if (slot->requeued) {
    slot->requeued = FALSE;
    return;
  }
  slot->id = 0;
  if (self->giving_up || !slot->started) {
    self->unstarted_count++;
    return;
  }
  LkSimResult result = { .job = slot->job,
                         .start_us = slot->start_us,
                         .end_us = self->now_us,
                         .state = (LkJobState)decision->notice.state,
                         .backfilled = slot->backfilled,
                         .restarts = slot->restarts,
                         .nodes = slot->nodes,
                         .cores = slot->cores,
                         .gres = slot->gres,
                         .holding = slot->holding,
                         .billing = slot->billing,
                         .account = account_name (self, slot),
                         .qos = qos_name (self, slot) };
  self->failed = !self->client->job_ended (self->client->user, &result, self->error);
  slot_leave_nodes (self, slot);
}

/* A task of an array becomes a job of its own. */
static void
on_task (Driver *self, const LkDecision *decision)
{
  const LkDecision_task *task = &decision->task;
  LkJobIndex array = lk_engine_job_index (self->engine, task->array_job_id);
  LkSimJob job = array != LK_JOB_NONE ? slot_of (self, array)->job : (LkSimJob){ 0 };
  if (self->client->task != NULL)
    self->client->task (self->client->user, task, &job);
  if (decision->job != array)
    *slot_of (self, decision->job) = (Slot){ .job = job };
  else
    slot_of (self, array)->job = job;
}

static void
on_signal (Driver *self, const LkDecision *decision)
{
  Slot *slot = slot_of (self, decision->job);
  if (slot->id == 0 || slot->job.on_signal == 0
      || slot->job.on_signal != decision->signal_job.signal)
    return;
  slot->job.exit_code = slot->job.on_signal_exit_code;
  ends_at (self, slot, decision->job, self->now_us);
}

static void
on_decision (void *user, const LkEvent *cause, const LkDecision *decision)
{
  Driver *self = user;
  if (self->client->decided != NULL)
    self->client->decided (self->client->user, cause, decision);
  switch (decision->kind) {
  case LK_DECISION_ACCEPT:
    on_accept (self, decision);
    break;
  case LK_DECISION_REQUEUE_JOB:
    on_requeue (self, decision);
    break;
  case LK_DECISION_PREEMPT:
    self->preempted_count++;
    break;
  case LK_DECISION_REJECT:
    on_reject (self, decision);
    break;
  case LK_DECISION_START:
    on_start (self, decision);
    break;
  case LK_DECISION_KILL:
    on_kill (self, decision);
    break;
  case LK_DECISION_SUSPEND_JOB:
    on_suspend (self, decision);
    break;
  case LK_DECISION_RESUME_JOB:
    on_resume (self, decision);
    break;
  case LK_DECISION_WAKE:
    self->wake_us = decision->wake.at_us;
    break;
  case LK_DECISION_NOTICE:
    on_notice (self, decision);
    break;
  case LK_DECISION_TASK:
    on_task (self, decision);
    break;
  case LK_DECISION_SIGNAL_JOB:
    on_signal (self, decision);
    break;
  default:
    break;
  }
}

/* ---------------------------------------------------------------- events */

static void
write_journal (Driver *self, const LkEvent *event)
{
  LkJournalWriter *journal = self->options->journal;
  LkDecided decided = lk_engine_decided (self->engine);
  lk_journal_writer_event (journal, event, &decided);
  if (lk_journal_writer_is_full (journal)) {
    LkEngineCounts counts;
    lk_engine_counts (self->engine, &counts);
    lk_journal_writer_commit (journal, counts.decision_count, lk_engine_digest (self->engine));
  }
}

static void
deliver (Driver *self, LkEvent *event)
{
  event->seq = ++self->seq;
  event->time_us = self->now_us;
  LkStatus status = lk_engine_apply (self->engine, event, &self->sink);
  LK_ASSERT (status == LK_STATUS_OK);
  if (self->options->journal != NULL)
    write_journal (self, event);
  if (self->seq % TICK_EVENTS == 0 && self->client->tick != NULL && !self->failed)
    self->failed = !self->client->tick (self->client->user, self->now_us, self->seq, self->error);
}

static void
deliver_pass (Driver *self)
{
  LkEvent event;
  event.kind = LK_EVENT_PASS;
  if (lk_engine_pass_wanted (self->engine))
    deliver (self, &event);
}

/* The next end that will really happen, or NULL. */
static const LkHeapEvent *
next_end (Driver *self)
{
  const LkHeapEvent *first = lk_event_heap_first (&self->ends);
  while (first != NULL) {
    const Slot *slot = &self->slots[first->slot];
    if (slot->id != 0 && slot->end_rank == first->rank && slot->end_us == first->time_us)
      return first;
    lk_event_heap_pop (&self->ends);
    first = lk_event_heap_first (&self->ends);
  }
  return NULL;
}

static void
deliver_end (Driver *self, guint32 slot_index)
{
  Slot *slot = &self->slots[slot_index];
  LkEvent event; /* large, so that only what is used is set */
  event.kind = LK_EVENT_JOB_ENDED;
  event.job_ended = (LkEvent_job_ended){ .job_id = slot->id,
                                         .exit_code = slot->job.exit_code,
                                         .signal = slot->job.exit_signal,
                                         .cancelled = slot->job.cancelled != FALSE };
  slot->id = 0;
  deliver (self, &event);
}

static void
deliver_ends (Driver *self)
{
  for (const LkHeapEvent *end = next_end (self); end != NULL && end->time_us == self->now_us;
       end = next_end (self)) {
    guint32 slot_index = end->slot;
    lk_event_heap_pop (&self->ends);
    deliver_end (self, slot_index);
  }
}

static void
take_next_job (Driver *self)
{
  if (self->failed)
    return;
  self->next_state = self->client->next_job (self->client->user, &self->next, self->error);
  self->failed = self->next_state < 0;
}

static gboolean
submit_is_due (const Driver *self)
{
  return self->next_state > 0 && self->next.submit_us == self->now_us && !self->failed;
}

static LkReject
control_apply (gpointer driver, LkEvent *event)
{
  Driver *self = driver;
  self->refused = (LkReject)0;
  deliver (self, event);
  return self->refused;
}

static LkReject
control_submit (gpointer driver, LkEvent *event, const LkSimJob *job)
{
  Driver *self = driver;
  self->submitting = job;
  LkReject refused = control_apply (self, event);
  self->submitting = NULL;
  return refused;
}

/* Above those of submits that were refused, and of tasks of arrays. */
static guint32
next_job_id (const Driver *self)
{
  return MAX (self->job_id_last + 1, lk_engine_job_id_next (self->engine));
}

static void
deliver_submit (Driver *self)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  self->job_id_last = next_job_id (self);
  event.submit.job_id = self->job_id_last;
  event.submit.user_id = self->next.user_id;
  event.submit.group_id = self->next.group_id;
  event.submit.partition_id = self->next.partition_id;
  event.submit.procs = self->next.procs;
  event.submit.estimate_us = self->next.estimate_us;
  if (self->next.request != NULL)
    lk_submit_set_request (&event.submit, self->next.request);
  if (self->next.terms != NULL)
    lk_submit_set_terms (&event.submit, self->next.terms);
  control_submit (self, &event, &self->next);
  take_next_job (self);
}

/* ---------------------------------------------------------------- the client acts */

static void
deliver_actions (Driver *self)
{
  const LkSimClient *client = self->client;
  while (client->next_action_us != NULL && !self->failed
         && client->next_action_us (client->user) <= self->now_us) {
    LkSimControl control = { .engine = self->engine,
                             .now_us = self->now_us,
                             .job_id_last = &self->job_id_last,
                             .apply = control_apply,
                             .submit = control_submit,
                             .driver = self };
    self->failed = !client->act (client->user, &control, self->error);
  }
}

/* ---------------------------------------------------------------- nodes */

static void
take_node_event (Driver *self)
{
  self->has_node_event = self->client->next_node_event != NULL
                         && self->client->next_node_event (self->client->user, &self->node_event);
}

static void
deliver_node_events (Driver *self)
{
  while (self->has_node_event && self->node_event.time_us <= self->now_us) {
    LkEvent event = { .kind = self->node_event.kind };
    LkText node = lk_text (self->node_event.node);
    LkText reason = lk_text (self->node_event.reason);
    if (event.kind == LK_EVENT_NODE_DOWN)
      event.node_down = (LkEvent_node_down){ .node = node, .reason = reason };
    else if (event.kind == LK_EVENT_NODE_DRAIN)
      event.node_drain = (LkEvent_node_drain){ .node = node, .reason = reason };
    else if (event.kind == LK_EVENT_NODE_UP)
      event.node_up.node = node;
    else
      event.node_resume.node = node;
    self->node_event_count++;
    deliver (self, &event);
    take_node_event (self);
  }
}

static void
deliver_timer (Driver *self)
{
  LkEvent event;
  event.kind = LK_EVENT_TIMER;
  if (self->wake_us > self->now_us)
    return;
  self->wake_us = LK_TIME_NEVER;
  deliver (self, &event);
  deliver_ends (self);
}

static void
instant_together (Driver *self)
{
  deliver_ends (self);
  deliver_node_events (self);
  while (submit_is_due (self))
    deliver_submit (self);
  deliver_actions (self);
  deliver_timer (self);
  deliver_pass (self);
}

static guint32
units_free (const Driver *self)
{
  LkEngineCounts counts;
  lk_engine_counts (self->engine, &counts);
  return counts.units_free;
}

/* Takes the ends of this instant out of the heap, in order of start. Returns: (transfer full), of
 * slot indices. */
static GArray *
take_ends (Driver *self)
{
  GArray *slots = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (const LkHeapEvent *end = next_end (self); end != NULL && end->time_us == self->now_us;
       end = next_end (self)) {
    g_array_append_val (slots, end->slot);
    lk_event_heap_pop (&self->ends);
  }
  return slots;
}

static gboolean
ends_as_expected (const Driver *self, guint32 slot_index)
{
  const Slot *slot = &self->slots[slot_index];
  return slot->end_us - slot->start_us >= slot->job.estimate_us;
}

static void
instant_sequential (Driver *self)
{
  g_autoptr (GArray) ends = take_ends (self);
  g_autoptr (GByteArray) expected = g_byte_array_new ();
  for (guint i = 0; i < ends->len; i++) {
    guint32 slot_index = g_array_index (ends, guint32, i);
    guint8 as_expected = ends_as_expected (self, slot_index) != FALSE;
    g_byte_array_append (expected, &as_expected, 1);
    if (as_expected)
      deliver_end (self, slot_index);
  }
  deliver_timer (self); /* jobs that are killed end as expected, too */
  deliver_node_events (self);
  while (submit_is_due (self)) {
    gboolean fits = self->next.procs <= units_free (self);
    deliver_submit (self);
    if (fits)
      deliver_pass (self);
  }
  deliver_actions (self);
  for (guint i = 0; i < ends->len; i++) {
    if (!expected->data[i])
      deliver_end (self, g_array_index (ends, guint32, i));
    deliver_pass (self);
  }
  deliver_pass (self);
}

/* The next moment at which something happens, or LK_TIME_NEVER. */
static gint64
next_instant_us (Driver *self)
{
  const LkHeapEvent *end = next_end (self);
  gint64 next_us = end != NULL ? end->time_us : LK_TIME_NEVER;
  if (self->next_state > 0)
    next_us = MIN (next_us, self->next.submit_us);
  if (self->client->next_action_us != NULL)
    next_us = MIN (next_us, self->client->next_action_us (self->client->user));
  /* A timer and nodes matter only as long as there are jobs. */
  LkEngineCounts counts;
  gint64 aside_us = self->wake_us;
  if (self->has_node_event)
    aside_us = MIN (aside_us, MAX (self->node_event.time_us, self->now_us));
  if (aside_us < next_us) {
    lk_engine_counts (self->engine, &counts);
    if (self->next_state > 0 || counts.pending_count + counts.running_count > 0)
      next_us = aside_us;
  }
  return next_us;
}

static gboolean
advance_series (Driver *self)
{
  LkEngineCounts counts;
  if (self->series == NULL)
    return TRUE;
  lk_engine_counts (self->engine, &counts);
  return lk_cluster_series_advance (self->series, self->now_us, &counts, self->error);
}

/* A job may be left that nothing can start: it waits for nodes that do not come back or for a job
 * that failed, or never could run.  It is cancelled, so that the journal tells the whole. */
static void
give_up (Driver *self)
{
  const LkView *view = lk_engine_view (self->engine);
  LkEngineCounts counts;
  lk_engine_counts (self->engine, &counts);
  if (self->failed || (view->cluster == NULL && counts.pending_count == view->pending_count))
    return;
  g_autoptr (GArray) ids = lk_engine_queue_ids (self->engine);
  self->giving_up = TRUE;
  for (guint i = 0; i < ids->len; i++) {
    LkEvent event = { .kind = LK_EVENT_CANCEL };
    event.cancel.job_id = g_array_index (ids, guint32, i);
    deliver (self, &event);
  }
}

/* ---------------------------------------------------------------- moments */

static const LkSimJob *
job_of_id (gconstpointer driver, guint32 job_id)
{
  const Driver *self = driver;
  LkJobIndex job = lk_engine_job_index (self->engine, job_id);
  return job < self->slot_count ? &self->slots[job].job : NULL;
}

static void
tell_moment (Driver *self, gint64 at_us)
{
  LkSimMoment moment = { .engine = self->engine, .at_us = at_us, .job = job_of_id, .driver = self };
  if (self->client->moment != NULL && !self->failed)
    self->client->moment (self->client->user, &moment);
}

/* Those before the next instant: nothing more will happen up to them. */
static void
tell_moments_before (Driver *self, gint64 next_us)
{
  while (self->moment_us < next_us) {
    tell_moment (self, self->moment_us);
    self->moment_us = self->client->next_moment_us (self->client->user);
  }
}

static void
next_instant (Driver *self)
{
  gboolean has_submits = self->next_state > 0;
  if (self->options->tie_rule == LK_TIE_INSTANT)
    instant_together (self);
  else
    instant_sequential (self);
  if (has_submits && self->next_state == 0 && self->options->wants_last_submit)
    tell_moment (self, self->now_us);
}

/* What happens periodically counts from the first event: here one that does nothing else. */
static void
lead_in (Driver *self)
{
  LkEvent event = { .kind = LK_EVENT_TIMER };
  if (self->options->lead_us == 0 || self->next_state <= 0)
    return;
  self->now_us = self->next.submit_us - self->options->lead_us;
  deliver (self, &event);
}

static gboolean
run_to_end (Driver *self)
{
  self->now_us = G_MININT64;
  take_next_job (self);
  lead_in (self);
  if (self->next_state > 0)
    take_node_event (self);
  self->moment_us = self->client->next_moment_us != NULL
                        ? self->client->next_moment_us (self->client->user)
                        : LK_TIME_NEVER;
  while (!self->failed) {
    gint64 next_us = next_instant_us (self);
    if (next_us == LK_TIME_NEVER)
      break;
    tell_moments_before (self, next_us);
    self->now_us = next_us;
    if (!advance_series (self))
      return FALSE;
    next_instant (self);
  }
  give_up (self);
  tell_moments_before (self, LK_TIME_NEVER);
  return !self->failed;
}

static gboolean
finish (Driver *self, LkSimTotals *out_totals)
{
  LkEngineCounts counts;
  lk_engine_counts (self->engine, &counts);
  if (counts.pending_count + counts.running_count > 0) {
    g_set_error (self->error, LK_SIM_ERROR, LK_SIM_ERROR_RUN,
                 "%u jobs wait and %u run, but nothing is going to happen%s", counts.pending_count,
                 counts.running_count,
                 counts.running_count > 0 ? ": the simulated clock has come to its end"
                                          : ": the backfill policy starts nobody");
    return FALSE;
  }
  *out_totals = (LkSimTotals){ .event_count = counts.event_count,
                               .decision_count = counts.decision_count,
                               .rejected_count = self->rejected_count,
                               .unstarted_count = self->unstarted_count,
                               .requeued_count = self->requeued_count,
                               .preempted_count = self->preempted_count,
                               .node_event_count = self->node_event_count,
                               .cluster = { .gpu_allocation_ratio = NAN,
                                            .gpu_allocation_peak_ratio = NAN,
                                            .cpu_allocation_ratio = NAN,
                                            .memory_allocation_ratio = NAN,
                                            .fragmentation_ratio = NAN },
                               .digest = lk_engine_digest (self->engine) };
  memcpy (out_totals->rejected, self->rejected, sizeof self->rejected);
  if (self->series != NULL
      && !lk_cluster_series_finish (self->series, &out_totals->cluster, self->error))
    return FALSE;
  if (self->options->journal != NULL)
    lk_journal_writer_end (self->options->journal, counts.decision_count, out_totals->digest);
  return TRUE;
}

static gboolean
open_series (Driver *self)
{
  const LkNodeTable *nodes = lk_engine_nodes (self->engine);
  if (nodes == NULL || self->options->sample_us == 0)
    return TRUE;
  self->series = lk_cluster_series_new (nodes, self->options->sample_us, self->options->series_path,
                                        self->error);
  return self->series != NULL;
}

static void
slot_free (Slot *slot)
{
  g_free (slot->nodes);
  g_free (slot->cores);
  g_free (slot->gres);
}

gboolean
lk_sim_run (const LkSimOptions *options, const LkSimClient *client, LkSimTotals *out_totals,
            GError **error)
{
  LkPolicyError policy_error;
  Driver driver = { .options = options, .client = client, .error = error };
  driver.wake_us = LK_TIME_NEVER;
  driver.engine = lk_engine_new (options->config, &policy_error);
  if (driver.engine == NULL) {
    g_set_error_literal (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN, policy_error.text);
    return FALSE;
  }
  driver.sink = (LkSink){ on_decision, &driver };
  lk_event_heap_init (&driver.ends);
  gboolean done = open_series (&driver) && run_to_end (&driver) && finish (&driver, out_totals);
  lk_event_heap_clear (&driver.ends);
  lk_cluster_series_free (driver.series);
  for (guint32 i = 0; i < driver.slot_count; i++)
    slot_free (&driver.slots[i]);
  lk_engine_free (driver.engine);
  g_free (driver.slots);
  return done;
}
