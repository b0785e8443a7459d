/* policies/due_heap.c — see the header. */
#include "policies/due_heap.h"

void
lk_due_heap_init (LkDueHeap *self)
{
  self->entries = g_array_new (FALSE, FALSE, sizeof (LkDue));
}

void
lk_due_heap_clear (LkDueHeap *self)
{
  g_array_unref (self->entries);
}

static inline gboolean
due_before (const LkDue *a, const LkDue *b)
{
  return a->start_us != b->start_us ? a->start_us < b->start_us : a->id < b->id;
}

void
lk_due_heap_push (LkDueHeap *self, LkDue due)
{
  g_array_append_val (self->entries, due);
  LkDue *entries = (LkDue *)(gpointer)self->entries->data;
  guint at = self->entries->len - 1;
  for (; at > 0 && due_before (&due, &entries[(at - 1) / 2]); at = (at - 1) / 2)
    entries[at] = entries[(at - 1) / 2];
  entries[at] = due;
}

void
lk_due_heap_pop (LkDueHeap *self)
{
  LkDue *entries = (LkDue *)(gpointer)self->entries->data;
  LkDue last = entries[self->entries->len - 1];
  guint count = self->entries->len - 1;
  guint at = 0;
  for (guint child = 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && due_before (&entries[child + 1], &entries[child]))
      child++;
    if (!due_before (&entries[child], &last))
      break;
    entries[at] = entries[child];
    at = child;
  }
  if (count > 0)
    entries[at] = last;
  g_array_set_size (self->entries, count);
}

static gboolean
stands (const LkDue *due, const LkView *view, const int64_t *starts_us)
{
  return view->jobs->phase[due->job] == LK_PHASE_QUEUED && view->jobs->id[due->job] == due->id
         && starts_us[due->job] == due->start_us;
}

const LkDue *
lk_due_heap_first (LkDueHeap *self, const LkView *view, const int64_t *starts_us)
{
  while (self->entries->len > 0) {
    const LkDue *first = &g_array_index (self->entries, LkDue, 0);
    if (stands (first, view, starts_us))
      return first;
    lk_due_heap_pop (self);
  }
  return NULL;
}

void
lk_due_heap_shrink (LkDueHeap *self, const LkView *view, const int64_t *starts_us,
                    uint32_t standing_count)
{
  if (self->entries->len < 64 || self->entries->len / 4 < standing_count)
    return;
  GArray *kept = g_array_new (FALSE, FALSE, sizeof (LkDue));
  for (const LkDue *first = lk_due_heap_first (self, view, starts_us); first != NULL;
       first = lk_due_heap_first (self, view, starts_us)) {
    LkDue due = *first;
    g_array_append_val (kept, due); /* rising, so already a heap */
    while (self->entries->len > 0
           && g_array_index (self->entries, LkDue, 0).start_us == due.start_us
           && g_array_index (self->entries, LkDue, 0).id == due.id)
      lk_due_heap_pop (self);
  }
  g_array_unref (self->entries);
  self->entries = kept;
}

void
lk_due_heap_list (const LkDueHeap *self, const LkView *view, const int64_t *starts_us,
                  int64_t before_us, GArray *out_jobs)
{
  guint count = self->entries->len;
  guint at = 0;
  g_array_set_size (out_jobs, 0);
  while (at < count) {
    const LkDue *due = &g_array_index (self->entries, LkDue, at);
    gboolean is_before = due->start_us < before_us;
    if (is_before && stands (due, view, starts_us))
      g_array_append_val (out_jobs, due->job);
    if (is_before && 2 * at + 1 < count) {
      at = 2 * at + 1;
      continue;
    }
    /* On to the next one that is not below it: the right one next to it, or next to one above. */
    while (at > 0 && (at % 2 == 0 || at + 1 == count))
      at = (at - 1) / 2;
    at = at == 0 ? count : at + 1;
  }
}

GArray *
lk_due_heap_take (LkDueHeap *self, const LkView *view, const LkPassOps *ops, void *pass,
                  const int64_t *starts_us)
{
  GArray *jobs = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  for (const LkDue *first = lk_due_heap_first (self, view, starts_us);
       first != NULL && first->start_us <= view->now_us;
       first = lk_due_heap_first (self, view, starts_us)) {
    LkJobIndex job = first->job;
    lk_due_heap_pop (self);
    guint at = jobs->len;
    while (at > 0
           && ops->queue_before (pass, LK_QUEUE_PRIORITY, job,
                                 g_array_index (jobs, LkJobIndex, at - 1)))
      at--;
    gboolean twice = at > 0 && g_array_index (jobs, LkJobIndex, at - 1) == job;
    if (!twice)
      g_array_insert_val (jobs, at, job);
  }
  return jobs;
}
