/* live/core/agent_step.c — steps of the runs on a node: begun, signalled, ended, forgotten.
 *
 * As with runs: who does the work outlives the agent, an end is told until the controller has said
 * that it is durable, and what was forgotten is remembered for as long as a launch of it would be
 * listened to, which is as long as its run is known here.  A step lives only while the script stage
 * of its run does. */
#include "live/core/agent_private.h"

/* Steps of a run that are over and forgotten, of which each is remembered. */
#define PAST_STEPS_MAX 4096u

/* Of what a step is numbered in a set: 0 is no member of one. */
static guint64
number_of (guint32 step_id)
{
  return (guint64)step_id + 1;
}

/* ---------------------------------------------------------------- the table */

static guint
place_of (const LkAgentRun *run, guint32 step_id)
{
  guint place = run->steps->len;
  while (place > 0
         && ((const LkAgentStep *)g_ptr_array_index (run->steps, place - 1))->how.step_id
                >= step_id)
    place--;
  return place;
}

LkAgentStep *
lk_agent_step_find (const LkAgentRun *run, guint32 step_id)
{
  guint place = place_of (run, step_id);
  LkAgentStep *step = place < run->steps->len ? g_ptr_array_index (run->steps, place) : NULL;
  return step != NULL && step->how.step_id == step_id ? step : NULL;
}

static LkAgentStep *
step_add (LkAgentRun *run, guint32 step_id)
{
  LK_ASSERT (lk_agent_step_find (run, step_id) == NULL);
  LkAgentStep *step = g_new0 (LkAgentStep, 1);
  step->how = (LkStepReport){ .run_id = run->run_id, .step_id = step_id, .state = LK_STEP_RUNNING };
  step->kill_us = step->tell_us = LK_TIME_NEVER;
  g_ptr_array_insert (run->steps, (gint)place_of (run, step_id), step);
  return step;
}

void
lk_agent_run_steps_init (LkAgentRun *run)
{
  run->steps = g_ptr_array_new_with_free_func (g_free);
  lk_number_set_init (&run->past_steps, PAST_STEPS_MAX);
}

void
lk_agent_run_steps_clear (LkAgentRun *run)
{
  g_ptr_array_unref (run->steps);
  lk_number_set_clear (&run->past_steps);
}

/* ---------------------------------------------------------------- what is told */

#define TELL_HEAD .node = lk_text (self->config.node), .epoch = self->epoch

static void
tell (LkAgent *self, const LkMessage *message)
{
  if (self->is_registered)
    lk_agent_send (self, message);
}

static void
tell_started (LkAgent *self, const LkStepReport *step)
{
  LkMessage message = { .kind = LK_MESSAGE_STEP_STARTED,
                        .step_started = { TELL_HEAD, .run_id = step->run_id,
                                          .step_id = step->step_id } };
  tell (self, &message);
}

#define FIELD_OF_REPORT(type, name, help) .name = how->name,

static void
tell_ended (LkAgent *self, const LkStepReport *how)
{
  LkMessage message = { .kind = LK_MESSAGE_STEP_ENDED };
  message.step_ended = (LkMessage_step_ended){ TELL_HEAD, LK_STEP_REPORT_FIELDS (FIELD_OF_REPORT) };
  tell (self, &message);
}

/* Nothing of it lives here, and nothing will. */
static void
tell_gone (LkAgent *self, guint64 run_id, guint32 step_id)
{
  LkStepReport gone = {
    .run_id = run_id, .step_id = step_id, .state = LK_STEP_ENDED, .signal = LK_SIGNAL_KILL
  };
  tell_ended (self, &gone);
}

void
lk_agent_append_steps (const LkAgent *self, GByteArray *reports)
{
  for (guint i = 0; i < self->runs->len; i++) {
    const LkAgentRun *run = g_ptr_array_index (self->runs, i);
    for (guint j = 0; j < run->steps->len; j++)
      lk_step_report_append (&((const LkAgentStep *)g_ptr_array_index (run->steps, j))->how,
                             reports);
  }
}

