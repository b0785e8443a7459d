/* engine/course.h — when would a job start, if nothing else came?
 *
 * A copy of an engine is run on, with every job ending at its time limit and no other coming, until
 * the job starts.  The engine that it is a copy of knows nothing of it.
 *
 * Not here: how the copy is made (lk_engine_save and lk_engine_load). */
#ifndef LK_ENGINE_COURSE_H
#define LK_ENGINE_COURSE_H

#include "engine/engine.h"

/* A live controller lets so long pass at least between two passes, so that requests that come
 * meanwhile are scheduled together; so does who follows its course. */
#define LK_PASS_DELAY_US 2000

typedef struct {
  guint64 event_max;
  gint64 horizon_us;                   /* so far from now */
  gboolean takes_plan;                 /* a start that a pass has planned will do */
  gboolean (*goes_on) (gpointer user); /* asked before each moment; NULL: it always does */
  gpointer user;
} LkCourseBounds;

/* Applies an event to a copy as its next one. */
void lk_course_apply (LkEngine *copy, LkEvent *event, gint64 at_us, const LkSink *sink);
/* Has the job been started? */
gboolean lk_course_is_started (const LkEngine *copy, guint32 job_id);
/* The copy stands behind that moment then. LK_TIME_NEVER: it does not start; `out_is_known` FALSE:
 * not within the bounds. */
gint64 lk_course_start_us (LkEngine *copy, guint32 job_id, const LkCourseBounds *bounds,
                           gboolean *out_is_known);

#endif
