/* tests/oracle/situation_clocks.c — see situation_clocks.h. */
#include "tests/oracle/situation_clocks.h"

#include "tests/oracle/situation_read.h"

#define HALF_S_US 500000u

/* Parts of a second behind the first command. */
static const guint phases_us[] = { 600000, 850000, 100000, 350000 };
static const char *const run_tenths[] = { ".5", ".2", ".8" };
static const guint spreads_us[] = { 0, 11000 };

static void
add_scan (GArray *scans, gint scan_s)
{
  for (guint i = 0; i < scans->len; i++)
    if (g_array_index (scans, gint, i) == scan_s)
      return;
  g_array_append_val (scans, scan_s);
}

/* Seconds at which scans may have been, the best guess last: where none matters there is none. */
static GArray *
scans_new (const char *runs, gboolean has_grace)
{
  static const gint some[] = { LK_SCAN_NONE, 0, 10, 20 };
  GArray *scans = g_array_new (FALSE, FALSE, sizeof (gint));
  g_autoptr (GPtrArray) rows = lk_run_rows (runs);
  for (guint i = 0; i < (has_grace ? G_N_ELEMENTS (some) : 1); i++)
    g_array_append_val (scans, some[i]);
  for (guint i = 0; i < rows->len; i++) {
    char **row = g_ptr_array_index (rows, i);
    gint64 end_s = g_ascii_strtoll (row[LK_RUN_START], NULL, 10)
                   + g_ascii_strtoll (row[LK_RUN_ELAPSED], NULL, 10);
    gboolean is_late = g_strcmp0 (row[LK_RUN_STATE], "TIMEOUT") == 0
                       || (has_grace && g_strcmp0 (row[LK_RUN_STATE], "PREEMPTED") == 0);
    if (is_late && end_s >= 0)
      add_scan (scans, (gint)(end_s % LK_SCAN_S));
  }
  return scans;
}

/* `base`: all but how long jobs take to start and end. */
static void
add_clocks (GArray *clocks, LkClocks base)
{
  for (guint run = 0; run < G_N_ELEMENTS (run_tenths); run++)
    for (guint spread = 0; spread < G_N_ELEMENTS (spreads_us); spread++) {
      base.run_tenths = run_tenths[run];
      base.spread_us = spreads_us[spread];
      g_array_append_val (clocks, base);
    }
}

/* Turns are moved by moving all moments: what is counted from the first command stays there. */
static void
add_turns (GArray *clocks, LkClocks base, guint slice_s)
{
  guint count = slice_s > 0 ? 2 * slice_s : 1;
  for (guint i = 0; i < count; i++) {
    LkClocks one = base;
    one.turn_us = i * HALF_S_US;
    one.tick_phase_us = (base.tick_phase_us + one.turn_us) % G_TIME_SPAN_SECOND;
    one.cycle_phase_us = (base.cycle_phase_us + one.turn_us) % G_TIME_SPAN_SECOND;
    add_clocks (clocks, one);
  }
}

GArray *
lk_clocks_new (const char *runs, gboolean has_grace, guint slice_s)
{
  g_autoptr (GArray) scans = scans_new (runs, has_grace);
  GArray *clocks = g_array_new (FALSE, FALSE, sizeof (LkClocks));
  for (guint scan = 0; scan < scans->len; scan++)
    for (guint tick = 0; tick < G_N_ELEMENTS (phases_us); tick++)
      for (guint cycle = 0; cycle < G_N_ELEMENTS (phases_us); cycle++)
        add_turns (clocks,
                   (LkClocks){ .tick_phase_us = phases_us[tick],
                               .cycle_phase_us = phases_us[cycle],
                               .scan_s = g_array_index (scans, gint, scan) },
                   slice_s);
  return clocks;
}
