/* engine/engine_suspend.c — a running job is stopped, and goes on later where it was.
 *
 * A suspended job gives its CPUs to others and keeps its memory, generic resources and licences, as
 * scontrol suspend does.  It stays in the books of its accounts as a running job, but is charged
 * nothing, and its time limit does not come nearer.  Nobody can say when it will go on: to plans
 * it holds what it keeps for ever.  It is resumed on the very CPUs that it had, and only when they
 * are free; Slurm resumes it at once and lets jobs share them.  One that the scheduler stops, so
 * that others run, keeps its place, and they lie over it (engine_gang.h).
 *
 * On a machine of nodes its pieces stay where they are, without cores; full copies of them, on no
 * node's list, remember what is to be taken back.  Sources: scontrol(1) suspend, resume; semantics
 * of preemption by suspension. */
#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_array.h"
#include "engine/engine_gang.h"
#include "engine/engine_life.h"

LkLife *
lk_engine_own_life (LkEngine *self, LkJobIndex job)
{
  if (self->jobs.lives[job] == NULL)
    self->jobs.lives[job] = lk_life_new ();
  return self->jobs.lives[job];
}

gint64
lk_engine_runs_since_us (const LkEngine *self, LkJobIndex job)
{
  const LkLife *life = lk_engine_life (self, job);
  return life->has_resumed != 0 ? life->resume_us : self->jobs.start_us[job];
}

gint64
lk_engine_end_with_us (const LkEngine *self, LkJobIndex job, gint64 limit_us)
{
  const LkJobTable *jobs = &self->jobs;
  gint64 from_us = jobs->start_us[job];
  if (jobs->lives[job] != NULL)
    from_us = lk_time_add_us (from_us, jobs->lives[job]->suspended_us);
  return lk_time_add_us (from_us, limit_us);
}

gint64
lk_engine_limit_end_us (const LkEngine *self, LkJobIndex job)
{
  return lk_engine_end_with_us (self, job, self->jobs.estimate_us[job]);
}

/* ---------------------------------------------------------------- the list of suspended jobs */

/* By id, so that nobody sees in which order they were suspended. */
static guint
place_in_list (const LkEngine *self, LkJobIndex job)
{
  guint at = self->suspended->len;
  while (at > 0
         && self->jobs.id[g_array_index (self->suspended, LkJobIndex, at - 1)]
                >= self->jobs.id[job])
    at--;
  return at;
}

static void
list_add (LkEngine *self, LkJobIndex job)
{
  g_array_insert_val (self->suspended, place_in_list (self, job), job);
}

static void
list_remove (LkEngine *self, LkJobIndex job)
{
  guint at = place_in_list (self, job);
  LK_ASSERT (at < self->suspended->len);
  LK_ASSERT (g_array_index (self->suspended, LkJobIndex, at) == job);
  g_array_remove_index (self->suspended, at);
}

/* ---------------------------------------------------------------- pieces */

guint32
lk_engine_stop_pieces (LkEngine *self, LkJobIndex job, guint32 first_piece)
{
  LkNodeTable *nodes = &self->machine->nodes;
  guint32 first = LK_PIECE_NONE;
  guint32 last = LK_PIECE_NONE;
  for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job) {
    guint32 copy = lk_piece_new (nodes);
    LkPiece *piece = lk_piece (nodes, i);
    lk_piece_copy (nodes, piece, lk_piece (nodes, copy));
    lk_piece (nodes, copy)->next_of_job = LK_PIECE_NONE;
    lk_piece (nodes, copy)->job = job;
    if (last == LK_PIECE_NONE)
      first = copy;
    else
      lk_piece (nodes, last)->next_of_job = copy;
    last = copy;
    memset (piece->cores, 0, nodes->core_words * sizeof piece->cores[0]);
    piece->cpus = 0;
    piece->to_us = LK_TIME_NEVER;
  }
  return first;
}

/* Attached pieces: off their nodes, changed, and on again. */
static void
detach_pieces (LkEngine *self, LkJobIndex job)
{
  LkNodeTable *nodes = &self->machine->nodes;
  for (guint32 i = self->jobs.first_piece[job]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job)
    lk_node_table_detach (nodes, i);
}

