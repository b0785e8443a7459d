/* tests/traces/table_test.c — cells and columns as Slurm's commands lay them out. */
#include "traces/table.h"

#include <math.h>

static void
test_cells (void)
{
  static const struct {
    const char *text;
    int width;
    LkCellCut cut;
    const char *cell;
  } cases[] = {
    { "batch", 0, LK_CELL_CUT, "batch" },           { "batch", 9, LK_CELL_CUT, "    batch" },
    { "batch", -9, LK_CELL_CUT, "batch    " },      { "batch,fast", 9, LK_CELL_CUT, "batch,fas" },
    { "batch,fast", -9, LK_CELL_CUT, "batch,fas" }, { "cpu=0,mem", 6, LK_CELL_CUT_PLUS, "cpu=0+" },
    { "cpu=0", 5, LK_CELL_CUT_PLUS, "cpu=0" },      { "", 3, LK_CELL_CUT, "   " },
    { "ärger", 6, LK_CELL_CUT, " ärger" },          { "ärger", 2, LK_CELL_CUT, "är" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GString) out = g_string_new (NULL);
    lk_table_cell (out, cases[i].text, cases[i].width, cases[i].cut);
    g_assert_cmpstr (out->str, ==, cases[i].cell);
  }
}

static void
test_reals (void)
{
  g_autoptr (GString) out = g_string_new (NULL);
  lk_table_real (out, 140.625, 0);
  g_string_append_c (out, ' ');
  lk_table_real (out, 0.140625, 7);
  g_string_append_c (out, ' ');
  lk_table_real (out, INFINITY, 6);
  g_assert_cmpstr (out->str, ==, "141 0.1406250 inf");
}

static void
letter_cell (gconstpointer report, gconstpointer row, GString *out)
{
  g_string_append_printf (out, "%s%s", (const char *)report, (const char *)row);
}

static const LkTableColumn columns[] = { { 'a', "FIRST", letter_cell },
                                         { 'B', "SECONDS", letter_cell },
                                         { 0 } };

static void
test_layout (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (LkTableLayout) layout = lk_table_layout_new (columns, ">%.7a|%4B|%a<", &error);
  g_assert_no_error (error);
  lk_table_layout_heading (layout, out);
  lk_table_layout_row (layout, "x", "yz", out);
  g_assert_cmpstr (out->str, ==, ">  FIRST|SECO|FIRST<\n>    xyz|xyz |xyz<\n");
}

static void
test_any_bytes (void)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (LkTableLayout) layout = lk_table_layout_new (columns, "\xff%a\x1f", NULL);
  lk_table_layout_row (layout, "x", "yz", out);
  g_assert_cmpstr (out->str, ==, "\xffxyz\x1f\n");
}

static void
test_refused (void)
{
  static const char *const formats[] = { "%z", "%", "%.10", "%.9999a", "a%ä", "%\xff" };
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (lk_table_layout_new (columns, formats[i], &error));
    g_assert_error (error, LK_TABLE_ERROR, LK_TABLE_ERROR_FORMAT);
    g_assert_true (g_utf8_validate (error->message, -1, NULL));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/pads and cuts cells by characters", test_cells);
  g_test_add_func ("/table/rounds reals as sprio does", test_reals);
  g_test_add_func ("/table/lays out columns and the text between", test_layout);
  g_test_add_func ("/table/takes any bytes between columns", test_any_bytes);
  g_test_add_func ("/table/refuses formats that are none", test_refused);
  return g_test_run ();
}
