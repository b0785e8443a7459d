/* live/core/controller_nodes.c — agents: registration, reports, silence.
 *
 * An agent is known by a handshake of two steps.  REGISTER is answered with a new epoch; a REPORT
 * of that epoch tells what there is on the node now.  Launches carry the epoch, and an agent drops
 * those of another: so what the report does not name is not there, and will not come. */
#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/hostlist.h"
#include "live/core/controller_private.h"

/* The one agent of a counted pool. */
#define POOL_NAME "pool"
/* As long a node that somebody has set down stays down where all come back; about as in Slurm. */
#define RETURN_AFTER_US (G_USEC_PER_SEC / 2)

guint32
lk_controller_node_index (const LkController *self, LkText name)
{
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  if (table != NULL)
    return lk_node_table_find (table, name.bytes, name.length_bytes);
  gboolean is_pool =
      name.length_bytes == strlen (POOL_NAME) && memcmp (name.bytes, POOL_NAME, 4) == 0;
  return is_pool ? 0 : LK_INDEX_NONE;
}

static const char *
node_name (const LkController *self, guint32 node)
{
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  return table != NULL ? table->names[node] : POOL_NAME;
}

static gboolean
is_down (const LkController *self, guint32 node)
{
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  return table != NULL && (table->flags[node] & LK_NODE_DOWN) != 0;
}

static void
post_node (LkController *self, guint32 node, LkEventKind kind, const char *reason)
{
  LkEvent event = { .kind = kind };
  if (lk_engine_nodes (self->engine) == NULL)
    return;
  event.node_up.node = lk_text (node_name (self, node));
  if (kind == LK_EVENT_NODE_DOWN)
    event.node_down.reason = lk_text (reason);
  else if (kind == LK_EVENT_NODE_DRAIN)
    event.node_drain.reason = lk_text (reason);
  lk_controller_post (self, &event);
}

void
lk_controller_post_awaited (LkController *self, guint32 index)
{
  post_node (self, index, LK_EVENT_NODE_DOWN, LK_REASON_AWAITED);
}

static void
set_ready (LkController *self, LkControllerNode *node, gboolean is_ready)
{
  if (node->is_ready == is_ready)
    return;
  node->is_ready = is_ready;
  self->ready_count += is_ready ? 1 : 0;
  self->ready_count -= is_ready ? 0 : 1;
  self->has_fence_lifted = self->has_fence_lifted || is_ready;
}

/* ---------------------------------------------------------------- registration */

static LkTermProof
prove_term (const LkController *self, guint64 term)
{
  const LkPortTerm *port = &self->ports.term;
  return port->ops != NULL ? port->ops->prove (port->self, term) : (LkTermProof){ 0, 0 };
}

static void
send_registered (LkController *self, const LkControllerNode *node)
{
  LkMessage message = { .kind = LK_MESSAGE_REGISTERED };
  LkTermProof proof = prove_term (self, self->term);
  message.registered = (LkMessage_registered){ .term = self->term,
                                               .agent_id = node->agent_id,
                                               .epoch = node->epoch,
                                               .heartbeat_us = self->config.heartbeat_us,
                                               .proof_low = proof.low,
                                               .proof_high = proof.high };
  lk_controller_send (self, node->peer, &message);
}

static void
begin_epoch (LkController *self, guint32 index, guint64 agent_id)
{
  LkControllerNode *node = &self->nodes[index];
  /* Another epoch before the report has come gives no more time for it. */
  if (node->is_ready || node->epoch == 0)
    node->unready_us = self->clock_us;
  node->agent_id = agent_id;
  node->epoch = lk_controller_next_epoch (self);
  node->reload_us = lk_time_add_us (self->clock_us, -self->config.retry_us);
  set_ready (self, node, FALSE);
  send_registered (self, node);
}

