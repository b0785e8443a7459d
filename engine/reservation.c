/* engine/reservation.c — see the header: the table, times, and what is left to others. Who may use
 * one, and its texts, are in engine/reservation_text.c. */
#include "engine/reservation.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"

#define HOUR_US (G_GINT64_CONSTANT (3600) * 1000000)
#define DAY_US (24 * HOUR_US)
#define WEEK_US (7 * DAY_US)

/* ---------------------------------------------------------------- the table */

LkReservationTable *
lk_reservations_new (LkMachine *machine)
{
  LkReservationTable *self = g_new0 (LkReservationTable, 1);
  self->machine = machine;
  self->items = g_ptr_array_new ();
  self->any = g_new0 (guint64, machine->nodes.node_words);
  self->partial = g_new0 (guint64, machine->nodes.node_words);
  return self;
}

void
lk_reservations_free (LkReservationTable *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->items->len; i++)
    lk_reservation_free (g_ptr_array_index (self->items, i));
  g_ptr_array_unref (self->items);
  g_free (self->any);
  g_free (self->partial);
  g_free (self);
}

void
lk_reservations_changed (LkReservationTable *self)
{
  guint32 word_count = self->machine->nodes.node_words;
  memset (self->any, 0, word_count * sizeof (guint64));
  memset (self->partial, 0, word_count * sizeof (guint64));
  self->float_count = self->magnetic_count = 0;
  for (guint i = 0; i < self->items->len; i++) {
    const LkAdvanceReservation *item = g_ptr_array_index (self->items, i);
    self->float_count += (item->flags & LK_RESERVATION_TIME_FLOAT) != 0;
    self->magnetic_count += (item->flags & LK_RESERVATION_MAGNETIC) != 0;
    for (guint32 word = 0; item->nodes != NULL && word < word_count; word++) {
      self->any[word] |= item->nodes[word];
      self->partial[word] |= item->cores != NULL ? item->nodes[word] : 0;
    }
  }
}

void
lk_reservations_add (LkReservationTable *self, LkAdvanceReservation *added)
{
  LK_ASSERT (added->number != 0);
  LK_ASSERT (added->number <= self->number_last);
  g_ptr_array_add (self->items, added);
  lk_reservations_changed (self);
}

void
lk_reservations_remove (LkReservationTable *self, LkAdvanceReservation *removed)
{
  gboolean found = g_ptr_array_remove (self->items, removed); /* keeps the order */
  LK_ASSERT (found);
  lk_reservation_free (removed);
  lk_reservations_changed (self);
}

LkAdvanceReservation *
lk_reservations_find (const LkReservationTable *self, const char *name, gsize name_bytes)
{
  for (guint i = 0; i < self->items->len; i++) {
    LkAdvanceReservation *item = g_ptr_array_index (self->items, i);
    if (strlen (item->name) == name_bytes && memcmp (item->name, name, name_bytes) == 0)
      return item;
  }
  return NULL;
}

LkAdvanceReservation *
lk_reservations_numbered (const LkReservationTable *self, guint32 number)
{
  for (guint i = 0; i < self->items->len; i++) {
    LkAdvanceReservation *item = g_ptr_array_index (self->items, i);
    if (item->number == number)
      return item;
  }
  return NULL;
}

void
lk_reservation_count_cores (const LkReservationTable *self, LkAdvanceReservation *item)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  item->core_count = 0;
  for (guint32 node = lk_bits_next (item->nodes, nodes->node_words, 0); node < nodes->node_count;
       node = lk_bits_next (item->nodes, nodes->node_words, node + 1))
    item->core_count += lk_bits_count (lk_node_kind (nodes, node)->cores_usable, nodes->core_words);
}

/* ---------------------------------------------------------------- time */

void
lk_reservation_span (const LkAdvanceReservation *self, gint64 now_us, gint64 *out_from_us,
                     gint64 *out_to_us)
{
  *out_from_us = self->start_us;
  *out_to_us = self->end_us;
  if ((self->flags & LK_RESERVATION_TIME_FLOAT) == 0)
    return;
  *out_from_us = lk_time_add_us (now_us, self->start_us);
  *out_to_us = lk_time_add_us (*out_from_us, self->asked.duration_us);
}

