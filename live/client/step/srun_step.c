/* live/client/step/srun_step.c — the step that srun asks for: what it gets, what its tasks need.
 *
 * Source: srun(1); src/srun/launch.c of Slurm (launch_common_create_job_step). */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/cluster.h"
#include "live/client/step/srun.h"
#include "traces/job_values.h"

#define PAUSE_FIRST_US 5000
#define PAUSE_MAX_US (2 * G_USEC_PER_SEC)
/* That it waits is told behind this: of a step that has just ended the controller may hear later
 * than whoever asks for the next one. */
#define TOLD_AFTER_US G_USEC_PER_SEC
/* That it still waits is told this often. */
#define STILL_TOLD_US (60 * G_USEC_PER_SEC)

/* ---------------------------------------------------------------- what it gets */

static guint8
distribution_of (const char *text, guint32 *out_plane)
{
  static const struct {
    const char *name;
    guint8 number;
  } names[] = { { "block", LK_STEP_DISTRIBUTION_BLOCK },
                { "cyclic", LK_STEP_DISTRIBUTION_CYCLIC },
                { "arbitrary", LK_STEP_DISTRIBUTION_ARBITRARY } };
  if (text == NULL || *text == '\0')
    return LK_STEP_DISTRIBUTION_DEFAULT;
  g_autofree char *lower = g_ascii_strdown (text, -1);
  g_auto (GStrv) words = g_strsplit (lower, ",", -1);
  for (guint i = 0; words[i] != NULL; i++)
    if (strcmp (words[i], "pack") == 0)
      return LK_STEP_DISTRIBUTION_PACK;
  if (g_str_has_prefix (lower, "plane=")) {
    *out_plane = (guint32)g_ascii_strtoull (lower + strlen ("plane="), NULL, 10);
    return LK_STEP_DISTRIBUTION_PLANE;
  }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strncmp (lower, names[i].name, strcspn (lower, ":,")) == 0)
      return names[i].number;
  return LK_STEP_DISTRIBUTION_DEFAULT;
}

/* So many GPUs an option asks for: "2", "a100:2,b:1", of --gres "gpu:2". */
static guint32
gpus_of (const LkSrun *self, const char *option)
{
  const char *text = lk_launch_value (&self->launch, option);
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (LkJobGres));
  if (text == NULL || !lk_job_gres_parse (text, strcmp (option, "gres") == 0 ? NULL : "gpu", list))
    return 0;
  return lk_job_gres_count (list, "gpu");
}

static gboolean
wants_no_devices (const LkSrun *self)
{
  const char *gres = lk_launch_value (&self->launch, "gres");
  return gres != NULL && g_ascii_strcasecmp (gres, "none") == 0;
}

static guint32
flags_of (const LkSrun *self)
{
  const LkLaunch *launch = &self->launch;
  guint32 flags = 0;
  if (lk_launch_has (launch, "overlap"))
    flags |= LK_STEP_FLAG_OVERLAP;
  /* Within a job --exclusive is about other steps, and -c says how much is wanted. */
  if (lk_launch_has (launch, "exact") || lk_launch_is_on_line (launch, "cpus-per-task")
      || (!self->owns_job && lk_launch_has (launch, "exclusive")))
    flags |= LK_STEP_FLAG_EXACT;
  if (lk_launch_has (launch, "overcommit"))
    flags |= LK_STEP_FLAG_OVERCOMMIT;
  if (self->has_terminal)
    flags |= LK_STEP_FLAG_PTY;
  if (lk_launch_has (launch, "no-kill"))
    flags |= LK_STEP_FLAG_NO_KILL;
  if (lk_launch_has (launch, "interactive"))
    flags |= LK_STEP_FLAG_INTERACTIVE | LK_STEP_FLAG_OVERLAP;
  if (wants_no_devices (self))
    flags |= LK_STEP_FLAG_NO_DEVICES;
  return flags;
}