/* A REGISTER that comes twice gets the same epoch; one of another agent has a new one. */
static void
on_register (LkController *self, guint32 index, const LkMessage_register_node *message)
{
  LkControllerNode *node = &self->nodes[index];
  if (node->epoch == 0 || node->agent_id != message->agent_id)
    begin_epoch (self, index, message->agent_id);
  else
    send_registered (self, node);
}

static gboolean
is_over (const LkRunReport *report)
{
  return report->state == LK_RUN_ENDED || report->state == LK_RUN_LOST;
}

/* What is in no table has ended, at the latest by the last event before we began; where that end,
 * or why its node is drained for it, is not known to everybody who has to know it, the agent has to
 * tell it once more. */
static void
let_forget_stray (LkController *self, guint32 index, guint64 run_id)
{
  const LkControllerNode *node = &self->nodes[index];
  guint64 settled = lk_controller_settled_seq (self);
  if (!node->is_drain_asked && self->begun_seq <= settled && node->drain_seq <= settled)
    lk_controller_send_forget (self, index, run_id);
}

static void
add_stray (LkController *self, guint32 index, const LkRunReport *report)
{
  LkControllerNode *node = &self->nodes[index];
  if (is_over (report)) {
    let_forget_stray (self, index, report->run_id);
    return;
  }
  g_array_append_val (node->strays, report->run_id);
  node->over_count++;
  self->stray_count++;
}

static void
drop_strays (LkController *self, LkControllerNode *node)
{
  node->over_count -= node->strays->len;
  self->stray_count -= node->strays->len;
  g_array_set_size (node->strays, 0);
  self->has_fence_lifted = TRUE;
}

static void
take_report (LkController *self, LkRun *run, LkRunNode *on, const LkRunReport *report)
{
  on->is_reported = TRUE;
  on->asked = (LkMessageKind)0;
  lk_controller_note_begun (self, run, on);
  lk_run_set_stage (self, run, on, LK_ON_NODE_LIVES);
  on->may_forget = is_over (report);
  gboolean is_wanted = lk_run_is_wanted (run, on);
  /* A counted pool has no nodes that could be down. */
  gboolean has_nodes = lk_engine_nodes (self->engine) != NULL;
  if (report->state == LK_RUN_LOST && is_wanted && has_nodes) {
    run->has_lost = TRUE;
    if (lk_run_is_script_on (run, on))
      lk_run_lose_script (run);
    lk_run_set_stage (self, run, on, LK_ON_NODE_GONE);
  } else if (on->may_forget) {
    LkRunReport how = *report;
    if (report->state == LK_RUN_LOST)
      how = (LkRunReport){ .run_id = report->run_id,
                           .job_id = report->job_id,
                           .signal = LK_SIGNAL_UNKNOWN };
    lk_run_ended_on (self, run, on, &how);
  }
  lk_run_stir (self, run);
}

/* It has ended here, as was known; but only when the end of the whole run is durable may its agent
 * forget that it was here.  Or somebody has said that nothing lives here, and it does. */
static void
take_gone (LkController *self, LkRun *run, LkRunNode *on, const LkRunReport *report)
{
  on->is_reported = TRUE;
  on->may_forget = report->state == LK_RUN_ENDED || report->state == LK_RUN_LOST;
  if (!on->may_forget)
    add_stray (self, on->node, report);
  lk_run_stir (self, run);
}

/* TRUE: a run that the engine has was lost when the node booted. */
static gboolean
read_report (LkController *self, guint32 index, LkRuns runs)
{
  LkRunReport report;
  gboolean has_lost = FALSE;
  while (lk_run_report_next (&runs, &report)) {
    LkRun *run = lk_run_find (self, report.run_id);
    LkRunNode *on = run != NULL ? lk_run_node (run, index) : NULL;
    if (on == NULL)
      add_stray (self, index, &report);
    else if (on->stage == LK_ON_NODE_GONE)
      take_gone (self, run, on, &report);
    else
      take_report (self, run, on, &report);
    has_lost = has_lost || (run != NULL && run->has_lost);
  }
  return has_lost;
}

