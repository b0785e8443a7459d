/* tests/engine/codec_test.c — the canonical bytes of events and decisions, their JSON view, the
 * order of events, and that docs/formats-schema.md is what the schema says.
 *
 * With --schema as its only argument it prints that file instead of testing. */
#include "engine/codec.h"

#include <stdio.h>

#include "tests/engine/random_values.h"

#define ROUNDS 300u

/* ---------------------------------------------------------------- equality, from the schema */

static gboolean
same_text (LkText a, LkText b)
{
  return a.length_bytes == b.length_bytes
         && (a.length_bytes == 0 || memcmp (a.bytes, b.bytes, a.length_bytes) == 0);
}

static gboolean
same_long_text (LkLongText a, LkLongText b)
{
  return a.length_bytes == b.length_bytes
         && (a.length_bytes == 0 || memcmp (a.bytes, b.bytes, a.length_bytes) == 0);
}

#define SAME_u8(a, b) ((a) == (b))
#define SAME_u16(a, b) ((a) == (b))
#define SAME_u32(a, b) ((a) == (b))
#define SAME_u64(a, b) ((a) == (b))
#define SAME_i64(a, b) ((a) == (b))
#define SAME_text(a, b) same_text (a, b)
#define SAME_long_text(a, b) same_long_text (a, b)
#define SAME_MEMBER(type, name, help) &&SAME_##type (a_fields->name, b_fields->name)
#define SAME_request(a, b) (TRUE LK_JOB_REQUEST_FIELDS (SAME_MEMBER))
#define SAME_terms(a, b) (TRUE LK_JOB_TERMS_FIELDS (SAME_MEMBER))
#define SAME_FIELD(type, name, help) g_assert_true (SAME_##type (a_fields->name, b_fields->name));

static void
assert_same_event (const LkEvent *a, const LkEvent *b)
{
  g_assert_cmpint (a->kind, ==, b->kind);
  g_assert_cmpint (a->time_us, ==, b->time_us);
  switch (a->kind) {
#define X(NAME, number, rank, acted, lower, help)                                                  \
  case LK_EVENT_##NAME: {                                                                          \
    const LkEvent_##lower *a_fields = &a->lower;                                                   \
    const LkEvent_##lower *b_fields = &b->lower;                                                   \
    (void)a_fields;                                                                                \
    (void)b_fields;                                                                                \
    LK_EVENT_##NAME##_FIELDS (SAME_FIELD) break;                                                   \
  }
    LK_EVENT_KINDS (X)
#undef X
  default:
    g_assert_not_reached ();
  }
}

static void
assert_same_decision (const LkDecision *a, const LkDecision *b)
{
  g_assert_cmpint (a->kind, ==, b->kind);
  switch (a->kind) {
#define X(NAME, number, lower, help)                                                               \
  case LK_DECISION_##NAME: {                                                                       \
    const LkDecision_##lower *a_fields = &a->lower;                                                \
    const LkDecision_##lower *b_fields = &b->lower;                                                \
    LK_DECISION_##NAME##_FIELDS (SAME_FIELD) break;                                                \
  }
    LK_DECISION_KINDS (X)
#undef X
  default:
    g_assert_not_reached ();
  }
}

/* ---------------------------------------------------------------- there and back */

/* A copy of just these bytes, so that reading past them is seen. */
static guint8 *
exact_copy (const GByteArray *bytes, gsize length_bytes)
{
  guint8 *copy = g_malloc (MAX (length_bytes, 1));
  memcpy (copy, bytes->data, length_bytes);
  return copy;
}

static void
event_there_and_back (const LkEvent *event)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GByteArray) again = g_byte_array_new ();
  LkEvent decoded;
  lk_event_encode (event, bytes);
  g_assert_cmpuint (bytes->len, ==, lk_event_size_bytes (event));
  g_assert_cmpuint (lk_event_decode (bytes->data, bytes->len, &decoded), ==, bytes->len);
  assert_same_event (event, &decoded);
  lk_event_encode (&decoded, again);
  assert_same_bytes (again->data, again->len, bytes->data, bytes->len);
  g_byte_array_append (bytes, (const guint8 *)"\xff\xff", 2);
  g_assert_cmpuint (lk_event_decode (bytes->data, bytes->len, &decoded), ==, again->len);
}

