/* bench/driver.h — an engine of its own, fed one timed event after the other.
 *
 * The benchmarks that measure single events share it: it numbers events and jobs, keeps the running
 * jobs, and draws the same random numbers on each machine.  Costs are processor time in
 * nanoseconds: one thread computes, and others may use the machine. */
#ifndef LK_BENCH_DRIVER_H
#define LK_BENCH_DRIVER_H

#include "engine/engine.h"

typedef struct {
  LkEngine *engine; /* owned */
  guint64 random;
  guint32 job_id_last;
  GArray *running; /* of guint32, ids; owned */
  gint64 now_us;
} Driver;

/* Takes the engine.  The same seed gives the same draws. */
void driver_init (Driver *self, LkEngine *engine, guint64 seed);
void driver_clear (Driver *self);

/* A number below the limit. */
guint32 driver_draw (Driver *self, guint32 limit);

/* Applies an event at now_us, which must be accepted, and returns what it cost. */
gint64 driver_apply (Driver *self, LkEvent *event);
gint64 driver_pass (Driver *self);

/* Gives the job the next id and submits it. */
gint64 driver_submit (Driver *self, LkEvent *event);

/* Ends a running job, drawn. */
gint64 driver_end_one (Driver *self);

/* Processor time of this process. */
gint64 driver_cpu_ns (void);

/* The middle one of costs, which are sorted by it; 0 if there is none. */
gint64 driver_median (GArray *costs);

#endif
