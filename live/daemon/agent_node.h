/* live/daemon/agent_node.h — the nodes that an agent is for: as the configuration describes them
 * where they are emulated, else one, as this machine is. */
#ifndef LK_LIVE_DAEMON_AGENT_NODE_H
#define LK_LIVE_DAEMON_AGENT_NODE_H

#include <glib.h>

#include "live/daemon/agent_daemon.h"
#include "live/site/site.h"

/* Emulated by one process. */
#define LK_AGENT_NODES_MAX 4096u

typedef struct {
  const LkSite *site;
  const char *names;     /* a host list */
  const char *directory; /* of each, with %n for its name and %h for the host */
  const char *host;
  gboolean is_emulated;
} LkAgentNodeOptions;

typedef struct {
  GArray *nodes;      /* of LkAgentDaemonNode */
  GArray *devices;    /* of LkProcessOsDevice: the GPUs of the node that has most of them */
  GPtrArray *strings; /* what these point to */
} LkAgentNodes;

/* FALSE: a name is not in the configuration, or the hardware cannot be told. */
gboolean lk_agent_nodes_init (LkAgentNodes *self, const LkAgentNodeOptions *options,
                              GError **error);
void lk_agent_nodes_clear (LkAgentNodes *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LkAgentNodes, lk_agent_nodes_clear)

#endif
