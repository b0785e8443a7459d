/* tests/live/agent_storm_test.c — an agent, a small controller and bad luck, from a seed.
 *
 * Messages are lost, doubled and overtaken, the agent and the controller die at any point, the disk
 * is slow, scripts end or have to be killed.  The controller here knows only what it must: which
 * runs it wants begun, which ended, and what it was told.  When the faults stop, every run must
 * have been begun once at most, and each end that was told must be the true one.  What must hold at
 * every step is checked by the site (agent_site.h) and by lk_agent_check. */
#include <string.h>

#include "tests/engine/seed.h"
#include "tests/live/agent_site.h"

#define SEEDS 400u
#define STEPS 400u
#define RUNS 6u

typedef enum {
  WAITING,  /* not launched in this epoch */
  LAUNCHED, /* and not answered */
  LIVES,
  GONE,
} Stage;

typedef struct {
  Stage stage;
  gboolean is_wanted_gone; /* it is being terminated */
  gboolean was_told;       /* its end, by one who knew of it */
  LkExit script;           /* how its script will end by itself */
  guint64 order_seq;       /* the last signal */
  guint64 heard_seq;       /* acknowledged */
} Run;

typedef struct {
  AgentSite *site;
  Seed seed;
  gboolean has_faults;
  GPtrArray *to_agent; /* of GByteArray */
  GPtrArray *to_controller;
  guint64 term;
  guint64 epoch_last;
  guint64 epoch; /* 0: it knows no agent */
  guint64 agent_id;
  gboolean is_ready;
  Run runs[RUNS]; /* run_id - 1 */
} Storm;

static gboolean
happens (Storm *self, guint32 one_in)
{
  return self->has_faults && seed_below (&self->seed, one_in) == 0;
}

static void
put (Storm *self, GPtrArray *queue, const LkMessage *message)
{
  guint copies = happens (self, 5) ? 0 : happens (self, 5) ? 2 : 1;
  for (guint i = 0; i < copies; i++) {
    GByteArray *bytes = g_byte_array_new ();
    lk_message_encode (message, bytes);
    g_ptr_array_add (queue, bytes);
  }
}

/* ---------------------------------------------------------------- the controller */

static Run *
run_of (Storm *self, guint64 run_id)
{
  g_assert_cmpuint (run_id, >=, 1);
  g_assert_cmpuint (run_id, <=, RUNS);
  return &self->runs[run_id - 1];
}

static void
offer (Storm *self, guint64 agent_id)
{
  if (self->epoch == 0 || self->agent_id != agent_id) {
    self->agent_id = agent_id;
    self->epoch = ++self->epoch_last;
    self->is_ready = FALSE;
  }
  LkMessage message = { .kind = LK_MESSAGE_REGISTERED,
                        .registered = { self->term, agent_id, self->epoch, 7 * G_USEC_PER_SEC, 0,
                                        0 } };
  put (self, self->to_agent, &message);
}

static void
forget_run (Storm *self, guint64 run_id)
{
  LkMessage message = { .kind = LK_MESSAGE_RUN_FORGET, .run_forget = { self->term, run_id } };
  put (self, self->to_agent, &message);
}

/* Who was launched and is not there was never begun, or its end is known. */
static void
take_report (Storm *self, const LkMessage_report *report)
{
  LkMessage reported = { .kind = LK_MESSAGE_REPORTED, .reported = { self->term, self->epoch } };
  if (report->epoch != self->epoch || report->agent_id != self->agent_id)
    return;
  put (self, self->to_agent, &reported);
  if (self->is_ready)
    return;
  self->is_ready = TRUE;
  gboolean is_there[RUNS] = { FALSE };
  LkRuns runs = report->runs;
  LkRunReport run;
  while (lk_run_report_next (&runs, &run)) {
    is_there[run.run_id - 1] = TRUE;
    if (run.state == LK_RUN_LOST) {
      run_of (self, run.run_id)->stage = GONE;
      run_of (self, run.run_id)->was_told = TRUE;
      forget_run (self, run.run_id);
    } else if (run_of (self, run.run_id)->stage != GONE) {
      run_of (self, run.run_id)->stage = LIVES;
    }
  }
  for (guint i = 0; i < RUNS; i++) {
    if (is_there[i])
      continue;
    /* What lives is not lost by an agent. */
    g_assert_cmpint (self->runs[i].stage, !=, LIVES);
    if (self->runs[i].stage == LAUNCHED)
      self->runs[i].stage = self->runs[i].is_wanted_gone ? GONE : WAITING;
  }
}

