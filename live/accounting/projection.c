/* live/accounting/projection.c — see the header. */
#include "live/accounting/projection.h"

#include <string.h>

#include "engine/bytes.h"
#include "engine/checked.h"
#include "engine/limits.h"
#include "live/accounting/describe.h"
#include "live/accounting/lost_tasks.h"
#include "live/accounting/reservation_note.h"
#include "live/accounting/step_note.h"
#include "live/core/batch.h"
#include "live/core/message.h"
#include "policies/registry.h"

/* SQLite takes no larger value by default (SQLITE_MAX_LENGTH). */
#define ENGINE_MAX_BYTES (900u * 1000 * 1000)

struct _LkAccountingProjection {
  LkAccountingStore *store;
  LkRegistry *registry;
  LkSetup *setup; /* NULL: the header has not been read */
  LkEngine *engine;
  LkAccountingPosition position; /* of the engine */
  guint64 stored_seq;            /* events up to there are in the store already */
  LkDigestValue stored_digest;
  guint64 kept_seq;
  gboolean is_proven; /* the journal is that of which the store tells; */
  gboolean is_other;  /* it is another */
  LkAccountingTexts texts;
  GArray *notes; /* of LkMessage: requests of the batch, borrowed from the reader */
  guint note_next;
  const LkMessage_kept_request *request; /* of the event that is applied; NULL: none */
  GArray *submitted;                     /* of guint32: jobs that came with the event */
  GArray *touched;                       /* of guint32: jobs to be described behind the event */
  GArray *returned;                      /* of guint32: jobs that begin another life behind it */
  GArray *started;                       /* of Start */
  gboolean has_accounts_changed;
  gboolean has_refused;
};

/* What the engine does not know behind the event. */
typedef struct {
  guint32 job_id;
  guint64 run_id;
  guint8 is_backfilled;
  char *cores;
  char *devices;
} Start;

static void
clear_start (gpointer data)
{
  Start *start = data;
  g_free (start->cores);
  g_free (start->devices);
}

static gboolean
is_stored (const LkAccountingProjection *self, guint64 seq)
{
  return seq <= self->stored_seq;
}

static void
add_id (GArray *ids, guint32 id)
{
  g_array_append_val (ids, id);
}

/* ---------------------------------------------------------------- notes */

static void
take_term (LkAccountingProjection *self, guint64 term)
{
  guint64 base = (term - MIN (term, 1)) << 32;
  if (term <= self->position.term)
    return;
  self->position.term = term;
  self->position.run_id_last = MAX (self->position.run_id_last, base);
}

static void
take_usage (LkAccountingProjection *self, const LkMessage_kept_usage *kept)
{
  LkAccountingUsage usage = { .run_id = kept->run_id,
                              .job_id = kept->job_id,
                              .node = kept->node,
                              .user_cpu_us = kept->user_cpu_us,
                              .system_cpu_us = kept->system_cpu_us,
                              .max_rss_bytes = (gint64)MIN (kept->max_rss_bytes, G_MAXINT64) };
  lk_accounting_store_usage (self->store, &usage);
}

static void
take_gpu_usage (LkAccountingProjection *self, const LkMessage_kept_gpu_usage *kept)
{
  LkAccountingGpuUsage usage = { .run_id = kept->run_id,
                                 .node = kept->node,
                                 .max_gpu_memory_bytes =
                                     (gint64)MIN (kept->max_gpu_memory_bytes, G_MAXINT64),
                                 .max_gpu_percent = kept->max_gpu_percent };
  lk_accounting_store_gpu_usage (self->store, &usage);
}

/* Those of a batch come with its first event. What is none of a controller tells nothing. */
static void
take_notes (LkAccountingProjection *self, LkJournalReader *reader, guint64 seq)
{
  const guint8 *bytes;
  gsize length_bytes;
  while (lk_journal_reader_note (reader, &bytes, &length_bytes)) {
    LkMessage note;
    if (!lk_message_decode (bytes, length_bytes, &note))
      continue;
    if (note.kind == LK_MESSAGE_KEPT_START && note.kept_start.term <= G_MAXUINT32)
      take_term (self, note.kept_start.term);
    else if (note.kind == LK_MESSAGE_KEPT_REQUEST)
      g_array_append_val (self->notes, note);
    else if (note.kind == LK_MESSAGE_KEPT_GPU_USAGE && !is_stored (self, seq))
      take_gpu_usage (self, &note.kept_gpu_usage);
    else if (note.kind == LK_MESSAGE_KEPT_USAGE && !is_stored (self, seq))
      take_usage (self, &note.kept_usage);
    else if (!is_stored (self, seq))
      lk_accounting_take_step_note (self->store, &note);
  }
}

