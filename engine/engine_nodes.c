/* engine/engine_nodes.c — what runs on a machine of nodes, and what becomes of its nodes.
 *
 * When a node goes down, its jobs lose it: a job that asked to survive goes on without the node,
 * one that may be requeued goes back to the queue (engine_requeue.c), any other ends as NODE_FAIL.
 * Sources: sbatch(1) --no-kill, --requeue; slurm.conf(5) JobRequeue; semantics of scontrol update
 * nodename. */
#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_gang.h"
#include "engine/engine_life.h"
#include "engine/hostlist.h"
#include "engine/in_partition.h"
#include "engine/plan.h"

/* ---------------------------------------------------------------- start and end on nodes */

gboolean
lk_engine_licenses_free (const LkEngine *self, LkJobIndex job)
{
  const LkRequest *request = lk_machine_request (self->machine, self->jobs.request[job]);
  for (guint i = 0; request->licenses != NULL && i < request->licenses->len; i++) {
    const LkLicenseDemand *demand = &g_array_index (request->licenses, LkLicenseDemand, i);
    if (demand->count > self->machine->licenses_free[demand->license])
      return FALSE;
  }
  return TRUE;
}

gboolean
lk_engine_required_unusable (const LkEngine *self, LkJobIndex job)
{
  const LkRequest *request = lk_machine_request (self->machine, self->jobs.request[job]);
  const LkNodeTable *nodes = &self->machine->nodes;
  for (guint32 word = 0; request->required != NULL && word < nodes->node_words; word++)
    if ((request->required[word] & ~nodes->usable[word]) != 0)
      return TRUE;
  return FALSE;
}

static void
count_licenses (LkEngine *self, LkJobIndex job, gboolean take)
{
  const LkRequest *request = lk_machine_request (self->machine, self->jobs.request[job]);
  if (request->licenses == NULL)
    return;
  for (guint i = 0; i < request->licenses->len; i++) {
    const LkLicenseDemand *demand = &g_array_index (request->licenses, LkLicenseDemand, i);
    guint32 *free = &self->machine->licenses_free[demand->license];
    if (take)
      LK_ASSERT (*free >= demand->count);
    *free = take ? *free - demand->count : *free + demand->count;
    LK_ASSERT (*free <= self->machine->licenses_total[demand->license]);
  }
  if (take) {
    g_array_append_val (self->license_jobs, job);
    return;
  }
  for (guint i = 0; i < self->license_jobs->len; i++)
    if (g_array_index (self->license_jobs, LkJobIndex, i) == job) {
      g_array_remove_index_fast (self->license_jobs, i);
      return;
    }
}

void
lk_engine_tell_plans (LkEngine *self, guint32 node, gboolean given_back)
{
  self->node_ends.is_valid = FALSE;
  for (guint i = 0; i < self->plans->len; i++)
    lk_plan_node_changed (g_ptr_array_index (self->plans, i), node, given_back);
}

void
lk_engine_plans_forget (const LkEngine *self)
{
  for (guint i = 0; i < self->plans->len; i++)
    lk_plan_slots_forget (g_ptr_array_index (self->plans, i));
}

static void
tell_of_piece (LkEngine *self, const LkPiece *piece, gboolean is_started)
{
  self->node_ends.is_valid = FALSE;
  for (guint i = 0; i < self->plans->len; i++) {
    LkPlan *plan = g_ptr_array_index (self->plans, i);
    if (is_started)
      lk_plan_piece_started (plan, piece, self->view.now_us);
    else
      lk_plan_piece_ended (plan, piece, self->view.now_us);
  }
}

static void
plans_taken (const LkEngine *self, guint32 first_piece)
{
  for (guint i = 0; i < self->plans->len; i++)
    lk_plan_taken (g_ptr_array_index (self->plans, i), first_piece);
}

static void
plans_given (const LkEngine *self, guint32 first_piece)
{
  for (guint i = 0; i < self->plans->len; i++)
    lk_plan_gave_back (g_ptr_array_index (self->plans, i), first_piece);
}

void
lk_engine_attach (LkEngine *self, LkJobIndex job, guint32 first_piece)
{
  LkNodeTable *nodes = &self->machine->nodes;
  self->jobs.first_piece[job] = first_piece;
  for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job) {
    LkPiece *piece = lk_piece (nodes, i);
    piece->job = job;
    piece->from_us = self->jobs.start_us[job];
    piece->to_us = self->jobs.expected_end_us[job];
    lk_node_table_attach (nodes, i);
    tell_of_piece (self, piece, /* is_started= */ TRUE);
  }
  plans_taken (self, first_piece);
  count_licenses (self, job, /* take= */ TRUE);
  lk_engine_enter_reservation (self, job);
}

