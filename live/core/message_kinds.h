/* live/core/message_kinds.h — the one table of the kinds of messages: who may send each, how long
 * it may be, and which event a request carries.
 *
 * A kind is X (NAME, number, lower_name, senders, size, event, what it is).  `senders` is a set of
 * LkRole, as LK_FROM_*; a peer that has none of these roles is refused before a field is looked
 * at.  `size` is the most bytes that one may have: a longer one is refused as soon as its first
 * bytes have come, before memory is taken for the others, and is not sent.  `event` is the kind of
 * event that a request carries, 0: it is none.  Numbers are for ever. */
#ifndef LK_LIVE_CORE_MESSAGE_KINDS_H
#define LK_LIVE_CORE_MESSAGE_KINDS_H

#include "live/core/message_limits.h"

/* What a peer is to the thing that a message is about: X (NAME, bit, what it is).  Each is attested
 * by the port and looked up in the state of the controller; none is taken from the message. */
#define LK_ROLES(X)                                                                                \
  X (ANONYMOUS, 0, "nobody has attested who it is")                                                \
  X (USER, 1, "a user, about what is not his")                                                     \
  X (OWNER, 2, "the user whose job it is, or who asks for himself")                                \
  X (COORDINATOR, 3, "a coordinator of the job's account")                                         \
  X (OPERATOR, 4, "AdminLevel Operator")                                                           \
  X (ADMINISTRATOR, 5, "AdminLevel Administrator, root, or who runs the controller")               \
  X (AGENT, 6, "the agent of the node that the message names")                                     \
  X (OTHER_AGENT, 7, "an agent, about another node")                                               \
  X (CONTROLLER, 8, "the controller")                                                              \
  X (STANDBY, 9, "a standby of this cluster")                                                      \
  X (JOB, 10,                                                                                      \
     "a process in a job that runs, by the key of that job: about the job or another component "   \
     "of it, or with a question, which is answered of the jobs of its user alone")                 \
  X (OTHER_JOB, 11, "a process in a job, about anything else, or after the end of the job")

#define LK_FROM_STAFF (LK_ROLE_OPERATOR | LK_ROLE_ADMINISTRATOR)
#define LK_FROM_OWNER (LK_ROLE_OWNER | LK_ROLE_COORDINATOR | LK_FROM_STAFF)
/* What lets somebody act as the owner of a job. */
#define LK_FROM_SELF (LK_ROLE_OWNER | LK_ROLE_ADMINISTRATOR)
#define LK_FROM_ANYONE (LK_ROLE_USER | LK_FROM_OWNER)
/* What the key of a job is good for are the kinds with LK_ROLE_JOB, and no others. */

/* Sizes. SHORT has room for three texts, MEDIUM for all texts of an event; a message with what has
 * no limit of its own is LONG.  KEPT is on a disk, where it may be long; what a peer sends of it is
 * refused, and costs no more than a SHORT one. */
#define LK_SIZE_SHORT (256u * 1024)
#define LK_SIZE_MEDIUM (1024u * 1024)
#define LK_SIZE_LONG LK_MESSAGE_MAX_BYTES
#define LK_SIZE_KEPT 0u

