/* policies/backfill_slurm_queue.c — in which order the main loop and the backfill cycle look at
 * jobs.
 *
 * A job that named several partitions has a record for each.  Source: Slurm's sort_job_queue2: a
 * job that may displace the other, then jobs that ask for an advance reservation, then by the
 * partition's PriorityTier, then the priority in that partition, submit time, id.  The last three
 * are the queue's own order where each job has one partition; tiers matter only where they differ.
 *
 * Who may displace whom is no order: of low, normal and high, high may go before low, and both
 * before and behind normal.  What comes of that in Slurm is what merge sort, from the order of ids,
 * makes of it, and so it is here. */
#include "policies/backfill_slurm.h"

#include <string.h>

static gboolean
has_tiers (const LkView *view)
{
  for (uint32_t i = 1; i < view->partition_count; i++)
    if (view->partitions[i].priority_tier != view->partitions[0].priority_tier)
      return TRUE;
  return FALSE;
}

/* ---------------------------------------------------------------- the one order of records */

typedef struct {
  LkSlurmRecord record;
  uint32_t tier;
  uint32_t is_inside; /* 1: it asks for an advance reservation */
} Entry;

/* By priority, as it differs from one record of a job to the other; where the order of the queue
 * has no priorities, only the job's place in the queue counts. */
static gint
compare_jobs (const LkSlurmQueue *self, const LkSlurmRecord *a, const LkSlurmRecord *b)
{
  const LkSlurmCall *call = self->call;
  const LkJobColumns *jobs = call->view->jobs;
  if (self->has_priorities) {
    if (a->priority != b->priority)
      return a->priority > b->priority ? -1 : 1;
    if (jobs->submit_us[a->job] != jobs->submit_us[b->job])
      return jobs->submit_us[a->job] < jobs->submit_us[b->job] ? -1 : 1;
    return (jobs->id[a->job] > jobs->id[b->job]) - (jobs->id[a->job] < jobs->id[b->job]);
  }
  if (a->job == b->job)
    return 0;
  return call->ops->queue_before (call->pass, LK_QUEUE_PRIORITY, a->job, b->job) ? -1 : 1;
}

static gint
compare_entries (gconstpointer x, gconstpointer y, gpointer user)
{
  const LkSlurmQueue *self = user;
  const LkSlurmCall *call = self->call;
  const Entry *a = x;
  const Entry *b = y;
  if (self->has_preemption && call->ops->can_preempt (call->pass, a->record.job, b->record.job))
    return -1;
  if (self->has_preemption && call->ops->can_preempt (call->pass, b->record.job, a->record.job))
    return 1;
  if (a->is_inside != b->is_inside)
    return a->is_inside > b->is_inside ? -1 : 1;
  if (a->tier != b->tier)
    return a->tier > b->tier ? -1 : 1;
  gint order = compare_jobs (user, &a->record, &b->record);
  return order != 0 ? order
                    : (a->record.place > b->record.place) - (a->record.place < b->record.place);
}

static gint
compare_ids (gconstpointer x, gconstpointer y, gpointer user)
{
  const LkSlurmRecord *a = &((const Entry *)x)->record;
  const LkSlurmRecord *b = &((const Entry *)y)->record;
  const uint32_t *ids = ((const LkSlurmQueue *)user)->call->view->jobs->id;
  if (a->job != b->job)
    return ids[a->job] < ids[b->job] ? -1 : 1;
  return (a->place > b->place) - (a->place < b->place);
}

/* Two sorted runs that lie one behind the other become one. */
static void
merge (const LkSlurmQueue *self, Entry *entries, guint left_count, guint count, Entry *room)
{
  guint left = 0;
  guint right = left_count;
  for (guint i = 0; i < count; i++) {
    gboolean is_left =
        left < left_count
        && (right == count
            || compare_entries (&entries[left], &entries[right], (gpointer)self) <= 0);
    room[i] = entries[is_left ? left++ : right++];
  }
  memcpy (entries, room, count * sizeof *entries);
}