static const LkMessage_kept_request *
request_of (LkAccountingProjection *self, guint64 seq)
{
  while (self->note_next < self->notes->len) {
    const LkMessage_kept_request *kept =
        &g_array_index (self->notes, LkMessage, self->note_next).kept_request;
    if (seq <= kept->seq)
      return seq + kept->event_count > kept->seq ? kept : NULL;
    self->note_next++;
  }
  return NULL;
}

/* ---------------------------------------------------------------- decisions */

static char *
text_of (const void *bytes, gsize length_bytes)
{
  return length_bytes > 0 ? g_strndup (bytes, length_bytes) : g_strdup ("");
}

static void
on_submit (LkAccountingProjection *self, guint32 job_id)
{
  const LkMessage_kept_request *request = self->request;
  LkAccountingJob job;
  LkBatch batch = { 0 };
  lk_accounting_job_init (&job);
  job.job_id = job_id;
  if (request != NULL)
    lk_batch_decode (request->payload.bytes, request->payload.length_bytes, &batch);
#define TEXT(name)                                                                                 \
  g_autofree char *name = text_of (batch.name.bytes, batch.name.length_bytes);                     \
  job.name = name
  TEXT (work_dir);
  TEXT (submit_line);
  TEXT (submit_host);
  TEXT (wckey);
  TEXT (mail_user);
  TEXT (std_in);
  TEXT (std_out);
  TEXT (std_err);
#undef TEXT
  job.kind = batch.kind;
  job.mail_types = batch.mail_types;
  lk_accounting_store_submit (self->store, &job);
  add_id (self->submitted, job_id);
  add_id (self->touched, job_id);
}

/* A change of an array is one of its tasks. */
static void
on_accept (LkAccountingProjection *self, const LkEvent *cause, guint32 job_id)
{
  if (cause->kind == LK_EVENT_SUBMIT && job_id == cause->submit.job_id) {
    on_submit (self, job_id);
    return;
  }
  if (job_id == 0)
    return;
  add_id (self->touched, job_id);
  const LkArray *array = lk_engine_array (self->engine, job_id);
  if (array != NULL && cause->kind == LK_EVENT_CANCEL)
    lk_accounting_take_lost_tasks (self->store, cause, array,
                                   self->request != NULL ? (gint64)self->request->user_id : -1);
  for (guint i = 0; array != NULL && i < array->members->len; i++)
    add_id (self->touched,
            lk_engine_view (self->engine)->jobs->id[g_array_index (array->members, LkJobIndex, i)]);
}

static void
on_start (LkAccountingProjection *self, const LkDecision_start *decision)
{
  Start start = { .job_id = decision->job_id,
                  .run_id = self->position.run_id_last,
                  .is_backfilled = decision->backfilled,
                  .cores = text_of (decision->cores.bytes, decision->cores.length_bytes),
                  .devices = text_of (decision->gres.bytes, decision->gres.length_bytes) };
  g_array_append_val (self->started, start);
}

static void
on_task (LkAccountingProjection *self, const LkDecision_task *task)
{
  if (task->job_id != task->array_job_id)
    lk_accounting_store_again (self->store, task->job_id, task->array_job_id);
  add_id (self->touched, task->job_id);
  add_id (self->touched, task->array_job_id);
}

static void
set_ender (LkAccountingProjection *self, guint32 job_id)
{
  LkAccountingJob job;
  lk_accounting_job_init (&job);
  if (self->request == NULL)
    return;
  job.is_user_ended = 1;
  job.ender_id = self->request->user_id;
  lk_accounting_store_set (self->store, job_id, LK_ACCOUNTING_ENDER, &job);
}

/* Of what runs it is not known any more how much was asked for. */
static void
write_asked (LkAccountingProjection *self, guint32 job_id, const LkAccountingJob *job)
{
  lk_accounting_store_set (self->store, job_id, LK_ACCOUNTING_ASKED, job);
  if (job->start_us == 0)
    lk_accounting_store_set (self->store, job_id, LK_ACCOUNTING_WANTED, job);
}

