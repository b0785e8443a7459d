/* policies/backfill_slurm_het.c — heterogeneous jobs in Slurm's loops.
 *
 * The main loop starts none: a component closes its partition, as a job does that lacks room.  The
 * backfill cycle looks for the earliest moment of each component, on nodes that no other component
 * of the job is to have; the job's moment is the latest of them, from which all are looked at again
 * until it is one for all.  From there on their nodes are reserved.  A job whose moment is now
 * starts when all others have been looked at, or with bf_hetjob_immediate at once.  Slurm comes to
 * the one moment from cycle to cycle, by the times that it found in the last.  A component that
 * named several partitions is looked at in each, and planned where it starts first.  Each counts
 * with all that bounds how many jobs a cycle looks at and reserves for; without one there is no
 * moment.  On a counted pool the components are one job of their units and the longest of their
 * times.
 * Source: sched/backfill, _het_job_start_test and _het_job_start_find; job_scheduler.c, _schedule;
 * slurm.conf(5), bf_hetjob_immediate. */
#include "policies/backfill_slurm.h"

#include <string.h>

/* Moments that are looked at. */
#define TRIES_MAX 64u

/* ---------------------------------------------------------------- one component */

static guint64 *
nodes_of (const LkSlurmHets *self, uint32_t component)
{
  return self->planned + (gsize)component * self->call->words;
}

/* The nodes that a component could have from a moment on beside those before it, and when there
 * could be others. FALSE: they are not enough. */
static gboolean
candidates (const LkSlurmHets *self, uint32_t component, int64_t from_us, int64_t *out_later_us)
{
  const LkSlurmCall *call = self->call;
  LkJobIndex job = self->jobs[component];
  const guint64 *usable = call->ops->nodes_usable (call->pass);
  const guint64 *eligible = call->ops->nodes_eligible (call->pass, job);
  const guint64 *required = call->ops->nodes_required (call->pass, job);
  LkDemand demand = { .nodes_min = 1 };
  call->view->host->job_demand (call->view, job, &demand);
  for (uint32_t word = 0; word < call->words; word++) {
    self->nodes[word] = usable[word] & eligible[word];
    for (uint32_t other = 0; other < component; other++)
      self->nodes[word] &= ~nodes_of (self, other)[word];
  }
  int64_t set_aside_us = call->ops->leave_out_reserved (call->pass, job, from_us, self->nodes);
  int64_t later_us = lk_slurm_slots_limit (self->slots, from_us, call->view->jobs->estimate_us[job],
                                           demand.nodes_min, self->nodes);
  *out_later_us = MIN (later_us, set_aside_us);
  for (uint32_t word = 0; required != NULL && word < call->words; word++)
    if ((required[word] & ~self->nodes[word]) != 0)
      return FALSE;
  return lk_slurm_bits_count (self->nodes, call->words) >= demand.nodes_min;
}

static gboolean
is_set_aside (const LkSlurmHets *self, uint32_t component, int64_t start_us)
{
  const LkSlurmCall *call = self->call;
  gsize set_bytes = call->words * sizeof (guint64);
  g_autofree guint64 *left = g_memdup2 (nodes_of (self, component), set_bytes);
  call->ops->leave_out_reserved (call->pass, self->jobs[component], start_us, left);
  return memcmp (left, nodes_of (self, component), set_bytes) != 0;
}

static gboolean
is_reserved (const LkSlurmHets *self, uint32_t component, int64_t start_us)
{
  int64_t end_us =
      lk_slurm_add_us (start_us, self->call->view->jobs->estimate_us[self->jobs[component]]);
  LkSlurmHold hold = { .nodes = nodes_of (self, component) };
  return lk_slurm_slots_overlap (self->slots, start_us, end_us, &hold);
}

/* Tries one moment. Returns when the component starts, with `out_is_found`; else the next moment to
 * try. */
static int64_t
try_from (const LkSlurmHets *self, uint32_t component, int64_t from_us, gboolean *out_is_found)
{
  const LkSlurmCall *call = self->call;
  const LkSlurmSettings *settings = &call->self->settings;
  int64_t later_us;
  *out_is_found = FALSE;
  if (!candidates (self, component, from_us, &later_us))
    return later_us;
  LkWillRun ask = { .size = sizeof ask,
                    .takes_last = settings->is_old ? 1 : 0,
                    .nodes = self->nodes,
                    .before_us = LK_TIME_NEVER,
                    .window_step_us = settings->bf_window_linear_us };
  if (settings->slurm_window)
    ask.window_us = 30000000;
  if (later_us != LK_TIME_NEVER)
    ask.before_us = lk_slurm_add_us (later_us, 1);
  int64_t start_us =
      call->ops->will_run (call->pass, self->jobs[component], &ask, nodes_of (self, component));
  if (start_us == LK_TIME_NEVER)
    return later_us;
  start_us = MAX (start_us, from_us);
  if (later_us != LK_TIME_NEVER && start_us > later_us)
    return later_us;
  *out_is_found =
      !is_set_aside (self, component, start_us) && !is_reserved (self, component, start_us);
  return *out_is_found ? start_us : MAX (start_us, lk_slurm_add_us (from_us, 1));
}

