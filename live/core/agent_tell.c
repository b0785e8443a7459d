/* live/core/agent_tell.c — what an agent says of its runs, and when.
 *
 * Nothing without a registration: what holds then is in the report.  The end of a script is told
 * until the run is over, the end of a run until it is forgotten.  That a run was lost is in the
 * report already; it is told all the same, in case the answer to that was lost. */
#include "live/core/agent_private.h"

#define TELL_HEAD .node = lk_text (self->config.node), .epoch = self->epoch, .run_id = run_id

static void
tell (LkAgent *self, const LkMessage *message)
{
  if (self->is_registered)
    lk_agent_send (self, message);
}

void
lk_agent_tell_started (LkAgent *self, guint64 run_id)
{
  LkMessage message = { .kind = LK_MESSAGE_RUN_STARTED, .run_started = { TELL_HEAD } };
  tell (self, &message);
}

void
lk_agent_tell_heard (LkAgent *self, guint64 run_id, guint64 seq)
{
  LkMessage message = { .kind = LK_MESSAGE_RUN_HEARD, .run_heard = { TELL_HEAD, .seq = seq } };
  tell (self, &message);
}

void
lk_agent_tell_gone (LkAgent *self, guint64 run_id)
{
  LkMessage message = { .kind = LK_MESSAGE_RUN_ENDED,
                        .run_ended = { TELL_HEAD, .state = LK_RUN_ENDED } };
  tell (self, &message);
}

static void
tell_script_ended (LkAgent *self, guint64 run_id)
{
  LkMessage message = { .kind = LK_MESSAGE_SCRIPT_ENDED, .script_ended = { TELL_HEAD } };
  tell (self, &message);
}

static void
tell_ended (LkAgent *self, const LkAgentRun *run)
{
  guint64 run_id = run->run_id;
  LkMessage message = {
    .kind = LK_MESSAGE_RUN_ENDED,
    .run_ended = { TELL_HEAD, .job_id = run->job_id, .state = (guint8)run->state,
                   .exit_code = run->how.exit_code, .signal = run->how.signal,
                   .cancelled = run->how.cancelled, .trouble = run->how.trouble,
                   .user_cpu_us = run->how.user_cpu_us, .system_cpu_us = run->how.system_cpu_us,
                   .max_rss_bytes = run->how.max_rss_bytes,
                   .max_gpu_memory_bytes = run->how.max_gpu_memory_bytes,
                   .max_gpu_percent = run->how.max_gpu_percent, .drain = lk_text (run->drain) }
  };
  tell (self, &message);
}

void
lk_agent_run_look (LkAgent *self, LkAgentRun *run)
{
  gint64 again_us = lk_time_add_us (self->now_us, self->config.retry_us);
  if (run->kill_us <= self->now_us) {
    run->kill_us = again_us;
    self->ports.process.ops->signal (self->ports.process.self, run->run_id, LK_SIGNAL_KILL,
                                     /* batch_only= */ FALSE, /* why= */ 0);
  }
  if (!self->is_registered || run->tell_us > self->now_us)
    return;
  run->tell_us = again_us;
  if (lk_agent_run_is_over (run))
    tell_ended (self, run);
  else
    tell_script_ended (self, run->run_id);
}

gint64
lk_agent_run_next_us (const LkAgent *self, const LkAgentRun *run)
{
  return self->is_registered ? MIN (run->kill_us, run->tell_us) : run->kill_us;
}
