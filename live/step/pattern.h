/* live/step/pattern.h — file names with % in them, as sbatch(1) "filename pattern" has them.
 *
 * %j job, %A its array, %a task, %b task modulo 10, %x job name, %u user, %N node, %n its index,
 * %t task of the step, %s step, %J job and step, %% itself; a number before the letter pads
 * numbers.  What is none of these stays as it is, and a name with a backslash is only freed of it.
 * A job of no array is its own array, and its task is Slurm's NO_VAL. */
#ifndef LK_LIVE_STEP_PATTERN_H
#define LK_LIVE_STEP_PATTERN_H

#include <glib.h>

typedef struct {
  guint32 job_id;
  guint32 array_job_id; /* 0: of none */
  guint32 array_task;
  const char *job_name;
  const char *user;
  const char *node;
  guint32 node_index;
  gboolean is_step; /* FALSE: the batch script */
  guint32 step_id;
  guint32 task; /* of the step */
} LkPatternValues;

/* Is the file another one on each node, or of each task? */
gboolean lk_pattern_is_of_node (const char *pattern);
/* Returns: (transfer full). */
char *lk_pattern_expand (const char *pattern, const LkPatternValues *values);
/* That of standard output where none is given. */
const char *lk_pattern_default (const LkPatternValues *values);

#endif
