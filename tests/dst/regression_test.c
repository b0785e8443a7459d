/* tests/dst/regression_test.c — what storms have found, each as a short story that shows it alone.
 *
 * See the table in docs/testing.md. */
#include "engine/accounts.h"
#include "engine/accounts_change.h"
#include "tests/dst/stage.h"

#define SECOND_US ((gint64)G_USEC_PER_SEC)

static LkEvent
job_of (guint32 procs, guint32 node_count)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.procs = procs;
  event.submit.estimate_us = 600 * SECOND_US;
  event.submit.present = node_count > 0 ? 1 : 0;
  event.submit.nodes_min = event.submit.nodes_max = node_count;
  return event;
}

static void
submit_one (DstStage *stage, LkEvent event, gint64 script_us)
{
  dst_stage_submit (stage, 1, &event, 1, script_us);
}

static void
restart_agent (DstStage *stage, guint node)
{
  dst_agent_crash (stage->cluster, node);
  dst_stage_run_for_s (stage, 1);
  dst_agent_start (stage->cluster, node);
  dst_stage_run_for_s (stage, 1);
}

static void
restart_controller (DstStage *stage)
{
  dst_host_crash (stage->cluster, 0, /* has_lost_power= */ TRUE);
  dst_stage_run_for_s (stage, 1);
  dst_host_start (stage->cluster, 0, 0);
  dst_stage_run_for_s (stage, 5);
}

static void
finish (DstStage *stage)
{
  dst_stage_run_to_rest (stage);
  dst_stage_look (stage, "in the end", NULL);
  dst_stage_clear (stage);
}

/* The controller asked to be woken at once, for a pass that had to wait. */
static void
test_missing_agent (void)
{
  DstStage stage;
  dst_stage_init (&stage, DST_STAGE_NODES);
  dst_agent_crash (stage.cluster, 0);
  submit_one (&stage, job_of (1, 1), SECOND_US);
  dst_stage_run_for_s (&stage, 60);
  dst_agent_start (stage.cluster, 0);
  finish (&stage);
}

/* It waited for a node event, which a pool does not have. */
static void
test_lost_on_pool (void)
{
  DstStage stage;
  dst_stage_init (&stage, DST_STAGE_POOL);
  submit_one (&stage, job_of (2, 0), 300 * SECOND_US);
  dst_stage_run_for_s (&stage, 5);
  dst_node_crash (stage.cluster, 0);
  dst_stage_run_for_s (&stage, 1);
  dst_agent_start (stage.cluster, 0);
  finish (&stage);
}

/* The first component's prolog fails, and the second does not want to die. */
static void
plan_components (const LkMessage_launch *launch, LkProcessSimPlan *plan)
{
  if (launch->restarts > 0)
    return;
  if (launch->job_id == 1)
    plan->script.trouble = LK_TROUBLE_LAUNCH_FAILURE;
  if (launch->job_id == 1)
    plan->script_us = 2 * SECOND_US;
  plan->ignores_term = TRUE;
  plan->kill_us = 30 * SECOND_US;
}

/* The run of the second counted as gone, and the next one began beside it. */
static void
test_component_lives_on (void)
{
  DstStage stage;
  LkEvent events[2] = { job_of (4, 1), job_of (4, 1) };
  for (guint i = 0; i < 2; i++) {
    events[i].submit.term_flags = 1;
    events[i].submit.het_offset = i;
    events[i].submit.het_count = 2;
  }
  dst_stage_init (&stage, DST_STAGE_NODES);
  stage.plan = plan_components;
  dst_stage_submit (&stage, 1, events, 2, 60 * SECOND_US);
  finish (&stage);
}

/* What waits on the node without the script does not end for long. */
static void
plan_slow_part (const LkMessage_launch *launch, LkProcessSimPlan *plan)
{
  if (launch->runs_script == 0) {
    plan->ignores_term = TRUE;
    plan->kill_us = 60 * SECOND_US;
  }
}

/* Its agent was told to forget the part that had ended, and after a start of the controller it was
 * begun again. */
static void
test_part_is_remembered (void)
{
  DstStage stage;
  dst_stage_init (&stage, DST_STAGE_NODES);
  stage.plan = plan_slow_part;
  submit_one (&stage, job_of (8, 2), SECOND_US);
  dst_stage_run_for_s (&stage, 5);
  for (guint i = 0; i < stage.cluster->nodes->len; i++)
    restart_agent (&stage, i);
  dst_host_crash (stage.cluster, 0, /* has_lost_power= */ FALSE);
  dst_host_start (stage.cluster, 0, 0);
  finish (&stage);
}

