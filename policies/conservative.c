/* policies/conservative.c — conservative backfilling with kept reservations and compression.
 *
 * Every job gets a reservation when it arrives: the earliest time at which the profile has room for
 * it beside what runs and what is reserved, so that no later job ever delays it.  When capacity is
 * given back (a job ends before its expected end, or a pending one is cancelled) the plan is
 * compressed: in queue order each job is put at its earliest time not later than the reservation it
 * has.  A job starts when its reservation is due. Order within one pass: compression, then new
 * arrivals in order of arrival, then starts in queue order. Source: Mu'alem & Feitelson 2001,
 * section 3.1.
 *
 * A job that could not move at the last compression can move now only into capacity given back
 * since.  So the compression keeps one time interval around all that was given back and not yet
 * offered to everybody, and asks only jobs that could have a start near it.  What a job gives up by
 * moving is offered to the jobs behind it in the same sweep, and to those before it in the next.
 *
 * A running job that is past its expected end (only a live system has those) makes the plan untrue;
 * then the whole plan is made anew in queue order at each pass until it has ended. */
#include "policies/backfills.h"

#include <glib.h>

#include "policies/due_heap.h"

typedef struct {
  const LkPlanOps *plan_ops;
  void *plan;        /* running jobs and reservations; NULL before the first event */
  int64_t *start_us; /* reservation by job index; LK_TIME_NEVER none */
  uint32_t limit;    /* entries of start_us */
  GArray *arrivals;  /* LkJobIndex: queued since the last pass, in order of arrival */
  LkDueHeap due;
  uint32_t reserved_count;
  int64_t given_from_us; /* [from, to): where capacity was given back; empty when from >= to */
  int64_t given_to_us;
  gboolean compress; /* something was given back since the last pass */
  gboolean rebuild;  /* the plan is untrue */
} Conservative;

/* ---------------------------------------------------------------- the plan */

static void
ready (Conservative *self, const LkView *view)
{
  if (self->plan == NULL)
    self->plan = self->plan_ops->create (view);
  if (self->limit < view->job_index_limit) {
    uint32_t limit = MAX (view->job_index_limit, 2 * self->limit);
    self->start_us = g_renew (int64_t, self->start_us, limit);
    for (uint32_t job = self->limit; job < limit; job++)
      self->start_us[job] = LK_TIME_NEVER;
    self->limit = limit;
  }
}

static void
give_back (Conservative *self, int64_t from_us, int64_t to_us)
{
  gboolean empty = self->given_from_us >= self->given_to_us;
  self->given_from_us = empty ? from_us : MIN (self->given_from_us, from_us);
  self->given_to_us = empty ? to_us : MAX (self->given_to_us, to_us);
}

/* At the place that the plan has just found. */
static void
reserve (Conservative *self, const LkView *view, LkJobIndex job, int64_t start_us)
{
  self->plan_ops->reserve (self->plan, view, job, start_us);
  self->start_us[job] = start_us;
  self->reserved_count++;
  lk_due_heap_push (&self->due, (LkDue){ start_us, view->jobs->id[job], job });
}

/* Notes what the job's reservation gives back. */
static void
give_up (Conservative *self, const LkView *view, LkJobIndex job)
{
  int64_t start_us = self->start_us[job];
  int64_t end_us = lk_backfill_end_us (view, job, start_us);
  give_back (self, start_us > view->now_us ? start_us : view->now_us, end_us);
  self->start_us[job] = LK_TIME_NEVER;
  self->reserved_count--;
}

/* A job that cannot run as the machine stands, because nodes are down, gets no reservation. */
static void
reserve_earliest (Conservative *self, const LkView *view, LkJobIndex job)
{
  int64_t start_us = self->plan_ops->earliest (self->plan, view, job, view->now_us, LK_TIME_NEVER);
  if (start_us != LK_TIME_NEVER)
    reserve (self, view, job, start_us);
}

/* Moves the job to an earlier time if the plan has one near [from_us, to_us). Returns whether it
 * moved. */
static gboolean
move_earlier (Conservative *self, const LkView *view, LkJobIndex job, int64_t from_us,
              int64_t to_us)
{
  int64_t current_us = self->start_us[job];
  int64_t estimate_us = view->jobs->estimate_us[job];
  int64_t first_us = from_us > INT64_MIN + estimate_us ? from_us - estimate_us : from_us;
  int64_t start_us = self->plan_ops->earliest (self->plan, view, job, MAX (first_us, view->now_us),
                                               MIN (to_us, current_us));
  if (start_us == LK_TIME_NEVER)
    return FALSE;
  give_up (self, view, job);
  reserve (self, view, job, start_us);
  return TRUE;
}

