/* live/client/accounting/sacct_step_use.c — TRESUsage* of steps: what all tasks, the one with most
 * or least, or one in the mean have used, and which and where that was.
 *
 * Most CPU time of a task is measured only where there is one task.  Names are in the order of
 * Slurm's.  Source: sacct(1), sstat(1). */
#include <string.h>

#include "engine/hostlist.h"
#include "live/client/accounting/sacct.h"
#include "live/client/words.h"

#define KIB_BYTES 1024

static void
item (GString *out, gsize begin, const char *name)
{
  g_string_append_printf (out, "%s%s=", out->len > begin ? "," : "", name);
}

static void
number_item (GString *out, gsize begin, const char *name, gint64 value)
{
  item (out, begin, name);
  lk_word_number (value, out);
}

static void
memory_item (GString *out, gsize begin, const char *name, gint64 bytes)
{
  item (out, begin, name);
  g_string_append_printf (out, "%" G_GINT64_FORMAT "K", bytes / KIB_BYTES);
}

void
lk_sacct_step_use (const LkAccountingStep *step, LkSacctUse which, GString *out)
{
  gint64 tasks = step->counted_tasks;
  gint64 cpu_us = step->user_cpu_us + step->system_cpu_us;
  gint64 parts = which == LK_SACCT_USE_MEAN ? tasks : 1;
  gboolean is_max = which == LK_SACCT_USE_MAX;
  gsize begin = out->len;
  if (tasks == 0)
    return;
  if (!is_max || tasks == 1) {
    item (out, begin, "cpu");
    lk_word_long_duration (cpu_us / parts, out);
  }
  number_item (out, begin, "fs/disk", is_max ? step->read_max_bytes : step->read_sum_bytes / parts);
  if (step->gpu_memory_max_bytes > 0 || step->gpu_percent_max > 0) {
    memory_item (out, begin, "gres/gpumem", step->gpu_memory_max_bytes);
    number_item (out, begin, "gres/gpuutil", step->gpu_percent_max);
  }
  memory_item (out, begin, "mem", is_max ? step->rss_max_bytes : step->rss_sum_bytes / parts);
  number_item (out, begin, "pages", is_max ? step->page_max_count : step->page_sum_count / parts);
  memory_item (out, begin, "vmem", is_max ? step->vm_max_bytes : step->vm_sum_bytes / parts);
}

void
lk_sacct_step_written (const LkAccountingStep *step, LkSacctUse which, GString *out)
{
  gint64 parts = which == LK_SACCT_USE_MEAN ? step->counted_tasks : 1;
  if (step->counted_tasks > 0)
    number_item (out, out->len, "fs/disk",
                 which == LK_SACCT_USE_MAX ? step->write_max_bytes : step->write_sum_bytes / parts);
}

void
lk_sacct_step_tasks (const LkAccountingStep *step, GString *out)
{
  gsize begin = out->len;
  if (step->counted_tasks == 0)
    return;
  number_item (out, begin, "fs/disk", step->read_max_task);
  number_item (out, begin, "mem", step->rss_max_task);
  number_item (out, begin, "pages", step->page_max_task);
  number_item (out, begin, "vmem", step->vm_max_task);
}

void
lk_sacct_step_nodes (const LkAccountingStep *step, GString *out)
{
  const struct {
    const char *name;
    gint64 place;
  } most[] = { { "fs/disk", step->read_max_node },
               { "mem", step->rss_max_node },
               { "pages", step->page_max_node },
               { "vmem", step->vm_max_node } };
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  gsize begin = out->len;
  if (step->counted_tasks == 0)
    return;
  lk_hostlist_expand (step->node_list, strlen (step->node_list), names, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (most); i++)
    if (most[i].place >= 0 && most[i].place < names->len) {
      item (out, begin, most[i].name);
      g_string_append (out, g_ptr_array_index (names, (guint)most[i].place));
    }
}
