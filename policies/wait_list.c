/* policies/wait_list.c — see the header. */
#include "policies/wait_list.h"

#include <string.h>

#define BLOCK_JOBS 128u

typedef struct {
  uint32_t used; /* at least 1 */
  gboolean is_least_known;
  uint32_t least_count;
  int64_t longest_us;
  LkJobIndex jobs[BLOCK_JOBS];
  LkStartKind kinds[BLOCK_JOBS];
  LkStartKind least[BLOCK_JOBS];
} Block;

struct _LkWaitList {
  GPtrArray *blocks; /* of Block* */
  Block **block_of;  /* by job; NULL: it is not in the list */
  uint32_t limit;    /* entries of block_of */
};

/* A job of a block, or where one would be. */
typedef struct {
  guint block;
  uint32_t at;
} Place;

LkWaitList *
lk_wait_list_new (void)
{
  LkWaitList *self = g_new0 (LkWaitList, 1);
  self->blocks = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
lk_wait_list_free (LkWaitList *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->blocks);
  g_free (self->block_of);
  g_free (self);
}

void
lk_wait_list_clear (LkWaitList *self)
{
  g_ptr_array_set_size (self->blocks, 0);
  for (uint32_t job = 0; job < self->limit; job++)
    self->block_of[job] = NULL;
}

static inline Block *
block_at (const LkWaitList *self, guint index)
{
  return g_ptr_array_index (self->blocks, index);
}

static inline gboolean
goes_before (const LkWaitOrder *order, LkJobIndex a, LkJobIndex b)
{
  return a != b && order->ops->queue_before (order->pass, LK_QUEUE_PRIORITY, a, b);
}

/* ---------------------------------------------------------------- places */

/* The place of the first job behind this one, or that behind the last of its block. */
static Place
behind (const LkWaitList *self, const LkWaitOrder *order, LkJobIndex job)
{
  guint low = 0;
  guint high = self->blocks->len;
  while (low + 1 < high) {
    guint middle = low + (high - low) / 2;
    if (goes_before (order, job, block_at (self, middle)->jobs[0]))
      high = middle;
    else
      low = middle;
  }
  if (low == self->blocks->len)
    return (Place){ 0, 0 };
  const Block *block = block_at (self, low);
  uint32_t first = 0;
  uint32_t last = block->used;
  while (first < last) {
    uint32_t middle = first + (last - first) / 2;
    if (goes_before (order, job, block->jobs[middle]))
      last = middle;
    else
      first = middle + 1;
  }
  return (Place){ low, first };
}

static Block *
add_block (LkWaitList *self, guint index)
{
  Block *block = g_new (Block, 1);
  block->used = 0;
  block->is_least_known = FALSE;
  g_ptr_array_insert (self->blocks, (gint)index, block);
  return block;
}

/* The second half of a full block becomes a block of its own. */
static void
halve (LkWaitList *self, guint index)
{
  Block *second = add_block (self, index + 1);
  Block *block = block_at (self, index);
  uint32_t half = BLOCK_JOBS / 2;
  second->used = block->used - half;
  memcpy (second->jobs, block->jobs + half, second->used * sizeof block->jobs[0]);
  memcpy (second->kinds, block->kinds + half, second->used * sizeof block->kinds[0]);
  for (uint32_t i = 0; i < second->used; i++)
    self->block_of[second->jobs[i]] = second;
  block->used = half;
  block->is_least_known = FALSE;
}

/* ---------------------------------------------------------------- insert, remove */

static void
ready_for (LkWaitList *self, LkJobIndex job)
{
  if (job < self->limit)
    return;
  uint32_t limit = MAX (job + 1, 2 * self->limit);
  self->block_of = g_renew (Block *, self->block_of, limit);
  for (uint32_t i = self->limit; i < limit; i++)
    self->block_of[i] = NULL;
  self->limit = limit;
}

static gboolean
is_last (const LkWaitList *self, const LkWaitOrder *order, LkJobIndex job)
{
  const Block *block = block_at (self, self->blocks->len - 1);
  return goes_before (order, block->jobs[block->used - 1], job);
}

