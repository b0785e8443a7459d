/* sim/whatif/job_script.h — a job as sbatch would submit it: the #SBATCH lines of its script, then
 * the options of the command line, which go before them.
 *
 * Not here: the variables SBATCH_*, which are those of whoever asks. */
#ifndef LK_SIM_WHATIF_JOB_SCRIPT_H
#define LK_SIM_WHATIF_JOB_SCRIPT_H

#include <glib.h>

#include "sim/whatif/state.h"
#include "traces/command_script.h"

typedef struct {
  GStringChunk *texts;
  LkCommand *command;
  char *label;    /* of the job, for people: its script */
  GArray *events; /* of LkEvent, one submit for each component, without numbers */
} LkJobScript;

/* `words`: a script and options behind it, or options and a script behind them, or options with
 * --wrap; NULL-terminated.  `user`: a name or a number; NULL: who asks.  On failure self is
 * clear. */
gboolean lk_job_script_read (LkJobScript *self, char *const *words, const char *user,
                             const LkWhatifState *state, GError **error);
void lk_job_script_clear (LkJobScript *self);

#endif
