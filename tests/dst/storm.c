/* tests/dst/storm.c — see the header. */
#include "tests/dst/storm.h"

#include "tests/dst/checker_steps.h"
#include "tests/dst/checkers.h"
#include "tests/dst/step_asker.h"
#include "tests/dst/swarm.h"
#include "tests/dst/takeover.h"
#include "tests/dst/workload.h"
#include "tests/property/storm_site.h"

#define SECOND_US ((gint64)G_USEC_PER_SEC)
#define START_US (G_GINT64_CONSTANT (1700000000) * SECOND_US)
#define CLIENTS 8u
/* One seed of so many has users who ask how everything stands. */
#define QUERIES_EACH 10u
#define QUERIES_THIS 9u
/* One seed of so many has steps of jobs, so many of each request. */
#define STEPS_EACH 5u
#define STEPS_THIS 3u
#define STEPS_COUNT 10u
/* Runs of a job that may end by what is no fault of its own. */
#define TROUBLED_RUNS 3u
/* Rounds of cancelling what is left, each this long. */
#define ROUNDS_MAX 20u
#define ROUND_US (200 * SECOND_US)

typedef struct {
  const DstStormOptions *options;
  Seed seed;
  guint site;
  DstCluster *cluster;
  DstWorkload *workload;
  DstSwarm swarm;
  gboolean has_standby;
  DstTakeover takeover;
  DstFindings *findings;
  DstCheckers checkers;
  gboolean has_steps;
  DstStepAsker asker;
  DstCheckerSteps steps;
} Storm;

/* ---------------------------------------------------------------- what checkers are told */

static void
on_answer (gpointer user, const DstAnswer *answer)
{
  Storm *self = user;
  dst_checker_answers_take (&self->checkers.answers, answer);
  dst_workload_answered (self->workload, answer);
}

static void
on_begun (gpointer user, const LkProcessSimRun *run)
{
  dst_checker_runs_begun (&((Storm *)user)->checkers.runs, run);
}

static void
on_over (gpointer user, const LkProcessSimRun *run)
{
  dst_checkers_run_over (&((Storm *)user)->checkers, run);
}

static void
on_step_begun (gpointer user, const LkProcessSimStep *step)
{
  dst_checker_steps_begun (&((Storm *)user)->steps, step);
}

static void
on_step_over (gpointer user, const LkProcessSimStep *step)
{
  dst_checker_steps_over (&((Storm *)user)->steps, step);
}

/* ---------------------------------------------------------------- the cluster */

/* What is wrong with a launch does not stay so: the job would be sent back for ever. */
static void
plan_run (gpointer user, const LkMessage_launch *launch, LkProcessSimPlan *plan)
{
  dst_checker_runs_launched (&((Storm *)user)->checkers.runs, launch);
  if (launch->restarts >= TROUBLED_RUNS)
    plan->script.trouble = LK_TROUBLE_NONE;
}

static gint64
any_us (Storm *self, const gint64 *choices, guint count)
{
  return choices[seed_below (&self->seed, count)];
}
#define ANY_US(self, ...)                                                                          \
  any_us (self, (const gint64[]){ __VA_ARGS__ }, G_N_ELEMENTS (((const gint64[]){ __VA_ARGS__ })))

static LkControllerConfig
any_config (Storm *self, const DstIdentity *administrator)
{
  static const guint64 snapshots[] = { 3, 20, 100, G_MAXUINT64 };
  return (LkControllerConfig){
    .administrator_user_id = administrator->user_id,
    .heartbeat_us = ANY_US (self, SECOND_US, 5 * SECOND_US),
    .node_timeout_us = ANY_US (self, 15 * SECOND_US, 40 * SECOND_US),
    .registration_wait_us = ANY_US (self, 5 * SECOND_US, 30 * SECOND_US),
    .retry_us = ANY_US (self, SECOND_US / 2, 2 * SECOND_US),
    .kill_wait_us = ANY_US (self, 0, SECOND_US, 10 * SECOND_US),
    .pass_delay_us = ANY_US (self, 0, 0, SECOND_US / 10, 3 * SECOND_US),
    .snapshot_events = snapshots[seed_below (&self->seed, G_N_ELEMENTS (snapshots))],
    .session_count_max = 1024,
    .waits_for_standby = self->has_standby,
  };
}

