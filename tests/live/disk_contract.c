/* tests/live/disk_contract.c — see the header. */
#include "tests/live/disk_contract.h"

#include <string.h>

typedef struct {
  const DiskMaker *maker;
  gpointer disk;
  LkPortDisk port;
  GString *done;
} Disk;

static void
disk_init (Disk *self, const DiskMaker *maker)
{
  self->maker = maker;
  self->done = g_string_new (NULL);
  self->disk = maker->make (self->done);
  self->port = maker->port (self->disk);
}

static void
disk_clear (Disk *self)
{
  self->maker->free (self->disk);
  g_string_free (self->done, TRUE);
}

static void
run (Disk *self)
{
  self->maker->run (self->disk);
}

static void
restart (Disk *self)
{
  self->maker->restart (self->disk);
  self->port = self->maker->port (self->disk);
}

static void
append (Disk *self, const char *text, guint64 token)
{
  self->port.ops->append (self->port.self, "f", (const guint8 *)text, strlen (text), token);
}

static void
replace (Disk *self, const char *text, guint64 token)
{
  self->port.ops->replace (self->port.self, "f", (const guint8 *)text, strlen (text), token);
}

static void
cut (Disk *self, guint64 length_bytes, guint64 token)
{
  self->port.ops->cut (self->port.self, "f", length_bytes, token);
}

static void
assert_bytes (GByteArray *bytes, gboolean has_failed, const char *expected)
{
  g_assert_false (has_failed);
  if (expected == NULL) {
    g_assert_null (bytes);
    return;
  }
  g_assert_nonnull (bytes);
  g_assert_cmpuint (bytes->len, ==, strlen (expected));
  g_assert_true (bytes->len == 0 || memcmp (bytes->data, expected, bytes->len) == 0);
  g_byte_array_unref (bytes);
}

/* NULL: there is no such file. */
static void
assert_text (Disk *self, const char *name, const char *expected)
{
  gboolean has_failed = TRUE;
  GByteArray *bytes = self->port.ops->read (self->port.self, name, &has_failed);
  assert_bytes (bytes, has_failed, expected);
  has_failed = TRUE;
  GBytes *view = self->port.ops->view (self->port.self, name, &has_failed);
  assert_bytes (view != NULL ? g_bytes_unref_to_array (view) : NULL, has_failed, expected);
}

static void
assert_part (Disk *self, guint64 offset_bytes, gsize length_bytes, const char *expected)
{
  gboolean has_failed = TRUE;
  GByteArray *bytes =
      self->port.ops->read_part (self->port.self, "f", offset_bytes, length_bytes, &has_failed);
  assert_bytes (bytes, has_failed, expected);
}

/* ---------------------------------------------------------------- the tests */

static void
test_requests (gconstpointer maker)
{
  Disk disk;
  disk_init (&disk, maker);
  assert_text (&disk, "f", NULL);
  assert_part (&disk, 0, 1, NULL);
  append (&disk, "ab", 1);
  append (&disk, "cd", 2);
  g_assert_cmpstr (disk.done->str, ==, ""); /* never within the call */
  run (&disk);
  g_assert_cmpstr (disk.done->str, ==, "1 2 ");
  assert_text (&disk, "f", "abcd");
  assert_text (&disk, "g", NULL);
  cut (&disk, 3, 3);
  cut (&disk, 9, 4);
  append (&disk, "e", 5);
  run (&disk);
  assert_text (&disk, "f", "abce");
  replace (&disk, "xyz", 6);
  append (&disk, "!", 7);
  run (&disk);
  assert_text (&disk, "f", "xyz!");
  g_assert_cmpstr (disk.done->str, ==, "1 2 3 4 5 6 7 ");
  disk.port.ops->remove (disk.port.self, "f");
  disk.port.ops->remove (disk.port.self, "g");
  assert_text (&disk, "f", NULL);
  append (&disk, "new", 8);
  run (&disk);
  assert_text (&disk, "f", "new");
  disk_clear (&disk);
}

static void
test_parts (gconstpointer maker)
{
  Disk disk;
  disk_init (&disk, maker);
  append (&disk, "abcdef", 1);
  run (&disk);
  assert_part (&disk, 0, 6, "abcdef");
  assert_part (&disk, 2, 3, "cde");
  assert_part (&disk, 4, 100, "ef");
  assert_part (&disk, 6, 1, "");
  assert_part (&disk, G_MAXUINT64 / 4, 1, "");
  assert_part (&disk, 3, 0, "");
  disk_clear (&disk);
}

