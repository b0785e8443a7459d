/* live/client/refusal.h — what the controller refuses, in Slurm's words and numbers. */
#ifndef LK_LIVE_CLIENT_REFUSAL_H
#define LK_LIVE_CLIENT_REFUSAL_H

#include <glib.h>

#include "engine/codec.h"

/* Number of LkReject as Slurm's (slurm/slurm_errno.h), whose low byte is the exit code of some
 * commands. */
guint lk_refusal_number (guint reject);
/* Slurm's text for that number; our own where Slurm has no such refusal. */
const char *lk_refusal_text (guint reject);

#endif
