/* engine/id_map.c — see the header. */
#include "engine/id_map.h"

#include "engine/assert.h"

#define BITS_MIN 8u

/* Fibonacci hashing (Knuth, TAOCP 3, section 6.4): consecutive ids land far apart. */
static inline guint32
home_slot (const LkIdMap *self, guint32 id)
{
  return (id * 2654435769u) >> (32 - self->bits);
}

void
lk_id_map_init (LkIdMap *self)
{
  self->bits = BITS_MIN;
  self->count = 0;
  self->slots = g_new0 (LkIdMapSlot, (gsize)1 << self->bits);
}

void
lk_id_map_clear (LkIdMap *self)
{
  g_free (self->slots);
  self->slots = NULL;
}

static void
place (LkIdMap *self, LkIdMapSlot entry)
{
  guint32 mask = (1u << self->bits) - 1;
  guint32 at = home_slot (self, entry.id);
  while (self->slots[at].id != 0) {
    LK_ASSERT (self->slots[at].id != entry.id);
    at = (at + 1) & mask;
  }
  self->slots[at] = entry;
}

static void
grow (LkIdMap *self)
{
  LkIdMapSlot *old = self->slots;
  guint32 old_count = 1u << self->bits;
  LK_ASSERT (self->bits < 31);
  self->bits++;
  self->slots = g_new0 (LkIdMapSlot, (gsize)1 << self->bits);
  for (guint32 i = 0; i < old_count; i++)
    if (old[i].id != 0)
      place (self, old[i]);
  g_free (old);
}

void
lk_id_map_insert (LkIdMap *self, guint32 id, LkJobIndex job)
{
  LK_ASSERT (id != 0);
  if (self->count >= 1u << (self->bits - 1))
    grow (self);
  place (self, (LkIdMapSlot){ id, job });
  self->count++;
}

/* Slot of `id`, or the empty slot where the search for it ends. */
static guint32
find_slot (const LkIdMap *self, guint32 id)
{
  guint32 mask = (1u << self->bits) - 1;
  guint32 at = home_slot (self, id);
  while (self->slots[at].id != 0 && self->slots[at].id != id)
    at = (at + 1) & mask;
  return at;
}

LkJobIndex
lk_id_map_find (const LkIdMap *self, guint32 id)
{
  guint32 at = find_slot (self, id);
  return id != 0 && self->slots[at].id == id ? self->slots[at].job : LK_JOB_NONE;
}

void
lk_id_map_remove (LkIdMap *self, guint32 id)
{
  guint32 mask = (1u << self->bits) - 1;
  guint32 hole = find_slot (self, id);
  LK_ASSERT (id != 0 && self->slots[hole].id == id);
  for (guint32 at = (hole + 1) & mask; self->slots[at].id != 0; at = (at + 1) & mask) {
    /* An entry may fill the hole only if its home does not lie between the hole and its place. */
    guint32 home = home_slot (self, self->slots[at].id);
    if (((at - home) & mask) >= ((at - hole) & mask)) {
      self->slots[hole] = self->slots[at];
      hole = at;
    }
  }
  self->slots[hole].id = 0;
  self->count--;
}