/* It is still in the engine, as it was. */
static void
on_end (LkAccountingProjection *self, const LkEvent *cause, const LkDecision_notice *notice)
{
  LkJobIndex index = lk_engine_job_index (self->engine, notice->job_id);
  guint count = self->returned->len;
  gboolean is_requeued =
      count > 0 && g_array_index (self->returned, guint32, count - 1) == notice->job_id;
  LkAccountingJob job;
  lk_accounting_job_init (&job);
  if (index != LK_JOB_NONE) {
    lk_accounting_describe (self->engine, index, cause->time_us, &self->texts, &job);
    if (job.start_us == 0)
      write_asked (self, notice->job_id, &job);
  }
  if (cause->kind == LK_EVENT_CANCEL && notice->state == LK_JOB_CANCELLED)
    set_ender (self, notice->job_id);
  lk_accounting_end (&job, cause, notice, is_requeued);
  lk_accounting_store_set (self->store, notice->job_id, LK_ACCOUNTING_STATE, &job);
  lk_accounting_store_set (self->store, notice->job_id, LK_ACCOUNTING_ENDED, &job);
}

/* That every job of a queue waits for others says nothing. */
static gboolean
is_told (guint8 reason)
{
  return reason != LK_REASON_NONE && reason != LK_REASON_PRIORITY && reason != LK_REASON_RESOURCES;
}

static void
on_pending (LkAccountingProjection *self, const LkEvent *cause, const LkDecision_notice *notice)
{
  LkAccountingJob job;
  lk_accounting_job_init (&job);
  job.reason = notice->reason;
  job.eligible_us = lk_accounting_eligible_us (notice->reason, cause->time_us, 0);
  if (notice->reason == LK_REASON_BEGIN_TIME)
    add_id (self->touched, notice->job_id);
  else
    lk_accounting_store_set (self->store, notice->job_id, LK_ACCOUNTING_ELIGIBLE, &job);
  if (is_told (notice->reason))
    lk_accounting_store_set (self->store, notice->job_id, LK_ACCOUNTING_REASON, &job);
}

static void
on_notice (LkAccountingProjection *self, const LkEvent *cause, const LkDecision_notice *notice)
{
  if (lk_job_state_is_end (notice->state))
    on_end (self, cause, notice);
  else if (notice->state == LK_JOB_PENDING)
    on_pending (self, cause, notice);
  else
    add_id (self->touched, notice->job_id);
}

static void
write_decision (LkAccountingProjection *self, const LkEvent *cause, const LkDecision *decision)
{
  switch (decision->kind) {
  case LK_DECISION_ACCEPT:
    on_accept (self, cause, decision->accept.job_id);
    break;
  case LK_DECISION_REJECT:
    self->has_refused = TRUE;
    break;
  case LK_DECISION_START:
    on_start (self, &decision->start);
    break;
  case LK_DECISION_TASK:
    on_task (self, &decision->task);
    break;
  case LK_DECISION_KILL:
    if (decision->kill.why == LK_KILL_CANCELLED)
      set_ender (self, decision->kill.job_id);
    break;
  case LK_DECISION_NOTICE:
    on_notice (self, cause, &decision->notice);
    break;
  case LK_DECISION_RESERVATION:
    lk_accounting_take_reservation (self->store, self->engine, &decision->reservation,
                                    cause->time_us);
    break;
  case LK_DECISION_REQUEUE_JOB:
    add_id (self->returned, decision->requeue_job.job_id);
    break;
  case LK_DECISION_SUSPEND_JOB:
    add_id (self->touched, decision->suspend_job.job_id);
    break;
  case LK_DECISION_RESUME_JOB:
    add_id (self->touched, decision->resume_job.job_id);
    break;
  default:
    break;
  }
}

static void
on_decision (void *user, const LkEvent *cause, const LkDecision *decision)
{
  LkAccountingProjection *self = user;
  if (decision->kind == LK_DECISION_START)
    self->position.run_id_last++;
  if (!is_stored (self, cause->seq))
    write_decision (self, cause, decision);
}

/* ---------------------------------------------------------------- behind an event */