/* Where to put a job, in a block that has room. */
static Place
place_for (LkWaitList *self, const LkWaitOrder *order, LkJobIndex job)
{
  if (self->blocks->len == 0)
    add_block (self, 0);
  else if (is_last (self, order, job)) {
    if (block_at (self, self->blocks->len - 1)->used == BLOCK_JOBS)
      add_block (self, self->blocks->len);
  } else {
    Place place = behind (self, order, job);
    if (block_at (self, place.block)->used < BLOCK_JOBS)
      return place;
    halve (self, place.block);
    return behind (self, order, job);
  }
  return (Place){ self->blocks->len - 1, block_at (self, self->blocks->len - 1)->used };
}

void
lk_wait_list_insert (LkWaitList *self, const LkWaitOrder *order, LkJobIndex job,
                     const LkStartKind *kind)
{
  ready_for (self, job);
  Place place = place_for (self, order, job);
  Block *block = block_at (self, place.block);
  uint32_t count = block->used - place.at;
  memmove (block->jobs + place.at + 1, block->jobs + place.at, count * sizeof block->jobs[0]);
  memmove (block->kinds + place.at + 1, block->kinds + place.at, count * sizeof block->kinds[0]);
  block->jobs[place.at] = job;
  block->kinds[place.at] = *kind;
  block->used++;
  block->is_least_known = FALSE;
  self->block_of[job] = block;
}

void
lk_wait_list_remove (LkWaitList *self, LkJobIndex job)
{
  Block *block = job < self->limit ? self->block_of[job] : NULL;
  uint32_t at = 0;
  if (block == NULL)
    return;
  self->block_of[job] = NULL;
  if (block->used == 1) {
    g_ptr_array_remove (self->blocks, block);
    return;
  }
  while (block->jobs[at] != job)
    at++;
  uint32_t count = block->used - at - 1;
  memmove (block->jobs + at, block->jobs + at + 1, count * sizeof block->jobs[0]);
  memmove (block->kinds + at, block->kinds + at + 1, count * sizeof block->kinds[0]);
  block->used--;
  block->is_least_known = FALSE;
}

/* ---------------------------------------------------------------- the search */

static gboolean
is_covered (const LkStartKind *kind, const LkStartKind *by)
{
  return by->likeness == kind->likeness && by->size <= kind->size
         && by->duration_us <= kind->duration_us;
}

static void
add_least (Block *block, const LkStartKind *kind)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < block->least_count; i++)
    if (is_covered (kind, &block->least[i]))
      return;
  for (uint32_t i = 0; i < block->least_count; i++)
    if (!is_covered (&block->least[i], kind))
      block->least[kept++] = block->least[i];
  block->least[kept++] = *kind;
  block->least_count = kept;
}

static void
know_least (Block *block)
{
  if (block->is_least_known)
    return;
  block->least_count = 0;
  block->longest_us = 0;
  for (uint32_t i = 0; i < block->used; i++) {
    add_least (block, &block->kinds[i]);
    block->longest_us = MAX (block->longest_us, block->kinds[i].duration_us);
  }
  block->is_least_known = TRUE;
}

static gboolean
may_gain (const LkWaitSearch *search, const LkStartKind *kind)
{
  const LkWaitGain *gain = search->gain;
  return gain == NULL
         || gain->ops->may_gain_like (gain->plan, gain->view, kind->likeness, kind->size,
                                      kind->duration_us);
}

/* Is anybody of the block looked for? */
static gboolean
is_worth (Block *block, const LkWaitSearch *search)
{
  know_least (block);
  for (uint32_t i = 0; i < block->least_count; i++)
    if (may_gain (search, &block->least[i])
        && lk_start_bounds_among_us (search->bounds, &block->least[i], block->longest_us)
               < search->before_us)
      return TRUE;
  return FALSE;
}

LkJobIndex
lk_wait_list_first (const LkWaitList *self)
{
  return self->blocks->len > 0 ? block_at (self, 0)->jobs[0] : LK_JOB_NONE;
}

LkJobIndex
lk_wait_list_next (LkWaitList *self, const LkWaitOrder *order, LkJobIndex after,
                   const LkWaitSearch *search)
{
  Place place = after == LK_JOB_NONE ? (Place){ 0, 0 } : behind (self, order, after);
  for (; place.block < self->blocks->len; place = (Place){ place.block + 1, 0 }) {
    Block *block = block_at (self, place.block);
    if (!is_worth (block, search))
      continue;
    for (; place.at < block->used; place.at++)
      if (may_gain (search, &block->kinds[place.at])
          && lk_start_bounds_us (search->bounds, &block->kinds[place.at]) < search->before_us)
        return block->jobs[place.at];
  }
  return LK_JOB_NONE;
}
