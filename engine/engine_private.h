/* engine/engine_private.h — the engine's state, shared by the engine_*.c files only. */
#ifndef LK_ENGINE_ENGINE_PRIVATE_H
#define LK_ENGINE_ENGINE_PRIVATE_H

#include "engine/alarms.h"
#include "engine/array.h"
#include "engine/engine.h"
#include "engine/engine_dependency.h"
#include "engine/exit_codes.h"
#include "engine/job_table.h"
#include "engine/bytes.h"
#include "engine/node_ends.h"
#include "engine/place.h"
#include "engine/preemption.h"
#include "engine/rank.h"
#include "engine/reservation.h"
#include "engine/reservation_jobs.h"

/* What the jobs of one user have used, in processor-seconds: `ended` by those that ended, and for
 * the running ones what is needed to know it at any time: running_procs * now - running_start. */
typedef struct {
  guint32 user_id;
  guint64 running_procs;
  double ended_proc_s;
  double running_start_proc_s;
} LkUserUsage;

/* What was told last of the job at this index; of another job that had the index before it does
 * not count. */
typedef struct {
  guint32 job_id;
  guint8 reason;
  guint32 level;
  gint64 key;
  gint64 planned_us;
} LkStanding;

/* A heterogeneous job of which a component is in the system. */
typedef struct {
  guint32 leader_id; /* of the first component, in the system or not */
  guint32 count;
  guint32 submitted;    /* components that have come */
  gboolean is_left;     /* one that waited has left: the others follow */
  gboolean is_requeued; /* one has gone back to the queue: likewise */
  gboolean is_changed;  /* what keeps one has changed: it may keep others, too */
  gboolean is_placed;   /* a plan in the order of the queue was made for it */
  gint64 start_us;      /* when it is to start; LK_TIME_NEVER: that is not known */
} LkHet;

typedef struct _LkGang LkGang;

/* One instance of a policy. */
typedef struct {
  const LkPolicy *policy; /* NULL: this seam is not filled */
  const LkParamValues *values;
  void *self;
} LkInstance;

enum {
  LK_INSTANCE_ORDER,
  LK_INSTANCE_BACKFILL_ORDER,
  LK_INSTANCE_BACKFILL,
  LK_INSTANCE_SELECT,
  LK_INSTANCE_LIMITS,
  LK_INSTANCE_PREEMPT,
  LK_INSTANCE_COUNT
};

/* A configuration that an event has said. */
typedef struct {
  LkEngineConfig config;
  gpointer made;         /* what it points into */
  GByteArray *described; /* fields of a journal's header */
} LkInForce;

typedef struct _LkCarry LkCarry;

struct _LkEngine {
  LkEngineConfig config;       /* in force */
  LkEngineConfig config_first; /* that of the beginning */
  gpointer made;               /* LkInForce, of the one in force; NULL: it is the first */
  GByteArray *described;
  const LkCarry *carry; /* state of another configuration is being taken over; else NULL */
  guint32 loaded_id;    /* the last job of which bytes were read; 0: none, or all were good */
  LkInstance instances[LK_INSTANCE_COUNT];
  gboolean order_dynamic;
  gboolean backfill_order_dynamic;

  LkView view; /* holds the master copy of units_free, counts and now */
  LkJobTable jobs;
  LkRank *queue;            /* by order policy */
  LkRank *backfill_queue;   /* by the backfill policy's order; NULL: it has none */
  LkRank *running;          /* by expected end */
  GPtrArray *plans;         /* of LkPlan*, borrowed: on nodes told what was given back */
  GArray *users;            /* of LkUserUsage, in the order they were first seen */
  LkIdMap user_index_by_id; /* from user id + 1 */

