/* tests/sim/study/plan_test.c */
#include "sim/study/plan.h"

#include <string.h>

#include "sim/error.h"

static LkStudyPlan *
read_text (const char *text, GError **error)
{
  return lk_study_plan_read_bytes ("p.yaml", (const guint8 *)text, strlen (text), NULL, error);
}

static LkStudyPlan *
read_good (const char *text)
{
  g_autoptr (GError) error = NULL;
  LkStudyPlan *plan = read_text (text, &error);
  g_assert_no_error (error);
  return plan;
}

/* The command line of a choice, by index; "!" before an error. */
static char *
line_of (const LkStudyPlan *plan, guint policy, guint window, const GPtrArray *point)
{
  g_autoptr (GError) error = NULL;
  LkStudyChoice choice = { .trace = g_ptr_array_index (plan->traces, 0),
                           .window = g_ptr_array_index (plan->windows, window),
                           .policy = g_ptr_array_index (plan->policies, policy),
                           .point = point,
                           .first_submit_us = 5 * G_USEC_PER_SEC };
  g_auto (GStrv) arguments = lk_study_arguments (plan, &choice, &error);
  return arguments != NULL ? g_strjoinv (" ", arguments) : g_strconcat ("!", error->message, NULL);
}

static void
defaults (void)
{
  g_autoptr (LkStudyPlan) plan = read_good ("traces: [a/kth.swf.gz]\n");
  g_autofree char *line = line_of (plan, 0, 0, g_ptr_array_index (plan->points, 0));
  const LkStudyGroup *trace = g_ptr_array_index (plan->traces, 0);
  g_assert_cmpstr (line, ==, "sim -- a/kth.swf.gz");
  g_assert_cmpstr (trace->name, ==, "kth");
}

static void
later_wins (void)
{
  g_autoptr (LkStudyPlan) plan = read_good (
      "settings: {order: fifo, sort: true, lenient: false, plugin: [a.so, b.so]}\n"
      "traces: [{trace: k.swf, name: k, procs: 10, order: sjf, plugin: c.so}]\n"
      "policies:\n"
      "  - {name: one}\n"
      "  - {name: two, order.weight_age: 7, order: 'multifactor(weight_age=1,weight_qos=2)'}\n"
      "windows:\n"
      "  - {name: w, weeks: 2-3}\n"
      "  - {name: each, weeks: 1-2, each: week, role: training}\n"
      "  - {name: t, time: '1d:2d'}\n");
  g_autofree char *one = line_of (plan, 0, 0, NULL);
  g_autofree char *two = line_of (plan, 1, 3, NULL);
  const LkStudyWindow *week = g_ptr_array_index (plan->windows, 2);
  g_assert_cmpstr (one, ==,
                   "sim --order=sjf --sort --plugin=a.so --plugin=b.so --procs=10 --plugin=c.so "
                   "--time=604805.000000:1814405.000000 -- k.swf");
  g_assert_cmpstr (two, ==,
                   "sim --order=multifactor:weight_age=7,weight_qos=2 --sort --plugin=a.so "
                   "--plugin=b.so --procs=10 --plugin=c.so --time=1d:2d -- k.swf");
  g_assert_cmpstr (week->name, ==, "each-2");
  g_assert_cmpstr (week->role, ==, "training");
}

static char *
points_text (const GPtrArray *points)
{
  GString *text = g_string_new (NULL);
  for (guint p = 0; p < points->len; p++) {
    const GPtrArray *point = g_ptr_array_index (points, p);
    for (guint i = 0; i < point->len; i++) {
      const LkStudySetting *setting = g_ptr_array_index (point, i);
      g_string_append_printf (text, "%s%s=%s",
                              i > 0   ? ","
                              : p > 0 ? " "
                                      : "",
                              setting->name, setting->value);
    }
  }
  return g_string_free (text, FALSE);
}

static void
grid (void)
{
  g_autoptr (LkStudyPlan) plan =
      read_good ("traces: [k.swf]\nparameters:\n  values:\n    lead: [0, 1d]\n"
                 "    order.x: {from: 1, to: 2, step: 0.5}\n");
  g_autofree char *text = points_text (plan->points);
  g_assert_cmpstr (text, ==,
                   "lead=0,order.x=1 lead=0,order.x=1.5 lead=0,order.x=2 lead=1d,order.x=1 "
                   "lead=1d,order.x=1.5 lead=1d,order.x=2");
}

