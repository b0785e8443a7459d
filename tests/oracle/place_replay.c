/* tests/oracle/place_replay.c — see place_replay.h. */
#include "tests/oracle/place_replay.h"

#include <string.h>

#include "engine/hostlist.h"
#include "policies/registry.h"
#include "tests/oracle/place_order.h"
#include "traces/accounts_open.h"
#include "traces/accounts_script.h"
#include "traces/job_options.h"
#include "traces/slurm_conf.h"

typedef struct {
  const char *name;
  guint32 id; /* 0: not known to the engine */
  LkJobState state;
  const char *refused; /* why; NULL: it was not */
  char *placed;        /* where it runs, as lines of a recording; NULL: not known yet */
  gboolean is_told;    /* its fate is no longer new */
} Job;

typedef struct {
  const LkCaseFile *file;
  LkSlurmImport *import;
  const LkCluster *cluster;
  LkAccounts *accounts; /* NULL: the case has none */
  LkRegistry *registry;
  LkSetup *setup;
  LkEngine *engine;
  GStringChunk *texts;
  GPtrArray *users; /* of const char*, number by index */
  GPtrArray *jobs;  /* of Job* */
  guint32 job_id_last;
  guint settle_count;
  gint64 now_us;
  gint64 wake_us;
  GString *out;
} Replay;

static void
job_free (Job *self)
{
  g_free (self->placed);
  g_free (self);
}

static Job *
job_of (const Replay *self, guint32 id)
{
  for (guint i = 0; i < self->jobs->len; i++) {
    Job *job = g_ptr_array_index (self->jobs, i);
    if (job->id == id)
      return job;
  }
  return NULL;
}

static Job *
job_named (const Replay *self, const char *name)
{
  for (guint i = 0; i < self->jobs->len; i++) {
    Job *job = g_ptr_array_index (self->jobs, i);
    if (g_str_equal (job->name, name))
      return job;
  }
  return NULL;
}

/* ---------------------------------------------------------------- where a job runs */

/* Ids of the threads of cores, as ranges. */
static void
put_cpus (GString *out, const LkPiece *piece, const LkNodeKind *kind, guint32 threads)
{
  guint32 words = lk_bits_words (kind->cores);
  guint32 end = kind->cores;
  const char *comma = "";
  for (guint32 from = lk_bits_next (piece->cores, words, 0); from < end;) {
    guint32 to = from + 1;
    while (to < end && lk_bits_has (piece->cores, to))
      to++;
    guint32 first = from * threads, last = to * threads - 1;
    g_string_append_printf (out, first == last ? "%s%u" : "%s%u-%u", comma, first, last);
    comma = ",";
    from = lk_bits_next (piece->cores, words, to);
  }
}

static void
put_indices (GString *out, guint64 devices)
{
  const char *comma = "";
  for (guint32 i = 0; i < 64; i++) {
    guint32 first = i;
    if (!lk_bits_has (&devices, i))
      continue;
    while (i + 1 < 64 && lk_bits_has (&devices, i + 1))
      i++;
    g_string_append_printf (out, first == i ? "%s%u" : "%s%u-%u", comma, first, i);
    comma = ",";
  }
}

/* Devices of each type. */
static void
put_devices (GString *out, const LkNodeTable *nodes, const LkPiece *piece, const LkNodeKind *kind)
{
  for (guint32 type = 0; type <= nodes->type_names->len; type++) {
    guint64 devices = 0;
    for (guint32 i = 0; i < kind->device_count; i++)
      if (lk_bits_has (&piece->devices, i) && kind->device_type[i] == type)
        devices |= G_GUINT64_CONSTANT (1) << i;
    if (devices == 0)
      continue;
    g_string_append (out, out->len > 0 ? ",gpu" : "gpu");
    if (type > 0)
      g_string_append_printf (out, ":%s",
                              (const char *)g_ptr_array_index (nodes->type_names, type - 1));
    g_string_append_printf (out, ":%u(IDX:", lk_bits_count (&devices, 1));
    put_indices (out, devices);
    g_string_append_c (out, ')');
  }
}

