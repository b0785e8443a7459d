/* tests/dst/crash_test.c — 200 jobs, and a crash of the controller at every single write to its
 * disk.
 *
 * A write is cut short, or has been carried out and nobody has heard of it; the process dies, or
 * the machine loses its power.  Whatever it was, each job is known, starts once, and ends.  All
 * four ways at every write are tried with LK_DST_ALL=1, else one of them at each; LK_DST_WRITE=N
 * tries one write, and LK_DST_LOG=1 tells what happens. */
#include "tests/dst/stage.h"
#include "tests/engine/seed.h"

#define SECOND_US ((gint64)G_USEC_PER_SEC)
#define JOBS 200u
#define WAYS 4u
/* Of so many writes one is tried; the ways take turns. */
#if defined(__SANITIZE_ADDRESS__)
#define STRIDE (g_getenv ("LK_TEST_LONG") != NULL ? 1u : 3u)
#else
#define STRIDE 1u
#endif

typedef struct {
  DstStage stage;
  Seed seed;
} Play;

/* When, and how; `write_index` 0: not at all. */
typedef struct {
  guint64 write_index;
  guint way;
} Crash;

static void
submit (gpointer user, gpointer data)
{
  Play *self = user;
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.procs = 1 + seed_below (&self->seed, 4);
  event.submit.estimate_us = 60 * SECOND_US;
  dst_stage_submit (&self->stage, GPOINTER_TO_UINT (data) % DST_STAGE_CLIENTS, &event, 1,
                    seed_between (&self->seed, 0, 30 * SECOND_US));
}

static gboolean
is_over (gpointer user)
{
  const Play *self = user;
  return self->stage.checkers.answers.answers->len == JOBS
         && dst_checker_rest_is_idle (&self->stage.cluster->hosts[0]);
}

/* Jobs are known, started once, and ended. */
static void
look (Play *self, const Crash *crash)
{
  DstHistory history;
  g_autofree char *what =
      g_strdup_printf ("write %" G_GUINT64_FORMAT ", way %u", crash->write_index, crash->way);
  dst_stage_look (&self->stage, what, &history);
  g_assert_nonnull (history.jobs);
  g_assert_cmpuint (history.jobs->len, ==, JOBS);
  g_assert_cmpuint (history.runs->len, ==, JOBS);
  dst_history_clear (&history);
}

/* Returns how often the controller has written. */
static guint64
play (const Crash *crash)
{
  DstFaults faults = { .controller_disk = { .request_min_us = 20000, .request_max_us = 100000 } };
  LkDiskSimCounts counts;
  Play self = { .seed = { 1 } };
  dst_stage_init (&self.stage, DST_STAGE_NODES);
  DstCluster *cluster = self.stage.cluster;
  dst_set_checked (cluster, FALSE);
  dst_set_faults (cluster, &faults);
  if (crash->write_index > 0)
    dst_host_crash_at (cluster, 0, crash->write_index, /* when_done= */ (crash->way & 1) != 0,
                       /* has_lost_power= */ (crash->way & 2) != 0);
  for (guint i = 0; i < JOBS; i++)
    lk_world_at (cluster->world, DST_STAGE_START_US + seed_between (&self.seed, 0, 60 * SECOND_US),
                 submit, &self, GUINT_TO_POINTER (i), NULL);
  dst_run (cluster, DST_STAGE_START_US + 2000 * SECOND_US, is_over, &self);
  look (&self, crash);
  lk_disk_sim_counts (cluster->hosts[0].disk, &counts);
  dst_stage_clear (&self.stage);
  return counts.write_count;
}

static void
test_crashes (void)
{
  const char *one = g_getenv ("LK_DST_WRITE");
  const Crash none = { 0, 0 };
  guint64 write_count = play (&none);
  guint64 first = one != NULL ? g_ascii_strtoull (one, NULL, 10) : 1;
  gboolean is_all = one != NULL || g_getenv ("LK_DST_ALL") != NULL;
  g_test_message ("%" G_GUINT64_FORMAT " writes", write_count);
  for (guint64 i = first; i <= (one != NULL ? first : write_count); i++)
    for (guint way = 0; way < WAYS; way++) {
      Crash crash = { i, way };
      if (is_all || (i % STRIDE == 0 && i % WAYS == way))
        play (&crash);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dst/no job is lost or started twice by a crash at any write", test_crashes);
  return g_test_run ();
}
