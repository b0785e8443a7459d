/* policies/backfill_slurm_time_min.c — Slurm's backfill of jobs that can do with less than their
 * time limit (--time-min).
 *
 * The cycle looks at such a job as if it had its least limit, and reserves for that.  One that
 * starts gets its limit back as far as it leaves others what is reserved: whole minutes up to the
 * first slot in which some of its nodes are.  Up to 22.05 it stays at the least.  The main loop
 * knows only the limit.  Source: sbatch(1) --time-min; sched/backfill, _reset_job_time_limit. */
#include "policies/backfill_slurm.h"

#define MINUTE_US INT64_C (60000000)

static int64_t
whole_us (int64_t room_us)
{
  return room_us - room_us % MINUTE_US;
}

static gboolean
has_all (const LkSlurmSlots *self, const LkSlurmSlot *slot, const LkSlurmHold *hold)
{
  for (uint32_t word = 0; word < self->words; word++)
    if ((hold->nodes[word] & ~slot->nodes[word]) != 0)
      return FALSE;
  for (uint32_t kind = 0; hold->licenses != NULL && kind < self->license_count; kind++)
    if (slot->licenses[kind] < hold->licenses[kind])
      return FALSE;
  return TRUE;
}

int64_t
lk_slurm_slots_room_us (const LkSlurmSlots *self, int64_t now_us, const LkSlurmHold *hold)
{
  for (guint i = 0; i < self->slots->len; i++) {
    const LkSlurmSlot *slot = &g_array_index (self->slots, LkSlurmSlot, i);
    int64_t room_us = lk_slurm_since_us (slot->begin_us, now_us);
    if (room_us > 0 && !has_all (self, slot, hold))
      return whole_us (room_us);
  }
  return LK_TIME_NEVER;
}

int64_t
lk_slurm_lengthen (const LkSlurmCall *call, const LkSlurmSlots *slots, const GArray *steps,
                   const uint32_t *licenses, LkJobIndex job)
{
  int64_t now_us = call->view->now_us;
  if (call->self->settings.is_old)
    return call->ops->lengthen_short (call->pass, 0);
  if (steps != NULL) {
    /* There the moment at which it ends counts, too. */
    int64_t room_us = lk_slurm_pool_free_us (steps, now_us, call->view->jobs->units[job]);
    return call->ops->lengthen_short (call->pass,
                                      room_us != LK_TIME_NEVER ? whole_us (room_us - 1) : room_us);
  }
  g_autofree guint64 *nodes = g_new0 (guint64, call->words);
  call->ops->nodes_of_short (call->pass, nodes);
  LkSlurmHold hold = { nodes, licenses };
  return call->ops->lengthen_short (call->pass, lk_slurm_slots_room_us (slots, now_us, &hold));
}
