/* engine/machine.h — a machine of nodes at run time: nodes, partitions, licences, and what jobs
 * asked of them.
 *
 * What a job asks for is resolved once, against this machine, into an LkRequest; jobs that ask for
 * the same share one.  A request knows which nodes could ever serve it, and what it needs of each
 * and of all together. */
#ifndef LK_ENGINE_MACHINE_H
#define LK_ENGINE_MACHINE_H

#include <glib.h>

#include "engine/codec.h"
#include "engine/constraint.h"
#include "engine/node_table.h"

typedef struct {
  const LkPartitionSpec *spec;
  guint64 *nodes; /* set */
  guint32 node_count;
} LkPartition;

typedef struct {
  guint32 license; /* index */
  guint32 count;
} LkLicenseDemand;

/* Devices or counts on each node. */
typedef struct {
  guint32 name; /* index of the gres name */
  guint32 type; /* 0: any */
  guint32 count;
} LkGresDemand;

typedef enum {
  LK_MEMORY_NONE, /* not handed out, or nothing asked */
  LK_MEMORY_PER_NODE,
  LK_MEMORY_PER_CPU,
  LK_MEMORY_PER_GPU,
  LK_MEMORY_ALL, /* of each node */
} LkMemoryDemand;

#define LK_REQUEST_GRES_MAX 8u

typedef struct {
  guint64 serial; /* of no other request, ever */
  guint32 reference_count;
  GByteArray *key;       /* what was asked for, as canonical bytes */
  gboolean is_tried;     /* on the idle machine */
  LkReason never;        /* why it can never run on this machine; LK_REASON_NONE: it can */
  LkReject never_reject; /* the same for a machine that refuses such jobs */

  guint32 place;      /* 0: at home; else in the partition that it named as this one, from 1 on */
  guint32 *visits;    /* at home: by place, 1 + request there (held), see engine/in_partition.c */
  guint32 partition;  /* index: where it runs */
  GArray *partitions; /* of guint32: all that it named, in this order */
  guint64 *tres;      /* how much of each TRES it asks for, once engine/book.h has asked; or NULL */
  guint64 *tres_requested; /* Slurm's ReqTRES, likewise */
  LkDemand demand;         /* what the select policy sees */
  guint32 tasks_per_node_max;
  guint32 tasks_per_socket_max;
  guint32 tasks_per_gpu;
  guint32 cpus_per_gpu;
  guint32 cpus_used_per_core;   /* of a core, CPUs that tasks may use; 0: all */
  gboolean is_one_task;         /* so many tasks, and no more, were asked for */
  guint32 sockets_per_node_min; /* with so many free cores each; 0: any */
  guint32 cores_per_socket_min;
  LkMemoryDemand memory;
  gint64 memory_bytes;
  LkGresDemand gres[LK_REQUEST_GRES_MAX];
  guint32 gres_count;
  LkGresDemand gpus_total; /* count 0: none */
  LkGresDemand gpus_per_task;
  guint32 nodes_by_gpus; /* as many nodes as the GPUs in all and of each node say; 0: not said */
  guint32 gpus_per_socket;
  guint32 sharing_jobs; /* most jobs on a core; 1: cores are its own */
  guint32 tier;         /* of its partition */
  gboolean shares;      /* it may be on a node with others that do, and only with these */
  gboolean own_rows;    /* and on cores of those of other partitions of its tier */
  gboolean whole_nodes;
  gboolean whole_cores; /* all cores of each node, alone or where jobs share them */
  gboolean whole_user;
  gboolean enforce_binding;
  gboolean disable_binding;
  gboolean cores_block;
  gboolean no_requeue;
  gboolean no_kill;
  gint64 switches_wait_us;
  /* What each node must give for all together to be enough, since the job may have so many nodes
   * and no node has more than it has; for searches only, as Slurm's choice looks at poorer nodes,
   * too. */
  guint32 cpus_node_floor;
  guint32 gpus_node_floor;
  guint64 *eligible; /* nodes that could serve it, whatever their state */
  guint64 *required; /* NULL: none */
  guint32 required_count;
  guint64 *allowed; /* the only nodes that it may have; NULL: all */
  LkConstraint constraint;
  GArray *licenses; /* of LkLicenseDemand; NULL: none */
} LkRequest;

