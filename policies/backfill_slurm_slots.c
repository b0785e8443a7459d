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
  self->gives_up = FALSE;
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

/* Are there nodes of the set in the next slot that are not in this one? */
static gboolean
gives_back_any (const LkSlurmSlots *self, guint i, const guint64 *set)
{
  const LkSlurmSlot *slot = slot_at (self, i);
  for (uint32_t word = 0; slot->gives_back && word < self->words; word++)
    if ((slot[1].nodes[word] & ~slot->nodes[word] & set[word]) != 0)
      return TRUE;
  return FALSE;
}

/* Slots that a try looks at. */
typedef struct {
  int64_t duration_us;
  int64_t to_us;
  guint first;
  guint least; /* tries that begin before this slot ends would fail */
} Span;

/* The next moment to try: the end of a slot after which nodes of the set come back.  Tries go from
 * one such end to the next.  Up to Slurm 22.05 a try that finds none among its slots is the last;
 * newer releases go on at the end of the second slot after those, if another slot follows it. */
static int64_t
later_us (const LkSlurmSlots *self, const Span *span, const guint64 *set)
{
  int64_t to_us = span->to_us;
  for (guint i = span->first; i + 1 < self->slots->len; i++) {
    gboolean is_next = gives_back_any (self, i, set);
    if (!is_next && slot_at (self, i)->begin_us > to_us) {
      if (self->gives_up || ++i + 1 >= self->slots->len)
        break;
      is_next = TRUE;
    }
    if (is_next && i >= span->least)
      return slot_at (self, i)->end_us;
    if (is_next)
      to_us = lk_slurm_add_us (slot_at (self, i)->end_us, span->duration_us);
  }
  return LK_TIME_NEVER;
}

int64_t
lk_slurm_slots_limit (const LkSlurmSlots *self, int64_t from_us, int64_t duration_us,
                      uint32_t least_count, guint64 *nodes)
{
  Span span = { duration_us, lk_slurm_add_us (from_us, duration_us), first_behind (self, from_us),
                0 };
  guint end = MIN (first_behind (self, span.to_us) + 1, self->slots->len);
  uint32_t count = lk_slurm_bits_count (nodes, self->words);
  guint poor = end;
  while (poor > span.first && slot_at (self, poor - 1)->node_count >= least_count)
    poor--;
  gboolean is_hopeless = poor > span.first;
  span.least = is_hopeless ? poor - 1 : span.first;
  int64_t next_us = later_us (self, &span, nodes);
  if (is_hopeless)
    memset (nodes, 0, self->words * sizeof *nodes);
  for (guint i = span.first; i < end && count >= least_count && !is_hopeless; i++)
    count -= cut (self, slot_at (self, i), nodes);
  return next_us;
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
