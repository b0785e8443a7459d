/* sim/trace_input.h — the options that say how a log is to be read, for the verbs that read any
 * format. */
#ifndef LK_SIM_TRACE_INPUT_H
#define LK_SIM_TRACE_INPUT_H

#include <glib.h>

#include "traces/reader.h"

typedef struct {
  char *from; /* as given; NULL: told by the content */
  char *csv_map;
  char *columns;
  char **map;
  gboolean is_lenient;
} LkTraceInput;

void lk_trace_input_clear (LkTraceInput *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LkTraceInput, lk_trace_input_clear)

/* Adds --from, --csv-map, --columns, --map and --lenient. */
void lk_trace_input_add_options (LkTraceInput *self, GOptionContext *context);

/* Was one of them given? */
gboolean lk_trace_input_is_given (const LkTraceInput *self);

/* Opens a log as these options say. LK_SIM_ERROR_USAGE for a format that does not exist. Returns:
 * (transfer full). */
LkTraceReader *lk_trace_input_open (const LkTraceInput *self, const char *path, GError **error);

/* `output` must be none of the files that are read. An error is LK_SIM_ERROR_USAGE. */
gboolean lk_trace_input_check_output (const LkTraceInput *self, const char *path,
                                      const char *output, GError **error);

/* The SWF reader of a log whose lines are taken as they are; NULL: its jobs come as records. */
LkSwfReader *lk_trace_input_swf (LkTraceReader *reader);
/* The next job as 18 fields, of a log in another format as `lockstep trace convert` would write it.
 * As lk_trace_reader_next. */
int lk_trace_input_next (LkTraceReader *reader, LkSwfJob *out_job, GError **error);
/* The header; of a log in another format only unix_start_s is known. */
LkSwfHeader lk_trace_input_header (const LkTraceReader *reader);

#endif
