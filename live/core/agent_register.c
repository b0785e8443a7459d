/* live/core/agent_register.c — the agent and its controller get to know each other.
 *
 * In two steps: REGISTER asks for an epoch, which REGISTERED brings; REPORT tells what there is
 * here, in that epoch, until REPORTED says that it has come.  A report that was made before the
 * controller gave out the epoch is none of it, so that no late message tells of runs as they were.
 *
 * Epochs rise within a term: a REGISTERED that comes late does not take us back.  A higher term,
 * and a REGISTERED with a higher epoch at any time, begin anew; a controller that does not know
 * the epoch of a heartbeat answers it with one. */
#include "engine/engine.h"
#include "live/core/agent_private.h"

void
lk_agent_unregister (LkAgent *self)
{
  self->epoch = 0;
  self->is_registered = FALSE;
  self->register_us = self->now_us;
  self->heartbeat_next_us = LK_TIME_NEVER;
  lk_number_set_clear (&self->past);
}

void
lk_agent_confirm (LkAgent *self)
{
  self->is_registered = TRUE;
  self->register_us = LK_TIME_NEVER;
}

void
lk_agent_registered (LkAgent *self, const LkMessage_registered *message)
{
  if (message->agent_id != self->config.agent_id || message->epoch <= self->epoch)
    return;
  /* Launches of earlier epochs are dropped from now on: nothing of them has to be remembered. */
  lk_agent_unregister (self);
  self->epoch = message->epoch;
  self->heartbeat_us = message->heartbeat_us > 0 ? message->heartbeat_us : self->config.retry_us;
  self->heartbeat_next_us = lk_time_add_us (self->now_us, self->heartbeat_us);
}

void
lk_agent_reported (LkAgent *self, const LkMessage_reported *message)
{
  if (self->epoch != 0 && message->epoch == self->epoch)
    lk_agent_confirm (self);
}

static void
send_register (LkAgent *self)
{
  LkTermProof proof = lk_agent_term_proof (self);
  LkMessage message = { .kind = LK_MESSAGE_REGISTER,
                        .register_node = { .node = lk_text (self->config.node),
                                           .agent_id = self->config.agent_id,
                                           .term = self->term,
                                           .proof_low = proof.low,
                                           .proof_high = proof.high } };
  lk_agent_send (self, &message);
}

static LkMachineNow
machine_now (const LkAgent *self)
{
  LkMachineNow now = { 0 };
  if (self->ports.process.ops->machine != NULL)
    self->ports.process.ops->machine (self->ports.process.self, &now);
  return now;
}

static void
send_report (LkAgent *self)
{
  LkMachineNow now = machine_now (self);
  g_autoptr (GByteArray) runs = g_byte_array_new ();
  for (guint i = 0; i < self->runs->len; i++) {
    const LkAgentRun *run = g_ptr_array_index (self->runs, i);
    LkRunReport report = lk_agent_run_report (run);
    /* A report has no room for why the node should be drained: the end stays open until RUN_ENDED
     * tells both. */
    if (run->drain[0] != '\0')
      report.state = MIN (report.state, LK_RUN_EPILOG);
    lk_run_report_append (&report, runs);
  }
  g_autoptr (GByteArray) steps = g_byte_array_new ();
  lk_agent_append_steps (self, steps);
  LkMessage message = { .kind = LK_MESSAGE_REPORT,
                        .report = { .node = lk_text (self->config.node),
                                    .agent_id = self->config.agent_id,
                                    .epoch = self->epoch,
                                    .boot_id = self->config.boot_id,
                                    .cpus = self->config.cpus,
                                    .memory_bytes = self->config.memory_bytes,
                                    .gres = lk_text (self->config.gres),
                                    .architecture = lk_text (now.architecture),
                                    .host = lk_text (now.host),
                                    .system = lk_text (now.system),
                                    .version = lk_text (LK_ENGINE_VERSION),
                                    .boot_us = now.boot_us,
                                    .start_us = now.start_us,
                                    .load_hundredths = now.load_hundredths,
                                    .free_memory_bytes = now.free_memory_bytes,
                                    .reload = self->reload_number,
                                    .runs = { runs->data, runs->len },
                                    .steps = { steps->data, steps->len } } };
  lk_agent_send (self, &message);
}

static void
send_heartbeat (LkAgent *self)
{
#define X(NAME, number, text) text,
  static const char *const reasons[LK_STUCK_COUNT] = { LK_STUCKS (X) };
#undef X
  LkMachineNow now = machine_now (self);
  LkTermProof proof = lk_agent_term_proof (self);
  LkMessage message = { .kind = LK_MESSAGE_HEARTBEAT,
                        .heartbeat = { .node = lk_text (self->config.node),
                                       .agent_id = self->config.agent_id,
                                       .epoch = self->epoch,
                                       .term = self->term,
                                       .load_hundredths = now.load_hundredths,
                                       .free_memory_bytes = now.free_memory_bytes,
                                       .reload = self->reload_number,
                                       .drain = lk_text (reasons[lk_agent_is_stuck (self)]),
                                       .proof_low = proof.low,
                                       .proof_high = proof.high } };
  lk_agent_send (self, &message);
}

void
lk_agent_heartbeat_now (LkAgent *self)
{
  if (self->heartbeat_next_us != LK_TIME_NEVER)
    self->heartbeat_next_us = self->now_us;
}

/* Heartbeats begin with the epoch: a controller that was restarted before our report came knows
 * nothing of it, and says so when it hears one. */
void
lk_agent_registration_look (LkAgent *self)
{
  if (self->register_us <= self->now_us) {
    self->register_us = lk_time_add_us (self->now_us, self->config.retry_us);
    if (self->epoch == 0)
      send_register (self);
    else
      send_report (self);
  }
  if (self->heartbeat_next_us <= self->now_us) {
    self->heartbeat_next_us = lk_time_add_us (self->now_us, self->heartbeat_us);
    send_heartbeat (self);
  }
}

void
lk_agent_registration_hurry (LkAgent *self)
{
  if (self->register_us != LK_TIME_NEVER)
    self->register_us = self->now_us;
  lk_agent_heartbeat_now (self);
}

gint64
lk_agent_registration_next_us (const LkAgent *self)
{
  return MIN (self->register_us, self->heartbeat_next_us);
}
