/* policies/backfill_slurm_planned.c — when and where the last cycle means to start jobs.
 *
 * It is told to users (squeue --start) and changes no decision.  In bytes, by rising id: id, start,
 * and the nodes, as their count and their numbers. */
#include "policies/backfill_slurm.h"

#define WORD_BITS 64u

static uint32_t
words_of (const LkView *view)
{
  return view->cluster != NULL ? (view->cluster->node_count + WORD_BITS - 1) / WORD_BITS : 0;
}

static gboolean
is_planned (const LkSlurm *self, const LkView *view, LkJobIndex job)
{
  if (job >= self->limit || self->planned_us[job] == LK_TIME_NEVER)
    return FALSE;
  return self->planned_hets[job] == 0 ? view->jobs->phase[job] == LK_PHASE_QUEUED
                                      : view->jobs->phase[job] == LK_PHASE_HELD
                                            && self->planned_hets[job] == view->jobs->id[job];
}

void
lk_slurm_planned_ready (LkSlurm *self, const LkView *view)
{
  if (self->limit >= view->job_index_limit)
    return;
  uint32_t limit = MAX (view->job_index_limit, 2 * self->limit);
  self->planned_us = g_renew (int64_t, self->planned_us, limit);
  self->planned_nodes = g_renew (uint64_t *, self->planned_nodes, limit);
  self->planned_hets = g_renew (uint32_t, self->planned_hets, limit);
  for (uint32_t job = self->limit; job < limit; job++) {
    self->planned_us[job] = LK_TIME_NEVER;
    self->planned_nodes[job] = NULL;
    self->planned_hets[job] = 0;
  }
  self->limit = limit;
}

void
lk_slurm_planned_clear (LkSlurm *self)
{
  for (uint32_t job = 0; job < self->limit; job++)
    g_free (self->planned_nodes[job]);
  g_free (self->planned_us);
  g_free (self->planned_nodes);
  g_free (self->planned_hets);
}

void
lk_slurm_planned_forget (LkSlurm *self, LkJobIndex job)
{
  self->planned_us[job] = LK_TIME_NEVER;
  self->planned_hets[job] = 0;
  g_clear_pointer (&self->planned_nodes[job], g_free);
}

void
lk_slurm_planned_note (LkSlurm *self, const LkView *view, LkJobIndex job, int64_t start_us,
                       const uint64_t *nodes)
{
  lk_slurm_planned_forget (self, job);
  self->planned_us[job] = start_us;
  if (nodes != NULL)
    self->planned_nodes[job] = g_memdup2 (nodes, words_of (view) * sizeof *nodes);
}

void
lk_slurm_planned_note_het (LkSlurm *self, const LkView *view, LkJobIndex job, int64_t start_us,
                           const uint64_t *nodes)
{
  lk_slurm_planned_note (self, view, job, start_us, nodes);
  self->planned_hets[job] = view->jobs->id[job];
}

int64_t
lk_slurm_planned_start_us (void *user, const LkView *view, LkJobIndex job)
{
  const LkSlurm *self = user;
  (void)view;
  return job < self->limit ? self->planned_us[job] : LK_TIME_NEVER;
}

void
lk_slurm_planned_nodes (void *user, const LkView *view, LkJobIndex job, uint64_t *nodes)
{
  const LkSlurm *self = user;
  const uint64_t *planned = is_planned (self, view, job) ? self->planned_nodes[job] : NULL;
  for (uint32_t word = 0; planned != NULL && word < words_of (view); word++)
    nodes[word] |= planned[word];
}

/* ---------------------------------------------------------------- bytes */

static gint
compare_ids (gconstpointer a, gconstpointer b, gpointer user)
{
  const uint32_t *id = user;
  uint32_t id_a = id[*(const LkJobIndex *)a];
  uint32_t id_b = id[*(const LkJobIndex *)b];
  return (id_a > id_b) - (id_a < id_b);
}

static void
save_nodes (const LkSlurm *self, const LkView *view, LkJobIndex job, const LkStateSink *out)
{
  const uint64_t *nodes = self->planned_nodes[job];
  uint32_t word_count = nodes != NULL ? words_of (view) : 0;
  lk_state_put_u32 (out, nodes != NULL ? lk_slurm_bits_count (nodes, word_count) : 0);
  for (uint32_t node = 0; node < word_count * WORD_BITS; node++)
    if ((nodes[node / WORD_BITS] >> (node % WORD_BITS) & 1) != 0)
      lk_state_put_u32 (out, node);
}

void
lk_slurm_planned_save (const LkSlurm *self, const LkView *view, const LkStateSink *out)
{
  g_autoptr (GArray) jobs = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  for (LkJobIndex job = 0; job < view->job_index_limit; job++)
    if (is_planned (self, view, job))
      g_array_append_val (jobs, job);
  g_array_sort_with_data (jobs, compare_ids, (gpointer)view->jobs->id);
  lk_state_put_u32 (out, jobs->len);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    lk_state_put_u32 (out, view->jobs->id[job]);
    lk_state_put_i64 (out, self->planned_us[job]);
    save_nodes (self, view, job, out);
  }
}

static gboolean
load_nodes (LkSlurm *self, const LkView *view, LkJobIndex job, LkStateSource *source)
{
  uint32_t count = lk_state_take_u32 (source);
  uint32_t limit = view->cluster != NULL ? view->cluster->node_count : 0;
  int64_t last = -1;
  if (count > limit)
    return FALSE;
  if (count > 0)
    self->planned_nodes[job] = g_new0 (uint64_t, words_of (view));
  for (uint32_t i = 0; i < count && !source->is_broken; i++) {
    uint32_t node = lk_state_take_u32 (source);
    if (node >= limit || node <= last)
      return FALSE;
    self->planned_nodes[job][node / WORD_BITS] |= UINT64_C (1) << (node % WORD_BITS);
    last = node;
  }
  return !source->is_broken;
}

gboolean
lk_slurm_planned_load (LkSlurm *self, const LkView *view, LkStateSource *source)
{
  uint32_t count = lk_state_take_u32 (source);
  uint32_t id_before = 0;
  for (uint32_t i = 0; i < count && !source->is_broken; i++) {
    uint32_t id = lk_state_take_u32 (source);
    int64_t planned_us = (int64_t)lk_state_take (source, 8);
    LkJobIndex job = view->host->job_by_id (view, id);
    if (source->is_broken || id <= id_before || job == LK_JOB_NONE || planned_us == LK_TIME_NEVER)
      return FALSE;
    self->planned_us[job] = planned_us;
    self->planned_hets[job] = view->jobs->phase[job] == LK_PHASE_HELD ? id : 0;
    if (!is_planned (self, view, job) || !load_nodes (self, view, job, source))
      return FALSE;
    id_before = id;
  }
  return TRUE;
}
