/* sim/journal_follow.c — see the header. */
#include "sim/journal_follow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/error.h"

#define LOOK_MS 100
#define CHUNK_BYTES ((gsize)1 << 20)
#define CHUNK_MAX_BYTES ((gsize)1 << 30)
/* Magic, and length and CRC of the header. */
#define HEAD_BYTES (LK_JOURNAL_MAGIC_BYTES + 8u)
/* So often a batch may look wrong while it is being written. */
#define DOUBTS_MAX 20u

typedef struct {
  const char *path;
  int fd;             /* -1: none is open */
  gboolean is_missed; /* that it is not there has been told */
  ino_t inode;        /* of it */
  guint64 offset_bytes;
  LkJournalCheckpoint checkpoint;
  guint8 *chunk;
  gsize chunk_bytes;
  guint doubts;
  LkJournalTake take;
  gpointer user;
  gboolean is_over;
} Follow;

static gboolean
fail (const Follow *self, GError **error, const char *why)
{
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN, "journal '%s': %s", self->path, why);
  return FALSE;
}

static void
forget (Follow *self)
{
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
  self->offset_bytes = 0;
  self->checkpoint = (LkJournalCheckpoint){ 0 };
}

/* It may come: whoever waits for it should know that it is waited for. */
static gboolean
miss (Follow *self)
{
  if (!self->is_missed)
    g_printerr ("lockstep journal: '%s' is not there: waiting for it\n", self->path);
  self->is_missed = TRUE;
  return FALSE;
}

/* FALSE with no error: there is nothing to be read now. */
static gboolean
is_open (Follow *self, GError **error)
{
  struct stat status;
  if (stat (self->path, &status) != 0)
    return errno == ENOENT ? miss (self) : fail (self, error, g_strerror (errno));
  if (!S_ISREG (status.st_mode))
    return fail (self, error, "it is no file, and so no journal");
  if (self->fd >= 0
      && (status.st_ino != self->inode || (guint64)status.st_size < self->offset_bytes)) {
    g_printerr ("lockstep journal: '%s' is another one now\n", self->path);
    forget (self);
  }
  if (self->fd < 0) {
    self->fd = open (self->path, O_RDONLY | O_CLOEXEC);
    self->inode = status.st_ino;
  }
  if (self->fd >= 0)
    return TRUE;
  return errno == ENOENT ? miss (self) : fail (self, error, g_strerror (errno));
}

/* Puts the offset behind the header, when that is there. FALSE: it is no journal. */
static gboolean
pass_header (Follow *self, GError **error)
{
  guint8 head[HEAD_BYTES];
  struct stat status;
  gssize length = pread (self->fd, head, sizeof head, 0);
  if (length < 0)
    return fail (self, error, g_strerror (errno));
  /* What has just been begun may be shorter. */
  if (memcmp (head, LK_JOURNAL_MAGIC, MIN ((gsize)length, LK_JOURNAL_MAGIC_BYTES)) != 0)
    return fail (self, error, "it is no journal");
  if ((gsize)length < sizeof head)
    return TRUE;
  const guint8 *at = head + LK_JOURNAL_MAGIC_BYTES;
  guint32 body_bytes =
      (guint32)at[0] | (guint32)at[1] << 8 | (guint32)at[2] << 16 | (guint32)at[3] << 24;
  guint64 end_bytes = (guint64)HEAD_BYTES + body_bytes;
  if (fstat (self->fd, &status) == 0 && (guint64)status.st_size >= end_bytes)
    self->offset_bytes = end_bytes;
  return TRUE;
}

/* All events of the whole batches of a chunk. */
static gboolean
read_events (Follow *self, gsize length_bytes, gsize *out_good_bytes, GError **error)
{
  LkEvent event;
  LkJournalCheckpoint checkpoint = self->checkpoint;
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new_inside (self->chunk, length_bytes, &self->checkpoint);
  LkJournalState state = lk_journal_reader_next (reader, &event);
  for (; state == LK_JOURNAL_EVENT && !self->is_over;
       state = lk_journal_reader_next (reader, &event)) {
    self->is_over = !self->take (self->user, reader, &event);
    if (lk_journal_reader_checkpoint (reader, &checkpoint))
      self->checkpoint = checkpoint;
  }
  *out_good_bytes = lk_journal_reader_good_bytes (reader);
  self->is_over = self->is_over || state == LK_JOURNAL_END;
  self->doubts = state == LK_JOURNAL_CORRUPT && *out_good_bytes == 0 ? self->doubts + 1 : 0;
  return self->doubts <= DOUBTS_MAX || fail (self, error, "it is damaged");
}

/* FALSE with no error: there is no more for now. */
static gboolean
read_more (Follow *self, GError **error)
{
  gsize good_bytes = 0;
  if (!is_open (self, error))
    return FALSE;
  if (self->offset_bytes == 0 && !pass_header (self, error))
    return FALSE;
  if (self->offset_bytes == 0)
    return FALSE;
  gssize length = pread (self->fd, self->chunk, self->chunk_bytes, (off_t)self->offset_bytes);
  if (length < 0)
    return fail (self, error, g_strerror (errno));
  if (length == 0 || !read_events (self, (gsize)length, &good_bytes, error))
    return FALSE;
  self->offset_bytes += good_bytes;
  gboolean is_all = (gsize)length < self->chunk_bytes;
  if (good_bytes == 0 && !is_all && self->chunk_bytes < CHUNK_MAX_BYTES) {
    self->chunk_bytes *= 2;
    self->chunk = g_realloc (self->chunk, self->chunk_bytes);
    return TRUE;
  }
  return good_bytes > 0 && !self->is_over;
}

gboolean
lk_journal_follow (const char *path, LkJournalTake take, void (*rest) (gpointer), gpointer user,
                   GError **error)
{
  sigset_t ends;
  GError *own = NULL;
  Follow self = { .path = path,
                  .fd = -1,
                  .chunk = g_malloc (CHUNK_BYTES),
                  .chunk_bytes = CHUNK_BYTES,
                  .take = take,
                  .user = user };
  sigemptyset (&ends);
  sigaddset (&ends, SIGINT);
  sigaddset (&ends, SIGTERM);
  sigprocmask (SIG_BLOCK, &ends, NULL);
  struct pollfd end = { .fd = signalfd (-1, &ends, SFD_CLOEXEC), .events = POLLIN };
  do {
    while (read_more (&self, &own))
      ;
    rest (user);
  } while (own == NULL && !self.is_over && poll (&end, 1, LOOK_MS) == 0);
  if (end.fd >= 0)
    close (end.fd);
  forget (&self);
  g_free (self.chunk);
  if (own == NULL)
    return TRUE;
  g_propagate_error (error, own);
  return FALSE;
}

char *
lk_journal_live_path (void)
{
  const char *named = g_getenv ("LOCKSTEP_DIR");
  if (named != NULL && *named != '\0')
    return g_build_filename (named, "controller", "journal", NULL);
  g_autofree char *own =
      g_build_filename (g_get_user_state_dir (), "lockstep", "controller", "journal", NULL);
  if (g_file_test (own, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&own);
  return g_strdup ("/var/lib/lockstep/controller/journal");
}
