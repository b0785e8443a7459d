/* live/spank/plugstack.c — see the header. */
#include "live/spank/plugstack.h"

#include <errno.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX_BYTES 65536
#define ENTRIES_MAX 64u
#define DEPTH_MAX 8u

static void
entry_free (gpointer data)
{
  LkPlugstackEntry *self = data;
  g_free (self->path);
  g_strfreev (self->arguments);
  g_free (self->file);
  g_free (self);
}

static gboolean
fail (GError **error, const char *path, const char *why)
{
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s: %s", path, why);
  return FALSE;
}

/* ---------------------------------------------------------------- whose it is */

/* In a folder with a sticky bit nobody replaces what is not his. */
static gboolean
is_of_root (const struct stat *found)
{
  gboolean is_kept = S_ISDIR (found->st_mode) && (found->st_mode & S_ISVTX) != 0;
  return found->st_uid == 0 && ((found->st_mode & (S_IWGRP | S_IWOTH)) == 0 || is_kept);
}

gboolean
lk_plugstack_is_trusted (const char *path, GError **error)
{
  struct stat found;
  if (geteuid () != 0)
    return TRUE;
  g_autofree char *real = realpath (path, NULL);
  if (real == NULL)
    return fail (error, path, g_strerror (errno));
  for (char *slash = real + strlen (real); slash != NULL; slash = strrchr (real, '/')) {
    *slash = '\0';
    const char *at = *real != '\0' ? real : "/";
    if (stat (at, &found) != 0)
      return fail (error, at, g_strerror (errno));
    if (!is_of_root (&found)) {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_PERM,
                   "'%s' is not root's alone: expected owner root and no writing by others", at);
      return FALSE;
    }
  }
  return TRUE;
}

/* ---------------------------------------------------------------- lines */

typedef struct {
  GPtrArray *entries;
  const char *file;
  guint line;
  guint depth;
} Reading;

static gboolean file_read (GPtrArray *entries, const char *path, guint depth, GError **error);

static gboolean
line_fail (const Reading *self, const char *why, const char *word, GError **error)
{
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s:%u: %s '%s'", self->file, self->line,
               why, word);
  return FALSE;
}

/* A pattern that nothing fits is no error: a folder for plugins may be empty. */
static gboolean
include (const Reading *self, const char *pattern, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (self->file);
  g_autofree char *whole =
      g_path_is_absolute (pattern) ? g_strdup (pattern) : g_build_filename (folder, pattern, NULL);
  glob_t found = { 0 };
  gboolean is_good = TRUE;
  if (self->depth + 1 >= DEPTH_MAX)
    return line_fail (self, "expected no more than 8 files within each other, not", pattern, error);
  if (glob (whole, 0, NULL, &found) == 0)
    for (size_t i = 0; is_good && i < found.gl_pathc; i++)
      is_good = file_read (self->entries, found.gl_pathv[i], self->depth + 1, error);
  globfree (&found);
  return is_good;
}

static gboolean
entry_take (const Reading *self, char **words, GError **error)
{
  if (words[1] == NULL)
    return line_fail (self, "expected a path behind", words[0], error);
  if (strcmp (words[0], "include") == 0)
    return include (self, words[1], error);
  gboolean is_required = strcmp (words[0], "required") == 0;
  if (!is_required && strcmp (words[0], "optional") != 0)
    return line_fail (self, "expected required, optional or include, not", words[0], error);
  if (!g_path_is_absolute (words[1]))
    return line_fail (self, "expected the absolute path of a plugin, not", words[1], error);
  if (self->entries->len >= ENTRIES_MAX)
    return line_fail (self, "expected no more than 64 plugins, and there is", words[1], error);
  LkPlugstackEntry *entry = g_new0 (LkPlugstackEntry, 1);
  *entry = (LkPlugstackEntry){ .is_required = is_required,
                               .path = g_strdup (words[1]),
                               .arguments = g_strdupv (words + 2),
                               .file = g_strdup (self->file),
                               .line = self->line };
  g_ptr_array_add (self->entries, entry);
  return TRUE;
}

/* Words, without the empty ones between blanks. Returns: (transfer full). */
static char **
words_of (char *line)
{
  GPtrArray *words = g_ptr_array_new ();
  line[strcspn (line, "#")] = '\0';
  g_auto (GStrv) pieces = g_strsplit_set (line, " \t\r", -1);
  for (guint i = 0; pieces[i] != NULL; i++)
    if (*pieces[i] != '\0')
      g_ptr_array_add (words, g_strdup (pieces[i]));
  g_ptr_array_add (words, NULL);
  return (char **)g_ptr_array_free (words, FALSE);
}

static gboolean
file_read (GPtrArray *entries, const char *path, guint depth, GError **error)
{
  g_autofree char *text = NULL;
  gsize length_bytes;
  Reading reading = { .entries = entries, .file = path, .depth = depth };
  if (!lk_plugstack_is_trusted (path, error)
      || !g_file_get_contents (path, &text, &length_bytes, error))
    return FALSE;
  if (length_bytes > FILE_MAX_BYTES || strlen (text) != length_bytes)
    return fail (error, path, "expected a text of at most 64 KiB");
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    g_auto (GStrv) words = words_of (lines[i]);
    reading.line = i + 1;
    if (words[0] != NULL && !entry_take (&reading, words, error))
      return FALSE;
  }
  return TRUE;
}

GPtrArray *
lk_plugstack_read (const char *path, GError **error)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (entry_free);
  if (access (path, F_OK) != 0 && errno == ENOENT)
    return g_steal_pointer (&entries);
  return file_read (entries, path, 0, error) ? g_steal_pointer (&entries) : NULL;
}
