/* live/core/controller_log.c — what the controller's log reports of jobs, nodes and itself: in
 * Slurm's words where slurmctld has a line for it, with the number of the event.
 *
 * Nothing is decided here.  A journal that is replayed logs nothing: its lines were logged when it
 * was written.  Texts of users are passed as they are; the port escapes them. */
#include <string.h>

#include "engine/checked.h"
#include "engine/hostlist.h"
#include "engine/job_shown.h"
#include "live/core/controller_private.h"

/* A pass, or a write of the journal, that takes longer is reported. Source: slurmctld reports
 * processing times above 3 s, and notes those above 1 s. */
#define SLOW_US ((gint64)G_USEC_PER_SEC)
#define EVENT " event=%" G_GUINT64_FORMAT

/* ---------------------------------------------------------------- parts of lines */

gboolean
lk_controller_logs (const LkController *self, LkLogLevel level)
{
  return self->is_open && !self->is_recovering && lk_port_log_wants (&self->ports.log, level);
}

/* "JobId=7", of a task of an array "JobId=5_2(7)". Returns: (transfer full). */
char *
lk_log_job (const LkController *self, guint32 job_id)
{
  LkJobInfo info;
  if (lk_engine_job (self->engine, job_id, &info) && info.array_job_id != 0
      && info.array_task != LK_TASK_NONE)
    return g_strdup_printf ("JobId=%u_%u(%u)", info.array_job_id, info.array_task, job_id);
  return g_strdup_printf ("JobId=%u", job_id);
}

static const char *
node_name (const LkController *self, guint32 index)
{
  const char *name = self->nodes[index].name;
  return name[0] != '\0' ? name : "pool";
}

/* ---------------------------------------------------------------- decisions */

static void
log_start (const LkController *self, const LkEvent *cause, const LkDecision_start *start)
{
  LkJobInfo info = { 0 };
  const LkPortLog *port = &self->ports.log;
  g_autofree char *job = lk_log_job (self, start->job_id);
  lk_engine_job (self->engine, start->job_id, &info);
  const char *partition = lk_partition_name (self->engine, info.partition_id);
  if (start->backfilled)
    lk_port_log (port, LK_LOG_TOPIC_JOBS, LK_LOG_INFO,
                 "sched/backfill: _start_job: Started %s in %s on %.*s" EVENT, job, partition,
                 (int)start->nodes.length_bytes, start->nodes.bytes, cause->seq);
  else
    lk_port_log (port, LK_LOG_TOPIC_JOBS, LK_LOG_INFO,
                 "sched: Allocate %s NodeList=%.*s #CPUs=%u Partition=%s" EVENT, job,
                 (int)start->nodes.length_bytes, start->nodes.bytes, start->units, partition,
                 cause->seq);
}

static void
log_kill (const LkController *self, const LkEvent *cause, const LkDecision_kill *kill)
{
  g_autofree char *job = lk_log_job (self, kill->job_id);
  if (kill->why == LK_KILL_TIME_LIMIT)
    lk_port_log (&self->ports.log, LK_LOG_TOPIC_JOBS, LK_LOG_INFO,
                 "Time limit exhausted for %s" EVENT, job, cause->seq);
  else
    lk_port_log (&self->ports.log, LK_LOG_TOPIC_JOBS, LK_LOG_INFO, "Killing %s: %s" EVENT, job,
                 lk_kill_text (kill->why), cause->seq);
}

static void
log_preempt (const LkController *self, const LkEvent *cause, const LkDecision_preempt *preempt)
{
  static const char *const modes[] = { "preempted", "cancelled", "requeued", "suspended" };
  g_autofree char *job = lk_log_job (self, preempt->job_id);
  g_autofree char *winner = lk_log_job (self, preempt->for_job_id);
  lk_port_log (&self->ports.log, LK_LOG_TOPIC_JOBS, LK_LOG_INFO,
               "preempted %s has been %s to reclaim resources for %s" EVENT, job,
               modes[preempt->mode < G_N_ELEMENTS (modes) ? preempt->mode : 0], winner, cause->seq);
}

