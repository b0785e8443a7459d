/* live/core/controller_step_keep.c — what of steps is in the journal and in snapshots.
 *
 * The engine knows nothing of steps: notes tell of them, which stand before the event they came
 * with.  Where there is none, a timer carries them, for which nothing is due.  What the tasks of a
 * step need, and keys with it, is kept nowhere: a step that no agent has begun by a crash of the
 * controller has ended with it. */
#include "engine/assert.h"
#include "live/core/controller_private.h"

void
lk_controller_note_of_step (LkController *self, const LkMessage *message)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  if (self->is_recovering)
    return;
  lk_message_encode (message, bytes);
  lk_journal_writer_note (self->writer, bytes->data, bytes->len);
  self->is_carry_wanted = TRUE;
}

void
lk_controller_note_step (LkController *self, const LkJobStep *step)
{
  LkMessage message = { .kind = LK_MESSAGE_KEPT_STEP, .kept_step = step->kept };
  lk_controller_note_of_step (self, &message);
}

void
lk_controller_note_step_ended (LkController *self, const LkJobStep *step)
{
  LkMessage message = { .kind = LK_MESSAGE_KEPT_STEP_ENDED, .kept_step_ended = step->how };
  lk_controller_note_of_step (self, &message);
}

guint64
lk_step_set_limit (LkController *self, LkJobStep *step, gint64 limit_us, guint32 user_id)
{
  LkMessage message = { .kind = LK_MESSAGE_KEPT_STEP_LIMIT };
  if (step->kept.limit_us == limit_us)
    return step->limit_seq;
  step->kept.limit_us = limit_us;
  step->limit_seq = self->seq + 1;
  message.kept_step_limit = (LkMessage_kept_step_limit){
    .run_id = step->kept.run_id, .step_id = step->step_id, .user_id = user_id, .limit_us = limit_us
  };
  lk_controller_note_of_step (self, &message);
  return step->limit_seq;
}

void
lk_controller_keep_admin_comment (LkController *self, guint32 job_id, LkLongText comment)
{
  gpointer id = GUINT_TO_POINTER (job_id);
  if (comment.length_bytes == 0)
    g_hash_table_remove (self->admin_comments, id);
  else if (g_hash_table_contains (self->payloads, id))
    g_hash_table_replace (self->admin_comments, id,
                          g_strndup (comment.bytes, comment.length_bytes));
}

void
lk_controller_note_admin_comment (LkController *self, const LkMessage_admin_comment *asked,
                                  guint32 user_id)
{
  LkMessage message = { .kind = LK_MESSAGE_KEPT_ADMIN_COMMENT };
  message.kept_admin_comment = (LkMessage_kept_admin_comment){ .job_id = asked->job_id,
                                                               .user_id = user_id,
                                                               .comment = asked->comment };
  lk_controller_note_of_step (self, &message);
  lk_controller_keep_admin_comment (self, asked->job_id, asked->comment);
}

/* Its end is told as that of a component whose leader has ended: nothing that its nodes say of
 * theirs counts. */
static void
complete (LkController *self, LkRun *run, const LkMessage_kept_complete *kept)
{
  run->leader_seq = self->seq + 1;
  run->how = (LkRunReport){ .run_id = run->run_id,
                            .job_id = run->job_id,
                            .exit_code = kept->exit_code,
                            .signal = kept->signal };
  lk_run_stir (self, run);
}

void
lk_controller_complete_run (LkController *self, LkRun *run, guint32 user_id, guint8 exit_code,
                            guint8 signal)
{
  LkMessage message = { .kind = LK_MESSAGE_KEPT_COMPLETE };
  /* on_complete has looked at both. */
  LK_ASSERT (run->leader_seq == 0);
  LK_ASSERT (run->end_seq == 0);
  message.kept_complete = (LkMessage_kept_complete){
    .run_id = run->run_id, .user_id = user_id, .exit_code = exit_code, .signal = signal
  };
  lk_controller_note_of_step (self, &message);
  complete (self, run, &message.kept_complete);
}

/* ---------------------------------------------------------------- reading them again */

static void
take_created (LkController *self, const LkMessage_kept_step *kept)
{
  LkRun *run = lk_run_find (self, kept->run_id);
  if (run == NULL || run->end_seq != 0)
    return;
  LkJobStep *step = lk_run_step_add (self, run, kept);
  if (step != NULL)
    step->create_seq = self->seq + 1;
}

