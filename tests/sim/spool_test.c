/* tests/sim/spool_test.c — records come back as they were added, from memory and from the
 * temporary file. */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "sim/error.h"
#include "sim/spool.h"

static LkSpoolRecord
record_of (guint64 index)
{
  return (LkSpoolRecord){ .start_us = (gint64)(index * 3),
                          .wait_us = (gint64)index,
                          .run_us = (gint64)(index ^ 5),
                          .procs = (guint32)index + 1,
                          .flags = (guint32)(index & 1) };
}

static void
check_all (LkSpool *spool, guint64 record_count)
{
  guint64 index = 0;
  while (index < record_count) {
    const LkSpoolRecord *records;
    gsize count;
    g_autoptr (GError) error = NULL;
    g_assert_true (lk_spool_read (spool, index, &records, &count, &error));
    g_assert_no_error (error);
    g_assert_cmpuint (count, >, 0);
    for (gsize i = 0; i < count; i++, index++) {
      LkSpoolRecord expected = record_of (index);
      g_assert_cmpint (memcmp (&records[i], &expected, sizeof expected), ==, 0);
    }
  }
  g_assert_cmpuint (index, ==, record_count);
}

static void
keeps_order (gsize limit_bytes, guint64 record_count)
{
  g_autoptr (LkSpool) spool = lk_spool_new (limit_bytes, NULL);
  for (guint64 i = 0; i < record_count; i++) {
    LkSpoolRecord record = record_of (i);
    g_assert_true (lk_spool_add (spool, &record, NULL));
  }
  g_assert_cmpuint (lk_spool_count (spool), ==, record_count);
  check_all (spool, record_count);
  check_all (spool, record_count);
}

static void
test_memory (void)
{
  keeps_order (LK_SPOOL_LIMIT_DEFAULT_BYTES, 0);
  keeps_order (LK_SPOOL_LIMIT_DEFAULT_BYTES, 1);
  keeps_order (LK_SPOOL_LIMIT_DEFAULT_BYTES, 100000);
}

/* Blocks hold 8192 records: at, below and above their limits, and with more and less in memory. */
static void
test_spilled (void)
{
  static const guint64 counts[] = { 1, 8191, 8192, 8193, 16384, 16385, 100000 };
  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++) {
    keeps_order (0, counts[i]);
    keeps_order (8192 * sizeof (LkSpoolRecord), counts[i]);
    keeps_order (3 * 8192 * sizeof (LkSpoolRecord) + 1, counts[i]);
  }
}

static void
test_interleaved (void)
{
  g_autoptr (LkSpool) spool = lk_spool_new (0, NULL);
  for (guint64 i = 0; i < 40000; i++) {
    LkSpoolRecord record = record_of (i);
    g_assert_true (lk_spool_add (spool, &record, NULL));
    if (i % 9973 == 0)
      check_all (spool, i + 1);
  }
}

static void
test_no_file_left (void)
{
  g_autofree char *directory = g_dir_make_tmp ("spool-XXXXXX", NULL);
  g_autoptr (LkSpool) spool = lk_spool_new (0, directory);
  for (guint64 i = 0; i < 20000; i++) {
    LkSpoolRecord record = record_of (i);
    g_assert_true (lk_spool_add (spool, &record, NULL));
  }
  g_autoptr (GDir) listing = g_dir_open (directory, 0, NULL);
  g_assert_null (g_dir_read_name (listing));
  g_assert_cmpint (g_rmdir (directory), ==, 0);
}

static void
test_no_directory (void)
{
  g_autoptr (LkSpool) spool = lk_spool_new (0, "/nonexistent/spool");
  g_autoptr (GError) error = NULL;
  gboolean fine = TRUE;
  for (guint64 i = 0; fine && i < 20000; i++) {
    LkSpoolRecord record = record_of (i);
    fine = lk_spool_add (spool, &record, &error);
  }
  g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE);
  g_assert_nonnull (strstr (error->message, "/nonexistent/spool"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/spool/keeps records in order in memory", test_memory);
  g_test_add_func ("/sim/spool/keeps records in order past its limit", test_spilled);
  g_test_add_func ("/sim/spool/can be read while it grows", test_interleaved);
  g_test_add_func ("/sim/spool/leaves no file behind", test_no_file_left);
  g_test_add_func ("/sim/spool/reports a temporary file that cannot be made", test_no_directory);
  return g_test_run ();
}
