/* tests/live/agent_site.c — see the header. */
#include "tests/live/agent_site.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/bytes.h"
#include "engine/checked.h"

static void G_GNUC_PRINTF (2, 3) note (AgentSite *self, const char *format, ...)
{
  va_list arguments;
  if (self->log->len > 0)
    g_string_append (self->log, "; ");
  va_start (arguments, format);
  g_string_append_vprintf (self->log, format, arguments);
  va_end (arguments);
}

/* While an agent is being started, nobody knows it yet. */
static gboolean
is_silenced (const AgentSite *self)
{
  return self->agent != NULL && lk_agent_has_failed (self->agent);
}

/* ---------------------------------------------------------------- clock */

static gint64
monotonic_us (void *user)
{
  return ((AgentSite *)user)->now_us;
}

static void
wake_at_us (void *user, gint64 at_us)
{
  ((AgentSite *)user)->wake_us = at_us;
}

static const LkPortClockOps clock_ops = { sizeof clock_ops, monotonic_us, monotonic_us,
                                          wake_at_us };

/* ---------------------------------------------------------------- net */

/* Does no part of it run? */
static gboolean
is_over (const LkSupervised *run)
{
  return run == NULL || run->is_lost || (run->stage == LK_STAGE_EPILOG && run->has_ended);
}

static void
describe_ended (const LkMessage_run_ended *ended, GString *out)
{
  g_string_append_printf (out, "%s %" G_GUINT64_FORMAT,
                          ended->state == LK_RUN_LOST ? "lost" : "ended", ended->run_id);
  if (ended->job_id == 0)
    g_string_append (out, " unknown");
  if (ended->exit_code != 0)
    g_string_append_printf (out, " exit=%u", ended->exit_code);
  if (ended->signal != 0)
    g_string_append_printf (out, " signal=%u", ended->signal);
  if (ended->cancelled != 0)
    g_string_append (out, " cancelled");
  if (ended->trouble != 0)
    g_string_append_printf (out, " trouble=%u", ended->trouble);
  if (ended->drain.length_bytes > 0)
    g_string_append_printf (out, " drain=%.*s", ended->drain.length_bytes, ended->drain.bytes);
}

static void
describe_reload (guint64 number, GString *out)
{
  if (number != 0)
    g_string_append_printf (out, " reload=%" G_GUINT64_FORMAT, number);
}

static void
describe_report (const LkMessage_report *report, GString *out)
{
  static const char *const states[] = { "?", "prolog", "running", "epilog", "ended", "lost" };
  LkRuns runs = report->runs;
  LkRunReport run;
  g_string_append_printf (out, "report@%" G_GUINT64_FORMAT, report->epoch);
  while (lk_run_report_next (&runs, &run))
    g_string_append_printf (out, " %" G_GUINT64_FORMAT ":%s", run.run_id, states[run.state]);
  LkStepReports steps = report->steps;
  LkStepReport step;
  while (lk_step_report_next (&steps, &step))
    g_string_append_printf (out, " %" G_GUINT64_FORMAT ".%u:%s", step.run_id, step.step_id,
                            step.state == LK_STEP_ENDED ? "ended" : "running");
}

static void
describe_proof (guint64 proof_low, GString *out)
{
  if (proof_low != 0)
    g_string_append_printf (out, " proof=%" G_GUINT64_FORMAT, proof_low);
}

