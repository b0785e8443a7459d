/* engine/policy.h — the whole world of a policy.
 *
 * A scheduler is a composition of policies, one for each seam.  A policy is a filled-in vtable:
 * built in, or exported by a shared object as its only symbol, `const LkPolicy *lk_policy_v1
 * (void)`; the same file serves the simulator and the live controller.  This header needs nothing
 * but the C standard types (and its part, engine/policy_accounts.h) and compiles as C11 and as
 * C++17.
 *
 * Rules for every slot of every vtable: - it is a pure function of its arguments and of the
 * policy's own state: no I/O, no clock, no thread, no libm, no
 *    random source, no mutable global, no address, locale or environment in a result;
 * - pointers received are borrowed for the call; the host may move what they point to as soon as
 * the call returns; - state that influences a result must pass through `save` and `load`. Slots are
 * only ever appended.  A host reads a slot only when the vtable's `size` covers it.
 *
 * Units: time and durations are int64 microseconds; capacity is counted in units, of which the
 * select policy says how many a job takes (for `pool` one unit is one processor). */
#ifndef LK_ENGINE_POLICY_H
#define LK_ENGINE_POLICY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "engine/policy_accounts.h"
#include "engine/policy_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LK_POLICY_ABI 3u
#define LK_POLICY_SYMBOL "lk_policy_v1"
#define LK_POLICY_NAME_MAX 31

/* A moment that never comes; also the duration of what has no end. */
#define LK_TIME_NEVER INT64_MAX

/* Dense index of a job that is in the system.  Indices are reused and depend on history: never
 * order by them. */
typedef uint32_t LkJobIndex;
#define LK_JOB_NONE UINT32_MAX

/* ---------------------------------------------------------------- what a policy may read */

/* Where a job is in its life. */
#define LK_PHASE_FREE 0u    /* the index is unused */
#define LK_PHASE_QUEUED 1u  /* pending and in the queue */
#define LK_PHASE_HELD 2u    /* pending, not in the queue */
#define LK_PHASE_RUNNING 3u /* started and not yet reported ended */
#define LK_PHASE_BLOCKED 4u /* pending, kept out of the queue by a limit */
#define LK_PHASE_SUSPENDED                                                                         \
  5u /* started and stopped. By somebody: it has no CPUs, and no expected
                               * end; by the scheduler: its place, and an estimate */

/* The jobs in the system, one array per property, indexed by LkJobIndex. */
typedef struct LkJobColumns {
  const uint32_t *id; /* given in order of submission; the last tie-break everywhere */
  const uint32_t *user_id;
  const uint32_t *group_id;
  const uint32_t *partition_id;
  const uint32_t *procs; /* processors asked for */
  const uint32_t *units; /* capacity it takes, as the select policy said */
  const int64_t *submit_us;
  const int64_t *estimate_us;     /* time limit */
  const int64_t *start_us;        /* meaningful while running */
  const int64_t *expected_end_us; /* start + estimate; meaningful while running */
  const uint8_t *phase;           /* LK_PHASE_* */
  /* What follows matters with accounts (LkView.accounts), or on a machine of nodes. */
  const uint32_t *association;     /* LK_INDEX_NONE: none */
  const uint32_t *qos;             /* LK_INDEX_NONE: none */
  const uint32_t *partition;       /* of LkView.partitions */
  const int64_t *nice;             /* subtracted from the priority */
  const int64_t *site_factor;      /* added to the priority */
  const uint32_t *direct_priority; /* set by an administrator; 0: the order says */
  const int64_t *accrue_us; /* what its age is counted from; LK_TIME_NEVER: it does not age yet */
  /* Arrays of jobs: the tasks that wait are one job; each that has been split off is another. */
  const uint32_t *array_job_id;  /* 0: of no array */
  const uint32_t *array_task;    /* UINT32_MAX: it stands for tasks that wait (LkHost.job_tasks) */
  const uint8_t *in_reservation; /* 1: it asks for an advance reservation: it goes before others,
                                    and holds up nobody while it waits for room there */
} LkJobColumns;

typedef struct LkView LkView;

#define LK_NODE_NONE UINT32_MAX
#define LK_INDEX_NONE UINT32_MAX

#define LK_TOPOLOGY_NONE_VIEW 0u
#define LK_TOPOLOGY_TREE_VIEW 1u
#define LK_TOPOLOGY_BLOCK_VIEW 2u

/* What is known of a machine of nodes, one array per property, indexed by node in the order of the
 * description. */
typedef struct LkClusterView {
  uint32_t size;
  uint32_t node_count;
  const uint32_t *node_cpus; /* for scheduling */
  const int64_t *node_memory_bytes;
  const uint32_t *node_weight; /* lower is used first */
  /* Topology: LK_TOPOLOGY_*_VIEW.  Of a tree, switches with their parent (LK_NODE_NONE: a top one)
   * and level (0: a leaf), and for each node its leaf (LK_NODE_NONE: on none).  Of blocks,
   * `switch_count` base blocks, and for each node its block. */
  uint32_t topology;
  uint32_t switch_count;
  const uint32_t *switch_parent;
  const uint32_t *switch_level;
  const uint32_t *node_switch;
  uint32_t block_size_count; /* nodes of the planning sizes, rising; the first is the base */
  const uint32_t *block_sizes;
} LkClusterView;

/* ---------------------------------------------------------------- places */

