/* tests/traces/swf_test.c — the reader and writer of the Standard Workload Format: values, both
 * ways of parsing against each other, every error's text, the bundled log. */
#include "traces/swf.h"

#include <string.h>

#define US 1000000

/* One good line with field `field_number` replaced; 0 replaces none. Returns: (transfer full). */
static char *
line_with (guint field_number, const char *text)
{
  static const char *good[] = { "7",    "100", "5", "60", "4",  "50", "1024", "8",  "3600",
                                "2048", "1",   "3", "2",  "-1", "0",  "1",    "-1", "-1" };
  GString *line = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    g_string_append_printf (line, "%s%s", i ? " " : "", i + 1 == field_number ? text : good[i]);
  g_string_append_c (line, '\n');
  return g_string_free (line, FALSE);
}

static void
expect_same (const LkSwfJob *job, const LkSwfJob *expected)
{
  const gint64 *values = (const gint64 *)job;
  const gint64 *expected_values = (const gint64 *)expected;
  for (guint i = 0; i < sizeof *job / sizeof *values; i++)
    if (values[i] != expected_values[i])
      g_error ("field %u is %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT, i + 1, values[i],
               expected_values[i]);
}

/* Reads all; returns the last job's count or -1 with the error. */
static int
text_read (const char *text, LkSwfFlags flags, LkSwfJob *out_last, GError **error)
{
  g_autoptr (LkSwfReader) reader =
      lk_swf_reader_new_from_bytes ("x.swf", (const guint8 *)text, strlen (text), flags, error);
  if (!reader)
    return -1;
  int count = 0;
  int got;
  while ((got = lk_swf_reader_next (reader, out_last, error)) == 1)
    count++;
  return got < 0 ? -1 : count;
}

static void
expect_error (const char *text, LkSwfFlags flags, const char *message)
{
  g_autoptr (GError) error = NULL;
  LkSwfJob job;
  g_assert_cmpint (text_read (text, flags, &job, &error), ==, -1);
  g_assert_nonnull (error);
  g_assert_cmpstr (error->message, ==, message);
}

static LkSwfJob
expect_job (const char *text, LkSwfFlags flags)
{
  g_autoptr (GError) error = NULL;
  LkSwfJob job = { 0 };
  int count = text_read (text, flags, &job, &error);
  g_assert_no_error (error);
  g_assert_cmpint (count, ==, 1);
  return job;
}

static void
test_values (void)
{
  g_autofree char *line = line_with (0, NULL);
  LkSwfJob job = expect_job (line, LK_SWF_STRICT);
  LkSwfJob expected = {
    .number = 7,
    .submit_us = 100 * US,
    .wait_us = 5 * US,
    .run_us = 60 * US,
    .procs_used = 4,
    .cpu_us = 50 * US,
    .memory_kib = 1024,
    .procs = 8,
    .estimate_us = G_GINT64_CONSTANT (3600) * US,
    .memory_requested_kib = 2048,
    .status = 1,
    .user_id = 3,
    .group_id = 2,
    .application_id = -1,
    .queue_id = 0,
    .partition_id = 1,
    .preceding_number = -1,
    .think_us = -US,
  };
  expect_same (&job, &expected);
}

