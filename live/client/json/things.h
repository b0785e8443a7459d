/* live/client/json/things.h — the controller, priorities and shares as JSON. */
#ifndef LK_LIVE_CLIENT_JSON_THINGS_H
#define LK_LIVE_CLIENT_JSON_THINGS_H

#include "live/client/json/json.h"
#include "live/client/queue/sdiag_rpc.h"

/* The name of the cluster as its controller tells it; not while it is telling something else.
 * Returns: (transfer full), "" for none. */
char *lk_json_cluster (const LkClient *client);

/* What sdiag tells. */
void lk_json_statistics (const LkClient *client, const LkJsonChoice *choice, const char *cluster,
                         const LkRecord_controller *told, const LkSdiagRpcs *rpcs);

typedef struct {
  gboolean is_up;
  gint64 latency_us;
} LkJsonPing;
void lk_json_ping (const LkClient *client, const LkJsonChoice *choice, const LkJsonPing *ping);

#endif
