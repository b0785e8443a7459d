/* tests/sim/page/page_test.c — the parts of a page that have no look: round ticks, sums over bins,
 * places of jobs, percentiles. */
#include <math.h>
#include <string.h>

#include "sim/duration.h"
#include "sim/page/page_classes.h"
#include "sim/page/page_clock.h"
#include "sim/page/page_grid.h"
#include "sim/page/page_place.h"
#include "sim/page/page_plot.h"
#include "sim/page/page_series.h"

#define SECOND ((gint64)G_USEC_PER_SEC)
#define DAY (86400 * SECOND)

/* ---------------------------------------------------------------- clock */

static char *
tick_texts (GArray *ticks)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < ticks->len; i++)
    g_string_append_printf (out, "%s%s", i > 0 ? "|" : "",
                            g_array_index (ticks, LkPageTick, i).text);
  g_array_unref (ticks);
  return g_string_free (out, FALSE);
}

static gint64
utc (int year, int month, int day, int hour, int minute)
{
  g_autoptr (GDateTime) date = g_date_time_new_utc (year, month, day, hour, minute, 0);
  return g_date_time_to_unix (date) * SECOND;
}

static void
test_ticks_are_round_in_the_zone (void)
{
  LkPageClock clock = { 0 };
  g_assert_true (lk_page_clock_set_zone (&clock, "Europe/Stockholm", NULL));
  /* Clocks go from 2:00 to 3:00 that night: 6:00 is four hours after midnight's two. */
  g_autofree char *spring = tick_texts (
      lk_page_clock_ticks (&clock, utc (2021, 3, 27, 20, 30), utc (2021, 3, 28, 20, 0), 9));
  g_assert_cmpstr (spring, ==, "28 Mar|03:00|06:00|09:00|12:00|15:00|18:00|21:00");
  GArray *ticks =
      lk_page_clock_ticks (&clock, utc (2021, 3, 27, 20, 30), utc (2021, 3, 28, 20, 0), 9);
  g_assert_cmpint ((gint64)g_array_index (ticks, LkPageTick, 2).at, ==, utc (2021, 3, 28, 4, 0));
  g_array_unref (ticks);
  g_autofree char *weeks =
      tick_texts (lk_page_clock_ticks (&clock, utc (2021, 3, 1, 0, 0), utc (2021, 4, 5, 0, 0), 7));
  g_assert_cmpstr (weeks, ==, "8 Mar|15 Mar|22 Mar|29 Mar|5 Apr");
  g_autofree char *months =
      tick_texts (lk_page_clock_ticks (&clock, utc (1996, 8, 31, 0, 0), utc (1997, 8, 1, 0, 0), 7));
  g_assert_cmpstr (months, ==, "Sep|Nov|1997|Mar|May|Jul");
  lk_page_clock_clear (&clock);
}

static void
test_ticks_without_dates_count_from_the_beginning (void)
{
  LkPageClock clock = { 0 };
  g_autofree char *days = tick_texts (lk_page_clock_ticks (&clock, 0, 12 * DAY, 8));
  g_autofree char *hours = tick_texts (lk_page_clock_ticks (&clock, 0, DAY, 5));
  g_assert_cmpstr (days, ==, "0 d|2 d|4 d|6 d|8 d|10 d|12 d");
  g_assert_cmpstr (hours, ==, "0 h|6 h|12 h|18 h|24 h");
}

static void
test_a_zone_tells_when_its_offset_changes (void)
{
  LkPageClock clock = { .begin_us = utc (2021, 3, 27, 0, 0), .end_us = utc (2021, 3, 29, 0, 0) };
  g_assert_true (lk_page_clock_set_zone (&clock, "Europe/Stockholm", NULL));
  g_autoptr (GArray) offsets = lk_page_clock_offsets (&clock);
  g_assert_cmpuint (offsets->len, ==, 4);
  g_assert_cmpint (g_array_index (offsets, gint64, 1), ==, 3600);
  g_assert_cmpint (g_array_index (offsets, gint64, 2), ==, utc (2021, 3, 28, 1, 0) / SECOND);
  g_assert_cmpint (g_array_index (offsets, gint64, 3), ==, 7200);
  g_autofree char *text = lk_page_clock_moment (&clock, utc (2021, 3, 28, 1, 30));
  g_assert_cmpstr (text, ==, "2021-03-28 03:30:00");
  g_autoptr (GError) error = NULL;
  g_assert_false (lk_page_clock_set_zone (&clock, "Mars/Olympus", &error));
  g_assert_nonnull (strstr (error->message, "Mars/Olympus"));
  lk_page_clock_clear (&clock);
}

