/* sim/slurm_state/play.c — see play.h.
 *
 * Use before is told as of the collection, while the journal begins earlier: until then use does
 * not decay, and jobs are not charged (a QOS whose UsageFactor is 0 charges nothing). */
#include "sim/slurm_state/play.h"

#include <string.h>

#include "engine/hostlist.h"
#include "policies/registry.h"
#include "sim/error.h"
#include "sim/journal_file.h"
#include "sim/slurm_state/reserve.h"
#include "sim/slurm_state/steps.h"
#include "sim/slurm_state/told.h"
#include "traces/accounts_changes.h"

typedef struct {
  LkStateCollected *collected;
  LkSetup *begin; /* without anything that keeps a job from starting */
  LkSetup *site;
  LkEngine *engine;
  LkSink sink;
  LkJournalWriter *writer; /* NULL: nothing is written */
  guint64 seq;
  gint64 now_us;
  LkReject refused; /* of the last event; 0: it was not */
  LkStatePlayed *played;
} Player;

/* So often the past is tried at most. */
#define ROUNDS_MAX 10u

/* ---------------------------------------------------------------- events */

static void
decide (void *user, const LkEvent *cause, const LkDecision *decision)
{
  Player *self = user;
  (void)cause;
  if (decision->kind == LK_DECISION_REJECT)
    self->refused = decision->reject.error;
}

/* Is it taken? */
static gboolean
deliver (Player *self, LkEvent *event)
{
  LkEngineCounts counts;
  self->refused = 0;
  event->seq = ++self->seq;
  event->time_us = self->now_us;
  LkStatus status = lk_engine_apply (self->engine, event, &self->sink);
  g_assert (status == LK_STATUS_OK);
  if (self->writer == NULL)
    return self->refused == 0;
  LkDecided decided = lk_engine_decided (self->engine);
  lk_journal_writer_event (self->writer, event, &decided);
  if (lk_journal_writer_is_full (self->writer)) {
    lk_engine_counts (self->engine, &counts);
    lk_journal_writer_commit (self->writer, counts.decision_count, lk_engine_digest (self->engine));
  }
  return self->refused == 0;
}

static void
tell_record (const Player *self, const LkStateRecord *record, LkSlurmVerdict verdict,
             const char *how)
{
  const LkToldSubject subject = { &record->place, "", record->title, "" };
  lk_told_add (self->collected->folder.told, &subject, verdict, "%s", how);
}

/* ---------------------------------------------------------------- whom an event means */

typedef struct {
  guint32 job_id;
  LkText task_list;
} Target;

static Target
target_of (const LkStateJob *job)
{
  Target target = { .job_id = job->array_id != 0 ? job->array_id : job->id,
                    .task_list = lk_text ("") };
  if (job->array_id != 0)
    target.task_list =
        (LkText){ .bytes = job->tasks, .length_bytes = (guint16)strcspn (job->tasks, "%") };
  return target;
}

static gboolean
release (Player *self, const LkStateJob *job)
{
  LkEvent event = { .kind = LK_EVENT_RELEASE };
  Target target = target_of (job);
  event.release = (LkEvent_release){ .job_id = target.job_id, .task_list = target.task_list };
  return deliver (self, &event);
}

static void
cancel (Player *self, const LkStateJob *job)
{
  LkEvent event = { .kind = LK_EVENT_CANCEL };
  Target target = target_of (job);
  event.cancel = (LkEvent_cancel){ .job_id = target.job_id, .task_list = target.task_list };
  deliver (self, &event);
}

static LkEvent
update_of (const LkStateJob *job, guint64 changes)
{
  LkEvent event = { .kind = LK_EVENT_UPDATE };
  Target target = target_of (job);
  event.update = (LkEvent_update){
    .job_id = target.job_id, .task_list = target.task_list, .by_admin = 1, .changes = changes
  };
  return event;
}

