/* sim/whatif/snapshot.h — up to which event a live controller's snapshot goes.
 *
 * It is the state behind that event of the journal beside it, from which all else is read.  Its
 * format is docs/formats-wire.md's, "kept_state". */
#ifndef LK_SIM_WHATIF_SNAPSHOT_H
#define LK_SIM_WHATIF_SNAPSHOT_H

#include <glib.h>

/* 0: the file is no snapshot, or is not whole. */
guint64 lk_whatif_snapshot_seq (const char *path);

#endif
