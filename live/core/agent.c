/* live/core/agent.c — see the header: what comes in, and to whom it goes. */
#include "live/core/agent.h"

#include "live/core/agent_private.h"

/* Kinds of messages that an agent listens to, all of which begin with a term. */
#define AGENT_KINDS(X)                                                                             \
  X (REGISTERED, registered, lk_agent_registered)                                                  \
  X (REPORTED, reported, lk_agent_reported)                                                        \
  X (LAUNCH, launch, lk_agent_launch)                                                              \
  X (TERMINATE, terminate, lk_agent_terminate)                                                     \
  X (RUN_SIGNAL, run_signal, lk_agent_run_signal)                                                  \
  X (RUN_SUSPEND, run_suspend, lk_agent_run_suspend)                                               \
  X (RUN_FORGET, run_forget, lk_agent_run_forget)                                                  \
  X (RUN_NOTIFY, run_notify, lk_agent_run_notify)                                                  \
  X (STEP_LAUNCH, step_launch, lk_agent_step_launch)                                               \
  X (STEP_KILL, step_kill, lk_agent_step_kill)                                                     \
  X (STEP_LISTEN, step_listen, lk_agent_step_listen)                                               \
  X (STEP_FORGET, step_forget, lk_agent_step_forget)                                               \
  X (RELOAD, reload, lk_agent_reload)

/* FALSE: it is not for an agent. */
static gboolean
term_of (const LkMessage *message, guint64 *out_term)
{
  switch (message->kind) {
#define X(NAME, lower, handle)                                                                     \
  case LK_MESSAGE_##NAME:                                                                          \
    *out_term = message->lower.term;                                                               \
    return TRUE;
    AGENT_KINDS (X)
#undef X
  default:
    return FALSE;
  }
}

static void
lk_agent_reload (LkAgent *self, const LkMessage_reload *message)
{
  lk_agent_heartbeat_now (self);
  if (message->number == self->reload_number)
    return;
  self->reload_number = message->number;
  self->is_reload_asked = TRUE;
}

guint64
lk_agent_reload_number (const LkAgent *self)
{
  return self->reload_number;
}

gboolean
lk_agent_take_reload (LkAgent *self)
{
  gboolean is_asked = self->is_reload_asked;
  self->is_reload_asked = FALSE;
  return is_asked;
}

void
lk_agent_act (LkAgent *self, const LkMessage *message)
{
  switch (message->kind) {
#define X(NAME, lower, handle)                                                                     \
  case LK_MESSAGE_##NAME:                                                                          \
    handle (self, &message->lower);                                                                \
    break;
    AGENT_KINDS (X)
#undef X
  default:
    LK_UNREACHABLE ("term_of has seen that it is one of these");
  }
}

void
lk_agent_send (LkAgent *self, const LkMessage *message)
{
  g_byte_array_set_size (self->scratch, 0);
  lk_message_encode (message, self->scratch);
  self->ports.net.ops->send (self->ports.net.self, LK_AGENT_CONTROLLER, self->scratch->data,
                             self->scratch->len);
}

/* ---------------------------------------------------------------- from call to call */

/* FALSE: nothing may be done. */
static gboolean
begin (LkAgent *self)
{
  self->now_us = self->ports.clock.ops->monotonic_us (self->ports.clock.self);
  return !self->has_failed;
}

static gint64
next_us (const LkAgent *self)
{
  gint64 at_us = lk_agent_registration_next_us (self);
  for (guint i = 0; i < self->runs->len; i++) {
    const LkAgentRun *run = g_ptr_array_index (self->runs, i);
    at_us = MIN (at_us, lk_agent_run_next_us (self, run));
    at_us = MIN (at_us, lk_agent_run_steps_next_us (self, run));
  }
  return self->has_failed ? LK_TIME_NEVER : at_us;
}

/* Of steps first: their ends come before that of their run. */
static void
look_at_run (LkAgent *self, LkAgentRun *run)
{
  lk_agent_run_steps_look (self, run);
  lk_agent_run_look (self, run);
}

