/* policies/preempts.h — the built-in preempt policies. */
#ifndef LK_POLICIES_PREEMPTS_H
#define LK_POLICIES_PREEMPTS_H

#include "engine/policy.h"

extern const LkPreemptPolicy lk_preempt_gang;
extern const LkPreemptPolicy lk_preempt_none;
extern const LkPreemptPolicy lk_preempt_partition_prio;
extern const LkPreemptPolicy lk_preempt_qos;

#endif
