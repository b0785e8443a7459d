/* sim/slurm_state/reserve.h — an advance reservation as Slurm shows it, as the event that creates
 * it. */
#ifndef LK_SIM_SLURM_STATE_RESERVE_H
#define LK_SIM_SLURM_STATE_RESERVE_H

#include "engine/codec.h"
#include "sim/slurm_state/collected.h"

/* Fills `out_event`, as of a moment that lk_state_reservation_moment gives; its texts live as long
 * as what was collected.  What is left out is told. FALSE with an error that names line and key. */
gboolean lk_state_reserve (LkStateCollected *collected, const LkStateRecord *record, gint64 now_us,
                           LkEvent *out_event, GError **error);

#endif
