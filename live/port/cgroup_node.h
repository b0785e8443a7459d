/* live/port/cgroup_node.h — the control groups of a node: one above those of its runs.
 *
 * In a freezer of version 1 a frozen process does not die, not by SIGKILL either, before it thaws;
 * and the supervisor that froze it may have died in between.  So `lockstep down` clears a node by
 * its groups: a process that is no program of the user yet carries no mark of its run.
 *
 * Source: Documentation/admin-guide/cgroup-v1/freezer-subsystem.rst of Linux. */
#ifndef LK_LIVE_PORT_CGROUP_NODE_H
#define LK_LIVE_PORT_CGROUP_NODE_H

#include "live/port/cgroup.h"

/* The path of the group. Two nodes of one name may be on this machine, with different directories.
 * Returns: (transfer full). */
char *lk_cgroup_node_path (const char *directory, const char *node);

/* Removes the group, if it is empty, and the one above all nodes, if that is empty then. */
void lk_cgroup_node_remove (const LkCgroupChoice *choice, const char *path);

/* Kills what is in the groups of the node's runs, frozen or not, and removes all groups of the
 * node, of both versions. What was killed may need a few milliseconds to end. FALSE: something is
 * still there; call again. */
gboolean lk_cgroup_node_clear (const char *path);

#endif
