/* live/client/accounting/sacct.h — what the parts of sacct share: rows, as accounting has kept
 * them. */
#ifndef LK_LIVE_CLIENT_ACCOUNTING_SACCT_H
#define LK_LIVE_CLIENT_ACCOUNTING_SACCT_H

#include "live/accounting/step_schema.h"
#include "live/client/client.h"
#include "traces/fields.h"

/* Of all nodes of a run. */
typedef struct {
  gint64 user_cpu_us;
  gint64 system_cpu_us;
  gint64 max_rss_bytes; /* the largest */
  gint64 sum_rss_bytes;
  gint64 max_gpu_memory_bytes; /* likewise */
  gint64 sum_gpu_memory_bytes;
  gint64 max_gpu_percent;
  gint64 sum_gpu_percent;
  gint64 node_count; /* 0: nothing is known */
} LkSacctUsage;

/* A run of a job. */
typedef struct {
  LkAccountingJob job;
  LkSacctUsage usage;
  const char *user;      /* name, or the number of a user who has none; interned */
  const char *group;     /* likewise */
  GArray *steps;         /* of LkAccountingStep, by number; NULL: none */
  gint64 association_id; /* as sacctmgr numbers it; 0: of none */
} LkSacctJob;

typedef struct {
  GPtrArray *jobs; /* of LkSacctJob *, by id and life */
  GStringChunk *texts;
  char *cluster;
} LkSacctBook;
void lk_sacct_book_clear (LkSacctBook *self);
/* The name of the cluster. Returns: (transfer full). */
struct sqlite3;
char *lk_sacct_book_cluster (struct sqlite3 *db);
/* Has the file at `path` jobs or associations of a user by this name, who may have left? */
gboolean lk_sacct_book_has_user (const char *path, const char *name);
/* Where accounting keeps it, whether it is there or not. Returns: (transfer full). */
char *lk_sacct_book_path (const LkClient *client);

/* Waits until the file is as far as the controller is now: at most a second, and not at all where
 * none can be reached. */
void lk_sacct_book_await (const LkClient *client, const char *path);

/* Which runs are read at all: those of one job with its family, or that were there in a time. */
typedef struct {
  GArray *job_ids; /* of gint64, any number of times; NULL: all jobs */
  gint64 from_us;
  gint64 to_us;
  gint64 user_id; /* -1: any */
} LkSacctRange;
/* Opens the file for reading, as far as the controller is now; others may write it meanwhile.
 * Returns: (transfer full); NULL: there is none, or it cannot be read; told. */
struct sqlite3 *lk_sacct_book_open (const LkClient *client);
/* Reads the file at `path`. FALSE: there is none, or it cannot be read. */
gboolean lk_sacct_book_read (LkSacctBook *self, const char *path, const LkSacctRange *range,
                             GError **error);

/* A line of the table: a job, or the step of its script, or another one. */
typedef struct {
  const LkSacctJob *job;        /* of a step as lk_sacct_step_job makes it */
  gboolean is_batch;            /* it is a step */
  const LkAccountingStep *step; /* NULL: that of the script, or none */
} LkSacctRow;
/* The job with the CPU time of its script alone: what its steps have used is counted with the run.
 * Memory is that of all of it at its most, as it cannot be told apart afterwards. */
LkSacctJob lk_sacct_batch_job (const LkSacctJob *job);
/* The job with what of it is told of a step: when, how it ended, what it used. */
LkSacctJob lk_sacct_step_job (const LkSacctJob *job, const LkAccountingStep *step);

typedef struct {
  const LkClient *client;
  const char *cluster;
  char unit;                         /* --units: K, M, G, T or P; 0: as it comes */
  gboolean no_convert;               /* --noconvert: TRES in M */
  gboolean expands;                  /* --expand-patterns */
  const struct _LkShape *step_shape; /* as JSON: of a step */
} LkSacctReport;

/* All columns; the report of their cells is an LkSacctReport, and a row an LkSacctRow. */
extern const LkField lk_sacct_fields[];

/* What a step has used of each TRES, as far as it is measured; nothing where nothing is known. */
typedef enum { LK_SACCT_USE_TOTAL, LK_SACCT_USE_MEAN, LK_SACCT_USE_MAX } LkSacctUse;
void lk_sacct_step_use (const LkAccountingStep *step, LkSacctUse which, GString *out);
/* The same of what it has written. */
void lk_sacct_step_written (const LkAccountingStep *step, LkSacctUse which, GString *out);
/* By which task, and on which node, most of each was used. */
void lk_sacct_step_tasks (const LkAccountingStep *step, GString *out);
void lk_sacct_step_nodes (const LkAccountingStep *step, GString *out);

/* Has its script begun? Of a heterogeneous job the first component has it; an allocation of
 * salloc or srun has none. */
static inline gboolean
lk_sacct_has_batch (const LkAccountingJob *job)
{
  return job->run_id != 0 && job->het_offset == 0 && job->kind == 0;
}

/* "7", "7_4", "7_[5-9%2]", "7+1". */
void lk_sacct_label (const LkClient *client, const LkAccountingJob *job, GString *out);
/* Slurm's word; "CANCELLED by 1001". */
void lk_sacct_state (const LkSacctRow *row, GString *out);
/* How long it ran, or has run: not while it was suspended. */
gint64 lk_sacct_elapsed_us (const LkSacctJob *job, gint64 now_us);
gint64 lk_sacct_suspended_us (const LkSacctJob *job, gint64 now_us);
/* The highest of its steps, of which that of the script is none; exit codes are above signals. */
void lk_sacct_derived (const LkSacctJob *job, gint64 *out_exit_code, gint64 *out_signal);

/* A file of its script. Returns: (transfer full), "" where there is none. */
typedef enum { LK_SACCT_FILE_IN, LK_SACCT_FILE_OUT, LK_SACCT_FILE_ERR } LkSacctFile;
char *lk_sacct_file (const LkSacctJob *job, LkSacctFile which, gboolean is_expanded);

/* Prints the script that a job was submitted with, or its environment; "NONE" where the controller
 * does not tell it any more. FALSE: it cannot be asked; told. */
gboolean lk_sacct_batch_print (const LkClient *client, const LkSacctJob *job,
                               gboolean is_environment, gboolean no_heading);

/* The table of options for docs/commands.md. */
void lk_sacct_markdown (GString *out);

#endif
