/* tests/dst/step_asker.h — an administrator who asks for steps of jobs at random, signals them and
 * says that jobs without a script are done; he may ask for those of all jobs.
 *
 * Each is asked once or twice, and no answer is waited for. */
#ifndef LK_TESTS_DST_STEP_ASKER_H
#define LK_TESTS_DST_STEP_ASKER_H

#include "tests/dst/cluster.h"
#include "tests/engine/seed.h"

typedef struct {
  DstCluster *cluster;
  Seed seed;
  guint32 job_max;    /* jobs 1 to this */
  gboolean ends_jobs; /* now and then a job is said to be done */
  guint64 request_last;
} DstStepAsker;

/* As client 0 of the cluster, who is the administrator. */
void dst_step_asker_ask (DstStepAsker *self);
/* So often, at moments from now on up to `end_us` of the world; it outlives them. */
void dst_step_asker_plan (DstStepAsker *self, guint count, gint64 end_us);

#endif