/* ---------------------------------------------------------------- ends */

#define USAGE_OF_FOUND(type, name, help) .name = found->usage.name,

static void
step_ended (LkAgent *self, LkAgentStep *step, const LkStepFound *found)
{
  step->how = (LkStepReport){ .run_id = step->how.run_id,
                              .step_id = step->how.step_id,
                              .state = LK_STEP_ENDED,
                              .exit_code = found->exit_code,
                              .signal = found->signal,
                              .trouble = found->trouble,
                              LK_STEP_USAGE_FIELDS (USAGE_OF_FOUND) };
  step->kill_us = LK_TIME_NEVER;
  step->tell_us = self->now_us;
}

static gboolean
lives (const LkAgentStep *step)
{
  return step->how.state == LK_STEP_RUNNING;
}

void
lk_agent_run_step_ended (LkAgent *self, const LkStepFound *found)
{
  LkAgentRun *run = lk_agent_run_find (self, found->run_id);
  LkAgentStep *step = run != NULL ? lk_agent_step_find (run, found->step_id) : NULL;
  if (step != NULL && lives (step)) {
    lk_agent_log (self, LK_LOG_INFO, "[%u.%u] done with step: exit code %u, signal %u", run->job_id,
                  found->step_id, found->exit_code, found->signal);
    step_ended (self, step, found);
  }
}

void
lk_agent_run_steps_over (LkAgent *self, LkAgentRun *run)
{
  static const LkStepFound killed = { .signal = LK_SIGNAL_KILL };
  for (guint i = 0; i < run->steps->len; i++) {
    LkAgentStep *step = g_ptr_array_index (run->steps, i);
    if (lives (step))
      step_ended (self, step, &killed);
  }
}

static void
take_over_one (void *user, const LkStepFound *found)
{
  LkAgent *self = user;
  LkAgentRun *run = lk_agent_run_find (self, found->run_id);
  if (run == NULL)
    return;
  LkAgentStep *step = step_add (run, found->step_id);
  if (found->has_ended)
    step_ended (self, step, found);
}

void
lk_agent_take_over_steps (LkAgent *self)
{
  self->ports.process.ops->step_list (self->ports.process.self, take_over_one, self);
  for (guint i = 0; i < self->runs->len; i++) {
    LkAgentRun *run = g_ptr_array_index (self->runs, i);
    if (run->state > LK_RUN_RUNNING)
      lk_agent_run_steps_over (self, run);
  }
}

void
lk_agent_run_step_usage (LkAgent *self, guint64 run_id, guint32 step_id, const LkStepUsage *usage)
{
  const LkAgentRun *run = lk_agent_run_find (self, run_id);
  const LkAgentStep *step = run != NULL ? lk_agent_step_find (run, step_id) : NULL;
  if (step == NULL || !lives (step))
    return;
#define FIELD_OF_USAGE(type, name, help) .name = usage->name,
  LkMessage message = { .kind = LK_MESSAGE_STEP_USAGE };
  message.step_usage = (LkMessage_step_usage){ TELL_HEAD, .run_id = run_id, .step_id = step_id,
                                               LK_STEP_USAGE_FIELDS (FIELD_OF_USAGE) };
  tell (self, &message);
}

/* ---------------------------------------------------------------- launch and forget */

static gboolean
is_present (const LkAgent *self, guint64 epoch)
{
  return self->epoch != 0 && epoch == self->epoch;
}

static void
launched_again (LkAgent *self, LkAgentStep *step)
{
  if (lives (step))
    tell_started (self, &step->how);
  else
    step->tell_us = self->now_us;
}

/* The port may say at once that it has ended. */
static void
begin (LkAgent *self, LkAgentRun *run, const LkMessage_step_launch *message)
{
  static const LkStepFound failed = { .trouble = LK_TROUBLE_LAUNCH_FAILURE };
  LkAgentStep *step = step_add (run, message->step_id);
  if (!self->ports.process.ops->step_launch (self->ports.process.self, message))
    step_ended (self, step, &failed);
  else if (lives (step))
    tell_started (self, &step->how);
}

