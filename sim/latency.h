/* sim/latency.h — what a real cluster adds to the run of a job, as a model.
 *
 * A job holds its nodes for longer than it runs: it has to be launched, and its nodes cleaned up
 * behind it.  That time is drawn for each start from a uniform distribution, or is the same for
 * all.  A daemon looks at time limits only now and then (Slurm each 30 s), so that a job that does
 * not end by itself outlives its limit until the next look; and a job that is told to end may take
 * its time to (Slurm's KillWait at most). */
#ifndef LK_SIM_LATENCY_H
#define LK_SIM_LATENCY_H

#include <glib.h>

typedef struct {
  gint64 least_us; /* that a job holds its nodes beyond its run */
  gint64 most_us;
  gint64 check_us;       /* period of the looks at time limits; 0: each limit acts at its moment */
  gint64 check_phase_us; /* a look is so long behind the first submit */
  gint64 kill_wait_us;   /* that a job which is told to end goes on, if its own end is not nearer */
  guint64 seed;
} LkSimLatency;

/* A or A:B, times from 0 on; B is not before A. */
gboolean lk_sim_latency_parse_launch (LkSimLatency *self, const char *option, const char *text,
                                      GError **error);
/* PERIOD or PERIOD:PHASE. */
gboolean lk_sim_latency_parse_check (LkSimLatency *self, const char *option, const char *text,
                                     GError **error);

/* What is added to a run, `start_index` counting starts. */
gint64 lk_sim_latency_us (const LkSimLatency *self, guint64 start_index);
/* The first look from a moment on. */
gint64 lk_sim_latency_check_us (const LkSimLatency *self, gint64 origin_us, gint64 at_us);

#endif
