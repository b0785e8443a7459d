/* tests/policies/expr_test.c — the formula language of the `expr` order: values, precedence, error
 * messages, and that any text either compiles and runs or is refused with a column. */
#include <math.h>
#include <string.h>

#include "engine/real.h"
#include "policies/expr_compile.h"
#include "policies/expr_run.h"
#include "policies/orders.h"
#include "tests/policies/orders_fixture.h"

/* Job 1: waits 900 s, estimate 100 s, 4 processors, user 7, group 8, partition 9; now is 1000 s
 * and the origin 40 s. */
static OrdersFixture *
example_new (void)
{
  OrdersFixture *jobs = orders_fixture_new (1000 * G_USEC_PER_SEC);
  jobs->view.origin_us = 40 * G_USEC_PER_SEC;
  OrdersJob job = { .submit_us = 100 * G_USEC_PER_SEC,
                    .estimate_us = 100 * G_USEC_PER_SEC,
                    .procs = 4,
                    .user_id = 7,
                    .group_id = 8,
                    .partition_id = 9 };
  orders_fixture_add (jobs, &job);
  return jobs;
}

static LkExprProgram *
compiled (const char *formula)
{
  LkPolicyError error = { "" };
  LkExprProgram *program = lk_expr_compile (formula, orders_host (), &error);
  if (program == NULL)
    g_error ("'%s': %s", formula, error.text);
  return program;
}

static double
value_of (const char *formula)
{
  g_autoptr (OrdersFixture) jobs = example_new ();
  g_autoptr (LkExprProgram) program = compiled (formula);
  return lk_expr_run (program, &jobs->view, 0);
}

static gboolean
same (double a, double b)
{
  return a == b || (isnan (a) && isnan (b));
}

typedef struct {
  const char *formula;
  double value;
} Value;

static void
check_values (const Value *values, guint count)
{
  for (guint i = 0; i < count; i++) {
    double value = value_of (values[i].formula);
    if (!same (value, values[i].value))
      g_error ("'%s' is %g, should be %g", values[i].formula, value, values[i].value);
  }
}

static void
test_numbers (void)
{
  static const Value values[] = {
    { "0", 0.0 },
    { "00012", 12.0 },
    { "12.", 12.0 },
    { ".5", 0.5 },
    { "0.1", 0.1 },
    { "3.14159265358979", 3.14159265358979 },
    { "1e22", 1e22 },
    { "1E+3", 1000.0 },
    { "125e-3", 0.125 },
    { "0.0000000000000000000001", 1e-22 },
    { "1000000000000000000000", 1e21 },
    { "1.00000000000000000000", 1.0 },
    { "12345678901234567", 12345678901234567.0 },
    { "1e-99999999999999", 0.0 },
    { "0e99999999999999", 0.0 },
  };
  check_values (values, G_N_ELEMENTS (values));
  g_assert_cmpfloat_with_epsilon (value_of ("1.7976931348623157e308"), 1.7976931348623157e308,
                                  1e294);
}

static void
test_variables (void)
{
  static const Value values[] = {
    { "wait", 900.0 }, { "estimate", 100.0 }, { "procs", 4.0 },
    { "area", 400.0 }, { "expansion", 10.0 }, { "submit", 60.0 },
    { "now", 960.0 },  { "user", 7.0 },       { "user_usage", 7000.0 },
    { "group", 8.0 },  { "partition", 9.0 },  { "\twait\r\n+ 1 ", 901.0 },
  };
  check_values (values, G_N_ELEMENTS (values));
}

