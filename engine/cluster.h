/* engine/cluster.h — the description of a machine: nodes, partitions, licences, topology.
 *
 * A plain value that readers build (a YAML page, a slurm.conf), the engine takes its machine from,
 * and the journal carries: its canonical text reads back to an equal cluster, and equal clusters
 * have equal texts.  It says what there is, not what is in use.
 *
 * A group of nodes stands for all nodes of its hostlist.  Nodes have an index, their place in the
 * groups one behind the other; it is the order in which Slurm's nodes stand in slurm.conf, and
 * every tie between nodes is decided by it.
 *
 * Words and defaults are Slurm's (slurm.conf(5), gres.conf(5), topology.conf(5)); sizes are bytes,
 * times microseconds, LK_TIME_NEVER is UNLIMITED, G_MAXUINT32 is UNLIMITED for counts. */
#ifndef LK_ENGINE_CLUSTER_H
#define LK_ENGINE_CLUSTER_H

#include <glib.h>

#include "engine/policy.h"

#define LK_COUNT_UNLIMITED G_MAXUINT32
/* How long jobs that ended are remembered where no cluster says otherwise: MinJobAge. */
#define LK_JOB_AGE_MIN_US (300 * G_GINT64_CONSTANT (1000000))
/* More than any machine has, and what keeps sums and masks in their types. */
#define LK_LIMIT_NODES 1000000u
#define LK_LIMIT_NODE_CORES 1024u
#define LK_LIMIT_NODE_SOCKETS 32u
#define LK_LIMIT_NODE_DEVICES 64u
#define LK_LIMIT_GRES_NAMES 16u
#define LK_LIMIT_PARTITIONS 4096u
#define LK_LIMIT_OVERSUBSCRIBE_JOBS 32u
#define LK_LIMIT_CLUSTER_TEXT_BYTES (32u * 1024 * 1024)

/* ---------------------------------------------------------------- nodes */

/* Generic resources of one name and type on each node of a group.
 *
 * `gpu` (and what is flagged as devices) is a list of devices that are handed out one by one;
 * `shard` and `mps` are shares of the node's GPUs, spread evenly over them; any other name is a
 * count. */
typedef struct {
  char *name;          /* "gpu", "shard", "bandwidth" ... */
  char *type;          /* "" for none */
  guint32 count;       /* devices, shares, or units; at least 1 */
  gboolean no_consume; /* always available, however many use it */
  gint64 memory_bytes; /* of one device; 0 unknown */
  /* One set of sockets for each device, bit i for socket i; NULL or all zero: near to all. `count`
   * entries. */
  guint32 *device_sockets;
  /* links[i * count + j]: how well devices i and j are connected (NVLink); higher is nearer; NULL:
   * all the same. `count` * `count` entries. */
  guint16 *links;
} LkGresSpec;

/* Why a node takes no job, if it does not: bits. */
typedef enum {
  LK_NODE_DOWN = 1 << 0,
  LK_NODE_DRAIN = 1 << 1,
  LK_NODE_FAIL = 1 << 2,
  LK_NODE_MAINT = 1 << 3,
} LkNodeFlags;

typedef struct {
  char *names; /* hostlist */
  guint32 sockets;
  guint32 cores_per_socket;
  guint32 threads_per_core;
  guint32 cpus; /* for scheduling: sockets * cores * threads; or sockets * cores: one for a core */
  guint32 cores_reserved;       /* CoreSpecCount: the last of each socket in turn */
  gint64 memory_bytes;          /* RealMemory */
  gint64 memory_reserved_bytes; /* MemSpecLimit */
  gint64 tmp_bytes;             /* TmpDisk */
  guint32 weight;               /* lower is used first; 1 */
  guint32 flags;                /* LkNodeFlags that the nodes start with */
  char *reason;                 /* of those flags; "" for none */
  GPtrArray *features;          /* of char*, without repetition, in the order given */
  GPtrArray *gres;              /* of LkGresSpec* */
} LkNodeSpec;

/* ---------------------------------------------------------------- partitions */

typedef enum { /* X (NAME, number) of the states in which a partition can be */
               LK_PARTITION_UP,
               LK_PARTITION_DOWN,     /* takes jobs, starts none */
               LK_PARTITION_DRAIN,    /* takes none, starts those it has */
               LK_PARTITION_INACTIVE, /* neither */
} LkPartitionState;

