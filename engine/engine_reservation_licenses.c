/* engine/engine_reservation_licenses.c — which licences advance reservations keep from a job at a
 * moment to come.
 *
 * A policy that plans licences asks this in place of a placement, which looks at one moment only.
 * Of the ways in which the job could run then, each kind of licence counts in the best one. */
#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_reservation.h"

static const LkLicenseDemand *
demand_at (const GArray *demands, guint i)
{
  return &g_array_index (demands, LkLicenseDemand, i);
}

/* When the first reservation that keeps licences from the job ends. */
static gint64
next_end_us (const LkEngine *self, const LkWindow *window)
{
  const GPtrArray *items = self->reservations->items;
  gint64 next_us = LK_TIME_NEVER;
  for (guint i = 0; i < items->len; i++) {
    const LkAdvanceReservation *item = g_ptr_array_index (items, i);
    gint64 from_us;
    gint64 to_us;
    if (item->licenses == NULL || !lk_reservation_blocks (item, window->inside, window))
      continue;
    lk_reservation_span (item, window->now_us, &from_us, &to_us);
    next_us = MIN (next_us, to_us);
  }
  return next_us;
}

gint64
lk_engine_licenses_reserved (const LkEngine *self, LkJobIndex job, gint64 from_us, guint32 *counts)
{
  const GArray *demands = lk_machine_request (self->machine, self->jobs.request[job])->licenses;
  g_autoptr (GArray) choices = g_array_new (FALSE, FALSE, sizeof (LkReservationChoice));
  gint64 next_us = LK_TIME_NEVER;
  if (demands == NULL)
    return LK_TIME_NEVER;
  for (guint i = 0; i < demands->len; i++)
    counts[demand_at (demands, i)->license] =
        self->machine->licenses_total[demand_at (demands, i)->license];
  lk_engine_reservation_choices (self, job, choices);
  for (guint at = 0; at < choices->len; at++) {
    const LkReservationChoice *choice = &g_array_index (choices, LkReservationChoice, at);
    LkWindow window = { .nodes = &self->machine->nodes,
                        .now_us = self->view.now_us,
                        .from_us = from_us,
                        .to_us = lk_time_add_us (from_us, self->jobs.estimate_us[job]),
                        .reservations = self->reservations,
                        .inside = choice->inside };
    if (choice->from_us > from_us)
      next_us = MIN (next_us, choice->from_us);
    if (choice->from_us > from_us || choice->to_us <= from_us)
      continue;
    for (guint i = 0; i < demands->len; i++) {
      guint32 license = demand_at (demands, i)->license;
      guint64 aside = lk_engine_licenses_set_aside (self, choice->inside, license, &window);
      counts[license] = (guint32)MIN (counts[license], aside);
    }
    next_us = MIN (next_us, next_end_us (self, &window));
  }
  return next_us;
}
