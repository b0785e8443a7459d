/* sim/verb_sim.c — replays a log under a policy: connects source, estimates, driver, journal and
 * results. */
#include "sim/verb_sim.h"

#include <stdio.h>
#include <string.h>

#include "engine/hostlist.h"
#include "sim/conf_backfill.h"
#include "sim/driver.h"
#include "sim/error.h"
#include "sim/factor_watch.h"
#include "sim/failures.h"
#include "sim/journal_file.h"
#include "sim/placement_csv.h"
#include "sim/progress.h"
#include "sim/reservations_list.h"
#include "sim/results.h"
#include "sim/run_accounts.h"
#include "sim/run_check.h"
#include "sim/run_source.h"
#include "sim/settings.h"
#include "sim/show.h"
#include "sim/sim_commands.h"
#include "sim/statistics/shake.h"
#include "sim/trace_links.h"
#include "sim/users/give_up.h"
#include "sim/users/offered_load.h"
#include "sim/verb.h"
#include "traces/cluster_open.h"

/* What SWF says of a job's end. */
#define SWF_STATUS_FAILED 0
#define SWF_STATUS_CANCELLED 5

typedef struct {
  const LkSettings *settings;
  const LkSimHooks *hooks; /* NULL: the verb itself */
  gboolean is_check;       /* the log is not read */
  LkRegistry *registry;
  LkTraceSource *source;
  LkSetup *setup;
  LkCluster *cluster;   /* NULL: a counted pool */
  LkAccounts *accounts; /* NULL: none */
  LkRunNames *names;    /* of users and the like; NULL: no accounts */
  LkTraceLinks *links;
  LkUsers *users; /* NULL: jobs come as in the log */
  char *users_text;
  LkOfferedLoad load;               /* of the jobs that came */
  LkSimJob last;                    /* that the driver has asked for */
  LkShow *show;                     /* NULL: nothing is to be shown */
  LkFailures *failures;             /* NULL: none */
  LkReservationsList *reservations; /* NULL: none */
  GPtrArray *node_names;            /* by index; NULL: none */
  LkPlacementCsv *placement;        /* NULL: not written */
  LkJournalFile *journal;           /* NULL: none is written */
  LkResults *results;
  LkProgress *progress;
} Run;

static void
run_clear (Run *self)
{
  g_clear_pointer (&self->progress, lk_progress_free);
  g_clear_pointer (&self->results, lk_results_free);
  g_clear_pointer (&self->journal, lk_journal_file_free);
  g_clear_pointer (&self->setup, lk_setup_free);
  g_clear_pointer (&self->placement, lk_placement_csv_free);
  g_clear_pointer (&self->failures, lk_failures_free);
  g_clear_pointer (&self->reservations, lk_reservations_list_free);
  g_clear_pointer (&self->node_names, g_ptr_array_unref);
  g_clear_pointer (&self->cluster, lk_cluster_free);
  g_clear_pointer (&self->accounts, lk_accounts_free);
  g_clear_pointer (&self->names, lk_run_names_free);
  g_clear_pointer (&self->links, lk_trace_links_free);
  g_clear_pointer (&self->users, lk_users_free);
  g_clear_pointer (&self->users_text, g_free);
  g_clear_pointer (&self->show, lk_show_free);
  g_clear_pointer (&self->source, lk_trace_source_free);
  g_clear_pointer (&self->registry, lk_registry_free);
}

/* ---------------------------------------------------------------- what the driver asks for */

/* A log whose jobs give no time limit leaves it to the machine, where that has something to say:
 * limits of accounts, or a partition with a default. */
static gboolean
machine_limits (const Run *self, const LkTraceJob *job)
{
  LkText wanted = job->request->partition;
  if (self->cluster == NULL || job->has_limit
      || strcmp (self->settings->estimates_text, "trace") != 0)
    return FALSE;
  for (guint i = 0; i < self->cluster->partitions->len; i++) {
    const LkPartitionSpec *partition = g_ptr_array_index (self->cluster->partitions, i);
    gboolean is_it = wanted.length_bytes > 0
                         ? strlen (partition->name) == wanted.length_bytes
                               && memcmp (partition->name, wanted.bytes, wanted.length_bytes) == 0
                         : partition->is_default;
    if (is_it)
      return self->accounts != NULL || partition->time_default_us < LK_TIME_NEVER;
  }
  return FALSE;
}