/* Its earliest start from a moment on where it is; LK_TIME_NEVER: none in the window. */
static int64_t
earliest_there_us (const LkSlurmHets *self, uint32_t component, int64_t from_us)
{
  gboolean is_found = FALSE;
  for (uint32_t tries = 0; tries < TRIES_MAX && from_us < self->end_us; tries++) {
    memset (nodes_of (self, component), 0, self->call->words * sizeof (guint64));
    from_us = try_from (self, component, from_us, &is_found);
    if (is_found)
      return from_us;
  }
  return LK_TIME_NEVER;
}

/* Likewise in any of its partitions. */
static int64_t
earliest_us (const LkSlurmHets *self, uint32_t component, int64_t from_us)
{
  const LkSlurmCall *call = self->call;
  LkJobIndex job = self->jobs[component];
  gsize set_bytes = call->words * sizeof (guint64);
  uint32_t count = call->ops->partition_count (call->pass, job);
  int64_t first_us = LK_TIME_NEVER;
  self->partitions[component] = 1;
  if (count == 1)
    return earliest_there_us (self, component, from_us);
  g_autofree guint64 *planned = g_malloc0 (set_bytes);
  for (uint32_t place = 1; place <= count && first_us != from_us; place++) {
    if (!call->ops->visit_partition (call->pass, job, place))
      continue;
    int64_t start_us = earliest_there_us (self, component, from_us);
    if (start_us >= first_us)
      continue;
    first_us = start_us;
    self->partitions[component] = place;
    memcpy (planned, nodes_of (self, component), set_bytes);
  }
  memcpy (nodes_of (self, component), planned, set_bytes);
  return first_us;
}

/* ---------------------------------------------------------------- all of them */

/* One moment for all. */
static int64_t
together_us (const LkSlurmHets *self)
{
  int64_t at_us = self->call->view->now_us;
  for (uint32_t tries = 0; tries < TRIES_MAX; tries++) {
    int64_t latest_us = at_us;
    for (uint32_t i = 0; i < self->count && latest_us != LK_TIME_NEVER; i++)
      latest_us = MAX (latest_us, earliest_us (self, i, latest_us));
    if (latest_us == at_us || latest_us == LK_TIME_NEVER)
      return latest_us;
    at_us = latest_us;
  }
  return LK_TIME_NEVER;
}

static int64_t
pool_us (const LkSlurmHets *self)
{
  const LkJobColumns *jobs = self->call->view->jobs;
  int64_t units = 0;
  int64_t duration_us = 0;
  for (uint32_t i = 0; i < self->count; i++) {
    units += jobs->units[self->jobs[i]];
    duration_us = MAX (duration_us, jobs->estimate_us[self->jobs[i]]);
  }
  return lk_slurm_pool_earliest_us (self->steps, units, duration_us);
}

static void
reserve (const LkSlurmHets *self, int64_t start_us)
{
  const LkSlurmCall *call = self->call;
  for (uint32_t i = 0; i < self->count; i++) {
    LkJobIndex job = self->jobs[i];
    int64_t from_us;
    int64_t to_us;
    LkSlurmHold hold = { .nodes = nodes_of (self, i) };
    lk_slurm_interval (&call->self->settings, start_us, call->view->jobs->estimate_us[job],
                       &from_us, &to_us);
    if (self->steps != NULL)
      lk_slurm_pool_reserve (self->steps, from_us, to_us, call->view->jobs->units[job]);
    else
      lk_slurm_slots_reserve (self->slots, from_us, to_us, &hold);
    self->rules->note_reserved (self->cycle, job);
  }
}

static gboolean
has_licenses (const LkSlurmHets *self)
{
  for (uint32_t i = 0; i < self->count; i++)
    if (!self->call->ops->licenses_free (self->call->pass, self->jobs[i]))
      return FALSE;
  return TRUE;
}

/* ---------------------------------------------------------------- in the cycle */

typedef struct {
  uint32_t place;
  guint64 *planned; /* of all components */
  uint32_t *partitions;
  LkJobIndex *jobs;
  uint32_t count;
} Due;

static void
clear_due (gpointer user)
{
  Due *due = user;
  g_free (due->planned);
  g_free (due->partitions);
  g_free (due->jobs);
}

void
lk_slurm_hets_init (LkSlurmHets *self)
{
  const LkSlurmCall *call = self->call;
  uint32_t het_count = call->ops->het_count (call->pass);
  self->due = g_array_new (FALSE, FALSE, sizeof (Due));
  g_array_set_clear_func (self->due, clear_due);
  if (het_count > 0)
    self->nodes = g_new0 (guint64, call->words + 1);
  for (uint32_t place = 0; place < het_count; place++)
    call->ops->het_planned (call->pass, place, LK_TIME_NEVER);
  lk_slurm_het_order_init (&self->order, call);
}

