/* engine/ready.c — see the header. */
#include "engine/ready.h"

#include <string.h>

#include "engine/assert.h"

/* Classes kept at once; more cost memory, fewer cost time. */
#define CLASS_MAX 1024u

struct _LkReadyIndex {
  const LkMachine *machine;
  guint32 block_count;
  GPtrArray *classes; /* of LkReadyClass* */
  guint32 *class_of;  /* hash table: index + 1 into classes, 0 for none */
  guint32 slot_bits;
  GArray *notes;    /* of guint32: nodes, since the last time everything was forgotten */
  guint64 notes_at; /* number of the first note */
  guint64 clock;
};

/* ---------------------------------------------------------------- finding a class */

static gint64
round_down (gint64 duration_us)
{
  /* Lengths as people give them, whole minutes, are few and stay apart. */
  if (duration_us < 128 || duration_us % (60 * G_USEC_PER_SEC) == 0)
    return duration_us;
  guint bits = 57 - (guint)__builtin_clzll ((guint64)duration_us); /* all but the top seven */
  return (duration_us >> bits) << bits;
}

/* What tells a class from others. */
typedef struct {
  guint64 serial;
  gint64 duration_us;
  guint32 inside;
} ClassKey;

static guint32
slot_of (const LkReadyIndex *self, ClassKey key)
{
  guint64 mixed = ((guint64)key.duration_us ^ (key.serial << 40) ^ ((guint64)key.inside << 20))
                  * 0x9e3779b97f4a7c15u;
  return (guint32)(mixed >> (64 - self->slot_bits));
}