static void
test_operators (void)
{
  static const Value values[] = {
    { "1 + 2 * 3", 7.0 },
    { "(1 + 2) * 3", 9.0 },
    { "10 - 4 - 3", 3.0 },
    { "16 / 4 / 2", 2.0 },
    { "2 * 3 ^ 2", 18.0 },
    { "2 ^ 3 ^ 2", 512.0 },
    { "-2 ^ 2", -4.0 },
    { "2 ^ -1", 0.5 },
    { "2 ^ -1 * 3", 1.5 },
    { "--3", 3.0 },
    { "5 - -3", 8.0 },
    { "-wait + 1", -899.0 },
    { "1 < 2", 1.0 },
    { "2 <= 1", 0.0 },
    { "2 > 1", 1.0 },
    { "1 >= 2", 0.0 },
    { "1 == 1", 1.0 },
    { "1 != 1", 0.0 },
    { "1 + 1 == 2", 1.0 },
    { "2 or 0 and 0", 1.0 },
    { "0 || 0 && 1", 0.0 },
    { "1 and 3", 1.0 },
    { "not 0 == 1", 1.0 },
    { "!0 == 1", 1.0 },
    { "not 5 == 5", 0.0 },
    { "!5 == 5", 0.0 },
    { "!5 == 0", 1.0 },
    { "not 5 == 0", 1.0 },
    { "not 1 > 2 and 1", 1.0 },
    { "!2 - 1", -1.0 },
    { "not 2 - 1", 0.0 },
    { "not not 3", 1.0 },
    { "1 ? 2 : 3", 2.0 },
    { "0 ? 2 : 3", 3.0 },
    { "0 ? 1 : 0 ? 2 : 3", 3.0 },
    { "1 ? 0 ? 4 : 5 : 6", 5.0 },
    { "1 or 0 ? 2 : 3 + 1", 2.0 },
    { "(0 ? 2 : 3) + 1", 4.0 },
    { "procs == 4 ? wait : -wait", 900.0 },
  };
  check_values (values, G_N_ELEMENTS (values));
}

static void
test_functions (void)
{
  static const Value values[] = {
    { "min(3, 1, 2)", 1.0 },
    { "max(3, 7, 5, 6)", 7.0 },
    { "min(wait, estimate)", 100.0 },
    { "max(1, min(2, 3), (2 + 2))", 4.0 },
    { "abs(-3)", 3.0 },
    { "sqrt(2.25)", 1.5 },
    { "log2(8)", 3.0 },
    { "log10(1000)", 3.0 },
    { "exp2(-2)", 0.25 },
    { "floor(2.5)", 2.0 },
    { "floor(-2.5)", -3.0 },
    { "floor(-2)", -2.0 },
    { "floor(1e20)", 1e20 },
    { "floor(-1e20)", -1e20 },
    { "min(1 ? 2 : 3, 9)", 2.0 },
    { "log2(procs)", 2.0 },
  };
  check_values (values, G_N_ELEMENTS (values));
  g_assert_cmpfloat_with_epsilon (value_of ("ln(10)"), M_LN10, 1e-15);
  g_assert_cmpfloat_with_epsilon (value_of ("ln(estimate)"), log (100.0), 1e-14);
}

static void
test_powers (void)
{
  static const Value values[] = {
    { "3 ^ 0", 1.0 },        { "0 ^ 0", 1.0 },         { "(-2) ^ 3", -8.0 },
    { "(-2) ^ -3", -0.125 }, { "0 ^ -1", INFINITY },   { "4 ^ 0.5", 2.0 },
    { "(-4) ^ 0.5", NAN },   { "0 ^ 0.5", 0.0 },       { "0 ^ -0.5", INFINITY },
    { "2 ^ 64", 0x1p64 },    { "2 ^ 65", 0x1p65 },     { "2 ^ 10000", INFINITY },
    { "procs ^ 3", 64.0 },   { "2 ^ procs", 16.0 },    { "3 ^ (0 / 0)", NAN },
    { "(0 / 0) ^ 2", NAN },  { "(0 / 0) ^ 0.5", NAN },
  };
  check_values (values, G_N_ELEMENTS (values));
}

static void
test_not_a_number (void)
{
  static const Value values[] = {
    { "1 / 0", INFINITY },     { "-1 / 0", -INFINITY },      { "0 / 0", NAN },
    { "1 / 0 - 1 / 0", NAN },  { "sqrt(-1)", NAN },          { "log2(0)", -INFINITY },
    { "log2(-1)", -INFINITY }, { "floor(1 / 0)", INFINITY }, { "floor(0 / 0)", NAN },
    { "min(0 / 0, 1)", NAN },  { "min(1, 0 / 0)", NAN },     { "max(0 / 0, 1)", NAN },
    { "max(1, 0 / 0)", NAN },  { "0 / 0 ? 1 : 2", 2.0 },     { "not (0 / 0)", 1.0 },
    { "0 / 0 or 0 / 0", 0.0 }, { "0 / 0 == 0 / 0", 0.0 },    { "0 / 0 != 0 / 0", 1.0 },
    { "1 / 0 ? 1 : 2", 1.0 },  { "-1 and 1", 1.0 },
  };
  check_values (values, G_N_ELEMENTS (values));
}

/* ---------------------------------------------------------------- errors */

