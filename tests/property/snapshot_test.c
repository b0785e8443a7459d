/* tests/property/snapshot_test.c — a restart from a snapshot changes nothing, and a damaged
 * snapshot does no harm.
 *
 * Runs the same disturbed workload twice, once with restarts at random events: the two logs,
 * digests and final states must be equal byte for byte.  Then snapshots are cut short, lengthened,
 * have bits turned, and are forged with a right checksum. */
#include <glib.h>
#include <string.h>

#include "engine/crc32c.h"
#include "tests/property/engine_run.h"

#define ROUNDS 300u
#define DAMAGE_ROUNDS 100u
#define DAMAGES_EACH 100u

static const char *const orders[] = {
  "fifo",
  "lifo",
  "sjf",
  "saf",
  "xfactor",
  "wfp3",
  "unicef",
  "f1",
  "f4",
  "basic",
  "multifactor:weight_age=100000,max_age_s=1000,weight_job_size=50000",
  ("multifactor:weight_age=100000,max_age_s=1000,weight_job_size=50000,flags=INCR_ONLY,"
   "calc=continuous"),
};
static const char *const backfills[] = {
  "none",   "easy",  "easy:order=sjf", "easy:reservations=3",     "conservative",
  "replan", "slurm", "full",           "full:window=5,reorder=1", "full:offers=1,credit=0"
};

static const char *
pick (LkSeed *seed, const char *const *names, guint32 count)
{
  return names[lk_seed_below (seed, count)];
}

static void
restarts_change_nothing (gconstpointer backfill)
{
  guint snapshot_count = 0;
  for (guint64 seed_value = 1; seed_value <= ROUNDS; seed_value++) {
    LkSeed seed = { .state = seed_value };
    LkWorkload workload;
    lk_workload_generate (seed_value, &workload);
    lk_workload_disturb (seed_value, &workload);
    LkRunOptions options = { .backfill = backfill };
    options.order = pick (&seed, orders, G_N_ELEMENTS (orders));
    g_autoptr (LkRun) straight = lk_run_new (&workload, &options);
    options.snapshot_seed = seed_value;
    g_autoptr (LkRun) restarted = lk_run_new (&workload, &options);
    lk_run_assert_same (straight, restarted);
    lk_run_assert_bytes (straight->bytes, restarted->bytes);
    snapshot_count += restarted->snapshot_count;
  }
  g_assert_cmpuint (snapshot_count, >, ROUNDS);
}

/* An engine that has applied the first `event_count` events of a run. */
static LkEngine *
engine_after (const LkRun *run, guint event_count)
{
  LkPolicyError error;
  LkEngine *engine = lk_engine_new (lk_setup_config (run->setup), &error);
  for (guint i = 0; i < event_count; i++)
    g_assert_cmpint (lk_engine_apply (engine, &g_array_index (run->events, LkEvent, i), NULL), ==,
                     LK_STATUS_OK);
  return engine;
}

/* Loading must end in a refusal or in an engine that can be used and freed. */
static gboolean
is_refused (const LkRun *run, const guint8 *bytes, gsize length_bytes)
{
  LkStatus status = LK_STATUS_OK;
  /* A copy of exactly this size, so that a read past the end is seen. */
  g_autofree guint8 *copy = g_malloc (MAX (length_bytes, 1));
  memcpy (copy, bytes, length_bytes);
  g_autoptr (LkEngine) engine =
      lk_engine_load (lk_setup_config (run->setup), copy, length_bytes, &status);
  if (engine == NULL) {
    g_assert_cmpint (status, !=, LK_STATUS_OK);
    return TRUE;
  }
  lk_engine_check (engine);
  return FALSE;
}

static LkRun *
damage_run (LkSeed *seed, guint64 seed_value, LkWorkload *out_workload)
{
  LkRunOptions options = { .order = pick (seed, orders, G_N_ELEMENTS (orders)),
                           .backfill = pick (seed, backfills, G_N_ELEMENTS (backfills)) };
  lk_workload_generate (seed_value, out_workload);
  lk_workload_disturb (seed_value, out_workload);
  return lk_run_new (out_workload, &options);
}

static void
cut_is_refused (void)
{
  for (guint64 seed_value = 1; seed_value <= DAMAGE_ROUNDS; seed_value++) {
    LkSeed seed = { .state = seed_value };
    LkWorkload workload;
    g_autoptr (LkRun) run = damage_run (&seed, seed_value, &workload);
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_autoptr (LkEngine) engine = engine_after (run, lk_seed_below (&seed, run->events->len));
    lk_engine_save (engine, bytes);
    for (guint i = 0; i < DAMAGES_EACH; i++)
      g_assert_true (is_refused (run, bytes->data, lk_seed_below (&seed, bytes->len)));
    g_assert_true (is_refused (run, bytes->data, bytes->len - 1));
    g_assert_false (is_refused (run, bytes->data, bytes->len));
    g_byte_array_append (bytes, (const guint8 *)"", 1);
    g_assert_true (is_refused (run, bytes->data, bytes->len));
  }
}

