/* live/client/job_row.h — jobs as the controller tells of them, kept for a table. */
#ifndef LK_LIVE_CLIENT_JOB_ROW_H
#define LK_LIVE_CLIENT_JOB_ROW_H

#include "live/client/client.h"
#include "live/core/batch.h"

typedef struct {
  LkRecord_job job;
  const LkBatch *batch;   /* what was submitted, where that was asked for and told; else zero */
  const char *user;       /* name, or the number of a user who has none; interned */
  const char *group;      /* likewise */
  guint32 partition_tier; /* of the one partition of a line of squeue -P; else 0 */
  guint32 array_limit;    /* how many tasks of its array may run at once; 0: not known */
  guint32 het_last; /* of one of several components: the offset of the last one that is told of */
  _Alignas(LkBatch) guint8 bytes[]; /* that `batch` and the texts of `job` lie in */
} LkJobRow;

/* All that a query tells of, by rising id. Returns: (transfer full) of LkJobRow*; NULL: the
 * controller cannot be asked. */
GPtrArray *lk_job_rows (const LkClient *client, const LkClientQuery *query, GError **error);
/* Sorts rows as slurmctld lists its job records: by creation.  A task that is split off its array
 * gets the place of the array's record, which moves behind all jobs of that time; the new id tells
 * when that was. */
void lk_job_rows_sort_as_created (GPtrArray *rows);
/* A copy of its own. Returns: (transfer full), to be freed by g_free. */
LkJobRow *lk_job_row_copy (const LkJobRow *row);

/* "7", "7_4", of tasks that wait "7_[5-9%2]", of a component "7+1". */
void lk_job_row_label (const LkJobRow *row, GString *out);
/* Slurm's word, and its short one: "COMPLETING" and "CG" for what is over and not yet gone. */
const char *lk_job_row_state (const LkJobRow *row);
const char *lk_job_row_state_short (const LkJobRow *row);
/* Has it been started in this life? */
gboolean lk_job_row_has_started (const LkJobRow *row);
/* How long it has run, or ran, without the time that it was suspended. */
gint64 lk_job_row_used_us (const LkJobRow *row, gint64 now_us);
/* How long it had run before it was last suspended or resumed; 0: it never was. */
gint64 lk_job_row_ran_before_suspend_us (const LkJobRow *row);
/* How long it has been suspended in its run. */
gint64 lk_job_row_suspended_us (const LkJobRow *row, gint64 now_us);
/* The node that its script runs on: the first. "" for none. Appends. */
void lk_job_row_batch_host (const LkJobRow *row, GString *out);

/* What the job holds on each node, "gpu:a100:1(IDX:0)" by the name of the node; only of a query
 * with payload. Returns: (transfer full). */
GHashTable *lk_job_row_gres (const LkJobRow *row);

/* When the scheduler last looked at it, as far as that can be told. */
gint64 lk_job_row_looked_us (const LkJobRow *row, gint64 now_us);
/* May it be sent back to wait when its node fails? */
gboolean lk_job_row_may_requeue (const LkJobRow *row);
/* Of a component the numbers of all that are told of: "12-14". Appends. */
void lk_job_row_components (const LkJobRow *row, GString *out);

/* A state by its word or its short one, in either case. FALSE: there is none. */
gboolean lk_state_parse (const char *word, LkJobState *out_state);

#endif
