/* live/daemon/site_port.h — the controller's configuration out of a site's files
 * (live/core/port_site.h).
 *
 * The log follows with its level; addresses and directories stay until the next start. */
#ifndef LK_LIVE_DAEMON_SITE_PORT_H
#define LK_LIVE_DAEMON_SITE_PORT_H

#include <glib.h>

#include "live/core/port_site.h"
#include "live/site/site.h"

typedef struct {
  LkSiteOptions options;            /* borrowed texts */
  const char *log;                  /* goes before the one of the configuration; NULL: none */
  LkSite *site;                     /* as read last; NULL: not yet */
  GPtrArray *values;                /* of char *, "KEY=VALUE" as in force; NULL: not yet */
  void (*in_force) (gpointer user); /* what was read has come into force; NULL: nobody cares */
  gpointer user;
  gboolean is_settled;  /* something came of the last reading, */
  gboolean is_in_force; /* and this */
} LkSitePort;

void lk_site_port_init (LkSitePort *self, const LkSiteOptions *options, const char *log);
void lk_site_port_clear (LkSitePort *self);
LkPortSite lk_site_port (LkSitePort *self);
/* What the site says of how the controller goes about its work. */
LkPortSiteWays lk_site_port_ways (const LkSite *site);

#endif
