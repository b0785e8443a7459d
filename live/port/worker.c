/* live/port/worker.c — see the header. */
#include "live/port/worker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "engine/assert.h"
#include "live/port/error.h"

#define WAITING_MAX 4096u

struct _LkWorker {
  LkLoop *loop;
  LkLoopFd event;
  GAsyncQueue *given;
  GAsyncQueue *finished;
  GThread *threads[LK_WORKER_THREADS_MAX];
  guint thread_count;
  guint under_way_count;
};

/* Tells a thread to end. */
static LkWork end_of_thread;

static gpointer
run_thread (gpointer data)
{
  LkWorker *self = data;
  for (;;) {
    LkWork *work = g_async_queue_pop (self->given);
    if (work == &end_of_thread)
      return NULL;
    work->work (work);
    g_async_queue_push (self->finished, work);
    guint64 one = 1;
    gssize put = write (self->event.fd, &one, sizeof one);
    LK_ASSERT (put == (gssize)sizeof one);
  }
}

static void
event_ready (gpointer user, guint events)
{
  LkWorker *self = user;
  guint64 count;
  LkWork *work;
  (void)events;
  gssize got = read (self->event.fd, &count, sizeof count);
  LK_ASSERT (got == (gssize)sizeof count || errno == EAGAIN);
  while ((work = g_async_queue_try_pop (self->finished)) != NULL) {
    self->under_way_count--;
    work->done (work);
  }
}

LkWorker *
lk_worker_new (LkLoop *loop, guint thread_count, GError **error)
{
  LK_ASSERT (thread_count >= 1);
  LK_ASSERT (thread_count <= LK_WORKER_THREADS_MAX);
  int event = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (event < 0) {
    lk_port_error_set (error, errno, "eventfd");
    return NULL;
  }
  LkWorker *self = g_new0 (LkWorker, 1);
  self->loop = loop;
  self->thread_count = thread_count;
  self->event.ready = event_ready;
  self->event.user = self;
  if (!lk_loop_add_fd (loop, &self->event, event, LK_LOOP_READ, error)) {
    close (event);
    g_free (self);
    return NULL;
  }
  self->given = g_async_queue_new ();
  self->finished = g_async_queue_new ();
  return self;
}

static void
begin_threads (LkWorker *self)
{
  sigset_t all;
  sigset_t before;
  if (self->threads[0] != NULL)
    return;
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  for (guint i = 0; i < self->thread_count; i++)
    self->threads[i] = g_thread_new ("worker", run_thread, self);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
}

gboolean
lk_worker_give (LkWorker *self, LkWork *work)
{
  if (self->under_way_count >= WAITING_MAX)
    return FALSE;
  begin_threads (self);
  self->under_way_count++;
  g_async_queue_push (self->given, work);
  return TRUE;
}

void
lk_worker_free (LkWorker *self)
{
  LkWork *work;
  if (self == NULL)
    return;
  /* What no thread has begun is taken back first. */
  while ((work = g_async_queue_try_pop (self->given)) != NULL)
    work->discard (work);
  for (guint i = 0; i < self->thread_count && self->threads[i] != NULL; i++)
    g_async_queue_push (self->given, &end_of_thread);
  for (guint i = 0; i < self->thread_count && self->threads[i] != NULL; i++)
    g_thread_join (self->threads[i]);
  while ((work = g_async_queue_try_pop (self->finished)) != NULL)
    work->discard (work);
  g_async_queue_unref (self->given);
  g_async_queue_unref (self->finished);
  lk_loop_remove_fd (self->loop, &self->event);
  close (self->event.fd);
  g_free (self);
}
