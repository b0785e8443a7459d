/* live/port/worker.h — calls that may block (MUNGE, names of users and hosts), made in threads of
 * their own, whose results come back into the loop.
 *
 * Nothing is decided in a thread: a work has all that it needs, and touches nothing else. */
#ifndef LK_LIVE_PORT_WORKER_H
#define LK_LIVE_PORT_WORKER_H

#include <glib.h>

#include "live/port/loop.h"

typedef struct _LkWorker LkWorker;

/* The first member of a struct of whoever gives it. */
typedef struct _LkWork LkWork;
struct _LkWork {
  void (*work) (LkWork *self);    /* in a thread */
  void (*done) (LkWork *self);    /* in the loop; frees it */
  void (*discard) (LkWork *self); /* in the loop, in place of `done`, when the worker ends */
};

#define LK_WORKER_THREADS_MAX 4u

/* So many threads begin with the first work, with all signals blocked. */
LkWorker *lk_worker_new (LkLoop *loop, guint thread_count, GError **error);
/* Waits for what is under way. */
void lk_worker_free (LkWorker *self);

/* FALSE: so much waits already; nothing was done with it. */
gboolean lk_worker_give (LkWorker *self, LkWork *work);

#endif