/* Flags of LkDemand. */
#define LK_DEMAND_CONTIGUOUS (1u << 0)   /* nodes with consecutive indices only */
#define LK_DEMAND_SPREAD (1u << 1)       /* over as many nodes as possible */
#define LK_DEMAND_LEAST_LOADED (1u << 2) /* the partition or the cluster wants LLN */
#define LK_DEMAND_PACK (1u << 3)         /* fill a node before the next one is used */
#define LK_DEMAND_WHOLE_NODES (1u << 4)  /* all of each node */
#define LK_DEMAND_NOW (1u << 5)          /* for a start at this moment, not for a plan */

/* What a job needs, resolved against the machine: what `choose` of a select policy must satisfy. */
typedef struct LkDemand {
  uint32_t size;
  uint32_t flags;
  uint32_t nodes_min;    /* >= 1 */
  uint32_t nodes_max;    /* >= nodes_min; UINT32_MAX: no limit */
  uint32_t nodes_wanted; /* as many as this if possible, then nodes_min will do */
  uint32_t tasks;
  uint32_t cpus_min; /* of all nodes together; each node gives at least cpus_per_node_min of them */
  uint32_t cpus_per_node_min;
  uint32_t cpus_per_task;
  uint32_t gpus_total;           /* on all nodes together; 0: they are not counted so */
  uint32_t gpus_per_node;        /* on each node */
  uint32_t shares_per_node;      /* of one device on each node (shard, mps) */
  uint32_t gpu_type;             /* 0: any; else equal to LkOffer.gpu_type where it fits */
  int64_t memory_per_node_bytes; /* least on each node, as far as known before CPUs are chosen */
  uint32_t switches_max;         /* 0: no limit; exceeded: the placement is refused */
  uint32_t segment_nodes;        /* of blocks: 0 for all nodes in one */
} LkDemand;

/* One node that could take part, as it stands over the time in question. */
typedef struct LkOffer {
  uint32_t node;
  uint32_t weight;    /* lower is used first */
  uint32_t cpus;      /* most CPUs that this job can use here, >= 1 */
  uint32_t tasks;     /* most tasks of it */
  uint32_t gpus;      /* most GPUs that it can use here, for LkDemand.gpus_total */
  uint32_t gpus_near; /* free GPUs that it could use on sockets with free cores */
  uint32_t cpus_free;
  uint32_t cpus_total;
  int64_t memory_free_bytes;
  int64_t memory_total_bytes;
  uint32_t is_required; /* 1: the job names it */
  uint32_t is_idle;     /* 1: nothing runs on it */
  uint32_t gpu_type;    /* of its first device; 0: it has none */
  /* Its GPUs: what of each is free, in shares; a device in use as a whole has 0.  Without shares a
   * device is one share. */
  uint32_t device_count;
  uint32_t shares_per_device;
  const uint32_t *device_shares_free;
} LkOffer;

typedef struct LkOffers {
  const LkOffer *items; /* by rising node */
  uint32_t count;
} LkOffers;

/* A node that was chosen. */
typedef struct LkPick {
  uint32_t offer;   /* index */
  uint32_t cpus;    /* 1 to those offered */
  uint32_t gpus;    /* of LkDemand.gpus_total */
  uint64_t devices; /* the GPUs to give, bit i for device i; 0: the host picks, as Slurm does */
} LkPick;

/* How a job is displaced. */
#define LK_PREEMPT_OFF 0u     /* it is not */
#define LK_PREEMPT_CANCEL 1u  /* it ends */
#define LK_PREEMPT_REQUEUE 2u /* it goes back to the queue; what may not be requeued ends */
#define LK_PREEMPT_SUSPEND 3u /* it stops, and goes on later where it was */
#define LK_PREEMPT_UNSET 4u   /* not said: as the cluster */

/* What a QOS or a partition says of preemption. */
typedef struct LkPreemptTerms {
  uint32_t size;
  uint32_t mode;     /* of its own jobs, LK_PREEMPT_* */
  uint32_t within;   /* 1: jobs of the QOS may preempt each other */
  uint32_t level;    /* of a QOS: above that of every QOS that it may preempt, unless they go in a
                        circle; of a partition: its tier */
  int64_t grace_us;  /* notice that its jobs get; 0 none */
  int64_t exempt_us; /* how long they run before they may be preempted; below 0: not said */
} LkPreemptTerms;

