/* live/core/controller_runs.c — the table of runs: what lives where, and what the engine has.
 *
 * Invariants: a run stays in the table until the engine has it no more, that is durable, and
 * nothing of it lives anywhere.  `over_count` of a node is the number of its runs that the engine
 * has no more there and that are not gone there, and of its strays. */
#include "engine/assert.h"
#include "live/core/controller_private.h"

LkRun *
lk_run_new (guint64 run_id, guint32 job_id, guint32 node_count)
{
  LkRun *run = g_new0 (LkRun, 1);
  run->run_id = run_id;
  run->job_id = job_id;
  run->node_count = node_count;
  run->nodes = g_new0 (LkRunNode, node_count);
  run->restless_at = LK_NOT_RESTLESS;
  lk_run_steps_init (run);
  return run;
}

void
lk_run_free (LkRun *run)
{
  if (run->orders != NULL)
    g_array_unref (run->orders);
  if (run->components != NULL)
    g_byte_array_unref (run->components);
  lk_run_steps_clear (run);
  lk_payload_unref (run->payload);
  g_free (run->node_list);
  g_free (run->cores);
  g_free (run->gres);
  g_free (run->facts_bytes);
  g_free (run->nodes);
  g_free (run);
}

LkRun *
lk_run_find (const LkController *self, guint64 run_id)
{
  return g_hash_table_lookup (self->runs, &run_id);
}

LkRun *
lk_run_of_job (const LkController *self, guint32 job_id)
{
  return g_hash_table_lookup (self->of_jobs, GUINT_TO_POINTER (job_id));
}

LkRunNode *
lk_run_node (const LkRun *run, guint32 node)
{
  for (guint32 i = 0; i < run->node_count; i++)
    if (run->nodes[i].node == node)
      return &run->nodes[i];
  return NULL;
}

gboolean
lk_run_is_gone (const LkRun *run)
{
  for (guint32 i = 0; i < run->node_count; i++)
    if (run->nodes[i].stage != LK_ON_NODE_GONE)
      return FALSE;
  return TRUE;
}

void
lk_run_add (LkController *self, LkRun *run)
{
  LK_ASSERT (self->run_last == NULL || self->run_last->run_id < run->run_id);
  g_hash_table_insert (self->runs, &run->run_id, run);
  run->previous = self->run_last;
  if (run->previous != NULL)
    run->previous->next = run;
  else
    self->run_first = run;
  self->run_last = run;
  run->older_of_job = lk_run_of_job (self, run->job_id);
  if (run->older_of_job != NULL)
    run->older_of_job->newer_of_job = run;
  g_hash_table_replace (self->of_jobs, GUINT_TO_POINTER (run->job_id), run);
  for (guint32 i = 0; i < run->node_count; i++)
    g_ptr_array_add (self->nodes[run->nodes[i].node].runs, run);
  lk_run_stir (self, run);
}

static void
leave_job (LkController *self, LkRun *run)
{
  if (run->older_of_job != NULL)
    run->older_of_job->newer_of_job = run->newer_of_job;
  if (run->newer_of_job != NULL)
    run->newer_of_job->older_of_job = run->older_of_job;
  else if (run->older_of_job != NULL)
    g_hash_table_replace (self->of_jobs, GUINT_TO_POINTER (run->job_id), run->older_of_job);
  else
    g_hash_table_remove (self->of_jobs, GUINT_TO_POINTER (run->job_id));
}

void
lk_run_remove (LkController *self, LkRun *run)
{
  LK_ASSERT (run->end_seq != 0 && lk_run_is_gone (run));
  LK_ASSERT (!run->is_stirred && run->restless_at == LK_NOT_RESTLESS);
  g_hash_table_remove (self->runs, &run->run_id);
  if (run->previous != NULL)
    run->previous->next = run->next;
  else
    self->run_first = run->next;
  if (run->next != NULL)
    run->next->previous = run->previous;
  else
    self->run_last = run->previous;
  leave_job (self, run);
  for (guint32 i = 0; i < run->node_count; i++)
    g_ptr_array_remove_fast (self->nodes[run->nodes[i].node].runs, run);
  lk_run_free (run);
}

