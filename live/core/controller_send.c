/* live/core/controller_send.c — what is sent for runs, and when the engine hears of their end.
 *
 * A run's messages follow from its stages on its nodes and from what the engine wants of it, as
 * far as that is durable.  What is not acknowledged is sent again at each retry. */
#include "engine/assert.h"
#include "engine/checked.h"
#include "live/core/controller_private.h"

/* ---------------------------------------------------------------- messages */

#define FACT_OF_RUN(type, name, help) .name = run->facts.name,

static void
address_append (LkController *self, const char *node, GString *out_address, GString *out_pattern)
{
  if (self->addresses == NULL)
    self->addresses = lk_node_addresses_new (lk_engine_config (self->engine)->cluster);
  if (self->addresses != NULL)
    lk_node_address (self->addresses, node, out_address, out_pattern);
}

/* FALSE: it is longer than a message may be. */
static gboolean
send_launch (LkController *self, const LkRun *run, const LkRunNode *on)
{
  const LkControllerNode *node = &self->nodes[on->node];
  const LkCluster *cluster = lk_engine_config (self->engine)->cluster;
  LkMessage message = { .kind = LK_MESSAGE_LAUNCH };
  g_autoptr (GString) address = g_string_new (NULL);
  g_autoptr (GString) pattern = g_string_new (NULL);
  address_append (self, node->name, address, pattern);
  message.launch = (LkMessage_launch){
    .term = self->term,
    .epoch = node->epoch,
    .run_id = run->run_id,
    .job_id = run->job_id,
    .user_id = run->user_id,
    .group_id = run->group_id,
    .array_job_id = run->array_job_id,
    .array_task = run->array_task,
    .restarts = run->restarts,
    .runs_script = lk_run_is_script_on (run, on) ? 1 : 0,
    .memory_bytes = run->memory_bytes,
    .nodes = { run->node_list, (guint32)strlen (run->node_list) },
    .cores = { run->cores, (guint32)strlen (run->cores) },
    .gres = { run->gres, (guint32)strlen (run->gres) },
    .cluster = lk_text (cluster != NULL ? cluster->name : ""),
    .address = lk_text (address->str),
    .address_pattern = lk_text (pattern->str),
    LK_RUN_FACTS_FIELDS (FACT_OF_RUN).payload = lk_payload_bytes (run->payload),
  };
  if (run->components != NULL && message.launch.runs_script != 0)
    message.launch.components = (LkComponents){ run->components->data, run->components->len };
  return lk_controller_send (self, node->peer, &message);
}

static void
send_terminate (LkController *self, guint32 node, guint64 run_id, guint8 why)
{
  LkMessage message = { .kind = LK_MESSAGE_TERMINATE };
  message.terminate = (LkMessage_terminate){
    .term = self->term, .run_id = run_id, .kill_wait_us = self->config.kill_wait_us, .why = why
  };
  lk_controller_send (self, self->nodes[node].peer, &message);
}

void
lk_controller_send_forget (LkController *self, guint32 node, guint64 run_id)
{
  LkMessage message = { .kind = LK_MESSAGE_RUN_FORGET };
  message.run_forget = (LkMessage_run_forget){ .term = self->term, .run_id = run_id };
  lk_controller_send (self, self->nodes[node].peer, &message);
}

static void
send_order (LkController *self, const LkRun *run, const LkRunNode *on, const LkRunOrder *order)
{
  LkMessage message = { .kind = LK_MESSAGE_RUN_SIGNAL };
  if (order->signal != 0) {
    message.run_signal = (LkMessage_run_signal){ .term = self->term,
                                                 .epoch = self->nodes[on->node].epoch,
                                                 .run_id = run->run_id,
                                                 .seq = order->number,
                                                 .signal = order->signal,
                                                 .batch_only = order->batch_only };
  } else {
    message.kind = LK_MESSAGE_RUN_SUSPEND;
    message.run_suspend = (LkMessage_run_suspend){ .term = self->term,
                                                   .epoch = self->nodes[on->node].epoch,
                                                   .run_id = run->run_id,
                                                   .seq = order->number,
                                                   .suspended = order->suspended };
  }
  lk_controller_send (self, self->nodes[on->node].peer, &message);
}

/* ---------------------------------------------------------------- when */

/* Is it time to say it, for the first time or again? */
static gboolean
is_due (const LkController *self, LkRunNode *on, LkMessageKind asked)
{
  if (on->asked == asked && self->clock_us < lk_time_add_us (on->asked_us, self->config.retry_us))
    return FALSE;
  on->asked = asked;
  on->asked_us = self->clock_us;
  return TRUE;
}

