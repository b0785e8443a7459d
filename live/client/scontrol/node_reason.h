/* live/client/scontrol/node_reason.h — another reason for nodes that are out of service already. */
#ifndef LK_LIVE_CLIENT_SCONTROL_NODE_REASON_H
#define LK_LIVE_CLIENT_SCONTROL_NODE_REASON_H

#include "live/client/client.h"
#include "traces/command_script.h"

/* `update NodeName= Reason=` without State=: all of the nodes, or none. Returns: the exit code. */
int lk_scontrol_node_reason (LkClient *client, const LkCommand *command);

#endif