static void
compress (Conservative *self, const LkView *view, const LkPassOps *ops, void *pass)
{
  int64_t from_us = MAX (self->given_from_us, view->now_us);
  int64_t to_us = self->given_to_us;
  LkJobIndex job = LK_JOB_NONE;
  self->given_from_us = self->given_to_us = 0;
  while (from_us < to_us) {
    uint32_t units_max = self->plan_ops->units_max (self->plan, view, view->now_us, to_us);
    LkQueueFilter filter = { units_max, units_max, LK_TIME_NEVER };
    gboolean moved = FALSE;
    while (!moved) {
      job = ops->queue_next (pass, LK_QUEUE_PRIORITY, job, &filter);
      if (job == LK_JOB_NONE)
        return;
      moved =
          self->start_us[job] != LK_TIME_NEVER && move_earlier (self, view, job, from_us, to_us);
    }
    /* What it gave up is offered to those behind it now, and by give_back to all in the next
     * sweep. */
    from_us = MIN (from_us, self->given_from_us);
    to_us = MAX (to_us, self->given_to_us);
  }
}

static void
rebuild (Conservative *self, const LkView *view, const LkPassOps *ops, void *pass)
{
  self->plan_ops->reset (self->plan, view);
  g_array_set_size (self->due.entries, 0);
  g_array_set_size (self->arrivals, 0);
  self->reserved_count = 0;
  self->given_from_us = self->given_to_us = 0;
  for (LkJobIndex job = ops->queue_first (pass, LK_QUEUE_PRIORITY); job != LK_JOB_NONE;
       job = ops->queue_next (pass, LK_QUEUE_PRIORITY, job, NULL)) {
    self->start_us[job] = LK_TIME_NEVER;
    ops->plan_hets (pass, self->plan, job, UINT32_MAX);
    reserve_earliest (self, view, job);
  }
  ops->plan_hets (pass, self->plan, LK_JOB_NONE, UINT32_MAX);
}

/* Are there jobs for which no place was found? */
static gboolean
has_unplaced (const Conservative *self, const LkView *view)
{
  return view->pending_count > self->reserved_count + self->arrivals->len;
}

static void
bring_up_to_date (Conservative *self, const LkView *view, const LkPassOps *ops, void *pass)
{
  LkJobIndex first_end = ops->running_next (pass, LK_JOB_NONE);
  if (first_end != LK_JOB_NONE && view->jobs->expected_end_us[first_end] <= view->now_us)
    self->rebuild = TRUE;
  self->plan_ops->advance (self->plan, view);
  if (self->compress && has_unplaced (self, view))
    self->rebuild = TRUE;
  if (self->rebuild) {
    rebuild (self, view, ops, pass);
    /* Still untrue when that job is reported ended. */
    self->rebuild =
        first_end != LK_JOB_NONE && view->jobs->expected_end_us[first_end] <= view->now_us;
    return;
  }
  if (self->compress)
    compress (self, view, ops, pass);
  for (guint i = 0; i < self->arrivals->len; i++)
    reserve_earliest (self, view, g_array_index (self->arrivals, LkJobIndex, i));
  g_array_set_size (self->arrivals, 0);
}

/* Starts a job in its place.  Of an array the next task gets a place of its own, and starts if that
 * is now. */
static void
start_due (Conservative *self, const LkView *view, const LkPassOps *ops, void *pass, LkJobIndex job)
{
  do {
    /* Its place in the profile becomes that of a running job, which is true only if it starts when
     * it was due. */
    if (self->start_us[job] < view->now_us)
      self->rebuild = TRUE;
    self->start_us[job] = LK_TIME_NEVER;
    self->reserved_count--;
    ops->start_planned (pass, self->plan, job);
    if (view->jobs->phase[job] != LK_PHASE_QUEUED)
      return;
    reserve_earliest (self, view, job);
    /* Whoever is not allowed gives its place back. */
    if (self->start_us[job] != view->now_us || !ops->is_allowed (pass, job))
      return;
  } while (self->plan_ops->is_free (self->plan, view, job));
  self->rebuild = TRUE;
}

