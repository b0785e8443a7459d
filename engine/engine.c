/* engine/engine.c — creation, the way in, the way out, and reading.
 *
 * An event is checked (time, number, kind) and handled (engine_events.c); its decisions are encoded
 * and handed to the sink one by one, and together, behind the number and time of the event, added
 * to the digest. */
#include "engine/engine.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/bytes.h"
#include "engine/checked.h"
#include "engine/engine_array.h"
#include "engine/engine_gang.h"
#include "engine/engine_het.h"
#include "engine/engine_life.h"
#include "engine/engine_reservation.h"
#include "engine/limits.h"
#include "engine/pass_nodes.h"
#include "engine/plan.h"
#include "engine/real.h"

/* ---------------------------------------------------------------- creation */

static void
fill_instances (LkEngine *self)
{
  const LkEngineConfig *config = &self->config;
  LkInstance instances[LK_INSTANCE_COUNT] = {
    { &config->order->base, &config->order_values, NULL },
    { config->backfill_order != NULL ? &config->backfill_order->base : NULL,
      &config->backfill_order_values, NULL },
    { &config->backfill->base, &config->backfill_values, NULL },
    { &config->select->base, &config->select_values, NULL },
    { config->limits != NULL ? &config->limits->base : NULL, &config->limits_values, NULL },
    { config->preempt != NULL ? &config->preempt->base : NULL, &config->preempt_values, NULL },
  };
  memcpy (self->instances, instances, sizeof instances);
}

static gboolean
create_instances (LkEngine *self, LkPolicyError *out_error)
{
  for (guint i = 0; i < LK_INSTANCE_COUNT; i++) {
    LkInstance *instance = &self->instances[i];
    if (instance->policy == NULL)
      continue;
    instance->self = instance->policy->create (instance->values, out_error);
    if (instance->self == NULL)
      return FALSE;
  }
  const LkOrderPolicy *order = self->config.order;
  const LkOrderPolicy *backfill_order = self->config.backfill_order;
  self->order_dynamic =
      order->is_dynamic != NULL && order->is_dynamic (self->instances[LK_INSTANCE_ORDER].self);
  self->backfill_order_dynamic =
      backfill_order != NULL && backfill_order->is_dynamic != NULL
      && backfill_order->is_dynamic (self->instances[LK_INSTANCE_BACKFILL_ORDER].self);
  return TRUE;
}

/* Everything but the policies' instances; `self` is zeroed but for its configurations. */
static void
prepare (LkEngine *self)
{
  const LkEngineConfig *config = &self->config;
  lk_job_table_init (&self->jobs);
  self->queue = lk_rank_new (&self->jobs, &self->jobs.rank_key);
  if (config->backfill_order != NULL)
    self->backfill_queue = lk_rank_new (&self->jobs, &self->jobs.backfill_rank_key);
  self->running = lk_rank_new (&self->jobs, &self->jobs.expected_end_us);
  self->users = g_array_new (FALSE, TRUE, sizeof (LkUserUsage));
  lk_id_map_init (&self->user_index_by_id);
  lk_arrays_init (&self->arrays);
  self->hets = g_array_new (FALSE, FALSE, sizeof (LkHet));
  self->het_order = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  self->het_jobs = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  self->split_task = self->again = LK_JOB_NONE;
  self->wake_us = LK_TIME_NEVER;
  self->away_job = LK_JOB_NONE;
  self->short_job = LK_JOB_NONE;
  self->short_started = LK_JOB_NONE;
  self->policy_wake_us = LK_TIME_NEVER;
  self->plans = g_ptr_array_new ();
  self->license_jobs = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  self->waiting = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  self->suspended = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  self->reasons_left = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  lk_alarms_init (&self->alarms);
  lk_alarms_init (&self->latest_starts);
  self->deadlines = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->parked_timed = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  self->parked_forever = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  self->standings = g_array_new (FALSE, TRUE, sizeof (LkStanding));
  self->cycle_us = G_MININT64;
  for (guint i = 0; i < G_N_ELEMENTS (self->place_texts); i++)
    self->place_texts[i] = g_string_new (NULL);
  self->scratch = g_byte_array_sized_new (128);
  self->dependencies = lk_dependencies_new (
      config->cluster != NULL ? config->cluster->job_age_min_us : LK_JOB_AGE_MIN_US);
  lk_digest_init (&self->digest);
  self->view = (LkView){ .size = sizeof (LkView),
                         .units_total = config->units_total,
                         .units_free = config->units_total,
                         .now_us = G_MININT64,
                         .origin_us = config->origin_us,
                         .jobs = &self->jobs.columns,
                         .host = lk_host (),
                         .engine = self };
}

