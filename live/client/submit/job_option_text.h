/* live/client/submit/job_option_text.h — what the options of a job are for, a line each: for
 * --help, manual pages and completion.
 *
 * Not here: letters and values of the options (traces/job_options.c), and what becomes of those
 * that are not acted on (sbatch_options.c). */
#ifndef LK_LIVE_CLIENT_SUBMIT_JOB_OPTION_TEXT_H
#define LK_LIVE_CLIENT_SUBMIT_JOB_OPTION_TEXT_H

#include <glib.h>

/* NULL: nothing is known of that name. */
const char *lk_job_option_text (const char *name);

#endif
