/* live/core/agent_run.c — the life of a run on a node: prolog, script, epilog, ended, forgotten.
 *
 * A supervisor does the work and outlives the agent; here is only what the agent makes of it.  A
 * run is told as ended when nothing of it is left, and is kept until the controller has said that
 * the end is durable.  Who was forgotten is remembered for as long as a launch of it would be
 * listened to. */
#include <string.h>

#include "live/core/agent_private.h"

/* ---------------------------------------------------------------- the table */

/* Index of the first run that is not below. */
static guint
place_of (const LkAgent *self, guint64 run_id)
{
  guint low = 0;
  guint high = self->runs->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    const LkAgentRun *run = g_ptr_array_index (self->runs, middle);
    if (run->run_id < run_id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

LkAgentRun *
lk_agent_run_find (const LkAgent *self, guint64 run_id)
{
  guint place = place_of (self, run_id);
  if (place == self->runs->len)
    return NULL;
  LkAgentRun *run = g_ptr_array_index (self->runs, place);
  return run->run_id == run_id ? run : NULL;
}

void
lk_agent_run_free (gpointer data)
{
  LkAgentRun *run = data;
  lk_agent_run_steps_clear (run);
  g_free (run);
}

static LkAgentRun *
run_add (LkAgent *self, guint64 run_id, guint32 job_id)
{
  LK_ASSERT (lk_agent_run_find (self, run_id) == NULL);
  LkAgentRun *run = g_new0 (LkAgentRun, 1);
  run->run_id = run_id;
  run->job_id = job_id;
  run->state = LK_RUN_PROLOG;
  run->is_supervised = TRUE;
  run->drain = "";
  run->kill_us = run->tell_us = LK_TIME_NEVER;
  lk_agent_run_steps_init (run);
  g_ptr_array_insert (self->runs, (gint)place_of (self, run_id), run);
  return run;
}

LkRunReport
lk_agent_run_report (const LkAgentRun *run)
{
  return (LkRunReport){ .run_id = run->run_id,
                        .job_id = run->job_id,
                        .state = (guint8)run->state,
                        .exit_code = run->how.exit_code,
                        .signal = run->how.signal,
                        .cancelled = run->how.cancelled,
                        .trouble = run->how.trouble,
                        .user_cpu_us = run->how.user_cpu_us,
                        .system_cpu_us = run->how.system_cpu_us,
                        .max_rss_bytes = run->how.max_rss_bytes,
                        .max_gpu_memory_bytes = run->how.max_gpu_memory_bytes,
                        .max_gpu_percent = run->how.max_gpu_percent };
}

/* ---------------------------------------------------------------- from stage to stage
 *
 * A supervisor may call back at once, so the state is changed before it is asked for anything. */

static gboolean
is_bad (const LkExit *how)
{
  return how->exit_code != 0 || how->signal != 0 || how->trouble != LK_TROUBLE_NONE;
}

static gboolean
begin_stage (LkAgent *self, const LkAgentRun *run, LkStage stage)
{
  return self->ports.process.ops->begin (self->ports.process.self, run->run_id, stage);
}

static void
set_drain (LkAgentRun *run, const char *why)
{
  if (run->drain[0] == '\0')
    run->drain = why;
}

/* In slurmd's words. */
static void
log_stage_ended (const LkAgent *self, const LkAgentRun *run, LkStage stage, const LkExit *how)
{
  static const char *const names[] = {
    [LK_STAGE_PROLOG] = "Prolog", [LK_STAGE_SCRIPT] = "script", [LK_STAGE_EPILOG] = "Epilog"
  };
  const char *name = names[stage];
  if (stage != LK_STAGE_SCRIPT && is_bad (how))
    lk_agent_log (self, LK_LOG_ERROR, "[job %u] %s failed: exit code %u, signal %u", run->job_id,
                  name, how->exit_code, how->signal);
  else if (stage == LK_STAGE_SCRIPT && run->runs_script)
    lk_agent_log (self, LK_LOG_INFO, "[%u.batch] done with job: exit code %u, signal %u",
                  run->job_id, how->exit_code, how->signal);
  else
    lk_agent_log (self, LK_LOG_DEBUG, "[job %u] %s completed", run->job_id, name);
}

static void
run_ended (LkAgent *self, LkAgentRun *run)
{
  lk_agent_log (self, LK_LOG_DEBUG, "job %u is over on this node%s%s", run->job_id,
                run->drain[0] != '\0' ? ", drain: " : "", run->drain);
  run->state = LK_RUN_ENDED;
  run->stuck = LK_STUCK_NOT;
  run->kill_us = LK_TIME_NEVER;
  run->tell_us = self->now_us;
}

/* Nobody knows what the run has left on the node. */
static void
supervisor_lost (LkAgent *self, LkAgentRun *run)
{
  run->is_supervised = FALSE;
  set_drain (run, LK_DRAIN_SUPERVISOR);
  run_ended (self, run);
}

static void
epilog_begin (LkAgent *self, LkAgentRun *run)
{
  run->state = LK_RUN_EPILOG;
  run->kill_us = LK_TIME_NEVER;
  run->tell_us =
      run->has_begun && run->runs_script && !run->is_alone ? self->now_us : LK_TIME_NEVER;
  if (!begin_stage (self, run, LK_STAGE_EPILOG))
    supervisor_lost (self, run);
}

static void
script_begin (LkAgent *self, LkAgentRun *run)
{
  run->state = LK_RUN_RUNNING;
  run->has_begun = TRUE;
  if (!begin_stage (self, run, LK_STAGE_SCRIPT)) {
    run->has_begun = FALSE;
    run->how.trouble = LK_TROUBLE_LAUNCH_FAILURE;
    supervisor_lost (self, run);
    return;
  }
  if (run->state != LK_RUN_RUNNING)
    return;
  lk_agent_run_suspend_begun (self, run);
  lk_agent_tell_started (self, run->run_id);
}

/* What was to end before its script began has not ended well. */
static const LkExit unbegun = { .signal = LK_SIGNAL_TERM };

/* A stage of which nothing was begun says nothing against the site's program. */
static gboolean
was_begun (const LkExit *how)
{
  return how->trouble != LK_TROUBLE_LAUNCH_FAILURE;
}

static void
prolog_failed (LkAgentRun *run, const LkExit *how)
{
  run->how = (LkExit){ .trouble = was_begun (how) ? LK_TROUBLE_PROLOG_FAILURE
                                                  : LK_TROUBLE_LAUNCH_FAILURE };
  set_drain (run, was_begun (how) ? LK_DRAIN_PROLOG : LK_DRAIN_NO_SUPERVISOR);
}

/* A prolog that failed, or was no longer wanted, has its epilog all the same. */
static void
prolog_ended (LkAgent *self, LkAgentRun *run, const LkExit *how)
{
  if (is_bad (how)) {
    prolog_failed (run, how);
  } else if (run->is_terminated) {
    run->how = unbegun;
  }
  if (is_bad (how) || run->is_terminated)
    epilog_begin (self, run);
  else
    script_begin (self, run);
}

static void
stage_ended (LkAgent *self, LkAgentRun *run, LkStage stage, const LkExit *how)
{
  switch (stage) {
  case LK_STAGE_PROLOG:
    prolog_ended (self, run, how);
    break;
  case LK_STAGE_SCRIPT:
    run->how = *how;
    lk_agent_run_steps_over (self, run);
    epilog_begin (self, run);
    break;
  case LK_STAGE_EPILOG:
    if (is_bad (how))
      set_drain (run, was_begun (how) ? LK_DRAIN_EPILOG : LK_DRAIN_NO_SUPERVISOR);
    run_ended (self, run);
    break;
  }
}

static LkRunState
state_of_stage (LkStage stage)
{
  switch (stage) {
  case LK_STAGE_PROLOG:
    return LK_RUN_PROLOG;
  case LK_STAGE_SCRIPT:
    return LK_RUN_RUNNING;
  case LK_STAGE_EPILOG:
    return LK_RUN_EPILOG;
  }
  LK_UNREACHABLE ("all stages are named");
}

/* The node has booted since. What is known of the script counts, also when the epilog was cut off;
 * else nobody knows how far it came. */
static LkRunState
state_of_lost (LkStage stage)
{
  return stage == LK_STAGE_EPILOG ? LK_RUN_ENDED : LK_RUN_LOST;
}

/* An end that was found at the start of the agent may be told once more: it counts once. */
void
lk_agent_run_stage_ended (LkAgent *self, guint64 run_id, LkStage stage, const LkExit *how)
{
  LkAgentRun *run = lk_agent_run_find (self, run_id);
  if (run == NULL || run->state != state_of_stage (stage))
    return;
  run->stuck = LK_STUCK_NOT;
  log_stage_ended (self, run, stage, how);
  stage_ended (self, run, stage, how);
}

void
lk_agent_run_stuck (LkAgent *self, guint64 run_id, LkStuck why)
{
  LkAgentRun *run = lk_agent_run_find (self, run_id);
  if (run == NULL || lk_agent_run_is_over (run) || run->stuck != LK_STUCK_NOT)
    return;
  run->stuck = why;
  lk_agent_log (self, LK_LOG_ERROR, "[job %u] %s", run->job_id,
                why == LK_STUCK_DISK ? "run state cannot be written: disk full?"
                                     : "Kill task failed: processes live on after SIGKILL");
  lk_agent_heartbeat_now (self);
}

LkStuck
lk_agent_is_stuck (const LkAgent *self)
{
  LkStuck stuck = LK_STUCK_NOT;
  for (guint i = 0; i < self->runs->len && stuck == LK_STUCK_NOT; i++)
    stuck = ((const LkAgentRun *)g_ptr_array_index (self->runs, i))->stuck;
  return stuck;
}

/* ---------------------------------------------------------------- taking over */

static void
found_one (void *user, const LkSupervised *run)
{
  g_array_append_val ((GArray *)user, *run);
}

static void
take_over_one (LkAgent *self, const LkSupervised *found)
{
  LkAgentRun *run = run_add (self, found->run_id, found->job_id);
  run->state = found->is_lost ? state_of_lost (found->stage) : state_of_stage (found->stage);
  run->runs_script = found->runs_script;
  run->has_begun = found->stage != LK_STAGE_PROLOG;
  run->how = found->script;
  if (found->stage == LK_STAGE_EPILOG && is_bad (&found->prolog)) {
    run->has_begun = FALSE;
    prolog_failed (run, &found->prolog);
  } else if (found->is_unbegun) {
    run->has_begun = FALSE;
    run->how = unbegun;
  }
  if (lk_agent_run_is_over (run)
      || (run->state == LK_RUN_EPILOG && run->has_begun && run->runs_script))
    run->tell_us = self->now_us;
}

/* All of them are known before the first one goes on. */
void
lk_agent_take_over (LkAgent *self)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (LkSupervised));
  self->ports.process.ops->list (self->ports.process.self, found_one, found);
  for (guint i = 0; i < found->len; i++)
    take_over_one (self, &g_array_index (found, LkSupervised, i));
  lk_agent_take_over_steps (self);
  for (guint i = 0; i < found->len; i++) {
    const LkSupervised *one = &g_array_index (found, LkSupervised, i);
    if (one->has_ended && !one->is_lost)
      lk_agent_run_stage_ended (self, one->run_id, one->stage, &one->last);
  }
}

