/* live/core/controller_log_requests.c — what the controller's log reports of requests: whose they
 * are, what became of them, and how the configuration changes.
 *
 * Environments and scripts are not in these events, and so never in the log. */
#include <string.h>

#include "engine/hostlist.h"
#include "engine/job_shown.h"
#include "live/core/controller_private.h"

#define WHO " uid=%u event=%" G_GUINT64_FORMAT
/* Lines of the configuration that changed; the rest is counted. */
#define CHANGED_LINES_MAX 20u

/* ---------------------------------------------------------------- what a request is about */

static void
add_text (GString *out, const char *before, LkText text)
{
  if (text.length_bytes == 0)
    return;
  g_string_append (out, before);
  g_string_append_len (out, text.bytes, text.length_bytes);
}

static void
add_cancel (GString *out, const LkEvent_cancel *cancel)
{
  if ((cancel->filter & LK_FILTER_USER_ID) != 0)
    g_string_append_printf (out, " UserId=%u", cancel->user_id);
  add_text (out, " JobName=", cancel->name);
  add_text (out, " Partition=", cancel->partition);
  add_text (out, " Account=", cancel->account);
  add_text (out, " QOS=", cancel->qos);
  add_text (out, " Reservation=", cancel->reservation);
}

static void
add_submit (const LkController *self, GString *out, const LkEvent_submit *submit)
{
  const LkView *view = lk_engine_view (self->engine);
  LkJobIndex job = lk_engine_job_index (self->engine, submit->job_id);
  LkPriorityParts parts = { .size = sizeof parts };
  if (job != LK_JOB_NONE
      && lk_engine_priority_parts (self->engine, job, view->jobs->partition[job], &parts))
    g_string_append_printf (out, " InitPrio=%u", parts.priority);
  if (job != LK_JOB_NONE)
    g_string_append_printf (out, " Partition=%s",
                            lk_partition_name (self->engine, view->jobs->partition[job]));
}

static void
add_accounts (GString *out, const LkEvent *event)
{
  static const char *const operations[] = { "added", "changed", "deleted" };
  guint8 operation =
      event->kind == LK_EVENT_QOS ? event->qos.operation : event->association.operation;
  if (event->kind == LK_EVENT_QOS)
    add_text (out, " qos=", event->qos.name);
  else {
    add_text (out, " account=", event->association.account);
    add_text (out, " user=", event->association.user);
    add_text (out, " partition=", event->association.partition);
  }
  g_string_append_printf (out, " %s",
                          operation < G_N_ELEMENTS (operations) ? operations[operation] : "");
}

/* Without the job, which the caller has. */
static void
add_event (const LkController *self, GString *out, const LkEvent *event)
{
  switch (event->kind) {
  case LK_EVENT_SUBMIT:
    add_submit (self, out, &event->submit);
    break;
  case LK_EVENT_CANCEL:
    add_cancel (out, &event->cancel);
    break;
  case LK_EVENT_SIGNAL:
    g_string_append_printf (out, " signal %u", event->signal.signal);
    break;
  case LK_EVENT_RESERVATION_CREATE:
    add_text (out, " reservation=", event->reservation_create.name);
    break;
  case LK_EVENT_RESERVATION_UPDATE:
    add_text (out, " reservation=", event->reservation_update.name);
    break;
  case LK_EVENT_RESERVATION_DELETE:
    add_text (out, " reservation=", event->reservation_delete.name);
    break;
  case LK_EVENT_PARTITION:
    add_text (out, " partition ", event->partition.name);
    break;
  case LK_EVENT_ASSOCIATION:
  case LK_EVENT_QOS:
    add_accounts (out, event);
    break;
  default:
    break;
  }
}

/* ---------------------------------------------------------------- what became of it */

