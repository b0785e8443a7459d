/* sim/command_reservation.h — from `scontrol create`, `update` and `delete` of a reservation to the
 * event that says the same. */
#ifndef LK_SIM_COMMAND_RESERVATION_H
#define LK_SIM_COMMAND_RESERVATION_H

#include "engine/engine.h"
#include "traces/command_script.h"

/* Fills `out_event`; moments like now+60 count from `now_us`.  Of an update what is told with += or
 * -= is checked, and left out.  FALSE with an LK_TRACE_ERROR_SYNTAX that does not name the line. */
gboolean lk_command_reservation_event (const LkCommand *command, gint64 now_us, LkEvent *out_event,
                                       GError **error);
/* What an update tells of the reservation as it stands: +=, -=, flags that come beside those that
 * it has, EndTime alone.  FALSE, with an error as above: it has not what is to be taken away. */
gboolean lk_command_edit_reservation (const LkCommand *command, const LkEngine *engine,
                                      gint64 now_us, GStringChunk *texts,
                                      LkEvent_reservation_update *update, GError **error);

#endif
