/* sim/top/words.c — see the header. */
#include "sim/top/words.h"

static void
append_text (GString *out, const char *bytes, gsize length_bytes)
{
  g_string_append_len (out, bytes, (gssize)length_bytes);
}

/* "job 7(log:5)" and what follows. */
static void
job_words (const LkJournalNames *names, guint32 job_id, const char *what, GString *out)
{
  g_string_append (out, "job ");
  lk_journal_names_append_job (names, job_id, out);
  g_string_append (out, what);
}

static void
ended_words (const LkEvent_job_ended *ended, GString *out)
{
  if (ended->cancelled != 0)
    g_string_append (out, ": cancelled");
  else if (ended->signal != 0)
    g_string_append_printf (out, ": signal %u", ended->signal);
  else if (ended->exit_code != 0)
    g_string_append_printf (out, ": exit code %u", ended->exit_code);
}

static void
node_words (const LkText *node, const char *word, const LkText *reason, GString *out)
{
  g_string_append (out, "node ");
  append_text (out, node->bytes, node->length_bytes);
  g_string_append_printf (out, " %s", word);
  if (reason == NULL || reason->length_bytes == 0)
    return;
  g_string_append (out, ": ");
  append_text (out, reason->bytes, reason->length_bytes);
}

void
lk_top_event_words (const LkEvent *event, const LkJournalNames *names, GString *out)
{
  switch (event->kind) {
  case LK_EVENT_JOB_ENDED:
    job_words (names, event->job_ended.job_id, " has ended", out);
    ended_words (&event->job_ended, out);
    break;
  case LK_EVENT_NODE_UP:
    node_words (&event->node_up.node, "is up", NULL, out);
    break;
  case LK_EVENT_NODE_DOWN:
    node_words (&event->node_down.node, "is down", &event->node_down.reason, out);
    break;
  case LK_EVENT_NODE_DRAIN:
    node_words (&event->node_drain.node, "is drained", &event->node_drain.reason, out);
    break;
  case LK_EVENT_NODE_RESUME:
    node_words (&event->node_resume.node, "takes jobs again", NULL, out);
    break;
  case LK_EVENT_JOB_STARTED:
  case LK_EVENT_SUBMIT:
  case LK_EVENT_TIMER:
  case LK_EVENT_PASS:
    break; /* what becomes of them is told by their decisions */
  default:
    g_string_append (out, lk_event_kind_name (event->kind));
    if (lk_event_job_id (event) != 0) {
      g_string_append (out, " of ");
      job_words (names, lk_event_job_id (event), "", out);
    }
  }
}

static void
accept_words (const LkEvent *event, guint32 job_id, const LkJournalNames *names, GString *out)
{
  if (event->kind != LK_EVENT_SUBMIT)
    return;
  const LkEvent_submit *submit = &event->submit;
  job_words (names, job_id, " is submitted by ", out);
  if (submit->user.length_bytes > 0)
    append_text (out, submit->user.bytes, submit->user.length_bytes);
  else
    g_string_append_printf (out, "%u", submit->user_id);
  g_string_append_printf (out, ", %u processors", submit->procs);
}

static void
start_words (const LkDecision_start *start, const LkJournalNames *names, GString *out)
{
  job_words (names, start->job_id, " starts", out);
  if (start->nodes.length_bytes > 0) {
    g_string_append (out, " on ");
    append_text (out, start->nodes.bytes, start->nodes.length_bytes);
  } else {
    g_string_append_printf (out, " on %u processors", start->units);
  }
  if (start->backfilled != 0)
    g_string_append (out, ", backfilled");
}

static void
notice_words (const LkDecision_notice *notice, const LkJournalNames *names, GString *out)
{
  if (!lk_job_state_is_end (notice->state))
    return;
  job_words (names, notice->job_id, " is ", out);
  g_string_append (out, lk_job_state_name (notice->state));
}

void
lk_top_decision_words (const LkEvent *event, const LkDecision *decision,
                       const LkJournalNames *names, GString *out)
{
  switch (decision->kind) {
  case LK_DECISION_ACCEPT:
    accept_words (event, decision->accept.job_id, names, out);
    break;
  case LK_DECISION_REJECT:
    g_string_append_printf (out, "%s of ", lk_event_kind_name (event->kind));
    job_words (names, decision->reject.job_id, " is refused: ", out);
    g_string_append (out, lk_reject_text (decision->reject.error));
    break;
  case LK_DECISION_START:
    start_words (&decision->start, names, out);
    break;
  case LK_DECISION_PREEMPT:
    job_words (names, decision->preempt.job_id, " gives way to ", out);
    job_words (names, decision->preempt.for_job_id, "", out);
    break;
  case LK_DECISION_KILL:
    job_words (names, decision->kill.job_id, " is ended: ", out);
    g_string_append (out, lk_kill_text (decision->kill.why));
    break;
  case LK_DECISION_REQUEUE_JOB:
    job_words (names, decision->requeue_job.job_id, " goes back to the queue", out);
    break;
  case LK_DECISION_NOTICE:
    notice_words (&decision->notice, names, out);
    break;
  case LK_DECISION_SUSPEND_JOB:
    job_words (names, decision->suspend_job.job_id, " is suspended", out);
    break;
  case LK_DECISION_RESUME_JOB:
    job_words (names, decision->resume_job.job_id, " goes on", out);
    break;
  default:
    break;
  }
}
