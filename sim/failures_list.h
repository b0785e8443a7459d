/* sim/failures_list.h — reads a list of failures; its format is in sim/failures.h. */
#ifndef LK_SIM_FAILURES_LIST_H
#define LK_SIM_FAILURES_LIST_H

#include "sim/failures.h"
#include "traces/input.h"

/* Appends the events to `events` (of LkNodeEvent), sorted; reasons go into `reasons`. */
gboolean lk_failures_list_read (LkInput *input, const LkFailureNodes *nodes, GStringChunk *reasons,
                                GArray *events, GError **error);

#endif
