/* tests/traces/csv_map_test.c — column maps: what a page means, every message with its place, the
 * built-in ones; and the units of cells. */
#include "traces/csv_map.h"

#include <glib/gstdio.h>
#include <string.h>

#include "engine/policy.h"

#define COLUMNS "columns:\n  submit: s\n"

static LkCsvMap *
page_map (const char *page, GError **error)
{
  return lk_csv_map_new ("m.yaml", (const guint8 *)page, strlen (page), error);
}

static LkCsvMap *
expect_map (const char *page)
{
  g_autoptr (GError) error = NULL;
  LkCsvMap *map = page_map (page, &error);
  g_assert_no_error (error);
  return map;
}

static void
test_page (void)
{
  g_autoptr (LkCsvMap) map = expect_map (
      "about: jobs of a site\n"
      "separator: \"\\t\"\n"
      "request_prefix: req_\n"
      "columns:\n"
      "  submit: {column: when, unit: date, format: \"%d.%m.%Y %H:%M\"}\n"
      "  memory: {column: mem, unit: GiB, per: cpu, unknown: [\"-1\", none]}\n"
      "  state: {column: end, optional: true, values: {ok: completed, bad: failed}}\n"
      "  account: project\n"
      "rules: {gpus_per_node_max: 8, nodes: 2, cpus_per_gpu: 4, shares_per_gpu: 100, procs: gpus,\n"
      "  run_from_submit: true, run_to_limit: true}\n");
  g_assert_cmpstr (map->about, ==, "jobs of a site");
  g_assert_cmpint (map->separator, ==, '\t');
  g_assert_cmpstr (map->request_prefix, ==, "req_");
  g_assert_null (map->names);
  g_assert_cmpuint (map->columns->len, ==, 4);
  const LkCsvColumn *submit = g_ptr_array_index (map->columns, 0);
  g_assert_cmpint (submit->field, ==, LK_CSV_FIELD_SUBMIT);
  g_assert_cmpstr (submit->column, ==, "when");
  g_assert_true (lk_csv_unit_is_date (submit->unit));
  g_assert_cmpstr (submit->form, ==, "%d.%m.%Y %H:%M");
  const LkCsvColumn *memory = g_ptr_array_index (map->columns, 1);
  g_assert_cmpint (memory->per, ==, LK_CSV_PER_CPU);
  g_assert_cmpuint (memory->unknown->len, ==, 2);
  const LkCsvColumn *state = g_ptr_array_index (map->columns, 2);
  g_assert_true (state->is_optional);
  g_assert_cmpuint (state->states->len, ==, 2);
  g_assert_cmpint (g_array_index (state->states, LkCsvState, 1).state, ==, LK_RECORD_FAILED);
  const LkCsvColumn *account = g_ptr_array_index (map->columns, 3);
  g_assert_cmpstr (lk_csv_column_name (account), ==, "account");
  g_assert_nonnull (account->request);
  g_assert_cmpuint (map->rules.gpus_per_node_max, ==, 8);
  g_assert_cmpuint (map->rules.nodes, ==, 2);
  g_assert_cmpuint (map->rules.cpus_per_gpu, ==, 4);
  g_assert_cmpuint (map->rules.shares_per_gpu, ==, 100);
  g_assert_cmpint (map->rules.procs, ==, LK_CSV_PROCS_GPUS);
  g_assert_true (map->rules.run_from_submit);
  g_assert_true (map->rules.run_to_limit);
}

static void
test_defaults (void)
{
  g_autoptr (LkCsvMap) map = expect_map ("columns: {start: s, cpus: c, gpus: g}\n");
  g_assert_cmpint (map->separator, ==, ',');
  g_assert_cmpuint (map->rules.shares_per_gpu, ==, 1000);
  g_assert_cmpuint (map->rules.gpus_per_node_max, ==, 0);
  g_assert_false (map->rules.run_from_submit);
  const LkCsvColumn *start = g_ptr_array_index (map->columns, 0);
  g_assert_true (start->unit == lk_csv_unit (LK_CSV_MOMENT, "s"));
  const LkCsvColumn *cpus = g_ptr_array_index (map->columns, 1);
  g_assert_true (cpus->unit == lk_csv_unit (LK_CSV_COUNT, "one"));
  g_assert_cmpint (cpus->per, ==, LK_CSV_PER_JOB);
}

