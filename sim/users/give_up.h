/* sim/users/give_up.h — a user who has waited for too long cancels a job. */
#ifndef LK_SIM_USERS_GIVE_UP_H
#define LK_SIM_USERS_GIVE_UP_H

#include "sim/driver.h"
#include "sim/users/users.h"

/* Cancels one job, if there is one that has waited so long and still waits. */
void lk_users_give_up (LkUsers *self, const LkSimControl *control);

#endif
