/* tests/dst/history.c — see the header. */
#include "tests/dst/history.h"

#include "engine/hostlist.h"
#include "live/core/controller_private.h"

static void
request_clear (gpointer data)
{
  g_free (((DstHistoryRequest *)data)->payload);
}

static void
run_clear (gpointer data)
{
  DstHistoryRun *run = data;
  g_free (run->nodes);
  g_free (run->cores);
  g_free (run->gres);
}

static void
down_clear (gpointer data)
{
  g_free (((DstHistoryDown *)data)->nodes);
}

void
dst_history_clear (DstHistory *self)
{
  if (self->runs == NULL)
    return;
  g_array_unref (self->requests);
  g_array_unref (self->runs);
  g_array_unref (self->jobs);
  g_array_unref (self->downs);
  g_array_unref (self->completes);
}

const DstHistoryRun *
dst_history_run (const DstHistory *self, guint64 run_id)
{
  guint low = 0;
  guint high = self->runs->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    const DstHistoryRun *run = &g_array_index (self->runs, DstHistoryRun, middle);
    if (run->run_id == run_id)
      return run;
    if (run->run_id < run_id)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

static DstHistoryJob *
job_find (const DstHistory *self, guint32 job_id)
{
  for (guint i = self->jobs->len; i > 0; i--) {
    DstHistoryJob *job = &g_array_index (self->jobs, DstHistoryJob, i - 1);
    if (job->job_id == job_id)
      return job;
  }
  return NULL;
}

const DstHistoryJob *
dst_history_job (const DstHistory *self, guint32 job_id)
{
  return job_find (self, job_id);
}

gboolean
dst_history_has_script (const DstHistory *self, guint32 job_id)
{
  const DstHistoryJob *job = job_find (self, job_id);
  return job == NULL || job->het_leader == 0 || job->het_leader == job_id;
}

const DstHistoryRun *
dst_history_leader (const DstHistory *self, const DstHistoryRun *run)
{
  if (dst_history_has_script (self, run->job_id))
    return NULL;
  guint32 leader_id = job_find (self, run->job_id)->het_leader;
  for (guint i = self->runs->len; i > 0; i--) {
    const DstHistoryRun *other = &g_array_index (self->runs, DstHistoryRun, i - 1);
    if (other->job_id == leader_id && other->start_seq == run->start_seq)
      return other;
  }
  return NULL;
}

const DstHistoryRequest *
dst_history_submit (const DstHistory *self, guint32 job_id)
{
  const DstHistoryJob *job = job_find (self, job_id);
  const DstHistoryJob *submitted = job != NULL ? job_find (self, job->submit_id) : NULL;
  return submitted != NULL && submitted->request > 0
             ? &g_array_index (self->requests, DstHistoryRequest, submitted->request - 1)
             : NULL;
}

static DstHistoryJob *
job_of (DstHistory *self, guint32 job_id)
{
  DstHistoryJob *job = job_find (self, job_id);
  if (job != NULL)
    return job;
  DstHistoryJob fresh = { .job_id = job_id, .submit_id = job_id };
  g_array_append_val (self->jobs, fresh);
  return &g_array_index (self->jobs, DstHistoryJob, self->jobs->len - 1);
}

/* The run that a job has; NULL: none. */
static DstHistoryRun *
present_run (const DstHistory *self, guint32 job_id)
{
  for (guint i = self->runs->len; i > 0; i--) {
    DstHistoryRun *run = &g_array_index (self->runs, DstHistoryRun, i - 1);
    if (run->job_id == job_id)
      return run->end_seq == 0 ? run : NULL;
  }
  return NULL;
}

/* ---------------------------------------------------------------- decisions */

/* What is read, event by event. */
typedef struct {
  DstHistory *history;
  DstFindings *findings;
  const LkEvent *event;
  GArray *requeued;   /* of guint32: jobs that this event sends back to the queue */
  guint request_next; /* the first request whose events have not all come */
} Reading;

static guint32
node_count (const LkLongText *nodes)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  gboolean has_nodes = nodes->length_bytes > 0
                       && lk_hostlist_expand (nodes->bytes, nodes->length_bytes, names, NULL);
  return has_nodes ? names->len : 1;
}

static void
begin_run (Reading *self, const LkDecision_start *start)
{
  DstHistoryRun run = { .run_id = ++self->history->run_id_last,
                        .start_seq = self->event->seq,
                        .start_us = self->event->time_us,
                        .job_id = start->job_id,
                        .units = start->units };
  run.nodes = g_strndup (start->nodes.bytes, start->nodes.length_bytes);
  run.cores = g_strndup (start->cores.bytes, start->cores.length_bytes);
  run.gres = g_strndup (start->gres.bytes, start->gres.length_bytes);
  run.node_count = node_count (&start->nodes);
  if (present_run (self->history, start->job_id) != NULL)
    dst_find (self->findings, "event %" G_GUINT64_FORMAT " starts job %u, which runs",
              run.start_seq, run.job_id);
  job_of (self->history, start->job_id)->start_count++;
  g_array_append_val (self->history->runs, run);
}