static DstCluster *
make_cluster (Storm *self)
{
  DstOptions options = { .seed = seed_next (&self->seed),
                         .start_us = START_US,
                         .setup = lk_storm_setup (self->site),
                         .source = "storm",
                         .agent_retry_us = SECOND_US,
                         .client_retry_us = 2 * SECOND_US,
                         .restart_us = 2 * SECOND_US,
                         .client_count = CLIENTS,
                         .plan = plan_run,
                         .planner = self,
                         .watch = { .answered = on_answer,
                                    .run_begun = on_begun,
                                    .run_over = on_over,
                                    .user = self,
                                    .step_begun = on_step_begun,
                                    .step_over = on_step_over,
                                    .step_user = self } };
  options.identities = dst_workload_identities (&options.identity_count);
  options.controller = any_config (self, &options.identities[0]);
  return dst_cluster_new (&options);
}

/* With numbers of their own, so that a seed without them is the same. */
static void
begin_steps (Storm *self, guint request_count)
{
  gint64 end_us = dst_now_us (self->cluster) + 400 * SECOND_US;
  self->asker = (DstStepAsker){ .cluster = self->cluster,
                                .seed = { self->options->seed },
                                .job_max = request_count,
                                .ends_jobs = TRUE };
  dst_step_asker_plan (&self->asker, request_count * STEPS_COUNT, end_us);
}

static void
begin (Storm *self)
{
  static const gint64 pauses_us[] = { SECOND_US, 5 * SECOND_US, 30 * SECOND_US };
  static const gint64 scripts_us[] = { 5 * SECOND_US, 60 * SECOND_US, 300 * SECOND_US };
  self->site = seed_below (&self->seed, lk_storm_site_count ());
  self->cluster = make_cluster (self);
  DstWorkloadOptions workload = {
    .seed = seed_next (&self->seed),
    .is_crowded = lk_storm_site_is_crowded (self->site) || seed_below (&self->seed, 2) == 0,
    .request_count = 10 + seed_below (&self->seed, 60),
    .pause_max_us = any_us (self, pauses_us, G_N_ELEMENTS (pauses_us)),
    .script_max_us = any_us (self, scripts_us, G_N_ELEMENTS (scripts_us)),
    .has_queries = self->options->seed % QUERIES_EACH == QUERIES_THIS,
  };
  if (self->options->tell != NULL)
    dst_tell_to (self->cluster, self->options->tell, NULL);
  dst_set_checked (self->cluster, seed_below (&self->seed, 8) == 0 || self->options->tell != NULL);
  self->workload = dst_workload_new (self->cluster, &workload);
  /* What is damaged does not pass to the standby, and then nothing is acknowledged. */
  guint32 without = self->has_standby ? 1u << DST_FAULT_MISDIRECTED : 0;
  dst_swarm_begin (&self->swarm, self->cluster, seed_next (&self->seed), without);
  if (self->has_standby)
    dst_takeover_begin (&self->takeover, self->cluster, seed_next (&self->seed));
  if (self->has_steps)
    begin_steps (self, workload.request_count);
}

/* ---------------------------------------------------------------- damage */

static DstHost *
host_of (const Storm *self)
{
  return &self->cluster->hosts[self->cluster->chief];
}

static gboolean
is_damaged (const Storm *self)
{
  LkDiskSimCounts counts;
  lk_disk_sim_counts (host_of (self)->disk, &counts);
  return counts.misdirect_count > 0;
}

/* The controller says that it will not go on. */
static gboolean
has_given_up (gpointer user)
{
  const DstHost *host = host_of (user);
  return host->core == NULL && host->failure != LK_CONTROLLER_OK
         && host->failure != LK_CONTROLLER_DISK_FAILED;
}

static void
look_at_damage (Storm *self, DstStormResult *result)
{
  DstHost *host = host_of (self);
  dst_calm (self->cluster);
  if (!has_given_up (self)) {
    dst_host_crash (self->cluster, 0, /* has_lost_power= */ TRUE);
    dst_host_start (self->cluster, 0, 0);
  }
  /* Whole records in a wrong place make it another story, told by the digest. */
  result->has_refused = has_given_up (self) && is_damaged (self);
  if (!result->has_refused)
    dst_find (self->findings, "the journal is %s, and the controller says: %s",
              is_damaged (self) ? "damaged" : "whole", lk_controller_failure_text (host->failure));
}

/* ---------------------------------------------------------------- the end */

