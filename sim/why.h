/* sim/why.h — why does a job wait, and what would let it start?
 *
 * Looks at an engine between events.  The engine itself is only read: what could be is tried on
 * copies of it (sim/why_trial.h), so that every change that is told was seen to work. */
#ifndef LK_SIM_WHY_H
#define LK_SIM_WHY_H

#include <glib.h>

#include "engine/engine.h"
#include "sim/journal_names.h"
#include "sim/json_out.h"

/* ---------------------------------------------------------------- what blocks it */

/* In the order in which they are told: X (NAME, word). */
#define LK_WHY_BLOCKERS(X)                                                                         \
  X (HOLD, "hold")                     /* somebody holds it */                                     \
  X (BEGIN_TIME, "begin_time")         /* it may not start before `at_us` */                       \
  X (DEPENDENCY, "dependency")         /* others have not come yet, or never will */               \
  X (ARRAY, "array")                   /* as many of its array run as may at once */               \
  X (COMPONENTS, "components")         /* of a heterogeneous job: all start at once, or none */    \
  X (CLOSED, "partition")              /* its partition starts no jobs now */                      \
  X (RESERVATION, "reservation")       /* it has not begun, or others have its nodes */            \
  X (NEVER, "never")                   /* it breaks what its partition or the machine allows */    \
  X (LIMIT, "limit")                   /* of an association or a QOS */                            \
  X (REQUIRED_NODES, "required_nodes") /* nodes that it names take no jobs */                      \
  X (LICENSES, "licenses")             /* not enough are free */                                   \
  X (RESOURCES, "resources")           /* it does not fit beside what runs */                      \
  X (PRIORITY, "priority")             /* jobs that go before it */

typedef enum {
#define X(NAME, word) LK_WHY_##NAME,
  LK_WHY_BLOCKERS (X)
#undef X
} LkWhyBlockerKind;
const char *lk_why_blocker_word (LkWhyBlockerKind kind);

/* One that has what the job waits for, or goes before it. */
typedef struct {
  guint32 id; /* 0: not a job, but all that a user had in an account so far */
  char *user; /* name, or number where users have no names */
  char *account;
  guint64 amount; /* what it has of what is short; or its priority */
} LkWhyJob;

/* Of the nodes that could ever serve the job, how many cannot now, by what is short first. */
typedef struct {
  guint32 eligible;
  guint32 unusable; /* down, drained */
  guint32 taken;    /* whoever is there wants no other beside it */
  guint32 cpus_short;
  guint32 gpus_short;
  guint32 memory_short;
  guint32 other;
  guint32 able; /* can serve it now */
  guint32 able_cpus;
  guint32 wanted; /* nodes that it needs */
} LkWhyNodes;

#define LK_WHY_JOBS_MAX 3u /* how many are named */

typedef struct {
  LkWhyBlockerKind kind;
  char *text; /* one line for people */
  LkReason reason;
  gint64 at_us;           /* LK_TIME_NEVER: no moment */
  char *name;             /* the limit, by sacctmgr's name; the licence; nodes; or NULL */
  LkLimitFinding finding; /* of a limit */
  const char *tres;       /* of a limit: its TRES; NULL: it has none */
  char *holder;           /* of a limit: in what it is set, and for whom; or NULL */
  const char *unit;       /* of the numbers; NULL: there are none */
  guint64 limit;          /* what is allowed, or there is */
  guint64 used;           /* of that */
  guint64 asked;          /* by the job */
  gboolean has_nodes;
  LkWhyNodes nodes;
  const LkJournalNames *names; /* as in LkWhyInput */
  GPtrArray *jobs;             /* of LkWhyJob*, at most LK_WHY_JOBS_MAX */
  guint32 job_count;           /* of which those are the first */
} LkWhyBlocker;

/* ---------------------------------------------------------------- what would let it start */

