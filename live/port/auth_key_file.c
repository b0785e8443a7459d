/* live/port/auth_key_file.c — key files: read only if they are private, and written whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/port/auth_key.h"
#include "live/port/error.h"

/* Who may read the file may be whom its keys speak for: nobody but its owner must. */
static gboolean
is_private (int file, GError **error)
{
  struct stat status;
  if (fstat (file, &status) != 0) {
    lk_port_error_set (error, errno, "fstat");
    return FALSE;
  }
  const char *fault = NULL;
  if (!S_ISREG (status.st_mode))
    fault = "it is no file";
  else if (status.st_uid != 0 && status.st_uid != geteuid ())
    fault = "it belongs to another user";
  else if ((status.st_mode & 077) != 0)
    fault = "others may read or write it; its mode must be 0600";
  if (fault == NULL)
    return TRUE;
  g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED, "%s", fault);
  return FALSE;
}

static gboolean
read_all (int file, char *out_text, gsize room_bytes, gsize *out_length_bytes, GError **error)
{
  gsize length_bytes = 0;
  while (length_bytes < room_bytes) {
    gssize got = read (file, out_text + length_bytes, room_bytes - length_bytes);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0) {
      lk_port_error_set (error, errno, "read");
      return FALSE;
    }
    if (got == 0)
      break;
    length_bytes += (gsize)got;
  }
  *out_length_bytes = length_bytes;
  return TRUE;
}

gboolean
lk_key_file_read (const char *path, char *out_text, gsize room_bytes, gsize *out_length_bytes,
                  GError **error)
{
  /* Not blocking: it may be a pipe. */
  int file = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (file < 0) {
    lk_port_error_set (error, errno, "key file '%s'", path);
    return FALSE;
  }
  gboolean is_read =
      is_private (file, error) && read_all (file, out_text, room_bytes, out_length_bytes, error);
  if (!is_read)
    g_prefix_error (error, "key file '%s': ", path);
  close (file);
  return is_read;
}

LkKeyring *
lk_keyring_load (const char *path, GError **error)
{
  char text[LK_KEY_FILE_MAX_BYTES + 1];
  gsize length_bytes = 0;
  LkKeyring *self = NULL;
  if (lk_key_file_read (path, text, sizeof text, &length_bytes, error)) {
    self = lk_keyring_parse (text, length_bytes, error);
    if (self == NULL)
      g_prefix_error (error, "key file '%s': ", path);
  }
  explicit_bzero (text, sizeof text);
  return self;
}

static gboolean
write_all (int file, const char *text)
{
  gsize length_bytes = strlen (text);
  for (gsize done = 0; done < length_bytes;) {
    gssize put = write (file, text + done, length_bytes - done);
    if (put < 0 && errno != EINTR)
      return FALSE;
    done += put > 0 ? (gsize)put : 0;
  }
  return fsync (file) == 0;
}

static gboolean
sync_folder (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  int file = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  gboolean is_done = file >= 0 && fsync (file) == 0;
  if (file >= 0)
    close (file);
  return is_done;
}

gboolean
lk_key_file_write (const char *path, const char *contents, gboolean may_replace, GError **error)
{
  guint64 number;
  lk_random_fill ((guint8 *)&number, sizeof number);
  /* Made beside it and put in place whole: nobody reads half a key. */
  g_autofree char *beside = g_strdup_printf ("%s.%016" G_GINT64_MODIFIER "x", path, number);
  int file = open (beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) {
    lk_port_error_set (error, errno, "key file '%s'", path);
    return FALSE;
  }
  gboolean is_done = fchmod (file, 0600) == 0 && write_all (file, contents);
  int fault = errno;
  close (file);
  if (is_done) {
    /* link, unlike rename, does not replace. */
    is_done = (may_replace ? rename (beside, path) : link (beside, path)) == 0;
    fault = errno;
  }
  if (!is_done || !may_replace)
    unlink (beside);
  if (is_done && !sync_folder (path)) {
    is_done = FALSE;
    fault = errno;
  }
  if (!is_done)
    lk_port_error_set (error, fault, "key file '%s'", path);
  return is_done;
}
