/* policies/due_heap.h — reservations by the moment at which they are due.
 *
 * A binary heap by start, then id.  Entries are not taken out when a job loses or changes its
 * reservation: they are stale from then on, and are dropped when they come to the top, or when they
 * are the most. */
#ifndef LK_POLICIES_DUE_HEAP_H
#define LK_POLICIES_DUE_HEAP_H

#include <glib.h>

#include "engine/policy.h"

typedef struct {
  int64_t start_us;
  uint32_t id;
  LkJobIndex job;
} LkDue;

typedef struct {
  GArray *entries; /* of LkDue */
} LkDueHeap;

void lk_due_heap_init (LkDueHeap *self);
void lk_due_heap_clear (LkDueHeap *self);
void lk_due_heap_push (LkDueHeap *self, LkDue due);
void lk_due_heap_pop (LkDueHeap *self);
/* The earliest that still stands: the job is in the queue, and `starts_us`, by job, says the same;
 * NULL: none. */
const LkDue *lk_due_heap_first (LkDueHeap *self, const LkView *view, const int64_t *starts_us);
/* Drops what is stale when that is most of it; `standing_count` entries are not. */
void lk_due_heap_shrink (LkDueHeap *self, const LkView *view, const int64_t *starts_us,
                         uint32_t standing_count);
/* Lists the jobs with a reservation that begins before `before_us`, in no order, some of them more
 * than once. */
void lk_due_heap_list (const LkDueHeap *self, const LkView *view, const int64_t *starts_us,
                       int64_t before_us, GArray *out_jobs);
/* Takes out the jobs whose reservation is due now, in queue order. Returns: (transfer full), of
 * LkJobIndex. */
GArray *lk_due_heap_take (LkDueHeap *self, const LkView *view, const LkPassOps *ops, void *pass,
                          const int64_t *starts_us);

#endif
