/* tests/engine/hostlist_test.c — lists of names with numbers, both ways.
 *
 * What Slurm makes of the same texts: `scontrol show hostnames` and `hostlist`. */
#include "engine/hostlist.h"

#include <string.h>

#include "tests/engine/seed.h"

static GPtrArray *
names_new (void)
{
  return g_ptr_array_new_with_free_func (g_free);
}

/* With blanks between. */
static char *
joined (const GPtrArray *names)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf (text, i > 0 ? " %s" : "%s", (char *)g_ptr_array_index (names, i));
  return g_string_free (text, FALSE);
}

static gboolean
expand (const char *text, GPtrArray *names, const char **error)
{
  /* An exact copy, so that a sanitizer sees a byte read behind the end. */
  gsize length_bytes = strlen (text);
  g_autofree char *copy = g_memdup2 (text, length_bytes);
  return lk_hostlist_expand (copy, length_bytes, names, error);
}

static char *
compressed (const GPtrArray *names)
{
  GString *text = g_string_new (NULL);
  lk_hostlist_compress ((const char *const *)names->pdata, names->len, text);
  return g_string_free (text, FALSE);
}

/* ---------------------------------------------------------------- expanding */

static void
test_expand (void)
{
  static const struct {
    const char *list;
    const char *names;
  } rows[] = {
    { "", "" },
    { "login", "login" },
    { "a,b,c", "a b c" },
    { "n[1-3]", "n1 n2 n3" },
    { "n[1-3,5]", "n1 n2 n3 n5" },
    { "n[7]", "n7" },
    { "n[5,1-2,1]", "n5 n1 n2 n1" },
    { "n[08-11]", "n08 n09 n10 n11" },
    { "n[8-11]", "n8 n9 n10 n11" },
    { "n[098-101]", "n098 n099 n100 n101" },
    { "n[1-010]", "n1 n2 n3 n4 n5 n6 n7 n8 n9 n10" },
    { "n[00-02]", "n00 n01 n02" },
    { "r[0-1]n[0-2]", "r0n0 r0n1 r0n2 r1n0 r1n1 r1n2" },
    { "r[1,3]n[8-9,11]x[0-1]", "r1n8x0 r1n8x1 r1n9x0 r1n9x1 r1n11x0 r1n11x1 "
                               "r3n8x0 r3n8x1 r3n9x0 r3n9x1 r3n11x0 r3n11x1" },
    { "n[1-2]-ib", "n1-ib n2-ib" },
    { "[1-2]", "1 2" },
    { "[1-2][3-4]", "13 14 23 24" },
    { "a[1-2],b,c[3]", "a1 a2 b c3" },
    { "n1,n1", "n1 n1" },
    { "n[999999999999999998-999999999999999999]", "n999999999999999998 n999999999999999999" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GPtrArray) names = names_new ();
    const char *error = NULL;
    g_assert_true (expand (rows[i].list, names, &error));
    g_assert_null (error);
    g_autofree char *text = joined (names);
    g_assert_cmpstr (text, ==, rows[i].names);
    guint64 count = 0;
    g_assert_true (lk_hostlist_count (rows[i].list, strlen (rows[i].list), &count));
    g_assert_cmpuint (count, ==, names->len);
  }
}

/* Printed by scontrol show hostnames of a real Slurm (22.05.8). */
static void
test_printed (void)
{
  static const char *const rows[][2] = {
    { "r[1-2]c[1-2]", "r1c1 r1c2 r2c1 r2c2" },
    { "r[1-2]c[1-2]n[1-2]", "r1c1n1 r1c1n2 r2c1n1 r2c1n2 r1c2n1 r1c2n2 r2c2n1 r2c2n2" },
    { "a[1]b[1-2]c[1-2]d[1-2]", "a1b1c1d1 a1b1c1d2 a1b2c1d1 a1b2c1d2 "
                                "a1b1c2d1 a1b1c2d2 a1b2c2d1 a1b2c2d2" },
    { "x,n[1-2]", "x n1 n2" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GPtrArray) names = names_new ();
    g_assert_true (lk_hostlist_expand_printed (rows[i][0], strlen (rows[i][0]), names, NULL));
    g_autofree char *text = joined (names);
    g_assert_cmpstr (text, ==, rows[i][1]);
  }
}

