/* live/client/keygen.c — see the header.  What a key file is, and whom its keys speak for, is in
 * live/port/auth_key.h. */
#include "live/client/keygen.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "live/port/auth_key.h"
#include "traces/option_context.h"

#define EXIT_FAILED 1
#define EXIT_USAGE 2

typedef struct {
  gboolean add;
  gboolean drop;
  char *agent;
  char *user;
  gboolean standby;
  char **files;
} Options;

static void
options_clear (Options *options)
{
  g_free (options->agent);
  g_free (options->user);
  g_strfreev (options->files);
}

static int
usage_error (const char *text)
{
  g_printerr ("lockstep keygen: %s; see --help\n", text);
  return EXIT_USAGE;
}

static int
failed (const GError *error)
{
  g_printerr ("lockstep keygen: %s\n", error->message);
  return EXIT_FAILED;
}

static int
write_file (const char *path, const char *contents, gboolean may_replace, const char *what)
{
  g_autoptr (GError) error = NULL;
  if (!lk_key_file_write (path, contents, may_replace, &error))
    return failed (error);
  printf ("%s: %s\n", path, what);
  return 0;
}

static int
make_key (const char *path)
{
  g_autofree char *line = lk_keyring_new_line ();
  return write_file (path, line, FALSE, "a new key of a cluster");
}

/* The new key first, so that it is used from now on by whoever has this file; the controller, who
 * only accepts keys, goes on accepting the one before. */
static int
add_key (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkKeyring) keyring = lk_keyring_load (path, &error);
  if (keyring == NULL)
    return failed (error);
  if (lk_keyring_count (keyring) == LK_KEYRING_MAX) {
    g_printerr (
        "lockstep keygen: '%s' has two keys already; when all have the first one, take the second "
        "one out with --drop\n",
        path);
    return EXIT_FAILED;
  }
  g_autofree char *new_line = lk_keyring_new_line ();
  g_autofree char *old_line = lk_keyring_line (keyring, 0);
  g_autofree char *contents = g_strconcat (new_line, old_line, NULL);
  return write_file (path, contents, TRUE, "a new key, and the one before");
}

static int
drop_key (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkKeyring) keyring = lk_keyring_load (path, &error);
  if (keyring == NULL)
    return failed (error);
  if (lk_keyring_count (keyring) == 1) {
    g_printerr ("lockstep keygen: '%s' has only one key\n", path);
    return EXIT_FAILED;
  }
  g_autofree char *line = lk_keyring_line (keyring, 0);
  return write_file (path, line, TRUE, "only its first key");
}

/* A user's number, or his name on this machine. */
static gboolean
find_user (const char *text, guint32 *out_user_id)
{
  guint64 number;
  if (g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT32 - 1, &number, NULL)) {
    *out_user_id = (guint32)number;
    return TRUE;
  }
  const struct passwd *entry = getpwnam (text);
  if (entry != NULL)
    *out_user_id = (guint32)entry->pw_uid;
  return entry != NULL;
}

static int
derive_key (const Options *options)
{
  LkKeySubject subject = { .kind = LK_PEER_STANDBY };
  g_autoptr (GError) error = NULL;
  if (options->agent != NULL) {
    subject = (LkKeySubject){ .kind = LK_PEER_AGENT, .node = options->agent };
  } else if (options->user != NULL) {
    subject.kind = LK_PEER_USER;
    if (!find_user (options->user, &subject.user_id)) {
      g_printerr ("lockstep keygen: there is no user '%s' on this machine\n", options->user);
      return EXIT_FAILED;
    }
  }
  g_autoptr (LkKeyring) keyring = lk_keyring_load (options->files[0], &error);
  if (keyring == NULL)
    return failed (error);
  g_autofree char *contents = lk_keyring_derive (keyring, &subject, &error);
  if (contents == NULL)
    return failed (error);
  return write_file (options->files[1], contents, FALSE,
                     options->agent != NULL  ? "the key of an agent"
                     : options->user != NULL ? "the key of a user"
                                             : "the key of a standby");
}

static int
run (const Options *options)
{
  guint file_count = options->files != NULL ? g_strv_length (options->files) : 0;
  guint subject_count = (options->agent != NULL ? 1u : 0u) + (options->user != NULL ? 1u : 0u)
                        + (options->standby ? 1u : 0u);
  if (subject_count + (options->add ? 1u : 0u) + (options->drop ? 1u : 0u) > 1)
    return usage_error ("only one of --add, --drop, --agent, --user and --standby can be given");
  if (subject_count == 1)
    return file_count == 2 ? derive_key (options)
                           : usage_error ("expected the cluster's key file and the new one");
  if (file_count != 1)
    return usage_error ("expected one key file");
  if (options->add)
    return add_key (options->files[0]);
  return options->drop ? drop_key (options->files[0]) : make_key (options->files[0]);
}

int
lk_keygen_main (int argc, char **argv)
{
  Options options = { 0 };
  const GOptionEntry entries[] = {
    { "add", 0, 0, G_OPTION_ARG_NONE, &options.add,
      "put a new key before the one in FILE; both are accepted", NULL },
    { "drop", 0, 0, G_OPTION_ARG_NONE, &options.drop, "take the second key out of FILE", NULL },
    { "agent", 0, 0, G_OPTION_ARG_STRING, &options.agent,
      "write a key to NEW that speaks for the agent of this node only", "NODE" },
    { "user", 0, 0, G_OPTION_ARG_STRING, &options.user,
      "write a key to NEW that speaks for this user only", "USER" },
    { "standby", 0, 0, G_OPTION_ARG_NONE, &options.standby,
      "write a key to NEW that speaks for a standby only", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.files, NULL, "FILE [NEW]" },
    { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
  };
  g_autoptr (GError) error = NULL;
  g_set_prgname ("lockstep keygen");
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_option_context_set_summary (
      context,
      "Writes a new key of a cluster to FILE, mode 0600, or changes the keys in it. Whoever "
      "has the\nkey of a cluster is trusted as the controller is; keys that speak for one "
      "only are made from it.");
  g_option_context_add_main_entries (context, entries, NULL);
  int status = EXIT_USAGE;
  if (lk_option_context_parse (context, &argc, &argv, &error))
    status = run (&options);
  else
    g_printerr ("lockstep keygen: %s\n", error->message);
  options_clear (&options);
  return status;
}
