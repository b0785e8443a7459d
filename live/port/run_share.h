/* live/port/run_share.h — what of a run falls to one of its nodes, read from the texts of a start
 * decision: nodes, cores, devices, CPUs.
 *
 * The texts come from the controller; what cannot be read in them falls to nobody. */
#ifndef LK_LIVE_PORT_RUN_SHARE_H
#define LK_LIVE_PORT_RUN_SHARE_H

#include "live/core/message.h"

typedef struct {
  guint node_index; /* in the order of the nodes */
  guint node_count;
  guint cpus;           /* here; where they are not counted, those cores */
  GArray *cores;        /* of guint32, rising */
  GArray *gpus;         /* of guint32, rising: devices that it has as a whole */
  guint shares;         /* of one device: shard, mps */
  guint share_gpu;      /* which */
  char *share_name;     /* NULL: none */
  guint64 memory_bytes; /* here; 0: not managed */
  GArray *cpu_runs;     /* of LkNodeRun: all nodes */
} LkRunShare;

/* So many nodes behind each other have so much. */
typedef struct {
  guint64 value;
  guint64 count;
} LkNodeRun;

void lk_run_share_init (LkRunShare *self, const LkMessage_launch *launch, const char *node);
void lk_run_share_clear (LkRunShare *self);

/* Numbers as a list: 0,1,5. Returns: (transfer full). */
char *lk_number_list (const GArray *numbers);
/* Reads 0-3,8, and 0-1+8*3, which is 0-1,8-9,16-17; what is no such list gives what was read before
 * the fault. Returns: (transfer full), of guint32. */
GArray *lk_number_ranges (const char *text);

/* How tasks lie on the nodes, as SLURM_TASKS_PER_NODE has it: 2(x3),1. Tasks 0: as many as the
 * CPUs allow. Returns: (transfer full). */
char *lk_run_share_tasks (const LkRunShare *self, guint tasks, guint cpus_per_task,
                          guint tasks_per_node);

/* The same of another component of a heterogeneous job, and on how many nodes it is. */
char *lk_run_component_tasks (const LkRunComponent *component);
guint lk_run_component_nodes (const LkRunComponent *component);

#endif
