/* policies/expr_run.c — see expr_run.h.
 *
 * The values are those of IEEE 754: x / 0 is infinite, 0 / 0 is not a number.  The C library's
 * functions differ between systems and are not used: roots are one instruction, logarithms come
 * from the host, the rest is written out here.  A condition holds when it is neither 0 nor NaN. */
#include "policies/expr_run.h"

#include "engine/assert.h"
#include "policies/order_util.h"

#define LN_2 0x1.62e42fefa39efp-1
/* Doubles of this size and above have no fraction. */
#define FRACTION_LIMIT 0x1p52
/* Above this, x^n by n multiplications loses more than logarithms do. */
#define POWER_MAX 64.0

static gboolean
holds (double x)
{
  return x < 0.0 || x > 0.0;
}

static double
floor_of (double x)
{
  if (!(x > -FRACTION_LIMIT && x < FRACTION_LIMIT))
    return x;
  double whole = (double)(gint64)x;
  return whole > x ? whole - 1.0 : whole;
}

static double
power (double x, double y, const LkHost *host)
{
  double count = y < 0.0 ? -y : y;
  if (count <= POWER_MAX && floor_of (count) == count) {
    double result = count > 0.0 ? x : 1.0;
    for (guint i = 1; i < (guint)count; i++)
      result *= x;
    return y < 0.0 ? 1.0 / result : result;
  }
  if (x < 0.0)
    return __builtin_nan ("");
  return host->exp2 (y * host->log2 (x));
}

static double
least (double a, double b)
{
  return a != a || a < b ? a : b;
}

static double
most (double a, double b)
{
  return a != a || a > b ? a : b;
}

/* NOLINTBEGIN(clang-analyzer-core.*): the compiler has checked the stack of every program, so the
 * operands of each instruction have been written; the analyzer cannot see that. */

static double
apply_function (LkExprOp op, const double *x, const LkHost *host)
{
  switch (op) {
  case LK_EXPR_ABS:
    return __builtin_fabs (x[0]);
  case LK_EXPR_EXP2:
    return host->exp2 (x[0]);
  case LK_EXPR_FLOOR:
    return floor_of (x[0]);
  case LK_EXPR_LN:
    return host->log2 (x[0]) * LN_2;
  case LK_EXPR_LOG10:
    return host->log10 (x[0]);
  case LK_EXPR_LOG2:
    return host->log2 (x[0]);
  case LK_EXPR_MAX:
    return most (x[0], x[1]);
  case LK_EXPR_MIN:
    return least (x[0], x[1]);
  default:
    LK_ASSERT (op == LK_EXPR_SQRT);
    return __builtin_sqrt (x[0]);
  }
}

static double
apply_condition (LkExprOp op, const double *x, const LkHost *host)
{
  switch (op) {
  case LK_EXPR_LESS:
    return x[0] < x[1];
  case LK_EXPR_LESS_EQUAL:
    return x[0] <= x[1];
  case LK_EXPR_GREATER:
    return x[0] > x[1];
  case LK_EXPR_GREATER_EQUAL:
    return x[0] >= x[1];
  case LK_EXPR_EQUAL:
    return x[0] == x[1];
  case LK_EXPR_NOT_EQUAL:
    return x[0] != x[1];
  case LK_EXPR_NOT:
    return !holds (x[0]);
  case LK_EXPR_AND:
    return holds (x[0]) && holds (x[1]);
  case LK_EXPR_OR:
    return holds (x[0]) || holds (x[1]);
  case LK_EXPR_SELECT:
    return holds (x[0]) ? x[1] : x[2];
  default:
    return apply_function (op, x, host);
  }
}

double
lk_expr_apply (LkExprOp op, const double *operands, const LkHost *host)
{
  switch (op) {
  case LK_EXPR_NEGATE:
    return -operands[0];
  case LK_EXPR_ADD:
    return operands[0] + operands[1];
  case LK_EXPR_SUBTRACT:
    return operands[0] - operands[1];
  case LK_EXPR_MULTIPLY:
    return operands[0] * operands[1];
  case LK_EXPR_DIVIDE:
    return operands[0] / operands[1];
  case LK_EXPR_POWER:
    return power (operands[0], operands[1], host);
  default:
    return apply_condition (op, operands, host);
  }
}

/* NOLINTEND(clang-analyzer-core.*) */

static double
since_origin_s (const LkView *view, gint64 time_us)
{
  return lk_order_seconds (lk_order_span_us (view->origin_us, time_us));
}

static double
load (const LkExprInstruction *instruction, const LkView *view, LkJobIndex job)
{
  const LkJobColumns *jobs = view->jobs;
  double estimate_s;
  switch (instruction->op) {
  case LK_EXPR_AREA:
    return lk_order_estimate_s (view, job) * lk_order_procs (view, job);
  case LK_EXPR_ESTIMATE:
    return lk_order_estimate_s (view, job);
  case LK_EXPR_EXPANSION:
    estimate_s = lk_order_estimate_s (view, job);
    return (lk_order_wait_s (view, job) + estimate_s) / estimate_s;
  case LK_EXPR_GROUP:
    return (double)jobs->group_id[job];
  case LK_EXPR_NOW:
    return since_origin_s (view, view->now_us);
  case LK_EXPR_PARTITION:
    return (double)jobs->partition_id[job];
  case LK_EXPR_PROCS:
    return lk_order_procs (view, job);
  case LK_EXPR_SUBMIT:
    return since_origin_s (view, jobs->submit_us[job]);
  case LK_EXPR_USER:
    return (double)jobs->user_id[job];
  case LK_EXPR_USER_USAGE:
    return view->host->user_usage (view, jobs->user_id[job]);
  case LK_EXPR_WAIT:
    return lk_order_wait_s (view, job);
  default:
    return instruction->constant;
  }
}

double
lk_expr_run (const LkExprProgram *program, const LkView *view, LkJobIndex job)
{
  double stack[LK_EXPR_STACK_MAX];
  guint count = 0;
  LK_ASSERT (program->stack_count <= LK_EXPR_STACK_MAX);
  for (guint i = 0; i < program->code_count; i++) {
    const LkExprInstruction *instruction = &program->code[i];
    guint operand_count = lk_expr_operand_count (instruction->op);
    count -= operand_count;
    stack[count] = operand_count == 0 ? load (instruction, view, job)
                                      : lk_expr_apply (instruction->op, stack + count, view->host);
    count++;
  }
  LK_ASSERT (count == 1);
  return stack[0];
}
