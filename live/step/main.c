/* live/step/main.c — lockstep-step, the supervisor of one run on a node.
 *
 * Started by the agent's process port (port_process_os.h) and by nobody else: it takes the folder
 * of a run that is there.  It runs the prolog at once if nothing was begun yet, else it waits for
 * what the agent wants, and goes when it may forget the run.
 *
 * How a stage has ended is durable before it is told; as long as that cannot be written it is not
 * told, and is tried again. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "live/port/step_folder.h"
#include "live/step/child.h"
#include "live/step/gpu_use.h"
#include "live/step/keeper.h"
#include "live/step/private_folders.h"
#include "live/step/tasks.h"

/* Agents that are connected: one, and those that have not been seen to be gone. */
#define STREAMS_MAX 4u
#define RETRY_MS 1000
/* Orders for steps that wait for the script's stage. */
#define PENDING_MAX 256u
/* How often it looks for its folder while there is no agent. */
#define ALONE_MS 2000
/* How often, and how far apart, it looks whether a keeper that has reported has exited. */
#define REAP_ROUNDS 5000u
#define REAP_NS 200000L

typedef struct {
  LkStep step;
  int listener;             /* -1: it has an agent, or cannot listen yet */
  int streams[STREAMS_MAX]; /* -1: none */
  LkKeeper keeper;          /* stream -1: no stage runs */
  LkGpuWatch gpus;
  guint stage;          /* that runs, or was begun last; 0: none */
  gboolean is_to_write; /* how it has ended is not durable */
  LkStuck stuck;        /* why the stage is not over, though it should be */
  gboolean is_forgotten;
  GPtrArray *pending; /* of GByteArray: orders for steps, before the script's stage */
  LkExit how;         /* of `stage`, if it does not run */
} Supervisor;

/* ---------------------------------------------------------------- telling */

static void
stream_close (Supervisor *self, guint i)
{
  if (self->step.agent == self->streams[i])
    self->step.agent = -1;
  close (self->streams[i]);
  self->streams[i] = -1;
}

/* Who does not listen has to come again.  Who is gone may have said something before, and is
 * heard. */
static void
tell (Supervisor *self, LkStage stage, const LkExit *how)
{
  char line[LK_STEP_LINE_BYTES];
  lk_run_end_print (stage, how, line);
  for (guint i = 0; i < STREAMS_MAX; i++)
    if (self->streams[i] >= 0
        && send (self->streams[i], line, strlen (line), MSG_NOSIGNAL | MSG_DONTWAIT) < 0
        && errno != EPIPE && errno != ECONNRESET)
      stream_close (self, i);
}

