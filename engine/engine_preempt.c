/* engine/engine_preempt.c — jobs displace others: when room is looked for, and what becomes of the
 * victims.
 *
 * Room is looked for in a pass, for jobs that could not be started in it: by the backfill policy
 * where they stand in its order, or else behind the policy, in the order of the queue.  Victims are
 * told behind the pass, so that no policy sees jobs go while it works.  The job for which they go
 * starts in a later pass, when they have ended; until then no further ones go for it within the
 * hold time, and what is free is anybody's whose turn it is.  Only a job that gets the cores of
 * jobs that can be stopped starts in this pass, behind the policy.
 *
 * A victim with notice (GraceTime) gets signals, its expected end moves nearer, and it goes when
 * that has come: it is requeued if it may be, else killed.  One that ends by itself before has its
 * own state, as in Slurm 22.05.
 * Source: semantics of Slurm's preemption (preempt.html; select_nodes and _preempt_jobs of
 * node_scheduler.c; _job_check_grace_internal of preempt.c). */
#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_array.h"
#include "engine/engine_het.h"
#include "engine/engine_life.h"
#include "engine/plan.h"
#include "engine/preempt_choose.h"

#define SIGNAL_TERM 15u
#define SIGNAL_CONT 18u

static void *
policy_self (const LkEngine *self)
{
  return self->instances[LK_INSTANCE_PREEMPT].self;
}

static LkPreemptMark *
mark_of (const LkEngine *self, LkJobIndex job)
{
  return &self->preemption->marks[job];
}

/* ---------------------------------------------------------------- expected ends */

/* A policy that keeps promises has to make them anew: others come first now. */
static void
forget_plans (LkEngine *self)
{
  const LkBackfillPolicy *backfill = self->config.backfill;
  if (backfill->machine_changed != NULL)
    backfill->machine_changed (self->instances[LK_INSTANCE_BACKFILL].self, &self->view);
  self->changed = TRUE;
}

void
lk_engine_move_end (LkEngine *self, LkJobIndex job, gint64 end_us)
{
  LK_ASSERT (self->jobs.phase[job] == LK_PHASE_RUNNING);
  if (self->jobs.expected_end_us[job] == end_us)
    return;
  lk_engine_set_end (self, job, end_us);
  forget_plans (self);
}

/* ---------------------------------------------------------------- what becomes of victims */

gboolean
lk_engine_preempt_requeues (const LkEngine *self, LkJobIndex job)
{
  return self->preemption != NULL && mark_of (self, job)->mode == LK_PREEMPT_REQUEUE
         && lk_engine_may_requeue (self, job);
}

/* Its notice is over, or it gets none. */
static void
displace (LkEngine *self, LkJobIndex job)
{
  const LkRequeueHow back = { .state = LK_JOB_PREEMPTED };
  gboolean goes_back = lk_engine_preempt_requeues (self, job);
  if (!goes_back || self->config.requeues_at_end)
    lk_engine_move_end (self, job, MIN (self->jobs.expected_end_us[job], self->view.now_us));
  if (goes_back)
    lk_engine_send_back (self, job, &back, LK_KILL_PREEMPTED);
  else
    lk_engine_kill (self, job, LK_KILL_PREEMPTED);
}

static void
signal_job (LkEngine *self, LkJobIndex job, guint8 signal, gboolean batch_only)
{
  LkDecision decision = { .kind = LK_DECISION_SIGNAL_JOB, .job = job };
  decision.signal_job.job_id = self->jobs.id[job];
  decision.signal_job.signal = signal;
  decision.signal_job.batch_only = batch_only ? 1 : 0;
  lk_engine_emit (self, &decision);
}

/* The signal that it asked for, where that is wanted, else SIGTERM. */
static void
give_notice (LkEngine *self, LkJobIndex job)
{
  const LkTerms *terms = self->jobs.terms[job];
  signal_job (self, job, SIGNAL_CONT, FALSE);
  if (self->preemption->settings.user_signal && terms != NULL && terms->asked.warn_signal != 0)
    signal_job (self, job, (guint8)terms->asked.warn_signal,
                (terms->asked.term_flags & LK_TERM_WARN_BATCH) != 0);
  else
    signal_job (self, job, SIGNAL_TERM, FALSE);
}

