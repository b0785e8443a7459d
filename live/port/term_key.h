/* live/port/term_key.h — the key by which controllers of a cluster prove their terms (port_term.h).
 *
 * A file of the controller's directory, of mode 0600, made when there is none.  A controller that
 * is to stop another one has a copy of that one's directory, and so the same key. */
#ifndef LK_LIVE_PORT_TERM_KEY_H
#define LK_LIVE_PORT_TERM_KEY_H

#include "live/core/port_term.h"
#include "live/port/mac.h"

#define LK_TERM_KEY_FILE "term.key"

/* FALSE: it cannot be read, and none can be made. */
gboolean lk_term_key_load (const char *directory, LkKey *out_key, GError **error);
/* `key` outlives the port. */
LkPortTerm lk_term_key_port (LkKey *key);

#endif