static void
given_points (void)
{
  g_autoptr (LkStudyPlan) plan =
      read_good ("traces: [k.swf]\nparameters: {how: list, points: [{lead: 1, seed: 2}, {lead: "
                 "3}]}\n");
  g_autofree char *text = points_text (plan->points);
  g_assert_cmpstr (text, ==, "lead=1,seed=2 lead=3");
}

/* Each tenth of the range is drawn from once, and one seed always draws the same. */
static void
latin (void)
{
  static const char page[] =
      "traces: [k.swf]\nparameters:\n  how: latin\n  samples: 10\n  seed: 3\n"
      "  values: {a: {from: 0.0, to: 1.0}, b: [u, v]}\n";
  g_autoptr (LkStudyPlan) plan = read_good (page);
  g_autoptr (LkStudyPlan) again = read_good (page);
  g_autofree char *text = points_text (plan->points);
  g_autofree char *text_again = points_text (again->points);
  gboolean taken[10] = { FALSE };
  guint u_count = 0;
  g_assert_cmpstr (text, ==, text_again);
  g_assert_cmpuint (plan->points->len, ==, 10);
  for (guint p = 0; p < 10; p++) {
    const GPtrArray *point = g_ptr_array_index (plan->points, p);
    const LkStudySetting *a = g_ptr_array_index (point, 0);
    const LkStudySetting *b = g_ptr_array_index (point, 1);
    guint tenth = (guint)(g_ascii_strtod (a->value, NULL) * 10);
    g_assert_cmpuint (tenth, <, 10);
    g_assert_false (taken[tenth]);
    taken[tenth] = TRUE;
    u_count += strcmp (b->value, "u") == 0 ? 1 : 0;
  }
  g_assert_cmpuint (u_count, ==, 5);
}

static void
ranges (void)
{
  LkStudyParameter whole = { .from = 1, .to = 4, .is_integer = TRUE };
  LkStudyParameter wide = { .from = 1, .to = 10000, .is_log = TRUE };
  static const char *const of_whole[] = { "1", "2", "3", "4", "4" };
  for (guint i = 0; i < 5; i++) {
    g_autofree char *text = lk_study_parameter_text (&whole, i * 0.25);
    g_assert_cmpstr (text, ==, of_whole[i]);
  }
  g_autofree char *middle = lk_study_parameter_text (&wide, 0.5);
  g_assert_cmpfloat_with_epsilon (g_ascii_strtod (middle, NULL), 100, 1e-9);
}

static void
random_draws (void)
{
  g_autoptr (LkStudyPlan) plan =
      read_good ("traces: [k.swf]\nparameters: {how: random, samples: 200, values: {a: {from: 1, "
                 "to: 6}}}\n");
  guint counts[7] = { 0 };
  for (guint p = 0; p < 200; p++) {
    const GPtrArray *point = g_ptr_array_index (plan->points, p);
    const LkStudySetting *a = g_ptr_array_index (point, 0);
    guint64 value = g_ascii_strtoull (a->value, NULL, 10);
    g_assert_cmpuint (value, >=, 1);
    g_assert_cmpuint (value, <=, 6);
    counts[value]++;
  }
  for (guint i = 1; i <= 6; i++)
    g_assert_cmpuint (counts[i], >, 10);
}

