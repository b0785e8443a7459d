/* live/step/task_io.c — see the header. */
#include "live/step/task_io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* What somebody has sent, for one task or for several. */
typedef struct {
  guint references;
  gpointer source; /* NULL: nobody wants to know */
  guint32 length_bytes;
  guint8 bytes[];
} Chunk;

typedef struct {
  LkTaskIo *io;
  guint index;
  gboolean is_error;
  LkLoopFd part;    /* fd -1: closed */
  GByteArray *line; /* what has come of a line that is not whole */
  int file;         /* -1: to whoever listens */
  const char *label;
  gboolean is_in_line; /* of the file: a line is begun */
} Output;

typedef struct {
  LkTaskIo *io;
  LkLoopFd part; /* fd -1: closed */
  GQueue chunks;
  guint32 at_bytes; /* of the first one, what is gone */
  gboolean is_to_end;
} Input;

typedef struct {
  Output outputs[2];
  Input input;
  char label[16];
  gboolean is_silent;
} Ends;

struct _LkTaskIo {
  LkLoop *loop;
  LkTaskIoOps ops;
  gboolean by_line;
  guint count;
  Ends *tasks;
};

/* ---------------------------------------------------------------- output */

static void
fall_silent (LkTaskIo *self, guint index)
{
  Ends *task = &self->tasks[index];
  if (task->is_silent || task->outputs[0].part.fd >= 0 || task->outputs[1].part.fd >= 0)
    return;
  task->is_silent = TRUE;
  self->ops.fell_silent (self->ops.user, index);
}

static void
write_all (int file, const guint8 *bytes, gsize length_bytes)
{
  while (length_bytes > 0) {
    gssize count = write (file, bytes, length_bytes);
    if (count < 0 && errno == EINTR)
      continue;
    /* A file that takes nothing more loses it, as the task's own would. */
    if (count <= 0)
      return;
    bytes += count;
    length_bytes -= (gsize)count;
  }
}

static void
write_labelled (Output *self, const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GByteArray) out = g_byte_array_new ();
  for (gsize i = 0; i < length_bytes; i++) {
    if (!self->is_in_line)
      g_byte_array_append (out, (const guint8 *)self->label, (guint)strlen (self->label));
    g_byte_array_append (out, bytes + i, 1);
    self->is_in_line = bytes[i] != '\n';
  }
  write_all (self->file, out->data, out->len);
}

static void
hand_on (Output *self, const guint8 *bytes, guint32 length_bytes)
{
  LkTaskIo *io = self->io;
  if (length_bytes == 0)
    return;
  if (self->file >= 0)
    write_labelled (self, bytes, length_bytes);
  else
    io->ops.wrote (io->ops.user, self->index, self->is_error, (LkBytes){ bytes, length_bytes });
}

/* Whole lines; all of it when that is as much as goes at once. */
static void
hand_on_lines (Output *self)
{
  guint whole = self->line->len;
  if (self->io->by_line && whole < LK_STEP_CHUNK_BYTES)
    while (whole > 0 && self->line->data[whole - 1] != '\n')
      whole--;
  hand_on (self, self->line->data, whole);
  if (whole > 0)
    g_byte_array_remove_range (self->line, 0, whole);
}

static void
output_close (Output *self)
{
  LkTaskIo *io = self->io;
  if (self->part.fd < 0)
    return;
  lk_loop_remove_fd (io->loop, &self->part);
  close (self->part.fd);
  self->part.fd = -1;
  hand_on (self, self->line->data, self->line->len);
  g_byte_array_set_size (self->line, 0);
  if (self->file >= 0)
    close (self->file);
  self->file = -1;
}

