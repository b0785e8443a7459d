/* tests/fuzz/expr_fuzz.c — any bytes as the formula of the `expr` order.
 *
 * Beyond memory errors it checks that a refusal is one line of text that names a column of the
 * formula, that what compiles runs within its bounds, and that the order is the same when the same
 * formula is compiled again. */
#include <string.h>

#include "engine/assert.h"
#include "policies/expr_compile.h"
#include "policies/expr_run.h"
#include "tests/policies/orders_fixture.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

static void
refusal_check (const char *formula, const LkPolicyError *error)
{
  static const char prefix[] = "formula column ";
  LK_ASSERT (memchr (error->text, '\0', sizeof error->text) != NULL);
  LK_ASSERT (g_utf8_validate (error->text, -1, NULL));
  LK_ASSERT (strchr (error->text, '\n') == NULL);
  if (strlen (formula) > LK_EXPR_FORMULA_MAX_BYTES)
    return;
  LK_ASSERT (g_str_has_prefix (error->text, prefix));
  guint64 column = g_ascii_strtoull (error->text + strlen (prefix), NULL, 10);
  LK_ASSERT (column >= 1);
  LK_ASSERT (column <= strlen (formula) + 1);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  g_autofree char *formula = g_strndup ((const char *)bytes, length_bytes);
  LkPolicyError error = { "" };
  g_autoptr (LkExprProgram) program = lk_expr_compile (formula, orders_host (), &error);
  if (program == NULL) {
    refusal_check (formula, &error);
    return 0;
  }
  LK_ASSERT (program->code_count <= strlen (formula));
  LK_ASSERT (program->stack_count <= LK_EXPR_STACK_MAX);
  g_autoptr (LkExprProgram) again = lk_expr_compile (formula, orders_host (), &error);
  g_autoptr (OrdersFixture) jobs = orders_fixture_new_worked ();
  for (LkJobIndex job = 0; job < jobs->view.job_index_limit; job++) {
    double value = lk_expr_run (program, &jobs->view, job);
    double value_again = lk_expr_run (again, &jobs->view, job);
    LK_ASSERT (lk_key_from_real (value) == lk_key_from_real (value_again));
  }
  return 0;
}
