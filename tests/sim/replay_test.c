/* tests/sim/replay_test.c — runs recorded by the driver, replayed; and recordings that lie.
 *
 * Journals are in memory. A forged one has right lengths, CRCs and digests, as if another engine
 * had written it, so that only the comparison of decisions can find it out. */
#include "sim/replay.h"

#include <string.h>

#include "engine/bytes.h"
#include "policies/registry.h"
#include "sim/driver.h"

#define UNITS 16u
#define JOBS 120u

/* ---------------------------------------------------------------- a recorded run */

typedef struct {
  LkSimJob jobs[JOBS];
  guint next;
  guint ended_count;
} Trace;

static void
trace_fill (Trace *self)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  gint64 submit_us = 0;
  for (guint i = 0; i < JOBS; i++) {
    if (g_rand_int_range (random, 0, 4) > 0)
      submit_us += g_rand_int_range (random, 0, 30) * G_USEC_PER_SEC;
    gint64 estimate_us = g_rand_int_range (random, 1, 200) * G_USEC_PER_SEC;
    /* Early, just in time, and killed. */
    gint64 run_us = estimate_us;
    if (g_rand_int_range (random, 0, 3) > 0)
      run_us = g_rand_int_range (random, 1, 220) * G_USEC_PER_SEC;
    self->jobs[i] = (LkSimJob){ .number = i,
                                .submit_us = submit_us,
                                .run_us = run_us,
                                .estimate_us = estimate_us,
                                .procs = (guint32)g_rand_int_range (random, 1, UNITS + 1),
                                .user_id = i % 3 };
  }
  self->next = 0;
  self->ended_count = 0;
}

static int
next_job (gpointer user, LkSimJob *out_job, GError **error)
{
  Trace *self = user;
  (void)error;
  if (self->next == JOBS)
    return 0;
  *out_job = self->jobs[self->next++];
  return 1;
}

static gboolean
job_ended (gpointer user, const LkSimResult *result, GError **error)
{
  Trace *self = user;
  (void)result;
  (void)error;
  self->ended_count++;
  return TRUE;
}

static void
append_bytes (gpointer user, const guint8 *bytes, gsize length_bytes)
{
  g_byte_array_append (user, bytes, (guint)length_bytes);
}

typedef struct {
  LkRegistry *registry;
  LkSetup *setup;
  GByteArray *bytes; /* the journal */
  LkSimTotals totals;
} Recording;

