/* engine/engine_time.c — what comes due in the course of a job: its time limit, its deadline, the
 * signal before the limit.
 *
 * A job is told to end when its time limit has come and its partition's OverTimeLimit has passed.
 * Slurm looks every 30 s; here that is the cluster's time_scan, and 0 tells the job at that very
 * moment.  Where neither matters, and for jobs without terms, nothing is kept: the running jobs are
 * in order of their limits anyway.
 *
 * A pending job that cannot meet its deadline any more ends without a start.  Source: semantics of
 * time limit enforcement; sbatch(1) --deadline, --time-min, --signal. */
#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_gang.h"
#include "engine/engine_life.h"
#include "engine/limits.h"

/* Slurm's clock ticks in seconds: what is true only after a moment is seen with the next tick. */
#define TICK_US G_GINT64_CONSTANT (1000000)

/* ---------------------------------------------------------------- when */

static gint64
scan_us (const LkEngine *self)
{
  return self->config.cluster != NULL ? self->config.cluster->time_scan_us : 0;
}

gint64
lk_engine_scanned_us (const LkEngine *self, gint64 at_us)
{
  gint64 period_us = scan_us (self);
  if (period_us == 0 || at_us == LK_TIME_NEVER)
    return at_us;
  gint64 past_us = at_us % period_us;
  if (past_us == 0)
    return at_us;
  return past_us < 0 ? at_us - past_us : lk_time_add_us (at_us, period_us - past_us);
}

static gint64
over_time_us (const LkEngine *self, LkJobIndex job)
{
  if (self->machine == NULL || lk_engine_life (self, job)->in_grace != 0)
    return 0;
  return self->machine->partitions[self->jobs.partition[job]].spec->over_time_limit_us;
}

gboolean
lk_engine_limits_are_exact (const LkEngine *self)
{
  for (guint32 i = 0; self->machine != NULL && i < self->machine->partition_count; i++)
    if (self->machine->partitions[i].spec->over_time_limit_us != 0)
      return FALSE;
  return scan_us (self) == 0;
}

gboolean
lk_engine_is_overdue (const LkEngine *self, LkJobIndex job)
{
  gint64 end_us = self->jobs.expected_end_us[job];
  return !self->limits_are_exact
         && lk_time_add_us (end_us, over_time_us (self, job)) < self->view.now_us;
}

/* ---------------------------------------------------------------- alarms of running jobs */

typedef void (*Change) (LkAlarms *alarms, const LkAlarm *alarm);

static void
change_alarm (LkEngine *self, LkJobIndex job, LkAlarmWhat what, gint64 at_us, Change change)
{
  LkAlarm alarm = { .at_us = at_us, .what = what, .job_id = self->jobs.id[job], .job = job };
  change (&self->alarms, &alarm);
}

static gint64
warn_us (const LkEngine *self, LkJobIndex job, const LkJobTerms *terms)
{
  gint64 end_us = self->jobs.expected_end_us[job];
  gint64 before_us = lk_time_add_us (terms->warn_before_us, scan_us (self));
  if (terms->warn_signal == 0 || end_us == LK_TIME_NEVER
      || lk_engine_life (self, job)->is_warned != 0)
    return LK_TIME_NEVER;
  return lk_engine_scanned_us (self, lk_time_since_us (end_us, before_us));
}

/* All that a running job has: they follow from its columns and terms. */
static void
change_alarms (LkEngine *self, LkJobIndex job, Change change)
{
  if (!self->limits_are_exact)
    change_alarm (self, job, LK_ALARM_LIMIT,
                  lk_engine_scanned_us (self, lk_time_add_us (self->jobs.expected_end_us[job],
                                                              over_time_us (self, job))),
                  change);
  if (self->jobs.terms[job] == NULL)
    return;
  const LkJobTerms *terms = lk_terms_asked (self->jobs.terms[job]);
  change_alarm (self, job, LK_ALARM_WARN, warn_us (self, job, terms), change);
  if (terms->deadline_us > 0)
    change_alarm (self, job, LK_ALARM_DEADLINE, lk_engine_scanned_us (self, terms->deadline_us),
                  change);
}

