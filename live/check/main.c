/* live/check/main.c — lockstep-check, called as `lockstep check` and `lockstep diff`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "live/check/differences.h"
#include "live/check/show.h"
#include "live/check/source.h"
#include "traces/option_context.h"

#define EXIT_SAME 0
#define EXIT_DIFFERENT 1 /* of check: wrong */
#define EXIT_USAGE 2
#define CONF_DEFAULT "/etc/lockstep/slurm.conf"

typedef struct {
  char *accounts;
  char **plugins;
  char *order;
  char *backfill;
  char *select;
  char *preempt;
  char *against;
  gboolean is_json;
} Options;

static void
options_clear (Options *self)
{
  g_free (self->accounts);
  g_strfreev (self->plugins);
  g_free (self->order);
  g_free (self->backfill);
  g_free (self->select);
  g_free (self->preempt);
  g_free (self->against);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static LkCheckOptions
check_options (const Options *self)
{
  return (LkCheckOptions){ .accounts_path = self->accounts,
                           .plugin_paths = self->plugins,
                           .order = self->order,
                           .backfill = self->backfill,
                           .select = self->select,
                           .preempt = self->preempt };
}

/* Takes the options out of the arguments. */
static gboolean
options_parse (Options *self, GOptionContext *context, int *argc, char ***argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "json", 'j', 0, G_OPTION_ARG_NONE, &self->is_json, "one JSON object", NULL },
    { "accounts", 'a', 0, G_OPTION_ARG_FILENAME, &self->accounts,
      "the accounts; else the file `accounts` beside slurm.conf", "FILE" },
    { "plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->plugins, "add the policy of this file",
      "FILE" },
    { "order", 0, 0, G_OPTION_ARG_STRING, &self->order, "instead of PriorityType", "POLICY" },
    { "backfill", 0, 0, G_OPTION_ARG_STRING, &self->backfill, "instead of SchedulerType",
      "POLICY" },
    { "select", 0, 0, G_OPTION_ARG_STRING, &self->select, "instead of SelectType", "POLICY" },
    { "preempt", 0, 0, G_OPTION_ARG_STRING, &self->preempt, "instead of PreemptType", "POLICY" },
    { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL }
  };
  g_option_context_add_main_entries (context, entries, NULL);
  return lk_option_context_parse (context, argc, argv, error);
}

/* A cluster of `lockstep up` has the policies of its command line, which it keeps as options of the
 * controller, one a line. What is given here goes before. */
static void
laptop_take (Options *self, const char *path)
{
  struct {
    const char *prefix;
    char **value;
  } policies[] = { { "--order=", &self->order },
                   { "--backfill=", &self->backfill },
                   { "--select=", &self->select },
                   { "--preempt=", &self->preempt } };
  gboolean is_folder = g_file_test (path, G_FILE_TEST_IS_DIR);
  g_autofree char *folder = is_folder ? g_strdup (path) : g_path_get_dirname (path);
  g_autofree char *conf = g_build_filename (folder, "lockstep.conf", NULL);
  g_autofree char *options = g_build_filename (folder, "options", NULL);
  g_autofree char *text = NULL;
  if (!g_file_test (conf, G_FILE_TEST_EXISTS) || !g_file_get_contents (options, &text, NULL, NULL))
    return;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    for (guint j = 0; j < G_N_ELEMENTS (policies); j++)
      if (*policies[j].value == NULL && g_str_has_prefix (lines[i], policies[j].prefix))
        *policies[j].value = g_strdup (lines[i] + strlen (policies[j].prefix));
}

static int
usage (const char *verb, const char *text, const char *hint)
{
  fprintf (stderr, "lockstep %s: %s%s\n", verb, text, hint);
  return EXIT_USAGE;
}

static void
print (const LkCheckFound *found, gboolean is_json)
{
  g_autoptr (GString) out = g_string_new (NULL);
  if (is_json)
    lk_check_show_json (found, out);
  else
    lk_check_show_text (found, out);
  fputs (out->str, stdout);
}

static GPtrArray *
changes_of (const LkCheckSource *before, const LkCheckSource *after)
{
  g_autoptr (GPtrArray) old = lk_check_source_things (before);
  g_autoptr (GPtrArray) new = lk_check_source_things (after);
  return lk_differences_find (old, new);
}

/* Another configuration, which must be good. NULL: that has been told. */
static LkCheckSource *
other_open (const char *verb, const char *path, const LkCheckOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkFaults) faults = lk_faults_new ();
  LkCheckSource *source = lk_check_source_open (path, options, faults, &error);
  const GPtrArray *told = lk_faults_sorted (faults);
  for (guint i = 0; source == NULL && i < told->len; i++) {
    const LkFault *fault = g_ptr_array_index (told, i);
    if (fault->kind == LK_FAULT_ERROR)
      fprintf (stderr, "lockstep %s: %s\n", verb, fault->message);
  }
  if (error != NULL)
    fprintf (stderr, "lockstep %s: %s\n", verb, error->message);
  return source;
}

/* ---------------------------------------------------------------- check */

/* Why a controller would not take it now. Returns: (transfer full). */
static GPtrArray *
hindrances_of (const LkCheckSource *before, const LkCheckSource *after)
{
  GPtrArray *problems = g_ptr_array_new_with_free_func (g_free);
  lk_engine_try_config (lk_check_source_engine (before), lk_check_source_header (after), problems);
  return problems;
}