/* The users are asked again and again for the same job until it is submitted. */
static int
take_job (Run *self, LkTraceJob *out_job, guint32 *out_place, GError **error)
{
  if (self->users != NULL)
    return lk_users_next (self->users, out_job, out_place);
  int state = lk_trace_source_next (self->source, out_job, error);
  if (state > 0)
    lk_offered_load_add (&self->load, out_job->submit_us, out_job->run_us, out_job->procs);
  return state;
}

static int
next_job (gpointer user, LkSimJob *out_job, GError **error)
{
  Run *self = user;
  LkTraceJob job;
  guint32 place = 0;
  int state = take_job (self, &job, &place, error);
  if (state <= 0)
    return state;
  if (self->show != NULL)
    lk_show_begin (self->show, job.submit_us);
  if (self->reservations != NULL)
    lk_reservations_list_begin (self->reservations, job.submit_us);
  gint64 estimate_us = lk_estimates_apply (self->settings->estimates, job.run_us, job.estimate_us);
  if (self->settings->stretch)
    estimate_us = MAX (estimate_us, job.run_us);
  else if (machine_limits (self, &job))
    estimate_us = 0;
  *out_job = (LkSimJob){
    .number = job.number,
    .place = place,
    .submit_us = job.submit_us,
    .run_us = job.run_us,
    .estimate_us = estimate_us,
    .procs = job.procs,
    .user_id = job.user_id,
    .group_id = job.group_id,
    .partition_id = job.partition_id,
    .exit_code = job.status == SWF_STATUS_FAILED ? 1 : 0,
    .cancelled = job.status == SWF_STATUS_CANCELLED,
    .request = self->names != NULL ? lk_run_names_request (self->names, &job) : job.request,
    .terms = lk_trace_links_terms (self->links, job.terms),
    .name = job.name,
    .job_name = job.job_name,
  };
  self->last = *out_job;
  return 1;
}

/* Of the job that was asked for last: the next one is asked for when it is submitted. */
static void
decided (gpointer user, const LkEvent *cause, const LkDecision *decision)
{
  Run *self = user;
  gboolean is_answer =
      cause->kind == LK_EVENT_SUBMIT
      && (decision->kind == LK_DECISION_ACCEPT || decision->kind == LK_DECISION_REJECT);
  if (is_answer && self->users != NULL) {
    gboolean is_taken = decision->kind == LK_DECISION_ACCEPT;
    lk_offered_load_add (&self->load, cause->time_us, self->last.run_us, self->last.procs);
    lk_users_submitted (self->users, self->last.place, is_taken ? cause->submit.job_id : 0,
                        cause->time_us);
  }
  if (decision->kind == LK_DECISION_ACCEPT && cause->kind == LK_EVENT_SUBMIT
      && lk_trace_source_has_dependencies (self->source))
    lk_trace_links_note (self->links, self->last.number, self->last.name, cause->submit.job_id);
}

static void
task (gpointer user, const LkDecision_task *decision, LkSimJob *job)
{
  const Run *self = user;
  job->name = lk_trace_links_task_name (self->links, job->number, decision->task);
}

static gboolean
job_ended (gpointer user, const LkSimResult *result, GError **error)
{
  const Run *self = user;
  const LkSimJob *job = &result->job;
  LkJobRecord record = {
    .job_id = job->number,
    .name = job->name != NULL && lk_job_name_is_id (job->name) ? job->name : NULL,
    .user = job->user_id,
    .group = job->group_id,
    .partition = job->partition_id,
    .procs = result->nodes != NULL ? result->holding.cpus : job->procs,
    .backfilled = result->backfilled,
    .killed = result->state == LK_JOB_TIMEOUT,
    .requeued = result->requeued,
    .submit_us = job->submit_us,
    .start_us = result->start_us,
    .end_us = result->end_us,
    .estimate_us = job->estimate_us,
    .state = lk_job_state_name (result->state),
    .account = result->account,
    .qos = result->qos,
  };
  if (self->users != NULL && !result->requeued)
    lk_users_over (self->users, job->place, result->end_us);
  if (self->hooks != NULL && self->hooks->job_ended != NULL)
    self->hooks->job_ended (self->hooks->user, &record, result);
  if (self->placement != NULL && !lk_placement_csv_add (self->placement, result, error))
    return FALSE;
  return lk_results_add (self->results, &record, error);
}

