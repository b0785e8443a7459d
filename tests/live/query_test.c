/* tests/live/query_test.c — what a controller tells of its state: records that read back, pages
 * that together tell each job once, what only its owner may see, and jobs that have ended. */
#include <string.h>

#include "live/core/batch.h"
#include "live/core/record.h"
#include "tests/live/controller_site.h"

/* ---------------------------------------------------------------- asking */

static ControlSite *
site_started (void)
{
  static const ControlOptions options = { .snapshot_events = 1000, .session_count_max = 100 };
  ControlSite *site = control_site_new (&options);
  control_start_all (site);
  return site;
}

/* One page, which holds as long as nothing else is sent. */
static LkMessage_state_page
ask_as (ControlSite *site, const LkPeer *peer, const LkMessage_state_query *query)
{
  LkMessage message = { .kind = LK_MESSAGE_STATE_QUERY };
  message.state_query = *query;
  control_forget_sent (site);
  control_message (site, peer, &message);
  control_settle (site);
  g_assert_true (control_sent (site, peer->id, LK_MESSAGE_STATE_PAGE, 0, &message));
  g_assert_cmpuint (message.state_page.request, ==, query->request);
  return message.state_page;
}

static LkMessage_state_page
ask (ControlSite *site, guint32 user_id, const LkMessage_state_query *query)
{
  LkPeer peer = control_user (user_id);
  return ask_as (site, &peer, query);
}

/* The records of one page; `out` has room for them all. */
static guint
records_of (const LkMessage_state_page *page, LkRecord *out, guint room)
{
  LkBytes left = page->records;
  guint count = 0;
  while (count < room && lk_record_next (&left, page->record, &out[count]))
    count++;
  g_assert_cmpuint (left.length_bytes, ==, 0);
  return count;
}

static guint
jobs_of (ControlSite *site, guint32 user_id, LkMessage_state_query query, LkRecord *out, guint room)
{
  query.record = LK_RECORD_JOB;
  LkMessage_state_page page = ask (site, user_id, &query);
  g_assert_cmpuint (page.error, ==, 0);
  g_assert_cmpuint (page.next, ==, 0);
  return records_of (&page, out, room);
}

static gboolean
is_text (const void *bytes, gsize length_bytes, const char *expected)
{
  return length_bytes == strlen (expected) && memcmp (bytes, expected, length_bytes) == 0;
}

static gboolean
says (LkLongText text, const char *expected)
{
  return is_text (text.bytes, text.length_bytes, expected);
}

/* ---------------------------------------------------------------- jobs */

static void
test_jobs (void)
{
  g_autoptr (ControlSite) site = site_started ();
  LkRecord jobs[4];
  control_submit (site, 1, 4, 0);
  control_submit (site, 2, 6, 0);
  g_assert_cmpuint (jobs_of (site, CONTROL_USER, (LkMessage_state_query){ 0 }, jobs, 4), ==, 2);
  g_assert_cmpuint (jobs[0].job.job_id, ==, 1);
  g_assert_cmpuint (jobs[0].job.state, ==, LK_JOB_RUNNING);
  g_assert_true (says (jobs[0].job.node_names, "n[1-2]"));
  g_assert_cmpuint (jobs[0].job.nodes, ==, 2);
  g_assert_cmpuint (jobs[0].job.cpus, ==, 4);
  g_assert_cmpuint (jobs[1].job.state, ==, LK_JOB_PENDING);
  g_assert_true (says (jobs[1].job.node_names, ""));
  g_assert_cmpuint (jobs[1].job.cpus, ==, 6);
  g_assert_cmpuint (jobs_of (site, CONTROL_USER, (LkMessage_state_query){ .job_id = 2 }, jobs, 4),
                    ==, 1);
  g_assert_cmpuint (jobs[0].job.job_id, ==, 2);
  g_assert_cmpuint (
      jobs_of (site, CONTROL_USER, (LkMessage_state_query){ .by_user = 1, .user_id = 7 }, jobs, 4),
      ==, 0);
}

