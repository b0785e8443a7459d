/* sim/reservations_list.h — advance reservations that stand beside a log.
 *
 * Each line is one, in the words of `scontrol create reservation` or as `scontrol show reservation
 * -o` prints it; docs/reservations.md has the format.  A line is made a line of a script of
 * commands (traces/command_script.h), with its moments as such a script has them, and read as that;
 * so there is one reader of these words.  All are made when the log begins. */
#ifndef LK_SIM_RESERVATIONS_LIST_H
#define LK_SIM_RESERVATIONS_LIST_H

#include <glib.h>

#include "sim/driver.h"

typedef struct _LkReservationsList LkReservationsList;

/* "-" is standard input; `unix_start_s` is that of the log's time 0, below 0: unknown, and there
 * are no dates. Errors "PATH:LINE: ...". Returns: (transfer full). */
LkReservationsList *lk_reservations_list_new (const char *path, gint64 unix_start_s,
                                              GError **error);
void lk_reservations_list_free (LkReservationsList *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkReservationsList, lk_reservations_list_free)

/* Tells when the first job is submitted; later calls change nothing. */
void lk_reservations_list_begin (LkReservationsList *self, gint64 first_submit_us);
/* For LkSimClient: when they are to be made; LK_TIME_NEVER: they are. */
gint64 lk_reservations_list_next_us (const LkReservationsList *self);
/* Makes them all; fails at the first that is refused. */
gboolean lk_reservations_list_act (LkReservationsList *self, const LkSimControl *control,
                                   GError **error);

#endif
