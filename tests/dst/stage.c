/* tests/dst/stage.c — see the header. */
#include "tests/dst/stage.h"

#include <stdio.h>

#include "tests/property/storm_site.h"

#define SECOND_US ((gint64)G_USEC_PER_SEC)

static void
on_answer (gpointer user, const DstAnswer *answer)
{
  dst_checker_answers_take (&((DstStage *)user)->checkers.answers, answer);
}

static void
on_begun (gpointer user, const LkProcessSimRun *run)
{
  dst_checker_runs_begun (&((DstStage *)user)->checkers.runs, run);
}

static void
on_over (gpointer user, const LkProcessSimRun *run)
{
  dst_checkers_run_over (&((DstStage *)user)->checkers, run);
}

static void
on_launch (gpointer user, const LkMessage_launch *launch, LkProcessSimPlan *plan)
{
  DstStage *self = user;
  dst_checker_runs_launched (&self->checkers.runs, launch);
  if (self->plan != NULL)
    self->plan (launch, plan);
}

static void
tell (gpointer user, gint64 now_us, const char *line)
{
  (void)user;
  printf ("%12.6f %s\n", (double)(now_us - DST_STAGE_START_US) / 1e6, line);
}

void
dst_stage_init (DstStage *self, guint site)
{
  DstOptions options = {
    .seed = 1,
    .start_us = DST_STAGE_START_US,
    .setup = lk_storm_setup (site),
    .source = "stage",
    .agent_retry_us = SECOND_US,
    .client_retry_us = 2 * SECOND_US,
    .restart_us = 2 * SECOND_US,
    .client_count = DST_STAGE_CLIENTS,
    .controller = { .heartbeat_us = 5 * SECOND_US,
                    .node_timeout_us = 40 * SECOND_US,
                    .registration_wait_us = 20 * SECOND_US,
                    .retry_us = SECOND_US,
                    .kill_wait_us = SECOND_US,
                    .snapshot_events = 50,
                    .session_count_max = 64 },
    .plan = on_launch,
    .planner = self,
    .watch = { .answered = on_answer, .run_begun = on_begun, .run_over = on_over, .user = self },
  };
  options.identities = dst_workload_identities (&options.identity_count);
  options.controller.administrator_user_id = options.identities[0].user_id;
  *self = (DstStage){ 0 };
  dst_findings_init (&self->findings);
  dst_checkers_init (&self->checkers, &self->findings);
  self->cluster = dst_cluster_new (&options);
  dst_set_checked (self->cluster, TRUE);
  if (g_getenv ("LK_DST_LOG") != NULL)
    dst_tell_to (self->cluster, tell, NULL);
}

void
dst_stage_clear (DstStage *self)
{
  dst_cluster_free (self->cluster);
  dst_checkers_clear (&self->checkers);
  dst_findings_clear (&self->findings);
}

void
dst_stage_run_for_s (DstStage *self, guint seconds)
{
  dst_run_for (self->cluster, seconds * SECOND_US);
}

static gboolean
is_idle (gpointer user)
{
  const DstStage *self = user;
  return dst_checker_rest_is_idle (&self->cluster->hosts[0]);
}

void
dst_stage_run_to_rest (DstStage *self)
{
  dst_run (self->cluster, dst_now_us (self->cluster) + 2000 * SECOND_US, is_idle, self);
}

void
dst_stage_submit (DstStage *self, guint client, LkEvent *events, guint event_count,
                  gint64 script_us)
{
  const DstOptions *options = &self->cluster->options;
  const DstIdentity *who = &options->identities[client % options->identity_count];
  LkProcessSimPlan plan = { .script_us = script_us };
  for (guint i = 0; i < event_count; i++) {
    events[i].kind = LK_EVENT_SUBMIT;
    events[i].submit.user_id = who->user_id;
    events[i].submit.group_id = who->group_id;
  }
  dst_submit (self->cluster, client, events, event_count, &plan);
}

void
dst_stage_look (DstStage *self, const char *what, DstHistory *out_history)
{
  DstHistory history = { 0 };
  const DstHost *host = &self->cluster->hosts[0];
  if (host->core != NULL)
    dst_checkers_look (&self->checkers, host, &history);
  else
    dst_find (&self->findings, "the controller is down: %s",
              lk_controller_failure_text (host->failure));
  for (guint i = 0; i < self->findings.lines->len; i++)
    g_printerr ("%s: %s\n", what, (const char *)g_ptr_array_index (self->findings.lines, i));
  if (self->findings.count > 0)
    g_test_fail ();
  if (out_history != NULL)
    *out_history = history;
  else
    dst_history_clear (&history);
}
