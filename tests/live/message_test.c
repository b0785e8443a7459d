/* tests/live/message_test.c — messages there and back, what the decoder refuses, and that
 * docs/formats-wire.md is what the schema says.
 *
 * With --schema as its only argument it prints that file instead of testing. */
#include "live/core/message.h"
#include "live/core/record.h"

#include <json-glib/json-glib.h>
#include <stdio.h>

#include "tests/live/random_message.h"

#define ROUNDS 200u

/* ---------------------------------------------------------------- equality, from the schema */

static gboolean
same (const void *a, gsize a_bytes, const void *b, gsize b_bytes)
{
  return a_bytes == b_bytes && (a_bytes == 0 || memcmp (a, b, a_bytes) == 0);
}

#define SAME_VALUE(a, b) ((a) == (b))
#define SAME_PIECE(a, b) same ((a).bytes, (a).length_bytes, (b).bytes, (b).length_bytes)
#define SAME_u8 SAME_VALUE
#define SAME_u16 SAME_VALUE
#define SAME_u32 SAME_VALUE
#define SAME_u64 SAME_VALUE
#define SAME_i64 SAME_VALUE
#define SAME_text SAME_PIECE
#define SAME_long_text SAME_PIECE
#define SAME_bytes SAME_PIECE
#define SAME_runs SAME_PIECE
#define SAME_components SAME_PIECE
#define SAME_places SAME_PIECE
#define SAME_step_reports SAME_PIECE
#define SAME_path SAME_PIECE
#define SAME_FIELD(type, name, help) g_assert_true (SAME_##type (a_fields->name, b_fields->name));

static void
assert_same_message (const LkMessage *a, const LkMessage *b)
{
  g_assert_cmpint (a->kind, ==, b->kind);
  switch (a->kind) {
#define X(NAME, number, lower, senders, limit, event, help)                                        \
  case LK_MESSAGE_##NAME: {                                                                        \
    const LkMessage_##lower *a_fields = &a->lower;                                                 \
    const LkMessage_##lower *b_fields = &b->lower;                                                 \
    LK_MESSAGE_##NAME##_FIELDS (SAME_FIELD) break;                                                 \
  }
    LK_MESSAGE_KINDS (X)
#undef X
  default:
    g_assert_not_reached ();
  }
}

/* ---------------------------------------------------------------- limits */

/* The most that a field can have, if its type has a limit; else so much that the kind is long. */
#define MOST_u8 1u
#define MOST_u16 2u
#define MOST_u32 4u
#define MOST_u64 8u
#define MOST_i64 8u
#define MOST_text (2u + G_MAXUINT16)
#define MOST_long_text 0u
#define MOST_bytes 0u
#define MOST_path (4u + LK_PATH_MAX_BYTES)
#define MOST_runs 0u
#define MOST_components 0u
#define MOST_places 0u
#define MOST_step_reports 0u
#define MOST_FIELD(type, name, help) +MOST_##type