static void
record (Recording *self, const char *order, const char *backfill, LkTieRule tie_rule)
{
  g_autoptr (GError) error = NULL;
  LkSetupOptions options = { .units_total = UNITS,
                             .origin_us = LK_TIME_NEVER,
                             .order = order,
                             .backfill = backfill,
                             .select = "pool" };
  static Trace trace;
  LkSimClient client = { .next_job = next_job, .job_ended = job_ended, .user = &trace };
  LkJournalHeader header;
  trace_fill (&trace);
  self->registry = lk_registry_new ();
  self->setup = lk_setup_new (self->registry, &options, &error);
  g_assert_no_error (error);
  self->bytes = g_byte_array_new ();
  lk_setup_header (self->setup, "a test", &header);
  g_autoptr (LkJournalWriter) writer =
      lk_journal_writer_new (&header, 1, append_bytes, self->bytes);
  LkSimOptions sim = { .config = lk_setup_config (self->setup),
                       .tie_rule = tie_rule,
                       .journal = writer };
  g_assert_true (lk_sim_run (&sim, &client, &self->totals, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (trace.ended_count, ==, JOBS);
}

static void
recording_clear (Recording *self)
{
  g_byte_array_unref (self->bytes);
  lk_setup_free (self->setup);
  lk_registry_free (self->registry);
}

/* ---------------------------------------------------------------- replaying */

typedef struct {
  guint64 until_seq;
  gint64 until_us;
  GPtrArray *lines; /* NULL: not wanted */
} Until;

static const Until to_the_end = { G_MAXUINT64, LK_TIME_NEVER, NULL };

static void
take_line (gpointer user, const char *line)
{
  g_ptr_array_add (user, g_strdup (line));
}

/* With the configuration that the journal's header names. */
static void
replay (const LkRegistry *registry, const GByteArray *bytes, const Until *until,
        LkReplayReport *out_report)
{
  g_autoptr (GError) error = NULL;
  LkJournalHeader header;
  const char *fault = NULL;
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (bytes->data, bytes->len, &header, &fault);
  g_assert_cmpstr (fault, ==, NULL);
  g_autoptr (LkSetup) setup = lk_setup_new_from_header (registry, &header, &error);
  g_assert_no_error (error);
  LkReplayOptions options = { .config = lk_setup_config (setup),
                              .reader = reader,
                              .until_seq = until->until_seq,
                              .until_us = until->until_us };
  if (until->lines != NULL) {
    options.print = take_line;
    options.user = until->lines;
  }
  lk_replay_run (&options, out_report);
}

static void
assert_same (const Recording *recording)
{
  LkReplayReport report;
  replay (recording->registry, recording->bytes, &to_the_end, &report);
  g_assert_cmpstr (report.difference->str, ==, "");
  g_assert_cmpint (report.outcome, ==, LK_REPLAY_SAME);
  g_assert_cmpint (report.state, ==, LK_JOURNAL_END);
  g_assert_cmpuint (report.counts.event_count, ==, recording->totals.event_count);
  g_assert_cmpuint (report.counts.decision_count, ==, recording->totals.decision_count);
  g_assert_true (lk_digest_value_equal (report.digest, recording->totals.digest));
  lk_replay_report_clear (&report);
}

static void
test_same (gconstpointer backfill)
{
  static const char *const orders[] = { "fifo", "sjf", "wfp3", "expr:wait/estimate-user_usage" };
  for (guint i = 0; i < G_N_ELEMENTS (orders); i++) {
    Recording recording;
    record (&recording, orders[i], backfill, LK_TIE_INSTANT);
    assert_same (&recording);
    recording_clear (&recording);
    record (&recording, orders[i], backfill, LK_TIE_SEQUENTIAL);
    assert_same (&recording);
    recording_clear (&recording);
  }
}

/* ---------------------------------------------------------------- recordings that lie */

/* Appends to `out` what the record should say of an event instead. */
typedef void (*Alter) (const LkDecision *decision, GByteArray *out, guint32 *out_count);

static void
keep (const LkDecision *decision, GByteArray *out, guint32 *out_count)
{
  lk_decision_encode (decision, out);
  *out_count += 1;
}

/* As if the job had been backfilled, or had not. */
static void
alter_start (const LkDecision *decision, GByteArray *out, guint32 *out_count)
{
  LkDecision other = *decision;
  if (other.kind == LK_DECISION_START)
    other.start.backfilled ^= 1;
  keep (&other, out, out_count);
}

static void
leave_out_start (const LkDecision *decision, GByteArray *out, guint32 *out_count)
{
  if (decision->kind != LK_DECISION_START)
    keep (decision, out, out_count);
}

static void
add_kill (const LkDecision *decision, GByteArray *out, guint32 *out_count)
{
  keep (decision, out, out_count);
  if (decision->kind != LK_DECISION_START)
    return;
  LkDecision kill = { .kind = LK_DECISION_KILL };
  kill.kill.job_id = decision->start.job_id;
  kill.kill.why = LK_KILL_CANCELLED;
  keep (&kill, out, out_count);
}

typedef struct {
  GByteArray *bytes;
  LkJournalWriter *writer;
  LkDigest digest;
  guint64 decision_count;
  guint64 altered_seq; /* 0: none yet */
} Forgery;

/* The decisions of the event that was just read, as they will be recorded. */
static void
forge_event (Forgery *self, LkJournalReader *reader, const LkEvent *event, Alter alter)
{
  g_autoptr (GByteArray) decisions = g_byte_array_new ();
  g_autoptr (GByteArray) piece = g_byte_array_new ();
  LkDecision decision;
  guint32 count = 0;
  while (lk_journal_reader_decision (reader, &decision)) {
    gboolean here =
        event->seq >= 100 && decision.kind == LK_DECISION_START && self->altered_seq == 0;
    if (here)
      self->altered_seq = event->seq;
    (here ? alter : keep) (&decision, decisions, &count);
  }
  guint8 head[16];
  lk_put_i64 (lk_put_u64 (head, event->seq), event->time_us);
  g_byte_array_append (piece, head, sizeof head);
  g_byte_array_append (piece, decisions->data, decisions->len);
  if (count > 0)
    lk_digest_add (&self->digest, piece->data, piece->len);
  self->decision_count += count;
  LkDecided decided = { decisions->data, decisions->len, count };
  lk_journal_writer_event (self->writer, event, &decided);
}

/* The same journal, with the first start behind event 100 altered. Returns the event's number. */
static guint64
forge (const GByteArray *bytes, Alter alter, GByteArray *out)
{
  Forgery self = { .bytes = out };
  LkJournalHeader header;
  LkEvent event;
  const char *fault = NULL;
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (bytes->data, bytes->len, &header, &fault);
  lk_digest_init (&self.digest);
  self.writer = lk_journal_writer_new (&header, 1, append_bytes, out);
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT) {
    forge_event (&self, reader, &event, alter);
    if (event.seq % 10 == 0)
      lk_journal_writer_commit (self.writer, self.decision_count, lk_digest_value (&self.digest));
  }
  lk_journal_writer_end (self.writer, self.decision_count, lk_digest_value (&self.digest));
  lk_journal_writer_free (self.writer);
  return self.altered_seq;
}

/* That forging itself does no harm: nothing altered, nothing found. */
static void
test_forged_the_same (void)
{
  Recording recording;
  record (&recording, "fifo", "easy", LK_TIE_INSTANT);
  GByteArray *forged = g_byte_array_new ();
  g_assert_cmpuint (forge (recording.bytes, keep, forged), >=, 100);
  g_byte_array_unref (recording.bytes);
  recording.bytes = forged;
  assert_same (&recording);
  recording_clear (&recording);
}

static void
assert_found (const Recording *recording, Alter alter, const char *const *wanted)
{
  LkReplayReport report;
  g_autoptr (GByteArray) forged = g_byte_array_new ();
  guint64 altered_seq = forge (recording->bytes, alter, forged);
  g_assert_cmpuint (altered_seq, >=, 100);
  replay (recording->registry, forged, &to_the_end, &report);
  g_assert_cmpint (report.outcome, ==, LK_REPLAY_DIFFERS);
  g_assert_cmpint (report.state, ==, LK_JOURNAL_EVENT);
  g_assert_cmpuint (report.difference_seq, ==, altered_seq);
  g_assert_cmpuint (report.counts.event_count, ==, altered_seq);
  for (; *wanted != NULL; wanted++)
    if (strstr (report.difference->str, *wanted) == NULL)
      g_error ("'%s' is not in:\n%s", *wanted, report.difference->str);
  lk_replay_report_clear (&report);
}

static void
test_found (gconstpointer backfill)
{
  static const char *const altered[] = { "event:    {\"seq\":",
                                         "recorded: {\"decision\":\"start\",\"job_id\":",
                                         "made now: {\"decision\":\"start\",\"job_id\":",
                                         "RUNNING",
                                         "started at",
                                         NULL };
  static const char *const left_out[] = {
    "event:    {\"seq\":", "made now: {\"decision\":\"start\",\"job_id\":", "RUNNING", NULL
  };
  static const char *const added[] = { "recorded: {\"decision\":\"kill\",\"job_id\":", "made now: ",
                                       NULL };
  Recording recording;
  record (&recording, "fifo", backfill, LK_TIE_INSTANT);
  assert_found (&recording, alter_start, altered);
  assert_found (&recording, leave_out_start, left_out);
  assert_found (&recording, add_kill, added);
  recording_clear (&recording);
}

/* The decisions agree, but the digest that was recorded is that of others. */
static void
test_other_digest (void)
{
  Recording recording;
  LkReplayReport report;
  LkJournalHeader header;
  LkEvent event;
  const char *fault = NULL;
  record (&recording, "fifo", "easy", LK_TIE_INSTANT);
  g_autoptr (GByteArray) forged = g_byte_array_new ();
  Forgery forgery = { .bytes = forged };
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (recording.bytes->data, recording.bytes->len, &header, &fault);
  lk_digest_init (&forgery.digest);
  lk_digest_add (&forgery.digest, (const guint8 *)"x", 1);
  g_autoptr (LkJournalWriter) writer = lk_journal_writer_new (&header, 1, append_bytes, forged);
  forgery.writer = writer;
  for (guint i = 0; i < 20; i++) {
    g_assert_cmpint (lk_journal_reader_next (reader, &event), ==, LK_JOURNAL_EVENT);
    forge_event (&forgery, reader, &event, keep);
  }
  lk_journal_writer_commit (writer, forgery.decision_count, lk_digest_value (&forgery.digest));
  replay (recording.registry, forged, &to_the_end, &report);
  g_assert_cmpint (report.outcome, ==, LK_REPLAY_DIFFERS);
  g_assert_cmpuint (report.difference_seq, ==, 20);
  g_assert_nonnull (strstr (report.difference->str, "not with the digest"));
  lk_replay_report_clear (&report);
  recording_clear (&recording);
}

/* Events that no engine takes: they begin in the middle. */
static void
test_refused (void)
{
  Recording recording;
  LkReplayReport report;
  LkJournalHeader header;
  LkEvent event = { .kind = LK_EVENT_PASS, .seq = 5 };
  LkDecided nothing = { 0 };
  record (&recording, "fifo", "easy", LK_TIE_INSTANT);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_setup_header (recording.setup, "a test", &header);
  g_autoptr (LkJournalWriter) writer = lk_journal_writer_new (&header, 5, append_bytes, bytes);
  lk_journal_writer_event (writer, &event, &nothing);
  lk_journal_writer_commit (writer, 0, (LkDigestValue){ 0 });
  replay (recording.registry, bytes, &to_the_end, &report);
  g_assert_cmpint (report.outcome, ==, LK_REPLAY_REFUSED);
  g_assert_cmpuint (report.difference_seq, ==, 5);
  g_assert_nonnull (strstr (report.difference->str, lk_status_text (LK_STATUS_SEQ_WRONG)));
  lk_replay_report_clear (&report);
  recording_clear (&recording);
}

/* ---------------------------------------------------------------- stopping early */

static void
test_until (void)
{
  Recording recording;
  LkReplayReport report;
  record (&recording, "fifo", "easy", LK_TIE_INSTANT);
  Until until = to_the_end;
  until.until_seq = 50;
  replay (recording.registry, recording.bytes, &until, &report);
  g_assert_cmpint (report.outcome, ==, LK_REPLAY_SAME);
  g_assert_cmpint (report.state, ==, LK_JOURNAL_EVENT);
  g_assert_cmpuint (report.counts.event_count, ==, 50);
  gint64 now_us = report.counts.now_us;
  lk_replay_report_clear (&report);

  until = to_the_end;
  until.until_us = now_us;
  replay (recording.registry, recording.bytes, &until, &report);
  g_assert_cmpint (report.outcome, ==, LK_REPLAY_SAME);
  g_assert_cmpuint (report.counts.event_count, >=, 50); /* all of that moment */
  g_assert_cmpint (report.counts.now_us, ==, now_us);
  lk_replay_report_clear (&report);
  recording_clear (&recording);
}

static void
test_cut (void)
{
  Recording recording;
  LkReplayReport report;
  record (&recording, "fifo", "easy", LK_TIE_INSTANT);
  g_autoptr (GByteArray) cut = g_byte_array_new ();
  forge (recording.bytes, keep, cut); /* in batches of ten */
  g_byte_array_set_size (cut, cut->len / 2);
  replay (recording.registry, cut, &to_the_end, &report);
  g_assert_cmpint (report.outcome, ==, LK_REPLAY_SAME);
  g_assert_cmpint (report.state, ==, LK_JOURNAL_TORN);
  g_assert_cmpuint (report.counts.event_count, >, 0);
  g_assert_cmpuint (report.counts.event_count % 10, ==, 0);
  lk_replay_report_clear (&report);
  recording_clear (&recording);
}

static void
test_print (void)
{
  Recording recording;
  LkReplayReport report;
  record (&recording, "fifo", "easy", LK_TIE_INSTANT);
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  Until until = { 30, LK_TIME_NEVER, lines };
  replay (recording.registry, recording.bytes, &until, &report);
  g_assert_cmpuint (lines->len, ==, 30);
  for (guint i = 0; i < lines->len; i++) {
    const char *line = g_ptr_array_index (lines, i);
    g_assert_true (g_str_has_prefix (line, "{\"event\":{\"seq\":"));
    g_assert_true (g_str_has_suffix (line, "]}"));
    g_assert_null (strchr (line, '\n'));
  }
  g_assert_cmpstr (g_ptr_array_index (lines, 0), !=, NULL);
  g_assert_nonnull (strstr (g_ptr_array_index (lines, 0),
                            "\"decisions\":[{\"decision\":\"accept\",\"job_id\":1}]}"));
  lk_replay_report_clear (&report);
  recording_clear (&recording);
}

/* ---------------------------------------------------------------- other configurations */

static void
assert_header_refused (const Recording *recording, const LkJournalHeader *header)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSetup) setup = lk_setup_new_from_header (recording->registry, header, &error);
  g_assert_null (setup);
  g_assert_nonnull (error);
  g_assert_cmpint (error->domain, ==, LK_REGISTRY_ERROR);
}

