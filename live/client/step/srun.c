/* live/client/step/srun.c — runs tasks of a step. See srun.h.
 *
 * Texts and exit codes are those of Slurm's src/srun. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "engine/hostlist.h"
#include "live/client/step/bcast.h"
#include "live/client/commands.h"
#include "live/client/spank_command.h"
#include "live/client/step/srun.h"
#include "live/client/step/step_console.h"
#include "live/step/pattern.h"

/* ---------------------------------------------------------------- which job */

/* "12", or "12_3": a task of an array. Without a task `out_task` is the largest number. */
static gboolean
job_read (const char *text, guint32 *out_job_id, guint32 *out_task)
{
  guint64 number = 0;
  guint64 task = G_MAXUINT32;
  gsize length = strcspn (text, "_");
  g_autofree char *id = g_strndup (text, length);
  if (!g_ascii_string_to_unsigned (id, 10, 1, G_MAXUINT32 - 1, &number, NULL)
      || (text[length] == '_'
          && !g_ascii_string_to_unsigned (text + length + 1, 10, 0, G_MAXUINT32 - 1, &task, NULL)))
    return FALSE;
  *out_job_id = (guint32)number;
  *out_task = (guint32)task;
  return TRUE;
}

static gboolean
is_meant (const LkRecord_job *job, guint32 job_id, guint32 task)
{
  return task == G_MAXUINT32 ? job->job_id == job_id
                             : job->array_job_id == job_id && job->array_task == task;
}

/* A job that is there. 0, or the exit code: told. */
static int
job_find (LkSrun *self, const char *text)
{
  const LkClient *client = self->launch.submission.client;
  guint32 task;
  g_autoptr (GError) error = NULL;
  LkClientQuery query = { .kind = LK_RECORD_JOB };
  if (!job_read (text, &query.job_id, &task)) {
    lk_client_error (client, "Invalid numeric value \"%s\" for --jobid.", text);
    return lk_launch_exit_code (client, "SLURM_EXIT_ERROR");
  }
  g_autoptr (GPtrArray) rows = lk_job_rows (client, &query, &error);
  for (guint i = 0; rows != NULL && i < rows->len; i++) {
    const LkJobRow *row = g_ptr_array_index (rows, i);
    if (is_meant (&row->job, query.job_id, task))
      self->job.row = lk_job_row_copy (row);
  }
  self->job.job_id = self->job.row != NULL ? self->job.row->job.job_id : query.job_id;
  if (self->job.row != NULL)
    return 0;
  lk_client_error (client, "Unable to confirm allocation for job %u: %s", query.job_id,
                   error != NULL ? error->message : "Invalid job id specified");
  if (error == NULL)
    lk_launch_info (&self->launch,
                    "Check SLURM_JOB_ID environment variable. Expired or invalid job %u",
                    query.job_id);
  return lk_launch_exit_code (client, "SLURM_EXIT_ERROR");
}

/* More tasks on a node than were asked for by -n leave no room for --ntasks-per-node. */
static void
tasks_per_node_check (LkSrun *self)
{
  LkJobOptions *options = &self->options;
  guint32 nodes_max = options->request.nodes_max;
  guint32 nodes = MAX (nodes_max != 0 ? nodes_max : self->job.row->job.nodes, 1);
  if (options->tasks_per_node == 0 || (guint64)options->tasks_per_node * nodes >= options->tasks)
    return;
  lk_launch_info (&self->launch,
                  "Warning: can't honor --ntasks-per-node set to %u which doesn't match the "
                  "requested tasks %u with the number of requested nodes %u. Ignoring "
                  "--ntasks-per-node.",
                  options->tasks_per_node, options->tasks, nodes);
  options->tasks_per_node = 0;
}

/* What the options say of a step within a job. 0, or the exit code: told. */
static int
step_options_read (LkSrun *self)
{
  LkSbatch *submission = &self->launch.submission;
  GPtrArray *words = lk_launch_words (&self->launch);
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < words->len; i++)
    g_ptr_array_add (arguments, g_ptr_array_index (words, i));
  g_ptr_array_add (arguments, NULL);
  if (!lk_job_options_parse ((const char *const *)arguments->pdata, submission->texts,
                             &self->options, &error))
    return lk_sbatch_option_error (submission->client, error);
  g_array_append_val (submission->options, self->options);
  tasks_per_node_check (self);
  return 0;
}

/* A job that was told what a task needs, and not how many there are, has as many as its CPUs are
 * enough for. */
