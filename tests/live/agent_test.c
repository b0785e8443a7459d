/* tests/live/agent_test.c — every promise of live/core/agent.h, as stories (agent_play.h). */
#include <string.h>

#include "engine/bytes.h"
#include "engine/checked.h"
#include "engine/crc32c.h"
#include "tests/live/agent_play.h"

#define REGISTER_1 "register 1 term=0"
#define REGISTERED                                                                                 \
  { "start", REGISTER_1 }, { "registered 7", "write; report@7" },                                  \
  {                                                                                                \
    "reported 7", ""                                                                               \
  }
#define RUNNING                                                                                    \
  REGISTERED, { "launch 5", "create 5" },                                                          \
  {                                                                                                \
    "prolog 5", "begin 5 script; started 5"                                                        \
  }
#define OTHERS_TOO                                                                                 \
  REGISTERED, { "launch 5 other_nodes", "create 5" },                                              \
  {                                                                                                \
    "prolog 5", "begin 5 script; started 5"                                                        \
  }

/* ---------------------------------------------------------------- registration */

static void
test_registers (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, { "start", REGISTER_1 }, { "wait 9", "" }, { "wait 1", REGISTER_1 },
        { "registered 7 agent=9", "write; register 1 term=1" }, /* meant for another agent */
        { "registered 7", "report@7" }, { "wait 10", "report@7" }, { "reported 6", "" });
  g_assert_false (lk_agent_is_registered (site->agent));
  PLAY (site, { "reported 7", "" }, { "wait 999", "heartbeat@7" });
  g_assert_true (lk_agent_is_registered (site->agent));
}

static void
test_hardware (void)
{
  g_autoptr (AgentSite) site = site_new ();
  LkMessage message;
  PLAY (site, REGISTERED);
  const GByteArray *bytes = g_ptr_array_index (site->sent, site->sent->len - 1);
  g_assert_true (lk_message_decode (bytes->data, bytes->len, &message));
  g_assert_cmpint (message.kind, ==, LK_MESSAGE_REPORT);
  g_assert_cmpuint (message.report.boot_id, ==, 1);
  g_assert_cmpuint (message.report.agent_id, ==, 1);
  g_assert_cmpuint (message.report.cpus, ==, 4);
  g_assert_cmpuint (message.report.memory_bytes, ==, 1024);
  g_assert_true (memcmp (message.report.gres.bytes, "gpu:2", 5) == 0);
  g_assert_true (memcmp (message.report.node.bytes, SITE_NODE, strlen (SITE_NODE)) == 0);
}

static void
test_new_epoch (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, RUNNING, { "registered 7", "" },                /* it came twice */
        { "registered 9 heartbeat=4", "report@9 5:running" }, /* the controller was restarted */
        { "registered 8", "" }, { "reported 7", "" },         /* late */
        { "launch 6 epoch=7", "" }, { "wait 4", "heartbeat@9" }, { "wait 4", "heartbeat@9" });
  g_assert_false (lk_agent_is_registered (site->agent));
  PLAY (site, { "wait 2", "report@9 5:running" }, { "launch 6", "create 6" },
        { "wait 2", "heartbeat@9" });
  g_assert_true (lk_agent_is_registered (site->agent));
}

/* A message that was sent before there was a connection is lost: it is said again. */
static void
test_connected (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, { "start", REGISTER_1 }, { "connected", REGISTER_1 }, { "wait 9", "" },
        { "wait 1", REGISTER_1 }, { "registered 7", "write; report@7" },
        { "connected", "report@7; heartbeat@7" }, { "reported 7", "" },
        { "connected", "heartbeat@7" }, { "wait 999", "" }, { "wait 1", "heartbeat@7" },
        { "disk fails", "" }, { "registered 9 term=2", "write" }, { "connected", "" });
}

