/* live/accounting/main.c — lockstep-accounting, also called as `lockstep accounting`: keeps what
 * has been run where it can be asked for. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "engine/engine.h"
#include "live/accounting/follow.h"
#include "live/accounting/place.h"
#include "live/core/controller.h"
#include "traces/option_context.h"

#define EXIT_OK 0
#define EXIT_FAILED 1
#define EXIT_USAGE 2
/* The controller, and jobs, go before. */
#define NICENESS 5

typedef struct {
  char *directory;
  char *journal;
  char *database;
  char **plugins;
  char *mail_program;
  char *mail_domain;
  gint64 parent; /* the process to end with; 0: none */
  gboolean is_version;
} Options;

static void
options_clear (Options *self)
{
  g_free (self->directory);
  g_free (self->journal);
  g_free (self->database);
  g_strfreev (self->plugins);
  g_free (self->mail_program);
  g_free (self->mail_domain);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

/* The verb is what is left in argv. */
static gboolean
options_parse (Options *self, int *argc, char ***argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "dir", 'd', 0, G_OPTION_ARG_FILENAME, &self->directory,
      "state of the cluster, with the journal in it; else $LOCKSTEP_DIR, else that of "
      "$SLURM_CONF, else the laptop cluster's",
      "DIR" },
    { "journal", 'j', 0, G_OPTION_ARG_FILENAME, &self->journal,
      "the journal; else DIR/controller/journal, or DIR/journal", "FILE" },
    { "database", 'o', 0, G_OPTION_ARG_FILENAME, &self->database,
      "what is written; else DIR/" LK_ACCOUNTING_FILE, "FILE" },
    { "plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->plugins,
      "a shared object with a policy of the journal, may be repeated", "FILE" },
    { "mail-program", 0, 0, G_OPTION_ARG_FILENAME, &self->mail_program,
      "sends the mail that users want (follow only); else none is sent", "PROGRAM" },
    { "mail-domain", 0, 0, G_OPTION_ARG_STRING, &self->mail_domain,
      "behind a user who has given no address", "NAME" },
    { "with-parent", 0, 0, G_OPTION_ARG_INT64, &self->parent,
      "end when the process that has started this one ends, which is this", "PID" },
    { "version", 'V', 0, G_OPTION_ARG_NONE, &self->is_version, "print the version", NULL },
    { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL }
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("follow|rebuild");
  g_option_context_set_summary (
      context,
      "Writes what the journal of a controller tells of jobs into an SQLite file.\n"
      "  follow   goes on where the file ends, and waits for more until it is told to end\n"
      "  rebuild  makes the file anew, up to the end of the journal\n"
      "See docs/accounting.md.");
  g_option_context_add_main_entries (context, entries, NULL);
  return lk_option_context_parse (context, argc, argv, error);
}

/* ---------------------------------------------------------------- where */

/* A cluster that is named by its slurm.conf. */
static gboolean
fill_paths_of (Options *self, const char *conf_path, GError **error)
{
  if (self->journal == NULL)
    self->journal = lk_accounting_place_journal (conf_path, error);
  if (self->journal != NULL && self->database == NULL)
    self->database = lk_accounting_place_database (conf_path, error);
  return self->journal != NULL && self->database != NULL;
}

static gboolean
fill_paths (Options *self, GError **error)
{
  const char *named = g_getenv ("LOCKSTEP_DIR");
  const char *conf_path = g_getenv ("SLURM_CONF");
  gboolean is_named = self->directory != NULL || (named != NULL && *named != '\0');
  if (!is_named && conf_path != NULL && *conf_path != '\0')
    return fill_paths_of (self, conf_path, error);
  if (self->directory == NULL)
    self->directory = named != NULL && *named != '\0'
                          ? g_strdup (named)
                          : g_build_filename (g_get_user_state_dir (), "lockstep", NULL);
  if (self->journal == NULL) {
    g_autofree char *folder = g_build_filename (self->directory, "controller", NULL);
    gboolean has_folder = g_file_test (folder, G_FILE_TEST_IS_DIR);
    self->journal =
        g_build_filename (has_folder ? folder : self->directory, LK_CONTROLLER_JOURNAL, NULL);
  }
  if (self->database == NULL)
    self->database = g_build_filename (self->directory, LK_ACCOUNTING_FILE, NULL);
  return TRUE;
}

/* ---------------------------------------------------------------- verbs */

static int
tell (const GError *error)
{
  fprintf (stderr, "lockstep accounting: %s\n", error->message);
  return EXIT_FAILED;
}

static int
end_signals (void)
{
  sigset_t set;
  sigemptyset (&set);
  sigaddset (&set, SIGTERM);
  sigaddset (&set, SIGINT);
  sigaddset (&set, SIGHUP);
  sigprocmask (SIG_BLOCK, &set, NULL);
  return signalfd (-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int
run_follow (LkFollow *follow, const Options *options, int end_fd)
{
  g_autoptr (GError) error = NULL;
  setpriority (PRIO_PROCESS, 0, NICENESS);
  if (options->parent != 0)
    prctl (PR_SET_PDEATHSIG, SIGTERM);
  /* It may have ended before that was asked for, and before one could see whose child this is. */
  if (options->parent != 0 && getppid () != options->parent)
    return EXIT_OK;
  return lk_follow_run (follow, end_fd, &error) ? EXIT_OK : tell (error);
}

static int
run_rebuild (LkFollow *follow, const Options *options)
{
  g_autoptr (GError) error = NULL;
  if (!g_file_test (options->journal, G_FILE_TEST_EXISTS)) {
    fprintf (stderr, "lockstep accounting: there is no journal '%s'\n", options->journal);
    return EXIT_FAILED;
  }
  if (!lk_follow_reset (follow, &error) || !lk_follow_catch_up (follow, &error))
    return tell (error);
  printf ("%s: %" G_GUINT64_FORMAT " events\n", options->database, lk_follow_seq (follow));
  return EXIT_OK;
}

int
main (int argc, char **argv)
{
  g_auto (Options) options = { NULL };
  g_autoptr (GError) error = NULL;
  g_set_prgname ("lockstep accounting");
  if (!options_parse (&options, &argc, &argv, &error)) {
    tell (error);
    return EXIT_USAGE;
  }
  if (options.is_version) {
    puts ("lockstep-accounting " LK_ENGINE_VERSION);
    return EXIT_OK;
  }
  gboolean is_rebuild = argc == 2 && strcmp (argv[1], "rebuild") == 0;
  if (argc != 2 || (!is_rebuild && strcmp (argv[1], "follow") != 0)) {
    fprintf (stderr,
             "lockstep accounting: say follow or rebuild; see lockstep accounting --help\n");
    return EXIT_USAGE;
  }
  if (!fill_paths (&options, &error))
    return tell (error);
  /* To be told to end, however early, is no failure. */
  int end_fd = is_rebuild ? -1 : end_signals ();
  LkFollowOptions follow_options = { options.journal, options.database, options.plugins,
                                     is_rebuild ? NULL : options.mail_program,
                                     options.mail_domain };
  g_autoptr (LkFollow) follow = lk_follow_new (&follow_options, &error);
  if (follow == NULL)
    return tell (error);
  return is_rebuild ? run_rebuild (follow, &options) : run_follow (follow, &options, end_fd);
}
