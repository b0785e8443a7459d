/* tests/live/controller_log_test.c — what an operator finds in the controller's log, and what never
 * comes into it; and the limit of its lines. */
#include <string.h>

#include "live/core/log_limit.h"
#include "tests/live/controller_site.h"

#define ALL 7u

static ControlSite *
site_started (LkLogLevel level)
{
  static const ControlOptions options = { .snapshot_events = 1000, .session_count_max = 100 };
  ControlSite *site = control_site_new (&options);
  site->log_level = level;
  control_start_all (site);
  return site;
}

static void
assert_logged (const ControlSite *site, const char *line)
{
  if (strstr (site->log->str, line) == NULL)
    g_error ("'%s' should be in the log:\n%s", line, site->log->str);
}

static void
assert_silent (const ControlSite *site, const char *text)
{
  if (strstr (site->log->str, text) != NULL)
    g_error ("'%s' should not be in the log:\n%s", text, site->log->str);
}

static void
test_job (void)
{
  g_autoptr (ControlSite) site = site_started (LK_LOG_INFO);
  LkRunReport how = { .run_id = 1, .job_id = 1, .exit_code = 3 };
  control_submit (site, 1, 1, 0);
  control_run_ended (site, 0, &how, "");
  assert_logged (site, "requests info: _slurm_rpc_submit_batch_job: JobId=1 ");
  assert_logged (site, " uid=1001 event=1\n");
  assert_logged (site, "jobs info: sched: Allocate JobId=1 NodeList=n1 #CPUs=1 Partition=");
  assert_logged (site, "jobs info: _job_complete: JobId=1 WEXITSTATUS 3 event=");
  assert_logged (site, "jobs info: _job_complete: JobId=1 done State=FAILED event=");
  assert_silent (site, "debug");
}

static void
test_job_trouble (void)
{
  g_autoptr (ControlSite) site = site_started (LK_LOG_ERROR);
  LkRunReport how = { .run_id = 1, .job_id = 1, .trouble = LK_TROUBLE_PROLOG_FAILURE };
  control_submit (site, 1, 1, 0);
  control_run_ended (site, 0, &how, "Prolog error");
  assert_logged (site,
                 "jobs error: slurmd error running JobId=1 from node=n1: the prolog failed\n");
  assert_logged (site, "nodes error: drain_nodes: node n1 state set to DRAIN: Prolog error event=");
  assert_silent (site, "info");
}

static void
test_node (void)
{
  g_autoptr (ControlSite) site = site_started (LK_LOG_INFO);
  assert_logged (site, "nodes info: Node n2 now responding\n");
  control_submit (site, 1, 1, 0);
  g_string_truncate (site->log, 0);
  control_wait_beating (site, 400 * CONTROL_SECOND_US, 4);
  assert_logged (site, "nodes error: Nodes n[1-2] not responding, setting DOWN\n");
  assert_logged (site, "jobs info: requeue job JobId=1 due to failure of node n1 event=");
  assert_silent (site, "Node n3");
  control_register (site, 1, 7, NULL, 0);
  assert_logged (site, "nodes info: Node n2 now responding\n");
  assert_logged (site, "nodes info: node n2 returned to service event=");
}

static void
test_admin (void)
{
  g_autoptr (ControlSite) site = site_started (LK_LOG_INFO);
  control_order_node (site, 1, LK_EVENT_NODE_DRAIN, 1, "fan\n[2026] error: forged");
  control_order_node (site, 2, LK_EVENT_NODE_RESUME, 1, NULL);
  assert_logged (site, "nodes info: update_node: node n2 reason set to: fan\n[2026] error: forged "
                       "uid=990 event=1\n");
  assert_logged (site, "nodes info: update_node: node n2 state set to DRAIN uid=990 event=1\n");
  assert_logged (site, "nodes info: update_node: node n2 state set to RESUME uid=990 event=");
}

static void
test_refused (void)
{
  g_autoptr (ControlSite) site = site_started (LK_LOG_ERROR);
  const LkEvent drain = { .kind = LK_EVENT_NODE_DRAIN, .node_drain = { .node = lk_text ("n1") } };
  const LkEvent cancel = { .kind = LK_EVENT_CANCEL, .cancel = { .job_id = 1 } };
  control_submit (site, 1, 1, 0);
  control_ask (site, 1002, 1, 1, &drain);
  control_ask (site, 1002, 2, 1, &cancel);
  const LkPeer user = control_user (1002);
  control_bytes (site, &user, (const guint8 *)"\xff", 1);
  assert_logged (site, "requests error: Security violation, node_drain RPC from uid=1002\n");
  assert_logged (site,
                 "requests error: Security violation, cancel RPC for JobId=1 from uid=1002\n");
  assert_logged (site, "requests error: Security violation, malformed RPC from uid=1002\n");
}

