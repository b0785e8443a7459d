/* live/client/json/priorities.h — what sprio tells, as JSON. */
#ifndef LK_LIVE_CLIENT_JSON_PRIORITIES_H
#define LK_LIVE_CLIENT_JSON_PRIORITIES_H

#include "live/client/json/json.h"

/* The answer with these rows, of LkSprioRow*, in our own form whatever is asked for. */
void lk_json_priorities (const LkClient *client, const LkJsonChoice *choice, const GPtrArray *rows);

#endif
