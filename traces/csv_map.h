/* traces/csv_map.h — which column of a table is what of a job: a page of YAML.
 *
 *   about: what logs it is for
 *   separator: ","                # one character; "," if not given
 *   names: [a, b, c]              # columns in order, of tables whose first row may be a job
 *   request_prefix: req_          # columns of this prefix and the name of a field of a request
 *   columns:
 *     submit: {column: timestamp, unit: date, format: "%Y-%m-%d %H:%M:%S"}
 *     run: duration               # short for {column: duration}
 *     state: {column: status, values: {Terminated: completed, Failed: failed}}
 *   rules:
 *     gpus_per_node_max: 8
 *
 * The keys of `columns` are the fields of lk_csv_fields, or fields of a request by their names in
 * engine/schema.h.  Their own keys:
 *
 *   column    the name in the table; the only one that has to be there
 *   unit      of times: s (default), ms, us, min, h, d; of moments also date, of lengths also
 *   clock;
 *             of counts: one (default), percent, milli; of sizes, which need one: B, KiB, MiB, GiB,
 *             TiB, kB, MB, GB, TB, slurm
 *   format    of dates, see traces/csv_values.h
 *   per       job, node, task, and for memory also cpu and gpu: what the number is for
 *   tres      of counts and sizes: the cell is a list of TRES as Slurm writes it, such as
 *             "cpu=4,gres/gpu=2" or "1=4,1002=2", and the value is that of this name or number;
 *             where it is not listed it is not known
 *   values    of states: the word of the table and what it means
 *   unknown   a list of texts that say that the value is not known; an empty cell always does, and
 *   so
 *             do NA, N/A, NaN, nan, None, null and NULL
 *   optional  true: the table may lack the column
 *
 * Rules, all of them optional: gpus_per_node_max, nodes, cpus_per_gpu, shares_per_gpu, procs,
 * run_from_submit, run_to_limit; see traces/csv_job.h.
 *
 * Errors are one line, "NAME:LINE:COLUMN: what".  Not here: reading tables (reader_csv.c), making
 * requests (csv_job.c). */
#ifndef LK_TRACES_CSV_MAP_H
#define LK_TRACES_CSV_MAP_H

#include <glib.h>

#include "traces/csv_values.h"
#include "traces/trace_error.h"

/* A page has at most this many bytes, and a list of it as many entries. */
#define LK_CSV_MAP_MAX_BYTES (1024u * 1024)
#define LK_CSV_MAP_ENTRIES_MAX 4096u

/* X (NAME, name in the page, kind, default of `per`, help) */
#define LK_CSV_FIELDS(X)                                                                           \
  X (NUMBER, "number", LK_CSV_COUNT, NONE, "number of the job")                                    \
  X (NAME, "name", LK_CSV_TEXT, NONE, "its name in the log")                                       \
  X (SUBMIT, "submit", LK_CSV_MOMENT, NONE, "when it was submitted")                               \
  X (ELIGIBLE, "eligible", LK_CSV_MOMENT, NONE, "when it could first run")                         \
  X (START, "start", LK_CSV_MOMENT, NONE, "when it started")                                       \
  X (END, "end", LK_CSV_MOMENT, NONE, "when it ended")                                             \
  X (RUN, "run", LK_CSV_SPAN, NONE, "how long it ran")                                             \
  X (WAIT, "wait", LK_CSV_SPAN, NONE, "how long it waited; gives the start")                       \
  X (LIMIT, "limit", LK_CSV_SPAN, NONE, "its time limit")                                          \
  X (SUSPENDED, "suspended", LK_CSV_SPAN, NONE, "how long it was suspended")                       \
  X (PROCS, "procs", LK_CSV_COUNT, NONE, "processors, as they are")                                \
  X (CPUS, "cpus", LK_CSV_COUNT, JOB, "CPUs")                                                      \
  X (GPUS, "gpus", LK_CSV_COUNT, JOB, "GPUs")                                                      \
  X (GPU_SHARES, "gpu_shares", LK_CSV_COUNT, NONE, "part of a GPU, of jobs with one")              \
  X (GPU_TYPE, "gpu_type", LK_CSV_TEXT, NONE, "type of GPU that it needs")                         \
  X (NODES, "nodes", LK_CSV_COUNT, NONE, "nodes")                                                  \
  X (MEMORY, "memory", LK_CSV_SIZE, NODE, "memory")                                                \
  X (USER, "user", LK_CSV_TEXT, NONE, "user")                                                      \
  X (GROUP, "group", LK_CSV_TEXT, NONE, "group")                                                   \
  X (JOB_NAME, "job_name", LK_CSV_TEXT, NONE, "name that the user gave it")                        \
  X (NODE_LIST, "ran_on", LK_CSV_TEXT, NONE, "nodes that it ran on")                               \
  X (STATE, "state", LK_CSV_TEXT, NONE, "how it ended")                                            \
  X (ATTEMPTS, "attempts", LK_CSV_COUNT, NONE, "how often it was started")                         \
  X (EXIT_CODE, "exit_code", LK_CSV_COUNT, NONE, "exit code")                                      \
  X (EXIT_SIGNAL, "exit_signal", LK_CSV_COUNT, NONE, "signal that ended it")                       \
  X (USER_ID, "user_id", LK_CSV_COUNT, NONE, "number of the user")                                 \
  X (GROUP_ID, "group_id", LK_CSV_COUNT, NONE, "number of the group")                              \
  X (PARTITION_ID, "partition_id", LK_CSV_COUNT, NONE, "number of the partition")

