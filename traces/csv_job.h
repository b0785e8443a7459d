/* traces/csv_job.h — the numbers of a row of a table, to what a job asks for and when it ran.
 *
 * Tables say how much, seldom how it was spread.  The rules of the column map fill that in:
 *
 *   nodes              of every job, where the table has no such column
 *   gpus_per_node_max  jobs of up to so many GPUs run on one node; those of more ask for GPUs in
 *                      total, on as many nodes as placement takes
 *   cpus_per_gpu       CPUs of jobs with GPUs, where the table has none
 *   shares_per_gpu     a part of a GPU becomes so many thousandths of `shard` on one node
 *   procs              what the processors of a record count: cpus (default), gpus or nodes
 *   run_from_submit    true: a job that has an end and no start ran from its submission on; its
 *                      state is then not pending but unknown
 *   run_to_limit       true: a job without a run time ran until its time limit
 *
 * CPUs of a job are those of one task on each of its nodes; where the nodes are not known, there
 * are as many tasks as CPUs.  GPUs of a job are split evenly over its nodes, or asked for in total
 * where that does not come out even.  Memory of a job is split over its nodes, else over its CPUs.
 * Memory of 0 becomes 1 MiB: for Slurm 0 is all of it.  Fractions of CPUs and GPUs are rounded up,
 * but for a GPU that is shared.
 *
 * Not here: cells (reader_csv.c), overrides of all formats (traces/reader_map.h). */
#ifndef LK_TRACES_CSV_JOB_H
#define LK_TRACES_CSV_JOB_H

#include "traces/csv_map.h"
#include "traces/record.h"

/* Bounds of a value: 31,700 years, so that sums of two fit, and what a request can hold. */
#define LK_CSV_TIME_MAX_US (G_GINT64_CONSTANT (1000000000000) * G_USEC_PER_SEC)
#define LK_CSV_COUNT_MAX (G_MAXINT32 * G_GINT64_CONSTANT (1000))

/* Values are at least 0 and within these bounds, but for an unlimited time limit. */
typedef struct {
  guint32 present;                   /* bit of each LkCsvField that has a value */
  gint64 values[LK_CSV_FIELD_COUNT]; /* of numbers; counts are thousandths */
  LkCsvPer per[LK_CSV_FIELD_COUNT];
  const char *gpu_type; /* NULL: any */
} LkCsvJob;

/* Fills times, nodes, CPUs, GPUs, memory and processors of `record`, whose texts and fields of the
 * request that have a column of their own are already there.  New texts go into `texts`.  Returns
 * NULL, or a sentence that says what is wrong with the row. */
const char *lk_csv_job_fill (const LkCsvJob *job, const LkCsvRules *rules, GStringChunk *texts,
                             LkTraceRecord *record);

#endif
