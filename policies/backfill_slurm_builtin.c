/* policies/backfill_slurm_builtin.c — when jobs are to start where there is no backfill.
 *
 * sched/builtin starts nothing, but tells users what they may expect: each job, in order, when the
 * running ones end by their limits; and where that would be on nodes of jobs before it, not before
 * the last one of these ends.  Advance reservations count as they stand.  Nothing is held for
 * anybody, and where jobs are to start is not told.  Source: sched/builtin, _compute_start_times;
 * tests/oracle/sched/recorded/02-fifo-builtin. */
#include "policies/backfill_slurm.h"

#include <string.h>

/* What a job without a limit is taken to need. */
#define YEAR_US INT64_C (31536000000000)

typedef struct {
  const LkSlurmCall *call;
  GArray *steps;    /* of a counted pool; else NULL */
  guint64 *nodes;   /* that the job at hand could have */
  guint64 *planned; /* where it would be */
  guint64 *taken;   /* where the ones before it would be */
  int64_t last_us;  /* when the one before it would end */
} Outlook;

static gboolean
overlap (const guint64 *a, const guint64 *b, uint32_t words)
{
  for (uint32_t word = 0; word < words; word++)
    if ((a[word] & b[word]) != 0)
      return TRUE;
  return FALSE;
}

/* When running jobs have given it room; LK_TIME_NEVER: they cannot. */
static int64_t
first_room_us (const Outlook *self, LkJobIndex job)
{
  const LkSlurmCall *call = self->call;
  const LkView *view = call->view;
  LkWillRun ask = { .size = sizeof ask,
                    .takes_last = call->self->settings.is_old ? 1 : 0,
                    .nodes = self->nodes,
                    .before_us = LK_TIME_NEVER,
                    .from_us = view->now_us };
  if (self->steps != NULL)
    return lk_slurm_pool_earliest_us (self->steps, view->jobs->units[job],
                                      view->jobs->estimate_us[job]);
  const guint64 *usable = call->ops->nodes_usable (call->pass);
  const guint64 *eligible = call->ops->nodes_eligible (call->pass, job);
  const guint64 *required = call->ops->nodes_required (call->pass, job);
  for (uint32_t word = 0; word < call->words; word++)
    self->nodes[word] = usable[word] & eligible[word];
  call->ops->leave_out_reserved (call->pass, job, view->now_us, self->nodes);
  for (uint32_t word = 0; required != NULL && word < call->words; word++)
    if ((required[word] & ~self->nodes[word]) != 0)
      return LK_TIME_NEVER;
  return call->ops->will_run (call->pass, job, &ask, self->planned);
}

static void
look_at (Outlook *self, LkJobIndex job)
{
  const LkSlurmCall *call = self->call;
  int64_t limit_us = call->view->jobs->estimate_us[job];
  int64_t start_us = first_room_us (self, job);
  if (start_us == LK_TIME_NEVER)
    return;
  if (self->steps != NULL || overlap (self->taken, self->planned, call->words))
    start_us = MAX (start_us, self->last_us);
  for (uint32_t word = 0; word < call->words; word++)
    self->taken[word] |= self->planned[word];
  self->last_us = lk_slurm_add_us (start_us, limit_us == LK_TIME_NEVER ? YEAR_US : limit_us);
  lk_slurm_planned_note (call->self, call->view, job, start_us, NULL);
}

void
lk_slurm_builtin_cycle (const LkSlurmCall *call)
{
  Outlook self = { .call = call, .last_us = INT64_MIN };
  LkSlurmQueue queue;
  LkSlurmRecord record;
  int64_t left_count = call->self->settings.bf_max_job_test + 1; /* Slurm counts behind its test */
  for (LkJobIndex job = 0; job < call->self->limit; job++)
    lk_slurm_planned_forget (call->self, job);
  if (call->words == 0)
    self.steps = lk_slurm_pool_new (call);
  self.nodes = g_new0 (guint64, 3 * (gsize)call->words);
  self.planned = self.nodes + call->words;
  self.taken = self.planned + call->words;
  lk_slurm_queue_init (&queue, call);
  while (left_count > 0 && lk_slurm_queue_next (&queue, &record)) {
    if (record.is_later)
      continue; /* of its partitions the first counts */
    look_at (&self, record.job);
    left_count--;
  }
  lk_slurm_queue_clear (&queue);
  g_free (self.nodes);
  g_clear_pointer (&self.steps, g_array_unref);
}