static void
output_ready (gpointer user, guint events)
{
  Output *self = user;
  LkTaskIo *io = self->io;
  guint8 bytes[LK_STEP_CHUNK_BYTES];
  (void)events;
  if (self->file < 0 && !io->ops.has_room (io->ops.user)) {
    /* An end that hangs up would be announced for ever. */
    lk_loop_remove_fd (io->loop, &self->part);
    return;
  }
  gssize count = read (self->part.fd, bytes, sizeof bytes - self->line->len);
  if (count < 0 && (errno == EINTR || errno == EAGAIN))
    return;
  if (count > 0) {
    g_byte_array_append (self->line, bytes, (guint)count);
    hand_on_lines (self);
    return;
  }
  output_close (self);
  fall_silent (io, self->index);
}

void
lk_task_io_go_on (LkTaskIo *self)
{
  for (guint i = 0; i < self->count; i++)
    for (guint j = 0; j < 2; j++) {
      Output *output = &self->tasks[i].outputs[j];
      if (output->part.fd >= 0 && !output->part.is_in)
        lk_loop_add_fd (self->loop, &output->part, output->part.fd, LK_LOOP_READ, NULL);
    }
}

/* ---------------------------------------------------------------- input */

static void
chunk_unref (LkTaskIo *self, Chunk *chunk)
{
  if (--chunk->references > 0)
    return;
  if (chunk->source != NULL)
    self->ops.was_read (self->ops.user, chunk->source, chunk->length_bytes);
  g_free (chunk);
}

static void
input_close (Input *self)
{
  Chunk *chunk;
  if (self->part.fd >= 0) {
    lk_loop_remove_fd (self->io->loop, &self->part);
    close (self->part.fd);
    self->part.fd = -1;
  }
  while ((chunk = g_queue_pop_head (&self->chunks)) != NULL)
    chunk_unref (self->io, chunk);
  self->at_bytes = 0;
}

/* FALSE: it takes no more now. */
static gboolean
input_write_some (Input *self)
{
  const Chunk *chunk = g_queue_peek_head (&self->chunks);
  gssize count =
      write (self->part.fd, chunk->bytes + self->at_bytes, chunk->length_bytes - self->at_bytes);
  if (count < 0 && errno == EINTR)
    return TRUE;
  if (count < 0 && errno == EAGAIN)
    return FALSE;
  if (count < 0) {
    input_close (self);
    return FALSE;
  }
  self->at_bytes += (guint32)count;
  if (self->at_bytes < chunk->length_bytes)
    return TRUE;
  self->at_bytes = 0;
  chunk_unref (self->io, g_queue_pop_head (&self->chunks));
  return TRUE;
}

static void
input_write (Input *self)
{
  while (self->part.fd >= 0 && !g_queue_is_empty (&self->chunks) && input_write_some (self))
    continue;
  if (self->part.fd < 0)
    return;
  if (!g_queue_is_empty (&self->chunks)) {
    if (!self->part.is_in)
      lk_loop_add_fd (self->io->loop, &self->part, self->part.fd, LK_LOOP_WRITE, NULL);
    return;
  }
  lk_loop_remove_fd (self->io->loop, &self->part);
  if (self->is_to_end)
    input_close (self);
}

static void
input_ready (gpointer user, guint events)
{
  (void)events;
  input_write (user);
}

/* First and last of those that are meant. */
static guint
first_of (guint index)
{
  return index == LK_STEP_ALL ? 0 : index;
}

static guint
behind (const LkTaskIo *self, guint index)
{
  return index == LK_STEP_ALL ? self->count : MIN (index + 1, self->count);
}

void
lk_task_io_put (LkTaskIo *self, guint index, LkBytes bytes, gpointer source)
{
  Chunk *chunk = g_malloc (sizeof (Chunk) + bytes.length_bytes);
  *chunk = (Chunk){ .references = 1, .source = source, .length_bytes = bytes.length_bytes };
  memcpy (chunk->bytes, bytes.bytes, bytes.length_bytes);
  for (guint i = first_of (index); i < behind (self, index); i++) {
    Input *input = &self->tasks[i].input;
    if (input->part.fd < 0 || input->is_to_end)
      continue;
    chunk->references++;
    g_queue_push_tail (&input->chunks, chunk);
  }
  for (guint i = first_of (index); i < behind (self, index); i++)
    input_write (&self->tasks[i].input);
  chunk_unref (self, chunk);
}