void
lk_engine_detach (LkEngine *self, LkJobIndex job)
{
  LkNodeTable *nodes = &self->machine->nodes;
  lk_engine_exit_reservation (self, job);
  for (guint32 i = self->jobs.first_piece[job]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job) {
    lk_node_table_detach (nodes, i);
    tell_of_piece (self, lk_piece (nodes, i), /* is_started= */ FALSE);
  }
  plans_given (self, self->jobs.first_piece[job]);
  lk_placer_discard (&self->placer, self->jobs.first_piece[job]);
  self->jobs.first_piece[job] = LK_PIECE_NONE;
  count_licenses (self, job, /* take= */ FALSE);
}

/* ---------------------------------------------------------------- jobs that wait for a moment */

static gint
compare_begin (const LkEngine *self, LkJobIndex a, LkJobIndex b)
{
  const LkJobTable *jobs = &self->jobs;
  if (jobs->begin_us[a] != jobs->begin_us[b])
    return jobs->begin_us[a] < jobs->begin_us[b] ? -1 : 1;
  return (jobs->id[a] > jobs->id[b]) - (jobs->id[a] < jobs->id[b]);
}

void
lk_engine_wait (LkEngine *self, LkJobIndex job)
{
  guint at = self->waiting->len;
  while (at > 0 && compare_begin (self, job, g_array_index (self->waiting, LkJobIndex, at - 1)) < 0)
    at--;
  g_array_insert_val (self->waiting, at, job);
}

void
lk_engine_unwait (LkEngine *self, LkJobIndex job)
{
  for (guint i = 0; i < self->waiting->len; i++)
    if (g_array_index (self->waiting, LkJobIndex, i) == job) {
      g_array_remove_index (self->waiting, i);
      return;
    }
}

gint64
lk_engine_next_begin_us (const LkEngine *self)
{
  return self->waiting->len > 0 ? self->jobs.begin_us[g_array_index (self->waiting, LkJobIndex, 0)]
                                : LK_TIME_NEVER;
}

void
lk_engine_begin_waiting (LkEngine *self)
{
  while (lk_engine_next_begin_us (self) <= self->view.now_us) {
    LkJobIndex job = g_array_index (self->waiting, LkJobIndex, 0);
    lk_engine_settle (self, job);
    lk_engine_leave_reason (self, job, LK_REASON_BEGIN_TIME);
  }
}

/* ---------------------------------------------------------------- nodes */

void
lk_engine_machine_changed (LkEngine *self)
{
  const LkBackfillPolicy *backfill = self->config.backfill;
  if (backfill->machine_changed != NULL)
    backfill->machine_changed (self->instances[LK_INSTANCE_BACKFILL].self, &self->view);
  self->changed = TRUE;
}

/* Takes one node out of a running job. */
static void
shrink_job (LkEngine *self, LkJobIndex job, guint32 piece_lost)
{
  LkNodeTable *nodes = &self->machine->nodes;
  if (self->book != NULL) {
    lk_engine_charge (self, job);
    lk_engine_account_take (self, job, FALSE);
  }
  guint32 *link = &self->jobs.first_piece[job];
  while (*link != piece_lost)
    link = &lk_piece (nodes, *link)->next_of_job;
  *link = lk_piece (nodes, piece_lost)->next_of_job;
  lk_piece (nodes, piece_lost)->next_of_job = LK_PIECE_NONE;
  lk_node_table_detach (nodes, piece_lost);
  lk_engine_tell_plans (self, lk_piece (nodes, piece_lost)->node, /* given_back= */ TRUE);
  plans_given (self, piece_lost);
  /* The books of units follow; order and backfill see the job smaller. */
  if (lk_engine_is_stopped (self, job)) {
    self->jobs.units[job] -= lk_piece (nodes, piece_lost)->cpus;
  } else if (self->jobs.phase[job] == LK_PHASE_SUSPENDED) {
    self->jobs.units[job] -=
        lk_engine_forget_stopped (self, job, lk_piece (nodes, piece_lost)->node);
  } else {
    lk_rank_remove (self->running, job);
    guint32 cpus = lk_piece (nodes, piece_lost)->cpus;
    self->jobs.units[job] -= cpus;
    if (!self->machine->has_sharing)
      self->view.units_free += cpus;
    lk_rank_insert (self->running, job);
  }
  lk_piece_free (nodes, piece_lost);
  lk_engine_gang_note (self);
  if (self->book != NULL) {
    lk_engine_account_resized (self, job);
    lk_engine_release_parked (self, job);
  }
}

static void
fail_job (LkEngine *self, LkJobIndex job)
{
  lk_engine_end (self, job);
  lk_engine_emit_notice (self, job, LK_JOB_NODE_FAIL, LK_REASON_NODE_DOWN);
  lk_engine_remove_job (self, job);
}

