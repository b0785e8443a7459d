/* sim/audit.h — checks what a journal says was decided against what must hold of every schedule.
 *
 * The checker has a model of its own, made of the journal's header, events and decisions.  It calls
 * nothing of the engine and knows no policy but by name: of the engine it shares the table of the
 * bytes (engine/schema.h), so that neither can hide the other's faults.  What it cannot tell for
 * sure it lets pass: a finding is a fault.
 *
 * Rules (LK_AUDIT_RULES) marked "standing" need a journal in which passes tell how pending jobs
 * stand (lockstep sim --journal-standing). */
#ifndef LK_SIM_AUDIT_H
#define LK_SIM_AUDIT_H

#include <glib.h>

#include "sim/audit_jobs.h"
#include "sim/audit_site.h"

/* X (NAME, name, what must hold). */
#define LK_AUDIT_RULES(X)                                                                          \
  X (JOB, "job", "decisions are about jobs that are there, in a state in which they can be")       \
  X (PASS, "pass", "jobs start only in passes")                                                    \
  X (HELD, "held", "a held job does not start")                                                    \
  X (BEGIN, "begin", "a job does not start before its time")                                       \
  X (NODE, "node", "a job runs on nodes that are there, up, in its partition, and as it asked")    \
  X (CORE, "core", "a core belongs to one job, unless the partition shares cores")                 \
  X (GPU, "gpu", "a GPU belongs to one job")                                                       \
  X (MEMORY, "memory", "jobs on a node have no more memory than it has")                           \
  X (UNITS, "units", "jobs get the processors they asked for, and no more than there are")         \
  X (LICENSE, "license", "jobs hold no more of a licence than there is")                           \
  X (EXCLUSIVE, "exclusive", "a job that wants its nodes alone has them alone")                    \
  X (TIME_LIMIT, "time-limit", "no job is ended for its time limit before that")                   \
  X (LIMIT, "limit", "no start breaks a limit of an association or a QOS")                         \
  X (RIGHTS, "rights",                                                                             \
     "accounts and QOS are used by who may, and none that goes gives more of them")                \
  X (DEPENDENCY, "dependency", "a job starts only when what it depends on has come")               \
  X (ARRAY, "array", "an array has no more tasks running than it says")                            \
  X (HET, "het", "the components of a heterogeneous job start together")                           \
  X (RESERVATION, "reservation", "no job starts into a reservation that it may not use")           \
  X (PREEMPT, "preempt", "who is preempted runs, may be by whom it is, and goes")                  \
  X (ROOM, "room", "whom others are preempted for has room then, and uses it")                     \
  X (TURN, "turn", "of jobs on one core one runs, and who is suspended for it waits for one")      \
  X (FINAL, "final", "every job ends once")                                                        \
  X (PROMISE, "promise", "standing: no lower job makes a job start later than first planned")      \
  X (ORDER, "order", "standing: a job that could start now is not passed by a lower one")          \
  X (REASON, "reason", "standing: every pending job has a reason, and it is true")

typedef enum {
#define X(NAME, name, what) LK_AUDIT_##NAME,
  LK_AUDIT_RULES (X)
#undef X
      LK_AUDIT_RULE_COUNT
} LkAuditRule;

const char *lk_audit_rule_name (LkAuditRule rule);
const char *lk_audit_rule_what (LkAuditRule rule);

typedef struct {
  LkAuditRule rule;
  guint64 seq;
  gint64 time_us;
  guint32 job_id; /* 0: of no job */
  char *text;
} LkAuditFinding;

/* Nodes set aside for a time. */
typedef struct {
  char *name;
  gint64 start_us;
  gint64 end_us;
  gboolean *has_node;
  gboolean floats;       /* it may begin later than it was told, whoever waits for its nodes */
  gboolean is_sure;      /* whole nodes, at fixed times, for those only who ask for it */
  gboolean has_licenses; /* some are set aside with it, or were */
} LkAuditReservation;

/* A place that is made free for a job. */
typedef struct {
  LkAuditJob *place;  /* the job as it would be there */
  GPtrArray *victims; /* of LkAuditJob*: who goes for it */
  guint64 seq;        /* of the event */
  guint32 waiting;    /* tasks of the array that waited then */
} LkAuditRoom;