/* The engine's id of a job. 0: it has none. */
static guint32
id_of (const Player *self, const LkStateJob *job)
{
  guint32 id = 0;
  LkTaskSet tasks = { 0 };
  Target target = target_of (job);
  if (job->array_id == 0)
    return job->id;
  const LkArray *array = lk_engine_array (self->engine, job->array_id);
  if (array == NULL || !lk_task_set_parse (target.task_list, LK_LIMIT_TASKS, &tasks))
    return 0;
  LkTaskStanding standing =
      lk_engine_task_standing (self->engine, array, lk_task_set_first (&tasks), &id);
  lk_task_set_clear (&tasks);
  return standing == LK_TASK_JOB ? id : job->array_id;
}

/* A job that cannot be had: it is told, and gone where it has come in. */
static void
leave_out (Player *self, const LkStateJob *job, const char *what, const char *why)
{
  g_autofree char *how = g_strdup_printf ("left out: %s: %s", what, why);
  self->played->left_count++;
  tell_record (self, job->record, LK_SLURM_IGNORED, how);
  cancel (self, job);
}

/* ---------------------------------------------------------------- before the collection */

/* As the default of its partition, where no limit was asked for. */
static gint64
limit_of (const Player *self, const LkStateJob *job)
{
  const GPtrArray *partitions = self->collected->conf.cluster->partitions;
  const LkText *named = &job->request.partition;
  for (guint i = 0; i < partitions->len && job->limit_us == 0; i++) {
    const LkPartitionSpec *spec = g_ptr_array_index (partitions, i);
    gsize length = strlen (spec->name);
    gboolean is_it = named->length_bytes == 0
                         ? spec->is_default
                         : strncmp (named->bytes, spec->name, length) == 0
                               && (named->length_bytes == length || named->bytes[length] == ',');
    if (is_it)
      return spec->time_default_us != LK_TIME_NEVER ? spec->time_default_us : spec->time_max_us;
  }
  return job->limit_us;
}

/* All of a job that has just come in, until it is its turn; of components when all are there. */
static void
hold_all (Player *self, const LkEvent_submit *asked)
{
  LkEvent event = { .kind = LK_EVENT_HOLD };
  event.hold.job_id = asked->het_leader != 0 ? asked->het_leader : asked->job_id;
  if (asked->het_leader == 0 || asked->het_offset + 1 == asked->het_count)
    deliver (self, &event);
}

/* Is it taken? */
static gboolean
submit (Player *self, const LkStateStep *step, const LkStateJob *job)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkJobTerms terms = job->terms;
  if (step->tasks != NULL)
    terms.array = lk_text (step->tasks);
  if (job->het_id != 0) {
    terms.het_leader = job->het_id;
    for (guint i = 0; i < self->collected->jobs->len; i++)
      terms.het_count += g_array_index (self->collected->jobs, LkStateJob, i).het_id == job->het_id;
  }
  event.submit = (LkEvent_submit){ .job_id = step->is_past ? job->id : step->id,
                                   .user_id = job->user_id,
                                   .group_id = job->group_id,
                                   .procs = job->procs,
                                   .estimate_us = limit_of (self, job) };
  lk_submit_set_request (&event.submit, &job->request);
  lk_submit_set_terms (&event.submit, &terms);
  if (!deliver (self, &event))
    return FALSE;
  hold_all (self, &event.submit);
  return TRUE;
}

static void
play_submit (Player *self, const LkStateStep *step)
{
  const LkStateJob *job = &g_array_index (self->collected->jobs, LkStateJob, step->index);
  if (submit (self, step, job))
    return;
  g_autofree char *how =
      g_strdup_printf ("left out: it is refused: %s", lk_reject_text (self->refused));
  tell_record (self, job->record, LK_SLURM_IGNORED, how);
  self->played->left_count++;
}

/* ---------------------------------------------------------------- the past */

/* On the nodes on which it runs, and on no others. */
static gboolean
ask_nodes (Player *self, const LkStateJob *job)
{
  const guint64 one = 1;
  LkEvent event = update_of (job, one << LK_CHANGE_node_list | one << LK_CHANGE_nodes_min
                                      | one << LK_CHANGE_nodes_max);
  event.update.node_list = lk_text (job->nodes);
  event.update.nodes_min = event.update.nodes_max = job->node_count;
  return deliver (self, &event);
}

