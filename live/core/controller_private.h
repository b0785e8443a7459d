/* live/core/controller_private.h — the state of the controller core, shared by
 * live/core/controller*.c only.
 *
 * A run goes through stages on each of its nodes.  What is sent for it depends on nothing but
 * these, on what the engine wants of it, and on what is durable; lk_run_act looks at all of it, so
 * that it does not matter which of them has changed. */
#ifndef LK_LIVE_CORE_CONTROLLER_PRIVATE_H
#define LK_LIVE_CORE_CONTROLLER_PRIVATE_H

#include "engine/cluster_change.h"
#include "live/core/controller.h"
#include "live/core/node_address.h"
#include "live/core/payload.h"

/* Why a node that does not answer is down, as Slurm writes it. */
#define LK_REASON_NOT_RESPONDING "Not responding"
/* Why a node is down that a new configuration has brought, until its agent comes. */
#define LK_REASON_AWAITED "Not registered"
/* Why a node is drained whose agent reports a higher term than any controller has given out. */
#define LK_REASON_FALSE_TERM "Agent reports a false term"
#define LK_REASON_REBOOTED "Node unexpectedly rebooted"

/* How a script has ended of which nobody knows it: not well. */
#define LK_SIGNAL_UNKNOWN 9u

/* A job that has ended, the payload of which is kept as long as the engine remembers the job. */
typedef struct {
  guint32 job_id;
  gint64 end_us;
} LkEndedPayload;

/* How a run stands on one of its nodes. */
typedef enum {
  LK_ON_NODE_WAITING,  /* no launch has been sent in this epoch of the node */
  LK_ON_NODE_LAUNCHED, /* one has, and is not acknowledged */
  LK_ON_NODE_LIVES,    /* the agent has it */
  LK_ON_NODE_GONE,     /* nothing of it lives there, and nothing will */
} LkOnNode;

typedef struct {
  guint32 node;
  LkOnNode stage;
  gboolean is_dropped;  /* the engine has taken the node from the job */
  gboolean is_begun;    /* its agent has told so: behind a start, too */
  gboolean may_forget;  /* its agent waits to hear that the end is durable */
  gboolean is_reported; /* in the report that is being read */
  LkMessageKind asked;  /* what was last sent: LAUNCH or TERMINATE; 0: nothing */
  gint64 asked_us;      /* monotonic; also of orders */
  guint32 ordered;      /* so many orders were sent, */
  guint32 heard;        /* and so many has its agent acknowledged */
} LkRunNode;

/* A signal, or a stop or continue. */
typedef struct {
  guint64 number; /* rises in the run; counts from 1, with the term in the upper half as runs do */
  guint64 seq;    /* the event that wants it */
  guint8 signal;  /* 0: a stop or continue */
  guint8 batch_only;
  guint8 suspended;
} LkRunOrder;

/* Which tasks an array has, as its runs are told. */
typedef struct {
  guint32 array_job_id; /* 0: of none */
  guint32 count;
  guint32 min;
  guint32 max;
  guint32 step;
} LkArraySpan;
/* Arrays of which that is remembered: those of the same remainder push each other out. */
#define LK_ARRAY_SPANS 1024u

/* A signal for a step; 0 and LK_SIGNAL_UNKNOWN end it. */
typedef struct {
  guint64 number;  /* rises, across starts of controllers too */
  guint64 seq;     /* behind this event it is durable, and sent */
  guint32 user_id; /* whose request it was, and which */
  guint64 session;
  guint64 request;
  guint8 signal;
} LkJobStepOrder;

/* A step on one of its nodes. */
typedef struct {
  guint32 node;
  LkOnNode stage;
  gboolean may_forget;  /* its agent waits to hear that the end is durable */
  gboolean is_reported; /* in the report that is being read */
  LkMessageKind asked;  /* what was last sent; 0: nothing */
  gint64 asked_us;      /* monotonic */
  guint32 heard;        /* so many orders has its agent acknowledged */
  LkStepReport how;     /* what it uses, and how it has ended */
  guint32 cpus;         /* so are the next ones what other steps cannot have, unless it overlaps */
  gint64 memory_bytes;
  guint64 devices;
  guint64 *cores; /* set; NULL: they are not counted */
} LkJobStepOn;

/* A step of a run. */
typedef struct {
  guint32 step_id;
  guint64 create_seq;        /* behind this event it is durable */
  guint64 end_seq;           /* behind this one its end is; 0: it has not ended */
  gboolean is_ending;        /* it is told to end */
  gboolean is_killed;        /* by SIGKILL, and at once */
  gboolean is_overdue;       /* for its time limit */
  gboolean has_lost_node;    /* that is why it is told to end, unless there is another reason */
  gboolean is_finished;      /* it has ended, and nobody waits to hear anything of it */
  LkMessage_kept_step kept;  /* texts are in: */
  GByteArray *kept_bytes;    /* owned */
  GByteArray *payload;       /* what its tasks need; NULL: all nodes have it, or it is not known */
  guint64 limit_seq;         /* behind this event its time limit is durable */
  GArray *orders;            /* of LkJobStepOrder, by rising number; not those that end it */
  guint64 heard_number;      /* all nodes have had those up to it; 0: none */
  guint64 heard_seq;         /* behind this event that is durable */
  LkJobStepOrder order_last; /* the last of all, for who asks again; number 0: there was none */
  LkJobStepOrder end_order;  /* that wants its end; number 0: none does */
  guint32 place_count;
  LkJobStepOn *places;
  /* Once it has ended: */
  LkMessage_kept_step_ended how;
} LkJobStep;

