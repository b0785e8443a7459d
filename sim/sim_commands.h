/* sim/sim_commands.h — `lockstep sim --commands`: a script of Slurm commands instead of a log. */
#ifndef LK_SIM_SIM_COMMANDS_H
#define LK_SIM_SIM_COMMANDS_H

#include <glib.h>

#include "sim/settings.h"

/* Plays the script and prints what happens, one line each. */
gboolean lk_sim_commands (const LkSettings *settings, GError **error);

#endif
