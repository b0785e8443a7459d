/* engine/engine.h — the waist: events in, decisions out.
 *
 * An engine is a pure, deterministic state machine.  The same events in the same order, under the
 * same configuration, give the same decisions on any machine.  It does no I/O, reads no clock, and
 * calls nobody but the sink.  Jobs start only while a pass event is applied.  See
 * docs/architecture.md. */
#ifndef LK_ENGINE_ENGINE_H
#define LK_ENGINE_ENGINE_H

#include <glib.h>

#include "engine/accounts.h"
#include "engine/array.h"
#include "engine/book.h"
#include "engine/cluster.h"
#include "engine/codec.h"
#include "engine/digest.h"
#include "engine/machine.h"
#include "engine/policy.h"

struct _LkReservationTable;
struct _LkConfigMaker;

#define LK_ENGINE_VERSION "0.1.0"

typedef struct _LkEngine LkEngine;

/* What an engine is made from. Everything pointed to is borrowed and must outlive the engine. */
typedef struct {
  guint32 units_total;      /* capacity of the machine, at least 1; of nodes: its CPUs */
  const LkCluster *cluster; /* a machine of nodes, checked; NULL: a counted pool */
  gint64 origin_us;         /* time origin for the policies; LK_TIME_NEVER: the first submit */
  const LkOrderPolicy *order;
  LkParamValues order_values;
  const LkOrderPolicy *backfill_order; /* the backfill policy's own order; NULL: as `order` */
  LkParamValues backfill_order_values;
  const LkBackfillPolicy *backfill;
  LkParamValues backfill_values;
  const LkSelectPolicy *select;
  LkParamValues select_values;
  const LkAccounts *accounts;   /* checked, of the beginning; NULL: nobody is told from another */
  const LkLimitsPolicy *limits; /* with accounts, else NULL */
  LkParamValues limits_values;
  const LkPreemptPolicy *preempt; /* NULL: nobody is displaced */
  LkParamValues preempt_values;
  gboolean tells_standing; /* passes tell how each pending job stands */
  /* Jobs that have ended can be requeued as long as they are remembered (MinJobAge, unless that is
   * for ever): each costs the bytes of its submission. */
  gboolean requeues_ended;
  /* A job that is requeued, or preempted by requeue, is killed first, keeps its place until its end
   * is reported, and goes back to the queue then.  FALSE, where runs end at once: it goes back with
   * the event that requeues it. */
  gboolean requeues_at_end;
  /* Of what events say of another configuration; NULL: such events are refused. */
  const struct _LkConfigMaker *maker;
} LkEngineConfig;

/* Makes a configuration of its description: the same from the same. */
typedef struct _LkConfigMaker {
  /* Fills `out_config`, whose `maker` is not read. Returns: (transfer full), what the configuration
   * points into; or NULL with `out_error`. */
  gpointer (*make) (gconstpointer user, const LkJournalHeader *described,
                    LkEngineConfig *out_config, LkPolicyError *out_error);
  void (*free) (gpointer made);
  gconstpointer user;
} LkConfigMaker;

/* Tells configurations apart: capacity, origin, policies, their versions and parameters. */
LkDigestValue lk_engine_config_digest (const LkEngineConfig *config);

/* Why an event was not applied. These are faults of the driver or of the bytes, never outcomes: an
 * outcome is a decision. */
typedef enum {
  LK_STATUS_OK,
  LK_STATUS_TIME_BACKWARD, /* the event is earlier than the one before it */
  LK_STATUS_SEQ_WRONG,     /* its number does not follow the last one */
  LK_STATUS_KIND_UNKNOWN,
  LK_STATUS_BYTES_INVALID, /* a snapshot that is not one */
  LK_STATUS_CONFIG_OTHER,  /* a snapshot of another configuration */
} LkStatus;
const char *lk_status_text (LkStatus status);

/* Receives decisions while an event is applied; must not call the engine's apply. `decision` is
 * borrowed. */
typedef struct {
  void (*decide) (void *user, const LkEvent *cause, const LkDecision *decision);
  void *user;
} LkSink;

/* The services that policies get; the same for every engine. */
const LkHost *lk_host (void);

/* Returns: (transfer full), or NULL with `out_error` filled when a policy refuses its
 * parameters. */
LkEngine *lk_engine_new (const LkEngineConfig *config, LkPolicyError *out_error);
void lk_engine_free (LkEngine *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkEngine, lk_engine_free)

/* The configuration in force: that which the engine was made from, or what the last RECONFIGURE
 * event has said. Valid until the next event. */
const LkEngineConfig *lk_engine_config (const LkEngine *self);
/* The header of a journal that would begin with it, where an event has said it; FALSE: it is the
 * first. Likewise. */