static void
tell (LkEngine *self, LkJobIndex job, LkJobIndex preemptor)
{
  LkDecision decision = { .kind = LK_DECISION_PREEMPT, .job = job };
  decision.preempt.job_id = self->jobs.id[job];
  decision.preempt.mode = mark_of (self, job)->mode;
  decision.preempt.for_job_id = self->jobs.id[preemptor];
  lk_engine_emit (self, &decision);
}

static void
preempt (LkEngine *self, LkJobIndex job, LkJobIndex preemptor)
{
  const LkPreemptPolicy *policy = self->config.preempt;
  gint64 grace_us =
      policy->grace_us == NULL ? 0 : policy->grace_us (policy_self (self), &self->view, job);
  tell (self, job, preemptor);
  if (grace_us <= 0) {
    displace (self, job);
    return;
  }
  gint64 end_us = lk_time_add_us (self->view.now_us, grace_us);
  give_notice (self, job);
  lk_engine_move_end (self, job, MIN (self->jobs.expected_end_us[job], end_us));
}

void
lk_engine_preempt_due (LkEngine *self)
{
  LkPreemption *preemption = self->preemption;
  if (preemption->wake_us <= self->view.now_us) {
    preemption->wake_us = LK_TIME_NEVER;
    self->changed = TRUE;
  }
  g_autoptr (GArray) due = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  for (LkJobIndex job = lk_rank_first (self->running);
       job != LK_JOB_NONE && self->jobs.expected_end_us[job] <= self->view.now_us;
       job = lk_rank_next (self->running, job, NULL))
    if (mark_of (self, job)->mode != LK_PREEMPT_OFF && self->jobs.kill_why[job] == 0
        && lk_engine_scanned_us (self, self->jobs.expected_end_us[job]) <= self->view.now_us)
      g_array_append_val (due, job);
  for (guint i = 0; i < due->len; i++)
    displace (self, g_array_index (due, LkJobIndex, i));
}

gboolean
lk_engine_is_preempted (const LkEngine *self, LkJobIndex job)
{
  return self->preemption != NULL && mark_of (self, job)->mode != LK_PREEMPT_OFF;
}

void
lk_engine_preempt_forget (LkEngine *self, LkJobIndex job)
{
  *mark_of (self, job) = (LkPreemptMark){ .claim_us = LK_TIME_NEVER };
}

void
lk_engine_set_level (LkEngine *self, LkJobIndex job)
{
  const LkPreemptPolicy *policy = self->config.preempt;
  lk_preemption_reserve (self->preemption, self->jobs.limit);
  self->preemption->levels[job] =
      policy->level == NULL ? 0 : policy->level (policy_self (self), &self->view, job);
}

/* ---------------------------------------------------------------- room for one job */

/* Searches see the place from here on. */
static void
set_aside (LkEngine *self, guint32 first_piece, guint64 *out_nodes)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  guint32 *claimed_first = self->preemption->claimed_first;
  for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job) {
    LkPiece *piece = lk_piece (nodes, i);
    piece->next_on_node = claimed_first[piece->node];
    claimed_first[piece->node] = i;
    if (out_nodes != NULL)
      lk_bits_add (out_nodes, piece->node);
  }
}

/* The place is nobody else's in this pass. */
static void
claim (LkEngine *self, LkJobIndex job, LkPreemptClaim place, guint64 *out_nodes)
{
  LkPreemption *preemption = self->preemption;
  if (self->machine == NULL) {
    preemption->units_claimed += self->jobs.units[job];
    return;
  }
  set_aside (self, place.first_piece, out_nodes);
  g_array_append_val (preemption->claims, place);
}