/* The halves first, the first one being the smaller, as glibc's qsort did when Slurm was written:
 * the comparisons are no order, so it matters who is compared with whom.  No deeper than the
 * logarithm of the count. */
static void
merge_sort (const LkSlurmQueue *self, Entry *entries, guint count, Entry *room)
{
  if (count < 2)
    return;
  merge_sort (self, entries, count / 2, room);
  merge_sort (self, entries + count / 2, count - count / 2, room);
  merge (self, entries, count / 2, count, room);
}

static void
sort_entries (LkSlurmQueue *self, GArray *entries)
{
  if (!self->has_preemption) {
    g_array_sort_with_data (entries, compare_entries, self);
    return;
  }
  g_array_sort_with_data (entries, compare_ids, self);
  g_autofree Entry *room = g_new (Entry, entries->len);
  merge_sort (self, (Entry *)(gpointer)entries->data, entries->len, room);
}

/* ---------------------------------------------------------------- records */

static void
add_entry (LkSlurmQueue *self, GArray *entries, LkSlurmRecord record, gboolean wants_priority)
{
  const LkSlurmCall *call = self->call;
  const LkView *view = call->view;
  Entry entry = { .record = record, .is_inside = view->jobs->in_reservation[record.job] };
  if (view->partition_count > 1)
    entry.tier = view->partitions[view->jobs->partition[record.job]].priority_tier;
  if (wants_priority)
    entry.record.priority = call->ops->priority (call->pass, record.job);
  self->has_priorities = self->has_priorities && entry.record.priority != UINT32_MAX;
  g_array_append_val (entries, entry);
}

static void
add_job (LkSlurmQueue *self, GArray *entries, LkJobIndex job, gboolean has_choices)
{
  const LkSlurmCall *call = self->call;
  uint32_t count = has_choices ? call->ops->partition_count (call->pass, job) : 1;
  LkSlurmRecord record = { .job = job };
  if (count == 1) {
    add_entry (self, entries, record, has_choices || self->has_preemption);
    return;
  }
  for (record.place = 1; record.place <= count; record.place++)
    if (call->ops->visit_partition (call->pass, job, record.place))
      add_entry (self, entries, record, has_choices);
}

/* What limits keep out of the queue; a job with several partitions is looked at where it waits. */
static void
add_limited (LkSlurmQueue *self, GArray *entries, gboolean has_choices)
{
  const LkView *view = self->call->view;
  for (LkJobIndex job = 0; job < view->job_index_limit; job++) {
    LkSlurmRecord record = { .job = job, .is_limited = TRUE };
    if (view->jobs->phase[job] == LK_PHASE_BLOCKED)
      add_entry (self, entries, record, has_choices || self->has_preemption);
  }
}

static void
take_records (LkSlurmQueue *self, const GArray *entries)
{
  g_autofree guint8 *is_seen = g_new0 (guint8, self->call->view->job_index_limit);
  self->records = g_array_new (FALSE, FALSE, sizeof (LkSlurmRecord));
  for (guint i = 0; i < entries->len; i++) {
    LkSlurmRecord record = g_array_index (entries, Entry, i).record;
    record.is_later = is_seen[record.job];
    is_seen[record.job] = 1;
    g_array_append_val (self->records, record);
  }
}

static void
collect (LkSlurmQueue *self, gboolean has_choices)
{
  const LkSlurmCall *call = self->call;
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  LkJobIndex job = call->ops->queue_first (call->pass, LK_QUEUE_PRIORITY);
  self->has_priorities = has_choices || self->has_preemption;
  for (; job != LK_JOB_NONE; job = call->ops->queue_next (call->pass, LK_QUEUE_PRIORITY, job, NULL))
    add_job (self, entries, job, has_choices);
  if (call->self->settings.assoc_limit_stop)
    add_limited (self, entries, has_choices);
  sort_entries (self, entries);
  take_records (self, entries);
}

