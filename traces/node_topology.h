/* traces/node_topology.h — what a node is made of, as hwloc describes it: a synthetic string such
 * as "pack:2 core:32 pu:2", or the XML that `lstopo node.xml` wrote on a real node.
 *
 * Sockets are hwloc's packages, threads its PUs; all sockets have to have as many cores, and all
 * cores as many threads.  Devices are the GPUs in the order of their PCI addresses, which is the
 * order of their numbers in a job.
 *
 * Nothing is read from the machine on which this runs.  Source: hwloc 2 documentation, "Synthetic
 * topologies" and "Importing and exporting topologies from/to XML files". */
#ifndef LK_TRACES_NODE_TOPOLOGY_H
#define LK_TRACES_NODE_TOPOLOGY_H

#include <glib.h>

#include "engine/cluster.h"

typedef struct {
  guint32 sockets;
  guint32 cores_per_socket;
  guint32 threads_per_core;
  gint64 memory_bytes; /* 0: not told */
  guint32 device_count;
  guint32 device_sockets[LK_LIMIT_NODE_DEVICES]; /* sets; 0: near to all */
} LkNodeTopology;

/* On failure `out_problem` is one line without the place. (transfer full) */
gboolean lk_node_topology_from_synthetic (const char *text, LkNodeTopology *out_topology,
                                          char **out_problem);
gboolean lk_node_topology_from_xml (const guint8 *bytes, gsize length_bytes,
                                    LkNodeTopology *out_topology, char **out_problem);

#endif