static void
attach_pieces (LkEngine *self, LkJobIndex job, gboolean given_back)
{
  LkNodeTable *nodes = &self->machine->nodes;
  for (guint32 i = self->jobs.first_piece[job]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job) {
    lk_node_table_attach (nodes, i);
    lk_engine_tell_plans (self, lk_piece (nodes, i)->node, given_back);
  }
  lk_engine_plans_forget (self);
}

/* Gives the pieces back what their copies remember. */
static void
restart_pieces (LkEngine *self, LkJobIndex job)
{
  LkNodeTable *nodes = &self->machine->nodes;
  LkLife *life = lk_engine_own_life (self, job);
  guint32 from = life->stopped_piece;
  detach_pieces (self, job);
  for (guint32 i = self->jobs.first_piece[job]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job) {
    LK_ASSERT (from != LK_PIECE_NONE);
    LK_ASSERT (lk_piece (nodes, from)->node == lk_piece (nodes, i)->node);
    guint32 reservation = lk_piece (nodes, i)->reservation;
    lk_piece_copy (nodes, lk_piece (nodes, from), lk_piece (nodes, i));
    lk_piece (nodes, i)->reservation = reservation;
    lk_piece (nodes, i)->from_us = self->jobs.start_us[job];
    lk_piece (nodes, i)->to_us = self->jobs.expected_end_us[job];
    from = lk_piece (nodes, from)->next_of_job;
  }
  /* What it kept while it was stopped was taken for ever, and is free again at its end. */
  attach_pieces (self, job, /* given_back= */ TRUE);
  lk_placer_discard (&self->placer, life->stopped_piece);
  life->stopped_piece = LK_PIECE_NONE;
}

guint32
lk_engine_forget_stopped (LkEngine *self, LkJobIndex job, guint32 node)
{
  LkNodeTable *nodes = &self->machine->nodes;
  guint32 *link = &lk_engine_own_life (self, job)->stopped_piece;
  while (lk_piece (nodes, *link)->node != node)
    link = &lk_piece (nodes, *link)->next_of_job;
  guint32 lost = *link;
  guint32 cpus = lk_piece (nodes, lost)->cpus;
  *link = lk_piece (nodes, lost)->next_of_job;
  lk_piece_free (nodes, lost);
  return cpus;
}

/* ---------------------------------------------------------------- what a user has in use */

static void
stop_usage (LkEngine *self, LkJobIndex job)
{
  LkUserUsage *user = lk_engine_user (self, self->jobs.user_id[job]);
  double procs = (double)self->jobs.procs[job];
  gint64 since_us = lk_engine_runs_since_us (self, job);
  user->running_procs -= self->jobs.procs[job];
  user->running_start_proc_s -= procs * ((double)since_us / 1e6);
  if (user->running_procs == 0)
    user->running_start_proc_s = 0.0; /* what rounding left */
  user->ended_proc_s += procs * ((double)(self->view.now_us - since_us) / 1e6);
}

static void
resume_usage (LkEngine *self, LkJobIndex job)
{
  LkUserUsage *user = lk_engine_user (self, self->jobs.user_id[job]);
  user->running_procs += self->jobs.procs[job];
  user->running_start_proc_s += (double)self->jobs.procs[job] * ((double)self->view.now_us / 1e6);
}

/* Where cores are shared, what is free cannot be told by a number. */
static gboolean
counts_units (const LkEngine *self)
{
  return self->machine == NULL || !self->machine->has_sharing;
}

/* ---------------------------------------------------------------- suspend and resume */

/* It is not charged, and its limit does not come nearer. */
static void
stop_running (LkEngine *self, LkJobIndex job)
{
  LK_ASSERT (self->jobs.phase[job] == LK_PHASE_RUNNING);
  LK_ASSERT (self->jobs.kill_why[job] == 0);
  lk_engine_disarm (self, job);
  stop_usage (self, job);
  if (self->book != NULL)
    lk_engine_charge (self, job);
  lk_rank_remove (self->running, job);
  self->view.running_count--;
  LkLife *life = lk_engine_own_life (self, job);
  life->suspend_us = self->view.now_us;
  life->is_sigstopped = 0; /* the resume continues all processes */
}

