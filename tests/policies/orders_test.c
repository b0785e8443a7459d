/* tests/policies/orders_test.c — the order policies against the worked numbers of semantics/09
 * section 2, and what they do at the edges: jobs that have not waited, ties, starvation. */
#include "policies/orders.h"

#include <math.h>
#include <string.h>

#include "policies/order_util.h"
#include "tests/policies/orders_fixture.h"

typedef struct {
  const LkOrderPolicy *policy;
  const char *name;
  const char *worked; /* order of the worked example's jobs */
  gboolean is_dynamic;
  guint param_count;
} Case;

static const Case cases[] = {
  { &lk_order_f1, "f1", "1 2 3", FALSE, 2 },
  { &lk_order_f2, "f2", "1 2 3", FALSE, 2 },
  { &lk_order_f3, "f3", "1 2 3", FALSE, 2 },
  { &lk_order_f4, "f4", "1 2 3", FALSE, 2 },
  { &lk_order_fifo, "fifo", "1 2 3", FALSE, 0 },
  { &lk_order_largest, "largest", "3 1 2", FALSE, 1 },
  { &lk_order_lifo, "lifo", "3 2 1", FALSE, 0 },
  { &lk_order_ljf, "ljf", "2 1 3", FALSE, 1 },
  { &lk_order_saf, "saf", "1 3 2", FALSE, 1 },
  { &lk_order_sexp, "sexp", "3 1 2", FALSE, 1 },
  { &lk_order_sjf, "sjf", "3 1 2", FALSE, 1 },
  { &lk_order_smallest, "smallest", "2 1 3", FALSE, 1 },
  { &lk_order_unicef, "unicef", "2 1 3", TRUE, 1 },
  { &lk_order_wfp3, "wfp3", "3 1 2", TRUE, 1 },
  { &lk_order_xfactor, "xfactor", "3 1 2", TRUE, 1 },
};

static gboolean
is_dynamic (const LkOrderPolicy *policy, void *instance)
{
  return policy->is_dynamic != NULL && policy->is_dynamic (instance) == 1;
}

static void
test_vtables (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const LkPolicy *base = &cases[i].policy->base;
    g_assert_cmpstr (base->name, ==, cases[i].name);
    g_assert_cmpuint (base->abi, ==, LK_POLICY_ABI);
    g_assert_cmpuint (base->size, ==, sizeof (LkOrderPolicy));
    g_assert_cmpuint (base->seam, ==, LK_SEAM_ORDER);
    g_assert_cmpuint (base->version, ==, 1);
    g_assert_cmpuint (strlen (base->summary), >, 0);
    g_assert_null (base->save);
    g_assert_null (base->load);
    guint param_count = 0;
    while (base->params[param_count].name != NULL)
      param_count++;
    g_assert_cmpuint (param_count, ==, cases[i].param_count);
    base->destroy (NULL);
  }
}

static void
test_worked_orders (void)
{
  g_autoptr (OrdersFixture) jobs = orders_fixture_new_worked ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const LkOrderPolicy *policy = cases[i].policy;
    g_autofree char *order = orders_fixture_sorted (jobs, policy, order_new_default (policy));
    g_test_message ("%s", cases[i].name);
    g_assert_cmpstr (order, ==, cases[i].worked);
  }
}

static void
test_dynamic (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    void *instance = order_new_default (cases[i].policy);
    g_test_message ("%s", cases[i].name);
    g_assert_cmpint (is_dynamic (cases[i].policy, instance), ==, cases[i].is_dynamic);
    cases[i].policy->base.destroy (instance);
  }
}

static void
test_worked_scores (void)
{
  static const double saf[] = { 400.0, 1000.0, 640.0 };
  static const double sexp[] = { 25.0, 1000.0, 0.15625 };
  static const double xfactor[] = { 10.0, 1.6, 11.0 };
  static const double wfp3[] = { 2916.0, 0.216, 64000.0 };
  g_autoptr (OrdersFixture) jobs = orders_fixture_new_worked ();
  for (LkJobIndex job = 0; job < 3; job++) {
    g_assert_true (lk_order_saf_score (&jobs->view, job) == saf[job]);
    g_assert_true (lk_order_sexp_score (&jobs->view, job) == sexp[job]);
    g_assert_true (lk_order_xfactor_score (&jobs->view, job) == xfactor[job]);
    g_assert_cmpfloat_with_epsilon (lk_order_wfp3_score (&jobs->view, job), wfp3[job], 1e-12);
  }
}

static void
test_worked_unicef (void)
{
  g_autoptr (OrdersFixture) jobs = orders_fixture_new_worked ();
  void *instance = order_new_default (&lk_order_unicef);
  g_assert_true (lk_order_unicef_score (instance, &jobs->view, 0) == 4.5);
  g_assert_true (lk_order_unicef_score (instance, &jobs->view, 1) == INFINITY);
  g_assert_cmpfloat_with_epsilon (lk_order_unicef_score (instance, &jobs->view, 2), 100.0 / 60.0,
                                  1e-15);
  /* Sizes beyond the table of logarithms follow the same formula. */
  LkJobIndex large = orders_fixture_add_s (jobs, 0, 100, 1 << 20);
  g_assert_true (lk_order_unicef_score (instance, &jobs->view, large) == 0.5);
  lk_order_unicef.base.destroy (instance);
}

