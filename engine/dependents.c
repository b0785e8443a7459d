/* engine/dependents.c — see the header. */
#include "engine/dependents.h"

#include "engine/assert.h"

typedef struct {
  gint64 due_us;
  guint32 waiter_id;
} Due;

typedef struct {
  guint64 awaited;
  GArray *ids; /* of guint32; never empty */
} List;

struct _LkDependents {
  GHashTable *lists; /* List by what is awaited; never iterated */
  GArray *dues;      /* of Due, rising */
  guint32 count;
};

static guint
list_hash (gconstpointer list)
{
  guint64 mixed = ((const List *)list)->awaited * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return (guint)(mixed >> 32);
}

static gboolean
list_equal (gconstpointer a, gconstpointer b)
{
  return ((const List *)a)->awaited == ((const List *)b)->awaited;
}

static void
list_free (gpointer list)
{
  g_array_unref (((List *)list)->ids);
  g_free (list);
}

LkDependents *
lk_dependents_new (void)
{
  LkDependents *self = g_new0 (LkDependents, 1);
  self->lists = g_hash_table_new_full (list_hash, list_equal, NULL, list_free);
  self->dues = g_array_new (FALSE, FALSE, sizeof (Due));
  return self;
}

void
lk_dependents_free (LkDependents *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->lists);
  g_array_unref (self->dues);
  g_free (self);
}

/* ---------------------------------------------------------------- who waits for whom */

static List *
list_of (const LkDependents *self, guint64 awaited)
{
  List wanted = { .awaited = awaited };
  return self->count > 0 ? g_hash_table_lookup (self->lists, &wanted) : NULL;
}

void
lk_dependents_add (LkDependents *self, guint64 awaited, guint32 waiter_id)
{
  List *list = list_of (self, awaited);
  if (list == NULL) {
    list = g_new (List, 1);
    *list = (List){ awaited, g_array_new (FALSE, FALSE, sizeof (guint32)) };
    g_hash_table_add (self->lists, list);
  }
  g_array_append_val (list->ids, waiter_id);
  self->count++;
  /* cppcheck-suppress memleak ; the set owns the list */
}

void
lk_dependents_forget (LkDependents *self, guint64 awaited)
{
  List *list = list_of (self, awaited);
  if (list == NULL)
    return;
  self->count -= list->ids->len;
  g_hash_table_remove (self->lists, list);
}

void
lk_dependents_remove (LkDependents *self, guint64 awaited, guint32 waiter_id)
{
  List *list = list_of (self, awaited);
  LK_ASSERT (list != NULL);
  guint at = list->ids->len;
  /* Mostly one of the last: tasks that are split off come and go. The order does not matter. */
  do {
    LK_ASSERT (at > 0);
    at--;
  } while (g_array_index (list->ids, guint32, at) != waiter_id);
  g_array_remove_index_fast (list->ids, at);
  self->count--;
  if (list->ids->len == 0)
    g_hash_table_remove (self->lists, list);
}

gboolean
lk_dependents_has (const LkDependents *self, guint64 awaited)
{
  return list_of (self, awaited) != NULL;
}

static gint
compare_ids (gconstpointer a, gconstpointer b)
{
  guint32 id_a = *(const guint32 *)a;
  guint32 id_b = *(const guint32 *)b;
  return (id_a > id_b) - (id_a < id_b);
}

GArray *
lk_dependents_of (const LkDependents *self, guint64 awaited)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  const List *list = list_of (self, awaited);
  if (list == NULL)
    return ids;
  g_array_append_vals (ids, list->ids->data, list->ids->len);
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
  if (self->dues->len == 0 || lk_dependents_next_due_us (self) > now_us)
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
