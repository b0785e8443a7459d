/* live/client/queue/scancel.h — what of scancel its page tells. */
#ifndef LK_LIVE_CLIENT_QUEUE_SCANCEL_H
#define LK_LIVE_CLIENT_QUEUE_SCANCEL_H

#include <glib.h>

/* Its options as a table for docs/commands.md. */
void lk_scancel_markdown (GString *out);

#endif