gboolean lk_engine_config_described (const LkEngine *self, LkJournalHeader *out_header);
/* Could this configuration come into force now?  Appends what keeps it from that, one text (char*,
 * transfer full) for each; none: an event that says it would be accepted. Changes nothing. Cost: as
 * of a snapshot that is saved and loaded. */
void lk_engine_try_config (const LkEngine *self, const LkJournalHeader *described,
                           GPtrArray *problems);

/* The only way in. On a status other than OK nothing has changed. `sink` may be NULL. */
LkStatus lk_engine_apply (LkEngine *self, const LkEvent *event, const LkSink *sink);

/* What the event last applied brought, for a journal; valid until the next call of
 * lk_engine_apply. */
LkDecided lk_engine_decided (const LkEngine *self);

/* TRUE when something has happened that a pass could act on. A driver delivers a pass at the end of
 * such an instant. */
gboolean lk_engine_pass_wanted (const LkEngine *self);

typedef struct {
  guint64 event_count; /* applied; also the sequence number of the last one */
  guint64 decision_count;
  gint64 now_us; /* time of the last event; G_MININT64 before the first */
  guint32 units_free;
  guint32 pending_count; /* held ones too */
  guint32 running_count; /* suspended ones too */
} LkEngineCounts;
void lk_engine_counts (const LkEngine *self, LkEngineCounts *out_counts);

/* Digest of all decisions so far: for each event that brought any, one piece of the event's number,
 * its time and the decisions' bytes. */
LkDigestValue lk_engine_digest (const LkEngine *self);

/* One job as it stands. */
typedef struct {
  guint32 id;
  guint32 user_id;
  guint32 group_id;
  guint32 partition_id;
  guint32 procs;
  guint32 units;
  gint64 submit_us;
  gint64 estimate_us;
  gint64 start_us;        /* running: when it started; pending: planned, or LK_TIME_NEVER */
  gint64 expected_end_us; /* running: when its time limit comes; else LK_TIME_NEVER */
  gint64 begin_us;        /* it may not start before */
  gint64 deadline_us;     /* LK_TIME_NEVER: none */
  gint64 suspended_us;    /* how long its run was suspended, up to its last resume */
  gint64 suspend_us;      /* when it was last suspended or resumed; LK_TIME_NEVER: not in its run */
  gboolean is_suspended;  /* now, also one that is being killed */
  gboolean is_sigstopped; /* SIGSTOP was sent to it, and neither SIGCONT nor a suspend since */
  gint64 nice;
  guint32 restarts;     /* earlier runs that ended with a requeue */
  const char *name;     /* "": none; valid until the job changes; so is the next one */
  const char *comment;  /* "": none */
  guint32 array_job_id; /* 0: of no array */
  guint32 array_task;   /* which task of it; LK_TASK_NONE: all that wait */
  guint32 het_leader;   /* id of the first component of a heterogeneous job; 0: it is not one */
  guint32 het_offset;   /* which component it is */
  LkJobState state;
  LkReason reason;       /* why it waits, as things are */
  LkReason reason_shown; /* as Slurm would show it: what the last look has found */
} LkJobInfo;
/* FALSE when the job is not in the system (never was, or has ended). */
gboolean lk_engine_job (const LkEngine *self, guint32 job_id, LkJobInfo *out_info);

/* Whose a job was that has ended and may go back to the queue (LkEngineConfig.requeues_ended).
 * FALSE: there is no such job. */
gboolean lk_engine_ended_user (LkEngine *self, guint32 job_id, guint32 *out_user_id);

/* An array of which tasks are in the system, to be read only; NULL: there is none of this id. Valid
 * until the next event. */
const LkArray *lk_engine_array (const LkEngine *self, guint32 array_job_id);
/* The task of an array as it stands; `out_job_id`, if it is a job of its own, gets its id. */
LkTaskStanding lk_engine_task_standing (const LkEngine *self, const LkArray *array, guint32 task,
                                        guint32 *out_job_id);
/* Jobs in the system; a task of an array that waits is one. O(arrays). */
guint64 lk_engine_job_count (const LkEngine *self);
/* Id of the next job for which the engine would choose one. */
guint32 lk_engine_job_id_next (const LkEngine *self);

/* Which limit has refused the submit that was last refused with LK_REJECT_POLICY_LIMIT. Not part of
 * a snapshot. */
LkReason lk_engine_refused_limit (const LkEngine *self);

/* Adds the nodes on which a pending job is planned to start, as far as they are known, to a set
 * (bits, by node). */
void lk_engine_planned_nodes (const LkEngine *self, LkJobIndex job, guint64 *nodes);

/* The state of a job in the system, which is also in its LkJobInfo. O(1). */
LkJobState lk_engine_state (const LkEngine *self, LkJobIndex job);

