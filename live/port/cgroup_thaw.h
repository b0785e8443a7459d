/* live/port/cgroup_thaw.h — lets the group of a run go on that somebody has left frozen.
 *
 * In a freezer of version 1 a frozen process does not die, by SIGKILL neither, before it thaws; and
 * whoever froze it, to fell all at once, may have died in between.  Of version 2 the frozen die.
 *
 * Source: Documentation/admin-guide/cgroup-v1/freezer-subsystem.rst of Linux. */
#ifndef LK_LIVE_PORT_CGROUP_THAW_H
#define LK_LIVE_PORT_CGROUP_THAW_H

#include <sys/types.h>

/* Thaws the freezer's group of this process, and those above it, up to that of its run (run_N,
 * cgroup.h). Nothing is done where it is in no such group, or we may not. */
void lk_cgroup_thaw_run_of (pid_t pid);

#endif