/* slurmctld's names of requests, its own functions among them. */
static const struct {
  LkEventKind kind;
  LkLogTopic topic;
  const char *name;
} requests[] = {
  { LK_EVENT_SUBMIT, LK_LOG_TOPIC_REQUESTS, "_slurm_rpc_submit_batch_job" },
  { LK_EVENT_CANCEL, LK_LOG_TOPIC_REQUESTS, "_slurm_rpc_kill_job: REQUEST_KILL_JOB" },
  { LK_EVENT_SIGNAL, LK_LOG_TOPIC_REQUESTS, "_slurm_rpc_kill_job: REQUEST_KILL_JOB" },
  { LK_EVENT_UPDATE, LK_LOG_TOPIC_REQUESTS, "_slurm_rpc_update_job: complete" },
  { LK_EVENT_HOLD, LK_LOG_TOPIC_REQUESTS, "_slurm_rpc_update_job: hold" },
  { LK_EVENT_RELEASE, LK_LOG_TOPIC_REQUESTS, "_slurm_rpc_update_job: release" },
  { LK_EVENT_REQUEUE, LK_LOG_TOPIC_REQUESTS, "_slurm_rpc_requeue: Requeue of" },
  { LK_EVENT_SUSPEND, LK_LOG_TOPIC_REQUESTS, "_slurm_rpc_suspend(suspend) for" },
  { LK_EVENT_RESUME, LK_LOG_TOPIC_REQUESTS, "_slurm_rpc_suspend(resume) for" },
  { LK_EVENT_RESERVATION_CREATE, LK_LOG_TOPIC_DAEMON, "sched: Created" },
  { LK_EVENT_RESERVATION_UPDATE, LK_LOG_TOPIC_DAEMON, "_slurm_rpc_resv_update complete for" },
  { LK_EVENT_RESERVATION_DELETE, LK_LOG_TOPIC_DAEMON, "_slurm_rpc_resv_delete complete for" },
  { LK_EVENT_PARTITION, LK_LOG_TOPIC_DAEMON, "_slurm_rpc_update_partition complete for" },
  { LK_EVENT_ASSOCIATION, LK_LOG_TOPIC_DAEMON, "accounts" },
  { LK_EVENT_QOS, LK_LOG_TOPIC_DAEMON, "accounts" },
};

/* Two lines, as slurmctld has them: tools look for either. */
static void
log_node (const LkController *self, const LkEvent *event, guint32 user_id,
          const LkMessage_reply *reply)
{
  const LkPortLog *port = &self->ports.log;
  const char *state = event->kind == LK_EVENT_NODE_UP      ? "UP"
                      : event->kind == LK_EVENT_NODE_DOWN  ? "DOWN"
                      : event->kind == LK_EVENT_NODE_DRAIN ? "DRAIN"
                                                           : "RESUME";
  gboolean has_reason = event->kind == LK_EVENT_NODE_DOWN || event->kind == LK_EVENT_NODE_DRAIN;
  LkText node = event->node_up.node;
  if (reply->error == 0 && has_reason && event->node_down.reason.length_bytes > 0)
    lk_port_log (port, LK_LOG_TOPIC_NODES, LK_LOG_INFO,
                 "update_node: node %.*s reason set to: %.*s" WHO, (int)node.length_bytes,
                 node.bytes, (int)event->node_down.reason.length_bytes,
                 event->node_down.reason.bytes, user_id, self->seq);
  lk_port_log (port, LK_LOG_TOPIC_NODES, LK_LOG_INFO,
               "update_node: node %.*s state set to %s%s%s" WHO, (int)node.length_bytes, node.bytes,
               state, reply->error != 0 ? ": refused: " : "",
               reply->error != 0 ? lk_reject_text (reply->error) : "", user_id, self->seq);
}

static gboolean
is_of_node (const LkEvent *event)
{
  return event->kind == LK_EVENT_NODE_UP || event->kind == LK_EVENT_NODE_DOWN
         || event->kind == LK_EVENT_NODE_DRAIN || event->kind == LK_EVENT_NODE_RESUME;
}

void
lk_log_request (const LkController *self, const LkEvent *event, guint32 user_id,
                const LkMessage_reply *reply)
{
  guint at = 0;
  if (!lk_controller_logs (self, LK_LOG_INFO))
    return;
  if (is_of_node (event)) {
    log_node (self, event, user_id, reply);
    return;
  }
  while (at < G_N_ELEMENTS (requests) && requests[at].kind != event->kind)
    at++;
  if (at == G_N_ELEMENTS (requests))
    return;
  g_autoptr (GString) line = g_string_new (requests[at].name);
  guint32 job_id = event->kind == LK_EVENT_SUBMIT ? reply->job_id : lk_event_job_id (event);
  g_autofree char *job = lk_log_job (self, job_id);
  if (event->kind == LK_EVENT_SUBMIT && reply->error == 0)
    g_string_append_c (line, ':');
  if (job_id != 0)
    g_string_append_printf (line, " %s", job);
  add_event (self, line, event);
  if (reply->error != 0)
    g_string_append_printf (line, ": refused: %s", lk_reject_text (reply->error));
  lk_port_log (&self->ports.log, requests[at].topic, LK_LOG_INFO, "%s" WHO, line->str, user_id,
               self->seq);
}

