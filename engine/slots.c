/* engine/slots.c — see the header. */
#include "engine/slots.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/bits.h"
#include "engine/checked.h"
#include "engine/policy.h"

#define BLOCK_STEPS 16u

typedef struct {
  guint32 used;
  guint32 count_min;
  guint32 count_max;
  gboolean is_all_known;
  guint64 *all; /* nodes idle in all steps, when known */
  gint64 begin_us[BLOCK_STEPS];
  guint32 count[BLOCK_STEPS];
  guint64 *sets[BLOCK_STEPS];
} Block;

struct _LkSlots {
  guint32 words;
  gsize set_bytes;
  GPtrArray *blocks; /* of Block*, never empty */
  GPtrArray *spare;  /* sets for use */
  guint64 *scratch;
  GArray *left; /* of LkSlotWord, scratch */
};

/* A step. */
typedef struct {
  guint block;
  guint at;
} Place;

/* ---------------------------------------------------------------- sets */

/* As lk_bits_count, for long sets: bytes are added up before they are put together. */
static guint32
count_set (const guint64 *set, guint32 words)
{
  const guint64 fives = G_GUINT64_CONSTANT (0x5555555555555555);
  const guint64 threes = G_GUINT64_CONSTANT (0x3333333333333333);
  const guint64 fifteens = G_GUINT64_CONSTANT (0x0f0f0f0f0f0f0f0f);
  guint32 count = 0;
  for (guint32 first = 0; first < words; first += 31) {
    guint32 end = MIN (first + 31, words);
    guint64 bytes = 0;
    for (guint32 i = first; i < end; i++) {
      guint64 word = set[i];
      word -= (word >> 1) & fives;
      word = (word & threes) + ((word >> 2) & threes);
      bytes += (word + (word >> 4)) & fifteens;
    }
    bytes = (bytes & G_GUINT64_CONSTANT (0x00ff00ff00ff00ff))
            + ((bytes >> 8) & G_GUINT64_CONSTANT (0x00ff00ff00ff00ff));
    count += (guint32)((bytes * G_GUINT64_CONSTANT (0x0001000100010001)) >> 48);
  }
  return count;
}

#define CHUNK_WORDS 8u

/* What is in `set` and in all of the others, which are so many: a chunk of words through all sets,
 * so that what is left of it stays in registers. */
static void
and_sets (guint64 *out, const guint64 *set, guint64 *const *others, guint count, guint32 words)
{
  gsize end = words;
  gsize first = 0;
  for (; first + CHUNK_WORDS <= end; first += CHUNK_WORDS) {
    guint64 left[CHUNK_WORDS];
    memcpy (left, set + first, sizeof left);
    for (guint at = 0; at < count; at++) {
      const guint64 *other = others[at] + first;
      for (gsize i = 0; i < CHUNK_WORDS; i++)
        left[i] &= other[i];
    }
    memcpy (out + first, left, sizeof left);
  }
  for (; first < end; first++) {
    guint64 left = set[first];
    for (guint at = 0; at < count; at++)
      left &= others[at][first];
    out[first] = left;
  }
}

static guint64 *
new_set (LkSlots *self)
{
  if (self->spare->len > 0)
    return g_ptr_array_steal_index_fast (self->spare, self->spare->len - 1);
  return g_malloc (self->set_bytes);
}

/* ---------------------------------------------------------------- blocks */

static Block *
block_at (const LkSlots *self, guint index)
{
  return g_ptr_array_index (self->blocks, index);
}

static void
free_block (LkSlots *self, Block *block)
{
  for (guint i = 0; i < block->used; i++)
    g_ptr_array_add (self->spare, block->sets[i]);
  g_free (block->all);
  g_free (block);
}

static Block *
new_block (const LkSlots *self)
{
  Block *block = g_new0 (Block, 1);
  block->all = g_malloc (self->set_bytes);
  return block;
}

static void
sum_up (Block *block)
{
  block->count_min = block->count_max = block->count[0];
  for (guint i = 1; i < block->used; i++) {
    block->count_min = MIN (block->count_min, block->count[i]);
    block->count_max = MAX (block->count_max, block->count[i]);
  }
}

