/* traces/output.c — see traces/output.h.
 *
 * Text gathers in `text`; a full buffer is compressed or written.  The first failure is final: the
 * caller stops and frees. */
#include "traces/output.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "engine/assert.h"

#define BUFFER_BYTES (256u * 1024)
#define GZIP_LEVEL 6
#define ZSTD_LEVEL 9

typedef enum { FORMAT_PLAIN, FORMAT_GZIP, FORMAT_ZSTD } Format;

struct _LkOutput {
  char *path;
  char *temporary; /* NULL: written in place */
  gboolean is_partial;
  int fd;
  Format format;
  z_stream gzip;
  gboolean is_gzip_ready;
  ZSTD_CStream *zstd;
  GString *text;
  guint8 *packed; /* BUFFER_BYTES, for compressed output */
};

static gboolean
output_fail (const LkOutput *self, const char *what, int error_number, GError **error)
{
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_WRITE, "output '%s': cannot %s: %s",
               self->path, what, g_strerror (error_number));
  return FALSE;
}

static gboolean
bytes_write (LkOutput *self, const void *bytes, gsize length_bytes, GError **error)
{
  const guint8 *from = bytes;
  while (length_bytes > 0) {
    ssize_t written_bytes = write (self->fd, from, length_bytes);
    if (written_bytes < 0 && errno == EINTR)
      continue;
    if (written_bytes < 0)
      return output_fail (self, "write", errno, error);
    from += written_bytes;
    length_bytes -= (gsize)written_bytes;
  }
  return TRUE;
}

static gboolean
gzip_flush (LkOutput *self, gboolean is_end, GError **error)
{
  self->gzip.next_in = (Bytef *)self->text->str;
  self->gzip.avail_in = (uInt)self->text->len;
  int status;
  do {
    self->gzip.next_out = self->packed;
    self->gzip.avail_out = BUFFER_BYTES;
    status = deflate (&self->gzip, is_end ? Z_FINISH : Z_NO_FLUSH);
    LK_ASSERT (status != Z_STREAM_ERROR);
    if (!bytes_write (self, self->packed, BUFFER_BYTES - self->gzip.avail_out, error))
      return FALSE;
  } while (self->gzip.avail_out == 0);
  LK_ASSERT (!is_end || status == Z_STREAM_END);
  return TRUE;
}

static gboolean
zstd_flush (LkOutput *self, gboolean is_end, GError **error)
{
  ZSTD_inBuffer in = { self->text->str, self->text->len, 0 };
  for (;;) {
    ZSTD_outBuffer out = { self->packed, BUFFER_BYTES, 0 };
    gsize left =
        ZSTD_compressStream2 (self->zstd, &out, &in, is_end ? ZSTD_e_end : ZSTD_e_continue);
    LK_ASSERT (!ZSTD_isError (left));
    if (!bytes_write (self, self->packed, out.pos, error))
      return FALSE;
    if (is_end ? left == 0 : in.pos == in.size)
      return TRUE;
  }
}

static gboolean
text_flush (LkOutput *self, gboolean is_end, GError **error)
{
  gboolean is_done = FALSE;
  switch (self->format) {
  case FORMAT_PLAIN:
    is_done = bytes_write (self, self->text->str, self->text->len, error);
    break;
  case FORMAT_GZIP:
    is_done = gzip_flush (self, is_end, error);
    break;
  case FORMAT_ZSTD:
    is_done = zstd_flush (self, is_end, error);
    break;
  }
  g_string_truncate (self->text, 0);
  return is_done;
}

static void
format_prepare (LkOutput *self)
{
  if (g_str_has_suffix (self->path, ".gz"))
    self->format = FORMAT_GZIP;
  else if (g_str_has_suffix (self->path, ".zst"))
    self->format = FORMAT_ZSTD;
  if (self->format == FORMAT_GZIP) {
    self->is_gzip_ready =
        deflateInit2 (&self->gzip, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    LK_ASSERT (self->is_gzip_ready);
  } else if (self->format == FORMAT_ZSTD) {
    self->zstd = ZSTD_createCStream ();
    LK_ASSERT (self->zstd != NULL);
    ZSTD_CCtx_setParameter (self->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    ZSTD_CCtx_setParameter (self->zstd, ZSTD_c_checksumFlag, 1);
  }
  if (self->format != FORMAT_PLAIN)
    self->packed = g_malloc (BUFFER_BYTES);
}

static gboolean
output_open (LkOutput *self, GError **error)
{
  if (strcmp (self->path, "-") == 0) {
    self->fd = dup (STDOUT_FILENO);
    return self->fd >= 0 || output_fail (self, "open", errno, error);
  }
  struct stat about;
  gboolean is_there = stat (self->path, &about) == 0;
  if (is_there && S_ISDIR (about.st_mode))
    return output_fail (self, "write", EISDIR, error);
  if (is_there && !S_ISREG (about.st_mode)) {
    self->fd = open (self->path, O_WRONLY | O_CLOEXEC);
    return self->fd >= 0 || output_fail (self, "open", errno, error);
  }
  if (self->is_partial) {
    self->temporary = g_strdup_printf ("%s.partial", self->path);
    self->fd = open (self->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  } else {
    self->temporary = g_strdup_printf ("%s.XXXXXX", self->path);
    self->fd = g_mkstemp_full (self->temporary, O_WRONLY | O_CLOEXEC, 0666);
  }
  if (self->fd < 0) {
    int error_number = errno;
    g_clear_pointer (&self->temporary, g_free);
    return output_fail (self, "create", error_number, error);
  }
  return TRUE;
}

static LkOutput *
output_new (const char *path, gboolean is_partial, GError **error)
{
  LkOutput *self = g_new0 (LkOutput, 1);
  self->is_partial = is_partial;
  self->path = g_strdup (path);
  self->fd = -1;
  self->text = g_string_sized_new (BUFFER_BYTES);
  if (!output_open (self, error)) {
    lk_output_free (self);
    return NULL;
  }
  format_prepare (self);
  return self;
}

LkOutput *
lk_output_new (const char *path, GError **error)
{
  return output_new (path, /* is_partial= */ FALSE, error);
}

LkOutput *
lk_output_new_partial (const char *path, GError **error)
{
  return output_new (path, /* is_partial= */ TRUE, error);
}

void
lk_output_free (LkOutput *self)
{
  if (!self)
    return;
  if (self->fd >= 0)
    close (self->fd);
  if (self->temporary)
    g_unlink (self->temporary);
  if (self->is_gzip_ready)
    deflateEnd (&self->gzip);
  ZSTD_freeCStream (self->zstd);
  g_string_free (self->text, TRUE);
  g_free (self->packed);
  g_free (self->temporary);
  g_free (self->path);
  g_free (self);
}

gboolean
lk_output_write (LkOutput *self, const char *bytes, gsize length_bytes, GError **error)
{
  g_string_append_len (self->text, bytes, (gssize)length_bytes);
  return self->text->len < BUFFER_BYTES || text_flush (self, FALSE, error);
}

gboolean
lk_output_close (LkOutput *self, GError **error)
{
  if (!text_flush (self, TRUE, error))
    return FALSE;
  if (self->temporary && fsync (self->fd) != 0)
    return output_fail (self, "write", errno, error);
  int fd = self->fd;
  self->fd = -1;
  if (close (fd) != 0)
    return output_fail (self, "write", errno, error);
  if (!self->temporary)
    return TRUE;
  if (g_rename (self->temporary, self->path) != 0)
    return output_fail (self, "rename into place", errno, error);
  g_clear_pointer (&self->temporary, g_free);
  return TRUE;
}
