/* sim/page/page_data.h — the runs of a page as they are in memory: jobs, where they ran, numbers.
 *
 * One form for all that a page can be made of: results of simulations (page_results.h) and the
 * accounting of a live cluster (page_accounting.h).  Times are those of the run's own clock;
 * `shift_us` makes them times of the page (page_clock.h).
 *
 * Not here: what is drawn of it. */
#ifndef LK_SIM_PAGE_DATA_H
#define LK_SIM_PAGE_DATA_H

#include <glib.h>

#include "engine/policy.h"
#include "sim/statistics/run_names.h"

#define LK_PAGE_NONE G_MAXUINT32
#define LK_PAGE_RUNS_MAX 8u
#define LK_PAGE_REASONS_MAX 8u /* that are told of one job */

/* ---------------------------------------------------------------- texts */

/* Each text once; numbered from 0 in the order in which they came. */
typedef struct {
  GPtrArray *texts;  /* of char * */
  GHashTable *index; /* text to number + 1; only looked up */
} LkPageNames;

/* "" and NULL: LK_PAGE_NONE. Bytes that are not UTF-8 are replaced. */
guint32 lk_page_names_add (LkPageNames *self, const char *text);
/* NULL for LK_PAGE_NONE. Returns: (transfer none). */
const char *lk_page_names_text (const LkPageNames *self, guint32 name);

/* ---------------------------------------------------------------- jobs */

/* Rows of the machine, one behind the other: nodes, or processors of a counted pool. */
typedef struct {
  guint32 first;
  guint32 count;
} LkPagePlace;

/* So long a job waited, and why, as Slurm would show it. */
typedef struct {
  guint32 reason; /* number of LkReason */
  gint64 wait_us;
} LkPageWait;

/* What classes can be made of. X (NAME, word in names of files, as people write it). */
#define LK_PAGE_FIELDS(X)                                                                          \
  X (USER, "user", "user")                                                                         \
  X (ACCOUNT, "account", "account")                                                                \
  X (QOS, "qos", "QOS")                                                                            \
  X (PARTITION, "partition", "partition")

typedef enum {
#define X(NAME, word, heading) LK_PAGE_##NAME,
  LK_PAGE_FIELDS (X)
#undef X
      LK_PAGE_FIELD_COUNT
} LkPageField;

/* One run of a job. Numbers of texts may be LK_PAGE_NONE. */
typedef struct {
  gint64 number;
  gint64 user_number; /* in the log; -1: none */
  guint32 id;         /* text: its id, where that is not the number (123_4) */
  guint32 title;      /* text: the name that its user gave it */
  guint32 fields[LK_PAGE_FIELD_COUNT];
  guint32 state;
  guint32 procs;
  guint32 gpus_milli;
  gint64 submit_us;
  gint64 start_us;     /* LK_TIME_NEVER: not yet, or never */
  gint64 end_us;       /* LK_TIME_NEVER: not yet */
  gint64 limit_us;     /* LK_TIME_NEVER: none */
  guint32 place_first; /* in `places` of the run */
  guint32 place_count;
  guint32 wait_first; /* in `waits` of the run */
  guint32 wait_count;
  gboolean is_backfilled;
  gboolean is_requeued; /* this run ended with a requeue */
} LkPageJob;

/* ---------------------------------------------------------------- numbers of a run */