#define X(NAME, name, kind, per, help) LK_CSV_FIELD_##NAME,
typedef enum { LK_CSV_FIELDS (X) LK_CSV_FIELD_COUNT } LkCsvField;
#undef X

typedef enum {
  LK_CSV_PER_NONE,
  LK_CSV_PER_JOB,
  LK_CSV_PER_NODE,
  LK_CSV_PER_TASK,
  LK_CSV_PER_CPU,
  LK_CSV_PER_GPU,
} LkCsvPer;

typedef enum { LK_CSV_PROCS_CPUS, LK_CSV_PROCS_GPUS, LK_CSV_PROCS_NODES } LkCsvProcs;

/* A field of a request as engine/schema.h has it. */
typedef struct {
  const char *name;
  enum { LK_CSV_REQUEST_u32, LK_CSV_REQUEST_i64, LK_CSV_REQUEST_text } type;
  gsize offset; /* in LkJobRequest */
} LkCsvRequestField;

typedef struct {
  char *text;
  LkRecordState state;
} LkCsvState;

/* One column. Exactly one of `request` and `field` counts. */
typedef struct {
  const LkCsvRequestField *request; /* NULL: `field` */
  LkCsvField field;
  char *column;
  const LkCsvUnit *unit; /* NULL of texts */
  char *form;            /* of dates; NULL: ISO 8601 */
  LkCsvPer per;
  char *tres; /* the name or number in a list of TRES; NULL: the cell is the value */
  gboolean is_optional;
  GArray *states;     /* of LkCsvState; NULL: Slurm's names */
  GPtrArray *unknown; /* of char *; NULL: none */
} LkCsvColumn;

typedef struct {
  guint32 gpus_per_node_max; /* 0: not given, as of the next two */
  guint32 nodes;
  guint32 cpus_per_gpu;
  guint32 shares_per_gpu; /* 1000 if not given */
  LkCsvProcs procs;
  gboolean run_from_submit;
  gboolean run_to_limit;
} LkCsvRules;

typedef struct {
  char *name;  /* of the page */
  char *about; /* NULL: not said */
  char separator;
  GPtrArray *names;     /* of char *; NULL: tables have a first row of names */
  char *request_prefix; /* NULL: none */
  GPtrArray *columns;   /* of LkCsvColumn */
  LkCsvRules rules;
} LkCsvMap;

/* From a page in memory; `name` is used in messages. Returns: (transfer full). */
LkCsvMap *lk_csv_map_new (const char *name, const guint8 *bytes, gsize length_bytes,
                          GError **error);
/* A built-in one by its name, else the page in this file. Returns: (transfer full). */
LkCsvMap *lk_csv_map_load (const char *name_or_path, GError **error);
void lk_csv_map_free (LkCsvMap *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkCsvMap, lk_csv_map_free)

/* Names of the built-in ones, in order, NULL-terminated. Returns: (transfer container). */
const char **lk_csv_map_names (void);

/* "submit", or the name of a field of a request. */
const char *lk_csv_column_name (const LkCsvColumn *column);
LkCsvKind lk_csv_field_kind (LkCsvField field);
/* The field of a request with this name, or NULL. */
const LkCsvRequestField *lk_csv_request_field (const char *name, gsize length_bytes);

/* Has every column that may not be missing its name among these? `out_missing` (may be NULL) is set
 * to the first that has not. */
gboolean lk_csv_map_fits (const LkCsvMap *self, const GPtrArray *names,
                          const LkCsvColumn **out_missing);

#endif