static void
write_job (LkAccountingProjection *self, guint32 job_id, const Start *start, gint64 at_us)
{
  LkJobIndex index = lk_engine_job_index (self->engine, job_id);
  LkAccountingJob job;
  if (index == LK_JOB_NONE)
    return;
  lk_accounting_describe (self->engine, index, at_us, &self->texts, &job);
  write_asked (self, job_id, &job);
  lk_accounting_store_set (self->store, job_id, LK_ACCOUNTING_ELIGIBLE, &job);
  lk_accounting_store_set (self->store, job_id, LK_ACCOUNTING_STATE, &job);
  if (start == NULL)
    return;
  lk_accounting_store_set (self->store, job_id, LK_ACCOUNTING_FIRST, &job);
  job.run_id = (gint64)start->run_id;
  job.is_backfilled = start->is_backfilled;
  job.cores = start->cores;
  job.devices = start->devices;
  lk_accounting_store_set (self->store, job_id, LK_ACCOUNTING_STARTED, &job);
}

static void
write_first (LkAccountingProjection *self, guint32 job_id, gint64 at_us)
{
  LkJobIndex index = lk_engine_job_index (self->engine, job_id);
  LkAccountingJob job;
  if (index == LK_JOB_NONE)
    return;
  lk_accounting_describe (self->engine, index, at_us, &self->texts, &job);
  lk_accounting_store_set (self->store, job_id, LK_ACCOUNTING_FIRST, &job);
}

/* Why it waits for its next life. */
static void
write_reason (LkAccountingProjection *self, guint32 job_id, gint64 at_us)
{
  LkJobIndex index = lk_engine_job_index (self->engine, job_id);
  LkAccountingJob job;
  if (index == LK_JOB_NONE)
    return;
  lk_accounting_describe (self->engine, index, at_us, &self->texts, &job);
  if (is_told ((guint8)job.reason))
    lk_accounting_store_set (self->store, job_id, LK_ACCOUNTING_REASON, &job);
}

/* As it changes only behind the event, not all that is described need be described twice. */
static void
write_jobs (LkAccountingProjection *self, gint64 at_us)
{
  for (guint i = 0; i < self->returned->len; i++) {
    guint32 job_id = g_array_index (self->returned, guint32, i);
    lk_accounting_store_again (self->store, job_id, job_id);
    write_reason (self, job_id, at_us);
    add_id (self->touched, job_id);
  }
  for (guint i = 0; i < self->submitted->len; i++)
    write_first (self, g_array_index (self->submitted, guint32, i), at_us);
  for (guint i = 0; i < self->touched->len; i++)
    if (i == 0
        || g_array_index (self->touched, guint32, i)
               != g_array_index (self->touched, guint32, i - 1))
      write_job (self, g_array_index (self->touched, guint32, i), NULL, at_us);
  for (guint i = 0; i < self->started->len; i++) {
    const Start *start = &g_array_index (self->started, Start, i);
    write_job (self, start->job_id, start, at_us);
  }
  g_array_set_size (self->returned, 0);
  g_array_set_size (self->submitted, 0);
  g_array_set_size (self->touched, 0);
  g_array_set_size (self->started, 0);
}

/* FALSE: the event is none that is kept. */
static gboolean
event_texts (const LkEvent *event, char **out_subject, char **out_detail)
{
#define TEXT(field) text_of (event->field.bytes, event->field.length_bytes)
  *out_detail = NULL;
  switch (event->kind) {
  case LK_EVENT_NODE_UP:
    *out_subject = TEXT (node_up.node);
    break;
  case LK_EVENT_NODE_DOWN:
    *out_subject = TEXT (node_down.node);
    *out_detail = TEXT (node_down.reason);
    break;
  case LK_EVENT_NODE_DRAIN:
    *out_subject = TEXT (node_drain.node);
    *out_detail = TEXT (node_drain.reason);
    break;
  case LK_EVENT_NODE_RESUME:
    *out_subject = TEXT (node_resume.node);
    break;
  case LK_EVENT_QOS:
    *out_subject = TEXT (qos.name);
    *out_detail = TEXT (qos.record);
    break;
  case LK_EVENT_ASSOCIATION: {
    g_autofree char *account = TEXT (association.account);
    g_autofree char *user = TEXT (association.user);
    g_autofree char *partition = TEXT (association.partition);
    *out_subject = g_strjoin ("/", account, user, partition, NULL);
    *out_detail = TEXT (association.record);
    break;
  }
  default:
    return FALSE;
  }
#undef TEXT
  return TRUE;
}

