/* policies/selects.h — the select policies that are built in; docs/policy-select.md says what each
 * does. `pool` counts; the others place jobs on the nodes of a machine. */
#ifndef LK_POLICIES_SELECTS_H
#define LK_POLICIES_SELECTS_H

#include "engine/policy.h"

extern const LkSelectPolicy lk_select_bestfit_gpu;
extern const LkSelectPolicy lk_select_cons_tres;
extern const LkSelectPolicy lk_select_fgd;
extern const LkSelectPolicy lk_select_linear;
extern const LkSelectPolicy lk_select_pool;
extern const LkSelectPolicy lk_select_topology;

#endif
