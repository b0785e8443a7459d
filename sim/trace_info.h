/* sim/trace_info.h — a census of a log as text for people or as JSON. */
#ifndef LK_SIM_TRACE_INFO_H
#define LK_SIM_TRACE_INFO_H

#include <glib.h>

#include "sim/trace_census.h"

/* `name` is the trace's. */
void lk_trace_info_text (const char *name, const LkTraceCensus *census, GString *out);
/* One object with its newline; what is unknown is null. */
void lk_trace_info_json (const char *name, const LkTraceCensus *census, GString *out);

#endif
