/* sim/audit_jobs.h — the jobs of a journal as the checker follows them: what each asked for, its
 * state, what it holds, and what it was promised. */
#ifndef LK_SIM_AUDIT_JOBS_H
#define LK_SIM_AUDIT_JOBS_H

#include <glib.h>

#include "sim/audit_array.h"
#include "sim/audit_bytes.h"

#define LK_AUDIT_NEVER G_MAXINT64

typedef enum {
  LK_AUDIT_PENDING,
  LK_AUDIT_RUNNING,
  LK_AUDIT_SUSPENDED,
  LK_AUDIT_ENDED,
} LkAuditPhase;

/* What a running job holds of one node. */
typedef struct {
  guint32 node;
  GArray *cores;       /* of guint32 */
  GArray *gpus;        /* of guint32: indices of devices held as a whole */
  gint64 memory_bytes; /* 0: not known, as a start reports only the total of its nodes */
} LkAuditHeld;

typedef struct {
  guint32 id;
  guint32 array_id; /* 0: it is no task of an array */
  guint32 task;
  guint32 array_limit;  /* of an array: most tasks at once; 0: no limit */
  LkAuditTasks waiting; /* of the job that stands for tasks that wait; else none */
  gboolean lost_tasks;  /* some were cancelled while they waited */
  LkAuditPhase phase;
  guint end_state; /* AUDIT_STATE_* */
  gint64 end_us;
  gint64 submit_us;
  guint64 submit_seq;
  guint64 known_seq;      /* of the event that gave it its id */
  guint64 dependency_seq; /* of the event that said what it depends on */
  gboolean was_alone;     /* its singleton has come once, and so for good */
  guint64 alone_seq;      /* the event that it came with */
  guint32 het_leader;     /* 0: it is no component of a heterogeneous job */
  guint32 user_id;
  guint32 procs;
  guint32 cpus_min; /* that it surely gets of nodes */
  guint32 flags;    /* AUDIT_FLAG_* */
  guint32 nodes_min;
  guint32 nodes_max;
  guint32 present;
  gboolean is_plain; /* it asks for CPUs, nodes and time only */
  char *user;
  char *account;
  char *qos;
  char *partition;
  char *node_list;
  char *exclude;
  char *licenses;
  char *dependency;
  char *reservation;
  char *name;
  gint64 begin_us;
  gint64 limit_us;    /* time limit; 0: not known */
  gint64 least_us;    /* that which will do; 0: the time limit */
  gint64 deadline_us; /* 0: none */
  gboolean is_held;
  gboolean is_held_by_admin; /* meaningful when it is held */
  gboolean is_requeued;      /* its next final state is that of a run */
  guint32 restarts;
  guint kill_why;        /* 0: it was not told to end */
  gboolean is_displaced; /* its place is being taken away */
  gint64 displaced_us;   /* since when */
  gboolean was_resumed;
  guint64 changed_seq; /* of the last event that changed what it asks for, or held it */
  gboolean is_stopped; /* suspended: by the scheduler, which resumes it */

  guint32 units;
  gint64 start_us;
  guint64 start_seq;
  guint64 left_seq; /* of the event in which a run of it ended last */
  gint64 memory_bytes;
  GArray *held; /* of LkAuditHeld */

  /* How it stands, where the journal tells it. */
  guint64 standing_seq; /* 0: never told */
  gint64 key;
  guint32 level; /* goes before the key: higher first */
  gint64 planned_us;
  gint64 planned_before_us; /* what was told in an earlier event than standing_seq */
  guint reason;
  gint64 promised_us; /* the first planned start; LK_AUDIT_NEVER: none that still counts */
  guint64 promised_seq;
  GSequenceIter *promise; /* where it is among those that hold one; NULL: it holds none */
  guint32 delayed_by; /* the job that was started in the pass delayed_seq, behind which the planned
                         start came to be later than was promised; 0: none */
  guint64 delayed_seq;
  gboolean is_late; /* when last told how it stands, it should have been running for a while */
} LkAuditJob;

LkAuditJob *lk_audit_job_new (const LkAuditEvent *submit, guint32 id);
/* As long as it may run at least, before it is ended for its limit; 0: not known. */
static inline gint64
lk_audit_job_least_us (const LkAuditJob *self)
{
  return self->least_us > 0 ? MIN (self->least_us, self->limit_us) : self->limit_us;
}
/* LK_AUDIT_NEVER when that is too late to be told. */
static inline gint64
lk_audit_later_us (gint64 from_us, gint64 by_us)
{
  gint64 to_us;
  return __builtin_add_overflow (from_us, by_us, &to_us) ? LK_AUDIT_NEVER : to_us;
}
/* A task that leaves its array. */
LkAuditJob *lk_audit_job_split (const LkAuditJob *array, guint32 id, guint32 task);
void lk_audit_job_free (gpointer job);
/* What an update changes. */
void lk_audit_job_update (LkAuditJob *self, const LkAuditEvent *event);
/* What a start decision gives; nothing on a counted pool. `node_of` names nodes' indices. */
void lk_audit_job_take (LkAuditJob *self, const LkAuditDecided_start *start,
                        GHashTable *node_by_name);
void lk_audit_job_give_back (LkAuditJob *self);
guint32 lk_audit_job_gpu_count (const LkAuditJob *self);

/* How many of a licence "a:2,b" asks for. */
guint32 lk_audit_license_count (const char *licenses, const char *name);

#endif
