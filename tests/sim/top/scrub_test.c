/* tests/sim/top/scrub_test.c — wherever one goes in a journal, and from wherever: the engine is the
 * one that a straight way gives. */
#include "sim/top/scrub.h"

#include <string.h>

#include <glib/gstdio.h>

#include "sim/verb_sim.h"

#define LOG LK_SOURCE_DIR "/traces/data/KTH-SP2-1996-2.1-cln.swf.gz"

typedef struct {
  char *folder;
  char *journal;
} Site;

static void
site_init (Site *self)
{
  self->folder = g_dir_make_tmp ("scrub-XXXXXX", NULL);
  g_assert_nonnull (self->folder);
  self->journal = g_build_filename (self->folder, "run.journal", NULL);
  char *argv[] = { "sim",         LOG,          "--backfill", "easy", "--journal",
                   self->journal, "--progress", "never",      NULL };
  g_assert_cmpint (lk_verb_sim (G_N_ELEMENTS (argv) - 1, argv), ==, 0);
}

static void
site_clear (Site *self)
{
  g_unlink (self->journal);
  g_rmdir (self->folder);
  g_free (self->journal);
  g_free (self->folder);
}

static LkScrub *
scrub_new (const Site *site)
{
  g_autoptr (GError) error = NULL;
  LkScrub *scrub = lk_scrub_new (site->journal, NULL, &error);
  g_assert_no_error (error);
  return scrub;
}

