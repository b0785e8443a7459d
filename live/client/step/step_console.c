/* live/client/step/step_console.c — see the header: nodes that come and end, and what they say. */
#include "live/client/step/step_console.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "live/client/step/step_console_private.h"

/* Tasks that end within this are told together. */
#define TELL_AFTER_US 50000
#define LOOK_FIRST_US G_USEC_PER_SEC
#define LOOK_SOON_US 50000
#define LOOK_MAX_US (16 * G_USEC_PER_SEC)

/* ---------------------------------------------------------------- texts */

void
lk_console_info (const LkStepConsole *self, const char *format, ...)
{
  const LkClient *client = self->options.client;
  va_list arguments;
  if (self->options.is_quiet)
    return;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  fprintf (client->err, "%s: %s%s\n", client->command, text, self->is_raw ? "\r" : "");
  fflush (client->err);
}

static void console_error (const LkStepConsole *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
console_error (const LkStepConsole *self, const char *format, ...)
{
  const LkClient *client = self->options.client;
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  fprintf (client->err, "%s: error: %s%s\n", client->command, text, self->is_raw ? "\r" : "");
  fflush (client->err);
}

/* ---------------------------------------------------------------- the step, of the controller */

typedef struct {
  const LkStepConsole *console;
  gboolean is_there;
  gboolean is_running;
  gboolean is_ending;
} Standing;

static void
standing_take (gpointer user, const LkRecord *record)
{
  Standing *self = user;
  const LkRecord_step *step = &record->step;
  if (step->job_id != self->console->options.job_id
      || step->step_id != self->console->options.step_id)
    return;
  self->is_there = TRUE;
  self->is_running = step->state == LK_JOB_RUNNING || step->state == LK_JOB_SUSPENDED;
  self->is_ending =
      step->is_completing != 0 || step->state == LK_JOB_CANCELLED || step->state == LK_JOB_TIMEOUT;
}

/* FALSE: the controller cannot be asked. */
static gboolean
standing_of (const LkStepConsole *self, Standing *out)
{
  g_autoptr (GError) error = NULL;
  LkClientQuery query = { .kind = LK_RECORD_STEP,
                          .job_id = self->options.job_id,
                          .with_ended = TRUE };
  *out = (Standing){ .console = self };
  return lk_client_query (self->options.client, &query, standing_take, out, &error);
}

/* Somebody else ends the step. */
static void
force_tell (LkStepConsole *self)
{
  if (self->is_force_told || self->is_cancelled)
    return;
  self->is_force_told = self->is_ending = TRUE;
  lk_console_info (self, "Force Terminated %s", self->options.label);
  lk_console_aborted_tell (self);
}

/* ---------------------------------------------------------------- ends */

static void
exits_tell (LkStepConsole *self)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  Standing standing;
  gboolean is_killed = lk_task_exits_ended_by_signal (self->exits, SIGTERM)
                       || lk_task_exits_ended_by_signal (self->exits, SIGKILL);
  lk_loop_set_timer (self->options.loop, &self->tell_timer, LK_TIME_NEVER);
  if (self->options.is_attached || !lk_task_exits_has_news (self->exits))
    return;
  if (is_killed && !self->is_ending && standing_of (self, &standing) && standing.is_ending)
    force_tell (self);
  lk_task_exits_tell (self->exits, !self->is_cancelled, lines);
  for (guint i = 0; i < lines->len; i++)
    console_error (self, "%s", (const char *)g_ptr_array_index (lines, i));
}

static void
tell_due (gpointer user)
{
  exits_tell (user);
}

static void
wait_due (gpointer user)
{
  LkStepConsole *self = user;
  lk_console_info (self, "First task exited %ds ago",
                   (int)(self->options.wait_us / G_USEC_PER_SEC));
  lk_console_states_tell (self);
  lk_console_terminate (self, SIGKILL);
}

