/* live/core/controller_step_requests.c — what clients ask about steps of jobs.
 *
 * A request is known by its user, session and number, as others are: a step is created once, and
 * who asks again gets the same answer, as long as the step is remembered. */
#include "engine/assert.h"
#include "live/core/batch.h"
#include "live/core/controller_private.h"
#include "live/core/step_layout.h"
#include "live/core/step_task.h"

/* Steps of a run. Source: slurm.conf(5), MaxStepCount. */
#define COMMENT_MAX_BYTES 65535u
#define STEPS_MAX 40000u

/* ---------------------------------------------------------------- answers */

static void
refuse (LkController *self, LkPeerId peer, const LkMessage *message, LkStepError error)
{
  LkMessage answer = { .kind = LK_MESSAGE_STEP_REPLY };
  /* All of them begin with the same fields; some are answered by a step. */
  const LkMessage_step_create *head = &message->step_create;
  if (message->kind == LK_MESSAGE_STEP_CREATE || message->kind == LK_MESSAGE_STEP_ATTACH) {
    answer.kind = LK_MESSAGE_STEP_CREATED;
    answer.step_created = (LkMessage_step_created){ .session = head->session,
                                                    .request = head->request,
                                                    .error = (guint16)error,
                                                    .job_id = head->job_id };
  } else {
    answer.step_reply = (LkMessage_step_reply){ .session = head->session,
                                                .request = head->request,
                                                .error = (guint16)error };
  }
  lk_controller_send (self, peer, &answer);
}

void
lk_controller_refuse_step (LkController *self, const LkPeer *peer, const LkMessage *message)
{
  LkJobInfo info;
  gboolean is_known = lk_engine_job (self->engine, lk_controller_step_job (message), &info);
  if (message->kind == LK_MESSAGE_ADMIN_COMMENT)
    is_known = TRUE; /* it may be over */
  refuse (self, peer->id, message,
          is_known ? LK_STEP_ERROR_ACCESS_DENIED : LK_STEP_ERROR_INVALID_JOB_ID);
}

/* When the event of that number is durable. */
static void
reply (LkController *self, LkPeerId peer, const LkMessage *message, guint64 seq)
{
  LkMessage answer = { .kind = LK_MESSAGE_STEP_REPLY };
  answer.step_reply = (LkMessage_step_reply){ .session = message->step_create.session,
                                              .request = message->step_create.request };
  lk_controller_send_after (self, peer, seq, &answer);
}

static void
answer_step (LkController *self, LkPeerId peer, const LkMessage *message, const LkRun *run,
             const LkJobStep *step)
{
  LkMessage answer = { .kind = LK_MESSAGE_STEP_CREATED };
  answer.step_created = (LkMessage_step_created){ .session = message->step_create.session,
                                                  .request = message->step_create.request,
                                                  .job_id = run->job_id,
                                                  .step_id = step->step_id,
                                                  .run_id = run->run_id,
                                                  .tasks = step->kept.task_count,
                                                  .cpus_per_task = step->kept.cpus_per_task,
                                                  .places = step->kept.places };
  lk_controller_send_after (self, peer, step->create_seq, &answer);
}

/* ---------------------------------------------------------------- which run */

/* Why a job has no run that could have steps. */
static LkStepError
refusal_of_job (const LkController *self, guint32 job_id)
{
  guint32 user_id;
  LkJobInfo info;
  if (lk_engine_job (self->engine, job_id, &info))
    return LK_STEP_ERROR_JOB_PENDING;
  return lk_engine_ended_user (self->engine, job_id, &user_id) ? LK_STEP_ERROR_ALREADY_DONE
                                                               : LK_STEP_ERROR_INVALID_JOB_ID;
}

