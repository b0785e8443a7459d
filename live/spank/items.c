/* live/spank/items.c — spank_get_item: what a plugin is told of job, step and task. */
#include <stdint.h>

#include "live/spank/stack_private.h"

/* What srun says it is to who asks for a version. */
#define VERSION_MAJOR "26"
#define VERSION_MINOR "05"
#define VERSION_MICRO "3"

#define PUT(type, value)                                                                           \
  do {                                                                                             \
    type *put_ = out->places[out->taken++];                                                        \
    if (put_ == NULL)                                                                              \
      return ESPANK_BAD_ARG;                                                                       \
    *put_ = (type)(value);                                                                         \
  } while (0)

static spank_err_t
about_user (const LkSpankScene *scene, spank_item_t item, LkSpankItemPlaces *out)
{
  if (!scene->has_user)
    return ESPANK_NOT_AVAIL;
  if (item == S_JOB_UID)
    PUT (uid_t, scene->user_id);
  else
    PUT (gid_t, scene->group_id);
  return ESPANK_SUCCESS;
}

static spank_err_t
about_command (const LkSpankScene *scene, spank_item_t item, LkSpankItemPlaces *out)
{
  switch (item) {
  case S_JOB_ID:
    if (!scene->has_job)
      return ESPANK_NOT_AVAIL;
    PUT (uint32_t, scene->job_id);
    return ESPANK_SUCCESS;
  case S_JOB_STEPID:
    if (!scene->has_step)
      return ESPANK_NOT_AVAIL;
    PUT (uint32_t, scene->step_id);
    return ESPANK_SUCCESS;
  default:
    if (scene->arguments == NULL)
      return ESPANK_NOT_AVAIL;
    PUT (int, g_strv_length (scene->arguments));
    PUT (char **, scene->arguments);
    return ESPANK_SUCCESS;
  }
}

static spank_err_t
about_version (spank_item_t item, LkSpankItemPlaces *out)
{
  static char whole[] = VERSION_MAJOR "." VERSION_MINOR "." VERSION_MICRO;
  static char major[] = VERSION_MAJOR;
  static char minor[] = VERSION_MINOR;
  static char micro[] = VERSION_MICRO;
  PUT (char *, item == S_SLURM_VERSION         ? whole
               : item == S_SLURM_VERSION_MAJOR ? major
               : item == S_SLURM_VERSION_MINOR ? minor
                                               : micro);
  return ESPANK_SUCCESS;
}

static spank_err_t
about_step (const LkSpankScene *scene, spank_item_t item, LkSpankItemPlaces *out)
{
  static const char none[] = "";
  switch (item) {
  case S_JOB_NNODES:
    PUT (uint32_t, scene->node_count);
    break;
  case S_JOB_NODEID:
    PUT (uint32_t, scene->node_index);
    break;
  case S_JOB_LOCAL_TASK_COUNT:
    PUT (uint32_t, scene->tasks_here);
    break;
  case S_JOB_TOTAL_TASK_COUNT:
    PUT (uint32_t, scene->task_count);
    break;
  case S_JOB_NCPUS:
    PUT (uint16_t, scene->cpus);
    break;
  case S_JOB_ENV:
    PUT (char **, scene->environment->pdata);
    break;
  case S_STEP_CPUS_PER_TASK:
    PUT (uint32_t, scene->cpus_per_task);
    break;
  case S_JOB_ALLOC_CORES:
    PUT (char *, scene->job_cores != NULL ? scene->job_cores : none);
    break;
  case S_STEP_ALLOC_CORES:
    PUT (char *, scene->step_cores != NULL ? scene->step_cores : none);
    break;
  case S_JOB_ALLOC_MEM:
    PUT (uint64_t, scene->job_memory_mib);
    break;
  case S_STEP_ALLOC_MEM:
    PUT (uint64_t, scene->step_memory_mib);
    break;
  case S_SLURM_RESTART_COUNT:
    PUT (uint32_t, scene->restarts);
    break;
  case S_JOB_ARRAY_ID:
    PUT (uint32_t, scene->array_job_id);
    break;
  case S_JOB_ARRAY_TASK_ID:
    PUT (uint32_t, scene->array_task);
    break;
  case S_JOB_SUPPLEMENTARY_GIDS:
    PUT (gid_t *, scene->groups);
    PUT (int, scene->group_count);
    break;
  default:
    return ESPANK_BAD_ARG;
  }
  return ESPANK_SUCCESS;
}

