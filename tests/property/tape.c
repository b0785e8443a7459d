/* tests/property/tape.c — see the header. */
#include "tests/property/tape.h"

static void
step_free (gpointer data)
{
  LkTapeStep *step = data;
  g_array_unref (step->decisions);
  g_free (step);
}

static LkTapeStep *
step_new (const LkEvent *event)
{
  LkTapeStep *step = g_new0 (LkTapeStep, 1);
  step->event = *event;
  step->decisions = g_array_new (FALSE, FALSE, sizeof (LkDecision));
  return step;
}

LkTape *
lk_tape_new (const GByteArray *bytes)
{
  LkTape *self = g_new0 (LkTape, 1);
  const char *fault = NULL;
  LkEvent event;
  LkDecision decision;
  self->steps = g_ptr_array_new_with_free_func (step_free);
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (bytes->data, bytes->len, &self->header, &fault);
  g_assert_nonnull (reader);
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT) {
    LkTapeStep *step = step_new (&event);
    while (lk_journal_reader_decision (reader, &decision))
      g_array_append_val (step->decisions, decision);
    g_ptr_array_add (self->steps, step);
  }
  return self;
}

LkTape *
lk_tape_copy (const LkTape *self)
{
  LkTape *copy = g_new0 (LkTape, 1);
  copy->header = self->header;
  copy->steps = g_ptr_array_new_with_free_func (step_free);
  for (guint i = 0; i < self->steps->len; i++) {
    const LkTapeStep *from = lk_tape_step (self, i);
    LkTapeStep *step = step_new (&from->event);
    g_array_append_vals (step->decisions, from->decisions->data, from->decisions->len);
    g_ptr_array_add (copy->steps, step);
  }
  return copy;
}

void
lk_tape_free (LkTape *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->steps);
  g_free (self);
}

static void
take_bytes (gpointer user, const guint8 *bytes, gsize length_bytes)
{
  g_byte_array_append (user, bytes, (guint)length_bytes);
}

GByteArray *
lk_tape_write (const LkTape *self)
{
  GByteArray *bytes = g_byte_array_new ();
  g_autoptr (GByteArray) decisions = g_byte_array_new ();
  g_autoptr (LkJournalWriter) writer = lk_journal_writer_new (&self->header, 1, take_bytes, bytes);
  LkDigestValue digest = { 0 };
  guint64 decision_count = 0;
  for (guint i = 0; i < self->steps->len; i++) {
    LkTapeStep *step = lk_tape_step (self, i);
    g_byte_array_set_size (decisions, 0);
    for (guint at = 0; at < step->decisions->len; at++)
      lk_decision_encode (lk_tape_decision (self, i, at), decisions);
    LkDecided decided = { decisions->data, decisions->len, step->decisions->len };
    step->event.seq = i + 1;
    lk_journal_writer_event (writer, &step->event, &decided);
    decision_count += step->decisions->len;
    if (lk_journal_writer_is_full (writer))
      lk_journal_writer_commit (writer, decision_count, digest);
  }
  lk_journal_writer_end (writer, decision_count, digest);
  return bytes;
}

LkTapeStep *
lk_tape_step (const LkTape *self, guint index)
{
  return g_ptr_array_index (self->steps, index);
}

LkDecision *
lk_tape_decision (const LkTape *self, guint step, guint index)
{
  return &g_array_index (lk_tape_step (self, step)->decisions, LkDecision, index);
}

/* ---------------------------------------------------------------- who is meant */

static guint32 *
decision_job (LkDecision *decision)
{
  switch (decision->kind) {
  case LK_DECISION_START:
    return &decision->start.job_id;
  case LK_DECISION_PREEMPT:
    return &decision->preempt.job_id;
  case LK_DECISION_ROOM:
    return &decision->room.job_id;
  case LK_DECISION_KILL:
    return &decision->kill.job_id;
  case LK_DECISION_REQUEUE_JOB:
    return &decision->requeue_job.job_id;
  case LK_DECISION_NOTICE:
    return &decision->notice.job_id;
  case LK_DECISION_STANDING:
    return &decision->standing.job_id;
  default:
    return NULL;
  }
}

guint32
lk_tape_job_id (const LkDecision *decision)
{
  LkDecision copy = *decision;
  const guint32 *job_id = decision_job (&copy);
  return job_id != NULL ? *job_id : 0;
}

void
lk_tape_forget (LkTape *self, guint32 job_id, guint from_step)
{
  for (guint i = from_step; i < self->steps->len;) {
    LkTapeStep *step = lk_tape_step (self, i);
    if (i > from_step && lk_event_job_id (&step->event) == job_id) {
      g_ptr_array_remove_index (self->steps, i);
      continue;
    }
    for (guint at = step->decisions->len; at > 0; at--)
      if (lk_tape_job_id (lk_tape_decision (self, i, at - 1)) == job_id)
        g_array_remove_index (step->decisions, at - 1);
    i++;
  }
}

static void
swap_id (guint32 *job_id, guint32 job_a, guint32 job_b)
{
  if (*job_id == job_a)
    *job_id = job_b;
  else if (*job_id == job_b)
    *job_id = job_a;
}

void
lk_tape_swap (LkTape *self, guint32 job_a, guint32 job_b, guint from_step)
{
  for (guint i = from_step; i < self->steps->len; i++) {
    LkTapeStep *step = lk_tape_step (self, i);
    if (step->event.kind == LK_EVENT_JOB_ENDED)
      swap_id (&step->event.job_ended.job_id, job_a, job_b);
    for (guint at = 0; at < step->decisions->len; at++) {
      guint32 *job_id = decision_job (lk_tape_decision (self, i, at));
      if (job_id != NULL)
        swap_id (job_id, job_a, job_b);
    }
  }
}
