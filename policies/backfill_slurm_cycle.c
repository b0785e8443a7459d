/* policies/backfill_slurm_cycle.c — Slurm's backfill cycle.
 *
 * From an empty table of slots, each job in order: on the nodes that no job before it has reserved
 * for the time it would take, when could it start as running jobs end?  Now: it starts.  Later, but
 * nodes are given back before: it is asked again from then on.  Else its nodes are reserved for its
 * time, in whole nodes.  Source: sched/backfill, _attempt_backfill;
 * docs/policy-backfill-slurm.md. */
#include "policies/backfill_slurm.h"

#include <string.h>

#define SECOND_US INT64_C (1000000)

typedef struct {
  const LkSlurmCall *call;
  int64_t begin_us; /* of the table */
  int64_t end_us;
  LkSlurmSlots slots;
  LkSlurmLicenses licenses;
  GArray *steps;    /* of a counted pool; else NULL */
  guint64 *nodes;   /* that the job could have */
  guint64 *planned; /* where it would be */
  GHashTable *user_counts;
  GHashTable *association_counts;
  GHashTable *user_partition_counts;
  uint32_t *partition_counts;
  uint32_t *reserved_counts; /* by partition */
  guint8 *has_reserved;      /* by job */
  gboolean is_now_only;      /* the job at hand starts now or not at all */
  gboolean is_short;         /* it is looked at with its least limit */
  int64_t limit_us;          /* of what has started last */
  int64_t estimate_us;       /* when it is to start; LK_TIME_NEVER: not known */
  int64_t tested_count;
  int64_t started_count;
  int64_t reserved_count;
  LkJobIndex array; /* the last one with a reservation; LK_JOB_NONE: none yet */
  int64_t array_task_count;
  gboolean is_over;
} Cycle;

static uint32_t
partition_of (const LkView *view, LkJobIndex job)
{
  return view->partition_count > 1 ? view->jobs->partition[job] : 0;
}

/* ---------------------------------------------------------------- how many of each are tested */

/* Counts one more under the key. FALSE: there have been as many as may be. */
static gboolean
count_up (GHashTable *counts, guint64 key, int64_t most)
{
  guint32 *count = g_hash_table_lookup (counts, &key);
  if (count == NULL) {
    guint64 *own_key = g_memdup2 (&key, sizeof key);
    count = g_new0 (guint32, 1);
    g_hash_table_insert (counts, own_key, count);
  }
  return (int64_t)(*count)++ < most;
}

static gboolean
count_job (Cycle *self, LkJobIndex job)
{
  const LkSlurmSettings *settings = &self->call->self->settings;
  const LkView *view = self->call->view;
  uint32_t partition = partition_of (view, job);
  guint64 user = view->jobs->user_id[job];
  if (settings->bf_max_job_part > 0
      && self->partition_counts[partition]++ >= settings->bf_max_job_part)
    return FALSE;
  if (settings->bf_max_job_assoc > 0 && view->jobs->association[job] != LK_INDEX_NONE) {
    if (!count_up (self->association_counts, view->jobs->association[job],
                   settings->bf_max_job_assoc))
      return FALSE;
  } else if (settings->bf_max_job_user > 0
             && !count_up (self->user_counts, user, settings->bf_max_job_user)) {
    return FALSE;
  }
  return settings->bf_max_job_user_part == 0
         || count_up (self->user_partition_counts, user << 32 | partition,
                      settings->bf_max_job_user_part);
}

/* ---------------------------------------------------------------- reservations */

/* Are there as many reservations in the job's partition as may be? */
static gboolean
is_partition_full (const Cycle *self, LkJobIndex job)
{
  const LkSlurmCall *call = self->call;
  int64_t most = call->self->settings.bf_job_part_count_reserve;
  return most > 0 && self->reserved_counts[partition_of (call->view, job)] >= most;
}

