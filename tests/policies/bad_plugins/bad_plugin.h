/* tests/policies/bad_plugins/bad_plugin.h — the sound parts of the plugins that are wrong in one
 * way each.
 *
 * A plugin defines what it wants otherwise before it includes this: BAD_NAME, and BAD_ABI,
 * BAD_PARAMS or BAD_KEY. */
#ifndef LK_TESTS_POLICIES_BAD_PLUGIN_H
#define LK_TESTS_POLICIES_BAD_PLUGIN_H

#include <stdlib.h>

#include "engine/policy.h"

#ifndef BAD_ABI
#define BAD_ABI LK_POLICY_ABI
#endif

#define BAD_EXPORT __attribute__ ((visibility ("default")))

static void *
bad_create (const LkParamValues *values, LkPolicyError *error)
{
  (void)values;
  (void)error;
  return calloc (1, 1);
}

static void
bad_destroy (void *self)
{
  free (self);
}

#ifndef BAD_KEY
#define BAD_KEY bad_key
static int64_t
bad_key (void *self, const LkView *view, LkJobIndex job)
{
  (void)self;
  return -(int64_t)view->jobs->procs[job];
}
#endif

#ifndef BAD_PARAMS
#define BAD_PARAMS bad_params
static const LkParam bad_params[] = { { NULL, 0, NULL, NULL, 0, 0, NULL } };
#endif

static int32_t
bad_is_dynamic (void *self)
{
  (void)self;
  return 1;
}

static const LkOrderPolicy bad_policy = {
  .base = {
    .abi = BAD_ABI,
    .size = sizeof (LkOrderPolicy),
    .seam = LK_SEAM_ORDER,
    .version = 1,
    .name = BAD_NAME,
    .summary = "wrong on purpose",
    .params = BAD_PARAMS,
    .create = bad_create,
    .destroy = bad_destroy,
  },
  .key = BAD_KEY,
  .is_dynamic = bad_is_dynamic,
};

const LkPolicy *lk_policy_v1 (void);

BAD_EXPORT const LkPolicy *
lk_policy_v1 (void)
{
  return &bad_policy.base;
}

#endif
