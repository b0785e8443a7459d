/* tests/traces/anonymize_test.c — that no name survives, and that pseudonyms are stable. */
#include "traces/anonymize.h"

#include <string.h>

#include "traces/record_columns.h"

static const char *const secrets[] = {
  "ada",           "Lovelace", "hopper", "physics", "chem_x", "golden", "debug7", "long",
  "my secret run", "gpu0",     "login",  "rack",    "pod-a",  "4711",   NULL,
};

static LkTraceRecord
record_new (const char *user, guint32 user_id, const char *partition)
{
  return (LkTraceRecord){
    .number = 5,
    .name = "pod-a-17",
    .submit_us = 1000000,
    .eligible_us = -1,
    .start_us = -1,
    .end_us = -1,
    .run_us = 5000000,
    .limit_us = -1,
    .procs = 4,
    .state = LK_RECORD_COMPLETED,
    .user_id = user_id,
    .group_id = 4711,
    .partition_id = 4711,
    .user = user,
    .group = "physics",
    .job_name = "my secret run",
    .node_list = "gpu[01-03],login",
    .request = { .partition = lk_text (partition),
                 .account = lk_text ("chem_x"),
                 .group = lk_text ("physics"),
                 .qos = lk_text ("golden"),
                 .node_list = lk_text ("gpu02"),
                 .exclude = lk_text ("rack[1-2]n3"),
                 .constraint = lk_text ("a100&ib"),
                 .gres = lk_text ("gpu:a100:2"),
                 .licenses = lk_text ("matlab:1") },
  };
}

static void
record_text (const LkTraceRecord *record, GString *out)
{
  for (guint i = 0; i < lk_record_column_count (); i++) {
    lk_record_cell (record, lk_record_column (i), out);
    g_string_append_c (out, ' ');
  }
}

static void
test_nothing_survives (void)
{
  static const guint8 key[] = "a key";
  const LkAnonymizeOptions cases[] = { { 0 }, { key, sizeof key - 1, 0 } };
  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_autoptr (LkAnonymizer) anonymizer = lk_anonymizer_new (&cases[c]);
    g_autoptr (GString) text = g_string_new (NULL);
    static const char *const users[] = { "ada", "Lovelace", "hopper", "ada" };
    for (guint i = 0; i < G_N_ELEMENTS (users); i++) {
      LkTraceRecord record = record_new (users[i], i % 3 + 4711, i % 2 ? "debug7,long" : "long");
      g_assert_true (lk_anonymizer_record (anonymizer, &record, NULL));
      record_text (&record, text);
    }
    for (guint i = 0; secrets[i] != NULL; i++)
      if (strstr (text->str, secrets[i]) != NULL)
        g_error ("'%s' survives in: %s", secrets[i], text->str);
    g_assert_nonnull (strstr (text->str, "a100&ib"));
    g_assert_nonnull (strstr (text->str, "gpu:a100:2"));
  }
}

static void
text_expect (LkText text, const char *expected)
{
  g_autofree char *found = g_strndup (text.bytes, text.length_bytes);
  g_assert_cmpstr (found, ==, expected);
}

static void
test_first_appearance (void)
{
  const LkAnonymizeOptions options = { 0 };
  g_autoptr (LkAnonymizer) anonymizer = lk_anonymizer_new (&options);
  LkTraceRecord a = record_new ("hopper", 900, "long");
  LkTraceRecord b = record_new ("ada", 17, "debug7,long");
  LkTraceRecord c = record_new ("hopper", 900, "long");
  c.name = "12_3";
  g_assert_true (lk_anonymizer_record (anonymizer, &a, NULL));
  g_assert_true (lk_anonymizer_record (anonymizer, &b, NULL));
  g_assert_true (lk_anonymizer_record (anonymizer, &c, NULL));
  g_assert_cmpstr (a.user, ==, "u1");
  g_assert_cmpuint (a.user_id, ==, 1);
  g_assert_cmpstr (b.user, ==, "u2");
  g_assert_cmpuint (b.user_id, ==, 2);
  g_assert_cmpstr (c.user, ==, "u1");
  g_assert_cmpuint (c.user_id, ==, 1);
  g_assert_null (a.name);
  g_assert_cmpstr (c.name, ==, "12_3");
  g_assert_cmpstr (a.job_name, ==, "j1");
  g_assert_cmpstr (a.node_list, ==, "n[1-4]");
  text_expect (a.request.node_list, "n2");
  text_expect (a.request.exclude, "n[5-6]");
  text_expect (a.request.partition, "p1");
  text_expect (b.request.partition, "p2,p1");
  text_expect (b.request.account, "a1");
  text_expect (b.request.group, "g1");
  g_assert_cmpstr (b.group, ==, "g1");
}

static void
test_key (void)
{
  static const guint8 one[] = "one";
  static const guint8 two[] = "two";
  const LkAnonymizeOptions first = { one, 3, 0 };
  const LkAnonymizeOptions second = { two, 3, 0 };
  g_autoptr (LkAnonymizer) a = lk_anonymizer_new (&first);
  g_autoptr (LkAnonymizer) b = lk_anonymizer_new (&first);
  g_autoptr (LkAnonymizer) other = lk_anonymizer_new (&second);
  lk_anonymizer_name (b, LK_ANONYMIZE_USERS, "somebody else first");
  const char *user = lk_anonymizer_name (a, LK_ANONYMIZE_USERS, "ada");
  /* echo -n uada | openssl dgst -sha256 -hmac one */
  g_assert_cmpstr (user, ==, "ufabfb458382f24f5");
  g_assert_cmpstr (user, ==, lk_anonymizer_name (b, LK_ANONYMIZE_USERS, "ada"));
  g_assert_cmpstr (user, !=, lk_anonymizer_name (other, LK_ANONYMIZE_USERS, "ada"));
  g_assert_cmpstr (user + 1, !=, lk_anonymizer_name (a, LK_ANONYMIZE_ACCOUNTS, "ada") + 1);
}