typedef struct {
  LkAuditSite site;
  LkAuditHeader header;
  char *backfill; /* name of the policy */
  guint32 units_total;
  GHashTable *jobs;        /* id -> LkAuditJob*, owned */
  GPtrArray *in_system;    /* of LkAuditJob*, by rising id: those that have not ended */
  GPtrArray *reservations; /* of LkAuditReservation* */
  GHashTable *closed;      /* names of partitions that start no jobs now */
  GPtrArray *tasks;        /* of LkAuditJob*: every task that left its array */
  gboolean is_gang;        /* the scheduler suspends jobs so that others run */
  gboolean has_turned;     /* who runs has changed in this event */
  gboolean wakes_at_once;  /* the event asks for another one at its very moment */
  GPtrArray *singletons;   /* of LkAuditJob*: who waits to be the only one of its name */
  GPtrArray *regrouped;    /* of LkAuditJob*: of whose name others have come or gone; NULL: any */
  GPtrArray *rooms;        /* of LkAuditRoom*: those of which it is not known yet what became */
  GPtrArray *displaced;    /* of LkAuditJob*: who goes and has not gone */
  gboolean looks_at_room;  /* what is looked at is no start, but room for one */
  GSequence *promises;     /* of LkAuditJob*: who holds one, in the order of the queue */
  guint64 last_disturbed;  /* number of the last event that may delay jobs rightly */
  const LkAuditEvent *event;
  guint64 event_count;
  guint64 decision_count;
  guint64 pass_count;
  guint64 start_count;
  GArray *findings; /* of LkAuditFinding */
  guint finding_limit;
} LkAudit;

/* Runs through a whole journal. FALSE: it cannot be read, and `out_error` says why; what was found
 * up to there stands. `bytes` outlive self. */
gboolean lk_audit_run (LkAudit *self, const guint8 *bytes, gsize length_bytes, guint finding_limit,
                       char **out_error);
void lk_audit_clear (LkAudit *self);

/* ---------------------------------------------------------------- between its files */

/* Notes a fault. */
void lk_audit_find (LkAudit *self, LkAuditRule rule, const LkAuditJob *job, const char *format, ...)
    G_GNUC_PRINTF (4, 5);
static inline gboolean
lk_audit_is_running (const LkAuditJob *job)
{
  return job->phase == LK_AUDIT_RUNNING || job->phase == LK_AUDIT_SUSPENDED;
}
/* Is it on its way out? */
static inline gboolean
lk_audit_is_leaving (const LkAuditJob *job)
{
  return job->kill_why != 0 || job->is_displaced;
}
/* Is what it holds taken? Where room is looked at, those who leave have gone. */
static inline gboolean
lk_audit_holds (const LkAudit *self, const LkAuditJob *job)
{
  return lk_audit_is_running (job) && !(self->looks_at_room && lk_audit_is_leaving (job));
}
LkAuditJob *lk_audit_job (const LkAudit *self, guint32 job_id);

/* In this partition, may cores of the job be others' too? */
gboolean lk_audit_shares (const LkAuditPartition *partition, const LkAuditJob *job);
/* audit_gang.c */
gboolean lk_audit_gang_is_on (const LkAuditHeader *header);
/* Behind each event. */
void lk_audit_check_turns (LkAudit *self);
/* The job starts on a core of another one. */
void lk_audit_check_over (LkAudit *self, const LkAuditJob *job, const LkAuditJob *other);
/* audit_start.c: is an index in both? */
gboolean lk_audit_share_index (const GArray *a, const GArray *b);

/* audit_reconfigure.c */
void lk_audit_reconfigure (LkAudit *self, const LkAudit_reconfigure *event);
/* What the header says of policies and size. */
void lk_audit_read_policies (LkAudit *self);

