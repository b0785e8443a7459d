/* engine/cluster_change.h — what `scontrol create`, `update` and `delete` of partitions and nodes
 * make of the description of a machine.
 *
 * Who drives an engine makes the next description of the one in force, and has it come into force
 * by an event of a whole configuration (engine_reconfigure.c): a replay needs to know nothing of
 * changes.
 *
 * - A partition is described by its line of the canonical text, of which only those members count
 *   that `changes` names; of one that is added the others are Slurm's defaults.  With + or - before
 *   them `nodes` are added to those of the partition, or taken away.
 * - One default partition there is always: one that becomes it takes that from the one before, and
 *   when it goes, or is told not to be it, the first of the others is.
 * - Members of nodes are changed on those of a hostlist, or on ALL; groups are divided for that.
 *
 * Source: scontrol(1), SPECIFICATIONS FOR UPDATE, CREATE, AND DELETE COMMANDS. */
#ifndef LK_ENGINE_CLUSTER_CHANGE_H
#define LK_ENGINE_CLUSTER_CHANGE_H

#include <glib.h>

#include "engine/cluster.h"
#include "engine/cluster_fields.h"
#include "engine/codec.h"

typedef enum {
  LK_CLUSTER_CHANGE_NONE,
  LK_CLUSTER_CHANGE_PARTITION_ADD,
  LK_CLUSTER_CHANGE_PARTITION,
  LK_CLUSTER_CHANGE_PARTITION_DELETE,
  LK_CLUSTER_CHANGE_NODES, /* of nodes only `weight` and `features` can change */
} LkClusterOperation;

typedef struct {
  guint8 operation;  /* LkClusterOperation */
  LkText name;       /* of the partition; hostlist of nodes, or ALL */
  guint64 changes;   /* LK_CLUSTER_CHANGES of members */
  LkLongText record; /* a line of the canonical text: partition or nodes; empty of a deletion */
} LkClusterChange;

/* Bits of `changes`, as numbers: LK_PARTITION_CHANGE_nodes is that of `nodes`. */
enum {
#define X(type, member, help) LK_PARTITION_CHANGE_##member,
  LK_PARTITION_SPEC_FIELDS (X) LK_PARTITION_CHANGE_COUNT
#undef X
};
enum {
#define X(type, member, help) LK_NODE_CHANGE_##member,
  LK_NODE_SPEC_FIELDS (X) LK_NODE_CHANGE_COUNT
#undef X
};

/* 0, and `self` is checked; or why not, `out_error` says more, and `self` is to be thrown away. */
LkReject lk_cluster_change (LkCluster *self, const LkClusterChange *change,
                            LkClusterError *out_error);

#endif