void
lk_slurm_queue_init (LkSlurmQueue *self, const LkSlurmCall *call)
{
  gboolean has_choices = call->ops->partition_count (call->pass, LK_JOB_NONE) > 1;
  *self = (LkSlurmQueue){ .call = call, .last = LK_JOB_NONE };
  self->has_preemption = call->ops->can_preempt (call->pass, LK_JOB_NONE, LK_JOB_NONE) != 0;
  if (has_choices || self->has_preemption || call->self->settings.assoc_limit_stop
      || has_tiers (call->view))
    collect (self, has_choices);
}

void
lk_slurm_queue_clear (LkSlurmQueue *self)
{
  if (self->records != NULL)
    g_array_unref (self->records);
}

gboolean
lk_slurm_queue_visit (const LkSlurmCall *call, const LkSlurmRecord *record)
{
  return call->view->jobs->phase[record->job] == LK_PHASE_QUEUED
         && (record->place == 0
             || call->ops->visit_partition (call->pass, record->job, record->place));
}

gboolean
lk_slurm_queue_next (LkSlurmQueue *self, LkSlurmRecord *out_record)
{
  const LkSlurmCall *call = self->call;
  if (self->records == NULL) {
    self->last = call->ops->queue_next (call->pass, LK_QUEUE_PRIORITY, self->last, NULL);
    *out_record = (LkSlurmRecord){ .job = self->last };
    return self->last != LK_JOB_NONE;
  }
  /* An array of which a task has started: its next one. */
  if (self->last != LK_JOB_NONE && call->view->jobs->phase[self->last] == LK_PHASE_QUEUED
      && call->view->host->job_tasks (call->view, self->last) < self->task_count)
    self->at--;
  self->last = LK_JOB_NONE;
  while (self->at < self->records->len) {
    *out_record = g_array_index (self->records, LkSlurmRecord, self->at++);
    if (out_record->is_limited)
      return TRUE;
    if (!lk_slurm_queue_visit (call, out_record))
      continue;
    self->last = out_record->job;
    self->task_count = call->view->host->job_tasks (call->view, self->last);
    return TRUE;
  }
  return FALSE;
}

/* ---------------------------------------------------------------- who may keep others back */

/* MinPrioThreshold among limits. FALSE: it is not set. */
static gboolean
threshold_in (const LkAccountsView *accounts, LkLimitRun run, uint64_t *out_threshold)
{
  for (uint32_t i = run.first; i < run.first + run.count; i++)
    if (accounts->limits[i].kind == LK_LIMIT_MIN_PRIO_THRESHOLD) {
      *out_threshold = accounts->limits[i].value;
      return TRUE;
    }
  return FALSE;
}

/* Of the job's QOS, then of its association, then of all jobs. */
static uint64_t
threshold_of (const LkSlurmCall *call, LkJobIndex job)
{
  const LkAccountsView *accounts = call->view->accounts;
  const LkJobColumns *jobs = call->view->jobs;
  uint64_t threshold = (uint64_t)call->self->settings.bf_min_prio_reserve;
  if (accounts == NULL)
    return threshold;
  if (jobs->qos[job] != LK_INDEX_NONE
      && threshold_in (accounts, accounts->qos[jobs->qos[job]].limits, &threshold))
    return threshold;
  if (jobs->association[job] != LK_INDEX_NONE)
    threshold_in (accounts, accounts->associations[jobs->association[job]].job_limits, &threshold);
  return threshold;
}

gboolean
lk_slurm_may_reserve (const LkSlurmCall *call, LkJobIndex job)
{
  const LkView *view = call->view;
  int64_t age_us = lk_slurm_since_us (view->now_us, view->jobs->submit_us[job]);
  if (age_us < call->self->settings.bf_min_age_reserve_us)
    return FALSE;
  uint64_t threshold = threshold_of (call, job);
  return threshold == 0 || call->ops->priority (call->pass, job) >= threshold;
}