void
lk_task_io_end_input (LkTaskIo *self, guint index)
{
  for (guint i = first_of (index); i < behind (self, index); i++) {
    self->tasks[i].input.is_to_end = TRUE;
    input_write (&self->tasks[i].input);
  }
}

void
lk_task_io_task_ended (LkTaskIo *self, guint index)
{
  input_close (&self->tasks[index].input);
}

void
lk_task_io_forget_source (LkTaskIo *self, gpointer source)
{
  for (guint i = 0; i < self->count; i++)
    for (GList *at = self->tasks[i].input.chunks.head; at != NULL; at = at->next) {
      Chunk *chunk = at->data;
      if (chunk->source == source)
        chunk->source = NULL;
    }
}

/* ---------------------------------------------------------------- all of it */

LkTaskIo *
lk_task_io_new (LkLoop *loop, guint task_count, gboolean by_line, const LkTaskIoOps *ops)
{
  LkTaskIo *self = g_new0 (LkTaskIo, 1);
  self->loop = loop;
  self->ops = *ops;
  self->by_line = by_line;
  self->count = task_count;
  self->tasks = g_new0 (Ends, task_count);
  for (guint i = 0; i < task_count; i++) {
    Ends *task = &self->tasks[i];
    for (guint j = 0; j < 2; j++)
      task->outputs[j] = (Output){ .io = self,
                                   .index = i,
                                   .is_error = j == 1,
                                   .part = { .fd = -1 },
                                   .line = g_byte_array_new (),
                                   .file = -1,
                                   .label = task->label };
    task->input = (Input){ .io = self, .part = { .fd = -1 } };
    task->is_silent = TRUE;
  }
  return self;
}

void
lk_task_io_free (LkTaskIo *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->count; i++) {
    Ends *task = &self->tasks[i];
    for (guint j = 0; j < 2; j++) {
      Output *output = &task->outputs[j];
      g_byte_array_set_size (output->line, 0);
      output_close (output);
      g_byte_array_unref (output->line);
    }
    input_close (&task->input);
  }
  g_free (self->tasks);
  g_free (self);
}

static gboolean
output_open (Output *self, int end, int file)
{
  self->file = file;
  if (end < 0)
    return TRUE;
  fcntl (end, F_SETFL, O_NONBLOCK);
  self->part = (LkLoopFd){ .ready = output_ready, .user = self, .fd = -1 };
  if (!lk_loop_add_fd (self->io->loop, &self->part, end, LK_LOOP_READ, NULL)) {
    self->part.fd = -1;
    return FALSE;
  }
  return TRUE;
}

/* A terminal is waited for in two ways, which takes two descriptors. */
static gboolean
input_open (Input *self, int end, gboolean is_shared)
{
  if (end < 0)
    return TRUE;
  int own = is_shared ? fcntl (end, F_DUPFD_CLOEXEC, 0) : end;
  if (own < 0)
    return FALSE;
  fcntl (own, F_SETFL, O_NONBLOCK);
  self->part = (LkLoopFd){ .ready = input_ready, .user = self, .fd = own };
  return TRUE;
}

gboolean
lk_task_io_add (LkTaskIo *self, guint index, const LkTaskEnds *ends)
{
  Ends *task = &self->tasks[index];
  g_strlcpy (task->label, ends->label, sizeof task->label);
  task->is_silent = ends->output < 0 && ends->error < 0;
  return output_open (&task->outputs[0], ends->output, ends->output_file)
         && output_open (&task->outputs[1], ends->error, ends->error_file)
         && input_open (&task->input, ends->input, ends->input == ends->output);
}

gboolean
lk_task_io_is_silent (const LkTaskIo *self, guint index)
{
  return self->tasks[index].is_silent;
}
