/* traces/slurm_conf_private.h — what the files slurm_conf_*.c share.
 *
 * An import goes through its files in this order: slurm.conf is sorted into global keys and records
 * (lines that begin with NodeName and the like); global keys; nodes; gres.conf; partitions;
 * topology; associations; then the cluster is checked as a whole.  Every pair has its row from the
 * moment its line is sorted; what is found out later is noted in the row. */
#ifndef LK_TRACES_SLURM_CONF_PRIVATE_H
#define LK_TRACES_SLURM_CONF_PRIVATE_H

#include <glib.h>

#include "engine/cluster.h"
#include "traces/slurm_conf.h"
#include "traces/slurm_conf_keys.h"
#include "traces/slurm_conf_lines.h"

#define LK_SLURM_US_PER_S G_GINT64_CONSTANT (1000000)
#define LK_SLURM_US_PER_MIN (60 * LK_SLURM_US_PER_S)
#define LK_SLURM_BYTES_PER_MIB G_GINT64_CONSTANT (1048576)
/* Most names that all hostlists of an import expand to together. */
#define LK_SLURM_NAMES_MAX 40000000u

/* A line that begins with NodeName and the like. */
typedef struct {
  LkSlurmScope scope;
  const char *name;       /* what the first key says: "n[1-4]" */
  const char *title;      /* for messages: "NodeName=n[1-4]" */
  const GPtrArray *pairs; /* of LkSlurmPair*; the first is the one that names it */
  GPtrArray *defaults;    /* of LkSlurmPair*, as they stood at this line; NULL: none */
  gboolean is_default;    /* NodeName=DEFAULT: describes nothing */
} LkSlurmRecord;

/* The value of a key on the line, else in its defaults; NULL. The last of several counts. */
const LkSlurmPair *lk_slurm_record_get (const LkSlurmRecord *self, const char *key);
/* The same on the line alone. */
const LkSlurmPair *lk_slurm_record_get_own (const LkSlurmRecord *self, const char *key);
/* The pair that names it. */
const LkSlurmPair *lk_slurm_record_head (const LkSlurmRecord *self);

/* A file, or text in memory, or neither. */
typedef struct {
  const char *path;
  GBytes *bytes;    /* (transfer none) */
  const char *name; /* of `bytes`, for messages */
} LkSlurmSource;

gboolean lk_slurm_source_is_given (const LkSlurmSource *self);
LkSlurmLines *lk_slurm_source_lines (const LkSlurmSource *self, LkFaults *faults, GError **error);
/* And what it is called in messages. Both (transfer full). */
GBytes *lk_slurm_source_bytes (const LkSlurmSource *self, char **out_name, GError **error);

/* A node by its name. */
typedef struct {
  char *name;
  guint record_index; /* in LkSlurmImport.nodes */
  guint32 flags;      /* of DownNodes, added to its line's */
  const char *reason; /* of those; NULL */
  guint devices_id;   /* the set of gres.conf lines that speak of it, see slurm_conf_gres.c */
  gboolean is_future; /* not there */
} LkSlurmNode;

struct _LkSlurmImport {
  LkCluster *cluster;
  GPtrArray *rows; /* of LkSlurmRow* */
  LkSlurmSource conf_source;
  LkSlurmSource gres_source;
  LkSlurmSource topology_source;
  LkSlurmSource assoc_source;
  gboolean is_topology_explicit; /* asked for, not found beside slurm.conf */
  LkSlurmLines *conf;
  LkSlurmLines *gres;
  LkSlurmLines *topology;
  LkSlurmRecord global;  /* the keys that are on no record */
  GPtrArray *records;    /* of LkSlurmRecord*, in the order of the lines */
  GPtrArray *nodes;      /* of LkSlurmNode*; sorted by name by lk_slurm_nodes_finish */
  GHashTable *indices;   /* name of a node to its index + 1 */
  GHashTable *futures;   /* names of nodes that are not there */
  GHashTable *node_sets; /* name of a NodeSet to its LkSlurmRecord */
  GPtrArray *specs;      /* of LkNodeSpec*, one for each entry of `records`; NULL where no nodes */
  GArray *origins;       /* of LkSlurmOrigin */
  GArray *devices;       /* of gres.conf, see slurm_conf_gres.c */
  GPtrArray *device_lines;
  guint64 names_left;
  guint suggestions_left;
  LkFaults *faults; /* of LkSlurmImportOptions; borrowed while the work lasts */
  guint faults_before;
  gboolean is_conf_borrowed;
  /* Something could not be read that may have described what seems to be missing. */
  gboolean is_partial;
};