static void
log_requeue (const LkController *self, const LkEvent *cause, guint32 job_id)
{
  g_autofree char *job = lk_log_job (self, job_id);
  if (cause->kind == LK_EVENT_NODE_DOWN)
    lk_port_log (&self->ports.log, LK_LOG_TOPIC_JOBS, LK_LOG_INFO,
                 "requeue job %s due to failure of node %.*s" EVENT, job,
                 (int)cause->node_down.node.length_bytes, cause->node_down.node.bytes, cause->seq);
  else
    lk_port_log (&self->ports.log, LK_LOG_TOPIC_JOBS, LK_LOG_INFO, "Requeuing %s" EVENT, job,
                 cause->seq);
}

static void
log_notice (const LkController *self, const LkEvent *cause, const LkDecision_notice *notice)
{
  const LkPortLog *port = &self->ports.log;
  g_autofree char *job = lk_log_job (self, notice->job_id);
  if (!lk_job_state_is_end (notice->state))
    lk_port_log (port, LK_LOG_TOPIC_JOBS, LK_LOG_DEBUG2, "sched: %s State=%s Reason=%s" EVENT, job,
                 lk_job_state_name (notice->state), lk_reason_name (notice->reason), cause->seq);
  else if (notice->state == LK_JOB_NODE_FAIL && cause->kind == LK_EVENT_NODE_DOWN)
    lk_port_log (port, LK_LOG_TOPIC_JOBS, LK_LOG_ERROR, "Killing %s on failed node %.*s" EVENT, job,
                 (int)cause->node_down.node.length_bytes, cause->node_down.node.bytes, cause->seq);
  else
    lk_port_log (port, LK_LOG_TOPIC_JOBS, LK_LOG_INFO, "_job_complete: %s done State=%s" EVENT, job,
                 lk_job_state_name (notice->state), cause->seq);
}

void
lk_log_decision (const LkController *self, const LkEvent *cause, const LkDecision *decision)
{
  if (!lk_controller_logs (self, LK_LOG_ERROR))
    return;
  switch (decision->kind) {
  case LK_DECISION_START:
    log_start (self, cause, &decision->start);
    break;
  case LK_DECISION_KILL:
    log_kill (self, cause, &decision->kill);
    break;
  case LK_DECISION_PREEMPT:
    log_preempt (self, cause, &decision->preempt);
    break;
  case LK_DECISION_REQUEUE_JOB:
    log_requeue (self, cause, decision->requeue_job.job_id);
    break;
  case LK_DECISION_NOTICE:
    log_notice (self, cause, &decision->notice);
    break;
  case LK_DECISION_RESERVATION:
    lk_port_log (&self->ports.log, LK_LOG_TOPIC_DAEMON, LK_LOG_VERBOSE,
                 "sched: reservation=%.*s nodes=%.*s state %s" EVENT,
                 (int)decision->reservation.name.length_bytes, decision->reservation.name.bytes,
                 (int)decision->reservation.nodes.length_bytes, decision->reservation.nodes.bytes,
                 decision->reservation.state == 0   ? "INACTIVE"
                 : decision->reservation.state == 1 ? "ACTIVE"
                                                    : "ended",
                 cause->seq);
    break;
  default:
    break;
  }
}

/* ---------------------------------------------------------------- events of the controller */

static void
log_job_ended (const LkController *self, const LkEvent_job_ended *ended, guint64 seq)
{
  g_autofree char *job = lk_log_job (self, ended->job_id);
  lk_port_log (&self->ports.log, LK_LOG_TOPIC_JOBS, LK_LOG_INFO, "_job_complete: %s %s %u" EVENT,
               job, ended->signal != 0 ? "WTERMSIG" : "WEXITSTATUS",
               ended->signal != 0 ? ended->signal : ended->exit_code, seq);
}

static gboolean
text_is (LkText text, const char *string)
{
  return text.length_bytes == strlen (string)
         && memcmp (text.bytes, string, text.length_bytes) == 0;
}

static void
log_down (const LkController *self, const LkEvent_node_down *down, guint64 seq)
{
  const LkPortLog *port = &self->ports.log;
  /* All nodes that are silent are reported together, by lk_log_silent. */
  LkLogLevel level = text_is (down->reason, LK_REASON_NOT_RESPONDING) ? LK_LOG_VERBOSE
                     : text_is (down->reason, LK_REASON_AWAITED)      ? LK_LOG_INFO
                                                                      : LK_LOG_ERROR;
  lk_port_log (port, LK_LOG_TOPIC_NODES, level,
               "set_node_down: node %.*s state set to DOWN: %.*s" EVENT,
               (int)down->node.length_bytes, down->node.bytes, (int)down->reason.length_bytes,
               down->reason.bytes, seq);
}

