/* sim/command_top.h — scontrol top in a run (engine/job_top.h). */
#ifndef LK_SIM_COMMAND_TOP_H
#define LK_SIM_COMMAND_TOP_H

#include "sim/driver.h"

/* `job_id` is in the system. Returns: why it is refused, or 0. */
LkReject lk_command_top (const LkSimControl *control, guint32 job_id);

#endif
