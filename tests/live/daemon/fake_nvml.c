/* tests/live/daemon/fake_nvml.c — in place of NVML, tells of GPUs that are not there.
 *
 * Whoever is called lkgpu uses two of them, and process 1 more than he.  At the second look at such
 * a process there is a file seen.N in its folder: N is the parent of who looks. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define USER_NAME "lkgpu\n"
#define GIB (1ull << 30)
#define INSUFFICIENT_SIZE 7
#define NOT_FOUND 6
#define NOT_KNOWN (~0ull)
#define USERS_MAX 100u

int nvmlInit_v2 (void);
int nvmlShutdown (void);
int nvmlDeviceGetCount_v2 (unsigned int *out_count);
int nvmlDeviceGetHandleByIndex_v2 (unsigned int index, void **out_device);
int nvmlDeviceGetName (void *device, char *out_name, unsigned int length_bytes);
int nvmlDeviceGetMinorNumber (void *device, unsigned int *out_minor);

typedef struct {
  unsigned int pid;
  unsigned long long memory_bytes;
  unsigned int instances[2];
} ProcessInfo;
typedef struct {
  unsigned int pid;
  unsigned long long time_us;
  unsigned int sm_percent;
  unsigned int others_percent[3];
} ProcessSample;
int nvmlDeviceGetComputeRunningProcesses_v3 (void *device, unsigned int *count,
                                             ProcessInfo *out_processes);
int nvmlDeviceGetGraphicsRunningProcesses_v2 (void *device, unsigned int *count,
                                              ProcessInfo *out_processes);
int nvmlDeviceGetProcessUtilization (void *device, ProcessSample *out_samples, unsigned int *count,
                                     unsigned long long since_us);

static char names[4][24] = { "NVIDIA H200", "NVIDIA H200", "", "NVIDIA A100:80G, PCIe" };

int
nvmlInit_v2 (void)
{
  return 0;
}

int
nvmlShutdown (void)
{
  return 0;
}

int
nvmlDeviceGetCount_v2 (unsigned int *out_count)
{
  *out_count = 4;
  return 0;
}

/* The third has fallen off the bus. */
int
nvmlDeviceGetHandleByIndex_v2 (unsigned int index, void **out_device)
{
  *out_device = names[index];
  return index == 2 ? 15 : 0;
}

int
nvmlDeviceGetName (void *device, char *out_name, unsigned int length_bytes)
{
  strncpy (out_name, device, length_bytes);
  return 0;
}

/* Minor numbers need not be in the order of the bus. */
int
nvmlDeviceGetMinorNumber (void *device, unsigned int *out_minor)
{
  *out_minor = 3 - (unsigned int)(((char (*)[24])device) - names);
  return 0;
}

/* ---------------------------------------------------------------- who uses them */

static int
is_user (unsigned int pid)
{
  char path[64];
  char name[64] = "";
  snprintf (path, sizeof path, "/proc/%u/comm", pid);
  FILE *file = fopen (path, "re");
  if (file == NULL)
    return 0;
  const char *read = fgets (name, sizeof name, file);
  fclose (file);
  return read != NULL && strcmp (name, USER_NAME) == 0;
}

static void
tell_seen (unsigned int pid)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%u/cwd/seen.%d", pid, (int)getppid ());
  int file = open (path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
  if (file < 0)
    return;
  ssize_t written = write (file, "seen\n", 5);
  (void)written;
  close (file);
}

static unsigned int
find_users (unsigned int *out_pids)
{
  unsigned int count = 0;
  const struct dirent *entry;
  DIR *all = opendir ("/proc");
  while (all != NULL && (entry = readdir (all)) != NULL && count < USERS_MAX) {
    unsigned int pid = (unsigned int)strtoul (entry->d_name, NULL, 10);
    if (pid > 1 && is_user (pid))
      out_pids[count++] = pid;
  }
  if (all != NULL)
    closedir (all);
  return count;
}

static int
tell_processes (unsigned int *count, ProcessInfo *out_processes, unsigned long long memory_bytes)
{
  unsigned int pids[USERS_MAX];
  unsigned int user_count = find_users (pids);
  if (*count <= user_count)
    return INSUFFICIENT_SIZE;
  *count = user_count + 1;
  for (unsigned int i = 0; i < user_count; i++)
    out_processes[i] = (ProcessInfo){ .pid = pids[i], .memory_bytes = memory_bytes };
  out_processes[user_count] = (ProcessInfo){ .pid = 1, .memory_bytes = 7 * GIB };
  return 0;
}

/* Those that an earlier look has found hear of it. */
static void
tell_found (const ProcessInfo *processes, unsigned int count)
{
  static unsigned int before[USERS_MAX];
  static unsigned int before_count;
  for (unsigned int i = 0; i < count; i++)
    for (unsigned int k = 0; k < before_count; k++)
      if (before[k] == processes[i].pid)
        tell_seen (before[k]);
  before_count = count;
  for (unsigned int i = 0; i < count; i++)
    before[i] = processes[i].pid;
}

/* Of the second one nobody knows how much memory they have. */
int
nvmlDeviceGetComputeRunningProcesses_v3 (void *device, unsigned int *count,
                                         ProcessInfo *out_processes)
{
  int code = tell_processes (count, out_processes, device == names[0] ? GIB : NOT_KNOWN);
  if (code == 0 && device == names[0])
    tell_found (out_processes, *count - 1);
  return code;
}

int
nvmlDeviceGetGraphicsRunningProcesses_v2 (void *device, unsigned int *count,
                                          ProcessInfo *out_processes)
{
  return tell_processes (count, out_processes, device == names[0] ? GIB / 4 : NOT_KNOWN);
}

/* When a process was first seen on a device, by a clock of its own. */
static unsigned long long
first_seen_us (unsigned int pid, const void *device)
{
  static struct {
    unsigned int pid;
    const void *device;
  } seen[4 * USERS_MAX];
  static unsigned int seen_count;
  unsigned int i = 0;
  while (i < seen_count && (seen[i].pid != pid || seen[i].device != device))
    i++;
  if (i == 4 * USERS_MAX)
    return 0;
  if (i == seen_count) {
    seen[seen_count].pid = pid;
    seen[seen_count++].device = device;
  }
  return i + 1;
}

/* Two samples of each, 30 % and 50 %, of that moment; and one of process 1. */
int
nvmlDeviceGetProcessUtilization (void *device, ProcessSample *out_samples, unsigned int *count,
                                 unsigned long long since_us)
{
  unsigned int pids[USERS_MAX];
  unsigned int user_count = find_users (pids);
  unsigned int sample_count = 0;
  if (device == names[3])
    return NOT_FOUND;
  if (*count < 2 * user_count + 1)
    return INSUFFICIENT_SIZE;
  for (unsigned int i = 0; i < user_count; i++) {
    unsigned long long time_us = first_seen_us (pids[i], device);
    for (unsigned int k = 0; time_us > since_us && k < 2; k++)
      out_samples[sample_count++] =
          (ProcessSample){ .pid = pids[i], .time_us = time_us, .sm_percent = 30 + 20 * k };
  }
  if (since_us == 0)
    out_samples[sample_count++] = (ProcessSample){ .pid = 1, .sm_percent = 90 };
  *count = sample_count;
  return sample_count > 0 ? 0 : NOT_FOUND;
}
