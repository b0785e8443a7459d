/* tests/sim/trace_links_test.c — dependencies in the numbers of a log, and in those of a run. */
#include <glib.h>

#include "sim/trace_links.h"

static LkTraceLinks *
links_new (void)
{
  LkTraceLinks *self = lk_trace_links_new ();
  lk_trace_links_note (self, 1001, NULL, 1);
  /* Tasks that are jobs of their own; the last has the array's number. */
  lk_trace_links_note (self, 1003, "1002_0", 2);
  lk_trace_links_note (self, 1004, "1002_5", 3);
  lk_trace_links_note (self, 1002, "1002_7", 4);
  /* Components; of the first run only. */
  lk_trace_links_note (self, 1010, "1010+0", 5);
  lk_trace_links_note (self, 1011, "1010+1", 6);
  /* An array as one job. */
  lk_trace_links_note (self, 1020, NULL, 7);
  return self;
}

static void
test_dependencies (void)
{
  static const struct {
    const char *log;
    const char *run;
  } cases[] = {
    { "afterok:1001", "afterok:1" },
    { "afterok:1002", "afterok:2:3:4" },
    { "afterok:1002_5", "afterok:3" },
    { "aftercorr:1002_*", "aftercorr:2:3:4" },
    { "after:1001+5:1002_0+2", "after:1+5:2+2" },
    { "1001", "afterany:1" },
    { "afterok:1020,afternotok:1020_3", "afterok:7,afternotok:7_3" },
    { "afterok:1010:1011", "afterok:5:6" },
    { "singleton,afterok:1001", "singleton,afterok:1" },
    /* Who is not known is left out. */
    { "afterok:999", "" },
    { "afterok:999:1001", "afterok:1" },
    { "afterok:999?afterany:1001?singleton", "afterany:1?singleton" },
    { "afterok:1002_6", "" },
  };
  g_autoptr (LkTraceLinks) links = links_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkJobTerms asked = { .begin_us = 5, .dependency = lk_text (cases[i].log) };
    const LkJobTerms *terms = lk_trace_links_terms (links, &asked);
    g_autofree char *seen = g_strndup (terms->dependency.bytes, terms->dependency.length_bytes);
    g_assert_cmpstr (seen != NULL ? seen : "", ==, cases[i].run);
    g_assert_cmpint (terms->begin_us, ==, 5);
  }
}

static void
test_others (void)
{
  g_autoptr (LkTraceLinks) links = links_new ();
  LkJobTerms terms = { .begin_us = 5 };
  g_assert_null (lk_trace_links_terms (links, NULL));
  g_assert_true (lk_trace_links_terms (links, &terms) == &terms);
  g_assert_cmpstr (lk_trace_links_task_name (links, 1020, 3), ==, "1020_3");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/trace links/dependencies get the numbers of the run", test_dependencies);
  g_test_add_func ("/sim/trace links/other terms stay as they are", test_others);
  return g_test_run ();
}
