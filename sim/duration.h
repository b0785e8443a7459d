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

/* Where --seconds is kept: what a GOptionEntry fills. It holds for the whole command. */
gboolean *lk_duration_flag (void);
/* --seconds is for people's tables: refuses it where the output is for programs. */
gboolean lk_duration_check (gboolean is_for_programs, GError **error);

/* A cell of a table: "3 h 10 min", or with --seconds "11400.0". NaN is "-". Returns: (transfer
 * full). */
char *lk_duration_cell (double duration_s, int decimals);
/* The same of a difference: "+3 h 10 min". Returns: (transfer full). */
char *lk_duration_change (double duration_s, int decimals);
/* The heading of such cells: `label`, or with --seconds "label, s". Returns: (transfer full). */
char *lk_duration_label (const char *label);

/* What a column of a summary (mean_wait_s) is called in a table: without its _s, unless --seconds
 * is given. Returns: (transfer full). */
char *lk_duration_column (const char *column);
/* Is it a duration: does its name end in _s? */
gboolean lk_duration_is_column (const char *column);

/* The entry of --seconds in a GOptionEntry array. */
#define LK_DURATION_ENTRY                                                                          \
  {                                                                                                \
    .long_name = "seconds", .arg = G_OPTION_ARG_NONE, .arg_data = lk_duration_flag (),             \
    .description = "Show durations as plain numbers of seconds"                                    \
  }

#endif
