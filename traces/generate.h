/* traces/generate.h — makers of logs: models of workloads, and new logs out of old ones.
 *
 * A generator hands out records by rising submit time, numbered 1, 2, 3 ..., for ever (resampling
 * ends only where the log cannot go on), and can be begun again: the same jobs, on a clock that is
 * stretched.  That is how a log gets the load that it should have (lk_generator_fit).
 *
 * The same options and the same seed give the same log; the parts of a model draw from streams of
 * their own (traces/random.h).
 *
 * Load is as Feitelson defines it: processor-seconds of all jobs, over the machine's processors
 * times the time from the first submit to the last.
 *
 * Not here: limits (sim/estimates.h puts them on), and writing (traces/writer.h). */
#ifndef LK_TRACES_GENERATE_H
#define LK_TRACES_GENERATE_H

#include <glib.h>

#include "traces/reader.h"
#include "traces/record.h"

typedef struct _LkGenerator LkGenerator;

void lk_generator_free (LkGenerator *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkGenerator, lk_generator_free)

/* Begins again, all gaps between submits times `gap_scale_ratio` > 0. Models stretch the gaps
 * before they spread them over the day, so that days stay days; resampled logs have longer days. */
void lk_generator_restart (LkGenerator *self, double gap_scale_ratio);

/* The next job; its texts live as long as self. FALSE: there is no other. */
gboolean lk_generator_next (LkGenerator *self, LkTraceRecord *out_record);

/* Processors of the machine that the jobs are made for; 0: not known, of a resampled log. */
guint64 lk_generator_procs (const LkGenerator *self);
/* Seconds since 1970 of time 0; -1 when there is no such thing. */
gint64 lk_generator_unix_start_s (const LkGenerator *self);

/* Where a log ends: at the first of both. */
typedef struct {
  guint64 job_max_count; /* G_MAXUINT64: no limit */
  gint64 submit_end_us;  /* first submit that is too late; G_MAXINT64: no limit */
} LkGenerateLimits;

typedef struct {
  guint64 job_count;
  gint64 submit_first_us;
  gint64 submit_last_us;
  double work_s; /* processor-seconds */
} LkGenerateSums;

/* Runs through a log once. */
void lk_generator_measure (LkGenerator *self, double gap_scale_ratio,
                           const LkGenerateLimits *limits, LkGenerateSums *out_sums);

/* Load of those jobs on the generator's machine; 0 when they have none. */
double lk_generate_load_ratio (const LkGenerator *self, const LkGenerateSums *sums);

/* The scale with which a log within these limits has this load, found by running through it up to
 * six times. The machine must be known. Fails when no stretching gives it: there are less than two
 * moments of submission, or no work. */
gboolean lk_generator_fit (LkGenerator *self, double load_ratio, const LkGenerateLimits *limits,
                           double *out_gap_scale_ratio, GError **error);

/* ---------------------------------------------------------------- models */

/* Lublin & Feitelson (traces/lublin.h), `procs` >= 2. With types: partitions "batch" and
 * "interactive". */
LkGenerator *lk_generate_lublin_new (guint32 procs, gboolean is_typed, guint64 seed);

/* Jobs that ask for so many GPUs make up that share of all. */
typedef struct {
  guint32 gpus;
  double share_ratio;
} LkGpuShare;

typedef struct {
  const LkGpuShare *shares; /* shares > 0; they are divided by their sum */
  guint share_count;
  guint32 gpus;                /* of the cluster */
  guint32 gpus_per_node;       /* jobs above this fill whole nodes */
  guint32 cpus_per_gpu;        /* >= 1; a job has one task for each GPU, with so many CPUs */
  gint64 memory_per_gpu_bytes; /* 0: jobs ask for none */
  const char *gpu_type;        /* "" any */
  double run_median_s;         /* of the lognormal run times, */
  double run_sigma;            /* and the standard deviation of their logarithms */
  gint64 run_max_s;            /* longer ones are drawn again */
  guint64 seed;
} LkGpuMixOptions;

/* Sizes by their shares, lognormal run times, and Poisson arrivals over the daily cycle of
 * traces/daily_cycle.h, at scale 1 with a mean gap of a minute. Fails when a size does not fit the
 * cluster or is no whole number of nodes. */
LkGenerator *lk_generate_gpu_mix_new (const LkGpuMixOptions *options, GError **error);

/* ---------------------------------------------------------------- resampling */

typedef enum {
  /* A new population of users drawn from the log's, with replacement; each gets, for every new
   * week, what its original did in a random week of the log, in whole sessions at their time of
   * the week. After Zakay & Feitelson, "Workload resampling for performance evaluation of parallel
   * job schedulers", CCPE 26(12), 2014, without their distinction of temporary users. */
  LK_RESAMPLE_USERS,
  /* Weeks of the log, drawn with replacement, one behind the other. */
  LK_RESAMPLE_WEEKS,
} LkResampleBy;

typedef struct {
  LkResampleBy by;
  gint64 session_gap_us; /* a longer pause between submits of a user begins a new session */
  guint64 procs;         /* machine; 0: what the log's header says */
  /* > 0: users are drawn until they bring this load on average (LK_RESAMPLE_USERS; weeks do not
   * change); 0: as many as the log has. */
  double load_ratio;
  guint64 seed;
} LkResampleOptions;

/* Reads all of `reader`, which must outlive self. Weeks are of seven days from midnight (UTC)
 * before the first submit; what is behind the last whole week is left out.  Jobs without submit
 * time are too.  New jobs keep what they asked for and how they ended, not when and where they
 * ran. Fails when the log has an error or is shorter than a week, and with a load when the machine
 * is not known or no job of the log does any work. */
LkGenerator *lk_generate_resample_new (LkTraceReader *reader, const LkResampleOptions *options,
                                       GError **error);
/* Jobs of the log that are drawn from. */
guint64 lk_generate_resample_job_count (const LkGenerator *self);

#endif
