/* tests/sim/gate/starts_test.c */
#include "sim/gate/starts.h"

#include <string.h>

#include "sim/error.h"

typedef struct {
  gint64 job;
  const char *name;
  gint64 user;
  guint32 procs;
  gint64 submit_s;
  gint64 start_s;
  const char *nodes;
  const char *account;
} Row;

static LkGateStarts *
starts_of (const Row *rows, guint count)
{
  LkGateStarts *starts = lk_gate_starts_new ();
  for (guint i = 0; i < count; i++) {
    LkJobRecord record = { .job_id = rows[i].job,
                           .name = rows[i].name,
                           .user = rows[i].user,
                           .procs = rows[i].procs,
                           .submit_us = rows[i].submit_s * G_USEC_PER_SEC,
                           .start_us = rows[i].start_s * G_USEC_PER_SEC + (i == 0 ? 5 : 0),
                           .account = rows[i].account };
    LkSimResult result = { .nodes = rows[i].nodes };
    lk_gate_starts_take (starts, &record, &result);
  }
  return starts;
}

static const Row before_rows[] = {
  { 10, NULL, 1, 4, 0, 30, "n[1-2]", "physics" }, { 9, "9_1", 1, 1, 0, 10, NULL, NULL },
  { 2, NULL, 2, 100, 5, 10, "n1", NULL },         { 3, NULL, 2, 1, 5, 40, NULL, NULL },
  { 3, NULL, 2, 1, 5, 90, NULL, NULL }, /* again, after a requeue */
};

static void
text (void)
{
  static const char expected[] = "run d1 a/b/c\n2 10 n1\n9_1 10 -\n10 30.000005 n[1-2]\n3 40 -\n"
                                 "3 90 -\n";
  g_autoptr (LkGateStarts) starts = starts_of (before_rows, G_N_ELEMENTS (before_rows));
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GString) again = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  lk_gate_starts_append (starts, "d1 a/b/c", out);
  g_assert_cmpstr (out->str, ==, expected);
  g_autoptr (GHashTable) runs = lk_gate_starts_read ("s", out->str, out->len, &error);
  g_assert_no_error (error);
  lk_gate_starts_append (g_hash_table_lookup (runs, "d1 a/b/c"), "d1 a/b/c", again);
  g_assert_cmpstr (again->str, ==, expected);
}

/* By hand: user 1 has 10 (30 -> 50: waits 30 and 50) and 9_1 (10 -> 10: 10 and 10); user 2 has the
 * two runs of 3 (35 and 85, then 35 and 95), while 2 is gone and 4 is new. */
static void
difference (void)
{
  static const Row after_rows[] = {
    { 10, NULL, 1, 4, 0, 50, "n[1-2]", "physics" },
    { 9, "9_1", 1, 1, 0, 10, "n3", NULL },
    { 3, NULL, 2, 1, 5, 40, NULL, NULL },
    { 3, NULL, 2, 1, 5, 100, NULL, NULL },
    { 4, NULL, 2, 1, 5, 7, NULL, NULL },
  };
  g_autoptr (LkGateStarts) before = starts_of (before_rows, G_N_ELEMENTS (before_rows));
  g_autoptr (LkGateStarts) after = starts_of (after_rows, G_N_ELEMENTS (after_rows));
  g_autoptr (LkGateDifference) found = lk_gate_difference_new (before, after);
  static const char *const order[] = { "4", "2", "9_1", "10", "3" };
  g_assert_cmpuint (found->moved_count, ==, 2);
  g_assert_cmpuint (found->placed_count, ==, 1);
  g_assert_cmpuint (found->gone_count, ==, 1);
  g_assert_cmpuint (found->new_count, ==, 1);
  g_assert_cmpuint (found->changes->len, ==, G_N_ELEMENTS (order));
  for (guint i = 0; i < G_N_ELEMENTS (order); i++) {
    const LkGateChange *change = &g_array_index (found->changes, LkGateChange, i);
    const LkGateStart *known = change->after != NULL ? change->after : change->before;
    g_assert_cmpstr (known->job, ==, order[i]);
  }
  g_assert_cmpuint (found->users->len, ==, 2);
  const LkGateGroup *first = g_ptr_array_index (found->users, 0);
  const LkGateGroup *second = g_ptr_array_index (found->users, 1);
  g_assert_cmpstr (first->name, ==, "user 1");
  g_assert_cmpuint (first->job_count, ==, 2);
  g_assert_cmpuint (first->moved_count, ==, 1);
  g_assert_cmpfloat_with_epsilon (first->before_mean_s, 20, 1e-5);
  g_assert_cmpfloat_with_epsilon (first->after_mean_s, 30, 1e-5);
  g_assert_cmpfloat_with_epsilon (second->before_mean_s, 60, 1e-5);
  g_assert_cmpfloat_with_epsilon (second->after_mean_s, 65, 1e-5);
  g_assert_cmpuint (found->accounts->len, ==, 1);
  g_assert_cmpstr (((LkGateGroup *)g_ptr_array_index (found->accounts, 0))->name, ==, "physics");
  g_assert_cmpuint (found->sizes->len, ==, 2);
}

static void
same (void)
{
  g_autoptr (LkGateStarts) before = starts_of (before_rows, G_N_ELEMENTS (before_rows));
  g_autoptr (LkGateStarts) after = starts_of (before_rows, G_N_ELEMENTS (before_rows));
  g_autoptr (LkGateDifference) found = lk_gate_difference_new (before, after);
  g_assert_cmpuint (found->changes->len, ==, 0);
  g_assert_cmpuint (found->users->len, ==, 0);
}

static void
errors_have_places (void)
{
  static const struct {
    const char *text;
    guint line;
  } cases[] = { { "1 2 -\n", 1 },          { "run a\n1 2\n", 2 },     { "run a\n1 x -\n", 2 },
                { "run a\n1 2.5 -\n", 2 }, { "run a\n1 2 - -\n", 2 }, { "run a\nrun a\n", 2 },
                { "run a\n1 2 -", 2 },     { "run a\n1 -2 -\n", 2 },  { "run \n", 1 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *place = g_strdup_printf ("s.gz:%u: expected", cases[i].line);
    g_assert_null (lk_gate_starts_read ("s.gz", cases[i].text, strlen (cases[i].text), &error));
    g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT);
    g_assert_true (g_str_has_prefix (error->message, place));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/starts/the text is in order of time and reads back", text);
  g_test_add_func ("/starts/a difference tells what changed first, and whom it meets", difference);
  g_test_add_func ("/starts/equal lists have no difference", same);
  g_test_add_func ("/starts/errors say where", errors_have_places);
  return g_test_run ();
}
