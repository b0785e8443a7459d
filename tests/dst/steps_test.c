/* tests/dst/steps_test.c — steps of jobs in a storm: messages are lost, doubled and late, disks
 * slow, agents, nodes and the controller die.
 *
 * Whatever happens, no step is begun twice on a node, no two have a core at the same time unless
 * one overlaps, and each that was noted in the journal has ended there once, and on its nodes.
 * LK_DST_SEED=N tries one seed, and LK_DST_LOG=1 tells what happens. */
#include "tests/dst/checker_steps.h"
#include "tests/dst/stage.h"
#include "tests/dst/step_asker.h"
#include "tests/engine/seed.h"

#define SECOND_US ((gint64)G_USEC_PER_SEC)
#define SEEDS 200u
#define JOBS 30u
#define ASKS 1500u
#define STORM_S 200u

typedef struct {
  DstStage stage;
  Seed seed;
  guint64 number;
  DstCheckerSteps steps;
  DstStepAsker asker;
} Play;

static void
on_begun (gpointer user, const LkProcessSimStep *step)
{
  dst_checker_steps_begun (&((Play *)user)->steps, step);
}

static void
on_over (gpointer user, const LkProcessSimStep *step)
{
  dst_checker_steps_over (&((Play *)user)->steps, step);
}

/* ---------------------------------------------------------------- what is asked */

static void
submit (gpointer user, gpointer data)
{
  Play *self = user;
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.procs = 1 + seed_below (&self->seed, 8);
  event.submit.estimate_us = 200 * SECOND_US;
  dst_stage_submit (&self->stage, GPOINTER_TO_UINT (data) % DST_STAGE_CLIENTS, &event, 1,
                    seed_between (&self->seed, 20 * SECOND_US, 150 * SECOND_US));
}

/* ---------------------------------------------------------------- what goes wrong */

static void
break_something (gpointer user, gpointer data)
{
  Play *self = user;
  DstCluster *cluster = self->stage.cluster;
  guint node = seed_below (&self->seed, cluster->nodes->len);
  (void)data;
  switch (seed_below (&self->seed, 4)) {
  case 0:
    dst_host_crash (cluster, 0, /* has_lost_power= */ seed_below (&self->seed, 2) == 0);
    break;
  case 1:
    dst_node_crash (cluster, node);
    break;
  default:
    dst_agent_crash (cluster, node);
    break;
  }
}

static void
mend (gpointer user, gpointer data)
{
  Play *self = user;
  (void)data;
  for (guint node = 0; node < self->stage.cluster->nodes->len; node++)
    dst_agent_start (self->stage.cluster, node);
  dst_host_return (self->stage.cluster, 0);
}

static void
plan_storm (Play *self)
{
  LkWorld *world = self->stage.cluster->world;
  gint64 end_us = STORM_S * SECOND_US;
  for (guint i = 0; i < JOBS; i++)
    lk_world_at (world, DST_STAGE_START_US + seed_between (&self->seed, 0, end_us / 2), submit,
                 self, GUINT_TO_POINTER (i), NULL);
  dst_step_asker_plan (&self->asker, ASKS, DST_STAGE_START_US + end_us);
  for (guint i = 0; i < 12; i++) {
    gint64 at_us = DST_STAGE_START_US + seed_between (&self->seed, 0, end_us);
    lk_world_at (world, at_us, break_something, self, NULL, NULL);
    lk_world_at (world, at_us + 5 * SECOND_US, mend, self, NULL, NULL);
  }
}

/* ---------------------------------------------------------------- what it comes to */

static void
look_at_steps (Play *self)
{
  const GByteArray *journal =
      lk_disk_sim_peek (self->stage.cluster->hosts[0].disk, LK_CONTROLLER_JOURNAL);
  guint count = dst_checker_steps_look (&self->steps, journal->data, journal->len);
  g_test_message ("seed %" G_GUINT64_FORMAT ": %u steps, %u parts begun", self->number, count,
                  self->steps.begun->len);
  g_assert_cmpuint (count, >, 10);
}

static void
play (guint64 number)
{
  DstFaults faults = { .net = { .loss_ppm = 50000, .duplicate_ppm = 30000 },
                       .controller_disk = { .request_min_us = 1000, .request_max_us = 100000 } };
  Play self = { .seed = { number }, .number = number };
  g_autofree char *what = g_strdup_printf ("steps, seed %" G_GUINT64_FORMAT, number);
  dst_stage_init (&self.stage, DST_STAGE_NODES);
  dst_checker_steps_init (&self.steps, &self.stage.findings);
  self.asker = (DstStepAsker){ .cluster = self.stage.cluster,
                               .seed = { seed_next (&self.seed) },
                               .job_max = JOBS,
                               .ends_jobs = TRUE };
  DstWatch *watch = &self.stage.cluster->options.watch;
  watch->step_begun = on_begun;
  watch->step_over = on_over;
  watch->step_user = &self;
  dst_set_faults (self.stage.cluster, &faults);
  plan_storm (&self);
  dst_stage_run_for_s (&self.stage, STORM_S + 10);
  dst_calm (self.stage.cluster);
  mend (&self, NULL);
  dst_stage_run_to_rest (&self.stage);
  look_at_steps (&self);
  dst_stage_look (&self.stage, what, NULL);
  dst_checker_steps_clear (&self.steps);
  dst_stage_clear (&self.stage);
}

static void
test_storm (void)
{
  const char *one = g_getenv ("LK_DST_SEED");
  guint64 first = one != NULL ? g_ascii_strtoull (one, NULL, 10) : 1;
  for (guint64 i = first; i < first + (one != NULL ? 1 : SEEDS); i++)
    play (i);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dst/steps are begun once, apart, and end", test_storm);
  return g_test_run ();
}