/* The engine took all nodes of the list down, and the controller none. */
static void
test_list_goes_down (void)
{
  DstStage stage;
  LkEvent job = job_of (12, 3);
  LkEvent down = { .kind = LK_EVENT_NODE_DOWN };
  job.submit.flags = LK_REQUEST_NO_KILL;
  job.submit.node_list = lk_text ("n[2-4]");
  down.node_down.node = lk_text ("n[3-4]");
  down.node_down.reason = lk_text ("power");
  dst_stage_init (&stage, DST_STAGE_NODES);
  submit_one (&stage, job, 60 * SECOND_US);
  dst_stage_run_for_s (&stage, 5);
  dst_node_crash (stage.cluster, 2);
  dst_node_crash (stage.cluster, 3);
  dst_ask (stage.cluster, 0, &down);
  dst_stage_run_for_s (&stage, 5);
  dst_agent_start (stage.cluster, 2);
  dst_agent_start (stage.cluster, 3);
  finish (&stage);
}

/* It ran nothing. */
static void
test_job_comes_back (void)
{
  DstStage stage;
  LkEvent again = { .kind = LK_EVENT_REQUEUE };
  again.requeue.job_id = 1;
  dst_stage_init (&stage, DST_STAGE_NODES);
  submit_one (&stage, job_of (1, 1), SECOND_US);
  dst_stage_run_for_s (&stage, 10);
  dst_ask (stage.cluster, 0, &again);
  dst_stage_run_for_s (&stage, 30);
  g_assert_cmpuint (stage.checkers.runs.seen->len, ==, 2);
  finish (&stage);
}

/* The script ends badly, and its other part goes on for long. */
static void
plan_bad_end (const LkMessage_launch *launch, LkProcessSimPlan *plan)
{
  if (launch->runs_script != 0)
    plan->script = (LkExit){ .exit_code = 3 };
  else
    plan_slow_part (launch, plan);
}

/* That the script was gone stood in the snapshot, and not how: the job was told as well. */
static void
test_end_is_known (void)
{
  DstStage stage;
  DstHistory history;
  dst_stage_init (&stage, DST_STAGE_NODES);
  stage.plan = plan_bad_end;
  stage.cluster->controller.snapshot_events = 1;
  restart_controller (&stage);
  submit_one (&stage, job_of (5, 2), 2 * SECOND_US);
  dst_stage_run_for_s (&stage, 10);
  submit_one (&stage, job_of (1, 1), SECOND_US);
  dst_stage_run_for_s (&stage, 5);
  restart_controller (&stage);
  dst_stage_run_to_rest (&stage);
  dst_stage_look (&stage, "in the end", &history);
  g_assert_cmpuint (dst_history_run (&history, 1)->ended.exit_code, ==, 3);
  dst_history_clear (&history);
  dst_stage_clear (&stage);
}

/* The node with the script goes, and the job may go on without it: but without its script it is
 * nothing, and has not come to a good end.  Of that a snapshot knew nothing. */
static void
test_script_is_lost (void)
{
  for (guint restarts = 0; restarts < 2; restarts++) {
    DstStage stage;
    DstHistory history;
    LkEvent job = job_of (5, 2);
    dst_stage_init (&stage, DST_STAGE_NODES);
    stage.plan = plan_slow_part;
    stage.cluster->controller.snapshot_events = 1;
    restart_controller (&stage);
    job.submit.flags = LK_REQUEST_NO_KILL;
    submit_one (&stage, job, 300 * SECOND_US);
    dst_stage_run_for_s (&stage, 10);
    dst_node_crash (stage.cluster, 0);
    dst_stage_run_for_s (&stage, 60);
    submit_one (&stage, job_of (1, 1), SECOND_US);
    dst_stage_run_for_s (&stage, 5);
    if (restarts > 0)
      restart_controller (&stage);
    dst_stage_run_for_s (&stage, 90);
    const DstCheckerRuns *runs = &stage.checkers.runs;
    g_assert_cmpuint (dst_checker_runs_live_count (runs), ==, 0);
    dst_agent_start (stage.cluster, 0);
    dst_stage_run_to_rest (&stage);
    dst_stage_look (&stage, "in the end", &history);
    g_assert_cmpuint (dst_history_run (&history, 1)->ended.signal, ==, 9);
    g_assert_cmpint (dst_history_run (&history, 1)->end_state, ==, LK_JOB_FAILED);
    dst_history_clear (&history);
    dst_stage_clear (&stage);
  }
}