/* Sends what is due, and asks to be woken for what will be. */
static void
look (LkAgent *self)
{
  if (!self->has_failed) {
    lk_agent_registration_look (self);
    for (guint i = 0; i < self->runs->len; i++)
      look_at_run (self, g_ptr_array_index (self->runs, i));
  }
  gint64 at_us = next_us (self);
  if (at_us == self->wake_us)
    return;
  self->wake_us = at_us;
  self->ports.clock.ops->wake_at_us (self->ports.clock.self, at_us);
}

LkAgent *
lk_agent_new (const LkAgentConfig *config, const LkAgentPorts *ports)
{
  LK_ASSERT (config->retry_us > 0);
  LkAgent *self = g_new0 (LkAgent, 1);
  self->config = *config;
  self->ports = *ports;
  self->wake_us = LK_TIME_NEVER;
  self->heartbeat_next_us = LK_TIME_NEVER;
  self->reload_number = config->reload_number;
  self->scratch = g_byte_array_new ();
  self->held = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  self->runs = g_ptr_array_new_with_free_func (lk_agent_run_free);
  lk_number_set_init (&self->past, LK_AGENT_PAST_MAX);
  begin (self);
  if (!lk_agent_term_read (self)) {
    lk_agent_free (self);
    return NULL;
  }
  self->register_us = self->now_us;
  lk_agent_take_over (self);
  look (self);
  return self;
}

void
lk_agent_free (LkAgent *self)
{
  if (self == NULL)
    return;
  g_byte_array_unref (self->scratch);
  g_ptr_array_unref (self->held);
  g_ptr_array_unref (self->runs);
  lk_number_set_clear (&self->past);
  g_free (self);
}

void
lk_agent_message (LkAgent *self, const LkPeer *peer, const guint8 *bytes, gsize length_bytes)
{
  LkMessage message;
  guint64 term;
  if (!begin (self) || peer->kind != LK_PEER_CONTROLLER)
    return;
  if (!lk_message_decode (bytes, length_bytes, &message) || !term_of (&message, &term))
    return;
  if (term < self->term_seen)
    return;
  if (message.kind == LK_MESSAGE_REGISTERED)
    lk_agent_term_prove (self, &message.registered);
  if (term > self->term)
    lk_agent_hold (self, term, bytes, length_bytes);
  else
    lk_agent_act (self, &message);
  look (self);
}

void
lk_agent_stage_ended (LkAgent *self, guint64 run_id, LkStage stage, const LkExit *how)
{
  if (!begin (self))
    return;
  lk_agent_run_stage_ended (self, run_id, stage, how);
  look (self);
}

void
lk_agent_step_ended (LkAgent *self, const LkStepFound *step)
{
  if (!begin (self))
    return;
  lk_agent_run_step_ended (self, step);
  look (self);
}

void
lk_agent_step_usage (LkAgent *self, guint64 run_id, guint32 step_id, const LkStepUsage *usage)
{
  if (begin (self))
    lk_agent_run_step_usage (self, run_id, step_id, usage);
}

void
lk_agent_stuck (LkAgent *self, guint64 run_id, LkStuck why)
{
  if (!begin (self))
    return;
  lk_agent_run_stuck (self, run_id, why);
  look (self);
}

void
lk_agent_disk_done (LkAgent *self, guint64 token, gboolean has_succeeded)
{
  if (!begin (self))
    return;
  lk_agent_term_done (self, token, has_succeeded);
  look (self);
}

void
lk_agent_woken (LkAgent *self)
{
  self->wake_us = LK_TIME_NEVER;
  if (begin (self))
    look (self);
}

void
lk_agent_connected (LkAgent *self)
{
  if (!begin (self))
    return;
  lk_agent_registration_hurry (self);
  look (self);
}

gboolean
lk_agent_has_failed (const LkAgent *self)
{
  return self->has_failed;
}

gboolean
lk_agent_is_registered (const LkAgent *self)
{
  return self->is_registered;
}

guint64
lk_agent_term (const LkAgent *self)
{
  return self->term;
}

GArray *
lk_agent_runs (const LkAgent *self)
{
  GArray *reports = g_array_new (FALSE, FALSE, sizeof (LkRunReport));
  for (guint i = 0; i < self->runs->len; i++) {
    LkRunReport report = lk_agent_run_report (g_ptr_array_index (self->runs, i));
    g_array_append_val (reports, report);
  }
  return reports;
}
