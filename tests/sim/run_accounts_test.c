/* tests/sim/run_accounts_test.c — which order a run gets, and whose its jobs are. */
#include "sim/run_accounts.h"

#include <string.h>

#include "policies/spec.h"
#include "sim/error.h"
#include "sim/report.h"
#include "sim/show.h"
#include "sim/error.h"

static void
test_merge (void)
{
  static const struct {
    const char *base;
    const char *spec;
    const char *merged;
  } cases[] = {
    { "multifactor:weight_age=1,weight_qos=2", "multifactor",
      "multifactor:weight_age=1,weight_qos=2" },
    { "multifactor:weight_age=1,weight_qos=2", "multifactor:weight_age=5",
      "multifactor:weight_age=5,weight_qos=2" },
    { "multifactor:weight_tres=\"CPU=1,Mem=2\",flags=A+B", "multifactor:flags=C",
      "multifactor:flags=C,weight_tres=\"CPU=1,Mem=2\"" },
    { "multifactor:weight_tres=\"CPU=1,Mem=2\",flags=A", "multifactor:weight_tres=\"Mem=3,CPU=4\"",
      "multifactor:weight_tres=\"Mem=3,CPU=4\",flags=A" },
    { "multifactor:max_age_s=1", "multifactor:age=2", "multifactor:age=2,max_age_s=1" },
    { "multifactor:weight_age=1", "fifo", "fifo" },
    { "basic", "multifactor:weight_age=5", "multifactor:weight_age=5" },
    { "basic", "basic", "basic" },
    { "multi:a=1", "multifactor:b=2", "multifactor:b=2" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *merged = lk_spec_merge (cases[i].base, cases[i].spec);
    g_assert_cmpstr (merged, ==, cases[i].merged);
  }
}

static void
assert_text (LkText text, const char *expected)
{
  g_assert_cmpuint (text.length_bytes, ==, strlen (expected));
  g_assert_cmpint (memcmp (text.bytes, expected, text.length_bytes), ==, 0);
}

static void
test_names (void)
{
  LkRunNames *names = lk_run_names_new (NULL);
  LkJobRequest request = {
    .user = lk_text ("Alice"), .account = lk_text ("HEP"), .qos = lk_text ("Hi"), .nodes_min = 3
  };
  LkTraceJob named = { .user_id = 7, .request = &request };
  LkTraceJob numbered = { .user_id = 12, .request = &lk_no_request };
  const LkJobRequest *first = lk_run_names_request (names, &named);
  const LkJobRequest *second = lk_run_names_request (names, &numbered);
  assert_text (first->user, "alice");
  assert_text (first->account, "hep");
  assert_text (first->qos, "hi");
  g_assert_cmpuint (first->nodes_min, ==, 3);
  assert_text (second->user, "u12");
  assert_text (second->account, "");
  g_assert_true (lk_run_names_request (names, &named) == first);
  lk_run_names_free (names);
}

static const char grouped_log[] = "; MaxProcs: 8\n"
                                  "1 0 -1 10 1 -1 -1 1 20 -1 1 7 2 -1 1 1 -1 -1\n"
                                  "2 1 -1 10 1 -1 -1 1 20 -1 1 7 3 -1 1 1 -1 -1\n"
                                  "3 2 -1 10 1 -1 -1 1 20 -1 1 7 3 -1 1 1 -1 -1\n"
                                  "4 3 -1 10 1 -1 -1 1 20 -1 1 8 -1 -1 1 1 -1 -1\n";

static void
test_from_log (void)
{
  g_autoptr (GError) error = NULL;
  guint64 left_out_count = 9;
  g_autoptr (LkTraceReader) reader = lk_trace_reader_new_from_bytes (
      "x.swf", (const guint8 *)grouped_log, strlen (grouped_log), NULL, &error);
  g_assert_no_error (error);
  g_autoptr (LkAccounts) accounts = lk_run_accounts_from_log (reader, &left_out_count, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (left_out_count, ==, 0);
  g_assert_cmpuint (accounts->enforce, ==, 0);
  g_assert_false (lk_accounts_find (accounts, "g2", "u7", "")->is_default);
  g_assert_true (lk_accounts_find (accounts, "g3", "u7", "")->is_default);
  g_assert_true (lk_accounts_find (accounts, "log", "u8", "")->is_default);
  g_assert_null (lk_accounts_find (accounts, "g2", "u8", ""));
  g_assert_cmpuint (lk_accounts_find (accounts, "g2", "", "")->shares, ==, 1);

  LkRunNames *names = lk_run_names_new (accounts);
  const LkTraceJob own = { .user_id = 7, .group_id = 2, .request = &lk_no_request };
  const LkTraceJob foreign = { .user_id = 8, .group_id = 2, .request = &lk_no_request };
  assert_text (lk_run_names_request (names, &own)->account, "g2");
  assert_text (lk_run_names_request (names, &foreign)->account, "");
  lk_run_names_free (names);
}

static void
test_from_log_left_out (void)
{
  static const char log[] = "JobID|User|Account|Submit|Start|End|NCPUS|State\n"
                            "1|a b|x|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T00:01:00|1|"
                            "COMPLETED\n"
                            "2|Bob|X|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T00:01:00|1|"
                            "COMPLETED\n";
  g_autoptr (GError) error = NULL;
  guint64 left_out_count = 0;
  g_autoptr (LkTraceReader) reader =
      lk_trace_reader_new_from_bytes ("x.sacct", (const guint8 *)log, strlen (log), NULL, &error);
  g_assert_no_error (error);
  g_autoptr (LkAccounts) accounts = lk_run_accounts_from_log (reader, &left_out_count, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (left_out_count, ==, 1);
  g_assert_nonnull (lk_accounts_find (accounts, "x", "bob", ""));
}

static void
test_moments (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkShow) show = lk_show_new ("squeue", FALSE, &error);
  g_assert_no_error (error);
  g_assert_true (lk_show_set_moments (show, "--at", "1h,+30m,1970-01-01T00:10:05,90", 5, &error));
  lk_show_begin (show, 100 * G_USEC_PER_SEC);
  lk_show_begin (show, 500 * G_USEC_PER_SEC);
  static const gint64 expected_s[] = { 90, 600, 1900, 3600 };
  for (guint i = 0; i < G_N_ELEMENTS (expected_s); i++)
    g_assert_cmpint (lk_show_next_moment_us (show), ==, expected_s[i] * G_USEC_PER_SEC);
  g_assert_cmpint (lk_show_next_moment_us (show), ==, LK_TIME_NEVER);
  g_assert_false (lk_show_set_moments (show, "--at", "2020-01-01", -1, &error));
  g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE);
}

static void
test_lists (void)
{
  static const struct {
    const char *text;
    guint count; /* 0: refused */
  } cases[] = {
    { "sprio", 1 },
    { "sprio,sshare,queue", 3 },
    { "sprio -j 1,2; squeue -u a,b -h", 2 },
    { "", 0 },
    { "sprio,", 0 },
    { "sinfo", 0 },
    { "sprio --foo", 0 },
    { "sprio 'x", 0 },
    { "squeue extra", 0 },
    { "sshare -a;;", 0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GPtrArray) list = lk_report_list_parse (cases[i].text, &error);
    g_assert_cmpuint (list != NULL ? list->len : 0, ==, cases[i].count);
    g_assert_true ((list == NULL) == (error != NULL));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run-accounts/takes from slurm.conf what a given order leaves out", test_merge);
  g_test_add_func ("/run-accounts/names users by number where a log has no names", test_names);
  g_test_add_func ("/run-accounts/makes accounts of a log's users and groups", test_from_log);
  g_test_add_func ("/run-accounts/leaves out users whose names accounts cannot have",
                   test_from_log_left_out);
  g_test_add_func ("/show/brings moments of all kinds in order", test_moments);
  g_test_add_func ("/show/takes lists of commands apart", test_lists);
  return g_test_run ();
}
