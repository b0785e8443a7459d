/* traces/trace_error.h — the one error domain of traces/.
 *
 * Every message is one line that names the trace (and, where there is one, the line and the field),
 * says what was found and what was expected.  Nothing here logs: an error is returned, and the
 * command that asked prints it. */
#ifndef LK_TRACES_TRACE_ERROR_H
#define LK_TRACES_TRACE_ERROR_H

#include <glib.h>

#define LK_TRACE_ERROR (lk_trace_error_quark ())
GQuark lk_trace_error_quark (void);

typedef enum {
  LK_TRACE_ERROR_OPEN,     /* cannot be opened, read or decompressed */
  LK_TRACE_ERROR_SYNTAX,   /* a line is not what it should be */
  LK_TRACE_ERROR_EMPTY,    /* no job in it, or none left */
  LK_TRACE_ERROR_WRITE,    /* an output cannot be written */
  LK_TRACE_ERROR_UNSORTED, /* a submit is before the one of an earlier job */
  LK_TRACE_ERROR_MACHINE,  /* the size of the machine is unknown or unusable */
  LK_TRACE_ERROR_CONFLICT, /* options of a job that are none together */
} LkTraceError;

#endif
