/* live/step/cpu_domains.h — which CPUs of the machine share a socket, or the memory of a NUMA node.
 *
 * Read from sysfs, where the kernel tells them: a step looks only when it is asked to bind by them,
 * and opening hwloc's view of the whole machine would cost each step some milliseconds.  Source:
 * Documentation/admin-guide/cputopology.rst and Documentation/ABI/stable/sysfs-devices-node of
 * Linux. */
#ifndef LK_LIVE_STEP_CPU_DOMAINS_H
#define LK_LIVE_STEP_CPU_DOMAINS_H

#include <glib.h>

typedef enum {
  LK_CPU_DOMAIN_SOCKET,
  LK_CPU_DOMAIN_NUMA, /* memory locality, Slurm's ldom */
} LkCpuDomain;

/* Of a machine whose sysfs is at `root` (/sys): the CPUs of each, in the order of the first of them
 * and of the nodes' numbers.  A NUMA node without CPUs, or that is not there, is empty.  None: the
 * kernel does not say. Returns: (transfer full), of GArray of guint32. */
GPtrArray *lk_cpu_domains (const char *root, LkCpuDomain kind);

#endif