/* Services of the host that are pure functions. */
typedef struct LkHost {
  uint32_t size;
  uint32_t abi;
  double (*log2) (
      double x); /* the engine's own: the same bits on every machine; x <= 0 gives -infinity */
  double (*log10) (double x); /* likewise */
  double (*exp2) (double x);
  /* Processor-seconds used so far by the job's user: what ended plus what runs, up to now. O(1). */
  double (*user_usage) (const LkView *view, uint32_t user_id);
  /* The job with this id, or LK_JOB_NONE.  For `load`. O(1). */
  LkJobIndex (*job_by_id) (const LkView *view, uint32_t id);
  const LkPlanOps *plan;
  /* What the job needs of a machine of nodes. Returns 0, and fills nothing, on a counted pool. */
  int32_t (*job_demand) (const LkView *view, LkJobIndex job, LkDemand *out_demand);
  /* With accounts: how much of each TRES the job has, or requests while it is pending (Slurm's
   * ReqTRES); LkAccountsView.tres_count entries. */
  void (*job_tres) (const LkView *view, LkJobIndex job, uint64_t *out_tres);
  /* What a user (an account) has in use within a QOS; NULL: nothing yet. */
  const LkUse *(*qos_user_use) (const LkView *view, uint32_t qos, uint32_t user);
  const LkUse *(*qos_account_use) (const LkView *view, uint32_t qos, uint32_t account);
  /* How many tasks of an array the job stands for; 1 for any other. O(1). */
  uint32_t (*job_tasks) (const LkView *view, LkJobIndex job);
  /* The following are for preempt policies. What a QOS and a partition say of it; O(1). */
  void (*qos_preempt) (const LkView *view, uint32_t qos, LkPreemptTerms *out_terms);
  void (*partition_preempt) (const LkView *view, uint32_t partition, LkPreemptTerms *out_terms);
  /* 1: the QOS names the other among those whose jobs it may preempt. O(1). */
  int32_t (*qos_preempts) (const LkView *view, uint32_t qos, uint32_t other);
  /* 1: the partitions have a node in common. O(1). */
  int32_t (*partitions_meet) (const LkView *view, uint32_t partition, uint32_t other);
  /* The job's priority as the order last calculated it; where the order knows no priorities, its
   * key. Higher is more. */
  int64_t (*priority) (const LkView *view, LkJobIndex job);
  /* Of the tasks that a job in the queue stands for, how many may run beside those that do, by the
   * limit of their array. O(1). */
  uint32_t (*job_tasks_allowed) (const LkView *view, LkJobIndex job);
} LkHost;

/* The state of the system at the moment of a call. */
struct LkView {
  uint32_t size;
  uint32_t units_total; /* capacity of the machine */
  uint32_t units_free;
  uint32_t pending_count; /* jobs in the queue (held ones are not in it) */
  uint32_t running_count;
  uint32_t job_index_limit; /* every LkJobIndex is below this */
  int64_t now_us;
  int64_t origin_us; /* submit time of the first job ever seen; LK_TIME_NEVER before it */
  const LkJobColumns *jobs;
  const LkHost *host;
  const void *engine;                /* opaque; for the host's services */
  const LkClusterView *cluster;      /* NULL: a counted pool */
  const LkAccountsView *accounts;    /* NULL: nobody is told from another */
  const LkPartitionView *partitions; /* of the machine; a counted pool is one partition */
  uint32_t partition_count;
  uint32_t active_node_count; /* nodes that exist now, of a pool its units */
};

/* ---------------------------------------------------------------- parameters */

/* Types of parameters, the `type` of LkParam. */
#define LK_PARAM_INTEGER 1u
#define LK_PARAM_REAL 2u
#define LK_PARAM_TEXT 3u
#define LK_PARAM_ORDER                                                                             \
  4u /* the name of an order policy, with its parameters in parentheses: "f1(origin_s=0)" */

/* One row of a policy's parameter table; the table ends with a row whose name is NULL.  The
 * configuration reader, `lockstep policy show`, the journal header and the documentation all read
 * this table. */
typedef struct LkParam {
  const char *name; /* [a-z0-9_]{1,31} */
  uint32_t type;
  const char *unit;          /* "s", "jobs", "" ... */
  const char *default_value; /* as the user would write it; NULL: must be given */
  double minimum;            /* of a number, inclusive */
  double maximum;
  const char *help; /* one sentence */
} LkParam;

typedef union LkParamValue {
  int64_t integer;
  double real;
  const char *text; /* of LK_PARAM_TEXT and LK_PARAM_ORDER */
} LkParamValue;

/* The values of one instance, in the order of the table. */
typedef struct LkParamValues {
  uint32_t size;
  uint32_t count;
  const LkParamValue *values;
  const LkHost *host; /* lives as long as the process */
} LkParamValues;

/* Where `create` says what is wrong with the values: a sentence without the policy's name. */
typedef struct LkPolicyError {
  char text[200];
} LkPolicyError;

/* ---------------------------------------------------------------- the common head of every
 * vtable */

#define LK_SEAM_ORDER 1u
#define LK_SEAM_BACKFILL 2u
#define LK_SEAM_SELECT 3u
#define LK_SEAM_LIMITS 4u
#define LK_SEAM_PREEMPT 5u

/* Receives the bytes of a policy's state. */
typedef void (*LkPut) (void *sink, const void *bytes, uint32_t byte_count);

typedef struct LkPolicy {
  uint32_t abi;  /* LK_POLICY_ABI */
  uint32_t size; /* sizeof the seam's whole struct as compiled by the policy */
  uint32_t seam;
  uint32_t version;      /* raise it when a decision could change; goes into the journal header */
  const char *name;      /* [a-z0-9_]{1,31} */
  const char *summary;   /* one line, with the source of the definition */
  const LkParam *params; /* required; at least the closing row */

  /* A new instance. Required. Values are within the table's ranges. On failure fills `error` and
   * returns NULL. */
  void *(*create) (const LkParamValues *values, LkPolicyError *error);
  /* Required; NULL is allowed and ignored. */
  void (*destroy) (void *self);
  /* Writes the state that is not a function of configuration and view. Both NULL for a policy
   * without state.  Jobs are named by id, in a fixed order. */
  void (*save) (void *self, const LkView *view, LkPut put, void *sink);
  /* Takes over what `save` wrote, into a fresh instance, after the engine has been restored.
   * Returns 1, or 0 when the bytes are not what `save` writes (then the instance will be
   * destroyed). */
  int32_t (*load) (void *self, const LkView *view, const uint8_t *bytes, uint32_t byte_count);
} LkPolicy;

/* ---------------------------------------------------------------- seam: order */