/* What was launched there, and was not begun: it is wanted still, or not any more.  What was begun
 * is lost, whatever has become of the node's disk: it may have run, and is not launched again. */
static void
miss_runs (LkController *self, guint32 index)
{
  LkControllerNode *node = &self->nodes[index];
  for (guint i = 0; i < node->runs->len; i++) {
    LkRun *run = g_ptr_array_index (node->runs, i);
    LkRunNode *on = lk_run_node (run, index);
    gboolean is_there = on->is_reported || on->stage == LK_ON_NODE_GONE;
    on->is_reported = FALSE;
    if (is_there || on->stage == LK_ON_NODE_WAITING)
      continue;
    LkRunReport never = { .run_id = run->run_id,
                          .job_id = run->job_id,
                          .signal = LK_SIGNAL_UNKNOWN };
    if (!lk_run_is_wanted (run, on) || on->stage == LK_ON_NODE_LIVES)
      lk_run_ended_on (self, run, on, &never);
    else
      lk_run_set_stage (self, run, on, LK_ON_NODE_WAITING);
  }
}

static void
compare_hardware (LkController *self, guint32 index, const LkMessage_report *report)
{
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  if (table == NULL || (table->flags[index] & (LK_NODE_DRAIN | LK_NODE_DOWN)) != 0)
    return;
  g_autofree char *fault = lk_controller_hardware_fault (self, index, report);
  if (fault != NULL)
    post_node (self, index, LK_EVENT_NODE_DRAIN, fault);
}

/* Is a node that is down to come back, now that its agent is there?  One that is new has never been
 * away: it comes whatever the site says of those that come back.
 * Source: slurm.conf(5), ReturnToService. */
static gboolean
returns (const LkController *self, guint32 index, gboolean has_lost)
{
  const LkControllerConfig *config = &self->config;
  if (has_lost)
    return !config->keeps_rebooted_down;
  if (self->nodes[index].down_by_us)
    return self->nodes[index].is_awaited || !config->keeps_silent_down;
  return config->returns_all && is_down (self, index);
}

/* What is longer than the room for it is cut. */
static void
take_text (LkText told, char *out, gsize room_bytes)
{
  memset (out, 0, room_bytes);
  memcpy (out, told.bytes, MIN (told.length_bytes, room_bytes - 1));
}

/* What people are told of it, and nothing is decided by. */
static void
take_machine (LkControllerNode *node, const LkMessage_report *report)
{
  take_text (report->architecture, node->architecture, sizeof node->architecture);
  take_text (report->host, node->host, sizeof node->host);
  take_text (report->system, node->system, sizeof node->system);
  take_text (report->version, node->version, sizeof node->version);
  node->boot_us = report->boot_us;
  node->agent_start_us = report->start_us;
  node->load_hundredths = report->load_hundredths;
  node->free_memory_bytes = report->free_memory_bytes;
}

static void
on_report (LkController *self, guint32 index, const LkMessage_report *report)
{
  LkControllerNode *node = &self->nodes[index];
  LkMessage message = { .kind = LK_MESSAGE_REPORTED };
  if (report->agent_id != node->agent_id || report->epoch != node->epoch)
    return;
  message.reported = (LkMessage_reported){ .term = self->term, .epoch = node->epoch };
  lk_controller_send (self, node->peer, &message);
  take_machine (node, report);
  if (node->is_ready) {
    lk_reload_heard (self, node, report->reload);
    return;
  }
  drop_strays (self, node);
  gboolean has_lost = read_report (self, index, report->runs);
  miss_runs (self, index);
  lk_controller_read_steps (self, index, report->steps);
  if (has_lost && !is_down (self, index))
    post_node (self, index, LK_EVENT_NODE_DOWN, LK_REASON_REBOOTED);
  if (returns (self, index, has_lost))
    post_node (self, index, LK_EVENT_NODE_UP, NULL);
  compare_hardware (self, index, report);
  node->is_said_dead = FALSE;
  lk_log_ready (self, index, !node->has_answered);
  node->has_answered = TRUE;
  set_ready (self, node, TRUE);
  lk_reload_heard (self, node, report->reload);
}