/* The run that the engine has of a job, if that is durable; NULL: there is none, and why. */
static LkRun *
run_of (const LkController *self, guint32 job_id, LkStepError *out_error)
{
  LkRun *run = lk_run_of_job (self, job_id);
  gboolean is_there =
      run != NULL && run->end_seq == 0 && run->start_seq <= lk_controller_settled_seq (self);
  *out_error = is_there ? LK_STEP_ERROR_NONE : refusal_of_job (self, job_id);
  return is_there ? run : NULL;
}

static gboolean
is_suspended (const LkController *self, const LkRun *run)
{
  LkJobInfo info;
  return lk_engine_job (self->engine, run->job_id, &info) && info.state == LK_JOB_SUSPENDED;
}

static gboolean
is_ending (const LkRun *run)
{
  return run->kill_seq != 0 || run->leader_seq != 0 || run->is_broken;
}

/* ---------------------------------------------------------------- a new one */

/* The step that this request has created before; NULL: none that is remembered. */
static const LkJobStep *
repeated (const LkRun *run, const LkPeer *peer, const LkMessage_step_create *message)
{
  for (guint i = run->steps->len; i-- > 0;) {
    const LkJobStep *step = g_ptr_array_index (run->steps, i);
    if (step->kept.user_id == peer->user_id && step->kept.session == message->session
        && step->kept.request == message->request)
      return step;
  }
  return NULL;
}

static gboolean
is_well_made (const LkMessage_step_create *message)
{
  LkStepTask task;
  return message->session != 0 && message->request != 0 && message->memory_per_node_bytes >= 0
         && message->memory_per_cpu_bytes >= 0 && message->memory_per_gpu_bytes >= 0
         && message->limit_us >= 0
         && lk_step_task_decode (message->payload.bytes, message->payload.length_bytes, &task);
}

/* What is asked for, what it gets and what its tasks need come together in later messages. */
static gboolean
is_too_long (const LkMessage_kept_step *kept, LkBytes payload)
{
  guint64 bytes = (guint64)kept->name.length_bytes + kept->nodelist.length_bytes
                  + kept->exclude.length_bytes + kept->source_host.length_bytes
                  + kept->submit_line.length_bytes + kept->places.length_bytes;
  return bytes + payload.length_bytes > LK_MESSAGE_PAYLOAD_MAX_BYTES;
}

/* Of ARBITRARY a node is named once for each of its tasks. */
static gboolean
has_known_nodes (const LkController *self, const LkMessage_step_create *message)
{
  gboolean is_arbitrary = message->distribution == LK_STEP_DISTRIBUTION_ARBITRARY;
  return lk_controller_names_fit (self, message->exclude, 1)
         && lk_controller_names_fit (self, message->nodelist,
                                     is_arbitrary ? LK_STEP_NODE_TASKS_MAX : 1);
}

#define WANT_OF_MESSAGE(type, name, help) .name = message->name,

static LkStepError
create (LkController *self, const LkPeer *peer, LkRun *run, const LkMessage_step_create *message)
{
  g_autoptr (GByteArray) places = g_byte_array_new ();
  LkStepWant want = { LK_STEP_WANT_FIELDS (WANT_OF_MESSAGE) };
  LkMessage_kept_step kept = { .run_id = run->run_id,
                               .job_id = run->job_id,
                               .step_id = run->step_next,
                               .user_id = peer->user_id,
                               .session = message->session,
                               .request = message->request,
                               .start_us = self->engine_us,
                               .suspended_us = lk_run_suspended_us (self, run),
                               .given_cpus_per_task = message->cpus_per_task,
                               LK_STEP_WANT_FIELDS (WANT_OF_MESSAGE) };
  LkStepError error = lk_run_step_place (self, run, &want, &kept, places);
  if (error == LK_STEP_ERROR_NONE && is_too_long (&kept, message->payload))
    error = LK_STEP_ERROR_TOO_LONG;
  if (error != LK_STEP_ERROR_NONE)
    return error;
  LkJobStep *step = lk_run_step_add (self, run, &kept);
  LK_ASSERT (step != NULL); /* on_create has compared its number with STEPS_MAX */
  step->create_seq = self->seq + 1;
  step->payload = g_byte_array_new ();
  g_byte_array_append (step->payload, message->payload.bytes, message->payload.length_bytes);
  lk_controller_note_step (self, step);
  lk_run_stir (self, run);
  return LK_STEP_ERROR_NONE;
}

