/* live/port/job_keys.c — see the header. */
#include "live/port/job_keys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/port/error.h"

#define FOLDER "keys"
#define NAME_BYTES 32u
/* Users pass through, and do not see which runs there are. */
#define FOLDER_MODE 0711

char *
lk_job_keys_path (const char *directory, guint64 run_id)
{
  return g_strdup_printf ("%s/" FOLDER "/%" G_GUINT64_FORMAT, directory, run_id);
}

gboolean
lk_job_keys_init (LkJobKeys *self, const char *directory, const char *node, GError **error)
{
  *self = (LkJobKeys){ .path = g_build_filename (directory, FOLDER, NULL),
                       .node = g_strdup (node),
                       .folder = -1 };
  if (mkdir (self->path, FOLDER_MODE) == 0 || errno == EEXIST)
    self->folder = open (self->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (self->folder >= 0 && fchmod (self->folder, FOLDER_MODE) == 0)
    return TRUE;
  lk_port_error_set (error, errno, "%s", self->path);
  return FALSE;
}

void
lk_job_keys_clear (LkJobKeys *self)
{
  /* One that was never begun has folder 0. */
  if (self->path != NULL && self->folder >= 0)
    close (self->folder);
  lk_keyring_unref (self->keyring);
  g_free (self->path);
  g_free (self->node);
  *self = (LkJobKeys){ .folder = -1 };
}

void
lk_job_keys_set_keyring (LkJobKeys *self, LkKeyring *keyring)
{
  LkKeyring *before = self->keyring;
  self->keyring = keyring != NULL ? lk_keyring_ref (keyring) : NULL;
  lk_keyring_unref (before);
}

/* ---------------------------------------------------------------- files */

static void
name_of (guint64 run_id, const char *suffix, char out_name[NAME_BYTES])
{
  g_snprintf (out_name, NAME_BYTES, "%" G_GUINT64_FORMAT "%s", run_id, suffix);
}

/* It is the user's only when all of it is there. */
static gboolean
fill (int file, const char *text, const LkMessage_launch *launch)
{
  gsize length_bytes = strlen (text);
  gsize done = 0;
  while (done < length_bytes) {
    gssize count = write (file, text + done, length_bytes - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return FALSE;
    done += (gsize)count;
  }
  return geteuid () != 0 || fchown (file, launch->user_id, launch->group_id) == 0;
}

static gboolean
replace (const LkJobKeys *self, const char *text, const LkMessage_launch *launch)
{
  char name[NAME_BYTES];
  char beside[NAME_BYTES];
  name_of (launch->run_id, "", name);
  name_of (launch->run_id, ".new", beside);
  unlinkat (self->folder, beside, 0);
  int file =
      openat (self->folder, beside, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0400);
  if (file < 0)
    return FALSE;
  gboolean is_good = fill (file, text, launch);
  int fault = errno;
  is_good =
      close (file) == 0 && is_good && renameat (self->folder, beside, self->folder, name) == 0;
  if (!is_good)
    unlinkat (self->folder, beside, 0);
  errno = fault;
  return is_good;
}

gboolean
lk_job_keys_write (const LkJobKeys *self, const LkMessage_launch *launch)
{
  const LkKeySubject subject = {
    .kind = LK_PEER_JOB, .node = self->node, .user_id = launch->user_id, .run_id = launch->run_id
  };
  char *text = self->keyring != NULL ? lk_keyring_derive (self->keyring, &subject, NULL) : NULL;
  if (text == NULL)
    return TRUE;
  gboolean is_good = replace (self, text, launch);
  explicit_bzero (text, strlen (text));
  g_free (text);
  return is_good;
}

void
lk_job_keys_remove (const LkJobKeys *self, guint64 run_id)
{
  char name[NAME_BYTES];
  name_of (run_id, "", name);
  unlinkat (self->folder, name, 0);
}

void
lk_job_keys_prune (const LkJobKeys *self, gboolean (*is_there) (gpointer user, guint64 run_id),
                   gpointer user)
{
  int copy = openat (self->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *all = copy >= 0 ? fdopendir (copy) : NULL;
  const struct dirent *entry;
  while (all != NULL && (entry = readdir (all)) != NULL) {
    guint64 run_id;
    gboolean is_run = g_ascii_string_to_unsigned (entry->d_name, 10, 1, G_MAXUINT64, &run_id, NULL);
    if (entry->d_name[0] != '.' && (!is_run || !is_there (user, run_id)))
      unlinkat (self->folder, entry->d_name, 0);
  }
  if (all != NULL)
    closedir (all);
}
