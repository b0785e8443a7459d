/* tests/dst/parity.c — see the header. */
#include "tests/dst/parity.h"

#include <stdio.h>

#include "engine/assert.h"
#include "tests/dst/cluster.h"

/* Long enough before the first event for all agents to register. */
#define LEAD_US G_USEC_PER_SEC
#define QUIET_US ((gint64)1 << 60)
/* None of the users of the journal, so that what is asked stays as it was. */
#define OPERATOR_ID G_MAXUINT32

/* One run of a job, as the journal tells it. */
typedef struct {
  gint64 start_us;
  gint64 stopped_us; /* suspended since; LK_TIME_NEVER: it is not */
  gint64 pause_us;   /* suspended before */
  gboolean is_killed;
  gboolean has_ended;
  LkProcessSimPlan plan;
} Run;

/* One request: an event, or the components of a heterogeneous job. */
typedef struct {
  gint64 time_us;
  gboolean is_late; /* it came when the instant had been settled */
  LkMessageKind kind;
  GArray *events; /* of LkEvent; their texts lie in the journal */
} Request;

typedef struct {
  LkJournalHeader header;
  GArray *requests;   /* of Request, by time */
  GHashTable *owners; /* user ids, by job id */
  GHashTable *runs;   /* GArray of Run, by job id */
  gint64 first_us;    /* of the first event */
  guint64 event_count;
  LkDigestValue digest;
  gint64 settled_us; /* the last timer or pass */
} Script;

static void
request_clear (gpointer data)
{
  g_array_unref (((Request *)data)->events);
}

static void
runs_free (gpointer data)
{
  g_array_unref (data);
}

static void
script_clear (Script *self)
{
  g_array_unref (self->requests);
  g_hash_table_destroy (self->runs);
  g_hash_table_destroy (self->owners);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Script, script_clear)

/* ---------------------------------------------------------------- reading the journal */

static Run *
last_run (const Script *self, guint32 job_id)
{
  GArray *runs = g_hash_table_lookup (self->runs, GUINT_TO_POINTER (job_id));
  return runs != NULL ? &g_array_index (runs, Run, runs->len - 1) : NULL;
}

static void
begin_run (Script *self, guint32 job_id, gint64 now_us)
{
  GArray *runs = g_hash_table_lookup (self->runs, GUINT_TO_POINTER (job_id));
  Run run = { .start_us = now_us, .stopped_us = LK_TIME_NEVER, .plan = { .script_us = QUIET_US } };
  if (runs == NULL) {
    runs = g_array_new (FALSE, TRUE, sizeof (Run));
    g_hash_table_insert (self->runs, GUINT_TO_POINTER (job_id), runs);
  }
  g_array_append_val (runs, run);
}

/* One that was told to end ends when it is told to. */
static void
end_run (const Script *self, const LkEvent_job_ended *ended, gint64 now_us)
{
  Run *run = last_run (self, ended->job_id);
  if (run == NULL || run->has_ended)
    return;
  run->has_ended = TRUE;
  run->plan.script = (LkExit){ .exit_code = ended->exit_code,
                               .signal = ended->signal,
                               .cancelled = ended->cancelled,
                               .trouble = ended->trouble };
  if (!run->is_killed)
    run->plan.script_us = now_us - run->start_us - run->pause_us;
}

static void
read_decision (Script *self, gint64 now_us, const LkDecision *decision)
{
  Run *run;
  switch (decision->kind) {
  case LK_DECISION_START:
    begin_run (self, decision->start.job_id, now_us);
    break;
  case LK_DECISION_KILL:
    run = last_run (self, decision->kill.job_id);
    if (run != NULL)
      run->is_killed = TRUE;
    break;
  case LK_DECISION_SUSPEND_JOB:
    run = last_run (self, decision->suspend_job.job_id);
    if (run != NULL && run->stopped_us == LK_TIME_NEVER)
      run->stopped_us = now_us;
    break;
  case LK_DECISION_RESUME_JOB:
    run = last_run (self, decision->resume_job.job_id);
    if (run != NULL && run->stopped_us != LK_TIME_NEVER) {
      run->pause_us += now_us - run->stopped_us;
      run->stopped_us = LK_TIME_NEVER;
    }
    break;
  case LK_DECISION_TASK:
    g_hash_table_insert (
        self->owners, GUINT_TO_POINTER (decision->task.job_id),
        g_hash_table_lookup (self->owners, GUINT_TO_POINTER (decision->task.array_job_id)));
    break;
  default:
    break;
  }
}

static LkMessageKind
message_of (LkEventKind kind)
{
  for (guint i = 1; i <= LK_MESSAGE_QOS; i++)
    if (lk_message_event_kind (i) == kind)
      return (LkMessageKind)i;
  return (LkMessageKind)0;
}

