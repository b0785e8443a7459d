/* live/client/submit/sbatch_shape.c — what of a node a job asks for that no node of its partition
 * has.
 *
 * The controller refuses such a job as a whole ("Requested node configuration is not available"); a
 * line before that names the first thing that is missing.  Source: _build_node_list of Slurm's
 * node_scheduler.c; text recorded with Slurm 26.05 (oracle e-mem). */
#include <string.h>

#include "live/client/node_row.h"
#include "live/client/submit/sbatch.h"

typedef struct {
  gboolean cpus;
  gboolean memory;
  gboolean tmp;
} Served;

static gboolean
is_asked_partition (const LkPartitionRow *row, LkText asked)
{
  if (asked.length_bytes == 0)
    return row->spec->is_default;
  g_autofree char *list = g_strndup (asked.bytes, asked.length_bytes);
  g_auto (GStrv) names = g_strsplit (list, ",", -1);
  return g_strv_contains ((const char *const *)names, row->spec->name);
}

static void
node_serve (const LkNodeRow *row, const LkEvent_submit *submit, Served *served)
{
  const LkRecord_node *node = &row->node;
  guint64 cpus = (guint64)MAX (1, submit->cpus_per_task) * MAX (1, submit->tasks_per_node);
  gint64 memory_bytes = MAX (submit->memory_per_node_bytes, submit->memory_per_cpu_bytes);
  served->cpus |= MAX (cpus, submit->cpus_per_node_min) <= node->cpus;
  served->memory |= memory_bytes <= node->memory_bytes;
  served->tmp |= submit->tmp_per_node_bytes <= node->tmp_bytes;
}

static void
component_tell (const LkClient *client, const LkMachineView *view, const LkEvent_submit *submit)
{
  Served served = { FALSE, FALSE, FALSE };
  guint seen_count = 0;
  for (guint i = 0; i < view->partitions->len; i++) {
    const LkPartitionRow *partition = g_ptr_array_index (view->partitions, i);
    if (!is_asked_partition (partition, submit->partition))
      continue;
    for (guint j = 0; j < view->nodes->len; j++) {
      const LkNodeRow *node = g_ptr_array_index (view->nodes, j);
      if (!lk_node_row_is_in (node, partition->spec->name))
        continue;
      node_serve (node, submit, &served);
      seen_count++;
    }
  }
  if (seen_count == 0)
    return;
  if (!served.cpus)
    lk_client_error (client, "CPU count per node can not be satisfied");
  else if (!served.memory)
    lk_client_error (client, "Memory specification can not be satisfied");
  else if (!served.tmp)
    lk_client_error (client, "Temporary disk specification can not be satisfied");
}

void
lk_sbatch_shape_tell (const LkClient *client, const GArray *events)
{
  g_autoptr (LkMachineView) view = lk_machine_view_new (client, NULL);
  for (guint i = 0; view != NULL && i < events->len; i++)
    component_tell (client, view, &g_array_index (events, LkEvent, i).submit);
}