static void
conservative_pass (void *user, const LkView *view, const LkPassOps *ops, void *pass)
{
  Conservative *self = user;
  ready (self, view);
  bring_up_to_date (self, view, ops, pass);
  self->compress = FALSE;
  g_autoptr (GArray) jobs = lk_due_heap_take (&self->due, view, ops, pass, self->start_us);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (!ops->is_allowed (pass, job))
      continue;
    if (!self->plan_ops->is_free (self->plan, view, job)) {
      lk_due_heap_push (&self->due, (LkDue){ self->start_us[job], view->jobs->id[job], job });
      self->rebuild = TRUE;
      continue;
    }
    start_due (self, view, ops, pass, job);
  }
  lk_due_heap_shrink (&self->due, view, self->start_us, self->reserved_count);
  const LkDue *next = lk_due_heap_first (&self->due, view, self->start_us);
  if (next != NULL && next->start_us > view->now_us)
    ops->wake (pass, next->start_us);
}

/* ---------------------------------------------------------------- what happens between passes */

static void
conservative_job_queued (void *user, const LkView *view, LkJobIndex job)
{
  Conservative *self = user;
  ready (self, view);
  self->start_us[job] = LK_TIME_NEVER;
  g_array_append_val (self->arrivals, job);
}

static void
conservative_job_dequeued (void *user, const LkView *view, LkJobIndex job)
{
  Conservative *self = user;
  ready (self, view);
  if (self->start_us[job] != LK_TIME_NEVER) {
    self->compress = TRUE;
    if (self->rebuild) {
      self->start_us[job] = LK_TIME_NEVER;
      return;
    }
    self->plan_ops->release (self->plan, view, job);
    give_up (self, view, job);
    return;
  }
  for (guint i = 0; i < self->arrivals->len; i++)
    if (g_array_index (self->arrivals, LkJobIndex, i) == job) {
      g_array_remove_index (self->arrivals, i);
      return;
    }
}

static void
conservative_job_ended (void *user, const LkView *view, LkJobIndex job)
{
  Conservative *self = user;
  int64_t expected_us = view->jobs->expected_end_us[job];
  ready (self, view);
  if (expected_us <= view->now_us || self->rebuild)
    return;
  self->plan_ops->job_ended (self->plan, view, job);
  give_back (self, view->now_us, expected_us);
  self->compress = TRUE;
}

static void
conservative_machine_changed (void *user, const LkView *view)
{
  Conservative *self = user;
  ready (self, view);
  self->rebuild = TRUE;
}

static void
conservative_given_back (void *user, const LkView *view, int64_t from_us, int64_t to_us)
{
  Conservative *self = user;
  ready (self, view);
  give_back (self, from_us, to_us);
  self->compress = TRUE;
}

static int64_t
conservative_planned_start_us (void *user, const LkView *view, LkJobIndex job)
{
  const Conservative *self = user;
  (void)view;
  return job < self->limit ? self->start_us[job] : LK_TIME_NEVER;
}

static void
conservative_planned_nodes (void *user, const LkView *view, LkJobIndex job, uint64_t *nodes)
{
  const Conservative *self = user;
  if (self->plan != NULL)
    self->plan_ops->nodes_reserved (self->plan, view, job, nodes);
}

/* ---------------------------------------------------------------- life */

static void *
conservative_create (const LkParamValues *values, LkPolicyError *error)
{
  Conservative *self = g_new0 (Conservative, 1);
  (void)error;
  self->plan_ops = values->host->plan;
  self->arrivals = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  lk_due_heap_init (&self->due);
  return self;
}

static void
conservative_destroy (void *user)
{
  Conservative *self = user;
  if (self == NULL)
    return;
  if (self->plan != NULL)
    self->plan_ops->destroy (self->plan);
  g_free (self->start_us);
  g_array_unref (self->arrivals);
  lk_due_heap_clear (&self->due);
  g_free (self);
}

static void
put_u32 (LkPut put, void *sink, uint32_t value)
{
  uint32_t little = GUINT32_TO_LE (value);
  put (sink, &little, sizeof little);
}

static void
put_i64 (LkPut put, void *sink, int64_t value)
{
  int64_t little = GINT64_TO_LE (value);
  put (sink, &little, sizeof little);
}

static gint
compare_ids (gconstpointer a, gconstpointer b)
{
  uint32_t id_a = *(const uint32_t *)a;
  uint32_t id_b = *(const uint32_t *)b;
  return (id_a > id_b) - (id_a < id_b);
}