static void
take_ended (Storm *self, const LkMessage_run_ended *ended)
{
  Run *run = run_of (self, ended->run_id);
  if (ended->job_id != 0) {
    const LkSupervised *supervised = site_supervised (self->site, ended->run_id);
    g_assert_true (supervised != NULL || run->stage == GONE);
    if (supervised != NULL)
      g_assert_cmpuint (ended->exit_code, ==, supervised->script.exit_code);
    run->was_told = TRUE;
  }
  run->stage = GONE;
  forget_run (self, ended->run_id);
}

static void
controller_hears (Storm *self, const LkMessage *message)
{
  switch (message->kind) {
  case LK_MESSAGE_REGISTER:
    offer (self, message->register_node.agent_id);
    break;
  case LK_MESSAGE_REPORT:
    take_report (self, &message->report);
    break;
  case LK_MESSAGE_HEARTBEAT:
    if (message->heartbeat.epoch != self->epoch || message->heartbeat.agent_id != self->agent_id) {
      self->epoch = 0;
      offer (self, message->heartbeat.agent_id);
    }
    break;
  case LK_MESSAGE_RUN_STARTED:
    if (self->is_ready && message->run_started.epoch == self->epoch
        && run_of (self, message->run_started.run_id)->stage == LAUNCHED)
      run_of (self, message->run_started.run_id)->stage = LIVES;
    break;
  case LK_MESSAGE_RUN_ENDED:
    if (self->is_ready && message->run_ended.epoch == self->epoch)
      take_ended (self, &message->run_ended);
    break;
  case LK_MESSAGE_RUN_HEARD:
    if (self->is_ready && message->run_heard.epoch == self->epoch)
      run_of (self, message->run_heard.run_id)->heard_seq = message->run_heard.seq;
    break;
  default:
    break;
  }
}

/* Says again whatever is not answered. */
static void
controller_repeats (Storm *self)
{
  for (guint i = 0; i < RUNS; i++) {
    Run *run = &self->runs[i];
    LkMessage launch = { .kind = LK_MESSAGE_LAUNCH,
                         .launch = { .term = self->term,
                                     .epoch = self->epoch,
                                     .run_id = i + 1,
                                     .job_id = 100 + i,
                                     .runs_script = i % 2 == 0 } };
    LkMessage terminate = { .kind = LK_MESSAGE_TERMINATE,
                            .terminate = { self->term, i + 1, 3 * G_USEC_PER_SEC, 0 } };
    LkMessage order = { .kind = LK_MESSAGE_RUN_SIGNAL,
                        .run_signal = { self->term, self->epoch, i + 1, run->order_seq, 10, 0 } };
    if (!self->is_ready || run->stage == GONE)
      continue;
    if (run->stage == WAITING && run->is_wanted_gone)
      run->stage = GONE;
    else if (run->is_wanted_gone)
      put (self, self->to_agent, &terminate);
    else if (run->stage == LIVES && run->order_seq > run->heard_seq)
      put (self, self->to_agent, &order);
    else if (run->stage != LIVES) {
      run->stage = LAUNCHED;
      put (self, self->to_agent, &launch);
    }
  }
}

/* ---------------------------------------------------------------- what happens */

static void
collect (Storm *self)
{
  for (guint i = 0; i < self->site->sent->len; i++) {
    const GByteArray *bytes = g_ptr_array_index (self->site->sent, i);
    LkMessage message;
    gboolean is_good = lk_message_decode (bytes->data, bytes->len, &message);
    g_assert_true (is_good);
    put (self, self->to_controller, &message);
  }
  g_ptr_array_set_size (self->site->sent, 0);
}

/* Any message of a queue comes, or the first one. */
static void
deliver (Storm *self, GPtrArray *queue)
{
  if (queue->len == 0)
    return;
  guint index = self->has_faults ? seed_below (&self->seed, MIN (queue->len, 6)) : 0;
  g_autoptr (GByteArray) bytes = g_ptr_array_steal_index (queue, index);
  LkMessage message;
  gboolean is_good = lk_message_decode (bytes->data, bytes->len, &message);
  g_assert_true (is_good);
  if (queue == self->to_agent)
    site_message (self->site, &message);
  else
    controller_hears (self, &message);
}

