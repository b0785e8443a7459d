/* tests/traces/output_test.c — an output is whole or absent, in each format. */
#include "traces/output.h"

#include <glib/gstdio.h>
#include <string.h>

#include "traces/input.h"

static guint
folder_entry_count (const char *folder)
{
  guint count = 0;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  while (g_dir_read_name (dir))
    count++;
  return count;
}

static void
test_formats (void)
{
  static const char *names[] = { "a.swf", "a.swf.gz", "a.swf.zst" };
  g_autofree char *folder = g_dir_make_tmp ("lk-output-XXXXXX", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *path = g_build_filename (folder, names[i], NULL);
    g_autoptr (LkOutput) output = lk_output_new (path, &error);
    g_assert_no_error (error);
    for (guint k = 0; k < 100000; k++)
      g_assert_true (lk_output_write (output, "0123456789\n", 11, &error));
    g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
    g_assert_true (lk_output_close (output, &error));
    g_autoptr (LkInput) input = lk_input_new (path, &error);
    g_assert_no_error (error);
    const char *line;
    gsize length_bytes;
    while (lk_input_line (input, &line, &length_bytes, &error) == 1)
      g_assert_true (length_bytes == 10 && memcmp (line, "0123456789", 10) == 0);
    g_assert_no_error (error);
    g_assert_cmpuint (lk_input_line_number (input), ==, 100000);
    g_assert_true ((lk_input_bytes_total (input) < 110000) == (i > 0));
    g_unlink (path);
  }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_abandoned (void)
{
  g_autofree char *folder = g_dir_make_tmp ("lk-output-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "kept", NULL);
  g_assert_true (g_file_set_contents (path, "old", 3, NULL));
  LkOutput *output = lk_output_new (path, NULL);
  g_assert_true (lk_output_write (output, "new", 3, NULL));
  lk_output_free (output);
  g_autofree char *contents = NULL;
  g_assert_true (g_file_get_contents (path, &contents, NULL, NULL));
  g_assert_cmpstr (contents, ==, "old");
  g_assert_cmpuint (folder_entry_count (folder), ==, 1);
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_failures (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("lk-output-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "no", "such", NULL);
  g_assert_null (lk_output_new (path, &error));
  g_autofree char *expected =
      g_strdup_printf ("output '%s': cannot create: No such file or directory", path);
  g_assert_cmpstr (error->message, ==, expected);
  g_clear_error (&error);
  g_assert_null (lk_output_new (folder, &error));
  g_assert_nonnull (strstr (error->message, "Is a directory"));
  g_rmdir (folder);
}

static void
test_full (void)
{
  if (!g_file_test ("/dev/full", G_FILE_TEST_EXISTS)) {
    g_test_skip ("no /dev/full here");
    return;
  }
  g_autoptr (GError) error = NULL;
  g_autoptr (LkOutput) output = lk_output_new ("/dev/full", &error);
  g_assert_no_error (error);
  g_assert_true (lk_output_write (output, "x", 1, &error));
  g_assert_false (lk_output_close (output, &error));
  g_assert_cmpstr (error->message, ==, "output '/dev/full': cannot write: No space left on device");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/output/appears whole at its close, in each format", test_formats);
  g_test_add_func ("/output/an abandoned one leaves the old file and nothing else", test_abandoned);
  g_test_add_func ("/output/a path that cannot be written is an error", test_failures);
  g_test_add_func ("/output/a full disk is an error", test_full);
  return g_test_run ();
}