typedef struct _LkRun LkRun;
struct _LkRun {
  guint64 run_id;
  guint64 start_seq; /* the event that started it */
  guint64 end_seq;   /* the event after which the engine has it no more; 0: it has it */
  guint64 kill_seq;  /* the event that wants its end; 0: none */
  /* Of a component of a heterogeneous job, the leader excepted: the event after which the engine
   * has the leader no more; 0: it has. Behind it `how` is how the leader's script has ended. */
  guint64 leader_seq;
  GByteArray *components; /* of a leader: all that started with it; NULL: it is none */
  guint32 job_id;
  guint32 user_id;
  guint32 group_id;
  guint32 array_job_id;
  guint32 array_task;
  guint32 restarts;
  guint8 kill_why;
  gboolean is_broken;    /* its script, or a node of it, is over: the others are told to stop */
  gboolean has_lost;     /* a node of it is about to be told down: its end is not */
  gboolean is_end_asked; /* its JOB_ENDED is on its way to the engine */
  LkRunReport how;       /* how the script has ended, and the first trouble of any node */
  gint64 memory_bytes;
  char *node_list;
  char *cores;
  char *gres;
  LkRunFacts facts;    /* texts are in: */
  guint8 *facts_bytes; /* owned */
  LkPayload *payload;
  guint8 derived_exit_code; /* the highest of steps that have ended, those forgotten too */
  guint8 derived_signal;    /* the highest among those of that exit code */
  GArray *orders;           /* of LkRunOrder, by rising number; NULL: none */
  GPtrArray *steps;  /* of LkJobStep, by rising step_id; some of those that are finished, too */
  guint32 step_next; /* number of the next one */
  guint32 node_count;
  LkRunNode *nodes; /* the first runs the script, if lk_run_has_script */
  LkRun *next;      /* by rising run_id */
  LkRun *previous;
  LkRun *older_of_job; /* the run of the job before it, if that is in the table */
  LkRun *newer_of_job;
  gboolean is_stirred;
  guint32 restless_at; /* place in LkController.restless; LK_NOT_RESTLESS */
};
#define LK_NOT_RESTLESS G_MAXUINT32

/* A node as the controller knows its agent. */
typedef struct {
  char *name; /* owned; "" of a counted pool */
  LkPeerId peer;
  gboolean has_peer;
  guint64 agent_id;
  guint64 epoch;           /* 0: none */
  gboolean is_ready;       /* its report of this epoch has come */
  gboolean has_answered;   /* one has, since the node was last given up; for the log only */
  gboolean down_by_us;     /* because it did not answer, or was rebooted */
  gboolean is_awaited;     /* so it is, as it is new and its agent has not come */
  gboolean is_said_dead;   /* somebody has said so, when its agent might still have spoken */
  gint64 heard_us;         /* monotonic; last word of its agent */
  gint64 unready_us;       /* monotonic; since when its report is missing, if it has an epoch */
  guint32 load_hundredths; /* as its agent said last */
  guint64 free_memory_bytes;
  char architecture[32];
  char host[64];
  char system[128];
  char version[16];
  gint64 boot_us;          /* of its machine; 0: not told */
  gint64 agent_start_us;   /* likewise */
  guint64 reload_heard;    /* number of the last RELOAD that it has heeded, as it says */
  gint64 reload_us;        /* monotonic; when it was last told to */
  guint32 over_count;      /* runs that the engine has no more here, and that may live here */
  GPtrArray *runs;         /* of LkRun: in the table, and of this node */
  gboolean is_drain_asked; /* for what a stray has left: */
  guint64 drain_seq;       /* the last event that drains it; 0: none since the start */
  guint32 reason_user_id;  /* who has last set it down or drained, */
  gint64 reason_us;        /* and when; 0: nobody has */
  GArray *strays;          /* guint64: runs that it has and that are in no table */
} LkControllerNode;

typedef struct {
  guint32 user_id;
  guint64 session;
} LkSessionKey;

/* The last request of a session. */
typedef struct _LkSession LkSession;
struct _LkSession {
  LkSessionKey key;
  guint64 request;
  guint64 seq; /* of its last event */
  guint32 job_id;
  guint16 error;
  guint8 limit;
  LkSession *older;
  LkSession *newer;
};

