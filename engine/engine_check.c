/* engine/engine_check.c — walks every invariant of the engine's state and aborts on the first that
 * does not hold. */
#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_array.h"
#include "engine/engine_gang.h"
#include "engine/engine_het.h"
#include "engine/engine_life.h"
#include "engine/plan.h"

typedef struct {
  guint32 queued_count;
  guint32 held_count;
  guint32 blocked_count;
  guint32 running_count;
  guint32 suspended_count;
  guint64 running_units;
  guint64 running_procs;
} Census;

static void
check_job (const LkEngine *self, LkJobIndex job, Census *census)
{
  const LkJobTable *jobs = &self->jobs;
  LK_ASSERT (lk_id_map_find (&jobs->index_by_id, jobs->id[job]) == job);
  LK_ASSERT (jobs->id[job] <= self->job_id_last);
  LK_ASSERT (jobs->procs[job] >= 1);
  LK_ASSERT (jobs->units[job] >= 1);
  LK_ASSERT (jobs->units[job] <= self->view.units_total
             || (self->machine != NULL && self->machine->has_sharing));
  LK_ASSERT (jobs->estimate_us[job] > 0);
  LK_ASSERT (jobs->submit_us[job] <= self->view.now_us);
  switch (jobs->phase[job]) {
  case LK_PHASE_QUEUED:
    census->queued_count++;
    break;
  case LK_PHASE_BLOCKED:
    LK_ASSERT (self->book != NULL);
    census->blocked_count++;
    break;
  case LK_PHASE_HELD:
    census->held_count++;
    break;
  case LK_PHASE_RUNNING:
    LK_ASSERT (jobs->start_us[job] >= jobs->submit_us[job]);
    LK_ASSERT (jobs->start_us[job] <= self->view.now_us);
    LK_ASSERT (jobs->expected_end_us[job] == lk_engine_limit_end_us (self, job)
               || lk_engine_is_preempted (self, job));
    LK_ASSERT (lk_engine_life (self, job)->stopped_piece == LK_PIECE_NONE);
    census->running_count++;
    census->running_units += jobs->units[job];
    census->running_procs += jobs->procs[job];
    break;
  case LK_PHASE_SUSPENDED:
    LK_ASSERT (jobs->start_us[job] >= jobs->submit_us[job]);
    LK_ASSERT (lk_engine_life (self, job)->suspend_us >= lk_engine_runs_since_us (self, job));
    LK_ASSERT (jobs->expected_end_us[job] == LK_TIME_NEVER || lk_engine_is_stopped (self, job));
    LK_ASSERT (census->suspended_count < self->suspended->len);
    LK_ASSERT (g_array_index (self->suspended, LkJobIndex, census->suspended_count) == job);
    census->suspended_count++;
    break;
  default:
    LK_UNREACHABLE ("a listed job is not free");
  }
  if (!lk_engine_has_started (self, job)) {
    LK_ASSERT (jobs->kill_why[job] == 0);
    LK_ASSERT (jobs->first_piece[job] == LK_PIECE_NONE);
  }
  LK_ASSERT ((jobs->request[job] == LK_JOB_NONE) == (self->machine == NULL));
  if (self->preemption != NULL)
    lk_engine_check_preempt (self, job);
  if (lk_engine_is_in_line (self, job))
    LK_ASSERT (jobs->held_by[job] == LK_HELD_BY_NOBODY);
  LK_ASSERT (lk_engine_may_be_stuck (self, job));
  if (!lk_engine_is_pending (self, job) || !self->config.backfill->notes_reasons)
    LK_ASSERT (jobs->reason_left[job] == 0);
  /* Where partitions are tried, only one that has started is in another than where it waits. */
  if (self->machine != NULL && self->config.backfill->tries_partitions
      && !lk_engine_has_started (self, job))
    LK_ASSERT (lk_machine_request (self->machine, jobs->request[job])->place == 0);
  if (jobs->phase[job] != LK_PHASE_QUEUED || !self->config.backfill->notes_reasons)
    LK_ASSERT (jobs->wait_noted[job] == LK_WAIT_NONE);
}

static void
check_users (const LkEngine *self, guint64 running_procs)
{
  guint64 sum = 0;
  for (guint i = 0; i < self->users->len; i++) {
    const LkUserUsage *user = &g_array_index (self->users, LkUserUsage, i);
    LK_ASSERT (lk_id_map_find (&self->user_index_by_id, user->user_id + 1) == i);
    LK_ASSERT (user->ended_proc_s >= 0.0);
    sum += user->running_procs;
  }
  LK_ASSERT (sum == running_procs);
}

