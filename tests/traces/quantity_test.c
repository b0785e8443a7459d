/* tests/traces/quantity_test.c — sizes, times and counts as people write them. */
#include "traces/quantity.h"

#include "engine/cluster.h"

#define KIB G_GINT64_CONSTANT (1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define TIB (1024 * GIB)
#define SECOND_US G_GINT64_CONSTANT (1000000)
#define MINUTE_US (60 * SECOND_US)
#define HOUR_US (60 * MINUTE_US)
#define DAY_US (24 * HOUR_US)
#define UNTOUCHED G_GINT64_CONSTANT (-77)

typedef struct {
  const char *text;
  gint64 value; /* UNTOUCHED: refused */
} Case;

static const Case sizes[] = {
  { "0", 0 },
  { "0B", 0 },
  { "1B", 1 },
  { "512GiB", 512 * GIB },
  { "512gib", 512 * GIB },
  { "512G", 512 * GIB },
  { "512g", 512 * GIB },
  { "3K", 3 * KIB },
  { "3KiB", 3 * KIB },
  { "2M", 2 * MIB },
  { "2TiB", 2 * TIB },
  { "2T", 2 * TIB },
  { "1PiB", 1024 * TIB },
  { "1P", 1024 * TIB },
  { "1.5TiB", 1536 * GIB },
  { "0.5KiB", 512 },
  { "1.50G", 1536 * MIB },
  { "8191PiB", 8191 * 1024 * TIB },
  { "8192PiB", UNTOUCHED },
  { "9223372036854775807B", G_MAXINT64 },
  { "9223372036854775808B", UNTOUCHED },
  { "99999999999999999999B", UNTOUCHED },
  { "0.1KiB", UNTOUCHED },
  { "1.B", UNTOUCHED },
  { ".5KiB", UNTOUCHED },
  { "512", UNTOUCHED },
  { "00", UNTOUCHED },
  { "512GB", UNTOUCHED },
  { "512 GiB", UNTOUCHED },
  { "GiB", UNTOUCHED },
  { "-1G", UNTOUCHED },
  { "+1G", UNTOUCHED },
  { "1e3K", UNTOUCHED },
  { "0x10K", UNTOUCHED },
  { "1GiBs", UNTOUCHED },
  { "unlimited", UNTOUCHED },
  { "", UNTOUCHED },
};

static const Case times[] = {
  { "90", 90 * MINUTE_US },
  { "90:00", 90 * MINUTE_US },
  { "1:30:00", 90 * MINUTE_US },
  { "1-2", 26 * HOUR_US },
  { "0:30", 30 * SECOND_US },
  { "1-0:0:1", DAY_US + SECOND_US },
  { "1-1:30", DAY_US + 90 * MINUTE_US },
  { "7-00:00:00", 7 * DAY_US },
  { "0", 0 },
  { "00:00:00", 0 },
  { "30s", 30 * SECOND_US },
  { "5m", 5 * MINUTE_US },
  { "12h", 12 * HOUR_US },
  { "1.5h", 90 * MINUTE_US },
  { "7d", 7 * DAY_US },
  { "7D", 7 * DAY_US },
  { "2w", 14 * DAY_US },
  { "0.000001s", 1 },
  { "unlimited", LK_TIME_NEVER },
  { "UNLIMITED", LK_TIME_NEVER },
  { "infinite", LK_TIME_NEVER },
  { "0.0000001s", UNTOUCHED },
  { "1:2:3:4", UNTOUCHED },
  { "1-2:3:4:5", UNTOUCHED },
  { "1-", UNTOUCHED },
  { "-1", UNTOUCHED },
  { "-1-0", UNTOUCHED },
  { "1:", UNTOUCHED },
  { ":30", UNTOUCHED },
  { "1-2-3", UNTOUCHED },
  { "1.5", UNTOUCHED },
  { "12 h", UNTOUCHED },
  { "12hours", UNTOUCHED },
  { "tomorrow", UNTOUCHED },
  { "106751991-04:00:54", 106751991 * DAY_US + 4 * HOUR_US + 54 * SECOND_US },
  { "106751991-04:00:55", UNTOUCHED },
  { "9223372036854.775806s", G_MAXINT64 - 1 },
  { "9223372036854.775807s", UNTOUCHED },
  { "9223372036854775807", UNTOUCHED },
  { "99999999999999999999", UNTOUCHED },
  { "", UNTOUCHED },
};

static const Case spans[] = {
  { "0", 0 },
  { "0:30", 30 * SECOND_US },
  { "121s", 121 * SECOND_US },
  { "1-0", DAY_US },
  { "unlimited", LK_TIME_NEVER },
  { "120", UNTOUCHED },
  { "soon", UNTOUCHED },
};