/* Something that waits to become an event. */
typedef struct {
  guint32 rank;
  guint32 job_id; /* of an end, else 0 */
  guint32 arrival;
  gboolean is_request;
  gboolean is_reconfigure; /* the configuration is to be read anew, */
  gboolean is_asked;       /* and somebody waits to hear of it */
  LkPeerId peer;
  guint32 user_id;
  guint64 session;
  guint64 request;
  guint32 event_count; /* above 1: components of a heterogeneous job */
  gboolean is_submit;
  guint32 payload_bytes;
  GByteArray *bytes; /* the events' encodings, then the payload */
} LkInboxEntry;

/* A message that waits until an event is durable. */
typedef struct {
  guint64 seq;
  LkPeerId peer;
  GByteArray *bytes;
} LkOutboxEntry;

/* Where a journal and the engine part. */
typedef struct {
  guint64 seq;
  guint32 decision; /* the first that differs, of the event's, from 0 */
} LkReplayFault;

/* What has been done since the controller began, or since it was told to count anew. */
typedef struct {
  guint64 submit_count;
  guint64 start_count;
  guint64 backfill_count;
  guint64 backfill_before_count; /* of the same, before it was told to count anew */
  guint64 end_count;
  guint64 completed_count; /* of those that ended; so are the next ones */
  guint64 cancelled_count;
  guint64 failed_count; /* in any other way */
  guint64 pass_count;
  gint64 pass_last_us; /* how long passes took */
  gint64 pass_max_us;
  gint64 pass_sum_us;
  guint32 queue_last; /* jobs that waited at the last pass */
} LkControllerWork;

/* Messages of each kind and of each user (controller_rpc.c). */
typedef struct _LkRpcBook LkRpcBook;
/* Kinds, and users, that are counted at most. */
#define LK_RPC_ROWS_MAX 1024u

/* Questions that wait for their answers (controller_turn.c). */
typedef struct {
  GArray *waiting;        /* as they came */
  GArray *answered;       /* of guint32: users who have had an answer in this turn */
  guint32 cheap_user_id;  /* who had the last answer to one that waited, */
  guint32 costly_user_id; /* and to one that costs much */
  gint64 costly_from_us;  /* monotonic: not before this moment another of these */
} LkControllerTurn;

struct _LkController {
  LkControllerConfig config;
  LkControllerPorts ports;
  LkControllerFailure failure;
  LkEngine *engine;
  LkSink sink;
  guint64 term;
  guint64 incarnation;           /* counts the starts in this term */
  guint64 journal_term;          /* that the journal tells of last; of the first one it does not */
  LkMessage_kept_standby follow; /* what the disk tells of a standby; all 0: nothing */
  guint64 epoch_last;
  gboolean is_open; /* term and incarnation are durable */
  LkControllerCounts counts;
  LkControllerWork work;
  LkRpcBook *rpcs;
  GHashTable *buckets;    /* by user id; see controller_bounds.c */
  GPtrArray *bucket_rows; /* all of them, owned */
  LkControllerTurn turn;

  gint64 engine_us; /* the engine's clock, at `clock_us` of the monotonic one */
  gint64 late_us;   /* a moment that was asked for, and has gone by; LK_TIME_NEVER: none */
  gint64 clock_us;
  gint64 started_us;      /* monotonic */
  gint64 counted_from_us; /* likewise; since then `work` is counted */
  gint64 pass_next_us;
  guint64 pass_seq; /* the last pass since the start */
  gint64 retry_next_us;
  gint64 look_next_us; /* at agents that are silent */

  GArray *inbox;  /* of LkInboxEntry */
  GArray *outbox; /* of LkOutboxEntry, by rising seq */
  guint outbox_begin;

  /* Journal. */
  LkJournalWriter *writer;
  GByteArray *unwritten; /* records that no append has taken yet */
  guint64 seq;           /* of the last event applied */
  guint64 begun_seq;     /* of the last one before we began */
  guint64 batch_count;   /* batches that were replayed */
  guint64 appending_seq; /* of the append that is under way */
  guint64 durable_seq;
  guint64 standby_seq;   /* durable on the standby */
  guint64 journal_bytes; /* length of the file, with what is being appended */
  guint64 durable_bytes; /* of it, what is durable */
  guint64 snapshot_seq;  /* of the last snapshot that was asked for */
  guint snapshot_next;   /* the file that the next one goes to */
  guint64 token_last;
  guint64 append_token;   /* 0: none is under way */
  guint64 snapshot_token; /* likewise */
  guint64 start_token;

  /* What comes from decisions. */
  guint32 job_id_last;
  guint64 run_id_last;
  GHashTable *runs;    /* by run_id */
  GHashTable *of_jobs; /* newest run by job id */
  LkPayloads *payload_parts;
  GHashTable *payloads;       /* LkPayload by job id */
  GHashTable *admin_comments; /* char * by job id, of some of those */
  GHashTable *done;   /* newest record of jobs that have ended, by job id; see controller_done.c */
  GQueue done_by_age; /* all of them, owned, oldest first */
  guint64
      *query_marks; /* nodes that are planned for, then reserved, as of the last query; or NULL */
  GArray *journal_parts; /* of guint64, rising: where part 1 and those after it begin */
  GArray *query_ids; /* of guint32, rising: jobs as of the last query that began; NULL: none has */
  GQueue ended;      /* of LkEndedPayload: jobs that have ended and may be requeued, oldest first */
  LkRun *run_first;
  LkRun *run_last;
  GPtrArray *restless; /* runs for which something is to be sent, or sent again */
  GPtrArray *stirred;  /* runs for which something has changed */
  gboolean has_fence_lifted;
  gboolean is_carry_wanted; /* notes of the journal wait for an event to go with */
  guint32 stray_count;
  gboolean is_recovering;
  LkArraySpan *spans;   /* LK_ARRAY_SPANS, by id modulo that: only so as not to count again */
  GHashTable *sessions; /* LkSession by key */
  LkSession *session_oldest;
  LkSession *session_newest;

