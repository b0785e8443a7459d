/* engine/engine_shown.c — why a pending job waits, and the reason that squeue shows, where that is
 * not why it waits now but what the last look at it has found.
 *
 * Slurm writes a reason down when it looks at a job: at submit, in a main loop, and, for what keeps
 * a job out of the queue (begin time, partition), whenever a loop or a backfill cycle gathers its
 * jobs.  Until then the old one stands, and behind an update or a release there is none.  So it is
 * here for policies that note reasons; others look at all jobs in each pass.  Nothing is decided by
 * it, and what `why` and `verify` tell is why the job waits.
 *
 * Source: job_independent, build_job_queue and _top_priority of Slurm, as far as
 * tests/oracle/sched shows them. */
#include "engine/assert.h"
#include "engine/bits.h"
#include "engine/engine_private.h"
#include "engine/engine_reservation.h"
#include "engine/pass_nodes.h"

/* So many jobs of other partitions are looked at, so that a submit has a bound. */
#define LOOKED_AT_MAX 64u

/* Not written down by a loop that comes to the job, but when jobs are gathered. */
static gboolean
is_gathered (LkReason reason)
{
  return reason != LK_REASON_NONE && reason != LK_REASON_PRIORITY && reason != LK_REASON_RESOURCES;
}

LkReason
lk_engine_pending_reason (const LkEngine *self, LkJobIndex job)
{
  if (self->jobs.phase[job] == LK_PHASE_HELD)
    return (LkReason)self->jobs.hold_reason[job];
  LkReason limit = lk_engine_limit_reason (self, job);
  if (limit == LK_REASON_NONE && self->jobs.phase[job] == LK_PHASE_BLOCKED)
    limit = (LkReason)self->book->job_counts[job].reason_told;
  if (limit != LK_REASON_NONE)
    return limit;
  if (self->machine != NULL && lk_engine_required_unusable (self, job))
    return LK_REASON_REQ_NODE_NOT_AVAIL;
  LkReason reserved = lk_engine_reservation_reason (self, job);
  if (reserved != LK_REASON_NONE)
    return reserved;
  if (self->machine != NULL && !lk_engine_licenses_free (self, job))
    return LK_REASON_LICENSES;
  gboolean is_first = lk_rank_first (self->queue) == job;
  if (!self->config.backfill->notes_reasons)
    return is_first ? LK_REASON_RESOURCES : LK_REASON_PRIORITY;
  if (self->jobs.wait_noted[job] != LK_WAIT_NONE)
    return lk_wait_reason (self->jobs.wait_noted[job]);
  return is_first ? LK_REASON_NONE : LK_REASON_PRIORITY;
}

/* Slurm's words for nodes that are kept from a job tell maintenance of all its nodes apart. */
static LkReason
kept_reason (const LkEngine *self, LkJobIndex job, LkReason reason)
{
  return reason == LK_REASON_REQ_NODE_NOT_AVAIL && lk_engine_in_maintenance (self, job)
             ? LK_REASON_NODES_IN_MAINTENANCE
             : reason;
}

LkReason
lk_engine_shown_reason (const LkEngine *self, LkJobIndex job, LkReason reason)
{
  guint8 left = self->jobs.reason_left[job];
  if (left != 0 && self->jobs.phase[job] != LK_PHASE_BLOCKED)
    return kept_reason (self, job, (LkReason)(left - 1));
  gboolean lacks_nodes =
      reason == LK_REASON_RESOURCES && self->jobs.wait_noted[job] == LK_WAIT_NODES;
  return lacks_nodes ? LK_REASON_NODES_NOT_LEFT : kept_reason (self, job, reason);
}

/* Does the next look write another one down, whether it comes to the job or not? */
static gboolean
ends_with_look (const LkEngine *self, LkJobIndex job)
{
  guint8 left = self->jobs.reason_left[job];
  return left != 0
         && (is_gathered ((LkReason)(left - 1)) || self->jobs.phase[job] == LK_PHASE_HELD);
}

