/* policies/expr_compile.h — compiles a formula of the `expr` order.
 *
 * The language is described in docs/policy-orders.md. */
#ifndef LK_POLICIES_EXPR_COMPILE_H
#define LK_POLICIES_EXPR_COMPILE_H

#include "engine/policy.h"
#include "policies/expr_program.h"

/* Compiles a formula, which may be anything that ends with a zero byte. `host` computes constants.
 * Returns: (transfer full) the program, or NULL with `out_error` saying at which column (bytes from
 * 1) what was expected. */
LkExprProgram *lk_expr_compile (const char *formula, const LkHost *host, LkPolicyError *out_error);
void lk_expr_program_free (LkExprProgram *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkExprProgram, lk_expr_program_free)

#endif