  LkControllerNode *nodes;
  guint32 node_count;
  LkNodeAddresses *addresses; /* of the cluster that is in force; NULL: nobody has asked yet */
  guint32 ready_count;

  guint64 settings;            /* LkPortSiteRead, of the last that came into force */
  gboolean has_settings;       /* one has */
  guint64 reload_number;       /* of the last RELOAD; 0: there was none */
  guint64 reload_seq;          /* it is sent when this event is settled */
  gboolean has_unheard_reload; /* somebody who is there may have to be told */
  LkMessage_reply *answering;  /* of the request that is being applied */
  guint32 asker_user_id;       /* whose it is; of our own events whoever runs the controller */
  guint64 requeued_seq;        /* event of the last REQUEUE_JOB ... */
  guint32 requeued_job;        /* ... and its job */

  LkPeerId standby;
  gboolean has_standby;
  guint64 standby_epoch; /* of its following */
  guint64 standby_has_bytes;
  guint64 standby_sent_bytes;
};

/* controller.c */
/* Tables and an engine, at the beginning. NULL: a policy refuses its parameters. */
LkController *lk_controller_make (const LkControllerConfig *config, const LkControllerPorts *ports);
/* Goes on from what was replayed, if the term and what the disk tells of a standby allow it. */
LkControllerFailure lk_controller_begin (LkController *self, guint64 term);
/* Rises within a term, and was given out by no controller of another. */
guint64 lk_controller_next_epoch (LkController *self);
void lk_controller_fail (LkController *self, LkControllerFailure failure);
gint64 lk_controller_now_us (LkController *self);
/* FALSE: it is longer than a message may be, and was not sent. So is the next one. */
gboolean lk_controller_send (LkController *self, LkPeerId peer, const LkMessage *message);
/* Sends it when the event of that number is durable. */
gboolean lk_controller_send_after (LkController *self, LkPeerId peer, guint64 seq,
                                   const LkMessage *message);
/* Applies an event whose number is filled in here; its time is `event->time_us`. */
void lk_controller_apply (LkController *self, LkEvent *event);
/* Puts an event of the controller's own into the inbox. */
void lk_controller_post (LkController *self, const LkEvent *event);

/* controller_requests.c: from clients. */
guint32 lk_controller_roles (const LkController *self, const LkPeer *peer,
                             const LkMessage *message);
/* Of a process in a job (LK_PEER_JOB): is it of that job, or of another component of it? */
gboolean lk_controller_is_own_job (const LkController *self, const LkPeer *peer, guint32 job_id);
/* A job that was refused is gone, and perhaps its number with it; then the last one is again what
 * it was before. */
void lk_controller_forget_submit (LkController *self, const LkEvent_submit *submit,
                                  guint32 last_before, guint32 user_id, guint reject);
void lk_controller_take_request (LkController *self, const LkPeer *peer, const LkMessage *message,
                                 guint32 roles);
void lk_controller_apply_request (LkController *self, const LkInboxEntry *entry);
/* TRUE: the request has come before, and was answered again as far as that can help. */
gboolean lk_controller_is_repeated (LkController *self, LkPeerId peer, guint32 user_id,
                                    const LkRequestHead *head);
/* May an event of a user come in, by the lengths of its texts and lists? 0, or why not. */
LkReject lk_controller_refusal_of_event (const LkController *self, const LkEvent *event);
/* Does a list stand for at most so many names for each node?  Names that are written one by one may
 * be more. TRUE of what cannot be read. */
gboolean lk_controller_names_fit (const LkController *self, LkLongText list, guint32 per_node);
void lk_controller_query (LkController *self, const LkPeer *peer, const LkMessage *message);
/* A user whose name the controller's machine does not know, as one with a subordinate id in a user
 * namespace: no job is taken from such a user, who could give it any user's name. */
gboolean lk_controller_is_nameless (const LkPeer *peer, guint32 roles);
/* Takes out of an event what only staff may say. */
void lk_controller_trim (const LkPeer *peer, guint32 roles, LkEvent *event);
void lk_controller_reply (LkController *self, LkPeerId peer, const LkMessage_reply *reply);

/* Is it about steps, from a client? Of such a one: the job that it is about. */
gboolean lk_controller_is_step_request (const LkMessage *message);
guint32 lk_controller_step_job (const LkMessage *message);