static void
decision_there_and_back (const LkDecision *decision)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GByteArray) again = g_byte_array_new ();
  LkDecision decoded;
  lk_decision_encode (decision, bytes);
  g_assert_cmpuint (bytes->len, ==, lk_decision_size_bytes (decision));
  g_assert_cmpuint (lk_decision_decode (bytes->data, bytes->len, &decoded), ==, bytes->len);
  assert_same_decision (decision, &decoded);
  g_assert_cmpuint (decoded.job, ==, LK_JOB_NONE);
  lk_decision_encode (&decoded, again);
  assert_same_bytes (again->data, again->len, bytes->data, bytes->len);
  g_byte_array_append (bytes, (const guint8 *)"\xff\xff", 2);
  g_assert_cmpuint (lk_decision_decode (bytes->data, bytes->len, &decoded), ==, again->len);
}

static void
test_there_and_back (void)
{
  Seed seed = { 1 };
  for (guint round = 0; round < ROUNDS; round++) {
    for (guint i = 0; i < G_N_ELEMENTS (event_kinds); i++) {
      LkEvent event = random_event (&seed, event_kinds[i]);
      event_there_and_back (&event);
    }
    for (guint i = 0; i < G_N_ELEMENTS (decision_kinds); i++) {
      LkDecision decision = random_decision (&seed, decision_kinds[i]);
      decision_there_and_back (&decision);
    }
  }
}

/* Written out by hand from docs/formats.md. */
static void
test_bytes (void)
{
  static const guint8 submit_bytes[] = {
    10, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* submit, -2 us */
    1,  2,    3,    4,    5,    0,    0,    0,    6,    0,
    0,  0,    7,    0,    0,    0,    8,    0,    0,    0, /* job ... procs */
    0,  0xca, 0x9a, 0x3b, 0,    0,    0,    0,             /* 1,000,000,000 us */
  };
  static const guint8 down_bytes[] = {
    4, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 'n', '1', 4, 0, 'H', 0xc3, 0xb6, 'h',
  };
  static const guint8 reject_bytes[] = { 2, 1, 0, 0, 0, 6, 0 };
  static const guint8 start_bytes[] = { 3, 1, 0,   0,   0,   4,   0,   0,   0, 1,   8,   7, 6,
                                        5, 4, 3,   2,   1,   2,   0,   0,   0, 'n', '1', 6, 0,
                                        0, 0, 'n', '1', '=', '0', '-', '3', 0, 0,   0,   0 };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkEvent submit = { .kind = LK_EVENT_SUBMIT, .time_us = -2, .seq = 77 };
  submit.submit = (LkEvent_submit){ .job_id = 0x04030201,
                                    .user_id = 5,
                                    .group_id = 6,
                                    .partition_id = 7,
                                    .procs = 8,
                                    .estimate_us = 1000000000 };
  lk_event_encode (&submit, bytes);
  g_assert_cmpuint (bytes->len, >, sizeof submit_bytes);
  assert_same_bytes (bytes->data, sizeof submit_bytes, submit_bytes, sizeof submit_bytes);
  /* Of a job that asks for nothing more, the rest is zero. */
  for (guint i = sizeof submit_bytes; i < bytes->len; i++)
    g_assert_cmpuint (bytes->data[i], ==, 0);
  g_byte_array_set_size (bytes, 0);
  LkEvent down = { .kind = LK_EVENT_NODE_DOWN };
  down.node_down.node = (LkText){ "n1", 2 };
  down.node_down.reason = (LkText){ "H\xc3\xb6h", 4 };
  lk_event_encode (&down, bytes);
  assert_same_bytes (bytes->data, bytes->len, down_bytes, sizeof down_bytes);
  g_byte_array_set_size (bytes, 0);
  LkDecision reject = { .kind = LK_DECISION_REJECT };
  reject.reject = (LkDecision_reject){ 1, LK_REJECT_TOO_LARGE, { 0 } };
  lk_decision_encode (&reject, bytes);
  assert_same_bytes (bytes->data, bytes->len, reject_bytes, sizeof reject_bytes);
  g_byte_array_set_size (bytes, 0);
  LkDecision start = { .kind = LK_DECISION_START };
  start.start.job_id = 1;
  start.start.units = 4;
  start.start.backfilled = 1;
  start.start.memory_bytes = G_GINT64_CONSTANT (0x0102030405060708);
  start.start.nodes = (LkLongText){ "n1", 2 };
  start.start.cores = (LkLongText){ "n1=0-3", 6 };
  lk_decision_encode (&start, bytes);
  assert_same_bytes (bytes->data, bytes->len, start_bytes, sizeof start_bytes);
}

