/* engine/node_ends.h — until when each node is in use, and the nodes in that order.
 *
 * Made when it is first asked for in a pass, and again when something on a node has changed since.
 * A job that wants whole nodes cannot start before as many as it needs have been left by all jobs:
 * that moment is found by counting. */
#ifndef LK_ENGINE_NODE_ENDS_H
#define LK_ENGINE_NODE_ENDS_H

#include <glib.h>

#include "engine/node_table.h"

typedef struct {
  gint64 *end_us; /* by node: when the last that runs there ends; G_MININT64: nothing does */
  guint32 *order; /* nodes by rising end, then index */
  guint32 node_count;
  gboolean is_valid;
} LkNodeEnds;

void lk_node_ends_init (LkNodeEnds *self, guint32 node_count);
void lk_node_ends_clear (LkNodeEnds *self);
/* Brings it up to date. */
void lk_node_ends_fill (LkNodeEnds *self, const LkNodeTable *nodes, gint64 now_us);

/* When `count` nodes of the set, at least 1, have been left; LK_TIME_NEVER when that is not before
 * `before_us`, or there are not so many. Cost O(nodes that are left by then). */
gint64 lk_node_ends_of (const LkNodeEnds *self, const guint64 *among, guint32 count,
                        gint64 before_us);

#endif
