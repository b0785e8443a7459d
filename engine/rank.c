/* engine/rank.c — a two-level sorted sequence: a directory of blocks, and jobs in the blocks.
 *
 * Invariants: only a lone block may be empty; blocks and the entries in them are in order; the
 * directory's summaries are exact; two neighbours that fit in half a block are joined.  Entries
 * hold copies of key, units and estimate, so that a search reads straight through memory. */
#include "engine/rank.h"

#include <string.h>

#include "engine/assert.h"

#define BLOCK_JOBS LK_RANK_BLOCK_JOBS

typedef struct {
  guint32 begin; /* entries are in [begin, end) */
  guint32 end;
  gint64 key[BLOCK_JOBS];
  gint64 estimate_us[BLOCK_JOBS];
  guint32 units[BLOCK_JOBS];
  LkJobIndex job[BLOCK_JOBS];
} Block;

typedef struct {
  gint64 key;
  LkJobIndex job;
} SortEntry;

typedef struct {
  guint32 block;
  guint32 slot;
} Position;

struct _LkRank {
  const LkJobTable *table;
  gint64 *const *key_column;
  guint32 *const *level_column; /* NULL: all jobs are of one level */
  guint32 count;
  guint32 units_min_all; /* of all blocks; valid unless stale */
  gboolean units_min_stale;

  /* The directory, by block. */
  Block **blocks;
  guint32 *units_min;
  gint64 *estimate_min_us;
  guint64 *units_sum;
  guint32 block_count;
  guint32 block_capacity;

  Position *found;   /* where lk_rank_next last found a job: a walk goes on from there */
  Block *spare;      /* an empty block kept for the next split */
  SortEntry *sorted; /* scratch of rekey, two halves */
  guint32 sorted_capacity;
};

/* ---------------------------------------------------------------- order */

static inline gboolean
job_before (const LkRank *self, LkJobIndex a, LkJobIndex b)
{
  const LkJobTable *table = self->table;
  if (table->submit_us[a] != table->submit_us[b])
    return table->submit_us[a] < table->submit_us[b];
  /* Tasks of an array lie where the array does, by index; those that are in no job of their own
   * behind the others, but the last one in its place. */
  guint32 line_a = table->array_job_id[a] != 0 ? table->array_job_id[a] : table->id[a];
  guint32 line_b = table->array_job_id[b] != 0 ? table->array_job_id[b] : table->id[b];
  if (line_a != line_b)
    return line_a < line_b;
  if (table->array_rank[a] != table->array_rank[b])
    return table->array_rank[a] < table->array_rank[b];
  /* Where a job was amended, the array's id is that of a job which is no task. */
  return table->id[a] < table->id[b];
}

static inline guint32
level_of (const LkRank *self, LkJobIndex job)
{
  return self->level_column != NULL ? (*self->level_column)[job] : 0;
}

/* Does the entry come before (key, job)? */
static inline gboolean
entry_before (const LkRank *self, const Block *block, guint32 slot, gint64 key, LkJobIndex job)
{
  guint32 level = level_of (self, block->job[slot]);
  guint32 level_job = level_of (self, job);
  if (level != level_job)
    return level > level_job;
  if (block->key[slot] != key)
    return block->key[slot] < key;
  return job_before (self, block->job[slot], job);
}

