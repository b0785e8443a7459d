/* engine/policy_accounts.h — what a policy may read of accounts and partitions; a part of
 * engine/policy.h, by which it is included.
 *
 * Like that it needs nothing but the C standard types. */
#ifndef LK_ENGINE_POLICY_ACCOUNTS_H
#define LK_ENGINE_POLICY_ACCOUNTS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Trackable resources (TRES) by index.  These are always there, in this order, as Slurm has them;
 * those that a site adds (gres/gpu, license/x) follow. */
#define LK_TRES_CPU 0u
#define LK_TRES_MEMORY 1u /* MiB */
#define LK_TRES_ENERGY 2u
#define LK_TRES_NODE 3u
#define LK_TRES_BILLING 4u
#define LK_TRES_DISK 5u
#define LK_TRES_VMEM 6u
#define LK_TRES_PAGES 7u
#define LK_TRES_FIXED 8u
#define LK_TRES_MAX 64u

/* Kinds of limits: X (NAME, number, where it can be set, what its value is, its name for sacctmgr).
 * Where: A associations, Q QOS, AQ both.  Values: COUNT; MINUTES; of each TRES, TRES (how many) or
 * TRES_MINUTES.  Numbers are for ever. */
#define LK_LIMIT_KINDS(X)                                                                          \
  X (GRP_JOBS, 0, AQ, COUNT, "GrpJobs")                                                            \
  X (GRP_JOBS_ACCRUE, 1, AQ, COUNT, "GrpJobsAccrue")                                               \
  X (GRP_SUBMIT_JOBS, 2, AQ, COUNT, "GrpSubmitJobs")                                               \
  X (GRP_TRES, 3, AQ, TRES, "GrpTRES")                                                             \
  X (GRP_TRES_MINS, 4, AQ, TRES_MINUTES, "GrpTRESMins")                                            \
  X (GRP_TRES_RUN_MINS, 5, AQ, TRES_MINUTES, "GrpTRESRunMins")                                     \
  X (GRP_WALL, 6, AQ, MINUTES, "GrpWall")                                                          \
  X (MAX_JOBS, 7, A, COUNT, "MaxJobs")                                                             \
  X (MAX_JOBS_PER_USER, 8, Q, COUNT, "MaxJobsPerUser")                                             \
  X (MAX_JOBS_PER_ACCOUNT, 9, Q, COUNT, "MaxJobsPerAccount")                                       \
  X (MAX_JOBS_ACCRUE, 10, A, COUNT, "MaxJobsAccrue")                                               \
  X (MAX_JOBS_ACCRUE_PER_USER, 11, Q, COUNT, "MaxJobsAccruePerUser")                               \
  X (MAX_JOBS_ACCRUE_PER_ACCOUNT, 12, Q, COUNT, "MaxJobsAccruePerAccount")                         \
  X (MAX_SUBMIT_JOBS, 13, A, COUNT, "MaxSubmitJobs")                                               \
  X (MAX_SUBMIT_JOBS_PER_USER, 14, Q, COUNT, "MaxSubmitJobsPerUser")                               \
  X (MAX_SUBMIT_JOBS_PER_ACCOUNT, 15, Q, COUNT, "MaxSubmitJobsPerAccount")                         \
  X (MAX_TRES_PER_JOB, 16, AQ, TRES, "MaxTRESPerJob")                                              \
  X (MAX_TRES_PER_NODE, 17, AQ, TRES, "MaxTRESPerNode")                                            \
  X (MAX_TRES_PER_USER, 18, Q, TRES, "MaxTRESPerUser")                                             \
  X (MAX_TRES_PER_ACCOUNT, 19, Q, TRES, "MaxTRESPerAccount")                                       \
  X (MAX_TRES_MINS_PER_JOB, 20, AQ, TRES_MINUTES, "MaxTRESMinsPerJob")                             \
  X (MAX_TRES_RUN_MINS_PER_USER, 21, Q, TRES_MINUTES, "MaxTRESRunMinsPerUser")                     \
  X (MAX_TRES_RUN_MINS_PER_ACCOUNT, 22, Q, TRES_MINUTES, "MaxTRESRunMinsPerAccount")               \
  X (MAX_WALL_PER_JOB, 23, AQ, MINUTES, "MaxWallDurationPerJob")                                   \
  X (MIN_TRES_PER_JOB, 24, Q, TRES, "MinTRESPerJob")                                               \
  X (MIN_PRIO_THRESHOLD, 25, AQ, COUNT, "MinPrioThreshold")

typedef enum {
#define X(NAME, number, where, value, sacctmgr) LK_LIMIT_##NAME = number,
  LK_LIMIT_KINDS (X)
#undef X
} LkLimitKind;
#define LK_LIMIT_KIND_COUNT 26u

/* One limit that is set.  What is not set has no item; 0 is a limit. */
typedef struct LkLimitItem {
  uint32_t kind; /* LkLimitKind */
  uint32_t tres; /* index; 0 where the kind has no TRES */
  uint64_t value;
} LkLimitItem;

