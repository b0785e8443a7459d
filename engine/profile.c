/* engine/profile.c — see the header.
 *
 * A directory of blocks of steps.  What is added to all steps of a block is kept in the directory
 * (`offset`), not in the steps; the directory's least and most include it. */
#include "engine/profile.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"

#define BLOCK_STEPS 64u

typedef struct {
  guint32 begin; /* steps are in [begin, end) */
  guint32 end;
  gint64 time_us[BLOCK_STEPS];
  gint32 units_free[BLOCK_STEPS]; /* less the block's offset */
} Block;

typedef struct {
  Block *block;
  gint64 time_us; /* of its first step */
  gint32 offset;
  gint32 units_min;
  gint32 units_max;
} Entry;

struct _LkProfile {
  guint32 capacity;
  Entry *entries;
  guint32 entry_count;
  guint32 entry_capacity;
  Block *spare;
};

typedef struct {
  guint32 entry;
  guint32 slot;
} Position;

/* ---------------------------------------------------------------- blocks */

static void
entry_insert (LkProfile *self, guint32 at)
{
  Block *block = self->spare != NULL ? self->spare : g_new (Block, 1);
  self->spare = NULL;
  block->begin = block->end = 0;
  if (self->entry_count == self->entry_capacity) {
    self->entry_capacity = MAX (16, self->entry_capacity * 2);
    self->entries = g_renew (Entry, self->entries, self->entry_capacity);
  }
  memmove (self->entries + at + 1, self->entries + at,
           (self->entry_count - at) * sizeof *self->entries);
  self->entries[at] = (Entry){ .block = block };
  self->entry_count++;
}

static void
entry_remove (LkProfile *self, guint32 at)
{
  if (self->spare == NULL)
    self->spare = self->entries[at].block;
  else
    g_free (self->entries[at].block);
  memmove (self->entries + at, self->entries + at + 1,
           (self->entry_count - at - 1) * sizeof *self->entries);
  self->entry_count--;
}

static void
summarize (Entry *entry)
{
  const Block *block = entry->block;
  gint32 units_min = G_MAXINT32;
  gint32 units_max = G_MININT32;
  for (guint32 slot = block->begin; slot < block->end; slot++) {
    units_min = MIN (units_min, block->units_free[slot]);
    units_max = MAX (units_max, block->units_free[slot]);
  }
  entry->units_min = units_min + entry->offset;
  entry->units_max = units_max + entry->offset;
  entry->time_us = block->time_us[block->begin];
}

static void
move_steps (Block *to, guint32 to_slot, const Block *from, guint32 from_slot, guint32 count)
{
  memmove (to->time_us + to_slot, from->time_us + from_slot, count * sizeof *to->time_us);
  memmove (to->units_free + to_slot, from->units_free + from_slot, count * sizeof *to->units_free);
}

/* The step that holds at `at_us`; the first one when it is earlier than all. */
static Position
find (const LkProfile *self, gint64 at_us)
{
  guint32 low = 0;
  guint32 high = self->entry_count - 1;
  const Block *begin = self->entries[0].block;
  /* Often the first, which holds now. */
  if (begin->begin + 1 < begin->end && begin->time_us[begin->begin + 1] > at_us)
    return (Position){ 0, begin->begin };
  while (low < high) {
    guint32 middle = low + (high - low + 1) / 2;
    if (self->entries[middle].time_us <= at_us)
      low = middle;
    else
      high = middle - 1;
  }
  const Block *block = self->entries[low].block;
  guint32 first = block->begin;
  guint32 last = block->end - 1;
  while (first < last) {
    guint32 middle = first + (last - first + 1) / 2;
    if (block->time_us[middle] <= at_us)
      first = middle;
    else
      last = middle - 1;
  }
  return (Position){ low, first };
}

static Position
next_position (const LkProfile *self, Position position)
{
  const Block *block = self->entries[position.entry].block;
  if (position.slot + 1 < block->end)
    return (Position){ position.entry, position.slot + 1 };
  if (position.entry + 1 == self->entry_count)
    return (Position){ self->entry_count, 0 };
  return (Position){ position.entry + 1, self->entries[position.entry + 1].block->begin };
}

