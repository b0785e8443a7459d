/* engine/pass_nodes.c — see the header. */
#include "engine/pass_nodes.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/engine_reservation.h"
#include "engine/plan.h"

static const LkRequest *
request_of (const LkEngine *self, LkJobIndex job)
{
  return lk_machine_request (self->machine, self->jobs.request[job]);
}

/* ---------------------------------------------------------------- sets of nodes */

const uint64_t *
lk_pass_nodes_usable (void *pass)
{
  const LkEngine *self = pass;
  return self->machine != NULL ? self->machine->nodes.usable : NULL;
}

const uint64_t *
lk_pass_nodes_of_partition (void *pass, uint32_t partition)
{
  const LkEngine *self = pass;
  LK_ASSERT (partition < self->view.partition_count);
  return self->machine != NULL ? self->machine->partitions[partition].nodes : NULL;
}

const uint64_t *
lk_pass_nodes_eligible (void *pass, LkJobIndex job)
{
  const LkEngine *self = pass;
  return self->machine != NULL ? request_of (self, job)->eligible : NULL;
}

const uint64_t *
lk_pass_nodes_required (void *pass, LkJobIndex job)
{
  const LkEngine *self = pass;
  return self->machine != NULL ? request_of (self, job)->required : NULL;
}

void
lk_pass_nodes_of_job (void *pass, LkJobIndex job, uint64_t *nodes)
{
  const LkEngine *self = pass;
  LK_ASSERT (self->jobs.phase[job] == LK_PHASE_RUNNING);
  if (self->machine == NULL)
    return;
  const LkNodeTable *table = &self->machine->nodes;
  for (guint32 i = self->jobs.first_piece[job]; i != LK_PIECE_NONE;
       i = lk_piece (table, i)->next_of_job)
    lk_bits_add (nodes, lk_piece (table, i)->node);
}

/* ---------------------------------------------------------------- a start now */

uint32_t
lk_pass_find_now (LkEngine *self, LkJobIndex job, const uint64_t *nodes)
{
  gint64 now_us = self->view.now_us;
  if (self->machine == NULL)
    return self->jobs.units[job] <= self->view.units_free ? LK_TRY_STARTED : LK_TRY_BUSY;
  if (lk_engine_required_unusable (self, job))
    return LK_TRY_UNAVAILABLE;
  if (!lk_engine_licenses_free (self, job) || lk_engine_licenses_kept (self, job))
    return LK_TRY_LICENSES;
  gboolean is_found =
      nodes == NULL
          ? lk_plan_ops.earliest (self->bare, &self->view, job, now_us, now_us + 1) == now_us
          : lk_plan_may_start (self->bare, &self->view, job)
                && lk_plan_try (self->bare, &self->view, job, now_us, nodes);
  return is_found ? LK_TRY_STARTED : LK_TRY_BUSY;
}

int32_t
lk_pass_licenses_free (void *pass, LkJobIndex job)
{
  const LkEngine *self = pass;
  return self->machine == NULL
         || (lk_engine_licenses_free (self, job) && !lk_engine_licenses_kept (self, job));
}

uint32_t
lk_pass_license_count (void *pass)
{
  const LkEngine *self = pass;
  return self->machine != NULL ? self->machine->license_count : 0;
}

void
lk_pass_licenses_of (void *pass, LkJobIndex job, uint32_t *counts)
{
  const LkEngine *self = pass;
  if (job == LK_JOB_NONE) {
    for (guint32 i = 0; i < lk_pass_license_count (pass); i++)
      counts[i] += self->machine->licenses_total[i];
    return;
  }
  const GArray *demands = self->machine != NULL ? request_of (self, job)->licenses : NULL;
  for (guint i = 0; demands != NULL && i < demands->len; i++) {
    const LkLicenseDemand *demand = &g_array_index (demands, LkLicenseDemand, i);
    counts[demand->license] += demand->count;
  }
}

/* ---------------------------------------------------------------- advance reservations */

int64_t
lk_pass_licenses_reserved (void *pass, LkJobIndex job, int64_t from_us, uint32_t *counts)
{
  const LkEngine *self = pass;
  memset (counts, 0, lk_pass_license_count (pass) * sizeof *counts);
  return self->machine != NULL && lk_engine_has_reservations (self)
             ? lk_engine_licenses_reserved (self, job, from_us, counts)
             : LK_TIME_NEVER;
}

int64_t
lk_pass_leave_out_reserved (void *pass, LkJobIndex job, int64_t from_us, uint64_t *nodes)
{
  const LkEngine *self = pass;
  return lk_engine_has_reservations (self)
             ? lk_engine_leave_out_reserved (self, job, from_us, nodes)
             : LK_TIME_NEVER;
}

/* ---------------------------------------------------------------- priorities and reasons */

uint32_t
lk_pass_priority (void *pass, LkJobIndex job)
{
  const LkEngine *self = pass;
  LkPriorityParts parts = { .size = sizeof parts };
  guint32 partition = self->jobs.partition[job];
  gboolean is_away = self->away_job == job;
  if (self->jobs.direct_priority[job] != 0)
    return self->jobs.direct_priority[job];
  /* What the order has calculated is for the job at home. */
  if (is_away)
    self->jobs.partition[job] = lk_machine_request (self->machine, self->away_home)->partition;
  gboolean has_priority =
      lk_engine_priority_parts (self, job, is_away ? partition : LK_INDEX_NONE, &parts);
  self->jobs.partition[job] = partition;
  return has_priority ? parts.priority : G_MAXUINT32;
}

LkReason
lk_wait_reason (uint32_t noted)
{
  switch (noted) {
  case LK_WAIT_PRIORITY:
    return LK_REASON_PRIORITY;
  case LK_WAIT_RESOURCES:
  case LK_WAIT_NODES:
    return LK_REASON_RESOURCES;
  default:
    return LK_REASON_NONE;
  }
}

void
lk_pass_note_reason (void *pass, LkJobIndex job, uint32_t reason)
{
  LkEngine *self = pass;
  LK_ASSERT (self->in_pass);
  LK_ASSERT (self->config.backfill->notes_reasons);
  LK_ASSERT (reason <= LK_WAIT_NODES);
  lk_engine_drop_reason (self, job);
  if (self->jobs.phase[job] != LK_PHASE_QUEUED)
    return;
  LkReason before = lk_wait_reason (self->jobs.wait_noted[job]);
  self->jobs.wait_noted[job] = (guint8)reason;
  if (lk_wait_reason (reason) != before)
    lk_engine_emit_notice (self, job, LK_JOB_PENDING, lk_wait_reason (reason));
}
