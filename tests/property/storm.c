/* tests/property/storm.c — see the header. */
#include "tests/property/storm.h"

#include <string.h>

#include "engine/journal.h"
#include "sim/audit.h"
#include "tests/property/storm_event.h"
#include "tests/property/storm_shadow.h"
#include "tests/property/storm_site.h"

/* A snapshot that was gone on from, behind the event. */
typedef struct {
  guint64 seq;
  GByteArray *bytes;
} Swap;

typedef struct {
  LkStormSource source;
  const LkSetup *setup;
  LkEngine *engine;
  LkSink sink;
  GByteArray *journal;
  LkJournalWriter *writer;
  guint64 seq;
  gint64 wake_us;
  GArray *kills; /* of guint32: jobs that were told to end and have not */
  guint start_count;
  guint stop_count; /* suspended by the scheduler */
  GArray *swaps;    /* of Swap */
  guint reject_count;
  LkStormShadow shadow;
  guint quiet_count; /* late: so many events more without timers and passes */
  guint site;
  GPtrArray *setups;  /* of LkSetup*: what configurations that were tried point into */
  guint config_count; /* that came into force */
} Storm;

/* ---------------------------------------------------------------- decisions */

static gboolean
remove_id (GArray *ids, guint32 id)
{
  for (guint i = 0; i < ids->len; i++)
    if (g_array_index (ids, guint32, i) == id) {
      g_array_remove_index (ids, i);
      return TRUE;
    }
  return FALSE;
}

static void
on_notice (Storm *self, const LkDecision_notice *notice)
{
  if (!lk_job_state_is_end (notice->state))
    return;
  remove_id (self->source.running, notice->job_id);
  remove_id (self->kills, notice->job_id);
}

static void
on_decision (void *user, const LkEvent *cause, const LkDecision *decision)
{
  Storm *self = user;
  guint32 id;
  (void)cause;
  switch (decision->kind) {
  case LK_DECISION_ACCEPT:
    if (cause->kind == LK_EVENT_SUBMIT)
      self->source.job_id_last = MAX (self->source.job_id_last, decision->accept.job_id);
    break;
  case LK_DECISION_REJECT:
    self->reject_count++;
    break;
  case LK_DECISION_TASK:
    self->source.job_id_last = MAX (self->source.job_id_last, decision->task.job_id);
    break;
  case LK_DECISION_START:
    id = decision->start.job_id;
    g_array_append_val (self->source.running, id);
    self->start_count++;
    break;
  case LK_DECISION_KILL:
    id = decision->kill.job_id;
    if (!remove_id (self->kills, id))
      (void)0;
    g_array_append_val (self->kills, id);
    break;
  case LK_DECISION_REQUEUE_JOB:
    remove_id (self->source.running, decision->requeue_job.job_id);
    remove_id (self->kills, decision->requeue_job.job_id);
    break;
  case LK_DECISION_SUSPEND_JOB:
    self->stop_count += cause->kind != LK_EVENT_SUSPEND ? 1 : 0;
    break;
  case LK_DECISION_WAKE:
    self->wake_us = decision->wake.at_us;
    break;
  case LK_DECISION_NOTICE:
    on_notice (self, &decision->notice);
    break;
  default:
    break;
  }
}

/* ---------------------------------------------------------------- events */

static void
keep (const Storm *self)
{
  const char *path = g_getenv ("LK_STORM_JOURNAL");
  if (path != NULL)
    g_file_set_contents (path, (const char *)self->journal->data, self->journal->len, NULL);
}

static void
follow (Storm *self, const LkEvent *event)
{
  guint64 from_seq = self->shadow.from_seq;
  const char *fault = lk_storm_shadow_follow (&self->shadow, self->engine, event);
  if (fault == NULL)
    return;
  LkEngineCounts counts;
  lk_engine_counts (self->engine, &counts);
  lk_journal_writer_end (self->writer, counts.decision_count, lk_engine_digest (self->engine));
  keep (self);
  g_error ("event %" G_GUINT64_FORMAT
           ": an engine from the snapshot behind event %" G_GUINT64_FORMAT " %s",
           event->seq, from_seq, fault);
}