static void
play_end (Player *self, LkStatePastJob *past)
{
  LkEvent event = { .kind = LK_EVENT_JOB_ENDED };
  event.job_ended = past->ended;
  event.job_ended.job_id = past->job.id;
  if (past->runs)
    deliver (self, &event);
  past->runs = FALSE;
}

static gboolean
shares_node (const char *one, const char *two)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) ones = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) twos = g_ptr_array_new_with_free_func (g_free);
  lk_hostlist_expand (one, strlen (one), ones, NULL);
  lk_hostlist_expand (two, strlen (two), twos, NULL);
  for (guint i = 0; i < ones->len; i++)
    g_hash_table_add (names, g_ptr_array_index (ones, i));
  for (guint i = 0; i < twos->len; i++)
    if (g_hash_table_contains (names, g_ptr_array_index (twos, i)))
      return TRUE;
  return FALSE;
}

/* Ends what has been left running by the past on these nodes (NULL: on all), which is to be left
 * out then. FALSE: there is no such job. */
static gboolean
clear_way (Player *self, const char *nodes)
{
  gboolean is_cleared = FALSE;
  const GPtrArray *jobs = self->collected->past.jobs;
  for (guint i = 0; i < jobs->len; i++) {
    LkStatePastJob *past = g_ptr_array_index (jobs, i);
    if (!past->runs || (nodes != NULL && !shares_node (nodes, past->job.nodes)))
      continue;
    play_end (self, past);
    past->left = "left out: it is in the way of a job that runs, or of a reservation";
    is_cleared = TRUE;
  }
  return is_cleared;
}

static void
play_past_start (Player *self, LkStatePastJob *past)
{
  LkJobInfo info = { .state = LK_JOB_PENDING };
  LkEvent pass = { .kind = LK_EVENT_PASS };
  if (past->left != NULL)
    return;
  if (ask_nodes (self, &past->job) && release (self, &past->job))
    deliver (self, &pass);
  past->runs = lk_engine_job (self->engine, past->job.id, &info) && info.state == LK_JOB_RUNNING;
  if (past->runs)
    return;
  past->left = "left out: it cannot run then on the nodes on which it ran";
  cancel (self, &past->job);
}

static void
play_past (Player *self, const LkStateStep *step)
{
  LkStatePastJob *past = g_ptr_array_index (self->collected->past.jobs, step->index);
  if (step->kind == LK_STATE_STEP_START)
    play_past_start (self, past);
  else if (step->kind == LK_STATE_STEP_END)
    play_end (self, past);
  else if (past->left == NULL && !submit (self, step, &past->job)) {
    g_autofree char *why =
        g_strdup_printf ("left out: it is refused: %s", lk_reject_text (self->refused));
    past->left = g_string_chunk_insert_const (self->collected->texts, why);
  }
}

/* ---------------------------------------------------------------- what is there */

static gboolean
play_reserve (Player *self, guint index, GError **error)
{
  LkEvent event;
  const LkStateRecord *record = g_ptr_array_index (self->collected->reservations, index);
  if (!lk_state_reserve (self->collected, record, self->now_us, &event, error))
    return FALSE;
  self->played->reservation_count++;
  if (deliver (self, &event) || (clear_way (self, NULL) && deliver (self, &event)))
    return TRUE;
  return lk_slurm_fail (&record->place, error, "%s: it is refused: %s", record->title,
                        lk_reject_text (self->refused));
}

static gboolean
ask_reservation (Player *self, const LkStateJob *job)
{
  LkEvent event = update_of (job, G_GUINT64_CONSTANT (1) << LK_CHANGE_reservation);
  event.update.reservation = lk_text (job->reservation);
  return job->reservation == NULL || deliver (self, &event);
}

static void
suspend (Player *self, const LkStateJob *job)
{
  LkEvent event = { .kind = LK_EVENT_SUSPEND };
  Target target = target_of (job);
  event.suspend = (LkEvent_suspend){ .job_id = target.job_id, .task_list = target.task_list };
  if (!deliver (self, &event))
    tell_record (self, job->record, LK_SLURM_APPROXIMATED,
                 "it runs here instead of being "
                 "suspended: that is refused");
}

