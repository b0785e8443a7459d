/* traces/cluster_yaml.h — the description of a machine as a page of YAML.
 *
 * What the keys are is said in docs/cluster.md, and once in cluster_yaml_keys.c, from which reader
 * and writer take it.  A group of nodes may say what it is made of by an hwloc synthetic string or
 * XML file (node_topology.h).
 *
 * Errors are LK_TRACE_ERROR and one line: "FILE:LINE:COLUMN: what was found, what was expected"; so
 * are those of lk_cluster_check, which come from the place of the key that they are about. */
#ifndef LK_TRACES_CLUSTER_YAML_H
#define LK_TRACES_CLUSTER_YAML_H

#include <glib.h>

#include "engine/cluster.h"
#include "traces/trace_error.h"

#define LK_CLUSTER_YAML_MAX_BYTES (16u * 1024 * 1024)

/* Returns: (transfer full), checked; NULL on failure. */
LkCluster *lk_cluster_yaml_read (const char *path, GError **error);
/* The same from bytes; `name` stands in messages, and hwloc files are looked for in its folder. */
LkCluster *lk_cluster_yaml_read_bytes (const char *name, const guint8 *bytes, gsize length_bytes,
                                       GError **error);

/* Appends a page that reads back to an equal cluster: members that have their default are left out.
 * `header_comment` (NULL: none) comes first, each of its lines as a comment. FALSE, with `out` as
 * it was, when a text cannot stand in YAML because it is not UTF-8. */
gboolean lk_cluster_yaml_write (const LkCluster *cluster, const char *header_comment, GString *out);

#endif