/* The slot where the class is or would be. */
static guint32
find_slot (const LkReadyIndex *self, ClassKey key)
{
  guint32 mask = (1u << self->slot_bits) - 1;
  guint32 slot = slot_of (self, key);
  while (self->class_of[slot] != 0) {
    const LkReadyClass *class = g_ptr_array_index (self->classes, self->class_of[slot] - 1);
    if (class->serial == key.serial && class->duration_us == key.duration_us
        && class->inside == key.inside)
      break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

static void
class_free (gpointer data)
{
  LkReadyClass *class = data;
  g_free (class->node_us);
  g_free (class->block_us);
  g_free (class);
}

static void
rehash (LkReadyIndex *self)
{
  memset (self->class_of, 0, (gsize)(1u << self->slot_bits) * sizeof (guint32));
  for (guint i = 0; i < self->classes->len; i++) {
    const LkReadyClass *class = g_ptr_array_index (self->classes, i);
    ClassKey key = { class->serial, class->duration_us, class->inside };
    self->class_of[find_slot (self, key)] = i + 1;
  }
}

static gint
compare_age (gconstpointer a, gconstpointer b)
{
  const LkReadyClass *x = *(LkReadyClass *const *)a;
  const LkReadyClass *y = *(LkReadyClass *const *)b;
  return (x->used < y->used) - (x->used > y->used);
}

/* Lets the half go that was not used for longest. */
static void
shrink (LkReadyIndex *self)
{
  g_ptr_array_sort (self->classes, compare_age);
  g_ptr_array_set_size (self->classes, CLASS_MAX / 2);
  rehash (self);
}

/* ---------------------------------------------------------------- keeping a class true */

void
lk_ready_set (const LkReadyIndex *self, LkReadyClass *class, guint32 node, gint64 at_us)
{
  guint32 block = node / LK_READY_BLOCK_NODES;
  gint64 before_us = class->node_us[node];
  class->node_us[node] = at_us;
  if (at_us <= class->block_us[block]) {
    class->block_us[block] = at_us;
    return;
  }
  if (before_us > class->block_us[block])
    return;
  guint32 end = MIN ((block + 1) * LK_READY_BLOCK_NODES, self->machine->nodes.node_count);
  gint64 least_us = LK_TIME_NEVER;
  for (guint32 i = block * LK_READY_BLOCK_NODES; i < end; i++)
    least_us = MIN (least_us, class->node_us[i]);
  class->block_us[block] = least_us;
}

/* Any time may be true for the nodes that could serve the request. */
static void
class_forget (const LkReadyIndex *self, LkReadyClass *class)
{
  const LkRequest *request = lk_machine_request (self->machine, class->request);
  for (guint32 block = 0; block < self->block_count; block++)
    class->block_us[block] = LK_TIME_NEVER;
  for (guint32 node = 0; node < self->machine->nodes.node_count; node++) {
    gboolean eligible = lk_bits_has (request->eligible, node);
    class->node_us[node] = eligible ? G_MININT64 : LK_TIME_NEVER;
    if (eligible)
      class->block_us[node / LK_READY_BLOCK_NODES] = G_MININT64;
  }
}

static LkReadyClass *
class_new (LkReadyIndex *self, guint32 request, ClassKey key)
{
  LkReadyClass *class = g_new0 (LkReadyClass, 1);
  class->request = request;
  class->serial = key.serial;
  class->duration_us = key.duration_us;
  class->inside = key.inside;
  class->node_us = g_new (gint64, self->machine->nodes.node_count);
  class->block_us = g_new (gint64, self->block_count);
  class->seen = self->notes_at + self->notes->len;
  class_forget (self, class);
  return class;
}

static void
catch_up (const LkReadyIndex *self, LkReadyClass *class)
{
  const LkRequest *request = lk_machine_request (self->machine, class->request);
  guint64 end = self->notes_at + self->notes->len;
  if (class->seen < self->notes_at)
    class_forget (self, class);
  else
    for (guint64 i = class->seen; i < end; i++) {
      guint32 node = g_array_index (self->notes, guint32, i - self->notes_at);
      if (lk_bits_has (request->eligible, node))
        lk_ready_set (self, class, node, G_MININT64);
    }
  class->seen = end;
}

LkReadyClass *
lk_ready_class (LkReadyIndex *self, guint32 request, gint64 duration_us, guint32 inside)
{
  ClassKey key = { lk_machine_request (self->machine, request)->serial, round_down (duration_us),
                   inside };
  guint32 slot = find_slot (self, key);
  if (self->class_of[slot] == 0) {
    if (self->classes->len == CLASS_MAX) {
      shrink (self);
      slot = find_slot (self, key);
    }
    g_ptr_array_add (self->classes, class_new (self, request, key));
    self->class_of[slot] = self->classes->len;
  }
  LkReadyClass *class = g_ptr_array_index (self->classes, self->class_of[slot] - 1);
  catch_up (self, class);
  class->used = ++self->clock;
  return class;
}

/* ---------------------------------------------------------------- notes */

void
lk_ready_forget (LkReadyIndex *self)
{
  /* Every class has seen less than what comes now. */
  self->notes_at += self->notes->len + 1;
  g_array_set_size (self->notes, 0);
}

void
lk_ready_note (LkReadyIndex *self, guint32 node)
{
  if (self->notes->len > 4 * self->machine->nodes.node_count + 1024)
    lk_ready_forget (self);
  g_array_append_val (self->notes, node);
}

guint64
lk_ready_version (const LkReadyIndex *self)
{
  return self->notes_at + self->notes->len;
}

/* ---------------------------------------------------------------- reading */

guint32
lk_ready_first (const LkReadyIndex *self, const LkReadyClass *class)
{
  guint32 best = 0;
  for (guint32 block = 1; block < self->block_count; block++)
    if (class->block_us[block] < class->block_us[best])
      best = block;
  if (class->block_us[best] == LK_TIME_NEVER)
    return LK_NODE_NONE;
  guint32 node = best * LK_READY_BLOCK_NODES;
  while (class->node_us[node] != class->block_us[best])
    node++;
  return node;
}

void
lk_ready_collect (const LkReadyIndex *self, const LkReadyClass *class, gint64 at_us, guint64 *set)
{
  for (guint32 block = 0; block < self->block_count; block++) {
    if (class->block_us[block] > at_us)
      continue;
    guint32 end = MIN ((block + 1) * LK_READY_BLOCK_NODES, self->machine->nodes.node_count);
    for (guint32 node = block * LK_READY_BLOCK_NODES; node < end; node++)
      if (class->node_us[node] <= at_us)
        lk_bits_add (set, node);
  }
}

/* ---------------------------------------------------------------- life */

LkReadyIndex *
lk_ready_new (const LkMachine *machine)
{
  LkReadyIndex *self = g_new0 (LkReadyIndex, 1);
  self->machine = machine;
  self->block_count = (machine->nodes.node_count + LK_READY_BLOCK_NODES - 1) / LK_READY_BLOCK_NODES;
  self->classes = g_ptr_array_new_with_free_func (class_free);
  self->slot_bits = 12;
  LK_ASSERT ((1u << self->slot_bits) >= 2 * CLASS_MAX);
  self->class_of = g_new0 (guint32, 1u << self->slot_bits);
  self->notes = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->notes_at = 1;
  return self;
}

void
lk_ready_free (LkReadyIndex *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->classes);
  g_array_unref (self->notes);
  g_free (self->class_of);
  g_free (self);
}
