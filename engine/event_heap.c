/* engine/event_heap.c — a binary heap; see the header. */
#include "engine/event_heap.h"

static inline gboolean
before (const LkHeapEvent *a, const LkHeapEvent *b)
{
  return a->time_us != b->time_us ? a->time_us < b->time_us : a->rank < b->rank;
}

void
lk_event_heap_init (LkEventHeap *self)
{
  *self = (LkEventHeap){ 0 };
}

void
lk_event_heap_clear (LkEventHeap *self)
{
  g_free (self->events);
  *self = (LkEventHeap){ 0 };
}

void
lk_event_heap_push (LkEventHeap *self, LkHeapEvent event)
{
  if (self->count == self->capacity) {
    self->capacity = MAX (256, 2 * self->capacity);
    self->events = g_renew (LkHeapEvent, self->events, self->capacity);
  }
  guint32 at = self->count++;
  for (; at > 0 && before (&event, &self->events[(at - 1) / 2]); at = (at - 1) / 2)
    self->events[at] = self->events[(at - 1) / 2];
  self->events[at] = event;
}

const LkHeapEvent *
lk_event_heap_first (const LkEventHeap *self)
{
  return self->count > 0 ? &self->events[0] : NULL;
}

void
lk_event_heap_pop (LkEventHeap *self)
{
  LkHeapEvent last = self->events[--self->count];
  guint32 at = 0;
  for (guint32 child = 1; child < self->count; child = 2 * at + 1) {
    if (child + 1 < self->count && before (&self->events[child + 1], &self->events[child]))
      child++;
    if (!before (&self->events[child], &last))
      break;
    self->events[at] = self->events[child];
    at = child;
  }
  if (self->count > 0)
    self->events[at] = last;
}
