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
enum { LK_SELECT_AT_BUSY, LK_SELECT_AT_SERIAL, LK_SELECT_AT_RELEASE };

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

#define LK_SELECT_PARAM_RELEASE                                                                    \
  {                                                                                                \
    "release", LK_PARAM_INTEGER, "", "2605", 1102, 9912,                                           \
        "release of Slurm whose rules apply: 2205 for 22.05 and older"                             \
  }

/* Jobs of one node have their own rule from here on. */
#define LK_SELECT_RELEASE_FIRST_FIT 2605

static inline void *
lk_select_habits_create (const LkParamValues *values, LkPolicyError *error)
{
  LkSelectHabits *self = g_new0 (LkSelectHabits, 1);
  (void)error;
  lk_node_pick_init (&self->pick);
  self->habits.busy = values->values[LK_SELECT_AT_BUSY].integer != 0;
  self->habits.serial_at_end = values->values[LK_SELECT_AT_SERIAL].integer != 0;
  self->habits.first_fit =
      values->values[LK_SELECT_AT_RELEASE].integer >= LK_SELECT_RELEASE_FIRST_FIT;
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