/* Searches see none of the places. */
static void
clear_aside (LkEngine *self)
{
  LkPreemption *preemption = self->preemption;
  for (guint k = 0; k < preemption->claims->len; k++) {
    const LkNodeTable *nodes = &self->machine->nodes;
    for (guint32 i = g_array_index (preemption->claims, LkPreemptClaim, k).first_piece;
         i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job)
      preemption->claimed_first[lk_piece (nodes, i)->node] = LK_PIECE_NONE;
  }
}

static void
drop_claims (LkEngine *self)
{
  LkPreemption *preemption = self->preemption;
  clear_aside (self);
  for (guint k = 0; k < preemption->claims->len; k++)
    lk_placer_discard (&self->placer,
                       g_array_index (preemption->claims, LkPreemptClaim, k).first_piece);
  g_array_set_size (preemption->claims, 0);
  preemption->units_claimed = 0;
}

static void
wake_at (LkPreemption *self, gint64 at_us)
{
  self->wake_us = MIN (self->wake_us, at_us);
}

/* Nobody has been found yet: victims, if the time has come to look for them. */
static guint32
make_room (LkEngine *self, LkJobIndex job, const guint64 *nodes, guint64 *out_nodes)
{
  LkPreemption *preemption = self->preemption;
  LkPreemptMark *mark = mark_of (self, job);
  gint64 hold_until_us = mark->claim_us == LK_TIME_NEVER
                             ? G_MININT64
                             : lk_time_add_us (mark->claim_us, preemption->settings.hold_us);
  if (hold_until_us > self->view.now_us) {
    wake_at (preemption, hold_until_us);
    return LK_MADE_NONE;
  }
  LkPreemptRoom room = { .outcome = LK_MADE_NONE,
                         .victims = preemption->victims,
                         .first_piece = LK_PIECE_NONE,
                         .again_us = LK_TIME_NEVER };
  guint first_victim = preemption->victims->len;
  lk_preempt_choose (self, job, nodes, &room);
  if (room.outcome == LK_MADE_NONE) {
    wake_at (preemption, room.again_us);
    return LK_MADE_NONE;
  }
  for (guint i = first_victim; i < preemption->victims->len; i++) {
    LkJobIndex victim = g_array_index (preemption->victims, LkJobIndex, i);
    mark_of (self, victim)->mode =
        (guint8)self->config.preempt->mode (policy_self (self), &self->view, victim);
    mark_of (self, victim)->preempt_us = self->view.now_us;
  }
  LkPreemptFor made = { .job = job,
                        .first_piece = room.first_piece,
                        .victim_first = first_victim,
                        .victim_count = preemption->victims->len - first_victim };
  g_array_append_val (preemption->rooms, made);
  mark->claim_us = self->view.now_us;
  claim (self, job, (LkPreemptClaim){ LK_JOB_NONE, room.first_piece }, out_nodes);
  return room.outcome;
}

/* Room that others give, or have begun to. */
static guint32
find_given (LkEngine *self, LkJobIndex job, gboolean may_start, const guint64 *nodes,
            guint64 *out_nodes)
{
  LkPreemptRoom room = { .first_piece = LK_PIECE_NONE, .again_us = LK_TIME_NEVER };
  if (may_start && lk_preempt_stop (self, job, nodes, &room)) {
    claim (self, job, (LkPreemptClaim){ job, room.first_piece }, out_nodes);
    return LK_MADE_SOON;
  }
  wake_at (self->preemption, room.again_us);
  if (!lk_preempt_wait (self, job, nodes, &room))
    return LK_MADE_NONE;
  claim (self, job, (LkPreemptClaim){ LK_JOB_NONE, room.first_piece }, out_nodes);
  return LK_MADE_SOON;
}

guint32
lk_engine_preempt_for (LkEngine *self, LkJobIndex job, const guint64 *nodes, guint64 *out_nodes)
{
  const LkPreemptPolicy *policy = self->config.preempt;
  if (policy->may_preempt_any != NULL
      && !policy->may_preempt_any (policy_self (self), &self->view, job))
    return LK_MADE_NONE;
  guint32 outcome = find_given (self, job, TRUE, nodes, out_nodes);
  return outcome != LK_MADE_NONE ? outcome : make_room (self, job, nodes, out_nodes);
}