/* Components start together, with the last of them. */
static gboolean
is_started (const Player *self, const LkStateJob *job, LkJobInfo *out_info)
{
  return job->het_id != 0
         || (lk_engine_job (self->engine, id_of (self, job), out_info)
             && out_info->state == LK_JOB_RUNNING);
}

/* Slurm 22.05 at times gives fewer CPUs than the tasks of a job need: then each CPU is a task. */
static void
ask_cpus (Player *self, const LkStateJob *job)
{
  const guint64 one = 1;
  const LkJobRequest *request = &job->request;
  LkEvent event = update_of (
      job, one << LK_CHANGE_procs | one << LK_CHANGE_tasks | one << LK_CHANGE_cpus_per_task
               | one << LK_CHANGE_tasks_per_node | one << LK_CHANGE_tasks_per_socket);
  if (job->cpu_count >= job->procs || request->gpus_per_task.length_bytes > 0
      || request->tasks_per_gpu > 0 || request->cpus_per_gpu > 0)
    return;
  event.update.procs = event.update.tasks = job->cpu_count;
  deliver (self, &event);
}

static void
play_start (Player *self, const LkStateStep *step)
{
  LkJobInfo info = { .state = LK_JOB_PENDING };
  const LkStateJob *job = &g_array_index (self->collected->jobs, LkStateJob, step->index);
  LkEvent pass = { .kind = LK_EVENT_PASS };
  if (!lk_engine_job (self->engine, id_of (self, job), &info))
    return; /* told when it was submitted */
  if (!ask_reservation (self, job) || !ask_nodes (self, job)
      || (job->terms.het_offset == 0 && !release (self, job))) {
    leave_out (self, job, "it runs, which is refused here", lk_reject_text (self->refused));
    return;
  }
  ask_cpus (self, job);
  deliver (self, &pass);
  if (!is_started (self, job, &info) && clear_way (self, job->nodes))
    deliver (self, &pass);
  if (!is_started (self, job, &info))
    leave_out (self, job, "it runs, and cannot start here", lk_reason_name (info.reason));
}

/* ---------------------------------------------------------------- the moment of the collection */

static gboolean
reconfigure (Player *self, GError **error)
{
  LkJournalHeader header;
  LkEvent event = { .kind = LK_EVENT_RECONFIGURE };
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  lk_setup_header (self->site, "", &header);
  lk_engine_try_config (self->engine, &header, problems);
  lk_reconfigure_set_header (&event.reconfigure, &header);
  if (problems->len == 0 && deliver (self, &event))
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN,
               "'%s': the site's configuration and what runs do not go together: %s",
               self->collected->folder.path,
               problems->len > 0 ? (const char *)g_ptr_array_index (problems, 0)
                                 : lk_reject_text (self->refused));
  return FALSE;
}

static gboolean
partition_set (Player *self, const LkStateRecord *record, GError **error)
{
  static const char *const states[] = { "UP", "DOWN", "DRAIN", "INACTIVE" };
  const char *state = lk_state_record_value (record, "State");
  LkEvent event = { .kind = LK_EVENT_PARTITION };
  event.partition.name = lk_text (lk_state_record_text (record, "PartitionName"));
  while (event.partition.state < G_N_ELEMENTS (states)
         && g_strcmp0 (state, states[event.partition.state]) != 0)
    event.partition.state++;
  if (event.partition.state == G_N_ELEMENTS (states))
    return lk_state_record_fail (record, "State", "UP, DOWN, DRAIN or INACTIVE", error);
  if (event.partition.state != 0)
    deliver (self, &event);
  return TRUE;
}