/* The parts of a priority: Slurm's factors, mostly in [0, 1], and each times its weight. */
typedef struct LkPriorityParts {
  uint32_t size;
  uint32_t priority; /* 0: held */
  double age_factor;
  double association_factor;
  double fairshare_factor;
  double job_size_factor;
  double partition_factor;
  double qos_factor;
  double age_term; /* factor times weight */
  double association_term;
  double fairshare_term;
  double job_size_term;
  double partition_term;
  double qos_term;
  double tres_term; /* sum of all TRES */
  double age_weight;
  double association_weight;
  double fairshare_weight;
  double job_size_weight;
  double partition_weight;
  double qos_weight;
  const double
      *tres_factors; /* an entry for each TRES, valid until the next call; NULL: no weights */
  const double *tres_weights;
  int64_t nice;
  int64_t site_factor;
} LkPriorityParts;

/* What fairshare makes of an association: Slurm's words (sshare). */
typedef struct LkShareParts {
  uint32_t size;
  uint32_t is_fair_tree;
  double shares_norm;     /* NormShares: of its level, or of the whole with classic fairshare */
  double usage_norm;      /* NormUsage: of all usage */
  double usage_effective; /* EffectvUsage */
  double fairshare;       /* FairShare, of users; a negative value where Slurm prints none */
  double level_fairshare; /* LevelFS; infinite; a negative value where Slurm prints none */
} LkShareParts;

/* In which order do pending jobs deserve to run? */
typedef struct LkOrderPolicy {
  LkPolicy base;
  /* Required, O(1). Higher goes first; ties by submit time, then id. */
  int64_t (*key) (void *self, const LkView *view, LkJobIndex job);
  /* 1 when keys change as time passes, so that the queue is put in order anew at each pass; asked
   * once, after `create`. NULL: a key, once given, holds until the job is changed. */
  int32_t (*is_dynamic) (void *self);
  /* The following are optional, for orders that follow the use of accounts or the age of jobs. Use
   * is brought up to date once in each calculation period (PriorityCalcPeriod; five minutes without
   * accounts): `cycle_begin` comes
   * before it decays; `cycle_job` for each job by rising id, running ones just charged; `cycle_end`
   * behind the last one. Then all keys are asked anew. */
  void (*cycle_begin) (void *self, const LkView *view);
  void (*cycle_job) (void *self, const LkView *view, LkJobIndex job);
  void (*cycle_end) (void *self, const LkView *view);
  /* Is `cycle_job` wanted in this cycle? NULL: yes. */
  int32_t (*wants_jobs) (void *self);
  /* What the priority of a job is made of, in a partition (LK_INDEX_NONE: its own), as it was last
   * calculated. Returns 0 when the order has no such parts. */
  int32_t (*explain) (void *self, const LkView *view, LkJobIndex job, uint32_t partition,
                      LkPriorityParts *out_parts);
  /* The same of the standing of associations, as last calculated. */
  int32_t (*explain_share) (void *self, const LkView *view, uint32_t association,
                            LkShareParts *out_parts);
  /* Optional. The priority of a job in the system, as users see it, where it has no parts; higher
   * is more. NULL: that of `explain`, else the key. */
  int64_t (*priority) (void *self, const LkView *view, LkJobIndex job);
  /* Optional. A job has come into the system, or has come back under the id that it had before it
   * ended: nothing is known of it. */
  void (*job_submitted) (void *self, const LkView *view, LkJobIndex job);
  /* Optional; required of an order that remembers anything by index of association or QOS. Accounts
   * have changed: `association_from[i]` is the index that association i of the view had before,
   * LK_INDEX_NONE: it is new. Others are gone, and QOS may have other indices, too. */
  void (*accounts_changed) (void *self, const LkView *view, const uint32_t *association_from);
} LkOrderPolicy;

/* An int64 that orders as `value` does: for keys.  -0 equals +0; NaN goes below everything. */
static inline int64_t
lk_key_from_real (double value)
{
  int64_t bits;
  if (value != value)
    return INT64_MIN;
  if (value == 0.0)
    return 0;
  memcpy (&bits, &value, sizeof bits);
  return bits >= 0 ? bits : -(bits & INT64_MAX);
}

/* ---------------------------------------------------------------- seam: backfill */

#define LK_QUEUE_PRIORITY 0u /* pending jobs by the order policy */
#define LK_QUEUE_BACKFILL                                                                          \
  1u /* by the backfill policy's own order, when it has one; else the same as the first */

/* Which jobs `queue_next` stops at: units <= units_max and (estimate <= short_us or units <=
 * units_long_max). */
typedef struct LkQueueFilter {
  uint32_t units_max;
  uint32_t units_long_max;
  int64_t short_us;
} LkQueueFilter;

/* What became of an attempt to start a job. */
#define LK_TRY_STARTED 0u
#define LK_TRY_BUSY 1u        /* there is no room for it now */
#define LK_TRY_LICENSES 2u    /* its licences are in use */
#define LK_TRY_LIMIT 3u       /* a limit keeps it: it has left the queue */
#define LK_TRY_UNAVAILABLE 4u /* a node that it names takes no jobs now */

/* Why a job waits, as far as the policy knows: Slurm's words. */
#define LK_WAIT_NONE 0u      /* no pass has come to it */
#define LK_WAIT_PRIORITY 1u  /* another one comes first */
#define LK_WAIT_RESOURCES 2u /* it lacks room */
#define LK_WAIT_NODES 3u     /* the same; of its nodes too few are up and not waited for already */