  /* A machine of nodes; NULL and empty on a counted pool. */
  LkMachine *machine;
  LkPlacer placer;
  GArray *license_jobs;   /* LkJobIndex of running jobs that hold licences; no order */
  GArray *waiting;        /* LkJobIndex of jobs held until their begin_us; by that, then id */
  GArray *suspended;      /* LkJobIndex of suspended jobs, by id */
  LkAlarms alarms;        /* of running jobs */
  LkAlarms latest_starts; /* of pending jobs with a deadline */
  gboolean limits_are_exact;
  guint64 requeue_exit[LK_EXIT_CODE_WORDS]; /* sets of exit codes */
  guint64 requeue_exit_hold[LK_EXIT_CODE_WORDS];
  guint8 *partition_states; /* LkPartitionState by partition */
  GArray *deadlines;        /* of gint64, rising: when limits of switches fall */
  void *bare;               /* an LkPlan without reservations: what fits beside what runs */
  LkPartitionView *partitions;
  LkReservationTable *reservations; /* advance ones; NULL on a counted pool, as the next one */
  LkReservationJobs *reservation_jobs;

  /* Accounts; NULL and empty without. */
  LkBook *book;
  LkAccounts *own_accounts; /* those of the book, once an event has changed them; else NULL */
  GArray *parked_timed;     /* LkJobIndex of jobs whose limit loosens with time */
  GArray *parked_forever;   /* of jobs that break a limit by themselves */
  guint32 blocked_count;    /* parked jobs */
  gint64 cycle_us;          /* of the last cycle; G_MININT64 before the first */
  gint64 *keys;             /* of jobs by index, while they are asked anew */
  guint32 key_limit;
  gboolean run_check_due; /* a cycle has come since running jobs were looked at */

  LkPreemption *preemption; /* NULL: nobody is displaced */
  LkGang *gang;             /* NULL: nobody is stopped; see engine_gang.h */
  GArray *standings;        /* what was told last of each job; see engine_standing.c */

  LkArrays arrays;
  GArray *hets; /* of LkHet, by rising id; see engine_het.h */
  gboolean het_unsettled;
  GArray *het_order;     /* of LkJobIndex, in a pass: first components of those that could start */
  guint het_at;          /* the first of them that the policy has not called for */
  GArray *het_jobs;      /* of LkJobIndex: components of the one that is looked at */
  gboolean het_gave;     /* one has given up a place in a plan */
  LkJobIndex split_task; /* split off for the event being applied, and not told yet */
  gboolean is_accepted;  /* the event being applied */
  LkJobIndex again;      /* of an array: has started a task in this pass, and has more */
  LkDependencies *dependencies;
  LkJobIndex told_job; /* the last notice: of whom, and its state */
  LkJobState told_state;

  GArray *reasons_left; /* LkJobIndex of jobs with a reason_left, once or more; no order */
  guint32 held_count;
  guint32 job_id_last;
  gint64 wake_us;         /* asked of the driver and not yet come; LK_TIME_NEVER none */
  gint64 policy_wake_us;  /* asked by the backfill policy in its last pass */
  gboolean changed;       /* since the last pass, in a way that a pass could act on */
  LkReason refused_limit; /* of the last submit that a limit has refused; decides nothing */
  gboolean in_pass;
  gboolean parked_in_pass;  /* a limit has taken a job out of the queue */
  LkNodeEnds node_ends;     /* on nodes; good for this pass */
  LkJobIndex away_job;      /* that is not at home (engine/in_partition.h); LK_JOB_NONE */
  guint32 away_home;        /* what it asks for at home */
  LkJobIndex short_job;     /* looked at with its least limit (engine_time_min.h); LK_JOB_NONE */
  gint64 short_asked_us;    /* its own */
  LkJobIndex short_started; /* with that, in this pass, last; LK_JOB_NONE */

  guint64 event_count;
  guint64 decision_count;
  LkDigest digest;

  /* Valid while an event is applied. */
  const LkEvent *event;
  const LkSink *sink;
  GString *place_texts[3]; /* nodes, cores, gres of the start decision being made */
  GByteArray *scratch;     /* the event's number and time, then its decisions as bytes */
  gsize decided_bytes;     /* of scratch */
  guint32 decided_count;
};

/* engine.c */
/* `force` NULL: the first is in force; else it is emptied. FALSE: a policy refuses, and there is
 * nothing to clear. */