static void
put_gres (GString *out, const LkNodeTable *nodes, const LkPiece *piece, const LkNodeKind *kind)
{
  g_autoptr (GString) gres = g_string_new (NULL);
  put_devices (gres, nodes, piece, kind);
  if (piece->shares > 0)
    g_string_append_printf (gres, "%s%s:%u(IDX:%u)", gres->len > 0 ? "," : "",
                            nodes->gres[kind->share_name].name, piece->shares, piece->share_device);
  for (guint32 name = 0; name < nodes->gres_count; name++)
    if (piece->counts[name] > 0)
      g_string_append_printf (gres, "%s%s(CNT:%u)", gres->len > 0 ? "," : "",
                              nodes->gres[name].name, piece->counts[name]);
  if (gres->len > 0)
    g_string_append_printf (out, " gres=%s", gres->str);
}

static char *
place_text (const Replay *self, guint32 id)
{
  const LkNodeTable *nodes = lk_engine_nodes (self->engine);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GString) lines = g_string_new (NULL);
  GString *out = g_string_new (NULL);
  guint32 cpus = 0;
  for (guint32 i = lk_engine_job_pieces (self->engine, id); i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job) {
    const LkPiece *piece = lk_piece (nodes, i);
    const LkNodeKind *kind = lk_node_kind (nodes, piece->node);
    const LkNodeSpec *spec = g_ptr_array_index (self->cluster->nodes, nodes->kind_of[piece->node]);
    cpus += piece->cpus;
    g_ptr_array_add (names, nodes->names[piece->node]);
    g_string_append_printf (lines, "  %s cpus=", nodes->names[piece->node]);
    put_cpus (lines, piece, kind, spec->threads_per_core);
    g_string_append_printf (lines, " memory_mib=%" G_GINT64_FORMAT, piece->memory_bytes >> 20);
    put_gres (lines, nodes, piece, kind);
    g_string_append_c (lines, '\n');
  }
  lk_hostlist_compress ((const char *const *)names->pdata, names->len, out);
  g_string_append_printf (out, " cpus=%u\n%s", cpus, lines->str);
  return g_string_free (out, FALSE);
}

/* ---------------------------------------------------------------- events and decisions */

static void
decide (void *user, const LkEvent *cause, const LkDecision *decision)
{
  Replay *self = user;
  Job *job;
  switch (decision->kind) {
  case LK_DECISION_START:
    job = job_of (self, decision->start.job_id);
    job->state = LK_JOB_RUNNING;
    job->is_told = FALSE;
    g_free (job->placed);
    job->placed = place_text (self, job->id);
    break;
  case LK_DECISION_REJECT:
    job = job_of (self, decision->reject.job_id);
    if (cause->kind == LK_EVENT_SUBMIT)
      job->refused = lk_reject_text (decision->reject.error);
    break;
  case LK_DECISION_NOTICE:
    job = job_of (self, decision->notice.job_id);
    job->is_told = FALSE;
    job->state = decision->notice.state == LK_JOB_REQUEUED ? LK_JOB_PENDING
                                                           : (LkJobState)decision->notice.state;
    break;
  case LK_DECISION_WAKE:
    self->wake_us = decision->wake.at_us;
    break;
  default:
    break;
  }
}

static void
apply (Replay *self, LkEvent *event)
{
  LkEngineCounts counts;
  LkSink sink = { decide, self };
  lk_engine_counts (self->engine, &counts);
  event->seq = counts.event_count + 1;
  event->time_us = self->now_us;
  g_assert_cmpint (lk_engine_apply (self->engine, event, &sink), ==, LK_STATUS_OK);
  lk_engine_check (self->engine);
}

static void
apply_kind (Replay *self, LkEventKind kind)
{
  LkEvent event = { .kind = kind };
  apply (self, &event);
}

/* ---------------------------------------------------------------- steps */

static guint32
user_number (Replay *self, const char *user)
{
  for (guint i = 0; i < self->users->len; i++)
    if (g_str_equal (g_ptr_array_index (self->users, i), user))
      return i;
  g_ptr_array_add (self->users, (gpointer)user);
  return self->users->len - 1;
}