/* Before its script has begun, and of a run that has not come yet, nothing is said: then the launch
 * comes again. */
void
lk_agent_step_launch (LkAgent *self, const LkMessage_step_launch *message)
{
  if (!is_present (self, message->epoch))
    return;
  LkAgentRun *run = lk_agent_run_find (self, message->run_id);
  if (run == NULL) {
    if (lk_number_set_has (&self->past, message->run_id))
      tell_gone (self, message->run_id, message->step_id);
    return;
  }
  LkAgentStep *step = lk_agent_step_find (run, message->step_id);
  if (step != NULL) {
    launched_again (self, step);
    return;
  }
  if (lk_number_set_has (&run->past_steps, number_of (message->step_id))
      || run->steps->len >= LK_AGENT_STEPS_MAX)
    return;
  if (run->state > LK_RUN_RUNNING || run->is_terminated)
    tell_gone (self, message->run_id, message->step_id);
  else if (run->state == LK_RUN_RUNNING) {
    lk_agent_log (self, LK_LOG_INFO, "launch task StepId=%u.%u", message->job_id, message->step_id);
    begin (self, run, message);
  }
}

void
lk_agent_step_forget (LkAgent *self, const LkMessage_step_forget *message)
{
  LkAgentRun *run = lk_agent_run_find (self, message->run_id);
  const LkAgentStep *step = run != NULL ? lk_agent_step_find (run, message->step_id) : NULL;
  if (step == NULL || lives (step))
    return;
  self->ports.process.ops->step_forget (self->ports.process.self, message->run_id,
                                        message->step_id);
  g_ptr_array_remove_index (run->steps, place_of (run, message->step_id));
  lk_number_set_add (&run->past_steps, number_of (message->step_id));
}

/* ---------------------------------------------------------------- signals */

static void
send_signal (LkAgent *self, const LkAgentStep *step, guint8 number, guint8 why)
{
  self->ports.process.ops->step_signal (self->ports.process.self, step->how.run_id,
                                        step->how.step_id, number, why);
}

void
lk_agent_step_signal_all (LkAgent *self, const LkAgentRun *run, guint8 number)
{
  for (guint i = 0; i < run->steps->len; i++) {
    const LkAgentStep *step = g_ptr_array_index (run->steps, i);
    if (lives (step))
      send_signal (self, step, number, /* why= */ 0);
  }
}

/* As with runs: one that comes again puts nothing off. Who is to be killed is not asked. */
static void
end_step (LkAgent *self, LkAgentStep *step, gint64 kill_wait_us, guint8 why)
{
  gboolean is_first = step->kill_us == LK_TIME_NEVER;
  step->kill_us = MIN (step->kill_us, lk_time_add_us (self->now_us, MAX (kill_wait_us, 0)));
  if (!is_first || kill_wait_us <= 0)
    return;
  send_signal (self, step, LK_SIGNAL_CONT, /* why= */ 0);
  if (lives (step))
    send_signal (self, step, LK_SIGNAL_TERM, why);
}

/* It is not here: it begins no more. */
static void
kill_unknown (LkAgent *self, LkAgentRun *run, const LkMessage_step_kill *message)
{
  if (run != NULL)
    lk_number_set_add (&run->past_steps, number_of (message->step_id));
  if (run != NULL || lk_number_set_has (&self->past, message->run_id))
    tell_gone (self, message->run_id, message->step_id);
}

static void
tell_heard (LkAgent *self, const LkMessage_step_kill *order)
{
  LkMessage message = { .kind = LK_MESSAGE_STEP_HEARD,
                        .step_heard = { TELL_HEAD, .run_id = order->run_id,
                                        .step_id = order->step_id, .seq = order->seq } };
  tell (self, &message);
}

