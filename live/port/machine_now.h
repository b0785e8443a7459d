/* live/port/machine_now.h — what this machine measures of itself, as Slurm's CPULoad and FreeMem:
 * the load average of a minute, and memory that nobody uses; what it is, since when it is up, and
 * since when this process. */
#ifndef LK_LIVE_PORT_MACHINE_NOW_H
#define LK_LIVE_PORT_MACHINE_NOW_H

#include "live/core/port_process.h"

void lk_machine_now (LkMachineNow *out_now);

#endif
