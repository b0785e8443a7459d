/* live/client/spank_command.c — see the header.
 *
 * Texts are those of Slurm's src/common/plugstack.c and of its commands. */
#include "live/client/spank_command.h"

#include <string.h>
#include <unistd.h>

/* Of --help: where an option stands, and where what it does. */
#define HELP_INDENT 6
#define HELP_COLUMN 30

/* ---------------------------------------------------------------- lines */

static void
say (gpointer user, LkSpankLevel level, const char *line)
{
  const LkClient *client = user;
  if (level == LK_SPANK_LOG_PLAIN)
    fprintf (client->err, "%s\n", line);
  else if (level == LK_SPANK_LOG_ERROR)
    lk_client_error (client, "%s", line);
  else if (level == LK_SPANK_LOG_INFO || client->is_verbose)
    fprintf (client->err, "%s: %s\n", client->command, line);
  fflush (client->err);
}

/* ---------------------------------------------------------------- beginning */

gboolean
lk_spank_command_begin (LkClient *client, spank_context_t context)
{
  const LkSpankOptions options = {
    .context = context, .plugstack = client->plugstack, .log = say, .log_user = client
  };
  g_autoptr (GError) error = NULL;
  if (client->plugstack == NULL)
    return TRUE;
  client->spank_before = g_get_environ ();
  client->spank = lk_spank_load (&options, &error);
  if (client->spank == NULL) {
    lk_client_error (client, "%s", error->message);
    lk_client_error (client, "Failed to initialize plugin stack");
    client->was_refused = TRUE;
    return FALSE;
  }
  LkSpankScene *scene = lk_spank_scene (client->spank);
  scene->has_user = TRUE;
  scene->user_id = client->user_id;
  scene->group_id = client->group_id;
  /* A step has the options of its job, where it does not say otherwise. */
  if (context == S_CTX_LOCAL)
    lk_spank_job_read (client->spank, (const char *const *)client->environment);
  if (lk_spank_call (client->spank, LK_SPANK_INIT))
    return TRUE;
  lk_client_error (client, "Failed to initialize plugin stack");
  client->was_refused = TRUE;
  return FALSE;
}

void
lk_spank_command_end (LkClient *client)
{
  if (client->spank != NULL)
    lk_spank_call (client->spank, LK_SPANK_EXIT);
  g_clear_pointer (&client->spank, lk_spank_free);
  g_clear_pointer (&client->spank_before, g_strfreev);
  g_clear_pointer (&client->spank_environment, g_strfreev);
}

/* ---------------------------------------------------------------- options */

gint
lk_spank_command_find (const LkClient *client, const char *name)
{
  for (guint i = 0; client->spank != NULL && i < lk_spank_option_count (client->spank); i++)
    if (strcmp (lk_spank_option (client->spank, i)->name, name) == 0)
      return (gint)i;
  return -1;
}

gboolean
lk_spank_command_take (LkClient *client, guint index, const char *value)
{
  if (lk_spank_option_take (client->spank, index, value))
    return TRUE;
  lk_client_error (client, "Invalid --%s argument: %s",
                   lk_spank_option (client->spank, index)->name, value != NULL ? value : "(null)");
  client->was_refused = TRUE;
  return FALSE;
}

gboolean
lk_spank_command_word (LkClient *client, const char *word, gboolean *out_is_ours)
{
  const char *equals = strchr (word, '=');
  g_autofree char *name =
      equals != NULL ? g_strndup (word + 2, (gsize)(equals - word - 2)) : g_strdup (word + 2);
  gint index = lk_spank_command_find (client, name);
  *out_is_ours = index >= 0;
  return index < 0
         || lk_spank_command_take (client, (guint)index, equals != NULL ? equals + 1 : NULL);
}

void
lk_spank_command_help (const LkClient *client)
{
  guint count = client->spank != NULL ? lk_spank_option_count (client->spank) : 0;
  if (count > 0)
    fprintf (client->out, "\nOptions provided by plugins:\n");
  for (guint i = 0; i < count; i++) {
    const struct spank_option *option = lk_spank_option (client->spank, i);
    g_autofree char *name = g_strconcat ("--", option->name, option->arginfo != NULL ? "=" : NULL,
                                         option->arginfo, NULL);
    gboolean fits = strlen (name) < HELP_COLUMN - HELP_INDENT;
    fprintf (client->out, "%*s%-*s", HELP_INDENT, "", HELP_COLUMN - HELP_INDENT, name);
    if (!fits)
      fprintf (client->out, "\n%*s", HELP_COLUMN, "");
    fprintf (client->out, "%s\n", option->usage != NULL ? option->usage : "");
  }
}

void
lk_spank_command_tell_lack (const LkClient *client, const char *option)
{
  g_autofree char *name = g_strndup (option, strcspn (option, "="));
  if (!g_str_has_prefix (name, "--container-") && !g_str_has_prefix (name, "--no-container-"))
    return;
  if (client->plugstack == NULL)
    lk_client_error (client, "%s is an option of a SPANK plugin: no plugstack.conf is known here",
                     name);
  else
    lk_client_error (client, "%s is an option of a SPANK plugin: none in %s offers it", name,
                     client->plugstack);
}

/* ---------------------------------------------------------------- our environment */

/* What has changed since we have begun. */
static char **
environment_join (const LkClient *client)
{
  g_auto (GStrv) now = g_get_environ ();
  char **joined = g_strdupv (client->environment);
  for (char **at = now; *at != NULL; at++) {
    g_autofree char *name = g_strndup (*at, strcspn (*at, "="));
    const char *value = g_environ_getenv (now, name);
    if (g_strcmp0 (g_environ_getenv (client->spank_before, name), value) != 0)
      joined = g_environ_setenv (joined, name, value, TRUE);
  }
  for (char **at = client->spank_before; *at != NULL; at++) {
    g_autofree char *name = g_strndup (*at, strcspn (*at, "="));
    if (g_environ_getenv (now, name) == NULL)
      joined = g_environ_unsetenv (joined, name);
  }
  return joined;
}

gboolean
lk_spank_command_ready (LkClient *client)
{
  if (client->spank == NULL)
    return TRUE;
  if (!lk_spank_call (client->spank, LK_SPANK_INIT_POST_OPT)) {
    lk_client_error (client, "Plugin stack post-option processing failed");
    client->was_refused = TRUE;
    return FALSE;
  }
  client->environment = client->spank_environment = environment_join (client);
  return TRUE;
}

gboolean
lk_spank_command_user (const LkClient *client, guint32 job_id, char **arguments)
{
  if (client->spank == NULL)
    return TRUE;
  LkSpankScene *scene = lk_spank_scene (client->spank);
  scene->has_job = TRUE;
  scene->job_id = job_id;
  scene->arguments = arguments;
  if (lk_spank_call (client->spank, LK_SPANK_LOCAL_USER_INIT))
    return TRUE;
  lk_client_error (client, "Failure in local plugin stack");
  return FALSE;
}