/* A job of one CPU, with a comment and a payload. Settles. */
static void
submit (ControlSite *site, guint64 session, const char *comment, const char *payload)
{
  LkMessage message = { .kind = LK_MESSAGE_SUBMIT };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkPeer ann = control_user (CONTROL_USER);
  event.submit.user_id = CONTROL_USER;
  event.submit.procs = 1;
  event.submit.estimate_us = 60 * CONTROL_SECOND_US;
  event.submit.comment = lk_text (comment);
  lk_event_encode (&event, bytes);
  message.submit.session = session;
  message.submit.request = 1;
  message.submit.event = (LkBytes){ bytes->data, bytes->len };
  message.submit.payload = (LkBytes){ (const guint8 *)payload, (guint32)strlen (payload) };
  control_message (site, &ann, &message);
  control_settle (site);
}

/* What a user has sent with a job and is no batch job only he and the staff may see. */
static void
test_payload (void)
{
  g_autoptr (ControlSite) site = site_started ();
  LkRecord job;
  submit (site, 1, "", "secret");
  LkMessage_state_query query = { .with_payload = 1 };
  g_assert_cmpuint (jobs_of (site, CONTROL_USER, query, &job, 1), ==, 1);
  g_assert_true (is_text (job.job.payload.bytes, job.job.payload.length_bytes, "secret"));
  g_assert_cmpuint (jobs_of (site, CONTROL_ADMIN, query, &job, 1), ==, 1);
  g_assert_cmpuint (job.job.payload.length_bytes, ==, 6);
  g_assert_cmpuint (jobs_of (site, CONTROL_USER + 1, query, &job, 1), ==, 1);
  g_assert_cmpuint (job.job.payload.length_bytes, ==, 0);
}

/* A batch job as its user sends it. */
static void
submit_batch (ControlSite *site, guint64 session, const char *script)
{
  LkBatch batch = { .script = lk_bytes (script),
                    .environment = { (const guint8 *)"A=1", 4 },
                    .work_dir = lk_bytes ("/home") };
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkPeer ann = control_user (CONTROL_USER);
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkMessage message = { .kind = LK_MESSAGE_SUBMIT };
  event.submit = (LkEvent_submit){
    .user_id = CONTROL_USER, .procs = 1, .estimate_us = CONTROL_SECOND_US, .flags = LK_REQUEST_HOLD
  };
  lk_event_encode (&event, bytes);
  lk_batch_encode (&batch, payload);
  message.submit = (LkMessage_submit){ .session = session,
                                       .request = 1,
                                       .event = { bytes->data, bytes->len },
                                       .payload = { payload->data, payload->len } };
  control_message (site, &ann, &message);
  control_settle (site);
}

static void
check_batch (ControlSite *site, guint8 with_payload, const char *first, const char *second)
{
  LkRecord jobs[2];
  const char *const scripts[] = { first, second };
  LkMessage_state_query query = { .with_payload = with_payload };
  g_assert_cmpuint (jobs_of (site, CONTROL_USER, query, jobs, 2), ==, 2);
  for (guint i = 0; i < 2; i++) {
    LkBatch batch;
    LkBytes payload = jobs[i].job.payload;
    g_assert_true (lk_batch_decode (payload.bytes, payload.length_bytes, &batch));
    g_assert_true (is_text (batch.work_dir.bytes, batch.work_dir.length_bytes, "/home"));
    g_assert_true (is_text (batch.script.bytes, batch.script.length_bytes, scripts[i]));
    g_assert_cmpuint (batch.environment.length_bytes, ==, with_payload == 1 ? 4 : 0);
  }
}

/* Of a batch job others see all but the script and the environment, whichever way they ask. */
static void
test_batch_of_others (void)
{
  g_autoptr (ControlSite) site = site_started ();
  submit_batch (site, 1, "secret");
  for (guint8 with_payload = 1; with_payload <= 2; with_payload++) {
    LkRecord job;
    LkBatch batch;
    LkMessage_state_query query = { .with_payload = with_payload };
    g_assert_cmpuint (jobs_of (site, CONTROL_USER + 1, query, &job, 1), ==, 1);
    LkBytes payload = job.job.payload;
    g_assert_true (lk_batch_decode (payload.bytes, payload.length_bytes, &batch));
    g_assert_true (is_text (batch.work_dir.bytes, batch.work_dir.length_bytes, "/home"));
    g_assert_cmpuint (batch.script.length_bytes, ==, 0);
    g_assert_cmpuint (batch.environment.length_bytes, ==, 0);
  }
}