/* Heard at once, heeded once each time, and told from then on, also by the one in its place. */
static void
test_reload (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, { "start", REGISTER_1 }, { "registered 7", "write; report@7" }, { "reported 7", "" },
        { "reload 4", "heartbeat@7 reload=4" });
  g_assert_true (lk_agent_take_reload (site->agent));
  g_assert_false (lk_agent_take_reload (site->agent));
  PLAY (site, { "reload 4", "heartbeat@7 reload=4" });
  g_assert_false (lk_agent_take_reload (site->agent));
  PLAY (site, { "reload 6", "heartbeat@7 reload=6" }, { "registered 9", "report@9 reload=6" });
  g_assert_true (lk_agent_take_reload (site->agent));
  site->reload_number = lk_agent_reload_number (site->agent);
  PLAY (site, { "crash", "" }, { "start", "register 2 term=1" },
        { "registered 10 agent=2", "report@10 reload=6" }, { "reload 6", "heartbeat@10 reload=6" });
  g_assert_false (lk_agent_take_reload (site->agent));
}

static void
test_heartbeat_of_nothing (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, { "start", REGISTER_1 }, { "registered 7 heartbeat=0", "write; report@7" },
        { "reported 7", "" }, { "wait 25", "heartbeat@7; heartbeat@7" });
}

/* ---------------------------------------------------------------- the term */

static void
test_term_waits (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, { "disk later", "" }, { "start", REGISTER_1 }, { "registered 7", "write" },
        { "launch 5 epoch=7", "" });
  g_assert_cmpuint (lk_agent_term (site->agent), ==, 0);
  PLAY (site, { "disk done", "create 5" });
  g_assert_cmpuint (lk_agent_term (site->agent), ==, 1);
  /* A higher one comes while one is being written; what waited for the lower one is dropped. */
  PLAY (site, { "registered 1 term=2", "write" }, { "launch 6 epoch=1 term=2", "" },
        { "registered 1 term=3", "" }, { "registered 9 term=2", "" }, { "terminate 5 term=1", "" },
        { "disk done", "write; register 1 term=2" }, { "disk done", "report@1 5:prolog" },
        { "launch 6 epoch=1 term=2", "" });
  g_assert_cmpuint (lk_agent_term (site->agent), ==, 3);
}

static void
test_term_ends_registration (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, RUNNING, { "terminate 5 term=2", "write; kill 5 18; kill 5 15; register 1 term=2" },
        { "registered 7 term=2", "report@7 5:running" }, { "launch 6 epoch=7 term=1", "" },
        { "reported 7 term=2", "" }, { "forget 5 term=1", "" });
  g_assert_true (lk_agent_is_registered (site->agent));
}

static void
test_term_survives (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, { "start", REGISTER_1 }, { "registered 7 term=4", "write; report@7" },
        { "crash", "" }, { "start", "register 2 term=4" }, { "registered 8 term=3", "" },
        { "disk later", "" }, { "registered 8 term=6", "write" }, { "crash", "" },
        { "start", "register 3 term=4" }, { "registered 8 term=6", "write" },
        { "crash written", "" }, { "start", "register 4 term=6" });
}

/* A term is reported with the proof that came with it, and with no other; a file of an earlier
 * version has none. */
static void
test_term_proof (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, { "start", REGISTER_1 },
        { "registered 7 term=4 proof=44 heartbeat=5", "write; report@7" },
        { "reported 7 term=4", "" }, { "wait 5", "heartbeat@7 proof=44" },
        { "registered 9 term=3 proof=33", "" }, { "wait 5", "heartbeat@7 proof=44" },
        { "crash", "" }, { "start", "register 2 term=4 proof=44" },
        { "terminate 5 term=5", "write; register 2 term=5" }, { "crash", "" },
        { "start", "register 3 term=5" },
        { "registered 8 term=5 proof=55 heartbeat=5", "report@8" }, { "reported 8 term=5", "" },
        { "wait 5", "heartbeat@8 proof=55" });
  static const guint8 alone[] = { 5, 0, 0, 0, 0, 0, 0, 0 };
  LkCrc32c crc;
  guint8 crc_bytes[4];
  lk_crc32c_init (&crc);
  lk_put_u32 (crc_bytes, lk_crc32c (&crc, alone, sizeof alone));
  g_byte_array_set_size (site->term_file, 0);
  g_byte_array_append (site->term_file, alone, sizeof alone);
  g_byte_array_append (site->term_file, crc_bytes, sizeof crc_bytes);
  PLAY (site, { "crash", "" }, { "start", "register 4 term=5" });
}

