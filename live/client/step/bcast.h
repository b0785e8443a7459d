/* live/client/step/bcast.h — a file copied to the nodes of a job: sbcast, and srun --bcast.
 *
 * It goes there by a step of the job, one task on each node, whose input is the file.  What is half
 * there is never seen under its name. */
#ifndef LK_LIVE_CLIENT_STEP_BCAST_H
#define LK_LIVE_CLIENT_STEP_BCAST_H

#include "live/client/client.h"

/* Everything is borrowed. */
typedef struct {
  guint32 job_id;
  const char *nodes; /* hostlist */
  guint node_count;
  const char *source;  /* a path here */
  const char *target;  /* a path there; of a folder, or with / behind, the name is the source's */
  gboolean replaces;   /* what is there by that name */
  gboolean keeps_time; /* the time of the last change */
} LkBcast;

/* 0; 1: told. */
int lk_bcast_run (const LkClient *client, const LkBcast *what);

#endif
