/* tests/dst/swarm.h — which faults a seed has, and when they come.
 *
 * Each seed has a choice of kinds: none, one, or many.  That finds more than all at once: what is
 * always there hides what it would bring alone (Groce et al. 2012, "Swarm Testing"). */
#ifndef LK_TESTS_DST_SWARM_H
#define LK_TESTS_DST_SWARM_H

#include "tests/dst/cluster.h"
#include "tests/engine/seed.h"

/* X (NAME, name): the first come by chance, as rates; those behind NODE_CRASH's line at moments. */
#define DST_FAULT_KINDS(X)                                                                         \
  X (DELAY, "delay")                                                                               \
  X (LOSS, "loss")                                                                                 \
  X (DUPLICATES, "duplicates")                                                                     \
  X (REORDER, "reorder")                                                                           \
  X (SLOW_DISK, "slow disk")                                                                       \
  X (FAILING_DISK, "failing disk")                                                                 \
  X (READ_ERRORS, "read errors")                                                                   \
  X (MISDIRECTED, "misdirected writes")                                                            \
  X (AGENT_DISK, "agents' disks")                                                                  \
  X (LATE_CLOCKS, "late clocks")                                                                   \
  X (PROLOGS, "prologs")                                                                           \
  X (EPILOGS, "epilogs")                                                                           \
  X (STUBBORN, "stubborn jobs")                                                                    \
  X (UNDYING, "undying jobs")                                                                      \
  X (NO_SUPERVISOR, "no supervisor")                                                               \
  X (NODE_CRASH, "nodes crash")                                                                    \
  X (AGENT_CRASH, "agents crash")                                                                  \
  X (CONTROLLER_CRASH, "controller crashes")                                                       \
  X (POWER_LOSS, "controller loses power")                                                         \
  X (CRASH_AT_WRITE, "crashes at writes")                                                          \
  X (PARTITIONS, "partitions")                                                                     \
  X (CLOCK_JUMPS, "clock jumps")                                                                   \
  X (DISK_FULL, "disk full")                                                                       \
  X (CLIENT_CRASH, "users crash")

typedef enum {
#define X(NAME, name) DST_FAULT_##NAME,
  DST_FAULT_KINDS (X)
#undef X
      DST_FAULT_COUNT
} DstFaultKind;
#define DST_FAULT_FIRST_MOMENT DST_FAULT_NODE_CRASH

typedef struct {
  DstCluster *cluster;
  Seed seed;
  guint32 kinds; /* set of DstFaultKind */
  DstFaults faults;
  gint64 pause_max_us; /* between two moments */
  gboolean is_over;
} DstSwarm;

/* Draws the kinds, and begins, without those of a set. The cluster outlives it. */
void dst_swarm_begin (DstSwarm *self, DstCluster *cluster, guint64 seed, guint32 without);
/* No fault comes any more; what is there stays. */
void dst_swarm_end (DstSwarm *self);
gboolean dst_swarm_has (const DstSwarm *self, DstFaultKind kind);
/* Names of the kinds. Returns: (transfer full). */
char *dst_swarm_text (const DstSwarm *self);

#endif