static void
deliver (Storm *self, LkEvent *event)
{
  event->seq = ++self->seq;
  event->time_us = self->source.now_us;
  LkStatus status = lk_engine_apply (self->engine, event, &self->sink);
  g_assert_cmpint (status, ==, LK_STATUS_OK);
  LkDecided decided = lk_engine_decided (self->engine);
  lk_journal_writer_event (self->writer, event, &decided);
  lk_engine_check (self->engine);
  follow (self, event);
}

static void
swap_clear (gpointer swap)
{
  g_byte_array_unref (((Swap *)swap)->bytes);
}

/* The engine that goes on is the one that its snapshot gives. */
static void
swap_engine (Storm *self)
{
  LkStatus status;
  Swap swap = { self->seq, g_byte_array_new () };
  GByteArray *bytes = swap.bytes;
  g_autoptr (GByteArray) again = g_byte_array_new ();
  lk_engine_save (self->engine, bytes);
  LkEngine *other =
      lk_engine_load (lk_setup_config (self->setup), bytes->data, bytes->len, &status);
  g_assert_cmpstr (lk_status_text (status), ==, "ok");
  lk_engine_save (other, again);
  g_assert_cmpuint (again->len, ==, bytes->len);
  g_assert_true (memcmp (again->data, bytes->data, bytes->len) == 0);
  lk_engine_free (self->engine);
  self->engine = other;
  g_array_append_val (self->swaps, swap);
}

static void
end_killed (Storm *self)
{
  while (self->kills->len > 0) {
    LkEvent event = { .kind = LK_EVENT_JOB_ENDED };
    event.job_ended.job_id = g_array_index (self->kills, guint32, 0);
    event.job_ended.signal = 15;
    g_array_remove_index (self->kills, 0);
    deliver (self, &event);
  }
}

/* What a driver does at the end of an instant. */
static void
settle (Storm *self)
{
  while (self->wake_us <= self->source.now_us) {
    LkEvent timer = { .kind = LK_EVENT_TIMER };
    self->wake_us = LK_TIME_NEVER;
    deliver (self, &timer);
  }
  if (lk_storm_draw (&self->source, 4) != 0)
    end_killed (self);
  if (lk_engine_pass_wanted (self->engine)) {
    LkEvent pass = { .kind = LK_EVENT_PASS };
    deliver (self, &pass);
  }
}

/* Time goes on, with the timers on its way. */
static void
advance (Storm *self)
{
  static const gint64 steps_s[] = { 0, 0, 0, 1, 2, 7, 30, 100 };
  guint32 step = lk_storm_draw (&self->source, G_N_ELEMENTS (steps_s));
  gint64 to_us = self->source.now_us + steps_s[step] * G_USEC_PER_SEC;
  if (to_us == self->source.now_us)
    return;
  settle (self);
  for (guint i = 0; i < 50 && self->wake_us <= to_us; i++) {
    self->source.now_us = MAX (self->source.now_us, self->wake_us);
    settle (self);
  }
  self->source.now_us = to_us;
}

/* A driver that is late: its clock stands still or jumps, timers and passes come some time behind
 * their moments, and now and then for a long time not at all. */
static void
advance_late (Storm *self)
{
  static const guint32 jumps_us[] = { 1, 1, 1, 50000, 999999, 3000017, 31000003, 150000001 };
  guint32 jump = lk_storm_draw (&self->source, G_N_ELEMENTS (jumps_us));
  gint64 late_us = lk_storm_draw (&self->source, jumps_us[jump]);
  if (lk_storm_draw (&self->source, 2) == 0 && self->wake_us < LK_TIME_NEVER)
    self->source.now_us = MAX (self->source.now_us, self->wake_us + late_us % 100000);
  else
    self->source.now_us += late_us;
  if (self->quiet_count > 0) {
    self->quiet_count--;
    return;
  }
  if (lk_storm_draw (&self->source, 20) == 0)
    self->quiet_count = lk_storm_draw (&self->source, 40);
  if (lk_storm_draw (&self->source, 4) != 0)
    settle (self);
}

