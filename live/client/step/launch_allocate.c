/* live/client/step/launch_allocate.c — the allocation of salloc and srun: asked for, waited for,
 * given back. See launch.h.
 *
 * Texts are those of Slurm's src/salloc/salloc.c, src/srun/allocate.c and src/api/allocate.c. */
#include <string.h>
#include <time.h>

#include "live/client/step/launch.h"
#include "traces/job_values.h"

#define PAUSE_FIRST_US 5000
#define PAUSE_MAX_US 500000
/* That it waits is told when a pass has looked at it, or after so long. */
#define PENDING_TOLD_US (2 * G_USEC_PER_SEC)
/* What can start does so in the pass behind its submit; until then it waits for its turn. */
#define PENDING_TURN_US (100 * 1000)
/* --immediate without a number, as Slurm's. */
#define IMMEDIATE_DEFAULT_S 1

void
lk_launch_signals (sigset_t *out_set)
{
  static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCHLD };
  sigemptyset (out_set);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    sigaddset (out_set, numbers[i]);
}

void
lk_allocation_clear (LkAllocation *self)
{
  lk_guardian_end (&self->guardian);
  g_clear_pointer (&self->row, g_free);
  g_clear_pointer (&self->components, g_ptr_array_unref);
}

/* ---------------------------------------------------------------- asking */

/* The job as it stands. NULL: there is none, or nobody tells; `error` is set then. Returns:
 * (transfer full). */
static LkJobRow *
row_of (const LkClient *client, guint32 job_id, GError **error)
{
  LkClientQuery query = { .kind = LK_RECORD_JOB, .job_id = job_id, .with_ended = TRUE };
  g_autoptr (GPtrArray) rows = lk_job_rows (client, &query, error);
  for (guint i = 0; rows != NULL && i < rows->len; i++) {
    const LkJobRow *row = g_ptr_array_index (rows, i);
    if (row->job.job_id == job_id)
      return lk_job_row_copy (row);
  }
  return NULL;
}

static gboolean
is_there (const LkRecord_job *job)
{
  return (job->state == LK_JOB_RUNNING || job->state == LK_JOB_SUSPENDED)
         && job->is_completing == 0;
}

/* Takes how all components stand. FALSE: not all of them run, or nobody tells. */
static gboolean
components_take (const LkClient *client, guint count, LkAllocation *out)
{
  LkClientQuery query = { .kind = LK_RECORD_JOB, .job_id = out->job_id };
  g_autoptr (GPtrArray) rows = lk_job_rows (client, &query, NULL);
  if (rows == NULL || rows->len != count)
    return FALSE;
  for (guint i = 0; i < rows->len; i++)
    if (!is_there (&((const LkJobRow *)g_ptr_array_index (rows, i))->job))
      return FALSE;
  out->components = g_steal_pointer (&rows);
  return TRUE;
}

gboolean
lk_allocation_is_held (const LkClient *client, guint32 job_id, gboolean *out_limit)
{
  g_autoptr (GError) error = NULL;
  g_autofree LkJobRow *row = row_of (client, job_id, &error);
  *out_limit = row != NULL && row->job.state == LK_JOB_TIMEOUT;
  return error != NULL || (row != NULL && is_there (&row->job));
}

static void
cancel (const LkClient *client, guint32 job_id)
{
  LkMessage_reply reply;
  LkEvent event = { .kind = LK_EVENT_CANCEL };
  g_autoptr (GError) error = NULL;
  event.cancel.job_id = job_id;
  /* What is over is refused, which is as well. */
  if (!lk_client_event (client, &event, &reply, &error))
    lk_client_error (client, "Unable to clean up job allocation %u: %s", job_id, error->message);
}

/* ---------------------------------------------------------------- waiting */

typedef struct {
  LkLaunch *launch;
  const sigset_t *set;
  LkAllocation *out;
  gint64 begin_us;
  gint64 immediate_us; /* so long at most; -1: for ever */
  gboolean is_told;    /* that it waits */
} Waiting;

/* Returns: the signal that has come; 0: none has. */
static int
pause_for (const sigset_t *set, gint64 pause_us)
{
  struct timespec pause = { .tv_sec = pause_us / G_USEC_PER_SEC,
                            .tv_nsec = pause_us % G_USEC_PER_SEC * 1000 };
  int number = sigtimedwait (set, NULL, &pause);
  return number > 0 && number != SIGCHLD ? number : 0;
}

static void
pending_tell (Waiting *self)
{
  const LkLaunch *launch = self->launch;
  /* Who is not to wait at all is not told that he waits. */
  gboolean is_at_once =
      self->immediate_us >= 0 && self->immediate_us <= IMMEDIATE_DEFAULT_S * G_USEC_PER_SEC;
  if (self->is_told || is_at_once)
    return;
  self->is_told = TRUE;
  if (strcmp (launch->submission.client->command, "salloc") == 0)
    lk_launch_info (launch, "Pending job allocation %u", self->out->job_id);
  lk_launch_info (launch, "job %u queued and waiting for resources", self->out->job_id);
}