/* controller_step.c: the table of steps. */
void lk_run_steps_init (LkRun *run);
void lk_run_steps_clear (LkRun *run);
/* NULL: it is not there, or was and is not remembered. */
LkJobStep *lk_run_step (const LkRun *run, guint32 step_id);
/* From a note, which is copied; the newest of its run. NULL: it is there already, or comes too
 * late: others that came behind it are there. */
LkJobStep *lk_run_step_add (LkController *self, LkRun *run, const LkMessage_kept_step *kept);
/* How long the job of a run has been suspended since its start; 0 once it has ended. */
gint64 lk_run_suspended_us (const LkController *self, const LkRun *run);
/* NULL: the step has no part there. */
LkJobStepOn *lk_step_on (const LkJobStep *step, guint32 node);
/* Nothing of it is left there, and so. */
void lk_step_ended_on (LkController *self, LkRun *run, LkJobStep *step, LkJobStepOn *on,
                       const LkStepReport *how);
/* The same where nobody knows how. */
void lk_step_lost_on (LkController *self, LkRun *run, LkJobStep *step, LkJobStepOn *on);
/* The engine has the run no more: its steps have ended at this event. */
void lk_run_steps_over (LkController *self, LkRun *run);
/* What all nodes have used together, into the parts of that name. */
/* What its job tells as the exit code derived of its steps. */
void lk_step_count_end (LkRun *run, const LkMessage_kept_step_ended *how);
void lk_step_sum (const LkJobStep *step, LkMessage_kept_step_ended *out);
void lk_run_steps_renumber (LkRun *run, const guint32 *to);
void lk_run_steps_check (const LkController *self, const LkRun *run);

/* controller_step_keep.c: what of steps is in the journal and in snapshots. */
/* Both come with the next event, which is on its way then, or is the one that is being applied. */
void lk_controller_note_step (LkController *self, const LkJobStep *step);
/* The same for any note. */
void lk_controller_note_of_step (LkController *self, const LkMessage *note);
/* Returns: the event behind which it is durable. */
guint64 lk_step_set_limit (LkController *self, LkJobStep *step, gint64 limit_us, guint32 user_id);
/* What staff say of a job. */
/* Of jobs that are known; empty: there is none any more. */
void lk_controller_keep_admin_comment (LkController *self, guint32 job_id, LkLongText comment);
void lk_controller_note_admin_comment (LkController *self, const LkMessage_admin_comment *asked,
                                       guint32 user_id);
void lk_controller_note_step_ended (LkController *self, const LkJobStep *step);
/* Its owner, or staff, has said so; the run ends when that is durable. */
void lk_controller_complete_run (LkController *self, LkRun *run, guint32 user_id, guint8 exit_code,
                                 guint8 signal);
/* Of a journal that is read. FALSE: it is none of steps. */
gboolean lk_controller_take_step_note (LkController *self, const LkMessage *note);
/* Behind a replay: what lives only agents can tell. */
void lk_run_steps_recovered (LkRun *run);
guint32 lk_run_steps_kept_next (const LkController *self, const LkRun *run);
guint32 lk_run_steps_kept_count (const LkController *self, const LkRun *run);
void lk_run_steps_save (const LkController *self, const LkRun *run, GByteArray *out,
                        void (*append) (GByteArray *out, const LkMessage *record));

/* controller_step_order.c: signals for steps. */
/* Returns: the event behind which it is durable. */
guint64 lk_step_order (LkController *self, LkJobStep *step, LkJobStepOrder asked);
/* The next one that a node has not acknowledged; NULL: none that is durable. */
const LkJobStepOrder *lk_step_order_next (const LkController *self, const LkJobStep *step,
                                          const LkJobStepOn *on);
/* May its end be asked for? What wants it is durable. */
gboolean lk_step_may_end (const LkController *self, const LkJobStep *step);
void lk_step_order_heard (LkController *self, LkJobStep *step, LkJobStepOn *on, guint64 number);
void lk_step_take_order (LkController *self, const LkMessage_kept_step_order *kept);
void lk_step_take_heard (LkController *self, const LkMessage_kept_step_heard *kept);
/* For a step of a snapshot that is being read. FALSE: it fits no step, or not this one. */
gboolean lk_step_load_order (LkController *self, LkJobStep *step,
                             const LkMessage_kept_step_order *kept);
guint32 lk_step_kept_order_count (const LkController *self, const LkJobStep *step);
void lk_step_save_orders (const LkController *self, const LkJobStep *step, GByteArray *out,
                          void (*append) (GByteArray *out, const LkMessage *record));

/* controller_step_place.c: what of a job its steps get. */
/* Lays a step out over what there is and fills in `kept` (places, tasks), whose texts are appended
 * to `places`. */
LkStepError lk_run_step_place (const LkController *self, const LkRun *run, const LkStepWant *want,
                               LkMessage_kept_step *kept, GByteArray *places);
/* What a place says, as numbers. */
void lk_step_read_place (const LkController *self, const LkMessage_kept_step *kept,
                         const LkStepPlace *place, LkJobStepOn *on);