static void
test_disk_fails (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, RUNNING, { "disk fails", "" }, { "registered 8 term=2", "write" }, { "wait 99", "" },
        { "launch 6", "" }, { "script 5", "" });
  g_assert_true (lk_agent_has_failed (site->agent));
  g_assert_cmpint (site->wake_us, ==, LK_TIME_NEVER);
  PLAY (site, { "disk now", "" }, { "start", "begin 5 epilog; register 2 term=1" });
  g_assert_false (lk_agent_has_failed (site->agent));
}

static void
test_disk_unreadable (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, { "disk reads_fail", "" }, { "start", "" });
  g_assert_null (site->agent);
  site->disk_reads_fail = FALSE;
  PLAY (site, { "start", "register 2 term=0" }, { "registered 7", "write; report@7" });
  for (guint i = 0; i < site->term_file->len; i++) {
    site->term_file->data[i] ^= 1;
    g_assert_false (site_start (site));
    site->term_file->data[i] ^= 1;
  }
  g_assert_true (site_start (site));
  g_byte_array_set_size (site->term_file, site->term_file->len - 1);
  g_assert_false (site_start (site));
  g_byte_array_set_size (site->term_file, 0);
  g_assert_false (site_start (site));
}

/* ---------------------------------------------------------------- who is listened to */

static void
say (AgentSite *site, LkPeerKind kind, const LkMessage *message, gsize cut_bytes)
{
  LkPeer peer = { .kind = kind };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_message_encode (message, bytes);
  lk_agent_message (site->agent, &peer, bytes->data, bytes->len - cut_bytes);
}

static void
test_strangers (void)
{
  static const LkPeerKind strangers[] = { LK_PEER_ANONYMOUS, LK_PEER_USER, LK_PEER_AGENT,
                                          LK_PEER_STANDBY };
  g_autoptr (AgentSite) site = site_new ();
  LkMessage terminate = { .kind = LK_MESSAGE_TERMINATE, .terminate = { 1, 5, 0, 0 } };
  LkMessage journal = { .kind = LK_MESSAGE_JOURNAL, .journal = { .term = 9 } };
  LkMessage reply = { .kind = LK_MESSAGE_REPLY, .reply = { .session = 9 } };
  PLAY (site, RUNNING);
  for (guint i = 0; i < G_N_ELEMENTS (strangers); i++)
    say (site, strangers[i], &terminate, 0);
  say (site, LK_PEER_CONTROLLER, &terminate, 1);
  say (site, LK_PEER_CONTROLLER, &journal, 0);
  say (site, LK_PEER_CONTROLLER, &reply, 0);
  PLAY (site, { "wait 1", "" });
  say (site, LK_PEER_CONTROLLER, &terminate, 0);
  g_assert_cmpstr (site->log->str, ==, "kill 5 18; kill 5 15; kill 5 9");
}

/* ---------------------------------------------------------------- launches */