static void
take_ended (LkController *self, const LkMessage_kept_step_ended *kept)
{
  LkRun *run = lk_run_find (self, kept->run_id);
  LkJobStep *step = run != NULL ? lk_run_step (run, kept->step_id) : NULL;
  if (step == NULL || step->end_seq != 0)
    return;
  for (guint32 i = 0; i < step->place_count; i++)
    step->places[i].stage = LK_ON_NODE_GONE;
  step->how = *kept;
  lk_step_count_end (run, kept);
  step->end_seq = self->seq + 1;
  step->is_finished = TRUE;
}

static void
take_limit (LkController *self, const LkMessage_kept_step_limit *kept)
{
  LkRun *run = lk_run_find (self, kept->run_id);
  LkJobStep *step = run != NULL ? lk_run_step (run, kept->step_id) : NULL;
  if (step != NULL)
    step->kept.limit_us = kept->limit_us;
}

static void
take_complete (LkController *self, const LkMessage_kept_complete *kept)
{
  LkRun *run = lk_run_find (self, kept->run_id);
  if (run != NULL && run->end_seq == 0 && run->leader_seq == 0)
    complete (self, run, kept);
}

gboolean
lk_controller_take_step_note (LkController *self, const LkMessage *message)
{
  switch (message->kind) {
  case LK_MESSAGE_KEPT_STEP:
    take_created (self, &message->kept_step);
    return TRUE;
  case LK_MESSAGE_KEPT_STEP_ENDED:
    take_ended (self, &message->kept_step_ended);
    return TRUE;
  case LK_MESSAGE_KEPT_STEP_ORDER:
    lk_step_take_order (self, &message->kept_step_order);
    return TRUE;
  case LK_MESSAGE_KEPT_STEP_HEARD:
    lk_step_take_heard (self, &message->kept_step_heard);
    return TRUE;
  case LK_MESSAGE_KEPT_STEP_LIMIT:
    take_limit (self, &message->kept_step_limit);
    return TRUE;
  case LK_MESSAGE_KEPT_COMPLETE:
    take_complete (self, &message->kept_complete);
    return TRUE;
  case LK_MESSAGE_KEPT_ADMIN_COMMENT:
    lk_controller_keep_admin_comment (self, message->kept_admin_comment.job_id,
                                      message->kept_admin_comment.comment);
    return TRUE;
  default:
    return FALSE;
  }
}

void
lk_run_steps_recovered (LkRun *run)
{
  for (guint i = 0; i < run->steps->len; i++) {
    LkJobStep *step = g_ptr_array_index (run->steps, i);
    for (guint32 j = 0; j < step->place_count; j++)
      if (step->places[j].stage != LK_ON_NODE_GONE)
        step->places[j].stage = LK_ON_NODE_LIVES;
  }
}

/* ---------------------------------------------------------------- snapshots */

/* What is not durable with the snapshot is in the journal behind it. */
static gboolean
is_kept (const LkController *self, const LkJobStep *step)
{
  return step->create_seq <= self->seq && (step->end_seq == 0 || step->end_seq > self->seq);
}

guint32
lk_run_steps_kept_next (const LkController *self, const LkRun *run)
{
  for (guint i = 0; i < run->steps->len; i++) {
    const LkJobStep *step = g_ptr_array_index (run->steps, i);
    if (step->create_seq > self->seq)
      return step->step_id;
  }
  return run->step_next;
}

guint32
lk_run_steps_kept_count (const LkController *self, const LkRun *run)
{
  guint32 count = 0;
  for (guint i = 0; i < run->steps->len; i++) {
    const LkJobStep *step = g_ptr_array_index (run->steps, i);
    if (is_kept (self, step))
      count += 1 + lk_step_kept_order_count (self, step);
  }
  return count;
}

void
lk_run_steps_save (const LkController *self, const LkRun *run, GByteArray *out,
                   void (*append) (GByteArray *out, const LkMessage *record))
{
  for (guint i = 0; i < run->steps->len; i++) {
    const LkJobStep *step = g_ptr_array_index (run->steps, i);
    LkMessage record = { .kind = LK_MESSAGE_KEPT_STEP, .kept_step = step->kept };
    if (!is_kept (self, step))
      continue;
    append (out, &record);
    lk_step_save_orders (self, step, out, append);
  }
}
