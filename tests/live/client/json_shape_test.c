/* tests/live/client/json_shape_test.c — shapes of JSON objects: what they write, and their schemas.
 */
#include <string.h>

#include "live/client/json/put.h"
#include "live/client/json/schema.h"
#include "live/client/json/indent.h"
#include "live/client/json/shape.h"
#include "live/client/json/shapes.h"

static void
put_row (GString *out, gconstpointer report, gconstpointer row)
{
  lk_put_string (out, report);
  g_assert_nonnull (row);
}

static void
put_seven (GString *out, gconstpointer report, gconstpointer row)
{
  (void)report;
  (void)row;
  lk_put_count (out, 7);
}

/* `members` end with a path of NULL. */
static char *
written (const char *text, guint version, const LkShapeMember *members)
{
  g_autoptr (LkShape) shape = lk_shape_new (text, version, members);
  GString *out = g_string_new (NULL);
  lk_shape_write (shape, "x\"y", "row", out);
  return g_string_free (out, FALSE);
}

static void
test_empty (void)
{
  static const LkShapeMember none[] = { { NULL, NULL } };
  g_autofree char *told =
      written ("{a:s b:i c:r d:b e:n f:f g:E h:a i:[{x:i}] j:{k:s l:i?} m:{} n:$tres}", 1, none);
  g_assert_cmpstr (told, ==,
                   "{\"a\":\"\",\"b\":0,\"c\":0.0,\"d\":false,"
                   "\"e\":{\"set\":false,\"infinite\":false,\"number\":0},"
                   "\"f\":{\"set\":false,\"infinite\":false,\"number\":0.0},\"g\":[],\"h\":[],"
                   "\"i\":[],\"j\":{\"k\":\"\",\"l\":null},\"m\":{},"
                   "\"n\":{\"type\":\"\",\"name\":\"\",\"id\":0,\"count\":0}}");
}

static void
test_filled (void)
{
  static const LkShapeMember members[] = {
    { "a", put_row }, { "j.k", put_seven }, { "i", put_row }, { "z", put_seven }, { NULL, NULL }
  };
  g_autofree char *told = written ("{a:s b:i i:[{x:i}] j:{k:i l:i} z:i}", 1, members);
  g_assert_cmpstr (told, ==,
                   "{\"a\":\"x\\\"y\",\"b\":0,\"i\":\"x\\\"y\",\"j\":{\"k\":7,\"l\":0},\"z\":7}");
}

/* A member that a version has not is not there, filled or not. */
static void
test_versions (void)
{
  static const LkShapeMember members[] = { { "b", put_seven }, { NULL, NULL } };
  static const char text[] = "{a@43:i b@-43:i c@43-44:{d:i} e:i}";
  static const struct {
    guint version;
    const char *told;
  } cases[] = {
    { 42, "{\"b\":7,\"e\":0}" },
    { 43, "{\"a\":0,\"b\":7,\"c\":{\"d\":0},\"e\":0}" },
    { 44, "{\"a\":0,\"c\":{\"d\":0},\"e\":0}" },
    { 45, "{\"a\":0,\"e\":0}" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *told = written (text, cases[i].version, members);
    g_assert_cmpstr (told, ==, cases[i].told);
  }
}

static void
test_schema (void)
{
  g_autoptr (GString) out = g_string_new (NULL);
  lk_shape_schema ("{a@2:i b@-1:[s] c:{d:n?}}", 1, out);
  g_assert_cmpstr (out->str, ==,
                   "{\"type\":\"object\",\"properties\":{"
                   "\n\"b\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
                   "\n\"c\":{\"type\":\"object\",\"properties\":{"
                   "\n\"d\":{\"anyOf\":[{\"type\":\"null\"},{\"$ref\":\"#/$defs/number\"}]}},"
                   "\"required\":[\"d\"],\"additionalProperties\":false}},"
                   "\"required\":[\"b\",\"c\"],\"additionalProperties\":false}");
}

/* All of them are made, each under a name of its own. */
static void
test_schemas (void)
{
  g_autoptr (GPtrArray) schemas = lk_json_schemas ();
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < schemas->len; i++) {
    const LkJsonSchema *schema = g_ptr_array_index (schemas, i);
    g_assert_true (g_hash_table_add (names, (gpointer)schema->name));
    g_assert_true (g_str_has_prefix (schema->text->str, "{\"$schema\":"));
  }
  g_assert_true (g_hash_table_contains (names, "sinfo"));
  g_assert_true (g_hash_table_contains (names, "slurm/v0.0.45/job"));
}

static void
test_values (void)
{
  g_autoptr (GString) out = g_string_new ("[");
  lk_put_tres (out, "cpu=4,mem=2G,gres/gpu:a=3,nothing");
  g_string_append_c (out, ' ');
  lk_put_list (out, "a,,b(1,2),c[3,4]", 16, ',');
  g_string_append_c (out, ' ');
  lk_put_real (out, 0.1);
  g_string_append_c (out, ' ');
  lk_put_real (out, 3);
  g_string_append_c (out, ' ');
  lk_put_real_number (out, TRUE, G_MAXDOUBLE * 2);
  g_string_append_c (out, ' ');
  lk_put_moment (out, G_MAXINT64);
  g_assert_cmpstr (out->str, ==,
                   "[[{\"type\":\"cpu\",\"name\":\"\",\"id\":1,\"count\":4},"
                   "{\"type\":\"mem\",\"name\":\"\",\"id\":2,\"count\":2048},"
                   "{\"type\":\"gres\",\"name\":\"gpu:a\",\"id\":0,\"count\":3}] "
                   "[\"a\",\"b(1,2)\",\"c[3,4]\"] 0.1 3.0 "
                   "{\"set\":false,\"infinite\":true,\"number\":0.0} "
                   "{\"set\":true,\"infinite\":false,\"number\":0}");
}

/* As Slurm lays it out; what goes in may be cut anywhere. */
static void
test_indent (void)
{
  static const char flat[] = "{\"a/b\":[{\"c\":\"{,: \\\"/\\\\\"},\n2],\"d\":[],\"e\":{}}\n";
  static const char laid_out[] = "{\n"
                                 "  \"a\\/b\": [\n"
                                 "    {\n"
                                 "      \"c\": \"{,: \\\"\\/\\\\\"\n"
                                 "    },\n"
                                 "    2\n"
                                 "  ],\n"
                                 "  \"d\": [\n"
                                 "  ],\n"
                                 "  \"e\": {\n"
                                 "  }\n"
                                 "}\n";
  for (gsize cut = 0; cut < sizeof flat; cut++) {
    g_autoptr (GString) out = g_string_new (NULL);
    LkJsonIndent indent = { 0 };
    lk_json_indent (&indent, flat, cut, out);
    lk_json_indent (&indent, flat + cut, sizeof flat - 1 - cut, out);
    g_assert_cmpstr (out->str, ==, laid_out);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json/what nobody fills is there and empty", test_empty);
  g_test_add_func ("/json/what is filled stands in its place", test_filled);
  g_test_add_func ("/json/a version has its own members", test_versions);
  g_test_add_func ("/json/a schema wants every member and no other", test_schema);
  g_test_add_func ("/json/every answer has a schema", test_schemas);
  g_test_add_func ("/json/single values are Slurm's", test_values);
  g_test_add_func ("/json shape/Slurm's form is laid out as Slurm does", test_indent);
  return g_test_run ();
}
