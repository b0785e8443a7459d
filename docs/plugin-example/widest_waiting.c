/* widest_waiting.c — a worked example of a policy plugin: an order.
 *
 * Jobs that have waited for `threshold_s` seconds or longer go first, the widest of them (the
 * most processors) at the very front; all others follow in the order of their submission. Wide
 * jobs are the hardest to fit in, so this lets them through once they have been patient.
 *
 * The policy keeps only its parameter, so it needs no save and load. docs/policy-plugins.md
 * walks through this file. */
#include <stdlib.h>

#include "engine/policy.h"

#define US_PER_S 1000000

typedef struct {
  int64_t threshold_us;
} Widest;

/* One row for each parameter; the index of a row is the index of its value in `create`. */
static const LkParam params[] = {
  { "threshold_s", LK_PARAM_INTEGER, "s", "3600", 0, 31536000,
    "how long a job waits before it counts as patient" },
  { NULL, 0, NULL, NULL, 0, 0, NULL },
};

static void *
create (const LkParamValues *values, LkPolicyError *error)
{
  Widest *self = malloc (sizeof *self);
  if (self == NULL) {
    memcpy (error->text, "out of memory", sizeof "out of memory");
    return NULL;
  }
  self->threshold_us = values->values[0].integer * US_PER_S;
  return self;
}

static void
destroy (void *self)
{
  free (self);
}

/* Higher goes first; the host settles equal keys by submit time, then id. */
static int64_t
key (void *self, const LkView *view, LkJobIndex job)
{
  const Widest *widest = self;
  int64_t waited_us = view->now_us - view->jobs->submit_us[job];
  return waited_us >= widest->threshold_us ? (int64_t)view->jobs->procs[job] : 0;
}

/* A job's key changes at the moment that it becomes patient. */
static int32_t
is_dynamic (void *self)
{
  (void)self;
  return 1;
}

static const LkOrderPolicy policy = {
  .base = {
    .abi = LK_POLICY_ABI,
    .size = sizeof (LkOrderPolicy),
    .seam = LK_SEAM_ORDER,
    .version = 1,
    .name = "widest_waiting",
    .summary = "patient jobs first, the widest in front; the others as they came",
    .params = params,
    .create = create,
    .destroy = destroy,
  },
  .key = key,
  .is_dynamic = is_dynamic,
};

/* Everything else is static or hidden: this is the one symbol that the file exports. */
const LkPolicy *lk_policy_v1 (void);

__attribute__ ((visibility ("default"))) const LkPolicy *
lk_policy_v1 (void)
{
  return &policy.base;
}