static void
tasks_by_cpus (LkSrun *self)
{
  LkJobOptions *options = &self->options;
  guint32 each = options->request.cpus_per_task;
  guint32 tasks = 0;
  if (options->tasks > 0 || options->tasks_per_node > 0 || each == 0)
    return;
  g_autoptr (GString) cpus = g_string_new (NULL);
  lk_launch_cpus (&self->job.row->job, cpus);
  for (const char *at = cpus->str; *at != '\0';) {
    char *end;
    guint64 count = g_ascii_strtoull (at, &end, 10) / each;
    guint64 nodes = g_str_has_prefix (end, "(x") ? g_ascii_strtoull (end + 2, &end, 10) : 1;
    tasks += (guint32)(count * nodes);
    at = end + strspn (end, "),");
  }
  options->tasks = MAX (tasks, self->job.row->job.nodes);
}

static int
job_allocate (LkSrun *self, const sigset_t *set)
{
  int code = 0;
  self->owns_job = TRUE;
  if (!lk_allocate (&self->launch, set, &self->job, &code))
    return code;
  self->options = g_array_index (self->launch.submission.options, LkJobOptions, 0);
  if (lk_launch_has (&self->launch, "overcommit"))
    tasks_per_node_check (self);
  tasks_by_cpus (self);
  return 0;
}

/* ---------------------------------------------------------------- files */

/* Returns: a descriptor; -1: it cannot be opened, told. */
static int
file_open (const LkSrun *self, const LkSrunFile *file, int flags, const char *what)
{
  const LkClient *client = self->launch.submission.client;
  const LkRecord_job *job = &self->job.row->job;
  g_autofree char *name = g_strndup (job->name.bytes, job->name.length_bytes);
  LkPatternValues values = { .job_id = self->job.job_id,
                             .array_job_id = job->array_job_id,
                             .array_task = job->array_task,
                             .job_name = name,
                             .user = client->user_name,
                             .node = "",
                             .is_step = TRUE,
                             .step_id = self->step_id };
  const char *folder = lk_launch_value (&self->launch, "chdir");
  g_autofree char *expanded = lk_pattern_expand (file->path, &values);
  g_autofree char *path = g_path_is_absolute (expanded) || folder == NULL
                              ? g_steal_pointer (&expanded)
                              : g_build_filename (folder, expanded, NULL);
  int fd = open (path, flags | O_CLOEXEC, 0666);
  if (fd < 0)
    lk_client_error (client, "Could not open %s file: %s", what, g_strerror (errno));
  return fd;
}

typedef struct {
  int in;
  int out;
  int err;
} Files;

static int
flags_of (const LkSrun *self)
{
  const char *mode = lk_launch_value (&self->launch, "open-mode");
  gboolean appends = mode != NULL && g_ascii_tolower (*mode) == 'a';
  return O_WRONLY | O_CREAT | (appends ? O_APPEND : O_TRUNC);
}

/* FALSE: told. */
static gboolean
files_open (const LkSrun *self, Files *out)
{
  const LkClient *client = self->launch.submission.client;
  *out = (Files){ fileno (client->in), fileno (client->out), fileno (client->err) };
  if (self->has_terminal) {
    if (self->terminal_fd >= 0)
      out->in = out->out = self->terminal_fd;
    out->err = out->out;
    return TRUE;
  }
  if (self->in.kind == LK_SRUN_FILE_NONE || self->in.kind == LK_SRUN_FILE_NODE)
    out->in = -1;
  if (self->in.kind == LK_SRUN_FILE_PATH)
    out->in = file_open (self, &self->in, O_RDONLY, "stdin");
  if (self->in.kind == LK_SRUN_FILE_PATH && out->in < 0)
    return FALSE;
  if (self->out.kind == LK_SRUN_FILE_NONE || self->out.kind == LK_SRUN_FILE_NODE)
    out->out = -1;
  if (self->out.kind == LK_SRUN_FILE_PATH
      && (out->out = file_open (self, &self->out, flags_of (self), "stdout")) < 0)
    return FALSE;
  gboolean is_one = self->has_err && self->err.kind == LK_SRUN_FILE_PATH
                    && self->out.kind == LK_SRUN_FILE_PATH
                    && strcmp (self->err.path, self->out.path) == 0;
  /* Without --error both go to one file. */
  if ((!self->has_err && self->out.kind != LK_SRUN_FILE_ALL && self->out.kind != LK_SRUN_FILE_TASK)
      || is_one)
    out->err = out->out;
  else if (self->err.kind == LK_SRUN_FILE_NONE || self->err.kind == LK_SRUN_FILE_NODE)
    out->err = -1;
  else if (self->err.kind == LK_SRUN_FILE_PATH)
    out->err = file_open (self, &self->err, flags_of (self), "stderr");
  return self->err.kind != LK_SRUN_FILE_PATH || out->err >= 0;
}

