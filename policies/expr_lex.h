/* policies/expr_lex.h — cuts a formula into tokens.
 *
 * The lexer knows no grammar: what it cannot make sense of is a token of its own, which the parser
 * refuses where it stands.  Only a number can be wrong in itself.
 *
 * Numbers are read without the C library, whose reader depends on the locale: at most 17
 * significant digits, scaled by exact powers of ten.  The result is the nearest double for up to 15
 * digits and exponents within 22, and the same few bits from it everywhere otherwise. */
#ifndef LK_POLICIES_EXPR_LEX_H
#define LK_POLICIES_EXPR_LEX_H

#include "engine/policy.h"
#include "policies/expr_program.h"

typedef enum {
  LK_EXPR_TOKEN_END,
  LK_EXPR_TOKEN_NUMBER,
  LK_EXPR_TOKEN_NAME,
  LK_EXPR_TOKEN_NOT_WORD, /* binds less than comparisons, '!' more */
  LK_EXPR_TOKEN_NOT_SIGN,
  LK_EXPR_TOKEN_OPEN,
  LK_EXPR_TOKEN_CLOSE,
  LK_EXPR_TOKEN_COMMA,
  LK_EXPR_TOKEN_QUESTION,
  LK_EXPR_TOKEN_COLON,
  LK_EXPR_TOKEN_BINARY, /* of two operands: see `op` */
  LK_EXPR_TOKEN_UNKNOWN,
} LkExprTokenKind;

typedef struct {
  LkExprTokenKind kind;
  LkExprOp op;      /* of LK_EXPR_TOKEN_BINARY */
  double number;    /* of LK_EXPR_TOKEN_NUMBER */
  const char *text; /* points into the formula */
  guint length_bytes;
} LkExprToken;

/* The token at or behind `text`, which ends with a zero byte. Returns NULL, or what is wrong with
 * the number that stands there; then the token covers it. */
const char *lk_expr_lex (const char *text, LkExprToken *out_token);

#endif