static void
test_whole_life (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, REGISTERED, { "launch 5", "create 5" }, { "launch 5", "" },
        { "prolog 5", "begin 5 script; started 5" }, { "launch 5", "started 5" },
        { "forget 5", "" }, { "script 5 exit=3 signal=6 cancelled trouble=1", "begin 5 epilog" },
        { "launch 5", "started 5" }, { "forget 5", "" }, { "wait 99", "" });
  PLAY (site, { "epilog 5", "ended 5 exit=3 signal=6 cancelled trouble=1" });
  g_autoptr (GArray) runs = lk_agent_runs (site->agent);
  const LkRunReport *run = &g_array_index (runs, LkRunReport, 0);
  g_assert_cmpuint (runs->len, ==, 1);
  g_assert_cmpuint (run->run_id, ==, 5);
  g_assert_cmpuint (run->job_id, ==, 105);
  g_assert_cmpuint (run->state, ==, LK_RUN_ENDED);
  g_assert_cmpuint (run->exit_code, ==, 3);
  PLAY (site, { "wait 10", "ended 5 exit=3 signal=6 cancelled trouble=1" },
        { "launch 5", "ended 5 exit=3 signal=6 cancelled trouble=1" }, { "forget 5", "forget 5" },
        { "forget 5", "" }, { "launch 5", "" }, { "wait 99", "" });
}

static void
test_other_epochs (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, { "start", REGISTER_1 }, { "launch 5 epoch=0", "write; register 1 term=1" },
        { "launch 5 epoch=0", "" }, { "registered 7", "report@7" }, { "launch 5 epoch=0", "" },
        { "launch 5 epoch=6", "" }, { "launch 5 epoch=8", "" }, { "launch 5 epoch=7", "create 5" });
}

static void
test_runs_in_order (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, REGISTERED, { "launch 9", "create 9" }, { "launch 2", "create 2" },
        { "launch 5", "create 5" }, { "prolog 5", "begin 5 script; started 5" },
        { "registered 8", "report@8 2:prolog 5:running 9:prolog" });
}

static void
test_instant_ports (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, { "ports instant", "" }, REGISTERED,
        { "launch 5 other_nodes", "create 5; begin 5 script; started 5" },
        { "script 5", "begin 5 epilog; ended 5" }, { "forget 5", "forget 5" });
}

static void
test_no_supervisor (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, REGISTERED, { "creates fail", "" }, { "launch 5", "create 5; ended 5 trouble=2" },
        { "creates work", "" }, { "launch 5", "ended 5 trouble=2" },
        { "wait 10", "ended 5 trouble=2" }, { "forget 5", "" }, { "launch 5", "" });
}

static void
test_supervisor_lost (void)
{
  g_autoptr (AgentSite) site = site_new ();
  g_autoptr (AgentSite) late = site_new ();
  LkExit well = { 0 };
  PLAY (site, REGISTERED, { "launch 5", "create 5" }, { "lost 5", "" });
  lk_agent_stage_ended (site->agent, 5, LK_STAGE_PROLOG, &well);
  g_assert_cmpstr (site->log->str, ==, "begin 5 script; ended 5 trouble=2 drain=Supervisor lost");
  PLAY (site, { "forget 5", "" });
  LkExit killed = { .signal = 9 };
  PLAY (late, OTHERS_TOO, { "lost 5", "" });
  lk_agent_stage_ended (late->agent, 5, LK_STAGE_SCRIPT, &killed);
  g_assert_cmpstr (late->log->str, ==, "begin 5 epilog; ended 5 signal=9 drain=Supervisor lost");
  PLAY (late, { "forget 5", "" });
}

/* ---------------------------------------------------------------- prolog and epilog */

static void
test_bad_prolog (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, REGISTERED, { "launch 5 other_nodes", "create 5" },
        { "prolog 5 exit=1", "begin 5 epilog" }, { "launch 5", "" },
        { "epilog 5", "ended 5 trouble=4 drain=Prolog error" },
        /* The report has no room for the drain; so it does not say that all is told. */
        { "registered 8", "report@8 5:epilog" }, { "reported 8", "" },
        { "wait 10", "ended 5 trouble=4 drain=Prolog error" }, { "forget 5", "forget 5" });
}

static void
test_bad_epilog (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, RUNNING, { "script 5 exit=2", "begin 5 epilog" },
        { "epilog 5 signal=9", "ended 5 exit=2 drain=Epilog error" }, { "launch 6", "create 6" },
        { "prolog 6 signal=9", "begin 6 epilog" },
        { "epilog 6 exit=1", "ended 6 trouble=4 drain=Prolog error" });
}

