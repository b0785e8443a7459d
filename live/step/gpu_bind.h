/* live/step/gpu_bind.h — what --gpu-bind asks for: which of the step's GPUs each task sees.
 *
 * The commands read it, to refuse what it is not; the step reads it for its tasks.  Nothing here
 * touches the system.
 *
 * Source: srun(1), --gpu-bind. */
#ifndef LK_LIVE_STEP_GPU_BIND_H
#define LK_LIVE_STEP_GPU_BIND_H

#include <glib.h>

typedef enum {
  LK_GPU_BIND_UNSAID, /* as --gpus-per-task says; without, all */
  LK_GPU_BIND_NONE,
  LK_GPU_BIND_CLOSEST,
  LK_GPU_BIND_SINGLE,
  LK_GPU_BIND_PER_TASK,
  LK_GPU_BIND_MAP,
  LK_GPU_BIND_MASK,
} LkGpuBindKind;

typedef struct {
  LkGpuBindKind kind;
  gboolean is_verbose; /* each task tells what it sees */
  guint count;         /* of SINGLE: tasks on each; of PER_TASK: for each task */
  GPtrArray *list;     /* of MAP and MASK: of GArray of guint32; else NULL */
} LkGpuBind;

/* FALSE: it is not understood, and asks for nothing. */
gboolean lk_gpu_bind_read (const char *text, LkGpuBind *out);
void lk_gpu_bind_clear (LkGpuBind *self);

/* Where a task is. */
typedef struct {
  const GArray *gpus;    /* of guint32: the step's, here */
  guint per_task;        /* of --gpus-per-task, 0 without */
  guint index;           /* of the task, here */
  gboolean is_alone;     /* no other task is in the step: nothing is divided */
  gboolean is_confined;  /* lists count the step's GPUs from 0, and not those of the node */
  const GPtrArray *near; /* by GPU, of GArray of guint32: the CPUs near to it; empty: all */
  const GArray *cpus;    /* of guint32: which the task may run on; empty: not known */
} LkGpuBindRoom;

/* The devices (of guint32) that it sees.  `out_is_missed`: of those that a list asks for the step
 * has none, so it is the first one.  What asks for more than there is, by count, gets all of them,
 * and so does who is near to none. Returns: (transfer full). */
GArray *lk_gpu_bind_devices (const LkGpuBind *self, const LkGpuBindRoom *room,
                             gboolean *out_is_missed);

/* The line of --gpu-bind=verbose. Returns: (transfer full). */
char *lk_gpu_bind_line (const LkGpuBind *self, const LkGpuBindRoom *room, const GArray *devices);

#endif
