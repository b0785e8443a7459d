/* sim/progress.h — one line on standard error that says how far a simulation is.
 *
 * Simulated date, share of the log read, events a second, time left.  Shown once a run is older
 * than a second, rewritten at most five times a second, cleared at the end.  `auto` shows it on a
 * terminal only, so that a pipe or a file gets nothing.  The driver asks every few
 * events whether a line is due, which reads the clock and no more. */
#ifndef LK_SIM_PROGRESS_H
#define LK_SIM_PROGRESS_H

#include <glib.h>
#include <stdio.h>

typedef enum { LK_PROGRESS_AUTO, LK_PROGRESS_ALWAYS, LK_PROGRESS_NEVER } LkProgressMode;

/* LK_SIM_ERROR_USAGE when `text` is not auto, always or never. */
gboolean lk_progress_mode_parse (const char *text, LkProgressMode *out_mode, GError **error);

/* Where a run stands. */
typedef struct {
  gint64 now_us; /* simulated */
  guint64 event_count;
  guint64 bytes_read;  /* of the log as stored */
  guint64 bytes_total; /* 0: unknown */
} LkProgressPoint;

typedef struct _LkProgress LkProgress;

/* `unix_start_s` is the date of simulated time 0, or < 0 when the log does not tell (then days are
 * shown). Writes to `stream`, which is borrowed. Returns: (transfer full), or NULL when there is
 * nothing to show; every function here takes NULL. */
LkProgress *lk_progress_new (LkProgressMode mode, gint64 unix_start_s, FILE *stream);
/* Clears the line. */
void lk_progress_free (LkProgress *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkProgress, lk_progress_free)

/* Would lk_progress_tick show something now? */
gboolean lk_progress_is_due (const LkProgress *self);
void lk_progress_tick (LkProgress *self, const LkProgressPoint *point);
/* The same with a text of the caller's, for what is not one simulation. */
void lk_progress_say (LkProgress *self, const char *text);
/* lk_progress_tick at a given moment of g_get_monotonic_time (). */
void lk_progress_tick_at (LkProgress *self, const LkProgressPoint *point, gint64 clock_us);

/* Appends the text of the line for a run that is `age_us` old. */
void lk_progress_format (const LkProgressPoint *point, gint64 unix_start_s, gint64 age_us,
                         GString *out);

#endif
