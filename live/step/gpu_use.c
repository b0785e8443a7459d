/* live/step/gpu_use.c — see the header. */
#include "live/step/gpu_use.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/port/cgroup.h"
#include "live/port/process_tree.h"

/* More than any machine has: a library that says so is not believed. */
#define GPU_COUNT_MAX 1024u
/* Processes on one device. */
#define PROCESSES_MAX 1024u
/* As memory is looked at: ever more seldom. */
#define LOOK_FIRST_US (G_USEC_PER_SEC / 10)
#define LOOK_MAX_US (30 * G_USEC_PER_SEC)
/* Its number in the process that looks. */
#define STREAM 3

/* ---------------------------------------------------------------- NVML */

/* nvmlProcessInfo_t, since version 2 of the functions. */
typedef struct {
  unsigned int pid;
  unsigned long long memory_bytes; /* all bits: not known */
  unsigned int instances[2];
} ProcessInfo;

/* nvmlProcessUtilizationSample_t. */
typedef struct {
  unsigned int pid;
  unsigned long long time_us;
  unsigned int sm_percent;
  unsigned int others_percent[3];
} ProcessSample;

/* A function of the library: C has no other way from what dlsym gives to a function. */
typedef union {
  void *pointer;
  int (*nothing) (void);
  int (*count) (unsigned int *out_count);
  int (*handle) (unsigned int index, void **out_device);
  int (*processes) (void *device, unsigned int *count, ProcessInfo *out_processes);
  int (*samples) (void *device, ProcessSample *out_samples, unsigned int *count,
                  unsigned long long since_us);
} Function;

struct _LkGpuLibrary {
  void *library;
  Function count;
  Function handle;
  Function compute; /* pointer NULL: there is none; so may be the next two */
  Function graphics;
  Function samples;
  unsigned long long seen_us; /* of the newest sample */
};

static gboolean
find (const LkGpuLibrary *self, const char *name, Function *out_function)
{
  out_function->pointer = dlsym (self->library, name);
  return out_function->pointer != NULL;
}

LkGpuLibrary *
lk_gpu_library_open (const char *path)
{
  LkGpuLibrary *self = g_new0 (LkGpuLibrary, 1);
  Function begin;
  self->library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  if (self->library == NULL || !find (self, "nvmlInit_v2", &begin)
      || !find (self, "nvmlDeviceGetCount_v2", &self->count)
      || !find (self, "nvmlDeviceGetHandleByIndex_v2", &self->handle) || begin.nothing () != 0) {
    if (self->library != NULL)
      dlclose (self->library);
    g_free (self);
    return NULL;
  }
  /* Both versions have the same bytes. */
  if (!find (self, "nvmlDeviceGetComputeRunningProcesses_v3", &self->compute))
    find (self, "nvmlDeviceGetComputeRunningProcesses_v2", &self->compute);
  if (!find (self, "nvmlDeviceGetGraphicsRunningProcesses_v3", &self->graphics))
    find (self, "nvmlDeviceGetGraphicsRunningProcesses_v2", &self->graphics);
  find (self, "nvmlDeviceGetProcessUtilization", &self->samples);
  return self;
}

void
lk_gpu_library_close (LkGpuLibrary *self)
{
  Function end;
  if (self == NULL)
    return;
  if (find (self, "nvmlShutdown", &end))
    end.nothing ();
  dlclose (self->library);
  g_free (self);
}

static gboolean
has_pid (const GArray *pids, unsigned int pid)
{
  for (guint i = 0; i < pids->len; i++)
    if ((unsigned int)g_array_index (pids, pid_t, i) == pid)
      return TRUE;
  return FALSE;
}

static guint64
memory_of (const Function *list, void *device, const GArray *pids)
{
  ProcessInfo processes[PROCESSES_MAX];
  unsigned int count = PROCESSES_MAX;
  guint64 bytes = 0;
  if (list->pointer == NULL || list->processes (device, &count, processes) != 0)
    return 0;
  for (unsigned int i = 0; i < MIN (count, PROCESSES_MAX); i++)
    if (processes[i].memory_bytes != ~0ull && has_pid (pids, processes[i].pid))
      bytes += processes[i].memory_bytes;
  return bytes;
}