/* Every digit count, sign and neighbourhood that the word-at-a-time parser treats apart. */
static void
test_numbers (void)
{
  const struct {
    const char *text;
    gint64 value;
  } cases[] = {
    { "0", 0 },
    { "9", 9 },
    { "-1", -1 },
    { "-0", 0 },
    { "00012", 12 },
    { "1234567", 1234567 },
    { "12345678", 12345678 },
    { "-12345678", -12345678 },
    { "123456789", 123456789 },
    { "1234567890123456", G_GINT64_CONSTANT (1234567890123456) },
    { "-1234567890123456", G_GINT64_CONSTANT (-1234567890123456) },
    { "12345678901234567", G_GINT64_CONSTANT (12345678901234567) },
    { "9223372036854775807", G_MAXINT64 },
    { "-9223372036854775808", G_MININT64 },
    { "5.000", 5 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *line = line_with (12, cases[i].text);
    LkSwfJob job = expect_job (line, LK_SWF_STRICT);
    g_assert_cmpint (job.user_id, ==, cases[i].value);
  }
}

static void
test_fractions (void)
{
  const struct {
    guint field_number;
    const char *text;
    gint64 value; /* of the member, as the struct has it */
  } cases[] = {
    { 2, "1.5", 1500000 },      { 3, "0.000001", 1 },   { 4, "2.9999999", 2999999 },
    { 4, "-0.5", -500000 },     { 4, ".25", 250000 },   { 4, "3.", 3000000 },
    { 6, "552.21", 552210000 }, { 9, "9.0", 9000000 },  { 7, "10.75", 10 },
    { 10, "-1.5", -1 },         { 18, "2.5", 2500000 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *line = line_with (cases[i].field_number, cases[i].text);
    LkSwfJob job = expect_job (line, LK_SWF_STRICT);
    g_assert_cmpint (((const gint64 *)&job)[cases[i].field_number - 1], ==, cases[i].value);
  }
}

/* The same random numbers, laid out so that the fast way takes them and so that it does not. */
static void
test_ways_agree (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (20240229);
  for (guint round = 0; round < 4000; round++) {
    g_autoptr (GString) fast = g_string_new (NULL);
    g_autoptr (GString) exact = g_string_new (NULL);
    for (guint i = 0; i < 18; i++) {
      guint64 magnitude = ((guint64)g_rand_int (random) << 32 | g_rand_int (random))
                          >> g_rand_int_range (random, 24, 64);
      gboolean is_minus_one = i > 0 && g_rand_int_range (random, 0, 4) == 0;
      gint64 value = is_minus_one ? -1 : (gint64)magnitude;
      guint pad = (guint)g_rand_int_range (random, 1, 7);
      for (guint k = 0; k < pad; k++)
        g_string_append_c (fast, k % 3 == 2 ? '\t' : ' ');
      g_string_append_printf (fast, "%" G_GINT64_FORMAT, value);
      /* A point with nothing behind it is a number that only the exact way reads. */
      g_string_append_printf (exact, "%s%" G_GINT64_FORMAT ".", i ? " " : "", value);
    }
    g_string_append (fast, round % 2 ? "\r\n" : "\n");
    LkSwfJob a = expect_job (fast->str, LK_SWF_STRICT);
    LkSwfJob b = expect_job (exact->str, LK_SWF_STRICT);
    expect_same (&a, &b);
  }
}

static void
test_layout (void)
{
  g_autofree char *line = line_with (0, NULL);
  g_autofree char *bare = g_strchomp (g_strdup (line));
  g_autofree char *crlf = g_strdup_printf ("; MaxProcs: 8\r\n%s\r\n\r\n", bare);
  g_autofree char *blank = g_strdup_printf ("\n  \n\xef\xbb\xbf;x\n\t%s  \t\n\n", bare);
  g_autofree char *mark = g_strdup_printf ("\xef\xbb\xbf%s", bare);
  LkSwfJob expected = expect_job (line, LK_SWF_STRICT);
  const char *texts[] = { bare, crlf, mark };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    LkSwfJob job = expect_job (texts[i], LK_SWF_STRICT);
    expect_same (&job, &expected);
  }
  /* The mark counts at the very beginning only. */
  LkSwfJob job;
  g_autoptr (GError) error = NULL;
  g_assert_cmpint (text_read (blank, LK_SWF_STRICT, &job, &error), ==, -1);
}

static void
test_header (void)
{
  static const char text[] = "; Version: 2.2\n"
                             ";Computer:  IBM SP2 \n"
                             "  ; maxprocs: 100 (of 128)\n"
                             "; MaxNodes: -1\n"
                             "; Note: MaxNodes: 5\n"
                             ";\n"
                             "; UnixStartTime: 0\n"
                             "1 0 0 1 1 -1 -1 1 1 -1 1 1 1 -1 1 1 -1 -1\n"
                             "; MaxNodes: 64\n"
                             "; MaxProcs: 200\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSwfReader) reader = lk_swf_reader_new_from_bytes (
      "x", (const guint8 *)text, strlen (text), LK_SWF_STRICT, &error);
  g_assert_no_error (error);
  const LkSwfHeader *header = lk_swf_reader_header (reader);
  g_assert_cmpstr (header->version, ==, "2.2");
  g_assert_cmpstr (header->computer, ==, "IBM SP2");
  g_assert_null (header->acknowledge);
  g_assert_cmpint (header->max_procs, ==, 100);
  g_assert_cmpint (header->max_nodes, ==, -1);
  g_assert_cmpint (header->max_jobs, ==, -1);
  g_assert_cmpint (header->unix_start_s, ==, 0);
  LkSwfJob job;
  g_assert_cmpint (lk_swf_reader_next (reader, &job, &error), ==, 1);
  g_assert_cmpint (lk_swf_reader_next (reader, &job, &error), ==, 0);
  g_assert_cmpint (header->max_nodes, ==, 64);
  g_assert_cmpint (header->max_procs, ==, 100);
  g_assert_cmpuint (lk_swf_reader_comments (reader)->len, ==, 9);
  LkSwfCounts counts;
  lk_swf_reader_counts (reader, &counts);
  g_assert_cmpuint (counts.line_count, ==, 10);
  g_assert_cmpuint (counts.job_count, ==, 1);
}

