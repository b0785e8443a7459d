/* live/client/queue/tables.h — rows put in the order that -S asks for. */
#ifndef LK_LIVE_CLIENT_QUEUE_TABLES_H
#define LK_LIVE_CLIENT_QUEUE_TABLES_H

#include "live/client/client.h"
#include "traces/table.h"

/* "-y,i": letters of columns, those behind - falling; what both are numbers is compared as numbers.
 * Alike rows stay as they are.  FALSE: a letter is none; told. */
gboolean lk_rows_sort (const LkClient *client, const LkTableColumn *columns, const char *keys,
                       gconstpointer report, GPtrArray *rows);

#endif
