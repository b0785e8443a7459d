/* sim/study/pool.h — runs many simulations on all cores.
 *
 * Threads take runs from one list, in its order; the caller's thread is told of each that ends, and
 * is the only one that writes. A run that fails does not stop the others. */
#ifndef LK_SIM_STUDY_POOL_H
#define LK_SIM_STUDY_POOL_H

#include <glib.h>

#include "sim/study/run.h"

typedef struct {
  guint thread_count; /* 0: as many as there are cores for this process */
  /* Called in the thread of a run before it begins; fills what the run is to be asked for and told
   * of. NULL: nothing. */
  void (*prepare) (gpointer user, const LkStudyRun *run, LkStudyJobs *out_jobs);
  /* Called in the caller's thread: `result` is NULL when the run failed, with `failure`. Both are
   * borrowed. FALSE with an error: no further runs are begun. */
  gboolean (*ended) (gpointer user, const LkStudyRun *run, const LkStudyResult *result,
                     const GError *failure, GError **error);
  gpointer user;
} LkStudyPoolOptions;

/* Runs all of `runs` (of LkStudyRun, borrowed). FALSE when `ended` said so. */
gboolean lk_study_pool_run (LkStudyRunner *runner, const GPtrArray *runs,
                            const LkStudyPoolOptions *options, GError **error);

/* Those runs whose key no earlier one has, those that take long first, as far as that is known
 * before: by the size of the log and of the window. Returns: (transfer container). */
GPtrArray *lk_study_pool_order (const GPtrArray *runs);

#endif
