/* live/port/loop.h — what a daemon waits for, in one thread: descriptors, moments, signals, and
 * calls that were put off.
 *
 * The parts are structs of whoever uses them, set to zero but for the function and its user, and
 * stay where they are while they are in the loop: nothing is allocated for an event.  Any part may
 * be taken out, and its struct be freed, in any function that the loop calls; what was about to be
 * called for it is not called any more.
 *
 * One turn of the loop: it waits; descriptors that are ready; timers that are due, by their
 * moments; calls that were put off; the function of the turn's end; calls that were put off since
 * the others.  Those that these put off come in the next turn.  So what a core sends while it
 * settles goes out as one write.
 *
 * Time is read once a turn: all that happens in a turn happens at one instant.
 *
 * Not here: threads.  Whoever has one gives the loop an eventfd. */
#ifndef LK_LIVE_PORT_LOOP_H
#define LK_LIVE_PORT_LOOP_H

#include <glib.h>

typedef struct _LkLoop LkLoop;

/* Returns: (transfer full), or NULL: the system has no more descriptors. */
LkLoop *lk_loop_new (GError **error);
/* Nothing may be in it any more but timers and calls, which are not called. Signals are as they
 * were. */
void lk_loop_free (LkLoop *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkLoop, lk_loop_free)

/* Turns until lk_loop_quit was called, which may have been before. */
void lk_loop_run (LkLoop *self);
void lk_loop_quit (LkLoop *self);
/* One turn, which waits for at most so long; 0: not at all; LK_TIME_NEVER: for ever. */
void lk_loop_turn (LkLoop *self, gint64 wait_max_us);

/* CLOCK_MONOTONIC; in a turn, when that began to call. Never goes back. */
gint64 lk_loop_now_us (const LkLoop *self);

/* Called at the end of each turn; NULL: nothing. */
void lk_loop_set_turn_ended (LkLoop *self, void (*turn_ended) (gpointer user), gpointer user);

/* ---- descriptors */

enum {
  LK_LOOP_READ = 1 << 0,
  LK_LOOP_WRITE = 1 << 1,
  LK_LOOP_CLOSED = 1 << 2, /* an error, or the other end is gone; comes unasked */
};

typedef struct {
  void (*ready) (gpointer user, guint events); /* as long as it is so, each turn */
  gpointer user;
  int fd;       /* of the loop, from here on */
  guint events; /* that are waited for */
  gboolean is_in;
} LkLoopFd;

/* From now on `ready` is called for these events. FALSE: the system has no room, or it is a kind of
 * file that cannot be waited for. */
gboolean lk_loop_add_fd (LkLoop *self, LkLoopFd *part, int fd, guint events, GError **error);
/* Other events; 0: none but LK_LOOP_CLOSED. */
void lk_loop_change_fd (LkLoop *self, LkLoopFd *part, guint events);
/* Before the descriptor is closed, which is not done here. Nothing, if it is not in the loop. */
void lk_loop_remove_fd (LkLoop *self, LkLoopFd *part);

/* ---- moments */

typedef struct {
  void (*due) (gpointer user); /* once; it may set the timer again */
  gpointer user;
  gint64 at_us;
  guint64 order;  /* among those of one moment */
  guint position; /* from 1; 0: not in the loop */
} LkLoopTimer;

/* Instead of the moment before, if it had one. LK_TIME_NEVER: not at all. O(log n). */
void lk_loop_set_timer (LkLoop *self, LkLoopTimer *timer, gint64 at_us);

/* ---- calls */

typedef struct _LkLoopCall LkLoopCall;
struct _LkLoopCall {
  void (*call) (gpointer user); /* once */
  gpointer user;
  LkLoopCall *next;
  LkLoopCall **link; /* what points to it; NULL: not in the loop */
};

/* To be called in this turn, or the next one, in the order of deferring. Nothing, if it is in the
 * loop already. */
void lk_loop_defer (LkLoop *self, LkLoopCall *call);
void lk_loop_remove_call (LkLoop *self, LkLoopCall *call);

/* ---- signals */

/* From now on `came` is called for a signal, in place of what it does, once for all that have come
 * since the last turn. Before the process has other threads, which are to block it too. One
 * function a signal. */
void lk_loop_add_signal (LkLoop *self, int signal, void (*came) (gpointer user, int signal),
                         gpointer user);
/* For a child between fork and exec: signals that this loop takes are not blocked.
 * Calls nothing that is not safe there. */
void lk_loop_unblock_signals (const LkLoop *self);

#endif