/* Flags, the interval, the arrivals, and each reservation by rising id. */
static void
conservative_save (void *user, const LkView *view, LkPut put, void *sink)
{
  const Conservative *self = user;
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  for (LkJobIndex job = 0; job < MIN (self->limit, view->job_index_limit); job++)
    if (view->jobs->phase[job] == LK_PHASE_QUEUED && self->start_us[job] != LK_TIME_NEVER)
      g_array_append_val (ids, view->jobs->id[job]);
  g_array_sort (ids, compare_ids);

  put_u32 (put, sink, (self->compress ? 1u : 0u) | (self->rebuild ? 2u : 0u));
  put_i64 (put, sink, self->given_from_us);
  put_i64 (put, sink, self->given_to_us);
  put_u32 (put, sink, self->arrivals->len);
  for (guint i = 0; i < self->arrivals->len; i++)
    put_u32 (put, sink, view->jobs->id[g_array_index (self->arrivals, LkJobIndex, i)]);
  put_u32 (put, sink, ids->len);
  for (guint i = 0; i < ids->len; i++) {
    uint32_t id = g_array_index (ids, uint32_t, i);
    put_u32 (put, sink, id);
    LkJobIndex job = view->host->job_by_id (view, id);
    put_i64 (put, sink, self->start_us[job]);
    if (!self->rebuild)
      self->plan_ops->save (self->plan, view, job, put, sink);
  }
}

typedef struct {
  const uint8_t *at;
  uint32_t left_bytes;
  gboolean failed;
} Bytes;

static uint64_t
take (Bytes *bytes, uint32_t byte_count)
{
  uint64_t value = 0;
  if (bytes->failed || bytes->left_bytes < byte_count) {
    bytes->failed = TRUE;
    return 0;
  }
  for (uint32_t i = 0; i < byte_count; i++)
    value |= (uint64_t)bytes->at[i] << (8 * i);
  bytes->at += byte_count;
  bytes->left_bytes -= byte_count;
  return value;
}

static LkJobIndex
take_queued_job (Bytes *bytes, const LkView *view)
{
  LkJobIndex job = view->host->job_by_id (view, (uint32_t)take (bytes, 4));
  if (job == LK_JOB_NONE || view->jobs->phase[job] != LK_PHASE_QUEUED)
    bytes->failed = TRUE;
  return job;
}

static int32_t
conservative_load (void *user, const LkView *view, const uint8_t *state, uint32_t byte_count)
{
  Conservative *self = user;
  Bytes bytes = { state, byte_count, FALSE };
  ready (self, view);
  self->plan_ops->resume (self->plan, view);
  uint32_t flags = (uint32_t)take (&bytes, 4);
  self->compress = (flags & 1) != 0;
  self->rebuild = (flags & 2) != 0;
  self->given_from_us = (int64_t)take (&bytes, 8);
  self->given_to_us = (int64_t)take (&bytes, 8);
  uint32_t arrival_count = (uint32_t)take (&bytes, 4);
  for (uint32_t i = 0; i < arrival_count && !bytes.failed; i++) {
    LkJobIndex job = take_queued_job (&bytes, view);
    g_array_append_val (self->arrivals, job);
  }
  uint32_t reserved_count = (uint32_t)take (&bytes, 4);
  for (uint32_t i = 0; i < reserved_count && !bytes.failed; i++) {
    LkJobIndex job = take_queued_job (&bytes, view);
    int64_t start_us = (int64_t)take (&bytes, 8);
    if (bytes.failed || self->start_us[job] != LK_TIME_NEVER || start_us == LK_TIME_NEVER)
      return 0;
    /* While the plan is untrue it is not in the profile; it will be made anew before it is used. */
    if (self->rebuild) {
      self->start_us[job] = start_us;
      continue;
    }
    int64_t used =
        self->plan_ops->load (self->plan, view, job, start_us, bytes.at, bytes.left_bytes);
    if (used < 0)
      return 0;
    bytes.at += used;
    bytes.left_bytes -= (uint32_t)used;
    self->start_us[job] = start_us;
    self->reserved_count++;
    lk_due_heap_push (&self->due, (LkDue){ start_us, view->jobs->id[job], job });
  }
  return !bytes.failed && bytes.left_bytes == 0;
}

static const LkParam conservative_params[] = { { 0 } };

const LkBackfillPolicy lk_backfill_conservative = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkBackfillPolicy),
            .seam = LK_SEAM_BACKFILL,
            .version = 1,
            .name = "conservative",
            .summary = "a kept reservation for every job, compressed when capacity is given back "
                       "(Mu'alem & Feitelson 2001)",
            .params = conservative_params,
            .create = conservative_create,
            .destroy = conservative_destroy,
            .save = conservative_save,
            .load = conservative_load },
  .pass = conservative_pass,
  .job_queued = conservative_job_queued,
  .job_dequeued = conservative_job_dequeued,
  .job_ended = conservative_job_ended,
  .planned_start_us = conservative_planned_start_us,
  .planned_nodes = conservative_planned_nodes,
  .machine_changed = conservative_machine_changed,
  .plans_hets = 1,
  .given_back = conservative_given_back,
};
