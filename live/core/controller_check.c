/* live/core/controller_check.c — every invariant of the controller, for tests and storms. */
#include "engine/assert.h"
#include "live/core/controller_private.h"

static void
check_run (const LkController *self, const LkRun *run)
{
  LK_ASSERT (lk_run_find (self, run->run_id) == run);
  LK_ASSERT (run->next == NULL || run->next->run_id > run->run_id);
  LK_ASSERT (run->run_id <= self->run_id_last);
  LK_ASSERT (run->start_seq <= self->seq && run->end_seq <= self->seq);
  LK_ASSERT (run->older_of_job == NULL || run->older_of_job->newer_of_job == run);
  /* An earlier run of the job is over before a later one is there. */
  LK_ASSERT (run->newer_of_job == NULL || run->end_seq != 0);
  LK_ASSERT (run->newer_of_job != NULL || lk_run_of_job (self, run->job_id) == run);
  if (run->restless_at != LK_NOT_RESTLESS)
    LK_ASSERT (g_ptr_array_index (self->restless, run->restless_at) == run);
  lk_run_steps_check (self, run);
  for (guint32 i = 0; i < run->node_count; i++) {
    LK_ASSERT (run->nodes[i].node < self->node_count);
    LK_ASSERT (i < 2 || run->nodes[i].node > run->nodes[i - 1].node);
  }
}

/* The engine and the table agree on which jobs run. */
static void
check_engine (const LkController *self)
{
  LkEngineCounts counts;
  guint32 present_count = 0;
  lk_engine_counts (self->engine, &counts);
  for (const LkRun *run = self->run_first; run != NULL; run = run->next)
    present_count += run->end_seq == 0 ? 1 : 0;
  LK_ASSERT (counts.event_count == self->seq);
  LK_ASSERT (present_count == counts.running_count);
}

static void
check_node (const LkController *self, guint32 index)
{
  const LkControllerNode *node = &self->nodes[index];
  guint32 over_count = node->strays->len;
  for (guint i = 0; i < node->runs->len; i++) {
    const LkRun *run = g_ptr_array_index (node->runs, i);
    const LkRunNode *on = lk_run_node (run, index);
    LK_ASSERT (on != NULL);
    over_count += on->stage != LK_ON_NODE_GONE && (run->end_seq != 0 || on->is_dropped) ? 1 : 0;
  }
  LK_ASSERT (over_count == node->over_count);
}

void
lk_controller_check (const LkController *self)
{
  guint32 ready_count = 0;
  guint32 stray_count = 0;
  lk_engine_check (self->engine);
  for (const LkRun *run = self->run_first; run != NULL; run = run->next)
    check_run (self, run);
  check_engine (self);
  for (guint32 i = 0; i < self->node_count; i++) {
    check_node (self, i);
    ready_count += self->nodes[i].is_ready ? 1 : 0;
    stray_count += self->nodes[i].strays->len;
  }
  LK_ASSERT (ready_count == self->ready_count);
  LK_ASSERT (stray_count == self->stray_count);
  LK_ASSERT (self->durable_seq <= self->seq);
  LK_ASSERT (self->durable_bytes <= self->journal_bytes);
}