static void
files_close (const LkSrun *self, const Files *files)
{
  if (self->in.kind == LK_SRUN_FILE_PATH && files->in >= 0)
    close (files->in);
  if (self->out.kind == LK_SRUN_FILE_PATH && files->out >= 0)
    close (files->out);
  if (self->err.kind == LK_SRUN_FILE_PATH && files->err >= 0 && files->err != files->out)
    close (files->err);
}

/* ---------------------------------------------------------------- the step */

typedef struct {
  LkStepConsole *console; /* NULL: nobody may come yet */
} Door;

static void
came (gpointer user, int socket)
{
  Door *door = user;
  if (door->console != NULL)
    lk_step_console_came (door->console, socket);
  else
    close (socket);
}

static void
reply_drop (gpointer user, const LkMessage *message)
{
  (void)user;
  (void)message;
}

/* A step that nobody listens to any more. */
static void
step_drop (const LkSrun *self)
{
  const LkClient *client = self->launch.submission.client;
  LkMessage request = { .kind = LK_MESSAGE_STEP_SIGNAL };
  request.step_signal.job_id = self->job.job_id;
  request.step_signal.step_id = self->step_id;
  client->wire->exchange (client->wire_self, &request, reply_drop, NULL, NULL);
}

static int
console_run (LkSrun *self, LkLoop *loop, Door *door)
{
  const LkLaunch *launch = &self->launch;
  Files files;
  g_autofree char *label = g_strdup_printf ("StepId=%u.%u", self->job.job_id, self->step_id);
  if (!files_open (self, &files)) {
    files_close (self, &files);
    step_drop (self);
    return lk_launch_exit_code (launch->submission.client, "SLURM_EXIT_ERROR");
  }
  LkStepConsoleOptions options = {
    .client = launch->submission.client,
    .loop = loop,
    .key = self->key,
    .job_id = self->job.job_id,
    .step_id = self->step_id,
    .label = label,
    .node_names = self->layout.node_names,
    .task_nodes = self->layout.task_nodes,
    .task_indices = self->layout.task_indices,
    .is_labelled = lk_launch_has (launch, "label") && !self->has_terminal,
    .is_unbuffered = lk_launch_has (launch, "unbuffered"),
    .out_fd = files.out,
    .err_fd = files.err,
    .out_task = self->out.kind == LK_SRUN_FILE_TASK ? self->out.task : LK_STEP_ALL,
    .err_task = self->err.kind == LK_SRUN_FILE_TASK ? self->err.task : LK_STEP_ALL,
    .in_fd = files.in,
    .in_task = self->has_terminal                   ? 0
               : self->in.kind == LK_SRUN_FILE_TASK ? self->in.task
                                                    : LK_STEP_ALL,
    .has_terminal = self->has_terminal,
    .is_quiet = lk_launch_has (launch, "quiet"),
    .is_status_off = lk_launch_has (launch, "disable-status"),
    .quits_on_interrupt = lk_launch_has (launch, "quit-on-interrupt"),
    .kills_on_bad_exit = self->kills_on_bad_exit,
    .wait_us = self->wait_us,
  };
  door->console = lk_step_console_new (&options);
  int code = lk_step_console_run (door->console);
  g_clear_pointer (&door->console, lk_step_console_free);
  files_close (self, &files);
  return code;
}

static int
step_run (LkSrun *self, const sigset_t *set)
{
  LkClient *client = self->launch.submission.client;
  g_autoptr (GError) error = NULL;
  g_autoptr (LkLoop) loop = lk_loop_new (&error);
  Door door = { NULL };
  g_autoptr (LkStepDoor) listener =
      loop != NULL ? lk_step_door_new (loop, came, &door, &error) : NULL;
  if (listener == NULL) {
    lk_client_error (client, "unable to initialize step context socket: %s", error->message);
    return lk_launch_exit_code (client, "SLURM_EXIT_ERROR");
  }
  int wrong = lk_srun_step_create (self, lk_step_door_port (listener), set);
  if (wrong != 0)
    return wrong;
  return console_run (self, loop, &door);
}

/* ---------------------------------------------------------------- --bcast */

/* Where the program is to be on the nodes; without a path a file where the tasks work. Returns:
 * (transfer full). */
static char *
bcast_target (const LkSrun *self, const char *program)
{
  const char *path = lk_launch_value (&self->launch, "bcast");
  g_autofree char *name = g_path_get_basename (program);
  if (*path == '\0')
    return g_strdup_printf ("./slurm_bcast_%u.%d", self->job.job_id, (int)getpid ());
  return g_str_has_suffix (path, "/") ? g_strconcat (path, name, NULL) : g_strdup (path);
}

