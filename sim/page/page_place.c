/* sim/page/page_place.c — see the header. */
#include "sim/page/page_place.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/event_heap.h"
#include "engine/hostlist.h"

void
lk_page_placer_init (LkPagePlacer *self)
{
  self->nodes.texts = g_ptr_array_new_with_free_func (g_free);
  self->nodes.index = g_hash_table_new (g_str_hash, g_str_equal);
  self->numbers = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->names = g_ptr_array_new_with_free_func (g_free);
}

void
lk_page_placer_clear (LkPagePlacer *self)
{
  if (self->numbers == NULL)
    return;
  g_hash_table_unref (self->nodes.index);
  g_ptr_array_unref (self->nodes.texts);
  g_array_unref (self->numbers);
  g_ptr_array_unref (self->names);
}

gboolean
lk_page_placer_add (LkPagePlacer *self, LkPageJob *job, const char *hostlist,
                    const char **out_wrong)
{
  g_ptr_array_set_size (self->names, 0);
  job->place_first = self->numbers->len;
  job->place_count = 0;
  if (hostlist == NULL || *hostlist == '\0')
    return TRUE;
  if (!lk_hostlist_expand (hostlist, strlen (hostlist), self->names, out_wrong))
    return FALSE;
  for (guint i = 0; i < self->names->len; i++) {
    guint32 node = lk_page_names_add (&self->nodes, g_ptr_array_index (self->names, i));
    if (node == LK_PAGE_NONE)
      continue;
    g_array_append_val (self->numbers, node);
    job->place_count++;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- names as people count */

/* Runs of digits by their value, all else by bytes; equal ones by bytes. */
static int
compare_names (const char *a, const char *b)
{
  const char *x = a;
  const char *y = b;
  while (*x != '\0' && *y != '\0') {
    if (!g_ascii_isdigit (*x) || !g_ascii_isdigit (*y)) {
      if (*x != *y)
        return (guchar)*x < (guchar)*y ? -1 : 1;
      x++;
      y++;
      continue;
    }
    x += strspn (x, "0");
    y += strspn (y, "0");
    gsize x_digits = strspn (x, "0123456789");
    gsize y_digits = strspn (y, "0123456789");
    if (x_digits != y_digits)
      return x_digits < y_digits ? -1 : 1;
    int order = memcmp (x, y, x_digits);
    if (order != 0)
      return order;
    x += x_digits;
    y += y_digits;
  }
  if (*x != *y)
    return *x == '\0' ? -1 : 1;
  return strcmp (a, b);
}

static gint
compare_numbers (gconstpointer a, gconstpointer b, gpointer nodes)
{
  const LkPageNames *names = nodes;
  guint32 x = *(const guint32 *)a;
  guint32 y = *(const guint32 *)b;
  return compare_names (lk_page_names_text (names, x), lk_page_names_text (names, y));
}

static gint
compare_rows (gconstpointer a, gconstpointer b)
{
  guint32 x = *(const guint32 *)a;
  guint32 y = *(const guint32 *)b;
  return x < y ? -1 : x > y;
}

/* One that touches the last one of the job makes it longer. */
static void
put_place (LkPageRun *run, LkPageJob *job, LkPagePlace place)
{
  LkPagePlace *last =
      job->place_count > 0 ? &g_array_index (run->places, LkPagePlace, run->places->len - 1) : NULL;
  if (last != NULL && last->first + last->count == place.first) {
    last->count += place.count;
    return;
  }
  g_array_append_val (run->places, place);
  job->place_count++;
}

/* Rows of one job, in order, as few places; a node that is told twice is one. */
static void
settle_job (LkPageRun *run, LkPageJob *job, guint32 *rows)
{
  guint32 count = job->place_count;
  qsort (rows, count, sizeof *rows, compare_rows);
  job->place_first = run->places->len;
  job->place_count = 0;
  for (guint32 i = 0; i < count; i++)
    if (i == 0 || rows[i] != rows[i - 1])
      put_place (run, job, (LkPagePlace){ rows[i], 1 });
}

void
lk_page_placer_finish (LkPagePlacer *self, LkPageRun *run)
{
  guint32 count = self->nodes.texts->len;
  if (count == 0)
    return;
  g_autofree guint32 *order = g_new (guint32, count);
  g_autofree guint32 *row_of = g_new (guint32, count);
  for (guint32 i = 0; i < count; i++)
    order[i] = i;
  g_qsort_with_data (order, (gint)count, sizeof *order, compare_numbers, &self->nodes);
  for (guint32 row = 0; row < count; row++) {
    row_of[order[row]] = row;
    g_ptr_array_add (run->rows, g_strdup (lk_page_names_text (&self->nodes, order[row])));
  }
  run->row_count = count;
  guint32 *numbers = (guint32 *)(void *)self->numbers->data;
  for (guint i = 0; i < self->numbers->len; i++)
    numbers[i] = row_of[numbers[i]];
  for (guint i = 0; i < run->jobs->len; i++) {
    LkPageJob *job = &g_array_index (run->jobs, LkPageJob, i);
    settle_job (run, job, numbers + job->place_first);
  }
}

/* ---------------------------------------------------------------- processors of a pool */

/* Free processors as places by rising number, never touching; all from `unused` on are free. */
typedef struct {
  GArray *free_places;
  guint32 unused;
  LkEventHeap ends; /* slot: index of the job */
} Pool;

static guint
pool_find (const Pool *self, guint32 number)
{
  guint low = 0;
  guint high = self->free_places->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index (self->free_places, LkPagePlace, middle).first < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void
pool_give (Pool *self, LkPagePlace place)
{
  guint at = pool_find (self, place.first);
  if (at < self->free_places->len) {
    LkPagePlace *next = &g_array_index (self->free_places, LkPagePlace, at);
    if (place.first + place.count == next->first) {
      place.count += next->count;
      g_array_remove_index (self->free_places, at);
    }
  }
  LkPagePlace *before = at > 0 ? &g_array_index (self->free_places, LkPagePlace, at - 1) : NULL;
  if (before != NULL && before->first + before->count == place.first)
    before->count += place.count;
  else
    g_array_insert_val (self->free_places, at, place);
}

static void
pool_take (Pool *self, LkPageRun *run, LkPageJob *job)
{
  guint32 wanted = job->procs;
  job->place_first = run->places->len;
  while (wanted > 0) {
    if (self->free_places->len == 0) {
      LkPagePlace fresh = { self->unused, wanted };
      g_array_append_val (self->free_places, fresh);
      self->unused += wanted;
    }
    LkPagePlace *lowest = &g_array_index (self->free_places, LkPagePlace, 0);
    LkPagePlace piece = { lowest->first, MIN (wanted, lowest->count) };
    put_place (run, job, piece);
    wanted -= piece.count;
    lowest->first += piece.count;
    lowest->count -= piece.count;
    if (lowest->count == 0)
      g_array_remove_index (self->free_places, 0);
  }
}

static void
pool_advance (Pool *self, const LkPageRun *run, gint64 now_us)
{
  const LkHeapEvent *first;
  while ((first = lk_event_heap_first (&self->ends)) != NULL && first->time_us <= now_us) {
    const LkPageJob *job = lk_page_run_job (run, first->slot);
    for (guint32 i = 0; i < job->place_count; i++)
      pool_give (self, g_array_index (run->places, LkPagePlace, job->place_first + i));
    lk_event_heap_pop (&self->ends);
  }
}

static gint
compare_starts (gconstpointer a, gconstpointer b, gpointer user)
{
  const LkPageRun *run = user;
  guint32 x = *(const guint32 *)a;
  guint32 y = *(const guint32 *)b;
  gint64 x_us = lk_page_run_job (run, x)->start_us;
  gint64 y_us = lk_page_run_job (run, y)->start_us;
  if (x_us != y_us)
    return x_us < y_us ? -1 : 1;
  return x < y ? -1 : x > y;
}

void
lk_page_place_pool (LkPageRun *run)
{
  Pool pool = { .free_places = g_array_new (FALSE, FALSE, sizeof (LkPagePlace)) };
  g_autofree guint32 *order = g_new (guint32, MAX (1, run->jobs->len));
  lk_event_heap_init (&pool.ends);
  for (guint32 i = 0; i < run->jobs->len; i++)
    order[i] = i;
  g_qsort_with_data (order, (gint)run->jobs->len, sizeof *order, compare_starts, run);
  for (guint32 i = 0; i < run->jobs->len; i++) {
    LkPageJob *job = &g_array_index (run->jobs, LkPageJob, order[i]);
    if (job->start_us == LK_TIME_NEVER)
      break;
    if (job->end_us <= job->start_us)
      continue; /* it took no time, and has no room in a picture */
    pool_advance (&pool, run, job->start_us);
    pool_take (&pool, run, job);
    LkHeapEvent end = { job->end_us, order[i], order[i] };
    if (job->end_us != LK_TIME_NEVER)
      lk_event_heap_push (&pool.ends, end);
  }
  run->row_count = pool.unused;
  lk_event_heap_clear (&pool.ends);
  g_array_unref (pool.free_places);
}