/* "IDLE+DRAIN", "DOWN*+DRAIN+NOT_RESPONDING", "MIXED+PLANNED". */
static gboolean
node_set (Player *self, const LkStateRecord *record, GError **error)
{
  static const char *const drains[] = { "DRAIN", "DRAINED", "DRAINING", "FAIL", "FAILING", NULL };
  const char *reason = lk_state_record_value (record, "Reason");
  const char *text = lk_state_record_value (record, "State");
  g_auto (GStrv) words = g_strsplit_set (text != NULL ? text : "", "+*~#!%$@^-", -1);
  gboolean is_drained = FALSE;
  LkEvent event = { .kind = LK_EVENT_NODE_DOWN };
  if (text == NULL)
    return lk_state_record_fail (record, "State", "a state such as IDLE", error);
  for (char **word = words; *word != NULL; word++)
    is_drained = is_drained || g_strv_contains (drains, *word);
  if (strstr (text, "FUTURE") != NULL)
    return TRUE;
  event.node_down.node = lk_text (lk_state_record_text (record, "NodeName"));
  event.node_down.reason = lk_text (reason);
  if (g_strcmp0 (words[0], "DOWN") == 0)
    deliver (self, &event);
  if (is_drained) {
    event.kind = LK_EVENT_NODE_DRAIN;
    event.node_drain.node = lk_text (lk_state_record_text (record, "NodeName"));
    event.node_drain.reason = lk_text (reason);
    deliver (self, &event);
  }
  if (strstr (text, "POWER") != NULL)
    tell_record (self, record, LK_SLURM_APPROXIMATED,
                 "nodes are always on: power saving is not modelled");
  return TRUE;
}

static void
hold_by_admin (Player *self, const LkStateJob *job)
{
  LkEvent event = { .kind = LK_EVENT_HOLD };
  Target target = target_of (job);
  event.hold =
      (LkEvent_hold){ .job_id = target.job_id, .task_list = target.task_list, .by_admin = 1 };
  deliver (self, &event);
}

static void
let_wait (Player *self, const LkStateJob *job)
{
  LkJobInfo info;
  LkEvent event = update_of (job, G_GUINT64_CONSTANT (1) << LK_CHANGE_dependency);
  gboolean waits_well = TRUE;
  if (!lk_engine_job (self->engine, id_of (self, job), &info))
    return; /* told when it was submitted */
  if (job->dependency != NULL) {
    event.update.dependency = lk_text (job->dependency);
    waits_well = deliver (self, &event);
  }
  waits_well = ask_reservation (self, job) && waits_well;
  if (!waits_well)
    tell_record (self, job->record, LK_SLURM_APPROXIMATED,
                 "held: its dependency or reservation is refused here");
  if (!waits_well || job->held == LK_STATE_HELD_BY_ADMIN)
    hold_by_admin (self, job);
  else if (job->held == LK_STATE_HELD_NOT && job->terms.het_offset == 0)
    release (self, job);
}

static LkReject
tell_change (gpointer user, LkEvent *event)
{
  Player *self = user;
  deliver (self, event);
  return self->refused;
}

/* From here on jobs are charged as their QOS says, for what they have run before not at all. */
static void
charge (Player *self)
{
  const LkAccounts *begin = lk_setup_config (self->begin)->accounts;
  if (begin == NULL)
    return;
  g_autoptr (LkAccounts) from = lk_accounts_copy (begin);
  for (guint i = 0; i < from->associations->len; i++)
    ((LkAssociationSpec *)g_ptr_array_index (from->associations, i))->usage = 0;
  g_autoptr (LkAccounts) to = lk_accounts_copy (from);
  for (guint i = 0; i < to->qos->len; i++) {
    LkQosSpec *spec = g_ptr_array_index (to->qos, i);
    spec->usage_factor =
        lk_accounts_find_qos (self->collected->conf.accounts, spec->name)->usage_factor;
  }
  LkReject refused = lk_accounts_tell_changes (from, to, tell_change, self);
  g_assert (refused == 0);
}

static gboolean
play_now (Player *self, GError **error)
{
  LkStateCollected *collected = self->collected;
  gint64 moment_us;
  if (!reconfigure (self, error))
    return FALSE;
  charge (self);
  for (guint i = 0; i < collected->partitions->len; i++)
    if (!partition_set (self, g_ptr_array_index (collected->partitions, i), error))
      return FALSE;
  for (guint i = 0; i < collected->nodes->len; i++)
    if (!node_set (self, g_ptr_array_index (collected->nodes, i), error))
      return FALSE;
  for (guint i = 0; i < collected->reservations->len; i++)
    if (!lk_state_reservation_moment (collected, g_ptr_array_index (collected->reservations, i),
                                      &moment_us, error)
        || (moment_us == self->now_us && !play_reserve (self, i, error)))
      return FALSE;
  for (guint i = 0; i < collected->jobs->len; i++) {
    const LkStateJob *job = &g_array_index (collected->jobs, LkStateJob, i);
    if (job->phase == LK_STATE_JOB_PENDING)
      let_wait (self, job);
  }
  return TRUE;
}

