/* live/client/scontrol/scontrol_more.h — commands of scontrol that are neither an event nor `show`.
 *
 * `words` begins with the command and ends with NULL; all return the exit code. */
#ifndef LK_LIVE_CLIENT_SCONTROL_SCONTROL_MORE_H
#define LK_LIVE_CLIENT_SCONTROL_SCONTROL_MORE_H

#include "live/client/scontrol/scontrol.h"
#include "live/client/words.h"

/* Runs the words of a line, which ends with NULL; returns its exit code. */
typedef int (*LkScontrolRun) (LkClient *client, const LkScontrolOptions *options, char **words);

/* scontrol_talk.c: asks for commands, a line each, until one is `exit` or `quit` or there are no
 * more; `!!` is the line before once more. Returns: 0, or 1 when one has failed. */
int lk_scontrol_talk (LkClient *client, LkScontrolOptions *given, LkScontrolRun run);
/* The job of a process on this machine, and how long it may still run. */
int lk_scontrol_pidinfo (LkClient *client, const LkScontrolOptions *options, char **words);

/* scontrol_notify.c: words for who watches a job. */
int lk_scontrol_notify (LkClient *client, const LkScontrolOptions *options, char **words);

/* scontrol_setdebug.c: how much the controller logs. */
int lk_scontrol_setdebug (LkClient *client, const LkScontrolOptions *options, char **words);

/* scontrol_token.c: SLURM_JWT=TOKEN, signed with the site's key. */
int lk_scontrol_token (LkClient *client, const LkScontrolOptions *options, char **words);

/* scontrol_more.c: jobs that are over and not yet gone from all their nodes. */
int lk_scontrol_completing (LkClient *client, const LkScontrolOptions *options, char **words);
/* Waits until a job runs; fails when it never will. */
int lk_scontrol_wait_job (LkClient *client, const LkScontrolOptions *options, char **words);
/* What a number of an error means. */
int lk_scontrol_errnumstr (LkClient *client, const LkScontrolOptions *options, char **words);
/* Processes of jobs on this machine, as far as the asker may see their environment. */
int lk_scontrol_listpids (LkClient *client, const LkScontrolOptions *options, char **words);

#endif
