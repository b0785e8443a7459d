/* live/accounting/follow.c — see the header. */
#include "live/accounting/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/accounting/mail.h"

/* As much as one transaction takes; a batch that is larger is read whole. */
#define CHUNK_BYTES (4u * 1024 * 1024)
#define CHUNK_MAX_BYTES (1024u * 1024 * 1024)
/* What comes within it is one transaction. */
#define PAUSE_MS 50
/* Where nobody tells that the file has grown. */
#define LOOK_MS 1000
/* Applying so many events again takes about a second. */
#define KEEP_EVENTS 200000u
#define KEEP_AT_END_EVENTS 10000u

struct _LkFollow {
  char *path;
  char *database;
  char **plugins;
  char *mail_program;
  char *mail_domain;
  LkMail *mail; /* NULL: none is sent */
  int fd;       /* of the journal; -1: it is not open */
  ino_t inode;
  int watch; /* of its folder; -1: it cannot be watched */
  LkAccountingStore *store;
  LkAccountingProjection *projection;
  guint8 *chunk;
  gsize chunk_bytes;
  gboolean was_reset; /* since the beginning of this catching up */
};

/* ---------------------------------------------------------------- the file */

static gboolean
fail (GError **error, LkFollow *self, const char *what)
{
  g_set_error (error, LK_ACCOUNTING_ERROR, LK_ACCOUNTING_ERROR_JOURNAL, "'%s': %s", self->path,
               what);
  return FALSE;
}

static void
close_journal (LkFollow *self)
{
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
}

