/* live/port/cgroup_device.h — devices that a group of version 2 may not open: a program of the
 * kernel's, as there are no files for it.
 *
 * Source: BPF_PROG_TYPE_CGROUP_DEVICE, linux/bpf.h. */
#ifndef LK_LIVE_PORT_CGROUP_DEVICE_H
#define LK_LIVE_PORT_CGROUP_DEVICE_H

#include <glib.h>

/* `denied`: of struct stat, device files; all others may be opened. FALSE: the kernel refuses. It
 * holds until the group is removed. */
gboolean lk_cgroup_device_program (const char *group, const GArray *denied);

#endif