/* The pieces of a job, and the licences that it holds. Returns how many pieces. */
static guint64
check_held (const LkEngine *self, LkJobIndex job, guint64 *held)
{
  const LkMachine *machine = self->machine;
  const LkNodeTable *nodes = &machine->nodes;
  const LkRequest *request = lk_machine_request (machine, self->jobs.request[job]);
  guint64 piece_count = 0;
  LK_ASSERT (self->jobs.first_piece[job] != LK_PIECE_NONE);
  LK_ASSERT (self->jobs.units[job]
             == lk_placer_cpus (&self->placer, lk_engine_all_pieces (self, job)));
  for (guint32 i = self->jobs.first_piece[job]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job) {
    LK_ASSERT (lk_piece (nodes, i)->job == job);
    LK_ASSERT (lk_piece (nodes, i)->to_us == self->jobs.expected_end_us[job]);
    LK_ASSERT ((nodes->flags[lk_piece (nodes, i)->node] & LK_NODE_DOWN) == 0);
    piece_count++;
  }
  for (guint i = 0; request->licenses != NULL && i < request->licenses->len; i++) {
    const LkLicenseDemand *demand = &g_array_index (request->licenses, LkLicenseDemand, i);
    held[demand->license] += demand->count;
  }
  return piece_count;
}

/* Every piece on a node is of a job that has started, and every licence that is not free is
 * held. */
static void
check_machine (const LkEngine *self)
{
  const LkMachine *machine = self->machine;
  const LkNodeTable *nodes = &machine->nodes;
  g_autofree guint64 *held = g_new0 (guint64, machine->license_count + 1);
  guint64 piece_count = 0;
  guint64 listed_count = 0;
  lk_node_table_check (nodes);
  for (guint32 node = 0; node < nodes->node_count; node++)
    piece_count += nodes->piece_count[node];
  for (LkJobIndex job = lk_rank_first (self->running); job != LK_JOB_NONE;
       job = lk_rank_next (self->running, job, NULL))
    listed_count += check_held (self, job, held);
  for (guint i = 0; i < self->suspended->len; i++)
    listed_count += check_held (self, g_array_index (self->suspended, LkJobIndex, i), held);
  LK_ASSERT (piece_count == listed_count);
  for (guint i = 0; i < self->plans->len; i++)
    lk_plan_slots_check (g_ptr_array_index (self->plans, i), self->view.now_us);
  for (guint32 i = 0; i < machine->license_count; i++)
    LK_ASSERT (held[i] + machine->licenses_free[i] == machine->licenses_total[i]);
}

void
lk_engine_check (const LkEngine *self)
{
  const LkView *view = &self->view;
  Census census = { 0 };
  g_autoptr (GArray) jobs = lk_job_table_sorted (&self->jobs);

  LK_ASSERT (jobs->len == self->jobs.count);
  LK_ASSERT (self->jobs.index_by_id.count == self->jobs.count);
  LK_ASSERT (self->jobs.count + self->jobs.free_indices->len == self->jobs.limit);
  for (guint i = 0; i < jobs->len; i++)
    check_job (self, g_array_index (jobs, LkJobIndex, i), &census);
  LK_ASSERT (census.queued_count == view->pending_count);
  LK_ASSERT (census.held_count == self->held_count);
  LK_ASSERT (census.blocked_count == self->blocked_count);
  if (self->book != NULL)
    lk_engine_check_book ((LkEngine *)(gpointer)self);
  LK_ASSERT (census.running_count == view->running_count);
  LK_ASSERT (census.suspended_count == self->suspended->len);
  if (self->machine == NULL || !self->machine->has_sharing)
    LK_ASSERT (census.running_units + view->units_free == view->units_total);
  if (self->machine != NULL) {
    check_machine (self);
    lk_engine_check_reservations (self);
  }
  lk_engine_check_arrays (self);
  lk_engine_check_dependencies (self);
  lk_engine_check_hets (self);
  lk_engine_check_gang (self);
  check_users (self, census.running_procs);

  lk_rank_check (self->queue);
  lk_rank_check (self->running);
  LK_ASSERT (lk_rank_count (self->queue) == view->pending_count);
  LK_ASSERT (lk_rank_count (self->running) == view->running_count);
  if (self->backfill_queue != NULL) {
    lk_rank_check (self->backfill_queue);
    LK_ASSERT (lk_rank_count (self->backfill_queue) == view->pending_count);
  }
  LK_ASSERT (self->event == NULL);
  for (guint i = 0; i < self->waiting->len; i++) {
    LkJobIndex job = g_array_index (self->waiting, LkJobIndex, i);
    LK_ASSERT (self->jobs.phase[job] == LK_PHASE_HELD);
    LK_ASSERT (self->jobs.hold_reason[job] == LK_REASON_BEGIN_TIME);
  }
  LK_ASSERT (!self->in_pass);
  LK_ASSERT (view->jobs == &self->jobs.columns);
}
