/* tests/live/client/sdiag_test.c — sdiag, line by line as exporters read it. */
#include <string.h>

#include "tests/live/client/record_site.h"
#include "tests/live/flat_json.h"

#define KIND_HEARTBEAT                                                                             \
  "\tLOCKSTEP_HEARTBEAT                      (   41) count:9      ave_time:1      total_time:9\n"
#define KIND_JOBS                                                                                  \
  "\tREQUEST_JOB_INFO                        ( 2003) count:5      ave_time:40     "                \
  "total_time:200\n"
#define KIND_UPDATE                                                                                \
  "\tREQUEST_UPDATE_JOB                      ( 3001) count:7      ave_time:10     total_time:70\n"

static RecordSite *
site_new (gint64 now_s)
{
  RecordSite *site = record_site_new ();
  LkRecord record = { .kind = LK_RECORD_CONTROLLER };
  record.controller = (LkRecord_controller){ .term = 3,
                                             .seq = 70,
                                             .now_us = now_s * G_USEC_PER_SEC,
                                             .began_us = 300 * G_USEC_PER_SEC,
                                             .backfill_before_count = 2,
                                             .counted_us = 400 * G_USEC_PER_SEC,
                                             .digest_high = 0xabc,
                                             .digest_low = 1,
                                             .pending_count = 2,
                                             .running_count = 1,
                                             .agent_count = 4,
                                             .submit_count = 9,
                                             .start_count = 7,
                                             .backfill_count = 5,
                                             .end_count = 6,
                                             .completed_count = 3,
                                             .cancelled_count = 2,
                                             .failed_count = 1,
                                             .pass_count = 20,
                                             .pass_last_us = 15,
                                             .pass_max_us = 90,
                                             .pass_sum_us = 600,
                                             .queue_last = 8 };
  record_site_add (site, &record);
  return site;
}

static void
add_rpc (RecordSite *site, const LkRecord_rpc *rpc)
{
  LkRecord record = { .kind = LK_RECORD_RPC };
  record.rpc = *rpc;
  record_site_add (site, &record);
}

/* Two kinds with one name of Slurm, one with another, one without any, a user. */
static void
add_rpcs (RecordSite *site)
{
  static const LkRecord_rpc rpcs[] = {
    { .message = LK_MESSAGE_HOLD, .count = 6, .max_us = 20, .sum_us = 40 },
    { .message = LK_MESSAGE_STATE_QUERY,
      .record = LK_RECORD_JOB,
      .count = 5,
      .max_us = 60,
      .sum_us = 200 },
    { .message = LK_MESSAGE_RELEASE, .count = 1, .max_us = 30, .sum_us = 30 },
    { .message = LK_MESSAGE_HEARTBEAT, .count = 9, .max_us = 1, .sum_us = 9 },
    { .of_user = 1, .user_id = 4000000001, .count = 9, .max_us = 60, .sum_us = 270 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rpcs); i++)
    add_rpc (site, &rpcs[i]);
}

