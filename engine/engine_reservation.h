/* engine/engine_reservation.h — what the engine does with advance reservations; for the engine's
 * own files and its plans only. */
#ifndef LK_ENGINE_ENGINE_RESERVATION_H
#define LK_ENGINE_ENGINE_RESERVATION_H

#include "engine/engine_private.h"
#include "engine/reservation.h"

/* One way in which a job may run: in a reservation, or (NULL) in none, starting in [from, to). */
typedef struct {
  const LkAdvanceReservation *inside;
  gint64 from_us;
  gint64 to_us;
} LkReservationChoice;

/* Are there any? Without, nothing else of this needs to be asked. */
static inline gboolean
lk_engine_has_reservations (const LkEngine *self)
{
  return self->reservations != NULL && self->reservations->items->len > 0;
}

/* The ways in which a pending job may run, the best first, into an array that is emptied. */
void lk_engine_reservation_choices (const LkEngine *self, LkJobIndex job, GArray *out_choices);
/* As LkPassOps.leave_out_reserved: whatever way the job takes. */
gint64 lk_engine_leave_out_reserved (const LkEngine *self, LkJobIndex job, gint64 from_us,
                                     guint64 *nodes);
/* May a job that was placed there run from now on, as far as reservations go? */
gboolean lk_engine_may_stay (const LkEngine *self, LkJobIndex job, guint32 first_piece);
/* How many of a licence are set aside for others than a job in `inside` over a time, whatever its
 * own jobs hold. */
guint64 lk_engine_licenses_set_aside (const LkEngine *self, const LkAdvanceReservation *inside,
                                      guint32 license, const LkWindow *window);
/* Are those that the job needs set aside, in whatever way it could run now? */
gboolean lk_engine_licenses_kept (const LkEngine *self, LkJobIndex job);
/* Is all of its partition set aside for maintenance while it would run from now on? */
gboolean lk_engine_in_maintenance (const LkEngine *self, LkJobIndex job);
/* As LkPassOps.licenses_reserved. */
gint64 lk_engine_licenses_reserved (const LkEngine *self, LkJobIndex job, gint64 from_us,
                                    guint32 *counts);
/* Does the event at hand leave something for lk_engine_turn_reservations to do? */
gboolean lk_engine_reservations_due (const LkEngine *self);

#endif