static void
check_error (const char *formula, const char *text)
{
  LkPolicyError error = { "" };
  g_autoptr (LkExprProgram) program = lk_expr_compile (formula, orders_host (), &error);
  if (program != NULL)
    g_error ("'%s' compiles, should say: %s", formula, text);
  g_assert_cmpstr (error.text, ==, text);
}

#define OPERAND "expected a number, a variable or '(', found "

static void
test_errors (void)
{
  static const struct {
    const char *formula;
    const char *text;
  } errors[] = {
    { "", "formula column 1: " OPERAND "the end" },
    { "   ", "formula column 4: " OPERAND "the end" },
    { "wait + )", "formula column 8: " OPERAND "')'" },
    { "wait wait", "formula column 6: expected an operator or the end, found 'wait'" },
    { "(wait 3)", "formula column 7: expected an operator or ')', found '3'" },
    { "* 2", "formula column 1: " OPERAND "'*'" },
    { "+2", "formula column 1: " OPERAND "'+'" },
    { "1 ** 2", "formula column 4: " OPERAND "'*'" },
    { "()", "formula column 2: " OPERAND "')'" },
    { "min()", "formula column 5: " OPERAND "')'" },
    { "min(1,)", "formula column 7: " OPERAND "')'" },
    { "min(1)", "formula column 6: expected ',' and another value, found ')'" },
    { "abs(1, 2)", "formula column 6: expected an operator or ')', found ','" },
    { "min 1", "formula column 5: expected '(' after the name of a function, found '1'" },
    { "min", "formula column 4: expected '(' after the name of a function, found the end" },
    { "wait(1)", "formula column 5: expected an operator or the end, found '('" },
    { "1, 2", "formula column 2: expected an operator or the end, found ','" },
    { "(1, 2)", "formula column 3: expected an operator or ')', found ','" },
    { "1)", "formula column 2: expected an operator or the end, found ')'" },
    { "(1", "formula column 3: expected ')' for the '(' at column 1, found the end" },
    { "1 + abs(2", "formula column 10: expected ')' for the '(' at column 8, found the end" },
    { "1 ? 2", "formula column 6: expected ':' for the '?' at column 3, found the end" },
    { "(1 ? 2)", "formula column 7: expected ':' for the '?' at column 4, found ')'" },
    { "min(1 ? 2, 3)", "formula column 10: expected ':' for the '?' at column 7, found ','" },
    { "1 : 2", "formula column 3: expected an operator or the end, found ':'" },
    { "1 ? 2 : 3 : 4", "formula column 11: expected an operator or the end, found ':'" },
    { "1 < 2 < 3", "formula column 7: comparisons cannot be chained; join them with 'and'" },
    { "1 == 2 + 1 != 3", "formula column 12: comparisons cannot be chained; join them with 'and'" },
    { "procs = 4", "formula column 7: expected an operator or the end, found '='; did you mean "
                   "'=='?" },
    { "1 & 2", "formula column 3: expected an operator or the end, found '&'; did you mean '&&'?" },
    { "1 | 2", "formula column 3: expected an operator or the end, found '|'; did you mean '||'?" },
    { "2 # 3", "formula column 3: expected an operator or the end, found '#'" },
    { "2 \xc3\xa9", "formula column 3: expected an operator or the end, found the byte 0xc3" },
    { "\x01", "formula column 1: " OPERAND "the byte 0x01" },
    { "estimat", "formula column 1: unknown name 'estimat'; did you mean 'estimate'?" },
    { "1 + log(2)", "formula column 5: unknown name 'log'; did you mean 'log2'?" },
    { "Wait", "formula column 1: unknown name 'Wait'; did you mean 'wait'?" },
    { "zzzzzz", "formula column 1: unknown name 'zzzzzz'; expected a variable, such as 'wait', or "
                "a function" },
    { "a_name_that_goes_on_and_on_and_on", "formula column 1: unknown name "
                                           "'a_name_that_goes_on_and_...'; expected a variable, "
                                           "such as 'wait', or a function" },
    { "1e", "formula column 1: expected the digits of an exponent" },
    { "2 * 1e+x", "formula column 5: expected the digits of an exponent" },
    { "1e309", "formula column 1: the number is too large" },
    { "123456789012345678", "formula column 1: a number may have at most 17 significant digits" },
    { "0.1234567890123456789", "formula column 1: a number may have at most 17 significant "
                               "digits" },
    { "1.2.3", "formula column 4: expected an operator or the end, found '.3'" },
    { ".", "formula column 1: " OPERAND "'.'" },
    { "1 not 2", "formula column 3: expected an operator or the end, found 'not'" },
    { "1 ! 2", "formula column 3: expected an operator or the end, found '!'" },
    { "min(1e)", "formula column 5: expected the digits of an exponent" },
    { "min 1e", "formula column 5: expected the digits of an exponent" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (errors); i++)
    check_error (errors[i].formula, errors[i].text);
}

static char *
repeated (const char *left, const char *middle, const char *right, guint count)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < count; i++)
    g_string_append (text, left);
  g_string_append (text, middle);
  for (guint i = 0; i < count; i++)
    g_string_append (text, right);
  return g_string_free (text, FALSE);
}

