/* policies/start_bounds.c — see the header. */
#include "policies/start_bounds.h"

#include <string.h>

#define BOUND_MAX 24u      /* of one likeness */
#define LIKENESS_MAX 8192u /* of others nothing is learned */
#define PLACES_FIRST 64u

typedef struct {
  uint32_t size;
  int64_t duration_us;
  int64_t until_us;
  int64_t given_us; /* from here on something was given back; LK_TIME_NEVER: nowhere */
} Bound;

typedef struct {
  uint64_t likeness;
  uint32_t round; /* in which it was made; else the place is free */
  uint32_t seen;  /* of what was given back */
  uint32_t count;
  uint32_t next; /* to be replaced */
  Bound bounds[BOUND_MAX];
} Likeness;

typedef struct {
  int64_t from_us;
  uint32_t size_max;
} Given;

struct _LkStartBounds {
  Likeness *places; /* found by hash, then the next one */
  uint32_t place_count;
  uint32_t used;
  uint32_t round;
  GArray *given; /* of Given */
};

LkStartBounds *
lk_start_bounds_new (void)
{
  LkStartBounds *self = g_new0 (LkStartBounds, 1);
  self->places = g_new0 (Likeness, PLACES_FIRST);
  self->place_count = PLACES_FIRST;
  self->round = 1;
  self->given = g_array_new (FALSE, FALSE, sizeof (Given));
  return self;
}

void
lk_start_bounds_free (LkStartBounds *self)
{
  if (self == NULL)
    return;
  g_free (self->places);
  g_array_unref (self->given);
  g_free (self);
}

void
lk_start_bounds_reset (LkStartBounds *self)
{
  if (++self->round == 0) {
    memset (self->places, 0, self->place_count * sizeof *self->places);
    self->round = 1;
  }
  self->used = 0;
  g_array_set_size (self->given, 0);
}

static uint32_t
place_of (const LkStartBounds *self, uint64_t likeness)
{
  uint64_t hash = likeness * UINT64_C (0x9e3779b97f4a7c15);
  uint32_t at = (uint32_t)(hash >> 32) & (self->place_count - 1);
  while (self->places[at].round == self->round && self->places[at].likeness != likeness)
    at = (at + 1) & (self->place_count - 1);
  return at;
}

static void
grow (LkStartBounds *self)
{
  Likeness *before = self->places;
  uint32_t before_count = self->place_count;
  self->place_count *= 2;
  self->places = g_new0 (Likeness, self->place_count);
  for (uint32_t i = 0; i < before_count; i++)
    if (before[i].round == self->round)
      self->places[place_of (self, before[i].likeness)] = before[i];
  g_free (before);
}

/* Works in what was given back since. */
static void
follow (const LkStartBounds *self, Likeness *known)
{
  for (; known->seen < self->given->len; known->seen++) {
    const Given *given = &g_array_index (self->given, Given, known->seen);
    for (uint32_t i = 0; i < known->count; i++)
      if (known->bounds[i].size <= given->size_max)
        known->bounds[i].given_us = MIN (known->bounds[i].given_us, given->from_us);
  }
}

static int64_t
bound_us (const Bound *bound, int64_t duration_us)
{
  if (bound->given_us == LK_TIME_NEVER)
    return bound->until_us;
  /* Who has ended when it begins does not see what was given back. */
  int64_t ended_us =
      bound->given_us > INT64_MIN + duration_us ? bound->given_us - duration_us : INT64_MIN;
  return MIN (bound->until_us, ended_us);
}

static gboolean
covers (const Bound *bound, uint32_t size, int64_t duration_us)
{
  return bound->size <= size && bound->duration_us <= duration_us;
}

void
lk_start_bounds_learn (LkStartBounds *self, const LkStartKind *kind, int64_t until_us)
{
  Likeness *known = &self->places[place_of (self, kind->likeness)];
  if (kind->likeness == 0)
    return;
  if (known->round != self->round) {
    if (self->used == LIKENESS_MAX)
      return;
    if (2 * ++self->used > self->place_count) {
      grow (self);
      known = &self->places[place_of (self, kind->likeness)];
    }
    known->likeness = kind->likeness;
    known->round = self->round;
    known->seen = self->given->len;
    known->count = known->next = 0;
  }
  follow (self, known);
  Bound bound = { kind->size, kind->duration_us, until_us, LK_TIME_NEVER };
  uint32_t kept = 0;
  for (uint32_t i = 0; i < known->count; i++) {
    const Bound *other = &known->bounds[i];
    gboolean says_less = covers (&bound, other->size, other->duration_us)
                         && bound_us (other, other->duration_us) <= until_us;
    if (!says_less)
      known->bounds[kept++] = *other;
  }
  known->count = kept;
  if (known->count < BOUND_MAX) {
    known->bounds[known->count++] = bound;
    return;
  }
  known->bounds[known->next] = bound;
  known->next = (known->next + 1) % BOUND_MAX;
}

void
lk_start_bounds_give (LkStartBounds *self, int64_t from_us, uint32_t size_max)
{
  Given given = { from_us, size_max };
  if (self->used > 0)
    g_array_append_val (self->given, given);
}

int64_t
lk_start_bounds_among_us (LkStartBounds *self, const LkStartKind *kind, int64_t longest_us)
{
  Likeness *known = &self->places[place_of (self, kind->likeness)];
  int64_t until_us = INT64_MIN;
  if (known->round != self->round || kind->likeness == 0)
    return INT64_MIN;
  follow (self, known);
  for (uint32_t i = 0; i < known->count; i++)
    if (covers (&known->bounds[i], kind->size, kind->duration_us))
      until_us = MAX (until_us, bound_us (&known->bounds[i], longest_us));
  return until_us;
}

int64_t
lk_start_bounds_us (LkStartBounds *self, const LkStartKind *kind)
{
  return lk_start_bounds_among_us (self, kind, kind->duration_us);
}