/* What a run has left on its node makes it unfit for others. */
static void
drain_for_run (LkController *self, guint32 index, LkText reason)
{
  LkEvent event = { .kind = LK_EVENT_NODE_DRAIN };
  if (reason.length_bytes == 0 || lk_engine_nodes (self->engine) == NULL)
    return;
  event.node_drain.node = lk_text (node_name (self, index));
  event.node_drain.reason = reason;
  lk_controller_post (self, &event);
  self->nodes[index].is_drain_asked = TRUE;
}

/* Said with each heartbeat: once is enough, but who lets jobs in again is told again. */
static void
drain_for_heartbeat (LkController *self, guint32 index, LkText reason)
{
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  gboolean takes_jobs =
      table != NULL && (table->flags[index] & (LK_NODE_DRAIN | LK_NODE_DOWN)) == 0;
  if (takes_jobs && !self->nodes[index].is_drain_asked)
    drain_for_run (self, index, reason);
}

/* An agent that knows another epoch has not heard of the present one, or is another one. */
static void
on_heartbeat (LkController *self, guint32 index, const LkMessage_heartbeat *message)
{
  LkControllerNode *node = &self->nodes[index];
  node->load_hundredths = message->load_hundredths;
  node->free_memory_bytes = message->free_memory_bytes;
  if (message->epoch != node->epoch || message->agent_id != node->agent_id)
    begin_epoch (self, index, message->agent_id);
  else {
    lk_reload_heard (self, node, message->reload);
    drain_for_heartbeat (self, index, message->drain);
  }
}

/* ---------------------------------------------------------------- runs */

static void
on_started (LkController *self, guint32 index, const LkMessage_run_started *message)
{
  LkRun *run = lk_run_find (self, message->run_id);
  LkRunNode *on = run != NULL ? lk_run_node (run, index) : NULL;
  if (on == NULL || on->stage != LK_ON_NODE_LAUNCHED)
    return;
  lk_controller_note_begun (self, run, on);
  lk_run_set_stage (self, run, on, LK_ON_NODE_LIVES);
}

static void
on_script_ended (LkController *self, guint32 index, const LkMessage_script_ended *message)
{
  LkRun *run = lk_run_find (self, message->run_id);
  if (run == NULL || run->nodes[0].node != index || !lk_run_has_script (run))
    return;
  run->is_broken = TRUE;
  lk_run_stir (self, run);
}

/* FALSE: it is none. */
static gboolean
stray_ended (LkController *self, guint32 index, guint64 run_id)
{
  LkControllerNode *node = &self->nodes[index];
  for (guint i = 0; i < node->strays->len; i++) {
    if (g_array_index (node->strays, guint64, i) != run_id)
      continue;
    g_array_remove_index_fast (node->strays, i);
    node->over_count--;
    self->stray_count--;
    self->has_fence_lifted = TRUE;
    return TRUE;
  }
  return FALSE;
}

/* The agent knows of no such run, and is to begin it: a TERMINATE of an earlier life of ours has
 * come late, and what was launched, or will be, begins nothing in this epoch. */
static gboolean
is_misled (const LkRun *run, const LkRunNode *on, const LkMessage_run_ended *message)
{
  gboolean is_wanted = lk_run_is_wanted (run, on) && !run->is_broken;
  return message->job_id == 0 && is_wanted
         && (on->stage == LK_ON_NODE_WAITING || on->stage == LK_ON_NODE_LAUNCHED);
}