static void
end_run (Reading *self, guint32 job_id)
{
  DstHistoryRun *run = present_run (self->history, job_id);
  if (run == NULL)
    return;
  run->end_seq = self->event->seq;
  run->end_us = self->event->time_us;
  run->has_ended =
      self->event->kind == LK_EVENT_JOB_ENDED && self->event->job_ended.job_id == job_id;
  if (run->has_ended)
    run->ended = self->event->job_ended;
}

/* The state that the job of this event has come to. */
static void
note_state (Reading *self, const LkDecision_notice *notice)
{
  if (self->event->kind != LK_EVENT_JOB_ENDED || self->event->job_ended.job_id != notice->job_id)
    return;
  for (guint i = self->history->runs->len; i > 0; i--) {
    DstHistoryRun *run = &g_array_index (self->history->runs, DstHistoryRun, i - 1);
    if (run->job_id != notice->job_id)
      continue;
    if (run->end_seq == self->event->seq)
      run->end_state = (LkJobState)notice->state;
    return;
  }
}

static gboolean
is_requeued (const Reading *self, guint32 job_id)
{
  for (guint i = 0; i < self->requeued->len; i++)
    if (g_array_index (self->requeued, guint32, i) == job_id)
      return TRUE;
  return FALSE;
}

static void
on_notice (Reading *self, const LkDecision_notice *notice)
{
  if (!lk_job_state_is_end (notice->state))
    return;
  end_run (self, notice->job_id);
  note_state (self, notice);
  if (is_requeued (self, notice->job_id))
    return;
  DstHistoryJob *job = job_of (self->history, notice->job_id);
  job->again_count += job->is_final ? 1 : 0;
  job->is_final = TRUE;
}

static void
on_task (Reading *self, const LkDecision_task *task)
{
  DstHistoryJob *job = job_of (self->history, task->job_id);
  job->submit_id = task->array_job_id;
}

/* The request whose events are read now; NULL: it is of none. */
static DstHistoryRequest *
present_request (Reading *self)
{
  GArray *requests = self->history->requests;
  while (self->request_next < requests->len) {
    DstHistoryRequest *request = &g_array_index (requests, DstHistoryRequest, self->request_next);
    if (self->event->seq <= request->seq)
      return self->event->seq + request->event_count > request->seq ? request : NULL;
    self->request_next++;
  }
  return NULL;
}

static void
note_submit (Reading *self, guint32 job_id)
{
  DstHistoryJob *job = job_of (self->history, job_id);
  job->is_accepted = TRUE;
  job->het_leader = self->event->submit.het_leader;
  if (present_request (self) != NULL)
    job->request = self->request_next + 1;
}

static void
on_answer (Reading *self, guint32 job_id, guint16 error)
{
  DstHistoryRequest *request = present_request (self);
  if (request == NULL)
    return;
  if (error != 0 && request->error == 0)
    request->error = error;
  if (error == 0 && request->job_id == 0)
    request->job_id = job_id;
}

static void
read_decision (Reading *self, const LkDecision *decision)
{
  DstHistoryRun *run;
  switch (decision->kind) {
  case LK_DECISION_ACCEPT:
    on_answer (self, decision->accept.job_id, 0);
    if (self->event->kind == LK_EVENT_SUBMIT)
      note_submit (self, decision->accept.job_id);
    break;
  case LK_DECISION_REJECT:
    on_answer (self, 0, decision->reject.error);
    break;
  case LK_DECISION_START:
    begin_run (self, &decision->start);
    break;
  case LK_DECISION_NOTICE:
    on_notice (self, &decision->notice);
    break;
  case LK_DECISION_TASK:
    on_task (self, &decision->task);
    break;
  case LK_DECISION_REQUEUE_JOB:
    end_run (self, decision->requeue_job.job_id);
    break;
  case LK_DECISION_SUSPEND_JOB:
    run = present_run (self->history, decision->suspend_job.job_id);
    if (run != NULL)
      run->was_suspended = TRUE;
    break;
  default:
    break;
  }
}

/* ---------------------------------------------------------------- events */

const LkMessage_kept_complete *
dst_history_complete (const DstHistory *self, guint64 run_id)
{
  for (guint i = 0; i < self->completes->len; i++) {
    const LkMessage_kept_complete *kept =
        &g_array_index (self->completes, LkMessage_kept_complete, i);
    if (kept->run_id == run_id)
      return kept;
  }
  return NULL;
}

static void
take_term (DstHistory *self, guint64 term)
{
  self->run_id_last = MAX (self->run_id_last, lk_controller_run_id_base (term));
}