static void
test_durations_and_numbers_are_short (void)
{
  static const struct {
    gint64 duration_us;
    const char *text;
  } cases[] = { { 0, "0 s" },
                { 1500000, "1.5 s" },
                { 60 * SECOND, "1 min" },
                { 125 * SECOND, "2 min 5 s" },
                { 3600 * SECOND, "1 h" },
                { 4 * DAY + 6 * 3600 * SECOND, "4 d 6 h" } };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = lk_duration_text (cases[i].duration_us);
    g_assert_cmpstr (text, ==, cases[i].text);
  }
  g_autofree char *less = lk_duration_text (-125 * SECOND);
  g_assert_cmpstr (less, ==, "-2 min 5 s");
  g_autofree char *ticks = tick_texts (lk_page_value_ticks (12, 5));
  g_assert_cmpstr (ticks, ==, "0|5|10|15"); /* not 2.5, 7.5 */
  g_autofree char *small = tick_texts (lk_page_value_ticks (1, 5));
  g_autofree char *large = tick_texts (lk_page_value_ticks (38.8, 5));
  g_autofree char *hundred = tick_texts (lk_page_value_ticks (100, 5));
  g_assert_cmpstr (small, ==, "0|0.2|0.4|0.6|0.8|1");
  g_assert_cmpstr (large, ==, "0|10|20|30|40");
  g_assert_cmpstr (hundred, ==, "0|20|40|60|80|100");
}

static void
check_cell (char *text, const char *expected)
{
  g_assert_cmpstr (text, ==, expected);
  g_free (text);
}

static void
test_cells_are_for_people_or_plain_seconds (void)
{
  check_cell (lk_duration_cell (6780.04, 1), "1 h 53 min");
  check_cell (lk_duration_cell (22.46, 1), "22.5 s");
  check_cell (lk_duration_cell ((double)NAN, 1), "-");
  check_cell (lk_duration_change (481.9, 1), "+8 min 1 s");
  check_cell (lk_duration_change (-481.9, 1), "-8 min 1 s");
  check_cell (lk_duration_label ("mean wait"), "mean wait");
  check_cell (lk_duration_column ("p95_wait_s"), "p95_wait");
  check_cell (lk_duration_column ("utilization"), "utilization");
  *lk_duration_flag () = TRUE;
  check_cell (lk_duration_cell (6780.04, 1), "6780.0");
  check_cell (lk_duration_change (481.9, 1), "+481.9");
  check_cell (lk_duration_label ("mean wait"), "mean wait, s");
  check_cell (lk_duration_column ("p95_wait_s"), "p95_wait_s");
  g_assert_true (lk_duration_check (FALSE, NULL));
  g_assert_false (lk_duration_check (TRUE, NULL));
  *lk_duration_flag () = FALSE;
  g_assert_true (lk_duration_check (TRUE, NULL));
}

/* ---------------------------------------------------------------- sums */

static void
test_sums_are_means_over_each_bin (void)
{
  LkPageBins bins = { 0, 10, 4 };
  LkPageSum sum;
  lk_page_sum_init (&sum, &bins);
  lk_page_sum_add (&sum, 5, 25, 2);   /* half, whole, half */
  lk_page_sum_add (&sum, 12, 14, 10); /* within one */
  lk_page_sum_add (&sum, -50, 500, 1);
  g_autofree double *means = lk_page_sum_finish (&sum);
  g_assert_cmpfloat_with_epsilon (means[0], 2, 1e-9);
  g_assert_cmpfloat_with_epsilon (means[1], 5, 1e-9);
  g_assert_cmpfloat_with_epsilon (means[2], 2, 1e-9);
  g_assert_cmpfloat_with_epsilon (means[3], 1, 1e-9);
}

static void
test_bins_are_round_and_cover_all (void)
{
  LkPageBins bins = lk_page_bins (-3 * SECOND, 3 * 3600 * SECOND, 100);
  g_assert_cmpint (bins.width_us, ==, 120 * SECOND);
  g_assert_cmpint (bins.begin_us, ==, -120 * SECOND);
  g_assert_cmpuint (bins.count, <=, 100);
  g_assert_cmpint (bins.begin_us + bins.width_us * bins.count, >, 3 * 3600 * SECOND);
}