/* Until it runs, and not for longer than it may. FALSE: told. */
static gboolean
wait_for_start (Waiting *self, int *out_code)
{
  LkClient *client = self->launch->submission.client;
  LkAllocation *out = self->out;
  for (gint64 pause_us = PAUSE_FIRST_US;; pause_us = MIN (2 * pause_us, PAUSE_MAX_US)) {
    g_autoptr (GError) error = NULL;
    g_autofree LkJobRow *row = row_of (client, out->job_id, &error);
    gint64 waited_us = g_get_monotonic_time () - self->begin_us;
    guint component_count = self->launch->submission.components->len;
    if (error == NULL && row != NULL && is_there (&row->job)
        && (component_count == 1 || components_take (client, component_count, out))) {
      out->row = g_steal_pointer (&row);
      return TRUE;
    }
    if (error == NULL
        && (row == NULL
            || (row->job.state != LK_JOB_PENDING && row->job.state != LK_JOB_REQUEUED
                && row->job.state != LK_JOB_SPECIAL_EXIT && row->job.state != LK_JOB_RUNNING))) {
      lk_launch_info (self->launch, "Job allocation %u has been revoked.", out->job_id);
      return FALSE;
    }
    if (row != NULL
        && waited_us >= (row->job.reason == LK_REASON_NONE ? PENDING_TOLD_US : PENDING_TURN_US))
      pending_tell (self);
    if (self->immediate_us >= 0 && waited_us >= self->immediate_us) {
      cancel (client, out->job_id);
      lk_client_error (client, "Unable to allocate resources: Immediate execution impossible, "
                               "insufficient priority");
      *out_code = lk_launch_exit_code (client, "SLURM_EXIT_IMMEDIATE");
      return FALSE;
    }
    out->signal = pause_for (self->set, pause_us);
    if (out->signal != 0) {
      pending_tell (self);
      cancel (client, out->job_id);
      lk_launch_info (self->launch, "Job allocation %u has been revoked.", out->job_id);
      lk_launch_info (self->launch, "Job aborted due to signal");
      return FALSE;
    }
  }
}

/* --immediate[=SECONDS]. FALSE: told. */
static gboolean
immediate_read (const LkLaunch *launch, gint64 *out_us)
{
  const char *value = lk_launch_value (launch, "immediate");
  guint64 seconds = IMMEDIATE_DEFAULT_S;
  *out_us = -1;
  if (value == NULL)
    return TRUE;
  if (*value != '\0' && !g_ascii_string_to_unsigned (value, 10, 0, G_MAXINT32, &seconds, NULL)) {
    lk_option_error (launch->submission.client, "immediate", value,
                     "Invalid --immediate specification");
    return FALSE;
  }
  *out_us = (gint64)seconds * G_USEC_PER_SEC;
  return TRUE;
}

/* Returns: 0, or the exit code: told. */
static int
submit (LkLaunch *self, guint32 *out_job_id)
{
  LkSbatch *submission = &self->submission;
  LkClient *client = submission->client;
  LkMessage_reply reply;
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (LkEvent));
  submission->kind = LK_BATCH_KIND_ALLOCATION;
  int wrong = lk_sbatch_events (submission, events);
  if (wrong == 0)
    wrong = lk_sbatch_payload (submission, payload);
  if (wrong != 0)
    return wrong;
  LkBytes bytes = { payload->data, payload->len };
  if (!lk_client_submit (client, events, bytes, &reply, &error))
    lk_client_error (client, "%s: %s", lk_sbatch_failure (client), error->message);
  else if (reply.error != 0)
    lk_sbatch_refusal_tell (client, events, &reply);
  else {
    *out_job_id = reply.job_id;
    return 0;
  }
  return lk_launch_exit_code (client, "SLURM_EXIT_ERROR");
}

gboolean
lk_allocate (LkLaunch *self, const sigset_t *set, LkAllocation *out, int *out_code)
{
  LkClient *client = self->submission.client;
  Waiting waiting = { .launch = self, .set = set, .out = out, .begin_us = g_get_monotonic_time () };
  *out_code = lk_launch_exit_code (client, "SLURM_EXIT_ERROR");
  if (!immediate_read (self, &waiting.immediate_us))
    return FALSE;
  lk_guardian_begin (&out->guardian, client);
  int wrong = submit (self, &out->job_id);
  if (wrong != 0) {
    *out_code = wrong;
    return FALSE;
  }
  lk_guardian_watch (&out->guardian, out->job_id);
  if (!wait_for_start (&waiting, out_code))
    return FALSE;
  if (waiting.is_told)
    lk_launch_info (self, "job %u has been allocated resources", out->job_id);
  return TRUE;
}

/* ---------------------------------------------------------------- the end */

static void
reply_take (gpointer user, const LkMessage *message)
{
  *(guint16 *)user = message->kind == LK_MESSAGE_STEP_REPLY ? message->step_reply.error
                                                            : LK_STEP_ERROR_INVALID_REQUEST;
}

void
lk_allocation_end (const LkClient *client, guint32 job_id, guint8 exit_code)
{
  guint16 refusal = LK_STEP_ERROR_NONE;
  g_autoptr (GError) error = NULL;
  LkMessage request = { .kind = LK_MESSAGE_JOB_COMPLETE };
  request.job_complete.job_id = job_id;
  request.job_complete.exit_code = exit_code;
  if (!client->wire->exchange (client->wire_self, &request, reply_take, &refusal, &error))
    lk_client_error (client, "Unable to clean up job allocation %u: %s", job_id, error->message);
  /* It may have ended by itself meanwhile. */
  else if (refusal != LK_STEP_ERROR_NONE && refusal != LK_STEP_ERROR_ALREADY_DONE
           && refusal != LK_STEP_ERROR_INVALID_JOB_ID)
    lk_client_error (client, "Unable to clean up job allocation %u: %s", job_id,
                     lk_step_error_text (refusal));
}
