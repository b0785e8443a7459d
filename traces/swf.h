/* traces/swf.h — reads and writes logs in the Standard Workload Format (Parallel Workloads Archive, version 2.2).
 *
 * The reader streams: memory does not depend on the length of the log.  Input is plain, gzip or zstd, told by its first
 * bytes.  It reports each job as it stands in the log; cleaning is traces/clean.h.
 *
 * A data line has 18 numbers.  Integers; fields 2 to 4 (submit, wait, run), 6 (average CPU time) and 9 (requested time)
 * may have a decimal fraction, kept to the microsecond in 2, 3, 4 and 9.  -1 means unknown. */
#ifndef LK_TRACES_SWF_H
#define LK_TRACES_SWF_H

#include <glib.h>

#define LK_TRACE_ERROR (lk_trace_error_quark ())
GQuark lk_trace_error_quark (void);
typedef enum {
  LK_TRACE_ERROR_OPEN,   /* cannot be opened or read */
  LK_TRACE_ERROR_SYNTAX, /* a line is not what it should be */
  LK_TRACE_ERROR_EMPTY,  /* no job in it */
  LK_TRACE_ERROR_WRITE,
} LkTraceError;

/* One line. Unknown numbers are -1; times are in microseconds (-1 s is -1000000, tested by `< 0`). */
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
  LK_SWF_LENIENT =
      1, /* accept 19 to 64 fields and times below -1 (both counted); the rest is ignored */
} LkSwfFlags;

/* Opens a log ("-" is standard input) and reads its header comments. Returns: (transfer full). */
LkSwfReader *lk_swf_reader_new (const char *path, LkSwfFlags flags, GError **error);
/* The same over bytes in memory, plain or compressed, borrowed; `name` is used in messages. */
LkSwfReader *lk_swf_reader_new_from_bytes (const char *name, const guint8 *bytes,
                                           gsize length_bytes, LkSwfFlags flags, GError **error);
void lk_swf_reader_free (LkSwfReader *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkSwfReader, lk_swf_reader_free)

/* Header as read so far; comments behind the first job are taken in as they pass. Returns: (transfer none). */
const LkSwfHeader *lk_swf_reader_header (const LkSwfReader *self);
/* Every header comment line without its semicolon, in order; for a converter that keeps them. (transfer none). */
const GPtrArray *lk_swf_reader_comments (const LkSwfReader *self);

/* Next job. 1: `out_job` is filled; 0: the end; -1: error (file, line and field named), the reader is then spent. */
int lk_swf_reader_next (LkSwfReader *self, LkSwfJob *out_job, GError **error);

typedef struct {
  guint64 line_count; /* read so far */
  guint64 job_count;
  guint64 extra_field_count;   /* lines with more than 18 fields (lenient) */
  guint64 negative_time_count; /* lines with a time below -1 (lenient) */
  guint64 bytes_read;          /* of the file as stored, for a progress display */
  guint64 bytes_total;         /* size of the file; 0 unknown */
} LkSwfCounts;
void lk_swf_reader_counts (const LkSwfReader *self, LkSwfCounts *out_counts);

/* Appends one data line with its newline, in the archive's column widths. */
void lk_swf_job_format (const LkSwfJob *job, GString *out);

#endif