static void
test_append (void)
{
  g_autoptr (GPtrArray) names = names_new ();
  g_assert_true (expand ("a", names, NULL));
  g_assert_true (expand ("b[1-2]", names, NULL));
  g_assert_false (expand ("c[1-2],d[", names, NULL));
  g_autofree char *text = joined (names);
  g_assert_cmpstr (text, ==, "a b1 b2");
}

static void
test_errors (void)
{
  static const struct {
    const char *list;
    const char *error; /* the middle of it */
  } rows[] = {
    { ",", "a name is empty" },
    { "a,", "a name is empty" },
    { ",a", "a name is empty" },
    { "a,,b", "a name is empty" },
    { "n[", "not a number" },
    { "n[]", "not a number" },
    { "n[1", "not closed" },
    { "n[1-", "no end" },
    { "n[1-]", "no end" },
    { "n[-1]", "not a number" },
    { "n[1,]", "not a number" },
    { "n[,1]", "not a number" },
    { "n[a]", "not a number" },
    { "n[1a]", "more than numbers" },
    { "n[1-2-3]", "more than numbers" },
    { "n[1 ]", "more than numbers" },
    { "n[[1]]", "not a number" },
    { "n[1[2]]", "more than numbers" },
    { "n]", "not opened" },
    { "n[1]]", "not opened" },
    { "n[3-2]", "ends below" },
    { "n[1234567890123456789]", "18 digits" },
    { "n[1-1234567890123456789]", "18 digits" },
    { "n[0-1000000]", "more than 1000000" },
    { "n[0-999999999999999999,0-999999999999999999]", "more than 1000000" },
    { "n[0-999]x[0-1000]", "more than 1000000" },
    { "n[0-999999]x[0-999999]x[0-999999]x[0-999999]", "more than 1000000" },
    { "n[1-600000],m[1-600000]", "more than 1000000" },
    { "a b", "a blank" },
    { "a, b", "a blank" },
    { "a\n", "a blank" },
    { "n\xc3\xbc", "outside ASCII" },
    { "[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]", "more than 16 brackets" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GPtrArray) names = names_new ();
    const char *error = NULL;
    if (expand (rows[i].list, names, &error))
      g_error ("'%s' was taken", rows[i].list);
    g_assert_cmpuint (names->len, ==, 0);
    if (strstr (error, rows[i].error) == NULL)
      g_error ("'%s': %s", rows[i].list, error);
  }
}

static void
test_limits (void)
{
  const char *error;
  g_autoptr (GPtrArray) names = names_new ();
  g_assert_true (expand ("n[0-999999]", names, NULL));
  g_assert_cmpuint (names->len, ==, LK_HOSTLIST_NAMES_MAX);
  g_assert_cmpstr (g_ptr_array_index (names, 999999), ==, "n999999");
  g_autofree char *longest = g_strnfill (LK_HOSTLIST_NAME_BYTES_MAX - 2, 'x');
  g_autofree char *fits = g_strconcat (longest, "[8-10]", NULL);
  g_autofree char *too_long = g_strconcat (longest, "[8-10]y", NULL);
  g_assert_true (expand (fits, names, NULL));
  g_assert_cmpuint (strlen (g_ptr_array_index (names, 1000002)), ==, LK_HOSTLIST_NAME_BYTES_MAX);
  g_assert_false (expand (too_long, names, &error));
  g_assert_cmpstr (error, ==, "a name is longer than 255 letters");
  g_assert_cmpuint (names->len, ==, 1000003);
  g_assert_false (lk_hostlist_expand ("a\0b", 3, names, &error));
}

