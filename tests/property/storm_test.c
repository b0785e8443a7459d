/* tests/property/storm_test.c — storms by seed, under every configuration.
 *
 * LK_STORM_SEEDS=N runs N seeds for each, those of /late with timers and passes that are late;
 * LK_STORM_SEED=N runs one, and with LK_STORM_JOURNAL=FILE keeps its journal when it is not decided
 * again, or the checker finds something. */
#include <stdlib.h>

#include "tests/engine/seed.h"
#include "tests/property/storm.h"

/* Under a sanitizer everything takes ten times as long; which seeds there are is the same, and with
 * LK_TEST_LONG there are more of them. */
#if defined(__SANITIZE_ADDRESS__)
#define SEEDS (g_getenv ("LK_TEST_LONG") != NULL ? 4u : 2u)
#define LATE_SEEDS 1u
#define SEEDS_MIXED 1u
#define SEEDS_CHANGING 1u
#else
#define SEEDS 12u
#define LATE_SEEDS 2u /* of the sites that are not for late storms alone */
#define SEEDS_MIXED 3u
#define SEEDS_CHANGING 4u
#endif
#define EVENTS 250u

/* As they come; with timers and passes that are late; of heterogeneous jobs above all; with
 * configurations that change. */
typedef enum { PLAIN, LATE, MIXED, CHANGING } Kind;

/* Storms that found a fault, and lie behind the seeds that every run takes. */
static const struct {
  guint site;
  guint64 seed;
  gboolean is_late;
} found[] = {
  { 9, 16, FALSE },   /* a job came back, and the order knew its old priority */
  { 10, 14, FALSE },  /* a component that had been asked once more wanted a pass */
  { 12, 15, FALSE },  /* nodes came back before the first pass, and there was a plan or not */
  { 42, 13, FALSE },  /* who had lost a place was listed in the order of memory */
  { 32, 16, FALSE },  /* a plan became better, and was taken for one that was put off */
  { 32, 126, FALSE }, /* a plan was made anew, and one that goes before came to the front */
  { 32, 238, FALSE }, /* a task of an array started behind its time */
  { 33, 180, FALSE }, /* one task behind the other went before a job */
  { 39, 130, FALSE }, /* the next task of an array met a limit, and its place stayed in the plan */
  { 15, 846, FALSE }, /* one that could not start any more was to go, and stayed */
  { 21, 304, FALSE }, /* an array came to wait for a running task of its own, by name */
  { 42, 93, FALSE },  /* one that goes before came to the front while another one was started */
  { 22, 342, FALSE }, /* one that had ended came back, and its account was another one by then */
  { 25, 340, FALSE }, /* a user had associations for one partition, and his QOS was not known */
  { 37, 41, FALSE },  /* told that it starts now, where a higher tier had just taken its place */
};

static guint32
draw (gpointer user, guint32 limit, gboolean *out_is_over)
{
  (void)out_is_over;
  return seed_below (user, limit);
}

static void
run_seed (guint site, guint64 number, Kind kind)
{
  Seed seed = { number * 1000 + site };
  LkStormOptions options = { .draw = draw,
                             .user = &seed,
                             .event_max = EVENTS,
                             .is_late = kind == LATE,
                             .is_changing = kind == CHANGING,
                             .is_mixed = kind == MIXED };
  g_test_message ("LK_STORM_SEED=%" G_GUINT64_FORMAT ", site %u%s", number, site,
                  kind == LATE       ? ", late"
                  : kind == MIXED    ? ", mixed"
                  : kind == CHANGING ? ", changing"
                                     : "");
  g_autofree char *told = lk_storm_run (site, &options);
  g_test_message ("%s", told);
}

static void
run_seeds (guint site, guint64 seeds, Kind kind)
{
  const char *one = g_getenv ("LK_STORM_SEED");
  const char *many = g_getenv ("LK_STORM_SEEDS");
  guint64 first = one != NULL ? g_ascii_strtoull (one, NULL, 10) : 1;
  guint64 count = many != NULL ? g_ascii_strtoull (many, NULL, 10) : seeds;
  if (one != NULL)
    count = 1;
  for (guint64 number = first; number < first + count; number++)
    run_seed (site, number, kind);
  for (guint i = 0; i < G_N_ELEMENTS (found) && one == NULL && (kind == PLAIN || kind == LATE); i++)
    if (found[i].site == site && found[i].is_late == (kind == LATE))
      run_seed (site, found[i].seed, kind);
}

static void
test_storms (gconstpointer data)
{
  run_seeds (GPOINTER_TO_UINT (data), SEEDS, PLAIN);
}

static void
test_late (gconstpointer data)
{
  guint site = GPOINTER_TO_UINT (data);
  run_seeds (site, site < lk_storm_site_count () ? LATE_SEEDS : SEEDS, LATE);
}

static void
test_mixed (gconstpointer data)
{
  run_seeds (GPOINTER_TO_UINT (data), SEEDS_MIXED, MIXED);
}

static void
test_changing (gconstpointer data)
{
  run_seeds (GPOINTER_TO_UINT (data), SEEDS_CHANGING, CHANGING);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint site = 0; site < lk_storm_site_count (); site++) {
    g_autofree char *path = g_strdup_printf ("/storm/%u", site);
    g_autofree char *mixed_path = g_strdup_printf ("/mixed/%u", site);
    g_test_add_data_func (path, GUINT_TO_POINTER (site), test_storms);
    g_test_add_data_func (mixed_path, GUINT_TO_POINTER (site), test_mixed);
    g_autofree char *changing_path = g_strdup_printf ("/changing/%u", site);
    g_test_add_data_func (changing_path, GUINT_TO_POINTER (site), test_changing);
  }
  for (guint site = 0; site < lk_storm_site_count () + lk_storm_late_site_count (); site++) {
    g_autofree char *path = g_strdup_printf ("/late/%u", site);
    g_test_add_data_func (path, GUINT_TO_POINTER (site), test_late);
  }
  return g_test_run ();
}
