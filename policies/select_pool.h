/* policies/select_pool.h — see select_pool.c. */
#ifndef LK_POLICIES_SELECT_POOL_H
#define LK_POLICIES_SELECT_POOL_H

#include "engine/policy.h"

extern const LkSelectPolicy lk_select_pool;

#endif
