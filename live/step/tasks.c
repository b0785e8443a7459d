/* live/step/tasks.c — see tasks.h: listeners, signals, ends. */
#include "live/step/tasks.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "engine/checked.h"
#include "live/port/process_tree.h"
#include "live/step/cancelled.h"
#include "live/step/child.h"
#include "live/step/enter.h"
#include "live/step/task_program.h"
#include "live/step/tasks_private.h"
#include "live/step/tasks_setup.h"

#define SECOND_US G_GINT64_CONSTANT (1000000)
/* How long to wait before those that will not die are signalled again. */
#define AGAIN_US (20 * G_GINT64_CONSTANT (1000))
/* Tasks are over and nothing lives, and yet somebody holds a pipe of theirs. */
#define SILENCE_MAX_US (5 * SECOND_US)
/* So long an srun may take over what the last tasks have written. */
#define DONE_MAX_US (60 * SECOND_US)
#define SAMPLE_FIRST_US (SECOND_US / 2)
#define SAMPLE_MAX_US (10 * SECOND_US)
/* The more tasks, the seldomer they are looked at. */
#define SAMPLE_TASK_US (SECOND_US / 20)

static void close_down (LkTasks *self);

static gint64
in_us (const LkTasks *self, gint64 while_us)
{
  return lk_time_add_us (lk_loop_now_us (self->loop), while_us);
}

/* ---------------------------------------------------------------- those who listen */

static void
tell_all (LkTasks *self, const LkStepFrame *frame)
{
  for (guint i = 0; i < self->listeners->len; i++) {
    LkListener *listener = g_ptr_array_index (self->listeners, i);
    if (lk_step_stream_is_open (listener->stream))
      lk_step_stream_send (listener->stream, frame);
  }
}

void
lk_tasks_say (LkTasks *self, gboolean is_error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *line = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_autofree char *shown = g_utf8_make_valid (line, -1);
  shown[MIN (strlen (shown), (gsize)G_MAXUINT16)] = '\0';
  const LkStepFrame frame = { .kind = LK_STEP_FRAME_LOG,
                              .log = { .is_error = is_error ? 1 : 0, .line = lk_text (shown) } };
  tell_all (self, &frame);
}

static LkListener *
srun_of (const LkTasks *self)
{
  for (guint i = 0; i < self->listeners->len; i++) {
    LkListener *listener = g_ptr_array_index (self->listeners, i);
    if (listener->is_srun)
      return listener;
  }
  return NULL;
}

static void
listener_free (gpointer data)
{
  LkListener *listener = data;
  lk_task_io_forget_source (listener->tasks->io, listener->stream);
  lk_step_stream_free (listener->stream);
  g_free (listener);
}

/* ---------------------------------------------------------------- what goes to the keeper */

/* As soon as nothing of it lives, so that the next step finds its place free. */
static void
tell_end (LkTasks *self)
{
  LkStepReport report = lk_tasks_report (self, LK_STEP_ENDED);
  if (!self->has_told)
    lk_tasks_tell_keeper (self, LK_TASKS_ENDED, &report);
  self->has_told = TRUE;
}

G_NORETURN static void
leave (LkTasks *self)
{
  for (guint i = 0; i < self->listeners->len; i++)
    lk_step_stream_flush (((LkListener *)g_ptr_array_index (self->listeners, i))->stream);
  tell_end (self);
  _exit (0);
}

/* ---------------------------------------------------------------- signals */

static void
signal_tree (int number)
{
  lk_process_signal_tree (getpid (), number);
}

static void
signal_tasks (LkTasks *self, guint32 number, int signal)
{
  if (number == LK_STEP_ALL && (signal == SIGKILL || signal == SIGSTOP || signal == SIGCONT)) {
    signal_tree (signal);
    return;
  }
  for (guint i = 0; i < self->count; i++) {
    const LkTask *task = &self->tasks[i];
    if (task->pid > 0 && (number == LK_STEP_ALL || number == task->number))
      kill (-task->pid, signal);
  }
}

