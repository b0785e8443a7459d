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

static gboolean
count_is_right (char *const *arguments, guint count_min, guint count_max, GError **error)
{
  guint count = g_strv_length ((char **)arguments);
  if (count > count_max) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "unexpected argument '%s'; see --help",
                 arguments[count_max]);
    return FALSE;
  }
  if (count >= count_min)
    return TRUE;
  g_set_error (
      error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "expected %s%u argument%s, found %u; see --help",
      count_max > count_min ? "at least " : "", count_min, count_min == 1 ? "" : "s", count);
  return FALSE;
}

char **
lk_verb_parse (GOptionContext *context, int argc, char **argv, guint count_min, guint count_max,
               GError **error)
{
  if (!g_option_context_parse (context, &argc, &argv, error))
    return NULL;
  /* GOption leaves a "--" that ended the options in place. */
  int first = argc > 1 && g_strcmp0 (argv[1], "--") == 0 ? 2 : 1;
  if (!count_is_right (argv + first, count_min, count_max, error))
    return NULL;
  return g_strdupv (argv + first);
}
