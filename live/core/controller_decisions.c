/* live/core/controller_decisions.c — what decisions mean for runs.
 *
 * The sink of the engine, in normal running and in recovery alike: nothing is sent here, so that a
 * journal that is read again leaves the same runs. */
#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "live/core/controller_query.h"

/* ---------------------------------------------------------------- payloads */

static LkPayload *
payload_of (const LkController *self, guint32 job_id)
{
  LkPayload *payload = g_hash_table_lookup (self->payloads, GUINT_TO_POINTER (job_id));
  return payload != NULL ? lk_payload_ref (payload) : lk_payload_new (self->payload_parts, NULL, 0);
}

/* How long a job that has ended may be requeued. */
static gint64
job_age_us (const LkController *self)
{
  const LkEngineConfig *engine = lk_engine_config (self->engine);
  if (!engine->requeues_ended)
    return 0;
  return engine->cluster != NULL ? engine->cluster->job_age_min_us : LK_JOB_AGE_MIN_US;
}

void
lk_payload_keep_ended (LkController *self, guint32 job_id, gint64 end_us)
{
  LkEndedPayload ended = { job_id, end_us };
  g_queue_push_tail (&self->ended, g_memdup2 (&ended, sizeof (ended)));
}

static void
drop_payload (LkController *self, guint32 job_id)
{
  g_hash_table_remove (self->payloads, GUINT_TO_POINTER (job_id));
  g_hash_table_remove (self->admin_comments, GUINT_TO_POINTER (job_id));
}

void
lk_payloads_expire (LkController *self, gint64 now_us)
{
  gint64 age_us = job_age_us (self);
  const LkEndedPayload *oldest;
  while ((oldest = g_queue_peek_head (&self->ended)) != NULL
         && lk_time_add_us (oldest->end_us, age_us) < now_us) {
    drop_payload (self, oldest->job_id);
    g_free (g_queue_pop_head (&self->ended));
  }
}

static void
forget_payload (LkController *self, guint32 job_id, gint64 end_us)
{
  if (job_age_us (self) == 0)
    drop_payload (self, job_id);
  else if (g_hash_table_contains (self->payloads, GUINT_TO_POINTER (job_id)))
    lk_payload_keep_ended (self, job_id, end_us);
}

/* It has come back to the queue. Young ones do that, so that the search begins with them. */
static void
take_back_payload (LkController *self, guint32 job_id)
{
  for (GList *link = self->ended.tail; link != NULL; link = link->prev)
    if (((LkEndedPayload *)link->data)->job_id == job_id) {
      g_free (link->data);
      g_queue_delete_link (&self->ended, link);
      return;
    }
}

/* ---------------------------------------------------------------- starts */

static char *
long_text (LkLongText text)
{
  return text.length_bytes > 0 ? g_strndup (text.bytes, text.length_bytes) : g_strdup ("");
}

static gint
node_compare (gconstpointer a, gconstpointer b)
{
  const LkRunNode *x = a;
  const LkRunNode *y = b;
  return x->node < y->node ? -1 : x->node > y->node;
}

/* Where the engine has put it; the first node runs the script. */
static GArray *
nodes_of (const LkController *self, guint32 job_id)
{
  GArray *on = g_array_new (FALSE, TRUE, sizeof (LkRunNode));
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  guint32 piece = table != NULL ? lk_engine_job_pieces (self->engine, job_id) : LK_PIECE_NONE;
  for (; piece != LK_PIECE_NONE; piece = lk_piece (table, piece)->next_of_job) {
    LkRunNode node = { .node = lk_piece (table, piece)->node, .stage = LK_ON_NODE_WAITING };
    g_array_append_val (on, node);
  }
  /* A counted pool has one agent for all of it. */
  if (table == NULL)
    g_array_set_size (on, 1);
  g_array_sort (on, node_compare);
  return on;
}

static void
on_start (LkController *self, const LkEvent *cause, const LkDecision_start *start)
{
  LkJobInfo info;
  g_autoptr (GArray) on = nodes_of (self, start->job_id);
  LK_ASSERT (lk_engine_job (self->engine, start->job_id, &info));
  self->work.start_count++;
  self->work.backfill_count += start->backfilled;
  LkRun *run = lk_run_new (++self->run_id_last, start->job_id, on->len);
  memcpy (run->nodes, on->data, on->len * sizeof (LkRunNode));
  run->start_seq = cause->seq;
  run->user_id = info.user_id;
  run->group_id = info.group_id;
  run->array_job_id = info.array_job_id;
  run->array_task = info.array_task;
  run->restarts = info.restarts;
  run->memory_bytes = start->memory_bytes;
  run->node_list = long_text (start->nodes);
  run->cores = long_text (start->cores);
  run->gres = long_text (start->gres);
  run->payload = payload_of (self, start->job_id);
  lk_run_set_facts (self, run);
  lk_run_add (self, run);
  lk_het_started (self, run);
}

/* ---------------------------------------------------------------- ends */

/* The run that the engine has of a job; NULL: it has none. */
static LkRun *
present_run (const LkController *self, guint32 job_id)
{
  LkRun *run = lk_run_of_job (self, job_id);
  return run != NULL && run->end_seq == 0 ? run : NULL;
}

