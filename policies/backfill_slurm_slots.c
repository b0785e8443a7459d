/* policies/backfill_slurm_slots.c — Slurm's node_space: which nodes, and with bf_licenses which
 * licences, pending jobs have reserved when.
 *
 * The table covers [begin, end) with slots; a reservation takes its nodes out of every slot in its
 * interval, splitting the first and the last.  One pair of neighbours that have become equal is
 * merged.  Running jobs are not in the table, but where a parameter says so.  Source:
 * sched/backfill, _add_reservation and _test_resv_overlap. */
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
  LkSlurmSlot whole = { .begin_us = begin_us,
                        .end_us = end_us,
                        .nodes = g_memdup2 (nodes, words * sizeof *nodes),
                        .node_count = lk_slurm_bits_count (nodes, words) };
  self->slots = g_array_new (FALSE, FALSE, sizeof (LkSlurmSlot));
  self->words = words;
  self->license_count = 0;
  g_array_append_val (self->slots, whole);
}

void
lk_slurm_slots_plan_licenses (LkSlurmSlots *self, const uint32_t *licenses, uint32_t count)
{
  self->license_count = count;
  if (count > 0)
    slot_at (self, 0)->licenses = g_memdup2 (licenses, count * sizeof *licenses);
}

void
lk_slurm_slots_clear (LkSlurmSlots *self)
{
  for (guint i = 0; i < self->slots->len; i++) {
    g_free (slot_at (self, i)->nodes);
    g_free (slot_at (self, i)->licenses);
  }
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

/* The first slot that ends behind the moment. */
static guint
first_behind (const LkSlurmSlots *self, int64_t at_us)
{
  guint low = 0;
  guint high = self->slots->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (slot_at (self, middle)->end_us > at_us)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* Takes out what is not in the slot. Returns how many that were. */
static uint32_t
cut (const LkSlurmSlots *self, const LkSlurmSlot *slot, guint64 *nodes)
{
  uint32_t count = 0;
  for (uint32_t word = 0; word < self->words; word++) {
    for (guint64 rest = nodes[word] & ~slot->nodes[word]; rest != 0; rest &= rest - 1)
      count++;
    nodes[word] &= slot->nodes[word];
  }
  return count;
}

/* The next moment to try: the end of a slot from `least` on behind which nodes come back.  Tries go
 * from one such end to the next; one that sees none among its slots is the last.  Those that begin
 * before slot `least` ends would fail. */
static int64_t
later_us (const LkSlurmSlots *self, guint first, guint least, int64_t from_us, int64_t duration_us)
{
  int64_t to_us = lk_slurm_add_us (from_us, duration_us);
  for (guint i = first; i + 1 < self->slots->len; i++) {
    const LkSlurmSlot *slot = slot_at (self, i);
    if (slot->gives_back && i >= least)
      return slot->end_us;
    if (slot->gives_back)
      to_us = lk_slurm_add_us (slot->end_us, duration_us);
    else if (slot->begin_us > to_us)
      break;
  }
  return LK_TIME_NEVER;
}

int64_t
lk_slurm_slots_limit (const LkSlurmSlots *self, int64_t from_us, int64_t duration_us,
                      uint32_t least_count, guint64 *nodes)
{
  int64_t to_us = lk_slurm_add_us (from_us, duration_us);
  guint first = first_behind (self, from_us);
  guint end = MIN (first_behind (self, to_us) + 1, self->slots->len);
  uint32_t count = lk_slurm_bits_count (nodes, self->words);
  for (guint i = end; i > first; i--)
    if (slot_at (self, i - 1)->node_count < least_count) {
      memset (nodes, 0, self->words * sizeof *nodes);
      return later_us (self, first, i - 1, from_us, duration_us);
    }
  for (guint i = first; i < end && count >= least_count; i++)
    count -= cut (self, slot_at (self, i), nodes);
  return later_us (self, first, first, from_us, duration_us);
}

/* Has the slot less than these licences? */
static gboolean
lacks_licenses (const LkSlurmSlots *self, const LkSlurmSlot *slot, const uint32_t *licenses)
{
  for (uint32_t kind = 0; licenses != NULL && kind < self->license_count; kind++)
    if (licenses[kind] > slot->licenses[kind])
      return TRUE;
  return FALSE;
}

int64_t
lk_slurm_slots_licensed_us (const LkSlurmSlots *self, int64_t from_us, int64_t duration_us,
                            const uint32_t *licenses)
{
  for (guint i = first_behind (self, from_us); i < self->slots->len; i++) {
    const LkSlurmSlot *slot = slot_at (self, i);
    if (slot->begin_us > lk_slurm_add_us (from_us, duration_us))
      return from_us;
    if (!lacks_licenses (self, slot, licenses))
      continue;
    if (i + 1 == self->slots->len)
      return LK_TIME_NEVER;
    from_us = slot->end_us;
  }
  return from_us;
}

gboolean
lk_slurm_slots_overlap (const LkSlurmSlots *self, int64_t from_us, int64_t to_us,
                        const LkSlurmHold *hold)
{
  for (guint i = first_behind (self, from_us); i < self->slots->len; i++) {
    const LkSlurmSlot *slot = slot_at (self, i);
    if (slot->begin_us >= to_us)
      break;
    for (uint32_t word = 0; word < self->words; word++)
      if ((hold->nodes[word] & ~slot->nodes[word]) != 0)
        return TRUE;
    if (lacks_licenses (self, slot, hold->licenses))
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
      LkSlurmSlot second = *slot;
      second.begin_us = at_us;
      second.nodes = g_memdup2 (slot->nodes, self->words * sizeof (guint64));
      second.licenses = g_memdup2 (slot->licenses, self->license_count * sizeof (uint32_t));
      slot->end_us = at_us;
      slot->gives_back = FALSE;
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
    if (memcmp (slot->nodes, next->nodes, self->words * sizeof (guint64)) != 0
        || (self->license_count > 0
            && memcmp (slot->licenses, next->licenses, self->license_count * sizeof (uint32_t))
                   != 0))
      continue;
    slot->end_us = next->end_us;
    slot->gives_back = next->gives_back;
    g_free (next->nodes);
    g_free (next->licenses);
    g_array_remove_index (self->slots, i + 1);
    return;
  }
}

/* Takes out of the slot what is reserved. */
static void
take (const LkSlurmSlots *self, LkSlurmSlot *slot, const LkSlurmHold *hold)
{
  for (uint32_t word = 0; word < self->words; word++)
    slot->nodes[word] &= ~hold->nodes[word];
  slot->node_count = lk_slurm_bits_count (slot->nodes, self->words);
  for (uint32_t kind = 0; hold->licenses != NULL && kind < self->license_count; kind++)
    slot->licenses[kind] -= MIN (slot->licenses[kind], hold->licenses[kind]);
}

void
lk_slurm_slots_reserve (LkSlurmSlots *self, int64_t from_us, int64_t to_us, const LkSlurmHold *hold)
{
  split (self, from_us);
  split (self, to_us);
  for (guint i = 0; i < self->slots->len; i++) {
    LkSlurmSlot *slot = slot_at (self, i);
    if (slot->begin_us >= from_us && slot->end_us <= to_us)
      take (self, slot, hold);
  }
  for (guint i = 0; i + 1 < self->slots->len; i++)
    slot_at (self, i)->gives_back = gives_back (self, slot_at (self, i), slot_at (self, i + 1));
  merge_one (self);
}
