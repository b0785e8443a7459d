/* live/client/refusal.h — what the controller refuses, in Slurm's words and numbers. */
#ifndef LK_LIVE_CLIENT_REFUSAL_H
#define LK_LIVE_CLIENT_REFUSAL_H

#include <glib.h>

#include "engine/codec.h"

/* Slurm's ESLURM_USER_ID_MISSING: the caller may not make this request at all. */
#define LK_REFUSAL_USER_ID "Invalid user id"

/* Number of LkReject as Slurm's (slurm/slurm_errno.h), whose low byte is the exit code of some
 * commands. */
guint lk_refusal_number (guint reject);
/* What such a number means; NULL: it is none that is used here. */
const char *lk_refusal_number_text (guint number);
/* Slurm's text for that number; our own where Slurm has no such refusal. */
const char *lk_refusal_text (guint reject);
/* The same of a request that only administrators may make: slurmctld refuses others as
 * ESLURM_USER_ID_MISSING, not as ESLURM_ACCESS_DENIED. */
const char *lk_refusal_admin_text (guint reject);

#endif