/* ---------------------------------------------------------------- jobs */

typedef struct {
  gint64 submit_s, start_s, end_s;
  guint32 procs;
} Case;

static LkPageRun *
run_of (const Case *cases, guint count)
{
  LkPageRun *run = lk_page_run_new ("test");
  for (guint i = 0; i < count; i++) {
    LkPageJob job = { .number = i + 1,
                      .id = LK_PAGE_NONE,
                      .title = LK_PAGE_NONE,
                      .state = LK_PAGE_NONE,
                      .procs = cases[i].procs,
                      .submit_us = cases[i].submit_s * SECOND,
                      .start_us = cases[i].start_s * SECOND,
                      .end_us = cases[i].end_s * SECOND,
                      .limit_us = LK_TIME_NEVER };
    for (guint k = 0; k < LK_PAGE_FIELD_COUNT; k++)
      job.fields[k] = LK_PAGE_NONE;
    g_array_append_val (run->jobs, job);
  }
  return run;
}

static char *
places_text (const LkPageRun *run, guint index)
{
  GString *out = g_string_new (NULL);
  const LkPageJob *job = lk_page_run_job (run, index);
  for (guint32 i = 0; i < job->place_count; i++) {
    const LkPagePlace *place = &g_array_index (run->places, LkPagePlace, job->place_first + i);
    g_string_append_printf (out, "%s%u+%u", i > 0 ? " " : "", place->first, place->count);
  }
  return g_string_free (out, FALSE);
}

static void
test_a_pool_gives_the_lowest_free_processors (void)
{
  static const Case cases[] = {
    { 0, 0, 10, 2 }, { 0, 0, 20, 2 }, { 0, 0, 10, 2 }, { 5, 10, 30, 5 }, { 6, 20, 30, 1 }
  };
  g_autoptr (LkPageRun) run = run_of (cases, G_N_ELEMENTS (cases));
  lk_page_run_settle (run);
  static const char *const expected[] = { "0+2", "2+2", "4+2", "0+2 4+3", "2+1" };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = places_text (run, i);
    g_assert_cmpstr (text, ==, expected[i]);
  }
  g_assert_cmpuint (run->row_count, ==, 7);
  g_assert_cmpint (run->begin_us, ==, 0);
  g_assert_cmpint (run->end_us, ==, 30 * SECOND);
}

static void
test_nodes_are_in_the_order_in_which_people_count (void)
{
  static const Case cases[] = { { 0, 0, 10, 1 }, { 0, 0, 10, 3 } };
  const char *wrong = NULL;
  LkPagePlacer placer;
  g_autoptr (LkPageRun) run = run_of (cases, G_N_ELEMENTS (cases));
  lk_page_placer_init (&placer);
  LkPageJob *jobs = (LkPageJob *)(void *)run->jobs->data;
  g_assert_true (lk_page_placer_add (&placer, &jobs[0], "n10", &wrong));
  g_assert_true (lk_page_placer_add (&placer, &jobs[1], "n[10,2-3],m1", &wrong));
  g_assert_false (lk_page_placer_add (&placer, &jobs[0], "n[2-", &wrong));
  g_assert_nonnull (wrong);
  g_assert_true (lk_page_placer_add (&placer, &jobs[0], "n10", &wrong));
  lk_page_placer_finish (&placer, run);
  lk_page_placer_clear (&placer);
  static const char *const expected[] = { "m1", "n2", "n3", "n10" };
  g_assert_cmpuint (run->rows->len, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < run->rows->len; i++)
    g_assert_cmpstr (g_ptr_array_index (run->rows, i), ==, expected[i]);
  g_autofree char *one = places_text (run, 0);
  g_autofree char *all = places_text (run, 1);
  g_assert_cmpstr (one, ==, "3+1");
  g_assert_cmpstr (all, ==, "0+4");
}

static void
test_percentiles_are_nearest_rank (void)
{
  g_autoptr (GArray) waits = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_assert_cmpint (lk_page_percentile (waits, 50), ==, 0);
  for (gint64 i = 1; i <= 10; i++)
    g_array_append_val (waits, i);
  g_assert_cmpint (lk_page_percentile (waits, 5), ==, 1);
  g_assert_cmpint (lk_page_percentile (waits, 50), ==, 5);
  g_assert_cmpint (lk_page_percentile (waits, 51), ==, 6);
  g_assert_cmpint (lk_page_percentile (waits, 95), ==, 10);
}

