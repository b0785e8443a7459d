/* sim/why_history.c — see the header. */
#include "sim/why_history.h"

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

void
lk_why_history_read (LkWhyHistory *self, LkJournalReader *reader, guint32 job_id)
{
  LkEvent event;
  LkDecision decision;
  *self =
      (LkWhyHistory){ .job_id = job_id, .turns = g_array_new (FALSE, FALSE, sizeof (LkWhyTurn)) };
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
