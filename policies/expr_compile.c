/* policies/expr_compile.c — see expr_compile.h.
 *
 * Operator precedence parsing with an explicit stack of what is pending (Dijkstra's shunting yard,
 * 1961): no recursion, one pass, and at each token the parser knows whether an operand or an
 * operator must come, which is what an error message says.  Instructions are emitted in the order
 * in which they run; one whose operands are all constants is computed at once.
 *
 * Invariants: every instruction comes from at least one byte of the formula, so that code as long
 * as the formula is room enough; what is pending is bounded, hence the stack of the program too. */
#include "policies/expr_compile.h"

#include <string.h>

#include "engine/assert.h"
#include "policies/expr_lex.h"
#include "policies/expr_run.h"
#include "policies/order_util.h"
#include "engine/suggest.h"

#define FOUND_MAX_BYTES 24u

/* How tightly operators bind. */
enum {
  PRECEDENCE_NONE,
  PRECEDENCE_CONDITION,
  PRECEDENCE_OR,
  PRECEDENCE_AND,
  PRECEDENCE_NOT,
  PRECEDENCE_COMPARE,
  PRECEDENCE_ADD,
  PRECEDENCE_MULTIPLY,
  PRECEDENCE_SIGN,
  PRECEDENCE_POWER,
};

typedef struct {
  const char *name;
  LkExprOp op;
  guint value_max; /* 0: a variable, not a function */
} Name;

static const Name names[] = {
#define X(NAME, name, changes) { name, LK_EXPR_##NAME, 0 },
  LK_EXPR_VARIABLES (X)
#undef X
#define X(NAME, name, operands, values) { name, LK_EXPR_##NAME, values },
      LK_EXPR_FUNCTIONS (X)
#undef X
};

static const char *const suggestions[] = {
#define X(NAME, name, ...) name,
  LK_EXPR_VARIABLES (X) LK_EXPR_FUNCTIONS (X) "and", "or", "not", NULL
#undef X
};

typedef enum {
  PENDING_OPERATOR, /* waits for its right operand */
  PENDING_BRACKET,
  PENDING_FUNCTION,
  PENDING_QUESTION, /* waits for its ':' */
} PendingKind;

typedef struct {
  PendingKind kind;
  LkExprOp op;
  guint precedence; /* of an operator */
  guint value_count;
  const Name *function;
  const char *text;
} Pending;

typedef struct {
  const char *formula;
  const LkHost *host;
  LkPolicyError *error;
  LkExprProgram *program;
  LkExprToken token;
  guint bracket_count;
  guint pending_count;
  Pending pending[LK_EXPR_PENDING_MAX];
} Compiler;

/* ---------------------------------------------------------------- errors */

static guint
column_of (const Compiler *self, const char *text)
{
  return (guint)(text - self->formula) + 1;
}

/* The message so far: where it is.  To be finished by refuse. Returns: (transfer full). */
static GString *
message_at (const Compiler *self, const char *text)
{
  GString *message = g_string_new (NULL);
  g_string_append_printf (message, "formula column %u: ", column_of (self, text));
  return message;
}

/* Takes `message`. Always FALSE, for `return`. */
static gboolean
refuse (Compiler *self, GString *message)
{
  lk_order_refuse (self->error, message->str);
  g_string_free (message, TRUE);
  return FALSE;
}

static gboolean
fail (Compiler *self, const char *text, const char *what)
{
  GString *message = message_at (self, text);
  g_string_append (message, what);
  return refuse (self, message);
}

/* A piece of the formula in quotes, cut when it is long. */
static void
append_quoted (GString *message, const LkExprToken *token)
{
  g_string_append_c (message, '\'');
  g_string_append_len (message, token->text, (gssize)MIN (token->length_bytes, FOUND_MAX_BYTES));
  g_string_append (message, token->length_bytes > FOUND_MAX_BYTES ? "...'" : "'");
}

static void
append_found (GString *message, const LkExprToken *token)
{
  gboolean unknown = token->kind == LK_EXPR_TOKEN_UNKNOWN;
  char first = token->text[0];
  g_string_append (message, ", found ");
  if (token->kind == LK_EXPR_TOKEN_END)
    g_string_append (message, "the end");
  else if (unknown && (first < 0x20 || first > 0x7e))
    g_string_append_printf (message, "the byte 0x%02x", (guint8)first);
  else
    append_quoted (message, token);
  if (unknown && strchr ("=&|", first) != NULL)
    g_string_append_printf (message, "; did you mean '%c%c'?", first, first);
}