static void
split_block (LkProfile *self, guint32 at)
{
  entry_insert (self, at + 1);
  Entry *entry = &self->entries[at];
  Entry *behind = &self->entries[at + 1];
  behind->offset = entry->offset;
  behind->block->end = BLOCK_STEPS / 2;
  move_steps (behind->block, 0, entry->block, BLOCK_STEPS / 2, BLOCK_STEPS / 2);
  entry->block->end = BLOCK_STEPS / 2;
  summarize (entry);
  summarize (behind);
}

/* Makes sure that a step begins at `at_us` and returns it. */
static Position
cut (LkProfile *self, gint64 at_us)
{
  Position position = find (self, at_us);
  Entry *entry = &self->entries[position.entry];
  Block *block = entry->block;
  LK_ASSERT (block->time_us[position.slot] <= at_us);
  if (block->time_us[position.slot] == at_us)
    return position;
  if (block->end == BLOCK_STEPS && block->begin > 0) {
    move_steps (block, 0, block, block->begin, block->end - block->begin);
    position.slot -= block->begin;
    block->end -= block->begin;
    block->begin = 0;
  } else if (block->end == BLOCK_STEPS) {
    split_block (self, position.entry);
    position = find (self, at_us);
    block = self->entries[position.entry].block;
  }
  guint32 slot = position.slot + 1;
  move_steps (block, slot + 1, block, slot, block->end - slot);
  block->end++;
  block->time_us[slot] = at_us;
  block->units_free[slot] = block->units_free[position.slot];
  return (Position){ position.entry, slot };
}

static void
join_small (LkProfile *self, guint32 at)
{
  if (at + 1 >= self->entry_count)
    return;
  Entry *entry = &self->entries[at];
  Block *block = entry->block;
  const Block *behind = self->entries[at + 1].block;
  guint32 count = block->end - block->begin;
  guint32 behind_count = behind->end - behind->begin;
  if (count + behind_count > BLOCK_STEPS / 2)
    return;
  gint32 offset_change = self->entries[at + 1].offset - entry->offset;
  move_steps (block, 0, block, block->begin, count);
  move_steps (block, count, behind, behind->begin, behind_count);
  block->begin = 0;
  block->end = count + behind_count;
  for (guint32 slot = count; slot < block->end; slot++)
    block->units_free[slot] += offset_change;
  entry_remove (self, at + 1);
  summarize (&self->entries[at]);
}

static gint32
units_at (const LkProfile *self, Position position)
{
  const Entry *entry = &self->entries[position.entry];
  return entry->block->units_free[position.slot] + entry->offset;
}

/* Drops the step at this position when it does not differ from the one before it. */
static void
heal (LkProfile *self, Position position)
{
  Entry *entry = &self->entries[position.entry];
  Block *block = entry->block;
  if (position.entry == 0 && position.slot == block->begin)
    return;
  Position before = { position.entry, position.slot - 1 };
  if (position.slot == block->begin) {
    before.entry--;
    before.slot = self->entries[before.entry].block->end - 1;
  }
  if (units_at (self, before) != units_at (self, position))
    return;
  move_steps (block, position.slot, block, position.slot + 1, block->end - position.slot - 1);
  block->end--;
  if (block->begin == block->end) {
    entry_remove (self, position.entry);
    return;
  }
  summarize (entry);
  if (block->end - block->begin < BLOCK_STEPS / 4)
    join_small (self, position.entry);
}

/* Adds to every step in [from, to); `to_us` ends the last one. */
static void
add (LkProfile *self, gint64 from_us, gint64 to_us, gint32 units)
{
  if (from_us >= to_us || units == 0)
    return;
  if (to_us != LK_TIME_NEVER)
    cut (self, to_us);
  Position from = cut (self, from_us);
  for (guint32 at = from.entry; at < self->entry_count; at++) {
    Entry *entry = &self->entries[at];
    Block *block = entry->block;
    guint32 slot = at == from.entry ? from.slot : block->begin;
    if (block->time_us[slot] >= to_us)
      break;
    if (slot == block->begin && block->time_us[block->end - 1] < to_us) {
      entry->offset += units;
      entry->units_min += units;
      entry->units_max += units;
    } else {
      for (; slot < block->end && block->time_us[slot] < to_us; slot++)
        block->units_free[slot] += units;
      summarize (entry);
    }
    LK_ASSERT (entry->units_min >= 0);
    LK_ASSERT (entry->units_max <= (gint32)self->capacity);
  }
  /* A step begins at each of the two. */
  heal (self, from);
  if (to_us != LK_TIME_NEVER)
    heal (self, find (self, to_us));
}

