/* policies/wait_list.h — jobs that have no place, in queue order, in blocks that know their least.
 *
 * The least of a block are those of its jobs than which no other of the same likeness is both no
 * larger and no longer.  Where none of them can start, by what a pass has learned, nobody of the
 * block can; so the next job that is worth a search is found in a long queue without asking
 * everyone. */
#ifndef LK_POLICIES_WAIT_LIST_H
#define LK_POLICIES_WAIT_LIST_H

#include <glib.h>

#include "policies/start_bounds.h"

typedef struct _LkWaitList LkWaitList;

/* Who goes before whom in the queue. */
typedef struct {
  const LkPassOps *ops;
  void *pass;
} LkWaitOrder;

/* What was given back is offered: who cannot use it is passed over (LkPlanOps.may_gain_like). */
typedef struct {
  const LkPlanOps *ops;
  void *plan;
  const LkView *view;
} LkWaitGain;

/* Whom a search in the list is for. */
typedef struct {
  LkStartBounds *bounds;
  int64_t before_us;      /* who might start before this */
  const LkWaitGain *gain; /* NULL: nothing is offered, everyone may start anywhere */
} LkWaitSearch;

LkWaitList *lk_wait_list_new (void);
void lk_wait_list_free (LkWaitList *self);

void lk_wait_list_clear (LkWaitList *self);
void lk_wait_list_insert (LkWaitList *self, const LkWaitOrder *order, LkJobIndex job,
                          const LkStartKind *kind);
/* Also of a job that is not in it. */
void lk_wait_list_remove (LkWaitList *self, LkJobIndex job);

/* LK_JOB_NONE: it is empty. */
LkJobIndex lk_wait_list_first (const LkWaitList *self);
/* The first job behind `after` in the queue (which need not be in the list; LK_JOB_NONE: the first
 * of all) that is looked for; LK_JOB_NONE: there is none. */
LkJobIndex lk_wait_list_next (LkWaitList *self, const LkWaitOrder *order, LkJobIndex after,
                              const LkWaitSearch *search);

#endif
