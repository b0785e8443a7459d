/* sim/why_reservations.c — advance reservations: one that the job waits for, and those of others
 * that have its nodes. */
#include <string.h>

#include "engine/bits.h"
#include "engine/checked.h"
#include "engine/hostlist.h"
#include "engine/reservation.h"
#include "engine/window.h"
#include "sim/why_private.h"

/* Reservations of others that are named. */
#define NAMED_MAX 3u

static LkWhyBlocker *
add (LkWhy *self)
{
  LkWhyBlocker *blocker = lk_why_add_blocker (self, LK_WHY_RESERVATION);
  blocker->reason = self->info.reason;
  return blocker;
}

/* ---------------------------------------------------------------- one that it waits for */

/* The first to begin of those named. */
static const LkAdvanceReservation *
first_named (const LkEngine *engine, LkText names)
{
  const LkReservationTable *table = lk_engine_reservations (engine);
  const LkAdvanceReservation *first = NULL;
  g_autofree char *text = g_strndup (names.length_bytes > 0 ? names.bytes : "", names.length_bytes);
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  for (guint i = 0; table != NULL && words[i] != NULL; i++) {
    const LkAdvanceReservation *item = lk_reservations_find (table, words[i], strlen (words[i]));
    if (item != NULL && (first == NULL || item->start_us < first->start_us))
      first = item;
  }
  return first;
}

static void
find_own (LkWhy *self, const LkEngine *engine, LkText names)
{
  LkWhyBlocker *blocker = add (self);
  const LkAdvanceReservation *item =
      self->info.reason == LK_REASON_RESERVATION ? first_named (engine, names) : NULL;
  if (item == NULL) {
    blocker->text = g_strdup ("the reservation that it asks for is over");
    return;
  }
  g_autofree char *moment = lk_why_moment_text (item->start_us);
  blocker->name = g_strdup (item->name);
  blocker->at_us = item->start_us;
  blocker->text = g_strdup_printf ("it waits for reservation %s, which %s at %s", item->name,
                                   item->start_us > self->now_us ? "begins" : "began", moment);
}

/* ---------------------------------------------------------------- those of others */

/* Nodes of the reservation that the job could use otherwise. Returns: (transfer full); NULL: it has
 * none. */
static char *
taken_text (const LkEngine *engine, const LkAdvanceReservation *item, const LkRequest *request)
{
  const LkNodeTable *nodes = lk_engine_nodes (engine);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint32 node = 0; item->nodes != NULL && node < nodes->node_count; node++)
    if (lk_bits_has (item->nodes, node) && lk_bits_has (request->eligible, node))
      g_ptr_array_add (names, nodes->names[node]);
  if (names->len == 0)
    return NULL;
  GString *out = g_string_new (NULL);
  lk_hostlist_compress ((const char *const *)names->pdata, names->len, out);
  return g_string_free (out, FALSE);
}

static void
add_other (LkWhy *self, const LkAdvanceReservation *item, const char *nodes)
{
  LkWhyBlocker *blocker = add (self);
  gint64 from_us;
  gint64 to_us;
  lk_reservation_span (item, self->now_us, &from_us, &to_us);
  g_autofree char *from = lk_why_moment_text (from_us);
  g_autofree char *to = lk_why_moment_text (to_us);
  blocker->name = g_strdup (item->name);
  blocker->at_us = to_us;
  blocker->text =
      g_strdup_printf ("%s %s set aside by reservation %s from %s to %s", nodes,
                       strpbrk (nodes, "[,") != NULL ? "are" : "is", item->name, from, to);
}

static void
find_others (LkWhy *self, const LkEngine *engine)
{
  const LkReservationTable *table = lk_engine_reservations (engine);
  const LkRequest *request = lk_engine_job_request (engine, self->info.id);
  guint named_count = 0;
  LkWindow window = { .nodes = lk_engine_nodes (engine),
                      .now_us = self->now_us,
                      .from_us = self->now_us,
                      .to_us = lk_time_add_us (self->now_us, self->info.estimate_us),
                      .reservations = table };
  for (guint i = 0; table != NULL && i < table->items->len && named_count < NAMED_MAX; i++) {
    const LkAdvanceReservation *item = g_ptr_array_index (table->items, i);
    g_autofree char *nodes =
        lk_reservation_blocks (item, NULL, &window) ? taken_text (engine, item, request) : NULL;
    if (nodes == NULL)
      continue;
    add_other (self, item, nodes);
    named_count++;
  }
}

gboolean
lk_why_waits_for_reservation (const LkWhy *self)
{
  return self->info.reason == LK_REASON_RESERVATION
         || self->info.reason == LK_REASON_RESERVATION_DELETED
         || self->info.reason == LK_REASON_RESERVATION_INVALID;
}

void
lk_why_find_reservations (LkWhy *self, const LkEngine *engine, const LkEvent_submit *asked)
{
  if (lk_why_waits_for_reservation (self))
    find_own (self, engine, asked->reservation);
  else if (self->info.reason == LK_REASON_REQ_NODE_NOT_AVAIL)
    find_others (self, engine);
}
