/* live/step/pmi_mapping.c — where the tasks of a step are, as PMI tells it: PMI_process_mapping. */
#include "live/step/step_pmi.h"

/* So many tasks in a row on a node. */
typedef struct {
  guint32 node;
  guint32 node_count; /* so many nodes, one behind the other, alike */
  guint32 task_count;
} Block;

static void
block_append (GString *out, const Block *block)
{
  if (block->task_count > 0)
    g_string_append_printf (out, ",(%u,%u,%u)", block->node, block->node_count, block->task_count);
}

/* The next one may go on where the last one ends. */
static void
block_take (GString *out, Block *last, const Block *next)
{
  if (last->task_count == next->task_count && last->node + last->node_count == next->node) {
    last->node_count++;
    return;
  }
  block_append (out, last);
  *last = *next;
}

char *
lk_step_pmi_mapping (const GPtrArray *node_tasks, guint32 task_count)
{
  g_autofree guint32 *node_of = g_new0 (guint32, MAX (task_count, 1));
  GString *text = g_string_new ("(vector");
  Block last = { 0, 0, 0 };
  for (guint32 i = 0; i < node_tasks->len; i++) {
    const GArray *tasks = g_ptr_array_index (node_tasks, i);
    for (guint j = 0; j < tasks->len; j++)
      if (g_array_index (tasks, guint32, j) < task_count)
        node_of[g_array_index (tasks, guint32, j)] = i;
  }
  for (guint32 task = 0; task < task_count;) {
    Block next = { node_of[task], 1, 0 };
    for (; task < task_count && node_of[task] == next.node; task++)
      next.task_count++;
    block_take (text, &last, &next);
  }
  block_append (text, &last);
  g_string_append_c (text, ')');
  return g_string_free (text, FALSE);
}