void
site_describe (const LkMessage *message, GString *out)
{
  switch (message->kind) {
  case LK_MESSAGE_REGISTER:
    g_string_append_printf (out, "register %" G_GUINT64_FORMAT " term=%" G_GUINT64_FORMAT,
                            message->register_node.agent_id, message->register_node.term);
    describe_proof (message->register_node.proof_low, out);
    break;
  case LK_MESSAGE_REPORT:
    describe_report (&message->report, out);
    describe_reload (message->report.reload, out);
    break;
  case LK_MESSAGE_HEARTBEAT:
    g_string_append_printf (
        out, "heartbeat@%" G_GUINT64_FORMAT "%s%.*s", message->heartbeat.epoch,
        message->heartbeat.drain.length_bytes > 0 ? " drain=" : "",
        (int)message->heartbeat.drain.length_bytes,
        message->heartbeat.drain.length_bytes > 0 ? message->heartbeat.drain.bytes : "");
    describe_reload (message->heartbeat.reload, out);
    describe_proof (message->heartbeat.proof_low, out);
    break;
  case LK_MESSAGE_RUN_STARTED:
    g_string_append_printf (out, "started %" G_GUINT64_FORMAT, message->run_started.run_id);
    break;
  case LK_MESSAGE_SCRIPT_ENDED:
    g_string_append_printf (out, "script_ended %" G_GUINT64_FORMAT, message->script_ended.run_id);
    break;
  case LK_MESSAGE_RUN_HEARD:
    g_string_append_printf (out, "heard %" G_GUINT64_FORMAT " #%" G_GUINT64_FORMAT,
                            message->run_heard.run_id, message->run_heard.seq);
    break;
  case LK_MESSAGE_RUN_ENDED:
    describe_ended (&message->run_ended, out);
    break;
  case LK_MESSAGE_STEP_STARTED:
    g_string_append_printf (out, "step_started %" G_GUINT64_FORMAT ".%u",
                            message->step_started.run_id, message->step_started.step_id);
    break;
  case LK_MESSAGE_STEP_ENDED:
    g_string_append_printf (out, "step_ended %" G_GUINT64_FORMAT ".%u %u:%u",
                            message->step_ended.run_id, message->step_ended.step_id,
                            message->step_ended.exit_code, message->step_ended.signal);
    if (message->step_ended.trouble != 0)
      g_string_append_printf (out, " trouble=%u", message->step_ended.trouble);
    break;
  case LK_MESSAGE_STEP_HEARD:
    g_string_append_printf (out, "step_heard %" G_GUINT64_FORMAT ".%u #%" G_GUINT64_FORMAT,
                            message->step_heard.run_id, message->step_heard.step_id,
                            message->step_heard.seq);
    break;
  case LK_MESSAGE_STEP_USAGE:
    g_string_append_printf (out, "step_usage %" G_GUINT64_FORMAT ".%u", message->step_usage.run_id,
                            message->step_usage.step_id);
    break;
  default:
    LK_UNREACHABLE ("an agent sends nothing else");
  }
}

/* No stage of a run that is told as ended runs here. */
static void
check_sent (const AgentSite *self, const LkMessage *message)
{
  LK_ASSERT ((lk_message_senders (message->kind) & LK_ROLE_AGENT) != 0);
  if (message->kind == LK_MESSAGE_RUN_ENDED) {
    const LkSupervised *run = site_supervised (self, message->run_ended.run_id);
    LK_ASSERT (message->run_ended.state >= LK_RUN_ENDED);
    LK_ASSERT (is_over (run));
  }
  if (message->kind == LK_MESSAGE_REGISTER)
    LK_ASSERT (message->register_node.term == site_durable_term (self));
}

static gboolean
send_message (void *user, LkPeerId peer, const guint8 *bytes, gsize length_bytes)
{
  AgentSite *self = user;
  LkMessage message;
  g_autoptr (GString) text = g_string_new (NULL);
  LK_ASSERT (!is_silenced (self));
  LK_ASSERT (peer == LK_AGENT_CONTROLLER);
  gboolean is_good = lk_message_decode (bytes, length_bytes, &message);
  LK_ASSERT (is_good);
  check_sent (self, &message);
  site_describe (&message, text);
  note (self, "%s", text->str);
  GByteArray *copy = g_byte_array_new ();
  g_byte_array_append (copy, bytes, (guint)length_bytes);
  g_ptr_array_add (self->sent, copy);
  return TRUE;
}

static const LkPortNetOps net_ops = { .size = sizeof net_ops, .send = send_message };

/* ---------------------------------------------------------------- disk */

