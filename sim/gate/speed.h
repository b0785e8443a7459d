/* sim/gate/speed.h — how much longer a simulation takes than the least that any simulator must do.
 *
 * The floor parses the same log and puts the submit and the end of every job through a binary heap
 * (as bench/floor does, here over the log in memory).  Both are timed by the CPU time of this
 * thread, in turns, and the least of some rounds counts: what else the machine does, and how fast
 * it is, falls out of the ratio as far as it can.  Not exact: caches and compilers move it by some
 * per cent, another kind of processor by more. */
#ifndef LK_SIM_GATE_SPEED_H
#define LK_SIM_GATE_SPEED_H

#include <glib.h>

#include "sim/study/run.h"

typedef struct {
  double run_s; /* the least so far; 0: not measured */
  double floor_s;
} LkGateSpeed;

/* Measures some rounds more. */
gboolean lk_gate_speed_measure (LkGateSpeed *self, LkStudyRunner *runner, char *const *arguments,
                                GError **error);

/* NaN when it was not measured. */
double lk_gate_speed_ratio (const LkGateSpeed *self);

#endif
