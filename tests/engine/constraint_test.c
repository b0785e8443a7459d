/* tests/engine/constraint_test.c — constraints on features, read and turned into sets of nodes.
 *
 * Five nodes n0 to n4 have features: n0 a, n1 b, n2 a b, n3 c, n4 a c.  What was read is told as
 * "nodes 0,2; one of 0 1; 4 of 0,2" with the members of each set.  The table is written from the
 * grammar that sbatch(1) gives for --constraint. */
#include <string.h>

#include "engine/constraint.h"

/* ---------------------------------------------------------------- nodes */

static void
add_node (LkCluster *cluster, const char *name, const char *features)
{
  LkNodeSpec *node = lk_cluster_add_nodes (cluster, name);
  g_auto (GStrv) words = g_strsplit (features, " ", -1);
  for (guint i = 0; words[i] != NULL; i++)
    lk_node_spec_add_feature (node, words[i]);
}

static LkCluster *
nodes_new (LkNodeTable *out_nodes)
{
  LkCluster *cluster = lk_cluster_new ("features");
  LkClusterError error;
  add_node (cluster, "n0", "a");
  add_node (cluster, "n1", "b");
  add_node (cluster, "n2", "a b");
  add_node (cluster, "n3", "c ib=hdr-1.0");
  add_node (cluster, "n4", "a c");
  g_assert_true (lk_cluster_check (cluster, &error));
  lk_node_table_init (out_nodes, cluster);
  return cluster;
}

/* ---------------------------------------------------------------- what was read */

static void
tell_set (GString *out, const char *before, const guint64 *set)
{
  const char *separator = before;
  for (guint32 node = 0; node < 64; node++)
    if (lk_bits_has (set, node)) {
      g_string_append_printf (out, "%s%u", separator, node);
      separator = ",";
    }
  if (separator == before)
    g_string_append_printf (out, "%s-", before);
}

static char *
told (const LkConstraint *constraint)
{
  GString *out = g_string_new (NULL);
  if (constraint->nodes != NULL)
    tell_set (out, "nodes ", constraint->nodes);
  if (constraint->alternatives != NULL) {
    g_string_append (out, out->len > 0 ? "; one of" : "one of");
    for (guint i = 0; i < constraint->alternatives->len; i++)
      tell_set (out, " ", g_ptr_array_index (constraint->alternatives, i));
  }
  for (guint i = 0; constraint->counts != NULL && i < constraint->counts->len; i++) {
    const LkFeatureCount *count = &g_array_index (constraint->counts, LkFeatureCount, i);
    g_string_append_printf (out, "%s%u of", out->len > 0 ? "; " : "", count->count);
    tell_set (out, " ", count->nodes);
  }
  return g_string_free (out, FALSE);
}

static char *
read_bytes (const char *text, gsize length_bytes)
{
  LkNodeTable nodes;
  LkConstraint constraint;
  char *result = NULL;
  LkCluster *cluster = nodes_new (&nodes);
  /* Not terminated, so that a memory checker sees a read past the end. */
  g_autofree char *bytes = g_memdup2 (text, length_bytes);
  LkConstraintStatus status = lk_constraint_init (&constraint, &nodes, bytes, length_bytes);
  if (status == LK_CONSTRAINT_GOOD) {
    result = told (&constraint);
    lk_constraint_clear (&constraint);
  } else {
    result = g_strdup (status == LK_CONSTRAINT_SYNTAX ? "syntax" : "unknown");
  }
  g_assert_null (constraint.nodes);
  g_assert_null (constraint.alternatives);
  g_assert_null (constraint.counts);
  lk_node_table_clear (&nodes);
  lk_cluster_free (cluster);
  return result;
}

/* ---------------------------------------------------------------- the grammar */

typedef struct {
  const char *rule;
  const char *text;
  const char *expected;
} Case;