void
lk_log_own_event (const LkController *self, const LkEvent *event, guint64 seq)
{
  const LkPortLog *port = &self->ports.log;
  if (!lk_controller_logs (self, LK_LOG_ERROR))
    return;
  switch (event->kind) {
  case LK_EVENT_JOB_ENDED:
    log_job_ended (self, &event->job_ended, seq);
    break;
  case LK_EVENT_NODE_DOWN:
    log_down (self, &event->node_down, seq);
    break;
  case LK_EVENT_NODE_UP:
    lk_port_log (port, LK_LOG_TOPIC_NODES, LK_LOG_INFO, "node %.*s returned to service" EVENT,
                 (int)event->node_up.node.length_bytes, event->node_up.node.bytes, seq);
    break;
  case LK_EVENT_NODE_DRAIN:
    lk_port_log (port, LK_LOG_TOPIC_NODES, LK_LOG_ERROR,
                 "drain_nodes: node %.*s state set to DRAIN: %.*s" EVENT,
                 (int)event->node_drain.node.length_bytes, event->node_drain.node.bytes,
                 (int)event->node_drain.reason.length_bytes, event->node_drain.reason.bytes, seq);
    break;
  default:
    lk_port_log (port, LK_LOG_TOPIC_DAEMON, LK_LOG_DEBUG3, "event %s" EVENT,
                 lk_event_kind_name (event->kind), seq);
    break;
  }
}

/* ---------------------------------------------------------------- agents */