static gboolean
has_all_answers (gpointer user)
{
  const Storm *self = user;
  return has_given_up (user)
         || (host_of (self)->core != NULL && dst_open_count (self->cluster) == 0);
}

static gboolean
is_idle (gpointer user)
{
  const Storm *self = user;
  if (has_given_up (user))
    return TRUE;
  return dst_checker_rest_is_idle (host_of (self))
         && (!self->has_standby || dst_takeover_is_settled (&self->takeover));
}

static void
start_all (Storm *self)
{
  for (guint i = 0; i < DST_HOSTS; i++)
    if (self->cluster->hosts[i].start_count > 0)
      dst_host_return (self->cluster, i);
  for (guint i = 0; i < self->cluster->nodes->len; i++)
    dst_agent_start (self->cluster, i);
}

static void
wind_down (Storm *self)
{
  for (guint i = 0; i < self->cluster->nodes->len; i++)
    dst_node_withhold (self->cluster, i, FALSE);
  for (guint i = 0; i < ROUNDS_MAX && !is_idle (self); i++) {
    dst_workload_wind_down (self->workload);
    dst_run (self->cluster, dst_now_us (self->cluster) + ROUND_US, is_idle, self);
  }
}

static void
look_at_all (Storm *self, DstStormResult *result)
{
  DstHistory history = { 0 };
  const GByteArray *journal = lk_disk_sim_peek (host_of (self)->disk, LK_CONTROLLER_JOURNAL);
  dst_checkers_look (&self->checkers, host_of (self), &history);
  result->step_count = dst_checker_steps_look (&self->steps, journal->data, journal->len);
  if (self->has_standby)
    dst_takeover_look (&self->takeover, self->findings);
  dst_history_clear (&history);
}

/* FALSE: the controller has given up. */
static gboolean
rage (Storm *self)
{
  gint64 end_us = dst_now_us (self->cluster) + 100 * SECOND_US;
  dst_run (self->cluster, end_us, has_given_up, self);
  while (!dst_workload_is_over (self->workload) && !has_given_up (self))
    dst_run (self->cluster, dst_now_us (self->cluster) + 50 * SECOND_US, has_given_up, self);
  dst_swarm_end (&self->swarm);
  if (is_damaged (self) || has_given_up (self))
    return FALSE;
  for (guint i = 0; i < DST_HOSTS; i++)
    dst_host_crash_at (self->cluster, i, 0, FALSE, FALSE);
  dst_calm (self->cluster);
  if (self->has_standby)
    dst_takeover_end (&self->takeover);
  start_all (self);
  dst_run (self->cluster, dst_now_us (self->cluster) + ROUND_US, has_all_answers, self);
  dst_run (self->cluster, dst_now_us (self->cluster) + 50 * SECOND_US, has_given_up, self);
  return !has_given_up (self);
}

static void
fill_result (Storm *self, DstStormResult *result)
{
  LkNetSimCounts net;
  const DstHost *host = host_of (self);
  lk_net_sim_counts (self->cluster->net, &net);
  result->site = self->site;
  result->faults = dst_swarm_text (&self->swarm);
  result->message_count = net.sent_count;
  result->run_count = self->checkers.runs.seen->len;
  result->start_count = host->start_count;
  result->digest = lk_world_digest (self->cluster->world);
  if (host->core != NULL)
    result->event_count = lk_controller_durable_seq (host->core);
}

void
dst_storm_run (const DstStormOptions *options, DstStormResult *out_result, DstFindings *findings)
{
  Storm self = { .options = options,
                 .seed = { options->seed },
                 .has_steps = options->seed % STEPS_EACH == STEPS_THIS,
                 .has_standby = dst_takeover_is_in (options->seed),
                 .findings = findings };
  *out_result = (DstStormResult){ 0 };
  dst_checkers_init (&self.checkers, findings);
  dst_checker_steps_init (&self.steps, findings);
  begin (&self);
  if (rage (&self)) {
    dst_checker_rest_agree (host_of (&self), &self.checkers.runs, findings);
    wind_down (&self);
  }
  if (has_given_up (&self) || is_damaged (&self))
    look_at_damage (&self, out_result);
  else
    look_at_all (&self, out_result);
  fill_result (&self, out_result);
  dst_cluster_free (self.cluster);
  dst_workload_free (self.workload);
  dst_checker_steps_clear (&self.steps);
  dst_checkers_clear (&self.checkers);
}