/* controller_step_send.c: what is sent for steps. */
/* As far as it is time. */
void lk_run_steps_act (LkController *self, LkRun *run);
/* Is there something that time, and nothing else, may bring? */
gboolean lk_run_steps_are_restless (const LkRun *run);
/* From agents, of the present epoch. */
void lk_controller_step_message (LkController *self, guint32 index, const LkMessage *message);
/* What an agent reports of steps, behind what it reports of runs. */
void lk_controller_read_steps (LkController *self, guint32 index, LkStepReports steps);
void lk_step_listen (LkController *self, const LkRun *run, const LkJobStep *step,
                     const LkStepListener *listener);

/* Words for who watches a run, or a step of it. FALSE: nobody hears them there now. */
gboolean lk_run_notify (LkController *self, const LkRun *run, const LkRunNode *on, guint32 step_id,
                        LkText words);
gboolean lk_step_notify (LkController *self, LkRun *run, const LkJobStep *step, LkText words);

/* controller_step_requests.c: steps, for clients. */
/* What may be asked by whom has been looked at. */
void lk_controller_step_request (LkController *self, const LkPeer *peer, const LkMessage *message);
/* Its sender may not ask that. */
void lk_controller_refuse_step (LkController *self, const LkPeer *peer, const LkMessage *message);

/* controller_query_rest.c: what has been done is counted anew. */
void lk_controller_statistics_reset (LkController *self, const LkPeer *peer, guint64 request);
void lk_controller_statistics_answer (LkController *self, const LkPeer *peer, guint64 request,
                                      LkReject error);

/* controller_token.c: tokens are signed. */
void lk_controller_token (LkController *self, const LkPeer *peer,
                          const LkMessage_token_sign *message);
/* `token`: NULL: none, and `error` says why. */
void lk_controller_token_answer (LkController *self, const LkPeer *peer, guint64 request,
                                 LkReject error, const char *token);

/* controller_reconfigure.c: the configuration is read anew. */
void lk_controller_take_reconfigure (LkController *self, const LkPeer *peer,
                                     const LkMessage_reconfigure *message);
void lk_controller_refuse_reconfigure (LkController *self, const LkPeer *peer,
                                       const LkMessage_reconfigure *message);
void lk_controller_apply_reconfigure (LkController *self, const LkInboxEntry *entry);
/* controller_reload.c: agents read it anew, too. */
void lk_reload_begin (LkController *self);
/* Tells those who have not heard, if it is time. */
void lk_reload_look (LkController *self);
/* An agent says which number it has heeded. */
void lk_reload_heard (LkController *self, LkControllerNode *node, guint64 number);
/* The nodes are those of the engine, found again by their names. */
void lk_controller_match_nodes (LkController *self);
void lk_controller_node_clear (LkControllerNode *node);
/* controller_nodes.c: the node is down, as it is new and its agent has not come. */
void lk_controller_post_awaited (LkController *self, guint32 index);

/* controller_query.c: how everything stands, page by page. */
void lk_controller_state_query (LkController *self, const LkPeer *peer, const LkMessage *message,
                                guint32 roles);
void lk_controller_refuse_state (LkController *self, const LkPeer *peer,
                                 const LkMessage_state_query *query, LkReject error);
/* controller_log.c: what the log reports; see there. */
/* Is a line of that level wanted?  Not while a journal is replayed. */
gboolean lk_controller_logs (const LkController *self, LkLogLevel level);
char *lk_log_job (const LkController *self, guint32 job_id);
void lk_log_decision (const LkController *self, const LkEvent *cause, const LkDecision *decision);
/* An event of the controller's own, before it is applied with this number. */
void lk_log_own_event (const LkController *self, const LkEvent *event, guint64 seq);
/* Nodes that go down as they do not answer. */
void lk_log_silent (const LkController *self, const guint32 *nodes, guint count);
/* The agent of a node reports a term that no controller has given out. */
void lk_log_false_term (const LkController *self, guint32 index, guint64 term);
/* The report of a node has come. `was_away`: it did not answer before. */
void lk_log_ready (const LkController *self, guint32 index, gboolean was_away);
/* A message that was not sent, as it is longer than any may be. */
void lk_log_overlong (const LkController *self, LkMessageKind kind, gsize length_bytes);
void lk_log_run_trouble (const LkController *self, const LkRun *run, guint32 index, guint8 trouble);
void lk_log_pass (const LkController *self, gint64 took_us);
void lk_log_snapshot (const LkController *self, gsize length_bytes);
void lk_log_recovered (const LkController *self);
guint lk_controller_log_level (const LkController *self);
/* Of a client; takes effect at once, and is not in the journal. */
void lk_controller_set_log_level (LkController *self, const LkPeer *peer,
                                  const LkMessage_log_level *message);
void lk_controller_answer_log_level (LkController *self, const LkPeer *peer, guint64 request,
                                     LkReject error);
/* controller_log_requests.c */
/* An event that a user has asked for, after it was applied. */
void lk_log_request (const LkController *self, const LkEvent *event, guint32 user_id,
                     const LkMessage_reply *reply);