/* No value of texts and numbers is too long for its kind; what is not on the wire has no size. */
static void
test_sizes (void)
{
#define X(NAME, number, lower, senders, limit, event, help)                                        \
  g_assert_cmpuint (lk_message_max_bytes (number), ==,                                             \
                    (limit) != LK_SIZE_KEPT ? (limit) : LK_SIZE_SHORT);                            \
  g_assert_true ((limit) == LK_SIZE_KEPT                                                           \
                 || (limit) >= 1u LK_MESSAGE_##NAME##_FIELDS (MOST_FIELD));                        \
  g_assert_true ((limit) != LK_SIZE_KEPT || (senders) == 0);
  LK_MESSAGE_KINDS (X)
#undef X
}

/* One byte above the limit of its kind. */
static void
test_oversize (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree guint8 *event = g_malloc0 (LK_SIZE_SHORT);
  LkMessage message = { .kind = LK_MESSAGE_HOLD };
  LkMessage same;
  message.hold.event = (LkBytes){ event, LK_SIZE_SHORT - 21 };
  lk_message_encode (&message, bytes);
  g_assert_cmpuint (bytes->len, ==, LK_SIZE_SHORT);
  g_assert_true (lk_message_decode (bytes->data, bytes->len, &same));
  g_byte_array_set_size (bytes, 0);
  message.hold.event.length_bytes++;
  lk_message_encode (&message, bytes);
  g_assert_false (lk_message_decode (bytes->data, bytes->len, &same));
}

/* ---------------------------------------------------------------- there and back */

/* A copy of just these bytes, so that reading past them is seen. */
static gboolean
decode_copy (const GByteArray *bytes, gsize length_bytes, LkMessage *out_message)
{
  g_autofree guint8 *copy = g_malloc (MAX (length_bytes, 1));
  memcpy (copy, bytes->data, length_bytes);
  return lk_message_decode (copy, length_bytes, out_message);
}

/* Texts of the largest length make every prefix of them too dear to try; some do. */
static void
assert_prefixes_refused (const GByteArray *bytes)
{
  LkMessage untouched = { .kind = LK_MESSAGE_REPLY };
  gsize step_bytes = bytes->len > 2000 ? 997 : 1;
  for (gsize length_bytes = 0; length_bytes < bytes->len; length_bytes += step_bytes)
    g_assert_false (decode_copy (bytes, length_bytes, &untouched));
  g_assert_false (decode_copy (bytes, bytes->len - 1, &untouched));
  g_assert_cmpint (untouched.kind, ==, LK_MESSAGE_REPLY);
}

static void
there_and_back (const LkMessage *message)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GByteArray) again = g_byte_array_new ();
  LkMessage decoded;
  lk_message_encode (message, bytes);
  g_assert_cmpuint (bytes->data[0], ==, message->kind);
  g_assert_true (lk_message_decode (bytes->data, bytes->len, &decoded));
  assert_same_message (message, &decoded);
  lk_message_encode (&decoded, again);
  assert_same_bytes (again->data, again->len, bytes->data, bytes->len);
  assert_prefixes_refused (bytes);
  g_byte_array_append (bytes, (const guint8 *)"", 1);
  g_assert_false (lk_message_decode (bytes->data, bytes->len, &decoded));
}

static void
test_there_and_back (void)
{
  Seed seed = { 1 };
  for (guint round = 0; round < ROUNDS; round++)
    for (guint i = 0; i < G_N_ELEMENTS (message_kinds); i++) {
      LkMessage message = random_message (&seed, message_kinds[i]);
      there_and_back (&message);
    }
}

/* Written out by hand: kind, then the fields in their order, little-endian. */
static void
test_bytes (void)
{
  static const guint8 expected[] = {
    43,                            /* RUN_ENDED */
    2,    0, 'n', '1',             /* node */
    7,    0, 0,   0,   0, 0, 0, 0, /* epoch */
    0x2c, 1, 0,   0,   0, 0, 0, 0, /* run_id 300 */
    9,    0, 0,   0,               /* job_id */
    4,    3, 6,   1,   2,          /* state ... trouble */
    0x2d, 1, 0,   0,   0, 0, 0, 0, /* user_cpu_us 301 */
    0x2e, 1, 0,   0,   0, 0, 0, 0, /* system_cpu_us 302 */
    0x2f, 1, 0,   0,   0, 0, 0, 0, /* max_rss_bytes 303 */
    0x30, 1, 0,   0,   0, 0, 0, 0, /* max_gpu_memory_bytes 304 */
    0x31, 1, 0,   0,               /* max_gpu_percent 305 */
    2,    0, 'i', 'o',             /* drain */
  };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkMessage message = { .kind = LK_MESSAGE_RUN_ENDED,
                        .run_ended = { .node = lk_text ("n1"),
                                       .epoch = 7,
                                       .run_id = 300,
                                       .job_id = 9,
                                       .state = LK_RUN_ENDED,
                                       .exit_code = 3,
                                       .signal = 6,
                                       .cancelled = 1,
                                       .trouble = 2,
                                       .user_cpu_us = 301,
                                       .system_cpu_us = 302,
                                       .max_rss_bytes = 303,
                                       .max_gpu_memory_bytes = 304,
                                       .max_gpu_percent = 305,
                                       .drain = lk_text ("io") } };
  lk_message_encode (&message, bytes);
  assert_same_bytes (bytes->data, bytes->len, expected, sizeof expected);
}

