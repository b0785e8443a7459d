/* tests/sim/users/users_test.c — which job comes when, as others end. */
#include <string.h>

#include <glib.h>

#include "engine/policy.h"
#include "sim/users/offered_load.h"
#include "sim/users/users.h"

#define S (G_GINT64_CONSTANT (1000000))

/* Fields of SWF that matter: number, submit, wait, run, processors, user, preceding, think. */
#define LINE(number, submit, wait, run, user, before, think)                                       \
#number " " #submit " " #wait " " #run " 1 -1 -1 1 1000 -1 1 " #user " 1 -1 -1 -1 " #before      \
          " " #think "\n"

static LkUsers *
users_at_load (const char *options_text, double load_scale_ratio, const char *log)
{
  LkUsersOptions options;
  LkTraceOptions trace;
  g_autoptr (GError) error = NULL;
  lk_trace_options_init (&trace);
  trace.procs = 4;
  trace.load_scale_ratio = load_scale_ratio;
  g_assert_true (lk_users_options_parse (&options, "--users", options_text, &error));
  g_autoptr (LkTraceSource) source =
      lk_trace_source_new_from_bytes ("log", (const guint8 *)log, strlen (log), &trace, &error);
  g_assert_no_error (error);
  LkUsers *users = lk_users_new (&options, load_scale_ratio, source, &error);
  g_assert_no_error (error);
  return users;
}

static LkUsers *
users_of (const char *options_text, const char *log)
{
  return users_at_load (options_text, 1, log);
}

static void
expect_next (LkUsers *users, gint64 number, gint64 submit_us)
{
  LkTraceJob job;
  guint32 place;
  g_assert_true (lk_users_next (users, &job, &place));
  g_assert_cmpint (job.number, ==, number);
  g_assert_cmpint (job.submit_us, ==, submit_us);
  g_assert_cmpuint (place, ==, (guint32)number - 1);
}

static void
expect_none (LkUsers *users)
{
  LkTraceJob job;
  guint32 place;
  g_assert_false (lk_users_next (users, &job, &place));
}

/* Job 1 ended at 120, job 2 came 60 s later; job 3 came while it ran. */
static const char two_in_a_row[] = LINE (1, 10, 10, 100, 7, -1, -1) LINE (2, 180, 0, 100, 7, -1, -1)
    LINE (3, 200, 0, 5, 7, -1, -1);

/* At twice the load it comes 30 s behind the end: what was over when it came is over still. */
static void
test_load (void)
{
  g_autoptr (LkUsers) users = users_at_load ("closed", 2, two_in_a_row);
  expect_next (users, 1, 10 * S);
  lk_users_submitted (users, 0, 1, 10 * S);
  expect_none (users);
  lk_users_over (users, 0, 300 * S);
  expect_next (users, 2, 330 * S);
  lk_users_submitted (users, 1, 2, 330 * S);
  expect_next (users, 3, 340 * S);
}

static void
test_think_time (void)
{
  g_autoptr (LkUsers) users = users_of ("closed", two_in_a_row);
  expect_next (users, 1, 10 * S);
  lk_users_submitted (users, 0, 1, 10 * S);
  expect_none (users);
  g_assert_false (lk_users_have_moved (users));
  lk_users_over (users, 0, 500 * S);
  g_assert_true (lk_users_have_moved (users));
  g_assert_false (lk_users_have_moved (users));
  expect_next (users, 2, 560 * S);
  lk_users_over (users, 0, 900 * S); /* a job is over once */
  expect_next (users, 2, 560 * S);
  lk_users_submitted (users, 1, 2, 560 * S);
  expect_next (users, 3, 580 * S);
  g_assert_cmpuint (lk_users_absent_count (users), ==, 1);
}

static void
test_think_given (void)
{
  g_autoptr (LkUsers) users = users_of ("closed:think=1h", two_in_a_row);
  lk_users_submitted (users, 0, 1, 10 * S);
  lk_users_over (users, 0, 500 * S);
  expect_next (users, 2, (500 + 3600) * S);
  lk_users_submitted (users, 1, 2, 5000 * S);
  /* Those that came together stay together. */
  expect_next (users, 3, 5020 * S);
}