static void
read_request (Script *self, const LkEvent *event)
{
  gboolean is_component = event->kind == LK_EVENT_SUBMIT && event->submit.het_offset > 0;
  if (is_component && self->requests->len > 0) {
    Request *last = &g_array_index (self->requests, Request, self->requests->len - 1);
    g_array_append_val (last->events, *event);
    return;
  }
  Request request = { .time_us = event->time_us,
                      .is_late = event->time_us == self->settled_us,
                      .kind = message_of (event->kind),
                      .events = g_array_new (FALSE, FALSE, sizeof (LkEvent)) };
  g_array_append_val (request.events, *event);
  g_array_append_val (self->requests, request);
}

static void
note_owner (const Script *self, guint32 job_id, guint32 user_id)
{
  g_hash_table_insert (self->owners, GUINT_TO_POINTER (job_id), GUINT_TO_POINTER (user_id));
}

static void
read_event (Script *self, const LkEvent *event)
{
  if (self->event_count++ == 0)
    self->first_us = event->time_us;
  if (event->kind == LK_EVENT_TIMER || event->kind == LK_EVENT_PASS)
    self->settled_us = event->time_us;
  if (event->kind == LK_EVENT_JOB_ENDED)
    end_run (self, &event->job_ended, event->time_us);
  else if (message_of (event->kind) != 0)
    read_request (self, event);
  if (event->kind == LK_EVENT_SUBMIT)
    note_owner (self, event->submit.job_id, event->submit.user_id);
}

static gboolean
read_journal (Script *self, const guint8 *bytes, gsize length_bytes, GError **error)
{
  LkEvent event;
  LkDecision decision;
  LkJournalCheckpoint checkpoint = { 0 };
  const char *fault;
  self->requests = g_array_new (FALSE, FALSE, sizeof (Request));
  g_array_set_clear_func (self->requests, request_clear);
  self->settled_us = G_MININT64;
  self->owners = g_hash_table_new (g_direct_hash, g_direct_equal);
  self->runs = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL, runs_free);
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (bytes, length_bytes, &self->header, &fault);
  if (reader == NULL) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "the journal: %s", fault);
    return FALSE;
  }
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT) {
    read_event (self, &event);
    while (lk_journal_reader_decision (reader, &decision))
      read_decision (self, event.time_us, &decision);
  }
  if (!lk_journal_reader_checkpoint (reader, &checkpoint))
    return TRUE;
  self->digest = checkpoint.digest;
  return TRUE;
}

/* ---------------------------------------------------------------- playing it */

static void
plan_run (gpointer user, const LkMessage_launch *launch, LkProcessSimPlan *plan)
{
  const Script *script = user;
  GArray *runs = g_hash_table_lookup (script->runs, GUINT_TO_POINTER (launch->job_id));
  if (runs == NULL || launch->restarts >= runs->len)
    return;
  *plan = g_array_index (runs, Run, launch->restarts).plan;
}

/* Where the script is. */
typedef struct {
  DstCluster *cluster;
  const Script *script;
  guint next;
  guint asked_for; /* the request for whose moment the world has been asked */
  guint64 goal;    /* events */
} Play;

/* Some requests say that they are of a user, not of staff: then they come from whose the job is. */
static gboolean
is_of_owner (const LkEvent *event)
{
  switch (event->kind) {
  case LK_EVENT_UPDATE:
    return event->update.by_admin == 0;
  case LK_EVENT_HOLD:
    return event->hold.by_admin == 0;
  case LK_EVENT_RELEASE:
    return event->release.by_user != 0;
  default:
    return FALSE;
  }
}

/* A message of its own session, without anybody who waits for the reply. */
static void
ask (Play *self, const Request *request)
{
  g_autoptr (GByteArray) events = g_byte_array_new ();
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  const LkEvent *first = &g_array_index (request->events, LkEvent, 0);
  LkMessage message = { .kind = request->kind };
  LkPeer peer = {
    .id = G_MAXUINT32, .kind = LK_PEER_USER, .user_id = OPERATOR_ID, .name = "operator"
  };
  for (guint i = 0; i < request->events->len; i++)
    lk_event_encode (&g_array_index (request->events, LkEvent, i), events);
  if (is_of_owner (first))
    peer.user_id = GPOINTER_TO_UINT (
        g_hash_table_lookup (self->script->owners, GUINT_TO_POINTER (lk_event_job_id (first))));
  LkRequestHead *head = (LkRequestHead *)(gpointer)lk_message_request (&message);
  *head = (LkRequestHead){ .session = self->next + 1,
                           .request = 1,
                           .event = { events->data, events->len } };
  lk_message_encode (&message, bytes);
  lk_controller_message (self->cluster->hosts[0].core, &peer, bytes->data, bytes->len);
}

