/* sim/top/words.c — see the header. */
#include "sim/top/words.h"

static void
append_text (GString *out, const char *bytes, gsize length_bytes)
{
  g_string_append_len (out, bytes, (gssize)length_bytes);
}

static void
ended_words (const LkEvent_job_ended *ended, GString *out)
{
  g_string_append_printf (out, "job %u has ended", ended->job_id);
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
lk_top_event_words (const LkEvent *event, GString *out)
{
  switch (event->kind) {
  case LK_EVENT_JOB_ENDED:
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
    if (lk_event_job_id (event) != 0)
      g_string_append_printf (out, " of job %u", lk_event_job_id (event));
  }
}

static void
accept_words (const LkEvent *event, guint32 job_id, GString *out)
{
  if (event->kind != LK_EVENT_SUBMIT)
    return;
  const LkEvent_submit *submit = &event->submit;
  g_string_append_printf (out, "job %u is submitted by ", job_id);
  if (submit->user.length_bytes > 0)
    append_text (out, submit->user.bytes, submit->user.length_bytes);
  else
    g_string_append_printf (out, "%u", submit->user_id);
  g_string_append_printf (out, ", %u processors", submit->procs);
}

static void
start_words (const LkDecision_start *start, GString *out)
{
  g_string_append_printf (out, "job %u starts", start->job_id);
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
notice_words (const LkDecision_notice *notice, GString *out)
{
  if (lk_job_state_is_end (notice->state))
    g_string_append_printf (out, "job %u is %s", notice->job_id, lk_job_state_name (notice->state));
}

void
lk_top_decision_words (const LkEvent *event, const LkDecision *decision, GString *out)
{
  switch (decision->kind) {
  case LK_DECISION_ACCEPT:
    accept_words (event, decision->accept.job_id, out);
    break;
  case LK_DECISION_REJECT:
    g_string_append_printf (out, "%s of job %u is refused: %s", lk_event_kind_name (event->kind),
                            decision->reject.job_id, lk_reject_text (decision->reject.error));
    break;
  case LK_DECISION_START:
    start_words (&decision->start, out);
    break;
  case LK_DECISION_PREEMPT:
    g_string_append_printf (out, "job %u gives way to job %u", decision->preempt.job_id,
                            decision->preempt.for_job_id);
    break;
  case LK_DECISION_KILL:
    g_string_append_printf (out, "job %u is ended: %s", decision->kill.job_id,
                            lk_kill_text (decision->kill.why));
    break;
  case LK_DECISION_REQUEUE_JOB:
    g_string_append_printf (out, "job %u goes back to the queue", decision->requeue_job.job_id);
    break;
  case LK_DECISION_NOTICE:
    notice_words (&decision->notice, out);
    break;
  case LK_DECISION_SUSPEND_JOB:
    g_string_append_printf (out, "job %u is suspended", decision->suspend_job.job_id);
    break;
  case LK_DECISION_RESUME_JOB:
    g_string_append_printf (out, "job %u goes on", decision->resume_job.job_id);
    break;
  default:
    break;
  }
}