static void
check_cases (const Case *cases, gsize count, gboolean (*parse) (const char *, gint64 *))
{
  for (gsize i = 0; i < count; i++) {
    gint64 value = UNTOUCHED;
    gboolean good = parse (cases[i].text, &value);
    g_test_message ("'%s'", cases[i].text);
    g_assert_cmpint (value, ==, cases[i].value);
    g_assert_cmpint (good, ==, cases[i].value != UNTOUCHED);
  }
}

static void
test_sizes (void)
{
  check_cases (sizes, G_N_ELEMENTS (sizes), lk_quantity_bytes_parse);
}

static void
test_times (void)
{
  check_cases (times, G_N_ELEMENTS (times), lk_quantity_time_parse);
}

static void
test_spans (void)
{
  check_cases (spans, G_N_ELEMENTS (spans), lk_quantity_span_parse);
}

static void
test_counts (void)
{
  guint32 count = 77;
  g_assert_true (lk_quantity_count_parse ("0", FALSE, &count));
  g_assert_cmpuint (count, ==, 0);
  g_assert_true (lk_quantity_count_parse ("4294967294", FALSE, &count));
  g_assert_cmpuint (count, ==, G_MAXUINT32 - 1);
  g_assert_true (lk_quantity_count_parse ("Unlimited", TRUE, &count));
  g_assert_cmpuint (count, ==, LK_COUNT_UNLIMITED);
  count = 77;
  static const char *const refused[] = { "",    "4294967295", "-1",  "+1",
                                         "1.0", "1 ",         "one", "99999999999999999999" };
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    g_assert_false (lk_quantity_count_parse (refused[i], TRUE, &count));
  g_assert_false (lk_quantity_count_parse ("unlimited", FALSE, &count));
  g_assert_cmpuint (count, ==, 77);
}

/* ---------------------------------------------------------------- writing */

static const Case size_words[] = {
  { "0", 0 },
  { "1023B", 1023 },
  { "1KiB", 1024 },
  { "1536MiB", 1536 * MIB },
  { "512GiB", 512 * GIB },
  { "2TiB", 2 * TIB },
  { "4096PiB", 4096 * 1024 * TIB },
  { "9223372036854775807B", G_MAXINT64 },
};

static const Case time_words[] = {
  { "0", 0 },
  { "1s", SECOND_US },
  { "121s", 121 * SECOND_US },
  { "5m", 300 * SECOND_US },
  { "59m", 59 * MINUTE_US },
  { "01:00:00", HOUR_US },
  { "01:00:01", HOUR_US + SECOND_US },
  { "7-00:00:00", 7 * DAY_US },
  { "0.000001s", 1 },
  { "86400.5s", DAY_US + 500000 },
  { "unlimited", LK_TIME_NEVER },
  { "9223372036854.775806s", G_MAXINT64 - 1 },
};

static void
test_format (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gint64 value;
  for (gsize i = 0; i < G_N_ELEMENTS (size_words); i++) {
    lk_quantity_bytes_format (size_words[i].value, g_string_truncate (text, 0));
    g_assert_cmpstr (text->str, ==, size_words[i].text);
    g_assert_true (lk_quantity_bytes_parse (text->str, &value));
    g_assert_cmpint (value, ==, size_words[i].value);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (time_words); i++) {
    lk_quantity_time_format (time_words[i].value, g_string_truncate (text, 0));
    g_assert_cmpstr (text->str, ==, time_words[i].text);
    g_assert_true (lk_quantity_span_parse (text->str, &value));
    g_assert_cmpint (value, ==, time_words[i].value);
  }
  lk_quantity_count_format (12, g_string_truncate (text, 0));
  lk_quantity_count_format (LK_COUNT_UNLIMITED, text);
  g_assert_cmpstr (text->str, ==, "12unlimited");
}

/* Any value, not only those that look nice. */
static void
test_random (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < 20000; i++) {
    gint64 wide = (gint64)((guint64)g_rand_int (random) << 32 | g_rand_int (random)) & G_MAXINT64;
    gint64 value = wide >> g_rand_int_range (random, 0, 63);
    gint64 again;
    lk_quantity_bytes_format (value, g_string_truncate (text, 0));
    g_assert_true (lk_quantity_bytes_parse (text->str, &again));
    g_assert_cmpint (again, ==, value);
    lk_quantity_time_format (value, g_string_truncate (text, 0));
    g_assert_true (lk_quantity_time_parse (text->str, &again));
    g_assert_cmpint (again, ==, value);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/quantity/sizes have units that are powers of 1024", test_sizes);
  g_test_add_func ("/quantity/times have Slurm's forms or a unit", test_times);
  g_test_add_func ("/quantity/spans need a unit", test_spans);
  g_test_add_func ("/quantity/counts are whole numbers", test_counts);
  g_test_add_func ("/quantity/values are written as a human would and read back", test_format);
  g_test_add_func ("/quantity/any value is written so that it reads back", test_random);
  return g_test_run ();
}
