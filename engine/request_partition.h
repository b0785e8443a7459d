/* engine/request_partition.h — the partitions of a request. */
#ifndef LK_ENGINE_REQUEST_PARTITION_H
#define LK_ENGINE_REQUEST_PARTITION_H

#include "engine/machine.h"

/* Fills the partitions that the job names, and that for which the rest is resolved: at home, where
 * it deserves most, the first of equal ones; else that of its place. */
LkReject lk_request_find_partitions (LkRequest *self, const LkMachine *machine, LkText names);

/* Does a job deserve more in partition `a` than in `b`? */
gboolean lk_request_partition_before (const LkMachine *machine, guint32 a, guint32 b);

/* May this account, group and QOS use the partition? If not, the request can never run. */
void lk_request_check_access (LkRequest *self, const LkPartitionSpec *partition,
                              const LkJobRequest *asked);

/* Notes why the request can never run, if that is not known yet. */
void lk_request_never (LkRequest *self, LkReason reason, LkReject reject);

#endif
