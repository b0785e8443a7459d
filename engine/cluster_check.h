/* engine/cluster_check.h — what the checks of a description share: where an error goes, and names
 * that can be looked up.  Only for engine/cluster_change.c, cluster_check.c and
 * cluster_topology.c. */
#ifndef LK_ENGINE_CLUSTER_CHECK_H
#define LK_ENGINE_CLUSTER_CHECK_H

#include <glib.h>

#include "engine/cluster.h"

#define LK_NAME_NONE G_MAXUINT32

/* A name and its place among those that were added. */
typedef struct {
  const char *name; /* borrowed */
  guint32 index;
} LkNameEntry;

typedef struct {
  LkCluster *cluster;
  LkClusterError error;
  GPtrArray *node_names; /* of char*, by node */
  GArray *nodes;         /* the same, of LkNameEntry, sorted */
  GArray *features;      /* of LkNameEntry, of all groups */
  GPtrArray *gres_names; /* of char*, borrowed, each once */
  GPtrArray *gres_types; /* likewise */
  guint64 cpu_count;
  gint64 memory_bytes;
  guint64 listed_count; /* names in lists of partitions */
} LkCheck;

/* Notes what is wrong. Returns FALSE. */
gboolean lk_check_wrong (LkCheck *self, const void *spec, const char *member, const char *format,
                         ...) G_GNUC_PRINTF (4, 5);
/* Is the name of this spec one that may stand in a hostlist? */
gboolean lk_check_name (LkCheck *self, const void *spec, const char *name);
/* Expands a hostlist. Returns: (transfer full), of char*; NULL when it is none, which is noted. */
GPtrArray *lk_check_expand (LkCheck *self, const void *spec, const char *member, const char *list);

void lk_names_add (GArray *names, const char *name);
/* To be done before names are looked up. Returns the lowest index of a name that is there at a
 * lower one too; LK_NAME_NONE when each is there once. */
guint32 lk_names_sort (GArray *names);
/* The index of a name; LK_NAME_NONE when it is not there. O(log names). */
guint32 lk_names_find (const GArray *names, const char *name);

/* Switches and blocks; the nodes have been checked.  Of blocks: also how many nodes the smallest
 * has. */
gboolean lk_topology_check (LkCheck *check, guint32 *out_block_size_min);

#endif