/* Does the job start now or not at all? */
static gboolean
is_now_only (const Cycle *self, LkJobIndex job)
{
  const LkSlurmCall *call = self->call;
  const LkAccountsView *accounts = call->view->accounts;
  uint32_t qos = call->view->jobs->qos[job];
  if (accounts != NULL && qos != LK_INDEX_NONE
      && (accounts->qos[qos].flags & LK_QOS_NO_RESERVE) != 0)
    return TRUE;
  if (call->self->settings.bf_one_resv_per_job && self->has_reserved[job])
    return TRUE;
  if (call->self->settings.bf_max_job_array_resv == 0
      && call->view->jobs->array_task[job] == UINT32_MAX
      && call->view->jobs->array_job_id[job] != 0)
    return TRUE;
  return is_partition_full (self, job) || !lk_slurm_may_reserve (call, job);
}

/* With so many reservations besides the next one. */
static gboolean
is_table_full (const Cycle *self, uint32_t more_count)
{
  /* Each reservation makes two slots more. */
  int64_t count = self->steps != NULL ? 1 + 2 * self->reserved_count : self->slots.slots->len;
  return count + 2 * (int64_t)more_count >= self->call->self->settings.bf_node_space_count;
}

static void
note_reserved (Cycle *self, LkJobIndex job)
{
  self->reserved_count++;
  self->has_reserved[job] = 1;
  self->reserved_counts[partition_of (self->call->view, job)]++;
}

/* FALSE: another job's reservation is in the way. */
static gboolean
reserve (Cycle *self, LkJobIndex job, int64_t start_us)
{
  const LkSlurmCall *call = self->call;
  LkSlurmHold hold = { self->planned, self->licenses.has_needs ? self->licenses.needed : NULL };
  int64_t from_us;
  int64_t to_us;
  if (start_us > lk_slurm_add_us (self->call->view->now_us, call->self->settings.bf_window_us))
    return TRUE; /* too far away to matter: it only has its estimate */
  if (is_table_full (self, 0)) {
    self->is_over = TRUE;
    return TRUE;
  }
  lk_slurm_interval (&call->self->settings, start_us, call->view->jobs->estimate_us[job], &from_us,
                     &to_us);
  if (self->steps != NULL) {
    lk_slurm_pool_reserve (self->steps, from_us, to_us, call->view->jobs->units[job]);
  } else {
    if (lk_slurm_slots_overlap (&self->slots, start_us, to_us, &hold))
      return FALSE;
    lk_slurm_slots_reserve (&self->slots, from_us, to_us, &hold);
  }
  note_reserved (self, job);
  return TRUE;
}

/* A running job has its nodes alone, or licences that are planned: it holds them to its expected
 * end (bf_running_job_reserve, bf_licenses).  One that may be displaced holds no nodes. */
static void
hold_running (Cycle *self, int64_t left_us, gboolean holds_nodes)
{
  const LkSlurmCall *call = self->call;
  LkSlurmHold hold = { self->planned, self->licenses.has_needs ? self->licenses.needed : NULL };
  int64_t from_us;
  int64_t to_us;
  if ((!holds_nodes && hold.licenses == NULL) || is_table_full (self, 0))
    return;
  if (!holds_nodes)
    memset (self->planned, 0, call->words * sizeof *self->planned);
  lk_slurm_interval (&call->self->settings, call->view->now_us, MAX (0, left_us), &from_us, &to_us);
  lk_slurm_slots_reserve (&self->slots, from_us, to_us, &hold);
}

/* The nodes of a running job. */
static void
set_nodes_of (Cycle *self, LkJobIndex job)
{
  memset (self->planned, 0, self->call->words * sizeof *self->planned);
  self->call->ops->nodes_of_job (self->call->pass, job, self->planned);
}

static gboolean
has_nodes_alone (const LkSlurmCall *call, LkJobIndex job)
{
  LkDemand demand;
  return call->view->host->job_demand (call->view, job, &demand)
         && (demand.flags & LK_DEMAND_WHOLE_NODES) != 0;
}

/* What has just started is in `planned`, if it waited as a task of an array and is a job of its own
 * now. */
