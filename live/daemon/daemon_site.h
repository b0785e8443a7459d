/* live/daemon/daemon_site.h — what both daemons make of a site's configuration. */
#ifndef LK_LIVE_DAEMON_DAEMON_SITE_H
#define LK_LIVE_DAEMON_DAEMON_SITE_H

#include <glib.h>

#include "live/site/site.h"

#define LK_DAEMON_CONF_DEFAULT "/etc/lockstep/slurm.conf"
#define LK_DAEMON_SOCKET "/run/lockstep/controller.sock"

/* The file that is named, or that of $SLURM_CONF, or LK_DAEMON_CONF_DEFAULT. */
const char *lk_daemon_conf_path (const char *named);

/* Reads a site, and logs its warnings, or all that is wrong. Returns: (transfer full), or NULL. */
LkSite *lk_daemon_site_read (const LkSiteOptions *options);

/* The path of the cluster key, by AuthInfo or beside the configuration. (transfer full). */
char *lk_daemon_key_path (const LkSiteSettings *settings, const char *conf_path);
/* The socket of munged, by AuthInfo. Returns: (transfer full), or NULL: the usual one. */
char *lk_daemon_munge_socket (const LkSiteSettings *settings);

/* ADDRESS:PORT of each controller of SlurmctldHost. Returns: (transfer full), ends with NULL. */
char **lk_daemon_controller_addresses (const LkSiteSettings *settings);

/* A program that lies beside this one. Returns: (transfer full), an absolute path. */
char *lk_daemon_program (const char *name);

#endif
