/* tests/live/port_process_sim_test.c — simulated processes end, take signals, stand still and
 * vanish as they should. */
#include "engine/policy.h"
#include "live/port/port_process_sim.h"

#define SECOND_US G_GINT64_CONSTANT (1000000)
#define ALWAYS 1000000u

static void
run_world (LkWorld *world, gint64 until_us)
{
  while (lk_world_next_us (world) <= until_us)
    lk_world_step (world);
}

typedef struct {
  LkWorld *world;
  LkProcessSim *process;
  LkPortProcess port;
  LkProcessSimPlan plan;
  GString *text; /* what was told */
} Node;

static void
plan_run (gpointer user, const char *node, const LkMessage_launch *launch, LkProcessSimPlan *plan)
{
  g_assert_cmpstr (node, ==, "n1");
  g_assert_cmpuint (launch->job_id, ==, 3);
  *plan = ((Node *)user)->plan;
}

static void
stage_ended (gpointer user, guint64 run_id, LkStage stage, const LkExit *how)
{
  Node *self = user;
  g_string_append_printf (self->text, "%" G_GINT64_FORMAT ":%" G_GUINT64_FORMAT ".%d=%u/%u ",
                          lk_world_now_us (self->world), run_id, (int)stage, how->exit_code,
                          how->signal);
}

static void
run_begun (gpointer user, const LkProcessSimRun *run)
{
  g_assert_cmpint (run->end_us, ==, LK_TIME_NEVER);
  g_string_append_printf (((Node *)user)->text, "begun:%s ", run->cores);
}

static void
run_over (gpointer user, const LkProcessSimRun *run)
{
  g_string_append_printf (((Node *)user)->text, "over:%" G_GINT64_FORMAT " ", run->end_us);
}

static void
node_init (Node *self, const LkProcessSimPlan *plan)
{
  static const LkProcessSimHooks hooks = {
    .plan = plan_run, .ended = stage_ended, .begun = run_begun, .over = run_over
  };
  *self = (Node){ .world = lk_world_new (1, 0), .plan = *plan, .text = g_string_new (NULL) };
  self->process = lk_process_sim_new (self->world, "n1", &hooks, self, self);
  self->port = lk_process_sim_port (self->process);
  lk_process_sim_open (self->process);
}

static void
node_clear (Node *self)
{
  lk_world_free (self->world);
  lk_process_sim_free (self->process);
  g_string_free (self->text, TRUE);
}

static gboolean
create_run (Node *self, guint64 run_id, gboolean runs_script)
{
  LkMessage_launch launch = { .run_id = run_id, .job_id = 3, .runs_script = runs_script ? 1 : 0 };
  launch.cores = (LkLongText){ "n1=0", 4 };
  return self->port.ops->create (self->port.self, &launch);
}

static void
begin_stage (Node *self, guint64 run_id, LkStage stage)
{
  g_assert_true (self->port.ops->begin (self->port.self, run_id, stage));
}

static void
send_signal (Node *self, guint8 signal, gboolean batch_only)
{
  self->port.ops->signal (self->port.self, 9, signal, batch_only, /* why= */ 0);
}

static void
assert_told (Node *self, gint64 until_us, const char *expected)
{
  run_world (self->world, until_us);
  g_assert_cmpstr (self->text->str, ==, expected);
  g_string_truncate (self->text, 0);
}

/* Lets the time be a moment. */
static void
nothing (gpointer user, gpointer data)
{
  (void)user;
  (void)data;
}

static void
wait_until (Node *self, gint64 until_us)
{
  lk_world_at (self->world, until_us, nothing, NULL, NULL, NULL);
  run_world (self->world, until_us);
}

static void
count_run (void *user, const LkSupervised *run)
{
  LkSupervised *last = user;
  g_assert_cmpuint (run->run_id, >, last->run_id);
  *last = *run;
}

static void
test_process_stages (void)
{
  Node node;
  LkProcessSimPlan plan = { .prolog_us = 10, .script_us = 100, .epilog_us = 5 };
  LkSupervised last = { 0 };
  plan.script.exit_code = 4;
  node_init (&node, &plan);
  g_assert_true (create_run (&node, 9, TRUE));
  g_assert_false (create_run (&node, 9, TRUE));
  g_assert_cmpuint (lk_process_sim_double_count (node.process), ==, 1);
  assert_told (&node, 10, "begun:n1=0 10:9.1=0/0 ");
  begin_stage (&node, 9, LK_STAGE_SCRIPT);
  wait_until (&node, 50);
  lk_process_sim_close (node.process); /* the agent dies, and nobody hears of the end */
  assert_told (&node, 1000, "");
  lk_process_sim_open (node.process);
  g_assert_true (create_run (&node, 4, TRUE));
  node.port.ops->list (node.port.self, count_run, &last);
  g_assert_cmpuint (last.run_id, ==, 9);
  g_assert_true (last.has_ended);
  g_assert_cmpint (last.stage, ==, LK_STAGE_SCRIPT);
  g_assert_cmpuint (last.script.exit_code, ==, 4);
  g_string_truncate (node.text, 0);
  begin_stage (&node, 9, LK_STAGE_EPILOG);
  assert_told (&node, 1000, "over:115 115:9.3=0/0 120:4.1=0/0 ");
  node.port.ops->forget (node.port.self, 9);
  g_assert_cmpuint (lk_process_sim_count (node.process), ==, 1);
  g_assert_false (node.port.ops->begin (node.port.self, 9, LK_STAGE_EPILOG));
  node_clear (&node);
}

