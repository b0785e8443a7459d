/* live/client/step/launch.h — between salloc and srun: their options, and the allocation of a job
 * that has no script.
 *
 * Options come from the environment and from the command line, of which the last counts.  Those
 * that sbatch has too are kept as its words (sbatch.h), so that they mean the same; the others are
 * words of their own.  Each component of a heterogeneous job, "-n2 : -N4", has options of its own.
 *
 * An allocation is a job as any other whose first node runs nothing: it is there until its client
 * says that it is over, until it is cancelled, or until its time limit. */
#ifndef LK_LIVE_CLIENT_STEP_LAUNCH_H
#define LK_LIVE_CLIENT_STEP_LAUNCH_H

#include <signal.h>

#include "live/client/step/guardian.h"
#include "live/client/job_row.h"
#include "live/client/options.h"
#include "live/client/submit/option_variables.h"
#include "live/client/submit/sbatch.h"

#define LK_LAUNCH_FAILURE 1

typedef struct {
  const char *usage;
  const char *operands;      /* in --usage */
  const LkClientOption *own; /* options that sbatch has not, or that the table has otherwise */
  guint own_count;
  const char *const *without; /* options of sbatch that the command has not; ends with NULL */
  const LkOptionVariable *variables;
  guint variable_count;
  const char *job_name; /* of a job that is given none; NULL: that of its program */
} LkLaunchCommand;

typedef struct {
  const LkLaunchCommand *command;
  LkSbatch submission;
  GPtrArray *own;     /* words of options that sbatch has not: "--bell" */
  GPtrArray *line;    /* names of options of the command line */
  guint plugin_first; /* of the options: see LkOptionSet */
  char **arguments;   /* the program and what it is given; points into argv */
} LkLaunch;

void lk_launch_init (LkLaunch *self, const LkLaunchCommand *command, LkClient *client);
void lk_launch_clear (LkLaunch *self);
/* All options of a command, by name. Returns: (transfer full) of LkClientOption; what it points to
 * lives as long as the program. */
GArray *lk_launch_options (const LkLaunchCommand *command);
/* The table for docs/commands.md. */
void lk_launch_markdown (const LkLaunchCommand *command, GString *out);
/* Takes the environment and the command line. 0; -1: something is wrong, told; -2: --help or
 * --version, told. */
int lk_launch_parse (LkLaunch *self, int argc, char **argv);
/* The last value of an option; "" when it is given without one; NULL: it is not given. */
const char *lk_launch_value (const LkLaunch *self, const char *name);
/* Is it given on the command line or in the environment? */
gboolean lk_launch_has (const LkLaunch *self, const char *name);
/* Is it given on the command line? */
gboolean lk_launch_is_on_line (const LkLaunch *self, const char *name);
/* The words of options that sbatch has too. Returns: (transfer none), without an end. */
GPtrArray *lk_launch_words (const LkLaunch *self);
/* A line on standard error, as Slurm tells what is no error, "salloc: ..."; none with --quiet. */
void lk_launch_info (const LkLaunch *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* With -v: which options were given, by environment or command line. */
void lk_launch_options_tell (const LkLaunch *self);
/* With --uid or --gid: becomes the user that the job is of. FALSE: told. */
gboolean lk_launch_become (const LkLaunch *self, const LkJobRow *row);
/* SLURM_EXIT_ERROR, SLURM_EXIT_IMMEDIATE: the exit code for a failure; 1 where they say none. */
int lk_launch_exit_code (const LkClient *client, const char *variable);

/* ---------------------------------------------------------------- launch_allocate.c */

/* What salloc and srun hear of. They are blocked, and taken one by one. */
void lk_launch_signals (sigset_t *out_set);

typedef struct {
  guint32 job_id;
  LkJobRow *row;         /* how it stood when it had started */
  int signal;            /* that has come while it was waited for; 0: none */
  GPtrArray *components; /* rows of all components of a heterogeneous job; NULL: it is none */
  LkGuardian guardian;   /* cancels it when we are killed */
} LkAllocation;
void lk_allocation_clear (LkAllocation *self);

/* Submits, and waits for the start. `set` is blocked. TRUE: it runs. FALSE: told, and the exit
 * code is set; the job has been cancelled where there was one. Its guardian stays either way. */
gboolean lk_allocate (LkLaunch *self, const sigset_t *set, LkAllocation *out, int *out_code);
/* The job is over: its program has ended with this. What the controller refuses is told. */
void lk_allocation_end (const LkClient *client, guint32 job_id, guint8 exit_code);
/* How it stands. FALSE: it is over or gone; `out_limit`: because of its time limit. When the
 * controller cannot be asked it stands as before. */
gboolean lk_allocation_is_held (const LkClient *client, guint32 job_id, gboolean *out_limit);

/* ---------------------------------------------------------------- launch_environment.c */

/* What a program within the allocation is told of it, beside our own environment. Returns:
 * (transfer full), to be freed by g_strfreev. */
char **lk_launch_environment (const LkLaunch *self, const LkAllocation *allocation);
/* "4(x2),2": of each node the CPUs, or the tasks, of a job that runs. Appends. */
void lk_launch_cpus (const LkRecord_job *job, GString *out);
void lk_launch_tasks (const LkRecord_job *job, GString *out);

#endif