static void
lose_node (LkEngine *self, LkJobIndex job, guint32 piece)
{
  /* Its request may go with the job. */
  gboolean no_kill = lk_machine_request (self->machine, self->jobs.request[job])->no_kill;
  const LkNodeTable *nodes = &self->machine->nodes;
  LkRequeueHow back = { .state = LK_JOB_NODE_FAIL, .reason = LK_REASON_NODE_DOWN };
  gboolean only = lk_piece (nodes, self->jobs.first_piece[job])->next_of_job == LK_PIECE_NONE;
  gboolean goes_back = lk_engine_goes_back (self, job, &back);
  gboolean is_requeued =
      lk_engine_may_requeue (self, job) && (self->jobs.kill_why[job] == 0 || goes_back);
  /* On its other nodes it may still run: it keeps them until it has ended. */
  gboolean waits = is_requeued && self->config.requeues_at_end;
  if ((no_kill || waits) && !only)
    shrink_job (self, job, piece);
  else if (is_requeued)
    lk_engine_requeue (self, job, &back);
  else
    fail_job (self, job);
  if (waits && !no_kill && !only && !goes_back)
    lk_engine_send_back (self, job, &back, LK_KILL_NODE_FAILED);
}

/* By rising job id, so that the order in which pieces lie on the node is not seen. */
static void
lose_jobs (LkEngine *self, guint32 node)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  while (nodes->piece_first[node] != LK_PIECE_NONE) {
    guint32 least = nodes->piece_first[node];
    for (guint32 i = least; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_on_node)
      if (self->jobs.id[lk_piece (nodes, i)->job] < self->jobs.id[lk_piece (nodes, least)->job])
        least = i;
    lose_node (self, lk_piece (nodes, least)->job, least);
  }
}

static void
change_node (LkEngine *self, guint32 node, LkEventKind kind, LkText reason)
{
  LkNodeTable *nodes = &self->machine->nodes;
  guint32 flags = nodes->flags[node];
  switch (kind) {
  case LK_EVENT_NODE_UP:
    flags &= ~(guint32)LK_NODE_DOWN;
    break;
  case LK_EVENT_NODE_DOWN:
    flags |= LK_NODE_DOWN;
    break;
  case LK_EVENT_NODE_DRAIN:
    flags |= LK_NODE_DRAIN;
    break;
  default:
    flags = 0;
  }
  lk_node_table_set_flags (nodes, node, flags, reason.bytes != NULL ? reason.bytes : "",
                           reason.length_bytes);
  if (kind == LK_EVENT_NODE_DOWN)
    lose_jobs (self, node);
  for (guint i = 0; flags == 0 && i < self->plans->len; i++)
    lk_plan_node_back (g_ptr_array_index (self->plans, i), node);
}

static void
event_names (const LkEvent *event, LkText *out_names, LkText *out_reason)
{
  *out_reason = (LkText){ NULL, 0 };
  switch (event->kind) {
  case LK_EVENT_NODE_UP:
    *out_names = event->node_up.node;
    break;
  case LK_EVENT_NODE_DOWN:
    *out_names = event->node_down.node;
    *out_reason = event->node_down.reason;
    break;
  case LK_EVENT_NODE_DRAIN:
    *out_names = event->node_drain.node;
    *out_reason = event->node_drain.reason;
    break;
  default:
    *out_names = event->node_resume.node;
  }
}

static void
nodes_changed (LkEngine *self, gboolean came_back)
{
  const LkBackfillPolicy *backfill = self->config.backfill;
  /* Of plans of heterogeneous jobs the policy knows nothing. */
  if (backfill->nodes_changed == NULL || self->hets->len > 0) {
    lk_engine_machine_changed (self);
    return;
  }
  backfill->nodes_changed (self->instances[LK_INSTANCE_BACKFILL].self, &self->view, came_back);
  self->changed = TRUE;
}

LkReject
lk_engine_node_event (LkEngine *self, const LkEvent *event)
{
  LkText list;
  LkText reason;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint32));
  if (self->machine == NULL)
    return LK_REJECT_UNSUPPORTED;
  event_names (event, &list, &reason);
  if (list.length_bytes == 0 || !lk_hostlist_expand (list.bytes, list.length_bytes, names, NULL))
    return LK_REJECT_NODE_UNKNOWN;
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    guint32 node = lk_node_table_find (&self->machine->nodes, name, strlen (name));
    if (node == LK_NODE_NONE)
      return LK_REJECT_NODE_UNKNOWN;
    g_array_append_val (found, node);
  }
  lk_engine_accept (self, LK_JOB_NONE);
  for (guint i = 0; i < found->len; i++)
    change_node (self, g_array_index (found, guint32, i), event->kind, reason);
  nodes_changed (self, event->kind == LK_EVENT_NODE_UP || event->kind == LK_EVENT_NODE_RESUME);
  if (self->reservations->items->len > 0)
    self->reservation_jobs->turn_due = TRUE; /* nodes may have to be replaced */
  lk_engine_ask_wake (self);
  return 0;
}