static void
task_ended (LkStepConsole *self, const LkStepFrame_task_exit *frame)
{
  gint64 now_us = lk_loop_now_us (self->options.loop);
  gboolean is_first = lk_task_exits_count (self->exits) == 0;
  lk_task_exits_add (self->exits, frame->task, (int)frame->status, frame->oom != 0);
  if (self->options.is_attached)
    return;
  if (self->tell_timer.position == 0)
    lk_loop_set_timer (self->options.loop, &self->tell_timer, now_us + TELL_AFTER_US);
  if (is_first && self->options.wait_us > 0)
    lk_loop_set_timer (self->options.loop, &self->wait_timer, now_us + self->options.wait_us);
  if (self->options.kills_on_bad_exit && lk_task_exits_has_bad (self->exits) && !self->is_ending) {
    exits_tell (self);
    lk_console_terminate (self, 0);
  }
}

/* Nothing more comes of any node, and all is written. */
static void
end_check (LkStepConsole *self)
{
  for (guint i = 0; i < self->nodes->len; i++)
    if (!g_array_index (self->nodes, LkConsoleNode, i).is_over)
      return;
  if (!lk_task_output_is_empty (self->out) || !lk_task_output_is_empty (self->err))
    return;
  self->is_over = TRUE;
  lk_loop_quit (self->options.loop);
}

static const char *
node_name (const LkStepConsole *self, guint index)
{
  return g_ptr_array_index (self->options.node_names, index);
}

static void
node_lost (LkStepConsole *self, guint index, const char *why)
{
  LkConsoleNode *node = &g_array_index (self->nodes, LkConsoleNode, index);
  if (node->is_over)
    return;
  node->is_over = TRUE;
  exits_tell (self);
  /* What we have ended before it began is no failure of a node. */
  if (!self->is_cancelled)
    console_error (self, "Node failure on %s: %s", node_name (self, index), why);
  self->failure_code = 1;
  end_check (self);
}

/* Looks whether the step lives, where nodes say nothing. */
static void
look_due (gpointer user)
{
  LkStepConsole *self = user;
  Standing standing;
  self->look_us = MIN (2 * self->look_us, LOOK_MAX_US);
  lk_loop_set_timer (self->options.loop, &self->look_timer,
                     lk_loop_now_us (self->options.loop) + self->look_us);
  if (!standing_of (self, &standing))
    return;
  if (standing.is_there && standing.is_ending)
    force_tell (self);
  if (standing.is_there && standing.is_running)
    return;
  for (guint i = 0; i < self->nodes->len; i++)
    if (g_array_index (self->nodes, LkConsoleNode, i).stream != NULL)
      continue;
    else if (self->options.is_attached)
      g_array_index (self->nodes, LkConsoleNode, i).is_over = TRUE;
    else
      node_lost (self, i, "the step is over, and nothing has come from there");
  end_check (self);
}

/* A step waits for the launcher of its tasks, and not for others who listen: of its end they may
 * hear no more than that nobody is there. */
static void
look_soon (LkStepConsole *self)
{
  self->look_us = LOOK_SOON_US;
  lk_loop_set_timer (self->options.loop, &self->look_timer,
                     lk_loop_now_us (self->options.loop) + self->look_us);
}

/* ---------------------------------------------------------------- what nodes say */

void
lk_console_send_all (LkStepConsole *self, const LkStepFrame *frame)
{
  for (guint i = 0; i < self->nodes->len; i++) {
    const LkConsoleNode *node = &g_array_index (self->nodes, LkConsoleNode, i);
    if (node->stream != NULL && node->is_ready && !node->is_over)
      lk_step_stream_send (node->stream, frame);
  }
}

static void
early_free (gpointer data)
{
  LkConsoleEarly *early = data;
  g_byte_array_unref (early->bytes);
  g_free (early);
}

static void
early_keep (LkStepConsole *self, guint32 source, const LkStepFrame_pmix_up *frame)
{
  LkConsoleEarly *early = g_new (LkConsoleEarly, 1);
  *early = (LkConsoleEarly){ frame->node_index, source, g_byte_array_new () };
  if (frame->bytes.length_bytes > 0)
    g_byte_array_append (early->bytes, frame->bytes.bytes, frame->bytes.length_bytes);
  g_ptr_array_add (self->early, early);
}