static void
test_text (void)
{
  g_autoptr (RecordSite) site = site_new (1000);
  add_rpcs (site);
  record_site_expect (
      site, "sdiag", 0,
      "*******************************************************\n"
      "sdiag output at Thu Jan 01 00:16:40 1970 (1000)\n"
      "Data since      Thu Jan 01 00:06:40 1970 (400)\n"
      "*******************************************************\n"
      "Server thread count:  1\n"
      "RPC queue enabled:    0\n"
      "Agent queue size:     0\n"
      "Agent count:          0\n"
      "Agent thread count:   0\n"
      "DBD Agent queue size: 0\n"
      "\n"
      "Jobs submitted: 9\n"
      "Jobs started:   7\n"
      "Jobs completed: 3\n"
      "Jobs canceled:  2\n"
      "Jobs failed:    1\n"
      "\n"
      "Job states ts:  Thu Jan 01 00:16:40 1970 (1000)\n"
      "Jobs pending:   2\n"
      "Jobs running:   1\n"
      "\n"
      "Main schedule statistics (microseconds):\n"
      "\tLast cycle:   15\n"
      "\tMax cycle:    90\n"
      "\tTotal cycles: 20\n"
      "\tMean cycle:   30\n"
      "\tCycles per minute: 2\n"
      "\tLast queue length: 8\n"
      "\n"
      "Backfilling stats\n"
      "\tTotal backfilled jobs (since last slurm start): 7\n"
      "\tTotal backfilled jobs (since last stats cycle start): 5\n"
      "\tTotal backfilled heterogeneous job components: 0\n"
      "\tTotal cycles: 0\n"
      "\tLast cycle when: N/A\n"
      "\tLast cycle: 0\n"
      "\tMax cycle:  0\n"
      "\tLast depth cycle: 0\n"
      "\tLast depth cycle (try sched): 0\n"
      "\tLast queue length: 0\n"
      "\tLast table size: 0\n"
      "\n"
      "Remote Procedure Call statistics by message type\n" KIND_HEARTBEAT KIND_UPDATE KIND_JOBS "\n"
      "Remote Procedure Call statistics by user\n"
      "\t4000000001      (4000000001) count:9      ave_time:30     total_time:270\n"
      "\n"
      "Pending RPC statistics\n"
      "\tNo pending RPCs\n"
      "\n"
      "Lockstep\n"
      "\tTerm:               3\n"
      "\tEvents:             70\n"
      "\tDigest:             0000000000000abc0000000000000001\n"
      "\tAgents that answer: 4\n"
      "\tJobs ended:         6\n"
      "\tMessages refused:   0\n"
      "\tMessages malformed: 0\n",
      "");
}

/* By count, number, time of all and of one. */
static void
test_order (void)
{
  static const struct {
    const char *line;
    const char *kinds;
  } cases[] = {
    { "sdiag --all", KIND_HEARTBEAT KIND_UPDATE KIND_JOBS },
    { "sdiag -i", KIND_HEARTBEAT KIND_JOBS KIND_UPDATE },
    { "sdiag -t", KIND_JOBS KIND_UPDATE KIND_HEARTBEAT },
    { "sdiag --sort-by-time2", KIND_JOBS KIND_UPDATE KIND_HEARTBEAT },
  };
  g_autoptr (RecordSite) site = site_new (1000);
  add_rpcs (site);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_assert_cmpint (record_site_run (site, cases[i].line), ==, 0);
    g_assert_nonnull (strstr (site->out, cases[i].kinds));
  }
}

static void
test_json (void)
{
  g_autoptr (RecordSite) site = site_new (430);
  g_assert_cmpint (record_site_run (site, "sdiag --json"), ==, 0);
  flat_json (site->out);
  g_assert_nonnull (strstr (site->out, "\"schedule_cycle_mean\":30,"
                                       "\"schedule_cycle_mean_depth\":0,"
                                       "\"schedule_cycle_per_minute\":20,"));
  g_assert_nonnull (strstr (site->out, "\"rpcs_by_user\":[]"));
  add_rpcs (site);
  g_assert_cmpint (record_site_run (site, "sdiag --json -i"), ==, 0);
  flat_json (site->out);
  g_assert_nonnull (strstr (site->out,
                            "{\"type_id\":3001,\"message_type\":\"REQUEST_UPDATE_JOB\",\"count\":7,"
                            "\"queued\":0,\"dropped\":0,\"cycle_last\":0,\"cycle_max\":0,"
                            "\"total_time\":70,\"average_time\":{\"set\":true,\"infinite\":false,"
                            "\"number\":10}}],\"rpcs_by_user\":[{\"user_id\":4000000001,"
                            "\"user\":\"4000000001\",\"count\":9,\"total_time\":270,"));
}

static void
test_reset (void)
{
  g_autoptr (RecordSite) site = site_new (1000);
  record_site_expect (site, "sdiag -r", 0, "Reset scheduling statistics\n", "");
  site->reset_refusal = LK_REJECT_PERMISSION;
  record_site_expect (site, "sdiag --reset", 255, "",
                      "slurm_reset_statistics: Access/permission denied\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sdiag/its lines are Slurm's", test_text);
  g_test_add_func ("/sdiag/messages stand in the order that was asked for", test_order);
  g_test_add_func ("/sdiag/as JSON it has Slurm's members", test_json);
  g_test_add_func ("/sdiag/counts begin anew, for who may ask for that", test_reset);
  return g_test_run ();
}