/* ---------------------------------------------------------------- in a pass */

void
lk_engine_preempt_begin (LkEngine *self)
{
  LkPreemption *preemption = self->preemption;
  LK_ASSERT (preemption->victims->len == 0);
  LK_ASSERT (preemption->claims->len == 0);
  preemption->wake_us = LK_TIME_NEVER;
}

/* Nobody behind a job that waits in vain gets room on the nodes of its partition: it would have the
 * turn before them.  FALSE: no node is left. */
static gboolean
bar_partition (LkEngine *self, LkJobIndex job, guint64 *open_nodes)
{
  guint64 left = 0;
  if (self->machine == NULL || self->config.backfill->head_only)
    return FALSE;
  const guint64 *nodes = self->machine->partitions[self->jobs.partition[job]].nodes;
  for (guint32 word = 0; word < self->machine->nodes.node_words; word++) {
    open_nodes[word] &= ~nodes[word];
    left |= open_nodes[word];
  }
  return left != 0;
}

/* Jobs of one partition and QOS, of which one was found to displace nobody who runs.  Those that
 * come behind it in the queue have no better right than it. */
typedef struct {
  guint32 partition;
  guint32 qos;
} Harmless;

static gboolean
has_prey (LkEngine *self, LkJobIndex job, GArray *harmless)
{
  const LkPreemptPolicy *policy = self->config.preempt;
  Harmless kind = { self->jobs.partition[job], self->jobs.qos[job] };
  for (guint i = 0; i < harmless->len; i++) {
    const Harmless *other = &g_array_index (harmless, Harmless, i);
    if (other->partition == kind.partition && other->qos == kind.qos)
      return FALSE;
  }
  if (policy->may_preempt_any != NULL
      && !policy->may_preempt_any (policy_self (self), &self->view, job)) {
    g_array_append_val (harmless, kind);
    return FALSE;
  }
  for (LkJobIndex victim = lk_rank_first (self->running); victim != LK_JOB_NONE;
       victim = lk_rank_next (self->running, victim, NULL))
    if (policy->may_preempt (policy_self (self), &self->view, job, victim))
      return TRUE;
  for (guint i = 0; i < self->suspended->len; i++) {
    LkJobIndex victim = g_array_index (self->suspended, LkJobIndex, i);
    if (lk_engine_is_stopped (self, victim)
        && policy->may_preempt (policy_self (self), &self->view, job, victim))
      return TRUE;
  }
  g_array_append_val (harmless, kind);
  return FALSE;
}

/* Heterogeneous jobs that wait before the job keep those behind them from getting
 * room, as others do: what comes free would be theirs by turn.  Slurm's main loop passes them by.
 * `at` is how far they were looked at.  FALSE: no node is left. */
static gboolean
bar_hets (LkEngine *self, LkJobIndex before, guint32 *at, guint64 *open_nodes)
{
  gboolean passes_by = self->hets->len == 0 || self->config.backfill->notes_reasons != 0;
  for (; !passes_by && *at < self->het_order->len; ++*at) {
    const LkJobIndex *jobs = NULL;
    if (!lk_rank_before (self->queue, g_array_index (self->het_order, LkJobIndex, *at), before))
      return TRUE;
    guint32 count = lk_engine_het_holding_up (self, *at, &jobs);
    for (guint32 i = 0; i < count; i++)
      if (self->jobs.in_reservation[jobs[i]] == 0 && !bar_partition (self, jobs[i], open_nodes))
        return FALSE;
  }
  return TRUE;
}

/* What a walk through the queue knows. */
typedef struct {
  GArray *harmless; /* of Harmless */
  guint64 *open_nodes;
  guint32 het_at;
  gboolean is_first;  /* before the policy: nobody goes, and who can start is let start */
  gboolean may_start; /* FALSE: nobody passes who waits, and somebody does */
} Walk;

