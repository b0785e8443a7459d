/* tests/fuzz/replay_main.c — runs a fuzz target over every file of its corpus, for builds without
 * libFuzzer.
 *
 * Arguments are folders and files. Each input is also run cut in half and with one byte flipped,
 * for a little more than the corpus alone. A corpus without files fails: it would test nothing. */
#include <glib.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

static gint
name_compare (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(const char *const *)a, *(const char *const *)b);
}

/* Runs an exact copy, so that a sanitizer sees the first byte read behind it. */
static void
copy_run (const char *contents, gsize length_bytes)
{
  g_autofree guint8 *bytes = g_malloc (length_bytes);
  if (length_bytes > 0)
    memcpy (bytes, contents, length_bytes);
  LLVMFuzzerTestOneInput (bytes, length_bytes);
}

static gboolean
file_run (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *contents = NULL;
  gsize length_bytes;
  if (!g_file_get_contents (path, &contents, &length_bytes, &error)) {
    fprintf (stderr, "%s\n", error->message);
    return FALSE;
  }
  copy_run (contents, length_bytes);
  copy_run (contents, length_bytes / 2);
  if (length_bytes > 0) {
    contents[length_bytes / 3] ^= 0x41;
    copy_run (contents, length_bytes);
  }
  return TRUE;
}

/* Returns the number of files run, or -1. */
static int
path_run (const char *path)
{
  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return file_run (path) ? 1 : -1;
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) folder = g_dir_open (path, 0, &error);
  if (!folder) {
    fprintf (stderr, "%s\n", error->message);
    return -1;
  }
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;
  while ((name = g_dir_read_name (folder)))
    g_ptr_array_add (names, g_build_filename (path, name, NULL));
  g_ptr_array_sort (names, name_compare);
  for (guint i = 0; i < names->len; i++)
    if (!file_run (g_ptr_array_index (names, i)))
      return -1;
  return (int)names->len;
}

int
main (int argc, char **argv)
{
  int file_count = 0;
  for (int i = 1; i < argc; i++) {
    int count = path_run (argv[i]);
    if (count < 0)
      return 1;
    file_count += count;
  }
  printf ("%d files\n", file_count);
  return file_count > 0 ? 0 : 1;
}