/* A run of LkAccountsView.limits, by kind, then TRES. */
typedef struct LkLimitRun {
  uint32_t first;
  uint32_t count;
} LkLimitRun;

/* What is in use by an association and all below it, a QOS, or a user or account within a QOS.
 * Arrays have one entry for each TRES. */
typedef struct LkUse {
  uint32_t running;           /* jobs */
  uint32_t submitted;         /* jobs, pending and running */
  uint32_t accruing;          /* pending jobs whose age grows */
  double usage;               /* raw usage: billing seconds, decayed */
  double wall_s;              /* wall time of jobs, decayed */
  const uint64_t *tres;       /* allocated; nodes are counted once however many jobs share them */
  const uint64_t *tres_run_s; /* TRES-seconds that running jobs may still use, by their limits */
  const double *tres_s;       /* TRES-seconds used, decayed */
} LkUse;

#define LK_SHARES_PARENT UINT32_MAX /* FairShare=parent */

typedef struct LkAssociationView {
  uint32_t parent; /* LK_INDEX_NONE: this is the root, index 0 */
  uint32_t first_child;
  uint32_t next_sibling;
  uint32_t is_user;
  uint32_t account; /* numbers that stand for the names */
  uint32_t user;    /* LK_INDEX_NONE: none */
  uint32_t shares;  /* or LK_SHARES_PARENT */
  uint32_t priority;
  double fairshare;  /* its factor, as the order last calculated it; 1 where no order does */
  LkLimitRun limits; /* set on itself */
  LkLimitRun
      job_limits; /* Max* of a single job or a leaf that hold here: its own, else those of the
                            nearest account above that has one */
  LkUse use;
} LkAssociationView;

/* Flags of a QOS: X (NAME, bit, as sacctmgr writes it). */
#define LK_QOS_FLAGS(X)                                                                            \
  X (PARTITION_MIN_NODES, 0, "PartitionMinNodes")                                                  \
  X (PARTITION_MAX_NODES, 1, "PartitionMaxNodes")                                                  \
  X (PARTITION_TIME_LIMIT, 2, "PartitionTimeLimit")                                                \
  X (ENFORCE_USAGE_THRESHOLD, 3, "EnforceUsageThreshold")                                          \
  X (NO_RESERVE, 4, "NoReserve")                                                                   \
  X (REQUIRES_RESERVATION, 5, "RequiresReservation")                                               \
  X (DENY_ON_LIMIT, 6, "DenyOnLimit")                                                              \
  X (OVER_PART_QOS, 7, "OverPartQOS")                                                              \
  X (NO_DECAY, 8, "NoDecay")                                                                       \
  X (USAGE_FACTOR_SAFE, 9, "UsageFactorSafe")                                                      \
  X (RELATIVE, 10, "Relative")

typedef enum {
#define X(NAME, bit, sacctmgr) LK_QOS_##NAME = 1 << bit,
  LK_QOS_FLAGS (X)
#undef X
} LkQosFlag;

typedef struct LkQosView {
  uint32_t priority;
  uint32_t flags;         /* LkQosFlag */
  double usage_factor;    /* 1 */
  double usage_threshold; /* below 0: none */
  double limit_factor;    /* below 0: none */
  LkLimitRun limits;
  LkUse use;
} LkQosView;

/* What is enforced: X (NAME, bit, word of AccountingStorageEnforce). */
#define LK_ENFORCES(X)                                                                             \
  X (ASSOCIATIONS, 0, "associations")                                                              \
  X (LIMITS, 1, "limits")                                                                          \
  X (QOS, 2, "qos")                                                                                \
  X (SAFE, 3, "safe")

typedef enum {
#define X(NAME, bit, word) LK_ENFORCE_##NAME = 1 << bit,
  LK_ENFORCES (X)
#undef X
} LkEnforce;

/* Whose rules hold where versions of Slurm differ. */
#define LK_COMPAT_SLURM_26_05 0u
#define LK_COMPAT_SLURM_22_05 1u

typedef struct LkAccountsView {
  uint32_t size;
  uint32_t enforce; /* LkEnforce */
  uint32_t compat;  /* LK_COMPAT_* */
  uint32_t tres_count;
  uint32_t association_count;
  uint32_t qos_count;
  const LkAssociationView *associations;
  const LkQosView *qos;
  const LkLimitItem *limits;
  const uint64_t *tres_total;    /* what the machine has of each TRES */
  const char *const *tres_names; /* in lower case: cpu, mem, ..., gres/gpu */
} LkAccountsView;

/* A partition. */
typedef struct LkPartitionView {
  uint32_t priority_tier;
  uint32_t priority_job_factor;
  uint32_t qos; /* of the partition itself; LK_INDEX_NONE: none */
  uint32_t nodes_min;
  uint32_t nodes_max;  /* UINT32_MAX: no limit */
  int64_t time_max_us; /* LK_TIME_NEVER: no limit */
  const uint64_t
      *tres_total; /* what its nodes have, an entry for each TRES; NULL without accounts */
} LkPartitionView;

#ifdef __cplusplus
}
#endif

#endif
