/* sim/driver.c — see the header.
 *
 * The virtual cluster is an array of slots, one for each job in the system, indexed as the engine
 * indexes its jobs, and a heap of ends.  A killed job gets a second entry in the heap at the moment
 * of the kill; the first one is then stale and is dropped when it comes up. */
#include "sim/driver.h"

#include <math.h>
#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "sim/driver_private.h"
#include "sim/error.h"
#include "sim/journal_names.h"
#include "sim/results.h"

/* Few, as an event may take long; a tick mostly reads the clock and no more, some 25 ns. */
#define TICK_EVENTS 8u
/* So often in a row runs may end with a requeue, and so often for each job that is left: those come
 * to no other end. */
#define VAIN_RUNS_MAX 10000u
#define VAIN_RUNS_OF_EACH 100u

/* ---------------------------------------------------------------- events */

static void
commit_journal (const LkSimDriver *self)
{
  LkEngineCounts counts;
  lk_engine_counts (self->engine, &counts);
  lk_journal_writer_commit (self->options->journal, counts.decision_count,
                            lk_engine_digest (self->engine));
}

static void
write_journal (LkSimDriver *self, const LkEvent *event)
{
  LkJournalWriter *journal = self->options->journal;
  LkDecided decided = lk_engine_decided (self->engine);
  lk_journal_writer_event (journal, event, &decided);
  if (lk_journal_writer_is_full (journal))
    commit_journal (self);
}

static void
deliver (LkSimDriver *self, LkEvent *event)
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
deliver_pass (LkSimDriver *self)
{
  LkEvent event;
  event.kind = LK_EVENT_PASS;
  if (lk_engine_pass_wanted (self->engine))
    deliver (self, &event);
}

/* The next end that will really happen, or NULL. */
static const LkHeapEvent *
next_end (LkSimDriver *self)
{
  const LkHeapEvent *first = lk_event_heap_first (&self->ends);
  while (first != NULL) {
    const LkSimSlot *slot = &self->slots[first->slot];
    if (slot->id != 0 && slot->end_rank == first->rank && slot->end_us == first->time_us)
      return first;
    lk_event_heap_pop (&self->ends);
    first = lk_event_heap_first (&self->ends);
  }
  return NULL;
}

static void
deliver_end (LkSimDriver *self, guint32 slot_index)
{
  LkSimSlot *slot = &self->slots[slot_index];
  LkEvent event; /* large, so that only what is used is set */
  event.kind = LK_EVENT_JOB_ENDED;
  event.job_ended =
      (LkEvent_job_ended){ .job_id = slot->id,
                           .exit_code = slot->is_killed      ? 0
                                        : slot->is_signalled ? slot->job.on_signal_exit_code
                                                             : slot->job.exit_code,
                           .signal = slot->is_killed      ? SIGNAL_KILL
                                     : slot->is_signalled ? 0
                                                          : slot->job.exit_signal,
                           .cancelled = slot->job.cancelled != FALSE };
  slot->id = 0;
  deliver (self, &event);
}

static void
deliver_ends (LkSimDriver *self)
{
  for (const LkHeapEvent *end = next_end (self); end != NULL && end->time_us == self->now_us;
       end = next_end (self)) {
    guint32 slot_index = end->slot;
    lk_event_heap_pop (&self->ends);
    deliver_end (self, slot_index);
  }
}

static void
take_next_job (LkSimDriver *self)
{
  if (self->failed)
    return;
  self->next_state = self->client->next_job (self->client->user, &self->next, self->error);
  self->failed = self->next_state < 0;
}

/* Jobs may come as others end. */
static void
look_again (LkSimDriver *self)
{
  if (self->client->jobs_moved != NULL && self->client->jobs_moved (self->client->user))
    take_next_job (self);
}

static gboolean
submit_is_due (const LkSimDriver *self)
{
  return self->next_state > 0 && self->next.submit_us == self->now_us && !self->failed;
}

static LkReject
control_apply (gpointer driver, LkEvent *event)
{
  LkSimDriver *self = driver;
  self->refused = (LkReject)0;
  deliver (self, event);
  return self->refused;
}