static const struct {
  const char *page;
  const char *message;
} bad_pages[] = {
  { "", "m.yaml: byte 0: " },
  { "- a\n", "m.yaml:1:1: 'column map' is no mapping; expected 'key: value' pairs" },
  { "about: x\n", "m.yaml: no 'columns'; expected them" },
  { "columns: {}\n", "m.yaml:1:10: 'columns' has neither submit nor start; expected one" },
  { "columns: {run: r}\n", "m.yaml:1:10: 'columns' has neither submit nor start; expected one" },
  { "colums: {submit: s}\n", "m.yaml:1:9: 'colums' is no key of a column map; did you mean "
                             "'columns'?" },
  { "columns:\n  sumbit: s\n",
    "m.yaml:2:11: 'sumbit' is no key of 'columns'; did you mean 'submit'?" },
  { "columns:\n  submit: {column: s, unite: s}\n",
    "m.yaml:2:30: 'unite' is no key of a column; did you mean 'unit'?" },
  { "columns:\n  submit: [s]\n", "m.yaml:2:11: 'submit' is a list; expected one value" },
  { "columns:\n  submit:\n", "m.yaml:2:10: 'submit' has no value" },
  { "columns:\n  submit: {unit: s}\n",
    "m.yaml:2:11: 'submit' has no 'column'; expected the name of one" },
  { "columns:\n  submit: {column: s, unit: sec}\n",
    "m.yaml:2:29: 'unit' is 'sec'; there are: s, ms, us, min, h, d, date" },
  { "columns:\n  run: {column: s, unit: date}\n",
    "m.yaml:2:26: 'unit' is 'date'; there are: s, ms, us, min, h, d, clock" },
  { "columns:\n  memory: mem\n", "m.yaml:2:11: 'memory' has no 'unit'; expected one, such as MiB" },
  { "columns:\n  user: {column: u, unit: s}\n",
    "m.yaml:2:27: 'user' has a unit; expected none, it is taken as it is" },
  { "columns:\n  submit: {column: s, format: \"%d\"}\n",
    "m.yaml:2:11: 'submit' has a 'format' and another unit than date; expected unit: date" },
  { "columns:\n  submit: {column: s, unit: date, format: \"%Q\"}\n",
    "m.yaml:2:43: 'format' is '%Q'; expected %d or %F and, of %Y %m %H %M %S %f %T %z, what else "
    "there is" },
  { "columns:\n  submit: {column: s, per: job}\n",
    "m.yaml:2:28: 'submit' has 'per'; expected that of cpus, gpus or memory" },
  { "columns:\n  cpus: {column: s, per: gpu}\n",
    "m.yaml:2:26: 'per' is 'gpu'; expected job, node or task" },
  { "columns:\n  cpus: {column: s, per: nod}\n",
    "m.yaml:2:26: 'per' is 'nod'; did you mean 'node'?" },
  { "columns:\n  user: {column: u, values: {a: failed}}\n",
    "m.yaml:2:29: 'user' has 'values'; expected that of state" },
  { "columns:\n  state: {column: u, values: {a: faild}}\n",
    "m.yaml:2:34: 'a' is 'faild'; did you mean 'failed'?" },
  { "columns:\n  state: {column: u, values: [a]}\n",
    "m.yaml:2:30: 'values' is no mapping; expected 'key: value' pairs" },
  { "columns:\n  user: {column: u, unknown: x}\n",
    "m.yaml:2:30: 'unknown' is no list; expected one" },
  { "columns:\n  user: {column: u, unknown: [[x]]}\n",
    "m.yaml:2:31: 'unknown' has something else than at most 4096 texts; expected these" },
  { "columns:\n  user: {column: u, optional: yes}\n",
    "m.yaml:2:31: 'optional' is 'yes'; there are: false, true" },
  { "separator: \"::\"\n" COLUMNS,
    "m.yaml:1:12: 'separator' is '::'; expected one character, such as \",\", \";\" or \"\\t\"" },
  { "separator: '\"'\n" COLUMNS,
    "m.yaml:1:12: 'separator' is '\"'; expected one character, such as \",\", \";\" or \"\\t\"" },
  { "rules: {nodes: 0}\n" COLUMNS,
    "m.yaml:1:16: 'nodes' is '0'; expected a whole number from 1 to 2147483647" },
  { "rules: {procs: gpu}\n" COLUMNS, "m.yaml:1:16: 'procs' is 'gpu'; did you mean 'gpus'?" },
  { "rules: {node: 1}\n" COLUMNS,
    "m.yaml:1:15: 'node' is no key of 'rules'; did you mean 'nodes'?" },
  { "names: [a]\ncolumns: {submit: \"a\\nb\"}\n",
    "m.yaml:1:8: 'submit' is column 'a b', which is not in 'names'; expected it there" },
  { "names: [a, b]\n" COLUMNS,
    "m.yaml:1:8: 'submit' is column 's', which is not in 'names'; expected it there" },
};