static void
test_waiting_leaves_out_what_ran_before_a_requeue (void)
{
  static const Case cases[] = { { 0, 10, 20, 1 }, { 0, 30, 40, 1 } };
  g_autoptr (LkPageRun) run = run_of (cases, G_N_ELEMENTS (cases));
  g_array_index (run->jobs, LkPageJob, 0).is_requeued = TRUE;
  lk_page_run_settle (run);
  LkPage page = { .bins = { 0, 10 * SECOND, 4 } };
  g_autofree double *waiting = lk_page_series_waiting (&page, run);
  g_assert_cmpfloat_with_epsilon (waiting[0], 1, 1e-9);
  g_assert_cmpfloat_with_epsilon (waiting[1], 0, 1e-9);
  g_assert_cmpfloat_with_epsilon (waiting[2], 1, 1e-9);
  g_assert_cmpfloat_with_epsilon (waiting[3], 0, 1e-9);
}

static void
test_the_grid_tells_parts_of_cells (void)
{
  static const Case cases[] = { { 0, 0, 100, 4 }, { 0, 0, 50, 4 } };
  LkPageGrid grid;
  g_autoptr (LkPageRun) run = run_of (cases, G_N_ELEMENTS (cases));
  lk_page_run_settle (run);
  LkPage page = { .clock = { .begin_us = 0, .end_us = 100 * SECOND } };
  lk_page_grid_init (&grid, &page, run, 2, 3);
  g_assert_cmpuint (grid.row_count, ==, 2);
  g_assert_cmpuint (grid.column_count, ==, 2);
  g_assert_cmpint (grid.end_us, ==, 120 * SECOND);
  g_assert_cmpuint (grid.cells[0], ==, 255);
  g_assert_cmpuint (grid.cells[1], ==, 1 + 254 * 2 / 3);
  g_assert_cmpuint (grid.cells[2], ==, 1 + 254 * 5 / 6);
  g_assert_cmpuint (grid.cells[3], ==, 0);
  lk_page_grid_clear (&grid);
}

static void
test_text_of_others_is_escaped (void)
{
  g_autoptr (GString) out = g_string_new (NULL);
  lk_plot_escape (out, "</script>&\"'\001\xff");
  g_assert_cmpstr (out->str, ==, "&lt;/script&gt;&amp;&quot;&#39;\357\277\275\357\277\275");
  g_autofree char *cut = lk_plot_shorten ("\303\245\303\244\303\266abc", 4);
  g_assert_cmpstr (cut, ==, "\303\245\303\244\303\266\342\200\246");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/page/ticks are round in the zone", test_ticks_are_round_in_the_zone);
  g_test_add_func ("/page/ticks without dates count from the beginning",
                   test_ticks_without_dates_count_from_the_beginning);
  g_test_add_func ("/page/a zone tells when its offset changes",
                   test_a_zone_tells_when_its_offset_changes);
  g_test_add_func ("/page/durations and numbers are short", test_durations_and_numbers_are_short);
  g_test_add_func ("/page/cells are for people or plain seconds",
                   test_cells_are_for_people_or_plain_seconds);
  g_test_add_func ("/page/sums are means over each bin", test_sums_are_means_over_each_bin);
  g_test_add_func ("/page/bins are round and cover all", test_bins_are_round_and_cover_all);
  g_test_add_func ("/page/a pool gives the lowest free processors",
                   test_a_pool_gives_the_lowest_free_processors);
  g_test_add_func ("/page/nodes are in the order in which people count",
                   test_nodes_are_in_the_order_in_which_people_count);
  g_test_add_func ("/page/percentiles are nearest rank", test_percentiles_are_nearest_rank);
  g_test_add_func ("/page/waiting leaves out what ran before a requeue",
                   test_waiting_leaves_out_what_ran_before_a_requeue);
  g_test_add_func ("/page/the grid tells parts of cells", test_the_grid_tells_parts_of_cells);
  g_test_add_func ("/page/text of others is escaped", test_text_of_others_is_escaped);
  return g_test_run ();
}
