/* sim/users/offered_load.c — see offered_load.h. */
#include "sim/users/offered_load.h"

#include <math.h>

void
lk_offered_load_add (LkOfferedLoad *self, gint64 submit_us, gint64 run_us, guint32 procs)
{
  if (self->job_count++ == 0)
    self->first_us = submit_us;
  self->last_us = MAX (self->last_us, submit_us);
  self->work_s += (double)procs * ((double)run_us / G_USEC_PER_SEC);
}

double
lk_offered_load_ratio (const LkOfferedLoad *self, guint64 procs)
{
  double span_s = (double)(self->last_us - self->first_us) / G_USEC_PER_SEC;
  return self->job_count == 0 || span_s <= 0 || procs == 0
             ? (double)NAN
             : self->work_s / (span_s * (double)procs);
}

gboolean
lk_offered_load_misleads (double ratio, guint64 job_count, gint64 span_us)
{
  return job_count >= LK_OFFERED_LOAD_JOBS_MIN
         && span_us >= LK_OFFERED_LOAD_SPAN_MIN_S * G_USEC_PER_SEC
         && ratio >= LK_OFFERED_LOAD_HIGH_RATIO;
}

gboolean
lk_offered_load_is_high (const LkOfferedLoad *self, guint64 procs)
{
  return lk_offered_load_misleads (lk_offered_load_ratio (self, procs), self->job_count,
                                   self->last_us - self->first_us);
}

void
lk_offered_load_warn (const LkOfferedLoad *self, guint64 procs, FILE *stream)
{
  if (lk_offered_load_is_high (self, procs))
    fprintf (
        stream,
        "lockstep sim: warning: the log offers %.0f %% of what the machine can do, and its jobs "
        "come however long others wait: waits may grow without bound (docs/closed-loop.md)\n",
        100 * lk_offered_load_ratio (self, procs));
}