static void
test_errors (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bad_pages); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LkCsvMap) map = page_map (bad_pages[i].page, &error);
    g_assert_null (map);
    g_assert_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX);
    if (i == 0)
      g_assert_true (g_str_has_prefix (error->message, "m.yaml"));
    else
      g_assert_cmpstr (error->message, ==, bad_pages[i].message);
  }
}

/* The page that docs/trace-formats.md shows. */
static void
test_documented (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (LK_SOURCE_DIR, "docs", "trace-formats.md", NULL);
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, &error));
  const char *begin = strstr (text, "\n    separator: ");
  g_assert_nonnull (begin);
  const char *end = strstr (begin, "\n\n");
  g_assert_nonnull (end);
  g_autofree char *page = g_strndup (begin, (gsize)(end - begin));
  g_autoptr (LkCsvMap) map = expect_map (page);
  g_assert_cmpuint (map->columns->len, ==, 9);
  g_assert_cmpuint (map->rules.gpus_per_node_max, ==, 8);
}

static void
test_large (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *page = g_strnfill (LK_CSV_MAP_MAX_BYTES + 1, '#');
  g_autoptr (LkCsvMap) map = page_map (page, &error);
  g_assert_null (map);
  g_assert_cmpstr (error->message, ==,
                   "m.yaml: 1048577 bytes; expected a column map of at most 1048576");
}

static void
test_built_in (void)
{
  static const char *const expected[] = { "alibaba-2020", "helios", "lockstep", "muri",
                                          "openb",        "philly", NULL };
  g_autofree const char **names = lk_csv_map_names ();
  for (guint i = 0; expected[i] != NULL; i++) {
    g_autoptr (GError) error = NULL;
    g_assert_cmpstr (names[i], ==, expected[i]);
    g_autoptr (LkCsvMap) map = lk_csv_map_load (names[i], &error);
    g_assert_no_error (error);
    g_assert_nonnull (map->about);
    /* The first row of a table is read with it before a map is chosen. */
    g_assert_cmpint (map->separator, ==, ',');
  }
  g_assert_null (names[6]);
}

