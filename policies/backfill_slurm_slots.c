/* policies/backfill_slurm_slots.c — Slurm's node_space: which nodes pending jobs have reserved
 * when.
 *
 * The table covers [begin, end) with slots; a reservation takes its nodes out of every slot in its
 * interval, splitting the first and the last.  One pair of neighbours that have become equal is
 * merged.  Running jobs are not in the table.  Source: sched/backfill, _add_reservation and
 * _test_resv_overlap. */
#include "policies/backfill_slurm.h"

#include <string.h>

static LkSlurmSlot *
slot_at (const LkSlurmSlots *self, guint i)
{
  return &g_array_index (self->slots, LkSlurmSlot, i);
}

void
lk_slurm_slots_init (LkSlurmSlots *self, const guint64 *nodes, uint32_t words, int64_t begin_us,
                     int64_t end_us)
{
  LkSlurmSlot whole = { begin_us, end_us, g_memdup2 (nodes, words * sizeof *nodes) };
  self->slots = g_array_new (FALSE, FALSE, sizeof (LkSlurmSlot));
  self->words = words;
  g_array_append_val (self->slots, whole);
}

void
lk_slurm_slots_clear (LkSlurmSlots *self)
{
  for (guint i = 0; i < self->slots->len; i++)
    g_free (slot_at (self, i)->nodes);
  g_array_unref (self->slots);
}

/* Are there nodes in `after` that are not in `before`? */
static gboolean
gives_back (const LkSlurmSlots *self, const LkSlurmSlot *before, const LkSlurmSlot *after)
{
  for (uint32_t word = 0; word < self->words; word++)
    if ((after->nodes[word] & ~before->nodes[word]) != 0)
      return TRUE;
  return FALSE;
}

int64_t
lk_slurm_slots_limit (const LkSlurmSlots *self, int64_t from_us, int64_t to_us, guint64 *nodes)
{
  int64_t later_us = LK_TIME_NEVER;
  for (guint i = 0; i < self->slots->len; i++) {
    const LkSlurmSlot *slot = slot_at (self, i);
    if (slot->end_us <= from_us)
      continue;
    if (later_us == LK_TIME_NEVER && i + 1 < self->slots->len
        && gives_back (self, slot, slot_at (self, i + 1)))
      later_us = slot->end_us;
    if (slot->begin_us > to_us)
      break;
    for (uint32_t word = 0; word < self->words; word++)
      nodes[word] &= slot->nodes[word];
  }
  return later_us;
}

gboolean
lk_slurm_slots_overlap (const LkSlurmSlots *self, int64_t from_us, int64_t to_us,
                        const guint64 *nodes)
{
  for (guint i = 0; i < self->slots->len; i++) {
    const LkSlurmSlot *slot = slot_at (self, i);
    if (slot->end_us <= from_us || slot->begin_us >= to_us)
      continue;
    for (uint32_t word = 0; word < self->words; word++)
      if ((nodes[word] & ~slot->nodes[word]) != 0)
        return TRUE;
  }
  return FALSE;
}

/* Makes a slot begin at the moment, if it is inside one. */
static void
split (LkSlurmSlots *self, int64_t at_us)
{
  for (guint i = 0; i < self->slots->len; i++) {
    LkSlurmSlot *slot = slot_at (self, i);
    if (slot->begin_us < at_us && at_us < slot->end_us) {
      LkSlurmSlot second = { at_us, slot->end_us,
                             g_memdup2 (slot->nodes, self->words * sizeof (guint64)) };
      slot->end_us = at_us;
      g_array_insert_val (self->slots, i + 1, second);
      return;
    }
  }
}

static void
merge_one (LkSlurmSlots *self)
{
  for (guint i = 0; i + 1 < self->slots->len; i++) {
    LkSlurmSlot *slot = slot_at (self, i);
    const LkSlurmSlot *next = slot_at (self, i + 1);
    if (memcmp (slot->nodes, next->nodes, self->words * sizeof (guint64)) != 0)
      continue;
    slot->end_us = next->end_us;
    g_free (next->nodes);
    g_array_remove_index (self->slots, i + 1);
    return;
  }
}

void
lk_slurm_slots_reserve (LkSlurmSlots *self, int64_t from_us, int64_t to_us, const guint64 *nodes)
{
  split (self, from_us);
  split (self, to_us);
  for (guint i = 0; i < self->slots->len; i++) {
    LkSlurmSlot *slot = slot_at (self, i);
    for (uint32_t word = 0;
         slot->begin_us >= from_us && slot->end_us <= to_us && word < self->words; word++)
      slot->nodes[word] &= ~nodes[word];
  }
  merge_one (self);
}