static void
test_other_configuration (void)
{
  Recording recording;
  LkJournalHeader good;
  record (&recording, "fifo", "easy", LK_TIE_INSTANT);
  lk_setup_header (recording.setup, "a test", &good);
  LkJournalHeader header = good;
  header.config_digest_low ^= 1;
  assert_header_refused (&recording, &header);
  header = good;
  header.config_digest_high ^= 1;
  assert_header_refused (&recording, &header);
  header = good;
  header.units_total++;
  assert_header_refused (&recording, &header);
  header = good;
  header.origin_us = 0;
  assert_header_refused (&recording, &header);
  header = good;
  header.backfill_version++;
  assert_header_refused (&recording, &header);
  header = good;
  header.select_build_id = (LkText){ "another", 7 };
  assert_header_refused (&recording, &header);
  header = good;
  header.order = (LkText){ "no_such_order", 13 };
  assert_header_refused (&recording, &header);
  header = good;
  header.units_total = 0;
  assert_header_refused (&recording, &header);
  recording_clear (&recording);
}

/* Larger than any engine can be; the digest is that of this very configuration. */
static void
test_too_large (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  LkSetupOptions options = { .units_total = G_MAXUINT32,
                             .origin_us = LK_TIME_NEVER,
                             .order = "fifo",
                             .backfill = "easy",
                             .select = "pool" };
  g_autoptr (LkSetup) setup = lk_setup_new (registry, &options, &error);
  g_assert_null (setup);
  g_assert_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PARAMETER);
}