static void
submit (Replay *self, const LkCaseStep *step)
{
  g_autoptr (GError) error = NULL;
  LkJobOptions options;
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  Job *job = g_new0 (Job, 1);
  job->name = step->name;
  g_ptr_array_add (self->jobs, job);
  if (!lk_job_options_parse ((const char *const *)step->words, self->texts, &options, &error)) {
    job->refused = g_string_chunk_insert (self->texts, error->message);
    return;
  }
  job->id = ++self->job_id_last;
  event.submit.job_id = job->id;
  event.submit.user_id = user_number (self, step->user != NULL ? step->user : "");
  event.submit.procs = MAX (1, options.request.tasks);
  event.submit.estimate_us = MAX (0, options.limit_us);
  if (step->user != NULL)
    options.request.user = lk_text (step->user);
  lk_place_order_partition (self->cluster, options.request.partition, &event.submit.partition_id,
                            &event.submit.group_id);
  lk_submit_set_request (&event.submit, &options.request);
  apply (self, &event);
}

static void
end (Replay *self, const char *name)
{
  Job *job = job_named (self, name);
  LkJobInfo info;
  if (job == NULL || job->id == 0 || !lk_engine_job (self->engine, job->id, &info))
    return;
  job->is_told = TRUE;
  LkEvent event = { .kind = LK_EVENT_CANCEL };
  event.cancel.job_id = job->id;
  if (info.state == LK_JOB_RUNNING) {
    event = (LkEvent){ .kind = LK_EVENT_JOB_ENDED };
    event.job_ended.job_id = job->id;
  }
  apply (self, &event);
  job->is_told = TRUE;
}

static void
change_nodes (Replay *self, const LkCaseStep *step)
{
  g_autofree char *names = g_strjoinv (",", step->words);
  LkEvent event = { .kind = LK_EVENT_NODE_RESUME };
  event.node_resume.node = lk_text (names);
  if (g_str_equal (step->state, "down")) {
    event = (LkEvent){ .kind = LK_EVENT_NODE_DOWN };
    event.node_down.node = lk_text (names);
  } else if (!g_str_equal (step->state, "resume")) {
    event = (LkEvent){ .kind = LK_EVENT_NODE_DRAIN };
    event.node_drain.node = lk_text (names);
  }
  apply (self, &event);
}

/* Timers come on the way. */
static void
go_to (Replay *self, gint64 at_us)
{
  while (self->wake_us <= at_us) {
    self->now_us = MAX (self->now_us, self->wake_us);
    self->wake_us = LK_TIME_NEVER;
    apply_kind (self, LK_EVENT_TIMER);
    if (lk_engine_pass_wanted (self->engine))
      apply_kind (self, LK_EVENT_PASS);
  }
  self->now_us = at_us;
}

/* ---------------------------------------------------------------- telling */

/* Who waits because others do, and who because of what he asks for? */
static const char *
reason_of (const Replay *self, const LkJobInfo *info)
{
  if (info->reason != LK_REASON_PRIORITY && info->reason != LK_REASON_RESOURCES)
    return lk_reason_name (info->reason);
  g_autoptr (GArray) queue = lk_engine_queue_ids (self->engine);
  for (guint i = 0; i < queue->len; i++) {
    LkJobInfo other;
    lk_engine_job (self->engine, g_array_index (queue, guint32, i), &other);
    if (other.id == info->id)
      break;
    if (other.partition_id == info->partition_id
        && (other.reason == LK_REASON_PRIORITY || other.reason == LK_REASON_RESOURCES))
      return lk_reason_name (LK_REASON_PRIORITY);
  }
  return lk_reason_name (LK_REASON_RESOURCES);
}

static void
tell (Replay *self, Job *job)
{
  LkJobInfo info;
  if (job->refused != NULL && !job->is_told)
    g_string_append_printf (self->out, "job %s REFUSED %s\n", job->name, job->refused);
  else if (job->id != 0 && lk_engine_job (self->engine, job->id, &info)
           && info.state == LK_JOB_PENDING)
    g_string_append_printf (self->out, "job %s PENDING %s\n", job->name, reason_of (self, &info));
  else if (!job->is_told && job->state == LK_JOB_RUNNING)
    g_string_append_printf (self->out, "job %s RUNNING %s", job->name, job->placed);
  else if (!job->is_told)
    g_string_append_printf (self->out, "job %s %s None\n", job->name,
                            lk_job_state_name (job->state));
  job->is_told = TRUE;
}

static void
settle (Replay *self)
{
  apply_kind (self, LK_EVENT_PASS);
  g_string_append_printf (self->out, "settle %u\n", ++self->settle_count);
  for (guint i = 0; i < self->jobs->len; i++)
    tell (self, g_ptr_array_index (self->jobs, i));
}

