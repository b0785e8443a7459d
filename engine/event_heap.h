/* engine/event_heap.h — ends to come, earliest first, then by rank. */
#ifndef LK_ENGINE_EVENT_HEAP_H
#define LK_ENGINE_EVENT_HEAP_H

#include <glib.h>

typedef struct {
  gint64 time_us;
  guint64 rank; /* among those of one time: lower first; unique */
  guint32 slot; /* the owner's index of the job */
} LkHeapEvent;

typedef struct {
  LkHeapEvent *events;
  guint32 count;
  guint32 capacity;
} LkEventHeap;

void lk_event_heap_init (LkEventHeap *self);
void lk_event_heap_clear (LkEventHeap *self);
void lk_event_heap_push (LkEventHeap *self, LkHeapEvent event);
/* The earliest event stays in the heap; NULL when there is none. */
const LkHeapEvent *lk_event_heap_first (const LkEventHeap *self);
void lk_event_heap_pop (LkEventHeap *self);

#endif
