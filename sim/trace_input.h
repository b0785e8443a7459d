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

#endif