static void
replace_file (void *user, const char *name, const guint8 *bytes, gsize length_bytes, guint64 token)
{
  AgentSite *self = user;
  LK_ASSERT (!is_silenced (self));
  LK_ASSERT (strcmp (name, LK_AGENT_TERM_FILE) == 0);
  LK_ASSERT (self->term_pending == NULL);
  note (self, "write");
  self->term_pending = g_byte_array_new ();
  g_byte_array_append (self->term_pending, bytes, (guint)length_bytes);
  self->token = token;
  if (self->disk != SITE_DISK_LATER)
    site_disk_done (self, self->disk == SITE_DISK_NOW);
}

static GByteArray *
read_file (void *user, const char *name, gboolean *out_failed)
{
  AgentSite *self = user;
  LK_ASSERT (strcmp (name, LK_AGENT_TERM_FILE) == 0);
  *out_failed = self->disk_reads_fail;
  if (self->disk_reads_fail || self->term_file == NULL)
    return NULL;
  GByteArray *copy = g_byte_array_new ();
  return g_byte_array_append (copy, self->term_file->data, self->term_file->len);
}

static const LkPortDiskOps disk_ops = { .size = sizeof disk_ops,
                                        .replace = replace_file,
                                        .read = read_file };

static void
drop_bytes (GByteArray **bytes)
{
  if (*bytes != NULL)
    g_byte_array_unref (*bytes);
  *bytes = NULL;
}

void
site_disk_done (AgentSite *self, gboolean has_succeeded)
{
  if (self->term_pending == NULL)
    return;
  if (has_succeeded) {
    drop_bytes (&self->term_file);
    self->term_file = g_steal_pointer (&self->term_pending);
  }
  drop_bytes (&self->term_pending);
  lk_agent_disk_done (self->agent, self->token, has_succeeded);
}

guint64
site_durable_term (const AgentSite *self)
{
  if (self->term_file == NULL)
    return 0;
  LkBytesReader reader = { self->term_file->data, self->term_file->len, FALSE };
  return lk_take_u64 (&reader);
}

/* ---------------------------------------------------------------- processes */

static guint
place_of (const AgentSite *self, guint64 run_id)
{
  guint place = 0;
  while (place < self->supervised->len
         && g_array_index (self->supervised, LkSupervised, place).run_id < run_id)
    place++;
  return place;
}

LkSupervised *
site_supervised (const AgentSite *self, guint64 run_id)
{
  guint place = place_of (self, run_id);
  if (place == self->supervised->len)
    return NULL;
  LkSupervised *run = &g_array_index (self->supervised, LkSupervised, place);
  return run->run_id == run_id ? run : NULL;
}

guint
site_created_count (const AgentSite *self, guint64 run_id)
{
  guint count = 0;
  for (guint i = 0; i < self->created->len; i++)
    count += g_array_index (self->created, SiteCreated, i).run_id == run_id;
  return count;
}

static void
check_created_once (const AgentSite *self, const SiteCreated *created)
{
  LK_ASSERT (site_supervised (self, created->run_id) == NULL);
  LK_ASSERT (created->term == site_durable_term (self));
  for (guint i = 0; i < self->created->len; i++) {
    const SiteCreated *earlier = &g_array_index (self->created, SiteCreated, i);
    LK_ASSERT (memcmp (earlier, created, sizeof *created) != 0);
  }
}

static const LkExit went_well;

static void
end_if_instant (AgentSite *self, guint64 run_id, LkStage stage)
{
  if (self->is_instant && stage != LK_STAGE_SCRIPT)
    site_stage_ends (self, run_id, stage, &went_well);
}

static gboolean
create (void *user, const LkMessage_launch *launch)
{
  AgentSite *self = user;
  SiteCreated created = { launch->run_id, self->agent_id, launch->term, launch->epoch };
  LK_ASSERT (!is_silenced (self));
  note (self, "create %" G_GUINT64_FORMAT, launch->run_id);
  check_created_once (self, &created);
  g_array_append_val (self->created, created);
  if (self->creates_fail)
    return FALSE;
  LkSupervised run = { .run_id = launch->run_id,
                       .job_id = launch->job_id,
                       .stage = LK_STAGE_PROLOG,
                       .runs_script = launch->runs_script != 0 };
  g_array_insert_val (self->supervised, place_of (self, launch->run_id), run);
  end_if_instant (self, launch->run_id, LK_STAGE_PROLOG);
  return TRUE;
}

