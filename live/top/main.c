/* live/top/main.c — lockstep-top, called as `lockstep top`: a living cluster on a terminal. */
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "live/client/contact.h"
#include "live/top/live_facts.h"
#include "traces/option_context.h"
#include "traces/top/run.h"

#define EXIT_FAILED 1
#define EXIT_USAGE 2

static int
fail (const GError *error, int code)
{
  fprintf (stderr, "lockstep top: %s\n", error->message);
  return code;
}

static gboolean
parse_options (LkTopOptions *out, int argc, char **argv, GError **error)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("- the queue, the nodes and why jobs wait, on a terminal");
  lk_top_options_add (out, context);
  if (!lk_option_context_parse (context, &argc, &argv, error))
    return FALSE;
  if (argc == 1)
    return TRUE;
  g_set_error (error, LK_TOP_ERROR, LK_TOP_ERROR_USAGE,
               "'%s' is not expected here: journals are shown by lockstep top JOURNAL", argv[1]);
  return FALSE;
}

/* A file of the controller's folder, that of its configuration where it is a cluster of `lockstep
 * up`; NULL: it is not there. Returns: (transfer full). */
static char *
file_of (const char *conf_path, const char *folder, const char *name)
{
  g_autofree char *top = conf_path != NULL ? g_path_get_dirname (conf_path) : g_strdup ("/");
  g_autofree char *path = g_build_filename (top, folder, name, NULL);
  return access (path, R_OK) == 0 ? g_steal_pointer (&path) : NULL;
}

static char *
title_of (const char *conf_path)
{
  return conf_path != NULL ? g_path_get_dirname (conf_path) : g_strdup ("cluster");
}

static int
run (LkContact *contact, const LkTopOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) environment = g_get_environ ();
  const struct passwd *user = getpwuid (getuid ());
  const char *conf_path = lk_contact_conf_path (contact);
  g_autofree char *log_path = file_of (conf_path, "log", "controller.log");
  g_autofree char *title = title_of (conf_path);
  const LkClient client = { .command = "top",
                            .in = stdin,
                            .out = stdout,
                            .err = stderr,
                            .wire = &lk_contact_wire,
                            .wire_self = contact,
                            .environment = environment,
                            .user_name = user != NULL ? g_intern_string (user->pw_name) : "",
                            .user_id = getuid (),
                            .group_id = getgid (),
                            .conf_path = conf_path };
  g_autoptr (LkTopLive) live = lk_top_live_new (&client, title, log_path, /* calls_why= */ TRUE);
  if (lk_top_run (&lk_top_live_source, live, options, &error))
    return 0;
  return fail (error, g_error_matches (error, LK_TOP_ERROR, LK_TOP_ERROR_USAGE) ? EXIT_USAGE
                                                                                : EXIT_FAILED);
}

int
main (int argc, char **argv)
{
  LkTopOptions options = { .size = NULL };
  g_autoptr (GError) error = NULL;
  g_set_prgname ("lockstep top");
  signal (SIGPIPE, SIG_IGN);
  if (!parse_options (&options, argc, argv, &error))
    return fail (error, EXIT_USAGE);
  g_autoptr (LkContact) contact = lk_contact_new (&error);
  if (contact == NULL)
    return fail (error, EXIT_FAILED);
  int code = run (contact, &options);
  lk_top_options_clear (&options);
  if (fflush (stdout) == 0 && !ferror (stdout))
    return code;
  fprintf (stderr, "lockstep top: the output could not be written\n");
  return EXIT_FAILED;
}