static void
test_files (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("lk-maps-XXXXXX", &error);
  g_assert_no_error (error);
  g_autofree char *path = g_build_filename (folder, "m.yaml", NULL);
  g_assert_true (g_file_set_contents (path, COLUMNS, -1, &error));
  g_autoptr (LkCsvMap) map = lk_csv_map_load (path, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (map->name, ==, path);
  static const struct {
    const char *path;
    const char *message;
  } cases[] = {
    { "phily", "column map 'phily': No such file or directory; did you mean 'philly'?" },
    { "no/map.yaml", "column map 'no/map.yaml': No such file or directory" },
    { "/", "column map '/': is a directory; expected a page of YAML" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_clear_error (&error);
    g_assert_null (lk_csv_map_load (cases[i].path, &error));
    g_assert_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_OPEN);
    g_assert_cmpstr (error->message, ==, cases[i].message);
  }
  g_unlink (path);
  g_rmdir (folder);
}

/* ---------------------------------------------------------------- units */

#define US G_GINT64_CONSTANT (1000000)
#define DAY (86400 * US)

static void
test_units (void)
{
  static const struct {
    LkCsvKind kind;
    const char *unit;
    const char *cell;
    gint64 value; /* G_MININT64: none */
  } cases[] = {
    { LK_CSV_MOMENT, "s", "1.5", 1500000 },
    { LK_CSV_MOMENT, "s", "-2", -2 * US },
    { LK_CSV_MOMENT, "ms", "8570000000", G_GINT64_CONSTANT (8570000000) * 1000 },
    { LK_CSV_MOMENT, "us", "0.6", 1 },
    { LK_CSV_MOMENT, "d", "0.5", DAY / 2 },
    { LK_CSV_MOMENT, "s", "1739162.0", G_GINT64_CONSTANT (1739162) * US },
    { LK_CSV_MOMENT, "s", "12902960.123456789123", G_GINT64_CONSTANT (12902960123457) },
    { LK_CSV_MOMENT, "s", "", G_MININT64 },
    { LK_CSV_MOMENT, "s", "1e5", G_MININT64 },
    { LK_CSV_MOMENT, "s", "1 ", G_MININT64 },
    { LK_CSV_MOMENT, "s", "99999999999999", G_MININT64 },
    { LK_CSV_MOMENT, "date", "1970-01-02 00:00:01", DAY + US },
    { LK_CSV_MOMENT, "date", "1970-01-02T00:00:01", DAY + US },
    { LK_CSV_SPAN, "min", "7", 420 * US },
    { LK_CSV_SPAN, "h", "1.5", 5400 * US },
    { LK_CSV_SPAN, "clock", "1-02:03:04", DAY + 7384 * US },
    { LK_CSV_SPAN, "min", "UNLIMITED", LK_TIME_NEVER },
    { LK_CSV_SPAN, "s", "infinite", LK_TIME_NEVER },
    { LK_CSV_SPAN, "s", "unlimite", G_MININT64 },
    { LK_CSV_COUNT, "one", "3", 3000 },
    { LK_CSV_COUNT, "one", "2.0000000000000004", 2000 },
    { LK_CSV_COUNT, "one", "0.0001", 1 },
    { LK_CSV_COUNT, "percent", "50.0", 500 },
    { LK_CSV_COUNT, "milli", "11908", 11908 },
    { LK_CSV_COUNT, "milli", "-", G_MININT64 },
    { LK_CSV_COUNT, "milli", ".", G_MININT64 },
    { LK_CSV_SIZE, "MiB", "16384", G_GINT64_CONSTANT (16384) * 1048576 },
    { LK_CSV_SIZE, "GiB", "29.296875", G_GINT64_CONSTANT (30000) * 1048576 },
    { LK_CSV_SIZE, "GB", "1.5", 1500000000 },
    { LK_CSV_SIZE, "B", "0.5", 1 },
    { LK_CSV_SIZE, "slurm", "4G", G_GINT64_CONSTANT (4) * 1073741824 },
    { LK_CSV_SIZE, "slurm", "4", 4194304 },
    { LK_CSV_SIZE, "TiB", "99999999", G_MININT64 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gint64 value = G_MININT64;
    const LkCsvUnit *unit = lk_csv_unit (cases[i].kind, cases[i].unit);
    g_assert_nonnull (unit);
    gboolean is_good = lk_csv_value_parse (unit, NULL, lk_span (cases[i].cell), &value);
    if (value != cases[i].value || is_good != (value != G_MININT64))
      g_error ("%s %s gives %" G_GINT64_FORMAT, cases[i].cell, cases[i].unit, value);
  }
  g_assert_null (lk_csv_unit (LK_CSV_SPAN, "date"));
}

static void
test_dates (void)
{
  static const struct {
    const char *form;
    const char *cell;
    gint64 value; /* G_MININT64: none */
  } cases[] = {
    { "%Y-%m-%d %H:%M:%S", "2017-10-09 07:01:55", G_GINT64_CONSTANT (1507532515) * US },
    { "%F %T", "2017-10-09 07:01:55", G_GINT64_CONSTANT (1507532515) * US },
    { "%F %T", "2017-10-09   07:01:55", G_GINT64_CONSTANT (1507532515) * US },
    { "%F", "2000-02-29", G_GINT64_CONSTANT (951782400) * US },
    { "%F", "2001-02-29", G_MININT64 },
    { "%F", "2001-04-31", G_MININT64 },
    { "%F", "2001-12-31", G_GINT64_CONSTANT (1009756800) * US },
    { "%d.%m.%Y", "9.10.2017", G_GINT64_CONSTANT (1507507200) * US },
    { "%m/%d/%Y %H:%M", "10/9/2017 7:01", G_GINT64_CONSTANT (1507532460) * US },
    { "%F %T.%f", "1970-01-01 00:00:00.25", 250000 },
    { "%F %T.%f", "1970-01-01 00:00:00.1234567", 123456 },
    { "%F %T.%f", "1970-01-01 00:00:00.", G_MININT64 },
    { "%FT%T%z", "1970-01-01T02:00:00+02:00", 0 },
    { "%FT%T%z", "1970-01-01T02:00:00Z", 7200 * US },
    { "%FT%T%z", "1970-01-01T00:00:00-0130", 5400 * US },
    { "%FT%T%z", "1970-01-01T00:00:00-01", 3600 * US },
    { "%FT%T%z", "1970-01-01T00:00:00", G_MININT64 },
    { "%F", "1970-13-01", G_MININT64 },
    { "%F", "1970-1", G_MININT64 },
    { "%F", "1970-01-01x", G_MININT64 },
    { "%d%%%m", "2%3", 60 * DAY },
    { "%F %T", "1970-01-01 24:00:00", DAY },
    { "%F %T", "1970-01-01 24:00:01", G_MININT64 },
    { "%F %T", "1970-01-01 23:59:60", DAY },
  };
  const LkCsvUnit *unit = lk_csv_unit (LK_CSV_MOMENT, "date");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gint64 value = G_MININT64;
    g_assert_true (lk_csv_date_form_check (cases[i].form));
    gboolean is_good = lk_csv_value_parse (unit, cases[i].form, lk_span (cases[i].cell), &value);
    if (value != cases[i].value || is_good != (value != G_MININT64))
      g_error ("%s as %s gives %" G_GINT64_FORMAT, cases[i].cell, cases[i].form, value);
  }
  g_assert_false (lk_csv_date_form_check ("%H:%M"));
  g_assert_false (lk_csv_date_form_check ("%d %"));
  g_assert_false (lk_csv_date_form_check ("%d %b"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/csv_map/a page says what columns are", test_page);
  g_test_add_func ("/csv_map/what a page does not say has defaults", test_defaults);
  g_test_add_func ("/csv_map/errors name line and column and what was expected", test_errors);
  g_test_add_func ("/csv_map/the page in the documentation is good", test_documented);
  g_test_add_func ("/csv_map/a page that is too large is refused", test_large);
  g_test_add_func ("/csv_map/the built-in maps are good", test_built_in);
  g_test_add_func ("/csv_map/a name that is not built in is a file", test_files);
  g_test_add_func ("/csv_values/cells are read by their unit", test_units);
  g_test_add_func ("/csv_values/dates are read by their form", test_dates);
  return g_test_run ();
}