/* ---------------------------------------------------------------- what is refused */

static void
event_refused (const GByteArray *bytes, gsize length_bytes)
{
  g_autofree guint8 *copy = exact_copy (bytes, length_bytes);
  LkEvent event, before;
  memset (&event, 0x5a, sizeof event);
  before = event;
  g_assert_cmpuint (lk_event_decode (copy, length_bytes, &event), ==, 0);
  assert_same_bytes (&event, sizeof event, &before, sizeof before);
}

static void
decision_refused (const GByteArray *bytes, gsize length_bytes)
{
  g_autofree guint8 *copy = exact_copy (bytes, length_bytes);
  LkDecision decision, before;
  memset (&decision, 0x5a, sizeof decision);
  before = decision;
  g_assert_cmpuint (lk_decision_decode (copy, length_bytes, &decision), ==, 0);
  assert_same_bytes (&decision, sizeof decision, &before, sizeof before);
}

static void
test_truncated (void)
{
  Seed seed = { 2 };
  for (guint round = 0; round < 20; round++) {
    for (guint i = 0; i < G_N_ELEMENTS (event_kinds); i++) {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      LkEvent event = random_event (&seed, event_kinds[i]);
      lk_event_encode (&event, bytes);
      for (guint length_bytes = 0; length_bytes < MIN (bytes->len, 200); length_bytes++)
        event_refused (bytes, length_bytes);
      event_refused (bytes, bytes->len - 1);
    }
    for (guint i = 0; i < G_N_ELEMENTS (decision_kinds); i++) {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      LkDecision decision = random_decision (&seed, decision_kinds[i]);
      lk_decision_encode (&decision, bytes);
      for (guint length_bytes = 0; length_bytes < MIN (bytes->len, 200); length_bytes++)
        decision_refused (bytes, length_bytes);
      decision_refused (bytes, bytes->len - 1);
    }
  }
}

static void
test_unknown (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_byte_array_set_size (bytes, 400);
  memset (bytes->data, 0, bytes->len);
  for (guint kind = 0; kind < 256; kind++) {
    bytes->data[0] = (guint8)kind;
    if (kind == 0 || kind >= LK_EVENT_KIND_LIMIT)
      event_refused (bytes, bytes->len);
    if (kind == 0 || kind >= LK_DECISION_KIND_LIMIT)
      decision_refused (bytes, bytes->len);
  }
}

static void
test_utf8 (void)
{
  static const char *const wrong[] = {
    "\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "ok\x80"
  };
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_autoptr (GByteArray) start_bytes = g_byte_array_new ();
    LkText text = { wrong[i], (guint16)strlen (wrong[i]) };
    LkEvent event = { .kind = LK_EVENT_NODE_UP };
    event.node_up.node = text;
    lk_event_encode (&event, bytes);
    event_refused (bytes, bytes->len);
    LkDecision start = { .kind = LK_DECISION_START };
    start.start.gres = (LkLongText){ text.bytes, text.length_bytes };
    lk_decision_encode (&start, start_bytes);
    decision_refused (start_bytes, start_bytes->len);
  }
  /* A zero byte would end the text for who reads it as a C string. */
  g_autoptr (GByteArray) zero = g_byte_array_new ();
  LkEvent event = { .kind = LK_EVENT_NODE_UP };
  event.node_up.node = (LkText){ "a\0b", 3 };
  lk_event_encode (&event, zero);
  event_refused (zero, zero->len);
  g_byte_array_set_size (zero, 0);
  LkDecision start = { .kind = LK_DECISION_START };
  start.start.nodes = (LkLongText){ "a\0b", 3 };
  lk_decision_encode (&start, zero);
  decision_refused (zero, zero->len);
}

