/* sim/replay.c — see the header.
 *
 * The sink takes one recorded decision for each one that the engine makes and compares the
 * canonical bytes, so that the first difference is found at the decision itself, not at the next
 * digest. */
#include "sim/replay.h"

#include <string.h>

#include "engine/assert.h"

typedef struct {
  const LkReplayOptions *options;
  LkReplayReport *report;
  LkEngine *engine;
  GByteArray *made; /* scratch: one decision's bytes */
  GByteArray *recorded;
  GString *line;  /* JSON of the event being applied; unused when nothing is printed */
  guint32 job_id; /* of the first difference */
} Replay;

static void
describe_decision (GString *out, const char *label, const LkDecision *decision)
{
  g_string_append (out, label);
  if (decision != NULL)
    lk_decision_json (decision, out);
  else
    g_string_append (out, "none");
  g_string_append_c (out, '\n');
}

/* 0 when there is no decision, or it names no job. */
static guint32
decision_job_id (const LkDecision *decision)
{
  if (decision == NULL)
    return 0;
  switch (decision->kind) {
  case LK_DECISION_ACCEPT:
    return decision->accept.job_id;
  case LK_DECISION_REJECT:
    return decision->reject.job_id;
  case LK_DECISION_START:
    return decision->start.job_id;
  case LK_DECISION_KILL:
    return decision->kill.job_id;
  case LK_DECISION_NOTICE:
    return decision->notice.job_id;
  default:
    return 0;
  }
}

static void
note_difference (Replay *self, const LkEvent *event, const LkDecision *recorded,
                 const LkDecision *made)
{
  LkReplayReport *report = self->report;
  if (report->outcome != LK_REPLAY_SAME)
    return;
  report->outcome = LK_REPLAY_DIFFERS;
  report->difference_seq = event->seq;
  g_string_append (report->difference, "event:    ");
  lk_event_json (event, report->difference);
  g_string_append_c (report->difference, '\n');
  describe_decision (report->difference, "recorded: ", recorded);
  describe_decision (report->difference, "made now: ", made);
  self->job_id = decision_job_id (made);
  if (self->job_id == 0)
    self->job_id = decision_job_id (recorded);
}

static gboolean
decisions_equal (Replay *self, const LkDecision *a, const LkDecision *b)
{
  g_byte_array_set_size (self->made, 0);
  g_byte_array_set_size (self->recorded, 0);
  lk_decision_encode (a, self->made);
  lk_decision_encode (b, self->recorded);
  return self->made->len == self->recorded->len
         && memcmp (self->made->data, self->recorded->data, self->made->len) == 0;
}

static void
on_decision (void *user, const LkEvent *cause, const LkDecision *decision)
{
  Replay *self = user;
  LkDecision recorded;
  if (self->options->decided != NULL)
    self->options->decided (self->options->user, cause, decision);
  if (self->options->print != NULL) {
    if (self->line->str[self->line->len - 1] != '[')
      g_string_append_c (self->line, ',');
    lk_decision_json (decision, self->line);
  }
  if (!lk_journal_reader_decision (self->options->reader, &recorded))
    note_difference (self, cause, NULL, decision);
  else if (!decisions_equal (self, decision, &recorded))
    note_difference (self, cause, &recorded, decision);
}

static void
append_job_state (Replay *self)
{
  GString *out = self->report->difference;
  LkJobInfo info;
  if (self->job_id == 0)
    return;
  if (!lk_engine_job (self->engine, self->job_id, &info)) {
    g_string_append_printf (out, "job %u:   not in the system behind this event\n", self->job_id);
    return;
  }
  g_string_append_printf (out,
                          "job %u:   %s, reason %s, user %u, procs %u, submit_us %" G_GINT64_FORMAT
                          ", estimate_us %" G_GINT64_FORMAT "\n",
                          info.id, lk_job_state_name (info.state), lk_reason_name (info.reason),
                          info.user_id, info.procs, info.submit_us, info.estimate_us);
  if (info.start_us != LK_TIME_NEVER)
    g_string_append_printf (out, "          %s at %" G_GINT64_FORMAT " us\n",
                            info.state == LK_JOB_PENDING || info.state == LK_JOB_SPECIAL_EXIT
                                ? "planned to start"
                                : "started",
                            info.start_us);
}

