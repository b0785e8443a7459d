/* live/agent/gpu_library.h — asks the libraries of the makers of GPUs, if they are installed, which
 * there are.
 *
 * They are opened at run time, so that one program runs on nodes with any of them or none. */
#ifndef LK_LIVE_AGENT_GPU_LIBRARY_H
#define LK_LIVE_AGENT_GPU_LIBRARY_H

#include <glib.h>

/* The names of the products, one a GPU, in the order of the devices. */
typedef GPtrArray LkGpuNames;

/* NULL: there is no such library, or it does not work here. Returns: (transfer full), of char *. */
LkGpuNames *lk_gpu_names_nvml (void);
LkGpuNames *lk_gpu_names_rocm (void);

#endif