static gboolean
next_node_event (gpointer user, LkSimNodeEvent *out_event)
{
  const Run *self = user;
  LkNodeEvent event;
  if (self->failures == NULL || !lk_failures_next (self->failures, &event))
    return FALSE;
  *out_event = (LkSimNodeEvent){ .time_us = event.time_us,
                                 .kind = event.kind,
                                 .node = g_ptr_array_index (self->node_names, event.node_index),
                                 .reason = event.reason };
  return TRUE;
}

static gint64
next_action_us (gpointer user)
{
  const Run *self = user;
  gint64 next_us = self->users != NULL ? lk_users_patience_us (self->users) : LK_TIME_NEVER;
  if (self->reservations != NULL)
    next_us = MIN (next_us, lk_reservations_list_next_us (self->reservations));
  return next_us;
}

static gboolean
act (gpointer user, const LkSimControl *control, GError **error)
{
  const Run *self = user;
  if (self->users != NULL && lk_users_patience_us (self->users) <= control->now_us)
    lk_users_give_up (self->users, control);
  return self->reservations == NULL
         || lk_reservations_list_next_us (self->reservations) > control->now_us
         || lk_reservations_list_act (self->reservations, control, error);
}

static gboolean
jobs_moved (gpointer user)
{
  const Run *self = user;
  return lk_users_have_moved (self->users);
}

/* ---------------------------------------------------------------- what is shown on the way */

typedef struct {
  const LkSimMoment *moment;
  char label[32];
} Shown;

static const char *
job_label (gpointer user, guint32 job_id)
{
  Shown *shown = user;
  const LkSimJob *job = shown->moment->job (shown->moment->driver, job_id);
  if (job == NULL || job->name != NULL)
    return job != NULL ? job->name : NULL;
  g_snprintf (shown->label, sizeof shown->label, "%" G_GINT64_FORMAT, job->number);
  return shown->label;
}

static const char *
job_name (gpointer user, guint32 job_id)
{
  const Shown *shown = user;
  const LkSimJob *job = shown->moment->job (shown->moment->driver, job_id);
  return job != NULL ? job->job_name : NULL;
}

static void
moment (gpointer user, const LkSimMoment *at)
{
  const Run *self = user;
  Shown shown = { .moment = at };
  LkReportState state = { .engine = at->engine,
                          .config = lk_setup_config (self->setup),
                          .at_us = at->at_us,
                          .unix_start_s = lk_trace_source_header (self->source)->unix_start_s,
                          .job_label = job_label,
                          .job_name = job_name,
                          .user = &shown };
  lk_show_at (self->show, &state);
}

static gint64
next_moment_us (gpointer user)
{
  const Run *self = user;
  return lk_show_next_moment_us (self->show);
}

static void
show_progress (const Run *self, gint64 now_us, guint64 event_count)
{
  LkTraceCounts counts;
  lk_trace_source_counts (self->source, &counts);
  LkProgressPoint point = { .now_us = now_us,
                            .event_count = event_count,
                            .bytes_read = counts.log.bytes_read,
                            .bytes_total = counts.log.bytes_total };
  lk_progress_tick (self->progress, &point);
}

static gboolean
tick (gpointer user, gint64 now_us, guint64 event_count, GError **error)
{
  const Run *self = user;
  if (lk_progress_is_due (self->progress))
    show_progress (self, now_us, event_count);
  if (self->hooks != NULL && self->hooks->is_stopped != NULL
      && self->hooks->is_stopped (self->hooks->user)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN, "stopped");
    return FALSE;
  }
  return self->journal == NULL || lk_journal_file_is_good (self->journal, error);
}

/* ---------------------------------------------------------------- setting up */

static gboolean
open_cluster (Run *self, GError **error)
{
  const LkSettings *settings = self->settings;
  if (settings->cluster_name == NULL)
    return TRUE;
  self->cluster = lk_cluster_open (settings->cluster_name, error);
  if (self->cluster != NULL && settings->has_compat)
    self->cluster->compat = settings->compat;
  if (self->cluster == NULL)
    return FALSE;
  self->node_names = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < self->cluster->nodes->len; i++) {
    const LkNodeSpec *spec = g_ptr_array_index (self->cluster->nodes, i);
    lk_hostlist_expand (spec->names, strlen (spec->names), self->node_names, NULL);
  }
  return TRUE;
}