/* What was done with accounts stands before what they are: "add qos". Returns: (transfer full). */
static char *
event_kind (const LkEvent *event)
{
  static const char *const operations[] = { "add", "change", "delete" };
  guint operation = event->kind == LK_EVENT_QOS           ? event->qos.operation
                    : event->kind == LK_EVENT_ASSOCIATION ? event->association.operation
                                                          : G_N_ELEMENTS (operations);
  const char *name = lk_event_kind_name (event->kind);
  return operation < G_N_ELEMENTS (operations)
             ? g_strdup_printf ("%s %s", operations[operation], name)
             : g_strdup (name);
}

static void
write_event (LkAccountingProjection *self, const LkEvent *event)
{
  g_autofree char *subject = NULL;
  g_autofree char *detail = NULL;
  if (self->has_refused || !event_texts (event, &subject, &detail))
    return;
  g_autofree char *kind = event_kind (event);
  LkAccountingEvent row = { .seq = event->seq,
                            .time_us = event->time_us,
                            .kind = kind,
                            .subject = subject,
                            .detail = detail != NULL ? detail : "",
                            .user_id =
                                self->request != NULL ? (gint64)self->request->user_id : -1 };
  lk_accounting_store_event (self->store, &row);
  self->has_accounts_changed |= event->kind == LK_EVENT_ASSOCIATION || event->kind == LK_EVENT_QOS;
}

static gboolean
refuse (GError **error, const char *what, guint64 seq)
{
  g_set_error (error, LK_ACCOUNTING_ERROR, LK_ACCOUNTING_ERROR_JOURNAL,
               "the journal %s, at event %" G_GUINT64_FORMAT, what, seq);
  return FALSE;
}

static gboolean
apply (LkAccountingProjection *self, LkJournalReader *reader, const LkEvent *event, GError **error)
{
  LkSink sink = { on_decision, self };
  take_notes (self, reader, event->seq);
  self->request = request_of (self, event->seq);
  self->has_refused = FALSE;
  if (lk_engine_apply (self->engine, event, &sink) != LK_STATUS_OK)
    return refuse (error, "does not go on as it should", event->seq);
  self->position.seq = event->seq;
  if (is_stored (self, event->seq))
    return TRUE;
  write_jobs (self, event->time_us);
  write_event (self, event);
  return TRUE;
}

/* ---------------------------------------------------------------- batches */

/* Does what the store knows come from this journal?  The digest is of all that has been decided. */
static void
compare_stored (LkAccountingProjection *self, guint64 seq_before)
{
  if (self->is_proven || self->position.seq < self->stored_seq)
    return;
  self->is_proven = seq_before == self->stored_seq
                    || (self->position.seq == self->stored_seq
                        && lk_digest_value_equal (self->position.digest, self->stored_digest));
  self->is_other = !self->is_proven;
}

static gboolean
end_batch (LkAccountingProjection *self, const LkJournalCheckpoint *checkpoint, guint64 seq_before,
           GError **error)
{
  if (!lk_digest_value_equal (checkpoint->digest, lk_engine_digest (self->engine)))
    return refuse (error, "is not decided alike by this version", checkpoint->seq);
  self->position.digest = checkpoint->digest;
  self->position.decision_count = checkpoint->decision_count;
  g_array_set_size (self->notes, 0);
  self->note_next = 0;
  compare_stored (self, seq_before);
  return TRUE;
}

static gboolean
take_batches (LkAccountingProjection *self, LkJournalReader *reader, LkJournalState *out_state,
              GError **error)
{
  guint64 begin_bytes = self->position.offset_bytes;
  guint64 seq_before = self->position.seq;
  LkJournalCheckpoint checkpoint;
  LkEvent event;
  while (!self->is_other
         && (*out_state = lk_journal_reader_next (reader, &event)) == LK_JOURNAL_EVENT) {
    if (!apply (self, reader, &event, error))
      return FALSE;
    if (!lk_journal_reader_checkpoint (reader, &checkpoint))
      continue;
    if (!end_batch (self, &checkpoint, seq_before, error))
      return FALSE;
    seq_before = self->position.seq;
    self->position.offset_bytes = begin_bytes + lk_journal_reader_good_bytes (reader);
  }
  return TRUE;
}

