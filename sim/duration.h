/* sim/duration.h — lengths of time as people read them: the one way for all tables and pages.
 *
 * "0 s", "1.5 s", "2 min 5 s", "3 h 10 min", "4 d 6 h": the two largest units, the rest is cut.
 * `--seconds` of a verb makes them plain numbers of seconds.  CSV, JSON and databases have seconds
 * always; they do not use this. */
#ifndef LK_SIM_DURATION_H
#define LK_SIM_DURATION_H

#include <glib.h>

/* Returns: (transfer full). */
char *lk_duration_text (gint64 duration_us);

/* Cells of tables are seconds from now on. Called once, by the verb that was given --seconds. */
void lk_duration_use_seconds (void);

/* A cell of a table: "3 h 10 min", or with --seconds "11400.0". NaN is "-". Returns: (transfer
 * full). */
char *lk_duration_cell (double duration_s, int decimals);
/* The same of a difference: "+3 h 10 min". Returns: (transfer full). */
char *lk_duration_change (double duration_s, int decimals);
/* The heading of such cells: `label`, or with --seconds "label, s". Returns: (transfer full). */
char *lk_duration_label (const char *label);

/* The entry of --seconds, which sets `flag`: a member of a GOptionEntry array. */
#define LK_DURATION_ENTRY(flag)                                                                    \
  {                                                                                                \
    "seconds", 0, 0, G_OPTION_ARG_NONE, flag, "Show durations as plain numbers of seconds", NULL   \
  }

#endif