/* What is not here yet hears of nothing, and is asked again; an end comes to it all the same. */
void
lk_agent_step_kill (LkAgent *self, const LkMessage_step_kill *message)
{
  if (!is_present (self, message->epoch))
    return;
  LkAgentRun *run = lk_agent_run_find (self, message->run_id);
  LkAgentStep *step = run != NULL ? lk_agent_step_find (run, message->step_id) : NULL;
  if (message->seq == 0 && step == NULL)
    kill_unknown (self, run, message);
  else if (message->seq == 0 && lives (step))
    end_step (self, step, message->kill_wait_us, message->why);
  else if (message->seq == 0)
    step->tell_us = self->now_us;
  else if (step != NULL) {
    gboolean is_new = message->seq > step->order_seq;
    step->order_seq = MAX (step->order_seq, message->seq);
    if (is_new && lives (step) && message->signal != 0 && message->signal <= LK_LIMIT_SIGNAL)
      send_signal (self, step, message->signal, /* why= */ 0);
    tell_heard (self, message);
  }
}

void
lk_agent_step_listen (LkAgent *self, const LkMessage_step_listen *message)
{
  const LkAgentRun *run = lk_agent_run_find (self, message->run_id);
  const LkAgentStep *step = run != NULL ? lk_agent_step_find (run, message->step_id) : NULL;
  if (is_present (self, message->epoch) && step != NULL && lives (step))
    self->ports.process.ops->step_listen (self->ports.process.self, message);
}

void
lk_agent_run_notify (LkAgent *self, const LkMessage_run_notify *message)
{
  const LkAgentRun *run = lk_agent_run_find (self, message->run_id);
  gboolean is_for_script = message->step_id == G_MAXUINT32;
  const LkAgentStep *step =
      run != NULL && !is_for_script ? lk_agent_step_find (run, message->step_id) : NULL;
  if (!is_present (self, message->epoch) || run == NULL || run->state != LK_RUN_RUNNING)
    return;
  if (is_for_script ? run->runs_script : step != NULL && lives (step))
    self->ports.process.ops->notify (self->ports.process.self, message);
}

/* ---------------------------------------------------------------- from moment to moment */

static void
look_at (LkAgent *self, LkAgentStep *step)
{
  gint64 again_us = lk_time_add_us (self->now_us, self->config.retry_us);
  if (step->kill_us <= self->now_us) {
    step->kill_us = again_us;
    send_signal (self, step, LK_SIGNAL_KILL, /* why= */ 0);
  }
  if (!self->is_registered || step->tell_us > self->now_us)
    return;
  step->tell_us = again_us;
  tell_ended (self, &step->how);
}

void
lk_agent_run_steps_look (LkAgent *self, LkAgentRun *run)
{
  for (guint i = 0; i < run->steps->len; i++)
    look_at (self, g_ptr_array_index (run->steps, i));
}

gint64
lk_agent_run_steps_next_us (const LkAgent *self, const LkAgentRun *run)
{
  gint64 at_us = LK_TIME_NEVER;
  for (guint i = 0; i < run->steps->len; i++) {
    const LkAgentStep *step = g_ptr_array_index (run->steps, i);
    at_us = MIN (at_us, step->kill_us);
    at_us = self->is_registered ? MIN (at_us, step->tell_us) : at_us;
  }
  return at_us;
}

/* ---------------------------------------------------------------- invariants */

void
lk_agent_run_steps_check (const LkAgentRun *run)
{
  guint64 before = 0;
  lk_number_set_check (&run->past_steps);
  LK_ASSERT (run->steps->len <= LK_AGENT_STEPS_MAX);
  for (guint i = 0; i < run->steps->len; i++) {
    const LkAgentStep *step = g_ptr_array_index (run->steps, i);
    guint64 number = number_of (step->how.step_id);
    LK_ASSERT (number > before);
    before = number;
    LK_ASSERT (step->how.run_id == run->run_id);
    LK_ASSERT (!lk_number_set_has (&run->past_steps, number));
    /* It lives with the script of its run, its end is told, and nobody is killed twice. */
    LK_ASSERT (!lives (step) || run->state == LK_RUN_RUNNING);
    LK_ASSERT (lives (step) == (step->tell_us == LK_TIME_NEVER));
    LK_ASSERT (lives (step) || step->kill_us == LK_TIME_NEVER);
  }
}