static void
know_all (const LkSlots *self, Block *block)
{
  if (block->is_all_known)
    return;
  and_sets (block->all, block->sets[0], block->sets + 1, block->used - 1, self->words);
  block->is_all_known = TRUE;
}

LkSlots *
lk_slots_new (guint32 node_count, gint64 now_us)
{
  LkSlots *self = g_new0 (LkSlots, 1);
  self->words = lk_bits_words (node_count);
  self->set_bytes = self->words * sizeof (guint64);
  self->blocks = g_ptr_array_new ();
  self->spare = g_ptr_array_new_with_free_func (g_free);
  self->scratch = g_malloc (self->set_bytes);
  self->left = g_array_new (FALSE, FALSE, sizeof (LkSlotWord));
  Block *block = new_block (self);
  block->used = 1;
  block->begin_us[0] = now_us;
  block->sets[0] = new_set (self);
  for (guint32 word = 0; word < self->words; word++)
    block->sets[0][word] = lk_bits_range (0, node_count - word * 64);
  block->count[0] = node_count;
  sum_up (block);
  g_ptr_array_add (self->blocks, block);
  return self;
}

void
lk_slots_free (LkSlots *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->blocks->len; i++)
    free_block (self, block_at (self, i));
  g_ptr_array_unref (self->blocks);
  g_ptr_array_unref (self->spare);
  g_free (self->scratch);
  g_array_unref (self->left);
  g_free (self);
}

/* ---------------------------------------------------------------- steps */

static gint64
begin_us (const LkSlots *self, Place place)
{
  return block_at (self, place.block)->begin_us[place.at];
}

/* FALSE: it was the last. */
static gboolean
go_on (const LkSlots *self, Place *place)
{
  if (place->at + 1 < block_at (self, place->block)->used) {
    place->at++;
    return TRUE;
  }
  if (place->block + 1 >= self->blocks->len)
    return FALSE;
  *place = (Place){ place->block + 1, 0 };
  return TRUE;
}

/* The step in which a moment lies, which is not before the first. */
static Place
find (const LkSlots *self, gint64 at_us)
{
  guint low = 0;
  guint high = self->blocks->len;
  LK_ASSERT (block_at (self, 0)->begin_us[0] <= at_us);
  while (low + 1 < high) {
    guint middle = (low + high) / 2;
    if (block_at (self, middle)->begin_us[0] <= at_us)
      low = middle;
    else
      high = middle;
  }
  const Block *block = block_at (self, low);
  guint at = 0;
  while (at + 1 < block->used && block->begin_us[at + 1] <= at_us)
    at++;
  return (Place){ low, at };
}

/* The second half of a full block becomes a block of its own. */
static void
halve (LkSlots *self, guint index)
{
  Block *block = block_at (self, index);
  Block *second = new_block (self);
  guint half = BLOCK_STEPS / 2;
  second->used = block->used - half;
  memcpy (second->begin_us, block->begin_us + half, second->used * sizeof second->begin_us[0]);
  memcpy (second->count, block->count + half, second->used * sizeof second->count[0]);
  memcpy (second->sets, block->sets + half, second->used * sizeof second->sets[0]);
  block->used = half;
  block->is_all_known = FALSE;
  sum_up (block);
  sum_up (second);
  g_ptr_array_insert (self->blocks, (gint)index + 1, second);
}

/* Makes a step begin at a moment behind the first step's. */
static void
split (LkSlots *self, gint64 at_us)
{
  Place place = find (self, at_us);
  if (begin_us (self, place) == at_us)
    return;
  if (block_at (self, place.block)->used == BLOCK_STEPS) {
    halve (self, place.block);
    place = find (self, at_us);
  }
  Block *block = block_at (self, place.block);
  guint at = place.at + 1;
  guint behind = block->used - at;
  memmove (block->begin_us + at + 1, block->begin_us + at, behind * sizeof block->begin_us[0]);
  memmove (block->count + at + 1, block->count + at, behind * sizeof block->count[0]);
  memmove (block->sets + at + 1, block->sets + at, behind * sizeof block->sets[0]);
  block->begin_us[at] = at_us;
  block->count[at] = block->count[at - 1];
  block->sets[at] = new_set (self);
  memcpy (block->sets[at], block->sets[at - 1], self->set_bytes);
  block->used++;
}