static void
on_ended (LkController *self, guint32 index, const LkMessage_run_ended *message)
{
  LkRun *run = lk_run_find (self, message->run_id);
  LkRunNode *on = run != NULL ? lk_run_node (run, index) : NULL;
  /* Also of a run in the table: where it was said to be gone, and was not. */
  gboolean is_stray = stray_ended (self, index, message->run_id);
  if (is_stray || (on != NULL && on->stage != LK_ON_NODE_GONE))
    drain_for_run (self, index, message->drain);
  if (on == NULL) {
    let_forget_stray (self, index, message->run_id);
    return;
  }
  if (is_misled (run, on, message)) {
    begin_epoch (self, index, self->nodes[index].agent_id);
    return;
  }
  LkRunReport how = { .run_id = message->run_id,
                      .job_id = message->job_id,
                      .state = LK_RUN_ENDED,
                      .exit_code = message->exit_code,
                      .signal = message->signal,
                      .cancelled = message->cancelled,
                      .trouble = message->trouble,
                      .user_cpu_us = message->user_cpu_us,
                      .system_cpu_us = message->system_cpu_us,
                      .max_rss_bytes = message->max_rss_bytes,
                      .max_gpu_memory_bytes = message->max_gpu_memory_bytes,
                      .max_gpu_percent = message->max_gpu_percent };
  if (message->job_id == 0) /* nobody knows how, if it was here at all */
    how.signal = LK_SIGNAL_UNKNOWN;
  on->may_forget = TRUE;
  lk_run_ended_on (self, run, on, &how);
  lk_run_stir (self, run);
}

static void
on_heard (LkController *self, guint32 index, const LkMessage_run_heard *message)
{
  LkRun *run = lk_run_find (self, message->run_id);
  LkRunNode *on = run != NULL ? lk_run_node (run, index) : NULL;
  if (on == NULL || on->heard == on->ordered
      || message->seq != g_array_index (run->orders, LkRunOrder, on->heard).number)
    return;
  on->heard++;
  lk_run_stir (self, run);
}

/* What an agent says of runs counts only in the epoch in which its report has come: a word from
 * before may speak of things that are no more. */
static void
run_message (LkController *self, guint32 index, const LkMessage *message)
{
  guint64 epoch = self->nodes[index].epoch;
  if (!self->nodes[index].is_ready)
    return;
  if (message->kind == LK_MESSAGE_RUN_STARTED && message->run_started.epoch == epoch)
    on_started (self, index, &message->run_started);
  else if (message->kind == LK_MESSAGE_SCRIPT_ENDED && message->script_ended.epoch == epoch)
    on_script_ended (self, index, &message->script_ended);
  else if (message->kind == LK_MESSAGE_RUN_ENDED && message->run_ended.epoch == epoch)
    on_ended (self, index, &message->run_ended);
  else if (message->kind == LK_MESSAGE_RUN_HEARD && message->run_heard.epoch == epoch)
    on_heard (self, index, &message->run_heard);
  else
    lk_controller_step_message (self, index, message);
}

/* The highest term that the agent reports, with its proof; 0: it does not. */
static guint64
reported_term (const LkMessage *message, LkTermProof *out_proof)
{
  if (message->kind == LK_MESSAGE_REGISTER) {
    const LkMessage_register_node *node = &message->register_node;
    *out_proof = (LkTermProof){ node->proof_low, node->proof_high };
    return node->term;
  }
  if (message->kind != LK_MESSAGE_HEARTBEAT)
    return 0;
  *out_proof = (LkTermProof){ message->heartbeat.proof_low, message->heartbeat.proof_high };
  return message->heartbeat.term;
}

/* Root of one node must not stop the cluster: without the proof, which only a controller can make,
 * a higher term is a fault of the node.  All halves are compared whatever the first one is, so that
 * the time taken says nothing. */