/* ---------------------------------------------------------------- public */

LkProfile *
lk_profile_new (guint32 capacity)
{
  LkProfile *self = g_new0 (LkProfile, 1);
  LK_ASSERT (capacity <= G_MAXINT32);
  self->capacity = capacity;
  lk_profile_reset (self, 0);
  return self;
}

void
lk_profile_free (LkProfile *self)
{
  if (self == NULL)
    return;
  for (guint32 i = 0; i < self->entry_count; i++)
    g_free (self->entries[i].block);
  g_free (self->entries);
  g_free (self->spare);
  g_free (self);
}

void
lk_profile_reset (LkProfile *self, gint64 now_us)
{
  while (self->entry_count > 1)
    entry_remove (self, self->entry_count - 1);
  if (self->entry_count == 0)
    entry_insert (self, 0);
  Entry *entry = &self->entries[0];
  entry->offset = 0;
  entry->block->begin = 0;
  entry->block->end = 1;
  entry->block->time_us[0] = now_us;
  entry->block->units_free[0] = (gint32)self->capacity;
  summarize (entry);
}

void
lk_profile_advance (LkProfile *self, gint64 now_us)
{
  Position position = find (self, now_us);
  if (position.entry > 0) {
    for (guint32 at = 0; at < position.entry; at++)
      g_free (self->entries[at].block);
    memmove (self->entries, self->entries + position.entry,
             (self->entry_count - position.entry) * sizeof *self->entries);
    self->entry_count -= position.entry;
  }
  Block *block = self->entries[0].block;
  if (block->begin != position.slot) {
    block->begin = position.slot;
    summarize (&self->entries[0]);
  }
}

void
lk_profile_reserve (LkProfile *self, gint64 from_us, gint64 to_us, guint32 units)
{
  LK_ASSERT (units <= self->capacity);
  add (self, from_us, to_us, -(gint32)units);
}

void
lk_profile_release (LkProfile *self, gint64 from_us, gint64 to_us, guint32 units)
{
  LK_ASSERT (units <= self->capacity);
  add (self, from_us, to_us, (gint32)units);
}

/* A search for a gap: where it would begin, and until when it must last. */
typedef struct {
  gint32 units;
  gint64 duration_us;
  gint64 from_us;
  gint64 before_us;
  gint64 stop_us;
  gint64 begin_us; /* LK_TIME_NEVER: no gap is open */
  gint64 end_us;
} Search;

typedef enum { SEARCH_ON, SEARCH_FOUND, SEARCH_OVER } SearchState;

/* Takes in that `units_free` are free from `time_us` on. */
static inline SearchState
search_step (Search *search, gint64 time_us, gint32 units_free)
{
  if (search->begin_us != LK_TIME_NEVER) {
    if (time_us >= search->end_us)
      return SEARCH_FOUND;
    if (units_free < search->units)
      search->begin_us = LK_TIME_NEVER;
    return SEARCH_ON;
  }
  if (time_us >= search->before_us)
    return SEARCH_OVER;
  if (units_free >= search->units) {
    search->begin_us = MAX (time_us, search->from_us);
    search->end_us = MIN (lk_time_add_us (search->begin_us, search->duration_us), search->stop_us);
  }
  return SEARCH_ON;
}

/* Can the search pass over a block without looking into it? */
static inline gboolean
search_skips (const Search *search, const Entry *entry)
{
  if (search->begin_us == LK_TIME_NEVER)
    return entry->units_max < search->units && entry->time_us < search->before_us;
  return entry->units_min >= search->units && entry->time_us < search->end_us;
}

static SearchState
search_block (Search *search, const Entry *entry, guint32 slot)
{
  const Block *block = entry->block;
  SearchState state = SEARCH_ON;
  for (; slot < block->end && state == SEARCH_ON; slot++)
    state = search_step (search, block->time_us[slot], block->units_free[slot] + entry->offset);
  return state;
}

