/* policies/backfill_slurm_licenses.c — the licences of jobs in Slurm's backfill cycle
 * (bf_licenses).
 *
 * Each slot counts the licences of each kind that nobody has reserved; running jobs hold theirs to
 * their expected end.  What an advance reservation keeps for others is asked for the job and the
 * moment at hand.  Source: slurm.conf(5), bf_licenses; docs/policy-backfill-slurm.md. */
#include "policies/backfill_slurm.h"

#include <string.h>

void
lk_slurm_licenses_init (LkSlurmLicenses *self, const LkSlurmCall *call, LkSlurmSlots *slots)
{
  uint32_t count = call->self->settings.bf_licenses ? call->ops->license_count (call->pass) : 0;
  *self = (LkSlurmLicenses){ .count = count };
  if (count == 0)
    return;
  self->needed = g_new0 (uint32_t, count);
  self->reserved = g_new0 (uint32_t, count);
  self->both = g_new0 (uint32_t, count);
  call->ops->licenses_of (call->pass, LK_JOB_NONE, self->both);
  lk_slurm_slots_plan_licenses (slots, self->both, count);
}

void
lk_slurm_licenses_clear (LkSlurmLicenses *self)
{
  g_free (self->needed);
  g_free (self->reserved);
  g_free (self->both);
}

const uint32_t *
lk_slurm_licenses_of (LkSlurmLicenses *self, const LkSlurmCall *call, LkJobIndex job)
{
  self->has_needs = FALSE;
  if (self->count == 0)
    return NULL;
  memset (self->needed, 0, self->count * sizeof *self->needed);
  call->ops->licenses_of (call->pass, job, self->needed);
  for (uint32_t kind = 0; kind < self->count; kind++)
    self->has_needs = self->has_needs || self->needed[kind] > 0;
  return self->has_needs ? self->needed : NULL;
}

int64_t
lk_slurm_licenses_later_us (LkSlurmLicenses *self, const LkSlurmCall *call, LkJobIndex job,
                            const LkSlurmSlots *slots, int64_t from_us)
{
  if (!self->has_needs)
    return from_us;
  int64_t next_us = call->ops->licenses_reserved (call->pass, job, from_us, self->reserved);
  for (uint32_t kind = 0; kind < self->count; kind++)
    self->both[kind] = self->needed[kind] + self->reserved[kind];
  int64_t free_us =
      lk_slurm_slots_licensed_us (slots, from_us, call->view->jobs->estimate_us[job], self->both);
  return free_us > from_us ? MIN (free_us, next_us) : from_us;
}