static int
check_against (const Options *options, const char *path, LkFaults *faults)
{
  const LkCheckOptions how = check_options (options);
  g_autoptr (LkCheckSource) before = other_open ("check", options->against, &how);
  if (before == NULL)
    return EXIT_USAGE;
  const LkEngine *engine = lk_check_source_engine (before);
  g_autoptr (LkCheckSource) source = lk_check_source_read (
      path, &how, engine != NULL ? lk_engine_accounts (engine) : NULL, faults);
  g_autoptr (GPtrArray) changes = source != NULL ? changes_of (before, source) : NULL;
  g_autoptr (GPtrArray) hindrances =
      source != NULL && engine != NULL ? hindrances_of (before, source) : NULL;
  LkCheckFound found = { .path = path,
                         .against = options->against,
                         .faults = faults,
                         .source = source,
                         .changes = changes,
                         .hindrances = hindrances,
                         .are_keys_compared = engine == NULL };
  print (&found, options->is_json);
  return source == NULL || (hindrances != NULL && hindrances->len > 0) ? EXIT_DIFFERENT : EXIT_SAME;
}

static int
check (const Options *options, const char *path)
{
  g_autoptr (LkFaults) faults = lk_faults_new ();
  const LkCheckOptions how = check_options (options);
  if (g_access (path, R_OK) != 0) {
    fprintf (stderr, "lockstep check: cannot read '%s': %s\n", path, g_strerror (errno));
    return EXIT_USAGE;
  }
  if (options->against != NULL)
    return check_against (options, path, faults);
  g_autoptr (LkCheckSource) source = lk_check_source_read (path, &how, NULL, faults);
  LkCheckFound found = { .path = path, .faults = faults, .source = source };
  print (&found, options->is_json);
  return source != NULL ? EXIT_SAME : EXIT_DIFFERENT;
}

/* A folder stands for the configuration in it. Returns: (transfer full). */
static char *
conf_path (const char *named)
{
  const char *path = named != NULL ? named : g_getenv ("SLURM_CONF");
  path = path != NULL && *path != '\0' ? path : CONF_DEFAULT;
  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return g_strdup (path);
  char *laptop = g_build_filename (path, "lockstep.conf", NULL);
  if (g_file_test (laptop, G_FILE_TEST_EXISTS))
    return laptop;
  g_free (laptop);
  return g_build_filename (path, "slurm.conf", NULL);
}

static int
run_check (int argc, char **argv)
{
  g_auto (Options) options = { NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context = g_option_context_new ("[CONF]");
  const GOptionEntry own[] = {
    { "against", 0, 0, G_OPTION_ARG_FILENAME, &options.against,
      "tell what a reload would change of what is in force: by the journal of a controller, its "
      "folder or that of lockstep up; or of another slurm.conf",
      "DIR|JOURNAL|CONF" },
    { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL }
  };
  g_option_context_set_summary (
      context, "Reads a slurm.conf (else that of $SLURM_CONF, else " CONF_DEFAULT ") with all that "
               "lies beside it, and tells everything that is wrong, in the order of the lines.");
  g_option_context_set_description (context,
                                    "Exit status: 0 it is good, 1 something is wrong or a reload "
                                    "would refuse it, 2 it could not be looked at.");
  g_option_context_add_main_entries (context, own, NULL);
  if (!options_parse (&options, context, &argc, &argv, &error))
    return usage ("check", error->message, "");
  if (argc > 2)
    return usage ("check", "expected one configuration", "; see --help");
  g_autofree char *path = conf_path (argc > 1 ? argv[1] : NULL);
  if (options.against != NULL)
    laptop_take (&options, options.against);
  laptop_take (&options, path);
  return check (&options, path);
}

/* ---------------------------------------------------------------- diff */

static int
diff (const Options *options, const char *old, const char *new)
{
  const LkCheckOptions how = check_options (options);
  g_autoptr (LkCheckSource) before = other_open ("diff", old, &how);
  g_autoptr (LkCheckSource) after = other_open ("diff", new, &how);
  if (before == NULL || after == NULL)
    return EXIT_USAGE;
  g_autoptr (GPtrArray) changes = changes_of (before, after);
  LkCheckFound found = { .path = new,
                         .against = old,
                         .changes = changes,
                         .are_keys_compared = lk_check_source_site (before)
                                              != NULL &&lk_check_source_site (after) != NULL };
  print (&found, options->is_json);
  return changes->len > 0 ? EXIT_DIFFERENT : EXIT_SAME;
}

static int
run_diff (int argc, char **argv)
{
  g_auto (Options) options = { NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context = g_option_context_new ("OLD NEW");
  g_option_context_set_summary (
      context, "Tells in words in what two configurations differ: each a slurm.conf or a folder "
               "with one, a controller's journal, its folder, or that of lockstep up.");
  g_option_context_set_description (
      context, "Exit status: 0 they are the same, 1 they differ, 2 one could not be read.");
  if (!options_parse (&options, context, &argc, &argv, &error))
    return usage ("diff", error->message, "");
  if (argc != 3)
    return usage ("diff", "expected two configurations, OLD and NEW", "; see --help");
  laptop_take (&options, argv[1]);
  laptop_take (&options, argv[2]);
  return diff (&options, argv[1], argv[2]);
}

int
main (int argc, char **argv)
{
  const char *verb = argc > 1 ? argv[1] : "";
  g_autofree char *name = g_strdup_printf ("lockstep %s", verb);
  g_set_prgname (name);
  if (strcmp (verb, "check") == 0)
    return run_check (argc - 1, argv + 1);
  if (strcmp (verb, "diff") == 0)
    return run_diff (argc - 1, argv + 1);
  fprintf (stderr, "Usage: lockstep-check check|diff [OPTIONS]\n");
  return EXIT_USAGE;
}
