/* live/daemon/controller_daemon.h — the controller's core over the real ports, in one loop.
 *
 * Not here: where the configuration comes from (controller_main.c), and every decision
 * (live/core). */
#ifndef LK_LIVE_DAEMON_CONTROLLER_DAEMON_H
#define LK_LIVE_DAEMON_CONTROLLER_DAEMON_H

#include <glib.h>

#include "live/core/controller.h"
#include "live/port/auth_key.h"
#include "live/site/site.h"

/* Borrowed, and outlives the daemon. */
typedef struct {
  const LkControllerConfig *core; /* of a new journal, of what the site's files say */
  const LkSiteOptions *site;      /* to read them anew */
  const char *log;                /* goes before the one that they name; NULL: none */
  guint64 term;                   /* a promotion; 0: the last one */
  guint32 skip_launch;            /* job whose present run is not launched; 0: none */
  const char *directory;          /* of the journal; is made */
  const char *socket;             /* NULL: no local one */
  const char *const *addresses;   /* of TCP; NULL: none */
  const char *key_path;           /* NULL: no keys are accepted */
  gboolean accepts_munge;
  const char *munge_socket; /* NULL: the usual one */
  const char *token_path;   /* key of JSON Web Tokens; NULL: none are accepted */
  const char *accounting;   /* file that a child keeps; NULL: none */
  const char *mail_program; /* by which it sends mail; NULL: none is sent */
  const char *mail_domain;
  const char *const *plugins; /* for it; ends with NULL; NULL: none */
} LkControllerDaemonOptions;

/* Runs until it is told to end, or cannot go on. Returns: how the process ends. */
int lk_controller_daemon_run (const LkControllerDaemonOptions *options);

#endif
