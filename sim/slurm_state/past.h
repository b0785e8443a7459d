/* sim/slurm_state/past.h — the jobs of a Slurm cluster that ended before its state was collected,
 * as sacct.txt tells them.
 *
 * Who ran how long, and when jobs came, is what `lockstep whatif` draws the time to come from.
 * Jobs that have not run, have not ended, or ran on nodes that are gone say nothing of it, and are
 * left out; so is what turns out later not to go together with the jobs that run. */
#ifndef LK_SIM_SLURM_STATE_PAST_H
#define LK_SIM_SLURM_STATE_PAST_H

#include "sim/slurm_state/job.h"
#include "traces/reader.h"

typedef struct {
  LkStateJob job;      /* its id is that of the journal, which steps.h gives; `record` is NULL */
  guint32 number;      /* as sacct tells it */
  guint32 line_number; /* of sacct.txt */
  const char *name;    /* "123", "123_4" */
  gint64 end_us;       /* behind its start, not behind the collection */
  LkEvent_job_ended ended; /* without the id */
  const char *left;        /* why it is left out; NULL: it is not */
  gboolean runs;           /* while it is played */
} LkStatePastJob;

typedef struct {
  char *path;            /* NULL: there is no sacct.txt */
  LkTraceReader *reader; /* whose texts the jobs borrow */
  GPtrArray *jobs;       /* of LkStatePastJob*, those that are left out among them */
} LkStatePast;

/* Reads sacct.txt of the folder; that it is not there is told. `jobs` (of LkStateJob) are not taken
 * again; `nodes` (of LkStateRecord*) are those that there are. FALSE with an error that names file,
 * line and field. */
gboolean lk_state_past_read (LkStatePast *self, const LkStateFolder *folder, const GPtrArray *nodes,
                             const GArray *jobs, GStringChunk *texts, GError **error);
void lk_state_past_clear (LkStatePast *self);

/* Tells of the jobs that are left out. Returns: how many. */
guint lk_state_past_tell_left (const LkStatePast *self, GPtrArray *told);

#endif