static void
read_notes (Reading *self, LkJournalReader *reader)
{
  const guint8 *bytes;
  gsize length_bytes;
  LkMessage note;
  while (lk_journal_reader_note (reader, &bytes, &length_bytes)) {
    gboolean is_good = lk_message_decode (bytes, length_bytes, &note);
    if (is_good && note.kind == LK_MESSAGE_KEPT_START) {
      take_term (self->history, note.kept_start.term);
      continue;
    }
    if (is_good && note.kind == LK_MESSAGE_KEPT_COMPLETE) {
      g_array_append_val (self->history->completes, note.kept_complete);
      continue;
    }
    if (is_good
        && (note.kind == LK_MESSAGE_KEPT_USAGE || note.kind == LK_MESSAGE_KEPT_GPU_USAGE
            || note.kind == LK_MESSAGE_KEPT_BEGUN || note.kind == LK_MESSAGE_KEPT_STEP
            || note.kind == LK_MESSAGE_KEPT_STEP_ENDED || note.kind == LK_MESSAGE_KEPT_STEP_ORDER
            || note.kind == LK_MESSAGE_KEPT_STEP_HEARD || note.kind == LK_MESSAGE_KEPT_STEP_LIMIT))
      continue;
    if (!is_good || note.kind != LK_MESSAGE_KEPT_REQUEST) {
      dst_find (self->findings, "a note of the journal cannot be read");
      continue;
    }
    const LkMessage_kept_request *kept = &note.kept_request;
    DstHistoryRequest request = { .user_id = kept->user_id,
                                  .session = kept->session,
                                  .request = kept->request,
                                  .seq = kept->seq,
                                  .event_count = kept->event_count };
    request.payload = g_memdup2 (kept->payload.bytes, kept->payload.length_bytes);
    request.payload_bytes = kept->payload.length_bytes;
    g_array_append_val (self->history->requests, request);
  }
}

/* Which jobs an event sends back has to be known before its notices are read. */
static void
read_requeues (Reading *self, const LkDecided *decided)
{
  g_array_set_size (self->requeued, 0);
  for (gsize at = 0; at < decided->length_bytes;) {
    LkDecision decision;
    gsize used = lk_decision_decode (decided->bytes + at, decided->length_bytes - at, &decision);
    if (used == 0)
      break;
    at += used;
    if (decision.kind != LK_DECISION_REQUEUE_JOB)
      continue;
    g_array_append_val (self->requeued, decision.requeue_job.job_id);
    DstHistoryJob *job = job_of (self->history, decision.requeue_job.job_id);
    job->requeue_count++;
    job->is_final = FALSE; /* even one that has ended may come back */
  }
}

static void
note_down (Reading *self, const LkEvent *event)
{
  LkText nodes = event->node_down.node;
  DstHistoryDown down = { event->seq, g_strndup (nodes.bytes, nodes.length_bytes) };
  g_array_append_val (self->history->downs, down);
}

static void
read_event (Reading *self, LkJournalReader *reader, const LkEvent *event)
{
  LkDecided decided = lk_journal_reader_decided (reader);
  self->event = event;
  self->history->seq_last = event->seq;
  if (event->kind == LK_EVENT_NODE_DOWN)
    note_down (self, event);
  read_notes (self, reader);
  read_requeues (self, &decided);
  DstHistoryRequest *request = present_request (self);
  if (request != NULL)
    request->kind = event->kind;
  for (gsize at = 0; at < decided.length_bytes;) {
    LkDecision decision;
    gsize used = lk_decision_decode (decided.bytes + at, decided.length_bytes - at, &decision);
    if (used == 0)
      break;
    at += used;
    read_decision (self, &decision);
  }
}

gboolean
dst_history_read (DstHistory *self, const guint8 *bytes, gsize length_bytes, DstFindings *findings)
{
  LkJournalHeader header;
  LkJournalState state;
  LkJournalCheckpoint checkpoint = { 0 };
  const char *fault = NULL;
  LkEvent event;
  *self = (DstHistory){ .requests = g_array_new (FALSE, FALSE, sizeof (DstHistoryRequest)),
                        .runs = g_array_new (FALSE, FALSE, sizeof (DstHistoryRun)),
                        .jobs = g_array_new (FALSE, FALSE, sizeof (DstHistoryJob)),
                        .downs = g_array_new (FALSE, FALSE, sizeof (DstHistoryDown)),
                        .completes = g_array_new (FALSE, FALSE, sizeof (LkMessage_kept_complete)) };
  g_array_set_clear_func (self->downs, down_clear);
  g_array_set_clear_func (self->requests, request_clear);
  g_array_set_clear_func (self->runs, run_clear);
  g_autoptr (LkJournalReader) reader = lk_journal_reader_new (bytes, length_bytes, &header, &fault);
  if (reader == NULL) {
    dst_find (findings, "the journal: %s", fault);
    return FALSE;
  }
  g_autoptr (GArray) requeued = g_array_new (FALSE, FALSE, sizeof (guint32));
  Reading reading = { .history = self, .findings = findings, .requeued = requeued };
  while ((state = lk_journal_reader_next (reader, &event)) == LK_JOURNAL_EVENT) {
    read_event (&reading, reader, &event);
    if (lk_journal_reader_checkpoint (reader, &checkpoint))
      self->digest = checkpoint.digest;
  }
  if (state == LK_JOURNAL_CUT)
    return TRUE;
  dst_find (findings, "the journal ends badly at event %" G_GUINT64_FORMAT ": %s", self->seq_last,
            lk_journal_reader_fault (reader));
  return FALSE;
}