/* ---------------------------------------------------------------- the journal's header */

static void
test_header (void)
{
  Seed seed_value = { 3 };
  Seed *seed = &seed_value;
  for (guint round = 0; round < 50; round++) {
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    LkJournalHeader header, decoded;
    LkJournalHeader *fields = &header;
    LK_JOURNAL_HEADER_FIELDS (RANDOM_FIELD)
    lk_journal_header_encode (&header, bytes);
    g_assert_cmpuint (lk_journal_header_decode (bytes->data, bytes->len, &decoded), ==, bytes->len);
    const LkJournalHeader *a_fields = &header;
    const LkJournalHeader *b_fields = &decoded;
    LK_JOURNAL_HEADER_FIELDS (SAME_FIELD)
    for (guint i = 0; i < MIN (bytes->len, 300); i++) {
      g_autofree guint8 *copy = exact_copy (bytes, i);
      g_assert_cmpuint (lk_journal_header_decode (copy, i, &decoded), ==, 0);
    }
  }
}

/* ---------------------------------------------------------------- JSON */

static const char *
skip_string (const char *at, GString *out)
{
  g_assert_cmpint (*at, ==, '"');
  for (at++; *at != '"'; at++) {
    g_assert_cmpuint ((guchar)*at, >=, 0x20);
    if (*at != '\\') {
      g_string_append_c (out, *at);
      continue;
    }
    at++;
    if (*at == 'u') {
      guint value = 0;
      for (guint i = 1; i <= 4; i++)
        value = 16 * value + (guint)g_ascii_xdigit_value (at[i]);
      g_assert_cmpuint (value, <, 0x20);
      g_string_append_c (out, (char)value);
      at += 4;
    } else {
      g_assert_true (*at == '"' || *at == '\\');
      g_string_append_c (out, *at);
    }
  }
  return at + 1;
}

/* An object on one line whose values are integers and texts: from name to value. */
static GHashTable *
parse_object (const char *at)
{
  GHashTable *object = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_assert_cmpint (*at, ==, '{');
  do {
    g_autoptr (GString) name = g_string_new (NULL);
    g_autoptr (GString) value = g_string_new (NULL);
    at = skip_string (at + 1, name);
    g_assert_cmpint (*at, ==, ':');
    at++;
    if (*at == '"') {
      at = skip_string (at, value);
    } else {
      gsize length_bytes = strspn (at, "-0123456789");
      g_assert_cmpuint (length_bytes, >, 0);
      g_string_append_len (value, at, (gssize)length_bytes);
      at += length_bytes;
    }
    g_assert_true (g_hash_table_insert (object, g_strdup (name->str), g_strdup (value->str)));
  } while (*at == ',');
  g_assert_cmpstr (at, ==, "}");
  return object;
}

static void
assert_value (GHashTable *object, const char *name, const char *wanted)
{
  g_assert_cmpstr (g_hash_table_lookup (object, name), ==, wanted);
}

static char *
u64_text (guint64 value)
{
  return g_strdup_printf ("%" G_GUINT64_FORMAT, value);
}