/* X (NAME, word, how large it is where it takes nothing from the job in numbers). */
#define LK_WHY_CHANGES(X)                                                                          \
  X (NONE, "none", 0.0)                                                                            \
  X (RELEASE, "release", 0.0)                                                                      \
  X (TIME_LIMIT, "time_limit", 0.0)                                                                \
  X (TASKS, "tasks", 0.0)                                                                          \
  X (CPUS_PER_TASK, "cpus_per_task", 0.0)                                                          \
  X (NODES, "nodes", 0.0)                                                                          \
  X (GPUS, "gpus", 0.0)                                                                            \
  X (MEMORY, "memory", 0.0)                                                                        \
  X (PARTITION, "partition", 0.2)                                                                  \
  X (QOS, "qos", 0.2)                                                                              \
  X (ACCOUNT, "account", 0.2)                                                                      \
  X (NODE_LIST, "node_list", 0.3)                                                                  \
  X (EXCLUDE, "exclude", 0.3)                                                                      \
  X (CONSTRAINT, "constraint", 0.3)                                                                \
  X (SWITCHES, "switches", 0.3)                                                                    \
  X (CONTIGUOUS, "contiguous", 0.3)                                                                \
  X (EXCLUSIVE, "exclusive", 0.3)                                                                  \
  X (LICENSE, "licenses", 0.3)                                                                     \
  X (PRIORITY, "priority", 1.0)

typedef enum {
#define X(NAME, word, size) LK_WHY_CHANGE_##NAME,
  LK_WHY_CHANGES (X)
#undef X
} LkWhyChangeKind;
const char *lk_why_change_word (LkWhyChangeKind kind);
double lk_why_change_size (LkWhyChangeKind kind);

typedef struct {
  LkWhyChangeKind kind;
  double size; /* smaller is told first; of numbers the share that is given up */
  char *text;  /* one line for people */
  char *from;  /* what is asked for, as users write it; NULL: nothing */
  char *to;
  gboolean has_values; /* `from` and `to` are numbers: */
  gint64 from_value;   /* counts and places; microseconds; bytes */
  gint64 to_value;
  guint32 over_job_id; /* which job it must go before */
  guint32
      over_priority; /* that job's, when a higher one is enough; 0: it is not, or there is none */
} LkWhyChange;

/* ---------------------------------------------------------------- all of it */

typedef struct {
  const LkEngineConfig *config;
  const LkEngine *engine;      /* between events */
  const LkEvent_submit *asked; /* what the job's submit said */
  const LkJournalNames *names; /* outlive the answer; NULL: ids are the log's numbers */
} LkWhyInput;

typedef enum {
  LK_WHY_START_AT,      /* at the moment that is told */
  LK_WHY_START_NEVER,   /* nothing that is known will let it start */
  LK_WHY_START_UNKNOWN, /* not within the work that is spent on it */
} LkWhyStart;

typedef struct {
  LkJobInfo info;
  const LkJournalNames *names; /* as in LkWhyInput */
  guint8 phase;                /* LK_PHASE_* */
  gint64 now_us;
  char *user;
  char *account; /* "" none, as all below */
  char *qos;
  char *partition;
  char *ask;     /* what it asks for, for people */
  guint32 place; /* in the queue, from 1; 0: it is not in it */
  guint32 queue_count;
  gboolean has_parts;
  LkPriorityParts parts; /* without those of single TRES */
  GPtrArray *blockers;   /* of LkWhyBlocker* */
  gint64 planned_us;     /* by the backfill policy; LK_TIME_NEVER: no plan */
  LkWhyStart start;
  gint64 start_us;    /* if running jobs use their time limits and none comes */
  GPtrArray *changes; /* of LkWhyChange*, smallest first */
  guint32 trial_count;
} LkWhy;

/* The job is in the system and pending. Returns: (transfer full). */
LkWhy *lk_why_new (const LkWhyInput *input);
void lk_why_free (LkWhy *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkWhy, lk_why_free)

/* sim/why_show.c: for people, as lines; and as members of the JSON object that is open
 * (docs/why.md). */
void lk_why_text (const LkWhy *self, GString *out);
void lk_why_json (const LkWhy *self, LkJsonOut *out);

#endif
