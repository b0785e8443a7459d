/* sim/verb.c — see the header. */
#include "sim/verb.h"

#include <stdio.h>
#include <string.h>

#include "engine/suggest.h"
#include "sim/error.h"
#include "traces/option_context.h"
#include "traces/table.h"

int
lk_verb_fail (const char *verb, const GError *error)
{
  gboolean usage = error->domain == G_OPTION_ERROR || error->domain == LK_TABLE_ERROR
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
  if (!lk_option_context_parse (context, &argc, &argv, error))
    return NULL;
  /* GOption leaves a "--" that ended the options in place. */
  int first = argc > 1 && g_strcmp0 (argv[1], "--") == 0 ? 2 : 1;
  if (!count_is_right (argv + first, count_min, count_max, error))
    return NULL;
  return g_strdupv (argv + first);
}

static void
print_subverbs (const LkSubverbs *self, FILE *to)
{
  fprintf (to, "Usage:\n  lockstep %s SUBVERB %s\n\n%s\n\n", self->verb, self->usage,
           self->summary);
  for (gsize i = 0; i < self->count; i++)
    fprintf (to, "  %-9s %s\n", self->subverbs[i].name, self->subverbs[i].help);
  fprintf (to, "\nlockstep %s SUBVERB --help describes one.\n", self->verb);
}

static int
unknown_subverb (const LkSubverbs *self, const char *name)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (gsize i = 0; i < self->count; i++)
    g_ptr_array_add (names, (gpointer)self->subverbs[i].name);
  g_ptr_array_add (names, NULL);
  g_autofree char *phrase = lk_suggest_phrase (name, (const char *const *)names->pdata);
  g_printerr ("lockstep %s: unknown sub-verb '%s'%s\n", self->verb, name, phrase);
  return LK_EXIT_USAGE;
}

int
lk_verb_dispatch (const LkSubverbs *self, int argc, char **argv)
{
  if (argc < 2) {
    print_subverbs (self, stderr);
    return LK_EXIT_USAGE;
  }
  if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0) {
    print_subverbs (self, stdout);
    return 0;
  }
  for (gsize i = 0; i < self->count; i++) {
    g_autoptr (GError) error = NULL;
    if (strcmp (argv[1], self->subverbs[i].name) != 0)
      continue;
    g_autofree char *program = g_strdup_printf ("lockstep %s %s", self->verb, argv[1]);
    g_set_prgname (program);
    return self->subverbs[i].run (argc - 1, argv + 1, &error) ? 0
                                                              : lk_verb_fail (self->verb, error);
  }
  return unknown_subverb (self, argv[1]);
}
