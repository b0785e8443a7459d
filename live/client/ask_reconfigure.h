/* live/client/ask_reconfigure.h — asks a controller to read its configuration anew,
 * or to change it. */
#ifndef LK_LIVE_CLIENT_ASK_RECONFIGURE_H
#define LK_LIVE_CLIENT_ASK_RECONFIGURE_H

#include "live/client/connection.h"

/* `question` has the number of no other question of this connection; `take` gets the answer,
 * borrowed for the call, once. */
gboolean lk_ask_reconfigure (LkConnection *connection, const LkMessage_reconfigure *question,
                             void (*take) (gpointer, const LkMessage_reconfigured *), gpointer user,
                             GError **error);

#endif