static void
hold_started (Cycle *self, LkJobIndex job, gboolean holds_nodes)
{
  const LkSlurmCall *call = self->call;
  if (self->steps != NULL || !call->self->settings.bf_running_job_reserve)
    return;
  if (call->view->jobs->phase[job] == LK_PHASE_RUNNING) {
    set_nodes_of (self, job);
    holds_nodes = holds_nodes && call->ops->preempt_mode (call->pass, job) == LK_PREEMPT_OFF;
  }
  hold_running (self, self->limit_us, holds_nodes);
}

/* Returns whether it has started; of an array its next task. */
static gboolean
start (Cycle *self, LkJobIndex job, const guint64 *nodes)
{
  const LkSlurmCall *call = self->call;
  int64_t most = call->self->settings.bf_max_job_start;
  gboolean holds_nodes = has_nodes_alone (call, job);
  self->estimate_us = LK_TIME_NEVER;
  if (call->ops->try_start (call->pass, job, nodes) != LK_TRY_STARTED)
    return FALSE;
  lk_slurm_planned_forget (call->self, job);
  self->limit_us =
      self->is_short
          ? lk_slurm_lengthen (call, &self->slots, self->steps,
                               self->licenses.has_needs ? self->licenses.needed : NULL, job)
          : call->view->jobs->estimate_us[job];
  hold_started (self, job, holds_nodes);
  self->started_count++;
  self->is_over = most > 0 && self->started_count >= most;
  return TRUE;
}

/* ---------------------------------------------------------------- a job on a counted pool */

static void
plan_in_pool (Cycle *self, const LkSlurmRecord *record)
{
  const LkSlurmCall *call = self->call;
  const LkView *view = call->view;
  LkJobIndex job = record->job;
  int64_t units = view->jobs->units[job];
  int64_t duration_us = view->jobs->estimate_us[job];
  int64_t start_us = lk_slurm_pool_earliest_us (self->steps, units, duration_us);
  if (start_us == LK_TIME_NEVER)
    return;
  if (start_us <= view->now_us && !record->is_limited) {
    if (start (self, job, NULL))
      lk_slurm_pool_reserve (self->steps, view->now_us,
                             lk_slurm_add_us (view->now_us, self->limit_us), units);
    return;
  }
  if (self->is_now_only)
    return;
  self->estimate_us = start_us;
  if (!is_partition_full (self, job))
    reserve (self, job, start_us);
}

/* ---------------------------------------------------------------- a job on nodes */

/* Takes the nodes out that advance reservations keep from the job from that moment on.  Returns
 * when it is tried again for them: in the second after their first end, which Slurm keeps in whole
 * seconds and rounds up to bf_resolution.  A job that cannot start before goes on at the end
 * itself, and one that asks for a reservation at its begin. */
static int64_t
leave_out_reserved (Cycle *self, LkJobIndex job, int64_t from_us)
{
  const LkSlurmCall *call = self->call;
  const guint64 *required = call->ops->nodes_required (call->pass, job);
  int64_t resolution_us = call->self->settings.bf_resolution_us;
  int64_t end_us = call->ops->leave_out_reserved (call->pass, job, from_us, self->nodes);
  gboolean is_possible = lk_slurm_bits_count (self->nodes, call->words) > 0;
  for (uint32_t word = 0; required != NULL && word < call->words; word++)
    is_possible = is_possible && (required[word] & ~self->nodes[word]) == 0;
  if (end_us == LK_TIME_NEVER || !is_possible || call->view->jobs->in_reservation[job])
    return end_us;
  int64_t whole_us = lk_slurm_floor_us (end_us, SECOND_US);
  int64_t rounded_us =
      lk_slurm_floor_us (lk_slurm_add_us (whole_us, resolution_us - 1), resolution_us);
  int64_t next_us = lk_slurm_add_us (rounded_us, SECOND_US);
  return next_us < self->end_us ? next_us : LK_TIME_NEVER;
}

/* Of the candidates, how many nodes could serve the job; 0: a node that it names is not there. */
static uint32_t
count_serving (const Cycle *self, LkJobIndex job)
{
  const LkSlurmCall *call = self->call;
  const guint64 *eligible = call->ops->nodes_eligible (call->pass, job);
  const guint64 *required = call->ops->nodes_required (call->pass, job);
  uint32_t count = 0;
  for (uint32_t word = 0; word < call->words; word++) {
    guint64 serving = self->nodes[word] & eligible[word];
    if (required != NULL && (required[word] & ~serving) != 0)
      return 0;
    count += lk_slurm_bits_count (&serving, 1);
  }
  return count;
}