static gboolean
fail_found (Compiler *self, const char *expected)
{
  GString *message = message_at (self, self->token.text);
  g_string_append_printf (message, "expected %s", expected);
  append_found (message, &self->token);
  return refuse (self, message);
}

/* As fail_found, for a bracket or a condition that began at `text`. */
static gboolean
fail_unfinished (Compiler *self, const char *expected, const char *text)
{
  GString *message = message_at (self, self->token.text);
  g_string_append_printf (message, "expected %s at column %u", expected, column_of (self, text));
  append_found (message, &self->token);
  return refuse (self, message);
}

static gboolean
fail_operand (Compiler *self)
{
  return fail_found (self, "a number, a variable or '('");
}

static gboolean
fail_operator (Compiler *self)
{
  return fail_found (self,
                     self->bracket_count > 0 ? "an operator or ')'" : "an operator or the end");
}

static gboolean
fail_question (Compiler *self, const Pending *question)
{
  return fail_unfinished (self, "':' for the '?'", question->text);
}

static gboolean
fail_unknown_name (Compiler *self)
{
  const LkExprToken *token = &self->token;
  GString *message = message_at (self, token->text);
  g_string_append (message, "unknown name ");
  append_quoted (message, token);
  g_autoptr (GString) name = g_string_new_len (token->text, (gssize)token->length_bytes);
  const char *near = lk_suggest (name->str, suggestions);
  if (near != NULL)
    g_string_append_printf (message, "; did you mean '%s'?", near);
  else
    g_string_append (message, "; expected a variable, such as 'wait', or a function");
  return refuse (self, message);
}

/* ---------------------------------------------------------------- code */

static void
emit (Compiler *self, LkExprOp op, double constant)
{
  LkExprProgram *program = self->program;
  guint operand_count = lk_expr_operand_count (op);
  gboolean folds = operand_count > 0;
  double operands[3];
  LK_ASSERT (operand_count <= program->code_count);
  for (guint i = 0; i < operand_count; i++) {
    const LkExprInstruction *from = &program->code[program->code_count - operand_count + i];
    folds = folds && from->op == LK_EXPR_CONSTANT;
    operands[i] = from->constant;
  }
  if (folds) {
    program->code_count -= operand_count;
    constant = lk_expr_apply (op, operands, self->host);
    op = LK_EXPR_CONSTANT;
  }
  program->code[program->code_count++] = (LkExprInstruction){ op, constant };
}

/* Fills what can be known of a program without running it. */
static void
measure (LkExprProgram *program)
{
  guint count = 0;
  for (guint i = 0; i < program->code_count; i++) {
    LkExprOp op = program->code[i].op;
#define X(NAME, name, changes)                                                                     \
  if (op == LK_EXPR_##NAME && changes)                                                             \
    program->is_dynamic = TRUE;
    LK_EXPR_VARIABLES (X)
#undef X
    guint operand_count = lk_expr_operand_count (op);
    LK_ASSERT (operand_count <= count);
    count = count - operand_count + 1;
    program->stack_count = MAX (program->stack_count, count);
  }
  LK_ASSERT (count == 1);
  LK_ASSERT (program->stack_count <= LK_EXPR_STACK_MAX);
}

/* ---------------------------------------------------------------- what is pending */

static Pending *
top (Compiler *self)
{
  return self->pending_count == 0 ? NULL : &self->pending[self->pending_count - 1];
}

static gboolean
push (Compiler *self, Pending pending)
{
  gboolean opens = pending.kind == PENDING_BRACKET || pending.kind == PENDING_FUNCTION;
  if (self->pending_count == LK_EXPR_PENDING_MAX
      || (opens && self->bracket_count == LK_EXPR_BRACKET_MAX))
    return fail (self, self->token.text, "the formula is nested too deeply");
  pending.text = self->token.text;
  self->bracket_count += opens ? 1 : 0;
  self->pending[self->pending_count++] = pending;
  return TRUE;
}

/* Emits the pending operators that bind at least as tightly as `precedence`. */
static void
reduce (Compiler *self, guint precedence)
{
  const Pending *pending;
  while ((pending = top (self)) != NULL && pending->kind == PENDING_OPERATOR
         && pending->precedence >= precedence) {
    emit (self, pending->op, 0.0);
    self->pending_count--;
  }
}

/* ---------------------------------------------------------------- where an operand must come */

static const Name *
name_of (const LkExprToken *token)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strlen (names[i].name) == token->length_bytes
        && memcmp (names[i].name, token->text, token->length_bytes) == 0)
      return &names[i];
  return NULL;
}

