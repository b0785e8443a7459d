/* tests/property/storm_shadow.h — an engine that comes out of snapshots goes along with another.
 *
 * Every few events it is made anew from the other's snapshot, and until then it gets the same
 * events.  What it decides, and its own snapshot in the end, must be the other's byte for byte,
 * whatever the other one knows by heart. */
#ifndef LK_TESTS_STORM_SHADOW_H
#define LK_TESTS_STORM_SHADOW_H

#include "engine/engine.h"

typedef struct {
  const LkEngineConfig *config;
  LkEngine *engine; /* NULL before the first event */
  guint64 from_seq; /* the event behind which it was made */
} LkStormShadow;

/* The engine has applied this event. Returns NULL, or what differs. */
const char *lk_storm_shadow_follow (LkStormShadow *self, const LkEngine *engine,
                                    const LkEvent *event);
void lk_storm_shadow_clear (LkStormShadow *self);

#endif
