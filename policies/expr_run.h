/* policies/expr_run.h — runs a compiled formula. */
#ifndef LK_POLICIES_EXPR_RUN_H
#define LK_POLICIES_EXPR_RUN_H

#include "engine/policy.h"
#include "policies/expr_program.h"

/* What a function or an operator makes of its operands; the compiler folds constants with it, so
 * that folding never changes a value. */
double lk_expr_apply (LkExprOp op, const double *operands, const LkHost *host);

/* The value of the formula for a job, now. Cost: O(length of the program). */
double lk_expr_run (const LkExprProgram *program, const LkView *view, LkJobIndex job);

#endif
