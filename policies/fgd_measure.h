/* policies/fgd_measure.h — how much of a node's free GPUs a typical task could not use.
 *
 * A workload is a set of task classes with popularities.  For one class the fragment of a node is
 * all that is free of its GPUs when the class cannot run there or wants no GPU; else what is free
 * of the GPUs that have less left than the class wants of one.  The fragment of a node is the mean
 * over the classes, weighted by popularity, in GPUs.
 *
 * Source: Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with
 * Fragmentation Gradient Descent", USENIX ATC 2023. Memory does not count, as there. */
#ifndef LK_POLICIES_FGD_MEASURE_H
#define LK_POLICIES_FGD_MEASURE_H

#include <glib.h>

#include "engine/policy.h"

#define LK_FGD_CLASS_MAX 256
#define LK_FGD_DEVICE_MAX 64

/* What tasks of a class ask of one node. Not both of `gpus` and `shares` are above 0. */
typedef struct {
  uint32_t cpus;
  uint32_t gpus;     /* whole ones */
  uint32_t shares;   /* of one GPU */
  uint32_t gpu_type; /* 0: any */
  uint64_t count;    /* popularity, at least 1 */
} LkFgdClass;

/* Classes in the order that measuring needs. */
typedef struct {
  LkFgdClass shared[LK_FGD_CLASS_MAX]; /* that want shares, by rising `shares` */
  uint32_t shared_count;
  LkFgdClass whole[LK_FGD_CLASS_MAX]; /* that want whole GPUs, by rising `gpus` */
  uint32_t whole_count;
  double other_sum; /* popularity of those that want none */
  double sum;       /* of all */
} LkFgdWorkload;

/* What is free on a node. */
typedef struct {
  uint32_t cpus_free;
  uint32_t gpu_type;
  uint32_t device_count; /* at most LK_FGD_DEVICE_MAX */
  uint32_t shares_per_device;
  const uint32_t *device_shares_free;
} LkFgdNode;

/* At most LK_FGD_CLASS_MAX classes. */
void lk_fgd_workload_set (LkFgdWorkload *self, const LkFgdClass *classes, uint32_t class_count);

/* In GPUs. 0 for an empty workload. O(classes * devices). */
double lk_fgd_fragment (const LkFgdWorkload *workload, const LkFgdNode *node);

/* By how much the fragment grows when a task of this class (its type and count do not matter) runs
 * on the node: the least for any device that holds its shares.  `out_device`: that device, of equal
 * ones the first; LK_NODE_NONE for a task without shares or a node that does not hold them.
 * O(classes + devices * log (classes) + devices squared). */
double lk_fgd_change (const LkFgdWorkload *workload, const LkFgdNode *node, const LkFgdClass *task,
                      uint32_t *out_device);

#endif
