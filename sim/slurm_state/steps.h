/* sim/slurm_state/steps.h — in which order the jobs of a Slurm cluster came in and started. */
#ifndef LK_SIM_SLURM_STATE_STEPS_H
#define LK_SIM_SLURM_STATE_STEPS_H

#include "sim/slurm_state/collected.h"

/* In the order of one instant. */
typedef enum {
  LK_STATE_STEP_END, /* of the past only */
  LK_STATE_STEP_SUBMIT,
  LK_STATE_STEP_SUSPEND,
  LK_STATE_STEP_RESERVE,
  LK_STATE_STEP_START
} LkStateStepKind;

typedef struct {
  gint64 time_us;
  LkStateStepKind kind;
  guint32 priority;  /* of a job that starts, and is no component */
  guint32 id;        /* of the job, or the array */
  gboolean is_past;  /* of a job that ended before the collection */
  guint index;       /* in `jobs`, `reservations` or the past's, of what was collected */
  const char *tasks; /* of an array that comes in: all that are there; NULL: no array */
} LkStateStep;

/* When a reservation is created: when it began where jobs run in it or it comes again and again,
 * else when it was collected. FALSE with an error: it tells no time. */
gboolean lk_state_reservation_moment (const LkStateCollected *collected,
                                      const LkStateRecord *record, gint64 *out_us, GError **error);

/* Ids of the past are given here: below those of the jobs that come behind it, so that nothing of
 * what runs or waits is called otherwise because of it.  Where there are not enough of them, the
 * job is left out. Returns: (transfer full) of LkStateStep, in order; NULL on failure. */
GArray *lk_state_steps_new (LkStateCollected *collected, GError **error);

#endif