/* Behind the source, whose header says when the log's time 0 was. */
static gboolean
open_failures (Run *self, GError **error)
{
  LkFailureNodes nodes = { .names = self->node_names,
                           .unix_start_s = lk_trace_source_header (self->source)->unix_start_s };
  if (self->settings->failures == NULL)
    return TRUE;
  self->failures = lk_failures_new (self->settings->failures, &nodes, error);
  return self->failures != NULL;
}

/* Behind the source, too. */
static gboolean
open_reservations (Run *self, GError **error)
{
  if (self->settings->reservations == NULL)
    return TRUE;
  self->reservations = lk_reservations_list_new (
      self->settings->reservations, lk_trace_source_header (self->source)->unix_start_s, error);
  return self->reservations != NULL;
}

static gboolean
open_source (Run *self, GError **error)
{
  self->source = lk_run_source (self->settings, self->hooks, self->cluster, error);
  return self->source != NULL;
}

static gboolean
open_accounts (Run *self, GError **error)
{
  const LkSettings *settings = self->settings;
  if (settings->accounts == NULL)
    return TRUE;
  const LkSimHooks *hooks = self->hooks;
  if (self->is_check && strcmp (settings->accounts, LK_RUN_ACCOUNTS_FROM_LOG) == 0) {
    self->accounts = lk_accounts_new ("log");
    return TRUE;
  }
  self->accounts = lk_run_accounts (settings, hooks != NULL ? hooks->log_bytes : NULL,
                                    hooks != NULL ? hooks->log_length_bytes : 0, error);
  self->names = lk_run_names_new (self->accounts);
  return self->accounts != NULL;
}

static gboolean
open_registry (Run *self, GError **error)
{
  const LkSettings *settings = self->settings;
  self->registry = lk_registry_new ();
  for (guint i = 0; i < settings->plugins->len; i++)
    if (lk_registry_add_plugin (self->registry, g_ptr_array_index (settings->plugins, i), error)
        == NULL)
      return FALSE;
  return TRUE;
}

/* The policies and reports are looked at before the log is opened, so that a mistyped name is told
 * at once. */
static gboolean
try_setup (Run *self, const LkSetupOptions *options, GError **error)
{
  const LkSettings *settings = self->settings;
  g_autoptr (LkSetup) trial = lk_setup_new (self->registry, options, error);
  if (trial == NULL) {
    if (error != NULL)
      lk_settings_prefix_place (settings, error);
    return FALSE;
  }
  if (settings->show == NULL)
    return TRUE;
  self->show = lk_show_new (settings->show, settings->json, error);
  if (self->show != NULL && lk_show_check (self->show, lk_setup_config (trial), error))
    return TRUE;
  g_prefix_error (error, "--show: ");
  return FALSE;
}

/* Behind the source, whose header says when the log's time 0 was. */
static gboolean
set_moments (Run *self, GError **error)
{
  const LkSettings *settings = self->settings;
  return settings->at == NULL
         || lk_show_set_moments (self->show, "--at", settings->at,
                                 lk_trace_source_header (self->source)->unix_start_s, error);
}

/* Texts that LkSetupOptions borrow. */
typedef struct {
  char *order;
  char *backfill;
  char *preempt;
} Policies;

static void
policies_clear (Policies *self)
{
  g_free (self->order);
  g_free (self->backfill);
  g_free (self->preempt);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Policies, policies_clear)

