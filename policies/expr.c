/* policies/expr.c — the order of a formula: the job with the highest value goes first.
 *
 * The formula is compiled when the policy is created; see expr_compile.h and
 * docs/policy-orders.md.  A value that is not a number goes last. */
#include "policies/expr_compile.h"
#include "policies/expr_run.h"
#include "policies/orders.h"

static const LkParam params[] = {
  { "formula", LK_PARAM_TEXT, "", NULL, 0.0, 0.0,
    "The job with the highest value goes first; a minus sign in front reverses." },
  { NULL, 0, NULL, NULL, 0.0, 0.0, NULL },
};

static void *
create (const LkParamValues *values, LkPolicyError *error)
{
  return lk_expr_compile (values->values[0].text, values->host, error);
}

static void
destroy (void *self)
{
  lk_expr_program_free (self);
}

static int64_t
key (void *self, const LkView *view, LkJobIndex job)
{
  return lk_key_from_real (lk_expr_run (self, view, job));
}

static int32_t
is_dynamic (void *self)
{
  return ((const LkExprProgram *)self)->is_dynamic;
}

const LkOrderPolicy lk_order_expr = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkOrderPolicy),
            .seam = LK_SEAM_ORDER,
            .version = 1,
            .name = "expr",
            .summary = "Highest value of a formula first (docs/policy-orders.md)",
            .params = params,
            .create = create,
            .destroy = destroy },
  .key = key,
  .is_dynamic = is_dynamic,
};