static LkReject
control_submit (gpointer driver, LkEvent *event, const LkSimJob *job)
{
  LkSimDriver *self = driver;
  self->submitting = job;
  LkReject refused = control_apply (self, event);
  self->submitting = NULL;
  return refused;
}

/* The job's number in its log where that can be its id, so that a journal speaks of the jobs as the
 * log does.  An id is above those of all earlier submits and of tasks of arrays (ids of tasks are
 * chosen above all others, and policies break ties by id), and the ids of the components of one job
 * follow each other. */
static guint32
job_id_of (const LkSimDriver *self, const LkSimJob *job)
{
  guint32 next_id = MAX (self->job_id_last + 1, lk_engine_job_id_next (self->engine));
  gboolean is_later_component = job->terms != NULL && job->terms->het_offset > 0;
  if (is_later_component || job->number < next_id || job->number > LK_SIM_LOG_ID_MAX)
    return next_id;
  return (guint32)job->number;
}

static void
note_renumbered (LkSimDriver *self, guint32 job_id)
{
  if (self->renumbered.count++ > 0)
    return;
  self->renumbered.first_number = self->next.number;
  self->renumbered.first_id = job_id;
}

/* Reports call a job by its name in the log where that is "100_5" or the like, else by its
 * number. */
static void
write_log_id (const LkSimDriver *self, guint32 job_id)
{
  char number[24];
  const LkSimJob *job = &self->next;
  gboolean has_name = job->name != NULL && lk_job_name_is_id (job->name);
  if (self->options->journal == NULL || (!has_name && job->number == job_id))
    return;
  g_snprintf (number, sizeof number, "%" G_GINT64_FORMAT, job->number);
  lk_journal_names_write (self->options->journal, job_id, has_name ? job->name : number);
}

static void
deliver_submit (LkSimDriver *self)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  self->job_id_last = job_id_of (self, &self->next);
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
  if (event.submit.het_count > 0)
    event.submit.het_leader = event.submit.job_id - event.submit.het_offset;
  if (event.submit.job_id != self->next.number)
    note_renumbered (self, event.submit.job_id);
  write_log_id (self, event.submit.job_id);
  if (control_submit (self, &event, &self->next) == 0 && !self->factors.is_over)
    lk_factor_watch_job (&self->factors, self->engine, event.submit.job_id);
  take_next_job (self);
}

/* ---------------------------------------------------------------- the client acts */

static void
deliver_actions (LkSimDriver *self)
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
take_node_event (LkSimDriver *self)
{
  self->has_node_event = self->client->next_node_event != NULL
                         && self->client->next_node_event (self->client->user, &self->node_event);
}

static void
deliver_node_events (LkSimDriver *self)
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
deliver_timer (LkSimDriver *self)
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
instant_together (LkSimDriver *self)
{
  deliver_ends (self);
  deliver_node_events (self);
  look_again (self);
  while (submit_is_due (self))
    deliver_submit (self);
  deliver_actions (self);
  deliver_timer (self);
  deliver_pass (self);
}

static guint32
units_free (const LkSimDriver *self)
{
  LkEngineCounts counts;
  lk_engine_counts (self->engine, &counts);
  return counts.units_free;
}

/* Takes the ends of this instant out of the heap, in order of start. Returns: (transfer full), of
 * slot indices. */
static GArray *
take_ends (LkSimDriver *self)
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
ends_as_expected (const LkSimDriver *self, guint32 slot_index)
{
  const LkSimSlot *slot = &self->slots[slot_index];
  return slot->end_us - slot->start_us >= slot->job.estimate_us;
}

static void
instant_sequential (LkSimDriver *self)
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

/* So long without a start or an end, and there will be none. Nodes that come and go let start what
 * waits for more of them, however seldom they are there at once: a bound is set. */
static gint64
quiet_us (const LkSimDriver *self)
{
  gint64 quiet_us = lk_engine_quiet_us (self->engine);
  if (!self->has_node_event
      || (quiet_us == LK_TIME_NEVER && lk_engine_has_once_ahead (self->engine)))
    return quiet_us;
  return quiet_us == LK_TIME_NEVER ? self->options->node_round_us
                                   : MAX (quiet_us, self->options->node_round_us);
}