/* The block where (key, job) is or belongs. */
static guint32
find_block (const LkRank *self, gint64 key, LkJobIndex job)
{
  guint32 low = 0;
  guint32 high = self->block_count - 1; /* the answer is in [low, high] */
  const Block *last = self->blocks[high];
  if (high == 0 || entry_before (self, last, last->begin, key, job))
    return high;
  while (low < high) {
    guint32 middle = low + (high - low + 1) / 2;
    const Block *block = self->blocks[middle];
    if (block->job[block->begin] == job || entry_before (self, block, block->begin, key, job))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* First slot of the block that does not come before (key, job). */
static guint32
find_slot (const LkRank *self, const Block *block, gint64 key, LkJobIndex job)
{
  guint32 low = block->begin;
  guint32 count = block->end - block->begin;
  if (count > 0 && entry_before (self, block, block->end - 1, key, job))
    return block->end;
  /* By key without a branch to mispredict; then, where keys are equal, by the tie-break. */
  while (self->level_column == NULL && count > 1) {
    guint32 half = count / 2;
    low += block->key[low + half - 1] < key ? half : 0;
    count -= half;
  }
  guint32 high = block->end;
  if (low < high && !entry_before (self, block, low, key, job))
    return low;
  while (low < high) {
    guint32 middle = low + (high - low) / 2;
    if (entry_before (self, block, middle, key, job))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* ---------------------------------------------------------------- directory */

static Block *
block_new (LkRank *self)
{
  Block *block = self->spare;
  self->spare = NULL;
  if (block == NULL)
    block = g_new (Block, 1);
  block->begin = 0;
  block->end = 0;
  return block;
}

static void
directory_insert (LkRank *self, guint32 at, Block *block)
{
  if (self->block_count == self->block_capacity) {
    self->block_capacity = MAX (16, self->block_capacity * 2);
    self->blocks = g_renew (Block *, self->blocks, self->block_capacity);
    self->units_min = g_renew (guint32, self->units_min, self->block_capacity);
    self->estimate_min_us = g_renew (gint64, self->estimate_min_us, self->block_capacity);
    self->units_sum = g_renew (guint64, self->units_sum, self->block_capacity);
  }
  gsize behind = self->block_count - at;
  memmove (self->blocks + at + 1, self->blocks + at, behind * sizeof *self->blocks);
  memmove (self->units_min + at + 1, self->units_min + at, behind * sizeof *self->units_min);
  memmove (self->estimate_min_us + at + 1, self->estimate_min_us + at,
           behind * sizeof *self->estimate_min_us);
  memmove (self->units_sum + at + 1, self->units_sum + at, behind * sizeof *self->units_sum);
  self->blocks[at] = block;
  self->block_count++;
}

static void
directory_remove (LkRank *self, guint32 at)
{
  gsize behind = self->block_count - at - 1;
  if (self->spare == NULL)
    self->spare = self->blocks[at];
  else
    g_free (self->blocks[at]);
  memmove (self->blocks + at, self->blocks + at + 1, behind * sizeof *self->blocks);
  memmove (self->units_min + at, self->units_min + at + 1, behind * sizeof *self->units_min);
  memmove (self->estimate_min_us + at, self->estimate_min_us + at + 1,
           behind * sizeof *self->estimate_min_us);
  memmove (self->units_sum + at, self->units_sum + at + 1, behind * sizeof *self->units_sum);
  self->block_count--;
}

static void
summarize (LkRank *self, guint32 at)
{
  const Block *block = self->blocks[at];
  guint32 units_min = G_MAXUINT32;
  gint64 estimate_min_us = G_MAXINT64;
  guint64 units_sum = 0;
  for (guint32 slot = block->begin; slot < block->end; slot++) {
    units_min = MIN (units_min, block->units[slot]);
    estimate_min_us = MIN (estimate_min_us, block->estimate_us[slot]);
    units_sum += block->units[slot];
  }
  self->units_min[at] = units_min;
  self->estimate_min_us[at] = estimate_min_us;
  self->units_sum[at] = units_sum;
}

/* Does some job of the block still have the least units, or the least estimate, of the summary? */
static gboolean
least_units_remain (const LkRank *self, guint32 at)
{
  const Block *block = self->blocks[at];
  for (guint32 slot = block->begin; slot < block->end; slot++)
    if (block->units[slot] == self->units_min[at])
      return TRUE;
  return FALSE;
}

static gboolean
least_estimate_remains (const LkRank *self, guint32 at)
{
  const Block *block = self->blocks[at];
  for (guint32 slot = block->begin; slot < block->end; slot++)
    if (block->estimate_us[slot] == self->estimate_min_us[at])
      return TRUE;
  return FALSE;
}

/* ---------------------------------------------------------------- blocks */

/* Moves `count` entries of a block from one slot to another, of the same or of another block. */
static void
move_entries (Block *to, guint32 to_slot, const Block *from, guint32 from_slot, guint32 count)
{
  memmove (to->key + to_slot, from->key + from_slot, count * sizeof *to->key);
  memmove (to->estimate_us + to_slot, from->estimate_us + from_slot,
           count * sizeof *to->estimate_us);
  memmove (to->units + to_slot, from->units + from_slot, count * sizeof *to->units);
  memmove (to->job + to_slot, from->job + from_slot, count * sizeof *to->job);
}

static void
write_entry (LkRank *self, Block *block, guint32 slot, LkJobIndex job)
{
  block->key[slot] = (*self->key_column)[job];
  block->estimate_us[slot] = self->table->estimate_us[job];
  block->units[slot] = self->table->units[job];
  block->job[slot] = job;
}

/* Splits a full block: in half, or by an empty one behind it when the new entry goes to the very
 * end. */
static void
split (LkRank *self, guint32 at, gboolean at_end)
{
  Block *block = self->blocks[at];
  Block *behind = block_new (self);
  guint32 keep = at_end ? BLOCK_JOBS : BLOCK_JOBS / 2;
  directory_insert (self, at + 1, behind);
  behind->end = BLOCK_JOBS - keep;
  move_entries (behind, 0, block, keep, behind->end);
  block->end = keep;
  summarize (self, at);
  summarize (self, at + 1);
}

static void
join_small (LkRank *self, guint32 at)
{
  if (at + 1 >= self->block_count)
    return;
  Block *block = self->blocks[at];
  const Block *behind = self->blocks[at + 1];
  guint32 count = block->end - block->begin;
  guint32 behind_count = behind->end - behind->begin;
  if (count + behind_count > BLOCK_JOBS / 2)
    return;
  move_entries (block, 0, block, block->begin, count);
  move_entries (block, count, behind, behind->begin, behind_count);
  block->begin = 0;
  block->end = count + behind_count;
  directory_remove (self, at + 1);
  summarize (self, at);
}

/* ---------------------------------------------------------------- public */

LkRank *
lk_rank_new (const LkJobTable *table, gint64 *const *key_column)
{
  LkRank *self = g_new0 (LkRank, 1);
  self->found = g_new0 (Position, 1);
  self->table = table;
  self->key_column = key_column;
  self->units_min_all = G_MAXUINT32;
  directory_insert (self, 0, block_new (self));
  summarize (self, 0);
  return self;
}

void
lk_rank_free (LkRank *self)
{
  if (self == NULL)
    return;
  g_free (self->found);
  for (guint32 i = 0; i < self->block_count; i++)
    g_free (self->blocks[i]);
  g_free (self->blocks);
  g_free (self->units_min);
  g_free (self->estimate_min_us);
  g_free (self->units_sum);
  g_free (self->spare);
  g_free (self->sorted);
  g_free (self);
}

void
lk_rank_set_levels (LkRank *self, guint32 *const *level_column)
{
  LK_ASSERT (self->count == 0);
  self->level_column = level_column;
}

void
lk_rank_insert (LkRank *self, LkJobIndex job)
{
  gint64 key = (*self->key_column)[job];
  guint32 at = find_block (self, key, job);
  Block *block = self->blocks[at];
  guint32 slot = find_slot (self, block, key, job);

  if (block->end - block->begin == BLOCK_JOBS) {
    gboolean at_end = at + 1 == self->block_count && slot == block->end;
    split (self, at, at_end);
    if (at_end || slot > block->end)
      block = self->blocks[++at];
    slot = find_slot (self, block, key, job);
  }
  if (block->end == BLOCK_JOBS) {
    move_entries (block, 0, block, block->begin, block->end - block->begin);
    slot -= block->begin;
    block->end -= block->begin;
    block->begin = 0;
  }
  move_entries (block, slot + 1, block, slot, block->end - slot);
  block->end++;
  write_entry (self, block, slot, job);
  self->units_min[at] = MIN (self->units_min[at], block->units[slot]);
  self->estimate_min_us[at] = MIN (self->estimate_min_us[at], block->estimate_us[slot]);
  self->units_sum[at] += block->units[slot];
  self->units_min_all = MIN (self->units_min_all, block->units[slot]);
  self->count++;
}

void
lk_rank_remove (LkRank *self, LkJobIndex job)
{
  gint64 key = (*self->key_column)[job];
  guint32 at = find_block (self, key, job);
  Block *block = self->blocks[at];
  guint32 slot = find_slot (self, block, key, job);
  LK_ASSERT (slot < block->end);
  LK_ASSERT (block->job[slot] == job);

  guint32 units = block->units[slot];
  gint64 estimate_us = block->estimate_us[slot];
  if (slot == block->begin) {
    block->begin++;
  } else {
    move_entries (block, slot, block, slot + 1, block->end - slot - 1);
    block->end--;
  }
  self->count--;
  if (units == self->units_min_all)
    self->units_min_stale = TRUE;
  if (block->begin == block->end) {
    block->begin = block->end = 0;
    if (self->block_count > 1) {
      directory_remove (self, at);
      return;
    }
  }
  self->units_sum[at] -= units;
  if ((units == self->units_min[at] && !least_units_remain (self, at))
      || (estimate_us == self->estimate_min_us[at] && !least_estimate_remains (self, at)))
    summarize (self, at);
  if (block->end - block->begin < BLOCK_JOBS / 4)
    join_small (self, at);
}

guint32
lk_rank_count (const LkRank *self)
{
  return self->count;
}

guint32
lk_rank_units_min (LkRank *self)
{
  if (self->units_min_stale) {
    self->units_min_all = G_MAXUINT32;
    for (guint32 i = 0; i < self->block_count; i++)
      self->units_min_all = MIN (self->units_min_all, self->units_min[i]);
    self->units_min_stale = FALSE;
  }
  return self->units_min_all;
}

LkJobIndex
lk_rank_first (const LkRank *self)
{
  const Block *block = self->blocks[0];
  return self->count > 0 ? block->job[block->begin] : LK_JOB_NONE;
}

/* Position of the first entry behind `after`; the slot may be the end of its block. */
static Position
behind (const LkRank *self, LkJobIndex after)
{
  Position position = { 0, self->blocks[0]->begin };
  if (after == LK_JOB_NONE || self->count == 0)
    return position;
  /* A job is in one place only, so it is the right one if it is there. */
  if (self->found->block < self->block_count) {
    const Block *block = self->blocks[self->found->block];
    guint32 slot = self->found->slot;
    if (slot >= block->begin && slot < block->end && block->job[slot] == after)
      return (Position){ self->found->block, slot + 1 };
  }
  gint64 key = (*self->key_column)[after];
  position.block = find_block (self, key, after);
  const Block *block = self->blocks[position.block];
  position.slot = find_slot (self, block, key, after);
  if (position.slot < block->end && block->job[position.slot] == after)
    position.slot++;
  return position;
}

static inline gboolean
passes (guint32 units, gint64 estimate_us, const LkQueueFilter *filter)
{
  return units <= filter->units_max
         && (estimate_us <= filter->short_us || units <= filter->units_long_max);
}

static const LkQueueFilter pass_all = {
  .units_max = G_MAXUINT32,
  .units_long_max = G_MAXUINT32,
  .short_us = G_MAXINT64,
};

LkJobIndex
lk_rank_next (const LkRank *self, LkJobIndex after, const LkQueueFilter *filter)
{
  Position position = behind (self, after);
  if (filter == NULL)
    filter = &pass_all;
  for (guint32 at = position.block; at < self->block_count; at++) {
    const Block *block = self->blocks[at];
    guint32 slot = at == position.block ? position.slot : block->begin;
    if (!passes (self->units_min[at], self->estimate_min_us[at], filter))
      continue;
    for (; slot < block->end; slot++)
      if (passes (block->units[slot], block->estimate_us[slot], filter)) {
        *self->found = (Position){ at, slot };
        return block->job[slot];
      }
  }
  return LK_JOB_NONE;
}

gboolean
lk_rank_before (const LkRank *self, LkJobIndex a, LkJobIndex b)
{
  const gint64 *key = *self->key_column;
  if (level_of (self, a) != level_of (self, b))
    return level_of (self, a) > level_of (self, b);
  return key[a] != key[b] ? key[a] < key[b] : job_before (self, a, b);
}

/* Sum of the units from a position on as long as the key is not above `key`. */
static guint64
sum_of_ties (const LkRank *self, Position from, gint64 key)
{
  guint64 sum = 0;
  for (guint32 at = from.block; at < self->block_count; at++) {
    const Block *block = self->blocks[at];
    for (guint32 slot = at == from.block ? from.slot : block->begin; slot < block->end; slot++) {
      if (block->key[slot] > key)
        return sum;
      sum += block->units[slot];
    }
  }
  return sum;
}

LkJobIndex
lk_rank_reach (const LkRank *self, guint64 units, guint64 *out_units_sum)
{
  guint64 sum = 0;
  guint32 at = 0;
  for (; at < self->block_count && sum + self->units_sum[at] < units; at++)
    sum += self->units_sum[at];
  if (at == self->block_count || self->count == 0) {
    *out_units_sum = sum;
    return LK_JOB_NONE;
  }
  const Block *block = self->blocks[at];
  guint32 slot = block->begin;
  for (sum += block->units[slot]; sum < units; sum += block->units[slot])
    slot++;
  LK_ASSERT (slot < block->end);
  *out_units_sum = sum + sum_of_ties (self, (Position){ at, slot + 1 }, block->key[slot]);
  return block->job[slot];
}

/* ---------------------------------------------------------------- rekey */

/* NOLINTBEGIN(clang-analyzer-core.*): collect() fills all of the entries; the analyzer cannot see
 * that the blocks hold `count` jobs. */
static inline gboolean
sorts_before (const LkRank *self, const SortEntry *a, const SortEntry *b)
{
  guint32 level_a = level_of (self, a->job);
  guint32 level_b = level_of (self, b->job);
  if (level_a != level_b)
    return level_a > level_b;
  return a->key != b->key ? a->key < b->key : job_before (self, a->job, b->job);
}

/* NOLINTEND(clang-analyzer-core.*) */

static guint32
run_end (const LkRank *self, const SortEntry *entries, guint32 begin, guint32 count)
{
  guint32 end = begin + 1;
  while (end < count && sorts_before (self, &entries[end - 1], &entries[end]))
    end++;
  return end;
}

static void
merge_runs (const LkRank *self, const SortEntry *from, guint32 begin, guint32 middle, guint32 end,
            SortEntry *to)
{
  guint32 left = begin;
  guint32 right = middle;
  for (guint32 at = begin; at < end; at++) {
    gboolean take_left =
        right == end || (left < middle && sorts_before (self, &from[left], &from[right]));
    to[at] = take_left ? from[left++] : from[right++];
  }
}

/* Natural merge sort: the order mostly survives from pass to pass. `first_end` is where the first
 * run ends.  Returns the half that holds the result. */
static SortEntry *
sort_entries (const LkRank *self, SortEntry *entries, SortEntry *other, guint32 first_end)
{
  guint32 count = self->count;
  for (; first_end < count; first_end = run_end (self, entries, 0, count)) {
    for (guint32 begin = 0; begin < count;) {
      guint32 middle = run_end (self, entries, begin, count);
      guint32 end = middle < count ? run_end (self, entries, middle, count) : middle;
      merge_runs (self, entries, begin, middle, end, other);
      begin = end;
    }
    SortEntry *swap = entries;
    entries = other;
    other = swap;
  }
  return entries;
}

static SortEntry *
collect (LkRank *self, gint64 (*key) (gpointer user, LkJobIndex job), gpointer user)
{
  SortEntry *next = self->sorted;
  for (guint32 at = 0; at < self->block_count; at++) {
    const Block *block = self->blocks[at];
    for (guint32 slot = block->begin; slot < block->end; slot++) {
      LkJobIndex job = block->job[slot];
      *next++ = (SortEntry){ .key = key (user, job), .job = job };
    }
  }
  return self->sorted;
}

/* The order is as it was: only the keys change. */
static void
set_keys (LkRank *self, const SortEntry *entries)
{
  for (guint32 at = 0; at < self->block_count; at++) {
    Block *block = self->blocks[at];
    for (guint32 slot = block->begin; slot < block->end; slot++, entries++) {
      (*self->key_column)[entries->job] = entries->key;
      block->key[slot] = entries->key;
    }
  }
}

gboolean
lk_rank_rekey (LkRank *self, gint64 (*key) (gpointer user, LkJobIndex job), gpointer user)
{
  if (self->count == 0)
    return FALSE;
  if (self->sorted_capacity < self->count) {
    self->sorted_capacity = MAX (2 * self->sorted_capacity, self->count);
    g_free (self->sorted);
    self->sorted = g_new (SortEntry, 2 * (gsize)self->sorted_capacity);
  }
  SortEntry *entries = collect (self, key, user);
  guint32 first_end = run_end (self, entries, 0, self->count);
  if (first_end == self->count) {
    set_keys (self, entries);
    return FALSE;
  }
  entries = sort_entries (self, entries, self->sorted + self->sorted_capacity, first_end);
  /* The blocks keep their sizes; only what is in them changes. */
  for (guint32 at = 0; at < self->block_count; at++) {
    Block *block = self->blocks[at];
    for (guint32 slot = block->begin; slot < block->end; slot++, entries++) {
      (*self->key_column)[entries->job] = entries->key;
      write_entry (self, block, slot, entries->job);
    }
    summarize (self, at);
  }
  return TRUE;
}

/* ---------------------------------------------------------------- check */

static void
check_block (const LkRank *self, guint32 at)
{
  const Block *block = self->blocks[at];
  guint64 sum = 0;
  LK_ASSERT (block->begin <= block->end);
  LK_ASSERT (block->end <= BLOCK_JOBS);
  LK_ASSERT (block->begin < block->end || self->block_count == 1);
  for (guint32 slot = block->begin; slot < block->end; slot++) {
    LkJobIndex job = block->job[slot];
    LK_ASSERT (block->key[slot] == (*self->key_column)[job]);
    LK_ASSERT (block->units[slot] == self->table->units[job]);
    LK_ASSERT (block->estimate_us[slot] == self->table->estimate_us[job]);
    LK_ASSERT (block->units[slot] >= self->units_min[at]);
    LK_ASSERT (block->estimate_us[slot] >= self->estimate_min_us[at]);
    if (slot > block->begin)
      LK_ASSERT (entry_before (self, block, slot - 1, block->key[slot], job));
    sum += block->units[slot];
  }
  LK_ASSERT (sum == self->units_sum[at]);
}

void
lk_rank_check (const LkRank *self)
{
  guint32 count = 0;
  for (guint32 at = 0; at < self->block_count; at++) {
    const Block *block = self->blocks[at];
    check_block (self, at);
    count += block->end - block->begin;
    if (at > 0) {
      const Block *before = self->blocks[at - 1];
      LK_ASSERT (entry_before (self, before, before->end - 1, block->key[block->begin],
                               block->job[block->begin]));
    }
  }
  LK_ASSERT (count == self->count);
  for (guint32 at = 0; at < self->block_count && !self->units_min_stale; at++)
    LK_ASSERT (self->units_min[at] >= self->units_min_all);
}
