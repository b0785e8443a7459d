/* live/client/job_option_help.h — in which section of --help an option of a job stands, and how its
 * value is called there.
 *
 * The names of sections and values are those that scripts and people know from srun(1).
 * Not here: what the options do (job_option_text.h). */
#ifndef LK_LIVE_CLIENT_JOB_OPTION_HELP_H
#define LK_LIVE_CLIENT_JOB_OPTION_HELP_H

/* Titles in the order of --help; ends with NULL. */
extern const char *const lk_job_option_sections[];

/* One of them: options of no other stand in the first. */
const char *lk_job_option_section (const char *name);
/* "nodes" has "N". "VALUE": nothing is known of it. */
const char *lk_job_option_value (const char *name);

#endif