void
lk_engine_arm (LkEngine *self, LkJobIndex job)
{
  change_alarms (self, job, lk_alarms_add);
}

void
lk_engine_disarm (LkEngine *self, LkJobIndex job)
{
  change_alarms (self, job, lk_alarms_remove);
}

/* Slurm shows a job as STOPPED from SIGSTOP to the next SIGCONT, whichever of its processes get
 * them.  Other signals that stop processes, such as SIGTSTP, do not count. */
static void
note_stop (LkEngine *self, LkJobIndex job, guint32 signal)
{
  if (signal == LK_SIGNAL_STOP)
    lk_engine_own_life (self, job)->is_sigstopped = 1;
  else if (signal == LK_SIGNAL_CONT && self->jobs.lives[job] != NULL)
    self->jobs.lives[job]->is_sigstopped = 0;
}

static void
emit_signal (LkEngine *self, LkJobIndex job, guint32 signal, guint8 batch_only)
{
  note_stop (self, job, signal);
  LkDecision decision = { .kind = LK_DECISION_SIGNAL_JOB, .job = job };
  decision.signal_job.job_id = self->jobs.id[job];
  decision.signal_job.signal = (guint8)signal;
  decision.signal_job.batch_only = batch_only;
  lk_engine_emit (self, &decision);
}

LkReject
lk_engine_signal_event (LkEngine *self, const LkEvent_signal *event)
{
  LkJobIndex job = lk_id_map_find (&self->jobs.index_by_id, event->job_id);
  if (job == LK_JOB_NONE)
    return LK_REJECT_JOB_UNKNOWN;
  if (self->jobs.phase[job] != LK_PHASE_RUNNING)
    return LK_REJECT_NOT_NOW;
  if (event->signal == 0 || event->signal > LK_LIMIT_SIGNAL || event->batch_only > LK_SIGNAL_TO_ALL)
    return LK_REJECT_REQUEST_INVALID;
  lk_engine_accept (self, job);
  emit_signal (self, job, event->signal, event->batch_only);
  return 0;
}

static void
warn (LkEngine *self, LkJobIndex job, const LkAlarm *alarm)
{
  const LkJobTerms *terms = lk_terms_asked (self->jobs.terms[job]);
  lk_alarms_remove (&self->alarms, alarm);
  lk_engine_own_life (self, job)->is_warned = 1;
  emit_signal (self, job, terms->warn_signal, (terms->term_flags & LK_TERM_WARN_BATCH) != 0);
}

void
lk_engine_ring_alarms (LkEngine *self)
{
  for (const LkAlarm *first = lk_alarms_first (&self->alarms);
       first != NULL && first->at_us <= self->view.now_us;
       first = lk_alarms_first (&self->alarms)) {
    LkAlarm alarm = *first;
    if (alarm.what == LK_ALARM_WARN)
      warn (self, alarm.job, &alarm);
    else
      lk_engine_kill (self, alarm.job,
                      alarm.what == LK_ALARM_LIMIT ? LK_KILL_TIME_LIMIT : LK_KILL_DEADLINE);
  }
}

/* ---------------------------------------------------------------- deadlines of pending jobs */

/* The last moment at which a job could start and end in time. */
static gint64
latest_start_us (const LkJobTerms *terms, gint64 estimate_us)
{
  gint64 least_us = terms->time_min_us > 0 ? terms->time_min_us : estimate_us;
  if (terms->deadline_us <= 0)
    return LK_TIME_NEVER;
  return lk_time_since_us (terms->deadline_us, least_us == LK_TIME_NEVER ? 0 : least_us);
}

