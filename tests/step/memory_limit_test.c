/* tests/step/memory_limit_test.c — how much memory a run may use, by cgroup.conf. */
#include "live/port/memory_limit.h"

#define MIB (G_GUINT64_CONSTANT (1) << 20)
#define NODE (1000 * MIB)

typedef struct {
  LkMemoryRules rules;
  guint64 given_mib;
  guint64 ram_mib;
  guint64 total_mib;
} Case;

static void
test_cases (void)
{
  static const Case cases[] = {
    { { TRUE, FALSE, 100, 0, 30 * MIB, 100, 100 }, 500, 500, 0 },
    { { TRUE, TRUE, 100, 0, 30 * MIB, 100, 100 }, 500, 500, 500 },
    { { TRUE, TRUE, 100, 50, 30 * MIB, 100, 100 }, 500, 500, 750 },
    { { FALSE, TRUE, 100, 50, 30 * MIB, 100, 100 }, 500, 0, 750 },
    { { TRUE, TRUE, 110, 10, 30 * MIB, 100, 100 }, 500, 550, 600 },
    /* No less than MinRAMSpace, no more than MaxRAMPercent. */
    { { TRUE, TRUE, 100, 0, 30 * MIB, 100, 100 }, 10, 30, 30 },
    { { TRUE, TRUE, 200, 0, 30 * MIB, 90, 100 }, 500, 900, 900 },
    /* MaxSwapPercent bounds what comes above that. */
    { { TRUE, TRUE, 100, 1000, 30 * MIB, 90, 20 }, 500, 500, 1100 },
    /* Memory that is not managed is not confined. */
    { { TRUE, TRUE, 100, 50, 30 * MIB, 100, 100 }, 0, 0, 0 },
    { { FALSE, FALSE, 100, 50, 30 * MIB, 100, 100 }, 500, 0, 0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkMemoryLimits limits = lk_memory_limits (&cases[i].rules, NODE, cases[i].given_mib * MIB);
    g_assert_cmpuint (limits.ram_bytes, ==, cases[i].ram_mib * MIB);
    g_assert_cmpuint (limits.total_bytes, ==, cases[i].total_mib * MIB);
  }
}

/* Whatever a launch says. */
static void
test_bounds (void)
{
  const LkMemoryRules rules = { TRUE, TRUE, 1000, 1000, 30 * MIB, 100, 1000 };
  LkMemoryLimits limits = lk_memory_limits (&rules, NODE, G_MAXUINT64);
  g_assert_cmpuint (limits.ram_bytes, ==, NODE);
  g_assert_cmpuint (limits.total_bytes, ==, 11 * NODE);
  limits = lk_memory_limits (&rules, G_MAXUINT64, G_MAXUINT64);
  g_assert_cmpuint (limits.total_bytes, >=, limits.ram_bytes);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/memory limit/is what cgroup.conf makes of a share", test_cases);
  g_test_add_func ("/memory limit/has bounds", test_bounds);
  return g_test_run ();
}