static void
test_bounds (void)
{
  g_autofree char *deep = repeated ("(", "wait", ")", LK_EXPR_BRACKET_MAX);
  g_assert_true (value_of (deep) == 900.0);
  g_autofree char *deeper = repeated ("(", "1", ")", LK_EXPR_BRACKET_MAX + 1);
  check_error (deeper, "formula column 65: the formula is nested too deeply");
  g_autofree char *calls = repeated ("abs(", "1", ")", LK_EXPR_BRACKET_MAX + 1);
  check_error (calls, "formula column 260: the formula is nested too deeply");
  g_autofree char *signs = repeated ("-", "1", "", LK_EXPR_PENDING_MAX);
  g_assert_true (value_of (signs) == 1.0);
  g_autofree char *more_signs = repeated ("-", "1", "", LK_EXPR_PENDING_MAX + 1);
  check_error (more_signs, "formula column 129: the formula is nested too deeply");
  /* As many values on the stack as there can be: a condition keeps two. */
  g_autofree char *conditions = repeated ("0 ? wait : ", "now", "", LK_EXPR_PENDING_MAX);
  g_assert_true (value_of (conditions) == 960.0);
  g_autoptr (LkExprProgram) program = compiled (conditions);
  g_assert_cmpuint (program->stack_count, ==, LK_EXPR_STACK_MAX);
  g_autofree char *longest = g_strdup_printf ("%*s", (int)LK_EXPR_FORMULA_MAX_BYTES, "wait");
  g_assert_true (value_of (longest) == 900.0);
  g_autofree char *too_long = g_strconcat (" ", longest, NULL);
  check_error (too_long, "the formula is longer than 4096 bytes");
}

/* ---------------------------------------------------------------- the compiled program */

static void
test_folding (void)
{
  g_autoptr (LkExprProgram) constant = compiled ("2 * 3 + min(4, log2(32), 9) ? -1 : sqrt(16)");
  g_assert_cmpuint (constant->code_count, ==, 1);
  g_assert_cmpuint (constant->stack_count, ==, 1);
  g_assert_true (constant->code[0].constant == -1.0);
  g_autoptr (LkExprProgram) mixed = compiled ("wait * (60 * 60) + 2 * procs");
  g_assert_cmpuint (mixed->code_count, ==, 7);
  g_assert_cmpuint (mixed->stack_count, ==, 3);
  /* Constants are not moved across a variable: that could change the rounding. */
  g_autoptr (LkExprProgram) ordered = compiled ("wait * 3 * 5");
  g_assert_cmpuint (ordered->code_count, ==, 5);
}

