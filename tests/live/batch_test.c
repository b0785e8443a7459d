/* tests/live/batch_test.c — batch jobs there and back, what the decoder refuses, and that
 * docs/formats-batch.md is what the schema says.
 *
 * With --schema as its only argument it prints that file instead of testing. */
#include "live/core/batch.h"

#include <json-glib/json-glib.h>
#include <stdio.h>

#include "tests/live/random_batch.h"

#define ROUNDS 500u

static gboolean
decodes (const GByteArray *bytes, gsize length_bytes)
{
  g_autofree guint8 *copy = g_malloc (MAX (length_bytes, 1));
  LkBatch batch;
  memcpy (copy, bytes->data, length_bytes);
  return lk_batch_decode (copy, length_bytes, &batch);
}

static void
test_there_and_back (void)
{
  Seed seed = { 1 };
  for (guint round = 0; round < ROUNDS; round++) {
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_autoptr (GByteArray) again = g_byte_array_new ();
    LkBatch batch = random_batch (&seed);
    LkBatch decoded;
    lk_batch_encode (&batch, bytes);
    g_assert_true (lk_batch_decode (bytes->data, bytes->len, &decoded));
    lk_batch_encode (&decoded, again);
    assert_same_bytes (again->data, again->len, bytes->data, bytes->len);
    gsize step_bytes = bytes->len > 2000 ? 997 : 1;
    for (gsize length_bytes = 0; length_bytes < bytes->len; length_bytes += step_bytes)
      g_assert_false (decodes (bytes, length_bytes));
    g_byte_array_append (bytes, (const guint8 *)"", 1);
    g_assert_false (decodes (bytes, bytes->len));
  }
}

/* What is wrong with it is said to who makes it, and refused from others. */
static void
assert_refused (const LkBatch *batch)
{
  g_assert_nonnull (lk_batch_fault (batch));
}

static void
test_faults (void)
{
  static const guint8 with_nul[] = "/tmp\0x";
  g_autofree guint8 *long_script = g_malloc0 (LK_BATCH_SCRIPT_MAX_BYTES + 1);
  g_autofree char *long_path = g_strnfill (LK_BATCH_PATH_MAX_BYTES + 1, 'a');
  LkBatch good = { .script = lk_bytes ("#!/bin/sh\n") };
  g_assert_null (lk_batch_fault (&good));
  LkBatch bad = good;
  bad.std_out = (LkPath){ with_nul, 6 };
  assert_refused (&bad);
  bad = good;
  bad.std_out = lk_bytes (long_path);
  assert_refused (&bad);
  bad.std_out.length_bytes--;
  g_assert_null (lk_batch_fault (&bad));
  bad = good;
  bad.environment = lk_bytes ("A=1");
  assert_refused (&bad);
  bad = good;
  bad.open_mode = LK_BATCH_OPEN_COUNT;
  assert_refused (&bad);
  bad = good;
  bad.umask = 01000;
  assert_refused (&bad);
  bad = good;
  bad.limits = 1u << LK_BATCH_LIMIT_COUNT;
  assert_refused (&bad);
  bad = good;
  bad.script = (LkBytes){ long_script, LK_BATCH_SCRIPT_MAX_BYTES + 1 };
  g_assert_cmpstr (lk_batch_fault (&bad), ==, "the script is too long");
}

/* One byte of a good one is changed to each value: it is refused, or has another value. */
static void
test_changed_bytes (void)
{
  Seed seed = { 2 };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkBatch batch = random_batch (&seed);
  lk_batch_encode (&batch, bytes);
  g_assert_cmpuint (bytes->data[0], ==, LK_BATCH_VERSION);
  for (guint i = 0; i < MIN (bytes->len, 3000); i++)
    for (guint value = 0; value < 256; value += 5) {
      guint8 was = bytes->data[i];
      LkBatch decoded;
      bytes->data[i] = (guint8)value;
      if (lk_batch_decode (bytes->data, bytes->len, &decoded)) {
        g_autoptr (GByteArray) again = g_byte_array_new ();
        g_assert_null (lk_batch_fault (&decoded));
        lk_batch_encode (&decoded, again);
        assert_same_bytes (again->data, again->len, bytes->data, bytes->len);
      }
      bytes->data[i] = was;
    }
}

static void
test_strings (void)
{
  g_autoptr (GByteArray) list = g_byte_array_new ();
  lk_strings_append (list, "A=1");
  lk_strings_append (list, "");
  lk_strings_append (list, "B");
  LkStrings strings = { list->data, list->len };
  g_assert_cmpstr (lk_strings_next (&strings), ==, "A=1");
  g_assert_cmpstr (lk_strings_next (&strings), ==, "");
  g_assert_cmpstr (lk_strings_next (&strings), ==, "B");
  g_assert_null (lk_strings_next (&strings));
}

static void
test_json (void)
{
  Seed seed = { 3 };
  for (guint round = 0; round < 50; round++) {
    LkBatch batch = random_batch (&seed);
    g_autoptr (GString) json = g_string_new (NULL);
    g_autoptr (GError) error = NULL;
    lk_batch_json (&batch, json);
    g_assert_null (strchr (json->str, '\n'));
    g_autoptr (JsonNode) root = json_from_string (json->str, &error);
    g_assert_no_error (error);
    g_assert_cmpint (json_object_get_int_member (json_node_get_object (root), "umask"), ==,
                     batch.umask);
  }
}

static GString *
schema_page (void)
{
  GString *page =
      g_string_new ("# A batch job, field by field\n\n"
                    "Made from `live/core/batch_schema.h`; `tests/live/batch_test --schema` prints "
                    "this page and a test compares\nthem. What the types are: "
                    "[formats.md](formats.md) and [formats-wire.md](formats-wire.md); and `path` "
                    "is `bytes` without a NUL,\nat most 4095, `strings` is `bytes`: a list of "
                    "strings, each ended by a NUL.\n\n");
  lk_batch_markdown (page);
  return page;
}

static void
test_page (void)
{
  g_autoptr (GString) page = schema_page ();
  g_autoptr (GError) error = NULL;
  g_autofree char *contents = NULL;
  g_file_get_contents (LK_SOURCE_DIR "/docs/formats-batch.md", &contents, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (contents, ==, page->str);
}

int
main (int argc, char **argv)
{
  if (argc == 2 && strcmp (argv[1], "--schema") == 0) {
    g_autoptr (GString) page = schema_page ();
    return fputs (page->str, stdout) < 0;
  }
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/batch/goes there and back, and no part of it does", test_there_and_back);
  g_test_add_func ("/batch/that is none has a fault", test_faults);
  g_test_add_func ("/batch/with a changed byte is refused or another", test_changed_bytes);
  g_test_add_func ("/batch/lists strings", test_strings);
  g_test_add_func ("/batch/is JSON on one line", test_json);
  g_test_add_func ("/batch/is documented as it is", test_page);
  return g_test_run ();
}
