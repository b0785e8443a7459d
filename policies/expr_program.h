/* policies/expr_program.h — a formula compiled for a stack machine of doubles.
 *
 * Code runs straight through, without jumps: both sides of a condition are computed, then one is
 * taken.  Nothing in a formula can fail or have an effect, so this changes no value, and the length
 * of the code bounds the work.
 *
 * Invariants: every instruction finds its operands on the stack and leaves one value; at the end
 * one value is left; the stack never holds more than LK_EXPR_STACK_MAX. */
#ifndef LK_POLICIES_EXPR_PROGRAM_H
#define LK_POLICIES_EXPR_PROGRAM_H

#include <glib.h>

#define LK_EXPR_FORMULA_MAX_BYTES 4096u
/* Brackets inside brackets. */
#define LK_EXPR_BRACKET_MAX 64u
/* Operators, brackets and conditions that wait for what is on their right. */
#define LK_EXPR_PENDING_MAX 128u
/* What is pending keeps at most two values each, and one is being computed. */
#define LK_EXPR_STACK_MAX (2u * LK_EXPR_PENDING_MAX + 1u)

/* X (NAME, name in a formula, changes with time): properties of the job and the moment. */
#define LK_EXPR_VARIABLES(X)                                                                       \
  X (AREA, "area", FALSE)                                                                          \
  X (ESTIMATE, "estimate", FALSE)                                                                  \
  X (EXPANSION, "expansion", TRUE)                                                                 \
  X (GROUP, "group", FALSE)                                                                        \
  X (NOW, "now", TRUE)                                                                             \
  X (PARTITION, "partition", FALSE)                                                                \
  X (PROCS, "procs", FALSE)                                                                        \
  X (SUBMIT, "submit", FALSE)                                                                      \
  X (USER, "user", FALSE)                                                                          \
  X (USER_USAGE, "user_usage", TRUE)                                                               \
  X (WAIT, "wait", TRUE)

/* X (NAME, name in a formula, operands of the instruction, most values in a formula): a function of
 * more values than its instruction takes is applied from the left. */
#define LK_EXPR_FUNCTIONS(X)                                                                       \
  X (ABS, "abs", 1, 1)                                                                             \
  X (EXP2, "exp2", 1, 1)                                                                           \
  X (FLOOR, "floor", 1, 1)                                                                         \
  X (LN, "ln", 1, 1)                                                                               \
  X (LOG10, "log10", 1, 1)                                                                         \
  X (LOG2, "log2", 1, 1)                                                                           \
  X (MAX, "max", 2, LK_EXPR_FORMULA_MAX_BYTES)                                                     \
  X (MIN, "min", 2, LK_EXPR_FORMULA_MAX_BYTES)                                                     \
  X (SQRT, "sqrt", 1, 1)

/* X (NAME, operands): what operators do. */
#define LK_EXPR_OPERATIONS(X)                                                                      \
  X (NEGATE, 1)                                                                                    \
  X (NOT, 1)                                                                                       \
  X (ADD, 2)                                                                                       \
  X (SUBTRACT, 2)                                                                                  \
  X (MULTIPLY, 2)                                                                                  \
  X (DIVIDE, 2)                                                                                    \
  X (POWER, 2)                                                                                     \
  X (LESS, 2)                                                                                      \
  X (LESS_EQUAL, 2)                                                                                \
  X (GREATER, 2)                                                                                   \
  X (GREATER_EQUAL, 2)                                                                             \
  X (EQUAL, 2)                                                                                     \
  X (NOT_EQUAL, 2)                                                                                 \
  X (AND, 2)                                                                                       \
  X (OR, 2)                                                                                        \
  X (SELECT, 3)

typedef enum {
  LK_EXPR_CONSTANT,
#define X(NAME, ...) LK_EXPR_##NAME,
  LK_EXPR_VARIABLES (X) LK_EXPR_FUNCTIONS (X) LK_EXPR_OPERATIONS (X)
#undef X
} LkExprOp;

typedef struct {
  LkExprOp op;
  double constant; /* of LK_EXPR_CONSTANT */
} LkExprInstruction;

typedef struct {
  gboolean is_dynamic; /* some variable changes with time */
  guint stack_count;   /* most values on the stack at once */
  guint code_count;
  LkExprInstruction code[];
} LkExprProgram;

/* Values that an instruction takes from the stack: 0 for a constant or a variable. */
static inline guint
lk_expr_operand_count (LkExprOp op)
{
  switch (op) {
#define X(NAME, name, operands, values)                                                            \
  case LK_EXPR_##NAME:                                                                             \
    return operands;
    LK_EXPR_FUNCTIONS (X)
#undef X
#define X(NAME, operands)                                                                          \
  case LK_EXPR_##NAME:                                                                             \
    return operands;
    LK_EXPR_OPERATIONS (X)
#undef X
  default:
    return 0;
  }
}

#endif