#define LK_MESSAGE_KINDS(X)                                                                        \
  /* From clients: requests. */                                                                    \
  X (SUBMIT, 1, submit, LK_ROLE_OWNER | LK_ROLE_ADMINISTRATOR, LK_SIZE_LONG, LK_EVENT_SUBMIT,      \
     "a job")                                                                                      \
  X (UPDATE, 2, update, LK_FROM_OWNER, LK_SIZE_MEDIUM, LK_EVENT_UPDATE,                            \
     "what a job asks for changes")                                                                \
  X (CANCEL, 3, cancel, LK_FROM_OWNER, LK_SIZE_MEDIUM, LK_EVENT_CANCEL,                            \
     "a job is cancelled, or all that match")                                                      \
  X (HOLD, 4, hold, LK_FROM_OWNER, LK_SIZE_SHORT, LK_EVENT_HOLD, "a job may not start")            \
  X (RELEASE, 5, release, LK_FROM_OWNER, LK_SIZE_SHORT, LK_EVENT_RELEASE,                          \
     "a held job may start again")                                                                 \
  X (REQUEUE, 6, requeue, LK_FROM_OWNER, LK_SIZE_SHORT, LK_EVENT_REQUEUE,                          \
     "a job goes back to the queue")                                                               \
  X (SIGNAL, 7, signal, LK_FROM_OWNER, LK_SIZE_SHORT, LK_EVENT_SIGNAL, "a signal for a job")       \
  X (SUSPEND, 8, suspend, LK_FROM_STAFF, LK_SIZE_SHORT, LK_EVENT_SUSPEND, "a job is stopped")      \
  X (RESUME, 9, resume, LK_FROM_STAFF, LK_SIZE_SHORT, LK_EVENT_RESUME, "a suspended job goes on")  \
  X (NODE_UP, 10, node_up, LK_FROM_STAFF, LK_SIZE_SHORT, LK_EVENT_NODE_UP,                         \
     "a node is put into service")                                                                 \
  X (NODE_DOWN, 11, node_down, LK_FROM_STAFF, LK_SIZE_SHORT, LK_EVENT_NODE_DOWN,                   \
     "a node is taken out of service; the sender states that nothing runs there any more")         \
  X (NODE_DRAIN, 12, node_drain, LK_FROM_STAFF, LK_SIZE_SHORT, LK_EVENT_NODE_DRAIN,                \
     "a node takes no new job")                                                                    \
  X (NODE_RESUME, 13, node_resume, LK_FROM_STAFF, LK_SIZE_SHORT, LK_EVENT_NODE_RESUME,             \
     "a drained node takes jobs again")                                                            \
  X (RESERVATION_CREATE, 14, reservation_create, LK_FROM_STAFF, LK_SIZE_MEDIUM,                    \
     LK_EVENT_RESERVATION_CREATE, "capacity is set aside")                                         \
  X (RESERVATION_UPDATE, 15, reservation_update, LK_FROM_STAFF, LK_SIZE_MEDIUM,                    \
     LK_EVENT_RESERVATION_UPDATE, "a reservation changes")                                         \
  X (RESERVATION_DELETE, 16, reservation_delete, LK_FROM_STAFF, LK_SIZE_SHORT,                     \
     LK_EVENT_RESERVATION_DELETE, "a reservation is given up")                                     \
  X (PARTITION, 17, partition, LK_FROM_STAFF, LK_SIZE_SHORT, LK_EVENT_PARTITION,                   \
     "a partition opens or closes")                                                                \
  X (ASSOCIATION, 18, association, LK_FROM_STAFF, LK_SIZE_MEDIUM, LK_EVENT_ASSOCIATION,            \
     "an association is created or changed")                                                       \
  X (QOS, 19, qos, LK_ROLE_ADMINISTRATOR, LK_SIZE_MEDIUM, LK_EVENT_QOS,                            \
     "a QOS is created or changed")                                                                \
  X (LOG_LEVEL, 75, log_level, LK_ROLE_ADMINISTRATOR, LK_SIZE_SHORT, 0,                            \
     "how much the controller logs")                                                               \
  X (JOB_QUERY, 30, job_query, LK_FROM_ANYONE | LK_ROLE_JOB, LK_SIZE_SHORT, 0,                     \
     "how does a job stand?")                                                                      \
  X (STATE_QUERY, 33, state_query, LK_FROM_ANYONE | LK_ROLE_JOB, LK_SIZE_LONG, 0,                  \
     "how does everything stand?")                                                                 \
  X (RECONFIGURE, 35, reconfigure, LK_FROM_STAFF, LK_SIZE_LONG, 0,                                 \
     "read the configuration again, or change what it says of a partition or of nodes")            \
  X (STEP_CREATE, 20, step_create, LK_FROM_SELF | LK_ROLE_JOB, LK_SIZE_LONG, 0,                    \
     "a step of a job that runs")                                                                  \
  X (STEP_SIGNAL, 21, step_signal, LK_FROM_OWNER | LK_ROLE_JOB, LK_SIZE_SHORT, 0,                  \
     "a signal for a step, or its end")                                                            \
  X (STEP_ATTACH, 22, step_attach, LK_FROM_SELF | LK_ROLE_JOB, LK_SIZE_SHORT, 0,                   \
     "somebody else listens to a step")                                                            \
  X (STEP_UPDATE, 27, step_update, LK_FROM_OWNER | LK_ROLE_JOB, LK_SIZE_SHORT, 0,                  \
     "another time limit for a step")                                                              \
  X (JOB_NOTIFY, 28, job_notify, LK_ROLE_OWNER | LK_FROM_STAFF, LK_SIZE_SHORT, 0,                  \
     "words for who watches a job")                                                                \
  X (STATISTICS_RESET, 24, statistics_reset, LK_FROM_STAFF, LK_SIZE_SHORT, 0,                      \
     "reset the counts of what has been done")                                                     \
  X (TOKEN_SIGN, 26, token_sign, LK_FROM_ANYONE, LK_SIZE_SHORT, 0, "a JSON Web Token")             \
  X (ADMIN_COMMENT, 25, admin_comment, LK_FROM_STAFF, LK_SIZE_MEDIUM, 0,                           \
     "what staff say of a job, which may be over")                                                 \
  X (JOB_COMPLETE, 23, job_complete, LK_FROM_OWNER, LK_SIZE_SHORT, 0,                              \
     "the user of an allocation needs it no more")                                                 \
  /* To clients. */                                                                                \
  X (REPLY, 31, reply, LK_ROLE_CONTROLLER, LK_SIZE_SHORT, 0,                                       \
     "what became of a request; it is durable")                                                    \
  X (JOB_INFO, 32, job_info, LK_ROLE_CONTROLLER, LK_SIZE_SHORT, 0, "how a job stands")             \
  X (STATE_PAGE, 34, state_page, LK_ROLE_CONTROLLER, LK_SIZE_LONG, 0,                              \
     "a page of how everything stands")                                                            \
  X (RECONFIGURED, 36, reconfigured, LK_ROLE_CONTROLLER, LK_SIZE_LONG, 0,                          \
     "what became of that; it is durable")                                                         \
  X (STEP_CREATED, 37, step_created, LK_ROLE_CONTROLLER, LK_SIZE_LONG, 0,                          \
     "a step, and where it is; durable")                                                           \
  X (STEP_REPLY, 38, step_reply, LK_ROLE_CONTROLLER, LK_SIZE_SHORT, 0,                             \
     "what became of another request for steps, or of a comment")                                  \
  X (STATISTICS_WERE_RESET, 39, statistics_were_reset, LK_ROLE_CONTROLLER, LK_SIZE_SHORT, 0,       \
     "what became of that")                                                                        \
  X (LOG_LEVEL_SET, 76, log_level_set, LK_ROLE_CONTROLLER, LK_SIZE_SHORT, 0,                       \
     "what became of that")                                                                        \
  X (TOKEN_SIGNED, 29, token_signed, LK_ROLE_CONTROLLER, LK_SIZE_SHORT, 0, "a JSON Web Token")     \
  /* From agents. */                                                                               \
  X (REGISTER, 40, register_node, LK_ROLE_AGENT, LK_SIZE_SHORT, 0,                                 \
     "an agent is there, and knows no epoch")                                                      \
  X (HEARTBEAT, 41, heartbeat, LK_ROLE_AGENT, LK_SIZE_SHORT, 0, "an agent is still there")         \
  X (RUN_STARTED, 42, run_started, LK_ROLE_AGENT, LK_SIZE_SHORT, 0, "a launch was carried out")    \
  X (RUN_ENDED, 43, run_ended, LK_ROLE_AGENT, LK_SIZE_SHORT, 0,                                    \
     "a run is over on this node, its epilog too; sent until acknowledged")                        \
  X (SCRIPT_ENDED, 44, script_ended, LK_ROLE_AGENT, LK_SIZE_SHORT, 0,                              \
     "the batch script of a run is over: the other nodes may stop")                                \
  X (REPORT, 46, report, LK_ROLE_AGENT, LK_SIZE_LONG, 0,                                           \
     "what there is on a node, as the first word of an epoch")                                     \
  X (REPORTED, 56, reported, LK_ROLE_CONTROLLER, LK_SIZE_SHORT, 0,                                 \
     "the report has come: launches may follow")                                                   \
  X (RUN_HEARD, 45, run_heard, LK_ROLE_AGENT, LK_SIZE_SHORT, 0,                                    \
     "a signal, a stop or a continue has come")                                                    \
  X (STEP_STARTED, 47, step_started, LK_ROLE_AGENT, LK_SIZE_SHORT, 0,                              \
     "a launch of a step was carried out")                                                         \
  X (STEP_ENDED, 48, step_ended, LK_ROLE_AGENT, LK_SIZE_SHORT, 0,                                  \
     "nothing of a step is left on this node; sent until acknowledged")                            \
  X (STEP_HEARD, 49, step_heard, LK_ROLE_AGENT, LK_SIZE_SHORT, 0, "a signal for a step has come")  \
  X (STEP_USAGE, 58, step_usage, LK_ROLE_AGENT, LK_SIZE_SHORT, 0,                                  \
     "what a step that runs has used so far")                                                      \
  /* To agents. */                                                                                 \
  X (REGISTERED, 50, registered, LK_ROLE_CONTROLLER, LK_SIZE_SHORT, 0,                             \
     "the controller knows the agent")                                                             \
  X (LAUNCH, 51, launch, LK_ROLE_CONTROLLER, LK_SIZE_LONG, 0, "begin a run")                       \
  X (TERMINATE, 52, terminate, LK_ROLE_CONTROLLER, LK_SIZE_SHORT, 0, "end a run")                  \
  X (RUN_SIGNAL, 53, run_signal, LK_ROLE_CONTROLLER, LK_SIZE_SHORT, 0, "a signal for a run")       \
  X (RUN_SUSPEND, 54, run_suspend, LK_ROLE_CONTROLLER, LK_SIZE_SHORT, 0,                           \
     "stop or continue a run's processes")                                                         \
  X (RUN_FORGET, 55, run_forget, LK_ROLE_CONTROLLER, LK_SIZE_SHORT, 0,                             \
     "the end of a run is durable")                                                                \
  X (RELOAD, 57, reload, LK_ROLE_CONTROLLER, LK_SIZE_SHORT, 0, "read the configuration again")     \
  X (RUN_NOTIFY, 59, run_notify, LK_ROLE_CONTROLLER, LK_SIZE_SHORT, 0,                             \
     "words for who watches a run")                                                                \
  X (STEP_LAUNCH, 65, step_launch, LK_ROLE_CONTROLLER, LK_SIZE_LONG, 0, "begin a step")            \
  X (STEP_KILL, 66, step_kill, LK_ROLE_CONTROLLER, LK_SIZE_SHORT, 0,                               \
     "a signal for a step, or its end")                                                            \
  X (STEP_LISTEN, 67, step_listen, LK_ROLE_CONTROLLER, LK_SIZE_SHORT, 0,                           \
     "somebody else listens to a step")                                                            \
  X (STEP_FORGET, 68, step_forget, LK_ROLE_CONTROLLER, LK_SIZE_SHORT, 0,                           \
     "the end of a step is durable")                                                               \
  /* Between a controller and its standby. */                                                      \
  X (FOLLOW, 60, follow, LK_ROLE_STANDBY, LK_SIZE_SHORT, 0, "send the journal from here")          \
  X (JOURNAL, 61, journal, LK_ROLE_CONTROLLER, LK_SIZE_LONG, 0,                                    \
     "bytes of the journal that are durable")                                                      \
  X (FOLLOWED, 62, followed, LK_ROLE_STANDBY, LK_SIZE_SHORT, 0,                                    \
     "so far the journal is there, and agrees")                                                    \
  X (DIVERGED, 63, diverged, LK_ROLE_STANDBY, LK_SIZE_SHORT, 0,                                    \
     "the standby has decided otherwise")                                                          \
  /* Between ports, before they hand anything to a core: nobody may send them to one. */           \
  X (HELLO, 70, hello, 0, LK_SIZE_SHORT, 0, "who a peer wants to be: its first word")              \
  X (CHALLENGE, 71, challenge, 0, LK_SIZE_SHORT, 0, "prove it")                                    \
  X (PROOF, 72, proof, 0, LK_SIZE_SHORT, 0, "that a peer is who it says")                          \
  X (WELCOME, 73, welcome, 0, LK_SIZE_SHORT, 0, "it is; and that the other end is the controller") \
  X (FAREWELL, 74, farewell, 0, LK_SIZE_SHORT, 0, "why the connection ends")                       \
  /* Kept on the controller's disk: nobody may send them. */                                       \
  X (KEPT_START, 80, kept_start, 0, LK_SIZE_KEPT, 0,                                               \
     "a start of the controller: in the file of this name; a note of the journal: a new term")     \
  X (KEPT_REQUEST, 81, kept_request, 0, LK_SIZE_KEPT, 0,                                           \
     "a note of the journal: who asked for an event")                                              \
  X (KEPT_STATE, 82, kept_state, 0, LK_SIZE_KEPT, 0, "the first record of a snapshot")             \
  X (KEPT_NODE, 83, kept_node, 0, LK_SIZE_KEPT, 0, "of a snapshot: a node")                        \
  X (KEPT_PAYLOAD, 84, kept_payload, 0, LK_SIZE_KEPT, 0,                                           \
     "of a snapshot: what is needed to run a job")                                                 \
  X (KEPT_RUN, 85, kept_run, 0, LK_SIZE_KEPT, 0, "of a snapshot: a run")                           \
  X (KEPT_RUN_NODE, 86, kept_run_node, 0, LK_SIZE_KEPT, 0,                                         \
     "of a snapshot: one node of the run before it")                                               \
  X (KEPT_ORDER, 87, kept_order, 0, LK_SIZE_KEPT, 0,                                               \
     "of a snapshot: a signal for the run before it")                                              \
  X (KEPT_SESSION, 88, kept_session, 0, LK_SIZE_KEPT, 0,                                           \
     "of a snapshot: the last request of a session")                                               \
  X (KEPT_STANDBY, 89, kept_standby, 0, LK_SIZE_KEPT, 0,                                           \
     "what a standby knows: in the file of this name")                                             \
  X (KEPT_USAGE, 90, kept_usage, 0, LK_SIZE_KEPT, 0,                                               \
     "a note of the journal: what a run has used on a node; of several the last one counts")       \
  X (KEPT_BEGUN, 91, kept_begun, 0, LK_SIZE_KEPT, 0,                                               \
     "a note of the journal: the agent of a node has begun its part of a run")                     \
  X (KEPT_GPU_USAGE, 92, kept_gpu_usage, 0, LK_SIZE_KEPT, 0,                                       \
     "a note of the journal: what a run has used of GPUs on a node; after its kept_usage")         \
  X (KEPT_STEP, 93, kept_step, 0, LK_SIZE_KEPT, 0,                                                 \
     "a note of the journal: a step was created; of a snapshot: a step of the run before it")      \
  X (KEPT_STEP_ENDED, 94, kept_step_ended, 0, LK_SIZE_KEPT, 0,                                     \
     "a note of the journal: how a step has ended")                                                \
  X (KEPT_COMPLETE, 95, kept_complete, 0, LK_SIZE_KEPT, 0,                                         \
     "a note of the journal: an allocation is needed no more")                                     \
  X (KEPT_ADMIN_COMMENT, 96, kept_admin_comment, 0, LK_SIZE_KEPT, 0,                               \
     "a note of the journal: what staff say of a job; accounting has it")                          \
  X (KEPT_STEP_ORDER, 97, kept_step_order, 0, LK_SIZE_KEPT, 0,                                     \
     "a note of the journal: a signal for a step; of a snapshot: for the step before it")          \
  X (KEPT_STEP_HEARD, 98, kept_step_heard, 0, LK_SIZE_KEPT, 0,                                     \
     "a note of the journal: all nodes of a step have had its signals")                            \
  X (KEPT_STEP_LIMIT, 99, kept_step_limit, 0, LK_SIZE_KEPT, 0,                                     \
     "a note of the journal: another time limit for a step")

#endif
