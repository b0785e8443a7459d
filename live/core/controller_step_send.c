/* live/core/controller_step_send.c — what is sent for steps, and what agents say of them.
 *
 * As with runs, messages follow from the stages of a step on its nodes, as far as they are durable;
 * what is not acknowledged is sent again at each retry.  A step lives only where its run does. */
#include "engine/assert.h"
#include "engine/checked.h"
#include "live/core/controller_private.h"

/* ---------------------------------------------------------------- messages */

static gboolean
is_due (const LkController *self, LkJobStepOn *on, LkMessageKind asked)
{
  if (on->asked == asked && self->clock_us < lk_time_add_us (on->asked_us, self->config.retry_us))
    return FALSE;
  on->asked = asked;
  on->asked_us = self->clock_us;
  return TRUE;
}

/* FALSE: it is longer than a message may be. */
static gboolean
send_launch (LkController *self, const LkRun *run, const LkJobStep *step, guint32 place)
{
  const LkControllerNode *node = &self->nodes[step->places[place].node];
  const LkMessage_kept_step *kept = &step->kept;
  LkMessage message = { .kind = LK_MESSAGE_STEP_LAUNCH };
  message.step_launch =
      (LkMessage_step_launch){ .term = self->term,
                               .epoch = node->epoch,
                               .run_id = run->run_id,
                               .job_id = run->job_id,
                               .step_id = step->step_id,
                               .name = kept->name,
                               .place = place,
                               .tasks = kept->task_count,
                               .cpus_per_task = kept->cpus_per_task,
                               .tasks_per_node = kept->tasks_per_node,
                               .distribution = kept->distribution,
                               .flags = kept->flags,
                               .places = kept->places,
                               .kill_wait_us = self->config.kill_wait_us,
                               .payload = { step->payload->data, step->payload->len } };
  return lk_controller_send (self, node->peer, &message);
}

/* Who has asked for its end is told no reason. */
static guint8
why_of (const LkJobStep *step)
{
  if (step->end_order.number != 0)
    return 0;
  if (step->is_overdue)
    return LK_END_TIME_LIMIT;
  return step->has_lost_node ? LK_END_NODE_FAILURE : 0;
}

/* `order` NULL: it is to end. */
static void
send_kill (LkController *self, const LkRun *run, const LkJobStep *step, const LkJobStepOn *on,
           const LkJobStepOrder *order)
{
  const LkControllerNode *node = &self->nodes[on->node];
  LkMessage message = { .kind = LK_MESSAGE_STEP_KILL };
  message.step_kill =
      (LkMessage_step_kill){ .term = self->term,
                             .epoch = node->epoch,
                             .run_id = run->run_id,
                             .step_id = step->step_id,
                             .seq = order != NULL ? order->number : 0,
                             .signal = order != NULL ? order->signal : 0,
                             .kill_wait_us = step->is_killed ? 0 : self->config.kill_wait_us,
                             .why = order == NULL ? why_of (step) : 0 };
  lk_controller_send (self, node->peer, &message);
}

static void
send_forget (LkController *self, guint32 node, guint64 run_id, guint32 step_id)
{
  LkMessage message = { .kind = LK_MESSAGE_STEP_FORGET };
  message.step_forget =
      (LkMessage_step_forget){ .term = self->term, .run_id = run_id, .step_id = step_id };
  lk_controller_send (self, self->nodes[node].peer, &message);
}

#define FIELD_OF_LISTENER(type, name, help) .name = listener->name,

void
lk_step_listen (LkController *self, const LkRun *run, const LkJobStep *step,
                const LkStepListener *listener)
{
  for (guint32 i = 0; i < step->place_count; i++) {
    const LkJobStepOn *on = &step->places[i];
    LkMessage message = { .kind = LK_MESSAGE_STEP_LISTEN };
    if (on->stage != LK_ON_NODE_LIVES || !self->nodes[on->node].is_ready)
      continue;
    message.step_listen = (LkMessage_step_listen){ .term = self->term,
                                                   .epoch = self->nodes[on->node].epoch,
                                                   .run_id = run->run_id,
                                                   .step_id = step->step_id,
                                                   LK_STEP_LISTENER_FIELDS (FIELD_OF_LISTENER) };
    lk_controller_send (self, self->nodes[on->node].peer, &message);
  }
}