/* All that can be looked at before the log is opened. */
static gboolean
open_policies (Run *self, Policies *policies, LkSetupOptions *out_options, GError **error)
{
  const LkSettings *settings = self->settings;
  if (!open_registry (self, error) || !open_cluster (self, error) || !open_accounts (self, error))
    return FALSE;
  policies->order = lk_run_order (settings, error);
  policies->backfill = policies->order != NULL ? lk_run_backfill (settings, error) : NULL;
  policies->preempt = policies->backfill != NULL ? lk_run_preempt (settings, error) : NULL;
  if (policies->preempt == NULL)
    return FALSE;
  *out_options = (LkSetupOptions){ .units_total = 1,
                                   .cluster = self->cluster,
                                   .origin_us = LK_TIME_NEVER,
                                   .order = policies->order,
                                   .backfill = policies->backfill,
                                   .select = lk_run_select (settings, self->cluster),
                                   .accounts = self->accounts,
                                   .limits = settings->limits,
                                   .preempt = policies->preempt,
                                   .tells_standing = settings->journal_standing };
  return try_setup (self, out_options, error);
}

static gboolean
open_setup (Run *self, GError **error)
{
  g_auto (Policies) policies = { 0 };
  LkSetupOptions options;
  if (!open_policies (self, &policies, &options, error) || !open_source (self, error)
      || !open_failures (self, error) || !open_reservations (self, error)
      || !set_moments (self, error))
    return FALSE;
  if (self->hooks == NULL)
    lk_conf_backfill_warn (self->settings->cluster_name, policies.backfill, stderr);
  options.units_total = lk_trace_source_procs (self->source);
  self->setup = lk_setup_new (self->registry, &options, error);
  return self->setup != NULL;
}

static gboolean
open_results (Run *self, gint64 wall_begin_us, GError **error)
{
  const LkSettings *settings = self->settings;
  self->users_text = lk_users_options_text (&settings->users);
  gint64 unix_start_s = lk_trace_source_header (self->source)->unix_start_s;
  LkRunInfo info = { .trace = settings->trace_path,
                     .order = lk_setup_spec (self->setup, LK_SEAM_ORDER),
                     .backfill = lk_setup_spec (self->setup, LK_SEAM_BACKFILL),
                     .select = lk_setup_spec (self->setup, LK_SEAM_SELECT),
                     .limit = lk_settings_limit_name (settings),
                     .tie_rule = lk_settings_tie_rule_name (settings),
                     .estimates = settings->estimates_text,
                     .users = self->users_text,
                     .launch_latency = settings->launch_latency,
                     .limit_check = settings->limit_check,
                     .kill_wait = settings->kill_wait,
                     .lead_us = settings->lead_us,
                     .seed = settings->seed,
                     .procs = lk_setup_config (self->setup)->units_total,
                     .unix_start_s = (guint64)MAX (unix_start_s, 0),
                     .cluster = settings->cluster_name != NULL ? settings->cluster_name : "",
                     .accounts = settings->accounts != NULL ? settings->accounts : "",
                     .limits = lk_setup_spec (self->setup, LK_SEAM_LIMITS),
                     .preempt = lk_setup_spec (self->setup, LK_SEAM_PREEMPT),
                     .warmup_us = settings->warmup_us,
                     .cooldown_us = settings->cooldown_us,
                     .wall_begin_us = wall_begin_us };
  if (settings->batsim && settings->out_path == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "--batsim needs --out DIR");
    return FALSE;
  }
  self->results = lk_results_new (&info, settings->out_path, error);
  if (self->results != NULL && settings->batsim)
    lk_results_want_batsim (self->results);
  return self->results != NULL;
}

/* Where each job ran, beside the other results. */
static gboolean
open_placement (Run *self, GError **error)
{
  const LkSettings *settings = self->settings;
  if (self->cluster == NULL || settings->out_path == NULL)
    return TRUE;
  g_autofree char *path = g_build_filename (settings->out_path, LK_PLACEMENT_CSV, NULL);
  self->placement = lk_placement_csv_new (path, error);
  return self->placement != NULL;
}

static gboolean
open_journal (Run *self, GError **error)
{
  LkJournalHeader header;
  const LkSettings *settings = self->settings;
  if (settings->journal_path == NULL)
    return TRUE;
  g_autofree char *name = g_path_get_basename (settings->trace_path);
  g_autofree char *source = g_strdup_printf (
      "%s, limit %s, estimates %s, tie rule %s", name, lk_settings_limit_name (settings),
      settings->estimates_text, lk_settings_tie_rule_name (settings));
  lk_setup_header (self->setup, source, &header);
  self->journal = lk_journal_file_create (settings->journal_path, &header, error);
  return self->journal != NULL;
}

/* ---------------------------------------------------------------- running */

