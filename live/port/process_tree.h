/* live/port/process_tree.h — all that descends from a process, by /proc.
 *
 * For whoever is the subreaper of what it started: then nothing can leave the tree, whatever it
 * does.  Not here: cgroups, which do the same and cost less (cgroup.h). */
#ifndef LK_LIVE_PORT_PROCESS_TREE_H
#define LK_LIVE_PORT_PROCESS_TREE_H

#include <glib.h>
#include <sys/types.h>

/* In the environment of all processes of a run, with the path of its folder. */
#define LK_RUN_MARK "LOCKSTEP_RUN"

/* Of those of a step, with that path and a slash and the step's number. */
#define LK_STEP_MARK "LOCKSTEP_STEP"

/* Below `root`, without it. Returns: (transfer full), of pid_t. O(processes). */
GArray *lk_process_tree (pid_t root);
/* The same in two parts, for whoever asks below several: every process of the machine, whose items
 * are for lk_process_below, which costs O(what is below). Returns: (transfer full). */
GArray *lk_process_all (void);
GArray *lk_process_below (const GArray *all, pid_t root);

/* A variable in the environment of a process, which any user can set: only processes of the user
 * whose run it is, by their real uid, count, and those of our own user. */
typedef struct {
  const char *name;
  const char *value;
  guint32 user_id;
} LkProcessMark;
/* Those that carry a mark, as far as we may read. Likewise. */
GArray *lk_process_marked (const LkProcessMark *mark);

/* Processes that a signal is for, as they are at the time of the call. Returns: (transfer full), of
 * pid_t. */
typedef GArray *(*LkProcessLister) (gconstpointer user);
/* Sends a signal to each.  A process may end after it was listed, and its pid become that of a
 * process of another user: so each is listed once more while a pidfd holds it. Returns: how many
 * were listed. */
guint lk_process_signal (LkProcessLister list, gconstpointer user, int signal);
/* The same for all below `root`, and for those that carry a mark. */
guint lk_process_signal_tree (pid_t root, int signal);
guint lk_process_signal_marked (const LkProcessMark *mark, int signal);

#endif
