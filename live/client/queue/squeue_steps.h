/* live/client/queue/squeue_steps.h — `squeue -s`: the steps of jobs that run. */
#ifndef LK_LIVE_CLIENT_QUEUE_SQUEUE_STEPS_H
#define LK_LIVE_CLIENT_QUEUE_SQUEUE_STEPS_H

#include "live/client/json/json.h"
#include "live/client/queue/formats.h"

/* What is asked for; lists with commas between, NULL: all. */
typedef struct {
  const char *format; /* of lk_squeue_step_formats; NULL: the default */
  const char *sort;   /* NULL: by partition and id */
  const char *jobs;
  const char *steps; /* "7.0,7.batch,8_3.1" */
  const char *users;
  const char *partitions;
  GHashTable *nodes;        /* names; NULL: all */
  const LkJsonChoice *json; /* instead of a table, where it is wanted */
  gboolean no_heading;
} LkSqueueSteps;

extern const LkFormatSet lk_squeue_step_formats;

/* Prints them. Returns: the exit code. */
int lk_squeue_steps (const LkClient *client, const LkSqueueSteps *asked);

#endif