gboolean lk_engine_init (LkEngine *self, const LkEngineConfig *first, LkInForce *force,
                         LkPolicyError *out_error);
LkEngine *lk_engine_new_under (const LkEngineConfig *first, LkInForce *force,
                               LkPolicyError *out_error);
void lk_engine_clear (LkEngine *self);

/* engine_config.c */
gboolean lk_in_force_make (LkInForce *self, const LkEngineConfig *first,
                           const LkJournalHeader *described, LkPolicyError *out_error);
void lk_in_force_clear (LkInForce *self, const LkEngineConfig *first);
void lk_engine_clear_config (LkEngine *self);
void lk_engine_save_config (const LkEngine *self, GByteArray *out);
/* Of a snapshot of an engine that was made from `first`; FALSE: it was of another one. `out_force`
 * stays empty where that is in force. */
LkStatus lk_engine_load_config (const LkEngineConfig *first, LkBytesReader *reader,
                                LkInForce *out_force);

/* engine_snapshot.c: all behind the configuration, as it is saved and loaded; between events, and
 * while the configuration changes. */
void lk_engine_save_state (const LkEngine *self, GByteArray *out);
gboolean lk_engine_load_state (LkEngine *self, LkBytesReader *reader);

/* engine_reconfigure.c */
LkReject lk_engine_reconfigure_event (LkEngine *self, const LkEvent_reconfigure *event);

void lk_engine_emit (LkEngine *self, const LkDecision *decision);
void lk_engine_emit_notice (LkEngine *self, LkJobIndex job, LkJobState state, LkReason reason);
/* Index into users, or LK_JOB_NONE when no job of the user has run. */
guint32 lk_engine_user_index (const LkEngine *self, guint32 user_id);
LkUserUsage *lk_engine_user (LkEngine *self, guint32 user_id);
double lk_engine_user_usage (const LkEngine *self, guint32 user_id);

/* engine_queue.c: a job enters and leaves the pending and running sets. */
void lk_engine_enqueue (LkEngine *self, LkJobIndex job);
void lk_engine_dequeue (LkEngine *self, LkJobIndex job);
/* `first_piece`: where it runs; LK_PIECE_NONE on a counted pool. */
void lk_engine_start (LkEngine *self, LkJobIndex job, guint32 first_piece);
/* Out of the queue, to be started. */
void lk_engine_leave_queue (LkEngine *self, LkJobIndex job);
void lk_engine_end (LkEngine *self, LkJobIndex job);

/* A parked job that is off its list goes back to the queue, or onto another list. */
void lk_engine_requeue_blocked (LkEngine *self, LkJobIndex job);
/* Pending and in the queue, or kept out of it by a limit. */
static inline gboolean
lk_engine_is_in_line (const LkEngine *self, LkJobIndex job)
{
  return self->jobs.phase[job] == LK_PHASE_QUEUED || self->jobs.phase[job] == LK_PHASE_BLOCKED;
}

/* On a list of those that have not started. */
static inline gboolean
lk_engine_is_pending (const LkEngine *self, LkJobIndex job)
{
  return lk_engine_is_in_line (self, job) || self->jobs.phase[job] == LK_PHASE_HELD;
}

/* engine_array.c: how many tasks of an array the job stands for; 1 for any other. */
guint32 lk_engine_task_count (const LkEngine *self, LkJobIndex job);
/* Its tasks that are jobs of their own, by rising task. Returns: (transfer full), of LkJobIndex. */
GArray *lk_engine_array_members (const LkEngine *self, const LkArray *array);

/* engine_shown.c: why a pending job waits. */
LkReason lk_engine_pending_reason (const LkEngine *self, LkJobIndex job);
/* The reason that is shown, where it is what the last look at the job has
 * found, and else `reason`. */