/* In the order in which they came. */
static void
early_send (LkStepConsole *self, guint32 target, LkStepStream *stream)
{
  for (guint i = 0; i < self->early->len;) {
    const LkConsoleEarly *early = g_ptr_array_index (self->early, i);
    if (early->target != target) {
      i++;
      continue;
    }
    const LkStepFrame down = { .kind = LK_STEP_FRAME_PMIX_DOWN,
                               .pmix_down = { early->source,
                                              { early->bytes->data, early->bytes->len } } };
    lk_step_stream_send (stream, &down);
    g_ptr_array_remove_index (self->early, i);
  }
}

static void
node_ready (LkStepConsole *self, LkStepStream *stream)
{
  guint32 index = lk_step_stream_node (stream);
  LkConsoleNode *node =
      index < self->nodes->len ? &g_array_index (self->nodes, LkConsoleNode, index) : NULL;
  g_ptr_array_remove_fast (self->strangers, stream);
  /* A second one of a node has nothing to say that the first has not. */
  if (node == NULL || node->stream != NULL || node->is_over) {
    lk_step_stream_free (stream);
    return;
  }
  node->stream = stream;
  early_send (self, index, stream);
  node->is_ready = TRUE;
  lk_console_signals_repeat (self, stream);
  for (guint i = 0; i < self->nodes->len; i++)
    if (!g_array_index (self->nodes, LkConsoleNode, i).is_ready)
      return;
  lk_console_input_begin (self);
}

static void
bytes_came (LkStepConsole *self, guint source, const LkStepFrame_out *frame, gboolean is_error)
{
  guint32 wanted = is_error ? self->options.err_task : self->options.out_task;
  LkTaskOutput *output = is_error ? self->err : self->out;
  LkStepStream *stream = g_array_index (self->nodes, LkConsoleNode, source).stream;
  if (wanted != LK_STEP_ALL && wanted != frame->task)
    lk_step_stream_take (stream, frame->bytes.length_bytes);
  else
    lk_task_output_write (output, source, frame->task, frame->bytes.bytes,
                          frame->bytes.length_bytes);
}

/* Why tasks were not begun; NULL: they were. */
static const char *
launch_trouble (guint8 trouble)
{
  switch (trouble) {
  case LK_TROUBLE_LAUNCH_FAILURE:
    return "Unspecified error";
  case LK_TROUBLE_BOOT_FAILURE:
    return "Node failed to boot";
  case LK_TROUBLE_PROLOG_FAILURE:
    return "Job prolog failed";
  default:
    return NULL;
  }
}

static void
node_ended (LkStepConsole *self, guint index, const LkStepFrame_node_end *frame)
{
  const char *trouble = launch_trouble (frame->trouble);
  LkConsoleNode *node = &g_array_index (self->nodes, LkConsoleNode, index);
  LkStepFrame done = { .kind = LK_STEP_FRAME_DONE };
  node->is_over = TRUE;
  if (trouble != NULL && !self->is_ending) {
    console_error (self, "Task launch for %s failed on node %s: %s", self->options.label,
                   node_name (self, index), trouble);
    self->failure_code = 1;
  }
  lk_step_stream_send (node->stream, &done);
  end_check (self);
}

static void
pmix_pass (LkStepConsole *self, guint source, const LkStepFrame_pmix_up *frame)
{
  LkStepFrame down = { .kind = LK_STEP_FRAME_PMIX_DOWN };
  down.pmix_down.node_index = source;
  down.pmix_down.bytes = frame->bytes;
  if (frame->node_index == LK_STEP_ALL)
    lk_console_send_all (self, &down);
  else if (frame->node_index < self->nodes->len) {
    const LkConsoleNode *node = &g_array_index (self->nodes, LkConsoleNode, frame->node_index);
    if (node->stream != NULL && !node->is_over)
      lk_step_stream_send (node->stream, &down);
    else if (!node->is_over)
      early_keep (self, source, frame);
  }
}