/* A controller drops a message with a text that is none: bytes that are not UTF-8 are replaced. */
static const char *
valid_text (const LkSrun *self, const char *text, gsize bytes_max)
{
  g_autofree char *kept = g_utf8_make_valid (text, (gssize)strnlen (text, bytes_max));
  return g_string_chunk_insert_const (self->launch.submission.texts, kept);
}

/* Characters that stand for what was none are longer than it: three times as long at most. */
static LkText
text_of (const LkSrun *self, const char *text)
{
  const char *kept = text != NULL ? valid_text (self, text, G_MAXUINT16 / 3) : "";
  return (LkText){ kept, (guint16)strlen (kept) };
}

static LkLongText
long_text_of (LkText text)
{
  return (LkLongText){ text.bytes, text.length_bytes };
}

static void
amounts_fill (const LkSrun *self, LkMessage_step_create *out)
{
  const LkJobRequest *request = &self->options.request;
  out->node_min = request->nodes_min;
  out->node_max = request->nodes_max == LK_COUNT_UNLIMITED ? 0 : request->nodes_max;
  out->tasks = self->options.tasks;
  out->cpus_per_task = request->cpus_per_task;
  out->tasks_per_node = self->options.tasks_per_node;
  if (!self->owns_job) {
    out->memory_per_node_bytes = request->memory_per_node_bytes;
    out->memory_per_cpu_bytes = request->memory_per_cpu_bytes;
    out->memory_per_gpu_bytes = request->memory_per_gpu_bytes;
    out->limit_us = MAX (0, self->options.limit_us);
  }
  /* Also in place of what variables of the job say. */
  if (wants_no_devices (self))
    return;
  if (!self->owns_job) {
    out->gpus = gpus_of (self, "gpus");
    out->gpus_per_node = MAX (gpus_of (self, "gpus-per-node"), gpus_of (self, "gres"));
  }
  out->gpus_per_task = gpus_of (self, "gpus-per-task");
}

/* FALSE: told. */
static gboolean
relative_check (const LkSrun *self, guint32 relative)
{
  const LkLaunch *launch = &self->launch;
  const LkClient *client = launch->submission.client;
  guint32 nodes_min = self->options.request.nodes_min;
  guint32 nodes = self->job.row->job.nodes;
  if (self->owns_job)
    lk_client_error (client, "--relative option invalid for job allocation request");
  else if (lk_launch_is_on_line (launch, "nodelist") || lk_launch_is_on_line (launch, "exclude"))
    lk_client_error (client, "-r,--relative not allowed with -w,--nodelist or -x,--exclude.");
  else if (relative > 0 && (guint64)relative + nodes_min > nodes)
    lk_client_error (client,
                     "--relative and %s option incompatible with count of allocated nodes "
                     "(%u+%u>%u)",
                     lk_launch_is_on_line (launch, "nodes") ? "--nodes" : "SLURM_JOB_NUM_NODES",
                     relative, nodes_min, nodes);
  else
    return TRUE;
  return FALSE;
}

/* --relative. FALSE: told. */
static gboolean
relative_read (const LkSrun *self, guint32 *out_relative)
{
  const char *text = lk_launch_value (&self->launch, "relative");
  guint64 number;
  if (text == NULL)
    return TRUE;
  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT32, &number, NULL)) {
    lk_client_error (self->launch.submission.client, "Invalid numeric value \"%s\" for --relative.",
                     text);
    return FALSE;
  }
  *out_relative = (guint32)number + 1;
  return relative_check (self, (guint32)number);
}

/* A step is called by its program, unless it is told otherwise here. */
static const char *
name_of (const LkSrun *self)
{
  const LkSbatch *submission = &self->launch.submission;
  const char *name = lk_launch_value (&self->launch, "job-name");
  if (name != NULL && (self->owns_job || lk_launch_is_on_line (&self->launch, "job-name")))
    return name;
  g_autofree char *base = g_path_get_basename (self->launch.arguments[0]);
  return g_string_chunk_insert_const (submission->texts, base);
}