/* A select policy that places makes a machine of nodes; one that counts, a pool. */
static void
make_machine (LkEngine *self)
{
  const LkSelectPolicy *select = self->config.select;
  if (select->choose == NULL)
    return;
  LK_ASSERT (self->config.cluster != NULL);
  self->machine =
      lk_machine_new (self->config.cluster, (select->flags & LK_SELECT_WHOLE_NODES) != 0);
  self->machine->is_old = lk_engine_is_old (self);
  self->view.cluster = &self->machine->view;
  lk_placer_init (&self->placer, self->machine, &self->view, select,
                  self->instances[LK_INSTANCE_SELECT].self);
  self->bare = lk_plan_ops.create (&self->view);
  lk_node_ends_init (&self->node_ends, self->machine->nodes.node_count);
  self->reservations = lk_reservations_new (self->machine);
  self->reservation_jobs = lk_reservation_jobs_new ();
}

/* What partitions are to policies; a counted pool is one. */
static void
view_partitions (LkEngine *self)
{
  guint32 count = self->machine != NULL ? self->machine->partition_count : 1;
  self->partitions = g_new0 (LkPartitionView, count);
  self->partitions[0] = (LkPartitionView){ .priority_tier = 1,
                                           .priority_job_factor = 1,
                                           .qos = LK_INDEX_NONE,
                                           .nodes_max = LK_COUNT_UNLIMITED,
                                           .time_max_us = LK_TIME_NEVER };
  for (guint32 i = 0; self->machine != NULL && i < count; i++) {
    const LkPartitionSpec *spec = self->machine->partitions[i].spec;
    self->partitions[i] = (LkPartitionView){ .priority_tier = spec->priority_tier,
                                             .priority_job_factor = spec->priority_job_factor,
                                             .qos = LK_INDEX_NONE,
                                             .nodes_min = spec->nodes_min,
                                             .nodes_max = spec->nodes_max,
                                             .time_max_us = spec->time_max_us };
  }
  self->view.partitions = self->partitions;
  self->view.partition_count = count;
  self->view.active_node_count =
      self->machine != NULL ? self->machine->nodes.node_count : self->view.units_total;
}

/* What the nodes of a partition have. */
static void
count_partition (LkEngine *self, guint32 partition)
{
  guint64 *tres = g_new0 (guint64, self->book->tres_count);
  const guint64 *nodes = self->machine->partitions[partition].nodes;
  guint32 words = self->machine->nodes.node_words;
  guint32 node_count = self->machine->nodes.node_count;
  for (guint32 node = lk_bits_next (nodes, words, 0); node < node_count;
       node = lk_bits_next (nodes, words, node + 1))
    lk_book_add_node (self->book, self->machine, node, tres);
  self->partitions[partition].tres_total = tres;
}

/* Behind the machine, whose partitions may have a QOS. */
static void
make_book (LkEngine *self)
{
  if (self->config.accounts == NULL)
    return;
  LK_ASSERT (self->config.limits != NULL);
  self->book = lk_book_new (self->config.accounts, self->machine, self->view.units_total);
  self->view.accounts = &self->book->view;
  if (self->machine == NULL) {
    self->partitions[0].tres_total =
        g_memdup2 (self->book->tres_total, self->book->tres_count * sizeof (guint64));
    return;
  }
  for (guint32 i = 0; i < self->machine->partition_count; i++) {
    const char *name = self->machine->partitions[i].spec->qos;
    if (name[0] != '\0')
      self->partitions[i].qos = lk_book_find_qos (self->book, lk_text (name));
    count_partition (self, i);
  }
}

/* What the description says of the life of jobs. */
static void
prepare_life (LkEngine *self)
{
  const LkCluster *cluster = self->config.cluster;
  lk_engine_init_partitions (self);
  self->limits_are_exact = lk_engine_limits_are_exact (self);
  if (cluster == NULL)
    return;
  gboolean good = lk_exit_codes_parse (cluster->requeue_exit, self->requeue_exit)
                  && lk_exit_codes_parse (cluster->requeue_exit_hold, self->requeue_exit_hold);
  LK_ASSERT (good);
}