typedef double (*Score) (const void *self, const LkView *view, LkJobIndex job);

static void
test_worked_f (void)
{
  static const struct {
    const LkOrderPolicy *policy;
    Score score;
    double worked[3];
  } models[] = {
    { &lk_order_f1, lk_order_f1_score, { 1748.0, 2266.7921924553273, 2634.1909832122126 } },
    { &lk_order_f2, lk_order_f2_score, { 51240.0, 66644.3585546, 75830.9940119 } },
    { &lk_order_f3, lk_order_f3_score, { 13720400.0, 17851131.5405, 20266743.6148 } },
    { &lk_order_f4, lk_order_f4_score, { 1060200.0, 1380091.7954, 1565828.5300 } },
  };
  g_autoptr (OrdersFixture) jobs = orders_fixture_new_worked ();
  for (guint i = 0; i < G_N_ELEMENTS (models); i++) {
    void *instance = order_new_default (models[i].policy);
    for (LkJobIndex job = 0; job < 3; job++) {
      double score = models[i].score (instance, &jobs->view, job);
      double worked = models[i].worked[job];
      g_assert_cmpfloat (fabs (score - worked), <=, 1e-9 * worked);
      g_assert_cmpint (models[i].policy->key (instance, &jobs->view, job), ==,
                       lk_key_from_real (-score));
    }
    models[i].policy->base.destroy (instance);
  }
}

/* F3 of a job of area 400, and the origin and submit that its score was computed with. */
static double
f3_submit_term (double origin_s, gint64 view_origin_us, gint64 submit_us)
{
  g_autoptr (OrdersFixture) jobs = orders_fixture_new (submit_us);
  jobs->view.origin_us = view_origin_us;
  OrdersJob job = { .submit_us = submit_us, .estimate_us = 100 * G_USEC_PER_SEC, .procs = 4 };
  orders_fixture_add (jobs, &job);
  const LkParamValue values[] = { { .real = 0.0 }, { .real = origin_s } };
  void *instance = order_new (&lk_order_f3, values, 2);
  double score = lk_order_f3_score (instance, &jobs->view, 0);
  lk_order_f3.base.destroy (instance);
  return (score - 400.0) / 6860000.0;
}

static void
test_origin (void)
{
  const gint64 s = G_USEC_PER_SEC;
  g_assert_true (f3_submit_term (-1.0, 0, 1000 * s) == 3.0);
  g_assert_true (f3_submit_term (-1.0, 900 * s, 1000 * s) == 2.0);
  g_assert_true (f3_submit_term (0.0, 900 * s, 1000 * s) == 3.0);
  g_assert_true (f3_submit_term (999.99, 0, 1000 * s + 90000) == 0.0);
  g_assert_true (f3_submit_term (990.5, 0, 1000 * s + 500000) == 1.0);
  /* Times before the origin, and no job seen yet, count as second 1. */
  g_assert_true (f3_submit_term (2000.0, 0, 1000 * s) == 0.0);
  g_assert_true (f3_submit_term (-1.0, LK_TIME_NEVER, 1000 * s) == 0.0);
  g_assert_true (f3_submit_term (-1.0, LK_TIME_NEVER, G_MININT64) == 0.0);
}

static void
test_origin_refused (void)
{
  const LkParamValue values[] = { { .real = 0.0 }, { .real = -0.5 } };
  LkParamValues all = { .size = sizeof all, .count = 2, .values = values, .host = orders_host () };
  LkPolicyError error = { "" };
  g_assert_null (lk_order_f1.base.create (&all, &error));
  g_assert_cmpstr (error.text, ==, "origin_s must be -1 (the first submit) or at least 0");
}

static void
test_just_submitted (void)
{
  const LkOrderPolicy *policies[] = { &lk_order_wfp3, &lk_order_unicef, &lk_order_xfactor };
  g_autoptr (OrdersFixture) jobs = orders_fixture_new (500 * G_USEC_PER_SEC);
  orders_fixture_add_s (jobs, 500, 100, 64);
  orders_fixture_add_s (jobs, 500, 10, 1);
  orders_fixture_add_s (jobs, 500, 7, 2);
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    void *instance = order_new_default (policies[i]);
    g_assert_cmpint (policies[i]->key (instance, &jobs->view, 0), ==,
                     lk_key_from_real (i < 2 ? 0.0 : 1.0));
    g_autofree char *order = orders_fixture_sorted (jobs, policies[i], instance);
    g_assert_cmpstr (order, ==, "1 2 3");
  }
}