static void
test_dynamic (void)
{
  static const struct {
    const char *formula;
    gboolean is_dynamic;
  } rows[] = {
    { "1", FALSE },
    { "estimate + procs + area + submit + user + group + partition", FALSE },
    { "wait", TRUE },
    { "now", TRUE },
    { "expansion", TRUE },
    { "user_usage", TRUE },
    { "procs > 4 ? area : area - wait", TRUE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkParamValue value = { .text = rows[i].formula };
    void *instance = order_new (&lk_order_expr, &value, 1);
    g_assert_cmpint (lk_order_expr.is_dynamic (instance), ==, rows[i].is_dynamic);
    lk_order_expr.base.destroy (instance);
  }
}

static void
test_policy (void)
{
  const LkPolicy *base = &lk_order_expr.base;
  g_assert_cmpstr (base->name, ==, "expr");
  g_assert_cmpuint (base->size, ==, sizeof (LkOrderPolicy));
  g_assert_cmpuint (base->seam, ==, LK_SEAM_ORDER);
  g_assert_cmpstr (base->params[0].name, ==, "formula");
  g_assert_null (base->params[0].default_value);
  g_assert_null (base->params[1].name);
  base->destroy (NULL);
  LkParamValue value = { .text = "wait +" };
  LkParamValues values = { .count = 1, .values = &value, .host = orders_host () };
  LkPolicyError error = { "" };
  g_assert_null (base->create (&values, &error));
  g_assert_cmpstr (error.text, ==, "formula column 7: " OPERAND "the end");
  /* Higher goes first, what is not a number last. */
  g_autoptr (OrdersFixture) jobs = orders_fixture_new_worked ();
  value.text = "procs == 4 ? 0 / 0 : procs == 1 ? -1 / 0 : 1";
  void *instance = order_new (&lk_order_expr, &value, 1);
  g_autofree char *order = orders_fixture_sorted (jobs, &lk_order_expr, instance);
  g_assert_cmpstr (order, ==, "3 2 1");
}

/* ---------------------------------------------------------------- the documentation */

static GStrv
documentation_lines (void)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_file_get_contents (LK_SOURCE_DIR "/docs/policy-orders.md", &text, NULL, &error);
  g_assert_no_error (error);
  return g_strsplit (text, "\n", -1);
}

/* The cells of a row of a table, or NULL. Returns: (transfer full). */
static GStrv
cells_of (const char *line)
{
  if (!g_str_has_prefix (line, "| ") || !g_str_has_suffix (line, " |"))
    return NULL;
  g_autofree char *inside = g_strndup (line + 2, strlen (line) - 4);
  return g_strsplit (inside, " | ", -1);
}

/* The text between back quotes that fill the cell, else NULL. Returns: (transfer full). */
static char *
code_of (const char *cell)
{
  gsize length = strlen (cell);
  if (length < 3 || cell[0] != '`' || cell[length - 1] != '`')
    return NULL;
  return g_strndup (cell + 1, length - 2);
}

static const LkOrderPolicy *
built_in (const char *name)
{
  const LkOrderPolicy *policies[] = { &lk_order_f1,       &lk_order_f2,      &lk_order_f3,
                                      &lk_order_f4,       &lk_order_fifo,    &lk_order_ljf,
                                      &lk_order_lifo,     &lk_order_largest, &lk_order_saf,
                                      &lk_order_sexp,     &lk_order_sjf,     &lk_order_wfp3,
                                      &lk_order_smallest, &lk_order_unicef,  &lk_order_xfactor };
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++)
    if (strcmp (policies[i]->base.name, name) == 0)
      return policies[i];
  return NULL;
}

/* Few different values, so that there are ties and jobs that have not waited. */
static OrdersFixture *
random_jobs_new (GRand *random)
{
  OrdersFixture *jobs = orders_fixture_new (2000 * G_USEC_PER_SEC);
  for (guint i = 0; i < ORDERS_JOBS_MAX; i++) {
    OrdersJob job = { .procs = (guint32)g_rand_int_range (random, 1, i % 2 == 0 ? 9 : 3000) };
    gint64 submit_s = g_rand_int_range (random, 0, i % 3 == 0 ? 20 : 2001);
    gint64 estimate_s = g_rand_int_range (random, 1, i % 5 == 0 ? 10 : 100000);
    job.submit_us = i % 7 == 0 ? jobs->view.now_us : submit_s * G_USEC_PER_SEC + (i % 4) / 3 * 250;
    job.estimate_us = estimate_s * G_USEC_PER_SEC + (i % 6) / 5 * 123457;
    orders_fixture_add (jobs, &job);
  }
  return jobs;
}

static void
check_same_order (const OrdersFixture *jobs, const LkOrderPolicy *policy, const char *formula)
{
  LkParamValue value = { .text = formula };
  g_autofree char *expected = orders_fixture_sorted (jobs, policy, order_new_default (policy));
  g_autofree char *order =
      orders_fixture_sorted (jobs, &lk_order_expr, order_new (&lk_order_expr, &value, 1));
  if (strcmp (order, expected) != 0)
    g_error ("'%s' orders as\n%s\nand %s as\n%s", formula, order, policy->base.name, expected);
}

