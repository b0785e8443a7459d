/* traces/batch_script.c — see the header. */
#include "traces/batch_script.h"

#include <string.h>

#include "engine/limits.h"
#include "traces/job_options.h"

#define DIRECTIVE "#SBATCH"

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

GPtrArray *
lk_batch_script_arguments (const guint8 *bytes, gsize length_bytes, GError **error)
{
  g_autoptr (GPtrArray) components = g_ptr_array_new_with_free_func (component_free);
  const char *at = (const char *)bytes;
  const char *end = at + length_bytes;
  component_add (components);
  for (guint number = 1; at < end; number++) {
    const char *stop = memchr (at, '\n', (gsize)(end - at));
    stop = stop != NULL ? stop : end;
    g_autofree char *line = g_strndup (at, (gsize)(stop - at));
    at = stop + 1;
    if (g_str_has_prefix (line, DIRECTIVE) && !line_take (line, number, components, error))
      return NULL;
    if (is_command (line))
      break;
  }
  for (guint i = 0; i < components->len; i++)
    g_ptr_array_add (g_ptr_array_index (components, i), NULL);
  return g_steal_pointer (&components);
}