LkReason lk_engine_shown_reason (const LkEngine *self, LkJobIndex job, LkReason reason);
/* The job goes on being shown with this reason until the next look. */
void lk_engine_leave_reason (LkEngine *self, LkJobIndex job, LkReason reason);
/* What was left counts no more: of one job, which somebody has changed; of all, at a look. */
void lk_engine_drop_reason (LkEngine *self, LkJobIndex job);
void lk_engine_drop_reasons (LkEngine *self);
/* Somebody has changed the job: no look has come to it as it is now. */
void lk_engine_note_changed (LkEngine *self, LkJobIndex job);
/* A new job in the queue: is another one before it? */
void lk_engine_note_submitted (LkEngine *self, LkJobIndex job);
/* Of a job that was loaded. FALSE: it is nothing that could be left. */
gboolean lk_engine_take_up_reason (LkEngine *self, LkJobIndex job);

/* Do the rules of Slurm 22.05 hold? */
static inline gboolean
lk_engine_is_old (const LkEngine *self)
{
  const LkEngineConfig *config = &self->config;
  if (config->accounts != NULL)
    return config->accounts->compat == LK_COMPAT_SLURM_22_05;
  return config->cluster != NULL && config->cluster->compat == LK_COMPAT_SLURM_22_05;
}

/* engine_eligible.c */
/* Why a pending job may not be in the queue; LK_REASON_NONE: it may. */
LkReason lk_engine_kept_by (LkEngine *self, LkJobIndex job);
/* Something that keeps a pending job has come, changed or gone: into the queue with it, or out, and
 * tells the new reason. */
void lk_engine_settle (LkEngine *self, LkJobIndex job);
/* May the job have its stuck_reason where it is? */
gboolean lk_engine_may_be_stuck (const LkEngine *self, LkJobIndex job);
/* A queued job that can never run was tried: it is held. */
void lk_engine_hold_stuck (LkEngine *self, LkJobIndex job);
/* The parts of it, without telling: out of the queue, or held from the first; and held no more, on
 * no list. */
void lk_engine_keep (LkEngine *self, LkJobIndex job, LkReason reason);
void lk_engine_let_go (LkEngine *self, LkJobIndex job);
/* A pending job that is on no list goes where it belongs; tells its reason where that is another
 * than `before` (LK_REASON_NONE: it was in line). */
void lk_engine_take_back (LkEngine *self, LkJobIndex job, LkReason before);

/* engine_reservation.c and engine_reservation_ways.c: advance reservations. */
LkReject lk_engine_reservation_event (LkEngine *self, const LkEvent *event);
/* The job, which is in the table, asks for what its terms name: why it may not. */
LkReject lk_engine_ask_reservations (LkEngine *self, LkJobIndex job, LkText user);
/* May a pending job ask for these instead?  And when its terms do, and it is on no list: it
 * does. */
LkReject lk_engine_check_reservation (LkEngine *self, LkJobIndex job, LkText text);
void lk_engine_change_reservation (LkEngine *self, LkJobIndex job);
/* A task split off an array asks for what the array does. */
void lk_engine_split_reservations (LkEngine *self, LkJobIndex record, LkJobIndex job);
/* The job leaves the system, or asks no more. */
void lk_engine_leave_reservations (LkEngine *self, LkJobIndex job);
/* What keeps a job that asks for one out of the queue; LK_REASON_NONE: nothing. */
LkReason lk_engine_reservation_keeps (const LkEngine *self, LkJobIndex job);
/* Why a queued job does not start, if that is for reservations; else LK_REASON_NONE. */
LkReason lk_engine_reservation_reason (const LkEngine *self, LkJobIndex job);
/* A job that has its pieces begins, or ends, to run. */
void lk_engine_enter_reservation (LkEngine *self, LkJobIndex job);
void lk_engine_exit_reservation (LkEngine *self, LkJobIndex job);
/* Begins and ends what is due. */
void lk_engine_turn_reservations (LkEngine *self);
gint64 lk_engine_next_reservation_us (const LkEngine *self);
/* Where the job goes in a rank: jobs that ask for a reservation go before all others, among
 * themselves in the order of their keys. */
gint64 lk_engine_rank_key (const LkEngine *self, LkJobIndex job, gint64 policy_key);

/* engine_reservation_bytes.c: who asks for which reservation, and who runs in one. */
void lk_engine_save_reservations (const LkEngine *self, GByteArray *out);
gboolean lk_engine_load_reservations (LkEngine *self, LkBytesReader *reader);
void lk_engine_check_reservations (const LkEngine *self);