static void
remove_step (LkSlots *self, Place place)
{
  Block *block = block_at (self, place.block);
  guint behind = block->used - place.at - 1;
  g_ptr_array_add (self->spare, block->sets[place.at]);
  memmove (block->begin_us + place.at, block->begin_us + place.at + 1,
           behind * sizeof block->begin_us[0]);
  memmove (block->count + place.at, block->count + place.at + 1, behind * sizeof block->count[0]);
  memmove (block->sets + place.at, block->sets + place.at + 1, behind * sizeof block->sets[0]);
  block->used--;
  if (block->used > 0) {
    /* What is idle in all of the others may be more. */
    block->is_all_known = FALSE;
    sum_up (block);
    return;
  }
  free_block (self, block);
  g_ptr_array_remove_index (self->blocks, place.block);
}

/* Removes the step that begins at a moment if it is as the one before it. */
static void
merge (LkSlots *self, gint64 at_us)
{
  Place place = find (self, at_us);
  if (begin_us (self, place) != at_us || (place.block == 0 && place.at == 0))
    return;
  Place before = place;
  if (place.at > 0)
    before.at--;
  else
    before = (Place){ place.block - 1, block_at (self, place.block - 1)->used - 1 };
  const Block *a = block_at (self, before.block);
  const Block *b = block_at (self, place.block);
  if (a->count[before.at] == b->count[place.at]
      && memcmp (a->sets[before.at], b->sets[place.at], self->set_bytes) == 0)
    remove_step (self, place);
}

void
lk_slots_advance (LkSlots *self, gint64 now_us)
{
  if (now_us <= block_at (self, 0)->begin_us[0])
    return;
  Place now = find (self, now_us);
  for (guint i = 0; i < now.block; i++)
    free_block (self, block_at (self, i));
  if (now.block > 0)
    g_ptr_array_remove_range (self->blocks, 0, now.block);
  Block *block = block_at (self, 0);
  if (now.at > 0) {
    for (guint i = 0; i < now.at; i++)
      g_ptr_array_add (self->spare, block->sets[i]);
    block->used -= now.at;
    memmove (block->begin_us, block->begin_us + now.at, block->used * sizeof block->begin_us[0]);
    memmove (block->count, block->count + now.at, block->used * sizeof block->count[0]);
    memmove (block->sets, block->sets + now.at, block->used * sizeof block->sets[0]);
    block->is_all_known = FALSE;
    sum_up (block);
  }
  block->begin_us[0] = now_us;
}

/* ---------------------------------------------------------------- taking and giving */

/* Returns whether all were idle. */
static gboolean
take_from_step (Block *block, guint at, const LkSlotsWords *words)
{
  guint64 *set = block->sets[at];
  guint64 missing = 0;
  guint32 taken = 0;
  for (guint i = 0; i < words->count; i++) {
    const LkSlotWord *word = &words->words[i];
    taken += lk_bits_count_word (set[word->word] & word->mask);
    missing |= word->mask & ~set[word->word];
    set[word->word] &= ~word->mask;
  }
  block->count[at] -= taken;
  return missing == 0;
}

static void
give_to_step (Block *block, guint at, const LkSlotsWords *words)
{
  guint64 *set = block->sets[at];
  guint32 given = 0;
  for (guint i = 0; i < words->count; i++) {
    const LkSlotWord *word = &words->words[i];
    given += lk_bits_count_word (~set[word->word] & word->mask);
    set[word->word] |= word->mask;
  }
  block->count[at] += given;
}

/* What no step of the block may keep is not in all of them either. */
static void
take_from_all (Block *block, const LkSlotsWords *words)
{
  for (guint i = 0; i < words->count; i++)
    block->all[words->words[i].word] &= ~words->words[i].mask;
}

