/* live/port/core_map.h — which processors of the machine the cores of a node are.
 *
 * The engine counts the cores of a node from 0, socket by socket; so does hwloc.  A core is all of
 * its hardware threads. */
#ifndef LK_LIVE_PORT_CORE_MAP_H
#define LK_LIVE_PORT_CORE_MAP_H

#include <glib.h>

typedef struct _LkCoreMap LkCoreMap;

/* Of this machine; NULL: it cannot be looked at. Returns: (transfer full). */
LkCoreMap *lk_core_map_new (void);
void lk_core_map_free (LkCoreMap *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkCoreMap, lk_core_map_free)

/* Numbers of the system for cores (of guint32), as a list 0-3,8; NULL: the machine has not all of
 * them, or there are none. Returns: (transfer full). */
char *lk_core_map_cpus (const LkCoreMap *self, const GArray *cores);

#endif