/* FALSE: there is none. */
static gboolean
open_journal (LkFollow *self)
{
  struct stat found;
  if (self->fd >= 0 && (stat (self->path, &found) != 0 || found.st_ino != self->inode))
    close_journal (self);
  if (self->fd >= 0)
    return TRUE;
  self->fd = open (self->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (self->fd < 0 || fstat (self->fd, &found) != 0)
    return FALSE;
  self->inode = found.st_ino;
  return TRUE;
}

/* As much as there is, up to a chunk. -1: it cannot be read. */
static gssize
read_chunk (LkFollow *self)
{
  guint64 offset = lk_accounting_projection_offset (self->projection);
  gsize length = 0;
  while (length < self->chunk_bytes) {
    gssize got = pread (self->fd, self->chunk + length, self->chunk_bytes - length,
                        (off_t)(offset + length));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return -1;
    if (got == 0)
      break;
    length += (gsize)got;
  }
  return (gssize)length;
}

/* FALSE: it ends before the place that has been read. */
static gboolean
is_long_enough (const LkFollow *self)
{
  struct stat found;
  return fstat (self->fd, &found) == 0
         && (guint64)found.st_size >= lk_accounting_projection_offset (self->projection);
}

/* ---------------------------------------------------------------- taking */

static gboolean
reset_once (LkFollow *self, GError **error)
{
  if (self->was_reset)
    return fail (error, self, "it changes while it is being read");
  self->was_reset = TRUE;
  return lk_accounting_projection_reset (self->projection, error);
}

/* A batch behind what is wrong: it is no end that is still being written. */
static gboolean
is_damaged (LkFollow *self, LkJournalState state, gsize length_bytes)
{
  return (state == LK_JOURNAL_CORRUPT || state == LK_JOURNAL_TORN)
         && lk_journal_has_batch_behind (self->chunk, length_bytes, 0,
                                         lk_accounting_projection_seq (self->projection) + 1);
}

/* One chunk. `out_more` TRUE: there may be more. */
static gboolean
take_chunk (LkFollow *self, gboolean *out_more, GError **error)
{
  guint64 before = lk_accounting_projection_offset (self->projection);
  LkJournalState state = LK_JOURNAL_CUT;
  *out_more = TRUE;
  if (!is_long_enough (self))
    return reset_once (self, error);
  gssize length = read_chunk (self);
  if (length < 0)
    return fail (error, self, g_strerror (errno));
  if (length > 0
      && !lk_accounting_projection_take (self->projection, self->chunk, (gsize)length, &state,
                                         error))
    return FALSE;
  gboolean is_all = (gsize)length < self->chunk_bytes;
  gboolean is_stuck = lk_accounting_projection_offset (self->projection) == before;
  if (is_stuck && !is_all && self->chunk_bytes < CHUNK_MAX_BYTES) {
    self->chunk_bytes *= 2;
    self->chunk = g_realloc (self->chunk, self->chunk_bytes);
    return TRUE;
  }
  if (length > 0 && is_stuck && is_damaged (self, state, (gsize)length)
      && lk_accounting_projection_is_of_store (self->projection))
    return fail (error, self, "it is damaged");
  *out_more = !is_stuck;
  if (is_stuck && !lk_accounting_projection_is_of_store (self->projection)) {
    *out_more = TRUE;
    return reset_once (self, error);
  }
  return TRUE;
}

static gboolean
open_store (LkFollow *self, GError **error)
{
  g_clear_pointer (&self->mail, lk_mail_free);
  g_clear_pointer (&self->projection, lk_accounting_projection_free);
  g_clear_pointer (&self->store, lk_accounting_store_free);
  self->store = lk_accounting_store_new (self->database, error);
  if (self->store == NULL)
    return FALSE;
  self->projection = lk_accounting_projection_new (self->store, self->plugins, error);
  return self->projection != NULL;
}

gboolean
lk_follow_catch_up (LkFollow *self, GError **error)
{
  gboolean has_more = TRUE;
  self->was_reset = FALSE;
  if (!lk_accounting_store_is_at (self->store, self->database) && !open_store (self, error))
    return FALSE;
  if (!open_journal (self))
    return TRUE;
  while (has_more) {
    if (!take_chunk (self, &has_more, error))
      return FALSE;
    if (!lk_accounting_projection_keep (self->projection, KEEP_EVENTS, error))
      return FALSE;
  }
  if (self->chunk_bytes > CHUNK_BYTES) {
    self->chunk_bytes = CHUNK_BYTES;
    self->chunk = g_realloc (self->chunk, self->chunk_bytes);
  }
  return TRUE;
}

/* ---------------------------------------------------------------- waiting */

static void
drain_watch (const LkFollow *self)
{
  guint8 events[4096];
  while (read (self->watch, events, sizeof events) > 0)
    ;
}

/* FALSE: it is over. */
static gboolean
wait_for_more (LkFollow *self, int end_fd)
{
  struct pollfd fds[] = { { .fd = end_fd, .events = POLLIN },
                          { .fd = self->watch, .events = POLLIN },
                          { .fd = self->mail != NULL ? lk_mail_fd (self->mail) : -1,
                            .events = POLLIN } };
  if (poll (fds, 1, PAUSE_MS) > 0)
    return FALSE;
  poll (fds, G_N_ELEMENTS (fds), LOOK_MS);
  drain_watch (self);
  return (fds[0].revents & POLLIN) == 0;
}

static void
watch_folder (LkFollow *self)
{
  g_autofree char *folder = g_path_get_dirname (self->path);
  self->watch = inotify_init1 (IN_NONBLOCK | IN_CLOEXEC);
  if (self->watch >= 0)
    inotify_add_watch (self->watch, folder, IN_MODIFY | IN_CREATE | IN_MOVED_TO);
}

/* Behind the header, which names the cluster. */
static gboolean
look_after_mail (LkFollow *self, GError **error)
{
  const LkMailOptions options = { .database = self->database,
                                  .program = self->mail_program,
                                  .domain = self->mail_domain };
  if (self->mail_program == NULL || lk_accounting_projection_offset (self->projection) == 0)
    return TRUE;
  if (self->mail == NULL && (self->mail = lk_mail_new (&options, error)) == NULL)
    return FALSE;
  return lk_mail_look (self->mail, g_get_real_time (), error);
}

gboolean
lk_follow_run (LkFollow *self, int end_fd, GError **error)
{
  gboolean goes_on = TRUE;
  watch_folder (self);
  while (goes_on) {
    if (!lk_follow_catch_up (self, error) || !look_after_mail (self, error))
      return FALSE;
    goes_on = wait_for_more (self, end_fd);
  }
  return lk_follow_catch_up (self, error)
         && lk_accounting_projection_keep (self->projection, KEEP_AT_END_EVENTS, error);
}

/* ---------------------------------------------------------------- beginning and end */

LkFollow *
lk_follow_new (const LkFollowOptions *options, GError **error)
{
  g_autoptr (LkFollow) self = g_new0 (LkFollow, 1);
  self->fd = self->watch = -1;
  self->path = g_strdup (options->journal);
  self->chunk_bytes = CHUNK_BYTES;
  self->chunk = g_malloc (self->chunk_bytes);
  self->database = g_strdup (options->database);
  self->plugins = g_strdupv ((char **)options->plugins);
  self->mail_program = g_strdup (options->mail_program);
  self->mail_domain = g_strdup (options->mail_domain != NULL ? options->mail_domain : "");
  return open_store (self, error) ? g_steal_pointer (&self) : NULL;
}

void
lk_follow_free (LkFollow *self)
{
  if (self == NULL)
    return;
  close_journal (self);
  if (self->watch >= 0)
    close (self->watch);
  lk_mail_free (self->mail);
  lk_accounting_projection_free (self->projection);
  lk_accounting_store_free (self->store);
  g_free (self->mail_program);
  g_free (self->mail_domain);
  g_free (self->chunk);
  g_free (self->path);
  g_free (self->database);
  g_strfreev (self->plugins);
  g_free (self);
}

gboolean
lk_follow_reset (LkFollow *self, GError **error)
{
  return lk_accounting_projection_reset (self->projection, error);
}

guint64
lk_follow_seq (const LkFollow *self)
{
  return lk_accounting_projection_seq (self->projection);
}