/* The nodes that the job could have from a moment on, and when there could be others: as in Slurm
 * other nodes of its partition count for that, whether or not they could serve it. FALSE: they are
 * not enough. */
static gboolean
candidates (Cycle *self, LkJobIndex job, int64_t from_us, int64_t *out_later_us)
{
  const LkSlurmCall *call = self->call;
  const guint64 *usable = call->ops->nodes_usable (call->pass);
  const guint64 *partition =
      call->ops->nodes_of_partition (call->pass, partition_of (call->view, job));
  LkDemand demand = { .nodes_min = 1 };
  int64_t licensed_us =
      lk_slurm_licenses_later_us (&self->licenses, call, job, &self->slots, from_us);
  if (licensed_us > from_us) {
    *out_later_us = licensed_us;
    return FALSE;
  }
  call->view->host->job_demand (call->view, job, &demand);
  for (uint32_t word = 0; word < call->words; word++)
    self->nodes[word] = usable[word] & partition[word];
  int64_t set_aside_us = leave_out_reserved (self, job, from_us);
  int64_t later_us = lk_slurm_slots_limit (
      &self->slots, from_us, call->view->jobs->estimate_us[job], demand.nodes_min, self->nodes);
  *out_later_us = MIN (later_us, set_aside_us);
  return count_serving (self, job) >= MAX (1, demand.nodes_min);
}

/* When the job could start on the candidates. The test gives up where they change. */
static int64_t
will_run (Cycle *self, LkJobIndex job, int64_t from_us, int64_t later_us)
{
  const LkSlurmCall *call = self->call;
  const LkSlurmSettings *settings = &call->self->settings;
  LkWillRun ask = { .size = sizeof ask,
                    .takes_last = settings->is_old ? 1 : 0,
                    .nodes = self->nodes,
                    .before_us = LK_TIME_NEVER,
                    .from_us = settings->is_old ? call->view->now_us : from_us,
                    .window_step_us = settings->bf_window_linear_us };
  if (settings->slurm_window)
    ask.window_us = 30000000;
  if (later_us != LK_TIME_NEVER)
    ask.before_us = lk_slurm_add_us (later_us, 1);
  return call->ops->will_run (call->pass, job, &ask, self->planned);
}

/* What has come of a try: the moment of the next one, or LK_TIME_NEVER. */
static int64_t
try_from (Cycle *self, const LkSlurmRecord *record, int64_t from_us, gboolean *is_tested)
{
  const LkSlurmCall *call = self->call;
  int64_t now_us = call->view->now_us;
  LkJobIndex job = record->job;
  int64_t later_us;
  if (!candidates (self, job, from_us, &later_us))
    return self->is_now_only ? LK_TIME_NEVER : later_us;
  self->tested_count += !*is_tested;
  *is_tested = TRUE;
  int64_t start_us = will_run (self, job, from_us, later_us);
  if (start_us == LK_TIME_NEVER)
    return self->is_now_only ? LK_TIME_NEVER : later_us;
  start_us = MAX (start_us, from_us);
  if (start_us <= now_us && !record->is_limited) {
    start (self, job, self->nodes);
    return LK_TIME_NEVER;
  }
  if (self->is_now_only)
    return LK_TIME_NEVER;
  /* A limit keeps it: it is given what comes next (assoc_limit_stop). */
  if (start_us <= now_us)
    start_us = later_us != LK_TIME_NEVER ? later_us : lk_slurm_add_us (now_us, 500000000);
  if (later_us != LK_TIME_NEVER && start_us > later_us)
    return later_us;
  self->estimate_us = start_us;
  if (is_partition_full (self, job) || reserve (self, job, start_us))
    return LK_TIME_NEVER;
  self->estimate_us = LK_TIME_NEVER;
  return MAX (start_us, lk_slurm_add_us (from_us, 1));
}

