/* tests/oracle/place_order.h — the parts of Slurm's scheduling that placement does not depend on
 * but the recordings do: who is considered first, and whom a job that waits holds back.
 *
 * Jobs of partitions with a higher tier go first, then of those with a higher job factor; under
 * sched/builtin a job that waits holds back those behind it in its partition. */
#ifndef LK_TESTS_ORACLE_PLACE_ORDER_H
#define LK_TESTS_ORACLE_PLACE_ORDER_H

#include "policies/registry.h"

/* Specifications of the order policy, and of the backfill policy that lk_place_order_add makes
 * known. */
#define LK_PLACE_ORDER "expr:-group"
#define LK_PLACE_FIFO "fifo_by_partition"

void lk_place_order_add (LkRegistry *registry);

/* Numbers for a submit event: the partition's, and its place among partitions. */
void lk_place_order_partition (const LkCluster *cluster, LkText name, guint32 *out_partition,
                               guint32 *out_rank);

#endif