static const char *
stage_name (LkStage stage)
{
  static const char *const names[] = { "?", "prolog", "script", "epilog" };
  return names[stage];
}

static gboolean
begin (void *user, guint64 run_id, LkStage stage)
{
  AgentSite *self = user;
  LkSupervised *run = site_supervised (self, run_id);
  LK_ASSERT (!is_silenced (self));
  note (self, "begin %" G_GUINT64_FORMAT " %s", run_id, stage_name (stage));
  if (run == NULL)
    return FALSE;
  LK_ASSERT (!run->is_lost);
  LK_ASSERT (run->has_ended);
  LK_ASSERT (stage > run->stage);
  run->is_unbegun = run->stage == LK_STAGE_PROLOG && stage == LK_STAGE_EPILOG;
  LK_ASSERT (stage == LK_STAGE_EPILOG || memcmp (&run->prolog, &went_well, sizeof went_well) == 0);
  run->stage = stage;
  run->has_ended = FALSE;
  end_if_instant (self, run_id, stage);
  return TRUE;
}

static void
send_signal (void *user, guint64 run_id, guint8 number, gboolean batch_only, guint8 why)
{
  AgentSite *self = user;
  const LkSupervised *run = site_supervised (self, run_id);
  LK_ASSERT (!is_silenced (self));
  LK_ASSERT (number > 0);
  LK_ASSERT (run == NULL || (run->stage == LK_STAGE_SCRIPT && !run->has_ended));
  g_autofree char *because = why != 0 ? g_strdup_printf (" why %u", why) : g_strdup ("");
  note (self, "kill %" G_GUINT64_FORMAT " %u%s%s", run_id, number, batch_only ? " batch" : "",
        because);
}

static void
list_runs (void *user, void (*found) (void *user, const LkSupervised *run), void *found_user)
{
  const AgentSite *self = user;
  for (guint i = 0; i < self->supervised->len; i++)
    found (found_user, &g_array_index (self->supervised, LkSupervised, i));
}

static void
forget (void *user, guint64 run_id)
{
  AgentSite *self = user;
  const LkSupervised *run = site_supervised (self, run_id);
  LK_ASSERT (!is_silenced (self));
  LK_ASSERT (is_over (run));
  note (self, "forget %" G_GUINT64_FORMAT, run_id);
  site_supervisor_dies (self, run_id);
}

/* ---------------------------------------------------------------- steps */

static LkStepFound *
step_find (const AgentSite *self, guint64 run_id, guint32 step_id)
{
  for (guint i = 0; i < self->steps->len; i++) {
    LkStepFound *step = &g_array_index (self->steps, LkStepFound, i);
    if (step->run_id == run_id && step->step_id == step_id)
      return step;
  }
  return NULL;
}

static gint
step_compare (gconstpointer a, gconstpointer b)
{
  const LkStepFound *x = a;
  const LkStepFound *y = b;
  if (x->run_id != y->run_id)
    return x->run_id < y->run_id ? -1 : 1;
  return x->step_id < y->step_id ? -1 : x->step_id > y->step_id;
}

static gboolean
step_launch (void *user, const LkMessage_step_launch *launch)
{
  AgentSite *self = user;
  const LkSupervised *run = site_supervised (self, launch->run_id);
  LkStepFound step = { .run_id = launch->run_id, .step_id = launch->step_id };
  LK_ASSERT (!is_silenced (self));
  /* Its supervisor may have died, which the agent hears later. */
  LK_ASSERT (run == NULL || (run->stage == LK_STAGE_SCRIPT && !run->has_ended));
  LK_ASSERT (step_find (self, launch->run_id, launch->step_id) == NULL);
  LK_ASSERT (launch->term == site_durable_term (self));
  note (self, "step %" G_GUINT64_FORMAT ".%u", launch->run_id, launch->step_id);
  if (run == NULL || self->steps_fail)
    return FALSE;
  g_array_append_val (self->steps, step);
  g_array_sort (self->steps, step_compare);
  return TRUE;
}