gint64
lk_engine_begin_us (const LkEngine *self, const LkJobTerms *terms)
{
  return terms->begin_us != 0 ? MAX (terms->begin_us, self->view.now_us) : self->view.now_us;
}

gboolean
lk_engine_terms_are_valid (const LkJobTerms *terms)
{
  return terms->begin_us >= 0 && terms->deadline_us >= 0 && terms->time_min_us >= 0
         && terms->warn_before_us >= 0 && terms->warn_signal <= LK_LIMIT_SIGNAL;
}

LkReject
lk_engine_check_terms (const LkEngine *self, LkJobIndex job, const LkJobTerms *terms)
{
  gint64 estimate_us = self->jobs.estimate_us[job];
  if (terms->warn_signal > LK_LIMIT_SIGNAL)
    return LK_REJECT_REQUEST_INVALID;
  if (!lk_engine_terms_are_valid (terms))
    return LK_REJECT_TIME_INVALID;
  if (lk_engine_has_started (self, job))
    return 0;
  if (terms->time_min_us > estimate_us)
    return LK_REJECT_TIME_MIN_INVALID;
  /* Slurm 22.05 takes what comes too late by its time limit, and ends it when it looks at it. */
  if (lk_engine_is_old (self) && terms->deadline_us > self->view.now_us)
    return 0;
  if (latest_start_us (terms, estimate_us) >= lk_engine_begin_us (self, terms))
    return 0;
  return terms->time_min_us > 0 ? LK_REJECT_TIME_MIN_INVALID : LK_REJECT_TIME_INVALID;
}

static void
change_hopeless (LkEngine *self, LkJobIndex job, Change change)
{
  if (self->jobs.terms[job] == NULL)
    return;
  const LkJobTerms *terms = lk_terms_asked (self->jobs.terms[job]);
  LkAlarm alarm = { .at_us = latest_start_us (terms, self->jobs.estimate_us[job]),
                    .what = LK_ALARM_HOPELESS,
                    .job_id = self->jobs.id[job],
                    .job = job };
  change (&self->latest_starts, &alarm);
}

void
lk_engine_watch_deadline (LkEngine *self, LkJobIndex job)
{
  change_hopeless (self, job, lk_alarms_add);
}

void
lk_engine_unwatch_deadline (LkEngine *self, LkJobIndex job)
{
  change_hopeless (self, job, lk_alarms_remove);
}

void
lk_engine_end_hopeless (LkEngine *self)
{
  while (lk_alarms_next_us (&self->latest_starts) < self->view.now_us)
    lk_engine_end_pending (self, lk_alarms_first (&self->latest_starts)->job, LK_JOB_DEADLINE,
                           LK_REASON_DEADLINE);
}

gint64
lk_engine_next_alarm_us (const LkEngine *self)
{
  gint64 at_us = lk_time_add_us (lk_alarms_next_us (&self->latest_starts), TICK_US);
  return MIN (at_us, lk_alarms_next_us (&self->alarms));
}

/* ---------------------------------------------------------------- the limit changes */

/* What is booked for the time since the job was last charged. */
static void
book_limit (LkEngine *self, LkJobIndex job, gint64 estimate_us)
{
  LkJobCount *count = &self->book->job_counts[job];
  guint64 before_s = lk_engine_booked_s (self, job, self->jobs.estimate_us[job]);
  guint64 after_s = lk_engine_booked_s (self, job, estimate_us);
  guint64 used_s = before_s - MIN (before_s, count->booked_run_s);
  lk_engine_account_take (self, job, FALSE);
  count->booked_run_s = after_s - MIN (after_s, used_s);
  lk_engine_account_take (self, job, TRUE);
  if (after_s < before_s)
    lk_engine_release_parked (self, job);
}

static void
move_pieces (LkEngine *self, LkJobIndex job, gboolean given_back)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  guint32 first_piece = self->jobs.first_piece[job];
  for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job) {
    lk_piece (nodes, i)->to_us = self->jobs.expected_end_us[job];
    lk_node_table_touch (&self->machine->nodes, lk_piece (nodes, i)->node);
    lk_engine_tell_plans (self, lk_piece (nodes, i)->node, given_back);
  }
  lk_engine_plans_forget (self);
}

