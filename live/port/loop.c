/* live/port/loop.c — see the header.
 *
 * Timers are a binary heap by moment and order; one timerfd is set to the earliest.  A timerfd that
 * is set too early is left so: a moment that is put off again and again, as of heartbeats, costs
 * no system call. */
#include "live/port/loop.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "engine/checked.h"
#include "live/port/error.h"

/* Descriptors that are looked at in a turn; the others come in the next one. */
#define READY_MAX 1024

typedef struct {
  void (*came) (gpointer user, int signal);
  gpointer user;
} Handler;

typedef struct {
  LkLoopCall *first;
  LkLoopCall **end;
} Calls;

struct _LkLoop {
  int epoll;
  gboolean is_quitting;
  gboolean is_in_turn;
  gint64 now_us; /* of the turn */
  void (*turn_ended) (gpointer user);
  gpointer turn_user;

  struct epoll_event ready[READY_MAX];
  int ready_count;
  guint fd_count; /* our own included */

  GPtrArray *heap; /* of LkLoopTimer */
  guint64 timer_order;
  LkLoopFd timer_fd;
  gint64 armed_us; /* what the timerfd is set to */

  Calls calls;   /* that wait */
  Calls running; /* those of them whose turn it is */

  LkLoopFd signal_fd;
  sigset_t signals;
  sigset_t signals_before;
  Handler handlers[NSIG];
};

/* ---------------------------------------------------------------- descriptors */

static guint32
epoll_events (guint events)
{
  return ((events & LK_LOOP_READ) != 0 ? (guint32)EPOLLIN : 0)
         | ((events & LK_LOOP_WRITE) != 0 ? (guint32)EPOLLOUT : 0);
}