static gboolean
change (LkSlots *self, const LkSlotsWords *words, gint64 from_us, gint64 to_us, gboolean give)
{
  gboolean were_idle = TRUE;
  from_us = MAX (from_us, block_at (self, 0)->begin_us[0]);
  if (from_us >= to_us)
    return TRUE;
  split (self, from_us);
  if (to_us < LK_TIME_NEVER)
    split (self, to_us);
  Place place = find (self, from_us);
  for (guint b = place.block; b < self->blocks->len; b++) {
    Block *block = block_at (self, b);
    guint at = b == place.block ? place.at : 0;
    if (block->begin_us[at] >= to_us)
      break;
    for (; at < block->used && block->begin_us[at] < to_us; at++)
      if (give)
        give_to_step (block, at, words);
      else
        were_idle = take_from_step (block, at, words) && were_idle;
    if (give)
      block->is_all_known = FALSE;
    else
      take_from_all (block, words);
    sum_up (block);
  }
  merge (self, from_us);
  if (to_us < LK_TIME_NEVER)
    merge (self, to_us);
  return were_idle;
}

gboolean
lk_slots_take (LkSlots *self, const LkSlotsWords *words, gint64 from_us, gint64 to_us)
{
  return change (self, words, from_us, to_us, /* give= */ FALSE);
}

void
lk_slots_give (LkSlots *self, const LkSlotsWords *words, gint64 from_us, gint64 to_us)
{
  change (self, words, from_us, to_us, /* give= */ TRUE);
}

/* ---------------------------------------------------------------- the search */

/* The first step from `place` on at which so many nodes are idle. FALSE: there is none. */
static gboolean
skip_poor (const LkSlots *self, Place *place, guint32 node_count)
{
  for (guint b = place->block; b < self->blocks->len; b++) {
    const Block *block = block_at (self, b);
    if (block->count_max < node_count)
      continue;
    for (guint at = b == place->block ? place->at : 0; at < block->used; at++)
      if (block->count[at] >= node_count) {
        *place = (Place){ b, at };
        return TRUE;
      }
  }
  return FALSE;
}

/* Goes to the first step from `place` on that begins at `to_us` or later, or behind the last.
 * FALSE: `place` is now one before it, at which too few nodes are idle. */
static gboolean
reach (const LkSlots *self, Place *place, gint64 to_us, guint32 node_count)
{
  for (; place->block < self->blocks->len; *place = (Place){ place->block + 1, 0 }) {
    const Block *block = block_at (self, place->block);
    gboolean is_rich = block->count_min >= node_count;
    if (is_rich && block->begin_us[block->used - 1] < to_us)
      continue;
    for (; place->at < block->used; place->at++) {
      if (block->begin_us[place->at] >= to_us)
        return TRUE;
      if (block->count[place->at] < node_count)
        return FALSE;
    }
  }
  return TRUE;
}

/* What is being narrowed down. */
typedef struct {
  guint32 node_count; /* that must be left */
  guint64 *set;
} Narrowing;

/* Narrows the set to what is idle in the steps [first, end) of a block, from the last one on.
 * FALSE: fewer than so many are left; `out_at` is the step at which that came about. */
static gboolean
narrow (LkSlots *self, const Narrowing *what, Block *block, guint first, guint end, guint *out_at)
{
  guint32 node_count = what->node_count;
  guint64 *set = what->set;
  guint64 *tried = self->scratch;
  if (first == 0 && end == block->used) {
    know_all (self, block);
    and_sets (tried, set, &block->all, 1, self->words);
  } else {
    and_sets (tried, set, block->sets + first, end - first, self->words);
  }
  if (count_set (tried, self->words) >= node_count) {
    memcpy (set, tried, self->set_bytes);
    return TRUE;
  }
  /* With the steps [first, end) too few are left, without them enough. */
  while (end - first > 1) {
    guint middle = first + (end - first) / 2;
    and_sets (tried, set, block->sets + middle, end - middle, self->words);
    if (count_set (tried, self->words) < node_count) {
      first = middle;
    } else {
      memcpy (set, tried, self->set_bytes);
      end = middle;
    }
  }
  *out_at = first;
  return FALSE;
}

