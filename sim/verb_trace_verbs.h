/* sim/verb_trace_verbs.h — the sub-verbs of `lockstep trace` that have a file of their own.
 *
 * argv[0] is the sub-verb. Results go where --output says; an error is for the caller to print. */
#ifndef LK_SIM_VERB_TRACE_VERBS_H
#define LK_SIM_VERB_TRACE_VERBS_H

#include <glib.h>

#include "traces/writer.h"

/* verb_trace_convert.c */
gboolean lk_trace_convert_verb (int argc, char **argv, GError **error);
gboolean lk_trace_anonymize_verb (int argc, char **argv, GError **error);

/* verb_trace_generate.c */
gboolean lk_trace_generate_verb (int argc, char **argv, GError **error);

/* The format that `--format` names, else the one that the end of the output's path does, else
 * `fallback`. */
gboolean lk_trace_write_format (const char *text, const char *path, LkWriteFormat fallback,
                                LkWriteFormat *out_format, GError **error);

#define LK_TRACE_FORMATS_HELP                                                                      \
  "FILE is an SWF log, sacct -P text, sacct --json, a UBCCR events file or a CSV with a column "   \
  "map;\nplain, .gz or .zst; - is standard input. "

#endif