int
main (int argc, char **argv)
{
  static const char *const backfills[] = {
    "none",   "easy",  "easy:order=sjf", "easy:reservations=3",    "conservative",
    "replan", "slurm", "full",           "full:window=5,reorder=1"
  };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (backfills); i++) {
    g_autofree char *same = g_strdup_printf ("/sim/replay decides the same under %s", backfills[i]);
    g_autofree char *found =
        g_strdup_printf ("/sim/replay finds one altered decision under %s", backfills[i]);
    g_test_add_data_func (same, backfills[i], test_same);
    g_test_add_data_func (found, backfills[i], test_found);
  }
  g_test_add_func ("/sim/replay finds nothing in a true copy", test_forged_the_same);
  g_test_add_func ("/sim/replay finds a digest that is another's", test_other_digest);
  g_test_add_func ("/sim/replay reports an event that is not taken", test_refused);
  g_test_add_func ("/sim/replay stops where it is told", test_until);
  g_test_add_func ("/sim/replay verifies a torn journal as far as it goes", test_cut);
  g_test_add_func ("/sim/replay prints events with their decisions", test_print);
  g_test_add_func ("/sim/replay needs the configuration that was recorded",
                   test_other_configuration);
  g_test_add_func ("/sim/replay refuses a machine larger than an engine takes", test_too_large);
  return g_test_run ();
}
