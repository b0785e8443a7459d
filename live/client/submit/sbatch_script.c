/* live/client/submit/sbatch_script.c — the batch script: where it comes from.
 *
 * Not here: the options in it (traces/batch_script.h).  Source: sbatch(1); src/sbatch/sbatch.c. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "live/client/submit/sbatch.h"

/* ---------------------------------------------------------------- reading */

static gboolean
stream_read (int fd, GByteArray *out)
{
  guint8 bytes[65536];
  for (;;) {
    gssize count = read (fd, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return count == 0;
    g_byte_array_append (out, bytes, (guint)count);
    if (out->len > LK_BATCH_SCRIPT_MAX_BYTES)
      return TRUE;
  }
}

/* As Slurm: a file here goes first, then those of PATH. Returns: (transfer full). */
static char *
path_find (const LkClient *client, const char *name)
{
  g_autofree char *here =
      g_path_is_absolute (name) ? g_strdup (name) : g_build_filename (client->work_dir, name, NULL);
  if (strchr (name, '/') != NULL || access (here, R_OK) == 0)
    return g_steal_pointer (&here);
  const char *path = lk_client_variable (client, "PATH");
  g_auto (GStrv) folders = g_strsplit (path != NULL ? path : "", ":", -1);
  for (guint i = 0; folders[i] != NULL; i++) {
    g_autofree char *there = g_build_filename (folders[i], name, NULL);
    if (*folders[i] != '\0' && access (there, R_OK) == 0
        && !g_file_test (there, G_FILE_TEST_IS_DIR))
      return g_steal_pointer (&there);
  }
  return g_steal_pointer (&here);
}

static gboolean
file_read (LkSbatch *self)
{
  self->script_path = path_find (self->client, self->script_name);
  int fd = open (self->script_path, O_RDONLY | O_CLOEXEC);
  gboolean is_read = fd >= 0 && stream_read (fd, self->script);
  if (!is_read)
    lk_client_error (self->client, "Unable to open file %s", self->script_name);
  if (fd >= 0)
    close (fd);
  return is_read;
}

/* ---------------------------------------------------------------- looking at it */

static gboolean
is_blank (const GByteArray *script)
{
  for (guint i = 0; i < script->len; i++)
    if (!g_ascii_isspace ((char)script->data[i]))
      return FALSE;
  return TRUE;
}

static gboolean
script_check (const LkClient *client, const GByteArray *script)
{
  if (is_blank (script)) {
    lk_client_error (client, "Batch script is empty!");
    return FALSE;
  }
  if (script->len < 3 || script->data[0] != '#' || script->data[1] != '!') {
    lk_client_error (client, "This does not look like a batch script.  The first");
    lk_client_error (client, "line must start with #! followed by the path to an interpreter.");
    lk_client_error (client, "For instance: #!/bin/sh");
    return FALSE;
  }
  if (memchr (script->data, '\0', script->len) != NULL) {
    lk_client_error (client, "The Slurm controller does not allow scripts that");
    lk_client_error (client, "contain a NULL character '\\0'.");
    return FALSE;
  }
  if (g_strstr_len ((const char *)script->data, script->len, "\r\n") != NULL) {
    lk_client_error (client, "Batch script contains DOS line breaks (\\r\\n)");
    lk_client_error (client, "instead of expected UNIX line breaks (\\n).");
    return FALSE;
  }
  if (script->len > LK_BATCH_SCRIPT_MAX_BYTES) {
    lk_client_error (client, "Batch script is longer than %u bytes", LK_BATCH_SCRIPT_MAX_BYTES);
    return FALSE;
  }
  return TRUE;
}

gboolean
lk_sbatch_script_read (LkSbatch *self, const char *wrap)
{
  if (wrap != NULL) {
    g_autofree char *text =
        g_strdup_printf ("#!/bin/sh\n# This script was created by sbatch --wrap.\n\n%s\n", wrap);
    g_byte_array_append (self->script, (const guint8 *)text, (guint)strlen (text));
    return TRUE;
  }
  if (self->script_name != NULL && !file_read (self))
    return FALSE;
  if (self->script_name == NULL && !stream_read (fileno (self->client->in), self->script)) {
    lk_client_error (self->client, "the script cannot be read from standard input");
    return FALSE;
  }
  return script_check (self->client, self->script);
}
