/* tests/property/storm_event.h — one random event that is well-formed. */
#ifndef LK_TESTS_STORM_EVENT_H
#define LK_TESTS_STORM_EVENT_H

#include "engine/engine.h"
#include "tests/property/storm.h"

/* Where events are drawn from, and what they may speak of. */
typedef struct {
  const LkStormOptions *options;
  gboolean is_crowded;          /* most events are submits of jobs that can start */
  gboolean has_no_reservations; /* none are created: they keep plans from much of what they know */
  gboolean is_over;
  gint64 now_us;
  guint32 job_id_last; /* ids up to this have been given */
  GArray *running;     /* of guint32: ids of jobs that run */
  guint32 het_leader;  /* of the job whose components come now */
  guint32 het_count;   /* of how many; 0: of none */
  guint32 het_user_id; /* whose it is */
} LkStormSource;

guint32 lk_storm_draw (LkStormSource *self, guint32 limit);
/* Of any kind but passes and timers. Texts are string constants. */
LkEvent lk_storm_event (LkStormSource *self);

#endif
