/* tests/traces/input_test.c — lines come out the same however the bytes are stored and cut. */
#include "traces/input.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define LONG_LINE_COUNT 20000u

/* A text with lines of many lengths, more than one read buffer of it. */
static GString *
text_make (void)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < LONG_LINE_COUNT; i++) {
    g_string_append_printf (text, "line %u ", i);
    for (guint pad = 0; pad < i % 61; pad++)
      g_string_append_c (text, 'x');
    g_string_append_c (text, '\n');
  }
  return text;
}

static GByteArray *
gzip_make (const char *text, gsize length_bytes)
{
  z_stream stream = { 0 };
  g_assert_cmpint (deflateInit2 (&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), ==, Z_OK);
  GByteArray *packed = g_byte_array_new ();
  g_byte_array_set_size (packed, (guint)deflateBound (&stream, length_bytes));
  stream.next_in = (Bytef *)text;
  stream.avail_in = (uInt)length_bytes;
  stream.next_out = packed->data;
  stream.avail_out = packed->len;
  g_assert_cmpint (deflate (&stream, Z_FINISH), ==, Z_STREAM_END);
  g_byte_array_set_size (packed, (guint)stream.total_out);
  deflateEnd (&stream);
  return packed;
}

static GByteArray *
zstd_make (const char *text, gsize length_bytes)
{
  GByteArray *packed = g_byte_array_new ();
  g_byte_array_set_size (packed, (guint)ZSTD_compressBound (length_bytes));
  gsize packed_bytes = ZSTD_compress (packed->data, packed->len, text, length_bytes, 3);
  g_assert_false (ZSTD_isError (packed_bytes));
  g_byte_array_set_size (packed, (guint)packed_bytes);
  return packed;
}

/* Joins the lines again; NULL on an error. */
static GString *
lines_read (LkInput *input, GError **error)
{
  GString *text = g_string_new (NULL);
  const char *line;
  gsize length_bytes;
  guint64 line_number = 0;
  int got;
  while ((got = lk_input_line (input, &line, &length_bytes, error)) == 1) {
    g_assert_cmpint (line[length_bytes], ==, '\n');
    g_assert_cmpuint (lk_input_line_number (input), ==, ++line_number);
    g_string_append_len (text, line, (gssize)length_bytes + 1);
  }
  if (got == 0)
    return text;
  g_string_free (text, TRUE);
  return NULL;
}

static void
expect_text (const guint8 *bytes, gsize length_bytes, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkInput) input = lk_input_new_from_bytes ("memory", bytes, length_bytes, &error);
  g_assert_no_error (error);
  g_autoptr (GString) text = lines_read (input, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (text->str, ==, expected);
  g_assert_cmpuint (lk_input_bytes_read (input), ==, length_bytes);
  g_assert_cmpuint (lk_input_bytes_total (input), ==, length_bytes);
}

/* The error of the opening or of the reading. Returns: (transfer full). */
static char *
failure_of (const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkInput) input = lk_input_new_from_bytes ("memory", bytes, length_bytes, &error);
  if (input) {
    g_autoptr (GString) text = lines_read (input, &error);
    g_assert_null (text);
  }
  g_assert_nonnull (error);
  g_assert_true (error->domain == LK_TRACE_ERROR);
  return g_strdup (error->message);
}

static void
test_plain (void)
{
  g_autoptr (GString) text = text_make ();
  expect_text ((const guint8 *)text->str, text->len, text->str);
}

static void
test_last_line (void)
{
  expect_text ((const guint8 *)"a\nb", 3, "a\nb\n");
  expect_text ((const guint8 *)"\n\nb", 3, "\n\nb\n");
  expect_text ((const guint8 *)"x", 1, "x\n");
}

static void
test_compressed (void)
{
  g_autoptr (GString) text = text_make ();
  g_autoptr (GByteArray) gzip = gzip_make (text->str, text->len);
  g_autoptr (GByteArray) zstd = zstd_make (text->str, text->len);
  expect_text (gzip->data, gzip->len, text->str);
  expect_text (zstd->data, zstd->len, text->str);
}

static void
test_concatenated (void)
{
  g_autoptr (GByteArray) gzip = gzip_make ("a\nhalf ", 7);
  g_autoptr (GByteArray) gzip_rest = gzip_make ("line\n", 5);
  g_byte_array_append (gzip, gzip_rest->data, gzip_rest->len);
  expect_text (gzip->data, gzip->len, "a\nhalf line\n");
  g_autoptr (GByteArray) zstd = zstd_make ("a\nhalf ", 7);
  g_autoptr (GByteArray) zstd_rest = zstd_make ("line\n", 5);
  g_byte_array_append (zstd, zstd_rest->data, zstd_rest->len);
  expect_text (zstd->data, zstd->len, "a\nhalf line\n");
}

