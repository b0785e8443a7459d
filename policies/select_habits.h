/* policies/select_habits.h — what the select policies that place as Slurm does have in common:
 * their instance and their parameters. */
#ifndef LK_POLICIES_SELECT_HABITS_H
#define LK_POLICIES_SELECT_HABITS_H

#include "policies/node_fit.h"

typedef struct {
  LkNodePick pick; /* room for work, no state */
  LkNodeHabits habits;
} LkSelectHabits;

/* The parameters' places in every table that has them. */
enum { LK_SELECT_AT_BUSY, LK_SELECT_AT_SERIAL };

#define LK_SELECT_PARAM_BUSY                                                                       \
  {                                                                                                \
    "busy", LK_PARAM_INTEGER, "", "0", 0, 1,                                                       \
        "1: nodes in use before idle ones (Slurm's bf_busy_nodes)"                                 \
  }

#define LK_SELECT_PARAM_SERIAL                                                                     \
  {                                                                                                \
    "pack_serial_at_end", LK_PARAM_INTEGER, "", "0", 0, 1,                                         \
        "1: jobs of one CPU on the last nodes first (Slurm's pack_serial_at_end)"                  \
  }

static inline void *
lk_select_habits_create (const LkParamValues *values, LkPolicyError *error)
{
  LkSelectHabits *self = g_new0 (LkSelectHabits, 1);
  (void)error;
  lk_node_pick_init (&self->pick);
  self->habits.busy = values->values[LK_SELECT_AT_BUSY].integer != 0;
  self->habits.serial_at_end = values->values[LK_SELECT_AT_SERIAL].integer != 0;
  return self;
}

static inline void
lk_select_habits_destroy (void *user)
{
  LkSelectHabits *self = user;
  if (self != NULL)
    lk_node_pick_clear (&self->pick);
  g_free (self);
}

#endif