static void
end_running (Storm *self)
{
  while (self->source.running->len > 0) {
    LkEvent event = { .kind = LK_EVENT_JOB_ENDED };
    event.job_ended.job_id = g_array_index (self->source.running, guint32, 0);
    deliver (self, &event);
    remove_id (self->source.running, event.job_ended.job_id);
  }
}

/* All that runs ends, and what is left is cancelled. */
static void
calm (Storm *self)
{
  for (guint i = 0; i < 20; i++) {
    end_running (self);
    self->source.now_us += 40 * G_USEC_PER_SEC;
    settle (self);
  }
  end_running (self); /* whose begin time has come last */
  g_autoptr (GArray) ids = lk_engine_queue_ids (self->engine);
  for (guint i = 0; i < ids->len; i++) {
    LkEvent event = { .kind = LK_EVENT_CANCEL };
    event.cancel.job_id = g_array_index (ids, guint32, i);
    deliver (self, &event);
  }
  end_killed (self);
}

/* ---------------------------------------------------------------- afterwards */

static void
take_bytes (gpointer user, const guint8 *bytes, gsize length_bytes)
{
  g_byte_array_append (user, bytes, (guint)length_bytes);
}

/* It has the state of one that was never swapped. */
static void
check_swap (Storm *self, const LkEngine *fresh, const Swap *swap)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_engine_save (fresh, bytes);
  gboolean is_same =
      bytes->len == swap->bytes->len && memcmp (bytes->data, swap->bytes->data, bytes->len) == 0;
  if (!is_same)
    g_printerr ("event %" G_GUINT64_FORMAT ": snapshots differ\n", swap->seq);
  if (!is_same)
    keep (self);
  g_assert_true (is_same);
}

/* A fresh engine decides the same. */
static void
replay (Storm *self)
{
  LkJournalHeader header;
  const char *fault = NULL;
  LkPolicyError policy_error;
  LkEvent event;
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (self->journal->data, self->journal->len, &header, &fault);
  g_assert_nonnull (reader);
  LkEngine *fresh = lk_engine_new (lk_setup_config (self->setup), &policy_error);
  guint at = 0;
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT) {
    g_assert_cmpint (lk_engine_apply (fresh, &event, NULL), ==, LK_STATUS_OK);
    /* There may be more than one behind an event. */
    for (; at < self->swaps->len && g_array_index (self->swaps, Swap, at).seq <= event.seq; at++)
      check_swap (self, fresh, &g_array_index (self->swaps, Swap, at));
  }
  gboolean is_same =
      lk_digest_value_equal (lk_engine_digest (fresh), lk_engine_digest (self->engine));
  if (!is_same)
    keep (self);
  g_assert_true (is_same);
  lk_engine_free (fresh);
}

static void
audit (Storm *self)
{
  LkAudit audit;
  g_autofree char *error = NULL;
  lk_audit_run (&audit, self->journal->data, self->journal->len, 5, &error);
  g_assert_cmpstr (error, ==, NULL);
  for (guint i = 0; i < audit.findings->len; i++) {
    const LkAuditFinding *finding = &g_array_index (audit.findings, LkAuditFinding, i);
    g_printerr ("event %" G_GUINT64_FORMAT ", job %u: %s [%s]\n", finding->seq, finding->job_id,
                finding->text, lk_audit_rule_name (finding->rule));
  }
  if (audit.findings->len > 0)
    keep (self);
  g_assert_cmpuint (audit.findings->len, ==, 0);
  lk_audit_clear (&audit);
}

/* Another configuration: what the engine says before that it would take it takes.  What kept it
 * from that may be gone with the event: components of a job that never came whole. */