/* What policies see, to be read only between events or in the sink. */
const LkView *lk_engine_view (const LkEngine *self);
/* The nodes of the machine and what lies on them, to be read only; NULL on a counted pool. Valid as
 * long as self. */
const LkNodeTable *lk_engine_nodes (const LkEngine *self);
const LkMachine *lk_engine_machine (const LkEngine *self);
/* Of a partition of the machine, as it stands. */
LkPartitionState lk_engine_partition_state (const LkEngine *self, guint32 partition);
/* Advance reservations (engine/reservation.h); NULL on a counted pool. Likewise. */
const struct _LkReservationTable *lk_engine_reservations (const LkEngine *self);
/* First piece of a job that runs, or is suspended (then as it ran), by node; LK_PIECE_NONE when it
 * has none. */
guint32 lk_engine_job_pieces (const LkEngine *self, guint32 job_id);
/* What a job in the system asked for; NULL when there is no such job, or on a counted pool. */
const LkRequest *lk_engine_job_request (const LkEngine *self, guint32 job_id);
/* When, and under which conditions, a job in the system may run. Valid until the job changes. */
const LkJobTerms *lk_engine_job_terms (const LkEngine *self, guint32 job_id);

/* Index of a job in the system, LK_JOB_NONE: it is not. */
/* Follows it the rules of Slurm 22.05, and not those of today? */
gboolean lk_engine_is_slurm_22_05 (const LkEngine *self);
LkJobIndex lk_engine_job_index (const LkEngine *self, guint32 job_id);
/* The books of accounts, to be read only; NULL without accounts. Valid until the next event. */
const LkBook *lk_engine_book (const LkEngine *self);
/* engine_book_nodes.c: of `count` holders of the books from `first` on, how many nodes their jobs
 * have, a node that several share once.  Cost: all running jobs with their nodes. */
void lk_engine_book_nodes (LkEngine *self, guint32 first, guint32 count, guint64 *out_nodes);
/* The accounts as events have left them; NULL: there are none. Likewise. */
const LkAccounts *lk_engine_accounts (const LkEngine *self);
/* What the order makes of a job and of an association (LkOrderPolicy). FALSE: nothing. */
gboolean lk_engine_priority_parts (const LkEngine *self, LkJobIndex job, guint32 partition,
                                   LkPriorityParts *out_parts);
gboolean lk_engine_share_parts (const LkEngine *self, guint32 association, LkShareParts *out_parts);
/* Tells `found` of the limits that stop a job now, in order of checking; `when` is LK_CHECK_*. */
void lk_engine_find_limits (const LkEngine *self, LkJobIndex job, guint32 when, LkLimitFound found,
                            void *sink);
LkReason lk_engine_finding_reason (const LkEngine *self, const LkLimitFinding *finding);

/* Ids of the pending jobs in queue order, held ones last. Cost O(pending). Returns: (transfer
 * full). */
GArray *lk_engine_queue_ids (const LkEngine *self);

/* What is left of the dependency of a pending job, as squeue writes it. FALSE: it waits for no
 * other job. */
gboolean lk_engine_dependency_text (const LkEngine *self, guint32 job_id, GString *out);

/* When the engine wants its next timer event: what its last wake decision said that has not come
 * yet; LK_TIME_NEVER: it wants none. */
gint64 lk_engine_wake_us (const LkEngine *self);

/* Between events, if none but timers will come any more and no running job will end by itself: so
 * long without a start or an end, and there will be none. LK_TIME_NEVER: that cannot be said, as
 * something is ahead that comes only once, or the engine will stop asking for timers. */
gint64 lk_engine_quiet_us (const LkEngine *self);
/* Is something ahead that comes only once: a time limit, a begin time, a deadline? */
gboolean lk_engine_has_once_ahead (const LkEngine *self);

/* What if a pending job asked for something else?  It keeps its id, its submit time, its age and
 * its hold.  This is not an event and no journal can tell it: only for copies (lk_engine_load) with
 * which something is tried.  0, or why it is refused; then the job is gone. */
LkReject lk_engine_amend (LkEngine *self, const LkEvent_submit *asked);

/* Walks every invariant and aborts on the first that does not hold. Cost O(jobs log jobs). */
void lk_engine_check (const LkEngine *self);

/* Appends the whole state as canonical bytes: equal states give equal bytes. */
void lk_engine_save (const LkEngine *self, GByteArray *out);

/* An engine that goes on from a snapshot exactly as the saved one would have. `config` must be the
 * saved one's; its digest is compared. Returns: (transfer full), or NULL with `out_status` set. */
LkEngine *lk_engine_load (const LkEngineConfig *config, const guint8 *bytes, gsize length_bytes,
                          LkStatus *out_status);

#endif
