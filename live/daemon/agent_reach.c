/* live/daemon/agent_reach.c — see the header. */
#include "live/daemon/agent_reach.h"

#include <string.h>

#include "live/daemon/daemon_site.h"
#include "live/daemon/log.h"
#include "live/port/auth_key.h"

static gboolean
is_local (const char *address)
{
  return address[0] == '/';
}

/* Is a controller of the configuration on this machine? */
static gboolean
has_controller_here (const LkAgentReachOptions *options)
{
  char *const *hosts = options->settings->controller_hosts;
  for (guint i = 0; hosts != NULL && hosts[i] != NULL; i++) {
    g_autofree char *name = NULL;
    g_autofree char *address = NULL;
    if (!lk_site_host_split (hosts[i], &name, &address))
      continue;
    name[strcspn (name, ".")] = '\0';
    if (g_ascii_strcasecmp (name, options->host) == 0
        || g_ascii_strcasecmp (name, "localhost") == 0)
      return TRUE;
  }
  return FALSE;
}

static char **
addresses_of (const LkAgentReachOptions *options)
{
  if (options->controllers != NULL)
    return g_strdupv ((char **)options->controllers);
  g_auto (GStrv) remote = lk_daemon_controller_addresses (options->settings);
  GPtrArray *all = g_ptr_array_new ();
  if (has_controller_here (options))
    g_ptr_array_add (all, g_strdup (options->socket));
  for (guint i = 0; remote[i] != NULL; i++)
    g_ptr_array_add (all, g_strdup (remote[i]));
  g_ptr_array_add (all, NULL);
  return (char **)g_ptr_array_free (all, FALSE);
}

static guint
count_local (char *const *addresses)
{
  guint count = 0;
  for (guint i = 0; addresses[i] != NULL; i++)
    count += is_local (addresses[i]) ? 1 : 0;
  return count;
}

static void
drop_remote (char **addresses)
{
  guint kept = 0;
  for (guint i = 0; addresses[i] != NULL; i++)
    if (is_local (addresses[i]))
      addresses[kept++] = addresses[i];
    else
      g_free (addresses[i]);
  addresses[kept] = NULL;
}

void
lk_agent_reach_init (LkAgentReach *self, const LkAgentReachOptions *options)
{
  g_autoptr (GError) error = NULL;
  *self = (LkAgentReach){ .controllers = addresses_of (options) };
  guint local_count = count_local (self->controllers);
  gboolean is_remote = local_count < g_strv_length (self->controllers);
  if (!is_remote || options->settings->auth != LK_SITE_AUTH_KEY)
    return;
  self->key_path = lk_daemon_key_path (options->settings, options->conf_path);
  if (local_count == 0)
    return;
  g_autoptr (LkKeyring) keyring = lk_keyring_load (self->key_path, &error);
  if (keyring != NULL)
    return;
  lk_log (LK_LOG_INFO, "the controller is reached by '%s' only: %s", self->controllers[0],
          error->message);
  drop_remote (self->controllers);
  g_clear_pointer (&self->key_path, g_free);
}

void
lk_agent_reach_clear (LkAgentReach *self)
{
  g_strfreev (self->controllers);
  g_free (self->key_path);
}