/* What recurs comes alone, and has for so long that nothing will start or end any more. */
static gboolean
is_quiet (LkSimDriver *self, gint64 next_us)
{
  gint64 wait_us = quiet_us (self);
  if (wait_us == LK_TIME_NEVER)
    self->moved_us = next_us;
  return next_us > lk_time_add_us (self->moved_us, wait_us);
}

/* A timer and nodes matter only as long as there are jobs, and what recurs only as long as it may
 * be good for something. */
static gboolean
aside_matters (LkSimDriver *self, gboolean recurs_only, gint64 aside_us)
{
  LkEngineCounts counts;
  if (self->next_state > 0)
    return TRUE;
  lk_engine_counts (self->engine, &counts);
  return counts.pending_count + counts.running_count > 0
         && !(recurs_only && is_quiet (self, aside_us));
}

/* The next moment at which something happens, or LK_TIME_NEVER. */
static gint64
next_instant_us (LkSimDriver *self)
{
  const LkHeapEvent *end = next_end (self);
  gint64 next_us = end != NULL ? end->time_us : LK_TIME_NEVER;
  if (self->next_state > 0)
    next_us = MIN (next_us, self->next.submit_us);
  if (self->client->next_action_us != NULL)
    next_us = MIN (next_us, self->client->next_action_us (self->client->user));
  gint64 aside_us = self->wake_us;
  if (self->has_node_event)
    aside_us = MIN (aside_us, MAX (self->node_event.time_us, self->now_us));
  gboolean recurs_only =
      next_us == LK_TIME_NEVER && (!self->has_node_event || self->options->node_round_us > 0);
  if (aside_us < next_us && aside_matters (self, recurs_only, aside_us))
    next_us = aside_us;
  if (!recurs_only)
    self->moved_us = next_us;
  return next_us;
}

static gboolean
advance_series (LkSimDriver *self)
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
give_up (LkSimDriver *self)
{
  const LkView *view = lk_engine_view (self->engine);
  LkEngineCounts counts;
  lk_engine_counts (self->engine, &counts);
  if (self->failed || counts.running_count > 0
      || (view->cluster == NULL && counts.pending_count == view->pending_count))
    return;
  g_autoptr (GArray) ids = lk_engine_queue_ids (self->engine);
  self->giving_up = TRUE;
  for (guint i = 0; i < ids->len; i++) {
    LkEvent event = { .kind = LK_EVENT_CANCEL };
    event.cancel.job_id = g_array_index (ids, guint32, i);
    /* It may have gone with one before it. */
    if (lk_engine_job_index (self->engine, event.cancel.job_id) != LK_JOB_NONE)
      deliver (self, &event);
  }
}

/* ---------------------------------------------------------------- moments */

static const LkSimJob *
job_of_id (gconstpointer driver, guint32 job_id)
{
  const LkSimDriver *self = driver;
  LkJobIndex job = lk_engine_job_index (self->engine, job_id);
  return job < self->slot_count ? &self->slots[job].job : NULL;
}

static void
tell_moment (LkSimDriver *self, gint64 at_us)
{
  LkSimMoment moment = { .engine = self->engine, .at_us = at_us, .job = job_of_id, .driver = self };
  if (self->client->moment != NULL && !self->failed)
    self->client->moment (self->client->user, &moment);
}

/* Those before the next instant: nothing more will happen up to them. */
static void
tell_moments_before (LkSimDriver *self, gint64 next_us)
{
  while (self->moment_us < next_us) {
    tell_moment (self, self->moment_us);
    self->moment_us = self->client->next_moment_us (self->client->user);
  }
}

static void
next_instant (LkSimDriver *self)
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
lead_in (LkSimDriver *self)
{
  LkEvent event = { .kind = LK_EVENT_TIMER };
  if (self->options->lead_us == 0 || self->next_state <= 0)
    return;
  self->now_us = self->next.submit_us - self->options->lead_us;
  deliver (self, &event);
}