void
lk_run_stir (LkController *self, LkRun *run)
{
  if (run->is_stirred)
    return;
  run->is_stirred = TRUE;
  g_ptr_array_add (self->stirred, run);
}

/* Has the engine no hold on this part of it any more? */
static gboolean
is_over_on (const LkRun *run, const LkRunNode *on)
{
  return run->end_seq != 0 || on->is_dropped;
}

void
lk_run_set_stage (LkController *self, LkRun *run, LkRunNode *on, LkOnNode stage)
{
  if (on->stage == stage)
    return;
  LK_ASSERT (on->stage != LK_ON_NODE_GONE);
  on->stage = stage;
  if (stage == LK_ON_NODE_GONE) {
    self->nodes[on->node].over_count -= is_over_on (run, on) ? 1 : 0;
    self->has_fence_lifted = TRUE;
  }
  lk_run_stir (self, run);
}

void
lk_run_over (LkController *self, LkRun *run)
{
  LK_ASSERT (run->end_seq != 0);
  for (guint32 i = 0; i < run->node_count; i++)
    if (run->nodes[i].stage != LK_ON_NODE_GONE && !run->nodes[i].is_dropped)
      self->nodes[run->nodes[i].node].over_count++;
  lk_run_stir (self, run);
}

/* How the script has ended, and the first trouble of any node. */
static void
set_how (LkRun *run, const LkRunReport *how)
{
  guint8 trouble = run->how.trouble != 0 ? run->how.trouble : how->trouble;
  run->how = *how;
  run->how.trouble = trouble;
}

void
lk_run_lose_script (LkRun *run)
{
  LkRunReport unknown = { .run_id = run->run_id,
                          .job_id = run->job_id,
                          .signal = LK_SIGNAL_UNKNOWN };
  run->is_broken = TRUE;
  if (run->nodes[0].stage != LK_ON_NODE_GONE)
    set_how (run, &unknown);
}

void
lk_run_drop_node (LkController *self, LkRun *run, LkRunNode *on)
{
  if (is_over_on (run, on))
    return;
  on->is_dropped = TRUE;
  if (on->stage != LK_ON_NODE_GONE)
    self->nodes[on->node].over_count++;
  run->has_lost = FALSE;
  if (lk_run_is_script_on (run, on))
    lk_run_lose_script (run);
  lk_run_stir (self, run);
}

/* An agent may have had orders of a controller of a lower term that are not in this journal: none
 * of ours is taken for one of them. */
static guint64
next_number (const LkController *self, const GArray *orders)
{
  guint64 last = orders->len > 0 ? g_array_index (orders, LkRunOrder, orders->len - 1).number : 0;
  return MAX (last, lk_controller_run_id_base (self->journal_term)) + 1;
}

void
lk_run_order (LkController *self, LkRun *run, const LkRunOrder *order)
{
  if (run->orders == NULL)
    run->orders = g_array_new (FALSE, FALSE, sizeof (LkRunOrder));
  LkRunOrder numbered = *order;
  numbered.number = next_number (self, run->orders);
  g_array_append_val (run->orders, numbered);
  lk_run_stir (self, run);
}

void
lk_run_ended_on (LkController *self, LkRun *run, LkRunNode *on, const LkRunReport *how)
{
  if (on->stage == LK_ON_NODE_GONE)
    return;
  lk_controller_note_usage (self, on->node, how);
  lk_log_run_trouble (self, run, on->node, how->trouble);
  /* Of a node that the engine has taken from it the run is independent; but how its script has
   * ended it may still hear from there.  One without a script ends as the leader's has, or, if
   * that has not ended, as what waits for steps on its first node. */
  if (on == &run->nodes[0] && run->leader_seq == 0 && (!on->is_dropped || lk_run_has_script (run)))
    set_how (run, how);
  if (on->is_dropped) {
    lk_run_set_stage (self, run, on, LK_ON_NODE_GONE);
    return;
  }
  if (run->how.trouble == 0 && run->leader_seq == 0)
    run->how.trouble = how->trouble;
  /* A part that ends by itself takes the others with it. */
  run->is_broken = TRUE;
  lk_run_set_stage (self, run, on, LK_ON_NODE_GONE);
}