static void
make_preemption (LkEngine *self)
{
  self->preemption =
      lk_preemption_new (self->config.preempt, self->instances[LK_INSTANCE_PREEMPT].self,
                         self->config.accounts, self->machine);
  if (self->preemption == NULL)
    return;
  lk_rank_set_levels (self->queue, &self->preemption->levels);
  if (self->backfill_queue != NULL)
    lk_rank_set_levels (self->backfill_queue, &self->preemption->levels);
  lk_engine_make_gang (self);
}

gboolean
lk_engine_init (LkEngine *self, const LkEngineConfig *first, LkInForce *force,
                LkPolicyError *out_error)
{
  memset (self, 0, sizeof *self);
  self->config_first = *first;
  self->config = force != NULL ? force->config : *first;
  if (force != NULL) {
    self->made = g_steal_pointer (&force->made);
    self->described = g_steal_pointer (&force->described);
  }
  LK_ASSERT (self->config.units_total >= 1);
  LK_ASSERT (self->config.units_total <= LK_LIMIT_UNITS);
  prepare (self);
  fill_instances (self);
  if (!create_instances (self, out_error)) {
    lk_engine_clear (self);
    return FALSE;
  }
  make_machine (self);
  view_partitions (self);
  make_book (self);
  prepare_life (self);
  make_preemption (self);
  self->jobs.is_plain =
      self->book == NULL && self->machine == NULL && self->config.order->cycle_end == NULL;
  return TRUE;
}

LkEngine *
lk_engine_new_under (const LkEngineConfig *first, LkInForce *force, LkPolicyError *out_error)
{
  LkEngine *self = g_new (LkEngine, 1);
  if (lk_engine_init (self, first, force, out_error))
    return self;
  g_free (self);
  return NULL;
}

LkEngine *
lk_engine_new (const LkEngineConfig *config, LkPolicyError *out_error)
{
  return lk_engine_new_under (config, NULL, out_error);
}

void
lk_engine_clear (LkEngine *self)
{
  for (guint i = 0; i < LK_INSTANCE_COUNT; i++)
    if (self->instances[i].policy != NULL)
      self->instances[i].policy->destroy (self->instances[i].self);
  lk_plan_ops.destroy (self->bare);
  lk_node_ends_clear (&self->node_ends);
  if (self->machine != NULL)
    lk_placer_clear (&self->placer);
  lk_reservations_free (self->reservations);
  lk_reservation_jobs_free (self->reservation_jobs);
  lk_machine_free (self->machine);
  g_ptr_array_unref (self->plans);
  g_array_unref (self->license_jobs);
  g_array_unref (self->waiting);
  g_array_unref (self->suspended);
  g_array_unref (self->reasons_left);
  lk_alarms_clear (&self->alarms);
  lk_alarms_clear (&self->latest_starts);
  g_free (self->partition_states);
  g_array_unref (self->deadlines);
  g_array_unref (self->parked_timed);
  g_array_unref (self->parked_forever);
  for (guint32 i = 0; i < self->view.partition_count; i++)
    g_free ((gpointer)self->partitions[i].tres_total);
  g_free (self->partitions);
  lk_book_free (self->book);
  lk_accounts_free (self->own_accounts);
  lk_preemption_free (self->preemption);
  lk_gang_free (self->gang);
  g_free (self->keys);
  for (guint i = 0; i < G_N_ELEMENTS (self->place_texts); i++)
    g_string_free (self->place_texts[i], TRUE);
  lk_rank_free (self->queue);
  lk_rank_free (self->backfill_queue);
  lk_rank_free (self->running);
  lk_arrays_clear (&self->arrays);
  g_array_unref (self->hets);
  g_array_unref (self->het_order);
  g_array_unref (self->het_jobs);
  lk_job_table_clear (&self->jobs);
  lk_id_map_clear (&self->user_index_by_id);
  g_array_unref (self->users);
  g_array_unref (self->standings);
  g_byte_array_unref (self->scratch);
  lk_dependencies_free (self->dependencies);
  lk_engine_clear_config (self);
}

void
lk_engine_free (LkEngine *self)
{
  if (self == NULL)
    return;
  lk_engine_clear (self);
  g_free (self);
}

/* ---------------------------------------------------------------- users */

/* The map knows no key 0; the one id that has no successor shares the entry of the one before
 * it. */
static guint32
user_key (guint32 user_id)
{
  return MIN (user_id, G_MAXUINT32 - 1) + 1;
}

guint32
lk_engine_user_index (const LkEngine *self, guint32 user_id)
{
  return lk_id_map_find (&self->user_index_by_id, user_key (user_id));
}