void lk_log_message (const LkController *self, const LkPeer *peer, const LkMessage *message);
/* `message`: NULL: its bytes are no message. */
void lk_log_refused (const LkController *self, const LkPeer *peer, const LkMessage *message);
/* What changes, before it does. */
void lk_log_reconfigure (const LkController *self, const LkJournalHeader *wanted);
/* The files are read. */
void lk_log_reading (const LkController *self, const LkInboxEntry *entry);
/* Staff have changed a partition or nodes; `error`: why not. */
void lk_log_change (const LkController *self, guint32 user_id, const LkClusterChange *change,
                    LkReject error);

/* controller_done.c: jobs that have ended, as long as they are shown. */
void lk_done_init (LkController *self);
void lk_done_clear (LkController *self);
void lk_done_expire (LkController *self, gint64 now_us);
void lk_done_take_back (LkController *self, guint32 job_id);

/* controller_bounds.c: what users may keep in the controller, and how often they may ask. */
void lk_bounds_init (LkController *self);
void lk_bounds_clear (LkController *self);
/* 0: what is submitted may be kept. */
LkReject lk_bounds_check_script (const LkController *self, LkBytes payload);
LkReject lk_bounds_check_submit (LkController *self, const LkInboxEntry *entry, LkPayload *payload);
/* FALSE: its sender has asked too often. */
gboolean lk_bounds_take_token (LkController *self, const LkPeer *peer, const LkMessage *message,
                               guint32 roles);

/* The clock that measures work: the monotonic one may stand still within an iteration of the loop.
 * This one may jump either way. */
static inline gint64
lk_controller_work_clock_us (const LkController *self)
{
  return self->ports.clock.ops->realtime_us (self->ports.clock.self);
}

/* controller_turn.c: which questions wait, and whose turn it is. */
void lk_turn_init (LkController *self);
void lk_turn_clear (LkController *self);
/* Answers a STATE_QUERY that its sender may ask, now or in a later turn. */
void lk_turn_ask (LkController *self, const LkPeer *peer, const LkMessage *message, guint32 roles);
/* Nothing else is to be done in this turn: of those that wait some are answered. */
void lk_turn_end (LkController *self);
/* When the next of them may be answered; LK_TIME_NEVER: none waits. */
gint64 lk_turn_next_us (const LkController *self);

/* controller_sessions.c: which requests have come before. */
LkSession *lk_session_find (const LkController *self, guint32 user_id, guint64 session);
void lk_session_note (LkController *self, const LkSession *session);
void lk_sessions_init (LkController *self);
void lk_sessions_clear (LkController *self);

/* controller_decisions.c: what decisions mean for runs. */
void lk_controller_decide (void *user, const LkEvent *cause, const LkDecision *decision);
/* Does an update ask for scontrol top? */
gboolean lk_controller_is_top (const LkEvent *event);
/* Returns: how many events it has become. */
guint32 lk_controller_apply_top (LkController *self, guint32 job_id, LkMessage_reply *reply);
void lk_controller_node_events (LkController *self, const LkEvent *event);
void lk_payload_keep_ended (LkController *self, guint32 job_id, gint64 end_us);
/* Forgets those of jobs that cannot come back any more. */
void lk_payloads_expire (LkController *self, gint64 now_us);

/* controller_facts.c: what a run is told of its job. */
/* As the engine has it at this moment. The texts are owned by the run. */
void lk_run_set_facts (LkController *self, LkRun *run);
/* Likewise those that somebody else has, which are copied. */
void lk_run_take_facts (LkRun *run, const LkRunFacts *facts);

/* controller_runs.c: the table of runs. */
LkRun *lk_run_new (guint64 run_id, guint32 job_id, guint32 node_count);
void lk_run_free (LkRun *run);
/* Into the table, as the newest of its job. */
void lk_run_add (LkController *self, LkRun *run);
LkRun *lk_run_find (const LkController *self, guint64 run_id);
/* The newest run of a job; NULL: none is in the table. */
LkRun *lk_run_of_job (const LkController *self, guint32 job_id);
/* Out of the table, and freed: the engine has it no more, and it is gone. */
void lk_run_remove (LkController *self, LkRun *run);
/* NULL: the run has no part there. */
LkRunNode *lk_run_node (const LkRun *run, guint32 node);
gboolean lk_run_is_gone (const LkRun *run);
/* The engine has it no more. */
void lk_run_over (LkController *self, LkRun *run);
/* Without its script a run is nothing; how that has ended nobody knows, unless it is gone. */
void lk_run_lose_script (LkRun *run);
/* The engine has taken a node from a job that goes on. */
void lk_run_drop_node (LkController *self, LkRun *run, LkRunNode *on);
void lk_run_set_stage (LkController *self, LkRun *run, LkRunNode *on, LkOnNode stage);
void lk_run_order (LkController *self, LkRun *run, const LkRunOrder *order);
/* The run is over on a node, and so. */
void lk_run_ended_on (LkController *self, LkRun *run, LkRunNode *on, const LkRunReport *how);
/* Something has changed for it. */
void lk_run_stir (LkController *self, LkRun *run);

