/* sim/sim_commands.c — see sim_commands.h: connects script, machine, driver, journal and reports.
 *
 * What is printed, one line each: commands as they are answered, starts and ends of jobs, and that
 * a job is suspended and goes on. */
#include "sim/sim_commands.h"

#include <stdio.h>
#include <string.h>

#include "sim/command_play.h"
#include "sim/conf_backfill.h"
#include "sim/error.h"
#include "sim/journal_file.h"
#include "sim/run_accounts.h"
#include "sim/show.h"
#include "sim/verb.h"
#include "traces/cluster_open.h"

typedef struct {
  const LkSettings *settings;
  LkRegistry *registry;
  LkCluster *cluster;
  LkAccounts *accounts; /* NULL: none */
  LkSetup *setup;
  LkCommandScript *script;
  LkCommandPlay *play;
  LkShow *show;           /* NULL: nothing is to be shown */
  LkJournalFile *journal; /* NULL: none is written */
} Run;

static void
run_clear (Run *self)
{
  g_clear_pointer (&self->journal, lk_journal_file_free);
  g_clear_pointer (&self->show, lk_show_free);
  g_clear_pointer (&self->play, lk_command_play_free);
  g_clear_pointer (&self->script, lk_command_script_free);
  g_clear_pointer (&self->setup, lk_setup_free);
  g_clear_pointer (&self->accounts, lk_accounts_free);
  g_clear_pointer (&self->cluster, lk_cluster_free);
  g_clear_pointer (&self->registry, lk_registry_free);
}

/* ---------------------------------------------------------------- what is told */

static void
tell_time (gint64 time_us)
{
  printf ("%" G_GINT64_FORMAT ".%03d ", time_us / G_USEC_PER_SEC,
          (int)(time_us % G_USEC_PER_SEC / 1000));
}

/* "7", "12_3", "7+1" */
static const char *
label (const Run *self, guint32 job_id)
{
  guint32 whole, part;
  g_autofree char *text = NULL;
  if (lk_command_play_job_task (self->play, job_id, &whole, &part))
    text = g_strdup_printf ("%u_%u", whole, part);
  else if (lk_command_play_job_component (self->play, job_id, &whole, &part))
    text = g_strdup_printf ("%u+%u", whole, part);
  else
    text = g_strdup_printf ("%u", job_id);
  return g_intern_string (text);
}

static void
tell_start (const Run *self, gint64 time_us, const LkDecision_start *start)
{
  tell_time (time_us);
  printf ("job %s starts on %.*s\n", label (self, start->job_id), (int)start->nodes.length_bytes,
          start->nodes.bytes);
}

static void
decided (gpointer user, const LkEvent *cause, const LkDecision *decision)
{
  const Run *self = user;
  if (decision->kind == LK_DECISION_START)
    tell_start (self, cause->time_us, &decision->start);
  /* That a job runs is a notice when it goes on behind a suspension. */
  if (decision->kind != LK_DECISION_NOTICE || decision->notice.state == LK_JOB_PENDING)
    return;
  tell_time (cause->time_us);
  printf ("job %s is %s\n", label (self, decision->notice.job_id),
          lk_job_state_name (decision->notice.state));
}

static void
tell_answer (const LkCommandAnswer *answer)
{
  const LkCommand *command = answer->command;
  if (command->kind == LK_COMMAND_SQUEUE)
    return;
  tell_time (command->time_us);
  printf ("%s %s -> ", command->user, command->text);
  if (answer->refused != NULL)
    printf ("refused: %s\n", answer->refused);
  else if (answer->job_id != 0)
    printf ("job %u\n", answer->job_id);
  else
    printf ("done\n");
}

static const char *
report_name (gpointer user, guint32 job_id)
{
  return lk_command_play_job_name (((const Run *)user)->play, job_id);
}

static const char *
report_user (gpointer user, guint32 job_id)
{
  return lk_command_play_job_user (((const Run *)user)->play, job_id);
}

static void
show_at (Run *self, const LkEngine *engine, gint64 at_us)
{
  LkReportState state = { .engine = engine,
                          .config = lk_setup_config (self->setup),
                          .at_us = at_us,
                          .unix_start_s = -1,
                          .job_name = report_name,
                          .user_name = report_user,
                          .user = self };
  lk_show_at (self->show, &state);
}

static void
moment (gpointer user, const LkSimMoment *at)
{
  show_at (user, at->engine, at->at_us);
}

/* Where no moments were asked for, those of the script count. */
static void
look (gpointer user, const char *words, const LkSimControl *control)
{
  Run *self = user;
  (void)words;
  if (self->show != NULL && self->settings->at == NULL)
    show_at (self, control->engine, control->now_us);
}

/* ---------------------------------------------------------------- what the driver asks for */

static int
no_job (gpointer user, LkSimJob *out_job, GError **error)
{
  (void)user;
  (void)out_job;
  (void)error;
  return 0;
}

static gboolean
job_ended (gpointer user, const LkSimResult *result, GError **error)
{
  (void)user;
  (void)result;
  (void)error;
  return TRUE;
}

static gint64
next_moment_us (gpointer user)
{
  const Run *self = user;
  return self->settings->at != NULL ? lk_show_next_moment_us (self->show) : LK_TIME_NEVER;
}