void
lk_engine_leave_reason (LkEngine *self, LkJobIndex job, LkReason reason)
{
  /* With an empty queue no look comes. */
  if (!self->config.backfill->notes_reasons || self->view.pending_count == 0)
    return;
  self->jobs.reason_left[job] = (guint8)(reason + 1);
  if (ends_with_look (self, job))
    g_array_append_val (self->reasons_left, job);
}

void
lk_engine_drop_reason (LkEngine *self, LkJobIndex job)
{
  self->jobs.reason_left[job] = 0;
}

void
lk_engine_note_changed (LkEngine *self, LkJobIndex job)
{
  lk_engine_drop_reason (self, job);
  if (self->jobs.phase[job] == LK_PHASE_QUEUED)
    lk_engine_leave_reason (self, job, LK_REASON_NONE);
}

/* An index may have gone to another job since: of that, too, this is true. */
void
lk_engine_drop_reasons (LkEngine *self)
{
  for (guint i = 0; i < self->reasons_left->len; i++) {
    LkJobIndex job = g_array_index (self->reasons_left, LkJobIndex, i);
    if (ends_with_look (self, job))
      lk_engine_drop_reason (self, job);
  }
  g_array_set_size (self->reasons_left, 0);
}

gboolean
lk_engine_take_up_reason (LkEngine *self, LkJobIndex job)
{
  guint8 left = self->jobs.reason_left[job];
  if (left == 0)
    return TRUE;
  if (left > LK_REASON_LIMIT || !self->config.backfill->notes_reasons
      || !lk_engine_is_pending (self, job))
    return FALSE;
  if (ends_with_look (self, job))
    g_array_append_val (self->reasons_left, job);
  return TRUE;
}

static gboolean
share_nodes (const LkEngine *self, LkJobIndex a, LkJobIndex b)
{
  guint32 partition_a = self->jobs.partition[a];
  guint32 partition_b = self->jobs.partition[b];
  if (self->machine == NULL || partition_a == partition_b)
    return TRUE;
  const guint64 *nodes_a = self->machine->partitions[partition_a].nodes;
  const guint64 *nodes_b = self->machine->partitions[partition_b].nodes;
  for (guint32 word = 0; word < self->machine->nodes.node_words; word++)
    if ((nodes_a[word] & nodes_b[word]) != 0)
      return TRUE;
  return FALSE;
}

/* Does `a` have a better right than `b`, which came last? Up to 22.05 it must have a higher
 * priority, or tier. */
static gboolean
is_before (const LkEngine *self, LkJobIndex a, LkJobIndex b)
{
  const LkJobTable *jobs = &self->jobs;
  guint32 tier_a = 0;
  guint32 tier_b = 0;
  if (jobs->in_reservation[a] != jobs->in_reservation[b])
    return FALSE;
  if (self->machine != NULL) {
    tier_a = self->machine->partitions[jobs->partition[a]].spec->priority_tier;
    tier_b = self->machine->partitions[jobs->partition[b]].spec->priority_tier;
  }
  if (tier_a != tier_b)
    return tier_a > tier_b;
  return lk_engine_is_old (self) ? jobs->rank_key[a] < jobs->rank_key[b]
                                 : lk_rank_before (self->queue, a, b);
}

void
lk_engine_note_submitted (LkEngine *self, LkJobIndex job)
{
  LkReason reason = LK_REASON_NONE;
  if (!self->config.backfill->notes_reasons || self->jobs.phase[job] != LK_PHASE_QUEUED)
    return;
  LkJobIndex other = lk_rank_first (self->queue);
  for (guint i = 0; other != LK_JOB_NONE && i < LOOKED_AT_MAX && reason == LK_REASON_NONE; i++) {
    if (other != job && share_nodes (self, other, job) && is_before (self, other, job))
      reason = LK_REASON_PRIORITY;
    other = lk_rank_next (self->queue, other, NULL);
  }
  lk_engine_leave_reason (self, job, reason);
}