#define VALUE_u8(value) u64_text (value)
#define VALUE_u16(value) u64_text (value)
#define VALUE_u32(value) u64_text (value)
#define VALUE_u64(value) u64_text (value)
#define VALUE_i64(value) g_strdup_printf ("%" G_GINT64_FORMAT, value)
#define VALUE_long_text(value) g_strndup ((value).bytes, (value).length_bytes)
#define VALUE_request(value) u64_text (value)
#define VALUE_terms(value) u64_text (value)
#define VALUE_text(value) g_strndup ((value).bytes, (value).length_bytes)
#define VALUE_FIELD(type, name, help)                                                              \
  {                                                                                                \
    g_autofree char *wanted = VALUE_##type (fields->name);                                         \
    assert_value (object, #name, wanted);                                                          \
  }

static void
assert_event_json (const LkEvent *event)
{
  g_autoptr (GString) text = g_string_new (NULL);
  lk_event_json (event, text);
  g_assert_true (g_utf8_validate (text->str, (gssize)text->len, NULL));
  g_autoptr (GHashTable) object = parse_object (text->str);
  g_autofree char *seq = u64_text (event->seq);
  g_autofree char *time_text = VALUE_i64 (event->time_us);
  assert_value (object, "seq", seq);
  assert_value (object, "time_us", time_text);
  assert_value (object, "event", lk_event_kind_name (event->kind));
  switch (event->kind) {
#define X(NAME, number, rank, acted, lower, help)                                                  \
  case LK_EVENT_##NAME: {                                                                          \
    const LkEvent_##lower *fields = &event->lower;                                                 \
    (void)fields;                                                                                  \
    LK_EVENT_##NAME##_FIELDS (VALUE_FIELD) break;                                                  \
  }
    LK_EVENT_KINDS (X)
#undef X
  default:
    g_assert_not_reached ();
  }
}

static void
assert_decision_json (const LkDecision *decision)
{
  g_autoptr (GString) text = g_string_new (NULL);
  lk_decision_json (decision, text);
  g_autoptr (GHashTable) object = parse_object (text->str);
  assert_value (object, "decision", lk_decision_kind_name (decision->kind));
  switch (decision->kind) {
#define X(NAME, number, lower, help)                                                               \
  case LK_DECISION_##NAME: {                                                                       \
    const LkDecision_##lower *fields = &decision->lower;                                           \
    LK_DECISION_##NAME##_FIELDS (VALUE_FIELD) break;                                               \
  }
    LK_DECISION_KINDS (X)
#undef X
  default:
    g_assert_not_reached ();
  }
}

static void
test_json (void)
{
  Seed seed = { 4 };
  for (guint round = 0; round < ROUNDS; round++) {
    for (guint i = 0; i < G_N_ELEMENTS (event_kinds); i++) {
      LkEvent event = random_event (&seed, event_kinds[i]);
      event.seq = random_u64 (&seed);
      assert_event_json (&event);
    }
    for (guint i = 0; i < G_N_ELEMENTS (decision_kinds); i++) {
      LkDecision decision = random_decision (&seed, decision_kinds[i]);
      assert_decision_json (&decision);
    }
  }
}

static void
test_json_text (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  LkEvent event = { .kind = LK_EVENT_HOLD, .seq = 3, .time_us = 5 };
  event.hold.job_id = 9;
  lk_event_json (&event, text);
  g_assert_cmpstr (text->str, ==,
                   "{\"seq\":3,\"time_us\":5,\"event\":\"hold\",\"job_id\":9,\"task_list\":\"\","
                   "\"by_admin\":0}");
  g_string_truncate (text, 0);
  LkDecision notice = { .kind = LK_DECISION_NOTICE };
  notice.notice = (LkDecision_notice){ 9, LK_JOB_TIMEOUT, LK_REASON_TIME_LIMIT, { 0 } };
  lk_decision_json (&notice, text);
  g_assert_cmpstr (text->str, ==,
                   "{\"decision\":\"notice\",\"job_id\":9,\"state\":4,\"reason\":5,"
                   "\"state_name\":\"TIMEOUT\"}");
  g_string_truncate (text, 0);
  LkDecision reject = { .kind = LK_DECISION_REJECT };
  reject.reject.error = LK_REJECT_NOT_HELD;
  lk_decision_json (&reject, text);
  g_assert_cmpstr (text->str, ==,
                   "{\"decision\":\"reject\",\"job_id\":0,\"error\":9,"
                   "\"error_text\":\"the job is not held\"}");
  g_string_truncate (text, 0);
  LkJournalHeader header = { .format = 1, .order = { "fifo", 4 }, .config_digest_high = 7 };
  lk_journal_header_json (&header, text);
  g_autoptr (GHashTable) object = parse_object (text->str);
  assert_value (object, "format", "1");
  assert_value (object, "order", "fifo");
  assert_value (object, "config_digest_high", "7");
  assert_value (object, "source", "");
}

