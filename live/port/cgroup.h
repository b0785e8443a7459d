/* live/port/cgroup.h — the control group of a run: what its processes may use, what they have used,
 * and all of them at once.
 *
 * Version 2 where a hierarchy of it has controllers, else version 1, of which each controller that
 * is mounted takes part: memory, cpuset, devices, pids, freezer.  A group is a path below the root
 * of each hierarchy, lockstep/NODE/run_N, and is made with all that is above it.  Whoever may not
 * write there, or whose kernel has none, has no groups, and does without.
 *
 * Source: Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst of Linux. */
#ifndef LK_LIVE_PORT_CGROUP_H
#define LK_LIVE_PORT_CGROUP_H

#include <glib.h>
#include <sys/types.h>

#include "live/port/memory_limit.h"

typedef struct _LkCgroup LkCgroup;

/* Which hierarchies take part. */
typedef struct {
  const char *mount; /* only those mounted there or below; NULL: wherever they are */
  guint version;     /* 1, 2; 0: 2 where its hierarchy has the memory controller, else 1 */
} LkCgroupChoice;

/* Of this path; nothing is made. NULL: there are no control groups here. Returns: (transfer full).
 */
LkCgroup *lk_cgroup_new (const LkCgroupChoice *choice, const char *path);
void lk_cgroup_free (LkCgroup *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkCgroup, lk_cgroup_free)

/* A part of it, below it, for some of its processes: behind lk_cgroup_make, and made by that
 * itself. With version 2 a group that has parts has no processes of its own. Returns: (transfer
 * full). */
LkCgroup *lk_cgroup_part (const LkCgroup *self, const char *name);

/* 1 or 2. */
guint lk_cgroup_version (const LkCgroup *self);
/* "memory", "cpuset", "devices", "pids", "freezer": is it confined, or done, by group? */
gboolean lk_cgroup_has (const LkCgroup *self, const char *controller);

/* Where nothing is to be confined: only what finds, stops and ends processes. */
void lk_cgroup_keep_freezer (LkCgroup *self);
/* FALSE: the group cannot be made, and none is. */
gboolean lk_cgroup_make (LkCgroup *self);
/* With its parts, as nothing lives in it any more. What is above it stays. FALSE: something does.
 */
gboolean lk_cgroup_remove (LkCgroup *self);
/* Kills what is in its parts and in theirs, frozen or not, and removes them all. What was killed
 * may need a few milliseconds to end. FALSE: something is still there; call again. */
gboolean lk_cgroup_clear (LkCgroup *self);
/* Removes the group above it if that is empty. */
void lk_cgroup_remove_above (LkCgroup *self);

/* FALSE: it is not so confined. */
gboolean lk_cgroup_set_memory (LkCgroup *self, const LkMemoryLimits *limits);
gboolean lk_cgroup_set_cpus (LkCgroup *self, const char *cpus);
/* Processes and threads at once; who starts more is told that there is no room (EAGAIN). */
gboolean lk_cgroup_set_tasks (LkCgroup *self, guint count);
/* The device files of a node that it may not open. */
gboolean lk_cgroup_deny_devices (LkCgroup *self, const char *const *paths, guint count);

/* As fork(2), but the child is in the group from the beginning where the kernel can do that: of
 * version 2, since Linux 5.7.  Else it is where its parent is.  NULL: so, too. */
pid_t lk_cgroup_fork (LkCgroup *self);
/* The process that calls goes in, with all that it will start; the child of lk_cgroup_fork may be
 * there already. */
gboolean lk_cgroup_enter (LkCgroup *self);
/* With those of its parts. Returns: (transfer full), of pid_t. */
GArray *lk_cgroup_pids (const LkCgroup *self);
/* Also those that are frozen. They may take a while to be gone. */
void lk_cgroup_kill (LkCgroup *self);
/* What is thawed is so with its parts, whoever has frozen them. FALSE: that cannot be done here. */
gboolean lk_cgroup_freeze (LkCgroup *self, gboolean is_frozen);

/* How often a process in it was killed for memory; with version 1 without its parts. */
guint64 lk_cgroup_oom_kills (const LkCgroup *self);
/* Memory of its processes now, without what the system keeps of files; 0: nobody knows. */
guint64 lk_cgroup_rss_bytes (const LkCgroup *self);

#endif