static gboolean
want_fill (const LkSrun *self, LkMessage_step_create *out)
{
  const LkClient *client = self->launch.submission.client;
  const char *line = valid_text (self, self->launch.submission.submit_line, G_MAXINT32);
  out->job_id = self->job.job_id;
  out->name = text_of (self, name_of (self));
  amounts_fill (self, out);
  out->nodelist = long_text_of (self->options.request.node_list);
  out->exclude = long_text_of (self->options.request.exclude);
  out->distribution =
      distribution_of (lk_launch_value (&self->launch, "distribution"), &out->plane_size);
  if (self->hosts != NULL) {
    out->nodelist = (LkLongText){ self->hosts, (guint32)strlen (self->hosts) };
    out->distribution = LK_STEP_DISTRIBUTION_ARBITRARY;
  }
  out->flags = flags_of (self);
  out->source_host = text_of (self, client->host);
  out->source_pid = (guint32)getpid ();
  out->submit_line = (LkLongText){ line, (guint32)strlen (line) };
  return relative_read (self, &out->relative);
}

/* ---------------------------------------------------------------- what its tasks need */

static void
files_fill (const LkSrun *self, LkStepTask *task)
{
  static const char nowhere[] = "/dev/null";
  const char *mode = lk_launch_value (&self->launch, "open-mode");
  if (self->in.kind == LK_SRUN_FILE_NODE)
    task->std_in = lk_bytes (self->in.path);
  if (self->out.kind == LK_SRUN_FILE_NODE || self->out.kind == LK_SRUN_FILE_NONE)
    task->std_out = lk_bytes (self->out.kind == LK_SRUN_FILE_NODE ? self->out.path : nowhere);
  if (self->has_err && (self->err.kind == LK_SRUN_FILE_NODE || self->err.kind == LK_SRUN_FILE_NONE))
    task->std_err = lk_bytes (self->err.kind == LK_SRUN_FILE_NODE ? self->err.path : nowhere);
  task->input = self->in.kind == LK_SRUN_FILE_TASK ? LK_STEP_INPUT_ONE
                : self->in.kind == LK_SRUN_FILE_NONE || self->in.kind == LK_SRUN_FILE_NODE
                    ? LK_STEP_INPUT_NOBODY
                    : LK_STEP_INPUT_ALL;
  task->input_task = self->in.task;
  if (mode != NULL)
    task->open_mode =
        g_ascii_tolower (*mode) == 'a' ? LK_BATCH_OPEN_APPEND : LK_BATCH_OPEN_TRUNCATE;
  if (self->has_terminal) {
    task->has_terminal = 1;
    task->input = LK_STEP_INPUT_ONE;
    task->input_task = 0;
  }
}

static void
limits_fill (const LkSrun *self, LkStepTask *task)
{
  LkBatch batch = { 0 };
  lk_sbatch_limits (&self->launch.submission, &batch);
  task->limits = batch.limits;
#define X(NAME, lower, unused) task->limit_##lower = batch.limit_##lower;
  LK_BATCH_LIMITS (X, )
#undef X
}