typedef struct {
  const LkCluster *cluster;
  LkNodeTable nodes;
  guint32 partition_count;
  LkPartition *partitions;
  guint32 partition_default;
  guint32 license_count;
  guint32 *licenses_total;
  guint32 *licenses_free;
  gboolean has_sharing; /* a partition lets jobs share cores */
  gboolean takes_turns; /* jobs of OverSubscribe=FORCE:1 share nodes, too, as Slurm sees it */
  gboolean whole_nodes; /* the select policy gives nodes whole */
  gboolean is_old;      /* the rules of Slurm 22.05 hold; set by the engine, which knows accounts */
  LkClusterView view;
  guint32 *switch_parent;
  guint32 *switch_level;
  guint32 *node_switch;

  guint64 serial_last;
  GPtrArray *requests; /* of LkRequest*, NULL where one was freed */
  GArray *request_free;
  GHashTable *request_by_key; /* GByteArray -> index + 1 */
  guint32 choice_count;       /* requests that name several partitions */
} LkMachine;

/* Does an offer reach the floors of the request? */
static inline gboolean
lk_request_has_floor (const LkRequest *self, const LkOffer *offer)
{
  return offer->cpus >= self->cpus_node_floor && offer->gpus >= self->gpus_node_floor;
}

/* `cluster` is checked and outlives self. `whole_nodes`: every job gets its nodes whole. Returns:
 * (transfer full). */
LkMachine *lk_machine_new (const LkCluster *cluster, gboolean whole_nodes);
void lk_machine_free (LkMachine *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkMachine, lk_machine_free)

static inline LkRequest *
lk_machine_request (const LkMachine *self, guint32 request)
{
  return g_ptr_array_index (self->requests, request);
}

/* Memory that jobs can have of the first node of a partition; 0: it has no nodes. */
gint64 lk_machine_first_memory_bytes (const LkMachine *self, guint32 partition);

/* How pieces of a job with this request stand to others: flags of a piece. */
static inline guint32
lk_request_piece_flags (const LkRequest *self)
{
  return (self->whole_nodes ? LK_PIECE_WHOLE : 0) | (self->shares ? LK_PIECE_SHARING : 0)
         | (self->whole_user ? LK_PIECE_USER : 0);
}

/* Does a job have all devices and counts of its nodes?  As one with --exclusive does, alone on them
 * or where jobs share cores; not where it is the policy that gives whole nodes. */
static inline gboolean
lk_request_has_all_gres (const LkRequest *self, const LkMachine *machine)
{
  return self->whole_cores && !machine->whole_nodes;
}

/* Resolves what a job asks for, or finds the same asked before. 0: `out_request` has one more user;
 * else why the machine refuses it. */
LkReject lk_machine_resolve (LkMachine *self, const LkJobRequest *asked, guint32 procs,
                             guint32 *out_request);
/* The same in the partition that was named as the `place`-th; 0: at home. */
LkReject lk_machine_resolve_in (LkMachine *self, const LkJobRequest *asked, guint32 procs,
                                guint32 place, guint32 *out_request);
/* One user more, and one less. */
void lk_machine_share (LkMachine *self, guint32 request);
void lk_machine_release (LkMachine *self, guint32 request);
/* The request as it was asked; texts are borrowed from it. */
void lk_request_asked (const LkRequest *self, LkJobRequest *out_asked, guint32 *out_procs);

/* engine/request.c */
/* `self` is zeroed but for its place. */
LkReject lk_request_fill (LkRequest *self, const LkMachine *machine, const LkJobRequest *asked,
                          guint32 procs);
void lk_request_free (LkRequest *self);

#endif