static spank_err_t
about_task (const LkSpankScene *scene, spank_item_t item, LkSpankItemPlaces *out)
{
  if (scene->task < 0 || (guint)scene->task >= scene->tasks_here)
    return ESPANK_NOT_TASK;
  const LkSpankTask *task = &scene->tasks[scene->task];
  switch (item) {
  case S_TASK_ID:
    PUT (int, scene->task);
    return ESPANK_SUCCESS;
  case S_TASK_GLOBAL_ID:
    PUT (uint32_t, task->number);
    return ESPANK_SUCCESS;
  case S_TASK_PID:
    PUT (pid_t, task->pid);
    return ESPANK_SUCCESS;
  default:
    if (!scene->has_status)
      return ESPANK_NOT_AVAIL;
    PUT (int, scene->status);
    return ESPANK_SUCCESS;
  }
}

gboolean
lk_spank_item_is_of_pid (spank_item_t item)
{
  return item == S_JOB_PID_TO_GLOBAL_ID || item == S_JOB_PID_TO_LOCAL_ID;
}

gboolean
lk_spank_item_is_of_number (spank_item_t item)
{
  return item == S_JOB_LOCAL_TO_GLOBAL_ID || item == S_JOB_GLOBAL_TO_LOCAL_ID;
}

gboolean
lk_spank_item_has_two (spank_item_t item)
{
  return item == S_JOB_ARGV || item == S_JOB_SUPPLEMENTARY_GIDS;
}

/* From one way of naming a task to another. */
static spank_err_t
about_names (const LkSpankScene *scene, spank_item_t item, LkSpankItemPlaces *out)
{
  gboolean is_pid = lk_spank_item_is_of_pid (item);
  gboolean runs_any = FALSE;
  for (guint i = 0; i < scene->tasks_here; i++) {
    const LkSpankTask *task = &scene->tasks[i];
    runs_any = runs_any || task->pid > 0;
    gboolean is_it = is_pid                             ? task->pid > 0 && task->pid == out->pid
                     : item == S_JOB_LOCAL_TO_GLOBAL_ID ? i == out->number
                                                        : task->number == out->number;
    if (!is_it)
      continue;
    PUT (uint32_t,
         item == S_JOB_PID_TO_GLOBAL_ID || item == S_JOB_LOCAL_TO_GLOBAL_ID ? task->number : i);
    return ESPANK_SUCCESS;
  }
  return is_pid && !runs_any ? ESPANK_NOT_EXECD : ESPANK_NOEXIST;
}

spank_err_t
lk_spank_item (const LkSpank *self, spank_item_t item, LkSpankItemPlaces *out)
{
  const LkSpankScene *scene = &self->scene;
  switch (item) {
  case S_JOB_UID:
  case S_JOB_GID:
    return about_user (scene, item, out);
  case S_JOB_ID:
  case S_JOB_STEPID:
  case S_JOB_ARGV:
    return about_command (scene, item, out);
  case S_SLURM_VERSION:
  case S_SLURM_VERSION_MAJOR:
  case S_SLURM_VERSION_MINOR:
  case S_SLURM_VERSION_MICRO:
    return about_version (item, out);
  default:
    break;
  }
  if (scene->environment == NULL)
    return ESPANK_NOT_REMOTE;
  switch (item) {
  case S_TASK_ID:
  case S_TASK_GLOBAL_ID:
  case S_TASK_EXIT_STATUS:
  case S_TASK_PID:
    return about_task (scene, item, out);
  case S_JOB_PID_TO_GLOBAL_ID:
  case S_JOB_PID_TO_LOCAL_ID:
  case S_JOB_LOCAL_TO_GLOBAL_ID:
  case S_JOB_GLOBAL_TO_LOCAL_ID:
    return about_names (scene, item, out);
  default:
    return about_step (scene, item, out);
  }
}
