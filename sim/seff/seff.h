/* sim/seff/seff.h — what a job has used of what it held, and what its ask has cost it in waiting.
 *
 * Use is read from the accounting of a cluster (docs/accounting.md).  The cost is seen by running
 * the journal of that cluster again from the moment at which the job came, with a smaller ask of it
 * and everything else as it was: who came, how long each ran (sim/whatif). */
#ifndef LK_SIM_SEFF_SEFF_H
#define LK_SIM_SEFF_SEFF_H

#include <glib.h>

/* What is asked beyond what was used, so that a run that is a little larger still fits. */
#define LK_SEFF_SPARE_RATIO 1.25

/* X (NAME, word): what a job can ask less of. */
#define LK_SEFF_ASKS(X)                                                                            \
  X (TIME, "time limit")                                                                           \
  X (MEMORY, "memory")                                                                             \
  X (CPUS, "CPUs")                                                                                 \
  X (ALL, "all of these")

#define X(NAME, word) LK_SEFF_##NAME,
typedef enum { LK_SEFF_ASKS (X) LK_SEFF_ASK_COUNT } LkSeffAskKind;
#undef X
const char *lk_seff_ask_word (LkSeffAskKind kind);

/* A smaller ask that would have done. */
typedef struct {
  LkSeffAskKind kind;
  char *from; /* as a user writes it; NULL of all together */
  char *to;
  gboolean is_known; /* FALSE: it was not seen when it would have started */
  gint64 start_us;   /* with it */
  gint64 saved_us;   /* so much earlier; below 0: later */
} LkSeffAsk;

typedef struct {
  gint64 job_id;
  gint64 array_job_id; /* 0: of no array */
  gint64 array_task;   /* -1: none */
  gint64 het_leader;
  gint64 restarts;
  char *name;
  char *user;
  char *account;
  char *partition;
  char *state;
  gint64 exit_code;
  gint64 submit_us;
  gint64 start_us; /* 0: it has not started; so is that below */
  gint64 end_us;
  gint64 suspended_us; /* up to its last resume or end */
  gint64 suspend_us;   /* suspended: since when; else 0 */
  gint64 limit_us;     /* the largest i64: none */
  gint64 nodes;
  gint64 cpus;
  gint64 gpus;
  gint64 memory_bytes; /* held */
  gint64 usage_nodes;  /* nodes of which use is known; 0: none */
  gint64 cpu_us;
  gint64 memory_max_bytes; /* of the node that used most */
  gint64 memory_sum_bytes; /* the most of each, together */
  gint64 gpu_max_percent;
  gint64 gpu_memory_bytes; /* of all nodes */
  gint64 now_us;           /* of one that runs: until when it is counted */
  GArray *asks;            /* of LkSeffAsk */
  char *no_cost;           /* why the cost is not told; NULL: it is */
} LkSeffJob;

/* How long it has run, and has waited. */
gint64 lk_seff_run_us (const LkSeffJob *self);
gint64 lk_seff_wait_us (const LkSeffJob *self);
/* Percent of what it held; below 0: not known. */
double lk_seff_cpu_percent (const LkSeffJob *self);
double lk_seff_memory_percent (const LkSeffJob *self);
double lk_seff_time_percent (const LkSeffJob *self);
/* "7", "7_3". Returns: (transfer full). */
char *lk_seff_label (const LkSeffJob *self);

/* The last run of each of these ("7", "7_3"; of an array without a task all that have started).
 * Returns: (transfer full) of LkSeffJob*; NULL: the file cannot be read, or has no such job. */
GPtrArray *lk_seff_read (const char *path, char **words, GError **error);

/* Fills in what it costs, of a journal or a controller's directory (as `lockstep whatif --state`).
 * What keeps it from being told stands in `no_cost`. FALSE: the journal cannot be read. */
gboolean lk_seff_cost (LkSeffJob *job, const char *state, char **plugins, GError **error);

/* As a block of lines with bars of so many columns, and as a JSON object of all of them. */
void lk_seff_text (const LkSeffJob *self, gboolean is_ascii, GString *out);
void lk_seff_json (const GPtrArray *jobs, GString *out);

#endif