/* A limit comes into force, and before a pass has looked at the array a task of it is asked for by
 * itself: it meets the limit before anybody knows of the task. */
static void
test_task_is_told (void)
{
  DstStage stage;
  LkEvent array = job_of (1, 1);
  LkEvent update = { .kind = LK_EVENT_UPDATE };
  LkEvent change = { .kind = LK_EVENT_QOS };
  g_autoptr (LkAccounts) accounts = lk_accounts_new ("stage");
  g_autoptr (GString) line = g_string_new (NULL);
  LkQosSpec *normal = lk_accounts_find_qos (accounts, "normal");
  lk_limits_set (normal->limits, LK_LIMIT_MAX_JOBS_PER_USER, 0, TRUE, 1);
  lk_accounts_qos_text (accounts, normal, line);
  change.qos.operation = LK_ACCOUNTS_CHANGE;
  change.qos.name = lk_text ("normal");
  change.qos.changes = 1u << LK_QOS_CHANGE_limits;
  change.qos.record = (LkLongText){ line->str, (guint32)line->len };
  array.submit.array = lk_text ("1-4");
  update.update.job_id = 2;
  update.update.task_list = lk_text ("2");
  update.update.changes = G_GUINT64_CONSTANT (1) << LK_CHANGE_comment;
  update.update.comment = lk_text ("comment");
  dst_stage_init (&stage, DST_STAGE_ACCOUNTS);
  submit_one (&stage, job_of (6, 6), 20 * SECOND_US);
  dst_stage_run_for_s (&stage, 1);
  submit_one (&stage, array, SECOND_US);
  dst_stage_run_for_s (&stage, 1);
  dst_ask (stage.cluster, 0, &change);
  dst_ask (stage.cluster, 4, &update);
  finish (&stage);
}

/* What a job has started with has come for good; but not what it was given since. */
static void
test_dependency_since (void)
{
  DstStage stage;
  LkEvent again = { .kind = LK_EVENT_REQUEUE };
  LkEvent update = { .kind = LK_EVENT_UPDATE };
  again.requeue.job_id = update.update.job_id = 2;
  update.update.changes = G_GUINT64_CONSTANT (1) << LK_CHANGE_dependency;
  update.update.dependency = lk_text ("afterany:1");
  dst_stage_init (&stage, DST_STAGE_NODES);
  submit_one (&stage, job_of (1, 1), 300 * SECOND_US);
  submit_one (&stage, job_of (1, 1), 10 * SECOND_US);
  dst_stage_run_for_s (&stage, 2);
  dst_ask (stage.cluster, 0, &again);
  dst_stage_run_for_s (&stage, 2);
  dst_ask (stage.cluster, 0, &update);
  dst_stage_run_for_s (&stage, 10);
  submit_one (&stage, job_of (1, 1), SECOND_US); /* a pass looks at both */
  dst_stage_run_for_s (&stage, 200);
  g_assert_cmpuint (stage.checkers.runs.seen->len, ==, 3);
  finish (&stage);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dst/a start without an agent comes to rest", test_missing_agent);
  g_test_add_func ("/dst/a run that a pool has lost ends", test_lost_on_pool);
  g_test_add_func ("/dst/a component lives on when another one ends", test_component_lives_on);
  g_test_add_func ("/dst/an agent remembers the end of its part", test_part_is_remembered);
  g_test_add_func ("/dst/all nodes of a list go down", test_list_goes_down);
  g_test_add_func ("/dst/a job that comes back runs what was submitted", test_job_comes_back);
  g_test_add_func ("/dst/how a script has ended is known behind a start", test_end_is_known);
  g_test_add_func ("/dst/a job that has lost its script does not end well", test_script_is_lost);
  g_test_add_func ("/dst/a task is told of before what becomes of it", test_task_is_told);
  g_test_add_func ("/dst/a dependency that a job is given since is waited for",
                   test_dependency_since);
  return g_test_run ();
}
