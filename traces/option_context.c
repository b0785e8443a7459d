/* traces/option_context.c — see option_context.h.
 *
 * GLib does not list the options of a context, except in its help text.  There each option begins
 * a line: "  -o, --output=FILE    ...". */
#include "traces/option_context.h"

#include <string.h>

#include "engine/suggest.h"

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789-"

/* Returns: (transfer full) names with their dashes; ends with NULL. */
static GPtrArray *
option_names (GOptionContext *context)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *help = g_option_context_get_help (context, /* main_help= */ FALSE, NULL);
  g_auto (GStrv) lines = g_strsplit (help, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    const char *at = lines[i] + strspn (lines[i], " ");
    if (at == lines[i] || at[0] != '-')
      continue;
    if (at[1] != '\0' && strncmp (at + 2, ", --", strlen (", --")) == 0)
      at += strlen ("-o, ");
    gsize length = strspn (at, NAME_CHARACTERS);
    if (length > 2 && at[1] == '-')
      g_ptr_array_add (names, g_strndup (at, length));
  }
  g_ptr_array_add (names, NULL);
  return names;
}

/* The argument that GLib does not know; it ends GLib's message. */
static const char *
unknown_option (char **argv, const GError *error)
{
  for (guint i = 1; argv[0] != NULL && argv[i] != NULL; i++)
    if (argv[i][0] == '-' && g_str_has_suffix (error->message, argv[i]))
      return argv[i];
  return NULL;
}

gboolean
lk_option_context_parse (GOptionContext *context, int *argc, char ***argv, GError **error)
{
  GError *local = NULL;
  g_auto (GStrv) given = g_strdupv (*argv);
  if (g_option_context_parse (context, argc, argv, &local))
    return TRUE;
  const char *unknown = g_error_matches (local, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION)
                            ? unknown_option (given, local)
                            : NULL;
  if (unknown == NULL) {
    g_propagate_error (error, local);
    return FALSE;
  }
  g_error_free (local);
  g_autofree char *name = g_strndup (unknown, strcspn (unknown, "="));
  g_autoptr (GPtrArray) names = option_names (context);
  const char *nearest = lk_suggest (name, (const char *const *)names->pdata);
  if (nearest != NULL)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION,
                 "unknown option '%s'; did you mean '%s'?", name, nearest);
  else
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION,
                 "unknown option '%s'; see --help", name);
  return FALSE;
}
