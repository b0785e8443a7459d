/* sim/statistics/run_names.h — short names of several runs that say what differs between them.
 *
 * A run is named by its directory.  Where that does not say how it was made, the settings that
 * are not the same in all runs follow: "monday (easy)" and "tuesday (full)".  Directories of one
 * name are left out: a/run and b/run become "easy" and "full".
 *
 * The settings are columns of table `run` (sim/summary.h). */
#ifndef LK_SIM_STATISTICS_RUN_NAMES_H
#define LK_SIM_STATISTICS_RUN_NAMES_H

#include <glib.h>

/* In the order in which a name has them. X (NAME, column). */
#define LK_RUN_ASPECTS(X)                                                                          \
  X (ORDER, "order_policy")                                                                        \
  X (BACKFILL, "backfill_policy")                                                                  \
  X (SELECT, "select_policy")                                                                      \
  X (PREEMPT, "preempt")                                                                           \
  X (LIMITS, "limits")                                                                             \
  X (ACCOUNTS, "accounts")                                                                         \
  X (ESTIMATES, "estimates")                                                                       \
  X (LIMIT_RULE, "limit_rule")                                                                     \
  X (USERS, "users")                                                                               \
  X (TRACE, "trace")                                                                               \
  X (CLUSTER, "cluster")                                                                           \
  X (PROCS, "procs")

typedef enum {
#define X(NAME, column) LK_RUN_ASPECT_##NAME,
  LK_RUN_ASPECTS (X)
#undef X
      LK_RUN_ASPECT_COUNT
} LkRunAspect;

/* The column of table `run`. */
const char *lk_run_aspect_column (LkRunAspect aspect);

/* Texts are borrowed; NULL: not known. */
typedef struct {
  const char *path;  /* as the run was named on the command line */
  const char *fixed; /* its whole name; NULL: to be made */
  const char *id;    /* its run_id, which tells the runs of one database apart */
  const char *values[LK_RUN_ASPECT_COUNT];
} LkRunFacts;

/* One name a run, no two alike, at most 48 characters. Returns: (transfer full). */
char **lk_run_names (const LkRunFacts *runs, guint count);

#endif