/* ---------------------------------------------------------------- compressing */

static void
test_compress (void)
{
  static const struct {
    const char *names; /* with commas between */
    const char *list;
  } rows[] = {
    { "", "" },
    { "login", "login" },
    { "n5", "n5" },
    { "n1,n2,n3,n5", "n[1-3,5]" },
    { "n1,n2", "n[1-2]" },
    { "n1,n3", "n[1,3]" },
    { "n3,n2,n1", "n[3,2,1]" },
    { "n1,n1", "n[1,1]" },
    { "n8,n9,n10,n11", "n[8-11]" },
    { "n08,n09,n10,n11", "n[08-11]" },
    { "n098,n099,n100,n101", "n[098-101]" },
    { "n98,n99,n100", "n[98-100]" },
    { "n09,n010", "n09,n010" },
    { "n5,n05", "n5,n05" },
    { "n10,n09", "n[10,09]" },
    { "n1,m2", "n1,m2" },
    { "n1-ib,n2-ib,n3-ib", "n[1-3]-ib" },
    { "n1-ib,n2-eth", "n1-ib,n2-eth" },
    { "n1,n2x", "n1,n2x" },
    { "r0n0,r0n1,r1n0,r1n1", "r0n[0-1],r1n[0-1]" },
    { "a,b", "a,b" },
    { "a,a1,a2,b", "a,a[1-2],b" },
    { "1,2,3", "[1-3]" },
    { "n999999999999999999,n1000000000000000000", "n999999999999999999,n1000000000000000000" },
    { "n1234567890123456788,n1234567890123456789", "n1[234567890123456788-234567890123456789]" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GPtrArray) names = names_new ();
    g_assert_true (expand (rows[i].names, names, NULL));
    g_autofree char *text = compressed (names);
    g_assert_cmpstr (text, ==, rows[i].list);
  }
}

static void
random_names (Seed *seed, GPtrArray *names)
{
  static const char *const prefixes[] = { "n", "gpu", "r1n", "", "x-" };
  static const char *const suffixes[] = { "", "", "-ib", "a" };
  const char *prefix = prefixes[seed_below (seed, G_N_ELEMENTS (prefixes))];
  const char *suffix = suffixes[seed_below (seed, G_N_ELEMENTS (suffixes))];
  int width = 1 + (int)seed_below (seed, 3);
  guint32 first = seed_below (seed, 120);
  guint32 count = 1 + seed_below (seed, 12);
  for (guint32 i = 0; i < count; i++)
    g_ptr_array_add (names, g_strdup_printf ("%s%0*u%s", prefix, width, first + i, suffix));
}

static void
test_there_and_back (void)
{
  Seed seed = { 1 };
  for (guint round = 0; round < 2000; round++) {
    g_autoptr (GPtrArray) names = names_new ();
    g_autoptr (GPtrArray) again = names_new ();
    for (guint32 i = seed_below (&seed, 5); i-- > 0;)
      random_names (&seed, names);
    g_autofree char *list = compressed (names);
    g_assert_true (expand (list, again, NULL));
    g_autofree char *before = joined (names);
    g_autofree char *after = joined (again);
    g_assert_cmpstr (before, ==, after);
    g_autofree char *list_again = compressed (again);
    g_assert_cmpstr (list, ==, list_again);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hostlist/expands as Slurm does", test_expand);
  g_test_add_func ("/hostlist/lists are printed in the order of Slurm", test_printed);
  g_test_add_func ("/hostlist/appends, and takes nothing away when a list is wrong", test_append);
  g_test_add_func ("/hostlist/says what is wrong with a list", test_errors);
  g_test_add_func ("/hostlist/keeps to its limits", test_limits);
  g_test_add_func ("/hostlist/compresses as Slurm does, in the order given", test_compress);
  g_test_add_func ("/hostlist/expands to what it compressed", test_there_and_back);
  return g_test_run ();
}
