/* sim/slurm_state/verb_slurm_state.h — `lockstep import slurm-state`. */
#ifndef LK_SIM_SLURM_STATE_VERB_SLURM_STATE_H
#define LK_SIM_SLURM_STATE_VERB_SLURM_STATE_H

#include <glib.h>

/* Arguments as of a sub-verb; argv[0] is its name. */
gboolean lk_import_slurm_state (int argc, char **argv, GError **error);

#endif
