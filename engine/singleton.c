/* engine/singleton.c — see the header. */
#include "engine/singleton.h"

#include <string.h>

#include "engine/assert.h"

typedef struct {
  LkSingletonKey key; /* its name is owned */
  char *name;
  GArray *pending; /* of guint32, rising */
  GArray *running; /* of guint32, rising */
} Group;

struct _LkSingletons {
  GHashTable *groups; /* Group by itself; never iterated */
  guint32 count;
};

static guint
group_hash (gconstpointer pointer)
{
  const Group *group = pointer;
  guint hash = group->key.user_id * 2654435769u;
  for (guint i = 0; i < group->key.name.length_bytes; i++)
    hash = (hash ^ (guint8)group->key.name.bytes[i]) * 16777619u; /* FNV-1a */
  return hash;
}

static gboolean
group_equal (gconstpointer a, gconstpointer b)
{
  const LkSingletonKey *key_a = &((const Group *)a)->key;
  const LkSingletonKey *key_b = &((const Group *)b)->key;
  return key_a->user_id == key_b->user_id && key_a->name.length_bytes == key_b->name.length_bytes
         && (key_a->name.length_bytes == 0
             || memcmp (key_a->name.bytes, key_b->name.bytes, key_a->name.length_bytes) == 0);
}

static void
group_free (gpointer pointer)
{
  Group *group = pointer;
  g_free (group->name);
  g_array_unref (group->pending);
  g_array_unref (group->running);
  g_free (group);
}

LkSingletons *
lk_singletons_new (void)
{
  LkSingletons *self = g_new0 (LkSingletons, 1);
  self->groups = g_hash_table_new_full (group_hash, group_equal, NULL, group_free);
  return self;
}

void
lk_singletons_free (LkSingletons *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->groups);
  g_free (self);
}

static Group *
group_find (const LkSingletons *self, LkSingletonKey key)
{
  Group wanted = { .key = key };
  return g_hash_table_lookup (self->groups, &wanted);
}

/* Place of the first id that is not below. */
static guint
place_of (const GArray *ids, guint32 id)
{
  guint low = 0;
  guint high = ids->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index (ids, guint32, middle) < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static gboolean
is_at (const GArray *ids, guint at, guint32 id)
{
  return at < ids->len && g_array_index (ids, guint32, at) == id;
}

void
lk_singletons_join (LkSingletons *self, LkSingletonKey key, guint32 job_id, gboolean is_running)
{
  Group *group = group_find (self, key);
  if (group == NULL) {
    group = g_new0 (Group, 1);
    group->name = g_strndup (key.name.bytes, key.name.length_bytes);
    group->key = (LkSingletonKey){ key.user_id, (LkText){ group->name, key.name.length_bytes } };
    group->pending = g_array_new (FALSE, FALSE, sizeof (guint32));
    group->running = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_hash_table_add (self->groups, group);
  }
  GArray *ids = is_running ? group->running : group->pending;
  guint at = place_of (ids, job_id);
  LK_ASSERT (!is_at (ids, at, job_id));
  g_array_insert_val (ids, at, job_id);
  self->count++;
}

void
lk_singletons_leave (LkSingletons *self, LkSingletonKey key, guint32 job_id)
{
  Group *group = group_find (self, key);
  LK_ASSERT (group != NULL);
  GArray *ids = group->running;
  guint at = place_of (ids, job_id);
  if (!is_at (ids, at, job_id)) {
    ids = group->pending;
    at = place_of (ids, job_id);
  }
  LK_ASSERT (is_at (ids, at, job_id));
  g_array_remove_index (ids, at);
  self->count--;
  if (group->running->len == 0 && group->pending->len == 0)
    g_hash_table_remove (self->groups, group);
}

guint32
lk_singletons_next (const LkSingletons *self, LkSingletonKey key)
{
  const Group *group = group_find (self, key);
  if (group == NULL || group->running->len > 0 || group->pending->len == 0)
    return 0;
  return g_array_index (group->pending, guint32, 0);
}

gboolean
lk_singletons_has (const LkSingletons *self, LkSingletonKey key, guint32 job_id,
                   gboolean is_running)
{
  const Group *group = group_find (self, key);
  if (group == NULL)
    return FALSE;
  const GArray *ids = is_running ? group->running : group->pending;
  return is_at (ids, place_of (ids, job_id), job_id);
}

guint32
lk_singletons_count (const LkSingletons *self)
{
  return self->count;
}