static void
on_create (LkController *self, const LkPeer *peer, const LkMessage *message)
{
  LkStepError error;
  LkRun *run = run_of (self, message->step_create.job_id, &error);
  const LkJobStep *before = run != NULL ? repeated (run, peer, &message->step_create) : NULL;
  if (before != NULL) {
    answer_step (self, peer->id, message, run, before);
    return;
  }
  if (error == LK_STEP_ERROR_NONE && !is_well_made (&message->step_create))
    error = LK_STEP_ERROR_INVALID_REQUEST;
  if (error == LK_STEP_ERROR_NONE && !has_known_nodes (self, &message->step_create))
    error = LK_STEP_ERROR_NODE_NAME;
  if (error == LK_STEP_ERROR_NONE && is_ending (run))
    error = LK_STEP_ERROR_ALREADY_DONE;
  if (error == LK_STEP_ERROR_NONE && is_suspended (self, run))
    error = LK_STEP_ERROR_JOB_SUSPENDED;
  if (error == LK_STEP_ERROR_NONE && run->step_next >= STEPS_MAX)
    error = LK_STEP_ERROR_STEP_LIMIT;
  if (error == LK_STEP_ERROR_NONE)
    error = create (self, peer, run, &message->step_create);
  if (error != LK_STEP_ERROR_NONE)
    refuse (self, peer->id, message, error);
  else
    answer_step (self, peer->id, message, run, lk_run_step (run, run->step_next - 1));
}

/* ---------------------------------------------------------------- signals */

static LkStepError
refusal_of_step (const LkRun *run, guint32 step_id)
{
  return step_id < run->step_next ? LK_STEP_ERROR_ALREADY_DONE : LK_STEP_ERROR_INVALID_STEP_ID;
}

/* For one, or for all that there are. Returns: the event behind which it is durable. */
static guint64
order_all (LkController *self, LkRun *run, const LkMessage_step_signal *asked, guint32 user_id)
{
  guint64 seq = 0;
  for (guint i = 0; i < run->steps->len; i++) {
    LkJobStep *step = g_ptr_array_index (run->steps, i);
    gboolean is_meant = asked->step_id == G_MAXUINT32 || step->step_id == asked->step_id;
    if (!is_meant || step->end_seq != 0)
      continue;
    guint64 one = lk_step_order (self, step,
                                 (LkJobStepOrder){ .user_id = user_id,
                                                   .session = asked->session,
                                                   .request = asked->request,
                                                   .signal = asked->signal });
    seq = MAX (seq, one);
  }
  lk_run_stir (self, run);
  return seq;
}

static void
on_signal (LkController *self, const LkPeer *peer, const LkMessage *message)
{
  const LkMessage_step_signal *asked = &message->step_signal;
  LkStepError error;
  LkRun *run = run_of (self, asked->job_id, &error);
  const LkJobStep *step = run != NULL ? lk_run_step (run, asked->step_id) : NULL;
  gboolean is_one = asked->step_id != G_MAXUINT32;
  if (run != NULL && is_one && (step == NULL || step->end_seq != 0))
    error = refusal_of_step (run, asked->step_id);
  if (error != LK_STEP_ERROR_NONE)
    refuse (self, peer->id, message, error);
  else
    reply (self, peer->id, message, order_all (self, run, asked, peer->user_id));
}

/* ---------------------------------------------------------------- time limits */

static gboolean
is_raised (gint64 before_us, gint64 limit_us)
{
  return before_us != 0 && (limit_us == 0 || limit_us > before_us);
}

