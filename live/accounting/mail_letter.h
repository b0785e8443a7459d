/* live/accounting/mail_letter.h — of what a job's user is told by mail, when, and in which words.
 *
 * Pure: from a row of the store and the time.  Words and variables are those of slurmctld; of an
 * array there is one letter of its beginning and one of its end, unless each task is asked for
 * (ARRAY_TASKS).  A failure is told as such where FAIL is asked for, else as an end.
 *
 * Source: sbatch(1) --mail-type, slurm.conf(5) MailProg. */
#ifndef LK_LIVE_ACCOUNTING_MAIL_LETTER_H
#define LK_LIVE_ACCOUNTING_MAIL_LETTER_H

#include <glib.h>

/* A run of a job, or an array as a whole. */
typedef struct {
  guint32 job_id;
  guint32 array_job_id; /* 0: of none */
  gint64 array_task;
  gboolean is_array; /* the whole of it: exit codes and signals are of all tasks */
  gboolean is_mixed; /* of which the ends differ */
  guint32 types;     /* set of LkBatchMail that are wanted */
  guint32 told;      /* likewise: that have been sent, or need not be */
  guint32 user_id;
  const char *name;
  const char *partition;
  const char *account;
  const char *work_dir;
  guint state;  /* LkJobState */
  guint reason; /* LkReason */
  gint64 submit_us;
  gint64 start_us; /* 0: it has not; likewise of the end */
  gint64 end_us;
  gint64 suspended_us;
  gint64 limit_us; /* the largest i64: none */
  gint64 exit_code_min;
  gint64 exit_code_max;
  gint64 signal_max;
  gboolean is_requeued; /* another run has been begun since */
} LkMailFacts;

/* What is to be told now, of what has happened since then: a set. */
guint32 lk_mail_due (const LkMailFacts *facts, gint64 now_us, gint64 since_us);
/* Nothing more will be. */
gboolean lk_mail_is_over (const LkMailFacts *facts, guint32 due);

/* Of one type. Returns: (transfer full). */
char *lk_mail_subject (const LkMailFacts *facts, guint32 type, gint64 now_us);
/* NAME=VALUE, NULL behind the last. Returns: (transfer full). */
char **lk_mail_environment (const LkMailFacts *facts, guint32 type, const char *cluster,
                            const char *user, gint64 now_us);
/* Whom a mail program takes for a person, or several with commas between: no file, no program, no
 * option. */
gboolean lk_mail_is_address (const char *text);

#endif
