/* traces/option_context.h — a command line that GLib parses, with the nearest option in the error.
 *
 * For all programs and verbs that describe their options by GOptionEntry.  Commands with Slurm's
 * options are parsed by job_options.h and live/client. */
#ifndef LK_TRACES_OPTION_CONTEXT_H
#define LK_TRACES_OPTION_CONTEXT_H

#include <glib.h>

/* As g_option_context_parse, but the error about an unknown option suggests the nearest option of
 * the context: "unknown option '--ordr'; did you mean '--order'?". */
gboolean lk_option_context_parse (GOptionContext *context, int *argc, char ***argv, GError **error);

#endif