static void
tell_stuck (const Supervisor *self)
{
  g_autofree char *line = lk_run_stuck_line (self->stuck);
  for (guint i = 0; i < STREAMS_MAX; i++)
    if (self->streams[i] >= 0)
      send (self->streams[i], line, strlen (line), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void
set_stuck (Supervisor *self, LkStuck why)
{
  if (self->stuck == why)
    return;
  self->stuck = why;
  if (why != LK_STUCK_NOT)
    tell_stuck (self);
}

static gboolean
runs (const Supervisor *self)
{
  return self->keeper.stream >= 0 || self->is_to_write;
}

/* ---------------------------------------------------------------- steps */

static void
tell_bytes (const Supervisor *self, const void *bytes, gsize length_bytes)
{
  for (guint i = 0; i < STREAMS_MAX; i++)
    if (self->streams[i] >= 0)
      send (self->streams[i], bytes, length_bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* It is durable. */
static void
tell_step_end (gpointer user, const LkStepReport *report)
{
  Supervisor *self = user;
  g_autoptr (GByteArray) packet = g_byte_array_new ();
  self->step.derived_exit_code = MAX (self->step.derived_exit_code, report->exit_code);
  g_byte_array_append (packet, (const guint8 *)LK_TASKS_ENDED, strlen (LK_TASKS_ENDED));
  lk_step_report_append (report, packet);
  tell_bytes (self, packet->data, packet->len);
}

/* Who comes has perhaps not heard of these. */
static void
tell_all_step_ends (Supervisor *self)
{
  g_autoptr (GArray) list = lk_step_folder_list (self->step.folder);
  LkStepReport report;
  for (guint i = 0; i < list->len; i++)
    if (lk_step_folder_end (self->step.folder, g_array_index (list, guint32, i), &report))
      tell_step_end (self, &report);
}

/* Of the keeper. FALSE: it is not about a step. */
static gboolean
hear_step (Supervisor *self, const char *packet, gsize length_bytes)
{
  gsize head = strlen (LK_TASKS_ENDED);
  LkStepReport report;
  if (g_str_has_prefix (packet, LK_TASKS_USAGE)) {
    tell_bytes (self, packet, length_bytes);
    return TRUE;
  }
  if (!g_str_has_prefix (packet, LK_TASKS_ENDED))
    return FALSE;
  LkStepReports left = { (const guint8 *)packet + head, (guint32)(length_bytes - head) };
  if (!lk_step_report_next (&left, &report))
    return TRUE;
  if (lk_step_folder_set_end (self->step.folder, &report))
    tell_step_end (self, &report);
  else
    lk_step_log (&self->step, "cannot write how step %u has ended: %s", report.step_id,
                 g_strerror (errno));
  return TRUE;
}

/* The keeper begins steps while the script's stage runs; what comes before it is kept, what comes
 * behind it is too late. */
static void
order_step (Supervisor *self, const guint8 *packet, gsize length_bytes)
{
  if (self->stage == LK_STAGE_SCRIPT && self->keeper.stream >= 0)
    send (self->keeper.stream, packet, length_bytes, MSG_NOSIGNAL);
  else if (self->stage < LK_STAGE_SCRIPT && self->pending->len < PENDING_MAX)
    g_ptr_array_add (self->pending,
                     g_byte_array_append (g_byte_array_new (), packet, (guint)length_bytes));
  else
    lk_step_folder_end_all (self->step.folder, self->step.run_id, tell_step_end, self);
}

static void
order_pending (Supervisor *self)
{
  for (guint i = 0; i < self->pending->len; i++) {
    const GByteArray *packet = g_ptr_array_index (self->pending, i);
    order_step (self, packet->data, packet->len);
  }
  g_ptr_array_set_size (self->pending, 0);
}

/* ---------------------------------------------------------------- the control group */

static void
confine (const LkStep *step)
{
  LkCgroup *cgroup = step->cgroup;
  LkMemoryLimits memory = { (guint64)MAX (step->memory_bytes, 0),
                            (guint64)MAX (step->memory_swap_bytes, 0) };
  if ((memory.ram_bytes > 0 || memory.total_bytes > 0) && !lk_cgroup_set_memory (cgroup, &memory))
    lk_step_log (step, "memory is not confined");
  if (step->tasks_max > 0 && !lk_cgroup_set_tasks (cgroup, (guint)step->tasks_max))
    lk_step_log (step, "the number of processes is not confined");
  if (step->confines_cores && step->cpus != NULL && !lk_cgroup_set_cpus (cgroup, step->cpus))
    lk_step_log (step, "cores are not confined");
  if (!lk_step_confine_devices (step, cgroup, step->share.gpus, step->share.shares > 0))
    lk_step_log (step, "devices are not confined");
}

/* Steps have parts of the group, and so, with version 2, has the script; who looks at the group
 * that he is in finds its memory there. */
static void
part_make (LkStep *step)
{
  LkMemoryLimits memory = { (guint64)MAX (step->memory_bytes, 0),
                            (guint64)MAX (step->memory_swap_bytes, 0) };
  if (lk_cgroup_version (step->cgroup) != 2)
    return;
  step->part = lk_cgroup_part (step->cgroup, "script");
  if (!lk_cgroup_make (step->part)) {
    lk_step_log (step, "no control group can be made for the script: %s", g_strerror (errno));
    g_clear_pointer (&step->part, lk_cgroup_free);
  } else {
    lk_cgroup_set_memory (step->part, &memory);
  }
}

static void
group_make (LkStep *step)
{
  if (step->group_path == NULL || step->cgroup != NULL)
    return;
  LkCgroupChoice choice = { step->cgroup_mount, (guint)MAX (step->cgroup_version, 0) };
  step->cgroup = lk_cgroup_new (&choice, step->group_path);
  if (step->cgroup != NULL && step->confines_nothing)
    lk_cgroup_keep_freezer (step->cgroup);
  if (step->cgroup != NULL && !lk_cgroup_make (step->cgroup)) {
    lk_step_log (step, "no control group can be made: processes are found by their descent");
    g_clear_pointer (&step->cgroup, lk_cgroup_free);
  }
  if (step->cgroup == NULL)
    return;
  confine (step);
  part_make (step);
}

static void
group_remove (LkStep *step)
{
  if (step->cgroup == NULL)
    return;
  lk_cgroup_remove (step->cgroup);
  g_clear_pointer (&step->part, lk_cgroup_free);
  g_clear_pointer (&step->cgroup, lk_cgroup_free);
}

/* ---------------------------------------------------------------- stages */

static void
write_end (Supervisor *self)
{
  self->is_to_write = !lk_run_folder_set_end (self->step.folder, (LkStage)self->stage, &self->how);
  set_stuck (self, self->is_to_write ? LK_STUCK_DISK : LK_STUCK_NOT);
  if (self->is_to_write)
    lk_step_log (&self->step, "cannot write how a stage has ended: %s", g_strerror (errno));
  else
    tell (self, (LkStage)self->stage, &self->how);
}

/* The keeper has removed the folders already, if it has lived so long. */
static void
clean (const LkStep *step)
{
  lk_child_clean (step);
  if (!lk_private_remove (step))
    lk_step_log (step, "its own folders in %s are left: %s", step->private_base,
                 g_strerror (errno));
}

static void
stage_ended (Supervisor *self, const LkExit *how)
{
  self->how = *how;
  lk_gpu_watch_end (&self->gpus, &self->how);
  if (self->stage == LK_STAGE_SCRIPT) {
    lk_step_folder_end_all (self->step.folder, self->step.run_id, tell_step_end, self);
    group_remove (&self->step);
  }
  if (self->stage == LK_STAGE_EPILOG)
    clean (&self->step);
  write_end (self);
}

static gboolean
is_trivial (const Supervisor *self)
{
  char **programs = self->stage == LK_STAGE_PROLOG   ? self->step.prologs
                    : self->stage == LK_STAGE_EPILOG ? self->step.epilogs
                                                     : NULL;
  return self->stage != LK_STAGE_SCRIPT && (programs == NULL || programs[0] == NULL)
         && !lk_step_has_plugins (&self->step);
}

/* FALSE: what it was to have to itself cannot be had. */
static gboolean
script_make_room (LkStep *step)
{
  group_make (step);
  if (lk_private_make (step))
    return TRUE;
  lk_step_log (step, "no folders of its own in %s: %s", step->private_base, g_strerror (errno));
  return FALSE;
}

static void
stage_begin (Supervisor *self, LkStage stage)
{
  LkExit script = { .signal = SIGKILL }; /* as the epilog is told of one that was passed over */
  LkExit nothing = { 0 };
  LkExit not_started = { .trouble = LK_TROUBLE_LAUNCH_FAILURE };
  lk_run_folder_end (self->step.folder, LK_STAGE_SCRIPT, &script);
  self->stage = (guint)stage;
  gboolean is_marked = lk_run_folder_set_stage (self->step.folder, stage);
  gboolean is_ready = stage != LK_STAGE_SCRIPT || script_make_room (&self->step);
  if (is_trivial (self))
    stage_ended (self, &nothing);
  else if (!is_marked || !is_ready || !lk_keeper_start (&self->step, stage, &script, &self->keeper))
    stage_ended (self, &not_started);
  else if (stage == LK_STAGE_SCRIPT)
    self->gpus = lk_gpu_watch_begin (&self->step, self->keeper.pid);
  if (stage >= LK_STAGE_SCRIPT)
    order_pending (self);
}

/* It answers every order to begin something, however often it comes. */
static void
begin (Supervisor *self, guint stage)
{
  LkExit how = { .signal = SIGKILL };
  if (stage < LK_STAGE_PROLOG || stage > LK_STAGE_EPILOG)
    return;
  if (stage > self->stage && !runs (self))
    stage_begin (self, (LkStage)stage);
  else if (stage < self->stage) {
    lk_run_folder_end (self->step.folder, (LkStage)stage, &how);
    tell (self, (LkStage)stage, &how);
  } else if (stage == self->stage && !runs (self))
    tell (self, (LkStage)stage, &self->how);
}

/* The program is a child of ours, not of the keeper, which kills all that is below it. */
static void
stage_stuck (Supervisor *self)
{
  LkStep *step = &self->step;
  set_stuck (self, LK_STUCK_UNKILLABLE);
  if (step->unkillable_program != NULL && fork () == 0)
    lk_child_program (step, step->unkillable_program, "unkillable_step", NULL);
}

/* The exit of a keeper closes a file of the user's, which can hang: it is waited for only so long,
 * and reaped after a later stage, if at all. */
static void
reap_keeper (pid_t pid)
{
  const struct timespec pause = { .tv_nsec = REAP_NS };
  for (guint round = 0; round < REAP_ROUNDS && waitpid (pid, NULL, WNOHANG) == 0; round++)
    nanosleep (&pause, NULL);
  while (waitpid (-1, NULL, WNOHANG) > 0)
    continue;
}

/* Without a word the keeper was killed: what it kept is ours. */
static void
hear_keeper (Supervisor *self)
{
  char line[LK_STEP_LINE_BYTES];
  LkStage stage;
  LkStuck stuck;
  LkExit how;
  gssize count = lk_step_receive (self->keeper.stream, line, sizeof line - 1, /* waits= */ TRUE);
  line[MAX (count, 0)] = '\0';
  if (count > 0 && hear_step (self, line, (gsize)count))
    return;
  if (lk_run_stuck_scan (line, &stuck)) {
    stage_stuck (self);
    return;
  }
  if (count <= 0 || !lk_run_end_scan (line, &stage, &how)) {
    lk_keeper_end_all (&self->step);
    how = (LkExit){ .signal = SIGKILL };
  }
  close (self->keeper.stream);
  self->keeper.stream = -1;
  reap_keeper (self->keeper.pid);
  stage_ended (self, &how);
}

/* ---------------------------------------------------------------- agents */

static void
carry_out (Supervisor *self, const LkStepOrder *order)
{
  switch ((LkStepWhat)order->what) {
  case LK_STEP_BEGIN:
    begin (self, order->stage);
    break;
  case LK_STEP_SIGNAL:
    if (self->keeper.stream >= 0 && self->stage == LK_STAGE_SCRIPT)
      send (self->keeper.stream, order, sizeof *order, MSG_NOSIGNAL | MSG_DONTWAIT);
    break;
  case LK_STEP_FORGET:
    self->is_forgotten = !runs (self);
    break;
  }
}

static void
hear_agent (Supervisor *self, guint i)
{
  guint8 packet[LK_STEP_TASKS_BYTES_MAX];
  LkStepOrder order;
  gssize count = lk_step_receive (self->streams[i], packet, sizeof packet, /* waits= */ FALSE);
  if (count == (gssize)sizeof order) {
    memcpy (&order, packet, sizeof order);
    carry_out (self, &order);
  } else if (count >= (gssize)sizeof (LkStepTasksOrder)) {
    order_step (self, packet, (gsize)count);
  } else if (count >= 0 || errno != EAGAIN) {
    stream_close (self, i);
  }
}

static gboolean
is_our_agent (int stream)
{
  struct ucred who;
  socklen_t size = sizeof who;
  return getsockopt (stream, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0
         && (who.uid == geteuid () || who.uid == 0);
}

/* Who comes is told what it may have missed. */
static void
accept_agent (Supervisor *self)
{
  int stream = accept4 (self->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  guint i = 0;
  while (i < STREAMS_MAX && self->streams[i] >= 0)
    i++;
  if (stream < 0)
    return;
  if (i == STREAMS_MAX || !is_our_agent (stream)) {
    close (stream);
    return;
  }
  self->streams[i] = self->step.agent = stream;
  tell_all_step_ends (self);
  if (self->stage != 0 && !runs (self))
    tell (self, (LkStage)self->stage, &self->how);
  if (self->stuck != LK_STUCK_NOT)
    tell_stuck (self);
}

/* ---------------------------------------------------------------- without an agent */

static gboolean
is_alone (const Supervisor *self)
{
  for (guint i = 0; i < STREAMS_MAX; i++)
    if (self->streams[i] >= 0)
      return FALSE;
  return TRUE;
}

/* The agent has given the folder another name, to forget it, and has died before it said so; or
 * somebody has removed it. */
static gboolean
is_retired (const LkStep *step)
{
  struct stat ours;
  struct stat there;
  return fstat (step->folder, &ours) == 0
         && (lstat (step->folder_path, &there) != 0 || ours.st_ino != there.st_ino
             || ours.st_dev != there.st_dev);
}

/* Only who has lost the agent that started it has to be found by another.  Who forgets the run
 * gives its folder another name first, and connects then: if that is before we listen, we see it
 * behind that; if nobody comes at all, at a later look. */
static void
look_for_agent (Supervisor *self)
{
  if (!is_alone (self))
    return;
  if (self->listener < 0)
    self->listener = lk_run_folder_listen (self->step.folder);
  self->is_forgotten = self->is_forgotten || (is_retired (&self->step) && self->keeper.stream < 0);
}

/* When it looks again, whatever comes. */
static int
patience_ms (const Supervisor *self)
{
  if (self->is_to_write || (is_alone (self) && self->listener < 0))
    return RETRY_MS;
  return is_alone (self) ? ALONE_MS : -1;
}

static void
serve (Supervisor *self)
{
  for (look_for_agent (self); !self->is_forgotten; look_for_agent (self)) {
    struct pollfd polled[2 + STREAMS_MAX] = { { .fd = self->listener, .events = POLLIN },
                                              { .fd = self->keeper.stream, .events = POLLIN } };
    for (guint i = 0; i < STREAMS_MAX; i++)
      polled[2 + i] = (struct pollfd){ .fd = self->streams[i], .events = POLLIN };
    int count = poll (polled, G_N_ELEMENTS (polled), patience_ms (self));
    if (self->is_to_write)
      write_end (self);
    if (count <= 0)
      continue;
    if (polled[1].revents != 0)
      hear_keeper (self);
    for (guint i = 0; i < STREAMS_MAX; i++)
      if (polled[2 + i].revents != 0 && self->streams[i] == polled[2 + i].fd)
        hear_agent (self, i);
    if (polled[0].revents != 0)
      accept_agent (self);
  }
}

/* ---------------------------------------------------------------- beginning */

static gboolean
read_options (LkStep *step, int *argc, char ***argv)
{
  GOptionEntry entries[] = {
    { "folder", 0, 0, G_OPTION_ARG_FILENAME, &step->folder_path, "folder of the run", "PATH" },
    { "spool", 0, 0, G_OPTION_ARG_FILENAME, &step->spool, "where scripts are put", "PATH" },
    { "job-key", 0, 0, G_OPTION_ARG_FILENAME, &step->job_key,
      "file with the key of the job; it need not be there", "PATH" },
    { "node", 0, 0, G_OPTION_ARG_STRING, &step->node, "name of the node", "NAME" },
    { "configuration", 0, 0, G_OPTION_ARG_FILENAME, &step->configuration, "SLURM_CONF", "PATH" },
    { "prolog", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &step->prologs, "program before it", "PATH" },
    { "epilog", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &step->epilogs, "program behind it", "PATH" },
    { "prolog-us", 0, 0, G_OPTION_ARG_INT64, &step->prolog_timeout_us, "at most", "US" },
    { "epilog-us", 0, 0, G_OPTION_ARG_INT64, &step->epilog_timeout_us, "at most", "US" },
    { "task-prolog", 0, 0, G_OPTION_ARG_FILENAME, &step->task_prolog, "as the user", "PATH" },
    { "task-epilog", 0, 0, G_OPTION_ARG_FILENAME, &step->task_epilog, "as the user", "PATH" },
    { "unkillable-us", 0, 0, G_OPTION_ARG_INT64, &step->unkillable_us, "behind SIGKILL", "US" },
    { "unkillable", 0, 0, G_OPTION_ARG_FILENAME, &step->unkillable_program, "run then", "PATH" },
    { "plugstack", 0, 0, G_OPTION_ARG_FILENAME, &step->plugstack, "SPANK plugins", "PATH" },
    { "login-us", 0, 0, G_OPTION_ARG_INT64, &step->login_timeout_us, "at most", "US" },
    { "private-base", 0, 0, G_OPTION_ARG_FILENAME, &step->private_base, "for these", "PATH" },
    { "private", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &step->private_paths, "its own", "PATH" },
    { "append", 0, 0, G_OPTION_ARG_NONE, &step->appends_output, "to output files", NULL },
    { "cgroup", 0, 0, G_OPTION_ARG_FILENAME, &step->group_path, "control group", "PATH" },
    { "cgroup-mount", 0, 0, G_OPTION_ARG_FILENAME, &step->cgroup_mount, "below it", "PATH" },
    { "cgroup-version", 0, 0, G_OPTION_ARG_INT, &step->cgroup_version, "not the other", "1|2" },
    { "memory-swap-bytes", 0, 0, G_OPTION_ARG_INT64, &step->memory_swap_bytes, "both", "BYTES" },
    { "memory-bytes", 0, 0, G_OPTION_ARG_INT64, &step->memory_bytes, "not more", "BYTES" },
    { "tasks-max", 0, 0, G_OPTION_ARG_INT, &step->tasks_max, "at once", "COUNT" },
    { "cpus", 0, 0, G_OPTION_ARG_STRING, &step->cpus, "to run on", "LIST" },
    { "gpu-library", 0, 0, G_OPTION_ARG_FILENAME, &step->gpu_library, "NVML", "PATH" },
    { "confine-nothing", 0, 0, G_OPTION_ARG_NONE, &step->confines_nothing, "by group", NULL },
    { "confine-cores", 0, 0, G_OPTION_ARG_NONE, &step->confines_cores, "to these", NULL },
    { "confine-devices", 0, 0, G_OPTION_ARG_NONE, &step->confines_devices, "to its own", NULL },
    { "near", 0, 0, G_OPTION_ARG_STRING, &step->near, "CPUs by GPU", "LIST;..." },
    { "device", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &step->devices, "of the node's", "PATH" },
    { "agent", 0, 0, G_OPTION_ARG_INT, &step->agent, "stream to the agent", "FD" },
    { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("- supervise a run (for the agent)");
  g_autoptr (GError) error = NULL;
  step->agent = -1;
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, argc, argv, &error)) {
    g_printerr ("lockstep-step: %s\n", error->message);
    return FALSE;
  }
  if (step->folder_path == NULL || step->spool == NULL || step->node == NULL) {
    g_printerr ("lockstep-step: --folder, --spool and --node are needed; "
                "this program is started by lockstep-agent\n");
    return FALSE;
  }
  return TRUE;
}

/* TRUE: the run is ours. Whatever of it cannot be read keeps its script from being run only. */
static gboolean
take_run (LkStep *step)
{
  g_autofree char *name = g_path_get_basename (step->folder_path);
  step->folder = open (step->folder_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (step->folder < 0 || !lk_run_folder_name (name, &step->run_id))
    return FALSE;
  step->lock = lk_run_folder_lock (step->folder);
  if (step->lock < 0)
    return FALSE;
  step->launch_bytes = lk_run_folder_launch (step->folder);
  if (step->launch_bytes != NULL
      && lk_message_decode (step->launch_bytes->data, step->launch_bytes->len, &step->launch)
      && step->launch.kind == LK_MESSAGE_LAUNCH) {
    LkBytes payload = step->launch.launch.payload;
    step->is_whole = lk_batch_decode (payload.bytes, payload.length_bytes, &step->batch);
  } else {
    step->launch = (LkMessage){ .kind = LK_MESSAGE_LAUNCH };
  }
  lk_run_share_init (&step->share, &step->launch.launch, step->node);
  lk_step_find_user (step);
  return TRUE;
}

/* Where an earlier supervisor has left it. */
static void
go_on (Supervisor *self)
{
  self->stage = lk_run_folder_stage (self->step.folder);
  if (self->stage == 0) {
    stage_begin (self, LK_STAGE_PROLOG);
    return;
  }
  if (!lk_run_folder_end (self->step.folder, (LkStage)self->stage, &self->how)) {
    self->how = (LkExit){ .signal = SIGKILL };
    write_end (self);
  }
}

static void
spare_from_oom (void)
{
  int file = open ("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return;
  gssize written = write (file, "-1000", 5);
  (void)written;
  close (file);
}

int
main (int argc, char **argv)
{
  Supervisor self = { .listener = -1,
                      .keeper = { .stream = -1 },
                      .gpus = { .stream = -1 },
                      .streams = { -1, -1, -1, -1 },
                      .pending =
                          g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref) };
  umask (077);
  signal (SIGPIPE, SIG_IGN);
  signal (SIGTERM, SIG_IGN);
  signal (SIGINT, SIG_IGN);
  signal (SIGHUP, SIG_IGN);
  if (!read_options (&self.step, &argc, &argv))
    return EXIT_FAILURE;
  if (!take_run (&self.step))
    return EXIT_FAILURE;
  if (self.step.agent >= 0) {
    fcntl (self.step.agent, F_SETFD, FD_CLOEXEC);
    self.streams[0] = self.step.agent;
  }
  prctl (PR_SET_CHILD_SUBREAPER, 1);
  spare_from_oom ();
  if (!lk_run_folder_sync (self.step.folder)) {
    lk_step_log (&self.step, "the folder of the run cannot be used: %s", g_strerror (errno));
    return EXIT_FAILURE;
  }
  go_on (&self);
  serve (&self);
  return EXIT_SUCCESS;
}
