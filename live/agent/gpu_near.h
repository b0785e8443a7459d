/* live/agent/gpu_near.h — which CPUs are near to each GPU of a node, for --gpu-bind=closest.
 *
 * What gres.conf says by Cores= counts; of what it says nothing of, the kernel tells which CPUs are
 * near to a device on the PCI bus.  Sources: gres.conf(5); Documentation/ABI/testing/
 * sysfs-bus-pci of Linux (local_cpulist); /proc/driver/nvidia, where NVIDIA's driver tells the bus
 * of a minor number, as it has no devices in sysfs. */
#ifndef LK_LIVE_AGENT_GPU_NEAR_H
#define LK_LIVE_AGENT_GPU_NEAR_H

#include "engine/cluster.h"
#include "live/port/core_map.h"

/* Of each GPU a list, "0-3;4,5;": nothing is all.  By the machine's CPUs, or where `map` is NULL by
 * the numbers of cores of an emulated node.  NULL: the configuration says it of none. Returns:
 * (transfer full). */
char *lk_gpu_near_spec (const LkNodeSpec *spec, const LkCoreMap *map);

/* Of one by its file (/dev/nvidia0), below `root` ("": the machine).  "": it is not known. Returns:
 * (transfer full). */
char *lk_gpu_near_device (const char *root, const char *path);

#endif