/* ---------------------------------------------------------------- launch and forget */

/* The launch has come before: its answer may have been lost. */
static void
launched_again (LkAgent *self, LkAgentRun *run)
{
  if (run->has_begun && !lk_agent_run_is_over (run))
    lk_agent_tell_started (self, run->run_id);
  if (run->tell_us != LK_TIME_NEVER)
    run->tell_us = self->now_us;
}

static gboolean
is_here_alone (const LkAgent *self, LkLongText nodes)
{
  return nodes.length_bytes == strlen (self->config.node)
         && memcmp (nodes.bytes, self->config.node, nodes.length_bytes) == 0;
}

void
lk_agent_launch (LkAgent *self, const LkMessage_launch *message)
{
  if (self->epoch == 0 || message->epoch != self->epoch)
    return;
  /* Launches follow a report that has come, whether its answer has or not. */
  lk_agent_confirm (self);
  LkAgentRun *run = lk_agent_run_find (self, message->run_id);
  if (run != NULL) {
    launched_again (self, run);
    return;
  }
  if (lk_number_set_has (&self->past, message->run_id) || self->runs->len >= LK_AGENT_RUNS_MAX)
    return;
  run = run_add (self, message->run_id, message->job_id);
  run->runs_script = message->runs_script != 0;
  run->is_alone = is_here_alone (self, message->nodes);
  lk_agent_log (self, run->runs_script ? LK_LOG_INFO : LK_LOG_VERBOSE, "%s job %u for UID %u",
                run->runs_script ? "Launching batch" : "Prolog of", message->job_id,
                message->user_id);
  if (!self->ports.process.ops->create (self->ports.process.self, message)) {
    LK_ASSERT (run->state == LK_RUN_PROLOG);
    run->is_supervised = FALSE;
    run->how.trouble = LK_TROUBLE_LAUNCH_FAILURE;
    lk_agent_log (self, LK_LOG_ERROR, "job %u: its supervisor cannot be started", message->job_id);
    run_ended (self, run);
  }
}

void
lk_agent_run_forget (LkAgent *self, const LkMessage_run_forget *message)
{
  const LkAgentRun *run = lk_agent_run_find (self, message->run_id);
  if (run == NULL || !lk_agent_run_is_over (run))
    return;
  if (run->is_supervised)
    self->ports.process.ops->forget (self->ports.process.self, message->run_id);
  g_ptr_array_remove_index (self->runs, place_of (self, message->run_id));
  lk_number_set_add (&self->past, message->run_id);
}
