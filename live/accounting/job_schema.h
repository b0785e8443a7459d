/* live/accounting/job_schema.h — the one table of what is kept of each run of a job.
 *
 * From this X-macro are made the columns of the table `jobs`, the struct that one row is, and what
 * writes and reads it.  A field is F (group, type, name, what it is); types are integer (gint64)
 * and text (borrowed, never NULL).  Moments and durations are microseconds, moments since 1970.
 *
 * A group is what one event tells at once: it is written by one statement. */
#ifndef LK_LIVE_ACCOUNTING_JOB_SCHEMA_H
#define LK_LIVE_ACCOUNTING_JOB_SCHEMA_H

#include <glib.h>

/* X (NAME, what it is). */
#define LK_ACCOUNTING_GROUPS(X)                                                                    \
  X (KEY, "which job, which life of it")                                                           \
  X (BATCH, "as it was submitted, beside what the engine knows")                                   \
  X (FIRST, "how it stood when it came")                                                           \
  X (ASKED, "what it is; may change as long as it waits")                                          \
  X (ELIGIBLE, "since when it could have started; 0 takes it back")                                \
  X (WANTED, "how much it asked for")                                                              \
  X (STATE, "how it stands")                                                                       \
  X (REASON, "what it last waited for, beside others and room")                                    \
  X (STARTED, "where it runs")                                                                     \
  X (ENDER, "who has ended it")                                                                    \
  X (ENDED, "how it has ended")                                                                    \
  X (COMMENTED, "what staff say of it")                                                            \
  X (MAIL, "what its user was told of it; not from the journal")

#define LK_ACCOUNTING_JOB_FIELDS(F)                                                                \
  F (KEY, integer, job_id, "its id")                                                               \
  F (KEY, integer, life, "from 0: each requeue begins another; -1 - TASK: of a task")              \
  F (BATCH, text, work_dir, "working directory")                                                   \
  F (BATCH, text, submit_line, "the command line of the submission")                               \
  F (BATCH, text, submit_host, "where it was submitted")                                           \
  F (BATCH, text, wckey, "workload characterization key")                                          \
  F (BATCH, text, std_in, "file of standard input, a pattern; empty: /dev/null")                   \
  F (BATCH, text, std_out, "file of standard output, a pattern; empty: the default")               \
  F (BATCH, text, std_err, "file of standard error, a pattern; empty: that of output")             \
  F (BATCH, integer, kind, "number of LkBatchKind: 0 has a script, 1 waits for steps")             \
  F (FIRST, integer, priority, "its priority; -1: it came held, and has none")                     \
  F (ELIGIBLE, integer, eligible_us, "nothing of its own keeps it since then; 0: something does")  \
  F (BATCH, integer, mail_types, "set of LkBatchMail: of what mail is wanted")                     \
  F (BATCH, text, mail_user, "to whom; empty: its user")                                           \
  F (ASKED, integer, family_id, "id of its array, or of its first component; else its own")        \
  F (ASKED, integer, array_job_id, "id of its array; 0: of none")                                  \
  F (ASKED, integer, array_task, "which task of it; -1: of no array, or those of array_tasks")     \
  F (ASKED, text, array_tasks, "tasks that wait, with %limit")                                     \
  F (ASKED, integer, het_leader, "id of the first component of a heterogeneous job; 0: of none")   \
  F (ASKED, integer, het_offset, "which component it is")                                          \
  F (ASKED, integer, user_id, "user")                                                              \
  F (ASKED, integer, group_id, "group")                                                            \
  F (ASKED, text, user_name, "as the accounts have it; empty: they do not")                        \
  F (ASKED, text, account, "its account")                                                          \
  F (ASKED, text, qos, "its QOS")                                                                  \
  F (ASKED, text, asked_qos, "the QOS that it named; empty: none")                                 \
  F (ASKED, integer, qos_id, "number of its QOS, from 1; 0: it has none")                          \
  F (ASKED, text, partition, "those that it may have; of one that has started its own")            \
  F (ASKED, text, name, "name of the job")                                                         \
  F (ASKED, text, comment, "for people")                                                           \
  F (ASKED, text, reservation, "those that it asked for")                                          \
  F (ASKED, text, constraints, "features that its nodes must have")                                \
  F (ASKED, text, licenses, "licences")                                                            \
  F (ASKED, integer, submit_us, "when it was submitted, or requeued")                              \
  F (ASKED, integer, limit_us, "time limit; the largest i64: none")                                \
  F (ASKED, integer, restarts, "earlier runs that ended with a requeue")                           \
  F (WANTED, integer, asked_nodes, "nodes")                                                        \
  F (WANTED, integer, asked_cpus, "CPUs")                                                          \
  F (WANTED, text, asked_tres, "NAME=COUNT, with commas between; memory in MiB, as mem=500M")      \
  F (STATE, integer, state, "number of LkJobState")                                                \
  F (STATE, integer, suspended_us, "how long its run was suspended, up to its last resume or end") \
  F (STATE, integer, suspend_us, "suspended: since when; else 0")                                  \
  F (REASON, integer, reason, "number of LkReason")                                                \
  F (STARTED, integer, run_id, "its run; 0: none")                                                 \
  F (STARTED, integer, start_us, "when it started; 0: it has not")                                 \
  F (STARTED, integer, is_backfilled, "1: before one that deserved to run before")                 \
  F (STARTED, integer, nodes, "so many nodes")                                                     \
  F (STARTED, integer, cpus, "so many CPUs")                                                       \
  F (STARTED, integer, batch_cpus, "of these on the first node, where its script runs")            \
  F (STARTED, text, node_list, "hostlist of its nodes")                                            \
  F (STARTED, text, cores, "cores there, as in a start decision")                                  \
  F (STARTED, text, devices, "devices there, as in a start decision")                              \
  F (STARTED, text, allocated_tres, "as asked_tres")                                               \
  F (ENDER, integer, is_user_ended, "1: a user has asked for its end")                             \
  F (ENDER, integer, ender_id, "who")                                                              \
  F (ENDED, integer, end_us, "when it ended; 0: it has not")                                       \
  F (ENDED, integer, exit_code, "of its script")                                                   \
  F (ENDED, integer, signal, "that ended its script; 0: none")                                     \
  F (COMMENTED, text, admin_comment, "what staff say of it")                                       \
  F (MAIL, integer, mail_told, "set of LkBatchMail: what has been sent; 1073741824: nothing more")

#define LK_ACCOUNTING_TYPE_integer gint64
#define LK_ACCOUNTING_TYPE_text const char *
#define LK_ACCOUNTING_MEMBER(group, type, name, help) LK_ACCOUNTING_TYPE_##type name;

typedef struct {
  LK_ACCOUNTING_JOB_FIELDS (LK_ACCOUNTING_MEMBER)
} LkAccountingJob;

#define X(NAME, help) LK_ACCOUNTING_##NAME,
typedef enum { LK_ACCOUNTING_GROUPS (X) LK_ACCOUNTING_GROUP_COUNT } LkAccountingGroup;
#undef X

typedef enum { LK_ACCOUNTING_integer, LK_ACCOUNTING_text } LkAccountingType;

typedef struct {
  LkAccountingGroup group;
  LkAccountingType type;
  const char *name;
  gsize offset_bytes; /* in LkAccountingJob */
  const char *help;
} LkAccountingField;

extern const LkAccountingField lk_accounting_job_fields[];
extern const guint lk_accounting_job_field_count;

#endif
