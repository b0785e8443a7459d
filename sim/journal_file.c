/* sim/journal_file.c — see the header.
 *
 * A thread of its own writes, so that the run does not wait for the system to take the bytes.
 * Blocks go to it through a queue, in order, and come back through another to be filled again;
 * their number bounds the memory. */
#include "sim/journal_file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/error.h"

#define BLOCK_COUNT 8u
#define BLOCK_BYTES (128u * 1024)

struct _LkJournalFile {
  char *path;
  char *partial_path; /* where it is written until it is whole; NULL: a device or a pipe, written
                       * in place and never removed */
  int fd;
  gint write_errno; /* of the first write that failed; 0 none; shared with the thread */
  LkJournalWriter *writer;
  GThread *thread;
  GAsyncQueue *full;  /* of GByteArray, for the thread; an empty one ends it */
  GAsyncQueue *empty; /* of GByteArray, from the thread */
  GByteArray *block;  /* being filled */
  guint64 record_count;
  guint64 header_count; /* records that were there before any event */
};

static void
write_all (LkJournalFile *self, const guint8 *bytes, gsize length_bytes)
{
  while (length_bytes > 0 && g_atomic_int_get (&self->write_errno) == 0) {
    gssize written = write (self->fd, bytes, length_bytes);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0) {
      g_atomic_int_set (&self->write_errno, errno);
      return;
    }
    bytes += written;
    length_bytes -= (gsize)written;
  }
}

static gpointer
write_blocks (gpointer user)
{
  LkJournalFile *self = user;
  gboolean more = TRUE;
  while (more) {
    GByteArray *block = g_async_queue_pop (self->full);
    more = block->len > 0;
    write_all (self, block->data, block->len);
    g_byte_array_set_size (block, 0);
    g_async_queue_push (self->empty, block);
  }
  return NULL;
}

static void
hand_over (LkJournalFile *self)
{
  g_async_queue_push (self->full, self->block);
  self->block = g_async_queue_pop (self->empty);
}

static void
take_record (gpointer user, const guint8 *bytes, gsize length_bytes)
{
  LkJournalFile *self = user;
  self->record_count++;
  g_byte_array_append (self->block, bytes, (guint)length_bytes);
  if (self->block->len >= BLOCK_BYTES)
    hand_over (self);
}

/* Writes what is left and waits for the thread to end. */
static void
drain (LkJournalFile *self)
{
  if (self->thread == NULL)
    return;
  if (self->block->len > 0)
    hand_over (self);
  hand_over (self);
  g_thread_join (self->thread);
  self->thread = NULL;
}

static void
remove_partial (const LkJournalFile *self)
{
  if (self->partial_path != NULL)
    g_unlink (self->partial_path);
}

static void
start_thread (LkJournalFile *self)
{
  self->full = g_async_queue_new_full ((GDestroyNotify)g_byte_array_unref);
  self->empty = g_async_queue_new_full ((GDestroyNotify)g_byte_array_unref);
  for (guint i = 1; i < BLOCK_COUNT; i++)
    g_async_queue_push (self->empty, g_byte_array_sized_new (BLOCK_BYTES + BLOCK_BYTES));
  self->block = g_byte_array_sized_new (BLOCK_BYTES + BLOCK_BYTES);
  self->thread = g_thread_new ("journal", write_blocks, self);
}

/* Is it something other than a file that can be put in its place by a rename? */
static gboolean
is_special (const char *path)
{
  struct stat status;
  return stat (path, &status) == 0 && !S_ISREG (status.st_mode);
}

LkJournalFile *
lk_journal_file_create (const char *path, const LkJournalHeader *header, GError **error)
{
  g_autofree char *partial_path = is_special (path) ? NULL : g_strconcat (path, ".partial", NULL);
  const char *written_path = partial_path != NULL ? partial_path : path;
  int fd = g_open (written_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "journal '%s': cannot be created: %s",
                 path, g_strerror (errno));
    return NULL;
  }
  if (partial_path != NULL && (flock (fd, LOCK_EX | LOCK_NB) != 0 || ftruncate (fd, 0) != 0)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE,
                 "journal '%s': another run is writing it ('%s' is locked)", path, partial_path);
    close (fd);
    return NULL;
  }
  LkJournalFile *self = g_new0 (LkJournalFile, 1);
  self->path = g_strdup (path);
  self->partial_path = g_steal_pointer (&partial_path);
  self->fd = fd;
  start_thread (self);
  self->writer = lk_journal_writer_new (header, 1, take_record, self);
  self->header_count = self->record_count;
  return self;
}

