/* live/client/json/own_machine.h — nodes and partitions of --json=lockstep, and what the parts of
 * machine.c share. */
#ifndef LK_LIVE_CLIENT_JSON_OWN_MACHINE_H
#define LK_LIVE_CLIENT_JSON_OWN_MACHINE_H

#include "live/client/json/json.h"
#include "live/client/node_row.h"

/* Rows are LkNodeRow, LkPartitionRow; the report is any. */
extern const LkJsonKind lk_json_own_nodes;
extern const LkJsonKind lk_json_own_partitions;

/* ["IDLE","DRAIN"] */
void lk_json_node_states (GString *out, const LkNodeRow *row);
/* Name of who has set its reason; "" for nobody. */
void lk_json_node_setter (GString *out, const LkNodeRow *row);
const char *lk_json_partition_state (const LkPartitionRow *row);

#endif
