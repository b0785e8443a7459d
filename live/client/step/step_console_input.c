/* live/client/step/step_console_input.c — what srun reads, and its terminal. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "live/client/step/step_console_private.h"

/* ---------------------------------------------------------------- to whom */

/* Of one task its node, else all. */
static gboolean
is_meant (const LkStepConsole *self, guint index)
{
  guint32 task = self->options.in_task;
  return task == LK_STEP_ALL
         || (task < self->options.task_indices->len
             && g_array_index (self->options.task_indices, guint32, task) == index);
}

/* So much all of them take. */
static guint32
room_of_all (const LkStepConsole *self)
{
  guint32 room = LK_STEP_CHUNK_BYTES;
  gboolean is_anybody_there = FALSE;
  for (guint i = 0; i < self->nodes->len; i++) {
    const LkConsoleNode *node = &g_array_index (self->nodes, LkConsoleNode, i);
    if (!is_meant (self, i) || node->stream == NULL || node->is_over)
      continue;
    is_anybody_there = TRUE;
    room = MIN (room, lk_step_stream_room_bytes (node->stream));
  }
  return is_anybody_there ? room : 0;
}

static void
send_meant (LkStepConsole *self, const LkStepFrame *frame)
{
  for (guint i = 0; i < self->nodes->len; i++) {
    const LkConsoleNode *node = &g_array_index (self->nodes, LkConsoleNode, i);
    if (is_meant (self, i) && node->stream != NULL && !node->is_over)
      lk_step_stream_send (node->stream, frame);
  }
}

/* ---------------------------------------------------------------- reading */

static void
input_watch (LkStepConsole *self)
{
  LkConsoleInput *input = &self->input;
  gboolean is_wanted = !input->is_at_end && room_of_all (self) > 0;
  if (input->is_direct && is_wanted)
    lk_loop_defer (self->options.loop, &input->again);
  else if (!input->is_direct)
    lk_loop_change_fd (self->options.loop, &input->part, is_wanted ? LK_LOOP_READ : 0);
}

static void
at_end (LkStepConsole *self)
{
  LkStepFrame frame = { .kind = LK_STEP_FRAME_IN_EOF };
  self->input.is_at_end = TRUE;
  if (!self->input.is_direct)
    lk_loop_remove_fd (self->options.loop, &self->input.part);
  self->input.is_direct = TRUE;
  frame.in_eof.task = self->options.in_task;
  send_meant (self, &frame);
}

static void
input_read (LkStepConsole *self)
{
  guint8 bytes[LK_STEP_CHUNK_BYTES];
  LkStepFrame frame = { .kind = LK_STEP_FRAME_IN };
  guint32 room = room_of_all (self);
  if (self->input.is_at_end || room == 0)
    return;
  gssize count = read (self->options.in_fd, bytes, room);
  if (count < 0 && (errno == EINTR || errno == EAGAIN))
    return;
  if (count <= 0) {
    at_end (self);
    return;
  }
  frame.in.task = self->options.in_task;
  frame.in.bytes = (LkBytes){ bytes, (guint32)count };
  send_meant (self, &frame);
}

static void
input_ready (gpointer user, guint events)
{
  LkStepConsole *self = user;
  if ((events & (LK_LOOP_READ | LK_LOOP_CLOSED)) != 0)
    input_read (self);
  if (!self->input.is_at_end)
    input_watch (self);
}

static void
input_again (gpointer user)
{
  input_read (user);
  input_watch (user);
}

void
lk_console_input_begin (LkStepConsole *self)
{
  LkConsoleInput *input = &self->input;
  int fd = self->options.in_fd;
  if (input->is_begun)
    return;
  input->is_begun = TRUE;
  input->again.call = input_again;
  input->part.ready = input_ready;
  input->again.user = input->part.user = self;
  /* A terminal is read only by who is in its foreground. */
  pid_t foreground = fd >= 0 && isatty (fd) ? tcgetpgrp (fd) : -1;
  gboolean is_in_background = foreground > 0 && foreground != getpgrp ();
  if (fd < 0 || is_in_background) {
    input->is_at_end = input->is_direct = TRUE;
    return;
  }
  input->is_direct = !lk_loop_add_fd (self->options.loop, &input->part, fd, 0, NULL);
  input_watch (self);
}

void
lk_console_input_go_on (LkStepConsole *self)
{
  if (self->input.is_begun && !self->input.is_at_end)
    input_watch (self);
}

void
lk_console_input_end (LkStepConsole *self)
{
  if (!self->input.is_begun)
    return;
  lk_loop_remove_call (self->options.loop, &self->input.again);
  if (!self->input.is_direct)
    lk_loop_remove_fd (self->options.loop, &self->input.part);
  self->input.is_begun = FALSE;
}

/* ---------------------------------------------------------------- the terminal */

/* Of the console that has changed it, for exits that are not ours. */
static const LkStepConsole *changed;

static void
terminal_restore (void)
{
  if (changed != NULL)
    tcsetattr (changed->options.in_fd, TCSANOW, &changed->terminal);
  changed = NULL;
}

gboolean
lk_console_terminal_begin (LkStepConsole *self)
{
  static gboolean is_registered;
  struct termios raw;
  if (self->options.in_fd < 0 || tcgetattr (self->options.in_fd, &self->terminal) != 0)
    return FALSE;
  raw = self->terminal;
  cfmakeraw (&raw);
  if (tcsetattr (self->options.in_fd, TCSANOW, &raw) != 0)
    return FALSE;
  self->is_raw = TRUE;
  changed = self;
  if (!is_registered)
    atexit (terminal_restore);
  is_registered = TRUE;
  return TRUE;
}

void
lk_console_terminal_end (LkStepConsole *self)
{
  if (self->is_raw)
    terminal_restore ();
  self->is_raw = FALSE;
}

gboolean
lk_console_window (const LkStepConsole *self, guint16 *out_rows, guint16 *out_columns)
{
  struct winsize size;
  if (self->options.in_fd < 0 || ioctl (self->options.in_fd, TIOCGWINSZ, &size) != 0
      || size.ws_row == 0 || size.ws_col == 0)
    return FALSE;
  *out_rows = size.ws_row;
  *out_columns = size.ws_col;
  return TRUE;
}