static void
test_field_errors (void)
{
  const struct {
    guint field_number;
    const char *text;
    const char *message;
  } cases[] = {
    { 8, "abc",
      "trace 'x.swf' line 1: field 8 (requested processors) is 'abc'; expected an integer >= 1, or "
      "-1 for unknown" },
    { 1, "-1", "trace 'x.swf' line 1: field 1 (job number) is '-1'; expected an integer >= 0" },
    { 2, "1e3",
      "trace 'x.swf' line 1: field 2 (submit time) is '1e3'; expected seconds >= 0, or -1 for "
      "unknown" },
    { 2, "9223372036854775808",
      "trace 'x.swf' line 1: field 2 (submit time) is '9223372036854775808', which does not fit 64 "
      "bits; expected seconds >= 0, or -1 for unknown" },
    { 2, "9223372036855",
      "trace 'x.swf' line 1: field 2 (submit time) is '9223372036855', whose microseconds do not "
      "fit 64 bits; expected seconds >= 0, or -1 for unknown" },
    { 4, "-7",
      "trace 'x.swf' line 1: field 4 (run time) is '-7' (--lenient lets it pass); expected seconds "
      ">= 0, or -1 for unknown" },
    { 8, "-2",
      "trace 'x.swf' line 1: field 8 (requested processors) is '-2' (--lenient lets it pass); "
      "expected an integer >= 1, or -1 for unknown" },
    { 5, "1.5",
      "trace 'x.swf' line 1: field 5 (allocated processors) is '1.5'; expected an integer >= 1, or "
      "-1 for unknown" },
    { 12, "-",
      "trace 'x.swf' line 1: field 12 (user) is '-'; expected an integer, or -1 for unknown" },
    { 12, ".",
      "trace 'x.swf' line 1: field 12 (user) is '.'; expected an integer, or -1 for unknown" },
    { 12, "+1",
      "trace 'x.swf' line 1: field 12 (user) is '+1'; expected an integer, or -1 for unknown" },
    { 12, "1-2",
      "trace 'x.swf' line 1: field 12 (user) is '1-2'; expected an integer, or -1 for unknown" },
    { 12, "\xc3\xa5",
      "trace 'x.swf' line 1: field 12 (user) is '?\?'; expected an integer, or -1 for unknown" },
    { 18, "x23456789012345678901234567890123456789012345",
      "trace 'x.swf' line 1: field 18 (think time) is 'x234567890123456789012345678901234567890...'"
      "; expected seconds >= 0, or -1 for unknown" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *line = line_with (cases[i].field_number, cases[i].text);
    expect_error (line, LK_SWF_STRICT, cases[i].message);
  }
}

/* Each field with a least value is checked on both ways of parsing, and passes when lenient. */
static void
test_least_values (void)
{
  const guint field_numbers[] = { 2, 3, 4, 5, 8, 9 };
  const char *low[] = { "-2", "-2.0" };
  for (guint i = 0; i < G_N_ELEMENTS (field_numbers); i++)
    for (guint k = 0; k < G_N_ELEMENTS (low); k++) {
      g_autoptr (GError) error = NULL;
      g_autofree char *line = line_with (field_numbers[i], low[k]);
      g_autofree char *start =
          g_strdup_printf ("trace 'x.swf' line 1: field %u (", field_numbers[i]);
      LkSwfJob job;
      g_assert_cmpint (text_read (line, LK_SWF_STRICT, &job, &error), ==, -1);
      g_assert_true (g_str_has_prefix (error->message, start));
      job = expect_job (line, LK_SWF_LENIENT);
      g_assert_cmpint (((const gint64 *)&job)[field_numbers[i] - 1], <, -1);
    }
}

static void
test_field_count (void)
{
  g_autofree char *line = line_with (0, NULL);
  g_autofree char *more = g_strdup_printf ("; a\n%.*s 19\n", (int)strlen (line) - 1, line);
  g_autofree char *fewer = line_with (18, "");
  g_autoptr (GString) many = g_string_new_len (line, (gssize)strlen (line) - 1);
  for (guint i = 19; i <= 64; i++)
    g_string_append (many, " {node,node}");
  expect_error (more, LK_SWF_STRICT,
                "trace 'x.swf' line 2: 19 fields; expected 18 (--lenient ignores the fields behind "
                "them)");
  expect_error (fewer, LK_SWF_STRICT,
                "trace 'x.swf' line 1: 17 fields; expected 18, field think time is missing");
  expect_error ("5\n", LK_SWF_LENIENT,
                "trace 'x.swf' line 1: 1 field; expected 18, field submit time is missing");
  LkSwfJob expected = expect_job (line, LK_SWF_STRICT);
  LkSwfJob job = expect_job (many->str, LK_SWF_LENIENT);
  expect_same (&job, &expected);
  g_string_append (many, " 65");
  expect_error (many->str, LK_SWF_LENIENT,
                "trace 'x.swf' line 1: more than 64 fields; expected 18 to 64");
}

static void
test_lenient (void)
{
  static const char text[] = "1 0 0 -5 1 -1 -1 1 1 -1 1 1 1 -1 1 1 -1 -1\n"
                             "2 0 0 5 -3 -1 -1 1 1 -1 1 1 1 -1 1 1 -1 -1 x y\n"
                             "3 0 0 5 1 -1 -1 1 1 -1 1 1 1 -1 1 1 -1 -1 \xc3\xa5\n"
                             "4 0 0 5 1 -1 -1 1 1 -1 1 1 1 -1 1 1 -1 -1\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSwfReader) reader = lk_swf_reader_new_from_bytes (
      "x", (const guint8 *)text, strlen (text), LK_SWF_LENIENT, &error);
  g_assert_no_error (error);
  LkSwfJob job;
  g_assert_cmpint (lk_swf_reader_next (reader, &job, &error), ==, 1);
  g_assert_cmpint (job.run_us, ==, -5 * US);
  while (lk_swf_reader_next (reader, &job, &error) == 1)
    continue;
  g_assert_no_error (error);
  LkSwfCounts counts;
  lk_swf_reader_counts (reader, &counts);
  g_assert_cmpuint (counts.job_count, ==, 4);
  g_assert_cmpuint (counts.negative_time_count, ==, 2);
  g_assert_cmpuint (counts.extra_field_count, ==, 2);
}