static void
see_higher_term (LkController *self, const LkPeer *peer, guint32 index, guint64 term,
                 LkTermProof proof)
{
  LkTermProof ours = prove_term (self, term);
  if ((ours.low | ours.high) != 0 && ((ours.low ^ proof.low) | (ours.high ^ proof.high)) == 0) {
    lk_controller_fail (self, LK_CONTROLLER_FENCED);
    return;
  }
  self->counts.refused_count++;
  lk_log_false_term (self, index, term);
  drain_for_heartbeat (self, index, lk_text (LK_REASON_FALSE_TERM));
  if (self->ports.net.ops->cut != NULL)
    self->ports.net.ops->cut (self->ports.net.self, peer->id);
}

void
lk_controller_agent_message (LkController *self, const LkPeer *peer, const LkMessage *message)
{
  guint32 index = lk_controller_node_index (self, lk_text (peer->name));
  if (index >= self->node_count)
    return;
  LkTermProof proof;
  guint64 term = reported_term (message, &proof);
  if (term > self->term) {
    see_higher_term (self, peer, index, term, proof);
    return;
  }
  LkControllerNode *node = &self->nodes[index];
  node->peer = peer->id;
  node->has_peer = TRUE;
  node->heard_us = self->clock_us;
  if (message->kind == LK_MESSAGE_REGISTER)
    on_register (self, index, &message->register_node);
  else if (message->kind == LK_MESSAGE_REPORT)
    on_report (self, index, &message->report);
  else if (message->kind == LK_MESSAGE_HEARTBEAT)
    on_heartbeat (self, index, &message->heartbeat);
  else
    run_message (self, index, message);
  if (self->failure == LK_CONTROLLER_OK)
    lk_runs_act (self);
}

/* ---------------------------------------------------------------- silence */

gint64
lk_nodes_look_us (const LkController *self)
{
  return self->look_next_us;
}

/* Its agent has to begin anew before anything more is sent to it. */
static void
give_up_on (LkController *self, guint32 index)
{
  LkControllerNode *node = &self->nodes[index];
  set_ready (self, node, FALSE);
  node->epoch = 0;
  node->has_answered = FALSE;
  if (!is_down (self, index))
    post_node (self, index, LK_EVENT_NODE_DOWN, LK_REASON_NOT_RESPONDING);
}

/* Has nothing been heard for so long that its agent is not there?  One that does not come to report
 * is not either, whatever else it says: nothing can be launched there. */
static gboolean
is_silent (const LkController *self, const LkControllerNode *node)
{
  gint64 patience_us =
      node->epoch == 0 ? self->config.registration_wait_us : self->config.node_timeout_us;
  gint64 since_us = node->heard_us;
  if (node->epoch != 0 && !node->is_ready)
    since_us = MIN (since_us, node->unready_us);
  return lk_time_add_us (since_us, patience_us) <= self->clock_us;
}

/* Nothing runs there: somebody who knows has said so. */
static void
take_for_dead (LkController *self, LkControllerNode *node, guint32 index)
{
  node->is_said_dead = FALSE;
  drop_strays (self, node);
  for (guint i = 0; i < node->runs->len; i++) {
    LkRun *run = g_ptr_array_index (node->runs, i);
    lk_run_set_stage (self, run, lk_run_node (run, index), LK_ON_NODE_GONE);
  }
}

void
lk_nodes_look (LkController *self)
{
  g_autoptr (GArray) silent = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->look_next_us = lk_time_add_us (self->clock_us, self->config.heartbeat_us);
  for (guint32 i = 0; i < self->node_count; i++) {
    LkControllerNode *node = &self->nodes[i];
    if (!is_silent (self, node)) {
      /* Somebody has set it down, and its agent is well: it registers anew, and comes back. */
      if (self->config.returns_all && node->is_ready && is_down (self, i))
        begin_epoch (self, i, node->agent_id);
      continue;
    }
    if (!is_down (self, i)) {
      give_up_on (self, i);
      g_array_append_val (silent, i);
    } else if (node->is_said_dead)
      take_for_dead (self, node, i);
  }
  lk_log_silent (self, (const guint32 *)(gconstpointer)silent->data, silent->len);
  lk_runs_act (self);
}