/* ---------------------------------------------------------------- names and order */

static void
test_names (void)
{
  g_assert_cmpstr (lk_event_kind_name (LK_EVENT_JOB_ENDED), ==, "job_ended");
  g_assert_cmpstr (lk_event_kind_name (0), ==, "?");
  g_assert_cmpstr (lk_event_kind_name (LK_EVENT_KIND_LIMIT), ==, "?");
  g_assert_cmpstr (lk_decision_kind_name (LK_DECISION_REQUEUE_JOB), ==, "requeue_job");
  g_assert_cmpstr (lk_decision_kind_name (0), ==, "?");
  g_assert_cmpstr (lk_job_state_name (LK_JOB_CANCELLED), ==, "CANCELLED");
  g_assert_cmpstr (lk_job_state_name (LK_JOB_STATE_LIMIT), ==, "?");
  g_assert_cmpstr (lk_reason_name (LK_REASON_HELD_ADMIN), ==, "JobHeldAdmin");
  g_assert_cmpstr (lk_reason_name (LK_REASON_LIMIT), ==, "?");
  g_assert_cmpstr (lk_reject_text (LK_REJECT_TOO_LARGE), ==,
                   "the job needs more than the machine has");
  g_assert_cmpstr (lk_reject_text (0), ==, "?");
  g_assert_cmpstr (lk_kill_text (LK_KILL_TIME_LIMIT), ==, "time limit reached");
  g_assert_cmpstr (lk_kill_text (0), ==, "?");
  g_assert_true (lk_event_kind_acted (LK_EVENT_PASS));
  g_assert_true (lk_event_kind_acted (LK_EVENT_NODE_UP));
  g_assert_true (lk_event_kind_acted (LK_EVENT_REQUEUE));
  g_assert_true (lk_event_kind_acted (LK_EVENT_RESERVATION_CREATE));
  g_assert_false (lk_event_kind_acted (0));
  g_assert_cmpuint (lk_event_rank (0), ==, G_MAXUINT);
  g_assert_cmpuint (lk_event_rank (LK_EVENT_KIND_LIMIT), ==, G_MAXUINT);
}

static LkEvent
event_of (gint64 time_us, LkEventKind kind, guint32 job_id)
{
  LkEvent event = { .kind = kind, .time_us = time_us };
  switch (kind) {
#define JOB_CASE(NAME, lower)                                                                      \
  case LK_EVENT_##NAME:                                                                            \
    event.lower.job_id = job_id;                                                                   \
    break;
    JOB_CASE (JOB_ENDED, job_ended)
    JOB_CASE (JOB_STARTED, job_started)
    JOB_CASE (SUBMIT, submit)
    JOB_CASE (UPDATE, update)
    JOB_CASE (CANCEL, cancel)
    JOB_CASE (HOLD, hold)
    JOB_CASE (RELEASE, release)
    JOB_CASE (REQUEUE, requeue)
    JOB_CASE (SIGNAL, signal)
#undef JOB_CASE
  default:
    g_assert_cmpuint (job_id, ==, 0);
  }
  g_assert_cmpuint (lk_event_job_id (&event), ==, job_id);
  return event;
}