/* It is no fault of the prolog, and no reason to hold the job. */
static void
test_unbegun_prolog (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, REGISTERED, { "launch 5", "create 5" }, { "prolog 5 trouble=2", "begin 5 epilog" },
        { "epilog 5 trouble=2", "ended 5 trouble=2 drain=Supervisor cannot start" },
        { "forget 5", "forget 5" }, { "launch 6", "create 6" },
        { "prolog 6", "begin 6 script; started 6" }, { "script 6", "begin 6 epilog" },
        { "epilog 6 trouble=2", "ended 6 drain=Supervisor cannot start" });
}

/* Told with each heartbeat, the first one at once, as long as it is so. */
static void
test_stuck (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, RUNNING, { "terminate 5 wait=25", "kill 5 18; kill 5 15" },
        { "stuck 5", "heartbeat@7 drain=Kill task failed" }, { "stuck 5", "" }, { "stuck 6", "" },
        { "registered 8 heartbeat=20", "report@8 5:running" }, { "reported 8", "" },
        { "wait 20", "heartbeat@8 drain=Kill task failed" }, { "wait 5", "kill 5 9" },
        { "script 5 signal=9", "begin 5 epilog" }, { "epilog 5", "ended 5 signal=9" },
        { "forget 5", "forget 5" }, { "wait 15", "heartbeat@8" }, { "stuck 5", "" },
        { "launch 6", "create 6" },
        { "stuck 6 disk", "heartbeat@8 drain=Run state cannot be written" });
}

/* ---------------------------------------------------------------- several nodes */

static void
test_script_ended (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, OTHERS_TOO, { "script 5", "begin 5 epilog; script_ended 5" },
        { "wait 10", "script_ended 5" }, { "launch 5", "started 5; script_ended 5" },
        { "epilog 5", "ended 5" }, { "wait 10", "ended 5" }, { "forget 5", "forget 5" },
        { "wait 99", "" });
}

static void
test_node_without_script (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, REGISTERED, { "launch 5 other_nodes no_script", "create 5" },
        { "prolog 5", "begin 5 script; started 5" }, { "wait 500", "" },
        { "signal 5 1 10 batch", "heard 5 #1" }, { "signal 5 2 10", "kill 5 10; heard 5 #2" },
        { "terminate 5", "kill 5 18; kill 5 15" }, { "script 5 signal=15", "begin 5 epilog" },
        { "epilog 5", "ended 5 signal=15" });
}

/* ---------------------------------------------------------------- to the end */

static void
test_terminate (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, RUNNING, { "terminate 5 wait=25 why=1", "kill 5 18; kill 5 15 why 1" },
        { "wait 20", "" }, { "terminate 5 wait=25", "" }, { "wait 4", "" },
        { "wait 1", "kill 5 9" },
        /* It does not die: nothing is told, and it is killed again and again. */
        { "wait 9", "" }, { "wait 1", "kill 5 9" }, { "wait 30", "kill 5 9; kill 5 9; kill 5 9" },
        { "terminate 5 wait=25", "" }, { "script 5 signal=9", "begin 5 epilog" }, { "wait 99", "" },
        { "terminate 5", "" }, { "epilog 5", "ended 5 signal=9" },
        { "terminate 5", "ended 5 signal=9" }, { "forget 5", "forget 5" });
}

static void
test_terminate_sooner (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, RUNNING, { "terminate 5 wait=100", "kill 5 18; kill 5 15" }, { "wait 20", "" },
        { "terminate 5 wait=2", "" }, { "wait 2", "kill 5 9" }, { "script 5", "begin 5 epilog" },
        { "launch 6", "create 6" }, { "prolog 6", "begin 6 script; started 6" },
        { "terminate 6 wait=0", "kill 6 18; kill 6 15; kill 6 9" });
  LkMessage backwards = { .kind = LK_MESSAGE_TERMINATE,
                          .terminate = { 1, 7, /* kill_wait_us= */ G_MININT64, 0 } };
  PLAY (site, { "launch 7", "create 7" }, { "prolog 7", "begin 7 script; started 7" });
  site_message (site, &backwards);
  g_assert_cmpstr (site->log->str, ==, "begin 7 script; started 7; kill 7 18; kill 7 15; kill 7 9");
}