/* ---------------------------------------------------------------- setting up */

static LkCluster *
cluster_copy (const LkCluster *from)
{
  LkClusterError error;
  g_autoptr (GString) text = g_string_new (NULL);
  lk_cluster_text (from, text);
  return lk_cluster_from_text (text->str, text->len, &error);
}

static void
text_clear (char **text)
{
  g_free (*text);
  *text = g_strdup ("");
}

/* Nothing of a partition keeps anybody from anything. Returns: (transfer full). */
static LkCluster *
cluster_open (const LkCluster *from)
{
  LkCluster *cluster = cluster_copy (from);
  cluster->enforce_limits = FALSE;
  for (guint i = 0; i < cluster->partitions->len; i++) {
    LkPartitionSpec *spec = g_ptr_array_index (cluster->partitions, i);
    spec->time_max_us = LK_TIME_NEVER;
    spec->nodes_min = 0;
    spec->nodes_max = LK_COUNT_UNLIMITED;
    spec->root_only = FALSE;
    spec->reservation_required = FALSE;
    text_clear (&spec->allow_accounts);
    text_clear (&spec->deny_accounts);
    text_clear (&spec->allow_groups);
    text_clear (&spec->allow_qos);
    text_clear (&spec->deny_qos);
  }
  return cluster;
}

/* Nothing is enforced, and use stays as it is. Returns: (transfer full); NULL: there are none. */
static LkAccounts *
accounts_open (const LkAccounts *from)
{
  if (from == NULL)
    return NULL;
  LkAccounts *accounts = lk_accounts_copy (from);
  accounts->enforce = 0;
  accounts->half_life_us = 0;
  accounts->reset = LK_RESET_NONE;
  for (guint i = 0; i < accounts->qos->len; i++)
    ((LkQosSpec *)g_ptr_array_index (accounts->qos, i))->usage_factor = 0;
  return accounts;
}

static gboolean
setups_make (Player *self, const LkRegistry *registry, const LkAccounts *accounts, GError **error)
{
  const LkStateConf *conf = &self->collected->conf;
  g_autoptr (LkCluster) cluster = cluster_open (conf->cluster);
  const LkSetupOptions begin = { .cluster = cluster,
                                 .origin_us = LK_TIME_NEVER,
                                 .order = "fifo",
                                 .backfill = "none",
                                 .select = lk_setup_select_of (conf->cluster),
                                 .accounts = accounts,
                                 .limits = "none",
                                 .preempt = "none",
                                 .requeues_ended = TRUE };
  LkSetupOptions site = begin;
  site.cluster = conf->cluster;
  site.order = conf->order;
  site.backfill = conf->backfill;
  site.accounts = conf->accounts;
  site.limits = NULL;
  site.preempt = conf->preempt;
  self->begin = lk_setup_new (registry, &begin, error);
  self->site = self->begin != NULL ? lk_setup_new (registry, &site, error) : NULL;
  return self->site != NULL;
}

static void
count_all (Player *self)
{
  LkEngineCounts counts;
  lk_engine_counts (self->engine, &counts);
  self->played->pending_count = counts.pending_count;
  self->played->running_count = counts.running_count;
  self->played->event_count = counts.event_count;
}

/* One round of scheduling, so that the journal has a plan to compare with that of Slurm.  Slurm may
 * not have come to jobs that start in it. */
static void
schedule (Player *self)
{
  LkEngineCounts counts;
  LkEvent pass = { .kind = LK_EVENT_PASS };
  LkStatePlayed *played = self->played;
  deliver (self, &pass);
  lk_engine_counts (self->engine, &counts);
  played->started_count = counts.running_count - MIN (counts.running_count, played->running_count);
  played->event_count = counts.event_count;
}