/* What `will_run` is asked. Sets of nodes are words of 64 bits, bit i % 64 of word i / 64 for node
 * i; as many words as LkClusterView.node_count needs. */
typedef struct LkWillRun {
  uint32_t size;
  uint32_t takes_last;   /* 1: the moment is the last end that was taken together, needed or not */
  const uint64_t *nodes; /* among which; those that cannot serve the job do no harm */
  int64_t before_us;     /* give up there; LK_TIME_NEVER: do not */
  int64_t from_us;       /* it is not to start before: all ends up to there are taken together */
  /* Ends of running jobs are taken one by one (0), or together up to this long behind the first of
   * them, rounded up to a multiple of it; the next ones up to a moment that is by `window_step_us`
   * later, or twice as far from there where that is 0, and so on. */
  int64_t window_us;
  int64_t window_step_us;
} LkWillRun;

/* What a backfill policy may do and ask during a pass.  `pass` is the host's handle. */
typedef struct LkPassOps {
  uint32_t size;
  uint32_t abi;
  /* Starts a pending job now; `can_start` must have been true. The view changes at once. Amortised
   * O(sqrt queue) beside the placement.  Of a job that stands for tasks of an array the next task
   * starts, as a job of its own with another index; as long as more may start the job itself stays
   * in the queue, LK_PHASE_QUEUED, and is to be tried again at once: queue_next behind it gives it
   * once more, if it passes the filter.  The same holds for start_planned; the job's reservation
   * is that of the task. */
  void (*start) (void *pass, LkJobIndex job);
  /* First job of a queue, or LK_JOB_NONE. O(1). */
  LkJobIndex (*queue_first) (void *pass, uint32_t queue);
  /* First job behind `after` (LK_JOB_NONE: from the front) that passes the filter (NULL: any), or
   * LK_JOB_NONE. `after` may have been started since, in this pass.  Skips whole blocks of jobs
   * that cannot pass. */
  LkJobIndex (*queue_next) (void *pass, uint32_t queue, LkJobIndex after,
                            const LkQueueFilter *filter);
  /* 1 when `a` comes before `b` in a queue; both are in it. O(1). */
  int32_t (*queue_before) (void *pass, uint32_t queue, LkJobIndex a, LkJobIndex b);
  /* When will `units` be free if every running job ends when expected (an overdue one now)?  Also
   * how many units are free at that moment, all ends at it counted.  LK_TIME_NEVER and 0 when units
   * exceed the machine. */
  int64_t (*shadow) (void *pass, uint32_t units, uint32_t *out_units_free);
  /* Running jobs by expected end, then submit time, then id: the one behind `after`, or
   * LK_JOB_NONE. */
  LkJobIndex (*running_next) (void *pass, LkJobIndex after);
  /* Asks for a pass no later than this, even if nothing happens before. */
  void (*wake) (void *pass, int64_t at_us);
  /* 1 when the job could start now beside what runs, whatever is reserved. */
  int32_t (*can_start) (void *pass, LkJobIndex job);
  /* Starts a job where it has its reservation in the plan, which is free, or where the plan's
   * `earliest` has just found a place from now on. What it holds is part of the plan from here. */
  void (*start_planned) (void *pass, void *plan, LkJobIndex job);
  /* 1, unless a limit on what is in use keeps the job from starting now: then it has left the
   * queue, and `job_dequeued` was called.  The queue's jobs are asked when they are handed out by
   * queue_first and queue_next, if the policy has no `job_dequeued`; and every job once more when
   * it is started: one that is kept then leaves the queue in the same way, without a start. */
  int32_t (*is_allowed) (void *pass, LkJobIndex job);
  /* Sets of nodes: those that take jobs, and those of a partition. NULL on a counted pool; valid
   * during the pass. */
  const uint64_t *(*nodes_usable) (void *pass);
  const uint64_t *(*nodes_of_partition) (void *pass, uint32_t partition);
  /* The nodes that could serve the job, whatever their state. */
  const uint64_t *(*nodes_eligible) (void *pass, LkJobIndex job);
  /* The nodes that the job names; NULL: it names none. */
  const uint64_t *(*nodes_required) (void *pass, LkJobIndex job);
  /* Adds the nodes on which a running job is to a set; on a counted pool it does nothing. */
  void (*nodes_of_job) (void *pass, LkJobIndex job, uint64_t *nodes);
  /* Starts a pending job now if that can be done on these nodes (NULL: on any) beside what runs,
   * whatever is reserved. LK_TRY_*. */
  uint32_t (*try_start) (void *pass, LkJobIndex job, const uint64_t *nodes);
  /* When could a pending job start on these nodes beside what runs, if all running jobs end when
   * expected?  Fills `out_nodes`, where it would be, or returns LK_TIME_NEVER.  Licences are not
   * looked at.  Not for a counted pool. */
  int64_t (*will_run) (void *pass, LkJobIndex job, const LkWillRun *ask, uint64_t *out_nodes);
  /* 1 when as many licences are free, beside those set aside for others, as the job needs. */
  int32_t (*licenses_free) (void *pass, LkJobIndex job);
  /* The job's priority as the order last calculated it; UINT32_MAX where the order has none. */
  uint32_t (*priority) (void *pass, LkJobIndex job);
  /* Notes why a pending job waits, LK_WAIT_*; only for policies with `notes_reasons`. */
  void (*note_reason) (void *pass, LkJobIndex job, uint32_t reason);
  /* For policies with `preempts`. Looks for running jobs to displace, so that a pending job, for
   * which there is no room, could start now on these nodes (NULL: on any). LK_MADE_*; unless it is
   * LK_MADE_NONE the nodes that the job is to have are added to `out_nodes` (may be NULL). Those
   * displaced go behind the pass. */
  uint32_t (*preempt_for) (void *pass, LkJobIndex job, const uint64_t *nodes, uint64_t *out_nodes);
  /* 1: job `a` may displace jobs like `b`, whether it runs or waits. Of LK_JOB_NONE both: 0 when
   * nobody may displace anybody. */
  int32_t (*can_preempt) (void *pass, LkJobIndex a, LkJobIndex b);
  /* Takes those nodes out of a set that advance reservations keep from the job, should it start at
   * `from_us` and run to its time limit.  Returns the next moment behind that at which it may be
   * otherwise, LK_TIME_NEVER: none. Not for a counted pool. */
  int64_t (*leave_out_reserved) (void *pass, LkJobIndex job, int64_t from_us, uint64_t *nodes);
  /* How many partitions the job named, at least 1. Of LK_JOB_NONE: 1 when no job names more. */
  uint32_t (*partition_count) (void *pass, LkJobIndex job);
  /* A pending job is looked at in the partition that it named as the `place`-th, from 1 on: its
   * columns and demand, its limits and the slots above are as in that, and there it starts.  It
   * holds until the next call, or the end of the pass.  0: it cannot run there, or named it before,
   * and is looked at where it waits.  Only for policies with `tries_partitions`. */
  int32_t (*visit_partition) (void *pass, LkJobIndex job, uint32_t place);
  /* How many kinds of licences the machine has; 0 on a counted pool. */
  uint32_t (*license_count) (void *pass);
  /* Adds the licences of a job to counts by kind; of LK_JOB_NONE: all that there are. */
  void (*licenses_of) (void *pass, LkJobIndex job, uint32_t *counts);
  /* Sets counts by kind to those that advance reservations keep from the job, should it start at
   * `from_us` and run to its time limit.  Returns as leave_out_reserved. */
  int64_t (*licenses_reserved) (void *pass, LkJobIndex job, int64_t from_us, uint32_t *counts);
  /* How a running job would be displaced, LK_PREEMPT_*; OFF where nobody is. */
  uint32_t (*preempt_mode) (void *pass, LkJobIndex job);
  /* For policies with `plans_hets`. A heterogeneous job stands where its first component would.
   * Goes through those before a pending job (LK_JOB_NONE: all) that were not looked at in this
   * pass.  In a plan that lasts a pass each with room from now on starts, and of the others the
   * first `most` get a reservation; returns how many did.  In one that is kept all get theirs, and
   * the host starts them when they are due.  Without a plan (NULL) each with room beside what runs
   * starts, up to the first without, which is looked at again; returns 1 for that, 0: none. */
  uint32_t (*plan_hets) (void *pass, void *plan, LkJobIndex before, uint32_t most);
  /* How many could start if there were room, or started in this pass. O(1). */
  uint32_t (*het_count) (void *pass);
  /* The components of the one at that place of the queue, from 0 on, which can be asked for as
   * pending jobs above, until the next such call; returns how many, 0: it cannot start. */
  uint32_t (*het_components) (void *pass, uint32_t place, const LkJobIndex **out_jobs);
  /* Starts all beside what runs, each on nodes out of its set (NULL: on a counted pool) in one of
   * the partitions that it named, from 1 on; 0: that cannot be, and none starts. */
  int32_t (*het_start) (void *pass, uint32_t place, const uint64_t *const *nodes,
                        const uint32_t *partitions);
  /* When it is planned to start; LK_TIME_NEVER: that is not known. */
  void (*het_planned) (void *pass, uint32_t place, int64_t start_us);
  /* A pending job is looked at, and started, as if its time limit was the least that it says will
   * do: its column and the slots above have that, until the next call or the end of the pass.  0:
   * it has none below its limit, or is LK_JOB_NONE. O(1). */
  int32_t (*visit_least_limit) (void *pass, LkJobIndex job);
  /* Adds the nodes on which the job, or the task, is that was last started so. */
  void (*nodes_of_short) (void *pass, uint64_t *nodes);
  /* It gets a longer limit: at most this, as far as it asked for, up to its deadline and to advance
   * reservations in its way.  Once for each.  Returns the limit that it has. */
  int64_t (*lengthen_short) (void *pass, int64_t limit_us);
  /* For policies with `says_looks`. 1: begin_look would find something to do. */
  int32_t (*wants_look) (void *pass);
  /* The policy is about to look at the queue from the front: arrays of which each task waits for a
   * task of its own are split into jobs, as Slurm does then. Indices of jobs may be new behind it.
   */
  void (*begin_look) (void *pass);
} LkPassOps;

