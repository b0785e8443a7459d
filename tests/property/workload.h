/* tests/property/workload.h — small random workloads from a seed.
 *
 * Each seed first draws a style (how ties, gaps, sizes, estimates and overruns are spread), so
 * that rare shapes are common in some workloads instead of rare in all of them.  Times are whole
 * seconds. */
#ifndef LK_TESTS_PROPERTY_WORKLOAD_H
#define LK_TESTS_PROPERTY_WORKLOAD_H

#include <glib.h>

#include "tests/property/brute.h"

#define LK_WORKLOAD_JOBS_MAX 40u
#define LK_WORKLOAD_CHANGES_MAX 64u

/* splitmix64 (Steele, Lea & Flood 2014). */
typedef struct {
  guint64 state;
} LkSeed;
guint64 lk_seed_next (LkSeed *self);
/* Uniform enough in [0, limit). */
guint32 lk_seed_below (LkSeed *self, guint32 limit);
/* TRUE `percent` times of 100. */
gboolean lk_seed_chance (LkSeed *self, guint32 percent);

typedef struct {
  guint32 id;
  guint32 user_id;
  guint32 group_id;
  guint32 partition_id;
  guint32 procs;
  gint64 submit_s;
  gint64 run_s;
  gint64 estimate_s;
} LkWorkloadJob;

typedef enum {
  LK_WORKLOAD_CANCEL,
  LK_WORKLOAD_HOLD,
  LK_WORKLOAD_RELEASE,
  LK_WORKLOAD_UPDATE
} LkWorkloadChangeKind;

/* Something that a user or an administrator asks for. */
typedef struct {
  LkWorkloadChangeKind kind;
  gint64 at_s;
  guint32 job_id;
  guint32 present; /* of an update: bit 0 procs, bit 1 estimate */
  guint32 procs;
  gint64 estimate_s;
} LkWorkloadChange;

typedef struct {
  guint32 procs; /* of the machine */
  guint job_count;
  guint change_count;
  LkWorkloadJob jobs[LK_WORKLOAD_JOBS_MAX]; /* by submit time; ids ascend */
  LkWorkloadChange changes[LK_WORKLOAD_CHANGES_MAX];
} LkWorkload;

/* Jobs only; in some workloads a few are cancelled. */
void lk_workload_generate (guint64 seed, LkWorkload *out_workload);
/* Adds changes of every kind at random moments, some for jobs that do not exist. */
void lk_workload_disturb (guint64 seed, LkWorkload *workload);
/* Takes job `index` out, with its changes. */
void lk_workload_drop_job (LkWorkload *workload, guint index);
/* The same as input of the naive scheduler, which knows no change but one cancellation a job.
 * Returns the count. */
int lk_workload_brute_jobs (const LkWorkload *workload, LkBruteJob *out_jobs);
/* A table for people. */
void lk_workload_print (const LkWorkload *workload, GString *out);

#endif