LkUserUsage *
lk_engine_user (LkEngine *self, guint32 user_id)
{
  guint32 key = user_key (user_id);
  guint32 index = lk_id_map_find (&self->user_index_by_id, key);
  if (index == LK_JOB_NONE) {
    LkUserUsage user = { .user_id = key - 1 };
    index = self->users->len;
    g_array_append_val (self->users, user);
    lk_id_map_insert (&self->user_index_by_id, key, index);
  }
  return &g_array_index (self->users, LkUserUsage, index);
}

double
lk_engine_user_usage (const LkEngine *self, guint32 user_id)
{
  guint32 index = lk_engine_user_index (self, user_id);
  if (index == LK_JOB_NONE)
    return 0.0;
  const LkUserUsage *user = &g_array_index (self->users, LkUserUsage, index);
  double now_s = (double)self->view.now_us / 1e6;
  return user->ended_proc_s + ((double)user->running_procs * now_s - user->running_start_proc_s);
}

/* ---------------------------------------------------------------- the way out */

#define DIGEST_PREFIX_BYTES 16u

void
lk_engine_emit (LkEngine *self, const LkDecision *decision)
{
  gsize begin = self->decided_bytes;
  gsize end = begin + lk_decision_size_bytes (decision);
  if (self->scratch->len < end)
    g_byte_array_set_size (self->scratch, (guint)(2 * end));
  lk_decision_put (decision, self->scratch->data + begin);
  self->decided_bytes = end;
  self->decided_count++;
  self->decision_count++;
  if (self->sink != NULL)
    self->sink->decide (self->sink->user, self->event, decision);
}

/* Adds the event's decisions to the digest as one piece: number and time of the event, then the
 * decisions. */
static void
digest_decisions (LkEngine *self)
{
  if (self->decided_bytes == DIGEST_PREFIX_BYTES)
    return;
  lk_put_i64 (lk_put_u64 (self->scratch->data, self->event->seq), self->event->time_us);
  lk_digest_add (&self->digest, self->scratch->data, self->decided_bytes);
}

void
lk_engine_emit_notice (LkEngine *self, LkJobIndex job, LkJobState state, LkReason reason)
{
  LkDecision decision = { .kind = LK_DECISION_NOTICE, .job = job };
  /* Nobody knows of it yet, and perhaps never will: it stands as its array does. */
  if (job == self->split_task)
    return;
  self->told_job = job;
  self->told_state = state;
  decision.notice.job_id = self->jobs.id[job];
  decision.notice.state = (guint8)state;
  decision.notice.reason = (guint8)reason;
  self->told_state = state;
  lk_engine_emit (self, &decision);
}

/* ---------------------------------------------------------------- the way in */

LkStatus
lk_engine_apply (LkEngine *self, const LkEvent *event, const LkSink *sink)
{
  LK_ASSERT (self->event == NULL); /* a sink may not call back */
  if (lk_event_rank (event->kind) == G_MAXUINT)
    return LK_STATUS_KIND_UNKNOWN;
  if (event->seq != self->event_count + 1)
    return LK_STATUS_SEQ_WRONG;
  if (event->time_us < self->view.now_us)
    return LK_STATUS_TIME_BACKWARD;

  self->event = event;
  self->sink = sink;
  self->event_count++;
  self->decided_bytes = DIGEST_PREFIX_BYTES;
  self->decided_count = 0;
  lk_engine_catch_up (self, event->time_us);
  self->view.now_us = event->time_us;
  lk_engine_handle (self, event);
  if (lk_engine_reservations_due (self)) {
    lk_engine_turn_reservations (self);
    lk_engine_ask_wake (self);
  }
  /* A limit may have parked a job, or let one go on, without a pass to follow. */
  if (self->book != NULL)
    lk_engine_ask_wake (self);
  digest_decisions (self);
  self->event = NULL;
  self->sink = NULL;
  return LK_STATUS_OK;
}

LkDecided
lk_engine_decided (const LkEngine *self)
{
  if (self->decided_count == 0)
    return (LkDecided){ 0 };
  return (LkDecided){ .bytes = self->scratch->data + DIGEST_PREFIX_BYTES,
                      .length_bytes = self->decided_bytes - DIGEST_PREFIX_BYTES,
                      .count = self->decided_count };
}

