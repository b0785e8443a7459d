/* traces/input.c — see traces/input.h.
 *
 * Two buffers.  `raw` holds bytes as stored and is used only when they have to be decompressed;
 * `text` holds text, of which [line_start, text_end) has not been handed out.  Plain input is read
 * straight into `text`.
 *
 * Invariant: text_end + LK_INPUT_PAD_BYTES <= text_capacity, so that a newline can be put behind
 * the last line of an input that lacks one, and a parser may load words across the end. */
#include "traces/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "engine/assert.h"

#define CHUNK_BYTES (256u * 1024)
#define MAGIC_BYTES 4u

typedef enum { FORMAT_PLAIN, FORMAT_GZIP, FORMAT_ZSTD } Format;

struct _LkInput {
  const char *what; /* for messages: "trace" */
  char *name;
  int fd; /* -1: memory */
  const guint8 *memory;
  gsize memory_bytes;
  gsize memory_used_bytes;

  Format format;
  z_stream gzip;
  gboolean is_gzip_ready;
  ZSTD_DStream *zstd;
  gboolean is_member_open; /* inside a gzip member or zstd frame: the input may not end here */

  guint8 *raw;
  gsize raw_start;
  gsize raw_end;
  gboolean is_raw_ended;

  char *text;
  gsize text_capacity;
  gsize line_start;
  gsize text_end;
  gboolean is_text_ended;

  guint64 line_number;
  guint64 bytes_read;
  guint64 bytes_total;
};

/* ---------------------------------------------------------------- bytes as stored */

/* Reads once. Returns the bytes got, 0 at the end, -1 on an error. */
static gssize
source_read (LkInput *self, void *to, gsize room_bytes, GError **error)
{
  if (self->fd < 0) {
    gsize got_bytes = MIN (room_bytes, self->memory_bytes - self->memory_used_bytes);
    if (got_bytes > 0)
      memcpy (to, self->memory + self->memory_used_bytes, got_bytes);
    self->memory_used_bytes += got_bytes;
    self->bytes_read += got_bytes;
    return (gssize)got_bytes;
  }
  for (;;) {
    ssize_t got_bytes = read (self->fd, to, room_bytes);
    if (got_bytes >= 0) {
      self->bytes_read += (guint64)got_bytes;
      return got_bytes;
    }
    if (errno != EINTR) {
      g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_OPEN, "%s '%s': cannot read: %s",
                   self->what, self->name, g_strerror (errno));
      return -1;
    }
  }
}

/* Refills `raw` when it is used up. */
static gboolean
raw_fill (LkInput *self, GError **error)
{
  if (self->raw_start < self->raw_end || self->is_raw_ended)
    return TRUE;
  gssize got_bytes = source_read (self, self->raw, CHUNK_BYTES, error);
  if (got_bytes < 0)
    return FALSE;
  self->raw_start = 0;
  self->raw_end = (gsize)got_bytes;
  self->is_raw_ended = got_bytes == 0;
  return TRUE;
}

/* ---------------------------------------------------------------- decompression */

static gboolean
compressed_fail (const LkInput *self, const char *what, GError **error)
{
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_OPEN, "%s '%s': %s data %s", self->what,
               self->name, self->format == FORMAT_GZIP ? "gzip" : "zstd", what);
  return FALSE;
}

/* One call of the decompressor. Sets `*out_got_bytes`; both it and the input used may be 0. */
static gboolean
gzip_step (LkInput *self, char *to, gsize room_bytes, gsize *out_got_bytes, GError **error)
{
  self->gzip.next_in = self->raw + self->raw_start;
  self->gzip.avail_in = (uInt)(self->raw_end - self->raw_start);
  self->gzip.next_out = (Bytef *)to;
  self->gzip.avail_out = (uInt)room_bytes;
  if (!self->is_member_open) {
    if (inflateReset (&self->gzip) != Z_OK)
      return compressed_fail (self, "cannot be restarted", error);
    self->is_member_open = TRUE;
  }
  int status = inflate (&self->gzip, Z_NO_FLUSH);
  self->raw_start = self->raw_end - self->gzip.avail_in;
  *out_got_bytes = room_bytes - self->gzip.avail_out;
  if (status == Z_STREAM_END)
    self->is_member_open = FALSE;
  else if (status != Z_OK && status != Z_BUF_ERROR)
    return compressed_fail (self, "are damaged", error);
  return TRUE;
}

static gboolean
zstd_step (LkInput *self, char *to, gsize room_bytes, gsize *out_got_bytes, GError **error)
{
  ZSTD_inBuffer in = { self->raw, self->raw_end, self->raw_start };
  ZSTD_outBuffer out = { to, room_bytes, 0 };
  gsize hint = ZSTD_decompressStream (self->zstd, &out, &in);
  if (ZSTD_isError (hint))
    return compressed_fail (self, "are damaged", error);
  self->raw_start = in.pos;
  *out_got_bytes = out.pos;
  self->is_member_open = hint != 0;
  return TRUE;
}