/* What srun itself says, beside what goes with any job. */
static void
environment_add (const LkSrun *self, guint16 port, GByteArray *out)
{
  static const char *const kept[] = { "SLURM_JOB_DEPENDENCY", "SLURM_SUBMIT_DIR",
                                      "SLURM_SUBMIT_HOST" };
  const LkClient *client = self->launch.submission.client;
  g_autofree char *host = g_strdup_printf ("SLURM_SRUN_COMM_HOST=%s", client->host);
  g_autofree char *comm = g_strdup_printf ("SLURM_SRUN_COMM_PORT=%u", port);
  g_autofree char *launcher = g_strdup_printf ("SLURM_STEP_LAUNCHER_PORT=%u", port);
  static const char *const mpis[] = { "none", "pmix", "pmi2" };
  g_autofree char *mpi = g_strdup_printf ("SLURM_MPI_TYPE=%s", mpis[self->mpi]);
  const char *const own[] = { host, comm, launcher, mpi, "SRUN_DEBUG=3" };
  for (guint i = 0; i < G_N_ELEMENTS (own); i++)
    lk_strings_append (out, own[i]);
  /* Of the job, and not of us. */
  for (guint i = 0; i < G_N_ELEMENTS (kept) && !self->owns_job; i++) {
    const char *value = lk_client_variable (client, kept[i]);
    g_autofree char *text = g_strconcat (kept[i], "=", value != NULL ? value : "", NULL);
    if (value != NULL)
      lk_strings_append (out, text);
  }
}

/* --ntasks-per-gpu says how many tasks see each, unless that is said. Returns: (transfer full). */
static char *
gpu_bind_of (const LkLaunch *launch)
{
  const char *how = lk_launch_value (launch, "gpu-bind");
  const char *tasks = lk_launch_value (launch, "ntasks-per-gpu");
  return how == NULL && tasks != NULL ? g_strdup_printf ("single:%s", tasks) : g_strdup (how);
}

static void
options_fill (const LkSrun *self, LkStepTask *task)
{
  const LkLaunch *launch = &self->launch;
  task->umask = lk_sbatch_umask (launch->submission.client);
  task->multi_prog = (LkBytes){ (const guint8 *)self->multi_prog, (guint32)self->multi_prog_bytes };
  task->mpi = self->mpi;
  task->cpu_bind = text_of (self, lk_launch_value (launch, "cpu-bind"));
  g_autofree char *gpu_bind = gpu_bind_of (launch);
  task->gpu_bind = text_of (self, gpu_bind);
  g_autofree char *mem_bind = lk_sbatch_values_join (&launch->submission, "mem-bind");
  task->mem_bind = text_of (self, mem_bind);
  task->gpus_per_task = gpus_of (self, "gpus-per-task");
  task->kill_on_bad_exit = self->kills_on_bad_exit ? 1 : 0;
  task->wait_us = self->wait_us;
  task->task_prolog = lk_bytes (lk_launch_value (launch, "task-prolog"));
  task->task_epilog = lk_bytes (lk_launch_value (launch, "task-epilog"));
  task->is_labelled = lk_launch_has (launch, "label") ? 1 : 0;
  task->is_unbuffered = lk_launch_has (launch, "unbuffered") || self->has_terminal ? 1 : 0;
}

/* FALSE: told. */
static gboolean
payload_fill (LkSrun *self, guint16 port, GByteArray *out)
{
  const LkSbatch *submission = &self->launch.submission;
  LkStepTask task = { .umask = 0 };
  LkBatchExport mode;
  const char *folder = lk_launch_value (&self->launch, "chdir");
  g_autofree char *work_dir =
      folder == NULL || *folder == '\0' ? g_strdup (submission->client->work_dir)
      : g_path_is_absolute (folder)     ? g_strdup (folder)
                                    : g_build_filename (submission->client->work_dir, folder, NULL);
  g_autofree char *addresses = lk_step_addresses (port);
  g_autoptr (GByteArray) environment = g_byte_array_new ();
  g_autoptr (GByteArray) arguments = g_byte_array_new ();
  if (!lk_sbatch_environment (submission, &mode, environment))
    return FALSE;
  environment_add (self, port, environment);
  for (char **at = self->launch.arguments + (self->multi_prog != NULL ? 1 : 0); *at != NULL; at++)
    lk_strings_append (arguments, *at);
  options_fill (self, &task);
  files_fill (self, &task);
  limits_fill (self, &task);
  task.arguments = (LkStrings){ arguments->data, arguments->len };
  task.environment = (LkStrings){ environment->data, environment->len };
  task.work_dir = lk_bytes (work_dir);
  task.addresses = text_of (self, addresses);
  task.key = (LkBytes){ self->key.bytes, sizeof self->key.bytes };
  const char *fault = lk_step_task_fault (&task);
  if (fault != NULL) {
    lk_client_error (submission->client, "%s", fault);
    return FALSE;
  }
  lk_step_task_encode (&task, out);
  return TRUE;
}

