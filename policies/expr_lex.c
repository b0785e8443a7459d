/* policies/expr_lex.c — see expr_lex.h. */
#include "policies/expr_lex.h"

#include <string.h>

#define DIGITS_MAX 17u
/* The largest power of ten that a double holds exactly. */
#define EXACT_EXPONENT_MAX 22
/* Beyond this any number is infinite or zero, whatever its digits. */
#define EXPONENT_MAX 10000

typedef struct {
  const char *text;
  LkExprTokenKind kind;
  LkExprOp op;
} Sign;

/* Longer ones first where one begins with another. */
static const Sign signs[] = {
  { "<=", LK_EXPR_TOKEN_BINARY, LK_EXPR_LESS_EQUAL },
  { ">=", LK_EXPR_TOKEN_BINARY, LK_EXPR_GREATER_EQUAL },
  { "==", LK_EXPR_TOKEN_BINARY, LK_EXPR_EQUAL },
  { "!=", LK_EXPR_TOKEN_BINARY, LK_EXPR_NOT_EQUAL },
  { "&&", LK_EXPR_TOKEN_BINARY, LK_EXPR_AND },
  { "||", LK_EXPR_TOKEN_BINARY, LK_EXPR_OR },
  { "<", LK_EXPR_TOKEN_BINARY, LK_EXPR_LESS },
  { ">", LK_EXPR_TOKEN_BINARY, LK_EXPR_GREATER },
  { "+", LK_EXPR_TOKEN_BINARY, LK_EXPR_ADD },
  { "-", LK_EXPR_TOKEN_BINARY, LK_EXPR_SUBTRACT },
  { "*", LK_EXPR_TOKEN_BINARY, LK_EXPR_MULTIPLY },
  { "/", LK_EXPR_TOKEN_BINARY, LK_EXPR_DIVIDE },
  { "^", LK_EXPR_TOKEN_BINARY, LK_EXPR_POWER },
  { "!", LK_EXPR_TOKEN_NOT_SIGN, LK_EXPR_CONSTANT },
  { "(", LK_EXPR_TOKEN_OPEN, LK_EXPR_CONSTANT },
  { ")", LK_EXPR_TOKEN_CLOSE, LK_EXPR_CONSTANT },
  { ",", LK_EXPR_TOKEN_COMMA, LK_EXPR_CONSTANT },
  { "?", LK_EXPR_TOKEN_QUESTION, LK_EXPR_CONSTANT },
  { ":", LK_EXPR_TOKEN_COLON, LK_EXPR_CONSTANT },
};

static const Sign words[] = {
  { "and", LK_EXPR_TOKEN_BINARY, LK_EXPR_AND },
  { "or", LK_EXPR_TOKEN_BINARY, LK_EXPR_OR },
  { "not", LK_EXPR_TOKEN_NOT_WORD, LK_EXPR_CONSTANT },
};

static gboolean
is_digit (char c)
{
  return c >= '0' && c <= '9';
}

static gboolean
is_name_start (char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static gboolean
is_space (char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* mantissa * 10^exponent, rounded at every step. */
static double
scale (guint64 mantissa, gint exponent)
{
  static const double powers[EXACT_EXPONENT_MAX + 1] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,
                                                         1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
                                                         1e18, 1e19, 1e20, 1e21, 1e22 };
  double value = (double)mantissa;
  guint steps = (guint)ABS (exponent);
  for (; steps > 0 && value > 0.0 && value < __builtin_inf ();) {
    guint step = MIN (steps, EXACT_EXPONENT_MAX);
    value = exponent < 0 ? value / powers[step] : value * powers[step];
    steps -= step;
  }
  return value;
}

/* Reads "e", an optional sign and digits. Returns FALSE when the digits are missing. */
static gboolean
lex_exponent (const char **at, gint *exponent)
{
  (*at)++;
  gboolean negative = **at == '-';
  if (**at == '-' || **at == '+')
    (*at)++;
  if (!is_digit (**at))
    return FALSE;
  gint value = 0;
  for (; is_digit (**at); (*at)++)
    value = MIN (value * 10 + (**at - '0'), EXPONENT_MAX);
  *exponent += negative ? -value : value;
  return TRUE;
}

/* Digits with a point among them. Returns FALSE when more than DIGITS_MAX of them signify. */
static gboolean
lex_digits (const char **at, guint64 *out_mantissa, gint *out_exponent)
{
  guint64 mantissa = 0;
  guint digit_count = 0;
  gint exponent = 0;
  gboolean exact = TRUE;
  gboolean in_fraction = FALSE;
  for (; is_digit (**at) || (**at == '.' && !in_fraction); (*at)++) {
    if (**at == '.') {
      in_fraction = TRUE;
      continue;
    }
    guint digit = (guint)(**at - '0');
    gboolean kept = digit_count < DIGITS_MAX;
    if (kept) {
      mantissa = mantissa * 10 + digit;
      digit_count += mantissa > 0;
    } else if (digit != 0)
      exact = FALSE;
    if (kept && in_fraction)
      exponent--;
    else if (!kept && !in_fraction)
      exponent++;
  }
  *out_mantissa = mantissa;
  *out_exponent = exponent;
  return exact;
}

static const char *
lex_number (LkExprToken *token)
{
  const char *at = token->text;
  guint64 mantissa;
  gint exponent;
  const char *fault = NULL;
  if (!lex_digits (&at, &mantissa, &exponent))
    fault = "a number may have at most 17 significant digits";
  if ((*at == 'e' || *at == 'E') && !lex_exponent (&at, &exponent))
    fault = "expected the digits of an exponent";
  token->kind = LK_EXPR_TOKEN_NUMBER;
  token->length_bytes = (guint)(at - token->text);
  token->number = scale (mantissa, exponent);
  if (fault == NULL && token->number == __builtin_inf ())
    fault = "the number is too large";
  return fault;
}

static void
lex_name (LkExprToken *token)
{
  const char *at = token->text;
  while (is_name_start (*at) || is_digit (*at))
    at++;
  token->kind = LK_EXPR_TOKEN_NAME;
  token->length_bytes = (guint)(at - token->text);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (strlen (words[i].text) == token->length_bytes
        && memcmp (words[i].text, token->text, token->length_bytes) == 0) {
      token->kind = words[i].kind;
      token->op = words[i].op;
    }
}

static void
lex_sign (LkExprToken *token)
{
  token->kind = LK_EXPR_TOKEN_UNKNOWN;
  token->length_bytes = 1;
  for (guint i = 0; i < G_N_ELEMENTS (signs); i++) {
    gsize length = strlen (signs[i].text);
    if (strncmp (signs[i].text, token->text, length) == 0) {
      token->kind = signs[i].kind;
      token->op = signs[i].op;
      token->length_bytes = (guint)length;
      return;
    }
  }
}

const char *
lk_expr_lex (const char *text, LkExprToken *out_token)
{
  while (is_space (*text))
    text++;
  *out_token = (LkExprToken){ .kind = LK_EXPR_TOKEN_END, .text = text };
  if (*text == '\0')
    return NULL;
  if (is_digit (*text) || (*text == '.' && is_digit (text[1])))
    return lex_number (out_token);
  if (is_name_start (*text))
    lex_name (out_token);
  else
    lex_sign (out_token);
  return NULL;
}