/* What came of looking for room. */
#define LK_MADE_NONE 0u /* nobody is displaced for the job */
#define LK_MADE_SOON 1u /* jobs are told to go, or are going: it starts in a later pass */

/* Who starts now, and who gets a reservation when? */
typedef struct LkBackfillPolicy {
  LkPolicy base;
  /* 1: only the head of the queue ever starts, so that a pass is of use only when it fits. */
  int32_t head_only;
  /* Required. Starts what may start now. Called once per pass event. */
  void (*pass) (void *self, const LkView *view, const LkPassOps *ops, void *pass);
  /* Optional, NULL when not needed. A job came into the queue (submitted, released). */
  void (*job_queued) (void *self, const LkView *view, LkJobIndex job);
  /* Optional. A job is about to leave the queue without starting (cancelled, held). */
  void (*job_dequeued) (void *self, const LkView *view, LkJobIndex job);
  /* Optional. A running job has ended; its columns can still be read. */
  void (*job_ended) (void *self, const LkView *view, LkJobIndex job);
  /* Optional. When a pending job is planned to start, or LK_TIME_NEVER. */
  int64_t (*planned_start_us) (void *self, const LkView *view, LkJobIndex job);
  /* Optional. Nodes came, went or were drained: what is reserved there may not be had. */
  void (*machine_changed) (void *self, const LkView *view);
  /* 1: the policy notes why jobs wait (LkPassOps.note_reason). 0: the first of the queue lacks
   * room, and the others have it before them. */
  int32_t notes_reasons;
  /* Optional. Jobs that wait stand in another order than before, though none came or left. */
  void (*order_changed) (void *self, const LkView *view);
  /* 1: it calls `preempt_for` where it stands in its pass. 0: behind the pass the host looks for
   * room for jobs that still wait, in the order of the queue. */
  int32_t preempts;
  /* 1: it looks at a job in each of its partitions; 0: a job runs where it deserves most. */
  int32_t tries_partitions;
  /* Optional. Adds the nodes where a pending job is planned to start, as known, to be told. */
  void (*planned_nodes) (void *self, const LkView *view, LkJobIndex job, uint64_t *nodes);
  /* 1: the policy calls plan_hets where it comes to them, and when it makes anew a plan that it
   * keeps, from the front.  0: they start only while no job of the queue comes before them. */
  int32_t plans_hets;
  /* Optional, where a plan is kept. What a heterogeneous job had in [from, to) was given back, or
   * the place of a job that start_planned does not start, as a limit keeps it from what it would
   * have there. */
  void (*given_back) (void *self, const LkView *view, int64_t from_us, int64_t to_us);
  /* Optional. 1: heterogeneous jobs are refused, as none would start. */
  int32_t (*refuses_hets) (const void *self);
  /* Optional; NULL, or while there are heterogeneous jobs: `machine_changed` is called instead.
   * Nodes went or were drained, or with `came_back` 1 came back; nothing else has changed. */
  void (*nodes_changed) (void *self, const LkView *view, int32_t came_back);
  /* 1: it calls begin_look; machine_changed is called, too, when that is wanted. */
  int32_t says_looks;
} LkBackfillPolicy;