/* ---------------------------------------------------------------- with -v */

/* "4(x2),2": as Slurm tells it here, "4(x2),2(x1)". */
static void
counts_append (GString *out, const char *cpus)
{
  g_auto (GStrv) groups = g_strsplit (cpus, ",", -1);
  for (guint i = 0; groups[i] != NULL; i++)
    g_string_append_printf (out, "%s%s%s", i > 0 ? "," : "", groups[i],
                            strchr (groups[i], '(') != NULL ? "" : "(x1)");
}

static void
job_tell (const LkSrun *self)
{
  g_autoptr (GString) cpus = g_string_new (NULL);
  g_autoptr (GString) counts = g_string_new (NULL);
  if (self->job.row == NULL)
    return;
  const LkRecord_job *job = &self->job.row->job;
  lk_launch_cpus (job, cpus);
  counts_append (counts, cpus->str);
  lk_launch_info (&self->launch, "jobid %u: nodes(%u):`%.*s', cpu counts: %s", self->job.job_id,
                  job->nodes, (int)job->node_names.length_bytes, job->node_names.bytes,
                  counts->str);
}

/* Its tasks on one of its nodes: "0", or "[0-2,7]". */
static void
node_tell (const LkSrun *self, guint32 node, GString *tasks)
{
  const GArray *indices = self->layout.task_indices;
  guint count = 0;
  g_string_truncate (tasks, 0);
  for (guint32 task = 0; task < indices->len; task++) {
    if (g_array_index (indices, guint32, task) != node)
      continue;
    guint32 last = task;
    while (last + 1 < indices->len && g_array_index (indices, guint32, last + 1) == node)
      last++;
    g_string_append_printf (tasks, count > 0 ? ",%u" : "%u", task);
    if (last > task)
      g_string_append_printf (tasks, "-%u", last);
    count += last - task + 1;
    task = last;
  }
  lk_launch_info (&self->launch, "launching StepId=%u.%u on host %s, %u tasks: %s%s%s",
                  self->job.job_id, self->step_id,
                  (const char *)g_ptr_array_index (self->layout.node_names, node), count,
                  count > 1 ? "[" : "", tasks->str, count > 1 ? "]" : "");
}

/* What was asked for, in the words by which scripts look for it. */
static void
step_tell (const LkSrun *self)
{
  g_autoptr (GString) tasks = g_string_new (NULL);
  if (!lk_launch_has (&self->launch, "verbose"))
    return;
  job_tell (self);
  for (guint32 node = 0; node < self->layout.node_names->len; node++)
    node_tell (self, node, tasks);
}

/* ---------------------------------------------------------------- asking */

typedef struct {
  LkSrun *srun;
  guint error;
} Asked;

static void
created_take (gpointer user, const LkMessage *message)
{
  Asked *asked = user;
  LkSrun *self = asked->srun;
  asked->error = LK_STEP_ERROR_INVALID_REQUEST;
  if (message->kind == LK_MESSAGE_STEP_REPLY)
    asked->error = message->step_reply.error;
  if (message->kind != LK_MESSAGE_STEP_CREATED)
    return;
  asked->error = message->step_created.error;
  if (asked->error != LK_STEP_ERROR_NONE)
    return;
  self->step_id = message->step_created.step_id;
  self->task_count = message->step_created.tasks;
  lk_task_places_take (&self->layout, self->task_count, message->step_created.places);
}

