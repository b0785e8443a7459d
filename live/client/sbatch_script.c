/* live/client/sbatch_script.c — the batch script: where it comes from, and the options in it.
 *
 * Options stand on lines that begin with #SBATCH, up to the first line that is neither empty nor a
 * comment.  A line `#SBATCH hetjob` begins the next component.  Source: sbatch(1);
 * src/sbatch/sbatch.c, src/common/slurm_opt.c. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "engine/limits.h"
#include "live/client/sbatch.h"

#define DIRECTIVE "#SBATCH"

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

/* ---------------------------------------------------------------- options */

static gboolean
is_command (const char *line)
{
  const char *first = line + strspn (line, " \t\r\f\v");
  return *first != '\0' && *first != '#';
}

static void
component_add (GPtrArray *components)
{
  g_ptr_array_add (components, g_ptr_array_new_with_free_func (g_free));
}

static void
component_free (gpointer words)
{
  g_ptr_array_unref (words);
}

static gboolean
line_take (const char *line, guint line_number, GPtrArray *components, GError **error)
{
  GPtrArray *words = g_ptr_array_index (components, components->len - 1);
  g_auto (GStrv) found = lk_job_options_split (line + strlen (DIRECTIVE), error);
  if (found == NULL) {
    g_prefix_error (error, "line %u of the script: ", line_number);
    return FALSE;
  }
  if (found[0] != NULL && (strcmp (found[0], "hetjob") == 0 || strcmp (found[0], "packjob") == 0)) {
    if (components->len == LK_LIMIT_HET_COMPONENTS) {
      g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                   "line %u of the script: more than %u components", line_number,
                   LK_LIMIT_HET_COMPONENTS);
      return FALSE;
    }
    component_add (components);
    return TRUE;
  }
  for (guint i = 0; found[i] != NULL; i++)
    g_ptr_array_add (words, g_strdup (found[i]));
  return TRUE;
}

/* What lines of #SBATCH begin with: what follows is blank. */
static gboolean
is_directive (const char *line)
{
  return g_str_has_prefix (line, DIRECTIVE)
         && (line[strlen (DIRECTIVE)] == ' ' || line[strlen (DIRECTIVE)] == '\t'
             || line[strlen (DIRECTIVE)] == '\0');
}

GPtrArray *
lk_sbatch_script_arguments (const GByteArray *script, GError **error)
{
  g_autoptr (GPtrArray) components = g_ptr_array_new_with_free_func (component_free);
  const char *at = (const char *)script->data;
  const char *end = at + script->len;
  component_add (components);
  for (guint number = 1; at < end; number++) {
    const char *stop = memchr (at, '\n', (gsize)(end - at));
    stop = stop != NULL ? stop : end;
    g_autofree char *line = g_strndup (at, (gsize)(stop - at));
    at = stop + 1;
    if (is_directive (line) && !line_take (line, number, components, error))
      return NULL;
    if (is_command (line))
      break;
  }
  for (guint i = 0; i < components->len; i++)
    g_ptr_array_add (g_ptr_array_index (components, i), NULL);
  return g_steal_pointer (&components);
}