static gboolean
is_fenced (const LkController *self, const LkRun *run, const LkRunNode *on)
{
  if (!self->nodes[on->node].is_ready || self->nodes[on->node].over_count > 0)
    return TRUE;
  for (const LkRun *older = run->older_of_job; older != NULL; older = older->older_of_job)
    if (!lk_run_is_gone (older))
      return TRUE;
  return FALSE;
}

static gboolean
wants_end (const LkController *self, const LkRun *run, const LkRunNode *on)
{
  guint64 settled = lk_controller_settled_seq (self);
  return run->is_broken || on->is_dropped || (run->kill_seq != 0 && run->kill_seq <= settled)
         || (run->leader_seq != 0 && run->leader_seq <= settled)
         || (run->end_seq != 0 && run->end_seq <= settled);
}

static void
act_to_end (LkController *self, LkRun *run, LkRunNode *on)
{
  if (on->stage == LK_ON_NODE_WAITING) {
    LkRunReport never = { .run_id = run->run_id,
                          .job_id = run->job_id,
                          .signal = LK_SIGNAL_UNKNOWN };
    lk_run_ended_on (self, run, on, &never);
    return;
  }
  if (self->nodes[on->node].has_peer && is_due (self, on, LK_MESSAGE_TERMINATE))
    send_terminate (self, on->node, run->run_id, run->kill_why);
}

static void
act_to_order (LkController *self, LkRun *run, LkRunNode *on)
{
  if (run->orders == NULL || on->heard == run->orders->len)
    return;
  if (on->ordered > on->heard && !is_due (self, on, LK_MESSAGE_RUN_SIGNAL))
    return;
  if (!self->nodes[on->node].is_ready)
    return;
  /* One after the other, each behind the acknowledgement of the one before. */
  const LkRunOrder *order = &g_array_index (run->orders, LkRunOrder, on->heard);
  if (order->seq > lk_controller_settled_seq (self))
    return;
  on->asked = LK_MESSAGE_RUN_SIGNAL;
  on->asked_us = self->clock_us;
  on->ordered = on->heard + 1;
  send_order (self, run, on, order);
}

/* Its agent has reported that it does not have the run, and will never get it. */
static void
give_up_launch (LkController *self, LkRun *run, LkRunNode *on)
{
  LkRunReport how = { .run_id = run->run_id,
                      .job_id = run->job_id,
                      .signal = LK_SIGNAL_UNKNOWN,
                      .trouble = LK_TROUBLE_LAUNCH_TOO_LONG };
  lk_run_ended_on (self, run, on, &how);
}

gboolean
lk_controller_skip_launch (LkController *self, guint32 job_id)
{
  LkRun *run = lk_run_of_job (self, job_id);
  if (run == NULL || run->end_seq != 0)
    return FALSE;
  run->is_broken = TRUE;
  run->how = (LkRunReport){ .run_id = run->run_id,
                            .job_id = job_id,
                            .signal = LK_SIGNAL_UNKNOWN,
                            .trouble = LK_TROUBLE_LAUNCH_SKIPPED };
  lk_run_stir (self, run);
  return TRUE;
}

static void
act_on (LkController *self, LkRun *run, LkRunNode *on)
{
  if (on->stage == LK_ON_NODE_GONE)
    return;
  if (wants_end (self, run, on)) {
    act_to_end (self, run, on);
    return;
  }
  if (run->start_seq > lk_controller_settled_seq (self) || run->end_seq != 0)
    return;
  if (on->stage == LK_ON_NODE_WAITING) {
    if (is_fenced (self, run, on))
      return;
    lk_run_set_stage (self, run, on, LK_ON_NODE_LAUNCHED);
    on->asked = (LkMessageKind)0;
  }
  if (on->stage == LK_ON_NODE_LAUNCHED) {
    if (self->nodes[on->node].is_ready && is_due (self, on, LK_MESSAGE_LAUNCH)
        && !send_launch (self, run, on))
      give_up_launch (self, run, on);
  } else {
    act_to_order (self, run, on);
  }
}

/* ---------------------------------------------------------------- ends */

static gboolean
is_gone_for_engine (const LkRun *run)
{
  for (guint32 i = 0; i < run->node_count; i++)
    if (run->nodes[i].stage != LK_ON_NODE_GONE && !run->nodes[i].is_dropped)
      return FALSE;
  return TRUE;
}