LkJournalWriter *
lk_journal_file_writer (const LkJournalFile *self)
{
  return self->writer;
}

gboolean
lk_journal_file_is_good (const LkJournalFile *self, GError **error)
{
  int write_errno = g_atomic_int_get (&self->write_errno);
  if (write_errno == 0)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "journal '%s': cannot be written: %s",
               self->path, g_strerror (write_errno));
  return FALSE;
}

gboolean
lk_journal_file_close (LkJournalFile *self, GError **error)
{
  drain (self);
  if (!lk_journal_file_is_good (self, error))
    return FALSE;
  int fd = self->fd;
  self->fd = -1;
  if (close (fd) == 0
      && (self->partial_path == NULL || g_rename (self->partial_path, self->path) == 0))
    return TRUE;
  g_atomic_int_set (&self->write_errno, errno);
  remove_partial (self);
  return lk_journal_file_is_good (self, error);
}

void
lk_journal_file_keep (LkJournalFile *self, GError **error)
{
  drain (self);
  if (self->partial_path == NULL || self->fd < 0 || self->record_count == self->header_count
      || !lk_journal_file_is_good (self, NULL))
    return;
  int fd = self->fd;
  self->fd = -1;
  if (close (fd) != 0) {
    remove_partial (self);
    return;
  }
  if (error != NULL && *error != NULL) {
    g_autofree char *message = g_steal_pointer (&(*error)->message);
    (*error)->message = g_strdup_printf ("%s (what was decided up to there is in '%s')", message,
                                         self->partial_path);
  }
}

void
lk_journal_file_free (LkJournalFile *self)
{
  if (self == NULL)
    return;
  drain (self);
  if (self->fd >= 0) {
    close (self->fd);
    remove_partial (self);
  }
  lk_journal_writer_free (self->writer);
  g_async_queue_unref (self->full);
  g_async_queue_unref (self->empty);
  g_byte_array_unref (self->block);
  g_free (self->path);
  g_free (self->partial_path);
  g_free (self);
}

/* ---------------------------------------------------------------- in */

GMappedFile *
lk_journal_map (const char *path, GError **error)
{
  if (g_file_test (path, G_FILE_TEST_IS_DIR)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ,
                 "journal '%s': it is a directory; expected a file", path);
    return NULL;
  }
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "journal '%s': cannot be opened: %s", path,
                 g_strerror (errno));
    return NULL;
  }
  g_autoptr (GError) map_error = NULL;
  GMappedFile *mapping = g_mapped_file_new_from_fd (fd, FALSE, &map_error);
  close (fd);
  if (mapping == NULL)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "journal '%s': %s", path,
                 map_error->message);
  return mapping;
}

gboolean
lk_journal_input_open (LkJournalInput *self, const char *path, GError **error)
{
  *self = (LkJournalInput){ 0 };
  self->mapping = lk_journal_map (path, error);
  if (self->mapping == NULL)
    return FALSE;
  const char *fault = NULL;
  self->length_bytes = g_mapped_file_get_length (self->mapping);
  const guint8 *bytes = (const guint8 *)g_mapped_file_get_contents (self->mapping);
  self->reader = lk_journal_reader_new (bytes, self->length_bytes, &self->header, &fault);
  if (self->reader != NULL)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT,
               "journal '%s': not a journal that can be read: %s", path, fault);
  lk_journal_input_close (self);
  return FALSE;
}

void
lk_journal_input_close (LkJournalInput *self)
{
  g_clear_pointer (&self->reader, lk_journal_reader_free);
  g_clear_pointer (&self->mapping, g_mapped_file_unref);
}

char *
lk_journal_state_text (LkJournalState state, const LkJournalReader *reader)
{
  switch (state) {
  case LK_JOURNAL_EVENT:
    return g_strdup ("not read to its end");
  case LK_JOURNAL_END:
    return g_strdup ("complete");
  case LK_JOURNAL_CUT:
    return g_strdup ("not ended: no end record behind the last whole record");
  case LK_JOURNAL_TORN:
    return g_strdup_printf ("torn at byte %" G_GSIZE_FORMAT ": %s",
                            lk_journal_reader_good_bytes (reader),
                            lk_journal_reader_fault (reader));
  case LK_JOURNAL_CORRUPT:
    break;
  }
  return g_strdup_printf ("corrupt at byte %" G_GSIZE_FORMAT ": %s",
                          lk_journal_reader_good_bytes (reader), lk_journal_reader_fault (reader));
}