static void
go_event (LkScrub *scrub, guint64 seq)
{
  g_autoptr (GError) error = NULL;
  gboolean is_there = lk_scrub_go_event (scrub, seq, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (is_there);
}

static void
go_time (LkScrub *scrub, gint64 time_us)
{
  g_autoptr (GError) error = NULL;
  gboolean is_there = lk_scrub_go_time (scrub, time_us, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (is_there);
}

static void
expect_same (const LkScrub *a, const LkScrub *b)
{
  g_autoptr (GByteArray) bytes_a = g_byte_array_new ();
  g_autoptr (GByteArray) bytes_b = g_byte_array_new ();
  g_assert_cmpuint (lk_scrub_seq (a), ==, lk_scrub_seq (b));
  g_assert_cmpint (lk_scrub_time_us (a), ==, lk_scrub_time_us (b));
  lk_engine_save (lk_scrub_engine (a), bytes_a);
  lk_engine_save (lk_scrub_engine (b), bytes_b);
  g_assert_cmpuint (bytes_a->len, ==, bytes_b->len);
  g_assert_true (memcmp (bytes_a->data, bytes_b->data, bytes_a->len) == 0);
}

static void
test_anywhere (void)
{
  Site site;
  site_init (&site);
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  g_autoptr (LkScrub) scrub = scrub_new (&site);
  guint64 last = lk_scrub_seq_last (scrub);
  go_event (scrub, G_MAXUINT64);
  g_assert_cmpuint (lk_scrub_seq (scrub), ==, last);
  g_assert_cmpuint (lk_scrub_mark_count (scrub), >=, 20);
  g_assert_cmpuint (lk_scrub_mark_count (scrub), <, 80);
  for (guint round = 0; round < 12; round++) {
    g_autoptr (LkScrub) straight = scrub_new (&site);
    if (round % 3 == 0) {
      gint64 span_us = lk_scrub_last_us (scrub) - lk_scrub_first_us (scrub);
      gint64 at_us = lk_scrub_first_us (scrub) + (gint64)(g_rand_double (random) * (double)span_us);
      go_time (scrub, at_us);
      go_time (straight, at_us);
    } else {
      guint64 seq = (guint64)g_rand_int_range (random, 1, (gint)last);
      go_event (scrub, seq);
      go_event (straight, seq);
    }
    expect_same (scrub, straight);
    /* A little back and forth from there. */
    guint64 seq = lk_scrub_seq (scrub);
    for (guint64 back = 1; back <= 5 && back < seq; back++)
      go_event (scrub, seq - back);
    go_event (scrub, seq);
    go_time (straight, lk_scrub_time_us (scrub) - 1);
    go_event (straight, seq);
    expect_same (scrub, straight);
  }
  site_clear (&site);
}

static void
test_bounds (void)
{
  Site site;
  site_init (&site);
  g_autoptr (LkScrub) scrub = scrub_new (&site);
  go_event (scrub, 0);
  g_assert_cmpuint (lk_scrub_seq (scrub), ==, lk_scrub_seq_first (scrub));
  go_time (scrub, G_MAXINT64 - 1);
  g_assert_cmpuint (lk_scrub_seq (scrub), ==, lk_scrub_seq_last (scrub));
  go_time (scrub, G_MININT64);
  g_assert_cmpint (lk_scrub_time_us (scrub), ==, lk_scrub_first_us (scrub));
  site_clear (&site);
}

/* Means of what was seen on the way; what is before the journal is not known. */
static void
test_use (void)
{
  Site site;
  double ratios[10];
  site_init (&site);
  g_autoptr (LkScrub) scrub = scrub_new (&site);
  gint64 first_us = lk_scrub_first_us (scrub);
  gint64 day_us = 86400 * (gint64)G_USEC_PER_SEC;
  go_time (scrub, first_us + 20 * day_us);
  lk_scrub_use (scrub, first_us + 10 * day_us, first_us + 20 * day_us, 10, ratios);
  double sum = 0.0;
  for (guint i = 0; i < G_N_ELEMENTS (ratios); i++) {
    g_assert_cmpfloat (ratios[i], >=, 0.0);
    g_assert_cmpfloat (ratios[i], <=, 1.0);
    sum += ratios[i];
  }
  g_assert_cmpfloat (sum, >, 1.0);
  double whole;
  lk_scrub_use (scrub, first_us + 10 * day_us, first_us + 20 * day_us, 1, &whole);
  g_assert_cmpfloat_with_epsilon (sum / 10, whole, 1e-9);
  /* At a moment it is what the engine says. */
  double before = 0.0;
  for (guint day = 11; day < 20; day++) {
    LkEngineCounts counts;
    double now;
    go_time (scrub, first_us + day * day_us);
    lk_engine_counts (lk_scrub_engine (scrub), &counts);
    lk_scrub_use (scrub, first_us + day * day_us, first_us + day * day_us + 1, 1, &now);
    g_assert_cmpfloat_with_epsilon (now, 1.0 - counts.units_free / 100.0, 1e-9);
    before += now;
  }
  g_assert_cmpfloat (before, >, 1.0);
  lk_scrub_use (scrub, first_us - 10 * day_us, first_us, 10, ratios);
  g_assert_cmpfloat (ratios[9], <, 0.0);
  site_clear (&site);
}

/* The file gets the bytes of `whole` from its present end up to `end_bytes`. */
static void
append_up_to (const char *path, const char *whole, gsize end_bytes)
{
  FILE *file = fopen (path, "a");
  g_assert_nonnull (file);
  fseek (file, 0, SEEK_END);
  gsize begin_bytes = (gsize)ftell (file);
  g_assert_cmpuint (fwrite (whole + begin_bytes, 1, end_bytes - begin_bytes, file), ==,
                    end_bytes - begin_bytes);
  fclose (file);
}

static gboolean
grows (LkScrub *scrub)
{
  gboolean has_grown;
  g_autoptr (GError) error = NULL;
  gboolean is_good = lk_scrub_grow (scrub, &has_grown, &error);
  g_assert_no_error (error);
  g_assert_true (is_good);
  return has_grown;
}

/* In pieces that end anywhere; who stands at its end, or within it, stands there still. */
static void
test_growing (void)
{
  Site site;
  g_autofree char *whole = NULL;
  gsize length_bytes;
  site_init (&site);
  g_assert_true (g_file_get_contents (site.journal, &whole, &length_bytes, NULL));
  g_autoptr (LkScrub) straight = scrub_new (&site);
  g_unlink (site.journal);
  append_up_to (site.journal, whole, length_bytes / 3 + 1);
  g_autoptr (LkScrub) scrub = scrub_new (&site);
  g_assert_false (grows (scrub));
  for (guint piece = 0; piece < 5; piece++) {
    guint64 last_before = lk_scrub_seq_last (scrub);
    guint64 seq = piece % 2 == 0 ? last_before : last_before / (piece + 1) + 7;
    go_event (scrub, seq);
    append_up_to (site.journal, whole, length_bytes / 3 + (piece + 1) * (length_bytes / 10) + 3);
    g_assert_true (grows (scrub));
    g_assert_cmpuint (lk_scrub_seq_last (scrub), >, last_before);
    go_event (straight, seq);
    expect_same (scrub, straight);
    go_event (scrub, G_MAXUINT64);
    go_event (straight, lk_scrub_seq_last (scrub));
    expect_same (scrub, straight);
  }
  append_up_to (site.journal, whole, length_bytes);
  g_assert_true (grows (scrub));
  g_assert_false (grows (scrub));
  g_assert_cmpuint (lk_scrub_seq_last (scrub), ==, lk_scrub_seq_last (straight));
  /* What is put in its place is not looked at. */
  g_assert_true (g_file_set_contents (site.journal, whole, 10, NULL));
  g_assert_false (grows (scrub));
  site_clear (&site);
}

static void
test_damage (void)
{
  Site site;
  g_autofree char *bytes = NULL;
  gsize length_bytes;
  g_autoptr (GError) error = NULL;
  site_init (&site);
  g_assert_true (g_file_get_contents (site.journal, &bytes, &length_bytes, NULL));
  bytes[length_bytes / 2] ^= 0x55;
  g_assert_true (g_file_set_contents (site.journal, bytes, (gssize)length_bytes, NULL));
  g_assert_null (lk_scrub_new (site.journal, NULL, &error));
  g_assert_nonnull (error);
  site_clear (&site);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scrub/any way gives the same engine", test_anywhere);
  g_test_add_func ("/scrub/no way leads out of the journal", test_bounds);
  g_test_add_func ("/scrub/use is a mean over time", test_use);
  g_test_add_func ("/scrub/a journal that grows is followed", test_growing);
  g_test_add_func ("/scrub/damage is told", test_damage);
  return g_test_run ();
}
