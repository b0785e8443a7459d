/* sim/slurm_state/job.h — a job as `scontrol show job` tells it, as what would be asked for to have
 * it so.
 *
 * Of a job that waits: its request.  Of one that runs: the same, and where and since when it runs.
 * What Slurm does not tell (how memory that no option asked for came about, at which of several
 * numbers of nodes a range was asked for) is as it stands now. */
#ifndef LK_SIM_SLURM_STATE_JOB_H
#define LK_SIM_SLURM_STATE_JOB_H

#include "engine/codec.h"
#include "sim/slurm_state/folder.h"

extern const LkStateKind lk_state_job_kind;

typedef enum {
  LK_STATE_JOB_PENDING,
  LK_STATE_JOB_RUNNING,
  LK_STATE_JOB_SUSPENDED,
  LK_STATE_JOB_OVER, /* it has ended, or is ending */
} LkStateJobPhase;

typedef enum { LK_STATE_HELD_NOT, LK_STATE_HELD_BY_USER, LK_STATE_HELD_BY_ADMIN } LkStateHeld;

typedef struct {
  const LkStateRecord *record;
  LkStateJobPhase phase;
  LkStateHeld held;
  guint32 id;
  guint32 array_id;  /* 0: of no array */
  const char *tasks; /* of an array: "3", or those that wait together: "2-5%2" */
  gboolean has_task; /* it is one task of an array */
  guint32 throttle;  /* so many tasks at once; 0: any number */
  guint32 het_id;    /* 0: it is no component */
  guint32 user_id;
  guint32 group_id;
  guint32 priority; /* as Slurm last calculated it */
  guint32 procs;
  gint64 limit_us;
  gint64 submit_us;
  gint64 start_us; /* of one that runs */
  gint64 suspend_us;
  LkJobRequest request; /* texts live in the chunk that was given */
  LkJobTerms terms;     /* without dependency, array and reservation */
  const char *dependency;
  const char *reservation; /* NULL: none */
  const char *nodes;       /* of one that runs: hostlist */
  guint32 node_count;      /* of one that runs */
  guint32 cpu_count;       /* that it has, or would have */
} LkStateJob;

/* Reads one record; texts are put into `texts`, rows into the folder's `told`. FALSE with an error
 * that names line and key. */
gboolean lk_state_job_read (LkStateJob *self, const LkStateRecord *record,
                            const LkStateFolder *folder, GStringChunk *texts, GError **error);

#endif