void
lk_log_silent (const LkController *self, const guint32 *nodes, guint count)
{
  g_autoptr (GString) list = g_string_new (NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  if (count == 0 || !lk_controller_logs (self, LK_LOG_ERROR))
    return;
  for (guint i = 0; i < count; i++)
    g_ptr_array_add (names, (gpointer)node_name (self, nodes[i]));
  lk_hostlist_compress ((const char *const *)names->pdata, names->len, list);
  lk_port_log (&self->ports.log, LK_LOG_TOPIC_NODES, LK_LOG_ERROR,
               "Nodes %s not responding, setting DOWN", list->str);
}

void
lk_log_false_term (const LkController *self, guint32 index, guint64 term)
{
  if (lk_controller_logs (self, LK_LOG_ERROR))
    lk_port_log (&self->ports.log, LK_LOG_TOPIC_NODES, LK_LOG_ERROR,
                 "refused the agent of node %s: it reports term %" G_GUINT64_FORMAT
                 " without the proof of a controller; the term is %" G_GUINT64_FORMAT,
                 node_name (self, index), term, self->term);
}

void
lk_log_ready (const LkController *self, guint32 index, gboolean was_away)
{
  const LkControllerNode *node = &self->nodes[index];
  if (!lk_controller_logs (self, LK_LOG_INFO))
    return;
  lk_port_log (&self->ports.log, LK_LOG_TOPIC_NODES, LK_LOG_DEBUG,
               "validate_node_specs: node %s registered with %u jobs, version %s, host %s",
               node_name (self, index), node->runs->len, node->version, node->host);
  if (was_away)
    lk_port_log (&self->ports.log, LK_LOG_TOPIC_NODES, LK_LOG_INFO, "Node %s now responding",
                 node_name (self, index));
}

void
lk_log_run_trouble (const LkController *self, const LkRun *run, guint32 index, guint8 trouble)
{
  if (trouble == LK_TROUBLE_NONE || trouble == LK_TROUBLE_COMPLETE_BEFORE
      || !lk_controller_logs (self, LK_LOG_ERROR))
    return;
#define X(NAME, number, text) [number] = text,
  static const char *const texts[] = { LK_TROUBLES (X) };
#undef X
  g_autofree char *job = lk_log_job (self, run->job_id);
  gboolean is_node = trouble != LK_TROUBLE_OUT_OF_MEMORY;
  lk_port_log (&self->ports.log, LK_LOG_TOPIC_JOBS, is_node ? LK_LOG_ERROR : LK_LOG_INFO,
               "%s %s from node=%s: %s", is_node ? "slurmd error running" : "out of memory:", job,
               node_name (self, index),
               trouble < G_N_ELEMENTS (texts) ? texts[trouble] : "unknown");
}

/* ---------------------------------------------------------------- the controller itself */

void
lk_log_overlong (const LkController *self, LkMessageKind kind, gsize length_bytes)
{
  lk_port_log (&self->ports.log, LK_LOG_TOPIC_DAEMON, LK_LOG_ERROR,
               "message %s not sent: it has %" G_GSIZE_FORMAT " bytes, at most %" G_GSIZE_FORMAT
               " are allowed",
               lk_message_kind_name (kind), length_bytes, lk_message_max_bytes (kind));
}

void
lk_log_pass (const LkController *self, gint64 took_us)
{
  const LkControllerWork *work = &self->work;
  if (!lk_controller_logs (self, LK_LOG_INFO))
    return;
  if (took_us >= SLOW_US)
    lk_port_log (&self->ports.log, LK_LOG_TOPIC_DAEMON, LK_LOG_INFO,
                 "Warning: Note very large processing time from schedule: usec=%" G_GINT64_FORMAT
                 " pending=%u" EVENT,
                 took_us, work->queue_last, self->seq);
  else
    lk_port_log (&self->ports.log, LK_LOG_TOPIC_DAEMON, LK_LOG_DEBUG3,
                 "sched: schedule: usec=%" G_GINT64_FORMAT " pending=%u" EVENT, took_us,
                 work->queue_last, self->seq);
}

void
lk_log_snapshot (const LkController *self, gsize length_bytes)
{
  if (lk_controller_logs (self, LK_LOG_VERBOSE))
    lk_port_log (&self->ports.log, LK_LOG_TOPIC_DAEMON, LK_LOG_VERBOSE,
                 "Saving all slurm state: snapshot of %" G_GSIZE_FORMAT " bytes" EVENT,
                 length_bytes, self->seq);
}

void
lk_log_recovered (const LkController *self)
{
  LkEngineCounts counts;
  const LkPortLog *port = &self->ports.log;
  if (self->seq == 0)
    return;
  lk_engine_counts (self->engine, &counts);
  lk_port_log (port, LK_LOG_TOPIC_DAEMON, LK_LOG_INFO, "Recovered state of %u nodes",
               self->node_count);
  lk_port_log (port, LK_LOG_TOPIC_DAEMON, LK_LOG_INFO,
               "Recovered information about %u jobs: %u pending, %u running" EVENT,
               counts.pending_count + counts.running_count, counts.pending_count,
               counts.running_count, self->seq);
}

/* ---------------------------------------------------------------- the level */

guint
lk_controller_log_level (const LkController *self)
{
  const LkPortLog *port = &self->ports.log;
  return port->ops != NULL ? port->ops->level (port->self) : LK_LOG_QUIET;
}

void
lk_controller_answer_log_level (LkController *self, const LkPeer *peer, guint64 request,
                                LkReject error)
{
  LkMessage answer = { .kind = LK_MESSAGE_LOG_LEVEL_SET };
  answer.log_level_set = (LkMessage_log_level_set){ .request = request, .error = (guint16)error };
  lk_controller_send (self, peer->id, &answer);
}

void
lk_controller_set_log_level (LkController *self, const LkPeer *peer,
                             const LkMessage_log_level *message)
{
  const LkPortLog *port = &self->ports.log;
  if (message->level >= LK_LOG_LEVEL_COUNT || port->ops == NULL) {
    lk_controller_answer_log_level (self, peer, message->request,
                                    port->ops == NULL ? LK_REJECT_DISABLED
                                                      : LK_REJECT_REQUEST_INVALID);
    return;
  }
  /* With either level, so that the log shows where it begins to be silent. */
  gboolean is_lower = message->level < port->ops->level (port->self);
  if (!is_lower)
    port->ops->set_level (port->self, message->level);
  lk_port_log (port, LK_LOG_TOPIC_DAEMON, LK_LOG_INFO, "Set debug level to '%s' uid=%u",
               lk_log_level_name (message->level), peer->user_id);
  port->ops->set_level (port->self, message->level);
  lk_controller_answer_log_level (self, peer, message->request, 0);
}