/* 0 Monday to 6 Sunday.  The clock's zero is a Thursday, as that of POSIX. */
static gint64
weekday_of (gint64 time_us)
{
  gint64 day = time_us / DAY_US - (time_us % DAY_US < 0);
  gint64 weekday = (day + 3) % 7;
  return weekday < 0 ? weekday + 7 : weekday;
}

static gint64
period_of (guint32 flags)
{
  if ((flags & LK_RESERVATION_HOURLY) != 0)
    return HOUR_US;
  return (flags & LK_RESERVATION_WEEKLY) != 0 ? WEEK_US : DAY_US;
}

/* Does one of these flags begin on the day of `start_us`? */
static gboolean
falls_on (guint32 flags, gint64 start_us)
{
  gboolean is_weekend = weekday_of (start_us) >= 5;
  if ((flags & LK_RESERVATION_WEEKDAY) != 0)
    return !is_weekend;
  return (flags & LK_RESERVATION_WEEKEND) == 0 || is_weekend;
}

static gint64
next_start_us (guint32 flags, gint64 start_us)
{
  do
    start_us = lk_time_add_us (start_us, period_of (flags));
  while (start_us < LK_TIME_NEVER && !falls_on (flags, start_us));
  return start_us;
}

void
lk_reservation_advance (LkAdvanceReservation *self, gint64 now_us)
{
  gint64 length_us = self->end_us - self->start_us;
  gint64 period_us = period_of (self->flags);
  LK_ASSERT ((self->flags & LK_RESERVATION_RECURS) != 0);
  /* Most of the way at once, should the clock have jumped. */
  gint64 behind_us = lk_time_since_us (now_us, self->end_us) / period_us - 7;
  if (behind_us > 0)
    self->start_us = lk_time_add_us (self->start_us, behind_us * period_us);
  self->end_us = lk_time_add_us (self->start_us, length_us);
  do {
    self->start_us = next_start_us (self->flags, self->start_us);
    self->end_us = lk_time_add_us (self->start_us, length_us);
  } while (self->end_us <= now_us);
}

/* An occurrence, and those behind it. */
typedef struct {
  guint32 flags;
  gint64 from_us;
  gint64 to_us;
} Occurrence;

static void
step (Occurrence *self)
{
  gint64 length_us = self->to_us - self->from_us;
  self->from_us = (self->flags & LK_RESERVATION_RECURS) != 0
                      ? next_start_us (self->flags, self->from_us)
                      : LK_TIME_NEVER;
  self->to_us = lk_time_add_us (self->from_us, length_us);
}

gboolean
lk_reservations_meet (const LkAdvanceReservation *a, const LkAdvanceReservation *b, gint64 now_us)
{
  Occurrence x = { .flags = a->flags };
  Occurrence y = { .flags = b->flags };
  lk_reservation_span (a, now_us, &x.from_us, &x.to_us);
  lk_reservation_span (b, now_us, &y.from_us, &y.to_us);
  gint64 until_us = lk_time_add_us (MAX (x.from_us, y.from_us), WEEK_US);
  while (x.from_us < until_us && y.from_us < until_us) {
    if (x.from_us < y.to_us && y.from_us < x.to_us)
      return TRUE;
    step (x.to_us <= y.to_us ? &x : &y);
  }
  return FALSE;
}

/* ---------------------------------------------------------------- what it leaves to others */

/* Does a job in `inside` see it at all? */
static gboolean
is_seen_from (const LkAdvanceReservation *self, const LkAdvanceReservation *inside)
{
  if (inside == NULL)
    return TRUE;
  return self != inside && (inside->flags & LK_RESERVATION_MAINT) == 0
         && ((inside->flags & LK_RESERVATION_OVERLAP) == 0
             || (self->flags & LK_RESERVATION_MAINT) != 0);
}

gboolean
lk_reservation_blocks (const LkAdvanceReservation *self, const LkAdvanceReservation *inside,
                       const LkWindow *window)
{
  gint64 from_us;
  gint64 to_us;
  if (!is_seen_from (self, inside))
    return FALSE;
  lk_reservation_span (self, window->now_us, &from_us, &to_us);
  return from_us < window->to_us && to_us > window->from_us;
}

