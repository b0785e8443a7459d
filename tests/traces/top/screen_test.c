/* tests/traces/top/screen_test.c — cells: widths, cutting, and what must never reach a terminal. */
#include "traces/top/screen.h"

#include <string.h>

static void
expect_row (const LkTopScreen *screen, guint row, const char *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);
  lk_top_screen_text (screen, text);
  g_auto (GStrv) lines = g_strsplit (text->str, "\n", -1);
  g_assert_cmpstr (lines[row], ==, expected);
}

static guint
put (LkTopScreen *screen, guint column, guint columns_max, const char *text)
{
  return lk_top_screen_put (screen, (LkTopPlace){ column, 0, columns_max, LK_TOP_STYLE_PLAIN },
                            text);
}

static void
test_cut (void)
{
  g_autoptr (LkTopScreen) screen = lk_top_screen_new (10, 2, FALSE);
  g_assert_cmpuint (put (screen, 2, 4, "abcdef"), ==, 4);
  expect_row (screen, 0, "  abcd");
  g_assert_cmpuint (put (screen, 8, 99, "xyz"), ==, 2);
  expect_row (screen, 0, "  abcd  xy");
  g_assert_cmpuint (put (screen, 10, 5, "out"), ==, 0);
  lk_top_screen_put_right (screen, (LkTopPlace){ 0, 1, 6, LK_TOP_STYLE_PLAIN }, "42");
  expect_row (screen, 1, "    42");
  lk_top_screen_put_right (screen, (LkTopPlace){ 0, 1, 6, LK_TOP_STYLE_PLAIN }, "1234567");
  expect_row (screen, 1, "12345+");
}

static void
test_wide (void)
{
  g_autoptr (LkTopScreen) screen = lk_top_screen_new (8, 1, FALSE);
  g_assert_cmpuint (lk_top_screen_width (screen, "日本x"), ==, 5);
  /* Half of a character is none. */
  g_assert_cmpuint (put (screen, 0, 3, "日本"), ==, 2);
  expect_row (screen, 0, "日");
  put (screen, 0, 8, "日本語");
  /* What is written over one half takes the other away, on either side. */
  put (screen, 1, 2, "ab");
  expect_row (screen, 0, " ab 語");
  g_assert_cmpuint (put (screen, 7, 1, "日"), ==, 0);
}

static void
test_combining (void)
{
  g_autoptr (LkTopScreen) screen = lk_top_screen_new (8, 1, FALSE);
  g_assert_cmpuint (put (screen, 0, 8, "e\xcc\x81x"), ==, 2);
  expect_row (screen, 0, "e\xcc\x81x");
  /* A mark without a character before it stands on nothing; very many do not fit. */
  put (screen, 0, 8, "\xcc\x81y");
  g_autoptr (GString) many = g_string_new ("z");
  for (guint i = 0; i < 50; i++)
    g_string_append (many, "\xcc\x81");
  g_assert_cmpuint (put (screen, 2, 6, many->str), ==, 1);
  g_assert_cmpuint (strlen (lk_top_screen_cell (screen, 2, 0)->text), <, LK_TOP_CELL_BYTES);
}

/* Controls, escape sequences of one byte and of two, what turns the direction, what is no UTF-8. */
static void
test_hostile (void)
{
  static const char *const texts[] = {
    "\033[2J",          "\x07\x08\x7f", "\xc2\x9b;31m", "\xe2\x80\xae",     "\xe2\x80\xa8",
    "\xff\xfe\xc0\xaf", "\xed\xa0\x80", "\xee\x80\x80", "\xf4\x90\x80\x80", "\xc3",
  };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    for (guint is_ascii = 0; is_ascii < 2; is_ascii++) {
      g_autoptr (LkTopScreen) screen = lk_top_screen_new (20, 1, is_ascii == 1);
      g_autoptr (GString) text = g_string_new (NULL);
      guint used = put (screen, 0, 20, texts[i]);
      lk_top_screen_text (screen, text);
      g_assert_true (g_utf8_validate (text->str, -1, NULL));
      g_assert_true (text->str[0] == '?');
      for (const char *at = text->str; *at != '\n'; at = g_utf8_next_char (at))
        g_assert_true (g_unichar_isprint (g_utf8_get_char (at)));
      g_assert_cmpuint (used, ==, lk_top_screen_width (screen, texts[i]));
    }
}