static const Case cases[] = {
  { "nothing asks for nothing", "", "" },
  { "a feature", "a", "nodes 0,2,4" },
  { "a feature with all that a name may have", "ib=hdr-1.0", "nodes 3" },
  { "both", "a&b", "nodes 2" },
  { "both, where no node has both", "b&c", "nodes -" },
  { "either", "a|b", "nodes 0,1,2,4" },
  { "three of them", "a|b|c", "nodes 0,1,2,3,4" },
  { "or, then and: from left to right", "a|b&c", "nodes 4" },
  { "and, then or: from left to right", "c&a|b", "nodes 1,2,4" },
  { "parentheses go first", "a|(b&c)", "nodes 0,2,4" },
  { "parentheses at the front", "(b|c)&a", "nodes 2,4" },
  { "parentheses around all", "((a))", "nodes 0,2,4" },
  { "two groups", "(a&b)|(a&c)", "nodes 2,4" },
  { "groups in groups", "a&(b|(c&a))", "nodes 2,4" },

  { "all nodes of one alternative", "[a|b]", "one of 0,2,4 1,2" },
  { "alternatives keep their order", "[c|b|a]", "one of 3,4 1,2 0,2,4" },
  { "a single alternative", "[a]", "one of 0,2,4" },
  { "an alternative is a group", "[(a&b)|c]", "one of 2 3,4" },
  { "what stands before the bracket is for all nodes", "a&[b|c]", "nodes 0,2,4; one of 1,2 3,4" },
  { "more than a feature before the bracket", "a|b&[b|c]", "nodes 0,1,2,4; one of 1,2 3,4" },
  { "what stands behind the bracket is for all nodes", "[b|c]&a", "nodes 0,2,4; one of 1,2 3,4" },
  { "more than a feature behind the bracket", "[b|c]&a|b", "nodes 0,1,2,4; one of 1,2 3,4" },

  { "a count", "a*4", "4 of 0,2,4" },
  { "a count of a group", "(a&b)*2", "2 of 2" },
  { "the largest count", "a*1000000", "1000000 of 0,2,4" },
  { "a count in a bracket", "[a*2]", "2 of 0,2,4" },
  { "several counts", "[a*2&b*4]", "2 of 0,2,4; 4 of 1,2" },
  { "three counts", "[a*2&b*4&c*1]", "2 of 0,2,4; 4 of 1,2; 1 of 3,4" },
  { "a count of a group in a bracket", "[(a|c)*2&b*1]", "2 of 0,2,3,4; 1 of 1,2" },
  { "counts among nodes that all have a feature", "a&[b*1&c*1]",
    "nodes 0,2,4; 1 of 1,2; 1 of 3,4" },
  { "counts with what is behind them", "[b*1&c*1]&a", "nodes 0,2,4; 1 of 1,2; 1 of 3,4" },

  { "a feature that no node has", "gone", "unknown" },
  { "a name is told from a longer one", "aa", "unknown" },
  { "a name is told from a shorter one", "ib=hdr", "unknown" },
  { "names have a case", "A", "unknown" },
  { "an unknown one among others", "a&gone", "unknown" },
  { "an unknown one in a group", "(gone|a)", "unknown" },
  { "an unknown one in a bracket", "[a|gone]", "unknown" },
  { "an unknown one with a count", "gone*2", "unknown" },
  { "an unknown one behind a bracket", "[a|b]&gone", "unknown" },
  { "the first thing that is wrong is told", "gone&", "unknown" },
  { "and not a later one", "a||gone", "syntax" },

  { "an operator alone", "&", "syntax" },
  { "an operator at the front", "|a", "syntax" },
  { "an operator at the end", "a&", "syntax" },
  { "two operators", "a&&b", "syntax" },
  { "nothing between names", "(a)b", "syntax" },
  { "a space", "a b", "syntax" },
  { "a space behind", "a ", "syntax" },
  { "a comma", "a,b", "syntax" },
  { "an exclamation mark", "!a", "syntax" },
  { "an empty group", "()", "syntax" },
  { "a group that is not closed", "(a|b", "syntax" },
  { "a group that was not opened", "a)", "syntax" },
  { "a group closed by a bracket", "(a]", "syntax" },
  { "an empty bracket", "[]", "syntax" },
  { "a bracket that is not closed", "[a|b", "syntax" },
  { "a bracket that ends in an operator", "[a|", "syntax" },
  { "a bracket with an empty alternative", "[a|]", "syntax" },
  { "a bracket that was not opened", "a]", "syntax" },
  { "a bracket in a bracket", "[[a|b]]", "syntax" },
  { "a bracket in a group", "(a&[b|c])", "syntax" },
  { "two brackets", "[a|b]&[b|c]", "syntax" },
  { "two brackets around a feature", "[a|b]&c&[b|c]", "syntax" },
  { "a bracket joined by or", "[a|b]|c", "syntax" },
  { "or before a bracket", "c|[a|b]", "syntax" },
  { "a bracket next to a name", "c[a|b]", "syntax" },
  { "a name next to a bracket", "[a|b]c", "syntax" },
  { "alternatives joined by and", "[a&b]", "syntax" },
  { "alternatives joined by both", "[a|b&c]", "syntax" },
  { "counts joined by or", "[a*2|b*4]", "syntax" },
  { "counts joined by both", "[a*2&b*4|c*1]", "syntax" },
  { "counts and alternatives", "[a*2&b]", "syntax" },
  { "alternatives and counts", "[a|b*2]", "syntax" },
  { "a count of none", "a*0", "syntax" },
  { "a count that is missing", "a*", "syntax" },
  { "a count that is a name", "a*b", "syntax" },
  { "a count below none", "a*-1", "syntax" },
  { "a count that is too large", "a*1000001", "syntax" },
  { "a count that is beyond all numbers", "a*18446744073709551620", "syntax" },
  { "two counts of one feature", "a*2*3", "syntax" },
  { "a count among several features", "a*2&b", "syntax" },
  { "a count as the second of them", "a&b*2", "syntax" },
  { "a count inside a group", "(a*2)", "syntax" },
  { "a count before a bracket", "a*2&[b|c]", "syntax" },
  { "a count and what does not belong there", "a*2)", "syntax" },
};