static LkStepError
refusal_of_limit (const LkController *self, const LkPeer *peer, const LkMessage *message,
                  const LkJobStep *step)
{
  gboolean is_staff = (lk_controller_roles (self, peer, message) & LK_FROM_STAFF) != 0;
  gint64 limit_us = message->step_update.limit_us;
  if (limit_us < 0)
    return LK_STEP_ERROR_INVALID_REQUEST;
  return is_raised (step->kept.limit_us, limit_us) && !is_staff ? LK_STEP_ERROR_ACCESS_DENIED
                                                                : LK_STEP_ERROR_NONE;
}

static void
on_update (LkController *self, const LkPeer *peer, const LkMessage *message)
{
  const LkMessage_step_update *asked = &message->step_update;
  LkStepError error;
  LkRun *run = run_of (self, asked->job_id, &error);
  LkJobStep *step = run != NULL ? lk_run_step (run, asked->step_id) : NULL;
  if (run != NULL && (step == NULL || step->end_seq != 0))
    error = refusal_of_step (run, asked->step_id);
  else if (run != NULL)
    error = refusal_of_limit (self, peer, message, step);
  if (error != LK_STEP_ERROR_NONE) {
    refuse (self, peer->id, message, error);
    return;
  }
  reply (self, peer->id, message, lk_step_set_limit (self, step, asked->limit_us, peer->user_id));
  lk_run_stir (self, run);
}

/* ---------------------------------------------------------------- listeners */

#define LISTENER_OF_MESSAGE(type, name, help) .name = message->name,

static LkStepListener
listener_of (const LkMessage_step_attach *message)
{
  return (LkStepListener){ LK_STEP_LISTENER_FIELDS (LISTENER_OF_MESSAGE) };
}

static void
on_attach (LkController *self, const LkPeer *peer, const LkMessage *message)
{
  LkStepListener listener = listener_of (&message->step_attach);
  LkStepError error;
  const LkRun *run = run_of (self, message->step_attach.job_id, &error);
  const LkJobStep *step = run != NULL ? lk_run_step (run, message->step_attach.step_id) : NULL;
  if (run != NULL && (step == NULL || step->end_seq != 0))
    error = refusal_of_step (run, message->step_attach.step_id);
  if (step == NULL || step->end_seq != 0) {
    refuse (self, peer->id, message, error);
    return;
  }
  lk_step_listen (self, run, step, &listener);
  answer_step (self, peer->id, message, run, step);
}

/* ---------------------------------------------------------------- the end of an allocation */

/* One that is over, or is about to be, needs nothing more. */
static void
on_complete (LkController *self, const LkPeer *peer, const LkMessage *message)
{
  const LkMessage_job_complete *asked = &message->job_complete;
  LkStepError error;
  LkRun *run = run_of (self, asked->job_id, &error);
  if (run == NULL) {
    refuse (self, peer->id, message, error);
    return;
  }
  if (run->leader_seq == 0)
    lk_controller_complete_run (self, run, peer->user_id, asked->exit_code, asked->signal);
  reply (self, peer->id, message, run->leader_seq);
}

/* ---------------------------------------------------------------- comments */

static void
on_admin_comment (LkController *self, const LkPeer *peer, const LkMessage *message)
{
  const LkMessage_admin_comment *asked = &message->admin_comment;
  if (asked->job_id == 0 || asked->comment.length_bytes > COMMENT_MAX_BYTES) {
    refuse (self, peer->id, message, LK_STEP_ERROR_INVALID_REQUEST);
    return;
  }
  lk_controller_note_admin_comment (self, asked, peer->user_id);
  reply (self, peer->id, message, self->seq + 1);
}

/* ---------------------------------------------------------------- words */

#define SCRIPT G_MAXUINT32