static void
apply_event (Replay *self, const LkEvent *event)
{
  LkReplayReport *report = self->report;
  LkSink sink = { on_decision, self };
  LkDecision missing;
  if (self->options->print != NULL) {
    g_string_assign (self->line, "{\"event\":");
    lk_event_json (event, self->line);
    g_string_append (self->line, ",\"decisions\":[");
  }
  LkStatus status = lk_engine_apply (self->engine, event, &sink);
  if (status != LK_STATUS_OK) {
    report->outcome = LK_REPLAY_REFUSED;
    report->difference_seq = event->seq;
    g_string_append (report->difference, "event:    ");
    lk_event_json (event, report->difference);
    g_string_append_printf (report->difference, "\nrefused:  %s\n", lk_status_text (status));
    return;
  }
  if (lk_journal_reader_decision (self->options->reader, &missing))
    note_difference (self, event, &missing, NULL);
  if (self->options->behind != NULL)
    self->options->behind (self->options->user, self->engine, event);
  if (self->options->print != NULL) {
    g_string_append (self->line, "]}");
    self->options->print (self->options->user, self->line->str);
  }
}

static void
compare_checkpoint (Replay *self)
{
  LkReplayReport *report = self->report;
  LkJournalCheckpoint checkpoint;
  if (report->outcome != LK_REPLAY_SAME
      || !lk_journal_reader_checkpoint (self->options->reader, &checkpoint))
    return;
  lk_engine_counts (self->engine, &report->counts);
  if (lk_digest_value_equal (checkpoint.digest, lk_engine_digest (self->engine))
      && checkpoint.decision_count == report->counts.decision_count
      && checkpoint.seq == report->counts.event_count)
    return;
  report->outcome = LK_REPLAY_DIFFERS;
  report->difference_seq = checkpoint.seq;
  g_string_append (report->difference,
                   "the recorded decisions agree, but not with the digest recorded for them\n");
}

static LkJournalState
walk (Replay *self)
{
  const LkReplayOptions *options = self->options;
  LkEvent event;
  LkJournalState state = lk_journal_reader_next (options->reader, &event);
  while (state == LK_JOURNAL_EVENT) {
    if (event.seq > options->until_seq || event.time_us > options->until_us)
      return LK_JOURNAL_EVENT;
    apply_event (self, &event);
    compare_checkpoint (self);
    if (self->report->outcome != LK_REPLAY_SAME) {
      append_job_state (self);
      return LK_JOURNAL_EVENT;
    }
    state = lk_journal_reader_next (options->reader, &event);
  }
  if (state == LK_JOURNAL_END)
    compare_checkpoint (self);
  return state;
}

void
lk_replay_run (const LkReplayOptions *options, LkReplayReport *out_report)
{
  LkPolicyError error;
  *out_report = (LkReplayReport){ .difference = g_string_new (NULL) };
  Replay self = { .options = options,
                  .report = out_report,
                  .engine = lk_engine_new (options->config, &error),
                  .made = g_byte_array_new (),
                  .recorded = g_byte_array_new (),
                  .line = g_string_new (NULL) };
  LK_ASSERT (self.engine != NULL); /* the setup has tried the same configuration */
  out_report->state = walk (&self);
  lk_engine_counts (self.engine, &out_report->counts);
  out_report->digest = lk_engine_digest (self.engine);
  if (out_report->outcome == LK_REPLAY_SAME && options->arrive != NULL)
    options->arrive (options->user, self.engine);
  g_byte_array_unref (self.made);
  g_byte_array_unref (self.recorded);
  g_string_free (self.line, TRUE);
  lk_engine_free (self.engine);
}

void
lk_replay_report_clear (LkReplayReport *self)
{
  g_string_free (self->difference, TRUE);
  self->difference = NULL;
}