static gboolean
commit (LkAccountingProjection *self, GError **error)
{
  const LkAccounts *accounts = lk_engine_accounts (self->engine);
  if (self->has_accounts_changed && accounts != NULL)
    lk_accounting_store_accounts (self->store, accounts);
  self->has_accounts_changed = FALSE;
  return lk_accounting_store_commit (self->store, &self->position, error);
}

static gboolean
take_events (LkAccountingProjection *self, const guint8 *bytes, gsize length_bytes,
             LkJournalState *out_state, GError **error)
{
  const LkAccountingPosition *position = &self->position;
  GError *fault = NULL;
  guint64 seq_before = position->seq;
  LkJournalCheckpoint checkpoint = { position->seq, position->decision_count, position->digest };
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new_inside (bytes, length_bytes, &checkpoint);
  lk_accounting_store_begin (self->store);
  gboolean is_good = take_batches (self, reader, out_state, &fault);
  if (is_good && *out_state == LK_JOURNAL_CORRUPT && !self->is_proven)
    self->is_other = TRUE;
  if (is_good && !self->is_other && position->seq > MAX (self->stored_seq, seq_before))
    return commit (self, error);
  lk_accounting_store_abort (self->store);
  if (is_good)
    return TRUE;
  if (self->is_proven) {
    g_propagate_error (error, fault);
    return FALSE;
  }
  g_error_free (fault);
  self->is_other = TRUE;
  return TRUE;
}

/* ---------------------------------------------------------------- the header */

static gboolean
load_engine (LkAccountingProjection *self, const LkEngineConfig *config)
{
  LkAccountingPosition kept;
  LkStatus status;
  g_autoptr (GBytes) bytes = lk_accounting_store_engine (self->store, &kept);
  gsize length_bytes;
  if (bytes == NULL || !lk_digest_value_equal (kept.config, self->position.config))
    return FALSE;
  const guint8 *data = g_bytes_get_data (bytes, &length_bytes);
  self->engine = lk_engine_load (config, data, length_bytes, &status);
  if (self->engine == NULL)
    return FALSE;
  self->position = kept;
  self->kept_seq = kept.seq;
  return TRUE;
}

static gboolean
begin_engine (LkAccountingProjection *self, const LkJournalHeader *header, guint64 header_bytes,
              GError **error)
{
  LkAccountingPosition stored;
  LkPolicyError fault;
  self->setup = lk_setup_new_from_header (self->registry, header, error);
  if (self->setup == NULL)
    return FALSE;
  const LkEngineConfig *config = lk_setup_config (self->setup);
  lk_accounting_store_position (self->store, &stored);
  self->position = (LkAccountingPosition){ .offset_bytes = header_bytes,
                                           .config = lk_setup_digest (self->setup) };
  self->stored_seq = stored.seq;
  self->stored_digest = stored.digest;
  self->is_proven = stored.seq == 0;
  self->is_other =
      !self->is_proven && !lk_digest_value_equal (stored.config, self->position.config);
  if (self->is_other || load_engine (self, config))
    return TRUE;
  self->engine = lk_engine_new (config, &fault);
  if (self->engine == NULL)
    return refuse (error, "is of policies that refuse their parameters", 0);
  return TRUE;
}

static gboolean
write_beginning (LkAccountingProjection *self, GError **error)
{
  const LkEngineConfig *config = lk_setup_config (self->setup);
  if (self->is_other || self->stored_seq > 0 || self->position.seq > 0)
    return TRUE;
  lk_accounting_store_begin (self->store);
  if (config->cluster != NULL)
    lk_accounting_store_cluster (self->store, config->cluster->name);
  self->has_accounts_changed = TRUE;
  return commit (self, error);
}

/* Has the header come to its end? What is no header counts as one, and is found out then. */
static gboolean
has_header (const guint8 *bytes, gsize length_bytes)
{
  LkBytesReader left = { bytes, length_bytes, FALSE };
  lk_take (&left, LK_JOURNAL_MAGIC_BYTES);
  guint32 body_bytes = lk_take_u32 (&left);
  lk_take_u32 (&left);
  return !left.failed && (body_bytes > LK_LIMIT_RECORD_BYTES || left.left_bytes >= body_bytes);
}