static void
tell_suspended (LkEngine *self, LkJobIndex job)
{
  LkDecision decision = { .kind = LK_DECISION_SUSPEND_JOB, .job = job };
  self->jobs.phase[job] = LK_PHASE_SUSPENDED;
  list_add (self, job);
  self->changed = TRUE;
  decision.suspend_job.job_id = self->jobs.id[job];
  lk_engine_emit (self, &decision);
  lk_engine_emit_notice (self, job, LK_JOB_SUSPENDED, LK_REASON_NONE);
}

void
lk_engine_suspend (LkEngine *self, LkJobIndex job)
{
  LkJobTable *jobs = &self->jobs;
  const LkBackfillPolicy *backfill = self->config.backfill;
  stop_running (self, job);
  if (counts_units (self))
    self->view.units_free += jobs->units[job];
  if (self->machine != NULL) {
    detach_pieces (self, job);
    jobs->lives[job]->stopped_piece = lk_engine_stop_pieces (self, job, jobs->first_piece[job]);
    attach_pieces (self, job, /* given_back= */ TRUE);
  }
  /* To a policy that keeps a plan it has ended, with its old columns. */
  if (backfill->job_ended != NULL)
    backfill->job_ended (self->instances[LK_INSTANCE_BACKFILL].self, &self->view, job);
  jobs->expected_end_us[job] = LK_TIME_NEVER;
  lk_engine_gang_note (self);
  tell_suspended (self, job);
}

/* The time of its pieces, and that they may be lain over or not, is seen by all that look. */
static void
mark_pieces (LkEngine *self, LkJobIndex job, gboolean is_stopped)
{
  LkNodeTable *nodes = &self->machine->nodes;
  for (guint32 i = self->jobs.first_piece[job]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job) {
    LkPiece *piece = lk_piece (nodes, i);
    piece->flags = (piece->flags & ~LK_PIECE_STOPPED) | (is_stopped ? LK_PIECE_STOPPED : 0);
    piece->to_us = self->jobs.expected_end_us[job];
    lk_node_table_touch (nodes, piece->node);
    lk_engine_tell_plans (self, piece->node, /* given_back= */ TRUE);
  }
  lk_engine_plans_forget (self);
}

void
lk_engine_stop (LkEngine *self, LkJobIndex job)
{
  stop_running (self, job);
  self->jobs.lives[job]->in_turn = 1;
  mark_pieces (self, job, /* is_stopped= */ TRUE);
  tell_suspended (self, job);
}

gboolean
lk_engine_can_resume (LkEngine *self, LkJobIndex job)
{
  LK_ASSERT (self->jobs.phase[job] == LK_PHASE_SUSPENDED);
  if (self->machine == NULL)
    return self->jobs.units[job] <= self->view.units_free;
  const LkNodeTable *nodes = &self->machine->nodes;
  const LkRequest *request = lk_machine_request (self->machine, self->jobs.request[job]);
  gboolean is_free = TRUE;
  /* What it still holds must not be in its own way. */
  detach_pieces (self, job);
  for (guint32 i = lk_engine_life (self, job)->stopped_piece; i != LK_PIECE_NONE && is_free;
       i = lk_piece (nodes, i)->next_of_job)
    is_free = lk_piece_is_free (&self->placer, request, lk_piece (nodes, i), self->view.now_us);
  for (guint32 i = self->jobs.first_piece[job]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job)
    lk_node_table_attach (&self->machine->nodes, i);
  return is_free;
}

/* Its limit comes nearer again, from where it was. */
static void
start_running (LkEngine *self, LkJobIndex job)
{
  LkJobTable *jobs = &self->jobs;
  gint64 now_us = self->view.now_us;
  LK_ASSERT (jobs->phase[job] == LK_PHASE_SUSPENDED);
  LkLife *life = lk_engine_own_life (self, job);
  list_remove (self, job);
  life->suspended_us = lk_time_add_us (life->suspended_us, now_us - life->suspend_us);
  life->suspend_us = 0;
  life->resume_us = now_us;
  life->has_resumed = 1;
  life->is_extended = 1;
  jobs->phase[job] = LK_PHASE_RUNNING;
  jobs->expected_end_us[job] = lk_engine_limit_end_us (self, job);
  lk_rank_insert (self->running, job);
  self->view.running_count++;
  resume_usage (self, job);
  if (self->book != NULL)
    self->book->job_counts[job].charged_us = now_us;
  lk_engine_arm (self, job);
}