static void
frame_came (gpointer user, LkStepStream *stream, const LkStepFrame *frame)
{
  LkStepConsole *self = user;
  guint32 index = lk_step_stream_node (stream);
  if (frame->kind == LK_STEP_FRAME_READY) {
    node_ready (self, stream);
    return;
  }
  if (index >= self->nodes->len
      || g_array_index (self->nodes, LkConsoleNode, index).stream != stream)
    return;
  switch (frame->kind) {
  case LK_STEP_FRAME_STARTED:
    lk_task_exits_started (self->exits, frame->started.task);
    break;
  case LK_STEP_FRAME_OUT:
    bytes_came (self, index, &frame->out, FALSE);
    break;
  case LK_STEP_FRAME_ERR: {
    LkStepFrame_out bytes = { frame->err.task, frame->err.bytes };
    bytes_came (self, index, &bytes, TRUE);
    break;
  }
  case LK_STEP_FRAME_OUT_EOF:
    lk_task_output_end (self->out, frame->out_eof.task);
    lk_task_output_end (self->err, frame->out_eof.task);
    break;
  case LK_STEP_FRAME_TASK_EXIT:
    task_ended (self, &frame->task_exit);
    break;
  case LK_STEP_FRAME_LOG:
    fprintf (self->options.client->err, "slurmstepd: %s%.*s%s\n",
             frame->log.is_error != 0 ? "error: " : "", (int)frame->log.line.length_bytes,
             frame->log.line.length_bytes > 0 ? frame->log.line.bytes : "",
             self->is_raw ? "\r" : "");
    fflush (self->options.client->err);
    break;
  case LK_STEP_FRAME_NODE_END:
    node_ended (self, index, &frame->node_end);
    break;
  case LK_STEP_FRAME_PMIX_UP:
    pmix_pass (self, index, &frame->pmix_up);
    break;
  default:
    break;
  }
}

static void
room_came (gpointer user, LkStepStream *stream)
{
  (void)stream;
  lk_console_input_go_on (user);
}

static void
stream_ended (gpointer user, LkStepStream *stream, const char *why)
{
  LkStepConsole *self = user;
  for (guint i = 0; i < self->nodes->len; i++) {
    LkConsoleNode *node = &g_array_index (self->nodes, LkConsoleNode, i);
    if (node->stream != stream)
      continue;
    node->stream = NULL;
    if (self->options.is_attached)
      look_soon (self);
    else
      node_lost (self, i, why);
  }
  g_ptr_array_remove_fast (self->strangers, stream);
  lk_step_stream_free (stream);
}

void
lk_step_console_came (LkStepConsole *self, int socket)
{
  LkStepAbout about = { .side = LK_STEP_SIDE_LAUNCHER,
                        .key = self->options.key,
                        .job_id = self->options.job_id,
                        .step_id = self->options.step_id,
                        .node_count = self->nodes->len };
  LkStepStreamOps ops = { frame_came, room_came, stream_ended, self };
  guint16 rows;
  guint16 columns;
  LkStepStream *stream = lk_step_stream_accept (self->options.loop, &about, socket, &ops, NULL);
  if (stream == NULL)
    return;
  if (self->options.has_terminal && lk_console_window (self, &rows, &columns))
    lk_step_stream_set_window (stream, rows, columns);
  g_ptr_array_add (self->strangers, stream);
}

/* ---------------------------------------------------------------- begin, end */

static void
bytes_taken (gpointer user, guint source, guint32 count_bytes)
{
  LkStepConsole *self = user;
  const LkConsoleNode *node = &g_array_index (self->nodes, LkConsoleNode, source);
  if (node->stream != NULL)
    lk_step_stream_take (node->stream, count_bytes);
}

