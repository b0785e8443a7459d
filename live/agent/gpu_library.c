/* live/agent/gpu_library.c — see the header.
 *
 * Sources: nvml.h (NVML API reference), rocm_smi.h (ROCm SMI).  Of both 0 is success, and the names
 * used here have been the same for many versions. */
#include "live/agent/gpu_library.h"

#include <dlfcn.h>
#include <stdint.h>

#define NAME_BYTES 256u
/* More than any machine has: a library that says so is not believed. */
#define GPU_COUNT_MAX 1024u

/* A function of a library: C has no other way from what dlsym gives to a function. */
typedef union {
  void *pointer;
  int (*nothing) (void);
  int (*with_flags) (uint64_t flags);
  int (*count) (unsigned int *out_count);
  int (*handle) (unsigned int index, void **out_device);
  int (*name_of_handle) (void *device, char *out_name, unsigned int length_bytes);
  int (*minor_of_handle) (void *device, unsigned int *out_minor);
  int (*name) (uint32_t index, char *out_name, size_t length_bytes);
} Function;

static gboolean
find (void *library, const char *name, Function *out_function)
{
  out_function->pointer = dlsym (library, name);
  return out_function->pointer != NULL;
}

static void
gpu_free (gpointer data)
{
  LkGpu *gpu = data;
  g_free (gpu->product);
  g_free (gpu->path);
  g_free (gpu);
}

/* `path`: (transfer full). */
static void
add_gpu (GPtrArray *gpus, const char *product, char *path)
{
  LkGpu *gpu = g_new (LkGpu, 1);
  *gpu = (LkGpu){ g_strdup (product), path };
  g_ptr_array_add (gpus, gpu);
}

static GPtrArray *
nvml_gpus (void *library)
{
  Function count_of;
  Function handle_of;
  Function name_of;
  Function minor_of;
  unsigned int count = 0;
  if (!find (library, "nvmlDeviceGetCount_v2", &count_of)
      || !find (library, "nvmlDeviceGetHandleByIndex_v2", &handle_of)
      || !find (library, "nvmlDeviceGetName", &name_of)
      || !find (library, "nvmlDeviceGetMinorNumber", &minor_of) || count_of.count (&count) != 0)
    return NULL;
  GPtrArray *gpus = g_ptr_array_new_with_free_func (gpu_free);
  for (unsigned int i = 0; i < MIN (count, GPU_COUNT_MAX); i++) {
    char name[NAME_BYTES] = "";
    void *device = NULL;
    unsigned int minor = 0;
    /* One that has fallen off the bus is none. */
    if (handle_of.handle (i, &device) != 0
        || name_of.name_of_handle (device, name, sizeof name - 1) != 0
        || minor_of.minor_of_handle (device, &minor) != 0)
      continue;
    add_gpu (gpus, name, g_strdup_printf ("/dev/nvidia%u", minor));
  }
  return gpus;
}

static GPtrArray *
rocm_gpus (void *library)
{
  Function count_of;
  Function name_of;
  uint32_t count = 0;
  if (!find (library, "rsmi_num_monitor_devices", &count_of)
      || !find (library, "rsmi_dev_name_get", &name_of) || count_of.count (&count) != 0)
    return NULL;
  GPtrArray *gpus = g_ptr_array_new_with_free_func (gpu_free);
  for (uint32_t i = 0; i < MIN (count, GPU_COUNT_MAX); i++) {
    char name[NAME_BYTES] = "";
    if (name_of.name (i, name, sizeof name - 1) == 0)
      add_gpu (gpus, name, g_strdup (""));
  }
  return gpus;
}

GPtrArray *
lk_gpus_nvml (void)
{
  void *library = dlopen (LK_NVML_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  Function begin;
  Function end;
  GPtrArray *gpus = NULL;
  if (library == NULL)
    return NULL;
  if (find (library, "nvmlInit_v2", &begin) && find (library, "nvmlShutdown", &end)
      && begin.nothing () == 0) {
    gpus = nvml_gpus (library);
    end.nothing ();
  }
  dlclose (library);
  return gpus;
}

GPtrArray *
lk_gpus_rocm (void)
{
  /* Without the driver rsmi_init prints to standard error. */
  if (!g_file_test ("/sys/module/amdgpu", G_FILE_TEST_IS_DIR))
    return NULL;
  void *library = dlopen ("librocm_smi64.so", RTLD_NOW | RTLD_LOCAL);
  Function begin;
  Function end;
  GPtrArray *gpus = NULL;
  if (library == NULL)
    return NULL;
  if (find (library, "rsmi_init", &begin) && find (library, "rsmi_shut_down", &end)
      && begin.with_flags (0) == 0) {
    gpus = rocm_gpus (library);
    end.nothing ();
  }
  dlclose (library);
  return gpus;
}
