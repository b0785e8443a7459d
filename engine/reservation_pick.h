/* engine/reservation_pick.h — what a new reservation gets: which nodes, cores, GPUs and licences.
 *
 * Nodes that are named are taken as they are; nodes, cores and GPUs that are counted are picked
 * among those of the partition with the features: first nodes on which nothing runs, then others,
 * by index.  Nothing is taken that another reservation has at a time of both, unless one of them is
 * MAINT or OVERLAP; nor, without IGNORE_JOBS, what a running job may hold when it begins.  Source:
 * Slurm, reservations.html; slurmctld's _select_nodes and _pick_nodes. */
#ifndef LK_ENGINE_RESERVATION_PICK_H
#define LK_ENGINE_RESERVATION_PICK_H

#include "engine/reservation.h"

/* Fills nodes, parts and licences of one that was just read and is not in the table; one that takes
 * the place of `before` (NULL: none) keeps its nodes as far as it can, and jobs that run in that
 * are not in its way. */
LkReject lk_reservation_pick (const LkReservationTable *table, LkAdvanceReservation *item,
                              const LkAdvanceReservation *before, gint64 now_us);

/* Puts idle nodes in the place of those that are down or drained, and with REPLACE of those in use.
 * FALSE: all are as they were. */
gboolean lk_reservation_replace (const LkReservationTable *table, LkAdvanceReservation *item,
                                 gint64 now_us);

#endif
