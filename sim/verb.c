/* sim/verb.c — see the header. */
#include "sim/verb.h"

#include "sim/error.h"

int
lk_verb_fail (const char *verb, const GError *error)
{
  gboolean usage = error->domain == G_OPTION_ERROR
                   || g_error_matches (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE)
                   || g_error_matches (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_NAME)
                   || g_error_matches (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PARAMETER);
  g_printerr ("lockstep %s: %s\n", verb, error->message);
  return usage ? LK_EXIT_USAGE : LK_EXIT_FAILURE;
}

LkRegistry *
lk_verb_registry (char **plugins, GError **error)
{
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  for (guint i = 0; plugins != NULL && plugins[i] != NULL; i++)
    if (lk_registry_add_plugin (registry, plugins[i], error) == NULL)
      return NULL;
  return g_steal_pointer (&registry);
}

gboolean
lk_verb_parse (GOptionContext *context, int *argc, char ***argv, int count_min, int count_max,
               char ***out_arguments, GError **error)
{
  if (!g_option_context_parse (context, argc, argv, error))
    return FALSE;
  /* GOption leaves a "--" that ended the options in place. */
  int first = *argc > 1 && g_strcmp0 ((*argv)[1], "--") == 0 ? 2 : 1;
  int count = *argc - first;
  if (count < count_min) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "expected %s%d argument%s, found %d; see --help",
                 count_max > count_min ? "at least " : "", count_min, count_min == 1 ? "" : "s",
                 count);
    return FALSE;
  }
  if (count > count_max) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "unexpected argument '%s'; see --help",
                 (*argv)[first + count_max]);
    return FALSE;
  }
  *out_arguments = g_strdupv (*argv + first);
  return TRUE;
}
