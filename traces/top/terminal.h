/* traces/top/terminal.h — a terminal, by ncurses: shows screens, gives keys, and is put back as it
 * was, however the program ends (short of SIGKILL). */
#ifndef LK_TRACES_TOP_TERMINAL_H
#define LK_TRACES_TOP_TERMINAL_H

#include <glib.h>

#include "traces/top/screen.h"

#define LK_TOP_ERROR (lk_top_error_quark ())
GQuark lk_top_error_quark (void);
typedef enum {
  LK_TOP_ERROR_USAGE,    /* a wrong command line */
  LK_TOP_ERROR_TERMINAL, /* there is none that could be used */
  LK_TOP_ERROR_SOURCE,   /* nothing is known of the cluster */
} LkTopError;

/* Takes the locale of the environment for characters. Returns: are they UTF-8? */
gboolean lk_top_locale_is_utf8 (void);

/* The terminal of standard input and output becomes ours; there is one. FALSE: there is none. */
gboolean lk_top_terminal_begin (GError **error);
/* Puts it back; twice does no harm. */
void lk_top_terminal_end (void);

/* A screen of its size. Returns: (transfer full). */
LkTopScreen *lk_top_terminal_screen (gboolean is_ascii);
void lk_top_terminal_show (const LkTopScreen *screen);

/* Waits for a key, for `descriptor`, a change of size or a signal, at most `wait_max_us` (below 0:
 * for ever). */
void lk_top_terminal_wait (int descriptor, gint64 wait_max_us);
/* The next key (a character, or LkTopKey) that has come; LK_TOP_KEY_NONE: none, or one that means
 * nothing. FALSE: no more have come. */
gboolean lk_top_terminal_key (guint32 *out_key);
/* A signal told to end, or the terminal has gone: its number; 0: none. */
int lk_top_terminal_ended_by (void);

#endif
