/* live/daemon/agent_daemon.h — agents over the real ports, in one loop: that of a node, or those of
 * many nodes that are emulated on this machine.
 *
 * Each node has a directory of its own, which one agent uses at a time.  Not here: where the
 * configuration comes from (agent_main.c), and every decision (live/core). */
#ifndef LK_LIVE_DAEMON_AGENT_DAEMON_H
#define LK_LIVE_DAEMON_AGENT_DAEMON_H

#include <glib.h>

#include "live/daemon/health.h"
#include "live/port/net_link.h"
#include "live/port/port_process_os.h"

/* A node as this machine is, or as it is emulated. */
typedef struct {
  char *name;
  char *directory; /* is made */
  guint32 cpu_count;
  guint64 memory_bytes;
  char *gres;
  char *near; /* to each GPU: see LkProcessOsConfig; NULL: not known */
} LkAgentDaemonNode;

/* Borrowed, and outlives the daemon. */
typedef struct {
  const LkAgentDaemonNode *nodes;
  guint node_count;
  const char *const *controllers; /* addresses, the last one NULL */
  LkAuthMethod method;            /* by TCP */
  const char *key_path;           /* by key */
  const char *munge_socket;       /* NULL: the usual one */
  guint32 controller_user_id;
  LkProcessOsConfig process; /* but for the directory and the node */
  LkHealthOptions health;    /* of the first node, but for the node; program NULL: none */
  /* The configuration is to be read anew: can an agent begin with it?  Tells what is wrong. */
  gboolean (*may_begin_anew) (gpointer user);
  gpointer user;
  guint64 reload_number; /* see LkAgentConfig */
} LkAgentDaemonOptions;

/* It has ended so that another one begins in its place, with the configuration as it is now. */
#define LK_AGENT_DAEMON_ANEW (-1)

typedef struct {
  guint64 reload_number; /* for the next one */
  gboolean has_begun;    /* FALSE: it could not; its daemon has never run */
} LkAgentDaemonEnd;

/* Runs until it is told to end, or cannot go on. Runs that live go on. Returns: how the process
 * ends; LK_AGENT_DAEMON_ANEW: it does not. */
int lk_agent_daemon_run (const LkAgentDaemonOptions *options, LkAgentDaemonEnd *out_end);

#endif
