/* tests/sim/tune/goal_test.c — the key `tune` of a plan: what it may say, where a mistake is. */
#include <glib.h>
#include <string.h>

#include "sim/error.h"
#include "sim/tune/goal.h"

#define HEAD                                                                                       \
  "traces: [a.swf]\n"                                                                              \
  "settings: {order: fifo}\n"                                                                      \
  "windows:\n"                                                                                     \
  "  - {name: t, weeks: 1-2, role: training}\n"                                                    \
  "  - {name: h, weeks: 3-4, role: held-out}\n"                                                    \
  "parameters: {how: random, samples: 2, values: {lead: {from: 0, to: 9}}}\n"

static void
test_good (void)
{
  static const char page[] =
      HEAD "tune:\n"
           "  method: nsga2\n"
           "  evaluations: 30\n"
           "  population: 8\n"
           "  seed: 5\n"
           "  level: 0.9\n"
           "  block: 6h\n"
           "  classes:\n"
           "    - {name: small, procs: '1:4'}\n"
           "    - {name: short of a, run: ':1h', account: a, user: 7, partition: 2, qos: q}\n"
           "  objectives: [mean_wait_s, {measure: p95_wait_s, class: short of a}]\n"
           "  constraints: [{measure: utilization, at_least_present: 0.99},\n"
           "                {measure: max_wait_s, class: small, at_most: 86400}]\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (LkTuneGoals) goals = lk_tune_goals_new ();
  LkStudyPlan *plan =
      lk_tune_plan_read_bytes ("p.yaml", (const guint8 *)page, strlen (page), goals, &error);
  g_assert_no_error (error);
  lk_study_plan_free (plan);
  g_assert_cmpint (goals->method, ==, LK_TUNE_NSGA2);
  g_assert_cmpuint (goals->evaluations, ==, 30);
  g_assert_cmpuint (goals->population, ==, 8);
  g_assert_cmpuint (goals->seed, ==, 5);
  g_assert_cmpfloat (goals->level_ratio, ==, 0.9);
  g_assert_cmpint (goals->block_us, ==, G_GINT64_CONSTANT (21600) * G_USEC_PER_SEC);
  const LkTuneGoal *p95 = g_ptr_array_index (goals->objectives, 1);
  const LkTuneGoal *floor = g_ptr_array_index (goals->constraints, 0);
  g_assert_cmpstr (p95->label, ==, "p95_wait_s of short of a");
  g_assert_cmpuint (p95->job_class, ==, 1);
  g_assert_cmpint (floor->bound, ==, LK_BOUND_AT_LEAST_PRESENT);
  g_assert_true (floor->measure->is_high_better);
  LkJobRecord record = { .procs = 4,
                         .user = 7,
                         .partition = 2,
                         .account = "a",
                         .qos = "q",
                         .end_us = G_GINT64_CONSTANT (3599) * G_USEC_PER_SEC };
  g_assert_cmpuint (lk_tune_classes_of (goals, &record), ==, 1 | 2 | 4);
  record.procs = 5;
  g_assert_cmpuint (lk_tune_classes_of (goals, &record), ==, 1 | 4);
  record.end_us = G_GINT64_CONSTANT (3600) * G_USEC_PER_SEC;
  g_assert_cmpuint (lk_tune_classes_of (goals, &record), ==, 1);
  record.end_us = 0;
  record.account = NULL;
  g_assert_cmpuint (lk_tune_classes_of (goals, &record), ==, 1);
}

static void
refuse (const char *page, const char *says)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkTuneGoals) goals = lk_tune_goals_new ();
  LkStudyPlan *plan =
      lk_tune_plan_read_bytes ("p.yaml", (const guint8 *)page, strlen (page), goals, &error);
  g_assert_null (plan);
  g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE);
  if (strstr (error->message, says) == NULL || !g_str_has_prefix (error->message, "p.yaml:"))
    g_error ("'%s' does not say '%s'", error->message, says);
}

static void
test_bad_keys (void)
{
  static const char *const cases[][2] = {
    { "{objectives: [mean_wait_s], methd: x}", "7:35: unknown key 'methd'; did you mean 'method'" },
    { "{objectives: [mean_wait_s], method: nsga}", "did you mean 'nsga2'" },
    { "{objectives: [mean_wait]}", "did you mean 'mean_wait_s'" },
    { "{objectives: []}", "'objectives' are missing" },
    { "{evaluations: 5}", "'objectives' are missing" },
    { "{objectives: mean_wait_s}", "expected a list" },
    { "{objectives: [max_wait_s]}", "use it as a constraint" },
    { "{objectives: [{measure: max_wait_s}]}", "use it as a constraint" },
    { "{objectives: [{class: x}]}", "'measure' is missing" },
    { "{objectives: [{measure: utilization, class: x}]}", "is of whole runs" },
    { "{objectives: [{measure: mean_wait_s, class: x}]}", "there is no class 'x'" },
    { "{objectives: [wall_s]}", "expected one of" },
    { "{objectives: [mean_wait_s], evaluations: 0}", "from 1 to" },
    { "{objectives: [mean_wait_s], population: 5}", "even" },
    { "{objectives: [mean_wait_s], level: 1}", "0.999" },
    { "{objectives: [mean_wait_s], block: 1s}", "1m" },
    { "{objectives: [mean_wait_s], block: x}", "7:42: 'block'" },
    { "{objectives: [mean_wait_s], constraints: [{measure: utilization}]}", "needs at_least" },
    { "{objectives: [mean_wait_s], constraints: [{measure: utilization, at_least: 1, at_most: 2}]}",
      "one bound" },
    { "{objectives: [mean_wait_s], classes: [{procs: 1}]}", "without 'name'" },
    { "{objectives: [mean_wait_s], classes: [{name: a}, {name: a}]}", "twice" },
    { "{objectives: [mean_wait_s, {measure: mean_wait_s}]}",
      "the objective mean_wait_s is given twice" },
    { "{objectives: [mean_wait_s], classes: [{name: a, procs: x}]}", "'procs'" },
    { "{objectives: [mean_wait_s, utilization], method: annealing}", "need method: nsga2" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *page = g_strconcat (HEAD, "tune: ", cases[i][0], "\n", NULL);
    refuse (page, cases[i][1]);
  }
}

static void
test_bad_plans (void)
{
#define TUNE "tune: {objectives: [mean_wait_s]}\n"
#define VALUES "parameters: {how: random, samples: 2, values: {lead: {from: 0, to: 9}}}\n"
#define WINDOWS                                                                                    \
  "windows: [{name: t, weeks: 1-2, role: training}, {name: h, weeks: 3-4, role: held-out}]\n"
  refuse (HEAD, "expected a key 'tune'");
  refuse ("traces: [a.swf]\n" WINDOWS TUNE, "'parameters'");
  refuse ("traces: [a.swf]\n" VALUES TUNE, "role is ''");
  refuse ("traces: [a.swf]\nwindows: [{name: t, weeks: 1, role: trainig}]\n" VALUES TUNE,
          "role is 'trainig'");
  refuse ("traces: [a.swf]\nwindows: [{name: t, weeks: 1, role: training}]\n" VALUES TUNE,
          "others with role held-out");
  refuse ("traces: [a.swf]\n" WINDOWS VALUES TUNE "policies: [{name: a}, {name: b}]\n",
          "one policy at most");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tune/a plan", test_good);
  g_test_add_func ("/tune/keys that are wrong", test_bad_keys);
  g_test_add_func ("/tune/plans that cannot be tuned", test_bad_plans);
  return g_test_run ();
}
