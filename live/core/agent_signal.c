/* live/core/agent_signal.c — what a controller wants done to the processes of a run.
 *
 * Ending it: SIGCONT, because a stopped process hears nothing, and SIGTERM; then SIGKILL, again and
 * again, for as long as it takes.  Only the script is killed: a prolog is let come to its end, and
 * the epilog has to.  Signals, stops and continues are orders that are counted for each run: each
 * is carried out once, and acknowledged when it has had its effect, or can have none any more.
 * Signals are for the tasks of steps; the script, in which there may be no handler for them, gets
 * those that were asked for it (scancel(1), --batch and --full; sbatch(1), --signal=B:...). */
#include "live/core/agent_private.h"

static void
send_signal (LkAgent *self, const LkAgentRun *run, guint8 number, gboolean batch_only)
{
  if (run->state == LK_RUN_RUNNING)
    self->ports.process.ops->signal (self->ports.process.self, run->run_id, number, batch_only,
                                     /* why= */ 0);
}

/* ---------------------------------------------------------------- to the end */

/* The launch may be on its way still: it is not listened to when it comes. */
static void
terminate_unknown (LkAgent *self, guint64 run_id)
{
  if (!self->is_registered || run_id == 0)
    return;
  lk_number_set_add (&self->past, run_id);
  lk_agent_tell_gone (self, run_id);
}

/* One that comes again does not put off the kill; one that gives less time brings it forward. */
static void
terminate_script (LkAgent *self, LkAgentRun *run, gboolean is_first,
                  const LkMessage_terminate *message)
{
  gint64 wait_us = MAX (message->kill_wait_us, 0);
  run->kill_us = MIN (run->kill_us, lk_time_add_us (self->now_us, wait_us));
  if (!is_first)
    return;
  send_signal (self, run, LK_SIGNAL_CONT, FALSE);
  if (run->state == LK_RUN_RUNNING)
    self->ports.process.ops->signal (self->ports.process.self, run->run_id, LK_SIGNAL_TERM,
                                     /* batch_only= */ FALSE, message->why);
}

void
lk_agent_terminate (LkAgent *self, const LkMessage_terminate *message)
{
  LkAgentRun *run = lk_agent_run_find (self, message->run_id);
  if (run == NULL) {
    terminate_unknown (self, message->run_id);
    return;
  }
  gboolean is_first = !run->is_terminated;
  if (is_first)
    lk_agent_log (self, LK_LOG_VERBOSE, "Processing TERMINATE of job %u", run->job_id);
  run->is_terminated = TRUE;
  if (run->state == LK_RUN_RUNNING)
    terminate_script (self, run, is_first, message);
  else if (lk_agent_run_is_over (run))
    run->tell_us = self->now_us;
}

/* ---------------------------------------------------------------- signals, stop and continue */

/* An order of an earlier registration is not listened to: it may be older than the agent, which
 * then cannot know whether it was carried out. */
static gboolean
is_present (const LkAgent *self, guint64 epoch)
{
  return self->epoch != 0 && epoch == self->epoch;
}

/* Is it too late for an order to have an effect? A run that is not known may be yet to come. */
static gboolean
is_over (const LkAgent *self, const LkAgentRun *run, guint64 run_id)
{
  if (run == NULL)
    return lk_number_set_has (&self->past, run_id);
  return run->state > LK_RUN_RUNNING || (run->state == LK_RUN_PROLOG && run->is_terminated);
}

static void
signal_once (LkAgent *self, LkAgentRun *run, const LkMessage_run_signal *message)
{
  if (message->seq <= run->order_seq)
    return;
  run->order_seq = message->seq;
  if (message->signal == 0 || message->signal > LK_LIMIT_SIGNAL)
    return;
  if (message->batch_only == LK_SIGNAL_TO_STEPS)
    lk_agent_step_signal_all (self, run, message->signal);
  else if (run->runs_script || message->batch_only == LK_SIGNAL_TO_ALL)
    send_signal (self, run, message->signal, message->batch_only == LK_SIGNAL_TO_BATCH);
}

/* Before there is a script nothing is said: then it comes again. */
void
lk_agent_run_signal (LkAgent *self, const LkMessage_run_signal *message)
{
  LkAgentRun *run = lk_agent_run_find (self, message->run_id);
  if (!is_present (self, message->epoch))
    return;
  if (run != NULL && run->state == LK_RUN_RUNNING)
    signal_once (self, run, message);
  else if (!is_over (self, run, message->run_id))
    return;
  lk_agent_tell_heard (self, message->run_id, message->seq);
}

static void
send_suspended (LkAgent *self, const LkAgentRun *run)
{
  if (!run->is_terminated)
    send_signal (self, run, run->is_suspended ? LK_SIGNAL_STOP : LK_SIGNAL_CONT, FALSE);
}

void
lk_agent_run_suspend_begun (LkAgent *self, LkAgentRun *run)
{
  if (run->order_seq == 0)
    return;
  if (run->is_suspended)
    send_suspended (self, run);
  lk_agent_tell_heard (self, run->run_id, run->order_seq);
}

/* Before there is a script it is kept in mind, so that the script does not run a while. */
void
lk_agent_run_suspend (LkAgent *self, const LkMessage_run_suspend *message)
{
  LkAgentRun *run = lk_agent_run_find (self, message->run_id);
  if (!is_present (self, message->epoch))
    return;
  if (run != NULL && message->seq > run->order_seq) {
    run->order_seq = message->seq;
    run->is_suspended = message->suspended != 0;
    send_suspended (self, run);
  }
  if (is_over (self, run, message->run_id) || (run != NULL && run->state == LK_RUN_RUNNING))
    lk_agent_tell_heard (self, message->run_id, message->seq);
}
