/* traces/job_options_private.h — what is known of a list of options before they are brought in
 * line.
 *
 * Not here: the options themselves (job_options.c), their rules with each other
 * (job_options_settle.c). */
#ifndef LK_TRACES_JOB_OPTIONS_PRIVATE_H
#define LK_TRACES_JOB_OPTIONS_PRIVATE_H

#include "traces/job_options.h"

typedef struct {
  GStringChunk *texts;
  LkJobOptions options;
  guint32 tasks_per_b; /* sockets x cores x threads of -B, each at least 1; 0: not given */
  /* Of LkJobGres, pointing into the arguments. */
  GArray *gres;
  GArray *gpus;
  GArray *gpus_per_node;
  GArray *gpus_per_task;
  GArray *gpus_per_socket;
  GString *unsupported;
  GString *unsupported_beside_terms;
} LkJobParse;

/* Checks the options against each other and fills what follows from them, as sbatch and slurmctld
 * do at submission. */
gboolean lk_job_parse_settle (LkJobParse *self, GError **error);

#endif
