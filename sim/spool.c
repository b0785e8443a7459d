/* sim/spool.c — blocks in memory, then blocks in an unlinked file.
 *
 * Block k holds records [k * BLOCK_RECORDS, (k + 1) * BLOCK_RECORDS).  The first
 * `memory_blocks_max` of them are kept as they are; later ones are filled in `tail` and written
 * when full, so that file offset and index are proportional. */
#include "sim/spool.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "engine/assert.h"
#include "sim/error.h"

#define BLOCK_RECORDS 8192u
#define BLOCK_BYTES (BLOCK_RECORDS * sizeof (LkSpoolRecord))

struct _LkSpool {
  char *directory;
  guint64 count;
  guint memory_blocks_max;
  GPtrArray *blocks;    /* of LkSpoolRecord[BLOCK_RECORDS], at most memory_blocks_max */
  LkSpoolRecord *tail;  /* the block being filled behind those; NULL until needed */
  LkSpoolRecord *cache; /* a block read back; NULL until needed */
  int fd;               /* -1 until needed */
};

LkSpool *
lk_spool_new (gsize limit_bytes, const char *directory)
{
  LkSpool *self = g_new0 (LkSpool, 1);
  self->directory = g_strdup (directory != NULL ? directory : g_get_tmp_dir ());
  self->memory_blocks_max = (guint)(limit_bytes / BLOCK_BYTES);
  self->blocks = g_ptr_array_new_with_free_func (g_free);
  self->fd = -1;
  return self;
}

void
lk_spool_free (LkSpool *self)
{
  if (self == NULL)
    return;
  if (self->fd >= 0)
    close (self->fd);
  g_ptr_array_unref (self->blocks);
  g_free (self->tail);
  g_free (self->cache);
  g_free (self->directory);
  g_free (self);
}

static gboolean
open_file (LkSpool *self, GError **error)
{
  g_autofree char *path = g_build_filename (self->directory, ".lockstep-spool-XXXXXX", NULL);
  self->fd = g_mkstemp (path);
  if (self->fd < 0) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE,
                 "cannot create a temporary file in '%s': %s; set TMPDIR to a writable directory",
                 self->directory, g_strerror (errno));
    return FALSE;
  }
  g_unlink (path);
  return TRUE;
}

static gboolean
write_tail (LkSpool *self, GError **error)
{
  if (self->fd < 0 && !open_file (self, error))
    return FALSE;
  const char *bytes = (const char *)self->tail;
  for (gsize done_bytes = 0; done_bytes < BLOCK_BYTES;) {
    gssize written = write (self->fd, bytes + done_bytes, BLOCK_BYTES - done_bytes);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0) {
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE,
                   "cannot write the temporary file in '%s': %s", self->directory,
                   g_strerror (written < 0 ? errno : ENOSPC));
      return FALSE;
    }
    done_bytes += (gsize)written;
  }
  return TRUE;
}

gboolean
lk_spool_add (LkSpool *self, const LkSpoolRecord *record, GError **error)
{
  guint64 block_index = self->count / BLOCK_RECORDS;
  gsize place = (gsize)(self->count % BLOCK_RECORDS);
  LkSpoolRecord *block;
  if (block_index < self->memory_blocks_max) {
    if (place == 0)
      g_ptr_array_add (self->blocks, g_malloc (BLOCK_BYTES));
    block = (LkSpoolRecord *)g_ptr_array_index (self->blocks, (guint)block_index);
  } else {
    if (self->tail == NULL)
      self->tail = g_malloc (BLOCK_BYTES);
    else if (place == 0 && !write_tail (self, error))
      return FALSE;
    block = self->tail;
  }
  block[place] = *record;
  self->count++;
  return TRUE;
}

guint64
lk_spool_count (const LkSpool *self)
{
  return self->count;
}

static gboolean
read_block (LkSpool *self, guint64 file_block_index, GError **error)
{
  if (self->cache == NULL)
    self->cache = g_malloc (BLOCK_BYTES);
  char *bytes = (char *)self->cache;
  off_t from_bytes = (off_t)(file_block_index * BLOCK_BYTES);
  for (gsize done_bytes = 0; done_bytes < BLOCK_BYTES;) {
    gssize got = pread (self->fd, bytes + done_bytes, BLOCK_BYTES - done_bytes,
                        from_bytes + (off_t)done_bytes);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0) {
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ,
                   "cannot read back the temporary file in '%s': %s", self->directory,
                   got < 0 ? g_strerror (errno) : "it is shorter than what was written");
      return FALSE;
    }
    done_bytes += (gsize)got;
  }
  return TRUE;
}

gboolean
lk_spool_read (LkSpool *self, guint64 from_index, const LkSpoolRecord **out_records,
               gsize *out_count, GError **error)
{
  LK_ASSERT (from_index <= self->count);
  guint64 block_index = from_index / BLOCK_RECORDS;
  gsize place = (gsize)(from_index % BLOCK_RECORDS);
  const LkSpoolRecord *block = self->tail;
  if (from_index == self->count)
    place = 0;
  else if (block_index < self->blocks->len)
    block = (const LkSpoolRecord *)g_ptr_array_index (self->blocks, (guint)block_index);
  else if (block_index < (self->count - 1) / BLOCK_RECORDS) {
    if (!read_block (self, block_index - self->memory_blocks_max, error))
      return FALSE;
    block = self->cache;
  }
  guint64 left = self->count - from_index;
  *out_records = block + place;
  *out_count = (gsize)MIN (left, (guint64)(BLOCK_RECORDS - place));
  return TRUE;
}