static gboolean
is_claimed (const LkEngine *self, guint32 first_piece)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job)
    if (self->preemption->claimed_first[lk_piece (nodes, i)->node] != LK_PIECE_NONE)
      return TRUE;
  return FALSE;
}

/* Of a job that can start beside what runs: can it beside those before it, too? Its place is set
 * aside. */
static guint32
let_start (LkEngine *self, LkJobIndex job)
{
  LkPreemptRoom room = { .first_piece = lk_plan_take (self->bare, &self->view, job) };
  if (is_claimed (self, room.first_piece)) {
    lk_placer_discard (&self->placer, room.first_piece);
    if (!lk_preempt_beside (self, job, &room))
      return LK_MADE_NONE;
  }
  claim (self, job, (LkPreemptClaim){ LK_JOB_NONE, room.first_piece }, NULL);
  return LK_MADE_SOON;
}

/* Before the policy.  The next task of an array has the turn before those behind it. */
static guint32
look_first (LkEngine *self, LkJobIndex job, gboolean has_any, const Walk *walk)
{
  gboolean can_start = lk_engine_can_start (self, job);
  if (can_start && lk_engine_is_record (self, job))
    return LK_MADE_NONE;
  if (can_start && let_start (self, job) != LK_MADE_NONE)
    return LK_MADE_SOON;
  return has_any ? find_given (self, job, walk->may_start, walk->open_nodes, NULL) : LK_MADE_NONE;
}

static guint32
look_for_room (LkEngine *self, LkJobIndex job, const Walk *walk)
{
  const guint64 *nodes = self->machine != NULL ? walk->open_nodes : NULL;
  gboolean has_any = has_prey (self, job, walk->harmless);
  if (walk->is_first)
    return look_first (self, job, has_any, walk);
  if (!has_any || lk_engine_can_start (self, job))
    return LK_MADE_NONE;
  guint32 outcome = find_given (self, job, walk->may_start, nodes, NULL);
  return outcome != LK_MADE_NONE ? outcome : make_room (self, job, nodes, NULL);
}

/* Does the job, or the next task of it, go on waiting for what it has found? */
static gboolean
keeps_waiting (const LkEngine *self, LkJobIndex job)
{
  const GArray *claims = self->preemption->claims;
  if (lk_engine_is_record (self, job) || claims->len == 0)
    return TRUE;
  return g_array_index (claims, LkPreemptClaim, claims->len - 1).starts != job;
}

/* For those that wait, in the order of the queue, as Slurm's main loop goes through it. */
static void
walk_queue (LkEngine *self, gboolean is_first)
{
  g_autoptr (GArray) harmless = g_array_new (FALSE, FALSE, sizeof (Harmless));
  guint32 words = self->machine != NULL ? self->machine->nodes.node_words : 0;
  g_autofree guint64 *open_nodes = g_new0 (guint64, words + 1);
  memset (open_nodes, 0xff, words * sizeof *open_nodes);
  Walk walk = { harmless, open_nodes, 0, is_first, TRUE };
  if (self->view.running_count + self->suspended->len == 0)
    return;
  for (LkJobIndex job = lk_rank_first (self->queue); job != LK_JOB_NONE;
       job = lk_rank_next (self->queue, job, NULL)) {
    /* What a limit keeps would not start; and what could start is kept by its policy. */
    if (lk_engine_block (self, job))
      continue;
    if (!bar_hets (self, job, &walk.het_at, open_nodes))
      return;
    guint32 outcome = look_for_room (self, job, &walk);
    gboolean is_open = outcome != LK_MADE_NONE && !(is_first && lk_engine_is_record (self, job));
    /* Who lacks room in an advance reservation is in nobody's way. */
    if (!is_open && self->jobs.in_reservation[job] == 0 && !bar_partition (self, job, open_nodes))
      return;
    if (self->config.backfill->head_only && keeps_waiting (self, job))
      walk.may_start = FALSE;
  }
}

/* Those that can have cores of others start, if nobody has come before them since.  What is set
 * aside for jobs before them stays so: they would be told room that somebody behind them takes. */
