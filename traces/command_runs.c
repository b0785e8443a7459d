/* traces/command_runs.c — see command_private.h: has a job the parts of which a line says how they
 * behave?
 *
 * An array that cannot be read is slurmctld's to refuse, and has any task. */
#include "engine/task_set.h"
#include "traces/command_private.h"

/* NULL: the job has it. Returns: (transfer full). */
static char *
part_wrong (const LkCommand *command, guint32 part)
{
  const LkJobOptions *first = &g_array_index (command->components, LkJobOptions, 0);
  LkText array = first->terms.array;
  LkTaskSet tasks;
  guint32 throttle;
  if (command->components->len > 1)
    return part < command->components->len
               ? NULL
               : g_strdup_printf (
                   "[%u] behind # is no component of the job; expected one from 0 to %u", part,
                   command->components->len - 1);
  if (array.length_bytes == 0)
    return g_strdup_printf ("[%u] behind # is of a job that is no array and has no components; "
                            "expected it without [%u]",
                            part, part);
  if (!lk_task_set_parse_array (array, LK_LIMIT_TASKS, &tasks, &throttle))
    return NULL;
  gboolean has_task = lk_task_set_has (&tasks, part);
  lk_task_set_clear (&tasks);
  return has_task
             ? NULL
             : g_strdup_printf ("[%u] behind # is no task of the job; expected one of --array=%.*s",
                                part, (int)array.length_bytes, array.bytes);
}

void
lk_command_check_runs (LkCommand *command, GStringChunk *texts)
{
  if (command->kind != LK_COMMAND_SUBMIT) {
    if (command->runs->len > 1 || lk_command_run (command, G_MAXUINT32)->is_told)
      command->fault = "what stands behind # is said of a job; expected it behind sbatch only";
    return;
  }
  for (guint i = 1; i < command->runs->len && command->refused == NULL; i++) {
    g_autofree char *wrong =
        part_wrong (command, g_array_index (command->runs, LkCommandRun, i).task);
    if (wrong == NULL)
      continue;
    command->fault = g_string_chunk_insert (texts, wrong);
    return;
  }
}