/* Behind a line that is wrong: may the work go on with the next one?  Then its message is kept and
 * `error` is clear again. */
gboolean lk_slurm_import_goes_on (LkSlurmImport *self, GError **error);
/* How many messages were kept so far. */
guint lk_slurm_import_fault_count (const LkSlurmImport *self);

/* Which line a part of the cluster comes from. */
typedef struct {
  const void *spec;
  const LkSlurmRecord *record;
  const char *key; /* of the record; NULL: told by the member */
} LkSlurmOrigin;

/* ---------------------------------------------------------------- the report */

LkSlurmRow *lk_slurm_row_add (LkSlurmImport *self, const LkSlurmPlace *place, const char *record,
                              const LkSlurmPair *pair, const LkSlurmKey *key);
/* A row of what is missing. */
void lk_slurm_row_add_missing (LkSlurmImport *self, const char *key, LkSlurmVerdict verdict,
                               const char *how);
/* Says of a pair what its key alone does not tell; several notes are joined, equal ones are one. */
void lk_slurm_pair_note (const LkSlurmPair *pair, LkSlurmVerdict verdict, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/* Rows for the pairs of a line. A key that stands twice is noted as such, and one that no Slurm has
 * is told. */
void lk_slurm_line_rows (LkSlurmImport *self, LkSlurmScope scope, const GPtrArray *pairs,
                         guint first, const char *record);

/* ---------------------------------------------------------------- values */

/* "FILE:LINE: RECORD: KEY is 'VALUE'; expected ..." Returns: FALSE. */
gboolean lk_slurm_pair_fail (const LkSlurmPair *pair, GError **error, const char *expected, ...)
    G_GNUC_PRINTF (3, 4);
/* "FILE:LINE: RECORD: KEY: ..." Returns: FALSE. */
gboolean lk_slurm_pair_refuse (const LkSlurmPair *pair, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/* A whole number, perhaps with K for 1024. */
gboolean lk_slurm_value_number (const LkSlurmPair *pair, guint64 minimum, guint64 maximum,
                                guint64 *out_number, GError **error);
/* The same in 32 bits. */
gboolean lk_slurm_value_count (const LkSlurmPair *pair, guint32 minimum, guint32 maximum,
                               guint32 *out_count, GError **error);
/* Or UNLIMITED, which is LK_COUNT_UNLIMITED. */
gboolean lk_slurm_value_limit (const LkSlurmPair *pair, guint32 *out_count, GError **error);
/* MiB. */
gboolean lk_slurm_value_memory (const LkSlurmPair *pair, gint64 *out_bytes, GError **error);
/* MiB; UNLIMITED is 0. */
gboolean lk_slurm_value_memory_limit (const LkSlurmPair *pair, gint64 *out_bytes, GError **error);
/* A time of a job: whole minutes, seconds rounded up; UNLIMITED is LK_TIME_NEVER. */
gboolean lk_slurm_value_time (const LkSlurmPair *pair, gint64 *out_time_us, GError **error);
/* Minutes; UNLIMITED is a year, as in Slurm. */
gboolean lk_slurm_value_over_time (const LkSlurmPair *pair, gint64 *out_over_us, GError **error);
gboolean lk_slurm_value_switch (const LkSlurmPair *pair, gboolean *out_is_on, GError **error);
/* Digits with K, M, G, T or P, powers of 1024. */
gboolean lk_slurm_number_parse (const char *text, gsize length_bytes, guint64 *out_number);
/* UNLIMITED, INFINITE or -1? */
gboolean lk_slurm_text_is_unlimited (const char *text);
/* Pieces between commas (and white space) that are outside brackets, without the empty ones.
 * Returns: (transfer full). */
char **lk_slurm_list_split (const char *text);

/* Appends the names of a hostlist, (transfer full). */
gboolean lk_slurm_names_expand (LkSlurmImport *self, const LkSlurmPair *pair, const char *list,
                                GPtrArray *out_names, GError **error);
/* The node of a name, or NULL. */
LkSlurmNode *lk_slurm_node_find (const LkSlurmImport *self, const char *name);

/* Keys that set one member of a struct each. */
typedef enum {
  LK_SLURM_KIND_SWITCH,       /* gboolean */
  LK_SLURM_KIND_COUNT,        /* guint32, at least 1 and 16 bits */
  LK_SLURM_KIND_NUMBER,       /* guint32 */
  LK_SLURM_KIND_LIMIT,        /* guint32, LK_COUNT_UNLIMITED */
  LK_SLURM_KIND_MEMORY,       /* gint64 bytes from MiB */
  LK_SLURM_KIND_MEMORY_LIMIT, /* the same, 0 for UNLIMITED */
  LK_SLURM_KIND_TIME,         /* gint64 */
  LK_SLURM_KIND_OVER_TIME,    /* gint64 */
  LK_SLURM_KIND_SECONDS,      /* gint64 */
  LK_SLURM_KIND_TEXT,         /* char * */
  LK_SLURM_KIND_ALL_OR_NAMES, /* char *; ALL is "" */
  LK_SLURM_KIND_LOWER_NAMES,  /* the same in lower case */
} LkSlurmKind;
typedef struct {
  const char *key;
  LkSlurmKind kind;
  gsize offset;
} LkSlurmMember;
/* Sets the members whose key the record has. */
gboolean lk_slurm_members_set (const LkSlurmRecord *record, const LkSlurmMember *members,
                               guint count, void *base, GError **error);
/* The same, and on behind those that are wrong. */
gboolean lk_slurm_members_set_all (LkSlurmImport *self, const LkSlurmRecord *record,
                                   const LkSlurmMember *members, guint count, void *base,
                                   GError **error);

/* ---------------------------------------------------------------- the parts */

gboolean lk_slurm_globals_apply (LkSlurmImport *self, GError **error);
/* JobDefaults=DefCpuPerGPU=..,DefMemPerGPU=.. of a record, if it has them. */
gboolean lk_slurm_job_defaults_set (const LkSlurmRecord *record, guint32 *cpus_per_gpu_count,
                                    gint64 *memory_per_gpu_bytes, GError **error);
/* Of defaults that exclude each other one stays: for each node, else for each CPU, else for each
 * GPU. */
void lk_slurm_memory_settle (const LkSlurmRecord *record, gint64 *per_node_bytes,
                             gint64 *per_cpu_bytes, gint64 *per_gpu_bytes);

/* Lines of nodes and DownNodes to `nodes` and `specs`. */
gboolean lk_slurm_nodes_read (LkSlurmImport *self, GError **error);
/* Sorts the nodes and puts them into the cluster. */
gboolean lk_slurm_nodes_finish (LkSlurmImport *self, GError **error);

/* The value of Gres= into a line of nodes. */
gboolean lk_slurm_gres_parse (const LkSlurmPair *pair, LkNodeSpec *spec, GError **error);
/* Reads gres.conf and says of each node which of its lines are about it. */
gboolean lk_slurm_gres_conf_read (LkSlurmImport *self, GError **error);
/* Puts what these lines say into a group of nodes. `node` is one of them. */
void lk_slurm_gres_conf_apply (LkSlurmImport *self, const LkSlurmNode *node, LkNodeSpec *spec);
/* Notes which lines were about nothing. */
void lk_slurm_gres_conf_finish (LkSlurmImport *self);

gboolean lk_slurm_partitions_read (LkSlurmImport *self, GError **error);

gboolean lk_slurm_topology_read (LkSlurmImport *self, GError **error);
/* Of topology.yaml: the lines that topology.conf would have for its default topology, into
 * `self->topology`. */
gboolean lk_slurm_topology_yaml_read (LkSlurmImport *self, const char *name, GBytes *bytes,
                                      GError **error);

gboolean lk_slurm_assoc_read (LkSlurmImport *self, GError **error);

#endif
