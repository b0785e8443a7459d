/* sim/command_top.h — scontrol top: a user's job goes before all others of the user.
 *
 * The job gets the highest priority that a pending job of the user has, and those others that are
 * not held lose as much as it gains, down to 1: the priorities of a user's jobs together do not
 * rise.  That is done with nice values, and with the priority where an administrator set one.
 *
 * Source: scontrol(1), top; tests/oracle/sched/recorded/14-hold-begin-nice. */
#ifndef LK_SIM_COMMAND_TOP_H
#define LK_SIM_COMMAND_TOP_H

#include "sim/driver.h"

/* `job_id` is in the system. Returns: why it is refused, or 0. */
LkReject lk_command_top (const LkSimControl *control, guint32 job_id);

#endif
