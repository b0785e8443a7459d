/* live/step/task_gpus.c — see the header. */
#include "live/step/task_gpus.h"

#include <stdio.h>
#include <unistd.h>

/* ---------------------------------------------------------------- CPUs */

/* Tasks of an emulated node are bound to nothing: as if its cores were theirs in turn. */
static GArray *
pretended_cpus (const LkTasks *self, const LkTask *task)
{
  g_autofree char *list =
      g_strndup (self->place.cores.length_bytes > 0 ? self->place.cores.bytes : "",
                 self->place.cores.length_bytes);
  g_autoptr (GArray) cores = lk_number_ranges (list);
  GArray *cpus = g_array_new (FALSE, FALSE, sizeof (guint32));
  if (cores->len == 0)
    return cpus;
  guint first = (guint)((guint64)task->index * cores->len / self->count);
  guint last = (guint)((guint64)(task->index + 1) * cores->len / self->count);
  g_array_append_vals (cpus, &g_array_index (cores, guint32, first), MAX (last - first, 1));
  return cpus;
}

static GArray *
cpus_of (const LkTasks *self, const LkTask *task)
{
  if (self->step->confines_nothing)
    return pretended_cpus (self, task);
  if (self->bind.cpus != NULL)
    return g_array_ref (g_ptr_array_index (self->bind.cpus, task->index));
  GArray *all = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < self->cores->len; i++) {
    const GArray *core = g_ptr_array_index (self->cores, i);
    g_array_append_vals (all, core->data, core->len);
  }
  return all;
}

/* ---------------------------------------------------------------- GPUs */

void
lk_task_gpus_read (LkTasks *self)
{
  LkText text = self->needs.gpu_bind;
  g_autofree char *how = g_strndup (text.length_bytes > 0 ? text.bytes : "", text.length_bytes);
  if (how[0] != '\0' && !lk_gpu_bind_read (how, &self->gpu_bind))
    lk_tasks_say (self, /* is_error= */ TRUE,
                  "--gpu-bind=%s is not known on this node: GPUs are not bound", how);
  if (self->step->near == NULL)
    return;
  g_auto (GStrv) each = g_strsplit (self->step->near, ";", -1);
  self->near = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
  for (guint i = 0; each[i] != NULL; i++)
    g_ptr_array_add (self->near, lk_number_ranges (each[i]));
}

/* `cpus`: borrowed by it. */
static LkGpuBindRoom
room_of (const LkTasks *self, const LkTask *task, const GArray *cpus)
{
  return (LkGpuBindRoom){ .gpus = self->gpus,
                          .per_task = self->needs.gpus_per_task,
                          .index = task->index,
                          .is_alone = self->launch->tasks == 1,
                          .is_confined = self->step->confines_devices,
                          .near = self->near,
                          .cpus = cpus };
}

GArray *
lk_task_gpus (const LkTasks *self, const LkTask *task)
{
  g_autoptr (GArray) cpus = cpus_of (self, task);
  LkGpuBindRoom room = room_of (self, task, cpus);
  gboolean is_missed;
  return lk_gpu_bind_devices (&self->gpu_bind, &room, &is_missed);
}

void
lk_task_gpus_tell (const LkTasks *self, const LkTask *task)
{
  g_autoptr (GArray) cpus = cpus_of (self, task);
  LkGpuBindRoom room = room_of (self, task, cpus);
  gboolean is_missed;
  g_autoptr (GArray) devices = lk_gpu_bind_devices (&self->gpu_bind, &room, &is_missed);
  if (is_missed)
    dprintf (2,
             "slurmstepd: error: --gpu-bind asks for no GPU that the step has, of task %u: it sees "
             "the first one of the step's\n",
             task->number);
  g_autofree char *line = lk_gpu_bind_line (&self->gpu_bind, &room, devices);
  if (self->gpu_bind.is_verbose && self->gpus->len > 0)
    dprintf (2, "%s", line);
}
