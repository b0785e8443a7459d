/* live/top/live_facts.h — `lockstep top` on a living cluster: what the controller tells.
 *
 * A look asks for what is shown and for nothing else: jobs without their scripts, nodes, and always
 * one record about the controller.  What has changed from look to look makes the log, with what the
 * controller's own log has got meanwhile, where it may be read. */
#ifndef LK_LIVE_TOP_LIVE_FACTS_H
#define LK_LIVE_TOP_LIVE_FACTS_H

#include "live/client/client.h"
#include "traces/top/source.h"

typedef struct _LkTopLive LkTopLive;

/* `client` is borrowed; its `now_us` is read at each look where it is not 0, else the clock.
 * `log_path`: the controller's log; NULL: none. `calls_why`: the program `lockstep why` is called
 * for details of pending jobs. Returns: (transfer full). */
LkTopLive *lk_top_live_new (const LkClient *client, const char *title, const char *log_path,
                            gboolean calls_why);
void lk_top_live_free (LkTopLive *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkTopLive, lk_top_live_free)

/* For lk_top_run, with self. */
extern const LkTopSource lk_top_live_source;

#endif