/* Returns: the signal that has come; 0: none. */
static int
pause_for (const sigset_t *set, gint64 pause_us)
{
  struct timespec pause = { .tv_sec = pause_us / G_USEC_PER_SEC,
                            .tv_nsec = pause_us % G_USEC_PER_SEC * 1000 };
  int number = sigtimedwait (set, NULL, &pause);
  return number > 0 && number != SIGCHLD ? number : 0;
}

/* So long it asks again: with --immediate of one second, or of none, not at all. */
static gint64
patience_of (const LkSrun *self)
{
  const char *text = lk_launch_value (&self->launch, "immediate");
  if (!lk_launch_has (&self->launch, "immediate") || self->owns_job)
    return G_MAXINT64;
  guint64 seconds = text != NULL ? g_ascii_strtoull (text, NULL, 10) : 1;
  return seconds > 1 ? (gint64)MIN (seconds, G_MAXINT32) * G_USEC_PER_SEC : 0;
}

/* As long as what it needs is held by other steps, it waits. */
static int
ask (LkSrun *self, const LkMessage *request, const sigset_t *set)
{
  const LkClient *client = self->launch.submission.client;
  gint64 patience_us = patience_of (self);
  gint64 begin_us = g_get_monotonic_time ();
  gint64 told_us = 0;
  for (gint64 pause_us = PAUSE_FIRST_US;; pause_us = MIN (2 * pause_us, PAUSE_MAX_US)) {
    Asked asked = { self, LK_STEP_ERROR_NONE };
    LkMessage message = *request;
    g_autoptr (GError) error = NULL;
    if (!client->wire->exchange (client->wire_self, &message, created_take, &asked, &error)) {
      lk_client_error (client, "Unable to create step for job %u: %s", self->job.job_id,
                       error->message);
      return lk_launch_exit_code (client, "SLURM_EXIT_ERROR");
    }
    if (asked.error == LK_STEP_ERROR_NONE) {
      if (told_us != 0)
        lk_launch_info (&self->launch, "Step created for StepId=%u.%u", self->job.job_id,
                        self->step_id);
      step_tell (self);
      return 0;
    }
    gint64 now_us = g_get_monotonic_time ();
    if (asked.error != LK_STEP_ERROR_NODES_BUSY || now_us - begin_us >= patience_us) {
      lk_client_error (client, "Unable to create step for job %u: %s", self->job.job_id,
                       lk_step_error_text (asked.error));
      return lk_launch_exit_code (client, patience_us < G_MAXINT64 ? "SLURM_EXIT_IMMEDIATE"
                                                                   : "SLURM_EXIT_ERROR");
    }
    if (told_us == 0 ? now_us - begin_us >= TOLD_AFTER_US : now_us - told_us >= STILL_TOLD_US) {
      lk_launch_info (&self->launch, "Job %u step creation %s disabled, retrying (%s)",
                      self->job.job_id, told_us == 0 ? "temporarily" : "still",
                      lk_step_error_text (asked.error));
      told_us = now_us;
    }
    int number = pause_for (set, pause_us);
    if (number != 0) {
      lk_launch_info (&self->launch, "Cancelled pending job step with signal %d", number);
      lk_client_error (client,
                       "Unable to create step for job %u: Job/step already completing or "
                       "completed",
                       self->job.job_id);
      return lk_launch_exit_code (client, "SLURM_EXIT_ERROR");
    }
  }
}

int
lk_srun_step_create (LkSrun *self, guint16 port, const sigset_t *set)
{
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  LkMessage request = { .kind = LK_MESSAGE_STEP_CREATE };
  lk_random_fill (self->key.bytes, sizeof self->key.bytes);
  if (!want_fill (self, &request.step_create) || !payload_fill (self, port, payload))
    return lk_launch_exit_code (self->launch.submission.client, "SLURM_EXIT_ERROR");
  request.step_create.payload = (LkBytes){ payload->data, payload->len };
  return ask (self, &request, set);
}
