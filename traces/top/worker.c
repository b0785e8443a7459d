/* traces/top/worker.c — see the header. */
#include "traces/top/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <glib-unix.h>

struct _LkTopWorker {
  const LkTopSource *source;
  gpointer source_self;
  GThread *thread;
  GAsyncQueue *tasks;   /* of LkTopTask*; one with LK_TOP_ACTION_QUIT ends the thread */
  GAsyncQueue *results; /* of LkTopResult* */
  int ends[2];          /* of a pipe: a byte for each result */
  gboolean is_busy;
};

/* ---------------------------------------------------------------- one task */

static void
act (const LkTopSource *source, gpointer source_self, const LkTopAction *action,
     LkTopResult *result)
{
  g_autoptr (GError) error = NULL;
  gboolean is_cancel = action->kind == LK_TOP_ACTION_CANCEL;
  if (is_cancel && source->cancel != NULL)
    result->message = source->cancel (source_self, action->job_id, &error);
  else if (!is_cancel && source->go != NULL)
    source->go (source_self, action, &error);
  if (error != NULL)
    result->error = g_strdup (error->message);
}

LkTopResult *
lk_top_task_do (const LkTopSource *source, gpointer source_self, const LkTopTask *task)
{
  g_autoptr (GError) error = NULL;
  LkTopResult *result = g_new0 (LkTopResult, 1);
  gint64 begin_us = g_get_monotonic_time ();
  result->task = *task;
  if (task->action.kind != LK_TOP_ACTION_NONE)
    act (source, source_self, &task->action, result);
  result->facts = source->look (source_self, task->wants, &error);
  if (result->facts != NULL && task->detail_id != 0)
    result->detail = source->detail (source_self, task->detail_id);
  if (error != NULL && result->error == NULL)
    result->error = g_strdup (error->message);
  result->spent_us = g_get_monotonic_time () - begin_us;
  return result;
}

void
lk_top_result_free (LkTopResult *self)
{
  if (self == NULL)
    return;
  lk_top_facts_free (self->facts);
  g_free (self->detail);
  g_free (self->message);
  g_free (self->error);
  g_free (self);
}

/* ---------------------------------------------------------------- the thread */

static gpointer
work (gpointer user)
{
  LkTopWorker *self = user;
  for (;;) {
    g_autofree LkTopTask *task = g_async_queue_pop (self->tasks);
    if (task->action.kind == LK_TOP_ACTION_QUIT)
      return NULL;
    g_async_queue_push (self->results, lk_top_task_do (self->source, self->source_self, task));
    /* A pipe that is full wakes as well. */
    if (write (self->ends[1], "", 1) < 0)
      continue;
  }
}

LkTopWorker *
lk_top_worker_new (const LkTopSource *source, gpointer source_self)
{
  sigset_t all;
  sigset_t before;
  LkTopWorker *self = g_new0 (LkTopWorker, 1);
  self->source = source;
  self->source_self = source_self;
  self->tasks = g_async_queue_new_full (g_free);
  self->results = g_async_queue_new_full ((GDestroyNotify)lk_top_result_free);
  if (!g_unix_open_pipe (self->ends, FD_CLOEXEC, NULL)) {
    self->ends[0] = self->ends[1] = -1;
    lk_top_worker_end (self, 0);
    return NULL;
  }
  g_unix_set_fd_nonblocking (self->ends[0], TRUE, NULL);
  g_unix_set_fd_nonblocking (self->ends[1], TRUE, NULL);
  /* Signals are for the thread that has the terminal. */
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  self->thread = g_thread_try_new ("top-source", work, self, NULL);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  if (self->thread != NULL)
    return self;
  lk_top_worker_end (self, 0);
  return NULL;
}

static LkTopTask *
last_task (void)
{
  LkTopTask *task = g_new0 (LkTopTask, 1);
  task->action.kind = LK_TOP_ACTION_QUIT;
  return task;
}

gboolean
lk_top_worker_end (LkTopWorker *self, gint64 wait_max_us)
{
  if (self->is_busy) {
    LkTopResult *left = g_async_queue_timeout_pop (self->results, (guint64)MAX (1, wait_max_us));
    if (left == NULL)
      return FALSE;
    lk_top_result_free (left);
  }
  if (self->thread != NULL) {
    g_async_queue_push (self->tasks, last_task ());
    g_thread_join (self->thread);
  }
  for (guint i = 0; i < G_N_ELEMENTS (self->ends); i++)
    if (self->ends[i] >= 0)
      close (self->ends[i]);
  g_async_queue_unref (self->tasks);
  g_async_queue_unref (self->results);
  g_free (self);
  return TRUE;
}

int
lk_top_worker_descriptor (const LkTopWorker *self)
{
  return self->ends[0];
}

gboolean
lk_top_worker_is_busy (const LkTopWorker *self)
{
  return self->is_busy;
}

void
lk_top_worker_begin (LkTopWorker *self, const LkTopTask *task)
{
  self->is_busy = TRUE;
  g_async_queue_push (self->tasks, g_memdup2 (task, sizeof *task));
}

LkTopResult *
lk_top_worker_take (LkTopWorker *self)
{
  char byte;
  LkTopResult *result = self->is_busy ? g_async_queue_try_pop (self->results) : NULL;
  if (result == NULL)
    return NULL;
  while (read (self->ends[0], &byte, 1) > 0)
    continue;
  self->is_busy = FALSE;
  return result;
}