static void
test_terminate_in_prolog (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, REGISTERED, { "launch 5 other_nodes", "create 5" }, { "terminate 5 wait=0", "" },
        { "wait 99", "" }, { "signal 5 40 10", "heard 5 #40" }, { "suspend 5 41", "heard 5 #41" },
        { "prolog 5", "begin 5 epilog" }, { "epilog 5", "ended 5 signal=15" });
}

static void
test_terminate_unknown (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, { "start", REGISTER_1 }, { "terminate 5", "write; register 1 term=1" },
        { "registered 7", "report@7" }, { "terminate 5", "" }, { "terminate 4", "" },
        { "reported 7", "" }, { "launch 4", "create 4" }, { "terminate 5", "ended 5 unknown" },
        { "terminate 5", "ended 5 unknown" }, { "launch 5", "" },
        { "signal 5 40 10", "heard 5 #40" }, { "suspend 5 41", "heard 5 #41" },
        { "signal 6 40 10", "" }, { "suspend 6 41", "" }, { "terminate 0", "" },
        /* Of another registration it is another word. */
        { "registered 8", "report@8 4:prolog" }, { "launch 5", "create 5" });
}

static void
test_past_is_bounded (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, REGISTERED);
  for (guint64 run_id = 10; run_id < 10 + 65537; run_id++) {
    LkMessage terminate = { .kind = LK_MESSAGE_TERMINATE, .terminate = { 1, run_id, 0, 0 } };
    site_message (site, &terminate);
    g_ptr_array_set_size (site->sent, 0);
    g_string_truncate (site->log, 0);
  }
  PLAY (site, { "launch 65546 epoch=7", "" }, { "launch 10 epoch=7", "" },
        { "launch 9 epoch=7", "" }, { "launch 65547 epoch=7", "create 65547" },
        { "registered 8", "report@8 65547:prolog" }, { "launch 9", "create 9" });
}

/* ---------------------------------------------------------------- signals, stop and continue */

static void
test_signals (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, REGISTERED, { "launch 5", "create 5" }, { "signal 5 1 10", "" }, /* comes again */
        { "prolog 5", "begin 5 script; started 5" }, { "signal 5 1 10 epoch=6", "" },
        { "signal 5 1 10", "kill 5 10; heard 5 #1" }, { "signal 5 1 10", "heard 5 #1" },
        { "signal 5 2 12 batch", "kill 5 12 batch; heard 5 #2" }, { "signal 5 1 10", "heard 5 #1" },
        { "signal 5 3 0", "heard 5 #3" }, { "signal 5 4 65", "heard 5 #4" },
        { "signal 5 5 64", "kill 5 64; heard 5 #5" }, { "signal 5 6 10 steps", "heard 5 #6" },
        { "script 5", "begin 5 epilog" }, { "signal 5 7 10", "heard 5 #7" },
        { "epilog 5", "ended 5" }, { "signal 5 7 10", "heard 5 #7" }, { "forget 5", "forget 5" },
        { "signal 5 8 10", "heard 5 #8" }, { "registered 8", "report@8" }, { "signal 5 8 10", "" });
}

static void
test_suspend (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, RUNNING, { "suspend 5 1", "kill 5 19; heard 5 #1" }, { "suspend 5 1", "heard 5 #1" },
        { "resume 5 2", "kill 5 18; heard 5 #2" }, { "suspend 5 1", "heard 5 #1" }, /* late */
        { "suspend 5 3", "kill 5 19; heard 5 #3" }, { "signal 5 4 10", "kill 5 10; heard 5 #4" },
        { "resume 5 5 epoch=6", "" }, { "terminate 5", "kill 5 18; kill 5 15" },
        { "suspend 5 6", "heard 5 #6" }, { "script 5", "begin 5 epilog" },
        { "resume 5 7", "heard 5 #7" });
}