/* X (NAME, column of table run, text, unit, better: -1 less, 1 more, 0 neither, factor). */
#define LK_PAGE_METRICS(X)                                                                         \
  X (JOBS, "jobs", "Jobs that ran", "", 0, 1)                                                      \
  X (WAIT_MEAN, "mean_wait_s", "Wait, mean", "s", -1, 1)                                           \
  X (WAIT_MEDIAN, "median_wait_s", "Wait, median", "s", -1, 1)                                     \
  X (WAIT_P95, "p95_wait_s", "Wait, 95th percentile", "s", -1, 1)                                  \
  X (WAIT_MAX, "max_wait_s", "Wait, longest", "s", -1, 1)                                          \
  X (SLOWDOWN_MEAN, "mean_bounded_slowdown", "Bounded slowdown, mean", "x", -1, 1)                 \
  X (SLOWDOWN_MEDIAN, "median_bounded_slowdown", "Bounded slowdown, median", "x", -1, 1)           \
  X (SLOWDOWN_P95, "p95_bounded_slowdown", "Bounded slowdown, 95th percentile", "x", -1, 1)        \
  X (UTILIZATION, "utilization", "Utilization", "%", 1, 100)                                       \
  X (MAKESPAN, "makespan_s", "Makespan", "s", -1, 1)                                               \
  X (BACKFILLED, "backfilled_jobs", "Backfilled jobs", "", 0, 1)                                   \
  X (KILLED, "killed_jobs", "Killed at their limit", "", 0, 1)                                     \
  X (UNSTARTED, "unstarted_jobs", "Never started", "", -1, 1)                                      \
  X (REQUEUED, "requeued_jobs", "Runs that were requeued", "", -1, 1)                              \
  X (PREEMPTED, "preempted_jobs", "Times displaced", "", 0, 1)                                     \
  X (GPU_ALLOCATION, "gpu_allocation", "GPUs allocated, mean", "%", 1, 100)                        \
  X (GPU_PEAK, "gpu_allocation_peak", "GPUs allocated, peak", "%", 0, 100)                         \
  X (GPU_FRAGMENTATION, "gpu_fragmentation", "GPU fragmentation, mean", "%", -1, 100)

typedef enum {
#define X(NAME, column, text, unit, better, factor) LK_PAGE_METRIC_##NAME,
  LK_PAGE_METRICS (X)
#undef X
      LK_PAGE_METRIC_COUNT
} LkPageMetric;

/* A moment of cluster.csv. */
typedef struct {
  gint64 time_us;
  double gpus;
  double gpus_total;
  double fragmentation_ratio; /* of all GPUs */
} LkPageSample;

/* FairShare of the accounts of a run over time. */
typedef struct {
  GPtrArray *accounts; /* of char *, as the associations have them */
  GArray *times_us;    /* of gint64 */
  GArray *factors;     /* of double: a row of all accounts for each time; NaN: none */
} LkPageFairshare;

/* sim/statistics/paired.h, which cannot be included next to the reader of tables. */
typedef struct _LkPaired LkPaired;
void lk_paired_free (LkPaired *self);

typedef struct {
  char *source; /* as it was named */
  char *label;  /* unique on the page */
  char *run_id; /* of a simulation; "" else; so are the next ones */
  char *digest;
  char *trace;
  char *machine;
  char *policies;
  char *facts[LK_RUN_ASPECT_COUNT]; /* how it was made; NULL: not known */
  gint64 window_begin_us;           /* jobs submitted from here on are compared, */
  gint64 window_end_us;             /* and before here */
  LkPaired *paired;                 /* against the first run; NULL: it is that */
  gboolean is_live;
  double metrics[LK_PAGE_METRIC_COUNT]; /* NaN: there is none */
  guint64 procs;                        /* of the machine; 0: not known */
  gint64 unix_start_us;                 /* date of time 0; LK_TIME_NEVER: not known */
  gint64 shift_us;                      /* from the run's times to those of the page */
  gint64 begin_us;                      /* first submission */
  gint64 end_us;                        /* last end, or the last moment that is known */
  LkPageNames names;
  GArray *jobs;    /* of LkPageJob, by submission */
  GArray *places;  /* of LkPagePlace */
  GArray *waits;   /* of LkPageWait */
  GArray *samples; /* of LkPageSample */
  GPtrArray *rows; /* names of the machine's rows; empty: `row_count` processors */
  guint32 row_count;
  gboolean has_reasons;      /* a journal has told why jobs waited */
  LkPageFairshare fairshare; /* accounts empty: there is none */
} LkPageRun;

/* Returns: (transfer full). */
LkPageRun *lk_page_run_new (const char *source);
void lk_page_run_free (LkPageRun *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkPageRun, lk_page_run_free)

/* When all jobs are there: puts them in order of submission, finds first and last moment, and says
 * on which processors of a counted pool they ran (page_place.h). */
void lk_page_run_settle (LkPageRun *self);

static inline const LkPageJob *
lk_page_run_job (const LkPageRun *self, guint index)
{
  return &g_array_index (self->jobs, LkPageJob, index);
}

/* "123", or "123_4". Returns: (transfer full). */
char *lk_page_job_id (const LkPageRun *self, const LkPageJob *job);

/* How long it waited, at least 0: of one that has not started, up to the last moment. */
gint64 lk_page_job_wait_us (const LkPageRun *self, const LkPageJob *job);

#endif
