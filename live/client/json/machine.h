/* live/client/json/machine.h — nodes, partitions, reservations and licences as JSON. */
#ifndef LK_LIVE_CLIENT_JSON_MACHINE_H
#define LK_LIVE_CLIENT_JSON_MACHINE_H

#include "live/client/json/json.h"
#include "live/client/node_row.h"

/* Each puts one answer; `rows` are of the view. */
void lk_json_nodes (const LkClient *client, const LkJsonChoice *choice, const LkMachineView *view,
                    const GPtrArray *rows);
void lk_json_partitions (const LkClient *client, const LkJsonChoice *choice,
                         const LkMachineView *view, const GPtrArray *rows);
/* Lines of sinfo, of LkSinfoLine, each of a partition; in our own form all nodes and partitions of
 * the view. */
void lk_json_sinfo (const LkClient *client, const LkJsonChoice *choice, const LkMachineView *view,
                    const GPtrArray *lines);

/* Those of this name; NULL: all. FALSE: the controller cannot be asked, or there is none of this
 * name; told. */
gboolean lk_json_reservations (const LkClient *client, const LkJsonChoice *choice,
                               const char *name);
gboolean lk_json_licenses (const LkClient *client, const LkJsonChoice *choice, const char *name);

#endif