/* Takes out the nodes of reservations of whole nodes, or of those that have cores of them. */
static void
mask_out (const LkWindow *window, gboolean are_whole, guint64 *set)
{
  const LkReservationTable *self = window->reservations;
  for (guint i = 0; i < self->items->len; i++) {
    const LkAdvanceReservation *item = g_ptr_array_index (self->items, i);
    if (item->nodes == NULL || (item->cores == NULL) != are_whole
        || !lk_reservation_blocks (item, window->inside, window))
      continue;
    for (guint32 word = 0; word < window->nodes->node_words; word++)
      set[word] &= ~item->nodes[word];
  }
}

void
lk_reservations_mask (const LkWindow *window, guint64 *set)
{
  const LkAdvanceReservation *inside = window->inside;
  if (inside != NULL && lk_reservation_binds (inside))
    for (guint32 word = 0; word < window->nodes->node_words; word++)
      set[word] &= inside->nodes[word];
  mask_out (window, /* are_whole= */ TRUE, set);
}

void
lk_reservations_mask_partial (const LkWindow *window, guint64 *set)
{
  mask_out (window, /* are_whole= */ FALSE, set);
}

gint64
lk_reservations_next_us (const LkWindow *window)
{
  const LkReservationTable *self = window->reservations;
  gint64 next_us = LK_TIME_NEVER;
  for (guint i = 0; i < self->items->len; i++) {
    const LkAdvanceReservation *item = g_ptr_array_index (self->items, i);
    gint64 from_us;
    gint64 to_us;
    if (item->nodes == NULL || !lk_reservation_blocks (item, window->inside, window))
      continue;
    lk_reservation_span (item, window->now_us, &from_us, &to_us);
    next_us = MIN (next_us, to_us);
  }
  return next_us;
}

static const guint64 *
cores_on (const LkAdvanceReservation *self, const LkWindow *window, guint32 node)
{
  return self->cores + (gsize)node * window->nodes->core_words;
}

static void
lose_devices (LkNodeFree *free, guint64 devices)
{
  free->devices &= ~devices;
  for (guint64 rest = devices; rest != 0; rest &= rest - 1)
    free->shares[__builtin_ctzll (rest)] = 0;
}

/* A job in a part of a node has that part. */
static void
keep_own (const LkWindow *window, guint32 node, LkNodeFree *free)
{
  const LkAdvanceReservation *inside = window->inside;
  const guint64 *cores = cores_on (inside, window, node);
  for (guint32 word = 0; inside->core_count > 0 && word < window->nodes->core_words; word++)
    free->cores[word] &= cores[word];
  if (inside->has_devices)
    lose_devices (free, ~inside->devices[node]
                            & lk_bits_range (0, lk_node_kind (window->nodes, node)->device_count));
  free->is_idle = FALSE;
}

static void
lose_part (const LkAdvanceReservation *item, const LkWindow *window, guint32 node, LkNodeFree *free)
{
  const guint64 *cores = cores_on (item, window, node);
  for (guint32 word = 0; word < window->nodes->core_words; word++)
    free->cores[word] &= ~cores[word];
  lose_devices (free, item->devices[node]);
  /* Who wants the node whole cannot have it. */
  free->is_idle = FALSE;
}

void
lk_reservations_narrow (const LkWindow *window, guint32 node, LkNodeFree *free)
{
  const LkReservationTable *self = window->reservations;
  const LkAdvanceReservation *inside = window->inside;
  if (inside != NULL && lk_reservation_binds (inside)) {
    if (!lk_bits_has (inside->nodes, node))
      free->open = FALSE;
    else if (inside->cores != NULL)
      keep_own (window, node, free);
  }
  if (!lk_bits_has (self->any, node))
    return;
  for (guint i = 0; i < self->items->len; i++) {
    const LkAdvanceReservation *item = g_ptr_array_index (self->items, i);
    if (item->nodes == NULL || !lk_bits_has (item->nodes, node)
        || !lk_reservation_blocks (item, inside, window))
      continue;
    if (item->cores == NULL)
      free->open = FALSE;
    else
      lose_part (item, window, node, free);
  }
}