static void
test_not_a_log (void)
{
  static const char rubbish[] = "\x7f"
                                "ELF\x02\x01\x01 \x00\x00\n";
  g_autoptr (GError) error = NULL;
  LkSwfJob job;
  g_autoptr (LkSwfReader) reader = lk_swf_reader_new_from_bytes (
      "x.swf", (const guint8 *)rubbish, sizeof rubbish - 1, LK_SWF_STRICT, &error);
  g_assert_no_error (error);
  g_assert_cmpint (lk_swf_reader_next (reader, &job, &error), ==, -1);
  g_assert_cmpstr (error->message, ==,
                   "trace 'x.swf' line 1: holds bytes that are not text; this does not look like a "
                   "Standard Workload Format log");
  expect_error ("; only\n\n; comments\n", LK_SWF_STRICT,
                "trace 'x.swf' has no jobs: only comments and blank lines in its 3 lines");
}

/* The number of the line that is wrong stays right across refills of the buffer. */
static void
test_line_number (void)
{
  g_autofree char *line = line_with (0, NULL);
  g_autoptr (GString) text = g_string_new ("; MaxProcs: 8\n");
  for (guint i = 0; i < 30000; i++)
    g_string_append (text, line);
  g_string_append (text, "1 2 x\n");
  expect_error (text->str, LK_SWF_STRICT,
                "trace 'x.swf' line 30002: field 3 (wait time) is 'x'; expected seconds >= 0, or "
                "-1 for unknown");
}

static void
test_format (void)
{
  LkSwfJob job = {
    .number = 15,
    .submit_us = G_GINT64_CONSTANT (599850) * US,
    .wait_us = -US,
    .run_us = 250000,
    .procs_used = G_MAXINT64,
    .cpu_us = G_MININT64,
    .memory_kib = -1,
    .procs = 4,
    .estimate_us = 1,
    .memory_requested_kib = G_MININT64,
    .status = 1,
    .user_id = 12,
    .group_id = 12,
    .application_id = -1,
    .queue_id = -1,
    .partition_id = -1,
    .preceding_number = -1,
    .think_us = -1500000,
  };
  g_autoptr (GString) line = g_string_new (NULL);
  lk_swf_job_format (&job, line);
  g_assert_cmpstr (line->str, ==,
                   "   15   599850     -1   0.25 9223372036854775807 -9223372036854.775808    -1"
                   "    4 0.000001 -9223372036854775808  1  12  12  -1 -1 -1 -1 -1.5\n");
  LkSwfJob again = expect_job (line->str, LK_SWF_STRICT);
  expect_same (&again, &job);
}