/* What is in the journal was logged when it was written. */
static void
test_recovery (void)
{
  g_autoptr (ControlSite) site = site_started (LK_LOG_DEBUG5);
  control_submit (site, 1, 1, 0);
  control_crash (site, 0, 0);
  g_string_truncate (site->log, 0);
  g_assert_true (control_start (site, 0));
  assert_logged (site, "the daemon info: Recovered state of 3 nodes\n");
  assert_logged (site, "Recovered information about 1 jobs: 0 pending, 1 running event=");
  assert_silent (site, "Allocate");
  assert_silent (site, "submit_batch_job");
}

static guint16
set_level (ControlSite *site, guint32 user_id, guint8 level)
{
  const LkPeer user = control_user (user_id);
  LkMessage message = { .kind = LK_MESSAGE_LOG_LEVEL, .log_level = { 5, level } };
  control_forget_sent (site);
  control_message (site, &user, &message);
  g_assert_true (control_sent (site, user.id, LK_MESSAGE_LOG_LEVEL_SET, 0, &message));
  g_assert_cmpuint (message.log_level_set.request, ==, 5);
  return message.log_level_set.error;
}

static void
test_level (void)
{
  g_autoptr (ControlSite) site = site_started (LK_LOG_QUIET);
  g_assert_cmpuint (set_level (site, CONTROL_USER, LK_LOG_DEBUG2), ==, LK_REJECT_PERMISSION);
  g_assert_cmpuint (set_level (site, CONTROL_ADMIN, LK_LOG_LEVEL_COUNT), ==,
                    LK_REJECT_REQUEST_INVALID);
  g_assert_cmpuint (site->log_level, ==, LK_LOG_QUIET);
  g_assert_cmpuint (site->log->len, ==, 0);
  g_assert_cmpuint (set_level (site, CONTROL_ADMIN, LK_LOG_DEBUG2), ==, 0);
  control_submit (site, 1, 1, 0);
  assert_logged (site, "the daemon info: Set debug level to 'debug2' uid=990\n");
  assert_logged (site, "requests debug2: Processing RPC: submit from uid=1001\n");
  g_assert_cmpuint (set_level (site, CONTROL_ADMIN, LK_LOG_QUIET), ==, 0);
  assert_logged (site, "the daemon info: Set debug level to 'quiet' uid=990\n");
}

/* ---------------------------------------------------------------- levels and the limit */

static void
test_level_names (void)
{
  LkLogLevel level = LK_LOG_INFO;
  g_assert_true (lk_log_level_parse ("0", &level) && level == LK_LOG_QUIET);
  g_assert_true (lk_log_level_parse ("3", &level) && level == LK_LOG_INFO);
  g_assert_true (lk_log_level_parse ("9", &level) && level == LK_LOG_DEBUG5);
  g_assert_true (lk_log_level_parse ("Debug2", &level) && level == LK_LOG_DEBUG2);
  g_assert_false (lk_log_level_parse ("10", &level));
  g_assert_false (lk_log_level_parse ("", &level));
  g_assert_false (lk_log_level_parse ("debug6", &level));
  g_assert_cmpuint (level, ==, LK_LOG_DEBUG2);
}

static void
test_limit (void)
{
  LkLogLimit limit = { 0 };
  const gint64 second_us = CONTROL_SECOND_US;
  for (guint i = 0; i < LK_LOG_LINES_PER_S_MAX; i++)
    g_assert_true (lk_log_limit_take (&limit, LK_LOG_TOPIC_REQUESTS, second_us));
  for (guint i = 0; i < 7; i++)
    g_assert_false (lk_log_limit_take (&limit, LK_LOG_TOPIC_REQUESTS, 2 * second_us - 1));
  /* Each topic has its own. */
  g_assert_true (lk_log_limit_take (&limit, LK_LOG_TOPIC_NODES, 2 * second_us - 1));
  g_assert_cmpuint (lk_log_limit_flush (&limit, LK_LOG_TOPIC_REQUESTS, 2 * second_us - 1), ==, 0);
  g_assert_cmpuint (lk_log_limit_flush (&limit, LK_LOG_TOPIC_REQUESTS, 2 * second_us), ==, 7);
  g_assert_cmpuint (lk_log_limit_flush (&limit, LK_LOG_TOPIC_REQUESTS, 2 * second_us), ==, 0);
  g_assert_true (lk_log_limit_take (&limit, LK_LOG_TOPIC_REQUESTS, 2 * second_us));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/log/a job from its submit to its end", test_job);
  g_test_add_func ("/log/a job that fails names its node", test_job_trouble);
  g_test_add_func ("/log/a node that is lost and found", test_node);
  g_test_add_func ("/log/an administrator's change names the user", test_admin);
  g_test_add_func ("/log/requests that are refused", test_refused);
  g_test_add_func ("/log/a journal that is replayed logs nothing again", test_recovery);
  g_test_add_func ("/log/the level changes live", test_level);
  g_test_add_func ("/log/levels are names or numbers", test_level_names);
  g_test_add_func ("/log/lines above the limit are counted", test_limit);
  return g_test_run ();
}
