/* sim/trace_convert.h — a log of any format into SWF, CSV or JSON lines, by way of records.
 *
 * Jobs pass uncleaned.  Memory does not depend on the length of the log, but for sorting (all jobs)
 * and what the reader of the format keeps.  The output appears whole or not at all.
 *
 * SWF to SWF loses nothing on another way: sim/trace_rewrite.h. */
#ifndef LK_SIM_TRACE_CONVERT_H
#define LK_SIM_TRACE_CONVERT_H

#include <glib.h>

#include "traces/anonymize.h"
#include "traces/reader.h"
#include "traces/writer.h"

typedef struct {
  LkWriteFormat format;
  gboolean sort;            /* by submit, then by place in the log */
  gboolean renumber;        /* 1, 2, 3 ... */
  gboolean rebase;          /* times count from the second of the first submit */
  LkAnonymizer *anonymizer; /* NULL: names stay */
} LkTraceConvert;

/* Reads all of `reader` and writes `path` ("-": standard output). */
gboolean lk_trace_convert_run (const LkTraceConvert *self, LkTraceReader *reader, const char *path,
                               GError **error);

#endif