static void
fill_totals (const Run *self, const LkSimTotals *sim, LkRunTotals *out_totals)
{
  LkTraceCounts counts;
  lk_trace_source_counts (self->source, &counts);
  *out_totals = (LkRunTotals){
    .dropped_no_run = counts.dropped.no_run,
    .dropped_no_procs = counts.dropped.no_procs,
    .dropped_too_large = counts.dropped.too_large + sim->rejected[LK_REJECT_TOO_LARGE],
    .dropped_refused = sim->rejected_count - sim->rejected[LK_REJECT_TOO_LARGE],
    .unstarted = sim->unstarted_count,
    .offered_load_ratio =
        lk_offered_load_ratio (&self->load, lk_setup_config (self->setup)->units_total),
    .requeued = sim->requeued_count,
    .preempted = sim->preempted_count,
    .node_events = sim->node_event_count,
    .factors = sim->factors,
    .cluster = sim->cluster,
    .dropped_negative_submit = counts.dropped.negative_submit,
    .dropped_not_selected = counts.not_selected,
    .dropped_not_started = counts.dropped.not_started,
    .dropped_not_ended = counts.dropped.not_ended,
    .dropped_cancelled = counts.dropped.cancelled,
    .lenient_extra_fields = counts.log.extra_field_count,
    .lenient_negative_times = counts.log.negative_time_count,
    .events = sim->event_count,
    .decisions = sim->decision_count,
  };
  if (self->users != NULL) {
    out_totals->abandoned = lk_users_abandoned_count (self->users);
    out_totals->absent = lk_users_absent_count (self->users);
    out_totals->unstarted -= MIN (out_totals->unstarted, out_totals->abandoned);
  }
  memcpy (out_totals->refused, sim->rejected, sizeof sim->rejected);
  lk_digest_value_text (sim->digest, out_totals->decision_digest);
}

static void
report (const Run *self, const LkSummary *summary)
{
  g_autoptr (GString) text = g_string_new (NULL);
  if (self->hooks != NULL) {
    self->hooks->done (self->hooks->user, summary);
    return;
  }
  if (!self->settings->json) {
    lk_summary_print (summary, stdout);
    return;
  }
  if (self->show == NULL) {
    lk_summary_json (summary, text);
    fputs (text->str, stdout);
    return;
  }
  LkJsonOut *json = lk_show_json (self->show);
  lk_summary_json_members (summary, json);
  lk_json_out_object_end (json);
  fputs (json->text->str, stdout);
}

/* Without a journal no one sees the ids. */
static void
warn_of_renumbered (const Run *self, const LkSimRenumbered *renumbered)
{
  if (self->hooks != NULL || self->journal == NULL || renumbered->count == 0)
    return;
  g_printerr ("lockstep sim: %" G_GUINT64_FORMAT
              " job%s not the same number in the journal as in the log: job %" G_GINT64_FORMAT
              " of the log is job %u of the journal%s; expected numbers that rise with the time "
              "of submission, from 1 to %d\n",
              renumbered->count, renumbered->count == 1 ? " has" : "s have",
              renumbered->first_number, renumbered->first_id,
              renumbered->count > 1 ? ", for example" : "", LK_SIM_LOG_ID_MAX);
}

