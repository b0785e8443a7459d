/* traces/swf.h — reads and writes logs in the Standard Workload Format (Parallel Workloads
 * Archive, version 2.2).
 *
 * The reader streams: memory does not depend on the length of the log.  Input is plain, gzip or
 * zstd, told by its first bytes.  It reports each job as it stands in the log; cleaning is
 * traces/clean.h.
 *
 * A data line has 18 numbers.  Integers; fields 2 to 4 (submit, wait, run), 6 (average CPU time)
 * and 9 (requested time) may have a decimal fraction, kept to the microsecond in 2, 3, 4 and 9.  -1
 * means unknown. */
#ifndef LK_TRACES_SWF_H
#define LK_TRACES_SWF_H

#include <glib.h>

#include "traces/input.h"
#include "traces/trace_error.h"

/* One line. Unknown numbers are -1; times are in microseconds (-1 s is -1000000, tested by `<
 * 0`). */
typedef struct {
  gint64 number;               /* field 1, the job number */
  gint64 submit_us;            /* 2 */
  gint64 wait_us;              /* 3 */
  gint64 run_us;               /* 4 */
  gint64 procs_used;           /* 5 */
  gint64 cpu_us;               /* 6, average per processor */
  gint64 memory_kib;           /* 7, used per processor */
  gint64 procs;                /* 8, requested */
  gint64 estimate_us;          /* 9, requested time */
  gint64 memory_requested_kib; /* 10 */
  gint64 status;               /* 11 */
  gint64 user_id;              /* 12 */
  gint64 group_id;             /* 13 */
  gint64 application_id;       /* 14 */
  gint64 queue_id;             /* 15 */
  gint64 partition_id;         /* 16 */
  gint64 preceding_number;     /* 17 */
  gint64 think_us;             /* 18 */
} LkSwfJob;

/* What the header comments say; -1 or NULL where they do not. Text is owned by the reader. */
typedef struct {
  gint64 max_procs;
  gint64 max_nodes;
  gint64 max_jobs;
  gint64 unix_start_s;
  const char *computer;
  const char *installation;
  const char *acknowledge;
  const char *version;
} LkSwfHeader;

typedef struct _LkSwfReader LkSwfReader;

typedef enum {
  LK_SWF_STRICT = 0,
  /* Accept 19 to 64 fields, of which the first 18 count, and times and processors below -1. */
  LK_SWF_LENIENT = 1,
} LkSwfFlags;

/* Opens a log ("-" is standard input) and reads its header comments. Fails also when there is no
 * job line. Returns: (transfer full). */
LkSwfReader *lk_swf_reader_new (const char *path, LkSwfFlags flags, GError **error);
/* The same over bytes in memory, plain or compressed, borrowed; `name` is used in messages. */
LkSwfReader *lk_swf_reader_new_from_bytes (const char *name, const guint8 *bytes,
                                           gsize length_bytes, LkSwfFlags flags, GError **error);
/* The same over an input that stands before its first line, borrowed for the life of self. */
LkSwfReader *lk_swf_reader_new_from_input (LkInput *input, LkSwfFlags flags, GError **error);
void lk_swf_reader_free (LkSwfReader *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkSwfReader, lk_swf_reader_free)

/* Header as read so far; comments behind the first job are taken in as they pass. Returns:
 * (transfer none). */
const LkSwfHeader *lk_swf_reader_header (const LkSwfReader *self);
/* Every header comment line without its semicolon, in order; for a converter that keeps them. The
 * first LK_SWF_COMMENTS_MAX_COUNT only. (transfer none). */
#define LK_SWF_COMMENTS_MAX_COUNT 4096u
const GPtrArray *lk_swf_reader_comments (const LkSwfReader *self);

/* Next job. 1: `out_job` is filled; 0: the end; -1: error (file, line and field named), the reader
 * is then spent. */
int lk_swf_reader_next (LkSwfReader *self, LkSwfJob *out_job, GError **error);

typedef struct {
  guint64 line_count; /* read so far */
  guint64 job_count;
  guint64 extra_field_count;   /* lines with more than 18 fields (lenient) */
  guint64 negative_time_count; /* lines with a time or processors below -1 (lenient) */
  guint64 bytes_read;          /* of the file as stored, for a progress display */
  guint64 bytes_total;         /* size of the file; 0 unknown */
} LkSwfCounts;
void lk_swf_reader_counts (const LkSwfReader *self, LkSwfCounts *out_counts);

/* Name in messages, and the number of the line that the last job stood on, from 1. */
const char *lk_swf_reader_name (const LkSwfReader *self);
guint64 lk_swf_reader_line_number (const LkSwfReader *self);

/* The names that the archive gives the fields, for messages: "requested processors" for 8. */
const char *lk_swf_field_name (guint field_number);

/* Appends one data line with its newline, in the archive's column widths. Times are written with
 * as many decimals as they need. */
void lk_swf_job_format (const LkSwfJob *job, GString *out);

/* Appends a time as seconds, with as many of six decimals as it needs: "-1", "15", "0.25". */
void lk_swf_seconds_format (gint64 time_us, GString *out);

/* What lk_swf_header_format changes in the comments. */
typedef struct {
  gint64 unix_start_s;         /* new UnixStartTime; -1: as it is */
  gboolean without_job_counts; /* leave MaxJobs and MaxRecords out, which are no longer true */
} LkSwfHeaderChange;

/* Appends the comments as lines, each with its semicolon. A changed UnixStartTime takes StartTime,
 * the same moment in words, away. `note` (may be NULL) becomes a last Note line. */
void lk_swf_header_format (const GPtrArray *comments, const LkSwfHeaderChange *change,
                           const char *note, GString *out);

#endif