/* Out of all that knows the end of a running job, and in again with another one. */
static void
move_end (LkEngine *self, LkJobIndex job, gint64 estimate_us, gint64 end_us)
{
  LkJobTable *jobs = &self->jobs;
  gint64 before_us = jobs->expected_end_us[job];
  lk_rank_remove (self->running, job);
  jobs->estimate_us[job] = estimate_us;
  jobs->expected_end_us[job] = end_us;
  if (end_us > before_us)
    lk_engine_own_life (self, job)->is_extended = 1;
  lk_rank_insert (self->running, job);
  if (self->machine != NULL)
    move_pieces (self, job, /* given_back= */ end_us < before_us);
  lk_engine_gang_note (self);
}

/* Returns whether it is another one. */
static gboolean
set_limit (LkEngine *self, LkJobIndex job, gint64 estimate_us)
{
  LkJobTable *jobs = &self->jobs;
  gboolean is_armed = jobs->phase[job] == LK_PHASE_RUNNING && jobs->kill_why[job] == 0;
  LK_ASSERT (lk_engine_has_started (self, job));
  LK_ASSERT (!lk_engine_is_preempted (self, job));
  if (estimate_us == jobs->estimate_us[job])
    return FALSE;
  if (self->book != NULL)
    book_limit (self, job, estimate_us);
  if (jobs->phase[job] == LK_PHASE_SUSPENDED) {
    jobs->estimate_us[job] = estimate_us;
    lk_engine_gang_note (self);
    return FALSE;
  }
  if (is_armed)
    lk_engine_disarm (self, job);
  move_end (self, job, estimate_us, lk_engine_end_with_us (self, job, estimate_us));
  if (jobs->lives[job] != NULL)
    jobs->lives[job]->is_warned = 0;
  if (is_armed)
    lk_engine_arm (self, job);
  return TRUE;
}

void
lk_engine_change_limit (LkEngine *self, LkJobIndex job, gint64 estimate_us)
{
  if (set_limit (self, job, estimate_us))
    lk_engine_machine_changed (self);
}

void
lk_engine_extend_limit (LkEngine *self, LkJobIndex job, gint64 estimate_us)
{
  set_limit (self, job, estimate_us);
}

void
lk_engine_set_end (LkEngine *self, LkJobIndex job, gint64 end_us)
{
  gboolean is_armed = self->jobs.kill_why[job] == 0;
  LK_ASSERT (self->jobs.phase[job] == LK_PHASE_RUNNING);
  if (is_armed)
    lk_engine_disarm (self, job);
  move_end (self, job, self->jobs.estimate_us[job], end_us);
  if (!self->limits_are_exact)
    lk_engine_own_life (self, job)->in_grace = 1;
  if (is_armed)
    lk_engine_arm (self, job);
}

void
lk_engine_set_stopped_end (LkEngine *self, LkJobIndex job, gint64 end_us)
{
  gint64 before_us = self->jobs.expected_end_us[job];
  LK_ASSERT (lk_engine_is_stopped (self, job));
  self->jobs.expected_end_us[job] = end_us;
  move_pieces (self, job, /* given_back= */ end_us < before_us);
}

void
lk_engine_limit_to_deadline (LkEngine *self, LkJobIndex job)
{
  const LkJobTerms *terms = lk_terms_asked (self->jobs.terms[job]);
  gint64 rest_us = lk_time_since_us (terms->deadline_us, self->view.now_us);
  gint64 asked_us = self->jobs.estimate_us[job];
  if (terms->deadline_us <= 0 || asked_us <= rest_us)
    return;
  lk_engine_change_limit (self, job, rest_us);
  lk_engine_own_life (self, job)->limit_asked_us = asked_us;
}
