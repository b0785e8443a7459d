/* tests/sim/config_file_test.c — settings files, and the place of every mistake in them. */
#include "sim/config_file.h"

#include <glib/gstdio.h>
#include <string.h>

#include "sim/error.h"

static const char *const known[] = { "backfill", "json",   "order", "plugin",
                                     "procs",    "select", "trace", NULL };

static gboolean
read_text (const char *text, gssize length, GPtrArray **out_pairs, GError **error)
{
  g_autofree char *folder = g_dir_make_tmp ("lockstep-config-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "file.yaml", NULL);
  g_assert_true (g_file_set_contents (path, text, length, NULL));
  gboolean good = lk_config_file_read (path, known, out_pairs, error);
  /* The folder's name is random; the rest of the message is not. */
  if (error != NULL && *error != NULL && g_str_has_prefix ((*error)->message, folder)) {
    char *rest = g_strdup ((*error)->message + strlen (folder) + 1);
    g_free ((*error)->message);
    (*error)->message = rest;
  }
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  return good;
}

/* All pairs as "key=value@line:column", one a line. */
static char *
pairs_text (const GPtrArray *pairs)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < pairs->len; i++) {
    const LkConfigPair *pair = g_ptr_array_index (pairs, i);
    g_string_append_printf (out, "%s=%s@%u:%u\n", pair->key, pair->value, pair->line, pair->column);
  }
  return g_string_free (out, FALSE);
}

typedef struct {
  const char *name;
  const char *text;
  const char *pairs;
} GoodCase;

static const GoodCase good_cases[] = {
  { "scalars with their places", "# my run\nprocs: 100\n\njson:   true\n",
    "procs=100@2:8\njson=true@4:9\n" },
  { "an empty file", "", "" },
  { "a file of comments", "# nothing\n", "" },
  { "an empty document", "---\n...\n", "" },
  { "quoted values", "trace: \"a b\"\norder: ''\n", "trace=a b@1:8\norder=@2:8\n" },
  { "a specification as text", "order: sjf\nbackfill: easy:reservations=2,order=sjf\n",
    "order=sjf@1:8\nbackfill=easy:reservations=2,order=sjf@2:11\n" },
  { "a list of plugins", "plugin:\n  - a.so\n  - b.so\n", "plugin=a.so@2:5\nplugin=b.so@3:5\n" },
  { "one plugin", "plugin: a.so\n", "plugin=a.so@1:9\n" },
  { "an empty list", "plugin: []\n", "" },
  { "a policy as a mapping", "backfill:\n  name: easy\n  reservations: 2\n  order: sjf\n",
    "backfill=easy(reservations=2,order=sjf)@2:3\n" },
  { "a policy without parameters as a mapping", "select: {name: pool}\n", "select=pool@1:9\n" },
  { "an order inside a backfill policy",
    "backfill: {order: {threshold_s: 10, name: widest_waiting}, name: easy}\n",
    "backfill=easy(order=widest_waiting(threshold_s=10))@1:11\n" },
  { "a formula that needs quotes", "order: {name: expr, formula: \"a, b\"}\n",
    "order=expr(formula=\"a, b\")@1:8\n" },
  { "a formula over several lines",
    "order:\n  name: expr\n  formula: >\n    wait /\n    estimate\n",
    "order=expr(formula=wait / estimate)@2:3\n" },
};

static void
test_good (gconstpointer data)
{
  const GoodCase *test = data;
  g_autoptr (GPtrArray) pairs = NULL;
  g_autoptr (GError) error = NULL;
  g_assert_true (read_text (test->text, -1, &pairs, &error));
  g_assert_no_error (error);
  g_autofree char *text = pairs_text (pairs);
  g_assert_cmpstr (text, ==, test->pairs);
}

typedef struct {
  const char *name;
  const char *text;
  const char *message;
} BadCase;

