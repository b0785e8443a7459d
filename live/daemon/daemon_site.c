/* live/daemon/daemon_site.c — see the header. */
#include "live/daemon/daemon_site.h"

#include <string.h>

#include "live/daemon/log.h"

#define KEY_FILE "lockstep.key"

const char *
lk_daemon_conf_path (const char *named)
{
  const char *path = named != NULL ? named : g_getenv ("SLURM_CONF");
  return path != NULL && path[0] != '\0' ? path : LK_DAEMON_CONF_DEFAULT;
}

LkSite *
lk_daemon_site_read (const LkSiteOptions *options)
{
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func (g_free);
  LkSite *site = lk_site_new (options, errors);
  for (guint i = 0; i < errors->len; i++)
    lk_log (LK_LOG_FATAL, "%s", (const char *)g_ptr_array_index (errors, i));
  if (site == NULL)
    return NULL;
  const GPtrArray *warnings = lk_site_warnings (site);
  for (guint i = 0; i < warnings->len; i++)
    lk_log (LK_LOG_INFO, "warning: %s", (const char *)g_ptr_array_index (warnings, i));
  return site;
}

/* The value of KEY=VALUE in a list with commas. Returns: (transfer full), or NULL. */
static char *
value_of (const char *list, const char *key)
{
  g_auto (GStrv) pairs = g_strsplit (list, ",", -1);
  for (guint i = 0; pairs[i] != NULL; i++) {
    const char *pair = g_strstrip (pairs[i]);
    if (g_str_has_prefix (pair, key))
      return g_strdup (pair + strlen (key));
  }
  return NULL;
}

char *
lk_daemon_key_path (const LkSiteSettings *settings, const char *conf_path)
{
  char *named = value_of (settings->auth_info, "key=");
  if (named != NULL)
    return named;
  g_autofree char *folder = g_path_get_dirname (conf_path);
  return g_build_filename (folder, KEY_FILE, NULL);
}

char *
lk_daemon_munge_socket (const LkSiteSettings *settings)
{
  return value_of (settings->auth_info, "socket=");
}

char **
lk_daemon_controller_addresses (const LkSiteSettings *settings)
{
  GPtrArray *addresses = g_ptr_array_new ();
  for (guint i = 0; settings->controller_hosts != NULL && settings->controller_hosts[i] != NULL;
       i++) {
    g_autofree char *name = NULL;
    g_autofree char *address = NULL;
    if (!lk_site_host_split (settings->controller_hosts[i], &name, &address))
      continue;
    gboolean is_v6 = strchr (address, ':') != NULL;
    g_ptr_array_add (addresses, g_strdup_printf ("%s%s%s:%u", is_v6 ? "[" : "", address,
                                                 is_v6 ? "]" : "", settings->controller_port));
  }
  g_ptr_array_add (addresses, NULL);
  return (char **)g_ptr_array_free (addresses, FALSE);
}

char *
lk_daemon_program (const char *name)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = g_path_get_dirname (self != NULL ? self : "/");
  return g_build_filename (folder, name, NULL);
}