static gboolean
simulate (Run *self, GError **error)
{
  LkSimTotals sim_totals;
  LkRunTotals totals;
  LkSummary summary;
  self->links = lk_trace_links_new ();
  g_autofree char *series_path =
      self->cluster != NULL && self->settings->out_path != NULL
          ? g_build_filename (self->settings->out_path, LK_CLUSTER_SERIES_CSV, NULL)
          : NULL;
  LkSimOptions options = {
    .config = lk_setup_config (self->setup),
    .tie_rule = self->settings->tie_rule,
    .latency = self->settings->latency,
    .lead_us = self->settings->lead_us,
    .journal = self->journal != NULL ? lk_journal_file_writer (self->journal) : NULL,
    .sample_us = self->settings->sample_us,
    .node_round_us = self->failures != NULL ? lk_failures_round_us (self->failures) : 0,
    .series_path = series_path,
    .wants_last_submit = self->settings->show != NULL && self->settings->at == NULL,
  };
  LkSimClient client = { .next_job = next_job,
                         .job_ended = job_ended,
                         .next_node_event = next_node_event,
                         .next_moment_us = self->show != NULL ? next_moment_us : NULL,
                         .moment = moment,
                         .next_action_us = self->reservations != NULL || self->users != NULL
                                               ? next_action_us
                                               : NULL,
                         .jobs_moved = self->users != NULL ? jobs_moved : NULL,
                         .act = act,
                         .tick = tick,
                         .task = task,
                         .user = self };
  /* An SWF log knows of no other job. */
  if (self->users != NULL || lk_trace_source_format (self->source) != LK_FORMAT_SWF)
    client.decided = decided;
  gboolean done = lk_sim_run (&options, &client, &sim_totals, error);
  g_clear_pointer (&self->progress, lk_progress_free); /* takes its line off the terminal */
  if (!done && self->journal != NULL)
    lk_journal_file_keep (self->journal, error);
  if (!done || (self->journal != NULL && !lk_journal_file_close (self->journal, error)))
    return FALSE;
  if (self->placement != NULL && !lk_placement_csv_close (self->placement, error))
    return FALSE;
  fill_totals (self, &sim_totals, &totals);
  if (!lk_run_check_any (self->source, &totals, error))
    return FALSE;
  if (!lk_results_finish (self->results, &totals, &summary, error))
    return FALSE;
  report (self, &summary);
  warn_of_renumbered (self, &sim_totals.renumbered);
  if (self->hooks == NULL)
    lk_factor_warn (totals.factors.constant, self->accounts != NULL, "sim", stderr);
  if (self->hooks == NULL && self->users == NULL)
    lk_offered_load_warn (&self->load, lk_setup_config (self->setup)->units_total, stderr);
  return TRUE;
}

static gboolean
open_users (Run *self, GError **error)
{
  if (!self->settings->users.is_closed)
    return TRUE;
  self->users = lk_users_new (&self->settings->users, self->settings->trace.load_scale_ratio,
                              self->source, error);
  return self->users != NULL;
}

static gboolean
run (Run *self, GError **error)
{
  gint64 wall_begin_us = g_get_monotonic_time ();
  if (!lk_run_check_files (self->settings, error) || !open_setup (self, error)
      || !open_results (self, wall_begin_us, error) || !open_placement (self, error)
      || !open_journal (self, error) || !open_users (self, error))
    return FALSE;
  self->progress = lk_progress_new (self->settings->progress,
                                    lk_trace_source_header (self->source)->unix_start_s, stderr);
  return simulate (self, error);
}

gboolean
lk_sim_settings_run (const LkSettings *settings, const LkSimHooks *hooks, GError **error)
{
  Run self = { .settings = settings, .hooks = hooks };
  gboolean done = run (&self, error);
  run_clear (&self);
  return done;
}

gboolean
lk_sim_settings_check (const LkSettings *settings, GError **error)
{
  g_auto (Policies) policies = { 0 };
  LkSetupOptions options;
  Run self = { .settings = settings, .is_check = TRUE };
  gboolean good = open_policies (&self, &policies, &options, error);
  run_clear (&self);
  return good;
}

gboolean
lk_sim_settings_each (const LkSettings *settings, const LkSimHooks *hooks,
                      gboolean (*take) (gpointer user, const LkTraceJob *job), gpointer user,
                      GError **error)
{
  Run self = { .settings = settings, .hooks = hooks };
  LkTraceJob job;
  int state = open_cluster (&self, error) && open_source (&self, error) ? 1 : -1;
  while (state > 0) {
    state = lk_trace_source_next (self.source, &job, error);
    if (state > 0 && !take (user, &job))
      break;
  }
  run_clear (&self);
  return state >= 0;
}

int
lk_verb_sim (int argc, char **argv)
{
  LkSettings settings;
  g_autoptr (GError) error = NULL;
  if (!lk_settings_parse (&settings, argc, argv, &error))
    return lk_verb_fail ("sim", error);
  gboolean done = settings.commands != NULL ? lk_sim_commands (&settings, &error)
                                            : lk_sim_settings_run (&settings, NULL, &error);
  if (done && settings.shake_count > 0)
    done = lk_shake_run_all (&settings, &error);
  lk_settings_clear (&settings);
  return done ? 0 : lk_verb_fail ("sim", error);
}
