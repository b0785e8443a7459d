/* live/client/main.c — the commands: the name by which it is called is the command. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "live/client/commands.h"
#include "live/client/contact.h"
#include "live/client/fetch_journal.h"
#include "live/client/keygen.h"
#include "live/client/options_dump.h"

#define EXIT_USAGE 2
#define HOST_MAX_BYTES 256

/* Called by its own name, the command is the first argument. */
#define OWN_NAME "lockstep-client"

static int
usage (void)
{
  fprintf (stderr, "Usage: " OWN_NAME " COMMAND [ARGUMENT...]\n\nCommands:\n");
  for (const LkClientCommand *at = lk_client_commands; at->name != NULL; at++)
    fprintf (stderr, "  %-10s %s\n", at->name, at->help);
  return EXIT_USAGE;
}

static void
who_asks (LkClient *client)
{
  const struct passwd *user = getpwuid (getuid ());
  const struct group *group = getgrgid (getgid ());
  static char host[HOST_MAX_BYTES];
  client->user_id = getuid ();
  client->group_id = getgid ();
  client->user_name = user != NULL ? g_intern_string (user->pw_name) : "";
  client->group_name = group != NULL ? g_intern_string (group->gr_name) : "";
  if (gethostname (host, sizeof host - 1) != 0)
    host[0] = '\0';
  client->host = host;
}

/* What is opened for other ends must not be taken for input or output that is closed. */
static void
standard_files_open (void)
{
  int fd;
  do
    fd = open ("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0)
    close (fd);
}

/* Jobs begin where they are submitted.  As with Slurm, the words and exit codes of 22.05. */
static int
refuse_gone_directory (const LkClientCommand *command, const char *name)
{
  char here[PATH_MAX];
  gboolean submits =
      command->run == lk_sbatch || command->run == lk_salloc || command->run == lk_srun;
  if (!submits || getcwd (here, sizeof here) != NULL || errno == ERANGE)
    return 0;
  fprintf (stderr, "%s: error: getcwd failed: %s\n", name, g_strerror (errno));
  return command->run == lk_sbatch ? 255 : 1;
}

int
main (int argc, char **argv)
{
  standard_files_open ();
  g_autofree char *name = g_path_get_basename (argv[0]);
  g_autoptr (GError) error = NULL;
  if (strcmp (name, OWN_NAME) == 0 && lk_options_dump_is_wanted (argc, argv))
    return lk_options_dump_commands (stdout);
  if (strcmp (name, OWN_NAME) == 0 && argc > 1) {
    argc--;
    argv++;
    g_free (name);
    name = g_path_get_basename (argv[0]);
  }
  /* Asks no controller. */
  if (strcmp (name, "keygen") == 0)
    return lk_keygen_main (argc, argv);
  /* Of `lockstep why`, not of people. */
  static const LkClientCommand journal = { "journal", lk_fetch_journal, "" };
  const LkClientCommand *command =
      strcmp (name, journal.name) == 0 ? &journal : lk_client_command_find (name);
  if (command == NULL)
    return usage ();
  /* Who reads our output may go before it ends. */
  signal (SIGPIPE, SIG_DFL);
  int refused = refuse_gone_directory (command, name);
  if (refused != 0)
    return refused;
  g_autoptr (LkContact) contact = lk_contact_new (&error);
  if (contact == NULL) {
    fprintf (stderr, "%s: error: %s\n", name, error->message);
    return 1;
  }
  g_auto (GStrv) environment = g_get_environ ();
  g_auto (GStrv) arguments = g_strdupv (argv + 1);
  g_autofree char *work_dir = g_get_current_dir ();
  LkClient client = { .command = name,
                      .arguments = arguments,
                      .in = stdin,
                      .out = stdout,
                      .err = stderr,
                      .wire = &lk_contact_wire,
                      .wire_self = contact,
                      .environment = environment,
                      .work_dir = work_dir,
                      .conf_path = lk_contact_conf_path (contact),
                      .now_us = g_get_real_time () };
  who_asks (&client);
  if (command->run == lk_sbatch || command->run == lk_salloc || command->run == lk_srun) {
    lk_contact_tell_site (contact, &client);
    lk_contact_tell_user (contact, &client);
  }
  int code = command->run (&client, argc, argv);
  if (fflush (stdout) == 0 && !ferror (stdout))
    return code;
  fprintf (stderr, "%s: error: the output cannot be written\n", name);
  return code != 0 ? code : 1;
}
