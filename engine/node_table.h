/* engine/node_table.h — the nodes of a machine at run time: what each has, its state, and which
 * pieces of jobs lie on it.
 *
 * Nodes of one group of the description are of one kind: what they have is kept once.  What is in
 * use is kept as pieces: the part of a job that lies on one node, with the very cores, devices,
 * shares, counts and memory it holds and the time for which it holds them.  A piece is on a node
 * when its job runs; a plan keeps pieces of its own for reservations (engine/plan.h) in the same
 * pool. */
#ifndef LK_ENGINE_NODE_TABLE_H
#define LK_ENGINE_NODE_TABLE_H

#include <glib.h>

#include "engine/bits.h"
#include "engine/cluster.h"
#include "engine/policy.h"

#define LK_NODE_CORE_WORDS_MAX (LK_LIMIT_NODE_CORES / 64)
#define LK_PIECE_NONE G_MAXUINT32
#define LK_GRES_NONE G_MAXUINT32

/* How resources of one name are handed out. */
typedef enum {
  LK_GRES_DEVICE, /* "gpu": one by one */
  LK_GRES_SHARE,  /* "shard", "mps": shares of one GPU */
  LK_GRES_COUNT,  /* anything else: so many */
} LkGresKind;

typedef struct {
  char *name;
  LkGresKind kind;
} LkGresName;

/* What the nodes of one group have. */
typedef struct {
  guint32 sockets;
  guint32 cores_per_socket;
  guint32 cores;
  guint32 cpus; /* for scheduling */
  guint32 cpus_per_core;
  gint64 memory_bytes; /* that jobs may have */
  gint64 tmp_bytes;
  guint32 weight;
  guint64 cores_usable[LK_NODE_CORE_WORDS_MAX]; /* without reserved ones */
  guint32 cpus_usable;
  guint64 *features; /* set of feature numbers */
  /* GPUs. */
  guint32 device_count;
  guint16 device_type[LK_LIMIT_NODE_DEVICES];    /* number of the type's text; 0: none */
  guint32 device_sockets[LK_LIMIT_NODE_DEVICES]; /* set of sockets; 0: near to all */
  const guint16 *links;                          /* of the description; NULL: none */
  guint32 links_base;                            /* the device that links[0] speaks of */
  guint32 links_count;
  guint32 share_name; /* which gres name its shares have; LK_GRES_NONE: it has none */
  guint32 shares_per_device;
  /* By gres name: how many of it a node has, devices and shares included; no_consume: endless. */
  guint32 counts[LK_LIMIT_GRES_NAMES];
  gboolean no_consume[LK_LIMIT_GRES_NAMES];
} LkNodeKind;

/* Flags of a piece. */
#define LK_PIECE_WHOLE (1u << 0)   /* nobody else may be on the node */
#define LK_PIECE_SHARING (1u << 1) /* its cores may be others' too, who share as well */
#define LK_PIECE_USER (1u << 2)    /* only jobs of the same user may be on the node */
#define LK_PIECE_STOPPED (1u << 3) /* the scheduler has stopped its job: its cores may be others' */

typedef struct {
  LkJobIndex job;
  guint32 node;
  guint32 next_on_node;
  guint32 previous_on_node; /* LK_PIECE_NONE: it is the first; of reservations only */
  guint32 next_of_job;
  guint32 flags;
  guint32 user_id;
  guint32 partition;   /* index, through which the job came */
  guint32 reservation; /* number of the advance reservation in which it runs; 0: none */
  gint64 from_us;
  gint64 to_us; /* expected */
  gint64 memory_bytes;
  guint64 devices; /* held as a whole */
  guint32 share_device;
  guint32 shares;
  guint32 cpus;
  guint32 counts[LK_LIMIT_GRES_NAMES];
  guint64 cores[]; /* LkNodeTable.core_words */
} LkPiece;