typedef enum {
  LK_OVERSUBSCRIBE_NO,
  LK_OVERSUBSCRIBE_EXCLUSIVE, /* every job has its nodes alone */
  LK_OVERSUBSCRIBE_YES,       /* jobs that ask for it share cores */
  LK_OVERSUBSCRIBE_FORCE,     /* all jobs share cores */
} LkOversubscribe;

typedef enum {
  LK_SWITCH_NO,
  LK_SWITCH_YES,
  LK_SWITCH_INHERIT, /* as the cluster says */
} LkSwitch;

typedef struct {
  char *name;
  char *nodes; /* hostlist; "ALL" for all */
  gboolean is_default;
  LkPartitionState state;
  gboolean root_only;     /* only root may submit to it */
  gint64 time_default_us; /* of jobs that give no limit; LK_TIME_NEVER: time_max_us */
  gint64 time_max_us;
  guint32 nodes_min; /* 0 */
  guint32 nodes_max; /* LK_COUNT_UNLIMITED */
  guint32 cpus_per_node_max;
  guint32 cpus_per_socket_max;
  guint32 priority_tier; /* 1 */
  guint32 priority_job_factor;
  LkOversubscribe oversubscribe;
  guint32 oversubscribe_jobs; /* most jobs on a core, of YES and FORCE; 4 */
  gboolean exclusive_user;
  gboolean exclusive_topo;
  LkSwitch least_loaded; /* LLN */
  char *qos;             /* of the partition itself; "" none */
  char *preempt_mode;    /* "" as the cluster */
  gint64 grace_us;
  gint64 over_time_limit_us;
  /* Comma-separated names; "" or "ALL": all may. */
  char *allow_accounts;
  char *deny_accounts;
  char *allow_groups;
  char *allow_qos;
  char *deny_qos;
  /* Memory of jobs that ask for none: at most one is above 0, else the cluster's. */
  gint64 memory_per_cpu_default_bytes;
  gint64 memory_per_node_default_bytes;
  gint64 memory_per_gpu_default_bytes;
  gint64 memory_per_cpu_max_bytes; /* 0: the cluster's */
  gint64 memory_per_node_max_bytes;
  guint32 cpus_per_gpu_default;
  char *tres_billing_weights; /* "CPU=1.0,Mem=0.25G,GRES/gpu=2.0"; "" none: CPUs */
  gboolean hidden;            /* only root, and who asks for all, is told of it */
  gboolean reservation_required;
  char *alloc_nodes; /* hostlist of where jobs are submitted to it; "" or "ALL": anywhere */
} LkPartitionSpec;

/* ---------------------------------------------------------------- the rest */

typedef struct {
  char *name;
  guint32 count;
} LkLicenseSpec;

typedef enum { LK_TOPOLOGY_FLAT, LK_TOPOLOGY_TREE, LK_TOPOLOGY_BLOCK } LkTopologyKind;

/* A switch of a tree, or a block. */
typedef struct {
  char *name;
  char *nodes;    /* hostlist, of a leaf or block; "" else */
  char *switches; /* hostlist of the switches below; "" of a leaf or block */
} LkSwitchSpec;

/* What is handed out: Slurm's SelectTypeParameters. */
typedef enum { LK_CONSUME_CPU, LK_CONSUME_CORE, LK_CONSUME_SOCKET, LK_CONSUME_NODE } LkConsume;

typedef struct {
  char *name;
  GPtrArray *nodes;      /* of LkNodeSpec* */
  GPtrArray *partitions; /* of LkPartitionSpec*; never empty in a checked cluster */
  GPtrArray *licenses;   /* of LkLicenseSpec* */
  LkTopologyKind topology;
  GPtrArray *switches;  /* of LkSwitchSpec*: of the tree, or the blocks */
  GArray *block_sizes;  /* of guint32, nodes, rising; the first is the planning base */
  LkConsume consume;    /* core */
  gboolean memory;      /* is memory handed out too? TRUE */
  gboolean cores_block; /* cores of a job fill one socket after another; else in turn */
  gboolean pack_nodes;
  gboolean least_loaded;
  gboolean enforce_limits; /* beyond a partition's limits: refused; else held */
  gint64 memory_per_cpu_default_bytes;
  gint64 memory_per_node_default_bytes;
  gint64 memory_per_gpu_default_bytes;
  gint64 memory_per_cpu_max_bytes;
  gint64 memory_per_node_max_bytes;
  guint32 cpus_per_gpu_default;
  gint64 switches_wait_max_us; /* 300 s */
  gint64 requeue_delay_us;     /* before a requeued job may start again; 121 s as Slurm */
  gboolean requeue;        /* JobRequeue: jobs may be requeued if they do not say otherwise; TRUE */
  char *requeue_exit;      /* RequeueExit: "1,5-10"; "" none */
  char *requeue_exit_hold; /* RequeueExitHold, likewise */
  guint32 max_batch_requeue;    /* MaxBatchRequeue; 5 */
  gboolean hold_prolog_failure; /* not nohold_on_prolog_fail; TRUE */
  gint64 kill_wait_us;          /* KillWait; 30 s */
  /* Slurm looks at time limits every 30 s; 0: a job ends the moment its limit comes. */
  gint64 time_scan_us;
  gint64 job_age_min_us;        /* MinJobAge: jobs that ended are remembered so long; 0: for ever */
  gboolean kill_invalid_depend; /* jobs whose dependency failed are cancelled; FALSE */
  guint32 array_size_max;       /* MaxArraySize: indices of tasks are below it; 1001 */
  gint64 reservation_over_run_us; /* past the end of their reservation jobs may run; 0 */
  guint32 compat;                 /* LK_COMPAT_*; of accounts, where there are any, theirs holds */
} LkCluster;

