/* sim/whatif/change.h — what is to be changed in one branch: parameters, a configuration, commands.
 *
 * A configuration comes into force as a live controller would let it: as an event, before which the
 * old one counts; commands are those of root (traces/command_script.h). */
#ifndef LK_SIM_WHATIF_CHANGE_H
#define LK_SIM_WHATIF_CHANGE_H

#include <glib.h>

#include "sim/whatif/branch.h"

typedef struct _LkChangeSet LkChangeSet;

/* As on the command line; each NULL or NULL-terminated. */
typedef struct {
  char **sets;      /* SEAM.PARAMETER=VALUE, SEAM=SPECIFICATION, or a key of slurm.conf */
  char **dos;       /* "scontrol ...", "sacctmgr ..." or "scancel ..." */
  const char *conf; /* a slurm.conf; NULL: none */
} LkChangeOptions;

/* Checks all of it against the state at its moment: LK_SIM_ERROR_USAGE for what is not understood,
 * LK_SIM_ERROR_RUN for what could not come into force now. Returns: (transfer full). */
LkChangeSet *lk_change_set_new (const LkWhatifState *state, const LkChangeOptions *options,
                                GError **error);
void lk_change_set_free (LkChangeSet *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkChangeSet, lk_change_set_free)

/* A job, or the components of one, comes, too, behind all else that changes. `events` (of LkEvent,
 * submits without numbers) is borrowed.  Their keys are LK_KEY_ASKED and those behind it. */
#define LK_KEY_ASKED(component) ((guint64)(0xffffff00u + (component)) << 32)
void lk_change_set_add_job (LkChangeSet *self, const GArray *events);

/* Nothing would change: no option was given, or all is so already. */
gboolean lk_change_set_is_empty (const LkChangeSet *self);
/* Applies all of it at the fork; may be called from several threads. FALSE: a command is
 * refused. */
gboolean lk_change_set_apply (const LkChangeSet *self, LkBranch *branch, GError **error);
/* What it changes, a line each ("order: weight_age 0 -> 1000"). Returns: (transfer none), of
 * char*. */
const GPtrArray *lk_change_set_lines (const LkChangeSet *self);

#endif