gboolean
lk_run_notify (LkController *self, const LkRun *run, const LkRunNode *on, guint32 step_id,
               LkText words)
{
  const LkControllerNode *node = &self->nodes[on->node];
  LkMessage message = { .kind = LK_MESSAGE_RUN_NOTIFY };
  if (on->stage != LK_ON_NODE_LIVES || !node->is_ready)
    return FALSE;
  message.run_notify =
      (LkMessage_run_notify){ self->term, node->epoch, run->run_id, step_id, words };
  lk_controller_send (self, node->peer, &message);
  return TRUE;
}

gboolean
lk_step_notify (LkController *self, LkRun *run, const LkJobStep *step, LkText words)
{
  const LkJobStepOn *on = step->place_count > 0 ? &step->places[0] : NULL;
  const LkRunNode *at = on != NULL && on->node != LK_INDEX_NONE && on->stage == LK_ON_NODE_LIVES
                            ? lk_run_node (run, on->node)
                            : NULL;
  return at != NULL && lk_run_notify (self, run, at, step->step_id, words);
}

/* ---------------------------------------------------------------- when */

/* Does somebody want the end of all that the run has there? */
static gboolean
is_run_ending (const LkController *self, const LkRun *run)
{
  guint64 settled = lk_controller_settled_seq (self);
  return run->is_broken || (run->kill_seq != 0 && run->kill_seq <= settled)
         || (run->leader_seq != 0 && run->leader_seq <= settled);
}

static void
act_to_live (LkController *self, LkRun *run, LkJobStep *step, LkJobStepOn *on)
{
  if (on->stage == LK_ON_NODE_LAUNCHED) {
    static const LkStepReport too_long = { .trouble = LK_TROUBLE_LAUNCH_TOO_LONG };
    if (is_due (self, on, LK_MESSAGE_STEP_LAUNCH)
        && !send_launch (self, run, step, (guint32)(on - step->places)))
      lk_step_ended_on (self, run, step, on, &too_long);
    return;
  }
  /* One after the other, each behind the acknowledgement of the one before. */
  const LkJobStepOrder *order = lk_step_order_next (self, step, on);
  if (order != NULL && is_due (self, on, LK_MESSAGE_STEP_SIGNAL))
    send_kill (self, run, step, on, order);
}

static void
act_on (LkController *self, LkRun *run, LkJobStep *step, LkJobStepOn *on)
{
  const LkRunNode *at = on->node != LK_INDEX_NONE ? lk_run_node (run, on->node) : NULL;
  if (on->stage == LK_ON_NODE_GONE)
    return;
  gboolean is_over = at == NULL || at->stage == LK_ON_NODE_GONE || at->is_dropped;
  gboolean is_waiting = on->stage == LK_ON_NODE_WAITING;
  if (is_over || (is_waiting && (step->is_ending || is_run_ending (self, run)))) {
    step->is_ending = step->is_ending || (step->kept.flags & LK_STEP_FLAG_NO_KILL) == 0;
    step->has_lost_node = step->has_lost_node || at == NULL || at->is_dropped;
    lk_step_lost_on (self, run, step, on);
    return;
  }
  if (!self->nodes[on->node].is_ready || at->stage != LK_ON_NODE_LIVES)
    return;
  if (is_waiting && step->create_seq <= lk_controller_settled_seq (self)) {
    on->stage = LK_ON_NODE_LAUNCHED;
    on->asked = (LkMessageKind)0;
  }
  if (on->stage == LK_ON_NODE_WAITING)
    return;
  if (!step->is_ending)
    act_to_live (self, run, step, on);
  else if (lk_step_may_end (self, step) && is_due (self, on, LK_MESSAGE_STEP_KILL))
    send_kill (self, run, step, on, NULL);
}

static void
let_forget (LkController *self, const LkRun *run, LkJobStep *step)
{
  if (step->end_seq == 0 || step->end_seq > lk_controller_settled_seq (self))
    return;
  step->is_finished = TRUE;
  for (guint32 i = 0; i < step->place_count; i++) {
    LkJobStepOn *on = &step->places[i];
    if (on->may_forget)
      send_forget (self, on->node, run->run_id, step->step_id);
    on->may_forget = FALSE;
  }
}

