/* traces/writer.h — records into a log: SWF, Lockstep's own CSV, JSON lines.
 *
 * CSV has a header and every column of traces/record_columns.h, quoted as RFC 4180 says (line ends
 * are newlines); the built-in column map "lockstep" reads it back.  JSON lines has one object a job
 * with the same members, those of the request in an object "request"; what is empty is null.
 *
 * SWF holds less: number, submit, wait, run time, processors, limit, memory, status, user, group,
 * partition.  Processors (fields 5 and 8) are those of the record, which the mapping of its reader
 * counts: CPUs, or GPUs with procs=gpus; what else was asked for, GPUs among it, is lost.  Jobs
 * that never ran have -1 in field 5.  Memory (field 10) is per processor: per CPU as asked for,
 * per GPU divided by the CPUs of a GPU, per node times nodes divided by processors.  Status (field
 * 11) is 1 for completed, 5 for cancelled, 0 for all other ends, -1 where there is none.  Queue
 * (field 15) is 0 for a partition called "interactive" and 1 for one called "batch", as in the
 * archive's models, else -1.
 *
 * The output appears whole or not at all (traces/output.h). */
#ifndef LK_TRACES_WRITER_H
#define LK_TRACES_WRITER_H

#include <glib.h>

#include "traces/record.h"
#include "traces/swf.h"

typedef enum { LK_WRITE_SWF, LK_WRITE_CSV, LK_WRITE_JSONL, LK_WRITE_LIMIT } LkWriteFormat;

/* "swf", "csv", "jsonl"; NULL past the last. */
const char *lk_write_format_name (LkWriteFormat format);
/* By the end of a path, .gz and .zst left off; LK_WRITE_LIMIT when it tells nothing. */
LkWriteFormat lk_write_format_of_path (const char *path);

/* What the header of an SWF log says; the other formats have none. */
typedef struct {
  LkWriteFormat format;
  gint64 unix_start_s;    /* seconds since 1970 of time 0; -1 unknown */
  gint64 max_procs;       /* processors of the machine; 0 unknown */
  const char *computer;   /* NULL: no such line */
  const char *note;       /* how it was made; NULL none */
  const char *other_note; /* a second one */
} LkTraceWriterOptions;

typedef struct _LkTraceWriter LkTraceWriter;

/* "-" is standard output. Texts of `options` are copied. Returns: (transfer full). */
LkTraceWriter *lk_trace_writer_new (const char *path, const LkTraceWriterOptions *options,
                                    GError **error);
/* Removes what was not closed. */
void lk_trace_writer_free (LkTraceWriter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkTraceWriter, lk_trace_writer_free)

gboolean lk_trace_writer_add (LkTraceWriter *self, const LkTraceRecord *record, GError **error);
/* Ends the log and puts it in its place. Call once. */
gboolean lk_trace_writer_close (LkTraceWriter *self, GError **error);

/* The line of SWF that a record becomes. */
void lk_record_swf (const LkTraceRecord *record, LkSwfJob *out_job);

#endif