/* What the run is to be told of why its job is killed. */
static guint8
end_why (LkKillWhy why)
{
  switch (why) {
  case LK_KILL_REQUEUED:
    return LK_END_REQUEUED;
  case LK_KILL_NODE_FAILED:
    return LK_END_NODE_FAILURE;
  default:
    return (guint8)why;
  }
}

static void
on_kill (LkController *self, const LkEvent *cause, const LkDecision_kill *kill)
{
  LkRun *run = present_run (self, kill->job_id);
  if (run == NULL || run->kill_seq != 0)
    return;
  run->kill_seq = cause->seq;
  run->kill_why = end_why (kill->why);
  lk_run_stir (self, run);
}

/* Why what is left of a run is to end that the engine has no more; 0: nothing that is told. */
static guint8
why_over (const LkEvent *cause)
{
  if (cause->kind == LK_EVENT_NODE_DOWN)
    return LK_END_NODE_FAILURE;
  return cause->kind == LK_EVENT_REQUEUE ? LK_END_REQUEUED : 0;
}

static void
end_run (LkController *self, const LkEvent *cause, guint32 job_id)
{
  LkRun *run = present_run (self, job_id);
  if (run == NULL)
    return;
  /* That its job has ended is told when it is gone: so it is when the journal is read again.  The
   * end of another job may end it too, and then it lives. */
  gboolean is_gone = cause->kind == LK_EVENT_JOB_ENDED && cause->job_ended.job_id == job_id;
  for (guint32 i = 0; i < run->node_count && is_gone; i++)
    if (!run->nodes[i].is_dropped)
      lk_run_set_stage (self, run, &run->nodes[i], LK_ON_NODE_GONE);
  run->end_seq = cause->seq;
  if (run->kill_why == 0)
    run->kill_why = why_over (cause);
  lk_run_steps_over (self, run);
  lk_run_over (self, run);
  lk_het_ended (self, run, cause);
}

static void
on_notice (LkController *self, const LkEvent *cause, const LkDecision_notice *notice)
{
  if (!lk_job_state_is_end (notice->state))
    return;
  self->work.end_count++;
  if (notice->state == LK_JOB_COMPLETED)
    self->work.completed_count++;
  else if (notice->state == LK_JOB_CANCELLED)
    self->work.cancelled_count++;
  else
    self->work.failed_count++;
  lk_query_job_ended (self, cause, notice);
  end_run (self, cause, notice->job_id);
  /* What runs has its own hold on it; a job that goes back to the queue keeps it. */
  if (self->requeued_seq != cause->seq || self->requeued_job != notice->job_id)
    forget_payload (self, notice->job_id, cause->time_us);
}

static void
on_requeue (LkController *self, const LkEvent *cause, guint32 job_id)
{
  self->requeued_seq = cause->seq;
  self->requeued_job = job_id;
  lk_done_take_back (self, job_id);
  if (present_run (self, job_id) == NULL)
    take_back_payload (self, job_id);
  end_run (self, cause, job_id);
}

/* ---------------------------------------------------------------- the rest */

static void
on_task (LkController *self, const LkDecision_task *task)
{
  if (task->job_id != task->array_job_id)
    g_hash_table_replace (self->payloads, GUINT_TO_POINTER (task->job_id),
                          payload_of (self, task->array_job_id));
}

static void
order (LkController *self, guint32 job_id, const LkRunOrder *what)
{
  LkRun *run = present_run (self, job_id);
  if (run != NULL)
    lk_run_order (self, run, what);
}

static void
answer (LkController *self, const LkDecision *decision)
{
  if (self->answering == NULL)
    return;
  if (decision->kind == LK_DECISION_ACCEPT && self->answering->job_id == 0)
    self->answering->job_id = decision->accept.job_id;
  else if (decision->kind == LK_DECISION_REJECT && self->answering->error == 0) {
    self->answering->error = decision->reject.error;
    if (decision->reject.error == LK_REJECT_POLICY_LIMIT)
      self->answering->limit = (guint8)lk_engine_refused_limit (self->engine);
  }
}

void
lk_controller_decide (void *user, const LkEvent *cause, const LkDecision *decision)
{
  LkController *self = user;
  switch (decision->kind) {
  case LK_DECISION_ACCEPT:
  case LK_DECISION_REJECT:
    answer (self, decision);
    break;
  case LK_DECISION_START:
    on_start (self, cause, &decision->start);
    break;
  case LK_DECISION_KILL:
    on_kill (self, cause, &decision->kill);
    break;
  case LK_DECISION_REQUEUE_JOB:
    on_requeue (self, cause, decision->requeue_job.job_id);
    break;
  case LK_DECISION_NOTICE:
    on_notice (self, cause, &decision->notice);
    break;
  case LK_DECISION_TASK:
    on_task (self, &decision->task);
    break;
  case LK_DECISION_SIGNAL_JOB:
    order (self, decision->signal_job.job_id,
           &(LkRunOrder){ .seq = cause->seq,
                          .signal = decision->signal_job.signal,
                          .batch_only = decision->signal_job.batch_only });
    break;
  case LK_DECISION_SUSPEND_JOB:
    order (self, decision->suspend_job.job_id, &(LkRunOrder){ .seq = cause->seq, .suspended = 1 });
    break;
  case LK_DECISION_RESUME_JOB:
    order (self, decision->resume_job.job_id, &(LkRunOrder){ .seq = cause->seq });
    break;
  default:
    break;
  }
  lk_log_decision (self, cause, decision);
}