static void
plan_on_nodes (Cycle *self, const LkSlurmRecord *record)
{
  int64_t from_us = self->call->view->now_us;
  gboolean is_tested = FALSE;
  /* Each try begins later than the one before it, and at the end of a slot or behind a reservation,
   * so there are no more of them than slots. */
  while (from_us < self->end_us)
    from_us = try_from (self, record, from_us, &is_tested);
}

/* ---------------------------------------------------------------- the cycle */

/* One try; of an array for its next task. Returns whether that has a reservation now. */
static gboolean
look_once (Cycle *self, const LkSlurmRecord *record)
{
  const LkSlurmCall *call = self->call;
  int64_t before_count = self->reserved_count;
  gboolean is_licensed =
      self->licenses.count > 0 || call->ops->licenses_free (call->pass, record->job);
  self->estimate_us = LK_TIME_NEVER;
  if (!is_licensed || !count_job (self, record->job))
    return FALSE;
  lk_slurm_licenses_of (&self->licenses, call, record->job);
  if (self->steps == NULL) {
    plan_on_nodes (self, record);
  } else {
    self->tested_count++;
    plan_in_pool (self, record);
  }
  return self->reserved_count > before_count;
}

/* For how many tasks of the array may there be reservations (bf_max_job_array_resv)?  Up to 22.05
 * those that run did not count for the array's limit. */
static int64_t
tasks_max (const LkSlurmCall *call, LkJobIndex job)
{
  const LkView *view = call->view;
  uint32_t waiting_count = call->self->settings.is_old ? view->host->job_tasks (view, job)
                                                       : view->host->job_tasks_allowed (view, job);
  return MIN (call->self->settings.bf_max_job_array_resv, waiting_count);
}

/* Counts a reservation for a task.  As in Slurm the count goes on in another partition of the same
 * array, unless another array had a reservation in between. */
static int64_t
count_task (Cycle *self, LkJobIndex job)
{
  if (self->call->view->jobs->array_job_id[job] == 0)
    return 1;
  if (self->array != job)
    self->array_task_count = 0;
  self->array = job;
  return ++self->array_task_count;
}

/* When and where it may be told that the job is to start: of its partitions in the one in which it
 * starts first. */
static void
note_planned (Cycle *self, LkJobIndex job)
{
  const LkSlurmCall *call = self->call;
  if (self->estimate_us < call->self->planned_us[job])
    lk_slurm_planned_note (call->self, call->view, job, self->estimate_us,
                           self->steps == NULL ? self->planned : NULL);
}

static void
look_at (Cycle *self, const LkSlurmRecord *record)
{
  const LkSlurmCall *call = self->call;
  LkJobIndex job = record->job;
  int64_t before_us = call->self->planned_us[job];
  gboolean is_reserved = FALSE;
  self->is_now_only = is_now_only (self, job);
  self->is_short = call->ops->visit_least_limit (call->pass, job);
  while (look_once (self, record)) {
    /* The first of its tasks is told; up to 22.05 the last one that was looked at. */
    if (call->self->settings.is_old && self->estimate_us < before_us)
      lk_slurm_planned_forget (call->self, job);
    note_planned (self, job);
    is_reserved = TRUE;
    if (self->is_over || count_task (self, job) >= tasks_max (call, job))
      break;
  }
  if (!is_reserved)
    note_planned (self, job);
  if (self->is_short)
    call->ops->visit_least_limit (call->pass, LK_JOB_NONE);
  self->is_over = self->is_over || self->tested_count >= call->self->settings.bf_max_job_test;
}

static void
reserve_running (Cycle *self)
{
  const LkSlurmCall *call = self->call;
  for (LkJobIndex job = call->ops->running_next (call->pass, LK_JOB_NONE); job != LK_JOB_NONE;
       job = call->ops->running_next (call->pass, job)) {
    gboolean holds_nodes =
        has_nodes_alone (call, job) && call->ops->preempt_mode (call->pass, job) == LK_PREEMPT_OFF;
    lk_slurm_licenses_of (&self->licenses, call, job);
    if (holds_nodes)
      set_nodes_of (self, job);
    hold_running (self,
                  lk_slurm_since_us (call->view->jobs->expected_end_us[job], call->view->now_us),
                  holds_nodes);
  }
}