static void
test_built_ins_as_formulas (void)
{
  g_auto (GStrv) lines = documentation_lines ();
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  g_autoptr (OrdersFixture) jobs = random_jobs_new (random);
  guint found_count = 0;
  for (guint i = 0; lines[i] != NULL; i++) {
    g_auto (GStrv) cells = cells_of (lines[i]);
    if (cells == NULL || g_strv_length (cells) != 2)
      continue;
    g_autofree char *name = code_of (cells[0]);
    g_autofree char *formula = code_of (cells[1]);
    const LkOrderPolicy *policy = name != NULL ? built_in (name) : NULL;
    if (policy == NULL)
      continue;
    g_assert_nonnull (formula);
    check_same_order (jobs, policy, formula);
    found_count++;
  }
  g_assert_cmpuint (found_count, ==, 15);
}

static void
test_documented_mistakes (void)
{
  g_auto (GStrv) lines = documentation_lines ();
  guint found_count = 0;
  for (guint i = 0; lines[i] != NULL; i++) {
    g_auto (GStrv) cells = cells_of (lines[i]);
    if (cells == NULL || g_strv_length (cells) != 2
        || !g_str_has_prefix (cells[1], "formula column"))
      continue;
    g_autofree char *formula = code_of (cells[0]);
    g_assert_nonnull (formula);
    check_error (formula, cells[1]);
    found_count++;
  }
  g_assert_cmpuint (found_count, ==, 7);
}

static void
test_documented_snippets (void)
{
  g_auto (GStrv) lines = documentation_lines ();
  gboolean in_snippet = FALSE;
  guint found_count = 0;
  for (guint i = 0; lines[i] != NULL; i++) {
    if (g_str_has_prefix (lines[i], "```")) {
      in_snippet = strcmp (lines[i], "```expr") == 0;
    } else if (in_snippet) {
      lk_expr_program_free (compiled (lines[i]));
      found_count++;
    }
  }
  g_assert_cmpuint (found_count, ==, 5);
  g_assert_true (value_of ("2^3^2") == 512.0);
  g_assert_true (value_of ("-2^2") == -4.0);
}

/* Each built-in order of the first table is documented with its parameters. */
static void
test_documented_orders (void)
{
  g_auto (GStrv) lines = documentation_lines ();
  guint found_count = 0;
  for (guint i = 0; lines[i] != NULL; i++) {
    g_auto (GStrv) cells = cells_of (lines[i]);
    if (cells == NULL || g_strv_length (cells) != 5)
      continue;
    g_autofree char *name = code_of (cells[0]);
    const LkOrderPolicy *policy = name != NULL ? built_in (name) : NULL;
    if (policy == NULL)
      continue;
    found_count++;
    for (const LkParam *param = policy->base.params; param->name != NULL; param++)
      g_assert_nonnull (strstr (cells[2], param->name));
    void *instance = order_new_default (policy);
    gboolean is_dynamic = policy->is_dynamic != NULL && policy->is_dynamic (instance);
    policy->base.destroy (instance);
    g_assert_cmpstr (cells[3], ==, is_dynamic ? "yes" : "no");
  }
  g_assert_cmpuint (found_count, ==, 15);
}

/* ---------------------------------------------------------------- random formulas */

/* A random formula in brackets, and its value by this machine's own arithmetic. */
static double
grow (GRand *random, const OrdersFixture *jobs, guint depth, GString *text)
{
  gint choice = g_rand_int_range (random, 0, depth == 0 ? 3 : 12);
  if (choice == 0) {
    g_string_append (text, "wait");
    return (double)(jobs->view.now_us - jobs->submit_us[0]) / 1e6;
  }
  if (choice == 1) {
    g_string_append (text, "procs");
    return (double)jobs->procs[0];
  }
  if (choice == 2) {
    gint number = g_rand_int_range (random, 0, 100);
    g_string_append_printf (text, "%d.%02d", number / 10, number % 10 * 10);
    return (double)number / 10.0;
  }
  static const char *const signs[] = { " + ",  " - ",   " * ", " / ", " < ",
                                       " >= ", " and ", ", ",  " ? " };
  const char *sign = signs[choice - 3];
  g_string_append (text, sign[0] == ',' ? "min(" : "(");
  double a = grow (random, jobs, depth - 1, text);
  g_string_append (text, sign);
  double b = grow (random, jobs, depth - 1, text);
  double c = 0.0;
  if (choice == 11) {
    g_string_append (text, " : ");
    c = grow (random, jobs, depth - 1, text);
  }
  g_string_append_c (text, ')');
  gboolean a_holds = a != 0.0 && !isnan (a);
  gboolean b_holds = b != 0.0 && !isnan (b);
  const double values[] = { a + b, a - b,          a * b, a / b, a < b, a >= b, a_holds && b_holds,
                            0.0,   a_holds ? b : c };
  if (choice == 10)
    return isnan (a) || isnan (b) ? NAN : MIN (a, b);
  return values[choice - 3];
}

