/* sim/trace_rewrite.h — an SWF log into another: selected, sorted, renumbered, rebased, with
 * pseudonyms; as SWF, or its 18 fields as CSV or JSON lines.
 *
 * Other formats, and Lockstep's own CSV and JSON lines, are sim/trace_convert.h.
 *
 * Jobs pass as they stand in the log, uncleaned.  Memory does not depend on the length of the log,
 * but for sorting (all jobs) and renumbering (their numbers).  The output appears whole or not at
 * all (traces/output.h). */
#ifndef LK_SIM_TRACE_REWRITE_H
#define LK_SIM_TRACE_REWRITE_H

#include <glib.h>

#include "traces/anonymize.h"
#include "traces/swf.h"

typedef enum { LK_REWRITE_SWF, LK_REWRITE_CSV, LK_REWRITE_JSONL } LkRewriteFormat;

typedef struct {
  LkRewriteFormat format;
  gboolean sort;     /* by submit, then by place in the log */
  gboolean renumber; /* 1, 2, 3 ...; field 17 follows, or becomes -1 when its job is not there */
  gboolean rebase;   /* submits count from the second of the first job; UnixStartTime follows */
  LkAnonymizer *anonymizer; /* NULL: users and the header stay as they are */

  gboolean is_selecting; /* the rest applies; numbers from first to last, both included */
  gint64 jobs_first;
  gint64 jobs_last;
  gint64 time_begin_us; /* of submits; the end is excluded */
  gint64 time_end_us;
  gint64 procs_min_count; /* requested, else allocated */
  gint64 procs_max_count;
  GArray *users; /* of gint64, any of them; NULL: all. So the next three. Borrowed. */
  GArray *groups;
  GArray *partitions;
  GArray *statuses;
  const char *note; /* what was selected, for the header; NULL none */
} LkTraceRewrite;

/* Everything selected, nothing changed, SWF. */
void lk_trace_rewrite_init (LkTraceRewrite *self);

/* Does it select a job of these 18 fields? */
gboolean lk_trace_rewrite_selects (const LkTraceRewrite *self, const LkSwfJob *job);

/* Reads all of `reader` and writes `path` ("-": standard output). Fails also when no job is
 * selected; then nothing is written. */
gboolean lk_trace_rewrite_run (const LkTraceRewrite *self, LkSwfReader *reader, const char *path,
                               GError **error);

#endif