gboolean
lk_engine_pass_wanted (const LkEngine *self)
{
  const LkBackfillPolicy *backfill = self->config.backfill;
  if (!self->changed)
    return FALSE;
  /* A policy that keeps a plan must hear of every change; to another one only a job that fits
   * matters. While the order changes with time, the head is known only in the pass. */
  if (backfill->job_queued != NULL || self->preemption != NULL || self->hets->len > 0)
    return TRUE;
  if (!backfill->head_only || self->order_dynamic || lk_engine_has_reservations (self))
    return lk_rank_units_min (self->queue) <= self->view.units_free;
  LkJobIndex head = lk_rank_first (self->queue);
  return head != LK_JOB_NONE && self->jobs.units[head] <= self->view.units_free;
}

/* ---------------------------------------------------------------- reading */

void
lk_engine_counts (const LkEngine *self, LkEngineCounts *out_counts)
{
  *out_counts = (LkEngineCounts){
    .event_count = self->event_count,
    .decision_count = self->decision_count,
    .now_us = self->view.now_us,
    .units_free = self->view.units_free,
    .pending_count = self->view.pending_count + self->held_count + self->blocked_count,
    .running_count = self->view.running_count + self->suspended->len,
  };
}

LkDigestValue
lk_engine_digest (const LkEngine *self)
{
  return lk_digest_value (&self->digest);
}

static gint64
planned_start_us (const LkEngine *self, LkJobIndex job)
{
  const LkBackfillPolicy *backfill = self->config.backfill;
  if (self->hets->len > 0 && self->jobs.phase[job] == LK_PHASE_HELD && lk_engine_is_het (self, job))
    return lk_engine_het_planned_us (self, job);
  if (backfill->planned_start_us == NULL || self->jobs.phase[job] != LK_PHASE_QUEUED)
    return LK_TIME_NEVER;
  return backfill->planned_start_us (self->instances[LK_INSTANCE_BACKFILL].self, &self->view, job);
}

/* A job that was told to end, and has not, is completing. */
LkJobState
lk_engine_state (const LkEngine *self, LkJobIndex job)
{
  if (!lk_engine_has_started (self, job))
    return lk_engine_life (self, job)->is_special != 0 ? LK_JOB_SPECIAL_EXIT : LK_JOB_PENDING;
  if (self->jobs.kill_why[job] != 0)
    return LK_JOB_COMPLETING;
  return self->jobs.phase[job] == LK_PHASE_SUSPENDED ? LK_JOB_SUSPENDED : LK_JOB_RUNNING;
}

/* Slurm's SuspendTime is the last time a job was suspended or resumed (scontrol(1)). */
static gint64
suspend_us (const LkEngine *self, LkJobIndex job)
{
  const LkLife *life = lk_engine_life (self, job);
  if (self->jobs.phase[job] == LK_PHASE_SUSPENDED)
    return life->suspend_us;
  return life->has_resumed != 0 ? life->resume_us : LK_TIME_NEVER;
}

gboolean
lk_engine_job (const LkEngine *self, guint32 job_id, LkJobInfo *out_info)
{
  const LkJobTable *jobs = &self->jobs;
  LkJobIndex job = lk_id_map_find (&jobs->index_by_id, job_id);
  if (job == LK_JOB_NONE)
    return FALSE;
  gboolean running = lk_engine_has_started (self, job);
  const LkJobTerms *terms = lk_terms_asked (jobs->terms[job]);
  *out_info = (LkJobInfo){
    .id = job_id,
    .user_id = jobs->user_id[job],
    .group_id = jobs->group_id[job],
    .partition_id = jobs->partition_id[job],
    .procs = jobs->procs[job],
    .units = jobs->units[job],
    .submit_us = jobs->submit_us[job],
    .estimate_us = jobs->estimate_us[job],
    .start_us = running ? jobs->start_us[job] : planned_start_us (self, job),
    .expected_end_us = running ? jobs->expected_end_us[job] : LK_TIME_NEVER,
    .begin_us = jobs->begin_us[job],
    .deadline_us = terms->deadline_us > 0 ? terms->deadline_us : LK_TIME_NEVER,
    .suspended_us = lk_engine_life (self, job)->suspended_us,
    .suspend_us = suspend_us (self, job),
    .is_suspended = jobs->phase[job] == LK_PHASE_SUSPENDED,
    .is_sigstopped = lk_engine_life (self, job)->is_sigstopped != 0,
    .nice = jobs->nice[job],
    .restarts = lk_engine_life (self, job)->restarts,
    .name = terms->name.length_bytes > 0 ? terms->name.bytes : "",
    .comment = terms->comment.length_bytes > 0 ? terms->comment.bytes : "",
    .array_job_id = jobs->array_job_id[job],
    .array_task = jobs->array_task[job],
    .het_leader = terms->het_leader,
    .het_offset = terms->het_offset,
    .state = lk_engine_state (self, job),
    .reason = running ? LK_REASON_NONE : lk_engine_pending_reason (self, job),
  };
  out_info->reason_shown =
      running ? LK_REASON_NONE : lk_engine_shown_reason (self, job, out_info->reason);
  return TRUE;
}