/* With or without what is long, and also behind a snapshot, in which what is shared stands once. */
static void
test_batch (void)
{
  static const ControlOptions options = { .snapshot_events = 1, .session_count_max = 100 };
  g_autoptr (ControlSite) site = control_site_new (&options);
  control_start_all (site);
  submit_batch (site, 1, "one");
  submit_batch (site, 2, "two");
  check_batch (site, 1, "one", "two");
  check_batch (site, 2, "", "");
  for (guint i = 0; i < 3; i++)
    control_wait_beating (site, CONTROL_SECOND_US, 7);
  control_crash (site, G_MAXUINT, 0);
  control_start_all (site);
  check_batch (site, 1, "one", "two");
  check_batch (site, 2, "", "");
}

/* A job that has ended is told of for MinJobAge. */
static void
test_ended (void)
{
  g_autoptr (ControlSite) site = site_started ();
  LkRecord job;
  LkMessage_state_query query = { .with_ended = 1 };
  LkRunReport how = { .job_id = 1, .exit_code = 3 };
  control_submit (site, 1, 1, 0);
  g_assert_cmpuint (jobs_of (site, CONTROL_USER, query, &job, 1), ==, 1);
  how.run_id = job.job.run_id;
  control_run_ended (site, 0, &how, "");
  g_assert_cmpuint (jobs_of (site, CONTROL_USER, (LkMessage_state_query){ 0 }, &job, 1), ==, 0);
  g_assert_cmpuint (jobs_of (site, CONTROL_USER, query, &job, 1), ==, 1);
  g_assert_cmpuint (job.job.state, ==, LK_JOB_FAILED);
  g_assert_cmpuint (job.job.exit_code, ==, 3);
  g_assert_true (says (job.job.node_names, "n1"));
  control_wait_beating (site, 301 * CONTROL_SECOND_US, 7);
  control_submit (site, 2, 1, 0);
  query.job_id = 1;
  g_assert_cmpuint (jobs_of (site, CONTROL_USER, query, &job, 1), ==, 0);
}

/* Many: pages follow each other, and each job is told once. */
static void
test_pages (void)
{
  enum { COUNT = 2000, COMMENT_BYTES = 1000 };
  g_autofree char *comment = g_strnfill (COMMENT_BYTES, 'c');
  g_autoptr (ControlSite) site = site_started ();
  g_autofree LkRecord *jobs = g_new0 (LkRecord, COUNT);
  LkMessage_state_query query = { .record = LK_RECORD_JOB };
  guint32 told = 0;
  guint pages = 0;
  site->is_forged = TRUE; /* to compare each reply with the journal would take long */
  for (guint i = 0; i < COUNT; i++)
    submit (site, 1 + i, comment, "");
  do {
    LkMessage_state_page page = ask (site, CONTROL_USER, &query);
    guint count = records_of (&page, jobs, COUNT);
    for (guint i = 0; i < count; i++)
      g_assert_cmpuint (jobs[i].job.job_id, ==, ++told);
    query.from = page.next;
    pages++;
  } while (query.from != 0);
  g_assert_cmpuint (told, ==, COUNT);
  g_assert_cmpuint (pages, >, 1);
}

/* The largest payload has room in a message, on a page of its own. */
static void
test_large (void)
{
  g_autoptr (ControlSite) site = site_started ();
  g_autofree char *payload = g_strnfill (LK_MESSAGE_PAYLOAD_MAX_BYTES, 'p');
  g_autofree char *comment = g_strnfill (LK_JOB_TEXT_MAX_BYTES, 'c');
  LkMessage_state_query query = { .record = LK_RECORD_JOB, .with_payload = 1 };
  LkRecord job;
  submit (site, 1, comment, "small");
  submit (site, 2, comment, payload);
  submit (site, 3, comment, "small");
  for (guint i = 1; i <= 3; i++) {
    LkMessage_state_page page = ask (site, CONTROL_USER, &query);
    g_assert_cmpuint (page.records.length_bytes, <, LK_MESSAGE_MAX_BYTES - 1000);
    g_assert_cmpuint (records_of (&page, &job, 1), ==, 1);
    g_assert_cmpuint (job.job.job_id, ==, i);
    query.from = page.next;
  }
  g_assert_cmpuint (query.from, ==, 0);
}

/* ---------------------------------------------------------------- the rest */

