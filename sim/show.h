/* sim/show.h — reports of a run at the moments that its user asked for. */
#ifndef LK_SIM_SHOW_H
#define LK_SIM_SHOW_H

#include <glib.h>

#include "sim/report.h"

/* A moment: seconds of the log's clock, or with a unit; or a date, 2026-11-21 or
 * 2026-11-21T02:12:06, where it is known when the log's time 0 was (`unix_start_s` >= 0). */
gboolean lk_show_moment_parse (const char *option, const char *text, gint64 unix_start_s,
                               gint64 *out_time_us, GError **error);

typedef struct _LkShow LkShow;

/* `reports` as lk_report_list_parse. With `json` nothing is printed: see lk_show_json. Returns:
 * (transfer full); NULL on failure. */
LkShow *lk_show_new (const char *reports, gboolean json, GError **error);
void lk_show_free (LkShow *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkShow, lk_show_free)

/* Can all of them be had? */
gboolean lk_show_check (const LkShow *self, const LkEngineConfig *config, GError **error);

/* Sets the moments, as a list with commas; +1h is counted from the first submit. */
gboolean lk_show_set_moments (LkShow *self, const char *option, const char *text,
                              gint64 unix_start_s, GError **error);
/* Tells when the first job is submitted; later calls change nothing. */
void lk_show_begin (LkShow *self, gint64 first_submit_us);
/* The next one, each once; LK_TIME_NEVER: there is no other. Behind lk_show_begin. */
gint64 lk_show_next_moment_us (LkShow *self);

/* Prints all reports, each under a line "# sprio at ...". `state` is that behind the last event;
 * what time has changed since is seen to here. */
void lk_show_at (LkShow *self, const LkReportState *state);
/* With `json`: the object that is open, behind its member "reports"; more members may be added, and
 * it is to be ended. Returns: (transfer none). */
LkJsonOut *lk_show_json (LkShow *self);

#endif