/* engine_accounts_change.c: accounts change. */
LkReject lk_engine_accounts_event (LkEngine *self, const LkEvent *event);
/* Those of the book, where they are not those of the configuration; before the books. */
void lk_engine_save_accounts (const LkEngine *self, GByteArray *out);
gboolean lk_engine_load_accounts (LkEngine *self, LkBytesReader *reader);

/* engine_accounts.c; all but the first five only with accounts. */
typedef struct {
  guint32 association;
  guint32 qos;
} LkJobAccount;
/* In which holders the job counts. */
guint lk_engine_holders_of (LkEngine *self, LkJobIndex job, guint32 out_holders[LK_HOLDER_MAX]);
/* engine_check_book.c: aborts when the books are not what the jobs add up to. */
void lk_engine_check_book (LkEngine *self);
/* When the job's age begins to grow; and does no more, `forget`: it will begin anew. */
void lk_engine_accrue (LkEngine *self, LkJobIndex job);
void lk_engine_stop_accruing (LkEngine *self, LkJobIndex job, gboolean forget);
/* Jobs whose age an accrue limit has kept from growing. */
void lk_engine_accrue_again (LkEngine *self);
/* Does a limit keep a pending job from starting now? Notes where it is to be parked, and tells the
 * reason when it is another than before. */
gboolean lk_engine_is_blocked (LkEngine *self, LkJobIndex job);
/* The same for what it would be given by these pieces, where that is more than it asks for. */
gboolean lk_engine_is_blocked_there (LkEngine *self, LkJobIndex job, guint32 first_piece);
gboolean lk_engine_has_finding (const LkEngine *self, LkJobIndex job, guint32 when);
/* The first reason, now; LK_REASON_NONE: no limit keeps it. */
LkReason lk_engine_limit_reason (const LkEngine *self, LkJobIndex job);
/* Fills the account and QOS that the job gets, also as names in `asked`. */
LkReject lk_engine_find_account (const LkEngine *self, LkJobRequest *asked,
                                 LkJobAccount *out_account);
LkReject lk_engine_check_submit (LkEngine *self, LkJobIndex job);
/* The time limit of a job that gave none, by its limits; LK_TIME_NEVER: none. */
gint64 lk_engine_limit_time_us (LkEngine *self, LkJobIndex job);
/* The most nodes that limits let the job have. */
guint32 lk_engine_limit_nodes (const LkEngine *self, LkJobIndex job);
void lk_engine_park (LkEngine *self, LkJobIndex job);
void lk_engine_unpark (LkEngine *self, LkJobIndex job);
void lk_engine_release_timed (LkEngine *self);
void lk_engine_count_accruing (LkEngine *self, LkJobIndex job, gboolean is_accruing);
void lk_engine_account_asked (LkEngine *self, LkJobIndex job);
void lk_engine_account_submitted (LkEngine *self, LkJobIndex job);
void lk_engine_account_left (LkEngine *self, LkJobIndex job);
/* It does not count as submitted. */
void lk_engine_account_unsubmitted (LkEngine *self, LkJobIndex job);
/* Names of its user, account and QOS, as far as known. */
void lk_engine_name_account (const LkEngine *self, LkJobIndex job, LkJobRequest *asked);
/* Seconds that are booked at the start of a job with this time limit. */
guint64 lk_engine_booked_s (const LkEngine *self, LkJobIndex job, gint64 limit_us);
/* So many tasks of a record will not come. */
void lk_engine_account_lost (LkEngine *self, LkJobIndex record, guint32 task_count);
void lk_engine_account_started (LkEngine *self, LkJobIndex job);
void lk_engine_account_ended (LkEngine *self, LkJobIndex job);
/* Jobs that waited for what a job had in use that has ended or lost a node. */
void lk_engine_release_parked (LkEngine *self, LkJobIndex job);
/* Counts what a running job has in, or out. */
void lk_engine_account_take (LkEngine *self, LkJobIndex job, gboolean take);
/* Behind lk_engine_account_take (self, job, FALSE) and a change of its pieces. */
void lk_engine_account_resized (LkEngine *self, LkJobIndex job);
void lk_engine_charge (LkEngine *self, LkJobIndex job);

