/* sim/study/shard.h — which part of a plan this process runs. */
#ifndef LK_SIM_STUDY_SHARD_H
#define LK_SIM_STUDY_SHARD_H

#include <glib.h>

/* Runs whose place in the plan leaves `index` when divided by `count`. */
typedef struct {
  guint index; /* from 0 */
  guint count; /* 1: all of the plan */
} LkStudyShard;

/* What a process that mpirun (Open MPI, MPICH) has started is told by it; FALSE: it is no such one,
 * or the only one. No MPI is needed for that: the processes share files, not messages. */
gboolean lk_study_shard_of_rank (LkStudyShard *out_shard);

/* "K/N" with K from 1, or "array": what the tasks of an array job are told by SLURM_ARRAY_TASK_ID,
 * _MIN, _STEP and _COUNT. LK_SIM_ERROR_USAGE. */
gboolean lk_study_shard_parse (const char *text, LkStudyShard *out_shard, GError **error);

#endif
