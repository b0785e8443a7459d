/* live/client/step/srun.h — between the parts of srun, for its folder only.
 *
 * srun is a step of a job.  Within a job, or with --jobid, it is one of that; outside it has a job
 * allocated first, which ends with the step. */
#ifndef LK_LIVE_CLIENT_STEP_SRUN_H
#define LK_LIVE_CLIENT_STEP_SRUN_H

#include "live/client/step/launch.h"
#include "live/client/step/task_places.h"
#include "live/core/step_task.h"
#include "live/port/step_stream.h"

/* Where a file of tasks is: X (NAME, what it is). */
typedef enum {
  LK_SRUN_FILE_ALL,  /* srun's own, for all tasks */
  LK_SRUN_FILE_NONE, /* nowhere */
  LK_SRUN_FILE_TASK, /* srun's own, of one task */
  LK_SRUN_FILE_PATH, /* one file, which srun has open */
  LK_SRUN_FILE_NODE, /* files on the nodes */
} LkSrunFileKind;

typedef struct {
  LkSrunFileKind kind;
  guint32 task;
  const char *path; /* a pattern; borrowed */
} LkSrunFile;

/* What --output and the like say; `text` NULL: nothing. */
LkSrunFile lk_srun_file_of (const char *text);

typedef struct {
  LkLaunch launch;
  LkAllocation job;
  gboolean owns_job;    /* it ends with the step */
  LkJobOptions options; /* of the step, where the job was there before */
  LkSrunFile in;
  LkSrunFile out;
  LkSrunFile err;
  gboolean has_err;      /* else standard error goes where standard output goes */
  gboolean has_terminal; /* --pty */
  int terminal_fd;       /* of --pty=FD; -1: standard input and output */
  gint64 wait_us;        /* --wait */
  gboolean kills_on_bad_exit;
  guint8 mpi;       /* number of LkStepMpi */
  char *multi_prog; /* the file of --multi-prog; NULL: none */
  gsize multi_prog_bytes;
  char *hosts; /* of SLURM_HOSTFILE, one for each task; NULL: it is not given */
  LkKey key;
  guint32 step_id;
  guint32 task_count;
  LkTaskPlaces layout;
} LkSrun;

extern const LkLaunchCommand lk_srun_command;

/* ---- srun_het.c */

/* Is the line one of several components of a heterogeneous job? TRUE: they have run, or it is told
 * why not. */
gboolean lk_srun_het (LkClient *client, char **argv, int *out_code);

/* ---- srun_read.c */

/* Takes the options that are srun's own. 0, or the exit code: told. */
int lk_srun_read (LkSrun *self);
/* --mpi=list */
void lk_srun_mpi_list (FILE *out);

/* ---- srun_hosts.c */

/* Without --nodelist the file that SLURM_HOSTFILE names says where each task runs: options of
 * nodes and tasks are added that follow from it. 0, or the exit code: told. */
int lk_srun_hosts_read (LkSrun *self);

/* ---- srun_script.c */

/* Runs the program that an option names, on this machine: --prolog, --epilog. How it ends changes
 * nothing. `context`: its SLURM_SCRIPT_CONTEXT. */
void lk_srun_script_run (const LkSrun *self, const char *option, const char *context);

/* ---- srun_step.c */

/* Creates the step; waits as long as nodes are busy, and for signals of the set. 0, or the exit
 * code: told. */
int lk_srun_step_create (LkSrun *self, guint16 port, const sigset_t *set);

#endif
