/* sim/statistics/paired_private.h — what paired.c and paired_show.c share. */
#ifndef LK_SIM_STATISTICS_PAIRED_PRIVATE_H
#define LK_SIM_STATISTICS_PAIRED_PRIVATE_H

#include "sim/statistics/paired.h"

/* As --by has it. */
const char *lk_by_name (LkBy by);

#endif