/* ---------------------------------------------------------------- what is refused */

static void
test_kinds (void)
{
  guint kind_count = 0;
  for (guint kind = 0; kind < 256; kind++) {
    guint8 bytes[2] = { (guint8)kind, 0 };
    LkMessage message;
    if (strcmp (lk_message_kind_name (kind), "?") != 0) {
      kind_count++;
      continue;
    }
    g_assert_false (lk_message_decode (bytes, 1, &message));
    g_assert_false (lk_message_decode (bytes, 2, &message));
    g_assert_cmpuint (lk_message_senders (kind), ==, 0);
    g_assert_cmpuint (lk_message_event_kind (kind), ==, 0);
  }
  g_assert_cmpuint (kind_count, ==, G_N_ELEMENTS (message_kinds));
}

static void
test_too_long (void)
{
  g_autofree guint8 *payload = g_malloc0 (LK_MESSAGE_MAX_BYTES);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkMessage message = { .kind = LK_MESSAGE_JOURNAL,
                        .journal = { .content = { payload, LK_MESSAGE_MAX_BYTES - 37 } } };
  LkMessage decoded;
  lk_message_encode (&message, bytes);
  g_assert_cmpuint (bytes->len, ==, LK_MESSAGE_MAX_BYTES);
  g_assert_true (lk_message_decode (bytes->data, bytes->len, &decoded));
  message.journal.content.length_bytes++;
  g_byte_array_set_size (bytes, 0);
  lk_message_encode (&message, bytes);
  g_assert_false (lk_message_decode (bytes->data, bytes->len, &decoded));
}

static void
test_not_utf8 (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkMessage message = { .kind = LK_MESSAGE_HEARTBEAT, .heartbeat = { .node = { "\xc3\x28", 2 } } };
  LkMessage decoded;
  lk_message_encode (&message, bytes);
  g_assert_false (lk_message_decode (bytes->data, bytes->len, &decoded));
}

/* Reports in a list are looked at when the message is: state, and that they come out even. */
static void
test_bad_runs (void)
{
  static const LkRunReport good = { .run_id = 1, .state = LK_RUN_RUNNING };
  for (guint state = 0; state < 256; state++) {
    g_autoptr (GByteArray) runs = g_byte_array_new ();
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    LkRunReport report = { .run_id = 2, .state = (guint8)state };
    LkMessage decoded;
    lk_run_report_append (&good, runs);
    lk_run_report_append (&report, runs);
    LkMessage message = { .kind = LK_MESSAGE_REPORT,
                          .report = { .runs = { runs->data, runs->len } } };
    lk_message_encode (&message, bytes);
    gboolean is_state = FALSE;
#define X(NAME, number, help) is_state = is_state || state == number;
    LK_RUN_STATES (X)
#undef X
    g_assert_cmpint (lk_message_decode (bytes->data, bytes->len, &decoded), ==, is_state);
    message.report.runs.length_bytes--;
    g_byte_array_set_size (bytes, 0);
    lk_message_encode (&message, bytes);
    g_assert_false (lk_message_decode (bytes->data, bytes->len, &decoded));
  }
}

static void
test_run_reports (void)
{
  g_autoptr (GByteArray) list = g_byte_array_new ();
  LkRunReport report = { .run_id = 1, .state = LK_RUN_RUNNING };
  lk_run_report_append (&report, list);
  report.run_id = 2;
  lk_run_report_append (&report, list);
  LkRuns runs = { list->data, list->len };
  g_assert_true (lk_run_report_next (&runs, &report));
  g_assert_cmpuint (report.run_id, ==, 1);
  g_assert_true (lk_run_report_next (&runs, &report));
  g_assert_cmpuint (report.run_id, ==, 2);
  g_assert_false (lk_run_report_next (&runs, &report));
}

/* ---------------------------------------------------------------- views */