static void
test_nothing (gconstpointer maker)
{
  Disk disk;
  disk_init (&disk, maker);
  cut (&disk, 5, 1); /* of no file */
  run (&disk);
  assert_text (&disk, "f", NULL);
  append (&disk, "", 2);
  run (&disk);
  assert_text (&disk, "f", "");
  replace (&disk, "", 3);
  run (&disk);
  assert_text (&disk, "f", "");
  g_assert_cmpstr (disk.done->str, ==, "1 2 3 ");
  disk_clear (&disk);
}

static void
test_many (gconstpointer maker)
{
  Disk disk;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) tokens = g_string_new (NULL);
  disk_init (&disk, maker);
  for (guint i = 0; i < 300; i++) {
    g_autofree char *line = g_strdup_printf ("line %u\n", i);
    append (&disk, line, i);
    g_string_append (text, line);
    g_string_append_printf (tokens, "%u ", i);
    if (i % 100 == 99)
      run (&disk);
  }
  g_assert_cmpstr (disk.done->str, ==, tokens->str);
  assert_text (&disk, "f", text->str);
  disk_clear (&disk);
}

static void
test_large (gconstpointer maker)
{
  Disk disk;
  g_autofree char *large = g_strnfill ((gsize)3 << 20, 'x');
  g_autofree char *twice = g_strconcat (large, large, NULL);
  disk_init (&disk, maker);
  append (&disk, large, 1);
  append (&disk, large, 2);
  run (&disk);
  assert_text (&disk, "f", twice);
  replace (&disk, large, 3);
  run (&disk);
  assert_text (&disk, "f", large);
  disk_clear (&disk);
}

static void
test_restart (gconstpointer maker)
{
  Disk disk;
  disk_init (&disk, maker);
  append (&disk, "ab", 1);
  run (&disk);
  restart (&disk);
  assert_text (&disk, "f", "ab");
  append (&disk, "cd", 2);
  run (&disk);
  assert_text (&disk, "f", "abcd");
  disk_clear (&disk);
}

/* What is behind a failure fails too, and nothing of it is done; what the failed one has left may
 * be any front part of it. */
static void
test_failure (gconstpointer maker)
{
  Disk disk;
  disk_init (&disk, maker);
  append (&disk, "ab", 1);
  run (&disk);
  disk.maker->set_failing (disk.disk, TRUE);
  append (&disk, "cd", 2);
  run (&disk);
  disk.maker->set_failing (disk.disk, FALSE);
  append (&disk, "ef", 3);
  replace (&disk, "gh", 4);
  cut (&disk, 1, 5);
  disk.port.ops->append (disk.port.self, "g", (const guint8 *)"i", 1, 6);
  run (&disk);
  g_assert_cmpstr (disk.done->str, ==, "1 -2 -3 -4 -5 -6 ");
  assert_part (&disk, 0, 2, "ab");
  assert_text (&disk, "g", NULL);
  restart (&disk);
  cut (&disk, 2, 7);
  append (&disk, "gh", 8);
  run (&disk);
  assert_text (&disk, "f", "abgh");
  g_assert_true (g_str_has_suffix (disk.done->str, "-6 7 8 "));
  disk_clear (&disk);
}

static void
test_failed_replacing (gconstpointer maker)
{
  Disk disk;
  disk_init (&disk, maker);
  replace (&disk, "old", 1);
  run (&disk);
  disk.maker->set_failing (disk.disk, TRUE);
  replace (&disk, "newer", 2);
  run (&disk);
  g_assert_cmpstr (disk.done->str, ==, "1 -2 ");
  assert_text (&disk, "f", "old");
  disk_clear (&disk);
}

void
disk_contract_add (const char *name, const DiskMaker *maker)
{
  static const struct {
    const char *name;
    GTestDataFunc test;
  } tests[] = {
    { "requests are carried out in order and answered once", test_requests },
    { "parts of a file end where it ends", test_parts },
    { "of no bytes a file is made", test_nothing },
    { "many requests are answered in order", test_many },
    { "what is large is written whole", test_large },
    { "another process goes on with what is there", test_restart },
    { "behind a failure nothing is done for this process", test_failure },
    { "a file whose replacing fails is the old one", test_failed_replacing },
  };
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++) {
    g_autofree char *path = g_strdup_printf ("/disk/%s/%s", name, tests[i].name);
    g_test_add_data_func (path, maker, tests[i].test);
  }
}
