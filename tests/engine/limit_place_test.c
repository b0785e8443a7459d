/* tests/engine/limit_place_test.c — a job that has a place in a kept plan is kept by a limit: its
 * place is somebody else's at once. */
#include "tests/engine/limits_site.h"

/* ---------------------------------------------------------------- when it is due */

/* n1 has half the cores of n2.  phys may have 40: what job 3 asks for fits, n2 as a whole does not,
 * and that is told only by the place. */
static void
test_due (gconstpointer backfill)
{
  Site site;
  site_prepare (&site, "modify account phys set GrpTRES=cpu=40");
  node_fixture_add (site.cluster, "big", 64, 64000);
  site_start (&site, backfill);
  submit (&site, 1, "carol -N8 --exclusive -w n[1-8] -t 60");
  submit (&site, 2, "carol -N1 --exclusive -w big -t 20");
  pass (&site);
  submit (&site, 3, "bob -N1 --exclusive -t 30");
  submit (&site, 4, "carol -n1 -t 35");
  pass (&site);
  g_assert_true (runs (&site, 1));
  g_assert_true (runs (&site, 2));
  assert_waits (&site, 3, "Resources");
  end (&site, 15 * 60, 2);
  assert_waits (&site, 3, "AssocGrpCpuLimit");
  g_assert_true (runs (&site, 4));
  end (&site, 30 * 60, 1);
  g_assert_true (runs (&site, 3));
  site_clear (&site);
}

/* ---------------------------------------------------------------- where others are displaced */

/* phys may have 40 cores.  When job 2 ends, job 5 comes free of that, and has a place at 10 min;
 * job 6 starts, and job 5 is kept once more: job 7 has the core that was to be its. */
static void
test_kept_again (gconstpointer backfill)
{
  Site site;
  site_prepare (&site, "modify account phys set GrpTRES=cpu=40");
  site.preempt = "qos:mode=cancel";
  site_start (&site, backfill);
  submit (&site, 1, "carol -N6 --exclusive -t 60");
  submit (&site, 2, "alice -n16 -t 60");
  submit (&site, 3, "carol -n16 -t 60");
  submit (&site, 4, "carol -n31 -t 10");
  pass (&site);
  submit (&site, 5, "bob -n32 -t 30");
  submit (&site, 6, "alice -n16 -t 60");
  pass (&site);
  for (guint32 id = 1; id <= 4; id++)
    g_assert_true (runs (&site, id));
  assert_waits (&site, 5, "AssocGrpCpuLimit");
  go_to (&site, 300);
  fixture_ended (&site.fixture, 300, 2);
  submit (&site, 7, "carol -n1 -t 30");
  pass (&site);
  g_assert_true (runs (&site, 6));
  assert_waits (&site, 5, "AssocGrpCpuLimit");
  go_to (&site, 300);
  g_assert_true (runs (&site, 7));
  site_clear (&site);
}

int
main (int argc, char **argv)
{
  static const char *const backfills[] = { "conservative", "full" };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (backfills); i++) {
    g_autofree char *due = g_strdup_printf ("/limit place/due/%s", backfills[i]);
    g_autofree char *again = g_strdup_printf ("/limit place/kept again/%s", backfills[i]);
    g_test_add_data_func (due, backfills[i], test_due);
    g_test_add_data_func (again, backfills[i], test_kept_again);
  }
  return g_test_run ();
}