/* What was written last may have been all that was waited for. */
static void
turn_ended (gpointer user)
{
  end_check (user);
}

static LkTaskOutput *
output_new (LkStepConsole *self, int fd)
{
  LkTaskOutputOptions options = { .loop = self->options.loop,
                                  .fd = fd,
                                  .task_count = self->options.task_nodes->len,
                                  .is_labelled = self->options.is_labelled,
                                  .is_unbuffered = self->options.is_unbuffered,
                                  .taken = bytes_taken,
                                  .user = self };
  return lk_task_output_new (&options);
}

LkStepConsole *
lk_step_console_new (const LkStepConsoleOptions *options)
{
  LkStepConsole *self = g_new0 (LkStepConsole, 1);
  self->options = *options;
  self->early = g_ptr_array_new_with_free_func (early_free);
  self->nodes = g_array_sized_new (FALSE, TRUE, sizeof (LkConsoleNode), options->node_names->len);
  g_array_set_size (self->nodes, options->node_names->len);
  self->strangers = g_ptr_array_new ();
  self->passed = g_byte_array_new ();
  self->exits = lk_task_exits_new (options->task_nodes);
  self->out = output_new (self, options->out_fd);
  self->err = options->err_fd == options->out_fd ? self->out : output_new (self, options->err_fd);
  self->tell_timer.due = tell_due;
  self->wait_timer.due = wait_due;
  self->look_timer.due = look_due;
  self->tell_timer.user = self->wait_timer.user = self->look_timer.user = self;
  self->look_us = LOOK_FIRST_US;
  if (options->has_terminal)
    self->options.has_terminal = lk_console_terminal_begin (self);
  lk_console_signals_begin (self);
  return self;
}

void
lk_step_console_free (LkStepConsole *self)
{
  if (self == NULL)
    return;
  lk_console_terminal_end (self);
  lk_console_input_end (self);
  lk_loop_set_timer (self->options.loop, &self->tell_timer, LK_TIME_NEVER);
  lk_loop_set_timer (self->options.loop, &self->wait_timer, LK_TIME_NEVER);
  lk_loop_set_timer (self->options.loop, &self->look_timer, LK_TIME_NEVER);
  lk_loop_set_turn_ended (self->options.loop, NULL, NULL);
  for (guint i = 0; i < self->nodes->len; i++)
    if (g_array_index (self->nodes, LkConsoleNode, i).stream != NULL)
      lk_step_stream_free (g_array_index (self->nodes, LkConsoleNode, i).stream);
  for (guint i = 0; i < self->strangers->len; i++)
    lk_step_stream_free (g_ptr_array_index (self->strangers, i));
  if (self->err != self->out)
    lk_task_output_free (self->err);
  lk_task_output_free (self->out);
  lk_task_exits_free (self->exits);
  g_ptr_array_unref (self->strangers);
  g_byte_array_unref (self->passed);
  g_ptr_array_unref (self->early);
  g_array_unref (self->nodes);
  g_free (self);
}

int
lk_step_console_run (LkStepConsole *self)
{
  LkLoop *loop = self->options.loop;
  lk_loop_set_turn_ended (loop, turn_ended, self);
  lk_loop_set_timer (loop, &self->look_timer, lk_loop_now_us (loop) + self->look_us);
  lk_loop_run (loop);
  for (guint i = 0; i < self->nodes->len; i++)
    if (g_array_index (self->nodes, LkConsoleNode, i).stream != NULL)
      lk_step_stream_flush (g_array_index (self->nodes, LkConsoleNode, i).stream);
  exits_tell (self);
  int failure = lk_task_output_failure (self->out);
  failure = failure != 0 ? failure : lk_task_output_failure (self->err);
  if (failure != 0)
    console_error (self, "the output of tasks cannot be written: %s", g_strerror (failure));
  /* Who reads no more has what he wanted. */
  if (failure != 0 && failure != EPIPE)
    self->failure_code = 1;
  return MAX (lk_task_exits_code (self->exits), self->failure_code);
}
