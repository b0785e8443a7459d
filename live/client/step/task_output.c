/* live/client/step/task_output.c — see the header. */
#include "live/client/step/task_output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* What a pipe that can be written takes at once without blocking (PIPE_BUF). */
#define PIECE_BYTES 4096u
/* A longer line is cut. */
#define LINE_MAX_BYTES 65536u

typedef struct {
  GByteArray *bytes;
  gsize at;
  guint source;
  guint32 owed_bytes; /* told when the piece is out */
} Piece;

struct _LkTaskOutput {
  LkTaskOutputOptions options;
  LkLoopFd part;
  gboolean is_direct; /* a file, which never blocks for long */
  GQueue pieces;      /* of Piece* */
  GString **lines;    /* by task: the beginning of a line; NULL: none */
  int width;
  int failure;
};

static void
piece_free (gpointer data)
{
  Piece *piece = data;
  g_byte_array_unref (piece->bytes);
  g_free (piece);
}

static void
owed_tell (LkTaskOutput *self, guint source, guint32 count_bytes)
{
  if (count_bytes > 0 && self->options.taken != NULL)
    self->options.taken (self->options.user, source, count_bytes);
}

static void
drop_all (LkTaskOutput *self)
{
  Piece *piece;
  while ((piece = g_queue_pop_head (&self->pieces)) != NULL) {
    owed_tell (self, piece->source, piece->owed_bytes);
    piece_free (piece);
  }
}

static void
watch (LkTaskOutput *self)
{
  if (!self->is_direct)
    lk_loop_change_fd (self->options.loop, &self->part,
                       g_queue_is_empty (&self->pieces) ? 0 : LK_LOOP_WRITE);
}

/* One write of the first piece. FALSE: it takes no more now. */
static gboolean
piece_write (LkTaskOutput *self)
{
  Piece *piece = g_queue_peek_head (&self->pieces);
  gsize left = piece->bytes->len - piece->at;
  gsize part = self->is_direct ? left : MIN (left, PIECE_BYTES);
  gssize count = write (self->options.fd, piece->bytes->data + piece->at, part);
  if (count < 0 && (errno == EINTR || errno == EAGAIN))
    return errno == EINTR;
  if (count < 0) {
    self->failure = errno;
    drop_all (self);
    return FALSE;
  }
  piece->at += (gsize)count;
  if (piece->at == piece->bytes->len) {
    g_queue_pop_head (&self->pieces);
    owed_tell (self, piece->source, piece->owed_bytes);
    piece_free (piece);
  }
  return self->is_direct;
}

static void
ready (gpointer user, guint events)
{
  LkTaskOutput *self = user;
  if ((events & LK_LOOP_WRITE) != 0 && !g_queue_is_empty (&self->pieces))
    piece_write (self);
  else if ((events & LK_LOOP_CLOSED) != 0) {
    self->failure = EPIPE;
    drop_all (self);
    lk_loop_remove_fd (self->options.loop, &self->part);
    self->is_direct = TRUE;
  }
  watch (self);
}

static void
flush (LkTaskOutput *self)
{
  while (self->is_direct && !g_queue_is_empty (&self->pieces) && piece_write (self))
    ;
  watch (self);
}

LkTaskOutput *
lk_task_output_new (const LkTaskOutputOptions *options)
{
  LkTaskOutput *self = g_new0 (LkTaskOutput, 1);
  self->options = *options;
  self->lines = g_new0 (GString *, MAX (options->task_count, 1));
  for (guint32 most = options->task_count > 0 ? options->task_count - 1 : 0; most > 0; most /= 10)
    self->width++;
  self->width = MAX (self->width, 1);
  self->part.ready = ready;
  self->part.user = self;
  self->is_direct =
      options->fd < 0 || !lk_loop_add_fd (options->loop, &self->part, options->fd, 0, NULL);
  g_queue_init (&self->pieces);
  return self;
}

void
lk_task_output_free (LkTaskOutput *self)
{
  if (self == NULL)
    return;
  if (!self->is_direct)
    lk_loop_remove_fd (self->options.loop, &self->part);
  g_queue_clear_full (&self->pieces, piece_free);
  for (guint32 i = 0; i < self->options.task_count; i++)
    if (self->lines[i] != NULL)
      g_string_free (self->lines[i], TRUE);
  g_free (self->lines);
  g_free (self);
}

/* ---------------------------------------------------------------- lines */

static void
line_append (const LkTaskOutput *self, guint32 task, const char *text, gsize length_bytes,
             GByteArray *out)
{
  g_autofree char *label = g_strdup_printf ("%*u: ", self->width, task);
  g_byte_array_append (out, (const guint8 *)label, (guint)strlen (label));
  g_byte_array_append (out, (const guint8 *)text, (guint)length_bytes);
  g_byte_array_append (out, (const guint8 *)"\n", 1);
}

/* Whole lines go on; of the rest, what is to stay stays. */
static void
lines_append (LkTaskOutput *self, guint32 task, const guint8 *bytes, gsize length_bytes,
              GByteArray *out)
{
  const char *at = (const char *)bytes;
  const char *end = at + length_bytes;
  GString **kept = &self->lines[task];
  while (at < end) {
    const char *newline = memchr (at, '\n', (gsize)(end - at));
    gsize count = (gsize)((newline != NULL ? newline : end) - at);
    if (newline == NULL && !self->options.is_unbuffered) {
      *kept = *kept != NULL ? *kept : g_string_new (NULL);
      g_string_append_len (*kept, at, (gssize)count);
      if ((*kept)->len <= LINE_MAX_BYTES)
        return;
      count = 0;
      at = end;
    }
    if (*kept != NULL) {
      g_string_append_len (*kept, at, (gssize)count);
      line_append (self, task, (*kept)->str, (*kept)->len, out);
      g_string_free (*kept, TRUE);
      *kept = NULL;
    } else {
      line_append (self, task, at, count, out);
    }
    at += count + (newline != NULL ? 1 : 0);
  }
}

static void
put (LkTaskOutput *self, guint source, GByteArray *bytes, guint32 owed_bytes)
{
  if (self->options.fd < 0 || self->failure != 0 || bytes->len == 0) {
    g_byte_array_unref (bytes);
    owed_tell (self, source, owed_bytes);
    return;
  }
  Piece *piece = g_new0 (Piece, 1);
  *piece = (Piece){ .bytes = bytes, .source = source, .owed_bytes = owed_bytes };
  g_queue_push_tail (&self->pieces, piece);
  flush (self);
}

void
lk_task_output_write (LkTaskOutput *self, guint source, guint32 task, const guint8 *bytes,
                      gsize length_bytes)
{
  GByteArray *out = g_byte_array_new ();
  if (self->options.is_labelled && task < self->options.task_count)
    lines_append (self, task, bytes, length_bytes, out);
  else
    g_byte_array_append (out, bytes, (guint)length_bytes);
  put (self, source, out, (guint32)length_bytes);
}

void
lk_task_output_end (LkTaskOutput *self, guint32 task)
{
  if (task >= self->options.task_count || self->lines[task] == NULL)
    return;
  GByteArray *out = g_byte_array_new ();
  line_append (self, task, self->lines[task]->str, self->lines[task]->len, out);
  g_string_free (self->lines[task], TRUE);
  self->lines[task] = NULL;
  put (self, 0, out, 0);
}

gboolean
lk_task_output_is_empty (const LkTaskOutput *self)
{
  return g_queue_is_empty ((GQueue *)&self->pieces);
}

int
lk_task_output_failure (const LkTaskOutput *self)
{
  return self->failure;
}