/* Decompresses until there is some text or the input ends; 0 bytes then. */
static gboolean
decompress (LkInput *self, char *to, gsize room_bytes, gsize *out_got_bytes, GError **error)
{
  *out_got_bytes = 0;
  while (*out_got_bytes == 0) {
    if (!raw_fill (self, error))
      return FALSE;
    gboolean is_raw_empty = self->raw_start == self->raw_end;
    if (is_raw_empty && !self->is_member_open)
      return TRUE;
    gsize before = self->raw_start;
    gboolean is_done = self->format == FORMAT_GZIP
                           ? gzip_step (self, to, room_bytes, out_got_bytes, error)
                           : zstd_step (self, to, room_bytes, out_got_bytes, error);
    if (!is_done)
      return FALSE;
    gboolean is_stuck = *out_got_bytes == 0 && self->raw_start == before && self->is_member_open;
    if (is_stuck && is_raw_empty)
      return compressed_fail (self, "end too early: the file is truncated", error);
  }
  return TRUE;
}

/* ---------------------------------------------------------------- text */

/* Makes room and takes in more text; sets is_text_ended when there is none. */
static gboolean
text_fill (LkInput *self, GError **error)
{
  gsize kept_bytes = self->text_end - self->line_start;
  memmove (self->text, self->text + self->line_start, kept_bytes);
  self->line_start = 0;
  self->text_end = kept_bytes;
  if (self->text_end + LK_INPUT_PAD_BYTES == self->text_capacity) {
    self->text_capacity = MIN (self->text_capacity * 2, LK_INPUT_LINE_MAX_BYTES + CHUNK_BYTES);
    self->text = g_realloc (self->text, self->text_capacity);
  }
  gsize room_bytes = self->text_capacity - LK_INPUT_PAD_BYTES - self->text_end;
  LK_ASSERT (room_bytes > 0);
  char *to = self->text + self->text_end;
  gsize got_bytes = 0;
  if (self->format != FORMAT_PLAIN) {
    if (!decompress (self, to, room_bytes, &got_bytes, error))
      return FALSE;
  } else if (self->raw_start < self->raw_end) {
    /* What the look at the magic bytes took in. */
    got_bytes = MIN (self->raw_end - self->raw_start, room_bytes);
    memcpy (to, self->raw + self->raw_start, got_bytes);
    self->raw_start += got_bytes;
  } else {
    gssize result_bytes = source_read (self, to, room_bytes, error);
    if (result_bytes < 0)
      return FALSE;
    got_bytes = (gsize)result_bytes;
  }
  self->text_end += got_bytes;
  self->is_text_ended = got_bytes == 0;
  return TRUE;
}

int
lk_input_line (LkInput *self, const char **out_line, gsize *out_length_bytes, GError **error)
{
  gsize searched_bytes = 0; /* behind line_start; a part of a line is not searched twice */
  for (;;) {
    char *line = self->text + self->line_start;
    gsize held_bytes = self->text_end - self->line_start;
    const char *newline = memchr (line + searched_bytes, '\n', held_bytes - searched_bytes);
    gsize length_bytes = newline ? (gsize)(newline - line) : held_bytes;
    if (length_bytes > LK_INPUT_LINE_MAX_BYTES) {
      g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                   "trace '%s' line %" G_GUINT64_FORMAT
                   ": longer than %u bytes; this does not look like a workload log",
                   self->name, self->line_number + 1, LK_INPUT_LINE_MAX_BYTES);
      return -1;
    }
    if (newline || (self->is_text_ended && held_bytes > 0)) {
      line[length_bytes] = '\n';
      self->line_start += length_bytes + (newline ? 1 : 0);
      if (!newline)
        self->line_start = self->text_end;
      self->line_number++;
      *out_line = line;
      *out_length_bytes = length_bytes;
      return 1;
    }
    if (self->is_text_ended)
      return 0;
    searched_bytes = held_bytes;
    if (!text_fill (self, error))
      return -1;
  }
}

gboolean
lk_input_peek (LkInput *self, gsize wanted_bytes, const char **out_text, gsize *out_length_bytes,
               GError **error)
{
  LK_ASSERT (wanted_bytes <= LK_INPUT_LINE_MAX_BYTES);
  while (self->text_end - self->line_start < wanted_bytes && !self->is_text_ended)
    if (!text_fill (self, error))
      return FALSE;
  *out_text = self->text + self->line_start;
  *out_length_bytes = self->text_end - self->line_start;
  return TRUE;
}

