/* tests/fuzz/study/study_plan_fuzz.c — any bytes as a plan.
 *
 * Beyond memory errors it checks that an error is one line of UTF-8 that begins with the name of
 * the plan, and that what follows from a good plan is a command line or such an error. */
#include <string.h>

#include "engine/assert.h"
#include "sim/error.h"
#include "sim/study/plan.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

static void
error_check (const GError *error)
{
  LK_ASSERT (error != NULL);
  LK_ASSERT (g_str_has_prefix (error->message, "fuzz:"));
  LK_ASSERT (g_utf8_validate (error->message, -1, NULL));
  LK_ASSERT (strchr (error->message, '\n') == NULL);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkStudyPlan) plan =
      lk_study_plan_read_bytes ("fuzz", bytes, length_bytes, NULL, &error);
  if (plan == NULL) {
    error_check (error);
    return 0;
  }
  for (guint p = 0; p < plan->policies->len; p++) {
    const LkStudyGroup *policy = g_ptr_array_index (plan->policies, p);
    const GPtrArray *points = policy->points != NULL ? policy->points : plan->points;
    g_autoptr (GError) wrong = NULL;
    LkStudyChoice choice = { .trace = g_ptr_array_index (plan->traces, 0),
                             .window = g_ptr_array_index (plan->windows, 0),
                             .policy = policy,
                             .point = points->len > 0 ? g_ptr_array_index (points, 0) : NULL };
    g_auto (GStrv) arguments = lk_study_arguments (plan, &choice, &wrong);
    if (arguments == NULL)
      error_check (wrong);
    else
      LK_ASSERT (strcmp (arguments[0], "sim") == 0);
  }
  return 0;
}