static void
start (LkSlurmHets *self, const Due *due)
{
  const LkSlurmCall *call = self->call;
  g_autofree const guint64 **nodes = g_new (const guint64 *, due->count);
  for (uint32_t i = 0; i < due->count; i++)
    nodes[i] = due->planned + (gsize)i * call->words;
  self->has_started |= call->ops->het_start (call->pass, due->place, nodes, due->partitions);
  call->ops->het_planned (call->pass, due->place, LK_TIME_NEVER);
  for (uint32_t i = 0; i < due->count; i++)
    lk_slurm_planned_forget (call->self, due->jobs[i]);
}

/* Is one of them to start now or not at all? */
static gboolean
is_now_only (const LkSlurmHets *self)
{
  for (uint32_t i = 0; i < self->count; i++)
    if (self->rules->is_now_only (self->cycle, self->jobs[i]))
      return TRUE;
  return FALSE;
}

static void
note_planned (const LkSlurmHets *self, int64_t start_us)
{
  const LkSlurmCall *call = self->call;
  call->ops->het_planned (call->pass, lk_slurm_het_order_place (&self->order), start_us);
  for (uint32_t i = 0; i < self->count; i++)
    lk_slurm_planned_note_het (call->self, call->view, self->jobs[i], start_us,
                               self->steps == NULL ? nodes_of (self, i) : NULL);
}

static void
plan (LkSlurmHets *self)
{
  const LkSlurmCall *call = self->call;
  const LkSlurmSettings *settings = &call->self->settings;
  int64_t start_us = self->steps != NULL ? pool_us (self) : together_us (self);
  gboolean is_now = start_us <= call->view->now_us;
  if (start_us == LK_TIME_NEVER || (!is_now && is_now_only (self)))
    return;
  note_planned (self, start_us);
  if (start_us > lk_slurm_add_us (call->view->now_us, settings->bf_window_us)
      || !self->rules->has_room (self->cycle, self->count))
    return;
  Due due = { lk_slurm_het_order_place (&self->order),
              g_memdup2 (self->planned, self->count * call->words * sizeof (guint64)),
              g_memdup2 (self->partitions, self->count * sizeof (uint32_t)),
              g_memdup2 (self->jobs, self->count * sizeof (LkJobIndex)), self->count };
  reserve (self, start_us);
  if (is_now && settings->bf_hetjob_immediate)
    start (self, &due);
  if (is_now && !settings->bf_hetjob_immediate)
    g_array_append_val (self->due, due);
  else
    clear_due (&due);
}

/* The components of the next one, if it stands before a job of the queue (LK_JOB_NONE: wherever it
 * stands). */
static gboolean
take_next (LkSlurmHets *self, LkJobIndex before)
{
  const LkSlurmCall *call = self->call;
  const LkJobIndex *jobs;
  for (; self->order.at < self->order.count; self->order.at++) {
    uint32_t place = lk_slurm_het_order_place (&self->order);
    self->count = call->ops->het_components (call->pass, place, &jobs);
    if (self->count == 0)
      continue;
    if (!lk_slurm_het_order_is_before (&self->order, jobs[0], before))
      return FALSE;
    g_free (self->jobs);
    self->jobs = g_memdup2 (jobs, self->count * sizeof *jobs);
    return TRUE;
  }
  return FALSE;
}

/* All are counted up to the first of which there have been enough. */
static gboolean
counts (const LkSlurmHets *self)
{
  for (uint32_t i = 0; i < self->count; i++)
    if (!self->rules->counts (self->cycle, self->jobs[i]))
      return FALSE;
  return TRUE;
}

int64_t
lk_slurm_hets_before (LkSlurmHets *self, LkJobIndex before)
{
  int64_t tested_count = 0;
  for (; take_next (self, before); self->order.at++) {
    if (!has_licenses (self) || !counts (self))
      continue;
    g_free (self->planned);
    g_free (self->partitions);
    self->planned = g_new0 (guint64, (gsize)self->count * self->call->words + 1);
    self->partitions = g_new0 (uint32_t, self->count);
    plan (self);
    tested_count += self->count;
  }
  return tested_count;
}

gboolean
lk_slurm_hets_end (LkSlurmHets *self)
{
  for (guint i = 0; i < self->due->len; i++)
    start (self, &g_array_index (self->due, Due, i));
  g_array_unref (self->due);
  g_free (self->jobs);
  g_free (self->nodes);
  g_free (self->planned);
  g_free (self->partitions);
  lk_slurm_het_order_clear (&self->order);
  return self->has_started;
}

/* ---------------------------------------------------------------- in the main loop */

uint32_t
lk_slurm_het_components (const LkSlurmCall *call, uint32_t *place, LkJobIndex before,
                         const LkJobIndex **out_jobs)
{
  uint32_t het_count = call->ops->het_count (call->pass);
  while (*place < het_count) {
    uint32_t count = call->ops->het_components (call->pass, *place, out_jobs);
    if (count > 0
        && !call->ops->queue_before (call->pass, LK_QUEUE_PRIORITY, (*out_jobs)[0], before))
      return 0;
    ++*place;
    if (count > 0)
      return count;
  }
  return 0;
}