gboolean
lk_input_rest (LkInput *self, gsize limit_bytes, GString *out, GError **error)
{
  gsize taken_bytes = 0;
  for (;;) {
    gsize held_bytes = self->text_end - self->line_start;
    if (held_bytes > limit_bytes - taken_bytes) {
      g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                   "trace '%s': more than %" G_GSIZE_FORMAT " bytes of text; expected fewer in a "
                   "format that is held in memory as a whole",
                   self->name, limit_bytes);
      return FALSE;
    }
    g_string_append_len (out, self->text + self->line_start, (gssize)held_bytes);
    taken_bytes += held_bytes;
    self->line_start = self->text_end;
    if (self->is_text_ended)
      return TRUE;
    if (!text_fill (self, error))
      return FALSE;
  }
}

/* ---------------------------------------------------------------- opening */

/* Looks at the first bytes, all of which stay in `raw`. */
static gboolean
format_detect (LkInput *self, GError **error)
{
  static const guint8 zstd_magic[MAGIC_BYTES] = { 0x28, 0xb5, 0x2f, 0xfd };
  while (self->raw_end < MAGIC_BYTES) {
    gssize got_bytes =
        source_read (self, self->raw + self->raw_end, CHUNK_BYTES - self->raw_end, error);
    if (got_bytes < 0)
      return FALSE;
    if (got_bytes == 0)
      break;
    self->raw_end += (gsize)got_bytes;
  }
  if (self->raw_end == 0) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_EMPTY, "%s '%s' is empty (0 bytes)",
                 self->what, self->name);
    return FALSE;
  }
  if (self->raw_end >= 2 && self->raw[0] == 0x1f && self->raw[1] == 0x8b) {
    self->format = FORMAT_GZIP;
    self->is_gzip_ready = inflateInit2 (&self->gzip, 15 + 16) == Z_OK;
    LK_ASSERT (self->is_gzip_ready);
  } else if (self->raw_end >= MAGIC_BYTES && memcmp (self->raw, zstd_magic, MAGIC_BYTES) == 0) {
    self->format = FORMAT_ZSTD;
    self->zstd = ZSTD_createDStream ();
    LK_ASSERT (self->zstd != NULL);
  }
  return TRUE;
}

/* Takes over `fd`. */
static LkInput *
input_new (const char *what, const char *name, int fd, const guint8 *bytes, gsize length_bytes,
           GError **error)
{
  LkInput *self = g_new0 (LkInput, 1);
  self->what = what;
  self->name = g_strdup (name);
  self->fd = fd;
  self->memory = bytes;
  self->memory_bytes = length_bytes;
  self->bytes_total = length_bytes;
  self->raw = g_malloc (CHUNK_BYTES);
  self->text_capacity = CHUNK_BYTES + LK_INPUT_PAD_BYTES;
  self->text = g_malloc0 (self->text_capacity);
  if (!format_detect (self, error)) {
    lk_input_free (self);
    return NULL;
  }
  return self;
}

LkInput *
lk_input_new (const char *path, GError **error)
{
  return lk_input_new_of ("trace", path, error);
}

LkInput *
lk_input_new_of (const char *what, const char *path, GError **error)
{
  if (strcmp (path, "-") == 0)
    return input_new (what, "standard input", dup (STDIN_FILENO), NULL, 0, error);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  struct stat about;
  if (fd < 0 || fstat (fd, &about) != 0) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_OPEN, "%s '%s': cannot open: %s", what, path,
                 g_strerror (errno));
    if (fd >= 0)
      close (fd);
    return NULL;
  }
  if (S_ISDIR (about.st_mode)) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_OPEN,
                 "%s '%s': is a directory; expected a file", what, path);
    close (fd);
    return NULL;
  }
  LkInput *self = input_new (what, path, fd, NULL, 0, error);
  if (self && S_ISREG (about.st_mode))
    self->bytes_total = (guint64)about.st_size;
  return self;
}

LkInput *
lk_input_new_from_bytes (const char *name, const guint8 *bytes, gsize length_bytes, GError **error)
{
  return input_new ("trace", name, -1, bytes, length_bytes, error);
}

void
lk_input_free (LkInput *self)
{
  if (!self)
    return;
  if (self->fd >= 0)
    close (self->fd);
  if (self->is_gzip_ready)
    inflateEnd (&self->gzip);
  ZSTD_freeDStream (self->zstd);
  g_free (self->raw);
  g_free (self->text);
  g_free (self->name);
  g_free (self);
}

guint64
lk_input_line_number (const LkInput *self)
{
  return self->line_number;
}

const char *
lk_input_name (const LkInput *self)
{
  return self->name;
}

guint64
lk_input_bytes_read (const LkInput *self)
{
  return self->bytes_read;
}

guint64
lk_input_bytes_total (const LkInput *self)
{
  return self->bytes_total;
}

GQuark
lk_trace_error_quark (void)
{
  return g_quark_from_static_string ("lk-trace-error");
}