/* Whatever lives: it is asked first, unless it has no time. */
static void
end_tasks (LkTasks *self, gint64 wait_us)
{
  if (self->is_ending)
    return;
  self->is_ending = TRUE;
  if (!self->was_begun) {
    self->signal = SIGKILL;
    close_down (self);
    return;
  }
  signal_tree (SIGCONT);
  signal_tree (wait_us > 0 ? SIGTERM : SIGKILL);
  lk_loop_set_timer (self->loop, &self->kill_timer, in_us (self, MAX (wait_us, AGAIN_US)));
}

/* Whatever loses its parent below us becomes our child: without a child there is nothing. */
static gboolean
lives_anything (void)
{
  siginfo_t unused;
  return waitid (P_ALL, 0, &unused, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

/* What has become somebody else's, by a program that does so, only the keeper reaches. */
static void
kill_left (LkTasks *self)
{
  const LkStepReport report = lk_tasks_report (self, LK_STEP_RUNNING);
  signal_tree (SIGKILL);
  if (self->was_left)
    lk_tasks_tell_keeper (self, LK_TASKS_LEFT, &report);
  self->was_left = TRUE;
}

/* ---------------------------------------------------------------- the end of the step here */

/* Its srun takes over what is on the way, and says so. */
static void
finish (LkTasks *self)
{
  LkStepReport report = lk_tasks_report (self, LK_STEP_ENDED);
  const LkStepFrame frame = { .kind = LK_STEP_FRAME_NODE_END,
                              .node_end = { .trouble = report.trouble,
                                            .user_cpu_us = report.user_cpu_us,
                                            .system_cpu_us = report.system_cpu_us,
                                            .max_rss_bytes = report.rss_max_bytes } };
  LkListener *srun = srun_of (self);
  self->is_over = TRUE;
  lk_tasks_end_plugins (self);
  lk_loop_set_timer (self->loop, &self->kill_timer, LK_TIME_NEVER);
  tell_end (self);
  tell_all (self, &frame);
  if (srun == NULL || !lk_step_stream_is_open (srun->stream))
    leave (self);
  lk_loop_set_timer (self->loop, &self->over_timer, in_us (self, DONE_MAX_US));
}

static gboolean
is_silent (const LkTasks *self)
{
  for (guint i = 0; i < self->count; i++)
    if (!lk_task_io_is_silent (self->io, i))
      return FALSE;
  return TRUE;
}

/* Also when a pipe falls silent, and again a while later. */
static void
close_down (LkTasks *self)
{
  if (!self->is_closing)
    lk_loop_set_timer (self->loop, &self->over_timer, in_us (self, SILENCE_MAX_US));
  self->is_closing = TRUE;
  if (self->is_over)
    return;
  if (lives_anything ()) {
    kill_left (self);
    lk_loop_set_timer (self->loop, &self->kill_timer, in_us (self, AGAIN_US));
    /* Only behind the last process its pipes count as held by others. */
    lk_loop_set_timer (self->loop, &self->over_timer, in_us (self, SILENCE_MAX_US));
  } else if (is_silent (self)) {
    finish (self);
  }
}

static void
kill_again (gpointer user)
{
  LkTasks *self = user;
  if (self->is_closing) {
    close_down (self);
    return;
  }
  kill_left (self);
  lk_loop_set_timer (self->loop, &self->kill_timer, in_us (self, AGAIN_US));
}

/* What srun has not read yet is not thrown away, as long as it is there. */
static gboolean
is_held_up (const LkTasks *self)
{
  const LkListener *srun = srun_of (self);
  return srun != NULL && lk_step_stream_is_open (srun->stream)
         && lk_step_stream_room_bytes (srun->stream) < LK_STEP_WINDOW_BYTES;
}

static void
waited_enough (gpointer user)
{
  LkTasks *self = user;
  if (is_held_up (self))
    lk_loop_set_timer (self->loop, &self->over_timer, in_us (self, SILENCE_MAX_US));
  else if (self->is_over)
    leave (self);
  else
    finish (self);
}

/* ---------------------------------------------------------------- tasks that end */

static gboolean
are_all_over (const LkTasks *self)
{
  for (guint i = 0; i < self->count; i++)
    if (!self->tasks[i].is_over)
      return FALSE;
  return TRUE;
}

static gboolean
was_out_of_memory (LkTasks *self, const LkTask *task)
{
  const LkCgroup *cgroup = lk_step_group (self->step);
  if (cgroup == NULL || lk_cgroup_oom_kills (cgroup) <= self->oom_kills || task->status == 0)
    return FALSE;
  if (self->trouble != LK_TROUBLE_OUT_OF_MEMORY)
    lk_tasks_say (self, /* is_error= */ TRUE,
                  "Detected %" G_GUINT64_FORMAT " oom_kill event%s in StepId=%u.%u. Some of the "
                  "step tasks have been OOM Killed.",
                  lk_cgroup_oom_kills (cgroup) - self->oom_kills,
                  lk_cgroup_oom_kills (cgroup) - self->oom_kills > 1 ? "s" : "",
                  self->launch->job_id, self->launch->step_id);
  self->trouble = LK_TROUBLE_OUT_OF_MEMORY;
  return TRUE;
}

static void
task_over (LkTasks *self, LkTask *task)
{
  LkStepFrame frame = { .kind = LK_STEP_FRAME_TASK_EXIT,
                        .task_exit = { .task = task->number, .status = (guint32)task->status } };
  frame.task_exit.oom = was_out_of_memory (self, task) ? 1 : 0;
  task->is_over = TRUE;
  lk_task_io_task_ended (self->io, task->index);
  tell_all (self, &frame);
  if (are_all_over (self))
    close_down (self);
  else if (self->needs.kill_on_bad_exit != 0 && task->status != 0)
    end_tasks (self, self->launch->kill_wait_us);
  else if (self->needs.wait_us > 0 && self->wait_timer.position == 0)
    lk_loop_set_timer (self->loop, &self->wait_timer, in_us (self, self->needs.wait_us));
}

static void
wait_is_over (gpointer user)
{
  LkTasks *self = user;
  end_tasks (self, self->launch->kill_wait_us);
}

static void
go_behind (LkTasks *self, LkTask *task)
{
  if (task->was_begun && lk_tasks_begin_epilog (self, task))
    lk_loop_set_timer (self->loop, &self->epilog_timer, in_us (self, LK_TASK_EPILOG_MAX_US));
  else
    task_over (self, task);
}

/* One program behind the other may begin late: each of them has its time at least. */
static void
epilog_is_late (gpointer user)
{
  LkTasks *self = user;
  for (guint i = 0; i < self->count; i++)
    if (self->tasks[i].epilog > 0)
      kill (-self->tasks[i].epilog, SIGKILL);
}

static void
process_ended (LkTasks *self, pid_t pid, int status, const struct rusage *use)
{
  for (guint i = 0; i < self->count; i++) {
    LkTask *task = &self->tasks[i];
    if (task->pid == pid) {
      task->pid = 0;
      task->status = status;
      lk_task_use_end (&task->use, use);
      lk_tasks_tell_exit (self, task);
      go_behind (self, task);
    } else if (task->epilog == pid) {
      task->epilog = 0;
      if (status != 0)
        lk_step_log (self->step, "TaskEpilog of step %u has failed, status 0x%04x",
                     self->launch->step_id, (guint)status);
      go_behind (self, task);
    }
  }
}

static void
reap (gpointer user, int signal)
{
  LkTasks *self = user;
  struct rusage use;
  int status;
  pid_t pid;
  (void)signal;
  while ((pid = wait4 (-1, &status, WNOHANG, &use)) > 0)
    process_ended (self, pid, status, &use);
}

static void
sample (gpointer user)
{
  LkTasks *self = user;
  g_autoptr (GArray) all = lk_process_all ();
  for (guint i = 0; i < self->count; i++)
    if (self->tasks[i].pid > 0)
      lk_task_use_look (&self->tasks[i].use, all, self->tasks[i].pid);
  LkStepReport report = lk_tasks_report (self, LK_STEP_RUNNING);
  lk_tasks_tell_keeper (self, LK_TASKS_USAGE, &report);
  self->sample_every_us = MIN (2 * self->sample_every_us, SAMPLE_MAX_US);
  lk_loop_set_timer (self->loop, &self->sample_timer,
                     in_us (self, self->sample_every_us + self->count * SAMPLE_TASK_US));
}

/* ---------------------------------------------------------------- begun */

static void
tell_task (LkStepStream *stream, const LkTask *task)
{
  const LkStepFrame frame = { .kind = LK_STEP_FRAME_STARTED,
                              .started = { .task = task->number, .pid = (guint32)task->pid } };
  if (task->pid > 0)
    lk_step_stream_send (stream, &frame);
}

static void
begin_task (LkTasks *self, LkTask *task)
{
  LkListener *srun = srun_of (self);
  if (lk_tasks_begin_task (self, task)) {
    if (srun != NULL && lk_step_stream_is_open (srun->stream))
      tell_task (srun->stream, task);
    return;
  }
  task->status = 1 << 8;
  task_over (self, task);
}

/* Without what all tasks need none is begun. */
static void
begin (LkTasks *self)
{
  self->was_begun = TRUE;
  g_autofree char *fault = lk_tasks_set_up (self);
  if (fault != NULL) {
    lk_tasks_say (self, /* is_error= */ TRUE, "%s", fault);
    self->trouble = LK_TROUBLE_LAUNCH_FAILURE;
    close_down (self);
    return;
  }
  lk_loop_set_timer (self->loop, &self->sample_timer, in_us (self, SAMPLE_FIRST_US));
  for (guint i = 0; i < self->count; i++)
    begin_task (self, &self->tasks[i]);
}

/* ---------------------------------------------------------------- what is said on a stream */

static LkTask *
task_of (const LkTasks *self, guint32 number)
{
  for (guint i = 0; i < self->count; i++)
    if (self->tasks[i].number == number)
      return &self->tasks[i];
  return NULL;
}

static guint
index_of (const LkTasks *self, guint32 number)
{
  const LkTask *task = number != LK_STEP_ALL ? task_of (self, number) : NULL;
  return number == LK_STEP_ALL ? LK_STEP_ALL : task != NULL ? task->index : self->count;
}

static void
welcome (LkListener *listener, const LkStepFrame_welcome *welcome)
{
  LkTasks *self = listener->tasks;
  const LkStepFrame ready = { .kind = LK_STEP_FRAME_READY,
                              .ready = { lk_text (self->step->node), self->count } };
  lk_step_stream_send (listener->stream, &ready);
  if (listener->is_srun && !self->was_begun && !self->is_closing) {
    if (welcome->rows > 0 && welcome->columns > 0) {
      self->needs.rows = welcome->rows;
      self->needs.columns = welcome->columns;
    }
    begin (self);
    return;
  }
  for (guint i = 0; i < self->count; i++)
    tell_task (listener->stream, &self->tasks[i]);
}

static void
set_window (LkTasks *self, const LkStepFrame_window *window)
{
  const struct winsize size = { .ws_row = window->rows, .ws_col = window->columns };
  for (guint i = 0; i < self->count; i++)
    if (self->tasks[i].terminal >= 0 && self->tasks[i].pid > 0)
      ioctl (self->tasks[i].terminal, TIOCSWINSZ, &size);
}

/* Of the srun of the step. */
static void
hear_srun (LkTasks *self, const LkStepFrame *frame)
{
  switch (frame->kind) {
  case LK_STEP_FRAME_SIGNAL:
    if (frame->signal.signal == SIGKILL && !self->was_begun)
      end_tasks (self, 0);
    signal_tasks (self, frame->signal.task, frame->signal.signal);
    break;
  case LK_STEP_FRAME_WINDOW:
    set_window (self, &frame->window);
    break;
  case LK_STEP_FRAME_PMIX_DOWN:
    if (self->pmix != NULL)
      lk_step_pmix_take (self->pmix, frame->pmix_down.node_index, frame->pmix_down.bytes);
    if (self->pmi != NULL)
      lk_step_pmi_take (self->pmi, frame->pmix_down.node_index, frame->pmix_down.bytes);
    break;
  case LK_STEP_FRAME_DONE:
    if (self->is_over)
      leave (self);
    if (frame->done.kills != 0)
      end_tasks (self, 0);
    break;
  default:
    break;
  }
}

static void
hear (gpointer user, LkStepStream *stream, const LkStepFrame *frame)
{
  LkListener *listener = user;
  LkTasks *self = listener->tasks;
  if (frame->kind == LK_STEP_FRAME_WELCOME)
    welcome (listener, &frame->welcome);
  else if (frame->kind == LK_STEP_FRAME_IN && listener->may_write)
    lk_task_io_put (self->io, index_of (self, frame->in.task), frame->in.bytes, stream);
  else if (frame->kind == LK_STEP_FRAME_IN)
    lk_step_stream_take (stream, frame->in.bytes.length_bytes);
  else if (frame->kind == LK_STEP_FRAME_IN_EOF && listener->is_srun)
    lk_task_io_end_input (self->io, index_of (self, frame->in_eof.task));
  else if (listener->is_srun)
    hear_srun (self, frame);
}

static void
has_room (gpointer user, LkStepStream *stream)
{
  LkListener *listener = user;
  (void)stream;
  lk_task_io_go_on (listener->tasks->io);
}

static void
lost (gpointer user, LkStepStream *stream, const char *why)
{
  LkListener *listener = user;
  LkTasks *self = listener->tasks;
  gboolean was_srun = listener->is_srun;
  (void)stream;
  if (!self->is_over)
    lk_step_log (self->step, "step %u: %s: %s", self->launch->step_id,
                 was_srun ? "its srun" : "who listens", why);
  g_ptr_array_remove (self->listeners, listener);
  /* Whoever else listens, or nobody. */
  lk_task_io_go_on (self->io);
  if (!was_srun)
    return;
  if (self->is_over)
    leave (self);
  else if (self->needs.is_forsaken != 0 && !self->was_begun)
    begin (self);
  else if (self->needs.is_forsaken == 0) {
    if (!self->was_begun)
      self->trouble = LK_TROUBLE_LAUNCH_FAILURE;
    end_tasks (self, self->launch->kill_wait_us);
  }
}

/* FALSE: it has no address that can be tried. */
static gboolean
listen_for (LkTasks *self, LkListener *listener, LkBytes key, const char *const *addresses)
{
  const LkStepStreamOps ops = { .frame = hear, .room = has_room, .ended = lost, .user = listener };
  LkStepAbout about = { .side = LK_STEP_SIDE_NODE,
                        .job_id = self->launch->job_id,
                        .step_id = self->launch->step_id,
                        .node_index = self->launch->place };
  listener->tasks = self;
  if (key.length_bytes == sizeof about.key.bytes && addresses[0] != NULL) {
    memcpy (about.key.bytes, key.bytes, sizeof about.key.bytes);
    listener->stream = lk_step_stream_connect (self->loop, &about, addresses, &ops, NULL);
    lk_key_clear (&about.key);
  }
  if (listener->stream == NULL) {
    g_free (listener);
    return FALSE;
  }
  g_ptr_array_add (self->listeners, listener);
  return TRUE;
}

/* ---------------------------------------------------------------- what tasks write and read */

static gboolean
io_has_room (gpointer user)
{
  const LkTasks *self = user;
  for (guint i = 0; i < self->listeners->len; i++) {
    const LkListener *listener = g_ptr_array_index (self->listeners, i);
    if (lk_step_stream_is_open (listener->stream)
        && lk_step_stream_room_bytes (listener->stream) < LK_STEP_CHUNK_BYTES)
      return FALSE;
  }
  return TRUE;
}

static void
io_wrote (gpointer user, guint index, gboolean is_error, LkBytes bytes)
{
  LkTasks *self = user;
  LkStepFrame frame = { .kind = LK_STEP_FRAME_OUT,
                        .out = { .task = self->tasks[index].number, .bytes = bytes } };
  if (is_error)
    frame = (LkStepFrame){ .kind = LK_STEP_FRAME_ERR,
                           .err = { .task = self->tasks[index].number, .bytes = bytes } };
  tell_all (self, &frame);
}

static void
io_fell_silent (gpointer user, guint index)
{
  LkTasks *self = user;
  const LkStepFrame frame = { .kind = LK_STEP_FRAME_OUT_EOF,
                              .out_eof = { .task = self->tasks[index].number } };
  tell_all (self, &frame);
  if (self->is_closing)
    close_down (self);
}

static void
io_was_read (gpointer user, gpointer source, guint32 count_bytes)
{
  (void)user;
  lk_step_stream_take (source, count_bytes);
}

/* ---------------------------------------------------------------- the keeper */

/* Once, and on the first node, as Slurm does. */
static void
say_cancelled (LkTasks *self, guint8 why)
{
  if (self->launch->place != 0 || self->is_cancelled || self->is_ending || self->is_closing)
    return;
  self->is_cancelled = TRUE;
  g_autofree char *what =
      g_strdup_printf ("STEP %u.%u", self->launch->job_id, self->launch->step_id);
  g_autofree char *line = lk_cancelled_line (what, self->step->node, why);
  lk_tasks_say (self, /* is_error= */ TRUE, "%s", line);
}

static void
begin_listening (LkTasks *self, const guint8 *bytes, gsize length_bytes)
{
  LkMessage message;
  if (!lk_message_decode (bytes, length_bytes, &message) || message.kind != LK_MESSAGE_STEP_LISTEN)
    return;
  const LkMessage_step_listen *listen = &message.step_listen;
  g_auto (GStrv) addresses = lk_tasks_addresses (listen->socket, listen->addresses);
  LkListener *listener = g_new0 (LkListener, 1);
  listener->may_write = listen->may_write != 0;
  if (!listen_for (self, listener, listen->key, (const char *const *)addresses))
    lk_step_log (self->step, "step %u: who wants to listen cannot be reached",
                 self->launch->step_id);
}

/* The signal itself is the keeper's business, whose rights reach farther. */
static void
hear_keeper (gpointer user, guint events)
{
  LkTasks *self = user;
  guint8 packet[LK_STEP_TASKS_BYTES_MAX];
  LkStepTasksOrder order;
  (void)events;
  gssize count = lk_step_receive (self->keeper, packet, sizeof packet, /* waits= */ FALSE);
  if (count < 0 && errno == EAGAIN)
    return;
  if (count < (gssize)sizeof order) {
    signal_tree (SIGKILL);
    _exit (1);
  }
  memcpy (&order, packet, sizeof order);
  if (order.what == LK_STEP_TASKS_LISTEN) {
    begin_listening (self, packet + sizeof order, (gsize)count - sizeof order);
  } else if (order.what == LK_STEP_TASKS_NOTIFY) {
    lk_tasks_say (self, /* is_error= */ FALSE, "%.*s", (int)(count - (gssize)sizeof order),
                  (const char *)packet + sizeof order);
  } else if (order.what == LK_STEP_TASKS_SIGNAL) {
    if (order.signal == SIGKILL || order.signal == SIGTERM)
      say_cancelled (self, order.why);
    if (!self->was_begun && (order.signal == SIGKILL || order.signal == SIGTERM))
      end_tasks (self, 0);
  }
}

/* ---------------------------------------------------------------- beginning */

static void
send_pmix (gpointer user, guint32 node_index, LkBytes bytes)
{
  LkTasks *self = user;
  LkListener *srun = srun_of (self);
  const LkStepFrame frame = { .kind = LK_STEP_FRAME_PMIX_UP,
                              .pmix_up = { .node_index = node_index, .bytes = bytes } };
  if (srun != NULL && lk_step_stream_is_open (srun->stream))
    lk_step_stream_send (srun->stream, &frame);
}

static void
abort_pmix (gpointer user, int status, const char *why)
{
  LkTasks *self = user;
  lk_tasks_say (self, /* is_error= */ TRUE, "%s abort of step %u.%u with status %d: %s",
                self->pmi != NULL ? "PMI" : "PMIx", self->launch->job_id, self->launch->step_id,
                status, why);
  end_tasks (self, self->launch->kill_wait_us);
}

static void
find_srun (LkTasks *self)
{
  g_auto (GStrv) addresses = lk_tasks_addresses (self->needs.socket, self->needs.addresses);
  LkListener *srun = g_new0 (LkListener, 1);
  srun->is_srun = srun->may_write = TRUE;
  if (listen_for (self, srun, self->needs.key, (const char *const *)addresses))
    return;
  if (self->needs.is_forsaken != 0) {
    begin (self);
    return;
  }
  lk_step_log (self->step, "step %u: its srun has no address", self->launch->step_id);
  self->trouble = LK_TROUBLE_LAUNCH_FAILURE;
  close_down (self);
}

static const char *
become_user (LkTasks *self, LkCgroup *group)
{
  LkStep *step = self->step;
  lk_tasks_take_group (self, group);
  if (!lk_enter_run (step))
    return "cannot have folders of its own";
  lk_tasks_ignore_signals ();
  lk_tasks_enter_cpus (self);
  if (!lk_tasks_make_folder (self))
    return "no folder for what tasks share";
  const char *lack = lk_tasks_enter_user (self);
  if (lack != NULL)
    return lack;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  prctl (PR_SET_CHILD_SUBREAPER, 1);
  prctl (PR_SET_DUMPABLE, 0);
  umask (self->needs.umask);
  return NULL;
}

static void
init_timers (LkTasks *self)
{
  self->kill_timer = (LkLoopTimer){ .due = kill_again, .user = self };
  self->sample_timer = (LkLoopTimer){ .due = sample, .user = self };
  self->over_timer = (LkLoopTimer){ .due = waited_enough, .user = self };
  self->epilog_timer = (LkLoopTimer){ .due = epilog_is_late, .user = self };
  self->wait_timer = (LkLoopTimer){ .due = wait_is_over, .user = self };
  self->sample_every_us = SAMPLE_FIRST_US;
  self->send_pmix = send_pmix;
  self->abort_pmix = abort_pmix;
}

void
lk_tasks_run (LkStep *step, const LkTasksPlan *plan, int keeper)
{
  LkTasks *self = g_new0 (LkTasks, 1);
  self->step = step;
  self->launch = plan->launch;
  self->keeper = keeper;
  self->listeners = g_ptr_array_new_with_free_func (listener_free);
  const char *lack =
      lk_tasks_read (self, plan) ? become_user (self, plan->group) : "the step cannot be read";
  self->loop = lack == NULL ? lk_loop_new (NULL) : NULL;
  if (self->loop == NULL) {
    lk_step_log (step, "step %u: %s: %s", plan->launch->step_id, lack != NULL ? lack : "no loop",
                 g_strerror (errno));
    self->trouble = LK_TROUBLE_LAUNCH_FAILURE;
    leave (self);
  }
  const LkTaskIoOps ops = { .has_room = io_has_room,
                            .wrote = io_wrote,
                            .fell_silent = io_fell_silent,
                            .was_read = io_was_read,
                            .user = self };
  gboolean by_line = self->needs.is_unbuffered == 0 && self->needs.has_terminal == 0;
  self->io = lk_task_io_new (self->loop, self->count, by_line, &ops);
  init_timers (self);
  self->keeper_part = (LkLoopFd){ .ready = hear_keeper, .user = self };
  lk_loop_add_fd (self->loop, &self->keeper_part, keeper, LK_LOOP_READ, NULL);
  lk_loop_add_signal (self->loop, SIGCHLD, reap, self);
  find_srun (self);
  lk_loop_run (self->loop);
  leave (self);
}
