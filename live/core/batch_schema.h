/* live/core/batch_schema.h — the one table of what a client sends with a batch job, beside what the
 * engine reads.
 *
 * It is the payload of a SUBMIT and of a LAUNCH: u8 version, then the fields.  Controller and
 * engine do not look into it; who runs the job does, and who shows it.  Name, comment, time limit,
 * and all that decides where and when a job runs stand in the event of the SUBMIT.  Who the user is
 * the port has attested: nothing in here is believed about that.
 *
 * Field types are those of messages, and path (bytes without a NUL, at most 4095) and strings
 * (bytes: a list, each ended by a NUL).  Fields may be added at the end, with a new version. */
#ifndef LK_LIVE_CORE_BATCH_SCHEMA_H
#define LK_LIVE_CORE_BATCH_SCHEMA_H

/* Of one that has a kind; one of SCRIPT has version 1, and not this field. */
#define LK_BATCH_VERSION 2u

#define LK_BATCH_SCRIPT_FIELDS(F)                                                                  \
  F (bytes, script, "the batch script")                                                            \
  F (path, command, "the script's file as it was named; empty: --wrap or standard input")          \
  F (strings, arguments, "of the script")                                                          \
  F (path, work_dir, "working directory: an absolute path")                                        \
  F (path, std_in, "file of standard input, a pattern; empty: /dev/null")                          \
  F (path, std_out, "file of standard output, a pattern; empty: the default")                      \
  F (path, std_err, "file of standard error, a pattern; empty: where standard output goes")        \
  F (u8, open_mode, "number of LkBatchOpen: how these two are opened")                             \
  F (u8, export_mode, "number of LkBatchExport")                                                   \
  F (strings, environment, "NAME=VALUE, already as --export and the options say")                  \
  F (u16, umask, "file mode creation mask")                                                        \
  F (u32, limits, "set of 1 << LkBatchLimit: which of the limits were given")                      \
  LK_BATCH_LIMITS (LK_BATCH_LIMIT_FIELD, F)                                                        \
  F (u32, mail_types, "set of LkBatchMail: of what mail is sent")                                  \
  F (text, mail_user, "to whom; empty: the user")                                                  \
  F (text, user_name, "what the user is called where he submitted: for display only")              \
  F (text, submit_host, "where he submitted")                                                      \
  F (path, submit_dir, "from which directory")                                                     \
  F (bytes, submit_line, "the command line")                                                       \
  F (text, wckey, "workload characterization key")
#define LK_BATCH_FIELDS(F)                                                                         \
  LK_BATCH_SCRIPT_FIELDS (F)                                                                       \
  F (u8, kind, "number of LkBatchKind: what runs on the first node; in version 2 only")

/* What runs there: X (NAME, number, what it is). */
#define LK_BATCH_KINDS(X)                                                                          \
  X (SCRIPT, 0, "the batch script")                                                                \
  X (ALLOCATION, 1, "nothing, as on the other nodes: what waits for steps, until JOB_COMPLETE")

/* Soft limits that the processes begin with: X (NAME, lower_name, number of RLIMIT_), as Slurm
 * propagates them. All ones: no limit. */
#define LK_BATCH_LIMITS(X, F)                                                                      \
  X (CPU, cpu, F)                                                                                  \
  X (FSIZE, fsize, F)                                                                              \
  X (DATA, data, F)                                                                                \
  X (STACK, stack, F)                                                                              \
  X (CORE, core, F)                                                                                \
  X (RSS, rss, F)                                                                                  \
  X (NPROC, nproc, F)                                                                              \
  X (NOFILE, nofile, F)                                                                            \
  X (MEMLOCK, memlock, F)                                                                          \
  X (AS, as, F)
#define LK_BATCH_LIMIT_FIELD(NAME, lower, F) F (u64, limit_##lower, "soft limit RLIMIT_" #NAME)

/* --open-mode: X (NAME, number, what it is). */
#define LK_BATCH_OPENS(X)                                                                          \
  X (DEFAULT, 0, "as JobFileAppend says")                                                          \
  X (APPEND, 1, "append")                                                                          \
  X (TRUNCATE, 2, "truncate")

/* --export, as far as the node must know it: X (NAME, number, what it is). */
#define LK_BATCH_EXPORTS(X)                                                                        \
  X (ALL, 0, "the environment is that of the submission, or named parts of it")                    \
  X (NONE, 1, "nothing was sent: what a login gives is put in on the node")                        \
  X (NIL, 2, "nothing was sent, and nothing is put in but SLURM_*")                                \
  X (LOGIN, 3, "as ALL, and what a login gives is put in on the node where it is missing")

/* --mail-type: X (NAME, bit, text). */
#define LK_BATCH_MAILS(X)                                                                          \
  X (BEGIN, 0, "BEGIN")                                                                            \
  X (END, 1, "END")                                                                                \
  X (FAIL, 2, "FAIL")                                                                              \
  X (REQUEUE, 3, "REQUEUE")                                                                        \
  X (INVALID_DEPEND, 4, "INVALID_DEPEND")                                                          \
  X (STAGE_OUT, 5, "STAGE_OUT")                                                                    \
  X (TIME_LIMIT, 6, "TIME_LIMIT")                                                                  \
  X (TIME_LIMIT_90, 7, "TIME_LIMIT_90")                                                            \
  X (TIME_LIMIT_80, 8, "TIME_LIMIT_80")                                                            \
  X (TIME_LIMIT_50, 9, "TIME_LIMIT_50")                                                            \
  X (ARRAY_TASKS, 10, "ARRAY_TASKS")

#endif
