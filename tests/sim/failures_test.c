/* tests/sim/failures_test.c — the model's means and streams, and lists, good and bad. */
#include "sim/failures.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "sim/error.h"
#include "traces/trace_error.h"

#define S G_GINT64_CONSTANT (1000000)
#define HOUR_S 3600.0

static GPtrArray *
names_new (guint count)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < count; i++)
    g_ptr_array_add (names, g_strdup_printf ("n%u", i + 1));
  return names;
}

static LkFailures *
model_new (const char *spec, guint node_count)
{
  g_autoptr (GPtrArray) names = names_new (node_count);
  g_autoptr (GError) error = NULL;
  LkFailureNodes nodes = { names, -1 };
  LkFailures *failures = lk_failures_new (spec, &nodes, &error);
  g_assert_no_error (error);
  return failures;
}

/* Mean up and down times, and the coefficient of variation of the former, which a Weibull
 * distribution's shape decides. */
static void
test_means (void)
{
  const struct {
    const char *spec;
    double up_h;
    double down_h;
    double variation;
  } cases[] = {
    { "mtbf=100h,mttr=4h", 100, 4, 1.4624 },
    { "mtbf=100h,mttr=4h,shape=1,repair_shape=2,seed=9", 100, 4, 1 },
    { "mttr=12h,mtbf=10d,shape=2", 240, 12, 0.5227 },
  };
  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    enum { NODES = 200, EVENTS = 400 * NODES };
    g_autoptr (LkFailures) failures = model_new (cases[c].spec, NODES);
    gint64 since_us[NODES] = { 0 };
    double up_sum = 0, up_square_sum = 0, down_sum = 0;
    guint up_count = 0, down_count = 0;
    gint64 last_us = 0;
    for (guint i = 0; i < EVENTS; i++) {
      LkNodeEvent event;
      g_assert_true (lk_failures_next (failures, &event));
      g_assert_cmpint (event.time_us, >=, last_us);
      g_assert_cmpint (event.time_us % S, ==, 0);
      last_us = event.time_us;
      double hours = (double)(event.time_us - since_us[event.node_index]) / (HOUR_S * S);
      gboolean is_down = event.kind == LK_EVENT_NODE_DOWN;
      g_assert_cmpstr (event.reason, ==, is_down ? "failure" : "");
      if (is_down && since_us[event.node_index] > 0) {
        up_sum += hours;
        up_square_sum += hours * hours;
        up_count++;
      } else if (!is_down) {
        down_sum += hours;
        down_count++;
      }
      since_us[event.node_index] = event.time_us;
    }
    double up_mean = up_sum / up_count;
    double variation = sqrt (up_square_sum / up_count - up_mean * up_mean) / up_mean;
    g_assert_cmpfloat_with_epsilon (up_mean / cases[c].up_h, 1, 0.03);
    g_assert_cmpfloat_with_epsilon (down_sum / down_count / cases[c].down_h, 1, 0.02);
    g_assert_cmpfloat_with_epsilon (variation, cases[c].variation, 0.05);
  }
}

/* With a shape of 0.5, nodes that were all new at time 0 would fail 2.5 times as often in the first
 * tenth of the mean as later. */
static void
test_stationary (void)
{
  enum { NODES = 20000 };
  g_autoptr (LkFailures) failures = model_new ("mtbf=1000h,mttr=1s,shape=0.5", NODES);
  guint first_count = 0;
  guint later_count = 0;
  LkNodeEvent event;
  while (lk_failures_next (failures, &event) && event.time_us < 1100 * 3600 * S)
    if (event.kind == LK_EVENT_NODE_DOWN) {
      first_count += event.time_us < 100 * 3600 * S;
      later_count += event.time_us >= 1000 * 3600 * S;
    }
  g_assert_cmpfloat_with_epsilon (first_count / (NODES * 0.1), 1, 0.1);
  g_assert_cmpfloat_with_epsilon (later_count / (NODES * 0.1), 1, 0.1);
}