static void
test_random_formulas (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (2);
  g_autoptr (OrdersFixture) jobs = example_new ();
  for (guint i = 0; i < 20000; i++) {
    g_autoptr (GString) text = g_string_new (NULL);
    double expected = grow (random, jobs, i % 6, text);
    if (text->len > LK_EXPR_FORMULA_MAX_BYTES)
      continue;
    g_autoptr (LkExprProgram) program = compiled (text->str);
    double value = lk_expr_run (program, &jobs->view, 0);
    if (!same (value, expected))
      g_error ("'%s' is %a, should be %a", text->str, value, expected);
  }
}

static void
check_any_text (const OrdersFixture *jobs, const char *text)
{
  LkPolicyError error = { "" };
  g_autoptr (LkExprProgram) program = lk_expr_compile (text, orders_host (), &error);
  if (program != NULL) {
    g_autoptr (LkExprProgram) again = compiled (text);
    g_assert_true (
        same (lk_expr_run (program, &jobs->view, 0), lk_expr_run (again, &jobs->view, 0)));
    g_assert_cmpuint (program->code_count, <=, strlen (text));
    g_assert_cmpstr (error.text, ==, "");
    return;
  }
  g_assert_true (g_str_has_prefix (error.text, "formula column "));
  guint64 column = g_ascii_strtoull (error.text + strlen ("formula column "), NULL, 10);
  g_assert_cmpuint (column, >=, 1);
  g_assert_cmpuint (column, <=, strlen (text) + 1);
}

static void
test_random_tokens (void)
{
  static const char *const pieces[] = {
    "wait", "estimate", "user_usage", "procs", "now",  "expansion", "1",   "2.5",  "1e3",
    "1e",   ".",        "+",          "-",     "*",    "/",         "^",   "<",    "<=",
    "==",   "=",        "!=",         "!",     "not ", " and ",     "or ", "&&",   "||",
    "?",    ":",        "(",          ")",     "(",    ")",         ",",   "min(", "max(",
    "abs(", "sqrt(",    "ln(",        "floor", " ",    "watt",      "\n",  "\xff", "#"
  };
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  g_autoptr (OrdersFixture) jobs = example_new ();
  for (guint i = 0; i < 40000; i++) {
    g_autoptr (GString) text = g_string_new (NULL);
    gint piece_count = g_rand_int_range (random, 0, i % 100 == 0 ? 400 : 12);
    for (gint k = 0; k < piece_count; k++)
      g_string_append (text, pieces[g_rand_int_range (random, 0, G_N_ELEMENTS (pieces))]);
    check_any_text (jobs, text->str);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/expr/numbers are read without the locale", test_numbers);
  g_test_add_func ("/expr/variables are the job and the moment", test_variables);
  g_test_add_func ("/expr/operators bind as documented", test_operators);
  g_test_add_func ("/expr/functions compute", test_functions);
  g_test_add_func ("/expr/powers of whole numbers are products", test_powers);
  g_test_add_func ("/expr/infinities and NaN follow IEEE 754", test_not_a_number);
  g_test_add_func ("/expr/errors name the column and what was expected", test_errors);
  g_test_add_func ("/expr/depth and length are bounded", test_bounds);
  g_test_add_func ("/expr/constants are computed once", test_folding);
  g_test_add_func ("/expr/is dynamic only for what changes with time", test_dynamic);
  g_test_add_func ("/expr/the policy puts the highest first and NaN last", test_policy);
  g_test_add_func ("/expr/documented formulas order as the built-ins", test_built_ins_as_formulas);
  g_test_add_func ("/expr/documented mistakes say what is documented", test_documented_mistakes);
  g_test_add_func ("/expr/documented snippets compile", test_documented_snippets);
  g_test_add_func ("/expr/documented orders have the documented parameters",
                   test_documented_orders);
  g_test_add_func ("/expr/random formulas have the value of C", test_random_formulas);
  g_test_add_func ("/expr/random tokens never crash", test_random_tokens);
  return g_test_run ();
}