/* The same for the steps from `first` to one before `end`; `out_poor` is that step. */
static gboolean
narrow_window (LkSlots *self, const Narrowing *what, Place first, Place end, Place *out_poor)
{
  guint last_block = end.at > 0 ? end.block : end.block - 1;
  for (guint b = last_block + 1; b-- > first.block;) {
    Block *block = block_at (self, b);
    guint from = b == first.block ? first.at : 0;
    guint to = b == end.block ? end.at : block->used;
    guint at = 0;
    if (!narrow (self, what, block, from, to, &at)) {
      *out_poor = (Place){ b, at };
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
is_before (Place a, Place b)
{
  return a.block != b.block ? a.block < b.block : a.at < b.at;
}

gint64
lk_slots_earliest_us (LkSlots *self, const LkSlotsDemand *demand, gint64 from_us, gint64 before_us,
                      guint64 *out_set)
{
  guint32 node_count = demand->node_count;
  gint64 at_us = MAX (from_us, block_at (self, 0)->begin_us[0]);
  Place place = find (self, at_us);
  Place end = place; /* no step from `place` to here is poor */
  Narrowing what = { node_count, out_set };
  if (count_set (demand->among, self->words) < node_count)
    return LK_TIME_NEVER;
  for (;;) {
    Place poor = place;
    if (!skip_poor (self, &place, node_count))
      return LK_TIME_NEVER;
    if (is_before (poor, place))
      at_us = begin_us (self, place);
    if (at_us >= before_us)
      return LK_TIME_NEVER;
    if (is_before (end, place))
      end = place;
    poor = end;
    if (reach (self, &end, lk_time_add_us (at_us, demand->duration_us), node_count)) {
      memcpy (out_set, demand->among, self->set_bytes);
      if (narrow_window (self, &what, place, end, &poor))
        return at_us;
    } else {
      poor = end;
    }
    place = poor;
    if (!go_on (self, &place))
      return LK_TIME_NEVER;
    at_us = begin_us (self, place);
  }
}

guint32
lk_slots_idle_count (const LkSlots *self, gint64 at_us)
{
  Place place = find (self, at_us);
  return block_at (self, place.block)->count[place.at];
}

guint32
lk_slots_idle_max (const LkSlots *self, gint64 from_us, gint64 to_us)
{
  guint32 most = 0;
  Place place = find (self, MAX (from_us, block_at (self, 0)->begin_us[0]));
  for (guint b = place.block; b < self->blocks->len; b++) {
    const Block *block = block_at (self, b);
    if (block->begin_us[0] >= to_us)
      break;
    most = MAX (most, block->count_max);
  }
  return most;
}

/* ---------------------------------------------------------------- around an interval */

/* Leaves of the nodes those that are idle in the step. FALSE: there are none. */
static gboolean
keep_idle (const LkSlots *self, Place place, GArray *left)
{
  const guint64 *set = block_at (self, place.block)->sets[place.at];
  guint kept = 0;
  for (guint i = 0; i < left->len; i++) {
    LkSlotWord word = g_array_index (left, LkSlotWord, i);
    word.mask &= set[word.word];
    if (word.mask != 0)
      g_array_index (left, LkSlotWord, kept++) = word;
  }
  g_array_set_size (left, kept);
  return kept > 0;
}

/* FALSE: it was the first. */
static gboolean
go_back (const LkSlots *self, Place *place)
{
  if (place->at > 0)
    place->at--;
  else if (place->block > 0)
    *place = (Place){ place->block - 1, block_at (self, place->block - 1)->used - 1 };
  else
    return FALSE;
  return TRUE;
}

static void
set_left (const LkSlots *self, const LkSlotsWords *words)
{
  g_array_set_size (self->left, 0);
  g_array_append_vals (self->left, words->words, words->count);
}

void
lk_slots_extent (LkSlots *self, const LkSlotsWords *words, gint64 from_us, gint64 to_us,
                 gint64 *out_from_us, gint64 *out_to_us)
{
  *out_from_us = from_us;
  *out_to_us = to_us;
  set_left (self, words);
  if (from_us > block_at (self, 0)->begin_us[0])
    for (Place place = find (self, from_us - 1); keep_idle (self, place, self->left);) {
      *out_from_us = MIN (begin_us (self, place), *out_from_us);
      if (!go_back (self, &place))
        break;
    }
  set_left (self, words);
  if (to_us == LK_TIME_NEVER)
    return;
  for (Place place = find (self, MAX (to_us, block_at (self, 0)->begin_us[0]));
       keep_idle (self, place, self->left);) {
    *out_to_us = LK_TIME_NEVER;
    if (!go_on (self, &place))
      return;
    *out_to_us = begin_us (self, place);
  }
}

/* A run that has begun, and lasts. */
typedef struct {
  gint64 from_us;
  guint32 node_count;
} OpenRun;

/* Ends the runs of more nodes; returns since when there have been at least so many. */
static gint64
end_runs (GArray *open, guint32 node_count, gint64 at_us, GArray *runs)
{
  gint64 since_us = at_us;
  while (open->len > 0 && g_array_index (open, OpenRun, open->len - 1).node_count >= node_count) {
    OpenRun last = g_array_index (open, OpenRun, open->len - 1);
    LkSlotsRun run = { last.node_count, last.from_us, lk_time_since_us (at_us, last.from_us) };
    since_us = last.from_us;
    g_array_set_size (open, open->len - 1);
    if (last.node_count > node_count)
      g_array_append_val (runs, run);
  }
  return since_us;
}

void
lk_slots_runs (const LkSlots *self, gint64 from_us, gint64 to_us, GArray *runs)
{
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (OpenRun));
  from_us = MAX (from_us, block_at (self, 0)->begin_us[0]);
  Place place = find (self, from_us);
  do {
    gint64 at_us = MAX (begin_us (self, place), from_us);
    guint32 node_count = block_at (self, place.block)->count[place.at];
    if (at_us >= to_us)
      break;
    OpenRun run = { end_runs (open, node_count, at_us, runs), node_count };
    g_array_append_val (open, run);
  } while (go_on (self, &place));
  end_runs (open, 0, to_us, runs);
}

gboolean
lk_slots_are_idle (const LkSlots *self, const LkSlotsWords *words, gint64 from_us, gint64 to_us)
{
  from_us = MAX (from_us, block_at (self, 0)->begin_us[0]);
  Place place = find (self, from_us);
  while (from_us < to_us && begin_us (self, place) < to_us) {
    const guint64 *set = block_at (self, place.block)->sets[place.at];
    for (guint i = 0; i < words->count; i++) {
      const LkSlotWord *word = &words->words[i];
      if ((word->mask & ~set[word->word]) != 0)
        return FALSE;
    }
    if (!go_on (self, &place))
      return TRUE;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- checks */

guint32
lk_slots_step_count (const LkSlots *self)
{
  guint32 count = 0;
  for (guint i = 0; i < self->blocks->len; i++)
    count += block_at (self, i)->used;
  return count;
}

gboolean
lk_slots_is_idle (const LkSlots *self, guint32 node, gint64 at_us)
{
  Place place = find (self, at_us);
  return lk_bits_has (block_at (self, place.block)->sets[place.at], node);
}

static void
check_block (const LkSlots *self, const Block *block)
{
  guint32 least = G_MAXUINT32;
  guint32 most = 0;
  LK_ASSERT (block->used >= 1);
  LK_ASSERT (block->used <= BLOCK_STEPS);
  for (guint i = 0; i < block->used; i++) {
    LK_ASSERT (block->count[i] == lk_bits_count (block->sets[i], self->words));
    least = MIN (least, block->count[i]);
    most = MAX (most, block->count[i]);
    for (guint32 word = 0; block->is_all_known && word < self->words; word++)
      LK_ASSERT ((block->all[word] & ~block->sets[i][word]) == 0);
  }
  LK_ASSERT (least == block->count_min);
  LK_ASSERT (most == block->count_max);
}

void
lk_slots_check (const LkSlots *self)
{
  gint64 before_us = G_MININT64;
  LK_ASSERT (self->blocks->len >= 1);
  for (guint b = 0; b < self->blocks->len; b++) {
    const Block *block = block_at (self, b);
    check_block (self, block);
    for (guint i = 0; i < block->used; i++) {
      LK_ASSERT (block->begin_us[i] > before_us || before_us == G_MININT64);
      before_us = block->begin_us[i];
    }
  }
}