static void
test_json (void)
{
  Seed seed = { 2 };
  for (guint i = 0; i < G_N_ELEMENTS (message_kinds) * 20; i++) {
    LkMessageKind kind = message_kinds[i % G_N_ELEMENTS (message_kinds)];
    LkMessage message = random_message (&seed, kind);
    g_autoptr (GString) json = g_string_new (NULL);
    g_autoptr (GError) error = NULL;
    lk_message_json (&message, json);
    g_assert_null (strchr (json->str, '\n'));
    g_autoptr (JsonNode) root = json_from_string (json->str, &error);
    g_assert_no_error (error);
    g_assert_cmpstr (json_object_get_string_member (json_node_get_object (root), "message"), ==,
                     lk_message_kind_name (kind));
  }
}

/* Everything that carries an event begins with the same three fields. */
static void
test_requests (void)
{
  Seed seed = { 3 };
  for (guint i = 0; i < G_N_ELEMENTS (message_kinds); i++) {
    LkMessage message = random_message (&seed, message_kinds[i]);
    const LkRequestHead *head = lk_message_request (&message);
    guint32 clients = LK_FROM_ANYONE;
    g_assert_cmpint (head != NULL, ==, lk_message_event_kind (message.kind) != 0);
    if (head == NULL)
      continue;
    g_assert_cmpuint (lk_message_senders (message.kind) & ~clients, ==, 0);
    g_assert_cmpuint (head->session, ==, message.submit.session);
    g_assert_cmpuint (head->request, ==, message.submit.request);
    g_assert_true (head->event.bytes == message.submit.event.bytes);
  }
}

static GString *
schema_page (void)
{
  GString *page =
      g_string_new ("# Messages between clients, controller, agents and standby, field by field\n\n"
                    "Made from `live/core/message_schema.h`; `tests/live/message_test --schema` "
                    "prints this page and a test\ncompares them. What the types are: "
                    "[formats.md](formats.md); what the messages are for: "
                    "[live-core.md](live-core.md).\n\n"
                    "A message is `u8` kind, which is the number in its title, and its fields. "
                    "`bytes` is a `u32` length and so many bytes\n"
                    "of any kind, `runs` a `u32` length in bytes and run reports, one behind the "
                    "other, `components` likewise. One value\n"
                    "has one encoding, and a decoder takes nothing else.\n\n");
  lk_message_markdown (page);
  lk_record_markdown (page);
  return page;
}

static void
test_page (void)
{
  g_autoptr (GString) page = schema_page ();
  g_autoptr (GError) error = NULL;
  g_autofree char *contents = NULL;
  g_file_get_contents (LK_SOURCE_DIR "/docs/formats-wire.md", &contents, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (contents, ==, page->str);
}

static void
test_markdown (void)
{
  g_autoptr (GString) page = schema_page ();
  for (guint i = 0; i < G_N_ELEMENTS (message_kinds); i++) {
    g_autofree char *title =
        g_strdup_printf ("### %u %s\n", message_kinds[i], lk_message_kind_name (message_kinds[i]));
    g_assert_nonnull (strstr (page->str, title));
  }
}

int
main (int argc, char **argv)
{
  if (argc == 2 && strcmp (argv[1], "--schema") == 0) {
    g_autoptr (GString) page = schema_page ();
    return fputs (page->str, stdout) < 0;
  }
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/message/kinds have sizes", test_sizes);
  g_test_add_func ("/message/one that is too long of its kind is refused", test_oversize);
  g_test_add_func ("/message/goes there and back, and no part of it does", test_there_and_back);
  g_test_add_func ("/message/has these bytes", test_bytes);
  g_test_add_func ("/message/of an unknown kind is refused", test_kinds);
  g_test_add_func ("/message/of more than the limit is refused", test_too_long);
  g_test_add_func ("/message/with text that is not UTF-8 is refused", test_not_utf8);
  g_test_add_func ("/message/with a bad list of runs is refused", test_bad_runs);
  g_test_add_func ("/message/lists runs", test_run_reports);
  g_test_add_func ("/message/is JSON on one line", test_json);
  g_test_add_func ("/message/with an event begins as all of them", test_requests);
  g_test_add_func ("/message/has a place on the page", test_markdown);
  g_test_add_func ("/message/is documented as it is", test_page);
  return g_test_run ();
}
