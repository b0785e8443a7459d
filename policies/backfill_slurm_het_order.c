/* policies/backfill_slurm_het_order.c — where heterogeneous jobs stand in Slurm's cycle.
 *
 * Without bf_hetjob_prio each stands where its first component would.  With it, all components
 * stand where one of the least, the average or the greatest tier and priority of them would, and
 * go first if one asks for an advance reservation.  Where the order of the queue has no priorities
 * the first component counts.  Source: slurm.conf(5), bf_hetjob_prio; sched/backfill,
 * _hetjob_calc_prio. */
#include "policies/backfill_slurm.h"

typedef struct {
  LkSlurmHetStand stand;
  uint32_t place;
} Entry;

static uint32_t
tier_of (const LkView *view, LkJobIndex job)
{
  return view->partition_count > 1 ? view->partitions[view->jobs->partition[job]].priority_tier : 0;
}

/* Of one job that waits. FALSE: the order of the queue has no priorities. */
static gboolean
stand_of (const LkSlurmCall *call, LkJobIndex job, LkSlurmHetStand *out_stand)
{
  uint32_t priority = call->ops->priority (call->pass, job);
  *out_stand = (LkSlurmHetStand){ .is_inside = call->view->jobs->in_reservation[job],
                                  .tier = tier_of (call->view, job),
                                  .priority = priority,
                                  .first = job };
  return priority != UINT32_MAX;
}

typedef struct {
  uint64_t least;
  uint64_t sum;
  uint64_t greatest;
} Range;

static void
widen (Range *self, uint32_t value)
{
  self->least = MIN (self->least, value);
  self->sum += value;
  self->greatest = MAX (self->greatest, value);
}

static uint32_t
value_of (const Range *self, int64_t way, uint32_t count)
{
  if (way == LK_SLURM_HET_AVG)
    return (uint32_t)(self->sum / count);
  return (uint32_t)(way == LK_SLURM_HET_MIN ? self->least : self->greatest);
}

/* Of all components. FALSE: as above. */
static gboolean
stand_together (const LkSlurmCall *call, const LkJobIndex *jobs, uint32_t count,
                LkSlurmHetStand *out_stand)
{
  int64_t way = call->self->settings.bf_hetjob_prio;
  Range tiers = { .least = UINT32_MAX };
  Range priorities = tiers;
  uint32_t is_inside = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!stand_of (call, jobs[i], out_stand))
      return FALSE;
    widen (&tiers, out_stand->tier);
    widen (&priorities, out_stand->priority);
    is_inside |= out_stand->is_inside;
  }
  *out_stand = (LkSlurmHetStand){ .is_inside = is_inside,
                                  .tier = value_of (&tiers, way, count),
                                  .priority = value_of (&priorities, way, count),
                                  .first = jobs[0] };
  return TRUE;
}

static gint
compare_stands (const LkSlurmCall *call, const LkSlurmHetStand *a, const LkSlurmHetStand *b)
{
  const LkJobColumns *jobs = call->view->jobs;
  if (a->is_inside != b->is_inside)
    return a->is_inside > b->is_inside ? -1 : 1;
  if (a->tier != b->tier)
    return a->tier > b->tier ? -1 : 1;
  if (a->priority != b->priority)
    return a->priority > b->priority ? -1 : 1;
  if (jobs->submit_us[a->first] != jobs->submit_us[b->first])
    return jobs->submit_us[a->first] < jobs->submit_us[b->first] ? -1 : 1;
  return (jobs->id[a->first] > jobs->id[b->first]) - (jobs->id[a->first] < jobs->id[b->first]);
}

static gint
compare_entries (gconstpointer a, gconstpointer b, gpointer user)
{
  return compare_stands (user, &((const Entry *)a)->stand, &((const Entry *)b)->stand);
}

void
lk_slurm_het_order_init (LkSlurmHetOrder *self, const LkSlurmCall *call)
{
  uint32_t het_count = call->ops->het_count (call->pass);
  const LkJobIndex *jobs;
  *self = (LkSlurmHetOrder){ .call = call, .count = het_count };
  if (het_count == 0 || call->self->settings.bf_hetjob_prio == LK_SLURM_HET_FIRST)
    return;
  self->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  for (uint32_t place = 0; place < het_count; place++) {
    Entry entry = { .place = place };
    uint32_t count = call->ops->het_components (call->pass, place, &jobs);
    if (count == 0)
      continue;
    if (!stand_together (call, jobs, count, &entry.stand)) {
      g_clear_pointer (&self->entries, g_array_unref);
      return;
    }
    g_array_append_val (self->entries, entry);
  }
  g_array_sort_with_data (self->entries, compare_entries, (gpointer)call);
  self->count = self->entries->len;
}

void
lk_slurm_het_order_clear (LkSlurmHetOrder *self)
{
  g_clear_pointer (&self->entries, g_array_unref);
}

uint32_t
lk_slurm_het_order_place (const LkSlurmHetOrder *self)
{
  return self->entries != NULL ? g_array_index (self->entries, Entry, self->at).place : self->at;
}

gboolean
lk_slurm_het_order_is_before (const LkSlurmHetOrder *self, LkJobIndex first, LkJobIndex job)
{
  const LkSlurmCall *call = self->call;
  LkSlurmHetStand stand;
  if (job == LK_JOB_NONE)
    return TRUE;
  if (self->entries == NULL || !stand_of (call, job, &stand))
    return call->ops->queue_before (call->pass, LK_QUEUE_PRIORITY, first, job) != 0;
  return compare_stands (call, &g_array_index (self->entries, Entry, self->at).stand, &stand) < 0;
}