/* What happens to node 3 of a machine, as text. */
static char *
story_of_node (const char *spec, guint node_count)
{
  g_autoptr (LkFailures) failures = model_new (spec, node_count);
  GString *story = g_string_new (NULL);
  for (guint found = 0; found < 20;) {
    LkNodeEvent event;
    g_assert_true (lk_failures_next (failures, &event));
    if (event.node_index != 3)
      continue;
    g_string_append_printf (story, "%" G_GINT64_FORMAT "%c ", event.time_us / S,
                            event.kind == LK_EVENT_NODE_DOWN ? '-' : '+');
    found++;
  }
  return g_string_free (story, FALSE);
}

static void
test_streams (void)
{
  g_autofree char *four = story_of_node ("mtbf=9d,mttr=4h", 4);
  g_autofree char *many = story_of_node ("mtbf=9d,mttr=4h", 3000);
  g_autofree char *same = story_of_node ("mtbf=9d,mttr=4h,seed=1", 4);
  g_autofree char *other = story_of_node ("mtbf=9d,mttr=4h,seed=2", 4);
  g_assert_cmpstr (four, ==, many);
  g_assert_cmpstr (four, ==, same);
  g_assert_cmpstr (four, !=, other);
}

static void
test_bad_models (void)
{
  static const char *const bad[] = {
    "mtbf=1d",
    "mttr=4h",
    "mtbf=1d,mttr=4h,",
    "mtbf=1d,mttr=4h,sede=1",
    "mtbf=1d,mttr=4h,mtbf=2d",
    "mtbf=1d,mttr",
    "mtbf=0,mttr=1h",
    "mtbf=x,mttr=1h",
    "mtbf=59s,mttr=1h",
    "mtbf=1d,mttr=1h,shape=0",
    "mtbf=1d,mttr=1h,shape=0.05",
    "mtbf=1d,mttr=1h,repair_shape=101",
    "mtbf=1d,mttr=1h,seed=-1",
    "=",
  };
  g_autoptr (GPtrArray) names = names_new (3);
  LkFailureNodes nodes = { names, -1 };
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (lk_failures_new (bad[i], &nodes, &error));
    g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE);
  }
}

/* ---------------------------------------------------------------- lists */

static const char good_list[] = "time,node,state,reason\r\n"
                                "# fans\n"
                                "\n"
                                "7200,\"n[1-2,4]\",down,\"fan, \"\"left\"\"\"\n"
                                "1h,n[3,5],Drain\n"
                                "2.5, n3 ,resume,  checked \n"
                                "1970-01-01T02:00:00,n1,up,\n"
                                "3600,n6,down,power\n";

static LkFailures *
list_new (const char *text, gint64 unix_start_s, GError **error)
{
  g_autoptr (GPtrArray) names = names_new (12);
  LkFailureNodes nodes = { names, unix_start_s };
  return lk_failures_new_from_bytes ("list", (const guint8 *)text, strlen (text), &nodes, error);
}

static void
test_list (void)
{
  const LkNodeEvent expected[] = {
    { 2500000, 2, LK_EVENT_NODE_RESUME, "checked" },
    { 3600 * S, 2, LK_EVENT_NODE_DRAIN, "" },
    { 3600 * S, 4, LK_EVENT_NODE_DRAIN, "" },
    { 3600 * S, 5, LK_EVENT_NODE_DOWN, "power" },
    { 7200 * S, 0, LK_EVENT_NODE_DOWN, "fan, \"left\"" },
    { 7200 * S, 1, LK_EVENT_NODE_DOWN, "fan, \"left\"" },
    { 7200 * S, 3, LK_EVENT_NODE_DOWN, "fan, \"left\"" },
    { 7200 * S, 0, LK_EVENT_NODE_UP, "" },
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (LkFailures) failures = list_new (good_list, 0, &error);
  g_assert_no_error (error);
  LkNodeEvent event;
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++) {
    g_assert_true (lk_failures_next (failures, &event));
    g_assert_cmpint (event.time_us, ==, expected[i].time_us);
    g_assert_cmpuint (event.node_index, ==, expected[i].node_index);
    g_assert_cmpint (event.kind, ==, expected[i].kind);
    g_assert_cmpstr (event.reason, ==, expected[i].reason);
  }
  g_assert_false (lk_failures_next (failures, &event));
}