gboolean
lk_loop_add_fd (LkLoop *self, LkLoopFd *part, int fd, guint events, GError **error)
{
  LK_ASSERT (!part->is_in);
  struct epoll_event event = { .events = epoll_events (events), .data.ptr = part };
  if (epoll_ctl (self->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
    lk_port_error_set (error, errno, "cannot wait for descriptor %d", fd);
    return FALSE;
  }
  part->fd = fd;
  part->events = events;
  part->is_in = TRUE;
  self->fd_count++;
  return TRUE;
}

void
lk_loop_change_fd (LkLoop *self, LkLoopFd *part, guint events)
{
  LK_ASSERT (part->is_in);
  if (part->events == events)
    return;
  struct epoll_event event = { .events = epoll_events (events), .data.ptr = part };
  int result = epoll_ctl (self->epoll, EPOLL_CTL_MOD, part->fd, &event);
  LK_ASSERT (result == 0);
  part->events = events;
}

void
lk_loop_remove_fd (LkLoop *self, LkLoopFd *part)
{
  if (!part->is_in)
    return;
  int result = epoll_ctl (self->epoll, EPOLL_CTL_DEL, part->fd, NULL);
  LK_ASSERT (result == 0);
  part->is_in = FALSE;
  self->fd_count--;
  for (int i = 0; i < self->ready_count; i++)
    if (self->ready[i].data.ptr == part)
      self->ready[i].data.ptr = NULL;
}

static void
call_ready (LkLoop *self)
{
  for (int i = 0; i < self->ready_count; i++) {
    const LkLoopFd *part = self->ready[i].data.ptr;
    guint32 come = self->ready[i].events;
    if (part == NULL)
      continue;
    guint events = ((come & EPOLLIN) != 0 ? LK_LOOP_READ : 0u)
                   | ((come & EPOLLOUT) != 0 ? LK_LOOP_WRITE : 0u)
                   | ((come & (EPOLLERR | EPOLLHUP)) != 0 ? LK_LOOP_CLOSED : 0u);
    /* Another function of this turn may no longer want it. */
    events &= part->events | LK_LOOP_CLOSED;
    if (events != 0)
      part->ready (part->user, events);
  }
  self->ready_count = 0;
}

/* ---------------------------------------------------------------- moments */

static LkLoopTimer *
timer_at (const LkLoop *self, guint position)
{
  return g_ptr_array_index (self->heap, position - 1);
}

static gboolean
is_before (const LkLoopTimer *a, const LkLoopTimer *b)
{
  return a->at_us != b->at_us ? a->at_us < b->at_us : a->order < b->order;
}

static void
put (const LkLoop *self, LkLoopTimer *timer, guint position)
{
  self->heap->pdata[position - 1] = timer;
  timer->position = position;
}

/* Moves a timer up or down from an empty position to where it belongs. */
static void
sift (const LkLoop *self, LkLoopTimer *timer, guint position)
{
  for (; position > 1 && is_before (timer, timer_at (self, position / 2)); position /= 2)
    put (self, timer_at (self, position / 2), position);
  for (guint child; (child = 2 * position) <= self->heap->len; position = child) {
    if (child < self->heap->len && is_before (timer_at (self, child + 1), timer_at (self, child)))
      child++;
    if (!is_before (timer_at (self, child), timer))
      break;
    put (self, timer_at (self, child), position);
  }
  put (self, timer, position);
}

static void
heap_remove (const LkLoop *self, LkLoopTimer *timer)
{
  guint position = timer->position;
  LkLoopTimer *last = timer_at (self, self->heap->len);
  g_ptr_array_set_size (self->heap, (int)self->heap->len - 1);
  timer->position = 0;
  if (last != timer)
    sift (self, last, position);
}

void
lk_loop_set_timer (LkLoop *self, LkLoopTimer *timer, gint64 at_us)
{
  LK_ASSERT (timer->position == 0 || timer_at (self, timer->position) == timer);
  if (at_us == LK_TIME_NEVER) {
    if (timer->position != 0)
      heap_remove (self, timer);
    return;
  }
  timer->at_us = at_us;
  timer->order = self->timer_order++;
  if (timer->position == 0) {
    g_ptr_array_add (self->heap, timer);
    timer->position = self->heap->len;
  }
  sift (self, timer, timer->position);
}

/* Those that a timer sets for now come in the next turn. */
static void
call_due (LkLoop *self)
{
  guint64 order = self->timer_order;
  while (self->heap->len > 0) {
    LkLoopTimer *timer = timer_at (self, 1);
    if (timer->at_us > self->now_us || timer->order >= order)
      break;
    heap_remove (self, timer);
    timer->due (timer->user);
  }
}

static void
timer_fd_ready (gpointer user, guint events)
{
  LkLoop *self = user;
  guint64 count;
  (void)events;
  ssize_t got = read (self->timer_fd.fd, &count, sizeof count);
  LK_ASSERT (got == (ssize_t)sizeof count || errno == EAGAIN);
  if (got > 0)
    self->armed_us = LK_TIME_NEVER;
}

static void
arm (LkLoop *self, gint64 at_us)
{
  if (at_us >= self->armed_us)
    return;
  struct itimerspec spec = { .it_value = { .tv_sec = at_us / G_USEC_PER_SEC,
                                           .tv_nsec = at_us % G_USEC_PER_SEC * 1000 } };
  int result = timerfd_settime (self->timer_fd.fd, TFD_TIMER_ABSTIME, &spec, NULL);
  LK_ASSERT (result == 0);
  self->armed_us = at_us;
}

/* ---------------------------------------------------------------- calls */

static void
calls_init (Calls *calls)
{
  calls->first = NULL;
  calls->end = &calls->first;
}

void
lk_loop_defer (LkLoop *self, LkLoopCall *call)
{
  if (call->link != NULL)
    return;
  call->next = NULL;
  call->link = self->calls.end;
  *self->calls.end = call;
  self->calls.end = &call->next;
}

void
lk_loop_remove_call (LkLoop *self, LkLoopCall *call)
{
  if (call->link == NULL)
    return;
  *call->link = call->next;
  if (call->next != NULL)
    call->next->link = call->link;
  else if (self->calls.end == &call->next)
    self->calls.end = call->link;
  else
    self->running.end = call->link;
  call->link = NULL;
}

/* Those that wait, and not those that they defer. */
static void
call_deferred (LkLoop *self)
{
  if (self->calls.first == NULL)
    return;
  self->running = self->calls;
  self->running.first->link = &self->running.first;
  calls_init (&self->calls);
  while (self->running.first != NULL) {
    LkLoopCall *call = self->running.first;
    lk_loop_remove_call (self, call);
    call->call (call->user);
  }
}

/* ---------------------------------------------------------------- signals */

static void
signal_fd_ready (gpointer user, guint events)
{
  LkLoop *self = user;
  struct signalfd_siginfo info;
  sigset_t come;
  (void)events;
  sigemptyset (&come);
  while (read (self->signal_fd.fd, &info, sizeof info) == (ssize_t)sizeof info)
    sigaddset (&come, (int)info.ssi_signo);
  for (int signal = 1; signal < NSIG; signal++)
    if (sigismember (&come, signal) == 1)
      self->handlers[signal].came (self->handlers[signal].user, signal);
}

void
lk_loop_add_signal (LkLoop *self, int signal, void (*came) (gpointer user, int signal),
                    gpointer user)
{
  LK_ASSERT (signal > 0);
  LK_ASSERT (signal < NSIG);
  LK_ASSERT (self->handlers[signal].came == NULL);
  self->handlers[signal] = (Handler){ came, user };
  sigaddset (&self->signals, signal);
  int result = pthread_sigmask (SIG_BLOCK, &self->signals, NULL);
  LK_ASSERT (result == 0);
  result = signalfd (self->signal_fd.fd, &self->signals, 0);
  LK_ASSERT (result == self->signal_fd.fd);
}

void
lk_loop_unblock_signals (const LkLoop *self)
{
  pthread_sigmask (SIG_UNBLOCK, &self->signals, NULL);
}

/* ---------------------------------------------------------------- the loop */

static gint64
clock_us (void)
{
  struct timespec now;
  int result = clock_gettime (CLOCK_MONOTONIC, &now);
  LK_ASSERT (result == 0);
  return (gint64)now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

gint64
lk_loop_now_us (const LkLoop *self)
{
  return self->is_in_turn ? self->now_us : clock_us ();
}

void
lk_loop_set_turn_ended (LkLoop *self, void (*turn_ended) (gpointer user), gpointer user)
{
  self->turn_ended = turn_ended;
  self->turn_user = user;
}

static void
wait_ready (LkLoop *self, gint64 wait_max_us)
{
  gint64 at_us = self->heap->len > 0 ? timer_at (self, 1)->at_us : LK_TIME_NEVER;
  int wait_ms = -1;
  if (self->calls.first != NULL || wait_max_us == 0)
    wait_ms = 0;
  else if (wait_max_us != LK_TIME_NEVER)
    at_us = MIN (at_us, lk_time_add_us (clock_us (), wait_max_us));
  if (at_us != LK_TIME_NEVER && wait_ms != 0) {
    /* A timerfd that is set to 0 is off. */
    at_us = MAX (at_us, 1);
    arm (self, at_us);
  }
  int count;
  do
    count = epoll_wait (self->epoll, self->ready, READY_MAX, wait_ms);
  while (count < 0 && errno == EINTR);
  LK_ASSERT (count >= 0);
  self->ready_count = count;
}

void
lk_loop_turn (LkLoop *self, gint64 wait_max_us)
{
  LK_ASSERT (!self->is_in_turn);
  wait_ready (self, wait_max_us);
  self->now_us = clock_us ();
  self->is_in_turn = TRUE;
  call_ready (self);
  call_due (self);
  call_deferred (self);
  if (self->turn_ended != NULL)
    self->turn_ended (self->turn_user);
  call_deferred (self);
  self->is_in_turn = FALSE;
}

void
lk_loop_run (LkLoop *self)
{
  while (!self->is_quitting)
    lk_loop_turn (self, LK_TIME_NEVER);
}

void
lk_loop_quit (LkLoop *self)
{
  self->is_quitting = TRUE;
}

/* Has the descriptors of the loop itself. */
static gboolean
open_own (LkLoop *self, GError **error)
{
  self->epoll = epoll_create1 (EPOLL_CLOEXEC);
  int timer = timerfd_create (CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  int signals = signalfd (-1, &self->signals, SFD_NONBLOCK | SFD_CLOEXEC);
  if (self->epoll >= 0 && timer >= 0 && signals >= 0
      && lk_loop_add_fd (self, &self->timer_fd, timer, LK_LOOP_READ, error)
      && lk_loop_add_fd (self, &self->signal_fd, signals, LK_LOOP_READ, error))
    return TRUE;
  if (error != NULL && *error == NULL)
    lk_port_error_set (error, errno, "cannot make an event loop");
  self->timer_fd.fd = timer;
  self->signal_fd.fd = signals;
  return FALSE;
}

static void
close_own (LkLoop *self)
{
  const int own[] = { self->epoll, self->timer_fd.fd, self->signal_fd.fd };
  for (guint i = 0; i < G_N_ELEMENTS (own); i++)
    if (own[i] >= 0)
      close (own[i]);
}

LkLoop *
lk_loop_new (GError **error)
{
  LkLoop *self = g_new0 (LkLoop, 1);
  self->timer_fd.ready = timer_fd_ready;
  self->signal_fd.ready = signal_fd_ready;
  self->timer_fd.user = self->signal_fd.user = self;
  self->heap = g_ptr_array_new ();
  self->armed_us = LK_TIME_NEVER;
  calls_init (&self->calls);
  calls_init (&self->running);
  sigemptyset (&self->signals);
  pthread_sigmask (SIG_SETMASK, NULL, &self->signals_before);
  if (open_own (self, error))
    return self;
  close_own (self);
  g_ptr_array_unref (self->heap);
  g_free (self);
  return NULL;
}

void
lk_loop_free (LkLoop *self)
{
  if (self == NULL)
    return;
  lk_loop_remove_fd (self, &self->timer_fd);
  lk_loop_remove_fd (self, &self->signal_fd);
  LK_ASSERT (self->fd_count == 0);
  close_own (self);
  pthread_sigmask (SIG_SETMASK, &self->signals_before, NULL);
  g_ptr_array_unref (self->heap);
  g_free (self);
}