static void
test_ascii (void)
{
  g_autoptr (LkTopScreen) screen = lk_top_screen_new (12, 1, TRUE);
  put (screen, 0, 12, "naïve 日");
  expect_row (screen, 0, "na?ve ?");
  lk_top_screen_bar (screen, (LkTopPlace){ 0, 0, 4, LK_TOP_STYLE_GOOD }, 0.5);
  lk_top_screen_fill (screen, (LkTopPlace){ 4, 0, 8, LK_TOP_STYLE_PLAIN });
  expect_row (screen, 0, "##..");
}

static void
test_bar (void)
{
  static const struct {
    double ratio;
    const char *expected;
  } bars[] = {
    { 0.0, "····" }, { 1.0, "████" }, { 0.125, "▌···" }, { 7.0, "████" }, { -1, "····" }
  };
  for (guint i = 0; i < G_N_ELEMENTS (bars); i++) {
    g_autoptr (LkTopScreen) screen = lk_top_screen_new (4, 1, FALSE);
    lk_top_screen_bar (screen, (LkTopPlace){ 0, 0, 4, LK_TOP_STYLE_GOOD }, bars[i].ratio);
    expect_row (screen, 0, bars[i].expected);
  }
}

static int
never_wide (gunichar character)
{
  (void)character;
  return 1;
}

static void
test_other_width (void)
{
  g_autoptr (LkTopScreen) screen = lk_top_screen_new (6, 1, FALSE);
  screen->width = never_wide;
  put (screen, 0, 6, "a日b");
  expect_row (screen, 0, "a?b");
}

static void
test_random (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (11);
  g_autoptr (LkTopScreen) screen = lk_top_screen_new (17, 5, FALSE);
  for (guint round = 0; round < 20000; round++) {
    char bytes[24];
    guint count = (guint)g_rand_int_range (random, 0, 23);
    for (guint i = 0; i < count; i++)
      bytes[i] = (char)(g_rand_int_range (random, 0, 3) == 0 ? g_rand_int_range (random, 1, 256)
                                                             : "日é\xcc\x81x"[i % 9]);
    bytes[count] = '\0';
    lk_top_screen_put (screen,
                       (LkTopPlace){ (guint)g_rand_int_range (random, 0, 20),
                                     (guint)g_rand_int_range (random, 0, 7),
                                     (guint)g_rand_int_range (random, 0, 20), LK_TOP_STYLE_BOLD },
                       bytes);
    /* Each row is as wide as the screen, whatever was written over what. */
    for (guint row = 0; row < screen->rows; row++) {
      guint width = 0;
      for (guint column = 0; column < screen->columns; column++)
        width += lk_top_screen_width (screen, lk_top_screen_cell (screen, column, row)->text);
      g_assert_cmpuint (width, ==, screen->columns);
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/screen/text is cut by columns", test_cut);
  g_test_add_func ("/screen/wide characters are whole or gone", test_wide);
  g_test_add_func ("/screen/combining marks take no column", test_combining);
  g_test_add_func ("/screen/nothing speaks to the terminal", test_hostile);
  g_test_add_func ("/screen/ascii is ascii", test_ascii);
  g_test_add_func ("/screen/bars have eighths", test_bar);
  g_test_add_func ("/screen/a terminal with other widths is believed", test_other_width);
  g_test_add_func ("/screen/rows stay as wide as the screen", test_random);
  return g_test_run ();
}
