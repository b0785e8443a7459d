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
/* Those that carry the mark of a run, or of a step, as far as we may look. Likewise. */
GArray *lk_process_marked (const char *value);
GArray *lk_process_marked_step (const char *value);
/* To each of them.  One may have died since it was found, and its number be another one's: but
 * numbers come round behind all the others, which takes longer than we do. */
void lk_process_signal_all (const GArray *pids, int signal);

#endif