static void
begin (Cycle *self)
{
  const LkSlurmCall *call = self->call;
  const LkSlurmSettings *settings = &call->self->settings;
  self->begin_us = lk_slurm_floor_us (call->view->now_us, settings->bf_resolution_us);
  self->end_us = lk_slurm_floor_us (lk_slurm_add_us (call->view->now_us, settings->bf_window_us),
                                    settings->bf_resolution_us);
  for (LkJobIndex job = 0; job < call->self->limit; job++)
    lk_slurm_planned_forget (call->self, job);
  self->user_counts = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->association_counts = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->user_partition_counts = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->partition_counts = g_new0 (uint32_t, call->view->partition_count);
  self->reserved_counts = g_new0 (uint32_t, call->view->partition_count);
  self->has_reserved = g_new0 (guint8, call->view->job_index_limit);
  if (call->words == 0) {
    self->steps = lk_slurm_pool_new (call);
    return;
  }
  self->nodes = g_new0 (guint64, call->words);
  self->planned = g_new0 (guint64, call->words);
  lk_slurm_slots_init (&self->slots, call->ops->nodes_usable (call->pass), call->words,
                       self->begin_us, self->end_us);
  self->slots.gives_up = settings->is_old;
  lk_slurm_licenses_init (&self->licenses, call, &self->slots);
  if (settings->bf_running_job_reserve)
    reserve_running (self);
}

/* ---------------------------------------------------------------- heterogeneous jobs */

static gboolean
het_counts (gpointer user, LkJobIndex job)
{
  return count_job (user, job);
}

static gboolean
het_is_now_only (gpointer user, LkJobIndex job)
{
  return is_now_only (user, job);
}

static gboolean
het_has_room (gpointer user, uint32_t count)
{
  Cycle *self = user;
  self->is_over = self->is_over || is_table_full (self, count - 1);
  return !self->is_over;
}

static void
het_note_reserved (gpointer user, LkJobIndex job)
{
  note_reserved (user, job);
}

static const LkSlurmHetRules het_rules = { het_counts, het_is_now_only, het_has_room,
                                           het_note_reserved };

/* ---------------------------------------------------------------- all of it */

static void
end (Cycle *self)
{
  if (self->steps != NULL)
    g_array_unref (self->steps);
  else
    lk_slurm_slots_clear (&self->slots);
  g_hash_table_unref (self->user_counts);
  g_hash_table_unref (self->association_counts);
  g_hash_table_unref (self->user_partition_counts);
  g_free (self->partition_counts);
  g_free (self->reserved_counts);
  g_free (self->has_reserved);
  g_free (self->nodes);
  g_free (self->planned);
  lk_slurm_licenses_clear (&self->licenses);
}

int64_t
lk_slurm_cycle (const LkSlurmCall *call, gboolean *out_has_started)
{
  Cycle self = { .call = call, .array = LK_JOB_NONE };
  LkSlurmQueue queue;
  LkSlurmRecord record;
  begin (&self);
  LkSlurmHets hets = { .call = call,
                       .rules = &het_rules,
                       .cycle = &self,
                       .slots = &self.slots,
                       .steps = self.steps,
                       .end_us = self.end_us };
  lk_slurm_queue_init (&queue, call);
  lk_slurm_hets_init (&hets);
  while (!self.is_over && lk_slurm_queue_next (&queue, &record)) {
    self.tested_count += lk_slurm_hets_before (&hets, record.job);
    if (hets.order.count == 0 || record.is_limited || lk_slurm_queue_visit (call, &record))
      look_at (&self, &record);
  }
  if (!self.is_over)
    self.tested_count += lk_slurm_hets_before (&hets, LK_JOB_NONE);
  gboolean has_started_hets = lk_slurm_hets_end (&hets);
  lk_slurm_queue_clear (&queue);
  end (&self);
  *out_has_started = self.started_count > 0 || has_started_hets;
  return self.tested_count;
}
