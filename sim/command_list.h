/* sim/command_list.h — lists with commas that choose jobs: --state=, --user= and the like. */
#ifndef LK_SIM_COMMAND_LIST_H
#define LK_SIM_COMMAND_LIST_H

#include <glib.h>

#include "engine/codec.h"

/* Is `word` in the list, in any case? No list (NULL) has everything. */
gboolean lk_command_is_listed (const char *list, const char *word);
/* Is the state in it, by its name or, as squeue shows it, in short? */
gboolean lk_command_state_is_listed (const char *list, LkJobState state);

#endif
