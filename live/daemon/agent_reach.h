/* live/daemon/agent_reach.h — where an agent reaches its controllers, and by which key. */
#ifndef LK_LIVE_DAEMON_AGENT_REACH_H
#define LK_LIVE_DAEMON_AGENT_REACH_H

#include <glib.h>

#include "live/site/site.h"

/* Borrowed. */
typedef struct {
  const LkSiteSettings *settings;
  const char *conf_path;
  const char *host;         /* this machine, up to its first dot */
  char *const *controllers; /* as they were named; NULL: those of SlurmctldHost */
  const char *socket;       /* of a controller on this machine */
} LkAgentReachOptions;

typedef struct {
  char **controllers; /* addresses in the order of trying, ends with NULL */
  char *key_path;     /* NULL: none is needed */
} LkAgentReach;

/* Where one of SlurmctldHost is this machine its local socket goes first, by which the system says
 * who we are.  So a key that is not ours to use, as one of SlurmUser is not root's, keeps an agent
 * from the others only; that is logged. */
void lk_agent_reach_init (LkAgentReach *self, const LkAgentReachOptions *options);
void lk_agent_reach_clear (LkAgentReach *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LkAgentReach, lk_agent_reach_clear)

#endif