/* All jobs have come, and those that are left go back to the queue again and again: their nodes
 * fail, they displace each other, or they end with an exit code that requeues them. */
static gboolean
is_in_vain (LkSimDriver *self)
{
  LkEngineCounts counts;
  if (self->next_state > 0 || self->vain_count <= VAIN_RUNS_MAX)
    return FALSE;
  lk_engine_counts (self->engine, &counts);
  if (self->vain_count / VAIN_RUNS_OF_EACH <= counts.pending_count + counts.running_count)
    return FALSE;
  g_set_error (
      self->error, LK_SIM_ERROR, LK_SIM_ERROR_RUN,
      "%u jobs wait and %u run, and will not end: %u runs in a row were requeued, as their "
      "nodes failed (--failures has too short an mtbf for them), by their exit code "
      "(RequeueExit), or since jobs displace each other",
      counts.pending_count, counts.running_count, self->vain_count);
  return TRUE;
}

static gboolean
run_to_end (LkSimDriver *self)
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
    look_again (self);
    gint64 next_us = next_instant_us (self);
    if (next_us == LK_TIME_NEVER)
      break;
    tell_moments_before (self, next_us);
    self->now_us = next_us;
    if (!advance_series (self))
      return FALSE;
    next_instant (self);
    self->failed = self->failed || is_in_vain (self);
  }
  give_up (self);
  tell_moments_before (self, LK_TIME_NEVER);
  return !self->failed;
}

static gboolean
finish (LkSimDriver *self, LkSimTotals *out_totals)
{
  LkEngineCounts counts;
  lk_engine_counts (self->engine, &counts);
  if (counts.pending_count + counts.running_count > 0) {
    g_autofree char *left = lk_sim_left_text (self);
    g_set_error (self->error, LK_SIM_ERROR, LK_SIM_ERROR_RUN,
                 "%u jobs wait and %u run, but nothing is going to happen%s: %s",
                 counts.pending_count, counts.running_count,
                 counts.running_count > 0 ? "" : ", since the backfill policy starts nobody", left);
    return FALSE;
  }
  *out_totals = (LkSimTotals){ .event_count = counts.event_count,
                               .decision_count = counts.decision_count,
                               .rejected_count = self->rejected_count,
                               .unstarted_count = self->unstarted_count,
                               .requeued_count = self->requeued_count,
                               .preempted_count = self->preempted_count,
                               .node_event_count = self->node_event_count,
                               .renumbered = self->renumbered,
                               .cluster = { .gpu_allocation_ratio = NAN,
                                            .gpu_allocation_peak_ratio = NAN,
                                            .cpu_allocation_ratio = NAN,
                                            .memory_allocation_ratio = NAN,
                                            .fragmentation_ratio = NAN },
                               .factors = lk_factor_watch_sets (&self->factors),
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
open_series (LkSimDriver *self)
{
  const LkNodeTable *nodes = lk_engine_nodes (self->engine);
  if (nodes == NULL || self->options->sample_us == 0)
    return TRUE;
  self->series = lk_cluster_series_new (nodes, self->options->sample_us, self->options->series_path,
                                        self->error);
  return self->series != NULL;
}

static void
slot_free (LkSimSlot *slot)
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
  LkSimDriver driver = { .options = options, .client = client, .error = error };
  driver.wake_us = LK_TIME_NEVER;
  driver.engine = lk_engine_new (options->config, &policy_error);
  if (driver.engine == NULL) {
    g_set_error_literal (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN, policy_error.text);
    return FALSE;
  }
  driver.sink = (LkSink){ lk_sim_decide, &driver };
  lk_event_heap_init (&driver.ends);
  gboolean done = open_series (&driver) && run_to_end (&driver) && finish (&driver, out_totals);
  if (!done && options->journal != NULL)
    commit_journal (&driver);
  lk_event_heap_clear (&driver.ends);
  lk_cluster_series_free (driver.series);
  for (guint32 i = 0; i < driver.slot_count; i++)
    slot_free (&driver.slots[i]);
  lk_engine_free (driver.engine);
  g_free (driver.slots);
  return done;
}