static void
step_run (Replay *self, const LkCaseStep *step)
{
  switch (step->verb) {
  case LK_CASE_SUBMIT:
    submit (self, step);
    break;
  case LK_CASE_SETTLE:
    settle (self);
    break;
  case LK_CASE_END:
    for (guint i = 0; step->words[i] != NULL; i++)
      end (self, step->words[i]);
    break;
  case LK_CASE_NODE:
    change_nodes (self, step);
    break;
  case LK_CASE_AT:
    go_to (self, step->at_us);
    break;
  default:
    g_assert_not_reached ();
  }
}

/* ---------------------------------------------------------------- all of it */

static GBytes *
bytes_of (const GString *text)
{
  return text != NULL && text->len > 0 ? g_bytes_new (text->str, text->len) : NULL;
}

static LkSlurmImport *
import (const LkCaseFile *file, GError **error)
{
  LkSlurmImportTexts texts = { .conf = bytes_of (file->slurm_conf),
                               .gres = bytes_of (file->gres_conf),
                               .topology = bytes_of (file->topology_conf) };
  LkSlurmImport *imported = lk_slurm_import_new_from_texts (&texts, error);
  g_clear_pointer (&texts.conf, g_bytes_unref);
  g_clear_pointer (&texts.gres, g_bytes_unref);
  g_clear_pointer (&texts.topology, g_bytes_unref);
  return imported;
}

/* FALSE: they are wrong. */
static gboolean
accounts_read (Replay *self, GError **error)
{
  g_autoptr (GBytes) script = bytes_of (self->file->accounts);
  g_autoptr (GBytes) conf = bytes_of (self->file->slurm_conf);
  if (script == NULL)
    return TRUE;
  self->accounts = lk_accounts_script_read (self->file->name, script, NULL, error);
  return self->accounts != NULL
         && lk_accounts_apply_slurm_conf_bytes (self->accounts, self->file->name, conf, error);
}

static gboolean
start (Replay *self, GError **error)
{
  const char *conf = self->file->slurm_conf->str;
  LkPolicyError policy_error;
  gboolean backfills = strstr (conf, "SchedulerType=sched/backfill") != NULL;
  self->import = import (self->file, error);
  if (self->import == NULL || !accounts_read (self, error))
    return FALSE;
  LkCluster *cluster = (LkCluster *)lk_slurm_import_cluster (self->import); /* ours alone */
  if (g_str_equal (self->file->slurm, "22.05"))
    cluster->compat = LK_COMPAT_SLURM_22_05;
  self->cluster = cluster;
  LkSetupOptions options = { .origin_us = LK_TIME_NEVER,
                             .order = LK_PLACE_ORDER,
                             .backfill = backfills ? "replan" : LK_PLACE_FIFO,
                             .select = lk_setup_select_of (self->cluster),
                             .cluster = self->cluster,
                             .accounts = self->accounts };
  self->registry = lk_registry_new ();
  lk_place_order_add (self->registry);
  self->setup = lk_setup_new (self->registry, &options, error);
  if (self->setup == NULL)
    return FALSE;
  self->engine = lk_engine_new (lk_setup_config (self->setup), &policy_error);
  g_assert_nonnull (self->engine);
  return TRUE;
}

char *
lk_place_replay (const LkCaseFile *file, GError **error)
{
  Replay self = { .file = file,
                  .texts = g_string_chunk_new (4096),
                  .users = g_ptr_array_new (),
                  .jobs = g_ptr_array_new_with_free_func ((GDestroyNotify)job_free),
                  .wake_us = LK_TIME_NEVER,
                  .out = g_string_new (NULL) };
  gboolean is_good = start (&self, error);
  for (guint i = 0; is_good && i < file->steps->len; i++)
    step_run (&self, g_ptr_array_index (file->steps, i));
  lk_engine_free (self.engine);
  lk_setup_free (self.setup);
  lk_registry_free (self.registry);
  lk_accounts_free (self.accounts);
  lk_slurm_import_free (self.import);
  g_ptr_array_unref (self.jobs);
  g_ptr_array_unref (self.users);
  g_string_chunk_free (self.texts);
  return g_string_free (self.out, !is_good);
}