static void
test_bad_lists (void)
{
  const struct {
    const char *text;
    const char *message;
  } cases[] = {
    { "1,n1,down,\n2,n1,dwon,\n", "list:2: state is 'dwon'; did you mean 'down'?" },
    { "1,m1,down\n", "list:1: no node is called 'm1'; did you mean 'n1'?" },
    { "1,login,down\n", "list:1: no node is called 'login'; expected one of the cluster's 12" },
    { "1,n[1-,down\n", "list:1: there are 2 fields" },
    { "1,n[1-],down\n", "list:1: node is 'n[1-]': " },
    { "1,,down\n", "list:1: node is " },
    { "-1,n1,down\n", "list:1: time is '-1'; expected seconds >= 0" },
    { "1x,n1,down\n", "list:1: time is '1x'; expected seconds >= 0" },
    { "99999999999999,n1,down\n", "list:1: time is '99999999999999'" },
    { "\n2024-05-01T1,n1,down\n", "list:2: time is '2024-05-01T1'; expected a date such as" },
    { "1969-05-01T10:00:00,n1,down\n", "before the beginning of the log" },
    { "1,n1\n", "list:1: there are 2 fields; expected time,node,state,reason" },
    { "1,n1,down,a,b\n", "list:1: there are more than 4 fields" },
    { "1,n1,down,\"a\n", "list:1: a quote is not closed" },
    { "1,\"n1\"2,down,\n", "list:1: there is more behind a quoted field" },
    { "1,n1,down,\xff\n", "list:1: reason is not UTF-8" },
    { "time,node,state,reason\ntime,n1,down,\n", "list:2: time is 'time'" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (list_new (cases[i].text, 0, &error));
    g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT);
    g_assert_nonnull (strstr (error->message, cases[i].message));
    g_assert_null (strchr (error->message, '\n'));
  }
  g_autoptr (GError) error = NULL;
  g_assert_null (list_new ("2024-05-01T10:00:00,n1,down\n", -1, &error));
  g_assert_nonnull (strstr (error->message, "the log does not tell its date"));
}

static void
test_file (void)
{
  g_autofree char *folder = g_dir_make_tmp ("lk-failures-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a=b.csv", NULL);
  g_autofree char *spec = g_strconcat ("file:", path, NULL);
  g_autoptr (GPtrArray) names = names_new (3);
  g_autoptr (GError) error = NULL;
  LkFailureNodes nodes = { names, -1 };
  LkNodeEvent event;
  g_assert_true (g_file_set_contents (path, "5,n2,drain,x\n", -1, NULL));
  g_autoptr (LkFailures) failures = lk_failures_new (spec, &nodes, &error);
  g_assert_no_error (error);
  g_assert_true (lk_failures_next (failures, &event));
  g_assert_cmpuint (event.node_index, ==, 1);
  g_unlink (path);
  g_assert_null (lk_failures_new (spec, &nodes, &error));
  g_assert_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_OPEN);
  g_assert_true (g_str_has_prefix (error->message, "--failures: "));
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/failures/has the means and the shape asked for", test_means);
  g_test_add_func ("/sim/failures/fails as often in the beginning as later", test_stationary);
  g_test_add_func ("/sim/failures/does to a node what its own stream says", test_streams);
  g_test_add_func ("/sim/failures/refuses a model that makes no sense", test_bad_models);
  g_test_add_func ("/sim/failures/reads a list and puts it in order", test_list);
  g_test_add_func ("/sim/failures/says where a list is wrong", test_bad_lists);
  g_test_add_func ("/sim/failures/takes a list from a file", test_file);
  return g_test_run ();
}