/* engine_cycle.c */
/* Cycles that are due up to this moment. */
void lk_engine_catch_up (LkEngine *self, gint64 now_us);
gint64 lk_engine_next_cycle_us (const LkEngine *self);
/* Can a limit on use end a running job? */
gboolean lk_engine_use_ends_jobs (const LkEngine *self);
/* What the order has calculated, for the UsageThreshold of QOS. */
void lk_engine_note_fairshare (LkEngine *self);
/* Behind a cycle, when the ends of its instant are known: ends running jobs that have used up what
 * they may use. */
void lk_engine_end_over_limit (LkEngine *self);

/* engine_nodes.c: what runs on a machine of nodes, and what becomes of its nodes. */
/* The pieces of a job that starts, and of one that has ended. */
void lk_engine_attach (LkEngine *self, LkJobIndex job, guint32 first_piece);
void lk_engine_detach (LkEngine *self, LkJobIndex job);
/* Are as many licences free as the job needs? */
gboolean lk_engine_licenses_free (const LkEngine *self, LkJobIndex job);
/* Does the job name a node that takes no jobs now? */
gboolean lk_engine_required_unusable (const LkEngine *self, LkJobIndex job);
LkReject lk_engine_node_event (LkEngine *self, const LkEvent *event);
LkReject lk_engine_requeue_event (LkEngine *self, const LkEvent_requeue *requeue);
/* Puts jobs whose begin_us has come into the queue; when the next one's comes. */
void lk_engine_begin_waiting (LkEngine *self);
gint64 lk_engine_next_begin_us (const LkEngine *self);
/* Puts a held job onto the list of those that wait for their begin_us. */
void lk_engine_wait (LkEngine *self, LkJobIndex job);
/* Takes the job off that list. */
void lk_engine_unwait (LkEngine *self, LkJobIndex job);
/* Fills the place of a start decision; texts live in self until the next call. */
void lk_engine_place_text (LkEngine *self, LkJobIndex job, LkDecision_start *start);
/* The same of a place that is no job's yet. */
void lk_engine_pieces_text (LkEngine *self, guint32 first_piece, LkDecision_start *start);

/* engine_preempt.c; all but the first, and those that say so, only with preemption. */
/* Gives a running job another expected end. */
void lk_engine_move_end (LkEngine *self, LkJobIndex job, gint64 end_us);
/* Around the work of the backfill policy in a pass. */
void lk_engine_preempt_begin (LkEngine *self);
/* Behind the beginning: those start that can have cores of others, as far as it is their turn. */
void lk_engine_preempt_first (LkEngine *self);
void lk_engine_preempt_end (LkEngine *self);
/* LK_MADE_*; see LkPassOps.preempt_for. */
guint32 lk_engine_preempt_for (LkEngine *self, LkJobIndex job, const guint64 *nodes,
                               guint64 *out_nodes);
/* Displaces those whose notice is over. */
void lk_engine_preempt_due (LkEngine *self);
/* Does a victim go back to the queue, rather than leave? */
gboolean lk_engine_preempt_requeues (const LkEngine *self, LkJobIndex job);
/* Is it being displaced?  Also without preemption. */
gboolean lk_engine_is_preempted (const LkEngine *self, LkJobIndex job);
/* The job has begun or ended to run, or left the queue. */
void lk_engine_preempt_forget (LkEngine *self, LkJobIndex job);
/* Before the job comes into the queue. */
void lk_engine_set_level (LkEngine *self, LkJobIndex job);
/* When a pass might find room; LK_TIME_NEVER: none. Also without preemption. */
gint64 lk_engine_next_preempt_us (const LkEngine *self);
void lk_engine_check_preempt (const LkEngine *self, LkJobIndex job);

/* engine_submit.c: what a job asks for, resolved; and given up when it leaves. */
LkReject lk_engine_handle_submit (LkEngine *self, const LkEvent_submit *submit);