static void ask_next (gpointer user, gpointer data);

/* All requests of this instant up to one that comes when it has been settled; those too, if it has
 * been. */
static void
ask_due (Play *self, gboolean is_settled)
{
  const GArray *requests = self->script->requests;
  gint64 now_us = dst_now_us (self->cluster);
  while (self->next < requests->len) {
    const Request *request = &g_array_index (requests, Request, self->next);
    if (request->time_us > now_us && self->asked_for != self->next) {
      self->asked_for = self->next;
      lk_world_at (self->cluster->world, request->time_us, ask_next, self, NULL, NULL);
    }
    if (request->time_us > now_us || (request->is_late && !is_settled))
      return;
    ask (self, request);
    self->next++;
  }
}

static void
ask_next (gpointer user, gpointer data)
{
  (void)data;
  ask_due (user, /* is_settled= */ FALSE);
}

static void
nothing (gpointer user, gpointer data)
{
  (void)user;
  (void)data;
}

/* The instant is not over when something is asked now. */
static void
on_instant (gpointer user)
{
  Play *self = user;
  guint before = self->next;
  ask_due (self, /* is_settled= */ TRUE);
  if (self->next != before)
    lk_world_at (self->cluster->world, dst_now_us (self->cluster), nothing, NULL, NULL, NULL);
}

static void
print_line (gpointer user, gint64 now_us, const char *line)
{
  (void)user;
  printf ("%" G_GINT64_FORMAT " %s\n", now_us, line);
}

static gboolean
is_reached (gpointer user)
{
  const Play *self = user;
  LkEngineCounts counts;
  const LkController *core = self->cluster->hosts[0].core;
  if (core == NULL)
    return TRUE;
  lk_engine_counts (lk_controller_engine (core), &counts);
  return counts.event_count >= self->goal;
}

static DstCluster *
new_cluster (Play *play, Script *script, const LkSetup *setup)
{
  DstOptions options = { .seed = 1,
                         .start_us = script->first_us - LEAD_US,
                         .setup = setup,
                         .source = "parity",
                         .controller = { .administrator_user_id = OPERATOR_ID,
                                         .heartbeat_us = QUIET_US,
                                         .node_timeout_us = QUIET_US,
                                         .registration_wait_us = QUIET_US,
                                         .retry_us = QUIET_US,
                                         .snapshot_events = G_MAXUINT64,
                                         .session_count_max = 64 },
                         .agent_retry_us = QUIET_US,
                         .client_retry_us = QUIET_US,
                         .watch = { .instant = on_instant, .user = play },
                         .plan = plan_run,
                         .planner = script };
  return dst_cluster_new (&options);
}

gboolean
lk_parity_play (const guint8 *bytes, gsize length_bytes, gboolean tells, LkParity *out_parity,
                GError **error)
{
  g_auto (Script) script = { 0 };
  LkNetSimCounts net;
  LkEngineCounts counts;
  if (!read_journal (&script, bytes, length_bytes, error))
    return FALSE;
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (LkSetup) setup = lk_setup_new_from_header (registry, &script.header, error);
  if (setup == NULL)
    return FALSE;
  Play play = { .script = &script, .goal = script.event_count, .asked_for = G_MAXUINT };
  g_autoptr (DstCluster) cluster = play.cluster = new_cluster (&play, &script, setup);
  if (tells)
    dst_tell_to (cluster, print_line, NULL);
  dst_run (cluster, QUIET_US, is_reached, &play);
  const LkEngine *engine = lk_controller_engine (cluster->hosts[0].core);
  lk_engine_counts (engine, &counts);
  lk_net_sim_counts (cluster->net, &net);
  gboolean has_failed = FALSE;
  LkPortDisk disk = lk_disk_sim_port (cluster->hosts[0].disk);
  *out_parity =
      (LkParity){ .event_count = script.event_count,
                  .live_event_count = counts.event_count,
                  .digest = script.digest,
                  .live_digest = lk_engine_digest (engine),
                  .message_count = net.sent_count,
                  .journal = disk.ops->read (disk.self, LK_CONTROLLER_JOURNAL, &has_failed) };
  return TRUE;
}

void
lk_parity_clear (LkParity *self)
{
  if (self->journal != NULL)
    g_byte_array_unref (self->journal);
}

gboolean
lk_parity_holds (const LkParity *parity)
{
  return parity->event_count == parity->live_event_count
         && lk_digest_value_equal (parity->digest, parity->live_digest);
}