/* ---------------------------------------------------------------- messages */

static void
add_peer (GString *out, const LkPeer *peer)
{
  if (peer->kind == LK_PEER_USER)
    g_string_append_printf (out, "uid=%u", peer->user_id);
  else if (peer->kind == LK_PEER_JOB)
    g_string_append_printf (out, "uid=%u in run %" G_GUINT64_FORMAT " on %s", peer->user_id,
                            peer->run_id, peer->node != NULL ? peer->node : "?");
  else if (peer->kind == LK_PEER_AGENT)
    g_string_append_printf (out, "node %s", peer->name != NULL ? peer->name : "?");
  else
    g_string_append (out, peer->kind == LK_PEER_STANDBY ? "a standby" : "an unknown peer");
}

void
lk_log_message (const LkController *self, const LkPeer *peer, const LkMessage *message)
{
  if (!lk_controller_logs (self, LK_LOG_DEBUG2))
    return;
  /* slurmd's messages are one level more in slurmctld, too: there are many. */
  LkLogLevel level = peer->kind == LK_PEER_USER ? LK_LOG_DEBUG2 : LK_LOG_DEBUG3;
  g_autoptr (GString) who = g_string_new (NULL);
  add_peer (who, peer);
  lk_port_log (&self->ports.log, LK_LOG_TOPIC_REQUESTS, level, "Processing RPC: %s from %s",
               lk_message_kind_name (message->kind), who->str);
}

void
lk_log_refused (const LkController *self, const LkPeer *peer, const LkMessage *message)
{
  g_autoptr (GString) who = g_string_new (NULL);
  g_autoptr (GString) job = g_string_new (NULL);
  const LkRequestHead *head = message != NULL ? lk_message_request (message) : NULL;
  LkEvent event;
  if (!lk_controller_logs (self, LK_LOG_ERROR))
    return;
  add_peer (who, peer);
  if (message != NULL && lk_controller_is_step_request (message))
    g_string_append_printf (job, " for JobId=%u", lk_controller_step_job (message));
  else if (head != NULL
           && lk_event_decode (head->event.bytes, head->event.length_bytes, &event) != 0
           && event.kind != LK_EVENT_SUBMIT && lk_event_job_id (&event) != 0)
    g_string_append_printf (job, " for JobId=%u", lk_event_job_id (&event));
  lk_port_log (
      &self->ports.log, LK_LOG_TOPIC_REQUESTS, LK_LOG_ERROR, "Security violation, %s RPC%s from %s",
      message != NULL ? lk_message_kind_name (message->kind) : "malformed", job->str, who->str);
}

/* ---------------------------------------------------------------- the configuration */

typedef struct {
  const LkController *self;
  guint count;
} Changes;

static void
log_change (Changes *changes, const char *what, const char *line)
{
  if (changes->count++ < CHANGED_LINES_MAX)
    lk_port_log (&changes->self->ports.log, LK_LOG_TOPIC_DAEMON, LK_LOG_INFO, "reconfigure: %s %s",
                 what, line);
}

/* "partition main" of a line. Returns: (transfer full). */
static char *
key_of (const char *line)
{
  const char *blank = strchr (line, ' ');
  const char *end = blank != NULL ? strchr (blank + 1, ' ') : NULL;
  return end != NULL ? g_strndup (line, (gsize)(end - line)) : g_strdup (line);
}

/* Lines of a canonical text by their keys. */
static GHashTable *
lines_of (const GPtrArray *lines)
{
  GHashTable *table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < lines->len; i++)
    g_hash_table_insert (table, key_of (g_ptr_array_index (lines, i)),
                         g_ptr_array_index (lines, i));
  return table;
}

/* Returns: (transfer full), of char *. */
static GPtrArray *
split (const char *text, gsize length_bytes, char between)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func (g_free);
  const char *end = text + length_bytes;
  while (text < end) {
    const char *next = memchr (text, between, (gsize)(end - text));
    next = next != NULL ? next : end;
    g_ptr_array_add (parts, g_strndup (text, (gsize)(next - text)));
    text = next + 1;
  }
  return parts;
}