static void
tell_resumed (LkEngine *self, LkJobIndex job)
{
  LkDecision decision = { .kind = LK_DECISION_RESUME_JOB, .job = job };
  lk_engine_machine_changed (self);
  decision.resume_job.job_id = self->jobs.id[job];
  lk_engine_emit (self, &decision);
  lk_engine_emit_notice (self, job, LK_JOB_RUNNING, LK_REASON_NONE);
}

void
lk_engine_resume (LkEngine *self, LkJobIndex job)
{
  start_running (self, job);
  if (counts_units (self))
    self->view.units_free = lk_units_subtract (self->view.units_free, self->jobs.units[job]);
  if (self->machine != NULL)
    restart_pieces (self, job);
  lk_engine_gang_started (self, job);
  tell_resumed (self, job);
}

void
lk_engine_go_on (LkEngine *self, LkJobIndex job)
{
  start_running (self, job);
  self->jobs.lives[job]->in_turn = 0;
  mark_pieces (self, job, /* is_stopped= */ FALSE);
  tell_resumed (self, job);
}

void
lk_engine_end_suspended (LkEngine *self, LkJobIndex job)
{
  LK_ASSERT (self->jobs.phase[job] == LK_PHASE_SUSPENDED);
  list_remove (self, job);
  if (self->book != NULL) {
    self->book->job_counts[job].charged_us = self->view.now_us;
    lk_engine_account_ended (self, job);
  }
  lk_engine_gang_note (self);
  if (self->machine != NULL) {
    LkLife *life = lk_engine_own_life (self, job);
    lk_placer_discard (&self->placer, life->stopped_piece);
    life->stopped_piece = LK_PIECE_NONE;
    lk_engine_detach (self, job);
    lk_engine_machine_changed (self);
  }
  if (self->book != NULL)
    lk_engine_release_parked (self, job);
  if (self->jobs.array_job_id[job] != 0)
    lk_engine_array_stopped (self, job);
  lk_engine_dependency_stopped (self, job);
  self->changed = TRUE;
}

/* ---------------------------------------------------------------- events */

/* The job may be stopped, or go on: not when it has been told to end. */
static LkReject
find_started (const LkEngine *self, guint32 job_id, guint8 phase, LkReject other,
              LkJobIndex *out_job)
{
  *out_job = lk_id_map_find (&self->jobs.index_by_id, job_id);
  if (*out_job == LK_JOB_NONE)
    return LK_REJECT_JOB_UNKNOWN;
  return self->jobs.phase[*out_job] == phase && self->jobs.kill_why[*out_job] == 0
                 && !lk_engine_is_preempted (self, *out_job)
             ? 0
             : other;
}

LkReject
lk_engine_suspend_event (LkEngine *self, const LkEvent_suspend *suspend)
{
  LkJobIndex job;
  LkReject reject =
      find_started (self, suspend->job_id, LK_PHASE_RUNNING, LK_REJECT_NOT_RUNNING, &job);
  /* It would go on when its turn comes, whatever was asked. */
  if (reject == LK_REJECT_NOT_RUNNING && lk_engine_is_stopped (self, job))
    return LK_REJECT_DISABLED;
  if (reject != 0)
    return reject;
  lk_engine_accept (self, job);
  lk_engine_suspend (self, job);
  return 0;
}

LkReject
lk_engine_resume_event (LkEngine *self, const LkEvent_resume *resume)
{
  LkJobIndex job;
  LkReject reject =
      find_started (self, resume->job_id, LK_PHASE_SUSPENDED, LK_REJECT_NOT_SUSPENDED, &job);
  if (reject != 0)
    return reject;
  /* Whom the scheduler has stopped goes on when its turn comes. */
  if (lk_engine_is_stopped (self, job) || !lk_engine_can_resume (self, job))
    return LK_REJECT_RESERVATION_BUSY;
  lk_engine_accept (self, job);
  lk_engine_resume (self, job);
  lk_engine_ask_wake (self);
  return 0;
}