static void
step_signal (void *user, guint64 run_id, guint32 step_id, guint8 signal, guint8 why)
{
  AgentSite *self = user;
  const LkStepFound *step = step_find (self, run_id, step_id);
  LK_ASSERT (!is_silenced (self));
  /* What a crash of the disk has taken, the agent may know still. */
  LK_ASSERT (step == NULL || !step->has_ended);
  g_autofree char *because = why != 0 ? g_strdup_printf (" why %u", why) : g_strdup ("");
  note (self, "kill %" G_GUINT64_FORMAT ".%u %u%s", run_id, step_id, signal, because);
}

static void
step_listen (void *user, const LkMessage_step_listen *listen)
{
  AgentSite *self = user;
  note (self, "listen %" G_GUINT64_FORMAT ".%u", listen->run_id, listen->step_id);
}

static void
notify (void *user, const LkMessage_run_notify *words)
{
  AgentSite *self = user;
  note (self, "notify %" G_GUINT64_FORMAT ".%u %.*s", words->run_id, words->step_id,
        (int)words->words.length_bytes, words->words.bytes);
}

static void
step_list (void *user, void (*found) (void *user, const LkStepFound *step), void *found_user)
{
  const AgentSite *self = user;
  for (guint i = 0; i < self->steps->len; i++)
    found (found_user, &g_array_index (self->steps, LkStepFound, i));
}

static void
drop_step (AgentSite *self, const LkStepFound *step)
{
  g_array_remove_index (self->steps,
                        (guint)(step - (const LkStepFound *)(gpointer)self->steps->data));
}

static void
step_forget (void *user, guint64 run_id, guint32 step_id)
{
  AgentSite *self = user;
  const LkStepFound *step = step_find (self, run_id, step_id);
  note (self, "forget %" G_GUINT64_FORMAT ".%u", run_id, step_id);
  LK_ASSERT (step == NULL || step->has_ended);
  if (step != NULL)
    drop_step (self, step);
}

static void
drop_steps (AgentSite *self, guint64 run_id)
{
  for (guint i = self->steps->len; i-- > 0;)
    if (g_array_index (self->steps, LkStepFound, i).run_id == run_id)
      g_array_remove_index (self->steps, i);
}

void
site_step_ends (AgentSite *self, const LkStepFound *how)
{
  LkStepFound *step = step_find (self, how->run_id, how->step_id);
  if (step == NULL || step->has_ended)
    return;
  *step = *how;
  step->has_ended = TRUE;
  if (self->agent != NULL)
    lk_agent_step_ended (self->agent, step);
}

static void
end_steps (AgentSite *self, guint64 run_id)
{
  for (guint i = 0; i < self->steps->len; i++) {
    LkStepFound step = g_array_index (self->steps, LkStepFound, i);
    step.signal = 9;
    if (step.run_id == run_id)
      site_step_ends (self, &step);
  }
}

static const LkPortProcessOps process_ops = { .size = sizeof process_ops,
                                              .create = create,
                                              .begin = begin,
                                              .signal = send_signal,
                                              .list = list_runs,
                                              .forget = forget,
                                              .step_launch = step_launch,
                                              .step_signal = step_signal,
                                              .step_listen = step_listen,
                                              .notify = notify,
                                              .step_list = step_list,
                                              .step_forget = step_forget };

void
site_stage_ends (AgentSite *self, guint64 run_id, LkStage stage, const LkExit *how)
{
  LkSupervised *run = site_supervised (self, run_id);
  if (run == NULL || run->stage != stage || run->has_ended)
    return;
  if (stage == LK_STAGE_SCRIPT)
    end_steps (self, run_id);
  run->has_ended = TRUE;
  run->last = *how;
  if (stage == LK_STAGE_PROLOG)
    run->prolog = *how;
  if (stage == LK_STAGE_SCRIPT)
    run->script = *how;
  if (self->agent != NULL)
    lk_agent_stage_ended (self->agent, run_id, stage, how);
}

