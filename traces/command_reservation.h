/* traces/command_reservation.h — from `scontrol create`, `update` and `delete` of a reservation to
 * the event that says the same. */
#ifndef LK_TRACES_COMMAND_RESERVATION_H
#define LK_TRACES_COMMAND_RESERVATION_H

#include "engine/codec.h"
#include "traces/command_script.h"

/* Fills `out_event`; moments like now+60 count from `now_us`.  Of an update what is told with += or
 * -= is checked, and left out.  FALSE with an LK_TRACE_ERROR_SYNTAX that does not name the line. */
gboolean lk_command_reservation_event (const LkCommand *command, gint64 now_us, LkEvent *out_event,
                                       GError **error);
/* A reservation as it stands. All is borrowed; lists of names end with NULL. */
typedef struct {
  LkEvent_reservation_update asked; /* its fields as it was asked for, or changed, last */
  gint64 start_us;                  /* of this occurrence; of one that floats: behind now */
  gint64 end_us;
  gboolean floats; /* flag TIME_FLOAT */
  const char *const *nodes;
  const char *const *all_nodes; /* of the machine */
} LkCommandReservation;

/* What an update tells of the reservation as it stands: +=, -=, flags that come beside those that
 * it has, EndTime alone.  FALSE, with an error as above: it has not what is to be taken away. */
gboolean lk_command_edit_reservation (const LkCommand *command,
                                      const LkCommandReservation *standing, gint64 now_us,
                                      GStringChunk *texts, LkEvent_reservation_update *update,
                                      GError **error);

#endif
