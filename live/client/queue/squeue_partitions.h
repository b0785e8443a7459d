/* live/client/queue/squeue_partitions.h — `squeue -P`: jobs that wait for one of several
 * partitions as a line for each.
 *
 * Source: squeue(1), --priority. */
#ifndef LK_LIVE_CLIENT_QUEUE_SQUEUE_PARTITIONS_H
#define LK_LIVE_CLIENT_QUEUE_SQUEUE_PARTITIONS_H

#include "live/client/client.h"

/* One row for each partition that a job may have, of those of the list (NULL: all), and in each
 * the partition's tier. Replaces `*inout_rows`, which is of LkJobRow*. FALSE: nobody tells of
 * partitions; told. */
gboolean lk_squeue_by_partition (const LkClient *client, const char *wanted,
                                 GPtrArray **inout_rows);

#endif
