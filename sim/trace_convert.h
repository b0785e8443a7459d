/* sim/trace_convert.h — a log of any format into SWF, CSV or JSON lines, by way of records.
 *
 * Jobs pass uncleaned.  Memory does not depend on the length of the log, but for sorting (all jobs)
 * and what the reader of the format keeps.  The output appears whole or not at all.
 *
 * SWF to SWF loses nothing on another way: sim/trace_rewrite.h. */
#ifndef LK_SIM_TRACE_CONVERT_H
#define LK_SIM_TRACE_CONVERT_H

#include <glib.h>

#include "sim/trace_rewrite.h"
#include "traces/anonymize.h"
#include "traces/reader.h"
#include "traces/writer.h"

/* Which jobs pass. */
typedef struct {
  LkTraceRewrite fields; /* what the 18 fields of a job must be; users, groups, partitions NULL */
  char **users;          /* names, or numbers where there are none; NULL: all. So the next two. */
  char **groups;
  char **partitions;
} LkTraceSelection;

typedef struct {
  LkWriteFormat format;
  gboolean sort;                     /* by submit, then by place in the log */
  gboolean renumber;                 /* 1, 2, 3 ... */
  gboolean rebase;                   /* times count from the second of the first submit */
  LkAnonymizer *anonymizer;          /* NULL: names stay */
  const LkTraceSelection *selection; /* NULL: all jobs */
} LkTraceConvert;

/* Reads all of `reader` and writes `path` ("-": standard output). */
gboolean lk_trace_convert_run (const LkTraceConvert *self, LkTraceReader *reader, const char *path,
                               GError **error);

#endif