/* A control character, in valid UTF-8: of ASCII, or U+0080 to U+009F, which are two bytes. */
static gboolean
is_control (const char *at)
{
  guint8 byte = (guint8)at[0];
  return byte < 0x20 || byte == 0x7f || (byte == 0xc2 && (guint8)at[1] < 0xa0);
}

/* Staff write to files and terminals of others: nothing that those would heed. */
static gboolean
are_plain (LkText words)
{
  if (words.length_bytes == 0 || words.length_bytes > LK_NOTIFY_MAX_BYTES
      || !g_utf8_validate (words.bytes, words.length_bytes, NULL))
    return FALSE;
  for (guint32 i = 0; i < words.length_bytes; i++)
    if (is_control (words.bytes + i) && words.bytes[i] != '\t' && words.bytes[i] != '\n')
      return FALSE;
  return TRUE;
}

/* Of an allocation nothing is written into a file of its user's. What cannot be read is none. */
static gboolean
has_error_file (const LkRun *run)
{
  LkBatch batch;
  LkBytes payload = run->payload != NULL ? lk_payload_bytes (run->payload) : (LkBytes){ NULL, 0 };
  gboolean is_batch = lk_batch_decode (payload.bytes, payload.length_bytes, &batch);
  return lk_run_has_script (run) && !(is_batch && batch.kind != LK_BATCH_KIND_SCRIPT);
}

/* The script's errors are those of the job; who has none is watched by the sruns of its steps.
 * Returns: how many hear it. */
static guint
notify_run (LkController *self, LkRun *run, const LkMessage_job_notify *asked)
{
  guint count = 0;
  if (asked->step_id == SCRIPT && has_error_file (run))
    return lk_run_notify (self, run, &run->nodes[0], SCRIPT, asked->words) ? 1 : 0;
  for (guint i = 0; i < run->steps->len; i++) {
    const LkJobStep *step = g_ptr_array_index (run->steps, i);
    if (step->end_seq == 0 && (asked->step_id == SCRIPT || step->step_id == asked->step_id))
      count += lk_step_notify (self, run, step, asked->words) ? 1 : 0;
  }
  return count;
}

static void
on_notify (LkController *self, const LkPeer *peer, const LkMessage *message)
{
  const LkMessage_job_notify *asked = &message->job_notify;
  LkStepError error;
  LkRun *run = run_of (self, asked->job_id, &error);
  const LkJobStep *step = run != NULL ? lk_run_step (run, asked->step_id) : NULL;
  if (run != NULL && asked->step_id != SCRIPT && (step == NULL || step->end_seq != 0))
    error = refusal_of_step (run, asked->step_id);
  if (error == LK_STEP_ERROR_NONE && !are_plain (asked->words))
    error = LK_STEP_ERROR_INVALID_REQUEST;
  if (error == LK_STEP_ERROR_NONE && notify_run (self, run, asked) == 0)
    error = LK_STEP_ERROR_DISABLED;
  refuse (self, peer->id, message, error);
}

void
lk_controller_step_request (LkController *self, const LkPeer *peer, const LkMessage *message)
{
  switch (message->kind) {
  case LK_MESSAGE_STEP_CREATE:
    on_create (self, peer, message);
    break;
  case LK_MESSAGE_STEP_SIGNAL:
    on_signal (self, peer, message);
    break;
  case LK_MESSAGE_STEP_UPDATE:
    on_update (self, peer, message);
    break;
  case LK_MESSAGE_STEP_ATTACH:
    on_attach (self, peer, message);
    break;
  case LK_MESSAGE_JOB_NOTIFY:
    on_notify (self, peer, message);
    break;
  case LK_MESSAGE_JOB_COMPLETE:
    on_complete (self, peer, message);
    break;
  case LK_MESSAGE_ADMIN_COMMENT:
    on_admin_comment (self, peer, message);
    break;
  default:
    LK_UNREACHABLE ("lk_controller_is_step_request has seen that it is one of these");
  }
}
