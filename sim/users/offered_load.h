/* sim/users/offered_load.h — how much work the jobs of a run bring, and whether that is so much
 * that waits of an open loop mean little. */
#ifndef LK_SIM_USERS_OFFERED_LOAD_H
#define LK_SIM_USERS_OFFERED_LOAD_H

#include <stdio.h>

#include <glib.h>

#define LK_OFFERED_LOAD_HIGH_RATIO 0.9
#define LK_OFFERED_LOAD_JOBS_MIN 1000u
#define LK_OFFERED_LOAD_SPAN_MIN_S G_GINT64_CONSTANT (86400)

typedef struct {
  double work_s; /* processors times run time */
  gint64 first_us;
  gint64 last_us;
  guint64 job_count;
} LkOfferedLoad;

void lk_offered_load_add (LkOfferedLoad *self, gint64 submit_us, gint64 run_us, guint32 procs);
/* Work over what the machine could do from the first submit to the last; NaN: no time passed. */
double lk_offered_load_ratio (const LkOfferedLoad *self, guint64 procs);
/* Is it at least 0.9, of a log long enough to tell: 1000 jobs and a day? FALSE for NaN. */
gboolean lk_offered_load_misleads (double ratio, guint64 job_count, gint64 span_us);
gboolean lk_offered_load_is_high (const LkOfferedLoad *self, guint64 procs);
/* One line where it is high. */
void lk_offered_load_warn (const LkOfferedLoad *self, guint64 procs, FILE *stream);

#endif