/* The program that is run is the copy. 0, or the exit code: told. */
static int
program_send (LkSrun *self)
{
  const LkRecord_job *job = &self->job.row->job;
  LkLaunch *launch = &self->launch;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (!lk_launch_has (launch, "bcast") || self->multi_prog != NULL)
    return 0;
  g_autofree char *found = g_find_program_in_path (launch->arguments[0]);
  const char *program = found != NULL ? found : launch->arguments[0];
  g_autofree char *nodes = g_strndup (job->node_names.bytes, job->node_names.length_bytes);
  g_autofree char *target = bcast_target (self, program);
  lk_hostlist_expand (nodes, strlen (nodes), names, NULL);
  LkBcast what = { .job_id = self->job.job_id,
                   .nodes = nodes,
                   .node_count = names->len,
                   .source = program,
                   .target = target,
                   .replaces = TRUE };
  if (lk_bcast_run (launch->submission.client, &what) != 0)
    return lk_launch_exit_code (launch->submission.client, "SLURM_EXIT_ERROR");
  launch->arguments[0] = g_string_chunk_insert (launch->submission.texts, target);
  return 0;
}

/* ---------------------------------------------------------------- the whole */

/* --test-only */
static int
trial (LkSrun *self)
{
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (LkEvent));
  int wrong = lk_sbatch_events (&self->launch.submission, events);
  return wrong != 0 ? wrong : lk_sbatch_trial (self->launch.submission.client, events);
}

static int
run (LkSrun *self, const sigset_t *set)
{
  const char *job = lk_launch_value (&self->launch, "jobid");
  const char *mpi = lk_launch_value (&self->launch, "mpi");
  if (mpi != NULL && strcmp (mpi, "list") == 0) {
    lk_srun_mpi_list (self->launch.submission.client->out);
    return 0;
  }
  lk_launch_options_tell (&self->launch);
  int wrong = lk_srun_read (self);
  if (wrong == 0)
    wrong = lk_srun_hosts_read (self);
  if (wrong != 0)
    return wrong;
  if (lk_launch_has (&self->launch, "test-only"))
    return trial (self);
  wrong = job != NULL ? job_find (self, job) : job_allocate (self, set);
  if (wrong == 0 && job != NULL)
    wrong = step_options_read (self);
  if (wrong != 0)
    return wrong;
  int code = program_send (self);
  if (code == 0
      && (!lk_launch_become (&self->launch, self->job.row)
          || !lk_spank_command_user (self->launch.submission.client, self->job.job_id,
                                     self->launch.arguments)))
    code = lk_launch_exit_code (self->launch.submission.client, "SLURM_EXIT_ERROR");
  if (code == 0) {
    lk_srun_script_run (self, "prolog", "prolog_srun");
    code = step_run (self, set);
    lk_srun_script_run (self, "epilog", "epilog_srun");
  }
  if (self->owns_job)
    lk_allocation_end (self->launch.submission.client, self->job.job_id, (guint8)MIN (code, 255));
  return code;
}

int
lk_srun (LkClient *client, int argc, char **argv)
{
  sigset_t set;
  sigset_t before;
  LkSrun self = { .terminal_fd = -1 };
  int het_code;
  if (lk_srun_het (client, argv, &het_code))
    return het_code;
  lk_launch_init (&self.launch, &lk_srun_command, client);
  lk_task_places_init (&self.layout);
  int parsed = lk_spank_command_begin (client, S_CTX_LOCAL)
                   ? lk_launch_parse (&self.launch, argc, argv)
                   : -1;
  int code = parsed == -2          ? 0
             : client->was_refused ? lk_launch_exit_code (client, "SLURM_EXIT_ERROR")
                                   : LK_SBATCH_USAGE;
  if (parsed == 0) {
    lk_launch_signals (&set);
    sigprocmask (SIG_BLOCK, &set, &before);
    /* What nobody reads any more is no reason to leave a job behind. */
    signal (SIGPIPE, SIG_IGN);
    code = run (&self, &set);
    signal (SIGPIPE, SIG_DFL);
    sigprocmask (SIG_SETMASK, &before, NULL);
  }
  lk_spank_command_end (client);
  lk_task_places_clear (&self.layout);
  g_free (self.multi_prog);
  g_free (self.hosts);
  lk_key_clear (&self.key);
  lk_allocation_clear (&self.job);
  lk_launch_clear (&self.launch);
  return code;
}