static gboolean
next_token (Compiler *self)
{
  const char *fault = lk_expr_lex (self->token.text + self->token.length_bytes, &self->token);
  return fault == NULL || fail (self, self->token.text, fault);
}

static gboolean
take_name (Compiler *self, gboolean *out_complete)
{
  const Name *name = name_of (&self->token);
  if (name == NULL)
    return fail_unknown_name (self);
  if (name->value_max == 0) {
    emit (self, name->op, 0.0);
    *out_complete = TRUE;
    return TRUE;
  }
  if (!next_token (self))
    return FALSE;
  if (self->token.kind != LK_EXPR_TOKEN_OPEN)
    return fail_found (self, "'(' after the name of a function");
  return push (
      self,
      (Pending){ .kind = PENDING_FUNCTION, .op = name->op, .function = name, .value_count = 1 });
}

static gboolean
push_operator (Compiler *self, LkExprOp op, guint precedence)
{
  return push (self, (Pending){ .kind = PENDING_OPERATOR, .op = op, .precedence = precedence });
}

/* `out_complete`: the token was an operand, so that an operator must come next. */
static gboolean
take_operand (Compiler *self, gboolean *out_complete)
{
  *out_complete = FALSE;
  switch (self->token.kind) {
  case LK_EXPR_TOKEN_NUMBER:
    emit (self, LK_EXPR_CONSTANT, self->token.number);
    *out_complete = TRUE;
    return TRUE;
  case LK_EXPR_TOKEN_NAME:
    return take_name (self, out_complete);
  case LK_EXPR_TOKEN_OPEN:
    return push (self, (Pending){ .kind = PENDING_BRACKET });
  case LK_EXPR_TOKEN_NOT_WORD:
    return push_operator (self, LK_EXPR_NOT, PRECEDENCE_NOT);
  case LK_EXPR_TOKEN_NOT_SIGN:
    return push_operator (self, LK_EXPR_NOT, PRECEDENCE_SIGN);
  case LK_EXPR_TOKEN_BINARY:
    if (self->token.op == LK_EXPR_SUBTRACT)
      return push_operator (self, LK_EXPR_NEGATE, PRECEDENCE_SIGN);
    return fail_operand (self);
  default:
    return fail_operand (self);
  }
}

/* ---------------------------------------------------------------- where an operator must come */

static guint
precedence_of (LkExprOp op)
{
  switch (op) {
  case LK_EXPR_OR:
    return PRECEDENCE_OR;
  case LK_EXPR_AND:
    return PRECEDENCE_AND;
  case LK_EXPR_ADD:
  case LK_EXPR_SUBTRACT:
    return PRECEDENCE_ADD;
  case LK_EXPR_MULTIPLY:
  case LK_EXPR_DIVIDE:
    return PRECEDENCE_MULTIPLY;
  case LK_EXPR_POWER:
    return PRECEDENCE_POWER;
  default:
    return PRECEDENCE_COMPARE;
  }
}

static gboolean
take_binary (Compiler *self)
{
  LkExprOp op = self->token.op;
  guint precedence = precedence_of (op);
  /* A power is taken of a power on its right; a comparison must not follow another. */
  gboolean waits = precedence == PRECEDENCE_POWER || precedence == PRECEDENCE_COMPARE;
  reduce (self, waits ? precedence + 1 : precedence);
  const Pending *left = top (self);
  if (precedence == PRECEDENCE_COMPARE && left != NULL && left->kind == PENDING_OPERATOR
      && left->precedence == PRECEDENCE_COMPARE)
    return fail (self, self->token.text, "comparisons cannot be chained; join them with 'and'");
  return push_operator (self, op, precedence);
}

