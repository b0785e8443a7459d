/* live/agent/hardware.h — what a node has: sockets, cores, threads, memory, GPUs.
 *
 * Processors and memory are those that this process may use, by hwloc.  GPUs are told by NVML and
 * by ROCm SMI, where these are installed; where neither is, by hwloc, which sees that there are
 * accelerators on the PCI bus, but not of which type.
 *
 * Not here: whether that is what the configuration says (live/core/controller_hardware.c). */
#ifndef LK_LIVE_AGENT_HARDWARE_H
#define LK_LIVE_AGENT_HARDWARE_H

#include <glib.h>

/* GPUs of one type. */
typedef struct {
  char *type; /* "" not known; else as Slurm makes it of the product's name: nvidia_h200 */
  guint count;
} LkHardwareGpus;

typedef struct {
  guint socket_count;
  guint core_count; /* of all sockets */
  guint cpu_count;  /* hardware threads, of all cores */
  guint64 memory_bytes;
  GPtrArray *gpus;         /* of LkHardwareGpus, in the order of the devices */
  GPtrArray *device_paths; /* of char *, one a GPU; "": not known */
} LkHardware;

gboolean lk_hardware_discover (LkHardware *out_hardware, GError **error);
void lk_hardware_clear (LkHardware *self);

/* gpu:TYPE:COUNT,...; "": none. Returns: (transfer full). */
char *lk_hardware_gres (const LkHardware *self);
/* The line of a slurm.conf that describes it, as `slurmd -C` prints it. (transfer full). */
char *lk_hardware_node_line (const LkHardware *self, const char *node);

#endif