gboolean
lk_reservation_holds (const LkAdvanceReservation *self, const LkWindow *window,
                      const LkPiece *piece)
{
  guint64 held = 0;
  if (self->nodes == NULL || !lk_bits_has (self->nodes, piece->node))
    return FALSE;
  if (self->cores == NULL || (piece->flags & LK_PIECE_WHOLE) != 0)
    return TRUE;
  const guint64 *cores = cores_on (self, window, piece->node);
  for (guint32 word = 0; word < window->nodes->core_words; word++)
    held |= cores[word] & piece->cores[word];
  if (piece->shares > 0)
    held |= self->devices[piece->node] >> piece->share_device & 1;
  return (held | (self->devices[piece->node] & piece->devices)) != 0;
}

/* The latest end of whole nodes set aside that the window meets on the node; its own beginning when
 * it meets none. */
static gint64
behind_us (const LkWindow *window, guint32 node)
{
  const LkReservationTable *self = window->reservations;
  gint64 end_us = window->from_us;
  for (guint i = 0; i < self->items->len; i++) {
    const LkAdvanceReservation *item = g_ptr_array_index (self->items, i);
    gint64 from_us;
    gint64 to_us;
    if (item->nodes == NULL || item->cores != NULL || !lk_bits_has (item->nodes, node)
        || !lk_reservation_blocks (item, window->inside, window))
      continue;
    lk_reservation_span (item, window->now_us, &from_us, &to_us);
    end_us = MAX (end_us, to_us);
  }
  return end_us;
}

gint64
lk_reservations_clear_us (const LkWindow *window, guint32 node)
{
  LkWindow moved = *window;
  if (window->inside != NULL && lk_reservation_binds (window->inside)
      && !lk_bits_has (window->inside->nodes, node))
    return LK_TIME_NEVER;
  if (!lk_bits_has (window->reservations->any, node))
    return window->from_us;
  while (moved.from_us < LK_TIME_NEVER) {
    gint64 end_us = behind_us (&moved, node);
    if (end_us == moved.from_us)
      break;
    moved.to_us = lk_time_add_us (moved.to_us, end_us - moved.from_us);
    moved.from_us = end_us;
  }
  return moved.from_us;
}

gint64
lk_reservations_next_end_us (const LkWindow *window, guint32 node, gint64 after_us)
{
  const LkReservationTable *self = window->reservations;
  gint64 next_us = LK_TIME_NEVER;
  for (guint i = 0; i < self->items->len; i++) {
    const LkAdvanceReservation *item = g_ptr_array_index (self->items, i);
    gint64 from_us;
    gint64 to_us;
    if (item->nodes == NULL || !lk_bits_has (item->nodes, node))
      continue;
    lk_reservation_span (item, window->now_us, &from_us, &to_us);
    if (to_us > after_us)
      next_us = MIN (next_us, to_us);
  }
  return next_us;
}

/* ---------------------------------------------------------------- invariants */

static void
check_item (const LkReservationTable *self, const LkAdvanceReservation *item)
{
  guint32 word_count = self->machine->nodes.node_words;
  LK_ASSERT (item->number != 0);
  LK_ASSERT (item->number <= self->number_last);
  LK_ASSERT (item->end_us > item->start_us);
  LK_ASSERT (lk_reservations_find (self, item->name, strlen (item->name)) == item);
  LK_ASSERT (item->nodes != NULL || item->licenses != NULL);
  LK_ASSERT (item->cores == NULL || item->nodes != NULL);
  LK_ASSERT ((item->cores == NULL) == (item->devices == NULL));
  for (guint32 word = 0; item->nodes != NULL && word < word_count; word++) {
    LK_ASSERT ((item->nodes[word] & ~self->any[word]) == 0);
    LK_ASSERT (item->cores == NULL || (item->nodes[word] & ~self->partial[word]) == 0);
  }
}

void
lk_reservations_check (const LkReservationTable *self)
{
  guint32 number = 0;
  for (guint i = 0; i < self->items->len; i++) {
    const LkAdvanceReservation *item = g_ptr_array_index (self->items, i);
    LK_ASSERT (item->number > number);
    number = item->number;
    check_item (self, item);
  }
}