/* ---------------------------------------------------------------- seam: select */

/* Flags of a select policy. */
#define LK_SELECT_WHOLE_NODES (1u << 0) /* every job gets its nodes whole */

/* Nodes that all offer the same, as sets. */
typedef struct LkAlikeNodes {
  uint32_t size;
  uint32_t word_count;   /* of both */
  const LkOffer *offer;  /* of the first of them; it names no nodes, and no GPUs */
  const uint64_t *among; /* bit i of word i / 64 is node i */
  uint64_t *chosen;      /* empty */
} LkAlikeNodes;

/* On what does a job run?  A policy counts (`demand`) or places (`choose`); one of the two is
 * required, and a policy that places needs a machine of nodes. */
typedef struct LkSelectPolicy {
  LkPolicy base;
  /* O(1). Units of capacity that the job takes; 0 or more than the machine has: it can never run
   * and is rejected. Asked once, at submit. */
  uint32_t (*demand) (void *self, const LkView *view, LkJobIndex job);
  uint32_t flags;
  /* Which of the offered nodes, in order of node index, does a job get?  Fills `picks` (room for
   * as many) in the order in which tasks are to be laid out, and `out_pick_count`; returns 1,
   * or 0 when they do not satisfy the demand.  Every node offered can hold at least the least that
   * the demand asks of one node.  A pure function of its arguments and the policy's state, which it
   * does not change. */
  int32_t (*choose) (void *self, const LkView *view, const LkDemand *demand, const LkOffers *offers,
                     LkPick *picks, uint32_t *out_pick_count);
  /* Optional. A job was submitted: for policies that learn what is asked for. */
  void (*job_submitted) (void *self, const LkView *view, LkJobIndex job);
  /* Optional. As `choose` where the job names no nodes, asks for no GPUs and all nodes offer the
   * same: fills `chosen` with nodes that give all that they offer, in order of node index, and
   * returns 1; or 0: `choose` is to be asked. What is chosen is what `choose` would pick. */
  int32_t (*choose_alike) (void *self, const LkView *view, const LkDemand *demand,
                           const LkAlikeNodes *nodes);
} LkSelectPolicy;

/* ---------------------------------------------------------------- seam: limits */

/* May the age of a job grow? */
#define LK_ACCRUE_NO 0   /* a limit on ageing jobs is reached */
#define LK_ACCRUE_FREE 1 /* no such limit concerns it */
#define LK_ACCRUE_NOW 2  /* there is room below the limit */

/* When limits are looked at: bits. */
#define LK_CHECK_SUBMIT (1u << 0) /* counts of submitted jobs: a job beyond them is refused */
#define LK_CHECK_ALONE (1u << 1)  /* what the job breaks by itself, whatever else runs */
#define LK_CHECK_START (1u << 2)  /* may it start now? */
#define LK_CHECK_RUN (1u << 3)    /* must a running job end? */

