/* live/client/queue/squeue_match.h — the jobs and nodes that squeue was asked for, by their names.
 *
 * Source: squeue(1), --jobs and --nodelist. */
#ifndef LK_LIVE_CLIENT_QUEUE_SQUEUE_MATCH_H
#define LK_LIVE_CLIENT_QUEUE_SQUEUE_MATCH_H

#include "engine/task_set.h"
#include "live/client/job_row.h"

/* "7", "7_3", "7_[1-4]", "7+1". FALSE: it is none. */
gboolean lk_squeue_parse_job (const char *text, guint32 *out_id, char **out_behind);
/* A list whose commas in brackets are no ends. Returns: (transfer full). */
GPtrArray *lk_squeue_split_jobs (const char *list);
/* Is it one of these? NULL: each is. */
gboolean lk_squeue_wants_job (const GPtrArray *jobs, const LkRecord_job *job);

/* The tasks of an array that wait together. FALSE: they are too many to be told one by one. The
 * set is to be cleared either way. */
gboolean lk_squeue_tasks (const LkRecord_job *job, LkTaskSet *out_tasks);
/* Of a row of such tasks, of which some are wanted, one of these alone, as in Slurm. Returns:
 * (transfer full), to be freed by g_free; NULL: the row is wanted as it is. */
LkJobRow *lk_squeue_narrow (const GPtrArray *jobs, const LkJobRow *row);

/* The nodes of a hostlist, `localhost` being this one. Returns: (transfer full); NULL: one of them
 * is none that there is, or nobody tells, which was told; `out_code` is the exit code then. */
GHashTable *lk_squeue_node_set (const LkClient *client, const char *list, int *out_code);
/* Is it on one of these? NULL: each is. */
gboolean lk_squeue_wants_node (GHashTable *nodes, const LkRecord_job *job);

#endif
