/* traces/job_options_private.h — what is known of a list of options before they are brought in
 * line; the table of options.
 *
 * Not here: the options themselves (job_options.c), which of them an argument is
 * (job_options_walk.c), their rules with each other (job_options_settle.c). */
#ifndef LK_TRACES_JOB_OPTIONS_PRIVATE_H
#define LK_TRACES_JOB_OPTIONS_PRIVATE_H

#include "traces/job_options.h"

typedef struct {
  GStringChunk *texts;
  LkJobOptions options;
  guint32 plane;       /* of --distribution=plane=; 0: not given */
  guint32 tasks_per_b; /* sockets x cores x threads of -B, each at least 1; 0: not given */
  /* Of LkJobGres, pointing into the arguments. */
  GArray *gres;
  GArray *gpus;
  GArray *gpus_per_node;
  GArray *gpus_per_task;
  GArray *gpus_per_socket;
  gboolean is_exclusive;     /* --exclusive is given, of whatever kind; */
  gboolean is_oversubscribe; /* so is --oversubscribe */
  GString *unsupported;
  GString *unsupported_beside_terms;
} LkJobParse;

/* ---------------------------------------------------------------- the table of options */

typedef enum { LK_JOB_VALUE_NONE, LK_JOB_VALUE_NEEDED, LK_JOB_VALUE_OPTIONAL } LkJobValue;

typedef struct _LkJobOption LkJobOption;

/* `value` is NULL when there is none. */
typedef gboolean (*LkJobTake) (LkJobParse *self, const LkJobOption *option, const char *value,
                               GError **error);

struct _LkJobOption {
  const char *name;
  char letter; /* 0: none */
  LkJobValue value;
  LkJobTake take;
  gsize offset; /* of the member that `take` writes */
  guint32 flags_set;
  guint32 flags_cleared;
};

/* By name. */
extern const LkJobOption lk_job_options[];
extern const guint lk_job_option_count;

/* "option --time is 'soon'; expected ...". Returns: FALSE. */
gboolean lk_job_option_fail (const LkJobOption *option, const char *value, const char *expected,
                             GError **error);

/* Checks the options against each other and fills what follows from them, as sbatch and slurmctld
 * do at submission. */
gboolean lk_job_parse_settle (LkJobParse *self, GError **error);

#endif