static gboolean
take_header (LkAccountingProjection *self, const guint8 *bytes, gsize length_bytes,
             LkJournalState *out_state, GError **error)
{
  LkJournalHeader header;
  const char *fault;
  gsize known = MIN (length_bytes, LK_JOURNAL_MAGIC_BYTES);
  g_autoptr (LkJournalReader) reader = lk_journal_reader_new (bytes, length_bytes, &header, &fault);
  *out_state = LK_JOURNAL_TORN;
  if (reader != NULL) {
    *out_state = LK_JOURNAL_CUT;
    return begin_engine (self, &header, lk_journal_reader_good_bytes (reader), error)
           && write_beginning (self, error);
  }
  if (has_header (bytes, length_bytes) || memcmp (bytes, LK_JOURNAL_MAGIC, known) != 0) {
    g_set_error (error, LK_ACCOUNTING_ERROR, LK_ACCOUNTING_ERROR_JOURNAL,
                 "the journal cannot be read: %s", fault);
    return FALSE;
  }
  return TRUE;
}

gboolean
lk_accounting_projection_take (LkAccountingProjection *self, const guint8 *bytes,
                               gsize length_bytes, LkJournalState *out_state, GError **error)
{
  return self->setup == NULL ? take_header (self, bytes, length_bytes, out_state, error)
                             : take_events (self, bytes, length_bytes, out_state, error);
}

/* ---------------------------------------------------------------- beginning and end */

LkAccountingProjection *
lk_accounting_projection_new (LkAccountingStore *store, char *const *plugins, GError **error)
{
  g_autoptr (LkAccountingProjection) self = g_new0 (LkAccountingProjection, 1);
  self->store = store;
  self->registry = lk_registry_new ();
  self->notes = g_array_new (FALSE, FALSE, sizeof (LkMessage));
  self->submitted = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->touched = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->returned = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->started = g_array_new (FALSE, FALSE, sizeof (Start));
  g_array_set_clear_func (self->started, clear_start);
  lk_accounting_texts_init (&self->texts);
  for (guint i = 0; plugins != NULL && plugins[i] != NULL; i++)
    if (lk_registry_add_plugin (self->registry, plugins[i], error) == NULL)
      return NULL;
  return g_steal_pointer (&self);
}

static void
forget_journal (LkAccountingProjection *self)
{
  g_clear_pointer (&self->engine, lk_engine_free);
  g_clear_pointer (&self->setup, lk_setup_free);
  self->position = (LkAccountingPosition){ 0 };
  self->stored_seq = self->kept_seq = 0;
  self->stored_digest = (LkDigestValue){ 0 };
  self->is_proven = self->is_other = FALSE;
  g_array_set_size (self->notes, 0);
  self->note_next = 0;
}

void
lk_accounting_projection_free (LkAccountingProjection *self)
{
  if (self == NULL)
    return;
  forget_journal (self);
  lk_registry_free (self->registry);
  lk_accounting_texts_clear (&self->texts);
  g_array_unref (self->notes);
  g_array_unref (self->submitted);
  g_array_unref (self->touched);
  g_array_unref (self->returned);
  g_array_unref (self->started);
  g_free (self);
}

guint64
lk_accounting_projection_offset (const LkAccountingProjection *self)
{
  return self->position.offset_bytes;
}

guint64
lk_accounting_projection_seq (const LkAccountingProjection *self)
{
  return self->position.seq;
}

gboolean
lk_accounting_projection_is_of_store (const LkAccountingProjection *self)
{
  return !self->is_other && self->position.seq >= self->stored_seq;
}

gboolean
lk_accounting_projection_reset (LkAccountingProjection *self, GError **error)
{
  forget_journal (self);
  lk_accounting_store_begin (self->store);
  lk_accounting_store_clear (self->store);
  return lk_accounting_store_commit (self->store, &self->position, error);
}

gboolean
lk_accounting_projection_keep (LkAccountingProjection *self, guint64 event_count, GError **error)
{
  if (self->engine == NULL || !lk_accounting_projection_is_of_store (self)
      || self->position.seq < self->kept_seq + event_count)
    return TRUE;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_engine_save (self->engine, bytes);
  self->kept_seq = self->position.seq;
  if (bytes->len > ENGINE_MAX_BYTES)
    return TRUE;
  lk_accounting_store_begin (self->store);
  lk_accounting_store_keep_engine (self->store, bytes, &self->position);
  return lk_accounting_store_commit (self->store, &self->position, error);
}
