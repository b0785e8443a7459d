/* tests/traces/csv_lines_test.c — rows and cells of RFC 4180, quoted and not, and every message. */
#include "traces/csv_lines.h"

#include <string.h>

/* Rows as "line:[cell][cell]", one behind the other; the last may be an error. */
static char *
rows_text (const char *table, char separator)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkInput) input =
      lk_input_new_from_bytes ("x.csv", (const guint8 *)table, strlen (table), &error);
  g_assert_no_error (error);
  g_autoptr (LkCsvLines) lines = lk_csv_lines_new (input, separator);
  GString *text = g_string_new (NULL);
  int got;
  while ((got = lk_csv_lines_next (lines, &error)) == 1) {
    g_string_append_printf (text, "%" G_GUINT64_FORMAT ":", lk_csv_lines_line_number (lines));
    for (guint i = 0; i < lk_csv_lines_cell_count (lines); i++) {
      LkSpan cell = lk_csv_lines_cell (lines, i);
      g_string_append_printf (text, "[%.*s]", (int)cell.length_bytes, cell.bytes);
    }
  }
  if (got < 0)
    g_string_append (text, error->message);
  return g_string_free (text, FALSE);
}

static void
test_rows (void)
{
  static const struct {
    const char *table;
    const char *rows;
  } cases[] = {
    { "a,b,c\n1,2,3\n", "1:[a][b][c]2:[1][2][3]" },
    { "a,b", "1:[a][b]" },
    { "a,b\r\n1,2\r\n", "1:[a][b]2:[1][2]" },
    { ",\n\n,,\n", "1:[][]3:[][][]" },
    { "\xef\xbb\xbf"
      "a,b\n",
      "1:[a][b]" },
    { " a , b\n", "1:[ a ][ b]" },
    { "\"a\",b\n", "1:[a][b]" },
    { "\"a,b\",c\n", "1:[a,b][c]" },
    { "\"a\"\"b\",\"\"\n", "1:[a\"b][]" },
    { "\"\"\"\"\n", "1:[\"]" },
    { "x,\"two\nlines\",y\nz\n", "1:[x][two\nlines][y]3:[z]" },
    { "x,\"two\r\nlines\"\r\nz\n", "1:[x][two\nlines]3:[z]" },
    { "\"\n\n\"\n", "1:[\n\n]" },
    { "a,\"b\"\n", "1:[a][b]" },
    { "a,\"b\",\n", "1:[a][b][]" },
    { "5\" disk,b\n", "1:[5\" disk][b]" },
    { "a,\"b\" c\n",
      "trace 'x.csv' line 1: text behind a quote that closes a cell; expected a separator" },
    { "1\n\"b\n\nc",
      "1:[1]trace 'x.csv' line 2: a quote is opened and never closed; expected another one" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *rows = rows_text (cases[i].table, ',');
    g_assert_cmpstr (rows, ==, cases[i].rows);
  }
}

static void
test_separators (void)
{
  g_autofree char *semicolons = rows_text ("a,b;\"c;d\"\n", ';');
  g_assert_cmpstr (semicolons, ==, "1:[a,b][c;d]");
  g_autofree char *tabs = rows_text ("a\tb c\n", '\t');
  g_assert_cmpstr (tabs, ==, "1:[a][b c]");
}

static void
test_bounds (void)
{
  g_autofree char *cells = g_strnfill (LK_CSV_CELLS_MAX, ',');
  g_autofree char *many = rows_text (cells, ',');
  g_assert_cmpstr (many, ==,
                   "trace 'x.csv' line 1: more than 4096 cells; expected at most that many");
  cells[LK_CSV_CELLS_MAX - 1] = '\0';
  g_autofree char *enough = rows_text (cells, ',');
  g_assert_cmpuint (strlen (enough), ==, 2 + 2 * LK_CSV_CELLS_MAX);
  /* A quote that is never closed does not take in the rest of a long table. */
  g_autoptr (GString) long_row = g_string_new ("\"");
  for (guint i = 0; i < 40000; i++)
    g_string_append (long_row, "some forty bytes of a line of a table.\n");
  g_autofree char *unclosed = rows_text (long_row->str, ',');
  g_assert_cmpstr (unclosed, ==,
                   "trace 'x.csv' line 1: a row of more than 1048576 bytes; expected the quote "
                   "before it to be closed");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/csv_lines/rows are taken apart as RFC 4180 says", test_rows);
  g_test_add_func ("/csv_lines/any byte may separate cells", test_separators);
  g_test_add_func ("/csv_lines/rows are bounded", test_bounds);
  return g_test_run ();
}
