/* policies/builtin.h — the policies that are built in. */
#ifndef LK_POLICIES_BUILTIN_H
#define LK_POLICIES_BUILTIN_H

#include "engine/policy.h"

/* All of them by seam, then name; the list ends with NULL. */
extern const LkPolicy *const lk_builtin_policies[];

#endif