static void
test_nodes (void)
{
  g_autoptr (ControlSite) site = site_started ();
  LkRecord nodes[4];
  control_submit (site, 1, 3, 0);
  LkMessage_state_page page =
      ask (site, CONTROL_USER, &(LkMessage_state_query){ .record = LK_RECORD_NODE });
  g_assert_cmpuint (records_of (&page, nodes, 4), ==, CONTROL_NODES);
  g_assert_true (is_text (nodes[0].node.name.bytes, nodes[0].node.name.length_bytes, "n1"));
  g_assert_cmpuint (nodes[0].node.cpus_allocated, ==, 2);
  g_assert_cmpuint (nodes[1].node.cpus_allocated, ==, 1);
  g_assert_cmpuint (nodes[2].node.cpus_allocated, ==, 0);
  g_assert_true (is_text (nodes[1].node.state.bytes, nodes[1].node.state.length_bytes, "MIXED"));
  g_assert_cmpuint (nodes[2].node.is_responding, ==, 1);
  g_assert_true (says (nodes[2].node.partitions, "main"));
}

static void
test_rest (void)
{
  g_autoptr (ControlSite) site = site_started ();
  LkRecord record;
  LkClusterError error;
  LkMessage_state_query query = { .record = LK_RECORD_PARTITION };
  LkMessage_state_page page = ask (site, CONTROL_USER, &query);
  g_assert_cmpuint (records_of (&page, &record, 1), ==, 1);
  g_assert_true (says (record.partition.node_names, "n[1-3]"));
  g_assert_cmpuint (record.partition.cpu_count, ==, CONTROL_NODES * CONTROL_CPUS);
  query.record = LK_RECORD_CLUSTER;
  page = ask (site, CONTROL_USER, &query);
  g_assert_cmpuint (records_of (&page, &record, 1), ==, 1);
  g_autoptr (LkCluster) cluster = lk_cluster_from_text (
      (const char *)record.cluster.canonical.bytes, record.cluster.canonical.length_bytes, &error);
  g_assert_nonnull (cluster);
  query.record = LK_RECORD_CONTROLLER;
  page = ask (site, CONTROL_USER, &query);
  g_assert_cmpuint (records_of (&page, &record, 1), ==, 1);
  g_assert_cmpuint (record.controller.agent_count, ==, CONTROL_NODES);
  query.record = LK_RECORD_RESERVATION;
  page = ask (site, CONTROL_USER, &query);
  g_assert_cmpuint (page.records.length_bytes, ==, 0);
  query.record = 99;
  page = ask (site, CONTROL_USER, &query);
  g_assert_cmpuint (page.error, ==, LK_REJECT_REQUEST_INVALID);
}

/* Whatever the bytes are, the reader ends, and reads no byte beyond. */
static void
test_reader (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  for (guint round = 0; round < 20000; round++) {
    guint8 bytes[300];
    LkRecord record;
    guint length = (guint)g_rand_int_range (rand, 0, sizeof bytes);
    for (guint i = 0; i < length; i++)
      bytes[i] = g_rand_int_range (rand, 0, 4) == 0 ? (guint8)g_rand_int (rand) : 0;
    guint8 *exact = g_memdup2 (bytes, length);
    LkBytes left = { exact, length };
    guint kind = (guint)g_rand_int_range (rand, 0, 12);
    while (lk_record_next (&left, kind, &record)) {
      g_autoptr (GString) json = g_string_new (NULL);
      lk_record_json (&record, json);
    }
    g_free (exact);
  }
}

/* When somebody else's job would start nobody is told, nor of what is no job. */
static void
test_trial (void)
{
  g_autoptr (ControlSite) site = site_started ();
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkRecord trial;
  event.submit.user_id = CONTROL_USER;
  event.submit.procs = 1;
  event.submit.estimate_us = 60 * CONTROL_SECOND_US;
  lk_event_encode (&event, bytes);
  LkMessage_state_query query = { .record = LK_RECORD_TRIAL, .event = { bytes->data, bytes->len } };
  LkMessage_state_page page = ask (site, CONTROL_USER, &query);
  g_assert_cmpuint (page.error, ==, 0);
  g_assert_cmpuint (records_of (&page, &trial, 1), ==, 1);
  g_assert_cmpuint (trial.trial.job_id, ==, 1);
  g_assert_cmpuint (trial.trial.is_known, ==, 1);
  g_assert_true (says (trial.trial.node_names, "n1"));
  g_assert_cmpuint (ask (site, CONTROL_USER + 1, &query).error, ==, LK_REJECT_REQUEST_INVALID);
  g_assert_cmpuint (ask (site, CONTROL_ADMIN, &query).error, ==, 0);
  LkPeer nameless = control_user (CONTROL_USER);
  nameless.name = NULL;
  g_assert_cmpuint (ask_as (site, &nameless, &query).error, ==, LK_REJECT_USER_UNKNOWN);
  query.event.length_bytes--;
  g_assert_cmpuint (ask (site, CONTROL_USER, &query).error, ==, LK_REJECT_REQUEST_INVALID);
  query.event = (LkBytes){ 0 };
  g_assert_cmpuint (ask (site, CONTROL_USER, &query).error, ==, LK_REJECT_REQUEST_INVALID);
}

