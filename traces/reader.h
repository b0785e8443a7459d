/* traces/reader.h — jobs out of a log of any known format.
 *
 * The format is told by the content, or given. What of a log becomes which part of a request is a
 * set of rules that each format documents (docs/trace-formats.md) and that `map` overrides:
 * "procs=gpus", "cpus_per_gpu=8", ...
 *
 * Formats: swf; sacct (sacct -P text with any --format); sacct-json; events (the UBCCR
 * simulator's); csv (any comma-separated table with a column map in YAML; maps for philly, openb,
 * alibaba-2020 and helios are built in). */
#ifndef LK_TRACES_READER_H
#define LK_TRACES_READER_H

#include "traces/input.h"
#include "traces/record.h"
#include "traces/swf.h"

typedef enum {
  LK_FORMAT_AUTO,
  LK_FORMAT_SWF,
  LK_FORMAT_SACCT,
  LK_FORMAT_SACCT_JSON,
  LK_FORMAT_EVENTS,
  LK_FORMAT_CSV,
} LkTraceFormat;

/* "auto", "swf", ...; NULL past the last. */
const char *lk_trace_format_name (LkTraceFormat format);

typedef struct {
  LkTraceFormat format;
  const char
      *csv_map; /* name of a built-in map, or path of a YAML file; NULL: told by the columns */
  char **map;   /* "key=value" overrides, NULL-terminated; NULL: none */
  const char *columns; /* sacct text without a header: "JobID|Submit|..."; NULL: told by the log */
  gboolean lenient;
} LkReaderOptions;

typedef struct {
  guint64 bytes_read;
  guint64 bytes_total; /* 0 unknown */
  guint64 line_count;
  guint64 record_count;    /* jobs handed out */
  guint64 step_count;      /* rows of job steps folded into their jobs */
  guint64 duplicate_count; /* rows of earlier runs of a requeued job folded into it */
  guint64 skipped_count;   /* rows that are no job at all, with --lenient */
} LkReaderCounts;

typedef struct _LkTraceReader LkTraceReader;

/* Opens a log ("-" is standard input). `options` NULL: all told by the content. Returns: (transfer
 * full). */
LkTraceReader *lk_trace_reader_new (const char *path, const LkReaderOptions *options,
                                    GError **error);
/* Over borrowed bytes; `name` is used in messages. */
LkTraceReader *lk_trace_reader_new_from_bytes (const char *name, const guint8 *bytes,
                                               gsize length_bytes, const LkReaderOptions *options,
                                               GError **error);
void lk_trace_reader_free (LkTraceReader *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkTraceReader, lk_trace_reader_free)

/* Next job in the log's order. 1: filled; 0: the end; -1: error, self is then spent. */
int lk_trace_reader_next (LkTraceReader *self, LkTraceRecord *out_record, GError **error);

LkTraceFormat lk_trace_reader_format (const LkTraceReader *self);
const char *lk_trace_reader_name (const LkTraceReader *self);
/* Line (or element of a JSON list) of the record handed out last, from 1. */
guint64 lk_trace_reader_line_number (const LkTraceReader *self);
void lk_trace_reader_counts (const LkTraceReader *self, LkReaderCounts *out_counts);
/* Of an SWF log; NULL for other formats. */
const LkSwfHeader *lk_trace_reader_swf_header (const LkTraceReader *self);
/* Seconds since 1970 of time 0 of the log; -1 unknown. Logs with dates use 0. */
gint64 lk_trace_reader_unix_start_s (const LkTraceReader *self);

#endif