static void
test_suspend_in_prolog (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, REGISTERED, { "launch 5", "create 5" }, { "suspend 5 1", "" },
        { "prolog 5", "begin 5 script; kill 5 19; heard 5 #1; started 5" },
        { "suspend 5 1", "heard 5 #1" }, { "launch 6", "create 6" }, { "suspend 6 1", "" },
        { "resume 6 2", "" }, { "prolog 6", "begin 6 script; heard 6 #2; started 6" });
}

/* An order from before the agent's restart could be one that others came behind. */
static void
test_orders_behind_a_restart (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, RUNNING, { "suspend 5 1", "kill 5 19; heard 5 #1" },
        { "resume 5 2", "kill 5 18; heard 5 #2" }, { "crash", "" },
        { "start", "register 2 term=1" }, { "suspend 5 1", "" },
        { "registered 8", "report@8 5:running" }, { "reported 8", "" },
        { "suspend 5 1 epoch=7", "" }, { "signal 5 3 10", "kill 5 10; heard 5 #3" });
}

/* ---------------------------------------------------------------- taking over */

static void
test_take_over_prolog (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, REGISTERED, { "launch 5", "create 5" }, { "crash", "" },
        { "start", "register 2 term=1" }, { "registered 8", "report@8 5:prolog" },
        { "launch 5 epoch=7", "" }, { "prolog 5", "begin 5 script" }, { "launch 5", "started 5" },
        { "crash", "" }, { "launch 6", "" }, { "start", "register 3 term=1" },
        { "registered 9", "report@9 5:running" }, { "reported 9", "" },
        { "launch 5", "started 5" });
  g_autoptr (AgentSite) dead = site_new ();
  PLAY (dead, REGISTERED, { "launch 5", "create 5" }, { "launch 6", "create 6" }, { "crash", "" },
        { "prolog 5", "" }, { "prolog 6 exit=1", "" },
        { "start", "begin 5 script; begin 6 epilog; register 2 term=1" });
  /* What was found there is told as well. */
  g_string_truncate (dead->log, 0);
  LkExit bad = { .exit_code = 1 };
  lk_agent_stage_ended (dead->agent, 6, LK_STAGE_PROLOG, &bad);
  lk_agent_stage_ended (dead->agent, 5, LK_STAGE_PROLOG, &(LkExit){ 0 });
  lk_agent_stage_ended (dead->agent, 7, LK_STAGE_PROLOG, &bad);
  g_assert_cmpstr (dead->log->str, ==, "");
  PLAY (dead, { "crash", "" }, { "epilog 6", "" }, { "start", "register 3 term=1" },
        { "registered 8", "report@8 5:running 6:epilog" },
        { "reported 8", "ended 6 trouble=4 drain=Prolog error" });
}

static void
test_take_over_script (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, RUNNING, { "crash", "" }, { "script 5 exit=3", "" },
        { "start", "begin 5 epilog; register 2 term=1" }, { "registered 8", "report@8 5:epilog" },
        { "reported 8", "script_ended 5" }, /* whether it has other nodes is not known here */
        { "crash", "" }, { "start", "register 3 term=1" }, { "registered 9", "report@9 5:epilog" },
        { "reported 9", "script_ended 5" }, { "epilog 5", "ended 5 exit=3" }, { "crash", "" },
        { "start", "register 4 term=1" }, { "registered 10", "report@10 5:ended" },
        { "reported 10", "ended 5 exit=3" }, { "forget 5", "forget 5" }, { "crash", "" },
        { "start", "register 5 term=1" }, { "registered 11", "report@11" });
}

static void
test_take_over_epilog (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, RUNNING, { "script 5 signal=11", "begin 5 epilog" }, { "crash", "" },
        { "epilog 5 exit=1", "" }, { "start", "register 2 term=1" },
        { "registered 8", "report@8 5:epilog" },
        { "reported 8", "ended 5 signal=11 drain=Epilog error" });
}

