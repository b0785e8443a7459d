/* traces/cluster_yaml_keys.h — the keys of cluster.yaml: which member of which struct each is, and
 * how its value is written.
 *
 * The one table from which the reader, the writer and their tests are made; the order of the keys
 * is the order in which the writer gives them. */
#ifndef LK_TRACES_CLUSTER_YAML_KEYS_H
#define LK_TRACES_CLUSTER_YAML_KEYS_H

#include <glib.h>

#include "engine/cluster.h"

typedef enum {
  /* Members of one type. */
  LK_KEY_TEXT,  /* char * */
  LK_KEY_NAMES, /* char *, names with commas between; a list in the page */
  LK_KEY_COUNT, /* guint32 */
  LK_KEY_LIMIT, /* guint32 or unlimited */
  LK_KEY_BYTES, /* gint64 */
  LK_KEY_TIME,  /* gint64, a number without a unit is minutes */
  LK_KEY_SPAN,  /* gint64, a unit is needed */
  LK_KEY_FLAG,  /* gboolean */
  LK_KEY_WORD,  /* an enumeration: the place among `words` */
  LK_KEY_PART,  /* a mapping of `parts`, which are members of the same struct */
  /* Members with a form of their own. */
  LK_KEY_OVERSUBSCRIBE,
  LK_KEY_BILLING,
  LK_KEY_STATE,
  LK_KEY_FEATURES,
  LK_KEY_GRES,
  LK_KEY_SOCKETS,
  LK_KEY_NVLINK,
  LK_KEY_LINKS,
  LK_KEY_SIZES,
  LK_KEY_NODES,
  LK_KEY_PARTITIONS,
  LK_KEY_LICENSES,
  LK_KEY_TOPOLOGY,
  LK_KEY_SWITCHES,
  LK_KEY_BLOCKS,
  /* No members: what they say is read into others. */
  LK_KEY_SYNTHETIC,
  LK_KEY_XML,
  LK_KEY_KIND_COUNT
} LkKeyKind;

typedef struct _LkKey LkKey;
struct _LkKey {
  const char *key;    /* in the page; NULL ends a table */
  const char *member; /* as the C member is called; "" for none */
  LkKeyKind kind;
  gsize offset_bytes;       /* of the member */
  const char *const *words; /* NULL-terminated */
  const LkKey *parts;
};

/* Of LkCluster, LkNodeSpec, LkGresSpec, LkPartitionSpec and LkSwitchSpec. */
extern const LkKey lk_cluster_keys[];
extern const LkKey lk_node_keys[];
extern const LkKey lk_gres_keys[];
extern const LkKey lk_partition_keys[];
extern const LkKey lk_switch_keys[];
extern const LkKey lk_block_keys[];
/* Of the mapping `topology`, which is about members of LkCluster. */
extern const LkKey lk_topology_keys[];

/* Words of `state` of nodes: bit i of the flags is word i. */
extern const char *const lk_node_state_words[];
extern const char *const lk_oversubscribe_words[];

/* CPUs of a node that does not say: one for each thread. What does not fit is left to the check. */
guint32 lk_node_cpus_default (const LkNodeSpec *node);
/* A number, maybe with the unit in which it counts, as billing weights have it: 1.5, 0.25G. */
gboolean lk_is_billing_weight (const char *text);

/* NULL when there is none. */
const LkKey *lk_key_find (const LkKey *keys, const char *name);
/* The names of a table for suggestions. Returns: (transfer container), NULL-terminated. */
const char **lk_key_names (const LkKey *keys);

static inline gpointer
lk_key_member (const LkKey *key, gpointer spec)
{
  return (guint8 *)spec + key->offset_bytes;
}

static inline gconstpointer
lk_key_member_const (const LkKey *key, gconstpointer spec)
{
  return (const guint8 *)spec + key->offset_bytes;
}

#endif