gint64
lk_profile_earliest_us (const LkProfile *self, guint32 units, gint64 duration_us, gint64 from_us,
                        gint64 before_us, gint64 stop_us)
{
  if (units > self->capacity || from_us >= before_us)
    return LK_TIME_NEVER;
  Search search = { .units = (gint32)units,
                    .duration_us = duration_us,
                    .from_us = from_us,
                    .before_us = before_us,
                    .stop_us = stop_us,
                    .begin_us = LK_TIME_NEVER };
  Position position = find (self, from_us);
  SearchState state = search_block (&search, &self->entries[position.entry], position.slot);
  for (guint32 at = position.entry + 1; at < self->entry_count && state == SEARCH_ON; at++)
    if (!search_skips (&search, &self->entries[at]))
      state = search_block (&search, &self->entries[at], self->entries[at].block->begin);
  return state == SEARCH_OVER ? LK_TIME_NEVER : search.begin_us;
}

guint32
lk_profile_units_free (const LkProfile *self, gint64 at_us)
{
  return (guint32)units_at (self, find (self, at_us));
}

guint32
lk_profile_units_max (const LkProfile *self, gint64 from_us, gint64 to_us)
{
  Position position = find (self, from_us);
  gint32 units_max = units_at (self, position);
  position = next_position (self, position);
  while (position.entry < self->entry_count) {
    const Entry *entry = &self->entries[position.entry];
    const Block *block = entry->block;
    if (block->time_us[position.slot] >= to_us)
      break;
    if (entry->units_max <= units_max) {
      position = (Position){ position.entry, block->end - 1 };
    } else {
      units_max = MAX (units_max, units_at (self, position));
    }
    position = next_position (self, position);
  }
  return (guint32)units_max;
}

guint32
lk_profile_units_min (const LkProfile *self, gint64 from_us, gint64 to_us)
{
  gint32 units_min = G_MAXINT32;
  for (Position position = find (self, from_us); position.entry < self->entry_count;
       position = next_position (self, position)) {
    gint64 time_us = self->entries[position.entry].block->time_us[position.slot];
    if (time_us >= to_us && units_min != G_MAXINT32)
      break;
    units_min = MIN (units_min, units_at (self, position));
  }
  return (guint32)units_min;
}

gint64
lk_profile_full_us (const LkProfile *self, gint64 from_us)
{
  Position position = find (self, from_us);
  while (position.entry < self->entry_count) {
    const Entry *entry = &self->entries[position.entry];
    if (units_at (self, position) == 0)
      return MAX (from_us, entry->block->time_us[position.slot]);
    if (entry->units_min > 0)
      position.slot = entry->block->end - 1;
    position = next_position (self, position);
  }
  return LK_TIME_NEVER;
}

guint32
lk_profile_step_count (const LkProfile *self)
{
  guint32 count = 0;
  for (guint32 at = 0; at < self->entry_count; at++)
    count += self->entries[at].block->end - self->entries[at].block->begin;
  return count;
}

void
lk_profile_check (const LkProfile *self)
{
  gint64 last_us = G_MININT64;
  gint32 last_units = -1;
  for (guint32 at = 0; at < self->entry_count; at++) {
    const Entry *entry = &self->entries[at];
    Entry summary = *entry;
    const Block *block = summary.block;
    LK_ASSERT (block->begin < block->end);
    LK_ASSERT (block->end <= BLOCK_STEPS);
    summarize (&summary);
    LK_ASSERT (summary.time_us == entry->time_us);
    LK_ASSERT (summary.units_min == entry->units_min);
    LK_ASSERT (summary.units_max == entry->units_max);
    LK_ASSERT (summary.units_min >= 0);
    LK_ASSERT (summary.units_max <= (gint32)self->capacity);
    for (guint32 slot = block->begin; slot < block->end; slot++) {
      gint32 units = units_at (self, (Position){ at, slot });
      LK_ASSERT (block->time_us[slot] > last_us || last_us == G_MININT64);
      LK_ASSERT (units != last_units);
      last_us = block->time_us[slot];
      last_units = units;
    }
  }
}
