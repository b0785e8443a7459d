/* bench/floor.c — the least that any simulator must do: parse the log, and put the submit and the
 * end of every job through one binary heap.
 *
 * Every job starts when it is submitted, as on a machine without limits, so there is no policy, no
 * state and no output. The heap is streamed like the simulator's: it holds what has not happened
 * yet.  With --whole all submits go into the heap first, which is how simulators that read the log
 * as a whole do it.  Prints one JSON object. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/swf.h"

typedef struct {
  gint64 time_us;
  gint64 run_us; /* of a submit; -1: an end */
} Event;

typedef struct {
  Event *events;
  gsize count;
  gsize capacity;
} Heap;

static void
heap_push (Heap *heap, Event event)
{
  if (heap->count == heap->capacity) {
    heap->capacity = MAX (1024, 2 * heap->capacity);
    heap->events = g_renew (Event, heap->events, heap->capacity);
  }
  gsize at = heap->count++;
  while (at > 0) {
    gsize parent = (at - 1) / 2;
    if (heap->events[parent].time_us <= event.time_us)
      break;
    heap->events[at] = heap->events[parent];
    at = parent;
  }
  heap->events[at] = event;
}

static Event
heap_pop (Heap *heap)
{
  Event first = heap->events[0];
  Event last = heap->events[--heap->count];
  gsize at = 0;
  for (;;) {
    gsize child = 2 * at + 1;
    if (child >= heap->count)
      break;
    if (child + 1 < heap->count && heap->events[child + 1].time_us < heap->events[child].time_us)
      child++;
    if (last.time_us <= heap->events[child].time_us)
      break;
    heap->events[at] = heap->events[child];
    at = child;
  }
  heap->events[at] = last;
  return first;
}

typedef struct {
  Heap heap;
  guint64 event_count;
  guint64 checksum; /* keeps the compiler honest */
} Floor;

static void
take_first (Floor *self)
{
  Event event = heap_pop (&self->heap);
  self->event_count++;
  self->checksum = self->checksum * 31 + (guint64)event.time_us;
  if (event.run_us >= 0)
    heap_push (&self->heap, (Event){ event.time_us + event.run_us, -1 });
}

static gboolean
run (const char *path, gboolean is_whole, Floor *self, guint64 *out_job_count, GError **error)
{
  g_autoptr (LkSwfReader) reader = lk_swf_reader_new (path, LK_SWF_LENIENT, error);
  if (reader == NULL)
    return FALSE;
  LkSwfJob job;
  int more;
  while ((more = lk_swf_reader_next (reader, &job, error)) == 1) {
    if (job.run_us <= 0 || job.submit_us < 0)
      continue;
    (*out_job_count)++;
    heap_push (&self->heap, (Event){ job.submit_us, job.run_us });
    while (!is_whole && self->heap.count > 0 && self->heap.events[0].time_us <= job.submit_us)
      take_first (self);
  }
  while (self->heap.count > 0)
    take_first (self);
  return more == 0;
}

/* VmHWM of /proc: getrusage would also count what the process was before it became this program. */
static guint64
peak_rss_bytes (void)
{
  g_autofree char *status = NULL;
  if (!g_file_get_contents ("/proc/self/status", &status, NULL, NULL))
    return 0;
  const char *line = strstr (status, "\nVmHWM:");
  return line == NULL ? 0 : g_ascii_strtoull (line + strlen ("\nVmHWM:"), NULL, 10) * 1024;
}

int
main (int argc, char **argv)
{
  gboolean is_whole = argc > 1 && strcmp (argv[1], "--whole") == 0;
  if (argc != (is_whole ? 3 : 2)) {
    fputs ("usage: floor [--whole] LOG\n", stderr);
    return 2;
  }
  gint64 begin_us = g_get_monotonic_time ();
  Floor self = { .event_count = 0 };
  guint64 job_count = 0;
  g_autoptr (GError) error = NULL;
  if (!run (argv[argc - 1], is_whole, &self, &job_count, &error)) {
    g_printerr ("floor: %s\n", error->message);
    return EXIT_FAILURE;
  }
  g_free (self.heap.events);
  double wall_s = (double)(g_get_monotonic_time () - begin_us) / 1e6;
  printf ("{\"jobs\": %" G_GUINT64_FORMAT ", \"events\": %" G_GUINT64_FORMAT
          ", \"wall_s\": %.6f, \"peak_rss_bytes\": %" G_GUINT64_FORMAT
          ", \"checksum\": %" G_GUINT64_FORMAT "}\n",
          job_count, self.event_count, wall_s, peak_rss_bytes (), self.checksum);
  return EXIT_SUCCESS;
}