/* The members of a line that differ; both have the same members in the same order. */
static void
log_members (Changes *changes, const char *key, const char *before, const char *now)
{
  GPtrArray *old = split (before, strlen (before), ' ');
  GPtrArray *new = split (now, strlen (now), ' ');
  g_autoptr (GString) line = g_string_new (key);
  for (guint i = 0; i < new->len; i++) {
    const char *was = i < old->len ? g_ptr_array_index (old, i) : "";
    const char *is = g_ptr_array_index (new, i);
    const char *sign = strchr (is, '=');
    if (strcmp (was, is) != 0)
      g_string_append_printf (line, " %s -> %s", was, sign != NULL ? sign + 1 : is);
  }
  log_change (changes, "changed", line->str);
  g_ptr_array_unref (old);
  g_ptr_array_unref (new);
}

static void
log_lines (Changes *changes, LkLongText before, LkLongText now)
{
  GPtrArray *old = split (before.bytes, before.length_bytes, '\n');
  GPtrArray *new = split (now.bytes, now.length_bytes, '\n');
  GHashTable *old_lines = lines_of (old);
  GHashTable *new_lines = lines_of (new);
  for (guint i = 0; i < new->len; i++) {
    const char *line = g_ptr_array_index (new, i);
    g_autofree char *key = key_of (line);
    const char *was = g_hash_table_lookup (old_lines, key);
    if (was == NULL)
      log_change (changes, "added", line);
    else if (strcmp (was, line) != 0)
      log_members (changes, key, was, line);
  }
  for (guint i = 0; i < old->len; i++) {
    g_autofree char *key = key_of (g_ptr_array_index (old, i));
    if (!g_hash_table_contains (new_lines, key))
      log_change (changes, "removed", g_ptr_array_index (old, i));
  }
  g_hash_table_unref (old_lines);
  g_hash_table_unref (new_lines);
  g_ptr_array_unref (old);
  g_ptr_array_unref (new);
}

static void
log_policy (Changes *changes, const char *seam, LkText before, LkText now)
{
  g_autoptr (GString) line = g_string_new (seam);
  if (before.length_bytes == now.length_bytes
      && memcmp (before.bytes, now.bytes, now.length_bytes) == 0)
    return;
  add_text (line, " ", before);
  add_text (line, " -> ", now);
  log_change (changes, "changed", line->str);
}

void
lk_log_reconfigure (const LkController *self, const LkJournalHeader *wanted)
{
  LkJournalHeader before = *self->config.header;
  Changes changes = { self, 0 };
  if (!lk_controller_logs (self, LK_LOG_INFO))
    return;
  lk_engine_config_described (self->engine, &before);
  log_policy (&changes, "order", before.order, wanted->order);
  log_policy (&changes, "backfill", before.backfill, wanted->backfill);
  log_policy (&changes, "select", before.select, wanted->select);
  log_policy (&changes, "preempt", before.preempt, wanted->preempt);
  log_lines (&changes, before.cluster, wanted->cluster);
  if (changes.count > CHANGED_LINES_MAX)
    lk_port_log (&self->ports.log, LK_LOG_TOPIC_DAEMON, LK_LOG_INFO,
                 "reconfigure: %u more lines differ (CHANGED_LINES_MAX is %u)",
                 changes.count - CHANGED_LINES_MAX, CHANGED_LINES_MAX);
}

void
lk_log_reading (const LkController *self, const LkInboxEntry *entry)
{
  if (entry->is_asked && lk_controller_logs (self, LK_LOG_INFO))
    lk_port_log (&self->ports.log, LK_LOG_TOPIC_DAEMON, LK_LOG_INFO,
                 "Processing Reconfiguration Request uid=%u", entry->user_id);
}

void
lk_log_change (const LkController *self, guint32 user_id, const LkClusterChange *change,
               LkReject error)
{
  static const char *const names[] = { "", "_slurm_rpc_create_partition complete for",
                                       "_slurm_rpc_update_partition complete for",
                                       "_slurm_rpc_delete_partition complete for",
                                       "_slurm_rpc_update_node complete for" };
  if (change->operation >= G_N_ELEMENTS (names) || !lk_controller_logs (self, LK_LOG_INFO))
    return;
  lk_port_log (&self->ports.log, LK_LOG_TOPIC_DAEMON, LK_LOG_INFO, "%s %.*s%s%s" WHO,
               names[change->operation], (int)change->name.length_bytes, change->name.bytes,
               error != 0 ? ": refused: " : "", error != 0 ? lk_reject_text (error) : "", user_id,
               self->seq);
}
