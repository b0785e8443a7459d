/* traces/source.h — the jobs of a log of any format as a replay wants them: selected, cleaned, in
 * order of submission.
 *
 * Reader, selection, cleaning and load scaling in this order.  Jobs come by submit time, then by
 * their place in the log.  Memory does not depend on the length of the log, unless it has to be
 * sorted, which logs of every format but SWF always are: theirs is some other order.
 *
 * That nothing is left to replay, for example because the machine is smaller than every job, is
 * known at the end of the log and is an error there. */
#ifndef LK_TRACES_SOURCE_H
#define LK_TRACES_SOURCE_H

#include <glib.h>

#include "traces/clean.h"
#include "traces/reader.h"
#include "traces/swf.h"

typedef struct {
  guint32 procs;    /* machine; 0: what the header of an SWF log says, MaxProcs, else MaxNodes */
  gboolean lenient; /* as LK_SWF_LENIENT, and as `reader.lenient` */
  gboolean sort;    /* read all, then sort by submit */
  /* Selection. Jobs by their own number, both ends included; times as field 2 has them, or as
   * cleaning says (traces/clean.h), the end excluded. */
  gint64 jobs_first;
  gint64 jobs_last;
  gint64 time_begin_us;
  gint64 time_end_us;
  /* > 0: the time between the first kept job and each later one is divided by this; 1 leaves it
   * alone. */
  double load_scale_ratio;
  /* Not NULL: each submit time is moved by what this says of the job's place in the log (from 0),
   * from -move_most_us to move_most_us, and the log is sorted then. Components of one job move
   * together, and a job that depends on others stays behind them. */
  gint64 (*move_us) (gconstpointer user, guint64 place);
  gint64 move_most_us;
  gconstpointer move_user;
  LkReaderOptions reader; /* borrowed while the source is being made */
} LkTraceOptions;

/* Everything selected, nothing changed. */
void lk_trace_options_init (LkTraceOptions *options);

typedef struct _LkTraceSource LkTraceSource;

/* Opens a log ("-" is standard input). Fails also when the size of the machine of an SWF log is not
 * known. Returns: (transfer full). */
LkTraceSource *lk_trace_source_new (const char *path, const LkTraceOptions *options,
                                    GError **error);
/* Over bytes in memory, borrowed, as lk_swf_reader_new_from_bytes. */
LkTraceSource *lk_trace_source_new_from_bytes (const char *name, const guint8 *bytes,
                                               gsize length_bytes, const LkTraceOptions *options,
                                               GError **error);
void lk_trace_source_free (LkTraceSource *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkTraceSource, lk_trace_source_free)

/* Next job. 1: `out_job` is filled; 0: the end; -1: error, self is then spent: a bad line, a submit
 * before the one before it (unless sorting), no job left at the end. The first call reads the whole
 * log when sorting. */
int lk_trace_source_next (LkTraceSource *self, LkTraceJob *out_job, GError **error);

/* Does a job depend on others? Known once the first job has come; never of a log that is not read
 * as a whole. */
gboolean lk_trace_source_has_dependencies (const LkTraceSource *self);

/* Size of the machine; 0 unknown, which it never is of an SWF log. */
guint32 lk_trace_source_procs (const LkTraceSource *self);
/* Of an SWF log; for other formats nothing is known in it but unix_start_s. */
const LkSwfHeader *lk_trace_source_header (const LkTraceSource *self);
LkTraceFormat lk_trace_source_format (const LkTraceSource *self);

typedef struct {
  guint64 kept; /* handed out, or with sorting about to be */
  guint64 not_selected;
  LkCleanCounts dropped; /* of those selected */
  LkSwfCounts log;       /* of other formats, the members that make sense */
  LkReaderCounts reader; /* not for SWF, unless there are overrides */
} LkTraceCounts;
/* So far. */
void lk_trace_source_counts (const LkTraceSource *self, LkTraceCounts *out_counts);

#endif
