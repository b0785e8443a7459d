/* live/core/agent_check.c — every invariant of the agent core. */
#include "live/core/agent_private.h"

static void
check_term (const LkAgent *self)
{
  LK_ASSERT (self->term_seen >= self->term);
  LK_ASSERT (self->term_writing <= self->term_seen);
  LK_ASSERT (self->term_writing == 0 || self->term_writing > self->term);
  LK_ASSERT (self->has_failed || (self->term_writing != 0) == (self->term_seen > self->term));
  gsize held_bytes = 0;
  for (guint i = 0; i < self->held->len; i++)
    held_bytes += ((const GByteArray *)g_ptr_array_index (self->held, i))->len;
  LK_ASSERT (held_bytes == self->held_bytes);
  LK_ASSERT (held_bytes <= LK_MESSAGE_MAX_BYTES);
  LK_ASSERT (self->held->len == 0 || self->term_writing != 0);
}

static void
check_registration (const LkAgent *self)
{
  LK_ASSERT (!self->is_registered || self->epoch != 0);
  LK_ASSERT (self->is_registered == (self->register_us == LK_TIME_NEVER));
  LK_ASSERT (self->epoch == 0 || self->heartbeat_us > 0);
  LK_ASSERT (self->epoch != 0 || self->heartbeat_next_us == LK_TIME_NEVER);
}

static void
check_run (const LkAgent *self, const LkAgentRun *run)
{
  LK_ASSERT (run->run_id != 0);
  LK_ASSERT (!lk_number_set_has (&self->past, run->run_id));
  LK_ASSERT (run->state >= LK_RUN_PROLOG);
  LK_ASSERT (run->state <= LK_RUN_LOST);
  LK_ASSERT (run->has_begun == (run->state == LK_RUN_RUNNING) || run->state > LK_RUN_RUNNING);
  LK_ASSERT (run->is_supervised || lk_agent_run_is_over (run));
  /* It is killed while its script runs and somebody wants its end, and only then. */
  LK_ASSERT (run->kill_us == LK_TIME_NEVER || (run->is_terminated && run->state == LK_RUN_RUNNING));
  /* Its end is told when there is one. */
  LK_ASSERT (run->tell_us == LK_TIME_NEVER || run->state > LK_RUN_RUNNING);
  LK_ASSERT (run->tell_us != LK_TIME_NEVER || !lk_agent_run_is_over (run));
  LK_ASSERT (run->stuck == LK_STUCK_NOT || !lk_agent_run_is_over (run));
  LK_ASSERT (run->drain[0] == '\0' || run->state > LK_RUN_RUNNING);
}

/* Nothing that will be due is slept through. */
static void
check_wake (const LkAgent *self)
{
  if (self->has_failed)
    return;
  LK_ASSERT (self->wake_us <= lk_agent_registration_next_us (self));
  for (guint i = 0; i < self->runs->len; i++) {
    const LkAgentRun *run = g_ptr_array_index (self->runs, i);
    LK_ASSERT (self->wake_us <= lk_agent_run_next_us (self, run));
    LK_ASSERT (self->wake_us <= lk_agent_run_steps_next_us (self, run));
  }
}

void
lk_agent_check (const LkAgent *self)
{
  guint64 before = 0;
  check_term (self);
  check_registration (self);
  lk_number_set_check (&self->past);
  LK_ASSERT (self->runs->len <= LK_AGENT_RUNS_MAX);
  for (guint i = 0; i < self->runs->len; i++) {
    const LkAgentRun *run = g_ptr_array_index (self->runs, i);
    LK_ASSERT (run->run_id > before);
    before = run->run_id;
    check_run (self, run);
    lk_agent_run_steps_check (run);
  }
  check_wake (self);
}
