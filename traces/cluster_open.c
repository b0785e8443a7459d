/* traces/cluster_open.c — see cluster_open.h. */
#include "traces/cluster_open.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/assert.h"
#include "engine/suggest.h"
#include "traces/cluster_yaml.h"
#include "traces/presets.h"
#include "traces/slurm_conf.h"
#include "traces/trace_error.h"

/* Comments at the head of a file may be long. */
#define HEAD_BYTES 65536u

/* Behind blanks, empty lines and comments. */
static const char *
skip_comments (const char *at)
{
  for (;;) {
    at += strspn (at, " \t\r\n");
    if (*at != '#')
      return at;
    at += strcspn (at, "\n");
  }
}

/* Lines of slurm.conf are Key=Value, or Include and a file; those of a page are key: value. */
static gboolean
is_slurm_conf (const char *head)
{
  const char *line = skip_comments (head);
  gsize length = 0;
  while (g_ascii_isalnum (line[length]) || line[length] == '_')
    length++;
  const char *behind = line + length + strspn (line + length, " \t");
  if (length == strlen ("Include") && g_ascii_strncasecmp (line, "Include", length) == 0)
    return *behind != ':';
  return length > 0 && *behind == '=';
}

/* The beginning of a file, without a byte order mark. Returns: (transfer full). */
static char *
read_head (const char *path, GError **error)
{
  FILE *file = fopen (path, "rbe");
  if (file == NULL) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_OPEN, "cluster '%s': cannot be opened: %s",
                 path, g_strerror (errno));
    return NULL;
  }
  char *head = g_malloc (HEAD_BYTES + 1);
  gsize taken = fread (head, 1, HEAD_BYTES, file);
  int code = ferror (file) != 0 ? errno : 0;
  fclose (file);
  head[taken] = '\0';
  if (code == 0) {
    if (g_str_has_prefix (head, "\xef\xbb\xbf"))
      memmove (head, head + 3, taken - 2);
    return head;
  }
  g_free (head);
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_OPEN, "cluster '%s': cannot be read: %s", path,
               g_strerror (code));
  return NULL;
}

/* The import keeps its cluster: this is a copy by way of the canonical text. */
static LkCluster *
open_slurm_conf (const char *path, GError **error)
{
  const LkSlurmImportOptions options = { .conf_path = path };
  g_autoptr (LkSlurmImport) import = lk_slurm_import_new (&options, error);
  if (import == NULL)
    return NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  lk_cluster_text (lk_slurm_import_cluster (import), text);
  LkCluster *cluster = lk_cluster_from_text (text->str, text->len, NULL);
  LK_ASSERT (cluster != NULL);
  return cluster;
}

static LkCluster *
open_file (const char *path, GError **error)
{
  g_autofree char *head = read_head (path, error);
  if (head == NULL)
    return NULL;
  return is_slurm_conf (head) ? open_slurm_conf (path, error) : lk_cluster_yaml_read (path, error);
}

LkCluster *
lk_cluster_open (const char *name, GError **error)
{
  const LkPreset *preset = lk_preset_find (name);
  if (g_file_test (name, G_FILE_TEST_EXISTS))
    return open_file (name, error);
  if (preset != NULL)
    return lk_preset_cluster (preset);
  g_autofree const char **names = lk_preset_names ();
  g_autofree char *phrase = lk_suggest_phrase (name, names);
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_OPEN,
               "cluster '%s': there is no such file, and no such preset%s", name, phrase);
  return NULL;
}

gboolean
lk_cluster_is_slurm_conf (const char *name)
{
  g_autofree char *head = g_file_test (name, G_FILE_TEST_EXISTS) ? read_head (name, NULL) : NULL;
  return head != NULL && is_slurm_conf (head);
}