/* The documented order of one instant: ends, nodes, reservations, submits, updates, timer, pass. */
static void
test_compare (void)
{
  const LkEvent ordered[] = {
    event_of (4, LK_EVENT_PASS, 0),
    event_of (5, LK_EVENT_JOB_ENDED, 1),
    event_of (5, LK_EVENT_JOB_STARTED, 1),
    event_of (5, LK_EVENT_JOB_ENDED, 2),
    event_of (5, LK_EVENT_JOB_ENDED, G_MAXUINT32),
    event_of (5, LK_EVENT_NODE_UP, 0),
    event_of (5, LK_EVENT_NODE_DOWN, 0),
    event_of (5, LK_EVENT_NODE_DRAIN, 0),
    event_of (5, LK_EVENT_NODE_RESUME, 0),
    event_of (5, LK_EVENT_RESERVATION_CREATE, 0),
    event_of (5, LK_EVENT_RESERVATION_UPDATE, 0),
    event_of (5, LK_EVENT_RESERVATION_DELETE, 0),
    event_of (5, LK_EVENT_SUBMIT, 1),
    event_of (5, LK_EVENT_SUBMIT, 2),
    event_of (5, LK_EVENT_ASSOCIATION, 0),
    event_of (5, LK_EVENT_QOS, 0),
    event_of (5, LK_EVENT_RECONFIGURE, 0),
    event_of (5, LK_EVENT_UPDATE, 1),
    event_of (5, LK_EVENT_CANCEL, 1),
    event_of (5, LK_EVENT_HOLD, 1),
    event_of (5, LK_EVENT_RELEASE, 1),
    event_of (5, LK_EVENT_REQUEUE, 1),
    event_of (5, LK_EVENT_SIGNAL, 1),
    event_of (5, LK_EVENT_UPDATE, 2),
    event_of (5, LK_EVENT_TIMER, 0),
    event_of (5, LK_EVENT_PASS, 0),
    event_of (6, LK_EVENT_JOB_ENDED, 0),
  };
  for (guint i = 0; i < G_N_ELEMENTS (ordered); i++)
    for (guint j = 0; j < G_N_ELEMENTS (ordered); j++) {
      gint got = lk_event_compare (&ordered[i], &ordered[j]);
      g_assert_cmpint ((got > 0) - (got < 0), ==, (i > j) - (i < j));
    }
}

/* ---------------------------------------------------------------- documentation */

static GString *
schema_page (void)
{
  GString *page = g_string_new ("# Events, decisions and the journal header, field by field\n\n"
                                "Made from `engine/schema.h`; `tests/engine/codec_test --schema` "
                                "prints this page and a test\n"
                                "compares them. What the types are and how records are framed: "
                                "[formats.md](formats.md).\n\n");
  lk_schema_markdown (page);
  return page;
}

static void
test_page (void)
{
  g_autoptr (GString) page = schema_page ();
  g_autoptr (GError) error = NULL;
  g_autofree char *contents = NULL;
  g_file_get_contents (LK_SOURCE_DIR "/docs/formats-schema.md", &contents, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (contents, ==, page->str);
}

int
main (int argc, char **argv)
{
  if (argc == 2 && strcmp (argv[1], "--schema") == 0) {
    g_autoptr (GString) page = schema_page ();
    return fputs (page->str, stdout) < 0;
  }
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/codec/decodes what it encoded", test_there_and_back);
  g_test_add_func ("/codec/writes the documented bytes", test_bytes);
  g_test_add_func ("/codec/refuses a value cut anywhere", test_truncated);
  g_test_add_func ("/codec/refuses a kind that is none", test_unknown);
  g_test_add_func ("/codec/refuses text that is not UTF-8", test_utf8);
  g_test_add_func ("/codec/keeps every field of the journal header", test_header);
  g_test_add_func ("/codec/writes JSON with every field", test_json);
  g_test_add_func ("/codec/writes JSON as documented", test_json_text);
  g_test_add_func ("/codec/names every number", test_names);
  g_test_add_func ("/codec/orders the events of one instant", test_compare);
  g_test_add_func ("/codec/has an up-to-date page in docs", test_page);
  return g_test_run ();
}
