/* sim/why_history.c — see the header. */
#include "sim/why_history.h"

#include <string.h>

static void
turn (LkWhyHistory *self, const LkEvent *event, LkJobState state)
{
  LkWhyTurn *last =
      self->turns->len > 0 ? &g_array_index (self->turns, LkWhyTurn, self->turns->len - 1) : NULL;
  LkWhyTurn now = { .seq = event->seq, .time_us = event->time_us, .state = state };
  /* Of several in one event only the last holds: a requeued job is NODE_FAIL on its way. */
  if (last != NULL && last->seq == event->seq)
    *last = now;
  else if (last == NULL || last->state != state)
    g_array_append_val (self->turns, now);
}

static void
become_job (LkWhyHistory *self, guint64 seq, guint32 job_id)
{
  self->job_id = job_id;
  self->task_seq = MIN (self->task_seq, seq);
}

static void
take_decision (LkWhyHistory *self, const LkEvent *event, const LkDecision *decision)
{
  gboolean is_submit = event->kind == LK_EVENT_SUBMIT && event->submit.job_id == self->job_id;
  switch (decision->kind) {
  case LK_DECISION_ACCEPT:
    if (is_submit)
      turn (self, event, LK_JOB_PENDING);
    break;
  case LK_DECISION_REJECT:
    /* A second submit under the id says nothing of the first. */
    if (is_submit && self->turns->len == 0)
      self->reject = (LkReject)decision->reject.error;
    break;
  case LK_DECISION_START:
    if (decision->start.job_id == self->job_id)
      turn (self, event, LK_JOB_RUNNING);
    break;
  case LK_DECISION_TASK:
    if (self->array_job_id != 0 && decision->task.array_job_id == self->array_job_id
        && decision->task.task == self->task)
      become_job (self, event->seq, decision->task.job_id);
    break;
  case LK_DECISION_NOTICE:
    if (decision->notice.job_id == self->job_id)
      /* What waits as SPECIAL_EXIT waits. */
      turn (self, event,
            decision->notice.state == LK_JOB_SPECIAL_EXIT ? LK_JOB_PENDING
                                                          : (LkJobState)decision->notice.state);
    break;
  default:
    break;
  }
}

static void
take_event (LkWhyHistory *self, const LkEvent *event)
{
  if (event->kind != LK_EVENT_SUBMIT)
    return;
  self->job_id_last = MAX (self->job_id_last, event->submit.job_id);
  if (event->submit.job_id != self->job_id || self->turns->len > 0)
    return;
  self->is_submitted = TRUE;
  self->asked = event->submit;
  self->submit_seq = event->seq;
  self->submit_us = event->time_us;
}

static gboolean
is_pending (const LkWhyHistory *self)
{
  return self->turns->len > 0
         && g_array_index (self->turns, LkWhyTurn, self->turns->len - 1).state == LK_JOB_PENDING;
}

/* All events of the last instant were taken. */
static void
end_instant (LkWhyHistory *self)
{
  if (!is_pending (self))
    return;
  self->pending_seq = self->last_seq;
  self->pending_us = self->last_us;
}

static gboolean
number_parse (const char *text, gsize length_bytes, guint64 minimum, guint32 *out_number)
{
  guint64 number;
  g_autofree char *copy = g_strndup (text, length_bytes);
  if (!g_ascii_string_to_unsigned (copy, 10, minimum, G_MAXUINT32 - 1, &number, NULL))
    return FALSE;
  *out_number = (guint32)number;
  return TRUE;
}

gboolean
lk_why_job_id_parse (const char *text, LkWhyJobId *out_id)
{
  LkWhyJobId id = { .task = LK_TASK_NONE };
  guint32 offset = 0;
  gsize number_bytes = strcspn (text, "_+");
  const char *rest = text + number_bytes;
  if (!number_parse (text, number_bytes, 1, &id.job_id))
    return FALSE;
  if (rest[0] == '+' && !number_parse (rest + 1, strlen (rest + 1), 0, &offset))
    return FALSE;
  /* What squeue shows in brackets waits as one. */
  gboolean is_rest = rest[0] == '_' && rest[1] == '[' && rest[strlen (rest) - 1] == ']';
  if (rest[0] == '_' && !is_rest && !number_parse (rest + 1, strlen (rest + 1), 0, &id.task))
    return FALSE;
  if (offset > G_MAXUINT32 - id.job_id)
    return FALSE;
  id.job_id += offset;
  *out_id = id;
  return TRUE;
}

void
lk_why_history_read (LkWhyHistory *self, LkJournalReader *reader, const LkWhyJobId *id)
{
  LkEvent event;
  LkDecision decision;
  *self = (LkWhyHistory){ .job_id = id->job_id,
                          .array_job_id = id->task != LK_TASK_NONE ? id->job_id : 0,
                          .task = id->task,
                          .task_seq = G_MAXUINT64,
                          .turns = g_array_new (FALSE, FALSE, sizeof (LkWhyTurn)) };
  self->end = lk_journal_reader_next (reader, &event);
  for (; self->end == LK_JOURNAL_EVENT; self->end = lk_journal_reader_next (reader, &event)) {
    if (self->last_seq > 0 && event.time_us > self->last_us)
      end_instant (self);
    self->last_seq = event.seq;
    self->last_us = event.time_us;
    take_event (self, &event);
    while (lk_journal_reader_decision (reader, &decision))
      take_decision (self, &event, &decision);
  }
  end_instant (self);
}

void
lk_why_history_clear (LkWhyHistory *self)
{
  g_clear_pointer (&self->turns, g_array_unref);
}

guint32
lk_why_history_job_at (const LkWhyHistory *self, guint64 seq)
{
  return self->array_job_id != 0 && seq < self->task_seq ? self->array_job_id : self->job_id;
}

const LkWhyTurn *
lk_why_history_at (const LkWhyHistory *self, guint64 until_seq, gint64 until_us)
{
  const LkWhyTurn *found = NULL;
  for (guint i = 0; i < self->turns->len; i++) {
    const LkWhyTurn *next = &g_array_index (self->turns, LkWhyTurn, i);
    if (next->seq <= until_seq && next->time_us <= until_us)
      found = next;
  }
  return found;
}

const LkWhyTurn *
lk_why_history_behind (const LkWhyHistory *self, const LkWhyTurn *turn)
{
  for (guint i = 0; i < self->turns->len; i++) {
    const LkWhyTurn *next = &g_array_index (self->turns, LkWhyTurn, i);
    if (next->seq > turn->seq)
      return next;
  }
  return NULL;
}