const LkArray *
lk_engine_array (const LkEngine *self, guint32 array_job_id)
{
  return lk_arrays_find (&self->arrays, array_job_id);
}

guint32
lk_engine_job_id_next (const LkEngine *self)
{
  return self->job_id_last + 1;
}

gint64
lk_engine_wake_us (const LkEngine *self)
{
  return self->wake_us;
}

LkJobIndex
lk_engine_job_index (const LkEngine *self, guint32 job_id)
{
  return lk_id_map_find (&self->jobs.index_by_id, job_id);
}

const LkBook *
lk_engine_book (const LkEngine *self)
{
  return self->book;
}

const LkAccounts *
lk_engine_accounts (const LkEngine *self)
{
  return self->book != NULL ? self->book->spec : NULL;
}

gboolean
lk_engine_priority_parts (const LkEngine *self, LkJobIndex job, guint32 partition,
                          LkPriorityParts *out_parts)
{
  const LkOrderPolicy *order = self->config.order;
  if (order->explain == NULL
      || !order->explain (self->instances[LK_INSTANCE_ORDER].self, &self->view, job, partition,
                          out_parts))
    return FALSE;
  /* A held or suspended job has Slurm's priority 0; what keeps others out of the queue leaves them
   * theirs. */
  if (self->jobs.held_by[job] != LK_HELD_BY_NOBODY
      || (self->jobs.phase[job] == LK_PHASE_SUSPENDED && !lk_engine_is_stopped (self, job))
      || self->jobs.hold_reason[job] == LK_REASON_BAD_CONSTRAINTS)
    out_parts->priority = 0;
  return TRUE;
}

gboolean
lk_engine_share_parts (const LkEngine *self, guint32 association, LkShareParts *out_parts)
{
  const LkOrderPolicy *order = self->config.order;
  return self->book != NULL && order->explain_share != NULL
         && order->explain_share (self->instances[LK_INSTANCE_ORDER].self, &self->view, association,
                                  out_parts);
}

const LkView *
lk_engine_view (const LkEngine *self)
{
  return &self->view;
}

const LkNodeTable *
lk_engine_nodes (const LkEngine *self)
{
  return self->machine != NULL ? &self->machine->nodes : NULL;
}

const LkMachine *
lk_engine_machine (const LkEngine *self)
{
  return self->machine;
}

const LkReservationTable *
lk_engine_reservations (const LkEngine *self)
{
  return self->reservations;
}

guint32
lk_engine_job_pieces (const LkEngine *self, guint32 job_id)
{
  LkJobIndex job = lk_id_map_find (&self->jobs.index_by_id, job_id);
  return job == LK_JOB_NONE ? LK_PIECE_NONE : lk_engine_all_pieces (self, job);
}

const LkRequest *
lk_engine_job_request (const LkEngine *self, guint32 job_id)
{
  LkJobIndex job = lk_id_map_find (&self->jobs.index_by_id, job_id);
  if (job == LK_JOB_NONE || self->machine == NULL)
    return NULL;
  return lk_machine_request (self->machine, self->jobs.request[job]);
}

const LkJobTerms *
lk_engine_job_terms (const LkEngine *self, guint32 job_id)
{
  LkJobIndex job = lk_id_map_find (&self->jobs.index_by_id, job_id);
  return job == LK_JOB_NONE ? &lk_no_terms : lk_terms_asked (self->jobs.terms[job]);
}

const char *
lk_status_text (LkStatus status)
{
  static const char *const texts[] = {
    [LK_STATUS_OK] = "ok",
    [LK_STATUS_TIME_BACKWARD] = "the event is earlier than the one before it",
    [LK_STATUS_SEQ_WRONG] = "the event's number does not follow the last one",
    [LK_STATUS_KIND_UNKNOWN] = "the event is of an unknown kind",
    [LK_STATUS_BYTES_INVALID] = "the bytes are not a whole snapshot",
    [LK_STATUS_CONFIG_OTHER] = "the snapshot belongs to another configuration",
  };
  LK_ASSERT ((gsize)status < G_N_ELEMENTS (texts));
  return texts[status];
}