static void
stage_ends (Storm *self)
{
  static const LkExit well;
  LkExit killed = { .signal = 9 };
  guint64 run_id = 1 + seed_below (&self->seed, RUNS);
  Run *run = run_of (self, run_id);
  /* Some scripts end only when they are killed. */
  gboolean is_stubborn = run_id % 3 == 0;
  killed.exit_code = run->script.exit_code;
  site_stage_ends (self->site, run_id, LK_STAGE_PROLOG, &well);
  if (!is_stubborn || run->is_wanted_gone)
    site_stage_ends (self->site, run_id, LK_STAGE_SCRIPT, is_stubborn ? &killed : &run->script);
  site_stage_ends (self->site, run_id, LK_STAGE_EPILOG, &well);
}

static void
agent_dies (Storm *self)
{
  site_crash (self->site, seed_below (&self->seed, 2) == 0);
  if (seed_below (&self->seed, 4) == 0)
    site_reboot (self->site);
  if (seed_below (&self->seed, 2) == 0)
    stage_ends (self);
  g_assert_true (site_start (self->site));
}

/* What it knows of runs is durable, but not who is registered. Sometimes another one comes, which
 * has a higher term. */
static void
controller_dies (Storm *self)
{
  self->epoch = 0;
  self->is_ready = FALSE;
  if (seed_below (&self->seed, 3) == 0)
    self->term++;
}

static void
step (Storm *self)
{
  switch (seed_below (&self->seed, 10)) {
  case 0:
    site_wait (self->site, seed_between (&self->seed, 0, 12 * G_USEC_PER_SEC));
    controller_repeats (self);
    break;
  case 1:
    stage_ends (self);
    break;
  case 2:
    site_disk_done (self->site, TRUE);
    break;
  case 3:
    if (happens (self, 3))
      agent_dies (self);
    else if (happens (self, 4))
      controller_dies (self);
    else if (happens (self, 2))
      run_of (self, 1 + seed_below (&self->seed, RUNS))->is_wanted_gone = TRUE;
    break;
  case 4:
    if (happens (self, 4)) {
      Run *run = run_of (self, 1 + seed_below (&self->seed, RUNS));
      run->order_seq += run->order_seq == run->heard_seq;
    }
    break;
  default:
    deliver (self, seed_below (&self->seed, 2) == 0 ? self->to_agent : self->to_controller);
  }
  collect (self);
  lk_agent_check (self->site->agent);
  g_string_truncate (self->site->log, 0);
}

static void
check_end (const Storm *self)
{
  g_autoptr (GArray) left = lk_agent_runs (self->site->agent);
  g_assert_cmpuint (left->len, ==, 0);
  g_assert_cmpuint (self->site->supervised->len, ==, 0);
  g_assert_true (lk_agent_is_registered (self->site->agent));
  g_assert_cmpuint (lk_agent_term (self->site->agent), ==, self->term);
  for (guint i = 0; i < RUNS; i++) {
    guint count = site_created_count (self->site, i + 1);
    g_assert_cmpint (self->runs[i].stage, ==, GONE);
    g_assert_cmpuint (count, <=, 1);
    /* Who was begun has had its end told; who was not wanted gone was begun. */
    g_assert_cmpint (self->runs[i].was_told, ==, count == 1);
  }
}

static void
run_storm (guint64 seed)
{
  g_autoptr (AgentSite) site = site_new ();
  g_autoptr (GPtrArray) to_agent =
      g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  g_autoptr (GPtrArray) to_controller =
      g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  Storm self = { .site = site,
                 .seed = { seed },
                 .has_faults = TRUE,
                 .to_agent = to_agent,
                 .to_controller = to_controller,
                 .term = 1 };
  site->disk = SITE_DISK_LATER;
  for (guint i = 0; i < RUNS; i++)
    self.runs[i].script.exit_code = (guint8)(i * 7);
  g_assert_true (site_start (site));
  for (guint i = 0; i < STEPS; i++)
    step (&self);
  self.has_faults = FALSE;
  for (guint i = 0; i < RUNS; i++)
    self.runs[i].is_wanted_gone = TRUE;
  for (guint i = 0; i < 10 * STEPS; i++)
    step (&self);
  check_end (&self);
}

static void
test_storms (void)
{
  for (guint64 seed = 1; seed <= SEEDS; seed++) {
    g_test_message ("seed %" G_GUINT64_FORMAT, seed);
    run_storm (seed);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/agent/storm ends with each run begun once and told", test_storms);
  return g_test_run ();
}
