/* traces/top/worker.h — asks a source in a thread of its own: keys are answered meanwhile. */
#ifndef LK_TRACES_TOP_WORKER_H
#define LK_TRACES_TOP_WORKER_H

#include "traces/top/source.h"

typedef struct {
  LkTopAction action; /* done first; LK_TOP_ACTION_NONE: nothing */
  guint wants;
  guint32 detail_id; /* 0: no details */
} LkTopTask;

typedef struct {
  LkTopTask task;
  LkTopFacts *facts; /* NULL: see `error` */
  char *detail;      /* NULL: none was asked for */
  char *message;     /* what became of the action; NULL: nothing to tell */
  char *error;       /* NULL: all went well */
  gint64 spent_us;
} LkTopResult;

/* In the thread of the caller. Returns: (transfer full). */
LkTopResult *lk_top_task_do (const LkTopSource *source, gpointer source_self,
                             const LkTopTask *task);
void lk_top_result_free (LkTopResult *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkTopResult, lk_top_result_free)

typedef struct _LkTopWorker LkTopWorker;

/* Source and self must outlive it. NULL: there can be no thread. Returns: (transfer full). */
LkTopWorker *lk_top_worker_new (const LkTopSource *source, gpointer source_self);
/* Waits at most `wait_max_us` for what is being done. FALSE: it is still being done, and the source
 * must not be touched any more. */
gboolean lk_top_worker_end (LkTopWorker *self, gint64 wait_max_us);

/* Readable when there is a result. */
int lk_top_worker_descriptor (const LkTopWorker *self);
gboolean lk_top_worker_is_busy (const LkTopWorker *self);
/* Begins one, while it is not busy. */
void lk_top_worker_begin (LkTopWorker *self, const LkTopTask *task);
/* NULL: none yet. Returns: (transfer full). */
LkTopResult *lk_top_worker_take (LkTopWorker *self);

#endif
