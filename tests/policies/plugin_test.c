/* tests/policies/plugin_test.c — shared objects as policies: the worked example, and files that
 * are none. */
#include <glib/gstdio.h>
#include <string.h>

#include "policies/elf_symbols.h"
#include "policies/registry.h"
#include "sim/verify_run.h"

#define EXAMPLE LK_BUILD_DIR "/docs/plugin-example/widest_waiting.so"
#define BAD LK_BUILD_DIR "/tests/policies/bad_plugins/"

static LkRegistry *
registry_with_example (void)
{
  LkRegistry *registry = lk_registry_new ();
  g_autoptr (GError) error = NULL;
  lk_registry_add_plugin (registry, EXAMPLE, &error);
  g_assert_no_error (error);
  return registry;
}

static LkDigestValue
run_digest (const LkRegistry *registry, const char *order, const char *backfill)
{
  LkSetupOptions options = { .units_total = LK_VERIFY_UNITS,
                             .origin_us = LK_TIME_NEVER,
                             .order = order,
                             .backfill = backfill,
                             .select = "pool" };
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSetup) setup = lk_setup_new (registry, &options, &error);
  g_assert_no_error (error);
  LkVerifyRun run;
  lk_verify_run (lk_setup_config (setup), /* restarts= */ FALSE, &run, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (run.start_count, >, 1000);
  return run.digest;
}

static void
test_example_listed (void)
{
  g_autoptr (LkRegistry) registry = registry_with_example ();
  g_autoptr (GError) error = NULL;
  const LkPolicy *policy = lk_registry_find (registry, LK_SEAM_ORDER, "widest_waiting", &error);
  g_assert_no_error (error);
  guint count;
  const LkPolicy *const *policies = lk_registry_policies (registry, &count);
  g_assert_true (policies[count - 1] == policy);
  g_assert_cmpstr (lk_registry_source (registry, policy), ==, EXAMPLE);
  /* SHA-1 in hexadecimal, as its CMakeLists.txt asks the linker for. */
  g_assert_cmpuint (strlen (lk_registry_build_id (registry, policy)), ==, 40);
}

/* A plugin and the built-in that it must equal, in one seam. */
static void
assert_same (const char *order, const char *backfill, const char *order2, const char *backfill2)
{
  g_autoptr (LkRegistry) registry = registry_with_example ();
  LkDigestValue a = run_digest (registry, order, backfill);
  LkDigestValue b = run_digest (registry, order2, backfill2);
  g_assert_true (lk_digest_value_equal (a, b));
}

static void
test_example_equals_largest (void)
{
  assert_same ("widest_waiting:threshold_s=0", "easy", "largest", "easy");
}

static void
test_example_equals_fifo (void)
{
  assert_same ("widest_waiting:threshold_s=31536000", "easy", "fifo", "easy");
}

static void
test_example_as_backfill_order (void)
{
  assert_same ("fifo", "easy:order=widest_waiting(threshold_s=0)", "fifo", "easy:order=largest");
}

static void
test_example_differs (void)
{
  g_autoptr (LkRegistry) registry = registry_with_example ();
  LkDigestValue fifo = run_digest (registry, "fifo", "easy");
  LkDigestValue largest = run_digest (registry, "largest", "easy");
  LkDigestValue example = run_digest (registry, "widest_waiting", "easy");
  g_assert_false (lk_digest_value_equal (example, fifo));
  g_assert_false (lk_digest_value_equal (example, largest));
}

static void
test_example_twice (void)
{
  g_autoptr (LkRegistry) registry = registry_with_example ();
  g_autoptr (GError) error = NULL;
  g_assert_null (lk_registry_add_plugin (registry, EXAMPLE, &error));
  g_assert_cmpstr (error->message, ==,
                   "plugin '" EXAMPLE "': there is already a policy 'widest_waiting' for seam "
                   "'order' (" EXAMPLE ")");
}

static void
test_relative_path (void)
{
  g_autofree char *folder = g_path_get_dirname (EXAMPLE);
  g_autofree char *before = g_get_current_dir ();
  g_assert_cmpint (g_chdir (folder), ==, 0);
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (GError) error = NULL;
  lk_registry_add_plugin (registry, "widest_waiting.so", &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_chdir (before), ==, 0);
}

/* ---------------------------------------------------------------- bad plugins */

typedef struct {
  const char *name;
  const char *path;
  const char *reason;
} BadCase;

static const BadCase bad_cases[] = {
  { "another ABI", BAD "wrong_abi.so", "it was made for policy ABI 99; this program has 3" },
  { "a missing slot", BAD "missing_slot.so", "the required slot 'key' is NULL" },
  { "a default out of range", BAD "bad_default.so",
    "parameter 'depth' is '0'; expected an integer from 1 to 10 (jobs) (the default in its own "
    "table)" },
  { "a file without the symbol", BAD "no_symbol.so", "it does not export the symbol lk_policy_v1" },
  { "a symbol that gives nothing", BAD "null_policy.so", "lk_policy_v1 () returned NULL" },
  { "a missing file", BAD "nowhere.so", "it cannot be opened: No such file or directory" },
  { "a folder", BAD, "it cannot be read: Is a directory" },
  { "a source file", LK_SOURCE_DIR "/engine/policy.h", "it is not an ELF file" },
  { "an endless file", "/dev/zero", "it is larger than 67108864 bytes" },
  { "an empty file", "/dev/null", "it is not an ELF file" },
};