/* On average over the samples of each process, of which there are several since the last look. */
static guint32
percent_of (const LkGpuLibrary *self, void *device, const GArray *pids,
            unsigned long long *newest_us)
{
  ProcessSample samples[PROCESSES_MAX];
  unsigned int count = PROCESSES_MAX;
  guint32 percent = 0;
  if (self->samples.pointer == NULL
      || self->samples.samples (device, samples, &count, self->seen_us) != 0)
    return 0;
  count = MIN (count, PROCESSES_MAX);
  for (guint p = 0; p < pids->len; p++) {
    guint64 sum = 0;
    guint64 seen = 0;
    for (unsigned int i = 0; i < count; i++) {
      *newest_us = MAX (*newest_us, samples[i].time_us);
      if (samples[i].pid != (unsigned int)g_array_index (pids, pid_t, p))
        continue;
      sum += MIN (samples[i].sm_percent, 100u);
      seen++;
    }
    percent += seen > 0 ? (guint32)(sum / seen) : 0;
  }
  return percent;
}

LkGpuUse
lk_gpu_library_look (LkGpuLibrary *self, const GArray *pids)
{
  LkGpuUse use = { 0 };
  unsigned long long newest_us = self->seen_us;
  unsigned int count = 0;
  if (self->count.count (&count) != 0)
    return use;
  for (unsigned int i = 0; i < MIN (count, GPU_COUNT_MAX); i++) {
    void *device = NULL;
    /* One that has fallen off the bus is none. */
    if (self->handle.handle (i, &device) != 0)
      continue;
    use.memory_bytes += memory_of (&self->compute, device, pids);
    use.memory_bytes += memory_of (&self->graphics, device, pids);
    use.percent += percent_of (self, device, pids, &newest_us);
  }
  self->seen_us = newest_us;
  return use;
}

/* ---------------------------------------------------------------- the process that looks */

static GArray *
pids_of (const LkStep *step, pid_t keeper)
{
  if (step->cgroup != NULL && lk_cgroup_has (step->cgroup, "freezer"))
    return lk_cgroup_pids (step->cgroup);
  return lk_process_tree (keeper);
}

/* Tells the most so far whenever it rises; who reads takes the last. */
static void
look_on (const LkStep *step, pid_t keeper)
{
  gint64 pause_us = LOOK_FIRST_US;
  LkGpuUse most = { 0 };
  LkGpuLibrary *library = lk_gpu_library_open (step->gpu_library);
  while (library != NULL) {
    g_autoptr (GArray) pids = pids_of (step, keeper);
    LkGpuUse use = lk_gpu_library_look (library, pids);
    if (use.memory_bytes > most.memory_bytes || use.percent > most.percent) {
      most.memory_bytes = MAX (most.memory_bytes, use.memory_bytes);
      most.percent = MAX (most.percent, use.percent);
      if (write (STREAM, &most, sizeof most) != (gssize)sizeof most && errno != EAGAIN)
        return;
    }
    g_usleep ((gulong)pause_us);
    pause_us = MIN (2 * pause_us, LOOK_MAX_US);
  }
}

LkGpuWatch
lk_gpu_watch_begin (const LkStep *step, pid_t keeper)
{
  LkGpuWatch watch = { .stream = -1 };
  gboolean has_gpus = step->share.gpus->len > 0 || step->share.shares > 0;
  int pipes[2];
  if (step->gpu_library == NULL || !has_gpus || pipe2 (pipes, O_CLOEXEC | O_NONBLOCK) != 0)
    return watch;
  pid_t supervisor = getpid ();
  watch.pid = fork ();
  if (watch.pid == 0) {
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    /* Were it to hang, it should hold neither the lock of the run nor the stream of its agent. */
    if (dup2 (pipes[1], STREAM) == STREAM && syscall (SYS_close_range, STREAM + 1, ~0U, 0) == 0
        && getppid () == supervisor)
      look_on (step, keeper);
    _exit (0);
  }
  close (pipes[1]);
  watch.stream = pipes[0];
  watch.pid = MAX (watch.pid, 0);
  return watch;
}

void
lk_gpu_watch_end (LkGpuWatch *self, LkExit *how)
{
  LkGpuUse most;
  if (self->pid > 0)
    kill (self->pid, SIGKILL);
  while (self->stream >= 0 && read (self->stream, &most, sizeof most) == (gssize)sizeof most) {
    how->max_gpu_memory_bytes = most.memory_bytes;
    how->max_gpu_percent = most.percent;
  }
  if (self->stream >= 0)
    close (self->stream);
  /* One that the driver does not let go of is waited for by nobody. */
  if (self->pid > 0)
    waitpid (self->pid, NULL, WNOHANG);
  *self = (LkGpuWatch){ .stream = -1 };
}