/* Its time limit is looked at now and then, as Slurm does. */
static gboolean
is_overdue (const LkController *self, const LkJobStep *step)
{
  const LkMessage_kept_step *kept = &step->kept;
  return kept->limit_us > 0 && step->limit_seq <= lk_controller_settled_seq (self)
         && lk_time_add_us (kept->start_us, kept->limit_us) <= self->engine_us;
}

void
lk_run_steps_act (LkController *self, LkRun *run)
{
  for (guint i = 0; i < run->steps->len; i++) {
    LkJobStep *step = g_ptr_array_index (run->steps, i);
    if (step->end_seq == 0 && !step->is_ending && is_overdue (self, step))
      step->is_ending = step->is_overdue = TRUE;
    for (guint32 j = 0; j < step->place_count && step->end_seq == 0; j++)
      act_on (self, run, step, &step->places[j]);
    let_forget (self, run, step);
  }
}

static gboolean
is_restless (const LkJobStep *step)
{
  if (step->end_seq != 0)
    return !step->is_finished;
  for (guint32 i = 0; i < step->place_count; i++) {
    const LkJobStepOn *on = &step->places[i];
    if (on->stage != LK_ON_NODE_GONE
        && (on->stage != LK_ON_NODE_LIVES || on->heard < step->orders->len))
      return TRUE;
  }
  return step->is_ending || step->kept.limit_us > 0;
}

gboolean
lk_run_steps_are_restless (const LkRun *run)
{
  for (guint i = 0; i < run->steps->len; i++)
    if (is_restless (g_ptr_array_index (run->steps, i)))
      return TRUE;
  return FALSE;
}

/* ---------------------------------------------------------------- from agents */

/* NULL: there is no such thing in the table. */
static LkJobStepOn *
find (const LkController *self, guint32 index, guint64 run_id, guint32 step_id, LkRun **out_run,
      LkJobStep **out_step)
{
  *out_run = lk_run_find (self, run_id);
  *out_step = *out_run != NULL ? lk_run_step (*out_run, step_id) : NULL;
  return *out_step != NULL ? lk_step_on (*out_step, index) : NULL;
}

/* All nodes have what its tasks need. */
static void
drop_payload (LkJobStep *step)
{
  for (guint32 i = 0; i < step->place_count; i++)
    if (step->places[i].stage < LK_ON_NODE_LIVES)
      return;
  g_clear_pointer (&step->payload, g_byte_array_unref);
}

static void
step_lives (LkController *self, LkRun *run, LkJobStep *step, LkJobStepOn *on)
{
  on->stage = LK_ON_NODE_LIVES;
  drop_payload (step);
  lk_run_stir (self, run);
}

static void
on_started (LkController *self, guint32 index, const LkMessage_step_started *message)
{
  LkRun *run;
  LkJobStep *step;
  LkJobStepOn *on = find (self, index, message->run_id, message->step_id, &run, &step);
  if (on != NULL && on->stage == LK_ON_NODE_LAUNCHED)
    step_lives (self, run, step, on);
}

/* What is in no table has ended, at the latest by the last event before we began; as with runs. Of
 * a run that is in no table the agent hears when it may forget the run. */
static void
forget_unknown (LkController *self, guint32 index, const LkRun *run, guint64 run_id,
                guint32 step_id)
{
  if (run != NULL && self->begun_seq <= lk_controller_settled_seq (self))
    send_forget (self, index, run_id, step_id);
}

static void
take_end (LkController *self, guint32 index, const LkStepReport *how)
{
  LkRun *run;
  LkJobStep *step;
  LkJobStepOn *on = find (self, index, how->run_id, how->step_id, &run, &step);
  if (on == NULL) {
    forget_unknown (self, index, run, how->run_id, how->step_id);
    return;
  }
  on->is_reported = TRUE;
  on->may_forget = TRUE;
  if (on->stage != LK_ON_NODE_GONE) {
    lk_step_ended_on (self, run, step, on, how);
    drop_payload (step);
  }
  lk_run_stir (self, run);
}

#define FIELD_OF_MESSAGE(type, name, help) .name = message->name,