/* audit_reservation.c */
void lk_audit_follow_reservation (LkAudit *self, const LkAuditDecided_reservation *told);
void lk_audit_reservation_free (gpointer reservation);
/* Do nodes stay set aside for no certain time? */
gboolean lk_audit_any_floats (const LkAudit *self);
/* Does a reservation set licences aside? Whose they are is not followed. */
gboolean lk_audit_any_licenses (const LkAudit *self);
void lk_audit_check_reservations (LkAudit *self, LkAuditJob *job);

/* audit_start.c: what must hold of a start; the job is not yet running, and `held` is filled. */
void lk_audit_check_start (LkAudit *self, LkAuditJob *job, LkAuditText nodes);
/* The parts of it that are about the place: the nodes as they are told, */
void lk_audit_check_names (LkAudit *self, LkAuditJob *job, LkAuditText nodes);
/* and what is there. */
void lk_audit_check_place (LkAudit *self, LkAuditJob *job);
/* Could a job that asks plainly start at this moment, whatever else waits? Only when it is sure. */
gboolean lk_audit_could_start (const LkAudit *self, const LkAuditJob *job);
gboolean lk_audit_lacks_license (const LkAudit *self, const LkAuditJob *job);
/* Did it lack one when a pass looked at it? Who has left in the pass may have had it then. */
gboolean lk_audit_lacked_license (const LkAudit *self, const LkAuditJob *job);

/* audit_limits.c */
void lk_audit_check_limits (LkAudit *self, LkAuditJob *job);
/* Would a limit surely have been broken by a start in this pass, before any other? */
gboolean lk_audit_was_limited (LkAudit *self, const LkAuditJob *job);
/* NULL: none, or not known. */
const LkAuditHolder *lk_audit_qos_of (const LkAudit *self, const LkAuditJob *job);
/* Accounts are about to change. */
void lk_audit_fix_accounts (LkAudit *self);

/* The nearest list that speaks of a QOS decides; one without signs speaks of all. */
gboolean lk_audit_may_use (const LkAudit *self, const LkAuditHolder *association, const char *qos);

/* audit_rights.c */
/* A job has been taken in. */
void lk_audit_check_rights (LkAudit *self, const LkAuditJob *job);
/* An event about a QOS has been taken: carries it out. */
void lk_audit_follow_qos (LkAudit *self, const LkAudit_qos *event);

/* audit_preempt.c */
void lk_audit_follow_room (LkAudit *self, const LkAuditDecided_room *room);
void lk_audit_follow_preempt (LkAudit *self, LkAuditJob *victim,
                              const LkAuditDecided_preempt *preempt);
/* Behind a pass. */
void lk_audit_check_rooms (LkAudit *self);
void lk_audit_room_free (gpointer room);

/* audit_dependency.c */
/* Is a dependency unmet, for sure? */
gboolean lk_audit_has_unmet (const LkAudit *self, const LkAuditJob *job, char **out_what);
/* The job has come, gone, stopped running, or changed what it depends on: of its name another may
 * be the only one now. NULL: of any name. */
void lk_audit_note_group (LkAudit *self, LkAuditJob *job);
/* Behind each event: whose turn has come under its name? */
void lk_audit_follow_singletons (LkAudit *self);
/* Is a dependency met, for sure? */
gboolean lk_audit_has_met (const LkAudit *self, const LkAuditJob *job);

/* audit_standing.c */
void lk_audit_take_standing (LkAudit *self, const LkAuditDecided_standing *standing);
void lk_audit_check_pass (LkAudit *self);
gboolean lk_audit_goes_before (const LkAuditJob *a, const LkAuditJob *b);
/* Does it wait for nothing but room? Only where the journal tells how jobs stand. */
gboolean lk_audit_waits_for_room (const LkAuditJob *job);
/* Is what keeps it a limit, as it was last told? */
gboolean lk_audit_is_limited (const LkAuditJob *job);
/* Is it a component, and does all of its job wait for nothing else? */
gboolean lk_audit_waits_with_others (const LkAudit *self, const LkAuditJob *job);
/* Does it hold up those behind it, or could it have done so in this pass? */
gboolean lk_audit_may_have_stood (const LkAudit *self, const LkAuditJob *job);

/* audit_start.c: behind a pass. */
void lk_audit_check_het (LkAudit *self);

#endif
