/* engine/dependents.c — see the header. */
#include "engine/dependents.h"

#include "engine/assert.h"
#include "engine/id_map.h"

typedef struct {
  gint64 due_us;
  guint32 waiter_id;
} Due;

struct _LkDependents {
  LkIdMap list_by_id;
  GPtrArray *lists;   /* of GArray of guint32; those not in the map are empty */
  GArray *free_lists; /* of guint32, indices of those */
  GArray *dues;       /* of Due, rising */
  guint32 count;
};

static void
list_free (gpointer list)
{
  g_array_unref (list);
}

LkDependents *
lk_dependents_new (void)
{
  LkDependents *self = g_new0 (LkDependents, 1);
  lk_id_map_init (&self->list_by_id);
  self->lists = g_ptr_array_new_with_free_func (list_free);
  self->free_lists = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->dues = g_array_new (FALSE, FALSE, sizeof (Due));
  return self;
}

void
lk_dependents_free (LkDependents *self)
{
  if (self == NULL)
    return;
  lk_id_map_clear (&self->list_by_id);
  g_ptr_array_unref (self->lists);
  g_array_unref (self->free_lists);
  g_array_unref (self->dues);
  g_free (self);
}

/* ---------------------------------------------------------------- who waits for whom */

static GArray *
list_of (const LkDependents *self, guint32 awaited_id)
{
  guint32 list = lk_id_map_find (&self->list_by_id, awaited_id);
  return list != LK_JOB_NONE ? g_ptr_array_index (self->lists, list) : NULL;
}

static GArray *
list_new (LkDependents *self, guint32 awaited_id)
{
  guint32 list = self->lists->len;
  if (self->free_lists->len > 0) {
    list = g_array_index (self->free_lists, guint32, self->free_lists->len - 1);
    g_array_set_size (self->free_lists, self->free_lists->len - 1);
  } else {
    g_ptr_array_add (self->lists, g_array_new (FALSE, FALSE, sizeof (guint32)));
  }
  lk_id_map_insert (&self->list_by_id, awaited_id, list);
  return g_ptr_array_index (self->lists, list);
}

void
lk_dependents_add (LkDependents *self, guint32 awaited_id, guint32 waiter_id)
{
  GArray *list = list_of (self, awaited_id);
  if (list == NULL)
    list = list_new (self, awaited_id);
  g_array_append_val (list, waiter_id);
  self->count++;
}

void
lk_dependents_forget (LkDependents *self, guint32 awaited_id)
{
  guint32 list = lk_id_map_find (&self->list_by_id, awaited_id);
  if (list == LK_JOB_NONE)
    return;
  GArray *waiters = g_ptr_array_index (self->lists, list);
  self->count -= waiters->len;
  g_array_set_size (waiters, 0);
  lk_id_map_remove (&self->list_by_id, awaited_id);
  g_array_append_val (self->free_lists, list);
}

void
lk_dependents_remove (LkDependents *self, guint32 awaited_id, guint32 waiter_id)
{
  GArray *list = list_of (self, awaited_id);
  LK_ASSERT (list != NULL);
  guint at = 0;
  while (g_array_index (list, guint32, at) != waiter_id) {
    at++;
    LK_ASSERT (at < list->len);
  }
  g_array_remove_index (list, at);
  self->count--;
  if (list->len == 0)
    lk_dependents_forget (self, awaited_id);
}

gboolean
lk_dependents_has (const LkDependents *self, guint32 awaited_id)
{
  return self->list_by_id.count > 0
         && lk_id_map_find (&self->list_by_id, awaited_id) != LK_JOB_NONE;
}

static gint
compare_ids (gconstpointer a, gconstpointer b)
{
  guint32 id_a = *(const guint32 *)a;
  guint32 id_b = *(const guint32 *)b;
  return (id_a > id_b) - (id_a < id_b);
}

GArray *
lk_dependents_of (const LkDependents *self, guint32 awaited_id)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  const GArray *list = list_of (self, awaited_id);
  if (list == NULL)
    return ids;
  g_array_append_vals (ids, list->data, list->len);
  g_array_sort (ids, compare_ids);
  guint kept_count = 0;
  for (guint i = 0; i < ids->len; i++) {
    guint32 id = g_array_index (ids, guint32, i);
    if (kept_count == 0 || g_array_index (ids, guint32, kept_count - 1) != id)
      g_array_index (ids, guint32, kept_count++) = id;
  }
  g_array_set_size (ids, kept_count);
  return ids;
}

guint32
lk_dependents_count (const LkDependents *self)
{
  return self->count;
}

/* ---------------------------------------------------------------- moments */

static gint
compare_dues (const Due *a, const Due *b)
{
  if (a->due_us != b->due_us)
    return a->due_us < b->due_us ? -1 : 1;
  return (a->waiter_id > b->waiter_id) - (a->waiter_id < b->waiter_id);
}

/* Place of the first that is not before `due`. */
static guint
due_place (const LkDependents *self, const Due *due)
{
  guint low = 0;
  guint high = self->dues->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (compare_dues (&g_array_index (self->dues, Due, middle), due) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void
lk_dependents_add_due (LkDependents *self, gint64 due_us, guint32 waiter_id)
{
  Due due = { due_us, waiter_id };
  g_array_insert_val (self->dues, due_place (self, &due), due);
}

void
lk_dependents_remove_due (LkDependents *self, gint64 due_us, guint32 waiter_id)
{
  Due due = { due_us, waiter_id };
  guint at = due_place (self, &due);
  LK_ASSERT (at < self->dues->len);
  LK_ASSERT (compare_dues (&g_array_index (self->dues, Due, at), &due) == 0);
  g_array_remove_index (self->dues, at);
}

gint64
lk_dependents_next_due_us (const LkDependents *self)
{
  return self->dues->len > 0 ? g_array_index (self->dues, Due, 0).due_us : LK_TIME_NEVER;
}

gboolean
lk_dependents_take_due (LkDependents *self, gint64 now_us, gint64 *out_due_us,
                        guint32 *out_waiter_id)
{
  if (lk_dependents_next_due_us (self) > now_us)
    return FALSE;
  *out_due_us = g_array_index (self->dues, Due, 0).due_us;
  *out_waiter_id = g_array_index (self->dues, Due, 0).waiter_id;
  g_array_remove_index (self->dues, 0);
  return TRUE;
}

guint32
lk_dependents_due_count (const LkDependents *self)
{
  return self->dues->len;
}