/* ---------------------------------------------------------------- what the engine was told */

static gboolean
reason_is (LkText reason, const char *text)
{
  gsize length = strlen (text);
  return reason.length_bytes == length && memcmp (reason.bytes, text, length) == 0;
}

/* Somebody who knows says that nothing runs there: then nothing does, unless its agent is there to
 * say otherwise.  One that was heard lately, or has had no time to be heard, may be, between two
 * epochs: then he is believed when it has been silent for as long as any.  In recovery no agent is
 * there yet, and nothing is taken for granted. */
static void
believe_dead (LkController *self, guint32 index)
{
  LkControllerNode *node = &self->nodes[index];
  if (node->is_ready || self->is_recovering)
    return;
  if (is_silent (self, node))
    take_for_dead (self, node, index);
  else
    node->is_said_dead = TRUE;
}

static void
node_went_down (LkController *self, guint32 index, LkText reason)
{
  LkControllerNode *node = &self->nodes[index];
  node->is_awaited = reason_is (reason, LK_REASON_AWAITED);
  node->down_by_us = node->is_awaited || reason_is (reason, LK_REASON_NOT_RESPONDING);
  for (guint i = 0; i < node->runs->len; i++) {
    LkRun *run = g_ptr_array_index (node->runs, i);
    lk_run_drop_node (self, run, lk_run_node (run, index));
  }
  if (!node->down_by_us)
    believe_dead (self, index);
  if (self->config.returns_all && node->is_ready)
    self->look_next_us = MIN (self->look_next_us, lk_time_add_us (self->clock_us, RETURN_AFTER_US));
}

/* Nodes of a list, as the engine reads it; NULL: it refuses the list as a whole. */
static GArray *
listed_nodes (const LkController *self, LkText list)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  if (list.length_bytes == 0 || !lk_hostlist_expand (list.bytes, list.length_bytes, names, NULL))
    return NULL;
  for (guint i = 0; i < names->len; i++) {
    guint32 index = lk_controller_node_index (self, lk_text (g_ptr_array_index (names, i)));
    if (index >= self->node_count)
      return NULL;
    g_array_append_val (nodes, index);
  }
  return g_steal_pointer (&nodes);
}

/* Behind the event. */
static void
node_event (LkController *self, guint32 index, const LkEvent *event)
{
  LkControllerNode *node = &self->nodes[index];
  node->is_said_dead = node->is_said_dead && is_down (self, index);
  if (event->kind == LK_EVENT_NODE_DOWN || event->kind == LK_EVENT_NODE_DRAIN) {
    node->reason_user_id = self->asker_user_id;
    node->reason_us = event->time_us;
  }
  if (event->kind == LK_EVENT_NODE_DRAIN) {
    node->is_drain_asked = FALSE;
    node->drain_seq = event->seq;
  }
  if (event->kind != LK_EVENT_NODE_DOWN) {
    node->down_by_us = node->down_by_us && is_down (self, index);
    node->is_awaited = node->is_awaited && node->down_by_us;
  } else if (is_down (self, index))
    node_went_down (self, index, event->node_down.reason);
}

void
lk_controller_node_events (LkController *self, const LkEvent *event)
{
  GArray *nodes = NULL;
  if (event->kind == LK_EVENT_NODE_DOWN)
    nodes = listed_nodes (self, event->node_down.node);
  else if (event->kind == LK_EVENT_NODE_UP)
    nodes = listed_nodes (self, event->node_up.node);
  else if (event->kind == LK_EVENT_NODE_DRAIN)
    nodes = listed_nodes (self, event->node_drain.node);
  else if (event->kind == LK_EVENT_NODE_RESUME)
    nodes = listed_nodes (self, event->node_resume.node);
  for (guint i = 0; nodes != NULL && i < nodes->len; i++)
    node_event (self, g_array_index (nodes, guint32, i), event);
  if (nodes != NULL)
    g_array_unref (nodes);
}