static void
test_kept (void)
{
  const LkAnonymizeOptions options = { NULL, 0,
                                       1u << LK_ANONYMIZE_PARTITIONS | 1u << LK_ANONYMIZE_NODES };
  g_autoptr (LkAnonymizer) anonymizer = lk_anonymizer_new (&options);
  LkTraceRecord record = record_new ("ada", 3, "long");
  g_assert_true (lk_anonymizer_record (anonymizer, &record, NULL));
  text_expect (record.request.partition, "long");
  g_assert_cmpuint (record.partition_id, ==, 4711);
  g_assert_cmpstr (record.node_list, ==, "gpu[01-03],login");
  g_assert_cmpstr (record.user, ==, "u1");
}

static void
test_bad_hostlist (void)
{
  const LkAnonymizeOptions options = { 0 };
  g_autoptr (LkAnonymizer) anonymizer = lk_anonymizer_new (&options);
  LkTraceRecord record = record_new ("ada", 3, "long");
  record.node_list = "gpu[1-";
  g_assert_true (lk_anonymizer_record (anonymizer, &record, NULL));
  g_assert_cmpstr (record.node_list, ==, "");
}

static void
test_swf (void)
{
  const LkAnonymizeOptions options = { 0 };
  g_autoptr (LkAnonymizer) anonymizer = lk_anonymizer_new (&options);
  LkSwfJob a = { .user_id = 700,
                 .group_id = -1,
                 .application_id = 55,
                 .queue_id = 0,
                 .partition_id = 9,
                 .number = 8,
                 .procs = 3 };
  LkSwfJob b = { .user_id = G_GINT64_CONSTANT (700) << 32,
                 .group_id = 4,
                 .application_id = 55,
                 .queue_id = 6,
                 .partition_id = 7 };
  g_assert_true (lk_anonymizer_swf (anonymizer, &a, NULL));
  g_assert_true (lk_anonymizer_swf (anonymizer, &b, NULL));
  g_assert_cmpint (a.user_id, ==, 1);
  g_assert_cmpint (a.group_id, ==, -1);
  g_assert_cmpint (a.application_id, ==, 1);
  g_assert_cmpint (a.queue_id, ==, 0);
  g_assert_cmpint (a.partition_id, ==, 1);
  g_assert_cmpint (a.number, ==, 8);
  g_assert_cmpint (a.procs, ==, 3);
  g_assert_cmpint (b.user_id, ==, 2);
  g_assert_cmpint (b.group_id, ==, 1);
  g_assert_cmpint (b.application_id, ==, 1);
  g_assert_cmpint (b.queue_id, ==, 1);
  g_assert_cmpint (b.partition_id, ==, 2);
}

/* Of 200,000 names two get one number of 31 bits nearly always: 2e10 pairs, 2e9 numbers. */
static void
test_meeting_numbers (void)
{
  static const guint8 key[] = "k";
  const LkAnonymizeOptions options = { key, 1, 0 };
  g_autoptr (LkAnonymizer) anonymizer = lk_anonymizer_new (&options);
  g_autoptr (GError) error = NULL;
  LkSwfJob job = { .group_id = -1, .application_id = -1, .partition_id = -1 };
  guint i = 1;
  do
    job.user_id = i++;
  while (i < 200000 && lk_anonymizer_swf (anonymizer, &job, &error));
  g_assert_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX);
  g_assert_cmpuint (i, >, 1000);
}

static void
test_comments (void)
{
  const struct {
    const char *comment;
    const char *kept;
  } cases[] = {
    { " MaxProcs: 100", "MaxProcs: 100" },
    { "maxnodes:\t128 (of Ada's)", "MaxNodes: 128" },
    { " UnixStartTime: 844072681", "UnixStartTime: 844072681" },
    { " TimeZoneString: Europe/Stockholm", "TimeZoneString: Europe/Stockholm" },
    { " Version: 2.2", "Version: 2.2" },
    { " Version: Ada's own", NULL },
    { " Installation: KTH", NULL },
    { " Acknowledge: Lars Malinowsky", NULL },
    { " Queue: 1 physics", NULL },
    { " Note: Ada", NULL },
    { " MaxProcs", NULL },
    { "", NULL },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *kept = lk_anonymize_comment (cases[i].comment);
    g_assert_cmpstr (kept, ==, cases[i].kept);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/traces/anonymize/lets no name through", test_nothing_survives);
  g_test_add_func ("/traces/anonymize/counts names by first appearance", test_first_appearance);
  g_test_add_func ("/traces/anonymize/agrees between logs of one key", test_key);
  g_test_add_func ("/traces/anonymize/keeps the kinds it is told to", test_kept);
  g_test_add_func ("/traces/anonymize/drops what is no hostlist", test_bad_hostlist);
  g_test_add_func ("/traces/anonymize/renumbers a line of SWF", test_swf);
  g_test_add_func ("/traces/anonymize/tells when two numbers of a key meet", test_meeting_numbers);
  g_test_add_func ("/traces/anonymize/keeps numbers of a header and no words", test_comments);
  return g_test_run ();
}