static void
test_process_signals (void)
{
  Node node;
  LkProcessSimPlan plan = { .script_us = 1000, .term_us = 7, .kill_us = 20 };
  node_init (&node, &plan);
  create_run (&node, 9, TRUE);
  run_world (node.world, 0);
  begin_stage (&node, 9, LK_STAGE_SCRIPT);
  g_string_truncate (node.text, 0);
  send_signal (&node, 10, FALSE);
  assert_told (&node, 0, "");
  wait_until (&node, 100);
  send_signal (&node, 15, FALSE);
  assert_told (&node, 200, "107:9.2=0/15 ");
  node_clear (&node);

  plan.ignores_term = TRUE;
  node_init (&node, &plan);
  create_run (&node, 9, TRUE);
  run_world (node.world, 0);
  begin_stage (&node, 9, LK_STAGE_SCRIPT);
  g_string_truncate (node.text, 0);
  send_signal (&node, 15, FALSE);
  assert_told (&node, 500, "");
  wait_until (&node, 500);
  send_signal (&node, 9, FALSE);
  wait_until (&node, 510);
  send_signal (&node, 9, FALSE); /* dies no later for it */
  assert_told (&node, 900, "520:9.2=0/9 ");
  node_clear (&node);
}

static void
test_process_stops (void)
{
  Node node;
  LkProcessSimPlan plan = { .script_us = 100 };
  node_init (&node, &plan);
  create_run (&node, 9, TRUE);
  run_world (node.world, 0);
  begin_stage (&node, 9, LK_STAGE_SCRIPT);
  g_string_truncate (node.text, 0);
  wait_until (&node, 40);
  send_signal (&node, 19, FALSE);
  wait_until (&node, 500);
  send_signal (&node, 18, FALSE);
  assert_told (&node, 1000, "560:9.2=0/0 ");
  node_clear (&node);

  node_init (&node, &plan); /* what is stopped takes SIGTERM when it goes on, SIGKILL at once */
  create_run (&node, 9, TRUE);
  run_world (node.world, 0);
  begin_stage (&node, 9, LK_STAGE_SCRIPT);
  g_string_truncate (node.text, 0);
  send_signal (&node, 19, FALSE);
  send_signal (&node, 15, FALSE);
  wait_until (&node, 1000);
  assert_told (&node, 1000, "");
  send_signal (&node, 18, FALSE);
  assert_told (&node, 1000, "1000:9.2=0/15 ");
  node_clear (&node);
}

/* Where the script does not run, its stage lasts until it is ended. */
static void
test_process_without_script (void)
{
  Node node;
  LkProcessSimPlan plan = { .script_us = 100 };
  node_init (&node, &plan);
  create_run (&node, 9, FALSE);
  run_world (node.world, 0);
  begin_stage (&node, 9, LK_STAGE_SCRIPT);
  g_string_truncate (node.text, 0);
  wait_until (&node, SECOND_US);
  send_signal (&node, 9, TRUE); /* is for the script only */
  assert_told (&node, SECOND_US, "");
  send_signal (&node, 9, FALSE);
  assert_told (&node, SECOND_US, "1000000:9.2=0/9 ");
  node_clear (&node);
}

static void
test_process_boot (void)
{
  Node node;
  LkProcessSimPlan plan = { .script_us = 100 };
  LkSupervised last = { 0 };
  node_init (&node, &plan);
  create_run (&node, 9, TRUE);
  run_world (node.world, 0);
  begin_stage (&node, 9, LK_STAGE_SCRIPT);
  g_string_truncate (node.text, 0);
  wait_until (&node, 30);
  lk_process_sim_close (node.process);
  lk_process_sim_boot (node.process);
  lk_process_sim_open (node.process);
  assert_told (&node, 1000, "over:30 ");
  node.port.ops->list (node.port.self, count_run, &last);
  g_assert_cmpuint (last.run_id, ==, 9);
  g_assert_true (last.is_lost);
  g_assert_false (node.port.ops->begin (node.port.self, 9, LK_STAGE_EPILOG));
  send_signal (&node, 9, FALSE);
  assert_told (&node, 2000, "");
  node.port.ops->forget (node.port.self, 9);
  g_assert_cmpuint (lk_process_sim_count (node.process), ==, 0);
  lk_process_sim_set_faults (node.process, ALWAYS);
  g_assert_false (create_run (&node, 10, TRUE));
  node_clear (&node);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/process/stages end as planned, heard or not", test_process_stages);
  g_test_add_func ("/process/signals end a run, or not", test_process_signals);
  g_test_add_func ("/process/a stopped run stands still", test_process_stops);
  g_test_add_func ("/process/a node without the script waits", test_process_without_script);
  g_test_add_func ("/process/a boot loses all runs, and forgets none", test_process_boot);
  return g_test_run ();
}