/* Why a pending job, as it asks, can never run on this machine; LK_REASON_NONE: it may. */
LkReason lk_engine_stuck_reason (LkEngine *self, LkJobIndex job);
/* Finds that again and keeps it; a job that was held for it is held no more when it may run. */
void lk_engine_judge_stuck (LkEngine *self, LkJobIndex job);
/* Notes whether a request could be placed on the idle machine; once for each request. */
void lk_engine_try_idle (LkEngine *self, LkRequest *request, guint32 user_id);

/* engine_pieces.c: nodes, requests and pieces as bytes. What is loaded is checked against the
 * machine; FALSE: it is nothing that this machine could hold. */
void lk_engine_save_nodes (const LkEngine *self, GByteArray *out);
gboolean lk_engine_load_nodes (LkEngine *self, LkBytesReader *reader);
gboolean lk_engine_load_deadlines (LkEngine *self, LkBytesReader *reader);
/* What a job asked for, then where it runs. */
void lk_engine_save_place (const LkEngine *self, LkJobIndex job, GByteArray *out);
gboolean lk_engine_load_request (LkEngine *self, LkJobIndex job, LkBytesReader *reader);
gboolean lk_engine_load_place (LkEngine *self, LkJobIndex job, LkBytesReader *reader);
/* Pieces on no node's list. */
void lk_engine_save_pieces (const LkEngine *self, guint32 first_piece, GByteArray *out);
gboolean lk_engine_load_pieces (LkEngine *self, LkJobIndex job, LkBytesReader *reader,
                                guint32 *out_first_piece);

/* engine_events.c */
/* Tells that the event is accepted, once for each event. */
void lk_engine_accept (LkEngine *self, LkJobIndex job);
/* What the event does to the one job that it names. 0, or why it is refused. */
LkReject lk_engine_dispatch (LkEngine *self, const LkEvent *event);
/* Units that a pending job takes; 0: more than the machine has. */
guint32 lk_engine_units (LkEngine *self, LkJobIndex job);
/* The job leaves the system, in the state that its last notice has told. */
void lk_engine_remove_job (LkEngine *self, LkJobIndex job);
/* Its row is given up. */
void lk_engine_forget_job (LkEngine *self, LkJobIndex job);
void lk_engine_kill (LkEngine *self, LkJobIndex job, LkKillWhy why);
void lk_engine_handle (LkEngine *self, const LkEvent *event);

/* engine_standing.c */
void lk_engine_tell_standing (LkEngine *self);
/* The job is about to be told to start. */
void lk_engine_tell_start (LkEngine *self, LkJobIndex job);
/* A job is in the system once more, maybe where it was: what was told of it then does not count. */
void lk_engine_forget_standing (LkEngine *self, LkJobIndex job);
void lk_engine_save_standing (const LkEngine *self, LkJobIndex job, GByteArray *out);
gboolean lk_engine_load_standing (LkEngine *self, LkJobIndex job, LkBytesReader *reader);

/* engine_pass.c */
void lk_engine_pass (LkEngine *self);
/* A limit keeps the job from starting now: it has left the queue. */
gboolean lk_engine_block (LkEngine *self, LkJobIndex job);
/* The job starts on these pieces, behind the work of the backfill policy; who runs on their cores
 * is stopped.  FALSE: a limit on what it would be given keeps it. */
gboolean lk_engine_start_there (LkEngine *self, LkJobIndex job, guint32 first_piece);
/* Could the job start now beside what runs? */
gboolean lk_engine_can_start (LkEngine *self, LkJobIndex job);
/* engine_cycle.c: what is done once in each calculation period, now. */
void lk_engine_cycle (LkEngine *self);
/* Asks the order for all keys anew. */
void lk_engine_refresh_order (LkEngine *self);
/* Asks the driver for the next moment at which the engine must act by itself. */
/* Time limit of the running job that reaches it first, of those that have not been told to end. */
gint64 lk_engine_next_limit_us (const LkEngine *self);
void lk_engine_ask_wake (LkEngine *self);

#endif