static void
test_case (gconstpointer data)
{
  const Case *row = data;
  g_autofree char *found = read_bytes (row->text, strlen (row->text));
  g_assert_cmpstr (found, ==, row->expected);
}

static void
test_depth (void)
{
  for (guint depth = 0; depth <= 12; depth++) {
    g_autofree char *open = g_strnfill (depth, '(');
    g_autofree char *close = g_strnfill (depth, ')');
    g_autofree char *text = g_strconcat ("c|", open, "a", close, NULL);
    g_autofree char *found = read_bytes (text, strlen (text));
    g_assert_cmpstr (found, ==, depth <= 8 ? "nodes 0,2,3,4" : "syntax");
  }
  g_autofree char *many = g_strnfill (60000, '(');
  g_autofree char *found = read_bytes (many, strlen (many));
  g_assert_cmpstr (found, ==, "syntax");
}

static void
test_zero_bytes (void)
{
  static const struct {
    const char *bytes;
    gsize length_bytes;
  } texts[] = { { "\0", 1 },     { "a\0", 2 },    { "a\0b", 3 },  { "a&\0", 3 },    { "[a\0", 3 },
                { "[a|\0", 4 },  { "(a\0)", 4 },  { "a*\0", 3 },  { "a*2\0", 4 },   { "[a]\0", 4 },
                { "[a]&\0", 5 }, { "a*2\0]", 5 }, { "a\xff", 2 }, { "\xc3\xa9", 2 } };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree char *found = read_bytes (texts[i].bytes, texts[i].length_bytes);
    g_assert_cmpstr (found, ==, "syntax");
  }
}

/* Only so many bytes are read. */
static void
test_length (void)
{
  static const char text[] = "a&b&c";
  g_autofree char *first = read_bytes (text, 1);
  g_autofree char *second = read_bytes (text, 3);
  g_autofree char *half = read_bytes (text, 2);
  g_assert_cmpstr (first, ==, "nodes 0,2,4");
  g_assert_cmpstr (second, ==, "nodes 2");
  g_assert_cmpstr (half, ==, "syntax");
}

/* Sets and features of more than one word. */
static void
test_many_nodes (void)
{
  LkNodeTable nodes;
  LkConstraint constraint;
  LkClusterError error;
  g_autoptr (LkCluster) cluster = lk_cluster_new ("many");
  for (guint i = 0; i < 200; i++) {
    g_autofree char *name = g_strdup_printf ("n%u", i);
    g_autofree char *features = g_strdup_printf ("f%u%s", i, i % 50 == 49 ? " last" : "");
    add_node (cluster, name, features);
  }
  g_assert_true (lk_cluster_check (cluster, &error));
  lk_node_table_init (&nodes, cluster);
  static const char text[] = "f0|f63|f64|f150|last";
  g_assert_cmpint (lk_constraint_init (&constraint, &nodes, text, strlen (text)), ==,
                   LK_CONSTRAINT_GOOD);
  for (guint32 node = 0; node < 200; node++)
    g_assert_cmpint (lk_bits_has (constraint.nodes, node), ==,
                     node == 0 || node == 63 || node == 64 || node == 150 || node % 50 == 49);
  lk_constraint_clear (&constraint);
  lk_node_table_clear (&nodes);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_strdup_printf ("/constraint/%s", cases[i].rule);
    g_test_add_data_func (path, &cases[i], test_case);
  }
  g_test_add_func ("/constraint/parentheses are at most eight deep", test_depth);
  g_test_add_func ("/constraint/a byte that no name has is wrong everywhere", test_zero_bytes);
  g_test_add_func ("/constraint/nothing is read behind the end", test_length);
  g_test_add_func ("/constraint/there may be many nodes and features", test_many_nodes);
  return g_test_run ();
}