static void
errors_have_places (void)
{
  static const struct {
    const char *page;
    const char *message;
  } cases[] = {
    { "", "p.yaml:1:1: the plan is empty" },
    { "trace: [a]\n", "p.yaml:1:1: unknown key 'trace'; did you mean 'traces'?" },
    { "traces: a\n", "p.yaml:1:9: 'traces' is one value; expected a list" },
    { "traces: []\n", "p.yaml:1:10: 'traces' is an empty list" },
    { "seeds: [1]\n", "p.yaml:2:1: the plan has no 'traces'" },
    { "traces: [a.swf, b/a.swf.gz]\n", "p.yaml:1:17: the name 'a' is given twice" },
    { "traces: ['-']\n", "p.yaml:1:10: 'trace' must be a file" },
    { "traces: [a]\nsettings: {out: x}\n", "p.yaml:2:17: 'out' has no place here" },
    { "traces: [a]\nsettings: {order: [x]}\n",
      "p.yaml:2:19: 'order' is a list; expected one value" },
    { "traces: [a]\nsettings: {foo.bar: x}\n",
      "p.yaml:2:21: 'foo.bar': expected SETTING, or a parameter as order.NAME, backfill.NAME, "
      "select.NAME, limits.NAME or preempt.NAME" },
    { "traces: [a]\npolicies: [{order: x}]\n", "p.yaml:2:12: a policy without 'name'" },
    { "traces: [a]\nwindows: [{name: a, weeks: 0}]\n",
      "p.yaml:2:28: 'weeks' is '0'; expected a week from 1 on, or FIRST-LAST" },
    { "traces: [a]\nwindows: [{name: a, weeks: 1, time: '1:2'}]\n",
      "p.yaml:2:11: 'time' and 'weeks' both say when; give one" },
    { "traces: [a]\nwindows: [{name: a, time: '1:2', each: week}]\n",
      "p.yaml:2:11: 'each: week' needs 'weeks'" },
    { "traces: [a]\nload: [0]\n", "p.yaml:2:8: 'load' is '0'; expected above 0" },
    { "traces: [a]\nseeds: 5-2\n",
      "p.yaml:2:8: 'seeds' is '5-2'; expected a list of whole numbers, or FIRST-LAST" },
    { "traces: [a]\nparameters: {how: lattin}\n",
      "p.yaml:2:19: 'how' is 'lattin'; expected grid, random, latin or list; did you mean "
      "'latin'?" },
    { "traces: [a]\nparameters: {how: latin, values: {a: [1]}}\n",
      "p.yaml:2:13: 'parameters': how: random and latin need 'samples'" },
    { "traces: [a]\nparameters: {values: {a: {from: 1, to: 2}}}\n",
      "p.yaml:2:13: 'parameters': 'a' is a range without 'step', which a grid needs" },
    { "traces: [a]\nparameters: {values: {a: {from: 2, to: 1, step: 1}}}\n",
      "p.yaml:2:26: 'a': 'from' must be below 'to'" },
    { "traces: [a]\nparameters: {how: random, samples: 1, values: {a: {from: 1, to: 2, step: "
      "1}}}\n",
      "p.yaml:2:13: 'parameters': 'a' has a 'step', which only a grid heeds" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LkStudyPlan) plan = read_text (cases[i].page, &error);
    g_assert_null (plan);
    g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE);
    g_assert_cmpstr (error->message, ==, cases[i].message);
  }
}

static void
parameter_without_policy (void)
{
  g_autoptr (LkStudyPlan) plan = read_good ("traces: [a]\nsettings: {order.x: 1}\n");
  g_autofree char *line = line_of (plan, 0, 0, NULL);
  g_assert_cmpstr (line, ==,
                   "!p.yaml:2:21: order.x: no 'order' is set whose parameter this could be");
}

static gboolean
read_extra (gpointer user, const char *key, LkYamlCursor *cursor, GError **error)
{
  g_assert_cmpstr (key, ==, "objectives");
  *(char **)user = g_strdup (lk_yaml_cursor_text (cursor));
  return lk_yaml_cursor_expect_value (cursor, key, error);
}

static void
keys_of_others (void)
{
  static const char page[] = "objectives: wait\ntraces: [a]\n";
  static const char *const keys[] = { "objectives", NULL };
  char *text = NULL;
  g_autoptr (GError) error = NULL;
  LkStudyReader reader = { .keys = keys, .read = read_extra, .user = &text };
  g_autoptr (LkStudyPlan) plan =
      lk_study_plan_read_bytes ("p.yaml", (const guint8 *)page, strlen (page), &reader, &error);
  g_assert_no_error (error);
  g_assert_nonnull (plan);
  g_assert_cmpstr (text, ==, "wait");
  g_free (text);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan/a log alone is a plan", defaults);
  g_test_add_func ("/plan/what is said later and nearer goes first", later_wins);
  g_test_add_func ("/plan/a grid has all combinations, the last changes fastest", grid);
  g_test_add_func ("/plan/points may be given", given_points);
  g_test_add_func ("/plan/a latin hypercube takes each piece once", latin);
  g_test_add_func ("/plan/random draws reach the whole range", random_draws);
  g_test_add_func ("/plan/ranges are whole, real or logarithmic", ranges);
  g_test_add_func ("/plan/errors say where", errors_have_places);
  g_test_add_func ("/plan/a parameter needs its policy", parameter_without_policy);
  g_test_add_func ("/plan/others may have keys of their own", keys_of_others);
  return g_test_run ();
}