/* Cut anywhere behind the magic bytes, a compressed input never reads as a shorter one. */
static void
test_truncated (void)
{
  static const char text[] = "first line\nsecond line\nthird line\n";
  g_autoptr (GByteArray) gzip = gzip_make (text, strlen (text));
  g_autoptr (GByteArray) zstd = zstd_make (text, strlen (text));
  for (guint i = 2; i < gzip->len; i++) {
    g_autofree char *message = failure_of (gzip->data, i);
    g_assert_cmpstr (message, ==, "trace 'memory': gzip data end too early: the file is truncated");
  }
  for (guint i = 4; i < zstd->len; i++) {
    g_autofree char *message = failure_of (zstd->data, i);
    g_assert_cmpstr (message, ==, "trace 'memory': zstd data end too early: the file is truncated");
  }
}

static void
test_damaged (void)
{
  g_autoptr (GByteArray) gzip = gzip_make ("some text\n", 10);
  g_autoptr (GByteArray) tail = gzip_make ("some text\n", 10);
  gzip->data[gzip->len - 6] ^= 1; /* its checksum */
  g_autofree char *message = failure_of (gzip->data, gzip->len);
  g_assert_cmpstr (message, ==, "trace 'memory': gzip data are damaged");
  g_byte_array_append (tail, (const guint8 *)"rubbish", 7);
  g_autofree char *message_tail = failure_of (tail->data, tail->len);
  g_assert_cmpstr (message_tail, ==, "trace 'memory': gzip data are damaged");
}

static void
test_empty (void)
{
  g_autofree char *message = failure_of ((const guint8 *)"", 0);
  g_assert_cmpstr (message, ==, "trace 'memory' is empty (0 bytes)");
}

static void
test_line_limit (void)
{
  g_autofree char *bytes = g_malloc (LK_INPUT_LINE_MAX_BYTES + 2);
  memset (bytes, 'x', LK_INPUT_LINE_MAX_BYTES + 2);
  bytes[LK_INPUT_LINE_MAX_BYTES] = '\n';
  bytes[LK_INPUT_LINE_MAX_BYTES + 1] = '\0';
  expect_text ((const guint8 *)bytes, LK_INPUT_LINE_MAX_BYTES + 1, bytes);
  bytes[LK_INPUT_LINE_MAX_BYTES] = 'x';
  bytes[LK_INPUT_LINE_MAX_BYTES + 1] = '\n';
  g_autofree char *message = failure_of ((const guint8 *)bytes, LK_INPUT_LINE_MAX_BYTES + 2);
  g_assert_cmpstr (message, ==,
                   "trace 'memory' line 1: longer than 1048576 bytes; this does not look like a "
                   "workload log");
}

static void
test_files (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("lk-input-XXXXXX", &error);
  g_assert_no_error (error);
  g_autofree char *path = g_build_filename (folder, "log", NULL);
  g_autofree char *missing = g_build_filename (folder, "missing", NULL);
  g_autoptr (GString) text = text_make ();
  g_assert_true (g_file_set_contents (path, text->str, (gssize)text->len, NULL));

  g_autoptr (LkInput) input = lk_input_new (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (lk_input_bytes_total (input), ==, text->len);
  g_autoptr (GString) read = lines_read (input, &error);
  g_assert_true (g_string_equal (read, text));

  g_assert_null (lk_input_new (missing, &error));
  g_autofree char *expected =
      g_strdup_printf ("trace '%s': cannot open: No such file or directory", missing);
  g_assert_cmpstr (error->message, ==, expected);
  g_clear_error (&error);

  g_assert_null (lk_input_new (folder, &error));
  g_assert_nonnull (strstr (error->message, "is a directory"));
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_unreadable (void)
{
  if (geteuid () == 0) {
    g_test_skip ("root reads every file");
    return;
  }
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("lk-input-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "log", NULL);
  g_assert_true (g_file_set_contents (path, "x\n", 2, NULL));
  g_chmod (path, 0);
  g_assert_null (lk_input_new (path, &error));
  g_assert_nonnull (strstr (error->message, "cannot open: Permission denied"));
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/input/plain text comes out line by line", test_plain);
  g_test_add_func ("/input/a last line needs no newline", test_last_line);
  g_test_add_func ("/input/gzip and zstd are told by their first bytes", test_compressed);
  g_test_add_func ("/input/concatenated members are one text", test_concatenated);
  g_test_add_func ("/input/a truncated compressed file is an error", test_truncated);
  g_test_add_func ("/input/damage and trailing bytes are errors", test_damaged);
  g_test_add_func ("/input/no bytes at all is an error", test_empty);
  g_test_add_func ("/input/a line longer than the limit is an error", test_line_limit);
  g_test_add_func ("/input/files open, missing files and directories do not", test_files);
  g_test_add_func ("/input/a file without read permission is an error", test_unreadable);
  return g_test_run ();
}