typedef struct {
  guint32 node_count;
  guint32 node_words;
  guint32 core_words; /* of the largest node */
  guint32 kind_count;
  LkNodeKind *kinds;
  guint32 *kind_of; /* by node, as all below */
  char **names;
  guint32 *flags; /* LkNodeFlags */
  char **reasons;
  guint32 *piece_first; /* of the jobs that run */
  guint32 *piece_count;
  guint32 *stamp;   /* grows when what runs on the node changes; from 1 */
  guint32 *by_name; /* nodes by name, for search */
  guint32 *node_cpus;
  gint64 *node_memory_bytes;
  guint32 *node_weight;
  guint64 *usable; /* set of nodes without flags */

  GPtrArray *feature_names; /* of char*, borrowed; the number is the index */
  guint32 feature_words;
  GPtrArray *type_names; /* of char*, borrowed; type number 1 is the first */
  guint32 gres_count;
  LkGresName gres[LK_LIMIT_GRES_NAMES];

  const guint32 *tiers;     /* by partition: who is below shares no cores; NULL: everybody may */
  guint32 user_piece_count; /* pieces on nodes that want no other user beside them */
  guint8 *pieces;
  gsize piece_bytes; /* of one */
  guint32 piece_limit;
  guint32 piece_capacity;
  /* The first of the free ones: jobs' chains, through next_of_job, one behind the other, through
   * next_on_node of their first pieces. */
  guint32 piece_free;
} LkNodeTable;

/* `cluster` is checked and outlives self. */
void lk_node_table_init (LkNodeTable *self, const LkCluster *cluster);
void lk_node_table_clear (LkNodeTable *self);

static inline const LkNodeKind *
lk_node_kind (const LkNodeTable *self, guint32 node)
{
  return &self->kinds[self->kind_of[node]];
}

static inline LkPiece *
lk_piece (const LkNodeTable *self, guint32 piece)
{
  return (LkPiece *)(gpointer)(self->pieces + piece * self->piece_bytes);
}

/* A zeroed piece on no node. Pieces may move. */
guint32 lk_piece_new (LkNodeTable *self);
void lk_piece_free (LkNodeTable *self, guint32 piece);
/* A job's pieces from this one on; on no node's list. O(1). LK_PIECE_NONE is allowed. */
void lk_piece_free_chain (LkNodeTable *self, guint32 first_piece);
/* Copies what is held, not the links. */
void lk_piece_copy (const LkNodeTable *self, const LkPiece *from, LkPiece *to);

/* A piece begins and ends to be in use. */
void lk_node_table_attach (LkNodeTable *self, guint32 piece);
void lk_node_table_detach (LkNodeTable *self, guint32 piece);

/* What a piece on the node holds, or for how long, has changed. */
void lk_node_table_touch (LkNodeTable *self, guint32 node);

/* Also in the set of usable nodes. */
void lk_node_table_set_flags (LkNodeTable *self, guint32 node, guint32 flags, const char *reason,
                              gsize reason_bytes);

/* Slurm's word for what a node is like: IDLE, MIXED, ALLOCATED, DOWN, DRAINED, DRAINING, FAIL,
 * FAILING, MAINT; `is_planned`: an idle one with a reservation of a plan is PLANNED. */
const char *lk_node_state_text (const LkNodeTable *self, guint32 node, gboolean is_planned);

/* LK_NODE_NONE when there is no node of this name. O(log nodes). */
guint32 lk_node_table_find (const LkNodeTable *self, const char *name, gsize name_bytes);
/* Numbers of texts; G_MAXUINT32 (type: 0) when no node has it. */
guint32 lk_node_table_feature (const LkNodeTable *self, const char *name, gsize name_bytes);
guint32 lk_node_table_type (const LkNodeTable *self, const char *name, gsize name_bytes);
guint32 lk_node_table_gres (const LkNodeTable *self, const char *name, gsize name_bytes);

/* Aborts unless every invariant holds: what pieces hold exists and is held once, or shared by
 * those who may. */
void lk_node_table_check (const LkNodeTable *self);

#endif
