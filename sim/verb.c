/* sim/verb.c — see the header. */
#include "sim/verb.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

/* ---------------------------------------------------------------- files */

/* One that is not there yet is known by its name only. */
static gboolean
is_same_file (const char *path, const char *other)
{
  struct stat a;
  struct stat b;
  if (stat (path, &a) == 0 && stat (other, &b) == 0)
    return S_ISREG (a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
  g_autofree char *full = g_canonicalize_filename (path, NULL);
  g_autofree char *other_full = g_canonicalize_filename (other, NULL);
  return strcmp (full, other_full) == 0;
}

static char *
path_of (const LkVerbFile *file, gsize index)
{
  return file->names != NULL ? g_build_filename (file->path, file->names[index], NULL)
                             : g_strdup (file->path);
}

static gsize
path_count (const LkVerbFile *file)
{
  if (file->path == NULL || strcmp (file->path, "-") == 0)
    return 0;
  return file->names != NULL ? g_strv_length ((char **)file->names) : 1;
}

/* Is one of the files of `written` one of `other`? */
static gboolean
check_pair (const LkVerbFile *written, const LkVerbFile *other, GError **error)
{
  gsize written_count = path_count (written);
  gsize other_count = path_count (other);
  for (gsize i = 0; i < written_count; i++) {
    g_autofree char *path = path_of (written, i);
    for (gsize j = 0; j < other_count; j++) {
      g_autofree char *other_path = path_of (other, j);
      if (!is_same_file (path, other_path))
        continue;
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                   "%s would overwrite '%s', which is %s%s", written->what, path,
                   other->names != NULL ? "a file of " : "", other->what);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
lk_verb_check_files (const LkVerbFile *files, gsize count, GError **error)
{
  for (gsize i = 0; i < count; i++)
    for (gsize j = 0; files[i].is_written && j < count; j++)
      /* Of two that are written, the later one is blamed. */
      if (j != i && !(files[j].is_written && j > i) && !check_pair (&files[i], &files[j], error))
        return FALSE;
  return TRUE;
}

/* ---------------------------------------------------------------- command lines */

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
