/* live/step/keeper_steps.h — the steps of a run that its keeper keeps: processes of their tasks
 * (tasks.h), orders to them, and what they say.
 *
 * What such a process says counts only as far as it is about its own step: it is the user's. */
#ifndef LK_LIVE_STEP_KEEPER_STEPS_H
#define LK_LIVE_STEP_KEEPER_STEPS_H

#include <poll.h>

#include "live/step/step.h"

typedef struct {
  LkStep *step;
  int supervisor;     /* stream to it */
  GPtrArray *steps;   /* those that live; NULL: there can be none */
  gboolean is_closed; /* none begins any more */
} LkKeptSteps;

void lk_kept_steps_init (LkKeptSteps *self, LkStep *step, int supervisor);
void lk_kept_steps_clear (LkKeptSteps *self);
/* A packet that begins with an LkStepTasksOrder. */
void lk_kept_steps_order (LkKeptSteps *self, const guint8 *packet, gsize length_bytes);
/* Appends what is to be waited for (struct pollfd), and afterwards hears those that are ready. */
void lk_kept_steps_poll (const LkKeptSteps *self, GArray *polled);
void lk_kept_steps_hear (LkKeptSteps *self, const struct pollfd *polled, guint count);
gboolean lk_kept_steps_is_any (const LkKeptSteps *self);
/* A signal that all of the run gets is on its way to their tasks: their sruns are told why, by a
 * number of LkEndWhy. */
void lk_kept_steps_note (LkKeptSteps *self, guint8 signal, guint8 why);
/* From here on none begins, and those that live are asked to end. Returns: how long they have. */
gint64 lk_kept_steps_close (LkKeptSteps *self);
/* Is it the process of a step's tasks, which ends by itself behind them? */
gboolean lk_kept_steps_has (const LkKeptSteps *self, pid_t pid);
/* A child of the keeper has ended: it may be one of these. */
void lk_kept_steps_reaped (LkKeptSteps *self, pid_t pid);

#endif