static void
change_config (Storm *self)
{
  LkJournalHeader header;
  LkEvent event = { .kind = LK_EVENT_RECONFIGURE };
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  LkSetup *setup = lk_storm_other_setup (self->site, &self->source);
  guint reject_count = self->reject_count;
  g_ptr_array_add (self->setups, setup);
  lk_setup_header (setup, "storm", &header);
  lk_reconfigure_set_header (&event.reconfigure, &header);
  lk_engine_try_config (self->engine, &header, problems);
  deliver (self, &event);
  gboolean is_taken = self->reject_count == reject_count;
  g_assert_true (is_taken || problems->len > 0);
  self->config_count += is_taken ? 1 : 0;
  for (guint i = 0; i < problems->len; i++)
    g_test_message ("refused: %s", (const char *)g_ptr_array_index (problems, i));
}

static void
rage (Storm *self)
{
  for (guint i = 0; i < self->source.options->event_max && !self->source.is_over; i++) {
    LkEvent event = lk_storm_event (&self->source);
    if (self->source.options->is_changing && self->source.het_count == 0
        && lk_storm_draw (&self->source, 12) == 0)
      change_config (self);
    deliver (self, &event);
    if (event.kind == LK_EVENT_JOB_ENDED)
      remove_id (self->source.running, event.job_ended.job_id);
    /* Components come at once; mostly. */
    if (self->source.options->is_late)
      advance_late (self);
    else if (self->source.het_count == 0 || lk_storm_draw (&self->source, 8) == 0)
      advance (self);
    if (!self->source.options->is_late && lk_storm_draw (&self->source, 16) == 0)
      swap_engine (self);
  }
  settle (self);
  calm (self);
}

char *
lk_storm_run (guint site, const LkStormOptions *options)
{
  LkPolicyError policy_error;
  LkJournalHeader header;
  Storm self = { .source = { .options = options }, .wake_us = LK_TIME_NEVER };
  self.setup = lk_storm_setup (site);
  self.site = site;
  self.setups = g_ptr_array_new_with_free_func ((GDestroyNotify)lk_setup_free);
  self.source.is_crowded = lk_storm_site_is_crowded (site);
  if (options->is_late) {
    self.source.is_crowded |= lk_storm_draw (&self.source, 2) == 0;
    self.source.has_no_reservations = lk_storm_draw (&self.source, 4) != 0;
  }
  if (options->is_changing)
    self.source.has_no_reservations = lk_storm_draw (&self.source, 2) != 0;
  self.source.running = g_array_new (FALSE, FALSE, sizeof (guint32));
  self.swaps = g_array_new (FALSE, FALSE, sizeof (Swap));
  g_array_set_clear_func (self.swaps, swap_clear);
  self.kills = g_array_new (FALSE, FALSE, sizeof (guint32));
  self.engine = lk_engine_new (lk_setup_config (self.setup), &policy_error);
  self.shadow.config = lk_setup_config (self.setup);
  self.sink = (LkSink){ on_decision, &self };
  self.journal = g_byte_array_new ();
  lk_setup_header (self.setup, "storm", &header);
  self.writer = lk_journal_writer_new (&header, 1, take_bytes, self.journal);
  rage (&self);
  LkEngineCounts counts;
  lk_engine_counts (self.engine, &counts);
  lk_journal_writer_end (self.writer, counts.decision_count, lk_engine_digest (self.engine));
  replay (&self);
  audit (&self);
  if (options->journal != NULL)
    g_byte_array_append (options->journal, self.journal->data, self.journal->len);
  char *told = g_strdup_printf ("%" G_GUINT64_FORMAT
                                " events, %u starts, %u stops, %u refusals, %u snapshots, %u "
                                "configurations",
                                self.seq, self.start_count, self.stop_count, self.reject_count,
                                self.swaps->len, self.config_count);
  lk_journal_writer_free (self.writer);
  g_byte_array_unref (self.journal);
  lk_engine_free (self.engine);
  lk_storm_shadow_clear (&self.shadow);
  g_array_unref (self.source.running);
  g_array_unref (self.kills);
  g_array_unref (self.swaps);
  g_ptr_array_unref (self.setups);
  return told;
}