/* ---------------------------------------------------------------- the journal */

#define SCRIPT_MARK "the-script-of-ann"
/* A note that is longer than a part. */
#define LONG_PAYLOAD_BYTES (3u * 1024 * 1024)

static void
submit_with_bytes (ControlSite *site, guint64 session, gsize payload_bytes)
{
  g_autofree char *filling = g_strnfill (payload_bytes, (char)('a' + session % 26));
  g_autofree char *payload = g_strconcat (SCRIPT_MARK, filling, SCRIPT_MARK, NULL);
  submit (site, session, "", payload);
}

static gboolean
has_script (const GByteArray *journal)
{
  const gsize mark_bytes = strlen (SCRIPT_MARK);
  for (guint i = 0; i + mark_bytes <= journal->len; i++)
    if (memcmp (journal->data + i, SCRIPT_MARK, mark_bytes) == 0)
      return TRUE;
  return FALSE;
}

/* All parts, one behind the other, as a user is sent them. */
static GByteArray *
journal_of (ControlSite *site, guint32 user_id, guint *out_part_count)
{
  GByteArray *whole = g_byte_array_new ();
  LkMessage_state_query query = { .record = LK_RECORD_JOURNAL };
  *out_part_count = 0;
  do {
    LkRecord record;
    LkMessage_state_page page = ask (site, user_id, &query);
    g_assert_cmpuint (page.error, ==, 0);
    g_assert_cmpuint (records_of (&page, &record, 1), ==, 1);
    g_byte_array_append (whole, record.journal.content.bytes, record.journal.content.length_bytes);
    query.from = page.next;
    ++*out_part_count;
  } while (query.from != 0);
  return whole;
}

static guint
count_events (const GByteArray *journal)
{
  LkJournalHeader header;
  const char *fault = NULL;
  LkEvent event;
  guint count = 0;
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (journal->data, journal->len, &header, &fault);
  g_assert_nonnull (reader);
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT)
    count++;
  g_assert_cmpuint (lk_journal_reader_good_bytes (reader), ==, journal->len);
  return count;
}

/* In several parts, of which notes fill the most, one of them longer than a part. */
static void
test_journal (void)
{
  g_autoptr (ControlSite) site = site_started ();
  guint part_count;
  for (guint i = 0; i < 20; i++)
    submit_with_bytes (site, 1 + i, i == 7 ? LONG_PAYLOAD_BYTES : 100000);
  const GByteArray *file = control_file (site, LK_CONTROLLER_JOURNAL);
  g_autoptr (GByteArray) sent = journal_of (site, CONTROL_USER + 1, &part_count);
  g_assert_cmpuint (part_count, >, 3);
  g_assert_true (has_script (file));
  g_assert_false (has_script (sent));
  g_assert_cmpuint (count_events (sent), ==, count_events (file));
  /* Again, and behind more events: the parts that were there begin where they began. */
  submit_with_bytes (site, 100, 10);
  g_autoptr (GByteArray) later = journal_of (site, CONTROL_USER, &part_count);
  g_assert_cmpuint (later->len, >, sent->len);
  g_assert_cmpint (memcmp (later->data, sent->data, sent->len), ==, 0);
}