/* An allocation that its owner had completed when something wanted its end has ended as he said. */
static guint8
trouble_of (const LkRun *run)
{
  gboolean was_complete =
      lk_run_has_script (run) && run->leader_seq != 0 && run->kill_seq >= run->leader_seq;
  return was_complete && run->how.trouble == LK_TROUBLE_NONE ? LK_TROUBLE_COMPLETE_BEFORE
                                                             : run->how.trouble;
}

static void
ask_end (LkController *self, LkRun *run)
{
  LkEvent event = { .kind = LK_EVENT_JOB_ENDED };
  event.job_ended.job_id = run->job_id;
  event.job_ended.exit_code = run->how.exit_code;
  event.job_ended.signal = run->how.signal;
  event.job_ended.cancelled = run->how.cancelled;
  event.job_ended.trouble = trouble_of (run);
  run->is_end_asked = TRUE;
  lk_controller_post (self, &event);
}

/* The end is durable: agents need not tell it any more. TRUE: so is everything of the run. */
static gboolean
let_forget (LkController *self, LkRun *run)
{
  if (run->end_seq == 0 || run->end_seq > lk_controller_settled_seq (self))
    return FALSE;
  for (guint32 i = 0; i < run->node_count; i++) {
    LkRunNode *on = &run->nodes[i];
    if (on->stage == LK_ON_NODE_GONE && on->may_forget) {
      on->may_forget = FALSE;
      lk_controller_send_forget (self, on->node, run->run_id);
    }
  }
  return lk_run_is_gone (run);
}

/* Is there something that time, and nothing else, may bring? */
static gboolean
is_restless (const LkRun *run)
{
  guint count = run->orders != NULL ? run->orders->len : 0;
  for (guint32 i = 0; i < run->node_count; i++) {
    const LkRunNode *on = &run->nodes[i];
    if (on->stage == LK_ON_NODE_WAITING || on->stage == LK_ON_NODE_LAUNCHED)
      return TRUE;
    if (on->stage == LK_ON_NODE_LIVES
        && (on->heard < count || run->is_broken || !lk_run_is_wanted (run, on)))
      return TRUE;
  }
  return run->end_seq != 0 || lk_run_steps_are_restless (run);
}

static void
set_restless (LkController *self, LkRun *run, gboolean restless)
{
  if (restless == (run->restless_at != LK_NOT_RESTLESS))
    return;
  if (restless) {
    run->restless_at = self->restless->len;
    g_ptr_array_add (self->restless, run);
    return;
  }
  LkRun *moved = g_ptr_array_index (self->restless, self->restless->len - 1);
  self->restless->pdata[run->restless_at] = moved;
  moved->restless_at = run->restless_at;
  run->restless_at = LK_NOT_RESTLESS;
  g_ptr_array_set_size (self->restless, (gint)self->restless->len - 1);
}

static void
act (LkController *self, LkRun *run)
{
  run->is_stirred = FALSE;
  for (guint32 i = 0; i < run->node_count; i++)
    act_on (self, run, &run->nodes[i]);
  lk_run_steps_act (self, run);
  if (run->end_seq == 0 && !run->is_end_asked && !run->has_lost && is_gone_for_engine (run))
    ask_end (self, run);
  /* What was done may have stirred it: then it is looked at once more. */
  gboolean is_done = let_forget (self, run) && !run->is_stirred;
  set_restless (self, run, !is_done && is_restless (run));
  if (is_done)
    lk_run_remove (self, run);
}

void
lk_runs_stir (LkController *self)
{
  for (guint i = 0; i < self->restless->len; i++)
    lk_run_stir (self, g_ptr_array_index (self->restless, i));
}

/* Acting on one may stir others, and that one again. */
void
lk_runs_act (LkController *self)
{
  while (self->stirred->len > 0 || self->has_fence_lifted) {
    if (self->has_fence_lifted)
      lk_runs_stir (self);
    self->has_fence_lifted = FALSE;
    GPtrArray *stirred = self->stirred;
    self->stirred = g_ptr_array_new ();
    for (guint i = 0; i < stirred->len; i++)
      act (self, g_ptr_array_index (stirred, i));
    g_ptr_array_unref (stirred);
  }
}

void
lk_runs_retry (LkController *self)
{
  for (guint32 i = 0; i < self->node_count && self->stray_count > 0; i++)
    for (guint j = 0; j < self->nodes[i].strays->len; j++)
      send_terminate (self, i, g_array_index (self->nodes[i].strays, guint64, j), 0);
  lk_runs_stir (self);
  lk_runs_act (self);
}
