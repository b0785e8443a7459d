/* sim/trace_census.h — what `lockstep trace info` tells about a log: one pass over all its lines as
 * they stand, uncleaned.
 *
 * Medians are nearest-rank, as everywhere in Lockstep.  Memory: some 40 bytes a job. */
#ifndef LK_SIM_TRACE_CENSUS_H
#define LK_SIM_TRACE_CENSUS_H

#include <glib.h>

#include "traces/reader.h"

#define LK_CENSUS_FIELD_COUNT 18u
#define LK_CENSUS_STATUS_COUNT 6u

/* Over the values > 0 of a field (run times: >= 0). All 0 when there are none. */
typedef struct {
  guint64 count;
  gint64 min;
  gint64 median;
  gint64 p95;
  gint64 max;
  double mean;
} LkCensusSpread;

typedef struct {
  LkTraceFormat format;
  LkSwfCounts log;    /* of a log in another format than SWF its lines */
  LkSwfHeader header; /* text belongs to the reader */
  guint64 job_count;

  gint64 submit_min_us; /* of those known; -1 when none is */
  gint64 submit_max_us;
  gint64 unix_start_s;  /* moment of submit time 0, or -1 unknown */
  gint64 machine_procs; /* MaxProcs, else MaxNodes, else -1 */

  guint64 users;
  guint64 groups;
  guint64 applications;
  guint64 queues;
  guint64 partitions;
  guint64 statuses[LK_CENSUS_STATUS_COUNT]; /* 0 to 5 */

  LkCensusSpread procs; /* requested, else allocated */
  LkCensusSpread run_us;
  LkCensusSpread estimate_us;
  double power_of_two_ratio;  /* of the jobs whose size is known */
  double accuracy_mean_ratio; /* run / estimate where both are > 0 */
  double work_s;              /* sum of processors times run time */
  double offered_load_ratio;  /* work / (machine * span of the submits); NaN unknown */

  guint64 unknown[LK_CENSUS_FIELD_COUNT]; /* -1, by field */
  guint64 unsorted_submits;               /* before the line before */
  guint64 unsorted_line_number;           /* the first of them */
  guint64 duplicate_numbers;
  guint64 zero_runs;
  guint64 overruns;  /* run > estimate > 0 */
  guint64 too_large; /* processors > machine */
} LkTraceCensus;

/* Reads all of it; jobs in another format count as `lockstep trace convert` would write them. */
gboolean lk_trace_census_take (LkTraceReader *reader, LkTraceCensus *out_census, GError **error);

/* Moment of submit time 0 as seconds since 1970, or -1 unknown. A log whose submits are
 * themselves seconds since 1970, as some converters write, has 0. */
gint64 lk_trace_unix_start_s (const LkSwfHeader *header, gint64 submit_us);

/* "1996-09-30 12:38:01" (UTC), or NULL when the moment is out of range. Returns: (transfer
 * full). */
char *lk_trace_date_text (gint64 unix_s);

#endif
