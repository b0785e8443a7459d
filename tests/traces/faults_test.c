/* tests/traces/faults_test.c — what is wrong, kept and sorted. */
#include "traces/faults.h"

#include "traces/trace_error.h"

static void
test_order (void)
{
  static const char *const added[] = {
    "b.conf:3: third",           "a:1: of a file with an odd name: x",
    "b.conf:2: second",          "cannot read 'x'",
    "b.conf: of the whole file", "new.conf:7: unknown before",
    "b.conf:2: second",          "a:10: later",
  };
  static const char *const expected[] = {
    "b.conf: of the whole file",
    "b.conf:2: second",
    "b.conf:3: third",
    "a:1: of a file with an odd name: x",
    "a:10: later",
    "new.conf:7: unknown before",
    "cannot read 'x'",
  };
  g_autoptr (LkFaults) faults = lk_faults_new ();
  lk_faults_note_file (faults, "b.conf");
  lk_faults_note_file (faults, "a");
  for (guint i = 0; i < G_N_ELEMENTS (added); i++)
    lk_faults_add (faults, LK_FAULT_ERROR, added[i]);
  const GPtrArray *sorted = lk_faults_sorted (faults);
  g_assert_cmpuint (sorted->len, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < sorted->len; i++)
    g_assert_cmpstr (((const LkFault *)g_ptr_array_index (sorted, i))->message, ==, expected[i]);
  const LkFault *second = g_ptr_array_index (sorted, 1);
  g_assert_cmpstr (second->file, ==, "b.conf");
  g_assert_cmpuint (second->line_number, ==, 2);
  g_assert_cmpstr (second->text, ==, "second");
  const LkFault *last = g_ptr_array_index (sorted, 6);
  g_assert_cmpstr (last->file, ==, "");
}

static void
test_bound (void)
{
  g_autoptr (LkFaults) faults = lk_faults_new ();
  for (guint i = 0; i < LK_FAULTS_MAX; i++) {
    GError *error = g_error_new (LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX, "f:%u: x", i + 1);
    g_assert_true (lk_faults_goes_on (faults, &error));
    g_assert_no_error (error);
  }
  g_autoptr (GError) error = g_error_new (LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX, "f:9999: x");
  g_assert_false (lk_faults_goes_on (faults, &error));
  g_assert_nonnull (error);
  lk_faults_add (faults, LK_FAULT_WARNING, "f:1: a warning");
  g_assert_cmpuint (lk_faults_count (faults, LK_FAULT_ERROR), ==, LK_FAULTS_MAX);
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  lk_faults_append_messages (faults, LK_FAULT_WARNING, warnings);
  g_assert_cmpuint (warnings->len, ==, 1);
}

static void
test_none (void)
{
  g_autoptr (GError) error = g_error_new (LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX, "f:1: x");
  g_autoptr (LkFaults) faults = lk_faults_new ();
  GError *nothing = NULL;
  g_assert_false (lk_faults_goes_on (NULL, &error));
  g_assert_nonnull (error);
  g_assert_false (lk_faults_goes_on (faults, &nothing));
  g_assert_cmpuint (lk_faults_count (faults, LK_FAULT_ERROR), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/faults/stand in the order of files and lines, each once", test_order);
  g_test_add_func ("/faults/are bounded, and warnings count apart", test_bound);
  g_test_add_func ("/faults/nobody goes on where none are kept", test_none);
  return g_test_run ();
}
