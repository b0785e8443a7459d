/* traces/top/facts.h — what is shown of a cluster at one moment, as plain values.
 *
 * Made by whoever knows: of a journal (sim/top), of a living cluster (live/top).  Texts are as they
 * came, hostile ones too: the screen (top/screen.h) lets none through.  All belong to the facts. */
#ifndef LK_TRACES_TOP_FACTS_H
#define LK_TRACES_TOP_FACTS_H

#include <glib.h>

/* No moment: not known, or never. */
#define LK_TOP_NEVER G_MAXINT64

typedef struct {
  guint32 id;
  const char *label;  /* "7", "7_4", "7_[5-9%2]", "7+1", "7(log:5)" */
  const char *log_id; /* number in the log of a simulation, where it is not the id; else NULL */
  const char *name;
  const char *user;
  const char *account;
  const char *qos;
  const char *partition;
  const char *state; /* Slurm's word, and its short one */
  const char *state_short;
  const char *reason; /* why it waits */
  const char *where;  /* hostlist of where it runs, or is planned to */
  gboolean is_pending;
  gboolean is_over;
  gboolean has_priority;
  guint32 priority;
  guint32 node_count;
  guint32 cpu_count;
  gint64 submit_us;
  gint64 start_us; /* real, or planned */
  gint64 end_us;   /* when its time limit comes, or its end */
  gint64 limit_us; /* LK_TOP_NEVER: none */
  gint64 used_us;  /* how long it has run */
} LkTopJob;

typedef struct {
  const char *name;
  const char *state; /* Slurm's word, in lower case */
  const char *reason;
  const char *partitions; /* with commas between */
  gboolean is_unusable;   /* down, drained, silent */
  guint32 cpu_count;
  guint32 cpus_used_count;
  guint32 gpu_count;
  guint32 gpus_used_count;
  guint32 job_count;
  gint64 memory_bytes;
  gint64 memory_used_bytes;
} LkTopNode;

/* What is asked for: what is not shown need not be gathered. */
#define LK_TOP_WANTS_JOBS (1u << 0)
#define LK_TOP_WANTS_NODES (1u << 1)
#define LK_TOP_WANTS_LOG (1u << 2)

typedef struct {
  GStringChunk *texts;
  guint wants; /* what was gathered */
  const char *title;
  gint64 now_us;
  gboolean has_dates; /* times count from 1970 */
  gboolean is_local;  /* dates are shown in the time zone of here, else in UTC */
  gboolean is_end;    /* of a journal: nothing comes behind */
  guint64 seq;        /* number of the last event */
  guint64 seq_last;   /* of the journal; 0: it has no end yet */
  gint64 first_us;    /* of the journal */
  gint64 last_us;
  guint32 pending_count;
  guint32 running_count;
  guint64 cpu_count;
  guint64 cpus_used_count;
  GArray *jobs;       /* of LkTopJob, in the order of the queue */
  GArray *nodes;      /* of LkTopNode; none of a counted pool */
  GPtrArray *log;     /* of const char*, the newest last */
  GArray *use_ratios; /* of double from 0 to 1: CPUs in use, oldest first; below 0: not known */
  gint64 use_step_us; /* from one to the next */
} LkTopFacts;

/* Nothing is in it yet. Returns: (transfer full). */
LkTopFacts *lk_top_facts_new (guint wants);
void lk_top_facts_free (LkTopFacts *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkTopFacts, lk_top_facts_free)

/* Keeps a text as long as self; one that is there already is not kept twice. NULL: "". */
const char *lk_top_facts_text (LkTopFacts *self, const char *text);

/* Sums of `nodes` into cpu_count and cpus_used_count. */
void lk_top_facts_sum_nodes (LkTopFacts *self);

/* A moment as it is shown: "2026-11-21 02:12:06", or of a log without dates "1-02:12:06"; "-":
 * never. Appends. */
void lk_top_facts_moment (const LkTopFacts *self, gint64 time_us, GString *out);
/* "0:09", "1-00:00:00"; "-": never. Appends. */
void lk_top_duration (gint64 duration_us, GString *out);

#endif