static void
test_ties (void)
{
  g_autoptr (OrdersFixture) jobs = orders_fixture_new (1000 * G_USEC_PER_SEC);
  for (guint i = 0; i < 4; i++)
    orders_fixture_add_s (jobs, i < 2 ? 300 : 200, 100, 1);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const LkOrderPolicy *policy = cases[i].policy;
    /* Those that look at the submit time, and lifo, which reverses it, have other ties. */
    gboolean lifo = policy == &lk_order_lifo;
    g_autofree char *order = orders_fixture_sorted (jobs, policy, order_new_default (policy));
    g_test_message ("%s", cases[i].name);
    g_assert_cmpstr (order, ==, lifo ? "1 2 3 4" : "3 4 1 2");
  }
}

/* Jobs 1 and 2 have waited 901 and 900 seconds and are such that most orders put them last. */
static void
test_threshold (void)
{
  g_autoptr (OrdersFixture) jobs = orders_fixture_new_worked ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const LkOrderPolicy *policy = cases[i].policy;
    if (cases[i].param_count == 0)
      continue;
    const LkParamValue starving_both[] = { { .real = 599.999999 }, { .real = -1.0 } };
    const LkParamValue starving_first[] = { { .real = 600.0 }, { .real = -1.0 } };
    void *instance = order_new (policy, starving_both, cases[i].param_count);
    g_assert_true (is_dynamic (policy, instance));
    g_assert_cmpint (policy->key (instance, &jobs->view, 0), ==, LK_ORDER_KEY_STARVING);
    g_assert_cmpint (policy->key (instance, &jobs->view, 1), ==, LK_ORDER_KEY_STARVING);
    g_assert_cmpint (policy->key (instance, &jobs->view, 2), <, LK_ORDER_KEY_STARVING);
    g_autofree char *both = orders_fixture_sorted (jobs, policy, instance);
    g_assert_cmpstr (both, ==, "1 2 3");
    instance = order_new (policy, starving_first, cases[i].param_count);
    /* Exactly at the threshold is not past it. */
    g_assert_cmpint (policy->key (instance, &jobs->view, 1), <, LK_ORDER_KEY_STARVING);
    g_autofree char *first = orders_fixture_sorted (jobs, policy, instance);
    g_assert_true (g_str_has_prefix (first, "1 "));
  }
}

static void
test_extremes (void)
{
  static const gint64 times_us[] = { G_MININT64, -1, 0, 1, G_MAXINT64 - 1, G_MAXINT64 };
  static const gint64 estimates_us[] = { 1, G_MAXINT64 };
  static const guint32 procs[] = { 1, 1023, 1024, G_MAXUINT32 };
  for (guint n = 0; n < G_N_ELEMENTS (times_us); n++) {
    g_autoptr (OrdersFixture) jobs = orders_fixture_new (times_us[n]);
    for (guint s = 0; s < G_N_ELEMENTS (times_us); s++)
      for (guint k = 0; k < 8; k++) {
        OrdersJob job = { .submit_us = times_us[s],
                          .estimate_us = estimates_us[k % 2],
                          .procs = procs[k / 2] };
        orders_fixture_add (jobs, &job);
      }
    /* No key may be that of a job that is not a number, nor pass for a starving one. */
    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
      const LkParamValue values[] = { { .real = LK_ORDER_SECONDS_MAX }, { .real = -1.0 } };
      void *instance = order_new (cases[i].policy, values, cases[i].param_count);
      for (LkJobIndex job = 0; job < jobs->view.job_index_limit; job++) {
        gint64 key = cases[i].policy->key (instance, &jobs->view, job);
        gint64 wait_us = lk_order_span_us (jobs->submit_us[job], times_us[n]);
        if (cases[i].policy != &lk_order_lifo) {
          g_assert_cmpint (key, >, G_MININT64);
          g_assert_cmpint (key == LK_ORDER_KEY_STARVING, ==,
                           cases[i].param_count > 0 && wait_us > 1000000000000000000);
        }
      }
      cases[i].policy->base.destroy (instance);
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/orders/vtables are filled in", test_vtables);
  g_test_add_func ("/orders/the worked example comes in the worked orders", test_worked_orders);
  g_test_add_func ("/orders/only what changes with time is dynamic", test_dynamic);
  g_test_add_func ("/orders/scores are the worked numbers", test_worked_scores);
  g_test_add_func ("/orders/unicef is infinite for one processor", test_worked_unicef);
  g_test_add_func ("/orders/f1 to f4 are the worked numbers within 1e-9", test_worked_f);
  g_test_add_func ("/orders/f1 to f4 count from the origin", test_origin);
  g_test_add_func ("/orders/f1 to f4 refuse a negative origin", test_origin_refused);
  g_test_add_func ("/orders/a job that has not waited scores nothing", test_just_submitted);
  g_test_add_func ("/orders/ties go by submit time and id", test_ties);
  g_test_add_func ("/orders/jobs past the threshold come first", test_threshold);
  g_test_add_func ("/orders/extreme times and sizes have keys", test_extremes);
  return g_test_run ();
}