void
site_supervisor_dies (AgentSite *self, guint64 run_id)
{
  drop_steps (self, run_id);
  if (site_supervised (self, run_id) != NULL)
    g_array_remove_index (self->supervised, place_of (self, run_id));
}

/* ---------------------------------------------------------------- the node */

AgentSite *
site_new (void)
{
  AgentSite *self = g_new0 (AgentSite, 1);
  self->wake_us = LK_TIME_NEVER;
  self->supervised = g_array_new (FALSE, FALSE, sizeof (LkSupervised));
  self->created = g_array_new (FALSE, FALSE, sizeof (SiteCreated));
  self->steps = g_array_new (FALSE, FALSE, sizeof (LkStepFound));
  self->sent = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  self->log = g_string_new (NULL);
  return self;
}

void
site_free (AgentSite *self)
{
  lk_agent_free (self->agent);
  drop_bytes (&self->term_file);
  drop_bytes (&self->term_pending);
  g_array_unref (self->supervised);
  g_array_unref (self->created);
  g_array_unref (self->steps);
  g_ptr_array_unref (self->sent);
  g_string_free (self->log, TRUE);
  g_free (self);
}

gboolean
site_start (AgentSite *self)
{
  LkAgentConfig config = { .node = SITE_NODE,
                           .boot_id = 1,
                           .agent_id = ++self->agent_id,
                           .reload_number = self->reload_number,
                           .cpus = 4,
                           .memory_bytes = 1024,
                           .gres = "gpu:2",
                           .retry_us = SITE_RETRY_US };
  LkAgentPorts ports = { .clock = { &clock_ops, self },
                         .net = { &net_ops, self },
                         .disk = { &disk_ops, self },
                         .process = { &process_ops, self } };
  gboolean is_instant = self->is_instant;
  site_crash (self, /* is_written= */ FALSE);
  /* No port calls back before the agent is there. */
  self->is_instant = FALSE;
  self->agent = lk_agent_new (&config, &ports);
  self->is_instant = is_instant;
  for (guint i = 0; self->agent != NULL && i < self->supervised->len; i++) {
    const LkSupervised *run = &g_array_index (self->supervised, LkSupervised, i);
    end_if_instant (self, run->run_id, run->stage);
  }
  return self->agent != NULL;
}

void
site_crash (AgentSite *self, gboolean is_written)
{
  lk_agent_free (self->agent);
  self->agent = NULL;
  self->wake_us = LK_TIME_NEVER;
  if (self->term_pending != NULL && is_written) {
    drop_bytes (&self->term_file);
    self->term_file = g_steal_pointer (&self->term_pending);
  }
  drop_bytes (&self->term_pending);
}

void
site_reboot (AgentSite *self)
{
  site_crash (self, /* is_written= */ FALSE);
  for (guint i = 0; i < self->supervised->len; i++) {
    LkSupervised *run = &g_array_index (self->supervised, LkSupervised, i);
    end_steps (self, run->run_id);
    run->is_lost = run->has_ended = TRUE;
  }
}

void
site_message (AgentSite *self, const LkMessage *message)
{
  LkPeer peer = { .id = LK_AGENT_CONTROLLER, .kind = LK_PEER_CONTROLLER };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_message_encode (message, bytes);
  if (self->agent != NULL)
    lk_agent_message (self->agent, &peer, bytes->data, bytes->len);
}

void
site_wait (AgentSite *self, gint64 duration_us)
{
  gint64 until_us = lk_time_add_us (self->now_us, duration_us);
  while (self->agent != NULL && self->wake_us <= until_us) {
    self->now_us = MAX (self->now_us, self->wake_us);
    self->wake_us = LK_TIME_NEVER;
    lk_agent_woken (self->agent);
  }
  self->now_us = until_us;
}
