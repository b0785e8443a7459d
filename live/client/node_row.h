/* live/client/node_row.h — nodes and partitions as the controller tells of them, for tables. */
#ifndef LK_LIVE_CLIENT_NODE_ROW_H
#define LK_LIVE_CLIENT_NODE_ROW_H

#include "engine/cluster.h"
#include "live/client/client.h"

typedef struct {
  LkRecord_node node;
  char **partitions; /* it belongs to, in the order of the configuration; ends with NULL */
  guint8 bytes[];    /* that the texts lie in */
} LkNodeRow;

typedef struct {
  LkRecord_partition partition;
  const LkPartitionSpec *spec; /* of the view's cluster */
  guint8 bytes[];
} LkPartitionRow;

/* The machine as it stands. */
typedef struct {
  LkCluster *cluster;
  GPtrArray *nodes;      /* of LkNodeRow*, in the order of the configuration */
  GPtrArray *partitions; /* of LkPartitionRow*, likewise */
} LkMachineView;

/* NULL: the controller cannot be asked. Returns: (transfer full). */
LkMachineView *lk_machine_view_new (const LkClient *client, GError **error);
void lk_machine_view_free (LkMachineView *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkMachineView, lk_machine_view_free)

/* A hidden partition is told of only to root, and to who asks for all. */
static inline gboolean
lk_partition_is_shown (const LkClient *client, const LkPartitionSpec *spec, gboolean all)
{
  return all || !spec->hidden || client->user_id == 0;
}

/* NULL: there is none. */
const LkNodeRow *lk_machine_view_node (const LkMachineView *self, const char *name);
const LkPartitionRow *lk_machine_view_partition (const LkMachineView *self, const char *name);

/* Slurm's words for how a node stands, in lower case: "mixed" and "mix", with * behind when it does
 * not answer. */
void lk_node_row_state (const LkNodeRow *row, gboolean is_short, GString *out);
/* By which sinfo puts states in order, higher first: Slurm's number of it. */
/* "1.98", and MiB; "N/A" where its agent has not told. */
void lk_node_row_load (const LkNodeRow *row, GString *out);
void lk_node_row_free_memory (const LkNodeRow *row, GString *out);
guint32 lk_node_row_state_number (const LkNodeRow *row);
/* "IDLE+DRAIN", "MIXED", "DOWN*": as scontrol writes it. */
void lk_node_row_state_flags (const LkNodeRow *row, GString *out);
/* In which column of allocated/idle/other it counts: 0, 1, 2. */
guint lk_node_row_use (const LkNodeRow *row);
/* "cpu=4,mem=8000M,gres/gpu=2" of what it has or of what jobs hold, without what there is nothing
 * of. */
void lk_node_row_tres (const LkNodeRow *row, gboolean is_used, GString *out);
/* Adds the counts of "gpu:a100:2(S:0-1),nic:1" to those of the names; new names are appended. */
void lk_node_row_add_gres (LkText gres, GPtrArray *names, GArray *counts);
guint64 lk_node_row_gpus (const LkNodeRow *row);
gboolean lk_node_row_is_in (const LkNodeRow *row, const char *partition);

#endif