/* ---------------------------------------------------------------- building */

/* With Slurm's defaults and nothing in it. Returns: (transfer full). */
LkCluster *lk_cluster_new (const char *name);
void lk_cluster_free (LkCluster *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkCluster, lk_cluster_free)

/* Append one with Slurm's defaults. Returns: (transfer none), to be filled: text members may be
 * replaced by g_free and g_strdup. */
LkNodeSpec *lk_cluster_add_nodes (LkCluster *self, const char *names);
LkPartitionSpec *lk_cluster_add_partition (LkCluster *self, const char *name);
LkLicenseSpec *lk_cluster_add_license (LkCluster *self, const char *name, guint32 count);
LkSwitchSpec *lk_cluster_add_switch (LkCluster *self, const char *name, const char *nodes,
                                     const char *switches);
LkGresSpec *lk_node_spec_add_gres (LkNodeSpec *self, const char *name, const char *type,
                                   guint32 count);
void lk_node_spec_add_feature (LkNodeSpec *self, const char *feature);
/* Deep copies, for DEFAULT lines. */
LkNodeSpec *lk_node_spec_copy (const LkNodeSpec *self);
LkPartitionSpec *lk_partition_spec_copy (const LkPartitionSpec *self);
void lk_node_spec_free (LkNodeSpec *self);
void lk_partition_spec_free (LkPartitionSpec *self);
void lk_gres_spec_free (LkGresSpec *self);

/* What is wrong with the description, if anything. `spec` is the LkNodeSpec, LkPartitionSpec,
 * LkLicenseSpec, LkSwitchSpec or LkGresSpec (or NULL: the cluster) in which `member` stands, so
 * that a reader can name the place. */
typedef struct {
  const void *spec;
  const char *member; /* as the C member is called: "cpus" */
  char text[256];     /* what was found and what was expected, without the place */
} LkClusterError;

/* Does it hang together: node names unique, hostlists known, sizes in range, topology a tree,
 * exactly one default partition when there are partitions?  Adds a partition "main" of all nodes
 * when there is none. */
gboolean lk_cluster_check (LkCluster *self, LkClusterError *out_error);

guint32 lk_cluster_node_count (const LkCluster *self);
/* CPUs for scheduling, and devices called `gres_name`, of all nodes. */
guint64 lk_cluster_cpu_count (const LkCluster *self);
guint64 lk_cluster_gres_count (const LkCluster *self, const char *gres_name);

/* ---------------------------------------------------------------- canonical text */

/* One line per thing, every member named; see docs/formats.md. */
void lk_cluster_text (const LkCluster *self, GString *out);
/* The way back. Trusts nothing. Returns: (transfer full), checked; or NULL with `out_error`. */
LkCluster *lk_cluster_from_text (const char *text, gsize length_bytes, LkClusterError *out_error);
/* One line of it, and the way back of a line that may come from anywhere, which is not checked
 * beyond that. Return: (transfer full); NULL: it is no such line. */
void lk_partition_spec_text (const LkPartitionSpec *self, GString *out);
void lk_node_spec_text (const LkNodeSpec *self, GString *out);
LkPartitionSpec *lk_partition_spec_from_text (const char *text, gsize length_bytes);
LkNodeSpec *lk_node_spec_from_text (const char *text, gsize length_bytes);
/* The documentation of its members, as Markdown. */
void lk_cluster_markdown (GString *out);

#endif