static void
test_bad (gconstpointer data)
{
  const BadCase *test = data;
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  guint before, after;
  lk_registry_policies (registry, &before);
  g_autoptr (GError) error = NULL;
  g_assert_null (lk_registry_add_plugin (registry, test->path, &error));
  g_assert_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PLUGIN);
  g_autofree char *message = g_strdup_printf ("plugin '%s': %s", test->path, test->reason);
  g_assert_cmpstr (error->message, ==, message);
  lk_registry_policies (registry, &after);
  g_assert_cmpuint (before, ==, after);
}

/* ---------------------------------------------------------------- files that were damaged */

static char *
write_bytes (const char *folder, const char *bytes, gsize length)
{
  char *path = g_build_filename (folder, "damaged.so", NULL);
  g_assert_true (g_file_set_contents (path, bytes, (gssize)length, NULL));
  return path;
}

static void
test_damaged (void)
{
  g_autofree char *bytes = NULL;
  gsize length;
  g_assert_true (g_file_get_contents (EXAMPLE, &bytes, &length, NULL));
  g_autofree char *folder = g_dir_make_tmp ("lockstep-plugin-XXXXXX", NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  guint refused = 0;
  for (guint round = 0; round < 400; round++) {
    g_autofree char *damaged = g_memdup2 (bytes, length);
    gsize kept = round % 2 == 0 ? length : (gsize)g_rand_int_range (rand, 0, (gint32)length);
    for (guint i = 0; i < 20; i++) {
      /* Headers at the front and section headers at the end are where damage matters most. */
      gsize place = (gsize)g_rand_int_range (rand, 0, 2048);
      place = i % 2 == 0 ? place : length - 1 - place;
      damaged[place] = (char)g_rand_int_range (rand, 0, 256);
    }
    g_autofree char *path = write_bytes (folder, damaged, kept);
    g_autoptr (GError) error = NULL;
    g_autoptr (LkElfSymbols) symbols = lk_elf_symbols_read (path, &error);
    g_assert_true ((symbols == NULL) == (error != NULL));
    refused += symbols == NULL ? 1 : 0;
    g_assert_cmpint (g_remove (path), ==, 0);
  }
  g_assert_cmpuint (refused, >, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_truncated (void)
{
  g_autofree char *bytes = NULL;
  gsize length;
  g_assert_true (g_file_get_contents (EXAMPLE, &bytes, &length, NULL));
  g_autofree char *folder = g_dir_make_tmp ("lockstep-plugin-XXXXXX", NULL);
  g_autofree char *path = write_bytes (folder, bytes, length / 2);
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (GError) error = NULL;
  /* Its section headers, at the end, are gone. */
  g_assert_null (lk_registry_add_plugin (registry, path, &error));
  g_assert_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PLUGIN);
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_symbols (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkElfSymbols) symbols = lk_elf_symbols_read (EXAMPLE, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (symbols->exports->len, ==, 1);
  g_assert_true (lk_elf_symbols_exports (symbols, "lk_policy_v1"));
  g_assert_cmpuint (symbols->writable->len, ==, 0);
  g_assert_cmpuint (symbols->constructor_count, ==, 0);
  for (guint i = 0; i < symbols->imports->len; i++)
    g_assert_true (lk_symbol_is_pure (g_ptr_array_index (symbols->imports, i)));
  g_assert_false (lk_symbol_is_pure ("time"));
  g_assert_false (lk_symbol_is_pure ("strtod"));
  g_assert_false (lk_symbol_is_pure ("rand"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plugin/the example is listed behind the built-ins", test_example_listed);
  g_test_add_func ("/plugin/the example without patience equals largest",
                   test_example_equals_largest);
  g_test_add_func ("/plugin/the example with endless patience equals fifo",
                   test_example_equals_fifo);
  g_test_add_func ("/plugin/the example works as a backfill order", test_example_as_backfill_order);
  g_test_add_func ("/plugin/the example as it is differs from both", test_example_differs);
  g_test_add_func ("/plugin/refuses the same file twice", test_example_twice);
  g_test_add_func ("/plugin/finds a file without a slash in this folder", test_relative_path);
  for (guint i = 0; i < G_N_ELEMENTS (bad_cases); i++) {
    g_autofree char *path = g_strdup_printf ("/plugin/refuses %s", bad_cases[i].name);
    g_test_add_data_func (path, &bad_cases[i], test_bad);
  }
  g_test_add_func ("/elf_symbols/sees what the example is made of", test_symbols);
  g_test_add_func ("/elf_symbols/survives damaged files", test_damaged);
  g_test_add_func ("/plugin/refuses a truncated file", test_truncated);
  return g_test_run ();
}
