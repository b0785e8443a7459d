/* live/agent/gpu_library.h — asks the libraries of the makers of GPUs, if they are installed, which
 * there are.
 *
 * They are opened at run time, so that one program runs on nodes with any of them or none. */
#ifndef LK_LIVE_AGENT_GPU_LIBRARY_H
#define LK_LIVE_AGENT_GPU_LIBRARY_H

#include <glib.h>

/* Where the linker looks for libraries. */
#define LK_NVML_LIBRARY "libnvidia-ml.so.1"

typedef struct {
  char *product; /* its name */
  char *path;    /* of its device, /dev/nvidia0; "": not known */
} LkGpu;

/* All of them, in the order of the devices. NULL: there is no such library, or it does not work
 * here. Returns: (transfer full), of LkGpu. */
GPtrArray *lk_gpus_nvml (void);
GPtrArray *lk_gpus_rocm (void);

#endif