static void
test_fields (void)
{
  g_autoptr (LkUsers) users =
      users_of ("closed", LINE (1, 10, 0, 100, 7, -1, -1) LINE (2, 20, 0, 9, 8, 1, 30)
                              LINE (3, 25, 0, 9, 8, 99, 5));
  lk_users_submitted (users, 0, 1, 10 * S);
  expect_none (users); /* job 2 waits for job 1, whoever's it is; 3 comes beside 2 */
  lk_users_over (users, 0, 70 * S);
  expect_next (users, 2, 100 * S);
  lk_users_submitted (users, 1, 2, 100 * S);
  expect_next (users, 3, 105 * S);
}

static void
test_refused (void)
{
  g_autoptr (LkUsers) users = users_of ("closed", two_in_a_row);
  lk_users_submitted (users, 0, 0, 10 * S);
  expect_next (users, 2, 70 * S);
}

static void
test_patience (void)
{
  guint32 place = 9;
  g_autoptr (LkUsers) users = users_of ("closed:abandon=60s", two_in_a_row);
  g_assert_cmpint (lk_users_patience_us (users), ==, LK_TIME_NEVER);
  lk_users_submitted (users, 0, 5, 10 * S);
  g_assert_cmpint (lk_users_patience_us (users), ==, 70 * S);
  g_assert_cmpuint (lk_users_impatient (users, 69 * S, &place), ==, 0);
  g_assert_cmpuint (lk_users_impatient (users, 70 * S, &place), ==, 5);
  g_assert_cmpuint (place, ==, 0);
  lk_users_abandoned (users, 0, 70 * S);
  g_assert_cmpuint (lk_users_abandoned_count (users), ==, 1);
  expect_next (users, 2, 130 * S);
}

static void
test_options (void)
{
  static const char *const wrong[] = { "",
                                       "closed:",
                                       "closes",
                                       "open:think=1s",
                                       "closed:think",
                                       "closed:think=",
                                       "closed:think=soon",
                                       "closed:wait=3s",
                                       "closed:abandon=0",
                                       "closed:abandon=-1s",
                                       "closed:think=1s," };
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    LkUsersOptions options = { .abandon_us = 77 };
    g_autoptr (GError) error = NULL;
    g_assert_false (lk_users_options_parse (&options, "--users", wrong[i], &error));
    g_assert_nonnull (error);
    g_assert_true (g_str_has_prefix (error->message, "--users"));
    g_assert_cmpint (options.abandon_us, ==, 77);
  }
  static const char *const right[][2] = {
    { "open", "open" },
    { "closed", "closed:think=log,abandon=none" },
    { "closed:think=20m", "closed:think=1200,abandon=none" },
    { "closed:abandon=1d,think=log", "closed:think=log,abandon=86400" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (right); i++) {
    LkUsersOptions options;
    g_assert_true (lk_users_options_parse (&options, "--users", right[i][0], NULL));
    g_autofree char *text = lk_users_options_text (&options);
    g_assert_cmpstr (text, ==, right[i][1]);
  }
}

static void
test_offered_load (void)
{
  LkOfferedLoad load = { 0 };
  for (guint i = 0; i <= 1000; i++)
    lk_offered_load_add (&load, i * 100 * S, 36 * S, 10);
  g_assert_cmpfloat_with_epsilon (lk_offered_load_ratio (&load, 4), 1001 * 360 / (100000.0 * 4),
                                  1e-12);
  g_assert_true (lk_offered_load_is_high (&load, 4));
  g_assert_false (lk_offered_load_is_high (&load, 5));
  load = (LkOfferedLoad){ 0 };
  lk_offered_load_add (&load, 0, 1000 * S, 100);
  lk_offered_load_add (&load, S, 1000 * S, 100);
  g_assert_false (lk_offered_load_is_high (&load, 1)); /* too few to tell */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/users/the next job comes behind the end of the last", test_think_time);
  g_test_add_func ("/users/a load divides think times of the log", test_load);
  g_test_add_func ("/users/think time may be given", test_think_given);
  g_test_add_func ("/users/fields 17 and 18 go before times", test_fields);
  g_test_add_func ("/users/a refused job is over", test_refused);
  g_test_add_func ("/users/who has waited too long gives up", test_patience);
  g_test_add_func ("/users/options are read and written", test_options);
  g_test_add_func ("/users/the load that a log offers", test_offered_load);
  return g_test_run ();
}
