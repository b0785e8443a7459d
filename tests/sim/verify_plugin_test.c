/* tests/sim/verify_plugin_test.c — each plugin that is wrong in one way fails the check made for
 * that way. */
#include "sim/verify_plugin.h"

#include <string.h>

#include "policies/registry.h"
#include "sim/verify_run.h"

#define EXAMPLE LK_BUILD_DIR "/docs/plugin-example/widest_waiting.so"
#define BAD LK_BUILD_DIR "/tests/policies/bad_plugins/"

typedef struct {
  const char *path;
  const char *failed; /* names of the checks that fail, with commas; "" none */
  const char *detail; /* part of the first failed check's */
} VerifyCase;

static const VerifyCase cases[] = {
  { EXAMPLE, "", NULL },
  { BAD "wrong_abi.so", "vtable", "it was made for policy ABI 99; this program has 3" },
  { BAD "missing_slot.so", "vtable", "the required slot 'key' is NULL" },
  { BAD "bad_default.so", "vtable", "parameter 'depth' is '0'" },
  { BAD "null_policy.so", "vtable", "lk_policy_v1 () returned NULL" },
  { BAD "no_symbol.so", "exports", "it does not export the symbol lk_policy_v1" },
  { BAD "extra_symbol.so", "exports", "it exports more: lk_policy_extra" },
  { BAD "at_load.so", "loading", "1 constructors run when it is loaded" },
  { BAD "mutable_state.so", "data,two runs", "'call_count' (4 bytes in .bss)" },
  { BAD "lost_state.so", "restarts", "state must pass through save and load" },
  { BAD "crashes.so", "process", "the policy ended the process: signal 6 (Aborted)" },
  { BAD "nowhere.so", "file", "it cannot be opened: No such file or directory" },
};

static void
test_case (gconstpointer data)
{
  const VerifyCase *test = data;
  g_autoptr (GPtrArray) checks = lk_verify_plugin (test->path, NULL);
  g_autoptr (GString) failed = g_string_new (NULL);
  const char *detail = NULL;
  for (guint i = 0; i < checks->len; i++) {
    const LkVerifyCheck *check = g_ptr_array_index (checks, i);
    if (check->passed)
      continue;
    g_string_append_printf (failed, "%s%s", failed->len == 0 ? "" : ",", check->name);
    detail = detail == NULL ? check->detail : detail;
  }
  g_assert_cmpstr (failed->str, ==, test->failed);
  if (test->detail != NULL)
    g_assert_nonnull (strstr (detail, test->detail));
}

static const LkVerifyCheck *
find_check (const GPtrArray *checks, const char *name)
{
  for (guint i = 0; i < checks->len; i++) {
    const LkVerifyCheck *check = g_ptr_array_index (checks, i);
    if (strcmp (check->name, name) == 0)
      return check;
  }
  g_error ("there is no check '%s'", name);
}

static void
test_clock (void)
{
  /* Whether its runs differ is up to the clock; that it asks for the clock is not. */
  g_autoptr (GPtrArray) checks = lk_verify_plugin (BAD "calls_time.so", NULL);
  const LkVerifyCheck *check = find_check (checks, "imports");
  g_assert_false (check->passed);
  g_assert_cmpstr (check->detail, ==, "not on the list of pure functions: time");
}

static void
test_parameters (void)
{
  g_autoptr (GPtrArray) checks = lk_verify_plugin (EXAMPLE, "threshold_s=7");
  g_assert_cmpstr (find_check (checks, "parameters")->detail, ==, "widest_waiting:threshold_s=7");
  g_autoptr (GPtrArray) wrong = lk_verify_plugin (EXAMPLE, "treshold_s=7");
  const LkVerifyCheck *check = find_check (wrong, "parameters");
  g_assert_false (check->passed);
  g_assert_cmpstr (check->detail, ==,
                   "order 'widest_waiting': no parameter 'treshold_s'; did you mean "
                   "'threshold_s'?");
}

static void
test_builtins (void)
{
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  guint count;
  const LkPolicy *const *policies = lk_registry_policies (registry, &count);
  g_assert_cmpuint (count, >, 10);
  for (guint i = 0; i < count; i++) {
    const LkPolicy *policy = policies[i];
    const char *spec = strcmp (policy->name, "expr") == 0 ? "expr:wait/estimate" : policy->name;
    gboolean places =
        policy->seam == LK_SEAM_SELECT && ((const LkSelectPolicy *)policy)->choose != NULL;
    g_autoptr (LkCluster) cluster = places ? lk_verify_cluster () : NULL;
    LkSetupOptions options = { .units_total = LK_VERIFY_UNITS,
                               .cluster = cluster,
                               .origin_us = LK_TIME_NEVER,
                               .order = policy->seam == LK_SEAM_ORDER ? spec : "sjf",
                               .backfill = policy->seam == LK_SEAM_BACKFILL ? spec : "easy",
                               .select = policy->seam == LK_SEAM_SELECT ? spec : "pool" };
    g_autoptr (GError) error = NULL;
    g_autoptr (LkSetup) setup = lk_setup_new (registry, &options, &error);
    g_assert_no_error (error);
    LkVerifyRun plain, restarted;
    g_assert_true (lk_verify_run (lk_setup_config (setup), FALSE, &plain, &error));
    g_assert_true (lk_verify_run (lk_setup_config (setup), TRUE, &restarted, &error));
    g_assert_cmpuint (restarted.restart_count, >, 10);
    g_test_message ("%s %s", lk_seam_name (policy->seam), policy->name);
    g_assert_true (lk_digest_value_equal (plain.digest, restarted.digest));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *base = g_path_get_basename (cases[i].path);
    g_autofree char *path = g_strdup_printf ("/verify_plugin/sees what is wrong with %s", base);
    g_test_add_data_func (path, &cases[i], test_case);
  }
  g_test_add_func ("/verify_plugin/sees that a policy asks the clock", test_clock);
  g_test_add_func ("/verify_plugin/runs with the parameters given", test_parameters);
  g_test_add_func ("/verify_run/no built-in policy notices a restart", test_builtins);
  return g_test_run ();
}
