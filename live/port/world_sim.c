/* live/port/world_sim.c — see the header. */
#include "live/port/world_sim.h"

#include "engine/assert.h"
#include "engine/crc32c.h"
#include "engine/policy.h"

typedef struct {
  gint64 at_us;
  guint64 number;
  LkWorldCall call;
  gpointer user;
  gpointer data;
  GDestroyNotify destroy;
} Entry;

struct _LkWorld {
  GArray *heap; /* of Entry; the children of i are 2i+1 and 2i+2 */
  gint64 now_us;
  guint64 number_last;
  guint64 step_count;
  guint64 random_state;
  guint64 digest;
  LkCrc32c crc;
  LkWorldTell tell;
  gpointer tell_user;
};

static guint64
scrambled (guint64 z)
{
  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

LkWorld *
lk_world_new (guint64 seed, gint64 now_us)
{
  LkWorld *self = g_new0 (LkWorld, 1);
  self->heap = g_array_new (FALSE, FALSE, sizeof (Entry));
  self->now_us = now_us;
  self->random_state = seed;
  lk_crc32c_init (&self->crc);
  return self;
}

void
lk_world_free (LkWorld *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->heap->len; i++) {
    const Entry *entry = &g_array_index (self->heap, Entry, i);
    if (entry->destroy != NULL)
      entry->destroy (entry->data);
  }
  g_array_unref (self->heap);
  g_free (self);
}

gint64
lk_world_now_us (const LkWorld *self)
{
  return self->now_us;
}

/* ---------------------------------------------------------------- what comes next */

static gboolean
is_before (const Entry *a, const Entry *b)
{
  return a->at_us != b->at_us ? a->at_us < b->at_us : a->number < b->number;
}

void
lk_world_at (LkWorld *self, gint64 at_us, LkWorldCall call, gpointer user, gpointer data,
             GDestroyNotify destroy)
{
  Entry entry = { MAX (at_us, self->now_us), ++self->number_last, call, user, data, destroy };
  g_array_append_val (self->heap, entry);
  Entry *entries = (Entry *)(gpointer)self->heap->data;
  guint place = self->heap->len - 1;
  while (place > 0 && is_before (&entry, &entries[(place - 1) / 2])) {
    entries[place] = entries[(place - 1) / 2];
    place = (place - 1) / 2;
  }
  entries[place] = entry;
}

static Entry
taken (LkWorld *self)
{
  Entry *entries = (Entry *)(gpointer)self->heap->data;
  Entry first = entries[0];
  Entry moved = entries[self->heap->len - 1];
  g_array_set_size (self->heap, self->heap->len - 1);
  guint count = self->heap->len;
  guint place = 0;
  while (2 * place + 1 < count) {
    guint child = 2 * place + 1;
    if (child + 1 < count && is_before (&entries[child + 1], &entries[child]))
      child++;
    if (!is_before (&entries[child], &moved))
      break;
    entries[place] = entries[child];
    place = child;
  }
  if (count > 0)
    entries[place] = moved;
  return first;
}

gint64
lk_world_next_us (const LkWorld *self)
{
  return self->heap->len > 0 ? g_array_index (self->heap, Entry, 0).at_us : LK_TIME_NEVER;
}

void
lk_world_step (LkWorld *self)
{
  LK_ASSERT (self->heap->len > 0);
  Entry entry = taken (self);
  LK_ASSERT (entry.at_us >= self->now_us);
  self->now_us = entry.at_us;
  self->step_count++;
  lk_world_mix (self, (guint64)entry.at_us);
  entry.call (entry.user, entry.data);
}

guint64
lk_world_step_count (const LkWorld *self)
{
  return self->step_count;
}

/* ---------------------------------------------------------------- chance */

guint64
lk_world_random (LkWorld *self)
{
  self->random_state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return scrambled (self->random_state);
}

guint32
lk_world_below (LkWorld *self, guint32 limit)
{
  return (guint32)((lk_world_random (self) >> 32) * limit >> 32);
}

gint64
lk_world_between_us (LkWorld *self, gint64 low_us, gint64 high_us)
{
  if (high_us <= low_us)
    return low_us;
  return low_us + (gint64)(lk_world_random (self) % (guint64)(high_us - low_us + 1));
}

gboolean
lk_world_chance (LkWorld *self, guint32 ppm)
{
  return ppm > 0 && lk_world_below (self, 1000000) < ppm;
}

/* ---------------------------------------------------------------- digest and log */

void
lk_world_mix (LkWorld *self, guint64 value)
{
  self->digest = scrambled (self->digest ^ (value + G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)));
}

void
lk_world_mix_bytes (LkWorld *self, const guint8 *bytes, gsize length_bytes)
{
  lk_world_mix (self, (guint64)length_bytes << 32 | lk_crc32c (&self->crc, bytes, length_bytes));
}

guint64
lk_world_digest (const LkWorld *self)
{
  return self->digest;
}

void
lk_world_tell_to (LkWorld *self, LkWorldTell tell, gpointer user)
{
  self->tell = tell;
  self->tell_user = user;
}

gboolean
lk_world_is_told (const LkWorld *self)
{
  return self->tell != NULL;
}

void
lk_world_tell (LkWorld *self, const char *format, ...)
{
  if (self->tell == NULL)
    return;
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *line = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  self->tell (self->tell_user, self->now_us, line);
}