static void
on_ended (LkController *self, guint32 index, const LkMessage_step_ended *message)
{
  LkStepReport how = { LK_STEP_REPORT_FIELDS (FIELD_OF_MESSAGE) };
  if (how.state == LK_STEP_ENDED)
    take_end (self, index, &how);
}

static void
on_heard (LkController *self, guint32 index, const LkMessage_step_heard *message)
{
  LkRun *run;
  LkJobStep *step;
  LkJobStepOn *on = find (self, index, message->run_id, message->step_id, &run, &step);
  if (on == NULL)
    return;
  lk_step_order_heard (self, step, on, message->seq);
  lk_run_stir (self, run);
}

#define USAGE_OF_MESSAGE(type, name, help) on->how.name = message->name;

static void
on_usage (LkController *self, guint32 index, const LkMessage_step_usage *message)
{
  LkRun *run;
  LkJobStep *step;
  LkJobStepOn *on = find (self, index, message->run_id, message->step_id, &run, &step);
  if (on == NULL || on->stage != LK_ON_NODE_LIVES)
    return;
  LK_STEP_USAGE_FIELDS (USAGE_OF_MESSAGE)
}

void
lk_controller_step_message (LkController *self, guint32 index, const LkMessage *message)
{
  guint64 epoch = self->nodes[index].epoch;
  if (message->kind == LK_MESSAGE_STEP_STARTED && message->step_started.epoch == epoch)
    on_started (self, index, &message->step_started);
  else if (message->kind == LK_MESSAGE_STEP_ENDED && message->step_ended.epoch == epoch)
    on_ended (self, index, &message->step_ended);
  else if (message->kind == LK_MESSAGE_STEP_HEARD && message->step_heard.epoch == epoch)
    on_heard (self, index, &message->step_heard);
  else if (message->kind == LK_MESSAGE_STEP_USAGE && message->step_usage.epoch == epoch)
    on_usage (self, index, &message->step_usage);
}

/* ---------------------------------------------------------------- reports */

/* One that is there and should not be is told to end. */
static void
take_living (LkController *self, guint32 index, const LkStepReport *report)
{
  LkRun *run;
  LkJobStep *step;
  LkJobStepOn *on = find (self, index, report->run_id, report->step_id, &run, &step);
  if (on != NULL && on->stage != LK_ON_NODE_GONE) {
    on->is_reported = TRUE;
    on->asked = (LkMessageKind)0;
    step_lives (self, run, step, on);
    return;
  }
  LkMessage message = { .kind = LK_MESSAGE_STEP_KILL };
  message.step_kill = (LkMessage_step_kill){ .term = self->term,
                                             .epoch = self->nodes[index].epoch,
                                             .run_id = report->run_id,
                                             .step_id = report->step_id,
                                             .kill_wait_us = self->config.kill_wait_us };
  lk_controller_send (self, self->nodes[index].peer, &message);
}

/* What was launched and not begun is launched again, unless nobody knows any more what it needs;
 * what was begun is lost. */
static void
miss_step (LkController *self, LkRun *run, LkJobStep *step, LkJobStepOn *on)
{
  gboolean is_reported = on->is_reported;
  on->is_reported = FALSE;
  if (is_reported || on->stage == LK_ON_NODE_GONE || on->stage == LK_ON_NODE_WAITING)
    return;
  if (on->stage == LK_ON_NODE_LAUNCHED && step->payload != NULL) {
    on->stage = LK_ON_NODE_WAITING;
    lk_run_stir (self, run);
    return;
  }
  lk_step_lost_on (self, run, step, on);
}

void
lk_controller_read_steps (LkController *self, guint32 index, LkStepReports steps)
{
  LkControllerNode *node = &self->nodes[index];
  LkStepReport report;
  while (lk_step_report_next (&steps, &report))
    if (report.state == LK_STEP_ENDED)
      take_end (self, index, &report);
    else
      take_living (self, index, &report);
  for (guint i = 0; i < node->runs->len; i++) {
    LkRun *run = g_ptr_array_index (node->runs, i);
    for (guint j = 0; j < run->steps->len; j++) {
      LkJobStep *step = g_ptr_array_index (run->steps, j);
      LkJobStepOn *on = step->end_seq == 0 ? lk_step_on (step, index) : NULL;
      if (on != NULL)
        miss_step (self, run, step, on);
    }
  }
}