static void
turned_bits_are_refused (void)
{
  for (guint64 seed_value = 1; seed_value <= DAMAGE_ROUNDS; seed_value++) {
    LkSeed seed = { .state = seed_value };
    LkWorkload workload;
    g_autoptr (LkRun) run = damage_run (&seed, seed_value, &workload);
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_autoptr (LkEngine) engine = engine_after (run, lk_seed_below (&seed, run->events->len));
    lk_engine_save (engine, bytes);
    for (guint i = 0; i < DAMAGES_EACH; i++) {
      guint place = lk_seed_below (&seed, bytes->len);
      guint8 bit = (guint8)(1u << lk_seed_below (&seed, 8));
      bytes->data[place] ^= bit;
      g_assert_true (is_refused (run, bytes->data, bytes->len));
      bytes->data[place] ^= bit;
    }
  }
}

/* Snapshots end with the CRC-32C of all before it. */
static void
seal (GByteArray *bytes)
{
  static LkCrc32c crc;
  lk_crc32c_init (&crc);
  guint length_bytes = bytes->len - (guint)sizeof (guint32);
  guint32 value = GUINT32_TO_LE (lk_crc32c (&crc, bytes->data, length_bytes));
  memcpy (bytes->data + length_bytes, &value, sizeof value);
}

/* Behind the checksum the reader still believes nothing: it must stay inside the bytes and the
 * memory it has. */
static void
forged_does_no_harm (gconstpointer backfill)
{
  guint refused_count = 0, accepted_count = 0;
  for (guint64 seed_value = 1; seed_value <= DAMAGE_ROUNDS; seed_value++) {
    LkSeed seed = { .state = seed_value };
    LkWorkload workload;
    LkRunOptions options = { .order = pick (&seed, orders, G_N_ELEMENTS (orders)) };
    options.backfill = backfill;
    lk_workload_generate (seed_value, &workload);
    lk_workload_disturb (seed_value, &workload);
    g_autoptr (LkRun) run = lk_run_new (&workload, &options);
    g_autoptr (LkEngine) engine = engine_after (run, lk_seed_below (&seed, run->events->len));
    for (guint i = 0; i < DAMAGES_EACH; i++) {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      lk_engine_save (engine, bytes);
      guint place = lk_seed_below (&seed, bytes->len - (guint)sizeof (guint32));
      bytes->data[place] = lk_seed_chance (&seed, 30) ? 0xff : (guint8)lk_seed_below (&seed, 256);
      seal (bytes);
      LkStatus status = LK_STATUS_OK;
      g_autoptr (LkEngine) forged =
          lk_engine_load (lk_setup_config (run->setup), bytes->data, bytes->len, &status);
      *(forged == NULL ? &refused_count : &accepted_count) += 1;
    }
  }
  g_assert_cmpuint (refused_count, >, 0);
  g_assert_cmpuint (accepted_count, >, 0);
}

static void
another_configuration_is_refused (void)
{
  LkWorkload workload;
  LkRunOptions options = { .order = "fifo", .backfill = "easy" };
  LkRunOptions other_options = { .order = "fifo", .backfill = "replan" };
  LkStatus status = LK_STATUS_OK;
  lk_workload_generate (1, &workload);
  g_autoptr (LkRun) run = lk_run_new (&workload, &options);
  g_autoptr (LkRun) other = lk_run_new (&workload, &other_options);
  g_autoptr (LkEngine) engine =
      lk_engine_load (lk_setup_config (other->setup), run->bytes->data, run->bytes->len, &status);
  g_assert_null (engine);
  g_assert_cmpint (status, ==, LK_STATUS_CONFIG_OTHER);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (backfills); i++) {
    g_autofree char *path =
        g_strdup_printf ("/property/restarts change nothing under %s", backfills[i]);
    g_autofree char *forged =
        g_strdup_printf ("/property/a forged snapshot does no harm under %s", backfills[i]);
    g_test_add_data_func (path, backfills[i], restarts_change_nothing);
    g_test_add_data_func (forged, backfills[i], forged_does_no_harm);
  }
  g_test_add_func ("/property/a snapshot cut short is refused", cut_is_refused);
  g_test_add_func ("/property/a snapshot with a turned bit is refused", turned_bits_are_refused);
  g_test_add_func ("/property/a snapshot of another configuration is refused",
                   another_configuration_is_refused);
  return g_test_run ();
}