/* What is to be checked. */
typedef struct LkLimitCheck {
  uint32_t size;
  uint32_t when; /* one or more of LK_CHECK_* */
  LkJobIndex job;
  uint32_t task_count;   /* jobs that it stands for: the tasks of an array; 1 */
  const uint64_t *tres;  /* what it can be expected to get, or was given; as for host->job_tres */
  int64_t time_limit_us; /* LK_TIME_NEVER: none */
} LkLimitCheck;

/* In what a limit is set. */
#define LK_HOLDER_ASSOCIATION 1u
#define LK_HOLDER_QOS 2u           /* the job's */
#define LK_HOLDER_PARTITION_QOS 3u /* that of its partition */

/* A limit that holds a job. */
typedef struct LkLimitFinding {
  uint32_t size;
  uint32_t kind;   /* LkLimitKind */
  uint32_t tres;   /* index; 0 where the kind has none */
  uint32_t holder; /* LK_HOLDER_* */
  uint32_t index;  /* of the association or QOS */
  uint64_t limit;
  uint64_t used;  /* by those whom it counts, the job left out; 0 for limits of a single job */
  uint64_t asked; /* by the job */
  uint32_t by_usage_threshold; /* 1: not a limit of `kind`, but the QOS's UsageThreshold */
} LkLimitFinding;

/* Receives findings in Slurm's order of checking; returns 1 to hear of more, 0 for enough. */
typedef int32_t (*LkLimitFound) (void *sink, const LkLimitFinding *finding);

/* May this job be submitted, start, or go on, and if not, why? */
typedef struct LkLimitsPolicy {
  LkPolicy base;
  /* Required. Returns 1 when nothing holds the job (then `found` was not called), else 0. Asked
   * only when there are accounts and the job has an association. A pure function. */
  int32_t (*check) (void *self, const LkView *view, const LkLimitCheck *check, LkLimitFound found,
                    void *sink);
  /* Optional. The time limit that limits impose on a job that has none, or LK_TIME_NEVER. */
  int64_t (*time_limit_us) (void *self, const LkView *view, LkJobIndex job, const uint64_t *tres);
  /* Optional. Is a job refused at submission for what it breaks by itself (LK_CHECK_ALONE)? 1: yes;
   * 0: it waits. NULL: it waits. */
  int32_t (*denies) (void *self, const LkView *view, LkJobIndex job);
  /* Optional. May the job's age grow, as far as limits on ageing jobs go? LK_ACCRUE_*; NULL:
   * free. */
  int32_t (*may_accrue) (void *self, const LkView *view, LkJobIndex job);
  /* Optional. The most nodes that limits on nodes let the job have, so that a job that can do with
   * fewer gets no more; UINT32_MAX: no limit. NULL: no limit. */
  uint32_t (*nodes_max) (void *self, const LkView *view, LkJobIndex job);
} LkLimitsPolicy;

/* ---------------------------------------------------------------- seam: preempt */

/* How victims are chosen and treated. */
typedef struct LkPreemptSettings {
  uint32_t size;
  uint32_t youngest_first; /* 1: who started last goes first; 0: lowest class, then fewest nodes */
  uint32_t reorder_count;  /* how often victims are put in a better order, beyond the first time */
  uint32_t strict_order;   /* 1: the one that made room goes first; 0: by what they share of it */
  uint32_t user_signal;    /* 1: grace begins with the signal that the job asked for */
  uint32_t reclaims_licenses; /* 1: licences of running jobs count as room, too */
  int64_t exempt_priority; /* jobs of at least this priority are left alone; LK_TIME_NEVER: none */
  int64_t hold_us;         /* how long no further victims are looked for on behalf of a job */
  /* Above 0: jobs stop and go on by turns, so long each, and may be stopped to make room; 0: those
   * that would be stopped are left alone. Not on a counted pool. */
  int64_t slice_us;
} LkPreemptSettings;

/* Whom may a job displace, how, in what order? */
typedef struct LkPreemptPolicy {
  LkPolicy base;
  /* May the first displace the second, whether that runs or waits?  O(1), a pure function.  NULL:
   * nobody is displaced, and no other slot is called. */
  int32_t (*may_preempt) (void *self, const LkView *view, LkJobIndex preemptor, LkJobIndex victim);
  /* Required with the first. */
  void (*settings) (void *self, LkPreemptSettings *out_settings);
  /* Required with the first. How a job is displaced, LK_PREEMPT_* but UNSET. */
  uint32_t (*mode) (void *self, const LkView *view, LkJobIndex victim);
  /* Optional. 0: the job can displace nobody, whoever runs. NULL: it might. */
  int32_t (*may_preempt_any) (void *self, const LkView *view, LkJobIndex preemptor);
  /* Optional. Victims of lower classes go first. NULL: they are all of one. */
  uint32_t (*victim_class) (void *self, const LkView *view, LkJobIndex victim);
  /* Optional. Notice that a victim gets; NULL: none. */
  int64_t (*grace_us) (void *self, const LkView *view, LkJobIndex victim);
  /* Optional. How long a job runs before it may be displaced; NULL: not at all. */
  int64_t (*exempt_us) (void *self, const LkView *view, LkJobIndex victim);
  /* Optional. Jobs of higher levels stand before all others in the queue. It follows from what does
   * not change while the job is in the queue. NULL: the order alone says. */
  uint32_t (*level) (void *self, const LkView *view, LkJobIndex job);
} LkPreemptPolicy;

#ifdef __cplusplus
}
#endif

#endif
