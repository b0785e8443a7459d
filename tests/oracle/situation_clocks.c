/* tests/oracle/situation_clocks.c — see situation_clocks.h. */
#include "tests/oracle/situation_clocks.h"

#include "tests/oracle/situation_read.h"

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

static void
add_clocks (GArray *clocks, guint tick_phase_us, guint cycle_phase_us, gint scan_s)
{
  for (guint run = 0; run < G_N_ELEMENTS (run_tenths); run++)
    for (guint spread = 0; spread < G_N_ELEMENTS (spreads_us); spread++) {
      LkClocks one = { tick_phase_us, cycle_phase_us, run_tenths[run], spreads_us[spread], scan_s };
      g_array_append_val (clocks, one);
    }
}

GArray *
lk_clocks_new (const char *runs, gboolean has_grace)
{
  g_autoptr (GArray) scans = scans_new (runs, has_grace);
  GArray *clocks = g_array_new (FALSE, FALSE, sizeof (LkClocks));
  for (guint scan = 0; scan < scans->len; scan++)
    for (guint tick = 0; tick < G_N_ELEMENTS (phases_us); tick++)
      for (guint cycle = 0; cycle < G_N_ELEMENTS (phases_us); cycle++)
        add_clocks (clocks, phases_us[tick], phases_us[cycle], g_array_index (scans, gint, scan));
  return clocks;
}
