/* live/client/ask_nodes.h — asks the controller which nodes it waits for. */
#ifndef LK_LIVE_CLIENT_ASK_NODES_H
#define LK_LIVE_CLIENT_ASK_NODES_H

#include "live/client/connection.h"

/* Nodes whose agents have not registered, or are silent: how many, and the name of the first
 * (transfer full; NULL: there is none). FALSE: the controller cannot be asked. */
gboolean lk_ask_missing_nodes (LkConnection *connection, guint *out_count, char **out_first,
                               GError **error);

#endif
