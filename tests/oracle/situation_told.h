/* tests/oracle/situation_told.h — what else Slurm tells of a situation: when and where squeue
 * --start expects jobs, and how accounting (sacct) has them when all is over. */
#ifndef LK_TESTS_ORACLE_SITUATION_TOLD_H
#define LK_TESTS_ORACLE_SITUATION_TOLD_H

#include <glib.h>

/* As squeue --start has columns, for reports. */
#define LK_PLANNED_FORMAT "squeue --start -h -o '%i %P %j %u %t %S %D %Y %R'"
/* What time 0 of a play is there: any day in UTC. */
#define LK_PLANNED_UNIX_START_S G_GINT64_CONSTANT (1000000000)

/* A fact: both should be the same. */
typedef void (*LkFact) (gpointer user, const char *what, const char *recorded, const char *here);

/* What accounting has of a run of a job. */
typedef struct {
  guint exit_code;
  guint exit_signal;
  guint restarts;     /* runs before it that were put back into the queue */
  gint64 elapsed_us;  /* below 0: it has not ended */
  gboolean was_ended; /* from outside: how long it ran was not its own choice */
  const char *state;  /* how it ended; only where the job never ran */
} LkToldRun;

/* Fills `out_run` with the n-th run of a job, from 0, or its end without one. FALSE: there is
 * none. */
typedef gboolean (*LkToldFind) (gpointer user, const char *label, gint n, LkToldRun *out_run);
#define LK_TOLD_NEVER_RAN (-1)

/* The first start in text of sacct, in seconds since 1970 as if it were UTC; -1: there is none. */
gint64 lk_told_first_start_s (const char *sacct);

/* Texts of squeue --start, and when the first job of all started, in seconds as they have them. */
typedef struct {
  const char *label; /* of the look */
  const char *recorded;
  gint64 recorded_first_s;
  const char *here;
  gint64 here_first_s;
} LkToldPlanned;

/* Compares which jobs are expected, when (in seconds from the first start of all, of which a
 * recording's fractions are lost) and where. */
void lk_told_planned (const LkToldPlanned *told, LkFact fact, gpointer user);

/* Compares exit codes, restarts, how long those ran that did not end by themselves, and how those
 * ended that never ran. */
void lk_told_sacct (const char *text, LkToldFind find, LkFact fact, gpointer user);

#endif