static gint64
next_action_us (gpointer user)
{
  return lk_command_play_next_us (((Run *)user)->play);
}

static gboolean
act (gpointer user, const LkSimControl *control, GError **error)
{
  Run *self = user;
  lk_command_play_act (self->play, control);
  const GArray *answers = lk_command_play_answers (self->play);
  tell_answer (&g_array_index (answers, LkCommandAnswer, answers->len - 1));
  return self->journal == NULL || lk_journal_file_is_good (self->journal, error);
}

static void
task (gpointer user, const LkDecision_task *decision, LkSimJob *job)
{
  lk_command_play_task (((Run *)user)->play, decision, job);
}

static void
returned (gpointer user, guint32 job_id, LkSimJob *out_job)
{
  lk_command_play_returned (((Run *)user)->play, job_id, out_job);
}

/* ---------------------------------------------------------------- setting up */

static gboolean
open_machine (Run *self, GError **error)
{
  const LkSettings *settings = self->settings;
  self->cluster = lk_cluster_open (settings->cluster_name, error);
  if (self->cluster != NULL && settings->has_compat)
    self->cluster->compat = settings->compat;
  if (self->cluster == NULL || settings->accounts == NULL)
    return self->cluster != NULL;
  self->accounts = lk_run_accounts (settings, NULL, 0, error);
  return self->accounts != NULL;
}

static gboolean
open_setup (Run *self, GError **error)
{
  const LkSettings *settings = self->settings;
  self->registry = lk_verb_registry ((char **)settings->plugins->pdata, error);
  if (self->registry == NULL || !open_machine (self, error))
    return FALSE;
  g_autofree char *order = lk_run_order (settings, error);
  g_autofree char *backfill = order != NULL ? lk_run_backfill (settings, error) : NULL;
  g_autofree char *preempt = backfill != NULL ? lk_run_preempt (settings, error) : NULL;
  if (preempt == NULL)
    return FALSE;
  LkSetupOptions options = { .cluster = self->cluster,
                             .origin_us = LK_TIME_NEVER,
                             .order = order,
                             .backfill = backfill,
                             .select = lk_run_select (settings, self->cluster),
                             .accounts = self->accounts,
                             .limits = settings->limits,
                             .preempt = preempt,
                             .tells_standing = settings->journal_standing,
                             .requeues_ended = TRUE };
  self->setup = lk_setup_new (self->registry, &options, error);
  if (self->setup != NULL)
    lk_conf_backfill_warn (settings->cluster_name, backfill, stderr);
  else if (error != NULL)
    lk_settings_prefix_place (settings, error);
  return self->setup != NULL;
}

static gboolean
open_show (Run *self, GError **error)
{
  const LkSettings *settings = self->settings;
  if (settings->show == NULL)
    return TRUE;
  self->show = lk_show_new (settings->show, FALSE, error);
  if (self->show == NULL || !lk_show_check (self->show, lk_setup_config (self->setup), error)) {
    g_prefix_error (error, "--show: ");
    return FALSE;
  }
  lk_show_begin (self->show, lk_command_script_at (self->script, 0)->time_us);
  return settings->at == NULL || lk_show_set_moments (self->show, "--at", settings->at, -1, error);
}

static gboolean
open_journal (Run *self, GError **error)
{
  LkJournalHeader header;
  if (self->settings->journal_path == NULL)
    return TRUE;
  g_autofree char *name = g_path_get_basename (self->settings->commands);
  lk_setup_header (self->setup, name, &header);
  self->journal = lk_journal_file_create (self->settings->journal_path, &header, error);
  return self->journal != NULL;
}

static gboolean
play (Run *self, GError **error)
{
  LkSimTotals totals;
  LkSimClient client = { .next_job = no_job,
                         .job_ended = job_ended,
                         .next_moment_us = next_moment_us,
                         .moment = moment,
                         .next_action_us = next_action_us,
                         .act = act,
                         .task = task,
                         .returned = returned,
                         .decided = decided,
                         .user = self };
  LkSimOptions options = {
    .config = lk_setup_config (self->setup),
    .journal = self->journal != NULL ? lk_journal_file_writer (self->journal) : NULL,
    .latency = self->settings->latency,
  };
  lk_command_play_on_look (self->play, look, self);
  lk_command_play_describe (self->play, self->setup);
  gboolean done = lk_sim_run (&options, &client, &totals, error);
  if (!done && self->journal != NULL)
    lk_journal_file_keep (self->journal, error);
  return done && (self->journal == NULL || lk_journal_file_close (self->journal, error));
}

static gboolean
run (Run *self, GError **error)
{
  const LkSettings *settings = self->settings;
  if (settings->cluster_name == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "--commands needs --cluster");
    return FALSE;
  }
  self->script = lk_command_script_new (settings->commands, error);
  if (self->script == NULL || !open_setup (self, error) || !open_show (self, error))
    return FALSE;
  self->play = lk_command_play_new (self->script, error);
  return self->play != NULL && open_journal (self, error) && play (self, error);
}

gboolean
lk_sim_commands (const LkSettings *settings, GError **error)
{
  Run self = { .settings = settings };
  gboolean is_good = run (&self, error);
  run_clear (&self);
  return is_good;
}
