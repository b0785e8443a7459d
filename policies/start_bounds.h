/* policies/start_bounds.h — what a pass has learned of moments before which jobs cannot start.
 *
 * Where a job finds no place, none is found for a job of the same likeness (LkPlanOps) that is as
 * large and runs as long; so most jobs of a long queue need not be looked for.  What is learned
 * holds as long as the plan only gets fuller; where something is given back, it holds for those
 * whose time would end before that, and for those that are larger than all that is free there.
 *
 * Of each likeness a few bounds are kept.  Nothing here changes a decision, where less that is free
 * never makes a placement succeed. */
#ifndef LK_POLICIES_START_BOUNDS_H
#define LK_POLICIES_START_BOUNDS_H

#include <glib.h>

#include "engine/policy.h"

typedef struct _LkStartBounds LkStartBounds;

/* A job as bounds see it. */
typedef struct {
  uint64_t likeness;
  uint32_t size;
  int64_t duration_us;
} LkStartKind;

LkStartBounds *lk_start_bounds_new (void);
void lk_start_bounds_free (LkStartBounds *self);

/* Forgets everything. */
void lk_start_bounds_reset (LkStartBounds *self);
/* There is no start for such a job before `until_us`. */
void lk_start_bounds_learn (LkStartBounds *self, const LkStartKind *kind, int64_t until_us);
/* Something was given back, from this moment on; jobs larger than `size_max` cannot use it. */
void lk_start_bounds_give (LkStartBounds *self, int64_t from_us, uint32_t size_max);
/* A moment before which there is no start for such a job; INT64_MIN: nothing is known. */
int64_t lk_start_bounds_us (LkStartBounds *self, const LkStartKind *kind);
/* A moment before which there is no start for any job like this one, no smaller, and no shorter but
 * at most as long as `longest_us`. */
int64_t lk_start_bounds_among_us (LkStartBounds *self, const LkStartKind *kind, int64_t longest_us);

#endif