/* All up to the moment of the collection. */
static gboolean
play_before (Player *self, GError **error)
{
  LkPolicyError policy_error = { 0 };
  g_autoptr (GArray) steps = lk_state_steps_new (self->collected, error);
  if (steps == NULL)
    return FALSE;
  self->engine = lk_engine_new (lk_setup_config (self->begin), &policy_error);
  g_assert (self->engine != NULL);
  for (guint i = 0; i < steps->len; i++) {
    const LkStateStep *step = &g_array_index (steps, LkStateStep, i);
    self->now_us = step->time_us;
    if (step->is_past)
      play_past (self, step);
    else if (step->kind == LK_STATE_STEP_SUBMIT)
      play_submit (self, step);
    else if (step->kind == LK_STATE_STEP_START)
      play_start (self, step);
    else if (step->kind == LK_STATE_STEP_SUSPEND)
      suspend (self, &g_array_index (self->collected->jobs, LkStateJob, step->index));
    else if (!play_reserve (self, step->index, error))
      return FALSE;
  }
  self->now_us = self->collected->folder.collected_us;
  return TRUE;
}

static gboolean
play_all (Player *self, GError **error)
{
  if (!play_before (self, error) || !play_now (self, error))
    return FALSE;
  count_all (self);
  schedule (self);
  return TRUE;
}

static guint
past_count (const LkStatePast *past)
{
  guint count = 0;
  for (guint i = 0; i < past->jobs->len; i++)
    count += ((const LkStatePastJob *)g_ptr_array_index (past->jobs, i))->left == NULL;
  return count;
}

/* Plays without a journal, and without telling, until nothing more of the past has to be left out:
 * then the journal holds nothing that was tried in vain.  Where that takes long it holds some of
 * it, which is cancelled, and the queue is the same. */
static gboolean
past_settle (const Player *from, GError **error)
{
  const LkStatePast *past = &from->collected->past;
  GPtrArray *told = from->collected->folder.told;
  const guint told_count = told->len;
  guint count = past_count (past);
  for (guint round = 0; round < ROUNDS_MAX && count > 0; round++) {
    LkStatePlayed played = { 0 };
    Player player = *from;
    player.played = &played;
    player.sink = (LkSink){ decide, &player };
    gboolean is_played = play_before (&player, error);
    g_clear_pointer (&player.engine, lk_engine_free);
    g_ptr_array_set_size (told, (gint)told_count);
    if (!is_played)
      return FALSE;
    if (past_count (past) == count)
      return TRUE;
    count = past_count (past);
  }
  return TRUE;
}

static void
player_clear (Player *self)
{
  g_clear_pointer (&self->engine, lk_engine_free);
  g_clear_pointer (&self->begin, lk_setup_free);
  g_clear_pointer (&self->site, lk_setup_free);
}

/* ---------------------------------------------------------------- the journal */

static gboolean
journal_write (Player *self, const char *path, GError **error)
{
  LkJournalHeader header;
  LkEngineCounts counts;
  g_autofree char *source =
      g_strdup_printf ("the state of the Slurm cluster '%s'", self->collected->conf.cluster->name);
  lk_setup_header (self->begin, source, &header);
  g_autoptr (LkJournalFile) file = lk_journal_file_create (path, &header, error);
  if (file == NULL)
    return FALSE;
  self->writer = lk_journal_file_writer (file);
  if (!play_all (self, error))
    return FALSE;
  lk_engine_counts (self->engine, &counts);
  /* No end record: it is a run that goes on. */
  lk_journal_writer_commit (self->writer, counts.decision_count, lk_engine_digest (self->engine));
  return lk_journal_file_close (file, error);
}

gboolean
lk_state_play (LkStateCollected *collected, const char *journal_path, LkStatePlayed *out_played,
               GError **error)
{
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (LkAccounts) accounts = accounts_open (collected->conf.accounts);
  *out_played = (LkStatePlayed){ 0 };
  Player player = { .collected = collected, .played = out_played };
  player.sink = (LkSink){ decide, &player };
  gboolean is_written = setups_make (&player, registry, accounts, error)
                        && past_settle (&player, error)
                        && journal_write (&player, journal_path, error);
  out_played->past_count = past_count (&collected->past);
  out_played->past_left_count = lk_state_past_tell_left (&collected->past, collected->folder.told);
  player_clear (&player);
  return is_written;
}
