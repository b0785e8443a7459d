/* live/step/gpu_use.h — what the processes of a run make of GPUs, as NVML says.
 *
 * NVML may take long to begin, and hang where a device is sick; so it is asked in a process of its
 * own, beside the keeper, of which only a pipe is read.
 *
 * Sources: nvml.h (NVML API reference); Slurm's gpu_nvml.c, which takes the same two numbers for
 * gres/gpumem and gres/gpuutil. */
#ifndef LK_LIVE_STEP_GPU_USE_H
#define LK_LIVE_STEP_GPU_USE_H

#include "live/step/step.h"

/* Of all devices together. */
typedef struct {
  guint64 memory_bytes;
  guint32 percent; /* of the time in which anything ran on them; above 100 with several */
} LkGpuUse;

typedef struct _LkGpuLibrary LkGpuLibrary;

/* NULL: there is none, or it does not work here. Returns: (transfer full). */
LkGpuLibrary *lk_gpu_library_open (const char *path);
void lk_gpu_library_close (LkGpuLibrary *self);
/* Of these processes (pid_t), now; of the time since the last look. */
LkGpuUse lk_gpu_library_look (LkGpuLibrary *self, const GArray *pids);

/* The process that looks. */
typedef struct {
  pid_t pid; /* 0: there is none */
  int stream;
} LkGpuWatch;

/* Of the run, whose keeper is this process; nothing where it has no GPU, or there is no library. */
LkGpuWatch lk_gpu_watch_begin (const LkStep *step, pid_t keeper);
/* The most that was seen goes into `how`. */
void lk_gpu_watch_end (LkGpuWatch *self, LkExit *how);

#endif