static gboolean
take_question (Compiler *self)
{
  reduce (self, PRECEDENCE_OR);
  return push (self, (Pending){ .kind = PENDING_QUESTION });
}

static gboolean
take_colon (Compiler *self)
{
  reduce (self, PRECEDENCE_CONDITION);
  Pending *question = top (self);
  if (question == NULL || question->kind != PENDING_QUESTION)
    return fail_operator (self);
  question->kind = PENDING_OPERATOR;
  question->op = LK_EXPR_SELECT;
  question->precedence = PRECEDENCE_CONDITION;
  return TRUE;
}

static gboolean
take_comma (Compiler *self)
{
  reduce (self, PRECEDENCE_CONDITION);
  Pending *call = top (self);
  if (call != NULL && call->kind == PENDING_QUESTION)
    return fail_question (self, call);
  if (call == NULL || call->kind != PENDING_FUNCTION
      || call->value_count == call->function->value_max)
    return fail_operator (self);
  if (call->value_count > 1)
    emit (self, call->op, 0.0);
  call->value_count++;
  return TRUE;
}

static gboolean
take_close (Compiler *self)
{
  reduce (self, PRECEDENCE_CONDITION);
  const Pending *open = top (self);
  if (open == NULL)
    return fail_operator (self);
  if (open->kind == PENDING_QUESTION)
    return fail_question (self, open);
  if (open->kind == PENDING_FUNCTION) {
    if (open->value_count < lk_expr_operand_count (open->op))
      return fail_found (self, "',' and another value");
    emit (self, open->op, 0.0);
  }
  self->pending_count--;
  self->bracket_count--;
  return TRUE;
}

static gboolean
take_end (Compiler *self)
{
  reduce (self, PRECEDENCE_CONDITION);
  const Pending *open = top (self);
  if (open == NULL)
    return TRUE;
  if (open->kind == PENDING_QUESTION)
    return fail_question (self, open);
  return fail_unfinished (self, "')' for the '('", open->text);
}

/* `out_operand`: an operand must come next. */
static gboolean
take_operator (Compiler *self, gboolean *out_operand)
{
  *out_operand = self->token.kind != LK_EXPR_TOKEN_CLOSE;
  switch (self->token.kind) {
  case LK_EXPR_TOKEN_BINARY:
    return take_binary (self);
  case LK_EXPR_TOKEN_QUESTION:
    return take_question (self);
  case LK_EXPR_TOKEN_COLON:
    return take_colon (self);
  case LK_EXPR_TOKEN_COMMA:
    return take_comma (self);
  case LK_EXPR_TOKEN_CLOSE:
    return take_close (self);
  case LK_EXPR_TOKEN_END:
    return take_end (self);
  default:
    return fail_operator (self);
  }
}

/* ---------------------------------------------------------------- the whole */

static gboolean
compile (Compiler *self)
{
  gboolean operand_wanted = TRUE;
  gboolean complete;
  do {
    if (!next_token (self))
      return FALSE;
    if (!operand_wanted) {
      if (!take_operator (self, &operand_wanted))
        return FALSE;
    } else {
      if (!take_operand (self, &complete))
        return FALSE;
      operand_wanted = !complete;
    }
  } while (self->token.kind != LK_EXPR_TOKEN_END);
  measure (self->program);
  return TRUE;
}

LkExprProgram *
lk_expr_compile (const char *formula, const LkHost *host, LkPolicyError *out_error)
{
  gsize length = strnlen (formula, LK_EXPR_FORMULA_MAX_BYTES + 1);
  if (length > LK_EXPR_FORMULA_MAX_BYTES) {
    g_autoptr (GString) message = g_string_new (NULL);
    g_string_append_printf (message, "the formula is longer than %u bytes",
                            LK_EXPR_FORMULA_MAX_BYTES);
    lk_order_refuse (out_error, message->str);
    return NULL;
  }
  g_autoptr (LkExprProgram) program =
      g_malloc0 (sizeof (LkExprProgram) + (length + 1) * sizeof (LkExprInstruction));
  Compiler compiler = { .formula = formula, .host = host, .error = out_error, .program = program };
  compiler.token.text = formula;
  return compile (&compiler) ? g_steal_pointer (&program) : NULL;
}

void
lk_expr_program_free (LkExprProgram *self)
{
  g_free (self);
}