/* controller_het.c: components of heterogeneous jobs. */
/* FALSE: of a component that is not the first. */
gboolean lk_run_has_script (const LkRun *run);
/* Does the script run there? */
gboolean lk_run_is_script_on (const LkRun *run, const LkRunNode *on);
/* Is it to run there, as far as is known? */
gboolean lk_run_is_wanted (const LkRun *run, const LkRunNode *on);
/* A run has come into the table. */
void lk_het_started (LkController *self, LkRun *run);
/* The engine has it no more, since this event. */
void lk_het_ended (LkController *self, const LkRun *run, const LkEvent *cause);

/* controller_send.c: what is sent for runs. */
/* For those for which something has changed. */
void lk_runs_act (LkController *self);
/* For all that are restless, as something is durable now. */
void lk_runs_stir (LkController *self);
/* For all that are restless, and strays, as it is time to say it again. */
void lk_runs_retry (LkController *self);
void lk_controller_send_forget (LkController *self, guint32 node, guint64 run_id);

/* controller_nodes.c: agents. */
void lk_controller_agent_message (LkController *self, const LkPeer *peer, const LkMessage *message);
/* Nodes whose agents are silent for too long. */
void lk_nodes_look (LkController *self);
gint64 lk_nodes_look_us (const LkController *self);
guint32 lk_controller_node_index (const LkController *self, LkText name);

/* controller_hardware.c: the reason for which a node that reports this should be drained; NULL: it
 * has all that it should have. Returns: (transfer full). */
char *lk_controller_hardware_fault (const LkController *self, guint32 node,
                                    const LkMessage_report *report);

/* controller_journal.c: durability. */
/* Goes on with the journal on the disk, or begins one; opens when that is durable. */
void lk_controller_open (LkController *self);
/* Behind its events; what was submitted is kept only if there is a job of it. */
void lk_controller_note_request (LkController *self, const LkInboxEntry *entry,
                                 const LkMessage_reply *reply);
/* What a run has used on a node, if anything is known of it; comes with the next event. */
void lk_controller_note_usage (LkController *self, guint32 node, const LkRunReport *how);
/* Its agent has begun it: what it does not report any more is lost. Comes with the next event. */
void lk_controller_note_begun (LkController *self, const LkRun *run, LkRunNode *on);
void lk_controller_write_event (LkController *self, const LkEvent *event);
/* What follows in the journal is of a controller with this term: runs are numbered anew. */
void lk_controller_take_term (LkController *self, guint64 term);
/* Numbers of runs of a term, and of the orders for them, are above this: the upper half is the
 * term, the rest counts. */
static inline guint64
lk_controller_run_id_base (guint64 term)
{
  return (term - MIN (term, 1)) << 32;
}
/* If there are enough events since the last one. */
void lk_controller_write_snapshot (LkController *self);
/* Starts an append if there is something to append and none is under way. */
void lk_controller_commit (LkController *self);
/* The last event that everybody who has to has durably. */
guint64 lk_controller_settled_seq (const LkController *self);
/* More of the journal may be settled now. */
void lk_controller_release (LkController *self);

/* controller_snapshot.c: the state as bytes. */
#define LK_CONTROLLER_SNAPSHOTS 2u
extern const char *const lk_controller_snapshot_names[LK_CONTROLLER_SNAPSHOTS];
void lk_controller_save (const LkController *self, GByteArray *out);
/* Into a controller that has just been made. FALSE: the bytes are not a whole snapshot, or of
 * another configuration; then `self` is of no more use. */
gboolean lk_controller_load (LkController *self, const guint8 *bytes, gsize length_bytes);
/* Number of the last event in a snapshot, 0: the bytes are not a whole one. */
guint64 lk_controller_snapshot_seq (const guint8 *bytes, gsize length_bytes,
                                    guint64 *out_offset_bytes, LkJournalCheckpoint *out_checkpoint);

/* controller_recovery.c: the state from the disk, or from a stream of the journal. */
/* `self` is replaced by another one when a snapshot turns out to be of no use. */
LkControllerFailure lk_controller_recover (LkController **self);
/* Applies what the reader has, up to its end. TRUE: as far as there are whole records the engine
 * decides as they say. */
gboolean lk_controller_replay (LkController *self, LkJournalReader *reader,
                               LkJournalState *out_state, LkReplayFault *out_fault);
/* The journal's header is that of our configuration. */
gboolean lk_controller_header_fits (const LkController *self, const LkJournalHeader *header);
/* Behind a replay: only reports can tell what lives. */
void lk_controller_recovered (LkController *self);

/* controller_standby.c: the journal goes to a standby. */
void lk_controller_standby_message (LkController *self, const LkPeer *peer,
                                    const LkMessage *message);
void lk_controller_feed_standby (LkController *self);

LkRpcBook *lk_rpc_book_new (void);
void lk_rpc_book_free (LkRpcBook *self);
void lk_rpc_book_clear (LkRpcBook *self);
/* A message was taken, which took so long. */
void lk_rpc_book_note (LkRpcBook *self, const LkPeer *peer, const LkMessage *message,
                       gint64 took_us);

#endif