/* Nobody names a place in the file: parts come in their order. */
static void
test_journal_parts (void)
{
  g_autoptr (ControlSite) site = site_started ();
  for (guint i = 0; i < 20; i++)
    submit_with_bytes (site, 1 + i, 100000);
  LkMessage_state_query query = { .record = LK_RECORD_JOURNAL, .from = 1 };
  g_assert_cmpuint (ask (site, CONTROL_USER, &query).error, ==, LK_REJECT_REQUEST_INVALID);
  query.from = 0;
  g_assert_cmpuint (ask (site, CONTROL_USER, &query).next, ==, 1);
  query.from = 2;
  g_assert_cmpuint (ask (site, CONTROL_USER, &query).error, ==, LK_REJECT_REQUEST_INVALID);
  query.from = 1;
  g_assert_cmpuint (ask (site, CONTROL_USER, &query).error, ==, 0);
  query.from = G_MAXUINT32;
  g_assert_cmpuint (ask (site, CONTROL_USER, &query).error, ==, LK_REJECT_REQUEST_INVALID);
}

static void
test_journal_private (void)
{
  static const ControlOptions options = { .snapshot_events = 1000, .session_count_max = 100 };
  g_autoptr (ControlSite) site = control_site_new (&options);
  const LkMessage_state_query query = { .record = LK_RECORD_JOURNAL };
  site->config.hides_journal = TRUE;
  control_start_all (site);
  g_assert_cmpuint (ask (site, CONTROL_USER, &query).error, ==, LK_REJECT_PERMISSION);
  g_assert_cmpuint (ask (site, CONTROL_ADMIN, &query).error, ==, 0);
}

/* By the key of a job its user hears of the user's own jobs, and of the script of that one only. */
static void
test_inside_job (void)
{
  static const guint8 machine[] = { LK_RECORD_NODE, LK_RECORD_PARTITION, LK_RECORD_CLUSTER,
                                    LK_RECORD_CONTROLLER };
  static const guint8 others[] = { LK_RECORD_RESERVATION, LK_RECORD_ACCOUNTS,
                                   LK_RECORD_SHARE,       LK_RECORD_USE,
                                   LK_RECORD_RPC,         LK_RECORD_TRIAL,
                                   LK_RECORD_JOURNAL,     0 };
  g_autoptr (ControlSite) site = site_started ();
  LkRecord jobs[4];
  submit (site, 1, "", "first");
  submit (site, 2, "", "second");
  LkMessage_state_query query = { .record = LK_RECORD_JOB, .with_payload = 1 };
  LkMessage_state_page page = ask (site, CONTROL_USER, &query);
  g_assert_cmpuint (records_of (&page, jobs, 4), ==, 2);
  g_autofree char *node =
      g_strndup (jobs[0].job.node_names.bytes, jobs[0].job.node_names.length_bytes);
  LkPeer peer = control_user (CONTROL_USER);
  peer.kind = LK_PEER_JOB;
  peer.run_id = jobs[0].job.run_id;
  peer.node = node;
  page = ask_as (site, &peer, &query);
  g_assert_cmpuint (records_of (&page, jobs, 4), ==, 2);
  g_assert_cmpuint (jobs[0].job.payload.length_bytes, ==, strlen ("first"));
  g_assert_cmpuint (jobs[1].job.payload.length_bytes, ==, 0);
  query.by_user = 1;
  query.user_id = CONTROL_USER + 1;
  page = ask_as (site, &peer, &query);
  g_assert_cmpuint (records_of (&page, jobs, 4), ==, 0);
  query.by_user = 0;
  for (guint i = 0; i < G_N_ELEMENTS (machine); i++) {
    query.record = machine[i];
    g_assert_cmpuint (ask_as (site, &peer, &query).error, ==, 0);
  }
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    query.record = others[i];
    g_assert_cmpuint (ask_as (site, &peer, &query).error, ==, LK_REJECT_PERMISSION);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/query/batch jobs are told with and without what is long", test_batch);
  g_test_add_func ("/query/jobs", test_jobs);
  g_test_add_func ("/query/payload", test_payload);
  g_test_add_func ("/query/batch_of_others", test_batch_of_others);
  g_test_add_func ("/query/ended", test_ended);
  g_test_add_func ("/query/pages", test_pages);
  g_test_add_func ("/query/large", test_large);
  g_test_add_func ("/query/nodes", test_nodes);
  g_test_add_func ("/query/rest", test_rest);
  g_test_add_func ("/query/trial", test_trial);
  g_test_add_func ("/query/reader", test_reader);
  g_test_add_func ("/query/the journal is sent without scripts", test_journal);
  g_test_add_func ("/query/parts of the journal come in their order", test_journal_parts);
  g_test_add_func ("/query/the journal is for staff where jobs are private", test_journal_private);
  g_test_add_func ("/query/from inside a job", test_inside_job);
  return g_test_run ();
}