/* What a dead agent knew of the end of its runs, its controller says again. */
static void
test_take_over_terminated (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, RUNNING, { "terminate 5", "kill 5 18; kill 5 15" }, { "crash", "" },
        { "wait 50", "" }, { "start", "register 2 term=1" },
        { "registered 8", "report@8 5:running" }, { "terminate 5", "kill 5 18; kill 5 15" },
        { "wait 29", "report@8 5:running; report@8 5:running" },
        { "wait 1", "report@8 5:running; kill 5 9" });
}

static void
test_reboot (void)
{
  g_autoptr (AgentSite) site = site_new ();
  PLAY (site, RUNNING, { "launch 6", "create 6" }, { "prolog 6", "begin 6 script; started 6" },
        { "script 6 exit=3", "begin 6 epilog" }, { "reboot", "" }, { "start", "register 2 term=1" },
        { "registered 8", "report@8 5:lost 6:ended" }, { "reported 8", "lost 5; ended 6 exit=3" },
        { "launch 5", "lost 5" }, { "terminate 5", "lost 5" }, { "signal 5 1 10", "heard 5 #1" },
        { "forget 6", "forget 6" }, { "wait 10", "lost 5" }, { "forget 5", "forget 5" },
        { "launch 5", "" });
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*test) (void);
  } tests[] = {
    { "registers in two steps, each repeated until it is answered", test_registers },
    { "reports what the node has", test_hardware },
    { "takes a new epoch and no late one", test_new_epoch },
    { "says at once where it stands when the controller can be reached", test_connected },
    { "hears of each reload once", test_reload },
    { "sends heartbeats also when told no interval", test_heartbeat_of_nothing },
    { "acts on a higher term only when it is durable", test_term_waits },
    { "registers again under a higher term", test_term_ends_registration },
    { "knows the term after a restart", test_term_survives },
    { "reports a term with its proof", test_term_proof },
    { "says nothing more when the disk has failed", test_disk_fails },
    { "does not start on a disk that it cannot read", test_disk_unreadable },
    { "listens to controllers only", test_strangers },
    { "begins a run once and tells its end until told to forget", test_whole_life },
    { "drops launches of other epochs", test_other_epochs },
    { "reports runs in order", test_runs_in_order },
    { "lets ports call back at once", test_instant_ports },
    { "tells when no supervisor can be made", test_no_supervisor },
    { "tells when a supervisor is gone", test_supervisor_lost },
    { "runs no script behind a bad prolog", test_bad_prolog },
    { "drains behind a bad epilog", test_bad_epilog },
    { "tells of processes that do not die", test_stuck },
    { "tells a prolog apart that nobody could begin", test_unbegun_prolog },
    { "tells that a script has ended", test_script_ended },
    { "waits without a script for a terminate", test_node_without_script },
    { "kills what does not end, again and again", test_terminate },
    { "kills sooner when told so", test_terminate_sooner },
    { "lets a prolog end that nobody wants any more", test_terminate_in_prolog },
    { "knows of no run, and does not begin it later", test_terminate_unknown },
    { "remembers a bounded number of runs", test_past_is_bounded },
    { "sends a signal once", test_signals },
    { "stops and continues as the latest says", test_suspend },
    { "stops a script that has not begun", test_suspend_in_prolog },
    { "drops orders from before a restart", test_orders_behind_a_restart },
    { "takes over a prolog", test_take_over_prolog },
    { "takes over a script", test_take_over_script },
    { "takes over an epilog", test_take_over_epilog },
    { "takes over what was being ended", test_take_over_terminated },
    { "finds what was lost in a boot", test_reboot },
  };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++) {
    g_autofree char *path = g_strconcat ("/agent/", tests[i].name, NULL);
    g_test_add_func (path, tests[i].test);
  }
  return g_test_run ();
}
