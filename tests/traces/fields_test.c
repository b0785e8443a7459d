/* tests/traces/fields_test.c — tables as sacct, sacctmgr, sreport and sshare lay them out. */
#include "traces/fields.h"

static void
name_cell (gconstpointer report, gconstpointer row, GString *out)
{
  (void)report;
  g_string_append (out, row);
}

static void
twice_cell (gconstpointer report, gconstpointer row, GString *out)
{
  g_string_append_printf (out, "%s%s", (const char *)row, (const char *)report);
}

static const LkField fields[] = {
  { "Name", NULL, 6, name_cell },
  { "NameLong", "Long Name", -8, name_cell },
  { "Twice", NULL, 5, twice_cell },
  { NULL, NULL, 0, NULL },
};

static char *
table (const char *format, const LkFieldStyle *style)
{
  g_autoptr (GArray) chosen = g_array_new (FALSE, FALSE, sizeof (LkField));
  GString *out = g_string_new (NULL);
  char *wrong = NULL;
  g_assert_true (lk_fields_parse (fields, format, chosen, &wrong));
  lk_fields_heading (style, chosen, out);
  lk_fields_row (style, chosen, "-", "abcdefg", out);
  return g_string_free (out, FALSE);
}

static void
expect (const char *format, LkFieldStyle style, const char *expected)
{
  g_autofree char *found = table (format, &style);
  g_assert_cmpstr (found, ==, expected);
}

/* Values that are cut show it, and headings do not. */
static void
test_columns (void)
{
  expect ("name,namelong,twice", (LkFieldStyle){ 0 },
          "  Name Long Nam Twice \n------ -------- ----- \nabcde+ abcdefg  abcd+ \n");
  expect ("Name%9,,NAMEL%-3", (LkFieldStyle){ 0 },
          "     Name Lon \n--------- --- \n  abcdefg ab+ \n");
  expect ("name", (LkFieldStyle){ .no_heading = TRUE }, "abcde+ \n");
}

static void
test_parsable (void)
{
  expect ("name,twice", (LkFieldStyle){ .is_parsable2 = TRUE }, "Name|Twice\nabcdefg|abcdefg-\n");
  expect ("name,twice", (LkFieldStyle){ .is_parsable = TRUE, .delimiter = "^" },
          "Name^Twice^\nabcdefg^abcdefg-^\n");
}

/* A whole name goes before those that only begin so. */
static void
test_names (void)
{
  g_assert_true (lk_field_find (fields, "NAME", 4) == &fields[0]);
  g_assert_true (lk_field_find (fields, "nam", 3) == &fields[0]);
  g_assert_true (lk_field_find (fields, "namel", 5) == &fields[1]);
  g_assert_null (lk_field_find (fields, "", 0));
  g_assert_null (lk_field_find (fields, "colour", 6));
}

static void
test_wrong (void)
{
  static const char *const words[] = { "colour", "name%x", "name%", "name%99999", "name%5x" };
  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    g_autoptr (GArray) chosen = g_array_new (FALSE, FALSE, sizeof (LkField));
    g_autofree char *format = g_strconcat ("twice,", words[i], NULL);
    g_autofree char *wrong = NULL;
    g_assert_false (lk_fields_parse (fields, format, chosen, &wrong));
    g_assert_cmpstr (wrong, ==, words[i]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fields/columns have widths", test_columns);
  g_test_add_func ("/fields/programs read them with a delimiter", test_parsable);
  g_test_add_func ("/fields/names may be cut short", test_names);
  g_test_add_func ("/fields/a word that is wrong is told", test_wrong);
  return g_test_run ();
}