static void
start_over_others (LkEngine *self)
{
  GArray *claims = self->preemption->claims;
  gboolean any = FALSE;
  clear_aside (self);
  for (guint i = 0; i < claims->len; i++) {
    LkPreemptClaim *place = &g_array_index (claims, LkPreemptClaim, i);
    LkJobIndex job = place->starts;
    LkPreemptRoom room = { .first_piece = LK_PIECE_NONE, .again_us = LK_TIME_NEVER };
    if (job == LK_JOB_NONE) {
      set_aside (self, place->first_piece, NULL);
      continue;
    }
    if (self->jobs.phase[job] == LK_PHASE_QUEUED && !lk_engine_block (self, job)
        && lk_preempt_stop (self, job, NULL, &room))
      any = lk_engine_start_there (self, job, room.first_piece) || any;
  }
  if (any)
    forget_plans (self);
}

/* Plans know nothing of cores that jobs give: in them it would wait, and who comes behind it be let
 * in where it can start, and have to go again. */
void
lk_engine_preempt_first (LkEngine *self)
{
  if (self->gang == NULL || self->config.backfill->notes_reasons || self->config.backfill->preempts)
    return;
  do {
    self->again = LK_JOB_NONE;
    walk_queue (self, TRUE);
    start_over_others (self);
    drop_claims (self);
  } while (self->again != LK_JOB_NONE);
}

/* Where the job is to start; while the place is known. */
static void
tell_room (LkEngine *self, const LkPreemptFor *room)
{
  LkDecision_start place = { .units = self->jobs.units[room->job] };
  LkDecision decision = { .kind = LK_DECISION_ROOM, .job = room->job };
  if (self->machine != NULL)
    lk_engine_pieces_text (self, room->first_piece, &place);
  decision.room = (LkDecision_room){ .job_id = self->jobs.id[room->job],
                                     .units = place.units,
                                     .memory_bytes = place.memory_bytes,
                                     .nodes = place.nodes,
                                     .cores = place.cores,
                                     .gres = place.gres };
  lk_engine_emit (self, &decision);
}

static void
take_away (LkEngine *self, const LkPreemptFor *room)
{
  const GArray *victims = self->preemption->victims;
  for (guint i = 0; i < room->victim_count; i++)
    preempt (self, g_array_index (victims, LkJobIndex, room->victim_first + i), room->job);
}

void
lk_engine_preempt_end (LkEngine *self)
{
  LkPreemption *preemption = self->preemption;
  if (!self->config.backfill->preempts)
    walk_queue (self, FALSE);
  const LkPreemptFor *rooms = (const LkPreemptFor *)(gconstpointer)preemption->rooms->data;
  for (guint i = 0; i < preemption->rooms->len; i++)
    tell_room (self, &rooms[i]);
  start_over_others (self);
  drop_claims (self);
  for (guint i = 0; i < preemption->rooms->len; i++)
    take_away (self, &rooms[i]);
  g_array_set_size (preemption->rooms, 0);
  /* What was requeued has left its place already: a pass is wanted at once. */
  if (preemption->victims->len > 0) {
    forget_plans (self);
    wake_at (preemption, self->view.now_us);
  }
  g_array_set_size (preemption->victims, 0);
}

gint64
lk_engine_next_preempt_us (const LkEngine *self)
{
  return self->preemption != NULL ? self->preemption->wake_us : LK_TIME_NEVER;
}

/* ---------------------------------------------------------------- invariants */

void
lk_engine_check_preempt (const LkEngine *self, LkJobIndex job)
{
  const LkPreemptMark *mark = mark_of (self, job);
  if (self->jobs.phase[job] != LK_PHASE_RUNNING)
    LK_ASSERT (mark->mode == LK_PREEMPT_OFF);
  if (self->jobs.phase[job] != LK_PHASE_QUEUED)
    LK_ASSERT (mark->claim_us == LK_TIME_NEVER);
  if (mark->mode != LK_PREEMPT_OFF)
    LK_ASSERT (mark->preempt_us <= self->view.now_us);
}