static const BadCase bad_cases[] = {
  { "an unknown key", "procs: 1\n\n  \nbakfill: easy\n",
    "file.yaml:4:1: unknown key 'bakfill'; did you mean 'backfill'?" },
  { "a key that is near to none", "colour: red\n",
    "file.yaml:1:1: unknown key 'colour'; there are: backfill, json, order, plugin, procs, "
    "select, trace" },
  { "a key twice", "procs: 1\nprocs: 2\n", "file.yaml:2:1: key 'procs' is given twice" },
  { "a parameter twice", "order: {name: expr, formula: a, formula: b}\n",
    "file.yaml:1:33: key 'formula' is given twice" },
  { "a key that is a list", "[a, b]: 1\n", "file.yaml:1:1: a key must be plain text" },
  { "a list where one value belongs", "procs: [1, 2]\n",
    "file.yaml:1:8: 'procs' is a list; expected one value" },
  { "a mapping where one value belongs", "procs:\n  a: 1\n",
    "file.yaml:2:3: 'procs' is a mapping; expected one value" },
  { "a list of lists", "plugin: [[a]]\n",
    "file.yaml:1:10: 'plugin' is a list; expected one value" },
  { "a list of policies", "order: [sjf]\n",
    "file.yaml:1:8: 'order' is a list; expected one value" },
  { "no value", "procs:\njson: true\n", "file.yaml:1:7: 'procs' has no value" },
  { "null", "procs: ~\n", "file.yaml:1:8: 'procs' has no value" },
  { "a policy without a name", "backfill: {reservations: 2}\n",
    "file.yaml:1:11: 'backfill' is a mapping without a 'name'" },
  { "mappings four levels deep", "backfill: {name: easy, order: {name: f1, x: {name: y}}}\n",
    "file.yaml:1:45: 'x' is a mapping; expected one value" },
  { "a file that is a list", "- a\n", "file.yaml:1:1: expected 'key: value' lines" },
  { "a file that is one word", "hello\n", "file.yaml:1:1: expected 'key: value' lines" },
  { "an anchor", "procs: &x 1\n", "file.yaml:1:8: anchors are not supported here" },
  { "an alias", "procs: *x\n", "file.yaml:1:8: aliases are not supported here" },
  { "a tag", "procs: !!int 1\n", "file.yaml:1:8: tags are not supported here" },
  { "two documents", "procs: 1\n---\njson: true\n",
    "file.yaml:2:1: a second document; expected one" },
  { "a NUL in a value", "trace: \"a\\0b\"\n", "file.yaml:1:8: a value with a NUL byte" },
  { "a bracket that is not closed", "plugin: [a, b\n",
    "file.yaml:2:1: did not find expected ',' or ']' while parsing a flow sequence" },
  { "a tab as indentation", "order:\n\tname: sjf\n",
    "file.yaml:2:1: found character that cannot start any token while scanning for the next "
    "token" },
};

static void
test_bad (gconstpointer data)
{
  const BadCase *test = data;
  GPtrArray *pairs = NULL;
  g_autoptr (GError) error = NULL;
  g_assert_false (read_text (test->text, -1, &pairs, &error));
  g_assert_null (pairs);
  g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE);
  g_assert_cmpstr (error->message, ==, test->message);
}

static void
test_rubbish (void)
{
  GPtrArray *pairs = NULL;
  g_autoptr (GError) error = NULL;
  g_assert_false (read_text ("procs: \xff\xfe\x01", 10, &pairs, &error));
  g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE);
  g_assert_true (g_str_has_prefix (error->message, "file.yaml: byte 7: "));
}

static void
test_too_large (void)
{
  g_autofree char *text = g_strnfill (LK_CONFIG_FILE_MAX_BYTES + 1, '#');
  GPtrArray *pairs = NULL;
  g_autoptr (GError) error = NULL;
  g_assert_false (read_text (text, -1, &pairs, &error));
  g_assert_cmpstr (error->message, ==, "file.yaml: larger than 1048576 bytes");
}

static void
test_deep (void)
{
  /* Far deeper than any stack of ours would like; it is refused at the first level that does not
   * belong. */
  g_autofree char *text = g_strnfill (100000, '[');
  GPtrArray *pairs = NULL;
  g_autoptr (GError) error = NULL;
  g_assert_false (read_text (text, -1, &pairs, &error));
  g_assert_cmpstr (error->message, ==, "file.yaml:1:1: expected 'key: value' lines");
}

static void
test_missing (void)
{
  GPtrArray *pairs = NULL;
  g_autoptr (GError) error = NULL;
  g_assert_false (lk_config_file_read ("/nonexistent/x.yaml", known, &pairs, &error));
  g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ);
  g_assert_cmpstr (
      error->message, ==,
      "configuration '/nonexistent/x.yaml': cannot be opened: No such file or directory");
  g_clear_error (&error);
  g_assert_false (lk_config_file_read ("/", known, &pairs, &error));
  g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (good_cases); i++) {
    g_autofree char *path = g_strdup_printf ("/config_file/reads %s", good_cases[i].name);
    g_test_add_data_func (path, &good_cases[i], test_good);
  }
  for (guint i = 0; i < G_N_ELEMENTS (bad_cases); i++) {
    g_autofree char *path = g_strdup_printf ("/config_file/refuses %s", bad_cases[i].name);
    g_test_add_data_func (path, &bad_cases[i], test_bad);
  }
  g_test_add_func ("/config_file/refuses bytes that are not text", test_rubbish);
  g_test_add_func ("/config_file/refuses a file that is too large", test_too_large);
  g_test_add_func ("/config_file/refuses brackets nested without end", test_deep);
  g_test_add_func ("/config_file/says why a file cannot be read", test_missing);
  return g_test_run ();
}