static void
test_header_format (void)
{
  g_autoptr (GPtrArray) comments = g_ptr_array_new ();
  g_ptr_array_add (comments, (void *)" MaxJobs: 9");
  g_ptr_array_add (comments, (void *)" StartTime: Mon Sep 23 14:00:31 CEST 1996");
  g_ptr_array_add (comments, (void *)" UnixStartTime: 843480031");
  g_ptr_array_add (comments, (void *)" Note: MaxJobs: kept");
  g_autoptr (GString) same = g_string_new (NULL);
  lk_swf_header_format (comments, &(LkSwfHeaderChange){ -1, FALSE }, NULL, same);
  g_assert_cmpstr (same->str, ==,
                   "; MaxJobs: 9\n; StartTime: Mon Sep 23 14:00:31 CEST 1996\n"
                   "; UnixStartTime: 843480031\n; Note: MaxJobs: kept\n");
  g_autoptr (GString) changed = g_string_new (NULL);
  lk_swf_header_format (comments, &(LkSwfHeaderChange){ 5, TRUE }, "cut", changed);
  g_assert_cmpstr (changed->str, ==, "; UnixStartTime: 5\n; Note: MaxJobs: kept\n; Note: cut\n");
}

/* Counts and sums as an independent tool (awk) has them. */
static void
test_bundled_log (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSwfReader) reader = lk_swf_reader_new (
      LK_SOURCE_DIR "/traces/data/KTH-SP2-1996-2.1-cln.swf.gz", LK_SWF_STRICT, &error);
  g_assert_no_error (error);
  gint64 submit_s = 0;
  gint64 run_s = 0;
  gint64 estimate_s = 0;
  gint64 users = 0;
  LkSwfJob job;
  while (lk_swf_reader_next (reader, &job, &error) == 1) {
    submit_s += job.submit_us / US;
    run_s += job.run_us / US;
    estimate_s += job.estimate_us / US;
    users += job.user_id;
  }
  g_assert_no_error (error);
  LkSwfCounts counts;
  lk_swf_reader_counts (reader, &counts);
  g_assert_cmpuint (counts.job_count, ==, 28476);
  g_assert_cmpuint (counts.bytes_read, ==, 387737);
  g_assert_cmpuint (counts.bytes_total, ==, 387737);
  g_assert_cmpint (submit_s, ==, G_GINT64_CONSTANT (432934284431));
  g_assert_cmpint (run_s, ==, G_GINT64_CONSTANT (252634875));
  g_assert_cmpint (estimate_s, ==, G_GINT64_CONSTANT (389065380));
  g_assert_cmpint (users, ==, G_GINT64_CONSTANT (2144877));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/swf/reader takes every field of a line", test_values);
  g_test_add_func ("/swf/reader takes numbers of every length", test_numbers);
  g_test_add_func ("/swf/reader keeps microseconds of times and drops fractions of averages",
                   test_fractions);
  g_test_add_func ("/swf/reader's fast and exact ways agree", test_ways_agree);
  g_test_add_func ("/swf/reader takes CRLF, blanks, tabs and a byte order mark", test_layout);
  g_test_add_func ("/swf/reader takes header comments, the first value of each", test_header);
  g_test_add_func ("/swf/reader names line, field, value and expectation", test_field_errors);
  g_test_add_func ("/swf/reader rejects times and processors below -1 unless lenient",
                   test_least_values);
  g_test_add_func ("/swf/reader rejects a line with 17 fields, and with 19 unless lenient",
                   test_field_count);
  g_test_add_func ("/swf/lenient reader counts what it lets pass", test_lenient);
  g_test_add_func ("/swf/reader rejects binary rubbish and a log without jobs", test_not_a_log);
  g_test_add_func ("/swf/reader counts lines across refills", test_line_number);
  g_test_add_func ("/swf/a written line reads back to the same job", test_format);
  g_test_add_func ("/swf/header comments are kept and changed", test_header_format);
  g_test_add_func ("/swf/the bundled log has its published counts", test_bundled_log);
  return g_test_run ();
}
